internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import Manifest
internal import Timestamps

/// Checks lines, one after the other, and gathers what they hold.
package struct LineVerifier: ~Copyable {
    private var shape = ShapeReader()
    /// The table by which the last item was read.
    private var table: (line: LineShape, number: Int)?
    private var facts = ItemFacts()
    private var hasher = ItemHasher()
    private var contents = ContentVerifier()
    private var header: HeaderFacts?
    /// `true` if the next header is the bundle's: it is the first.
    private var mayBeHeader = true
    private let wants: ItemWants
    private var keyBytes = ByteBuffer(capacity: 256)
    /// `true` if an item whose hash is wrong is damaged, for a caller that keeps only valid lines.
    private let isStrict: Bool
    private var events: LineEvents
    private var run = ItemRun()
    private var runTypes: [[UInt8]?: Int] = [:]
    private var runCovered: [Bool] = [], lastType: Int?
    /// The keys of this item and of the one before; they change places.
    private var key = OrderKey(), lastKey = OrderKey()
    private var lastDigest: Digest?

    /// A verifier of lines.
    ///
    /// - Parameters:
    ///   - keepsIdentities: whether items are wanted for an archive.
    ///   - isStrict: whether an item whose hash is wrong is damaged.
    package init(keepsIdentities: Bool, isStrict: Bool = false) {
        self.init(ItemWants(identities: keepsIdentities), isStrict: isStrict)
    }

    /// A verifier of lines that gives what is wanted of their items.
    init(_ wants: ItemWants, isStrict: Bool = false) {
        self.wants = wants
        self.isStrict = isStrict
        events = LineEvents(isStrict: isStrict)
    }

    /// Begins a frame.
    ///
    /// - Parameters:
    ///   - mayBeHeader: whether no header came yet, damaged or not.
    ///   - otherLimit: how many lines may be something else than undamaged items.
    package mutating func start(header: HeaderFacts?, mayBeHeader: Bool, otherLimit: Int = .max) {
        self.header = header
        self.mayBeHeader = mayBeHeader
        events.start(otherLimit: otherLimit)
    }

    /// Lines so far that are no undamaged items.
    package var otherCount: Int { events.otherCount }

    /// `true` if there was one more than there may be: nothing after it is looked at.
    package var isOver: Bool { events.isOver }

    /// Ends a frame: what its lines hold.
    package mutating func finish() -> [LineEvent] {
        endRun()
        return events.finish()
    }

    private mutating func endRun() {
        guard run.count > 0 else { return }
        run.last = lastDigest.map { RunEnd(key: lastKey, digest: $0) }
        lastDigest = nil
        events.add(run)
        run = ItemRun()
        runTypes.removeAll(keepingCapacity: true)
        runCovered.removeAll(keepingCapacity: true)
    }

    private mutating func addDamaged(
        _ layer: Layer, _ findings: [Finding], kind: LineKind? = nil, lines: Int = 1, at line: Int
    ) {
        endRun()
        events.add(damaged: layer, findings, kind: kind, lines: lines, at: line)
    }

    private mutating func addDamaged(_ faults: [ShapeFault], _ kind: LineKind, _ line: Int) {
        addDamaged(.shape, faults.map { $0.finding(at: line) }, kind: kind, at: line)
    }

    /// Returns the text of a finding on blank lines.
    static func blankLines(_ count: Int) -> String { "\(count) blank line\(count == 1 ? "" : "s")" }

    /// Adds blank lines, one finding for all that follow each other.
    mutating func addBlank(_ count: Int, at line: Int) {
        addDamaged(
            .line, [Finding(.lineBlank, line: line, found: Self.blankLines(count))],
            lines: count, at: line)
    }

    /// Adds a line beyond the limit.
    mutating func addTooLong(at line: Int, limit: Int) {
        addDamaged(.line, [Finding(.lineLimit, line: line, expected: "at most \(limit) bytes")], at: line)
    }

    /// Adds a row of a table that is no item.
    mutating func addDamagedRow(_ finding: Finding, at line: Int) { addDamaged(.line, [finding], at: line) }

    /// Adds a row of a view, of which only the item hash and the item's number are known.
    mutating func add(hash: Span<UInt8>, place: Int64) {
        run.add(hash: hash)
        run.places.append(place)
    }

    /// Adds a line.
    package mutating func add(_ text: Span<UInt8>, at line: Int) {
        guard !isOver else { return }
        do throws(JSONError) {
            switch try LineReading.of(text) {
            case .header: try addHeader(text, line)
            case .item: try addItem(text, line)
            case .manifest: try addEnd(text, line, ofSalvage: false)
            case .salvageHeader: try addSalvageHeader(text, line)
            case .salvageEnd: try addEnd(text, line, ofSalvage: true)
            case nil: addDamaged(.line, [Finding(.lineKind, line: line)], at: line)
            }
        } catch {
            addDamaged(.canonical, [Finding(Code(error.code), line: line, byte: Int64(error.offset))], at: line)
        }
    }

    private mutating func addHeader(_ text: Span<UInt8>, _ line: Int) throws(JSONError) {
        var visitor = HeaderVisitor()
        try shape.read(text, as: .header, &visitor)
        let isFirst = takeFirst()
        if let unknown = visitor.unknownFormat(in: text) { return addUnknownFormat(unknown, line) }
        // Where the kind is not known, only what holds for every kind is judged.
        let kind = visitor.kind(in: text)
        let every = shape.faults(in: text, as: .header, of: kind?.form ?? .headers)
        var faults = visitor.facts.remaining(
            kind == nil ? every.filter(HeaderVisitor.isOfEveryKind) : every, holder: "/export", in: text)
        faults += visitor.valuesOfOtherKinds(in: text).map { ShapeFault(code: .shapeValue, pointer: "/export" + $0) }
        if faults.isEmpty {
            faults = visitor.contradictions(in: text).map { ShapeFault(code: .shapeValue, pointer: "/export" + $0) }
        }
        guard faults.isEmpty else { return addDamaged(faults, .header, line) }
        var findings = visitor.unsorted(in: text).map { Finding(.orderCoverage, line: line, pointer: $0) }
        let facts = visitor.headerFacts(in: text), computed = visitor.computedExportID(in: text)
        if computed != facts.exportID {
            findings.append(Finding(.manifestExportID, line: line, expected: computed, found: facts.exportID))
        }
        endRun()
        if isFirst { header = facts }
        events.add(header: .header(facts, findings: findings), at: line)
    }

    /// Returns `true` if this header is the first; none after it is.
    private mutating func takeFirst() -> Bool {
        defer { mayBeHeader = false }
        return mayBeHeader
    }

    /// Adds a newer version, which is named beside the one that is known here: who reads it looks for newer tools.
    private mutating func addUnknownFormat(_ unknown: UnknownFormat, _ line: Int) {
        endRun()
        var finding = Finding(.shapeFormatVersion, line: line, pointer: unknown.pointer)
        finding.expected = unknown.version.map { _ in "version \(Bundle.version)" }
        finding.found = unknown.version.map { "version \($0)" }
        guard !isStrict || unknown.unreleased != nil else {
            return addDamaged(.shape, [finding], kind: .header, at: line)
        }
        events.add(header: .unknownFormat(finding, unreleased: unknown.unreleased), at: line)
    }

    private mutating func addSalvageHeader(_ text: Span<UInt8>, _ line: Int) throws(JSONError) {
        var visitor = SalvageVisitor()
        try shape.read(text, as: .salvage, &visitor)
        let isFirst = takeFirst()
        if let unknown = visitor.unknownFormat(in: text) { return addUnknownFormat(unknown, line) }
        // Of an export's defects, pointers are compared from its header on.
        let kind = visitor.header.kind(in: text)
        let every = shape.faults(in: text, as: .salvage, of: kind?.form ?? .headers)
        let beside = every.filter { !$0.pointer.hasPrefix("/salvage") }
        let found = every.filter { $0.pointer.hasPrefix("/salvage") }.map {
            ShapeFault(
                code: $0.code, pointer: String($0.pointer.dropFirst("/salvage".count)), isExcusable: $0.isExcusable)
        }
        var faults = visitor.header.facts.remaining(
            kind == nil ? found.filter(HeaderVisitor.isOfEveryKind) : found, holder: "/export", in: text)
        let others =
            visitor.header.unknownFormats(in: text) + visitor.header.valuesOfOtherKinds(in: text).map { "/export" + $0 }
        for pointer in others where !faults.contains(where: { $0.pointer == pointer }) {
            faults.append(ShapeFault(code: .shapeValue, pointer: pointer))
        }
        if faults.isEmpty, beside.isEmpty {
            faults = visitor.contradictions(in: text).map { ShapeFault(code: .shapeValue, pointer: $0) }
        }
        faults = beside + faults.map { ShapeFault(code: $0.code, pointer: "/salvage" + $0.pointer) }
        guard faults.isEmpty else { return addDamaged(faults, .header, line) }
        let facts = visitor.facts(in: text)
        var findings: [Finding] = []
        if let export = facts.export, case let computed = visitor.header.computedExportID(in: text),
            computed != export.exportID
        {
            findings.append(Finding(.manifestExportID, line: line, expected: computed, found: export.exportID))
        }
        endRun()
        if isFirst { header = facts.export }
        events.add(header: .salvageHeader(facts, findings: findings), at: line)
    }

    /// Adds the last line of a bundle, or of a salvage: a hash and totals either way.
    private mutating func addEnd(_ text: Span<UInt8>, _ line: Int, ofSalvage: Bool) throws(JSONError) {
        var visitor = ManifestVisitor()
        let form: LineShape = ofSalvage ? .salvageEnd : .manifest
        try shape.read(text, as: form, &visitor)
        let faults = shape.faults(in: text, as: form, of: .all)
        guard faults.isEmpty else { return addDamaged(faults, .manifest, line) }
        endRun()
        let facts = visitor.facts(in: text)
        events.add(manifest: ofSalvage ? .salvageEnd(facts) : .manifest(facts), at: line)
    }

    private mutating func addItem(_ text: Span<UInt8>, _ line: Int) throws(JSONError) {
        facts.keepsPlaces = header?.identityRules != nil
        // The header says what is to be expected. Whatever else comes is read again as what it says it is.
        let expected = header?.itemKind ?? .record
        try read(text, LineShape(expected))
        let kind = facts[.itemKind].flatMap { ItemKind(text.extracting($0.range)) }
        if let kind, LineShape(kind) != LineShape(expected) { try read(text, LineShape(kind)) }
        let form = kind.map { facts.form(of: $0, in: text) }
        guard let kind, let form, facts.isUnremarkable(form), shape.faultyForms.isDisjoint(with: form) else {
            return addUnusualItem(text, line, kind ?? expected, form)
        }
        addSound(text, line, kind, form)
    }

    private mutating func read(_ text: Span<UInt8>, _ line: LineShape) throws(JSONError) {
        facts.reset()
        if table?.line != line { table = (line, shape.flat.number(of: line)) }
        try shape.read(text, as: table!.number, &facts)
    }

    /// Adds an item with faults, or with members that have to be compared with each other.
    private mutating func addUnusualItem(_ text: Span<UInt8>, _ line: Int, _ kind: ItemKind, _ form: Forms?) {
        var faults: [ShapeFault]
        if let form {
            faults = facts.remaining(shape.faults(in: text, as: LineShape(kind), of: form), holder: "/item", in: text)
            if form == .window { ComparisonShape(text, item: facts[.item]!.range).judgeReasons(in: text, &faults) }
            if faults.isEmpty {
                faults = facts.contradictions(in: text, holder: facts[.item]).map {
                    ShapeFault(code: .shapeValue, pointer: "/item" + $0)
                }
                if facts.hasEqualSides(form, in: text) {
                    faults.append(ShapeFault(code: .shapeValue, pointer: "/item/after"))
                }
                if form == .window || form == .wholeType {
                    faults += ComparisonShape(text, item: facts[.item]!.range).unsorted(in: text)
                }
            }
        } else {
            faults = facts.faultsWithoutKind(shape.faults(in: text, as: LineShape(kind), of: .evidence))
        }
        guard faults.isEmpty, let form else { return addDamaged(faults, .item, line) }
        addSound(text, line, kind, form)
    }

    /// Adds an item without damage.
    private mutating func addSound(_ text: Span<UInt8>, _ line: Int, _ kind: ItemKind, _ form: Forms) {
        let declared = text.extracting(facts[.itemHash]!.range)
        let digest = hasher.hash(ofItem: text.extracting(facts[.item]!.range))
        let isHashRight = digest.isWritten(as: declared)
        if !isHashRight {
            let finding = Finding(
                .itemHash, line: line, expected: digest.hex,
                found: String(decoding: declared.indices.map { declared[$0] }, as: UTF8.self))
            if isStrict { return addDamaged(.item, [finding], kind: .item, at: line) }
            run.findings.append(finding)
        } else if Forms.selected.isSuperset(of: form) {
            if kind == .sharedRecord, let metadata = facts[.metadata],
                SharedMetadata.isTooMuch(text.extracting(metadata.range))
            {
                run.findings.append(Finding(.itemShared, line: line, pointer: "/item/metadata"))
            }
            if header?.identityRules != nil { contents.check(facts, form, in: text, line: line, &run) }
        }
        key.set(facts, form, in: text)
        if let lastDigest {
            let order = key.compared(with: lastKey)
            if order <= 0 { run.isAscending = false }
            if lastDigest == digest && !key.mayComeAgain || key.repeats(lastKey) {
                run.findings.append(Finding(.orderRepeated, line: line))
            } else if order < 0 {
                run.findings.append(Finding(.orderItems, line: line))
            }
        } else {
            run.first = RunEnd(key: key, digest: digest)
        }
        let isCovered = count(form, in: text)
        if let header, !header.isOfSalvage,
            !isCovered || header.excludes(facts, form, in: text)
                || (header.isOfItself && kind == .comparison
                    && ComparisonShape(text, item: facts[.item]!.range).hasChanges(in: text))
        {
            run.findings.append(Finding(.manifestScope, line: line))
        }
        if !facts.relationships.isEmpty { run.add(facts.relationships, of: key, in: text) }
        if wants.isAnything { keep(kind, form, line, declared, isHashRight: isHashRight) }
        run.add(hash: declared)
        lastDigest = digest
        swap(&key, &lastKey)
    }

    /// Keeps what is wanted of the item of `key`.
    private mutating func keep(
        _ kind: ItemKind, _ form: Forms, _ line: Int, _ declared: Span<UInt8>, isHashRight: Bool
    ) {
        let isOfSample = ![.comparison, .finding, .pair, .typeManifest, .day].contains(kind)
        // A change with two versions is recorded without one, and a shared record does not name its version.
        let hasVersion = ![.representationChanged, .sharedRecord].contains(form)
        if wants.identities {
            run.identities.append(
                ItemIdentity(
                    key, isOfSample: isOfSample, hasVersion: hasVersion, hash: declared, isHashRight: isHashRight,
                    line: line))
        }
        guard let hash = wants.sum, isOfSample else { return }
        keyBytes.removeAll()
        key.append(hasVersion: hasVersion, to: &keyBytes)
        keyBytes.append(copying: declared)
        let element = hash.hash(keyBytes.span)
        run.sum &+= element
    }

    /// Counts an item; returns whether its type is covered by the header.
    private mutating func count(_ form: Forms, in text: Span<UInt8>) -> Bool {
        let index: Int
        if lastDigest != nil, let last = lastType, key.hasType(of: lastKey) {
            index = last
        } else if let known = runTypes[key.type.map { Array($0) }] {
            index = known
        } else {
            let type = key.type.map { Array($0) }
            index = run.types.count
            run.types.append((type, TypeCounts()))
            runCovered.append(type.map { header?.coveredTypes.contains($0) ?? true } ?? true)
            runTypes[type] = index
        }
        lastType = index
        run.types[index].counts.itemCount += 1
        run.types[index].counts.defectCount += Int64(facts.defects.count)
        if Forms.evidence.isSuperset(of: form) { facts.addLosses(form, to: &run.types[index].counts.losses) }
        if Forms.day.isSuperset(of: form) {
            let added = facts.dayCounts(form, in: text)
            if run.types[index].counts.days?.add(added) == nil { run.types[index].counts.days = added }
        }
        return runCovered[index]
    }
}

