"""Makes the vectors of archives: small ones with one fault each, and what a checker finds in them.

The base is captured from a small feed by the plain capture of Tests/reference, which was written from Spec/ alone. Each
fault is a few statements; its code and its place are stated beside it, worked out from Spec/archive-verification.md.
"""

import contextlib
import json
import pathlib
import re
import sqlite3
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests" / "reference")]

import capture as reference  # noqa: E402
import export_bundle  # noqa: E402
from generate import canonical, of_lines, sha  # noqa: E402

SECRET = "healthprobe-secret 1\nsecret " + bytes(range(32)).hex() + "\nchain " + bytes(range(32, 64)).hex() + "\n"
STEPS, RINGS = "HKQuantityTypeIdentifierStepCount", "HKActivitySummaryTypeIdentifier"
PAGE = 512
HEADER_VERSION = struct.pack(">I", 3040001)  # SQLITE_VERSION_NUMBER, so that any SQLite writes the same header
MADE_AT = 1717236000.0  # 2024-06-01T10:00:00Z, in place of clocks


# The base

def step(number, minute, value):
    moment = "2024-05-01T10:%02d:00Z" % minute
    return {"kind": "sample", "sample_type": STEPS, "uuid": "00000000-0000-4000-8000-%012d" % number, "start_date": moment, "end_date": moment,
            "value_kind": "quantity", "numeric_value": value, "unit": "count", "metadata": {"a": number}}


def ring(date, value):
    """The activity summary of a date, as an export of Apple Health gives it."""
    moment = date + "T10:00:00Z"
    return {"kind": "sample", "sample_type": RINGS, "start_date": moment, "end_date": moment, "value_kind": "activity_summary",
            "metadata": {"hp:attribute:activeEnergyBurned": value}}


def observed(day, *records, sample_type=STEPS, zone=("Etc/UTC", 0)):
    """The lines of an observation whose full scan sees these records."""
    return [{"kind": "observation", "observed_at": "2024-06-%02dT10:00:00Z" % day, "trigger_reason": "manual",
             "time_zone_identifier": zone[0], "time_zone_seconds_from_gmt": zone[1]},
            {"kind": "run", "sample_type": sample_type, "mode": "full_scan"}, *records, {"kind": "page", "number": 1},
            {"kind": "run_end", "sample_type": sample_type, "status": "completed"}, {"kind": "observation_end", "status": "completed"}]


BASE = [*observed(1, step(1, 0, 10), step(2, 5, 20)), *observed(2, step(1, 0, 10))]
# Days of the first zone begin after the moment of the same date, days of the second one end before it.
FAR_RINGS = [line for day, zone in ((1, ("Etc/GMT+12", -43200)), (2, ("Etc/GMT-14", 50400)))
             for line in observed(day, ring("2024-04-30", "400"), ring("2024-05-01", "410"), sample_type=RINGS, zone=zone)]


def base_rows(lines):
    """The rows of a captured feed, by table, and its schema."""
    feed = [{"kind": "feed", "format": "healthprobe-feed", "format_version": 1}, *lines]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "secret").write_text(SECRET)
        (folder / "secret").chmod(0o600)
        (folder / "feed").write_text("".join(json.dumps(line) + "\n" for line in feed))
        reference.capture_feed(str(folder / "a"), str(folder / "secret"), str(folder / "feed"))
        with contextlib.closing(sqlite3.connect(folder / "a")) as connection:
            connection.execute("UPDATE schema_migrations SET applied_at = ?", (MADE_AT,))
            connection.execute("UPDATE device_chains SET created_at = ?", (MADE_AT,))
            for table in ("observations", "observation_type_runs"):
                connection.execute("UPDATE %s SET started_at = ?, ended_at = ?" % table, (MADE_AT, MADE_AT))
            listed = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
            tables = [name for name, sql in listed if sql.startswith("CREATE TABLE")]
            rows = {table: connection.execute("SELECT rowid, * FROM %s ORDER BY rowid" % table).fetchall() for table in tables}
            # Indexes are known by their columns, so that short names will do.
            return {name: short(sql).replace(name, "i%d" % number) if name.startswith("idx_") else short(sql)
                    for number, (name, sql) in enumerate(listed)}, rows


def short(sql):
    """A statement without needless blanks."""
    return re.sub(r"\s*([(),])\s*", r"\1", re.sub(r"\s+", " ", sql))


# Parts of faults

