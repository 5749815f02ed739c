internal import Platform

/// The end of a tool (`Spec/command-line.md`, Exit status).
public struct ExitStatus: Sendable, Equatable {
    /// The number that the system is told.
    public let number: Int32

    /// Done, and good.
    public static let good = ExitStatus(number: 0)
    /// Done, and something is invalid.
    public static let findings = ExitStatus(number: 1)
    /// Could not be done.
    public static let failed = ExitStatus(number: 2)
    /// Done: good, or something is invalid.
    public init(isGood: Bool) { self = isGood ? .good : .findings }

    private init(number: Int32) { self.number = number }

    /// Returns the status of a tool that a signal stopped.
    public static func stopped(by signal: Int32) -> ExitStatus { ExitStatus(number: 128 + signal) }

    /// Ends the process.
    public func exit() -> Never { Platform.exit(number) }
}
