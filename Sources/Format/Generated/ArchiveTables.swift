// Made from Spec/archive-schema.sql and Spec/archive-extensions.sql by Scripts/write-format.
// swift-format-ignore-file

extension ArchiveTable {
    /// The tables of `schema`, in the order of the text.
    public static let ofSchema: [ArchiveTable] = [
        schemaMigrations,
        archiveMetadata,
        deviceChains,
        observations,
        sampleTypes,
        observationTypeRuns,
        sources,
        sourceRevisions,
        hkDevices,
        metadataBlobs,
        samples,
        sampleVersions,
        sampleObservationEvents,
        sampleVisibilityRanges,
        sampleRelationships,
        observationTypeSummaries,
        dailyTypeAggregates,
        exportManifests,
        exportItems,
    ]

    /// The tables of `context_log`, in the order of the text.
    public static let ofContextLog: [ArchiveTable] = [
        contextLog,
    ]

    /// The tables of `capture_facts`, in the order of the text.
    public static let ofCaptureFacts: [ArchiveTable] = [
        typeRunFacts,
        observationFacts,
        zoneRules,
        selectedTypeSets,
        rejectedRecords,
        withheldClosures,
        relationshipEnds,
        sourceDocuments,
        unknownElements,
        sampleTypeOrigins,
        withdrawnObservations,
    ]

    /// The tables of `history`, in the order of the text.
    public static let ofHistory: [ArchiveTable] = [
        historyLinks,
    ]

    private static let schemaMigrations = ArchiveTable(
        "schema_migrations",
        [
            Column("version", .integer, isRequired: true),
            Column("applied_at", .date, isRequired: true),
            Column("description", .text, isRequired: true),
        ])

    private static let archiveMetadata = ArchiveTable(
        "archive_metadata",
        [
            Column("key", .text, isRequired: true),
            Column("value", .text, isRequired: true),
        ])

    private static let deviceChains = ArchiveTable(
        "device_chains",
        [
            Column("id", .integer, isRequired: true),
            Column("device_chain_hash", .hash, isRequired: true),
            Column("created_at", .date, isRequired: true),
            Column("recovered_from_keychain", .count, isRequired: true),
        ])

    private static let observations = ArchiveTable(
        "observations",
        [
            Column("id", .integer, isRequired: true),
            Column("device_chain_id", .integer, isRequired: true, reference: "device_chains"),
            Column("observed_at", .date, isRequired: true),
            Column("started_at", .date),
            Column("ended_at", .date),
            Column("status", .word, isRequired: true, words: ["running", "started", "completed", "partial",
                "partial_*", "needs_review", "failed", "cancelled"]),
            Column("trigger_reason", .text, isRequired: true),
            Column("app_version", .text),
            Column("os_version", .text),
            Column("time_zone_identifier", .text),
            Column("time_zone_seconds_from_gmt", .integer),
            Column("schema_version", .integer, isRequired: true),
            Column("selected_type_set_hash", .hash),
            Column("notes", .text),
        ], order: Order("started_at", "ended_at"))

    private static let sampleTypes = ArchiveTable(
        "sample_types",
        [
            Column("id", .integer, isRequired: true),
            Column("type_identifier", .text, isRequired: true),
            Column("display_name", .text),
            Column("category", .text),
        ])

    private static let observationTypeRuns = ArchiveTable(
        "observation_type_runs",
        [
            Column("id", .integer, isRequired: true),
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("sample_type_id", .integer, isRequired: true, reference: "sample_types"),
            Column("status", .word, isRequired: true, words: ["running", "started", "completed", "partial",
                "partial_*", "needs_review", "failed", "cancelled", "unauthorized", "timed_out"]),
            Column("started_at", .date),
            Column("ended_at", .date),
            Column("anchor_before", .blob),
            Column("anchor_after", .blob),
            Column("inserted_event_count", .count, isRequired: true),
            Column("deleted_event_count", .count, isRequired: true),
            Column("verified_visible_count", .count),
            Column("error_kind", .text),
            Column("error_message_hash", .hash),
        ], order: Order("started_at", "ended_at"))

    private static let sources = ArchiveTable(
        "sources",
        [
            Column("id", .integer, isRequired: true),
            Column("source_name_hash", .hash),
            Column("bundle_identifier", .text),
        ])

