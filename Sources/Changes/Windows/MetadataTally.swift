internal import CanonicalJSON
internal import SQLite
internal import Synchronization
internal import Archive

/// The statements in the metadata of either side, by number.
struct MetadataTally {
    private var before: Set<Int> = []
    private var after: Set<Int> = []

    mutating func addBefore(_ statements: [Int]) { if !statements.isEmpty { before.formUnion(statements) } }
    mutating func addAfter(_ statements: [Int]) { if !statements.isEmpty { after.formUnion(statements) } }

    mutating func add(_ other: MetadataTally) {
        before.formUnion(other.before)
        after.formUnion(other.after)
    }

    /// `true` if all that is stated after is stated before.
    var isCompatible: Bool { after.isSubset(of: before) }
}

/// The statements in metadata of how a value is meant (`Spec/changes.md`, Evidence): each has a number.
struct MetadataStatements: ~Copyable {
    private static let keys = [
        "HKBloodGlucoseMealTime", "HKBodyTemperatureSensorLocation", "HKHeartRateSensorLocation", "HKIndoorWorkout",
        "HKInsulinDeliveryReason", "HKMenstrualCycleStart", "HKMetadataKeyHeartRateMotionContext",
        "HKVO2MaxTestType", "HKWasUserEntered",
    ].map { Array($0.utf8) }

    fileprivate struct Stated: Hashable {
        let key: Int
        let value: [UInt8]
    }

    /// The numbers of statements, which several readers give together.
    final class Numbers: Sendable {
        private let numbers = Mutex<[Stated: Int]>([:])

        fileprivate func number(of statement: Stated) -> Int {
            numbers.withLock { numbers in
                let number = numbers[statement] ?? numbers.count
                numbers[statement] = number
                return number
            }
        }
    }

    private var blobs: Statement
    private let numbers: Numbers
    /// By id; emptied when it is large.
    private var known: [Int64: [Int]] = [:]

    init(_ connection: borrowing Connection, _ numbers: Numbers) throws(ArchiveError) {
        let blobs = try connection.prepare("SELECT metadata_json FROM metadata_blobs WHERE id = ?1")
        self.blobs = blobs
        self.numbers = numbers
    }

    /// Returns the statements in the metadata of an id; none if they are not an object with a canonical form.
    mutating func statements(of id: Int64?) throws(ArchiveError) -> [Int] {
        guard let id else { return [] }
        if let found = known[id] { return found }
        blobs.bind(1, id)
        defer { blobs.reset() }
        var found: [Int] = []
        if try blobs.step(), let text = blobs.carryableText(0), let stated = Self.read(text) {
            for statement in stated { found.append(numbers.number(of: statement)) }
        }
        if known.count >= 4096 { known.removeAll(keepingCapacity: true) }
        known[id] = found
        return found
    }

    /// Returns the statements of an object, which are texts, numbers and truth values; `nil` if it is none.
    private static func read(_ text: [UInt8]) -> [Stated]? {
        var reader = Reader(.canonical, nestingLimit: 64)
        let bytes = text.span
        var found: [Stated] = []
        var key: Int?
        do throws(JSONError) {
            guard try reader.next(in: bytes) == .beginObject else { return nil }
            while true {
                let token = try reader.next(in: bytes)
                if token == .end { return found }
                switch token {
                case .key(let name) where reader.depth == 1:
                    key = keys.firstIndex { reader.matches(name, in: bytes, $0.span) }
                    continue
                case .string(let contents):
                    var value: [UInt8] = [UInt8(ascii: "\"")]
                    reader.unescape(contents, in: bytes, into: &value)
                    if let key { found.append(Stated(key: key, value: value)) }
                case .number(let range):
                    let bits = (reader.double(range, in: bytes) + 0).bitPattern
                    let value = (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
                    if let key { found.append(Stated(key: key, value: value)) }
                case .true: if let key { found.append(Stated(key: key, value: [1])) }
                case .false: if let key { found.append(Stated(key: key, value: [0])) }
                default: break
                }
                key = nil
            }
        } catch {
            return nil
        }
    }
}
