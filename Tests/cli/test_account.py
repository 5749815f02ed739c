"""Everything in an export is accounted for: what the XML and the files beside it have, counted here from their bytes, against what the archive and the result say."""

import hashlib
import json
import re
import subprocess
import sys
import unittest
import zipfile
from collections import Counter
from xml.etree import ElementTree

from capture_support import reference
from support import ROOT, contents, hp_export, run
from test_sources import ShapeCase
from test_undo import UndoCase

sys.path.insert(0, str(ROOT / "Fixtures" / "apple-health"))

import shapes  # noqa: E402

RECORDS = {"workout": "Workout", "workout_route": "WorkoutRoute", "activity_summary": "ActivitySummary", "clinical_record": "ClinicalRecord", "audiogram": "Audiogram",
           "correlation": "Correlation", "quantity": "Record", "category": "Record", "electrocardiogram": "electrocardiogram"}
LISTS = {"hp:events": "WorkoutEvent", "events": "WorkoutEvent", "hp:statistics": "WorkoutStatistics", "statistics": "WorkoutStatistics", "hp:activities": "WorkoutActivity",
         "hp:zones": "WorkoutZoneGroup", "hp:beats": "InstantaneousBeatsPerMinute", "hp:sensitivity_points": "SensitivityPoint", "hp:files": "FileReference"}
UNKNOWN = {"WorkoutOfTomorrow", "StateOfMind"}


def elements(text):
    """How often each element stands in an XML, but for what is in one that nobody knows."""
    body = re.sub(rb"<!DOCTYPE.*?\]>\n(?=<HealthData)", b"", text, flags=re.DOTALL)
    body = re.sub(rb'( startDate="[^"]*")( startDate="[^"]*")', rb"\1", body)
    counts = Counter()

    def count(element):
        counts[element.tag] += 1
        for child in element if element.tag not in UNKNOWN else ():
            count(child)
    count(ElementTree.fromstring(body))
    return counts


def characteristics(text):
    """How many facts of the person an XML states."""
    return sum(tag.count(b"=") for tag in re.findall(rb"<Me [^>]*>", text))


