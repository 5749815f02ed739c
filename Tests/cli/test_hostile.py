"""Looking at an archive that somebody else made: nothing outside the folder for temporary files is removed or written.

`hostile_archives.py` makes the archives. What SQLite would do to them is shown by SQLite itself, through Python.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import time
import unittest

import hostile_archives
from capture_support import SECRET, feed, observation, sample, type_run
from support import (
    ENVIRONMENT, FIXTURES, NOBODY, PATIENCE, Case, execute, hp_export, publication_token, query, run, Run,
    size_of_a_hole, takes_long, tool,
)

STRACE = shutil.which("strace")
SILENT = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
IS_ROOT = os.geteuid() == 0


def can_trace():
    if STRACE is None:
        return False
    return subprocess.run([STRACE, "-qq", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode == 0


class HostileCase(Case):
    """A folder for temporary files, and one for each archive."""

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {**ENVIRONMENT, "TMPDIR": str(self.temporary), "SQLITE_TMPDIR": str(self.temporary)}
        good = self.fixture(to="good/archive.sqlite")
        self.bundle = self.folder / "bundle.zst"
        self.assert_good(hp_export("bundle", good, "-o", self.bundle))
        self.text = self.folder / "text.json"
        self.text.write_text('{"a":1}')

    def make(self, name, where="hostile"):
        place = self.folder / where
        if place.exists():
            shutil.rmtree(place)
        place.mkdir()
        hostile_archives.ALL[name](str(place))
        return place, place / hostile_archives.ARCHIVE

    def looking(self, path):
        """Every command that only looks, and whether it opens the archive."""
        return [
            ("hp-verify", "archive", path), ("hp-verify", "reproduce", path),
            ("hp-verify", "bundle", self.bundle, "--archive", path),
            ("hp-verify", "salvage", self.bundle, "-o", self.temporary / "salvage.zst", "--force", "--archive", path),
            ("hp-export", "list", path, "observations"), ("hp-export", "list", path, "exports", "--json"),
            ("hp-export", "manifest", path, "-o", "-", "--no-record"),
            ("hp-export", "records", path, "-o", "-", "--no-record"),
            ("hp-export", "diff", path, "-o", "-", "--no-record"),
            ("hp-export", "bundle", path, "-o", "-", "--no-record"),
            ("hp-export", "repair", path, "--ranges", "--dry-run"),
        ]

    def writing(self, path):
        """Every command that may write to the archive."""
        source = self.folder / "feed.jsonl"
        source.write_bytes(feed(observation(1, type_run([sample(1, 1)]))))
        secret = self.folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        return [
            ("hp-export", "bundle", path, "-o", self.folder / "out.zst", "--force"),
            ("hp-export", "repair", path, "--ranges"),
            ("hp-export", "capture", path, "--feed", source, "--new-chain", "--secret", secret),
            ("hp-export", "capture", path, "--feed", source, "--new-chain", "--secret", secret, "--reset-prototype"),
        ]

    def tree(self, place):
        """Every file below a folder, and what it is; links and pipes are not followed."""
        found = {}
        for folder, folders, files in os.walk(place):
            for name in folders + files:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                content = None
                if stat.S_ISREG(status.st_mode):
                    content = (status.st_mtime_ns, pathlib.Path(path).read_bytes())
                elif stat.S_ISLNK(status.st_mode):
                    content = os.readlink(path)
                found[os.path.relpath(path, place)] = (status.st_ino, status.st_mode, status.st_nlink, content)
        return found

    def ended(self, words, **options):
        options.setdefault("env", self.environment)
        return run(*words, **options)


class Looking(HostileCase):
    def test_sqlite_itself_removes_what_the_journals_name(self):
        for name in hostile_archives.SUPER_JOURNALS:
            with self.subTest(name):
                place, path = self.make(name)
                (victim,) = place.rglob(hostile_archives.VICTIM)
                with contextlib.suppress(sqlite3.DatabaseError):
                    query(path, "SELECT count(*) FROM samples")
                self.assertFalse(victim.exists(), "SQLite does not take it for a journal with a super-journal")

    def test_no_command_opens_an_archive_with_such_things_beside_it(self):
        for name in hostile_archives.REFUSED:
            what = "super-journal" if name in hostile_archives.SUPER_JOURNALS else ""
            place, path = self.make(name)
            before = self.tree(place)
            for words in self.looking(path) + self.writing(path):
                with self.subTest(name, words=words[:2]):
                    result = self.ended(words)
                    self.assertEqual(result.status, 2, result)
                    self.assert_one_line(result, "archive.sqlite: ", what, name=words[0])
                    self.assertEqual(self.tree(place), before)
                    self.assertEqual([left.name for left in self.temporary.glob("hp-archive.*")], [])

    def test_no_command_writes_to_what_has_another_name_too(self):
        """SQLite would write to a log, its index or a journal, and so to whatever the file is elsewhere."""
        for name, suffix in (("log", "-wal"), ("log", "-shm"), ("hot journal", "-journal")):
            place, path = self.make(name)
            companion = pathlib.Path(str(path) + suffix)
            if not companion.exists():
                companion.write_bytes(bytes(32768))
            os.link(companion, self.folder / ("other" + suffix))
            before = self.tree(place)
            for words in self.writing(path):
                with self.subTest(suffix, words=words[:2]):
                    result = self.ended(words)
                    self.assert_refused(result, "archive.sqlite: its %s file has another name too" % suffix)
                    self.assertEqual(self.tree(place), before)

    def test_looking_changes_nothing_and_never_traps(self):
        for name in hostile_archives.ACCEPTED:
            place, path = self.make(name)
            before = self.tree(place)
            for words in self.looking(path):
                with self.subTest(name, words=words[:2]):
                    result = self.ended(words)
                    self.assertIn(result.status, (0, 1) if "garbage" not in name else (0, 1, 2), result)
                    self.assertEqual(self.tree(place), before)
                    self.assertEqual([left.name for left in self.temporary.glob("hp-archive.*")], [])

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    @takes_long
    def test_no_looking_command_writes_outside_the_temporary_folder(self):
        for name in hostile_archives.ALL:
            place, path = self.make(name)
            words_of_all = self.looking(path) + [
                ("hp-verify", "bundle", self.bundle), ("hp-verify", "canonicalize", self.text),
                ("hp-verify", "check-canonical", self.text)]
            for words in words_of_all:
                with self.subTest(name, words=words[:2]):
                    self.assertEqual(self.written_outside(words), [])

    def test_the_trace_shows_what_a_recording_command_writes(self):
        """The same look at a command that does write: a trace that shows nothing would show nothing of the others."""
        if not can_trace():
            self.skipTest("strace is not there or may not trace")
        place, path = self.make("nothing beside it")
        found = self.written_outside(("hp-export", "bundle", path, "-o", place / "out.zst"))
        self.assertTrue([line for line in found if "archive.sqlite" in line and "O_RDWR" in line], found)
        self.assertTrue([line for line in found if "unlink" in line and ".partial" in line], found)

    CHANGES = ("unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat truncate mkdir mkdirat rmdir "
               "mknod mknodat chmod fchmodat chown lchown fchownat utimensat setxattr lsetxattr creat").split()

    def written_outside(self, words):
        """The calls of a command that remove, rename or open for writing what is outside the temporary folder."""
        log = self.folder / "trace"
        calls = ",".join("?" + call for call in ["open", "openat", "openat2", *self.CHANGES])
        command = [STRACE, "-f", "-qq", "-s", "4096", "-o", log, "-e", "trace=" + calls, "-e", "signal=none"]
        subprocess.run([*command, tool(words[0]), *words[1:]], **SILENT, env=self.environment, timeout=PATIENCE,
                       cwd=self.folder)
        found = []
        for line in log.read_text(errors="replace").splitlines():
            call = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
            if call is None:
                continue
            if call[1].startswith("open") and not re.search("O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)", line):
                continue
            names = re.findall(r'"((?:[^"\\]|\\.)*)"', call[2])
            paths = [os.path.join(self.folder, name) for name in names if name != "/dev/null"]
            if any(not path.startswith(str(self.temporary) + "/") for path in paths):
                found.append(line)
        return found


class Copies(HostileCase):
    """Private copies: what they may cost, and what is left of them."""

    def test_holes_of_a_log_or_a_journal_are_not_copied(self):
        """Eight terabytes that take no space: behind the log, behind a journal, and before something in a log."""
        for name, suffix, more in (("log", "-wal", b""), ("hot journal", "-journal", b""), ("log", "-wal", b"more")):
            place, path = self.make(name)
            expected = [self.ended(words) for words in self.looking(path)]
            with open(str(path) + suffix, "r+b") as file:
                size = size_of_a_hole(1 << 43)
                file.truncate(size)
                file.seek(size)
                file.write(more)
            for words, before in zip(self.looking(path), expected):
                with self.subTest(name, words=words[:2], more=more):
                    result = self.ended(words)
                    self.assertEqual((result.status, result.out), (before.status, before.out), result)
                    self.assertEqual(list(self.temporary.glob("hp-archive.*")), [])

    def test_a_journal_that_sqlite_does_not_roll_back_leaves_nothing_either(self):
        """SQLite removes a hot one when it rolls it back, and leaves any other beside the copy."""
        for name in ("journal that is done", "empty journal", "hot journal"):
            with self.subTest(name):
                place, path = self.make(name)
                before = self.tree(place)
                self.assert_good(self.ended(("hp-export", "list", path, "observations")))
                self.assertEqual(os.listdir(self.temporary), [])
                self.assertEqual(self.tree(place), before)

    def test_a_log_that_the_folder_has_no_room_for_is_refused_before_anything_is_copied(self):
        script = 'mount -t tmpfs -o size=64k tmpfs "$1" && shift && "$@"; status=$?; ls -A "$TMPDIR" >&2; exit $status'
        mount = ["unshare", "-rm", "sh", "-c", script, "sh", str(self.temporary)]
        if shutil.which("unshare") is None or subprocess.run([*mount, "true"], **SILENT, env=self.environment).returncode:
            self.skipTest("no file system can be mounted here")
        place, path = self.make("log")
        process = subprocess.run(
            [*mount, tool("hp-verify"), "archive", str(path)], stdin=subprocess.DEVNULL, capture_output=True,
            env=self.environment, timeout=PATIENCE)
        result = Run(process)
        self.assertEqual(result.status, 2, result)
        self.assert_one_line(result, "archive.sqlite: no space left for a private copy in ", name="hp-verify")

    def test_a_copy_stops_when_it_is_asked_to(self):
        """The copy goes into a pipe's place: the log is large enough that the signal comes while it is copied."""
        place, path = self.make("log")
        with open(str(path) + "-wal", "ab") as file:
            for _ in range(512):
                file.write(b"\1" * (1 << 20))
        words = [tool("hp-verify"), "archive", path, "--quiet"]
        process = subprocess.Popen(words, **{**SILENT, "stderr": subprocess.PIPE}, env=self.environment)
        while process.poll() is None and not list(self.temporary.glob("hp-archive.*/archive.sqlite-wal")):
            time.sleep(0.001)
        copied = sum(file.stat().st_size for file in self.temporary.glob("hp-archive.*/archive.sqlite-wal"))
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 143, errors)
        self.assertLess(copied, os.stat(str(path) + "-wal").st_size)
        self.assertEqual(list(self.temporary.glob("hp-archive.*")), [])

    def test_what_a_killed_process_left_is_removed_by_every_command_that_opens_an_archive(self):
        place, path = self.make("nothing beside it")
        for words in self.looking(path) + self.writing(path):
            with self.subTest(words[:2]):
                left = self.temporary / "hp-archive.abcdef"
                left.mkdir(mode=0o700)
                (left / "healthprobe-private-copy").write_text("A tool of HealthProbe made this folder and removes it.\n")
                (left / "archive.sqlite").write_bytes(b"health records")
                (left / "archive.sqlite-wal").write_bytes(b"health records")
                self.assertIn(self.ended(words).status, (0, 1))
                self.assertFalse(left.exists())


