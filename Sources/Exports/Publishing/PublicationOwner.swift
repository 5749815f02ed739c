internal import Files
internal import Manifest

/// Whose a temporary file is: a number that is the same for each export of an archive's file on this machine.
///
/// The number is in the file's name, and an intent is followed only where it is there. So it must be one that nobody
/// who ships an archive together with files can know: it is hashed from the machine's own id, which is not shown to a
/// network (`machine-id(5)`), the device and the inode. Where a machine has no id, device and inode are what others
/// do not know.
enum PublicationOwner {
    /// Returns the number for the archive's file.
    static func number(of archive: FileStatus) -> UInt64 {
        var hash = SHA256()
        let text = Array("healthprobe publication\n\(archive.device) \(archive.inode)\n".utf8) + machine
        hash.update(text.span)
        return UInt64(hash.finish().hex.prefix(16), radix: 16)!
    }

    /// The content of `/etc/machine-id`; empty if it is missing.
    private static let machine: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 64)
        guard let file = try? Descriptor.reading(Path("/etc/machine-id")), (try? file.status().isRegular) == true,
            let count = try? file.read(into: &bytes, at: 0, count: bytes.count)
        else { return [] }
        return Array(bytes.prefix(count))
    }()
}
