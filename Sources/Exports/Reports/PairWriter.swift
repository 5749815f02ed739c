internal import Archive
internal import Changes
internal import CanonicalJSON

/// Writes `pair` items (`Spec/pairs.md`).
enum PairWriter {
    static func document(_ pair: Pair, _ types: TypeNames) -> Document {
        let isReIdentified = pair.isReIdentified
        var writer = DocumentWriter()
        writer.put("after", array: pair.after, write)
        if pair.kind == .ambiguous {
            writer.put("ambiguous_with", texts: pair.ambiguousWith.map { String(decoding: $0, as: UTF8.self) })
        }
        writer.put("before", array: pair.before, write)
        writer.put("end_date", moment: pair.end)
        writer.put("item_kind", "pair")
        writer.put("key", text: pair.key)
        if !isReIdentified { writer.put("law", pair.rule) }
        if isReIdentified { writer.put("level", pair.rule) }
        writer.put("measure_after", pair.figures?.after)
        writer.put("measure_before", pair.figures?.before)
        writer.put("outcome", pair.outcome?.name)
        writer.put("pair", pair.kind.name)
        writer.put("residual", pair.residual)
        writer.putType(pair.type, types)
        if !isReIdentified, pair.bundle != nil || pair.product != nil || pair.nameHash != nil {
            writer.put("source") { writer in
                writer.put("bundle_identifier", text: pair.bundle)
                writer.put("product_type", text: pair.product)
                writer.put("source_name_hash", text: pair.nameHash)
            }
        }
        writer.put("start_date", moment: pair.start)
        if isReIdentified { writer.put("tied", pair.isTied) }
        writer.put("unit", text: pair.unit)
        return Document(bytes: writer.finish(), type: pair.type)
    }

    private static func write(_ member: Pair.Member, _ writer: inout DocumentWriter) {
        writer.put("category_value", member.category.map { Int($0) })
        writer.put("duration_seconds", member.duration)
        writer.put("end_date", moment: member.end)
        writer.put("identity_hash", text: member.identity)
        writer.put("numeric_value", member.value)
        writer.put("payload_hash", text: member.payload)
        writer.put("start_date", moment: member.start)
        writer.put("unit", text: member.unit)
        writer.put("value_kind", text: member.valueKind)
        writer.put("workout_activity_type", member.activity.map { Int($0) })
    }
}
