internal import Measures
internal import Archive

/// The signs that Apple documents of condensed samples, looked at change by change and piece by piece.
struct SignTally {
    private var areAllLater = true
    private var longest = 0.0
    private var hasPieces = false
    private var areRatesEqual = true
    private var areValuesEqual = true
    private var areInWorkouts = true
    private var lacksValues = false

    mutating func addDisappeared(isLater: Bool) { areAllLater = areAllLater && isLater }

    mutating func addAppeared(_ version: ComparedVersion) {
        if let span = version.span { longest = max(longest, span.upperBound - span.lowerBound) }
    }

    /// Adds a piece of both sides.
    mutating func add(_ piece: Piece) {
        hasPieces = true
        areRatesEqual = areRatesEqual && piece.rates.areEqual
        areValuesEqual = areValuesEqual && piece.values.areEqual
        areInWorkouts = areInWorkouts && piece.isInWorkout
        lacksValues = lacksValues || piece.lacksValues
    }

    mutating func add(_ other: SignTally) {
        areAllLater = areAllLater && other.areAllLater
        longest = max(longest, other.longest)
        hasPieces = hasPieces || other.hasPieces
        areRatesEqual = areRatesEqual && other.areRatesEqual
        areValuesEqual = areValuesEqual && other.areValuesEqual
        areInWorkouts = areInWorkouts && other.areInWorkouts
        lacksValues = lacksValues || other.lacksValues
    }

    /// Returns the signs in a window of a cumulative or discrete type in which records disappeared and others appeared.
    ///
    /// - Parameters:
    ///   - hasFirst: whether the first observation of the type, and its time, are known.
    ///   - isOld: whether the window ended so long before the observation; nil where that has no moment.
    func result(_ measure: Measure, hasFirst: Bool, isOld: Bool?) -> Comparison.Signatures {
        var signs = Comparison.Signatures()
        signs.isCondensedAgain = hasFirst ? areAllLater : nil
        if hasPieces {
            if !lacksValues, measure.kind == .cumulative { signs.isEqualRate = areRatesEqual }
            if !lacksValues, measure.kind == .discrete { signs.isEqualValue = areValuesEqual }
            signs.isInsideWorkout = areInWorkouts
        }
        signs.isOld = isOld
        signs.isShort = longest <= 300
        return signs
    }
}

/// The least and the greatest of some numbers.
struct Extent {
    private(set) var least: Double?
    private(set) var greatest: Double?

    mutating func add(_ value: Double) {
        least = min(least ?? value, value)
        greatest = max(greatest ?? value, value)
    }

    /// `true` if they are one number, to a millionth.
    var areEqual: Bool {
        guard let least, let greatest else { return true }
        return Self.areEqual(least, greatest)
    }

    /// Returns `true` if two numbers differ by at most a millionth of the greater magnitude.
    static func areEqual(_ one: Double, _ other: Double) -> Bool {
        (one - other).magnitude <= 1e-6 * max(one.magnitude, other.magnitude)
    }
}
