// Comma-separated values (RFC 4180) on bytes.
//
//     CSVWriter    writes records as a stream into one buffer of bytes
//
// A record is a line of fields with commas between them and CR LF after them. Text is UTF-8 and is taken byte by byte:
// a CR LF inside a field is two bytes, not one character, and both ask for quotes.

/// The bytes that mean something in comma-separated values.
enum CSVByte {
    static let comma: UInt8 = UInt8(ascii: ",")
    static let semicolon: UInt8 = UInt8(ascii: ";")
    static let quote: UInt8 = UInt8(ascii: "\"")
    static let carriageReturn: UInt8 = UInt8(ascii: "\r")
    static let lineFeed: UInt8 = UInt8(ascii: "\n")
    static let space: UInt8 = UInt8(ascii: " ")
    static let tab: UInt8 = UInt8(ascii: "\t")
}
