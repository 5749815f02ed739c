"""hp-export records, diff and manifest against the plain reports of Tests/reference and against the seed queries, and how reports are recorded."""

import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest

import histories
from capture_support import SECRET
from report_support import CHANGES, CONTAINERS, KINDS, OF_ONE_MOMENT, Archive, hp_report, reference, ReportCase
from archive_builder import STEPS, Builder
from support import FIXTURES, INTENTS, contents, database, execute, hp_export, make_archive, query, takes_long

SEED = """
CREATE TEMP TABLE prev_visible AS SELECT r.sample_id, r.version_id FROM sample_visibility_ranges r
WHERE r.first_observation_id <= :previous AND (r.last_observation_id IS NULL OR r.last_observation_id > :previous);
CREATE TEMP TABLE curr_visible AS SELECT r.sample_id, r.version_id FROM sample_visibility_ranges r
WHERE r.first_observation_id <= :current AND (r.last_observation_id IS NULL OR r.last_observation_id > :current);
CREATE INDEX temp_prev_sample ON prev_visible(sample_id);
CREATE INDEX temp_curr_sample ON curr_visible(sample_id);
"""
QUERIES = {
    "disappeared": "SELECT p.sample_id AS sample, p.version_id AS before, NULL AS after FROM prev_visible p LEFT JOIN curr_visible c ON c.sample_id = p.sample_id WHERE c.sample_id IS NULL",
    "appeared": "SELECT c.sample_id AS sample, NULL AS before, c.version_id AS after FROM curr_visible c LEFT JOIN prev_visible p ON p.sample_id = c.sample_id WHERE p.sample_id IS NULL",
    "representation_changed": "SELECT c.sample_id AS sample, p.version_id AS before, c.version_id AS after FROM curr_visible c JOIN prev_visible p ON p.sample_id = c.sample_id WHERE p.version_id != c.version_id",
}
NAMED = """
SELECT s.strict_fingerprint, b.payload_hash, a.payload_hash FROM (%s) AS change
JOIN samples s ON s.id = change.sample LEFT JOIN sample_versions b ON b.id = change.before LEFT JOIN sample_versions a ON a.id = change.after"""


