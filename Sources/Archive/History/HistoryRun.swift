internal import Bytes
public import Files
internal import Manifest

/// A history that a file carries: its head, and the observation of the entry if an export carries it.
public struct CarriedHead: Sendable, Equatable {
    public let head: HistoryHead
    /// `nil` if somebody kept the head by itself.
    public let observationID: Int64?

    /// A head.
    public init(_ head: HistoryHead, observationID: Int64?) { (self.head, self.observationID) = (head, observationID) }
}

/// Entries of a history in a file, held against an earlier and a later head (`Spec/history.md`, "Entries in a file").
///
///     line ──► form ──► archive ──► sequence ──► link before ──► may it follow? ──► both heads, withdrawals
public struct HistoryRun: ~Copyable {
    /// A fault, as `Spec/history.md` lists them; the first counts.
    public enum Fault: Sendable, Equatable {
        /// Both files, or a file and a line, name different archives.
        case anotherArchive(line: Int?)
        /// A line is not an entry.
        case unreadable(line: Int)
        /// A line is not the entry after the one before it.
        case gap(line: Int)
        /// This entry is the first that is missing.
        case missing(sequence: Int64)
        /// An entry does not name the link of the entry before it.
        case previous(line: Int)
        /// An entry may not follow those before it.
        case state(line: Int)
        /// This entry has another link than a file states.
        case forked(sequence: Int64)
        /// This entry is of another observation than the export that carries it.
        case observation(sequence: Int64)
        /// These observations, live at the earlier head, were withdrawn.
        case withdrawn([Int64])
        /// The later file carries an earlier entry.
        case rewound
    }

    /// The longest line, in bytes, and the largest number of lines.
    public static let lineLimit = 65_536, countLimit = 100_000

    private let old, new: CarriedHead
    private var chain = HistoryChain()
    private var reader = HistoryEntryReader()
    private var hasher = ContentHasher()
    /// The first fault of a line.
    private var fault: Fault?
    /// Entries that were read.
    public private(set) var count = 0
    /// The sequences of the first and the last entry.
    public private(set) var first: Int64?, last: Int64?
    private var lastLink: Digest?
    /// Faults at the heads, in the order of lines.
    private var disagreements: [Fault] = []
    /// Observations that were live at the earlier head, as far as entries show it.
    private var liveAtOld: [Int64] = []
    private var belowAtOld = 0
    /// Those of them that were not live at the later head.
    private var gone: [Int64] = []

    /// - Parameters:
    ///   - old: what the earlier file carries.
    ///   - new: what the later file carries.
    public init(from old: CarriedHead, to new: CarriedHead) { (self.old, self.new) = (old, new) }

    /// Reads the lines of a file.
    ///
    /// - Throws: `FileError`; `NotEntries` if there are more lines than the limit.
    public mutating func read(_ file: borrowing Descriptor) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var (offset, rest): (Int64, [UInt8]) = (0, [])
        while fault == nil {
            let size = try file.read(into: &buffer, at: offset, count: buffer.count)
            guard size > 0 else { break }
            offset += Int64(size)
            rest += buffer[..<size]
            var start = 0
            while fault == nil, let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                add(Array(rest[start..<end]))
                start = end + 1
                if count > Self.countLimit { throw NotEntries() }
            }
            rest.removeFirst(start)
            if rest.count > Self.lineLimit { break }
        }
        // A last line without its end, or one that is too long.
        if !rest.isEmpty, fault == nil { fault = .unreadable(line: count + 1) }
    }

    private mutating func add(_ text: [UInt8]) {
        let line = count + 1
        guard text.count <= Self.lineLimit, let entry = reader.content(of: text) else {
            return fault = .unreadable(line: line)
        }
        guard entry.archive == old.head.archive else { return fault = .anotherArchive(line: line) }
        if let last {
            guard entry.sequence == last + 1 else { return fault = .gap(line: line) }
            guard entry.previous == lastLink else { return fault = .previous(line: line) }
        } else {
            guard (entry.sequence == 1) == (entry.previous == nil) else { return fault = .previous(line: line) }
            begin(with: entry)
        }
        let link = hasher.digest(of: text.span, in: .historyLink)
        guard chain.follow(entry, link) == nil else { return fault = .state(line: line) }
        (count, last, lastLink) = (line, entry.sequence, link)
        meet(entry, link)
    }

    /// Begins with the first entry, which may name the link of a head.
    private mutating func begin(with entry: HistoryPreimage) {
        first = entry.sequence
        guard let previous = entry.previous else { return }
        let isAfterOld = entry.sequence == old.head.length + 1 && previous == old.head.link
        chain = HistoryChain(afterObservation: isAfterOld ? old.observationID : nil)
        for head in [old.head, new.head] where head.length == entry.sequence - 1 && head.link != previous {
            disagreements.append(.forked(sequence: head.length))
        }
    }

    /// Holds an entry against both heads.
    private mutating func meet(_ entry: HistoryPreimage, _ link: Digest) {
        for carried in [old, new] where carried.head.length == entry.sequence {
            if carried.head.link != link {
                disagreements.append(.forked(sequence: entry.sequence))
            } else if let id = carried.observationID, id != entry.observationID || entry.kind != .observation {
                disagreements.append(.observation(sequence: entry.sequence))
            }
        }
        if entry.sequence == old.head.length {
            (liveAtOld, belowAtOld) = (chain.live.map(\.observationID), chain.withdrawnBelow.count)
        }
        if entry.sequence == new.head.length { gone = withdrawn }
    }

    /// Observations that were live at the earlier head and are not any more.
    private var withdrawn: [Int64] {
        guard let first, let last, first <= old.head.length + 1, last > old.head.length else { return [] }
        let live = Set(chain.live.map(\.observationID))
        return (liveAtOld.filter { !live.contains($0) } + chain.withdrawnBelow.dropFirst(belowAtOld)).sorted()
    }

    /// The fault that counts; `nil` if the later history extends the earlier one.
    public var result: Fault? {
        let (start, end) = (old.head.length, new.head.length)
        if old.head.archive != new.head.archive { return .anotherArchive(line: nil) }
        if let fault { return fault }
        if start < end {
            guard let first, let last, first <= start + 1, last > start else { return .missing(sequence: start + 1) }
            if last < end { return .missing(sequence: last + 1) }
        } else if start == end, old.head.link != new.head.link {
            return .forked(sequence: start)
        }
        if let disagreement = disagreements.first { return disagreement }
        // An earlier entry of the later file binds none that follow it: then all that the entries show counts.
        let gone = start < end ? gone : withdrawn
        if !gone.isEmpty { return .withdrawn(gone) }
        return end < start ? .rewound : nil
    }
}

/// A file has more lines than a history that is checked has entries.
public struct NotEntries: Error {}
