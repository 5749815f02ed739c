internal import Bytes
internal import CanonicalJSON
internal import Preimages

/// The form of values whose metadata keys are private by their names alone (`Spec/identity.md`, "Private metadata").
///
/// The patterns that an archive was made with are in no export, so that values of those keys are not looked at.
struct PrivateMetadata {
    private var key: [UInt8] = []
    /// Decisions on keys of other apps.
    private var known: [[UInt8]: Bool] = [:]
    private static let prefix = Array("hmac:".utf8)
    private static let ownPrefix = Array("hp:".utf8)

    /// Returns `true` if each private value of a canonical object is a hash in its form.
    mutating func holds(_ object: Span<UInt8>) -> Bool {
        (try? check(object)) ?? true
    }

    private mutating func check(_ object: Span<UInt8>) throws(JSONError) -> Bool {
        var reader = Reader(.canonical)
        guard case .beginObject = try reader.next(in: object) else { return true }
        while true {
            switch try reader.next(in: object) {
            case .key(let name) where reader.depth == 1:
                key.removeAll(keepingCapacity: true)
                if name.hasEscapes {
                    reader.unescape(name, in: object, into: &key)
                } else {
                    key.append(copying: object.extracting(name.range))
                }
                guard isPrivate else { continue }
                guard case .string(let value) = try reader.next(in: object), !value.hasEscapes,
                    Self.isHash(object.extracting(value.range))
                else { return false }
            case .end: return true
            default: break
            }
        }
    }

    private static func isHash(_ value: Span<UInt8>) -> Bool {
        guard value.count == prefix.count + 64, value.extracting(first: prefix.count).isSame(as: prefix.span) else {
            return false
        }
        for index in prefix.count..<value.count {
            switch value[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
            default: return false
            }
        }
        return true
    }

    private var isPrivate: Bool {
        mutating get {
            guard !PrivateMetadataKey.isApples(key) else { return PrivateMetadataKey.ofApple.contains(key) }
            guard !key.starts(with: Self.ownPrefix) else { return false }
            if let decision = known[key] { return decision }
            let decision = PrivateMetadataKey.contains(key)
            // A file may have as many keys as it has items.
            if known.count >= 4096 { known.removeAll(keepingCapacity: true) }
            known[key] = decision
            return decision
        }
    }
}
