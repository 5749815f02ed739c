internal import Archive

/// Keeps the first records that are no longer visible or changed, of each day and type (`Spec/report-page.md`,
/// Examples).
struct ExampleTally {
    /// Records of a day, of a type, and of all types.
    private static let (ofDay, ofType, ofAll) = (5, 100, 250)

    private let offset: Double
    private var examples: [Int?: [Comparison.Example]] = [:]
    private var count = 0
    /// The day of the record before, and how many records it has.
    private var last: (type: Int?, day: Double?, count: Int) = (nil, nil, 0)

    /// - Parameter offset: seconds that the clock is ahead of UTC.
    init(offset: Int) { self.offset = Double(offset) }

    /// Adds a change; they come by type, and in the order of their spans.
    mutating func add(_ change: ComparedChange, of type: Int?) {
        guard count < Self.ofAll, examples[type]?.count ?? 0 < Self.ofType, let example = change.example else { return }
        let day = change.span.map { (($0.lowerBound + offset) / 86_400).rounded(.down) }
        if last.type != type || last.day != day || examples[type] == nil { last = (type, day, 0) }
        guard last.count < Self.ofDay else { return }
        last.count += 1
        count += 1
        examples[type, default: []].append(example)
    }

    subscript(_ type: Int?) -> [Comparison.Example] { examples[type] ?? [] }
}
