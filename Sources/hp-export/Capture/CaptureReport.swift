import Answer
import AppleHealth
import Archive
import CanonicalJSON
import Capture
import Changes
import Files
import Recording
import Timestamps
import Tool

/// The report of `capture`: a few lines for people, or one JSON object (`Spec/schemas/capture-result.json`).
struct CaptureReport {
    /// `true` if nothing was kept.
    let isDryRun: Bool
    /// `true` if everything that was noticed is printed.
    private let isVerbose: Bool
    /// `true` if the lines for people are left out.
    private let isQuiet: Bool
    private var results: [(source: String, result: Capture.Result)] = []
    /// The unknown contents of a source, a line each.
    private var unknown: [String] = []
    /// Exports that are only the XML.
    private var withoutFiles: [String] = []
    /// The zone of this computer, if days go by an offset that it has, too.
    private var zone: String?
    /// The contents of a source that no observation holds, by kind.
    var leftOut: [String: Int] = [:]
    /// Files that are evidence of themselves, by kind.
    var documents: [String: Int] = [:]
    /// Attributes that are not known, and kept in the metadata.
    var unknownAttributes: [String: Int] = [:]
    /// Keys of other apps' metadata whose values are kept as they are.
    var clearKeys: [String: Int] = [:]
    /// The repairs on the way in, by kind.
    var repairs: [String: Int] = [:]
    /// `false` after an error: then nobody looked for the head.
    var hasEnded = true
    /// The head of the archive's history; nil where it is not sealed.
    var head: HistoryHead?
    /// The state that a signal that stopped the capture left; `nil` if none did.
    var stop: Stop?
    /// The state of a capture that a signal stopped.
    enum Stop {
        /// Pages of a feed.
        case resumable
        /// Nothing of a source that can be read again; its kind.
        case whole(String)
    }

    /// A report of nothing yet.
    init(isDryRun: Bool, isVerbose: Bool, isQuiet: Bool) {
        (self.isDryRun, self.isVerbose, self.isQuiet) = (isDryRun, isVerbose, isQuiet)
    }

    /// `true` if no observation ended yet.
    var isEmpty: Bool { results.isEmpty }

    /// Adds an observation that ended.
    mutating func add(_ result: Capture.Result, from source: String) { results.append((source, result)) }

    /// Adds what was noticed while an export was read.
    mutating func add(_ reader: AppleHealthReader, named name: String) async {
        switch await reader.outcome {
        case .malformed(let line, let byte):
            unknown.append("\(name) cannot be read behind line \(line), byte \(byte)")
        case .truncated: unknown.append("\(name) ends early")
        case .complete, nil: break
        }
        if await reader.isXMLAlone { withoutFiles.append(name) }
        for (kind, count) in await reader.leftOut.sorted { leftOut[kind, default: 0] += count }
        for (name, count) in await reader.repairs.named where count > 0 { repairs[name, default: 0] += count }
        let account = await reader.account
        for document in account.documents ?? [] { documents[document.kind, default: 0] += 1 }
        for unknown in account.unknownNames where unknown.kind == "attribute" {
            unknownAttributes[unknown.name, default: 0] += unknown.count
        }
        for (key, count) in await reader.clearKeys { clearKeys[key, default: 0] += count }
        let count = await reader.unknownValueCount
        if count > 0 { repairs["unknown_value", default: 0] += count }
    }

    /// Proposes the zone of this computer for days that go by an offset.
    mutating func proposeZone(at moment: Int64, offset: Int64) {
        guard let name = ZoneFiles.localName, ZoneFiles.rules(name)?.offset(at: moment) == offset else { return }
        zone = printable(name, limit: 64)
    }

    /// Shows everything; the status is 1 if an observation is partial or needs review.
    func show(_ archive: Path, _ call: Call) throws -> ExitStatus {
        let voice = call.voice
        let words = try AnswerWords(call)
        if isVerbose { for line in details(archive, words) { voice.note(line) } }
        let results = results.map(\.result)
        for (reason, count) in results.flatMap({ $0.counts.rejected.map { ($0.key, $0.value) } }).sorted(by: {
            $0.0 < $1.0
        }) {
            let place = results.compactMap { $0.counts.firstRejections[reason] }.first ?? ""
            voice.warning("\(AnswerNumbers.records(count)) rejected: \(reason), first at \(place)")
        }
        for result in results where result.counts.withheld > 0 {
            let isOne = result.counts.withheld == 1
            voice.warning(
                "observation \(result.observationID): \(AnswerNumbers.records(result.counts.withheld)) "
                    + (isOne ? "was not seen and stays" : "were not seen and stay")
                    + " visible, because a rejected record could be \(isOne ? "it" : "one of them"); "
                    + "hp-export list withheld names \(isOne ? "it" : "them")")
        }
        for note in zoneNotes { voice.note(note) }
        if isVerbose, let head { head.show(call) }
        if head == nil, hasEnded, !isDryRun, stop == nil, !results.isEmpty {
            voice.note("\(archive.display): the newest observation is not in the history: hp-export seal adds it")
        }
        let status = try call.show(
            isQuiet ? nil : text(words), json: json(archive),
            isGood: results.allSatisfy { $0.status == "completed" })
        switch stop {
        case .resumable where !isDryRun: voice.note("\(archive.display): stopped; run the same command to continue")
        case .whole(let noun) where !isDryRun:
            voice.note(
                "\(archive.display): stopped; nothing was kept of this \(noun); run the same command to continue")
        case .resumable, .whole: voice.note("\(archive.display): stopped; nothing was kept")
        case nil: break
        }
        return status
    }

