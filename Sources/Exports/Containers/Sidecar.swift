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
    static func text(
        _ file: TableFile, columns: [TableColumn], header: [UInt8], manifestHash: String, totals: [UInt8], rowCount: Int
    ) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("@context", "http://www.w3.org/ns/csvw")
        json.key("dialect")
        writeDialect(&json)
        json.key("tableSchema")
        write(columns, &json)
        json.member("url", printable(file.name))
        json.key("urn:healthprobe:report")
        json.beginObject()
        json.member("byte_count", file.byteCount)
        json.member("dialect", TableDialect.name)
        json.key("export")
        json.embed(canonical: header.span)
        json.member("manifest_hash", manifestHash)
        json.member("row_count", rowCount)
        json.member("sha256", file.digest)
        json.key("totals")
        json.embed(canonical: totals.span)
        json.endObject()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// A name that is no text is written as far as it is.
    private static func printable(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    private static func writeDialect(_ json: inout Writer) {
        json.beginObject()
        json.key("commentPrefix")
        json.null()
        json.member("delimiter", ",")
        json.member("doubleQuote", true)
        json.member("encoding", "utf-8")
        json.member("header", true)
        json.member("headerRowCount", 1)
        json.key("lineTerminators")
        json.beginArray()
        json.string("\r\n")
        json.endArray()
        json.member("quoteChar", "\"")
        json.member("skipBlankRows", false)
        json.member("skipInitialSpace", false)
        json.member("trim", false)
        json.endObject()
    }

    private static func write(_ columns: [TableColumn], _ json: inout Writer) {
        json.beginObject()
        json.key("columns")
        json.beginArray()
        for column in columns {
            json.beginObject()
            json.member("datatype", column.datatype)
            json.member("name", column.name)
            json.member("titles", column.name)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
