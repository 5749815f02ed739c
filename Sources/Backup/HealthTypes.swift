/// The numbers of sample types in health databases (`Spec/iphone-backup.md`, "Types").
enum HealthTypes {
    static let workout: Int64 = 79
    static let route: Int64 = 102
    static let correlations: Set<Int64> = [80, 81]

    /// Returns the identifier of a type; of an unknown number a name of our own.
    static func identifier(_ number: Int64) -> String { table[number] ?? "hp:healthdb.type.\(number)" }

    /// Returns the number of an identifier; `nil` if no number has it.
    static func number(_ identifier: String) -> Int64? {
        let prefix = "hp:healthdb.type."
        guard identifier.hasPrefix(prefix) else { return numbers[identifier] }
        return Int64(identifier.dropFirst(prefix.count))
    }

    private static let numbers = Dictionary(uniqueKeysWithValues: table.map { ($0.value, $0.key) })

    /// Returns `true` if a type has categories, or is unknown.
    static func mayBeCategory(_ number: Int64) -> Bool {
        table[number]?.hasPrefix("HKCategoryTypeIdentifier") ?? true
    }

    /// Returns the unit in which values of a type were measured to be stored; a database may contradict it.
    static func measuredUnit(_ number: Int64) -> String? { units[number] }

    private static let units: [Int64: String] = {
        var units: [Int64: String] = [:]
        for (unit, numbers) in unitNumbers { for number in numbers { units[number] = unit } }
        return units
    }()

    private static let unitNumbers: [(String, [Int64])] = [
        ("count", [7, 12, 101, 111]), ("count/s", [5, 61]), ("count/min", [118, 137]),
        ("m/s", [187, 195, 196, 274, 281]), ("m", [2, 8, 83, 110, 113, 138, 183, 188, 258]), ("kg", [3]),
        ("kcal", [9, 10]), ("%", [1, 14, 182, 194, 248, 249]), ("min", [75, 186]), ("ms", [139]),
    ]

