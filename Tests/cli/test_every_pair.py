"""Every pair of commands of which one writes, stopped at points of their transactions and publications, in a random order: the archive stays valid, each file of a command that is done verifies, and each refusal says so."""

import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import unittest

from interleaving import CAPTURE, EXPORTS, REPAIR, SEAL, UNDO, UNDO_EXPORTS, Command, Interleaving, pairs
from capture_support import STEPS, feed, observation, sample, type_run
from support import INTENTS, PATIENCE, database, execute, held, hp_export, hp_verify, query, Run, start, takes_long
from system_support import months, shim, SystemCase

SEED = os.environ.get("HP_SEED", "1")
# How often each pair is run.
RUNS = int(os.environ.get("HP_RUNS", "1"))


@unittest.skipUnless(shim.compiler(), "needs a C compiler")
class EveryPair(Interleaving):
    def run_pairs(self, chosen, count):
        for one, other in chosen:
            base = "foreign" if SEAL in (one, other) else "ours"
            self.prepare(base, (one, other))
            for number in range(count):
                seed = "%s %s %s %d" % (SEED, one.name, other.name, number)
                with self.subTest(seed):
                    self.assertEqual(self.observe(base, (one, other), seed), [])
        print("%s: %s" % (self.id(), ", ".join("%d %s" % (count, name) for name, count in sorted(self.counts.items()))), flush=True)
        self.assertEqual((self.counts["invalid archives"], self.counts["false files"]), (0, 0))

    def test_a_sample_of_the_pairs(self):
        self.run_pairs(random.Random(SEED).sample(list(pairs()), 50), 1)

    def test_an_undo_next_to_each_export(self):
        self.run_pairs([(undo, command) for command in EXPORTS for undo in (UNDO, UNDO_EXPORTS)], 4)

    @takes_long
    def test_all_pairs(self):
        self.run_pairs(pairs(), RUNS)

    @takes_long
    def test_an_undo_next_to_each_export_many_times(self):
        self.run_pairs([(UNDO, command) for command in EXPORTS], 10 * RUNS)

    @takes_long
    def test_an_undo_with_exports_next_to_each_export_many_times(self):
        self.run_pairs([(UNDO_EXPORTS, command) for command in EXPORTS], 10 * RUNS)

    @takes_long
    def test_a_repair_next_to_each_export_many_times(self):
        self.run_pairs([(REPAIR, command) for command in EXPORTS], 10 * RUNS)

    @takes_long
    def test_a_capture_next_to_each_export_many_times(self):
        self.run_pairs([(CAPTURE, command) for command in EXPORTS], 10 * RUNS)


