internal import Bytes
internal import CanonicalJSON

/// Shapes as numbers in a few lists, which is what `ShapeReader` reads by: taking a shape out of an `ObjectShape`
/// counts a reference, and a line has forty members.
///
///     objects   members of each, as a range     ┌─ keys, one after the other
///     members   value ─ slot ─ forms ─ key ─────┘
///     entries   values of the entries of arrays
struct FlatShapes: Sendable {
    /// A `Shape`; objects, entries and texts by their numbers.
    enum Value: Sendable {
        case text, integer, number, boolean, timestamp, metadata
        case count(least: Int64)
        case within(least: Int64, most: Int64)
        case form(Shape.Form)
        /// One of the texts with these numbers.
        case choice(Range<Int>)
        case object(Int)
        case array(entry: Int, least: Int, most: Int, slot: Slot?)
    }

    /// A `MemberShape`.
    struct Member: Sendable {
        let value: Value
        let requirement: Requirement
        let slot: Slot?
        let forms: Forms
        /// Where its key stands in `bytes`: its name in quotes, and the colon.
        fileprivate let key: Range<Int>
    }

    /// An `ObjectShape`.
    struct Object: Sendable {
        let members: Range<Int>
        let comesAgain: Bool
        let isItem: Bool
        let hasDependencies: Bool
        /// The number within the object of the member whose text decides what others are needed.
        let condition: Int?
        /// The place in `following` of its beginning; those of its members come behind it.
        let beginning: Int
    }

    private(set) var objects: [Object] = []
    private(set) var members: [Member] = []
    private(set) var entries: [Value] = []
    /// Which member came next the last time, behind the beginning of an object and behind each of its members: most
    /// lines have the members of the line before. -1 where none did.
    var following: [Int] = []
    /// What the objects were made of, by their numbers.
    private(set) var shapes: [ObjectShape] = []
    private var identities: [ObjectIdentifier] = []
    private var texts: [Range<Int>] = []
    private var bytes: [UInt8] = []

    /// The number of an object, which is laid flat where it comes for the first time.
    mutating func number(of shape: ObjectShape) -> Int {
        let identity = ObjectIdentifier(shape)
        if let known = identities.firstIndex(of: identity) { return known }
        let flat = shape.members.map { member in
            Member(
                value: value(of: member.shape), requirement: member.requirement, slot: member.slot,
                forms: member.forms, key: place(of: Array("\"\(member.text)\":".utf8)))
        }
        var condition: Int?
        if case .memberWithout(let number, _)? = shape.dependencies.last?.cause { condition = number }
        objects.append(
            Object(
                members: members.count..<members.count + flat.count, comesAgain: shape.comesAgain,
                isItem: shape.isItem, hasDependencies: !shape.dependencies.isEmpty, condition: condition,
                beginning: following.count))
        following += [Int](repeating: -1, count: flat.count + 1)
        members += flat
        shapes.append(shape)
        identities.append(identity)
        return objects.count - 1
    }

    private mutating func value(of shape: Shape) -> Value {
        switch shape {
        case .text: return .text
        case .integer: return .integer
        case .number: return .number
        case .boolean: return .boolean
        case .timestamp: return .timestamp
        case .metadata: return .metadata
        case .count(let least): return .count(least: least)
        case .within(let bounds): return .within(least: bounds.lowerBound, most: bounds.upperBound)
        case .form(let form): return .form(form)
        case .choice(let choices):
            let places = choices.map { place(of: $0) }
            texts += places
            return .choice(texts.count - places.count..<texts.count)
        case .object(let shape): return .object(number(of: shape))
        case .array(let entry, let least, let most, let slot):
            entries.append(value(of: entry))
            return .array(entry: entries.count - 1, least: least, most: most, slot: slot)
        }
    }

    private mutating func place(of text: [UInt8]) -> Range<Int> {
        bytes += text
        return bytes.count - text.count..<bytes.count
    }

    /// The name of a member of an object.
    func name(of member: Int, _ object: Int) -> String {
        shapes[object].members[member - objects[object].members.lowerBound].text
    }

    /// Where `ObjectMemory` has a value that is likely to come again; nil for any other.
    func memoryPlace(_ value: Value, _ slot: Slot?) -> ObjectMemory.Place? {
        switch value {
        case .object(let number) where objects[number].comesAgain: ObjectMemory.Place(object: number, slot: slot)
        case .metadata: ObjectMemory.Place(object: nil, slot: slot)
        default: nil
        }
    }

    /// Negative, 0 or positive, as the name of a member sorts before a key, is the key, or sorts after it.
    @inline(__always)
    func compare(_ member: Int, with key: Span<UInt8>) -> Int {
        let place = members[member].key
        return bytes.span.extracting(place.lowerBound + 1..<place.upperBound - 2).compared(with: key)
    }

    /// Reads the key of a member where it comes next.
    @inline(__always)
    func read(_ member: Int, with reader: inout Reader, in line: Span<UInt8>) -> Bool {
        reader.readKey(bytes.span.extracting(members[member].key), in: line)
    }

    /// Whether a text is one of some.
    func isOne(of choices: Range<Int>, _ text: Span<UInt8>) -> Bool {
        for choice in choices where bytes.span.extracting(texts[choice]).isSame(as: text) { return true }
        return false
    }
}
