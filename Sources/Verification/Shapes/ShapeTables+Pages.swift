/// What only the rows of a page have (`Spec/report-page.md`, Items).
extension ShapeTables {
    /// What the context log says of observations.
    static var context: Shape {
        .array(
            .object(
                ObjectShape([
                    member("event_kind", .text, .always),
                    member("logged_at", .timestamp),
                    member("observation_id", .integer, .always),
                ])), least: 1, slot: nil)
    }

    /// Records that are no longer visible or changed.
    static var examples: Shape {
        .array(
            .object(
                ObjectShape([
                    member("change", choice("disappeared", "representation_changed"), .always),
                    member("end_after", .timestamp),
                    member("end_date", .timestamp),
                    member("start_after", .timestamp),
                    member("start_date", .timestamp),
                    member("value_after", .number),
                    member("value_before", .number),
                ])), least: 1, slot: nil)
    }

    static var pairCounts: Shape {
        .object(
            ObjectShape(
                ["ambiguous", "condensed_into", "expanded_into", "re_identified"].map {
                    member($0, .count(least: 1))
                }))
    }

    static var findingCounts: Shape {
        .object(
            ObjectShape(
                ["disappearance", "divergence", "exact_duplicate", "late_arrival", "semantic_duplicate"].map {
                    member($0, .count(least: 1))
                }))
    }

    /// The observations of a chain.
    static var timeline: Shape {
        .array(
            .object(
                ObjectShape([
                    member("observation_id", .integer, .always),
                    member("observed_at", .timestamp),
                    member("record_count", .count(least: 0), .always),
                    member("status", .text),
                ])), least: 1, slot: nil)
    }

    /// On which days records of a type changed.
    static var calendar: Shape {
        let bucket = Shape.object(
            ObjectShape([
                member("appeared_count", .count(least: 0), .always),
                member("condensed_count", .count(least: 1)),
                member("disappeared_count", .count(least: 0), .always),
                member("re_identified_count", .count(least: 1)),
                member("representation_changed_count", .count(least: 0), .always),
                member("start", .timestamp, .always),
            ]))
        return .object(
            ObjectShape([
                member("bucket_days", .count(least: 1), .always),
                member("buckets", .array(bucket, least: 1, slot: nil), .always),
            ]))
    }

    /// Months of a type, on both sides.
    static var strip: Shape {
        .array(
            .object(
                ObjectShape([
                    member("after_count", .count(least: 0), .always),
                    member("after_value", .number),
                    member("before_count", .count(least: 0), .always),
                    member("before_value", .number),
                    member("start", .timestamp, .always),
                ])), least: 1, slot: nil)
    }
}
