internal import Manifest

extension ItemRun {
    /// Notes the ends of relationships that an item has with others in scope; `key` is the item's.
    mutating func add(_ relationships: [ItemFacts.RelationshipEntry], of key: OrderKey, in text: Span<UInt8>) {
        for entry in relationships where entry.isInScope {
            let here = [key.type.map { Array($0) }, key.identity.map { Array($0) }],
                there = [ItemFacts.bytes(entry.type, text), ItemFacts.bytes(entry.identity, text)]
            let isSource = ItemFacts.bytes(entry.end, text) == Array("target".utf8)
            var preimage: [UInt8] = []
            let observations = [entry.observation, entry.ended].map { $0.map { Array(String($0).utf8) } }
            for part in [ItemFacts.bytes(entry.kind, text)] + (isSource ? here + there : there + here) + observations {
                preimage += Array("\(part?.count ?? -1):".utf8) + (part ?? [])
            }
            let digest = SHA256.digest(of: preimage.span)
            let half = (0..<RelationshipKey.bitWidth / 8).reduce(RelationshipKey(0)) {
                $0 << 8 | RelationshipKey(digest[$1])
            }
            if isSource { targets.insert(half) } else { sources.insert(half) }
        }
    }
}

/// Ends of a relationship.
struct RelationshipEnds: OptionSet {
    let rawValue: UInt8
    static let source = RelationshipEnds(rawValue: 1)
    static let target = RelationshipEnds(rawValue: 2)
}
