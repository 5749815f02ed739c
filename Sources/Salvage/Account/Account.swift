public import CanonicalJSON
public import Codes

/// Something that was damaged, lost or repeated, and where (`Spec/salvage.md`, Account).
public struct AccountEntry: JSONValue, Sendable {
    /// Items that were recovered before it.
    public let afterItems: Int
    /// The code of the invalid thing.
    public let code: Code
    /// Bytes of the source file.
    public internal(set) var bytes: Range<Int64>?
    /// Frames.
    public internal(set) var frames: ClosedRange<Int>?
    /// Line of the first frame's text, from 1.
    public internal(set) var frameLine: Int?
    /// Lines, where it is known how many.
    public internal(set) var lineCount: Int?
    /// The number of the file that it is about, from 1, if there are several.
    public internal(set) var source: Int?

    /// Returns `true` if another entry continues where this one ends.
    fileprivate func isContinued(by next: AccountEntry) -> Bool {
        guard code == next.code, source == next.source, bytes == nil, next.bytes == nil, frames == next.frames,
            afterItems == next.afterItems,
            let lineCount, next.lineCount != nil
        else { return false }
        return frameLine.map { $0 + lineCount } == next.frameLine
    }

    /// Writes it as a member of the salvage's header and of the tool's result.
    public func write(to json: inout Writer) {
        let object: JSONObject = [
            "after_items": afterItems, "byte": bytes?.lowerBound, "byte_end": bytes?.upperBound, "code": code.rawValue,
            "frame": frames?.lowerBound, "frame_end": frames?.upperBound, "frame_line": frameLine,
            "line_count": lineCount, "source": source,
        ]
        object.write(to: &json)
    }
}

/// All that was damaged, as far as a file can say it.
struct Account {
    /// The first entries.
    private(set) var entries: [AccountEntry] = []
    /// Entries in all.
    private(set) var count = 0
    private var last: AccountEntry?
    private static let limit = 1000

    /// Adds an entry. Lines that follow each other in one frame and have the same code share one.
    mutating func add(_ entry: AccountEntry) {
        if var last, last.isContinued(by: entry) {
            last.lineCount! += entry.lineCount!
            return replaceLast(last)
        }
        count += 1
        last = entry
        if entries.count < Self.limit { entries.append(entry) }
    }

    /// Adds what was damaged in one of several files.
    mutating func add(_ other: Account, of source: Int) {
        for var entry in other.entries {
            entry.source = source
            add(entry)
        }
        if other.count > other.entries.count { add(unlisted: other.count - other.entries.count) }
    }

    /// Adds entries beyond those that are listed: there are as many already.
    mutating func add(unlisted others: Int) {
        count += others
        last = nil
    }

    /// Adds bytes to the entry that was added last; false where that has none.
    mutating func extendLast(to end: Int64, frame: Int?) -> Bool {
        guard var entry = last, let bytes = entry.bytes else { return false }
        entry.bytes = bytes.lowerBound..<max(bytes.upperBound, end)
        if let frame, let frames = entry.frames { entry.frames = frames.lowerBound...max(frames.upperBound, frame) }
        replaceLast(entry)
        return true
    }

    private mutating func replaceLast(_ entry: AccountEntry) {
        last = entry
        if count == entries.count { entries[count - 1] = entry }
    }
}
