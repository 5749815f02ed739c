// Written by Scripts/generate-known-names from Spec/apple-health-names.json.

extension KnownNames {
    /// Names of category values, each with its number.
    static let categoryText = """
        HKCategoryValueAppetiteChangesDecreased 2 HKCategoryValueAppetiteChangesIncreased 3
        HKCategoryValueAppetiteChangesNoChange 1 HKCategoryValueAppetiteChangesUnspecified 0
        HKCategoryValueAppleStandHourIdle 1 HKCategoryValueAppleStandHourStood 0
        HKCategoryValueAppleWalkingSteadinessEventInitialLow 1
        HKCategoryValueAppleWalkingSteadinessEventInitialVeryLow 2
        HKCategoryValueAppleWalkingSteadinessEventRepeatLow 3 HKCategoryValueAppleWalkingSteadinessEventRepeatVeryLow 4
        HKCategoryValueAudioExposureEventLoudEnvironment 1 HKCategoryValueCervicalMucusQualityCreamy 3
        HKCategoryValueCervicalMucusQualityDry 1 HKCategoryValueCervicalMucusQualityEggWhite 5
        HKCategoryValueCervicalMucusQualitySticky 2 HKCategoryValueCervicalMucusQualityWatery 4
        HKCategoryValueContraceptiveImplant 2 HKCategoryValueContraceptiveInjection 3
        HKCategoryValueContraceptiveIntrauterineDevice 4 HKCategoryValueContraceptiveIntravaginalRing 5
        HKCategoryValueContraceptiveOral 6 HKCategoryValueContraceptivePatch 7
        HKCategoryValueContraceptiveUnspecified 1 HKCategoryValueEnvironmentalAudioExposureEventMomentaryLimit 1
        HKCategoryValueHeadphoneAudioExposureEventSevenDayLimit 1 HKCategoryValueLowCardioFitnessEventLowFitness 1
        HKCategoryValueMenstrualFlowHeavy 4 HKCategoryValueMenstrualFlowLight 2 HKCategoryValueMenstrualFlowMedium 3
        HKCategoryValueMenstrualFlowNone 5 HKCategoryValueMenstrualFlowUnspecified 1 HKCategoryValueNotApplicable 0
        HKCategoryValueOvulationTestResultEstrogenSurge 4 HKCategoryValueOvulationTestResultIndeterminate 3
        HKCategoryValueOvulationTestResultLuteinizingHormoneSurge 2 HKCategoryValueOvulationTestResultNegative 1
        HKCategoryValueOvulationTestResultPositive 2 HKCategoryValuePregnancyTestResultIndeterminate 3
        HKCategoryValuePregnancyTestResultNegative 1 HKCategoryValuePregnancyTestResultPositive 2
        HKCategoryValuePresenceNotPresent 1 HKCategoryValuePresencePresent 0
        HKCategoryValueProgesteroneTestResultIndeterminate 3 HKCategoryValueProgesteroneTestResultNegative 1
        HKCategoryValueProgesteroneTestResultPositive 2 HKCategoryValueSeverityMild 2 HKCategoryValueSeverityModerate 3
        HKCategoryValueSeverityNotPresent 1 HKCategoryValueSeveritySevere 4 HKCategoryValueSeverityUnspecified 0
        HKCategoryValueSleepAnalysisAsleep 1 HKCategoryValueSleepAnalysisAsleepCore 3
        HKCategoryValueSleepAnalysisAsleepDeep 4 HKCategoryValueSleepAnalysisAsleepREM 5
        HKCategoryValueSleepAnalysisAsleepUnspecified 1 HKCategoryValueSleepAnalysisAwake 2
        HKCategoryValueSleepAnalysisInBed 0 HKCategoryValueVaginalBleedingHeavy 4 HKCategoryValueVaginalBleedingLight 2
        HKCategoryValueVaginalBleedingMedium 3 HKCategoryValueVaginalBleedingNone 5
        HKCategoryValueVaginalBleedingUnspecified 1
        """

