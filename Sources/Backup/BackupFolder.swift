internal import Archive
internal import Bytes
internal import Files
internal import Manifest
internal import SQLite

/// An encrypted backup of a phone, as the phone wrote it: a folder with property lists, `Manifest.db`, and a file for
/// each file of the phone under `XX/ID`.
struct BackupFolder: ~Copyable {
    /// The content of its `Manifest.plist`.
    let manifest: BackupManifest
    private let folder: Folder

    /// The files that health data need, with the names that they have in every backup: SHA-1 of domain and path.
    static let health: [(path: String, id: String, isOptional: Bool)] = [
        ("Health/healthdb_secure.sqlite", "516d7e19a4a0c9475c0015fae195626377b1b810", false),
        ("Health/healthdb_secure.sqlite-wal", "cc8932e80da5f17e2e014bacc93d9d35d29cfbf9", true),
        ("Health/healthdb.sqlite", "fa2e5ac3b7a62c8b7cb21e440c79eedd218550ea", false),
        ("Health/healthdb.sqlite-wal", "44f4643aa5bf52da974e6b2a4b2e16a6cdd82849", true),
    ]
    /// A database and its log.
    typealias DatabaseFiles = (database: DecryptedFile, log: DecryptedFile?)

    /// Returns the place of a file in the folder.
    static func place(of id: String) -> String { "\(id.prefix(2))/\(id)" }

    /// The files about the backup itself.
    static let lists = ["Manifest.plist", "Status.plist", "Manifest.db"]

    /// Opens a backup and reads its property lists.
    ///
    /// - Throws: `ArchiveError` if it has no health data that can be read: unencrypted, unfinished, or too old.
    static func open(_ path: Path) throws(ArchiveError) -> BackupFolder {
        let folder = try ArchiveError.wrapping { () throws(FileError) in try Folder.open(path) }
        guard try has("Manifest.plist", in: folder) else {
            throw lacking("\(path.display): a backup without Manifest.plist")
        }
        let hasDatabase = try has("Manifest.db", in: folder), hasOld = try has("Manifest.mbdb", in: folder)
        guard hasDatabase || !hasOld else {
            throw BackupManifest.tooOld("\(path.display): a backup with Manifest.mbdb, of iOS before 10.2")
        }
        let manifest = try BackupManifest(try list("Manifest.plist", in: folder), path)
        for name in lists where try !has(name, in: folder) {
            throw lacking("\(path.display): the backup lacks \(name)")
        }
        try requireFinished(folder)
        return BackupFolder(manifest: manifest, folder: folder)
    }

    private static func lacking(_ text: String) -> ArchiveError {
        ArchiveError(.missing, text, hint: "copy all files that hp-export convert --list-needed names")
    }

    private static func requireFinished(_ folder: borrowing Folder) throws(ArchiveError) {
        let status = try list("Status.plist", in: folder), place = folder.path.appending(Array("Status.plist".utf8))
        let state = try placed(place) { () throws(BackupFault) in try status.text("SnapshotState", of: status.root) }
        guard state == "finished" else {
            throw ArchiveError(
                .unreadable, "\(place.display): the backup is not finished",
                hint: "wait until it has finished, or make a new one")
        }
    }

    /// Opens the health databases.
    ///
    /// - Parameter password: gives the password of the backup; asked for once, when all else is in order.
    func open(_ wait: LockWait, password: () throws -> Secret) throws
        -> (samples: DatabaseFiles, sources: DatabaseFiles)
    {
        let place = folder.path.appending(Array("Manifest.plist".utf8))
        let bag = try placed(place) { () throws(BackupFault) in try KeyBag(manifest.keyBag) }
        let wrapped = try placed(place) { () throws(BackupFault) in try WrappedFileKey(manifest.manifestKey) }
        try DecryptedFile.requireEncrypted(try Self.file("Manifest.db", in: folder))
        let keys: [UInt32: Secret]
        do { keys = try bag.classKeys(try password()) } catch let fault as BackupFault {
            throw ArchiveError(
                .unreadable, "\(folder.path.display): \(fault.text)",
                hint: "the password is the one that encrypts backups of this iPhone; its passcode is another")
        }
        let key = try placed(place) { () throws(BackupFault) in try wrapped.unwrapped(keys) }
        let rows = try DecryptedFile(try Self.file("Manifest.db", in: folder), key)
        try Self.requireDatabase(rows)
        let index = try SQLiteConnection<ArchiveError>.open(
            supplied: rows, log: nil, named: rows.path, wait: wait)
        if let table = try SchemaExpressions.tables(index).first {
            let text = "table \(printable(table.utf8)) has an expression in an index or a column"
            throw ArchiveError(.schema, "\(rows.path.display): \(text)")
        }
        var found: [DecryptedFile?] = []
        for file in Self.health {
            guard let record = try record(of: file.path, in: index, rows.path) else {
                guard file.isOptional else {
                    throw ArchiveError(
                        .missing, "\(folder.path.display): the backup has no \(file.path)",
                        hint: "the phone has no health data, or they are only in iCloud")
                }
                found.append(nil)
                continue
            }
            let key = try placed(record.path) { () throws(BackupFault) in try record.key.unwrapped(keys) }
            let opened = try DecryptedFile(try self.file(record, of: file.path), key)
            if !file.isOptional { try Self.requireDatabase(opened) }
            found.append(opened)
        }
        guard let samples = found[0], let sources = found[2] else { preconditionFailure("required files are there") }
        return ((samples, found[1]), (sources, found[3]))
    }

