/// What can be fuzzed.
enum Target: String, CaseIterable {
    case json, bundle, feed, health, archive, backup, signature

    /// What libFuzzer calls with each input. It has no place for a context.
    var function: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt {
        switch self {
        case .json: { unsafe run($0, $1, JSONTarget.check) }
        case .bundle: { unsafe run($0, $1, BundleTarget.check) }
        case .feed: { unsafe run($0, $1, FeedTarget.check) }
        case .health: { unsafe run($0, $1, HealthTarget.check) }
        case .archive: { unsafe run($0, $1, ArchiveTarget.check) }
        case .backup: { unsafe run($0, $1, BackupTarget.check) }
        case .signature: { unsafe run($0, $1, SignatureTarget.check) }
        }
    }
}

private func run(_ start: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) -> Void) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Traps where two readings of the same input differ, with the first difference.
func requireSame(_ left: [String], _ right: [String], _ property: String, line: UInt = #line) {
    guard left != right else { return }
    let index = zip(left, right).prefix { $0 == $1 }.count
    require(
        false,
        "\(property): \(index < left.count ? left[index] : "nothing") / \(index < right.count ? right[index] : "nothing")",
        line: line)
}

/// Traps, with a text that says which property is broken.
func require(_ holds: Bool, _ property: @autoclosure () -> String, line: UInt = #line) {
    if !holds { fatalError("broken property: \(property())", line: line) }
}
