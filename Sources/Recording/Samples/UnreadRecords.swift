internal import Archive
internal import Manifest
internal import SQLite

/// Records of which a part could not be looked at: routes whose files are not beside the export
/// (`Spec/capture.md`, "What was not looked at").
extension SampleRecorder {
    /// Returns a page in which a record with an unread part has the payload that the archive shows of it, if all that
    /// was read is the same.
    mutating func settled(_ page: borrowing CapturePage, _ rows: RowIDs) throws(ArchiveError) -> CapturePage {
        var settled = copy page
        for index in settled.samples.indices where settled.samples[index].isUnread {
            let sample = settled.samples[index]
            unreadCounts[rows.types[sample.type], default: 0] += 1
            if let payload = try visiblePayload(of: sample, page, rows) {
                settled.samples[index].payloadHash = payload
            }
        }
        return settled
    }

    /// Returns the payload of the first alike sample that is visible, that no other record was taken for, and that
    /// differs in nothing that was read.
    private mutating func visiblePayload(
        of sample: CapturePage.Sample, _ page: borrowing CapturePage, _ rows: RowIDs
    ) throws(ArchiveError) -> Digest? {
        for ordinal in 0..<Self.lookahead {
            let fingerprint = fingerprint(sample.fingerprint, ordinal)
            guard let found = try statements.unread.find(sample, fingerprint, page, rows) else { return nil }
            if let payload = found.payload, try isFree(found.id), try settledSamples.insert(found.id) { return payload }
        }
        return nil
    }
}
