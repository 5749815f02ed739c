internal import Manifest

/// What a line turned out to be.
enum LineKind: Sendable {
    case header, item, manifest
}

/// What a frame's lines hold, in order. Line numbers count from 0 within the frame; whoever puts frames together adds the lines before.
enum LineEvent: Sendable {
    /// Items without damage, one after the other.
    case items(ItemRun)
    /// A header without damage, and what does not hold in it.
    case header(HeaderFacts, findings: [Finding])
    /// A manifest without damage.
    case manifest(ManifestFacts)
    /// A damaged line, or several blank ones; the kind, where it is known.
    case damaged(Layer, findings: [Finding], kind: LineKind?, lines: Int)
    /// A header of a format that this verifier does not know.
    case unknownFormat(Finding)
}

/// A run of items in one frame.
struct ItemRun: Sendable {
    /// Lines, which are items.
    var count = 0
    /// Declared item hashes, quoted and separated by commas.
    var quotedHashes: [UInt8] = []
    /// What does not hold: item hashes, order within the run, scope.
    var findings: [Finding] = []
    /// Counts by sample type, in the order of their first item.
    var types: [(name: [UInt8]?, counts: TypeCounts)] = []
    /// Key and digest of the first and the last item, to compare across runs.
    var first, last: (key: OrderKey, digest: Digest)?
    /// Relationships with both ends in scope, by a digest that is the same from both items.
    var sources: Set<Digest> = []
    var targets: Set<Digest> = []
    /// Rows of a comparison.
    var rows: [ComparisonRow] = []
    /// What an archive is asked for, per item; empty when there is none to ask.
    var identities: [ItemIdentity] = []
}

/// How an item is found again in an archive.
struct ItemIdentity: Sendable {
    let type, identity, payload: [UInt8]?
    let hash: [UInt8]
    /// Its line within the frame.
    let line: Int
}
