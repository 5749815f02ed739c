internal import Codes

/// Finds what may be a header, an item or a manifest in a text, wherever it is. It may be in lines, in the members of
/// an envelope, in a page, written by an editor with white space between.
struct ValueSearch {
    /// Something that may be a line.
    struct Candidate {
        enum Kind { case item, other, page }
        let kind: Kind
        /// The range in the file.
        let range: Range<Int64>
        /// The text of the line; empty for a page's opening.
        let line: [UInt8]
    }

    private enum Name: CaseIterable {
        case item, export, manifest, salvage, salvageEnd, page

        var text: [UInt8] {
            switch self {
            case .item: Array("\"item\"".utf8)
            case .export: Array("\"export\"".utf8)
            case .manifest: Array("\"manifest_hash\"".utf8)
            case .salvage: Array("\"salvage\"".utf8)
            case .salvageEnd: Array("\"salvage_hash\"".utf8)
            case .page: Array("\"healthprobe-evidence\">".utf8)
            }
        }
    }

    private static let names = Name.allCases.map { (name: $0, text: $0.text) }
    private static let totals = Array("\"totals\"".utf8)
    private let limit: Int
    /// Bytes that may be looked at more than once, in values that do not end or are nothing.
    private var budget: Int64
    /// `true` if a value began that does not end; the caller may take it back.
    var hasOpenValue = false
    /// The offset up to which the latest value was looked at.
    private var farthest: Int64 = 0

    init(limit: Int, fileSize: Int64) {
        self.limit = limit
        budget = 4 * fileSize + 64 << 20
    }

    /// Returns the next candidate from `place` on; `nil` at the end. `retry` is the place to continue at if the
    /// candidate turns out to be nothing.
    mutating func next(in window: inout TextWindow, from place: Int64) throws -> (Candidate, retry: Int64)? {
        var quote = place
        while let found = try window.find(UInt8(ascii: "\""), from: quote) {
            quote = found + 1
            guard let name = try name(at: found, in: &window) else { continue }
            if name.name == .page {
                let end = found + Int64(name.text.count)
                return (Candidate(kind: .page, range: found..<end, line: []), end)
            }
            farthest = found
            let candidate = try candidate(name, found, in: &window)
            // Without a budget nothing is looked at twice.
            if budget <= 0 { quote = max(quote, farthest) }
            if let candidate { return (candidate, retry: quote) }
        }
        return nil
    }

    /// Says that a candidate was nothing: its bytes are looked at again.
    mutating func spend(_ candidate: Candidate) {
        budget -= candidate.range.upperBound - candidate.range.lowerBound
    }

    private func name(at place: Int64, in window: inout TextWindow) throws -> (name: Name, text: [UInt8])? {
        guard let second = try window.byte(at: place + 1) else { return nil }
        for name in Self.names where name.text[1] == second {
            if try window.holds(name.text, at: place) { return name }
        }
        return nil
    }

    private mutating func candidate(
        _ found: (name: Name, text: [UInt8]), _ place: Int64, in window: inout TextWindow
    ) throws -> Candidate? {
        switch found.name {
        case .item, .salvage, .salvageEnd:
            // The whole line is one object, which this is the first member of.
            guard let start = opening(before: place, in: window),
                let end = try valueEnd(from: start, in: &window)
            else { return nil }
            return Candidate(kind: found.name == .item ? .item : .other, range: start..<end, line: window[start..<end])
        case .export:
            guard let value = try member(place, found.text, in: &window) else { return nil }
            let line = Array("{\"export\":".utf8) + window[value] + Array("}".utf8)
            return Candidate(kind: .other, range: place..<value.upperBound, line: line)
        case .manifest:
            guard let hash = try member(place, found.text, in: &window) else { return nil }
            let comma = try window.passSpace(from: hash.upperBound)
            guard try window.byte(at: comma) == UInt8(ascii: ",") else { return nil }
            let next = try window.passSpace(from: comma + 1)
            guard try window.holds(Self.totals, at: next),
                let totals = try member(next, Self.totals, in: &window)
            else { return nil }
            let line =
                Array("{\"manifest_hash\":".utf8) + window[hash] + Array(",\"totals\":".utf8) + window[totals]
                + Array("}".utf8)
            return Candidate(kind: .other, range: place..<totals.upperBound, line: line)
        case .page: return nil
        }
    }

    /// Returns the range of the value of a member whose name is at a place.
    private mutating func member(_ place: Int64, _ name: [UInt8], in window: inout TextWindow) throws -> Range<Int64>? {
        let colon = try window.passSpace(from: place + Int64(name.count))
        guard try window.byte(at: colon) == UInt8(ascii: ":") else { return nil }
        let start = try window.passSpace(from: colon + 1)
        return try valueEnd(from: start, in: &window).map { start..<$0 }
    }

    private mutating func valueEnd(from start: Int64, in window: inout TextWindow) throws -> Int64? {
        // Where something else stands than a text, an object or a list, no value begins that is looked for.
        if let first = try window.byte(at: start), !TextWindow.beginsValue(first) { return nil }
        let value = try window.value(from: start, limit: limit)
        farthest = max(farthest, value.end)
        if value.isWhole { return value.end }
        budget -= value.end - start
        hasOpenValue = true
        return nil
    }

    /// Returns the bracket that opens the object whose first member's name stands at a place.
    ///
    /// Only white space is between them: what was taken before ends in something else.
    private func opening(before place: Int64, in window: borrowing TextWindow) -> Int64? {
        var place = place - 1
        while place >= window.base {
            let byte = window.bytes[window.index(place)]
            if byte == UInt8(ascii: "{") { return place }
            guard TextWindow.isSpace(byte) else { return nil }
            place -= 1
        }
        return nil
    }
}

extension TextWindow {
    /// The bytes of a range that is there.
    subscript(_ range: Range<Int64>) -> [UInt8] { Array(bytes[index(range.lowerBound)..<index(range.upperBound)]) }
}
