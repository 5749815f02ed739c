"""What a capture tells a person: a few lines, the next command, how far it is; and several exports in one call."""

import json
import random
import re
import subprocess
import unittest
import zipfile

from capture_support import CaptureCase, feed, observation, sample, type_run
from support import ENVIRONMENT, PATIENCE, hp_export, tool
from test_guards import beats, export, record, steps
from test_source_labels import LabelCase, hash_of


class TextCase(CaptureCase):
    def capture(self, *words, status=0, **options):
        result = hp_export("capture", self.archive, *words, **options)
        self.assertEqual(result.status, status, result)
        result.out = result.out.decode()
        return result

    def export(self, day, *records, name=None):
        return self.written(export(day, *records), name or "export-%d.xml" % day)

    def zipped(self, path):
        packed = path.with_suffix(".zip")
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(path, "apple_health_export/export.xml")
        return packed


class Lines(TextCase):
    def test_what_was_captured_what_changed_and_the_next_command(self):
        first = self.capture(self.export(1, *beats(*range(30)), *steps(*range(5))))
        self.assertEqual(first.out.splitlines(), [
            "Captured   export-1.xml of 1 May 2024: 35 records of 2 types",
            "Changes    nothing to compare yet; most: 30 of heart rate",
            "Not known  ECGs, routes and documents: export-1.xml has only the XML",
            "Next       hp-export diff %s --summary" % self.archive])
        self.assertIn("a new archive secret; keep it", first.err)
        second = self.capture(self.export(2, *beats(*range(3, 40)), *steps(*range(1, 7))))
        self.assertEqual(second.out.splitlines()[:2], [
            "Captured   export-2.xml of 2 May 2024: 43 records of 2 types",
            "Changes    12 new (10 of heart rate), 4 gone (3 of heart rate), none changed"])
        self.assertEqual(second.err, "")
        same = self.capture(self.export(2, *beats(*range(3, 40)), *steps(*range(1, 7))))
        self.assertEqual(same.out.splitlines()[0], "Captured   export-2.xml of 2 May 2024 was captured before, and nothing differs")

    def test_the_figures_are_those_of_the_archive(self):
        """Random months: the lines say what SQLite counts."""
        chance = random.Random(11)
        for month in range(1, 7):
            numbers = [number for number in range(60 * month) if chance.random() < 0.9]
            result = self.capture(self.export(month, *beats(*numbers), *steps(*chance.sample(numbers, 20))), "--accept-disappearances")
            visible, types = self.rows("SELECT count(*), count(DISTINCT s.sample_type_id) FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id WHERE r.last_observation_id IS NULL")[0]
            self.assertIn(": %d records of %d types\n" % (visible, types), result.out)
            if month > 1:
                kinds = dict(self.rows("SELECT event_kind, count(*) FROM sample_observation_events WHERE observation_id = %d GROUP BY 1" % month))
                told = {word: int(number.replace(",", "")) for number, word in re.findall(r"([\d,]+) (new|gone|changed)", result.out)}
                self.assertEqual((told.get("new", 0), told.get("gone", 0)), (kinds.get("appeared", 0), kinds.get("disappeared", 0)), result.out)

    def test_what_was_noticed_is_said_on_demand(self):
        path = self.export(1, *beats(1, 2), '<Record type="HKTestOfTheFuture" sourceName="T" startDate="2024-04-01 00:00:00 +0200" endDate="2024-04-01 00:00:00 +0200" odd="1"/>\n')
        self.assertNotIn("kept, and not known", self.capture(path, "--dry-run").err)
        told = self.capture(path, "--verbose", "--dry-run").err
        self.assertIn("kept, and not known: 1 Record/@odd", told)
        quiet = self.capture(path, "--quiet")
        self.assertEqual((quiet.out, quiet.err), ("", ""))

    def test_rejected_records_are_not_known(self):
        bad = '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="T" unit="count" startDate="never" endDate="never" value="1"/>\n'
        result = self.capture(self.export(1, *beats(1, 2), bad, bad), status=1)
        text = " ".join(result.out.replace(" \\\n", " ").split())
        self.assertIn("Not known rejected: 2 records, which cannot be stored as they are: hp-export list %s rejected" % self.archive, text)

    def test_this_computers_zone_is_proposed_and_not_stored(self):
        path = self.export(1, *beats(1, 2), *steps(3))
        for zone, is_proposed in (("Europe/Berlin", True), (":Europe/Berlin", True), ("America/New_York", False), ("No/Zone", False)):
            with self.subTest(zone=zone):
                result = self.capture(path, "--dry-run", env={**ENVIRONMENT, "TZ": zone})
                self.assertEqual("Days       UTC+02:00 all year; this computer's zone: --time-zone Europe/Berlin\n" in result.out, is_proposed, result.out)
        self.capture(path, "--quiet", env={**ENVIRONMENT, "TZ": "Europe/Berlin"})
        self.assertEqual(self.rows("SELECT time_zone_identifier FROM observations"), [(None,)])
        self.capture(self.export(2, *beats(1, 2), *steps(3)), "--time-zone", "Europe/Berlin", "--quiet")
        self.assertEqual(self.rows("SELECT time_zone_identifier FROM observations WHERE id = 2"), [("Europe/Berlin",)])