NO_RULES = "DELETE FROM archive_metadata WHERE key = 'identity_rules'"
# Without rules nothing demands rows of aggregates, and where there are none, none is compared.
NO_AGGREGATES = (NO_RULES, "DELETE FROM observation_type_summaries", "DELETE FROM daily_type_aggregates")
# Events of another kind: the ranges of the sample are not recomputed from there on.
NOT_RECOMPUTED = (*NO_AGGREGATES, "UPDATE sample_observation_events SET event_kind = 'other'")
THIRD = ("INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) "
         "VALUES (3, %d, %r, '%s', 'manual', 2)")
OTHER_CHAIN = ("INSERT INTO device_chains VALUES (2, '%s', %r, 0)" % ("a" * 64, MADE_AT), THIRD % (2, MADE_AT + 3 * 86400, "failed"))
RUNS = "observation_type_runs"
FIRST_MOMENT, END_OF_TIME = -62135596800, 253402300800  # 0001-01-01T00:00:00Z and 10000-01-01T00:00:00Z
RANGES, EVENTS = "sample_visibility_ranges", "sample_observation_events"


def run_with(value, column):
    return "UPDATE observation_type_runs SET %s = %s WHERE id = 1" % (column, value)


def without(table, *pieces):
    """An edit of the schema: a table without these pieces of its definition."""
    def edit(schema):
        for old in pieces:
            assert schema[table].count(old) == 1, (table, old)
            schema[table] = schema[table].replace(old, "")
        return schema
    return edit


def without_index(name):
    return lambda schema: {other: sql for other, sql in schema.items() if other != name}


def replaced(table, old, new):
    def edit(schema):
        assert schema[table].count(old) == 1, (table, old)
        return {**schema, table: schema[table].replace(old, new)}
    return edit


