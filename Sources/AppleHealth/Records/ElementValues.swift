/// The values of an element's known attributes, to look them up without a search.
struct ElementValues {
    private var places = InlineArray<32, ElementBatch.Place>(repeating: Self.absent)
    private static let absent = ElementBatch.Place(start: .max, count: 0)

    /// The values of an element of a batch.
    init(_ batch: borrowing ElementBatch, _ element: borrowing ElementBatch.Element) {
        for index in element.attributes {
            let attribute = batch.attributes[index]
            places[Int(attribute.name.rawValue)] = attribute.value
        }
        places[Int(AttributeName.other.rawValue)] = Self.absent
    }

    /// The place of a value; `nil` if the element has no such attribute.
    subscript(name: AttributeName) -> ElementBatch.Place? {
        let place = places[Int(name.rawValue)]
        return place.start == .max ? nil : place
    }
}
