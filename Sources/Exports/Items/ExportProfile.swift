internal import Archive
internal import Format
internal import Preimages

/// The part of the archive's knowledge that an export has (`Spec/shared-bundles.md`).
enum ExportProfile: Sendable {
    /// Everything.
    case whole
    /// The part that can be given to others: of the selected records, nothing about a device or other apps, and no hash
    /// over what is left out.
    case shared

    /// The kinds that a shared export leaves out; sorted. Its header states them.
    static let kindsLeftOut = ObjectFormat.headerExport.choices(of: "left_out")

    /// Returns `true` if records, observations and coverage have a member.
    func has(_ member: MemberFormat) -> Bool {
        self == .whole || !member.forms.isDisjoint(with: [.sharedRecord, .sharedBundle])
    }

    /// Returns `true` if metadata have a key. Apple's keys begin with `HK` or `_HK`; the private ones of them may be
    /// stored as they are, in archives of other engines.
    static func sharesMetadata(_ key: [UInt8]) -> Bool {
        PrivateMetadataKey.isApples(key) && !PrivateMetadataKey.ofApple.contains(key)
    }
}
