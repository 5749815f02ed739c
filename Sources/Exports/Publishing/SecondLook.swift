internal import Archive
internal import Files

/// The look that an export takes at its archive before it counts (`Spec/bundle.md`, "Publishing").
///
/// A commit since the export was read may have undone one of its observations, or repaired rows of it. Then the archive
/// does not give the export again: what it says is not true of any archive.
struct SecondLook {
    let request: ExportRequest
    let exportID: String
    let manifestHash: String
    /// The state of the archive that was read (`Archive.commitNumber`).
    let commitNumber: Int64?
    /// `true` if the archive had a record of the export when it was read.
    let wasRecorded: Bool
    let shouldStop: () -> Bool

    /// Returns an observation of a scope that an archive does not have; `nil` if it has all.
    static func missingObservation(of scope: Scope, in archive: borrowing Archive) throws -> Int64? {
        for id in [scope.observationID, scope.fromObservationID] {
            if let id, try !archive.hasObservation(id) { return id }
        }
        return nil
    }

    /// Throws if a record of the export states another manifest hash.
    func requireSame(_ record: ExportRecord) throws {
        guard record.manifestHash == manifestHash else {
            throw ExportError.evidenceChanged(exportID: exportID, recorded: record.manifestHash, now: manifestHash)
        }
    }

    /// Throws if what was read does not count (`Archive.checkReading`).
    func requireWhole(_ archive: borrowing Archive) throws {
        guard archive.isLive || archive.isPrivateCopy || archive.isUnchanged() || !request.isStream else {
            throw ExportError.outdated(archive: archive.path.display, observation: nil, isStream: true)
        }
        try archive.checkReading()
    }

    /// Throws unless the archive, in the transaction that is open now, still gives the export.
    ///
    /// - Complexity: O(1) if nothing was committed since the export was read, else as the export.
    func requireCurrent(in archive: borrowing Archive) throws {
        guard try commitNumber == nil || archive.commitNumber() != commitNumber else { return }
        if wasRecorded {
            guard let record = try archive.exportRecord(exportID) else { throw try outdated(archive) }
            return try requireSame(record)
        }
        guard try Self.missingObservation(of: request.scope, in: archive) == nil,
            try Reproduction.gives(
                ExportQuestion(request, exportID: exportID), manifestHash, archive, shouldStop: shouldStop)
        else { throw try outdated(archive) }
    }

    /// Throws unless the archive still gives the export, of which no new record is made. No transaction is open.
    func requireCurrent(afterReading archive: borrowing Archive) throws {
        if archive.isLive {
            try archive.begin(writing: false)
            try requireCurrent(in: archive)
            return archive.rollBack()
        }
        guard try !archive.isStill() else { return }
        let now = try Archive.open(archive.path, for: .reading, wait: archive.wait)
        try now.beginSideBySide()
        // The numbers of two connections say nothing of each other.
        let look = SecondLook(
            request: request, exportID: exportID, manifestHash: manifestHash, commitNumber: nil,
            wasRecorded: wasRecorded, shouldStop: shouldStop)
        try look.requireCurrent(in: now)
    }

    private func outdated(_ archive: borrowing Archive) throws -> ExportError {
        .outdated(
            archive: archive.path.display, observation: try Self.missingObservation(of: request.scope, in: archive),
            isStream: request.isStream)
    }
}

extension ExportRequest {
    /// `true` if the export goes to standard output.
    var isStream: Bool { if case .standardOutput = destination { true } else { false } }
}
