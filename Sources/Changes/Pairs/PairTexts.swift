internal import Archive

/// The texts that many records share, in UTF-8.
final class PairTexts {
    let valueKind, unit, bundle, product, nameHash: [UInt8]?
    /// The place in the table; `nil` if they are in none.
    let place: Int?

    fileprivate init(_ texts: [[UInt8]?], place: Int?) {
        (valueKind, unit, bundle, product, nameHash) = (texts[0], texts[1], texts[2], texts[3], texts[4])
        self.place = place
    }
}

/// The texts of records, each once, so that a record travels with their place alone. Behind a number of texts, or of
/// their bytes, records take theirs along.
///
/// - Complexity: memory for 4,096 entries, and for 1 MiB of texts.
final class PairTextTable {
    private static let greatestCount = 4096
    private static let greatestSize = 1 << 20
    private var all: [PairTexts] = []
    private var places: [[[UInt8]?]: Int] = [:]
    private var size = 0
    /// The last texts: they often come again.
    private var last: (texts: [[UInt8]?], found: PairTexts)?

    /// - Parameter texts: value kind, unit, bundle identifier, product type, hash of the source name.
    func texts(_ texts: [[UInt8]?]) -> PairTexts {
        if let last, last.texts == texts { return last.found }
        let found = places[texts].map { all[$0] } ?? added(texts)
        last = (texts, found)
        return found
    }

    func texts(at place: Int) -> PairTexts { all[place] }

    private func added(_ texts: [[UInt8]?]) -> PairTexts {
        let count = texts.reduce(0) { $0 + ($1?.count ?? 0) }
        guard all.count < Self.greatestCount, size + count <= Self.greatestSize else {
            return PairTexts(texts, place: nil)
        }
        let entry = PairTexts(texts, place: all.count)
        places[texts] = all.count
        all.append(entry)
        size += count
        return entry
    }
}
