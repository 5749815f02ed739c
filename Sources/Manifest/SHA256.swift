internal import COpenSSL

/// SHA-256 (FIPS 180-4) over OpenSSL's EVP interface.
///
/// The algorithm is fetched once a process and the context is reused: an implicit fetch for each hash costs more
/// than hashing an item (OpenSSL manual, crypto(7), "Performance"). A digest that cannot run is a broken
/// installation, not an input error, hence a precondition.
@safe public struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// Starts a hash.
    public init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL gives no digest context") }
        unsafe self.context = context
        restart()
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Forgets what was added.
    public mutating func restart() {
        precondition(
            unsafe EVP_DigestInit_ex2(context, Algorithm.sha256.handle, nil) == 1,
            "OpenSSL cannot start SHA-256")
    }

    /// Adds bytes. Complexity: O(n).
    public mutating func update(_ bytes: Span<UInt8>) {
        let done = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(done == 1, "OpenSSL cannot continue SHA-256")
    }

    /// Returns the digest of everything since the last start; the hash starts again.
    public mutating func finish() -> Digest {
        var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
        var span = bytes.mutableSpan
        let done = unsafe span.withUnsafeMutableBytes {
            unsafe EVP_DigestFinal_ex(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
        }
        precondition(done == 1, "OpenSSL cannot finish SHA-256")
        restart()
        guard let digest = Digest(bytes: bytes.span) else { preconditionFailure("a SHA-256 digest has 32 bytes") }
        return digest
    }

    /// Returns the digest of one sequence of bytes.
    public static func digest(of bytes: Span<UInt8>) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}

/// The fetched algorithm. It lives as long as the process.
@safe private struct Algorithm: @unchecked Sendable {
    // `EVP_MD` is immutable after its fetch and OpenSSL allows it on any thread.
    let handle: OpaquePointer

    static let sha256: Algorithm = {
        guard let handle = unsafe EVP_MD_fetch(nil, "SHA2-256", nil) else {
            preconditionFailure("OpenSSL has no SHA-256")
        }
        return unsafe Algorithm(handle: handle)
    }()
}
