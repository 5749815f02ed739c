import Archive
import Manifest
import Tool

// hp-verify: recomputes what hp-export states, from the bytes alone, and compares it with the archive.

let tool = Tool(
    name: "hp-verify", libraries: [Archive.library] + DigestsAndFrames.libraries,
    libraryFolders: DigestsAndFrames.folders, summary: "verify archives, bundles and reports of health records",
    usage: "COMMAND [OPTIONS] [FILE]...",
    about: [
        .text(
            "Recomputes what hp-export(1) states, from the bytes alone, and compares it with the archive. A fault is "
                + "a finding: every finding has a code, which explain says the meaning of, and a place, and none "
                + "shows a stored value."),
        .text("Archives and bundles are only read: nothing in them or beside them is created or changed."),
    ], exitStatus: VerifyOptions.exitStatus,
    commands: [
        ArchiveCommand.command, ReproduceCommand.command, BundleCommand.command, StatementCommand.command,
        SalvageCommand.command,
        CompareCommand.command, HistoryCommand.command,
        CanonicalizeCommand.command, CheckCanonicalCommand.command, ExplainCommand.command,
    ])

tool.main()
