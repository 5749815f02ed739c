internal import Bytes

/// Writes comma-separated values (RFC 4180) as a stream into one buffer of bytes that is used again and again.
///
///     var writer = CSVWriter()
///     writer.header(["name", "count"])
///     writer.field("steps")
///     writer.integer(42)
///     writer.endRecord()
///
/// A field is quoted only where it must be: where it holds a quote, a comma, CR or LF, or begins or ends with a
/// blank, which some readers would drop. Commas come by themselves. Every record must have as many fields as the
/// first one; anything else is a mistake of the calling code and stops the program. Every call is O(bytes it
/// writes), amortized.
public struct CSVWriter: ~Copyable {
    /// The bytes written since the beginning or the last `removeAll()`.
    public private(set) var bytes: [UInt8] = []

    /// The number of fields that the open record has so far.
    private var fieldCount = 0
    /// The number of fields of every record, once the first one has ended.
    private var recordWidth: Int?
    /// The index in `bytes` at which the open record begins.
    private var recordStart = 0

    private let delimiter: UInt8

    /// A writer whose buffer has room for `capacity` bytes; it grows as needed.
    ///
    /// - Parameter usesSemicolons: whether they stand between fields, as spreadsheets of some countries want it.
    public init(capacity: Int = 0, usesSemicolons: Bool = false) {
        delimiter = usesSemicolons ? CSVByte.semicolon : CSVByte.comma
        bytes.reserveCapacity(capacity)
    }

    /// Empties `bytes` and keeps its capacity and the number of fields. No record may be open.
    public mutating func removeAll() {
        precondition(fieldCount == 0, "a record is open")
        bytes.removeAll(keepingCapacity: true)
        recordStart = 0
    }

    /// Writes the names of the fields as one record.
    public mutating func header(_ names: [String]) {
        for name in names { field(name) }
        endRecord()
    }

    /// Writes a field of UTF-8 text. The text is not checked.
    public mutating func field(_ text: Span<UInt8>) {
        beginField()
        if needsQuotes(text) { appendQuoted(text) } else { append(text) }
    }

    /// Writes a field of text. A literal costs no allocation.
    public mutating func field(_ text: String) {
        field(text.utf8Span.span)
    }

    /// Writes a field without contents.
    public mutating func emptyField() {
        beginField()
    }

    /// Writes an integer in decimal.
    public mutating func integer(_ value: Int64) {
        field(value.description)
    }

    /// Ends the record with CR LF. A record whose only field is empty becomes `""`, because a blank line is no record.
    public mutating func endRecord() {
        precondition(fieldCount > 0, "a record without fields")
        precondition(
            recordWidth ?? fieldCount == fieldCount,
            "the record has another number of fields than the first one")
        if bytes.count == recordStart {
            bytes.append(CSVByte.quote)
            bytes.append(CSVByte.quote)
        }
        bytes.append(CSVByte.carriageReturn)
        bytes.append(CSVByte.lineFeed)
        recordWidth = fieldCount
        fieldCount = 0
        recordStart = bytes.count
    }

    private mutating func beginField() {
        precondition(recordWidth.map { fieldCount < $0 } ?? true, "the record has more fields than the first one")
        if fieldCount > 0 { bytes.append(delimiter) }
        fieldCount &+= 1
    }

    private func needsQuotes(_ text: Span<UInt8>) -> Bool {
        guard !text.isEmpty else { return false }
        if Self.isBlank(text[0]) || Self.isBlank(text[text.count &- 1]) { return true }
        let delimiter = delimiter
        // Without an early end the compiler can look at many bytes at once.
        var marks: UInt8 = 0
        for at in text.indices { marks |= Self.mark(text[at], delimiter) }
        return marks != 0
    }

    /// Returns a number that is not zero for a byte that asks for quotes anywhere in a field.
    @inline(__always)
    private static func mark(_ byte: UInt8, _ delimiter: UInt8) -> UInt8 {
        (byte == CSVByte.quote ? 1 : 0) | (byte == delimiter ? 1 : 0)
            | (byte == CSVByte.carriageReturn ? 1 : 0) | (byte == CSVByte.lineFeed ? 1 : 0)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == CSVByte.space || byte == CSVByte.tab
    }

    private mutating func append(_ text: Span<UInt8>) { bytes.append(copying: text) }

    /// Appends runs without a quote as they are, and each quote twice.
    private mutating func appendQuoted(_ text: Span<UInt8>) {
        bytes.append(CSVByte.quote)
        var start = 0
        for at in text.indices where text[at] == CSVByte.quote {
            append(text.extracting(start...at))
            start = at
        }
        append(text.extracting(start..<text.count))
        bytes.append(CSVByte.quote)
    }
}
