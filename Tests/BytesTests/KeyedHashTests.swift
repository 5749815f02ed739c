import Testing

import Bytes

@Suite struct `The hash of sums` {
    /// What `openssl mac -macopt size:16 SIPHASH` gives under the key 00 01 … 0f, of the bytes 00, 01, … below a count.
    @Test(
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
            (8, "3b62a9ba6258f5610f83e264f31497b4"), (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
            (16, "6ee2a4ca67b054bbfd3315bf85230577"), (33, "77c6077146f01c32b6b69d5f4ea9ffcf"),
        ])
    func `is SipHash with 128 bits`(count: Int, digits: String) {
        let hash = KeyedHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        let bytes = (0..<count).map { UInt8($0) }
        var rest = hash.hash(bytes.span)
        var text = ""
        for _ in 0..<16 {
            let byte = UInt8(truncatingIfNeeded: rest)
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            rest >>= 8
        }
        #expect(text == digits)
    }

    @Test func `has another key in each run`() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(KeyedHash().hash(bytes.span) != KeyedHash().hash(bytes.span))
    }
}
