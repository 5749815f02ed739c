/// The prefix of a hash's preimage (`Spec/hashes.md`): no text of one kind can stand for another.
public struct Domain: Sendable {
    /// The prefix, ASCII.
    public let prefix: [UInt8]

    private init(_ prefix: StaticString) { self.prefix = Array("\(prefix)".utf8) }

    /// One exported item.
    public static let item = Domain("hp:v2:export_item:")
    /// The identity of an export.
    public static let exportID = Domain("hp:v2:export_id:")
    /// A whole export.
    public static let manifest = Domain("hp:v2:export_manifest:")
}

extension SHA256 {
    /// Adds a domain prefix.
    mutating func update(domain: Domain) {
        let prefix = domain.prefix
        update(prefix.span)
    }
}
