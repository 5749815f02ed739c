package import Archive
internal import Changes
internal import CanonicalJSON
internal import Days
internal import Timestamps

/// An export as its record, or the header of a file, names it: enough to ask an archive for it again.
package struct ExportQuestion: Sendable {
    /// The id of the export that is meant.
    let exportID: String
    let kind: ExportKind
    let scope: Scope
    let thresholds: [Threshold: Double]?
    let days: DayQuestion?
    /// Name and version of the tool that made the export.
    package let generator: (name: String, version: String)
    /// The entry of the history that the header carries, if that is known.
    let history: HistoryHead?

    /// `true` if this version of these tools made the export.
    package var isOfThisVersion: Bool { generator == (Generator.name, Generator.version) }

    /// `true` if each item is one of a sample.
    package var hasRecordedItems: Bool { kind.hasRecordedItems }

    /// Reads a question; `nil` if these tools do not ask it, or its parts contradict each other.
    ///
    /// - Parameter filterJSON: `filter`, `generator` and `scope` of the header, as a record keeps them.
    package init?(
        exportID: String, kind: String, from: Int64?, to: Int64?, filterJSON: [UInt8]?, history: HistoryHead? = nil
    ) {
        guard let kind = ExportKind(rawValue: kind), let question = filterJSON.flatMap(RecordedQuestion.init),
            let scope = question.scope(kind, from: from, to: to)
        else { return nil }
        (self.exportID, self.kind, self.scope, self.history) = (exportID, kind, scope, history)
        thresholds = question.thresholds
        days = question.days
        generator = (question.generatorName, question.generatorVersion)
    }

    /// The question of an export that is being made.
    init(_ request: ExportRequest, exportID: String) {
        (self.exportID, kind, scope, thresholds) = (exportID, request.kind, request.scope, request.thresholds)
        days = request.days
        generator = (Generator.name, Generator.version)
        history = nil
    }
}

/// The question of an export, read from the `filter_json` of its record: `{"filter":{…},"generator":{…},"scope":{…}}`
/// (`Spec/bundle.md`, Recorded exports).
struct RecordedQuestion {
    private(set) var filter = Filter()
    private(set) var generatorName = ""
    private(set) var generatorVersion = ""
    private(set) var mode = Scope.Mode.pointInTime
    /// The kinds of change of a change set.
    private(set) var changes: [ChangeSelection]?
    /// The labels of a change set.
    private(set) var labels: [WindowLabel]?
    /// The thresholds of the labels or findings.
    private(set) var thresholds: [Threshold: Double]?
    /// The question of a day report.
    private(set) var days: DayQuestion?

    /// Reads a record's question; nil where it is not one that these tools write.
    init?(_ text: [UInt8]) {
        var reader = Reader(.canonical)
        var lists: [String: [String]] = [:]
        var texts: [String: String] = [:]
        var numbers: [String: Double] = [:]
        var flags: Set<String> = []
        var path: [String] = []
        do throws(JSONError) {
            while true {
                switch try reader.next(in: text.span) {
                case .end:
                    guard Self.names.isSuperset(of: lists.keys), Self.names.isSuperset(of: texts.keys),
                        Self.flags.isSuperset(of: flags)
                    else { return nil }
                    guard read(texts, lists, numbers, flags) else { return nil }
                    return
                case .beginObject: if path.count > 2 { return nil }
                case .beginArray: lists[path.joined(separator: "/")] = []
                case .endArray, .endObject: _ = path.popLast()
                case .key(let key): path.append(Self.text(key, text, reader))
                case .string(let contents):
                    let name = path.joined(separator: "/")
                    let value = Self.text(contents, text, reader)
                    if lists[name] != nil {
                        lists[name]?.append(value)
                    } else {
                        texts[name] = value
                        _ = path.popLast()
                    }
                case .number(let range):
                    numbers[path.joined(separator: "/")] = reader.double(range, in: text.span)
                    _ = path.popLast()
                case .true:
                    flags.insert(path.joined(separator: "/"))
                    _ = path.popLast()
                case .false, .null: return nil
                }
            }
        } catch {
            return nil
        }
    }

