internal import Codes

/// Something wrong with the shape of a line.
struct ShapeFault {
    let code: Code
    /// JSON Pointer from the line's object.
    let pointer: String
    /// `true` if a defect may stand for it.
    var isExcusable = false

    /// Returns the finding of a line.
    func finding(at line: Int) -> Finding { Finding(code, line: line, pointer: pointer) }
}
