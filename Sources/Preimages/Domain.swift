/// The prefix of a hash's preimage (`Spec/hashes.md`, `Spec/identity.md`, `Spec/capture.md`): no text of one kind
/// can stand for another.
public struct Domain: Sendable {
    /// The prefix, ASCII.
    public let prefix: [UInt8]

    private init(_ name: StaticString) { prefix = Array("hp:v2:\(name):".utf8) }

    // Exports.

    /// One exported item.
    public static let item = Domain("export_item")
    /// The identity of an export.
    public static let exportID = Domain("export_id")
    /// A whole export.
    public static let manifest = Domain("export_manifest")
    /// The data saved from a damaged export.
    public static let salvage = Domain("salvage")

    /// The items of a type, in an observation manifest.
    public static let itemList = Domain("export_item_list")

    // What a capture stores.

    /// The payload of a version.
    public static let payload = Domain("payload")
    /// The exact identity of a sample without a UUID.
    public static let strictFingerprint = Domain("strict_fingerprint")
    /// A sample known only by its deletion.
    public static let unseenSample = Domain("unseen_sample")
    /// The weak identity of a sample.
    public static let semanticFingerprint = Domain("semantic_fingerprint")
    /// Metadata.
    public static let metadata = Domain("metadata")
    /// The sample types that an observation asked for.
    public static let typeSet = Domain("type_set")
    /// The offsets from UTC, and when they changed.
    public static let zoneRules = Domain("zone_rules")
    /// The summary of a type at an observation.
    public static let typeSummary = Domain("type_summary")
    /// A daily bucket.
    public static let dailyAggregate = Domain("daily_aggregate")

    // The history of an archive.

    /// The identity of an archive with a history.
    public static let historyArchive = Domain("history_archive")
    /// The salt of a history, from the archive secret.
    public static let historySalt = Domain("history_salt")
    /// Rows of a table that belong to an entry.
    public static let historyRows = Domain("history_rows")
    /// The statements of an observation about itself.
    public static let historyObservation = Domain("history_observation")
    /// An entry.
    public static let historyLink = Domain("history_link")

    // Private identifiers.

    /// A health store's UUID.
    public static let sampleUUID = Domain("sample_uuid")
    /// The name of a source.
    public static let sourceName = Domain("source_name")
    /// A device with all that identifies it.
    public static let device = Domain("device")
    /// A device's manufacturer.
    public static let manufacturer = Domain("manufacturer")
    /// A device's local identifier.
    public static let localIdentifier = Domain("local_identifier")
    /// A device's UDI.
    public static let udi = Domain("udi")
    /// A chain seed.
    public static let deviceChain = Domain("device_chain")
    /// The message of an error.
    public static let errorMessage = Domain("error_message")
    /// The data read of a record that cannot be stored.
    public static let rejectedRecord = Domain("rejected_record")
    /// A person's birth date.
    public static let person = Domain("person")
    /// The target identifier of a phone.
    public static let phone = Domain("phone")
    /// The value of a private metadata key.
    public static let privateMetadata = Domain("private_metadata")
}