    private static let sourceRevisions = ArchiveTable(
        "source_revisions",
        [
            Column("id", .integer, isRequired: true),
            Column("source_id", .integer, isRequired: true, reference: "sources"),
            Column("product_type", .text),
            Column("version", .text),
            Column("operating_system_version", .text),
        ])

    private static let hkDevices = ArchiveTable(
        "hk_devices",
        [
            Column("id", .integer, isRequired: true),
            Column("device_hash", .hash),
            Column("manufacturer_hash", .hash),
            Column("model", .text),
            Column("hardware_version", .text),
            Column("firmware_version", .text),
            Column("software_version", .text),
            Column("local_identifier_hash", .hash),
            Column("udi_hash", .hash),
        ])

    private static let metadataBlobs = ArchiveTable(
        "metadata_blobs",
        [
            Column("id", .integer, isRequired: true),
            Column("metadata_hash", .hash, isRequired: true),
            Column("metadata_json", .object, isRequired: true),
        ])

    private static let samples = ArchiveTable(
        "samples",
        [
            Column("id", .integer, isRequired: true),
            Column("sample_type_id", .integer, isRequired: true, reference: "sample_types"),
            Column("sample_uuid_hash", .hash),
            Column("strict_fingerprint", .hash, isRequired: true),
            Column("semantic_fingerprint", .hash),
            Column("fuzzy_key", .text),
            Column("first_seen_observation_id", .integer, isRequired: true, reference: "observations"),
            Column("first_seen_at", .date, isRequired: true),
        ])

    private static let sampleVersions = ArchiveTable(
        "sample_versions",
        [
            Column("id", .integer, isRequired: true),
            Column("sample_id", .integer, isRequired: true, reference: "samples"),
            Column("payload_hash", .hash, isRequired: true),
            Column("start_date", .date, isRequired: true),
            Column("end_date", .date, isRequired: true),
            Column("value_kind", .name),
            Column("numeric_value", .real),
            Column("unit", .text),
            Column("category_value", .integer),
            Column("workout_activity_type", .integer),
            Column("duration_seconds", .real),
            Column("source_revision_id", .integer, reference: "source_revisions"),
            Column("hk_device_id", .integer, reference: "hk_devices"),
            Column("metadata_id", .integer, reference: "metadata_blobs"),
            Column("created_observation_id", .integer, isRequired: true, reference: "observations"),
        ], order: Order("start_date", "end_date", isFromSource: true))

    private static let sampleObservationEvents = ArchiveTable(
        "sample_observation_events",
        [
            Column("id", .integer, isRequired: true),
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("sample_id", .integer, isRequired: true, reference: "samples"),
            Column("version_id", .integer, reference: "sample_versions"),
            Column("event_kind", .rulesWord, isRequired: true, words: ["appeared", "representation_changed",
                "disappeared"]),
            Column("observed_at", .date, isRequired: true),
            Column("evidence_kind", .rulesWord, words: ["anchored_query", "full_scan", "deleted_object"]),
        ])

    private static let sampleVisibilityRanges = ArchiveTable(
        "sample_visibility_ranges",
        [
            Column("sample_id", .integer, isRequired: true, reference: "samples"),
            Column("version_id", .integer, reference: "sample_versions"),
            Column("first_observation_id", .integer, isRequired: true, reference: "observations"),
            Column("last_observation_id", .integer, reference: "observations"),
            Column("first_seen_at", .date, isRequired: true),
            Column("last_seen_at", .date),
        ])

    private static let sampleRelationships = ArchiveTable(
        "sample_relationships",
        [
            Column("id", .integer, isRequired: true),
            Column("observation_id", .integer, reference: "observations"),
            Column("source_sample_id", .integer, isRequired: true, reference: "samples"),
            Column("target_sample_id", .integer, isRequired: true, reference: "samples"),
            Column("relationship_kind", .text, isRequired: true),
            Column("metadata_id", .integer, reference: "metadata_blobs"),
        ])

