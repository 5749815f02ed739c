import Capture
import Files
import Recording
import Scratch

@testable import AppleHealth

/// A record of a page, with what its indices name.
struct Seen: Equatable {
    var type = ""
    var kind = ""
    var start = 0.0
    var end = 0.0
    var number: Double?
    var unit: String?
    var category: Int64?
    var activity: Int64?
    var duration: Double?
    var version: String?
    var model: String?
    var metadata: String?
}

/// Everything that a reader gives.
struct Reading {
    /// The secret whose key is the bytes 00 to 1f.
    static func secret(_ folder: TemporaryFolder) throws -> ArchiveSecret {
        let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let path = try folder.write(
            Array("healthprobe-secret 1\nsecret \(digits)\nchain \(digits)\n".utf8), as: "secret")
        _ = try Program.run("chmod", ["600", path.text])
        return try ArchiveSecret.open(path)
    }

    /// An export with these elements.
    static func export(_ elements: String, type: String = "", date: String = "2000-03-01 02:00:00 +0200") -> [UInt8] {
        Array(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(type)<HealthData locale=\"en_XX\">\n <ExportDate value=\"\(date)\"/>\n\(elements)\n</HealthData>\n"
                .utf8)
    }

    var pages: [CapturePage] = []
    var outcome: ExportOutcome?
    var repairs: [String: Int] = [:]
    var leftOut: [String: Int] = [:]
    /// Documents beside the XML, by kind.
    var documents: [String: Int] = [:]
    var unknownValues = 0
    var exportDate: Int64 = 0
    var exportOffset = 0

    /// Reads a file.
    init(
        _ path: Path, _ folder: TemporaryFolder, rules: CaptureRules = CaptureRules(),
        limits: ReadingLimits = ReadingLimits()
    ) async throws {
        let reader = try AppleHealthReader.open(
            path, secret: Self.secret(folder), options: ReadingOptions(rules: rules), limits: limits)
        while let page = try await reader.next() { pages.append(page) }
        outcome = await reader.outcome
        repairs = await Dictionary(uniqueKeysWithValues: reader.repairs.named.map { ($0.name, $0.count) })
        leftOut = await Dictionary(uniqueKeysWithValues: reader.leftOut.sorted.map { ($0.kind, $0.count) })
        // The language of the exporting phone, which every export has.
        leftOut["attribute:HealthData"] = nil
        for document in await reader.account.documents ?? [] { documents[document.kind, default: 0] += 1 }
        unknownValues = await reader.unknownValueCount
        exportDate = reader.exportDate
        exportOffset = reader.exportOffset
    }

    /// Reads bytes.
    init(
        _ bytes: [UInt8], rules: CaptureRules = CaptureRules(), limits: ReadingLimits = ReadingLimits()
    ) async throws {
        let folder = try TemporaryFolder()
        self = try await Reading(folder.write(bytes, as: "export.xml"), folder, rules: rules, limits: limits)
    }

    /// Reads an export with these elements.
    init(
        _ elements: String, rules: CaptureRules = CaptureRules(), limits: ReadingLimits = ReadingLimits()
    ) async throws {
        self = try await Reading(Self.export(elements), rules: rules, limits: limits)
    }

    /// All samples.
    var samples: [Seen] { pages.flatMap { page in page.samples.map { Self.seen($0, page) } } }
    /// All members, with the place of their correlation in its page.
    var members: [(parent: Int, sample: Seen)] {
        pages.flatMap { page in page.members.map { ($0.parent, Self.seen($0.sample, page)) } }
    }
    /// Rejected records: type, reason, place.
    var rejections: [String] {
        pages.flatMap { page in
            page.rejections.map { "\($0.type < 0 ? "-" : text(page.types[$0.type])) \($0.reason) \($0.place)" }
        }
    }

    private static func seen(_ sample: CapturePage.Sample, _ page: CapturePage) -> Seen {
        var seen = Seen()
        seen.type = text(page.types[sample.type])
        seen.kind = text(page.texts[sample.valueKind])
        (seen.start, seen.end) = (sample.startDate, sample.endDate)
        seen.number = sample.numericValue
        if sample.unit >= 0 { seen.unit = text(page.texts[sample.unit]) }
        (seen.category, seen.activity, seen.duration) = (
            sample.categoryValue, sample.workoutActivityType, sample.durationSeconds
        )
        if sample.source >= 0 { seen.version = page.sources[sample.source].version.map(text) }
        if sample.device >= 0 { seen.model = page.devices[sample.device].model.map(text) }
        if sample.metadata >= 0 { seen.metadata = text(Array(page.bytes[page.metadata[sample.metadata].json])) }
        return seen
    }
}

/// Bytes as text.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
