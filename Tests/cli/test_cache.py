"""The report cache: its rows computed here by SQL from the archive and from `diff --summary`, each reason to make it anew, damage, and what never happens to the archive."""

import concurrent.futures
import hashlib
import json
import random
import re
import shutil
import unittest

from report_support import ReportCase
from archive_builder import STEPS, Builder
from support import FIXTURES, database, execute, hp_export, hp_verify, query, schemas, takes_long

ENTITIES = ["CachedArchiveHealth", "CachedObservationRow", "CachedTypeSummary", "CachedDailyAggregate", "CachedDiffSummary", "CachedExportManifest"]
OBSERVATIONS = """
SELECT o.id, o.observed_at, o.status, o.trigger_reason, o.time_zone_identifier,
    (SELECT count(DISTINCT sample_type_id) FROM observation_type_runs r WHERE r.observation_id = o.id),
    (SELECT sum(visible_record_count) FROM observation_type_summaries s JOIN observations p ON p.id = s.observation_id WHERE p.device_chain_id = o.device_chain_id
        AND p.id = (SELECT max(q.id) FROM observation_type_summaries m JOIN observations q ON q.id = m.observation_id
            WHERE m.sample_type_id = s.sample_type_id AND q.device_chain_id = o.device_chain_id AND q.id <= o.id)),
    coalesce((SELECT sum(appeared_count) FROM observation_type_summaries s WHERE s.observation_id = o.id), 0),
    coalesce((SELECT sum(disappeared_count) FROM observation_type_summaries s WHERE s.observation_id = o.id), 0),
    coalesce((SELECT sum(representation_changed_count) FROM observation_type_summaries s WHERE s.observation_id = o.id), 0), %s, o.schema_version
FROM observations o ORDER BY o.id"""
SUMMARIES = """
SELECT observation_id, type_identifier, display_name, visible_record_count, appeared_count, disappeared_count, representation_changed_count,
    earliest_start_date, latest_end_date, value_sum, value_max, aggregate_hash, %s, 2
FROM observation_type_summaries s JOIN sample_types t ON t.id = s.sample_type_id"""
DAYS = """
SELECT d.observation_id, type_identifier, bucket_start, bucket_end, o.time_zone_identifier, visible_record_count, value_sum, value_max, d.source_revision_id, aggregate_hash, 2
FROM daily_type_aggregates d JOIN sample_types t ON t.id = d.sample_type_id JOIN observations o ON o.id = d.observation_id
    LEFT JOIN source_revisions r ON r.id = d.source_revision_id LEFT JOIN sources c ON c.id = r.source_id"""
UNKNOWN = "(SELECT count(*) FROM observation_type_runs u LEFT JOIN type_run_facts f ON f.type_run_id = u.id WHERE u.observation_id = o.id AND ifnull(f.state, 'unknown') = 'unknown')"
STATE = "(SELECT f.state FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id WHERE u.observation_id = s.observation_id AND u.sample_type_id = s.sample_type_id)"
REVISIONS = """SELECT r.id, source_name_hash, bundle_identifier, product_type, version, operating_system_version
FROM source_revisions r LEFT JOIN sources c ON c.id = r.source_id"""
EXPORTS = "SELECT export_id, export_kind, created_at, from_observation_id, to_observation_id, filter_json, record_count, manifest_hash, NULL, 'recorded', 2 FROM export_manifests"


def ordered(rows):
    return sorted((tuple(row) for row in rows), key=lambda row: [(value is not None, str(type(value)), value) for value in row])


