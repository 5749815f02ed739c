internal import Archive
internal import Files

/// The facts of a backup in `Manifest.plist`.
struct BackupManifest {
    /// When the backup was made, in whole Unix seconds.
    let observedAt: Int64
    /// The identifier of the phone, its model and its system, such as `iPhone15,2` and `18.5`; `nil` if it is not
    /// stated.
    let phone: String?, product: String?, system: String?
    /// The key bag, and the wrapped key of `Manifest.db`.
    let keyBag: [UInt8], manifestKey: [UInt8]

    /// Reads the property list.
    ///
    /// - Throws: `ArchiveError` if the backup is not encrypted, or of a system whose backups are not supported.
    init(_ list: PropertyList, _ folder: Path) throws(ArchiveError) {
        let place = folder.appending(Array("Manifest.plist".utf8))
        let (date, isEncrypted) = try placed(place) { () throws(BackupFault) in
            (try list.member("Date", of: list.root), try list.member("IsEncrypted", of: list.root))
        }
        let lockdown = try placed(place) { () throws(BackupFault) in try list.place(of: "Lockdown", in: list.root) }
        func text(_ name: String) throws(ArchiveError) -> String? {
            guard let lockdown else { return nil }
            return try placed(place) { () throws(BackupFault) in try list.text(name, of: lockdown) }
        }
        (phone, product, system) = (try text("UniqueDeviceID"), try text("ProductType"), try text("ProductVersion"))
        guard isEncrypted == .boolean(true) else {
            throw ArchiveError(
                .unreadable,
                "\(folder.display): this backup is not encrypted, and Apple leaves health data out of such backups",
                hint: "turn on \"Encrypt local backup\" for the iPhone, and make a new backup")
        }
        let (keyBag, manifestKey) = try placed(place) { () throws(BackupFault) in
            (try list.bytes("BackupKeyBag", of: list.root), try list.bytes("ManifestKey", of: list.root))
        }
        guard let keyBag else { throw ArchiveError(.unreadable, "\(place.display): no BackupKeyBag") }
        guard let manifestKey else {
            throw Self.tooOld("\(place.display): no ManifestKey: a backup of iOS before 10.2")
        }
        guard case .date(let seconds) = date, seconds.magnitude < 1e10 else {
            throw ArchiveError(.unreadable, "\(place.display): no Date: it is not known when the backup was made")
        }
        observedAt = Int64(seconds.rounded(.down)) + 978_307_200
        (self.keyBag, self.manifestKey) = (keyBag, manifestKey)
    }

    /// Returns the error of a backup that is encrypted in another way.
    static func tooOld(_ text: String) -> ArchiveError {
        ArchiveError(.unreadable, text, hint: "such backups are not supported: back up a phone with a newer system")
    }
}
