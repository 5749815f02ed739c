internal import Archive
internal import Bytes
internal import CanonicalJSON
internal import Codes
internal import SQLite

/// Each value by itself: its storage class, its form, and pairs of dates.
enum ValueCheck {
    static func run(_ reader: borrowing EvidenceReader, _ subject: Subject, _ log: inout CheckLog) throws(ArchiveError)
    {
        var ours = try reader.hasContextLog() ? [TableRules.contextLog] : []
        if try reader.hasCaptureFacts() { ours += TableRules.captureFacts }
        if try reader.hasHistory() { ours.append(TableRules.history) }
        for table in TableRules.all + ours {
            let places = table.ordered.map {
                (first: place(of: $0.first, in: table), second: place(of: $0.second, in: table))
            }
            let rules = table.columns.map { Rule($0, of: table.name) }
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
                    guard let fault = fault(value, rules[index], subject.statesIdentityRules, &words[index]) else {
                        continue
                    }
                    log.add(
                        fault.code, table.name, row: row.exactInteger(0), column: table.columns[index].name,
                        expected: fault.expected, found: fault.found)
                }
                guard let ordered = table.ordered, let places, let earlier = row.value(places.first).number,
                    let later = row.value(places.second).number, years.contains(earlier), years.contains(later),
                    earlier > later
                else { return }
                inverted += 1
                if !ordered.isFromSource {
                    log.add(
                        .valuesDates, table.name, row: row.exactInteger(0), column: ordered.second,
                        expected: "a date at or after \(ordered.first)")
                }
            }
            // What a source said is evidence, whatever it may mean.
            if inverted > 0, table.ordered?.isFromSource ?? false {
                log.note(
                    "\(inverted) rows of \(table.name) end before they start")
            }
        }
    }

    private static func place(of column: String, in table: TableRules) -> Int32 {
        Int32(table.columns.firstIndex { $0.name == column }! + 1)
    }

    /// What is invalid in a value, and what was expected and found.
    struct Fault {
        let code: Code
        var expected: String?
        var found: String?
    }

    /// A rule without its name, so that it is read row after row without counting references.
    private struct Rule {
        let form: ColumnRule.Form
        let isRequired: Bool
        /// Whether it is an id that may be as large as an integer can be.
        let isID: Bool

        init(_ rule: ColumnRule, of table: String) {
            (form, isRequired) = (rule.form, rule.isRequired)
            // Documents name an observation by its id, and by no escape form.
            isID = rule.name == "id" ? table != "observations" : rule.name.hasSuffix("_id")
        }
    }

    private static func fault(_ value: SQLiteValue, _ rule: Rule, _ statesRules: Bool, _ word: inout [UInt8]) -> Fault?
    {
        let storage = value.storageClass
        if storage == .null { return rule.isRequired ? Fault(code: .valuesNull, expected: "a value") : nil }
        switch rule.form {
        case .real, .moment:
            guard storage == .real || storage == .integer else {
                return Fault(code: .valuesStorageClass, expected: "real", found: storage.rawValue)
            }
            let number = value.real
            guard number.isFinite else { return Fault(code: .valuesNotFinite, expected: "a finite number") }
            if rule.form == .moment, !years.contains(number) {
                return Fault(code: .valuesDateRange, expected: "a date of the years 1 to 9999")
            }
            return nil
        case .integer, .count:
            guard storage == .integer else {
                return Fault(code: .valuesStorageClass, expected: "integer", found: storage.rawValue)
            }
            let number = value.integer
            if rule.form == .count, number < 0 { return Fault(code: .valuesCount, expected: "0 or more") }
            if number.magnitude < 1 << 53 || rule.isID { return nil }
            return Fault(code: .valuesIntegerRange, expected: "at most 2^53-1 in magnitude")
        case .blob:
            return storage == .blob ? nil : Fault(code: .valuesStorageClass, expected: "blob", found: storage.rawValue)
        case .text, .hash, .word, .metadata, .list:
            guard storage == .text else {
                return Fault(code: .valuesStorageClass, expected: "text", found: storage.rawValue)
            }
            return fault(value.bytes(of: .text), rule.form, statesRules, &word)
        }
    }

    /// From year 1 to the end of year 9999.
    private static let years = -62_135_596_800.0..<253_402_300_800.0

    /// - Parameter word: the last word that was found to be known.
    private static func fault(
        _ text: Span<UInt8>, _ form: ColumnRule.Form, _ statesRules: Bool, _ word: inout [UInt8]
    ) -> Fault? {
        if form == .hash, text.count == 64, text.hasDigest(at: 0) { return nil }
        if !word.isEmpty, word.isSame(as: text) { return nil }
        if !isCarryable(text) {
            return text.indices.contains { text[$0] == 0 }
                ? Fault(code: .valuesNul, expected: "text without U+0000") : Fault(code: .valuesUTF8, expected: "UTF-8")
        }
        switch form {
        case .hash where statesRules:
            return Fault(code: .valuesHash, expected: "64 lower-case hex digits", found: "\(text.count) bytes")
        case .word(let vocabulary, let isOurs) where !isOurs || statesRules:
            // A word that is not known may be anything: it is not repeated.
            let bytes = text.count <= 64 ? text.indices.map { text[$0] } : []
            guard vocabulary.contains(String(decoding: bytes, as: UTF8.self)) else {
                return Fault(
                    code: .valuesWord, expected: "one of the words that Spec/archive-verification.md lists")
            }
            word = bytes
            return nil
        case .metadata where statesRules:
            return isCanonicalObject(text) ? nil : Fault(code: .valuesMetadata, expected: "one canonical JSON object")
        case .list where statesRules:
            return isCanonical(text, from: "[")
                ? nil : Fault(code: .valuesMetadata, expected: "one canonical JSON array")
        default: return nil
        }
    }

    private static func isCanonical(_ text: Span<UInt8>, from first: Unicode.Scalar) -> Bool {
        !text.isEmpty && text[0] == UInt8(ascii: first) && Validator.firstDeviation(in: text) == nil
    }

    /// Whether a text is a canonical JSON object.
    static func isCanonicalObject(_ text: Span<UInt8>) -> Bool { isCanonical(text, from: "{") }
}
