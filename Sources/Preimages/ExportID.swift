internal import Bytes

/// The identity of an export: a UUID of version 8 (RFC 9562, 5.8) from the header without its `export_id`.
public enum ExportID {
    /// Returns the UUID's text for the canonical bytes of an `export` object that has no member `export_id`.
    ///
    /// - Parameter hash: a function that was given nothing since its last digest.
    public static func text<Function: DigestFunction & ~Copyable>(
        forHeader bytes: Span<UInt8>, _ hash: inout Function
    ) -> String {
        hash.update(domain: .exportID)
        hash.update(bytes)
        let digest = hash.finish()
        var text = ""
        for index in 0..<16 {
            var byte = digest[index]
            if index == 6 { byte = byte & 0x0F | 0x80 }
            if index == 8 { byte = byte & 0x3F | 0x80 }
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Hexadecimal.text(CollectionOfOne(byte))
        }
        return text
    }
}
