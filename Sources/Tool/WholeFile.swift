public import Files

extension PendingFile {
    /// Writes a whole file, after removing what killed runs left of the same name.
    public static func write(_ bytes: [UInt8], to destination: Path, replacing: Bool) throws(FileError) {
        try removeAbandoned(destination: destination, of: 0)
        var file = try PendingFile(destination: destination, token: token(of: 0))
        try file.write(bytes.span)
        try file.synchronize()
        try file.publish(replacing: replacing)
    }
}
