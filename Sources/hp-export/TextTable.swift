import Timestamps

/// A table for people: aligned columns, numbers to the right, two blanks between them.
struct TextTable {
    private let isNumber: [Bool]
    private var lines: [[String]]

    /// A table with these column names.
    init(_ columns: [(name: String, isNumber: Bool)]) {
        isNumber = columns.map(\.isNumber)
        lines = [columns.map(\.name)]
    }

    /// Adds a row with as many cells as there are columns.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == isNumber.count, "a row of another width")
        lines.append(cells)
    }

    /// `true` if there is no row.
    var isEmpty: Bool { lines.count == 1 }

    /// The lines, each with a line end.
    var text: String {
        let widths = isNumber.indices.map { column in lines.map { $0[column].unicodeScalars.count }.max() ?? 0 }
        var result = ""
        for line in lines {
            var text = ""
            for (index, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.unicodeScalars.count)
                text += (isNumber[index] ? padding + cell : cell + padding) + "  "
            }
            while text.hasSuffix(" ") { text.removeLast() }
            result += text + "\n"
        }
        return result
    }
}

extension TimestampText {
    /// Returns a moment for people, `-` if there is none.
    static func shown(_ seconds: Double?) -> String { seconds.flatMap { try? TimestampText($0) }?.string ?? "-" }
}
