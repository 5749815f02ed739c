/// The C library of the system under one name, and the few calls that differ from system to system.
///
/// Only `Files`, `Tool` and `Pipeline` import this module, and nothing else imports a platform module: what stands
/// above or beside them builds on any system that has Swift.
///
/// Linux with Glibc is what is built and tested. The branches for Musl and Darwin were written from the documentation
/// of those systems and have not been compiled.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif

/// Waits until what was written to an open file is on the medium; 0, or −1 and `errno`.
///
/// On Darwin `fsync(2)` leaves the bytes in the cache of the drive. `F_FULLFSYNC` (`fcntl(2)`) asks the drive to write
/// that too; file systems that cannot do so refuse it, and `fsync` is all that there is.
public func synchronizeToMedium(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        if errno == EINTR || errno == EIO { return -1 }
    #endif
    return fsync(descriptor)
}

/// Asks the system to begin writing a part of a file to the medium. Nothing depends on it.
///
/// `sync_file_range` is not in Swift's Glibc; Linux begins to write what is dirty when it is told that the bytes are
/// not needed in memory. Darwin has no such call.
public func startWriteback(_ descriptor: Int32, _ range: Range<Int64>) {
    #if !canImport(Darwin)
        let (start, length) = (off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound))
        _ = posix_fadvise(descriptor, start, length, POSIX_FADV_DONTNEED)
    #endif
}

/// The arguments with which `lseek(2)` finds the next byte outside of a hole, and the next hole. Swift's Glibc does not
/// have their names.
#if canImport(Darwin)
    public let (seekData, seekHole): (Int32, Int32) = (SEEK_DATA, SEEK_HOLE)
#else
    public let (seekData, seekHole): (Int32, Int32) = (3, 4)
#endif

/// Renames a file and never replaces another: 0, or −1 and `errno`; nil where the system or the file system has no
/// such call.
///
/// Darwin has `renamex_np(2)` with `RENAME_EXCL`. Linux has `renameat2(2)`, which Swift's Glibc does not offer.
@unsafe public func renameExclusively(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32? {
    #if canImport(Darwin)
        let result = unsafe renamex_np(old, new, UInt32(RENAME_EXCL))
        return result != 0 && errno == ENOTSUP ? nil : result
    #else
        return nil
    #endif
}

/// Returns the time of a file's last change.
public func modificationTime(of status: stat) -> timespec {
    #if canImport(Darwin)
        status.st_mtimespec
    #else
        status.st_mtim
    #endif
}

/// Returns how many files the process may have open, and how many it may ask for (`getrlimit(2)`); `nil` if that is
/// unknown.
public func openFileLimit() -> rlimit? {
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
}

/// Sets how many files the process may have open.
public func setOpenFileLimit(_ limit: rlimit) {
    var limit = limit
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    _ = unsafe setrlimit(resource, &limit)
}
