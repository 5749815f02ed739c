internal import SQLite

extension Archive {
    /// The hashes that stand for names of sources, and those of devices: what a label can be of.
    public func hashesOfNames() throws(ArchiveError) -> [String] { try hashesOfSourceNames() + hashesOfDevices() }

    /// The hashes of names of sources.
    public func hashesOfSourceNames() throws(ArchiveError) -> [String] {
        try hashes("SELECT DISTINCT source_name_hash FROM sources WHERE source_name_hash IS NOT NULL")
    }

    private func hashesOfDevices() throws(ArchiveError) -> [String] {
        try hashes("SELECT DISTINCT device_hash FROM hk_devices WHERE device_hash IS NOT NULL")
    }

    private func hashes(_ sql: String) throws(ArchiveError) -> [String] {
        var hashes: [String] = []
        var statement = try connection.prepare(sql)
        while try statement.step() {
            if let hash = statement.text(0), Labels.isHash(hash) { hashes.append(hash) }
        }
        return hashes
    }
}
