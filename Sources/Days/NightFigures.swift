/// The length of each state of sleep, in microseconds (`Spec/days.md`, "Nights and naps").
package struct NightFigures {
    package var sessionCount = 0
    package var longSessionCount = 0
    package var session: Int64 = 0
    package var inBed: Int64?
    package var awake: Int64?
    package var asleep: Int64?
    package var stages: Stages?
    package var overlap: Int64 = 0
    /// Dates that state `asleep`, and stages.
    package var asleepDays = 0
    package var stageDays = 0

    /// The seconds of each stage, where there are stages.
    package struct Stages {
        package var core: Int64 = 0
        package var deep: Int64 = 0
        package var rem: Int64 = 0
        package var unspecified: Int64 = 0
    }

    func adding(_ other: NightFigures) -> NightFigures {
        func sum(_ one: Int64?, _ other: Int64?) -> Int64? {
            guard let one, let other else { return one ?? other }
            return one + other
        }
        var found = self
        found.sessionCount += other.sessionCount
        found.longSessionCount += other.longSessionCount
        found.session += other.session
        found.inBed = sum(inBed, other.inBed)
        found.awake = sum(awake, other.awake)
        found.asleep = sum(asleep, other.asleep)
        if let added = other.stages {
            let own = stages ?? Stages()
            found.stages = Stages(
                core: own.core + added.core, deep: own.deep + added.deep, rem: own.rem + added.rem,
                unspecified: own.unspecified + added.unspecified)
        }
        found.overlap += other.overlap
        found.asleepDays += other.asleepDays
        found.stageDays += other.stageDays
        return found
    }
}
