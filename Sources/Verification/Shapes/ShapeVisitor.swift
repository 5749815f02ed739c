internal import Timestamps

/// A value as it stands in a line.
struct Captured {
    /// The range in the line; for a text, between the quotes.
    var range: Range<Int> = 0..<0
    var hasEscapes = false
    var isText = false
    var isNumber = false
    var isTrue = false
    /// The moment that a timestamp names.
    var moment: Moment?

    /// Returns the same value in a line in which it is `distance` bytes later.
    func moved(by distance: Int) -> Captured {
        var moved = self
        moved.range = range.lowerBound + distance..<range.upperBound + distance
        return moved
    }
}

/// Takes the values that later checks look at.
protocol ShapeVisitor {
    /// A value, or the beginning of an object, at a slot.
    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>)
    /// An array at a slot begins.
    mutating func beginArray(of slot: Slot)
    /// The next entry of an array at a slot begins.
    mutating func beginEntry(of slot: Slot)
    /// Takes the value of the number at an index of the line.
    mutating func visit(number: Double, at index: Int)
    /// A member of an item ends; its number counts in the order of `ItemMember`.
    mutating func endItemMember(_ index: Int, _ place: MemberPlaces.Place)
}

extension ShapeVisitor {
    mutating func beginArray(of slot: Slot) {}
    mutating func visit(number: Double, at index: Int) {}
    mutating func endItemMember(_ index: Int, _ place: MemberPlaces.Place) {}
}

/// Takes nothing.
struct NoVisitor: ShapeVisitor {
    mutating func visit(_ slot: Slot, _ value: Captured, in line: Span<UInt8>) {}
    mutating func beginEntry(of slot: Slot) {}
}
