import Testing

import Bytes

@Suite struct `The hash of sums` {
    /// What `openssl mac -macopt size:16 SIPHASH` gives under the key 00 01 … 0f, of the bytes 00, 01, … below a count.
    @Test(
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
            (2, "8177228da4a45dc7fca38bdef60affe4"), (3, "9c70b60c5267a94e5f33b6b02985ed51"),
            (4, "f88164c12d9c8faf7d0f6e7c7bcd5579"), (5, "1368875980776f8854527a07690e9627"),
            (6, "14eeca338b208613485ea0308fd7a15e"), (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
            (8, "3b62a9ba6258f5610f83e264f31497b4"), (9, "264499060ad9baabc47f8b02bb6d71ed"),
            (10, "00110dc378146956c95447d3f3d0fbba"), (11, "0151c568386b6677a2b4dc6f81e5dc18"),
            (12, "d626b266905ef35882634df68532c125"), (13, "9869e247e9c08b10d029934fc4b952f7"),
            (14, "31fcefac66d7de9c7ec7485fe4494902"), (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
            (16, "6ee2a4ca67b054bbfd3315bf85230577"), (17, "473d06e8738db89854c066c47ae47740"),
            (33, "77c6077146f01c32b6b69d5f4ea9ffcf"), (63, "5150d1772f50834a503e069a973fbd7c"),
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
