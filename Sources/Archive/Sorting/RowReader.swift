internal import SQLite

/// Reads packed rows and sorts them: all of a scope, or those of the slices that it takes, on a connection of its own.
struct RowReader: ~Copyable {
    private let feed: any RowFeed
    /// Kept open as long as the feed.
    private let connection: Connection?
    /// The rows in order; nil where one of them does not have the form that was asked for.
    private(set) var runs = Result<[RowRun]?, ArchiveError>.success(nil)

    init(_ feed: any RowFeed, connection: consuming Connection? = nil) {
        self.feed = feed
        self.connection = connection
    }

    /// Reads and sorts all rows, or those of slices while there are any. `runs` says how that went.
    mutating func sort(as form: SortKey.Form, _ slices: RowSlices?) {
        // What another form left is in a file of its own.
        runs = .success(nil)
        do {
            let sorted = try sorted(as: form, slices)
            runs = .success(sorted)
        } catch {
            runs = .failure(error)
        }
    }

    private func sorted(as form: SortKey.Form, _ slices: RowSlices?) throws(ArchiveError) -> [RowRun]? {
        var sorter = RowSorter(of: feed.path)
        guard let slices else { return try feed.add(nil, to: &sorter, as: form) ? sorter.finish() : nil }
        while let slice = slices.next() {
            guard try feed.add(slice, to: &sorter, as: form) else { return nil }
        }
        return try sorter.finish()
    }
}
