import Testing

@testable import Verification

@Suite struct `Sums in buckets` {
    @Test func `tells where sums differ, and not in which order they were made`() {
        var (left, right) = (BucketSums(), BucketSums())
        for key in 1...5 as ClosedRange<UInt128> { left.add(key * 7, key: key) }
        for key in (1...5 as ClosedRange<UInt128>).reversed() { right.add(key * 7, key: key) }
        #expect(left.differing(from: right).isEmpty)
        right.add(1, key: 3)
        #expect(left.differing(from: right) == [BucketSums.bucket(3)])
    }
}
