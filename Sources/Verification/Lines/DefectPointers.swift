internal import CanonicalJSON

/// The pointers of an object's defects (RFC 6901), looked up in one walk over the object: O(its length and theirs).
struct DefectPointers {
    /// A step of some pointers: where the next ones lead, and which pointers end here.
    private struct Step {
        var next: [[UInt8]: Int] = [:]
        var ends: [Int] = []
    }

    private var steps = [Step()]

    /// - Parameter pointers: unescaped texts, in the order of the defects. One that is no pointer is passed over.
    init(_ pointers: [[UInt8]]) {
        for (index, pointer) in pointers.enumerated() where pointer.first == UInt8(ascii: "/") {
            var step = 0
            for token in pointer.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                let name = Self.unescaped(token)
                if let next = steps[step].next[name] {
                    step = next
                } else {
                    steps.append(Step())
                    steps[step].next[name] = steps.count - 1
                    step = steps.count - 1
                }
            }
            steps[step].ends.append(index)
        }
    }

    /// The numbers of the pointers that name something in an object, sorted.
    func present(in object: Span<UInt8>) -> [Int] {
        var reader = Reader(.canonical)
        var found: [Int] = []
        // The object was read before, so that nothing can be thrown.
        try? walk(object, from: 0, &reader, &found)
        return found.sorted()
    }

    /// Walks a value at which a step leads.
    private func walk(_ object: Span<UInt8>, from step: Int, _ reader: inout Reader, _ found: inout [Int])
        throws(JSONError)
    {
        found += steps[step].ends
        guard !steps[step].next.isEmpty else {
            _ = try reader.skipValue(in: object)
            return
        }
        switch try reader.next(in: object) {
        case .beginObject:
            while case .key(let key) = try reader.next(in: object) {
                var name: [UInt8] = []
                reader.unescape(key, in: object, into: &name)
                if let next = steps[step].next[name] {
                    try walk(object, from: next, &reader, &found)
                } else {
                    _ = try reader.skipValue(in: object)
                }
            }
        case .beginArray:
            var index = 0
            while object[reader.position] != UInt8(ascii: "]") {
                if let next = steps[step].next[Array(String(index).utf8)] {
                    try walk(object, from: next, &reader, &found)
                } else {
                    _ = try reader.skipValue(in: object)
                }
                index += 1
            }
            _ = try reader.next(in: object)
        default: break
        }
    }

    /// RFC 6901, 4.
    private static func unescaped(_ token: ArraySlice<UInt8>) -> [UInt8] {
        var name: [UInt8] = []
        var isEscape = false
        for byte in token {
            if isEscape {
                name.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscape = false
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else {
                name.append(byte)
            }
        }
        return name
    }
}
