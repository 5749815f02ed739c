import Testing
import Timestamps

@testable import Verification

@Suite struct `Timestamps that were read before` {
    @Test func `another text with the same ends is read anew`() {
        var memory = TimestampMemory()
        func seconds(_ text: String) -> Int64? { memory.moment(in: Array(text.utf8).span)?.seconds }
        for _ in 0..<2 {
            #expect(seconds("2024-01-01T00:00:00.000Z") == 1_704_067_200)
            // Its first 16 bytes, and its last 16.
            #expect(seconds("2024-01-01T00:0001T00:00:00.000Z") == nil)
            #expect(seconds("2024-01-01T00:00:00.250Z") == 1_704_067_200)
            #expect(seconds("2024-01-01T00:00:01.000Z") == 1_704_067_201)
            #expect(seconds("2023-12-31T23:59:59.000Z") == 1_704_067_199)
        }
    }
}
