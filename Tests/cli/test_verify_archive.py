"""hp-verify archive: one fault per case and its exact codes, files that are damaged, archives of other engines, and that it agrees with the plain checks in Tests/reference."""

import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import histories
import jsonschema
from capture_support import HEART_RATE, STEPS, CaptureCase, findings
from support import (
    FIXTURES, PATIENCE, ROOT, database, execute, has_open, hp_export, hp_verify, query, start, takes_long, trace_of,
    vectors,
)

CHECKS = ["sqlite", "schema", "references", "values", "manifests", "evidence", "ranges", "identities", "aggregates", "exports", "history"]
RESULT = jsonschema.Draft202012Validator(json.loads((ROOT / "Spec" / "schemas" / "verify-archive-result.json").read_text(encoding="utf-8")))
TABLE = json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))["codes"]
PLACES = {entry["code"]: [place["place"] for place in entry["places"]] for entry in TABLE}

# What tells a test that a finding is among those that the plain checks look for.
REBUILT = {"ranges.missing", "ranges.no_event", "ranges.end_differs", "ranges.times", "identities.metadata_hash", "identities.payload_hash",
           "identities.strict_fingerprint", "identities.semantic_fingerprint", "identities.fuzzy_key", "aggregates.summary", "aggregates.bucket", "aggregates.missing", "aggregates.hash"}


class ArchiveCase(CaptureCase):
    """A test with copies of an archive that was captured from the fixtures' two months, with two recorded exports."""

    _base = None

    def base(self, to="base.sqlite"):
        if ArchiveCase._base is None:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="hp-cli-base."))
            unittest.addModuleCleanup(ArchiveCase._forget, folder)
            path = folder / "base.sqlite"
            for month in ("month-0.xml", "month-1.xml"):
                self.assert_good(hp_export("capture", path, "--apple-health", FIXTURES / "apple-health" / month, "--secret", self.secret, "--quiet"))
            self.assert_good(hp_export("bundle", path, "-o", folder / "all.zst"))
            self.assert_good(hp_export("bundle", path, "-o", folder / "steps.zst", "--type", STEPS, "--since", "2000-01-01"))
            execute(path, "PRAGMA journal_mode = DELETE")
            ArchiveCase._base = path
        path = self.folder / to
        pathlib.Path(str(path) + "-wal").unlink(missing_ok=True)
        shutil.copyfile(ArchiveCase._base, path)
        return path

    @staticmethod
    def _forget(folder):
        ArchiveCase._base = None
        shutil.rmtree(folder)

    def verify(self, path, *options):
        """The object of --json, which must fit its schema; the folder must be as it was."""
        before = trace_of(path.parent)
        result = hp_verify("archive", path, "--json", *options)
        self.assertIn(result.status, (0, 1), result)
        self.assertEqual(result.err, "")
        self.assertEqual(trace_of(path.parent), before)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in RESULT.iter_errors(value)], [])
        self.assertEqual(result.status, 0 if value["result"] == "ok" else 1)
        self.assertEqual(value["result"] == "ok", not value["findings"])
        return value

    def codes(self, path, *options):
        """The codes of all findings, each of which has the places that the table states."""
        findings = self.verify(path, *options)["findings"]
        for finding in findings:
            places = [place for place in ("table", "row", "column") if place in finding]
            self.assertEqual(places, PLACES[finding["code"]], finding)
        return {finding["code"] for finding in findings}


