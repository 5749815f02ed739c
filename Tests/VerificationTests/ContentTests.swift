import CanonicalJSON
import Format
import Foundation
import Manifest
import Scratch
import Testing

@testable import Verification

/// A worked example of `Spec/examples/identity.json`, which was made without this code.
private struct Example: Sendable, CustomTestStringConvertible {
    let of: String
    /// The line of an item with the members that go in.
    let line: [UInt8]
    let metadata: String?
    let alike: String?
    let hash: String?

    var testDescription: String { "\(of) \(hash ?? "without a hash")" }

    static func of(_ name: String) -> [Example] {
        let document =
            try? JSONSerialization.jsonObject(with: Data(Fixture.bytes("../Spec/examples/identity.json")))
            as? [String: Any]
        guard let examples = document?["examples"] as? [[String: Any]] else {
            preconditionFailure("the worked examples have another form")
        }
        let found = examples.compactMap { example -> Example? in
            guard let of = example["of"] as? String, of.hasPrefix(name), let input = example["input"] as? [String: Any]
            else { return nil }
            return Example(
                of: of, line: line(input), metadata: input["metadata_json"] as? String,
                alike: input["alike"] as? String, hash: example["hash"] as? String)
        }
        precondition(!found.isEmpty, "no worked examples of \(name)")
        return found
    }

    private static func line(_ input: [String: Any]) -> [UInt8] {
        var item = input
        if let bundle = item.removeValue(forKey: "bundle_identifier") { item["source"] = ["bundle_identifier": bundle] }
        if let metadata = item.removeValue(forKey: "metadata_json") { item["metadata"] = metadata }
        item["item_kind"] = "record"
        var json = Writer()
        write(["item": item], to: &json)
        return json.bytes
    }

    private static func write(_ value: Any, to json: inout Writer) {
        switch value {
        case let members as [String: Any]:
            json.beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                json.key(Key(name))
                write(member, to: &json)
            }
            json.endObject()
        case let text as String: json.string(text)
        case let number as NSNumber: json.number(number.doubleValue)
        default: preconditionFailure("a worked example holds nothing else")
        }
    }

    /// What a verifier makes of the line.
    func computed(_ hash: (inout ContentVerifier, ItemFacts, Span<UInt8>) -> Digest?) throws -> String? {
        var facts = ItemFacts()
        facts.keepsPlaces = true
        var shape = ShapeReader()
        try shape.read(line.span, as: LineShape.evidence, &facts)
        var verifier = ContentVerifier()
        return hash(&verifier, facts, line.span)?.hex
    }
}

@Suite struct `Content hashes that a verifier computes` {
    @Test(arguments: Example.of("sample_versions.payload_hash"))
    fileprivate func `payloads`(example: Example) throws {
        #expect(try example.computed { $0.payloadHash($1, $2) } == example.hash)
    }

    @Test(arguments: Example.of("samples.strict_fingerprint, ordinal 0"))
    fileprivate func `strict fingerprints`(example: Example) throws {
        #expect(try example.computed { $0.strictFingerprint($1, $2) } == example.hash)
    }

    @Test(arguments: Example.of("samples.strict_fingerprint, known only"))
    fileprivate func `samples that are known by their deletion alone`(example: Example) throws {
        #expect(try example.computed { $0.unseenFingerprint($1, $2) } == example.hash)
    }

    @Test(arguments: Example.of("samples.semantic_fingerprint"))
    fileprivate func `semantic fingerprints, and values that have none`(example: Example) throws {
        #expect(try example.computed { $0.semanticFingerprint($1, $2) } == example.hash)
    }

    @Test(arguments: Example.of("samples.strict_fingerprint, ordinal").filter { $0.alike != nil })
    fileprivate func `ordinals, up to the limit`(example: Example) throws {
        let alike = AlikeFingerprints(), first = try digest(example.alike), stated = try digest(example.hash)
        // Twice: what is known already is found too.
        for _ in 0..<2 { #expect(alike.outcome(stated, after: first) == .holds) }
        #expect(alike.outcome(first, after: first) == .fails)
        #expect(alike.outcome(stated, after: stated) == .fails)
        #expect(alike.outcome(stated, after: first) == .holds)
        #expect(AlikeFingerprints(budget: 0).outcome(stated, after: first) == .unknown)
    }

    @Test func `all items of a file may ask for sixteen times the limit of ordinals`() throws {
        let example = try #require(Example.of("samples.strict_fingerprint, ordinal").first { $0.alike != nil })
        let alike = AlikeFingerprints(), first = try digest(example.alike), stated = try digest(example.hash)
        #expect(alike.outcome(first, after: first) == .fails)
        #expect(alike.outcome(stated, after: stated) == .fails)
        #expect(alike.outcome(stated, after: first) == .holds)
        // Two of them did, and a little more.
        for number in 0..<13 { #expect(alike.outcome(first, after: SHA256.digest(of: [UInt8(number)].span)) == .fails) }
        #expect(alike.outcome(first, after: SHA256.digest(of: [UInt8(13)].span)) == .unknown)
    }

    private func digest(_ text: String?) throws -> Digest {
        let digits = Array((text ?? "").utf8)
        let digest = Digest(hex: digits.span)
        return try #require(digest)
    }

    @Test func `an item's members are numbered in the order in which they stand`() {
        #expect(ItemMember.allCases.map(\.name) == ItemMember.allCases.map(\.name).sorted())
        #expect(ItemMember.payloadHash.name == "payload_hash")
        #expect(ItemMembers(taintedBy: "metadata".utf8) == ItemMembers(.metadata, .metadataHash))
        #expect(ItemMembers(taintedBy: "relationships".utf8) == ItemMembers(.relationships))
        #expect(ItemMembers(taintedBy: "".utf8) == [])
    }
}
