internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import Format
internal import SQLite

/// Each value by itself: its storage class, its form, and pairs of dates.
enum ValueCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        var tables = ArchiveTable.ofSchema
        if try reader.hasContextLog() { tables += ArchiveTable.ofContextLog }
        if try reader.hasCaptureFacts() { tables += ArchiveTable.ofCaptureFacts }
        if try reader.hasHistory() { tables += ArchiveTable.ofHistory }
        for table in tables {
            let places = table.order.map {
                (first: place(of: $0.first, in: table), second: place(of: $0.second, in: table))
            }
            let rules = table.columns.map { Rule($0, of: table.name) }
            // Apart from the table, which would be copied for each value.
            let known = table.columns
            // A word that is known comes in row after row.
            var words = [[UInt8]](repeating: [], count: rules.count)
            var inverted = 0
            let columns = "t.rowid, \(table.columns.map { "t.\($0.name)" }.joined(separator: ", "))"
            try RowWalk(sample: subject.sample).forEach(
                reader, columns, from: "\(table.name) t NOT INDEXED", rowID: "t.rowid"
            ) { row throws(ArchiveError) in
                log.countRow()
                for index in rules.indices {
                    let value = row.value(Int32(index + 1))
                    guard
                        let fault = fault(
                            value, rules[index], subject.statesIdentityRules, &words[index], known, index)
                    else { continue }
                    log.add(
                        fault.code, table.name, row: row.exactInteger(0), column: table.columns[index].name,
                        expected: fault.expected, found: fault.found)
                }
                guard let places, let earlier = row.value(places.first).number,
                    let later = row.value(places.second).number, years.contains(earlier), years.contains(later),
                    earlier > later
                else { return }
                inverted += 1
                if let ordered = table.order, !ordered.isFromSource {
                    log.add(
                        .valuesDates, table.name, row: row.exactInteger(0), column: ordered.second,
                        expected: "a date at or after \(ordered.first)")
                }
            }
            // What a source said is evidence, whatever it may mean.
            if inverted > 0, table.order?.isFromSource ?? false {
                log.note(
                    "\(inverted) rows of \(table.name) end before they start")
            }
        }
    }

    private static func place(of column: String, in table: ArchiveTable) -> Int32 {
        Int32(table.columns.firstIndex { $0.name == column }! + 1)
    }

    /// The invalid thing in a value, and what was expected and found.
    struct Fault {
        let code: Code
        var expected: String?
        var found: String?
    }

    /// The rule of a column, without its name and words, so that it is read row after row without counting references.
    private struct Rule {
        let values: ArchiveTable.Values
        let isRequired: Bool
        /// `true` if it is an id that may be as large as an integer can be.
        let isID: Bool

        init(_ column: ArchiveTable.Column, of table: String) {
            (values, isRequired) = (column.values, column.isRequired)
            // Documents name an observation by its id, and by no escape form.
            isID = column.name == "id" ? table != "observations" : column.name.hasSuffix("_id")
        }
    }

    private static func fault(
        _ value: SQLiteValue, _ rule: Rule, _ statesRules: Bool, _ word: inout [UInt8],
        _ columns: [ArchiveTable.Column], _ place: Int
    ) -> Fault? {
        let storage = value.storageClass
        if storage == .null { return rule.isRequired ? Fault(code: .valuesNull, expected: "a value") : nil }
        switch rule.values {
        case .real, .date:
            guard storage == .real || storage == .integer else {
                return Fault(code: .valuesStorageClass, expected: "real", found: storage.rawValue)
            }
            let number = value.real
            guard number.isFinite else { return Fault(code: .valuesNotFinite, expected: "a finite number") }
            if rule.values == .date, !years.contains(number) {
                return Fault(code: .valuesDateRange, expected: "a date of the years 1 to 9999")
            }
            return nil
        case .integer, .count:
            guard storage == .integer else {
                return Fault(code: .valuesStorageClass, expected: "integer", found: storage.rawValue)
            }
            let number = value.integer
            if rule.values == .count, number < 0 { return Fault(code: .valuesCount, expected: "0 or more") }
            if number.magnitude < 1 << 53 || rule.isID { return nil }
            return Fault(code: .valuesIntegerRange, expected: "at most 2^53-1 in magnitude")
        case .blob:
            return storage == .blob ? nil : Fault(code: .valuesStorageClass, expected: "blob", found: storage.rawValue)
        case .text, .hash, .name, .word, .rulesWord, .object, .array:
            guard storage == .text else {
                return Fault(code: .valuesStorageClass, expected: "text", found: storage.rawValue)
            }
            return fault(value.bytes(of: .text), rule.values, statesRules, &word, columns, place)
        }
    }

    /// From year 1 to the end of year 9999.
    private static let years = -62_135_596_800.0..<253_402_300_800.0

    /// - Parameters:
    ///   - word: the last word that was found to be known.
    ///   - place: where the value's column stands in `columns`, which state the words that there are.
    private static func fault(
        _ text: Span<UInt8>, _ values: ArchiveTable.Values, _ statesRules: Bool, _ word: inout [UInt8],
        _ columns: [ArchiveTable.Column], _ place: Int
    ) -> Fault? {
        if values == .hash, text.count == 64, text.hasDigest(at: 0) { return nil }
        if !word.isEmpty, word.isSame(as: text) { return nil }
        if !isCarryable(text) {
            return text.indices.contains { text[$0] == 0 }
                ? Fault(code: .valuesNul, expected: "text without U+0000") : Fault(code: .valuesUTF8, expected: "UTF-8")
        }
        switch values {
        case .hash where statesRules:
            return Fault(code: .valuesHash, expected: "64 lower-case hex digits", found: "\(text.count) bytes")
        case .word,
            .rulesWord where statesRules, .name where statesRules:
            // A word that is not known may be anything: it is not repeated.
            let bytes = text.count <= 64 ? text.indices.map { text[$0] } : []
            let isKnown = values == .name ? isName(bytes) : columns[place].has(String(decoding: bytes, as: UTF8.self))
            guard isKnown else {
                return Fault(
                    code: .valuesWord, expected: "one of the words that Spec/archive-verification.md lists")
            }
            word = bytes
            return nil
        case .object where statesRules:
            return isCanonicalObject(text) ? nil : Fault(code: .valuesMetadata, expected: "one canonical JSON object")
        case .array where statesRules:
            return isCanonical(text, from: "[")
                ? nil : Fault(code: .valuesMetadata, expected: "one canonical JSON array")
        default: return nil
        }
    }

    private static func isName(_ text: [UInt8]) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    private static func isCanonical(_ text: Span<UInt8>, from first: Unicode.Scalar) -> Bool {
        !text.isEmpty && text[0] == UInt8(ascii: first) && Validator.firstDeviation(in: text) == nil
    }

    /// Returns `true` if a text is a canonical JSON object.
    static func isCanonicalObject(_ text: Span<UInt8>) -> Bool { isCanonical(text, from: "{") }
}
