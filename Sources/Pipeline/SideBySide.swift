internal import Platform

/// A value lent to another thread for a while. It may cross, because one side at a time has it: whoever handed it over
/// waits for the other thread before anybody looks at it again.
package final class Handed<Value: ~Copyable>: @unchecked Sendable {
    /// The value that was handed over.
    package var value: Value

    package init(_ value: consuming Value) { self.value = value }
}

/// Runs `other` on a thread of its own while `own` runs on this one; returns when both are done. Where no thread is to
/// be had, one runs after the other.
///
/// A thread and no task: reading an archive is for callers that are not asynchronous too, and both sides work for
/// seconds without a pause.
package func sideBySide(_ own: () -> Void, _ other: @escaping @Sendable () -> Void) {
    let thread = StartedThread(other)
    own()
    if let thread { thread.join() } else { other() }
}
