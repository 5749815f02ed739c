/// A group of checks of an archive (`Spec/archive-verification.md`), in the order in which they are told.
public enum Check: String, CaseIterable, Sendable {
    case sqlite, schema, references, values, manifests, evidence, ranges, identities, aggregates, exports, history
}
