internal import Bytes
public import Recording

/// The way in which an export ended.
public enum ExportOutcome: Sendable, Hashable {
    /// It was read to the root's end tag.
    case complete
    /// The text ends before the root's end tag.
    case truncated
    /// The parser refused the text at a line, counted from 1, and after so many bytes of the XML text; or a member
    /// of a zip is damaged behind this place.
    case malformed(line: Int, byte: Int64)

    /// The same in the words of a capture.
    public var end: SourceEnd {
        switch self {
        case .complete: .complete
        case .truncated: .truncated
        case .malformed: .malformed
        }
    }
}

/// The contents of an export that do not become a record, counted by kind: `Me`'s attributes, files of a zip, unknown
/// elements.
public struct LeftOutCounts: Sendable, Hashable {
    /// The maximum number of different elements that are counted by name.
    static let elementLimit = 100
    private var counts: [String: Int] = [:]
    private var elementCount = 0

    /// The kinds with their counts, sorted by name.
    public var sorted: [(kind: String, count: Int)] {
        counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// The elements that were left out, by their names, sorted.
    var elements: [(name: String, count: Int)] {
        let prefix = "element:"
        return sorted.filter { $0.kind.hasPrefix(prefix) }.map { (String($0.kind.dropFirst(prefix.count)), $0.count) }
    }

    /// Counts something.
    mutating func add(_ kind: String, _ count: Int = 1) { if count > 0 { counts[kind, default: 0] += count } }

    /// Counts an element by its name; beyond the limit, or with a name that is none of a usual kind, as
    /// `element:other`.
    mutating func add(element name: Span<UInt8>) {
        var isUsual = (1...64).contains(name.count)
        for at in name.indices {
            switch name[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                continue
            default: isUsual = false
            }
        }
        let kind = isUsual ? "element:" + String(decoding: name.array, as: UTF8.self) : "element:other"
        if counts[kind] == nil {
            guard elementCount < Self.elementLimit else { return add("element:other") }
            elementCount += 1
        }
        add(kind)
    }
}
