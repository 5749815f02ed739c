internal import SQLite

/// The SQL function `hp_text(value)`: a text that canonical JSON can carry as a BLOB of its UTF-8 bytes, so that it
/// sorts by them in any database; else an empty BLOB. With two arguments: the first that can be carried.
final class TextKeyFunction: SQLFunction {
    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        for place in 0..<arguments.count where arguments[place].isCarryableText {
            return result.set(blob: arguments[place].bytes)
        }
        result.set(blob: Span())
    }
}
