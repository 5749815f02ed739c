public import Archive
public import CanonicalJSON
public import Files
import Synchronization

/// The way in which a command uses its archive. It decides how the archive is opened, which lock is taken before, and
/// what the sandbox allows. It also decides if `HP_ARCHIVE` may name the archive.
public struct Access: Sendable, Equatable {
    /// The mode in which the archive is opened.
    public let opening: Archive.Access
    /// `true` if the archive, or a file next to it, is written.
    public let isWriting: Bool
    /// `true` if no capture may run at the same time.
    public let isLocked: Bool

    /// Only reads, and leaves no trace.
    public static let evidence = Access(opening: .evidence, isWriting: false, isLocked: false)
    /// Only reads, like any other reader.
    public static let reading = Access(opening: .reading, isWriting: false, isLocked: false)
    /// Reads the archive, and writes a file next to it.
    public static let beside = Access(opening: .reading, isWriting: true, isLocked: false)
    /// Records an export.
    public static let recording = Access(opening: .recording, isWriting: true, isLocked: false)
    /// Captures: the command creates or opens the archive and takes the lock itself.
    public static let capturing = Access(opening: .capturing, isWriting: true, isLocked: false)

    /// The same, while no capture runs: a capture is many transactions, and between two of them its observation is not
    /// complete.
    public var locked: Access { Access(opening: opening, isWriting: true, isLocked: true) }
}

/// One call of a command: opens its archive, shows how far it is, prints its result.
public final class Call: Sendable {
    /// The voice, quiet if `--quiet` was given.
    public let voice: Voice
    /// The way in which the archive is used.
    public let access: Access
    private let arguments: Arguments
    private let progress = Mutex<Progress?>(nil)
    /// The lock, which is held until the call ends.
    private let lock = Mutex<CaptureLock?>(nil)
    /// The archive that is read without a lock, and what its file was when it was opened.
    private let loneReading = Mutex<LoneReading?>(nil)

    init(_ command: Tool.Command, _ arguments: Arguments, _ voice: Voice) {
        self.arguments = arguments
        self.voice = Voice(tool: voice.tool, isQuiet: arguments.has("--quiet"))
        access = command.access(arguments)
    }

    /// Releases the lock, and takes the line of progress away.
    func end() {
        endProgress()
        lock.withLock { $0 = nil }
    }

    // MARK: The archive

    /// The archive that the first operand names.
    public var archive: Path { arguments.operands[0] }

    /// Returns how long the call waits for a lock.
    ///
    /// - Parameter isSilent: `true` if a wait is not announced. A command without `--wait` never announces one.
    public func wait(for path: Path, isSilent: Bool = false) throws(UsageError) -> LockWait {
        let isStated = arguments.declares(Tool.Option.wait.name)
        let (isSaid, voice) = (isStated && !isSilent, voice)
        return LockWait(
            seconds: Double(isStated ? try arguments.integer(Tool.Option.wait.name) ?? 60 : 60),
            shouldStop: Signals.shouldStop,
            onWait: { if isSaid { voice.note("\(path.display): locked by another process, waiting") } })
    }

    /// Takes the lock of the archive, if the command declares that and does not have it yet.
    public func takeLock() throws {
        guard access.isLocked else { return }
        let wait = try wait(for: archive)
        try lock.withLock { held in
            if held == nil { held = try CaptureLock.take(for: archive, wait) }
        }
    }

    /// Opens the archive as the command declares, once no lock is in the way.
    public func open(isSilent: Bool = false) throws -> Archive {
        try takeLock()
        let opened = try Archive.open(archive, for: access.opening, wait: wait(for: archive, isSilent: isSilent))
        if let lone = opened.loneReading { loneReading.withLock { $0 = lone } }
        return opened
    }

    /// Returns the error; or, if it may come from pages of two moments, that the archive was changed while it was read.
    func explained(_ error: any Error) -> any Error {
        guard let found = error as? ArchiveError, let lone = loneReading.withLock({ $0 }), lone.mayExplain(found) else {
            return error
        }
        return ArchiveError.changedWhileRead(lone.path)
    }

    /// Opens an archive that an option names; it is only read.
    public func open(_ path: Path) throws -> Archive {
        try Archive.open(path, for: .evidence, wait: wait(for: path))
    }

    // MARK: What is said

    /// Begins to show how far the call is, until its result is printed or it ends.
    public func begin(_ what: String, total: Int? = nil) throws(UsageError) -> Progress {
        endProgress()
        let begun = Progress(what, total: total, form: try Progress.Form(arguments))
        progress.withLock { $0 = begun }
        return begun
    }

    /// Says how far the task is that was begun last; see `Progress.update`.
    public func update(_ done: Int, share: (done: Int, total: Int)?) {
        progress.withLock { $0 }?.update(done, share: share)
    }

    private func endProgress() { progress.withLock { $0.take() }?.end() }

    /// Says something worth knowing.
    public func note(_ text: String) { voice.note(text) }

    /// Prints the result: one JSON object with `--json`, else a text for people.
    ///
    /// - Parameters:
    ///   - text: `nil` if notes say everything.
    ///   - json: `nil` if there is only a text.
    ///   - asJSON: `true` or `false` if something else than `--json` decides.
    ///   - isGood: `false` if something is invalid.
    public func show(
        _ text: @autoclosure () throws -> String? = nil, json: @autoclosure () throws -> JSONObject? = nil,
        asJSON: Bool? = nil, isGood: Bool = true
    ) throws -> ExitStatus {
        endProgress()
        let isJSON = asJSON ?? arguments.has("--json")
        if isJSON, let json = try json() {
            try Self.print(json.line)
        } else if let text = try text() {
            try Self.print(Array(text.utf8))
        }
        return ExitStatus(isGood: isGood)
    }

    /// Prints a whole result.
    public static func print(_ result: [UInt8]) throws {
        var output = try StandardOutput()
        try output.write(result)
        try output.flush()
    }
}
