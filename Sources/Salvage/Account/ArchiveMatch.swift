internal import Archive
internal import Bytes
internal import Verification

/// The archive's answer on the items that were recovered.
public struct ArchiveMatch: Sendable {
    /// An item, by what identifies it; nil where it has no such member.
    public struct Identity: Sendable {
        public let sampleType, identityHash, payloadHash: String?

        /// The identity that an `ItemKey` has.
        init(key: [UInt8]) {
            let texts = ItemKey.texts(of: key).map { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
            (sampleType, identityHash, payloadHash) = (texts[0], texts[1], texts[2])
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
    /// `true` if the archive was read from a private copy.
    public internal(set) var isPrivateCopy = false

    /// `true` if the same items were recovered and recorded.
    public var isGood: Bool { exportID != nil && absentCount == 0 && unknownCount == 0 }
}

/// Keeps what was recovered and compares it with an archive.
final class ArchiveMatcher {
    private let differ: ItemDiffer
    private var failure: ArchiveError?
    private let limit: Int

    init(_ archive: borrowing Archive, limit: Int) {
        differ = ItemDiffer(of: archive.path)
        self.limit = limit
    }

    /// Keeps the items of a run. An error shows when the comparison is finished.
    func add(_ items: [ItemIdentity]) {
        guard failure == nil else { return }
        var key = ByteBuffer(capacity: 256)
        do throws(ArchiveError) {
            for item in items {
                ItemKey.set(&key, to: [item.type, item.identity, item.payload])
                try differ.add(.left, key: key.span, hash: item.hash.span, ItemDiffer.Place(0))
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
            try archive.recordedItems(of: record) { key, hash, place throws(ArchiveError) in
                try differ.add(.right, key: key, hash: hash, place)
            }
            _ = try differ.finish(limit: 0, ignoringRepeats: true) { found in
                if found.kind != .leftOnly { add(found.key, to: &match.absent, &match.absentCount) }
                if found.kind != .rightOnly { add(found.key, to: &match.unknown, &match.unknownCount) }
            }
        }
        guard archive.isUnchanged() else { throw SalvageError(archive.path, "the archive changed while it was read") }
        return match
    }

    private func add(_ key: [UInt8], to list: inout [ArchiveMatch.Identity], _ count: inout Int) {
        count += 1
        if list.count < limit { list.append(ArchiveMatch.Identity(key: key)) }
    }
}
