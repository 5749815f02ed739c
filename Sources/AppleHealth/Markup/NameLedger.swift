internal import Bytes

/// The names of elements and attributes that the XML parser was given, but for those that the specification names.
///
/// Expat keeps every name as long as it lives, so their number has a limit.
struct NameLedger {
    /// How many different names a text may have.
    static let limit = 4096

    /// Whether there were more.
    private(set) var isFull = false
    private var names: Set<[UInt8]> = []

    /// Notes the name of an element.
    mutating func add(element name: Span<UInt8>) {
        if ElementName.named(name) == .other { add(name) }
    }

    /// Notes the name of an attribute.
    mutating func add(attribute name: Span<UInt8>) {
        if AttributeName.named(name) == .other { add(name) }
    }

    private mutating func add(_ name: Span<UInt8>) {
        let name = name.array
        guard !names.contains(name) else { return }
        if names.count < Self.limit { names.insert(name) } else { isFull = true }
    }
}
