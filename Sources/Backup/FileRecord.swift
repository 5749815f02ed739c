/// The row of a file in `Manifest.db`: an object that was archived (`NSKeyedArchiver`), of which the wrapped key
/// counts.
///
///     $top: {root: UID} │ $objects: [ … {EncryptionKey: UID, Size, …} … {NS.data: 44 bytes} … ]
///
/// Some tools write the members without the archive: then the root itself has them. `Size` is not read: it is wrong for
/// databases, and the padding says how long a file is.
package enum FileRecord {
    /// Returns the wrapped key of a file; `nil` if it has none.
    package static func key(_ bytes: [UInt8]) throws(BackupFault) -> WrappedFileKey? {
        let list = try PropertyList(bytes)
        let file = try archived(list)
        guard let key = try list.member("EncryptionKey", of: file) else { return nil }
        switch key {
        case .data(let range): return try WrappedFileKey(list.data(range))
        case .uid(let number):
            let object = try reference(number, list)
            if case .data(let range) = try list.object(object) { return try WrappedFileKey(list.data(range)) }
            guard let data = try list.bytes("NS.data", of: object) else {
                throw BackupFault("the record of the file has a key that is not data")
            }
            return try WrappedFileKey(data)
        default: throw BackupFault("the record of the file has a key that is not data")
        }
    }

    /// Returns the object of the file: what `$top.root` refers to, else the root of the list.
    private static func archived(_ list: PropertyList) throws(BackupFault) -> Int {
        guard let top = try list.place(of: "$top", in: list.root) else { return list.root }
        guard case .uid(let number) = try list.member("root", of: top) else {
            throw BackupFault("the record of the file has no root")
        }
        return try reference(number, list)
    }

    /// Returns the object that a UID of an archive refers to.
    private static func reference(_ number: UInt64, _ list: PropertyList) throws(BackupFault) -> Int {
        guard case .array(let objects) = try list.member("$objects", of: list.root), number < UInt64(objects.count)
        else { throw BackupFault("the record of the file refers to an object that is not there") }
        return objects[Int(number)]
    }
}
