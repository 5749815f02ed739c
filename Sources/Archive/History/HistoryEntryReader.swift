internal import Bytes
internal import CanonicalJSON
internal import Manifest
internal import Timestamps

/// Reads the text of an entry, from an archive or from a file.
struct HistoryEntryReader {
    private var reader = Reader(.canonical, nestingLimit: 8)
    /// The values of the text by the names of their members, with dots between a name and the one inside of it.
    private var values: [String: Value] = [:]

    private enum Value {
        case integer(Int64), text(String), truth(Bool)
    }

    /// Returns what an entry states; `nil` if the text is not what that would be written as.
    mutating func content(of text: [UInt8]) -> HistoryPreimage? {
        guard isRead(text.span), integer("entry_version") == HistoryPreimage.version, let archive = digest("archive"),
            let kind = string("kind").flatMap({ HistoryPreimage.Kind(rawValue: $0) }),
            let madeAt = string("made_at"), TimestampReader.moment(in: madeAt.utf8Span.span) != nil,
            let observation = integer("observation.id"), let hash = digest("observation.hash"),
            let sequence = integer("sequence"), sequence > 0, let tool = string("tool_version")
        else { return nil }
        var entry = HistoryPreimage(
            archive: archive, kind: kind, madeAt: madeAt, observationID: observation, observationHash: hash,
            sequence: sequence, toolVersion: tool)
        entry.listsTypes = isTrue("observation.lists_types")
        entry.statesFacts = isTrue("observation.states_facts")
        entry.previous = digest("previous")
        for table in kind == .withdrawn ? [HistoryParts.contextLog] : HistoryParts.all {
            guard let id = integer("last_ids.\(table.name)") else { continue }
            entry.lastIDs.append(HistoryPreimage.LastID(table: table.name, id: id))
            let rows = "rows.\(table.name)"
            if let count = integer("\(rows).count"), count > 0, let hash = digest("\(rows).hash") {
                entry.rows.append(HistoryPreimage.Rows(table: table.name, count: count, hash: hash))
            }
        }
        return entry.text == text ? entry : nil
    }

    private func string(_ name: String) -> String? {
        guard case .text(let text)? = values[name] else { return nil }
        return text
    }

    private func digest(_ name: String) -> Digest? {
        string(name).flatMap { Digest(hex: $0.utf8Span.span) }
    }

    private func integer(_ name: String) -> Int64? {
        guard case .integer(let number)? = values[name] else { return nil }
        return number.magnitude < 1 << 53 ? number : nil
    }

    private func isTrue(_ name: String) -> Bool {
        guard case .truth(let value)? = values[name] else { return false }
        return value
    }

    /// Reads a text; returns `false` if it is not canonical JSON.
    private mutating func isRead(_ text: Span<UInt8>) -> Bool {
        reader.restart()
        values.removeAll(keepingCapacity: true)
        // The members that are open, from the outermost; the first is the text itself.
        var names = [""]
        do throws(JSONError) {
            while true {
                let token = try reader.next(in: text)
                switch token {
                case .key(let contents):
                    names[names.count - 1] = Self.string(contents, in: text)
                case .beginObject, .beginArray: names.append("")
                case .endObject, .endArray: names.removeLast()
                case .end: return true
                default: values[names.dropFirst().joined(separator: ".")] = value(token, in: text)
                }
            }
        } catch {
            return false
        }
    }

    private func value(_ token: Token, in text: Span<UInt8>) -> Value? {
        switch token {
        case .string(let contents): .text(Self.string(contents, in: text))
        case .number(let range): reader.integer(range, in: text).map { .integer($0) }
        case .true: .truth(true)
        case .false: .truth(false)
        default: nil
        }
    }

    private static func string(_ contents: StringContents, in text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        Reader.unescape(contents, in: text, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
