internal import Manifest
internal import Preimages

/// A set of types: its hash (`Spec/identity.md`), and what is hashed.
enum TypeSet {
    /// The canonical array of the types, sorted, each once.
    static func text(_ types: [[UInt8]]) -> [UInt8] { CapturePreimage.typeSet(types) }

    static func hash(_ types: [[UInt8]]) -> [UInt8] {
        var hasher = ContentHasher()
        let bytes = CapturePreimage.typeSet(types)
        return Array(hasher.digest(of: bytes.span, in: .typeSet).hex.utf8)
    }
}