    private static let observationTypeSummaries = ArchiveTable(
        "observation_type_summaries",
        [
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("sample_type_id", .integer, isRequired: true, reference: "sample_types"),
            Column("visible_record_count", .count, isRequired: true),
            Column("appeared_count", .count, isRequired: true),
            Column("disappeared_count", .count, isRequired: true),
            Column("representation_changed_count", .count, isRequired: true),
            Column("earliest_start_date", .date),
            Column("latest_end_date", .date),
            Column("value_sum", .real),
            Column("value_max", .real),
            Column("aggregate_hash", .hash),
        ])

    private static let dailyTypeAggregates = ArchiveTable(
        "daily_type_aggregates",
        [
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("sample_type_id", .integer, isRequired: true, reference: "sample_types"),
            Column("bucket_start", .date, isRequired: true),
            Column("bucket_end", .date, isRequired: true),
            Column("visible_record_count", .count, isRequired: true),
            Column("value_sum", .real),
            Column("value_max", .real),
            Column("source_revision_id", .integer, reference: "source_revisions"),
            Column("aggregate_hash", .hash),
        ], order: Order("bucket_start", "bucket_end"))

    private static let exportManifests = ArchiveTable(
        "export_manifests",
        [
            Column("id", .integer, isRequired: true),
            Column("export_id", .text, isRequired: true),
            Column("created_at", .date, isRequired: true),
            Column("export_kind", .text, isRequired: true),
            Column("from_observation_id", .integer, reference: "observations"),
            Column("to_observation_id", .integer, reference: "observations"),
            Column("filter_json", .text),
            Column("manifest_hash", .text, isRequired: true),
            Column("record_count", .count, isRequired: true),
        ])

    private static let exportItems = ArchiveTable(
        "export_items",
        [
            Column("export_manifest_id", .integer, isRequired: true, reference: "export_manifests"),
            Column("sample_id", .integer, isRequired: true, reference: "samples"),
            Column("version_id", .integer, reference: "sample_versions"),
            Column("item_hash", .text, isRequired: true),
        ])

    private static let contextLog = ArchiveTable(
        "context_log",
        [
            Column("id", .integer, isRequired: true),
            Column("logged_at", .date, isRequired: true),
            Column("event_kind", .text, isRequired: true),
            Column("observation_id", .integer),
            Column("tool_version", .text, isRequired: true),
            Column("detail_json", .object, isRequired: true),
        ])

    private static let typeRunFacts = ArchiveTable(
        "type_run_facts",
        [
            Column("type_run_id", .integer, isRequired: true, reference: "observation_type_runs"),
            Column("mode", .word, isRequired: true, words: ["anchored", "full_scan"]),
            Column("state", .word, isRequired: true, words: ["verified", "continued", "unknown"]),
            Column("last_verified_observation_id", .integer, reference: "observations"),
            Column("stated_count", .count),
            Column("withheld_count", .count, isRequired: true),
            Column("conflict_count", .count, isRequired: true),
            Column("unread_count", .count, isRequired: true),
            Column("discontinuity", .text),
        ])

    private static let observationFacts = ArchiveTable(
        "observation_facts",
        [
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("clock_code", .word, words: ["clock_backwards", "clock_ahead"]),
            Column("clock_skew_seconds", .real),
            Column("person_hash", .hash),
            Column("zone_rules_hash", .hash),
        ])

    private static let zoneRules = ArchiveTable(
        "zone_rules",
        [
            Column("zone_rules_hash", .hash, isRequired: true),
            Column("transitions_json", .array, isRequired: true),
        ])

    private static let selectedTypeSets = ArchiveTable(
        "selected_type_sets",
        [
            Column("selected_type_set_hash", .hash, isRequired: true),
            Column("types_json", .array, isRequired: true),
        ])

    private static let rejectedRecords = ArchiveTable(
        "rejected_records",
        [
            Column("id", .integer, isRequired: true),
            Column("device_chain_id", .integer, isRequired: true, reference: "device_chains"),
            Column("sample_type_id", .integer, reference: "sample_types"),
            Column("content_hash", .hash, isRequired: true),
            Column("record_count", .count, isRequired: true),
            Column("reason", .text, isRequired: true),
            Column("place", .text, isRequired: true),
            Column("start_date", .date),
            Column("first_observation_id", .integer, isRequired: true, reference: "observations"),
            Column("last_observation_id", .integer, reference: "observations"),
        ])

