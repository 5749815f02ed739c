import Archive
import Capture
import Exports
import Files
import Tool

// hp-export: fills an archive, exports its evidence, and lists it.

let tool = Tool(
    name: "hp-export", version: Generator.version,
    help: """
        usage: hp-export COMMAND ARCHIVE [OPTIONS]

          capture  add an Apple Health export or a capture feed to an archive
          bundle   export records into one compressed, hashed bundle and record it in the archive
          records  export the table of records that were visible at an observation: CSV or JSON
          diff     export what changed between two observations, or a summary of it, or findings
          manifest export the manifest of an observation: counts and hashes per sample type
          undo     take the newest observation back, after a verified backup
          repair   rebuild ranges or aggregates from the evidence, after a verified backup
          seal     give observations that have none an entry in the history of the archive
          list     list the archive's observations, sample types, changes, exports or context log

        hp-export COMMAND --help says more.
        exit status: 0 done, 2 could not be done, 128+n stopped by signal n

        """,
    commands: [
        CaptureCommand.command, BundleCommand.command, RecordsCommand.command, DiffCommand.command,
        ManifestCommand.command, UndoCommand.command, RepairCommand.command, SealCommand.command,
        ListCommand.command,
    ])

tool.main { error in
    switch error {
    case let error as ExportError: (error.description, error.hint)
    case let error as ArchiveError: (error.description, error.hint)
    case let error as CaptureError: (error.description, error.hint)
    case let error as FileError: (error.description, nil)
    default: nil
    }
}
