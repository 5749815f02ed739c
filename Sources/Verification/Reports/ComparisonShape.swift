internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Timestamps

/// The shape of a comparison's row beyond its table: a member that depends on the label, and arrays that are sorted
/// (`Spec/shape.md`).
struct ComparisonShape {
    private let members: ObjectPlaces

    /// Reads the members of an item in a line.
    init(_ line: Span<UInt8>, item: Range<Int>) { members = ObjectPlaces(line, at: item) }

    /// Whether the row counts a change.
    func hasChanges(in line: Span<UInt8>) -> Bool { Self.hasChanges(members, in: line) }

    private static func hasChanges(_ counts: ObjectPlaces, in line: Span<UInt8>) -> Bool {
        ["appeared_count", "disappeared_count", "representation_changed_count"].contains {
            counts.integer($0, in: line) ?? 0 > 0
        }
    }

    /// Adds the fault of `reasons`, which the label of a window requires or forbids. An unknown label does neither.
    func judgeReasons(in line: Span<UInt8>, _ faults: inout [ShapeFault]) {
        guard let label = members.string("label", in: line).map({ String(decoding: $0, as: UTF8.self) }),
            ShapeTables.labels.contains(label)
        else { return }
        let pointer = "/item/reasons"
        if label == "uncertain" {
            if members["reasons"] == nil { faults.append(ShapeFault(code: .shapeMemberMissing, pointer: pointer)) }
        } else if members["reasons"] != nil {
            // The contents of a forbidden member are not examined.
            faults.removeAll { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }
            faults.append(ShapeFault(code: .shapeMemberUnknown, pointer: pointer))
        }
    }

    /// Returns the faults of arrays that are not sorted, or repeat an entry.
    func unsorted(in line: Span<UInt8>) -> [ShapeFault] {
        var found = ["against", "look_alikes", "reasons", "standing_reasons"].filter { name in
            !members.areEntries(name, in: line) { last, entry in
                last.map { line.extracting($0).compared(with: line.extracting(entry)) < 0 } ?? true
            }
        }
        for side in ["after", "before"] where !arePartsSorted(side, in: line) { found.append(side + "/parts") }
        if !areSourcesSorted(in: line) { found.append("sources") }
        if !areBucketsSorted(in: line) { found.append("calendar/buckets") }
        return found.map { ShapeFault(code: .shapeValue, pointer: "/item/" + $0) }
    }

    private func arePartsSorted(_ side: String, in line: Span<UInt8>) -> Bool {
        guard let side = members[side].map({ ObjectPlaces(line, at: $0) }) else { return true }
        return side.areEntries("parts", in: line) { last, entry in
            let values = [last, entry].map { $0.flatMap { ObjectPlaces(line, at: $0).integer("value", in: line) } }
            return values[0].flatMap { last in values[1].map { last < $0 } } ?? true
        }
    }

    private static let sourceMembers = [
        "bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version",
    ]

    private func areSourcesSorted(in line: Span<UInt8>) -> Bool {
        members.areEntries("sources", in: line) { last, entry in
            guard let last else { return true }
            let (left, right) = (ObjectPlaces(line, at: last), ObjectPlaces(line, at: entry))
            for name in Self.sourceMembers {
                let order = OrderKey.compare(left.string(name, in: line), right.string(name, in: line))
                if order != 0 { return order < 0 }
            }
            return false
        }
    }

    /// Whether the buckets of a calendar ascend, each with a change.
    private func areBucketsSorted(in line: Span<UInt8>) -> Bool {
        guard let calendar = members["calendar"].map({ ObjectPlaces(line, at: $0) }) else { return true }
        return calendar.areEntries("buckets", in: line) { last, entry in
            let bucket = ObjectPlaces(line, at: entry)
            let starts = [last.map { ObjectPlaces(line, at: $0) }, bucket].map { entry in
                entry?.string("start", in: line).flatMap { TimestampReader.moment(in: $0.span) }
            }
            let isLater = starts[0].flatMap { last in starts[1].map { last < $0 } } ?? true
            return isLater && Self.hasChanges(bucket, in: line)
        }
    }
}
