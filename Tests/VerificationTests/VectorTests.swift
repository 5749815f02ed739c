import Codes
import Files
import Scratch
import Testing

@testable import Verification

@Suite struct `Vectors of bundles` {
    @Test(arguments: Vector.quick)
    func `a vector raises exactly its codes at their places, and has its layers`(vector: Vector) async throws {
        let report = try await verified(vector.path, everyFinding)
        #expect(Set(report.counts.keys) == vector.codes)
        #expect(places(report) == vector.places)
        #expect(layers(report) == vector.layers)
        #expect(report.isGood == vector.codes.isEmpty)
        #expect(report.total >= vector.codes.count)
        #expect(report.verdict.hasSuffix("self-consistent") || !vector.codes.isEmpty)
    }

    @Test(arguments: Vector.refused)
    func `a file of an unreleased version is refused as a whole, whatever else is wrong with it`(vector: Vector)
        async throws
    {
        let error = await #expect(throws: UnreleasedFormat.self) { _ = try await verified(vector.path) }
        #expect(error?.description == "\(vector.path.display): \(vector.error ?? "")")
    }

    @Test(arguments: [1, 2])
    func `an unreleased version in a second header refuses nothing`(version: Int) async throws {
        let folder = try TemporaryFolder()
        let whole = try Vector("good-minimal").text()
        let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let old = String(decoding: lines[0], as: UTF8.self).replacing(
            "\"format_version\":3", with: "\"format_version\":\(version)")
        let again = [lines[0], Array(old.utf8)[...]] + lines.dropFirst()
        let text = Array(again.joined(separator: [UInt8(ascii: "\n")]))
        let report = try await verified(try folder.write(text, as: "again.jsonl"))
        #expect(Set(report.counts.keys) == [.lineHeaderRepeated])
    }

    /// What needs an archive has its cases in `Tests/cli`.
    @Test func `every code that a file by itself can raise has a vector`() {
        let ofFiles = Code.allCases.filter { Layer(rawValue: $0.group).map { $0 != .archive } ?? false }
        let covered = (Vector.all + Vector.ofReports).reduce(into: Set<Code>()) { $0.formUnion($1.codes) }
        #expect(Set(ofFiles) == covered)
    }

    @Test func `every code has an entry in the table`() {
        #expect(CodeEntry.all.map(\.code) == Code.allCases)
    }

    @Test(arguments: Vector.all.filter { $0.codes.count > 1 })
    func `the limit of findings counts those that it does not list`(vector: Vector) async throws {
        let whole = try await verified(vector.path)
        for limit in [0, 1] {
            var options = VerificationOptions()
            options.findingLimit = limit
            let report = try await verified(vector.path, options)
            #expect(report.findings.count == limit)
            #expect(report.counts == whole.counts)
            #expect(report.total == whole.total)
            #expect(!report.isGood)
        }
    }
}

/// What a report says of lines: all but frames and bytes in the file.
private func remarks(_ report: Report) -> [String] {
    report.findings.filter { $0.layer != .container }.map {
        "\($0.code.rawValue) \($0.line ?? 0) \($0.pointer ?? "")"
    }.sorted()
}

@Suite struct `Cutting a bundle's text into other frames` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Vectors and lines in a frame: each vector is cut in one way, its neighbours in the others.
    // A run of blank lines is one finding in each frame that has some of it.
    private static let cuts = Vector.ofText.filter { $0.name != "line-blank-two-frames" }.enumerated()
        .map { ($0.element, [1, 2, 7][$0.offset % 3]) }

    @Test(arguments: cuts)
    func `findings do not depend on how lines are put into frames`(vector: Vector, count: Int) async throws {
        let expected = try await verified(vector.path)
        let report = try await verified(try folder.write(bundle(cut(try vector.text(), lines: count)), as: "b"))
        // A text without its last line end leaves its frame without one, however it is cut.
        #expect(
            report.counts.filter { $0.key != .containerFrameLineEnd }
                == expected.counts.filter { $0.key != .containerFrameLineEnd })
        #expect(remarks(report) == remarks(expected))
        #expect(report.itemCount == expected.itemCount)
        #expect(Layer.allCases.map { report.status($0) } == Layer.allCases.map { expected.status($0) })
    }

    @Test(arguments: Vector.ofText.filter { $0.codes.isEmpty }, [1000, 97])
    func `frames that end in the middle of lines are reported, and the lines are checked all the same`(
        vector: Vector, size: Int
    ) async throws {
        let text = try vector.text()
        // Few frames of large texts, one cut in some line at least.
        let pieces = cut(text, bytes: max(min(size, text.count / 3), text.count / 60))
        try #require(pieces.dropLast().contains { $0.last != 0x0A })
        let expected = try await verified(vector.path)
        let report = try await verified(try folder.write(bundle(pieces), as: "b"))
        #expect(Set(report.counts.keys) == [.containerFrameLineEnd])
        #expect(report.counts[.containerFrameLineEnd] == pieces.dropLast().count { $0.last != 0x0A })
        #expect(report.itemCount == expected.itemCount)
        for layer in Layer.allCases where layer != .container {
            #expect(report.status(layer) == expected.status(layer))
        }
    }

    @Test(arguments: Vector.ofText.filter { ["item", "order", "manifest", "shape"].contains($0.layer) })
    func `faults in lines that are cut in the middle are still found`(vector: Vector) async throws {
        let text = try vector.text()
        let report = try await verified(try folder.write(bundle(cut(text, bytes: max(97, text.count / 60))), as: "b"))
        #expect(Set(report.counts.keys) == vector.codes.union([.containerFrameLineEnd]))
    }

    @Test func `verifying twice gives the same report`() async throws {
        for name in ["good-history", "item-hash", "container-cut-half"] {
            let first = try await verified(Vector(name).path), second = try await verified(Vector(name).path)
            #expect(first.counts == second.counts)
            #expect(remarks(first) == remarks(second))
        }
    }
}
