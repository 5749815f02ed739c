/// Tables of our own, beside those of the schema (`Spec/archive-extensions.sql`, whose text a test compares). Other
/// engines do not have them, and no reader needs them.
package enum ArchiveExtension: String, CaseIterable, Sendable {
    /// What happened to an archive.
    case contextLog = "context_log"
    /// What a capture did, beyond what the schema has a place for.
    case captureFacts = "capture_facts"
    /// A chain of hashes over what each observation learned (`Spec/history.md`).
    case history

    /// The version that this code reads and writes.
    package var version: Int64 { 2 }

    /// The key in `archive_metadata` that states it.
    package var key: String { "extension:\(rawValue)" }

    /// The names of its tables.
    package var tables: [String] {
        switch self {
        case .contextLog: ["context_log"]
        case .captureFacts: Self.captureTables
        case .history: ["history_links"]
        }
    }

    /// The statements that make its tables and indexes.
    package var statements: String {
        switch self {
        case .contextLog: Self.contextLogText
        case .captureFacts: Self.captureFactsText
        case .history: Self.historyText
        }
    }

    private static let captureTables = [
        "type_run_facts",
        "observation_facts",
        "selected_type_sets",
        "rejected_records",
        "withheld_closures",
        "relationship_ends",
        "source_documents",
        "unknown_elements",
        "sample_type_origins",
        "withdrawn_observations",
    ]

    private static let contextLogText = """
        CREATE TABLE context_log (
            id INTEGER PRIMARY KEY,
            logged_at REAL NOT NULL,
            event_kind TEXT NOT NULL,
            observation_id INTEGER,
            tool_version TEXT NOT NULL,
            detail_json TEXT NOT NULL
        );
        """

    private static let captureFactsText = """
        CREATE TABLE type_run_facts (
            type_run_id INTEGER PRIMARY KEY REFERENCES observation_type_runs(id),
            mode TEXT NOT NULL,
            state TEXT NOT NULL,
            last_verified_observation_id INTEGER REFERENCES observations(id),
            stated_count INTEGER,
            withheld_count INTEGER NOT NULL DEFAULT 0,
            discontinuity TEXT
        );

        CREATE TABLE observation_facts (
            observation_id INTEGER PRIMARY KEY REFERENCES observations(id),
            clock_code TEXT,
            clock_skew_seconds REAL,
            person_hash TEXT
        );

        CREATE TABLE selected_type_sets (
            selected_type_set_hash TEXT PRIMARY KEY NOT NULL,
            types_json TEXT NOT NULL
        );

        CREATE TABLE rejected_records (
            id INTEGER PRIMARY KEY,
            device_chain_id INTEGER NOT NULL REFERENCES device_chains(id),
            sample_type_id INTEGER REFERENCES sample_types(id),
            content_hash TEXT NOT NULL,
            record_count INTEGER NOT NULL DEFAULT 1,
            reason TEXT NOT NULL,
            place TEXT NOT NULL,
            start_date REAL,
            first_observation_id INTEGER NOT NULL REFERENCES observations(id),
            last_observation_id INTEGER REFERENCES observations(id),
            UNIQUE(device_chain_id, content_hash, first_observation_id)
        );

        CREATE INDEX idx_rejected_open
        ON rejected_records(last_observation_id, sample_type_id);

        CREATE TABLE withheld_closures (
            id INTEGER PRIMARY KEY,
            sample_id INTEGER NOT NULL REFERENCES samples(id),
            first_observation_id INTEGER NOT NULL REFERENCES observations(id),
            last_observation_id INTEGER REFERENCES observations(id),
            UNIQUE(sample_id, first_observation_id)
        );

        CREATE INDEX idx_withheld_open
        ON withheld_closures(last_observation_id);

        CREATE TABLE relationship_ends (
            id INTEGER PRIMARY KEY,
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            source_sample_id INTEGER NOT NULL REFERENCES samples(id),
            target_sample_id INTEGER NOT NULL REFERENCES samples(id),
            relationship_kind TEXT NOT NULL,
            UNIQUE(source_sample_id, target_sample_id, relationship_kind, observation_id)
        );

        CREATE INDEX idx_relationship_ends_observation
        ON relationship_ends(observation_id);

        CREATE TABLE source_documents (
            id INTEGER PRIMARY KEY,
            device_chain_id INTEGER NOT NULL REFERENCES device_chains(id),
            kind TEXT NOT NULL,
            name TEXT,
            name_hash TEXT NOT NULL,
            size INTEGER NOT NULL,
            content_hash TEXT NOT NULL,
            first_observation_id INTEGER NOT NULL REFERENCES observations(id),
            last_observation_id INTEGER REFERENCES observations(id),
            UNIQUE(device_chain_id, name_hash, content_hash, first_observation_id)
        );

        CREATE INDEX idx_source_documents_open
        ON source_documents(last_observation_id);

        CREATE TABLE unknown_elements (
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            occurrence_count INTEGER NOT NULL,
            PRIMARY KEY (observation_id, kind, name)
        );

        CREATE TABLE sample_type_origins (
            sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            is_new INTEGER NOT NULL,
            display_name TEXT,
            category TEXT,
            PRIMARY KEY (sample_type_id, observation_id)
        );

        CREATE TABLE withdrawn_observations (
            observation_id INTEGER PRIMARY KEY,
            observed_at REAL NOT NULL,
            withdrawn_at REAL NOT NULL
        );
        """

    private static let historyText = """
        CREATE TABLE history_links (
            sequence INTEGER PRIMARY KEY,
            observation_id INTEGER NOT NULL,
            entry_json TEXT NOT NULL,
            link TEXT NOT NULL UNIQUE
        );

        CREATE INDEX idx_history_observation
        ON history_links(observation_id);
        """
}
