import Archive
import Codes
import Files
import Manifest
import Signatures

/// A file that somebody sends with an export: a signature, allowed signers, a time stamp, entries of a history.
enum SignatureTarget {
    private static let file = InputFile("entries")

    /// The statement, the key and the signature of `known` in `Spec/vectors/signatures.json`.
    private static let statement = SignedStatement(
        kind: "recovery_bundle", exportID: "feb86f8e-e750-8e2a-aaf1-5ac8ef7ad62d", itemCount: 1,
        manifestHash: "92a812ad1bafaee25d3125863f6dc44248f73372caef55818cdf465406a7a504")
    private static let key = "AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
    private static let signature = """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg11qYAYKxCrfVS/7TyWQHOg7hcv
        PapiMlrwIaaPcHURoAAAASaGVhbHRocHJvYmUtZXhwb3J0AAAAAAAAAAZzaGE1MTIAAABT
        AAAAC3NzaC1lZDI1NTE5AAAAQI5PSWAlNPkHPMg0sL1pDyIqrFlTsNQVFVK7WwxZ4LId95
        GoCH+Izh/S61EAvf9sgbxxEM3Rovk/z8vYxWVrJg4=
        -----END SSH SIGNATURE-----

        """

    /// A certificate whose key nobody has.
    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBejCCAR+gAwIBAgIUbr2dGbVhlNZy0ApVrxFqzRXpR2YwCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGbm9ib2R5MCAXDTI2MTEyODE2MjE0MFoYDzIxMjYxMTA0MTYy
        MTQwWjARMQ8wDQYDVQQDDAZub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AASaIfQgbgl2NQEYLyOoD5sj/YbfErVvCUhRNOdbgG5HslB/uavFCqlQB+dNEInb
        8WmksQGnzaRfKkEX5GypGp6no1MwUTAdBgNVHQ4EFgQUWKQz39SlTDgowKOmQxet
        nAHOUNQwHwYDVR0jBBgwFoAUWKQz39SlTDgowKOmQxetnAHOUNQwDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAw0saN7GobmTdNw3spg5Q0bf+d0Ny
        j6AY0lL2IRiH6RUCIQCjpwojplltyd5YOEjJqypESxXrHBiSf6JbCmoHzaRzmw==
        -----END CERTIFICATE-----
        """

    static func check(_ bytes: [UInt8]) {
        checkSignature(bytes)
        checkSigners(bytes)
        requireSame(stamp(bytes), stamp(bytes), "a time stamp says the same twice")
        require(!stamp(bytes).contains("good"), "nobody can stamp for this authority")
        checkEntries(bytes)
    }

    /// Only the one signature of the key is good, however its armor is cut into lines.
    private static func checkSignature(_ bytes: [UInt8]) {
        let code = answer(bytes, signers: Array("ada ssh-ed25519 \(key)\n".utf8))
        guard code == "good" else { return }
        let line = UInt8(ascii: "\n")
        require(
            bytes.filter { $0 != line } == Array(signature.utf8).filter { $0 != line },
            "only one signature is good")
    }

    /// A key counts only if the file has it.
    private static func checkSigners(_ bytes: [UInt8]) {
        let code = answer(Array(signature.utf8), signers: bytes)
        require(code == answer(Array(signature.utf8), signers: bytes), "signers say the same twice")
        guard code == "good" else { return }
        let text = Array(key.utf8)
        require(
            bytes.indices.contains { bytes[$0...].starts(with: text) }, "the key is one of the allowed signers")
    }

    private static func answer(_ signature: [UInt8], signers: [UInt8]) -> String {
        do throws(SignatureError) {
            let check = try SignatureCheck(allowedSigners: signers, identity: nil, now: 1_800_000_000)
            return try check.answer(to: signature, of: statement).code?.rawValue ?? "good"
        } catch {
            return "\(error)"
        }
    }

    private static func stamp(_ bytes: [UInt8]) -> [String] {
        do throws(TimeStamp.Fault) {
            return ["good", try TimeStamp(bytes, of: Array(signature.utf8), authorities: Array(authority.utf8)).text]
        } catch {
            return ["\(error)"]
        }
    }

    /// Entries cannot lead from one made-up link to another.
    private static func checkEntries(_ bytes: [UInt8]) {
        func head(_ length: Int) -> CarriedHead {
            let digits = String(repeating: "\(length)", count: 64)
            let text = "archive \(String(repeating: "a", count: 64))\nlength \(length)\nlink \(digits)\n"
            return CarriedHead(HistoryHead(Array(text.utf8))!, observationID: nil)
        }
        file.write(bytes)
        var run = HistoryRun(from: head(1), to: head(2))
        guard let descriptor = try? Descriptor.reading(file.path), (try? run.read(descriptor)) != nil else { return }
        require(run.result != nil, "no entries lead from one made-up link to another")
    }
}
