import Foundation
import Testing

/// The files in `Fixtures/canonical-json`, found from the place of this file.
enum Fixtures {
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/canonical-json")

    /// The bytes of a file.
    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: path)))
    }

    /// The lines of a text file without comments, empty ones left out.
    static func lines(_ path: String) throws -> [String] {
        String(decoding: try bytes(path), as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The names, without extension, of the files with this extension in a folder. Stops where there are none.
    static func names(in subfolder: String, extension suffix: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: subfolder).path)) ?? []
        let names = files.filter { $0.hasSuffix("." + suffix) }.map { String($0.dropLast(suffix.count + 1)) }
        precondition(!names.isEmpty, "no fixtures in \(subfolder)")
        return names.sorted()
    }
}

/// A text with one fault: `NAME.json` and `NAME.expect`.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let expected: String

    var testDescription: String { name }

    static func all(in folder: String) -> [FaultCase] {
        Fixtures.names(in: folder, extension: "json").map { name in
            guard
                let text = try? Fixtures.bytes("\(folder)/\(name).json"),
                let expected = try? Fixtures.lines("\(folder)/\(name).expect").first
            else { preconditionFailure("fixture \(name) is not complete") }
            return FaultCase(name: name, text: text, expected: expected)
        }
    }
}
