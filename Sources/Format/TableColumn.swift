/// A column of a table (`Spec/columns.json`).
public struct TableColumn: Sendable {
    /// The type of a cell's value.
    public enum ValueType: UInt8, Sendable {
        case text, hash, timestamp, integer, number, boolean, json
        /// A canonical object, or any other text.
        case metadata
        /// `{}` where an object is there without a member.
        case emptyObject
    }

    /// The path of the member, its keys separated by dots.
    public let name: String
    public let type: ValueType

    init(_ name: String, _ type: ValueType) {
        self.name = name
        self.type = type
    }

    /// The datatype in the terms of CSV on the Web. An id is text: a spreadsheet would round a long one.
    public var datatype: String {
        switch type {
        case .text, .hash: "string"
        case .timestamp: "dateTime"
        case .integer: name.hasSuffix("_id") ? "string" : "integer"
        case .number: "double"
        case .boolean: "boolean"
        case .json, .metadata, .emptyObject: "json"
        }
    }
}