    /// Names of workout activity types, each with its number.
    static let activityText = """
        HKWorkoutActivityTypeAmericanFootball 1 HKWorkoutActivityTypeArchery 2
        HKWorkoutActivityTypeAustralianFootball 3 HKWorkoutActivityTypeBadminton 4 HKWorkoutActivityTypeBarre 58
        HKWorkoutActivityTypeBaseball 5 HKWorkoutActivityTypeBasketball 6 HKWorkoutActivityTypeBowling 7
        HKWorkoutActivityTypeBoxing 8 HKWorkoutActivityTypeCardioDance 77 HKWorkoutActivityTypeClimbing 9
        HKWorkoutActivityTypeCooldown 80 HKWorkoutActivityTypeCoreTraining 59 HKWorkoutActivityTypeCricket 10
        HKWorkoutActivityTypeCrossCountrySkiing 60 HKWorkoutActivityTypeCrossTraining 11
        HKWorkoutActivityTypeCurling 12 HKWorkoutActivityTypeCycling 13 HKWorkoutActivityTypeDance 14
        HKWorkoutActivityTypeDanceInspiredTraining 15 HKWorkoutActivityTypeDiscSports 75
        HKWorkoutActivityTypeDownhillSkiing 61 HKWorkoutActivityTypeElliptical 16
        HKWorkoutActivityTypeEquestrianSports 17 HKWorkoutActivityTypeFencing 18 HKWorkoutActivityTypeFishing 19
        HKWorkoutActivityTypeFitnessGaming 76 HKWorkoutActivityTypeFlexibility 62
        HKWorkoutActivityTypeFunctionalStrengthTraining 20 HKWorkoutActivityTypeGolf 21
        HKWorkoutActivityTypeGymnastics 22 HKWorkoutActivityTypeHandCycling 74 HKWorkoutActivityTypeHandball 23
        HKWorkoutActivityTypeHighIntensityIntervalTraining 63 HKWorkoutActivityTypeHiking 24
        HKWorkoutActivityTypeHockey 25 HKWorkoutActivityTypeHunting 26 HKWorkoutActivityTypeJumpRope 64
        HKWorkoutActivityTypeKickboxing 65 HKWorkoutActivityTypeLacrosse 27 HKWorkoutActivityTypeMartialArts 28
        HKWorkoutActivityTypeMindAndBody 29 HKWorkoutActivityTypeMixedCardio 73
        HKWorkoutActivityTypeMixedMetabolicCardioTraining 30 HKWorkoutActivityTypeOther 3000
        HKWorkoutActivityTypePaddleSports 31 HKWorkoutActivityTypePickleball 79 HKWorkoutActivityTypePilates 66
        HKWorkoutActivityTypePlay 32 HKWorkoutActivityTypePreparationAndRecovery 33 HKWorkoutActivityTypeRacquetball 34
        HKWorkoutActivityTypeRowing 35 HKWorkoutActivityTypeRugby 36 HKWorkoutActivityTypeRunning 37
        HKWorkoutActivityTypeSailing 38 HKWorkoutActivityTypeSkatingSports 39 HKWorkoutActivityTypeSnowSports 40
        HKWorkoutActivityTypeSnowboarding 67 HKWorkoutActivityTypeSoccer 41 HKWorkoutActivityTypeSocialDance 78
        HKWorkoutActivityTypeSoftball 42 HKWorkoutActivityTypeSquash 43 HKWorkoutActivityTypeStairClimbing 44
        HKWorkoutActivityTypeStairs 68 HKWorkoutActivityTypeStepTraining 69 HKWorkoutActivityTypeSurfingSports 45
        HKWorkoutActivityTypeSwimBikeRun 82 HKWorkoutActivityTypeSwimming 46 HKWorkoutActivityTypeTableTennis 47
        HKWorkoutActivityTypeTaiChi 72 HKWorkoutActivityTypeTennis 48 HKWorkoutActivityTypeTrackAndField 49
        HKWorkoutActivityTypeTraditionalStrengthTraining 50 HKWorkoutActivityTypeTransition 83
        HKWorkoutActivityTypeUnderwaterDiving 84 HKWorkoutActivityTypeVolleyball 51 HKWorkoutActivityTypeWalking 52
        HKWorkoutActivityTypeWaterFitness 53 HKWorkoutActivityTypeWaterPolo 54 HKWorkoutActivityTypeWaterSports 55
        HKWorkoutActivityTypeWheelchairRunPace 71 HKWorkoutActivityTypeWheelchairWalkPace 70
        HKWorkoutActivityTypeWrestling 56 HKWorkoutActivityTypeYoga 57
        """
}
