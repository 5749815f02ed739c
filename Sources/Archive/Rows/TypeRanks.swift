internal import SQLite

/// The place of each sample type in the order of their identifiers, from 1; 0 for a type without one.
struct TypeRanks {
    private let ranks: [Int64: Int]
    /// The rank of the row before: rows of a type come in runs.
    private var last: (id: Int64, rank: Int)?

    init(_ ranks: [Int64: Int]) { self.ranks = ranks }

    /// Returns the rank of a value of `sample_type_id`. A reference that is no integer leads to no type, and sorts like
    /// an absent one.
    mutating func rank(of value: SQLiteValue) -> Int {
        guard value.storageClass == .integer else { return 0 }
        let id = value.integer
        if let last, last.id == id { return last.rank }
        let rank = ranks[id] ?? 0
        last = (id, rank)
        return rank
    }
}
