internal import CanonicalJSON

/// The places of an object's members in a text. The text was read before, so that nothing in it is invalid.
struct ObjectPlaces {
    private var places: [String: Range<Int>] = [:]

    /// Reads the members of the object at a place.
    init(_ text: Span<UInt8>, at place: Range<Int>) {
        let object = text.extracting(place)
        var reader = Reader(.canonical)
        _ = try? reader.next(in: object)
        while case .key(let key)? = try? reader.next(in: object), let value = try? reader.skipValue(in: object) {
            let name = String(decoding: key.range.map { object[$0] }, as: UTF8.self)
            places[name] = place.lowerBound + value.lowerBound..<place.lowerBound + value.upperBound
        }
    }

    /// The place of a member's value; `nil` if absent.
    subscript(name: String) -> Range<Int>? { places[name] }

    /// The bytes of a string, unescaped; `nil` if absent or another type.
    func string(_ name: String, in text: Span<UInt8>) -> [UInt8]? {
        guard let place = places[name] else { return nil }
        let value = text.extracting(place)
        var reader = Reader(.canonical)
        guard case .string(let contents)? = try? reader.next(in: value) else { return nil }
        var bytes: [UInt8] = []
        reader.unescape(contents, in: value, into: &bytes)
        return bytes
    }

    /// An integer; `nil` if absent.
    func integer(_ name: String, in text: Span<UInt8>) -> Int64? {
        places[name].flatMap { Reader.integer($0, in: text) }
    }

    /// Returns whether each entry of an array, with the one before it, is right; `true` if the array is absent.
    func areEntries(_ name: String, in text: Span<UInt8>, _ areRight: (Range<Int>?, Range<Int>) -> Bool) -> Bool {
        guard let place = places[name] else { return true }
        let array = text.extracting(place)
        var reader = Reader(.canonical)
        _ = try? reader.next(in: array)
        var last: Range<Int>?
        while let value = try? reader.skipValue(in: array) {
            let entry = place.lowerBound + value.lowerBound..<place.lowerBound + value.upperBound
            guard areRight(last, entry) else { return false }
            last = entry
        }
        return true
    }
}
