import Synchronization

/// The amount of a source that was read, for whoever shows the progress of a capture. The reader of the source writes
/// it.
public final class SourcePosition: Sendable {
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)

    /// The position in a source that was not opened yet.
    public init() {}

    /// Bytes that were read, and all bytes that will be; nil where their number is not known.
    public var share: (done: Int, total: Int)? {
        let total = total.load(ordering: .relaxed)
        return total > 0 ? (min(done.load(ordering: .relaxed), total), total) : nil
    }

    /// Begins a source of so many bytes; nil where that is not known.
    package func begin(_ bytes: Int?) {
        done.store(0, ordering: .relaxed)
        total.store(bytes ?? 0, ordering: .relaxed)
    }

    /// Notes more bytes that were read.
    package func add(_ bytes: Int) { done.wrappingAdd(bytes, ordering: .relaxed) }
}