    private static let withheldClosures = ArchiveTable(
        "withheld_closures",
        [
            Column("id", .integer, isRequired: true),
            Column("sample_id", .integer, isRequired: true, reference: "samples"),
            Column("first_observation_id", .integer, isRequired: true, reference: "observations"),
            Column("last_observation_id", .integer, reference: "observations"),
        ])

    private static let relationshipEnds = ArchiveTable(
        "relationship_ends",
        [
            Column("id", .integer, isRequired: true),
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("source_sample_id", .integer, isRequired: true, reference: "samples"),
            Column("target_sample_id", .integer, isRequired: true, reference: "samples"),
            Column("relationship_kind", .text, isRequired: true),
        ])

    private static let sourceDocuments = ArchiveTable(
        "source_documents",
        [
            Column("id", .integer, isRequired: true),
            Column("device_chain_id", .integer, isRequired: true, reference: "device_chains"),
            Column("kind", .text, isRequired: true),
            Column("name", .text),
            Column("name_hash", .hash, isRequired: true),
            Column("size", .count, isRequired: true),
            Column("content_hash", .hash, isRequired: true),
            Column("first_observation_id", .integer, isRequired: true, reference: "observations"),
            Column("last_observation_id", .integer, reference: "observations"),
        ])

    private static let unknownElements = ArchiveTable(
        "unknown_elements",
        [
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("kind", .text, isRequired: true),
            Column("name", .text, isRequired: true),
            Column("occurrence_count", .integer, isRequired: true),
        ])

    private static let sampleTypeOrigins = ArchiveTable(
        "sample_type_origins",
        [
            Column("sample_type_id", .integer, isRequired: true, reference: "sample_types"),
            Column("observation_id", .integer, isRequired: true, reference: "observations"),
            Column("is_new", .count, isRequired: true),
            Column("display_name", .text),
            Column("category", .text),
        ])

    private static let withdrawnObservations = ArchiveTable(
        "withdrawn_observations",
        [
            Column("observation_id", .integer, isRequired: true),
            Column("observed_at", .date, isRequired: true),
            Column("withdrawn_at", .date, isRequired: true),
        ])

    private static let historyLinks = ArchiveTable(
        "history_links",
        [
            Column("sequence", .integer, isRequired: true),
            Column("observation_id", .integer, isRequired: true),
            Column("entry_json", .object, isRequired: true),
            Column("link", .hash, isRequired: true),
        ])
}

