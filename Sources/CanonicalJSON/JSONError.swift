/// A fault of a JSON text, with its place.
///
/// `description` never holds anything of the text itself, so that it may be logged where the text may not.
public struct JSONError: Error, Hashable, Sendable {
    /// The rule of `Spec/canonical-json.md` that is broken.
    public let code: Code

    /// Offset from the start of the text, in bytes from 0, of the first byte that cannot be right.
    ///
    /// It is the length of the text where the text ends too early; the first byte of an ill-formed UTF-8 sequence;
    /// the backslash of an escape; the opening quote of a key that repeats or is out of order; the first byte of a
    /// number that is grammatical but out of range or not in its ECMAScript text.
    public let offset: Int

    /// Names a fault.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension JSONError {
    /// A fault or deviation by its name in `Spec/canonical-json.md`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name as it is written in reports, for example `duplicate_key`.
        public let rawValue: String

        /// A code of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the code.
        public var description: String { rawValue }

        /// Not JSON: a missing or wrong token, a raw control character, bytes after the value, an unfinished text
        /// (RFC 8259).
        public static let syntax = Code(rawValue: "syntax")
        /// The text begins with a byte order mark (RFC 8259, section 8.1).
        public static let byteOrderMark = Code(rawValue: "byte_order_mark")
        /// Bytes that are not UTF-8, overlong forms and encoded surrogates included (RFC 3629, section 4).
        public static let utf8 = Code(rawValue: "utf8")
        /// An escape that is half of a surrogate pair (RFC 7493, section 2.1).
        public static let surrogate = Code(rawValue: "surrogate")
        /// Two members of one object have equal keys after unescaping (RFC 7493, section 2.3).
        public static let duplicateKey = Code(rawValue: "duplicate_key")
        /// The nearest double of a number is infinite (RFC 7493, section 2.2).
        public static let numberRange = Code(rawValue: "number_range")
        /// More containers are open than the nesting limit allows.
        public static let depth = Code(rawValue: "depth")
        /// White space between tokens (RFC 8785, section 3.2.1).
        public static let whiteSpace = Code(rawValue: "white_space")
        /// A key does not sort after the key before it (RFC 8785, section 3.2.3).
        public static let keyOrder = Code(rawValue: "key_order")
        /// An escape that is not needed or is spelled otherwise (RFC 8785, section 3.2.2.2).
        public static let escape = Code(rawValue: "escape")
        /// A number that is not in its ECMAScript text (RFC 8785, section 3.2.2.3).
        public static let number = Code(rawValue: "number")
    }
}

extension JSONError: CustomStringConvertible {
    /// `CODE at byte N: explanation`.
    public var description: String {
        "\(code) at byte \(offset): \(explanation)"
    }

    private var explanation: String {
        switch code {
        case .syntax: "the text is not JSON"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .utf8: "the bytes are not UTF-8"
        case .surrogate: "the escape is half of a surrogate pair"
        case .duplicateKey: "the object has this key already"
        case .numberRange: "the number is too large for a double"
        case .depth: "the nesting is deeper than the limit"
        case .whiteSpace: "white space between tokens"
        case .keyOrder: "the key does not sort after the key before it"
        case .escape: "the escape is not needed or is spelled otherwise"
        case .number: "the number is not in its ecmascript text"
        default: "the text is not accepted"
        }
    }
}
