internal import CanonicalJSON
internal import Manifest
import Synchronization

/// What one frame turned out to hold.
struct VerifiedFrame: Sendable {
    let frame: RawFrame
    /// Bytes of its text; nil where it is lost.
    var textSize: Int?
    /// Findings of the container.
    var findings: [Finding] = []
    var events: [LineEvent] = []
    /// Lines that are complete.
    var lineCount = 0
    /// The beginning of a line that the frame does not end.
    var openLine: [UInt8] = []
    /// Whether that line is longer than the limit already.
    var isOpenLineTooLong = false
}

/// Decodes and checks frames. One verifier works on one frame at a time; several work side by side.
final class FrameVerifier: Sendable {
    private let bench: Mutex<Bench>

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        bench = Mutex(Bench(limits: limits, keepsIdentities: keepsIdentities))
    }

    /// Checks a frame.
    ///
    /// - Parameters:
    ///   - openLine: what the frame before left of a line.
    ///   - header: the bundle's header, if it came already.
    func verify(_ frame: RawFrame, after openLine: [UInt8] = [], isTooLong: Bool = false, header: HeaderFacts?) -> VerifiedFrame {
        bench.withLock { $0.verify(frame, after: openLine, isTooLong: isTooLong, header: header) }
    }
}

/// What a verifier keeps from frame to frame.
private struct Bench: ~Copyable {
    private var decoder: FrameDecompressor
    private var lines: LineVerifier
    private let limits: ContainerLimits

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        decoder = FrameDecompressor(limit: limits.frame)
        lines = LineVerifier(keepsIdentities: keepsIdentities)
        self.limits = limits
    }

    mutating func verify(_ frame: RawFrame, after openLine: [UInt8], isTooLong: Bool, header: HeaderFacts?) -> VerifiedFrame {
        var result = VerifiedFrame(frame: frame)
        let size: Int
        switch decoder.decode(frame) {
        case .lost(let code):
            result.findings.append(Finding(.container, code.rawValue, frame: frame.number, byte: frame.offset))
            return result
        case .textOfOtherSize(let count):
            size = count
            result.findings.append(Finding(.container, "content_size", frame: frame.number, byte: frame.offset, expected: frame.header.contentSize.map(String.init), found: String(count)))
        case .text(let count): size = count
        }
        if size == 0 { result.findings.append(Finding(.container, "frame_empty", frame: frame.number, byte: frame.offset)) }
        result.textSize = size
        lines.start(header: header)
        var cutter = LineCutter(limit: limits.line, openLine: openLine, isTooLong: isTooLong)
        cutter.cut(decoder, size, into: &lines)
        result.lineCount = cutter.lineCount
        result.openLine = cutter.openLine
        result.isOpenLineTooLong = cutter.isTooLong
        result.events = lines.finish()
        return result
    }
}
