"""An export that ends anywhere, by kill -9 or by a failing system call: the next run comes to the same end as if nothing had happened."""

import os
import random
import re
import shutil
import subprocess
import time
import unittest

from support import (
    ENVIRONMENT, PATIENCE, STRACE, can_trace, Case, database, held, hp_export, hp_verify, publication_token, query, Run, start,
    takes_long, tool,
)

class Crash(Case):
    def prepare(self, samples, journal):
        """The archive as it is at the start, the command's result, and how long it takes."""
        self.path = self.generated(samples, to="original.sqlite", journal=journal)
        self.work = self.folder / "work"
        self.archive, self.out = self.work / "archive.sqlite", self.work / "out.zst"
        self.renew()
        begin = time.monotonic()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.out))
        self.duration = time.monotonic() - begin
        self.expected = self.out.read_bytes()

    def renew(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        shutil.copyfile(self.path, self.archive)

    def assert_half_way(self):
        """Whatever happened: under the final name is nothing or the whole bundle, and never without its record."""
        if self.out.exists():
            self.assertEqual(self.out.read_bytes(), self.expected)
        self.assertLessEqual(set(self.names(self.work)) - {b"archive.sqlite", b"archive.sqlite-wal", b"archive.sqlite-shm", b"archive.sqlite-journal", b"out.zst"},
                             {name for name in self.names(self.work) if re.fullmatch(rb"\.out\.zst\..*\.partial", name)})

    def assert_converges(self):
        self.assert_half_way()
        was_there = self.out.exists()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.out, "--force"))
        self.assertEqual(self.out.read_bytes(), self.expected)
        self.assertEqual(self.names(self.work), [b"archive.sqlite", b"out.zst"])
        self.assert_settled(self.archive, exports=1)
        self.assertEqual(query(self.archive, "PRAGMA integrity_check"), [("ok",)])
        return was_there

    @takes_long
    def test_kill_at_any_time(self):
        chance = random.Random(20)
        for journal, attempts in (("wal", 14), ("delete", 8)):
            self.prepare(20_000, journal)
            for attempt in range(attempts):
                delay = self.duration * 1.1 * (attempt + chance.random()) / attempts
                with self.subTest(journal=journal, delay=round(delay, 4)):
                    self.renew()
                    process = start("hp-export", "bundle", self.archive, "-o", self.out)
                    try:
                        process.wait(delay)
                    except subprocess.TimeoutExpired:
                        process.kill()
                    process.communicate()
                    self.assert_converges()

    def trace(self, calls, injection, *options, is_renewed=True, path=None):
        """Runs an export whose N-th call of a kind, or of those that name a path, is met by a fault."""
        if is_renewed:
            self.renew()
        command = [STRACE, "-f", "-qq", "-o", str(self.folder / "trace"), "-e", "trace=" + calls, "-e", "inject=%s:%s" % (calls, injection)]
        command += ["-P", str(path)] if path else []
        command += [tool("hp-export"), "bundle", str(self.archive), "-o", str(self.out), *options]
        return Run(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE))

    @takes_long
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_kill_at_every_step_of_publishing(self):
        for journal in ("wal", "delete"):
            self.prepare(200, journal)
            killed = 0
            for call in ("fsync,fdatasync", "rename,renameat,renameat2,link,linkat", "unlink,unlinkat", "ftruncate", "openat", "pwrite64"):
                number = 0
                while True:
                    # Every file that is written is small here, yet a few dozen pages are: look at each of the first and then at some.
                    number += 1 if number < 12 else 5
                    with self.subTest(journal=journal, call=call, number=number):
                        result = self.trace(call, "signal=KILL:when=%d" % number)
                        self.assertIn(result.status, (0, -9, 137), result)
                        killed += result.status != 0
                        self.assert_converges()
                    if result.status == 0 or number > 200:
                        break
            self.assertGreater(killed, 10)

    @takes_long
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_every_failing_call_is_an_error(self):
        for journal in ("wal", "delete"):
            self.prepare(200, journal)
            for call, error in (("fsync,fdatasync", "EIO"), ("write", "ENOSPC"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("link,linkat,rename,renameat,renameat2", "EIO")):
                for number in range(1, 30):
                    with self.subTest(journal=journal, call=call, error=error, number=number):
                        result = self.trace(call, "error=%s:when=%d" % (error, number))
                        done = "(INJECTED)" not in (self.folder / "trace").read_text(errors="replace")
                        self.assertIn(result.status, (0,) if done else (0, 2), result)
                        if result.status == 2 and call != "write":
                            self.assert_one_line(result)
                        if result.status == 0:
                            self.assertTrue(self.out.exists())
                        elif not query(self.archive, "SELECT id FROM export_manifests"):
                            # Before the commit point nothing is left. After it the file may keep its temporary name until the next run.
                            self.assertFalse([name for name in self.names(self.work) if b"out.zst" in name])
                        self.assert_converges()
                    if done:
                        break

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_a_name_that_cannot_be_given_is_given_by_the_next_start(self):
        """The export is recorded, so its file stays."""
        for journal in ("wal", "delete"):
            self.prepare(200, journal)
            with self.subTest(journal):
                self.renew()
                self.assert_refused(self.trace("link,linkat", "error=EIO"), "out.zst", "input/output error")
                self.assertEqual(len([name for name in self.names(self.work) if name.endswith(b".partial")]), 1)
                self.assertIn("out.zst: completed an export", hp_export("bundle", self.archive, "-o", "-").err)
                self.assertEqual(self.out.read_bytes(), self.expected)
                self.assert_converges()

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_a_file_that_still_waits_for_its_name_stays_beside_the_next_export_to_it(self):
        """A recorded export has no name yet, and the next start cannot give it one either: its file is not taken for one of a dead process."""
        self.prepare(200, "wal")
        self.assert_refused(self.trace("link,linkat", "error=EIO"), "out.zst", "input/output error")
        (waiting,) = [name for name in self.names(self.work) if name.endswith(b".partial")]
        # Only a call that names the waiting file is met: strace counts the calls of each thread, and any may give the second name.
        result = self.trace("link,linkat", "error=EIO", "--at", "1", is_renewed=False, path=self.work / os.fsdecode(waiting))
        self.assert_good(result)
        self.assertIn("is not completed: ", result.err)
        self.assertNotEqual(self.out.read_bytes(), self.expected)
        self.assertEqual(self.names(self.work), sorted([waiting, b"archive.sqlite", b"out.zst"]))
        self.assertEqual((self.work / os.fsdecode(waiting)).read_bytes(), self.expected)
        self.out.unlink()
        self.assertIn("out.zst: completed an export", hp_export("bundle", self.archive, "-o", "-").err)
        self.assertEqual(self.out.read_bytes(), self.expected)
        self.assertEqual(self.names(self.work), [b"archive.sqlite", b"out.zst"])
        self.assert_settled(self.archive, exports=2)

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_a_file_that_cannot_be_locked_is_not_left(self):
        self.prepare(200, "wal")
        self.renew()
        self.assert_refused(self.trace("flock", "error=ENOLCK"), "no locks available")
        self.assertEqual(self.names(self.work), [b"archive.sqlite"])
        self.assert_settled(self.archive, exports=0)
        self.assert_converges()

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_a_commit_that_failed_beside_a_reader_keeps_the_file(self):
        """What the log holds cannot be thrown away then, so that nobody knows whether the export is recorded."""
        self.prepare(200, "wal")
        self.renew()
        written = "INSERT INTO archive_metadata VALUES ('test', 'in the log')"
        with held(self.archive, written, "BEGIN", "SELECT count(*) FROM samples"):
            result = self.trace("pwrite64", "error=EIO:when=1", "--wait", "0", is_renewed=False)
        self.assert_refused(result, "archive.sqlite: disk I/O error")
        self.assertEqual(len([name for name in self.names(self.work) if name.endswith(b".partial")]), 1)
        self.assert_converges()

    @takes_long
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_interrupted_calls_are_repeated(self):
        self.prepare(200, "wal")
        for call in ("write", "fsync", "pwrite64"):
            for number in range(1, 6):
                with self.subTest(call=call, number=number):
                    self.assert_good(self.trace(call, "error=EINTR:when=%d" % number))
                    self.assert_converges()

    def test_a_run_that_was_stopped_after_the_commit_is_completed_by_the_next(self):
        """Puts an archive into the state between the commit and the renaming by hand."""
        self.prepare(200, "wal")
        for is_replacing in (False, True):
            with self.subTest(is_replacing):
                self.renew()
                self.assert_good(hp_export("bundle", self.archive, "-o", self.out))
                temporary = self.work / (".out.zst.%s.partial" % publication_token(self.archive))
                self.out.rename(temporary)
                key = "publish_intent:%s:%s" % (query(self.archive, "SELECT export_id FROM export_manifests")[0][0], temporary.name.encode().hex())
                value = "%s %s %s" % (os.fsencode(temporary).hex(), os.fsencode(self.out).hex(), "replace" if is_replacing else "new")
                with database(self.archive) as connection:
                    connection.execute("INSERT INTO archive_metadata VALUES (?, ?)", (key, value))
                result = self.assert_good(hp_export("bundle", self.archive, "-o", "-", "--at", "1"))
                self.assertIn("out.zst: completed an export", result.err)
                self.assertEqual(self.out.read_bytes(), self.expected)
                self.assertEqual(self.names(self.work), [b"archive.sqlite", b"out.zst"])
                self.assert_settled(self.archive, exports=2)

    def test_what_cannot_be_completed_does_not_stop_the_next_export(self):
        """The intent names a folder that is gone, or says nothing that can be understood."""
        self.prepare(200, "wal")
        gone = self.folder / "gone" / "out.zst"
        for key, value in (("publish_intent:a:b", "%s %s new" % (os.fsencode(str(gone) + ".partial").hex(), os.fsencode(gone).hex())), ("publish_intent:a:c", "what"), ("publish_intent:", "")):
            with self.subTest(key):
                self.renew()
                with database(self.archive) as connection:
                    connection.execute("INSERT INTO archive_metadata VALUES (?, ?)", (key, value))
                result = self.assert_good(hp_export("bundle", self.archive, "-o", self.out))
                self.assertEqual(self.out.read_bytes(), self.expected, result)

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_what_another_archive_recorded_is_not_removed(self):
        """An export that was killed after its commit, and another archive's export to the same name before the first archive is opened again."""
        self.prepare(200, "wal")
        other = self.folder / "other.sqlite"
        shutil.copyfile(self.path, other)
        for is_killed_late in (True, False):
            with self.subTest(is_killed_late):
                self.renew()
                result = self.trace("link,linkat" if is_killed_late else "fsync", "signal=KILL:when=1")
                self.assertNotEqual(result.status, 0, result)
                (temporary,) = [name for name in self.names(self.work) if name.endswith(b".partial")]
                self.assert_good(hp_export("bundle", other, "-o", self.out, "--at", "1", "--force"))
                self.assertEqual([name for name in self.names(self.work) if name.endswith(b".partial")], [temporary])
                self.out.unlink()
                if is_killed_late:
                    self.assert_good(hp_export("bundle", self.archive, "-o", "-"))
                    self.assertEqual(self.out.read_bytes(), self.expected)
                self.assert_converges()

    def test_what_dead_processes_left_beside_the_output_is_removed(self):
        self.prepare(200, "delete")
        self.renew()
        (self.work / ".out.zst.dead.partial").write_bytes(b"half")
        (self.work / ".other.zst.dead.partial").write_bytes(b"of somebody else")
        self.assert_good(hp_export("bundle", self.archive, "-o", self.out))
        self.assertEqual(self.names(self.work), [b".other.zst.dead.partial", b"archive.sqlite", b"out.zst"])
        (self.work / ".checks.xml.dead.partial").write_bytes(b"half")
        self.assert_good(hp_verify("bundle", self.out, "--junit", self.work / "checks.xml", "--quiet"))
        self.assertEqual(self.names(self.work), [b".other.zst.dead.partial", b"archive.sqlite", b"checks.xml", b"out.zst"])
        pages = self.work / "pages"
        pages.mkdir()
        (pages / ".index.html.dead.partial").write_bytes(b"half")
        self.assert_good(hp_export("report", self.archive, "--all", "-o", pages, "--quiet"))
        self.assertEqual([name for name in self.names(pages) if name.endswith(b".partial")], [])
        self.assertIn(b"index.html", self.names(pages))


if __name__ == "__main__":
    unittest.main()
