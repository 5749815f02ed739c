package import Archive

/// Rows of `daily_type_aggregates` of one type, derived in one pass over its records in the order of their starts.
///
/// A row is *open* from the first start of its records to the last, and takes up each record in between that its
/// observation sees. Nothing is kept of records.
package struct BucketSweep {
    /// A row, by its own boundaries.
    package struct Row {
        package let id: Int64?
        package let type, observation: Int64
        package let start, end: Double
        package let revision: Int64?
        /// The values that the row states.
        package let stored: AggregateValues

        /// A row.
        package init(
            id: Int64?, type: Int64, observation: Int64, start: Double, end: Double, revision: Int64?,
            stored: AggregateValues
        ) {
            (self.id, self.type, self.observation, self.stored) = (id, type, observation, stored)
            (self.start, self.end, self.revision) = (start, end, revision)
        }
    }

    private struct Open {
        let row: Row
        let place: Int
        let starts: Range<Double>
        var group = AggregateGroup()
    }

    /// The name of a bucket of a type.
    private struct Name: Hashable {
        let place: Int
        let start: Double
        let revision: Int64?
    }

    private var open: [Open] = []
    private var names: Set<Name> = []
    /// The earliest end of an open row.
    private var nextEnd = Double.infinity

    /// No more rows are open at once.
    package static let limit = 4096

    /// No rows.
    package init() {}

    /// `true` if no further row can be opened.
    package var isFull: Bool { open.count >= Self.limit }

    /// Opens a row, at the place of its observation. None is opened if the sweep is full.
    ///
    /// - Parameter starts: where its records start; `nil` if that is between its boundaries.
    package mutating func open(_ row: Row, at place: Int, _ starts: Range<Double>? = nil) {
        precondition(!isFull, "a row beyond the limit")
        let starts = starts ?? row.start..<max(row.start, row.end)
        names.insert(Name(place: place, start: row.start, revision: row.revision))
        open.append(Open(row: row, place: place, starts: starts))
        nextEnd = min(nextEnd, starts.upperBound)
    }

    /// Returns `true` if there is an open row of a bucket.
    package func has(place: Int, start: Double, revision: Int64?) -> Bool {
        names.contains(Name(place: place, start: start, revision: revision))
    }

    /// Adds a record to the open rows. Rows that end at or before its start are closed already.
    package mutating func add(start: Double, at places: Range<Int>, revision: Int64?, _ amount: Amount) {
        for index in open.indices where open[index].starts.lowerBound <= start && places.contains(open[index].place) {
            guard open[index].row.revision == nil || open[index].row.revision == revision else { continue }
            open[index].group.add(start: nil, end: nil, amount: amount)
        }
    }

    /// Closes the rows that no record from a moment on is of. Calls `body` with what each should say, and the sum of
    /// the magnitudes of its values.
    package mutating func close(
        through moment: Double, areSummed: Bool,
        _ body: (Row, AggregateValues, _ magnitude: Double) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        guard moment >= nextEnd || moment == .infinity else { return }
        nextEnd = .infinity
        var kept = 0
        for index in open.indices {
            let (row, place) = (open[index].row, open[index].place)
            let end = open[index].starts.upperBound
            guard end <= moment || moment == .infinity else {
                nextEnd = min(nextEnd, end)
                open.swapAt(kept, index)
                kept += 1
                continue
            }
            names.remove(Name(place: place, start: row.start, revision: row.revision))
            try body(row, open[index].group.values(areSummed: areSummed), open[index].group.magnitude)
        }
        open.removeSubrange(kept...)
    }
}
