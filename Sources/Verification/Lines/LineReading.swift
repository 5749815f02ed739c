internal import Bytes
internal import CanonicalJSON

/// What a line is read as.
enum LineReading {
    case header, item, manifest, salvageHeader, salvageEnd

    /// Lines are told apart by their members. Nearly always the first key says it; else the line is read to its end.
    static func of(_ text: Span<UInt8>) throws(JSONError) -> LineReading? {
        if text.begins(with: Self.itemStart) { return .item }
        if text.begins(with: Self.headerStart) { return .header }
        if text.begins(with: Self.manifestStart) { return .manifest }
        if text.begins(with: Self.salvageStart) { return .salvageHeader }
        var reader = Reader(.canonical)
        guard case .beginObject = try reader.next(in: text) else {
            while true { if case .end = try reader.next(in: text) { return nil } }
        }
        var names: Set<[UInt8]> = []
        while true {
            switch try reader.next(in: text) {
            case .key(let key):
                var name: [UInt8] = []
                reader.unescape(key, in: text, into: &name)
                names.insert(name)
                _ = try reader.skipValue(in: text)
            case .end:
                func has(_ name: String) -> Bool { names.contains(Array(name.utf8)) }
                if has("export") { return .header }
                if has("item") || has("item_hash") { return .item }
                if has("manifest_hash") { return .manifest }
                return has("salvage")
                    ? .salvageHeader : has("salvage_hash") ? .salvageEnd : has("totals") ? .manifest : nil
            default: break
            }
        }
    }

    private static let itemStart = Array("{\"item\":".utf8)
    private static let headerStart = Array("{\"export\":".utf8)
    private static let manifestStart = Array("{\"manifest_hash\":".utf8)
    private static let salvageStart = Array("{\"salvage\":".utf8)
}
