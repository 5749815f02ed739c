/// A value that a statement is given.
package enum SQLiteParameter {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL.
    case real(Double)
    /// TEXT.
    case text(String)
    /// BLOB.
    case bytes([UInt8])

    /// An integer; nil is NULL.
    package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}
