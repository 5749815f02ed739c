import Files
import Scratch
import Testing
import Timestamps

@testable import Archive

@Suite struct `Choosing an observation` {
    private static let sql = """
        INSERT INTO device_chains VALUES (2, 'other chain', 0, 0);
        INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES
        (1, 1, 100, 'completed', 'manual', 2), (2, 1, 200.5, 'partial', 'manual', 2), (3, 2, 250, 'completed', 'manual', 2),
        (4, 1, 300, 'completed', 'manual', 2), (5, 1, 150, 'running', 'manual', 2), (6, 1, 500, 'started', 'manual', 2);
        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        arguments: [
            (.latest, 4), (.previous, 2), (.id(1), 1), (.id(3), 3), (.id(5), 5), (.id(7), nil), (.id(-1), nil),
            (.id(.max), nil),
            (.at(1000), 4), (.at(300), 4), (.at(299.999), 2), (.at(200.5), 2), (.at(200.4), 1), (.at(100), 1),
            (.at(99.9), nil), (.at(-1e9), nil),
        ] as [(ObservationChoice, Int64?)])
    func `the newest that is not running is chosen, on the chain of the latest`(
        choice: ObservationChoice, expected: Int64?
    ) throws {
        let archive = try Archive.open(TestArchive.make(in: folder, Self.sql), for: .evidence)
        let found: Int64?
        do throws(ArchiveError) {
            found = try archive.observationID(choice)
        } catch {
            #expect(error.code == .notFound)
            found = nil
        }
        #expect(found == expected)
    }

    @Test func `the fixture of two chains has its latest finished observation on the first chain`() throws {
        let archive = try Archive.open(Fixture.path("archives/two-chains.sqlite"), for: .evidence)
        #expect(try archive.observationID(.latest) == 5)
        #expect(try archive.observationID(.previous) == 3)
    }

    @Test func `where all are running there is none`() throws {
        let archive = try Archive.open(
            TestArchive.make(
                in: folder,
                """
                INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (1, 1, 1, 'running', 'manual', 2);
                """), for: .evidence)
        for choice in [.latest, .previous, .at(1000)] as [ObservationChoice] {
            let error = #expect(throws: ArchiveError.self) { _ = try archive.observationID(choice) }
            #expect(error?.code == .notFound)
        }
    }

    @Test(
        arguments: [
            ("latest", .latest), ("previous", .previous), ("7", .id(7)), ("-1", .id(-1)), ("007", .id(7)),
            ("20240", .id(20_240)), ("0000", .id(0)),
            ("1970-01-01T00:00:01.5Z", .at(1.5)), ("1970-01-01 02:00+02:00", .at(0)), ("Latest", nil), ("", nil),
            ("1.5", nil), (" 1", nil),
            ("yesterday", nil), ("1970-01-01T00:00:00", nil), ("99999999999999999999", nil),
        ] as [(String, ObservationChoice?)])
    func `a choice is read from text`(text: String, expected: ObservationChoice?) {
        #expect(ObservationChoice(text) == expected)
    }

    @Test func `a date, a month or a year is read from text`() throws {
        for text in ["1970-01-02", "1970-01"] {
            #expect(ObservationChoice(text) == .within(try #require(CalendarSpan(text))))
        }
        #expect(ObservationChoice("1970") == .idOrYear(1970, try #require(CalendarSpan("1970"))))
    }
}

@Suite struct `Filters` {
    private func utf8(_ texts: [String]?) -> [[UInt8]]? { texts?.map { Array($0.utf8) } }

    @Test func `texts are sorted by UTF-8 bytes, each once`() {
        // By UTF-16 code units U+1F600 sorts before U+FF5E, by UTF-8 bytes after it.
        let filter = Filter(
            sampleTypes: ["b", "\u{1F600}", "a", "B", "b", "\u{FF5E}", "é", "ab", ""], sources: ["z", "z", "a"])
        #expect(utf8(filter.sampleTypes) == utf8(["", "B", "a", "ab", "b", "é", "\u{FF5E}", "\u{1F600}"]))
        #expect(utf8(filter.sources) == utf8(["a", "z"]))
    }

    @Test func `composed and decomposed spellings are two texts`() {
        let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
        let filter = Filter(sampleTypes: [composed, decomposed, composed, decomposed])
        #expect(utf8(filter.sampleTypes) == [Array(decomposed.utf8), Array(composed.utf8)])
        let onlyOne = Filter(sampleTypes: [composed])
        #expect(utf8(onlyOne.sampleTypes) == [Array(composed.utf8)])
    }

    @Test func `what is absent stays absent, and an empty list is a list`() {
        #expect(
            Filter().sampleTypes == nil && Filter().sources == nil && Filter().since == nil && Filter().until == nil)
        #expect(Filter(sampleTypes: []).sampleTypes == [])
    }
}
