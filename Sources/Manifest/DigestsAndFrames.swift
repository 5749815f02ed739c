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

    /// Folders that OpenSSL reads its configuration and its modules from, as it was built.
    public static var folders: [String] {
        [OPENSSL_INFO_CONFIG_DIR, OPENSSL_INFO_MODULES_DIR, OPENSSL_INFO_ENGINES_DIR].compactMap { kind in
            unsafe OPENSSL_info(kind).map { unsafe String(cString: $0) }
        }
    }
}
