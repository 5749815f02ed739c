internal import Capture
internal import Manifest

/// The stored facts of an electrocardiogram (`Spec/apple-health.md`, "Electrocardiograms"). No voltage is kept.
///
///     eight rows `key,value`     an empty line     rows `key,value`     an empty line     a number on each line
///
/// Keys are translated, so rows are known by their order, which the one date among them shows.
struct Electrocardiogram {
    let recorded: ExportDate
    /// As the tables have it, else as the file has it.
    let classification: [UInt8]?
    let symptoms: [UInt8]?
    let softwareVersion: [UInt8]?
    let device: [UInt8]?
    /// Hertz.
    let sampleRate: Double
    let voltageUnit: [UInt8]?
    let sampleCount: Int
    let contentHash: Digest

    /// Largest file that is read as one; recordings have 130 KB.
    static let sizeLimit = 16 << 20

    /// Reads a file; nil where it is none.
    init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { return nil }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        if lines.first?.starts(with: [0xEF, 0xBB, 0xBF]) == true { lines[0] = lines[0].dropFirst(3) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard let head = lines.firstIndex(where: \.isEmpty), let body = lines.lastIndex(where: \.isEmpty),
            let samples = Self.samples(lines[(body + 1)...])
        else { return nil }
        let rows = lines[..<head].map(Self.value)
        guard let place = rows.indices.dropFirst().first(where: { Self.date(rows[$0]) != nil }),
            let date = Self.date(rows[place]), place + 5 < rows.count, let rate = Self.rate(rows[place + 5])
        else { return nil }
        recorded = date
        classification = rows[place + 1].map { Self.names[$0] ?? $0 }
        (symptoms, softwareVersion, device) = (rows[place + 2], rows[place + 3], rows[place + 4])
        sampleRate = rate
        let facts = head < body ? lines[head..<body].filter { !$0.isEmpty }.map(Self.value) : []
        voltageUnit = facts.count > 1 ? facts[1] : nil
        (sampleCount, contentHash) = samples
    }

    /// Returns the text after the first comma of a row; `nil` if there is none.
    private static func value(_ row: ArraySlice<UInt8>) -> [UInt8]? {
        guard let comma = row.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let text = row[(comma + 1)...]
        guard let first = text.first else { return nil }
        let quote = UInt8(ascii: "\"")
        guard first == quote, text.count >= 2, text.last == quote else { return Array(text) }
        var value: [UInt8] = []
        var isDoubled = false
        for byte in text.dropFirst().dropLast() {
            isDoubled = byte == quote && !isDoubled
            if !isDoubled { value.append(byte) }
        }
        return value.isEmpty ? nil : value
    }

    private static func date(_ value: [UInt8]?) -> ExportDate? {
        value.flatMap { LocalNumber.normalized($0) }.flatMap { ExportDate($0.span, allowsCompact: false) }
    }

    /// Returns a number with its unit, before or behind it: the one is digits and a decimal separator, the other has a
    /// letter.
    private static func rate(_ value: [UInt8]?) -> Double? {
        guard let text = value.flatMap({ LocalNumber.normalized($0) }),
            let (number, unit) = LocalNumber.single(in: text), !unit.contains(UInt8(ascii: "-")),
            String(decoding: unit, as: UTF8.self).unicodeScalars.contains(where: \.properties.isAlphabetic),
            let rate = DecimalText(number.span), rate.value.isFinite
        else { return nil }
        return rate.value + 0
    }

    /// Counts the numbers and hashes them; `nil` if a line is not a number.
    private static func samples(_ lines: ArraySlice<ArraySlice<UInt8>>) -> (Int, Digest)? {
        guard !lines.isEmpty else { return nil }
        var text = Array("hp:v2:electrocardiogram:".utf8)
        for line in lines {
            guard let number = LocalNumber.normalized(line), DecimalText(number.span) != nil else { return nil }
            text += number
            text.append(UInt8(ascii: "\n"))
        }
        return (lines.count, SHA256.digest(of: text.span))
    }

    /// Classifications in other languages, by those that they are (`Spec/apple-health-names.json`).
    static let names: [[UInt8]: [UInt8]] = Dictionary(
        uniqueKeysWithValues: [("Sinusrhythmus", "Sinus Rhythm"), ("Uneindeutig", "Inconclusive")].map {
            (Array($0.0.utf8), Array($0.1.utf8))
        })
}
