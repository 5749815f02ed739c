internal import CProcess
internal import Files

/// The sandbox of the process (`Spec/command-line.md`, "Sandbox"): whatever a faulty file makes a tool do, the kernel
/// refuses what its command has no use for.
///
/// It is entered before there is a second thread. A kernel without it, or one that forbids it, changes nothing.
struct Sandbox {
    /// The version of Landlock's interface that is in force, 0 if none is.
    let landlock: Int32
    /// `true` if the filter of system calls is in force.
    let filtersCalls: Bool

    /// The access that a command needs beyond its computing.
    enum Reach {
        /// The files that its command line names, and temporary files.
        case files(NamedFiles)
        /// Files anywhere: a command that records also completes exports that were interrupted, in any folder.
        case anyFile
        /// Whatever the programs need that it runs.
        case programs
    }

    /// The files that a call names.
    struct NamedFiles {
        /// Archives, other files that are read, and files or folders that are written.
        var archives: [Path] = [], read: [Path] = [], written: [Path] = []
    }

    /// The suffixes of files that are read with an archive or another file, and may be links to another folder.
    private static let archiveSuffixes = ["", ".cache", ".secret"]
    private static let fileSuffixes = ["", "-metadata.json", ".sig", ".tsr"]

    /// The paths that every process may read: libraries, settings of OpenSSL, random bytes, the number of processors,
    /// and the kernel's reports about this process.
    private static let systemPaths = [
        "/usr", "/lib", "/lib64", "/etc/ssl", "/etc/pki", "/etc/crypto-policies", "/etc/ld.so.cache",
        "/dev/urandom", "/dev/random", "/sys/devices/system/cpu", "/proc/self",
    ]
    private static let systemVariables = ["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES"]

    /// Enters the sandbox of a command.
    ///
    /// - Parameter libraryFolders: what libraries read while the command works.
    @discardableResult
    static func enter(_ reach: Reach, libraryFolders: [String]) -> Sandbox {
        switch reach {
        case .programs: return Sandbox(landlock: 0, filtersCalls: false)
        case .anyFile: return Sandbox(landlock: 0, filtersCalls: hp_forbid_calls() == 1)
        case .files(let files):
            let version = hp_landlock_version()
            let rules = version > 0 ? hp_landlock_begin(version) : -1
            var isInForce = false
            if rules >= 0 {
                let list = FileRules(rules: rules, version: version)
                list.allowSystem(libraryFolders)
                list.allow(files)
                isInForce = hp_landlock_enforce(rules) == 1
            }
            return Sandbox(landlock: isInForce ? version : 0, filtersCalls: hp_forbid_calls() == 1)
        }
    }

    /// The rules for files, while they are put together.
    private struct FileRules {
        let rules: Int32
        let version: Int32

        /// Allows what every command needs.
        func allowSystem(_ libraryFolders: [String]) {
            for path in Sandbox.systemPaths + libraryFolders { allow(Path(path)) }
            for variable in Sandbox.systemVariables {
                if let value = Environment.value(of: variable) { allow(Path(bytes: value)) }
            }
            allow(Path("/dev/null"), writes: true)
            for folder in Set([Path.temporaryFolder, .sortingFolder]) { allow(folder, writes: true) }
            #if HP_COVERAGE
                // What was reached is written when the process ends.
                if let file = Environment.value(of: "LLVM_PROFILE_FILE") {
                    allow(Path(bytes: file).directory, writes: true)
                }
            #endif
        }

        /// Allows what a call names.
        func allow(_ files: NamedFiles) {
            // The folder of a name and the folder that its links lead to hold what belongs to the file.
            for folder in Set(folders(of: files.read) + folders(of: files.archives)) { allow(folder) }
            for path in files.read { for suffix in Sandbox.fileSuffixes { allow(path.withSuffix(suffix)) } }
            for path in files.archives {
                for suffix in Sandbox.archiveSuffixes { allow(path.withSuffix(suffix)) }
                // SQLite shares the index of a log with other programs. It is never a link.
                for place in Set([path, target(of: path)]) {
                    let index = place.withSuffix("-shm")
                    if (try? FileStatus.ofName(index))?.isRegular == true { allow(index, writes: true) }
                }
            }
            for path in files.written.map(\.withoutSlashes) {
                allow(path.directory, writes: true)
                allow(path, writes: true)
            }
        }

        private func folders(of paths: [Path]) -> [Path] {
            paths.flatMap { path in
                let isLink = (try? FileStatus.ofName(path))?.isLink == true
                return isLink ? [path.directory, target(of: path).directory] : [path.directory]
            }
        }

        private func target(of path: Path) -> Path { (try? resolved(path)) ?? path }

        private func allow(_ path: Path, writes: Bool = false) {
            let name = path.bytes.map { CChar(bitPattern: $0) } + [0]
            unsafe hp_landlock_allow(rules, version, name, writes ? 1 : 0)
        }
    }
}

extension Path {
    /// The name without slashes at its end: what it names may not be there yet.
    fileprivate var withoutSlashes: Path {
        let end = bytes.lastIndex { $0 != UInt8(ascii: "/") } ?? 0
        return Path(bytes: Array(bytes.prefix(end + 1)))
    }
}
