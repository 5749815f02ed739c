public import Files
import Glibc

/// Other people's programs, which tests hold the code against.
///
/// `popen(3)` and not Foundation's `Process`: that one is not safe to start from several tests at once.
public enum Program {
    /// A program that could not be started or did not end well.
    public struct Failure: Error { let status: Int32 }

    /// Runs a program that is found by its name and returns its standard output.
    public static func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        let command = ([name] + arguments).map(quoted).joined(separator: " ") + " </dev/null"
        guard let stream = unsafe popen(command, "re") else { throw Failure(status: errno) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            output += buffer[..<count]
        }
        let status = unsafe pclose(stream)
        guard status == 0 else { throw Failure(status: status) }
        return output
    }

    /// The rows that the `sqlite3` program prints, columns separated by `|`.
    public static func sqlite(_ database: Path, _ sql: String...) throws -> [String] {
        let output = try run("sqlite3", ["-bail", "-batch", database.text] + sql)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