/// The metadata that a shared record may have (`Spec/shared-bundles.md`).
enum SharedMetadata {
    private static let prefixes = ["HK", "_HK"].map { Array($0.utf8) }

    /// Returns `true` if metadata are no object with members, or have a key of another app or a private one.
    static func isTooMuch(_ metadata: Span<UInt8>) -> Bool {
        var reader = Reader(.canonical)
        var key: [UInt8] = []
        var isEmpty = true
        do throws(JSONError) {
            guard try reader.next(in: metadata) == .beginObject else { return true }
            while case .key(let name) = try reader.next(in: metadata) {
                key.removeAll(keepingCapacity: true)
                reader.unescape(name, in: metadata, into: &key)
                _ = try reader.skipValue(in: metadata)
                isEmpty = false
                let isOfApple = prefixes.contains { key.starts(with: $0) }
                if !isOfApple || PrivateMetadataKey.ofApple.contains(key) { return true }
            }
        } catch {
            // Text, which stands here without its quotes.
            return true
        }
        return isEmpty
    }
}

/// The form as which a line is read.
enum LineReading {
    case header, item, manifest, salvageHeader, salvageEnd

    /// Lines are told apart by their members. Nearly always the first key says it; else the line is read to its end.
    static func of(_ text: Span<UInt8>) throws(JSONError) -> LineReading? {
        if text.begins(with: Self.itemStart) { return .item }
        if text.begins(with: Self.headerStart) { return .header }
        if text.begins(with: Self.manifestStart) { return .manifest }
        if text.begins(with: Self.salvageStart) { return .salvageHeader }
        var reader = Reader(.canonical)
        guard case .beginObject = try reader.next(in: text) else {
            while true { if case .end = try reader.next(in: text) { return nil } }
        }
        var names: Set<[UInt8]> = []
        while true {
            switch try reader.next(in: text) {
            case .key(let key):
                var name: [UInt8] = []
                reader.unescape(key, in: text, into: &name)
                names.insert(name)
                _ = try reader.skipValue(in: text)
            case .end:
                func has(_ name: String) -> Bool { names.contains(Array(name.utf8)) }
                if has("export") { return .header }
                if has("item") || has("item_hash") { return .item }
                if has("manifest_hash") { return .manifest }
                return has("salvage")
                    ? .salvageHeader : has("salvage_hash") ? .salvageEnd : has("totals") ? .manifest : nil
            default: break
            }
        }
    }

