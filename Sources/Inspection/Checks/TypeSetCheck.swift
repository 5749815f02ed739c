internal import Archive
internal import Codes
internal import Manifest
internal import SQLite

/// Sets of types under the hash of their list (`Spec/identity.md`).
enum TypeSetCheck {
    /// - Parameter rows: row id, hash, list.
    static func run(_ rows: inout Statement, _ log: inout CheckLog) throws(ArchiveError) {
        var hasher = ContentHasher()
        while try rows.step() {
            log.countRow()
            guard rows.storageClass(1) == .text, rows.storageClass(2) == .text else { continue }
            let digest = rows.withBytes(2) { hasher.digest(of: $0, in: .typeSet) }
            guard !rows.isHex(1, digest) else { continue }
            log.add(
                .evidenceTypeSet, "selected_type_sets", row: rows.exactInteger(0), column: "selected_type_set_hash",
                expected: digest.hex)
        }
    }
}
