internal import Archive
internal import Changes

/// The items of a page: every row of all types and of a type, and of the windows those in which most records changed
/// (`Spec/report-page.md`, Items).
///
/// Memory is bounded by the number of types and by the windows that are kept.
struct PageItems {
    private struct Entry {
        let place: Int
        let document: Document
        /// Records no longer visible or changed, and those that appeared; of a row no window outweighs.
        let weight: (lost: Int, appeared: Int)

        func precedes(_ other: Entry) -> Bool {
            if weight.lost != other.weight.lost { return weight.lost > other.weight.lost }
            if weight.appeared != other.weight.appeared { return weight.appeared > other.weight.appeared }
            return place < other.place
        }
    }

    private var rows: [Entry] = []
    private var windows: [Entry] = []
    private var count = 0

    /// Windows of a page.
    static let windowLimit = 250

    /// Adds the next item of the summary.
    mutating func add(_ comparison: Comparison, _ document: Document) {
        let weight = (comparison.disappeared + comparison.representationChanged, comparison.appeared)
        let entry = Entry(place: count, document: document, weight: weight)
        count += 1
        guard case .window = comparison.subject else { return rows.append(entry) }
        windows.append(entry)
        if windows.count >= 2 * Self.windowLimit { cut() }
    }

    private mutating func cut() {
        windows.sort { $0.precedes($1) }
        windows.removeLast(max(0, windows.count - Self.windowLimit))
    }

    /// Returns the items of the page, in the order of a summary.
    mutating func finish() -> [Document] {
        cut()
        return (rows + windows).sorted { $0.place < $1.place }.map(\.document)
    }
}