def rebuild(connection, table, edit):
    """Makes a table anew with another definition and the same rows and indexes."""
    sql = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    indexes = [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type = 'index' AND sql IS NOT NULL", (table,))]
    changed = edit(sql)
    assert changed != sql, "the definition is as it was"
    connection.executescript("PRAGMA legacy_alter_table = ON; ALTER TABLE %s RENAME TO old" % table)
    connection.executescript("%s; INSERT INTO %s SELECT * FROM old; DROP TABLE old; %s" % (changed, table, ";".join(indexes)))


def without(*pieces):
    def edit(sql):
        for piece in pieces:
            assert piece in sql, piece
            sql = sql.replace(piece, "", 1)
        return sql
    return edit


def rebuilt(table, *pieces):
    return lambda connection: rebuild(connection, table, without(*pieces))


VISIBLE = "SELECT version_id FROM sample_visibility_ranges JOIN sample_versions ON id = version_id WHERE last_observation_id IS NULL AND numeric_value IS NOT NULL"
OPEN = "(SELECT min(r.rowid) FROM sample_visibility_ranges r JOIN samples s ON s.id = sample_id JOIN sample_types t ON t.id = sample_type_id WHERE last_observation_id IS NULL AND first_observation_id = %d AND type_identifier = '" + HEART_RATE + "')"
MOMENT = "(SELECT observed_at FROM observations WHERE id = %d)"
OLD_RUN = "(SELECT min(id) FROM observation_type_runs WHERE observation_id = 1)"
TWINS = "INSERT INTO sample_types(type_identifier) VALUES ('com.example.caf\u00e9'), ('com.example.cafe\u0301')"
GONE = {"aggregates.summary", "aggregates.bucket"}
# Of the first type, that its runs rejected records; and a record without a start date of it, with both observations.
REJECTING = "UPDATE observation_type_runs SET error_kind = 'rejected_records' WHERE sample_type_id = 1"
REJECTED = "INSERT INTO rejected_records VALUES (1, 1, 1, '%s', 1, 'bad_date', 'line 1', NULL, %%s)" % ("a" * 64)
# A sample that both observations saw, related to itself, and the end of that.
STAYING = "(SELECT min(sample_id) FROM sample_visibility_ranges WHERE first_observation_id = 1 AND last_observation_id IS NULL)"
GONE_SAMPLE = "(SELECT min(sample_id) FROM sample_visibility_ranges r WHERE last_observation_id = 2 AND NOT EXISTS (SELECT 1 FROM sample_visibility_ranges n WHERE n.sample_id = r.sample_id AND n.last_observation_id IS NULL))"
LINK = "INSERT INTO sample_relationships VALUES (NULL, %%d, %s, %s, 'x', NULL)" % (STAYING, STAYING)
LINK_END = "INSERT INTO relationship_ends VALUES (1, 2, %s, %s, 'x')" % (STAYING, STAYING)

# Name, what is done to the archive, and the exact codes.
FAULTS = [
    ("schema: index lost", ["DROP INDEX idx_samples_uuid_hash"], {"schema.index"}),
    ("schema: foreign key lost", rebuilt("export_items", " REFERENCES samples(id)"), {"schema.foreign_key"}),
    ("schema: key lost", rebuilt("sample_observation_events", ",\n    UNIQUE(observation_id, sample_id, event_kind)"), {"schema.unique"}),
    ("schema: NOT NULL lost", rebuilt("export_manifests", " NOT NULL"), {"schema.column"}),
    ("schema: type changed", lambda c: rebuild(c, "sources", lambda sql: sql.replace("bundle_identifier TEXT", "bundle_identifier NUMERIC")), {"schema.column"}),
    ("schema: collation", lambda c: rebuild(c, "device_chains", lambda sql: sql.replace("device_chain_hash TEXT NOT NULL UNIQUE", "device_chain_hash TEXT NOT NULL COLLATE NOCASE UNIQUE")), {"schema.unique"}),
    ("schema: more than asked for", ["CREATE TABLE more(x)", "ALTER TABLE samples ADD COLUMN more", "CREATE UNIQUE INDEX more_index ON sources(id)", "CREATE VIEW v AS SELECT 1"], set()),
    ("schema: a key of an extension lost", rebuilt("rejected_records", ",\n    UNIQUE(device_chain_id, content_hash, first_observation_id)"), {"schema.unique"}),
    ("schema: tables of an extension that is not stated", ["DELETE FROM archive_metadata WHERE key = 'extension:capture_facts'", "DROP TABLE source_documents"], {"exports.header"}),
    ("references: an extension", ["INSERT INTO source_documents VALUES (1, 1, 'x', NULL, '%s', 1, '%s', 77, NULL)" % ("a" * 64, "b" * 64)], {"references.missing_row"}),
    ("values: a hash of an extension", ["INSERT INTO source_documents VALUES (1, 1, 'x', NULL, 'name', 1, '%s', 1, NULL)" % ("b" * 64)], {"values.hash"}),
    ("values: a list of types", ["INSERT INTO selected_type_sets VALUES ('%s', '[ ]')" % ("a" * 64)], {"values.metadata", "evidence.type_set"}),
    ("values: an object for a list of types", ["INSERT INTO selected_type_sets VALUES ('%s', '{}')" % ("a" * 64)], {"values.metadata", "evidence.type_set"}),
    ("references: device", ["UPDATE sample_versions SET hk_device_id = 99999 WHERE id = (SELECT min(version_id) FROM (%s) WHERE version_id IN (SELECT id FROM sample_versions WHERE hk_device_id IS NOT NULL))" % VISIBLE],
     {"references.missing_row", "exports.item_hash"}),
    ("references: undeclared", ["UPDATE daily_type_aggregates SET source_revision_id = 99999 WHERE rowid = (SELECT max(rowid) FROM daily_type_aggregates WHERE source_revision_id IS NOT NULL AND visible_record_count > 0)"],
     {"references.missing_row", "aggregates.bucket", "aggregates.hash", "aggregates.missing"}),
    ("references: an item of no export", ["INSERT INTO export_items VALUES (99, 1, 1, '%s')" % ("0" * 64)], {"references.missing_row"}),
    ("references: relationship", ["INSERT INTO sample_relationships VALUES (NULL, 1, 1, 9223372036854775807, 'x', NULL)"], {"references.missing_row", "exports.item_hash"}),
    ("values: unknown status", ["UPDATE observations SET status = 'finished' WHERE id = 1"], {"values.word", "evidence.logged_status"}),
    ("values: unknown status of a run", ["UPDATE observation_type_runs SET status = 'done' WHERE id = " + OLD_RUN], {"values.word", "evidence.status", "aggregates.type_state"}),
    ("values: unknown kind of evidence", ["UPDATE sample_observation_events SET evidence_kind = 'rumour' WHERE id = 1"], {"values.word"}),
    ("values: BLOB for text", ["UPDATE observation_type_runs SET error_kind = x'414243' WHERE id = " + OLD_RUN], {"values.storage_class"}),
    ("values: text in REAL", ["UPDATE observation_type_runs SET started_at = 'soon' WHERE id = " + OLD_RUN], {"values.storage_class"}),
    ("values: REAL in INTEGER", ["UPDATE observation_type_runs SET deleted_event_count = 0.5 WHERE id = " + OLD_RUN], {"values.storage_class"}),
    ("values: infinity", ["UPDATE observation_type_runs SET started_at = 9e999 WHERE id = " + OLD_RUN], {"values.not_finite"}),
    ("values: date out of range", ["UPDATE observation_type_runs SET started_at = 1e300 WHERE id = " + OLD_RUN], {"values.date_range"}),
    ("values: negative count", ["UPDATE observation_type_runs SET inserted_event_count = -1 WHERE id = " + OLD_RUN], {"values.count"}),
    ("values: large integer", ["UPDATE observation_type_runs SET inserted_event_count = 9007199254740992 WHERE id = " + OLD_RUN], {"values.integer_range", "evidence.run_counts"}),
    ("values: bad UTF-8", ["UPDATE observation_type_runs SET error_kind = CAST(x'61ff' AS TEXT) WHERE id = " + OLD_RUN], {"values.utf8"}),
    ("values: NUL in text", ["UPDATE observation_type_runs SET error_kind = CAST(x'610062' AS TEXT) WHERE id = " + OLD_RUN], {"values.nul"}),
    ("values: hash", ["UPDATE observation_type_runs SET error_message_hash = 'ABC' WHERE id = " + OLD_RUN], {"values.hash"}),
    ("values: NULL", lambda c: (rebuild(c, "observation_type_runs", without(" NOT NULL DEFAULT 0")), c.execute("UPDATE observation_type_runs SET inserted_event_count = NULL WHERE id = " + OLD_RUN)),
     {"schema.column", "values.null"}),
    ("values: end before start", ["UPDATE sample_versions SET end_date = start_date - 1 WHERE id = (SELECT min(version_id) FROM (%s))" % VISIBLE], {"identities.payload_hash", "exports.item_hash"}),
    ("values: a bucket's end before its start", ["UPDATE daily_type_aggregates SET bucket_end = bucket_start - 1 WHERE rowid = (SELECT max(rowid) FROM daily_type_aggregates WHERE source_revision_id IS NOT NULL AND visible_record_count > 0)"],
     {"values.dates", "aggregates.bucket", "aggregates.hash", "aggregates.missing"}),
    ("values: metadata with white space", ["UPDATE metadata_blobs SET metadata_json = ' ' || metadata_json WHERE id = (SELECT min(metadata_id) FROM sample_versions WHERE id IN (%s))" % VISIBLE],
     {"values.metadata", "identities.metadata_hash", "exports.item_hash"}),
    ("values: metadata with a repeated key", ["INSERT INTO metadata_blobs VALUES (900, '%s', '{\"a\":1,\"a\":2}')" % hashlib.sha256(b'hp:v2:metadata:{"a":1,"a":2}').hexdigest()], {"values.metadata"}),
    ("values: metadata that are a list", ["INSERT INTO metadata_blobs VALUES (900, '%s', '[]')" % hashlib.sha256(b"hp:v2:metadata:[]").hexdigest()], {"values.metadata"}),
    ("values: 60 MB of text", ["UPDATE observation_type_runs SET error_kind = printf('%.*c', 60000000, 'x') WHERE id = " + OLD_RUN], set()),
    ("values: odd row ids", ["INSERT INTO sources VALUES (0, NULL, NULL), (-7, NULL, NULL), (9223372036854775807, NULL, '=cmd()\n')"], set()),
    ("manifests: manifest hash in capitals", ["UPDATE export_manifests SET manifest_hash = upper(manifest_hash) WHERE id = 1"], {"manifests.manifest_hash", "exports.manifest_hash"}),
    ("manifests: another manifest hash", ["UPDATE export_manifests SET manifest_hash = '%s' WHERE id = 1" % ("0" * 64)], {"exports.manifest_hash"}),
    ("manifests: item hash", ["UPDATE export_items SET item_hash = 'x' WHERE rowid = 1"], {"manifests.item_hash", "exports.item_hash"}),
    ("manifests: record count", ["UPDATE export_manifests SET record_count = record_count + 1 WHERE id = 1"], {"manifests.record_count"}),
    ("manifests: repeated key", ["UPDATE export_manifests SET filter_json = '{\"a\":1,\"a\":2}' WHERE id = 1"], {"manifests.filter"}),
    ("manifests: deep filter", ["UPDATE export_manifests SET filter_json = '%s' WHERE id = 1" % ("[" * 20000)], {"manifests.filter"}),
    ("manifests: filter with white space", ["UPDATE export_manifests SET filter_json = filter_json || ' ' WHERE id = 1"], {"manifests.filter", "exports.question"}),
    ("manifests: id with a NUL", ["UPDATE export_manifests SET export_id = CAST(CAST(export_id AS BLOB) || x'00' AS TEXT) WHERE id = 1"], {"values.nul", "exports.header"}),
    ("manifests: two chains", ["INSERT INTO device_chains VALUES (9, '%s', 1, 0)" % ("a" * 64), "INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (50, 9, 1, 'failed', 'x', 2)",
                                "UPDATE export_manifests SET from_observation_id = 50 WHERE id = 1"], {"manifests.other_chain", "exports.question"}),
    ("exports: an item dropped", ["DELETE FROM export_items WHERE rowid = 1"], {"manifests.record_count", "exports.item_unknown"}),
    ("exports: an item more", ["INSERT INTO export_items VALUES (1, 1, NULL, '%s')" % ("0" * 64)], {"manifests.record_count", "exports.item_absent"}),
    ("exports: two items swapped", ["UPDATE export_items SET item_hash = CASE rowid WHEN 1 THEN (SELECT item_hash FROM export_items WHERE rowid = 2) ELSE (SELECT item_hash FROM export_items WHERE rowid = 1) END WHERE rowid IN (1, 2)"], {"exports.item_hash"}),
    ("exports: header", ["UPDATE observations SET notes = 'changed' WHERE id = 2"], {"exports.header"}),
    ("exports: a type learned later", ["INSERT INTO sample_types(type_identifier) VALUES ('com.example.later'), ('HKQuantityTypeIdentifierAAA')"], set()),
    ("exports: another kind", ["UPDATE export_manifests SET export_kind = 'record_table' WHERE id = 1"], {"exports.header"}),
    ("exports: a kind of another tool", ["UPDATE export_manifests SET export_kind = 'backup', filter_json = replace(filter_json, 'hp-export', 'other') WHERE id = 1"], set()),
    ("exports: a kind that hp-export does not make", ["UPDATE export_manifests SET export_kind = 'backup', manifest_hash = '%s' WHERE id = 1" % ("0" * 64)], {"exports.question"}),
    ("exports: changes without the observation before", ["UPDATE export_manifests SET export_kind = 'diff_report', filter_json = replace(filter_json, 'point_in_time', 'changes') WHERE id = 1"], {"exports.question"}),
    ("exports: made by another version", ["UPDATE export_manifests SET filter_json = replace(filter_json, '\"version\":\"', '\"version\":\"9.') WHERE id = 1"], set()),
    ("sqlite: a log of something else", lambda c: log_beside(c, b"not a log" * 2000), {"sqlite.log"}),
    (
        "sqlite: a log with pages of another size",
        lambda c: log_beside(c, struct.pack(">3I", 0x377F0682, 3007000, 1000) + bytes(8192)), {"sqlite.log"}),
    ("values: an end before its start", ["UPDATE observations SET ended_at = started_at - 1 WHERE id = 1"], {"values.dates"}),
    ("values: an end of a run before its start", ["UPDATE observation_type_runs SET ended_at = started_at - 1 WHERE id = " + OLD_RUN], {"values.dates"}),
    ("evidence: first seen elsewhere", ["UPDATE samples SET first_seen_observation_id = 2, first_seen_at = %s WHERE id = (SELECT min(sample_id) FROM (%s) JOIN sample_versions ON id = version_id)" % (MOMENT % 2, VISIBLE)], {"evidence.first_seen", "exports.item_hash"}),
    ("evidence: first seen at another time", ["UPDATE samples SET first_seen_at = first_seen_at + 1 WHERE id = (SELECT min(sample_id) FROM (%s) JOIN sample_versions ON id = version_id)" % VISIBLE], {"evidence.first_seen", "exports.item_hash"}),
    ("evidence: a version made elsewhere", ["UPDATE sample_versions SET created_observation_id = 2 WHERE id = (SELECT min(version_id) FROM (%s))" % VISIBLE], {"evidence.created", "exports.item_hash"}),
    ("evidence: the date of an event", ["UPDATE sample_observation_events SET observed_at = observed_at + 1 WHERE id = (SELECT min(id) FROM sample_observation_events WHERE event_kind = 'disappeared')"], {"evidence.observed_at"}),
    ("evidence: all was seen by its deletion", ["UPDATE sample_observation_events SET evidence_kind = 'deleted_object'"], {"evidence.evidence_kind"}),
    ("evidence: a deletion in an export", ["UPDATE sample_observation_events SET evidence_kind = 'deleted_object' WHERE id = (SELECT min(id) FROM sample_observation_events WHERE event_kind = 'disappeared')"], {"evidence.evidence_kind"}),
    ("evidence: a full scan that saw what has no version disappear", [
        "UPDATE sample_observation_events SET version_id = NULL WHERE id = (SELECT min(id)"
        " FROM sample_observation_events WHERE event_kind = 'disappeared')"],
     {"evidence.evidence_kind", "aggregates.summary"}),
    ("evidence: another way of asking", ["UPDATE sample_observation_events SET evidence_kind = 'anchored_query' WHERE id = 1"], {"evidence.evidence_kind"}),
    ("evidence: counts of runs", ["UPDATE observation_type_runs SET inserted_event_count = 99, deleted_event_count = 99"], {"evidence.run_counts", "exports.header"}),
    ("evidence: half of the runs", ["DELETE FROM type_run_facts WHERE type_run_id % 2", "DELETE FROM observation_type_runs WHERE id % 2"], {"evidence.run_missing", "exports.header"}),
    ("evidence: a UUID in an export", ["UPDATE samples SET sample_uuid_hash = '%s' WHERE id = (SELECT min(sample_id) FROM (%s) JOIN sample_versions ON id = version_id)" % ("b" * 64, VISIBLE)], {"evidence.uuid", "exports.item_hash"}),
    ("evidence: a failed run of what was completed", ["UPDATE observation_type_runs SET status = 'failed' WHERE id = " + OLD_RUN], {"evidence.status", "aggregates.type_state"}),
    ("evidence: types that all completed", ["UPDATE observations SET status = 'partial_types' WHERE id = 1"], {"evidence.status", "evidence.logged_status"}),
    ("evidence: a status", ["UPDATE observations SET status = 'failed' WHERE id = 1"], {"evidence.logged_status"}),
    ("evidence: a gap in the log", ["DELETE FROM context_log WHERE id = 2"], {"evidence.log"}),
    ("evidence: no log", ["DELETE FROM context_log"], {"evidence.log_empty"}),
    ("evidence: a set of types", ["INSERT INTO selected_type_sets VALUES ('%s', '[]')" % ("a" * 64)], {"evidence.type_set"}),
    ("evidence: rules of a zone", ["INSERT INTO zone_rules VALUES ('%s', '[0]')" % ("a" * 64)], {"evidence.zone_rules"}),
    ("evidence: an offset that contradicts the zone", ["UPDATE observations SET time_zone_seconds_from_gmt = 1800 WHERE id = 1"], {"evidence.zone_rules"}),
    ("evidence: an observation that was withdrawn", ["INSERT INTO withdrawn_observations VALUES (1, 1, 1)"], {"evidence.withdrawn", "evidence.withdrawn_log"}),
    ("evidence: an observation that nobody withdrew", ["INSERT INTO withdrawn_observations VALUES (77, 1, 1)"], {"evidence.withdrawn_log"}),
    ("evidence: an event that names a version of another sample", ["UPDATE sample_observation_events SET version_id = (SELECT max(id) FROM sample_versions) WHERE id = (SELECT min(id) FROM sample_observation_events WHERE event_kind = 'disappeared')"], {"evidence.event_version"}),
    ("evidence: a run a day after its observation", ["UPDATE observation_type_runs SET started_at = started_at + 86400, ended_at = ended_at + 86400 WHERE id = " + OLD_RUN], {"evidence.run_dates"}),
    ("evidence: another version of the schema", ["UPDATE observations SET schema_version = 3 WHERE id = 1"], {"evidence.schema_version"}),
    ("evidence: no sets of types", ["UPDATE observations SET selected_type_set_hash = '%s' WHERE id = 1" % ("e" * 64)], {"evidence.type_set_missing"}),
    ("evidence: a rejected record of a run that rejected none", [REJECTED % "1, NULL"], {"aggregates.type_state", "evidence.rejected", "exports.header"}),
    ("evidence: a rejected record that ends where it begins", [REJECTING, REJECTED % "2, 2"], {"aggregates.type_state", "evidence.rejected", "evidence.status", "exports.header"}),
    ("evidence: a rejected record that ends with a run that did not complete", [REJECTING, "UPDATE observation_type_runs SET status = 'failed' WHERE observation_id = 2 AND sample_type_id = 1", REJECTED % "1, 2"],
     {"evidence.rejected", "evidence.status", "aggregates.type_state", "exports.header"}),
    ("evidence: a link that ends and was not there", [LINK_END], {"evidence.link_end"}),
    ("evidence: a link that ends where it begins", [LINK % 2, LINK_END], {"evidence.link_end", "exports.item_hash"}),
    ("evidence: a link that ends where a sample is gone", [LINK % 1, LINK_END, "UPDATE relationship_ends SET target_sample_id = %s" % GONE_SAMPLE, "UPDATE sample_relationships SET target_sample_id = %s WHERE relationship_kind = 'x'" % GONE_SAMPLE], {"evidence.link_end"}),
    ("evidence: a link that ends", [LINK % 1, LINK_END], set()),
    ("ranges: inverted", ["UPDATE sample_visibility_ranges SET last_observation_id = 1, last_seen_at = %s WHERE rowid = %s" % (MOMENT % 1, OPEN % 2)], {"ranges.inverted", "aggregates.summary", "aggregates.bucket", "exports.item_absent"}),
    ("ranges: end without date", ["UPDATE sample_visibility_ranges SET last_seen_at = 1 WHERE rowid = " + OPEN % 2], {"ranges.end"}),
    ("evidence: an earlier relationship", ["INSERT INTO sample_relationships SELECT NULL, 1, (SELECT min(id) FROM samples WHERE first_seen_observation_id = 1), (SELECT min(id) FROM samples WHERE first_seen_observation_id = 2), 'x', NULL"], {"evidence.first_seen", "exports.item_hash"}),
    ("ranges: dates", ["UPDATE sample_visibility_ranges SET first_seen_at = first_seen_at + 1 WHERE rowid = (SELECT min(rowid) FROM sample_visibility_ranges WHERE last_observation_id = 2)"], {"ranges.times"}),
    ("ranges: end", ["UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL WHERE rowid = (SELECT min(rowid) FROM sample_visibility_ranges r WHERE last_observation_id = 2 AND NOT EXISTS "
                     "(SELECT 1 FROM sample_visibility_ranges o WHERE o.sample_id = r.sample_id AND o.rowid <> r.rowid) AND version_id IN (SELECT id FROM sample_versions WHERE numeric_value IS NOT NULL))"],
     {"ranges.end_differs", "aggregates.summary", "aggregates.bucket", "exports.item_unknown"}),
    ("ranges: dropped", ["DELETE FROM sample_visibility_ranges WHERE rowid = " + OPEN % 2], {"ranges.missing", "aggregates.summary", "aggregates.bucket", "exports.item_absent"}),
    ("ranges: open twice", ["INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, 1, NULL, %s, NULL FROM sample_visibility_ranges WHERE rowid = %s" % (MOMENT % 1, OPEN % 1)],
     {"ranges.open_twice", "ranges.no_event", "exports.item_unknown"}),
    ("ranges: overlap", ["INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, 1, 2, %s, %s FROM sample_visibility_ranges WHERE rowid = %s" % (MOMENT % 1, MOMENT % 2, OPEN % 1)],
     {"ranges.overlap", "ranges.no_event"}),
    ("ranges: another chain", ["INSERT INTO device_chains VALUES (9, '%s', 1, 0)" % ("a" * 64), "INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (50, 9, 1, 'failed', 'x', 2)",
                               "UPDATE sample_visibility_ranges SET last_observation_id = 50, last_seen_at = 1 WHERE rowid = " + OPEN % 1], {"ranges.other_chain"}),
    ("ranges: an event dropped before others", ["DELETE FROM sample_observation_events WHERE id = (SELECT min(id) FROM sample_observation_events WHERE event_kind = 'appeared' AND observation_id = 2)"], {"evidence.first_seen", "evidence.created", "evidence.run_counts", "ranges.no_event", "aggregates.summary"}),
    ("ranges: an event dropped", ["DELETE FROM sample_observation_events WHERE id = (SELECT max(id) FROM sample_observation_events WHERE event_kind = 'appeared' AND observation_id = 2)"], {"evidence.first_seen", "evidence.created", "evidence.run_counts", "ranges.no_event", "aggregates.summary"}),
    ("ranges: appeared while visible", ["INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at, evidence_kind) SELECT 2, sample_id, version_id, 'appeared', %s, 'full_scan' "
                                        "FROM sample_visibility_ranges WHERE rowid = %s" % (MOMENT % 2, OPEN % 1)], {"evidence.run_counts", "ranges.event", "aggregates.summary"}),
    ("ranges: ids against time", ["INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version, time_zone_identifier, time_zone_seconds_from_gmt) "
                              "SELECT 50, 1, 1, 'failed', 'x', 2, time_zone_identifier, time_zone_seconds_from_gmt FROM observations WHERE id = 2",
                              "INSERT INTO observation_facts(observation_id, zone_rules_hash) SELECT 50, zone_rules_hash FROM observation_facts WHERE observation_id = 2"], {"ranges.observation_order"}),
    ("identities: one UUID twice", ["UPDATE samples SET sample_uuid_hash = '%s' WHERE id IN (SELECT id FROM samples WHERE sample_type_id = 1 ORDER BY id LIMIT 2)" % ("b" * 64)], {"evidence.uuid", "identities.uuid", "exports.item_hash"}),
    ("identities: one UUID in two types", ["UPDATE samples SET sample_uuid_hash = '%s' WHERE id IN ((SELECT min(id) FROM samples WHERE sample_type_id = 1), (SELECT min(id) FROM samples WHERE sample_type_id = 2))" % ("b" * 64)], {"evidence.uuid", "exports.item_hash"}),
    ("identities: twins", [TWINS], {"identities.type_twin"}),
    ("identities: a row twice through NULL", ["INSERT INTO source_revisions(source_id) VALUES (1), (1)"], {"identities.duplicate_row"}),
    ("identities: a row twice, key lost", lambda c: (rebuild(c, "observation_type_runs", without(",\n    UNIQUE(observation_id, sample_type_id)")),
                                                     c.execute("INSERT INTO observation_type_runs SELECT (SELECT max(id) + 1 FROM observation_type_runs), 1, sample_type_id, status, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL FROM observation_type_runs WHERE observation_id = 1 AND sample_type_id = 1")),
     {"schema.unique", "evidence.run_counts", "identities.duplicate_row"}),
    ("identities: payload under its old hash", ["UPDATE sample_versions SET duration_seconds = 1 WHERE id = (SELECT min(version_id) FROM (%s))" % VISIBLE], {"identities.payload_hash", "exports.item_hash"}),
    ("identities: strict fingerprint", ["UPDATE samples SET strict_fingerprint = '%s' WHERE id = (SELECT sample_id FROM sample_versions WHERE id = (SELECT min(version_id) FROM (%s)))" % ("c" * 64, VISIBLE)],
     {"identities.strict_fingerprint", "exports.item_hash"}),
    ("identities: semantic fingerprint", ["UPDATE samples SET semantic_fingerprint = '%s' WHERE id = (SELECT sample_id FROM sample_versions WHERE id = (SELECT min(version_id) FROM (%s)))" % ("c" * 64, VISIBLE)],
     {"identities.semantic_fingerprint", "exports.item_hash"}),
    ("identities: no semantic fingerprint", ["UPDATE samples SET semantic_fingerprint = NULL WHERE id = (SELECT sample_id FROM sample_versions WHERE id = (SELECT min(version_id) FROM (%s)))" % VISIBLE],
     {"identities.semantic_fingerprint", "exports.item_hash"}),
    ("identities: fuzzy key", ["UPDATE samples SET fuzzy_key = fuzzy_key || '0' WHERE id = (SELECT sample_id FROM sample_versions WHERE id = (SELECT min(version_id) FROM (%s)))" % VISIBLE],
     {"identities.fuzzy_key", "exports.item_hash"}),
    ("identities: no fuzzy key", ["UPDATE samples SET fuzzy_key = NULL WHERE id = (SELECT sample_id FROM sample_versions WHERE id = (SELECT min(version_id) FROM (%s)))" % VISIBLE],
     {"identities.fuzzy_key", "exports.item_hash"}),
    ("identities: metadata under its old hash", ["UPDATE metadata_blobs SET metadata_json = '{\"changed\":1}' WHERE id = (SELECT min(metadata_id) FROM sample_versions WHERE id IN (%s))" % VISIBLE],
     {"identities.metadata_hash", "exports.item_hash"}),
    ("identities: a relationship to itself", ["INSERT INTO sample_relationships VALUES (NULL, 2, 1, 1, 'x', NULL)"], {"exports.item_hash"}),
    ("aggregates: count", ["UPDATE observation_type_summaries SET visible_record_count = visible_record_count + 1 WHERE rowid = 1"], {"aggregates.summary", "aggregates.hash", "aggregates.type_state"}),
    ("aggregates: last digit of a sum", lambda c: c.execute("UPDATE daily_type_aggregates SET value_sum = ? WHERE rowid = (SELECT min(rowid) FROM daily_type_aggregates WHERE value_sum > 0)",
                                                            (math.nextafter(c.execute("SELECT value_sum FROM daily_type_aggregates WHERE value_sum > 0 ORDER BY rowid").fetchone()[0], 1e9),)), {"aggregates.bucket", "aggregates.hash"}),
    ("aggregates: maximum", ["UPDATE observation_type_summaries SET value_max = value_max + 1 WHERE rowid = (SELECT min(rowid) FROM observation_type_summaries WHERE value_max > 0)"], {"aggregates.summary", "aggregates.hash"}),
    ("aggregates: hash", ["UPDATE observation_type_summaries SET aggregate_hash = '%s' WHERE rowid = 1" % ("d" * 64)], {"aggregates.hash"}),
    ("aggregates: a bucket dropped", ["DELETE FROM daily_type_aggregates WHERE rowid = (SELECT max(rowid) FROM daily_type_aggregates WHERE source_revision_id IS NOT NULL)"], {"aggregates.missing"}),
    ("aggregates: a state that the runs do not give", ["UPDATE type_run_facts SET state = 'unknown' WHERE type_run_id = (SELECT max(type_run_id) FROM type_run_facts)"], {"aggregates.type_state", "exports.header"}),
    ("aggregates: a count that nobody verified", ["UPDATE observation_type_runs SET verified_visible_count = verified_visible_count + 1 WHERE id = " + OLD_RUN], {"aggregates.type_state"}),
    ("aggregates: a summary dropped", ["DELETE FROM observation_type_summaries WHERE rowid = 1"], {"aggregates.missing"}),
]


def one_fingerprint_twice(connection):
    rebuild(connection, "samples", without(",\n    UNIQUE(sample_type_id, strict_fingerprint)"))
    connection.execute("UPDATE samples SET strict_fingerprint = (SELECT strict_fingerprint FROM samples WHERE id = 1) WHERE id = (SELECT id FROM samples WHERE sample_type_id = (SELECT sample_type_id FROM samples WHERE id = 1) LIMIT 1 OFFSET 1)")
    connection.execute(NO_RULES)


def emptied_index(connection):
    """An index that has no entry, under a definition that asks for one per row."""
    sql, = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'idx_sample_versions_time'").fetchone()
    for text in (sql + " WHERE 0", sql):
        connection.executescript("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '%s' WHERE name = 'idx_sample_versions_time'; PRAGMA writable_schema = RESET" % text)
        if text != sql:
            connection.execute("REINDEX idx_sample_versions_time")


def log_beside(connection, content):
    """A file in the place of the log."""
    _, _, path = connection.execute("PRAGMA database_list").fetchone()
    pathlib.Path(path + "-wal").write_bytes(content)


def log_checksum(header):
    """The checksum of the first 24 bytes of a log (SQLite manual, "WAL-mode File Format")."""
    order, one, other = "<>"[header[3] & 1], 0, 0
    words = struct.unpack(order + "6I", header)
    for first, second in zip(words[::2], words[1::2]):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return struct.pack(">2I", one, other)


def linked(text):
    return hashlib.sha256(b"hp:v2:history_link:" + text.encode("utf-8")).hexdigest()


def last_entry(connection, edit):
    """The newest entry of the history with another text, and the link of that."""
    sequence, text = connection.execute("SELECT sequence, entry_json FROM history_links ORDER BY sequence DESC").fetchone()
    connection.execute("UPDATE history_links SET entry_json = ?, link = ? WHERE sequence = ?", (edit(text), linked(edit(text)), sequence))


def next_entry(connection, observation):
    """A further entry, without rows, about an observation."""
    sequence, text, link = connection.execute("SELECT sequence, entry_json, link FROM history_links ORDER BY sequence DESC").fetchone()
    entry = json.loads(text) | {"sequence": sequence + 1, "rows": {}, "previous": link, "observation": {"hash": "a" * 64, "id": observation, "lists_types": False, "states_facts": False}}
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
    connection.execute("INSERT INTO history_links VALUES (?, ?, ?, ?)", (sequence + 1, observation, text, linked(text)))


def page_of_zeros(connection):
    """The root page of a table that one check reads is no page of a tree."""
    root, = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'metadata_blobs'").fetchone()
    size, = connection.execute("PRAGMA page_size").fetchone()
    _, _, path = connection.execute("PRAGMA database_list").fetchone()
    with open(path, "r+b") as file:
        file.seek((root - 1) * size)
        file.write(bytes(size))


NO_RULES = "DELETE FROM archive_metadata WHERE key = 'identity_rules'"
# From an event of another kind on, the ranges of a sample are not recomputed.
NOT_MADE_AGAIN = "UPDATE sample_observation_events SET event_kind = 'other' WHERE sample_id = (SELECT sample_id FROM sample_visibility_ranges WHERE rowid = %s)" % (OPEN % 1)

# What no fault above shows by itself within its check.
ALONE = {
    "sqlite.integrity": emptied_index,
    "sqlite.unreadable": page_of_zeros,
    "history.entry": lambda c: last_entry(c, lambda text: text + " "),
    "history.link": ["UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("a" * 64)],
    "history.previous": lambda c: last_entry(c, lambda text: re.sub('"previous":"[0-9a-f]{64}"', '"previous":"%s"' % ("a" * 64), text)),
    "history.identity": ["UPDATE archive_metadata SET value = '%s' WHERE key = 'history_salt'" % ("a" * 64)],
    "history.state": lambda c: next_entry(c, 1),
    "history.no_entry": ["INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) VALUES (0, 1, 0, 'completed', 'x', 2)"],
    "history.rows": ["UPDATE sources SET bundle_identifier = 'com.example.other' WHERE id = 1"],
    "history.observation": ["UPDATE observations SET notes = 'changed' WHERE id = 1"],
    "history.observation_missing": lambda c: next_entry(c, 99),
    "evidence.withdrawn": ["INSERT INTO withdrawn_observations VALUES (1, 1, 1)",
                           "INSERT INTO context_log SELECT max(id) + 1, 1, 'observation_withdrawn', 1, 'x', '{}' FROM context_log"],
    "identities.fingerprint": one_fingerprint_twice,
    "ranges.version": [NOT_MADE_AGAIN, "UPDATE sample_visibility_ranges SET version_id = (SELECT max(id) FROM sample_versions) WHERE rowid = " + OPEN % 1],
    "ranges.open_twice": [NOT_MADE_AGAIN, "INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, 2, NULL, %s, NULL FROM sample_visibility_ranges WHERE rowid = %s" % (MOMENT % 2, OPEN % 1)],
    "ranges.overlap": [NOT_MADE_AGAIN, "INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, 1, 2, %s, %s FROM sample_visibility_ranges WHERE rowid = %s" % (MOMENT % 1, MOMENT % 2, OPEN % 1)],
    # One bucket whose sum is the same by any rules, without its hash.
    "aggregates.bucket": [NO_RULES, "DELETE FROM type_run_facts", "DELETE FROM observation_type_summaries",
                          "DELETE FROM daily_type_aggregates WHERE rowid <> (SELECT min(d.rowid) FROM daily_type_aggregates d JOIN sample_types t ON t.id = sample_type_id WHERE type_identifier = '%s')" % STEPS,
                          "UPDATE daily_type_aggregates SET visible_record_count = visible_record_count + 1"],
}


class Faults(ArchiveCase):
    def test_a_captured_archive_holds(self):
        value = self.verify(self.base())
        self.assertEqual((value["verdict"], [check["name"] for check in value["checks"]]), ("valid", CHECKS))
        self.assertEqual({check["status"] for check in value["checks"]}, {"ok"})
        self.assertNotIn("notes", json.dumps(value["checks"][:-1]))

    def faulty(self, fault):
        """The archive with a fault: statements, or a function of a connection."""
        path = self.base()
        with database(path) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            if callable(fault):
                fault(connection)
            else:
                for statement in fault:
                    connection.execute(statement)
        return path

    def check_faults(self, check):
        """Every fault whose first code is of a check has exactly its codes."""
        for name, fault, expected in FAULTS:
            if min(expected, default="none").split(".")[0] == check:
                with self.subTest(name):
                    # What was rewritten is for test_history.
                    self.assertEqual(self.codes(self.faulty(fault), "--skip", "history"), expected)

    def test_faults_of_aggregates(self):
        self.check_faults("aggregates")

    def test_faults_of_evidence(self):
        self.check_faults("evidence")

    def test_faults_of_exports(self):
        self.check_faults("exports")

    def test_faults_of_identities(self):
        self.check_faults("identities")

    def test_faults_of_manifests(self):
        self.check_faults("manifests")

    def test_faults_of_ranges(self):
        self.check_faults("ranges")

    def test_faults_of_references(self):
        self.check_faults("references")

    def test_faults_of_schema(self):
        self.check_faults("schema")

    def test_faults_of_sqlite(self):
        self.check_faults("sqlite")

    def test_faults_of_values(self):
        self.check_faults("values")

    def test_faults_that_are_none(self):
        self.check_faults("none")

    def test_every_fault_is_checked(self):
        methods = {name[len("test_faults_of_"):] for name in dir(self) if name.startswith("test_faults_of_")}
        self.assertEqual({min(expected, default="none").split(".")[0] for _, _, expected in FAULTS} - {"none"}, methods)

    def test_every_code_is_raised_alone_by_its_check(self):
        # Those of a head are in test_history.
        left = {entry["code"] for entry in TABLE if "check" in entry} - {"history.rewound", "history.forked", "history.another_archive", "history.withdrawn_since", "history.unanswered"}
        self.assertEqual({code.split(".")[0] for code in left}, set(CHECKS))
        for name, fault, expected in FAULTS + [(code, fault, {code}) for code, fault in ALONE.items()]:
            for code in sorted(expected & left):
                with self.subTest(name, code=code):
                    path = self.faulty(fault)
                    check = code.split(".")[0]
                    # What SQLite cannot read is a finding of the check that reads it.
                    if self.codes(path, *(("--skip", "sqlite,history") if code == "sqlite.unreadable" else ("--only", check))) == {code}:
                        left.discard(code)
        self.assertEqual(left, set())

    def test_findings_hold_no_stored_text(self):
        path = self.base()
        secret = "SECRET-7f3a"
        for table, column in (("observations", "status"), ("sample_versions", "unit"), ("samples", "sample_uuid_hash"), ("export_manifests", "filter_json"), ("sample_types", "type_identifier"), ("metadata_blobs", "metadata_json")):
            execute(path, "UPDATE %s SET %s = '%s' WHERE rowid = 1" % (table, column, secret))
        self.assertGreater(len(self.codes(path)), 3)
        self.assertNotIn(secret, hp_verify("archive", path, "--json").out.decode() + hp_verify("archive", path).out.decode())

    def test_a_kind_of_value_has_small_letters_digits_and_underscores(self):
        """1 to 64 of them. Beside each end of what is meant stands the character next to it."""
        path = self.base()
        right = ["a", "z", "0", "9", "_", "quantity_2", "a" * 64]
        wrong = ["", "a" * 65, "Quantity", "heart rate", "a-b", "a/", "9:", "`", "{", "^", "caf\u00e9"]
        rows = [row for row, in query(path, "SELECT id FROM sample_versions ORDER BY id LIMIT ?", len(right + wrong))]
        self.assertEqual(len(rows), len(right + wrong))
        with database(path) as connection:
            connection.executemany("UPDATE sample_versions SET value_kind = ? WHERE id = ?", zip(right + wrong, rows))
        found = [(finding["code"], finding["table"], finding["row"], finding["column"]) for finding in self.verify(path, "--only", "values")["findings"]]
        self.assertEqual(sorted(found), [("values.word", "sample_versions", row, "value_kind") for row in rows[len(right):]])

    def test_samples_are_the_same_each_time(self):
        path = self.generated(3000)
        execute(path, "UPDATE samples SET first_seen_at = 1e300 WHERE id % 10 = 0")
        whole, one, other = self.verify(path), self.verify(path, "--sample", "500"), self.verify(path, "--sample", "500")
        self.assertEqual(one, other)
        self.assertEqual(one["sample"], 500)
        count = one["counts"]["values.date_range"]
        self.assertEqual(whole["counts"]["values.date_range"], query(path, "SELECT count(*) FROM samples WHERE id % 10 = 0")[0][0])
        self.assertTrue(20 <= count <= 90, count)

    def test_options(self):
        path = self.base()
        self.assertEqual([check["name"] for check in self.verify(path, "--only", "values,ranges")["checks"]], ["values", "ranges"])
        self.assertEqual([check["name"] for check in self.verify(path, "--skip", "exports,history", "--skip", "sqlite")["checks"]], CHECKS[1:-2])
        execute(path, "UPDATE samples SET first_seen_at = 1e300")
        value = self.verify(path, "--only", "values", "--max-findings", "5")
        self.assertEqual((len(value["findings"]), value["counts"]), (5, {"values.date_range": query(path, "SELECT count(*) FROM samples")[0][0]}))
        # What is only counted is explained, too.
        said = hp_verify("archive", path, "--only", "values", "--max-findings", "0").out.decode()
        self.assertIn("    values.date_range: ", said[said.index("What this means:"):])
        # Two changed items in each of two exports are four findings, of which as many are listed as were asked for.
        path = self.base()
        steps = "SELECT version_id FROM export_items WHERE export_manifest_id = 2 ORDER BY version_id LIMIT 2"
        execute(path, "UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE id IN (%s)" % steps)
        for limit in (1, 2, 3, 4, 5):
            value = self.verify(path, "--only", "exports", "--max-findings", str(limit))
            self.assertEqual(([finding["code"] for finding in value["findings"]], value["counts"]), (["exports.item_hash"] * min(limit, 4), {"exports.item_hash": 4}))
        for words in (("--only", "none"), ("--skip", ",".join(CHECKS)), ("--sample", "0"), ()):
            result = hp_verify("archive", *([path] if words else []), *words)
            self.assert_refused(result, name="hp-verify")


    def test_a_sample_of_exports_has_the_first_of_each_part(self):
        path = self.base()
        for number in (3, 4):
            self.assert_good(hp_export("manifest", path, "--type", (HEART_RATE, STEPS)[number - 3], "-o", self.folder / ("%d.json" % number)))
        execute(path, "PRAGMA journal_mode = DELETE")
        self.assertEqual(query(path, "SELECT id FROM export_manifests ORDER BY id"), [(1,), (2,), (3,), (4,)])
        clean = path.read_bytes()
        for number, expected in ((1, {"exports.manifest_hash"}), (2, set()), (3, {"exports.manifest_hash"}), (4, set())):
            with self.subTest(number):
                path.write_bytes(clean)
                execute(path, "UPDATE export_manifests SET manifest_hash = '%s' WHERE id = %d" % ("0" * 64, number))
                self.assertEqual(self.codes(path, "--only", "exports", "--sample", "2"), expected)
                self.assertEqual(self.codes(path, "--only", "exports"), {"exports.manifest_hash"})

    def test_the_count_of_a_report_is_that_of_its_items(self):
        """It records no items: nothing else speaks for the count."""
        path = self.base()
        self.assert_good(hp_export("diff", path, "--summary", "--format", "json", "-o", self.folder / "summary.json"))
        execute(path, "PRAGMA journal_mode = DELETE")
        self.assertEqual(self.codes(path, "--only", "exports,manifests"), set())
        recorded, = query(path, "SELECT record_count FROM export_manifests WHERE id = 3")[0]
        self.assertEqual(recorded, len(json.loads((self.folder / "summary.json").read_bytes())["items"]))
        execute(path, "UPDATE export_manifests SET record_count = record_count + 1 WHERE id = 3")
        value = self.verify(path, "--only", "exports,manifests")
        self.assertEqual([(finding["code"], finding["row"], finding["column"]) for finding in value["findings"]], [("manifests.record_count", 3, "record_count")])

    def test_records_in_calories_under_both_names_hold(self):
        energy = "HKQuantityTypeIdentifierDietaryEnergyConsumed"
        line = '<Record type="%s" sourceName="s" unit="%%s" creationDate="%%s" startDate="%%s" endDate="%%s" value="2"/>' % energy
        moments = ["2024-05-0%d 10:00:00 +0000" % day for day in (1, 2)]
        text = '<HealthData locale="en"><ExportDate value="2024-06-01 10:00:00 +0000"/>%s</HealthData>' % "".join(line % (unit, moment, moment, moment) for unit, moment in zip(("Cal", "kcal"), moments))
        self.assert_good(self.hp_capture("--apple-health", self.written(text.encode(), "export.xml"), "--quiet"))
        execute(self.archive, "PRAGMA journal_mode = DELETE")
        self.assertEqual(query(self.archive, "SELECT unit FROM sample_versions ORDER BY start_date"), [("Cal",), ("kcal",)])
        self.assertEqual(self.verify(self.archive)["findings"], [])

    def test_the_most_observations_whose_aggregates_are_checked(self):
        for count, expected in ((50_000, "ok"), (50_001, "not_checked")):
            with self.subTest(count):
                path = self.base()
                with database(path) as connection:
                    connection.execute("WITH n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version, "
                                       "time_zone_identifier, time_zone_seconds_from_gmt) SELECT n.i, 1, o.observed_at, 'failed', 'x', 2, time_zone_identifier, time_zone_seconds_from_gmt FROM n, observations o WHERE o.id = 2" % count)
                    connection.execute("INSERT INTO observation_facts(observation_id, zone_rules_hash) SELECT id, zone_rules_hash FROM observations, "
                                       "(SELECT zone_rules_hash FROM observation_facts WHERE observation_id = 2) WHERE id > 2")
                    self.assertEqual(connection.execute("SELECT count(*) FROM observations").fetchone(), (count,))
                check, = self.verify(path, "--only", "aggregates")["checks"]
                self.assertEqual((check["status"], check["finding_count"]), (expected, 0), check)

    def test_the_most_rows_of_buckets_that_are_followed_at_once(self):
        """All are of a day with records (Spec/archive-verification.md, "Limits")."""
        reason = "1 row of daily_type_aggregates was not recomputed: more than 4096 of one type and day"
        (day,), = query(self.base(), "SELECT min(bucket_start) FROM daily_type_aggregates WHERE observation_id = 1 AND sample_type_id = 1 AND visible_record_count > 0")
        one, each, late = "%r, %r" % (day, day + 86400), "86400 * i, 86400 * (i + 1)", "86400 * (i / 4000), 86400 * (i / 4000 + 1)"
        # Rows of days that are over are not counted: of one day without records, as many days as rows, and 4,000 rows of each day.
        for count, days, expected in ((4096, one, ("failed", None)), (4097, one, ("not_checked", reason)), (4097, "0, 86400", ("failed", None)),
                                      (4097, each, ("failed", None)), (8100, late, ("failed", None))):
            with self.subTest(count=count, days=days):
                path = self.base()
                execute(path, "DELETE FROM daily_type_aggregates WHERE sample_type_id = 1",
                        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                        " INSERT INTO daily_type_aggregates"
                        " SELECT 1, 1, %s, 0, NULL, NULL, i, NULL FROM n" % (count, days))
                check, = self.verify(path, "--only", "aggregates", "--max-findings", "1")["checks"]
                self.assertEqual((check["status"], check.get("reason")), expected)

    def test_a_row_that_is_not_over_stays_beside_the_most_that_are(self):
        """A row of all days, 4,095 of the day before, and then one more: only the day before is over."""
        path = self.base()
        of_day = "FROM daily_type_aggregates WHERE observation_id = 1 AND sample_type_id = 1 AND source_revision_id IS NULL"
        (first, last, count, total, most), = query(path, "SELECT min(bucket_start), max(bucket_end), sum(visible_record_count), sum(value_sum), max(value_max) " + of_day)
        self.assertGreater(count, 0)
        row = "INSERT INTO daily_type_aggregates VALUES (1, 1, ?, ?, ?, ?, ?, ?, NULL)"
        with database(path) as connection:
            connection.execute("DELETE FROM daily_type_aggregates WHERE sample_type_id = 1")
            connection.executemany(row, [(first - 86400, first, 0, None, None, 1000 + number) for number in range(4095)])
            connection.execute(row, (first - 86400, last, count, total, most, None))
            connection.execute(row, (first, last, 0, None, None, 1000))
        found = self.verify(path, "--only", "aggregates", "--max-findings", "20000")["findings"]
        # The rows have no hashes, and other days none.
        self.assertEqual({finding["code"] for finding in found}, {"aggregates.hash", "aggregates.missing"})

    def test_ends_of_links_are_not_held_beside_many_ranges_without_their_key(self):
        """A table without the key, and with more than 1,000 rows; with as many, they are."""
        note = "ends of links were not held beside ranges: withheld_closures lacks the index (sample_id)"
        for count, notes in ((1000, []), (1001, [note])):
            with self.subTest(count):
                path = self.base()
                with database(path) as connection:
                    rebuild(connection, "withheld_closures", without(",\n    UNIQUE(sample_id, first_observation_id)"))
                    connection.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                                       " INSERT INTO withheld_closures SELECT i, %s, 1, 2 FROM n" % (count, STAYING))
                check, = self.verify(path, "--only", "evidence")["checks"]
                self.assertEqual((check["status"], check.get("notes", [])), ("ok", notes))


class Agreement(ArchiveCase):
    """With the plain checks of Tests/reference, on random histories and on what random changes make of them."""

    @takes_long
    def test_random_histories_and_random_changes(self):
        for number in range(1000, 1006):
            chance = random.Random(number)
            self.renew()
            with self.subTest(history=number):
                for feed_bytes in histories.History(chance, chance.randint(2, 6)).feeds():
                    self.hp_capture("--feed", self.written(feed_bytes), "--quiet")
                execute(self.archive, "PRAGMA journal_mode = DELETE")
                self.assertEqual(self.verify(self.archive)["findings"], [])
                for change in range(12):
                    with self.subTest(change=change):
                        self.change(chance)

    CHANGES = ["UPDATE sample_versions SET numeric_value = coalesce(numeric_value, 0) + 1", "UPDATE sample_versions SET start_date = start_date - 86400.5", "UPDATE sample_versions SET source_revision_id = NULL",
               "UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL", "DELETE FROM sample_visibility_ranges", "DELETE FROM sample_observation_events",
               "UPDATE observation_type_summaries SET latest_end_date = latest_end_date + 1", "UPDATE observation_type_summaries SET disappeared_count = disappeared_count + 1", "DELETE FROM daily_type_aggregates",
               "UPDATE daily_type_aggregates SET visible_record_count = visible_record_count + 1", "UPDATE samples SET strict_fingerprint = lower(hex(randomblob(32)))", "UPDATE sample_visibility_ranges SET first_seen_at = first_seen_at + 1"]

    def change(self, chance):
        statement = chance.choice(self.CHANGES)
        table = statement.split()[2 if statement.startswith("DELETE") else 1]
        path = self.folder / "changed.sqlite"
        shutil.copyfile(self.archive, path)
        rows = query(path, "SELECT rowid FROM %s" % table)
        if not rows:
            return
        execute(path, "PRAGMA foreign_keys = OFF", "%s WHERE rowid = %d" % (statement, chance.choice(rows)[0]))
        ours = {finding["code"] for finding in self.verify(path, "--skip", "exports,history")["findings"]} & REBUILT
        self.assertEqual(bool(ours), bool(findings(path)), (statement, ours, findings(path)[:3]))


class OtherEngines(ArchiveCase):
    def test_archives_of_another_engine_hold(self):
        for journal in ("wal", "delete"):
            value = self.verify(self.generated(3000, journal=journal))
            self.assertEqual(value["findings"], [])
            self.assertEqual({check["name"]: check["status"] for check in value["checks"] if check["status"] != "ok"}, {"aggregates": "not_checked", "exports": "not_checked", "history": "not_checked"})
            self.assertEqual(value["verdict"], "valid, as far as it was checked")

    def test_sums_of_another_engine_may_be_rounded_at_each_step(self):
        path = self.base()
        execute(path, "DELETE FROM archive_metadata WHERE key = 'identity_rules'")
        # Such an engine adds up what is stored.
        self.assert_good(hp_export("repair", path, "--aggregates", "--quiet"))
        execute(path, "UPDATE observation_type_summaries SET value_sum = value_sum * (1 + 2.3e-16), aggregate_hash = 'own' WHERE visible_record_count > 10")
        self.assertEqual(self.codes(path, "--skip", "exports,history"), set())
        execute(path, "UPDATE observation_type_summaries SET value_sum = value_sum * 1.001 WHERE value_sum > 0")
        self.assertEqual(self.codes(path, "--skip", "exports,history"), {"aggregates.summary"})

    def test_a_log_of_an_earlier_use_is_no_fault(self):
        """SQLite takes a log up again with other salts in its header, before frames that have the old ones."""
        path, log = self.base(), self.folder / "log"
        with database(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            for statement in ("CREATE TABLE more(x)", "DROP TABLE more"):
                connection.execute(statement)
            shutil.copyfile(str(path) + "-wal", log)
        content = bytearray(log.read_bytes())
        self.assertGreater(len(content), 32 + 24 + 512)
        content[16:24] = bytes(~byte & 255 for byte in content[16:24])
        content[24:32] = log_checksum(content[:24])
        for change, expected in ((None, set()), (lambda: content.__setitem__(slice(40, 48), content[16:24]), {"sqlite.log"})):
            if change:  # with the salts of the header, the checksum of the frame has to fit
                change()
            pathlib.Path(str(path) + "-wal").write_bytes(content)
            self.assertEqual(self.codes(path), expected)
            self.assertEqual(pathlib.Path(str(path) + "-wal").read_bytes(), content)

    FIXTURES = {
        "small": {"identities.type_twin", "identities.uuid"},
        "two-chains": {"ranges.end_differs"},
        "identity": {"evidence.run_counts", "evidence.run_missing", "ranges.end_differs", "values.metadata", "aggregates.missing"},
        "extra-columns": set(), "page-size-512": set(), "wal": set(),
    }

    def test_frozen_archives_hold(self):
        path = self.folder / "four-status.sqlite"
        shutil.copyfile(FIXTURES / "frozen" / path.name, path)
        self.assertEqual(self.codes(path), set())

    def test_fixtures(self):
        for name, expected in self.FIXTURES.items():
            with self.subTest(name):
                path = self.fixture(name + ".sqlite")
                if name == "wal":
                    shutil.copyfile(FIXTURES / "archives" / "wal.sqlite-wal", str(path) + "-wal")
                self.assertEqual(self.codes(path), expected)
                for suffix in ("-wal", "-shm"):
                    pathlib.Path(str(path) + suffix).unlink(missing_ok=True)
        for name in ("defects", "unsettled", "utf16", "identity-other"):
            with self.subTest(name):
                self.verify(self.fixture(name + ".sqlite"))
        for name in sorted(path.name for path in (FIXTURES / "archives").glob("*.sqlite")):
            if name[:-7] in self.FIXTURES or name[:-7] in ("defects", "unsettled", "utf16", "identity-other"):
                continue
            with self.subTest(name):
                self.assert_refused(hp_verify("archive", self.fixture(name)), name="hp-verify")


class Damage(ArchiveCase):
    """Files that SQLite finds malformed, or that make it look at pages forever: no crash, no hang, no more memory, the file as it was, and never a good word."""

    LIMIT = 512 << 20

    def assert_held(self, path, seconds=20):
        """No tool that reads crashes or waits; what hp-verify archive says."""
        before = trace_of(path.parent)
        begin = time.monotonic()
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (self.LIMIT, self.LIMIT))}
        results = [hp_verify("archive", path, "--json", **options), hp_export("bundle", path, "-o", "-", "--no-record", **options),
                   hp_verify("bundle", vectors.path("good-minimal"), "--archive", path, **options)]
        self.assertLess(time.monotonic() - begin, seconds)
        for result in results:
            self.assertIn(result.status, (0, 1, 2), result)
        after = trace_of(path.parent)
        self.assertEqual({name: after[name] for name in before}, before)
        if results[0].status != 2:
            self.assertEqual([error.message for error in RESULT.iter_errors(json.loads(results[0].out))], [])
        return results[0].status

    def pages(self):
        path = self.base()
        size, = query(path, "PRAGMA page_size")[0]
        return path, bytearray(path.read_bytes()), size, dict(query(path, "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"))

    def assert_damage_is_found(self, path, data):
        path.write_bytes(data)
        self.assertIn(self.assert_held(path), (1, 2))

    def test_b_tree_cycles_and_bad_pointers(self):
        for name in ("samples", "sample_versions", "sqlite_autoindex_samples_1"):
            for pointer in (None, 1, 0xFFFFFFFF):
                with self.subTest(name, pointer=pointer):
                    path, data, size, roots = self.pages()
                    at = (roots[name] - 1) * size
                    self.assertIn(data[at], (2, 5), "an interior page")
                    data[at + 8:at + 12] = (roots[name] if pointer is None else pointer).to_bytes(4, "big")
                    self.assert_damage_is_found(path, data)

    def test_bad_root_pages(self):
        for name, sql in (("a page of another table", "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'samples') WHERE name = 'sample_versions'"),
                          ("a page beyond the end", "UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'sample_versions'")):
            with self.subTest(name):
                path = self.base()
                execute(path, "PRAGMA writable_schema = ON", sql)
                self.assertIn(self.assert_held(path), (1, 2))

    def test_a_freelist_into_live_pages(self):
        path, data, size, roots = self.pages()
        data[32:36], data[36:40] = roots["samples"].to_bytes(4, "big"), (3).to_bytes(4, "big")
        self.assert_damage_is_found(path, data)

    def test_an_overflow_chain_that_loops(self):
        path = self.base()
        execute(path, "UPDATE metadata_blobs SET metadata_json = printf('%.*c', 30000, 'x') WHERE id = 1")
        size, = query(path, "PRAGMA page_size")[0]
        data = bytearray(path.read_bytes())
        page = next(number for number in range(len(data) // size) if data[number * size + 4:number * size + 64] == b"x" * 60)
        data[page * size:page * size + 4] = (page + 1).to_bytes(4, "big")
        self.assert_damage_is_found(path, data)

    def test_a_lying_index(self):
        path = self.base()
        execute(path, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'sample_uuid_hash', 'fuzzy_key') WHERE name = 'idx_samples_uuid_hash'")
        self.assertIn("sqlite.integrity", self.codes(path))

    @takes_long
    def test_random_damage(self):
        chance = random.Random(7)
        clean = self.base().read_bytes()
        path = self.folder / "damaged.sqlite"
        for number in range(40):
            with self.subTest(number):
                data = bytearray(clean)
                for _ in range(chance.choice((1, 1, 8, 200))):
                    at = chance.randrange(100, len(data))
                    data[at] ^= 1 << chance.randrange(8)
                path.write_bytes(data)
                self.assert_held(path)

    def test_hostile_schemas(self):
        for name, statements in (
                ("a function in a CHECK", ["PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'fuzzy_key TEXT', 'fuzzy_key TEXT CHECK(load_extension(''x''))') WHERE name = 'samples'"]),
                ("an unknown collation", ["PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'sample_uuid_hash TEXT', 'sample_uuid_hash TEXT COLLATE none') WHERE name = 'samples'"]),
                ("a view that allocates", ["CREATE VIEW big AS SELECT zeroblob(2000000000)"]),
                ("many tables", ["BEGIN", *("CREATE TABLE more%d(x)" % number for number in range(2000)), "COMMIT"])):
            with self.subTest(name):
                path = self.base()
                execute(path, *statements)
                self.assertEqual(self.assert_held(path), 0 if name in ("a view that allocates", "many tables") else self.assert_held(path))

    def test_many_open_ranges_and_events_take_little_memory(self):
        path = self.base()
        with database(path) as connection:
            connection.executescript("""BEGIN; WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                INSERT INTO sample_visibility_ranges SELECT 1, NULL, 1, NULL, 1, NULL FROM n; COMMIT""")
        value = self.verify(path, "--only", "ranges,identities", "--max-findings", "3")
        self.assertLessEqual({"ranges.open_twice", "ranges.no_event", "identities.duplicate_row"}, set(value["counts"]))

    def test_an_archive_that_changes_meanwhile(self):
        path = self.generated(20000, journal="delete")
        report = self.folder / "results.xml"
        process = start("hp-verify", "archive", path, "--json", "--junit", report, stdout=subprocess.PIPE)
        moment = 1
        while process.poll() is None:
            os.utime(path, (moment, moment))
            moment += 1
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1)
        self.assertIn("archive.changed", json.loads(out)["counts"])
        case, = [case for case in xml.parse(report).iter("testcase") if case.get("name") == "%s: unchanged" % path]
        self.assertEqual([(held.tag, held.get("type"), held.get("message")) for held in case],
                         [("failure", "archive.changed", "changed while it was read")])

    def test_signals_end_it(self):
        path = self.generated(20000, journal="delete")
        process = start("hp-verify", "archive", path)
        # Stopped as soon as the archive is open: nearly all of the work is still to be done.
        while not has_open(process, path):
            self.assertIsNone(process.poll(), "it ended before it opened the archive")
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)


