package import Bytes

/// What a sink is given of items, beside their hashes.
package struct ItemWants: Sendable {
    /// Whether each item comes with what it is found by.
    let identities: Bool
    /// What keys and hashes are added up with.
    let sum: KeyedHash?

    package init(identities: Bool = false, sum: KeyedHash? = nil) { (self.identities, self.sum) = (identities, sum) }

    var isAnything: Bool { identities || sum != nil }
}

/// How an item is found again in an archive, or in another export.
package struct ItemIdentity: Sendable {
    package let type, identity, payload: [UInt8]?
    /// As the item's line states it.
    package let hash: [UInt8]
    /// Whether it is the hash of the item.
    package let isHashRight: Bool
    /// Its line within the frame.
    package let line: Int
    /// Whether it says something of one sample: such items are recorded in archives one by one.
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
