internal import CZip
internal import Capture
internal import Files
internal import Glibc

/// A zip file that is read with libzip, ZIP64 included.
@safe
final class ZipArchive {
    /// A file in it.
    struct Member {
        let index: UInt64
        /// The bytes of its name, in whatever encoding.
        let name: [UInt8]
        /// Bytes of its content.
        let size: UInt64
    }

    private let handle: OpaquePointer
    private let name: String

    /// Opens a zip. `file` has to allow seeking.
    init(_ file: consuming Descriptor) throws(CaptureError) {
        name = file.path.display
        let number: Int32
        do throws(FileError) { number = try file.relinquished() } catch { throw CaptureError(.source, error.description) }
        var code: Int32 = 0
        guard let handle = unsafe zip_fdopen(number, 0, &code) else {
            Descriptor.close(relinquished: number)
            throw CaptureError(.format, "\(name): cannot be read as a zip: \(Self.text(code))")
        }
        unsafe self.handle = handle
    }

    deinit { unsafe zip_discard(handle) }

    /// Its files; folders and files without a name or size are left out.
    func members() -> [Member] {
        let count = unsafe zip_get_num_entries(handle, 0)
        return (0..<UInt64(max(0, count))).compactMap { index -> Member? in
            var status = unsafe zip_stat_t()
            guard unsafe zip_stat_index(handle, index, zip_flags_t(ZIP_FL_ENC_RAW), &status) == 0, unsafe status.valid & UInt64(ZIP_STAT_SIZE) != 0, let text = unsafe status.name else { return nil }
            let name = unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
            return name.isEmpty || name.last == 0x2F ? nil : Member(index: index, name: name, size: unsafe status.size)
        }
    }

    /// Opens a file in it for reading.
    func open(_ member: Member) throws(CaptureError) -> ZipMemberReader { try ZipMemberReader(self, member) }

    fileprivate func stream(of member: Member) throws(CaptureError) -> OpaquePointer {
        guard let file = unsafe zip_fopen_index(handle, member.index, 0) else {
            let code = unsafe zip_error_code_zip(zip_get_error(handle))
            throw CaptureError(.format, "\(name): a member of the zip cannot be read: \(Self.text(code))")
        }
        return unsafe file
    }

    /// What libzip says of an error number.
    private static func text(_ code: Int32) -> String {
        var error = unsafe zip_error_t()
        unsafe zip_error_init_with_code(&error, code)
        defer { unsafe zip_error_fini(&error) }
        guard let text = unsafe zip_error_strerror(&error) else { return "error \(code)" }
        return String(decoding: unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))), as: UTF8.self).lowercased()
    }
}

/// A file in a zip that is being read; its archive stays open as long.
@safe
final class ZipMemberReader {
    private let archive: ZipArchive
    private let member: ZipArchive.Member
    private var file: OpaquePointer
    /// Bytes that were read.
    private var position: UInt64 = 0
    /// Whether the rest is read byte by byte.
    private var isDamaged = false

    fileprivate init(_ archive: ZipArchive, _ member: ZipArchive.Member) throws(CaptureError) {
        self.archive = archive
        self.member = member
        unsafe file = try archive.stream(of: member)
    }

    deinit { _ = unsafe zip_fclose(file) }

    /// Reads up to `buffer.count` bytes; 0 at the end, nil where the member is damaged (its checksum is looked at when it ends).
    ///
    /// A call that meets the damage keeps what it unpacked to itself. Then the member is opened again, and what stands before that place comes out byte by byte, but perhaps for the last:
    /// what is read of it does not depend on how much is read at once.
    func read(into buffer: inout [UInt8]) -> Int? {
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
        let read = unsafe buffer.withUnsafeMutableBytes { unsafe zip_fread(file, $0.baseAddress!, UInt64(min(count, $0.count))) }
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
            guard let count = step(into: &passed, Int(min(UInt64(passed.count), target - position))), count > 0 else { return false }
        }
        return true
    }
}
