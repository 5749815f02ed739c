"""What the system may give the tools: little room, other surroundings, odd names, another clock. What test_bad_input and test_export show already is not repeated."""

import os
import random
import resource
import shutil
import stat
import subprocess
import unittest

import health_exports
from system_support import IS_ROOT, LOGGED, SystemCase
from capture_support import dump
from support import ENVIRONMENT, NOBODY, PATIENCE, held, hp_export, hp_verify, Run, tool, verdict_of

MOUNT = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"', "sh"]


def can_mount(folder):
    return shutil.which("unshare") is not None and subprocess.run([*MOUNT, "64k", str(folder), "true"], stderr=subprocess.DEVNULL).returncode == 0


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
        """Sorting, staging and private copies need it; without it there is one error, and nothing else is touched."""
        small = self.folder.parent / "small"
        small.mkdir()
        if not can_mount(small):
            self.skipTest("no file system can be mounted here")
        path = self.generated(30_000, to="big.sqlite")
        environment = {**ENVIRONMENT, "TMPDIR": str(small), "SQLITE_TMPDIR": str(small)}
        hp = lambda name, *words, room="64k": Run(
            subprocess.run([*MOUNT, room, str(small), tool(name), *map(os.fspath, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=PATIENCE))
        # First rows are sorted there; what a pipe is given is then kept aside until it is recorded.
        reasons = []
        for words, room in ((("-o", self.folder / "refused.zst", "--no-record"), 64), *((("-o", "-"), room) for room in (64, *range(5120, 8192, 256)))):
            result = hp("hp-export", "bundle", path, *words, room="%dk" % room)
            if result.status == 0:
                break
            self.assertEqual(result.status, 2, result)
            self.assert_one_line(result, "big.sqlite: ")
            reasons.append("sort" if "cannot sort its rows" in result.err and "no space left" in result.err else "keep" if "full" in result.err else "other")
            self.assert_settled(path, exports=0)
        # With more room it fails later, each time with the reason of its step, until there is enough.
        self.assertEqual(result.status, 0, result)
        self.assertEqual((sorted(set(reasons)), reasons), (["keep", "sort"], sorted(reasons, reverse=True)))
        self.assertFalse((self.folder / "refused.zst").exists())
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
                self.assertEqual(result.out.count(b"\n"), 3, result.out)
                self.assertEqual(self.names(os.fsdecode(folder)), sorted([name, name + b".secret", b"f" + name, b"o" + name]))

    def test_results_that_do_not_arrive(self):
        with open("/dev/full", "wb") as full:
            for number in (1, 2):
                self.assert_one_line_at_end(self.capture(number, "--json", stdout=full), "standard output: ", "no space left")
        script = ["sh", "-c", 'exec "$@" >&-', "sh", tool("hp-export"), "capture", str(self.archive), "--secret", str(self.secret), "--json", "--feed", str(self.feeds / "2.jsonl")]
        self.assert_one_line_at_end(Run(subprocess.run(script, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE)), "standard output: ")
        # The capture itself is done.
        self.assertEqual(dump(self.archive), self.expected(1, 2))

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

if __name__ == "__main__":
    unittest.main()
