"""Makes the vectors of archives for the checks `evidence` and `history`, and for a log beside an archive.

Like those of generate_archives.py. The hashes of the history are those of the verifier in Spec/examples, which was
written from Spec/history.md alone.
"""

from verifier.history import TABLES, Commitments, Text, identity_of
from export_bundle import EXTENSIONS
from generate import canonical, sha
from generate_archives import EVENTS, MADE_AT, RUNS, Archives, short

DAY = 86400
# What was there when each observation ended.
SALT = "5a" * 32
LAST_IDS = ({"device_chains": 1, "metadata_blobs": 2, EVENTS: 2, "sample_types": 1, "sample_versions": 2, "samples": 2},
            {"device_chains": 1, "metadata_blobs": 2, EVENTS: 3, "sample_types": 1, "sample_versions": 2, "samples": 2})


def extension(name):
    """The statements that give an archive an extension."""
    text = EXTENSIONS.read_text("utf-8").split("-- extension:%s\n" % name)[1].split("-- extension:")[0]
    text = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    stated = "INSERT INTO archive_metadata VALUES ('extension:%s', '2')" % name
    return [short(sql.strip()) for sql in text.split(";") if sql.strip()] + [stated]


def logged(number, kind, detail):
    return "INSERT INTO context_log VALUES (%d, %r, '%s', 1, 'synthetic 1', '%s')" % (number, MADE_AT, kind, detail)


