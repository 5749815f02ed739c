import Testing

@testable import Pipeline

@Suite struct `Threads of all tasks` {
    @Test func `tasks, child tasks and detached tasks all end, however many there are`() async {
        let sum = await Task.detached(executorPreference: Workers.shared) {
            await withTaskGroup(of: Int.self) { group in
                for number in 1...2000 {
                    group.addTask {
                        async let half = number / 2
                        await Task.yield()
                        let rest = await Task.detached(executorPreference: Workers.shared) { number - number / 2 }.value
                        return await half + rest
                    }
                }
                return await group.reduce(0, +)
            }
        }.value
        #expect(sum == 2000 * 2001 / 2)
    }

    @Test func `work that throws or is cancelled is waited for`() async {
        struct Stopped: Error {}
        for _ in 0..<200 {
            let task = Task.detached(executorPreference: Workers.shared) {
                try await OrderedTasks<Int>.run { tasks in
                    for number in 0..<8 { tasks.start { Task.isCancelled ? 0 : number } }
                    throw Stopped()
                }
            }
            await #expect(throws: Stopped.self) { try await task.value }
        }
    }
}
