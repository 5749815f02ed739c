"""What comes from before and from elsewhere: archives of other engines (Fixtures/frozen), and what builds before the first
release made (Spec/README.md, Versions), which nothing reads."""

import json
import shutil
import subprocess
import unittest

from capture_support import CaptureCase, dump, feed, findings, observation, sample, type_run
from support import ENVIRONMENT, FIXTURES, execute, hp_export, hp_verify, run, takes_long, tool, vectors

import verify_bundle

FROZEN = FIXTURES / "frozen"
NEXT = feed(observation(9, type_run([sample(4, 9)])))
REFUSAL = "made by an unreleased build, format %d: capture the exports again"


class Frozen(CaptureCase):
    def thawed(self, to=None):
        shutil.copyfile(FROZEN / "four-status.sqlite", to or self.archive)
        (to or self.archive).chmod(0o600)
        return self.archive

    def capture_next(self):
        """Captures what follows, as the reference does into a copy."""
        self.thawed(self.plain)
        return self.both("--feed", NEXT, accepted=["new-chain"])

    def test_it_is_read_as_ever(self):
        before = self.thawed().read_bytes()
        self.assert_good(hp_verify("archive", self.archive))
        for kind in ("observations", "types", "changes", "exports", "context", "rejected", "withheld"):
            self.assert_good(hp_export("list", self.archive, kind))
        self.assertEqual(self.archive.read_bytes(), before)

    def test_it_is_captured_into(self):
        self.thawed()
        last, = self.rows("SELECT max(id) FROM observations")[0]
        path = self.written(NEXT)
        self.assert_refused(self.hp_capture("--feed", path, "--quiet"), "is the secret of another chain")  # nobody has its secret
        self.assertIn(self.hp_capture("--feed", path, "--quiet", "--new-chain").status, (0, 1))
        self.assertEqual(self.rows("SELECT max(id) FROM observations"), [(last + 1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM context_log WHERE event_kind = 'extension_added' AND detail_json LIKE '%capture_facts%'"), [(1,)])
        # What was observed then has no facts, and none are made up.
        self.assertEqual(self.rows("SELECT DISTINCT observation_id FROM observation_facts"), [(last + 1,)])
        self.assert_good(hp_verify("archive", self.archive))
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "new.zst"))
        self.assert_good(hp_verify("bundle", self.folder / "new.zst", "--archive", self.archive))
        self.assert_good(hp_verify("reproduce", self.archive))

    def test_what_follows_is_captured_as_the_reference_does_and_taken_back(self):
        self.thawed()
        before = dump(self.archive)
        self.capture_next()
        self.assertNotEqual(dump(self.archive), before)
        self.assert_good(hp_verify("archive", self.archive))
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        # The observation that was begun there was ended, and stays so.
        kept = lambda lines: [line for line in lines if not line.startswith(("observations ", "observation_type_", "daily_type_aggregates "))]
        self.assertEqual(kept(dump(self.archive)), kept(before))
        self.assertEqual(self.rows("SELECT status FROM observations WHERE id = 6"), [("partial_interrupted",)])
        self.assert_good(hp_verify("archive", self.archive))

    def test_what_was_captured_then_can_be_taken_back(self):
        self.thawed()
        before = set(findings(self.archive))
        (last, observed_at), = self.rows("SELECT id, observed_at FROM observations ORDER BY id DESC LIMIT 1")
        self.assert_good(hp_export("undo", self.archive, "--quiet"))
        self.assertEqual(self.rows("SELECT observation_id, observed_at FROM withdrawn_observations"), [(last, observed_at)])
        for table in ("observation_type_runs", "sample_observation_events", "observation_type_summaries", "daily_type_aggregates"):
            self.assertEqual(self.rows("SELECT count(*) FROM %s WHERE observation_id = ?" % table, last), [(0,)], table)
        self.assertLessEqual(set(findings(self.archive)), before)
        self.assert_good(hp_verify("archive", self.archive))

    def log(self):
        """What the context log is about; of captures it says how often they were gone on with."""
        has_log, = self.rows("SELECT count(*) FROM sqlite_master WHERE name = 'context_log'")[0]
        return self.rows("SELECT event_kind, detail_json FROM context_log WHERE event_kind NOT LIKE 'capture%' ORDER BY 1, 2") if has_log else []

    @takes_long
    def test_a_kill_at_any_write_leaves_the_archive_as_before_or_after(self):
        """A migration is one transaction with its entry in the log, and so is a beginning: where one is not there, nothing is."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        path, accepted = self.written(NEXT), ["--new-chain"]
        self.thawed()
        self.assertEqual(self.hp_capture("--feed", path, "--quiet", *accepted).status, 0)
        expected = self.log()
        for when in range(1, 64):
            with self.subTest(when=when):
                self.renew()
                self.thawed()
                subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=%d" % when,
                                tool("hp-export"), "capture", self.archive, "--feed", path, "--secret", self.secret, "--quiet", *accepted], capture_output=True, env=ENVIRONMENT)
                stated = self.rows("SELECT count(*) FROM archive_metadata WHERE key = 'extension:capture_facts'")[0][0]
                tables = self.rows("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('type_run_facts', 'withdrawn_observations')")[0][0]
                migrations = self.rows("SELECT count(*) FROM schema_migrations WHERE version < 0 AND description LIKE '%capture_facts%'")[0][0]
                self.assertEqual((tables, migrations), (2 * stated, stated))
                self.assertEqual(self.hp_capture("--feed", path, "--quiet", *accepted).status, 0)
                self.assertEqual(self.log(), expected)
                self.assert_good(hp_verify("archive", self.archive))


class Unreleased(CaptureCase):
    """What builds before the first release made is refused as a whole: exit status 2, nothing said of it, nothing written."""

    def test_a_file_is_refused_in_every_container(self):
        for vector in vectors.REFUSED:
            with self.subTest(vector.name):
                said = "%s: %s" % (vector.path, vector.error)
                result = hp_verify("bundle", vector.path)
                self.assert_refused(result, said, name="hp-verify")
                self.assertEqual(result.err, "hp-verify: error: %s\n" % said)
                result = hp_verify("bundle", vector.path, "--json", "--junit", self.folder / "junit.xml", "--force")
                self.assertEqual(json.loads(result.out), {"files": [{"error": said, "file": str(vector.path), "result": "failed"}]})
                self.assertIn('errors="1"', (self.folder / "junit.xml").read_text())
                for other in (vector.path, vectors.path("good-minimal")):
                    self.assert_refused(hp_verify("compare", other, vector.path), said, name="hp-verify")
                self.assert_refused(hp_verify("salvage", vector.path, "-o", self.folder / "salvaged.zst"), said, name="hp-verify")
                self.assertEqual(sorted(path.name for path in self.folder.glob("salvaged*")), [])

    def test_of_many_files_the_others_are_verified(self):
        paths = [vectors.path("good-minimal"), vectors.REFUSED[0].path, vectors.path("item-hash")]
        result = hp_verify("bundle", *paths, "--json")
        self.assertEqual((result.status, [file["result"] for file in json.loads(result.out)["files"]]), (2, ["ok", "failed", "findings"]))
        copies = hp_verify("salvage", paths[0], paths[1], "-o", self.folder / "both.zst")
        self.assert_refused(copies, vectors.REFUSED[0].error, name="hp-verify")
        self.assertFalse((self.folder / "both.zst").exists())

    def test_every_number_of_a_version_is_told_apart(self):
        """1 and 2 were written by builds; any other number but 3 is another tool's, and a finding."""
        numbers = [b"0", b"-1", b"1", b"2", b"4", b"1.5", b"2.5", b"3.5", b"1e+21", b"9007199254740991", b"1e-7"]
        names = [vector for vector in vectors.ALL if vector.result == "ok" and vector.container in ("lines", "envelope") and vector.path.stat().st_size < 1 << 16]
        self.assertGreater(len(names), 20)
        for place, vector in enumerate(names):
            data = vector.path.read_bytes()
            first, old = data.split(b"\n")[0], b'"format_version":3,'
            self.assertEqual(first.count(old), 1, vector.name)
            for number in numbers[place % 3::3]:
                path = self.written(data.replace(old, b'"format_version":%s,' % number, 1), vector.path.name)
                result = hp_verify("bundle", path, "--json")
                (file,) = json.loads(result.out)["files"]
                try:
                    with open(path, "rb") as opened:
                        specified = {finding["code"] for finding in verify_bundle.verify(opened, path.name)["findings"]}
                except verify_bundle.UnreleasedFormat as error:
                    specified = str(error)
                if number in (b"1", b"2"):
                    self.assertEqual((result.status, file["error"]), (2, "%s: %s" % (path, REFUSAL % int(number))), vector.name)
                    self.assertEqual(specified, REFUSAL % int(number))
                else:
                    self.assertEqual((result.status, {finding["code"] for finding in file["findings"]}), (1, {"shape.format_version"}), (vector.name, number))
                    self.assertEqual(specified, {"shape.format_version"})

    def test_an_archive_of_other_rules_is_refused_by_every_command(self):
        self.assertEqual(self.hp_capture("--feed", self.written(NEXT), "--quiet").status, 0)
        for statement, words in (("UPDATE archive_metadata SET value = '1' WHERE key = 'identity_rules'", "made by an unreleased build (identity rules 1): capture the exports again"),
                                 ("INSERT INTO schema_migrations VALUES (3, 0, 'of the future')", None),
                                 ("UPDATE archive_metadata SET value = '3' WHERE key = 'schema_version'", "schema version 3 is newer")):
            execute(self.archive, statement)
            if words is None:
                continue
            before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
            for name, *arguments in (("hp-export", "bundle", self.archive, "-o", self.folder / "x"), ("hp-export", "list", self.archive, "types"), ("hp-verify", "archive", self.archive),
                                     ("hp-export", "records", self.archive, "-o", self.folder / "x.csv"), ("hp-export", "undo", self.archive), ("hp-export", "repair", self.archive, "--ranges"),
                                     ("hp-export", "check", self.archive), ("hp-export", "seal", self.archive), ("hp-verify", "reproduce", self.archive),
                                     ("hp-verify", "bundle", vectors.path("good-minimal"), "--archive", self.archive),
                                     ("hp-export", "capture", self.archive, "--feed", self.folder / "feed.jsonl", "--secret", self.secret, "--reset-prototype")):
                with self.subTest(words=words, command=arguments[0]):
                    self.assert_refused(run(name, *arguments), "%s: %s" % (self.archive, words), name=name)
                    self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


if __name__ == "__main__":
    unittest.main()
