"""Names of sources and devices beside an archive: who writes them, who shows them, and that nobody else has them."""

import csv
import hmac
import io
import json
import os
import pathlib
import shutil
import unittest

from capture_support import STEPS, CaptureCase, dump, feed, observation, sample, type_run
from support import NOBODY, ROOT, execute, hp_export, hp_verify, make_archive

EXPORT = """<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US">
<ExportDate value="2024-03-01 10:00:00 +0000"/>
%s</HealthData>
"""
RECORD = '<Record type="%s" sourceName="%s" unit="count" device="&lt;&lt;HKDevice: 0x1&gt;, name:%s, model:Watch&gt;" startDate="2024-01-%02d 00:00:00 +0000" endDate="2024-01-%02d 00:01:00 +0000" value="%d"/>\n'
HEADING = "healthprobe-labels 1\n"
HOSTILE = ["=1+1", "@x", "\x1b[31mred", "line\nend", "\u202egnp.exe", "'quote", 'say "hi", you;', "\t=cmd", "\u2066x", "  edge ", "\u00fcber \U0001f600", "\r", "x" * 512, "\x7f", "\u009b31m"]
SHOWN_OTHERWISE = {"\x1b[31mred": "\\x1b[31mred", "line\nend": "line\\x0aend", "\u202egnp.exe": "\\xe2\\x80\\xaegnp.exe", "\t=cmd": "\\x09=cmd", "\u2066x": "\\xe2\\x81\\xa6x", "\r": "\\x0d", "\x7f": "\\x7f", "\u009b31m": "\\xc2\\x9b31m"}


def hash_of(name):
    """The hash of a source's name, as Spec/identity.md has it, with the secret of these tests."""
    return hmac.new(bytes(range(32)), b"hp:v2:source_name:" + name.encode(), "sha256").hexdigest()


def guarded(text):
    return "'" + text if text.startswith(tuple("=+-@\t\r\n'\uff1d\uff0b\uff0d\uff20")) else text


def labels_text(labels):
    return HEADING + "".join("%s %s\n" % (hashed, json.dumps(name, ensure_ascii=False)) for hashed, name in sorted(labels.items()))


class LabelCase(CaptureCase):
    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(str(self.archive) + ".labels")

    def capture(self, *names, options=("--keep-labels",)):
        """Captures a record of each name of a source; each device has the name with `device` behind."""
        records = "".join(RECORD % (STEPS, name, name + " device", day, day, day) for day, name in enumerate(names, 1))
        path = self.written((EXPORT % records).encode(), "export.xml")
        return self.assert_good(self.hp_capture("--apple-health", path, *options))

    def labels(self):
        """What the file says: hashes to names."""
        lines = self.file.read_text("utf-8").split("\n")
        self.assertEqual((lines[0] + "\n", lines[-1]), (HEADING, ""))
        return {line[:64]: json.loads(line[65:]) for line in lines[1:-1]}

    def set_labels(self, text, mode=0o600):
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.file.chmod(mode)

    def label(self, *arguments, **options):
        return hp_export("label", self.archive, *arguments, **options)

    def rows_of_view(self, *options):
        result = self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", "-", "--no-record", "--quiet", *options))
        return list(csv.DictReader(io.StringIO(result.out.decode("utf-8-sig"), newline=""), delimiter=";" if "excel" in options else ","))


