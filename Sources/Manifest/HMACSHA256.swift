internal import COpenSSL

/// HMAC-SHA256 (RFC 2104) over OpenSSL's EVP interface: for identifiers that must not be recomputable without the archive secret.
public enum HMACSHA256 {
    /// The authentication code of `message` under `key`. Complexity: O(n).
    public static func code(of message: Span<UInt8>, key: Span<UInt8>) -> Digest {
        var bytes: InlineArray<32, UInt8> = .init(repeating: 0)
        var length = 0
        var span = bytes.mutableSpan
        let done = unsafe span.withUnsafeMutableBytes { output in
            unsafe message.withUnsafeBytes { message in
                unsafe key.withUnsafeBytes { key in
                    // The manual (EVP_Q_mac) asks for a non-null key pointer even where the key is empty.
                    unsafe EVP_Q_mac(
                        nil, "HMAC", nil, "SHA2-256", nil, key.baseAddress ?? UnsafeRawPointer(output.baseAddress!), key.count,
                        message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count,
                        output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count, &length)
                }
            }
        }
        guard unsafe done != nil, length == 32, let code = Digest(bytes: bytes.span) else { preconditionFailure("OpenSSL cannot compute HMAC-SHA256") }
        return code
    }
}
