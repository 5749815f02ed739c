internal import CanonicalJSON
internal import Codes
internal import Manifest
internal import Verification

/// Looks through a text for lines that hold: what a decompressor left of a bundle, or an editor of a report
/// (`Spec/salvage.md`, Texts).
///
/// One after the other is read as if nothing were damaged. Where one does not hold, the search goes on right behind
/// where it began. What lies between two that hold is one entry of the account.
struct TextSalvager: ~Copyable {
    private var window: TextWindow
    private var output: ItemOutput
    private let limits: ContainerLimits
    private let progress: (Int) -> Void
    private let shouldStop: () -> Bool
    /// The end of the value that was taken last, and the first fault after it.
    private var last: Int64 = 0
    private var fault: Code?
    /// Codes that were noted of items which are written in another way.
    private var noted: Set<Code> = []
    private var isInPage = false

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(
        _ source: FileSource, limits: ContainerLimits, keepsIdentities: Bool, progress: @escaping (Int) -> Void,
        shouldStop: @escaping () -> Bool
    ) {
        window = TextWindow(source)
        output = ItemOutput(limits: limits, keepsIdentities: keepsIdentities)
        self.limits = ContainerLimits(frame: limits.frame, line: min(limits.line, limits.frame - 1))
        self.progress = progress
        self.shouldStop = shouldStop
    }

    // MARK: JSON

    /// Recovers what a text of JSON holds.
    mutating func salvageText(_ ledger: inout LineLedger, _ spool: inout Spool) throws {
        var search = ValueSearch(limit: limits.line, fileSize: window.size)
        if try window.holds(Self.byteOrderMark, at: 0) { last = Int64(Self.byteOrderMark.count) }
        var place = last
        while let (candidate, retry) = try search.next(in: &window, from: place) {
            try step(ledger)
            noteOpenValue(&search)
            place = retry
            if candidate.kind == .page {
                isInPage = true
                last = candidate.range.upperBound
                continue
            }
            if !isNothing(last..<candidate.range.lowerBound) { output.enter(&ledger) }
            let afterItems = ledger.itemCount
            guard try take(candidate, &ledger, &spool) else {
                search.spend(candidate)
                continue
            }
            note(last..<candidate.range.lowerBound, afterItems, &ledger)
            last = candidate.range.upperBound
            place = last
        }
        noteOpenValue(&search)
        try output.write(&ledger, &spool)
        note(last..<window.size, ledger.itemCount, &ledger)
    }

    private mutating func noteOpenValue(_ search: inout ValueSearch) {
        if search.hasOpenValue, fault == nil { fault = .lineUnterminated }
        search.hasOpenValue = false
    }

    private mutating func step(_ ledger: borrowing LineLedger) throws {
        if shouldStop() { throw CancellationError() }
        progress(ledger.itemCount)
    }

    /// Takes what holds, as it stands or written in another way; false where it does not.
    private mutating func take(
        _ candidate: ValueSearch.Candidate, _ ledger: inout LineLedger, _ spool: inout Spool
    ) throws -> Bool {
        guard let wrong = try take(candidate.line, candidate.kind, &ledger, &spool) else { return true }
        for line in Self.otherwise(candidate.line) {
            guard try take(line, candidate.kind, &ledger, &spool) == nil else { continue }
            if noted.insert(wrong).inserted { rewritten.append((wrong, ledger.itemCount)) }
            return true
        }
        if fault == nil { fault = wrong }
        return false
    }

    /// Items that are written in another way, to be noted behind the gap before them.
    private var rewritten: [(code: Code, afterItems: Int)] = []

    private mutating func take(
        _ line: [UInt8], _ kind: ValueSearch.Candidate.Kind, _ ledger: inout LineLedger, _ spool: inout Spool
    ) throws -> Code? {
        kind == .item ? try output.take(item: line, &ledger, &spool) : output.take(other: line, &ledger)
    }

    /// Returns other texts that the same value may have had: without the escapes of a page, and in its canonical form.
    private static func otherwise(_ line: [UInt8]) -> [[UInt8]] {
        let texts = line.contains(UInt8(ascii: "&")) ? [line, unescaped(line)] : [line]
        return texts.dropFirst() + texts.compactMap { try? canonicalize($0.span) }
    }

    private static func unescaped(_ line: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var index = 0
        while index < line.count {
            let escape = line[index] == UInt8(ascii: "&") ? escapes.first { line[index...].starts(with: $0.text) } : nil
            text.append(escape?.byte ?? line[index])
            index += escape?.text.count ?? 1
        }
        return text
    }

    private static let escapes = [
        (text: Array("&amp;".utf8), byte: UInt8(ascii: "&")), (text: Array("&lt;".utf8), byte: UInt8(ascii: "<")),
        (text: Array("&gt;".utf8), byte: UInt8(ascii: ">")),
    ]

