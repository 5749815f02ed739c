internal import Files
import Synchronization

/// The progress of a long task, on standard error. On a terminal it is a line that is written again and again, for
/// programs a line of JSON each second (`--progress json`). Nothing is shown in the first second.
public final class Progress: Sendable {
    /// The form in which it is shown.
    public enum Form: Sendable {
        case none
        /// A line of a terminal.
        case line
        /// `{"done":N,"elapsed_seconds":S,"percent":P,"total":N,"unit":"items"}` a line; `total` where it is known,
        /// `percent` where a source of known size is read.
        case json

        /// Creates the form that the arguments ask for: `--progress json`, `--quiet`. Without either, it is a line if
        /// standard error is a terminal and the task runs alone.
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
        /// Of what is read; nil where its size is not known.
        var share: (done: Int, total: Int)?
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
            state.heartbeat = Heartbeat { [self] in show(self.state.withLock { ($0.done, $0.share) }, .now) }
        }
    }

    /// Says how many are done; looks at the clock and rarely does more.
    ///
    /// - Parameter share: how much of a source was read, if its size is known: its percentage and the time left are
    ///   shown instead of those of `total`.
    public func update(_ done: Int, share: (done: Int, total: Int)? = nil) {
        change { ($0.done, $0.share) = (done, share) }
    }

    /// Says how many more are done.
    public func add(_ more: Int) { change { $0.done += more } }

    private func change(_ body: (inout State) -> Void) {
        guard form != .none else { return }
        let now = ContinuousClock.now
        let done: (Int, (done: Int, total: Int)?)? = state.withLock { state in
            body(&state)
            guard state.heartbeat == nil else { return nil }
            let pause = Duration.milliseconds(state.hasShown && form == .line ? 200 : 1000)
            guard state.lastShown.duration(to: now) > pause else { return nil }
            (state.lastShown, state.hasShown) = (now, true)
            return (state.done, state.share)
        }
        if let done { show(done, now) }
    }

    private func show(_ state: (done: Int, share: (done: Int, total: Int)?), _ now: ContinuousClock.Instant) {
        let milliseconds = Int(started.duration(to: now) / .milliseconds(1))
        if form == .json {
            StandardError.write(json(state.done, state.share, milliseconds))
        } else {
            StandardError.writeLine(line(state.done, state.share, milliseconds))
        }
    }

    private func json(_ done: Int, _ share: (done: Int, total: Int)?, _ milliseconds: Int) -> String {
        let percent = share.map { ",\"percent\":\(Int(Double($0.done) * 100 / Double($0.total)))" } ?? ""
        let total = total.map { ",\"total\":\($0)" } ?? ""
        let elapsed = ",\"elapsed_seconds\":\(milliseconds / 1000)"
        return "{\"done\":\(done)\(elapsed)\(percent)\(total),\"unit\":\"\(what)\"}\n"
    }

    private func line(_ done: Int, _ share: (done: Int, total: Int)?, _ milliseconds: Int) -> String {
        let seconds = Double(milliseconds) / 1000
        let line = "\(done) \(what), \(Int(Double(done) / seconds)) a second"
        guard let share = share ?? total.map({ (done, $0) }), share.done > 0, share.done <= share.total else {
            return line
        }
        let part = Double(share.done) / Double(share.total)
        return "\(Int(part * 100)) %, \(line), \(Int(seconds / part - seconds)) s left"
    }

    /// Takes the line of a terminal away; programs get a last one, where there was a second for it.
    public func end() {
        if let heartbeat = state.withLock({ $0.heartbeat.take() }) { heartbeat.stop() }
        let now = ContinuousClock.now
        let (done, isDue) = state.withLock { state in
            defer { state.hasEnded = true }
            let isWorth = form == .json ? started.duration(to: now) > .seconds(1) : state.hasShown
            return ((state.done, state.share), isWorth && !state.hasEnded)
        }
        guard isDue else { return }
        if form == .json { show(done, now) } else { StandardError.removeLine() }
    }
}
