/// Lines of a page without names of sources and without values (`Spec/report-page.md`, A page to share).
///
/// Members are kept by name: one that nobody listed here, such as that of a later version, is left out.
struct SharedLines {
    /// The numbers of sources, in the order in which the lines have them.
    private var places: [[String]: Int] = [:]

    /// Withholds what a shared page leaves out.
    ///
    /// - Parameter lines: `export` of the header, and items.
    static func withholding(_ header: PageValue, _ items: [PageValue]) -> (header: PageValue, items: [PageValue]) {
        var lines = SharedLines()
        return (lines.object(header, in: ""), items.map { lines.object($0, in: "") })
    }

    private static let containers: Set = [
        "after", "answer", "before", "buckets", "calendar", "changed", "chart", "context", "coverage", "days",
        "defects", "earlier", "evidence", "examples", "filter", "from_coverage", "gone", "labels", "largest", "late",
        "left_over", "look_alikes", "months", "new", "nights", "observations", "pair_counts", "reasons", "replaced",
        "scope", "signatures", "sources", "standing_reasons", "statuses", "strip", "types", "years",
    ]
    private static let codes: Set = [
        "change", "discontinuity", "event_kind", "export_id", "finding", "label", "look_alikes", "measure", "method",
        "outcome", "pair", "reasons", "standing", "standing_reasons", "state", "status", "statuses", "trigger_reason",
    ]
    private static let dates: Set = [
        "after_date", "before_date", "date", "end_after", "end_date", "first_date", "last_date", "logged_at",
        "observed_at", "since", "since_date", "start", "start_after", "start_date", "until", "window_end",
        "window_start", "year",
    ]
    private static let numbers: Set = [
        "bar_days", "bucket_days", "from_observation_id", "id", "observation_id", "time_zone_seconds_from_gmt",
    ]
    private static let identity = ["bundle_identifier", "source_name_hash"]

    private mutating func object(_ value: PageValue, in name: String) -> PageValue {
        if name == "sources" { return source(value) }
        var kept: [PageValue.Member] = []
        for (key, value) in value.members {
            // Counts by label and by kind of pair have these as their names.
            let isCount = key.hasSuffix("_count") || ["labels", "pair_counts"].contains(name)
            if name == "filter", ["source_names", "sources"].contains(key) {
                kept.append((key, .string(PageText.withheld)))
            } else if let value = member(value, key, isCount: isCount) {
                kept.append((key, value))
            }
        }
        return .object(kept)
    }

    /// Returns a member; `nil` if it is left out.
    private mutating func member(_ value: PageValue, _ key: String, isCount: Bool) -> PageValue? {
        switch value {
        case .number: return isCount || Self.numbers.contains(key) ? value : nil
        case .bool, .null: return value
        case .string(let text):
            // A digit for each day of a year.
            if key == "days" { return text.utf8.count <= 366 && text.utf8.allSatisfy(Self.isDigit) ? value : nil }
            if Self.dates.contains(key) { return Self.isDate(text) ? value : nil }
            return key == "sample_type" || key == "sample_types" || Self.codes.contains(key) && Self.isCode(text)
                ? value : nil
        case .object: return Self.containers.contains(key) ? object(value, in: key) : nil
        case .array(let elements):
            guard Self.containers.contains(key) || key == "sample_types" else { return nil }
            return .array(
                elements.map { element in
                    if case .object = element { return object(element, in: key) }
                    return member(element, key, isCount: false) ?? .string(PageText.withheld)
                })
        }
    }

    /// Returns a source that appeared, went quiet or has another product, by its number.
    private mutating func source(_ value: PageValue) -> PageValue {
        var kept: [PageValue.Member] = ["after_count", "before_count", "date", "finding"].map { ($0, value[$0]) }
        kept.append(("product_type", .string(PageText.otherProduct)))
        let texts = Self.identity.map { value[$0].string }
        if texts.contains(where: { $0 != nil }) {
            let key = texts.map { $0.map { "=" + $0 } ?? "" }
            let number = places[key, default: places.count + 1]
            places[key] = number
            kept.append(("bundle_identifier", .string(PageText.source(number))))
        }
        return .object(kept)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns `true` if a text is a date or a timestamp: it has no letters but `T` and `Z`.
    private static func isDate(_ text: String) -> Bool {
        text.utf8.count <= 40 && text.utf8.allSatisfy { "0123456789-+:.TZ".utf8.contains($0) }
    }

    /// Codes of the format have letters, digits, low lines and hyphens, with spaces between several.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " "): true
            default: false
            }
        }
    }
}
