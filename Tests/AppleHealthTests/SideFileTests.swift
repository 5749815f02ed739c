import Capture
import Files
import Manifest
import Scratch
import Testing

@testable import AppleHealth

struct SideFileTests {
    private static let rows =
        "Name,Ada Example\nDate of Birth,\"Jan 2, 1970\"\nRecorded Date,2031-02-03 10:15:20 +0100\n"
        + "Classification,Sinus Rhythm\nSymptoms,\"a, \"\"b\"\"\"\nSoftware Version,1.90\nDevice,\"Watch7,5\"\n"
        + "Sample Rate,512 hertz\n"
    private static let facts = "\n\nLead,Lead I\nUnit,µV\n\n"

    @Test(arguments: [
        ("-12.345\n7\n0.5\n", "\n"), ("-12,345\n7\n0,5\n", "\n"), ("-12.345\n7\n0.5", "\n"),
        ("-12.345\n7\n0.5\n\n\n", "\n"),
        ("-12.345\r\n7\r\n0.5\r\n", "\r\n"),
    ])
    func `a recording is what its rows say, and its numbers are hashed alone`(_ numbers: String, _ end: String) throws {
        let text = (Self.rows + Self.facts).split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: end)
        let recording = try #require(Electrocardiogram(Array((text + numbers).utf8)))
        #expect(recording.recorded == ExportDate(seconds: 1_927_876_520, offset: 3600))
        #expect(recording.classification.map(SideFileTests.text) == "Sinus Rhythm")
        #expect(recording.symptoms.map(SideFileTests.text) == "a, \"b\"")
        #expect(recording.softwareVersion.map(SideFileTests.text) == "1.90")
        #expect(recording.device.map(SideFileTests.text) == "Watch7,5")
        #expect(recording.voltageUnit.map(SideFileTests.text) == "µV")
        #expect(recording.sampleRate == 512)
        #expect(recording.sampleCount == 3)
        // printf 'hp:v2:electrocardiogram:-12.345\n7\n0.5\n' | sha256sum
        #expect(recording.contentHash.hex == "314dbdd31988dd3c1a03304a84cdd4771e984ea3fdbb5e5704a9155c430dc427")
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(arguments: [
        "", "\n", rows.replacing("1.90", with: "1\u{0}90") + facts + "1\n",
        "Lead,Voltage\nI,0.001\n", rows, rows + facts, rows + facts + "x\n", rows + facts + "1,2,3\n",
        rows + "1\n", "Name,2031-02-03 10:15:20 +0100\n" + facts + "1\n",
        String(rows.dropLast("Sample Rate,512 hertz\n".count)) + facts + "1\n",
        rows.replacing("512 hertz", with: "hertz") + facts + "1\n",
        rows.replacing("2031", with: "soon") + facts + "1\n",
    ])
    func `what is no recording is none`(_ text: String) { #expect(Electrocardiogram(Array(text.utf8)) == nil) }

    /// The places of a route file that is read in steps of some size; nil where it is none.
    private static func points(_ text: String, step: Int) -> [[String]]? {
        let file = RouteFile()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            let part = Array(bytes[start..<min(start + step, bytes.count)])
            file.read(part.span)
        }
        let nothing: [UInt8] = []
        file.read(nothing.span)
        guard !file.isBroken else { return nil }
        return file.take().points.map { point in
            RoutePoint.Field.allCases.map { point[$0].map(SideFileTests.text) ?? "-" }
        }
    }

    @Test(arguments: [1, 7, 10_000]) func `a route file has its places`(step: Int) {
        let text = """
            <?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><time>2031-02-04T09:00:00Z</time>
            </metadata><trk><name>x</name><trkseg><trkpt lon="20.5" lat="-10.25"><ele>5.0</ele><time>2031-02-03T18:05:00Z</time>
            <extensions><speed>2</speed><course>-1</course><hAcc>3.5</hAcc><vAcc>4</vAcc></extensions></trkpt>
            <trkpt lat="1" lon="2"/></trkseg></trk></gpx>
            """
        let points = Self.points(text, step: step)
        #expect(
            points == [
                ["5.0", "-1", "3.5", "-10.25", "20.5", "2", "2031-02-03T18:05:00.000Z", "4"],
                ["-", "-", "-", "1", "2", "-", "-", "-"],
            ])
    }

    @Test(arguments: [
        "", "<gpx>", "<kml/>", "<gpx><trk></gpx>", "<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx/>",
        "<gpx><trkpt><trkpt/></trkpt></gpx>", "<gpx><trkpt lat=\"1\" lon=\"2\"><ele>1<a/>2</ele></trkpt></gpx>",
        "<gpx><trkpt lat=\"1\" lon=\"2\"><ele>\(String(repeating: "1", count: 65))</ele></trkpt></gpx>",
    ])
    func `what is no route file is none`(_ text: String) { #expect(Self.points(text, step: 3) == nil) }
}

struct PrivateKeyTests {
    @Test(arguments: [
        ("Withings User Identifier", true), ("Withings Link", true), ("withings link", true), ("UserNumber", true),
        ("CompanionGeolocationID", true), ("Activity URL", true), ("e-mail", true), ("HKExternalUUID", true),
        ("HKDeviceName", true), ("HKWasUserEntered", false), ("HKWeatherURL", false), ("_HKPrivateLink", false),
        ("Modified Date", false), ("Health Mate App Version", false), ("diary of today", true), ("diary", false),
        ("HKTimeZone", true), ("", false),
    ])
    func `a key's name decides whether its value is private`(_ key: String, _ isPrivate: Bool) throws {
        let folder = try TemporaryFolder()
        let patterns = ["DIARY?*", "HKTime*"].map { Array($0.utf8) }
        let rules = CaptureRules(privateMetadata: patterns)
        var builder = try PageBuilder(Reading.secret(folder), rules: rules)
        #expect(builder.isPrivate(key: key.utf8Span.span) == isPrivate)
    }
}
