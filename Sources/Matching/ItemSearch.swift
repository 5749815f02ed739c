internal import Archive
internal import Bytes
internal import Codes
internal import Files
internal import Verification

/// Finds the items that a file does not have alike with an archive: with what it gives, and with what it recorded.
///
/// It takes the items of the file, which is read once more, then those of the archive.
final class ItemSearch: ItemSink {
    let isInEvidence, isInRecord: Bool
    /// `true` if only the hashes of the items are known.
    private let isOfHashes: Bool
    /// Why the items of the file could not be kept.
    private(set) var failure: ArchiveError?
    /// `nil` if nothing is looked for there.
    private let evidence, record: ItemDiffer?

    /// Items of one key that are named; the others are counted.
    private static let limit = 1000

    init(_ path: Path, ofHashes isOfHashes: Bool, inEvidence: Bool, inRecord: Bool) {
        (isInEvidence, isInRecord) = (inEvidence, inRecord)
        self.isOfHashes = isOfHashes
        evidence = inEvidence ? ItemDiffer(of: path) : nil
        record = inRecord ? ItemDiffer(of: path) : nil
    }

    /// `true` if anything is looked for.
    var isNeeded: Bool { isInEvidence || isInRecord }

    func add(_ run: ItemRun, lines: Int?) {
        guard failure == nil else { return }
        var key = ByteBuffer(capacity: 256)
        do throws(ArchiveError) {
            if isOfHashes { return try addHashes(of: run, lines) }
            for item in run.identities {
                let place = ItemDiffer.Place(Int64(lines.map { $0 + item.line + 1 } ?? 0))
                Self.set(&key, to: item)
                try evidence?.add(.left, key: key.span, hash: item.hash.span, place, isExcused: !item.isHashRight)
                if item.isOfSample { try record?.add(.left, key: key.span, hash: item.hash.span, place) }
            }
        } catch {
            failure = error
        }
    }

    /// Adds the items of a view: a hash in quotes each, with commas between them.
    private func addHashes(of run: ItemRun, _ lines: Int?) throws(ArchiveError) {
        for index in 0..<run.count {
            let hash = run.quotedHashes.span.extracting(index * 67 + 1..<index * 67 + 65)
            let place = ItemDiffer.Place(Int64(lines.map { $0 + index + 1 } ?? 0))
            try evidence?.add(.left, key: hash, hash: hash, place)
        }
    }

    /// Sets the key of an item: an item of no sample is found by its hash.
    private static func set(_ key: inout ByteBuffer, to item: ItemIdentity) {
        ItemKey.set(&key, to: item.isOfSample ? [item.type, item.identity, item.payload] : [item.type, item.hash])
    }

    /// Adds items that the archive gives.
    func add(given items: [ItemIdentity]) throws(ArchiveError) {
        var key = ByteBuffer(capacity: 256)
        for item in items {
            Self.set(&key, to: item)
            if isOfHashes {
                key.removeAll()
                key.append(copying: item.hash.span)
            }
            try evidence?.add(.right, key: key.span, hash: item.hash.span, ItemDiffer.Place(0))
        }
    }

    /// Adds the items that an archive recorded.
    func addRecord(_ record: ExportRecord, of archive: borrowing Archive, _ shouldStop: () -> Bool)
        throws
    {
        try archive.recordedItems(of: record, shouldStop: shouldStop) { key, hash, place throws(ArchiveError) in
            try self.record?.add(.right, key: key, hash: hash, place)
        }
    }

    /// Reports the items that are not those that were recorded.
    ///
    /// - Parameter isWhole: `false` if lines that could not be read may be the items that are missing.
    func reportRecord(isWhole: Bool, ignoringRepeats: Bool, _ report: inout Report) throws(ArchiveError) {
        _ = try record?.finish(limit: Self.limit, ignoringRepeats: ignoringRepeats) { found in
            switch found.kind {
            case .changed:
                report.add(
                    Finding(
                        .archiveItemHash, line: Self.line(found.left), expected: Self.text(found.right),
                        found: Self.text(found.left)))
            case .leftOnly: report.add(Finding(.archiveItemUnknown, line: Self.line(found.left)))
            case .rightOnly:
                guard isWhole else { return }
                let place = found.right?.place
                let version = place?.second.map { ", version \($0)" } ?? ""
                report.add(
                    Finding(
                        .archiveItemAbsent,
                        expected: place.map { "export_items: sample \($0.first)\(version)" }))
            }
        }
    }

    /// Reports the items that are not those that the archive gives. An item that is not what its own hash says is
    /// reported as that alone.
    func reportEvidence(isWhole: Bool, ignoringRepeats: Bool, _ report: inout Report) throws(ArchiveError) {
        _ = try evidence?.finish(limit: Self.limit, ignoringRepeats: ignoringRepeats) { found in
            guard !found.isExcused else { return }
            switch found.kind {
            case .changed: report.add(Finding(.archiveEvidenceChanged, line: Self.line(found.left)))
            case .leftOnly: report.add(Finding(.archiveEvidenceUnknown, line: Self.line(found.left)))
            case .rightOnly: if isWhole { report.add(Finding(.archiveEvidenceAbsent)) }
            }
        }
    }

    /// Returns the line of an item of the file; `nil` if lines have no numbers.
    private static func line(_ item: ItemDiffer.Item?) -> Int? {
        item.flatMap { $0.place.first > 0 ? Int($0.place.first) : nil }
    }

    private static func text(_ item: ItemDiffer.Item?) -> String? {
        item.map { String(decoding: $0.hash, as: UTF8.self) }
    }
}
