/// A frame that may be damaged.
public struct FoundFrame: Sendable {
    /// The frame, as far as its block headers lead and no further than a reader should keep.
    public let raw: RawFrame
    /// The offset in the file at which its blocks, or what is left of them, end.
    public let end: Int64
    /// Why its blocks end before the last one; nil where they are all there.
    public let cut: ContainerFault.Code?
}

/// Finds the frames of a damaged file (`Spec/salvage.md`, Finding frames).
///
/// A frame begins with its magic number. Where its blocks lead to a place at which something else begins, that
/// place is taken, and what lies between is not looked at again. Where they do not, the frame is decoded first: if
/// it is whole, reading goes on behind it, and otherwise every byte after its magic number may begin the next
/// frame.
///
///     ├ frame ┤├ frame … cut      ├ unread ┤├ frame ┤├ seek table ┤
///                 └ looked through again: at most `effort`, so that false starts cost no more than the file is long
public struct FrameScanner<Source: RandomAccess> {
    /// A part of a file, as it is scanned.
    public enum Part: Sendable {
        /// A frame to decode. Where its end is not certain, tell the scanner what came of it with `resume(after:…)`.
        case frame(FoundFrame)
        /// Bytes that hold nothing, and why; no reason where they are the rest of the frame before.
        case unread(Range<Int64>, ContainerFault.Code?)
        /// A seek table that is well-formed.
        case seekTable(Range<Int64>)
    }

    private var source: Source
    private let limits: ContainerLimits
    /// The starts of frames, by a seek table that fits the file.
    private let starts: [Int64]?
    private var position: Int64 = 0
    /// Everything before this place is reported.
    private var covered: Int64 = 0
    private var isAfterDamage = false
    /// The offset to which the blocks of frames that failed have led, and the work that may still be spent before that
    /// place.
    private var seen: Int64 = 0
    private var effort: Int64
    private var pending: Part?
    private var window = SearchWindow()
    private var frameCount = 0

    /// A run of empty blocks this long ends what is kept of a frame that is not whole: a hole of zeros reads like that.
    private static var emptyBlockLimit: Int { 1024 }

    /// Scans a file.
    public init(_ source: Source, limits: ContainerLimits) throws {
        var source = source
        starts = try SeekTableReader.starts(&source)
        effort = 4 * source.size + (64 << 20)
        self.source = source
        self.limits = limits
    }

    /// `true` if a seek table ends the file and its sizes add up to the table's own place.
    public var hasFittingTable: Bool { starts != nil }

    /// Returns the next part; `nil` at the end.
    public mutating func next() throws -> Part? {
        if let part = pending.take() { return part }
        while position < source.size {
            if position < seen, effort <= 0 { position = seen }
            guard let place = try window.nextMagic(from: position, &source) else { break }
            position = place
            if let part = try part(at: place) { return try hold(part, from: place) }
            position += 1
        }
        position = source.size
        guard covered < source.size else { return nil }
        return .unread(cover(to: source.size), try reason())
    }

    /// Says what came of a frame without a certain end: how many bytes of text, where in the file they end, and
    /// whether the frame is whole.
    public mutating func resume(after frame: FoundFrame, textSize: Int, decodedEnd: Int64, isWhole: Bool) {
        guard !frame.raw.hasCertainEnd else { return }
        let start = frame.raw.offset
        if isWhole {
            position = frame.end
            cover(frame.end, isDamaged: false)
            return
        }
        if start < seen { effort -= Int64(textSize) }
        seen = max(seen, frame.end)
        position = start + 1
        if textSize > 0 { cover(decodedEnd, isDamaged: true) } else { frameCount -= 1 }
    }

    // MARK: Parts

