internal import CanonicalJSON
internal import Format

/// Members that are right by themselves but not beside each other, and absences that a defect stands for.
extension ItemFacts {
    /// Returns the faults that remain once defects have excused what they may.
    func remaining(_ faults: [ShapeFault], holder: String, in line: Span<UInt8>) -> [ShapeFault] {
        guard faults.contains(where: \.isExcusable) else { return faults }
        let excused = excuses(holder: holder, in: line)
        return faults.filter { !($0.isExcusable && excused.contains($0.pointer)) }
    }

    /// Returns the places that the defects excuse from being required.
    private func excuses(holder: String, in line: Span<UInt8>) -> Set<String> {
        var places: Set<String> = []
        let isShared = ItemFacts.bytes(self[.itemKind], line) == Array("shared_record".utf8)
        for defect in defects {
            guard let pointer = ItemFacts.bytes(defect.pointer, line).map({ String(decoding: $0, as: UTF8.self) })
            else { continue }
            places.insert(holder + pointer)
            // Some name a row that gives more than one member.
            if isShared, pointer == "/start_date" {
                places.formUnion(ShapeTables.versionMembers.map { holder + "/" + $0 })
            }
            if Self.versionPointers.contains(pointer) {
                let version = holder + pointer.dropLast("/payload_hash".count)
                places.formUnion(ShapeTables.versionMembers.map { version + "/" + $0 })
            }
            if pointer == "/strict_fingerprint" {
                places.formUnion(ShapeTables.sampleMembers.map { holder + "/" + $0 })
            }
            if pointer.hasPrefix("/relationship"), pointer.hasSuffix("/end_identity_hash") {
                places.insert(holder + pointer.dropLast("end_identity_hash".count) + "end_sample_type")
            }
        }
        return places
    }

    /// The places of a version's hash: in an item, or on a side of a change.
    private static let versionPointers: Set<String> = ["/payload_hash", "/before/payload_hash", "/after/payload_hash"]

    /// Returns the places where a range that names no version leaves out a hash: none in a sample, nor in a header.
    private func versionPointers(in line: Span<UInt8>) -> Set<String> {
        switch ItemFacts.bytes(self[.itemKind], line).map({ String(decoding: $0, as: UTF8.self) }) {
        case "record", "version": ["/payload_hash"]
        case "shared_record": ["/start_date"]
        case "change": Self.versionPointers.subtracting(["/payload_hash"])
        default: []
        }
    }

    /// Pointers, from the object that holds the arrays, to what contradicts something else.
    ///
    /// - Parameter holder: the object that holds the arrays.
    func contradictions(in line: Span<UInt8>, holder: Captured?) -> [String] {
        var found: [String] = []
        if let holder, !defects.isEmpty {
            let pointers = DefectPointers(defects.map { ItemFacts.bytes($0.pointer, line) ?? [] })
            for index in pointers.present(in: line.extracting(holder.range)) {
                found.append("/defects/\(index)/pointer")
            }
        }
        let versions = versionPointers(in: line)
        for (index, defect) in defects.enumerated() {
            if !Self.isValueRight(defect, line) { found.append("/defects/\(index)/value") }
            guard ItemFacts.bytes(defect.reason, line) == Array("no_version".utf8) else { continue }
            let pointer = ItemFacts.bytes(defect.pointer, line).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let fault = "/defects/\(index)/pointer"
            if !versions.contains(pointer), !found.contains(fault) { found.append(fault) }
        }
        func isSorted<Key>(_ keys: [Key?], _ precedes: (Key, Key) -> Bool) -> Bool {
            // An entry without its key cannot be compared.
            guard keys.allSatisfy({ $0 != nil }) else { return true }
            return zip(keys, keys.dropFirst()).allSatisfy { !precedes($1!, $0!) }
        }
        if !isSorted(defects.map { ItemFacts.bytes($0.pointer, line) }, { $0.lexicographicallyPrecedes($1) }) {
            found.append("/defects")
        }
        if !isSorted(ranges.map(\.first), <) { found.append("/visibility") }
        let eventKeys = events.map { event in
            event.observation.flatMap { observation in ItemFacts.bytes(event.kind, line).map { (observation, $0) } }
        }
        if !isSorted(eventKeys, { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }) {
            found.append("/events")
        }
        if relationships.count > 1 {
            let keys = relationships.map { entry in
                [entry.kind, entry.end, entry.type, entry.identity].map { ItemFacts.bytes($0, line) }
            }
            for (left, right) in zip(keys, keys.dropFirst())
            where (zip(right, left).lazy.map { OrderKey.compare($0, $1) }.first { $0 != 0 } ?? 0) < 0 {
                found.append("/relationships")
                break
            }
        }
        if !areDaySourcesRight(in: line) { found.append("/sources") }
        return found
    }

