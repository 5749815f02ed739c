internal import CanonicalJSON
internal import Timestamps

/// A pair as its item has it, and its records.
struct PairValues {
    /// A record of one side.
    struct Record {
        var texts: [String: [UInt8]] = [:]
        var numbers: [String: Double] = [:]
        var start: Double { seconds("start_date") }
        var end: Double { seconds("end_date") }
        var length: Double { end - start }

        /// The double that a timestamp stands for; the item's shape says that it is there.
        private func seconds(_ name: String) -> Double {
            texts[name].flatMap { TimestampReader.moment(in: $0.span)?.unixSeconds } ?? .nan
        }
    }

    /// So many records a side has at most.
    static let recordLimit = 1024

    private(set) var before: [Record] = []
    private(set) var after: [Record] = []
    /// The item's own texts and numbers.
    private(set) var own = Record()

    /// Reads a pair without faults.
    init(_ item: Span<UInt8>) {
        var reader = Reader(.canonical)
        // The item was read before, so that nothing can be thrown.
        try? read(item, &reader)
    }

    private mutating func read(_ item: Span<UInt8>, _ reader: inout Reader) throws(JSONError) {
        _ = try reader.next(in: item)
        while case .key(let key) = try reader.next(in: item) {
            let name = String(decoding: key.range.map { item[$0] }, as: UTF8.self)
            switch name {
            case "after": after = try Self.records(item, &reader)
            case "before": before = try Self.records(item, &reader)
            case "ambiguous_with", "source": _ = try reader.skipValue(in: item)
            default: try Self.read(name, item, &reader, into: &own)
            }
        }
    }

    private static func records(_ item: Span<UInt8>, _ reader: inout Reader) throws(JSONError) -> [Record] {
        var records: [Record] = []
        _ = try reader.next(in: item)
        while case .beginObject = try reader.next(in: item) {
            var record = Record()
            while case .key(let key) = try reader.next(in: item) {
                try read(String(decoding: key.range.map { item[$0] }, as: UTF8.self), item, &reader, into: &record)
            }
            // More than a pair can have are not kept: their number alone is a fault.
            if records.count <= Self.recordLimit { records.append(record) }
        }
        return records
    }

    private static func read(_ name: String, _ item: Span<UInt8>, _ reader: inout Reader, into record: inout Record)
        throws(JSONError)
    {
        switch try reader.next(in: item) {
        case .string(let text):
            var bytes: [UInt8] = []
            reader.unescape(text, in: item, into: &bytes)
            record.texts[name] = bytes
        case .number(let range): record.numbers[name] = reader.double(range, in: item)
        default: break
        }
    }
}
