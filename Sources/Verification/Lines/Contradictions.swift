internal import CanonicalJSON
internal import Format

/// Members that are right by themselves but not beside each other, and absences that a defect stands for.
extension ItemFacts {
    /// The faults that remain once defects have excused what they may.
    func remaining(_ faults: [ShapeFault], holder: String, in line: Span<UInt8>) -> [ShapeFault] {
        guard faults.contains(where: \.isExcusable) else { return faults }
        let excused = excuses(holder: holder, in: line)
        return faults.filter { !($0.isExcusable && excused.contains($0.pointer)) }
    }

    /// What the defects excuse from being required.
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

    /// Where a version's hash stands: in an item, or on a side of a change.
    private static let versionPointers: Set<String> = ["/payload_hash", "/before/payload_hash", "/after/payload_hash"]

    /// Where a range that names no version leaves out a hash: nowhere in a sample, nor in a header.
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
        return found
    }

    /// Whether a defect's value has the form of its storage class.
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
