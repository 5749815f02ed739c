internal import CZip
internal import Capture
internal import Files

/// A zip file that is read with libzip, ZIP64 included.
@safe
final class ZipArchive {
    private let handle: OpaquePointer
    private let path: Path
    private let fileSize: UInt64
    private let limits: ZipLimits
    private let shouldStop: @Sendable () -> Bool
    private var name: String { path.display }

    /// Opens a zip. `file` has to allow seeking.
    init(
        _ file: consuming Descriptor, _ limits: ZipLimits, _ shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) {
        try ZipEnd.check(file, limits)
        let path = file.path
        self.path = path
        self.limits = limits
        self.shouldStop = shouldStop
        fileSize = UInt64(max(0, try readingSource { () throws(FileError) in try file.status().size }))
        let number: Int32
        do throws(FileError) { number = try file.relinquished() } catch {
            throw CaptureError(.source, error.description)
        }
        var code: Int32 = 0
        guard let handle = unsafe zip_fdopen(number, 0, &code) else {
            Descriptor.close(relinquished: number)
            throw CaptureError(.format, "\(path.display): cannot be read as a zip: \(Self.text(code))")
        }
        unsafe self.handle = handle
    }

    deinit { unsafe zip_discard(handle) }

    /// Its files; folders and files without a name or size are left out.
    ///
    /// - Throws: `CaptureError` where there are too many, or where they take more bytes than the zip has: then some
    ///   share them, and a small zip could stand for any amount of text.
    func members() throws(CaptureError) -> [ExportMember] {
        let count = UInt64(max(0, unsafe zip_get_num_entries(handle, 0)))
        guard count <= UInt64(limits.members) else { throw ZipEnd.tooMany(path, limits) }
        var members: [ExportMember] = []
        var left = fileSize
        for index in 0..<count {
            var status = unsafe zip_stat_t()
            guard unsafe zip_stat_index(handle, index, zip_flags_t(ZIP_FL_ENC_RAW), &status) == 0 else { continue }
            let packed = unsafe status.valid & UInt64(ZIP_STAT_COMP_SIZE) != 0 ? unsafe status.comp_size : 0
            guard packed <= left else {
                throw CaptureError(.format, "\(name): members of the zip overlap: together they are larger than it is")
            }
            left -= packed
            if let member = unsafe Self.member(index, status, packed) { members.append(member) }
        }
        return Self.withFolders(members)
    }

    /// Members with `/` between folders and names. Some tools write `\` there: it is one where no name has a `/`.
    private static func withFolders(_ members: [ExportMember]) -> [ExportMember] {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        guard !members.contains(where: { $0.name.contains(slash) }) else { return members }
        return members.compactMap { member in
            guard member.name.last != backslash else { return nil }
            return ExportMember(
                index: member.index, name: member.name.map { $0 == backslash ? slash : $0 }, size: member.size,
                packedSize: member.packedSize, problem: member.problem)
        }
    }

    private static func member(_ index: UInt64, _ status: zip_stat_t, _ packed: UInt64) -> ExportMember? {
        guard unsafe status.valid & UInt64(ZIP_STAT_SIZE) != 0, let text = unsafe status.name else { return nil }
        let name = unsafe Array(bytes(of: text))
        guard let last = name.last, last != UInt8(ascii: "/") else { return nil }
        var problem: String?
        let isKnown = unsafe status.valid & UInt64(ZIP_STAT_ENCRYPTION_METHOD) != 0
        if isKnown, unsafe status.encryption_method != ZIP_EM_NONE {
            problem = "is encrypted"
        } else if unsafe ![ZIP_CM_STORE, ZIP_CM_DEFLATE].contains(Int32(status.comp_method)) {
            // Other methods may ask for gigabytes, whatever the size.
            problem = "is packed by another method than deflate"
        }
        return ExportMember(index: index, name: name, size: unsafe status.size, packedSize: packed, problem: problem)
    }

    /// Opens a file in it for reading.
    func open(_ member: ExportMember) throws(CaptureError) -> ZipMemberReader {
        let (allowed, isTooLarge) = member.packedSize.multipliedReportingOverflow(by: limits.ratio)
        let limit = isTooLarge ? UInt64.max : allowed.addingReportingOverflow(limits.freeBytes).partialValue
        return try ZipMemberReader(self, member, limit: max(limit, limits.freeBytes), shouldStop)
    }

