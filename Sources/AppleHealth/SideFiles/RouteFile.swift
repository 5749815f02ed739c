internal import CExpat
internal import Files
internal import Timestamps

/// Reads a GPX file as an export has it: places with what stands in them (`Spec/apple-health.md`, "Routes").
///
///     gpx ── trk ── trkseg ── trkpt lat lon ─┬─ ele, time
///                                            └─ extensions ── speed, course, hAcc, vAcc
///
/// A document type is refused, so that there are no entities but those of XML.
@safe
final class RouteFile {
    /// Places that were read and not taken yet.
    private(set) var points: [RoutePoint] = []
    /// Elements that a route file does not have, as far as is known.
    private(set) var unknown: [[UInt8]] = []
    /// `true` if the text is no route.
    private(set) var isBroken = false

    private let handle: OpaquePointer
    private var depth = 0
    private var point: RoutePoint?
    private var field: RoutePoint.Field?
    private var text: [UInt8] = []

    init() {
        guard let handle = unsafe XML_ParserCreate(nil) else { preconditionFailure("expat gives no parser") }
        unsafe self.handle = handle
        unsafe XML_SetUserData(handle, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            handle,
            { data, name, attributes in
                unsafe Unmanaged<RouteFile>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    unsafe $0.begin(name!, attributes!)
                }
            },
            { data, _ in unsafe Unmanaged<RouteFile>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.end() } })
        unsafe XML_SetCharacterDataHandler(handle) { data, bytes, count in
            unsafe Unmanaged<RouteFile>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                unsafe $0.add(UnsafeBufferPointer(start: bytes, count: Int(count)))
            }
        }
        unsafe XML_SetStartDoctypeDeclHandler(handle) { data, _, _, _, _ in
            unsafe Unmanaged<RouteFile>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.refuse() }
        }
    }

    deinit { unsafe XML_ParserFree(handle) }

    /// Reads the next bytes, at most 2^30; none at the end.
    func read(_ bytes: Span<UInt8>) {
        guard !isBroken else { return }
        let status = unsafe bytes.withUnsafeBytes {
            unsafe XML_Parse(
                handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), bytes.isEmpty ? 1 : 0)
        }
        if status != XML_STATUS_OK { isBroken = true }
    }

    /// Takes the places that were read so far, and the names that are not known.
    func take() -> (points: [RoutePoint], unknown: [[UInt8]]) {
        defer {
            points.removeAll(keepingCapacity: true)
            unknown.removeAll()
        }
        return (points, unknown)
    }

    private func refuse() {
        isBroken = true
        _ = unsafe XML_StopParser(handle, 0)
    }

    private func begin(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        depth += 1
        let name = unsafe Array(bytes(of: name))
        guard depth <= XMLParser.depthLimit, field == nil, depth > 1 || name.elementsEqual("gpx".utf8) else {
            return refuse()
        }
        text.removeAll(keepingCapacity: true)
        field = point == nil ? nil : Self.fields[name]
        if name.elementsEqual("trkpt".utf8) {
            guard point == nil else { return refuse() }
            var begun = RoutePoint()
            var next = unsafe attributes
            while let attribute = unsafe next.pointee, let value = unsafe next[1] {
                let name = unsafe Array(bytes(of: attribute))
                if name.elementsEqual("lat".utf8) { begun[.latitude] = unsafe Array(bytes(of: value)) }
                if name.elementsEqual("lon".utf8) { begun[.longitude] = unsafe Array(bytes(of: value)) }
                unsafe next += 2
            }
            point = begun
            pointDepth = depth
        } else if field == nil, !Self.others.contains(name) {
            unknown.append(name)
        }
    }

    private var pointDepth = 0

    private func end() {
        depth -= 1
        if let field {
            point?[field] = field == .time ? Self.timestamp(text) : text
            self.field = nil
        }
        guard let ended = point, depth < pointDepth else { return }
        points.append(ended)
        point = nil
    }

    private func add(_ part: UnsafeBufferPointer<CChar>) {
        guard field != nil else { return }
        unsafe text.append(contentsOf: part.lazy.map { UInt8(bitPattern: $0) })
        if text.count > RouteContent.textLimit { refuse() }
    }

    /// Returns a time `yyyy-MM-ddTHH:mm:ssZ` as a canonical timestamp, any other as it is.
    private static func timestamp(_ text: [UInt8]) -> [UInt8] {
        guard text.count == 20, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "Z"),
            let seconds = TimestampInput.unixSeconds(String(decoding: text, as: UTF8.self)),
            let canonical = try? TimestampText(seconds)
        else { return text }
        return Array(canonical.string.utf8)
    }

    private static let fields: [[UInt8]: RoutePoint.Field] = [
        Array("ele".utf8): .altitude, Array("time".utf8): .time, Array("speed".utf8): .speed,
        Array("course".utf8): .course, Array("hAcc".utf8): .horizontalAccuracy, Array("vAcc".utf8): .verticalAccuracy,
    ]
    private static let others = Set(
        ["gpx", "metadata", "time", "trk", "name", "trkseg", "extensions"].map { Array($0.utf8) })
}
