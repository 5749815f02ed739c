/// Tasks that run beside their caller and give their results in the order in which they were started.
///
///     start ─► task ─┐
///     start ─► task ─┼─► next(leaving:)  first started, first given
///     add ───────────┘
///
/// It knows nothing of what the tasks do. Memory is bounded by the caller, who starts a task, then takes what has to be
/// taken before there is room for another. Where the body throws, what runs is cancelled and waited for.
package struct OrderedTasks<Result: Sendable> {
    private var group: ThrowingTaskGroup<(Int, Result), any Error>
    /// The count so far: the number of the next one.
    package private(set) var count = 0
    private var given = 0
    private var ready: [Int: Result] = [:]

    private init(_ group: ThrowingTaskGroup<(Int, Result), any Error>) { self.group = group }

    /// Calls `body` with room for tasks, none of which is left when it returns or throws.
    package static func run(
        isolation: isolated (any Actor)? = #isolation, _ body: (inout OrderedTasks) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Result).self, isolation: isolation) { group in
            var tasks = OrderedTasks(group)
            try await body(&tasks)
        }
    }

    /// The number of results that have not been given yet.
    package var outstanding: Int { count - given }

    /// Starts a task.
    package mutating func start(_ work: @escaping @Sendable () async throws -> Result) {
        let number = count
        count += 1
        group.addTask { (number, try await work()) }
    }

    /// Adds a result that nothing has to be done for: it comes behind those of the tasks before it.
    package mutating func add(_ result: Result) {
        ready[count] = result
        count += 1
    }

    /// Returns the next result in order. Waits for it while more than `limit` are outstanding; else `nil` if it is not
    /// there yet. Throws what the first task to fail has thrown.
    package mutating func next(
        leaving limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Result? {
        while true {
            if let result = ready.removeValue(forKey: given) {
                given += 1
                return result
            }
            guard outstanding > limit else { return nil }
            guard let (number, result) = try await group.next(isolation: isolation) else { return nil }
            ready[number] = result
        }
    }
}
