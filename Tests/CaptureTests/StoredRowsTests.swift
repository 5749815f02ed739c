import Archive
import Files
import Manifest
import Recording
import Scratch
import Testing

@Suite struct `Rows of a capture` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The schema changes after the archive was opened, which no check of it can see.
    @Test(arguments: ["samples", "sample_versions", "sample_observation_events", "sample_visibility_ranges"])
    func `a page of which a row is not stored is not kept`(table: String) throws {
        let path = folder.path("a.sqlite")
        try Archive.create(path, origin: Archive.Origin(program: "test 1", createdAt: 946_684_800))
        let archive = try Archive.open(path, for: .capturing)
        _ = try Program.sqlite(
            path,
            """
            ALTER TABLE \(table) ADD COLUMN more NOT NULL DEFAULT 1;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL DEFAULT 1', 'NOT NULL ON CONFLICT IGNORE')
            WHERE name = '\(table)';
            PRAGMA writable_schema = RESET;
            CREATE TABLE later(x)
            """)
        let error = #expect(throws: ArchiveError.self) { try ingest(page(), into: archive) }
        #expect(error?.code == .evidence)
        #expect(
            error?.description.hasSuffix("into \(table): 0 of 1 rows were stored; nothing is kept") == true,
            "\(error?.description ?? "stored")")
        for name in ["samples", "sample_versions", "sample_observation_events", "sample_visibility_ranges"] {
            #expect(try Program.sqlite(path, "SELECT count(*) FROM \(name)") == ["0"])
        }
    }

    /// A source of somebody else's may know less than the sources here.
    @Test func `what a page leaves out is stored as NULL`() throws {
        let path = folder.path("a.sqlite")
        try Archive.create(path, origin: Archive.Origin(program: "test 1", createdAt: 946_684_800))
        try ingest(page(), into: try Archive.open(path, for: .capturing))
        for name in [
            "value_kind", "numeric_value", "unit", "category_value", "workout_activity_type", "duration_seconds",
            "source_revision_id", "hk_device_id", "metadata_id",
        ] { #expect(try Program.sqlite(path, "SELECT \(name) IS NULL FROM sample_versions") == ["1"], "\(name)") }
    }

    private func ingest(_ page: CapturePage, into archive: borrowing Archive) throws {
        let facts = ObservationFacts(observedAt: 946_684_900, triggerReason: Array("manual".utf8))
        let chain = [UInt8](repeating: UInt8(ascii: "c"), count: 64)
        let beginning = ObservationBeginning(
            facts: facts, deviceChainHash: chain, isSeedKnown: true, program: "test 1", now: 946_684_900)
        var recorder = try ObservationRecorder.begin(beginning, in: archive)
        try recorder.keep(in: archive, atEnd: false)
        try recorder.beginRun(
            RunFacts(sampleType: Array("com.example.beats".utf8), mode: .fullScan), now: 946_684_900, in: archive)
        try recorder.ingest(page, now: 946_684_900, in: archive)
    }

    private func page() throws -> CapturePage {
        let digits = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
        let read = Digest(hex: digits.span)
        let hash = try #require(read)
        var page = CapturePage()
        page.types = [Array("com.example.beats".utf8)]
        var sample = CapturePage.Sample(
            fingerprint: hash, semanticFingerprint: nil, payloadHash: hash, fuzzyKey: 0..<0, startDate: 946_684_800,
            endDate: 946_684_800)
        sample.type = 0
        page.samples = [sample]
        return page
    }
}
