import Capture
import Preimages
import Recording
import Testing

@testable import AppleHealth

/// What becomes of elements that are not well-formed (`Spec/apple-health.md`, "What is not well-formed").
@Suite struct BrokenElementTests {
    /// An element below the root, with the mutations that make it one that is not well-formed.
    private struct Unit {
        var text: String
        /// When it begins, in seconds of 2000-01-01.
        var second: Int
    }

    private static func dates(_ second: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "2000-01-01 \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) +0000"
        return "startDate=\"\(clock)\" endDate=\"\(clock)\""
    }

    private static func record(_ second: Int, _ more: String = "", type: String = "HKQuantityTypeIdentifierBodyMass")
        -> String
    {
        "<Record type=\"\(type)\" sourceName=\"A &amp; B's\" unit=\"kg\" \(dates(second)) "
            + "value=\"7\(second % 10).5\"\(more)"
    }

    private static func unit(_ kind: Int, _ second: Int) -> Unit {
        let entry = "<MetadataEntry key=\"k\(second)\" value=\"v &lt; 1\"/>"
        let text =
            switch kind {
            case 0: record(second, "/>")
            case 1: record(second, ">\n  \(entry)\n </Record>")
            case 2:
                "<Correlation type=\"HKCorrelationTypeIdentifierFood\" sourceName=\"C\" \(dates(second))>\n"
                    + "  \(entry)\n  " + record(0, "/>") + "\n </Correlation>"
            case 3:
                "<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" duration=\"1\" durationUnit=\"min\" "
                    + "sourceName=\"W\" \(dates(second))>\n"
                    + "  <WorkoutEvent type=\"P\" date=\"2000-01-01 00:00:00 +0000\"/>\n"
                    + "  \(record(1, "/>"))\n </Workout>"
            default: "<ActivitySummary dateComponents=\"2000-02-\(10 + second % 18)\" appleMoveTime=\"\(second)\"/>"
            }
        return Unit(text: text, second: second)
    }

    /// Makes an element one that is not well-formed.
    private static func broken(_ text: String, _ mutation: Int) -> String {
        func replaced(_ old: String, _ new: String) -> String {
            guard let place = text.firstRange(of: old) else { return text }
            return String(text[..<place.lowerBound]) + new + String(text[place.upperBound...])
        }
        switch mutation {
        case 0: return replaced("=\"", "=")
        case 1: return replaced("\" ", " ")
        case 2: return replaced("=\"", "=\"a<b ")
        case 3: return replaced("=\"", "=\"a & b ")
        case 4: return replaced("=\"", "=\"&own;")
        case 5: return replaced("=\"", "=\"&#xD83D;&#xDE00;")
        case 6: return replaced("=\"", " Scale Name=\"")
        case 7: return text.hasSuffix("/>") ? String(text.dropLast(2)) + ">" : String(text.dropLast(2)) + "x>"
        case 8:
            let end = text.lastIndex(of: "<")!
            return text.hasSuffix("/>") ? String(text.dropLast(2)) : String(text[..<end])
        case 9: return String(text.dropLast(1))
        case 10: return String(text.dropFirst())
        case 11: return replaced(" ", " <x ")
        case 12: return replaced("=", "")
        case 13: return replaced("\" ", "\"")
        case 14: return replaced("\" ", "\"x ")
        case 15: return replaced(" ", " &#0x; ")
        case 16: return replaced("=\"", "='")
        default: return replaced(" ", " 1=\"2\" ")
        }
    }

    /// The payload hashes of samples by when they begin, the members left out.
    private static func payloads(_ reading: Reading) -> [Double: [Digest]] {
        var found: [Double: [Digest]] = [:]
        for page in reading.pages {
            for sample in page.samples { found[sample.startDate, default: []].append(sample.payloadHash) }
        }
        return found
    }

    private static func rejected(_ reading: Reading) -> [CapturePage.Rejection] {
        reading.pages.flatMap(\.rejections).filter { $0.reason == "not_well_formed" }
    }

    private static func read(_ elements: [String], step: Int) async throws -> Reading {
        var limits = ReadingLimits()
        limits.step = step
        return try await Reading(Reading.export(elements.map { " \($0)" }.joined(separator: "\n")), limits: limits)
    }

    @Test(arguments: 0..<60) func `k broken elements lose themselves only`(_ seed: Int) async throws {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let count = 30
        let units = (0..<count).map { Self.unit(next(5), 100 + $0 * 10) }
        // Not next to each other, so that no two fall together.
        var places: [Int: Int] = [:]
        for _ in 0..<5 {
            let place = next(count / 2) * 2
            places[place] = next(18)
        }
        var elements = units.map(\.text)
        for (place, mutation) in places { elements[place] = Self.broken(elements[place], mutation) }
        let intact = try await Self.read(
            units.indices.filter { places[$0] == nil }.map { units[$0].text }, step: 1 << 16)
        let broken = try await Self.read(elements, step: [1 << 16, 200, 31][seed % 3])
        let comment = Comment(rawValue: places.map { "\($1): \(elements[$0])" }.joined(separator: "\n"))
        #expect(broken.outcome == .complete, comment)
        #expect(Self.payloads(broken) == Self.payloads(intact), comment)
        #expect(Self.rejected(broken).count == places.count, comment)
    }

    @Test(arguments: [
        ("</Foo>", 2), ("<", 2), ("text", 2), ("a &b; c", 2), ("<!x>", 2), ("<Foo><Record/></Foo>", 2),
        ("<Foo>", 2), ("</HealthData>", 2), ("<!-- <Record/> -->", 2), ("<![CDATA[<Record a='1'/>]]>", 2),
    ])
    func `what is between elements loses none of them`(_ text: String, _ count: Int) async throws {
        let units = [Self.unit(0, 10), Self.unit(1, 30)].map(\.text)
        for step in [1 << 16, 64] {
            let reading = try await Self.read([units[0], text, units[1]], step: step)
            #expect(reading.outcome == .complete)
            #expect(reading.samples.count == count)
            let isIgnored = text.hasPrefix("<!-") || text.hasPrefix("<![") || text.hasSuffix("</Foo>") && text.count > 6
            #expect(Self.rejected(reading).count == (isIgnored ? 0 : 1))
        }
    }

    @Test func `a broken record in a correlation loses itself only`() async throws {
        let correlation = Self.unit(2, 20).text
        let broken = correlation.replacing("unit=\"kg\"", with: "unit=kg")
        let reading = try await Self.read([Self.record(0, "/>"), broken, Self.unit(0, 30).text], step: 1 << 16)
        #expect(reading.samples.map(\.start) == [946_684_800, 946_684_820, 946_684_830])
        #expect(reading.members.isEmpty)
        #expect(reading.rejections == ["HKQuantityTypeIdentifierBodyMass not_well_formed line 7"])
    }

    @Test(arguments: 0..<18, 0..<5) func `each mutation of each kind`(_ mutation: Int, _ kind: Int) async throws {
        let units = [Self.unit(0, 10), Self.unit(kind, 20), Self.unit(0, 30)].map(\.text)
        let elements = [units[0], Self.broken(units[1], mutation), units[2]]
        let intact = try await Self.read([units[0], units[2]], step: 1 << 16)
        for step in [1 << 16, 64] {
            let reading = try await Self.read(elements, step: step)
            let comment = Comment(rawValue: elements[1])
            #expect(reading.outcome == .complete, comment)
            #expect(Self.payloads(reading) == Self.payloads(intact), comment)
            #expect(Self.rejected(reading).count == 1, comment)
        }
    }
}
