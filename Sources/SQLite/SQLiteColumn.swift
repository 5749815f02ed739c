/// The columns that a statement writes, by name: an enum whose cases are named like them and are numbered from 1, in
/// the order of the statement's parameters.
///
///     enum Column: Int32, SQLiteColumn { case sampleID = 1, startDate }
///     "INSERT INTO t(\(Column.names)) VALUES (\(Column.parameters))"         t(sample_id, start_date) VALUES (?1, ?2)
///     statement.bind(Column.startDate, 0.5)
@usableFromInline package protocol SQLiteColumn: CaseIterable, RawRepresentable<Int32> {}

extension SQLiteColumn {
    /// The column's name in SQL: that of the case in lower case, with an underscore between its words.
    package var name: String {
        let letters = Array("\(self)")
        var name = ""
        for (place, letter) in letters.enumerated() {
            // A word begins with a capital after a small letter, or with the last capital of several.
            let isStart = place > 0 && letter.isUppercase
            let endsWord = isStart && !letters[place - 1].isUppercase
            let beginsWord = isStart && place + 1 < letters.count && letters[place + 1].isLowercase
            if endsWord || beginsWord { name += "_" }
            name += letter.lowercased()
        }
        return name
    }

    /// The names of all, with commas between them.
    package static var names: String { allCases.map(\.name).joined(separator: ", ") }

    /// The parameters of all, with commas between them.
    package static var parameters: String { allCases.map { "?\($0.rawValue)" }.joined(separator: ", ") }
}

extension SQLiteStatement {
    /// Binds an integer.
    @inlinable package mutating func bind(_ column: some SQLiteColumn, _ value: Int64) { bind(column.rawValue, value) }

    /// Binds a number; nil is NULL.
    @inlinable package mutating func bind(_ column: some SQLiteColumn, _ value: Double?) {
        bind(column.rawValue, value)
    }

    /// Binds an integer; nil is NULL.
    @inlinable package mutating func bind(_ column: some SQLiteColumn, optional value: Int64?) {
        bind(column.rawValue, optional: value)
    }

    /// Binds text; SQLite copies it.
    package mutating func bind(_ column: some SQLiteColumn, text: Span<UInt8>) {
        bind(column.rawValue, text: text)
    }

    /// Binds text; nil is NULL.
    package mutating func bind(_ column: some SQLiteColumn, text: [UInt8]?) {
        bind(column.rawValue, text: text)
    }

    /// Binds NULL.
    @inlinable package mutating func bindNull(_ column: some SQLiteColumn) { bindNull(column.rawValue) }
}
