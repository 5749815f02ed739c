internal import Platform

/// The variables of the environment that the tools read.
enum Environment {
    /// Returns the value of a variable; `nil` if it is not set, or empty.
    static func value(of variable: String) -> [UInt8]? {
        guard let value = unsafe getenv(variable) else { return nil }
        let bytes = unsafe Array(UnsafeBufferPointer(start: value, count: strlen(value)))
        return bytes.isEmpty ? nil : bytes.map { UInt8(bitPattern: $0) }
    }
}
