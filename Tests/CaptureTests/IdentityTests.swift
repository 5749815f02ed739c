import Files
import Foundation
import Manifest
import Recording
import Scratch
import Testing
import Timestamps

@testable import Capture

/// `Spec/examples/identity.json`, which was made without this code.
private struct Examples: Decodable {
    struct Example: Decodable {
        struct Input: Decodable {
            var uuid, name, manufacturer, model, hardwareVersion, softwareVersion, localIdentifier, udi, other, chain,
                kindOfSource, message, key, value, metadataJson: String?
            var sampleType, valueKind, unit, startDate, endDate, bundleIdentifier: String?
            var numericValue, durationSeconds: Double?
            var categoryValue, workoutActivityType, ordinal: Int64?
        }

        let of: String
        let input: Input?
        let hash: String?
        let fuzzyKey, stored: String?
    }

    let examples: [Example]

    static let all: [Example] = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Spec/examples/identity.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let data = try? Data(contentsOf: url) else { preconditionFailure("no worked examples") }
        guard let file = try? decoder.decode(Examples.self, from: data) else {
            preconditionFailure("the worked examples have another form")
        }
        return file.examples
    }()

    /// Examples of a hash that have an input of this module.
    static func of(_ name: String) -> [Example] {
        let found = all.filter { $0.of.hasPrefix(name) && $0.input?.ordinal == nil }
        precondition(!found.isEmpty, "no worked examples of \(name)")
        return found
    }
}

@Suite struct `Worked examples of identity` {
    private let folder: TemporaryFolder
    private let secret: ArchiveSecret

    init() throws {
        folder = try TemporaryFolder()
        secret = try Feeds.secret(in: folder)
    }

    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

