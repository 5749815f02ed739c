/// A row of a comparison, as far as rows are added up.
struct ComparisonRow: Sendable {
    let form: Forms
    let type: [UInt8]?
    /// Its line within the frame.
    let line: Int
    /// The three counts; of all types and of a whole type also records before and after, and windows by label.
    var counts: [Int64]
    var records: [Int64]
    var labels: [Int64]

    static let countNames = ["appeared_count", "disappeared_count", "representation_changed_count"]

    init(_ item: Span<UInt8>, _ form: Forms, line: Int) {
        let values = ReportValues(item)
        self.form = form
        self.line = line
        type = values.text("sample_type")
        counts = Self.countNames.map { values.count($0) ?? 0 }
        records = ["after", "before"].map { values.count($0 + ".record_count") ?? 0 }
        let label = values.text("label")
        labels = ShapeTables.labels.map { name in
            form == .window ? (label == Array(name.utf8) ? 1 : 0) : values.count("labels." + name) ?? 0
        }
    }

    /// Adds another row. Sums that do not fit stay at the greatest number, which no count has.
    mutating func add(_ other: ComparisonRow) {
        func add(_ left: inout [Int64], _ right: [Int64]) {
            for index in left.indices {
                let (sum, isOver) = left[index].addingReportingOverflow(right[index])
                left[index] = isOver || left[index] == .max ? .max : sum
            }
        }
        add(&counts, other.counts)
        add(&records, other.records)
        add(&labels, other.labels)
    }

    /// The first member, by pointer, in which a row differs from a sum.
    func difference(from sum: ComparisonRow, comparesRecords: Bool) -> String? {
        if comparesRecords, records[0] != sum.records[0] { return "after/record_count" }
        if counts[0] != sum.counts[0] { return Self.countNames[0] }
        if comparesRecords, records[1] != sum.records[1] { return "before/record_count" }
        if counts[1] != sum.counts[1] { return Self.countNames[1] }
        if labels != sum.labels { return "labels" }
        return counts[2] != sum.counts[2] ? Self.countNames[2] : nil
    }

    /// The first member, by pointer, of which a sum has more than the row says.
    func excess(of sum: ComparisonRow) -> String? {
        if counts[0] < sum.counts[0] { return Self.countNames[0] }
        if counts[1] < sum.counts[1] { return Self.countNames[1] }
        if zip(labels, sum.labels).contains(where: { $0 < $1 }) { return "labels" }
        return counts[2] < sum.counts[2] ? Self.countNames[2] : nil
    }

    /// A row of nothing.
    var zero: ComparisonRow {
        var zero = self
        zero.counts = [0, 0, 0]
        zero.records = [0, 0]
        zero.labels = zero.labels.map { _ in 0 }
        return zero
    }
}

/// Adds up the rows of a comparison: windows to their type, types to the row of all types (`manifest.comparison`).
/// A page has some of the windows: these are not more than their type says.
struct ComparisonSums {
    /// The first row that does not add up, and the member.
    private(set) var fault: (line: Int, pointer: String?)?
    /// The first type with other windows than it says, and with more of something than it says.
    private var otherWindows, tooManyWindows: (line: Int, pointer: String)?
    private var all: (row: ComparisonRow, line: Int)?
    private var type: (row: ComparisonRow, line: Int)?
    private var types: ComparisonRow?
    private var windows: ComparisonRow?

    /// Takes the next row.
    mutating func add(_ row: ComparisonRow, line: Int) {
        guard let whole = all else {
            if row.form != .allTypes { note(line, "/item") }
            all = (row, line)
            return
        }
        switch row.form {
        case .wholeType:
            endType()
            if let type, type.row.type == row.type, type.line < line { note(line, "/item/sample_type") }
            type = (row, line)
            add(row, to: &types)
        case .window:
            if type == nil || type?.row.type != row.type { note(line, "/item/sample_type") }
            add(row, to: &windows)
        default:
            if whole.line != line { note(line, "/item") }
        }
    }

    private mutating func note(_ line: Int, _ pointer: String?) {
        if fault.map({ $0.line > line }) ?? true { fault = (line, pointer) }
    }

    private func add(_ row: ComparisonRow, to sum: inout ComparisonRow?) {
        if sum == nil { sum = row } else { sum?.add(row) }
    }

    private mutating func endType() {
        defer { windows = nil }
        guard let type else { return }
        let sum = windows ?? type.row.zero
        if otherWindows == nil, let member = type.row.difference(from: sum, comparesRecords: false) {
            otherWindows = (type.line, "/item/" + member)
        }
        if tooManyWindows == nil, let member = type.row.excess(of: sum) {
            tooManyWindows = (type.line, "/item/" + member)
        }
    }

    /// The end of the rows.
    ///
    /// - Parameters:
    ///   - isExpected: whether it is a comparison, so that there are rows.
    ///   - hasSomeWindows: whether windows may be left out.
    mutating func finish(isExpected: Bool, hasSomeWindows: Bool) {
        endType()
        if let wrong = hasSomeWindows ? tooManyWindows : otherWindows { note(wrong.line, wrong.pointer) }
        if let all, let member = all.row.difference(from: types ?? all.row.zero, comparesRecords: true) {
            note(all.line, "/item/" + member)
        }
        if isExpected, all == nil { note(1, nil) }
    }
}
