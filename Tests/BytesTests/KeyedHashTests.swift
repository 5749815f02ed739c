import Testing

import Bytes

@Suite struct `The hash of sums` {
    /// What `openssl mac -macopt size:16 -macopt c-rounds:1 -macopt d-rounds:3 SIPHASH` gives under the key 00 01 … 0f,
    /// of the bytes 00, 01, … below a count.
    @Test(
        arguments: [
            (0, "e77ebcb22788a5befd62db6add303001"), (1, "fc6f370460d3eda85e0573cc2b2ff063"),
            (2, "75787f090569839b855bc9548c6aea95"), (3, "6bc5ccfa1edcf79f4823187712ebd743"),
            (4, "0c784e71ac2b285a9f8e92e78fbf2c25"), (5, "f328db89345b620c795229a42695843e"),
            (6, "dcd03d29f743e7100951b0e83985a6f8"), (7, "1084b923f2aae0c3a62f2ec80848ab77"),
            (8, "aa12fee1d5e3dab4724f16ab35f9c799"), (9, "81ddb8042cf33994f4720e0094137c42"),
            (10, "4faa541d5d498e89ba0ea4c387b22fb4"), (11, "723b9af3554491dbb1d6633dfc6e0c4e"),
            (12, "e53f92859e4819a8dc0695739fea8c65"), (13, "b2f858c7c9ea801d53d603596d657844"),
            (14, "87e76268dbc9227226b0ca665f64e378"), (15, "c17e5505b2bd526c2921cdec1e7e0109"),
            (16, "d0a8d95715518eebb513b0f83d9e1793"), (17, "234126f93fbb668d975112e8febdf7ec"),
            (33, "c5f57bae1320fcf4b4e868e71d56c66b"), (63, "4c5800e34efe426f079f6b0aa75260ad"),
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
