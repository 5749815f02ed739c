import AppleHealth
import Archive
import Manifest
import Tool

// hp-export: fills an archive, exports its evidence, and lists it.

let tool = Tool(
    name: "hp-export", libraries: [Archive.library] + DigestsAndFrames.libraries + AppleHealthLibraries.all,
    libraryFolders: DigestsAndFrames.folders, summary: "keep an archive of health records, and export what is in it",
    usage: "COMMAND ARCHIVE [OPTIONS]",
    about: [
        .text(
            "Fills an archive with Apple Health exports and capture feeds, says what changed between two of them, "
                + "and writes bundles and reports whose every record has a hash, which hp-verify(1) recomputes."),
        .text(
            "An archive is one SQLite file. Beside it lies its secret, ARCHIVE.secret, without which no capture goes "
                + "on with it. Results go to standard output or to files, everything else to standard error. A "
                + "failed run leaves no output file."),
    ], exitStatus: Tool.Term.statuses("done"),
    commands: [
        CaptureCommand.command, ConvertCommand.command, BundleCommand.command, RecordsCommand.command,
        DaysCommand.command, DiffCommand.command,
        ReportCommand.command, ManifestCommand.command, UndoCommand.command, RepairCommand.command, SealCommand.command,
        HistoryCommand.command,
        CheckCommand.command, CacheCommand.command, LabelCommand.command, SignCommand.command,
        ListCommand.command,
    ], otherNames: ["add": "capture", "backup": "capture", "import": "capture"])

tool.main()
