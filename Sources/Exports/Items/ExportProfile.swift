internal import Archive

/// How much of what the archive knows an export has (`Spec/shared-bundles.md`).
enum ExportProfile: Sendable {
    /// Everything.
    case whole
    /// What can be given to others: of the selected records, nothing that speaks of a device or of other apps, and no
    /// hash over what is left out.
    case shared

    /// What a shared export leaves out, by kind; sorted. Its header says so.
    static let kindsLeftOut = [
        "device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
        "payload_hashes", "private_metadata", "relationships", "type_set",
    ]

    /// Members of a record that a shared one does not have. `metadata` has fewer members, and no hash.
    private static let members: Set = [
        "device", "events", "fuzzy_key", "payload_hash", "relationships", "semantic_fingerprint",
    ]

    /// Members of observations and of coverage that a shared header does not have.
    private static let headerMembers: Set = ["error_message_hash", "notes", "selected_type_set_hash"]

    /// Whether items have a member.
    func has(_ member: String) -> Bool { self == .whole || !Self.members.contains(member) }

    /// Whether observations and coverage have a member.
    func headerHas(_ member: String) -> Bool { self == .whole || !Self.headerMembers.contains(member) }

    /// Whether metadata have a key. Apple's keys are those that begin with `HK` or `_HK`; the private ones of them may
    /// be stored as they are, in archives of other engines.
    static func sharesMetadata(_ key: [UInt8]) -> Bool {
        let isOfApple = key.starts(with: "HK".utf8) || key.starts(with: "_HK".utf8)
        return isOfApple && !IdentityRules.privateKeys.contains(key)
    }
}
