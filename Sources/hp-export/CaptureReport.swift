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

    /// Shows everything; the status is 1 if an observation is partial or needs review.
    func show(_ archive: Path, _ call: Call) throws -> ExitStatus {
        let voice = call.voice
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
            voice.note("metadata of other apps kept as it is: \(Self.list(Dictionary(keys, uniquingKeysWith: +)))")
        }
        if !repairs.isEmpty { voice.note("read with repairs: \(Self.list(repairs))") }
        if isDryRun { voice.note("\(archive.display): dry run: nothing was kept") }
        if let head {
            head.show(call)
        } else if !isDryRun, stop == nil {
            voice.note("\(archive.display): the newest observation is not in the history: hp-export seal adds it")
        }
        switch stop {
        case .resumable where !isDryRun: voice.note("\(archive.display): stopped; run the same command to continue")
        case .resumable, .whole: voice.note("\(archive.display): stopped; nothing was kept")
        case nil: break
        }
        return try call.show(json: json(archive), isGood: results.allSatisfy { $0.status == "completed" })
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
            "observations": results.map(Self.json), "repairs": JSONObject(repairs),
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
            "status": result.status, "unchanged": counts.unchanged, "withheld": counts.withheld,
        ]
    }
}