class Degraded(ArchiveCase):
    def test_a_capture_refuses_what_is_malformed_at_its_ends(self):
        base = self.base()
        size, = query(base, "PRAGMA page_size")[0]
        clean = base.read_bytes()
        for name, root in query(base, "SELECT name, rootpage FROM sqlite_schema WHERE name IN ('samples', 'sample_observation_events', 'idx_samples_uuid_hash', 'metadata_blobs')"):
            with self.subTest(name):
                path = self.folder / "damaged.sqlite"
                data = bytearray(clean)
                data[(root - 1) * size:(root - 1) * size + 8] = b"\xff" * 8
                path.write_bytes(data)
                result = hp_export("capture", path, "--apple-health", FIXTURES / "apple-health" / "month-1.xml", "--secret", self.secret, "--quiet")
                self.assert_refused(result, "damaged.sqlite")
                self.assertEqual(path.read_bytes(), bytes(data))

    def test_an_export_ends_at_the_first_row_that_cannot_be_read(self):
        path = self.base()
        size, = query(path, "PRAGMA page_size")[0]
        (root,), = query(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'sample_versions'")
        data = bytearray(path.read_bytes())
        leaf = int.from_bytes(data[(root - 1) * size + 8:(root - 1) * size + 12], "big")
        data[(leaf - 1) * size:leaf * size] = b"\xff" * size
        path.write_bytes(data)
        out = self.folder / "out.zst"
        self.assert_refused(hp_export("bundle", path, "-o", out, "--no-record"), "base.sqlite")
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
