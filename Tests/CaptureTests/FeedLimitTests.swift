import Files
import Foundation
import Recording
import Scratch
import Testing

@testable import Capture

@Suite(.serialized) struct `Limits of a feed` {
    private let folder: TemporaryFolder
    private let secret: ArchiveSecret

    init() throws {
        folder = try TemporaryFolder()
        secret = try Feeds.secret(in: folder)
    }

    private func error(_ bytes: [UInt8]) async throws -> String? {
        let path = try folder.write(bytes, as: "feed.jsonl")
        let prefix = "\(path.display): "
        return try await Feeds.steps(of: path, secret: secret).error.map {
            String($0.description.dropFirst(prefix.count))
        }
    }

    /// The sizes of the lines of a file, and whether one was too long.
    private func lines(_ bytes: [UInt8]) throws -> (sizes: [Int], isTooLong: Bool) {
        var lines = FeedLines(
            try Descriptor.reading(try folder.write(bytes, as: "lines")), chunkSize: FeedLines.chunkSize)
        var sizes: [Int] = []
        do throws(FeedLinesError) {
            while try lines.advance() { sizes.append(lines.line.count) }
        } catch {
            guard case .tooLong = error else { throw error }
            return (sizes, true)
        }
        return (sizes, false)
    }

    @Test func `a line has at most 16 MiB`() async throws {
        let limit = 16 << 20
        let line = [UInt8](repeating: 0x20, count: limit)
        #expect(try lines([0x0A] + line + [0x0A, 0x0A]) == ([1, limit + 1, 1], false))
        #expect(try lines([0x0A] + line + [0x20, 0x0A]) == ([1], true))
        #expect(try lines(line) == ([], false))
        #expect(try lines(line + [0x20]) == ([], true))
        #expect(try await error(Array(Feeds.feed([]).prefix(100)) + line + line) == "line 2: longer than 16 MiB")
    }

    private func orderInObservation() throws -> FeedOrder {
        var order = FeedOrder()
        try order.admit(.feed, size: 1)
        order.beginFeed()
        try order.admit(.observation, size: 1)
        order.beginObservation()
        return order
    }

    @Test func `a page has at most 100,000 lines`() throws {
        var order = try orderInObservation()
        for _ in 0..<2 {
            for _ in 0..<100_000 { try order.admit(.relationship, size: 1) }
            try order.admit(.page, size: 1)
            try order.endPage(1)
        }
        for _ in 0..<100_000 { try order.admit(.sample, size: 1) }
        let fault = #expect(throws: FeedFault.self) { try order.admit(.deleted, size: 1) }
        #expect(fault?.description(line: 7) == "line 7: the page has more than 100000 lines")
    }

    @Test func `a page has at most 64 MiB`() throws {
        var order = try orderInObservation()
        for _ in 0..<2 {
            for _ in 0..<4 { try order.admit(.sample, size: 16 << 20) }
            try order.admit(.page, size: 16 << 20)
            try order.endPage(1)
        }
        for _ in 0..<4 { try order.admit(.sample, size: 16 << 20) }
        let fault = #expect(throws: FeedFault.self) { try order.admit(.sample, size: 1) }
        #expect(fault?.description(line: 7) == "line 7: the page has more than 64 MiB")
    }

    @Test func `an observation has at most 4,096 runs`() throws {
        var order = try orderInObservation()
        for run in 0..<4096 as Range<Int> { try order.beginRun(Array("T\(run)".utf8)) }
        let fault = #expect(throws: FeedFault.self) { try order.beginRun(Array("one more".utf8)) }
        #expect(fault?.description(line: 7) == "line 7: the observation has more than 4096 runs")
    }

    @Test func `an anchor has at most 1 MiB`() async throws {
        for (size, expected) in [(1 << 20, nil), (1 << 20 + 1, "line 4: /anchor_after: longer than 1048576 bytes")]
            as [(Int, String?)]
        {
            let anchor = Data(repeating: 7, count: size).base64EncodedString()
            var lines = Feeds.feed([]).split(separator: 0x0A).map(Array.init)
            lines.remove(at: 3)
            lines[3] = Array(
                #"{"kind":"run_end","sample_type":"T","status":"completed","anchor_after":"\#(anchor)"}"#.utf8)
            #expect(try await error(Array(lines.joined(separator: [0x0A])) + [0x0A]) == expected)
        }
    }

    @Test func `metadata of up to 10 MB is read`() async throws {
        for metadata in [
            "{\"a\":\"\(String(repeating: "é", count: 5 << 20))\"}",
            "{\"a\":[\(String(repeating: "0,", count: 100_000))0]}",
            "{\"a\":1\(String(repeating: " ", count: 100_000))}",
            "{\((0..<20_000).map { "\"key \($0)\":\($0)" }.joined(separator: ","))}",
        ] {
            #expect(try await error(Feeds.feed([Feeds.sample("\"metadata\":\(metadata)")])) == nil)
        }
        let deep = "{\"a\":\(String(repeating: "[", count: 1 << 20))"
        #expect(
            try await error(Feeds.feed([Feeds.sample("\"metadata\":\(deep)")]))?.hasPrefix(
                "line 4: /metadata: depth at byte ") == true)
    }

    @Test func `numbers of 100,000 digits are read`() async throws {
        let path = try folder.write(
            Feeds.feed([
                Feeds.sample("\"numeric_value\":0.\(String(repeating: "3", count: 100_000))"),
                Feeds.sample("\"numeric_value\":\(String(repeating: "9", count: 100_000))"),
            ]), as: "feed")
        let page = try #require(try await Feeds.pages(of: path, secret: secret).first)
        // No double keeps the one, and no double is as large as the other.
        #expect(page.samples.isEmpty)
        #expect(page.rejections.map(\.reason) == ["bad_number", "bad_number"])
    }
}
