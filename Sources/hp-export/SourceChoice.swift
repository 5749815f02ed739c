import Archive
import Capture
import Files
import Tool

/// The sources of an archive that `--source-name` can name (`Spec/command-line.md`, "Names of sources"). Names are
/// not said again: what is said may be logged.
struct SourceChoice {
    /// Hashes that stand in the archive.
    let hashes: Set<String>
    let labels: Labels

    /// The hash of the source that a text names: by its label, by its hash or the first digits of it, or by its name,
    /// which needs the secret of the archive.
    func find(_ text: String, _ archive: Path) throws -> String {
        let labelled = labels.names.filter { hashes.contains($0.key) && $0.value.utf8.elementsEqual(text.utf8) }
        if labelled.count == 1, let label = labelled.first { return label.key }
        guard labelled.isEmpty else {
            let found = labelled.keys.sorted().map { $0.prefix(16) }.joined(separator: ", ")
            throw UsageError("--source-name: \(labelled.count) sources have this label: \(found)")
        }
        if let hash = try hash(ofName: text, archive), hashes.contains(hash) { return hash }
        switch HashPrefix.find(text, among: hashes) {
        case .one(let hash): return hash
        case .several(let count):
            throw UsageError("--source-name: \(count) sources have a hash that begins so")
        case .none(let nearest?):
            throw UsageError(
                "--source-name: there is no such source; the nearest is \(nearest.prefix(max(16, text.utf8.count)))")
        case .none(nil), .malformed:
            throw UsageError(
                "--source-name: there is no source of this name, label or hash; hp-export list \(archive.display) "
                    + "sources has them")
        }
    }

    /// The hash of a name with the secret at its usual place; nil where there is none.
    private func hash(ofName name: String, _ archive: Path) throws -> String? {
        let path = SecretFile.defaultPath(of: archive)
        guard FileStatus.exists(path) else { return nil }
        let secret = try ArchiveSecret.find(path, for: archive, changesNothing: true)
        return secret.isNew ? nil : secret.sourceNameHash(Array(name.utf8))
    }
}
