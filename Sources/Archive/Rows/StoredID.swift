package import Bytes
internal import SQLite

/// An id as a row has it: only an integer names another row, and one that is none is like no other.
package enum StoredID: Hashable {
    case absent
    case integer(Int64)
    /// The bits of a REAL.
    case real(UInt64)
    case bytes([UInt8], isText: Bool)

    /// It as an integer; nil of another.
    package var number: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The id in a column.
    package init(_ row: borrowing Statement, _ column: Int32) {
        switch row.storageClass(column) {
        case .null: self = .absent
        case .integer: self = .integer(row.exactInteger(column) ?? 0)
        case .real: self = .real((row.real(column) ?? 0).bitPattern)
        case .text: self = .bytes(row.bytes(column), isText: true)
        case .blob: self = .bytes(row.bytes(column), isText: false)
        }
    }
}

// How an id travels with a sorted row.
extension StoredID {
    package func append(to bytes: inout ByteBuffer) {
        switch self {
        case .absent: bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            bytes.append(lowBytesOf: UInt64(bitPattern: integer))
        case .real(let bits):
            bytes.append(2)
            bytes.append(lowBytesOf: bits)
        case .bytes(let content, let isText):
            bytes.append(isText ? 3 : 4)
            bytes.append(lowBytesOf: UInt64(content.count), count: 4)
            bytes.append(copying: content.span)
        }
    }

    /// Reads what `append` wrote.
    package init(_ reader: inout CompactReader) {
        switch reader.byte() {
        case 0: self = .absent
        case 1: self = .integer(reader.integer())
        case 2: self = .real(reader.word())
        case 3: self = .bytes(reader.text(), isText: true)
        default: self = .bytes(reader.text(), isText: false)
        }
    }
}