class Several(TextCase):
    def test_exports_are_captured_in_the_order_of_their_dates(self):
        days = list(range(1, 7))
        paths = [self.export(day, *beats(*range(day, 20 + day)), name="%s.xml" % chr(ord("z") - day)) for day in days]
        paths = [self.zipped(path) if place % 2 else path for place, path in enumerate(paths)]
        random.Random(3).shuffle(paths)
        result = self.capture(*paths)
        told = re.findall(r"^Captured +\S+ of (.*): 20 records", result.out, re.M)
        self.assertEqual(told, ["%d May 2024" % day for day in days])
        self.assertTrue(all(len(line) <= 80 for line in result.out.splitlines()))
        self.assertEqual(result.out.count("Changes    1 new (heart rate), 1 gone (heart rate), none changed"), 5)
        self.assertEqual(result.out.count("Next "), 1)
        self.assertEqual(len(self.rows("SELECT id FROM observations WHERE status = 'completed'")), 6)
        # Sent again together with a new one: only the new one is captured.
        again = self.capture(*paths, self.export(9, *beats(*range(7, 27))))
        self.assertEqual(again.out.count("was captured before"), 6)
        self.assertEqual(len(self.rows("SELECT id FROM observations")), 7)

    def test_one_call_and_one_call_each_give_the_same_archive(self):
        paths = [self.export(day, *beats(*range(day, 12 + day)), *steps(day)) for day in (1, 2, 3)]
        rows = []
        for together in (True, False):
            self.archive.unlink(missing_ok=True)
            self.secret_of_archive = self.archive.with_name(self.archive.name + ".secret")
            self.secret_of_archive.write_text(self.secret.read_text())
            self.secret_of_archive.chmod(0o600)
            for words in ([paths[::-1]] if together else [[path] for path in paths]):
                self.capture(*words, "--quiet")
            rows.append([self.rows("SELECT * FROM %s ORDER BY 1, 2, 3" % table) for table in ("sample_versions", "sample_visibility_ranges", "sample_observation_events", "observation_type_summaries")])
        self.assertEqual(*rows)

    def test_what_was_captured_before_an_error_stays_and_is_said(self):
        good, bad = self.export(1, *beats(*range(10))), self.export(2, *beats(1), name="other.xml")
        result = self.capture(bad, good, status=2)
        self.assertIn("Captured   export-1.xml of 1 May 2024: 10 records of 1 type\n", result.out)
        self.assertIn("error:", result.err)
        self.assertEqual(self.rows("SELECT id, status FROM observations"), [(1, "completed")])

    def test_a_rehearsal_takes_all_exports(self):
        paths = [self.export(day, *beats(*range(day, 20 + day))) for day in (1, 2)]
        result = self.capture(*paths, "--dry-run")
        self.assertIn("Dry run    export-2.xml of 2 May 2024: 20 records of 1 type\nChanges    1 new (heart rate), 1 gone (heart rate), none changed\n", result.out)
        self.assertFalse(self.archive.exists())

    def test_what_a_source_is_can_be_seen(self):
        self.capture(self.written(feed(observation(1, type_run([sample(1)]))), "no-name"), "--quiet")
        self.assertEqual(self.rows("SELECT trigger_reason <> 'apple_health_export' FROM observations"), [(1,)])
        folder = self.folder / "apple_health_export"
        folder.mkdir()
        (folder / "export.xml").write_bytes(export(1, *beats(1)))
        self.archive.unlink()
        self.assertIn("Captured   apple_health_export of 1 May 2024: 1 record of 1 type\n", self.capture(folder).out)

    def test_sources_that_do_not_go_together_are_refused(self):
        one, line = self.export(1, *beats(1)), self.written(feed(observation(1, type_run([sample(1)]))), "line")
        for words, told in (([], "name a source"), ([one, line], "one feed, or any number of exports"), ([line, line], "one feed"), (["-"], "standard input: name it with"),
                            ([one, "--apple-health", "-"], "captured alone"), ([one, one, "--observed-at", "2024-01-01T00:00:00Z"], "one export at a time"), ([self.folder / "none.xml"], "no such file")):
            with self.subTest(words):
                self.assert_refused(hp_export("capture", self.archive, *words, "--quiet"), told)
        self.assertFalse(self.archive.exists())


