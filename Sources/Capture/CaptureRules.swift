/// The rules after which records are read, fixed when an archive is made (`Spec/identity.md`, "Rules").
public struct CaptureRules: Sendable, Hashable {
    /// What `archive_metadata` states as `identity_rules`; 1 where it states nothing.
    public let version: Int64

    /// Those of archives that are made now.
    public static let current = CaptureRules(version: 2)
    /// Those of the first archives, for which nothing may read otherwise than it did.
    public static let first = CaptureRules(version: 1)

    /// Rules; `version` is 1 or 2.
    public init(version: Int64) { self.version = version }

    /// Whether the source is read as those of rules 1 were not: more of it becomes records, and more of it private.
    public var readsEverything: Bool { version >= 2 }
}
