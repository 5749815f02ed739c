import Testing

@testable import Measures

struct MeasureTests {
    @Test(arguments: [
        // The worked examples of Spec/measures.md.
        ("HKQuantityTypeIdentifierDistanceCycling", "km", 1.5, 1500),
        ("HKQuantityTypeIdentifierActiveEnergyBurned", "kJ", 500, 119.50286806883365),
        ("HKQuantityTypeIdentifierBodyTemperature", "degF", 98.6, 37),
        ("HKQuantityTypeIdentifierAppleExerciseTime", "hr", 0.5, 30),
        // A canonical unit that is not the first of its dimension.
        ("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "s", 0.05, 50),
        ("HKQuantityTypeIdentifierRunningVerticalOscillation", "in", 2, 5.08),
        ("HKQuantityTypeIdentifierBodyMass", "lb", 10, 4.5359237),
        ("HKQuantityTypeIdentifierBodyMass", "kg", 70.1, 70.1),
        ("HKQuantityTypeIdentifierBloodPressureSystolic", "kPa", 133.322387415, 1000),
    ])
    func `a value has its equal in the canonical unit`(_ type: String, _ unit: String, _ value: Double, _ equal: Double)
        throws
    {
        let conversion = try #require(Measure(of: Array(type.utf8)).conversion(from: Array(unit.utf8)))
        #expect(conversion(value) == equal)
    }

    @Test(arguments: [
        ("HKQuantityTypeIdentifierStepCount", "kg"), ("HKQuantityTypeIdentifierStepCount", ""),
        ("HKQuantityTypeIdentifierStepCount", "Count"), ("HKQuantityTypeIdentifierOfTheFuture", "count"),
        ("HKCategoryTypeIdentifierSleepAnalysis", "min"), ("", ""),
    ])
    func `a unit of another dimension is not converted`(_ type: String, _ unit: String) {
        #expect(Measure(of: Array(type.utf8)).conversion(from: Array(unit.utf8)) == nil)
    }

    @Test(arguments: [
        ("HKQuantityTypeIdentifierStepCount", Measure.Kind.cumulative),
        ("HKQuantityTypeIdentifierHeartRate", .discrete), ("HKCategoryTypeIdentifierSleepAnalysis", .category),
        ("HKWorkoutTypeIdentifier", .workout), ("HKWorkoutRouteTypeIdentifier", .event),
        ("HKQuantityTypeIdentifierOfTheFuture", .event),
    ])
    func `each type has its kind, and one that is not known is an event`(_ type: String, _ kind: Measure.Kind) {
        #expect(Measure(of: Array(type.utf8)).kind == kind)
    }

    @Test func `every line of the table is read`() {
        let units = MeasureTable.unitText.split(separator: "\n").count
        #expect(UnitConversion.table.values.map(\.count).reduce(0, +) == units)
        for line in MeasureTable.typeText.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { Array($0.utf8) }
            let measure = Measure(of: cells[0])
            #expect(Array(measure.kind.rawValue.utf8) == cells[1])
            // The canonical unit of a type is a unit of its dimension, and changes nothing.
            guard !cells[3].isEmpty else { continue }
            #expect(measure.conversion(from: cells[3])?(0.1) == 0.1, "\(line)")
        }
    }
}
