internal import Manifest

/// The manifest hash of a bundle that is being read.
final class HasherBox {
    private var hasher: ManifestHasher?
    private var salvageHasher: SalvageHasher?

    init(export: [UInt8]) { hasher = ManifestHasher(export: export.span) }

    init(salvage: ()) { salvageHasher = SalvageHasher() }

    func add(_ quotedHashes: [UInt8]) {
        hasher?.add(quotedHashes: quotedHashes.span)
        salvageHasher?.add(quotedHashes: quotedHashes.span)
    }

    func finish(salvage: [UInt8], totals: [UInt8]) -> Digest {
        guard let hasher = salvageHasher.take() else { preconditionFailure("a salvage hash is finished once") }
        return hasher.finish(salvage: salvage.span, totals: totals.span)
    }

    func finish(totals: [UInt8]) -> Digest {
        guard let hasher = hasher.take() else { preconditionFailure("a manifest hash is finished once") }
        return hasher.finish(totals: totals.span)
    }
}
