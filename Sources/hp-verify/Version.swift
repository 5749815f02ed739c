/// The tool's version, as `--version` and the header of a salvage state it.
let version = "0.1.0"
