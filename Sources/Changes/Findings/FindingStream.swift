internal import Bytes
internal import Files
internal import Archive

/// Puts what findings rest on in the order of types and findings.
///
///     row         place of the type (1, or 255 and 4) │ finding (1) │ key of the finding
///     companion   the rest
///
///     divergence          start (8)                         │ the version
///     exact duplicate     payload hash                      │ sample │ version (8) │ start │ end
///     late arrival        start (8) │ identity hash, 0 │ payload hash, 0 │ sample (8) │ version (8) │ the record
///     semantic duplicate  fingerprint                       │ payload hash
struct FindingSorter: ~Copyable {
    /// Findings in the order of their names.
    enum Kind: UInt8 { case divergence, exactDuplicate, lateArrival, semanticDuplicate }

    /// A record with a payload.
    struct Payload {
        let payload: [UInt8]
        /// As the range has it: the row may be missing.
        let sample: StoredID
        let version: Int64
        let start, end: Double?
    }

    /// A record that came late, if it was not visible before.
    struct Late {
        let found: ChangeFinding.LateArrival
        let sample, version: Int64
        /// `true` if it is late because its sample was matched with those that are alike.
        let isMatched: Bool
    }

    private var rows: RowSorter
    private var spare = ByteBuffer()
    private var spareCompanion = ByteBuffer()

    /// - Parameter path: the archive's, for errors.
    init(of path: Path) { rows = RowSorter(of: path, memory: 8 << 20, fanIn: 128) }

    mutating func add(_ version: ComparedVersion, start: Double, _ place: Int) throws(ArchiveError) {
        try add(place, .divergence) { row, companion in
            row.append(bigEndian: OrderKeyFunction.orderedBits(start))
            version.append(to: &companion)
        }
    }

    mutating func add(_ record: Payload, _ place: Int) throws(ArchiveError) {
        try add(place, .exactDuplicate) { row, companion in
            row.append(copying: record.payload.span)
            record.sample.append(to: &companion)
            companion.append(ordered: record.version)
            companion.append(optional: record.start)
            companion.append(optional: record.end)
        }
    }

    mutating func add(_ record: Late, _ place: Int) throws(ArchiveError) {
        let found = record.found
        try add(place, .lateArrival) { row, companion in
            row.append(bigEndian: OrderKeyFunction.orderedBits(found.start))
            for text in [found.sampleUUIDHash ?? found.strictFingerprint, found.payloadHash] {
                if let text { row.append(copying: text.span) }
                row.append(0)
            }
            for id in [record.sample, record.version] { row.append(ordered: id) }
            for number in [found.start, found.firstSeenAt, found.end ?? 0] {
                companion.append(lowBytesOf: number.bitPattern)
            }
            for id in [found.firstSeenObservationID, record.sample, record.version] {
                companion.append(lowBytesOf: UInt64(bitPattern: id))
            }
            companion.append(record.isMatched ? 1 : 0)
            for text in [found.payloadHash, found.sampleUUIDHash, found.strictFingerprint] {
                companion.append(optional: text)
            }
        }
    }

    mutating func add(fingerprint: [UInt8], payload: [UInt8], _ place: Int) throws(ArchiveError) {
        try add(place, .semanticDuplicate) { row, companion in
            row.append(copying: fingerprint.span)
            companion.append(copying: payload.span)
        }
    }

    /// Returns all rows, in runs that `FindingStream` reads. The sorter is empty then.
    mutating func finish() throws(ArchiveError) -> [RowRun] { try rows.finish() }

    private mutating func add(
        _ place: Int, _ kind: Kind, _ write: (inout ByteBuffer, inout ByteBuffer) -> Void
    ) throws(ArchiveError) {
        var row = ByteBuffer()
        var companion = ByteBuffer()
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
        row.removeAll()
        companion.removeAll()
        // The first bytes of a row nearly always tell it from others: the fewer of them are the place, the better.
        if place < 255 {
            row.append(UInt8(place))
        } else {
            row.append(255)
            row.append(bigEndian: UInt64(place), count: 4)
        }
        row.append(kind.rawValue)
        write(&row, &companion)
        try rows.add(row.span, companion: companion.span)
        swap(&row, &spare)
        swap(&companion, &spareCompanion)
    }
}

extension ByteBuffer {
    /// Appends an integer so that its bytes have its order.
    fileprivate mutating func append(ordered number: Int64) {
        append(bigEndian: UInt64(bitPattern: number) ^ 1 << 63)
    }
}

