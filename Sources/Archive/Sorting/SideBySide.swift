import Glibc

/// Runs `other` on a thread of its own while `own` runs on this one; returns when both are done. Where no thread is to be had, one runs after the other.
///
/// A thread and no task: reading an archive is for callers that are not asynchronous too, and both sides work for seconds without a pause.
package func sideBySide(_ own: () -> Void, _ other: @escaping @Sendable () -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(run: other))
    var thread = pthread_t()
    let isStarted =
        unsafe pthread_create(
            &thread, nil,
            { pointer in
                unsafe Unmanaged<Work>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, work.toOpaque()) == 0
    own()
    if isStarted { pthread_join(thread, nil) } else { unsafe work.takeRetainedValue().run() }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
