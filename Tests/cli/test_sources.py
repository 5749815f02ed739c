"""The shapes in which exports of Apple Health come: each is captured by the tool and by the plain capture, which must have the same evidence."""

import io
import json
import os
import struct
import sys
import unittest
import zipfile

from capture_support import STEPS, CaptureCase, findings, reference, Refused
from support import ENVIRONMENT, ROOT, takes_long

sys.path.insert(0, str(ROOT / "Fixtures" / "apple-health"))

import shapes  # noqa: E402

RECORD = '<Record type="%s" sourceName="Test" unit="count" startDate="2024-01-01 00:00:00 +0000" endDate="2024-01-01 00:01:00 +0000" value="%d"/>\n'
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n<ExportDate value="2024-03-01 10:00:00 -0500"/>\n'


def export(*elements, head=HEAD):
    return (head + "".join(elements) + "</HealthData>\n").encode()


def steps(*values):
    return [RECORD % (STEPS, value) for value in values]


class ShapeCase(CaptureCase):
    def place(self, folder):
        super().place(folder)
        self.source = folder / "source"

    def both_capture(self, path, *arguments, observed_at=None, status=0, accepted=()):
        """Captures what is at a path with both; the tool's run. `accepted`: the guards that are overruled."""
        stated = ["--observed-at", observed_at] if observed_at else []
        result = self.hp_capture("--apple-health", path, *stated, *("--" + guard for guard in accepted), *arguments)
        self.assertEqual(result.status, status, result)
        try:
            reference.capture(str(self.plain), str(self.secret), str(path), observed_at=reference.apple_health.stated_date(observed_at), accepted=accepted)
        except Refused as refusal:
            self.assertEqual(status, 2, refusal)
        else:
            self.assertNotEqual(status, 2, "the reference does not refuse it")
        if self.archive.exists():
            self.assert_same()
            self.assertEqual(findings(self.archive), [])
        return result

    def values(self):
        return [value for (value,) in self.rows("SELECT numeric_value FROM sample_versions ORDER BY numeric_value")]

    def files(self, contents, top=None):
        """A folder with files by their names."""
        top = top or self.source
        for name, content in contents.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return top

    def zipped(self, contents, name="export.zip"):
        with zipfile.ZipFile(self.folder / name, "w", zipfile.ZIP_DEFLATED) as file:
            for member, content in contents.items():
                file.writestr(member, content)
        return self.folder / name



