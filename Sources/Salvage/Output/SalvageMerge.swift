internal import Bytes
internal import Files
internal import Manifest
internal import Verification

/// Puts together what several damaged copies of one export gave.
///
/// Where the items of each copy are in order, they are merged, and each stands once. Where they are not, the copies
/// follow each other, and what comes again is noted as in one file.
struct SalvageMerge: ~Copyable {
    private var output: ItemOutput
    private let limits: ContainerLimits

    init(limits: ContainerLimits, keepsIdentities: Bool) {
        output = ItemOutput(limits: limits, keepsIdentities: keepsIdentities)
        self.limits = limits
    }

    /// Makes sure that no two files say that they are different exports.
    static func check(_ files: [SalvagedFile]) throws {
        guard let first = files.first(where: { $0.exportID != nil }) else { return }
        if let other = files.first(where: { $0.exportID != nil && $0.exportID != first.exportID }) {
            throw SalvageError(other.path, "another export than \(first.path.display)")
        }
    }

    mutating func run(
        _ copies: [Salvager], into ledger: inout LineLedger, _ spool: inout Spool, _ options: SalvageOptions
    ) throws {
        let cursors = try copies.map { try SpoolCursor($0.spool, limits: limits) }
        if copies.allSatisfy({ $0.ledger.isAscending }) {
            while let next = try Self.first(of: cursors) {
                try take(next.line, &ledger, &spool, options)
                for other in cursors where other !== next && other.line == next.line { try other.advance() }
                try next.advance()
            }
        } else {
            for cursor in cursors {
                while !cursor.line.isEmpty {
                    try take(cursor.line, &ledger, &spool, options)
                    try cursor.advance()
                }
            }
        }
        try output.write(&ledger, &spool)
    }

    private mutating func take(
        _ line: [UInt8], _ ledger: inout LineLedger, _ spool: inout Spool, _ options: SalvageOptions
    ) throws {
        guard try output.take(item: line, &ledger, &spool) == nil else {
            preconditionFailure("the spool holds items that were checked")
        }
        if options.shouldStop() { throw CancellationError() }
        options.progress(ledger.itemCount)
    }

    /// Returns the cursor whose item sorts first; of equal ones the first.
    private static func first(of cursors: [SpoolCursor]) throws -> SpoolCursor? {
        var first: SpoolCursor?
        for cursor in cursors where !cursor.line.isEmpty {
            guard let best = first else {
                first = cursor
                continue
            }
            if cursor.line != best.line, cursor.place.precedes(best.place) { first = cursor }
        }
        return first
    }
}

/// Goes through the items of a spool.
private final class SpoolCursor {
    /// The item, without its LF; empty behind the last.
    private(set) var line: [UInt8] = []
    private var reader: ContainerReader<FileSource>
    private var decoder: FrameDecompressor
    private var lines = LineVerifier(keepsIdentities: false)
    private var textSize = 0
    private var index = 0
    private var known: RunEnd?

    init(_ spool: borrowing Spool, limits: ContainerLimits) throws {
        reader = try ContainerReader(spool.source(), limits: ContainerLimits(frame: limits.frame))
        decoder = FrameDecompressor(limit: limits.frame)
        try advance()
    }

    /// Goes to the next item.
    func advance() throws {
        known = nil
        line.removeAll(keepingCapacity: true)
        if index == textSize {
            guard let part = try reader.next(report: { _ in }) else { return }
            guard case .frame(let frame) = part, case .text(let size) = decoder.decode(frame) else {
                preconditionFailure("the spool holds what was written to it")
            }
            textSize = size
            index = 0
        }
        guard let end = decoder.text.extracting(first: textSize).firstLineEnd(from: index) else {
            preconditionFailure("an item in the spool ends")
        }
        line.append(copying: decoder.text.extracting(index..<end))
        index = end + 1
    }

    /// The place of the item among others.
    var place: RunEnd {
        if let known { return known }
        lines.start(header: nil, mayBeHeader: false)
        lines.add(line.span, at: 0)
        guard case .items(let run)? = lines.finish().first, let place = run.first else {
            preconditionFailure("the spool holds items that were checked")
        }
        known = place
        return place
    }
}
