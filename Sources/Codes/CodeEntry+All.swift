// Made from Spec/codes.json by Scripts/write-codes.

extension CodeEntry {
    /// Every code, in the order of the table.
    public static let all: [CodeEntry] = [
        container, line, canonical, shape, item, order, manifest, archive, sqlite, schema, references, values,
        manifests, evidence, ranges, identities, aggregates, exports, history,
    ].flatMap { $0 }
}
