internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest

/// Reads the sidecar of a table (`Spec/reports.md`, Sidecar), strictly.
struct SidecarReader {
    /// The lines without their LF; nil where the sidecar does not give them.
    private(set) var header: [UInt8]?
    private(set) var manifest: [UInt8]?
    /// The kind of the table's items; nil where the header has none that has a table.
    private(set) var kind: ItemKind?
    private(set) var byteCount, rowCount: Int64?
    private(set) var sha256: String?
    /// The dialect of a view for people; nil for a table of items.
    private(set) var view: PeopleColumns.Dialect?
    /// The columns of a view; nil where the sidecar does not state some that a view has.
    private(set) var columns: PeopleColumns?
    /// The renderer of a view.
    private(set) var renderer: Int64?
    /// The columns of a view that nothing vouches for.
    private(set) var unvouched: [String]?

    private static let reportName = "urn:healthprobe:report"
    /// The pointer to the member that holds what is not known to CSV on the Web.
    static let reportPointer = "/" + reportName

    private static let dialectPattern = #"""
        {"commentPrefix":null,"delimiter":"DELIMITER","doubleQuote":true,"encoding":"utf-8","header":true,\#
        "headerRowCount":1,"lineTerminators":["\r\n"],"quoteChar":"\"",\#
        "skipBlankRows":false,"skipInitialSpace":false,"trim":false}
        """#

    private var dialect: String {
        let parts = Self.dialectPattern.split(separator: "DELIMITER")
        return parts[0] + (view == .excel ? ";" : ",") + parts[1]
    }

    /// Reads a sidecar; nil where it is no canonical object. `report` is told what is invalid.
    init?(_ file: [UInt8], tableName: [UInt8], _ report: (Finding) -> Void) {
        let text = file.last == UInt8(ascii: "\n") ? Array(file.dropLast()) : file
        if let deviation = Validator.firstDeviation(in: text.span) {
            report(
                Finding(
                    .containerSidecar, byte: Int64(deviation.offset), found: Code(deviation.code).rawValue)
            )
            return nil
        }
        guard file.last == UInt8(ascii: "\n"), text.first == UInt8(ascii: "{") else {
            report(Finding(.containerSidecar, byte: Int64(file.last == UInt8(ascii: "\n") ? 0 : file.count)))
            return nil
        }
        func wrong(_ pointer: String) { report(Finding(.containerSidecar, pointer: pointer)) }
        let members = Self.members(of: text)
        let inner = members[Self.reportName].flatMap { $0.first == UInt8(ascii: "{") ? Self.members(of: $0) : nil }
        readReport(inner, wrong)
        var expected: [String: [UInt8]?] = [
            "@context": Array("\"http://www.w3.org/ns/csvw\"".utf8), "dialect": Array(dialect.utf8),
            Self.reportName: nil,
        ]
        if let view, let stated = members["tableSchema"] {
            columns = PeopleColumns(schema: stated, view, of: kind)
            expected["tableSchema"] = columns == nil ? [] : stated
        } else {
            expected["tableSchema"] = kind.flatMap { TableColumns($0) }.map { Array($0.schema.utf8) }
        }
        if expected["tableSchema"] == nil { expected["tableSchema"] = .some(nil) }
        expected["url"] = Self.quoted(tableName)
        for name in Set(members.keys).union(expected.keys).sorted() {
            guard let wanted = expected[name], let found = members[name] else {
                wrong("/" + Self.escaped(name))
                continue
            }
            if let wanted, wanted != found { wrong("/" + name) }
        }
        if members[Self.reportName] != nil, inner == nil { wrong(Self.reportPointer) }
    }

    /// - Parameter found: nil where there is no object, which is a fault of its own.
    private mutating func readReport(_ found: [String: [UInt8]]?, _ wrong: (String) -> Void) {
        let members = found ?? [:]
        view = members["dialect"].flatMap { PeopleColumns.Dialect(json: $0) }
        var names = ["byte_count", "dialect", "export", "manifest_hash", "row_count", "sha256", "totals"]
        if view != nil { names += ["renderer", "view"] }
        func take<Value>(_ name: String, _ value: ([UInt8]) -> Value?) -> Value? {
            guard let bytes = members[name] else { return nil }
            let found = value(bytes)
            if found == nil { wrong(Self.reportPointer + "/" + name) }
            return found
        }
        if found != nil { for name in names where members[name] == nil { wrong(Self.reportPointer + "/" + name) } }
        for name in members.keys.sorted() where !names.contains(name) {
            wrong(Self.reportPointer + "/" + Self.escaped(name))
        }
        byteCount = take("byte_count", Self.count)
        rowCount = take("row_count", Self.count)
        let isView = view != nil
        _ = take("dialect") { isView || $0 == Array("\"healthprobe-csv-1\"".utf8) ? true : nil }
        if isView {
            renderer = take("renderer") { Self.count($0).flatMap { $0 > 0 ? $0 : nil } }
            unvouched = take("view") { found in PeopleColumns.views.first { Array($0.text.utf8) == found }?.unvouched }
        }
        sha256 = take("sha256") { text in
            let digits = text.dropFirst().dropLast()
            return text.count == 66
                && digits.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                }
                ? String(decoding: digits, as: UTF8.self) : nil
        }
        if let export = take("export", { $0.first == UInt8(ascii: "{") ? $0 : nil }) {
            header = Array("{\"export\":".utf8) + export + [UInt8(ascii: "}")]
            kind = Self.kind(export)
        }
        let hash = take("manifest_hash") { $0.first == UInt8(ascii: "\"") ? $0 : nil },
            totals = take("totals") { $0.first == UInt8(ascii: "{") ? $0 : nil }
        if let hash, let totals {
            manifest =
                Array("{\"manifest_hash\":".utf8) + hash + Array(",\"totals\":".utf8) + totals + [UInt8(ascii: "}")]
        }
    }

    /// Returns the kind of the items of an export, if they have a table.
    private static func kind(_ export: [UInt8]) -> ItemKind? {
        func string(_ value: [UInt8]?) -> String? {
            guard let value, value.first == UInt8(ascii: "\"") else { return nil }
            return String(decoding: value[1..<value.count - 1], as: UTF8.self)
        }
        let header = members(of: export)
        guard let kind = string(header["export_kind"]).flatMap(ExportKind.init) else { return nil }
        let items = kind.items(mode: string(header["scope"].flatMap { members(of: $0)["mode"] }) ?? "")
        return ItemKind.allCases.first { $0.forms.isSuperset(of: items) }
    }

    private static func count(_ bytes: [UInt8]) -> Int64? {
        guard bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int64(String(decoding: bytes, as: UTF8.self)), value < 1 << 53
        else { return nil }
        return value
    }

    /// Returns the values of a canonical object's members.
    private static func members(of object: [UInt8]) -> [String: [UInt8]] {
        var reader = Reader(.canonical)
        var members: [String: [UInt8]] = [:]
        _ = try? reader.next(in: object.span)
        while case .key(let key)? = try? reader.next(in: object.span) {
            var name: [UInt8] = []
            reader.unescape(key, in: object.span, into: &name)
            if let value = try? reader.skipValue(in: object.span) {
                members[String(decoding: name, as: UTF8.self)] = Array(object[value])
            }
        }
        return members
    }

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var quoted: [UInt8] = []
        quoted.appendJSONString(text.span)
        return quoted
    }

    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }
}
