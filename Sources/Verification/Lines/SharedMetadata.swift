internal import CanonicalJSON

/// What metadata of a shared record may have (`Spec/shared-bundles.md`).
enum SharedMetadata {
    private static let prefixes = ["HK", "_HK"].map { Array($0.utf8) }

    /// Whether metadata are no object with members, or have a key of another app or a private one.
    static func isTooMuch(_ metadata: Span<UInt8>) -> Bool {
        var reader = Reader(.canonical)
        var key: [UInt8] = []
        var isEmpty = true
        do throws(JSONError) {
            guard try reader.next(in: metadata) == .beginObject else { return true }
            while case .key(let name) = try reader.next(in: metadata) {
                key.removeAll(keepingCapacity: true)
                reader.unescape(name, in: metadata, into: &key)
                _ = try reader.skipValue(in: metadata)
                isEmpty = false
                let isOfApple = prefixes.contains { key.starts(with: $0) }
                if !isOfApple || PrivateMetadata.always.contains(key) { return true }
            }
        } catch {
            // Text, which stands here without its quotes.
            return true
        }
        return isEmpty
    }
}
