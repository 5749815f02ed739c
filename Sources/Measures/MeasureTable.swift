// Written by Scripts/generate-measures from Spec/measures.json.

enum MeasureTable {
    /// Dimension, unit, and what a value is lessened by, multiplied by and divided by.
    static let unitText = """
        conductance|S|0|1|1
        conductance|mS|0|1|1000
        conductance|mcS|0|1|1000000
        count|count|0|1|1
        effort score|appleEffortScore|0|1|1
        energy|kcal|0|1|1
        energy|Cal|0|1|1
        energy|cal|0|1|1000
        energy|kJ|0|125|523
        energy|J|0|1|4184
        energy/(mass·time)|kcal/hr·kg|0|1|1
        energy/(mass·time)|kcal/(kg hr)|0|1|1
        fraction|%|0|1|1
        frequency|count/min|0|1|1
        frequency|count/s|0|60|1
        frequency|Hz|0|60|1
        international unit|IU|0|1|1
        length|m|0|1|1
        length|km|0|1000|1
        length|cm|0|1|100
        length|mm|0|1|1000
        length|mi|0|201168|125
        length|ft|0|381|1250
        length|yd|0|1143|1250
        length|in|0|127|5000
        mass|g|0|1|1
        mass|kg|0|1000|1
        mass|mg|0|1|1000
        mass|mcg|0|1|1000000
        mass|lb|0|45359237|100000
        mass|oz|0|45359237|1600000
        mass|st|0|317514659|50000
        mass concentration|mg/dL|0|1|1
        mass concentration|g/L|0|100|1
        mass concentration|mg/L|0|1|10
        mass concentration|mmol<180.1558800000541>/L|0|1801558800000541|100000000000000
        power|W|0|1|1
        power|kW|0|1000|1
        pressure|mmHg|0|1|1
        pressure|kPa|0|200000000000|26664477483
        sound pressure level|dBASPL|0|1|1
        speed|m/s|0|1|1
        speed|km/hr|0|5|18
        speed|mi/hr|0|1397|3125
        speed|ft/s|0|381|1250
        speed|m/min|0|1|60
        temperature|degC|0|1|1
        temperature|degF|32|5|9
        time|s|0|1|1
        time|ms|0|1|1000
        time|min|0|60|1
        time|hr|0|3600|1
        time|d|0|86400|1
        volume|mL|0|1|1
        volume|L|0|1000|1
        volume|dL|0|100|1
        volume|cL|0|10|1
        volume|fl_oz_us|0|473176473|16000000
        volume|fl_oz_imp|0|454609|16000
        volume|cup_us|0|473176473|2000000
        volume|cup_imp|0|454609|1600
        volume|pt_us|0|473176473|1000000
        volume|pt_imp|0|454609|800
        volume flow|L/min|0|1|1
        volume flow|L/s|0|60|1
        volume flow|mL/min|0|1|1000
        volume/(mass·time)|mL/min·kg|0|1|1
        volume/(mass·time)|ml/(kg min)|0|1|1
        """

