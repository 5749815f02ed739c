internal import Bytes
internal import Manifest

/// The strict fingerprints of samples that are alike (`Spec/identity.md`, "Alike").
///
/// Those of the last item are kept: samples that are alike have the same dates, so they stand near each other, and a thousand of them cost a thousand hashes.
struct AlikeFingerprints {
    private var first: Digest?
    private var known: Set<Digest> = []
    private var preimage: [UInt8] = []

    /// How many ordinals are looked at.
    static let limit = 4096

    /// Whether a digest is the fingerprint of an ordinal from 1 to the limit, where `first` is that of ordinal 0.
    mutating func contains(_ digest: Digest, after first: Digest, prefix: [UInt8], _ hash: inout SHA256) -> Bool {
        if self.first != first {
            self.first = first
            known.removeAll(keepingCapacity: true)
        }
        if known.contains(digest) { return true }
        while known.count < Self.limit {
            let next = fingerprint(first, known.count + 1, prefix, &hash)
            known.insert(next)
            if next == digest { return true }
        }
        return false
    }

    private mutating func fingerprint(_ first: Digest, _ ordinal: Int, _ prefix: [UInt8], _ hash: inout SHA256) -> Digest {
        preimage.removeAll(keepingCapacity: true)
        preimage.append(copying: prefix.span)
        preimage.append(contentsOf: "{\"alike\":\"".utf8)
        first.appendHex(to: &preimage)
        preimage.append(contentsOf: "\",\"ordinal\":\(ordinal)}".utf8)
        hash.update(preimage.span)
        return hash.finish()
    }
}
