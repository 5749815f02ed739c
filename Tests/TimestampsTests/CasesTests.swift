import Scratch
import Testing

@testable import Timestamps

/// A stored double with the text that it has.
struct TimestampCase: Sendable, CustomTestStringConvertible {
    let seconds: Double
    let text: String?

    var testDescription: String { "\(seconds)" }

    init(_ line: String) {
        let parts = line.split(separator: " ")
        seconds = Double(bitPattern: UInt64(parts[0], radix: 16)!)
        text = parts[1] == "none" ? nil : String(parts[1])
    }

    static let all = Fixture.lines("timestamps/cases.txt").map(TimestampCase.init)
}

func written(_ seconds: Double) -> String? { (try? TimestampText(seconds))?.string }

func read(_ text: String) -> Moment? { TimestampReader.moment(in: Array(text.utf8).span) }

@Suite struct `Timestamps of the table` {
    @Test func `the table is as long as it was meant to be`() {
        #expect(TimestampCase.all.count >= 2000)
        #expect(TimestampCase.all.count { $0.text == nil } > 100)
    }

    // One test over the whole table: thousands of arguments would be thousands of lines in the log.
    @Test func `the writer gives each double its text, or none`() {
        for example in TimestampCase.all {
            #expect(written(example.seconds) == example.text, "\(String(example.seconds.bitPattern, radix: 16))")
        }
    }

    @Test func `the reader accepts the text and gives the double back bit for bit`() {
        for example in TimestampCase.all {
            guard let text = example.text else { continue }
            #expect(read(text)?.unixSeconds.bitPattern == example.seconds.bitPattern, "\(text)")
        }
    }

    @Test func `the writer's bytes beyond the text are zero`() throws {
        for example in TimestampCase.all {
            guard example.text != nil else { continue }
            let text = try TimestampText(example.seconds)
            #expect((24...30).contains(text.count))
            #expect((text.count..<32).allSatisfy { text.bytes[$0] == 0 })
        }
    }

    @Test func `moments compare like the doubles that they stand for`() {
        let sorted = TimestampCase.all.filter { $0.text != nil }.sorted { $0.seconds < $1.seconds }
        for (one, next) in zip(sorted, sorted.dropFirst()) {
            guard let left = read(one.text ?? ""), let right = read(next.text ?? "") else { continue }
            #expect(left < right, "\(one.text ?? "") \(next.text ?? "")")
        }
    }

    /// No timestamp has so many seconds. Halfway, by hand: at 2^44 s a double's unit is 1/256 s, and these are 1/512 and
    /// 3/512 s behind an even number of units, and 1/512 s behind the next whole second.
    @Test(
        arguments: [
            (0x1000_0000_0000, 1_953_125, 17_592_186_044_416.0),
            (0x1000_0000_0000, 5_859_375, 17_592_186_044_416.0078125),
            (0x1000_0000_0001, 1_953_125, 17_592_186_044_417.0),
        ] as [(Int64, UInt32, Double)])
    func `halfway between two doubles is the one with an even number of units`(
        seconds: Int64, nanoseconds: UInt32, expected: Double
    ) {
        #expect(Moment(seconds: seconds, nanoseconds: nanoseconds).unixSeconds == expected)
    }

    @Test func `a respelling is read only where it is the canonical text of a double of its own`() {
        for line in Fixture.lines("timestamps/respellings.txt") {
            let parts = line.split(separator: " ")
            let expected = parts[1] == "none" ? nil : UInt64(parts[1], radix: 16)
            #expect(read(String(parts[0]))?.unixSeconds.bitPattern == expected, "\(parts[0])")
        }
    }

    @Test func `a negative zero has no text, since none gives it back`() {
        #expect(written(-0.0) == nil)
    }
}
