/// The answer if no observation is before: what there is.
public enum AnswerFirst {
    /// Returns "First export: 21,161 records of 12 types", with its dates and without them.
    ///
    /// - Parameter name: of the observation: "First export".
    public static func headlines(
        _ name: String, records: Int, types: Int, _ span: ClosedRange<Int64>?
    ) -> [String] {
        let what = "\(name): \(AnswerNumbers.records(records)) of \(AnswerNumbers.counted(types, "type"))"
        return (span.map { ["\(what), \(AnswerDates.text($0))."] } ?? []) + ["\(what)."]
    }

    /// - Parameter noun: `export` or `observation`.
    public static func nothingBefore(_ noun: String) -> String {
        "Nothing to compare yet. What was gone before this \(noun) cannot be seen."
    }

    /// Parts of an export that no archive stores.
    public static let notStored = "birth date, sex, blood type, skin type"
}
