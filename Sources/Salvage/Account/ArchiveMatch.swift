internal import Archive
internal import Verification

/// What an archive says of the items that were recovered.
public struct ArchiveMatch: Sendable {
    /// An item, by what identifies it; nil where it has no such member.
    public struct Identity: Sendable {
        public let sampleType, identityHash, payloadHash: String?

        init(_ identity: ExportComparison.Identity) {
            func text(_ bytes: [UInt8]) -> String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            sampleType = text(identity.type)
            identityHash = text(identity.identity)
            payloadHash = text(identity.payload)
        }
    }

    /// The export that the archive recorded; nil where it recorded none that is known to be this one. Then nothing
    /// is compared.
    public internal(set) var exportID: String?
    /// Recorded items that were not recovered: the first of them, and how many there are.
    public internal(set) var absent: [Identity] = []
    public internal(set) var absentCount = 0
    /// Recovered items that are not recorded like this.
    public internal(set) var unknown: [Identity] = []
    public internal(set) var unknownCount = 0
    /// Whether the archive was read from a private copy.
    public internal(set) var isPrivateCopy = false

    /// Whether the same items were recovered and recorded.
    public var isGood: Bool { exportID != nil && absentCount == 0 && unknownCount == 0 }
}

/// Keeps what was recovered and compares it with an archive.
final class ArchiveMatcher {
    private var comparison: ExportComparison
    private var failure: ArchiveError?
    private let limit: Int

    init(_ archive: borrowing Archive, limit: Int) throws(ArchiveError) {
        comparison = try ExportComparison(archive)
        self.limit = limit
    }

    /// Keeps the items of a run. An error shows when the comparison is finished.
    func add(_ items: [ItemIdentity]) {
        guard failure == nil else { return }
        do {
            for item in items {
                try comparison.add(
                    type: item.type, identity: item.identity, payload: item.payload, hash: item.hash, line: nil)
            }
        } catch {
            failure = error
        }
    }

    /// Compares with the export of this id; where the header was lost, with the one of this manifest hash.
    func finish(_ archive: borrowing Archive, exportID: String?, manifestHash: String?) throws -> ArchiveMatch {
        if let failure { throw failure }
        var match = ArchiveMatch()
        match.isPrivateCopy = archive.isPrivateCopy
        var record: ExportRecord?
        if let exportID {
            record = try archive.exportRecord(exportID)
        } else if let manifestHash {
            record = try archive.exportRecords().first { $0.manifestHash == manifestHash }
        }
        if let record {
            match.exportID = record.exportID
            try comparison.differences(from: record, in: archive, ignoringRepeats: true) { difference in
                switch difference {
                case .absent(_, _, let identity): add(identity, to: &match.absent, &match.absentCount)
                case .unknown(_, let identity): add(identity, to: &match.unknown, &match.unknownCount)
                case .hash(_, _, _, let identity):
                    add(identity, to: &match.absent, &match.absentCount)
                    add(identity, to: &match.unknown, &match.unknownCount)
                }
            }
        }
        guard archive.isUnchanged() else { throw SalvageError(archive.path, "the archive changed while it was read") }
        return match
    }

    private func add(_ identity: ExportComparison.Identity, to list: inout [ArchiveMatch.Identity], _ count: inout Int)
    {
        count += 1
        if list.count < limit { list.append(ArchiveMatch.Identity(identity)) }
    }
}