def write_evidence(add):
    first_run = "UPDATE observation_type_runs SET %s WHERE id = 1"
    add("evidence-first-seen", "a sample that was first seen at another time than its observation", [("evidence.first_seen", "samples", 1, "first_seen_at")],
        "UPDATE samples SET first_seen_at = first_seen_at + 1 WHERE id = 1")
    add("evidence-created", "a version that was made after its event", [("evidence.created", "sample_versions", 1, "created_observation_id")],
        "UPDATE sample_versions SET created_observation_id = 2 WHERE id = 1")
    add("evidence-observed-at", "an event and its range with another date than their observation", [("evidence.observed_at", EVENTS, 3, "observed_at")],
        "UPDATE sample_observation_events SET observed_at = observed_at + 1 WHERE id = 3", "UPDATE sample_visibility_ranges SET last_seen_at = last_seen_at + 1 WHERE rowid = 2")
    add("evidence-evidence-kind", "a record that was seen by its deletion", [("evidence.evidence_kind", EVENTS, 1, "evidence_kind")],
        "UPDATE sample_observation_events SET evidence_kind = 'deleted_object' WHERE id = 1")
    add("evidence-run-counts", "a run that counts an event more", [("evidence.run_counts", RUNS, 1, "inserted_event_count")], first_run % "inserted_event_count = 3")
    add("evidence-run-missing", "an event and a summary of a type without a run", [("evidence.run_missing", RUNS)],
        "DELETE FROM observation_type_runs WHERE id = 2")
    add("evidence-uuid", "samples that an Apple Health export saw first, with UUID hashes", [("evidence.uuid", "samples", row, "sample_uuid_hash") for row in (1, 2)],
        "UPDATE observations SET trigger_reason = 'apple_health_export'")
    add("evidence-status", "a status of types that did not complete, whose runs all did", [("evidence.status", "observations", 1, "status")],
        "UPDATE observations SET status = 'partial_types' WHERE id = 1")
    log = extension("context_log")
    add("evidence-logged-status", "an observation that ended otherwise by the log", [("evidence.logged_status", "observations", 1, "status")],
        *log, logged(1, "capture_finished", '{"status":"failed"}'))
    add("evidence-log", "a log without its second entry", [("evidence.log", "context_log", 3, "id")],
        *log, logged(1, "capture_started", "{}"), logged(3, "capture_finished", '{"status":"completed"}'))
    add("evidence-log-empty", "a log without an entry", [("evidence.log_empty", "context_log")], *log)
    of_zones = ("evidence.zone_rules", "zone_rules", 9)
    keep = "INSERT INTO zone_rules(rowid, zone_rules_hash, transitions_json) VALUES (9, '%s', '%s')"
    add("evidence-zone-rules", "rules of a zone under another hash", [(*of_zones, "zone_rules_hash")], keep % ("a" * 64, "[0]"), facts=True)
    add("evidence-zone-rules-form", "rules of a zone whose moments do not rise", [(*of_zones, "transitions_json"), (*of_zones, "zone_rules_hash")],
        keep % (sha("hp:v2:zone_rules:", "[0,5,3600,5,0]"), "[0,5,3600,5,0]"), facts=True)
    add("evidence-zone-rules-none", "observations that name rules which are not there",
        [("evidence.zone_rules", "zone_rules", 1, "zone_rules_hash"), *(("evidence.zone_rules", "observation_facts", row, "zone_rules_hash") for row in (1, 2))],
        "UPDATE observation_facts SET zone_rules_hash = '%s'" % ("b" * 64), facts=True)
    add("evidence-zone-rules-offset", "an observation with another offset than its rules give",
        [("evidence.zone_rules", "observations", 2, "time_zone_seconds_from_gmt")],
        "UPDATE observations SET time_zone_seconds_from_gmt = 3600 WHERE id = 2", facts=True)
    add("evidence-type-set", "a set of types under another hash", [("evidence.type_set", "selected_type_sets", 9, "selected_type_set_hash")],
        "INSERT INTO selected_type_sets(rowid, selected_type_set_hash, types_json) VALUES (9, '%s', '[]')" % ("a" * 64), facts=True)
    add("evidence-withdrawn", "a withdrawn observation that is there", [("evidence.withdrawn", "withdrawn_observations", 2, "observation_id")],
        "INSERT INTO withdrawn_observations VALUES (2, %r, %r)" % (MADE_AT + DAY, MADE_AT + DAY), facts=True)
    add("evidence-event-version", "an event that names a version of another sample", [("evidence.event_version", EVENTS, 3, "version_id")],
        "UPDATE sample_observation_events SET version_id = 1 WHERE id = 3")
    add("evidence-run-dates", "a run a day after its observation", [("evidence.run_dates", RUNS, 1, "started_at")],
        first_run % "started_at = started_at + 86400, ended_at = ended_at + 86400")
    add("evidence-schema-version", "an observation under another version of the schema", [("evidence.schema_version", "observations", 1, "schema_version")],
        "UPDATE observations SET schema_version = 3 WHERE id = 1")
    add("evidence-type-set-missing", "an observation whose list of types is not there", [("evidence.type_set_missing", "observations", 1, "selected_type_set_hash")],
        "UPDATE observations SET selected_type_set_hash = '%s' WHERE id = 1" % ("a" * 64), "INSERT OR IGNORE INTO observation_facts(observation_id) VALUES (1)", facts=True)
    add("evidence-withdrawn-log", "a withdrawal that the log does not have", [("evidence.withdrawn_log", "withdrawn_observations", 9, "observation_id")],
        *log, logged(1, "capture_started", "{}"), "INSERT INTO withdrawn_observations VALUES (9, %r, %r)" % (MADE_AT, MADE_AT), facts=True)
    add("evidence-rejected", "a rejected record that a run read which rejected none", [("evidence.rejected", "rejected_records", 9, "first_observation_id")],
        "INSERT INTO rejected_records VALUES (9, 1, 1, '%s', 1, 'bad_date', 'line 1', NULL, 1, NULL)" % ("a" * 64),
        "UPDATE type_run_facts SET state = 'unknown', discontinuity = 'rejected_records', last_verified_observation_id = NULL WHERE type_run_id = 1",
        "UPDATE observation_type_runs SET verified_visible_count = NULL WHERE id = 1", facts=True)
    add("evidence-link-end", "the end of a link that was not there", [("evidence.link_end", "relationship_ends", 9, "observation_id")],
        "INSERT INTO relationship_ends VALUES (9, 2, 1, 1, 'x')", facts=True)


# What the entries state of their observations.
STATED = {"lists_types": False, "states_facts": False}


