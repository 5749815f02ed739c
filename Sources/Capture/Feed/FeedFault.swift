/// A fault of a line of a feed. The text holds nothing of the line.
struct FeedFault: Error {
    /// JSON Pointer of the member, empty for the line itself. It is made of names that the format knows.
    let pointer: String
    /// Lower case, no full stop.
    let text: String

    init(_ text: String) {
        pointer = ""
        self.text = text
    }

    init(_ field: FeedField, _ text: String) {
        pointer = "/" + field.name
        self.text = text
    }

    init(_ field: FeedField, _ member: String, _ text: String) {
        pointer = "/\(field.name)/\(member)"
        self.text = text
    }

    /// Returns the fault with its place: `line 12: /source/name: not a text`.
    func description(line: Int) -> String {
        pointer.isEmpty
            ? "line \(line): \(text)"
            : "line \(line): \(pointer): \(text)"
    }
}
