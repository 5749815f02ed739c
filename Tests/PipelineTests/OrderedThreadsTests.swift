import Synchronization
import Testing

@testable import Pipeline

@Suite struct `Threads that give their results in order` {
    @Test func `results come in the order of their starts, and no more are in flight than the caller leaves`() {
        let limit = 3
        let running = Mutex((now: 0, most: 0))
        var taken: [Int] = []
        var threads = OrderedThreads<Int>()
        for number in 0..<200 {
            threads.start {
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                defer { running.withLock { $0.now -= 1 } }
                return number
            }
            while let result = threads.next(leaving: limit - 1) { taken.append(result) }
        }
        while let result = threads.next(leaving: 0) { taken.append(result) }
        #expect(taken == Array(0..<200))
        #expect(running.withLock { $0.most } <= limit)
    }

    @Test func `work runs beside its caller`() {
        let isGone = Mutex(false)
        var threads = OrderedThreads<Bool>()
        // Ends only once its caller has gone on.
        threads.start {
            while !isGone.withLock({ $0 }) {}
            return true
        }
        #expect(threads.next(leaving: 1) == nil)
        isGone.withLock { $0 = true }
        #expect(threads.next(leaving: 0) == true)
    }

    @Test func `what nobody took has ended when the threads are gone`() {
        let ended = Mutex(0)
        func begin() {
            var threads = OrderedThreads<Void>()
            for _ in 0..<10 { threads.start { ended.withLock { $0 += 1 } } }
        }
        begin()
        #expect(ended.withLock { $0 } == 10)
    }
}
