import Testing

@testable import Measures

struct KnownTypesTests {
    @Test(arguments: [
        ("HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierHeartRate"),
        ("HeartRate", "HKQuantityTypeIdentifierHeartRate"), ("heartrate", "HKQuantityTypeIdentifierHeartRate"),
        ("Heart rate", "HKQuantityTypeIdentifierHeartRate"), ("Workout", "HKWorkoutTypeIdentifier"),
        ("workoutroute", "HKWorkoutRouteTypeIdentifier"), ("sleepanalysis", "HKCategoryTypeIdentifierSleepAnalysis"),
        ("com.example.Beats", "com.example.Beats"), ("COM.EXAMPLE.BEATS", "com.example.Beats"),
    ])
    func `a type has several names`(_ text: String, _ type: String) {
        #expect(KnownTypes(adding: ["com.example.Beats"]).find(text) == .type(type))
    }

    @Test func `each name leads to its type, and to no other`() {
        let known = KnownTypes()
        for (identifier, name) in SampleTypeNames.table {
            #expect(known.find(identifier) == .type(identifier))
            #expect(known.find(name) == .type(identifier), "\(name)")
        }
    }

    @Test(arguments: [("HeartRte", "HeartRate"), ("StepsCount", "StepCount"), ("hart rate", "Heart rate")])
    func `what names none has a nearest`(_ text: String, _ nearest: String) {
        #expect(KnownTypes().find(text) == .none(nearest: nearest))
    }

    @Test(arguments: [
        ("HKQuantityTypeIdentifierHeartRate", "HeartRate"), ("HKWorkoutTypeIdentifier", "Workout"),
        ("HKTypeIdentifier", nil), ("HK", nil), ("", nil), ("com.example.beats", nil), ("HKWorkoutType", nil),
    ])
    func `an identifier of Apple's has a short name in it`(_ identifier: String, _ name: String?) {
        #expect(SampleTypeNames.shortName(of: identifier) == name)
    }
}
