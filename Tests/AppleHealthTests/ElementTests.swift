import Recording
import Testing

@testable import AppleHealth

/// Midnight of 2000-01-01 in Unix seconds.
private let midnight = 946_684_800.0
private let dates = "startDate=\"2000-01-01 00:01:00 +0000\" endDate=\"2000-01-01 00:02:00 +0000\""
private let source = "sourceName=\"TESTDEVICE\" sourceVersion=\"1.2\""

struct ElementTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let element: String
        var samples: [Seen]
        var unknownValues = 0
        var leftOut: [String: Int] = [:]
        var testDescription: String { name }
    }

    /// A sample of the first minute.
    static func seen(_ type: String, _ kind: String, metadata: String? = nil, _ change: (inout Seen) -> Void = { _ in })
        -> Seen
    {
        var seen = Seen(type: type, kind: kind, start: midnight + 60, end: midnight + 120)
        seen.metadata = metadata
        change(&seen)
        return seen
    }

    static let heartRate = "HKQuantityTypeIdentifierHeartRate"
    static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"

    static let records = [
        Case(
            name: "a quantity",
            element:
                "<Record type=\"\(heartRate)\" \(source) unit=\"count/min\" creationDate=\"2000-01-01 00:02:03 +0000\" \(dates) value=\"61.5\"/>",
            samples: [
                seen(heartRate, "quantity", metadata: "{\"hp:creation_delay_seconds\":3}") {
                    ($0.number, $0.unit, $0.version) = (61.5, "count/min", "1.2")
                }
            ]),
        Case(
            name: "a quantity without unit or value", element: "<Record type=\"\(heartRate)\" \(dates)/>",
            samples: [seen(heartRate, "quantity")]),
        Case(
            name: "another type with a unit", element: "<Record type=\"Test\" unit=\"m\" value=\"1\" \(dates)/>",
            samples: [seen("Test", "quantity") { ($0.number, $0.unit) = (1, "m") }]),
        Case(
            name: "a long number",
            element: "<Record type=\"Test\" unit=\"m\" value=\"0.1000000000000000055511\" \(dates)/>",
            samples: [
                seen("Test", "quantity", metadata: "{\"hp:value_text\":\"0.1000000000000000055511\"}") {
                    ($0.number, $0.unit) = (0.1, "m")
                }
            ]),
        Case(
            name: "a category by name",
            element: "<Record type=\"\(sleep)\" \(dates) value=\"HKCategoryValueSleepAnalysisAsleepCore\"/>",
            samples: [seen(sleep, "category") { $0.category = 3 }]),
        Case(
            name: "a category by number", element: "<Record type=\"\(sleep)\" \(dates) value=\"-9007199254740991\"/>",
            samples: [seen(sleep, "category") { $0.category = -9_007_199_254_740_991 }]),
        Case(
            name: "a category that is not known",
            element: "<Record type=\"\(sleep)\" \(dates) value=\"HKTest&quot;&#10;\" unit=\"x\"/>",
            samples: [
                seen(sleep, "category", metadata: "{\"hp:attribute:unit\":\"x\",\"hp:value_text\":\"HKTest\\\"\\n\"}")
            ], unknownValues: 1),
        Case(
            name: "a category without value",
            element: "<Record type=\"HKDataTypeIdentifierHeartbeatSeries\" \(dates)/>",
            samples: [seen("HKDataTypeIdentifierHeartbeatSeries", "category")]),
        Case(
            name: "entries and attributes that no table names",
            element: """
                <Record type="Test" \(dates) colour="r&amp;d" creationDate="soon" device="&lt;&lt;HKDevice: 0x1&gt;, name:TEST, model:Band&gt;">
                <MetadataEntry key="b" value="1"/><MetadataEntry key="a" value="2"/><MetadataEntry key="b" value="1"/><MetadataEntry key="b" value="3"/>
                <MetadataEntry key="hp:x" value=""/><MetadataEntry key="only"/><MetadataEntry key="HKExternalUUID" value="TEST-1"/><Test><MetadataEntry key="c" value="4"/></Test></Record>
                """,
            samples: [
                seen(
                    "Test", "category",
                    metadata:
                        "{\"HKExternalUUID\":\"hmac:a8c4b2770573c51c81bbd8ae380fd6bf52f8dcfc270696747a3aaddda40786cc\",\"a\":\"2\",\"b\":\"1\",\"b.2\":\"3\","
                        + "\"hp:attribute:colour\":\"r&d\",\"hp:attribute:creationDate\":\"soon\",\"hp:key:hp:x\":\"\"}"
                ) { $0.model = "Band" }
            ], leftOut: ["element:MetadataEntry": 1, "element:Test": 1]),
        Case(
            name: "heartbeats",
            element: """
                <Record type="Test" unit="ms" value="40.7" startDate="2000-01-01 06:00:00 +0600" endDate="2000-01-01 06:01:00 +0600"><HeartRateVariabilityMetadataList>
                <InstantaneousBeatsPerMinute bpm="61" time="6:00:01,25 AM"/><InstantaneousBeatsPerMinute bpm="63" time="later" seconds="s"/></HeartRateVariabilityMetadataList></Record>
                """,
            samples: [
                seen(
                    "Test", "quantity",
                    metadata:
                        "{\"hp:beats\":[{\"bpm\":\"61\",\"seconds\":1.25},{\"attribute:seconds\":\"s\",\"bpm\":\"63\",\"time\":\"later\"}]}"
                ) {
                    ($0.start, $0.end, $0.number, $0.unit) = (midnight, midnight + 60, 40.7, "ms")
                }
            ]),
        Case(
            name: "control characters and a second attribute",
            element: "<Record type=\"Test\" \(dates) value=\"a\u{01}b\" value=\"1\" a=\"&#2;\"/>",
            samples: [
                seen(
                    "Test", "category",
                    metadata:
                        "{\"hp:attribute:a\":\"\\u0002\",\"hp:attribute:value.2\":\"1\",\"hp:value_text\":\"a\\u0001b\"}"
                )
            ], unknownValues: 1),
    ]

    static let workout = "HKWorkoutTypeIdentifier"
    static let others = [
        Case(
            name: "a workout with everything",
            element: """
                <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" totalDistance="5" \(dates)><MetadataEntry key="HKIndoorWorkout" value="1"/>
                <WorkoutEvent type="Pause" date="2000-01-01 02:01:30 +0200"><MetadataEntry key="k" value="v"/></WorkoutEvent><WorkoutEvent type="Lap" date="?"/>
                <WorkoutStatistics type="T" startDate="2000-01-01 00:01:00 +0000" sum="1"/>
                <WorkoutActivity uuid="TEST-3" events="x"><WorkoutEvent type="E"/><WorkoutStatistics type="S"/><MetadataEntry key="m" value="n"/></WorkoutActivity>
                <WorkoutRoute \(source) \(dates)><MetadataEntry key="HKMetadataKeySyncVersion" value="2"/><FileReference path="/workout-routes/a.gpx"/></WorkoutRoute></Workout>
                """,
            samples: [
                seen(
                    "HKWorkoutRouteTypeIdentifier", "workout_route",
                    metadata: "{\"HKMetadataKeySyncVersion\":\"2\",\"hp:files\":[\"/workout-routes/a.gpx\"]}"
                ) { $0.version = "1.2" },
                seen(
                    workout, "workout",
                    metadata:
                        "{\"HKIndoorWorkout\":\"1\",\"hp:activities\":[{\"attribute:events\":\"x\",\"events\":[{\"type\":\"E\"}],\"metadata\":{\"m\":\"n\"},"
                        + "\"statistics\":[{\"type\":\"S\"}],\"uuid\":\"hmac:cb87b42f9d03be556dc734ec6834fd9c2b57409d2ceda22d7d77e24c801467ea\"}],\"hp:attribute:totalDistance\":\"5\","
                        + "\"hp:events\":[{\"date\":\"2000-01-01T00:01:30.000Z\",\"metadata\":{\"k\":\"v\"},\"type\":\"Pause\"},{\"date\":\"?\",\"type\":\"Lap\"}],"
                        + "\"hp:statistics\":[{\"startDate\":\"2000-01-01T00:01:00.000Z\",\"sum\":\"1\",\"type\":\"T\"}]}"
                ) { ($0.activity, $0.duration) = (37, 1830) },
            ]),
        Case(
            name: "a workout that is not known",
            element: "<Workout workoutActivityType=\"HKTest\" duration=\"2\" durationUnit=\"d\" \(dates)/>",
            samples: [
                seen(
                    workout, "workout",
                    metadata:
                        "{\"hp:activity_type_name\":\"HKTest\",\"hp:attribute:duration\":\"2\",\"hp:attribute:durationUnit\":\"d\"}"
                )
            ], unknownValues: 1),
        Case(
            name: "a workout in hours",
            element: "<Workout workoutActivityType=\"52\" duration=\"1.5\" durationUnit=\"hr\" \(dates)/>",
            samples: [seen(workout, "workout") { ($0.activity, $0.duration) = (52, 5400) }]),
        Case(
            name: "an activity summary",
            element:
                "<ActivitySummary dateComponents=\"2000-01-01\" activeEnergyBurned=\"200.5\" appleStandHours=\"7\"/>",
            samples: [
                seen(
                    "HKActivitySummaryTypeIdentifier", "activity_summary",
                    metadata: "{\"hp:attribute:activeEnergyBurned\":\"200.5\",\"hp:attribute:appleStandHours\":\"7\"}"
                ) {
                    ($0.start, $0.end) = (midnight + 36_000, midnight + 36_000)
                }
            ]),
        Case(
            name: "a clinical record",
            element:
                "<ClinicalRecord type=\"HKClinicalTypeIdentifierTest\" identifier=\"TEST-2\" sourceName=\"TEST\" sourceURL=\"https://example.com/1\" fhirVersion=\"4\""
                + " receivedDate=\"2000-01-01 00:01:00 +0000\" resourceFilePath=\"/clinical-records/TEST.json\"/>",
            samples: [
                seen(
                    "HKClinicalTypeIdentifierTest", "clinical_record",
                    metadata:
                        "{\"hp:attribute:fhirVersion\":\"4\",\"hp:attribute:identifier\":\"hmac:831d792b04eabaeb9f2b360953ff0700ec11f5375985c843b4f7f1da8941cf01\","
                        + "\"hp:attribute:resourceFilePath\":\"hmac:3ade7fecb32fbfe42c972c1a2ad67bbb2879c761d431275127344ac0d7c8944f\","
                        + "\"hp:attribute:sourceURL\":\"hmac:d77748460e27ff7f5183d630ef8119696be73a65dac1a81d574ba4d79d45b163\"}"
                ) { $0.end = midnight + 60 }
            ]),
        Case(
            name: "an audiogram",
            element:
                "<Audiogram \(dates)><SensitivityPoint frequencyValue=\"250\" frequencyUnit=\"Hz\"/><SensitivityPoint frequencyValue=\"500\"/></Audiogram>",
            samples: [
                seen(
                    "HKDataTypeIdentifierAudiogram", "audiogram",
                    metadata:
                        "{\"hp:sensitivity_points\":[{\"frequencyUnit\":\"Hz\",\"frequencyValue\":\"250\"},{\"frequencyValue\":\"500\"}]}"
                )
            ]),
        Case(
            name: "a prescription",
            element:
                "<VisionPrescription type=\"glasses\" dateIssued=\"2000-01-01 00:01:00 +0000\" expirationDate=\"2000-01-01 00:02:00 +0000\" brand=\"TEST\"><RightEye sphere=\"-1\"/><LeftEye element=\"x\"/><Attachment/></VisionPrescription>",
            samples: [
                seen(
                    "glasses", "vision_prescription",
                    metadata:
                        "{\"hp:attribute:brand\":\"TEST\",\"hp:eyes\":[{\"element\":\"RightEye\",\"sphere\":\"-1\"},{\"attribute:element\":\"x\",\"element\":\"LeftEye\"}]}"
                )
            ], leftOut: ["element:Attachment": 1]),
        Case(
            name: "a prescription without an end",
            element: "<VisionPrescription dateIssued=\"2000-01-01 00:01:00 +0000\"/>",
            samples: [seen("HKVisionPrescriptionTypeIdentifier", "vision_prescription") { $0.end = midnight + 60 }]),
        Case(
            name: "who somebody is",
            element: "<Me a=\"1\" b=\"2\"/><Unknown/><Unknown><Record/></Unknown><MetadataEntry/>", samples: [],
            leftOut: ["characteristic": 2, "element:Unknown": 2, "element:MetadataEntry": 1]),
    ]

    @Test(arguments: records + others) func `an element becomes a record`(_ element: Case) async throws {
        let reading = try await Reading(element.element)
        #expect(reading.samples == element.samples)
        #expect(reading.rejections.isEmpty)
        #expect(reading.unknownValues == element.unknownValues)
        #expect(reading.leftOut == element.leftOut)
        #expect(reading.outcome == .complete)
    }

    @Test func `records of a correlation are its members`() async throws {
        let record =
            "<Record type=\"A\" unit=\"mmHg\" value=\"120\" \(dates)><MetadataEntry key=\"k\" value=\"v\"/></Record>"
        let reading = try await Reading(
            "\(record)<Correlation type=\"C\" \(source) \(dates)><MetadataEntry key=\"x\" value=\"y\"/>\(record)</Correlation>"
        )
        let expected = Self.seen("A", "quantity", metadata: "{\"k\":\"v\"}") { ($0.number, $0.unit) = (120, "mmHg") }
        #expect(
            reading.samples == [
                expected, Self.seen("C", "correlation", metadata: "{\"x\":\"y\"}") { $0.version = "1.2" },
            ])
        #expect(reading.members.count == 1)
        #expect(reading.members.first?.parent == 1)
        #expect(reading.members.first?.sample == expected)
        let page = try #require(reading.pages.first)
        #expect(page.members[0].sample.payloadHash == page.samples[0].payloadHash)
        #expect(text(page.texts[page.members[0].kind]) == "correlation_member")
    }

    @Test func `a route is linked to its workout`() async throws {
        let reading = try await Reading(
            "<Workout workoutActivityType=\"1\" \(dates)><WorkoutRoute \(dates)/><WorkoutRoute \(dates)/></Workout>")
        let page = try #require(reading.pages.first)
        #expect(page.links.map(\.source) == [2, 2])
        #expect(page.links.map(\.target) == [0, 1])
        #expect(page.links.allSatisfy { text(page.texts[$0.kind]) == "workout_route" })
    }

    static let rejected = [
        ("<Record type=\"T\" startDate=\"2000-01-01\" endDate=\"2000-01-01 00:00:00 +0000\"/>", ["T bad_date line 4"]),
        ("\n<Record type=\"T\" endDate=\"2000-01-01 00:00:00 +0000\"/>", ["T missing_attribute line 5"]),
        ("<Record \(dates)/>", ["- missing_attribute line 4"]),
        ("<Record type=\"a b\" startDate=\"\"/>", ["- bad_type line 4"]),
        ("<Record type=\"\" \(dates)/>", ["- bad_type line 4"]),
        ("<Record type=\"T\" unit=\"m\" value=\"much\" \(dates)/>", ["T bad_number line 4"]),
        ("<Record type=\"T\" unit=\"m\" value=\"1e400\" \(dates)/>", ["T bad_number line 4"]),
        ("<Record type=\"T\" value=\"9007199254740992\" \(dates)/>", ["T bad_number line 4"]),
        (
            "<Workout workoutActivityType=\"-9007199254740992\" \(dates)/>",
            ["HKWorkoutTypeIdentifier bad_number line 4"]
        ),
        (
            "<Workout workoutActivityType=\"1\" duration=\"1e308\" durationUnit=\"hr\" \(dates)/>",
            ["HKWorkoutTypeIdentifier bad_number line 4"]
        ),
        (
            "<ActivitySummary dateComponents=\"9999-12-31\"/><ActivitySummary/>",
            [
                "HKActivitySummaryTypeIdentifier bad_date line 4",
                "HKActivitySummaryTypeIdentifier missing_attribute line 4",
            ]
        ),
        (
            "<Correlation type=\"C\"><Record type=\"T\" \(dates)/>\n<Record type=\"U\"/></Correlation>",
            ["U missing_attribute line 5", "C missing_attribute line 4", "T rejected_parent line 4"]
        ),
        (
            "<ClinicalRecord type=\"K\"/><VisionPrescription dateIssued=\"x\"/>",
            ["K missing_attribute line 4", "HKVisionPrescriptionTypeIdentifier bad_date line 4"]
        ),
    ]

    @Test(arguments: rejected) func `what cannot be stored is rejected with its place`(
        _ elements: String, _ rejections: [String]
    ) async throws {
        let reading = try await Reading(elements)
        #expect(reading.rejections == rejections)
        #expect(reading.samples.isEmpty)
        #expect(reading.outcome == .complete)
    }

    @Test func `names are those of the specification`() throws {
        #expect(KnownNames.categories.pairs.count == 62)
        for (name, number) in KnownNames.categories.pairs + KnownNames.activities.pairs {
            #expect(Specification.names.contains("\"\(name)\": \(number)"), "\(name)")
        }
        #expect(
            Specification.names.matches(of: #/": -?[0-9]/#).count == KnownNames.categories.pairs.count
                + KnownNames.activities.pairs.count)
        for (element, names) in KnownAttributes.byElement {
            let list = names.map { "\"\(text($0))\"" }.sorted().joined(separator: ",\n      ")
            #expect(Specification.names.contains("\"\(element.text)\": [\n      \(list)\n    ]"), "\(element)")
        }
        for (name, meaning) in Electrocardiogram.names {
            #expect(Specification.names.contains("\"\(text(name))\": \"\(text(meaning))\""))
        }
        for (name, number) in KnownNames.activities.pairs {
            #expect(KnownNames.activities.number(of: name.utf8Span.span) == number)
        }
        for (name, number) in KnownNames.categories.pairs {
            #expect(KnownNames.categories.number(of: name.utf8Span.span) == number)
        }
    }
}
