public import Codes

/// The answer to the question of who signed a statement.
public struct SignatureAnswer: Sendable {
    /// The code of the fault; `nil` if an allowed key made the signature.
    public let code: Code?
    /// The expected value, and the value that was found.
    public let expected, found: String?
    /// The fingerprint of the key that the signature claims.
    public let fingerprint: String?
    /// The names of the key in the file of allowed signers: patterns, as that file spells them.
    public let principals: [UInt8]?

    /// An answer without a signature that was looked at.
    public init(_ code: Code, expected: String? = nil) {
        self.init(code, expected: expected, found: nil, fingerprint: nil, principals: nil)
    }

    fileprivate init(_ code: Code?, expected: String?, found: String?, fingerprint: String?, principals: [UInt8]?) {
        (self.code, self.expected, self.found) = (code, expected, found)
        (self.fingerprint, self.principals) = (fingerprint, principals)
    }
}

/// Checks signatures with the keys that a person accepts (`Spec/signatures.md`, "Verification").
public struct SignatureCheck: Sendable {
    /// The largest signature, and the largest file of allowed signers, in bytes.
    public static let signatureLimit = SSHSignature.fileLimit, signersLimit = AllowedSigners.fileLimit

    private let signers: AllowedSigners
    private let identity: [UInt8]?
    private let now: Int64

    /// A check.
    ///
    /// - Parameters:
    ///   - allowedSigners: the bytes of the file.
    ///   - identity: the name that the key must have; `nil` if any name will do.
    ///   - now: the time on the clock of the verifier, in Unix seconds.
    public init(allowedSigners: [UInt8], identity: [UInt8]?, now: Int64) throws(SignatureError) {
        (signers, self.identity, self.now) = (try AllowedSigners(allowedSigners), identity, now)
    }

    /// Reads a signature, without a statement to hold it against.
    ///
    /// - Throws: if it is none, or one that only OpenSSH verifies.
    public static func requireReadable(_ signature: [UInt8]) throws(SignatureError) {
        _ = try SSHSignature(armored: signature)
    }

    /// Checks the signature of a statement.
    ///
    /// - Parameter time: a time, in Unix seconds, at which it is proven that the signature was there; `nil` if the
    ///   clock of the verifier counts.
    public func answer(
        to file: [UInt8], of statement: SignedStatement, at time: Int64? = nil
    ) throws(SignatureError) -> SignatureAnswer {
        let signature = try SSHSignature(armored: file)
        func answer(_ code: Code?, expected: String? = nil, found: String? = nil, _ names: [UInt8]? = nil)
            -> SignatureAnswer
        {
            SignatureAnswer(
                code, expected: expected, found: found, fingerprint: signature.fingerprint, principals: names)
        }
        guard signature.namespace == statement.namespace else {
            return answer(.signatureNamespace, expected: statement.namespace, found: signature.namespace)
        }
        guard signature.messageHash != nil else { return answer(.signatureAlgorithm, found: signature.hashName) }
        guard signature.signatureHash != nil else { return answer(.signatureAlgorithm, found: signature.algorithm) }
        if let size = signature.refusedSize { return answer(.signatureAlgorithm, found: size) }
        guard signature.isOf(Array(statement.text.utf8)) else { return answer(.signatureBad) }
        let (failure, signer) = try acceptance(
            of: signature.keyBlob, for: statement.namespace, at: time ?? now)
        switch failure {
        case nil: return answer(nil, signer?.principals)
        case .signatureUnknownKey?: return answer(failure, found: signature.fingerprint)
        case .signatureIdentity?:
            return answer(failure, expected: identity.map { String(decoding: $0, as: UTF8.self) }, signer?.principals)
        default: return answer(failure, signer?.principals)
        }
    }

    /// Looks for a line that accepts a key at a time, for this purpose and under the name that is asked for. If none
    /// does, the line that comes nearest decides what is reported.
    private func acceptance(
        of keyBlob: [UInt8], for namespace: String, at time: Int64
    ) throws(SignatureError) -> (Code?, AllowedSigners.Signer?) {
        let order: [Code] = [.signatureUnknownKey, .signatureIdentity, .signatureNamespace, .signatureExpired]
        var nearest: (place: Int, signer: AllowedSigners.Signer?) = (0, nil)
        for signer in signers.signers where signer.keyBlob == keyBlob && !signer.options.isAuthority {
            guard let failure = try failure(of: signer, for: namespace, at: time) else { return (nil, signer) }
            let place = order.firstIndex(of: failure)!
            if place > nearest.place { nearest = (place, signer) }
        }
        return (order[nearest.place], nearest.signer)
    }

    /// Returns why a line does not accept its own key; `nil` if it does.
    private func failure(
        of signer: AllowedSigners.Signer, for namespace: String, at time: Int64
    ) throws(SignatureError) -> Code? {
        if let identity, !Patterns.match(identity, signer.principals) { return .signatureIdentity }
        if let list = signer.options.namespaces, !Patterns.match(Array(namespace.utf8), list) {
            return .signatureNamespace
        }
        for case .local? in [signer.options.validAfter, signer.options.validBefore] {
            throw .undecided("line \(signer.line): its validity period is in an unknown time zone: append Z for UTC")
        }
        if case .utc(let start)? = signer.options.validAfter, time < start { return .signatureExpired }
        if case .utc(let end)? = signer.options.validBefore, time > end { return .signatureExpired }
        return nil
    }
}