    /// Returns `true` if the sources of a day are sorted, each once, and as many as the day states.
    private func areDaySourcesRight(in line: Span<UInt8>) -> Bool {
        guard !daySources.isEmpty else { return true }
        let count = self[.sourceCount].flatMap { Self.integer($0, line) }
        let keys = daySources.map { [ItemFacts.bytes($0.name, line), ItemFacts.bytes($0.bundle, line)] }
        return count == Int64(daySources.count)
            && zip(keys, keys.dropFirst()).allSatisfy { left, right in
                (zip(left, right).lazy.map { OrderKey.compare($0, $1) }.first { $0 != 0 } ?? 0) < 0
            }
    }

    /// Returns `true` if a defect's value has the form of its storage class.
    private static func isValueRight(_ defect: DefectEntry, _ line: Span<UInt8>) -> Bool {
        let value = ItemFacts.bytes(defect.value, line)
        func isHex(_ bytes: [UInt8]) -> Bool {
            bytes.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
        }
        switch ItemFacts.bytes(defect.storageClass, line).map({ String(decoding: $0, as: UTF8.self) }) {
        case "null": return value == nil
        case "real": return value.map { $0.count == 16 && isHex($0) } ?? false
        case "text", "blob": return value.map { $0.count.isMultiple(of: 2) && isHex($0) } ?? false
        case "integer":
            guard let value else { return false }
            let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value[...]
            return value == [UInt8(ascii: "0")]
                || ((1...19).contains(digits.count) && digits.first != UInt8(ascii: "0")
                    && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        default: return false
        }
    }
}

/// The pointers of an object's defects (RFC 6901), looked up in one walk over the object: O(its length and theirs).
struct DefectPointers {
    /// A step of some pointers: where the next ones lead, and which pointers end here.
    private struct Step {
        var next: [[UInt8]: Int] = [:]
        var ends: [Int] = []
    }

    private var steps = [Step()]

    /// - Parameter pointers: unescaped texts, in the order of the defects. One that is no pointer is passed over.
    init(_ pointers: [[UInt8]]) {
        for (index, pointer) in pointers.enumerated() where pointer.first == UInt8(ascii: "/") {
            var step = 0
            for token in pointer.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                let name = Self.unescaped(token)
                if let next = steps[step].next[name] {
                    step = next
                } else {
                    steps.append(Step())
                    steps[step].next[name] = steps.count - 1
                    step = steps.count - 1
                }
            }
            steps[step].ends.append(index)
        }
    }

    /// Returns the numbers of the pointers that name something in an object, sorted.
    func present(in object: Span<UInt8>) -> [Int] {
        var reader = Reader(.canonical)
        var found: [Int] = []
        // The object was read before, so that nothing can be thrown.
        try? walk(object, from: 0, &reader, &found)
        return found.sorted()
    }

    /// Walks a value at which a step leads.
    private func walk(_ object: Span<UInt8>, from step: Int, _ reader: inout Reader, _ found: inout [Int])
        throws(JSONError)
    {
        found += steps[step].ends
        guard !steps[step].next.isEmpty else {
            _ = try reader.skipValue(in: object)
            return
        }
        switch try reader.next(in: object) {
        case .beginObject:
            while case .key(let key) = try reader.next(in: object) {
                var name: [UInt8] = []
                reader.unescape(key, in: object, into: &name)
                if let next = steps[step].next[name] {
                    try walk(object, from: next, &reader, &found)
                } else {
                    _ = try reader.skipValue(in: object)
                }
            }
        case .beginArray:
            var index = 0
            while object[reader.position] != UInt8(ascii: "]") {
                if let next = steps[step].next[Array(String(index).utf8)] {
                    try walk(object, from: next, &reader, &found)
                } else {
                    _ = try reader.skipValue(in: object)
                }
                index += 1
            }
            _ = try reader.next(in: object)
        default: break
        }
    }

    /// Unescapes a token (RFC 6901, 4).
    private static func unescaped(_ token: ArraySlice<UInt8>) -> [UInt8] {
        var name: [UInt8] = []
        var isEscape = false
        for byte in token {
            if isEscape {
                name.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscape = false
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else {
                name.append(byte)
            }
        }
        return name
    }
}
