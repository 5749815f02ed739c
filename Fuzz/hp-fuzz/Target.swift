/// What can be fuzzed.
enum Target: String, CaseIterable {
    case json, bundle, feed, health

    /// What libFuzzer calls with each input. It has no place for a context.
    var function: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt {
        switch self {
        case .json: { unsafe run($0, $1, JSONTarget.check) }
        case .bundle: { unsafe run($0, $1, BundleTarget.check) }
        case .feed: { unsafe run($0, $1, FeedTarget.check) }
        case .health: { unsafe run($0, $1, HealthTarget.check) }
        }
    }
}

private func run(_ start: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) -> Void) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Traps, with a text that says which property does not hold.
func require(_ holds: Bool, _ property: @autoclosure () -> String, line: UInt = #line) {
    if !holds { fatalError("does not hold: \(property())", line: line) }
}
