internal import CSQLite
internal import Files
internal import Synchronization

/// The context of SQLite's callbacks. Never released: SQLite may ask until the process ends.
final class Waiting: Sendable {
    private let wait: LockWait
    private let areStopsHeeded = Atomic<Bool>(true)
    private static let step = 0.02

    init(_ wait: LockWait) { self.wait = wait }

    var shouldStop: Bool { areStopsHeeded.load(ordering: .relaxed) && wait.shouldStop() }

    func heedStops(_ areHeeded: Bool) { areStopsHeeded.store(areHeeded, ordering: .relaxed) }

    /// Sleeps a moment; false when it has been long enough. SQLite counts the attempts of each wait from 0.
    func isWorthIt(attempts: Int32) -> Bool {
        let waited = Double(attempts) * Self.step
        guard waited < wait.seconds, !shouldStop else { return false }
        if attempts == Int32(1 / Self.step) { wait.onWait() }
        sqlite3_sleep(Int32(Self.step * 1000))
        return true
    }
}
