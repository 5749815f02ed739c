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
        "apple_health_export/export.xml", "-apple_health_export/export.xml", "+apple_health_export/export.xml",
        "export.xml", "apple_health_export/exportación.XML", "apple_health_export/导出.xml",
    ])
    func `the export is found in a zip`(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip(
            [
                ("apple_health_export/", ""), (name, export),
                ("apple_health_export/export_cda.xml", String(repeating: "x", count: 5000)),
            ], in: folder)
        let reading = try await Reading(path, folder)
        #expect(reading.samples.map(\.type) == ["T"])
        #expect(reading.outcome == .complete)
        #expect(reading.leftOut == [:])
        #expect(reading.documents == ["clinical_document": 1])
    }

    @Test func `other files are counted by kind`() async throws {
        let folder = try TemporaryFolder()
        let others = [
            "a/workout-routes/r.gpx", "a/workout-routes/s.gpx", "a/electrocardiograms/e.csv",
            "a/clinical-records/c.json", "a/attachments/x.pdf", "a/export_cda.xml", "a/notes.txt", "a/b/export.xml",
        ]
        let larger = ("a/large.xml", "<other>\(String(repeating: "x", count: 5000))</other>")
        let reading = try await Reading(
            Self.zip([larger, ("a/export.xml", export)] + others.map { ($0, "x") }, in: folder), folder)
        #expect(reading.samples.count == 1)
        #expect(reading.leftOut == [:])
        #expect(
            reading.documents == [
                "workout_route": 2, "electrocardiogram": 1, "clinical_record": 1, "attachment": 1,
                "clinical_document": 1, "other": 3,
            ])
    }

    @Test func `a zip without an export is refused`() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("a/export.xml", "<other/>"), ("a/b/c/export.xml", export)], in: folder)
        let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
        #expect(error?.description.contains("no Apple Health export in this zip") == true)
    }

    @Test func `a zip that is cut is refused`() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.zip([("export.xml", export)], in: folder)
        let whole = try folder.bytes("export.zip")
        for count in [4, 10, whole.count / 2, whole.count - 1] {
            try folder.write(Array(whole[..<count]), as: "export.zip")
            let error = await #expect(throws: CaptureError.self) { _ = try await Reading(path, folder) }
            #expect(error?.code == .format)
        }
    }

    @Test func `a damaged member is malformed`() async throws {
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

    /// A zip whose one member ends in a block of no kind, behind so many bytes of its text.
    private static func damaged(_ text: [UInt8], after count: Int, in folder: TemporaryFolder) throws -> Path {
        let script = """
            import struct, sys, zlib
            text, count = open(sys.argv[2], "rb").read(), int(sys.argv[3])
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            data = packer.compress(text[:count]) + packer.flush(zlib.Z_FULL_FLUSH) + bytes([7]) + bytes(5000)
            sums = struct.pack("<III", zlib.crc32(text), len(data), len(text))
            local = b"PK\\3\\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sums + struct.pack("<HH", 10, 0) + b"export.xml"
            entry = b"PK\\1\\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sums + struct.pack("<HHHHHII", 10, 0, 0, 0, 0, 0, 0) + b"export.xml"
            end = b"PK\\5\\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local) + len(data), 0)
            open(sys.argv[1], "wb").write(local + data + entry + end)
            """
        let path = folder.path("export.zip")
        let content = try folder.write(text, as: "content.xml")
        _ = try Program.run("python3", ["-c", script, path.text, content.text, String(count)])
        return path
    }

    @Test(arguments: [1000, 4099, 256 << 10]) func `everything before the damage is read`(step: Int) async throws {
        let folder = try TemporaryFolder()
        let records = (0..<3000).map {
            "<Record type=\"T\" unit=\"m\" value=\"\($0)\" startDate=\"2000-01-01 00:00:00 +0000\" endDate=\"2000-01-01 00:00:00 +0000\"/>"
        }
        let text = Reading.export(records.joined(separator: "\n"))
        // Damage may take the byte before it along; here that is one of the next record.
        let front =
            Reading.export(records.prefix(1000).joined(separator: "\n")).count - "</HealthData>\n".utf8.count + 5
        var limits = ReadingLimits()
        limits.step = step
        let reading = try await Reading(Self.damaged(text, after: front, in: folder), folder, limits: limits)
        let numbers = reading.samples.map(\.number)
        let areFirst = numbers.indices.allSatisfy { numbers[$0] == Double($0) }
        #expect(numbers.count == 1000)
        #expect(areFirst)
        #expect(reading.outcome == .malformed(line: 1004, byte: Int64(front) - 5))
    }

    @Test func `damage before the root is said`() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: CaptureError.self) {
            _ = try await Reading(Self.damaged(Array(export.utf8), after: 10, in: folder), folder)
        }
        #expect(error?.description.contains("a member of the zip is damaged before") == true)
    }

    /// What a zip with two members is refused with under limits.
    private static func refusal(_ limits: ZipLimits, in folder: TemporaryFolder) async throws -> String? {
        let other = ("a/b.xml", "<!--\(String(repeating: "x", count: 5000))-->")
        let path = try zip([other, ("a/export.xml", export)], in: folder)
        var reading = ReadingLimits()
        reading.zip = limits
        let secret = try Reading.secret(folder)
        do throws(CaptureError) {
            _ = try AppleHealthReader.open(path, secret: secret, limits: reading)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `the limits of a zip are met at the first beyond`() async throws {
        let folder = try TemporaryFolder()
        var limits = ZipLimits()
        (limits.members, limits.candidates, limits.ends) = (2, 2, 1)
        #expect(try await Self.refusal(limits, in: folder) == nil)
        limits.members = 1
        #expect(try await Self.refusal(limits, in: folder)?.contains("more than 1 members in this zip") == true)
        (limits.members, limits.candidates) = (2, 1)
        #expect(try await Self.refusal(limits, in: folder)?.contains("among the 1 largest") == true)
        (limits.candidates, limits.ends) = (2, 0)
        #expect(try await Self.refusal(limits, in: folder)?.contains("more than 0 ends of a zip") == true)
        (limits.ends, limits.freeBytes, limits.ratio) = (1, 5007, 0)
        #expect(try await Self.refusal(limits, in: folder) == nil)
        limits.freeBytes = 5006
        #expect(try await Self.refusal(limits, in: folder)?.contains("a/b.xml: unpacks to more than 0 times") == true)
    }
}