class Texts(ShapeCase):
    def test_utf_16(self):
        for encoding, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b""), ("utf-16-be", b"")):
            with self.subTest(encoding=encoding, mark=mark):
                self.renew()
                text = export(RECORD.replace("Test", "Test \u00fc \u5065 \U0001F600") % (STEPS, 1), *steps(2)).decode()
                self.both_capture(self.written(mark + text.encode(encoding), "export.xml"))
                self.assertEqual(self.values(), [1, 2])

    def test_half_a_character_in_utf_16(self):
        text = (HEAD + RECORD.replace("Test", "a\ud800b\udc00\udc00c") % (STEPS, 1) + "</HealthData>\n")
        result = self.both_capture(self.written(text.encode("utf-16-le", "surrogatepass"), "export.xml"))
        self.assertIn("3 invalid_utf16", result.err)

    def test_an_export_without_a_date(self):
        text = export(*steps(1, 2)).replace(b'<ExportDate value="2024-03-01 10:00:00 -0500"/>\n', b"")
        path = self.written(text, "export.xml")
        self.assertIn("--observed-at MOMENT", self.both_capture(path, status=2).err)
        self.both_capture(path, observed_at="2024-03-01T10:00:00-05:00")
        self.assertEqual(self.rows("SELECT observed_at, time_zone_seconds_from_gmt FROM observations"), [(1709305200.0, -18000)])

    def test_an_export_without_anything(self):
        path = self.written(b"<HealthData></HealthData>", "export.xml")
        refused = self.both_capture(path, observed_at="2024-03-01T10:00:00Z", status=2)
        self.assertIn("the export has no records and would close 0 of 0 visible records", refused.err)
        self.assertFalse(self.archive.exists())
        self.both_capture(path, observed_at="2024-03-01T10:00:00Z", accepted=["accept-disappearances"])
        self.assertEqual(self.rows("SELECT status FROM observations"), [("completed",)])

    def test_a_stated_date_that_is_another(self):
        path = self.written(export(*steps(1)), "export.xml")
        self.assertIn("another moment than stated", self.both_capture(path, observed_at="2024-03-01T10:00:00Z", status=2).err)
        self.both_capture(path, observed_at="2024-03-01T10:00:00-05:00")

    def test_a_stated_date_that_is_none(self):
        path = self.written(export(*steps(1)), "export.xml")
        for text in ("2024-03-01", "2024-03-01T10:00:00", "2024-03-01T10:00:00.5Z", "soon", "10000-01-01T00:00:00Z"):
            self.assertEqual(self.hp_capture("--apple-health", path, "--observed-at", text).status, 2, text)
        self.assertFalse(self.archive.exists())


    def test_an_export_of_ios_8(self):
        dates = 'startDate="20150301120000+0100" endDate="20150301121000Z"'
        text = '<HealthData><ExportDate value="20150302080000+0100"/><Record type="%s" source="Ada" unit="count" %s value="7"/></HealthData>' % (STEPS, dates)
        self.both_capture(self.written(text.encode(), "export.xml"))
        self.assertEqual(self.rows("SELECT start_date, end_date, metadata_id FROM sample_versions"), [(1425207600.0, 1425211800.0, None)])
        self.assertEqual(self.rows("SELECT observed_at, time_zone_seconds_from_gmt FROM observations"), [(1425279600.0, 3600)])
        self.assertNotIn(b"Ada", self.archive.read_bytes())


    def test_a_stated_zone(self):
        path = self.written(export(*steps(1)), "export.xml")
        for zone, word in (
                ("Mars/Olympus", "--time-zone: there is no zone Mars/Olympus on this machine"),
                ("UTC", "--time-zone UTC: another offset than the export's at its date"),
                ("../zoneinfo/UTC", "--time-zone: there is no zone ../zoneinfo/UTC on this machine")):
            with self.subTest(zone):
                refused = self.hp_capture("--apple-health", path, "--time-zone", zone, "--quiet")
                self.assert_refused(refused, word)
        self.assertFalse(self.archive.exists())
        self.assert_good(self.hp_capture("--apple-health", path, "--time-zone", "America/New_York"))
        zone = self.rows("SELECT time_zone_identifier, time_zone_seconds_from_gmt FROM observations")
        self.assertEqual(zone, [("America/New_York", -18_000)])

    def test_more_repairs_than_a_tag_may_need(self):
        """They are in one value, and what would end the tag stands in it behind them, in either quotes."""
        for quote, other in ('"', "'"), ("'", '"'):
            with self.subTest(quote):
                self.renew()
                value = "&#1;" * 65_537 + " /> " + other + " /> "
                record = RECORD.replace("/>", " odd=%s%s%s/>" % (quote, value, quote)) % (STEPS, 1)
                path = self.written(export(record, *steps(2)), "export.xml")
                result = self.hp_capture("--apple-health", path, "--json")
                self.assertEqual(result.status, 1, result)
                self.assertEqual(json.loads(result.out)["observations"][0]["rejected"], {"too_large": 1})
                self.assertEqual(self.values(), [2])

    def test_an_entry_with_more_attributes(self):
        record = RECORD.replace("/>", '><MetadataEntry key="k" value="v" odd="o"/></Record>') % (STEPS, 1)
        self.both_capture(self.written(export(record), "export.xml"))
        ((text,),) = self.rows("SELECT metadata_json FROM metadata_blobs")
        self.assertEqual(json.loads(text), {"k": "v", "hp:attribute:odd": "o"})


