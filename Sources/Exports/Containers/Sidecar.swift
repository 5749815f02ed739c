internal import CanonicalJSON
internal import Format
internal import Manifest

/// The description of the file beside a sidecar.
struct TableFile {
    /// The name, in bytes; it need not be text.
    let name: [UInt8]
    let byteCount: Int
    /// SHA-256 of all bytes, in hex.
    let digest: String
}

/// The description of the columns and the dialect in a sidecar.
struct TableContent {
    let dialect: String
    var delimiter = ","
    /// Names, and their datatypes as JSON.
    let columns: [(name: String, datatype: String)]
    /// Of a view: the columns that nothing vouches for.
    var unvouched: [String]?

    /// A table for machines.
    init(_ columns: [TableColumn]) {
        dialect = TableDialect.name
        self.columns = columns.map { ($0.name, "\"\($0.datatype)\"") }
    }

    /// A view for people with some of its columns.
    init(_ view: PeopleView, _ columns: [PeopleColumn]) {
        dialect = view.dialect.rawValue
        delimiter = view.dialect == .excel ? ";" : ","
        unvouched = columns.filter(view.isUnvouched).map(\.rawValue).sorted()
        self.columns = columns.map { column in
            switch column.content {
            case .text: (column.rawValue, "\"string\"")
            case .number where view.dialect == .excel:
                (column.rawValue, "{\"base\":\"double\",\"format\":{\"decimalChar\":\",\"}}")
            case .number: (column.rawValue, "\"double\"")
            case .date: (column.rawValue, "{\"base\":\"dateTime\",\"format\":\"yyyy-MM-dd HH:mm:ss\"}")
            }
        }
    }
}

/// The sidecar of a table, in the terms of CSV on the Web (`Spec/reports.md`, Sidecar).
enum Sidecar {
    /// The suffix of its name after that of the table.
    static let suffix = "-metadata.json"

    /// Returns the text: one canonical JSON object and LF.
    static func text(
        _ file: TableFile, _ content: TableContent, header: [UInt8], manifestHash: String, totals: [UInt8],
        rowCount: Int
    ) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("@context", "http://www.w3.org/ns/csvw")
        json.key("dialect")
        writeDialect(content, &json)
        json.key("tableSchema")
        write(content, &json)
        json.member("url", printable(file.name))
        json.key("urn:healthprobe:report")
        json.beginObject()
        json.member("byte_count", file.byteCount)
        json.member("dialect", content.dialect)
        json.key("export")
        json.embed(canonical: header.span)
        json.member("manifest_hash", manifestHash)
        if content.unvouched != nil {
            json.key("renderer")
            json.integer(Bundle.renderer)
        }
        json.member("row_count", rowCount)
        json.member("sha256", file.digest)
        json.key("totals")
        json.embed(canonical: totals.span)
        if let unvouched = content.unvouched { write(viewWith: unvouched, &json) }
        json.endObject()
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// Returns a name as text; a name that is no text is written as far as it is.
    private static func printable(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    private static func write(viewWith unvouched: [String], _ json: inout Writer) {
        json.key("view")
        json.beginObject()
        json.member("name", "people")
        json.key("unvouched")
        json.beginArray()
        for name in unvouched { json.string(name) }
        json.endArray()
        json.endObject()
    }

    private static func writeDialect(_ content: TableContent, _ json: inout Writer) {
        json.beginObject()
        json.key("commentPrefix")
        json.null()
        json.member("delimiter", content.delimiter)
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

    private static func write(_ content: TableContent, _ json: inout Writer) {
        json.beginObject()
        json.key("columns")
        json.beginArray()
        for column in content.columns {
            json.beginObject()
            json.key("datatype")
            json.embed(canonical: column.datatype.utf8Span.span)
            json.member("name", column.name)
            json.member("titles", column.name)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