class Account(ShapeCase):
    def archived(self, result):
        """How often each element is accounted for."""
        said = json.loads(result.out)
        counts = Counter({"HealthData": 1})
        for kind, metadata in self.rows("SELECT value_kind, metadata_json FROM sample_visibility_ranges r JOIN sample_versions v ON v.id = r.version_id LEFT JOIN metadata_blobs m ON m.id = v.metadata_id"):
            counts[RECORDS[kind]] += 1
            self.add_object(json.loads(metadata or "{}"), counts)
        counts["Record"] += self.rows("SELECT count(*) FROM sample_relationships WHERE relationship_kind IN ('workout_record', 'correlation_member')")[0][0]
        counts["Record"] -= said["observations"][0]["correlation_member_only"]
        for kind, count in said["left_out"].items():
            if kind.startswith("element:") and not kind.startswith("element:gpx."):
                counts[kind[len("element:"):]] += count
        return counts

    def add_object(self, members, counts, is_record=True):
        for key, value in members.items():
            if isinstance(value, list):
                counts[LISTS.get(key) or ("WorkoutZone" if "minimum" in value[0] or "maximum" in value[0] else "WorkoutZoneGroup")] += len(value)
                for inner in value:
                    if isinstance(inner, dict):
                        self.add_object(inner, counts, is_record=False)
                counts["HeartRateVariabilityMetadataList"] += key == "hp:beats"
            elif key == "metadata" and not is_record:
                counts["MetadataEntry"] += len(value)
            elif key == "hp:route" and "hp:files" not in members:
                counts["Location"] += value["point_count"]
            elif is_record and not key.startswith("hp:"):
                counts["MetadataEntry"] += 1

    def capture_shape(self, shape, path, status=0):
        stated = shapes.OBSERVED_AT.get(shape)
        result = self.both_capture(path, "--json", observed_at=stated, status=status)
        checked = run("hp-verify", "archive", self.archive, "--quiet")
        self.assertEqual(checked.status, 0, checked.out)
        return result

    def test_every_element_and_every_file(self):
        self.assertEqual(len(shapes.SHAPES), 13)
        for shape, make in shapes.SHAPES.items():
            contents = make()
            for path in (self.zipped(contents, shape + ".zip"), self.files(contents, self.folder / shape)):
                with self.subTest(shape=shape, path=path.name):
                    self.renew()
                    result = self.capture_shape(shape, path, status=1 if shape == "electrocardiograms" else 0)
                    export = next(text for name, text in contents.items() if b"<HealthData" in text)
                    there, found = elements(export), self.archived(result)
                    for name in ("ExportDate", "Me"):
                        there.pop(name, None)
                    recordings = found.pop("electrocardiogram", 0)
                    # Each recording says name and birth date, too.
                    self.assertEqual(json.loads(result.out)["left_out"].get("characteristic", 0), characteristics(export) + 2 * recordings)
                    self.assertEqual({name: count for name, count in found.items() if count}, dict(there))
                    self.check_files(contents, json.loads(result.out), recordings)

    def check_files(self, contents, said, recordings):
        """Each file but the export is a recording, a route, a document, or what a Mac adds."""
        files = [name for name, text in contents.items() if b"<HealthData" not in text]
        routes = {path.lstrip("/") for (metadata,) in self.rows("SELECT metadata_json FROM metadata_blobs") for path in json.loads(metadata).get("hp:files", ())
                  if "point_count" in json.loads(metadata).get("hp:route", {})}
        stored = self.rows("SELECT kind, name, size, content_hash FROM source_documents WHERE last_observation_id IS NULL")
        self.assertEqual(Counter(kind for kind, *_ in stored), Counter(said["documents"]))
        documents = Counter((size, digest) for _, _, size, digest in stored)
        doubles = [name for name in files if "__MACOSX" in name]
        self.assertEqual(said["left_out"].get("apple_double_file", 0), len(doubles))
        of_system = [name for name in files if name not in doubles and name.endswith("/.DS_Store")]
        self.assertEqual(said["left_out"].get("system_file", 0), len(of_system))
        left = [name for name in files if name not in doubles + of_system and name.removeprefix(shapes.TOP) not in routes]
        self.assertEqual(len(left), recordings + len(stored))
        for name in left:
            content = contents[name]
            documents[len(content), hashlib.sha256(content).hexdigest()] -= 1 if "ecg_2021-02-03_3" in name or "electrocardiograms/" not in name else 0
        self.assertEqual(set(documents.values()) - {0}, set())
        points = sum(content.count(b"<trkpt") for name, content in contents.items() if name.removeprefix(shapes.TOP) in routes)
        self.assertEqual(points, sum(json.loads(metadata)["hp:route"]["point_count"] for (metadata,) in self.rows("SELECT metadata_json FROM metadata_blobs WHERE metadata_json LIKE '%hp:files%'")
                                     if "point_count" in json.loads(metadata).get("hp:route", {})))

    def test_nothing_readable_of_a_place_a_voltage_or_a_document_enters(self):
        secrets = [b"10.000100", b"20.000200", b"10.0001", b"-12.345", b"-12,345", b"Ada Example", b"Jan 2, 1970", b"resourceType", b"0A0B0C0D", b"abc-1", b"fhir.example.org",
                   b"ClinicalDocument", b"DiagnosticReport-", b"12345", b"withings-bd2", b"example.com/ada", b"TEST-UUID", b"Annes", b"1970-01-02"]
        for shape, make in shapes.SHAPES.items():
            self.capture_shape(shape, self.zipped(make()), status=1 if shape == "electrocardiograms" else 0)
            bytes_of_it = self.archive.read_bytes()
            for secret in secrets:
                self.assertNotIn(secret.lower(), bytes_of_it.lower(), (shape, secret))
            self.renew()

    def test_electrocardiograms(self):
        self.capture_shape("german", self.zipped(shapes.german()))
        german = self.metadata("electrocardiogram")
        self.assertEqual([(each["hp:classification"], each["hp:sample_rate_hertz"], each["hp:sample_count"]) for each in german], [("Sinus Rhythm", 511.562, 3), ("Inconclusive", 511.562, 3)])
        digest = hashlib.sha256(b"hp:v2:electrocardiogram:-12.345\n7\n0.5\n").hexdigest()
        self.assertEqual({each["hp:content_hash"] for each in german}, {digest})
        self.renew()
        result = self.capture_shape("electrocardiograms", self.zipped(shapes.electrocardiograms()), status=1)
        self.assertEqual([(each["hp:classification"], each["hp:sample_rate_hertz"]) for each in self.metadata("electrocardiogram")], [("Heart Rate Over 120", 511.422), ("Sinus Rhythm", 512), ("Sinus Rhythm", 512.5)])
        self.assertEqual(json.loads(result.out)["observations"][0]["rejected"], {"bad_file": 1})

    def metadata(self, kind):
        rows = self.rows("SELECT metadata_json FROM sample_versions v JOIN metadata_blobs m ON m.id = v.metadata_id WHERE value_kind = ?", kind)
        return sorted((json.loads(text) for (text,) in rows), key=lambda each: (str(each.get("hp:classification") != "Sinus Rhythm") if len(rows) == 2 else each.get("hp:classification", ""), each.get("hp:sample_rate_hertz", 0)))

    def test_files_that_are_not_what_they_should_be(self):
        name = shapes.TOP + "electrocardiograms/ecg_2021-02-03.csv"
        for content in (shapes.electrocardiogram().replace(b"1.90", b"1\xff90"), shapes.electrocardiogram().replace(b"1.90", b"1\x0090"), b""):
            with self.subTest(content=content[:20]):
                self.renew()
                result = self.both_capture(self.zipped({shapes.TOP + "export.xml": shapes.export(), name: content}), "--json", status=1)
                self.assertEqual(json.loads(result.out)["observations"][0]["rejected"], {"bad_file": 1})
                self.assertEqual(self.rows("SELECT kind, size FROM source_documents"), [("electrocardiogram", len(content))])
        route = shapes.export(shapes.route(shapes.file_reference("r.gpx")))
        for part, replaced in ((b"<ele>", b"<ele><a/>"), (b"lat=", b"latitude="), (b"<gpx", b"<!DOCTYPE gpx><gpx")):
            with self.subTest(part=part):
                self.renew()
                self.both_capture(self.zipped({shapes.TOP + "export.xml": route, shapes.TOP + "workout-routes/r.gpx": shapes.gpx([(1, 2)]).replace(part, replaced)}))
                self.assertEqual([json.loads(text)["hp:route"] for (text,) in self.rows("SELECT metadata_json FROM metadata_blobs")], [{"unreadable_files": 1}])

    def test_elements_of_a_route_file_that_nobody_knows_are_counted(self):
        gpx = shapes.gpx([(1, 2), (3, 4)]).replace(b"</ele>", b"</ele><sat>7</sat>")
        gpx = gpx.replace(b"<trkseg>", b"<trkseg><link/>")
        export = shapes.export(shapes.route(shapes.file_reference("r.gpx")))
        contents = {shapes.TOP + "export.xml": export, shapes.TOP + "workout-routes/r.gpx": gpx}
        said = json.loads(self.both_capture(self.zipped(contents), "--json").out)
        left_out = {kind: count for kind, count in said["left_out"].items() if "gpx" in kind}
        self.assertEqual(left_out, {"element:gpx.link": 1, "element:gpx.sat": 2})
        ((text,),) = self.rows("SELECT metadata_json FROM metadata_blobs")
        self.assertEqual(json.loads(text)["hp:route"]["point_count"], 2)

    def test_a_recording_has_at_most_16_mebibytes(self):
        fixed = len(shapes.electrocardiogram(name=""))
        fixed += len(",")  # Without a value the row has none.
        for size, status in ((16 << 20, 0), ((16 << 20) + 1, 1)):
            with self.subTest(size=size):
                self.renew()
                content = shapes.electrocardiogram(name="x" * (size - fixed))
                self.assertEqual(len(content), size)
                name = shapes.TOP + "electrocardiograms/ecg_2021-02-03.csv"
                result = self.both_capture(self.files({shapes.TOP + "export.xml": shapes.export(), name: content}), "--json", status=status)
                self.assertEqual(json.loads(result.out)["observations"][0]["rejected"], {"bad_file": 1} if status else {})
                self.assertEqual([each["hp:sample_count"] for each in self.metadata("electrocardiogram")], [] if status else [3])
                self.assertEqual(self.rows("SELECT kind, size FROM source_documents"), [("electrocardiogram", size)] if status else [])

    def test_a_route_file_is_not_read_for_any_number_of_references(self):
        route = shapes.route(*[shapes.file_reference("r.gpx")] * 9)
        contents = {shapes.TOP + "export.xml": shapes.export(route, route), shapes.TOP + "workout-routes/r.gpx": shapes.gpx([(1, 2)])}
        self.both_capture(self.zipped(contents))
        found = [json.loads(text)["hp:route"] for (text,) in self.rows("SELECT metadata_json FROM metadata_blobs ORDER BY id")]
        self.assertEqual([each.get("point_count") or each for each in found], [9, {"unreadable_files": 2}])

    def test_an_export_without_its_files_says_nothing_of_recordings(self):
        contents = shapes.german()
        self.capture_shape("german", self.zipped(contents))
        later = contents[shapes.TOP + "Exportieren.xml"].replace(b"2021-02-04", b"2021-02-05")
        self.both_capture(self.written(later, "export.xml"))
        self.assertEqual(self.rows("SELECT count(*) FROM sample_observation_events WHERE event_kind = 'disappeared'"), [(0,)])
        self.assertEqual(self.rows("SELECT count(*) FROM source_documents WHERE last_observation_id IS NULL"), [(1,)])
        self.both_capture(self.zipped({shapes.TOP + "export.xml": later.replace(b"2021-02-05", b"2021-02-06")}))
        self.assertEqual(self.rows("SELECT count(*) FROM sample_observation_events WHERE event_kind = 'disappeared'"), [(0,)])
        self.assertEqual(self.rows("SELECT count(*) FROM source_documents WHERE last_observation_id IS NULL"), [(1,)])
        # A file in one of its folders says that the export came with them.
        last = self.zipped({shapes.TOP + "export.xml": later.replace(b"2021-02-05", b"2021-02-07"), shapes.TOP + "attachments/a.txt": b"a"})
        self.assertIn("HKDataTypeIdentifierElectrocardiogram 2 of 2", self.both_capture(last, status=2).err)
        self.both_capture(last, accepted=["accept-disappearances"])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_observation_events WHERE event_kind = 'disappeared'"), [(2,)])
        self.assertEqual(self.rows("SELECT kind FROM source_documents WHERE last_observation_id IS NULL"), [("attachment",)])

    def test_what_is_not_known_is_counted_by_name(self):
        said = json.loads(self.capture_shape("ios-27", self.zipped(shapes.ios_27())).out)
        self.assertEqual(said["unknown_attributes"], {"Record/@certainty": 1})
        self.assertEqual(self.rows("SELECT kind, name, occurrence_count FROM unknown_elements ORDER BY 1, 2"), [("attribute", "Record/@certainty", 1), ("element", "StateOfMind", 1), ("element", "WorkoutOfTomorrow", 1)])

    def test_a_summary_is_one_of_its_local_day(self):
        """At -12:00, -11:00 and +14:00 its moment, the same everywhere, is one of the day beside."""
        for offset, hours in (("-1000", -10), ("-0500", -5), ("+0000", 0), ("+1345", 13.75)):
            with self.subTest(offset=offset):
                self.renew()
                summary = shapes.tag("ActivitySummary", dateComponents="2021-02-03", activeEnergyBurned="300")
                self.both_capture(self.written(shapes.export(summary, date="2021-02-10 09:00:00 " + offset), "export.xml"))
                midnight = 1612310400 - hours * 3600
                self.assertEqual(self.rows("SELECT DISTINCT bucket_start, bucket_end FROM daily_type_aggregates"), [(midnight, midnight + 86400)])

    def test_beats_of_another_summer_time(self):
        self.capture_shape("ios-18", self.zipped(shapes.ios_18()))
        beats = [json.loads(text)["hp:beats"] for (text,) in self.rows("SELECT metadata_json FROM metadata_blobs WHERE metadata_json LIKE '%hp:beats%'")]
        self.assertEqual(beats, [[{"bpm": "62", "seconds": 2.3}, {"bpm": "63", "seconds": 3.25}]])


