import Scratch
import Testing

@testable import Manifest

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Bytes from hex digits; blanks are skipped.
func bytes(hex text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func readDigest(_ hex: String) -> Digest? {
    let digits = bytes(hex)
    return Digest(hex: digits.span)
}

@Suite struct `SHA-256` {
    // FIPS 180-4 examples as NIST publishes them (Cryptographic Standards and Guidelines, Examples with
    // Intermediate Values), and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `an example of the standard has its digest, in one piece and in many`(message: String, digest: String) {
        let message = bytes(message)
        #expect(SHA256.digest(of: message.span).hex == digest)
        for step in [1, 63, 64, 65, 1000] where message.count / step < 20_000 {
            var hash = SHA256()
            for start in stride(from: 0, to: message.count, by: step) {
                hash.update(message[start..<min(start + step, message.count)].span)
            }
            #expect(hash.finish().hex == digest)
        }
    }

    @Test func `a hash starts anew when it is finished or told to`() {
        let abc = bytes("abc"), other = bytes("other")
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        var hash = SHA256()
        hash.update(other.span)
        _ = hash.finish()
        hash.update(abc.span)
        #expect(hash.finish().hex == expected)
        hash.update(other.span)
        hash.restart()
        hash.update(abc.span)
        #expect(hash.finish().hex == expected)
    }
}

/// A case of RFC 4231, section 4.
struct CodeCase: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: [UInt8]
    let data: [UInt8]
    let code: String

    var testDescription: String { "test case \(number)" }

    static let all = [
        CodeCase(
            number: 1, key: [UInt8](repeating: 0x0B, count: 20), data: bytes("Hi There"),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        CodeCase(
            number: 2, key: bytes("Jefe"), data: bytes("what do ya want for nothing?"),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        CodeCase(
            number: 3, key: [UInt8](repeating: 0xAA, count: 20), data: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        CodeCase(
            number: 4, key: Array(1...25), data: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        CodeCase(
            number: 6, key: [UInt8](repeating: 0xAA, count: 131),
            data: bytes("Test Using Larger Than Block-Size Key - Hash Key First"),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        CodeCase(
            number: 7, key: [UInt8](repeating: 0xAA, count: 131),
            data: bytes(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]
}

@Suite struct `HMAC-SHA256` {
    @Test(arguments: CodeCase.all)
    func `a case of RFC 4231 has its code`(example: CodeCase) {
        #expect(HMACSHA256.code(of: example.data.span, key: example.key.span).hex == example.code)
    }

    @Test func `truncated to 16 bytes, case 5 of RFC 4231 has its code`() {
        let code = HMACSHA256.code(
            of: bytes("Test With Truncation").span, key: [UInt8](repeating: 0x0C, count: 20).span)
        #expect(code.hex.hasPrefix("a3b6167473100ee06e0c796c2955552b"))
    }

    @Test func `an empty key and an empty message are allowed`() {
        // python3 -c 'import hmac; print(hmac.new(b"", b"", "sha256").hexdigest())'
        #expect(
            HMACSHA256.code(of: Span(), key: Span()).hex
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}

@Suite struct `Digests as hex` {
    private static let text = "00ff10ef0123456789abcdef7f80feedfacecafebeef00000000000000000001"

    @Test func `hex is read and written back`() throws {
        let digest = try #require(readDigest(Self.text))
        #expect(digest.hex == Self.text)
        #expect((0..<32).map { digest[$0] } == bytes(hex: Self.text))
        #expect(Digest(bytes: bytes(hex: Self.text).span) == digest)
        var appended = bytes("x")
        digest.appendHex(to: &appended)
        #expect(appended == bytes("x" + Self.text))
    }

    private static let shorter = String(text.dropLast())

    @Test(arguments: ["", shorter, text + "0", text.uppercased()] as [String])
    func `63 or 65 digits and upper case are refused`(text: String) { #expect(readDigest(text) == nil) }

    @Test(arguments: ["F", "g", " ", "/", ":", "`", "\u{0}", "\n"])
    func `anything beside a digit or a lower-case letter to f is refused`(character: String) {
        #expect(readDigest(Self.shorter + character) == nil)
        #expect(readDigest(character + Self.shorter) == nil)
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `a digest has 32 bytes`(count: Int) { #expect(Digest(bytes: [UInt8](repeating: 0, count: count).span) == nil) }

    @Test func `digests that differ in one bit anywhere are different`() throws {
        let original = bytes(hex: Self.text)
        let digest = try #require(readDigest(Self.text))
        for bit in 0..<256 {
            var changed = original
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Digest(bytes: changed.span) != digest)
        }
    }
}

/// A line of `Fixtures/hashes/cases.txt`.
struct HashCase: Sendable, CustomTestStringConvertible {
    let result: String
    let parts: [String]

    var testDescription: String { parts[0] }

    static func all(_ kind: String) -> [HashCase] {
        Fixture.lines("hashes/cases.txt").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        .filter { $0[0] == kind }.map { HashCase(result: $0[1], parts: Array($0[2...])) }
    }
}

@Suite struct `Hashes of exports` {
    @Test func `item hashes are those of the table, with one hasher for all`() {
        var hasher = ItemHasher()
        for _ in 0..<2 {
            for example in HashCase.all("item") {
                #expect(hasher.hash(ofItem: bytes(example.parts[0]).span).hex == example.result)
            }
        }
    }

    @Test(arguments: HashCase.all("export_id"))
    func `an export id is the one of the table`(example: HashCase) {
        #expect(ExportID.text(forHeader: bytes(example.parts[0]).span) == example.result)
    }

    @Test(arguments: HashCase.all("manifest"), [1, 2, 3, 1000])
    func `a manifest hash does not depend on the pieces in which hashes come`(example: HashCase, piece: Int) throws {
        let hashes = try example.parts[2].split(separator: " ").map { try #require(readDigest(String($0))) }
        var hasher = ManifestHasher(export: bytes(example.parts[0]).span)
        hasher.add(quotedHashes: Span())
        for start in stride(from: 0, to: hashes.count, by: piece) {
            var text: [UInt8] = []
            for hash in hashes[start..<min(start + piece, hashes.count)] {
                ManifestHasher.appendQuoted(hash, to: &text)
            }
            hasher.add(quotedHashes: text.span)
            hasher.add(quotedHashes: Span())
        }
        #expect(hasher.finish(totals: bytes(example.parts[1]).span).hex == example.result)
    }
}
