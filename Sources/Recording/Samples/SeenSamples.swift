internal import Archive
internal import SQLite

/// Samples of before that an observation has seen: a bit for each id, which SQL asks for by `isSeen`.
///
/// Ids count up from 1, so that a bit costs less than a row that is looked up. Ids beyond the bits, which an archive
/// of another program may have, stand in a temporary table. What a transaction that is undone noted is forgotten.
struct SeenSamples: ~Copyable {
    private let bits = SampleBits()
    /// Ids that were noted since `keep`.
    private var recent: [Int64] = []
    private var beyond: SampleSet

    /// Creates a set with nothing seen yet.
    static func make(_ connection: borrowing Connection) throws(ArchiveError) -> SeenSamples {
        let seen = SeenSamples(beyond: try SampleSet.make("seen", connection))
        try connection.add(seen.bits, as: "hp_seen", count: 1)
        return seen
    }

    private init(beyond: consuming SampleSet) { self.beyond = beyond }

    /// Returns a condition that is true if a sample was seen, in SQL.
    static func isSeen(_ id: String) -> String {
        "(hp_seen(\(id)) OR EXISTS (SELECT 1 FROM temp.seen n WHERE n.sample_id = \(id)))"
    }

    /// Notes a sample; false where it was noted before.
    mutating func insert(_ sample: Int64) throws(ArchiveError) -> Bool {
        guard SampleBits.hasBit(sample) else { return try beyond.insert(sample) }
        guard bits.set(sample) else { return false }
        recent.append(sample)
        return true
    }

    /// Returns `true` if a sample was noted.
    mutating func contains(_ sample: Int64) throws(ArchiveError) -> Bool {
        SampleBits.hasBit(sample) ? bits.isSet(sample) : try beyond.contains(sample)
    }

    /// Keeps all that was noted so far.
    mutating func keep() { recent.removeAll(keepingCapacity: true) }

    /// Forgets what was noted since, as the transaction does.
    mutating func undo() {
        for sample in recent { bits.clear(sample) }
        keep()
    }
}

/// The SQL function `hp_seen(id)`, which lives as long as its connection: whether the bit of an id is set.
private final class SampleBits: SQLFunction {
    /// The least id that has no bit.
    private static let end: Int64 = 1 << 27

    private var words: [UInt64] = []

    static func hasBit(_ sample: Int64) -> Bool { sample >= 0 && sample < end }

    func isSet(_ sample: Int64) -> Bool {
        let word = Int(sample >> 6)
        return word < words.count && words[word] & Self.bit(sample) != 0
    }

    /// Sets a bit; false where it was set.
    func set(_ sample: Int64) -> Bool {
        let word = Int(sample >> 6)
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        guard words[word] & Self.bit(sample) == 0 else { return false }
        words[word] |= Self.bit(sample)
        return true
    }

    func clear(_ sample: Int64) { words[Int(sample >> 6)] &= ~Self.bit(sample) }

    func call(_ arguments: SQLiteArguments, _ result: SQLiteResult) {
        let sample = arguments[0].integer
        result.set(Int64(Self.hasBit(sample) && isSet(sample) ? 1 : 0))
    }

    private static func bit(_ sample: Int64) -> UInt64 { UInt64(1) << UInt64(sample & 63) }
}
