import Files
import Manifest
import Recording
import Scratch
import Testing

@testable import Capture

@Suite struct `Content of a feed` {
    private let folder: TemporaryFolder
    private let secret: ArchiveSecret

    init() throws {
        folder = try TemporaryFolder()
        secret = try Feeds.secret(in: folder)
    }

    private func page(_ content: String...) async throws -> CapturePage {
        let path = try folder.write(Feeds.feed(content), as: "feed.jsonl")
        return try #require(try await Feeds.pages(of: path, secret: secret).first)
    }

    private func metadata(_ page: CapturePage) -> [String] {
        page.metadata.map { String(decoding: page.bytes[$0.json], as: UTF8.self) }
    }

    @Test func `values arrive as they are`() async throws {
        let page = try await page(
            Feeds.sample(
                #""uuid":"0F0E0D0C-0B0A-4908-8706-050403020100","numeric_value":-0.0,"unit":"m\u002fs","category_value":-1e2,"workout_activity_type":37.0,"duration_seconds":0.1"#
            ))
        let sample = try #require(page.samples.first)
        // Spec/examples/identity.json
        #expect(sample.uuidHash?.hex == "77b95294b28ef429cf6cef22cc33aaa2ca8629018145c914a699e4f0d37c4980")
        #expect(sample.numericValue?.sign == .plus && sample.numericValue == 0)
        #expect(page.texts[sample.unit] == Array("m/s".utf8))
        #expect((sample.categoryValue, sample.workoutActivityType, sample.durationSeconds) == (-100, 37, 0.1))
        #expect(sample.startDate == 1_714_554_000 && sample.endDate == 1_714_554_001)
        #expect(page.texts[sample.valueKind] == Array("quantity".utf8))
        #expect((sample.source, sample.device, sample.metadata) == (-1, -1, -1))
    }

    @Test func `two spellings of a record are one payload`() async throws {
        let page = try await page(
            Feeds.sample(
                #""numeric_value":61.5,"unit":"x","source":{"name":"a","version":"1"},"metadata":{"b":1.50,"a":"é"}"#),
            Feeds.sample(
                #""metadata":{"\u0061":"\u00e9","b":15e-1},"source":{ "version":"\u0031","name":"a"},"unit":"\u0078","numeric_value":6.15E1"#,
                start: "2024-05-01T11:00:00.0000000+02:00"))
        #expect(page.samples[0].payloadHash == page.samples[1].payloadHash)
        #expect(page.sources.count == 1 && page.metadata.count == 1)
        #expect(metadata(page) == [#"{"a":"é","b":1.5}"#])
    }

    @Test func `texts that differ in normalization or case are different`() async throws {
        let page = try await page(
            Feeds.sample(#""unit":"é""#), Feeds.sample("\"unit\":\"e\u{301}\""), Feeds.sample(#""unit":"É""#))
        #expect(Set(page.samples.map(\.payloadHash)).count == 3)
    }

    @Test func `sources and devices are made once for a page, and not for what is rejected`() async throws {
        let page = try await page(
            Feeds.sample(#""source":{"name":"a"},"device":{"name":"a"}"#),
            Feeds.sample(#""source":{"name":"a"},"device":{"name":"a"}"#),
            Feeds.sample(#""source":{"bundle_identifier":"a"},"device":{"model":"a"}"#),
            Feeds.sample(#""source":{},"device":{}"#),
            Feeds.sample(#""source":{"name":"new"},"device":{"name":"new"},"metadata":{"new":1e999}"#),
            Feeds.sample(#""source":{"name":"newer"},"numeric_value":1e999"#))
        #expect(page.sources.count == 2 && page.devices.count == 2 && page.metadata.isEmpty)
        #expect(page.samples.map(\.source) == [0, 0, 1, -1])
        #expect(page.samples.map(\.device) == [0, 0, 1, -1])
        // HMAC of hp:v2:source_name:a and friends must differ by their domains.
        #expect(page.sources[0].nameHash != nil && page.sources[0].nameHash != page.devices[0].hash)
    }

    @Test func `private metadata becomes hashes, whatever its spelling, and only at the top`() async throws {
        let page = try await page(
            Feeds.sample(#""metadata":{"HKDeviceSerialNumber":"serial \"1\"","z":{"HKDeviceSerialNumber":"kept"}}"#),
            Feeds.sample(
                #""metadata":{"z":{"HKDeviceSerialNumber":"kept"},"\u0048KDeviceSerialNumber":"\u0073erial \u0022\u0031\""}"#
            ),
            Feeds.sample(#""metadata":{"HKExternalUUID":{"b":[1.0],"a":null}}"#))
        // The hash stands in Spec/examples/identity.json.
        let hash = "hmac:54d91cef7613a4e548dd87c3d318c41ab31047bc00ce5fc0dd87b593b10ec6fe"
        #expect(metadata(page)[0] == #"{"HKDeviceSerialNumber":"\#(hash)","z":{"HKDeviceSerialNumber":"kept"}}"#)
        #expect(page.samples.map(\.metadata) == [0, 0, 1])
        let preimage = Array(#"hp:v2:private_metadata:{"key":"HKExternalUUID","value":{"a":null,"b":[1]}}"#.utf8)
        let code = try Program.run(
            "sh",
            [
                "-c",
                "printf %s '\(String(decoding: preimage, as: UTF8.self))' | openssl dgst -sha256 -mac HMAC -macopt hexkey:\((0..<32).map { String($0 + 0x100, radix: 16).dropFirst() }.joined()) -r",
            ])
        #expect(metadata(page)[1] == #"{"HKExternalUUID":"hmac:\#(String(decoding: code.prefix(64), as: UTF8.self))"}"#)
    }

    @Test func `a page begins with empty tables`() async throws {
        var lines = Feeds.feed([Feeds.sample(#""source":{"name":"a"},"unit":"x""#)]).split(separator: 0x0A).map(
            Array.init)
        lines.insert(
            contentsOf: [
                Array(Feeds.sample(#""unit":"y","source":{"name":"a"}"#).utf8),
                Array(#"{"kind":"page","number":2}"#.utf8),
            ], at: 5)
        let path = try folder.write(Array(lines.joined(separator: [0x0A])) + [0x0A], as: "feed.jsonl")
        let pages = try await Feeds.pages(of: path, secret: secret)
        #expect(pages.count == 2)
        #expect(pages.map { $0.sources.count } == [1, 1] && pages.map { $0.samples[0].source } == [0, 0])
        #expect(pages[1].texts == [Array("y".utf8), Array("quantity".utf8)])
    }

    @Test func `ends of relationships may be of types that have no run`() async throws {
        let uuid = "00000000-0000-4000-8000-000000000001"
        let page = try await page(
            Feeds.sample(#""uuid":"\#(uuid)""#),
            #"{"kind":"relationship","source":{"sample_type":"T","uuid":"\#(uuid)"},"target":{"uuid":"\#(uuid)","sample_type":"U"},"relationship_kind":"k","metadata":{"a":1}}"#
        )
        let link = try #require(page.distantLinks.first)
        #expect(page.types == [Array("T".utf8), Array("U".utf8)])
        #expect((link.source.type, link.target.type, link.metadata) == (0, 1, 0))
        #expect(link.source.uuidHash == page.samples[0].uuidHash && link.source.uuidHash == link.target.uuidHash)
    }
}
