import Bytes
import Foundation
import Scratch
import Testing

@testable import CanonicalJSON

@Suite struct `Numbers in ECMAScript text` {
    /// How many lines of the ECMAScript number test have which SHA-256, as published with the test.
    static let published = [
        1_000: "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
        10_000: "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
        100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
        1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
        10_000_000: "b9f8a44a91d46813b21b9602e72f112613c91408db0b8341fb94603d9db135e0",
    ]

    @Test func `the lines of the ECMAScript number test have the published hashes`() throws {
        let last = ProcessInfo.processInfo.environment["HP_NUMBERS"].flatMap { Int($0) } ?? 100_000
        var lines = NumberTestLines(staticPatterns: try staticPatterns())
        var hash = SHA256Reference()
        var count = 0
        while count < last {
            hash.update(lines.next(1_000))
            count += 1_000
            if let expected = Self.published[count] {
                var copy = hash
                #expect(copy.finish().hex == expected, "\(count) lines")
            }
        }
    }

    @Test func `the samples of RFC 8785, appendix B, have their text and are read back`() throws {
        for line in try Fixtures.lines("appendix-b.txt") {
            let fields = line.split(separator: " ")
            let bits = try #require(UInt64(fields[0], radix: 16))
            let value = Double(bitPattern: bits)
            let text = Array(fields[1].utf8)
            #expect(numberText(value) == text)
            #expect(isCanonical(text))
            #expect(double(text) == value)
        }
    }

    @Test func `every pattern of the number test is canonical for the reader, which knows nothing of the writer`()
        throws
    {
        for bits in try staticPatterns() {
            #expect(isCanonical(numberText(Double(bitPattern: bits))), "\(bits)")
        }
    }

    @Test func `the neighbours of a double's text are not canonical`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<3_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let text = numberText(value)
            let other = Int.random(in: text.indices, using: &random)
            guard text[other].isDigit else { continue }
            var changed = text
            changed[other] = 0x30 + (text[other] - 0x30 + 1 + UInt8(random.next() % 9)) % 10
            guard isCanonical(changed) else { continue }
            #expect(numberText(double(changed)) == changed, "\(random)")
        }
    }

    @Test func `negative zero is written as zero`() {
        #expect(numberText(-0.0) == Array("0".utf8))
    }

    @Test(arguments: [0, 1, -1, 9, 10, 99, -100, 9_007_199_254_740_991, -9_007_199_254_740_991] as [Int64])
    func `an integer is written in decimal and read back`(value: Int64) {
        var writer = Writer()
        writer.integer(value)
        let text = writer.bytes
        #expect(text == Array(value.description.utf8))
        #expect(integer(text) == value)
        #expect(numberText(Double(value)) == text)
    }

    @Test func `a decimal of up to 15 digits comes back as it is`() throws {
        var random = SeededGenerator()
        for _ in 0..<200_000 {
            let places = Int(random.next() % 9) + 1
            let digits = Int(random.next() % UInt64(16 - places)) + places
            var text = String(random.next() % UInt64(pow(10, Double(digits))))
            while text.utf8.count <= places { text = "0" + text }
            guard text.last != "0" else { continue }
            text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
            // Below 10^-6 ECMAScript writes an exponent.
            guard let value = Double(text), value >= 1e-6 else { continue }
            #expect(numberText(value) == Array(text.utf8), "\(random)")
            #expect(numberText(-value) == Array(("-" + text).utf8), "\(random)")
        }
    }

    /// Around the 15 digits up to which a quotient of whole numbers is exact, against the standard library's own reading.
    @Test(arguments: 13...18)
    func `a decimal is read as the nearest double`(digits: Int) throws {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2_000 {
            var text = String((0..<digits).map { _ in Character(String(random.next() % 10)) })
            let places = Int(random.next() % UInt64(digits))
            text.insert(".", at: text.index(text.startIndex, offsetBy: digits - places))
            if text.hasSuffix(".") { text.removeLast() }
            if random.next() % 2 == 0 { text = "-" + text }
            let expected = try #require(Double(text))
            #expect(double(Array(text.utf8)).bitPattern == expected.bitPattern, "\(text)")
        }
    }

    private func staticPatterns() throws -> [UInt64] {
        try Fixtures.lines("number-bits.txt").flatMap { $0.split(separator: " ") }.map {
            try #require(UInt64($0, radix: 16))
        }
    }

    private func numberText(_ value: Double) -> [UInt8] {
        var text = ByteBuffer()
        NumberText.append(value, to: &text)
        return text.array
    }
}

/// The lines of the ECMAScript number test: bits, comma, text, LF.
///
/// First come the static patterns, then 2,000 patterns in a row, then those cut from a chain of hashes.
private struct NumberTestLines {
    private var early: [UInt64]
    private var position = 0
    private var digest = [UInt8](repeating: 0, count: 32)
    private var pending: [UInt64] = []

    init(staticPatterns: [UInt64]) {
        early = staticPatterns + (0..<2_000).map { 0x0010_0000_0000_0000 + $0 }
    }

    mutating func next(_ count: Int) -> [UInt8] {
        var text = ByteBuffer()
        for _ in 0..<count {
            let bits = nextBits()
            Self.appendHex(bits, to: &text)
            text.append(0x2C)
            NumberText.append(Double(bitPattern: bits), to: &text)
            text.append(0x0A)
        }
        return text.array
    }

    private mutating func nextBits() -> UInt64 {
        if position < early.count {
            position += 1
            return early[position - 1]
        }
        while true {
            if pending.isEmpty { refill() }
            let bits = pending.removeLast()
            let value = Double(bitPattern: bits)
            if value.isFinite, value != 0 { return bits }
        }
    }

    private mutating func refill() {
        digest = sha256(digest)
        for start in [24, 16, 8, 0] {
            var bits: UInt64 = 0
            for at in (start..<start + 8).reversed() { bits = bits << 8 | UInt64(digest[at]) }
            pending.append(bits)
        }
    }

    /// Without leading zeros.
    private static func appendHex(_ bits: UInt64, to text: inout ByteBuffer) {
        var shift = max(0, (63 - bits.leadingZeroBitCount) & ~3)
        while shift >= 0 {
            text.append(digit: UInt8(truncatingIfNeeded: bits >> UInt64(shift) & 0xF))
            shift -= 4
        }
    }
}
