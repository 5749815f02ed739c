"""hp-verify reproduce: recorded exports of every kind are recomputed; what changed is told apart from another version."""

import json
import os
import shutil
import sqlite3
import tempfile
import unittest

from support import FIXTURES, ROOT, hp_export, hp_verify

# Every kind of export, with options that the record has to bring back.
EXPORTS = [
    ("bundle",), ("bundle", "--history"), ("bundle", "--type", "HKQuantityTypeIdentifierHeartRate", "--since", "2000-01-01T00:00:00.123Z"),
    ("records", "--at", "2"), ("records", "--source", "com.example.one", "--until", "2000-02-01"), ("manifest",),
    ("diff",), ("diff", "--from", "4", "--to", "1"), ("diff", "--from", "1", "--changes", "changed,appeared"),
    ("diff", "--from", "1", "--summary", "--threshold", "window_gap_seconds=7200", "--format", "json"), ("diff", "--from", "1", "--findings", "--threshold", "minimum_days=2", "--format", "csv"), ("report", "--from", "1")]


class Reproduce(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hp-cli.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.archive = os.path.join(self.folder, "archive.sqlite")
        shutil.copy(FIXTURES / "archives" / "small.sqlite", self.archive)

    def export(self, exports=EXPORTS):
        for number, (command, *options) in enumerate(exports):
            run = hp_export(command, self.archive, *options, "-o", os.path.join(self.folder, "out%d" % number), "--quiet")
            self.assertEqual(run.status, 0, run)

    def change(self, *statements):
        with sqlite3.connect(self.archive) as database:
            for statement in statements:
                database.execute(statement)
        database.close()

    def outcomes(self, status, *options):
        before = open(self.archive, "rb").read()
        run = hp_verify("reproduce", self.archive, "--json", *options)
        self.assertEqual(run.status, status, run)
        self.assertEqual(open(self.archive, "rb").read(), before)
        result = json.loads(run.out)
        self.assertEqual(result["result"], "findings" if status else "ok")
        return result["exports"]

    def test_every_kind_comes_out_the_same(self):
        self.export()
        exports = self.outcomes(0)
        self.assertEqual([each["outcome"] for each in exports], ["same"] * len(EXPORTS))
        counts = [row[0] for row in sqlite3.connect(self.archive).execute("SELECT record_count FROM export_manifests ORDER BY id")]
        self.assertEqual([each["item_count"] for each in exports], counts)

    def test_a_type_that_was_learned_later_changes_nothing(self):
        self.export()
        self.change("INSERT INTO sample_types(type_identifier) VALUES ('com.example.a.later'), ('zz.later')")
        self.assertEqual({each["outcome"] for each in self.outcomes(0)}, {"same"})

    def test_a_changed_value_is_named_where_it_is_exported(self):
        self.export([("bundle",), ("records", "--type", "HKWorkoutTypeIdentifier")])
        with sqlite3.connect(self.archive) as database:
            version, sample = database.execute(
                "SELECT v.id, v.sample_id FROM sample_versions v JOIN sample_visibility_ranges r ON r.version_id = v.id JOIN samples s ON s.id = v.sample_id JOIN sample_types t ON t.id = s.sample_type_id "
                "WHERE r.last_observation_id IS NULL AND t.type_identifier LIKE '%StepCount' LIMIT 1").fetchone()
            recorded = database.execute("SELECT item_hash FROM export_items WHERE export_manifest_id = 1 AND version_id = ?", (version,)).fetchone()[0]
        database.close()
        self.change("UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE id = %d" % version)
        bundle, workouts = self.outcomes(1)
        self.assertEqual((bundle["outcome"], bundle["same_header"], bundle["same_manifest_hash"], bundle["difference_count"]), ("changed", True, False, 1))
        (difference,) = bundle["differences"]
        self.assertEqual((difference["kind"], difference["sample_id"], difference["version_id"], difference["expected"]), ("item_hash", str(sample), str(version), recorded))
        self.assertRegex(difference["found"], "^[0-9a-f]{64}$")
        self.assertEqual(workouts["outcome"], "same")
        text = hp_verify("reproduce", self.archive)
        self.assertIn("1 of 2 recorded exports reproduced", text.out.decode())

    def test_rows_that_went_and_came(self):
        self.export([("bundle",)])
        self.change("DELETE FROM export_items WHERE rowid = 5", "INSERT INTO export_items SELECT 1, sample_id, NULL, item_hash FROM export_items WHERE rowid = 7")
        (bundle,) = self.outcomes(1)
        self.assertEqual(sorted(each["kind"] for each in bundle["differences"]), ["item_absent", "item_unknown"])
        self.assertEqual((bundle["same_header"], bundle["same_manifest_hash"]), (True, True))

    def test_each_part_of_a_recorded_item_counts(self):
        """Every one of these leaves what else is recorded as it was: two items that exchange their hashes or their samples, one that is there twice, one that names no version."""
        rows = "SELECT sample_id, version_id, item_hash FROM export_items WHERE rowid IN (5, 6) ORDER BY rowid"
        self.export([("bundle",)])
        with sqlite3.connect(self.archive) as database:
            (sample, version, one), (other_sample, _, other) = database.execute(rows)
        database.close()
        kept = open(self.archive, "rb").read()
        for statements, kinds in (
                (["UPDATE export_items SET item_hash = CASE rowid WHEN 5 THEN '%s' ELSE '%s' END WHERE rowid IN (5, 6)" % (other, one)], ["item_hash", "item_hash"]),
                (["UPDATE export_items SET sample_id = CASE rowid WHEN 5 THEN %d ELSE %d END WHERE rowid IN (5, 6)" % (other_sample, sample)], ["item_absent", "item_absent", "item_unknown", "item_unknown"]),
                (["UPDATE export_items SET version_id = NULL WHERE rowid = 5"], ["item_absent", "item_unknown"]),
                (["UPDATE export_items SET version_id = %d WHERE rowid = 5" % (version + 1000000)], ["item_absent", "item_unknown"]),
                (["UPDATE export_items SET item_hash = CAST(item_hash AS BLOB) WHERE rowid = 5"], []),
                (["UPDATE export_items SET item_hash = upper(item_hash) WHERE rowid = 5"], ["item_hash"])):
            with self.subTest(statements=statements):
                with open(self.archive, "wb") as file:
                    file.write(kept)
                self.change(*statements)
                (bundle,) = self.outcomes(1 if kinds else 0)
                self.assertEqual(sorted(each["kind"] for each in bundle["differences"]), kinds)
                self.assertEqual((bundle["same_header"], bundle["same_manifest_hash"]), (True, True))

    def test_items_beyond_the_limit_are_counted(self):
        self.export([("bundle",)])
        self.change("DELETE FROM export_items WHERE rowid IN (5, 6)")
        (whole,) = self.outcomes(1)
        self.assertEqual((whole["difference_count"], len(whole["differences"])), (2, 2))
        for limit, listed in (("2", 2), ("1", 1), ("0", 0)):
            (bundle,) = self.outcomes(1, "--max-findings", limit)
            self.assertEqual(bundle, {**whole, "differences": whole["differences"][:listed]})
            text = hp_verify("reproduce", self.archive, "--max-findings", limit).out.decode()
            self.assertEqual([text.count(part) for part in ("    not recorded: ", "    %d more items differ\n" % (2 - listed), "more items differ")], [listed, listed < 2, listed < 2])

    def test_an_observation_that_says_something_else(self):
        self.export([("records", "--at", "2"), ("records", "--at", "3")])
        self.change("UPDATE observations SET os_version = '99.0' WHERE id = 2")
        second, third = self.outcomes(1)
        self.assertEqual((second["outcome"], second["same_header"], second["difference_count"]), ("changed", False, 0))
        self.assertEqual(third["outcome"], "same")

    def test_another_version_of_the_tools_is_told_apart(self):
        self.export([("bundle",), ("diff", "--summary", "--format", "json")])
        self.change("UPDATE export_manifests SET filter_json = replace(filter_json, '\"version\":\"0.1.0\"', '\"version\":\"0.0.9\"') WHERE id = 1")
        first, second = self.outcomes(1)
        self.assertEqual((first["outcome"], first["generator_version"]), ("other_version", "0.0.9"))
        self.assertEqual(second["outcome"], "same")
        lines = hp_verify("reproduce", self.archive).out.decode().splitlines()
        self.assertEqual(lines[1], "  %s  recovery_bundle  other_version, made by version 0.0.9  %d items"
                         % (first["export_id"], first["item_count"]))

    def test_what_other_tools_recorded(self):
        self.export([("bundle",)])
        for filter_json in ("NULL", "'{}'", "'no json'", "'{\"filter\":{},\"generator\":{\"name\":\"other\",\"version\":\"1\"},\"scope\":{\"mode\":\"history\"}}'",
                            "'%s'" % ("[" * 100_000)):
            self.change("UPDATE export_manifests SET filter_json = %s" % filter_json)
            (export,) = self.outcomes(1)
            self.assertEqual(export["outcome"], "not_ours", filter_json[:80])

    def test_records_that_contradict_themselves(self):
        """Of our own name and version, but no question that these tools ask."""
        self.export([("bundle",), ("bundle", "--history"), ("diff", "--from", "1", "--label", "disappeared,uncertain"), ("diff", "--from", "1", "--summary", "--format", "json")])
        with sqlite3.connect(self.archive) as database:
            recorded = [json.loads(text) for text, in database.execute("SELECT filter_json FROM export_manifests ORDER BY id")]
        database.close()
        self.assertEqual({each["outcome"] for each in self.outcomes(0)}, {"same"})
        clean = open(self.archive, "rb").read()
        for number, name, filter_, scope, columns in (
                (1, "records that overlap no time", {"overlapping": True}, {}, ""), (2, "related records of a history", {"with_related": True}, {}, ""),
                (3, "an unknown label", {}, {"labels": ["disappeared", "vanished"]}, ""), (3, "an unknown change", {}, {"changes": ["appeared", "vanished"]}, ""),
                (1, "changes of one observation", {}, {"mode": "changes"}, ""), (4, "changes without the first observation", {}, {}, "from_observation_id = NULL"),
                (1, "one moment of two observations", {}, {}, "from_observation_id = 1"), (2, "a history of two observations", {}, {}, "from_observation_id = 1")):
            with self.subTest(name):
                with open(self.archive, "wb") as file:
                    file.write(clean)
                question = {**recorded[number - 1], "filter": {**recorded[number - 1]["filter"], **filter_}, "scope": {**recorded[number - 1]["scope"], **scope}}
                text = json.dumps(question, sort_keys=True, separators=(",", ":"))
                self.change("UPDATE export_manifests SET filter_json = '%s'%s WHERE id = %d" % (text, columns and ", " + columns, number))
                expected = ["not_ours" if each == number else "same" for each in range(1, 5)]
                self.assertEqual([each["outcome"] for each in self.outcomes(1)], expected)

    def test_one_export(self):
        self.export()
        ids = [row[0] for row in sqlite3.connect(self.archive).execute("SELECT export_id FROM export_manifests ORDER BY id")]
        exports = self.outcomes(0, "--export", ids[3], "--export", ids[0])
        self.assertEqual([each["export_id"] for each in exports], [ids[3], ids[0]])
        run = hp_verify("reproduce", self.archive, "--export", "00000000-0000-8000-8000-000000000000")
        self.assertEqual((run.status, run.out), (2, b""))
        self.assertRegex(run.err, "recorded no export 0000")

    def test_one_archive_is_named(self):
        for words in ((), (self.archive, self.archive)):
            run = hp_verify("reproduce", *words)
            self.assertEqual((run.status, run.out), (2, b""), run)
            self.assertEqual(run.err.splitlines()[0], "hp-verify: error: name one archive")

    def test_where_nothing_is_recorded_nothing_was_reproduced(self):
        self.assertEqual(self.outcomes(1), [])
        self.assertIn(b"no export is recorded", hp_verify("reproduce", self.archive).out)

    def test_the_output_is_as_its_schema_says(self):
        import jsonschema

        self.export([("bundle",), ("diff", "--summary", "--format", "json")])
        self.change("UPDATE sample_versions SET numeric_value = 1 WHERE numeric_value IS NOT NULL")
        schema = json.loads((ROOT / "Spec" / "schemas" / "reproduce-result.json").read_text())
        jsonschema.validate(json.loads(hp_verify("reproduce", self.archive, "--json").out), schema)


if __name__ == "__main__":
    unittest.main()
