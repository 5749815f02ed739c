/// What a row of an aggregate says.
struct AggregateValues {
    var count: Int64 = 0
    var earliestStart: Double?
    var latestEnd: Double?
    /// The exact sum, rounded once; nil where no record has a value, or beyond the doubles.
    var sum: Double?
    var maximum: Double?
}
