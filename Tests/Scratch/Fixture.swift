public import Files
import Foundation

/// Files in `Fixtures`, found from the place of this file.
public enum Fixture {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    /// The path of a fixture, named from the folder `Fixtures` on.
    public static func path(_ name: String) -> Path { Path(root.appending(path: name).path) }

    /// The bytes of a fixture. A fixture that is not there is a mistake of the test.
    public static func bytes(_ name: String) -> [UInt8] {
        guard let data = try? Data(contentsOf: root.appending(path: name)) else {
            preconditionFailure("no fixture \(name)")
        }
        return [UInt8](data)
    }

    /// The lines of a text fixture, comments and empty lines left out.
    public static func lines(_ name: String) -> [String] {
        String(decoding: bytes(name), as: UTF8.self).split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("#")
        }
    }

    /// The names of the fixtures in a folder that end like this, without that end, sorted.
    public static func names(in folder: String, ending: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        let names = files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
        precondition(!names.isEmpty, "no fixtures in \(folder)")
        return names.sorted()
    }
}

extension Path {
    /// The name as text, for programs that are given it.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
