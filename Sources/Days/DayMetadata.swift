internal import Archive
internal import CanonicalJSON
internal import Measures
internal import SQLite

/// Reads what metadata say that days look at.
struct DayMetadataReader: ~Copyable {
    /// The facts in the metadata of any record.
    struct Facts {
        var isUserEntered = false
        /// `true` if they name another zone than the observation.
        var isOfOtherZone = false
    }

    private var blobs: Statement
    private var known: [Int64: Facts] = [:]
    /// The zone that the observation names.
    private let zone: [UInt8]?
    private static let mostKnown = 1 << 16

    private static let userEntered = Array("HKWasUserEntered".utf8)
    private static let timeZone = Array("HKTimeZone".utf8)

    init(_ connection: borrowing Connection, _ observation: Int64) throws(ArchiveError) {
        let blobs = try connection.prepare("SELECT metadata_json FROM metadata_blobs WHERE id = ?1")
        var zones = try connection.prepare("SELECT time_zone_identifier FROM observations WHERE id = ?1")
        zones.bind(1, observation)
        zone = try zones.step() ? zones.carryableText(0) : nil
        self.blobs = blobs
    }

    /// Returns the facts in the metadata of an id; none if they are not an object with a canonical form.
    mutating func facts(of id: Int64?) throws(ArchiveError) -> Facts {
        guard let id else { return Facts() }
        if let facts = known[id] { return facts }
        var facts = Facts()
        if let text = try text(of: id) { facts = read(text.span) ?? Facts() }
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        known[id] = facts
        return facts
    }

    private mutating func text(of id: Int64) throws(ArchiveError) -> [UInt8]? {
        blobs.bind(1, id)
        defer { blobs.reset() }
        return try blobs.step() ? blobs.carryableText(0) : nil
    }

    private func read(_ text: Span<UInt8>) -> Facts? {
        var facts = Facts()
        return MetadataText.forEachMember(text, [Self.userEntered, Self.timeZone]) { member, value in
            switch (member, value) {
            case (0, .text(let text)): facts.isUserEntered = text == Array("1".utf8) || text == Array("true".utf8)
            case (0, .number(let number)): facts.isUserEntered = number == 1
            case (0, .true): facts.isUserEntered = true
            case (1, .text(let text)): facts.isOfOtherZone = text != zone
            default: break
            }
        } ? facts : nil
    }

    /// Returns the values of rings, each as a decimal of six digits; `nil` for what they do not state.
    mutating func rings(of id: Int64?) throws(ArchiveError) -> [Int64?] {
        guard let id, let text = try text(of: id) else { return RingTexts.none }
        return RingTexts.values(text.span)
    }
}

/// The values of activity rings in metadata.
package enum RingTexts {
    private static let energyUnit = Array("hp:attribute:activeEnergyBurnedUnit".utf8)
    /// In the order of the members of an item.
    private static let rings = [
        "activeEnergyBurned", "activeEnergyBurnedGoal", "appleExerciseTime", "appleExerciseTimeGoal", "appleMoveTime",
        "appleMoveTimeGoal", "appleStandHours", "appleStandHoursGoal",
    ].map { Array("hp:attribute:\($0)".utf8) }
    private static let energy = Measure(of: Array("HKQuantityTypeIdentifierActiveEnergyBurned".utf8))
    static let none = [Int64?](repeating: nil, count: rings.count)

    /// Reads energy, minutes of exercise, minutes of movement and hours of standing, each with its goal. They are
    /// decimals of six digits; `nil` for what the metadata do not state.
    package static func values(_ text: Span<UInt8>) -> [Int64?] {
        var texts = [[UInt8]?](repeating: nil, count: rings.count + 1)
        let isObject = MetadataText.forEachMember(text, rings + [energyUnit]) { member, value in
            if case .text(let text) = value { texts[member] = text }
        }
        guard isObject else { return none }
        let conversion = texts[rings.count].flatMap { energy.conversion(from: $0) }
        return rings.indices.map { index in
            guard let value = texts[index].flatMap(number) else { return nil }
            // The first two are energies.
            guard index < 2 else { return DecimalAmount.whole(value, digits: 6) }
            return conversion.flatMap { DecimalAmount.whole($0(value), digits: 6) }
        }
    }

    /// Returns the number that a text holds.
    private static func number(_ text: [UInt8]) -> Double? {
        var reader = Reader(.json)
        guard case .number(let range)? = try? reader.next(in: text.span), range == 0..<text.count else { return nil }
        return reader.double(range, in: text.span)
    }

}

/// Members of metadata.
private enum MetadataText {
    enum Value { case text([UInt8]), number(Double), `true`, other }

    /// Calls `take` with the members of an object that are listed; `false` if the text is not a canonical object.
    static func forEachMember(
        _ text: Span<UInt8>, _ names: [[UInt8]], _ take: (Int, Value) -> Void
    ) -> Bool {
        var reader = Reader(.canonical, nestingLimit: 64)
        do throws(JSONError) {
            guard try reader.next(in: text) == .beginObject else { return false }
            while true {
                switch try reader.next(in: text) {
                case .key(let key):
                    guard let name = names.firstIndex(where: { reader.matches(key, in: text, $0.span) }) else {
                        _ = try reader.skipValue(in: text)
                        continue
                    }
                    take(name, try value(text, &reader))
                case .end: return true
                default: break
                }
            }
        } catch {
            return false
        }
    }

    private static func value(_ text: Span<UInt8>, _ reader: inout Reader) throws(JSONError) -> Value {
        let depth = reader.depth
        switch try reader.next(in: text) {
        case .string(let contents):
            var bytes: [UInt8] = []
            reader.unescape(contents, in: text, into: &bytes)
            return .text(bytes)
        case .number(let range): return .number(reader.double(range, in: text))
        case .true: return .true
        default:
            while reader.depth > depth { _ = try reader.next(in: text) }
            return .other
        }
    }
}
