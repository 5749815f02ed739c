"""hp-export capture against the plain capture in Tests/reference: the same evidence, row by row, whatever happens on the way."""

import contextlib
import fcntl
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import health_exports
import histories
from capture_support import (
    HEART_RATE, SECRET, STEPS, CaptureCase, deleted, dump, feed, findings, observation, reference, sample,
    start_with_input, type_run, uuid,
)
from support import (
    ENVIRONMENT, FIXTURES, PATIENCE, STRACE, can_trace, contents, held, hp_export, hp_verify, query, run, Run, start,
    takes_long, tool,
)
from test_guards import beats, export, steps


class Histories(CaptureCase):
    """Random histories, each from a number of its own: a failure names it."""

    COUNT = int(os.environ.get("HP_HISTORIES", "40"))

    def setUp(self):
        super().setUp()
        if os.path.isdir("/dev/shm"):  # nothing here is about losing power
            folder = tempfile.TemporaryDirectory(prefix="hp-cli.", dir="/dev/shm")
            self.addCleanup(folder.cleanup)
            self.place(pathlib.Path(folder.name))

    @takes_long
    def test_random_histories(self):
        first = int(os.environ.get("HP_HISTORY", "0"))
        for number in range(first, first + self.COUNT):
            chance = random.Random(number)
            self.renew()
            with self.subTest(history=number):
                history = histories.History(chance, chance.randint(2, 6), is_anonymous=number % 5 == 4)
                for index, feed in enumerate(history.feeds()):
                    with self.at("feed %d" % index):
                        self.step(chance, feed, is_looked_at=number % 4 == 0 or self.COUNT == 1)
                self.assert_same()
                self.assertEqual(findings(self.archive), [])
                self.assertEqual(query(self.archive, "PRAGMA integrity_check"), [("ok",)])
                self.assertEqual(query(self.archive, "PRAGMA foreign_key_check"), [])

    def step(self, chance, content, is_looked_at):
        """Captures a feed with both. Before it, sometimes another's secret is refused; after it, sometimes all that it began is taken back."""
        fate = random.Random(chance.random())
        if self.archive.exists() and fate.random() < 0.2:
            self.refuse_a_new_chain(content)
        before = self.copied_plain() if self.plain.exists() and fate.random() < 0.4 else None
        count = "SELECT count(*) FROM observations"
        old = self.rows(count)[0][0] if before else 0
        resumed = "SELECT count(*) FROM context_log WHERE event_kind = 'capture_resumed'"
        ended = "SELECT count(*) FROM context_log WHERE event_kind = 'capture_finished' AND detail_json LIKE '%interrupted%'"
        marks = [self.rows(query) for query in (resumed, ended)] if before else []
        self.both("--feed", content, is_looked_at)
        # What was resumed or ended is not what is taken back.
        if before and marks == [self.rows(query) for query in (resumed, ended)]:
            for _ in range(self.rows(count)[0][0] - old):
                self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
            shutil.move(before, self.plain)
            self.assert_same()

    def copied_plain(self):
        with contextlib.closing(sqlite3.connect(self.plain)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return shutil.copyfile(self.plain, self.folder / "before.sqlite")

    def refuse_a_new_chain(self, content):
        """A capture with another secret is refused by both, and leaves both as they are."""
        kept = self.secret.read_text()
        self.secret.write_text(SECRET.replace("secret 0001", "secret ff01").replace("chain 20", "chain ff"))
        if self.rows("SELECT count(*) FROM observations")[0][0]:
            before = dump(self.archive)
            self.both("--feed", content)
            self.assertEqual(dump(self.archive), before)
        self.secret.write_text(kept)

    @contextlib.contextmanager
    def at(self, place):
        try:
            yield
        except AssertionError as error:
            raise AssertionError("%s: %s" % (place, error)) from None


class Changes(CaptureCase):
    def test_over_four_thousand_records_with_another_payload(self):
        """All but the last are another representation of what was there, page after page."""
        count = 4200
        for day, others in ((1, {}), (2, {"metadata": {"k": "v"}})):
            records = [sample(None, number % 1440, 60 + number, **others) for number in range(count)]
            records.append(sample(None, 1, 1))
            pages = [records[start:start + 100] for start in range(0, len(records), 100)]
            path = self.written(feed(observation(day, type_run(*pages))))
            self.assert_good(self.hp_capture("--feed", path, "--quiet"))
        counts = self.rows("SELECT observation_id, event_kind, count(*) FROM sample_observation_events GROUP BY 1, 2")
        self.assertEqual(counts, [(1, "appeared", count + 1), (2, "representation_changed", count)])
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT sample_id) FROM sample_visibility_ranges"
                                   " WHERE last_observation_id IS NULL"), [(count + 1, count + 1)])


