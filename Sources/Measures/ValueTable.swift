// Written by Scripts/generate-measures from Spec/names.json.

enum ValueTable {
    /// Category type, its list of values.
    static let listText = """
        HKCategoryTypeIdentifierAbdominalCramps|HKCategoryValueSeverity
        HKCategoryTypeIdentifierAcne|HKCategoryValueSeverity
        HKCategoryTypeIdentifierAppetiteChanges|HKCategoryValueAppetiteChanges
        HKCategoryTypeIdentifierAppleStandHour|HKCategoryValueAppleStandHour
        HKCategoryTypeIdentifierAppleWalkingSteadinessEvent|HKCategoryValueAppleWalkingSteadinessEvent
        HKCategoryTypeIdentifierAudioExposureEvent|HKCategoryValueEnvironmentalAudioExposureEvent
        HKCategoryTypeIdentifierBladderIncontinence|HKCategoryValueSeverity
        HKCategoryTypeIdentifierBleedingAfterMenopause|HKCategoryValueVaginalBleeding
        HKCategoryTypeIdentifierBleedingAfterPregnancy|HKCategoryValueVaginalBleeding
        HKCategoryTypeIdentifierBleedingDuringPregnancy|HKCategoryValueVaginalBleeding
        HKCategoryTypeIdentifierBloating|HKCategoryValueSeverity
        HKCategoryTypeIdentifierBreastPain|HKCategoryValueSeverity
        HKCategoryTypeIdentifierCervicalMucusQuality|HKCategoryValueCervicalMucusQuality
        HKCategoryTypeIdentifierChestTightnessOrPain|HKCategoryValueSeverity
        HKCategoryTypeIdentifierChills|HKCategoryValueSeverity
        HKCategoryTypeIdentifierConstipation|HKCategoryValueSeverity
        HKCategoryTypeIdentifierContraceptive|HKCategoryValueContraceptive
        HKCategoryTypeIdentifierCoughing|HKCategoryValueSeverity
        HKCategoryTypeIdentifierDiarrhea|HKCategoryValueSeverity
        HKCategoryTypeIdentifierDizziness|HKCategoryValueSeverity
        HKCategoryTypeIdentifierDrySkin|HKCategoryValueSeverity
        HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent|HKCategoryValueEnvironmentalAudioExposureEvent
        HKCategoryTypeIdentifierFainting|HKCategoryValueSeverity
        HKCategoryTypeIdentifierFatigue|HKCategoryValueSeverity
        HKCategoryTypeIdentifierFever|HKCategoryValueSeverity
        HKCategoryTypeIdentifierGeneralizedBodyAche|HKCategoryValueSeverity
        HKCategoryTypeIdentifierHairLoss|HKCategoryValueSeverity
        HKCategoryTypeIdentifierHeadache|HKCategoryValueSeverity
        HKCategoryTypeIdentifierHeadphoneAudioExposureEvent|HKCategoryValueHeadphoneAudioExposureEvent
        HKCategoryTypeIdentifierHeartburn|HKCategoryValueSeverity
        HKCategoryTypeIdentifierHotFlashes|HKCategoryValueSeverity
        HKCategoryTypeIdentifierLossOfSmell|HKCategoryValueSeverity
        HKCategoryTypeIdentifierLossOfTaste|HKCategoryValueSeverity
        HKCategoryTypeIdentifierLowCardioFitnessEvent|HKCategoryValueLowCardioFitnessEvent
        HKCategoryTypeIdentifierLowerBackPain|HKCategoryValueSeverity
        HKCategoryTypeIdentifierMemoryLapse|HKCategoryValueSeverity
        HKCategoryTypeIdentifierMenstrualFlow|HKCategoryValueVaginalBleeding
        HKCategoryTypeIdentifierMoodChanges|HKCategoryValuePresence
        HKCategoryTypeIdentifierNausea|HKCategoryValueSeverity
        HKCategoryTypeIdentifierNightSweats|HKCategoryValueSeverity
        HKCategoryTypeIdentifierOvulationTestResult|HKCategoryValueOvulationTestResult
        HKCategoryTypeIdentifierPelvicPain|HKCategoryValueSeverity
        HKCategoryTypeIdentifierPregnancyTestResult|HKCategoryValuePregnancyTestResult
        HKCategoryTypeIdentifierProgesteroneTestResult|HKCategoryValueProgesteroneTestResult
        HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat|HKCategoryValueSeverity
        HKCategoryTypeIdentifierRunnyNose|HKCategoryValueSeverity
        HKCategoryTypeIdentifierShortnessOfBreath|HKCategoryValueSeverity
        HKCategoryTypeIdentifierSinusCongestion|HKCategoryValueSeverity
        HKCategoryTypeIdentifierSkippedHeartbeat|HKCategoryValueSeverity
        HKCategoryTypeIdentifierSleepAnalysis|HKCategoryValueSleepAnalysis
        HKCategoryTypeIdentifierSleepChanges|HKCategoryValuePresence
        HKCategoryTypeIdentifierSoreThroat|HKCategoryValueSeverity
        HKCategoryTypeIdentifierVaginalDryness|HKCategoryValueSeverity
        HKCategoryTypeIdentifierVomiting|HKCategoryValueSeverity
        HKCategoryTypeIdentifierWheezing|HKCategoryValueSeverity
        """

