public import Answer
internal import Bytes
internal import CanonicalJSON
internal import Manifest

extension PageIndex {
    /// The facts of a comparison, as far as the list and the pages of types have them.
    public struct Facts: Sendable {
        /// Records of a type.
        struct TypeCounts {
            let identifier: String
            let before, after, appeared, disappeared, changed: Int
            /// `true` if it was read completely both times.
            let isKnown: Bool
        }

        let gone, replaced, changed, new, unknown: Int
        let types: [TypeCounts]

        /// Takes the counts of an answer.
        public init(_ answer: Answer) {
            (gone, replaced, changed) = (answer.gone.count, answer.replaced.count, answer.changed.count)
            (new, unknown) = (answer.newCount, answer.unknown.count)
            types = answer.types.map {
                TypeCounts(
                    identifier: $0.identifier, before: $0.before, after: $0.after, appeared: $0.appeared,
                    disappeared: $0.disappeared, changed: $0.changed, isKnown: $0.reasons.isEmpty)
            }
        }

        /// The most records that a list may count: the sums of all types and comparisons stay far below 2^63.
        private static let most = 1 << 40

        /// Reads a line of a list; `nil` if it is none.
        fileprivate init?(_ line: PageValue, _ names: [String]) {
            (gone, replaced, changed) = (line["gone"].count, line["replaced"].count, line["changed"].count)
            (new, unknown) = (line["new"].count, line["unknown"].count)
            var types: [TypeCounts] = []
            for row in line["types"].elements.map(\.elements) {
                guard row.count == 7, names.indices.contains(row[0].count),
                    row[1...5].allSatisfy({ (0...Self.most).contains($0.count) })
                else { return nil }
                types.append(
                    TypeCounts(
                        identifier: names[row[0].count], before: row[1].count, after: row[2].count,
                        appeared: row[3].count, disappeared: row[4].count, changed: row[5].count,
                        isKnown: row[6].bool == true))
            }
            self.types = types
            guard [gone, replaced, changed, new, unknown].allSatisfy({ (0...Self.most).contains($0) }) else {
                return nil
            }
        }
    }

    private static let opening = Array("<template id=\"healthprobe-comparisons\">\n".utf8)
    private static let closing = Array("</template>\n".utf8)

    /// Writes what the comparisons come to, so that the next list does not compare again: a line with the names of
    /// types, one for each comparison, and one with the SHA-256 of those before it.
    func writeComparisons(_ html: inout HTML) {
        var json = Writer()
        json.beginObject()
        json.key("types")
        json.beginArray()
        for type in types { json.string(type) }
        json.endArray()
        json.endObject()
        var lines = json.bytes + [UInt8(ascii: "\n")]
        let places = Dictionary(uniqueKeysWithValues: types.enumerated().map { ($1, $0) })
        for entry in entries {
            guard let id = entry.exportID, let facts = entry.facts else { continue }
            lines += Self.line(facts, id, places) + [UInt8(ascii: "\n")]
        }
        lines += Array("{\"sha256\":\"\(SHA256.digest(of: lines.span).hex)\"}\n".utf8)
        html.markup(String(decoding: Self.opening, as: UTF8.self))
        html.append(ReportPage.escaped(lines))
        html.markup(String(decoding: Self.closing, as: UTF8.self))
    }

    private static func line(_ facts: Facts, _ id: String, _ places: [String: Int]) -> [UInt8] {
        var json = Writer()
        json.beginObject()
        json.member("changed", facts.changed)
        json.member("export_id", id)
        json.member("gone", facts.gone)
        json.member("new", facts.new)
        json.member("replaced", facts.replaced)
        json.key("types")
        json.beginArray()
        for type in facts.types {
            let counts = [type.before, type.after, type.appeared, type.disappeared, type.changed]
            json.beginArray()
            for number in [places[type.identifier] ?? 0] + counts { json.integer(Int64(number)) }
            json.bool(type.isKnown)
            json.endArray()
        }
        json.endArray()
        json.member("unknown", facts.unknown)
        json.endObject()
        return json.bytes
    }

    /// Returns what a list states of comparisons, by export id; none if its lines do not have the hash that they state.
    public static func comparisons(in list: [UInt8]) -> [String: Facts] {
        guard let place = list.span.firstIndex(of: opening) else { return [:] }
        let start = place + opening.count
        guard let count = list.span.extracting(droppingFirst: start).firstIndex(of: closing) else { return [:] }
        let text = ReportPage.unescaped(list[start..<start + count])
        let lines = text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        guard let last = lines.last, lines.allSatisfy({ Validator.isCanonical($0.span) }) else { return [:] }
        let stated = Array(text.dropLast(last.count + 1))
        guard PageValue.reading(last)["sha256"].string == SHA256.digest(of: stated.span).hex else { return [:] }
        let values = lines.dropLast().map { PageValue.reading($0) }
        let names = values.first?["types"].elements.compactMap(\.string) ?? []
        var comparisons: [String: Facts] = [:]
        for line in values.dropFirst() {
            if let id = line["export_id"].string, let facts = Facts(line, names) { comparisons[id] = facts }
        }
        return comparisons
    }
}
