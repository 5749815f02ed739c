internal import Manifest

/// Hashes of private identifiers: HMAC-SHA256 with the archive secret over a domain prefix and bytes.
struct PrivateHasher: ~Copyable {
    private var code: HMACSHA256

    init(_ secret: ArchiveSecret) {
        let key = secret.key
        code = HMACSHA256(key: key.span)
    }

    mutating func digest(of bytes: Span<UInt8>, in domain: Domain) -> Digest { code.code(of: bytes, in: domain) }

    mutating func digest(of bytes: [UInt8]?, in domain: Domain) -> Digest? {
        guard let bytes else { return nil }
        return digest(of: bytes.span, in: domain)
    }
}
