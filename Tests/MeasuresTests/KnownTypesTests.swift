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

    @Test(arguments: ["HeartRte", "", "heart  rate"])
    func `a text may name none`(_ text: String) {
        #expect(KnownTypes().find(text) == .none)
    }

    @Test func `every name is there to choose from`() {
        let names = Set(KnownTypes(adding: ["com.example.Beats"]).names)
        #expect(names.isSuperset(of: ["com.example.Beats", "HeartRate", "Heart rate", "HKWorkoutTypeIdentifier"]))
    }

    @Test(arguments: [
        ("HKQuantityTypeIdentifierHeartRate", "HeartRate"), ("HKWorkoutTypeIdentifier", "Workout"),
        ("HKTypeIdentifier", nil), ("HK", nil), ("", nil), ("com.example.beats", nil), ("HKWorkoutType", nil),
    ])
    func `an identifier of Apple's has a short name in it`(_ identifier: String, _ name: String?) {
        #expect(SampleTypeNames.shortName(of: identifier) == name)
    }
}