/// Reads what findings rest on, in order.
struct FindingStream: ~Copyable {
    private var merge: RowMerge
    private var row = ByteBuffer()
    private var companion = ByteBuffer()
    /// The place and the finding of the row; nil at the end.
    private var head: (place: Int, kind: UInt8)?
    /// The place at which the key of the finding begins.
    private var keyStart = 0

    init(_ runs: [RowRun]) throws(ArchiveError) {
        let merge = try RowMerge(runs)
        self.merge = merge
    }

    /// Reads the first row. Called once, before anything is read.
    mutating func begin() throws(ArchiveError) { try advance() }

    private mutating func advance() throws(ArchiveError) {
        guard try merge.next(into: &row, companion: &companion) else { return head = nil }
        var place = Int(row.span[0])
        keyStart = 2
        if place == 255 {
            place = 0
            for index in 1..<5 { place = place << 8 | Int(row.span[index]) }
            keyStart = 6
        }
        let kind = row.span[keyStart - 1]
        head = (place, kind)
    }

    private func isAt(_ place: Int, _ kind: FindingSorter.Kind) -> Bool {
        head?.place == place && head?.kind == kind.rawValue
    }

    /// The bytes of the key behind the finding.
    private var key: [UInt8] { row.span.extracting(keyStart..<row.count).array }

    /// Returns the next version of the days of a type's divergence.
    mutating func nextVersion(_ place: Int) throws(ArchiveError) -> ComparedVersion? {
        guard isAt(place, .divergence) else { return nil }
        var reader = CompactReader(companion.span)
        let version = ComparedVersion(&reader)
        try advance()
        return version
    }

    /// Returns the next payload hash of a type that several samples have: the dates are those of the least version.
    mutating func nextPayload(_ place: Int) throws(ArchiveError) -> (
        start: Double?, end: Double?, payload: [UInt8], records: Int
    )? {
        while isAt(place, .exactDuplicate) {
            let payload = key
            var samples = 0
            var records = 0
            var (last, least): (StoredID?, UInt64) = (nil, .max)
            var dates: (start: Double?, end: Double?) = (nil, nil)
            while isAt(place, .exactDuplicate), key == payload {
                var reader = CompactReader(companion.span)
                // The rows of a sample follow each other.
                let (sample, version) = (StoredID(&reader), reader.word().byteSwapped)
                if sample != last { samples += 1 }
                last = sample
                records += 1
                if records == 1 || version < least {
                    least = version
                    dates = (reader.optional { $0.double() }, reader.optional { $0.double() })
                }
                try advance()
            }
            if samples > 1, isCarryable(payload.span) { return (dates.start, dates.end, payload, records) }
        }
        return nil
    }

    /// Returns the next late arrival of a type.
    mutating func nextLate(_ place: Int) throws(ArchiveError) -> FindingSorter.Late? {
        guard isAt(place, .lateArrival) else { return nil }
        var reader = CompactReader(companion.span)
        let (start, seen, end) = (reader.double(), reader.double(), reader.double())
        let (observation, sample, version) = (reader.integer(), reader.integer(), reader.integer())
        let isMatched = reader.byte() == 1
        var texts: [[UInt8]?] = []
        for _ in 0..<3 { texts.append(reader.byte() == 0 ? nil : reader.text()) }
        try advance()
        let found = ChangeFinding.LateArrival(
            delaySeconds: seen - start, start: start, firstSeenAt: seen, end: end,
            firstSeenObservationID: observation, payloadHash: texts[0], sampleUUIDHash: texts[1],
            strictFingerprint: texts[2])
        return FindingSorter.Late(found: found, sample: sample, version: version, isMatched: isMatched)
    }

    /// Returns the next fingerprint of a type that several payloads share.
    mutating func nextFingerprint(_ place: Int) throws(ArchiveError) -> (
        fingerprint: [UInt8], payloads: Int, records: Int
    )? {
        while isAt(place, .semanticDuplicate) {
            let fingerprint = key
            var (payloads, records) = (0, 0)
            var last: [UInt8]?
            while isAt(place, .semanticDuplicate), key == fingerprint {
                // Payloads come in order.
                let payload = companion.array
                if payload != last { payloads += 1 }
                last = payload
                records += 1
                try advance()
            }
            if payloads > 1, isCarryable(fingerprint.span) { return (fingerprint, payloads, records) }
        }
        return nil
    }

    /// Passes over what is left of a type.
    mutating func skip(_ place: Int) throws(ArchiveError) {
        while let head, head.place <= place { try advance() }
    }
}
