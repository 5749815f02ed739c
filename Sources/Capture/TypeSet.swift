internal import Manifest
internal import Preimages

/// The hash of a set of types (`Spec/identity.md`).
enum TypeSet {
    static func hash(_ types: [[UInt8]]) -> [UInt8] {
        var hasher = ContentHasher()
        let bytes = CapturePreimage.typeSet(types)
        return Array(hasher.digest(of: bytes.span, in: .typeSet).hex.utf8)
    }
}
