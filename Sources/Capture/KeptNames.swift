public import Archive
internal import Manifest

/// Names of sources and devices that a capture has seen, by the hashes that an archive has for them. They are for the
/// file of labels beside it and leave a capture in no other way (`Spec/labels.md`).
public struct KeptNames: Sendable {
    /// Names by 64 hex digits: of a source, that of its name; of a device, that of all that is known of it.
    private var labels = Labels()
    /// The number of names that have no place there: too long, no text, or too many.
    public private(set) var leftOut = 0

    /// None.
    public init() {}

    /// Adds names of a source or a device.
    mutating func add(_ hash: Digest?, _ name: [UInt8]?) {
        guard let hash, let name, !name.isEmpty else { return }
        guard let text = String(validating: name, as: UTF8.self), labels.add(hash.hex, text) else {
            leftOut += 1
            return
        }
    }

    /// Adds what a file of labels has no name for yet. Returns how many that were.
    ///
    /// - Parameter known: the hashes that get a name; nil if all do.
    public func add(to labels: inout Labels, among known: Set<String>? = nil) -> (added: Int, leftOut: Int) {
        let before = labels.names.count
        var leftOut = leftOut
        for (hash, name) in self.labels.names.sorted(by: { $0.key < $1.key })
        where known?.contains(hash) != false && !labels.add(hash, name) {
            leftOut += 1
        }
        return (labels.names.count - before, leftOut)
    }
}