class Cache(ReportCase):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / (self.archive.name + ".cache")

    def capture(self, month):
        self.assert_good(hp_export("capture", self.archive, "--apple-health", FIXTURES / "apple-health" / ("month-%d.xml" % month), "--quiet"))

    def run_cache(self, *words, status=0):
        result = hp_export("cache", self.archive, *words, "--json")
        self.assertEqual(result.status, status, result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schemas.validator("cache-result").iter_errors(value)], [])
        return value

    def reasons(self):
        value = self.run_cache("status", status=1)
        self.assertEqual(value["status"], "outdated")
        return value["reasons"]

    def rows(self, entity, path=None):
        """The derived fields of a table."""
        with database(path or self.cache) as connection:
            names = [row[1] for row in connection.execute("PRAGMA table_info(%s)" % entity)]
            self.assertEqual(names[-4:], ["cacheSchemaVersion", "cacheBuildID", "sourceAggregateHash", "computedAt"])
            return ordered(connection.execute("SELECT %s FROM %s" % (", ".join(names[:-4]), entity)).fetchall())

    def expected_changes(self):
        """By `diff --summary` of each pair of neighbours."""
        found = []
        pairs = query(self.archive, "SELECT previous, id FROM (SELECT id, lag(id) OVER (PARTITION BY device_chain_id ORDER BY id) AS previous FROM observations "
                                    "WHERE status NOT IN ('running', 'started')) WHERE previous IS NOT NULL")
        for before, after in pairs:
            items = self.items("diff_summary", from_=before, to=after)
            for item in items:
                counts = [item[name + "_count"] for name in ("appeared", "disappeared", "representation_changed")]
                links = [item.get("relationship_%s_count" % name, 0) for name in ("appeared", "changed", "disappeared")]
                if "standing" in item and any(counts + links):
                    windows = [other for other in items if "label" in other and other.get("sample_type") == item.get("sample_type")]
                    reasons = sorted({reason for window in windows for reason in window.get("reasons", [])} | set(item.get("standing_reasons", []) if any(links) else []))
                    likely = int(any(window["label"] == "consolidationLikely" for window in windows))
                    found.append((before, after, item.get("sample_type"), *counts, likely, " ".join(reasons) or None, *links, 2))
        return ordered(found)

    def items(self, kind, from_, to):
        text = self.assert_good(hp_export("diff", self.archive, "--summary", "--from", str(from_), "--to", str(to), "--format", "jsonl", "--no-record", "--quiet", "-o", "-")).out
        return [json.loads(line)["item"] for line in text.splitlines()[1:-1]]

    def assert_right(self):
        self.assertEqual(self.run_cache("status")["status"], "current")
        has_facts = bool(query(self.archive, "SELECT 1 FROM sqlite_master WHERE name = 'type_run_facts'"))
        display = {row[0]: hashlib.sha256("".join("-\n" if value is None else "%s\n" % value for value in row).encode()).hexdigest() for row in query(self.archive, REVISIONS)}
        observations, summaries = OBSERVATIONS % (UNKNOWN if has_facts else "NULL"), SUMMARIES % (STATE if has_facts else "NULL")
        for entity, sql in (("CachedObservationRow", observations), ("CachedTypeSummary", summaries), ("CachedDailyAggregate", DAYS), ("CachedExportManifest", EXPORTS)):
            expected = [tuple(row) for row in query(self.archive, sql)]
            if entity == "CachedDailyAggregate":
                expected = [(*row[:8], display.get(row[8]), *row[9:]) for row in expected]
            self.assertEqual(self.rows(entity), ordered(expected), entity)
        self.assertEqual(self.rows("CachedDiffSummary"), self.expected_changes())
        self.assertEqual(self.agreement(), [])

    def agreement(self):
        value = json.loads(hp_verify("archive", self.archive, "--only", "schema", "--json").out)
        self.assertEqual([error.message for error in schemas.validator("verify-archive-result").iter_errors(value)], [])
        return value["cache"]["differs"]

    def whole(self):
        """The rows of a cache that is made anew as a whole."""
        kept = self.cache.read_bytes()
        self.assertTrue(self.run_cache("rebuild", "--whole")["whole"])
        rows = {entity: self.rows(entity) for entity in ENTITIES}
        self.cache.write_bytes(kept)
        return rows

    def test_rows_are_those_of_the_archive_and_grow_with_it(self):
        self.capture(0)
        before = self.archive.read_bytes()
        self.assertEqual(self.run_cache("status", status=1)["status"], "absent")
        self.assertEqual(self.run_cache("rebuild")["reasons"], [])
        self.assertEqual(self.archive.read_bytes(), before)
        self.assert_right()
        self.capture(1)
        self.assertEqual(self.reasons(), ["observations"])
        made = self.run_cache("rebuild")
        self.assertEqual((made["whole"], made["observation_count"], made["reasons"]), (False, 1, ["observations"]))
        self.assert_right()
        self.assertEqual(self.whole(), {entity: self.rows(entity) for entity in ENTITIES})
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "bundle.zst", "--quiet"))
        self.assertEqual(self.reasons(), ["exports"])
        self.assertEqual(self.run_cache("rebuild")["observation_count"], 0)
        self.assert_right()

    def test_health_is_what_the_context_log_says(self):
        self.capture(0)
        self.run_cache("rebuild")
        self.assertEqual(self.rows("CachedArchiveHealth"), [(2, None, None, None, None)])
        self.assert_good(hp_export("check", self.archive, "--quiet"))
        self.assertEqual(self.reasons(), ["health"])
        self.run_cache("rebuild")
        logged = query(self.archive, "SELECT logged_at FROM context_log WHERE event_kind = 'integrity_checked'")[0][0]
        self.assertEqual(self.rows("CachedArchiveHealth"), [(2, logged, "ok", None, None)])
        with database(self.archive) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("UPDATE sample_versions SET sample_id = 999999 WHERE id = 1")
        self.assertEqual(hp_export("check", self.archive, "--quiet").status, 1)
        self.run_cache("drop")
        self.run_cache("rebuild")
        detail = query(self.archive, "SELECT detail_json FROM context_log WHERE event_kind = 'integrity_checked' ORDER BY id DESC LIMIT 1")[0][0]
        row = self.rows("CachedArchiveHealth")[0]
        self.assertEqual(row[2:], ("findings", " ".join(json.loads(detail)["degraded"]), hashlib.sha256(detail.encode()).hexdigest()))

    def test_each_reason_makes_it_anew(self):
        self.capture(0)
        self.capture(1)
        self.run_cache("rebuild")
        kept = self.archive.read_bytes()
        faults = {
            "aggregates": "UPDATE observation_type_summaries SET value_sum = 1e9 WHERE observation_id = 2 AND sample_type_id = 1",
            "types": "UPDATE sample_types SET display_name = 'another' WHERE id = 1",
            "archive_schema_version": "INSERT INTO schema_migrations(version, applied_at, description) VALUES (3, 0, 'later')",
        }
        for reason, sql in faults.items():
            with database(self.archive) as connection:
                connection.execute(sql)
            if reason != "archive_schema_version":
                self.assertEqual(self.reasons(), [reason])
                self.assertNotEqual(self.agreement() if reason == "aggregates" else ["types"], [])
                self.assertTrue(self.run_cache("rebuild")["whole"])
                self.assertEqual(self.run_cache("status")["status"], "current")
            self.archive.write_bytes(kept)
            self.run_cache("rebuild", "--whole")
        for name, reason in (("cache_schema_version", "cache_schema_version"), ("archive", "archive_reset"), ("archive_schema_version", "archive_schema_version")):
            with database(self.cache) as connection:
                connection.execute("UPDATE CacheState SET value = '7' WHERE name = ?", (name,))
            self.assertEqual(self.reasons(), [reason])
            self.assertTrue(self.run_cache("rebuild")["whole"])
            self.assert_right()
        with database(self.archive) as connection:
            connection.execute("UPDATE daily_type_aggregates SET value_max = 77777 WHERE rowid = (SELECT max(rowid) FROM daily_type_aggregates)")
        self.assertEqual(self.reasons(), ["aggregates"])
        self.assertEqual(self.agreement(), ["CachedDailyAggregate"])
        self.archive.write_bytes(kept)
        other = self.folder / "other.sqlite"
        self.assert_good(hp_export("capture", other, "--apple-health", FIXTURES / "apple-health" / "month-0.xml", "--quiet"))
        self.assert_good(hp_export("cache", other, "rebuild"))
        shutil.copy(str(other) + ".cache", self.cache)
        self.assertIn("archive_reset", self.reasons())
        self.assertTrue(self.run_cache("rebuild")["whole"])
        self.assert_right()

    def test_damage_is_never_trusted(self):
        self.capture(0)
        self.run_cache("rebuild")
        whole, chance = self.cache.read_bytes(), random.Random(19)
        damages = [b"", b"x", whole[:5000], bytes(len(whole)), self.archive.read_bytes(), whole[:100] + bytes(4096) + whole[4196:]]
        for data in damages:
            self.cache.write_bytes(data)
            self.assertEqual(self.reasons(), ["damaged"])
            self.assertTrue(self.run_cache("rebuild")["whole"])
            self.assert_right()
        for _ in range(30):
            at = chance.randrange(len(whole))
            self.cache.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1:])
            value = hp_export("cache", self.archive, "status", "--json")
            self.assertIn(value.status, (0, 1), value)
            self.assertEqual(hp_export("list", self.archive, "observations").status, 0)
            self.run_cache("rebuild", "--whole")
            self.assertEqual(self.run_cache("status")["status"], "current")
        with database(self.cache) as connection:
            connection.execute("CREATE TRIGGER t AFTER INSERT ON CacheState BEGIN DELETE FROM CachedObservationRow; END")
        self.assertEqual(self.reasons(), ["damaged"])
        self.cache.unlink()
        self.cache.mkdir()
        self.assertEqual(self.reasons(), ["damaged"])
        self.assertEqual(hp_export("cache", self.archive, "rebuild").status, 2)

    def test_each_table_that_differs_is_named(self):
        """One row of it says something else, or is gone: hp-verify archive compares all of them."""
        self.capture(0)
        self.capture(1)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--quiet"))
        self.run_cache("rebuild")
        whole = self.cache.read_bytes()
        said = hp_verify("archive", self.archive, "--only", "schema").out.decode().splitlines()
        self.assertIn("  the cache beside it agrees", said)
        for entity in ENTITIES:
            with database(self.cache) as connection:
                name = connection.execute("SELECT name FROM pragma_table_info(?) WHERE name LIKE '%Count'"
                                          " OR name LIKE 'archive%' OR name LIKE 'record%'", (entity,)).fetchone()[0]
            for change in ("UPDATE %s SET %s = 99 WHERE rowid = (SELECT max(rowid) FROM %s)" % (entity, name, entity),
                           "DELETE FROM %s WHERE rowid = (SELECT max(rowid) FROM %s)" % (entity, entity)):
                with self.subTest(change):
                    self.cache.write_bytes(whole)
                    execute(self.cache, change)
                    self.assertEqual(self.agreement(), [entity])
                    said = hp_verify("archive", self.archive, "--only", "schema").out.decode().splitlines()
                    self.assertIn("  the cache beside it differs in %s: hp-export cache rebuilds it" % entity, said)

    def test_deleting_it_loses_nothing(self):
        self.capture(0)
        listed = hp_export("list", self.archive, "observations", "--json")
        self.run_cache("rebuild")
        cached = json.loads(hp_export("list", self.archive, "observations", "--json").out)
        self.assertEqual([error.message for error in schemas.validator("list").iter_errors(json.loads(listed.out))], [])
        self.assertEqual(cached, json.loads(listed.out))
        self.assertEqual(self.run_cache("drop")["dropped"], True)
        self.assertEqual(self.run_cache("drop")["dropped"], False)
        self.assertEqual(hp_export("list", self.archive, "observations", "--json").out, listed.out)
        self.assertNotIn("cache", json.loads(hp_verify("archive", self.archive, "--only", "schema", "--json").out))

    def test_two_processes_and_a_folder_that_cannot_be_written(self):
        self.capture(0)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _: hp_export("cache", self.archive, "rebuild", "--whole"), range(8)))
        self.assertEqual({result.status for result in results}, {0})
        self.assert_right()
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.endswith(".partial")], [])
        output = hp_export("bundle", self.archive, "-o", self.cache, "--force", "--quiet")
        self.assertEqual(output.status, 2, output)
        self.assert_right()

    @takes_long
    def test_random_histories_step_by_step(self):
        """Built whole, built step by step, by `diff --summary`, and counted here from the ranges: all the same."""
        chance = random.Random(3)
        for round in range(8):
            for leftover in self.folder.glob(self.archive.name + "*"):
                leftover.unlink()
            self.write_history(chance, "backup-%d" % round)
            self.run_cache("rebuild")
            self.assert_right()
            self.assertEqual([row[:6] for row in self.rows("CachedDiffSummary")], self.counted())
            for before, after in ((1, 2), (3, 4)):
                self.assert_counts(before, after, "cache")
            whole = {entity: self.rows(entity) for entity in ENTITIES}
            self.step_by_step()
            self.assertEqual({entity: self.rows(entity) for entity in ENTITIES}, whole)

    def write_history(self, chance, backup):
        """Records of four types over weeks: some condensed, some with other versions, some across days, some ended."""
        types = (STEPS, "HKQuantityTypeIdentifierHeartRate", "HKCategoryTypeIdentifierSleepAnalysis", "com.example.mood")
        runs = {(number, name): chance.choice(["partial", None]) for number in range(1, 7) for name in types if chance.random() < 0.1}
        builder = Builder(self.archive, 6, types=types, runs=runs)
        for number in range(chance.choice((40, 120))):
            name = chance.choice(types)
            kind = {"kind": "category", "category": chance.randrange(3)} if "Category" in name else {"value": chance.randrange(1, 50), "unit": "count/min" if "Heart" in name else "count"}
            first = chance.randrange(1, 6)
            last = chance.choice([None, None, *range(first + 1, 7)])
            start = chance.randrange(24) * 43_200 + chance.choice((0, 3600, 86_390))
            length = chance.choice((0, 60, 600, 7200, 90_000, 400_000)) if chance.random() < 0.5 else 60
            sample = builder.record(start, start + length, sample_type=name, first=first, last=last, **kind)
            if last and chance.random() < 0.3:
                builder.version(sample, start + chance.choice((0, 60, 200_000)), start + length + 300_000, first=last, last=None, **kind)
            elif last and chance.random() < 0.4 and "value" in kind:
                for part in range(3):
                    builder.record(start + part * 60, start + part * 60 + 60, sample_type=name, first=1, last=last, **kind)
                builder.record(start, start + 180, sample_type=name, first=last, **{**kind, "value": kind["value"] * (3 if name == STEPS else 1)})
        for number in range(chance.randrange(3)):
            builder.version(chance.randrange(1, builder.samples + 1), 5e9, -5e9, 1.0, first=chance.randrange(1, 6), payload="%064x" % (10 ** 9 + number))
        builder.close()
        if chance.random() < 0.5:
            with database(self.archive) as connection:
                connection.execute("UPDATE sample_versions SET start_date = 'none' WHERE id % 17 = 3")
        self.assert_good(hp_export("repair", self.archive, "--aggregates", "--backup", self.folder / backup, "--quiet"))

    def counted(self):
        """Changes by pair and type, from what is visible at each observation."""
        found = []
        for before, after in zip(range(1, 6), range(2, 7)):
            sides = [query(self.archive, "SELECT DISTINCT type_identifier, r.sample_id, r.version_id FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id JOIN sample_types t "
                                         "ON t.id = s.sample_type_id WHERE first_observation_id <= %d AND (last_observation_id IS NULL OR last_observation_id > %d)" % (at, at)) for at in (before, after)]
            counts = {}
            for name, sample in {row[:2] for row in sides[0] + sides[1]}:
                old, new = ({row[2] for row in side if row[1] == sample} for side in sides)
                mine = counts.setdefault(name, [0, 0, 0])
                if not old:
                    mine[0] += len(new)
                elif not new:
                    mine[1] += len(old)
                else:
                    mine[2] += sum(one != other and not (one in new and other in old) for one in old for other in new)
            found += [(before, after, name, *three) for name, three in counts.items() if any(three)]
        return ordered(found)

    def step_by_step(self):
        """Makes the cache anew from one of an archive that lacks the rows of some observations."""
        with database(self.cache) as connection:
            for entity, key in (("CachedObservationRow", "observationID"), ("CachedTypeSummary", "observationID"), ("CachedDailyAggregate", "observationID"), ("CachedDiffSummary", "toObservationID")):
                connection.execute("DELETE FROM %s WHERE %s > 3" % (entity, key))
            connection.execute("UPDATE CacheState SET value = '3 3' WHERE name = 'observations'")
        self.assertEqual(self.reasons(), ["observations"])
        made = self.run_cache("rebuild")
        self.assertEqual((made["whole"], made["observation_count"]), (False, 3))
        self.assert_right()

    def assert_counts(self, before, after, source):
        value = json.loads(self.assert_good(hp_export("diff", self.archive, "--summary", "--counts", "--from", str(before), "--to", str(after), "--json")).out)
        self.assertEqual([error.message for error in schemas.validator("diff-counts").iter_errors(value)], [])
        self.assertEqual((value["counts_from"], value["from_observation_id"], value["to_observation_id"]), (source, before, after))
        told = [(before, after, each.get("sample_type"), each["appeared_count"], each["disappeared_count"], each["representation_changed_count"], int(each["consolidation_likely"]),
                 " ".join(each["reasons"]) or None, *(each["relationship_%s_count" % name] for name in ("appeared", "changed", "disappeared")), 2) for each in value["types"]]
        self.assertEqual(ordered(told), [row for row in self.expected_changes() if row[:2] == (before, after)])

    def test_counts_are_read_where_the_cache_is_right(self):
        self.capture(0)
        self.capture(1)
        self.assert_counts(1, 2, "archive")
        self.run_cache("rebuild")
        self.assert_counts(1, 2, "cache")
        text = self.assert_good(hp_export("diff", self.archive, "--summary", "--counts")).out.decode()
        self.assertIn("from the cache", text)
        # Rows of changes that were made of something else are not read.
        with database(self.cache) as connection:
            connection.execute("UPDATE CachedDiffSummary SET sourceAggregateHash = 'x', appearedCount = 99")
        self.assert_counts(1, 2, "archive")
        # What is no pair of neighbours is not there.
        back = json.loads(hp_export("diff", self.archive, "--summary", "--counts", "--from", "2", "--to", "1", "--json").out)
        self.assertEqual(back["counts_from"], "archive")
        for options in (["--counts"], ["--summary", "--counts", "--type", "StepCount"], ["--summary", "--counts", "-o", self.folder / "x"], ["--summary", "--counts", "--threshold", "window_bound_days=2"]):
            self.assertEqual(hp_export("diff", self.archive, *options).status, 2)


if __name__ == "__main__":
    unittest.main()
