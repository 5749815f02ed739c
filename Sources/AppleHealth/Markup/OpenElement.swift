/// An element whose start tag was passed on, and whose end tag was not.
struct OpenElement {
    /// Its name in the text.
    let name: [UInt8]
    let known: ElementName
    /// `true` if the parser was given `hp.broken` in the place of its name.
    let isReplaced: Bool
    /// White space between the beginning of its line and its tag; `nil` if something else is there.
    let column: Int?
    /// `true` if its end tag is known to follow.
    var hasEnd = false
    /// Up to this byte of the text, what it may hold is in it.
    var trusted: Int64 = 0
    /// `true` if it is known that something in it is too deep.
    var isMarked = false

    /// Its name in what is passed on.
    var passedName: [UInt8] { isReplaced ? Array(ElementName.broken.text.utf8) : name }
}

extension ElementName {
    /// `true` if it stands below the root.
    var isBelowRoot: Bool {
        switch self {
        case .ExportDate, .Me, .Record, .Correlation, .Workout, .WorkoutRoute, .ActivitySummary, .ClinicalRecord,
            .Audiogram, .VisionPrescription:
            true
        default: false
        }
    }

    /// `true` if it becomes a record.
    var isSample: Bool { isBelowRoot && self != .ExportDate && self != .Me }

    /// Returns `true` if an element that stands below the root also stands in this one.
    func holds(_ inner: ElementName) -> Bool {
        inner == .Record && (self == .Correlation || self == .Workout) || inner == .WorkoutRoute && self == .Workout
    }
}
