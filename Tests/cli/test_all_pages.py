"""hp-export report --all: a list of all observations, a page for each type, and pages of what is notable; only what differs is written."""

import hashlib
import json
import re
import sqlite3

from archive_builder import DAY, STEPS, Builder
from report_support import ReportCase
from support import FIXTURES, contents, hp_export, hp_verify, trace_of
from test_page import Reading

HEART, SLEEP = "HKQuantityTypeIdentifierHeartRate", "HKCategoryTypeIdentifierSleepAnalysis"
CAPTION = "Each observation compared with the one before it on its device chain"


class AllPages(ReportCase):
    def setUp(self):
        super().setUp()
        self.pages = self.folder / "pages"

    def build(self, observations, path=None):
        """Each observation has a new step and heart rate; the 5th lacks one step, the 9th two heart rates."""
        (path or self.archive).unlink(missing_ok=True)
        archive = Builder(path or self.archive, observations, types=[STEPS, HEART])
        for number in range(1, observations + 1):
            for kind, lasts in ((STEPS, {1: 5}), (HEART, {2: 9, 3: 9})):
                archive.record(number * 3600, number * 3600 + 60, 1.0 + number, sample_type=kind, first=number, last=lasts.get(number) if lasts.get(number, 0) <= observations else None)
        archive.close()

    def report(self, *options):
        return json.loads(self.assert_good(hp_export("report", self.archive, "--all", "-o", self.pages, "--json", *options)).out)

    def files(self):
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in self.pages.iterdir()}

    def rows(self):
        """Rows of the list by observation, the oldest first: its counts."""
        return list(reversed(Reading((self.pages / "index.html").read_text()).tables[CAPTION][1:]))

    def assert_links(self):
        """Every link of every page is a file of the folder, and each file is reached."""
        seen, waiting = set(), ["index.html"]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            text = (self.pages / name).read_text()
            self.assertNotIn("<script", text)
            self.assertNotRegex(text.split("</style>")[1].split("<template")[0], "https?:|src=")
            for link in re.findall('href="([^"]*)"', text.split("<template")[0]):
                if not link.startswith("#"):
                    self.assertRegex(link, r"^[A-Za-z0-9-]+[.]html$")
                    waiting.append(link)
        self.assertEqual(seen, {path.name for path in self.pages.iterdir()})

    def test_the_37th_observation_writes_only_its_pages(self):
        self.build(36)
        told = self.report()
        types = ["type-%s.html" % name for name in (HEART, STEPS)]
        self.assertEqual([page["file"] for page in told["pages"]], ["1-1.html", "4-5.html", "8-9.html", "35-36.html"])
        self.assertEqual(told["written"], ["1-1.html", "4-5.html", "8-9.html", "35-36.html", *types, "index.html"])
        self.assert_links()
        self.assert_good(hp_verify("bundle", *(self.pages / page["file"] for page in told["pages"]), "--archive", self.archive))
        before = self.files()
        self.assertEqual(self.report()["written"], [])
        self.assertEqual(self.files(), before)
        self.build(37)
        told = self.report()
        self.assertEqual(told["written"], ["36-37.html", *types, "index.html"])
        after = self.files()
        self.assertEqual({name for name in after if after[name] != before.get(name)}, {"36-37.html", *types, "index.html"})
        self.assert_links()
        rows = self.rows()
        self.assertEqual(len(rows), 37)
        # Two records a day; one is gone from the 5th on, two more from the 9th on.
        for number, row in enumerate(rows, 1):
            lost = {5: "1", 9: "2"}.get(number, "0")
            records = str(2 * number - (number >= 5) - 2 * (number >= 9))
            self.assertEqual(row[1:], [records, "–", "–", "–", "–", "–"] if number == 1 else [records, lost, "0", "0", "2", "0"])
        steps = list(reversed(Reading((self.pages / types[1]).read_text()).tables["This type at each observation, the newest first"][1:]))
        self.assertEqual([(row[1], row[2], row[4]) for row in steps[3:6]], [("4", "0", "1"), ("4", "1", "1"), ("5", "0", "1")])

    def comparisons(self, change=lambda line: line, hashed=True):
        """The comparisons that the list keeps; each line changed, the hash too or not."""
        path = self.pages / "index.html"
        head, text, tail = re.fullmatch('(.*<template id="healthprobe-comparisons">\n)(.*)(</template>\n.*)', path.read_text(), re.DOTALL).groups()
        lines = [json.loads(line) for line in text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").splitlines()]
        stated = lines.pop()["sha256"]
        text = lambda: "".join(json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
        self.assertEqual(stated, hashlib.sha256(text().encode()).hexdigest())
        for line in lines[1:]:
            change(line)
        stated = hashlib.sha256(text().encode()).hexdigest() if hashed else stated
        path.write_text(head + text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + '{"sha256":"%s"}\n' % stated + tail)
        return lines

    def test_the_list_keeps_what_was_compared(self):
        """A comparison is not made again if the list has it: a count that is changed with the hash stays, one without it or of another export goes."""
        self.build(6)
        told = self.report()
        good = (self.pages / "index.html").read_bytes()
        kept = self.comparisons()
        self.assertEqual((self.pages / "index.html").read_bytes(), good)
        self.assertEqual(kept[0], {"types": [STEPS, HEART] if STEPS < HEART else [HEART, STEPS]})
        self.assertEqual([line["gone"] for line in kept[1:]], [0, 0, 0, 1, 0])
        self.assertLessEqual({page["export_id"] for page in told["pages"]} - {line["export_id"] for line in kept[1:]}, {told["pages"][0]["export_id"]})
        self.comparisons(lambda line: line.update(new=77))
        self.build(7)
        self.report()
        self.assertEqual([row[5] for row in self.rows()], ["–", *["77"] * 5, "2"])
        for hashed, more in ((False, {}), (True, {"export_id": "00000000-0000-8000-8000-000000000000"})):
            self.pages = self.folder / ("other-%s" % hashed)
            self.report()
            whole = (self.pages / "index.html").read_bytes()
            self.comparisons(lambda line: line.update(new=88, **more), hashed)
            self.assertEqual(self.report()["written"], ["index.html"])
            self.assertEqual((self.pages / "index.html").read_bytes(), whole)

    def test_pages_to_share_have_neither_names_nor_values(self):
        self.build(9)
        told = self.report("--share")
        self.assert_links()
        self.assertEqual([page["file"] for page in told["pages"]], ["1-1.html", "4-5.html", "8-9.html"])
        for path in self.pages.iterdir():
            text = path.read_text()
            self.assertNotIn("healthprobe-evidence", text)
            self.assertNotIn("com.example", text)
        for page in told["pages"]:
            self.assertIn(page["export_id"], (self.pages / page["file"]).read_text())
        shared = {name: entry[0] for name, entry in self.files().items()}
        self.pages = self.folder / "whole"
        whole = {name: entry[0] for name, entry in ((self.report(), self.files())[1]).items()}
        lists = [name for name in whole if not name[0].isdigit()]
        self.assertEqual({name: shared[name] for name in lists}, {name: whole[name] for name in lists})

    def test_a_folder_made_at_once_equals_one_made_in_steps(self):
        self.build(4)
        self.report()
        self.build(10)
        self.report()
        steps = {name: entry[0] for name, entry in self.files().items()}
        self.pages = self.folder / "at-once"
        self.report()
        whole = {name: entry[0] for name, entry in self.files().items()}
        self.assertEqual(steps.keys() - whole.keys(), {"3-4.html"})
        self.assertEqual({name: steps[name] for name in whole if name != "index.html" and not name.startswith("type-")},
                         {name: data for name, data in whole.items() if name != "index.html" and not name.startswith("type-")})

    def test_pages_are_recorded_only_when_asked(self):
        self.build(3)
        before = contents(self.archive)
        self.report()
        self.assertEqual(contents(self.archive), before)
        self.report("--record", "--force")
        self.assertEqual(contents(self.archive), before)
        for path in self.pages.glob("[0-9]*.html"):
            path.unlink()
        self.report("--record")
        self.assertEqual(len(json.loads(hp_export("list", self.archive, "exports", "--json").out)["exports"]), 2)
        self.assertIn("Recorded exports: 2", Reading((self.pages / "index.html").read_text()).text)
        self.assertEqual(hp_export("report", self.archive, "--record", "-o", self.folder / "x.html").status, 2)

    def test_the_list_has_the_newest_logged_check(self):
        for month in ("month-0.xml", "month-1.xml"):
            self.assert_good(hp_export("capture", self.archive, FIXTURES / "apple-health" / month, "--quiet"))
        self.report()
        listed = lambda: Reading((self.pages / "index.html").read_text()).text
        self.assertIn("No check of the archive is logged.", listed())
        self.assert_good(hp_export("check", self.archive, "--quiet"))
        self.report()
        self.assertRegex(listed(), r"newest logged check of the archive, 20\d\d-[-0-9T:.]+Z, found nothing wrong\.")
        with sqlite3.connect(self.archive) as connection:
            connection.execute("UPDATE sample_visibility_ranges SET sample_id = 99 WHERE rowid = 1")
        self.assertEqual(hp_export("check", self.archive, "--quiet").status, 1)
        self.report()
        self.assertIn("Z, found faults.", listed())

    def test_a_recorded_page_does_not_block_undo(self):
        self.build(3)
        self.report("--record")
        other = self.folder / "bundle.hpz"
        self.assert_good(hp_export("bundle", self.archive, "-o", other, "--quiet"))
        refused = hp_export("undo", self.archive, "--no-backup")
        self.assertEqual(refused.status, 2)
        self.assertIn("1 recorded export names", refused.err)
        self.build(3)
        self.report("--record", "--force")
        self.assert_good(hp_export("report", self.archive, "-o", self.folder / "x.html", "--quiet"))
        undone = json.loads(self.assert_good(hp_export("undo", self.archive, "--no-backup", "--json")).out)
        self.assertEqual(undone["exports"], 1)

    def test_a_changed_page_is_written_again_and_a_foreign_file_is_kept(self):
        self.build(5)
        self.report()
        page = self.pages / "4-5.html"
        good = page.read_bytes()
        page.write_bytes(good.replace(b"Contains health data", b"Contains any data", 1))
        self.assertEqual(self.report()["written"], ["4-5.html"])
        self.assertEqual(page.read_bytes(), good)
        for name in ("4-5.html", "index.html", "type-%s.html" % STEPS):
            with self.subTest(name):
                path = self.pages / name
                whole = path.read_bytes()
                path.write_bytes(b"mine")
                before, rows = trace_of(self.pages), contents(self.archive)
                result = hp_export("report", self.archive, "--all", "-o", self.pages)
                self.assert_refused(result, "%s: the file exists" % name)
                self.assertIn("--force", result.err)
                self.assertEqual((trace_of(self.pages), contents(self.archive)), (before, rows))
                self.assertEqual(self.report("--force")["written"], [name])
                self.assertEqual(path.read_bytes(), whole)

    def test_one_observation_has_a_page_and_a_list(self):
        self.build(1)
        self.assertEqual([page["file"] for page in self.report()["pages"]], ["1-1.html"])
        self.assertIn("nothing to compare yet", (self.pages / "index.html").read_text())
        self.assert_links()

    def test_what_cannot_be_asked(self):
        self.build(2)
        for arguments in (("-o", "-"), ("--from", "1", "-o", self.folder / "x"), ("-o", self.archive), ("-o", self.folder / "no" / "x")):
            result = hp_export("report", self.archive, "--all", *arguments)
            self.assertEqual((result.status, result.err.count("error:")), (2, 1), result)
        self.assertFalse((self.folder / "x").exists())
