internal import Archive

/// Adds up the versions of one category value, or of one activity.
struct PartTally {
    private var count = 0
    private var seconds = ExactSum()
    private var distance = Stated()
    private var energy = Stated()

    /// What some of the versions state.
    private struct Stated {
        var count = 0
        /// Nothing is held for what no version states.
        var sum: ExactSum?

        mutating func add(_ amount: Double?) {
            guard let amount else { return }
            count += 1
            sum = sum ?? ExactSum()
            sum!.add(amount)
        }

        mutating func add(_ other: Stated) {
            count += other.count
            guard let added = other.sum else { return }
            sum = sum ?? ExactSum()
            sum!.add(added)
        }

        /// nil where no version states one.
        var result: Comparison.Stated? {
            guard var sum else { return nil }
            return Comparison.Stated(count: count, sum: sum.value())
        }
    }

    mutating func add(_ version: ComparedVersion) {
        count += 1
        seconds.add(version.length)
        distance.add(version.totals.distance)
        energy.add(version.totals.energy)
    }

    mutating func add(_ other: PartTally) {
        count += other.count
        seconds.add(other.seconds)
        distance.add(other.distance)
        energy.add(other.energy)
    }

    mutating func result(_ value: Int64) -> Comparison.Part {
        Comparison.Part(
            value: value, recordCount: count, seconds: seconds.value(), distance: distance.result,
            energy: energy.result)
    }
}
