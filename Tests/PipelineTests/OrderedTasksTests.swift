import Synchronization
import Testing

@testable import Pipeline

@Suite struct `Tasks that give their results in order` {
    @Test func `results come in the order of their starts, whichever is there first`() async throws {
        var taken: [Int] = []
        try await OrderedTasks<Int>.run { tasks in
            tasks.start { 0 }
            // These two are there at once, and the first of all has not been waited for.
            tasks.add(1)
            tasks.add(2)
            tasks.start { 3 }
            tasks.add(4)
            while let result = try await tasks.next(leaving: 0) { taken.append(result) }
            #expect(tasks.outstanding == 0)
        }
        #expect(taken == [0, 1, 2, 3, 4])
    }

    @Test func `no more are in flight than the caller leaves`() async throws {
        let limit = 3
        let running = Mutex((now: 0, most: 0))
        var taken: [Int] = []
        try await OrderedTasks<Int>.run { tasks in
            for number in 0..<200 {
                #expect(tasks.count == number)
                tasks.start {
                    running.withLock {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                    }
                    defer { running.withLock { $0.now -= 1 } }
                    return number
                }
                while let result = try await tasks.next(leaving: limit - 1) { taken.append(result) }
                #expect(tasks.outstanding < limit)
            }
            while let result = try await tasks.next(leaving: 0) { taken.append(result) }
        }
        #expect(taken == Array(0..<200))
        #expect(running.withLock { $0.most } <= limit)
    }

    @Test func `what is there is given even where nothing has to be waited for`() async throws {
        try await OrderedTasks<Int>.run { tasks in
            tasks.add(7)
            let first = try await tasks.next(leaving: 5)
            let second = try await tasks.next(leaving: 5)
            #expect(first == 7)
            #expect(second == nil)
        }
    }

    private struct Failure: Error {}

    @Test func `an error of a task comes out, and of the body too`() async {
        await #expect(throws: Failure.self) {
            try await OrderedTasks<Int>.run { tasks in
                tasks.start { throw Failure() }
                while try await tasks.next(leaving: 0) != nil {}
            }
        }
        let ended = Atomic(false)
        await #expect(throws: Failure.self) {
            try await OrderedTasks<Int>.run { tasks in
                tasks.start {
                    while !Task.isCancelled {}
                    ended.store(true, ordering: .relaxed)
                    return 0
                }
                throw Failure()
            }
        }
        let hasEnded = ended.load(ordering: .relaxed)
        #expect(hasEnded)
    }
}
