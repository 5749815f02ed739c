import Files
import Foundation
import Recording
import Scratch

@testable import Capture

/// Feeds and the secret of their expectations: the bytes 00 to 1f, the chain seed 20 to 3f
/// (`Spec/examples/identity.json`).
enum Feeds {
    static func secret(in folder: TemporaryFolder) throws -> ArchiveSecret {
        func digits(_ bytes: Range<UInt8>) -> String {
            bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        }
        try write(
            Array("healthprobe-secret 1\nsecret \(digits(0..<32))\nchain \(digits(32..<64))\n".utf8), as: "secret",
            mode: 0o600, in: folder)
        return try ArchiveSecret.open(folder.path("secret"))
    }

    static func write(_ bytes: [UInt8], as name: String, mode: Int, in folder: TemporaryFolder) throws {
        try folder.write(bytes, as: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name).text)
    }

    /// The steps of a feed as the `.steps` files write them, and the error that ended it.
    static func steps(of path: Path, secret: ArchiveSecret, chunkSize: Int = 256 << 10) async throws -> (
        steps: [String], error: CaptureError?
    ) {
        let reader = try FeedReader.open(path, secret: secret, chunkSize: chunkSize)
        var steps: [String] = []
        do throws(CaptureError) {
            while let step = try await reader.next() { steps.append(text(of: step)) }
        } catch {
            return (steps, error)
        }
        return (steps, nil)
    }

    /// The pages of a feed.
    static func pages(of path: Path, secret: ArchiveSecret) async throws -> [CapturePage] {
        let reader = try FeedReader.open(path, secret: secret)
        var pages: [CapturePage] = []
        while let step = try await reader.next() { if case .page(let page, _, _) = step { pages.append(page) } }
        return pages
    }

    /// A feed of one observation whose one page has these lines.
    static func feed(_ content: [String], type: String = "T") -> [UInt8] {
        let lines =
            [
                #"{"kind":"feed","format":"healthprobe-feed","format_version":1}"#,
                #"{"kind":"observation","observed_at":"2024-05-01T10:00:00Z","trigger_reason":"manual"}"#,
                #"{"kind":"run","sample_type":"\#(type)","mode":"full_scan"}"#,
            ] + content + [
                #"{"kind":"page","number":1}"#, #"{"kind":"run_end","sample_type":"\#(type)","status":"completed"}"#,
                #"{"kind":"observation_end","status":"completed"}"#,
            ]
        return Array(lines.joined(separator: "\n").utf8) + [0x0A]
    }

    /// A sample line with more members.
    static func sample(_ members: String = "", start: String = "2024-05-01T09:00:00Z") -> String {
        #"{"kind":"sample","sample_type":"T","value_kind":"quantity","start_date":"\#(start)","end_date":"2024-05-01T09:00:01Z"\#(members.isEmpty ? "" : ",")\#(members)}"#
    }

    private static func text(of step: CaptureStep) -> String {
        func word(_ bytes: [UInt8]?) -> String {
            bytes.map { String(decoding: $0, as: UTF8.self).replacing("\0", with: "\\0") } ?? "-"
        }
        func hex(_ bytes: [UInt8]?) -> String {
            bytes.map { $0.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined() } ?? "-"
        }
        switch step {
        case .beginObservation(let facts): return "observation \(facts.observedAt) \(word(facts.triggerReason))"
        case .beginRun(let facts):
            return
                "run \(word(facts.sampleType)) \(facts.mode.rawValue) before=\(hex(facts.anchorBefore)) problem=\(facts.anchorProblem?.rawValue ?? "-")"
        case .page(let page, let number, let digest):
            let rejections = page.rejections.map { "\($0.reason)@\($0.place)" }.joined(separator: ",")
            return
                "page \(number) samples=\(page.samples.count) deleted=\(page.deleted.count) links=\(page.distantLinks.count) "
                + "rejections=\(rejections.isEmpty ? "-" : rejections) digest=\(word(digest))"
        case .endRun(let end):
            return
                "run_end \(word(end.sampleType)) \(end.status.rawValue) after=\(hex(end.anchorAfter)) visible=\(end.verifiedVisibleCount.map { "\($0)" } ?? "-") "
                + "error=\(word(end.errorKind)) message=\(word(end.errorMessageHash))"
        case .endObservation(let end): return "observation_end \(end.rawValue)"
        }
    }
}
