internal import Bytes
internal import Format

/// What is wanted of the items of a file, beside whether they are valid.
struct ItemWants: Sendable {
    /// How each is found again.
    var identities = false
    /// What each adds to sums under a key.
    var sums: KeyedHash?
    /// Whether sums are also made over everything that an item says.
    var evidence = false
}

/// Keeps what is wanted of items, one after the other.
struct ItemKeeper: ~Copyable {
    private let keepsIdentities: Bool
    private var encoder: ItemEncoder?

    init(_ wants: ItemWants) {
        keepsIdentities = wants.identities
        encoder = wants.sums.map { ItemEncoder($0, ofEvidence: wants.evidence) }
        readsMembers = wants.sums != nil && wants.evidence
    }

    /// Whether it has to be known where members stand.
    let readsMembers: Bool

    /// Adds what is wanted of an item to its run.
    mutating func keep(
        _ facts: ItemFacts, _ kind: ItemKind, _ form: Forms, _ key: OrderKey, in text: Span<UInt8>, _ line: Int,
        _ declared: Span<UInt8>, isHashRight: Bool, to run: inout ItemRun
    ) {
        let isOfSample = ![.comparison, .finding, .pair, .typeManifest].contains(kind)
        // A change with two versions is recorded without one, and a shared record does not name its version.
        let hasVersion = ![.representationChanged, .sharedRecord].contains(form)
        if keepsIdentities {
            run.identities.append(
                ItemIdentity(key, isOfSample: isOfSample, hasVersion: hasVersion, hash: declared, line: line))
        }
        guard encoder != nil else { return }
        var element = encoder!.element(
            facts, form, key, in: text, declared: declared, isRecorded: isOfSample, hasVersion: hasVersion)
        element.isHashWrong = !isHashRight
        run.elements.append(element)
    }
}
