import SQLite

extension Archive {
    /// The library that archives are read with, and its version.
    public static var library: (name: String, version: String) { ("sqlite", SQLiteLibrary.version) }
}
