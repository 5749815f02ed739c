"""What the system may do to the tools: little room, stopped and moved things, other clocks and locales, signals. What test_bad_input, test_export and test_crash show already is not repeated."""

import contextlib
import random
import resource
import stat
import time
import unittest

import health_exports
from capture_support import *
from support import *

sys.path.insert(0, str(ROOT / "Tests" / "faults"))

import shim  # noqa: E402

IS_ROOT = os.geteuid() == 0
MOUNT = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"', "sh"]


# Something that is in the log until the archive is closed.
LOGGED = "INSERT INTO archive_metadata VALUES ('test', 'in the log')"


def can_mount(folder):
    return shutil.which("unshare") is not None and subprocess.run([*MOUNT, "64k", str(folder), "true"], stderr=subprocess.DEVNULL).returncode == 0


def months(count, size=30):
    """Feeds of so many months, one after the other."""
    return [feed(observation(day, type_run(*[[sample(number, number) for number in range(page, page + size)] for page in range(0, 10 * size, size)], sample_type=HEART_RATE))) for day in range(1, count + 1)]


class SystemCase(CaptureCase):
    _library = None

    def setUp(self):
        super().setUp()
        (self.folder / "work").mkdir()
        self.place(self.folder / "work")
        self.feeds = self.folder.parent
        for number, content in enumerate(months(2), 1):
            (self.feeds / ("%d.jsonl" % number)).write_bytes(content)

    def capture(self, number=1, *options, **more):
        return self.hp_capture("--feed", self.feeds / ("%d.jsonl" % number), *options, **more)

    def captured(self):
        """The archive after the first month."""
        self.assert_good(self.capture())
        return self.archive

    def expected(self, *numbers):
        """What undisturbed captures give."""
        folder = self.folder.parent / "expected"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for number in numbers:
            self.assert_good(hp_export("capture", folder / "a.sqlite", "--secret", self.secret, "--feed", self.feeds / ("%d.jsonl" % number)))
        return dump(folder / "a.sqlite")

    # Processes that a fault stops

    def library(self):
        if SystemCase._library is None:
            folder = tempfile.mkdtemp(prefix="hp-cli-shim.")
            unittest.addModuleCleanup(shutil.rmtree, folder)
            SystemCase._library = shim.build(folder)
        return SystemCase._library

    def shimmed(self, environment=ENVIRONMENT):
        return shim.Shimmed(self.library(), self.folder, environment)

    @contextlib.contextmanager
    def paused(self, words, is_place, base=()):
        """A command that is stopped before the first durable operation for which `is_place` holds; it goes on at the end."""
        shimmed = self.shimmed()
        keep = self.folder.parent / "keep"
        shutil.rmtree(keep, ignore_errors=True)
        shutil.copytree(self.folder, keep)
        _, operations = shimmed.record(words, self.folder.parent / "log")
        at = next(number for number, operation in enumerate(operations, 1) if is_place(operation))
        shutil.rmtree(self.folder)
        shutil.copytree(keep, self.folder)
        process = shimmed.start(words, shim.Fault("stop", at))
        try:
            self.assertTrue(shim.stopped(process), "it does not come to the place")
            yield process
        finally:
            process.send_signal(signal.SIGCONT)

    def end(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        return Run(subprocess.CompletedProcess([], process.returncode, out, err))

    def bundle_words(self, *options):
        return [tool("hp-export"), "bundle", "archive.sqlite", "-o", "out.zst", *options]

    def capture_words(self, number):
        return [tool("hp-export"), "capture", "archive.sqlite", "--secret", "secret", "--feed", str(self.feeds / ("%d.jsonl" % number)), "--wait", "0"]


def writes(suffix):
    return lambda operation: operation.kind == "W" and operation.name.endswith(suffix)


def makes(suffix):
    return lambda operation: operation.kind == "C" and operation.name.endswith(suffix)


class Room(SystemCase):
    def test_a_capture_under_a_file_size_limit(self):
        for limit in (1, 100_000):
            with self.subTest(limit):
                self.renew()
                result = self.capture(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(result.status, 2, result)
                self.assertNotIn(".partial", str(self.names()))
                self.assert_good(self.capture())
                self.assertEqual(dump(self.archive), self.expected(1))
        for limit in (200_000,):
            with self.subTest(limit, archive="an existing one"):
                self.renew()
                self.captured()
                self.assertIn(self.capture(2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))).status, (0, 2))
                self.assert_good(self.capture(2))
                self.assertEqual(dump(self.archive), self.expected(1, 2))

    def test_a_full_disk_under_the_archive_of_a_capture(self):
        small = self.folder.parent / "small"
        small.mkdir()
        if not can_mount(small):
            self.skipTest("no file system can be mounted here")
        # What is left there is looked at before the small file system goes away: a second run with more room must come to the right end.
        script = 'cp "$1" secret && chmod 600 secret && shift && "$@"; status=$?; mount -o remount,size=64m . && "$@" --quiet || exit 99; cp a.sqlite "$KEEP"; exit $status'
        exports = health_exports.Exports(random.Random(3), 10)
        (self.feeds / "1.xml").write_text(exports.export())
        for option, path in (("--feed", self.feeds / "1.jsonl"), ("--apple-health", self.feeds / "1.xml")):
            for size in ("16k", "160k"):
                with self.subTest(option=option, size=size):
                    keep = self.folder / "kept.sqlite"
                    keep.unlink(missing_ok=True)
                    process = subprocess.run(["unshare", "-rm", "bash", "-c", 'mount -t tmpfs -o size=%s tmpfs "$0" && cd "$0" && %s' % (size, script), small, self.secret,
                                              tool("hp-export"), "capture", "a.sqlite", "--secret", "secret", option, path],
                                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, "KEEP": str(keep)}, timeout=PATIENCE)
                    self.assertEqual(process.returncode, 2, process.stderr)
                    self.assertEqual(process.stderr.count(b"error: "), 1, process.stderr)
                    plain = self.folder / "expected.sqlite"
                    plain.unlink(missing_ok=True)
                    self.assert_good(hp_export("capture", plain, "--secret", self.secret, option, path))
                    self.assertEqual(dump(keep), dump(plain))

    def test_a_full_folder_for_temporary_files(self):
        """Sorters and private copies need it; without it there is one error, and nothing else is touched."""
        small = self.folder.parent / "small"
        small.mkdir()
        if not can_mount(small):
            self.skipTest("no file system can be mounted here")
        path = self.generated(30_000, to="big.sqlite")
        environment = {**ENVIRONMENT, "TMPDIR": str(small), "SQLITE_TMPDIR": str(small)}
        hp = lambda name, *words: Run(subprocess.run([*MOUNT, "64k", str(small), tool(name), *map(os.fspath, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=PATIENCE))
        # What a pipe is given is kept aside until it is recorded.
        result = hp("hp-export", "bundle", path, "-o", "-")
        self.assertEqual(result.status, 2, result)
        self.assert_one_line(result, "big.sqlite: ", "full")
        self.assert_settled(path, exports=0)
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst"))
        with held(path, LOGGED):
            result = hp("hp-verify", "bundle", self.folder / "out.zst", "--archive", path)
            self.assert_refused(result, "no space left", name="hp-verify")

    def test_little_room_for_captures_and_verification(self):
        self.captured()
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        expected = self.expected(1, 2)
        for limit, values in ((resource.RLIMIT_NOFILE, (6, 8, 12, 16)), (resource.RLIMIT_AS, (1 << 28,))):
            for value in values:
                with self.subTest(limit=limit, value=value):
                    few = {"preexec_fn": lambda: resource.setrlimit(limit, (value, value))}
                    result = hp_verify("bundle", self.folder / "out.zst", "--archive", self.archive, **few)
                    if value < 16:
                        self.assert_refused(result, "files may be open", name="hp-verify")
                        # The runtime had files of its own open before the tool could look: then it was a matter of luck who came first.
                        for _ in range(5):
                            self.assert_refused(self.capture(2, **few), "files may be open")
                    else:
                        self.assert_good(result)
                        self.assert_good(self.capture(2, **few))
                        self.assertEqual(dump(self.archive), expected)


class Surroundings(SystemCase):
    def test_captures_do_not_depend_on_them(self):
        expected = self.expected(1)
        for name, more in {
            "a time zone": {"env": {**ENVIRONMENT, "TZ": "Pacific/Kiritimati"}}, "Turkish": {"env": {**ENVIRONMENT, "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}}, "no variables": {"env": {}},
            "umask 000": {"preexec_fn": lambda: os.umask(0)}, "umask 777": {"preexec_fn": lambda: os.umask(0o777)},
        }.items():
            with self.subTest(name):
                self.renew()
                self.assert_good(self.capture(**more))
                self.assertEqual(dump(self.archive), expected)
                self.assertEqual(stat.S_IMODE(self.archive.stat().st_mode), 0o600)

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_what_a_mask_takes_away_is_given_to_the_owner(self):
        """Without the rights of root a file that its owner may not read is lost."""
        copy = self.folder.parent / "hp-export"
        shutil.copy(tool("hp-export"), copy)
        os.chown(self.folder, NOBODY, NOBODY)
        run_ = lambda *words: Run(subprocess.run([copy, *map(os.fspath, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE,
                                                 user=NOBODY, group=NOBODY, extra_groups=[], umask=0o777))
        for number in (1, 2):
            self.assert_good(run_("capture", self.folder / "own.sqlite", "--feed", self.feeds / ("%d.jsonl" % number)))
        self.assert_good(run_("bundle", self.folder / "own.sqlite", "-o", self.folder / "out.zst"))
        self.assertEqual({stat.S_IMODE((self.folder / name).stat().st_mode) for name in ("own.sqlite", "own.sqlite.secret", "out.zst")}, {0o600})

    def test_odd_names(self):
        for number, name in enumerate([b"two words", b"what?", b"a#b", b"%41", b"line\nend", b"-dash", b"\xff\xfe", b"a&mode=memory", b"file:x", b"n" * 200]):
            with self.subTest(name):
                folder = os.fsencode(self.folder / str(number))
                os.mkdir(folder)
                shutil.copy(self.feeds / "1.jsonl", os.path.join(folder, b"f" + name))
                self.assert_good(hp_export("capture", "--feed", b"f" + name, "--", name, cwd=folder))
                self.assert_good(hp_export("bundle", "-o", b"o" + name, "--", name, cwd=folder))
                result = self.assert_good(hp_verify("bundle", b"--archive=" + name, "--", b"o" + name, cwd=folder))
                self.assertEqual(result.out.count(b"\n"), 2, result.out)
                self.assertEqual(self.names(os.fsdecode(folder)), sorted([name, name + b".secret", b"f" + name, b"o" + name]))

    def test_results_that_do_not_arrive(self):
        with open("/dev/full", "wb") as full:
            for number in (1, 2):
                self.assert_one_line_at_end(self.capture(number, "--json", stdout=full), "standard output: ", "no space left")
        script = ["sh", "-c", 'exec "$@" >&-', "sh", tool("hp-export"), "capture", str(self.archive), "--secret", str(self.secret), "--json", "--feed", str(self.feeds / "2.jsonl")]
        self.assert_one_line_at_end(Run(subprocess.run(script, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE)), "standard output: ")
        # The capture itself is done.
        self.assertEqual(dump(self.archive), self.expected(1, 2))

    def assert_one_line_at_end(self, result, *words):
        self.assertEqual(result.status, 2, result)
        errors = [line for line in result.err.splitlines() if "error: " in line]
        self.assertEqual(len(errors), 1, result)
        for word in words:
            self.assertIn(word, errors[0])

    def test_a_clock_that_runs_backwards(self):
        environment = {**ENVIRONMENT, "HP_FAULT_CLOCK": "86400"}
        expected = self.expected(1, 2)
        for number in (1, 2):
            end = self.shimmed(environment).run(self.capture_words(number))
            self.assertEqual(end.status, 0, end.err)
        self.assertEqual(dump(self.archive), expected)
        self.assertEqual(self.rows("SELECT count(*) FROM observations WHERE ended_at < started_at"), [(2,)])
        for again in range(2):
            end = self.shimmed(environment).run(self.bundle_words("--force"))
            self.assertEqual(end.status, 0, end.err)
        self.assertEqual(verdict_of(self.folder / "out.zst")["result"], "ok")
        self.assert_settled(self.archive, exports=1)


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

    assert_one_line_at_end = Surroundings.assert_one_line_at_end

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
        self.assert_good(self.capture(1))
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(first + out, (self.folder / "before.zst").read_bytes())
        self.assert_settled(path, exports=1)
        self.assert_good(hp_verify("bundle", self.folder / "before.zst", "--archive", path))

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

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_an_intent_whose_folder_may_not_be_looked_at(self):
        """It stays for another time, and does not stop the next export."""
        closed = self.folder.parent / "closed"
        closed.mkdir()
        self.captured()
        before = self.rows("SELECT count(*) FROM archive_metadata")
        temporary, destination = closed / ".out.zst.token.partial", closed / "out.zst"
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
        self.assertEqual(hp_verify("bundle", self.folder / "plain.zst", "--archive", self.archive).status, 1)
        self.assertEqual(trace_of(self.folder), trace)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "again.zst", "--no-record"))
        self.assertEqual((self.folder / "again.zst").read_bytes(), plain)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "out.zst"))
        self.assertEqual(self.names(), sorted([b"again.zst", b"archive.sqlite", b"out.zst", b"plain.zst", b"secret"]))
        self.assert_settled(self.archive, exports=1)


if __name__ == "__main__":
    unittest.main()
