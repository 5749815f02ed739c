public import Files
internal import Platform
import Synchronization

// How the tools speak, once, here.
//
// Results go to standard output, everything else to standard error. A line on standard error begins with the tool's
// name and what it is: error, hint, warning, note. Lower case, no full stop, the place first:
// `hp-export: error: archive.sqlite: no such file`. A hint follows where the likely mistake is known. No health
// value and no stored identifier stands in any line.

/// The voice of a tool on standard error.
public struct Voice: Sendable {
    /// The tool's name.
    public let tool: String
    /// `true` if notes and progress are not wanted.
    let isQuiet: Bool

    /// The voice of a tool.
    init(tool: String, isQuiet: Bool = false) { (self.tool, self.isQuiet) = (tool, isQuiet) }

    /// Says why something could not be done.
    public func error(_ text: String, hint: String? = nil) {
        say("error", text)
        if let hint { say("hint", hint) }
    }

    /// Says something that the user should look at.
    public func warning(_ text: String) { say("warning", text) }

    /// Says something worth knowing.
    public func note(_ text: String) { if !isQuiet { say("note", text) } }

    private func say(_ kind: String, _ text: String) {
        StandardError.removeLine()
        // Whatever a message names, it is one line.
        StandardError.write("\(tool): \(StatusWord.kind(kind)): \(oneLine(text))\n")
    }
}

/// Standard error. What cannot be written there is lost: there is nowhere to say so.
public enum StandardError {
    /// Writes text as it is.
    public static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Platform.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// `true` if the cursor is after a line that is written again.
    private static let hasLine = Atomic<Bool>(false)

    /// Writes a line of a terminal that the next one takes the place of.
    static func writeLine(_ text: String) {
        hasLine.store(true, ordering: .relaxed)
        write("\r\u{1B}[K\(text)")
    }

    /// Takes that line away, so that what follows begins at the left.
    static func removeLine() {
        if hasLine.exchange(false, ordering: .relaxed) { write("\r\u{1B}[K") }
    }

    /// `true` if a person is likely to look at it.
    public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// Standard output, every byte of it checked: a result that did not arrive is an error. A terminal gets no control
/// characters but our own colours; a file or a pipe gets every byte as it is.
public struct StandardOutput: ~Copyable {
    private let descriptor: Descriptor
    private var buffer: [UInt8] = []
    private let leadsToTerminal: Bool

    /// Takes standard output.
    public init() throws(FileError) {
        descriptor = try Descriptor.standardOutput()
        leadsToTerminal = descriptor.isTerminal
    }

    /// `true` if a person is likely to look at it.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Adds text; it is written when enough is there.
    public mutating func write(_ text: String) throws(FileError) {
        buffer += Array(text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Adds bytes.
    public mutating func write(_ bytes: [UInt8]) throws(FileError) {
        buffer += bytes
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes what is there.
    public mutating func flush() throws(FileError) {
        // What is written at a time ends with a whole character.
        if leadsToTerminal {
            var terminal = TerminalText(keepsColours: true)
            buffer = terminal.text(of: buffer.span, isEnd: true)
        }
        try descriptor.write(buffer.span)
        buffer.removeAll(keepingCapacity: true)
    }
}
