internal import Files
import Synchronization

/// How far a long task is, on standard error: a line on a terminal that is written again and again, or a line of JSON
/// each second for programs (`--progress json`). Nothing is shown in the first second.
public final class Progress: Sendable {
    /// How it is shown.
    public enum Form: Sendable {
        case none
        /// A line of a terminal.
        case line
        /// `{"done":N,"elapsed_seconds":S,"total":N,"unit":"items"}` a line; `total` where it is known.
        case json

        /// What the arguments ask for: `--progress json`, `--quiet`. Without either a line where standard error is a
        /// terminal and the task runs alone.
        public init(_ arguments: Arguments, isAlone: Bool = true) throws(UsageError) {
            guard try arguments.text(Progress.option.name) == nil else {
                self = .json
                return
            }
            self = isAlone && !arguments.has("--quiet") && StandardError.isTerminal ? .line : .none
        }
    }

    /// The option that chooses the form.
    public static let option = Tool.Option(
        "--progress", .word("json", of: ["json"]), "progress as a line of JSON each second, on standard error")

    private let what: String
    private let total: Int?
    private let form: Form
    private let started = ContinuousClock.now
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var lastShown: ContinuousClock.Instant
        var done = 0
        var hasShown = false
        var hasEnded = false
        /// Shows lines of JSON, also while nothing is counted.
        var heartbeat: Heartbeat?
    }

    /// Progress of `total` things, if that is known.
    public init(_ what: String, total: Int?, form: Form) {
        self.what = what
        self.total = total
        self.form = form
        state = Mutex(State(lastShown: started))
        guard form == .json else { return }
        state.withLock { state in
            state.heartbeat = Heartbeat { [self] in show(self.state.withLock { $0.done }, .now) }
        }
    }

    /// Says how many are done; looks at the clock and rarely does more.
    public func update(_ done: Int) { change { $0 = done } }

    /// Says how many more are done.
    public func add(_ more: Int) { change { $0 += more } }

    private func change(_ body: (inout Int) -> Void) {
        guard form != .none else { return }
        let now = ContinuousClock.now
        let done: Int? = state.withLock { state in
            body(&state.done)
            guard state.heartbeat == nil else { return nil }
            let pause = Duration.milliseconds(state.hasShown && form == .line ? 200 : 1000)
            guard state.lastShown.duration(to: now) > pause else { return nil }
            (state.lastShown, state.hasShown) = (now, true)
            return state.done
        }
        if let done { show(done, now) }
    }

    private func show(_ done: Int, _ now: ContinuousClock.Instant) {
        let milliseconds = Int(started.duration(to: now) / .milliseconds(1))
        StandardError.write(form == .json ? json(done, milliseconds) : line(done, milliseconds))
    }

    private func json(_ done: Int, _ milliseconds: Int) -> String {
        let total = total.map { ",\"total\":\($0)" } ?? ""
        return "{\"done\":\(done),\"elapsed_seconds\":\(milliseconds / 1000)\(total),\"unit\":\"\(what)\"}\n"
    }

    private func line(_ done: Int, _ milliseconds: Int) -> String {
        let rate = Double(done) / (Double(milliseconds) / 1000)
        var line = "\(done) \(what), \(Int(rate)) a second"
        if let total, total > 0, done <= total {
            line = "\(done * 100 / total) %, \(line), \(Int(Double(total - done) / rate)) s left"
        }
        return "\r\u{1B}[K\(line)"
    }

    /// Takes the line of a terminal away; programs get a last one, where there was a second for it.
    public func end() {
        if let heartbeat = state.withLock({ $0.heartbeat.take() }) { heartbeat.stop() }
        let now = ContinuousClock.now
        let (done, isDue) = state.withLock { state in
            defer { state.hasEnded = true }
            let isWorth = form == .json ? started.duration(to: now) > .seconds(1) : state.hasShown
            return (state.done, isWorth && !state.hasEnded)
        }
        guard isDue else { return }
        if form == .json { show(done, now) } else { StandardError.write("\r\u{1B}[K") }
    }
}