    /// List of values, value, what people call it.
    static let valueText = """
        HKCategoryValueAppetiteChanges|0|Unspecified
        HKCategoryValueAppetiteChanges|1|No change
        HKCategoryValueAppetiteChanges|2|Decreased
        HKCategoryValueAppetiteChanges|3|Increased
        HKCategoryValueAppleStandHour|0|Stood
        HKCategoryValueAppleStandHour|1|Idle
        HKCategoryValueAppleWalkingSteadinessEvent|1|Initial low
        HKCategoryValueAppleWalkingSteadinessEvent|2|Initial very low
        HKCategoryValueAppleWalkingSteadinessEvent|3|Repeat low
        HKCategoryValueAppleWalkingSteadinessEvent|4|Repeat very low
        HKCategoryValueCervicalMucusQuality|1|Dry
        HKCategoryValueCervicalMucusQuality|2|Sticky
        HKCategoryValueCervicalMucusQuality|3|Creamy
        HKCategoryValueCervicalMucusQuality|4|Watery
        HKCategoryValueCervicalMucusQuality|5|Egg white
        HKCategoryValueContraceptive|1|Unspecified
        HKCategoryValueContraceptive|2|Implant
        HKCategoryValueContraceptive|3|Injection
        HKCategoryValueContraceptive|4|Intrauterine device
        HKCategoryValueContraceptive|5|Intravaginal ring
        HKCategoryValueContraceptive|6|Oral
        HKCategoryValueContraceptive|7|Patch
        HKCategoryValueEnvironmentalAudioExposureEvent|1|Momentary limit
        HKCategoryValueHeadphoneAudioExposureEvent|1|Seven day limit
        HKCategoryValueLowCardioFitnessEvent|1|Low fitness
        HKCategoryValueOvulationTestResult|1|Negative
        HKCategoryValueOvulationTestResult|2|Luteinizing hormone surge
        HKCategoryValueOvulationTestResult|3|Indeterminate
        HKCategoryValueOvulationTestResult|4|Estrogen surge
        HKCategoryValuePregnancyTestResult|1|Negative
        HKCategoryValuePregnancyTestResult|2|Positive
        HKCategoryValuePregnancyTestResult|3|Indeterminate
        HKCategoryValuePresence|0|Present
        HKCategoryValuePresence|1|Not present
        HKCategoryValueProgesteroneTestResult|1|Negative
        HKCategoryValueProgesteroneTestResult|2|Positive
        HKCategoryValueProgesteroneTestResult|3|Indeterminate
        HKCategoryValueSeverity|0|Unspecified
        HKCategoryValueSeverity|1|Not present
        HKCategoryValueSeverity|2|Mild
        HKCategoryValueSeverity|3|Moderate
        HKCategoryValueSeverity|4|Severe
        HKCategoryValueSleepAnalysis|0|In bed
        HKCategoryValueSleepAnalysis|1|Asleep unspecified
        HKCategoryValueSleepAnalysis|2|Awake
        HKCategoryValueSleepAnalysis|3|Asleep core
        HKCategoryValueSleepAnalysis|4|Asleep deep
        HKCategoryValueSleepAnalysis|5|Asleep REM
        HKCategoryValueVaginalBleeding|1|Unspecified
        HKCategoryValueVaginalBleeding|2|Light
        HKCategoryValueVaginalBleeding|3|Medium
        HKCategoryValueVaginalBleeding|4|Heavy
        HKCategoryValueVaginalBleeding|5|None
        """

    /// Activity of a workout, what people call it.
    static let activityText = """
        1|American football
        2|Archery
        3|Australian football
        4|Badminton
        5|Baseball
        6|Basketball
        7|Bowling
        8|Boxing
        9|Climbing
        10|Cricket
        11|Cross training
        12|Curling
        13|Cycling
        14|Dance
        15|Dance inspired training
        16|Elliptical
        17|Equestrian sports
        18|Fencing
        19|Fishing
        20|Functional strength training
        21|Golf
        22|Gymnastics
        23|Handball
        24|Hiking
        25|Hockey
        26|Hunting
        27|Lacrosse
        28|Martial arts
        29|Mind and body
        30|Mixed metabolic cardio training
        31|Paddle sports
        32|Play
        33|Preparation and recovery
        34|Racquetball
        35|Rowing
        36|Rugby
        37|Running
        38|Sailing
        39|Skating sports
        40|Snow sports
        41|Soccer
        42|Softball
        43|Squash
        44|Stair climbing
        45|Surfing sports
        46|Swimming
        47|Table tennis
        48|Tennis
        49|Track and field
        50|Traditional strength training
        51|Volleyball
        52|Walking
        53|Water fitness
        54|Water polo
        55|Water sports
        56|Wrestling
        57|Yoga
        58|Barre
        59|Core training
        60|Cross country skiing
        61|Downhill skiing
        62|Flexibility
        63|High intensity interval training
        64|Jump rope
        65|Kickboxing
        66|Pilates
        67|Snowboarding
        68|Stairs
        69|Step training
        70|Wheelchair walk pace
        71|Wheelchair run pace
        72|Tai chi
        73|Mixed cardio
        74|Hand cycling
        75|Disc sports
        76|Fitness gaming
        77|Cardio dance
        78|Social dance
        79|Pickleball
        80|Cooldown
        82|Swim bike run
        83|Transition
        84|Underwater diving
        3000|Other
        """
}
