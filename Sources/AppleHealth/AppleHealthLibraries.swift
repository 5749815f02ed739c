internal import CExpat
internal import CZip

/// The libraries that read exports.
public enum AppleHealthLibraries {
    /// Their names and versions, as they are at run time.
    public static var all: [(name: String, version: String)] {
        // Expat says `expat_2.5.0`.
        let expat = unsafe String(cString: XML_ExpatVersion()).split(separator: "_").last.map(String.init) ?? ""
        return [("expat", expat), ("libzip", unsafe String(cString: zip_libzip_version()))]
    }
}
