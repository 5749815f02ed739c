"""Text of other apps and names of files where somebody obeys them: terminals, spreadsheets, build servers."""

import csv
import hashlib
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import unicodedata
import unittest
import xml.etree.ElementTree

from report_support import ReportCase
from archive_builder import STEPS, Builder
from support import PATIENCE, ROOT, TOOLS, database, execute, hp_export, hp_verify, query, tool

HOSTILE = ["\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x9b31m", "\u202egnp.exe", "\u2066x\u2069", "a\rb", "\x08\x08\x08", "\x7f", "\u2028", "\x0e", "\ufeffx", "\u200b", "\x00".replace("\x00", "\x01"), "\x85", "\t\v\f"]
STEPS_TYPE = "HKQuantityTypeIdentifierStepCount"


def is_plain(text):
    """Whether every character takes its place on a line and nothing more (Spec/command-line.md, Terminals)."""
    return all(character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs") for character in text.replace("\r\n", "\n"))


class Terminals(ReportCase):
    def setUp(self):
        super().setUp()
        chance = random.Random(7)
        builder = Builder(self.archive, 2, (STEPS,))
        for number in range(60):
            builder.record(number * 600, number * 600 + 30, 1.0, **({"first": 2} if number % 3 == 0 else {}))
        builder.close()
        for number, (row,) in enumerate(query(self.archive, "SELECT id FROM sample_versions ORDER BY id")):
            text = chance.choice(HOSTILE) + chance.choice(["", "x", "é", "日本", "🙂"]) + chance.choice(HOSTILE)
            execute(self.archive, "UPDATE sample_versions SET unit = '%s' WHERE id = %d" % (text.replace("'", "''"), row))

    def shown(self, *words):
        # The terminal itself puts a CR before each LF.
        return self.terminal(*words).replace(b"\r\n", b"\n").replace(b"\r\n", b"\n")

    def test_no_result_on_a_terminal_has_a_character_that_it_obeys(self):
        text = self.folder / "text.json"
        text.write_bytes(json.dumps({"a": "\x7f\x9b31m\u202e\u2066" + "x" * 100_000 + "é\x85"}, ensure_ascii=False).encode())
        bad = self.folder / "bad\x1b[2J\u202e\n::x.zst"
        bad.write_bytes(b"nothing")
        commands = [["hp-export", command, self.archive, *options, "--no-record", "--quiet"] for command in ("records", "diff")
                    for options in ([], ["--format", "jsonl"], ["--format", "json"], ["--view", "people"], ["--view", "people", "--dialect", "excel"], ["-o", "-"])]
        commands += [["hp-export", "records", self.archive, "--history", "--no-record", "--quiet"], ["hp-export", "manifest", self.archive, "--no-record", "--quiet"], ["hp-export", "diff", self.archive, "--summary"],
                     ["hp-export", "report", self.archive, "-o", "-", "--no-record", "--quiet"], ["hp-export", "list", self.archive, "types", "--json"], ["hp-export", "list", self.archive, "types"],
                     ["hp-verify", "canonicalize", text], ["hp-verify", "bundle", bad, "--quiet"], ["hp-verify", "bundle", bad, "--json", "--quiet"], ["hp-verify", "archive", self.archive, "--quiet"]]
        for name, *words in commands:
            with self.subTest(words[:1] + words[2:]):
                shown = self.shown(tool(name), *words).decode("utf-8", "surrogateescape")
                self.assertTrue(shown)
                self.assertTrue(is_plain(re.sub("\x1b\\[(31|32|33|0)m", "", shown)), [character for character in shown if not is_plain(character)][:5])

    def test_a_file_and_a_pipe_get_the_exact_bytes(self):
        for options in ([], ["--format", "jsonl"], ["--view", "people"]):
            with self.subTest(options):
                file = self.folder / "out"
                self.assert_good(hp_export("records", self.archive, *options, "-o", file, "--no-record", "--quiet", "--force"))
                piped = self.assert_good(hp_export("records", self.archive, *options, "-o", "-", "--no-record", "--quiet")).out
                self.assertEqual(piped, file.read_bytes())
                self.assertFalse(is_plain(piped.decode()))
                # And but for what it cannot have, the terminal shows the same.
                plain = lambda text: re.sub(r"\\x[0-9a-f]{2}|[^ -~]", "", text)
                shown = self.shown(tool("hp-export"), "records", self.archive, *options, "--no-record", "--quiet")
                self.assertEqual(plain(shown.decode()), plain(piped.decode()))


def parts_that_are_formulas(data, delimiter, quoted):
    """The cells that begin like a formula, as a program splits the file that knows quotes or does not, and that drops blanks or does not."""
    text = data.decode("utf-8-sig")
    if quoted:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        cells = [cell for row in rows for cell in row]
    else:
        cells = re.split("[\r\n%s]" % re.escape(delimiter), text)
    return [cell for cell in cells if cell.lstrip(' "').startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20"))]


class Spreadsheets(ReportCase):
    def test_no_cell_begins_like_a_formula_at_whichever_delimiter_a_file_is_split(self):
        chance = random.Random(11)
        pieces = [";", ",", "|", "\t", "\n", "\r\n", "\r", "=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1", " ", '"', '""', "'", "a", "b c"]
        builder = Builder(self.archive, 2, (STEPS,))
        texts = ["x;=1+1", "x,=1+1", "x\t=1", "x|=1", 'x;"=1"', "x; =1", "x\n=1", " =1", ";=1", "=1;=2", "'=1;=2", "\uff1d1;\uff0d1", 'x,"" =1'] + ["".join(chance.choices(pieces, k=chance.randrange(1, 9))) for _ in range(300)]
        for number in range(len(texts)):
            builder.record(number * 600, number * 600 + 30, 1.0)
        builder.close()
        with database(self.archive) as connection:
            for (row,), text in zip(connection.execute("SELECT id FROM sample_versions ORDER BY id").fetchall(), texts):
                connection.execute("UPDATE sample_versions SET unit = ? WHERE id = ?", (text, row))
        for dialect in ([], ["--dialect", "excel"]):
            file = self.folder / "view.csv"
            self.assert_good(hp_export("records", self.archive, "--view", "people", *dialect, "-o", file, "--force", "--no-record", "--quiet"))
            for delimiter in ",;\t|":
                for quoted in (True, False):
                    with self.subTest(dialect, delimiter=delimiter, quoted=quoted):
                        self.assertEqual(parts_that_are_formulas(file.read_bytes(), delimiter, quoted), [])
            self.assertEqual(hp_verify("bundle", file, "--quiet").status, 0)
            import verify_bundle
            with open(file, "rb") as opened:
                self.assertEqual(verify_bundle.verify(opened, file.name, pathlib.Path(str(file) + "-metadata.json").read_bytes())["result"], "ok")

    def test_a_cell_that_is_a_formula_behind_a_delimiter_is_found(self):
        import verify_bundle
        builder = Builder(self.archive, 2, (STEPS,))
        builder.record(0, 30, 1.0)
        builder.close()
        for unit in ("ab;cd", "ab|cd", "ab\tcd", 'ab;"cd'):
            execute(self.archive, "UPDATE sample_versions SET unit = '%s'" % unit)
            file = self.folder / "view.csv"
            self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", file, "--force", "--no-record", "--quiet"))
            for edited in ("=d", "-d", "@d", "+d"):
                changed = self.folder / "changed.csv"
                data = file.read_bytes().replace(b"cd", edited.encode(), 1)
                sidecar = json.loads(pathlib.Path(str(file) + "-metadata.json").read_bytes())
                sidecar["url"] = changed.name
                sidecar["urn:healthprobe:report"]["sha256"] = hashlib.sha256(data).hexdigest()
                changed.write_bytes(data)
                pathlib.Path(str(changed) + "-metadata.json").write_text(json.dumps(sidecar, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n")
                told = json.loads(hp_verify("bundle", changed, "--json", "--quiet").out)["files"][0]
                with self.subTest(unit, edited=edited):
                    self.assertIn("line.cell", [finding["code"] for finding in told["findings"]])
                    with open(changed, "rb") as opened:
                        other = verify_bundle.verify(opened, changed.name, pathlib.Path(str(changed) + "-metadata.json").read_bytes())
                    self.assertIn("line.cell", [finding["code"] for finding in other["findings"]])


def is_command(line):
    """Whether GitHub's runner takes a line of a log for a command: `::` at its beginning, or `##[` anywhere."""
    return line.lstrip().startswith("::") or "##[" in line


class BuildServers(ReportCase):
    NAMES = ["::stop-commands::x.zst", " ::error::x.zst", "x\n::set-output name=a::b.zst", "x\r::error::y.zst", "##[error]x.zst", "x##[warning]y.zst", "\u00a0::error::z.zst", "\u2028::error::z.zst",
             "a\x1b[2Jb.zst", "::add-mask::\n::x.zst", "`|<img src=x onerror=alert(1)>`.zst", "-o.zst", "[x](http:y).zst", "\u202egnp.zst"]

    def setUp(self):
        super().setUp()
        self.fixture()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "good.zst", "--quiet"))
        self.place = self.folder / "place"
        self.place.mkdir()
        for number, name in enumerate(self.NAMES):
            data = (self.folder / "good.zst").read_bytes()
            (self.place / name).write_bytes(data if number % 2 else data[:-30])

    def assert_no_command(self, text):
        for line in re.split("[\n\r]", text):
            self.assertFalse(is_command(line), line)

    def test_no_name_of_a_file_is_a_command(self):
        names = [name if not name.startswith("-") else "./" + name for name in self.NAMES]
        missing = [name + ".missing" for name in names]
        for words in (["bundle", *names], ["bundle", *names, *missing, "--json"], ["bundle", *missing], ["bundle", *names, "--jobs", "3"], ["compare", *names[:2]], ["history", *names], ["salvage", *names, "-o", names[0] + ".saved"],
                      *(["archive", name] for name in names), *(["reproduce", name] for name in names), *([name] for name in names), *(["explain", name] for name in names),
                      *(["bundle", names[1], "--" + name] for name in names)):
            with self.subTest(words[:2]):
                result = hp_verify(*words, cwd=self.place)
                self.assert_no_command(result.out.decode() + "\n" + result.err)
        for name in names:
            for words in (["list", name, "types"], ["bundle", self.archive, "-o", name], ["records", name], ["list", self.archive, name], ["records", self.archive, "--type", name], ["capture", name, "--feed", name]):
                result = hp_export(*words, cwd=self.place)
                self.assertEqual(result.status, 2, result)
                self.assert_no_command(result.out.decode() + "\n" + result.err)

    def test_a_report_for_build_servers_has_every_file_by_a_name_of_one_line(self):
        names = [name if not name.startswith("-") else "./" + name for name in self.NAMES]
        hp_verify("bundle", *names, "--junit", self.folder / "results.xml", cwd=self.place)
        text = (self.folder / "results.xml").read_text("utf-8")
        self.assert_no_command(text)
        cases = xml.etree.ElementTree.fromstring(text).findall("./testsuite/testcase")
        self.assertEqual(len(cases), len(names))
        for case in cases:
            self.assertTrue(is_command(case.get("name")) is False and is_plain(case.get("name")) and "\n" not in case.get("name"))

    def test_the_action_says_no_name_as_a_command_or_as_markup(self):
        summary, outputs = self.folder / "summary", self.folder / "outputs"
        for tools in (str(TOOLS), ""):
            for path in (summary, outputs):
                path.write_text("")
            environment = {"PATH": ":".join(filter(None, [tools, os.path.dirname(sys.executable), "/usr/bin", "/bin"])), "LC_ALL": "C.UTF-8", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs)}
            process = subprocess.run([ROOT / "Scripts" / "verify-repository", "--", "*.zst"], cwd=self.place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
            self.assertEqual(process.returncode, 1, process.stdout)
            self.assert_no_command(process.stdout.decode())
            rows = summary.read_text("utf-8").splitlines()
            self.assertEqual(len(rows), 2 + len(self.NAMES), rows)
            for row in rows[2:]:
                self.assertRegex(row, r"\A\| (`[\w ._/=+,-]+`|<code>([\w /-]|&#\d+;|&#92;x[0-9a-f]+)+</code>) \| (valid|\*\*invalid\*\*|\*\*not checked\*\*) \|\Z")
            self.assertEqual(outputs.read_text().split(), ["checked=%d" % len(self.NAMES), "invalid=%d" % ((len(self.NAMES) + 1) // 2)])
        process = subprocess.run([ROOT / "Scripts" / "verify-repository", "none\n::error::x/*.zst"], cwd=self.place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(process.returncode, 2)
        self.assert_no_command(process.stdout.decode())


if __name__ == "__main__":
    unittest.main()
