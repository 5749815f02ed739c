internal import Bytes
internal import CanonicalJSON
internal import Format
internal import Timestamps

/// Encodes objects of canonical text that were read before, so that nothing in them can be wrong.
struct ObjectEncoder: ~Copyable {
    private(set) var encoding = FieldEncoding()

    /// Begins anew.
    mutating func begin(_ kind: FieldEncoding.Kind) { encoding.begin(kind) }

    /// Adds the members of an object.
    ///
    /// - Parameters:
    ///   - defects: what the item that holds it states of members that are not there.
    ///   - pointer: of the object, from the item.
    ///   - metadata: the hash of the member `metadata`, where there is one.
    mutating func add(
        _ object: Span<UInt8>, _ fields: [FieldEncoding.Field], _ defects: StatedDefects?, at pointer: String,
        metadata: UInt128? = nil
    ) {
        let values = Self.values(of: fields, in: object)
        for (index, field) in fields.enumerated() {
            if let value = values[index] {
                if field.name == "metadata" {
                    encoding.add(index, object: metadata ?? 0)
                } else {
                    add(index, field.form, value, in: object)
                }
            } else if let defect = defects?[pointer + "/" + field.name] {
                encoding.add(index, defect: defect.storageClass.span, defect.value.span)
            }
        }
    }

    /// Adds metadata: the canonical text of an object, or a text.
    mutating func add(metadata value: Span<UInt8>) {
        guard value[0] == UInt8(ascii: "\"") else {
            encoding.add(0, flag: true)
            return encoding.add(1, text: value)
        }
        encoding.add(0, flag: false)
        add(text: 1, 0..<value.count, in: value)
    }

    private mutating func add(_ index: Int, _ form: FieldEncoding.Form, _ value: Range<Int>, in object: Span<UInt8>) {
        if object[value.lowerBound] == UInt8(ascii: "t") { return encoding.add(index, flag: true) }
        if object[value.lowerBound] == UInt8(ascii: "f") { return encoding.add(index, flag: false) }
        switch form {
        case .integer: encoding.add(index, integer: Reader.integer(value, in: object) ?? 0)
        case .number: encoding.add(index, number: Reader.double(value, in: object))
        case .date:
            let text = object.extracting(value.lowerBound + 1..<value.upperBound - 1)
            encoding.add(index, date: TimestampReader.moment(in: text)?.unixSeconds ?? 0)
        case .text: add(text: index, value, in: object)
        }
    }

    private mutating func add(text index: Int, _ value: Range<Int>, in object: Span<UInt8>) {
        var text: [UInt8] = []
        let contents = StringContents(range: value.lowerBound + 1..<value.upperBound - 1, hasEscapes: true)
        Reader.unescape(contents, in: object, into: &text)
        encoding.add(index, text: text.span)
    }

    /// Where the values of an object's members stand, in the order of some fields; of texts, with the quotes.
    private static func values(of fields: [FieldEncoding.Field], in object: Span<UInt8>) -> [Range<Int>?] {
        var found = [Range<Int>?](repeating: nil, count: fields.count)
        eachMember(of: object) { name, value in
            let index = fields.firstIndex { object.extracting(name).isText($0.name) }
            if let index { found[index] = value }
        }
        return found
    }

    /// Where the value of one member stands.
    static func value(of name: String, in object: Span<UInt8>) -> Range<Int>? {
        var found: Range<Int>?
        eachMember(of: object) { if object.extracting($0).isText(name) { found = $1 } }
        return found
    }

    private static func eachMember(of object: Span<UInt8>, _ body: (Range<Int>, Range<Int>) -> Void) {
        var reader = Reader(.canonical)
        do throws(JSONError) {
            _ = try reader.next(in: object)
            while case .key(let key) = try reader.next(in: object) {
                guard let value = try reader.skipValue(in: object) else { return }
                body(key.range, value)
            }
        } catch {
            preconditionFailure("the line was read before")
        }
    }

    /// Where the entries of an array stand.
    static func entries(_ array: Span<UInt8>) -> [Range<Int>] {
        var reader = Reader(.canonical)
        var found: [Range<Int>] = []
        do throws(JSONError) {
            _ = try reader.next(in: array)
            while let entry = try reader.skipValue(in: array) { found.append(entry) }
        } catch {
            preconditionFailure("the line was read before")
        }
        return found
    }
}

/// What objects that are likely to come again were encoded to: most lines name one of few sources, devices,
/// metadata and ranges.
struct ObjectHashes {
    /// What an object came to.
    private struct Entry {
        var kind: FieldEncoding.Kind?
        var hash: UInt128 = 0
        /// The encodings of an array's entries.
        var parts: [[UInt8]] = []
    }

    /// What was remembered.
    struct Known { fileprivate let number: Int }

    private var texts = RecentTexts()
    private var entries = [Entry](repeating: Entry(), count: RecentTexts.count)

    /// What was remembered of the same bytes.
    func known(_ text: Span<UInt8>, at place: Range<Int>, _ kind: FieldEncoding.Kind) -> Known? {
        let number = RecentTexts.number(place.lowerBound, in: text)
        guard entries[number].kind == kind,
            texts.length(of: number, at: place.lowerBound, in: text) == place.count
        else { return nil }
        return Known(number: number)
    }

    /// The hash of an object.
    func hash(of known: Known) -> UInt128 { entries[known.number].hash }

    /// How many entries an array has.
    func partCount(of known: Known) -> Int { entries[known.number].parts.count }

    /// Adds the encoding of an array's entry.
    func add(part index: Int, of known: Known, to encoding: inout FieldEncoding) {
        encoding.add(encoded: entries[known.number].parts[index])
    }

    mutating func remember(
        _ text: Span<UInt8>, _ place: Range<Int>, _ kind: FieldEncoding.Kind, hash: UInt128 = 0, parts: [[UInt8]] = []
    ) {
        let number = RecentTexts.number(place.lowerBound, in: text)
        guard texts.keep(place, as: number, in: text) else { return }
        entries[number] = Entry(kind: kind, hash: hash, parts: parts)
    }
}
