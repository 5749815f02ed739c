internal import Bytes
internal import Codes
internal import Format
internal import Manifest

/// A strict fingerprint that is not the one of ordinal 0, and may be that of a later one.
struct LaterFingerprint: Sendable {
    /// The fingerprint that the item states, and that of ordinal 0.
    let stated, first: Digest
    /// The item's line, within the frame.
    let line: Int
    /// The number of findings that its run has before it.
    let place: Int
    /// The finding on the semantic fingerprint if it does not hold. It is reported only if the strict fingerprint
    /// holds.
    let semantic: Finding?
}

/// The strict fingerprints of samples that are alike (`Spec/identity.md`, "Alike").
///
/// Those of the last item are kept: samples that are alike have the same dates, so they stand near each other, and a
/// thousand of them cost a thousand hashes. One for a whole file, in the order of its items, so that what is looked at
/// does not depend on what is checked side by side.
final class AlikeFingerprints {
    /// The state of a fingerprint.
    enum Outcome { case holds, fails, unknown }

    private var first: Digest?
    private var known: Set<Digest> = []
    private var preimage: [UInt8] = []
    private var hash = SHA256()
    private var budget: Int

    /// The numbers of ordinals that are looked at for one item, and for a file.
    static let limit = 1 << 16, budget = 1 << 20

    /// - Parameter budget: ordinals that are looked at for all items.
    init(budget: Int = AlikeFingerprints.budget) { self.budget = budget }

    /// Returns the findings of a run, with those of the fingerprints that are not the ones of ordinal 0.
    func findings(of run: ItemRun) -> [Finding] {
        guard !run.laterFingerprints.isEmpty else { return run.findings }
        var findings: [Finding] = []
        var place = 0
        for later in run.laterFingerprints {
            findings += run.findings[place..<later.place]
            place = later.place
            if let finding = finding(of: later) { findings.append(finding) }
        }
        return findings + run.findings[place...]
    }

    private func finding(of later: LaterFingerprint) -> Finding? {
        let pointer = "/item/" + ItemMember.strictFingerprint.name
        switch outcome(later.stated, after: later.first) {
        case .holds: return later.semantic
        case .fails:
            return Finding(
                .itemStrictFingerprint, line: later.line, pointer: pointer, expected: later.first.hex,
                found: later.stated.hex)
        case .unknown: return Finding(.itemAlikeLimit, line: later.line, pointer: pointer)
        }
    }

    /// Returns `.holds` if a digest is the fingerprint of an ordinal from 1 to the limit, where `first` is that of
    /// ordinal 0; `.unknown` if the budget ends first.
    func outcome(_ digest: Digest, after first: Digest) -> Outcome {
        if self.first != first {
            self.first = first
            known.removeAll(keepingCapacity: true)
        }
        if known.contains(digest) { return .holds }
        while known.count < Self.limit {
            guard budget > 0 else { return .unknown }
            budget -= 1
            let next = fingerprint(first, known.count + 1)
            known.insert(next)
            if next == digest { return .holds }
        }
        return .fails
    }

    private func fingerprint(_ first: Digest, _ ordinal: Int) -> Digest {
        preimage.removeAll(keepingCapacity: true)
        preimage.append(contentsOf: Domain.strictFingerprint.prefix)
        preimage.append(contentsOf: "{\"alike\":\"".utf8)
        first.appendHex(to: &preimage)
        preimage.append(contentsOf: "\",\"ordinal\":\(ordinal)}".utf8)
        hash.update(preimage.span)
        return hash.finish()
    }
}