class Histories(ReportCase):
    """Random histories, each from a number of its own: a failure names it."""

    COUNT = int(os.environ.get("HP_REPORTS", "12"))

    def capture(self, number):
        """A captured history; the chance that drew it."""
        chance = random.Random(number)
        secret = self.folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        for suffix in ("", "-wal", "-shm"):
            pathlib.Path(str(self.archive) + suffix).unlink(missing_ok=True)
        for feed in histories.History(chance, chance.randint(2, 5)).feeds():
            path = self.folder / "feed.jsonl"
            path.write_bytes(feed)
            hp_export("capture", self.archive, "--secret", secret, "--feed", path, "--quiet")
        execute(self.archive, "PRAGMA journal_mode = DELETE")
        return chance

    def disturb(self, chance, has_strays):
        """What no capture writes: several visible versions, ranges without one, runs that failed, dates and values that have no canonical form.

        With strays, a range may name the version of another sample.
        """
        with database(self.archive) as connection:
            def numbers(table, column="id"):
                return [row[0] for row in connection.execute("SELECT %s FROM %s" % (column, table))]
            samples, versions, observations = numbers("samples"), numbers("sample_versions"), numbers("observations")
            if not samples or not versions:
                return
            connection.execute("BEGIN")
            for _ in range(chance.randrange(12)):
                first, sample = chance.choice(observations), chance.choice(samples)
                own = [row[0] for row in connection.execute("SELECT id FROM sample_versions WHERE sample_id = ?", (sample,))]
                connection.execute("INSERT OR IGNORE INTO sample_visibility_ranges VALUES (?, ?, ?, ?, 0.5, NULL)", (
                    sample, chance.choice([*(versions if has_strays else own), None, 10**6]), first, chance.choice([None, first + 1])))
            for _ in range(chance.randrange(6)):
                connection.execute(chance.choice([
                    "UPDATE observation_type_runs SET status = 'partial' WHERE id = ?", "DELETE FROM observation_type_runs WHERE id = ?"]), (
                        chance.choice(numbers("observation_type_runs") or [0]),))
            for column, values in (("start_date", [-1e15, 0.1234567890123, 1e9]), ("numeric_value", [-0.0, 1e308, -1e308, 5e-324, float("inf"), 3.5]), ("unit", ["kg", None, "a\0b"]),
                                   ("end_date", [0.0, 2e9]), ("payload_hash", ["f" * 64])):
                for _ in range(chance.randrange(3)):
                    connection.execute("UPDATE OR IGNORE sample_versions SET %s = ? WHERE id = ?" % column, (chance.choice(values), chance.choice(versions)))
            if chance.random() < 0.3:
                connection.execute("INSERT INTO device_chains VALUES (77, ?, 0, 0)", ("e" * 64,))
                connection.execute("UPDATE observations SET device_chain_id = 77 WHERE id = ?", (chance.choice(observations),))
            connection.execute("COMMIT")

    def filters(self, chance, archive, has_strays):
        """Options of a filter, and the same for the reference.

        Not by dates where there are strays: hp-export finds a version by its dates through its own sample.
        """
        types = [row["type_identifier"].value.decode() for row in archive.types.values()]
        sources = [row["bundle_identifier"].value.decode() for row in archive.sources.values() if row["bundle_identifier"].value]
        chosen = chance.choice(["types", "sources"] if has_strays else ["types", "since", "until", "sources"])
        value = {"types": types, "since": ["2012-01-01", "1969-12-31T23:00:00Z"], "until": ["2018-02-18", "2024-05-01T10:00:00Z"], "sources": sources}[chosen]
        if not value:
            return (), {}
        value = chance.choice(value)
        options, filters = ("--" + chosen.rstrip("s"), value), {chosen: [value] if chosen in ("types", "sources") else value}
        if chosen in ("since", "until") and chance.random() < 0.5:
            options, filters = (*options, "--overlapping"), {**filters, "overlapping": True}
        return options, filters

    @takes_long
    def test_random_histories(self):
        first = int(os.environ.get("HP_REPORT", "0"))
        for number in range(first, first + self.COUNT):
            with self.subTest(history=number):
                chance = self.capture(number)
                has_strays = number % 4 == 3
                if number % 2:
                    self.disturb(chance, has_strays)
                archive = Archive(str(self.archive))
                observations = sorted(archive.observations)
                pairs = list(itertools.product(observations, observations))
                for from_, to in pairs if len(pairs) <= 9 else chance.sample(pairs, 9):
                    options, filters = self.filters(chance, archive, has_strays) if chance.random() < 0.5 else ((), {})
                    self.look(chance, archive, from_, to, options, filters)

    def look(self, chance, archive, from_, to, options, filters):
        """Every kind of report of two observations, each in one container."""
        def same(kind, *more, **places):
            self.assert_same(kind, *options, *more, archive=archive, containers=[chance.choice(list(CONTAINERS))], at=to, **filters, **places)
        for kind in OF_ONE_MOMENT:
            same(kind)
        same("diff_report", from_=from_)
        same("change_set", from_=from_, kinds=chance.sample(sorted(CHANGES), chance.randint(1, 3)))
        labels = chance.sample(reference.comparisons.LABELS, chance.randint(1, 3))
        same("change_set", from_=from_, labels=labels, kinds=chance.choice([None, ["appeared"], ["disappeared", "re_identified"]]))
        same("pair_report", from_=from_)
        gap, days = chance.choice([0, 86400, 1e9]), chance.choice([1, 2000, 15000])
        same("diff_summary", "--threshold", "window_gap_seconds=%r" % gap, "--threshold", "window_bound_days=2", from_=from_,
             thresholds={"window_gap_seconds": gap, "window_bound_days": 2})
        same("finding_report", "--threshold", "late_arrival_seconds=0", "--threshold", "current_days=%d" % days, "--threshold", "minimum_days=1", from_=from_,
             thresholds={"late_arrival_seconds": 0, "current_days": days, "minimum_days": 1})


class SeedQueries(ReportCase):
    def test_changes_are_those_of_the_seed_queries(self):
        for seed, observations in ((1, 4), (2, 6)):
            self.archive.unlink(missing_ok=True)
            make_archive.write(str(self.archive), samples=300, observations=observations, seed=seed, journal="delete")
            for pair in itertools.product(range(1, observations + 1), repeat=2):
                with self.subTest(seed=seed, pair=pair):
                    found = {"appeared": [], "disappeared": [], "representation_changed": []}
                    for item in self.items("change_set", from_=pair[0], at=pair[1], kinds=list(found)):
                        sides = [item[side]["payload_hash"] if side in item else None for side in ("before", "after")]
                        found[item["change"]].append((item["strict_fingerprint"], *sides))
                    self.assertEqual({name: sorted(rows, key=str) for name, rows in found.items()}, self.seed(*pair))

    def seed(self, previous, current):
        with database(self.archive) as connection:
            for statement in SEED.strip().split(";")[:-1]:
                connection.execute(statement, {"previous": previous, "current": current} if ":" in statement else {})
            return {name: sorted(connection.execute(NAMED % sql).fetchall(), key=str) for name, sql in QUERIES.items()}


