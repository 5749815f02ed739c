internal import Bytes
internal import CanonicalJSON

/// Holds what a change says of its two versions and of its type's runs against these (`Spec/changes.md`).
struct ChangeVerifier {
    private typealias Members = [String: Range<Int>]

    private let item: Members
    private let before, after: Members

    /// Reads a change without faults.
    init(_ item: Span<UInt8>) {
        self.item = Self.members(of: item, in: item.indices)
        before = self.item["before"].map { Self.members(of: item, in: $0) } ?? [:]
        after = self.item["after"].map { Self.members(of: item, in: $0) } ?? [:]
    }

    /// The first member by pointer that is another than what follows from the item and the header.
    func wrongMember(in text: Span<UInt8>, _ context: ReportContext?) -> String? {
        if let stated = item["changed_fields"], Self.texts(of: text, in: stated) != changedFields(in: text) {
            return "changed_fields"
        }
        if let wrong = wrongRelationship(in: text, context) { return wrong }
        guard let context, let type = item["sample_type"].flatMap({ Self.text(of: text, in: $0) }) else { return nil }
        let runs = context.runs(type)
        for (name, run) in [("run_after", runs.after), ("run_before", runs.before)] {
            guard let stated = item[name].flatMap({ Self.text(of: text, in: $0) }), let run else { continue }
            if stated != run { return name }
        }
        return nil
    }

    /// The first side of a changed relationship that is no relationship of its observation, or not the same changed.
    private func wrongRelationship(in text: Span<UInt8>, _ context: ReportContext?) -> String? {
        let sides = [("relationship_after", context?.toID), ("relationship_before", context?.fromID)]
        let members = sides.map { item[$0.0].map { Self.members(of: text, in: $0) } }
        func isSame(_ name: String) -> Bool {
            switch (members[0]?[name], members[1]?[name]) {
            case (nil, nil): true
            case (let left?, let right?): text.extracting(left).isSame(as: text.extracting(right))
            default: false
            }
        }
        if members[0] != nil, members[1] != nil {
            let isOther = !["end_identity_hash", "end_sample_type", "relationship_kind"].allSatisfy(isSame)
            let isUnchanged = item["defects"] == nil && isSame("metadata") && isSame("metadata_hash")
            if isOther || isUnchanged { return sides[0].0 }
        }
        for ((name, latest), side) in zip(sides, members) {
            guard let side else { continue }
            let isInScope = side["end_in_scope"].map { text[$0.lowerBound] == UInt8(ascii: "t") } ?? false
            let learned = side["observation_id"].flatMap { Reader.integer($0, in: text) }
            let isLate = learned.map { learned in latest.map { learned > $0 } ?? false } ?? false
            if !isInScope || isLate { return name }
        }
        return nil
    }

    /// The first member by pointer of those about the label that contradicts what the item and the header say.
    func wrongLabel(in text: Span<UInt8>, _ context: ReportContext?) -> String? {
        guard let label = item["label"].flatMap({ Self.string(of: text, in: $0) }) else {
            return item["reasons"] == nil ? nil : "reasons"
        }
        let isUncertain = label == "uncertain"
        let sides = (before: item["before"] != nil, after: item["after"] != nil)
        if label == "appeared" && sides.before || label == "disappeared" && sides.after { return "label" }
        let leading = sides.before ? before : after
        let isUndated = leading["start_date"] == nil || leading["end_date"] == nil
        let type = item["sample_type"].flatMap { Self.text(of: text, in: $0) }
        let known = context.flatMap { $0.reasons(type) }
        if isUndated || known?.isEmpty == false, !isUncertain { return "label" }
        let stated = item["reasons"].map { Self.texts(of: text, in: $0) } ?? []
        guard stated.isEmpty != isUncertain else { return "reasons" }
        guard isUncertain, let known else { return nil }
        let wanted = (known + (isUndated ? ["dates_missing"] : [])).sorted()
        if !wanted.isEmpty { return stated == wanted ? nil : "reasons" }
        return stated.count == 1 && Self.reasonsOfEvidence.contains(stated[0]) ? nil : "reasons"
    }

    /// Why a label is uncertain where the runs and the dates are known.
    private static let reasonsOfEvidence: Set = [
        "sources_differ", "units_differ", "values_incomplete", "values_missing",
    ]

    private func changedFields(in text: Span<UInt8>) -> [String] {
        func differs(_ name: String) -> Bool {
            switch (before[name], after[name]) {
            case (nil, nil): false
            case (let left?, let right?): !text.extracting(left).isSame(as: text.extracting(right))
            default: true
            }
        }
        return ShapeTables.changedFields.filter { differs($0) || ($0 == "metadata" && differs("metadata_hash")) }
    }

    /// Where the values of an object's members stand. The object was read before, so that nothing can be thrown.
    private static func members(of text: Span<UInt8>, in range: Range<Int>) -> Members {
        let object = text.extracting(range)
        var reader = Reader(.canonical)
        var found: Members = [:]
        do throws(JSONError) {
            _ = try reader.next(in: object)
            while case .key(let key) = try reader.next(in: object) {
                let name = String(decoding: key.range.map { object[$0] }, as: UTF8.self)
                guard let value = try reader.skipValue(in: object) else { break }
                found[name] = range.lowerBound + value.lowerBound..<range.lowerBound + value.upperBound
            }
        } catch {}
        return found
    }

    private static func texts(of text: Span<UInt8>, in range: Range<Int>) -> [String] {
        let array = text.extracting(range)
        var reader = Reader(.canonical)
        var found: [String] = []
        do throws(JSONError) {
            _ = try reader.next(in: array)
            while case .string(let value) = try reader.next(in: array) {
                found.append(String(decoding: value.range.map { array[$0] }, as: UTF8.self))
            }
        } catch {}
        return found
    }

    private static func string(of text: Span<UInt8>, in range: Range<Int>) -> String? {
        self.text(of: text, in: range).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func text(of text: Span<UInt8>, in range: Range<Int>) -> [UInt8]? {
        let value = text.extracting(range)
        var reader = Reader(.canonical)
        guard case .string(let contents)? = try? reader.next(in: value) else { return nil }
        var bytes: [UInt8] = []
        reader.unescape(contents, in: value, into: &bytes)
        return bytes
    }
}
