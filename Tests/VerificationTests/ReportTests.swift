import Files
import Scratch
import Testing

@testable import Verification

/// What a report says of lines and containers.
private func remarks(_ report: Report) -> [String] {
    report.findings.map { "\($0.code) \($0.line ?? 0) \($0.frame ?? 0) \($0.byte ?? -1) \($0.pointer ?? "") \($0.expected ?? "")" }
}

@Suite struct `Vectors of reports` {
    @Test(arguments: Vector.ofReports)
    func `a vector raises exactly its codes, and fails at its layer`(vector: Vector) async throws {
        let report = try await verified(vector.path)
        #expect(Set(report.counts.keys) == vector.codes)
        #expect(failedLayer(report) == vector.layer)
        #expect(report.isGood == vector.codes.isEmpty)
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

    @Test(arguments: Vector.ofReports.filter { $0.name.hasPrefix("good-records-") && !$0.file.hasSuffix(".zst") }, [1, 500, 900])
    func `small limits are findings, wherever a piece ends`(vector: Vector, limit: Int) async throws {
        var options = VerificationOptions()
        options.lineLimit = limit
        let expected = try await verified(vector.path, options)
        #expect(expected.counts["line.limit"] ?? 0 > 0)
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

    @Test(arguments: ["good-change-set-lines.jsonl", "good-change-set-envelope.json"], [0x01, 0x80] as [UInt8])
    func `a byte that is changed anywhere is noticed`(name: String, mask: UInt8) async throws {
        let whole = Fixture.bytes("reports/" + name)
        for index in whole.indices {
            var changed = whole
            changed[index] ^= mask
            #expect(!(try await verified(try folder.write(changed, as: "b"))).isGood, "byte \(index)")
        }
    }

    @Test(arguments: ["good-manifests-lines.jsonl", "good-manifests-envelope.json"])
    func `a report that is cut anywhere is noticed`(name: String) async throws {
        let whole = Fixture.bytes("reports/" + name)
        for count in whole.indices { #expect(!(try await verified(try folder.write(Array(whole.prefix(count)), as: "b"))).isGood, "cut to \(count) bytes") }
    }

    @Test(arguments: [0x01, 0x80] as [UInt8])
    func `a byte that is changed in a table or its sidecar is noticed`(mask: UInt8) async throws {
        let name = "good-manifests-table"
        let rows = Fixture.bytes("reports/\(name).csv"), sidecar = Fixture.bytes("reports/\(name).csv-metadata.json")
        for index in rows.indices {
            var changed = rows
            changed[index] ^= mask
            #expect(try await verified(try table(changed, sidecar, named: name)).counts["container.file_hash"] == 1, "byte \(index) of the table")
        }
        for index in sidecar.indices {
            var changed = sidecar
            changed[index] ^= mask
            #expect(!(try await verified(try table(rows, changed, named: name))).isGood, "byte \(index) of the sidecar")
        }
        for count in rows.indices { #expect(!(try await verified(try table(Array(rows.prefix(count)), sidecar, named: name))).isGood) }
        for count in sidecar.indices { #expect(!(try await verified(try table(rows, Array(sidecar.prefix(count)), named: name))).isGood) }
    }

    @Test func `a table that has a sidecar is one under any name, and a sidecar that is no file is none`() async throws {
        let name = "good-manifests-table.csv"
        let rows = Fixture.bytes("reports/" + name), sidecar = Fixture.bytes("reports/\(name)-metadata.json")
        try folder.write(sidecar, as: "t-metadata.json")
        #expect(try await verified(try folder.write(rows, as: "t")).findings.map(\.pointer) == ["/url"])
        try folder.link("d.csv-metadata.json", to: ".")
        #expect(try await verified(try folder.write(rows, as: "d.csv")).counts.keys.sorted() == ["container.sidecar_missing"])
    }
}

/// Numbers that are the same in every run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 29) &* 0x9E37_79B9_7F4A_7C15
    }
}

@Suite struct `Rows of random bytes` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the row reader ends rows where they are cut`(seed: UInt64) {
        var random = Seeded(state: seed)
        let alphabet = Array("\"\"\",,\r\n\nab {".utf8)
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            // The rows by the reader.
            var row = RowReader()
            var ends: [Int] = []
            var start = 0
            while start < text.count {
                row.read(text.span, from: start)
                #expect(row.end > start)
                if row.isTerminated { ends.append(row.end) }
                start = row.end
            }
            // The rows as they are cut, byte by byte.
            var cutter = RowEnds()
            var cuts: [Int] = []
            for index in text.indices where cutter.end(in: [text[index]].span, isFirst: false).end != nil { cuts.append(index + 1) }
            #expect(ends == cuts)
            var whole = RowEnds()
            let (last, count) = whole.end(in: text.span, isFirst: false)
            #expect(last == cuts.last && count == cuts.count)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `rows, envelopes and lines with random bytes are reported and never stop the program`(seed: UInt64) async throws {
        var random = Seeded(state: seed)
        let alphabet = Array("\"\",\r\n{}[]:'=-1e.tfn\\u0 \u{0}\u{80}".utf8)
        for name in ["good-changes-table.csv", "good-comparison-table.csv", "good-findings-envelope.json", "good-records-lines.jsonl"] {
            let whole = Fixture.bytes("reports/" + name)
            if name.hasSuffix(".csv") { try folder.copy("reports/\(name)-metadata.json", as: name + "-metadata.json") }
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
                let report = try await verified(try folder.write(changed, as: name))
                #expect(!report.isGood || changed == whole)
            }
        }
    }
}
