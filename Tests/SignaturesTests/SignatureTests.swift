import Bytes
import Codes
import Signatures
import Testing

@Suite struct `A signature that OpenSSH made` {
    /// What ssh-keygen 9.2 made with the key of RFC 8032, 7.1, test 1.
    private let armor = """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg11qYAYKxCrfVS/7TyWQHOg7hcv
        PapiMlrwIaaPcHURoAAAASaGVhbHRocHJvYmUtZXhwb3J0AAAAAAAAAAZzaGE1MTIAAABT
        AAAAC3NzaC1lZDI1NTE5AAAAQI5PSWAlNPkHPMg0sL1pDyIqrFlTsNQVFVK7WwxZ4LId95
        GoCH+Izh/S61EAvf9sgbxxEM3Rovk/z8vYxWVrJg4=
        -----END SSH SIGNATURE-----

        """
    private let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
    private let statement = SignedStatement(
        kind: "recovery_bundle", exportID: "feb86f8e-e750-8e2a-aaf1-5ac8ef7ad62d", itemCount: 1,
        manifestHash: "92a812ad1bafaee25d3125863f6dc44248f73372caef55818cdf465406a7a504")

    private func check(options: String = "", identity: String? = nil, now: Int64 = 0) throws -> SignatureCheck {
        let signers = Array("ada@example.org \(options) \(key)\n".utf8)
        return try SignatureCheck(allowedSigners: signers, identity: identity.map { Array($0.utf8) }, now: now)
    }

    @Test func `it is one of the statement`() throws {
        #expect(statement.text.utf8.count == 168)
        let answer = try check().answer(to: Array(armor.utf8), of: statement)
        #expect(answer.code == nil)
        #expect(answer.principals == Array("ada@example.org".utf8))
        #expect(answer.fingerprint == "SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8")
    }

    @Test func `no other bit of it is accepted`() throws {
        let check = try check()
        let lines = armor.split(separator: "\n")
        let blob = Base64.bytes(of: Array(lines[1..<5].joined().utf8))!
        for bit in 0..<8 * blob.count {
            var changed = blob
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let text = "\(lines[0])\n\(Base64.text(of: changed))\n\(lines[5])\n"
            // What is thrown is not accepted either.
            let code = try? check.answer(to: Array(text.utf8), of: statement).code ?? .lineKind
            #expect(code != .lineKind, "bit \(bit)")
        }
    }

    @Test func `no cut of it is read`() throws {
        let check = try check()
        for count in 0..<armor.utf8.count - 1 {
            #expect(throws: SignatureError.self) {
                try check.answer(to: Array(armor.utf8.prefix(count)), of: statement)
            }
        }
    }

    /// 2001-01-01 is 978,307,200, and 2001-01-02 a day later.
    @Test(
        arguments: [
            (978_307_199, Code.signatureExpired), (978_307_200, nil), (978_393_600, nil),
            (978_393_601, .signatureExpired),
        ] as [(Int64, Code?)])
    func `a validity period includes its ends`(now: Int64, code: Code?) throws {
        let check = try check(options: "valid-after=\"20010101Z\",valid-before=\"200101020000Z\"", now: now)
        #expect(try check.answer(to: Array(armor.utf8), of: statement).code == code)
    }

    @Test func `a long pattern takes no long time`() throws {
        let stars = String(repeating: "*a", count: 5000) + "b"
        let check = try SignatureCheck(
            allowedSigners: Array("\(stars) \(key)\n".utf8), identity: Array(repeating: UInt8(ascii: "a"), count: 5000),
            now: 0)
        #expect(try check.answer(to: Array(armor.utf8), of: statement).code == .signatureIdentity)
    }
}
