internal import Codes
internal import Manifest

/// Damaged lines that follow each other in a frame that has very many of them. They are counted, and only what the
/// lines of other frames depend on is kept of them. A few KiB of a frame can hold millions of them.
package struct DamageTally: Sendable {
    /// Lines so far.
    package private(set) var lineCount = 0
    /// The number of times that the code differed from that of the line before; for a line the first code counts.
    package private(set) var codeCount = 0
    private var lastCode: Code?
    /// The findings that are reported wherever the lines are, once for each code: limits, blank lines, canonical
    /// faults.
    private(set) var faults: [Finding] = []
    /// The findings that are reported only before a manifest, once for each code.
    private(set) var faultsOfKinds: [Finding] = []
    /// Headers. There was one before.
    private(set) var headerCount = 0
    /// The first line that is no limit, blank line or canonical fault, and the first header; from 0 within these lines.
    private(set) var firstOfKind: Int?
    private(set) var firstHeader: Int?
    /// The kind of the last line, where it is an item.
    private(set) var last: LineKind?

    /// Adds damaged lines.
    mutating func add(_ findings: [Finding], kind: LineKind?, lines: Int) {
        if findings.first?.code != lastCode { codeCount += 1 }
        lastCode = findings.first?.code
        let isOfKind = kind != nil || findings.first?.code == .lineKind
        if isOfKind, firstOfKind == nil { firstOfKind = lineCount }
        last = kind == .item ? kind : nil
        if kind == .header {
            if firstHeader == nil { firstHeader = lineCount }
            headerCount += 1
        } else if isOfKind {
            for finding in findings { Self.count(finding, in: &faultsOfKinds) }
        } else {
            for finding in findings { Self.count(finding, in: &faults) }
        }
        lineCount += lines
    }

    private static func count(_ finding: Finding, in list: inout [Finding]) {
        guard let index = list.firstIndex(where: { $0.code == finding.code }) else { return list.append(finding) }
        list[index].count += finding.count
    }
}
