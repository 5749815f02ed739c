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

    /// Sample type, measure, dimension, canonical unit, method.
    static let typeText = """
        HKActivitySummaryTypeIdentifier|event|||count
        HKCategoryTypeIdentifierAbdominalCramps|category|||duration
        HKCategoryTypeIdentifierAcne|category|||duration
        HKCategoryTypeIdentifierAppetiteChanges|category|||duration
        HKCategoryTypeIdentifierAppleStandHour|category|||duration
        HKCategoryTypeIdentifierAppleWalkingSteadinessEvent|category|||duration
        HKCategoryTypeIdentifierAudioExposureEvent|category|||duration
        HKCategoryTypeIdentifierBladderIncontinence|category|||duration
        HKCategoryTypeIdentifierBleedingAfterMenopause|category|||duration
        HKCategoryTypeIdentifierBleedingAfterPregnancy|category|||duration
        HKCategoryTypeIdentifierBleedingDuringPregnancy|category|||duration
        HKCategoryTypeIdentifierBloating|category|||duration
        HKCategoryTypeIdentifierBreastPain|category|||duration
        HKCategoryTypeIdentifierCervicalMucusQuality|category|||duration
        HKCategoryTypeIdentifierChestTightnessOrPain|category|||duration
        HKCategoryTypeIdentifierChills|category|||duration
        HKCategoryTypeIdentifierConstipation|category|||duration
        HKCategoryTypeIdentifierContraceptive|category|||duration
        HKCategoryTypeIdentifierCoughing|category|||duration
        HKCategoryTypeIdentifierDiarrhea|category|||duration
        HKCategoryTypeIdentifierDizziness|category|||duration
        HKCategoryTypeIdentifierDrySkin|category|||duration
        HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent|category|||duration
        HKCategoryTypeIdentifierFainting|category|||duration
        HKCategoryTypeIdentifierFatigue|category|||duration
        HKCategoryTypeIdentifierFever|category|||duration
        HKCategoryTypeIdentifierGeneralizedBodyAche|category|||duration
        HKCategoryTypeIdentifierHairLoss|category|||duration
        HKCategoryTypeIdentifierHandwashingEvent|category|||duration
        HKCategoryTypeIdentifierHeadache|category|||duration
        HKCategoryTypeIdentifierHeadphoneAudioExposureEvent|category|||duration
        HKCategoryTypeIdentifierHeartburn|category|||duration
        HKCategoryTypeIdentifierHighHeartRateEvent|category|||duration
        HKCategoryTypeIdentifierHotFlashes|category|||duration
        HKCategoryTypeIdentifierHypertensionEvent|category|||duration
        HKCategoryTypeIdentifierInfrequentMenstrualCycles|category|||duration
        HKCategoryTypeIdentifierIntermenstrualBleeding|category|||duration
        HKCategoryTypeIdentifierIrregularHeartRhythmEvent|category|||duration
        HKCategoryTypeIdentifierIrregularMenstrualCycles|category|||duration
        HKCategoryTypeIdentifierLactation|category|||duration
        HKCategoryTypeIdentifierLossOfSmell|category|||duration
        HKCategoryTypeIdentifierLossOfTaste|category|||duration
        HKCategoryTypeIdentifierLowCardioFitnessEvent|category|||duration
        HKCategoryTypeIdentifierLowHeartRateEvent|category|||duration
        HKCategoryTypeIdentifierLowerBackPain|category|||duration
        HKCategoryTypeIdentifierMemoryLapse|category|||duration
        HKCategoryTypeIdentifierMenopausalState|category|||duration
        HKCategoryTypeIdentifierMenstrualFlow|category|||duration
        HKCategoryTypeIdentifierMindfulSession|category|||duration
        HKCategoryTypeIdentifierMoodChanges|category|||duration
        HKCategoryTypeIdentifierNausea|category|||duration
        HKCategoryTypeIdentifierNightSweats|category|||duration
        HKCategoryTypeIdentifierOvulationTestResult|category|||duration
        HKCategoryTypeIdentifierPelvicPain|category|||duration
        HKCategoryTypeIdentifierPersistentIntermenstrualBleeding|category|||duration
        HKCategoryTypeIdentifierPregnancy|category|||duration
        HKCategoryTypeIdentifierPregnancyTestResult|category|||duration
        HKCategoryTypeIdentifierProgesteroneTestResult|category|||duration
        HKCategoryTypeIdentifierProlongedMenstrualPeriods|category|||duration
        HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat|category|||duration
        HKCategoryTypeIdentifierRunnyNose|category|||duration
        HKCategoryTypeIdentifierSexualActivity|category|||duration
        HKCategoryTypeIdentifierShortnessOfBreath|category|||duration
        HKCategoryTypeIdentifierSinusCongestion|category|||duration
        HKCategoryTypeIdentifierSkippedHeartbeat|category|||duration
        HKCategoryTypeIdentifierSleepAnalysis|category|||duration
        HKCategoryTypeIdentifierSleepApneaEvent|category|||duration
        HKCategoryTypeIdentifierSleepChanges|category|||duration
        HKCategoryTypeIdentifierSoreThroat|category|||duration
        HKCategoryTypeIdentifierToothbrushingEvent|category|||duration
        HKCategoryTypeIdentifierVaginalDryness|category|||duration
        HKCategoryTypeIdentifierVomiting|category|||duration
        HKCategoryTypeIdentifierWheezing|category|||duration
        HKCorrelationTypeIdentifierBloodPressure|event|||count
        HKCorrelationTypeIdentifierFood|event|||count
        HKDataTypeIdentifierAudiogram|event|||count
        HKDataTypeIdentifierElectrocardiogram|event|||count
        HKDataTypeIdentifierHeartbeatSeries|event|||count
        HKDataTypeIdentifierStateOfMind|event|||count
        HKQuantityTypeIdentifierActiveEnergyBurned|cumulative|energy|kcal|sum
        HKQuantityTypeIdentifierAppleExerciseTime|cumulative|time|min|sum
        HKQuantityTypeIdentifierAppleMoveTime|cumulative|time|min|sum
        HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances|discrete|count|count|mean
        HKQuantityTypeIdentifierAppleSleepingWristTemperature|discrete|temperature|degC|mean
        HKQuantityTypeIdentifierAppleStandTime|cumulative|time|min|sum
        HKQuantityTypeIdentifierAppleWalkingSteadiness|discrete|fraction|%|mean
        HKQuantityTypeIdentifierAtrialFibrillationBurden|discrete|fraction|%|time_weighted_mean
        HKQuantityTypeIdentifierBasalBodyTemperature|discrete|temperature|degC|mean
        HKQuantityTypeIdentifierBasalEnergyBurned|cumulative|energy|kcal|sum
        HKQuantityTypeIdentifierBloodAlcoholContent|discrete|fraction|%|mean
        HKQuantityTypeIdentifierBloodGlucose|discrete|mass concentration|mg/dL|mean
        HKQuantityTypeIdentifierBloodPressureDiastolic|discrete|pressure|mmHg|mean
        HKQuantityTypeIdentifierBloodPressureSystolic|discrete|pressure|mmHg|mean
        HKQuantityTypeIdentifierBodyFatPercentage|discrete|fraction|%|mean
        HKQuantityTypeIdentifierBodyMass|discrete|mass|kg|mean
        HKQuantityTypeIdentifierBodyMassIndex|discrete|count|count|mean
        HKQuantityTypeIdentifierBodyTemperature|discrete|temperature|degC|mean
        HKQuantityTypeIdentifierCrossCountrySkiingSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierCyclingCadence|discrete|frequency|count/min|mean
        HKQuantityTypeIdentifierCyclingFunctionalThresholdPower|discrete|power|W|mean
        HKQuantityTypeIdentifierCyclingPower|discrete|power|W|mean
        HKQuantityTypeIdentifierCyclingSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierDietaryBiotin|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryCaffeine|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryCalcium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryCarbohydrates|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryChloride|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryCholesterol|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryChromium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryCopper|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryEnergyConsumed|cumulative|energy|kcal|sum
        HKQuantityTypeIdentifierDietaryFatMonounsaturated|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryFatPolyunsaturated|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryFatSaturated|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryFatTotal|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryFiber|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryFolate|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryIodine|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryIron|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryMagnesium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryManganese|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryMolybdenum|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryNiacin|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryPantothenicAcid|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryPhosphorus|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryPotassium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryProtein|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryRiboflavin|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietarySelenium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietarySodium|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietarySugar|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryThiamin|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminA|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminB12|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminB6|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminC|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminD|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminE|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryVitaminK|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDietaryWater|cumulative|volume|mL|sum
        HKQuantityTypeIdentifierDietaryZinc|cumulative|mass|g|sum
        HKQuantityTypeIdentifierDistanceCrossCountrySkiing|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceCycling|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceDownhillSnowSports|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistancePaddleSports|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceRowing|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceSkatingSports|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceSwimming|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceWalkingRunning|cumulative|length|m|sum
        HKQuantityTypeIdentifierDistanceWheelchair|cumulative|length|m|sum
        HKQuantityTypeIdentifierElectrodermalActivity|discrete|conductance|S|mean
        HKQuantityTypeIdentifierEnvironmentalAudioExposure|discrete|sound pressure level|dBASPL|equivalent_level
        HKQuantityTypeIdentifierEnvironmentalSoundReduction|discrete|sound pressure level|dBASPL|equivalent_level
        HKQuantityTypeIdentifierEstimatedWorkoutEffortScore|discrete|effort score|appleEffortScore|mean
        HKQuantityTypeIdentifierFlightsClimbed|cumulative|count|count|sum
        HKQuantityTypeIdentifierForcedExpiratoryVolume1|discrete|volume|L|mean
        HKQuantityTypeIdentifierForcedVitalCapacity|discrete|volume|L|mean
        HKQuantityTypeIdentifierHeadphoneAudioExposure|discrete|sound pressure level|dBASPL|equivalent_level
        HKQuantityTypeIdentifierHeartRate|discrete|frequency|count/min|time_weighted_mean
        HKQuantityTypeIdentifierHeartRateRecoveryOneMinute|discrete|frequency|count/min|mean
        HKQuantityTypeIdentifierHeartRateVariabilityRMSSD|discrete|time|ms|mean
        HKQuantityTypeIdentifierHeartRateVariabilitySDNN|discrete|time|ms|mean
        HKQuantityTypeIdentifierHeight|discrete|length|m|mean
        HKQuantityTypeIdentifierInhalerUsage|cumulative|count|count|sum
        HKQuantityTypeIdentifierInsulinDelivery|cumulative|international unit|IU|sum
        HKQuantityTypeIdentifierLeanBodyMass|discrete|mass|kg|mean
        HKQuantityTypeIdentifierNikeFuel|cumulative|count|count|sum
        HKQuantityTypeIdentifierNumberOfAlcoholicBeverages|cumulative|count|count|sum
        HKQuantityTypeIdentifierNumberOfTimesFallen|cumulative|count|count|sum
        HKQuantityTypeIdentifierOxygenSaturation|discrete|fraction|%|mean
        HKQuantityTypeIdentifierPaddleSportsSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierPeakExpiratoryFlowRate|discrete|volume flow|L/min|mean
        HKQuantityTypeIdentifierPeripheralPerfusionIndex|discrete|fraction|%|mean
        HKQuantityTypeIdentifierPhysicalEffort|discrete|energy/(mass·time)|kcal/hr·kg|mean
        HKQuantityTypeIdentifierPushCount|cumulative|count|count|sum
        HKQuantityTypeIdentifierRespiratoryRate|discrete|frequency|count/min|mean
        HKQuantityTypeIdentifierRestingHeartRate|discrete|frequency|count/min|mean
        HKQuantityTypeIdentifierRowingSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierRunningGroundContactTime|discrete|time|ms|mean
        HKQuantityTypeIdentifierRunningPower|discrete|power|W|mean
        HKQuantityTypeIdentifierRunningSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierRunningStrideLength|discrete|length|m|mean
        HKQuantityTypeIdentifierRunningVerticalOscillation|discrete|length|cm|mean
        HKQuantityTypeIdentifierSixMinuteWalkTestDistance|discrete|length|m|mean
        HKQuantityTypeIdentifierStairAscentSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierStairDescentSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierStepCount|cumulative|count|count|sum
        HKQuantityTypeIdentifierSwimmingStrokeCount|cumulative|count|count|sum
        HKQuantityTypeIdentifierTimeInDaylight|cumulative|time|min|sum
        HKQuantityTypeIdentifierUVExposure|discrete|count|count|mean
        HKQuantityTypeIdentifierUnderwaterDepth|discrete|length|m|mean
        HKQuantityTypeIdentifierVO2Max|discrete|volume/(mass·time)|mL/min·kg|mean
        HKQuantityTypeIdentifierWaistCircumference|discrete|length|m|mean
        HKQuantityTypeIdentifierWalkingAsymmetryPercentage|discrete|fraction|%|mean
        HKQuantityTypeIdentifierWalkingDoubleSupportPercentage|discrete|fraction|%|mean
        HKQuantityTypeIdentifierWalkingHeartRateAverage|discrete|frequency|count/min|mean
        HKQuantityTypeIdentifierWalkingSpeed|discrete|speed|m/s|mean
        HKQuantityTypeIdentifierWalkingStepLength|discrete|length|m|mean
        HKQuantityTypeIdentifierWaterTemperature|discrete|temperature|degC|mean
        HKQuantityTypeIdentifierWorkoutEffortScore|discrete|effort score|appleEffortScore|mean
        HKVisionPrescriptionTypeIdentifier|event|||count
        HKWorkoutRouteTypeIdentifier|event|||count
        HKWorkoutTypeIdentifier|workout|||duration
        """
}
