import Files
import Manifest
import Scratch
import Testing

@testable import Verification

/// A vector of `Fixtures/bundles` or `Fixtures/reports`: a file, and what `NAME.txt` expects of it.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    /// The name of the file in `Fixtures`.
    let file: String
    let codes: Set<String>
    /// The first layer that fails, or `none`.
    let layer: String

    var testDescription: String { name }
    var path: Path { Fixture.path(file) }

    init(_ name: String, in folder: String = "bundles", ending: String = ".jsonl.zst") {
        self.name = name
        file = "\(folder)/\(name)\(ending)"
        var members: [String: String] = [:]
        for line in Fixture.lines("\(folder)/\(name).txt") {
            let parts = line.split(separator: ":", maxSplits: 1)
            members[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        guard let codes = members["codes"], let layer = members["layer"] else {
            preconditionFailure("\(name).txt is not complete")
        }
        self.codes = Set(codes.split(separator: " ").map(String.init))
        self.layer = layer.filter { $0 != " " }
    }

    static let all = Fixture.names(in: "bundles", ending: ".jsonl.zst").map { Vector($0) }

    /// Reports in every container.
    static let ofReports = [".jsonl.zst", ".jsonl", ".json", ".csv"].flatMap { ending in
        Fixture.names(in: "reports", ending: ending).filter { !$0.hasSuffix("-metadata") }.map {
            Vector($0, in: "reports", ending: ending)
        }
    }

    /// Vectors whose container is valid, so that their text can be cut into frames anew. Those whose text is too
    /// large for that are left out.
    static let ofText = all.filter { vector in
        !vector.codes.contains { $0.hasPrefix("container.") } && !vector.name.hasPrefix("container-")
            && !["bomb", "million", "limit", "8-mib", "20000"].contains { vector.name.contains($0) }
    }

    func text() throws -> [UInt8] { try Program.run("zstd", ["-dc", path.text]) }
}

func verified(_ path: Path, _ options: VerificationOptions = VerificationOptions()) async throws -> Report {
    try await BundleVerifier.verify(Descriptor.reading(path), options: options)
}

/// The first layer that fails, or `none`.
func failedLayer(_ report: Report) -> String {
    Layer.allCases.first { report.status($0) == .failed }?.rawValue ?? "none"
}

/// A bundle of text, cut into these pieces.
func bundle(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
    var compressor = FrameCompressor(level: 1)
    var table = SeekTable()
    var bytes: [UInt8] = []
    for piece in pieces where !piece.isEmpty {
        let frame = compressor.frame(of: Array(piece).span)
        table.add(compressedSize: frame.count, textSize: piece.count)
        bytes += frame
    }
    return bytes + table.frame()
}

/// Text cut after every `count` lines.
func cut(_ text: [UInt8], lines count: Int) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0, seen = 0
    for (index, byte) in text.enumerated() where byte == 0x0A {
        seen += 1
        if seen.isMultiple(of: count) {
            pieces.append(text[start...index])
            start = index + 1
        }
    }
    return start < text.count ? pieces + [text[start...]] : pieces
}

/// Text cut after every `count` bytes.
func cut(_ text: [UInt8], bytes count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: text.count, by: count).map { text[$0..<min($0 + count, text.count)] }
}
