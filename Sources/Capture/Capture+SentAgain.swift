internal import Archive
internal import Files
internal import Recording

/// Refuses sources that were captured before and differ (`Spec/capture.md`, "Sent again").
extension Capture {
    /// Throws if a source that is finished differs from what was captured before.
    func checkDifferences(_ recorder: borrowing ObservationRecorder) throws {
        let differences = recorder.differences
        guard let fault = differences.fault else {
            let types = differences.types.prefix(3).map { printable($0.utf8, limit: 100) }
            return try checkSame(recorder, types.isEmpty ? "" : " in \(types.joined(separator: ", "))")
        }
        let place = fault.type.map { " in \(printable($0.utf8, limit: 100))" }
        throw CaptureError.differs(recorder.id, of: archive.path, place ?? "", fault.text, later: recorder.later)
    }

    /// Throws if an observation that was captured before is sent again and has other evidence so far, or if one that is
    /// resumed is contradicted.
    func checkSame(_ recorder: borrowing ObservationRecorder, _ place: String) throws {
        if recorder.differences.fault != nil { return try checkDifferences(recorder) }
        guard recorder.start == .compared, recorder.counts.hasEvidence else { return }
        let what = LogDetail.differences(recorder.counts)
        throw CaptureError.differs(recorder.id, of: archive.path, place, what, later: recorder.later)
    }
}