class Filters(ReportCase):
    @takes_long
    def test_every_filter(self):
        self.archive = self.fixture()
        heart_rate = "HKQuantityTypeIdentifierHeartRate"
        for options, filters in (
                (("--type", heart_rate), {"types": [heart_rate]}),
                (("--type", heart_rate, "--type", "DietaryWater"), {"types": [heart_rate, "HKQuantityTypeIdentifierDietaryWater"]}),
                (("--type", "heartrate", "--type", "Workout"), {"types": [heart_rate, "HKWorkoutTypeIdentifier"]}),
                (("--since", "2000-01-31T00:01:00.250Z", "--overlapping"), {"since": "2000-01-31T00:01:00.250Z", "overlapping": True}),
                (("--until", "2000-03-31", "--overlapping"), {"until": "2000-03-31", "overlapping": True}),
                (("--since", "2000-01-31T00:01:00.250Z"), {"since": "2000-01-31T00:01:00.250Z"}),
                (("--until", "2000-03-31"), {"until": "2000-03-31"}),
                (("--source", "com.example.one"), {"sources": ["com.example.one"]}),
                (("--source", "com.example.one", "--since", "2000-01-31", "--until", "2000-02-01"), {"sources": ["com.example.one"], "since": "2000-01-31", "until": "2000-02-01"})):
            for kind in KINDS:
                with self.subTest(kind=kind, options=options):
                    places = {} if kind in OF_ONE_MOMENT else {"from_": 1}
                    self.assert_same(kind, *options, at=4, **places, **filters)

    @takes_long
    def test_kinds_of_changes(self):
        self.archive = self.fixture()
        names = sorted(CHANGES, reverse=True)
        # One and two kinds in every order, and every three of them.
        for kinds in (*itertools.permutations(names, 1), *itertools.permutations(names, 2), *itertools.combinations(names, 3)):
            self.assert_same("change_set", from_=1, at=4, kinds=kinds, containers=["jsonl"])

    def test_bundle_is_the_lines_in_frames(self):
        self.archive = self.fixture()
        for kind in KINDS:
            expected = reference.Report(str(self.archive), kind)
            result = self.assert_good(hp_report(self.archive, kind, "--format", "bundle", "-o", "-", "--no-record", "--quiet"))
            self.assertEqual(subprocess.run(["zstd", "-dcq"], input=result.out, check=True, stdout=subprocess.PIPE).stdout, expected.lines())


class Large(ReportCase):
    def test_an_envelope_of_several_pieces_is_one_object(self):
        """Items are written a megabyte or so at a time, and commas stand between all of them."""
        builder = Builder(self.archive, 1)
        builder.records(3000, 60, 1)
        builder.close()
        report = self.assert_same("record_table", containers=("json", "jsonl"))
        self.assertGreater(len(report.envelope()), 1_500_000)
        self.assertEqual(len(json.loads(report.envelope())["items"]), 3000)


class Observations(ReportCase):
    def test_adjacent_unless_said_otherwise(self):
        self.archive = self.fixture()
        for at in (None, 2, 3, 4):
            expected = reference.Report(str(self.archive), "diff_report", at=at)
            self.assertEqual(expected.export["scope"]["from_observation_id"], (at or 4) - 1)
            self.assert_same("diff_report", at=at)

    def test_an_unfinished_observation_is_passed_over(self):
        self.archive = self.fixture()
        execute(self.archive, "UPDATE observations SET status = 'running' WHERE id = 3")
        self.assertEqual(reference.Report(str(self.archive), "diff_report").export["scope"]["from_observation_id"], 2)
        self.assert_same("diff_report")

    def test_another_chain_explains_itself(self):
        self.archive = self.fixture("two-chains.sqlite")
        self.assert_refused(hp_report(self.archive, "diff_report", from_=1, at=2), "observations 1 and 2", "chain")

    def test_the_first_observation_has_none_before_it(self):
        self.archive = self.fixture()
        self.assert_refused(hp_report(self.archive, "diff_report", at=1))

    def test_thresholds_that_are_none(self):
        self.archive = self.fixture()
        for text in ("window_gap_seconds", "window_gap_seconds=", "window_gap_seconds=x", "window_gap_seconds=nan", "window_gap_seconds=inf", "no_such=1", "=1", "late_arrival_seconds=1"):
            with self.subTest(threshold=text):
                self.assert_refused(hp_report(self.archive, "diff_summary", "--threshold", text))


