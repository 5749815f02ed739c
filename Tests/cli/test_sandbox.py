"""The sandbox (Spec/command-line.md, Sandbox): it holds, and no command notices it."""

import ctypes
import errno
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from backup_builder import PASSWORD, of_databases
from support import (
    ENVIRONMENT, ROOT, Case, execute, held, hp_export, hp_verify, run, run_as_nobody, schemas, tool, vectors,
)
from test_backup import build

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
CALLS = ("inet", "unix", "pair", "netlink", "uring", "ptrace", "memfd", "exec", "fork")


def landlock_version():
    """The version of Landlock's interface that this kernel has (landlock_create_ruleset(2)), 0 without one."""
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(444, None, ctypes.c_size_t(0), 1))


def has_filters():
    return "Seccomp_filters:" in pathlib.Path("/proc/self/status").read_text()


class SandboxCase(Case):
    _libraries = {}

    def setUp(self):
        super().setUp()
        self.work, self.out, self.elsewhere, self.temporary = (self.folder / name for name in ("work", "out", "elsewhere", "temporary"))
        for folder in (self.work, self.out, self.elsewhere, self.temporary):
            folder.mkdir()
        self.archive = self.fixture(to="work/archive.sqlite")
        (self.elsewhere / "private").write_text("private")
        self.environment = {name: value for name, value in ENVIRONMENT.items() if name not in ("TMPDIR", "SQLITE_TMPDIR", "HP_ARCHIVE")}
        self.environment["TMPDIR"] = str(self.temporary)

    def library(self, name):
        if COMPILER is None:
            self.skipTest("there is no C compiler")
        if name not in SandboxCase._libraries:
            folder = tempfile.mkdtemp(prefix="hp-cli-sandbox.")
            unittest.addModuleCleanup(shutil.rmtree, folder)
            library = pathlib.Path(folder, name + ".so")
            subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, ROOT / "Tests" / "cli" / (name + ".c"), "-ldl", "-pthread"], check=True)
            SandboxCase._libraries[name] = library
        return SandboxCase._libraries[name]

    def probed(self, words, *lines, **options):
        """What the kernel answers to a probe inside a command: names to numbers."""
        name, *rest = words
        libraries = " ".join(str(self.library(name)) for name in ["probe", *options.pop("also", ())])
        environment = {**options.pop("env", self.environment), "LD_PRELOAD": libraries, "HP_PROBE": "\n".join(lines)}
        result = run(name, *rest, env=environment, **options)
        answers = dict(line[len("probe "):].rsplit(" ", 1) for line in result.err.splitlines() if line.startswith("probe "))
        self.assertTrue(answers, result)
        return {name: int(number) for name, number in answers.items()}


@unittest.skipUnless(has_filters(), "this kernel has no filters of system calls")
class Calls(SandboxCase):
    def test_no_command_can_open_a_socket_or_start_a_program(self):
        (self.work / "text.json").write_text("{}")
        for words in (["hp-export", "list", self.archive, "types"], ["hp-export", "records", self.archive], ["hp-export", "records", self.archive, "--no-record"], ["hp-export", "check", self.archive],
                      ["hp-export", "seal", self.archive, "--json"], ["hp-export", "--version"], ["hp-export", "help"], ["hp-export", "repair", self.archive, "--ranges", "--dry-run", "--json"],
                      ["hp-verify", "archive", self.archive], ["hp-verify", "reproduce", self.archive], ["hp-verify", "bundle", vectors.path("good-minimal")], ["hp-verify", "explain"],
                      ["hp-verify", "canonicalize", self.work / "text.json"], ["hp-verify", "--version", "--json"]):
            with self.subTest(words[:2]):
                answers = self.probed(words)
                self.assertEqual({name: answers[name] for name in CALLS}, dict.fromkeys(CALLS, errno.EPERM))
                self.assertEqual(answers["thread"], 0)


