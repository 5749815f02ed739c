internal import Bytes

/// The texts of objects that this page had before, with what was made of each: sources, devices and metadata come
/// again and again, and are taken apart once.
///
/// A text is here only after it was read as an object, so a place of a line that has the same bytes is that object.
struct FeedObjects: ~Copyable {
    private var sources = Table()
    private var devices = Table()
    private var metadata = Table()

    private struct Table: ~Copyable {
        var texts = Interner()
        /// The builder's place for a text; `nil` for an object that is empty or that cannot be stored.
        var places: [Place] = []
    }

    /// The place of an object in the page.
    enum Place {
        /// An index that the page builder gave.
        case index(Int)
        /// An object without members.
        case absent
        /// Metadata with a number that is no double.
        case overflow
    }

    /// Returns the index of a text among those that were read as a value of this member, or −1.
    func find(_ text: Span<UInt8>, as field: FeedField) -> Int {
        switch field {
        case .source: sources.texts.find(text) ?? -1
        case .device: devices.texts.find(text) ?? -1
        case .metadata: metadata.texts.find(text) ?? -1
        default: -1
        }
    }

    /// Returns the place of a known text.
    func place(_ index: Int, of field: FeedField) -> Place {
        switch field {
        case .source: sources.places[index]
        case .device: devices.places[index]
        default: metadata.places[index]
        }
    }

    /// Remembers a text that is not known yet.
    mutating func add(_ text: Span<UInt8>, _ place: Place, of field: FeedField) {
        switch field {
        case .source: Self.add(text, place, &sources)
        case .device: Self.add(text, place, &devices)
        default: Self.add(text, place, &metadata)
        }
    }

    /// Forgets everything: the page is over.
    mutating func removeAll() {
        Self.removeAll(&sources)
        Self.removeAll(&devices)
        Self.removeAll(&metadata)
    }

    private static func add(_ text: Span<UInt8>, _ place: Place, _ table: inout Table) {
        if table.texts.intern(text).isNew { table.places.append(place) }
    }

    private static func removeAll(_ table: inout Table) {
        table.texts.removeAll()
        table.places.removeAll(keepingCapacity: true)
    }

    /// Returns the range of an object that begins at a byte; `nil` if there is none. Nothing is checked: only texts
    /// that were read before are looked up by it.
    static func extent(in line: Span<UInt8>, at start: Int) -> Range<Int>? {
        guard start < line.count, line[start] == UInt8(ascii: "{") else { return nil }
        var depth = 0
        var at = start
        while at < line.count {
            let byte = line[at]
            at &+= 1
            if byte == UInt8(ascii: "\"") {
                at = textEnd(in: line, at: at)
            } else if byte == UInt8(ascii: "{") {
                depth &+= 1
            } else if byte == UInt8(ascii: "}") {
                depth &-= 1
                if depth == 0 { return start..<at }
            }
        }
        return nil
    }

    /// Returns the byte after the quote that ends a text, eight bytes at a time.
    @inline(__always)
    private static func textEnd(in line: Span<UInt8>, at start: Int) -> Int {
        var at = start
        while true {
            while line.count &- at >= 8 {
                let word = line.word(at: at)
                let marks = word.marks(of: UInt8(ascii: "\"")) | word.marks(of: UInt8(ascii: "\\"))
                guard marks == 0 else { at &+= marks.trailingZeroBitCount >> 3; break }
                at &+= 8
            }
            guard at < line.count else { return at }
            let byte = line[at]
            at &+= byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") || at >= line.count { return min(at, line.count) }
        }
    }
}
