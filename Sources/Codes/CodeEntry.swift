/// What the table of codes says of one code.
public struct CodeEntry: Sendable {
    /// Where a finding is.
    public struct Place: Sendable {
        public let name: PlaceName
        /// What the place names.
        public let meaning: String
        /// Where a finding of this code has it, if it does not always.
        public let condition: String?

        init(_ name: PlaceName, _ meaning: String, where condition: String? = nil) {
            self.name = name
            self.meaning = meaning
            self.condition = condition
        }
    }

    public let code: Code
    public let severity: Severity
    /// What is invalid, as a phrase.
    public let invalid: String
    public let places: [Place]
    public let damages: Damages
    /// Where it damages anything, if it does not always.
    public let damageCondition: String?
    /// What it means and what to do, for people.
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
