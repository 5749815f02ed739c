/// What stands in pairs (`Spec/pairs.md`).
extension ShapeTables {
    static var pairKind: Shape { choice("ambiguous", "condensed_into", "expanded_into", "re_identified") }

    private static var pairedRecord: Shape {
        Shape.object(
            ObjectShape([
                member("category_value", .integer),
                member("duration_seconds", .number),
                member("end_date", .timestamp, .always),
                member("identity_hash", .text, .always),
                member("numeric_value", .number),
                member("payload_hash", .text, .always),
                member("start_date", .timestamp, .always),
                member("unit", .text),
                member("value_kind", .text),
                member("workout_activity_type", .integer),
            ]))
    }

    private static var pairSource: Shape {
        Shape.object(
            ObjectShape([
                member("bundle_identifier", .text), member("product_type", .text), member("source_name_hash", .text),
            ]))
    }

    /// A line of a pair.
    static var pairLine: ObjectShape {
        line(
            of: .object(
                ObjectShape([
                    member("after", .array(pairedRecord, least: 1, slot: nil), .always),
                    member("ambiguous_with", .array(.text, least: 1, slot: nil), .always, in: .ambiguous),
                    member("before", .array(pairedRecord, least: 1, slot: nil), .always),
                    member("end_date", .timestamp, .always, .endDate),
                    member("item_kind", .text, .optional, .itemKind),
                    member("key", .text, .always, .pairKey),
                    member(
                        "law", choice("duration", "mean", "sum", "time_weighted_mean", "value"), .always,
                        in: .contained),
                    member("level", choice("fuzzy", "payload", "semantic", "strict"), .always, in: .reIdentified),
                    member("pair", pairKind, .always, .pairKind),
                    member("residual", .number),
                    member("sample_type", .text, .always, .sampleType),
                    member("source", pairSource, in: .contained),
                    member("start_date", .timestamp, .always, .startDate),
                    member("tied", .boolean, .always, in: .reIdentified),
                    member("unit", .text),
                ])))
    }
}
