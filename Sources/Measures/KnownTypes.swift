/// The sample types that people can name: those of an archive, and those that `Spec/measures.json` has.
///
/// A type is named by its identifier, by what stands in it (`HeartRate`), or by what people call it (`Heart rate`); the
/// latter two also in other letter case (`Spec/command-line.md`, "Sample types").
package struct KnownTypes {
    /// The thing that a text names.
    package enum Answer: Equatable {
        case type(String)
        /// One text names several types.
        case several([String])
        case none
    }

    /// Identifiers, sorted by UTF-8 bytes, each once.
    private let identifiers: [String]

    /// - Parameter identifiers: of the archive.
    package init(adding identifiers: [String] = []) {
        let all = Set((identifiers + SampleTypeNames.table.keys).map { Array($0.utf8) })
        self.identifiers = all.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the type that a text names.
    ///
    /// - Complexity: the text's length times that of all names.
    package func find(_ text: String) -> Answer {
        if identifiers.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return .type(text) }
        let wanted = Self.folded(text)
        let found = identifiers.filter { identifier in names(of: identifier).contains { Self.folded($0) == wanted } }
        switch found.count {
        case 0: return .none
        case 1: return .type(found[0])
        default: return .several(found)
        }
    }

    /// The names of the types, each type's names together.
    package var names: some Sequence<String> { identifiers.lazy.flatMap { names(of: $0) } }

    /// Returns the short names that begin with the first four letters of a text of three letters or more, three at
    /// most.
    package func alike(_ text: String) -> [String] {
        let beginning = Self.folded(text).prefix(4)
        guard beginning.count >= 3 else { return [] }
        let names = identifiers.compactMap(SampleTypeNames.shortName)
        return Array(names.filter { Self.folded($0).starts(with: beginning) }.prefix(3))
    }

    /// Returns the names of a type; of names that are alike near, the first is said.
    private func names(of identifier: String) -> [String] {
        [SampleTypeNames.shortName(of: identifier), SampleTypeNames.name(of: identifier), identifier].compactMap { $0 }
    }

    /// Its bytes, with small letters for those of ASCII.
    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

/// The names of sample types.
package enum SampleTypeNames {
    /// Returns the English name that people use for a type; `nil` if the table does not have the type.
    package static func name(of identifier: String) -> String? { table[identifier] }

    /// Returns the type's part of an identifier of Apple's; `nil` if it is not such an identifier. It is `HeartRate` in
    /// `HKQuantityTypeIdentifierHeartRate`, and `Workout` in `HKWorkoutTypeIdentifier`.
    package static func shortName(of identifier: String) -> String? {
        let bytes = Array(identifier.utf8), middle = Array("TypeIdentifier".utf8)
        guard bytes.starts(with: Array("HK".utf8)), bytes.count >= middle.count + 2 else { return nil }
        for start in 2...bytes.count - middle.count where bytes[start...].starts(with: middle) {
            let rest = bytes[(start + middle.count)...]
            let name = rest.isEmpty ? bytes[2..<start] : rest
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        }
        return nil
    }

    /// The short names of the identifiers of the table, sorted.
    package static var shortNames: [String] { table.keys.compactMap(shortName).sorted() }

    static let table: [String: String] = {
        var table: [String: String] = [:]
        for line in NameTable.typeText.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            if cells.count == 2 { table[cells[0]] = cells[1] }
        }
        return table
    }()
}
