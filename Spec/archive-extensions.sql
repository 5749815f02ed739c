-- Tables of our own, beside those of archive-schema.sql: other engines do not have them, and no reader needs them.
-- capture.md, "Extensions and migrations", says what their rows mean. archive_metadata states each extension,
-- ('extension:context_log', '2'), ('extension:capture_facts', '2') and ('extension:history', '2'); a stated one has all
-- its tables.
-- Lines that begin with --: are those of archive-schema.sql.

-- extension:context_log

--: date logged_at
--: object detail_json
CREATE TABLE context_log (
    id INTEGER PRIMARY KEY,
    logged_at REAL NOT NULL,
    event_kind TEXT NOT NULL,
    observation_id INTEGER,
    tool_version TEXT NOT NULL,
    detail_json TEXT NOT NULL
);

-- extension:capture_facts

-- One row for each type run: its key is the run's, so that a run is found through the indexes of its table.
--: word mode: anchored full_scan
--: word state: verified continued unknown
--: count stated_count withheld_count conflict_count unread_count
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

-- One row for each observation.
--: word clock_code: clock_backwards clock_ahead
--: hash person_hash zone_rules_hash
CREATE TABLE observation_facts (
    observation_id INTEGER PRIMARY KEY REFERENCES observations(id),
    clock_code TEXT,
    clock_skew_seconds REAL,
    person_hash TEXT,
    zone_rules_hash TEXT
);

-- Named by observation_facts.zone_rules_hash: what the offset from UTC was, and when it changed.
--: hash zone_rules_hash
--: array transitions_json
CREATE TABLE zone_rules (
    zone_rules_hash TEXT PRIMARY KEY NOT NULL,
    transitions_json TEXT NOT NULL
);

-- Named by observations.selected_type_set_hash: most observations have the set of the one before.
--: hash selected_type_set_hash
--: array types_json
CREATE TABLE selected_type_sets (
    selected_type_set_hash TEXT PRIMARY KEY NOT NULL,
    types_json TEXT NOT NULL
);

-- Ranges like those of samples. The key finds a record that is read again, without its type, which may be NULL.
--: hash content_hash
--: count record_count
--: date start_date
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

-- What a full scan does not read again is found among the open ones of its type.
CREATE INDEX idx_rejected_open
ON rejected_records(last_observation_id, sample_type_id);

-- The key finds the range of a sample that is missing again.
CREATE TABLE withheld_closures (
    id INTEGER PRIMARY KEY,
    sample_id INTEGER NOT NULL REFERENCES samples(id),
    first_observation_id INTEGER NOT NULL REFERENCES observations(id),
    last_observation_id INTEGER REFERENCES observations(id),
    UNIQUE(sample_id, first_observation_id)
);

CREATE INDEX idx_withheld_open
ON withheld_closures(last_observation_id);

-- The key finds the ends of a link, in the order of time.
CREATE TABLE relationship_ends (
    id INTEGER PRIMARY KEY,
    observation_id INTEGER NOT NULL REFERENCES observations(id),
    source_sample_id INTEGER NOT NULL REFERENCES samples(id),
    target_sample_id INTEGER NOT NULL REFERENCES samples(id),
    relationship_kind TEXT NOT NULL,
    UNIQUE(source_sample_id, target_sample_id, relationship_kind, observation_id)
);

-- What ended between two observations.
CREATE INDEX idx_relationship_ends_observation
ON relationship_ends(observation_id);

-- Ranges like those of samples. A document with other content is another row.
--: hash name_hash content_hash
--: count size
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

-- What an observation wrote into sample_types: the row (is_new 1), or a name or category that it lacked.
--: count is_new
CREATE TABLE sample_type_origins (
    sample_type_id INTEGER NOT NULL REFERENCES sample_types(id),
    observation_id INTEGER NOT NULL REFERENCES observations(id),
    is_new INTEGER NOT NULL,
    display_name TEXT,
    category TEXT,
    PRIMARY KEY (sample_type_id, observation_id)
);

-- The next id of an observation is beyond these, too.
--: date observed_at withdrawn_at
CREATE TABLE withdrawn_observations (
    observation_id INTEGER PRIMARY KEY,
    observed_at REAL NOT NULL,
    withdrawn_at REAL NOT NULL
);

-- extension:history

-- One row for each entry (history.md): a link is the hash of its entry, which has the link before.
--: object entry_json
--: hash link
CREATE TABLE history_links (
    sequence INTEGER PRIMARY KEY,
    observation_id INTEGER NOT NULL,
    entry_json TEXT NOT NULL,
    link TEXT NOT NULL UNIQUE
);

-- The newest entry of an observation.
CREATE INDEX idx_history_observation
ON history_links(observation_id);