class ExportsThatTakeTheirTime(SystemCase):
    """An export to a pipe has read nothing but its first line when another command is done."""

    @contextlib.contextmanager
    def exporting(self, *words):
        """An export to a pipe whose reader has taken one byte; at the end it is read to its end, and `ended` is how it did."""
        process = start("hp-export", words[0], self.archive, "-o", "-", *words[1:], stdout=subprocess.PIPE)
        first = os.read(process.stdout.fileno(), 1)
        yield
        out, err = process.communicate(timeout=PATIENCE)
        self.ended = Run(subprocess.CompletedProcess([], process.returncode, first + out, err))

    def large(self):
        """An archive whose newest observation does not fit into a pipe."""
        self.captured()
        (self.feeds / "2.jsonl").write_bytes(months(2, size=60)[1])
        self.assert_good(self.capture(2, "--quiet"))

    def exports(self):
        return query(self.archive, "SELECT count(*) FROM export_manifests")[0][0]

    def assert_outdated(self, *words):
        self.assert_one_line_at_end(self.ended, "archive.sqlite: ", "during the export", "does not match the archive", *words)
        self.assertIn("hint: delete the output and run it again", self.ended.err)
        self.assertEqual(query(self.archive, INTENTS), [])
        self.assert_good(hp_verify("archive", self.archive))

    def test_an_observation_that_is_undone_meanwhile(self):
        for words in (["records", "--format", "jsonl"], ["records"], ["records", "--history", "--format", "jsonl"], ["diff", "--format", "jsonl"], ["diff", "--from", "2", "--to", "1"]):
            for options, is_in_use in (([], False), (["--no-record"], False), (["--no-record"], True)):
                for is_captured_again in (False, True):
                    with self.subTest(words, options=options, is_in_use=is_in_use, is_captured_again=is_captured_again):
                        self.renew()
                        self.large()
                        with held(self.archive, "SELECT 1 FROM samples") if is_in_use else contextlib.nullcontext(), self.exporting(*words, *options):
                            self.assert_good(hp_export("undo", self.archive, "--wait", "1", "--no-backup", "--quiet"))
                            if is_captured_again:
                                self.assert_good(self.capture(2, "--quiet"))
                        self.assert_outdated("observation 2 was undone" if is_in_use or not options else "the archive changed")
                        self.assertEqual(self.exports(), 0)

    def test_pages_that_are_written_over_meanwhile(self):
        """Who reads without a lock finds pages of two moments: not the archive is damaged, it changed."""
        self.large()
        with self.exporting("records", "--format", "jsonl", "--no-record"), open(self.archive, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(4096)
            file.write(b"\x55" * (size - 4096))
        self.assert_one_line_at_end(self.ended, "archive.sqlite: the archive changed during the export: ", "does not match the archive")
        self.assertNotIn("malformed", self.ended.err)

    def test_pages_that_are_written_over_while_nothing_is_exported(self):
        """The same of commands that only print."""
        for words in (["diff", "--summary"], ["diff", "--gone"]):
            with self.subTest(words):
                self.renew()
                self.large()
                whole = hp_export(words[0], self.archive, *words[1:]).out
                process = start("hp-export", words[0], self.archive, *words[1:], stdout=subprocess.PIPE)
                # The archive was opened, and some of it read.
                while int(re.search(r"rchar: (\d+)", pathlib.Path("/proc/%d/io" % process.pid).read_text())[1]) < 150_000:
                    self.assertIsNone(process.poll(), "it ended before it had read much")
                process.send_signal(signal.SIGSTOP)
                with open(self.archive, "r+b") as file:
                    size = file.seek(0, os.SEEK_END)
                    file.seek(4096)
                    file.write(b"\x55" * (size - 4096))
                process.send_signal(signal.SIGCONT)
                out, err = process.communicate(timeout=PATIENCE)
                ended = Run(subprocess.CompletedProcess([], process.returncode, out, err))
                # A fast machine has read all of it by then.
                if not ended.status:
                    self.assertEqual(out, whole)
                    continue
                self.assert_one_line_at_end(ended, "archive.sqlite: the archive was changed while it was read")
                self.assertIn("hint: run it again", ended.err)
                self.assertEqual(out, b"")

    def test_pages_that_are_written_over_while_they_are_listed(self):
        """A list is short: it is there as it was, or the archive was changed."""
        self.large()
        whole, said = hp_export("list", self.archive, "types").out, set()
        data = self.archive.read_bytes()
        for share in (0.6, 0.7, 0.8, 0.9):
            self.archive.write_bytes(data)
            process = start("hp-export", "list", self.archive, "types", stdout=subprocess.PIPE)
            limit, read = 165_000 * share, 0
            while read < limit and process.poll() is None:
                found = re.search(r"rchar: (\d+)", pathlib.Path("/proc/%d/io" % process.pid).read_text())
                read = int(found[1]) if found else read
            process.send_signal(signal.SIGSTOP)
            with open(self.archive, "r+b") as file:
                file.seek(4096)
                file.write(b"\x55" * (len(data) - 4096))
            process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=PATIENCE)
            said.add(process.returncode)
            if process.returncode:
                self.assertIn(b"the archive was changed while it was read", err)
            else:
                self.assertEqual(out, whole)
        self.assertLessEqual(said, {0, 2})

    def test_an_export_whose_record_is_removed_meanwhile(self):
        self.large()
        self.assert_good(hp_export("records", self.archive, "-o", self.folder / "out.csv", "--quiet"))
        with self.exporting("records"):
            self.assert_good(hp_export("undo", self.archive, "--wait", "1", "--no-backup", "--with-exports", "--quiet"))
        self.assert_outdated("observation 2 was undone")
        self.assertEqual(self.exports(), 0)

    def test_ranges_that_are_repaired_meanwhile(self):
        for options in ([], ["--no-record"]):
            with self.subTest(options):
                self.renew()
                self.large()
                execute(self.archive, "DELETE FROM sample_visibility_ranges WHERE rowid IN (SELECT max(rowid) FROM sample_visibility_ranges)")
                with self.exporting("records", "--format", "jsonl", *options):
                    self.assert_good(hp_export("repair", self.archive, "--ranges", "--quiet"))
                self.assert_outdated("the archive changed")
                self.assertEqual(self.exports(), 0)
                self.assert_good(hp_export("records", self.archive, "-o", self.folder / "again.csv", "--force"))
                self.assert_good(hp_verify("archive", self.archive))

    def test_what_leaves_the_observation_as_it_was_is_no_reason_to_refuse(self):
        """A capture of the next month, with a new sample type, or a record of another export."""
        later = feed(observation(3, type_run([sample(9000, 3, sample_type=STEPS, unit="count")], sample_type=STEPS)))
        for options in ([], ["--no-record"]):
            with self.subTest(options), contextlib.ExitStack() as stack:
                self.renew()
                self.large()
                # Who reads alone has no lock, and refuses whatever is written.
                stack.enter_context(held(self.archive, "SELECT 1 FROM samples"))
                (self.folder / "other.csv").unlink(missing_ok=True)
                (self.feeds / "3.jsonl").write_bytes(later)
                with self.exporting("records", "--format", "jsonl", *options):
                    self.assert_good(self.capture(3, "--quiet"))
                    self.assert_good(hp_export("diff", self.archive, "--from", "1", "--to", "2", "-o", self.folder / "other.csv", "--force", "--quiet"))
                self.assert_good(self.ended)
                (self.folder / "out.jsonl").write_bytes(self.ended.out)
                self.assert_good(hp_verify("bundle", self.folder / "out.jsonl", "--archive", self.archive))
                self.assert_good(hp_verify("archive", self.archive))
                self.assertEqual(self.exports(), 1 if options else 2)

    def test_another_observation_is_undone_meanwhile(self):
        """Without its own types an undo takes nothing from an export of an older observation."""
        self.large()
        with self.exporting("records", "--format", "jsonl", "--at", "1"):
            self.assert_good(hp_export("undo", self.archive, "--wait", "1", "--no-backup", "--quiet"))
        self.assert_good(self.ended)
        self.assertEqual(self.exports(), 1)
        self.assert_good(hp_verify("archive", self.archive))


