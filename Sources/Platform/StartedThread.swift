/// A thread of its own for one piece of work.
@safe public struct StartedThread: ~Copyable {
    private let thread: pthread_t

    /// Starts a thread that does `work`; nil where no thread is to be had.
    public init?(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Work(run: work))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(
            &thread, nil,
            { pointer in
                // Optional or not, as the system declares it.
                let pointer: UnsafeMutableRawPointer? = unsafe pointer
                unsafe Unmanaged<Work>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            return nil
        }
        #if canImport(Darwin)
            guard let thread else { return nil }
        #endif
        self.thread = thread
    }

    /// Lets the thread go on alone: nobody waits for it.
    public consuming func detach() {
        #if canImport(Darwin)
            _ = unsafe pthread_detach(thread)
        #else
            _ = pthread_detach(thread)
        #endif
    }

    /// Waits until the work is done.
    public consuming func join() {
        #if canImport(Darwin)
            _ = unsafe pthread_join(thread, nil)
        #else
            _ = pthread_join(thread, nil)
        #endif
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
