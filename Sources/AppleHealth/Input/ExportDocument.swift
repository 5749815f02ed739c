internal import Capture

/// The text of an export as a sequence of batches of elements.
///
///     ExportInput ──► TextUnits ──► ByteRepair ──► MarkupFilter ─┬─► XMLParser ────┬─► ElementBatch
///                                                                └─► RecordReader ─┘
struct ExportDocument: ~Copyable {
    /// How the text ended; nil while there is more.
    private(set) var outcome: ExportOutcome?
    /// Whether it ended because the input is damaged.
    private(set) var isInputDamaged = false
    private var input: ExportInput
    private var units = TextUnits()
    private var repair = ByteRepair()
    private var filter: MarkupFilter
    private let parser = XMLParser()
    private var buffer: [UInt8] = []
    private let name: String
    private let shouldStop: @Sendable () -> Bool
    /// Bytes that were read so far.
    private(set) var bytesRead: Int64 = 0

    /// A document that begins where the input is.
    ///
    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - parsesRecords: whether the parser gets the records, too, for tests.
    ///   - shouldStop: asked where the input gives nothing more.
    init(
        _ input: consuming ExportInput, name: String = "export", limit: Int, step: Int, parsesRecords: Bool = false,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) {
        self.input = input
        self.name = name
        self.shouldStop = shouldStop
        filter = MarkupFilter(limit: limit, step: step, stopsAtRecords: !parsesRecords)
    }

    /// What was repaired so far.
    var repairs: RepairCounts {
        var counts = repair.counts
        counts.invalidUTF16 += units.invalidCount
        counts.add(filter.counts)
        return counts
    }

    /// Reads the next stretch; its elements, which may be none, take the place of those in the batch. False after
    /// the end.
    mutating func advance(into batch: inout ElementBatch) throws(CaptureError) -> Bool {
        batch.removeAll()
        guard outcome == nil else { return false }
        // A tag that was cut is passed on in parts; it begins where the parser is.
        let place = parser.place.byte
        repair.forgetPositions(before: filter.positions.original(of: place).byte)
        filter.forgetPositions(before: place)
        if buffer.count != filter.wanted { buffer = [UInt8](repeating: 0, count: filter.wanted) }
        let read = try input.read(into: &buffer)
        // Where the input is damaged nothing follows, as at its end.
        let count = read ?? 0
        // An end that came because it was to stop is none; whoever calls asks, too.
        if count == 0, shouldStop() { return true }
        bytesRead += Int64(count)
        isInputDamaged = read == nil
        Self.append(buffer, count, &units, &repair, &filter.held)
        pass(into: &batch)
        if filter.names.isFull { throw tooManyNames }
        if count == 0, outcome == nil { outcome = isInputDamaged ? malformed(parser.place) : end }
        return true
    }

    private static func append(
        _ buffer: [UInt8], _ count: Int, _ units: inout TextUnits, _ repair: inout ByteRepair, _ text: inout [UInt8]
    ) {
        units.read(buffer.span.extracting(0..<count), isLast: count == 0) { repair.append($0, to: &text) }
        if count == 0 { repair.finish(into: &text) }
    }

    /// Passes on what is complete.
    private mutating func pass(into batch: inout ElementBatch) {
        do throws(XMLParser.Refusal) {
            while filter.advance() {
                try parse()
                readRecords()
            }
            try parse()
            if filter.isRefused { outcome = malformed(parser.place) }
        } catch {
            outcome = malformed(error)
        }
        filter.drop()
        parser.move(into: &batch)
        for index in batch.elements.indices
        where !batch.elements[index].isEnd && batch.elements[index].byte != ElementBatch.placed {
            batch.elements[index].line += filter.positions.original(of: batch.elements[index].byte).lines
        }
    }

    private mutating func parse() throws(XMLParser.Refusal) {
        try parser.parse(filter.ready, restoring: repair.counts.controlCharacter + filter.counts.controlCharacter > 0)
    }

    /// Reads the records before which the filter stopped.
    private mutating func readRecords() {
        filter.endRun()
        let lines = filter.positions.original(of: filter.written).lines
        let read = parser.readRecords(filter.held.span, from: filter.place, lines: lines, limit: filter.limit)
        filter.leaveOut(records: read.end, lines: read.lines)
    }

    private var end: ExportOutcome {
        guard parser.hasEnded else { return .truncated }
        return filter.held.isEmpty ? .complete : malformed(parser.place)
    }

    private var tooManyNames: CaptureError {
        let line = parser.place.line + filter.positions.original(of: parser.place.byte).lines
        let text = "more than \(NameLedger.limit) different names of elements and attributes"
        return CaptureError(.format, "\(name): line \(line): \(text)")
    }

    /// Leads a place back to the text as it came.
    private func malformed(_ refusal: XMLParser.Refusal) -> ExportOutcome {
        let place = filter.positions.original(of: refusal.byte)
        return .malformed(line: refusal.line + place.lines, byte: repair.positions.original(of: place.byte).byte)
    }
}
