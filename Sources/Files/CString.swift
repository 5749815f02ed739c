internal import Platform

/// Returns the bytes of a text of a C library, without the NUL at its end. They are valid as long as the text.
@unsafe public func bytes(of text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).assumingMemoryBound(to: UInt8.self)
}