class Chain:
    """The entries of the base about some of its observations, and statements that write them."""

    def __init__(self, archives, made_at="2024-06-01T10:00:00.000Z", observations=(1, 2)):
        self.entries, self.links, self.made_at = [], [], made_at
        with archives.filled() as connection:
            connection.text_factory = Text
            commitments = Commitments(connection, SALT)
            lasts = [LAST_IDS[number - 1] for number in observations]
            rows = {table: commitments.rows(table, [(number, last.get(table, -1)) for number, last in zip(observations, lasts)]) for table in TABLES}
            below = -1
            for place, (number, last_ids) in enumerate(zip(observations, lasts)):
                self.append({"kind": "observation", "last_ids": last_ids,
                             "observation": {"hash": commitments.observation(number, STATED, below, last_ids["sample_types"]), "id": number, **STATED},
                             "rows": {table: value[place] for table, value in rows.items() if value[place]}})
                below = last_ids["sample_types"]
            self.withdrawal = commitments.withdrawal(0)

    def append(self, entry):
        """An entry behind the others, with its place in the chain."""
        entry = {"archive": identity_of(SALT, self.made_at), "entry_version": 2, "made_at": self.made_at, "tool_version": "synthetic 1",
                 **entry, "sequence": len(self.entries) + 1, **({"previous": self.links[-1]} if self.links else {})}
        self.entries.append(entry)
        self.links.append(sha("hp:v2:history_link:", canonical(entry)))
        return self

    def about(self, number, kind="observation"):
        """An entry about an observation that brought no rows."""
        return self.append({"kind": kind, "last_ids": self.entries[1]["last_ids"], "observation": {"hash": "a" * 64, "id": number, **STATED}, "rows": {}})

    def withdraw(self, number):
        return self.append({"kind": "withdrawn", "last_ids": {}, "observation": {"hash": self.withdrawal, "id": number}, "rows": {}})

    def statements(self):
        return [*extension("history"), "INSERT INTO archive_metadata VALUES ('history_salt', '%s')" % SALT,
                *(self.row(number, canonical(entry)) for number, entry in enumerate(self.entries, 1))]

    def row(self, number, text, verb="INSERT"):
        return "%s INTO history_links VALUES (%d, %d, '%s', '%s')" % (
            verb, number, self.entries[number - 1]["observation"]["id"], text, sha("hp:v2:history_link:", text))

    def head(self, length):
        return "archive %s\nlength %d\nlink %s\n" % (self.entries[0]["archive"], length, self.links[length - 1])


