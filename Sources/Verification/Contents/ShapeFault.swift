/// Something wrong with the shape of a line.
struct ShapeFault {
    enum Code: String {
        case missing = "member_missing", unknown = "member_unknown", type, value
    }

    let code: Code
    /// JSON Pointer from the line's object.
    let pointer: String
    /// Whether a defect may stand for it.
    var isExcusable = false

    /// The finding of a line.
    func finding(at line: Int) -> Finding { Finding(.shape, code.rawValue, line: line, pointer: pointer) }
}