class Beginnings(HostileCase):
    """A new archive begins where nothing lies that SQLite would take for a part of it."""

    def test_no_archive_begins_beside_what_another_one_left(self):
        log = self.folder / "a log"
        with contextlib.closing(sqlite3.connect(log, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = WAL")
            other.execute("CREATE TABLE t(x)")
            left = pathlib.Path(str(log) + "-wal").read_bytes()
        self.assertGreater(len(left), 32)
        place = self.folder / "new"
        place.mkdir()
        archive = place / "a.sqlite"
        for suffix in ("-wal", "-shm", "-journal"):
            for source in (("--apple-health", FIXTURES / "apple-health" / "export.zip"), ("--feed", FIXTURES / "feeds" / "good" / "anchors.jsonl")):
                with self.subTest((suffix, source[0])):
                    companion = pathlib.Path(str(archive) + suffix)
                    companion.write_bytes(left)
                    result = hp_export("capture", archive, *source, stdin=subprocess.DEVNULL)
                    self.assert_refused(result, "a new archive cannot begin beside")
                    self.assertEqual(sorted(path.name for path in place.iterdir()), [companion.name])
                    self.assertEqual(companion.read_bytes(), left)
                    companion.unlink()

    def test_no_backup_begins_there_either(self):
        archive = self.fixture(to="repaired/archive.sqlite")
        execute(archive, "UPDATE sample_visibility_ranges SET first_seen_at = 1 WHERE rowid = 1")
        backup = archive.parent / "backup"
        pathlib.Path(str(backup) + "-wal").write_bytes(b"a log")
        self.assert_refused(hp_export("repair", archive, "--ranges", "--backup", backup), "cannot begin beside")
        self.assertFalse(backup.exists())


class Intents(HostileCase):
    def test_an_archive_of_somebody_else_gives_no_file_a_name(self):
        place, path = self.make("intents")
        names = [name for name in os.listdir(place) if (place / name).is_file() and name != hostile_archives.ARCHIVE]
        before = {name: (place / name).read_bytes() for name in names}
        inode = path.stat().st_ino
        result = self.assert_good(self.ended(("hp-export", "bundle", path, "-o", self.folder / "out.zst")))
        self.assertEqual({name: (place / name).read_bytes() for name in before}, before)
        self.assertEqual(path.stat().st_ino, inode)
        self.assertIn("gives 4 files another name, not made here for this archive: they stay as they are", result.err)
        self.assertNotIn(str(place), result.err, "no stored path is told")
        self.assertEqual(query(path, "PRAGMA integrity_check"), [("ok",)])

    def test_an_intent_with_the_token_of_another_archive_of_this_machine_is_not_followed(self):
        """A copy of an archive that waits for its file is another archive: the file belongs to the first."""
        place, path = self.make("nothing beside it")
        planted = place / (".victim.txt.%s.partial" % publication_token(path))
        planted.write_bytes(b"planted\n")
        copy = self.folder / "copy.sqlite"
        shutil.copyfile(path, copy)
        for archive, is_followed in ((copy, False), (path, True)):
            hostile_archives.add_intent(archive, planted, place / hostile_archives.VICTIM, "replace")
            self.assert_good(self.ended(("hp-export", "bundle", archive, "-o", self.folder / "out.zst", "--force")))
            expected = b"planted\n" if is_followed else hostile_archives.VICTIM_TEXT
            self.assertEqual((place / hostile_archives.VICTIM).read_bytes(), expected)
            self.assertEqual(planted.exists(), not is_followed)

    def test_not_even_our_own_token_replaces_the_archive_or_its_secret(self):
        place, path = self.make("nothing beside it")
        secret = place / "elsewhere"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        other = place / "another name"
        os.link(path, other)
        token = publication_token(path)
        for name in ("archive.sqlite", "archive.sqlite-wal", "archive.sqlite.secret", ".archive.sqlite.capture",
                     "another name", "elsewhere"):
            for spelled in (str(place), str(place) + "/.", str(place) + "/../" + place.name):
                with self.subTest(name, spelled=spelled):
                    planted = os.path.join(spelled, ".%s.%s.partial" % (name, token))
                    pathlib.Path(planted).write_bytes(b"planted\n")
                    hostile_archives.add_intent(path, planted, os.path.join(spelled, name), "replace")
                    words = ("hp-export", "bundle", path, "-o", self.folder / "out.zst", "--force")
                    result = self.assert_good(self.ended(words))
                    self.assertIn("it stays as it is", result.err)
                    self.assertEqual(pathlib.Path(planted).read_bytes(), b"planted\n")
                    self.assertEqual((path.read_bytes()[:6], secret.read_text()), (b"SQLite", SECRET))
                    execute(path, "DELETE FROM archive_metadata WHERE key LIKE 'publish_intent:%'")
                    os.unlink(planted)

    @unittest.skipUnless(IS_ROOT, "only root can give files away")
    def test_a_file_of_another_user_is_not_given_a_name(self):
        place, path = self.make("nothing beside it")
        planted = place / (".victim.txt.%s.partial" % publication_token(path))
        planted.write_bytes(b"planted\n")
        os.chown(planted, NOBODY, NOBODY)
        hostile_archives.add_intent(path, planted, place / hostile_archives.VICTIM, "replace")
        self.assert_good(self.ended(("hp-export", "bundle", path, "-o", self.folder / "out.zst")))
        self.assertEqual((place / hostile_archives.VICTIM).read_bytes(), hostile_archives.VICTIM_TEXT)


class Outputs(HostileCase):
    def test_no_output_is_a_file_of_the_archive(self):
        place, path = self.make("nothing beside it")
        link = self.folder / "link.sqlite"
        link.symlink_to(path)
        hidden = place / "hidden"
        for name, is_there in ((".secret", True), (".secret", False), ("-wal", False), ("-shm", False),
                               ("-journal", False), ("hidden", True)):
            target = hidden if name == "hidden" else pathlib.Path(str(path) + name)
            if is_there:
                target.write_text(SECRET)
                target.chmod(0o600)
            before = self.tree(place)
            for words in (("hp-export", "bundle", path, "-o", target, "--force"),
                          ("hp-export", "records", link, "-o", target, "--force", "--no-record"),
                          ("hp-verify", "salvage", self.bundle, "-o", target, "--force", "--archive", path),
                          ("hp-export", "repair", path, "--ranges", "--backup", target)):
                if words[1] == "repair" and name == "hidden":
                    continue
                with self.subTest(name, is_there=is_there, words=words[:2]):
                    result = self.ended(words)
                    self.assertEqual(result.status, 2, result)
                    self.assert_one_line(result, target.name, name=words[0])
                    self.assertEqual(self.tree(place), before)
            target.unlink(missing_ok=True)

    def test_the_lock_is_a_file_of_the_archive(self):
        place, path = self.make("nothing beside it")
        for output in (".archive.sqlite.capture",):
            self.assert_refused(self.ended(("hp-export", "bundle", path, "-o", place / output, "--force")), output)
            self.assertNotIn(output, os.listdir(place))

    def test_a_secret_is_salvaged_over_by_nothing(self):
        """Also where no archive is named."""
        secret = self.folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        result = self.ended(("hp-verify", "salvage", self.bundle, "-o", secret, "--force"))
        self.assert_refused(result, "secret", name="hp-verify")
        self.assertEqual(secret.read_text(), SECRET)


class Times(HostileCase):
    def test_a_file_of_any_time_is_a_file(self):
        for seconds in (10_000_000_000, -10_000_000_000, (1 << 34) - 1, -(1 << 31), -1, 9_223_372_037, -9_223_372_037):
            place, path = self.make("nothing beside it")
            files = [path, self.folder / "feed.jsonl", self.bundle, self.text]
            others = [("hp-verify", "bundle", self.bundle), ("hp-verify", "canonicalize", self.text)]
            words_of_all = self.looking(path) + others + self.writing(path)
            for words in words_of_all:
                with self.subTest(seconds, words=words[:2]):
                    for file in files:
                        if file.exists():
                            os.utime(file, (seconds, seconds))
                    result = self.ended(words)
                    self.assertIn(result.status, (0, 1), result)


class Secrets(HostileCase):
    def setUp(self):
        super().setUp()
        self.place, self.path = self.make("nothing beside it")
        self.secret = self.folder / "the secret"
        self.words = self.writing(self.path)[2][:-1]
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)

    def captured(self, secret):
        return self.ended((*self.words, secret))

    def test_a_link_to_a_secret_is_taken_and_what_it_leads_to_is_looked_at(self):
        link = self.folder / "link"
        link.symlink_to(self.secret)
        self.assertIn(self.captured(link).status, (0, 1))
        self.secret.chmod(0o640)
        self.assert_refused(self.captured(link), "link: others than the owner can read or write it")

    def test_what_is_no_secret_of_ours_is_refused(self):
        fifo, zero, large, dangling = (self.folder / name for name in ("fifo", "zero", "large", "dangling"))
        os.mkfifo(fifo, 0o600)
        zero.symlink_to("/dev/zero")
        large.write_text(SECRET + "\n" * 1000)
        large.chmod(0o600)
        dangling.symlink_to("nowhere")
        for path, words in ((fifo, "a FIFO"), (zero, "a device"), (large, "not an archive secret"),
                            (dangling, "dangling: cannot open"), (self.place, "a folder")):
            with self.subTest(path.name):
                self.assert_refused(self.captured(path), words)
        self.assertFalse((self.folder / "nowhere").exists())

    @unittest.skipUnless(IS_ROOT, "only root can give files away")
    def test_a_secret_of_another_user_is_refused(self):
        os.chown(self.secret, NOBODY, NOBODY)
        self.assert_refused(self.captured(self.secret), "the secret: belongs to another user")

    def test_a_secret_is_no_file_of_the_archive(self):
        new = self.place / "new.sqlite"
        for name in ("", "-wal", "-shm", "-journal"):
            with self.subTest(name):
                secret = pathlib.Path(str(new) + name)
                result = self.ended(("hp-export", "capture", new, "--quiet", *self.words[3:], secret))
                self.assert_refused(result, "is the archive or a file that belongs to it")

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_a_secret_is_opened_once_and_never_through_its_name_again(self):
        log = self.folder / "trace"
        words = [tool(self.words[0]), *self.words[1:], self.secret]
        command = [STRACE, "-f", "-qq", "-o", log, "-e", "trace=?open,openat", *words]
        subprocess.run(command, **SILENT, env=self.environment, timeout=PATIENCE)
        lines = [line for line in log.read_text().splitlines() if '/the secret"' in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("O_NOFOLLOW", lines[0])


class Process(HostileCase):
    def test_no_core_is_dumped(self):
        """The limit is what the tool itself set, whatever it was given, and the process is one that is not dumped."""
        place, path = self.make("nothing beside it")
        self.writing(path)
        capture = ("capture", path, "--feed", "-", "--secret", self.folder / "secret", "--quiet")
        for name, words in (("hp-export", capture), ("hp-verify", ("canonicalize", "-"))):
            with self.subTest(name):
                options = {**SILENT, "stdin": subprocess.PIPE}
                process = subprocess.Popen([tool(name), *words], **options, env=self.environment)
                limits = pathlib.Path("/proc/%d/limits" % process.pid)
                if not limits.exists():
                    process.kill()
                    process.wait()
                    self.skipTest("the system does not say what a process may dump")
                wanted = re.compile(r"Max core file size +0 +0 ")
                for _ in range(1000):
                    if wanted.search(limits.read_text()):
                        break
                    time.sleep(0.01)
                self.assertRegex(limits.read_text(), wanted)
                process.kill()
                process.communicate()

    @unittest.skipUnless(can_trace(), "strace is not there or may not trace")
    def test_dumping_is_forbidden_before_anything_is_opened(self):
        log = self.folder / "trace"
        for name in ("hp-export", "hp-verify"):
            command = [STRACE, "-f", "-qq", "-o", log, "-e", "trace=prctl,clone,?clone3", tool(name), "--version"]
            subprocess.run(command, **SILENT, env=self.environment, timeout=PATIENCE)
            text = log.read_text()
            self.assertRegex(text, r"prctl\(PR_SET_DUMPABLE, (0|SUID_DUMP_DISABLE)")
            self.assertLess(text.index("PR_SET_DUMPABLE"), (text + "clone").index("clone"))

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_descriptors_have_names_for_every_user(self):
        """A process that is not dumped still has its own /proc/self/fd: `<(…)` and /dev/stdin work as before."""
        place, path = self.make("nothing beside it")
        text = self.folder / "text.json"
        text.chmod(0o644)
        copy = self.folder / "hp-verify"
        shutil.copy(tool("hp-verify"), copy)
        with open(text, "rb") as file:
            process = subprocess.run([copy, "canonicalize", "/dev/stdin"], stdin=file, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE, user=NOBODY,
                                     group=NOBODY, extra_groups=[])
        self.assertEqual((process.returncode, process.stdout), (0, b'{"a":1}'), process.stderr)

    def test_a_library_that_does_not_take_an_option_is_refused(self):
        """Another sqlite3_db_config is put before SQLite's own: one that fails, and one that says nothing changed."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("there is no C compiler")
        place, path = self.make("nothing beside it")
        says_nothing_changed = ("va_list list; va_start(list, option); (void)va_arg(list, int); "
                                "int *now = va_arg(list, int *); if (now) *now = 77; return 0;")
        head = "#include <stdarg.h>\nint sqlite3_db_config(void *db, int option, ...) { (void)db; (void)option; %s }\n"
        for number, body in enumerate(("return 1;", says_nothing_changed)):
            source, library = self.folder / "option.c", self.folder / ("option%d.so" % number)
            source.write_text(head % body)
            subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
            for words in self.looking(path):
                with self.subTest(words[:2], number=number):
                    result = self.ended(words, env={**self.environment, "LD_PRELOAD": str(library)})
                    self.assertEqual(result.status, 2, result)
                    self.assert_one_line(result, "archive.sqlite: ", "option", name=words[0])


if __name__ == "__main__":
    unittest.main()
