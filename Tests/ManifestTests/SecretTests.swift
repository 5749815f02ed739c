import Testing

@testable import Manifest

private func secret(_ content: [UInt8]) -> Secret {
    var content = content
    return Secret(taking: 0..<content.count, of: &content)
}

/// Values that `openssl kdf` and `openssl enc -id-aes256-wrap` give, and those of the standards.
@Suite struct `Secrets` {
    @Test func `a secret takes its bytes out of the buffer`() {
        var buffer = bytes("correct horse")
        let taken = Secret(taking: 0..<7, of: &buffer)
        #expect(taken.equals(bytes("correct")))
        #expect(buffer == [UInt8](repeating: 0, count: 13))
    }

    @Test func `PBKDF2 twice gives the key of a backup`() throws {
        let first = try #require(
            secret(bytes("correct horse"))
                .derivedKey(
                    .sha256, salt: bytes(hex: "9648f7ea878ead1490d2dcbb8c875b6841130fc7"), iterations: 1000))
        #expect(first.equals(bytes(hex: "31b97d0f42526254aa6d80d95ede58b3f39cf35c382b5167c9e3d34ae9208356")))
        let second = try #require(
            first.derivedKey(.sha1, salt: bytes(hex: "c63f9add0155a70b22435958b03be63474cd0788"), iterations: 1000))
        #expect(second.equals(bytes(hex: "e3f12e55d1498536f43d97041c8874d3e9fd105e9dfa56fda07f8769e9a3f8e8")))
        #expect(first.derivedKey(.sha1, salt: [1], iterations: 0) == nil)
        #expect(first.derivedKey(.sha1, salt: [1], iterations: .max) == nil)
    }

    @Test func `a class key and a file key are unwrapped`() throws {
        let key = secret(bytes(hex: "e3f12e55d1498536f43d97041c8874d3e9fd105e9dfa56fda07f8769e9a3f8e8"))
        var wrapped = bytes(hex: "8ddfed37e5cb0465789f7c4ff96a75a8275ecd7e4f034c997cf3549dbea3c022a58eb026c90ee356")
        let classKey = try #require(key.unwrappedKey(wrapped))
        #expect(classKey.equals(bytes(hex: "250e11d54980e993d57b7ee7992010c16ddba6f921008ac7d79c876318331fdc")))
        let file = bytes(hex: "0f66f0f12b2e99974772b937baeefce2e282f91a86916deeb0611c135a39c623f08027cef88b53db")
        let fileKey = try #require(classKey.unwrappedKey(file))
        #expect(fileKey.equals(bytes(hex: "3d818bf9beee86fa3d028df335399944b740b405876caa1257e883f1c3b33bf2")))
        wrapped[39] ^= 1
        #expect(key.unwrappedKey(wrapped) == nil)
        #expect(key.unwrappedKey(Array(wrapped.dropLast())) == nil)
    }

    /// RFC 3394, 4.6.
    @Test func `the vector of the standard is unwrapped`() throws {
        let key = secret(Array(0...31))
        let wrapped = bytes(hex: "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21")
        let unwrapped = try #require(key.unwrappedKey(wrapped))
        #expect(unwrapped.equals(bytes(hex: "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")))
    }

    @Test func `any block is decrypted after the one before it`() throws {
        let key = secret(bytes(hex: "3d818bf9beee86fa3d028df335399944b740b405876caa1257e883f1c3b33bf2"))
        guard var cipher = key.blockDecryption() else { fatalError("a key of 32 bytes") }
        let encrypted = bytes(hex: "209402fde56d079dbb3cd53a652d2dfbbbf5ea84aba25654ebbf95c2a9e4d054")
        let plain = bytes("SQLite format 3\0") + [UInt8](repeating: 16, count: 16)
        var all = encrypted
        #expect(cipher.decrypt(&all, count: 32, after: [UInt8](repeating: 0, count: 16)))
        #expect(all == plain)
        var second = Array(encrypted[16...])
        #expect(cipher.decrypt(&second, count: 16, after: Array(encrypted[..<16])))
        #expect(second == Array(plain[16...]))
        var empty = bytes(hex: "1eff4fed2dcac3a177f68d5b1eb6acfa")
        #expect(cipher.decrypt(&empty, count: 16, after: [UInt8](repeating: 0, count: 16)))
        #expect(empty == [UInt8](repeating: 16, count: 16))
    }
}
