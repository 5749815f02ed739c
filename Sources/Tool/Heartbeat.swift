internal import Platform

/// Calls a closure each second, on a thread of its own, until it is stopped.
struct Heartbeat: ~Copyable {
    private let thread: StartedThread
    /// The end of a pipe that nothing is written to. The thread waits at the other one, so that it wakes up at once
    /// when this one is closed.
    private let end: Int32

    /// nil where no thread or no pipe is to be had.
    init?(_ beat: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        let other = ends[0]
        let thread = StartedThread {
            while true {
                var request = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
                let count = unsafe poll(&request, 1, 1000)
                // A wait that a signal ended says nothing.
                if count > 0 || count < 0 && errno != EINTR { break }
                if count == 0 { beat() }
            }
            close(other)
        }
        guard let thread else {
            for end in ends { close(end) }
            return nil
        }
        self.thread = thread
        end = ends[1]
    }

    /// Returns when the closure runs no more.
    consuming func stop() {
        close(end)
        thread.join()
    }
}
