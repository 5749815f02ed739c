import Codes
import Files
import Scratch
import Testing

@testable import Verification

/// What a report says of lines and containers. What a container is told by comes before the lines that are still
/// being looked at.
private func remarks(_ report: Report) -> [String] {
    report.findings.map {
        "\($0.code.rawValue) \($0.line ?? 0) \($0.frame ?? 0) \($0.byte ?? -1) \($0.pointer ?? "") \($0.expected ?? "")"
    }.sorted()
}

@Suite struct `Vectors of reports` {
    @Test(arguments: Vector.ofReports)
    func `a vector raises exactly its codes at their places, and has its layers`(vector: Vector) async throws {
        let report = try await verified(vector.path, everyFinding)
        #expect(Set(report.counts.keys) == vector.codes)
        #expect(places(report) == vector.places)
        #expect(layers(report) == vector.layers)
        #expect(report.isGood == vector.codes.isEmpty)
        #expect(report.notVerified.map(\.rawValue) == vector.notVerified)
        let end = report.notVerified.last.map { "; \($0.words)" } ?? "self-consistent"
        #expect(!report.isGood || report.verdict.hasSuffix(end))
        #expect(vector.file.hasSuffix(".zst") || report.findings.allSatisfy { $0.frame == nil })
    }

    @Test(arguments: Vector.ofReports.filter { !$0.file.hasSuffix(".zst") })
    func `findings do not depend on where the pieces that are read end`(vector: Vector) async throws {
        let expected = try await verified(vector.path)
        for size in [1, 97] {
            var options = VerificationOptions()
            options.pieceSize = size
            let report = try await verified(vector.path, options)
            #expect(remarks(report) == remarks(expected), "pieces of \(size) bytes")
            #expect(Layer.allCases.map { report.status($0) } == Layer.allCases.map { expected.status($0) })
            #expect(report.itemCount == expected.itemCount)
        }
    }

    @Test(
        arguments: Vector.ofReports.filter { $0.name.hasPrefix("good-records-") && !$0.file.hasSuffix(".zst") },
        [1, 500, 900])
    func `small limits are findings, wherever a piece ends`(vector: Vector, limit: Int) async throws {
        var options = VerificationOptions()
        options.lineLimit = limit
        let expected = try await verified(vector.path, options)
        #expect(expected.counts[.lineLimit] ?? 0 > 0)
        // The manifest, or a sidecar's, is too long as well: no layer above is ok.
        #expect(Layer.allCases.filter { $0 > .line }.allSatisfy { expected.status($0) == .unknown })
        for size in [1, 50, 333] {
            options.pieceSize = size
            #expect(remarks(try await verified(vector.path, options)) == remarks(expected))
        }
    }
}

