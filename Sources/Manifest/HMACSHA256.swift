internal import COpenSSL

/// HMAC-SHA256 (RFC 2104) over OpenSSL's EVP interface: for identifiers that must not be recomputable without the
/// archive secret.
///
/// The algorithm is fetched and the key is set once; for a short message that is most of the work.
@safe public struct HMACSHA256: ~Copyable {
    private let context: OpaquePointer

    /// Starts a code under a key.
    public init(key: Span<UInt8>) {
        let context = unsafe key.withUnsafeBytes { key in
            // The manual (EVP_MAC_init) takes a null key for no key, so an empty one needs an address.
            let empty: InlineArray<1, UInt8> = [0]
            let span = empty.span
            return unsafe span.withUnsafeBytes { other in
                unsafe hp_hmac_sha256_new(
                    (key.baseAddress ?? other.baseAddress!).assumingMemoryBound(to: UInt8.self), key.count)
            }
        }
        guard let context = unsafe context else { preconditionFailure("OpenSSL has no HMAC-SHA256") }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Adds bytes of the message. Complexity: O(n).
    public mutating func update(_ bytes: Span<UInt8>) {
        let done = unsafe bytes.withUnsafeBytes {
            unsafe EVP_MAC_update(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
        }
        precondition(done == 1, "OpenSSL cannot continue HMAC-SHA256")
    }

    /// Returns the authentication code of everything since the last start; the next message starts under the same key.
    public mutating func finish() -> Digest {
        var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
        var length = 0
        var span = bytes.mutableSpan
        let done = unsafe span.withUnsafeMutableBytes {
            unsafe EVP_MAC_final(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &length, $0.count)
        }
        precondition(unsafe done == 1 && EVP_MAC_init(context, nil, 0, nil) == 1, "OpenSSL cannot finish HMAC-SHA256")
        guard length == 32, let code = Digest(bytes: bytes.span) else {
            preconditionFailure("an HMAC-SHA256 code has 32 bytes")
        }
        return code
    }

    /// Returns the authentication code of a message in a domain.
    public mutating func code(of message: Span<UInt8>, in domain: Domain) -> Digest {
        let prefix = domain.prefix
        update(prefix.span)
        update(message)
        return finish()
    }

    /// Returns the authentication code of one message.
    public static func code(of message: Span<UInt8>, key: Span<UInt8>) -> Digest {
        var code = HMACSHA256(key: key)
        code.update(message)
        return code.finish()
    }
}
