public import Files

extension PendingFile {
    /// Starts a file, after removing what killed runs left of the same name.
    public static func begin(_ destination: Path) throws(FileError) -> PendingFile {
        try removeAbandoned(destination: destination, of: 0)
        return try PendingFile(destination: destination, token: token(of: 0))
    }

    /// Writes a whole file, after removing what killed runs left of the same name.
    public static func write(_ bytes: [UInt8], to destination: Path, replacing: Bool) throws(FileError) {
        var file = try begin(destination)
        try file.write(bytes.span)
        try file.synchronize()
        try file.publish(replacing: replacing)
    }
}
