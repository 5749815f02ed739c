"""Makes the vectors of archives for the checks `evidence` and `history`, and for a log beside an archive.

Like those of generate_archives.py. The hashes of the history are those of the plain one in Tests/reference, which was
written from Spec/history.md alone.
"""

import history as plain
from export_bundle import EXTENSIONS
from generate import canonical, sha
from generate_archives import EVENTS, MADE_AT, RUNS, Archives, short

DAY = 86400
# What was there when each observation ended.
LAST_IDS = ({"device_chains": 1, "metadata_blobs": 2, "observations": 1, EVENTS: 2, "sample_types": 1, "sample_versions": 2, "samples": 2},
            {"device_chains": 1, "metadata_blobs": 2, "observations": 2, EVENTS: 3, "sample_types": 1, "sample_versions": 2, "samples": 2})


def extension(name):
    """The statements that give an archive an extension."""
    text = EXTENSIONS.read_text("utf-8").split("-- extension:%s\n" % name)[1].split("-- extension:")[0]
    text = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    stated = "INSERT INTO archive_metadata VALUES ('extension:%s', '1')" % name
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
    add("evidence-type-set", "a set of types under another hash", [("evidence.type_set", "selected_type_sets", 9, "selected_type_set_hash")],
        "INSERT INTO selected_type_sets(rowid, selected_type_set_hash, types_json) VALUES (9, '%s', '[]')" % ("a" * 64), facts=True)
    add("evidence-withdrawn", "a withdrawn observation that is there", [("evidence.withdrawn", "withdrawn_observations", 2, "observation_id")],
        "INSERT INTO withdrawn_observations VALUES (2, %r, %r)" % (MADE_AT + DAY, MADE_AT + DAY), facts=True)
    add("evidence-rejected", "a rejected record that a run read which rejected none", [("evidence.rejected", "rejected_records", 9, "first_observation_id")],
        "INSERT INTO rejected_records VALUES (9, 1, 1, '%s', 1, 'bad_date', 'line 1', NULL, 1, NULL)" % ("a" * 64), facts=True)
    add("evidence-link-end", "the end of a link that was not there", [("evidence.link_end", "relationship_ends", 9, "observation_id")],
        "INSERT INTO relationship_ends VALUES (9, 2, 1, 1, 'x')", facts=True)


class Chain:
    """The entries of the base, and statements that write them."""

    def __init__(self, archives, made_at="2024-06-01T10:00:00.000Z"):
        self.entries, self.links = [], []
        with archives.filled() as connection:
            history = plain.History(connection)
            chain, = connection.execute("SELECT device_chain_hash FROM device_chains").fetchone()
            archive = sha("hp:v2:history_archive:", canonical({"device_chain_hash": chain, "made_at": made_at}))
            base = {}
            for number, last_ids in enumerate(LAST_IDS, 1):
                rows = {table: history.rows(table, base.get(table), last) for table, last in last_ids.items()}
                self.append({"archive": archive, "kind": "observation", "last_ids": last_ids, "made_at": made_at,
                             "observation": {"hash": history.observation(number), "id": number},
                             "rows": {table: value for table, value in rows.items() if value["count"]}, "tool_version": "synthetic 1"})
                base = last_ids

    def append(self, entry):
        """An entry behind the others, with its place in the chain."""
        entry = {**entry, "sequence": len(self.entries) + 1, **({"previous": self.links[-1]} if self.links else {})}
        self.entries.append(entry)
        self.links.append(sha("hp:v2:history_link:", canonical(entry)))

    def statements(self):
        return [*extension("history"), *(self.row(number, canonical(entry)) for number, entry in enumerate(self.entries, 1))]

    def row(self, number, text, verb="INSERT"):
        return "%s INTO history_links VALUES (%d, %d, '%s', '%s')" % (
            verb, number, self.entries[number - 1]["observation"]["id"], text, sha("hp:v2:history_link:", text))

    def head(self, length):
        return "archive %s\nlength %d\nlink %s\n" % (self.entries[0]["archive"], length, self.links[length - 1])


def write_history(archives):
    chain, longer, other = Chain(archives), Chain(archives), Chain(archives, "2024-06-01T10:00:01.000Z")
    longer.append({**chain.entries[1], "rows": {}, "observation": {"hash": "a" * 64, "id": 3}})
    first, second = ("history_links", 1, "entry_json"), ("history_links", 2, "entry_json")

    def add(name, what, findings, *statements, of=chain, head=None):
        archives.add("archive-" + name, what, findings, *of.statements(), *statements, head=head)

    add("good-history", "an archive with a history, and its head", [], head=chain.head(2))
    add("good-history-extended", "an archive that went on since its head was kept", [], head=chain.head(1))
    add("history-entry", "an entry that states another sequence than its row", [("history.entry", *second)],
        chain.row(2, canonical({**chain.entries[1], "sequence": 3}), "REPLACE"))
    add("history-link", "an entry under another link", [("history.link", "history_links", 2, "link")],
        "UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("a" * 64))
    add("history-previous", "a history without its first entry", [("history.previous", *second)], "DELETE FROM history_links WHERE sequence = 1")
    add("history-rows", "a chain that was made at another time than when its entry was made", [("history.rows", *first)],
        "UPDATE device_chains SET created_at = created_at + 1")
    add("history-observation", "an observation whose notes changed", [("history.observation", *first)], "UPDATE observations SET notes = 'changed' WHERE id = 1")
    add("history-observation-missing", "an entry about an observation that is gone", [("history.observation_missing", "history_links", 3, "observation_id")], of=longer)
    add("history-rewound", "an archive without the last entry of its head", [("history.rewound",)], head=longer.head(3))
    forked = chain.head(2).replace(chain.links[1], longer.links[2])
    add("history-forked", "an archive whose second entry is not that of its head", [("history.forked",)], head=forked)
    add("history-another-archive", "an archive that is not that of the head", [("history.another_archive",)], head=other.head(2))


def write(shelves):
    archives = Archives(shelves)
    write_evidence(lambda name, *rest, **more: archives.add("archive-" + name, *rest, **more))
    write_history(archives)
    archives.add("archive-sqlite-log", "a log that is none", [("sqlite.log",)], log="not a log " * 10)
