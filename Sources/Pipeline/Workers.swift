internal import Platform
internal import Synchronization

/// The threads that run all tasks of a tool: one for each processor, at least two.
///
/// Swift's own threads come from a library that reads `/proc/PID/stat` of each thread every second and ends the process
/// if it cannot, be it for want of `/proc` or of a free descriptor. These need neither. A thread ends when no task is
/// ready to run, and another one starts when there is; a task must not wait for another task without `await`.
///
/// Child tasks run where their parent runs. A detached task must name its executor
/// (`Task.detached(executorPreference:)`).
package final class Workers: TaskExecutor {
    /// The threads of the process.
    package static let shared = Workers()

    private struct State {
        var ready: [UnownedJob] = []
        var threadCount = 0
    }

    private let state = Mutex(State())
    private let limit = max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Runs a task up to its next `await`, on one of the threads.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.ready.append(job)
            guard state.threadCount < limit else { return false }
            state.threadCount += 1
            return true
        }
        guard needsThread else { return }
        if let thread = StartedThread({ self.work() }) { return thread.detach() }
        // No thread is to be had: those that there are do the work, else this one.
        let isAlone = state.withLock { state in
            guard state.threadCount > 1 else { return true }
            state.threadCount -= 1
            return false
        }
        if isAlone { work() }
    }

    private func work() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Returns the task that has been ready for the longest time; `nil` if there is none: then the thread counts no
    /// longer.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard state.ready.isEmpty else { return state.ready.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