    /// The record of a file in `Manifest.db`.
    private struct Record {
        let id: [UInt8]
        let key: WrappedFileKey
        let path: Path
    }

    private static let recordLimit = 64 << 10

    private func record(of file: String, in index: borrowing SQLiteConnection<ArchiveError>, _ manifest: Path)
        throws(ArchiveError) -> Record?
    {
        var rows = try index.prepare(
            """
            SELECT fileID, CASE WHEN length(file) <= \(Self.recordLimit) THEN file END FROM Files \
            WHERE domain = 'HealthDomain' AND relativePath = '\(file)' LIMIT 2
            """)
        guard try rows.step() else { return nil }
        let id = rows.bytes(0), bytes = rows.bytes(1)
        guard try !rows.step() else { throw ArchiveError(.schema, "\(manifest.display): two rows of \(file)") }
        // Only then does it become a path.
        guard id.count == 40, id.allSatisfy({ Self.isHexadecimal($0) }) else {
            throw ArchiveError(
                .schema, "\(manifest.display): the row of \(file): its fileID is not 40 hexadecimal digits")
        }
        let key = try placed(manifest, "the row of \(file)") { () throws(BackupFault) in try FileRecord.key(bytes) }
        guard let key else { throw ArchiveError(.schema, "\(manifest.display): the row of \(file) has no key") }
        let path = folder.path.appending(Array(id[..<2])).appending(id)
        return Record(id: id, key: key, path: path)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private func file(_ record: Record, of name: String) throws(ArchiveError) -> Descriptor {
        do { return try folder.folder(Array(record.id[..<2])).file(record.id) } catch {
            guard error.isMissing else { throw ArchiveError(.unreadable, error.description) }
            throw Self.lacking("\(record.path.display): no such file: the backup lacks \(name)")
        }
    }

    private static func requireDatabase(_ file: DecryptedFile) throws(ArchiveError) {
        let text = DecryptedFile.databaseFront
        var front = [UInt8](repeating: 0, count: text.count)
        var isRead = false
        if file.byteCount >= 512 {
            var span = front.mutableSpan
            var bytes = unsafe span.mutableBytes
            isRead = file.read(into: &bytes, at: 0)
        }
        guard isRead, front == text else {
            throw ArchiveError(.unreadable, "\(file.path.display): not a SQLite database after it was decrypted")
        }
    }

    // MARK: Files

    private static func has(_ name: String, in folder: borrowing Folder) throws(ArchiveError) -> Bool {
        try ArchiveError.wrapping { () throws(FileError) in try folder.status(Array(name.utf8)) } != nil
    }

    private static func file(_ name: String, in folder: borrowing Folder) throws(ArchiveError) -> Descriptor {
        do { return try folder.file(Array(name.utf8)) } catch { throw ArchiveError(.unreadable, error.description) }
    }

    private static func list(_ name: String, in folder: borrowing Folder) throws(ArchiveError) -> PropertyList {
        let file = try file(name, in: folder)
        let path = file.path
        let (bytes, count) = try ArchiveError.wrapping { () throws(FileError) in
            let size = min(Int(try file.status().size), PropertyList.sizeLimit + 1)
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try file.read(into: &bytes, at: 0, count: size)
            return (bytes, count)
        }
        return try placed(path) { () throws(BackupFault) in try PropertyList(Array(bytes[..<count])) }
    }
}

/// Runs a reader of some bytes, and gives its fault a place.
func placed<Value>(_ path: Path, _ part: String? = nil, _ read: () throws(BackupFault) -> Value) throws(ArchiveError)
    -> Value
{
    do { return try read() } catch {
        let place = part.map { "\(path.display): \($0)" } ?? path.display
        let isXML = error.text.hasPrefix("an XML")
        throw ArchiveError(
            .unreadable, "\(place): \(error.text)",
            hint: isXML ? "use the file as the phone wrote it, or convert it: plutil -convert binary1" : nil)
    }
}
