package import Archive
package import Files
package import Manifest

/// The health databases of one phone as they were at one moment, open for reading.
///
/// | what the path names | what is opened |
/// |---|---|
/// | a backup (`Manifest.plist`) | its two databases, each with its log, decrypted in memory |
/// | a folder with both databases | these, each with the log next to it |
///
/// The folder above backups is an error that lists them.
package final class HealthSource {
    /// The path that was named.
    package let path: Path
    /// When the backup was made, and of which phone; `nil` if the folder does not state it.
    package let facts: BackupFacts?
    let samples: HealthFile
    let sources: HealthFile

    /// The file names of both databases.
    package static let names = ["healthdb_secure.sqlite", "healthdb.sqlite"]

    /// The places of both databases and their logs in a backup.
    package static var encryptedNames: [String] { BackupFolder.health.map { "\($0.id.prefix(2))/\($0.id)" } }

    /// Opens what a path names.
    ///
    /// - Parameter password: gives the password of an encrypted backup; it is asked for once, and only of a backup
    ///   that can be read with it.
    /// - Throws: `ArchiveError`, or what `password` throws.
    package init(_ path: Path, wait: LockWait, password: () throws -> Secret) throws {
        self.path = path
        guard let place = try HealthPlace(path) else { throw HealthPlace.nothing(path) }
        switch place {
        case .databases:
            let files = Self.names.map { path.appending(Array($0.utf8)) }
            for file in files where !FileStatus.exists(file) {
                throw ArchiveError(
                    .missing, "\(file.display): no such file",
                    hint: "copy \(Self.names[0]), \(Self.names[1]) and the -wal file of each into one folder")
            }
            PrivateCopy.removeAbandoned()
            samples = try HealthFile(files[0], wait)
            sources = try HealthFile(files[1], wait)
            facts = nil
        case .backup:
            let backup = try BackupFolder.open(path)
            let files = try backup.open(wait, password: password)
            samples = try HealthFile(files.samples.database, log: files.samples.log, wait)
            sources = try HealthFile(files.sources.database, log: files.sources.log, wait)
            var facts = BackupFacts(observedAt: backup.manifest.observedAt)
            facts.phone = backup.manifest.phone
            facts.systemVersion = backup.manifest.system
            self.facts = facts
        case .backups(let phones): throw HealthPlace.choice(path, phones)
        }
    }

    /// Returns the files that health data need of what a path names, relative to it.
    ///
    /// - Returns: those that are there, those without which nothing can be read, and others that a phone may have.
    package static func needed(_ path: Path) throws(ArchiveError)
        -> (found: [String], lacking: [String], extra: [String])
    {
        let isBackup: Bool
        switch try HealthPlace(path) {
        case .databases: isBackup = false
        case .backups(let phones): throw HealthPlace.choice(path, phones)
        case .backup, nil: isBackup = true
        }
        let required =
            isBackup
            ? BackupFolder.lists + BackupFolder.health.filter { !$0.isOptional }.map { BackupFolder.place(of: $0.id) }
            : names
        let optional =
            isBackup
            ? BackupFolder.health.filter(\.isOptional).map { BackupFolder.place(of: $0.id) } : names.map { $0 + "-wal" }
        func isThere(_ name: String) -> Bool { FileStatus.exists(path.appending(Array(name.utf8))) }
        return (
            (required + optional).filter(isThere), required.filter { !isThere($0) }, optional.filter { !isThere($0) }
        )
    }
}

/// The kind of place that a path names.
enum HealthPlace {
    case databases
    case backup
    /// Backups of phones, each in a folder of this one.
    case backups([Path])

    private static let marks = ["Manifest.plist", "Manifest.db", "Manifest.mbdb", "Status.plist"]
    private static let phoneLimit = 100

    /// Looks at a folder; `nil` if it has nothing of a phone.
    init?(_ path: Path) throws(ArchiveError) {
        let status = try ArchiveError.wrapping { () throws(FileError) in try FileStatus.of(path) }
        guard let status else { throw ArchiveError(.missing, "\(path.display): no such file or folder") }
        guard status.isDirectory else {
            throw ArchiveError(.unreadable, "\(path.display): \(status.kind), not a folder")
        }
        if Self.marks.contains(where: { FileStatus.exists(path.appending(Array($0.utf8))) }) {
            self = .backup
            return
        }
        if HealthSource.names.contains(where: { FileStatus.exists(path.appending(Array($0.utf8))) }) {
            self = .databases
            return
        }
        let names = try ArchiveError.wrapping { () throws(FileError) in try Files.names(in: path) }
        let phones = names.map { path.appending($0) }
            .filter { FileStatus.exists($0.appending(Array(Self.marks[0].utf8))) }
        guard !phones.isEmpty else { return nil }
        self = .backups(phones.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    }

    /// Returns the error of a folder with several phones.
    static func choice(_ path: Path, _ phones: [Path]) -> ArchiveError {
        let list = phones.prefix(phoneLimit).map { phone in
            do {
                let found = try BackupFolder.open(phone).manifest
                let parts = [found.product, found.system.map { "iOS \($0)" }].compactMap { part in
                    part.map { printable($0.utf8, limit: 40) }
                }
                let date = "\(FeedText.date(found.observedAt))Z"
                return "\(phone.display) (\((parts + [date]).joined(separator: ", ")))"
            } catch { return "\(phone.display) (not usable)" }
        }
        return ArchiveError(
            .notFound,
            phones.count == 1
                ? "\(path.display): the folder of a backup, not the backup"
                : "\(path.display): the folder of \(phones.count) backups, not one of them",
            hint: "name one: \(list.joined(separator: "; "))")
    }

    /// Returns the error of a folder without any of it.
    static func nothing(_ path: Path) -> ArchiveError {
        ArchiveError(
            .missing,
            "\(path.display): neither a backup with Manifest.plist, nor a folder with \(HealthSource.names[0])",
            hint: "hp-export convert --list-needed names the files that health data need")
    }
}
