import Archive
import CanonicalJSON
import Capture
import Files
import Recording
import Tool

/// What `capture` says of what it did: a note for each observation, or one JSON object
/// (`Spec/schemas/capture-result.json`).
struct CaptureReport {
    /// Whether nothing was kept.
    let isDryRun: Bool
    private var results: [Capture.Result] = []
    /// What a source has that no observation holds, by kind.
    var leftOut: [String: Int] = [:]
    /// Files that are evidence of themselves, by kind.
    var documents: [String: Int] = [:]
    /// Attributes that are not known, and kept in the metadata.
    var unknownAttributes: [String: Int] = [:]
    /// Keys of other apps' metadata whose values are kept as they are.
    var clearKeys: [String: Int] = [:]
    /// What was mended on the way in, by kind.
    var repairs: [String: Int] = [:]
    /// The head of the archive's history; nil where it is not sealed.
    var head: HistoryHead?
    /// What a signal that stopped the capture left; `nil` if none did.
    var stop: Stop?
    /// More to say.
    var notes: [String] = []

    /// What is left of a capture that a signal stopped.
    enum Stop {
        /// Pages of a feed.
        case resumable
        /// Nothing of an export.
        case whole
    }

    /// A report of nothing yet.
    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    mutating func add(_ result: Capture.Result) { results.append(result) }

    /// 1 where an observation is partial or needs review.
    var status: ExitStatus { results.allSatisfy { $0.status == "completed" } ? .good : .findings }

    /// Shows everything.
    func show(_ archive: Path, asJSON: Bool, _ voice: Voice) throws {
        for note in notes { voice.note(note) }
        for result in results { voice.note("\(archive.display): \(line(result))") }
        for (reason, count) in results.flatMap({ $0.counts.rejected.map { ($0.key, $0.value) } }).sorted(by: {
            $0.0 < $1.0
        }) {
            let place = results.compactMap { $0.counts.firstRejections[reason] }.first ?? ""
            voice.warning("\(count) records rejected: \(reason), first at \(place)")
        }
        for result in results where result.counts.withheld > 0 {
            voice.warning(
                "observation \(result.observationID): \(result.counts.withheld) records were not seen and stay "
                    + "visible, because a rejected record could be one of them; hp-export list withheld names them")
        }
        for result in results where result.daysByOffset > 0 {
            voice.note(
                "observation \(result.observationID): \(result.daysByOffset) days go by the offset of the observation, "
                    + "also those of another summer time; a time zone's name gives the local ones")
        }
        if !leftOut.isEmpty { voice.note("left out: \(Self.list(leftOut))") }
        if !documents.isEmpty { voice.note("documents, by their hashes: \(Self.list(documents))") }
        if !unknownAttributes.isEmpty { voice.note("kept, and not known: \(Self.list(unknownAttributes))") }
        if !clearKeys.isEmpty {
            let keys = clearKeys.map { ("\"\(printable($0.key.utf8))\"", $0.value) }
            voice.note(
                "metadata of other apps kept as it is: \(Self.list(Dictionary(keys, uniquingKeysWith: +)))",
            )
        }
        if !repairs.isEmpty { voice.note("read with repairs: \(Self.list(repairs))") }
        if isDryRun { voice.note("\(archive.display): dry run: nothing was kept") }
        if let head {
            HeadText.show(head, voice)
        } else if !isDryRun, stop == nil {
            voice.note("\(archive.display): the newest observation is not in the history: hp-export seal adds it")
        }
        switch stop {
        case .resumable where !isDryRun: voice.note("\(archive.display): stopped; run the same command to continue")
        case .resumable, .whole: voice.note("\(archive.display): stopped; nothing was kept")
        case nil: break
        }
        guard asJSON else { return }
        var output = try StandardOutput()
        try output.write(json(archive))
        try output.flush()
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private func line(_ result: Capture.Result) -> String {
        let counts = result.counts
        let id = "observation \(result.observationID)"
        if result.start == .compared {
            return "\(id) was captured before, and nothing differs: \(counts.records) records"
        }
        var parts = [
            "\(counts.records) records", "\(counts.appeared) appeared",
            "\(counts.representationChanged) "
                + "changed", "\(counts.disappeared) no longer visible", "\(counts.unchanged) unchanged",
        ]
        if counts.conflicts > 0 { parts.append("\(counts.conflicts) conflicts") }
        var text = "\(id) \(result.status): \(parts.joined(separator: ", "))"
        if result.start == .resumed { text += ", resumed after an interruption" }
        if let known = result.goesBeyond { text += ", more than observation \(known) of the same date" }
        for ended in result.endedBefore { text += "; observation \(ended) never ended and is partial_interrupted" }
        return text
    }

    private func json(_ archive: Path) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.key("archive")
        json.string(archive.display)
        Self.put("clear_metadata_keys", clearKeys, to: &json)
        Self.put("documents", documents, to: &json)
        json.key("dry_run")
        json.bool(isDryRun)
        if let head { HeadText.write(head, to: &json) }
        Self.put("left_out", leftOut, to: &json)
        json.key("observations")
        json.beginArray()
        for result in results { write(result, to: &json) }
        json.endArray()
        Self.put("repairs", repairs, to: &json)
        Self.put("unknown_attributes", unknownAttributes, to: &json)
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    private func write(_ result: Capture.Result, to json: inout Writer) {
        let counts = result.counts
        let members: [(Key, Int)] = [
            ("appeared", counts.appeared), ("conflicts", counts.conflicts),
            ("correlation_member_only", counts.correlationMembersOnly), ("days_by_offset", result.daysByOffset),
            ("deleted_objects", counts.deletedObjects),
            ("disappeared", counts.disappeared), ("ended_relationships", counts.endedRelationships),
            ("gone_documents", counts.goneDocuments), ("new_documents", counts.newDocuments),
            ("new_relationships", counts.newRelationships),
            ("new_samples", counts.newSamples), ("new_versions", counts.newVersions),
        ]
        json.beginObject()
        for (key, count) in members {
            json.key(key)
            json.integer(Int64(count))
        }
        json.key("observation_id")
        json.integer(result.observationID)
        json.key("records")
        json.integer(Int64(counts.records))
        Self.put("rejected", counts.rejected, to: &json)
        json.key("representation_changed")
        json.integer(Int64(counts.representationChanged))
        json.key("start")
        json.string(result.start == .new ? "new" : result.start == .resumed ? "resumed" : "compared")
        json.key("status")
        json.string(result.status)
        json.key("unchanged")
        json.integer(Int64(counts.unchanged))
        json.key("withheld")
        json.integer(Int64(counts.withheld))
        json.endObject()
    }

    private static func put(_ key: Key, _ counts: [String: Int], to json: inout Writer) {
        json.key(key)
        json.beginObject()
        for (name, count) in counts.sorted(by: { Array($0.key.utf16).lexicographicallyPrecedes(Array($1.key.utf16)) }) {
            json.key(Key(name))
            json.integer(Int64(count))
        }
        json.endObject()
    }
}