class Rules(ShapeCase):
    def test_private_metadata_and_what_is_kept(self):
        path = self.zipped(shapes.other_apps())
        result = self.both_capture(path, "--json")
        self.assertEqual(json.loads(result.out)["clear_metadata_keys"], {"Health Mate App Version": 1, "diary": 1})
        ((text,),) = self.rows("SELECT metadata_json FROM metadata_blobs")
        stored = json.loads(text)
        secret = reference.identity.Secret(bytes(range(32)), "")
        for key, value in (("Withings User Identifier", "12345"), ("Withings Link", "withings-bd2://timeline/measure?userid=12345"), ("HKExternalUUID", "TEST-UUID"), ("Activity URL", "https://example.com/ada")):
            self.assertEqual(stored[key], reference.identity.private_value(secret, key, value))
        self.assertEqual(stored["hp:attribute:userName"], reference.identity.private_value(secret, "userName", "ada"))
        self.assertEqual((stored["Health Mate App Version"], stored["diary"], stored["HKWasUserEntered"]), ("2.16.0", "secret of Ada", "0"))

    def test_patterns_are_fixed_when_an_archive_is_made(self):
        path = self.zipped(shapes.other_apps())
        self.assertEqual(self.hp_capture("--apple-health", path, "--private-metadata", "DIAR?", "--private-metadata", "HKWas*").status, 0)
        self.assertEqual(self.rows("SELECT value FROM archive_metadata WHERE key = 'private_metadata'"), [('["DIAR?","HKWas*"]',)])
        stored = json.loads(self.rows("SELECT metadata_json FROM metadata_blobs")[0][0])
        self.assertTrue(stored["diary"].startswith("hmac:") and stored["HKWasUserEntered"].startswith("hmac:"), stored)
        self.assertNotIn(b"secret of Ada", self.archive.read_bytes())
        self.assertIn("captured before", self.hp_capture("--apple-health", path).err)
        self.assertIn("captured before", self.hp_capture("--apple-health", path, "--private-metadata", "HKWas*", "--private-metadata", "DIAR?").err)
        refused = self.hp_capture("--apple-health", path, "--private-metadata", "other")
        self.assertEqual(refused.status, 2, refused)
        self.assertIn("other patterns of private metadata", refused.err)
        bundle = self.folder / "bundle.jsonl.zst"
        self.assertEqual(hp_export("bundle", self.archive, "-o", bundle, "--quiet").status, 0)
        verified = run("hp-verify", "bundle", bundle, "--archive", self.archive)
        self.assertEqual(verified.status, 0, verified)
        self.assertEqual(subprocess.run([sys.executable, str(ROOT / "Spec" / "examples" / "verify_bundle.py"), str(bundle)], stdout=subprocess.PIPE).returncode, 0)


