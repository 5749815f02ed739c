import Testing

@testable import Bytes

@Suite struct `A buffer of bytes` {
    @Test func `holds what an array holds after the same appends`() {
        var buffer = ByteBuffer()
        var array: [UInt8] = []
        for round in 0..<2000 {
            let piece = (0..<round % 41).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ round) }
            switch round % 7 {
            case 0:
                buffer.append(UInt8(truncatingIfNeeded: round))
                array.append(UInt8(truncatingIfNeeded: round))
            case 1:
                buffer.append(lowBytesOf: 0x0807_0605_0403_0201, count: round % 9)
                array += (1...8).prefix(round % 9)
            case 2:
                buffer.append(bigEndian: 0x0102_0304_0506_0708, count: round % 8 + 1)
                array += (1...8).suffix(round % 8 + 1)
            case 3 where array.count > 5:
                buffer.removeLast(5)
                array.removeLast(5)
            default:
                buffer.append(copying: piece.span)
                array += piece
            }
            if round == 1500 {
                buffer.removeAll()
                array.removeAll()
            }
        }
        #expect(buffer.array == array)
        #expect(buffer.count == array.count)
    }

    @Test func `copies the first bytes of a longer or shorter text`() {
        var buffer = ByteBuffer()
        var array: [UInt8] = []
        for length in 0..<80 {
            let source = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ length) }
            for count in 0...length {
                buffer.append(first: count, of: source.span)
                array += source.prefix(count)
            }
        }
        #expect(buffer.array == array)
    }

    @Test func `writes the digits of bytes`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            var buffer = ByteBuffer()
            buffer.append(digitsOf: bytes.span)
            #expect(buffer.array == bytes.flatMap { Array((($0 < 16 ? "0" : "") + String($0, radix: 16)).utf8) })
        }
        var all = ByteBuffer()
        let bytes = (0...255).map { UInt8($0) }
        all.append(digitsOf: bytes.span)
        #expect(all.array == bytes.flatMap { Array((($0 < 16 ? "0" : "") + String($0, radix: 16)).utf8) })
    }

    @Test func `reads the 64 digits of a digest and nothing else`() {
        let digits = Array("0123456789abcdef".utf8)
        for place in 0..<64 {
            for byte in UInt8.min...UInt8.max {
                var text = (0..<64).map { digits[($0 * 7 + place) & 15] }
                text[place] = byte
                var buffer = ByteBuffer()
                buffer.append(0x21)
                let isRead = buffer.append(digest: text.span)
                let expected =
                    digits.contains(byte)
                    ? stride(from: 0, to: 64, by: 2).map {
                        UInt8(String(decoding: text[$0...$0 + 1], as: UTF8.self), radix: 16)!
                    } : []
                #expect(isRead == digits.contains(byte))
                #expect(buffer.array == [0x21] + expected)
            }
        }
        var buffer = ByteBuffer()
        for count in [0, 1, 63, 65, 128] {
            let isRead = buffer.append(digest: [UInt8](repeating: 0x30, count: count).span)
            #expect(!isRead)
        }
        #expect(buffer.count == 0)
    }
}

@Suite struct `Comparing bytes` {
    @Test func `goes by the first byte that differs, then by length`() {
        let texts: [[UInt8]] = [[], [0], [0, 0], [0, 255], [1], [127], [128], [128, 0], [255], [255, 255]]
        for (leftPlace, left) in texts.enumerated() {
            for (rightPlace, right) in texts.enumerated() {
                #expect(
                    left.span.compared(with: right.span).signum() == (leftPlace - rightPlace).signum(),
                    "\(left) \(right)")
                #expect(left.span.isSame(as: right.span) == (left == right))
            }
        }
    }
}