/// The SQL of archives, without comments.
public enum ArchiveStatements {
    /// The statements that make the tables and indexes of `schema`, each with a semicolon behind it.
    public static let schema = """
        CREATE TABLE schema_migrations (
            version INTEGER PRIMARY KEY,
            applied_at REAL NOT NULL,
            description TEXT NOT NULL
        );

        CREATE TABLE archive_metadata (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        );

        CREATE TABLE device_chains (
            id INTEGER PRIMARY KEY,
            device_chain_hash TEXT NOT NULL UNIQUE,
            created_at REAL NOT NULL,
            recovered_from_keychain INTEGER NOT NULL DEFAULT 0
        );

        CREATE TABLE observations (
            id INTEGER PRIMARY KEY,
            device_chain_id INTEGER NOT NULL REFERENCES device_chains(id),
            observed_at REAL NOT NULL,
            started_at REAL,
            ended_at REAL,
            status TEXT NOT NULL,
            trigger_reason TEXT NOT NULL,
            app_version TEXT,
            os_version TEXT,
            time_zone_identifier TEXT,
            time_zone_seconds_from_gmt INTEGER,
            schema_version INTEGER NOT NULL,
            selected_type_set_hash TEXT,
            notes TEXT
        );

        CREATE INDEX idx_observations_device_time
        ON observations(device_chain_id, observed_at);

        CREATE TABLE sample_types (
            id INTEGER PRIMARY KEY,
            type_identifier TEXT NOT NULL UNIQUE,
            display_name TEXT,
            category TEXT
        );

        CREATE TABLE observation_type_runs (
            id INTEGER PRIMARY KEY,
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
            status TEXT NOT NULL,
            started_at REAL,
            ended_at REAL,
            anchor_before BLOB,
            anchor_after BLOB,
            inserted_event_count INTEGER NOT NULL DEFAULT 0,
            deleted_event_count INTEGER NOT NULL DEFAULT 0,
            verified_visible_count INTEGER,
            error_kind TEXT,
            error_message_hash TEXT,
            UNIQUE(observation_id, sample_type_id)
        );

        CREATE INDEX idx_type_runs_type_observation
        ON observation_type_runs(sample_type_id, observation_id);

        CREATE TABLE sources (
            id INTEGER PRIMARY KEY,
            source_name_hash TEXT,
            bundle_identifier TEXT
        );

        CREATE TABLE source_revisions (
            id INTEGER PRIMARY KEY,
            source_id INTEGER NOT NULL REFERENCES sources(id),
            product_type TEXT,
            version TEXT,
            operating_system_version TEXT,
            UNIQUE(source_id, product_type, version, operating_system_version)
        );

        CREATE TABLE hk_devices (
            id INTEGER PRIMARY KEY,
            device_hash TEXT,
            manufacturer_hash TEXT,
            model TEXT,
            hardware_version TEXT,
            firmware_version TEXT,
            software_version TEXT,
            local_identifier_hash TEXT,
            udi_hash TEXT
        );

        CREATE TABLE metadata_blobs (
            id INTEGER PRIMARY KEY,
            metadata_hash TEXT NOT NULL UNIQUE,
            metadata_json TEXT NOT NULL
        );

        CREATE TABLE samples (
            id INTEGER PRIMARY KEY,
            sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
            sample_uuid_hash TEXT,
            strict_fingerprint TEXT NOT NULL,
            semantic_fingerprint TEXT,
            fuzzy_key TEXT,
            first_seen_observation_id INTEGER NOT NULL REFERENCES observations(id),
            first_seen_at REAL NOT NULL,
            UNIQUE(sample_type_id, strict_fingerprint)
        );

        CREATE INDEX idx_samples_uuid_hash
        ON samples(sample_uuid_hash);

        CREATE INDEX idx_samples_type_semantic
        ON samples(sample_type_id, semantic_fingerprint);

        CREATE TABLE sample_versions (
            id INTEGER PRIMARY KEY,
            sample_id INTEGER NOT NULL REFERENCES samples(id),
            payload_hash TEXT NOT NULL,
            start_date REAL NOT NULL,
            end_date REAL NOT NULL,
            value_kind TEXT,
            numeric_value REAL,
            unit TEXT,
            category_value INTEGER,
            workout_activity_type INTEGER,
            duration_seconds REAL,
            source_revision_id INTEGER REFERENCES source_revisions(id),
            hk_device_id INTEGER REFERENCES hk_devices(id),
            metadata_id INTEGER REFERENCES metadata_blobs(id),
            created_observation_id INTEGER NOT NULL REFERENCES observations(id),
            UNIQUE(sample_id, payload_hash)
        );

        CREATE INDEX idx_sample_versions_sample
        ON sample_versions(sample_id);

        CREATE INDEX idx_sample_versions_time
        ON sample_versions(start_date, end_date);

        CREATE TABLE sample_observation_events (
            id INTEGER PRIMARY KEY,
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            sample_id INTEGER NOT NULL REFERENCES samples(id),
            version_id INTEGER REFERENCES sample_versions(id),
            event_kind TEXT NOT NULL,
            observed_at REAL NOT NULL,
            evidence_kind TEXT,
            UNIQUE(observation_id, sample_id, event_kind)
        );

        CREATE INDEX idx_events_observation_kind
        ON sample_observation_events(observation_id, event_kind);

        CREATE INDEX idx_events_sample
        ON sample_observation_events(sample_id, observation_id);

        CREATE TABLE sample_visibility_ranges (
            sample_id INTEGER NOT NULL REFERENCES samples(id),
            version_id INTEGER REFERENCES sample_versions(id),
            first_observation_id INTEGER NOT NULL REFERENCES observations(id),
            last_observation_id INTEGER REFERENCES observations(id),
            first_seen_at REAL NOT NULL,
            last_seen_at REAL,
            PRIMARY KEY (sample_id, version_id, first_observation_id)
        );

        CREATE INDEX idx_visibility_open_ranges
        ON sample_visibility_ranges(last_observation_id);

        CREATE INDEX idx_visibility_point_lookup
        ON sample_visibility_ranges(first_observation_id, last_observation_id);

        CREATE TABLE sample_relationships (
            id INTEGER PRIMARY KEY,
            observation_id INTEGER REFERENCES observations(id),
            source_sample_id INTEGER NOT NULL REFERENCES samples(id),
            target_sample_id INTEGER NOT NULL REFERENCES samples(id),
            relationship_kind TEXT NOT NULL,
            metadata_id INTEGER REFERENCES metadata_blobs(id),
            UNIQUE(observation_id, source_sample_id, target_sample_id, relationship_kind)
        );

        CREATE INDEX idx_relationship_source
        ON sample_relationships(source_sample_id, relationship_kind);

        CREATE INDEX idx_relationship_target
        ON sample_relationships(target_sample_id, relationship_kind);

        CREATE TABLE observation_type_summaries (
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
            visible_record_count INTEGER NOT NULL,
            appeared_count INTEGER NOT NULL DEFAULT 0,
            disappeared_count INTEGER NOT NULL DEFAULT 0,
            representation_changed_count INTEGER NOT NULL DEFAULT 0,
            earliest_start_date REAL,
            latest_end_date REAL,
            value_sum REAL,
            value_max REAL,
            aggregate_hash TEXT,
            PRIMARY KEY (observation_id, sample_type_id)
        );

        CREATE TABLE daily_type_aggregates (
            observation_id INTEGER NOT NULL REFERENCES observations(id),
            sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
            bucket_start REAL NOT NULL,
            bucket_end REAL NOT NULL,
            visible_record_count INTEGER NOT NULL,
            value_sum REAL,
            value_max REAL,
            source_revision_id INTEGER,
            aggregate_hash TEXT,
            PRIMARY KEY (observation_id, sample_type_id, bucket_start, source_revision_id)
        );

        CREATE INDEX idx_daily_type_bucket
        ON daily_type_aggregates(sample_type_id, bucket_start);

        CREATE TABLE export_manifests (
            id INTEGER PRIMARY KEY,
            export_id TEXT NOT NULL UNIQUE,
            created_at REAL NOT NULL,
            export_kind TEXT NOT NULL,
            from_observation_id INTEGER REFERENCES observations(id),
            to_observation_id INTEGER REFERENCES observations(id),
            filter_json TEXT,
            manifest_hash TEXT NOT NULL,
            record_count INTEGER NOT NULL
        );

        CREATE TABLE export_items (
            export_manifest_id INTEGER NOT NULL REFERENCES export_manifests(id),
            sample_id INTEGER NOT NULL REFERENCES samples(id),
            version_id INTEGER REFERENCES sample_versions(id),
            item_hash TEXT NOT NULL,
            PRIMARY KEY (export_manifest_id, sample_id, version_id)
        );
        """

