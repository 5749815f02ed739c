import CanonicalJSON
import Codes
import Files
import Manifest
import Signatures
import Tool
import Verification

/// The question of who signed a file, as the options put it.
struct SignatureQuestion: Sendable {
    static let options =
        [
            Tool.Option(
                "--allowed-signers", .file(),
                "check the signature FILE.sig with the keys of this file (ssh-keygen(1), ALLOWED SIGNERS)"),
            Tool.Option("--signature", .file(), "the signature, if it is not FILE.sig"),
            Tool.Option("--timestamp", .file(), "the time stamp of the signature, if it is not FILE.tsr"),
        ] + shared
    /// Those that commands of several files have.
    static let shared = [
        Tool.Option("--identity", .text("NAME"), "accept only a key that the allowed signers file gives this name"),
        Tool.Option(
            "--tsa-ca", .file("CA"),
            "check the time stamp FILE.tsr of the signature (RFC 3161), with the certificates of this PEM file"),
    ]

    private let check: SignatureCheck
    private let allowedSigners: Path
    private let identity: String?
    /// `nil` if each file has its own next to it.
    private let signature: Path?
    /// `nil` if nobody asked since when.
    private let time: TimeQuestion?

    /// The question that the options put; `nil` if they put none.
    init?(_ arguments: Arguments) throws {
        signature = arguments.declares("--signature") ? try arguments.path("--signature") : nil
        time = try TimeQuestion(arguments)
        identity = try arguments.text("--identity")
        guard let allowedSigners = try arguments.path("--allowed-signers") else {
            for option in ["--signature", "--identity", "--timestamp", "--tsa-ca"]
            where arguments.declares(option) && arguments.hasValue(option) {
                throw UsageError("\(option) needs --allowed-signers")
            }
            return nil
        }
        guard signature == nil || arguments.operands.count == 1 else {
            throw UsageError("--signature is of one file: name one, or leave the signatures next to the files")
        }
        guard signature != nil || !arguments.operands.contains(Path("-")) || !arguments.declares("--signature") else {
            throw UsageError("standard input has no signature next to it: name one with --signature")
        }
        self.allowedSigners = allowedSigners
        let bytes = try Self.bytes(of: allowedSigners, limit: SignatureCheck.signersLimit)
        do throws(SignatureError) {
            check = try SignatureCheck(
                allowedSigners: bytes, identity: identity.map { Array($0.utf8) },
                now: Int64(SystemClock.now().rounded(.down)))
        } catch {
            guard case .unreadable(let why) = error else { preconditionFailure("a line is read or not") }
            throw NotReadable(description: "\(allowedSigners.display): \(why)")
        }
    }

    /// Returns who signed a file that was verified.
    ///
    /// - Throws: `FileError` or `NotReadable` if the signature cannot be read.
    func result(of file: Path, _ report: Report) throws -> SignatureResult {
        try result(of: file, SignedStatement(report), isGood: report.isGood)
    }

    /// Returns who signed a statement that a file has, or that follows from it.
    ///
    /// - Parameter isGood: `false` if the file is invalid, so that nothing follows.
    func result(of file: Path, _ statement: SignedStatement?, isGood: Bool = true) throws -> SignatureResult {
        let path = signature ?? file.withSuffix(".sig")
        func result(_ answer: SignatureAnswer?, _ time: TimeResult? = nil) -> SignatureResult {
            SignatureResult(file: path, answer: answer, time: time)
        }
        guard signature != nil || FileStatus.exists(path) else {
            return result(SignatureAnswer(.signatureUnsigned, expected: path.display))
        }
        let bytes = try Self.bytes(of: path, limit: SignatureCheck.signatureLimit)
        let time = try time?.result(of: file, bytes)
        do throws(SignatureError) {
            guard isGood else {
                try SignatureCheck.requireReadable(bytes)
                return result(nil)
            }
            guard let statement else { return result(SignatureAnswer(.signatureStatement)) }
            let answer = try check.answer(to: bytes, of: statement, at: time?.stamp?.seconds)
            return result(answer, time)
        } catch {
            throw notReadable(path, error, of: file, statement)
        }
    }

