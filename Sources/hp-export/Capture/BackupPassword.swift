import Archive
import Files
import Manifest
import Tool

/// The password of a backup: from a file, a descriptor or a terminal, never from arguments or the environment.
enum BackupPassword {
    private static let limit = 4096

    /// Reads one line.
    ///
    /// - Parameter ask: shows what is wanted, before a terminal is read.
    static func read(_ path: Path?, _ shouldStop: @Sendable () -> Bool, ask: (String) -> Void) throws -> Secret {
        guard let path else {
            let terminal = try Descriptor.standardInput()
            guard terminal.isTerminal else {
                throw UsageError(
                    "the backup is encrypted, and there is no terminal to ask for its password: name a file that "
                        + "has it with --backup-password-file")
            }
            ask("type the password that encrypts backups of this iPhone; it is not its passcode, and is not shown")
            return try terminal.withoutEcho { () throws -> Secret in try line(of: terminal, shouldStop) }
        }
        let file = path == Path("-") ? try Descriptor.standardInput() : try Descriptor.readingOrInherited(path)
        return try line(of: file, shouldStop)
    }

    private static func line(of file: borrowing Descriptor, _ shouldStop: @Sendable () -> Bool) throws -> Secret {
        var buffer = [UInt8](repeating: 0, count: limit + 2), piece = [UInt8](repeating: 0, count: limit + 2)
        var count = 0
        let newline = UInt8(ascii: "\n")
        // Both buffers are overwritten, also after an error.
        defer {
            _ = Secret(taking: 0..<0, of: &piece)
            _ = Secret(taking: 0..<0, of: &buffer)
        }
        while count < buffer.count, !buffer[..<count].contains(newline) {
            guard try file.waitForInput(shouldStop) else {
                throw ArchiveError(.interrupted, "\(file.path.display): interrupted")
            }
            let read = try file.read(into: &piece, count: buffer.count - count)
            guard read > 0 else { break }
            for index in 0..<read { buffer[count + index] = piece[index] }
            count += read
        }
        var end = buffer[..<count].firstIndex(of: newline) ?? count
        if end > 0, buffer[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let password = Secret(taking: 0..<end, of: &buffer)
        guard (1...limit).contains(end) else {
            throw UsageError("\(file.path.display): the password has to have 1 to \(limit) bytes")
        }
        return password
    }
}