class Manifests(ReportCase):
    def test_records_of_types_without_an_identifier_share_one_item(self):
        """Two types whose names are no text, and one that has no row."""
        builder = Builder(self.archive, 1, ("com.example.a", "com.example.b", "com.example.c", STEPS))
        for name, count in (("com.example.a", 2), ("com.example.b", 3), ("com.example.c", 4), (STEPS, 5)):
            for place in range(count):
                builder.record(60 * place, 60 * place + 60, 1, sample_type=name)
        builder.connection.execute("UPDATE sample_types SET type_identifier = CAST(type_identifier AS BLOB) WHERE id < 3")
        builder.connection.execute("DELETE FROM sample_types WHERE id = 3")
        builder.close()
        items = self.items("observation_manifest")
        self.assertEqual([(item.get("sample_type"), item["item_count"], item["defect_count"]) for item in items], [(None, 9, 9), (STEPS, 5, 0)])
        self.assert_same("observation_manifest")


class Recorded(ReportCase):
    FORMATS = {"csv": ".csv", "json": ".json", "jsonl": ".jsonl", "bundle": ".jsonl.zst"}

    def setUp(self):
        super().setUp()
        shutil.copyfile(FIXTURES / "archives" / "small.sqlite", self.archive)

    def rows(self):
        manifests = query(self.archive, "SELECT export_id, export_kind, from_observation_id, to_observation_id, filter_json, manifest_hash, record_count FROM export_manifests")
        items = query(self.archive, "SELECT sample_id, version_id, item_hash FROM export_items ORDER BY export_manifest_id, rowid")
        return manifests, items

    def test_every_kind_is_recorded(self):
        for kind in (*KINDS, "change_set"):
            with self.subTest(kind=kind):
                execute(self.archive, "DELETE FROM export_items", "DELETE FROM export_manifests")
                kinds = ["appeared", "disappeared"] if kind == "change_set" else None
                places = {"at": 4} if kind in OF_ONE_MOMENT else {"at": 4, "from_": 1}
                report = reference.Report(str(self.archive), kind, kinds=kinds, **places)
                self.assert_good(hp_report(self.archive, kind, "--format", "jsonl", "-o", self.folder / (kind + ".jsonl"), kinds=kinds, **places))
                manifests, items = self.rows()
                self.assertEqual(manifests, [(report.export["export_id"], kind, places.get("from_"), 4, report.filter_json(), report.manifest_hash, len(report.items))])
                self.assertEqual(sorted(items, key=str), sorted(report.recorded, key=str))

    def test_the_same_again_adds_nothing_whatever_the_container(self):
        for kind in (*KINDS, "change_set"):
            kinds, first = ["representation_changed"] if kind == "change_set" else None, {}
            for attempt in range(2):
                for name, suffix in self.FORMATS.items():
                    path = self.folder / ("%s-%d%s" % (kind, attempt, suffix))
                    self.assert_good(hp_report(self.archive, kind, "--format", name, "-o", path, kinds=kinds))
                    self.assertEqual(first.setdefault(name, path.read_bytes()), path.read_bytes())
                    first.setdefault("rows", self.rows())
                    self.assertEqual(self.rows(), first["rows"])
                    if name == "csv":
                        sidecar = self.folder / (path.name + "-metadata.json")
                        self.assertEqual(sidecar.read_bytes(), reference.Report(str(self.archive), kind, kinds=kinds).sidecar(path.name))
        self.assertEqual(query(self.archive, INTENTS), [])

    def test_an_existing_file_is_kept(self):
        for there in ("r.csv", "r.csv-metadata.json"):
            with self.subTest(there=there):
                (self.folder / there).write_text("mine")
                before = self.rows()
                self.assert_refused(hp_report(self.archive, "record_table", "-o", self.folder / "r.csv"), there, "exists")
                self.assertEqual((self.folder / there).read_text(), "mine")
                self.assertEqual([name for name in self.names() if name.startswith(b"r.")], [there.encode()])
                self.assertEqual(self.rows(), before)
                self.assert_good(hp_report(self.archive, "record_table", "-o", self.folder / "r.csv", "--force"))
                report = reference.Report(str(self.archive), "record_table")
                self.assertEqual((self.folder / "r.csv").read_bytes(), report.table())
                self.assertEqual((self.folder / "r.csv-metadata.json").read_bytes(), report.sidecar("r.csv"))
                for name in ("r.csv", "r.csv-metadata.json"):
                    (self.folder / name).unlink()

    def test_standard_output_unless_said_otherwise(self):
        for kind, form in (("record_table", "table"), ("diff_report", "table"), ("observation_manifest", "envelope")):
            report = reference.Report(str(self.archive), kind)
            result = self.assert_good(hp_report(self.archive, kind))
            self.assertEqual(result.out, getattr(report, form)())
        self.assertEqual(query(self.archive, "SELECT count(*) FROM export_manifests"), [(3,)])


