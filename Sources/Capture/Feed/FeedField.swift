/// A member that a line may have, whatever its kind (`Spec/capture-feed.md`).
enum FeedField: UInt8, CaseIterable {
    case kind, format, formatVersion
    case observedAt, triggerReason, appVersion, osVersion, timeZoneIdentifier, timeZoneOffset, selectedTypes
    case sampleType, category, displayName, mode, anchorBefore, anchorProblem
    case uuid, startDate, endDate, valueKind, numericValue, unit, categoryValue, workoutActivityType, durationSeconds,
        source, device, metadata
    case target, relationshipKind
    case number
    case status, anchorAfter, verifiedVisibleCount, errorKind, errorMessage

    /// The member's name, which needs no escape in a pointer.
    var name: String { Self.names[Int(rawValue)] }

    private static let names = [
        "kind", "format", "format_version",
        "observed_at", "trigger_reason", "app_version", "os_version", "time_zone_identifier",
        "time_zone_seconds_from_gmt", "selected_types",
        "sample_type", "category", "display_name", "mode", "anchor_before", "anchor_problem",
        "uuid", "start_date", "end_date", "value_kind", "numeric_value", "unit", "category_value",
        "workout_activity_type", "duration_seconds", "source", "device", "metadata",
        "target", "relationship_kind",
        "number",
        "status", "anchor_after", "verified_visible_count", "error_kind", "error_message",
    ]
}

/// A set of members.
struct FeedFields: OptionSet {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ field: FeedField) { rawValue = 1 << UInt64(field.rawValue) }

    init(_ fields: [FeedField]) { rawValue = fields.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }

    /// The first member of the set in the order of `FeedField`.
    var first: FeedField? { FeedField(rawValue: UInt8(rawValue.trailingZeroBitCount)) }
}

/// The kind of a line, with the members that it must and may have.
enum FeedKind: String, CaseIterable {
    case feed, observation, run, sample, deleted, relationship, page
    case runEnd = "run_end"
    case observationEnd = "observation_end"

    /// `true` if lines of this kind make up a page.
    var isContent: Bool { self == .sample || self == .deleted || self == .relationship }

    /// Members that must be there.
    static let required: [FeedKind: FeedFields] = [
        .feed: FeedFields([.kind, .format, .formatVersion]),
        .observation: FeedFields([.kind, .observedAt, .triggerReason]),
        .run: FeedFields([.kind, .sampleType, .mode]),
        .sample: FeedFields([.kind, .sampleType, .startDate, .endDate, .valueKind]),
        .deleted: FeedFields([.kind, .sampleType, .uuid]),
        .relationship: FeedFields([.kind, .source, .target, .relationshipKind]),
        .page: FeedFields([.kind, .number]),
        .runEnd: FeedFields([.kind, .sampleType, .status]),
        .observationEnd: FeedFields([.kind, .status]),
    ]

    /// Members that may be there, the required ones included.
    static let allowed: [FeedKind: FeedFields] = {
        let optional: [FeedKind: FeedFields] = [
            .observation: FeedFields([.appVersion, .osVersion, .timeZoneIdentifier, .timeZoneOffset, .selectedTypes]),
            .run: FeedFields([.category, .displayName, .anchorBefore, .anchorProblem]),
            .sample: FeedFields([
                .uuid, .numericValue, .unit, .categoryValue, .workoutActivityType, .durationSeconds, .source, .device,
                .metadata,
            ]),
            .relationship: FeedFields([.metadata]),
            .runEnd: FeedFields([.anchorAfter, .verifiedVisibleCount, .errorKind, .errorMessage]),
        ]
        return required.merging(optional) { $0.union($1) }
    }()
}

/// Finds members by their names: one look in a table, one comparison.
struct FeedNames {
    private let bytes: [[UInt8]]
    /// By hash; index + 1, or 0.
    private var table = [UInt8](repeating: 0, count: 256)

    init() {
        bytes = FeedField.allCases.map { Array($0.name.utf8) }
        for (index, name) in bytes.enumerated() {
            var place = Self.hash(name.span)
            while table[place] != 0 { place = (place + 1) & 255 }
            table[place] = UInt8(index + 1)
        }
    }

    /// Returns the member with a name; `nil` if there is none.
    func field(_ name: Span<UInt8>) -> FeedField? {
        guard !name.isEmpty else { return nil }
        var place = Self.hash(name)
        while table[place] != 0 {
            let index = table[place] - 1
            let known = bytes[Int(index)]
            if Self.isEqual(known.span, name) { return FeedField(rawValue: index) }
            place = (place + 1) & 255
        }
        return nil
    }

    private static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    private static func hash(_ name: Span<UInt8>) -> Int {
        (name.count &* 31 &+ Int(name[0]) &* 7 &+ Int(name[name.count - 1]) &* 3) & 255
    }
}
