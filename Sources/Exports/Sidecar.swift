internal import CanonicalJSON

/// What a sidecar says of the file beside it.
struct TableFile {
    /// The name, in bytes; it need not be text.
    let name: [UInt8]
    let byteCount: Int
    /// SHA-256 of all bytes, in hex.
    let digest: String
}

/// The sidecar of a table, in the terms of CSV on the Web (`Spec/reports.md`, Sidecar).
enum Sidecar {
    /// What its name has behind that of the table.
    static let suffix = "-metadata.json"

    /// The text: one canonical JSON object and LF.
    static func text(_ file: TableFile, columns: [TableColumn], header: [UInt8], manifestHash: String, totals: [UInt8], rowCount: Int) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        put("@context", "http://www.w3.org/ns/csvw", &json)
        json.key("dialect")
        writeDialect(&json)
        json.key("tableSchema")
        write(columns, &json)
        put("url", printable(file.name), &json)
        json.key("urn:healthprobe:report")
        json.beginObject()
        put("byte_count", file.byteCount, &json)
        put("dialect", TableDialect.name, &json)
        json.key("export")
        json.embed(canonical: header.span)
        put("manifest_hash", manifestHash, &json)
        put("row_count", rowCount, &json)
        put("sha256", file.digest, &json)
        json.key("totals")
        json.embed(canonical: totals.span)
        json.endObject()
        json.endObject()
        json.append(0x0A)
        return json.bytes
    }

    /// A name that is no text is written as far as it is.
    private static func printable(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    private static func writeDialect(_ json: inout Writer) {
        json.beginObject()
        json.key("commentPrefix")
        json.null()
        put("delimiter", ",", &json)
        put("doubleQuote", true, &json)
        put("encoding", "utf-8", &json)
        put("header", true, &json)
        put("headerRowCount", 1, &json)
        json.key("lineTerminators")
        json.beginArray()
        json.string("\r\n")
        json.endArray()
        put("quoteChar", "\"", &json)
        put("skipBlankRows", false, &json)
        put("skipInitialSpace", false, &json)
        put("trim", false, &json)
        json.endObject()
    }

    private static func write(_ columns: [TableColumn], _ json: inout Writer) {
        json.beginObject()
        json.key("columns")
        json.beginArray()
        for column in columns {
            json.beginObject()
            put("datatype", column.datatype, &json)
            put("name", column.name, &json)
            put("titles", column.name, &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private static func put(_ key: Key, _ text: String, _ json: inout Writer) {
        json.key(key)
        json.string(text)
    }

    private static func put(_ key: Key, _ number: Int, _ json: inout Writer) {
        json.key(key)
        json.integer(Int64(number))
    }

    private static func put(_ key: Key, _ value: Bool, _ json: inout Writer) {
        json.key(key)
        json.bool(value)
    }
}
