import Testing

@testable import Derivation

/// The states are read off `Spec/capture.md`, "Type runs".
@Suite struct `What a type run states of its type` {
    private static func state(_ change: (inout TypeRunState.Run) -> Void) -> TypeRunState {
        var run = TypeRunState.Run()
        run.isCompleted = true
        change(&run)
        return TypeRunState(of: run)
    }

    @Test func `a full scan verifies`() {
        let found = Self.state { $0.isFullScan = true }
        #expect(found.state == "verified")
        #expect(found.discontinuity == nil)
    }

    @Test func `a run that did not complete states nothing`() {
        let found = Self.state {
            $0.isCompleted = false
            $0.isFullScan = true
            $0.statedCount = 3
        }
        #expect(found.state == "unknown")
        #expect(found.discontinuity == nil)
    }

    @Test(arguments: [("verified", "continued"), ("continued", "continued"), ("unknown", "unknown"), (nil, "unknown")])
    func `an anchored run continues what was known`(earlier: String?, expected: String) {
        let found = Self.state {
            $0.hasAnchorOfEarlier = true
            $0.earlierState = earlier
        }
        #expect(found.state == expected)
    }

    @Test func `a broken anchor and a count that differs are words, in this order`() {
        let found = Self.state {
            $0.statedCount = 4
            $0.visibleCount = 5
            $0.isClockBackwards = true
        }
        #expect(found.state == "unknown")
        #expect(found.discontinuity == "anchor_broken count_differs clock_backwards")
    }

    @Test func `a clock that ran backwards is not evidence against a full scan`() {
        let found = Self.state {
            $0.isFullScan = true
            $0.isClockBackwards = true
        }
        #expect(found.state == "verified")
        #expect(found.discontinuity == "clock_backwards")
    }

    @Test(arguments: [(4, false), (5, true), (6, false)] as [(Int64, Bool)])
    func `a stated count verifies if it agrees`(stated: Int64, agrees: Bool) {
        let found = Self.state {
            $0.hasAnchorOfEarlier = true
            ($0.statedCount, $0.visibleCount) = (stated, 5)
        }
        #expect(found.state == (agrees ? "verified" : "unknown"))
        #expect(found.discontinuity == (agrees ? nil : "count_differs"))
        #expect(found.needsReview == !agrees)
    }

    @Test func `conflicts, unread files and other rejected records leave a full scan unknown`() {
        let found = Self.state {
            $0.isFullScan = true
            ($0.conflictCount, $0.unreadCount, $0.hasOtherRejections) = (1, 2, true)
        }
        #expect(found.state == "unknown")
        #expect(found.discontinuity == "conflicts files_missing rejected_records")
        #expect(found.needsReview)
    }

    @Test func `what an export does not have is no reason for a review`() {
        let found = Self.state {
            $0.isFullScan = true
            ($0.unreadCount, $0.hasOtherRejections) = (1, true)
        }
        #expect(!found.needsReview)
    }

    @Test func `a scan that withheld a closure verifies nothing`() {
        let found = Self.state {
            $0.isFullScan = true
            $0.withheldCount = 1
        }
        #expect(found.state == "unknown")
        #expect(found.discontinuity == nil)
    }
}
