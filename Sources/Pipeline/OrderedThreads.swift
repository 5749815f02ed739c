internal import Platform

/// Work that runs beside a caller who does not await, and gives its results in the order in which it was started:
/// `OrderedTasks` for callers that are not asynchronous.
///
/// Each piece of work has a thread of its own; where none is to be had, it is done at once. Memory is bounded by the
/// caller, who takes what has to be taken before there is room for another.
package struct OrderedThreads<Result: Sendable>: ~Copyable {
    private var running: [Running<Result>] = []

    package init() {}

    deinit { for work in running { work.wait() } }

    /// Starts a piece of work.
    package mutating func start(_ work: @escaping @Sendable () -> Result) { running.append(Running(work)) }

    /// Returns the next result in order, waited for, while more than `limit` were not taken yet; else `nil`.
    package mutating func next(leaving limit: Int) -> Result? {
        running.count > limit ? running.removeFirst().wait() : nil
    }
}

/// Work on a thread of its own.
private final class Running<Result: Sendable> {
    private let result: Handed<Result?>
    private var thread: StartedThread?

    init(_ work: @escaping @Sendable () -> Result) {
        let result = Handed<Result?>(nil)
        self.result = result
        thread = StartedThread { result.value = work() }
        if thread == nil { result.value = work() }
    }

    /// Waits for the end of the work. Called once.
    @discardableResult
    func wait() -> Result? {
        thread.take()?.join()
        return result.value.take()
    }
}