class Captures(LabelCase):
    def test_names_are_kept_by_the_hashes_that_the_archive_has(self):
        result = self.capture("My watch", "\u00dcber", "My watch")
        devices = {hashed for (hashed,) in self.rows("SELECT device_hash FROM hk_devices")}
        labels = self.labels()
        self.assertEqual({labels[hashed] for hashed in devices}, {"My watch device", "\u00dcber device"})
        self.assertEqual({hashed: name for hashed, name in labels.items() if hashed not in devices}, {hash_of("My watch"): "My watch", hash_of("\u00dcber"): "\u00dcber"})
        self.assertEqual({hashed for (hashed,) in self.rows("SELECT source_name_hash FROM sources")}, {hash_of("My watch"), hash_of("\u00dcber")})
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertIn("4 labels added", result.err)
        self.assertNotIn("My watch", result.err)
        self.assertEqual(self.file.read_text("utf-8"), labels_text(labels))

    def test_without_the_option_nothing_is_kept(self):
        self.capture("My watch", options=())
        self.assertFalse(self.file.exists())

    def test_a_dry_run_keeps_nothing(self):
        result = self.capture("My watch", options=("--keep-labels", "--dry-run"))
        self.assertIn("2 labels would be added", result.err)
        self.assertFalse(self.file.exists())

    def test_a_label_that_is_there_stays(self):
        self.capture("My watch")
        self.assert_good(self.label(hash_of("My watch")[:12], "Mine"))
        self.assertIn("0 labels added", self.capture("My watch").err)
        self.assertEqual(self.labels()[hash_of("My watch")], "Mine")

    def test_a_feed_has_names_too(self):
        line = sample(1, source={"name": "Feed phone", "bundle_identifier": "com.example"}, device={"name": "Feed watch", "model": "Watch"})
        self.assert_good(self.hp_capture("--feed", self.written(feed(observation(1, type_run([line])))), "--keep-labels"))
        self.assertEqual(set(self.labels().values()), {"Feed phone", "Feed watch"})
        self.assertEqual(self.labels()[hash_of("Feed phone")], "Feed phone")

    def test_names_that_are_no_labels_are_counted(self):
        result = self.capture("x" * 513)
        self.assertIn("2 names are no labels", result.err)
        self.assertNotIn("xxx", result.err)
        self.assertFalse(self.file.exists())

    def test_no_other_file_has_a_name(self):
        self.capture("Veryown Watch")
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.jsonl.zst"))
        self.assert_good(hp_export("records", self.archive, "-o", self.folder / "out.csv"))
        for path in self.folder.iterdir():
            if path.name not in (self.file.name, "export.xml"):
                self.assertNotIn(b"Veryown", path.read_bytes(), path.name)

    def test_undo_and_repair_leave_it(self):
        self.capture("One")
        before = self.file.read_bytes()
        self.assert_good(hp_export("repair", self.archive, "--ranges", "--aggregates"))
        self.assert_good(hp_export("undo", self.archive))
        self.assertEqual(self.file.read_bytes(), before)


class Views(LabelCase):
    def test_labels_are_shown_and_the_sidecar_says_so(self):
        self.capture("My watch", "Phone")
        self.assert_good(self.label(hash_of("Phone"), "--remove"))
        rows = self.rows_of_view()
        self.assertEqual([row["source"] for row in rows], ["My watch", "source " + hash_of("Phone")[:8]])
        self.assertEqual([row["device"] for row in rows], ["My watch device", "Phone device"])
        for options in ((), ("--dialect", "excel")):
            out = self.folder / "out.csv"
            self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out, "--force", *options))
            sidecar = json.loads((self.folder / "out.csv-metadata.json").read_bytes())
            self.assertEqual(sidecar["urn:healthprobe:report"]["view"], {"name": "people", "unvouched": ["device", "source"]})
            self.assert_verified(out)
        self.file.unlink()
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out, "--force"))
        self.assertEqual(json.loads((self.folder / "out.csv-metadata.json").read_bytes())["urn:healthprobe:report"]["view"]["unvouched"], [])
        self.assertEqual([row["device"] for row in self.rows_of_view()], ["Watch", "Watch"])

    def assert_verified(self, out):
        from verifier.command import sidecar_of
        from verifier.files import verify
        self.assertIn(b"valid people view", self.assert_good(hp_verify("bundle", out, "--archive", self.archive)).out)
        with open(out, "rb") as file:
            verdict = verify(file, out.name, sidecar_of(os.fspath(out)))
        self.assertEqual((verdict["result"], verdict["findings"]), ("ok", []))

    def test_hostile_names_stay_texts(self):
        self.capture(*("name %d" % number for number in range(len(HOSTILE))))
        self.set_labels(labels_text({hash_of("name %d" % number): text for number, text in enumerate(HOSTILE)}))
        expected = [guarded(SHOWN_OTHERWISE.get(text, text)) for text in HOSTILE]
        for options in ((), ("--dialect", "excel")):
            self.assertEqual([row["source"] for row in self.rows_of_view(*options)], expected)
            out = self.folder / "out.csv"
            self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out, "--force", *options))
            self.assert_verified(out)
        for result in (self.label("--list"), hp_export("list", self.archive, "sources")):
            text = self.assert_good(result).out.decode()
            self.assertEqual({part for part in text if not part.isprintable()}, {"\n"})
            self.assertIn("\\x1b[31mred", text)
        listed = json.loads(self.assert_good(self.label("--list", "--json")).out)
        self.assertEqual({entry["label"] for entry in listed["labels"]}, set(HOSTILE))
        schemas_of(self, "labels", listed)

    def test_a_diff_has_labels_too(self):
        self.capture("My watch")
        path = self.written((EXPORT % (RECORD % (STEPS, "Phone", "p", 5, 5, 5))).replace("2024-03-01", "2024-04-01").encode(), "export.xml")
        self.assertIn(self.hp_capture("--apple-health", path, "--keep-labels", "--accept-disappearances").status, (0, 1))
        result = self.assert_good(hp_export("diff", self.archive, "--view", "people", "-o", "-", "--no-record", "--quiet"))
        self.assertEqual({(row["change"], row["source"]) for row in csv.DictReader(io.StringIO(result.out.decode(), newline=""))}, {("appeared", "Phone"), ("disappeared", "My watch")})


