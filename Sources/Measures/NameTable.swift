// Written by Scripts/generate-measures from Spec/measures.json.

enum NameTable {
    /// Sample type, what people call it.
    static let typeText = """
        HKActivitySummaryTypeIdentifier|Activity summary
        HKCategoryTypeIdentifierAbdominalCramps|Abdominal cramps
        HKCategoryTypeIdentifierAcne|Acne
        HKCategoryTypeIdentifierAppetiteChanges|Appetite changes
        HKCategoryTypeIdentifierAppleStandHour|Stand hour
        HKCategoryTypeIdentifierAppleWalkingSteadinessEvent|Walking steadiness event
        HKCategoryTypeIdentifierAudioExposureEvent|Audio exposure event
        HKCategoryTypeIdentifierBladderIncontinence|Bladder incontinence
        HKCategoryTypeIdentifierBleedingAfterMenopause|Bleeding after menopause
        HKCategoryTypeIdentifierBleedingAfterPregnancy|Bleeding after pregnancy
        HKCategoryTypeIdentifierBleedingDuringPregnancy|Bleeding during pregnancy
        HKCategoryTypeIdentifierBloating|Bloating
        HKCategoryTypeIdentifierBreastPain|Breast pain
        HKCategoryTypeIdentifierCervicalMucusQuality|Cervical mucus quality
        HKCategoryTypeIdentifierChestTightnessOrPain|Chest tightness or pain
        HKCategoryTypeIdentifierChills|Chills
        HKCategoryTypeIdentifierConstipation|Constipation
        HKCategoryTypeIdentifierContraceptive|Contraceptive
        HKCategoryTypeIdentifierCoughing|Coughing
        HKCategoryTypeIdentifierDiarrhea|Diarrhea
        HKCategoryTypeIdentifierDizziness|Dizziness
        HKCategoryTypeIdentifierDrySkin|Dry skin
        HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent|Environmental audio exposure event
        HKCategoryTypeIdentifierFainting|Fainting
        HKCategoryTypeIdentifierFatigue|Fatigue
        HKCategoryTypeIdentifierFever|Fever
        HKCategoryTypeIdentifierGeneralizedBodyAche|Generalized body ache
        HKCategoryTypeIdentifierHairLoss|Hair loss
        HKCategoryTypeIdentifierHandwashingEvent|Handwashing event
        HKCategoryTypeIdentifierHeadache|Headache
        HKCategoryTypeIdentifierHeadphoneAudioExposureEvent|Headphone audio exposure event
        HKCategoryTypeIdentifierHeartburn|Heartburn
        HKCategoryTypeIdentifierHighHeartRateEvent|High heart rate event
        HKCategoryTypeIdentifierHotFlashes|Hot flashes
        HKCategoryTypeIdentifierHypertensionEvent|Hypertension event
        HKCategoryTypeIdentifierInfrequentMenstrualCycles|Infrequent menstrual cycles
        HKCategoryTypeIdentifierIntermenstrualBleeding|Intermenstrual bleeding
        HKCategoryTypeIdentifierIrregularHeartRhythmEvent|Irregular heart rhythm event
        HKCategoryTypeIdentifierIrregularMenstrualCycles|Irregular menstrual cycles
        HKCategoryTypeIdentifierLactation|Lactation
        HKCategoryTypeIdentifierLossOfSmell|Loss of smell
        HKCategoryTypeIdentifierLossOfTaste|Loss of taste
        HKCategoryTypeIdentifierLowCardioFitnessEvent|Low cardio fitness event
        HKCategoryTypeIdentifierLowHeartRateEvent|Low heart rate event
        HKCategoryTypeIdentifierLowerBackPain|Lower back pain
        HKCategoryTypeIdentifierMemoryLapse|Memory lapse
        HKCategoryTypeIdentifierMenopausalState|Menopausal state
        HKCategoryTypeIdentifierMenstrualFlow|Menstrual flow
        HKCategoryTypeIdentifierMindfulSession|Mindful session
        HKCategoryTypeIdentifierMoodChanges|Mood changes
        HKCategoryTypeIdentifierNausea|Nausea
        HKCategoryTypeIdentifierNightSweats|Night sweats
        HKCategoryTypeIdentifierOvulationTestResult|Ovulation test result
        HKCategoryTypeIdentifierPelvicPain|Pelvic pain
        HKCategoryTypeIdentifierPersistentIntermenstrualBleeding|Persistent intermenstrual bleeding
        HKCategoryTypeIdentifierPregnancy|Pregnancy
        HKCategoryTypeIdentifierPregnancyTestResult|Pregnancy test result
        HKCategoryTypeIdentifierProgesteroneTestResult|Progesterone test result
        HKCategoryTypeIdentifierProlongedMenstrualPeriods|Prolonged menstrual periods
        HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat|Rapid pounding or fluttering heartbeat
        HKCategoryTypeIdentifierRunnyNose|Runny nose
        HKCategoryTypeIdentifierSexualActivity|Sexual activity
        HKCategoryTypeIdentifierShortnessOfBreath|Shortness of breath
        HKCategoryTypeIdentifierSinusCongestion|Sinus congestion
        HKCategoryTypeIdentifierSkippedHeartbeat|Skipped heartbeat
        HKCategoryTypeIdentifierSleepAnalysis|Sleep analysis
        HKCategoryTypeIdentifierSleepApneaEvent|Sleep apnea event
        HKCategoryTypeIdentifierSleepChanges|Sleep changes
        HKCategoryTypeIdentifierSoreThroat|Sore throat
        HKCategoryTypeIdentifierToothbrushingEvent|Toothbrushing event
        HKCategoryTypeIdentifierVaginalDryness|Vaginal dryness
        HKCategoryTypeIdentifierVomiting|Vomiting
        HKCategoryTypeIdentifierWheezing|Wheezing
        HKCorrelationTypeIdentifierBloodPressure|Blood pressure
        HKCorrelationTypeIdentifierFood|Food
        HKDataTypeIdentifierAudiogram|Audiogram
        HKDataTypeIdentifierElectrocardiogram|Electrocardiogram
        HKDataTypeIdentifierHeartbeatSeries|Heartbeat series
        HKDataTypeIdentifierStateOfMind|State of mind
        HKQuantityTypeIdentifierActiveEnergyBurned|Active energy burned
        HKQuantityTypeIdentifierAppleExerciseTime|Exercise time
        HKQuantityTypeIdentifierAppleMoveTime|Move time
        HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances|Sleeping breathing disturbances
        HKQuantityTypeIdentifierAppleSleepingWristTemperature|Sleeping wrist temperature
        HKQuantityTypeIdentifierAppleStandTime|Stand time
        HKQuantityTypeIdentifierAppleWalkingSteadiness|Walking steadiness
        HKQuantityTypeIdentifierAtrialFibrillationBurden|Atrial fibrillation burden
        HKQuantityTypeIdentifierBasalBodyTemperature|Basal body temperature
        HKQuantityTypeIdentifierBasalEnergyBurned|Basal energy burned
        HKQuantityTypeIdentifierBloodAlcoholContent|Blood alcohol content
        HKQuantityTypeIdentifierBloodGlucose|Blood glucose
        HKQuantityTypeIdentifierBloodPressureDiastolic|Blood pressure diastolic
        HKQuantityTypeIdentifierBloodPressureSystolic|Blood pressure systolic
        HKQuantityTypeIdentifierBodyFatPercentage|Body fat percentage
        HKQuantityTypeIdentifierBodyMass|Body mass
        HKQuantityTypeIdentifierBodyMassIndex|Body mass index
        HKQuantityTypeIdentifierBodyTemperature|Body temperature
        HKQuantityTypeIdentifierCrossCountrySkiingSpeed|Cross country skiing speed
        HKQuantityTypeIdentifierCyclingCadence|Cycling cadence
        HKQuantityTypeIdentifierCyclingFunctionalThresholdPower|Cycling functional threshold power
        HKQuantityTypeIdentifierCyclingPower|Cycling power
        HKQuantityTypeIdentifierCyclingSpeed|Cycling speed
        HKQuantityTypeIdentifierDietaryBiotin|Dietary biotin
        HKQuantityTypeIdentifierDietaryCaffeine|Dietary caffeine
        HKQuantityTypeIdentifierDietaryCalcium|Dietary calcium
        HKQuantityTypeIdentifierDietaryCarbohydrates|Dietary carbohydrates
        HKQuantityTypeIdentifierDietaryChloride|Dietary chloride
        HKQuantityTypeIdentifierDietaryCholesterol|Dietary cholesterol
        HKQuantityTypeIdentifierDietaryChromium|Dietary chromium
        HKQuantityTypeIdentifierDietaryCopper|Dietary copper
        HKQuantityTypeIdentifierDietaryEnergyConsumed|Dietary energy consumed
        HKQuantityTypeIdentifierDietaryFatMonounsaturated|Dietary fat monounsaturated
        HKQuantityTypeIdentifierDietaryFatPolyunsaturated|Dietary fat polyunsaturated
        HKQuantityTypeIdentifierDietaryFatSaturated|Dietary fat saturated
        HKQuantityTypeIdentifierDietaryFatTotal|Dietary fat total
        HKQuantityTypeIdentifierDietaryFiber|Dietary fiber
        HKQuantityTypeIdentifierDietaryFolate|Dietary folate
        HKQuantityTypeIdentifierDietaryIodine|Dietary iodine
        HKQuantityTypeIdentifierDietaryIron|Dietary iron
        HKQuantityTypeIdentifierDietaryMagnesium|Dietary magnesium
        HKQuantityTypeIdentifierDietaryManganese|Dietary manganese
        HKQuantityTypeIdentifierDietaryMolybdenum|Dietary molybdenum
        HKQuantityTypeIdentifierDietaryNiacin|Dietary niacin
        HKQuantityTypeIdentifierDietaryPantothenicAcid|Dietary pantothenic acid
        HKQuantityTypeIdentifierDietaryPhosphorus|Dietary phosphorus
        HKQuantityTypeIdentifierDietaryPotassium|Dietary potassium
        HKQuantityTypeIdentifierDietaryProtein|Dietary protein
        HKQuantityTypeIdentifierDietaryRiboflavin|Dietary riboflavin
        HKQuantityTypeIdentifierDietarySelenium|Dietary selenium
        HKQuantityTypeIdentifierDietarySodium|Dietary sodium
        HKQuantityTypeIdentifierDietarySugar|Dietary sugar
        HKQuantityTypeIdentifierDietaryThiamin|Dietary thiamin
        HKQuantityTypeIdentifierDietaryVitaminA|Dietary vitamin A
        HKQuantityTypeIdentifierDietaryVitaminB12|Dietary vitamin B12
        HKQuantityTypeIdentifierDietaryVitaminB6|Dietary vitamin B6
        HKQuantityTypeIdentifierDietaryVitaminC|Dietary vitamin C
        HKQuantityTypeIdentifierDietaryVitaminD|Dietary vitamin D
        HKQuantityTypeIdentifierDietaryVitaminE|Dietary vitamin E
        HKQuantityTypeIdentifierDietaryVitaminK|Dietary vitamin K
        HKQuantityTypeIdentifierDietaryWater|Dietary water
        HKQuantityTypeIdentifierDietaryZinc|Dietary zinc
        HKQuantityTypeIdentifierDistanceCrossCountrySkiing|Distance cross country skiing
        HKQuantityTypeIdentifierDistanceCycling|Distance cycling
        HKQuantityTypeIdentifierDistanceDownhillSnowSports|Distance downhill snow sports
        HKQuantityTypeIdentifierDistancePaddleSports|Distance paddle sports
        HKQuantityTypeIdentifierDistanceRowing|Distance rowing
        HKQuantityTypeIdentifierDistanceSkatingSports|Distance skating sports
        HKQuantityTypeIdentifierDistanceSwimming|Distance swimming
        HKQuantityTypeIdentifierDistanceWalkingRunning|Walking and running distance
        HKQuantityTypeIdentifierDistanceWheelchair|Distance wheelchair
        HKQuantityTypeIdentifierElectrodermalActivity|Electrodermal activity
        HKQuantityTypeIdentifierEnvironmentalAudioExposure|Environmental audio exposure
        HKQuantityTypeIdentifierEnvironmentalSoundReduction|Environmental sound reduction
        HKQuantityTypeIdentifierEstimatedWorkoutEffortScore|Estimated workout effort score
        HKQuantityTypeIdentifierFlightsClimbed|Flights climbed
        HKQuantityTypeIdentifierForcedExpiratoryVolume1|Forced expiratory volume in one second
        HKQuantityTypeIdentifierForcedVitalCapacity|Forced vital capacity
        HKQuantityTypeIdentifierHeadphoneAudioExposure|Headphone audio exposure
        HKQuantityTypeIdentifierHeartRate|Heart rate
        HKQuantityTypeIdentifierHeartRateRecoveryOneMinute|Heart rate recovery one minute
        HKQuantityTypeIdentifierHeartRateVariabilityRMSSD|Heart rate variability (RMSSD)
        HKQuantityTypeIdentifierHeartRateVariabilitySDNN|Heart rate variability (SDNN)
        HKQuantityTypeIdentifierHeight|Height
        HKQuantityTypeIdentifierInhalerUsage|Inhaler usage
        HKQuantityTypeIdentifierInsulinDelivery|Insulin delivery
        HKQuantityTypeIdentifierLeanBodyMass|Lean body mass
        HKQuantityTypeIdentifierNikeFuel|NikeFuel
        HKQuantityTypeIdentifierNumberOfAlcoholicBeverages|Number of alcoholic beverages
        HKQuantityTypeIdentifierNumberOfTimesFallen|Number of times fallen
        HKQuantityTypeIdentifierOxygenSaturation|Oxygen saturation
        HKQuantityTypeIdentifierPaddleSportsSpeed|Paddle sports speed
        HKQuantityTypeIdentifierPeakExpiratoryFlowRate|Peak expiratory flow rate
        HKQuantityTypeIdentifierPeripheralPerfusionIndex|Peripheral perfusion index
        HKQuantityTypeIdentifierPhysicalEffort|Physical effort
        HKQuantityTypeIdentifierPushCount|Push count
        HKQuantityTypeIdentifierRespiratoryRate|Respiratory rate
        HKQuantityTypeIdentifierRestingHeartRate|Resting heart rate
        HKQuantityTypeIdentifierRowingSpeed|Rowing speed
        HKQuantityTypeIdentifierRunningGroundContactTime|Running ground contact time
        HKQuantityTypeIdentifierRunningPower|Running power
        HKQuantityTypeIdentifierRunningSpeed|Running speed
        HKQuantityTypeIdentifierRunningStrideLength|Running stride length
        HKQuantityTypeIdentifierRunningVerticalOscillation|Running vertical oscillation
        HKQuantityTypeIdentifierSixMinuteWalkTestDistance|Six-minute walk distance
        HKQuantityTypeIdentifierStairAscentSpeed|Stair ascent speed
        HKQuantityTypeIdentifierStairDescentSpeed|Stair descent speed
        HKQuantityTypeIdentifierStepCount|Step count
        HKQuantityTypeIdentifierSwimmingStrokeCount|Swimming stroke count
        HKQuantityTypeIdentifierTimeInDaylight|Time in daylight
        HKQuantityTypeIdentifierUVExposure|UV exposure
        HKQuantityTypeIdentifierUnderwaterDepth|Underwater depth
        HKQuantityTypeIdentifierVO2Max|VO2 max
        HKQuantityTypeIdentifierWaistCircumference|Waist circumference
        HKQuantityTypeIdentifierWalkingAsymmetryPercentage|Walking asymmetry percentage
        HKQuantityTypeIdentifierWalkingDoubleSupportPercentage|Walking double support percentage
        HKQuantityTypeIdentifierWalkingHeartRateAverage|Walking heart rate average
        HKQuantityTypeIdentifierWalkingSpeed|Walking speed
        HKQuantityTypeIdentifierWalkingStepLength|Walking step length
        HKQuantityTypeIdentifierWaterTemperature|Water temperature
        HKQuantityTypeIdentifierWorkoutEffortScore|Workout effort score
        HKVisionPrescriptionTypeIdentifier|Vision prescription
        HKWorkoutRouteTypeIdentifier|Workout route
        HKWorkoutTypeIdentifier|Workout
        """
}
