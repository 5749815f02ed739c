internal import Manifest

/// Hashes of private identifiers: HMAC-SHA256 with the archive secret over a domain prefix and bytes.
struct PrivateHasher: Sendable {
    private let key: [UInt8]

    init(_ secret: ArchiveSecret) { key = secret.key }

    func digest(of bytes: Span<UInt8>, in domain: Domain) -> Digest {
        var message = domain.prefix
        message.append(copying: bytes)
        return HMACSHA256.code(of: message.span, key: key.span)
    }

    func digest(of bytes: [UInt8]?, in domain: Domain) -> Digest? { bytes.map { digest(of: $0.span, in: domain) } }
}
