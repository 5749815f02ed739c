/// Amounts as people read them.
public enum AnswerUnits {
    /// A sum in the unit of a type: `3,957`, `12.35 kcal`; `nil` if it cannot be written.
    static func text(_ sum: Double, _ type: Answer.TypeFacts, _ names: AnswerNames) -> String? {
        AnswerNumbers.text(sum).map { number in
            guard let unit = type.unit, unit != "count" else { return number }
            return "\(number) \(names.unit(unit))"
        }
    }
}
