"""Unknown is a state: what a source did not show, could not be stored or contradicts itself is neither "unchanged" nor "no longer visible", in every output."""

import io
import json
import unittest
import zipfile

from capture_support import HEART_RATE, CaptureCase, feed, observation, sample, type_run, uuid
from support import hp_export, hp_verify
from test_states import health, record

ROUTE, ECG, WORKOUT = "HKWorkoutRouteTypeIdentifier", "HKDataTypeIdentifierElectrocardiogram", "HKWorkoutTypeIdentifier"
MASS = "HKQuantityTypeIdentifierBodyMass"
GPX = b'<gpx><trk><trkseg><trkpt lat="1.5" lon="2.5"><time>2024-04-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>'
LEAD = "Name,x\nDate of Birth,y\nRecorded Date,2024-04-01 10:00:00 +0000\nClassification,Sinus Rhythm\nSymptoms,\nSoftware Version,1\nDevice,\"Watch0,0\"\nSample Rate,512 hertz\n\n\nLead,Lead I\nUnit,\u00b5V\n\n1.5\n2\n"
WALK = ('<Workout workoutActivityType="HKWorkoutActivityTypeWalking" duration="30" durationUnit="min" sourceName="Watch" startDate="2024-04-01 10:00:00 +0000" '
        'endDate="2024-04-01 10:30:00 +0000"><WorkoutRoute sourceName="Watch" startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:30:00 +0000">'
        '<FileReference path="/workout-routes/route_1.gpx"/></WorkoutRoute></Workout>')
BESIDE = {"workout-routes/route_1.gpx": GPX, "electrocardiograms/ecg_1.csv": LEAD.encode(), "export_cda.xml": b"<a/>", "clinical-records/r.json": b"{}"}


