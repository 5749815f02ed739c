/// The reasons why it is not known what became of a type, and the next step of a person who wants to know it.
public struct AnswerDoubts {
    /// The run of a type at an observation.
    public struct Run: Sendable {
        public let status: String
        /// The observation of the run.
        public let observation: Int64?
        /// Why it leaves the type unknown, as the archive spells it.
        public let discontinuities: [String]
        public let hasWithheld: Bool

        public init(status: String, observation: Int64?, discontinuities: [String], hasWithheld: Bool) {
            (self.status, self.observation) = (status, observation)
            (self.discontinuities, self.hasWithheld) = (discontinuities, hasWithheld)
        }
    }

    private let from, to: Int64
    /// Names an observation, after "at" and elsewhere.
    private let name: (_ id: Int64, _ isPlace: Bool) -> String
    /// Makes a text from outside safe to show.
    private let stored: (String) -> String

    public init(
        from: Int64, to: Int64, name: @escaping (_ id: Int64, _ isPlace: Bool) -> String,
        stored: @escaping (String) -> String
    ) {
        (self.from, self.to, self.name, self.stored) = (from, to, name, stored)
    }

    /// Returns the reasons of a type in words.
    ///
    /// - Parameters:
    ///   - reasons: as items spell them.
    ///   - runs: of the type; `nil` if it has none.
    public func texts(_ reasons: [String], _ runs: (from: Run?, to: Run?)) -> [String] {
        reasons.map { reason in
            switch reason {
            case "from_never_queried": "never queried up to \(name(from, false))"
            case "to_never_queried": "never queried up to \(name(to, false))"
            case "from_run_not_completed", "from_state_unknown":
                runs.from.map { text($0, at: from) } ?? "not known \(name(from, true))"
            case "to_run_not_completed", "to_state_unknown":
                runs.to.map { text($0, at: to) } ?? "not known \(name(to, true))"
            case "rejected_records_differ":
                "the records rejected \(name(from, true)) and \(name(to, true)) differ"
            default: reason.replacing("_", with: " ")
            }
        }
    }

    /// Says why it is unknown what is visible of a type at an observation.
    private func text(_ run: Run, at observation: Int64) -> String {
        guard run.status == "completed" else {
            return "run of \(run.observation.map { name($0, false) } ?? "observation -") \(stored(run.status))"
        }
        guard run.observation == observation else { return "not asked \(name(observation, true))" }
        var words = run.discontinuities.map { Self.words[$0] ?? stored($0) }
        if run.hasWithheld { words.append("withheld closures") }
        return "\(name(observation, false)): " + (words.isEmpty ? "not verified" : words.joined(separator: ", "))
    }

    /// The reasons why a run leaves a type unknown, in words.
    private static let words = [
        "anchor_broken": "its anchor is not that of the run before", "clock_backwards": "the clock ran backwards",
        "conflicts": "records contradict each other", "count_differs": "the client stated another count",
        "files_missing": "files that it names were not there", "no_anchor": "no anchor links it to the run before",
        "rejected_records": "other records were rejected than before",
    ]

    /// Says what a person can do to know it.
    ///
    /// - Parameters:
    ///   - noun: `export` or `observation`.
    ///   - rejected: the command that lists rejected records.
    public static func hint(
        _ reasons: [String], _ runs: (from: Run?, to: Run?), noun: String, rejected: String
    ) -> String {
        let discontinuities = [runs.from, runs.to].compactMap { $0 }.flatMap(\.discontinuities)
        if reasons.contains("rejected_records_differ") || discontinuities.contains("rejected_records") {
            return "the rejected records: \(rejected)"
        }
        return noun == "export"
            ? "capture the zip that the phone made, not a part of it" : "capture an observation that has the whole type"
    }
}
