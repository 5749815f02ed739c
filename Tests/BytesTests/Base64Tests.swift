import Testing

import Bytes

@Suite struct `Base64 of RFC 4648` {
    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ])
    func `the vectors of the RFC`(text: String, bytes: String) {
        #expect(Base64.bytes(of: Array(text.utf8)) == Array(bytes.utf8))
        #expect(Base64.text(of: Array(bytes.utf8)) == text)
    }

    @Test func `all 65,536 pairs of bytes`() {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for pair in 0..<65_536 {
            let text = [digits[pair >> 10], digits[pair >> 4 & 63], digits[pair << 2 & 63], 0x3D]
            #expect(Base64.bytes(of: text) == [UInt8(pair >> 8), UInt8(pair & 255)])
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "=", "==", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9",
        "Zm-_", "Zm9v=", "=m9v",
    ])
    func `anything else is refused`(text: String) { #expect(Base64.bytes(of: Array(text.utf8)) == nil) }
}
