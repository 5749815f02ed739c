internal import Bytes
internal import CanonicalJSON

/// Metadata of a feed in the form that is stored: canonical, with private values hashed (`Spec/identity.md`).
enum FeedMetadata {
    /// Gives an object that was read before its place in the page.
    static func place(_ object: Span<UInt8>, _ builder: inout PageBuilder) -> FeedObjects.Place {
        do throws(JSONError) {
            guard let text = try withoutPrivateValues(object, builder: &builder) else { return .absent }
            return .index(builder.metadata(canonical: text.span))
        } catch {
            // The only fault that an object that was read can still have.
            precondition(error.code == .numberRange, "metadata that was read before is not JSON")
            return .overflow
        }
    }

    /// The canonical text; nil for an empty object.
    private static func withoutPrivateValues(_ object: Span<UInt8>, builder: inout PageBuilder) throws(JSONError)
        -> [UInt8]?
    {
        var reader = Reader(.json, nestingLimit: FeedLine.metadataDepth)
        // The object as it is spelled, with other values in the place of private ones.
        var text: [UInt8] = []
        var copied = 0
        var isEmpty = true
        _ = try reader.next(in: object)
        while case .key(let key) = try reader.next(in: object) {
            isEmpty = false
            var name: [UInt8] = []
            reader.unescape(key, in: object, into: &name)
            guard let value = try reader.skipValue(in: object), builder.isPrivate(key: name.span) else { continue }
            let canonical = try canonicalize(object.extracting(value), nestingLimit: FeedLine.metadataDepth)
            text.append(copying: object.extracting(copied..<value.lowerBound))
            text.append(UInt8(ascii: "\""))
            text.append(contentsOf: builder.privateValue(key: name.span, value: canonical.span))
            text.append(UInt8(ascii: "\""))
            copied = value.upperBound
        }
        if isEmpty { return nil }
        guard copied > 0 else { return try canonicalize(object, nestingLimit: FeedLine.metadataDepth) }
        text.append(copying: object.extracting(copied..<object.count))
        return try canonicalize(text.span, nestingLimit: FeedLine.metadataDepth)
    }
}
