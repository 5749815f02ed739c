"""One broken thing loses itself only, and a value is kept or counted: small exports and feeds, each with the truth beside it."""

import io
import json
import random
import zipfile

from capture_support import CaptureCase, feed, observation, reference, sample, type_run
from test_sources import ShapeCase
from support import hp_export

DATES = 'startDate="2024-02-%02d 08:00:00 +0100" endDate="2024-02-%02d 08:00:00 +0100"'
BODY_MASS = "HKQuantityTypeIdentifierBodyMass"
ECG = """Name,Test
Geburtstag,"1. Jan. 1970"
Datum,2024-02-01 10:15:20 +0100
Klasse,Sinus Rhythm
Symptome,
Version,1.90
Device,"Watch7,5"
Rate,%s


Lead,I
Unit,\u00b5V

%s
"""


def record(day, value="72.5", more="", type=BODY_MASS, unit="kg"):
    return ' <Record type="%s" sourceName="Scale" unit="%s" %s value="%s"%s/>\n' % (type, unit, DATES % (day, day), value, more)


def export(*parts, date="2024-03-01 09:00:00 +0100"):
    return '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="de_DE">\n <ExportDate value="%s"/>\n%s</HealthData>\n' % (date, "".join(parts))


def zipped(files, separator="/", folder="apple_health_export"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo("x")
            entry.filename = separator.join([*folder.split("/"), *name.split("/")])
            archive.writestr(entry, content)
    return buffer.getvalue()


class BrokenMarkup(ShapeCase):
    """Random texts with broken places: the tool and the plain capture set the same elements aside."""

    ENTRY = '<MetadataEntry key="k" value="v"/>'

    def element(self, draw, day):
        one = record(day)
        return draw.choice([
            one, one, one.replace("/>", ">%s</Record>" % self.ENTRY),
            '<Correlation type="C" %s>\n %s</Correlation>\n' % (DATES % (day, day), one),
            '<Workout %s><WorkoutEvent type="E"/>\n  <WorkoutRoute %s/>\n %s</Workout>\n' % (DATES % (day, day), DATES % (day, day), one),
            '<Other a="1">\n <Record/> text <Inner></Inner></Other>\n', "<!-- a < b > -->", '<Me HKCharacteristicTypeIdentifierBloodType="x"/>'])

    def broken(self, draw, text):
        """A text with some bytes deleted, repeated or added below the date."""
        head = text.index("/>", text.index("ExportDate")) + 2
        for _ in range(draw.randint(1, 3)):
            marks = [at for at in range(head, len(text)) if text[at] in "<>/=\"' \n"]
            at = draw.choice(marks)
            end = min(len(text), at + draw.choice((1, 1, 1, 2, 8, 30)))
            text = draw.choice((text[:at] + text[end:], text[:end] + text[at:],
                                text[:at] + draw.choice(("<", ">", "&", '"', "x", " ", "</Record>", "</Nobody>", "</HealthData>", "<Record ", "<!--", "&#xD800;", "</ Record/>")) + text[at:]))
        return text

    def test_random_texts(self):
        for seed in range(40):
            draw = random.Random(seed)
            text = self.broken(draw, export(*(self.element(draw, day) for day in range(1, 7))))
            with self.subTest(seed=seed):
                self.renew()
                path = self.written(text.encode(), "export.xml")
                run = self.hp_capture("--apple-health", path)
                self.assertIn(run.status, (0, 1), run)
                reference.capture(str(self.plain), str(self.secret), str(path))
                self.assert_same()


class SmallLosses(CaptureCase):
    def take(self, content, name="export.xml", status=0):
        result = self.hp_capture("--apple-health", self.written(content if isinstance(content, bytes) else content.encode(), name), "--json", "--accept-disappearances")
        self.assertEqual(result.status, status, result.err)
        return json.loads(result.out)["observations"][0] if result.out else result

    def assert_unchanged(self, first, second, name="export.xml"):
        count = self.take(first, name)["records"]
        again = self.take(second, name)
        self.assertEqual((again["unchanged"], again["appeared"], again["representation_changed"]), (count, 0, 0))

    def test_a_broken_element_loses_itself_and_is_known_again(self):
        broken = [record(2, more=' Scale Name="x"'), record(3, more=' a="&#xD83D;"'), record(4, more=" a=b"), record(5).replace("/>", ">"), record(6).replace("<Record", "<Record <")]
        first = self.take(export(record(1), *broken, record(9)), status=1)
        self.assertEqual((first["records"], first["rejected"]), (2, {"not_well_formed": 5}))
        second = self.take(export(record(1), *broken, record(9), date="2024-04-01 09:00:00 +0200"), status=1)
        self.assertEqual((second["unchanged"], second["rejected"]), (2, {"not_well_formed": 5}))
        self.assertEqual(self.rows("SELECT count(*), min(first_observation_id), max(last_observation_id IS NOT NULL) FROM rejected_records"), [(5, 1, 0)])
        self.assertEqual(self.rows("SELECT DISTINCT type_identifier FROM rejected_records JOIN sample_types t ON t.id = sample_type_id"), [(BODY_MASS,)])

    def test_a_record_that_cannot_be_read_withholds_its_closure(self):
        self.take(export(record(1), record(2)))
        again = self.take(export(record(1), record(2, more=" x"), date="2024-04-01 09:00:00 +0200"), status=1)
        self.assertEqual((again["disappeared"], again["withheld"]), (0, 1))

    def test_electrocardiograms_of_all_languages(self):
        rates = ("512 hertz", "512\u8d6b\u5179", "512,0\u00a0Hertz", "\u0665\u0661\u0662\u066b\u0660 \u0647\u0631\u062a\u0632", "\uff15\uff11\uff12 Hz", "\u200fHz 512")
        samples = ("-12.5\n7", "-12,5\n7", "\u061c-\u0661\u0662\u066b\u0665\n\u0667", "\u221212.5\n7", "-12.5\n7", "-12,5\n7")
        for rate, values in zip(rates, samples):
            with self.subTest(rate=rate):
                self.renew()
                files = {"export.xml": export(record(1)), "electrocardiograms/ecg.csv": ECG % (rate, values)}
                plain = {**files, "electrocardiograms/ecg.csv": ECG % (rates[0], samples[0])}
                later = {**files, "export.xml": export(record(1), date="2024-04-01 09:00:00 +0200")}
                self.assert_unchanged(zipped(plain), zipped(later), "export.zip")

    def test_beats_in_another_language_and_zone_are_the_same(self):
        def month(date, start, *times):
            beats = "".join('<InstantaneousBeatsPerMinute bpm="60" time="%s"/>' % time for time in times)
            text = record(1, type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN", unit="ms").replace(DATES % (1, 1), 'startDate="%s" endDate="%s"' % (start, start))
            return export(text.replace("/>", "><HeartRateVariabilityMetadataList>%s</HeartRateVariabilityMetadataList></Record>" % beats), date=date)
        first = month("2024-03-01 09:00:00 +0100", "2024-01-15 16:30:05 +0100", "4:30:06.01 PM", "4:30:07.14 PM")
        for clock in (("\u4e0b\u53484:30:06.01", "\u4e0b\u53484:30:07.14"), ("16.30.06,01", "16.30.07,14"), ("\u0667:\u0663\u0660:\u0660\u0666\u066b\u0660\u0661 \u0645", "\u0667:\u0663\u0660:\u0660\u0667\u066b\u0661\u0664 \u0645")):
            with self.subTest(clock=clock):
                self.renew()
                self.assert_unchanged(first, month("2024-04-01 09:00:00 +0300", "2024-01-15 18:30:05 +0300", *clock))

    def test_zips_of_other_tools(self):
        files = {"export.xml": export(record(1)), "electrocardiograms/ecg.csv": ECG % ("512 Hz", "1"), "attachments/a": "x"}
        later = {**files, "export.xml": export(record(1), date="2024-04-01 09:00:00 +0200")}
        self.assert_unchanged(zipped(files), zipped(later, "\\"), "export.zip")
        self.renew()
        self.assert_unchanged(zipped(files), zipped(later, folder="export/apple_health_export"), "export.zip")
        self.assertEqual(self.rows("SELECT count(*) FROM source_documents"), [(1,)])

    def test_a_zip_that_is_cut_off(self):
        whole = zipped({"export.xml": export(record(1))})
        for length in (30, len(whole) // 2, len(whole) - 22):
            result = self.hp_capture("--apple-health", self.written(whole[:length], "export.zip"))
            self.assert_refused(result, "this zip is cut off")
            self.assertIn("copy it again", result.err)
            self.assertFalse(self.archive.exists())

    def test_numbers_keep_their_value_or_stay_texts(self):
        self.take(export(record(1, "9007199254740993"), record(2, "72.50000000000000000001"), record(3, "0.30000000000000004"), record(4, "1e-400"), record(5, "1e400"), record(6, "4.9e-324")), status=1)
        self.assertEqual(self.rows("SELECT numeric_value, metadata_json FROM sample_versions LEFT JOIN metadata_blobs m ON m.id = metadata_id ORDER BY start_date"), [
            (9007199254740992.0, '{"hp:value_text":"9007199254740993"}'), (72.5, '{"hp:value_text":"72.50000000000000000001"}'), (0.30000000000000004, None), (5e-324, None)])
        self.renew()
        metadata = b'{"a":[9007199254740993,1.5],"b":1e-400,"c":12345678901234567890}'
        lines = [json.dumps(sample(1, metadata={"@": 0})).encode().replace(b'{"@": 0}', metadata), json.dumps(sample(2, value=0)).encode().replace(b'"numeric_value": 0', b'"numeric_value": 9007199254740993')]
        result = self.both("--feed", feed(observation(1, type_run(lines))))
        self.assertIn("1 record rejected: bad_number", result.err)
        self.assertEqual(self.rows("SELECT metadata_json FROM metadata_blobs"), [('{"a":["9007199254740993",1.5],"b":"1e-400","c":"12345678901234567890"}',)])

    def test_a_sleep_goal_and_a_molar_mass(self):
        glucose = "HKQuantityTypeIdentifierBloodGlucose"
        self.take(export(record(1, "8", type="HKDataTypeSleepDurationGoal", unit="hr"), record(2, "7.5", type="HKDataTypeSleepDurationGoal", unit="hr"),
                         record(3, "100", type=glucose, unit="mg/dL")))
        self.assertEqual(self.rows("SELECT value_kind, numeric_value, unit FROM sample_versions ORDER BY start_date LIMIT 2"), [("quantity", 8.0, "hr"), ("quantity", 7.5, "hr")])

    def test_both_spellings_of_a_molar_mass_are_one_unit(self):
        glucose = "HKQuantityTypeIdentifierBloodGlucose"
        for unit in ("mmol&lt;180.1558800000541&gt;/L", "mmol&lt;180.15588000005408&gt;/L"):
            with self.subTest(unit=unit):
                self.renew()
                self.take(export(record(3, "100", type=glucose, unit="mg/dL")))
                self.take(export(record(3, "5.55075", type=glucose, unit=unit), date="2024-04-01 09:00:00 +0200"))
                rows = hp_export("diff", self.archive, "--no-record").out.splitlines()[1:]
                self.assertEqual([b",re_identified," in row for row in rows], [True, True])

    def test_a_device_that_gets_a_creation_date_changes_no_record(self):
        def month(date, more):
            device = "&lt;&lt;HKDevice: 0x1%s&gt;, name:Watch, hardware:Watch6,2%s&gt;" % (date[6], more)
            return export(record(1, more=' device="%s"' % device), date=date)
        self.assert_unchanged(month("2024-03-01 09:00:00 +0100", ""), month("2024-04-01 09:00:00 +0200", ", creation date:2024-01-10 17:43:39 +0000"))

    def test_an_input_that_cannot_be_opened_leaves_nothing(self):
        (self.folder / "folder").mkdir()
        before = sorted(self.names())
        for option in ("--feed", "--apple-health"):
            for path in (self.folder / "nothing", self.folder / "folder"):
                self.assert_refused(self.hp_capture(option, path))
                self.assertEqual(sorted(self.names()), before)

    def test_what_is_no_feed_or_export_leaves_nothing(self):
        texts = {"empty": b"", "text": b"hello\n", "binary": bytes(range(256)) * 9 + b"\n", "zip": zipped({"a.txt": "x"}), "xml": b'<?xml version="1.0"?>\n<gpx/>\n', "json": b'{"a":1}\n[]\n'}
        for name, content in texts.items():
            path = self.written(content, name)
            before = sorted(self.names())
            for option, place, data in (("--feed", path, b""), ("--apple-health", path, b""), ("--feed", "-", content), ("--apple-health", "-", content)):
                with self.subTest(name=name, option=option, place=place):
                    result = self.hp_capture(option, place, input=data)
                    self.assertEqual(result.status, 2, result)
                    self.assertEqual(sorted(self.names()), before)

    def test_a_comment_that_is_not_ended_is_the_end_of_the_text(self):
        for begin in ("<!--", "<![CDATA[", "<?x"):
            self.renew()
            taken = self.take(export(record(1), begin, record(2)), status=1)
            self.assertEqual((taken["status"], taken["records"]), ("partial_truncated", 1))

    def test_private_keys_by_their_words(self):
        private = ["Home Address", "Street address", "IPAddress", "MAC Address", "homeAddress", "HOME_ADDRESS", "mac-address", "e.mail", "E-Mail", "Phone", "phone_number", "imageURL", "URLs", "User-ID",
                   "userName", "ACCOUNT", "deepLink", "Zip Code"]
        public = ["Hourly Goal", "Headphone Level", "Bicep Curl", "Blink Rate", "Meal", "Recipe", "Catalog Index", "equipment", "HKWasUserEntered", "HKTimeZone"]
        entries = "".join('<MetadataEntry key="%s" value="v"/>' % key for key in private + public)
        self.take(export(record(1).replace("/>", ">%s</Record>" % entries)))
        stored = json.loads(self.rows("SELECT metadata_json FROM metadata_blobs")[0][0])
        self.assertEqual([key for key in private if not stored[key].startswith("hmac:")], [])
        self.assertEqual([key for key in public if stored[key] != "v"], [])
        bundle = self.folder / "bundle.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", bundle))
