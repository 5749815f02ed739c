public import Files
import Foundation

/// Other people's programs, which tests hold the code against.
public enum Program {
    /// A program that did not end well.
    public struct Failure: Error { let status: Int32 }

    /// Runs a program that is found by its name and returns its standard output.
    public static func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return [UInt8](data)
    }

    /// The rows that the `sqlite3` program prints, columns separated by `|`.
    public static func sqlite(_ database: Path, _ sql: String) throws -> [String] {
        let output = try run("sqlite3", ["-bail", "-batch", String(decoding: database.bytes, as: UTF8.self), sql])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
