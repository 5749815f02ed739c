internal import Bytes
internal import Manifest

/// Why a file of signatures or of signers cannot be used.
public enum SignatureError: Error, Sendable, Equatable {
    /// It is not what it ought to be; the place, and why.
    case unreadable(String)
    /// A line of the allowed signers decides, and cannot; the place, and why.
    case undecided(String)
    /// It is a signature, by a kind of key that only OpenSSH verifies.
    case unsupported(String)
}

/// A signature file of OpenSSH (PROTOCOL.sshsig): the armor, the blob in it, and in the blob a key and a signature.
struct SSHSignature {
    /// The largest file, in bytes. A signature by the longest RSA key is a quarter of it.
    static let fileLimit = 32_768

    /// The key that signed, as the signature claims; the bytes that allowed signers are compared with.
    let keyBlob: [UInt8]
    let key: PublicKey
    let namespace: String
    let hashName: String
    /// The algorithm of the signature, and what it made.
    let algorithm: String
    let value: [UInt8]

    /// Reads a signature file.
    init(armored file: [UInt8]) throws(SignatureError) {
        var reader = SSHReader(try Self.blob(of: file))
        func unreadable(_ what: String) -> SignatureError {
            .unreadable("byte \(reader.place) of the signature: \(what)")
        }
        guard reader.take(6) == Array("SSHSIG".utf8) else { throw unreadable("not an SSH signature") }
        guard let version = reader.number() else { throw unreadable("the version is missing") }
        guard version == 1 else { throw unreadable("version \(version) is not known") }
        guard let keyBlob = reader.string() else { throw unreadable("the public key is cut") }
        self.keyBlob = keyBlob
        key = try Self.key(of: keyBlob)
        guard let namespace = reader.string() else { throw unreadable("the namespace is cut") }
        self.namespace = String(decoding: namespace, as: UTF8.self)
        guard reader.string() == [] else { throw unreadable("the reserved field is not empty") }
        guard let hashName = reader.name() else { throw unreadable("the name of the hash is not a name") }
        self.hashName = hashName
        guard let signature = reader.string() else { throw unreadable("the signature is cut") }
        guard reader.isAtEnd else { throw unreadable("bytes follow the signature") }
        var inner = SSHReader(signature)
        guard let algorithm = inner.name(), let value = inner.string(), inner.isAtEnd else {
            throw .unreadable("byte \(inner.place) of the inner signature: not an algorithm and a signature")
        }
        (self.algorithm, self.value) = (algorithm, value)
    }

    /// Takes the armor away: a line before, a line after, and Base64 between.
    private static func blob(of file: [UInt8]) throws(SignatureError) -> [UInt8] {
        var lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count >= 3, lines[0].elementsEqual("-----BEGIN SSH SIGNATURE-----".utf8) else {
            throw .unreadable("line 1: not the beginning of an SSH signature")
        }
        guard lines.last!.elementsEqual("-----END SSH SIGNATURE-----".utf8) else {
            throw .unreadable("line \(lines.count): not the end of an SSH signature")
        }
        guard let blob = Base64.bytes(of: Array(lines[1..<lines.count - 1].joined())) else {
            throw .unreadable("line 2: not base64")
        }
        return blob
    }

    private static func key(of blob: [UInt8]) throws(SignatureError) -> PublicKey {
        var reader = SSHReader(blob)
        func unreadable(_ what: String) -> SignatureError {
            .unreadable("byte \(reader.place) of the public key: \(what)")
        }
        guard let type = reader.name() else { throw unreadable("its type is not a name") }
        let key: PublicKey
        switch type {
        case "ssh-ed25519":
            guard let bytes = reader.string(), bytes.count == 32 else { throw unreadable("not 32 bytes") }
            key = .ed25519(bytes)
        case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521":
            let curve: PublicKey.Curve = type.hasSuffix("256") ? .p256 : type.hasSuffix("384") ? .p384 : .p521
            guard reader.name() == String(type.suffix(8)) else { throw unreadable("not the curve of its type") }
            guard let point = reader.string(), point.count == curve.pointSize, point[0] == 4 else {
                throw unreadable("not an uncompressed point of its curve")
            }
            key = .ecdsa(curve, point: point)
        case "ssh-rsa":
            guard let exponent = reader.positive(), let modulus = reader.positive() else {
                throw unreadable("not two numbers")
            }
            key = .rsa(exponent: exponent, modulus: modulus)
        default: throw .unsupported(type)
        }
        guard reader.isAtEnd else { throw unreadable("bytes follow the key") }
        return key
    }

    /// The text that stands for a key: SHA-256 of its bytes, as `ssh-keygen -l` prints it.
    var fingerprint: String {
        "SHA256:" + Base64.text(of: MessageHash.sha256.hash(keyBlob)).prefix { $0 != "=" }
    }

    /// The hash function of the message; `nil` if it is not allowed.
    var messageHash: MessageHash? { ["sha256": .sha256, "sha512": .sha512][hashName] }

    /// The hash function of the signature; `nil` if the algorithm is not allowed, or not one of the key.
    var signatureHash: MessageHash? {
        switch key {
        case .ed25519: algorithm == "ssh-ed25519" ? .sha512 : nil
        case .ecdsa(let curve, _):
            // P-256 is nistp256.
            algorithm == "ecdsa-sha2-nistp\(curve.rawValue.dropFirst(2))" ? curve.digest : nil
        case .rsa: ["rsa-sha2-256": .sha256, "rsa-sha2-512": .sha512][algorithm]
        }
    }

    /// The size of the modulus of an RSA key, in bits, if it is not one that is accepted.
    var refusedSize: String? {
        guard case .rsa(let exponent, let modulus) = key else { return nil }
        let bits = 8 * modulus.count - modulus[0].leadingZeroBitCount
        guard (2048...16_384).contains(bits) else { return "RSA of \(bits) bits" }
        let isUsual = exponent.count <= 8 && exponent.last! & 1 == 1 && exponent != [1]
        return isUsual ? nil : "RSA with an unusual exponent"
    }

    /// Returns `true` if the key made the signature, over a message, for the purpose that the signature states.
    func isOf(_ message: [UInt8]) -> Bool {
        guard let messageHash, let signatureHash, let value = signatureForOpenSSL else { return false }
        let signed =
            Array("SSHSIG".utf8) + SSHReader.string(namespace.utf8) + SSHReader.string([])
            + SSHReader.string(hashName.utf8) + SSHReader.string(messageHash.hash(message))
        return key.verifies(value, of: signed, hash: signatureHash)
    }

    /// The signature as OpenSSL reads it; `nil` if it cannot be one.
    private var signatureForOpenSSL: [UInt8]? {
        switch key {
        case .ed25519: return value.count == 64 ? value : nil
        case .ecdsa:
            var reader = SSHReader(value)
            guard let r = reader.positive(), let s = reader.positive(), reader.isAtEnd else { return nil }
            // DER: a sequence of two integers, whose bytes are the same as those of SSH.
            let numbers = [r, s].flatMap { number in
                let sign: [UInt8] = number[0] >= 0x80 ? [0] : []
                return [2, UInt8(truncatingIfNeeded: number.count + sign.count)] + sign + number
            }
            guard r.count <= 66, s.count <= 66 else { return nil }
            return [0x30] + (numbers.count < 128 ? [] : [0x81]) + [UInt8(numbers.count)] + numbers
        case .rsa(_, let modulus):
            // OpenSSH once wrote signatures without the zeros at their front.
            let missing = modulus.count - value.count
            return missing >= 0 ? [UInt8](repeating: 0, count: missing) + value : nil
        }
    }
}
