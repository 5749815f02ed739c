internal import COpenSSL

/// A password or a key: bytes that stay in one place and are overwritten when nobody needs them any more.
///
/// Its bytes are never copied to another place of this program; OpenSSL overwrites what it makes of them.
@safe public final class Secret {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    /// A secret of `count` bytes, which are zero until `fill` sets them.
    public init<E>(count: Int, fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws(E) {
        unsafe bytes = .allocate(capacity: count)
        unsafe bytes.initialize(repeating: 0)
        var span = unsafe bytes.mutableSpan
        try fill(&span)
    }

    /// A secret that takes bytes of a buffer, which are overwritten there with all others.
    public convenience init(taking range: Range<Int>, of buffer: inout [UInt8]) {
        self.init(count: range.count) { span in
            for (index, place) in range.enumerated() { span[index] = buffer[place] }
        }
        unsafe buffer.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    /// The number of its bytes.
    public var count: Int { unsafe bytes.count }

    /// Returns a key of 32 bytes that PBKDF2 with HMAC derives from this password (RFC 8018).
    ///
    /// - Parameter iterations: at least 1; the caller bounds them, because the derivation cannot be interrupted.
    public func derivedKey(_ hash: DerivationHash, salt: [UInt8], iterations: UInt32) -> Secret? {
        guard let count = Int32(exactly: iterations), count > 0 else { return nil }
        return unsafe derived { key in
            unsafe hp_pbkdf2(hash.rawValue, bytes.baseAddress, bytes.count, salt, salt.count, count, key, 32)
        }
    }

    /// Returns the key of 32 bytes that 40 bytes are under this key (RFC 3394); `nil` if they are not under it.
    public func unwrappedKey(_ wrapped: [UInt8]) -> Secret? {
        guard count == 32, wrapped.count == 40 else { return nil }
        return unsafe derived { unsafe hp_aes256_unwrap(bytes.baseAddress, wrapped, $0) }
    }

    /// Returns the decryption of AES-256-CBC under this key; `nil` if it is not a key.
    public func blockDecryption() -> BlockDecryption? {
        guard count == 32, let context = unsafe hp_aes256_cbc_new(bytes.baseAddress) else { return nil }
        return unsafe BlockDecryption(context)
    }

    /// Returns `true` if the bytes are those of a list; for tests.
    package func equals(_ other: [UInt8]) -> Bool { unsafe bytes.elementsEqual(other) }

    private func derived(_ make: (UnsafeMutablePointer<UInt8>?) -> Int32) -> Secret? {
        var isMade = false
        let key = Secret(count: 32) { span in
            isMade = unsafe span.withUnsafeMutableBufferPointer { unsafe make($0.baseAddress) } == 1
        }
        return isMade ? key : nil
    }
}

/// A hash function of PBKDF2, by OpenSSL's name.
public enum DerivationHash: String, Sendable {
    case sha1 = "SHA1"
    case sha256 = "SHA2-256"
}

/// Decrypts AES-256-CBC at any block: a block needs the one before it and nothing else.
@safe public struct BlockDecryption: ~Copyable, @unchecked Sendable {
    /// The size of a block in bytes.
    public static let blockSize = 16
    // One owner at a time uses it.
    private let context: OpaquePointer

    init(_ context: OpaquePointer) { unsafe self.context = context }

    // OpenSSL overwrites the key.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Decrypts whole blocks at the front of a buffer, in place.
    ///
    /// - Parameter before: the encrypted block before them; zeros at the beginning of a file.
    /// - Returns: `false` if OpenSSL refuses.
    public mutating func decrypt(_ bytes: inout [UInt8], count: Int, after before: [UInt8]) -> Bool {
        precondition(before.count == Self.blockSize && count.isMultiple(of: Self.blockSize) && count <= bytes.count)
        guard let size = Int32(exactly: count) else { return false }
        return unsafe hp_aes256_cbc_decrypt(context, before, &bytes, size) == 1
    }
}
