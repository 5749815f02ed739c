import Dispatch
import Files
import Glibc
import Synchronization

/// Runs what is asynchronous to its end: libFuzzer calls its targets one after the other and wants an answer.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Result<Value>()
    Task.detached {
        result.value.withLock { $0 = nil }
        let value = await body()
        result.value.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.value.withLock({ $0 }) else { fatalError("no result") }
    return value
}

private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// A file that holds each input in turn.
struct InputFile {
    let path: Path
    private let descriptor: CInt

    /// Creates a file of this process in memory.
    init(_ name: String) {
        let text = "/dev/shm/hp-fuzz-\(getpid())-\(name)"
        path = Path(text)
        descriptor = unsafe open(text, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0o600)
        require(descriptor >= 0, "a file in /dev/shm can be created")
    }

    /// Replaces what the file holds.
    func write(_ bytes: [UInt8]) {
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        require(written == bytes.count && ftruncate(descriptor, bytes.count) == 0, "a file in /dev/shm can be written")
    }
}