def write_history(archives):
    chain, longer, other = Chain(archives), Chain(archives).about(3), Chain(archives, "2024-06-01T10:00:01.000Z")
    replacing = {**longer.entries[2], "replaces": 1}
    second, third = ("history_links", 2, "entry_json"), ("history_links", 3, "entry_json")

    def add(name, what, findings, *statements, of=chain, head=None):
        archives.add("archive-" + name, what, findings, *of.statements(), *statements, head=head)

    def no_entry(number):
        return "history.no_entry", "observations", number, "id"

    def replaced(number, **members):
        """The statement that gives an entry other members, and its link."""
        return chain.row(number, canonical({**chain.entries[number - 1], **members}), "REPLACE")

    add("good-history", "an archive with a history, and its head", [], head=chain.head(2))
    add("good-history-extended", "an archive that went on since its head was kept", [], head=chain.head(1))
    add("good-history-withdrawn", "an observation that was withdrawn before the head was kept", [],
        of=Chain(archives).about(3).withdraw(3), head=Chain(archives).about(3).withdraw(3).head(4))
    add("history-entry", "an entry that states another sequence than its row", [("history.entry", *second)], replaced(2, sequence=3))
    add("history-entry-version", "an entry of version 1", [("history.entry", *second)], replaced(2, entry_version=1))
    add("history-entry-replaces", "an entry that says that it replaces the first one", [("history.entry", *third)],
        "INSERT INTO history_links VALUES (3, 3, '%s', '%s')" % (canonical(replacing), sha("hp:v2:history_link:", canonical(replacing))))
    add("history-entry-rows", "a withdrawal that commits to rows of samples", [("history.entry", *third)],
        of=Chain(archives).append({"kind": "withdrawn", "last_ids": {"samples": 2}, "observation": {"hash": "a" * 64, "id": 2},
                                   "rows": {"samples": {"count": 2, "hash": "a" * 64}}}))
    add("history-link", "an entry under another link", [("history.link", "history_links", 2, "link")],
        "UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("a" * 64))
    add("history-previous", "an entry that names another entry before it", [("history.previous", *second)], replaced(2, previous="a" * 64))
    add("history-identity", "an archive with another salt", [("history.identity", "history_links", 1, "entry_json")],
        "UPDATE archive_metadata SET value = '%s' WHERE key = 'history_salt'" % ("6b" * 32))
    add("history-state", "a second entry about an observation", [("history.state", *third)], of=Chain(archives).about(2))
    add("history-state-sealed", "an observation that is sealed and has an entry", [("history.state", *third)], of=Chain(archives).about(2, "sealed"))
    add("history-state-older", "an entry about an observation that is older than the newest", [("history.state", *third)], of=Chain(archives).about(1))
    add("history-state-withdrawn-older", "the withdrawal of an observation that is not the newest", [("history.state", *third)], of=Chain(archives).withdraw(1))
    add("history-state-withdrawn-unknown", "the withdrawal of an observation that never was", [("history.state", *third)], of=Chain(archives).withdraw(7))
    add("history-state-withdrawn-twice", "an observation that is withdrawn twice", [("history.state", "history_links", 5, "entry_json")],
        of=Chain(archives).about(3).withdraw(3).withdraw(3))
    add("history-state-withdrawn-again", "an entry about an observation that was withdrawn", [("history.state", "history_links", 5, "entry_json")],
        of=Chain(archives).about(3).withdraw(3).about(3))
    add("history-state-ids", "an entry that states smaller ids than the one before", [("history.state", *third)],
        of=Chain(archives).append({"kind": "observation", "last_ids": {**LAST_IDS[1], EVENTS: 2}, "observation": {"hash": "a" * 64, "id": 3, **STATED}, "rows": {}}))
    add("history-rows", "a chain that was made at another time than when its entry was made", [("history.rows", "history_links", 1, "entry_json")],
        "UPDATE device_chains SET created_at = created_at + 1")
    add("history-observation", "an observation whose notes changed", [("history.observation", "history_links", 1, "entry_json")],
        "UPDATE observations SET notes = 'changed' WHERE id = 1")
    add("history-observation-missing", "an entry about an observation that is not there", [("history.observation_missing", "history_links", 3, "observation_id")], of=longer)
    add("history-no-entry", "an observation without an entry that is older than the newest entry", [no_entry(1)], of=Chain(archives, observations=(2,)))
    add("history-no-entry-withdrawn", "an observation that was withdrawn and is there", [no_entry(2)], of=Chain(archives).withdraw(2))
    add("history-rewound", "an archive without the last entry of its head", [("history.rewound",)], head=longer.head(3))
    forked = chain.head(2).replace(chain.links[1], longer.links[2])
    add("history-forked", "an archive whose second entry is not that of its head", [("history.forked",)], head=forked)
    add("history-another-archive", "an archive that is not that of the head", [("history.another_archive",)], head=other.head(2))
    add("history-no-entry-type", "a sample type that no observation brought", [("history.no_entry", "sample_types", 9, "id")],
        "INSERT INTO sample_types(id, type_identifier) VALUES (9, 'com.example.added')")
    add("history-no-entry-link", "a relationship without an observation, which counts at every one", [("history.no_entry", "sample_relationships", 9, "id")],
        "INSERT INTO sample_relationships VALUES (9, NULL, 1, 2, 'added', NULL)")
    add("history-unanswered", "an archive whose pages cannot be checked, and a head", [("history.unanswered",)],
        "CREATE INDEX of_another_program ON samples(id) WHERE id > 0", head=chain.head(2))
    add("history-withdrawn-since", "an observation that was withdrawn after the head was kept", [("history.withdrawn_since",)],
        of=Chain(archives).about(3).withdraw(3), head=longer.head(3))


def write(shelves):
    archives = Archives(shelves)
    write_evidence(lambda name, *rest, **more: archives.add("archive-" + name, *rest, **more))
    write_history(archives)
    archives.add("archive-sqlite-log", "a log that is none", [("sqlite.log",)], log="not a log " * 10)