@Suite struct `Damage to reports` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Puts a table beside its sidecar.
    private func table(_ table: [UInt8], _ sidecar: [UInt8], named name: String) throws -> Path {
        try folder.write(sidecar, as: "\(name).csv-metadata.json")
        return try folder.write(table, as: "\(name).csv")
    }

    // Every third byte, with both masks in turn: `Tests/verify_vectors.py` goes over all of them.
    private static func changes(of bytes: [UInt8]) -> [(index: Int, changed: [UInt8])] {
        stride(from: 0, to: bytes.count, by: 3).map { index in
            var changed = bytes
            changed[index] ^= index.isMultiple(of: 2) ? 0x01 : 0x80
            return (index, changed)
        }
    }

    /// Whether a file is valid: one of an unreleased version is refused.
    private func isGood(_ path: Path) async throws -> Bool {
        do { return try await verified(path).isGood } catch is UnreleasedFormat { return false }
    }

    private static func cuts(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 7).map { Array(bytes.prefix($0)) }
    }

    @Test(arguments: ["good-manifests-lines", "good-manifests-envelope"])
    func `a byte that is changed anywhere is noticed`(name: String) async throws {
        for (index, changed) in Self.changes(of: Vector(name).bytes) {
            #expect(!(try await isGood(try folder.write(changed, as: "b"))), "byte \(index)")
        }
    }

    @Test(arguments: ["good-manifests-lines", "good-manifests-envelope"])
    func `a report that is cut anywhere is noticed`(name: String) async throws {
        for cut in Self.cuts(of: Vector(name).bytes) {
            #expect(!(try await verified(try folder.write(cut, as: "b"))).isGood, "cut to \(cut.count) bytes")
        }
    }

    @Test func `a byte that is changed in a table or its sidecar is noticed, and so is a cut`() async throws {
        let name = "good-manifests-table"
        let rows = Vector(name).bytes, sidecar = Fixture.bytes(Vector(name).file + "-metadata.json")
        for (index, changed) in Self.changes(of: rows) {
            #expect(
                try await verified(try table(changed, sidecar, named: name)).counts[.containerFileHash] == 1,
                "byte \(index) of the table")
        }
        for (index, changed) in Self.changes(of: sidecar) {
            #expect(!(try await isGood(try table(rows, changed, named: name))), "byte \(index) of the sidecar")
        }
        for cut in Self.cuts(of: rows) {
            #expect(!(try await verified(try table(cut, sidecar, named: name))).isGood, "a table of \(cut.count) bytes")
        }
        for cut in Self.cuts(of: sidecar) {
            #expect(!(try await verified(try table(rows, cut, named: name))).isGood, "a sidecar of \(cut.count) bytes")
        }
    }

    @Test func `a table that has a sidecar is one under any name, and a sidecar that is no file is none`() async throws
    {
        let vector = Vector("good-manifests-table")
        let rows = vector.bytes, sidecar = Fixture.bytes(vector.file + "-metadata.json")
        try folder.write(sidecar, as: "t-metadata.json")
        #expect(try await verified(try folder.write(rows, as: "t")).findings.map(\.pointer) == ["/url"])
        try folder.link("d.csv-metadata.json", to: ".")
        #expect(
            try await verified(try folder.write(rows, as: "d.csv")).counts.keys.sorted() == [
                .containerSidecarMissing
            ])
    }
}

@Suite struct `Rows of random bytes` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: 0..<20 as Range<UInt64>, [UInt8(ascii: ","), UInt8(ascii: ";")])
    func `the row reader ends rows where they are cut`(seed: UInt64, delimiter: UInt8) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("\"\"\",,;;\r\n\nab {".utf8)
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            // The rows by the reader.
            var row = RowReader(delimiter: delimiter)
            var ends: [Int] = []
            var start = 0
            while start < text.count {
                row.read(text.span, from: start)
                #expect(row.end > start)
                if row.isTerminated { ends.append(row.end) }
                start = row.end
            }
            // The rows as they are cut, byte by byte.
            var cutter = RowEnds(delimiter: delimiter)
            var cuts: [Int] = []
            for index in text.indices where cutter.end(in: [text[index]].span, isFirst: false).end != nil {
                cuts.append(index + 1)
            }
            #expect(ends == cuts)
            var whole = RowEnds(delimiter: delimiter)
            let (last, count) = whole.end(in: text.span, isFirst: false)
            #expect(last == cuts.last && count == cuts.count)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `rows, envelopes and lines with random bytes are reported and never stop the program`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("\"\",\r\n{}[]:'=-1e.tfn\\u0 \u{0}\u{80}".utf8)
        for name in [
            "good-changes-table", "good-comparison-table", "good-findings-envelope", "good-records-lines",
        ] {
            let vector = Vector(name), whole = vector.bytes
            let file = vector.path.text.split(separator: "/").last.map(String.init) ?? name
            if vector.container == "table" {
                try folder.copy(vector.file + "-metadata.json", as: file + "-metadata.json")
            }
            for _ in 0..<10 {
                var changed = whole
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let index = Int.random(in: 0..<changed.count, using: &random)
                    switch Int.random(in: 0...2, using: &random) {
                    case 0: changed[index] = alphabet.randomElement(using: &random)!
                    case 1: changed.insert(alphabet.randomElement(using: &random)!, at: index)
                    default: changed.remove(at: index)
                    }
                }
                let report = try await verified(try folder.write(changed, as: file))
                #expect(!report.isGood || changed == whole)
            }
        }
    }
}
