internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import Timestamps

/// Reads a line: canonical form, members and their types, and the values that other checks want.
///
/// Nearly every line is right, so that reading only notes whether anything is wrong, and for which forms. Where
/// something is, `faults(in:as:of:)` reads the line again and says what.
struct ShapeReader: ~Copyable {
    var reader = Reader(.canonical)
    /// The forms for which the line that was read has a fault.
    private(set) var faultyForms: Forms = []
    /// The forms that faults are gathered for; nil while they are only noted.
    private var detailedForms: Forms?
    private var faults: [ShapeFault] = []
    /// Names from the line's object to the value that is being read, while faults are gathered.
    private var path: [PathStep] = []
    private var scratch: [UInt8] = []
    var timestamps = TimestampMemory()
    private var memory = ObjectMemory()
    /// The shapes that are read by.
    var flat = FlatShapes()
    /// The values taken since an object began that is to be remembered; `nil` if none is open.
    private var taken: [(slot: Slot, value: Captured)]?

    enum PathStep {
        case name(String)
        case index(Int)
    }

    /// Reads the whole line as an object.
    ///
    /// - Throws: the first deviation from canonical form; the faults of shape do not count then.
    mutating func read(_ line: Span<UInt8>, as shape: LineShape, _ visitor: inout some ShapeVisitor)
        throws(JSONError)
    {
        try read(line, as: flat.number(of: shape), &visitor)
    }

    /// Reads in the same way, by the number that the shape has in `flat`.
    mutating func read(_ line: Span<UInt8>, as number: Int, _ visitor: inout some ShapeVisitor) throws(JSONError) {
        reader.restart()
        faultyForms = []
        taken = nil
        guard case .beginObject = try reader.next(in: line) else {
            preconditionFailure("the line was found to be an object")
        }
        try readMembers(line, number, &visitor)
        _ = try reader.next(in: line)
    }

    /// Returns the faults of a line that was read, for one form; for several, those that it has in each of them.
    mutating func faults(in line: Span<UInt8>, as shape: LineShape, of forms: Forms) -> [ShapeFault] {
        guard !faultyForms.isDisjoint(with: forms) else { return [] }
        detailedForms = forms
        defer { detailedForms = nil }
        (faults, path) = ([], [])
        var ignored = NoVisitor()
        // The text was read before, so that nothing can be thrown.
        try? read(line, as: shape, &ignored)
        return faults
    }

    /// So many faults of one line say enough, and so many entries of a list that has one.
    private static let enough = 1000
    /// Bytes of 501 characters: a pointer has at most 500.
    private static let longestName = 4 * 501

    mutating func add(
        _ code: Code, _ name: @autoclosure () -> String? = nil, forms: Forms = .all,
        isExcusable: Bool = false
    ) {
        faultyForms.formUnion(forms)
        guard let detailedForms, forms.isSuperset(of: detailedForms), faults.count < Self.enough else { return }
        var pointer = ""
        for step in path {
            switch step {
            case .name(let name): pointer += "/" + Self.escaped(name)
            case .index(let index): pointer += "/\(index)"
            }
        }
        if let name = name() { pointer += "/" + Self.escaped(name) }
        faults.append(ShapeFault(code: code, pointer: pointer, isExcusable: isExcusable))
    }