@unittest.skipUnless(landlock_version(), "this kernel has no Landlock")
class Files(SandboxCase):
    def test_a_command_that_does_not_record_reaches_its_own_folders_and_no_others(self):
        self.assert_good(hp_export("bundle", self.archive, "-o", self.work / "out.zst", "--quiet"))
        home = pathlib.Path.home()
        lines = {"read %s" % (self.elsewhere / "private"): errno.EACCES, "write %s" % (self.elsewhere / "new"): errno.EACCES, "list %s" % self.elsewhere: errno.EACCES,
                 "write %s" % (self.work / "new"): errno.EACCES, "write %s" % self.archive: errno.EACCES, "read %s" % self.archive: 0, "write %s" % (self.temporary / "new"): 0,
                 "read /etc/passwd": errno.EACCES, "list %s" % home: errno.EACCES, "list /": errno.EACCES, "read /proc/1/status": errno.EACCES, "write /usr/new": errno.EACCES}
        for words in (["hp-export", "list", self.archive, "types"], ["hp-export", "records", self.archive, "--no-record"], ["hp-export", "diff", self.archive, "--summary"],
                      ["hp-verify", "archive", self.archive], ["hp-verify", "bundle", self.work / "out.zst"], ["hp-verify", "bundle", self.work / "out.zst", "--archive", self.archive],
                      ["hp-verify", "compare", self.work / "out.zst", self.work / "out.zst"], ["hp-export", "repair", self.archive, "--ranges", "--dry-run", "--json"]):
            with self.subTest(words[:2]):
                answers = self.probed(words, *lines)
                self.assertEqual({line: answers[line] for line in lines}, lines)
                self.assertEqual(os.listdir(self.elsewhere), ["private"])
                (self.temporary / "new").unlink()

    def test_a_command_that_names_no_file_reaches_none(self):
        for words in (["hp-verify", "explain", "line.cell"], ["hp-export", "--version"], ["hp-export", "help", "list"], ["hp-verify", "completions", "bash"]):
            with self.subTest(words[:2]):
                answers = self.probed(words, "read %s" % self.archive, "read %s" % (self.elsewhere / "private"))
                self.assertEqual({answers["read %s" % self.archive], answers["read %s" % (self.elsewhere / "private")]}, {errno.EACCES})

    def test_the_folder_of_an_output_can_be_written(self):
        self.assert_good(hp_export("bundle", self.archive, "-o", self.work / "out.zst", "--quiet"))
        for words in (["hp-verify", "bundle", self.work / "out.zst", "--junit", self.out / "results.xml"], ["hp-export", "bundle", self.archive, "-o", self.out / "new.zst", "--no-record", "--json"],
                      ["hp-verify", "salvage", self.work / "out.zst", "-o", self.out / "saved.zst"]):
            with self.subTest(words[:2]):
                answers = self.probed(words, "write %s" % (self.out / "new"), "write %s" % (self.elsewhere / "new"))
                self.assertEqual(answers, {**answers, "write %s" % (self.out / "new"): 0, "write %s" % (self.elsewhere / "new"): errno.EACCES})

    def test_a_backup_of_a_phone_is_only_read(self):
        build(self.elsewhere / "Health", 26).close()
        phone = of_databases(self.elsewhere / "Health").write(self.work / "phone")
        (self.work / "password").write_text(PASSWORD)
        lines = {"read %s" % (phone / "Manifest.db"): 0, "write %s" % (phone / "Manifest.db"): errno.EACCES, "write %s" % (phone / "new"): errno.EACCES, "write %s" % (self.work / "new"): errno.EACCES,
                 "read %s" % (self.elsewhere / "private"): errno.EACCES, "inet": errno.EPERM, "exec": errno.EPERM}
        for words in (["--iphone-backup", phone, "--backup-password-file", self.work / "password"], ["--list-needed", phone]):
            with self.subTest(words[0]):
                answers = self.probed(["hp-export", "convert", *words], *[line for line in lines if " " in line])
                self.assertEqual({line: answers[line] for line in lines}, lines)


