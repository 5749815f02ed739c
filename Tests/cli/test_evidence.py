"""hp-verify bundle --archive as a process: what was recorded, what the evidence gives, and what is not recorded."""

import json
import shutil
import struct
import unittest

import zstandard

from support import execute, hp_export, hp_verify, lines_of, query
from test_verify import MATCHES, MATCHES_RECORD, Verified


def framed(lines):
    """A bundle of these lines as they are, in one frame."""
    text = b"".join(line + b"\n" for line in lines)
    frame = zstandard.ZstdCompressor(write_checksum=True).compress(text)
    body = struct.pack("<II", len(frame), len(text)) + struct.pack("<IBI", 1, 0, 0x8F92EAB1)
    return frame + struct.pack("<II", 0x184D2A5E, len(body)) + body


def answers(file):
    return file["record"], file.get("evidence")


class Evidence(Verified):
    def exported(self, name="small.sqlite", *options):
        archive, bundle = self.fixture(name), self.folder / "out.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle, "--force", *options))
        return archive, bundle

    def test_values_that_were_changed_are_found_though_the_record_agrees(self):
        archive, bundle = self.exported()
        lines = lines_of(bundle)
        values = {number: json.loads(line)["item"].get("numeric_value") for number, line in enumerate(lines[1:-1], 2)}
        # Of the greatest values, one more is the same number.
        with_values = [number for number, value in values.items() if value is not None and value + 1.0 != value]
        self.assertGreater(len(with_values), 5)
        execute(archive, "UPDATE sample_versions SET numeric_value = numeric_value + 1")
        file = self.verify(bundle, "--archive", archive)
        self.assertEqual(answers(file), ("agrees", "differs"))
        self.assertEqual(file["counts"], {"archive.evidence_changed": len(with_values)})
        self.assertEqual(sorted(finding["line"] for finding in file["findings"]), with_values)
        file = self.verify(bundle, "--archive", archive, "--recorded-only")
        self.assertEqual((file["verdict"], *answers(file)), (MATCHES_RECORD, "agrees", None))

    def test_every_column_that_an_item_has_is_compared(self):
        one = " WHERE id = (SELECT min(id) FROM sample_versions WHERE id IN (SELECT version_id FROM sample_visibility_ranges WHERE last_observation_id IS NULL))"
        sample = " WHERE id = (SELECT min(sample_id) FROM sample_visibility_ranges WHERE last_observation_id IS NULL)"
        changes = ["UPDATE sample_versions SET %s%s" % (change, one) for change in (
            "start_date = start_date + 1", "end_date = end_date + 1", "value_kind = 'other'", "numeric_value = ifnull(numeric_value, 0) + 0.5",
            "numeric_value = -0.0", "numeric_value = 9e999", "numeric_value = 'text'", "numeric_value = x'00'",
            "unit = ifnull(unit, '') || 'x'", "unit = NULL, value_kind = NULL", "category_value = ifnull(category_value, 0) + 1",
            "category_value = 9007199254740993", "workout_activity_type = 3", "duration_seconds = 1.5", "source_revision_id = 9999",
            "hk_device_id = 9999", "metadata_id = 9999", "created_observation_id = created_observation_id + 1")]
        changes += ["UPDATE samples SET %s%s" % (change, sample) for change in (
            "semantic_fingerprint = 'x'", "fuzzy_key = 'other'", "first_seen_observation_id = first_seen_observation_id + 1", "first_seen_at = first_seen_at + 1")]
        changes += ["UPDATE sample_visibility_ranges SET first_seen_at = first_seen_at + 1 WHERE rowid = (SELECT min(rowid) FROM sample_visibility_ranges WHERE last_observation_id IS NULL)",
                    "UPDATE source_revisions SET version = ifnull(version, '') || 'x'", "UPDATE sources SET bundle_identifier = bundle_identifier || 'x'",
                    "DELETE FROM sources", "UPDATE hk_devices SET model = ifnull(model, '') || 'x'",
                    "UPDATE metadata_blobs SET metadata_json = '{\"changed\":1}'", "UPDATE metadata_blobs SET metadata_json = ' ' || metadata_json",
                    "UPDATE sample_relationships SET relationship_kind = relationship_kind || 'x'", "DELETE FROM sample_relationships"]
        archive, bundle = self.exported()
        for change in changes:
            with self.subTest(change):
                changed = self.folder / "changed.sqlite"
                shutil.copyfile(archive, changed)
                execute(changed, "PRAGMA foreign_keys = OFF", change)
                file = self.verify(bundle, "--archive", changed)
                self.assertEqual(answers(file), ("agrees", "differs"))
                self.assertEqual(set(file["counts"]), {"archive.evidence_changed"})

    def test_what_identifies_an_item_is_looked_for_on_both_sides(self):
        archive, bundle = self.exported()
        execute(archive, "UPDATE samples SET sample_uuid_hash = '%s' WHERE id = (SELECT min(sample_id) FROM sample_visibility_ranges WHERE last_observation_id IS NULL)" % ("b" * 64))
        file = self.verify(bundle, "--archive", archive)
        # The record names samples by their rows, so that it has another item too.
        self.assertLessEqual({"archive.evidence_unknown", "archive.evidence_absent"}, set(file["counts"]))

    def test_an_export_that_is_not_recorded_is_known_by_its_evidence(self):
        for name in ("small", "defects", "two-chains", "utf16", "unsettled", "extra-columns", "identity"):
            for options in ((), ("--at", "1"), ("--since", "2000-01-01T00:00:00Z"), ("--type", "HKQuantityTypeIdentifierHeartRate", "--until", "2001-06-01T00:00:00Z"), ("--since", "2000-01-01T00:10:00Z", "--overlapping"), ("--source", "com.example.none")):
                with self.subTest(name, options=options):
                    archive, out = self.fixture(name + ".sqlite"), self.folder / "out.zst"
                    self.assert_good(hp_export("bundle", archive, "-o", out, "--force", "--no-record", *options))
                    file = self.verify(out, "--archive", archive)
                    self.assertEqual((file["result"], file["verdict"], *answers(file)), ("ok", "valid: reproduced, not recorded", "not_recorded", "given"))
                    self.assertEqual(self.codes(out, "--archive", archive, "--recorded-only"), {"archive.export_unknown"})

    def test_what_begins_where_a_filter_ends_or_ended_where_it_begins_is_not_of_it(self):
        archive, out = self.fixture(), self.folder / "out.zst"
        for options, moment, at_edge in (
                (("--until", "2000-01-01T00:00:00Z"), 946684800, "start_date"), (("--since", "2000-01-01T00:00:00Z"), 946684800, "start_date"),
                (("--since", "2000-01-01T00:08:02Z", "--overlapping"), 946685282, "end_date")):
            with self.subTest(options):
                visible = "sample_versions v JOIN sample_visibility_ranges r ON r.version_id = v.id WHERE last_observation_id IS NULL AND "
                self.assertNotEqual(query(archive, "SELECT count(*) FROM %s v.%s = ?" % (visible, at_edge), moment), [(0,)])
                kept = {"--until": "start_date < ?1", "--since": "start_date >= ?1"}[options[0]] + (" OR v.end_date > ?1" if len(options) > 2 else "")
                self.assert_good(hp_export("bundle", archive, "-o", out, "--force", "--no-record", *options))
                self.assertEqual([(len(lines_of(out)) - 2,)], query(archive, "SELECT count(*) FROM %s (v.%s)" % (visible, kept), moment))
                self.assertEqual(answers(self.verify(out, "--archive", archive)), ("not_recorded", "given"))

    def test_the_device_chain_is_compared(self):
        archive, bundle = self.exported()
        execute(archive, "UPDATE device_chains SET created_at = created_at + 1")
        file = self.verify(bundle, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.evidence_header": 1}, "agrees", "differs"))

    def test_a_part_of_what_is_not_recorded_is_unknown(self):
        """All items are there and all are given, but the file is not the whole export."""
        archive, bundle = self.exported("small.sqlite", "--no-record")
        cut, saved = self.folder / "cut.zst", self.folder / "saved.zst"
        cut.write_bytes(framed([*lines_of(bundle)[:-1], b""]))
        self.assertEqual(self.verify(cut)["counts"], {"line.blank": 1})
        file = self.verify(cut, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.export_unknown": 1, "line.blank": 1}, "not_recorded", "given"))
        self.assert_good(hp_verify("salvage", bundle, "-o", saved))
        self.assertEqual(self.verify(saved)["findings"], [])
        file = self.verify(saved, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.export_unknown": 1}, "not_recorded", "given"))

    def test_tables_are_compared_too(self):
        archive, table = self.fixture(), self.folder / "out.csv"
        self.assert_good(hp_export("records", archive, "-o", table))
        file = self.verify(table, "--archive", archive)
        self.assertEqual((file["verdict"], *answers(file)), (MATCHES, "agrees", "given"))

    KINDS = (("bundle",), ("bundle", "--history"), ("bundle", "--profile", "share"), ("records", "--format", "jsonl"), ("records", "--history"),
             ("records", "--type", "HKQuantityTypeIdentifierHeartRate", "--with-related"), ("records", "--view", "people"), ("manifest", "--format", "json"), ("diff",),
             ("diff", "--changes", "appeared"), ("diff", "--view", "people"), ("diff", "--summary", "--format", "csv"), ("diff", "--findings", "--format", "json"),
             ("diff", "--pairs", "--format", "bundle"), ("report",), ("days", "--format", "jsonl"), ("days", "--by", "month", "--method", "greatest"))

    def each_kind(self, archive, *options):
        """Exports of every kind, in some container each."""
        endings = {"bundle": ".jsonl.zst", "report": ".html"}
        for words in self.KINDS:
            form = words[words.index("--format") + 1] if "--format" in words else "csv"
            out = self.folder / ("out" + endings.get(words[0], endings.get(form, "." + form)))
            self.assert_good(hp_export(words[0], archive, *words[1:], "-o", out, "--force", *options))
            yield words, out

    def test_every_kind_that_is_not_recorded_is_known_by_what_the_archive_gives(self):
        archive = self.fixture()
        for words, out in self.each_kind(archive, "--no-record"):
            file = self.verify(out, "--archive", archive)
            self.assertEqual((file["result"], *answers(file)), ("ok", "not_recorded", "given"), words)
            self.assertIn(": reproduced, not recorded", file["verdict"])

    def test_every_kind_that_is_recorded_matches_and_what_was_changed_is_found(self):
        archive, changed = self.fixture(), self.folder / "changed.sqlite"
        for words, out in self.each_kind(archive):
            file = self.verify(out, "--archive", archive)
            self.assertEqual((file["result"], *answers(file)), ("ok", "agrees", "given"), words)
            shutil.copyfile(archive, changed)
            execute(changed, "DELETE FROM sample_visibility_ranges WHERE last_observation_id IS NULL", "DELETE FROM sample_observation_events",
                    "UPDATE observation_type_runs SET started_at = started_at + 1")
            file = self.verify(out, "--archive", changed)
            self.assertEqual(answers(file), ("agrees", "differs"), words)
            self.assertIn("archive.evidence_header" if "share" not in words else "archive.evidence_unknown", file["counts"])

    def test_a_coverage_that_changed_is_found(self):
        archive, bundle = self.exported()
        execute(archive, "UPDATE observation_type_runs SET started_at = started_at + 1")
        file = self.verify(bundle, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.evidence_header": 1}, "agrees", "differs"))
        archive, bundle = self.exported("small.sqlite", "--no-record")
        execute(archive, "UPDATE observation_type_runs SET started_at = started_at + 1")
        file = self.verify(bundle, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.export_unknown": 1}, "not_recorded", "differs"))

    def test_a_report_whose_numbers_the_archive_gives_otherwise_is_found(self):
        archive, out = self.fixture(), self.folder / "out.jsonl"
        self.assert_good(hp_export("diff", archive, "--summary", "--format", "jsonl", "-o", out, "--from", "1"))
        execute(archive, "UPDATE sample_versions SET numeric_value = 2 * numeric_value")
        file = self.verify(out, "--archive", archive)
        self.assertEqual((set(file["counts"]), *answers(file)), ({"archive.evidence_absent", "archive.evidence_unknown"}, "agrees", "differs"))
        self.assertEqual(self.verify(out, "--archive", archive, "--recorded-only")["result"], "ok")

    def test_an_export_that_is_not_recorded_and_not_given_is_unknown(self):
        archive, bundle = self.exported("small.sqlite", "--no-record")
        execute(archive, "UPDATE sample_versions SET numeric_value = numeric_value + 1")
        file = self.verify(bundle, "--archive", archive)
        self.assertEqual((file["counts"], *answers(file)), ({"archive.export_unknown": 1}, "not_recorded", "differs"))

    def test_an_item_that_is_not_what_its_hash_says_is_one_finding(self):
        archive, bundle = self.exported()
        lines = lines_of(bundle)
        index = next(number for number, line in enumerate(lines) if b'"numeric_value":' in line)
        lines[index] = lines[index].replace(b'"numeric_value":', b'"numeric_value":1', 1)
        (self.folder / "changed.zst").write_bytes(framed(lines))
        file = self.verify(self.folder / "changed.zst", "--archive", archive)
        self.assertEqual(set(file["counts"]), {"item.hash"})

    def test_a_consistent_rewriting_is_found_by_an_older_bundle(self):
        archive, kept = self.exported()
        execute(archive, "UPDATE sample_versions SET numeric_value = 71 WHERE id = (SELECT min(version_id) FROM sample_visibility_ranges "
                "JOIN sample_versions ON id = version_id WHERE last_observation_id IS NULL AND numeric_value BETWEEN 50 AND 70)", "DELETE FROM export_items", "DELETE FROM export_manifests")
        new = self.folder / "new.zst"
        self.assert_good(hp_export("bundle", archive, "-o", new))
        # What was recorded anew fits the rows, and nothing in the archive tells.
        self.assertEqual(answers(self.verify(new, "--archive", archive)), ("agrees", "given"))
        self.assertEqual(hp_verify("reproduce", archive).status, 0)
        file = self.verify(kept, "--archive", archive)
        self.assertEqual(file["counts"], {"archive.manifest_hash": 1, "archive.item_hash": 1, "archive.evidence_changed": 1})

    def test_only_an_archive_can_be_asked_for_its_record(self):
        _, bundle = self.exported()
        self.assert_refused(hp_verify("bundle", bundle, "--recorded-only"), "--archive", name="hp-verify")


if __name__ == "__main__":
    unittest.main()
