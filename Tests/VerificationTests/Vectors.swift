import Codes
import Files
import Foundation
import Manifest
import Scratch
import Testing

@testable import Verification

/// A vector of `Spec/vectors`: a file, and what `vectors.json` expects of it.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    /// The name of the file, from the folder `Fixtures` on.
    let file: String
    /// `bundle`, `lines`, `envelope` or `table`.
    let container: String
    /// `bundle`, `report` or `salvage`.
    let document: String
    let codes: Set<Code>
    /// What each finding is compared by, sorted.
    let places: [String]
    /// The status of each layer.
    let layers: [String: String]
    /// The parts of it that a verifier compares with nothing.
    let notVerified: [String]
    /// What is said of a file that nothing reads any more, behind its name.
    let error: String?

    var testDescription: String { name }
    var path: Path { Fixture.path(file) }
    var bytes: [UInt8] { Fixture.bytes(file) }

    /// The first layer that fails, or `none`.
    var layer: String { Layer.allCases.first { layers[$0.rawValue] == "failed" }?.rawValue ?? "none" }

    /// The vector of this name. One that is not there is a mistake of the test.
    init(_ name: String) {
        guard let vector = Self.named[name] else { preconditionFailure("no vector \(name)") }
        self = vector
    }

    private init(_ entry: Entry) {
        file = "../Spec/vectors/\(entry.path)"
        name = String(entry.path.split(separator: "/").last?.prefix { $0 != "." } ?? "")
        container = entry.container
        document = entry.document
        let findings = entry.findings ?? []
        codes = Set(findings.map(\.known))
        places = findings.map {
            placeText($0.known, line: $0.line, frame: $0.frame, byte: $0.byte, pointer: $0.pointer)
        }.sorted()
        layers = entry.layers ?? [:]
        notVerified = entry.notVerified ?? []
        error = entry.error
    }

    private static let read = entries().map { Vector($0) }
    static let everything = read.filter { $0.error == nil }
    /// Files of a version that nothing reads any more.
    static let refused = read.filter { $0.error != nil }
    private static let named = Dictionary(uniqueKeysWithValues: everything.map { ($0.name, $0) })

    /// Bundles and salvages.
    static let all = everything.filter { $0.document != "report" }

    /// Those that take no second in a build without optimization. `Tests/cli/test_verify.py` has all of them.
    static let quick = all.filter { vector in
        !["bomb", "alike-limit", "identity-ordinals"].contains { vector.name.contains($0) }
    }

    /// Reports in every container.
    static let ofReports = everything.filter { $0.document == "report" }

    /// Vectors whose container is valid, so that their text can be cut into frames anew. Those whose text is too
    /// large for that are left out, and those for which up to a million fingerprints are recomputed.
    static let ofText = all.filter { vector in
        !vector.codes.contains { $0.group == "container" } && !vector.name.hasPrefix("container-")
            && !["bomb", "million", "limit", "8-mib", "20000", "item-strict", "ordinals"].contains {
                vector.name.contains($0)
            }
    }

    /// What `vectors.json` says of a vector.
    private struct Entry: Decodable {
        let path, container, document: String
        let layers: [String: String]?
        let findings: [Finding]?
        let notVerified: [String]?
        let error: String?

        enum CodingKeys: String, CodingKey {
            case path, container, document, layers, findings, error
            case notVerified = "not_verified"
        }

        struct Finding: Decodable {
            let code: String
            let line, frame: Int?
            let byte: Int64?
            let pointer: String?

            var known: Code {
                guard let known = Code(rawValue: code) else { preconditionFailure("vectors.json has \(code)") }
                return known
            }
        }
    }

    private static func entries() -> [Entry] {
        let text = Data(Fixture.bytes("../Spec/vectors/vectors.json"))
        guard let read = try? JSONDecoder().decode([String: [Entry]].self, from: text), let entries = read["vectors"]
        else { preconditionFailure("vectors.json cannot be read") }
        return entries
    }

    func text() throws -> [UInt8] { try Program.run("zstd", ["-dc", path.text]) }
}

func verified(_ path: Path, _ options: VerificationOptions = VerificationOptions()) async throws -> Report {
    try await BundleVerifier.verify(Descriptor.reading(path), options: options)
}

/// A code with its places.
private func placeText(_ code: Code, line: Int?, frame: Int?, byte: Int64?, pointer: String?) -> String {
    let places = [
        line.map { "line \($0)" }, frame.map { "frame \($0)" }, byte.map { "byte \($0)" },
        pointer.map { "pointer \($0)" },
    ]
    return ([code.rawValue] + places.compactMap { $0 }).joined(separator: " ")
}

/// The codes and places of a report's findings, sorted, as those of a vector are.
func places(_ report: Report) -> [String] {
    report.findings.map {
        placeText($0.code, line: $0.line, frame: $0.frame, byte: $0.byte, pointer: $0.pointer)
    }.sorted()
}

/// Lists every finding of a vector.
var everyFinding: VerificationOptions {
    var options = VerificationOptions()
    options.findingLimit = .max
    return options
}

/// The statuses of a report's layers, as in `vectors.json`.
func layers(_ report: Report) -> [String: String] {
    Dictionary(uniqueKeysWithValues: Layer.allCases.map { ($0.rawValue, report.status($0).rawValue) })
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
