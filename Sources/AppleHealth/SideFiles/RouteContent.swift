internal import CanonicalJSON
internal import Capture
internal import Manifest

/// A place of a route: texts as its file has them, by the names of `Spec/apple-health.md`, "Routes".
struct RoutePoint {
    /// The fields of a place.
    enum Field: Int, CaseIterable {
        // In the order of their names.
        case altitude, course, horizontalAccuracy, latitude, longitude, speed, time, verticalAccuracy

        /// The member in the canonical text.
        var key: Key { Self.keys[rawValue] }

        private static let keys: [Key] = [
            "altitude", "course", "horizontal_accuracy", "latitude", "longitude", "speed", "time", "vertical_accuracy",
        ]
    }

    private var texts = [[UInt8]?](repeating: nil, count: Field.allCases.count)

    subscript(field: Field) -> [UInt8]? {
        get { texts[field.rawValue] }
        set { texts[field.rawValue] = newValue }
    }
}

/// The stored facts of a route: the number of its places, keyed hashes of where they are, and a hash of all of them. No
/// place is kept.
struct RouteContent: ~Copyable {
    /// Longest text of a number or a time.
    static let textLimit = 64

    private var hash = SHA256()
    private var json = Writer()
    private(set) var pointCount = 0
    private var latitudes = (least: Double.infinity, most: -Double.infinity)
    private var longitudes = (least: Double.infinity, most: -Double.infinity)
    /// Files that are not there, and files that cannot be read as a route.
    private(set) var missingFiles = 0
    private(set) var unreadableFiles = 0
    /// `true` if it has files that were not looked for.
    private var hasUnknownFiles = false

    init() { restart() }

    /// `true` if a file that it names could not be read.
    var isUnread: Bool { hasUnknownFiles || missingFiles + unreadableFiles > 0 }

    /// Forgets everything.
    mutating func restart() {
        let prefix = Array("hp:v2:route_points:".utf8)
        hash.restart()
        hash.update(prefix.span)
        pointCount = 0
        latitudes = (.infinity, -.infinity)
        longitudes = (.infinity, -.infinity)
        (missingFiles, unreadableFiles, hasUnknownFiles) = (0, 0, false)
    }

    mutating func noteMissingFile() { missingFiles += 1 }
    mutating func noteUnreadableFile() { unreadableFiles += 1 }
    mutating func noteUnknownFile() { hasUnknownFiles = true }

    /// Adds a place; false where it does not say where it is.
    mutating func add(_ point: RoutePoint) -> Bool {
        guard let latitude = Self.number(point[.latitude]), let longitude = Self.number(point[.longitude]) else {
            return false
        }
        latitudes = (min(latitudes.least, latitude), max(latitudes.most, latitude))
        longitudes = (min(longitudes.least, longitude), max(longitudes.most, longitude))
        json.removeAll()
        json.beginObject()
        for field in RoutePoint.Field.allCases {
            guard let text = point[field] else { continue }
            json.key(field.key)
            do throws(JSONError) { try json.string(text.span) } catch { return false }
        }
        json.endObject()
        json.append(UInt8(ascii: "\n"))
        let line = json.bytes
        hash.update(line.span)
        pointCount += 1
        return true
    }

    private static func number(_ text: [UInt8]?) -> Double? {
        guard let text, let number = DecimalText(text.span), number.value.isFinite else { return nil }
        return number.value + 0
    }

    /// Returns the content of the route's metadata, as canonical JSON; `nil` if nothing is known. The next route
    /// begins.
    mutating func finish(_ builder: inout PageBuilder) -> [UInt8]? {
        defer { restart() }
        var members = JSONMembers()
        if missingFiles + unreadableFiles > 0 {
            if missingFiles > 0 { members.add("missing_files", Int64(missingFiles)) }
            if unreadableFiles > 0 { members.add("unreadable_files", Int64(unreadableFiles)) }
            return members.object()
        }
        guard pointCount > 0, !hasUnknownFiles else { return nil }
        let key = Array("hp:bounds".utf8)
        let hashed = builder.privateValue(key: key.span, value: bounds.span)
        members.add(Array("bounds".utf8), JSONMembers.string(hashed.span))
        let digest = Array(hash.finish().hex.utf8)
        members.add(Array("content_hash".utf8), JSONMembers.string(digest.span))
        members.add("point_count", Int64(pointCount))
        return members.object()
    }

    private var bounds: [UInt8] {
        let bounds: JSONObject = [
            "max_latitude": latitudes.most, "max_longitude": longitudes.most, "min_latitude": latitudes.least,
            "min_longitude": longitudes.least,
        ]
        return bounds.bytes
    }
}

extension JSONMembers {
    /// Adds a whole number.
    mutating func add(_ key: String, _ value: Int64) { add(Array(key.utf8), Array(String(value).utf8)) }
}
