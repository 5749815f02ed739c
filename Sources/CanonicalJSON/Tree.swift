/// The tokens of a text in their order, with the means to step over a value: what `canonicalize` needs to sort members.
struct Tree {
    private struct Node {
        let token: Token
        /// Index of the node after this value and everything in it; of a key, after its value.
        var next: Int
    }

    /// A container that is being written.
    private struct Open {
        let isObject: Bool
        /// Of an array, the index of the next element's node.
        var node: Int
        /// Of an object, its members in `members` that are still to come, the last one first.
        let firstMember: Int
    }

    private var nodes: [Node] = []
    private let reader: Reader

    /// Reads a text to its end.
    init(_ text: Span<UInt8>, nestingLimit: Int) throws(JSONError) {
        var reader = Reader(.json, nestingLimit: nestingLimit)
        var open: [Int] = []
        while true {
            let token = try reader.next(in: text)
            if token == .end { break }
            let index = nodes.count
            nodes.append(Node(token: token, next: index &+ 1))
            switch token {
            case .beginObject, .beginArray: open.append(index)
            case .endObject, .endArray: nodes[open.removeLast()].next = index &+ 1
            default: break
            }
        }
        self.reader = reader
    }

    /// Writes the tokens with the members of every object in the order of their keys.
    func write(from text: Span<UInt8>, to writer: inout Writer) throws(JSONError) {
        var open: [Open] = []
        var members: [Int] = []
        var scratch: [UInt8] = []
        var index = 0
        while true {
            switch nodes[index].token {
            case .beginObject:
                open.append(Open(isObject: true, node: index, firstMember: members.count))
                appendMembers(ofObjectAt: index, in: text, to: &members)
                writer.beginObject()
            case .beginArray:
                open.append(Open(isObject: false, node: index &+ 1, firstMember: members.count))
                writer.beginArray()
            default:
                try writeScalar(nodes[index].token, from: text, to: &writer, scratch: &scratch)
            }
            // Ends what is complete and finds the next value.
            while let innermost = open.last {
                if innermost.isObject, members.count > innermost.firstMember {
                    index = try writeKey(at: members.removeLast(), from: text, to: &writer, scratch: &scratch)
                    break
                }
                if !innermost.isObject, nodes[innermost.node].token != .endArray {
                    index = innermost.node
                    open[open.count &- 1].node = nodes[index].next
                    break
                }
                innermost.isObject ? writer.endObject() : writer.endArray()
                open.removeLast()
            }
            if open.isEmpty { return }
        }
    }

    /// Appends the indices of an object's keys to `members`, the one that sorts last first.
    private func appendMembers(ofObjectAt start: Int, in text: Span<UInt8>, to members: inout [Int]) {
        var own: [(node: Int, key: StringContents)] = []
        var index = start &+ 1
        while case .key(let contents) = nodes[index].token {
            own.append((index, contents))
            index = nodes[index &+ 1].next
        }
        own.sort { KeyOrder.compare(text, $0.key, text, $1.key) < 0 }
        for member in own.reversed() { members.append(member.node) }
    }

    /// Writes a key; returns the index of its value.
    private func writeKey(
        at index: Int, from text: Span<UInt8>, to writer: inout Writer, scratch: inout [UInt8]
    ) throws(JSONError) -> Int {
        guard case .key(let contents) = nodes[index].token else { preconditionFailure("not a key") }
        scratch.removeAll(keepingCapacity: true)
        reader.unescape(contents, in: text, into: &scratch)
        try writer.key(scratch.span)
        return index &+ 1
    }

    private func writeScalar(
        _ token: Token, from text: Span<UInt8>, to writer: inout Writer, scratch: inout [UInt8]
    ) throws(JSONError) {
        switch token {
        case .string(let contents) where contents.hasEscapes:
            scratch.removeAll(keepingCapacity: true)
            reader.unescape(contents, in: text, into: &scratch)
            try writer.string(scratch.span)
        case .string(let contents): try writer.string(text.extracting(contents.range))
        case .number(let range): writer.number(reader.double(range, in: text))
        case .true: writer.bool(true)
        case .false: writer.bool(false)
        case .null: writer.null()
        default: preconditionFailure("not a scalar")
        }
    }
}
