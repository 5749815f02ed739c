public import Archive
internal import Bytes
public import Files

/// Why an export could not be made.
public enum ExportError: PipeError, HintedError, Sendable {
    /// The archive refused.
    case archive(ArchiveError)
    /// The output, or another file, refused.
    case file(FileError)
    /// The output must not be written where it was asked for.
    case output(OutputError)
    /// An item makes a longer line than readers accept.
    case lineLimit(sampleID: Int64, bytes: Int, limit: Int)
    /// The same export was recorded before with another manifest hash.
    case evidenceChanged(exportID: String, recorded: String, now: String)
    /// The archive changed while the export was made, and does not give it any more: an observation was undone, where
    /// one is named, or rows were repaired.
    case outdated(archive: String, observation: Int64?, isStream: Bool)
    /// The export shows an observation that has not ended, so it may still change.
    case unfinished(archive: String, observation: Int64)
    /// Stopped by a signal.
    case interrupted

    public var description: String {
        switch self {
        case .archive(let error): error.description
        case .file(let error): error.description
        case .output(let error): error.description
        case .lineLimit(let sample, let bytes, let limit):
            "samples row \(sample): its item makes a line of \(bytes) bytes, and readers accept \(limit)"
        case .evidenceChanged(let id, let recorded, let now):
            "export \(id): recorded with \(Self.hash(recorded)), now \(now): the evidence changed since"
        case .outdated(let archive, let observation, let isStream):
            "\(archive): \(observation.map { "observation \($0) was undone" } ?? "the archive changed") "
                + "during the export: "
                + (isStream ? "nothing is recorded, and the output does not match the archive" : "no file is written")
        case .unfinished(let archive, let observation):
            "\(archive): observation \(observation) has not ended: what it shows may change, so no export of it is "
                + "recorded"
        case .interrupted: "interrupted"
        }
    }

    /// Returns a manifest hash that an archive holds. A text without the form of a hash is not repeated.
    private static func hash(_ recorded: String) -> String {
        let isHash = recorded.utf8.count == 64 && recorded.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
        return isHash ? "manifest hash \(recorded)" : "a manifest hash that is none"
    }

    public var isBrokenPipe: Bool {
        if case .file(let error) = self { error.isBrokenPipe } else { false }
    }

    /// The action that the user may take.
    public var hint: String? {
        switch self {
        case .archive(let error): error.hint
        case .output(let error): error.hint
        case .lineLimit: "raise the limit with --max-line BYTES; readers need the same option"
        case .evidenceChanged:
            "hp-verify archive checks the archive; --no-record writes the bundle without recording it"
        case .unfinished: "--no-record exports what it shows now"
        case .outdated(_, _, let isStream): isStream ? "delete the output and run it again" : "run it again"
        default: nil
        }
    }
}

/// Runs a part of an export and gives its errors one type.
func asExportError<Result: ~Copyable>(_ body: () throws -> Result) throws(ExportError) -> Result {
    do {
        return try body()
    } catch let error as ExportError {
        throw error
    } catch let error as ArchiveError {
        throw error.code == .interrupted ? .interrupted : .archive(error)
    } catch let error as FileError {
        throw .file(error)
    } catch let error as OutputError {
        throw .output(error)
    } catch {
        preconditionFailure("an export throws only errors of archives, files and outputs")
    }
}
