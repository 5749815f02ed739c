package import Bytes

/// The facts of items that a sink is given in addition to their hashes.
package struct ItemWants: Sendable {
    /// `true` if each item comes with its identity.
    let identities: Bool
    /// The hash with which keys and hashes are added up.
    let sum: KeyedHash?

    package init(identities: Bool = false, sum: KeyedHash? = nil) { (self.identities, self.sum) = (identities, sum) }

    var isAnything: Bool { identities || sum != nil }
}

/// The values by which an item is found again in an archive, or in another export.
package struct ItemIdentity: Sendable {
    package let type, identity, payload: [UInt8]?
    /// As the item's line states it.
    package let hash: [UInt8]
    /// `true` if it is the hash of the item.
    package let isHashRight: Bool
    /// Its line within the frame.
    package let line: Int
    /// `true` if it is about one sample: such items are recorded in archives one by one.
    package let isOfSample: Bool

    init(
        _ key: OrderKey, isOfSample: Bool, hasVersion: Bool, hash: Span<UInt8>, isHashRight: Bool, line: Int
    ) {
        self.isOfSample = isOfSample
        self.isHashRight = isHashRight
        type = key.type.map { Array($0) }
        identity = key.identity.map { Array($0) }
        payload = hasVersion ? key.payload.map { Array($0) } : nil
        self.hash = hash.indices.map { hash[$0] }
        self.line = line
    }
}