    private static let itemStart = Array("{\"item\":".utf8)
    private static let headerStart = Array("{\"export\":".utf8)
    private static let manifestStart = Array("{\"manifest_hash\":".utf8)
    private static let salvageStart = Array("{\"salvage\":".utf8)
}

/// The shape of a comparison's row beyond its table: a member that depends on the label, and arrays that are sorted
/// (`Spec/shape.md`).
struct ComparisonShape {
    private let members: ObjectPlaces

    /// Reads the members of an item in a line.
    init(_ line: Span<UInt8>, item: Range<Int>) { members = ObjectPlaces(line, at: item) }

    /// Returns `true` if the row counts a change.
    func hasChanges(in line: Span<UInt8>) -> Bool { Self.hasChanges(members, in: line) }

    private static func hasChanges(_ counts: ObjectPlaces, in line: Span<UInt8>) -> Bool {
        ["appeared_count", "disappeared_count", "representation_changed_count"].contains {
            counts.integer($0, in: line) ?? 0 > 0
        }
    }

    /// Adds the fault of `reasons`, which the label of a window requires or forbids. An unknown label does neither.
    func judgeReasons(in line: Span<UInt8>, _ faults: inout [ShapeFault]) {
        guard let label = members.string("label", in: line).map({ String(decoding: $0, as: UTF8.self) }),
            ShapeTables.labels.contains(label)
        else { return }
        let pointer = "/item/reasons"
        if label == "uncertain" {
            if members["reasons"] == nil { faults.append(ShapeFault(code: .shapeMemberMissing, pointer: pointer)) }
        } else if members["reasons"] != nil {
            // The contents of a forbidden member are not examined.
            faults.removeAll { $0.pointer == pointer || $0.pointer.hasPrefix(pointer + "/") }
            faults.append(ShapeFault(code: .shapeMemberUnknown, pointer: pointer))
        }
    }

