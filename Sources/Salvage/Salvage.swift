/// Salvage: the intact lines of a damaged bundle, in a new file that says what it is (`Spec/salvage.md`).
///
/// Of a bundle:
///
///     FrameScanner ─► FrameSalvager ─► LineVerifier, several side by side ─► SalvagedFrame
///                                                                              │ one, in order
///     Account: what was damaged ◄─ Salvager ─► Spool: frames of recovered items ─► Repeats, Missing
///                                                                              │
///     SalvageFile: header with the account, the spool, the last line, seek table
///
/// What an editor or a decompressor left is a text: TextSalvager finds lines and rows in it, one after the other.
/// Of several copies each is read like that, and SalvageMerge puts together what they gave.
///
/// Undamaged frames are copied as they are. Items go to the spool first, so that the header can say what became of
/// all of them.

public import CanonicalJSON
public import Files

/// The options of a salvage.
public struct SalvageOptions: Sendable {
    /// Largest text of a frame, in bytes.
    public var frameLimit = 66 << 20
    /// Longest line, in bytes.
    public var lineLimit = 64 << 20
    /// Identities of each kind that the comparison with an archive lists; the others are counted.
    public var identityLimit = 1000
    /// `true` if an existing output is replaced.
    public var isReplacing = false
    /// Name and version of the tool, for the header.
    public var generator: (name: String, version: String)
    /// Called with the number of items that were recovered.
    public var progress: @Sendable (Int) -> Void = { _ in }
    /// Asked between frames whether to give up.
    public var shouldStop: @Sendable () -> Bool = { false }

    /// The usual options.
    public init(generator: (name: String, version: String)) { self.generator = generator }
}

/// The result for a file, or for several copies of one.
public struct SalvageResult: Sendable {
    /// The files that were read.
    public let files: [SalvagedFile]
    /// Items that were recovered.
    public let itemCount: Int
    /// Of these, items that were recovered before in the same file.
    public let repeatedCount: Int
    /// The damages, in the order of the files; the first thousand.
    public let account: [AccountEntry]
    /// Entries in all.
    public let accountCount: Int
    /// `true` if header and manifest are intact.
    public let hasHeader, hasManifest: Bool
    /// `true` if the seek table is intact; `nil` if there is none to be had: in a text, and in copies together.
    public let hasSeekTable: Bool?
    /// The export's id, where the header is intact.
    public let exportID: String?
    /// The items that the manifest counts and that were not recovered; `nil` if the manifest was lost.
    public let missing: Missing?
    /// Hash of the salvage.
    public let salvageHash: String
    /// The archive's answer; `nil` if none was asked.
    public let archive: ArchiveMatch?
    /// `true` if nothing is missing and nothing is damaged. For copies: if together they hold everything.
    public let isWhole: Bool
}

/// One of the files that were read, and what it gave.
public struct SalvagedFile: Sendable {
    /// Its name.
    public let path: Path
    /// Its bytes.
    public let source: SalvageSource
    /// Items that were recovered from it.
    public let itemCount: Int
    /// The number of damages in it.
    public let accountCount: Int
    /// `true` if its header and its manifest are intact.
    public let hasHeader, hasManifest: Bool
    /// The export's id, where the header is intact.
    public let exportID: String?
}

/// The file that was salvaged.
public struct SalvageSource: JSONValue, Sendable {
    /// Its size in bytes.
    public let size: Int64
    /// SHA-256 of all its bytes, in hex.
    public let sha256: String

    /// Writes it as a member of the salvage's header and of the tool's result.
    public func write(to json: inout Writer) {
        (["sha256": sha256, "size": size] as JSONObject).write(to: &json)
    }
}

/// A file that cannot be salvaged: no regular file, one that changed while it was read, or one whose format nothing
/// reads any more.
public struct SalvageError: Error, Sendable, CustomStringConvertible {
    /// One line: the file, and why not.
    public let description: String

    init(_ path: Path, _ why: String) {
        description = "\(path.display): \(why)"
    }
}