class AppleHealth(CaptureCase):
    """Exports, month after month: the fixtures, and random ones of all kinds of elements."""

    COUNT = int(os.environ.get("HP_EXPORTS", "6"))

    def test_the_fixtures(self):
        for name in ("month-0.xml", "month-1.xml"):
            self.both("--apple-health", (FIXTURES / "apple-health" / name).read_bytes())
            self.assertEqual(findings(self.archive), [])
        self.renew()
        self.both("--apple-health", (FIXTURES / "apple-health" / "export.zip").read_bytes())
        self.assertEqual(findings(self.archive), [])

    @takes_long
    def test_random_exports(self):
        first = int(os.environ.get("HP_EXPORT", "0"))
        for number in range(first, first + self.COUNT):
            with self.subTest(history=number):
                chance = random.Random(number)
                self.renew()
                exports = health_exports.Exports(chance, chance.choice([3, 20, 40]))
                for month in range(3):
                    text = exports.export(bad=chance.choice([0, 0, 2])).encode()
                    fate = chance.random()
                    ends = health_exports.ends_of_elements(text)
                    if fate < 0.3 and ends:  # cut off, longer, and then whole
                        for at in sorted(chance.choices(ends, k=2)):
                            self.both("--apple-health", text[:at])
                    elif fate < 0.4 and ends:  # broken, and then whole
                        at = chance.choice(ends)
                        self.both("--apple-health", text[:at] + b"</Broken>" + text[at:])
                    self.both("--apple-health", text)
                    if fate > 0.7:
                        self.both("--apple-health", text)
                self.assertEqual(findings(self.archive), [])

    @takes_long
    def test_an_export_that_ends_between_two_elements(self):
        one, two = ((FIXTURES / "apple-health" / name).read_bytes() for name in ("month-0.xml", "month-1.xml"))
        records = [at for at in range(len(two)) if two.startswith(b"\n <Record", at)]
        for at in records[len(records) // 2], records[-1]:
            for end in b"", b"\n <Rec", b"\n <Record type=\"x\" </Record>":
                with self.subTest(at=at, end=end):
                    self.renew()
                    for text in (one, two[:at] + end, two):
                        self.both("--apple-health", text)
                    self.assertEqual(findings(self.archive), [])

    def test_a_chain_asks_for_its_own_types_only(self):
        """A complete export has a run of each type that its chain ever had; of another person's device it knows none."""
        self.both("--apple-health", export(1, *beats(1, 2), *steps(3)))
        own = self.secret.read_text()
        self.secret.write_text(SECRET.replace("secret 0001", "secret ff01").replace("chain 20", "chain ff"))
        self.both("--apple-health", export(2, *steps(3, 4)), accepted=["new-chain", "accept-person"])
        self.both("--apple-health", export(3, *steps(3, 4)))
        self.secret.write_text(own)
        self.both("--apple-health", export(4, *beats(1, 2)))
        self.assertEqual(self.rows("SELECT o.device_chain_id, o.id, type_identifier FROM observation_type_runs u JOIN observations o ON o.id = observation_id JOIN sample_types t ON t.id = sample_type_id ORDER BY 2, 3"),
                         [(1, 1, HEART_RATE), (1, 1, STEPS), (2, 2, STEPS), (2, 3, STEPS), (1, 4, HEART_RATE), (1, 4, STEPS)])
        self.assertEqual(findings(self.archive), [])

    def test_an_export_and_feeds_in_one_archive(self):
        self.both("--feed", first_feed())
        text = (FIXTURES / "apple-health" / "month-0.xml").read_bytes()
        self.both("--apple-health", text)
        self.both("--feed", second_feed())
        self.assertEqual(findings(self.archive), [])
        self.assertEqual(self.rows("SELECT count(*) FROM device_chains"), [(2,)])


def first_feed():
    return feed(observation(1, type_run([sample(number, number) for number in range(40)] + [sample(None, 50), sample(None, 50)])))


def second_feed(count=400, size=25):
    """Everything that can happen, in many pages."""
    beats = [sample(number, number % 1000, 61 if number % 7 == 0 else 60) for number in range(10, count)] + [sample(None, 50, source={"version": "2"})]
    pages = [beats[at:at + size] for at in range(0, len(beats), size)]
    steps = [sample(10_000 + number, number, sample_type=STEPS, unit="count") for number in range(60)]
    links = [{"kind": "relationship", "source": {"sample_type": HEART_RATE, "uuid": uuid(number)}, "target": {"sample_type": STEPS, "uuid": uuid(10_050 + number)}, "relationship_kind": "member"} for number in range(20)]
    last = len(pages)
    return feed(observation(
        2, type_run(*pages, end={"anchor_after": "AAED"}),
        type_run(steps[:30], [*steps[30:], deleted(10_001, STEPS), deleted(10_999, STEPS)], links, sample_type=STEPS, mode="anchored", first_page=last + 1)))


class Interruptions(CaptureCase):
    """A capture that ends anywhere, by kill -9 or by a failing system call: sent again, it comes to the same end as if nothing had happened."""

    def prepare(self, has_archive=True):
        """What an uninterrupted capture gives."""
        if has_archive:
            self.assert_good(self.hp_capture("--feed", self.written(first_feed(), "first.jsonl")))
        self.original = self.folder / "original"
        self.second = self.written(second_feed(), "second.jsonl")
        self.has_archive = has_archive
        if has_archive:
            shutil.copyfile(self.archive, self.original)
        begin = time.monotonic()
        self.assert_good(self.hp_capture("--feed", self.second))
        self.duration = time.monotonic() - begin
        self.expected = dump(self.archive)
        self.names_then = self.names()

    def restart(self):
        for name in self.names():
            if b"archive.sqlite" in name:
                os.unlink(os.path.join(os.fsencode(self.folder), name))
        if self.has_archive:
            shutil.copyfile(self.original, self.archive)

    def assert_converges(self):
        self.assert_good(self.hp_capture("--feed", self.second))
        self.assertEqual(dump(self.archive), self.expected)
        self.assertEqual(self.names(), self.names_then)
        self.assertEqual(query(self.archive, "PRAGMA integrity_check"), [("ok",)])
        # Once more: it was captured before.
        self.assert_good(self.hp_capture("--feed", self.second))
        self.assertEqual(dump(self.archive), self.expected)

    @takes_long
    def test_kill_at_any_time(self):
        chance = random.Random(4)
        self.prepare()
        states = set()
        for attempt in range(8):
            delay = self.duration * 1.1 * (attempt + chance.random()) / 14
            with self.subTest(delay=round(delay, 4)):
                self.restart()
                process = start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed", self.second)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(delay)
                process.kill()
                process.communicate()
                states.update(self.rows("SELECT status FROM observations WHERE id = 2"))
                self.assert_converges()

    def traced(self, calls, injection):
        self.restart()
        command = [STRACE, "-f", "-qq", "-o", str(self.folder / "trace"), "-e", "trace=" + calls, "-e", "inject=%s:%s" % (calls, injection),
                   tool("hp-export"), "capture", str(self.archive), "--secret", str(self.secret), "--feed", str(self.second)]
        result = Run(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE))
        self.is_injected = "(INJECTED)" in (self.folder / "trace").read_text(errors="replace")
        os.unlink(self.folder / "trace")
        return result

    @takes_long
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_kill_at_every_step(self):
        for has_archive in (True, False):
            self.renew()
            self.prepare(has_archive)
            killed = 0
            for call in ("pwrite64", "fsync,fdatasync", "ftruncate", "unlink,unlinkat", "rename,renameat,renameat2,link,linkat", "openat"):
                number = 0
                while number < 150:
                    number += 1 if number < 4 else 37
                    with self.subTest(has_archive=has_archive, call=call, number=number):
                        result = self.traced(call, "signal=KILL:when=%d" % number)
                        self.assertIn(result.status, (0, -9, 137), result)
                        killed += result.status != 0
                        self.assert_converges()
                    if result.status == 0:
                        break
            self.assertGreater(killed, 10)

    @takes_long
    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_every_failing_call_is_an_error(self):
        self.prepare()
        for call, error in (("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fsync,fdatasync", "EIO")):
            number = 0
            while number < 80:
                number += 1 if number < 3 else 25
                with self.subTest(call=call, error=error, number=number):
                    result = self.traced(call, "error=%s:when=%d" % (error, number))
                    # A checkpoint may fail without a word: what it copies is safe in the log.
                    self.assertIn(result.status, (0, 2) if self.is_injected else (0,), result)
                    self.assert_converges()
                if not self.is_injected:
                    break

    # Signals, and two at once

    def slow(self, *arguments, is_quiet=True):
        """A capture that waits for the rest of its feed."""
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-", *(["--quiet"] if is_quiet else []), *arguments)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, sql, expected):
        for _ in range(1000):
            with contextlib.suppress(sqlite3.Error):
                if self.archive.exists() and query(self.archive, sql) == expected:
                    return
            time.sleep(0.01)
        self.fail("nothing comes: " + sql)

    def test_a_signal_leaves_an_observation_running_and_the_same_command_continues_it(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)):
            with self.subTest(signal=number):
                self.renew()
                self.prepare()
                self.restart()
                process, content = self.slow(is_quiet=False), self.second.read_bytes()
                half = content.index(b'"number": 9}')
                process.stdin.write(content[:half + 13])
                process.stdin.flush()
                self.wait_for("SELECT count(*) > 100 FROM samples", [(1,)])
                process.send_signal(number)
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(content[half + 13:])
                    process.stdin.close()
                self.assertEqual(process.wait(PATIENCE), status)
                self.assertIn("archive.sqlite: stopped; run the same command to continue", process.stderr.read().decode())
                self.assertEqual(self.rows("SELECT status, ended_at FROM observations WHERE id = 2"), [("running", None)])
                self.assertIn(("started",), self.rows("SELECT DISTINCT status FROM observation_type_runs WHERE observation_id = 2"))
                self.assertEqual(findings(self.archive), [])
                self.assert_good(hp_verify("archive", self.archive, "--quiet"))
                self.assert_converges()
                self.assertEqual(self.rows("SELECT event_kind FROM context_log WHERE observation_id = 2 ORDER BY id")[:2], [("capture_started",), ("capture_resumed",)])

    def test_a_signal_behind_pages_that_are_ingested(self):
        """At any time, and with more than a page of 8,192 records behind it: nothing is kept of an export, and a feed is continued."""
        record = ('<Record type="%s" sourceName="Test" unit="count" value="1" startDate="2024-01-01 00:00:00 +0000"'
                  ' endDate="2024-01-01 00:00:30 +0000"/>\n' % STEPS)
        head = '<HealthData>\n<ExportDate value="2024-03-01 10:00:00 -0500"/>\n'
        pages = [[sample(number, number % 1000) for number in range(page, page + 500)] for page in range(0, 5000, 500)]
        lines = observation(1, type_run(*pages))
        sources = (("--apple-health", (head + 20_000 * record).encode(), b"</HealthData>\n"),
                   ("--feed", feed(lines[:-2]), feed(lines)[len(feed(lines[:-2])):]))
        for source, begun, rest in sources:
            with self.subTest(source):
                self.renew()
                command = ("capture", self.archive, "--secret", self.secret, source, "-", "--quiet")
                process = start_with_input(*command)
                self.addCleanup(process.kill)
                process.stdin.write(begun)
                process.stdin.flush()
                while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))) != (0,):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                process.wait(PATIENCE)  # an end of its input might come before the signal
                _, err = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 130, err)
                if source == "--feed":
                    self.assertEqual(self.rows("SELECT status FROM observations"), [("running",)])
                    self.assertEqual(findings(self.archive), [])
                else:
                    self.assertEqual([name for name in self.names() if b"archive" in name], [])
                again = run("hp-export", *command, input=begun + rest)
                self.assert_good(again)
                self.assertEqual(self.rows("SELECT status FROM observations"), [("completed",)])

    def test_a_signal_keeps_nothing_of_an_export(self):
        """Neither in an archive that is there, nor of a secret and labels that are not."""
        record = '<Record type="%s" sourceName="Test" unit="count" value="%d" startDate="2024-01-01 00:00:00 +0000" endDate="2024-01-01 00:00:30 +0000"/>\n'
        text = lambda month, count: '<HealthData>\n<ExportDate value="2024-%02d-01 10:00:00 -0500"/>\n' % month + "".join(record % (STEPS, number) for number in range(count))
        whole = text(3, 10) + "</HealthData>\n"
        for is_there in (False, True):
            with self.subTest(is_there=is_there):
                if is_there:
                    self.assert_good(self.hp_capture("--apple-health", self.written(whole.encode(), "export.xml"), "--quiet"))
                else:
                    self.secret.unlink()
                before = self.names(), contents(self.archive) if is_there else None
                process = start_with_input("capture", self.archive, "--secret", self.secret, "--apple-health", "-", "--keep-labels")
                self.addCleanup(process.kill)
                process.stdin.write(text(4, 20_000).encode())
                process.stdin.flush()
                while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))) != (0,):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE)
                out, err = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, out), (143, b""), err)
                self.assertIn(b"archive.sqlite: stopped; nothing was kept of this export; run the same command to continue", err)
                self.assertEqual((self.names(), contents(self.archive) if is_there else None), before)

    def test_a_signal_ends_the_wait_for_a_lock_before_an_observation(self):
        self.assert_good(self.hp_capture("--feed", self.written(first_feed(), "first.jsonl")))
        before = dump(self.archive)
        for writer in ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"):
            with self.subTest(writer), held(self.archive, writer):
                process = start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed",
                                self.written(second_feed(), "second.jsonl"), "--wait", "60")
                self.addCleanup(process.kill)
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(0.5)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=5)
                self.assertEqual((process.returncode, said), (130, b""))
        self.assertEqual(dump(self.archive), before)

    def test_a_signal_ends_the_wait_for_a_lock_before_the_next_observation_of_a_feed(self):
        one, two = first_feed(), second_feed()
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-", "--wait", "60", "--quiet")
        self.addCleanup(process.kill)
        # What follows an observation is asked for when it is kept.
        process.stdin.write(one)
        process.stdin.flush()
        self.wait_for("SELECT status FROM observations", [("completed",)])
        with held(self.archive, "BEGIN IMMEDIATE"):
            process.stdin.write(two[two.index(b"\n") + 1:])
            process.stdin.close()
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(5), 130)
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(self.rows("SELECT id, status FROM observations"), [(1, "completed")])

    def test_two_captures_at_once(self):
        one, two = first_feed(), self.written(second_feed(), "second.jsonl")
        process = self.slow()
        end = one.rindex(b"{")  # records that are alike wait until their run ends
        process.stdin.write(one[:end])
        process.stdin.flush()
        self.wait_for("SELECT count(*) FROM samples", [(42,)])
        self.assert_refused(self.hp_capture("--feed", two, "--wait", "0"), "another capture is running")
        other = start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed", two, "--quiet")
        with self.assertRaises(subprocess.TimeoutExpired):
            other.wait(0.5)
        process.stdin.write(one[end:])
        process.stdin.close()
        self.assertEqual((process.wait(PATIENCE), other.wait(PATIENCE)), (0, 0), other.stderr.read())
        other.stderr.close()
        for content in (one, two.read_bytes()):
            reference.capture_feed(str(self.plain), str(self.secret), str(self.written(content)))
        self.assert_same()

    def test_a_lock_that_lost_its_name_is_none(self):
        """One capture opens the lock, and before it has it another ends with it and a third takes a new one."""
        path = self.written(first_feed())
        lock = self.folder / ".archive.sqlite.capture"
        self.addCleanup(signal.pthread_sigmask, signal.SIG_SETMASK, signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO]))
        self.addCleanup(signal.sigtimedwait, [signal.SIGIO], 0)
        with open(lock, "wb") as before:
            try:  # Whoever opens the file now waits until the lease ends.
                fcntl.fcntl(before, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            except OSError as error:
                self.skipTest("no leases on files here: %s" % error)
            late = start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed", path, "--quiet", "--wait", "0", stdout=subprocess.PIPE)
            self.addCleanup(late.kill)
            self.assertIsNotNone(signal.sigtimedwait([signal.SIGIO], PATIENCE))
            lock.unlink()
            with open(lock, "wb") as now:
                fcntl.flock(now, fcntl.LOCK_EX)
                fcntl.fcntl(before, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                out, err = late.communicate(timeout=PATIENCE)
        self.assert_refused(Run(subprocess.CompletedProcess(late.args, late.returncode, out, err)), "another capture is running")
        self.assertEqual((lock.exists(), self.archive.exists()), (True, False))
        self.both("--feed", first_feed())
        self.assertFalse(lock.exists())

    def test_many_captures_begin_an_archive_at_once(self):
        """All of them may begin it, none of them breaks it; those that come late say that a clock ran backwards."""
        self.secret.unlink()
        paths = [self.written(feed(observation(day, type_run([sample(number, number) for number in range(day)]))), "feed-%d.jsonl" % day) for day in range(1, 7)]
        processes = [start("hp-export", "capture", self.archive, "--secret", self.secret, "--feed", path, "--quiet") for path in paths]
        ends = [(process.wait(PATIENCE), process.stderr.read()) for process in processes]
        for process in processes:
            process.stderr.close()
        for status, text in ends:
            self.assertIn(status, (0, 1), text)
        self.assertEqual(self.rows("SELECT count(*) FROM device_chains"), [(1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM observations"), [(6,)])
        self.assertEqual(self.rows("SELECT count(*) FROM observation_facts WHERE clock_code = 'clock_backwards'"), [(sum(status for status, _ in ends),)])
        self.assertEqual(findings(self.archive), [])


if __name__ == "__main__":
    unittest.main()