    /// Returns the faults of arrays that are not sorted, or repeat an entry.
    func unsorted(in line: Span<UInt8>) -> [ShapeFault] {
        var found = ["look_alikes", "reasons", "standing_reasons"].filter { name in
            !members.areEntries(name, in: line) { last, entry in
                last.map { line.extracting($0).compared(with: line.extracting(entry)) < 0 } ?? true
            }
        }
        for side in ["after", "before"] where !arePartsSorted(side, in: line) { found.append(side + "/parts") }
        if !areSourcesSorted(in: line) { found.append("sources") }
        if !areBucketsSorted(in: line) { found.append("calendar/buckets") }
        return found.map { ShapeFault(code: .shapeValue, pointer: "/item/" + $0) }
    }

    private func arePartsSorted(_ side: String, in line: Span<UInt8>) -> Bool {
        guard let side = members[side].map({ ObjectPlaces(line, at: $0) }) else { return true }
        return side.areEntries("parts", in: line) { last, entry in
            let values = [last, entry].map { $0.flatMap { ObjectPlaces(line, at: $0).integer("value", in: line) } }
            return values[0].flatMap { last in values[1].map { last < $0 } } ?? true
        }
    }

    private static let sourceMembers = [
        "bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version",
    ]

    private func areSourcesSorted(in line: Span<UInt8>) -> Bool {
        members.areEntries("sources", in: line) { last, entry in
            guard let last else { return true }
            let (left, right) = (ObjectPlaces(line, at: last), ObjectPlaces(line, at: entry))
            for name in Self.sourceMembers {
                let order = OrderKey.compare(left.string(name, in: line), right.string(name, in: line))
                if order != 0 { return order < 0 }
            }
            return false
        }
    }

    /// Returns `true` if the buckets of a calendar ascend, each with a change.
    private func areBucketsSorted(in line: Span<UInt8>) -> Bool {
        guard let calendar = members["calendar"].map({ ObjectPlaces(line, at: $0) }) else { return true }
        return calendar.areEntries("buckets", in: line) { last, entry in
            let bucket = ObjectPlaces(line, at: entry)
            let starts = [last.map { ObjectPlaces(line, at: $0) }, bucket].map { entry in
                entry?.string("start", in: line).flatMap { TimestampReader.moment(in: $0.span) }
            }
            let isLater = starts[0].flatMap { last in starts[1].map { last < $0 } } ?? true
            return isLater && Self.hasChanges(bucket, in: line)
        }
    }
}

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

    /// Returns the bytes of a string, unescaped; `nil` if absent or another type.
    func string(_ name: String, in text: Span<UInt8>) -> [UInt8]? {
        guard let place = places[name] else { return nil }
        let value = text.extracting(place)
        var reader = Reader(.canonical)
        guard case .string(let contents)? = try? reader.next(in: value) else { return nil }
        var bytes: [UInt8] = []
        reader.unescape(contents, in: value, into: &bytes)
        return bytes
    }

    /// Returns an integer; `nil` if absent.
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
