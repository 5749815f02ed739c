public import Archive
internal import CanonicalJSON
internal import SQLite

extension Archive {
    /// Returns the differences between an observation and those before it on its chain in sample types, permissions and
    /// versions. They are kinds of log entries with their details.
    ///
    /// Only what is stored is compared: what an observation does not state is no change (`Spec/capture.md`,
    /// "Extensions and migrations"). What the log has already is left out: an observation may end several times.
    public func contextChanges(at observationID: Int64) throws(ArchiveError) -> [(ContextLog.Kind, String)] {
        let details: [(ContextLog.Kind, String?)] = [
            (.registryChanged, try typeSetChange(observationID)),
            (.permissionChanged, try permissionChange(observationID)),
            (.versionChanged, try versionChange(observationID)),
        ]
        var changes: [(ContextLog.Kind, String)] = []
        for case (let kind, let detail?) in details where try !isLogged(kind, detail, of: observationID) {
            changes.append((kind, detail))
        }
        return changes
    }

    private func isLogged(_ kind: ContextLog.Kind, _ detail: String, of id: Int64) throws(ArchiveError) -> Bool {
        let query = "SELECT 1 FROM context_log WHERE observation_id = ?1 AND event_kind = ?2 AND detail_json = ?3"
        return try connection.integer(query, [.integer(id), .text(kind.rawValue), .text(detail)]) != nil
    }

    // MARK: Types

    /// Returns the selected types that were added and removed since the newest observation before that stated them.
    private func typeSetChange(_ id: Int64) throws(ArchiveError) -> String? {
        guard let after = try textOf("selected_type_set_hash", of: "= \(id)"),
            let before = try textOf("selected_type_set_hash", of: "< \(id)", chainOf: id), before != after
        else { return nil }
        // Of older archives the hash alone is known.
        guard let old = try types(behind: before), let new = try types(behind: after) else {
            return "{\"unlisted\":true}"
        }
        return object([
            ("added", new.filter { !old.contains($0) }), ("removed", old.filter { !new.contains($0) }),
        ])
    }

    /// Returns the types of a set; `nil` if the archive does not have them, or has something else in their place.
    private func types(behind hash: String) throws(ArchiveError) -> [[UInt8]]? {
        var row = try connection.prepare("SELECT types_json FROM selected_type_sets WHERE selected_type_set_hash = ?1")
        try row.bind([.text(hash)])
        guard try row.step() else { return nil }
        let text = row.bytes(0)
        var reader = Reader(.canonical)
        var types: [[UInt8]] = []
        do throws(JSONError) {
            guard case .beginArray = try reader.next(in: text.span) else { return nil }
            var token = try reader.next(in: text.span)
            while case .string(let place) = token {
                var type: [UInt8] = []
                reader.unescape(place, in: text.span, into: &type)
                types.append(type)
                token = try reader.next(in: text.span)
            }
            // The front of what is no list of texts says nothing of which types were selected.
            guard case .endArray = token, case .end = try reader.next(in: text.span) else { return nil }
        } catch {
            return nil
        }
        return types
    }

    // MARK: Permissions

    /// Types that were completed the last time that anything was said of it and are refused now, and the reverse. A
    /// run that failed or was not made says nothing.
    private func permissionChange(_ id: Int64) throws(ArchiveError) -> String? {
        var rows = try connection.prepare(
            """
            SELECT t.type_identifier, u.status, (SELECT b.status FROM observation_type_runs b
                JOIN observations o ON o.id = b.observation_id
                WHERE b.sample_type_id = u.sample_type_id AND b.observation_id < u.observation_id
                AND b.status IN ('completed', 'unauthorized') AND o.device_chain_id =
                    (SELECT device_chain_id FROM observations WHERE id = u.observation_id)
                ORDER BY b.observation_id DESC, b.id DESC LIMIT 1) AS before
            FROM observation_type_runs u JOIN sample_types t ON t.id = u.sample_type_id
            WHERE u.observation_id = ?1 AND u.status IN ('completed', 'unauthorized') AND u.status <> before
            ORDER BY hp_text(t.type_identifier)
            """)
        try rows.bind([.integer(id)])
        var (refused, allowed): ([[UInt8]], [[UInt8]]) = ([], [])
        while try rows.step() {
            if rows.text(1) == "completed" { allowed.append(rows.bytes(0)) } else { refused.append(rows.bytes(0)) }
        }
        return object([("no_longer_authorized", refused), ("no_longer_refused", allowed)])
    }

    /// Returns an object of the lists that are not empty; `nil` if all are.
    private func object(_ lists: [(name: String, types: [[UInt8]])]) -> String? {
        let lists = lists.filter { !$0.types.isEmpty }
        guard !lists.isEmpty else { return nil }
        return JSONObject(lists.map { ($0.name, $0.types.map { String(decoding: $0, as: UTF8.self) }) }).text
    }

    // MARK: Versions

    /// Versions that differ from those that were stated last.
    private func versionChange(_ id: Int64) throws(ArchiveError) -> String? {
        var changes: [(String, [String])] = []
        for name in ["app_version", "os_version"] {
            guard let after = try textOf(name, of: "= \(id)"),
                let before = try textOf(name, of: "< \(id)", chainOf: id), before != after
            else { continue }
            changes.append((name, [before, after]))
        }
        return changes.isEmpty ? nil : JSONObject(changes).text
    }

    /// Returns a text of an observation, or of the newest of a chain that has one.
    private func textOf(_ column: String, of ids: String, chainOf id: Int64? = nil) throws(ArchiveError) -> String? {
        let chain = id.map { "AND device_chain_id = (SELECT device_chain_id FROM observations WHERE id = \($0))" } ?? ""
        return try connection.text(
            "SELECT \(column) FROM observations WHERE id \(ids) AND \(column) IS NOT NULL \(chain) "
                + "ORDER BY id DESC LIMIT 1")
    }
}
