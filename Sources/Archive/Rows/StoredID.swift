internal import SQLite

/// An id as a row has it: only an integer names another row, and one that is none is like no other.
enum StoredID: Hashable {
    case absent
    case integer(Int64)
    /// The bits of a REAL.
    case real(UInt64)
    case bytes([UInt8], isText: Bool)

    /// The id in a column.
    init(_ row: borrowing Statement, _ column: Int32) {
        switch row.storageClass(column) {
        case .null: self = .absent
        case .integer: self = .integer(row.exactInteger(column) ?? 0)
        case .real: self = .real((row.real(column) ?? 0).bitPattern)
        case .text: self = .bytes(row.bytes(column), isText: true)
        case .blob: self = .bytes(row.bytes(column), isText: false)
        }
    }
}
