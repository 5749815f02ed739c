import Capture
import Files
import Recording
import Scratch
import Testing

@testable import AppleHealth

/// Files of the specification.
enum Specification {
    static let names = text(Fixture.bytes("../Spec/apple-health-names.json"))
}

private let dates = "startDate=\"2000-01-01 00:00:00 +0000\" endDate=\"2000-01-01 00:00:00 +0000\""
private let record = "<Record type=\"T\" unit=\"m\" value=\"1\" \(dates)/>"

struct ReaderTests {
    @Test func `the date is known before the first page`() async throws {
        let reading = try await Reading(Reading.export("", date: "2000-03-01 02:00:00 -0330"))
        #expect(reading.exportDate == 951_888_600_000_000)
        #expect(reading.exportOffset == -12_600)
        #expect(reading.pages.isEmpty)
        #expect(reading.outcome == .complete)
    }

    @Test func `a byte order mark is no part of the text`() async throws {
        let reading = try await Reading([0xEF, 0xBB, 0xBF] + Reading.export(record))
        #expect(reading.samples.count == 1)
        #expect(reading.outcome == .complete)
    }

    @Test func `pages end between records`() async throws {
        var limits = ReadingLimits()
        limits.interpreter.samples = 3
        let reading = try await Reading(String(repeating: record, count: 8), limits: limits)
        #expect(reading.pages.map(\.samples.count) == [3, 3, 2])
        #expect(reading.pages.allSatisfy { $0.types.count == 1 && $0.texts.count == 2 })
    }

    @Test func `pages have a limit of text`() async throws {
        var limits = ReadingLimits()
        limits.interpreter.pageBytes = 600
        let reading = try await Reading(String(repeating: record, count: 5), limits: limits)
        // A record counts 349: 53 bytes of values, 8 for each of five attributes, 256 for the element.
        #expect(reading.pages.map(\.samples.count) == [2, 2, 1])
    }

    @Test(arguments: [1, 2, 7, 64, 4096]) func `what is read does not depend on the step`(_ step: Int) async throws {
        var limits = ReadingLimits()
        limits.step = step
        let elements =
            ElementTests.records.map(\.element).joined(separator: "\n")
            + ElementTests.others.map(\.element).joined(separator: "\n")
        let reading = try await Reading(elements, limits: limits)
        #expect(reading.samples == (ElementTests.records + ElementTests.others).flatMap(\.samples))
        #expect(reading.repairs == ["control_character": 2, "duplicate_attribute": 1])
    }

    @Test func `a text that is cut anywhere is truncated`() async throws {
        let whole = Reading.export(
            "<Record type=\"T\" value='é' startDate=\"2000-01-01 00:00:00 +0000\" endDate=\"2000-01-01 00:00:00 +0000\"><MetadataEntry key=\"k\" value=\"v\"/></Record>",
            type: "<!DOCTYPE HealthData [<!x> ]>")
        let folder = try TemporaryFolder()
        let end = whole.count - 1
        for count in whole.indices {
            let path = try folder.write(Array(whole[..<count]), as: "export.xml")
            do {
                let reading = try await Reading(path, folder)
                #expect(reading.outcome == (count >= end ? .complete : .truncated), "\(count) bytes")
                #expect(reading.rejections.isEmpty)
            } catch let error as CaptureError {
                // The date is not reached.
                #expect(error.code == .format)
            }
        }
    }

    @Test(arguments: [
        "</HealthData><a/>", "</HealthData>x",
    ]) func `what the parser refuses is malformed`(_ text: String)
        async throws
    {
        let reading = try await Reading("\(record)\(text)")
        guard case .malformed(4, _) = reading.outcome else {
            Issue.record("\(String(describing: reading.outcome))"); return
        }
        #expect(reading.samples.count == 1)
    }

    /// Expat would wait for the end of a literal that has none, and place an error by how much it was given at once.
    @Test(
        arguments: ["x", "\"x", "'", "]", "%x", "xxxxxxxxxxxxxxxxxxxxxxx\u{0}", "&x;", "<?x?>x", "<a/>", "<!--x-->x"],
        [1, 13, 65_536])
    func `what follows the root is malformed where it begins`(_ text: String, _ step: Int) async throws {
        var limits = ReadingLimits()
        limits.step = step
        // Line ends of each kind, also within the end tag: five lines in all.
        let space = "</HealthData\n>\r\n\r \t\n"
        let reading = try await Reading("\(record)\(space)\n\(text)", limits: limits)
        let left = text.contains("--") ? 8 : text.hasPrefix("<?") ? 5 : 0
        let before =
            Reading.export("").count - "\n</HealthData>\n".utf8.count + record.utf8.count + space.utf8.count + 1
        #expect(reading.outcome == .malformed(line: 9, byte: Int64(before + left)))
        #expect(reading.samples.count == 1)
    }

