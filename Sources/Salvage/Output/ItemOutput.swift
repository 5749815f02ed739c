internal import Bytes
internal import Codes
internal import Manifest
internal import Verification

/// Takes lines one by one, keeps those that are items and hold, and writes them to the spool as frames.
struct ItemOutput: ~Copyable {
    private var lines: LineVerifier
    private var compressor = FrameCompressor(level: 1)
    private let frameLimit: Int
    /// Lines that wait for their frame.
    private var text: [UInt8] = []

    private static let frameSize = 1 << 20

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        lines = LineVerifier(keepsIdentities: keepsIdentities, isStrict: true)
        lines.start(header: nil, mayBeHeader: false)
        frameLimit = limits.frame
    }

    /// Takes a line that is an item, and keeps it where it holds. Else what is wrong with it comes back; the items
    /// before are in the ledger then.
    mutating func take(
        item line: borrowing [UInt8], _ ledger: inout LineLedger, _ spool: inout Spool
    ) throws -> Code? {
        if text.count >= Self.frameSize || text.count + line.count + 1 > frameLimit { try write(&ledger, &spool) }
        let others = lines.otherCount
        lines.add(line.span, at: 0)
        guard lines.otherCount == others else { return enter(&ledger)?.fault ?? .lineKind }
        text.append(copying: line.span)
        text.append(UInt8(ascii: "\n"))
        return nil
    }

    /// Takes a line that is no item: what is wrong with it, where something is.
    mutating func take(other line: [UInt8], _ ledger: inout LineLedger) -> Code? {
        enter(&ledger)
        lines.add(line.span, at: 0)
        let events = lines.finish()
        lines.start(header: nil, mayBeHeader: false)
        if let fault = events.last?.fault { return fault }
        ledger.enter(events, frame: nil, isWhole: true)
        return nil
    }

    /// Tells the ledger of the items so far; returns what came last.
    @discardableResult
    mutating func enter(_ ledger: inout LineLedger) -> LineEvent? {
        let events = lines.finish()
        lines.start(header: nil, mayBeHeader: false)
        ledger.enter(events.filter(\.isItems), frame: nil, isWhole: true)
        return events.last
    }

    /// Writes what waits.
    mutating func write(_ ledger: inout LineLedger, _ spool: inout Spool) throws {
        enter(&ledger)
        guard !text.isEmpty else { return }
        var waiting: [UInt8] = []
        swap(&waiting, &text)
        try spool.add(OutputFrame(bytes: compressor.frame(of: waiting.span), textSize: waiting.count))
        waiting.removeAll(keepingCapacity: true)
        swap(&waiting, &text)
    }
}

extension LineEvent {
    /// Why a line is not kept; nil where it may be.
    fileprivate var fault: Code? {
        switch self {
        case .damaged(_, let findings, _, _): findings.first?.code ?? .lineKind
        case .unknownFormat(_, unreleased: _?): nil
        case .unknownFormat(let finding, unreleased: nil), .tooManyOthers(let finding): finding.code
        case .tallied: .lineKind
        case .header(_, let findings), .salvageHeader(_, let findings):
            findings.first { $0.code == .manifestExportID }?.code
        case .items, .manifest, .salvageEnd: nil
        }
    }
}
