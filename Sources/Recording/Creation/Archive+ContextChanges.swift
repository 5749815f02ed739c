public import Archive
internal import CanonicalJSON
internal import SQLite

extension Archive {
    /// How an observation differs from the one before it on its chain in what surrounds the evidence: sample types,
    /// permissions, versions. Kinds of log entries with their details.
    public func contextChanges(at observationID: Int64) throws(ArchiveError) -> [(ContextLog.Kind, String)] {
        let before = try connection.integer(
            "SELECT max(id) FROM observations WHERE id < ?1 AND device_chain_id = (SELECT device_chain_id "
                + "FROM observations WHERE id = ?1)", [.integer(observationID)])
        guard let before else { return [] }
        var changes: [(ContextLog.Kind, String)] = []
        let runs = "SELECT sample_type_id FROM observation_type_runs WHERE observation_id ="
        if let detail = try typeChanges(
            "\(runs) \(before)", "\(runs) \(observationID)", added: "added", removed: "removed")
        {
            changes.append((.registryChanged, detail))
        }
        let refused =
            "SELECT sample_type_id FROM observation_type_runs WHERE status = 'unauthorized' AND observation_id ="
        if let detail = try typeChanges(
            "\(refused) \(before)", "\(refused) \(observationID)", added: "no_longer_authorized",
            removed: "no_longer_refused")
        {
            changes.append((.permissionChanged, detail))
        }
        if let detail = try versionChanges(before, observationID) { changes.append((.versionChanged, detail)) }
        return changes
    }

    /// Types in one set and not in the other, as JSON; nil where the sets are equal.
    private func typeChanges(_ before: String, _ after: String, added: String, removed: String) throws(ArchiveError)
        -> String?
    {
        func identifiers(_ these: String, _ notThose: String) throws(ArchiveError) -> [String] {
            var rows = try connection.prepare(
                "SELECT type_identifier FROM sample_types WHERE id IN (\(these)) "
                    + "AND id NOT IN (\(notThose)) ORDER BY hp_text(type_identifier)")
            var found: [String] = []
            while try rows.step() { found.append(rows.text(0) ?? "") }
            return found
        }
        let lists = [(added, try identifiers(after, before)), (removed, try identifiers(before, after))].filter {
            !$0.1.isEmpty
        }
        guard !lists.isEmpty else { return nil }
        var json = Writer()
        json.beginObject()
        for (name, types) in lists {
            json.key(Key(name))
            json.beginArray()
            for type in types { json.string(type) }
            json.endArray()
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func versionChanges(_ before: Int64, _ after: Int64) throws(ArchiveError) -> String? {
        var rows = try connection.prepare(
            "SELECT a.app_version, b.app_version, a.os_version, b.os_version FROM observations a, observations b "
                + "WHERE a.id = ?1 AND b.id = ?2")
        try rows.bind([.integer(before), .integer(after)])
        guard try rows.step() else { return nil }
        var json = Writer()
        json.beginObject()
        var isChanged = false
        for (name, column) in [("app_version", 0), ("os_version", 2)] as [(String, Int32)]
        where rows.text(column) != rows.text(column + 1) {
            isChanged = true
            json.key(Key(name))
            json.beginArray()
            for value in [rows.text(column), rows.text(column + 1)] {
                if let value { json.string(value) } else { json.null() }
            }
            json.endArray()
        }
        json.endObject()
        return isChanged ? String(decoding: json.bytes, as: UTF8.self) : nil
    }
}