class Commands(LabelCase):
    def test_set_replace_remove(self):
        self.capture("My watch", "Phone", options=())
        digits = hash_of("Phone")[:8]
        done = json.loads(self.assert_good(self.label(digits, "A phone", "--json", "--quiet")).out)
        self.assertEqual((done["hash"], done["label_count"]), (hash_of("Phone"), 1))
        schemas_of(self, "label-result", done)
        self.assertEqual(self.labels(), {hash_of("Phone"): "A phone"})
        result = self.assert_good(self.label(digits, "Another"))
        self.assertNotIn("Another", result.err)
        self.assertEqual(self.labels(), {hash_of("Phone"): "Another"})
        self.assert_good(self.label(digits, "--remove"))
        self.assertFalse(self.file.exists())
        self.assert_refused(self.label(digits, "--remove"), "has no label")

    def test_hashes_that_name_nothing(self):
        self.capture("My watch", options=())
        known = hash_of("My watch")
        other = known[:10] + ("0" if known[10] != "0" else "1") + known[11:]
        self.assert_refused(self.label(other, "x"), "the nearest is " + known)
        self.assert_refused(self.label(other[:12], "x"), "the nearest is " + known[:12])
        for text in ("abc", known + "0", known.upper(), "../../../etc/passwd", "g" * 64):
            self.assert_refused(self.label(text, "x"), "not a hash of 8 to 64")
        for name in ("", "x" * 513, b"\xff"):
            self.assert_refused(self.label(known, name), "a name is UTF-8 text")
        execute(self.archive, "INSERT INTO sources(source_name_hash) VALUES ('%s')" % (known[:20] + "0" * 44))
        self.assert_refused(self.label(known[:20], "x"), "2 sources or devices")
        self.assertFalse(self.file.exists())
        for arguments in ((), (known,), (known, "x", "y"), (known, "x", "--remove"), ("--list", known), ("--list", "--remove")):
            self.assert_refused(self.label(*arguments), "name an archive, a hash and a name")

    def test_lists(self):
        self.capture("My watch", "Phone", "Phone")
        listed = json.loads(self.assert_good(hp_export("list", self.archive, "sources", "--json")).out)
        schemas_of(self, "list", listed)
        self.assertEqual({(row["source_name_hash"], row["label"], row["version_count"], row["first_start"], row["last_start"]) for row in listed["sources"]}, {
            (hash_of("My watch"), "My watch", 1, "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.000Z"),
            (hash_of("Phone"), "Phone", 2, "2024-01-02T00:00:00.000Z", "2024-01-03T00:00:00.000Z")})
        listed = json.loads(self.assert_good(hp_export("list", self.archive, "devices", "--json")).out)
        schemas_of(self, "list", listed)
        self.assertEqual({(row["label"], row["model"], row["version_count"]) for row in listed["devices"]}, {("My watch device", "Watch", 1), ("Phone device", "Watch", 2)})
        text = self.assert_good(hp_export("list", self.archive, "sources")).out.decode()
        self.assertIn(hash_of("Phone")[:16] + "  Phone", text)

    def test_counts_are_those_of_the_rows(self):
        make_archive.write(str(self.archive), samples=500, observations=4, seed=3, journal="delete")
        listed = json.loads(self.assert_good(hp_export("list", self.archive, "sources", "--json")).out)["sources"]
        expected = self.rows("""SELECT o.source_name_hash, o.bundle_identifier, r.product_type, count(v.id) FROM sources o LEFT JOIN source_revisions r ON r.source_id = o.id
            LEFT JOIN sample_versions v ON v.source_revision_id = r.id GROUP BY 1, 2, 3""")
        found = [(row.get("source_name_hash"), row.get("bundle_identifier"), row.get("product_type"), row.get("version_count", 0)) for row in listed]
        self.assertEqual(sorted(map(repr, found)), sorted(map(repr, expected)))


