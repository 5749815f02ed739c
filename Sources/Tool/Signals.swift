internal import Platform
import Synchronization

/// Signals that ask a tool to stop. They are only remembered; work looks at them between two steps, undoes what is
/// not committed, and ends.
public enum Signals {
    private static let received = Atomic<Int32>(0)

    /// The first signal that came; nil while there is none.
    public static var first: Int32? {
        let signal = received.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }

    /// `true` once a signal came, for work that asks between two steps.
    public static let shouldStop: @Sendable () -> Bool = { first != nil }

    /// Starts to listen. A closed pipe and a full file-size limit become errors of `write(2)` instead of ending the
    /// process unseen.
    public static func listen() {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            Platform.signal(signal) { Signals.remember($0) }
        }
        for signal in [SIGPIPE, SIGXFSZ] { Platform.signal(signal, SIG_IGN) }
    }

    private static func remember(_ signal: Int32) {
        // The second one ends the process as it is: the first may wait for a pipe that nobody reads. What that
        // leaves is cleaned up at the next start.
        if !received.compareExchange(expected: 0, desired: signal, ordering: .relaxed).exchanged { _exit(128 + signal) }
    }
}
