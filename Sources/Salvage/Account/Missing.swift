public import CanonicalJSON
internal import Verification

/// Counts by sample type.
struct TypeTally {
    /// In the order in which the types came.
    private(set) var types: [(name: [UInt8]?, counts: TypeCounts)] = []
    private var places: [[UInt8]?: Int] = [:]

    /// Adds counts.
    mutating func add(_ others: [(name: [UInt8]?, counts: TypeCounts)]) {
        for (name, counts) in others {
            if let place = places[name] {
                types[place].counts.add(counts)
            } else {
                places[name] = types.count
                types.append((name, counts))
            }
        }
    }

    /// Items of a type.
    func itemCount(_ name: [UInt8]?) -> Int64 { places[name].map { types[$0].counts.itemCount } ?? 0 }

    /// Writes the `totals` object of what was recovered.
    func writeTotals(to json: inout Writer) {
        let sum = types.reduce(into: TypeCounts()) { $0.add($1.counts) }
        json.beginObject()
        json.member("defect_count", sum.defectCount)
        json.member("item_count", sum.itemCount)
        json.key("types")
        json.beginArray()
        for (name, counts) in types { Self.write(name, counts, to: &json) }
        json.endArray()
        json.endObject()
    }

    private static func write(_ name: [UInt8]?, _ counts: TypeCounts, to json: inout Writer) {
        json.beginObject()
        let days = counts.days?.stated
        json.member("defect_count", counts.defectCount)
        Self.write(days?.dropped, "dropped_sum", to: &json)
        json.member("item_count", counts.itemCount)
        json.key("provenance_loss")
        json.beginObject()
        for (code, count) in counts.namedLosses { json.member(Key(code), count) }
        json.endObject()
        json.member("record_count", days?.recordCount.map { Int64(clamping: $0) })
        json.member("sample_type", name.map { String(decoding: $0, as: UTF8.self) })
        json.member("unit", days?.unit.map { String(decoding: $0, as: UTF8.self) })
        Self.write(days?.kept, "value_sum", to: &json)
        json.endObject()
    }

    private static func write(_ number: Double?, _ key: Key, to json: inout Writer) {
        guard let number else { return }
        json.key(key)
        json.number(number)
    }
}

/// The items that a manifest counts and that were not recovered.
public struct Missing: JSONValue, Sendable {
    /// Items in all.
    public let itemCount: Int64
    /// Types with items missing, in the order of the manifest; nil for items without a type.
    public let types: [(name: String?, itemCount: Int64)]

    init(of manifest: ManifestFacts, saved: TypeTally, repeated: TypeTally) {
        types = manifest.types.compactMap { name, stated in
            let missing = Self.sum(stated.itemCount - saved.itemCount(name), repeated.itemCount(name))
            return missing > 0 ? (name.map { String(decoding: $0, as: UTF8.self) }, missing) : nil
        }
        itemCount = types.reduce(0) { Self.sum($0, $1.itemCount) }
    }

    private static let greatest: Int64 = 1 << 53 - 1

    /// Returns a sum that ends at the greatest integer of canonical JSON: a manifest may count more than there can be.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? greatest : min(sum, greatest)
    }

    /// Writes it as a member of the salvage's header and of the tool's result.
    public func write(to json: inout Writer) {
        let types = types.map { ["item_count": $0.itemCount, "sample_type": $0.name] as JSONObject }
        (["item_count": itemCount, "types": types] as JSONObject).write(to: &json)
    }
}