    /// Escapes a name (RFC 6901, 3).
    private static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars { text += scalar == "~" ? "~0" : scalar == "/" ? "~1" : String(scalar) }
        return text
    }

    /// Reads the members of an object up to its end. Keys come sorted, like the shape's, so that one walk over both
    /// finds what is missing and what is unknown.
    private mutating func readMembers(_ line: Span<UInt8>, _ number: Int, _ visitor: inout some ShapeVisitor)
        throws(JSONError)
    {
        let object = flat.objects[number]
        let end = object.members.upperBound
        var next = object.members.lowerBound
        // Where `flat.following` says what comes next; nil behind an unknown member.
        var before: Int? = object.beginning
        // Which members are there, by number; kept only where some need others.
        var present: UInt64 = 0
        var condition: Range<Int>?
        while true {
            let likely = before.map { flat.following[$0] } ?? -1
            if likely >= next, flat.read(likely, with: &reader, in: line) {
                while next < likely {
                    addMissing(next)
                    next += 1
                }
            } else {
                guard case .key(let key) = try reader.next(in: line) else { break }
                guard findMember(key, line, &next, end) else {
                    before = nil
                    addUnknown(key, line)
                    _ = try reader.skipValue(in: line)
                    continue
                }
                if let before { flat.following[before] = next }
            }
            let key = reader.tokenStart
            let value = reader.position
            let index = next - object.members.lowerBound
            try readMember(line, next, &visitor)
            if !object.needs.isEmpty {
                present |= 1 &<< UInt64(truncatingIfNeeded: index)
                if object.condition == index { condition = value..<reader.position }
            }
            if object.isItem {
                visitor.endItemMember(
                    index, MemberPlaces.Place(whole: key..<reader.position, value: value..<reader.position))
            }
            before = object.beginning + 1 + index
            next += 1
        }
        while next < end {
            addMissing(next)
            next += 1
        }
        if !object.needs.isEmpty { checkNeeds(line, object, present, condition) }
    }

    /// Goes on to the member of a key; members before it are missing. Returns false where there is none.
    private mutating func findMember(
        _ key: StringContents, _ line: Span<UInt8>, _ next: inout Int, _ end: Int
    ) -> Bool {
        let name = line.extracting(key.range)
        while next < end {
            // Names of the specification are ASCII, so that bytes decide.
            let order = flat.compare(next, with: name)
            if order >= 0 { return order == 0 && !key.hasEscapes }
            addMissing(next)
            next += 1
        }
        return false
    }

    /// Returns the name of a member of an object; `nil` if faults are only noted.
    private mutating func name(of member: Int) -> String? { detailedForms == nil ? nil : flat.name(of: member) }

    /// Adds an unknown member. Of a long name no more is kept than a finding shows.
    private mutating func addUnknown(_ key: StringContents, _ line: Span<UInt8>) {
        guard detailedForms != nil, faults.count < Self.enough else { return add(.shapeMemberUnknown) }
        let name = String(decoding: scratchOr(key, line).prefix(Self.longestName), as: UTF8.self)
        add(.shapeMemberUnknown, name)
    }

    private mutating func readMember(
        _ line: Span<UInt8>, _ number: Int, _ visitor: inout some ShapeVisitor
    ) throws(JSONError) {
        let member = flat.members[number]
        if member.forms != .all {
            let name = name(of: number)
            add(.shapeMemberUnknown, name, forms: Forms.all.subtracting(member.forms))
        }
        if let detailedForms,
            member.forms.isDisjoint(with: detailedForms)
                || detailedForms == .headers && !member.forms.isSuperset(of: .headers)
        {
            // What stands in a member that is not to be there is not looked at, nor what only some headers have where
            // the kind of a header is not known.
            _ = try reader.skipValue(in: line)
            return
        }
        let name = name(of: number)
        if let name { path.append(.name(name)) }
        try readValue(line, member.value, member.slot, &visitor)
        if name != nil { path.removeLast() }
    }

    private mutating func addMissing(_ number: Int) {
        let demand = flat.demands[number]
        guard !demand.required.isEmpty || !demand.excusable.isEmpty else { return }
        let name = name(of: number)
        if !demand.required.isEmpty { add(.shapeMemberMissing, name, forms: demand.required) }
        if !demand.excusable.isEmpty { add(.shapeMemberMissing, name, forms: demand.excusable, isExcusable: true) }
    }

    /// Reads a value, or steps over one that was read before.
    private mutating func readValue(
        _ line: Span<UInt8>, _ shape: FlatShapes.Value, _ slot: Slot?, _ visitor: inout some ShapeVisitor
    ) throws(JSONError) {
        let start = reader.position
        guard detailedForms == nil, start < line.count, line[start] == UInt8(ascii: "{"),
            let place = flat.memoryPlace(shape, slot)
        else { return try readNewValue(line, shape, slot, &visitor) }
        if let known = memory.entry(at: start, in: line, as: place) {
            reader.skipObject(readBefore: known.length)
            for index in 0..<known.valueCount {
                let (slot, value) = memory.value(index, of: known)
                visit(slot, value.moved(by: start), line, &visitor)
            }
            return
        }
        let faultyBefore = faultyForms
        (faultyForms, taken) = ([], [])
        try readNewValue(line, shape, slot, &visitor)
        if faultyForms.isEmpty, let taken { memory.remember(start..<reader.position, in: line, as: place, taken) }
        taken = nil
        faultyForms.formUnion(faultyBefore)
    }

    mutating func visit(
        _ slot: Slot, _ value: Captured, _ line: Span<UInt8>, _ visitor: inout some ShapeVisitor
    ) {
        taken?.append((slot, value))
        visitor.visit(slot, value, in: line)
    }

    private mutating func readNewValue(
        _ line: Span<UInt8>, _ shape: FlatShapes.Value, _ slot: Slot?, _ visitor: inout some ShapeVisitor
    ) throws(JSONError) {
        switch shape {
        case .hash:
            if let range = reader.readDigest(in: line) {
                if let slot { visit(slot, Captured(range: range, isText: true), line, &visitor) }
                return
            }
        case .timestamp, .text, .uuid, .pointer, .choice:
            if let range = reader.readPlainString(in: line) {
                return readText(StringContents(range: range, hasEscapes: false), line, shape, slot, &visitor)
            }
        default: break
        }
        let token = try reader.next(in: line)
        switch shape {
        case .object(let number):
            guard case .beginObject = token else { return try reject(token, line) }
            if let slot { visit(slot, Captured(range: reader.tokenStart..<reader.position), line, &visitor) }
            let start = reader.tokenStart
            try readMembers(line, number, &visitor)
            if let slot, Self.isWanted(slot) {
                visit(slot, Captured(range: start..<reader.position), line, &visitor)
            }
        case .array(let entry, let least, let most, let slot):
            guard case .beginArray = token else { return try reject(token, line) }
            try readEntries(line, flat.entries[entry], least...most, slot, &visitor)
        case .boolean:
            switch token {
            case .true, .false:
                if let slot {
                    visit(
                        slot, Captured(range: reader.tokenStart..<reader.position, isTrue: token == .true), line,
                        &visitor)
                }
            default: try reject(token, line)
            }
        case .integer, .count, .exactly, .number:
            guard case .number(let range) = token else { return try reject(token, line) }
            if let number = reader.doubleOfNumber { visitor.visit(number: number, at: range.lowerBound) }
            if isRight(range, shape, line) {
                if let slot { visit(slot, Captured(range: range, isNumber: true), line, &visitor) }
            } else {
                if let slot, slot == .formatVersion || slot == .salvageFormatVersion {
                    visit(slot, Captured(range: range, isNumber: true), line, &visitor)
                }
                add(.shapeValue)
            }
        case .metadata:
            try readMetadata(token, line, slot, &visitor)
        case .timestamp, .text, .hash, .uuid, .pointer, .choice:
            guard case .string(let text) = token else { return try reject(token, line) }
            readText(text, line, shape, slot, &visitor)
        }
    }

    /// Returns `true` if the whole of an object is wanted, not only where it begins.
    private static func isWanted(_ slot: Slot) -> Bool {
        slot == .item || slot == .export || slot == .totals || slot == .before || slot == .after
    }

    /// Rejects a value of another JSON type: passes over it.
    mutating func reject(_ token: Token, _ line: Span<UInt8>) throws(JSONError) {
        add(.shapeType)
        try pass(token, line)
    }

    private mutating func pass(_ token: Token, _ line: Span<UInt8>) throws(JSONError) {
        switch token {
        case .beginObject, .beginArray:
            let depth = reader.depth
            while reader.depth >= depth { _ = try reader.next(in: line) }
        default: break
        }
    }

    private mutating func readEntries(
        _ line: Span<UInt8>, _ shape: FlatShapes.Value, _ counts: ClosedRange<Int>, _ slot: Slot?,
        _ visitor: inout some ShapeVisitor
    ) throws(JSONError) {
        var count = 0
        let depth = reader.depth
        if let slot { visitor.beginArray(of: slot) }
        while true {
            // The entry is read by `readValue`, which reads its first token itself; an end is seen by the depth.
            if reader.position < line.count, line[reader.position] == UInt8(ascii: "]"), reader.depth == depth { break }
            if count >= Self.enough, detailedForms == nil ? faultyForms == .all : faults.count >= Self.enough {
                // The line is damaged whatever the other entries are: a list of empty ones would take a hundred times
                // its text of memory.
                _ = try reader.skipValue(in: line)
                count += 1
                continue
            }
            if let slot { visitor.beginEntry(of: slot) }
            if detailedForms != nil { path.append(.index(count)) }
            try readValue(line, shape, slot, &visitor)
            if detailedForms != nil { path.removeLast() }
            count += 1
        }
        _ = try reader.next(in: line)
        if !counts.contains(count) { add(.shapeValue) }
    }

    mutating func scratchOr(_ text: StringContents, _ line: Span<UInt8>) -> [UInt8] {
        scratch.removeAll(keepingCapacity: true)
        reader.unescape(text, in: line, into: &scratch)
        return scratch
    }

    mutating func holdsNul(_ text: StringContents, _ line: Span<UInt8>) -> Bool {
        text.hasEscapes && scratchOr(text, line).contains(0)
    }
}
