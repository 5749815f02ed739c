import Archive
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
                    + "hash over all of them. Two observations with the same hash showed the same records.")
        ], operands: [Tool.Operand(.archive)],
        options: [ExportArguments.output, ExportArguments.format(usual: "json"), ExportArguments.at]
            + ExportArguments.options,
        example: "archive.sqlite --at previous",
        exitStatus: ExitStatus.ofExports, onlyReads: { $0.has("--no-record") }, run: run)

    private static func run(_ arguments: Arguments, _ voice: Voice) async throws -> ExitStatus {
        let export = try ExportArguments(arguments, voice, output: Path("-"))
        let container = try export.container("json")
        let (choice, selection) = (try export.observation("--at") ?? .latest, try export.scope())
        let archive = try export.open(recording: export.isRecorded)
        let observation = try archive.observationID(choice)
        let scope = Scope(
            mode: .pointInTime, observationID: observation,
            filter: try selection.filter(of: observation, in: archive))
        return try await export.run(.observationManifest, scope, container, of: archive)
    }
}