class Later(ShapeCase, UndoCase):
    """Documents, recordings, links and what nobody knows, of which a later export has other ones."""

    def exports(self):
        records = [shapes.record("StepCount", number, "count", 8) for number in range(9)]
        score = shapes.record("EstimatedWorkoutEffortScore", 5, "appleEffortScore", 18)
        linked = shapes.workout(18, score) + score
        unknown = shapes.tag("StateOfMind", valence="0.5")
        recordings = {shapes.TOP + "electrocardiograms/ecg_2021-02-03%s.csv" % end: shapes.electrocardiogram(hour=hour) for end, hour in (("", 10), ("_1", 11))}
        document, name = shapes.TOP + "export_cda.xml", shapes.TOP + "export.xml"
        first = {name: shapes.export(*records, linked, unknown), document: b"<ClinicalDocument/>", **recordings}
        later = {name: shapes.export(*records[1:], linked, unknown, unknown, date=shapes.moment(9, day=5)), document: b"<ClinicalDocument>2</ClinicalDocument>",
                 **dict(list(recordings.items())[:1]), shapes.TOP + "electrocardiograms/ecg_2021-02-04.csv": b"Lead,Voltage"}
        last = {name: shapes.export(*records[1:], shapes.workout(18), score, date=shapes.moment(9, day=6)), **recordings}
        return [self.zipped(contents, "%d.zip" % number) for number, contents in enumerate((first, later, last), 1)]

    def test_each_is_the_same_when_it_is_sent_again(self):
        paths = self.exports()
        for path, status in zip(paths, (0, 1, 0)):
            self.both_capture(path, status=status)
        before = contents(self.archive)
        for path, status in zip(paths, (0, 1, 0)):
            result = self.both_capture(path, status=status)
            self.assertIn("captured before, and nothing differs", result.err)
            self.assertEqual(contents(self.archive), before)

    def test_a_file_that_cannot_be_read_closes_no_document(self):
        report, other, kept, name = [shapes.TOP + name for name in ("export_cda.xml", "attachments/a.txt", "attachments/b.txt", "export.xml")]
        record = shapes.record("StepCount", 1, "count", 8)
        dated = lambda day: {name: shapes.export(record, date=shapes.moment(9, day=day)), kept: b"b"}
        self.both_capture(self.zipped({**dated(4), report: b"<ClinicalDocument/>", other: b"a"}))
        first = self.rows("SELECT * FROM source_documents ORDER BY id")
        damaged = self.zipped(dated(5))
        with zipfile.ZipFile(damaged, "a", zipfile.ZIP_STORED) as file:
            file.writestr(report, b"<ClinicalDocument/>")
        damaged.write_bytes(damaged.read_bytes().replace(b"<ClinicalDocument/>", b"<ClinicalDocument\\>"))
        said = json.loads(self.both_capture(damaged, "--json").out)
        self.assertEqual((said["left_out"].get("unreadable_file"), said["observations"][0]["new_documents"]), (1, 0))
        self.assertEqual(self.rows("SELECT * FROM source_documents ORDER BY id"), first)
        self.assertEqual([(kind, last) for kind, last in self.rows("SELECT kind, last_observation_id FROM source_documents ORDER BY kind")], [("attachment", None), ("attachment", None), ("clinical_document", None)])
        # Read to its end, the same file says that the other one is gone.
        said = json.loads(self.both_capture(self.zipped({**dated(6), report: b"<ClinicalDocument/>"}), "--json").out)
        self.assertNotIn("unreadable_file", said["left_out"])
        self.assertEqual(self.rows("SELECT kind, last_observation_id IS NULL FROM source_documents ORDER BY 1, 2"), [("attachment", 0), ("attachment", 1), ("clinical_document", 1)])

    def test_each_can_be_taken_back(self):
        paths, before = self.exports(), []
        for number, (path, status) in enumerate(zip(paths, (0, 1, 0))):
            before.append(self.copied("before-%d.sqlite" % number) if number else None)
            self.both_capture(path, status=status)
        for table, count in (("source_documents", 3), ("unknown_elements", 2), ("rejected_records", 1), ("relationship_ends", 1)):
            self.assertEqual(self.rows("SELECT count(*) FROM " + table), [(count,)], table)
        for number in (2, 1):
            self.undo("--no-backup")
            self.assert_undone(before[number])


if __name__ == "__main__":
    unittest.main()
