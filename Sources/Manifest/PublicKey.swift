internal import COpenSSL

/// A public key, and the signatures that OpenSSL checks with it.
public enum PublicKey: Sendable {
    /// The curves of ECDSA.
    public enum Curve: String, Sendable, CaseIterable {
        case p256 = "P-256", p384 = "P-384", p521 = "P-521"

        /// The name of the hash function that signatures of the curve use (RFC 5656, section 6.2.1).
        public var digest: MessageHash {
            switch self {
            case .p256: .sha256
            case .p384: .sha384
            case .p521: .sha512
            }
        }

        /// The size of an uncompressed point: 04, X, Y.
        public var pointSize: Int {
            switch self {
            case .p256: 65
            case .p384: 97
            case .p521: 133
            }
        }
    }

    /// 32 bytes.
    case ed25519([UInt8])
    /// An uncompressed point.
    case ecdsa(Curve, point: [UInt8])
    /// Big-endian numbers.
    case rsa(exponent: [UInt8], modulus: [UInt8])

    /// Returns `true` if a signature of a message was made with the key.
    ///
    /// - Parameters:
    ///   - signature: the form that OpenSSL reads: 64 bytes of Ed25519, DER of ECDSA, a number as long as the modulus
    ///     of RSA (PKCS#1 v1.5).
    ///   - hash: the hash function; Ed25519 has its own.
    public func verifies(_ signature: [UInt8], of message: [UInt8], hash: MessageHash) -> Bool {
        guard let key = unsafe handle else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        if case .ed25519 = self {
            return unsafe hp_is_signature(key, nil, signature, signature.count, message, message.count) == 1
        }
        return unsafe hp_is_signature(key, hash.name, signature, signature.count, message, message.count) == 1
    }

    /// The key as OpenSSL has it; `nil` if it is none.
    private var handle: OpaquePointer? {
        switch self {
        case .ed25519(let bytes): unsafe hp_ed25519_key(bytes, bytes.count)
        case .ecdsa(let curve, let point): unsafe hp_ecdsa_key(curve.rawValue, point, point.count)
        case .rsa(let exponent, let modulus): unsafe hp_rsa_key(exponent, exponent.count, modulus, modulus.count)
        }
    }
}

/// A hash function of signatures.
public enum MessageHash: Sendable {
    case sha256, sha384, sha512

    /// The name that OpenSSL has for it.
    fileprivate var name: String {
        switch self {
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        }
    }

    /// Returns the hash of a short message.
    public func hash(_ message: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var size = 0
        let done = unsafe EVP_Q_digest(nil, name, nil, message, message.count, &hash, &size)
        precondition(done == 1, "OpenSSL cannot compute \(name)")
        return Array(hash.prefix(size))
    }
}