    private func input(_ example: Examples.Example) throws -> Examples.Example.Input { try #require(example.input) }

    @Test func `UUIDs`() throws {
        for example in Examples.of("samples.sample_uuid_hash") {
            var builder = PageBuilder(secret)
            let text = try #require(example.input?.uuid)
            let uuid = SampleUUID(text.utf8Span.span)
            builder.addDeleted(type: builder.sampleType("T".utf8Span.span), try #require(uuid))
            #expect(builder.finishPage().deleted[0].uuidHash.hex == example.hash)
        }
    }

    @Test func `names of sources`() throws {
        for example in Examples.of("sources.source_name_hash") {
            var builder = PageBuilder(secret)
            var source = SourceDescription()
            source.name = bytes(try input(example).name)
            _ = builder.source(key: Span()) { source }
            #expect(builder.finishPage().sources[0].nameHash?.hex == example.hash)
        }
    }

    @Test func `devices with their identifiers`() throws {
        let hashes: [(String, (CapturePage.Device) -> Digest?)] = [
            ("hk_devices.device_hash", { $0.hash }), ("hk_devices.manufacturer_hash", { $0.manufacturerHash }),
            ("hk_devices.local_identifier_hash", { $0.localIdentifierHash }), ("hk_devices.udi_hash", { $0.udiHash }),
        ]
        for (name, hash) in hashes {
            for example in Examples.of(name) {
                let input = try input(example)
                var builder = PageBuilder(secret)
                var device = DeviceDescription()
                (device.name, device.manufacturer, device.model, device.udi) = (
                    bytes(input.name), bytes(input.manufacturer), bytes(input.model), bytes(input.udi)
                )
                (device.hardwareVersion, device.softwareVersion) = (
                    bytes(input.hardwareVersion), bytes(input.softwareVersion)
                )
                (device.localIdentifier, device.other) = (bytes(input.localIdentifier), bytes(input.other))
                _ = builder.device(key: Span()) { device }
                #expect(hash(builder.finishPage().devices[0])?.hex == example.hash, "\(name)")
            }
        }
    }

    @Test func `device chains`() throws {
        for example in Examples.of("device_chains.device_chain_hash") {
            let kind = try #require(example.input?.kindOfSource.flatMap(SourceKind.init(rawValue:)))
            #expect(String(decoding: secret.deviceChainHash(kind), as: UTF8.self) == example.hash)
        }
    }

    @Test func `messages and private metadata`() throws {
        for example in Examples.of("observation_type_runs.error_message_hash") {
            var hasher = PrivateHasher(secret)
            #expect(hasher.digest(of: bytes(try input(example).message), in: .errorMessage)?.hex == example.hash)
        }
        for example in Examples.of("the value of a private metadata key") {
            var builder = PageBuilder(secret)
            let key = try #require(bytes(example.input?.key))
            let value = Array(try JSONEncoder().encode(try #require(example.input?.value)))
            #expect(
                String(decoding: builder.privateValue(key: key.span, value: value.span), as: UTF8.self)
                    == example.stored)
        }
        for example in Examples.of("metadata_blobs.metadata_hash") {
            var builder = PageBuilder(secret)
            let text = try #require(bytes(example.input?.metadataJson))
            _ = builder.metadata(canonical: text.span)
            #expect(builder.finishPage().metadata[0].hash.hex == example.hash)
        }
    }

    /// The sample of an example; a payload's source and device are not in its input as they came.
    private func sample(_ input: Examples.Example.Input) throws -> (CapturePage.Sample, fuzzyKey: String) {
        func moment(_ text: String?) throws -> Int64 {
            let text = try #require(text)
            guard case .moment(let moment) = FeedTimestamp(text.utf8Span.span) else {
                throw CaptureError(.format, "no moment")
            }
            return moment
        }
        var builder = PageBuilder(secret)
        let name = try #require(input.sampleType)
        let valueKind = try #require(input.valueKind)
        let kind = ValueKind(valueKind.utf8Span.span)
        var record = CapturedRecord(
            type: builder.sampleType(name.utf8Span.span), start: try moment(input.startDate),
            end: try moment(input.endDate), valueKind: try #require(kind))
        (record.numericValue, record.durationSeconds) = (input.numericValue, input.durationSeconds)
        (record.categoryValue, record.workoutActivityType) = (input.categoryValue, input.workoutActivityType)
        if let unit = input.unit { record.unit = builder.text(unit.utf8Span.span) }
        if let bundle = bytes(input.bundleIdentifier) {
            var source = SourceDescription()
            source.bundleIdentifier = bundle
            record.source = builder.source(key: Span()) { source }
        }
        builder.add(record)
        let page = builder.finishPage()
        return (page.samples[0], String(decoding: page.bytes[page.samples[0].fuzzyKey], as: UTF8.self))
    }

    @Test func `strict fingerprints`() throws {
        for example in Examples.of("samples.strict_fingerprint, ordinal 0") {
            #expect(try sample(try input(example)).0.fingerprint.hex == example.hash)
        }
    }

    @Test func `semantic fingerprints and fuzzy keys`() throws {
        for example in Examples.of("samples.semantic_fingerprint") {
            let (sample, fuzzyKey) = try sample(try input(example))
            #expect(sample.semanticFingerprint?.hex == example.hash, "\(example.of)")
            #expect(fuzzyKey == example.fuzzyKey)
        }
    }

    /// The fingerprint and the fuzzy key of a sample before 1970.
    private func semantics(
        _ type: String, kind: ValueKind = .quantity, value: Double?, unit: String
    ) -> (fingerprint: Digest?, fuzzyKey: String) {
        var builder = PageBuilder(secret)
        // -1.000001 s and -1 s: whole seconds at or before are -2 and -1.
        var record = CapturedRecord(
            type: builder.sampleType(type.utf8Span.span), start: -1_000_001, end: -1_000_000, valueKind: kind)
        record.numericValue = value
        if !unit.isEmpty { record.unit = builder.text(unit.utf8Span.span) }
        builder.add(record)
        let page = builder.finishPage()
        let fuzzyKey = String(decoding: page.bytes[page.samples[0].fuzzyKey], as: UTF8.self)
        return (page.samples[0].semanticFingerprint, fuzzyKey)
    }

    private func fingerprint(_ preimage: String) -> Digest {
        SHA256.digest(of: ("hp:v2:semantic_fingerprint:" + preimage).utf8Span.span)
    }

    // Preimages written by hand after the table of families.
    @Test(
        arguments: [
            (
                "quantity", "HKQuantityTypeIdentifierBodyMass", 2.0, "lb",
                #"{"end":-1,"family":"quantity","sample_type":"HKQuantityTypeIdentifierBodyMass","start":-2,"unit":"kg","value":0.9071847200393677}"#,
                "q:-1"
            ),
            (
                "quantity", "HKQuantityTypeIdentifierStepCount", -0.0, "count",
                #"{"end":-1,"family":"cumulative","sample_type":"HKQuantityTypeIdentifierStepCount","start":-2,"unit":"count","value":0}"#,
                "c:-1"
            ),
            (
                "quantity", "HKQuantityTypeIdentifierDistanceCycling", 1.5, "km",
                #"{"end":-1,"family":"cumulative","sample_type":"HKQuantityTypeIdentifierDistanceCycling","start":-2,"unit":"m","value":1500}"#,
                "c:-1"
            ),
            (
                "quantity", "HKQuantityTypeIdentifierBodyTemperature", 212.0, "degF",
                #"{"end":-1,"family":"quantity","sample_type":"HKQuantityTypeIdentifierBodyTemperature","start":-2,"unit":"degC","value":100}"#,
                "q:-1"
            ),
            ("quantity", "T", nil, "m", #"{"end":-1,"family":"correlation","sample_type":"T","start":-2}"#, "r:-1"),
            ("workout", "T", nil, "", #"{"end":-1,"family":"workout","sample_type":"T","start":-2}"#, "w:-1"),
            ("category", "T", nil, "", #"{"end":-1,"family":"category","sample_type":"T","start":-2}"#, "k:-1"),
            ("anything", "T", 1.0, "", #"{"end":-1,"family":"correlation","sample_type":"T","start":-2}"#, "r:-1"),
        ] as [(String, String, Double?, String, String, String)])
    func `families before 1970`(
        kind: String, type: String, value: Double?, unit: String, preimage: String, fuzzyKey: String
    ) throws {
        let valueKind = ValueKind(kind.utf8Span.span)
        let found = semantics(type, kind: try #require(valueKind), value: value, unit: unit)
        #expect(found.fingerprint == fingerprint(preimage))
        #expect(found.fuzzyKey == fuzzyKey)
    }

    // What 1 is, by Python's fractions from what the units are: an inch is 0.0254 m, a stone 14 pounds of
    // 0.45359237 kg, a kilocalorie 4184 J, a fluid ounce 231 cubic inches ÷ 128 or 4.54609 L ÷ 160; as the nearest
    // binary32.
    @Test(
        arguments: [
            ("Cal", "kcal", "1"), ("kcal", "kcal", "1"), ("cal", "kcal", "0.0010000000474974513"),
            ("kJ", "kcal", "0.23900572955608368"), ("J", "kcal", "0.00023900573432911187"),
            ("m", "m", "1"), ("km", "m", "1000"), ("cm", "m", "0.009999999776482582"),
            ("mm", "m", "0.0010000000474974513"), ("mi", "m", "1609.343994140625"),
            ("ft", "m", "0.30480000376701355"), ("yd", "m", "0.9143999814987183"), ("in", "m", "0.02539999969303608"),
            ("kg", "kg", "1"), ("g", "kg", "0.0010000000474974513"), ("lb", "kg", "0.45359236001968384"),
            ("st", "kg", "6.350293159484863"), ("oz", "kg", "0.02834952250123024"),
            ("s", "s", "1"), ("ms", "s", "0.0010000000474974513"), ("min", "s", "60"), ("hr", "s", "3600"),
            ("d", "s", "86400"), ("degC", "degC", "1"), ("degF", "degC", "-17.22222137451172"),
            ("mL", "mL", "1"), ("L", "mL", "1000"), ("dL", "mL", "100"), ("cL", "mL", "10"),
            ("fl_oz_us", "mL", "29.573530197143555"), ("fl_oz_imp", "mL", "28.413063049316406"),
            ("count", "count", "1"), ("KG", "KG", "1"), ("km/hr", "km/hr", "1"), ("l", "l", "1"),
        ]) func `a value in the base of its unit`(unit: String, base: String, value: String)
    {
        #expect(
            semantics("T", value: 1, unit: unit).fingerprint
                == fingerprint(
                    #"{"end":-1,"family":"quantity","sample_type":"T","start":-2,"unit":"\#(base)","value":\#(value)}"#)
        )
    }

    private static let addingUp = [
        "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned",
        "FlightsClimbed", "InhalerUsage", "InsulinDelivery", "NikeFuel", "NumberOfAlcoholicBeverages",
        "NumberOfTimesFallen", "PushCount", "StepCount", "SwimmingStrokeCount", "TimeInDaylight",
        "Distance", "DistanceWalkingRunning", "DistanceOfTomorrow", "Dietary", "DietaryEnergyConsumed", "DietaryWater",
    ]
    private static let others = [
        "", "BodyMass", "HeartRate", "StepCounts", "Step", "stepCount", "distanceCycling", "WalkingDistance",
        "dietaryWater",
    ]
    private static let types =
        addingUp.map { ("HKQuantityTypeIdentifier\($0)", true) }
        + others.map { ("HKQuantityTypeIdentifier\($0)", false) }
        + ["", "StepCount", "DietaryWater", "HKCategoryTypeIdentifierStepCount"].map { ($0, false) }

    @Test(arguments: types) func `a type whose values add up`(type: String, addsUp: Bool) {
        let found = semantics(type, value: 2, unit: "count")
        let family = addsUp ? "cumulative" : "quantity"
        #expect(
            found.fingerprint
                == fingerprint(
                    #"{"end":-1,"family":"\#(family)","sample_type":"\#(type)","start":-2,"unit":"count","value":2}"#))
        #expect(found.fuzzyKey == (addsUp ? "c:-1" : "q:-1"))
    }

    @Test func `a value that is infinite as a binary32 has no semantic fingerprint`() throws {
        for (value, has) in [(3.4028235677973366e38, false), (3.4028235677973362e38, true), (-1e39, false)] {
            var builder = PageBuilder(secret)
            var record = CapturedRecord(
                type: builder.sampleType("T".utf8Span.span), start: 0, end: 0, valueKind: .quantity)
            record.numericValue = value
            builder.add(record)
            #expect((builder.finishPage().samples[0].semanticFingerprint != nil) == has)
        }
    }

    @Test func `the payload of a sample with everything, and of one with nothing`() throws {
        let examples = Examples.of("sample_versions.payload_hash")
        #expect(try sample(try input(examples[1])).0.payloadHash.hex == examples[1].hash)
        // What the hashes in the first example's source and device are made of stands in the examples of those hashes.
        var builder = PageBuilder(secret)
        var source = SourceDescription()
        (source.name, source.version) = (bytes("Test Watch"), bytes("1.0"))
        source.operatingSystemVersion = bytes("0.0.0")
        var device = DeviceDescription()
        (device.name, device.manufacturer, device.model) = (bytes("Test Watch"), bytes("Test Inc."), bytes("Watch"))
        (device.hardwareVersion, device.softwareVersion) = (bytes("Watch0,0"), bytes("1.0"))
        (device.localIdentifier, device.udi, device.other) = (
            bytes("local-1"), bytes("udi-1"), bytes("creation date:2000-01-01 00:00:00 +0000")
        )
        var record = CapturedRecord(
            type: builder.sampleType("HKQuantityTypeIdentifierHeartRate".utf8Span.span), start: 946_684_800_000_000,
            end: 946_684_800_250_000, valueKind: .quantity)
        record.numericValue = 61.5
        record.unit = builder.text("count/min".utf8Span.span)
        record.source = builder.source(key: Span()) { source }
        record.device = builder.device(key: Span()) { device }
        record.metadata = builder.metadata(
            canonical: #"{"HKIndoorWorkout":"0","hp:creation_delay_seconds":3}"#.utf8Span.span)
        builder.add(record)
        #expect(builder.finishPage().samples[0].payloadHash.hex == examples[0].hash)
    }
}