    /// Returns the notes, a line each.
    private func details(_ archive: Path, _ words: AnswerWords) -> [String] {
        var lines = results.map { "\(archive.display): \(line($0.result))" }
        lines += unknownLines(words).map { "not known: \(AnswerLines.plain($0))" }
        for (_, result) in results where result.daysByOffset > 0 {
            lines.append(
                "observation \(result.observationID): \(result.daysByOffset) days go by the offset of the observation, "
                    + "also those of another summer time; a time zone's name gives the local ones")
        }
        if !leftOut.isEmpty { lines.append("left out: \(Self.list(leftOut))") }
        if !documents.isEmpty { lines.append("documents, by their hashes: \(Self.list(documents))") }
        if !unknownAttributes.isEmpty { lines.append("kept, and not known: \(Self.list(unknownAttributes))") }
        if !clearKeys.isEmpty {
            let keys = clearKeys.map { ("\"\(printable($0.key.utf8))\"", $0.value) }
            lines.append("metadata of other apps kept as it is: \(Self.list(Dictionary(keys, uniquingKeysWith: +)))")
        }
        if !repairs.isEmpty { lines.append("read with repairs: \(Self.list(repairs))") }
        if isDryRun { lines.append("\(archive.display): dry run: nothing was kept") }
        return lines
    }

