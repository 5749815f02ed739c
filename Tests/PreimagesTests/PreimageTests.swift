import Synchronization
import Testing

@testable import Preimages

/// A function that only remembers what it was given, so that preimages can be read.
private struct Recorder: DigestFunction {
    static let finished = Mutex<[String]>([])
    private var bytes: [UInt8] = []

    mutating func update(_ span: Span<UInt8>) { for index in span.indices { bytes.append(span[index]) } }

    mutating func finish() -> Digest {
        Self.finished.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        bytes = []
        return Digest(bytes: [UInt8](repeating: 0xAB, count: 32).span)!
    }

    static func last() -> String? { finished.withLock { $0.last } }
}

/// The texts are those of `Spec/hashes.md` and `Spec/identity.md`.
@Suite(.serialized) struct `Preimages, whatever hashes them` {
    private let export = Array(#"{"kind":"recovery_bundle"}"#.utf8)
    private let totals = Array(#"{"item_count":2}"#.utf8)

    @Test func `of an item: its prefix and its bytes, again and again`() {
        var hash = ItemHashing<Recorder>()
        for item in [#"{"a":1}"#, "{}"] {
            #expect(hash.hash(ofItem: item.utf8Span.span).hex == String(repeating: "ab", count: 32))
            #expect(Recorder.last() == "hp:v2:export_item:" + item)
        }
    }

    @Test func `of a manifest: one canonical document`() {
        var hash = ManifestHashing<Recorder>(export: export.span)
        hash.add(quotedHashes: #""H1""#.utf8Span.span)
        hash.add(quotedHashes: Span())
        hash.add(quotedHashes: #""H2","H3""#.utf8Span.span)
        _ = hash.finish(totals: totals.span)
        let expected = #"{"export":{"kind":"recovery_bundle"},"items":["H1","H2","H3"],"totals":{"item_count":2}}"#
        #expect(Recorder.last() == "hp:v2:export_manifest:" + expected)
    }

    @Test func `of a salvage and of a list of items`() {
        var salvage = SalvageHashing<Recorder>()
        salvage.add(quotedHashes: #""H1""#.utf8Span.span)
        _ = salvage.finish(salvage: export.span, totals: totals.span)
        let expected = #"{"items":["H1"],"salvage":{"kind":"recovery_bundle"},"totals":{"item_count":2}}"#
        #expect(Recorder.last() == "hp:v2:salvage:" + expected)
        let list = ItemListHashing<Recorder>()
        _ = list.finish()
        #expect(Recorder.last() == "hp:v2:export_item_list:[]")
    }

    @Test func `of an export's identity, which is a UUID of version 8`() {
        var hash = Recorder()
        #expect(ExportID.text(forHeader: export.span, &hash) == "abababab-abab-8bab-abab-abababababab")
        #expect(Recorder.last() == #"hp:v2:export_id:{"kind":"recovery_bundle"}"#)
    }

    @Test func `of a sample: members in canonical form behind the prefix`() {
        var preimage = SamplePreimage()
        for _ in 0..<2 {
            preimage.begin(.payload)
            preimage.add(SampleMember.categoryValue.key, -9_007_199_254_740_991)
            preimage.add(SampleMember.unit.key, SampleTexts.json(Array("a\"\u{1}é".utf8)))
            preimage.end()
        }
        let expected = #"hp:v2:payload:{"category_value":-9007199254740991,"unit":"a\"\u0001é"}"#
        var text: [UInt8] = []
        for index in preimage.span.indices { text.append(preimage.span[index]) }
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    /// `Spec/identity.md`, "Content hashes": the members of a version and of its strict fingerprint.
    @Test func `of a sample that has every member: these, in canonical order`() {
        func text(_ members: [SampleMember], in domain: Domain) -> String {
            var preimage = SamplePreimage()
            preimage.begin(domain)
            for (place, member) in members.enumerated() { preimage.add(member.key, Int64(place)) }
            preimage.end()
            var text: [UInt8] = []
            for index in preimage.span.indices { text.append(preimage.span[index]) }
            return String(decoding: text, as: UTF8.self)
        }
        let payload = [
            #"hp:v2:payload:{"category_value":0,"device":1,"duration_seconds":2,"end_date":3,"metadata_hash":4,"#,
            #""numeric_value":5,"sample_type":6,"source":7,"start_date":8,"unit":9,"value_kind":10,"#,
            #""workout_activity_type":11}"#,
        ]
        #expect(text(SampleMember.payload, in: .payload) == payload.joined())
        let fingerprint = [
            #"hp:v2:strict_fingerprint:{"bundle_identifier":0,"category_value":1,"duration_seconds":2,"end_date":3,"#,
            #""numeric_value":4,"sample_type":5,"start_date":6,"unit":7,"value_kind":8,"workout_activity_type":9}"#,
        ]
        #expect(text(SampleMember.strictFingerprint, in: .strictFingerprint) == fingerprint.joined())
    }

    @Test(arguments: ["cal", "Cal", "kcal", "Calx", "Ca", ""])
    func `of a fingerprint: one name for kilocalories`(unit: String) {
        let name = SampleMember.comparedName(of: unit.utf8Span.span).map { String(decoding: $0, as: UTF8.self) }
        #expect(name == (unit == "Cal" ? #""kcal""# : nil))
    }
}
