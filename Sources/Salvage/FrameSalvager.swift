internal import Manifest
internal import Synchronization
internal import Verification

/// The result of one frame.
struct SalvagedFrame: Sendable {
    let found: FoundFrame
    /// Bytes of text that were decoded, and of the frame.
    let textSize, decodedSize: Int
    /// Why the rest cannot be read, or the text not be trusted.
    let fault: ContainerFault.Code?
    /// The codes of everything else that is invalid in the frame.
    let notes: [ContainerFault.Code]
    /// The events of its lines.
    let events: [LineEvent]
    /// Lines that are complete.
    let lineCount: Int
    /// Lines that are no items to be kept.
    let otherCount: Int
    /// The beginning of a line that the frame does not end.
    var openLine: OpenLine
    /// Frames with its items and nothing else.
    let output: [OutputFrame]

    /// The line from which on nothing was looked at, from 1: there are too many that are no items to be kept.
    var lineOverLimit: Int? {
        guard case .tooManyOthers(let finding)? = events.last else { return nil }
        return finding.line.map { $0 + 1 }
    }

    /// The offset in the file at which the decoded part ends.
    var decodedEnd: Int64 { found.raw.offset + Int64(decodedSize) }
}

/// A frame that goes out.
struct OutputFrame: Sendable {
    let bytes: [UInt8]
    let textSize: Int
}

/// Decodes frames as far as they go and keeps the items that hold. One works on one frame at a time; several work
/// side by side.
final class FrameSalvager: Sendable {
    private let bench: Mutex<SalvageBench>

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        bench = Mutex(SalvageBench(limits: limits, keepsIdentities: keepsIdentities))
    }

    /// Salvages a frame, in which so many lines may be no items to be kept.
    func salvage(_ found: FoundFrame, otherLimit: Int) -> SalvagedFrame {
        var none = OpenLine()
        return salvage(found, goingOnWith: &none, otherLimit: otherLimit)
    }

    /// Salvages a frame. `openLine` is what the frame before left of a line; it is taken.
    func salvage(_ found: FoundFrame, goingOnWith openLine: inout OpenLine, otherLimit: Int) -> SalvagedFrame {
        bench.withLock { $0.salvage(found, goingOnWith: &openLine, otherLimit: otherLimit) }
    }

    /// Looks at one line without its LF; where it is an item, as a frame.
    func salvage(line: [UInt8]) -> (events: [LineEvent], output: OutputFrame?) {
        bench.withLock { $0.salvage(line: line) }
    }
}

/// The state that a salvager keeps from frame to frame.
private struct SalvageBench: ~Copyable {
    private var decoder: FrameDecompressor
    private var lines: LineVerifier
    private var compressor = FrameCompressor(level: 1)
    private let lineLimit: Int

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        decoder = FrameDecompressor(limit: limits.frame)
        // No header: whether items belong to it is no matter of salvage.
        lines = LineVerifier(keepsIdentities: keepsIdentities, isStrict: true)
        // Every line that is recovered fits into a frame.
        lineLimit = min(limits.line, limits.frame - 1)
    }

    mutating func salvage(
        _ found: FoundFrame, goingOnWith openLine: inout OpenLine, otherLimit: Int
    ) -> SalvagedFrame {
        let partial = decoder.decodeAsFarAsPossible(found)
        let notes = Self.notes(found.raw.header, partial)
        let startsWithLine = !openLine.isThere
        var cutter = LineCutter(limit: lineLimit, goingOnWith: &openLine)
        lines.start(header: nil, mayBeHeader: false, otherLimit: otherLimit)
        cutter.cut(decoder, partial.textSize, into: &lines)
        let events = lines.finish()
        let hasWholeLines = startsWithLine && cutter.openLine.isEmpty && !cutter.isTooLong
        let isUntouched = partial.fault == nil && notes.isEmpty && hasWholeLines
        var output: [OutputFrame] = []
        if isUntouched, events.count == 1, events[0].isItems {
            output = [OutputFrame(bytes: found.raw.bytes, textSize: partial.textSize)]
        } else if events.contains(where: \.isItems) {
            let saved = decoder.text.extracting(first: partial.textSize).items(events, continuing: cutter.continuedLine)
            for text in [saved.first, saved.others] where !text.isEmpty {
                output.append(OutputFrame(bytes: compressor.frame(of: text.span), textSize: text.count))
            }
        }
        return SalvagedFrame(
            found: found, textSize: partial.textSize, decodedSize: partial.frameSize, fault: partial.fault,
            notes: notes, events: events, lineCount: cutter.lineCount, otherCount: lines.otherCount,
            openLine: OpenLine(cutter.openLine, isTooLong: cutter.isTooLong), output: output)
    }

    mutating func salvage(line: [UInt8]) -> (events: [LineEvent], output: OutputFrame?) {
        lines.start(header: nil, mayBeHeader: false)
        lines.add(line.span, at: 0)
        let events = lines.finish()
        guard events.contains(where: \.isItems) else { return (events, nil) }
        let text = line + [UInt8(ascii: "\n")]
        return (events, OutputFrame(bytes: compressor.frame(of: text.span), textSize: text.count))
    }

    private static func notes(_ header: FrameHeader, _ partial: FrameDecompressor.Partial) -> [ContainerFault.Code] {
        var notes: [ContainerFault.Code] = []
        if !header.hasChecksum { notes.append(.checksumMissing) }
        if header.contentSize == nil { notes.append(.contentSizeMissing) }
        guard partial.fault == nil else { return notes }
        if let size = header.contentSize, size != UInt64(partial.textSize) { notes.append(.contentSize) }
        if partial.textSize == 0 { notes.append(.frameEmpty) }
        return notes
    }
}

extension LineEvent {
    /// `true` if it stands for items that hold.
    var isItems: Bool { if case .items = self { true } else { false } }
}

extension Span where Element == UInt8 {
    /// Returns the lines of a text that are items, by what its lines turned out to be. A first line that began before
    /// the text is apart, as `line`: with it the others might not fit into a frame.
    fileprivate func items(_ events: [LineEvent], continuing line: [UInt8]) -> (first: [UInt8], others: [UInt8]) {
        var first: [UInt8] = [], others: [UInt8] = []
        var start = 0
        for event in events {
            var from = start
            for _ in 0..<event.lineCount {
                let end = (firstLineEnd(from: start) ?? count - 1) + 1
                if start == 0, event.isItems, !line.isEmpty {
                    first = line + [UInt8(ascii: "\n")]
                    from = end
                }
                start = end
            }
            if event.isItems { others += bytes(from..<start) }
        }
        return (first, others)
    }

    private func bytes(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBytes { unsafe Array($0) }
    }
}
