internal import Bytes
internal import Archive

/// A record as pairs look at it (`Spec/pairs.md`).
struct PairRecord {
    var isBefore: Bool
    /// Index into the types of the context.
    var type: Int
    var sampleID, versionID: Int64
    /// Unix seconds.
    var start, end: Double
    var value, duration: Double?
    var category, activity: Int64?
    var texts: PairTexts
    /// Of a workout: what it states as a whole.
    var totals = WorkoutTotals()
    /// Of a series: the hash of its points.
    var series: [UInt8]?
    /// Texts in UTF-8.
    var identity, payload: [UInt8]

    var valueKind: [UInt8]? { texts.valueKind }
    var unit: [UInt8]? { texts.unit }
    var bundle: [UInt8]? { texts.bundle }
    var product: [UInt8]? { texts.product }
    var nameHash: [UInt8]? { texts.nameHash }

    /// Returns `true` if nothing shows that another record is of another app: not the bundle identifier, or else the
    /// name, and not the product.
    func mayBeOfApp(of other: PairRecord) -> Bool {
        func isSame(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool? {
            guard let one, let other else { return nil }
            return one == other
        }
        return isSame(bundle, other.bundle) ?? isSame(nameHash, other.nameHash) ?? true
            && isSame(product, other.product) ?? true
    }
}

// How a record travels beside the row that has its two hashes: numbers little-endian, and the place of its texts, or
// these themselves. What may be absent stands after a byte that says whether it is there.
extension PairRecord {
    func append(to bytes: inout ByteBuffer) {
        bytes.append(isBefore ? 1 : 0)
        bytes.append(lowBytesOf: UInt64(type), count: 4)
        for number in [sampleID, versionID] { bytes.append(lowBytesOf: UInt64(bitPattern: number)) }
        for number in [start, end] { bytes.append(lowBytesOf: number.bitPattern) }
        for number in [value, duration, totals.distance, totals.energy] { bytes.append(optional: number) }
        for number in [category, activity] { bytes.append(optional: number) }
        bytes.append(optional: series)
        bytes.append(lowBytesOf: UInt64(identity.count), count: 4)
        bytes.append(texts.place == nil ? 0 : 1)
        if let place = texts.place { return bytes.append(lowBytesOf: UInt64(place), count: 4) }
        for text in [valueKind, unit, bundle, product, nameHash] { bytes.append(optional: text) }
    }

    /// Reads what `append` wrote.
    ///
    /// - Parameter hashes: the two hashes as the row has them, 0 behind each.
    init(_ reader: inout CompactReader, hashes: Span<UInt8>, _ table: PairTextTable) {
        isBefore = reader.byte() == 1
        type = reader.number(4)
        sampleID = reader.integer()
        versionID = reader.integer()
        start = reader.double()
        end = reader.double()
        value = reader.optional { $0.double() }
        duration = reader.optional { $0.double() }
        totals = WorkoutTotals(distance: reader.optional { $0.double() }, energy: reader.optional { $0.double() })
        category = reader.optional { $0.integer() }
        activity = reader.optional { $0.integer() }
        series = reader.optionalText()
        let count = reader.number(4)
        identity = hashes.extracting(first: count).array
        payload = hashes.extracting(count + 1..<hashes.count - 1).array
        if let place = reader.optional({ $0.number(4) }) {
            texts = table.texts(at: place)
        } else {
            texts = table.texts((0..<5).map { _ in reader.optionalText() })
        }
    }
}