    /// Returns the error for a member whose text is beyond the limit.
    fileprivate func tooLarge(_ member: ExportMember) -> CaptureError {
        let place = Path(bytes: member.name).display
        let text = "unpacks to more than \(limits.ratio) times its size in the zip"
        return CaptureError(.format, "\(name): \(place): \(text)")
    }

    fileprivate func stream(of member: ExportMember) throws(CaptureError) -> OpaquePointer {
        guard let file = unsafe zip_fopen_index(handle, member.index, 0) else {
            let code = unsafe zip_error_code_zip(zip_get_error(handle))
            throw CaptureError(.format, "\(name): a member of the zip cannot be read: \(Self.text(code))")
        }
        return unsafe file
    }

    /// Returns libzip's text for an error number.
    private static func text(_ code: Int32) -> String {
        var error = unsafe zip_error_t()
        unsafe zip_error_init_with_code(&error, code)
        defer { unsafe zip_error_fini(&error) }
        guard let text = unsafe zip_error_strerror(&error) else { return "error \(code)" }
        return String(decoding: unsafe Array(bytes(of: text)), as: UTF8.self).lowercased()
    }
}

/// A file in a zip that is being read; its archive stays open as long.
@safe
final class ZipMemberReader {
    private let archive: ZipArchive
    private let member: ExportMember
    private var file: OpaquePointer
    /// Bytes that were read.
    private var position: UInt64 = 0
    /// `true` if the rest is read byte by byte.
    private var isDamaged = false
    private let limit: UInt64
    private let shouldStop: @Sendable () -> Bool

    fileprivate init(
        _ archive: ZipArchive, _ member: ExportMember, limit: UInt64, _ shouldStop: @escaping @Sendable () -> Bool
    ) throws(CaptureError) {
        self.archive = archive
        self.member = member
        self.limit = limit
        self.shouldStop = shouldStop
        unsafe file = try archive.stream(of: member)
    }

    deinit { _ = unsafe zip_fclose(file) }

    /// Reads up to `buffer.count` bytes; 0 at the end, nil where the member is damaged (its checksum is looked at
    /// when it ends).
    ///
    /// A call that meets the damage keeps what it unpacked to itself. Then the member is opened again, and what
    /// stands before that place comes out byte by byte, but perhaps for the last: what is read of it does not
    /// depend on how much is read at once.
    ///
    /// - Throws: `CaptureError` where the member unpacks to more than its size allows.
    func read(into buffer: inout [UInt8]) throws(CaptureError) -> Int? {
        let count = unpack(into: &buffer)
        guard position <= limit else { throw archive.tooLarge(member) }
        return count
    }

    private func unpack(into buffer: inout [UInt8]) -> Int? {
        if !isDamaged {
            if let count = step(into: &buffer, buffer.count) { return count }
            isDamaged = true
            guard goBack() else { return nil }
        }
        var byte: [UInt8] = [0]
        for index in buffer.indices {
            guard let count = step(into: &byte, 1), count > 0 else { return index > 0 ? index : nil }
            buffer[index] = byte[0]
        }
        return buffer.count
    }

    /// Reads up to `count` bytes; nil where that fails.
    private func step(into buffer: inout [UInt8], _ count: Int) -> Int? {
        let read = unsafe buffer.withUnsafeMutableBytes {
            unsafe zip_fread(file, $0.baseAddress!, UInt64(min(count, $0.count)))
        }
        guard read >= 0 else { return nil }
        position += UInt64(read)
        return Int(read)
    }

    /// Opens the member again and reads up to where the last call began; false where that cannot be done.
    private func goBack() -> Bool {
        guard let again = try? unsafe archive.stream(of: member) else { return false }
        _ = unsafe zip_fclose(file)
        unsafe file = again
        let target = position
        position = 0
        var passed = [UInt8](repeating: 0, count: 1 << 16)
        while position < target {
            guard !shouldStop() else { return false }
            guard let count = step(into: &passed, Int(min(UInt64(passed.count), target - position))), count > 0 else {
                return false
            }
        }
        return true
    }
}
