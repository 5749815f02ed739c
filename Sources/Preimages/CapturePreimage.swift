internal import Bytes
internal import CanonicalJSON

/// The smaller preimages of a capture (`Spec/identity.md`), without their prefixes.
public enum CapturePreimage {
    /// Returns a set of types, each once, in the order of their bytes.
    public static func typeSet(_ types: [[UInt8]]) -> [UInt8] {
        var json = Writer()
        json.beginArray()
        var last: [UInt8]?
        for type in types.sorted(by: { $0.lexicographicallyPrecedes($1) }) where type != last {
            try? json.string(type.span)
            last = type
        }
        json.endArray()
        return json.bytes
    }

    /// Returns the strict fingerprint of an ordinal above 0: of a record that looks like others, by the fingerprint of
    /// theirs.
    public static func alike(_ base: Digest, ordinal: Int) -> [UInt8] {
        var text = Array("{\"alike\":\"".utf8)
        base.appendHex(to: &text)
        return text + Array("\",\"ordinal\":\(ordinal)}".utf8)
    }

    /// Returns a private value of metadata; `value` is canonical.
    public static func privateMetadata(key: Span<UInt8>, value: Span<UInt8>) -> [UInt8] {
        var json = Writer(capacity: key.count + value.count + 24)
        json.beginObject()
        json.key("key")
        // Texts come from parsers that give UTF-8 and nothing else.
        try? json.string(key)
        json.key("value")
        json.embed(canonical: value)
        json.endObject()
        return json.bytes
    }
}