class Versions(SandboxCase):
    def test_a_version_says_what_the_kernel_enforces(self):
        for name in ("hp-export", "hp-verify"):
            told = json.loads(self.assert_good(run(name, "--version", "--json", env=self.environment)).out)
            schemas.validator("version-result").validate(told)
            self.assertEqual(told["sandbox"], {"landlock": landlock_version(), "seccomp": has_filters()})

    def test_every_older_kernel_enforces_what_it_can(self):
        private = self.elsewhere / "private"
        for version in range(1, landlock_version() + 1):
            environment = {**self.environment, "HP_LANDLOCK": str(version)}
            with self.subTest(version):
                told = json.loads(hp_verify("--version", "--json", env={**environment, "LD_PRELOAD": str(self.library("without_sandbox"))}).out)
                self.assertEqual(told["sandbox"], {"landlock": version, "seccomp": has_filters()})
                lines = {"read %s" % private: errno.EACCES, "write %s" % (self.work / "new"): errno.EACCES, "write %s" % (self.out / "new"): 0, "inet": errno.EPERM}
                answers = self.probed(["hp-export", "bundle", self.archive, "-o", self.out / "new.zst", "--no-record", "--json", "--force"], *[line for line in lines if " " in line], env=environment, also=["without_sandbox"])
                self.assertEqual({line: answers[line] for line in lines}, lines)

    def test_a_kernel_without_it_changes_nothing_else(self):
        environment = {**self.environment, "LD_PRELOAD": str(self.library("without_sandbox"))}
        self.assertEqual(json.loads(hp_verify("--version", "--json", env=environment).out)["sandbox"], {"landlock": 0, "seccomp": False})
        for words in (["hp-export", "list", self.archive, "types"], ["hp-export", "records", self.archive, "--no-record"], ["hp-verify", "archive", self.archive],
                      ["hp-verify", "bundle", vectors.path("good-minimal")], ["hp-verify", "explain"]):
            with self.subTest(words[:2]):
                one, other = (run(words[0], *words[1:], env=env) for env in (self.environment, environment))
                self.assertEqual((one.status, one.out, one.err), (other.status, other.out, other.err))