def package(day, beside, *records):
    """The zip of an export."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("apple_health_export/export.xml", health(day, WALK, *records))
        for name, content in beside.items():
            archive.writestr("apple_health_export/" + name, content)
    return data.getvalue()


class Unknown(CaptureCase):
    def standings(self, *arguments):
        """What the summary says of each type: standing, reasons, the three counts."""
        lines = hp_export("diff", self.archive, "--summary", "--format", "jsonl", "-o", "-", "--no-record", "--quiet", *arguments).out.splitlines()
        items = [json.loads(line)["item"] for line in lines[1:-1]]
        return {item["sample_type"]: (item["standing"], item.get("standing_reasons", [])) for item in items if "standing" in item}

    def whole(self, *arguments):
        lines = hp_export("diff", self.archive, "--summary", "--format", "jsonl", "-o", "-", "--no-record", "--quiet", *arguments).out.splitlines()
        return json.loads(lines[1])["item"]

    def counts(self, *arguments):
        whole = self.whole(*arguments)
        return tuple(whole[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed"))

    def text(self, *arguments):
        return hp_export("diff", self.archive, "--summary", "--details", "--quiet", *arguments).out.decode()

    def take(self, content, name="export.zip"):
        result = self.hp_capture("--apple-health", self.written(content, name), "--json", "--accept-disappearances")
        self.assertIn(result.status, (0, 1), result)
        return json.loads(result.out)["observations"][0], result.err


class SideFiles(Unknown):
    def test_an_export_without_its_files_says_nothing_of_them(self):
        without = {
            "bare.xml": health(2, WALK), "only.zip": package(2, {}), "noted.zip": package(2, {".DS_Store": b"x", "__MACOSX/._export.xml": b"y"}),
            "top.zip": package(2, {"export_cda.xml": b"<a/>"})}
        for name, content in without.items():
            with self.subTest(name):
                self.renew()
                self.take(package(1, BESIDE))
                counts, said = self.take(content, name)
                self.assertIn("has only the XML", said)
                self.assertEqual([counts[kind] for kind in ("appeared", "disappeared", "representation_changed", "gone_documents")], [0] * 4)
                self.assertEqual(self.counts(), (0, 0, 0))
                self.assertEqual(self.standings()[ROUTE], ("unknown", ["to_state_unknown"]))
                self.assertEqual(self.standings()[ECG], ("unknown", ["to_state_unknown"]))
                self.assertEqual(self.standings()[WORKOUT], ("verified", []))
                self.take(package(3, BESIDE))
                self.assertEqual((self.counts(), self.counts("--from", "1")), ((0, 0, 0), (0, 0, 0)))
                self.assertEqual(self.standings("--from", "1")[ROUTE], ("verified", []))
                self.assertEqual(self.standings()[ROUTE], ("unknown", ["from_state_unknown"]))
                self.assert_good(hp_verify("archive", self.archive))

    def test_a_full_look_says_what_is_gone(self):
        self.take(package(1, BESIDE))
        rest = {name: content for name, content in BESIDE.items() if "ecg" not in name and "json" not in name}
        counts, _ = self.take(package(2, rest))
        self.assertEqual((counts["disappeared"], counts["gone_documents"]), (1, 1))
        self.assertEqual(self.standings()[ECG], ("changed", []))

    def test_one_route_of_two_is_not_there(self):
        self.take(package(1, BESIDE))
        rest = {name: content for name, content in BESIDE.items() if not name.endswith("gpx")}
        self.assertEqual(self.take(package(2, rest))[0]["representation_changed"], 0)
        self.assertEqual(self.standings()[ROUTE], ("unknown", ["to_state_unknown"]))
        self.take(package(3, {**BESIDE, "workout-routes/route_1.gpx": GPX.replace(b"1.5", b"1.6")}))
        self.assertEqual(self.counts(), (0, 0, 1))
        self.assert_good(hp_verify("archive", self.archive))

    def test_the_reference_says_the_same(self):
        for day, content in enumerate((package(1, BESIDE), package(2, {}), package(3, BESIDE)), 1):
            self.both("--apple-health", content)


class Rejections(Unknown):
    def test_rejected_records(self):
        good = [record(minute) for minute in range(10)]
        bad = [record(minute, "much") for minute in range(20, 25)]
        steps = [
            (good, "verified", None), (good + bad, "unknown", ["rejected_records_differ"]), (good + bad, "verified", []),
            (good + bad[1:], "unknown", ["rejected_records_differ"]), (good + [record(minute, "more") for minute in range(20, 24)], "unknown", ["rejected_records_differ"]),
            (good, "unknown", ["rejected_records_differ"]), (good, "verified", [])]
        for day, (records, standing, reasons) in enumerate(steps, 1):
            self.both("--apple-health", health(day, *records))
            if reasons is not None:
                self.assertEqual(self.standings()[HEART_RATE], (standing, reasons), day)
            count = len(records) - 10
            self.assertEqual("cannot be stored as they are: hp-export list" in self.text("--from", "1") if day > 1 else False, count > 0)
        self.assertEqual(self.standings("--from", "2", "--to", "3")[HEART_RATE], ("verified", []))
        self.assertIn("verified unchanged; the same 5 records were rejected", self.text("--from", "2", "--to", "3"))
        self.assertEqual(self.standings("--from", "1", "--to", "3")[HEART_RATE], ("unknown", ["rejected_records_differ"]))
        self.assertEqual([row[0] for row in self.rows("SELECT verified_visible_count FROM observation_type_runs ORDER BY id")], [10, None, 10, None, None, None, 10])
        self.assertEqual(self.whole("--to", "3")["rejected_count"], 5)
        self.assert_good(hp_verify("archive", self.archive))

    def test_a_conflict_a_count_and_two_runs_without_an_anchor(self):
        self.both("--feed", feed(observation(1, type_run([sample(1), sample(2, 1)]))))
        self.both("--feed", feed(observation(2, type_run([sample(1), sample(1, value=75), sample(2, 1)]))))
        self.assertEqual(self.standings()[HEART_RATE], ("unknown", ["to_state_unknown"]))
        self.assertIn("records contradict each other", self.text())
        self.both("--feed", feed(observation(3, type_run([sample(1), sample(2, 1)], end={"verified_visible_count": 3}))))
        self.assertIn("the client stated another count", self.text())
        self.both("--feed", feed(observation(4, type_run([sample(1), sample(2, 1)]))))
        for day in (5, 6):
            self.both("--feed", feed(observation(day, type_run([], mode="anchored"))))
        self.assertEqual(self.standings()[HEART_RATE][0], "unknown")
        self.assertIn("no anchor links it", self.text())
        self.assertEqual([row[0] for row in self.rows("SELECT state FROM type_run_facts ORDER BY type_run_id")], ["verified", "unknown", "unknown", "verified", "unknown", "unknown"])
        self.assert_good(hp_verify("archive", self.archive))


class Links(Unknown):
    def observed(self, day, *links, **others):
        ends = lambda number: {"sample_type": HEART_RATE, "uuid": uuid(number)}
        lines = [{"kind": "relationship", "source": ends(source), "target": ends(target), "relationship_kind": "member"} for source, target in links]
        run = type_run([sample(1), sample(2, 1), sample(3, 2)])
        return feed(observation(day, run, [*lines, {"kind": "page", "number": 2}] if lines else [], **others))

    def test_every_output_counts_a_link(self):
        for day, links in enumerate((((1, 2), (1, 3)), ((1, 2),), ((1, 2), (1, 3))), 1):
            said = self.hp_capture("--feed", self.written(self.observed(day, *links))).err
        self.assertIn("links: 1 appeared", said)
        whole = self.whole("--from", "1", "--to", "2")
        self.assertEqual((whole["relationship_disappeared_count"], self.counts("--from", "1", "--to", "2")), (1, (0, 0, 0)))
        self.assertEqual(self.standings("--from", "1", "--to", "2")[HEART_RATE], ("changed", []))
        self.assertIn("1 link between records no longer visible", self.text("--from", "1", "--to", "2"))
        counts = json.loads(hp_export("diff", self.archive, "--summary", "--counts", "--from", "1", "--to", "2", "--json").out)["types"]
        self.assertEqual([(entry["relationship_disappeared_count"], entry["disappeared_count"]) for entry in counts], [(1, 0)])
        hp_export("report", self.archive, "--from", "1", "--to", "2", "-o", self.folder / "page.html")
        self.assertIn("links between records no longer visible", (self.folder / "page.html").read_text())

    def test_a_feed_that_ends_before_its_links_proves_no_disappearance(self):
        for status in ("cancelled", "failed"):
            with self.subTest(status):
                self.renew()
                self.both("--feed", self.observed(1, (1, 2)))
                self.both("--feed", self.observed(2, status=status))
                self.assertNotIn("relationship_disappeared_count", self.whole())
        self.renew()
        self.both("--feed", self.observed(1, (1, 2)))
        cut = b"".join(self.observed(2, (1, 2)).splitlines(True)[:-3])
        self.hp_capture("--feed", self.written(cut))
        self.hp_capture("--feed", self.written(self.observed(3, (1, 2))))
        self.assertNotIn("relationship_disappeared_count", self.whole("--from", "1"))


class Late(Unknown):
    def found(self):
        lines = hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", "-", "--no-record", "--quiet").out.splitlines()
        return [item["finding"] for item in (json.loads(line)["item"] for line in lines[1:-1])]

    def weights(self, day, count, first, unit="kg", value=70.0, **others):
        lines = [sample(first + n, n * 60, value + n, MASS, unit=unit, start_date="2024-01-%02dT10:00:00Z" % (n + 1), end_date="2024-01-%02dT10:00:00Z" % (n + 1)) for n in range(count)]
        return self.both("--feed", feed(observation(day, type_run(lines, sample_type=MASS))), is_looked_at=False)

    def test_a_restored_phone_is_not_late(self):
        self.weights(1, 20, 0)
        self.weights(2, 20, 100)
        self.assertEqual(self.found().count("late_arrival"), 0)

    def test_another_unit_is_not_late(self):
        self.weights(1, 20, 0)
        lines = [sample(200 + n, 0, (70.0 + n) / 0.45359237, MASS, unit="lb", start_date="2024-01-%02dT10:00:00Z" % (n + 1), end_date="2024-01-%02dT10:00:00Z" % (n + 1)) for n in range(20)]
        self.both("--feed", feed(observation(2, type_run(lines, sample_type=MASS))), is_looked_at=False)
        self.assertEqual(self.found().count("late_arrival"), 0)

    def test_a_record_that_was_rejected_is_not_late(self):
        self.both("--apple-health", health(20, record(1), record(3, "much")))
        self.both("--apple-health", health(25, record(1), record(3, 70)))
        self.assertEqual(self.found(), [])
        self.both("--apple-health", health(28, record(1), record(3, 70), record(7, 70)))
        self.assertEqual(self.found(), ["late_arrival"])

    def test_a_record_that_was_not_there_is_late(self):
        self.weights(1, 5, 0)
        self.weights(2, 8, 0)
        self.assertEqual(self.found().count("late_arrival"), 3)


if __name__ == "__main__":
    unittest.main()