class Text(ReportCase):
    """What people read: aligned, neutral, and no export."""

    WORDS = r"\b(loss|lost|lose|corrupt\w*|damag\w*|missing|deleted|removed|tamper\w*|suspicious|error|warning|bad|wrong)\b"

    def test_summary_and_findings(self):
        self.archive = self.fixture()
        before = contents(self.archive)
        for kind in ("diff_summary", "finding_report"):
            details = ["--details"] if kind == "diff_summary" else []
            text = self.assert_good(hp_report(self.archive, kind, *details, from_=1, at=4)).out.decode()
            self.assertNotRegex(text.lower(), self.WORDS)
            self.assertIn("cause not inferred", text.lower())
            report = reference.Report(str(self.archive), kind, from_=1, at=4)
            for item in report.items:
                self.assertIn(item.get("sample_type", ""), text)
        self.assertEqual(contents(self.archive), before)

    def test_numbers_stand_under_each_other(self):
        self.archive = self.fixture()
        lines = self.assert_good(hp_report(self.archive, "diff_summary", "--details", "--type", "HKQuantityTypeIdentifierHeartRate", "--type", "HKWorkoutTypeIdentifier", from_=1, at=4)).out.decode().splitlines()
        head = next(line for line in lines if line.startswith("type") and "no longer visible" in line)
        rows = lines[lines.index(head) + 1:][:2]
        for name in ("before", "after", "appeared", "changed", "no longer visible"):
            end = head.index(name) + len(name)
            for row in rows:
                self.assertTrue(row[end - 1].isdigit() and (len(row) == end or row[end] == " "), (name, row))

    def test_json_is_the_report(self):
        self.archive = self.fixture()
        for kind in ("diff_summary", "finding_report"):
            result = self.assert_good(hp_report(self.archive, kind, "--json", "--no-record"))
            self.assertEqual(result.out, reference.Report(str(self.archive), kind).envelope())


