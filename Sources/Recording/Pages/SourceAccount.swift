/// The contents of a source besides its records, known when it was read to its end.
public struct SourceAccount: Sendable {
    /// A file that is evidence as a whole: nothing of its content is kept but a hash.
    public struct Document: Sendable, Hashable {
        /// The kind: small letters and `_`.
        public let kind: String
        /// Its name where that is the same for everybody.
        public let name: String?
        /// HMAC of its name, 64 hex digits.
        public let nameHash: [UInt8]
        /// Bytes of it.
        public let size: Int64
        /// SHA-256 of its bytes, 64 hex digits.
        public let contentHash: [UInt8]

        /// A document.
        public init(kind: String, name: String?, nameHash: [UInt8], size: Int64, contentHash: [UInt8]) {
            self.kind = kind
            self.name = name
            self.nameHash = nameHash
            self.size = size
            self.contentHash = contentHash
        }
    }

    /// An element or attribute that is not known here.
    public struct UnknownName: Sendable, Hashable {
        /// `element` or `attribute`.
        public let kind: String
        /// The name; of an attribute, with its element: `Record/@x`.
        public let name: String
        public let count: Int

        /// A name with its count.
        public init(kind: String, name: String, count: Int) {
            self.kind = kind
            self.name = name
            self.count = count
        }
    }

    /// Its documents; nil where it was not looked for any.
    public var documents: [Document]?
    /// `true` if these are all that there are.
    public var hasAllDocuments = true
    public var unknownNames: [UnknownName] = []
    /// Types of which the source could have had no records.
    public var unaskedTypes: [[UInt8]] = []

    /// Nothing.
    public init() {}
}
