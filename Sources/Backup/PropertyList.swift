/// A fault in a file of a backup, without its place.
package struct BackupFault: Error, Hashable {
    /// One line, lower case, without a stored value.
    package let text: String

    init(_ text: String) { self.text = text }
}

/// A binary property list (`bplist00`), read object by object.
///
///     "bplist00" │ objects │ offset of each object │ trailer of 32 bytes, all numbers big-endian:
///     5 unused, sort version │ bytes of an offset, of a reference │ objects, root, offset of the table: 8 bytes each
///
/// Nothing is read but what is asked for, and no call follows references by itself: a cycle or a deep tree costs
/// nothing.
package struct PropertyList {
    /// One object; members of collections are references to others.
    package enum Object: Equatable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001-01-01T00:00:00Z.
        case date(Double)
        case data(Range<Int>)
        case string(String)
        case uid(UInt64)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
        /// A type that no file of a backup needs.
        case other
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    /// The number of objects.
    package let count: Int
    /// The number of the root object.
    package let root: Int

    /// The largest property list in bytes, and the most objects in it.
    package static let sizeLimit = 16 << 20
    private static let objectLimit = 1_000_000

    /// Reads the trailer, and checks that the offset of each object is inside the objects.
    package init(_ bytes: [UInt8]) throws(BackupFault) {
        guard bytes.count <= Self.sizeLimit else { throw BackupFault("a property list of more than 16 MiB") }
        guard bytes.starts(with: "bplist00".utf8), bytes.count >= 8 + 32 else {
            let isXML = bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<plist".utf8)
            throw BackupFault(isXML ? "an XML property list, not a binary one" : "not a binary property list")
        }
        let trailer = bytes.count - 32
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let numbers = (0..<3).map { Self.number(bytes, trailer + 8 + 8 * $0, 8) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            numbers[0] > 0, numbers[0] <= UInt64(Self.objectLimit), numbers[1] < numbers[0],
            numbers[2] >= 8, numbers[2] <= UInt64(trailer)
        else { throw BackupFault("the property list's trailer states what cannot be") }
        (count, root, table) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]))
        guard count * offsetSize <= trailer - table else {
            throw BackupFault("the property list's table of objects is cut short")
        }
        for object in 0..<count {
            let offset = Self.number(bytes, table + object * offsetSize, offsetSize)
            guard offset >= 8, offset < UInt64(table) else {
                throw BackupFault("object \(object) of the property list is outside of it")
            }
        }
    }

    /// Returns the object of a number.
    package func object(_ number: Int) throws(BackupFault) -> Object {
        guard number >= 0, number < count else { throw BackupFault("the property list has no object \(number)") }
        let start = Int(Self.number(bytes, table + number * offsetSize, offsetSize))
        let low = Int(bytes[start] & 15), after = start + 1
        switch bytes[start] >> 4 {
        case 0: return low == 0 ? .null : low == 8 ? .boolean(false) : low == 9 ? .boolean(true) : .other
        case 1: return low > 3 ? .other : .integer(try integer(after, 1 << low, number))
        case 2 where low == 2:
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try unsigned(after, 4, number)))))
        case 2 where low == 3: return .real(Double(bitPattern: try unsigned(after, 8, number)))
        case 3 where low == 3: return .date(Double(bitPattern: try unsigned(after, 8, number)))
        case 4:
            let (place, size) = try length(low, after, number)
            return .data(try range(place, size, of: 1, number))
        case 5:
            let (place, size) = try length(low, after, number)
            return .string(String(decoding: bytes[try range(place, size, of: 1, number)], as: UTF8.self))
        case 6:
            let (place, size) = try length(low, after, number)
            let range = try range(place, size, of: 2, number)
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return .string(String(decoding: units, as: UTF16.self))
        case 8: return low > 7 ? .other : .uid(try unsigned(after, low + 1, number))
        case 10:
            let (place, size) = try length(low, after, number)
            return .array(try references(place, size, number))
        case 13:
            let (place, size) = try length(low, after, number)
            let keys = try references(place, size, number)
            return .dictionary(keys: keys, values: try references(place + size * referenceSize, size, number))
        default: return .other
        }
    }

    /// Returns the bytes of a range that an object of the kind `data` has.
    package func data(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    /// Returns `true` if an object is a text of these ASCII characters, without reading longer ones: a list may refer
    /// to a long text very often.
    fileprivate func isText(_ number: Int, _ text: [UInt8]) -> Bool {
        let start = Int(Self.number(bytes, table + number * offsetSize, offsetSize))
        guard bytes[start] >> 4 == 5, let (place, size) = try? length(Int(bytes[start] & 15), start + 1, number) else {
            return false
        }
        return size == text.count && size <= table - place && bytes[place..<place + size].elementsEqual(text)
    }

    // MARK: Parts

    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> UInt64 {
        bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns a range of whole elements before the table of objects.
    private func range(_ start: Int, _ count: Int, of size: Int, _ object: Int) throws(BackupFault) -> Range<Int> {
        guard start <= table, count <= (table - start) / size else {
            throw BackupFault("object \(object) of the property list is longer than the list")
        }
        return start..<start + count * size
    }

    private func unsigned(_ start: Int, _ size: Int, _ object: Int) throws(BackupFault) -> UInt64 {
        let range = try range(start, size, of: 1, object)
        return Self.number(bytes, range.lowerBound, size)
    }

    /// Integers of 8 bytes have a sign.
    private func integer(_ start: Int, _ size: Int, _ object: Int) throws(BackupFault) -> Int64 {
        Int64(bitPattern: try unsigned(start, size, object))
    }

    /// Returns where an object's contents start and how many elements they have: four bits, or 15 and an integer.
    private func length(_ low: Int, _ start: Int, _ object: Int) throws(BackupFault) -> (Int, Int) {
        guard low == 15 else { return (start, low) }
        _ = try range(start, 1, of: 1, object)
        let size = 1 << Int(bytes[start] & 15)
        guard bytes[start] >> 4 == 1, size <= 8 else {
            throw BackupFault("object \(object) of the property list has no length")
        }
        let length = try unsigned(start + 1, size, object)
        guard length <= UInt64(bytes.count) else {
            throw BackupFault("object \(object) of the property list is longer than the list")
        }
        return (start + 1 + size, Int(length))
    }

    private func references(_ start: Int, _ size: Int, _ object: Int) throws(BackupFault) -> [Int] {
        guard size <= Self.objectLimit else {
            throw BackupFault("object \(object) of the property list has too many members")
        }
        let range = try range(start, size, of: referenceSize, object)
        var found: [Int] = []
        found.reserveCapacity(size)
        for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            let reference = Self.number(bytes, place, referenceSize)
            guard reference < UInt64(count) else {
                throw BackupFault("object \(object) of the property list refers to one that is not there")
            }
            found.append(Int(reference))
        }
        return found
    }
}

extension PropertyList {
    /// Returns the member of a dictionary; `nil` if the object is none, or does not have it.
    package func member(_ name: String, of object: Int) throws(BackupFault) -> Object? {
        guard let place = try place(of: name, in: object) else { return nil }
        return try self.object(place)
    }

    /// Returns the number of the object that is a dictionary's member.
    package func place(of name: String, in dictionary: Int) throws(BackupFault) -> Int? {
        guard case .dictionary(let keys, let values) = try object(dictionary) else { return nil }
        let wanted = Array(name.utf8)
        for (key, value) in zip(keys, values) where isText(key, wanted) { return value }
        return nil
    }

    /// Returns the bytes of a member; `nil` if it is not data.
    package func bytes(_ name: String, of object: Int) throws(BackupFault) -> [UInt8]? {
        guard case .data(let range) = try member(name, of: object) else { return nil }
        return data(range)
    }

    /// Returns the text of a member; `nil` if it is not a string.
    package func text(_ name: String, of object: Int) throws(BackupFault) -> String? {
        guard case .string(let text) = try member(name, of: object) else { return nil }
        return text
    }
}
