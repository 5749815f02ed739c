import Synchronization

/// A line on a terminal that says how far a long task is. Nothing is shown in the first second, and nothing where
/// standard error is no terminal.
public final class Progress: Sendable {
    private let what: String
    private let total: Int?
    private let isShown: Bool
    private let started = ContinuousClock.now
    private let lastShown: Mutex<ContinuousClock.Instant>
    private let hasShown = Atomic(false)

    /// Progress of `total` things, if that is known.
    public init(_ what: String, total: Int?, isQuiet: Bool) {
        self.what = what
        self.total = total
        isShown = !isQuiet && StandardError.isTerminal
        lastShown = Mutex(started)
    }

    /// Says how many are done; looks at the clock and rarely does more.
    public func update(_ done: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = lastShown.withLock { last in
            guard last.duration(to: now) > .milliseconds(last == started ? 1000 : 200) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        hasShown.store(true, ordering: .relaxed)
        let elapsed = Double(started.duration(to: now) / .milliseconds(1)) / 1000
        let rate = Double(done) / elapsed
        var line = "\(done) \(what), \(Int(rate)) a second"
        if let total, total > 0, done <= total {
            line =
                "\(done * 100 / total) %, \(line), \(Int(Double(total - done) / rate)) s left"
        }
        StandardError.write("\r\u{1B}[K\(line)")
    }

    /// Takes the line away.
    public func end() {
        if hasShown.load(ordering: .relaxed) { StandardError.write("\r\u{1B}[K") }
    }
}
