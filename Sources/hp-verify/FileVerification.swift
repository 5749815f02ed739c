import Archive
import Files
import Matching
import Tool
import Verification

/// The findings of one file, or the reason why it could not be looked at.
struct VerifiedFile: Sendable {
    let file: Path
    let archive: Path?
    let outcome: Outcome
    let time: Duration

    enum Outcome: Sendable {
        case verified(SignedReport)
        /// One line, with the file, and what the user may do.
        case unreadable(String, hint: String?)
    }

    /// The exit status that the file by itself would have.
    var status: ExitStatus {
        switch outcome {
        case .verified(let report): report.isGood ? .good : .findings
        case .unreadable: .failed
        }
    }
}

/// Why a file cannot be verified: what it is. One line, with the file.
struct NotReadable: HintedError {
    let description: String
    var hint: String?
}

/// Verifies files one by one, or some of them side by side.
struct FileVerification: Sendable {
    let call: Call
    let archive: Path?
    /// `true` if only what the archive recorded is compared.
    let isRecordedOnly: Bool
    /// `nil` if nobody asked who signed.
    let signature: SignatureQuestion?
    let options: VerificationOptions
    let progress: Progress.Form

    /// Bytes that are taken from standard input.
    private static let inputLimit: Int64 = 8 << 30

    /// Verifies a file; `-` is standard input.
    ///
    /// - Throws: what is wrong with the archive, or that it was to stop. What is wrong with the file is in the result.
    func verify(_ path: Path) async throws -> VerifiedFile {
        let began = ContinuousClock.now
        let outcome = try await outcome(of: path)
        return VerifiedFile(file: path, archive: archive, outcome: outcome, time: ContinuousClock.now - began)
    }

    private func outcome(of path: Path) async throws -> VerifiedFile.Outcome {
        do {
            let report = try await verify(Self.open(path))
            let signature = try signature?.result(of: path, report)
            return .verified(SignedReport(report: report, signature: signature))
        } catch  where error is FileError || error is UnreleasedFormat || error is NotReadable {
            return .unreadable("\(error)", hint: (error as? NotReadable)?.hint)
        }
    }

    /// Opens a file to verify; `-` is standard input.
    static func open(_ path: Path) throws -> Descriptor {
        guard path.bytes.elementsEqual("-".utf8) else {
            let file = try Descriptor.reading(path)
            let status = try file.status()
            guard status.isRegular else {
                throw NotReadable(description: "\(path.display): \(status.kind), not a regular file")
            }
            return file
        }
        let input = try Descriptor.standardInput()
        let status = try input.status()
        if status.isRegular { return input }
        guard status.isPipe else {
            throw NotReadable(description: "standard input: \(status.kind), not a file or a pipe")
        }
        guard
            let copy = try Descriptor.unnamedCopy(
                of: input, after: [UInt8]().span, limit: inputLimit, shouldStop: Signals.shouldStop)
        else { throw NotReadable(description: "standard input: more than \(inputLimit >> 30) GiB") }
        if Signals.shouldStop() { throw CancellationError() }
        return copy
    }

    private func verify(_ file: consuming Descriptor) async throws -> Report {
        let progress = Progress("items", total: nil, form: progress)
        defer { progress.end() }
        guard let path = archive else {
            return try await BundleVerifier.verify(
                file, options: options, progress: { progress.update($0) }, shouldStop: Signals.shouldStop)
        }
        let archive = try call.open(path)
        try archive.requireKeys()
        return try await BundleVerifier.verify(
            file, archive: archive, isRecordedOnly: isRecordedOnly, options: options,
            progress: { progress.update($0) }, shouldStop: Signals.shouldStop)
    }
}