@unittest.skipUnless(shim.compiler(), "needs a C compiler")
class CopiesThatTakeTheirTime(Interleaving):
    """A reader's private copy is stopped at each file that it opens; meanwhile the log is folded in and begun anew."""

    def test_a_copy_is_of_one_moment(self):
        self.fresh("ours")
        log = self.folder.parent / "points"
        command = Command("verify", ["hp-verify", "archive", "archive.sqlite", "--skip", "exports", "--json"])
        copies = found = 0
        with database(self.archive) as writer:
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("INSERT INTO archive_metadata VALUES ('filler', 'in the log')")
            self.started(command, HP_PAUSES_LOG=str(log)).communicate(timeout=PATIENCE)
            opened = [number for number, letter in enumerate(log.read_text(), 1) if letter == "O"]
            for stop in opened[:40]:
                with self.subTest(stop=stop):
                    # All pages change their places.
                    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    writer.execute("INSERT OR REPLACE INTO archive_metadata VALUES ('filler', hex(zeroblob(%d)))" % (stop * 20_011 % 150_000))
                    writer.execute("VACUUM")
                    process = self.started(command, HP_PAUSES_AT=str(stop))
                    found += shim.stopped(process)
                    writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
                    writer.execute("INSERT OR REPLACE INTO archive_metadata VALUES ('test', '%d')" % stop)
                    process.send_signal(signal.SIGCONT)
                    result = self.end(process)
                    if result.status == 2:
                        self.assert_refused(result, "changed while it was copied", name="hp-verify")
                        continue
                    value = json.loads(result.out)
                    copies += "archive_note" in value
                    self.assertEqual(set(value.get("counts", {})) - {"archive.changed"}, set())
        self.assertGreater(min(copies, found), 20)


if __name__ == "__main__":
    unittest.main()