    /// Returns the scope; `nil` if its parts contradict each other.
    func scope(_ kind: ExportKind, from: Int64?, to: Int64?) -> Scope? {
        let isOfVersions = kind == .versionTable
        guard let to, mode == .history || !isOfVersions, (mode == .changes) == (from != nil),
            (days != nil) == (kind == .dayReport)
        else { return nil }
        guard days == nil || (mode == .pointInTime && !filter.isOverlapping && !filter.isWithRelated) else {
            return nil
        }
        guard let from else {
            return Scope(mode: mode, observationID: to, filter: filter, isOfVersions: isOfVersions)
        }
        return Scope(changesFrom: from, to: to, kinds: changes, labels: labels, filter: filter)
    }

    private static let names: Set = [
        "filter/sample_types", "filter/since", "filter/source_names", "filter/sources", "filter/until",
        "generator/name", "generator/version", "scope/changes", "scope/labels", "scope/method", "scope/mode",
        "scope/period", "scope/preferred", "scope/zone/basis", "scope/zone/rules_hash",
    ]

    private static let flags: Set = ["filter/overlapping", "filter/with_related"]

    private mutating func read(
        _ texts: [String: String], _ lists: [String: [String]], _ numbers: [String: Double], _ flags: Set<String>
    ) -> Bool {
        guard let name = texts["generator/name"], let version = texts["generator/version"],
            let mode = texts["scope/mode"].flatMap({ Scope.Mode(rawValue: $0) })
        else { return false }
        var bounds: [Double?] = []
        for bound in ["filter/since", "filter/until"] {
            let text = texts[bound]
            let moment = text.flatMap { TimestampReader.moment(in: $0.utf8Span.span)?.unixSeconds }
            guard (text == nil) == (moment == nil) else { return false }
            bounds.append(moment)
        }
        guard mode == .pointInTime || !flags.contains("filter/with_related") else { return false }
        let isOverlapping = flags.contains("filter/overlapping")
        guard !isOverlapping || bounds.contains(where: { $0 != nil }) else { return false }
        filter = Filter(
            sampleTypes: lists["filter/sample_types"], since: bounds[0], sources: lists["filter/sources"],
            until: bounds[1], isOverlapping: isOverlapping, sourceNames: lists["filter/source_names"],
            isWithRelated: flags.contains("filter/with_related"))
        (generatorName, generatorVersion, self.mode) = (name, version, mode)
        changes = lists["scope/changes"]?.compactMap { ChangeSelection(rawValue: $0) }
        labels = lists["scope/labels"]?.compactMap { WindowLabel(rawValue: $0) }
        for (name, value) in numbers where name.hasPrefix("scope/thresholds/") {
            let known = Threshold(rawValue: String(name.dropFirst("scope/thresholds/".utf8.count)))
            guard let threshold = known, threshold.accepts(value) else { return false }
            thresholds = (thresholds ?? [:]).merging([threshold: value]) { $1 }
        }
        guard readDays(texts, lists["scope/preferred"]) else { return false }
        return changes?.count == lists["scope/changes"]?.count && labels?.count == lists["scope/labels"]?.count
    }

    /// Reads what a day report was asked for; `false` if a part of it is missing.
    private mutating func readDays(_ texts: [String: String], _ preferred: [String]?) -> Bool {
        let (method, period) = (texts["scope/method"], texts["scope/period"])
        guard method != nil || period != nil || preferred != nil || texts["scope/zone/basis"] != nil else {
            return true
        }
        guard let method = method.flatMap({ DayQuestion.Method(rawValue: $0) }),
            let period = period.flatMap({ DayQuestion.Period(rawValue: $0) })
        else { return false }
        days = DayQuestion(method: method, period: period, preferred: preferred ?? [])
        return true
    }

    private static func text(_ contents: StringContents, _ text: [UInt8], _ reader: Reader) -> String {
        var bytes: [UInt8] = []
        reader.unescape(contents, in: text.span, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
