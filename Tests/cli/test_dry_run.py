"""`hp-export capture --dry-run`: says what the capture would, and changes nothing."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import time
import unittest

from capture_support import CaptureCase, deleted, feed, observation, sample, start_with_input, type_run
from support import ENVIRONMENT, PATIENCE, hp_export, schemas, start, tool
from test_guards import beats, export, steps


def tree(folder):
    """Everything in a folder, the folder itself included: its bytes and the times of its last change."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.stat()
        found[str(path)] = (status.st_ino, status.st_mode, status.st_mtime_ns, status.st_ctime_ns, path.read_bytes() if path.is_file() else None)
    return found


def wait_until(is_reached):
    end = time.monotonic() + PATIENCE
    while not is_reached():
        assert time.monotonic() < end, "never reached"
        time.sleep(0.01)


class DryRun(CaptureCase):
    def setUp(self):
        super().setUp()
        self.home, self.scratch = self.folder / "home", self.folder / "scratch"
        self.home.mkdir()
        self.scratch.mkdir()
        self.archive = self.home / "archive.sqlite"
        self.environment = {**ENVIRONMENT, "TMPDIR": str(self.scratch)}
        self.environment.pop("SQLITE_TMPDIR", None)

    def run_capture(self, content, *options):
        option = "--feed" if content.startswith(b'{"') else "--apple-health"
        return hp_export("capture", self.archive, option, self.written(content, "input"), "--json", "--verbose", *options, env=self.environment)

    def dry(self, content, *options):
        """A dry run, which changes nothing in the archive's folder and leaves nothing in that of temporary files."""
        before = tree(self.home)
        result = self.run_capture(content, *options, "--dry-run")
        self.assertEqual(tree(self.home), before)
        self.assertEqual(self.names(self.scratch), [])
        return result

    def assert_foretold(self, content, *options, status=0):
        """The dry run says what the real one then does: result, notes and exit status."""
        dry = self.dry(content, *options)
        real = self.run_capture(content, *options)
        self.assertEqual(real.status, status, real)
        self.assertEqual(dry.status, real.status, dry)
        # Nothing is kept that a head could be of.
        notes = [line for line in real.err.splitlines()
                 if "a new archive secret" not in line and not re.search("note: (archive|length|link) [0-9a-f]+$", line)]
        self.assertEqual([line for line in dry.err.splitlines() if "dry run" not in line], notes)
        if status < 2:
            self.assertIn("archive.sqlite: dry run: nothing was kept", dry.err)
            said, done = json.loads(dry.out), json.loads(real.out)
            self.assertEqual((said.pop("dry_run"), done.pop("dry_run")), (True, False))
            done.pop("head", None)
            self.assertEqual(said, done)
            schemas.validator("capture-result").validate(json.loads(dry.out))
        return real

    def test_exports(self):
        self.assert_foretold(export(1, *beats(*range(10)), *steps(*range(10))))
        self.assert_foretold(export(2, *beats(*range(2, 12)), *steps(*range(9))))
        # The same again is compared, and one that is cut off is partial.
        self.assert_foretold(export(2, *beats(*range(2, 12)), *steps(*range(9))))
        self.assert_foretold(export(3, *beats(*range(14)), end=""), status=1)

    def test_feeds(self):
        first = observation(1, type_run([sample(1), sample(2, 1)], end={"anchor_after": "AAAB"}))
        second = observation(2, type_run([sample(3, 2), deleted(1)], mode="anchored", anchor_before="AAAB", end={"anchor_after": "AAAC"}))
        broken = observation(3, type_run([sample(4, 3)], mode="anchored", anchor_before="AAAA"))
        self.assert_foretold(feed(first))
        self.assert_foretold(feed(first, second))
        self.assert_foretold(feed(broken), status=1)
        # An observation that is sent twice in one feed is compared with what the dry run itself would keep.
        self.assert_foretold(feed(observation(4, type_run([sample(9)])), observation(4, type_run([sample(9)]))))

    def test_a_feed_into_a_new_archive_with_an_observation_sent_twice(self):
        twice = observation(1, type_run([sample(1)]))
        self.assert_foretold(feed(twice, twice))

    def test_an_interrupted_observation_is_gone_on_with(self):
        whole = feed(observation(1, type_run([sample(1)], [sample(2, 1)])))
        cut = b"\n".join(whole.split(b"\n")[:5]) + b"\n"
        self.assert_foretold(cut, status=1)
        self.assert_foretold(whole)

    def test_guards(self):
        self.assert_foretold(export(1, *beats(*range(10))))
        self.assert_foretold(export(2, *beats(50)), status=2)
        self.assert_foretold(export(2, *beats(*range(10)), born="1990-01-02"), status=2)
        self.assert_foretold(export(2), status=2)
        self.assert_foretold(export(2, *beats(50)), "--accept-disappearances")
        (self.home / "archive.sqlite.secret").unlink()
        self.assert_foretold(export(3, *beats(50)), status=2)
        self.assert_foretold(export(3, *beats(50)), "--new-chain")

    def test_errors(self):
        self.assert_foretold(b"<HealthData/>", status=2)
        self.assert_foretold(feed([{"kind": "observation"}]), status=2)
        self.archive.unlink(missing_ok=True)
        self.archive.write_bytes(b"no database" * 100)
        self.assert_foretold(export(1, *beats(1)), status=2)

    def test_an_archive_with_a_log(self):
        """What was committed and is not in the main file yet belongs to the archive."""
        self.assertEqual(self.run_capture(export(1, *beats(*range(10)))).status, 0)
        with contextlib.closing(sqlite3.connect(self.archive)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM samples").fetchone()
            self.assertEqual(self.run_capture(export(2, *beats(*range(11)))).status, 0)
            self.assertTrue(pathlib.Path(str(self.archive) + "-wal").stat().st_size)
            said = self.dry(export(3, *beats(*range(12))))
        counts = json.loads(said.out)["observations"][0]
        self.assertEqual((counts["appeared"], counts["unchanged"], counts["observation_id"]), (1, 11, 3))

    def test_a_prototype_stays_where_it_is(self):
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            connection.executescript("CREATE TABLE snapshots(id INTEGER PRIMARY KEY); INSERT INTO snapshots VALUES (1);")
        self.assertEqual(self.dry(export(1, *beats(1))).status, 2)
        result = self.dry(export(1, *beats(1)), "--reset-prototype")
        self.assertEqual(result.status, 0, result)
        self.assertIn("the prototype would be moved aside", result.err)
        self.assertEqual(json.loads(result.out)["observations"][0]["appeared"], 1)

    def test_a_capture_at_work_is_waited_for(self):
        writer = start_with_input("capture", self.archive, "--feed", "-", "--secret", self.secret)
        lock = self.home / ".archive.sqlite.capture"
        try:
            writer.stdin.write(feed(observation(1, type_run([sample(1)]))))
            writer.stdin.flush()
            wait_until(lambda: lock.exists() and self.archive.exists())
            result = self.run_capture(feed(observation(2, type_run([sample(1)]))), "--dry-run", "--wait", "0", "--secret", self.secret)
            self.assert_refused(result, "another capture is running")
            path = self.written(feed(observation(2, type_run([sample(1)]))))
            waiting = start("hp-export", "capture", self.archive, "--feed", path, "--secret", self.secret, "--dry-run",
                            stdout=subprocess.PIPE)
            self.addCleanup(waiting.kill)
            self.assertIn(b"archive.sqlite: locked by another process, waiting", waiting.stderr.readline())
        finally:
            writer.communicate()
        waiting.communicate(timeout=PATIENCE)
        self.assertEqual(waiting.returncode, 0)

    def test_a_dry_run_that_is_killed_leaves_its_scratch_to_the_next(self):
        self.assertEqual(self.run_capture(export(1, *beats(1))).status, 0)
        before = tree(self.home)
        process = subprocess.Popen([tool("hp-export"), "capture", self.archive, "--feed", "-", "--dry-run", "--secret", self.secret],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        process.stdin.write(feed(observation(1, type_run([sample(1)])))[:150])
        process.stdin.flush()
        # A folder without its marker holds nothing yet, and stays: it may be somebody else's.
        wait_until(lambda: any(pathlib.Path(os.fsdecode(self.scratch), os.fsdecode(name), "archive.sqlite").exists() for name in self.names(self.scratch)))
        process.kill()
        process.communicate()
        self.assertEqual(tree(self.home), before)
        self.assertEqual(self.dry(export(2, *beats(1))).status, 0)

    def test_nothing_is_opened_to_be_written_outside_of_the_scratch_folder(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        self.assertEqual(self.run_capture(export(1, *beats(1))).status, 0)
        trace = self.folder / "trace"
        for content in (export(2, *beats(1, 2)), feed(observation(1, type_run([sample(1)])))):
            path = self.written(content, "input")
            subprocess.run(["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,link,linkat,ftruncate", tool("hp-export"),
                            "capture", self.archive, "--feed" if content.startswith(b'{"') else "--apple-health", path, "--dry-run", "--quiet"],
                           env=self.environment, check=True)
            written = [line for line in trace.read_text().splitlines() if ("O_RDWR" in line or "O_WRONLY" in line or "O_CREAT" in line or "open" not in line) and str(self.home) in line]
            self.assertEqual(written, [])


if __name__ == "__main__":
    unittest.main()
