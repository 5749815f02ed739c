public import Files

/// Why a capture could not be done. The text names the place and holds no health value and no identifier.
public struct CaptureError: HintedError, Sendable {
    /// The kind of failure, for programs.
    public struct Code: Sendable, Hashable {
        let name: String

        /// The archive secret cannot be used.
        public static let secret = Code(name: "secret")
        /// The source cannot be read.
        public static let source = Code(name: "source")
        /// The source is no such source, or breaks its format.
        public static let format = Code(name: "format")
        /// The observation does not fit the archive.
        public static let order = Code(name: "order")
        /// The source contradicts what was captured of it before.
        public static let evidence = Code(name: "evidence")
    }

    /// The kind of failure.
    public let code: Code
    /// One line, lower case, with its place.
    public let description: String
    /// The action that the user may take.
    public let hint: String?

    /// An error.
    public init(_ code: Code, _ description: String, hint: String? = nil) {
        self.code = code
        self.description = description
        self.hint = hint
    }
}

extension CaptureError {
    /// Returns the error for an observation that was captured before, is sent again and differs.
    ///
    /// - Parameter later: a later observation, if the source may have more and can no longer be captured.
    static func differs(_ id: Int64, of archive: Path, _ place: String, _ what: String, later: Int64?)
        -> CaptureError
    {
        let end = later.map { "; observation \($0) is later, and nothing goes between" } ?? ""
        return CaptureError(
            .evidence,
            "\(archive.display): observation \(id) of this time was captured before, "
                + "and this source differs from it\(place): \(what)\(end)")
    }
}