class Files(LabelCase):
    """What is no file of labels is refused, and what stands in it is not said."""

    def setUp(self):
        super().setUp()
        self.capture("My watch", options=())

    def assert_unreadable(self, *words):
        for arguments in (("records", self.archive, "--view", "people", "-o", "-", "--no-record"), ("label", self.archive, "--list"), ("list", self.archive, "sources"),
                          ("label", self.archive, hash_of("My watch"), "x")):
            result = hp_export(*arguments)
            self.assert_refused(result, *words)
            self.assertNotIn("secretive", result.err)

    def test_malformed_lines(self):
        good = '%s "secretive"\n' % ("a" * 64)
        for text, line in ((b"", 1), (b"healthprobe-labels 2\n", 1), (b"healthprobe-secret 1\n", 1), (HEADING[:-1].encode(), 1), ((HEADING + good[:-1]).encode(), 2), ((HEADING + "\n").encode(), 2),
                           ((HEADING + good + good).encode(), 3), ((HEADING + good.upper()).encode(), 2), ((HEADING + "a" * 63 + ' "secretive"\n').encode(), 2), ((HEADING + "a" * 64 + " secretive\n").encode(), 2),
                           ((HEADING + "a" * 64 + ' ""\n').encode(), 2), ((HEADING + good + "b" * 64 + ' "x" \n').encode(), 3), ((HEADING + good + "b" * 64 + ' "x\\u0041"\n').encode(), 3),
                           ((HEADING + "a" * 64 + ' "secretive\\u0000"\n').encode(), 2), ((HEADING + "a" * 64 + ' "%s"\n' % ("x" * 513)).encode(), 2), (HEADING.encode() + b"a" * 64 + b' "\xff"\n', 2),
                           ((HEADING + good.replace("\n", "\r\n")).encode(), 2), ((HEADING + "a" * 64 + ' ["secretive"]\n').encode(), 2), ((HEADING + "a" * 64 + '  "secretive"\n').encode(), 2)):
            with self.subTest(text[:120]):
                self.set_labels(text)
                self.assert_unreadable("archive.sqlite.labels: line %d: " % line)

    def test_limits(self):
        most = {"%064x" % number: "x" for number in range(10_000)}
        self.set_labels(labels_text(most))
        self.assertEqual(len(json.loads(self.assert_good(self.label("--list", "--json")).out)["labels"]), 10_000)
        self.assert_refused(self.label(hash_of("My watch"), "x"), "10000 labels already")
        self.set_labels(labels_text({**most, "f" * 64: "x"}))
        self.assert_unreadable("line 10002: more than 10000 labels")
        self.set_labels(HEADING.encode() + b"\n" * (8 << 20))
        self.assert_unreadable("larger than 8 MiB")

    def test_only_a_file_of_the_owner(self):
        self.set_labels(labels_text({"a" * 64: "secretive"}), 0o644)
        self.assert_unreadable("others than the owner")
        self.file.rename(self.folder / "elsewhere")
        (self.folder / "elsewhere").chmod(0o600)
        self.file.symlink_to(self.folder / "elsewhere")
        self.assert_unreadable("symbolic link")
        self.file.unlink()
        os.mkfifo(self.file)
        self.assert_unreadable("not a regular file")
        self.file.unlink()
        self.file.mkdir()
        self.assert_unreadable("not a regular file")

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_a_file_of_another_user(self):
        self.set_labels(labels_text({"a" * 64: "secretive"}))
        os.chown(self.file, NOBODY, NOBODY)
        self.assert_unreadable("archive.sqlite.labels: belongs to another user")

    def test_no_output_replaces_it(self):
        self.set_labels(labels_text({"a" * 64: "secretive"}))
        before = self.file.read_bytes()
        other = self.folder / "other.labels"
        shutil.copy(self.file, other)
        for path in (self.file, other):
            self.assert_refused(hp_export("bundle", self.archive, "-o", path, "--force"))
            self.assertEqual(path.read_bytes(), before)
        self.assert_refused(hp_export("undo", self.archive, "--backup", self.file))

    def test_an_unreadable_file_stops_a_capture_before_it_begins(self):
        self.set_labels("nothing\n")
        before = dump(self.archive)
        path = self.written((EXPORT % (RECORD % (STEPS, "x", "x", 9, 9, 9))).encode(), "export.xml")
        self.assert_refused(self.hp_capture("--apple-health", path, "--keep-labels"), "line 1: not a file of labels")
        self.assertEqual(dump(self.archive), before)


def schemas_of(case, name, value):
    import jsonschema
    jsonschema.Draft202012Validator(json.loads((ROOT / "Spec" / "schemas" / (name + ".json")).read_text("utf-8"))).validate(value)


if __name__ == "__main__":
    unittest.main()
