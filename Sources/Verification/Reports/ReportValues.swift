internal import CanonicalJSON
internal import Timestamps

/// The numbers, texts and flags of an object without faults, by the names that lead to them: `before.record_count`.
///
/// Of arrays, only those of a comparison are looked at, while they go by; of texts the first are kept.
struct ReportValues: Sendable {
    private enum Value {
        case number(Double, Int64?)
        case text([UInt8])
        case flag(Bool)
    }

    private var values: [String: Value] = [:]
    /// `reasons`, `against` and `look_alikes`, where they are there.
    private(set) var lists: [String: WindowTexts] = [:]
    /// `parts` of either side.
    private(set) var parts: [String: PartList] = [:]
    /// `buckets` of a calendar; nil where there is none.
    private(set) var calendar: CalendarSums?
    /// `sources`; nil where there is no such member.
    private(set) var sources: SourceSums?

    /// No values.
    init() {}

    /// Reads an object; of members in `holders`, by their path, nothing but these.
    init(_ object: Span<UInt8>, holds holders: [String] = []) {
        var reader = Reader(.canonical)
        // The object was read before, so that nothing can be thrown.
        try? readMembers(object, &reader, holders)
    }

    private mutating func readMembers(_ object: Span<UInt8>, _ reader: inout Reader, _ holders: [String])
        throws(JSONError)
    {
        var path: [String] = []
        var name = ""
        _ = try reader.next(in: object)
        while true {
            switch try reader.next(in: object) {
            case .key(let key):
                name = String(decoding: key.range.map { object[$0] }, as: UTF8.self)
                guard path.count < holders.count, holders[path.count] != name else { continue }
                _ = try reader.skipValue(in: object)
            case .beginObject: path.append(name)
            case .endObject:
                if path.isEmpty { return }
                path.removeLast()
            case .beginArray: try readArray(path + [name], object, &reader)
            case .number(let range):
                values[Self.joined(path, name)] = .number(
                    reader.double(range, in: object), reader.integer(range, in: object))
            case .string(let text):
                var bytes: [UInt8] = []
                reader.unescape(text, in: object, into: &bytes)
                values[Self.joined(path, name)] = .text(bytes)
            case .true: values[Self.joined(path, name)] = .flag(true)
            case .false: values[Self.joined(path, name)] = .flag(false)
            default: return
            }
        }
    }

    private static func joined(_ path: [String], _ name: String) -> String {
        path.isEmpty ? name : path.joined(separator: ".") + "." + name
    }

    private mutating func readArray(_ path: [String], _ object: Span<UInt8>, _ reader: inout Reader) throws(JSONError) {
        let depth = reader.depth
        let name = path.joined(separator: ".")
        let isList = path.count == 1 && WindowTexts.names.contains(name)
        let isParts = path.count == 2 && path[1] == "parts"
        let isCalendar = path == ["calendar", "buckets"]
        if isCalendar { calendar = CalendarSums() }
        if name == "sources" { sources = SourceSums() }
        if isList { lists[name] = WindowTexts() }
        if isParts { parts[path[0]] = PartList() }
        while true {
            switch try reader.next(in: object) {
            case .string(let text) where isList && reader.depth == depth:
                lists[name]!.add(String(decoding: text.range.map { object[$0] }, as: UTF8.self))
            case .beginObject where name == "sources" && reader.depth == depth + 1:
                try sources?.readEntry(object, &reader)
            case .beginObject where isParts && reader.depth == depth + 1:
                try parts[path[0]]!.readEntry(object, &reader)
            case .beginObject where isCalendar && reader.depth == depth + 1:
                try calendar?.readEntry(object, &reader)
            case .endArray where reader.depth < depth: return
            case .end: return
            default: break
            }
        }
    }

    /// A number, as a double.
    func number(_ name: String) -> Double? { if case .number(let value, _) = values[name] { value } else { nil } }
    /// A count.
    func count(_ name: String) -> Int64? { if case .number(_, let value) = values[name] { value } else { nil } }
    /// A text.
    func text(_ name: String) -> [UInt8]? { if case .text(let bytes) = values[name] { bytes } else { nil } }
    /// A flag.
    func flag(_ name: String) -> Bool? { if case .flag(let value) = values[name] { value } else { nil } }
    /// The double that a timestamp stands for.
    func seconds(_ name: String) -> Double? { text(name).flatMap { TimestampReader.moment(in: $0.span)?.unixSeconds } }
}

/// An array of texts that are to be sorted, each there once.
struct WindowTexts: Sendable {
    static let names = ["against", "look_alikes", "reasons", "standing_reasons"]
    /// The first of them.
    private(set) var texts: [String] = []
    private(set) var areSorted = true
    private var last: String?

    mutating func add(_ text: String) {
        if let last, last >= text { areSorted = false }
        last = text
        if texts.count < 16 { texts.append(text) }
    }
}

/// `parts` of a side: seconds, records and what workouts state, by value.
struct PartList: Sendable {
    /// What the records of an entry state.
    struct Stated: Sendable {
        var sum: Double?
        var count: Int64?
    }

