import Archive
import Files
import Salvage
import Tool

// hp-verify: recomputes what hp-export states, from the bytes alone, and compares it with the archive.

let tool = Tool(
    name: "hp-verify", version: version,
    help: """
        usage: hp-verify COMMAND [OPTIONS] [FILE]...

          archive          check an archive's integrity, from the file's pages to its recorded exports
          reproduce        recompute recorded exports and compare them with what was recorded
          bundle           verify recovery bundles and reports, alone or against an archive
          salvage          recover the intact lines of a damaged bundle
          compare          compare two bundles or reports item by item
          canonicalize     print the canonical form (RFC 8785) of a JSON text
          check-canonical  say whether a JSON text is canonical, and where it first deviates
          explain          say what a finding means and what to do

        hp-verify COMMAND --help says more.
        exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done, 128+n stopped by signal n

        """,
    commands: [
        ArchiveCommand.command, ReproduceCommand.command, BundleCommand.command, SalvageCommand.command,
        CompareCommand.command,
        CanonicalizeCommand.command, CheckCanonicalCommand.command, ExplainCommand.command,
    ])

tool.main { error in
    switch error {
    case let error as ArchiveError: (error.description, error.hint)
    case let error as FileError: (error.description, nil)
    case let error as OutputError: (error.description, error.hint)
    case let error as SalvageError: (error.description, nil)
    case let error as NotReadable: (error.description, nil)
    default: nil
    }
}
