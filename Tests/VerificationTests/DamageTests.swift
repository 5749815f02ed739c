import Codes
import Files
import Scratch
import Testing

@testable import Verification

@Suite struct `Damage to the smallest bundles` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0x01, 0x80] as [UInt8])
    func `a byte that is changed anywhere is noticed, or the text is the same`(mask: UInt8) async throws {
        let whole = Vector("good-minimal-raw").bytes
        let text = try Vector("good-minimal-raw").text()
        for index in whole.indices {
            var changed = whole
            changed[index] ^= mask
            let report = try await verified(try folder.write(changed, as: "b"))
            guard report.isGood else { continue }
            // A shorter content size in a frame's header can turn the rest of the field into an empty block:
            // another spelling of the same text.
            #expect(try Program.run("zstd", ["-dc", folder.path("b").text]) == text, "byte \(index)")
        }
    }

    @Test func `a bundle that is cut anywhere is noticed`() async throws {
        let whole = Vector("good-minimal").bytes
        for count in whole.indices {
            let report = try await verified(try folder.write(Array(whole.prefix(count)), as: "b"))
            #expect(!report.isGood, "cut to \(count) bytes")
        }
    }

    @Test(arguments: [1, 50, 100, 1000])
    func `small limits are findings and no crash`(limit: Int) async throws {
        var options = VerificationOptions()
        options.lineLimit = limit
        #expect(try await verified(Vector("good-history").path, options).counts.keys.contains(.lineLimit))
        options = VerificationOptions()
        options.frameLimit = limit
        #expect(try await verified(Vector("good-history").path, options).counts.keys.contains(.containerFrameLimit))
    }

    @Test func `an item out of order behind damaged lines is named by its own line`() async throws {
        let report = try await verified(Vector("line-kind-order").path)
        #expect(report.findings.map { "\($0.code.rawValue) \($0.line ?? 0)" } == ["line.kind 3", "order.items 4"])
    }

    @Test func `a bundle of an unknown format says how many items came before its header`() async throws {
        #expect(try await verified(Vector("shape-format-version-second").path).itemCount == 1)
    }
}