class Files(ShapeCase):
    CONTENTS = {"apple_health_export/export.xml": export(*steps(1, 2)), "apple_health_export/export_cda.xml": b"<ClinicalDocument/>"}

    def test_a_folder_as_the_zip_unpacks_to(self):
        top = self.files(self.CONTENTS)
        result = self.both_capture(top)
        self.assertIn("1 clinical_document", result.err)
        self.assertEqual(self.values(), [1, 2])
        self.assertIn("captured before", self.both_capture(top / "apple_health_export").err)
        self.assertIn("captured before", self.both_capture(self.zipped(self.CONTENTS)).err)

    def test_names_in_other_languages(self):
        for name in ("Exportieren.xml", "\u5bfc\u51fa.xml", "\u044d\u043a\u0441\u043f\u043e\u0440\u0442.xml", "\u66f8\u304d\u51fa\u3057\u305f\u30c6\u3099\u30fc\u30bf.XML"):
            contents = {"apple_health_export/" + name: export(*steps(1, 2)), "apple_health_export/export_cda.xml": b"<ClinicalDocument/>"}
            for path in (self.files(contents, self.folder / name.split(".")[0]), self.zipped(contents)):
                with self.subTest(path=path):
                    self.renew()
                    self.both_capture(path)
                    self.assertEqual(self.values(), [1, 2])

    def test_what_a_mac_adds(self):
        double = b"\0\x05\x16\7" + bytes(100)
        contents = {"__MACOSX/._export.xml": double, "__MACOSX/apple_health_export/._export.xml": double, "apple_health_export/._export.xml": double, **self.CONTENTS,
                    "__MACOSX/apple_health_export/workout-routes/._route.gpx": double}
        result = self.both_capture(self.zipped(contents))
        self.assertIn("left out: 4 apple_double_file, 1 attribute:HealthData\n", result.err)

    def test_two_exports_are_refused_by_name(self):
        contents = {"a/export.xml": export(*steps(1)), "b/exportar.xml": export(*steps(2, 3)), "c/other.xml": b"<other/>"}
        for path in (self.zipped(contents), self.files(contents)):
            with self.subTest(path=path):
                self.assertIn("a/export.xml and b/exportar.xml", self.both_capture(path, status=2).err)
        self.assertFalse(self.archive.exists())

    def test_a_second_export_that_cannot_be_read_is_one(self):
        contents = {"a/export.xml": export(*steps(1)), "b/export.xml": b'<HealthData><ExportDate value="soon"/></HealthData>' + b" " * 9}
        self.assertIn("two Apple Health exports", self.both_capture(self.zipped(contents), status=2).err)

    def test_a_smaller_xml_beside_the_export_is_a_document(self):
        contents = {"a/export.xml": export(*steps(1, 2)), "a/other.xml": b"<other/>"}
        for path in (self.zipped(contents), self.files(contents)):
            with self.subTest(path=path):
                self.renew()
                self.both_capture(path)
                self.assertEqual(self.values(), [1, 2])
                self.assertEqual(self.rows("SELECT kind, size FROM source_documents"), [("other", len(b"<other/>"))])

    def test_a_folder_has_others_in_it_up_to_a_depth(self):
        top = self.files(self.CONTENTS)
        (top / "1/2/3/4/5/6/7").mkdir(parents=True)
        self.both_capture(top)
        (top / "1/2/3/4/5/6/7/8").mkdir()
        refused = self.hp_capture("--apple-health", top, "--quiet")
        self.assert_refused(refused, str(top) + "/1/2/3/4/5/6/7/8: more than 8 folders deep")

    @takes_long
    def test_a_folder_has_so_many_files(self):
        top = self.files(self.CONTENTS)
        for number in range(50_000 - len(self.CONTENTS)):
            os.close(os.open(top / ("%d.txt" % number), os.O_CREAT | os.O_WRONLY))
        self.assert_good(self.hp_capture("--apple-health", top, "--dry-run", "--quiet"))
        (top / "more").touch()
        refused = self.hp_capture("--apple-health", top, "--quiet")
        self.assert_refused(refused, "source: more than 50000 files in this folder")
        self.assertFalse(self.archive.exists())

    def test_a_zip_through_a_pipe(self):
        path = self.zipped(self.CONTENTS)
        self.assert_good(self.hp_capture("--apple-health", "-", "--quiet", input=path.read_bytes()))
        self.assertEqual(self.values(), [1, 2])
        self.assertIn("captured before", self.both_capture(path).err)
        self.renew()
        # It is kept in the folder of temporary files, which is not there.
        folder = str(self.folder / "nowhere")
        environment = {**ENVIRONMENT, "TMPDIR": folder}
        result = self.hp_capture("--apple-health", "-", "--quiet", input=path.read_bytes(), env=environment)
        self.assert_refused(result, folder, "no such file or directory")
        self.assertFalse(self.archive.exists())

    def test_members_that_begin_behind_the_end(self):
        gpx = shapes.TOP + "workout-routes/r.gpx"
        route = shapes.export(shapes.route(shapes.file_reference("r.gpx")))
        path = self.zipped({shapes.TOP + "export.xml": route, gpx: shapes.gpx([(1, 2)])})
        whole = path.read_bytes()
        for name in (shapes.TOP + "export.xml", gpx):
            with self.subTest(name=name):
                self.renew()
                # In the directory at the end, the place of a member stands in front of its name.
                place = whole.rindex(name.encode()) - 4
                path.write_bytes(whole[:place] + struct.pack("<I", len(whole) - 9) + whole[place + 4:])
                if name == gpx:
                    self.both_capture(path)
                    ((text,),) = self.rows("SELECT metadata_json FROM metadata_blobs")
                    self.assertEqual(json.loads(text)["hp:route"], {"unreadable_files": 1})
                else:
                    refused = self.hp_capture("--apple-health", path, "--quiet")
                    self.assert_refused(refused, str(path) + ": a member of the zip cannot be read: ")

    def test_nothing_leads_out_of_a_folder(self):
        outside = self.folder / "outside"
        self.files({"export.xml": export(*steps(7))}, outside)
        top = self.files(self.CONTENTS)
        (top / "link").symlink_to(outside)
        (top / "linked.xml").symlink_to(outside / "export.xml")
        os.mkfifo(top / "pipe.xml")
        result = self.both_capture(top)
        self.assertIn("3 other_file", result.err)
        self.assertEqual(self.values(), [1, 2])
        (top / "apple_health_export/export.xml").unlink()
        self.assertIn("no Apple Health export in this folder", self.both_capture(top, status=2).err)


if __name__ == "__main__":
    unittest.main()
