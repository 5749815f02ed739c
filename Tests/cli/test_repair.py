"""hp-export repair: archives are damaged at random in what is derived from evidence, and come back as they were, row by row; the archive before the damage is the truth."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import unittest

import histories
import jsonschema
from capture_support import SECRET, CaptureCase, feed, findings, observation, sample, type_run
from support import (
    ENVIRONMENT, FIXTURES, INTENTS, PATIENCE, ROOT, STRACE, can_trace, contents, database, execute, held, hp_export,
    hp_verify, query, Run, start, takes_long, tool, trace_of,
)

TABLES = ["daily_type_aggregates", "observation_type_summaries", "sample_visibility_ranges"]
BOTH = ["--ranges", "--aggregates"]
RESULT = jsonschema.Draft202012Validator(json.loads((ROOT / "Spec" / "schemas" / "repair-result.json").read_text(encoding="utf-8")))
UNKNOWN = "UPDATE sample_observation_events SET event_kind = 'refined' WHERE sample_id = %d"

RANGE_DAMAGE = [
    "DELETE FROM sample_visibility_ranges WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET last_observation_id = {observation} WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET last_seen_at = first_seen_at WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET first_seen_at = first_seen_at + 1 WHERE rowid = {row}",
    "UPDATE OR IGNORE sample_visibility_ranges SET first_observation_id = {observation} WHERE rowid = {row}",
    "UPDATE OR IGNORE sample_visibility_ranges SET version_id = (SELECT id FROM sample_versions ORDER BY id LIMIT 1 OFFSET {number} % 20) WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET version_id = NULL WHERE rowid = {row}",
    "INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, first_observation_id, last_observation_id, first_seen_at, last_seen_at FROM sample_visibility_ranges WHERE rowid = {row}",
    "UPDATE OR IGNORE sample_visibility_ranges SET first_observation_id = 99999 WHERE rowid = {row}",
    "UPDATE sample_visibility_ranges SET first_seen_at = 'soon' WHERE rowid = {row}",
]
AGGREGATE_DAMAGE = [
    "DELETE FROM {table} WHERE rowid = {row}",
    "UPDATE {table} SET visible_record_count = visible_record_count + 1 WHERE rowid = {row}",
    "UPDATE {table} SET value_sum = coalesce(value_sum, 0) + 1e-9 + {number} WHERE rowid = {row}",
    "UPDATE {table} SET value_max = NULL, value_sum = NULL, visible_record_count = 5 WHERE rowid = {row}",
    "UPDATE {table} SET aggregate_hash = NULL WHERE rowid = {row}",
    "UPDATE {table} SET aggregate_hash = upper(aggregate_hash) || 'x' WHERE rowid = {row}",
    # Not only moved: a row may be true of another observation, and then nothing is wrong with it.
    "UPDATE OR IGNORE {table} SET observation_id = {observation}, visible_record_count = 1000 + {number} WHERE rowid = {row}",
    "UPDATE OR IGNORE {table} SET sample_type_id = 99999 WHERE rowid = {row}",
    "UPDATE {table} SET visible_record_count = 'many' WHERE rowid = {row}",
]
BUCKET_DAMAGE = [
    "UPDATE daily_type_aggregates SET bucket_end = bucket_end + 3600 WHERE rowid = {row}",
    "UPDATE OR IGNORE daily_type_aggregates SET bucket_start = bucket_start + 0.5 WHERE rowid = {row}",
    "UPDATE OR IGNORE daily_type_aggregates SET bucket_start = bucket_end + 86400 WHERE rowid = {row}",
    "INSERT INTO daily_type_aggregates SELECT * FROM daily_type_aggregates WHERE source_revision_id IS NULL LIMIT 1 OFFSET {number} % 5",
    "UPDATE OR IGNORE daily_type_aggregates SET source_revision_id = NULL WHERE rowid = {row}",
]
SUMMARY_DAMAGE = [
    "UPDATE observation_type_summaries SET appeared_count = appeared_count + 1 WHERE rowid = {row}",
    "UPDATE observation_type_summaries SET earliest_start_date = latest_end_date, latest_end_date = NULL WHERE rowid = {row}",
]


def rows(path, table):
    return sorted(map(repr, query(path, "SELECT * FROM " + table)))


def let_ids_be_great(path):
    """From 200,000 samples on, two threads check the file. What counts is the greatest id."""
    execute(path, "UPDATE samples SET id = id + 300000", "UPDATE sample_versions SET sample_id = sample_id + 300000",
            "UPDATE sample_observation_events SET sample_id = sample_id + 300000", "UPDATE sample_visibility_ranges SET sample_id = sample_id + 300000",
            "UPDATE sample_relationships SET source_sample_id = source_sample_id + 300000, target_sample_id = target_sample_id + 300000")


def derived(path):
    return {table: rows(path, table) for table in TABLES}


def evidence(path):
    """All that a repair never touches."""
    return [line for line in contents(path).splitlines() if not line.startswith(tuple("b'%s'" % name for name in [*TABLES, "context_log"]))]


def content_hash(path, table):
    """The hash of Spec/repair.md, by the SQLite of Python."""
    columns = [row[1] for row in query(path, "PRAGMA table_info(%s)" % table)]
    # In the order of the schema that the specification prints; an archive that a capture made has no others.
    lines = [row[0].encode() for row in query(path, "SELECT %s FROM %s" % (" || ',' || ".join("quote(%s)" % column for column in columns), table))]
    return hashlib.sha256(b"".join(line + b"\n" for line in sorted(lines))).hexdigest()


def damage(path, chance, kinds, count=12):
    statements = {"ranges": [(statement, TABLES[2]) for statement in RANGE_DAMAGE], "aggregates": [(statement, table) for table in TABLES[:2] for statement in AGGREGATE_DAMAGE]
                  + [(statement, TABLES[0]) for statement in BUCKET_DAMAGE] + [(statement, TABLES[1]) for statement in SUMMARY_DAMAGE]}
    choices = [choice for kind in kinds for choice in statements[kind]]
    before = derived(path)
    with database(path) as connection:
        observations = [row[0] for row in connection.execute("SELECT id FROM observations")]
        while derived(path) == before:
            for statement, table in chance.choices(choices, k=count):
                row = chance.choice(connection.execute("SELECT rowid FROM " + table).fetchall() or [(0,)])[0]
                connection.execute(statement.format(table=table, row=row, observation=chance.choice(observations), number=chance.randrange(1000)))


class RepairCase(CaptureCase):
    _kept = {}

    def kept(self, name, make, to="archive.sqlite"):
        """A copy of an archive that is made once, in a folder with nothing else."""
        if name not in RepairCase._kept:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="hp-cli-repair."))
            unittest.addModuleCleanup(shutil.rmtree, folder)
            make(folder / "archive.sqlite")
            execute(folder / "archive.sqlite", "PRAGMA journal_mode = DELETE")
            RepairCase._kept[name] = folder / "archive.sqlite"
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        shutil.copyfile(RepairCase._kept[name], work / to)
        return work / to

    def health(self, path):
        for month in ("month-0.xml", "month-1.xml"):
            self.assert_good(hp_export("capture", path, "--apple-health", FIXTURES / "apple-health" / month, "--secret", self.secret, "--quiet"))

    def history(self, seed):
        def make(path):
            for number, content in enumerate(histories.History(random.Random(seed), 7).feeds()):
                hp_export("capture", path, "--feed", self.written(content, "feed%d.jsonl" % number), "--secret", self.secret, "--quiet")
        return make

    def repair(self, path, *options, status=0):
        result = hp_export("repair", path, "--json", "--quiet", *options)
        self.assertEqual((result.status, result.err), (status, ""), result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in RESULT.iter_errors(value)], [])
        return value

    def assert_verified(self, path, *options):
        result = hp_verify("archive", path, "--quiet", "--skip", "exports", *options)
        self.assertEqual(result.status, 0, result.out.decode())

    def backups(self, path):
        return sorted(path.parent.glob("*.repair-backup"))


class Repair(RepairCase):
    # A longer look: HP_REPAIRS=100.
    COUNT = int(os.environ.get("HP_REPAIRS", "4"))

    def check(self, path, chance, kinds):
        truth, others = derived(path), evidence(path)
        damage(path, chance, kinds)
        damaged, hashes = contents(path), {table: content_hash(path, table) for table in TABLES}
        before = trace_of(path.parent)
        options = ["--" + kind for kind in kinds]
        planned = self.repair(path, "--dry-run", *options, status=1)
        self.assertEqual(trace_of(path.parent), before, "a dry run leaves no trace")
        made = self.repair(path, *options)
        self.assertEqual(derived(path), truth)
        self.assertEqual(evidence(path), others)
        self.assert_verified(path)
        self.assertEqual(findings(path), [])
        (backup,) = self.backups(path)
        self.assertEqual(contents(backup), damaged)
        self.assertEqual(hashlib.sha256(backup.read_bytes()).hexdigest(), made["backup_sha256"])
        self.assertEqual(backup.stat().st_mode & 0o777, 0o600)
        for name, table in made["tables"].items():
            self.assertEqual((table["hash_before"], table["hash_after"]), (hashes[name], content_hash(path, name)))
            self.assertEqual({key: table[key] for key in ("added", "removed", "replaced")}, {key: planned["tables"][name][key] for key in ("added", "removed", "replaced")})
        (detail,) = [json.loads(row[0]) for row in query(path, "SELECT detail_json FROM context_log WHERE event_kind = 'repaired'")]
        self.assertEqual(detail, {**{key: value for key, value in made.items() if key not in ("archive", "result")}, "backup": backup.name})
        settled = contents(path)
        self.assertEqual(self.repair(path, *options)["result"], "nothing_to_repair")
        self.assertEqual(contents(path), settled)
        self.assertEqual(self.names(path.parent), [b"archive.sqlite", os.fsencode(backup.name)])
        backup.unlink()

    def test_an_export_of_two_months(self):
        for seed, kinds in enumerate([["ranges", "aggregates"], ["ranges", "aggregates"], ["ranges"], ["aggregates"]]):
            with self.subTest(seed=seed):
                self.check(self.kept("health", self.health), random.Random(seed), kinds)

    def test_many_samples(self):
        for journal in "wal", "delete":
            with self.subTest(journal):
                path = self.kept("health", self.health)
                let_ids_be_great(path)
                truth = derived(path)
                damage(path, random.Random(4), ["ranges", "aggregates"])
                execute(path, "PRAGMA journal_mode = " + journal)
                planned = self.repair(path, *BOTH, "--dry-run", status=1)
                self.assertEqual({name: table["added"] for name, table in planned["tables"].items()},
                                 {name: table["added"] for name, table in self.repair(path, *BOTH)["tables"].items()})
                self.assertEqual(derived(path), truth)

    @takes_long
    def test_random_histories(self):
        for seed in range(self.COUNT):
            path = self.kept("history %d" % seed, self.history(seed))
            if not query(path, "SELECT 1 FROM daily_type_aggregates"):
                continue
            for kinds in (["ranges", "aggregates"], ["ranges"], ["aggregates"])[seed % 3:][:2]:
                with self.subTest(seed=seed, kinds=kinds):
                    self.check(self.kept("history %d" % seed, None), random.Random(seed), kinds)

    def test_nothing_but_what_was_asked_for(self):
        path = self.kept("health", self.health)
        truth = derived(path)
        damage(path, random.Random(1), ["ranges", "aggregates"])
        bad = derived(path)
        self.repair(path, "--ranges")
        self.assertEqual(derived(path), {**bad, TABLES[2]: truth[TABLES[2]]})
        self.repair(path, "--aggregates")
        self.assertEqual(derived(path), truth)
        self.assertEqual(len(self.backups(path)), 2)

    def test_everything_is_gone(self):
        path = self.kept("health", self.health)
        truth = derived(path)
        execute(path, *("DELETE FROM " + table for table in TABLES))
        self.assertEqual({name: table["added"] for name, table in self.repair(path, *BOTH)["tables"].items()}, {table: len(truth[table]) for table in TABLES})
        self.assertEqual(derived(path), truth)

    def test_a_record_that_two_chains_have(self):
        """Its range on one chain is open, and does not go on in the events of the other."""
        def make(path):
            for day, secret in ((1, SECRET), (2, SECRET.replace("secret 00", "secret 11").replace("chain 20", "chain 31"))):
                self.secret.write_text(secret)
                content = feed(observation(day, type_run([sample(None, 5), sample(None, 6), sample(day)])), observation(day + 2, type_run([sample(None, 5)])))
                self.assert_good(hp_export("capture", path, "--feed", self.written(content), "--secret", self.secret, "--new-chain", "--quiet"))
        path = self.kept("two chains", make)
        truth = derived(path)
        self.assertEqual(query(path, "SELECT o.device_chain_id, count(*), count(last_observation_id) FROM sample_visibility_ranges r JOIN observations o ON o.id = first_observation_id GROUP BY 1"),
                         [(1, 3, 2), (2, 3, 2)])
        execute(path, "DELETE FROM sample_visibility_ranges")
        self.assertEqual(self.repair(path, "--ranges")["tables"][TABLES[2]]["added"], 6)
        self.assertEqual(derived(path), truth)

    def test_what_is_true_stays(self):
        path = self.kept("health", self.health)
        execute(path, "INSERT INTO observation_type_summaries SELECT 1, (SELECT max(id) + 1 FROM sample_types), 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL")
        execute(path, "INSERT INTO daily_type_aggregates SELECT 1, sample_type_id, bucket_start, bucket_end, 77, value_sum, value_max, source_revision_id, aggregate_hash FROM daily_type_aggregates a "
                      "WHERE observation_id = 2 AND NOT EXISTS (SELECT 1 FROM daily_type_aggregates b WHERE b.observation_id = 1 AND b.sample_type_id = a.sample_type_id AND b.bucket_start = a.bucket_start) LIMIT 1")
        execute(path, "INSERT INTO daily_type_aggregates SELECT 2, sample_type_id, bucket_start, bucket_end, visible_record_count, value_sum, value_max, source_revision_id, aggregate_hash FROM daily_type_aggregates a "
                      "WHERE observation_id = 1 AND NOT EXISTS (SELECT 1 FROM daily_type_aggregates b WHERE b.observation_id = 2 AND b.sample_type_id = a.sample_type_id AND b.bucket_start = a.bucket_start) LIMIT 1")
        count = len(rows(path, TABLES[0]))
        tables = self.repair(path, "--aggregates")["tables"]
        self.assertEqual([(tables[name]["added"], tables[name]["removed"], tables[name]["replaced"]) for name in TABLES[:2]], [(0, 1, 0), (0, 1, 0)])
        self.assertEqual(len(rows(path, TABLES[0])), count - 1)
        self.assert_verified(path)

    def test_events_of_an_unknown_kind(self):
        path = self.kept("health", self.health)
        (left,), (other,) = query(path, "SELECT sample_id FROM sample_visibility_ranges ORDER BY sample_id LIMIT 2")
        execute(path, UNKNOWN % left)
        truth = rows(path, TABLES[2])
        execute(path, "UPDATE sample_visibility_ranges SET first_seen_at = 1 WHERE sample_id IN (%d, %d)" % (left, other))
        made = self.repair(path, "--ranges")
        self.assertEqual((made["samples_left"], made["tables"][TABLES[2]]["replaced"]), (1, 1))
        self.assertEqual(query(path, "SELECT sample_id FROM sample_visibility_ranges WHERE first_seen_at = 1"), [(left,)])
        self.assertEqual(len(set(truth) ^ set(rows(path, TABLES[2]))), 2)
        self.assertEqual(self.repair(path, *BOTH, "--dry-run", status=1)["samples_left"], 1)

    def test_a_date_that_may_be_right_stays(self):
        """Facts that last_seen_at follows from are gone: of the rows, of a run between, of what was withheld, of all tables."""
        def make(path):
            bad = sample(1, 0, end_date="2024-02-30T00:00:00Z", uuid=None)
            records = [[sample(1), sample(2, 1), sample(3, 2)], [sample(2, 1), sample(3, 2), bad], [sample(2, 1), bad], [sample(2, 1)], []]
            for day, lines in enumerate(records, 1):
                hp_export("capture", path, "--feed", self.written(feed(observation(day, type_run(lines)))), "--secret", self.secret, "--quiet")
            self.assertEqual(query(path, "SELECT count(*) FROM withheld_closures"), [(1,)])
        run = "(SELECT id FROM observation_type_runs WHERE observation_id = %d)"
        for name, changes, left in (
                ("an observation", ["DELETE FROM observation_facts WHERE observation_id = 3"], 1), ("a run", ["DELETE FROM type_run_facts WHERE type_run_id = " + run % 2], 0),
                ("what was withheld", ["DELETE FROM withheld_closures"], 1), ("all rows", ["DELETE FROM observation_facts", "DELETE FROM type_run_facts"], 3),
                ("all tables", ["DELETE FROM archive_metadata WHERE key = 'extension:capture_facts'"], 3)):
            with self.subTest(name):
                path = self.kept("withheld", make)
                truth = rows(path, TABLES[2])
                execute(path, *changes)
                made = self.repair(path, "--ranges")
                self.assertEqual((made["result"], made["dates_left"], rows(path, TABLES[2])), ("nothing_to_repair", left, truth))
                self.assertNotIn(b"ranges.times", hp_verify("archive", path, "--only", "ranges", "--json").out)
                self.assertEqual([line for line in findings(path) if line.startswith("range")], [])
                # A date on which nobody looked is wrong whatever is missing.
                execute(path, "UPDATE sample_visibility_ranges SET last_seen_at = last_seen_at + 1 WHERE last_seen_at IS NOT NULL")
                self.assertEqual(self.repair(path, "--ranges", "--dry-run", status=1)["tables"][TABLES[2]]["replaced"], 3)

    def test_an_archive_of_another_engine(self):
        path = self.kept("health", self.health)
        execute(path, "DELETE FROM archive_metadata WHERE key = 'identity_rules'")
        # Such an engine adds up what is stored.
        self.repair(path, "--aggregates")
        execute(path, "DELETE FROM archive_metadata WHERE key = 'extension:context_log'", "DROP TABLE context_log")
        # Rounding, hashes and rows that are not there are its own affair.
        execute(path, "UPDATE daily_type_aggregates SET value_sum = value_sum * (1 + 2e-16) WHERE visible_record_count > 2", "UPDATE daily_type_aggregates SET aggregate_hash = 'x'", "DELETE FROM observation_type_summaries WHERE rowid % 3 = 0")
        own = derived(path)
        self.assertEqual(self.repair(path, *BOTH)["result"], "nothing_to_repair")
        execute(path, "UPDATE daily_type_aggregates SET visible_record_count = 77 WHERE rowid = 3", "UPDATE observation_type_summaries SET appeared_count = 77 WHERE rowid = 1", "DELETE FROM sample_visibility_ranges WHERE rowid = 5")
        result = self.assert_good(hp_export("repair", path, *BOTH))
        self.assertIn("does not state identity_rules", result.err)
        ours = derived(path)
        self.assertEqual(ours[TABLES[2]], own[TABLES[2]])
        self.assertLessEqual(len(set(ours[TABLES[0]]) ^ set(own[TABLES[0]])), 2)
        self.assertEqual(ours[TABLES[1]], own[TABLES[1]])
        self.assert_verified(path, "--only", "ranges,aggregates,sqlite,schema")
        self.assertEqual(query(path, "SELECT event_kind FROM context_log"), [("extension_added",), ("repaired",)])


class Exports(RepairCase):
    """Records of exports whose observation is missing are removed, and nothing else is."""

    # Which records of three name an observation that is not there, in which column.
    LOSSES = [({1: "to_observation_id"}), ({1: "from_observation_id", 3: "to_observation_id"}), ({1: "to_observation_id", 2: "from_observation_id", 3: "from_observation_id"})]

    def exported(self):
        path = self.kept("health", self.health)
        for words in (["bundle", "-o", "one.zst"], ["records", "--at", "1", "-o", "two.csv"], ["diff", "--changes", "appeared", "-o", "three.csv"]):
            self.assert_good(hp_export(words[0], path, *words[1:], "--force", "--quiet", cwd=path.parent))
        return path

    def lose(self, path, losses):
        with database(path) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            for id, column in losses.items():
                connection.execute("UPDATE export_manifests SET %s = 99 WHERE id = %d" % (column, id))
                connection.execute("INSERT INTO archive_metadata SELECT 'publish_intent:' || export_id || ':00', '00 00 new' FROM export_manifests WHERE id = %d" % id)
            connection.execute("INSERT INTO archive_metadata VALUES ('publish_intent:other:00', '00 00 new')")

    def others(self, path):
        """All that stays."""
        return [line for line in contents(path).splitlines() if not line.startswith(tuple("b'%s'" % name for name in ("export_manifests", "export_items", "context_log", "archive_metadata")))]

    def test_records_without_their_observation_are_removed(self):
        for losses in self.LOSSES:
            with self.subTest(losses):
                path = self.exported()
                self.lose(path, losses)
                lost = ", ".join(map(str, losses))
                kept = {table: query(path, "SELECT * FROM %s WHERE %s NOT IN (%s)" % (table, column, lost)) for table, column in (("export_manifests", "id"), ("export_items", "export_manifest_id"))}
                counts = {table: (query(path, "SELECT count(*) FROM %s" % table)[0][0], len(rows)) for table, rows in kept.items()}
                hashes = {table: content_hash(path, table) for table in kept}
                others = self.others(path)
                self.assertEqual(json.loads(hp_verify("archive", path, "--json", "--skip", "exports").out)["counts"]["references.missing_row"], len(losses))
                self.assertEqual(hp_export("check", path, "--quiet").status, 1)
                self.assert_refused(hp_export("records", path, "-o", path.parent / "refused.csv"), "degraded: the last check failed: references")
                planned = self.repair(path, "--exports", "--dry-run", status=1)
                value = self.repair(path, "--exports")
                self.assertEqual((value["result"], value["parts"], sorted(value["tables"])), ("repaired", ["exports"], ["export_items", "export_manifests"]))
                for table, (before, after) in counts.items():
                    found = value["tables"][table]
                    self.assertEqual((found["rows_before"], found["rows_after"], found["removed"], found["added"], found["replaced"]), (before, after, before - after, 0, 0))
                    self.assertEqual((found["hash_before"], found["hash_after"]), (hashes[table], content_hash(path, table)))
                    self.assertEqual(planned["tables"][table]["removed"], before - after)
                    self.assertEqual(query(path, "SELECT * FROM " + table), kept[table])
                self.assertEqual(self.others(path), others)
                self.assertEqual(query(path, INTENTS), [("publish_intent:other:00",)])
                (kind, detail), = query(path, "SELECT event_kind, detail_json FROM context_log ORDER BY id DESC LIMIT 1")
                self.assertEqual((kind, json.loads(detail)["tables"]), ("repaired", value["tables"]))
                self.assertEqual(len(self.backups(path)), 1)
                # The archive is good again, and a check says so.
                execute(path, "DELETE FROM archive_metadata WHERE key LIKE 'publish_intent:%'")
                self.assert_good(hp_export("check", path, "--quiet"))
                self.assert_good(hp_export("records", path, "--at", "1", "-o", path.parent / "again.csv", "--quiet"))
                self.assertEqual(self.repair(path, "--exports")["result"], "nothing_to_repair")

    def test_what_has_its_observation_stays(self):
        path = self.exported()
        execute(path, "DELETE FROM export_items WHERE rowid % 2")
        before = path.read_bytes()
        self.assertEqual(self.repair(path, "--exports")["result"], "nothing_to_repair")
        self.assertEqual((path.read_bytes(), self.backups(path)), (before, []))

    def test_together_with_what_is_rebuilt(self):
        path = self.exported()
        before = derived(path)
        damage(path, random.Random(3), ["ranges", "aggregates"])
        self.lose(path, {2: "to_observation_id"})
        value = self.repair(path, "--exports", *BOTH)
        self.assertEqual((value["parts"], sorted(value["tables"])), (["aggregates", "exports", "ranges"], sorted([*TABLES, "export_items", "export_manifests"])))
        self.assertEqual(derived(path), before)
        self.assertEqual(query(path, "SELECT id FROM export_manifests ORDER BY id"), [(1,), (3,)])


class Refusals(RepairCase):
    def refused(self, path, *options, words=()):
        before = contents(path)
        self.assert_refused(hp_export("repair", path, *options), *words)
        self.assertEqual(contents(path), before)
        self.assertFalse([name for name in self.names(path.parent) if b"partial" in name])

    def damaged(self):
        path = self.kept("health", self.health)
        damage(path, random.Random(4), ["ranges", "aggregates"])
        return path

    def test_usage(self):
        path = self.damaged()
        self.assert_refused(hp_export("repair", path), "--ranges, --aggregates or --exports")
        self.assert_refused(hp_export("repair", path, *BOTH, "--dry-run", "--backup", "x"), "--dry-run")
        self.assert_refused(hp_export("repair", *BOTH), "name one archive")

    def test_somebody_writes(self):
        path = self.damaged()
        for journal in ("delete", "wal"):
            execute(path, "PRAGMA journal_mode = " + journal)
            with held(path, "BEGIN IMMEDIATE"):
                self.assert_refused(hp_export("repair", path, *BOTH, "--wait", "0"), "locked by another process")
            self.assertEqual(self.backups(path), [])

    def test_a_capture_is_running(self):
        path = self.damaged()
        lock = path.parent / ".archive.sqlite.capture"
        holder = subprocess.Popen(["flock", lock, "sh", "-c", "echo ready; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual(holder.stdout.readline(), b"ready\n")
            self.assert_refused(hp_export("repair", path, *BOTH, "--wait", "0"), "another capture is running")
        finally:
            holder.communicate(b"\n")
        self.assertEqual(self.backups(path), [])

    def test_what_a_log_holds(self):
        path = self.kept("health", self.health)
        truth = derived(path)
        execute(path, "PRAGMA journal_mode = wal")
        with held(path, "UPDATE sample_visibility_ranges SET first_seen_at = 1 WHERE rowid = 1"):
            self.assertEqual(self.repair(path, "--ranges", "--dry-run", status=1)["tables"][TABLES[2]]["replaced"], 1)
            self.assertGreater(path.with_name("archive.sqlite-wal").stat().st_size, 0)
            self.repair(path, "--ranges")
            (backup,) = self.backups(path)
            self.assertEqual(query(backup, "SELECT first_seen_at FROM sample_visibility_ranges WHERE rowid = 1"), [(1,)])
        self.assertEqual(derived(path), truth)

    def test_a_reader_does_not_keep_us_from_a_backup(self):
        path = self.damaged()
        execute(path, "PRAGMA journal_mode = wal")
        with held(path, "BEGIN", "SELECT count(*) FROM samples"):
            self.repair(path, *BOTH)

    def test_the_backup_replaces_nothing(self):
        path = self.damaged()
        taken = path.parent / "taken"
        taken.write_text("mine")
        self.refused(path, *BOTH, "--backup", taken, words=["a file of that name exists"])
        self.refused(path, *BOTH, "--backup", path, words=["the name of a file that belongs to the archive"])
        self.assertEqual(taken.read_text(), "mine")
        self.refused(path, *BOTH, "--backup", path.parent / "nowhere" / "x", words=["nowhere"])

    def test_a_backup_has_the_name_of_the_first_second_that_is_free(self):
        path = self.damaged()
        now = int(time.time())
        name = lambda second: "archive.sqlite.%s.repair-backup" % time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        for second in range(now - 1, now + PATIENCE):
            (path.parent / name(second)).write_text("mine")
        self.repair(path, *BOTH)
        self.assertEqual([backup.name for backup in self.backups(path) if backup.stat().st_size > 4], [name(now + PATIENCE)])
        self.assertEqual(len(self.backups(path)), PATIENCE + 2)

    def test_a_damaged_file(self):
        for are_many in False, True:
            with self.subTest(are_many=are_many):
                path = self.damaged()
                if are_many:
                    let_ids_be_great(path)
                    execute(path, "PRAGMA journal_mode = wal")
                # Two indexes that have the entries of each other: SQLite's own finding.
                with database(path) as connection:
                    connection.execute("PRAGMA writable_schema = ON")
                    names = ("idx_samples_uuid_hash", "idx_sample_versions_sample")
                    roots = [connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0] for name in names]
                    for name, root in zip(names, reversed(roots)):
                        connection.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", (root, name))
                self.refused(path, *BOTH, words=["the file itself is damaged"])
                self.refused(path, *BOTH, "--dry-run", words=["the file itself is damaged"])
                self.assertEqual(self.backups(path), [])


class Kills(RepairCase):
    """Whenever it ends, the archive is old or new, a backup that has its name is whole, and the next run comes to the same end."""

    def prepare(self, journal):
        self.path = self.kept("health", self.health)
        execute(self.path, "PRAGMA journal_mode = " + journal)
        self.new = derived(self.path)
        damage(self.path, random.Random(6), ["ranges", "aggregates"], 30)
        execute(self.path, "PRAGMA wal_checkpoint(TRUNCATE)")
        self.old, self.content, self.bytes = derived(self.path), contents(self.path), self.path.read_bytes()

    def renew(self):
        for file in self.path.parent.iterdir():
            file.unlink()
        self.path.write_bytes(self.bytes)

    def assert_converges(self):
        for backup in self.backups(self.path):
            self.assertEqual(contents(backup), self.content)
        now = derived(self.path)
        self.assertIn(now, (self.old, self.new))
        self.assertEqual(bool(query(self.path, "SELECT 1 FROM context_log WHERE event_kind = 'repaired'")), now == self.new)
        if now == self.new:
            self.assertTrue(self.backups(self.path))
        self.repair(self.path, *BOTH, "--backup", self.path.parent / "second")
        self.assertEqual(derived(self.path), self.new)
        self.assertFalse([name for name in self.names(self.path.parent) if b"partial" in name])
        return now == self.new

    def test_kill_at_any_time(self):
        chance = random.Random(3)
        for journal in ("wal", "delete"):
            self.prepare(journal)
            begin = time.monotonic()
            self.repair(self.path, *BOTH)
            duration = time.monotonic() - begin
            for attempt in range(6):
                self.renew()
                process = start("hp-export", "repair", self.path, *BOTH)
                try:
                    process.wait(duration * (attempt + chance.random()) / 6)
                except subprocess.TimeoutExpired:
                    process.kill()
                process.communicate()
                self.assert_converges()

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    @takes_long
    def test_kill_at_every_step_of_writing(self):
        for journal in ("wal", "delete"):
            self.prepare(journal)
            ends = []
            for call, numbers in (("fsync,fdatasync", range(1, 20, 2)), ("link,linkat,rename,renameat,renameat2", range(1, 4)), ("unlink,unlinkat", range(1, 20, 3)), ("pwrite64", range(1, 400, 73))):
                for number in numbers:
                    self.renew()
                    command = [STRACE, "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:signal=KILL:when=%d" % (call, number), tool("hp-export"), "repair", str(self.path), *BOTH]
                    result = Run(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE))
                    self.assertIn(result.status, (0, -9, 137), result)
                    with self.subTest(journal=journal, call=call, number=number):
                        is_new = self.assert_converges()
                    ends.append((result.status != 0, is_new))
                    if result.status == 0:
                        break
            self.assertIn((True, False), ends)
            self.assertIn((True, True), ends, "a kill after the commit")


if __name__ == "__main__":
    unittest.main()