    @Test(arguments: [1, 13, 65_536]) func `white space and comments may follow the root`(_ step: Int) async throws {
        var limits = ReadingLimits()
        limits.step = step
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Reading.export(record) + Array("\r\n\t <!-- x -->\r<?x y?>\n".utf8), as: "export.xml")
        #expect(try await Reading(path, folder, limits: limits).outcome == .complete)
    }

    @Test func `elements may stand 64 deep`() async throws {
        let fits = try await Reading(String(repeating: "<a>", count: 63) + String(repeating: "</a>", count: 63))
        #expect(fits.outcome == .complete)
        let deep = try await Reading(
            record + String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100) + record)
        #expect(deep.outcome == .complete)
        #expect(deep.samples.count == 2)
        #expect(Set(deep.rejections) == ["- not_well_formed line 4"])
    }

    @Test func `an element beyond the limit is rejected`() async throws {
        var limits = ReadingLimits()
        limits.interpreter.elementBytes = 2000
        let long = String(repeating: "x", count: 3000)
        let entries = String(repeating: "<MetadataEntry key=\"k\" value=\"v\"/>", count: 40)
        let reading = try await Reading(
            """
            \(record)
            <Record type="A" \(dates) x="\(long)"/>
            <Record type="B" \(dates)>\(entries)</Record>
            <Correlation type="C" \(dates)>\(String(repeating: record, count: 20))</Correlation>
            <Workout workoutActivityType="1" \(dates)>\(String(repeating: "<WorkoutEvent a='b'/>", count: 40))</Workout>
            \(record)
            """, limits: limits)
        #expect(
            reading.rejections == [
                "A too_large line 5", "B too_large line 6", "- too_large line 7", "- too_large line 8",
            ])
        #expect(reading.samples.count == 2)
        #expect(reading.members.isEmpty)
        #expect(reading.outcome == .complete)
    }

    // A record counts 349, as in `pages have a limit of text`. An entry counts 256 for the element and twice a byte
    // and 8; a correlation 256, a byte of its type, 25 of each date, and 8 for each of these three.
    @Test(arguments: [
        (
            record.replacing("/>", with: "><MetadataEntry key=\"k\" value=\"v\"/></Record>"),
            349 + 256 + 2 * (1 + 8), "T", "T"
        ),
        (
            "<Correlation type=\"C\" \(dates)>\(record)\(record)</Correlation>", 256 + 1 + 2 * 25 + 3 * 8 + 2 * 349,
            "C", "-"
        ),
    ])
    func `an element of as many bytes as it may have is read`(
        _ element: String, _ bytes: Int, _ type: String, _ rejected: String
    ) async throws {
        var limits = ReadingLimits()
        limits.interpreter.elementBytes = bytes
        var reading = try await Reading("\(element)\n\(element)", limits: limits)
        #expect(reading.samples.map(\.type) == [type, type])
        #expect(reading.members.map(\.parent) == (type == "C" ? [0, 0, 1, 1] : []))
        #expect(reading.rejections.isEmpty)
        limits.interpreter.elementBytes = bytes - 1
        reading = try await Reading("\(element)\n\(element)", limits: limits)
        #expect(reading.samples.isEmpty && reading.members.isEmpty)
        #expect(reading.rejections == ["\(rejected) too_large line 4", "\(rejected) too_large line 5"])
    }

    /// Counts the lines of a text by the rule of XML 1.0, section 2.11: each CR LF becomes LF first, then each CR.
    private static func line(of text: String) -> Int {
        let returns = text.utf8.count { $0 == UInt8(ascii: "\r") }
        let feeds = text.utf8.count { $0 == UInt8(ascii: "\n") }
        let pairs = zip(text.utf8, text.utf8.dropFirst()).count { $0 == UInt8(ascii: "\r") && $1 == UInt8(ascii: "\n") }
        return 1 + returns + feeds - pairs
    }

    @Test(arguments: [1, 2, 13, 65_536])
    func `lines are those of the file whatever is left out and however it is read`(_ step: Int) async throws {
        var random = SeededGenerator()
        var limits = ReadingLimits()
        limits.step = step
        let front = text(Reading.export("")).split(separator: "\n").prefix(3).joined(separator: "\n") + "\n"
        let ends = ["\r", "\n", "\r\n", " ", ""]
        for _ in 0..<60 {
            var (elements, expected): (String, [String]) = ("", [])
            for number in 0..<12 {
                for _ in 0..<Int.random(in: 0..<4, using: &random) {
                    elements += ends.randomElement(using: &random)!
                    let space = ends.randomElement(using: &random)!
                    elements += ["<!--\(space)x\(space)-->", "<?a \(space)b?>", "<![CDATA[\(space)]]>", record, ""]
                        .randomElement(using: &random)!
                }
                elements += ends.randomElement(using: &random)!
                expected.append("T\(number) missing_attribute line \(Self.line(of: front + elements))")
                elements += "<Record type=\"T\(number)\"\(ends.randomElement(using: &random)!)/>"
            }
            let reading = try await Reading(Array((front + elements + "</HealthData>").utf8), limits: limits)
            #expect(reading.rejections == expected, "\(random): \(elements.debugDescription)")
            #expect(reading.outcome == .complete, "\(random)")
        }
    }

    @Test func `a hundred elements are counted by name`() async throws {
        let names = (0...100).map { "e\($0)" } + ["e0", "e99", "e100", "e101"]
        let reading = try await Reading(names.map { "<\($0)/>" }.joined())
        var expected = Dictionary(uniqueKeysWithValues: (0..<100).map { ("element:e\($0)", 1) })
        (expected["element:e0"], expected["element:e99"], expected["element:other"]) = (2, 2, 3)
        #expect(reading.leftOut == expected)
    }

    static let unreadable: [(String, [UInt8], String)] = [
        ("an empty file", [], "not an Apple Health export"),
        ("another root", Array("<a/>".utf8), "not an Apple Health export"),
        ("no text", [0xFF, 0xD8, 0xFF], "not an Apple Health export"),
        ("another type", Array("<!DOCTYPE html><html></html>".utf8), "not an Apple Health export"),
        ("no date", Array("<HealthData></HealthData>".utf8), "ends before its ExportDate"),
        (
            "a date that is none", Array("<HealthData>\n<ExportDate value=\"SECRET\"/></HealthData>".utf8),
            "line 2: ExportDate has no readable date"
        ),
        (
            "a record before the date", Array("<HealthData><Record/></HealthData>".utf8),
            "no ExportDate before the first record"
        ),
        ("broken before the date", Array("<HealthData>\n<a SECRET></HealthData>".utf8), "ends before its ExportDate"),
    ]

    @Test(arguments: unreadable) func `what is no export is refused`(_ name: String, _ bytes: [UInt8], _ reason: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, as: "export.xml")
        let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
        #expect(error?.code == .format)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("SECRET") == false)
    }

    @Test(arguments: [1, 13, 100, 65_536]) func `the line of a tag that is cut is where it begins`(_ step: Int)
        async throws
    {
        var limits = ReadingLimits()
        limits.step = step
        let long = String(repeating: "n", count: 257)
        let folder = try TemporaryFolder()
        // Lines: 1 the root, 2 to 4 a record with a line's end in its type, 5 to 8 the date.
        let text = "<HealthData>\n<a type=\"t\nt\"\n \(long)=\"\"/>\n<ExportDate\n \(long)=\"\n\"\n/></HealthData>"
        let path = try folder.write(Array(text.utf8), as: "export.xml")
        let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder, limits: limits) }
        #expect(error?.description.contains("line 5: ExportDate has no readable date") == true, "\(error!)")
    }

    @Test func `what is no file is refused`() async throws {
        let folder = try TemporaryFolder()
        try folder.fifo("pipe")
        for (path, reason) in [
            (folder.path("pipe"), "a FIFO"), (Path("/dev/null"), "a device"), (folder.path("none"), "no such file"),
        ] {
            let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
            #expect(error?.code == .source)
            #expect(error?.description.contains(reason) == true)
        }
    }

    @Test(arguments: [("month-0.xml", 356, 12), ("month-1.xml", 414, 10), ("export.zip", 357, 12)])
    func `the fixtures are read whole`(_ name: String, _ samples: Int, _ members: Int) async throws {
        let reading = try await Reading(Fixture.path("apple-health/\(name)"), TemporaryFolder())
        #expect(reading.samples.count == samples)
        #expect(reading.members.count == members)
        #expect(reading.rejections.isEmpty)
        #expect(reading.repairs == ["control_character": 2, "duplicate_attribute": 1])
        // Every fifth of 30 sleep stages, and a workout.
        #expect(reading.unknownValues == 7)
        var leftOut = ["characteristic": 2, "element:Attachment": 1, "element:TestOfTheFuture": 1]
        if name == "export.zip" {
            leftOut["characteristic"] = 4
        }
        #expect(reading.leftOut == leftOut)
        #expect(reading.outcome == .complete)
    }
}