class Archives:
    """Writes archives of one base."""

    def __init__(self, shelves, lines=BASE):
        self.shelves = shelves
        self.schema, self.rows = base_rows(lines)

    def add(self, name, what, findings, *statements, schema=None, edit=None, facts=False, compared=None, head=None, log=None):
        """One archive. `findings`: code, table, row, column, as far as the code has them. `edit` changes its bytes.

        Where `facts` is given, it has the extension capture_facts. `compared`: what is found where the bundle
        `good-recorded` is compared with it. `head`: that of an archive, `log`: the file `-wal`, both as text.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a")
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
                self.fill(connection, schema, facts)
                for statement in statements:
                    connection.execute(statement)
                connection.execute("COMMIT")
                change = edit and edit(connection)
            data = bytearray(path.read_bytes())
        data[96:100] = HEADER_VERSION
        if change:
            change(data)
        places = ("code", "table", "row", "column")
        found = [{place: value for place, value in zip(places, finding) if value is not None} for finding in findings]
        self.shelves.add_archive(name, what, found, bytes(data), compared=compared, head=head, log=log)

    @contextlib.contextmanager
    def filled(self):
        """A connection to the base."""
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            self.fill(connection, None, False)
            yield connection

    def fill(self, connection, schema, facts):
        """Writes schema and rows of the base, in a transaction that stays open."""
        for pragma in ("page_size = %d" % PAGE, "journal_mode = MEMORY", "foreign_keys = OFF"):
            connection.execute("PRAGMA " + pragma)
        connection.execute("BEGIN")
        known = {name: sql for name, sql in self.schema.items() if facts or not self.is_fact(name)}
        for sql in (schema(known) if schema else known).values():
            connection.execute(sql)
        for table, rows in self.rows.items():
            for row in rows if facts or not self.is_fact(table) else ():
                if not facts and "extension:capture_facts" in row:
                    continue
                columns = [entry[1] for entry in connection.execute("PRAGMA table_info(%s)" % table)]
                connection.execute("INSERT INTO %s(%s) VALUES (%s)" % (table, ", ".join(columns), ", ".join("?" * len(columns))), row[1:])
        if not facts:  # another engine closed the ranges, at the date of its observation
            connection.execute("""UPDATE sample_visibility_ranges SET last_seen_at = (SELECT observed_at FROM observations WHERE id = last_observation_id)
                WHERE last_observation_id IS NOT NULL""")

    def is_fact(self, name):
        return self.schema[name].split("(")[0].split()[-1] in FACTS


FACTS = {"type_run_facts", "observation_facts", "selected_type_sets", "rejected_records", "withheld_closures", "relationship_ends",
         "source_documents", "unknown_elements", "sample_type_origins", "withdrawn_observations", "zone_rules"}


# Faults

def write_schema(add):
    add("archive-schema-column", "a column of another type", [("schema.column", "hk_devices", None, "model")],
        schema=replaced("hk_devices", "model TEXT", "model NUMERIC"))
    add("archive-schema-foreign-key", "a foreign key that is lost", [("schema.foreign_key", "export_items")],
        schema=without("export_items", " REFERENCES samples(id)"))
    add("archive-schema-unique", "a key that is lost", [("schema.unique", EVENTS)],
        schema=without(EVENTS, ",UNIQUE(observation_id,sample_id,event_kind)"))
    add("archive-schema-index", "an index that is lost", [("schema.index", "samples")], schema=without_index("idx_samples_uuid_hash"))
    add("archive-schema-index-partial", "an index that has some rows only", [("schema.index", "samples")],
        schema=lambda schema: {**schema, "idx_samples_uuid_hash": schema["idx_samples_uuid_hash"] + " WHERE id=1"})


def write_values(add):
    add("archive-references-missing-row", "a relationship to a sample that is not there",
        [("references.missing_row", "sample_relationships", 1, "target_sample_id")], "INSERT INTO sample_relationships VALUES (1, 1, 1, 77, 'x', NULL)")
    add("archive-references-both", "a relationship between two samples that are not there",
        [("references.missing_row", "sample_relationships", 1, column) for column in ("source_sample_id", "target_sample_id")],
        "INSERT INTO sample_relationships VALUES (1, 1, 76, 77, 'x', NULL)")
    for name, what, value, column in (
            ("storage-class", "a BLOB for a text", "x'41'", "error_kind"), ("not-finite", "an infinite date", "9e999", "started_at"),
            ("integer-range", "a count of 2^53", "9007199254740992", "verified_visible_count"), ("count", "a negative count", "-1", "inserted_event_count"),
            ("utf8", "a text that is not UTF-8", "CAST(x'61ff' AS TEXT)", "error_kind"),
            ("nul", "a text that holds U+0000", "CAST(x'610062' AS TEXT)", "error_kind"), ("date-range", "a date after the year 9999", "1e300", "started_at"),
            ("hash", "a hash of three digits", "'ABC'", "error_message_hash")):
        add("archive-values-" + name, what, [("values." + name.replace("-", "_"), RUNS, 1, column)], run_with(value, column))
    for name, moment in (("before-year-1", FIRST_MOMENT - 1), ("year-10000", END_OF_TIME)):
        add("archive-values-date-" + name, "a date that is just outside of the years 1 to 9999", [("values.date_range", RUNS, 1, "started_at")], run_with(moment, "started_at"))
    add("archive-good-dates", "the first date of the year 1 and the last millisecond of the year 9999", [], NO_RULES, *NO_AGGREGATES[1:], run_with(FIRST_MOMENT, "started_at"), run_with(END_OF_TIME - 0.001, "ended_at"))
    add("archive-values-null", "no value where there must be one, in a table that lost its NOT NULL",
        [("schema.column", RUNS, None, "inserted_event_count"), ("values.null", RUNS, 1, "inserted_event_count")],
        run_with("NULL", "inserted_event_count"), schema=replaced(RUNS, "inserted_event_count INTEGER NOT NULL DEFAULT 0", "inserted_event_count INTEGER"))
    add("archive-values-dates", "a bucket that ends before it starts, of an observation that still runs",
        [("values.dates", "daily_type_aggregates", 1, "bucket_end")], *NO_AGGREGATES, THIRD % (1, MADE_AT + 3 * 86400, "running"),
        "INSERT INTO daily_type_aggregates VALUES (3, 1, 2, 1, 0, NULL, NULL, NULL, 'x')")
    add("archive-values-word", "a status that is not known", [("values.word", "observations", 1, "status")],
        "UPDATE observations SET status = 'finished' WHERE id = 1")
    text = '{"a":1,"a":2}'
    add("archive-values-metadata", "metadata with a repeated key", [("values.metadata", "metadata_blobs", 3, "metadata_json")],
        "INSERT INTO metadata_blobs VALUES (3, '%s', '%s')" % (sha("hp:v2:metadata:", text), text))


def write_manifests(add):
    question = '{"filter":{},"generator":{"name":"synthetic","version":"1"},"scope":{"mode":"point_in_time","observation_id":2}}'

    def recorded(manifest_hash_="0" * 64, count=0, filter_=question, from_="NULL"):
        return "INSERT INTO export_manifests VALUES (1, 'x', %r, 'recovery_bundle', %s, 2, '%s', '%s', %d)" % (MADE_AT, from_, filter_, manifest_hash_, count)

    table = "export_manifests"
    add("archive-manifests-manifest-hash", "a recorded manifest hash in capitals", [("manifests.manifest_hash", table, 1, "manifest_hash")], recorded("F" * 64))
    add("archive-manifests-item-hash", "a recorded item hash of one digit", [("manifests.item_hash", "export_items", 1, "item_hash")], recorded(count=1),
        "INSERT INTO export_items VALUES (1, 1, 1, 'x')")
    add("archive-manifests-filter", "a recorded question with a repeated key", [("manifests.filter", table, 1, "filter_json")], recorded(filter_='{"a":1,"a":2}'))
    add("archive-exports-question", "a record of changes that hp-export made, without the observation before", [("exports.question", table, 1, "filter_json")],
        recorded(filter_=question.replace("synthetic", "hp-export").replace("point_in_time", "changes")))
    add("archive-manifests-other-chain", "an export between two chains", [("manifests.other_chain", table, 1, "from_observation_id")], *OTHER_CHAIN, recorded(from_="3"))


def write_ranges(add):
    first = "UPDATE sample_visibility_ranges SET %s WHERE rowid = 1"
    add("archive-ranges-observation-order", "an observation that is dated before the one before it", [("ranges.observation_order", "observations", 3, "observed_at")],
        *NO_AGGREGATES, THIRD % (1, 1.0, "failed"))
    add("archive-good-same-moment", "an observation that is dated as the one before it", [], *NO_AGGREGATES, THIRD % (1, MADE_AT + 86400, "failed"))
    add("archive-ranges-inverted", "a range that ends before it begins", [("ranges.inverted", RANGES, 1, "last_observation_id")], *NOT_RECOMPUTED,
        first % "first_observation_id = 2, last_observation_id = 1, last_seen_at = first_seen_at")
    add("archive-ranges-other-chain", "a range that ends on another chain", [("ranges.other_chain", RANGES, 1, "last_observation_id")], *NOT_RECOMPUTED,
        *OTHER_CHAIN, first % "last_observation_id = 3, last_seen_at = first_seen_at")
    add("archive-ranges-end", "a date of an end that is not there", [("ranges.end", RANGES, 1, "last_seen_at")], *NOT_RECOMPUTED, first % "last_seen_at = first_seen_at")
    add("archive-ranges-end-without-date", "an end without its date", [("ranges.end", RANGES, 2, "last_seen_at")], *NOT_RECOMPUTED,
        "UPDATE sample_visibility_ranges SET last_seen_at = NULL WHERE rowid = 2")
    add("archive-ranges-version", "a range of a version of another sample", [("ranges.version", RANGES, 1, "version_id")], *NOT_RECOMPUTED, first % "version_id = 2")
    add("archive-ranges-open-twice", "a second open range", [("ranges.open_twice", RANGES, 3, "last_observation_id")], *NOT_RECOMPUTED,
        "INSERT INTO sample_visibility_ranges VALUES (1, NULL, 2, NULL, %r, NULL)" % MADE_AT)
    add("archive-ranges-overlap", "a range that begins before the one before it ends", [("ranges.overlap", RANGES, 3, "first_observation_id")], *NOT_RECOMPUTED,
        THIRD % (1, MADE_AT + 3 * 86400, "failed"), "UPDATE sample_visibility_ranges SET last_observation_id = 3 WHERE rowid = 2",
        "INSERT INTO sample_visibility_ranges VALUES (2, NULL, 2, 3, %r, %r)" % (MADE_AT, MADE_AT))
    behind = "INSERT INTO sample_visibility_ranges VALUES (1, NULL, %s, %s, %r, %s)"
    add("archive-ranges-overlap-open", "a range that ends, behind an open one", [("ranges.overlap", RANGES, 3, "first_observation_id")], *NOT_RECOMPUTED,
        THIRD % (1, MADE_AT + 3 * 86400, "failed"), behind % (2, 3, MADE_AT, MADE_AT))
    add("archive-ranges-open-before", "an open range, and behind it one that ends and another open one",
        [("ranges.overlap", RANGES, 3, "first_observation_id"), ("ranges.open_twice", RANGES, 4, "last_observation_id")], *NOT_RECOMPUTED,
        THIRD % (1, MADE_AT + 3 * 86400, "failed"), behind % (2, 3, MADE_AT, MADE_AT), behind % (3, "NULL", MADE_AT, "NULL"))
    add("archive-ranges-event", "a record that appears while it is visible", [("ranges.event", EVENTS, 4, "event_kind")], *NO_AGGREGATES,
        "INSERT INTO sample_observation_events VALUES (4, 2, 1, 1, 'appeared', %r, 'full_scan')" % (MADE_AT + 86400))
    add("archive-ranges-missing", "an event that begins a range which is not stored", [("ranges.missing", EVENTS, 2)], *NO_AGGREGATES,
        "DELETE FROM sample_visibility_ranges WHERE rowid = 2")
    add("archive-ranges-no-event", "a range that no event begins", [("ranges.no_event", RANGES, 1)], *NO_AGGREGATES, "DELETE FROM sample_observation_events WHERE id = 1")
    add("archive-ranges-end-differs", "an open range whose record disappeared", [("ranges.end_differs", RANGES, 2, "last_observation_id")], *NO_AGGREGATES,
        "UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL WHERE rowid = 2")
    add("archive-ranges-times", "a range that begins at another date than its event", [("ranges.times", RANGES, 1, "first_seen_at")], *NO_AGGREGATES,
        first % "first_seen_at = first_seen_at + 1")
    add("archive-ranges-times-end", "a range that ends at another date than its event", [("ranges.times", RANGES, 2, "last_seen_at")], *NO_AGGREGATES,
        "UPDATE sample_visibility_ranges SET last_seen_at = last_seen_at + 1 WHERE rowid = 2")
    add("archive-good-two-chains", "a record that two chains have, and that ended on none", [], *NO_AGGREGATES, *OTHER_CHAIN,
        "INSERT INTO observation_type_runs SELECT 3, 3, sample_type_id, status, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL FROM observation_type_runs WHERE id = 2",
        "INSERT INTO sample_observation_events VALUES (4, 3, 1, 1, 'appeared', %r, 'full_scan')" % (MADE_AT + 3 * 86400),
        "INSERT INTO sample_visibility_ranges VALUES (1, 1, 3, NULL, %r, NULL)" % (MADE_AT + 3 * 86400))


def write_identities(add):
    add("archive-identities-uuid", "two samples with one UUID hash", [("identities.uuid", "samples", 2, "sample_uuid_hash")],
        "UPDATE samples SET sample_uuid_hash = (SELECT sample_uuid_hash FROM samples WHERE id = 1) WHERE id = 2")
    add("archive-identities-fingerprint", "two samples with one strict fingerprint, in a table that lost its key",
        [("schema.unique", "samples"), ("identities.fingerprint", "samples", 2, "strict_fingerprint")], NO_RULES,
        "UPDATE samples SET strict_fingerprint = (SELECT strict_fingerprint FROM samples WHERE id = 1) WHERE id = 2",
        schema=without("samples", ",UNIQUE(sample_type_id,strict_fingerprint)"))
    add("archive-identities-type-twin", "two types that are equal after normalization", [("identities.type_twin", "sample_types", 3, "type_identifier")],
        "INSERT INTO sample_types VALUES (2, 'com.example.caf\u00e9', NULL, NULL), (3, 'com.example.cafe\u0301', NULL, NULL)")
    add("archive-identities-duplicate-row", "a source revision twice, which NULL lets repeat",
        [("identities.duplicate_row", "source_revisions", 3, "source_id, product_type, version, operating_system_version")],
        "INSERT INTO sources VALUES (1, NULL, NULL)", "INSERT INTO source_revisions VALUES (2, 1, NULL, NULL, NULL), (3, 1, NULL, NULL, NULL)")
    add("archive-identities-metadata-hash", "metadata under another hash", [("identities.metadata_hash", "metadata_blobs", 3, "metadata_hash")],
        "INSERT INTO metadata_blobs VALUES (3, '%s', '{}')" % ("0" * 64))
    add("archive-identities-payload-hash", "a version with a device that its hash does not have", [("identities.payload_hash", "sample_versions", 1, "payload_hash")],
        "INSERT INTO hk_devices(id, model) VALUES (1, 'Synthetic1,1')", "UPDATE sample_versions SET hk_device_id = 1 WHERE id = 1",
        compared=[{"code": "archive.export_unknown"}])
    add("archive-identities-strict-fingerprint", "a sample under another fingerprint", [("identities.strict_fingerprint", "samples", 1, "strict_fingerprint")],
        "UPDATE samples SET strict_fingerprint = '%s' WHERE id = 1" % ("c" * 64))
    add("archive-identities-semantic-fingerprint", "a sample under another semantic fingerprint", [("identities.semantic_fingerprint", "samples", 1, "semantic_fingerprint")],
        "UPDATE samples SET semantic_fingerprint = '%s' WHERE id = 1" % ("c" * 64))
    add("archive-identities-fuzzy-key", "a sample with another fuzzy key", [("identities.fuzzy_key", "samples", 1, "fuzzy_key")],
        "UPDATE samples SET fuzzy_key = 'q:0' WHERE id = 1")


def write_aggregates(add):
    add("archive-aggregates-summary", "a summary that counts a record more", [("aggregates.summary", "observation_type_summaries", 1, "visible_record_count")], NO_RULES,
        "UPDATE observation_type_summaries SET visible_record_count = 3 WHERE rowid = 1")
    for name, what, column, value in (("start", "a summary that begins later", "earliest_start_date", "earliest_start_date + 1"),
                                      ("end", "a summary that ends later", "latest_end_date", "latest_end_date + 1"), ("sum", "a summary without the sum of its records", "value_sum", "NULL")):
        add("archive-aggregates-summary-" + name, what, [("aggregates.summary", "observation_type_summaries", 1, column)], NO_RULES,
            "UPDATE observation_type_summaries SET %s = %s WHERE rowid = 1" % (column, value))
    add("archive-aggregates-bucket", "a bucket that counts a record more", [("aggregates.bucket", "daily_type_aggregates", 1, "visible_record_count")], NO_RULES,
        "UPDATE daily_type_aggregates SET visible_record_count = 3 WHERE rowid = 1")
    add("archive-aggregates-missing", "a summary that is not there", [("aggregates.missing", "observation_type_summaries")],
        "DELETE FROM observation_type_summaries WHERE rowid = 1")
    add("archive-aggregates-hash", "a summary under another hash", [("aggregates.hash", "observation_type_summaries", 1, "aggregate_hash")],
        "UPDATE observation_type_summaries SET aggregate_hash = '%s' WHERE rowid = 1" % ("d" * 64))
    add("archive-aggregates-type-state", "a state that the runs do not give", [("aggregates.type_state", "type_run_facts", 2, "state")],
        "UPDATE type_run_facts SET state = 'unknown' WHERE type_run_id = 2", facts=True)


def write_rings(add):
    add("archive-good-rings", "activity summaries of two dates, with the zone at -12:00 and then at +14:00", [], facts=True)
    add("archive-aggregates-rings", "an activity summary in the bucket that holds its moment, a day before its date",
        [("aggregates.bucket", "daily_type_aggregates", 1, "visible_record_count")], NO_RULES, "DELETE FROM daily_type_aggregates WHERE rowid <> 1",
        "UPDATE daily_type_aggregates SET bucket_start = bucket_start - 86400, bucket_end = bucket_end - 86400", facts=True)


def write_files(add):
    # It never recorded the export, and gives its items.
    add("archive-good", "an archive of two observations", [], compared=[])
    # The index of a table is that of no row: its page has no cell any more.
    def emptied(connection):
        root, = connection.execute("SELECT rootpage FROM sqlite_schema WHERE sql LIKE '%(start_date,end_date)'").fetchone()

        def edit(data):
            at = (root - 1) * PAGE
            data[at:at + PAGE] = bytes([10, 0, 0, 0, 0, PAGE >> 8, PAGE & 255, 0]) + bytes(PAGE - 8)
        return edit

    def of_zeros(connection):
        root, = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'metadata_blobs'").fetchone()

        def edit(data):
            data[(root - 1) * PAGE:root * PAGE] = bytes(PAGE)
        return edit

    add("archive-sqlite-integrity", "an index without entries", [("sqlite.integrity",)], edit=emptied)
    add("archive-sqlite-unreadable", "a table whose page has only zeros", [("sqlite.integrity",), ("sqlite.unreadable",)], edit=of_zeros)


class Recorded:
    """The export of the first observation, as the plain export writes it and as an archive records it."""

    def __init__(self, archives):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a")
            with archives.filled() as connection:
                connection.execute("COMMIT")
                connection.execute("VACUUM INTO ?", (str(path),))
            self.lines = export_bundle.bundle_text(str(path), at=1).splitlines()
        header, *items, last = map(json.loads, self.lines)
        export = header["export"]
        question = canonical({name: export[name] for name in ("filter", "generator", "scope")})
        self.statements = ["INSERT INTO export_manifests VALUES (1, '%s', %r, 'recovery_bundle', NULL, 1, '%s', '%s', %d)" % (
            export["export_id"], MADE_AT, question, last["manifest_hash"], len(items))]
        # Samples and versions have the numbers of their items.
        self.statements += ["INSERT INTO export_items VALUES (1, %d, %d, '%s')" % (number, number, item["item_hash"])
                            for number, item in enumerate(items, 1)]


def write_exports(archives):
    recorded = Recorded(archives)
    archives.shelves.add("good-recorded", ".jsonl.zst", "bundle", "the export that archives of archives.json recorded", "", of_lines(recorded.lines))
    table = "export_manifests"
    counted = ("manifests.record_count", table, 1, "record_count")

    def add(name, what, findings, *statements, compared):
        archives.add("archive-" + name, what, findings, *recorded.statements, *statements,
                     compared=[dict(zip(("code", "line"), finding)) for finding in compared])

    add("manifests-record-count", "a recorded count of an item more", [counted], "UPDATE export_manifests SET record_count = 3",
        compared=[("archive.record_count",)])
    add("exports-header", "an observation whose notes changed after its export", [("exports.header", table, 1, "export_id")],
        "UPDATE observations SET notes = 'changed' WHERE id = 1", compared=[("archive.evidence_header",)])
    add("exports-manifest-hash", "an export under another manifest hash", [("exports.manifest_hash", table, 1, "manifest_hash")],
        "UPDATE export_manifests SET manifest_hash = '%s'" % ("0" * 64), compared=[("archive.manifest_hash",)])
    add("exports-item-unknown", "an item that was not recorded", [("exports.item_unknown", "export_items"), counted],
        "DELETE FROM export_items WHERE rowid = 1", compared=[("archive.item_unknown", 2)])
    add("exports-item-absent", "a recorded item that the archive does not give", [("exports.item_absent", "export_items"), counted],
        "INSERT INTO export_items VALUES (1, 2, NULL, '%s')" % ("0" * 64), compared=[("archive.item_absent",)])
    add("exports-item-hash", "an item under another hash", [("exports.item_hash", "export_items")],
        "UPDATE export_items SET item_hash = '%s' WHERE rowid = 1" % ("0" * 64), compared=[("archive.item_hash", 2)])
    add("evidence-changed", "a sample that has another key than when it was exported", [("exports.item_hash", "export_items"), ("identities.fuzzy_key", "samples", 1, "fuzzy_key")],
        "UPDATE samples SET fuzzy_key = 'changed' WHERE id = 1", compared=[("archive.evidence_changed", 2)])
    add("evidence-unknown", "a range that is gone",
        [("ranges.missing", EVENTS, 2), ("aggregates.summary", "observation_type_summaries", 1, "visible_record_count"),
         ("aggregates.bucket", "daily_type_aggregates", 1, "visible_record_count"), ("exports.item_absent", "export_items")],
        "DELETE FROM sample_visibility_ranges WHERE rowid = 2", compared=[("archive.evidence_unknown", 3)])
    add("evidence-absent", "a second range, without a version",
        [("ranges.overlap", RANGES, 2, "first_observation_id"), ("ranges.no_event", RANGES, 3), ("exports.item_unknown", "export_items")],
        "INSERT INTO sample_visibility_ranges VALUES (2, NULL, 1, 2, %r, %r)" % (MADE_AT, MADE_AT + 86400), compared=[("archive.evidence_absent",)])
    add("good-export-kind", "an export of a kind that only another tool has", [], "UPDATE export_manifests SET export_kind = 'backup', "
        "filter_json = replace(filter_json, '\"name\":\"hp-export\"', '\"name\":\"other\"')",
        compared=[("archive.scope",), ("archive.scope",)])


def write(shelves):
    archives = Archives(shelves)
    for write_part in (write_files, write_schema, write_values, write_manifests, write_ranges, write_identities, write_aggregates):
        write_part(archives.add)
    write_rings(Archives(shelves, FAR_RINGS).add)
    write_exports(archives)
