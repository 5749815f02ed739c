internal import Archive
internal import Manifest
internal import SQLite

extension SampleStatements {
    /// A sample that is in the archive.
    struct Found {
        let id: Int64
        /// Row id of its open range on the chain; 0 where it is not visible.
        let range: Int64
        /// The visible version.
        let version: Int64?
        /// Whether the visible version has the payload that was asked for.
        let isSamePayload: Bool

        var isVisible: Bool { range != 0 }

        init(id: Int64, range: Int64, version: Int64, isSamePayload: Bool) {
            (self.id, self.range, self.version, self.isSamePayload) = (id, range, version, isSamePayload)
        }

        init(row: borrowing Statement, _ payload: Digest) {
            id = row.integer(0) ?? 0
            range = row.integer(1) ?? 0
            version = row.integer(2)
            isSamePayload = row.isHex(3, of: payload)
        }
    }

    /// What is bound of a new row of `samples`.
    enum SampleColumn: Int32, SQLiteColumn {
        case sampleTypeID = 1, sampleUUIDHash, strictFingerprint, semanticFingerprint
        case fuzzyKey, firstSeenAt, id
    }

    /// What is bound of a new row of `sample_versions`.
    enum VersionColumn: Int32, SQLiteColumn {
        case sampleID = 1, payloadHash, startDate, endDate, valueKind, numericValue
        case unit, categoryValue, workoutActivityType, durationSeconds, sourceRevisionID
        case hkDeviceID, metadataID, id
    }
}
