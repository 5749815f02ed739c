internal import CanonicalJSON
internal import Manifest
internal import Recording

/// Turns the lines of a feed into steps: checks their order, collects content into pages.
struct FeedInterpreter: ~Copyable {
    private var line = FeedLine()
    private var order = FeedOrder()
    private var content: FeedContent
    private var pageHash = SHA256()
    private var hashes: PrivateHasher

    init(_ secret: ArchiveSecret, _ rules: CaptureRules, keepsNames: Bool = false) {
        content = FeedContent(secret, rules, keepsNames: keepsNames)
        hashes = PrivateHasher(secret)
    }

    /// `true` if an observation has begun and not ended.
    var isInObservation: Bool { order.isInObservation }
    /// Names of sources and devices, where they are kept.
    var keptNames: KeptNames? { content.builder.keptNames }
    /// `true` if the first line has come.
    var hasBegun: Bool { order.hasBegun }

    /// Takes a line with its LF. Most lines of content make no step; the line that ends their page does.
    mutating func interpret(_ bytes: Span<UInt8>, number: Int) throws(FeedFault) -> CaptureStep? {
        let text = bytes.extracting(0..<bytes.count - 1)
        try line.read(text, known: content.objects)
        let kind = line.kind
        try order.admit(kind, size: bytes.count)
        if kind.isContent { pageHash.update(bytes) }
        switch kind {
        case .sample: try content.addSample(line, text, order, number: number)
        case .deleted: try content.addDeleted(line, text, order)
        case .relationship: try content.addRelationship(line, text, order)
        case .feed: try beginFeed(text)
        case .observation: return try beginObservation(text)
        case .run: return try beginRun(text)
        case .page: return try endPage(text)
        case .runEnd: return try endRun(text)
        case .observationEnd: return try endObservation(text)
        }
        return nil
    }

    private mutating func beginFeed(_ text: Span<UInt8>) throws(FeedFault) {
        guard try FeedValues.text(line, .format, text)?.elementsEqual("healthprobe-feed".utf8) == true else {
            throw FeedFault(.format, "not healthprobe-feed")
        }
        guard case .value(1) = try FeedValues.wholeNumber(line, .formatVersion, text) else {
            throw FeedFault(.formatVersion, "not a version that is known")
        }
        order.beginFeed()
    }

    private mutating func beginObservation(_ text: Span<UInt8>) throws(FeedFault) -> CaptureStep {
        guard case .moment(let observedAt) = try FeedContent.timestamp(line, .observedAt, text) else {
            throw FeedFault(.observedAt, "no moment of the years 1 to 9999")
        }
        var facts = ObservationFacts(
            observedAt: PageBuilder.seconds(observedAt),
            triggerReason: try FeedValues.requiredName(line, .triggerReason, text))
        facts.appVersion = try FeedValues.text(line, .appVersion, text)
        facts.operatingSystemVersion = try FeedValues.text(line, .osVersion, text)
        facts.timeZoneIdentifier = try FeedValues.name(line, .timeZoneIdentifier, text)
        facts.timeZoneSecondsFromGMT = try FeedValues.integer(line, .timeZoneOffset, text, in: -86_399...86_399)
        facts.selectedTypes = try selectedTypes(text)
        order.beginObservation()
        return .beginObservation(facts)
    }

    private func selectedTypes(_ text: Span<UInt8>) throws(FeedFault) -> [[UInt8]]? {
        guard let value = line.value(.selectedTypes) else { return nil }
        guard case .array(let range) = value else { throw FeedFault(.selectedTypes, "not an array") }
        let array = text.extracting(range)
        var reader = Reader(.json, acceptsOverflow: true)
        var types: [[UInt8]] = []
        _ = FeedValues.next(&reader, in: array)
        while true {
            let token = FeedValues.next(&reader, in: array)
            if token == .endArray { return types }
            let place = "\(types.count)"
            guard case .string(let contents) = token else { throw FeedFault(.selectedTypes, place, "not a text") }
            guard types.count < FeedValues.typesLimit else {
                throw FeedFault(.selectedTypes, "more than \(FeedValues.typesLimit) types")
            }
            var type: [UInt8] = []
            reader.unescape(contents, in: array, into: &type)
            guard !type.isEmpty else { throw FeedFault(.selectedTypes, place, "empty") }
            guard FeedValues.isShort(type.span, FeedValues.nameLimit) else {
                throw FeedFault(.selectedTypes, place, "longer than \(FeedValues.nameLimit) characters")
            }
            types.append(type)
        }
    }

    private mutating func beginRun(_ text: Span<UInt8>) throws(FeedFault) -> CaptureStep {
        let type = try FeedValues.requiredName(line, .sampleType, text)
        guard
            let mode: RunFacts.Mode = try FeedValues.word(
                line, .mode, text, [("anchored", .anchored), ("full_scan", .fullScan)])
        else { throw FeedFault(.mode, "missing") }
        var facts = RunFacts(sampleType: type, mode: mode)
        facts.category = try FeedValues.name(line, .category, text)
        facts.displayName = try FeedValues.text(line, .displayName, text)
        facts.anchorBefore = try FeedValues.base64(line, .anchorBefore, text)
        facts.anchorProblem = try FeedValues.word(
            line, .anchorProblem, text, [("missing", .missing), ("corrupt", .corrupt), ("rejected", .rejected)])
        if facts.anchorProblem != nil, mode != .fullScan {
            throw FeedFault(
                .mode,
                "not a full scan, and the anchor has a problem")
        }
        try order.beginRun(type)
        return .beginRun(facts)
    }

    private mutating func endPage(_ text: Span<UInt8>) throws(FeedFault) -> CaptureStep {
        guard let number = try FeedValues.integer(line, .number, text, in: 1...9_007_199_254_740_991) else {
            throw FeedFault(.number, "missing")
        }
        try order.endPage(number)
        return .page(content.finishPage(), number: Int(number), digest: Array(pageHash.finish().hex.utf8))
    }

    private mutating func endRun(_ text: Span<UInt8>) throws(FeedFault) -> CaptureStep {
        let type = try FeedValues.requiredName(line, .sampleType, text)
        let statuses: [(String, RunEnd.Status)] = [
            ("completed", .completed), ("failed", .failed), ("unauthorized", .unauthorized), ("timed_out", .timedOut),
        ]
        guard let status = try FeedValues.word(line, .status, text, statuses) else {
            throw FeedFault(.status, "missing")
        }
        var end = RunEnd(sampleType: type, status: status)
        end.anchorAfter = try FeedValues.base64(line, .anchorAfter, text)
        if end.anchorAfter != nil, status != .completed {
            throw FeedFault(
                .anchorAfter,
                "an anchor of a run that did not complete")
        }
        end.verifiedVisibleCount = try FeedValues.integer(
            line, .verifiedVisibleCount, text, in: 0...9_007_199_254_740_991)
        end.errorKind = try FeedValues.code(line, .errorKind, text)
        if let message = try FeedValues.text(line, .errorMessage, text) {
            end.errorMessageHash = Array(hashes.digest(of: message.span, in: .errorMessage).hex.utf8)
        }
        try order.endRun(type)
        return .endRun(end)
    }

    private mutating func endObservation(_ text: Span<UInt8>) throws(FeedFault) -> CaptureStep {
        let statuses: [(String, SourceEnd)] = [
            ("completed", .complete), ("failed", .failed), ("cancelled", .cancelled),
        ]
        guard let end = try FeedValues.word(line, .status, text, statuses) else { throw FeedFault(.status, "missing") }
        try order.endObservation(isCompleted: end == .complete)
        return .endObservation(end)
    }
}
