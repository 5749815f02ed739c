internal import Bytes
internal import Capture
internal import Preimages

/// The attributes that exports are known to have, by element (`Spec/apple-health-names.json`, `attributes`). Others
/// are kept like these, and counted.
enum KnownAttributes {
    /// Returns `true` if an element is known to have an attribute.
    static func contains(_ name: [UInt8], of element: ElementName) -> Bool {
        (byElement[element] ?? []).contains(name)
    }

    private static let sample = "sourceName sourceVersion device creationDate startDate endDate source"
    private static let eye =
        "sphere sphereUnit cylinder cylinderUnit axis axisUnit add addUnit vertex vertexUnit prismAmount "
        + "prismAmountUnit prismAngle prismAngleUnit farPD farPDUnit nearPD nearPDUnit baseCurve baseCurveUnit "
        + "diameter diameterUnit"
    /// Their names, by element.
    static let byElement: [ElementName: Set<[UInt8]>] = [
        .HealthData: "locale", .ExportDate: "value", .MetadataEntry: "key value", .FileReference: "path",
        .Record: "type unit value min max average recordCount \(sample)", .Correlation: "type \(sample)",
        .Workout: "workoutActivityType duration durationUnit totalDistance totalDistanceUnit totalEnergyBurned "
            + "totalEnergyBurnedUnit totalFlightsClimbed totalFlightsClimbedUnit totalSwimmingStrokeCount "
            + "totalSwimmingStrokeCountUnit \(sample)",
        .WorkoutRoute: sample, .WorkoutEvent: "type date duration durationUnit",
        .WorkoutStatistics: "type startDate endDate average minimum maximum sum unit",
        .WorkoutActivity: "uuid startDate endDate duration durationUnit", .WorkoutZoneGroup: "type source unit",
        .WorkoutZone: "minimum maximum duration durationUnit",
        .ActivitySummary: "dateComponents activeEnergyBurned activeEnergyBurnedGoal activeEnergyBurnedUnit "
            + "appleMoveTime appleMoveTimeGoal appleMoveMinutes appleMoveMinutesGoal appleExerciseTime "
            + "appleExerciseTimeGoal appleStandHours appleStandHoursGoal",
        .ClinicalRecord: "type identifier sourceName sourceURL fhirVersion receivedDate resourceFilePath",
        .Audiogram: "type \(sample)",
        .SensitivityPoint: "frequencyValue frequencyUnit leftEarValue leftEarUnit rightEarValue rightEarUnit "
            + "leftEarMasked rightEarMasked leftEarClampingRangeLowerBound leftEarClampingRangeUpperBound "
            + "rightEarClampingRangeLowerBound rightEarClampingRangeUpperBound",
        .VisionPrescription: "type dateIssued expirationDate brand \(sample)", .RightEye: eye, .LeftEye: eye,
        .Prescription: "type \(eye)", .InstantaneousBeatsPerMinute: "bpm time",
    ].mapValues { Set($0.split(separator: " ").map { Array($0.utf8) }) }
}

/// Attributes that are not known, counted by name.
struct UnknownAttributes {
    /// The maximum number of different names that are counted; the others are one.
    private static let limit = 100
    private var counts: [String: Int] = [:]

    /// The names with their counts, sorted.
    var sorted: [(name: String, count: Int)] {
        counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// Counts the attributes of an element that it is not known to have.
    mutating func add(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        for index in element.attributes where batch.attributes[index].name != .tooLarge {
            let name = batch.name(of: batch.attributes[index])
            guard !KnownAttributes.contains(name, of: element.name) else { continue }
            let text = Self.isUsual(name) ? String(decoding: name, as: UTF8.self) : "other"
            let key = "\(element.name.text)/@\(text)"
            counts[counts[key] == nil && counts.count >= Self.limit ? "other/@other" : key, default: 0] += 1
        }
    }

    private static func isUsual(_ name: [UInt8]) -> Bool {
        (1...64).contains(name.count)
            && name.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
            }
    }
}

/// Keys of other apps' metadata whose values are kept as they are, counted by name.
struct ClearKeys {
    /// The maximum number of different keys that are counted; the others are one.
    private static let limit = 100
    private var counts: [[UInt8]: Int] = [:]

    /// The keys with their counts, sorted.
    var sorted: [(name: String, count: Int)] {
        counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    }

    /// Counts a key, if it is another app's and its value is not private.
    mutating func add(_ key: Span<UInt8>, _ builder: inout PageBuilder) {
        let name = key.array
        guard !PrivateMetadataKey.isApples(name), !builder.isPrivate(key: key) else { return }
        counts[counts[name] == nil && counts.count >= Self.limit ? Array("other".utf8) : name, default: 0] += 1
    }
}
