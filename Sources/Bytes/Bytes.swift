/// Helpers that the modules that write bytes have in common.
extension [UInt8] {
    /// Appends a copy of `source`. O(n).
    ///
    /// Filling the new places first and copying over them lets the compiler copy in vectors: twice as fast for 64
    /// bytes as appending byte by byte.
    @inlinable @inline(__always)
    public mutating func append(copying source: Span<UInt8>) {
        // With nothing to append, an empty array would set the count of the storage that all empty arrays share: a
        // write that threads do at the same time.
        guard !source.isEmpty else { return }
        append(addingCapacity: source.count) { output in
            output.append(repeating: 0, count: source.count)
            var target = output.mutableSpan
            for at in source.indices { target[at] = source[at] }
        }
    }
}
