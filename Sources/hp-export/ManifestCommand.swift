import Exports
import Files
import Tool

/// `hp-export manifest`.
enum ManifestCommand {
    static let command = Tool.Command(
        "manifest", "export the manifest of an observation: counts and hashes per sample type",
        usage: ["ARCHIVE [-o FILE] [OPTIONS]"],
        about: [
            .text(
                "Writes the manifest of an observation: for each sample type how many records were visible, and a "
                    + "hash over all of them. Two observations with the same hash showed the same records."),
            .text(
                "Hashes are not salted: whoever has that of a few records can find their values by trying. Give a "
                    + "manifest only to those who may see the records."),
        ],
        options: [ExportArguments.output, ExportArguments.format(usual: "json"), ExportArguments.at]
            + ExportArguments.options,
        example: "archive.sqlite --at previous", access: ExportArguments.access
    ) { arguments, call in
        try await ExportArguments(arguments, call, output: Path("-")).runAtObservation(.observationManifest, "json")
    }
}
