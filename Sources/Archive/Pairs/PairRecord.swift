internal import Bytes

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
    /// Texts in UTF-8.
    var valueKind, unit, bundle, product, nameHash: [UInt8]?
    var identity, payload: [UInt8]

    /// Seconds.
    var length: Double { end - start }
}

// How a record travels with a sorted row: numbers little-endian, texts after their length, what may be absent after
// a byte that says whether it is there.
extension PairRecord {
    func append(to bytes: inout ByteBuffer) {
        bytes.append(isBefore ? 1 : 0)
        for number in [Int64(type), sampleID, versionID] { bytes.append(lowBytesOf: UInt64(bitPattern: number)) }
        for number in [start, end] { bytes.append(lowBytesOf: number.bitPattern) }
        for number in [value, duration] { Self.append(number?.bitPattern, to: &bytes) }
        for number in [category, activity] { Self.append(number.map { UInt64(bitPattern: $0) }, to: &bytes) }
        for text in [valueKind, unit, bundle, product, nameHash, identity, payload] { Self.append(text, to: &bytes) }
    }

    private static func append(_ number: UInt64?, to bytes: inout ByteBuffer) {
        bytes.append(number == nil ? 0 : 1)
        if let number { bytes.append(lowBytesOf: number) }
    }

    static func append(_ text: [UInt8]?, to bytes: inout ByteBuffer) {
        bytes.append(text == nil ? 0 : 1)
        guard let text else { return }
        bytes.append(lowBytesOf: UInt64(text.count), count: 4)
        bytes.append(copying: text.span)
    }

    /// Reads what `append` wrote.
    init(_ reader: inout PairReader) {
        isBefore = reader.byte() == 1
        type = Int(reader.integer())
        sampleID = reader.integer()
        versionID = reader.integer()
        start = reader.double()
        end = reader.double()
        value = reader.isThere() ? reader.double() : nil
        duration = reader.isThere() ? reader.double() : nil
        category = reader.isThere() ? reader.integer() : nil
        activity = reader.isThere() ? reader.integer() : nil
        valueKind = reader.text()
        unit = reader.text()
        bundle = reader.text()
        product = reader.text()
        nameHash = reader.text()
        identity = reader.text() ?? []
        payload = reader.text() ?? []
    }
}

/// Reads what travels with a sorted row of pairs.
struct PairReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() -> UInt8 {
        position += 1
        return bytes[position - 1]
    }

    mutating func isThere() -> Bool { byte() == 1 }

    mutating func count() -> Int { Int(number(4)) }

    mutating func integer() -> Int64 { Int64(bitPattern: number(8)) }

    mutating func double() -> Double { Double(bitPattern: number(8)) }

    mutating func text() -> [UInt8]? {
        guard isThere() else { return nil }
        let count = count()
        position += count
        return Array(bytes[position - count..<position])
    }

    private mutating func number(_ count: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<count { number |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += count
        return number
    }
}