    private(set) var distances: [Int64: Stated] = [:]
    private(set) var energies: [Int64: Stated] = [:]
    /// Whether an entry says that more records state something than it has.
    private(set) var areCountsOver = false
    /// Whether an entry has a sum without a count.
    private(set) var areSumsAlone = false
    private(set) var seconds: [Int64: Double] = [:]
    private(set) var records: [Int64: Int64] = [:]
    /// Records of all; nil where that is no number that a count has.
    private(set) var recordCount: Int64? = 0
    private(set) var areSorted = true
    private var last: Int64?

    /// Whether an entry states something of workouts.
    var areWorkouts: Bool {
        distances.values.contains { $0.count != nil } || energies.values.contains { $0.count != nil }
    }

    /// What all records of an entry state together; nil where one does not.
    func stated(_ value: Int64) -> [Double?] {
        [distances, energies].map { $0[value]?.count == records[value] ? $0[value]?.sum : nil }
    }

    /// Reads the rest of an entry whose bracket was read.
    mutating func readEntry(_ object: Span<UInt8>, _ reader: inout Reader) throws(JSONError) {
        var (name, length, count): (String, Double?, Int64) = ("", nil, 0)
        var value: Int64 = 0
        var (distance, energy) = (Stated(), Stated())
        while true {
            switch try reader.next(in: object) {
            case .key(let contents): name = String(decoding: contents.range.map { object[$0] }, as: UTF8.self)
            case .number(let range):
                switch name {
                case "distance": distance.sum = reader.double(range, in: object)
                case "distance_count": distance.count = reader.integer(range, in: object)
                case "energy": energy.sum = reader.double(range, in: object)
                case "energy_count": energy.count = reader.integer(range, in: object)
                case "record_count": count = reader.integer(range, in: object) ?? 0
                case "seconds": length = reader.double(range, in: object)
                default: value = reader.integer(range, in: object) ?? 0
                }
            default:
                if let last, last >= value { areSorted = false }
                last = value
                seconds[value] = length
                records[value] = count
                distances[value] = distance
                energies[value] = energy
                for stated in [distance, energy] {
                    if stated.count ?? 0 > count { areCountsOver = true }
                    if stated.sum != nil, stated.count == nil { areSumsAlone = true }
                }
                recordCount = recordCount.flatMap { sum in
                    let (total, isOver) = sum.addingReportingOverflow(count)
                    return isOver ? nil : total
                }
                return
            }
        }
    }
}

/// What the `sources` of a comparison add up to.
struct SourceSums: Sendable {
    private(set) var entryCount = 0
    /// Records by side. Sums that do not fit are not what any count says.
    private(set) var before: Int64? = 0
    private(set) var after: Int64? = 0
    /// Whether the entries are sorted without repetition.
    private(set) var areSorted = true
    private var last: [[UInt8]?]?
    /// An app: its bundle identifier, else the hash of its name.
    private struct App: Hashable {
        let bundle, name: [UInt8]?
    }
    private var appsBefore: [App: Set<[UInt8]?>] = [:]
    private var appsAfter: [App: Set<[UInt8]?>] = [:]

    /// Whether every app after is also there before, with the same product or none on either side.
    var areCompatible: Bool {
        appsAfter.allSatisfy { app, products in
            guard let known = appsBefore[app] else { return false }
            return known.contains(nil) || products.allSatisfy { $0 == nil || known.contains($0) }
        }
    }

    private static let keys = [
        "bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version",
    ]

    /// Reads the rest of an entry whose bracket was read.
    mutating func readEntry(_ object: Span<UInt8>, _ reader: inout Reader) throws(JSONError) {
        var key: [[UInt8]?] = [nil, nil, nil, nil, nil]
        var name = ""
        while true {
            switch try reader.next(in: object) {
            case .key(let contents): name = String(decoding: contents.range.map { object[$0] }, as: UTF8.self)
            case .number(let range): count(reader.integer(range, in: object) ?? 0, name)
            case .string(let text):
                var bytes: [UInt8] = []
                reader.unescape(text, in: object, into: &bytes)
                if let index = Self.keys.firstIndex(of: name) { key[index] = bytes }
            default:
                end(key)
                return
            }
        }
    }

    private var counts: (after: Int64, before: Int64) = (0, 0)

    private mutating func count(_ value: Int64, _ name: String) {
        if name == "after_count" { counts.after = value } else { counts.before = value }
    }

    private mutating func end(_ key: [[UInt8]?]) {
        entryCount += 1
        after = after.flatMap { sum in Self.sum(sum, counts.after) }
        before = before.flatMap { sum in Self.sum(sum, counts.before) }
        let app = App(bundle: key[0], name: key[0] == nil ? key[3] : nil)
        if counts.after > 0 { appsAfter[app, default: []].insert(key[2]) }
        if counts.before > 0 { appsBefore[app, default: []].insert(key[2]) }
        if let last, zip(last, key).lazy.map({ OrderKey.compare($0, $1) }).first(where: { $0 != 0 }) ?? 0 >= 0 {
            areSorted = false
        }
        last = key
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64? {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? nil : sum
    }
}
