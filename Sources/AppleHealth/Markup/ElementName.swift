/// An element that `Spec/apple-health.md` names.
enum ElementName: UInt8, CaseIterable {
    case HealthData, ExportDate, Me
    case Record, Correlation, Workout, WorkoutRoute, ActivitySummary, ClinicalRecord, Audiogram, VisionPrescription
    case MetadataEntry, HeartRateVariabilityMetadataList, InstantaneousBeatsPerMinute
    case WorkoutEvent, WorkoutStatistics, WorkoutActivity, WorkoutZoneGroup, WorkoutZone, FileReference, Location
    case SensitivityPoint, RightEye, LeftEye, Prescription
    /// Written by `MarkupFilter` in the place of what is not well-formed.
    case broken
    /// Any other.
    case other

    /// Returns the element of a name.
    static func named(_ text: Span<UInt8>) -> ElementName { table.index(of: text).map { all[$0] } ?? .other }

    /// Its name in a file, which is that of the case but for the one of our own.
    var text: String { self == .broken ? "hp.broken" : "\(self)" }

    private static let all = Array(allCases)
    private static let table = NameIndex(all.map { $0 == .other ? "" : $0.text })
}

/// An attribute that `Spec/apple-health.md` names.
enum AttributeName: UInt8, CaseIterable {
    case type, unit, value, sourceName, sourceVersion, device, creationDate, startDate, endDate
    case key, workoutActivityType, duration, durationUnit, dateComponents, receivedDate, dateIssued, expirationDate
    case identifier, sourceURL, resourceFilePath, path, bpm, time, date, uuid
    /// The source's name on iOS 8.
    case source
    /// Written by `MarkupFilter` in the place of what it cut.
    case tooLarge
    /// The same, in the place of what is not well-formed: a hash of it.
    case broken
    /// Any other.
    case other

    /// Returns the attribute of a name.
    static func named(_ text: Span<UInt8>) -> AttributeName { table.index(of: text).map { all[$0] } ?? .other }

    /// Its name in a file, which is that of the case but for those of our own.
    var text: String {
        switch self {
        case .tooLarge: "hp.too_large"
        case .broken: "hp.broken"
        default: "\(self)"
        }
    }

    /// `true` if its text is a moment.
    var isDate: Bool {
        switch self {
        case .creationDate, .startDate, .endDate, .receivedDate, .dateIssued, .expirationDate, .date: true
        default: false
        }
    }

    /// `true` if its text identifies something and leaves the reader only as an HMAC.
    var isPrivate: Bool {
        switch self {
        case .identifier, .sourceURL, .resourceFilePath, .uuid: true
        default: false
        }
    }

    private static let all = Array(allCases)
    private static let table = NameIndex(all.map { $0 == .other ? "" : $0.text })
}
