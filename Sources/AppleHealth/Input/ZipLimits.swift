/// The maximum cost of a zip for whoever looks at it (`Spec/apple-health.md`, "Limits"). No export of a phone comes
/// near.
struct ZipLimits {
    /// Files and folders in it. libzip compares names that it cannot tell apart at once with each other.
    var members = 25_000
    /// Files of a folder, in place of a zip.
    var files = 50_000
    /// Places that may be the end of its directory: libzip reads the directory of each.
    var ends = 16
    /// Members that are looked at for the export.
    var candidates = 64
    /// Bytes that a member may unpack to, whatever its size.
    var freeBytes: UInt64 = 256 << 20
    /// The maximum ratio of a member's unpacked size to its packed size beyond that.
    var ratio: UInt64 = 200
    /// Bytes of a zip that comes through a pipe: it is kept in a temporary file.
    var pipeBytes: Int64 = 8 << 30
}
