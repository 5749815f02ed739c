"""What happens beside a tool, at the worst moment: archives that move, captures, exports, locks of the stopped and the dead, signals, kills."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml

from system_support import IS_ROOT, LOGGED, makes, shim, SystemCase, writes
from capture_support import dump, feed, observation
from support import (
    ENVIRONMENT, INTENTS, NOBODY, PATIENCE, contents, execute, held, hp_export, hp_verify, lines_of,
    publication_token, query, Run, run_as_nobody, start, tool, trace_of,
)


class Others(SystemCase):
    """Other processes at the worst moment: a fault stops one, and the other acts."""

    def test_an_archive_that_is_moved_away_meanwhile(self):
        self.captured()
        before = contents(self.archive)
        for replacement in (None, b"another file"):
            for words, place in ((self.bundle_words(), makes(b".partial")), (self.capture_words(2), writes(b"archive.sqlite-wal"))):
                with self.subTest(words[1], replacement=replacement):
                    with self.paused(words, place) as process:
                        for suffix in ("", "-wal", "-shm"):
                            with contextlib.suppress(FileNotFoundError):
                                os.rename(str(self.archive) + suffix, str(self.folder / "moved") + suffix)
                        if replacement:
                            self.archive.write_bytes(replacement)
                    self.assert_one_line_at_end(self.end(process), "archive.sqlite: ", "moved away or replaced")
                    self.assertEqual([name for name in self.names() if name.endswith((b".partial", b".zst", b".capture"))], [])
                    if replacement:
                        self.assertEqual(self.archive.read_bytes(), replacement)
                    os.rename(self.folder / "moved", self.archive)
                    if words[1] == "bundle":
                        self.assertEqual(contents(self.archive), before)
                    for suffix in ("-wal", "-shm"):
                        pathlib.Path(str(self.folder / "moved") + suffix).unlink(missing_ok=True)
                    self.assert_good(self.capture(1))

    def test_a_capture_beside_a_long_export(self):
        """An export to a file has the write lock; one to a pipe has none, and says what was there when it began."""
        self.captured()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "before.zst", "--no-record"))
        with self.paused(self.bundle_words(), makes(b".partial")) as process:
            pass
        self.assert_good(self.end(process))
        os.unlink(self.folder / "out.zst")
        execute(self.archive, "DELETE FROM export_items", "DELETE FROM export_manifests")
        with self.paused(self.bundle_words(), writes(b".partial")) as process:
            self.assert_refused(self.capture(2, "--wait", "0"), "archive.sqlite: locked by another process")
            waiting = start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed", self.feeds / "2.jsonl", "--quiet")
            with self.assertRaises(subprocess.TimeoutExpired):
                waiting.wait(0.3)
        self.assert_good(self.end(process))
        self.assertEqual(waiting.wait(PATIENCE), 0, waiting.stderr.read())
        waiting.stderr.close()
        self.assertEqual((self.folder / "out.zst").read_bytes(), (self.folder / "before.zst").read_bytes())
        self.assertEqual(dump(self.archive), self.expected(1, 2))
        self.assert_settled(self.archive, exports=1)

    def test_a_capture_that_commits_during_an_export_to_a_pipe(self):
        path = self.generated(10_000, to="archive.sqlite")
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "before.zst", "--no-record"))
        process = start("hp-export", "bundle", path, "-o", "-", stdout=subprocess.PIPE)
        first = os.read(process.stdout.fileno(), 1)
        self.assert_good(self.capture(1, "--new-chain"))
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(first + out, (self.folder / "before.zst").read_bytes())
        self.assert_settled(path, exports=1)
        self.assert_good(hp_verify("bundle", self.folder / "before.zst", "--archive", path))

    def test_a_log_whose_writer_ends_during_an_export_to_a_pipe(self):
        """The export is the last to close the archive, and folds nothing into it that it did not write."""
        path = self.generated(10_000, to="archive.sqlite")
        log = pathlib.Path(str(path) + "-wal")
        with held(path, "UPDATE sample_types SET display_name = 'in the log' WHERE id = 1"):
            before = path.read_bytes(), log.read_bytes()
            process = start("hp-export", "bundle", path, "-o", "-", "--no-record", stdout=subprocess.PIPE)
            first = os.read(process.stdout.fileno(), 1)
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual((path.read_bytes(), log.read_bytes()), before)
        (self.folder / "out.zst").write_bytes(first + out)
        self.assertIn(b'"display_name":"in the log"', lines_of(self.folder / "out.zst")[0])

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_an_archive_that_nobody_had_open_and_that_changes_while_it_is_read(self):
        """A reader that may write nothing beside it holds no lock."""
        path = self.generated(10_000, to="archive.sqlite")
        copy = shutil.copy(tool("hp-export"), self.folder.parent)
        process = subprocess.Popen(
            [copy, "bundle", path, "-o", "-", "--no-record"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=ENVIRONMENT, user=NOBODY, group=NOBODY, extra_groups=[])
        os.read(process.stdout.fileno(), 1)
        execute(path, "UPDATE sample_types SET display_name = 'changed'")
        out, errors = process.communicate(timeout=PATIENCE)
        result = Run(subprocess.CompletedProcess([], process.returncode, out, errors))
        self.assert_one_line_at_end(result, "archive.sqlite: the archive changed during the export", "the output does not match the archive")
        self.assertIn("hint: delete the output and run it again", result.err)

    def test_a_record_that_appears_while_a_pipe_is_written(self):
        path = self.generated(10_000, to="archive.sqlite")
        process = start("hp-export", "bundle", path, "-o", "-", "--json", stdout=subprocess.PIPE)
        first = os.read(process.stdout.fileno(), 1)
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst"))
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(first + out, (self.folder / "out.zst").read_bytes())
        self.assertIn(b'"already_recorded":true', errors)
        self.assert_settled(path, exports=1)

    def test_a_record_of_other_evidence_that_appears_while_a_pipe_is_written(self):
        """The archive changed after the export began, and another process recorded the same export of what is there now."""
        path = self.generated(10_000, to="archive.sqlite")
        process = start("hp-export", "bundle", path, "-o", "-", stdout=subprocess.PIPE)
        os.read(process.stdout.fileno(), 1)
        execute(path, "UPDATE sample_versions SET unit = 'other' WHERE id = (SELECT max(version_id) FROM sample_visibility_ranges WHERE last_observation_id IS NULL)")
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst"))
        recorded = query(path, "SELECT * FROM export_manifests")
        out, errors = process.communicate(timeout=PATIENCE)
        self.assert_one_line_at_end(Run(subprocess.CompletedProcess([], process.returncode, out, errors)), recorded[0][1], "evidence changed")
        self.assertEqual(query(path, "SELECT * FROM export_manifests"), recorded)
        self.assert_settled(path, exports=1)

    def test_a_lock_of_a_stopped_process(self):
        """Whoever holds it may never come back: waiting ends, and says why."""
        self.captured()
        before = contents(self.archive)
        with held(self.archive, "BEGIN IMMEDIATE") as holder:
            holder.send_signal(signal.SIGSTOP)
            try:
                begin = time.monotonic()
                for result in (self.capture(2, "--wait", "1", "--quiet"), hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--wait", "1")):
                    self.assert_one_line_at_end(result, "archive.sqlite: locked by another process")
                self.assertLess(time.monotonic() - begin, 30)
                self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--no-record", "--wait", "0"))
            finally:
                holder.send_signal(signal.SIGCONT)
        self.assertEqual(contents(self.archive), before)
        # A capture that is stopped itself.
        with self.paused(self.capture_words(2), writes(b"archive.sqlite-wal")):
            self.assert_refused(self.capture(2, "--wait", "0", "--quiet"), "archive.sqlite: another capture is running")

    def test_a_lock_that_a_dead_process_left(self):
        self.captured()
        (self.folder / ".archive.sqlite.capture").write_bytes(b"")
        self.assert_good(self.capture(2, "--wait", "0"))
        self.assertEqual((dump(self.archive), self.names()), (self.expected(1, 2), [b"archive.sqlite", b"secret"]))

    def test_a_lock_that_is_no_file(self):
        self.captured()
        before = contents(self.archive)
        lock = self.folder / ".archive.sqlite.capture"
        lock.mkdir()
        self.assert_refused(self.capture(2, "--quiet"), ".archive.sqlite.capture: cannot open: is a directory")
        lock.rmdir()
        lock.symlink_to("elsewhere")
        for options in ((), ("--dry-run",)):
            self.assert_refused(self.capture(2, "--quiet", *options), ".archive.sqlite.capture: cannot open: too many")
        lock.unlink()
        self.assertEqual(contents(self.archive), before)
        self.assertEqual(self.names(), [b"archive.sqlite", b"secret"])

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_an_intent_whose_folder_may_not_be_looked_at(self):
        """It stays for another time, and does not stop the next export."""
        closed = self.folder.parent / "closed"
        closed.mkdir()
        self.captured()
        before = self.rows("SELECT count(*) FROM archive_metadata")
        temporary, destination = closed / (".out.zst.%s.partial" % publication_token(self.archive)), closed / "out.zst"
        temporary.write_bytes(b"bundle")
        execute(self.archive, "INSERT INTO archive_metadata VALUES ('publish_intent:x:y', '%s %s new')" % (os.fsencode(temporary).hex(), os.fsencode(destination).hex()))
        for path in (self.folder, self.archive):
            os.chown(path, NOBODY, NOBODY)
        closed.chmod(0)
        result = self.assert_good(run_as_nobody("hp-export", self.folder.parent, "bundle", self.archive, "-o", self.folder / "out.zst"))
        self.assertIn("is not completed: ", result.err)
        closed.chmod(0o755)
        self.assertEqual(self.names(closed), [temporary.name.encode()])
        self.assertEqual(self.rows("SELECT count(*) FROM archive_metadata"), [(before[0][0] + 1,)])
        self.assertIn("completed an export", self.assert_good(hp_export("bundle", self.archive, "-o", "-")).err)
        self.assertEqual(self.names(closed), [destination.name.encode()])
        self.assert_settled(self.archive, exports=1)


class Ends(SystemCase):
    """Processes that are ended, and what they leave."""

    def test_a_second_signal_ends_at_once_and_the_next_run_cleans_up(self):
        self.captured()
        expected = self.expected(1, 2)
        with self.paused(self.capture_words(2), writes(b"archive.sqlite-wal")) as process:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
        self.assertIn(self.end(process).status, (130, 143))
        self.assert_good(self.capture(2))
        self.assertEqual((dump(self.archive), self.names()), (expected, [b"archive.sqlite", b"secret"]))
        with self.paused(self.bundle_words(), writes(b".partial")) as process:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
        self.assertIn(self.end(process).status, (130, 143))
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst", b"secret"])
        self.assert_settled(self.archive, exports=1)

    def test_a_signal_at_the_end_of_an_observation_keeps_it_and_the_next_of_the_feed_does_not_begin(self):
        self.captured()
        (self.feeds / "2.jsonl").write_bytes(feed(observation(2), observation(3)))
        synchronized = []

        def is_end_of_the_second(operation):
            """The header of the log was synchronized, and the beginning of the observation: its end comes next."""
            if operation.kind == "S" and operation.name.endswith(b"-wal"):
                synchronized.append(operation)
            return operation.kind == "W" and operation.name.endswith(b"-wal") and len(synchronized) == 2
        with self.paused(self.capture_words(2), is_end_of_the_second) as process:
            process.send_signal(signal.SIGINT)
        result = self.end(process)
        self.assertEqual(result.status, 130, result)
        self.assertNotIn("error: ", result.err)
        self.assertEqual(self.rows("SELECT id, status FROM observations"), [(1, "completed"), (2, "completed")])
        self.assert_good(self.capture(2))
        found = self.rows("SELECT id, status FROM observations")
        self.assertEqual(found, [(number, "completed") for number in (1, 2, 3)])

    def test_a_signal_ends_a_rebuild_of_the_cache_and_the_old_one_stays(self):
        """It comes when the new file is begun: all rows are still to be written, by statements too short to be stopped themselves."""
        self.captured()
        self.assert_good(hp_export("cache", self.archive, "rebuild"))
        execute(self.archive, "WITH n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO observations(id, device_chain_id, observed_at, status, trigger_reason, schema_version) "
                              "SELECT n.i, device_chain_id, observed_at, 'running', 'manual', 2 FROM n, observations o WHERE o.id = 1")
        cache = self.folder / "archive.sqlite.cache"
        before, names = cache.read_bytes(), self.names()
        with self.paused([tool("hp-export"), "cache", "archive.sqlite", "rebuild"], makes(b".partial")) as process:
            process.send_signal(signal.SIGINT)
        result = self.end(process)
        self.assertEqual((result.status, result.out), (130, b""), result)
        self.assertEqual((cache.read_bytes(), self.names()), (before, names))

    def test_a_table_and_its_sidecar_wait_for_their_names_together(self):
        """Two files, two intents, one transaction: an export that is killed before one of the names is completed by the next export."""
        self.captured()
        table, sidecar = "out.csv", "out.csv-metadata.json"
        whole = self.folder.parent / "whole"
        whole.mkdir()
        self.assert_good(hp_export("records", self.archive, "-o", whole / table, "--no-record"))
        words = [tool("hp-export"), "records", "archive.sqlite", "-o", table]
        for next_name, given in ((sidecar, []), (table, [sidecar])):
            with self.subTest(next_name):
                with self.paused(words, lambda operation: operation.kind in "LR" and operation.other.endswith(b"/" + next_name.encode())) as process:
                    process.kill()
                self.assertEqual(self.end(process).status, -signal.SIGKILL)
                self.assertEqual([name for name in (sidecar, table) if (self.folder / name).exists()], given)
                self.assertEqual(len(query(self.archive, INTENTS)), 2)
                said = self.assert_good(hp_export("bundle", self.archive, "-o", "-")).err
                self.assertEqual([name for name in (sidecar, table) if "%s: completed an export" % name not in said], given)
                for name in (table, sidecar):
                    self.assertEqual((self.folder / name).read_bytes(), (whole / name).read_bytes())
                self.assertEqual(self.names(), [b"archive.sqlite", table.encode(), sidecar.encode(), b"secret"])
                self.assert_settled(self.archive, exports=2)
                for name in (table, sidecar):
                    (self.folder / name).unlink()
                # What is recorded already has no intent.
                execute(self.archive, "DELETE FROM export_items", "DELETE FROM export_manifests")

    def test_a_private_copy_that_a_killed_process_left_is_removed(self):
        self.captured()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        place = self.folder.parent / "tmp"
        place.mkdir()
        environment = {**ENVIRONMENT, "TMPDIR": str(place)}
        words = [tool("hp-verify"), "bundle", self.folder / "out.zst", "--archive", self.archive]
        with held(self.archive, LOGGED):
            shimmed = shim.Shimmed(self.library(), place, environment)
            _, operations = shimmed.record(words, self.folder.parent / "log")
            at = next(number for number, operation in enumerate(operations, 1) if operation.kind == "U")
            killed, living = (shimmed.start(words, shim.Fault("stop", at)) for _ in range(2))
            self.assertTrue(shim.stopped(killed) and shim.stopped(living))
            self.assertEqual(len(os.listdir(place)), 2)
            killed.kill()
            killed.communicate()
            (place / "hp-archive.other1").write_bytes(b"a file, not a folder")
            (place / "hp-archive.link12").symlink_to(self.folder)
            self.assert_good(hp_verify("bundle", self.folder / "out.zst", "--archive", self.archive, env=environment))
            left = set(os.listdir(place))
            self.assertEqual(len(left), 3, left)
            living.send_signal(signal.SIGCONT)
            self.assertEqual(self.end(living).status, 0)
            self.assertEqual(sorted(os.listdir(place)), ["hp-archive.link12", "hp-archive.other1"])
        self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst", b"secret"])

    def test_an_archive_that_changes_while_its_exports_are_recomputed(self):
        """The same comes out as undisturbed, from a private copy, and it is no good result all the same."""
        self.captured()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        place, report = self.folder.parent / "tmp", self.folder.parent / "results.xml"
        place.mkdir()
        words = [tool("hp-verify"), "reproduce", self.archive]
        with held(self.archive, LOGGED):
            (export, items), = query(self.archive, "SELECT export_id, record_count FROM export_manifests")
            shimmed = shim.Shimmed(self.library(), place, {**ENVIRONMENT, "TMPDIR": str(place)})
            _, operations = shimmed.record([*words, "--json"], self.folder.parent / "log")
            # The copy is complete, and SQLite opens it.
            at = next(number for number, operation in enumerate(operations, 1) if operation.kind == "C" and operation.name.endswith(b"-shm"))
            said = []
            for moment, options in enumerate((["--json"], ["--junit", report]), 1):
                process = shimmed.start([*words, *options], shim.Fault("stop", at))
                self.assertTrue(shim.stopped(process))
                os.utime(self.archive, (moment, moment))
                process.send_signal(signal.SIGCONT)
                result = self.end(process)
                self.assertEqual((result.status, result.err), (1, ""))
                said.append(result.out.decode())
        self.assertEqual(json.loads(said[0]), {
            "archive": str(self.archive), "archive_changed": True, "result": "findings",
            "exports": [{"difference_count": 0, "differences": [], "export_id": export, "export_kind": "recovery_bundle", "generator_version": "0.1.0", "item_count": items,
                         "outcome": "same", "same_header": True, "same_manifest_hash": True}]})
        self.assertEqual(said[1], "%s: 1 of 1 recorded exports reproduced\n  archive.changed: the archive changed while it was read\n"
                         "  %s  recovery_bundle  same  %d items\n" % (self.archive, export, items))
        cases = [(case.get("name"), [held.get("message") for held in case]) for case in xml.parse(report).getroot().iter("testcase")]
        self.assertEqual(cases, [("%s: %s" % (self.archive, export), []), ("%s: unchanged" % self.archive, ["changed while it was read"])])

    def test_a_hot_journal_is_seen_by_readers_and_left_alone(self):
        """A process that was killed while it wrote into the archive itself: what it had not committed is not there, and only a writer rolls it back."""
        self.captured()
        execute(self.archive, "PRAGMA journal_mode = DELETE")
        before = contents(self.archive)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "plain.zst", "--no-record"))
        plain = (self.folder / "plain.zst").read_bytes()
        with self.paused(self.bundle_words(), lambda operation: operation.kind == "U" and operation.name.endswith(b"-journal")) as process:
            process.kill()
        self.end(process)
        self.assertGreater((self.folder / "archive.sqlite-journal").stat().st_size, 0)
        self.assertEqual(contents(self.archive), before)
        trace = trace_of(self.folder)
        self.assertEqual(hp_verify("bundle", self.folder / "plain.zst", "--archive", self.archive, "--recorded-only").status, 1)
        self.assert_good(hp_verify("bundle", self.folder / "plain.zst", "--archive", self.archive))
        self.assertEqual(trace_of(self.folder), trace)
        self.assertEqual(trace_of(self.folder), trace)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "again.zst", "--no-record"))
        self.assertEqual((self.folder / "again.zst").read_bytes(), plain)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        self.assertEqual(self.names(), sorted([b"again.zst", b"archive.sqlite", b"out.zst", b"plain.zst", b"secret"]))
        self.assert_settled(self.archive, exports=1)


if __name__ == "__main__":
    unittest.main()
