import Capture
import Files
import Scratch
import Testing

@testable import AppleHealth

private let export =
    "<?xml version=\"1.0\"?><HealthData><ExportDate value=\"2000-03-01 00:00:00 +0000\"/>"
    + "<Record type=\"T\" unit=\"m\" value=\"1\" startDate=\"2000-01-01 00:00:00 +0000\" endDate=\"2000-01-01 00:00:00 +0000\"/></HealthData>"

struct ZipTests {
    /// A zip that Python's standard library writes: names with contents; `-` before a name stores it, `+` forces ZIP64.
    static func zip(_ members: [(name: String, content: String)], in folder: TemporaryFolder) throws -> Path {
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as file:
                for name, content in zip(sys.argv[2::2], sys.argv[3::2]):
                    info = zipfile.ZipInfo(name.lstrip("-+"), (2000, 1, 1, 0, 0, 0))
                    info.compress_type = zipfile.ZIP_STORED if name.startswith("-") else zipfile.ZIP_DEFLATED
                    with file.open(info, "w", force_zip64=name.startswith("+")) as member:
                        member.write(content.encode())
            """
        let path = folder.path("export.zip")
        _ = try Program.run("python3", ["-c", script, path.text] + members.flatMap { [$0.name, $0.content] })
        return path
    }

    @Test(arguments: [
        "apple_health_export/export.xml", "-apple_health_export/export.xml", "+apple_health_export/export.xml", "export.xml", "apple_health_export/exportación.XML", "apple_health_export/导出.xml",
    ])
    func theExportIsFoundInAZip(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("apple_health_export/", ""), (name, export), ("apple_health_export/export_cda.xml", String(repeating: "x", count: 5000))], in: folder)
        let reading = try await Reading(path, folder)
        #expect(reading.samples.map(\.type) == ["T"])
        #expect(reading.outcome == .complete)
        #expect(reading.leftOut == ["other_file": 1])
    }

    @Test func otherFilesAreCountedByKind() async throws {
        let folder = try TemporaryFolder()
        let others = [
            "a/workout-routes/r.gpx", "a/workout-routes/s.gpx", "a/electrocardiograms/e.csv", "a/clinical-records/c.json", "a/attachments/x.pdf", "a/export_cda.xml", "a/notes.txt", "a/b/export.xml",
        ]
        let larger = ("a/large.xml", "<other>\(String(repeating: "x", count: 5000))</other>")
        let reading = try await Reading(Self.zip([larger, ("a/export.xml", export)] + others.map { ($0, "x") }, in: folder), folder)
        #expect(reading.samples.count == 1)
        #expect(reading.leftOut == ["workout_route_file": 2, "electrocardiogram_file": 1, "clinical_record_file": 1, "attachment_file": 1, "other_file": 4])
    }

    @Test func aZipWithoutAnExportIsRefused() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("a/export.xml", "<other/>"), ("a/b/export.xml", export)], in: folder)
        let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
        #expect(error?.description.contains("no Apple Health export in this zip") == true)
    }

    @Test func aZipThatIsCutIsRefused() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("export.xml", export)], in: folder)
        let whole = try folder.bytes("export.zip")
        for count in [4, 10, whole.count / 2, whole.count - 1] {
            try folder.write(Array(whole[..<count]), as: "export.zip")
            let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
            #expect(error?.code == .format)
        }
    }

    @Test func aDamagedMemberIsMalformed() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("-export.xml", export)], in: folder)
        var bytes = try folder.bytes("export.zip")
        // The number's digit: the text stays well-formed, the checksum does not fit.
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("value=\"1\"".utf8)) })
        bytes[place + 7] = 0x32
        try folder.write(bytes, as: "export.zip")
        let reading = try await Reading(path, folder)
        guard case .malformed = reading.outcome else { Issue.record("\(String(describing: reading.outcome))"); return }
        #expect(reading.samples.map(\.number) == [2])
    }
}
