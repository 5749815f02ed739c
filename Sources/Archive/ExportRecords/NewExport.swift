/// An export that is about to be recorded: its row of `export_manifests`, and what is left to do after the commit.
public struct NewExport: Sendable {
    let exportID: String
    let kind: String
    let scope: Scope
    let filterJSON: String
    let manifestHash: String
    let itemCount: Int
    let createdAt: Double
    let intents: [PublishIntent]

    /// - Parameters:
    ///   - kind: `export_kind`.
    ///   - createdAt: Unix seconds.
    ///   - intents: one per file that still has its temporary name.
    public init(
        exportID: String, kind: String, scope: Scope, filterJSON: String, manifestHash: String, itemCount: Int,
        createdAt: Double, intents: [PublishIntent]
    ) {
        self.exportID = exportID
        self.kind = kind
        self.scope = scope
        self.filterJSON = filterJSON
        self.manifestHash = manifestHash
        self.itemCount = itemCount
        self.createdAt = createdAt
        self.intents = intents
    }
}
