/// A growing piece of memory with one owner, written from front to back and used again and again.
///
/// An array asks at each append whether it is shared; here an append is a comparison and a store. Every call is
/// O(bytes it appends), amortized.
@safe public struct ByteBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var filled = 0

    /// An empty buffer with room for `capacity` bytes; it grows as needed.
    public init(capacity: Int = 0) {
        self.capacity = max(capacity, 64)
        unsafe start = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { unsafe start.deallocate() }

    /// Bytes so far.
    @inlinable public var count: Int { filled }

    /// The bytes that were appended.
    @inlinable public var span: Span<UInt8> {
        @_lifetime(borrow self) get {
            let span = unsafe Span<UInt8>(_unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: filled)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The bytes that were appended, for C. Valid until the next change.
    @inlinable @unsafe public var contents: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: filled)
    }

    /// A copy of what was appended. O(n).
    public var array: [UInt8] { unsafe Array(contents) }

    /// Takes everything back and keeps the memory.
    @inlinable @inline(__always) public mutating func removeAll() { filled = 0 }

    /// Takes the last `count` bytes back.
    @inlinable public mutating func removeLast(_ count: Int = 1) {
        precondition(count >= 0 && count <= filled)
        filled &-= count
    }

    /// Makes room for `more` bytes.
    @inlinable @inline(__always)
    public mutating func reserve(_ more: Int) {
        if capacity &- filled < more { grow(more) }
    }

    @usableFromInline @inline(never)
    mutating func grow(_ more: Int) {
        let larger = max(capacity * 2, filled + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe moved.copyMemory(from: start, byteCount: filled)
        unsafe start.deallocate()
        unsafe start = moved
        capacity = larger
    }

    /// Appends a byte.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe start.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self)
        filled &+= 1
    }

    /// Appends a copy of `source`.
    @inlinable @inline(__always)
    public mutating func append(copying source: Span<UInt8>) {
        reserve(source.count)
        unsafe source.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { unsafe (start + filled).copyMemory(from: first, byteCount: bytes.count) }
        }
        filled &+= source.count
    }

    /// Appends a copy of the `count` first bytes of `source`. Up to 32 are copied in one step where so many stand
    /// there: of many short texts no length is asked.
    @inlinable @inline(__always)
    public mutating func append(first count: Int, of source: Span<UInt8>) {
        guard count <= 32, source.count >= 32 else { return append(copying: source.extracting(first: count)) }
        precondition(count >= 0)
        reserve(32)
        unsafe source.withUnsafeBytes { bytes in
            unsafe start.storeBytes(
                of: bytes.loadUnaligned(as: SIMD32<UInt8>.self), toByteOffset: filled, as: SIMD32<UInt8>.self)
        }
        filled &+= count
    }

    /// Appends what `body` writes to the room that was made; it returns how many bytes these are.
    @unsafe public mutating func appendUninitialized(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
        let room = unsafe UnsafeMutableRawBufferPointer(start: start + filled, count: capacity - filled)
        let count = unsafe body(room)
        precondition(count >= 0 && count <= room.count)
        filled += count
    }

    /// Appends a value as it stands in memory.
    @inlinable @inline(__always)
    public mutating func append<Value: BitwiseCopyable>(bytesOf value: Value) {
        reserve(MemoryLayout<Value>.size)
        unsafe start.storeBytes(of: value, toByteOffset: filled, as: Value.self)
        filled &+= MemoryLayout<Value>.size
    }

    /// Appends the `count` lowest bytes of a number, at most 8, the lowest first.
    @inlinable @inline(__always)
    public mutating func append(lowBytesOf number: UInt64, count: Int = 8) {
        precondition(count >= 0 && count <= 8)
        reserve(8)
        unsafe start.storeBytes(of: number.littleEndian, toByteOffset: filled, as: UInt64.self)
        filled &+= count
    }

    /// Appends the `count` lowest bytes of a number, 1 to 8, the highest of them first.
    @inlinable @inline(__always)
    public mutating func append(bigEndian number: UInt64, count: Int = 8) {
        precondition(count >= 1 && count <= 8)
        append(lowBytesOf: (number &<< UInt64(64 &- 8 &* count)).byteSwapped, count: count)
    }
}