    /// Returns the part that starts at a magic number; `nil` if nothing does.
    private mutating func part(at place: Int64) throws -> Part? {
        let head = try source.read(at: place, count: 18)
        guard Array(head.prefix(4)).isFrameMagic else {
            guard head.count >= 8, case let end = place + 8 + Int64(head.number(at: 4)),
                try SeekTableReader.count(&source, from: place, to: end) != nil
            else { return nil }
            return .seekTable(place..<end)
        }
        guard FrameHeader.fault(in: head) == nil else { return nil }
        return .frame(try frame(at: place, FrameHeader(head.span)))
    }

    /// Gives a part out, after the bytes before it.
    private mutating func hold(_ part: Part, from place: Int64) throws -> Part {
        var unread: Part?
        if covered < place { unread = .unread(cover(to: place), try reason(before: place)) }
        switch part {
        case .frame(let frame):
            if frame.raw.hasCertainEnd {
                position = frame.end
                cover(frame.end, isDamaged: false)
            }
        case .seekTable(let range):
            position = range.upperBound
            cover(range.upperBound, isDamaged: false)
        case .unread: break
        }
        guard let unread else { return part }
        pending = part
        return unread
    }

    private mutating func cover(_ end: Int64, isDamaged: Bool) {
        covered = max(covered, end)
        isAfterDamage = isDamaged
    }

    private var reasonStart: Int64 = 0

    private mutating func cover(to end: Int64) -> Range<Int64> {
        defer { covered = end }
        reasonStart = covered
        return covered..<end
    }

    /// Returns the reason why the bytes that were covered last hold nothing.
    private mutating func reason(before end: Int64? = nil) throws -> ContainerFault.Code? {
        defer { isAfterDamage = false }
        if isAfterDamage { return nil }
        let head = try source.read(at: reasonStart, count: 18)
        let magic = Array(head.prefix(4))
        if magic.isFrameMagic { return FrameHeader.fault(in: head) ?? (end == nil ? .truncated : .frameCorrupt) }
        if isNamed(reasonStart), reasonStart < source.size { return .frameHeader }
        if magic == .tableMagic { return .seekTable }
        return magic.isSkippableMagic ? .skippable : .trailing
    }

    // MARK: Frames

    private mutating func frame(at start: Int64, _ header: FrameHeader) throws -> FoundFrame {
        let chain = try walk(header, from: start)
        if start < seen { effort -= chain.end - start + 64 * chain.blocks }
        let isCertain = try chain.cut == nil && isStart(chain.end)
        frameCount += 1
        // A frame that is larger than its text may be plus its block headers holds nothing that a reader should keep.
        let keep = min(
            isCertain || chain.cut == nil ? chain.end : chain.kept,
            start + Int64(limits.frame + limits.frame / 32 + (1 << 20)))
        let bytes = try source.read(at: start, count: Int(keep - start))
        let raw = RawFrame(
            number: number(of: start), offset: start, header: header, bytes: bytes, hasCertainEnd: isCertain)
        return FoundFrame(raw: raw, end: chain.end, cut: chain.cut ?? (keep < chain.end ? .frameLimit : nil))
    }

    /// Returns a number by the seek table if one fits, and otherwise in the order in which they are found.
    private func number(of start: Int64) -> Int {
        guard let starts else { return frameCount }
        return starts.firstIndex(after: start)
    }

    /// Returns `true` if a fitting seek table has a frame that begins at a place; `false` if there is no such table.
    public func isNamed(_ place: Int64) -> Bool {
        guard let starts, case let index = starts.firstIndex(after: place) - 1, index >= 0 else { return false }
        return starts[index] == place
    }

    /// Returns the frames that a fitting seek table says begin in a range; `nil` if there is none.
    public func frames(in range: Range<Int64>) -> ClosedRange<Int>? {
        guard let starts else { return nil }
        let first = starts.firstIndex(after: range.lowerBound - 1) + 1,
            last = min(starts.firstIndex(after: range.upperBound - 1), starts.count - 1)
        return first <= last ? first...last : nil
    }

