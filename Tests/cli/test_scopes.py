"""What the filters of an export select: compared with a plain question to sqlite3, and checked by both verifiers."""

import contextlib
import json
import pathlib
import random
import shutil
import sqlite3
import unittest

from report_support import KINDS, ReportCase
from archive_builder import START, STEPS, Builder
from support import execute, hp_export, hp_verify, make_archive, query, takes_long
from test_source_labels import LabelCase, guarded, hash_of, labels_text  # noqa: F401


def spelled(second):
    import datetime
    return (datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Dates(ReportCase):
    def selected(self, *options):
        return sorted((item["start_date"], item["end_date"]) for item in self.items("record_table", *options))

    def expected(self, since, until, is_overlapping):
        """A record is selected where it starts between the two, or with --overlapping also where it starts before and ends after the first."""
        begins = "v.start_date >= :since" + (" OR v.start_date < :since AND v.end_date > :since" if is_overlapping else "")
        sql = """SELECT v.start_date, v.end_date FROM sample_visibility_ranges r JOIN sample_versions v ON v.id = r.version_id AND v.sample_id = r.sample_id
            WHERE r.last_observation_id IS NULL AND (:since IS NULL OR %s) AND (:until IS NULL OR v.start_date < :until)""" % begins
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            rows = connection.execute(sql, {"since": None if since is None else START + since, "until": None if until is None else START + until}).fetchall()
        return sorted((spelled(start - START), spelled(end - START)) for start, end in rows)

    @takes_long
    def test_random_records_and_bounds(self):
        chance = random.Random(17)
        archive = Builder(self.archive, 1, (STEPS, "HKCategoryTypeIdentifierSleepAnalysis"))
        for number in range(300):
            start = chance.choice([chance.randrange(200), chance.randrange(200) + 0.25])
            archive.record(start, start + chance.choice([0, 0, 1, 10, 50.5, 1000]), 1, chance.choice([STEPS, "HKCategoryTypeIdentifierSleepAnalysis"]))
        archive.close()
        for number in range(60):
            since, until = (chance.choice([None, chance.randrange(220), chance.randrange(220) + 0.25]) for _ in range(2))
            if since is None and until is None:
                continue
            options = [part for name, value in (("--since", since), ("--until", until)) if value is not None for part in (name, spelled(value))]
            for overlapping in ((), ("--overlapping",)):
                with self.subTest(since=since, until=until, overlapping=overlapping):
                    self.assertEqual(self.selected(*options, *overlapping), self.expected(since, until, bool(overlapping)))

    def test_a_type_leads_to_the_same_as_dates_do(self):
        archive = Builder(self.archive, 1, (STEPS,))
        for start in range(0, 100, 5):
            archive.record(start, start + 12, 1)
        archive.close()
        for options in ((), ("--type", "StepCount")):
            found = self.selected("--since", spelled(50), "--until", spelled(60), "--overlapping", *options)
            self.assertEqual(found, [(spelled(start), spelled(start + 12)) for start in (40, 45, 50, 55)])


class SourceNames(LabelCase):
    """Secrets are beside the archive here, so that a name can be hashed."""

    def setUp(self):
        super().setUp()
        shutil.copy(self.secret, str(self.archive) + ".secret")
        self.capture("My watch", "Phone", "My watch", "\u00dcber", options=())

    def days(self, *names, command="records"):
        options = [part for name in names for part in ("--source-name", name)]
        out = self.folder / "out.jsonl"
        self.assert_good(hp_export(command, self.archive, *options, "-o", out, "--force", *(("--format", "jsonl") if command != "bundle" else ())))
        self.assert_good(hp_verify("bundle", out, "--archive", self.archive))
        from verifier.files import verify
        with open(out, "rb") as file:
            verdict = verify(file, out.name)
        self.assertEqual((verdict["result"], verdict["findings"]), ("ok", []))
        if command == "bundle":
            return None
        lines = [json.loads(line) for line in out.read_bytes().splitlines()]
        self.assertEqual(lines[0]["export"]["filter"], {"source_names": sorted({hash_of(self.known.get(name, name)) for name in names})})
        return sorted(int(line["item"]["start_date"][8:10]) for line in lines[1:-1])

    known = {}

    def test_names_hashes_and_labels(self):
        self.known = {hash_of("Phone"): "Phone", hash_of("Phone")[:8]: "Phone", "A label": "\u00dcber"}
        self.assertEqual(self.days("My watch"), [1, 3])
        self.assertEqual(self.days("My watch", "Phone"), [1, 2, 3])
        self.assertEqual(self.days(hash_of("Phone")), [2])
        self.assertEqual(self.days(hash_of("Phone")[:8]), [2])
        self.set_labels(labels_text({hash_of("\u00dcber"): "A label"}))
        self.assertEqual(self.days("A label"), [4])
        self.assertEqual(self.days("\u00dcber"), [4])
        self.days("Phone", command="bundle")
        self.assert_good(hp_verify("reproduce", self.archive))

    def test_a_label_decides_over_a_name(self):
        self.set_labels(labels_text({hash_of("Phone"): "My watch"}))
        self.known = {"My watch": "Phone"}
        self.assertEqual(self.days("My watch"), [2])

    def test_no_source_and_several(self):
        for name, word in (("my watch", "no source of this name"), ("", "no source of this name"), ("0" * 64, "the nearest is"), (hash_of("Phone")[:12] + "0" * 4, "the nearest is " + hash_of("Phone")[:16])):
            result = hp_export("records", self.archive, "--source-name", name, "-o", self.folder / "out.csv")
            self.assert_refused(result, word)
            self.assertNotIn("my watch", result.err)
        self.set_labels(labels_text({hash_of("Phone"): "x", hash_of("My watch"): "x"}))
        self.assert_refused(hp_export("records", self.archive, "--source-name", "x"), "2 sources have this label: " + ", ".join(sorted(hash_of(name)[:16] for name in ("Phone", "My watch"))))
        digits = hash_of("Phone")[:8]
        execute(self.archive, "INSERT INTO sources(source_name_hash) VALUES ('%s')" % (digits + "0" * 56))
        refused = hp_export("records", self.archive, "--source-name", digits)
        self.assert_refused(refused, "2 sources have a hash that begins so")
        pathlib.Path(str(self.archive) + ".secret").unlink()
        self.assert_refused(hp_export("records", self.archive, "--source-name", "My watch"), "no source of this name")

    def test_a_name_and_an_app(self):
        execute(self.archive, "UPDATE sources SET bundle_identifier = 'com.example' WHERE source_name_hash = '%s'" % hash_of("Phone"))
        both = lambda app: len(self.assert_good(hp_export("records", self.archive, "--source-name", "Phone", "--source", app, "--format", "jsonl", "-o", "-", "--no-record")).out.splitlines()) - 2
        self.assertEqual((both("com.example"), both("com.other")), (1, 0))


class AgainstTheReference(ReportCase):
    def test_every_kind_of_report(self):
        make_archive.write(str(self.archive), samples=400, observations=4, seed=5, journal="delete")
        names = [name for (name,) in query(self.archive, "SELECT DISTINCT source_name_hash FROM sources WHERE source_name_hash IS NOT NULL ORDER BY 1")]
        if not names:
            execute(self.archive, "UPDATE sources SET source_name_hash = '%s' WHERE id %% 2 = 0" % ("5" * 64))
            names = ["5" * 64]
        for kind in KINDS:
            self.assert_same(kind, "--source-name", names[0], source_names=[names[0]])
            self.assert_same(kind, "--source-name", names[0], "--since", "2000-01-31", source_names=[names[0]], since="2000-01-31")


class Related(ReportCase):
    """--with-related, compared with the reference and with a plain walk over links that sqlite3 reads."""

    def link(self, archive, source, target, first=1):
        archive.insert("sample_relationships", None, first, source, target, "linked", None)

    def walk(self, seeds):
        """The samples that links lead to."""
        links = query(self.archive, "SELECT source_sample_id, target_sample_id FROM sample_relationships")
        visible = {sample for (sample,) in query(self.archive, "SELECT sample_id FROM sample_visibility_ranges WHERE last_observation_id IS NULL")}
        found = set(seeds)
        while True:
            more = {other for pair in links for one, other in (pair, pair[::-1]) if one in found and other in visible} - found
            if not more:
                return found
            found |= more

    def samples(self, *options):
        items = self.items("record_table", *options)
        return [int(item["sample_uuid_hash"], 16) - 1000 for item in items]

    @takes_long
    def test_random_links(self):
        chance = random.Random(5)
        for number in range(12):
            self.archive.unlink(missing_ok=True)
            archive = Builder(self.archive, 2, (STEPS, "HKWorkoutTypeIdentifier"))
            for index in range(40):
                archive.record(index * 60, index * 60 + 60, 1, chance.choice([STEPS, STEPS, "HKWorkoutTypeIdentifier"]), last=2 if chance.random() < 0.2 else None)
            for pair in chance.sample([(one, other) for one in range(1, 41) for other in range(1, 41) if one != other], chance.choice([0, 10, 25, 60])):
                self.link(archive, *pair)
            archive.close()
            since, until = sorted(chance.sample(range(0, 2400), 2))
            for options in (("--type", "Workout"), ("--since", spelled(since), "--until", spelled(until)), ("--type", "Workout", "--since", spelled(since))):
                with self.subTest(number=number, options=options):
                    plain = self.samples(*options)
                    found = self.samples(*options, "--with-related")
                    self.assertEqual(len(found), len(set(found)))
                    self.assertEqual(set(found), self.walk(plain))
                    types = ["HKWorkoutTypeIdentifier"] if "Workout" in options else []
                    dates = dict(zip((name.strip("-") for name in options if name in ("--since", "--until")), (part for part in options if part[:1] == "2")))
                    self.assert_same("record_table", *options, "--with-related", types=types, with_related=True, **dates)

    def test_it_is_of_the_time_of_the_observation(self):
        archive = Builder(self.archive, 2, (STEPS, "HKWorkoutTypeIdentifier"))
        workout, early, late = archive.record(0, 60, 1, "HKWorkoutTypeIdentifier"), archive.record(0, 60, 2, last=2), archive.record(0, 60, 3, first=2)
        self.link(archive, workout, early, 1)
        self.link(archive, workout, late, 2)
        archive.close()
        self.assertEqual(set(self.samples("--type", "Workout", "--with-related", "--at", "1")), {workout, early})
        self.assertEqual(set(self.samples("--type", "Workout", "--with-related")), {workout, late})

    def test_a_bundle_is_recorded_reproduced_and_verified(self):
        archive = Builder(self.archive, 1, (STEPS, "HKWorkoutTypeIdentifier"))
        workout = archive.record(0, 60, 1, "HKWorkoutTypeIdentifier")
        for index in range(3):
            self.link(archive, workout, archive.record(index, index + 1, 2))
        archive.record(5, 6, 9)
        archive.close()
        out = self.folder / "out.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "--type", "Workout", "--with-related", "-o", out))
        self.assertIn(b"matches the archive", self.assert_good(hp_verify("bundle", out, "--archive", self.archive)).out)
        self.assert_good(hp_verify("reproduce", self.archive))
        # A type that the archive learns of later is in the coverage of today, and not in that of the record.
        execute(self.archive, "INSERT INTO sample_types VALUES (9, 'HKQuantityTypeIdentifierDietaryWater', NULL, NULL)")
        self.assert_good(hp_verify("reproduce", self.archive))
        execute(self.archive, "DELETE FROM sample_relationships WHERE id = 2")
        self.assertEqual(hp_verify("reproduce", self.archive).status, 1)

    def test_wrong_options_are_refused(self):
        self.archive = self.fixture()
        for command, *options, word in (("records", "--with-related", "needs --type"), ("bundle", "-o", "-", "--history", "--type", "StepCount", "--with-related", "contradict"), ("diff", "--with-related", "--with-related")):
            self.assert_refused(hp_export(command, self.archive, *options), word)


if __name__ == "__main__":
    unittest.main()
