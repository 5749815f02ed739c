import Archive
import Codes
import Exports
import Files
import Glibc
import Inspection
import Manifest
import Verification

/// Opening, listing, checking and exporting any archive, with what lies beside it.
///
///     archive │ companion │ companion's size, 3 bytes │ kind, 1 byte
///
/// The kind's low bits: 1 is a log, 2 a journal, 3 nothing; where they are 0, as they are at the end of most archives,
/// the whole input is the archive.
enum ArchiveTarget {
    private static let folder = Folder("archive")
    private static let bundle = InputFile("archive-bundle")
    private static let lists: [Listing.Kind] = [.observations, .types, .changes, .exports, .context]

    static func check(_ bytes: [UInt8]) {
        let input = Input(bytes)
        let files = folder.place(input)
        let facts = look()
        requireSame(look(), facts, "looking twice finds the same")
        require(folder.files() == files, "looking at an archive changes nothing beside it or in it")
        export()
    }

    /// What the lists and the checks of an archive say; one line where it cannot be opened.
    private static func look() -> [String] {
        var facts: [String] = []
        do throws(ArchiveError) {
            let archive = try Archive.open(folder.archive, for: .evidence)
            for kind in lists {
                do throws(ArchiveError) { facts.append("\(try archive.listing(kind).rows)") } catch {
                    facts.append(error.description)
                }
            }
            var options = InspectionOptions()
            options.findingLimit = 100
            let report = try ArchiveInspection.run(archive, options)
            for check in report.checks { facts += ["\(check.check) \(check.total)"] + check.findings.map { "\($0)" } }
            require(!report.isChanged, "nobody else changes the archive")
        } catch {
            facts.append(error.description)
        }
        return facts
    }

    /// A bundle of whatever the archive holds is a sound file.
    private static func export() {
        let (archive, target) = (folder.archive, bundle.path)
        let isDone = waiting { () -> Bool in
            do {
                let opened = try Archive.open(archive, for: .reading)
                let scope = Scope(mode: .history, observationID: try opened.observationID(.latest))
                var request = ExportRequest(
                    .recoveryBundle, scope: scope, container: .bundle(level: 1),
                    destination: .file(target, replacing: true))
                request.isRecorded = false
                _ = try await Export.run(request, of: opened)
                return true
            } catch {
                return false
            }
        }
        guard isDone else { return }
        let report = waiting { () -> Report in
            do {
                return try await BundleVerifier.verify(Descriptor.reading(target), options: VerificationOptions())
            } catch {
                fatalError("a bundle that was written can be verified: \(error)")
            }
        }
        // What it says of the evidence may be wrong, as the archive is; how it is written may not.
        let faults = report.findings.filter { finding in
            [.container, .line, .canonical].contains(finding.layer) || finding.code == .itemHash
        }
        require(faults.isEmpty, "a bundle of any archive is a sound file: \(faults.first?.code.rawValue ?? "")")
    }

    /// An input, taken apart. Any bytes are one.
    private struct Input {
        let archive: ArraySlice<UInt8>
        let companion: (suffix: String, bytes: ArraySlice<UInt8>)?

        init(_ bytes: [UInt8]) {
            let kind = (bytes.last ?? 0) & 3
            guard bytes.count >= 4, kind != 0 else {
                archive = bytes[...]
                companion = nil
                return
            }
            let rest = bytes.dropLast(4)
            let size = bytes.suffix(4).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            let count = kind == 3 ? 0 : min(size, rest.count)
            archive = rest.dropLast(count)
            companion = kind == 3 ? nil : (kind == 1 ? "-wal" : "-journal", rest.suffix(count))
        }
    }

    /// A folder in memory for an archive and what lies beside it.
    private struct Folder {
        private let path: Path
        let archive: Path

        init(_ name: String) {
            let text = "/dev/shm/hp-fuzz-\(getpid())-\(name)"
            require(unsafe mkdir(text, 0o700) == 0, "a folder in /dev/shm can be made")
            path = Path(text)
            archive = path.appending(Array("a.sqlite".utf8))
        }

        /// Replaces the folder's files; returns them.
        func place(_ input: Input) -> [String: [UInt8]] {
            for name in entries() { try? remove(path.appending(name)) }
            write(input.archive, to: archive)
            if let companion = input.companion { write(companion.bytes, to: archive.withSuffix(companion.suffix)) }
            return files()
        }

        /// The names and bytes of all files.
        func files() -> [String: [UInt8]] {
            var found: [String: [UInt8]] = [:]
            for name in entries() { found[String(decoding: name, as: UTF8.self)] = bytes(of: path.appending(name)) }
            return found
        }

        private func entries() -> [[UInt8]] {
            guard let entries = try? names(in: path) else { fatalError("a folder of ours can be read") }
            return entries.filter { $0 != Array(".".utf8) && $0 != Array("..".utf8) }
        }

        private func write(_ bytes: ArraySlice<UInt8>, to path: Path) {
            do throws(FileError) {
                let file = try Descriptor.creating(path)
                try file.write(bytes.span)
                try file.close()
            } catch {
                fatalError("a file of ours can be written: \(error)")
            }
        }

        private func bytes(of path: Path) -> [UInt8] {
            do throws(FileError) {
                let file = try Descriptor.reading(path)
                var bytes = [UInt8](repeating: 0, count: Int(try file.status().size))
                _ = try file.read(into: &bytes, at: 0, count: bytes.count)
                return bytes
            } catch {
                fatalError("a file of ours can be read: \(error)")
            }
        }
    }
}