class Places(SandboxCase):
    """Wherever files are and however they are named, a command does what it does without the sandbox."""

    def both(self, *words, status=(0, 1), made=(), **options):
        """Runs a command with the sandbox and without it, and wants the same."""
        results = []
        for preload in ({}, {"LD_PRELOAD": str(self.library("without_sandbox"))}):
            for path in made:
                pathlib.Path(path).unlink(missing_ok=True)
            result = run(words[0], *words[1:], **{"env": {**self.environment, **preload}, **options})
            results.append((result.status, result.out, result.err))
        self.assertEqual(results[0], results[1], words)
        self.assertIn(results[0][0], status, results[0])

    def commands(self, archive, bundle, **options):
        self.both("hp-export", "list", archive, "observations", "--json", **options)
        self.both("hp-export", "list", archive, "sources", **options)
        self.both("hp-export", "records", archive, "--no-record", **options)
        self.both("hp-export", "diff", archive, "--summary", **options)
        self.both("hp-verify", "archive", archive, **options)
        self.both("hp-verify", "reproduce", archive, **options)
        self.both("hp-verify", "bundle", bundle, "--archive", archive, **options)
        self.both("hp-verify", "history", bundle, "--archive", archive, status=(1,), **options)

    def exported(self, to=None):
        bundle = (to or self.out) / "out.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", bundle, "--quiet"))
        return bundle

    def test_folders_for_temporary_files(self):
        bundle = self.exported()
        del self.environment["TMPDIR"]
        self.commands(self.archive, bundle)
        # A log makes a private copy of the archive.
        for place in (self.work, self.work / "below", self.folder, pathlib.Path("."), pathlib.Path("missing")):
            with self.subTest(place), held(self.archive):
                if place.name == "below":
                    place.mkdir()
                self.environment["TMPDIR"] = str(place)
                self.both("hp-export", "list", self.archive, "types", cwd=self.out)
                self.both("hp-export", "records", self.archive, "--no-record", cwd=self.out)

    def test_a_log_and_the_programs_that_share_it(self):
        bundle = self.exported()
        execute(self.archive, "PRAGMA journal_mode = WAL")
        with held(self.archive, "INSERT INTO archive_metadata VALUES ('test', 'in the log')"):
            self.commands(self.archive, bundle)

    def test_relative_names(self):
        self.exported(self.work)
        self.commands("archive.sqlite", "out.zst", cwd=self.work)
        self.commands("../work/./archive.sqlite", "../work//out.zst", cwd=self.out)
        self.environment["HP_ARCHIVE"] = "archive.sqlite"
        self.both("hp-export", "list", "types", cwd=self.work)

    def test_names_that_are_links(self):
        bundle = self.exported()
        links = self.elsewhere / "links"
        links.mkdir()
        (links / "archive.sqlite").symlink_to("../../work/archive.sqlite")
        (links / "bundle.zst").symlink_to(bundle)
        (links / "folder").symlink_to(self.work)
        self.commands(links / "archive.sqlite", links / "bundle.zst")
        self.commands(links / "folder" / "archive.sqlite", links / "bundle.zst")
        self.assert_good(hp_export("records", self.archive, "-o", self.out / "table.csv", "--quiet"))
        for name in ("table.csv", "table.csv-metadata.json"):
            (links / name).symlink_to(self.out / name)
        self.both("hp-verify", "bundle", links / "table.csv", "--archive", links / "archive.sqlite")
        # What belongs to the archive may be a link, too.
        self.assert_good(hp_export("cache", self.archive, "rebuild", "--quiet"))
        (self.work / "archive.sqlite.cache").rename(self.out / "cache")
        (self.work / "archive.sqlite.cache").symlink_to(self.out / "cache")
        self.both("hp-export", "list", self.archive, "observations", "--json")
        self.both("hp-export", "diff", self.archive, "--summary", "--counts", "--json")

    def test_outputs(self):
        bundle = self.exported(self.work)
        (self.elsewhere / "link").symlink_to(self.out)
        for folder in (self.out, self.work, self.elsewhere / "link"):
            made = folder / "new.zst"
            self.both("hp-export", "bundle", self.archive, "-o", made, "--no-record", "--quiet", made=[made])
            made = folder / "results.xml"
            self.both("hp-verify", "bundle", bundle, "--junit", made, made=[made])
            made = folder / "saved.zst"
            self.both("hp-verify", "salvage", bundle, "-o", made, made=[made])
        self.both("hp-export", "bundle", self.archive, "-o", self.out / "new.zst", "--no-record", status=(2,))
        self.both("hp-export", "bundle", self.archive, "-o", self.out / "none" / "new.zst", "--no-record", status=(2,))
        self.both("hp-export", "bundle", self.archive, "-o", "new.zst", "--no-record", "--quiet", "--force", cwd=self.out)
        for number, name in enumerate(("pages", "pages/", "./pages///")):
            shutil.rmtree(self.out / "pages", ignore_errors=True)
            self.both("hp-export", "report", self.archive, "--all", "-o", name, "--no-record", "--quiet", "--force", cwd=self.out)
            self.assertTrue((self.out / "pages" / "index.html").exists())

    def test_inputs_without_a_name_of_their_own(self):
        bundle = self.exported()
        for path in ("/dev/stdin", "/proc/self/fd/0", "-"):
            with open(bundle, "rb") as file:
                self.both("hp-verify", "bundle", path, stdin=file)
        with open(bundle, "rb") as file:
            self.both("hp-verify", "bundle", "/dev/fd/%d" % file.fileno(), pass_fds=[file.fileno()])
        script = "cat \"$1\" | %s bundle - && cat \"$1\" | %s bundle /dev/stdin; %s canonicalize <(printf '{}')" % (3 * (tool("hp-verify"),))
        for preload in ("", str(self.library("without_sandbox"))):
            result = subprocess.run(["bash", "-c", script, "bash", bundle], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**self.environment, "LD_PRELOAD": preload})
            self.assertIn(b"valid", result.stdout)
            self.assertTrue(result.stdout.endswith(b"{}"), result.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_an_archive_in_a_folder_that_cannot_be_written(self):
        bundle = self.exported()
        for path in (self.archive, bundle):
            path.chmod(0o444)
        self.work.chmod(0o555)
        self.assertEqual(run_as_nobody("hp-export", self.out, "list", self.archive, "types").status, 0)
        self.assertEqual(run_as_nobody("hp-verify", self.out, "bundle", bundle, "--archive", self.archive).status, 0)

    def test_what_cannot_be_read_is_said_and_is_no_finding(self):
        """A table's sidecar that leads to a device, and an input that is not there: as without the sandbox."""
        self.assert_good(hp_export("records", self.archive, "-o", self.out / "table.csv", "--quiet"))
        (self.out / "table.csv-metadata.json").unlink()
        self.both("hp-verify", "bundle", self.out / "table.csv", status=(1,))
        (self.out / "table.csv-metadata.json").symlink_to("/nowhere")
        self.both("hp-verify", "bundle", self.out / "table.csv", status=(1,))
        self.both("hp-verify", "bundle", self.out / "missing", status=(2,))
        self.both("hp-export", "list", self.elsewhere, "types", status=(2,))


if __name__ == "__main__":
    unittest.main()
