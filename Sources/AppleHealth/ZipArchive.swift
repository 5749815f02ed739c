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
    func open(_ member: Member) throws(CaptureError) -> ZipMemberReader {
        guard let file = unsafe zip_fopen_index(handle, member.index, 0) else {
            let code = unsafe zip_error_code_zip(zip_get_error(handle))
            throw CaptureError(.format, "\(name): a member of the zip cannot be read: \(Self.text(code))")
        }
        return unsafe ZipMemberReader(self, file)
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
struct ZipMemberReader: ~Copyable {
    private let archive: ZipArchive
    private let file: OpaquePointer

    fileprivate init(_ archive: ZipArchive, _ file: OpaquePointer) {
        self.archive = archive
        unsafe self.file = file
    }

    deinit { _ = unsafe zip_fclose(file) }

    /// Reads up to `buffer.count` bytes; 0 at the end, nil where the member is damaged (its checksum is looked at when it ends).
    func read(into buffer: inout [UInt8]) -> Int? {
        let count = buffer.count
        let step = unsafe buffer.withUnsafeMutableBytes { unsafe zip_fread(file, $0.baseAddress!, UInt64(count)) }
        return step < 0 ? nil : Int(step)
    }
}
