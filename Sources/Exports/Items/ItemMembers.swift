internal import Archive
internal import CanonicalJSON
internal import Format

/// The members of an item, sorted by their keys: `Spec/items.md` as a table.
struct ItemMembers: Sendable {
    /// The origin of a member's value.
    enum Origin: Sendable {
        /// A column of the sample.
        case sample
        /// A column of the version.
        case version
        case defects, device, events, itemKind, metadata, relationships, sampleType, source, visibility
    }

    let keys: KeyList
    /// In the order of the keys; `metadata` writes `metadata_hash` too. `column` counts only for columns.
    let members: [(origin: Origin, forms: Forms, member: Member)]
    /// The key of `metadata_hash`.
    let metadataHash: Member
    /// All members in turn, in parts: those that a record may have just as the record before it, and those that it
    /// has for itself.
    let parts: [(members: Range<Int>, isCommon: Bool)]

    /// A member of an item, and where its value comes from.
    struct Source {
        let format: MemberFormat
        let origin: Origin
        let column: RecordColumn

        /// Nil for `metadata_hash`.
        init?(_ format: MemberFormat) {
            self.format = format
            if let column = RecordColumn.stored(format.name), let stored = column.stored {
                (origin, self.column) = (stored.table == .sample ? .sample : .version, column)
                return
            }
            switch format.name {
            case "defects": (origin, column) = (.defects, .hasSample)
            case "device": (origin, column) = (.device, .hkDeviceID)
            case "events": (origin, column) = (.events, .hasSample)
            case "item_kind": (origin, column) = (.itemKind, .hasSample)
            case "metadata": (origin, column) = (.metadata, .metadataID)
            case "metadata_hash": return nil
            case "relationships": (origin, column) = (.relationships, .isRelated)
            case "sample_type": (origin, column) = (.sampleType, .sampleTypeID)
            case "source": (origin, column) = (.source, .sourceRevisionID)
            case "visibility": (origin, column) = (.visibility, .hasSample)
            default: preconditionFailure("\(format.name) comes from no column")
            }
        }

        var entry: MemberList.Entry { MemberList.Entry(format, column.rawValue) }
    }

    init(_ profile: ExportProfile = .whole) {
        let table = ObjectFormat.evidenceItem.members.filter { profile.has($0) }.compactMap(Source.init)
        let list = MemberList(table.map(\.entry) + [Self.metadataHashColumn])
        keys = list.keys
        members = zip(table, list.members).map { ($0.origin, $0.format.forms, $1) }
        metadataHash = list.members[table.count]
        var parts: [(members: Range<Int>, isCommon: Bool)] = []
        for (index, entry) in table.enumerated() {
            let isCommon =
                switch entry.origin {
                case .sample, .version: entry.column.isCommon
                case .itemKind, .sampleType, .visibility: true
                case .defects, .device, .events, .metadata, .relationships, .source: false
                }
            if let last = parts.last, last.isCommon == isCommon {
                parts[parts.count - 1].members = last.members.lowerBound..<index + 1
            } else {
                parts.append((index..<index + 1, isCommon))
            }
        }
        self.parts = parts
    }

    /// `metadata_hash`, of items and of relationships.
    static let metadataHashColumn = MemberList.Entry(
        name: "metadata_hash", column: MetadataColumn.metadataHash.rawValue, type: .text, isRequired: true)
}

/// The members of a change, and of the versions in it, sorted by their keys: `Spec/changes.md` as a table.
struct ChangeMembers: Sendable {
    /// The origin of a member's value.
    enum Origin: Sendable {
        /// A column of the sample.
        case sample
        case after, before, change, changedFields, defects, events, itemKind, label, pair, reasons,
            relationshipAfter, relationshipBefore, runAfter, runBefore, sampleType
    }

    let keys: KeyList
    let members: [(origin: Origin, member: Member)]
    /// Of a version; `metadata` writes `metadata_hash` too.
    let versionKeys: KeyList
    let versionMembers: [(origin: ItemMembers.Origin, member: Member)]
    /// `true` for each of these that identifies the version, and so is no field that changed.
    let isOwn: [Bool]
    let metadataHash: Member