class LabelsOnly(LabelCase):
    def test_names_come_later(self):
        self.capture("My watch", options=())
        before = self.archive.read_bytes()
        result = self.capture("My watch", "Other", options=("--labels-only",))
        # A name that the archive has no source of is not kept.
        self.assertIn("2 labels added", result.err)
        self.assertEqual(set(self.labels().values()), {"My watch", "My watch device"})
        self.assertIn(hash_of("My watch"), self.labels())
        self.assertEqual(self.archive.read_bytes(), before)

    def test_without_the_secret_no_name_is_found(self):
        self.capture("My watch", options=())
        self.secret.unlink()
        path = self.folder / "export.xml"
        self.assert_refused(self.hp_capture("--apple-health", path, "--labels-only", "--quiet"), "without the archive's secret")
        self.assertFalse(self.file.exists())

    def test_there_has_to_be_an_archive(self):
        self.assert_refused(self.hp_capture("--apple-health", self.written(export(1, *beats(1)), "e.xml"), "--labels-only", "--quiet"), "no such file")


class Progress(TextCase):
    def large(self, count):
        return self.written(export(1, *(record(number % 30_000) for number in range(count))), "large.xml")

    def test_a_source_of_known_size_has_a_percentage(self):
        shown = []
        for size in range(8):
            # A fast machine says nothing in the first second: then there are more records.
            command = [tool("hp-export"), "capture", str(self.archive), str(self.large(8_000 << size)), "--dry-run", "--quiet", "--progress", "json"]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE * 4, env=ENVIRONMENT, check=True)
            shown = [json.loads(line) for line in result.stderr.decode().splitlines()]
            if len(shown) > 1:
                break
        shares = [line["percent"] for line in shown if "percent" in line]
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(0 < shares[-1] <= 100, shares)

    def test_a_note_does_not_stand_behind_the_progress(self):
        """The line of progress is taken away before a note is written."""
        text = self.terminal(tool("hp-export"), "capture", self.archive, self.large(12_000))
        for line in text.decode().split("\n"):
            if "hp-export: " in line:
                self.assertRegex(line, r"(^|\x1b\[K)hp-export: ")


if __name__ == "__main__":
    unittest.main()
