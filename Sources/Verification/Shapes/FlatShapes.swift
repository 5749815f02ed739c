internal import Bytes
internal import CanonicalJSON
internal import Format

/// The format of lines as numbers in a few lists, which `ShapeReader` reads by. Taking a value out of an `ObjectFormat`
/// counts a reference, and a line has forty members. Each verifier has its own: counters that two cores share would
/// cost more than all the rest.
///
///     objects   members of each, as a range     ┌─ keys, one after the other
///     members   value ─ slot ─ forms ─ key ─────┘
///     entries   values of the entries of arrays
struct FlatShapes: Sendable {
    /// A `ValueFormat`; objects, entries and texts by their numbers.
    enum Value: Sendable {
        case text, integer, number, boolean, timestamp, metadata, hash, uuid, pointer
        case count(least: Int64)
        case exactly(Int64)
        /// One of the texts with these numbers.
        case choice(Range<Int>)
        case object(Int)
        case array(entry: Int, least: Int, most: Int, slot: Slot?)
    }

    /// A `MemberFormat`.
    struct Member: Sendable {
        let value: Value
        /// The forms that have the member.
        let forms: Forms
        let slot: Slot?
        /// The range in `bytes` of its key: its name in quotes, and the colon.
        fileprivate let key: Range<Int>
    }

    /// The forms that need a member, and those that need it unless a defect stands for it.
    struct Demand: Sendable {
        let required, excusable: Forms
    }

    /// A `NeedFormat`; members by their numbers within the object.
    struct Need: Sendable {
        let needed: Int
        let member: Int
        /// The text of the other member, as in a line, with which it is not needed.
        let text: [UInt8]?
        let isExcusable: Bool
    }

    /// An `ObjectFormat`.
    struct Object: Sendable {
        let members: Range<Int>
        /// `true` if the same object comes again in many lines.
        let comesAgain: Bool
        /// `true` if these are the members of an item, so that `ItemMember` numbers them.
        let isItem: Bool
        let needs: Range<Int>
        /// The number within the object of the member whose text decides what others are needed.
        let condition: Int?
        /// The place in `following` of its beginning; those of its members come behind it.
        let beginning: Int
    }

    private(set) var objects: [Object] = []
    private(set) var members: [Member] = []
    /// The demands on each member.
    private(set) var demands: [Demand] = []
    private(set) var entries: [Value] = []
    private(set) var needs: [Need] = []
    /// The members that came next the last time, after the beginning of an object and after each of its members; -1 if
    /// none did. Most lines have the members of the line before.
    var following: [Int] = []
    /// The names of the members.
    private var names: [String] = []
    /// The numbers of lines that were laid flat.
    private var lines = [Int?](repeating: nil, count: LineShape.allCases.count)
    private var texts: [Range<Int>] = []
    private var bytes: [UInt8] = []

    /// Returns the number of a line's object, which is laid flat when it comes for the first time.
    mutating func number(of line: LineShape) -> Int {
        if let known = lines[line.rawValue] { return known }
        let number = add(line.format)
        lines[line.rawValue] = number
        return number
    }

    private mutating func add(_ object: ObjectFormat) -> Int {
        let names = object.names
        precondition(
            object.path != "evidence.item" || names == ItemMember.allCases.map(\.name),
            "the members of an item are numbered in their order")
        let flat = object.members.map { member in
            let path = object.path + "." + member.name
            let value = value(of: member.value, at: path)
            // The slot of an array is that of its entries.
            let slot: Slot? = if case .array = value { nil } else { SlotPlaces.slot(at: path) }
            return Member(
                value: value, forms: member.forms, slot: slot, key: place(of: Array("\"\(member.name)\":".utf8)))
        }
        let first = needs.count
        var condition: Int?
        for need in object.needs {
            guard let needed = names.firstIndex(of: need.needed), let member = names.firstIndex(of: need.member) else {
                preconditionFailure("\(object.path) has no such members")
            }
            if need.text != nil { condition = member }
            needs.append(
                Need(
                    needed: needed, member: member, text: need.text.map { Array("\"\($0)\"".utf8) },
                    isExcusable: need.isExcusable))
        }
        objects.append(
            Object(
                members: members.count..<members.count + flat.count,
                comesAgain: SlotPlaces.comingAgain.contains(object.path),
                isItem: object.path == "evidence.item", needs: first..<needs.count, condition: condition,
                beginning: following.count))
        following += [Int](repeating: -1, count: flat.count + 1)
        members += flat
        demands += object.members.map { Demand(required: $0.required, excusable: $0.excusable) }
        self.names += names
        return objects.count - 1
    }

    private mutating func value(of format: ValueFormat, at path: String) -> Value {
        switch format {
        case .text: return .text
        case .integer: return .integer
        case .number: return .number
        case .boolean: return .boolean
        case .timestamp: return .timestamp
        case .metadata: return .metadata
        case .hash: return .hash
        case .uuid: return .uuid
        case .pointer: return .pointer
        case .count(let least): return .count(least: least)
        case .exactly(let number): return .exactly(number)
        case .choice(let choices):
            let places = choices.map { place(of: Array($0.utf8)) }
            texts += places
            return .choice(texts.count - places.count..<texts.count)
        case .object(let object): return .object(add(object))
        case .array(let entry, let least, let most):
            entries.append(value(of: entry, at: path))
            return .array(entry: entries.count - 1, least: least, most: most, slot: SlotPlaces.slot(at: path))
        }
    }

    private mutating func place(of text: [UInt8]) -> Range<Int> {
        bytes += text
        return bytes.count - text.count..<bytes.count
    }

    /// Returns the name of a member.
    func name(of member: Int) -> String { names[member] }

    /// Returns the place in `ObjectMemory` of a value that is likely to come again; `nil` for any other.
    func memoryPlace(_ value: Value, _ slot: Slot?) -> ObjectMemory.Place? {
        switch value {
        case .object(let number) where objects[number].comesAgain: ObjectMemory.Place(object: number, slot: slot)
        case .metadata: ObjectMemory.Place(object: nil, slot: slot)
        default: nil
        }
    }

    /// Returns a number below 0, 0 or above 0, as the name of a member sorts before a key, is the key, or sorts after
    /// it.
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

    /// Returns `true` if a text is one of some.
    func isOne(of choices: Range<Int>, _ text: Span<UInt8>) -> Bool {
        for choice in choices where bytes.span.extracting(texts[choice]).isSame(as: text) { return true }
        return false
    }
}
