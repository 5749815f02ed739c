import Archive
import Files
import Recording
import Scratch
import Testing

@testable import Capture

@Suite struct `The phone of a backup` {
    private let folder: TemporaryFolder
    private let path: Path
    /// HMAC-SHA256 of `hp:v2:phone:0000-TEST`, worked out elsewhere.
    private let hash = "e85e1547da3995c00f4905183d03fa1aca144b7c8a82b7bf335b71b1a8c3ec58"

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.sqlite")
        try Archive.create(path, origin: Archive.Origin(program: "test 1", createdAt: 946_684_800))
    }

    @Test func `another phone is refused, and nothing is kept`() async throws {
        try await capture(day: 1, phone: "0000-TEST")
        #expect(try stored() == [hash])
        let error = await #expect(throws: ArchiveError.self) { try await capture(day: 2, phone: "1111-TEST") }
        #expect(error?.description.contains("another phone than the one before; --accept-phone goes on") == true)
        #expect(try Program.sqlite(path, "SELECT count(*) FROM observations") == ["1"])
        try await capture(day: 2, phone: "1111-TEST", accepts: true)
        let logged = "SELECT detail_json FROM context_log WHERE event_kind = 'guard_overridden'"
        #expect(try Program.sqlite(path, logged) == ["{\"option\":\"accept-phone\"}"])
        // From then on it is the phone of the chain.
        try await capture(day: 3, phone: "1111-TEST")
    }

    @Test func `a backup that states no phone is compared with none`() async throws {
        try await capture(day: 1, phone: nil)
        try await capture(day: 2, phone: "0000-TEST")
        try await capture(day: 3, phone: nil)
        #expect(try stored() == [hash])
        await #expect(throws: ArchiveError.self) { try await capture(day: 4, phone: "1111-TEST") }
    }

    private func stored() throws -> [String] {
        try Program.sqlite(path, "SELECT person_hash FROM observation_facts WHERE person_hash IS NOT NULL")
    }

    /// Captures a feed of one record, in pieces of seven bytes.
    private func capture(day: Int, phone: String?, accepts: Bool = false) async throws {
        let lines = [
            #"{"kind":"feed","format":"healthprobe-feed","format_version":1}"#,
            #"{"kind":"observation","observed_at":"2024-05-0\#(day)T10:00:00Z","trigger_reason":"iphone_backup"}"#,
            #"{"kind":"run","sample_type":"a","mode":"full_scan"}"#,
            #"{"kind":"sample","sample_type":"a","uuid":"00000000-0000-4000-8000-000000000001","#
                + #""start_date":"2024-04-01T10:00:00Z","end_date":"2024-04-01T10:00:00Z","value_kind":"other"}"#,
            #"{"kind":"page","number":1}"#,
            #"{"kind":"run_end","sample_type":"a","status":"completed"}"#,
            #"{"kind":"observation_end","status":"completed"}"#,
        ]
        var rest = Array(lines.map { $0 + "\n" }.joined().utf8)
        let feed = OpenFeed(named: "backup") {
            let piece = Array(rest.prefix(7))
            rest.removeFirst(piece.count)
            return piece.isEmpty ? nil : piece
        }
        let secret = try Feeds.secret(in: folder)
        var hooks = Capture.Hooks(progress: { _ in }, shouldStop: { false }, now: { 1_715_000_000 })
        hooks.guards.acceptsPhone = accepts
        let wait = LockWait(shouldStop: { false })
        var capture = try Capture.open(
            path, lock: try CaptureLock.take(for: path, wait), secret: secret, program: "test 1", wait: wait,
            hooks: hooks)
        let reader = FeedReader(feed, secret: secret)
        let backup = Capture.Backup(phone: phone.map { Array($0.utf8) })
        try await capture.run(feed: reader, of: backup) { _ in }
        try capture.close()
    }
}