    /// Sample type, measure, dimension, canonical unit.
    static let typeText = """
        HKActivitySummaryTypeIdentifier|event||
        HKCategoryTypeIdentifierAbdominalCramps|category||
        HKCategoryTypeIdentifierAcne|category||
        HKCategoryTypeIdentifierAppetiteChanges|category||
        HKCategoryTypeIdentifierAppleStandHour|category||
        HKCategoryTypeIdentifierAppleWalkingSteadinessEvent|category||
        HKCategoryTypeIdentifierAudioExposureEvent|category||
        HKCategoryTypeIdentifierBladderIncontinence|category||
        HKCategoryTypeIdentifierBleedingAfterMenopause|category||
        HKCategoryTypeIdentifierBleedingAfterPregnancy|category||
        HKCategoryTypeIdentifierBleedingDuringPregnancy|category||
        HKCategoryTypeIdentifierBloating|category||
        HKCategoryTypeIdentifierBreastPain|category||
        HKCategoryTypeIdentifierCervicalMucusQuality|category||
        HKCategoryTypeIdentifierChestTightnessOrPain|category||
        HKCategoryTypeIdentifierChills|category||
        HKCategoryTypeIdentifierConstipation|category||
        HKCategoryTypeIdentifierContraceptive|category||
        HKCategoryTypeIdentifierCoughing|category||
        HKCategoryTypeIdentifierDiarrhea|category||
        HKCategoryTypeIdentifierDizziness|category||
        HKCategoryTypeIdentifierDrySkin|category||
        HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent|category||
        HKCategoryTypeIdentifierFainting|category||
        HKCategoryTypeIdentifierFatigue|category||
        HKCategoryTypeIdentifierFever|category||
        HKCategoryTypeIdentifierGeneralizedBodyAche|category||
        HKCategoryTypeIdentifierHairLoss|category||
        HKCategoryTypeIdentifierHandwashingEvent|category||
        HKCategoryTypeIdentifierHeadache|category||
        HKCategoryTypeIdentifierHeadphoneAudioExposureEvent|category||
        HKCategoryTypeIdentifierHeartburn|category||
        HKCategoryTypeIdentifierHighHeartRateEvent|category||
        HKCategoryTypeIdentifierHotFlashes|category||
        HKCategoryTypeIdentifierHypertensionEvent|category||
        HKCategoryTypeIdentifierInfrequentMenstrualCycles|category||
        HKCategoryTypeIdentifierIntermenstrualBleeding|category||
        HKCategoryTypeIdentifierIrregularHeartRhythmEvent|category||
        HKCategoryTypeIdentifierIrregularMenstrualCycles|category||
        HKCategoryTypeIdentifierLactation|category||
        HKCategoryTypeIdentifierLossOfSmell|category||
        HKCategoryTypeIdentifierLossOfTaste|category||
        HKCategoryTypeIdentifierLowCardioFitnessEvent|category||
        HKCategoryTypeIdentifierLowHeartRateEvent|category||
        HKCategoryTypeIdentifierLowerBackPain|category||
        HKCategoryTypeIdentifierMemoryLapse|category||
        HKCategoryTypeIdentifierMenopausalState|category||
        HKCategoryTypeIdentifierMenstrualFlow|category||
        HKCategoryTypeIdentifierMindfulSession|category||
        HKCategoryTypeIdentifierMoodChanges|category||
        HKCategoryTypeIdentifierNausea|category||
        HKCategoryTypeIdentifierNightSweats|category||
        HKCategoryTypeIdentifierOvulationTestResult|category||
        HKCategoryTypeIdentifierPelvicPain|category||
        HKCategoryTypeIdentifierPersistentIntermenstrualBleeding|category||
        HKCategoryTypeIdentifierPregnancy|category||
        HKCategoryTypeIdentifierPregnancyTestResult|category||
        HKCategoryTypeIdentifierProgesteroneTestResult|category||
        HKCategoryTypeIdentifierProlongedMenstrualPeriods|category||
        HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat|category||
        HKCategoryTypeIdentifierRunnyNose|category||
        HKCategoryTypeIdentifierSexualActivity|category||
        HKCategoryTypeIdentifierShortnessOfBreath|category||
        HKCategoryTypeIdentifierSinusCongestion|category||
        HKCategoryTypeIdentifierSkippedHeartbeat|category||
        HKCategoryTypeIdentifierSleepAnalysis|category||
        HKCategoryTypeIdentifierSleepApneaEvent|category||
        HKCategoryTypeIdentifierSleepChanges|category||
        HKCategoryTypeIdentifierSoreThroat|category||
        HKCategoryTypeIdentifierToothbrushingEvent|category||
        HKCategoryTypeIdentifierVaginalDryness|category||
        HKCategoryTypeIdentifierVomiting|category||
        HKCategoryTypeIdentifierWheezing|category||
        HKCorrelationTypeIdentifierBloodPressure|event||
        HKCorrelationTypeIdentifierFood|event||
        HKDataTypeIdentifierAudiogram|event||
        HKDataTypeIdentifierElectrocardiogram|event||
        HKDataTypeIdentifierHeartbeatSeries|event||
        HKDataTypeIdentifierStateOfMind|event||
        HKQuantityTypeIdentifierActiveEnergyBurned|cumulative|energy|kcal
        HKQuantityTypeIdentifierAppleExerciseTime|cumulative|time|min
        HKQuantityTypeIdentifierAppleMoveTime|cumulative|time|min
        HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances|discrete|count|count
        HKQuantityTypeIdentifierAppleSleepingWristTemperature|discrete|temperature|degC
        HKQuantityTypeIdentifierAppleStandTime|cumulative|time|min
        HKQuantityTypeIdentifierAppleWalkingSteadiness|discrete|fraction|%
        HKQuantityTypeIdentifierAtrialFibrillationBurden|discrete|fraction|%
        HKQuantityTypeIdentifierBasalBodyTemperature|discrete|temperature|degC
        HKQuantityTypeIdentifierBasalEnergyBurned|cumulative|energy|kcal
        HKQuantityTypeIdentifierBloodAlcoholContent|discrete|fraction|%
        HKQuantityTypeIdentifierBloodGlucose|discrete|mass concentration|mg/dL
        HKQuantityTypeIdentifierBloodPressureDiastolic|discrete|pressure|mmHg
        HKQuantityTypeIdentifierBloodPressureSystolic|discrete|pressure|mmHg
        HKQuantityTypeIdentifierBodyFatPercentage|discrete|fraction|%
        HKQuantityTypeIdentifierBodyMass|discrete|mass|kg
        HKQuantityTypeIdentifierBodyMassIndex|discrete|count|count
        HKQuantityTypeIdentifierBodyTemperature|discrete|temperature|degC
        HKQuantityTypeIdentifierCrossCountrySkiingSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierCyclingCadence|discrete|frequency|count/min
        HKQuantityTypeIdentifierCyclingFunctionalThresholdPower|discrete|power|W
        HKQuantityTypeIdentifierCyclingPower|discrete|power|W
        HKQuantityTypeIdentifierCyclingSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierDietaryBiotin|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryCaffeine|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryCalcium|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryCarbohydrates|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryChloride|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryCholesterol|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryChromium|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryCopper|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryEnergyConsumed|cumulative|energy|kcal
        HKQuantityTypeIdentifierDietaryFatMonounsaturated|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryFatPolyunsaturated|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryFatSaturated|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryFatTotal|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryFiber|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryFolate|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryIodine|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryIron|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryMagnesium|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryManganese|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryMolybdenum|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryNiacin|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryPantothenicAcid|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryPhosphorus|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryPotassium|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryProtein|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryRiboflavin|cumulative|mass|g
        HKQuantityTypeIdentifierDietarySelenium|cumulative|mass|g
        HKQuantityTypeIdentifierDietarySodium|cumulative|mass|g
        HKQuantityTypeIdentifierDietarySugar|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryThiamin|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminA|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminB12|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminB6|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminC|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminD|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminE|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryVitaminK|cumulative|mass|g
        HKQuantityTypeIdentifierDietaryWater|cumulative|volume|mL
        HKQuantityTypeIdentifierDietaryZinc|cumulative|mass|g
        HKQuantityTypeIdentifierDistanceCrossCountrySkiing|cumulative|length|m
        HKQuantityTypeIdentifierDistanceCycling|cumulative|length|m
        HKQuantityTypeIdentifierDistanceDownhillSnowSports|cumulative|length|m
        HKQuantityTypeIdentifierDistancePaddleSports|cumulative|length|m
        HKQuantityTypeIdentifierDistanceRowing|cumulative|length|m
        HKQuantityTypeIdentifierDistanceSkatingSports|cumulative|length|m
        HKQuantityTypeIdentifierDistanceSwimming|cumulative|length|m
        HKQuantityTypeIdentifierDistanceWalkingRunning|cumulative|length|m
        HKQuantityTypeIdentifierDistanceWheelchair|cumulative|length|m
        HKQuantityTypeIdentifierElectrodermalActivity|discrete|conductance|S
        HKQuantityTypeIdentifierEnvironmentalAudioExposure|discrete|sound pressure level|dBASPL
        HKQuantityTypeIdentifierEnvironmentalSoundReduction|discrete|sound pressure level|dBASPL
        HKQuantityTypeIdentifierEstimatedWorkoutEffortScore|discrete|effort score|appleEffortScore
        HKQuantityTypeIdentifierFlightsClimbed|cumulative|count|count
        HKQuantityTypeIdentifierForcedExpiratoryVolume1|discrete|volume|L
        HKQuantityTypeIdentifierForcedVitalCapacity|discrete|volume|L
        HKQuantityTypeIdentifierHeadphoneAudioExposure|discrete|sound pressure level|dBASPL
        HKQuantityTypeIdentifierHeartRate|discrete|frequency|count/min
        HKQuantityTypeIdentifierHeartRateRecoveryOneMinute|discrete|frequency|count/min
        HKQuantityTypeIdentifierHeartRateVariabilityRMSSD|discrete|time|ms
        HKQuantityTypeIdentifierHeartRateVariabilitySDNN|discrete|time|ms
        HKQuantityTypeIdentifierHeight|discrete|length|m
        HKQuantityTypeIdentifierInhalerUsage|cumulative|count|count
        HKQuantityTypeIdentifierInsulinDelivery|cumulative|international unit|IU
        HKQuantityTypeIdentifierLeanBodyMass|discrete|mass|kg
        HKQuantityTypeIdentifierNikeFuel|cumulative|count|count
        HKQuantityTypeIdentifierNumberOfAlcoholicBeverages|cumulative|count|count
        HKQuantityTypeIdentifierNumberOfTimesFallen|cumulative|count|count
        HKQuantityTypeIdentifierOxygenSaturation|discrete|fraction|%
        HKQuantityTypeIdentifierPaddleSportsSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierPeakExpiratoryFlowRate|discrete|volume flow|L/min
        HKQuantityTypeIdentifierPeripheralPerfusionIndex|discrete|fraction|%
        HKQuantityTypeIdentifierPhysicalEffort|discrete|energy/(mass·time)|kcal/hr·kg
        HKQuantityTypeIdentifierPushCount|cumulative|count|count
        HKQuantityTypeIdentifierRespiratoryRate|discrete|frequency|count/min
        HKQuantityTypeIdentifierRestingHeartRate|discrete|frequency|count/min
        HKQuantityTypeIdentifierRowingSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierRunningGroundContactTime|discrete|time|ms
        HKQuantityTypeIdentifierRunningPower|discrete|power|W
        HKQuantityTypeIdentifierRunningSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierRunningStrideLength|discrete|length|m
        HKQuantityTypeIdentifierRunningVerticalOscillation|discrete|length|cm
        HKQuantityTypeIdentifierSixMinuteWalkTestDistance|discrete|length|m
        HKQuantityTypeIdentifierStairAscentSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierStairDescentSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierStepCount|cumulative|count|count
        HKQuantityTypeIdentifierSwimmingStrokeCount|cumulative|count|count
        HKQuantityTypeIdentifierTimeInDaylight|cumulative|time|min
        HKQuantityTypeIdentifierUVExposure|discrete|count|count
        HKQuantityTypeIdentifierUnderwaterDepth|discrete|length|m
        HKQuantityTypeIdentifierVO2Max|discrete|volume/(mass·time)|mL/min·kg
        HKQuantityTypeIdentifierWaistCircumference|discrete|length|m
        HKQuantityTypeIdentifierWalkingAsymmetryPercentage|discrete|fraction|%
        HKQuantityTypeIdentifierWalkingDoubleSupportPercentage|discrete|fraction|%
        HKQuantityTypeIdentifierWalkingHeartRateAverage|discrete|frequency|count/min
        HKQuantityTypeIdentifierWalkingSpeed|discrete|speed|m/s
        HKQuantityTypeIdentifierWalkingStepLength|discrete|length|m
        HKQuantityTypeIdentifierWaterTemperature|discrete|temperature|degC
        HKQuantityTypeIdentifierWorkoutEffortScore|discrete|effort score|appleEffortScore
        HKVisionPrescriptionTypeIdentifier|event||
        HKWorkoutRouteTypeIdentifier|event||
        HKWorkoutTypeIdentifier|workout||
        """
}
