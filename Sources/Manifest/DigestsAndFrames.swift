internal import COpenSSL
internal import CZstd

/// The libraries that hash and compress.
public enum DigestsAndFrames {
    /// Their names and versions, as they are at run time.
    public static var libraries: [(name: String, version: String)] {
        [
            ("openssl", unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
            ("zstd", unsafe String(cString: ZSTD_versionString())),
        ]
    }
}