    /// Follows the block headers. `kept` is where a long run of empty blocks begins, else the end.
    private mutating func walk(_ header: FrameHeader, from start: Int64) throws -> (
        end: Int64, kept: Int64, cut: ContainerFault.Code?, blocks: Int64
    ) {
        var numbers = WindowOnFile(at: start)
        var offset = start + Int64(header.size)
        var blocks: Int64 = 0
        var empty = 0
        var emptyStart: Int64?, kept: Int64?
        while true {
            guard let block = try numbers.number(at: offset, count: 3, &source) else {
                return (source.size, kept ?? source.size, .truncated, blocks)
            }
            let isLast = block & 1 == 1, type = block >> 1 & 3, size = Int64(block >> 3)
            if type == 3 || size > 1 << 17 { return (offset, kept ?? offset, .frameCorrupt, blocks) }
            let next = offset + 3 + (type == 1 ? 1 : size)
            if next + (isLast && header.hasChecksum ? 4 : 0) > source.size {
                return (offset, kept ?? source.size, .truncated, blocks)
            }
            if size == 0 {
                if empty == 0 { emptyStart = offset }
                empty += 1
                if empty == Self.emptyBlockLimit, kept == nil { kept = emptyStart }
            } else {
                empty = 0
            }
            blocks += 1
            offset = next
            if isLast { break }
        }
        if header.hasChecksum { offset += 4 }
        return (offset, kept ?? offset, nil, blocks)
    }

    /// Returns `true` if a frame, a seek table or nothing at all begins at a place.
    private mutating func isStart(_ place: Int64) throws -> Bool {
        if place == source.size { return true }
        let magic = try source.read(at: place, count: 4)
        return magic.isFrameMagic || magic.isSkippableMagic
    }
}

extension [Int64] {
    /// Returns the index of the first element of a sorted array that is greater than a value, by binary search.
    fileprivate func firstIndex(after value: Int64) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension FrameHeader {
    /// Returns the reason why the bytes at a magic number are no header of a frame that can be decoded; `nil` if they
    /// are.
    static func fault(in head: [UInt8]) -> ContainerFault.Code? {
        guard head.count > 4 else { return .truncated }
        if head[4] & 0x18 != 0 { return .frameHeader }
        guard head.count >= size(descriptor: head[4]) else { return .truncated }
        let header = FrameHeader(head.span)
        return header.hasDictionary ? .dictionary : header.windowSize > Container.windowLimit ? .window : nil
    }
}

/// Searches a file for magic numbers, in pieces.
private struct SearchWindow {
    private var start: Int64 = 0
    private var bytes: [UInt8] = []
    private static let size = 1 << 18

    /// Returns the first place at or after another with the magic number of a frame or of a seek table.
    mutating func nextMagic(from place: Int64, _ source: inout some RandomAccess) throws -> Int64? {
        var place = place
        // Mostly it is where one looks first.
        let isInside = place >= start && place + 4 <= start + Int64(bytes.count)
        if !isInside {
            let magic = try source.read(at: place, count: 4)
            if magic.isFrameMagic || magic == .tableMagic { return place }
        }
        while place + 4 <= source.size {
            if place < start || place + 4 > start + Int64(bytes.count) {
                start = place
                bytes = try source.read(at: place, count: Self.size)
                guard bytes.count >= 4 else { return nil }
            }
            if let index = Self.firstMagic(in: bytes.span, from: Int(place - start)) { return start + Int64(index) }
            place = start + Int64(bytes.count) - 3
        }
        return nil
    }

    private static func firstMagic(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index + 4 <= bytes.count {
            let first = bytes[index]
            if first == 0x28, bytes[index + 1] == 0xB5, bytes[index + 2] == 0x2F, bytes[index + 3] == 0xFD {
                return index
            }
            if first == 0x5E, bytes[index + 1] == 0x2A, bytes[index + 2] == 0x4D, bytes[index + 3] == 0x18 {
                return index
            }
            index += 1
        }
        return nil
    }
}
