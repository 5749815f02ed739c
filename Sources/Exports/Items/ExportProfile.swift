internal import Archive
internal import Format
internal import Preimages

/// How much of what the archive knows an export has (`Spec/shared-bundles.md`).
enum ExportProfile: Sendable {
    /// Everything.
    case whole
    /// What can be given to others: of the selected records, nothing that speaks of a device or of other apps, and no
    /// hash over what is left out.
    case shared

    /// What a shared export leaves out, by kind; sorted. Its header says so.
    static let kindsLeftOut = ObjectFormat.headerExport.choices(of: "left_out")

    /// Whether records, observations and coverage have a member.
    func has(_ member: MemberFormat) -> Bool {
        self == .whole || !member.forms.isDisjoint(with: [.sharedRecord, .sharedBundle])
    }

    /// Whether metadata have a key. Apple's keys are those that begin with `HK` or `_HK`; the private ones of them may
    /// be stored as they are, in archives of other engines.
    static func sharesMetadata(_ key: [UInt8]) -> Bool {
        PrivateMetadataKey.isApples(key) && !PrivateMetadataKey.ofApple.contains(key)
    }
}