class FarApart(ReportCase):
    """Sample ids that are far apart: a summary reads them in slices on two connections, as it does of many samples."""

    def test_a_summary_in_slices(self):
        chance = random.Random(7)
        builder = Builder(self.archive, 2, (STEPS, "HKCategoryTypeIdentifierSleepAnalysis"))
        for number in sorted(chance.sample(range(200_000), 400)):
            builder.samples = number
            start = 60 * chance.randrange(20_000)
            sample = builder.record(start, start + 60, chance.randrange(1, 9), bundle=chance.choice(["com.example.one", "com.example.two"]), **chance.choice([{}, {"last": 2}, {"first": 2}]))
            if chance.random() < 0.2:
                builder.version(sample, start, start + 120, 5, first=2)
        builder.close()
        for places in ({"from_": 1, "at": 2}, {"from_": 2, "at": 1}):
            self.assertGreater(len(self.assert_same("diff_summary", **places).items), 100)

    def test_damage_is_an_error_on_both_connections(self):
        builder = Builder(self.archive, 2)
        for number in range(60):
            builder.samples = number * 2000
            builder.record(60 * number, 60 * number + 60, number, **({}, {"last": 2}, {"first": 2})[number % 3])
        builder.close()
        whole = self.archive.read_bytes()
        for table in ("samples", "sample_versions", "sample_visibility_ranges"):
            ((root,),) = query(self.archive, "SELECT rootpage FROM sqlite_master WHERE name = ?", table)
            ((size,),) = query(self.archive, "PRAGMA page_size")
            damaged = bytearray(whole)
            damaged[(root - 1) * size] = 0xFF  # no type of page
            self.archive.write_bytes(damaged)
            for options in ((), ("--summary",), ("--findings",), ("--pairs",)):
                with self.subTest(table=table, options=options):
                    options = (*options, "--format", "jsonl", "-o", self.folder / "out.jsonl", "--no-record")
                    result = hp_export("diff", self.archive, *options)
                    self.assert_refused(result, "archive.sqlite: database disk image is malformed")
                    self.assertEqual(self.names(), [b"archive.sqlite"])
            self.archive.write_bytes(whole)

    def test_workouts_in_slices(self):
        """What only some workouts of an activity state is added up over both connections."""
        workout, energy, distance = "HKWorkoutTypeIdentifier", "ActiveEnergyBurned", "DistanceWalkingRunning"
        builder = Builder(self.archive, 2, (workout,))
        text = '{"hp:statistics":[{"sum":"%d","type":"HKQuantityTypeIdentifier%s","unit":"kcal"},' \
            '{"sum":"%d","type":"HKQuantityTypeIdentifier%s","unit":"m"}]}'
        for number in range(64):
            builder.samples = number * 2000
            builder.record(number * 600, number * 600 + 600, None, workout, kind="workout", activity=number // 2 + 1,
                           last=2 if number % 3 == 0 else None)
            stated = text % (number, energy, 10 * number, distance)
            builder.insert("metadata_blobs", number + 1, "%064x" % number, stated)
        builder.connection.execute("UPDATE sample_versions SET metadata_id = id WHERE id % 2 = 0")
        builder.close()
        report = self.assert_same("diff_summary", from_=1, at=2)
        before = next(item for item in self.items("diff_summary", from_=1, at=2) if "sample_type" in item)["before"]
        # Of each activity, the second workout states them.
        self.assertEqual([(part["value"], part["energy"], part["distance"]) for part in before["parts"]],
                         [(number // 2 + 1, number, 10 * number) for number in range(1, 64, 2)])
        self.assertGreater(len(report.items), 2)

    def test_ids_that_are_no_integers(self):
        builder = Builder(self.archive, 2)
        for number in (1, 100_000):
            builder.samples = number
            builder.record(0, 60, 5, last=2)
        builder.connection.execute("UPDATE sample_visibility_ranges SET sample_id = 50000.5 WHERE sample_id = 100001")
        builder.samples = 200_000
        builder.record(0, 60, 5, first=2)
        builder.close()
        self.assert_same("diff_summary", from_=1, at=2)


class Odd(ReportCase):
    """Ids and hashes that are none, as no capture writes them."""

    def test_ids_of_versions_that_share_a_sample(self):
        for setting in ("sample_id = 1.5", "version_id = version_id + 0.5", "version_id = 'x' || version_id",
                        "sample_id = 1.5, version_id = version_id + 0.5"):
            self.archive.unlink(missing_ok=True)
            builder = Builder(self.archive, 2)
            sample = builder.record(0, 600, 1)
            builder.version(sample, 600, 1200, 2)
            builder.version(sample, 1200, 1800, 3, first=2)
            builder.connection.execute("UPDATE sample_visibility_ranges SET " + setting)
            builder.close()
            # Where the sample has no row, its type is one of its own, next to the one that was asked for.
            for kind, count in (("diff_summary", 4 if setting.startswith("sample_id") else 3), ("diff_report", 2)):
                for places in ({"from_": 1, "at": 2}, {"from_": 2, "at": 1}):
                    with self.subTest(setting=setting, kind=kind, **places):
                        self.assertEqual(len(self.assert_same(kind, containers=["jsonl"], **places).items), count)

    def test_records_without_a_row_of_their_sample_or_type(self):
        """They share one comparison and one finding of each kind, which name no type."""
        shared = "UPDATE OR IGNORE sample_versions SET payload_hash = (SELECT min(payload_hash) FROM sample_versions)"
        damages = (
            ("DELETE FROM samples WHERE id IN (2, 5)",), ("DELETE FROM samples WHERE id IN (5, 25, 26)", shared),
            ("UPDATE samples SET sample_type_id = 999 WHERE id IN (1, 2, 5)", shared), ("UPDATE samples SET sample_type_id = 'x' WHERE id = 5",),
            ("DELETE FROM sample_types WHERE id = 2",), ("UPDATE sample_types SET type_identifier = CAST(x'ff' || id AS TEXT)", shared),
            ("UPDATE OR IGNORE sample_visibility_ranges SET sample_id = sample_id || 'x' WHERE sample_id < 9", shared),
            ("UPDATE OR IGNORE sample_visibility_ranges SET sample_id = sample_id + 0.5 WHERE sample_id > 30", shared))
        found = set()
        for damage in damages:
            self.archive = self.fixture()
            execute(self.archive, "PRAGMA foreign_keys = OFF", *damage)
            for (from_, at), kind in itertools.product(((1, 4), (3, 4), (4, 1)), ("diff_report", "diff_summary", "finding_report")):
                with self.subTest(damage=damage, kind=kind, from_=from_, at=at):
                    report = self.assert_same(kind, from_=from_, at=at)
                    found.update(item["finding"] for item in report.items if kind == "finding_report" and "sample_type" not in item)
        self.assertEqual(found, {"disappearance", "exact_duplicate"})

    def test_hashes_of_one_side(self):
        """What is packed as 32 bytes on one side of a change is a text on the other."""
        builder = Builder(self.archive, 2)
        for before, after in ((None, "short"), ("short", None), ("A" * 64, None), (None, None)):
            sample = builder.record(0, 60, 5, last=2, payload=before)
            builder.version(sample, 0, 120, 6, first=2, payload=after)
        builder.close()
        for places in ({"from_": 1, "at": 2}, {"from_": 2, "at": 1}):
            self.assertEqual(len(self.assert_same("diff_report", **places).items), 4)

    def test_a_run_of_no_observation(self):
        builder = Builder(self.archive, 2)
        builder.record(0, 60, 5)
        builder.connection.execute(
            "UPDATE observation_type_runs SET observation_id = 1.5, status = 'failed' WHERE observation_id = 2")
        builder.close()
        lines = self.assert_good(hp_export("diff", self.archive, "--summary", "--details", "--no-record")).out.decode().splitlines()
        self.assertEqual(lines[-1].split(None, 1), [STEPS, "unknown: run of observation - failed"])

    def test_large_metadata_by_turns(self):
        """More than is kept of what many records share."""
        builder = Builder(self.archive, 1)
        for number in range(4):
            builder.insert("metadata_blobs", number + 1, "%064x" % number, '{"k":"%s"}' % (str(number) * 700_000))
        builder.records(12, 60, 5)
        builder.connection.execute("UPDATE sample_versions SET metadata_id = 1 + id % 4")
        builder.close()
        found = [item["metadata"]["k"][:1] for item in self.items("record_table", at=1)]
        self.assertEqual(found, [str((1 + number) % 4) for number in range(12)])


class SeveralVersions(ReportCase):
    """A sample with several visible versions at once, as no capture writes it."""

    def test_versions_that_stay_are_no_change_of_each_other(self):
        """The first and the second are visible at both observations, the third at one of them: what changed is between each of the two and the third."""
        builder = Builder(self.archive, 2)
        sample = builder.record(0, 600, 1)
        builder.version(sample, 600, 1200, 2)
        builder.version(sample, 1200, 1800, 3, first=2)
        builder.close()
        first, second, third = ("%064x" % number for number in (1, 2, 3))
        for from_, to, expected, visible, changed in ((1, 2, [(first, third), (second, third)], (2, 3), (2, 1)), (2, 1, [(third, first), (third, second)], (3, 2), (1, 2))):
            with self.subTest(from_=from_):
                changes = self.items("diff_report", from_=from_, at=to)
                self.assertEqual({item["change"] for item in changes}, {"representation_changed"})
                self.assertEqual([(item["before"]["payload_hash"], item["after"]["payload_hash"]) for item in changes], expected)
                # All types, the type, and its one window, which has each version of its changes once.
                summary = self.items("diff_summary", from_=from_, at=to)
                self.assertEqual([[item[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed")] for item in summary], 3 * [[0, 0, 2]])
                self.assertEqual([(item["before"]["record_count"], item["after"]["record_count"]) for item in summary], [visible, visible, changed])
                self.assert_same("diff_summary", from_=from_, at=to)


if __name__ == "__main__":
    unittest.main()
