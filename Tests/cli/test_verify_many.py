"""hp-verify with many files, standard input, results for build servers, and progress for programs."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
import xml.etree.ElementTree as xml

from capture_support import CaptureCase, feed, observation, sample, type_run
from support import ENVIRONMENT, PATIENCE, ROOT, Case, database, hp_export, hp_verify, run, schemas, tool, vectors

GOOD = next(vector for vector in vectors.ALL if not vector.codes and vector.container == "bundle")
BAD = next(vector for vector in vectors.ALL if vector.codes and vector.container == "bundle")


class Many(Case):
    def listed(self, *arguments, **options):
        result = hp_verify("bundle", *arguments, "--json", "--quiet", **options)
        said = json.loads(result.out)
        self.assertEqual([error.message for error in schemas.validator("verify-result").iter_errors(said)], [])
        return result, said["files"]

    def test_every_file_is_in_json(self):
        missing = self.folder / "none.jsonl.zst"
        result, files = self.listed(GOOD.path, missing, self.folder, BAD.path)
        self.assertEqual(result.status, 2, result)
        self.assertEqual([file["file"] for file in files], list(map(str, [GOOD.path, missing, self.folder, BAD.path])))
        self.assertEqual([file["result"] for file in files], ["ok", "failed", "failed", "findings"])
        self.assertEqual([file.get("error") for file in files],
                         [None, "%s: cannot open: no such file or directory" % missing,
                          "%s: a folder, not a regular file" % self.folder, None])
        self.assertEqual(result.err.count("hp-verify: error: "), 2)

    def test_files_side_by_side_come_in_their_order(self):
        paths = [vector.path for vector in vectors.ALL if vector.container != "table"][:120]
        one, many = (hp_verify("bundle", *paths, "--jobs", jobs, "--quiet") for jobs in ("1", "7"))
        self.assertEqual(one.status, 1, one)
        self.assertEqual((many.status, many.out, many.err), (one.status, one.out, one.err))
        self.assertEqual(self.listed(*paths, "--jobs", "7")[1], self.listed(*paths)[1])

    def test_standard_input_is_read_from_a_pipe_and_from_a_file(self):
        data = BAD.path.read_bytes()
        _, (expected,) = self.listed(BAD.path)
        expected["file"] = "-"
        self.assertEqual(self.listed("-", input=data)[1], [expected])
        with open(BAD.path, "rb") as file:
            self.assertEqual(self.listed("-", stdin=file)[1], [expected])
        self.assert_refused(hp_verify("bundle", "-", "-"), "can be named once", name="hp-verify")
        self.assert_refused(hp_verify("bundle", "-", stdin=subprocess.DEVNULL), "a device, not a file or a pipe",
                            name="hp-verify")

    def test_the_help_of_a_command(self):
        for name, command in (("hp-verify", "bundle"), ("hp-export", "diff")):
            self.assertEqual(run(name, "help", command).out, run(name, command, "--help").out)
        self.assert_refused(run("hp-verify", "help", "bundel"), "unknown command bundel", name="hp-verify")

    def test_what_codes_mean_is_said_once(self):
        table = json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))["codes"]
        text = hp_verify("bundle", BAD.path, "--quiet").out.decode()
        for entry in table:
            line = "\n    %s: %s\n" % (entry["code"], entry["sentence"])
            self.assertEqual(text.count(line), int(entry["code"] in BAD.codes), entry["code"])
        self.assertNotIn("What this means", hp_verify("bundle", GOOD.path, "--quiet").out.decode())


class BuildServers(Case):
    def cases(self, *arguments):
        """The test cases that a command writes: name, what it holds, its type and message."""
        path = self.folder / "results.xml"
        result = hp_verify(*arguments, "--junit", path, "--quiet")
        root = xml.parse(path).getroot()
        (suite,) = root
        self.assertEqual((root.tag, suite.tag, suite.get("name")), ("testsuites", "testsuite", arguments[0]))
        found = []
        for case in suite:
            (held,) = list(case) or [None]
            found.append((case.get("name"), *((None,) * 3 if held is None else
                                              (held.tag, held.get("type"), held.get("message")))))
        for element in (root, suite):
            for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(element.get(count)), sum(case[1] == tag for case in found))
            self.assertEqual(int(element.get("tests")), len(found))
        path.unlink()
        return result.status, found

    def test_files(self):
        hostile = self.folder / "a<&\"'>\x07\n.zst"
        shutil.copyfile(GOOD.path, hostile)
        missing = self.folder / "none"
        status, found = self.cases("bundle", hostile, BAD.path, missing)
        self.assertEqual(status, 2)
        shown = str(hostile).replace("\x07", "\\x07").replace("\n", "\\x0a")
        verdict = "invalid: %d finding%s" % (len(BAD.findings), "s" * (len(BAD.findings) != 1))
        self.assertEqual(found, [
            (shown, None, None, None), (str(BAD.path), "failure", min(BAD.codes), verdict),
            (str(missing), "error", "unreadable", "%s: cannot open: no such file or directory" % missing)])

    def test_checks_and_exports_of_an_archive(self):
        path = self.fixture(to="a.sqlite")
        status, found = self.cases("reproduce", path)
        self.assertEqual((status, found), (1, [(str(path), "error", "unreadable", "no export is recorded")]))
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "b.zst", "--quiet"))
        with database(path) as connection:
            (export,) = connection.execute("SELECT export_id FROM export_manifests").fetchone()
        status, found = self.cases("reproduce", path)
        self.assertEqual((status, found), (0, [("%s: %s" % (path, export), None, None, None)]))
        status, found = self.cases("archive", path)
        checks = json.loads(hp_verify("archive", path, "--json", "--quiet").out)["checks"]
        tags = {"ok": None, "failed": "failure", "not_checked": "skipped"}
        self.assertEqual([case[:2] for case in found],
                         [("%s: %s" % (path, check["name"]), tags[check["status"]]) for check in checks])
        self.assertEqual(status, 1)

    def test_what_differs_of_an_export_is_listed(self):
        path, report = self.fixture(to="a.sqlite"), self.folder / "results.xml"
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "b.zst", "--quiet"))
        with database(path) as connection:
            connection.execute("UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE numeric_value IS NOT NULL")
        differences = json.loads(hp_verify("reproduce", path, "--json", "--quiet").out)["exports"][0]["differences"]
        self.assertGreater(len(differences), 1)
        self.assertEqual(hp_verify("reproduce", path, "--junit", report, "--quiet").status, 1)
        (failure,) = xml.parse(report).getroot().iter("failure")
        self.assertEqual(failure.get("message"), "changed: different: %d items, the manifest hash" % len(differences))
        self.assertEqual(failure.text.strip().splitlines(), ["manifest hash differs"] + [
            "item hash differs: samples row %(sample_id)s, sample_versions row %(version_id)s, expected %(expected)s, found %(found)s" % each for each in differences])
        path = self.fixture(to="c.sqlite")
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "c.zst", "--quiet"))
        with database(path) as connection:
            connection.execute("UPDATE observations SET app_version = 'other'")
        self.assertEqual(hp_verify("reproduce", path, "--junit", report, "--quiet").status, 1)
        (failure,) = xml.parse(report).getroot().iter("failure")
        self.assertEqual(failure.get("message"), "changed: different: the header, the manifest hash")
        self.assertEqual(failure.text.strip().splitlines(), ["header differs: observations, coverage or scope", "manifest hash differs"])

    def test_findings_of_a_file_are_listed(self):
        report = self.folder / "results.xml"
        hp_verify("bundle", BAD.path, "--junit", report, "--quiet")
        (failure,) = xml.parse(report).getroot().iter("failure")
        text = hp_verify("bundle", BAD.path, "--quiet").out.decode()
        lines = [line.strip() for line in text.partition("What this means")[0].splitlines()[2:]]
        self.assertEqual(failure.text.strip().splitlines()[len(BAD.codes):], [line for line in lines if line])

    def test_times_and_an_earlier_report(self):
        report = self.folder / "results.xml"
        for _ in range(2):
            self.assert_good(hp_verify("bundle", GOOD.path, "--junit", report, "--quiet"))
            root = xml.parse(report).getroot()
            for element in (root, root[0], root[0][0]):
                self.assertRegex(element.get("time"), r"\A[0-9]+\.[0-9]{3}\Z")
            self.assertLessEqual(float(root[0][0].get("time")), float(root.get("time")))

    def test_an_archive_in_place_of_a_bundle(self):
        path = self.fixture(to="a.sqlite")
        result = hp_verify("bundle", path)
        self.assertEqual((result.status, result.err), (1, "hp-verify: note: %s is an archive: hp-verify archive %s\n" % (path, path)))

    def test_no_file_is_replaced_that_was_not_meant(self):
        path, taken = self.fixture(to="a.sqlite"), self.folder / "taken.xml"
        taken.write_text("mine")
        self.assert_refused(hp_verify("archive", path, "--junit", taken), "the file exists", name="hp-verify")
        for own in (path, self.folder / "a.sqlite-wal", self.folder / "a.sqlite.secret"):
            self.assert_refused(hp_verify("archive", path, "--junit", own, "--force"), "belongs to it",
                                name="hp-verify")
        self.assert_refused(hp_verify("bundle", GOOD.path, "--junit", GOOD.path, "--force"), "the input",
                            name="hp-verify")
        self.assertEqual(taken.read_text(), "mine")
        hp_verify("archive", path, "--junit", taken, "--force", "--quiet")
        self.assertTrue(taken.read_text().startswith("<?xml"))
        self.assertEqual([name.name for name in self.folder.iterdir() if name.name.endswith(".partial")], [])


class ProgressLines(CaptureCase):
    def test_a_line_each_second_for_programs(self):
        pages = [[sample(number, number, 60) for number in numbers] for numbers in (range(1, 5), range(5, 9))]
        lines = feed(observation(1, type_run(*pages))).splitlines(True)
        # The observation is complete but for a page, the end of its run and its own end.
        behind = len(pages[1]) + 3
        process = subprocess.Popen(
            [tool("hp-export"), "capture", str(self.archive), "--feed", "-", "--progress", "json", "--quiet"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        # Nothing is counted while input is waited for: there are lines all the same.
        process.stdin.write(b"".join(lines[:-behind]))
        process.stdin.flush()
        self.addCleanup(process.kill)
        waiting = []
        for _ in range(2):
            self.assertTrue(select.select([process.stderr], [], [], 20)[0], "nothing is said")
            waiting.append(process.stderr.readline())
        _, said = process.communicate(b"".join(lines[-behind:]), timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, said)
        said = list(map(json.loads, waiting + said.splitlines()))
        for line in said:
            self.assertEqual(set(line), {"done", "elapsed_seconds", "unit"})
            self.assertEqual(line["unit"], "records")
        first, second = (line["elapsed_seconds"] for line in said[:2])
        self.assertTrue(1 <= first < second, said)
        # At the end a last line says how many there were.
        self.assertLessEqual(said[1]["done"], 4)
        self.assertEqual(said[-1]["done"], 8)

    def test_a_line_of_a_terminal_that_is_taken_away_again(self):
        """Standard error is a terminal. Nothing is shown in the first second, and nothing is left at the end."""
        pages = [[sample(number, number, 60)] for number in range(1, 500)]
        lines = feed(observation(2, type_run(*pages))).splitlines(True)
        ours, theirs = pty.openpty()
        try:
            words = [tool("hp-export"), "capture", self.archive, "--secret", self.secret, "--feed", "-"]
            # The archive is there already: nothing else is said.
            self.assert_good(hp_export("capture", self.archive, "--secret", self.secret, "--feed", "-", input=feed(observation(1, type_run([])))))
            begin = time.monotonic()
            with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs,
                                  env=ENVIRONMENT) as process:
                self.addCleanup(process.kill)
                # Page by page, until something is shown.
                while lines and not select.select([ours], [], [], 0.02)[0]:
                    process.stdin.write(lines.pop(0))
                    process.stdin.flush()
                shown_after = time.monotonic() - begin
                self.assertTrue(lines, "nothing was shown")
                process.communicate(b"".join(lines), timeout=PATIENCE)
            # What is there is read; a terminal has no end while it is open.
            os.set_blocking(ours, False)
            said = os.read(ours, 10_000).decode()
        finally:
            os.close(ours)
            os.close(theirs)
        self.assertEqual(process.returncode, 0, said)
        self.assertGreater(shown_after, 1)
        self.assertRegex(said, r"^(\r\x1b\[K\d+ records, \d+ a second)+\r\x1b\[K")
        self.assertLessEqual(set(map(int, re.findall(r"K(\d+) records", said))), set(range(1, 500)), said)

    def test_another_form_is_refused(self):
        self.assert_refused(hp_verify("bundle", GOOD.path, "--progress", "bar"), "accepts json", name="hp-verify")
