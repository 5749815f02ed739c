internal import Bytes
internal import Format
internal import Manifest

/// The kind of a line.
package enum LineKind: Sendable {
    case header, item, manifest
}

/// An event of a frame's lines, in order. Line numbers count from 0 within the frame; whoever puts frames together adds
/// the lines before. Hostile input has very many events, so their contents are stored apart.
package enum LineEvent: Sendable {
    /// Items without damage, one after the other.
    indirect case items(ItemRun)
    /// A header without damage, and what is invalid in it.
    indirect case header(HeaderFacts, findings: [Finding])
    /// A manifest without damage.
    indirect case manifest(ManifestFacts)
    /// The header of a salvage, without damage.
    indirect case salvageHeader(SalvageFacts, findings: [Finding])
    /// The last line of a salvage, without damage.
    indirect case salvageEnd(ManifestFacts)
    /// A damaged line, or several blank ones; the kind, where it is known.
    case damaged(Layer, findings: [Finding], kind: LineKind?, lines: Int)
    /// A header of a format that this verifier does not know; the version, where builds before the first release wrote
    /// it.
    indirect case unknownFormat(Finding, unreleased: Int64?)
    /// One more line than there may be that is no undamaged item; nothing behind it was looked at.
    indirect case tooManyOthers(Finding)
    /// Damaged lines beyond the first of a frame.
    indirect case tallied(DamageTally)

    /// The kind of the line, if it is known.
    var kind: LineKind? {
        switch self {
        case .items: .item
        case .header, .salvageHeader, .unknownFormat: .header
        case .manifest, .salvageEnd: .manifest
        case .damaged(_, _, let kind, _): kind
        case .tallied, .tooManyOthers: nil
        }
    }

    /// Lines that it stands for.
    package var lineCount: Int {
        switch self {
        case .items(let run): run.count
        case .damaged(_, _, _, let lines): lines
        case .tallied(let tally): tally.lineCount
        default: 1
        }
    }
}

/// The first or the last item of a run, to compare across runs.
package struct RunEnd: Sendable {
    let key: OrderKey
    let digest: Digest

    /// Returns `true` if it sorts before another.
    package func precedes(_ other: RunEnd) -> Bool { key.precedes(other.key) }
}

/// The order of an item relative to the one before it.
package enum Standing: Sendable {
    case inOrder, samePlace, repeated, outOfOrder
}

/// A run of items in one frame.
package struct ItemRun: Sendable {
    /// Lines, which are items.
    package var count = 0
    /// Declared item hashes, quoted and separated by commas.
    package var quotedHashes: [UInt8] = []
    /// The numbers of the items of a view, whose rows have an order of their own.
    package var places: [Int64] = []
    /// The invalid things: item hashes, order within the run, scope.
    package var findings: [Finding] = []
    /// Strict fingerprints that may be those of later ordinals.
    var laterFingerprints: [LaterFingerprint] = []
    /// Counts by sample type, in the order of their first item.
    package var types: [(name: [UInt8]?, counts: TypeCounts)] = []
    /// The first and the last item.
    package var first, last: RunEnd?
    /// `true` if each item sorts after the one before it: then none is there twice.
    package var isAscending = true
    /// Relationships with both ends in scope that were seen from their source and from their target.
    var sources: Set<RelationshipKey> = []
    var targets: Set<RelationshipKey> = []
    /// The identities that an archive is asked for, per item; empty if there is none to ask.
    package var identities: [ItemIdentity] = []
    /// The sum of keyed hashes over the keys and hashes of the items, if one is wanted.
    package var sum: UInt128 = 0

    /// Adds an item by its declared hash.
    mutating func add(hash: Span<UInt8>) {
        if !quotedHashes.isEmpty { quotedHashes.append(UInt8(ascii: ",")) }
        quotedHashes.append(UInt8(ascii: "\""))
        quotedHashes.append(copying: hash)
        quotedHashes.append(UInt8(ascii: "\""))
        count += 1
    }

    /// Returns the order of the first item relative to an item before the run.
    package func standing(after end: RunEnd?) -> Standing {
        guard let end, let first else { return .inOrder }
        if end.digest == first.digest && !first.key.mayComeAgain || first.key.repeats(end.key) { return .repeated }
        let order = first.key.compared(with: end.key)
        return order < 0 ? .outOfOrder : order == 0 ? .samePlace : .inOrder
    }
}

/// The key of a relationship that both of its items share: the first half of a digest of everything that names it. All
/// keys of a bundle are kept, and half a digest tells them apart.
typealias RelationshipKey = UInt128
