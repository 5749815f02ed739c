import Files
import Scratch
import Testing

@testable import Capture

@Suite struct `Feeds of the fixtures` {
    private let folder: TemporaryFolder
    private let secret: ArchiveSecret

    init() throws {
        folder = try TemporaryFolder()
        secret = try Feeds.secret(in: folder)
    }

    @Test(arguments: Fixture.names(in: "feeds/good", ending: ".jsonl"))
    func `a good feed gives its steps`(name: String) async throws {
        let expected = String(decoding: Fixture.bytes("feeds/good/\(name).steps"), as: UTF8.self).split(separator: "\n")
            .map(String.init)
        let found = try await Feeds.steps(of: Fixture.path("feeds/good/\(name).jsonl"), secret: secret)
        #expect(found.error == nil, "\(found.error?.description ?? "")")
        #expect(found.steps == expected)
    }

    static let faults: [(name: String, error: String)] = Fixture.lines("feeds/bad/expected.txt").map { line in
        let parts = line.split(separator: " ", maxSplits: 2)
        return (String(parts[0]), String(parts[2]))
    }

    @Test(arguments: faults)
    func `a fault is named with its line and member`(name: String, error: String) async throws {
        let path = try folder.copy("feeds/bad/\(name).jsonl", as: "feed.jsonl")
        let found = try await Feeds.steps(of: path, secret: secret)
        #expect(found.error?.code == .format)
        #expect(found.error?.description == "\(path.display): \(error)")
    }

    @Test func `every bad feed is expected`() {
        #expect(Fixture.names(in: "feeds/bad", ending: ".jsonl") == Self.faults.map(\.name).sorted())
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000, 4096])
    func `steps and errors do not depend on how much is read at once`(chunkSize: Int) async throws {
        for name in Fixture.names(in: "feeds/good", ending: ".jsonl") where name != "texts" || chunkSize > 100 {
            let path = Fixture.path("feeds/good/\(name).jsonl")
            let whole = try await Feeds.steps(of: path, secret: secret)
            let parts = try await Feeds.steps(of: path, secret: secret, chunkSize: chunkSize)
            #expect(whole.steps == parts.steps && parts.error == nil, "\(name)")
        }
        for fault in Self.faults
        where fault.name.contains("page") || fault.name.contains("tail") || fault.name.contains("cut")
            || fault.name.contains("empty")
        {
            let parts = try await Feeds.steps(
                of: Fixture.path("feeds/bad/\(fault.name).jsonl"), secret: secret, chunkSize: chunkSize)
            #expect(parts.error?.description.hasSuffix("\(fault.name).jsonl: \(fault.error)") == true, "\(fault.name)")
        }
    }

    @Test func `a feed that is cut anywhere gives the steps before the cut`() async throws {
        let bytes = Fixture.bytes("feeds/good/runs-side-by-side.jsonl")
        let whole = try await Feeds.steps(of: Fixture.path("feeds/good/runs-side-by-side.jsonl"), secret: secret).steps
        for length in 0..<bytes.count {
            let path = try folder.write(Array(bytes[..<length]), as: "cut.jsonl")
            let found = try await Feeds.steps(of: path, secret: secret, chunkSize: 100)
            #expect(whole.starts(with: found.steps), "cut to \(length) bytes")
            let isOpen = found.steps.last.map { !$0.hasPrefix("observation_end") } ?? false
            let endsInLine = length > 0 && bytes[length - 1] != 0x0A
            #expect(
                (found.error != nil) == (!isOpen && (endsInLine || length == 0)),
                "cut to \(length) bytes: \(found.error?.description ?? "no error")")
        }
    }

    @Test func `no change of a byte stops the program, and errors hold nothing of the feed`() throws {
        let bytes = Fixture.bytes("feeds/good/runs-side-by-side.jsonl")
        for at in bytes.indices {
            for mask in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[at] ^= mask
                guard let fault = fault(in: changed) else { continue }
                #expect(!fault.contains("HKQuantity") && !fault.contains("00000000-"), "\(fault)")
            }
        }
    }

    /// What is wrong with a feed in memory.
    private func fault(in bytes: [UInt8]) -> String? {
        var interpreter = FeedInterpreter(secret, CaptureRules())
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            number += 1
            let whole = Array(line) + [0x0A]
            do throws(FeedFault) {
                _ = try interpreter.interpret(whole.span, number: number)
            } catch {
                return error.description(line: number)
            }
        }
        return nil
    }

    @Test func `an error comes again and nothing after it`() async throws {
        let reader = try FeedReader.open(Fixture.path("feeds/bad/reader-run-twice.jsonl"), secret: secret)
        _ = try await reader.next()
        _ = try await reader.next()
        for _ in 0..<3 { await #expect(throws: CaptureError.self) { try await reader.next() } }
    }

    @Test func `what is no regular file is refused`() async throws {
        try folder.fifo("fifo")
        for (name, text) in [
            ("fifo", "a FIFO, not a regular file"), (".", "a folder, not a regular file"),
            ("missing", "cannot open: no such file or directory"),
        ] {
            let path = folder.path(name)
            let error = #expect(throws: CaptureError.self) { _ = try FeedReader.open(path, secret: secret) }
            #expect(error?.code == .source)
            #expect(error?.description == "\(path.display): \(text)")
        }
    }
}