    /// The notes on unknown zones, once for each name and offset.
    private var zoneNotes: [String] {
        var notes: [String] = []
        for problem in results.compactMap(\.result.zoneProblem) {
            let reason =
                switch problem.reason {
                case .unknown: "is unknown on this machine"
                case .otherOffset: "has another offset here than the source states"
                }
            let offset = TimeZoneRules.name(ofOffset: problem.seconds)
            let note = "time zone \(printable(problem.name, limit: 64)) \(reason): days go by \(offset)"
            if !notes.contains(note) { notes.append(note) }
        }
        return notes
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private func line(_ result: Capture.Result) -> String {
        let counts = result.counts
        let id = "observation \(result.observationID)"
        if result.start == .compared {
            let end = ["running", "started"].contains(result.status) ? "; it has more, and stays \(result.status)" : ""
            return "\(id) was captured before, and nothing differs: \(counts.records) records\(end)"
        }
        var parts = [
            "\(counts.records) records", "\(counts.appeared) appeared",
            "\(counts.representationChanged) "
                + "changed", "\(counts.disappeared) no longer visible", "\(counts.unchanged) unchanged",
        ]
        if counts.conflicts > 0 { parts.append("\(counts.conflicts) conflicts") }
        let links = result.links
        let changed = [
            (links.appeared, "appeared"), (links.changed, "changed"), (links.disappeared, "no longer visible"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !changed.isEmpty { parts.append("links: \(changed.joined(separator: ", "))") }
        var text = "\(id) \(result.status): \(parts.joined(separator: ", "))"
        if result.start == .resumed { text += ", resumed after an interruption" }
        if let known = result.goesBeyond { text += ", more than observation \(known) of the same date" }
        for ended in result.endedBefore { text += "; observation \(ended) never ended and is partial_interrupted" }
        return text
    }

    private func json(_ archive: Path) -> JSONObject {
        [
            "archive": archive.display, "clear_metadata_keys": JSONObject(clearKeys),
            "documents": JSONObject(documents), "dry_run": isDryRun, "head": head, "left_out": JSONObject(leftOut),
            "observations": results.map { Self.json($0.result) }, "repairs": JSONObject(repairs),
            "unknown_attributes": JSONObject(unknownAttributes),
        ]
    }

    private static func json(_ result: Capture.Result) -> JSONObject {
        let counts = result.counts
        return [
            "appeared": counts.appeared, "conflicts": counts.conflicts,
            "correlation_member_only": counts.correlationMembersOnly, "days_by_offset": result.daysByOffset,
            "deleted_objects": counts.deletedObjects, "disappeared": counts.disappeared,
            "ended_relationships": counts.endedRelationships, "gone_documents": counts.goneDocuments,
            "new_documents": counts.newDocuments, "new_relationships": counts.newRelationships,
            "new_samples": counts.newSamples, "new_versions": counts.newVersions,
            "observation_id": result.observationID, "records": counts.records,
            "rejected": JSONObject(counts.rejected), "representation_changed": counts.representationChanged,
            "start": result.start == .new ? "new" : result.start == .resumed ? "resumed" : "compared",
            "status": result.status, "time_zone_problem": result.zoneProblem?.reason.rawValue,
            "unchanged": counts.unchanged, "withheld": counts.withheld,
        ]
    }
}

/// The lines for people: what was captured, what is new, gone and changed, and the next command.
extension CaptureReport {
    private typealias TypeCounts = ObservationSummary.TypeCounts

    /// Returns two lines for each observation, the unknown contents, and the next command; `nil` if nothing was
    /// captured.
    private func text(_ words: AnswerWords) -> String? {
        guard !results.isEmpty else { return nil }
        var lines = AnswerLines()
        for (source, result) in results {
            let summary = result.summary, records = AnswerNumbers.records(summary.visible)
            let types = AnswerNumbers.counted(summary.types.count { $0.visible > 0 }, "type")
            let what = "\(source) of \(Self.day(summary.date))"
            guard result.start != .compared else {
                lines.add("Captured", ["\(what) was captured before, and nothing differs"])
                continue
            }
            lines.add(isDryRun ? "Dry run" : "Captured", ["\(what): \(records) of \(types)\(Self.status(result))"])
            lines.add("Changes", [Self.changes(result)])
            if result.links.total > 0, summary.dateBefore != nil { lines.add("Links", [Self.changes(result.links)]) }
        }
        lines.add("Not known", unknownLines(words))
        if let zone, let offset = results.last?.result.summary.date.offset {
            let name = TimeZoneRules.name(ofOffset: offset)
            lines.add("Days", ["\(name) all year; this computer's zone: --time-zone\u{0}\(zone)"])
        }
        lines.add(
            "Next",
            [
                isDryRun
                    ? "the same without --dry-run: nothing was kept" : words.command("diff", "", options: "--summary")
            ])
        return lines.text
    }

    /// Returns the unknown contents of the sources, a line each.
    private func unknownLines(_ words: AnswerWords) -> [String] {
        var lines = unknown
        let rejected = results.reduce(0) { $0 + $1.result.counts.rejected.values.reduce(0, +) }
        if rejected > 0 {
            lines.append("rejected: " + words.rejected(rejected))
        }
        if let name = withoutFiles.first {
            let more = withoutFiles.count - 1
            let have = more == 0 ? "\(name) has" : "\(name) and \(more) more have"
            lines.append("ECGs, routes and documents: \(have) only the XML")
        }
        return lines
    }

    private static func changes(_ result: Capture.Result) -> String {
        let summary = result.summary
        guard summary.dateBefore != nil else {
            let most = most(summary.types, \.visible).map { "; most: \($0)" } ?? ""
            return "nothing to compare yet\(most)"
        }
        func part(_ count: KeyPath<TypeCounts, Int>, _ word: String) -> String {
            let total = summary.types.reduce(0) { $0 + $1[keyPath: count] }
            guard total > 0 else { return "none \(word)" }
            return "\(AnswerNumbers.text(total)) \(word)\(most(summary.types, count).map { " (\($0))" } ?? "")"
        }
        return [part(\.appeared, "new"), part(\.disappeared, "gone"), part(\.changed, "changed")]
            .joined(separator: ", ")
    }

    private static func changes(_ links: LinkCounts) -> String {
        [(links.appeared, "new"), (links.disappeared, "gone"), (links.changed, "changed")]
            .filter { $0.0 > 0 }.map { "\(AnswerNumbers.text($0.0)) \($0.1)" }.joined(separator: ", ")
    }

    /// Returns the type that has most of a count, and how many; `nil` if none has any.
    private static func most(_ types: [TypeCounts], _ count: KeyPath<TypeCounts, Int>) -> String? {
        guard let most = types.max(by: { $0[keyPath: count] < $1[keyPath: count] }), most[keyPath: count] > 0 else {
            return nil
        }
        let name = AnswerWords.type(String(decoding: most.type, as: UTF8.self))
        let isAll = types.allSatisfy { $0.type == most.type || $0[keyPath: count] == 0 }
        return isAll ? name : "\(AnswerNumbers.text(most[keyPath: count])) of \(name)"
    }

    private static func status(_ result: Capture.Result) -> String {
        result.status == "completed" ? "" : ", \(result.status.replacing("_", with: " "))"
    }

    /// Returns the local date of a moment.
    private static func day(_ moment: ObservationSummary.LocalMoment) -> String {
        let day = ((moment.seconds + Double(moment.offset)) / 86_400).rounded(.down)
        return Int64(exactly: day).map { AnswerDates.text($0) } ?? "an unknown date"
    }
}