    /// Returns what is said of a signature that cannot be checked.
    private func notReadable(
        _ signature: Path, _ error: SignatureError, of file: Path, _ statement: SignedStatement?
    ) -> NotReadable {
        switch error {
        case .unreadable(let why): return NotReadable(description: "\(signature.display): \(why)")
        case .undecided(let why): return NotReadable(description: "\(allowedSigners.display): \(why)")
        case .unsupported(let type):
            let name = identity.map { printable($0.utf8) } ?? "NAME"
            let check = "-f \(allowedSigners.display) -I \(name) -s \(signature.display)"
            let isHistory = statement?.namespace == "healthprobe-history"
            return NotReadable(
                description: "\(signature.display): only OpenSSH verifies a key of type \(printable(type.utf8))",
                hint: isHistory
                    ? "ssh-keygen -Y verify -n healthprobe-history \(check) < \(file.display)"
                    : "hp-verify statement \(file.display) | ssh-keygen -Y verify -n healthprobe-export \(check)")
        }
    }

    /// Reads a file that must not be longer than a limit.
    static func bytes(of path: Path, limit: Int) throws -> [UInt8] {
        let file = try FileVerification.open(path)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = try file.read(into: &bytes, at: 0, count: limit + 1)
        guard count <= limit else { throw NotReadable(description: "\(path.display): more than \(limit) bytes") }
        return Array(bytes.prefix(count))
    }
}

extension SignedStatement {
    /// The statement of a file; `nil` if it is invalid, or holds more than its hashes cover.
    init?(_ report: Report) {
        guard report.isGood, !report.isView, !report.isPage, !report.isSalvage, let export = report.export else {
            return nil
        }
        self.init(
            kind: export.kind, exportID: export.exportID, itemCount: report.itemCount,
            manifestHash: export.manifestHash)
    }
}

/// The signer of a file.
struct SignatureResult: Sendable {
    let file: Path
    /// `nil` if it was not checked: the file is invalid.
    let answer: SignatureAnswer?
    /// `nil` if nobody asked since when, or nothing says who.
    let time: TimeResult?

    /// The finding, if there is one. A key is judged at the time of a good stamp, so a fault of that comes first.
    var finding: Finding? {
        guard let answer else { return nil }
        if let code = answer.code, code != .signatureExpired || time?.code == nil {
            return Finding(code, expected: answer.expected, found: answer.found)
        }
        return time?.code.map { Finding($0, expected: time?.missing?.display, found: nil) }
    }

    /// The name of the key, as the allowed signers file spells it.
    private var name: String? { answer?.principals.map { printable($0, limit: 300) } }

    /// The words of a verdict about a good signature.
    var words: String {
        "signed by the key that your allowed signers file calls \(name ?? "")\(time.map { ", \($0.words)" } ?? "")"
    }

    /// One line for people.
    var text: String {
        guard let answer else { return "\(file.display) unknown: an invalid file has no statement" }
        let key = answer.fingerprint.map { "  \($0)" } ?? ""
        return "\(file.display) \(StatusWord.verdict(isGood: finding == nil))\(key)"
    }

    /// One object.
    var json: JSONObject {
        [
            "file": file.display, "key": answer?.fingerprint, "principals": name,
            "status": answer.map { _ in finding == nil ? "ok" : "failed" } ?? "unknown", "timestamp": time?.json,
        ]
    }
}

/// The findings of a file, with its signer.
struct SignedReport: Sendable {
    let report: Report
    /// `nil` if nobody asked.
    let signature: SignatureResult?

    /// `true` if the file is valid, and signed if that was asked.
    var isGood: Bool { report.isGood && signature?.finding == nil }

    /// The findings that are listed: those of the file, then that of the signature.
    var findings: [Finding] { report.findings + (signature?.finding.map { [$0] } ?? []) }

    /// The number of times that each code was found.
    var counts: [Code: Int] {
        var counts = report.counts
        if let code = signature?.finding?.code { counts[code] = 1 }
        return counts
    }

    /// Findings in all.
    var total: Int { counts.values.reduce(0, +) }

    /// One line for people.
    var verdict: String {
        guard report.isGood, let signature else { return report.verdict }
        guard let finding = signature.finding else { return "\(report.verdict); \(signature.words)" }
        let fault =
            finding.code == .signatureUnsigned
            ? "not signed" : finding.code.group == "timestamp" ? "time not shown" : "signature invalid"
        return "\(fault); else \(report.verdict)"
    }
}