    private static let table: [Int64: String] = {
        var table: [Int64: String] = [:]
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: " ")
            if let number = Int64(cells[0]) { table[number] = String(cells[1]) }
        }
        return table
    }()

    private static let text = """
        0 HKQuantityTypeIdentifierBodyMassIndex
        1 HKQuantityTypeIdentifierBodyFatPercentage
        2 HKQuantityTypeIdentifierHeight
        3 HKQuantityTypeIdentifierBodyMass
        4 HKQuantityTypeIdentifierLeanBodyMass
        5 HKQuantityTypeIdentifierHeartRate
        7 HKQuantityTypeIdentifierStepCount
        8 HKQuantityTypeIdentifierDistanceWalkingRunning
        9 HKQuantityTypeIdentifierBasalEnergyBurned
        10 HKQuantityTypeIdentifierActiveEnergyBurned
        12 HKQuantityTypeIdentifierFlightsClimbed
        13 HKQuantityTypeIdentifierNikeFuel
        14 HKQuantityTypeIdentifierOxygenSaturation
        15 HKQuantityTypeIdentifierBloodGlucose
        16 HKQuantityTypeIdentifierBloodPressureSystolic
        17 HKQuantityTypeIdentifierBloodPressureDiastolic
        18 HKQuantityTypeIdentifierBloodAlcoholContent
        19 HKQuantityTypeIdentifierPeripheralPerfusionIndex
        20 HKQuantityTypeIdentifierDietaryFatTotal
        21 HKQuantityTypeIdentifierDietaryFatPolyunsaturated
        22 HKQuantityTypeIdentifierDietaryFatMonounsaturated
        23 HKQuantityTypeIdentifierDietaryFatSaturated
        24 HKQuantityTypeIdentifierDietaryCholesterol
        25 HKQuantityTypeIdentifierDietarySodium
        26 HKQuantityTypeIdentifierDietaryCarbohydrates
        27 HKQuantityTypeIdentifierDietaryFiber
        28 HKQuantityTypeIdentifierDietarySugar
        29 HKQuantityTypeIdentifierDietaryEnergyConsumed
        30 HKQuantityTypeIdentifierDietaryProtein
        31 HKQuantityTypeIdentifierDietaryVitaminA
        32 HKQuantityTypeIdentifierDietaryVitaminB6
        33 HKQuantityTypeIdentifierDietaryVitaminB12
        34 HKQuantityTypeIdentifierDietaryVitaminC
        35 HKQuantityTypeIdentifierDietaryVitaminD
        36 HKQuantityTypeIdentifierDietaryVitaminE
        37 HKQuantityTypeIdentifierDietaryVitaminK
        38 HKQuantityTypeIdentifierDietaryCalcium
        39 HKQuantityTypeIdentifierDietaryIron
        40 HKQuantityTypeIdentifierDietaryThiamin
        41 HKQuantityTypeIdentifierDietaryRiboflavin
        42 HKQuantityTypeIdentifierDietaryNiacin
        43 HKQuantityTypeIdentifierDietaryFolate
        44 HKQuantityTypeIdentifierDietaryBiotin
        45 HKQuantityTypeIdentifierDietaryPantothenicAcid
        46 HKQuantityTypeIdentifierDietaryPhosphorus
        47 HKQuantityTypeIdentifierDietaryIodine
        48 HKQuantityTypeIdentifierDietaryMagnesium
        49 HKQuantityTypeIdentifierDietaryZinc
        50 HKQuantityTypeIdentifierDietarySelenium
        51 HKQuantityTypeIdentifierDietaryCopper
        52 HKQuantityTypeIdentifierDietaryManganese
        53 HKQuantityTypeIdentifierDietaryChromium
        54 HKQuantityTypeIdentifierDietaryMolybdenum
        55 HKQuantityTypeIdentifierDietaryChloride
        56 HKQuantityTypeIdentifierDietaryPotassium
        57 HKQuantityTypeIdentifierNumberOfTimesFallen
        58 HKQuantityTypeIdentifierElectrodermalActivity
        60 HKQuantityTypeIdentifierInhalerUsage
        61 HKQuantityTypeIdentifierRespiratoryRate
        62 HKQuantityTypeIdentifierBodyTemperature
        63 HKCategoryTypeIdentifierSleepAnalysis
        70 HKCategoryTypeIdentifierAppleStandHour
        71 HKQuantityTypeIdentifierForcedVitalCapacity
        72 HKQuantityTypeIdentifierForcedExpiratoryVolume1
        73 HKQuantityTypeIdentifierPeakExpiratoryFlowRate
        75 HKQuantityTypeIdentifierAppleExerciseTime
        78 HKQuantityTypeIdentifierDietaryCaffeine
        79 HKWorkoutTypeIdentifier
        80 HKCorrelationTypeIdentifierBloodPressure
        81 HKCorrelationTypeIdentifierFood
        83 HKQuantityTypeIdentifierDistanceCycling
        87 HKQuantityTypeIdentifierDietaryWater
        89 HKQuantityTypeIdentifierUVExposure
        90 HKQuantityTypeIdentifierBasalBodyTemperature
        91 HKCategoryTypeIdentifierCervicalMucusQuality
        92 HKCategoryTypeIdentifierOvulationTestResult
        95 HKCategoryTypeIdentifierMenstrualFlow
        96 HKCategoryTypeIdentifierIntermenstrualBleeding
        97 HKCategoryTypeIdentifierSexualActivity
        99 HKCategoryTypeIdentifierMindfulSession
        101 HKQuantityTypeIdentifierPushCount
        102 HKWorkoutRouteTypeIdentifier
        110 HKQuantityTypeIdentifierDistanceSwimming
        111 HKQuantityTypeIdentifierSwimmingStrokeCount
        113 HKQuantityTypeIdentifierDistanceWheelchair
        114 HKQuantityTypeIdentifierWaistCircumference
        118 HKQuantityTypeIdentifierRestingHeartRate
        124 HKQuantityTypeIdentifierVO2Max
        125 HKQuantityTypeIdentifierInsulinDelivery
        137 HKQuantityTypeIdentifierWalkingHeartRateAverage
        138 HKQuantityTypeIdentifierDistanceDownhillSnowSports
        139 HKQuantityTypeIdentifierHeartRateVariabilitySDNN
        140 HKCategoryTypeIdentifierHighHeartRateEvent
        144 HKDataTypeIdentifierElectrocardiogram
        145 HKDataTypeIdentifierAudiogram
        147 HKCategoryTypeIdentifierLowHeartRateEvent
        156 HKCategoryTypeIdentifierIrregularHeartRhythmEvent
        157 HKCategoryTypeIdentifierAbdominalCramps
        158 HKCategoryTypeIdentifierBreastPain
        159 HKCategoryTypeIdentifierBloating
        160 HKCategoryTypeIdentifierHeadache
        161 HKCategoryTypeIdentifierAcne
        162 HKCategoryTypeIdentifierLowerBackPain
        163 HKCategoryTypeIdentifierPelvicPain
        164 HKCategoryTypeIdentifierMoodChanges
        165 HKCategoryTypeIdentifierConstipation
        166 HKCategoryTypeIdentifierDiarrhea
        167 HKCategoryTypeIdentifierFatigue
        168 HKCategoryTypeIdentifierNausea
        169 HKCategoryTypeIdentifierSleepChanges
        170 HKCategoryTypeIdentifierAppetiteChanges
        171 HKCategoryTypeIdentifierHotFlashes
        172 HKQuantityTypeIdentifierEnvironmentalAudioExposure
        173 HKQuantityTypeIdentifierHeadphoneAudioExposure
        178 HKCategoryTypeIdentifierAudioExposureEvent
        182 HKQuantityTypeIdentifierWalkingDoubleSupportPercentage
        183 HKQuantityTypeIdentifierSixMinuteWalkTestDistance
        186 HKQuantityTypeIdentifierAppleStandTime
        187 HKQuantityTypeIdentifierWalkingSpeed
        188 HKQuantityTypeIdentifierWalkingStepLength
        189 HKCategoryTypeIdentifierToothbrushingEvent
        191 HKCategoryTypeIdentifierPregnancy
        192 HKCategoryTypeIdentifierLactation
        193 HKCategoryTypeIdentifierContraceptive
        194 HKQuantityTypeIdentifierWalkingAsymmetryPercentage
        195 HKQuantityTypeIdentifierStairAscentSpeed
        196 HKQuantityTypeIdentifierStairDescentSpeed
        201 HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat
        202 HKCategoryTypeIdentifierSkippedHeartbeat
        203 HKCategoryTypeIdentifierFever
        204 HKCategoryTypeIdentifierShortnessOfBreath
        205 HKCategoryTypeIdentifierChestTightnessOrPain
        206 HKCategoryTypeIdentifierFainting
        207 HKCategoryTypeIdentifierDizziness
        220 HKCategoryTypeIdentifierVomiting
        221 HKCategoryTypeIdentifierHeartburn
        222 HKCategoryTypeIdentifierCoughing
        223 HKCategoryTypeIdentifierWheezing
        224 HKCategoryTypeIdentifierSoreThroat
        225 HKCategoryTypeIdentifierSinusCongestion
        226 HKCategoryTypeIdentifierRunnyNose
        229 HKCategoryTypeIdentifierVaginalDryness
        230 HKCategoryTypeIdentifierNightSweats
        231 HKCategoryTypeIdentifierChills
        232 HKCategoryTypeIdentifierHairLoss
        233 HKCategoryTypeIdentifierDrySkin
        234 HKCategoryTypeIdentifierBladderIncontinence
        235 HKCategoryTypeIdentifierMemoryLapse
        237 HKCategoryTypeIdentifierHandwashingEvent
        240 HKCategoryTypeIdentifierGeneralizedBodyAche
        241 HKCategoryTypeIdentifierLossOfSmell
        242 HKCategoryTypeIdentifierLossOfTaste
        243 HKCategoryTypeIdentifierPregnancyTestResult
        244 HKCategoryTypeIdentifierProgesteroneTestResult
        248 HKQuantityTypeIdentifierAtrialFibrillationBurden
        249 HKQuantityTypeIdentifierAppleWalkingSteadiness
        251 HKQuantityTypeIdentifierNumberOfAlcoholicBeverages
        256 HKQuantityTypeIdentifierAppleSleepingWristTemperature
        258 HKQuantityTypeIdentifierRunningStrideLength
        259 HKQuantityTypeIdentifierRunningVerticalOscillation
        260 HKQuantityTypeIdentifierRunningGroundContactTime
        262 HKCategoryTypeIdentifierIrregularMenstrualCycles
        263 HKCategoryTypeIdentifierProlongedMenstrualPeriods
        264 HKCategoryTypeIdentifierPersistentIntermenstrualBleeding
        266 HKQuantityTypeIdentifierHeartRateRecoveryOneMinute
        269 HKQuantityTypeIdentifierUnderwaterDepth
        270 HKQuantityTypeIdentifierRunningPower
        272 HKQuantityTypeIdentifierEnvironmentalSoundReduction
        274 HKQuantityTypeIdentifierRunningSpeed
        277 HKQuantityTypeIdentifierWaterTemperature
        279 HKQuantityTypeIdentifierTimeInDaylight
        280 HKQuantityTypeIdentifierCyclingPower
        281 HKQuantityTypeIdentifierCyclingSpeed
        282 HKQuantityTypeIdentifierCyclingCadence
        283 HKQuantityTypeIdentifierCyclingFunctionalThresholdPower
        286 HKQuantityTypeIdentifierPhysicalEffort
        """
}
