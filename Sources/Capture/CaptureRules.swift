internal import Archive
internal import CanonicalJSON
internal import Preimages

/// The rules after which records are read, fixed when an archive is made (`Spec/identity.md`, "Rules").
public struct CaptureRules: Sendable, Hashable {
    /// Patterns of the archive for keys of metadata whose values are private.
    public let privateMetadata: [[UInt8]]

    /// Rules.
    public init(privateMetadata: [[UInt8]] = []) { self.privateMetadata = privateMetadata }
}

/// The keys of metadata that have private values (`Spec/identity.md`, "Private metadata"). Key names alone decide.
struct PrivateKeys {
    private let rules: CaptureRules
    /// The decisions so far; keys come again and again.
    private var known: [[UInt8]: Bool] = [:]

    init(_ rules: CaptureRules) { self.rules = rules }

    /// Returns `true` if the value of a key is private.
    mutating func contains(_ key: Span<UInt8>) -> Bool {
        var name: [UInt8] = []
        name.reserveCapacity(key.count)
        for at in key.indices { name.append(key[at]) }
        if let decision = known[name] { return decision }
        let decision = decide(name)
        // Names may be as many as there are records.
        if known.count >= 4096 { known.removeAll(keepingCapacity: true) }
        known[name] = decision
        return decision
    }

    private func decide(_ key: [UInt8]) -> Bool {
        PrivateMetadataKey.contains(key) || rules.privateMetadata.contains { KeyPattern.matches($0, key) }
    }
}

/// Patterns of keys, as an archive has them: `*` stands for any bytes, `?` for one, letters A to Z for those of
/// either case.
public enum KeyPattern {
    /// Returns `true` if a key matches a pattern. O(length of both together, multiplied).
    static func matches(_ pattern: [UInt8], _ key: [UInt8]) -> Bool {
        var (at, place) = (0, 0)
        // Where the last `*` stands, and what it took so far.
        var star: (at: Int, place: Int)?
        while place < key.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, place)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || lower(pattern[at]) == lower(key[place]) {
                at += 1
                place += 1
            } else if let last = star {
                star = (last.at, last.place + 1)
                (at, place) = (last.at + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Patterns as a canonical array of texts, sorted by bytes, each once; nil where one is empty or no UTF-8.
    public static func text(of patterns: [[UInt8]]) -> [UInt8]? {
        var json = Writer()
        json.beginArray()
        for pattern in Set(patterns).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            do throws(JSONError) { try json.string(pattern.span) } catch { return nil }
            if pattern.isEmpty { return nil }
        }
        json.endArray()
        return json.bytes
    }

    /// Returns the patterns of such an array; `nil` if the text is none.
    static func patterns(of text: [UInt8]) -> [[UInt8]]? {
        var reader = Reader(.canonical)
        var patterns: [[UInt8]] = []
        do throws(JSONError) {
            guard case .beginArray = try reader.next(in: text.span) else { return nil }
            while case .string(let place) = try reader.next(in: text.span) {
                var pattern: [UInt8] = []
                reader.unescape(place, in: text.span, into: &pattern)
                patterns.append(pattern)
            }
        } catch {
            return nil
        }
        return Self.text(of: patterns) == text ? patterns : nil
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