    /// The statements that make the tables and indexes of `context_log`, each with a semicolon behind it.
    public static let contextLog = """
        CREATE TABLE context_log (
            id INTEGER PRIMARY KEY,
            logged_at REAL NOT NULL,
            event_kind TEXT NOT NULL,
            observation_id INTEGER,
            tool_version TEXT NOT NULL,
            detail_json TEXT NOT NULL
        );
        """

    /// The statements that make the tables and indexes of `capture_facts`, each with a semicolon behind it.
    public static let captureFacts = """
        CREATE TABLE type_run_facts (
            type_run_id INTEGER PRIMARY KEY REFERENCES observation_type_runs(id),
            mode TEXT NOT NULL,
            state TEXT NOT NULL,
            last_verified_observation_id INTEGER REFERENCES observations(id),
            stated_count INTEGER,
            withheld_count INTEGER NOT NULL DEFAULT 0,
            conflict_count INTEGER NOT NULL DEFAULT 0,
            unread_count INTEGER NOT NULL DEFAULT 0,
            discontinuity TEXT
        );

        CREATE TABLE observation_facts (
            observation_id INTEGER PRIMARY KEY REFERENCES observations(id),
            clock_code TEXT,
            clock_skew_seconds REAL,
            person_hash TEXT,
            zone_rules_hash TEXT
        );

        CREATE TABLE zone_rules (
            zone_rules_hash TEXT PRIMARY KEY NOT NULL,
            transitions_json TEXT NOT NULL
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

    /// The statements that make the tables and indexes of `history`, each with a semicolon behind it.
    public static let history = """
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
