internal import Archive
internal import Bytes

/// A stored value that canonical JSON cannot carry as it is (`Spec/items.md`, Defects).
struct Defect: Sendable {
    /// Reasons, spelled as in the specification.
    enum Reason: String {
        case storageClass = "storage_class", null, integerRange = "integer_range", notFinite = "not_finite",
            negativeZero = "negative_zero"
        case utf8, nul, dateRange = "date_range", datePrecision = "date_precision", missingRow = "missing_row",
            noVersion = "no_version"
    }

    /// JSON Pointer from the object that holds `defects`.
    var pointer: String
    let reason: String
    let storageClass: String
    /// The value, in the form of its storage class; nil for NULL.
    let value: String?

    init(pointer: String, _ reason: Reason, _ stored: PackedValue, in bytes: Span<UInt8>) {
        self.pointer = pointer
        self.reason = reason.rawValue
        switch stored {
        case .null: (storageClass, value) = ("null", nil)
        case .integer(let number): (storageClass, value) = ("integer", String(number))
        case .real(let number):
            (storageClass, value) = (
                "real",
                Hexadecimal.text(
                    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * $0)) })
            )
        case .text(let range): (storageClass, value) = ("text", Hexadecimal.text(range.map { bytes[$0] }))
        case .blob(let range): (storageClass, value) = ("blob", Hexadecimal.text(range.map { bytes[$0] }))
        // A hash is text whose bytes are the digits.
        case .hash(let range):
            (storageClass, value) = ("text", Hexadecimal.text(Hexadecimal.digits(range.map { bytes[$0] })))
        }
    }
}
