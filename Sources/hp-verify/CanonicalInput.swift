import Files
import Tool

/// The JSON texts that a command is given: one file, standard input, or framed requests.
struct CanonicalInput {
    private let path: Path?
    /// Whether many texts come as framed requests.
    let isFramed: Bool

    /// The option that says so.
    static let framed = Tool.Option("--framed", "read many texts in one process: see Spec/canonical-json.md")

    /// Longest text, in bytes. A canonical form is at most six times as long.
    private static let limit = 1 << 30

    /// Reads the command line.
    init(_ arguments: Arguments) {
        path = arguments.operands.first.flatMap { $0.bytes == Array("-".utf8) ? nil : $0 }
        isFramed = arguments.has("--framed")
    }

    /// What errors call the input.
    var name: String { path?.display ?? "standard input" }

    private func open() throws(FileError) -> Descriptor {
        if let path { return try Descriptor.reading(path) }
        return try Descriptor.standardInput()
    }

    /// The whole input as one text.
    func text() throws -> [UInt8] {
        let file = try open()
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try file.read(into: &piece)
            if count == 0 { return text }
            text += piece[..<count]
            guard text.count <= Self.limit else { throw UsageError("\(name): longer than \(Self.limit) bytes") }
        }
    }

    /// Answers framed requests one by one: status byte, length, bytes.
    func answer(_ body: (Span<UInt8>) -> (status: UInt8, bytes: [UInt8])) throws -> ExitStatus {
        let file = try open()
        var output = try StandardOutput()
        var number = 0
        while let length = try read(file, count: 4, isFirst: true) {
            number += 1
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            guard count <= Self.limit, let text = try read(file, count: count, isFirst: false) else {
                throw UsageError("\(name): request \(number) ends early or is longer than \(Self.limit) bytes")
            }
            let answer = body(text.span)
            let size = UInt32(answer.bytes.count)
            try output.write(
                [answer.status] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + answer.bytes)
            try output.flush()
        }
        return .good
    }

    /// Exactly so many bytes; nil at the end of the input.
    private func read(_ file: borrowing Descriptor, count: Int, isFirst: Bool) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 16))
        while bytes.count < count {
            let got = try file.read(into: &piece, count: count - bytes.count)
            if got == 0 {
                if isFirst, bytes.isEmpty { return nil }
                throw UsageError("\(name): a request ends early")
            }
            bytes += piece[..<got]
        }
        return bytes
    }
}
