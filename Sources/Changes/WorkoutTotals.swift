internal import CanonicalJSON
internal import Measures
internal import SQLite
package import Archive

/// The totals that a workout's metadata state, in canonical units (`Spec/changes.md`, Sides).
package struct WorkoutTotals {
    /// In metres.
    package var distance: Double?
    /// In kilocalories.
    package var energy: Double?
}

/// Reads what workouts state, row by row.
package struct WorkoutTotalsReader: ~Copyable {
    private var blobs: Statement
    private let text = WorkoutTotalsText()

    package init(_ connection: borrowing Connection) throws(ArchiveError) {
        blobs = try connection.prepare("SELECT metadata_json FROM metadata_blobs WHERE id = ?1")
    }

    /// Returns the hash of the series that the metadata of an id state (`Spec/pairs.md`, Laws); `nil` if there is none.
    package mutating func series(of id: Int64?) throws(ArchiveError) -> [UInt8]? {
        guard let id else { return nil }
        blobs.bind(1, id)
        defer { blobs.reset() }
        guard try blobs.step(), let text = blobs.carryableText(0) else { return nil }
        // Anything longer is no hash, and need not travel with the record.
        return WorkoutTotalsText.member("hp:series_sha256", of: text.span).flatMap { $0.count == 64 ? $0 : nil }
    }

    /// Returns the totals that the metadata of an id state; none if they are not an object with a canonical form.
    package mutating func totals(of id: Int64?) throws(ArchiveError) -> WorkoutTotals {
        guard let id else { return WorkoutTotals() }
        blobs.bind(1, id)
        defer { blobs.reset() }
        guard try blobs.step(), let text = blobs.carryableText(0) else { return WorkoutTotals() }
        return self.text.read(text.span) ?? WorkoutTotals()
    }
}

/// Reads what the metadata of a workout state.
package struct WorkoutTotalsText: Sendable {
    private static let energyType = Array("HKQuantityTypeIdentifierActiveEnergyBurned".utf8)
    private static let distanceType = Array("HKQuantityTypeIdentifierDistanceWalkingRunning".utf8)
    private static let distancePrefix = Array("HKQuantityTypeIdentifierDistance".utf8)
    private static let statistics = Array("hp:statistics".utf8)
    private static let names = [
        "hp:attribute:totalDistance", "hp:attribute:totalDistanceUnit", "hp:attribute:totalEnergyBurned",
        "hp:attribute:totalEnergyBurnedUnit", "sum", "type", "unit",
    ].map { Array($0.utf8) }

    private let energy = Measure(of: energyType)
    private let distance = Measure(of: distanceType)

    package init() {}

    /// Returns the text of a member; `nil` if there is none, or the text is not an object with a canonical form.
    static func member(_ name: String, of bytes: Span<UInt8>) -> [UInt8]? {
        var reader = Reader(.canonical, nestingLimit: 64)
        let wanted = Array(name.utf8)
        var found: [UInt8]?
        do throws(JSONError) {
            guard try reader.next(in: bytes) == .beginObject else { return nil }
            while true {
                switch try reader.next(in: bytes) {
                case .key(let name) where reader.matches(name, in: bytes, wanted.span):
                    found = try text(bytes, &reader)
                case .key: _ = try reader.skipValue(in: bytes)
                case .end: return found
                default: break
                }
            }
        } catch {
            return nil
        }
    }

    /// Returns the totals; `nil` if the text is not an object with a canonical form.
    package func read(_ bytes: Span<UInt8>) -> WorkoutTotals? {
        var reader = Reader(.canonical, nestingLimit: 64)
        var found = WorkoutTotals()
        var texts: [Int: [UInt8]] = [:]
        do throws(JSONError) {
            guard try reader.next(in: bytes) == .beginObject else { return nil }
            while true {
                switch try reader.next(in: bytes) {
                case .key(let name):
                    if reader.matches(name, in: bytes, Self.statistics.span) {
                        try readStatistics(bytes, &reader, &found)
                    } else if let key = Self.names.firstIndex(where: { reader.matches(name, in: bytes, $0.span) }) {
                        texts[key] = try Self.text(bytes, &reader)
                    } else {
                        _ = try reader.skipValue(in: bytes)
                    }
                case .end:
                    found.distance = found.distance ?? Self.amount(texts[0], texts[1], distance)
                    found.energy = found.energy ?? Self.amount(texts[2], texts[3], energy)
                    return found
                default: break
                }
            }
        } catch {
            return nil
        }
    }

    /// Adds up the entries of an array, if the value is one.
    private func readStatistics(
        _ bytes: Span<UInt8>, _ reader: inout Reader, _ found: inout WorkoutTotals
    ) throws(JSONError) {
        let depth = reader.depth
        guard try reader.next(in: bytes) == .beginArray else {
            while reader.depth > depth { _ = try reader.next(in: bytes) }
            return
        }
        while true {
            switch try reader.next(in: bytes) {
            case .beginObject where reader.depth == depth + 2: add(try Self.entry(bytes, &reader), to: &found)
            case .endArray where reader.depth == depth: return
            default: break
            }
        }
    }

    /// Returns the texts of an object whose bracket was read, by their place in `names`.
    private static func entry(_ bytes: Span<UInt8>, _ reader: inout Reader) throws(JSONError) -> [Int: [UInt8]] {
        var texts: [Int: [UInt8]] = [:]
        while case .key(let name) = try reader.next(in: bytes) {
            if let key = names.firstIndex(where: { reader.matches(name, in: bytes, $0.span) }) {
                texts[key] = try text(bytes, &reader)
            } else {
                _ = try reader.skipValue(in: bytes)
            }
        }
        return texts
    }

    /// Returns the value that comes next, if it is a text; anything else is stepped over.
    private static func text(_ bytes: Span<UInt8>, _ reader: inout Reader) throws(JSONError) -> [UInt8]? {
        let depth = reader.depth
        guard case .string(let contents) = try reader.next(in: bytes) else {
            while reader.depth > depth { _ = try reader.next(in: bytes) }
            return nil
        }
        var text: [UInt8] = []
        reader.unescape(contents, in: bytes, into: &text)
        return text
    }

    private func add(_ entry: [Int: [UInt8]], to found: inout WorkoutTotals) {
        guard let type = entry[5] else { return }
        if type == Self.energyType, let amount = Self.amount(entry[4], entry[6], energy) {
            found.energy = (found.energy ?? 0) + amount
        } else if type.starts(with: Self.distancePrefix), Measure(of: type).kind == .cumulative,
            let amount = Self.amount(entry[4], entry[6], distance)
        {
            found.distance = (found.distance ?? 0) + amount
        }
    }

    /// Returns a number that a text holds, in the canonical unit.
    private static func amount(_ text: [UInt8]?, _ unit: [UInt8]?, _ measure: Measure) -> Double? {
        guard let text, let conversion = unit.flatMap({ measure.conversion(from: $0) }) else { return nil }
        var reader = Reader(.json)
        guard case .number(let range)? = try? reader.next(in: text.span), range == 0..<text.count else { return nil }
        let value = conversion(reader.double(range, in: text.span))
        return value.isFinite ? value + 0 : nil
    }
}
