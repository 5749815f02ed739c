internal import Files
package import SQLite

extension SQLiteStatement where Failure == ArchiveError {
    /// Runs an insert or an update that must store exactly so many rows.
    package mutating func run(storing rows: Int) throws(ArchiveError) {
        try run()
        try check(stored: changes, meant: rows)
    }

    /// Binds all parameters, and runs as `run(storing:)`.
    package mutating func run(_ parameters: [Parameter], storing rows: Int) throws(ArchiveError) {
        try bind(parameters)
        try run(storing: rows)
    }

    /// Throws where another number of rows was stored than was meant, whatever in the schema is the reason: then
    /// nothing of the transaction may be kept.
    package func check(stored: Int, meant: Int) throws(ArchiveError) {
        guard stored != meant else { return }
        // What the statement does and to which table stands before its first bracket.
        let words = sql.prefix { $0 != "(" && $0 != "\n" }.split(separator: " ")
        let place = words.prefix(5).prefix { $0 != "SET" && $0 != "SELECT" }.joined(separator: " ").asciiLowercased
        throw ArchiveError(
            .evidence, "\(path.display): \(place): \(stored) of \(meant) rows were stored; nothing is kept",
            hint: ArchiveError.damageHint)
    }
}