    init() {
        let table = ObjectFormat.changeItem.members.map { format in
            let (origin, column) = Self.source(of: format)
            return (origin: origin, entry: MemberList.Entry(format, column.rawValue))
        }
        let list = MemberList(table.map(\.entry))
        keys = list.keys
        members = zip(table, list.members).map { ($0.origin, $1) }
        let ofVersion = ObjectFormat.changeItemBefore.members.compactMap(ItemMembers.Source.init)
        let version = MemberList(ofVersion.map(\.entry) + [ItemMembers.metadataHashColumn])
        versionKeys = version.keys
        versionMembers = zip(ofVersion, version.members).map { ($0.origin, $1) }
        let told = ObjectFormat.changeItem.choices(of: "changed_fields")
        isOwn = ofVersion.map { !told.contains($0.format.name) }
        metadataHash = version.members[ofVersion.count]
    }

    private static func source(of format: MemberFormat) -> (Origin, RecordColumn) {
        if let column = RecordColumn.stored(format.name) { return (.sample, column) }
        return switch format.name {
        case "after": (.after, .hasVersion)
        case "before": (.before, .hasVersion)
        case "change": (.change, .hasVersion)
        case "changed_fields": (.changedFields, .hasVersion)
        case "defects": (.defects, .hasSample)
        case "events": (.events, .hasSample)
        case "item_kind": (.itemKind, .hasSample)
        case "label": (.label, .hasVersion)
        case "pair": (.pair, .hasVersion)
        case "reasons": (.reasons, .hasVersion)
        case "relationship_after": (.relationshipAfter, .hasSample)
        case "relationship_before": (.relationshipBefore, .hasSample)
        case "run_after": (.runAfter, .hasSample)
        case "run_before": (.runBefore, .hasSample)
        case "sample_type": (.sampleType, .sampleTypeID)
        default: preconditionFailure("\(format.name) comes from no column")
        }
    }
}

/// The members of a relationship.
struct RelationshipMembers: Sendable {
    let keys: KeyList
    let observation, kind, sampleType, uuidHash, strictFingerprint, metadataHash, ended: Member
    /// Keys of the members that no column gives.
    let end, endInScope, metadata: Int

    init() {
        func entry(_ name: String, _ column: RelationshipColumn, _ type: ValueType = .text, isRequired: Bool = false)
            -> MemberList.Entry
        {
            MemberList.Entry(name: name, column: column.rawValue, type: type, isRequired: isRequired)
        }
        let list = MemberList(
            [
                entry("observation_id", .observationID, .integer),
                entry("relationship_kind", .relationshipKind, isRequired: true),
                entry("end_sample_type", .endTypeIdentifier, isRequired: true),
                entry("end_identity_hash", .endUUIDHash),
                entry("end_identity_hash", .endStrictFingerprint, isRequired: true),
                ItemMembers.metadataHashColumn,
                entry("ended_observation_id", .endedObservationID, .integer),
            ], others: ["end", "end_in_scope", "metadata"])
        keys = list.keys
        (observation, kind, sampleType) = (list.members[0], list.members[1], list.members[2])
        (uuidHash, strictFingerprint, metadataHash) = (list.members[3], list.members[4], list.members[5])
        ended = list.members[6]
        (end, endInScope, metadata) = (
            keys.index(of: "end"), keys.index(of: "end_in_scope"), keys.index(of: "metadata")
        )
    }
}

/// Members of the objects inside an item, and of the header's, whose columns are in the order of the members. Each use
/// makes a list of its own (see `MemberList`).
enum Members {
    static var device: MemberList { MemberList(.evidenceItemDevice) }
    static var source: MemberList { MemberList(.evidenceItemSource) }
    static var visibility: MemberList { MemberList(.evidenceItemVisibility) }
    static var event: MemberList { MemberList(.evidenceItemEvents) }
    static var deviceChain: MemberList { MemberList(.headerExportDeviceChain) }

    static func observation(_ profile: ExportProfile) -> MemberList { MemberList(.headerExportObservations, profile) }

    /// Members of a coverage entry that has a type run; `isRequired` speaks of the run's columns.
    static func coverage(_ profile: ExportProfile) -> MemberList { MemberList(.headerExportCoverage, profile) }
}
