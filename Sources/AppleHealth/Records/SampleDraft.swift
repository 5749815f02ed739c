internal import Capture

/// An array in the metadata of a record, by its key.
enum MetadataList: String {
    case beats = "hp:beats"
    case events = "hp:events"
    case statistics = "hp:statistics"
    case activities = "hp:activities"
    case zones = "hp:zones"
    case sensitivityPoints = "hp:sensitivity_points"
    case eyes = "hp:eyes"
    case files = "hp:files"
}

/// An element that becomes a record, while it is open.
struct SampleDraft {
    /// Its element.
    var element = ElementName.other
    /// The line in which it begins.
    var line = 0
    /// Its type in the page; nil where that cannot be read.
    var type: Int?
    /// The record that it becomes, without metadata.
    var record = CapturedRecord(type: -1, start: 0, end: 0, valueKind: .quantity)
    /// Why it cannot be stored.
    var rejection: String?
    /// When it begins, in microseconds since 1970, where that can be read.
    var readableStart: Int64?
    /// The content that was read, as canonical JSON, if it or its parent cannot be stored.
    var content: [UInt8]?
    /// The content of the metadata.
    var metadata = MetadataDraft()
    /// Arrays that go into the metadata: keys, and canonical JSON without its end.
    var lists: [(key: MetadataList, json: [UInt8])] = []
    /// The second of the local day in which it begins.
    var secondOfDay = 0

    /// Begins another element; what was there is forgotten.
    mutating func begin(_ element: ElementName, line: Int) {
        self.element = element
        self.line = line
        type = nil
        record = CapturedRecord(type: -1, start: 0, end: 0, valueKind: Self.kind(of: element))
        rejection = nil
        readableStart = nil
        content = nil
        metadata.removeAll()
        if !lists.isEmpty { lists.removeAll() }
        secondOfDay = 0
    }

    /// Notes why it cannot be stored; the first reason stays.
    mutating func reject(_ reason: String) { if rejection == nil { rejection = reason } }

    /// Notes that it has no type, which weighs more than another reason.
    mutating func override(_ reason: String) { rejection = reason }

    /// Appends canonical JSON to an array of the metadata.
    mutating func append(_ json: [UInt8], to key: MetadataList) {
        for index in lists.indices where lists[index].key == key {
            lists[index].json.append(UInt8(ascii: ","))
            lists[index].json += json
            return
        }
        lists.append((key, [UInt8(ascii: "[")] + json))
    }

    /// Moves the arrays into the metadata.
    mutating func endLists() {
        for list in lists { metadata.add(own: Array(list.key.rawValue.utf8), json: list.json + [UInt8(ascii: "]")]) }
        lists.removeAll()
    }

    private static func kind(of element: ElementName) -> ValueKind {
        switch element {
        case .Correlation: .correlation
        case .Workout: .workout
        case .WorkoutRoute: .workoutRoute
        case .ActivitySummary: .activitySummary
        case .ClinicalRecord: .clinicalRecord
        case .Audiogram: .audiogram
        case .VisionPrescription: .visionPrescription
        default: .quantity
        }
    }
}

/// A child element that becomes an object in the metadata of a record, while it is open.
struct ObjectDraft {
    /// Its element.
    let element: ElementName
    /// The members so far.
    var members = JSONMembers()
    /// Its `MetadataEntry` children.
    var metadata = JSONMembers()
    /// Its children that are objects, as canonical JSON without its end.
    private var children: [(list: ObjectList, json: [UInt8])] = []

    /// An element without attributes yet.
    init(_ element: ElementName) { self.element = element }

    /// Returns the array of a record in which it stands, or of an activity.
    static func list(of element: ElementName) -> MetadataList? {
        switch element {
        case .WorkoutEvent: .events
        case .WorkoutStatistics: .statistics
        case .WorkoutActivity: .activities
        case .WorkoutZoneGroup: .zones
        case .SensitivityPoint: .sensitivityPoints
        case .RightEye, .LeftEye, .Prescription: .eyes
        default: nil
        }
    }

    /// Appends a child's canonical JSON.
    mutating func append(_ json: [UInt8], of child: ElementName) {
        let list: ObjectList =
            switch child {
            case .WorkoutEvent: .events
            case .WorkoutZone, .WorkoutZoneGroup: .zones
            default: .statistics
            }
        if let place = children.firstIndex(where: { $0.list == list }) {
            children[place].json.append(UInt8(ascii: ","))
            children[place].json += json
        } else {
            children.append((list, [UInt8(ascii: "[")] + json))
        }
    }

    /// Returns the object as canonical JSON.
    func object() -> [UInt8] {
        var all = members
        for child in children { all.add(Array(child.list.rawValue.utf8), child.json + [UInt8(ascii: "]")]) }
        if !metadata.isEmpty { all.add(Array("metadata".utf8), metadata.object()) }
        return all.object()
    }
}

/// An array in an object, by its member.
private enum ObjectList: String {
    case events, statistics, zones
}