    // MARK: Rows

    /// Recovers what the rows of a table hold.
    mutating func salvageRows(
        _ rows: inout SalvageRows, _ ledger: inout LineLedger, _ spool: inout Spool
    ) throws {
        if let header = rows.header { _ = output.take(other: header, &ledger) }
        last = Int64(rows.start)
        if !rows.hasFirstRow { fault = .containerColumns }
        var place = last
        while try window.byte(at: place) != nil {
            try step(ledger)
            window.forget(before: place)
            let (lines, end) = try read(&rows, at: place)
            let afterItems: Int
            if last < place {
                output.enter(&ledger)
                afterItems = ledger.itemCount
            } else {
                afterItems = 0
            }
            var isTaken = false
            for (index, line) in lines.enumerated() where !isTaken {
                let wrong = line.count > limits.line ? .lineLimit : try output.take(item: line, &ledger, &spool)
                isTaken = wrong == nil
                if isTaken { rows.settle(on: index) } else if fault == nil { fault = wrong }
            }
            if isTaken {
                note(last..<place, afterItems, &ledger)
                last = end
                place = end
            } else {
                place = try window.find(UInt8(ascii: "\n"), from: place).map { $0 + 1 } ?? window.size
            }
        }
        try output.write(&ledger, &spool)
        note(last..<window.size, ledger.itemCount, &ledger)
        if let manifest = rows.manifest { _ = output.take(other: manifest, &ledger) }
    }

    /// Bytes of rows that may be looked at more than once.
    private var rowBudget: Int64 = -1

    /// Returns the lines that the row at a place may stand for, and where it ends.
    private mutating func read(_ rows: inout SalvageRows, at place: Int64) throws -> ([[UInt8]], end: Int64) {
        if rowBudget < 0 { rowBudget = 4 * window.size + 64 << 20 }
        while true {
            let length = window.end - place
            switch rows.read(window.bytes.span, at: window.index(place), isEnd: window.isAtEnd) {
            case .lines(let lines, let end): return (lines, window.base + Int64(end))
            case .damaged(let code):
                if fault == nil { fault = code }
                return ([], place)
            case .isOpen:
                // A quote that was lost opens a cell that ends at the next quote, or nowhere.
                rowBudget = max(0, rowBudget - length)
                guard length <= Int64(limits.line), rowBudget > 0, try window.extend() else {
                    if fault == nil { fault = .lineCells }
                    return ([], place)
                }
            }
        }
    }

    // MARK: What lies between

    /// Notes what was not recovered between two places, and what was written in another way behind it.
    private mutating func note(_ gap: Range<Int64>, _ afterItems: Int, _ ledger: inout LineLedger) {
        if !isNothing(gap) {
            let range = trimmed(gap)
            ledger.note(fault ?? .lineKind, bytes: range, afterItems: afterItems)
        }
        for (code, afterItems) in rewritten { ledger.note(code, afterItems: afterItems) }
        rewritten = []
        fault = nil
    }

    private static let closing = Array("</template>".utf8)
    private static let items = Array("\"items\"".utf8)

    /// Returns `true` if a gap between two values has only the text that separates the values of an envelope or of
    /// lines.
    private func isNothing(_ gap: Range<Int64>) -> Bool {
        guard !gap.isEmpty else { return true }
        guard gap.lowerBound >= window.base, gap.upperBound <= window.end else { return false }
        let text = window.bytes[window.index(gap.lowerBound)..<window.index(gap.upperBound)]
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].starts(with: Self.items) {
                index += Self.items.count
            } else if isInPage, text[index...].starts(with: Self.closing) {
                return true
            } else if Self.isBetween(text[index]) {
                index += 1
            } else {
                return false
            }
        }
        return true
    }

    /// Returns `true` for white space, commas, colons and brackets.
    private static func isBetween(_ byte: UInt8) -> Bool {
        TextWindow.isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
            || byte | 0x20 == UInt8(ascii: "{") || byte | 0x20 == UInt8(ascii: "}")
    }

    /// Returns the gap without the white space and commas around it, as far as it is at hand.
    private func trimmed(_ gap: Range<Int64>) -> Range<Int64> {
        func isEdge(_ place: Int64) -> Bool {
            place >= window.base && place < window.end && Self.isEdge(window.bytes[window.index(place)])
        }
        var (start, end) = (gap.lowerBound, gap.upperBound)
        while start < end, isEdge(start) { start += 1 }
        while start < end, isEdge(end - 1) { end -= 1 }
        return start..<end
    }

    private static func isEdge(_ byte: UInt8) -> Bool { TextWindow.isSpace(byte) || byte == UInt8(ascii: ",") }
}
