/// An entry of the table of codes.
public struct CodeEntry: Sendable {
    /// A place of a finding.
    public struct Place: Sendable {
        public let name: PlaceName
        /// The meaning of the place's name.
        public let meaning: String
        /// The condition under which a finding of this code has the place, if it does not always.
        public let condition: String?

        init(_ name: PlaceName, _ meaning: String, where condition: String? = nil) {
            self.name = name
            self.meaning = meaning
            self.condition = condition
        }
    }

    public let code: Code
    public let severity: Severity
    /// The invalid thing, as a phrase.
    public let invalid: String
    public let places: [Place]
    public let damages: Damages
    /// The condition under which it damages anything, if it does not always.
    public let damageCondition: String?
    /// The meaning and what to do, for people.
    public let sentence: String

    init(
        _ code: Code, _ severity: Severity, _ invalid: String, places: [Place] = [], damages: Damages = .nothing,
        damagesWhere: String? = nil, sentence: String
    ) {
        self.code = code
        self.severity = severity
        self.invalid = invalid
        self.places = places
        self.damages = damages
        damageCondition = damagesWhere
        self.sentence = sentence
    }
}
