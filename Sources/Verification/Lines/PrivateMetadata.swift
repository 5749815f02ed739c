internal import Bytes
internal import CanonicalJSON

/// The form of values whose metadata keys are private by their names alone (`Spec/identity.md`, "Private metadata").
///
/// The patterns that an archive was made with are in no export, so that values of those keys are not looked at.
struct PrivateMetadata {
    private var key: [UInt8] = []
    private static let prefix = Array("hmac:".utf8)
    private static let ownPrefix = Array("hp:".utf8)
    /// Those of Apple.
    static let always = [
        "HKDeviceName", "HKDeviceSerialNumber", "HKDigitalSignature", "HKExternalUUID", "HKMetadataKeySyncIdentifier",
        "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier",
    ].map { Array($0.utf8) }
    /// Of other apps: pieces that stand in a key in this order, in small letters; `?` is any byte.
    private static let ofOthers = [
        "account", "e-mail", "email", "link", "login", "nickname", "serial", "token", "url", "user?id", "user?name",
        "user?number", "userid", "username", "usernumber", "uuid",
    ].map { Array($0.utf8) }
    private static let companion = (Array("companion".utf8), Array("id".utf8))

    /// Whether each private value of a canonical object is a hash in its form.
    mutating func holds(_ object: Span<UInt8>) -> Bool {
        (try? check(object)) ?? true
    }

    private mutating func check(_ object: Span<UInt8>) throws(JSONError) -> Bool {
        var reader = Reader(.canonical)
        guard case .beginObject = try reader.next(in: object) else { return true }
        while true {
            switch try reader.next(in: object) {
            case .key(let name) where reader.depth == 1:
                key.removeAll(keepingCapacity: true)
                if name.hasEscapes {
                    reader.unescape(name, in: object, into: &key)
                } else {
                    key.append(copying: object.extracting(name.range))
                }
                guard isPrivate else { continue }
                guard case .string(let value) = try reader.next(in: object), !value.hasEscapes,
                    Self.isHash(object.extracting(value.range))
                else { return false }
            case .end: return true
            default: break
            }
        }
    }

    private static func isHash(_ value: Span<UInt8>) -> Bool {
        guard value.count == prefix.count + 64, value.extracting(first: prefix.count).isSame(as: prefix.span) else {
            return false
        }
        for index in prefix.count..<value.count {
            switch value[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
            default: return false
            }
        }
        return true
    }

    private var isPrivate: Bool {
        let start = key.first == UInt8(ascii: "_") ? 1 : 0
        if key.count >= start + 2, key[start] == UInt8(ascii: "H"), key[start + 1] == UInt8(ascii: "K") {
            return Self.always.contains(key)
        }
        guard !key.starts(with: Self.ownPrefix) else { return false }
        if Self.ofOthers.contains(where: { piece in
            key.count >= piece.count && (0...key.count - piece.count).contains { stands(piece, at: $0) }
        }) {
            return true
        }
        let (head, tail) = Self.companion
        return key.count >= head.count + tail.count && stands(head, at: 0) && stands(tail, at: key.count - tail.count)
    }

    /// Whether a piece stands at a place of the key.
    private func stands(_ piece: [UInt8], at place: Int) -> Bool {
        for index in piece.indices {
            let byte = key[place + index]
            let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            guard piece[index] == UInt8(ascii: "?") || piece[index] == (isLetter ? byte | 0x20 : byte) else {
                return false
            }
        }
        return true
    }
}
