extension Array where Element == UInt8 {
    /// Appends bytes.
    mutating func append(copying source: Span<UInt8>) {
        append(addingCapacity: source.count) { output in
            output.append(repeating: 0, count: source.count)
            var target = output.mutableSpan
            for at in source.indices { target[at] = source[at] }
        }
    }
}
