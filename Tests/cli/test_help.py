"""What is made of the table of commands: help, manual pages, completions; suggestions, HP_ARCHIVE, and colours."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from support import ENVIRONMENT, PATIENCE, ROOT, TOOLS, hp_export, hp_verify, run, schemas, tool, trace_of, vectors
from support import Case

TOOL_NAMES = ("hp-export", "hp-verify")
OPTION = re.compile(r"^  (-o|--[a-z-]+)(?: (\S+))?(?:  .*)?$", re.MULTILINE)


def commands_of(name):
    return run(name, "manual", "--list").out.decode().split()


def options_of(name, command):
    """The options that the help of a command lists, with the name of each value."""
    text = run(name, command, "--help").out.decode()
    return dict(OPTION.findall(text))


def hp_usage(name, word):
    """The help of a command, nothing where there is no such command."""
    return run(name, word, "--help").out.decode()


class Pages(Case):
    def test_every_command_has_help_and_a_page(self):
        self.assertIn("salvage", commands_of("hp-verify"))
        for name in TOOL_NAMES:
            commands = commands_of(name)
            self.assertEqual(commands[-3:], ["help", "manual", "completions"])
            overview = run(name, "--help").out.decode()
            self.assertEqual(run(name, "help").out.decode(), overview)
            for command in commands:
                self.assertIn("\n  %s" % command, overview)
                text = run(name, command, "--help").out.decode()
                self.assertEqual(run(name, "help", command).out.decode(), text)
                self.assertTrue(text.startswith("usage: %s %s" % (name, command)), text)
                self.assertIn("\nexample: ", text)
                # What is typed is not broken into lines.
                self.assertLessEqual(max(len(line) for line in text.splitlines() if not line.startswith(("usage: ", "example: "))), 100)

    def test_every_option_that_the_specification_lists_is_in_the_help(self):
        page = (ROOT / "Spec" / "command-line.md").read_text(encoding="utf-8")
        for name in TOOL_NAMES:
            for use in re.findall(r"^    %s +(\w[\w-]*) .*(?:\n {20,}.*)*" % name, page, re.MULTILINE):
                use_text = re.search(r"^    %s +%s .*(?:\n {20,}.*)*" % (name, use), page, re.MULTILINE)[0]
                missing = set(re.findall(r"(?<![\w-])(?:-o|--[a-z-]+)", use_text)) - set(options_of(name, use)) - {"--list"}
                self.assertEqual(missing, set(), use)

    def check_page(self, page, words):
        path = self.folder / "page.1"
        path.write_bytes(page)
        for word in words:
            self.assertIn(word.replace("-", "\\-").encode(), page)
        if shutil.which("man"):
            environment = {**ENVIRONMENT, "MANWIDTH": "90", "MAN_KEEP_FORMATTING": "", "MANROFFSEQ": ""}
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            for section in (b"NAME", b"SYNOPSIS", b"DESCRIPTION", b"SEE ALSO"):
                self.assertRegex(shown.stdout, rb"(?m)^%s$" % section)
        if shutil.which("mandoc"):
            # A page has no date: the same tool prints the same page.
            found = subprocess.run(["mandoc", "-T", "lint", path], stdout=subprocess.PIPE, encoding="utf-8").stdout
            self.assertEqual([line for line in found.splitlines() if "missing date" not in line], [])

    def test_manual_pages_are_well_formed(self):
        for name in TOOL_NAMES:
            self.check_page(run(name, "manual").out, commands_of(name))
            for command in commands_of(name):
                self.check_page(run(name, "manual", command).out, options_of(name, command))
                self.assertEqual(run(name, "manual", command).out, run(name, "manual", command).out)

    def test_mistakes(self):
        for name, arguments, word, meant in (
                ("hp-export", ["bundel"], "unknown command bundel", "bundle"), ("hp-export", ["diff", "a", "--sumary"], "unknown option --sumary", "--summary"),
                ("hp-export", ["--versoin"], "unknown option --versoin", "--version"), ("hp-export", ["help", "difff"], "unknown command difff", "diff"),
                ("hp-export", ["records", "a", "--format", "cvs"], "--format accepts csv, jsonl, json or bundle, not cvs", "csv"),
                ("hp-export", ["diff", "a", "--changes", "apeared,changed"], "separated by commas, not apeared", "appeared"),
                ("hp-export", ["list", "a", "observatons"], "there is no list of observatons", "observations"), ("hp-export", ["manual", "salvag"], "unknown command salvag", None),
                ("hp-export", ["cache", "a", "rebiuld"], "no cache rebiuld: status, rebuild or drop", "rebuild"),
                ("hp-verify", ["salvag"], "unknown command salvag", "salvage"), ("hp-verify", ["archive", "a", "--only", "sqlite,maniffests"], "not maniffests", "manifests"),
                ("hp-verify", ["explain", "container.cheksum"], "no finding has this code", "container.checksum"),
                ("hp-verify", ["completions", "bassh"], "completions of bash, zsh and fish, not of bassh", "bash"), ("hp-verify", ["completions"], "name one shell", None),
                ("hp-verify", ["frobnicate"], "unknown command frobnicate", None), ("hp-verify", ["bundle", "a", "--xyzzy"], "unknown option --xyzzy", None)):
            with self.subTest(arguments):
                result = run(name, *arguments)
                self.assert_refused(result, word, name=name)
                known = re.search(r"usage: (%s %s .*)" % (name, re.escape(arguments[0])), hp_usage(name, arguments[0]))
                usage = known and "usage: " + known[1]
                hint = " ".join(filter(None, [meant and "did you mean %s?" % meant, usage]))
                self.assertEqual(result.err.splitlines()[1], "%s: hint: %s" % (name, hint or "see %s --help" % name))

    def test_what_people_call_a_command(self):
        for word in ("import", "add", "backup"):
            self.assertEqual(run("hp-export", word).err.splitlines()[1], "hp-export: hint: did you mean capture?")

    def test_every_code_has_a_line(self):
        table = json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))["codes"]
        lines = run("hp-verify", "explain").out.decode().splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines], [entry["code"] for entry in table])


# Command lines, the last word unfinished; what has to be offered, and what must not be.
LINES = [
    ("hp-export bun", {"bundle"}, {"list"}),
    ("hp-export ", {"bundle", "capture", "list", "help", "completions"}, set()),
    ("hp-export records archive.sqlite --form", {"--format"}, set()),
    ("hp-export records archive.sqlite --format ", {"csv", "jsonl", "json", "bundle"}, {"archive.sqlite"}),
    ("hp-export records archive.sqlite --format js", {"json", "jsonl"}, {"csv"}),
    ("hp-export records archive.sqlite --at l", {"latest"}, {"previous"}),
    ("hp-export records archive.sqlite --type HeartR", {"HeartRate", "HeartRateVariabilitySDNN"}, {"StepCount"}),
    ("hp-export list archive.sqlite ", {"observations", "types", "changes", "context"}, {"bundle"}),
    ("hp-export list arch", {"archive.sqlite"}, {"observations"}),
    ("hp-export bundle arch", {"archive.sqlite"}, set()),
    ("hp-export bundle archive.sqlite -o arch", {"archive.sqlite"}, set()),
    ("hp-export help di", {"diff"}, {"bundle"}),
    ("hp-verify archive archive.sqlite --only sq", {"sqlite"}, {"schema"}),
    ("hp-verify bundle one.zst tw", {"two.zst"}, {"one.zst"}),
    ("hp-verify bundle one.zst --qui", {"--quiet"}, {"--json"}),
    ("hp-verify explain container.che", {"container.checksum"}, set()),
    ("hp-verify completions ", {"bash", "zsh", "fish"}, set()),
]

ZSH = r"""
PS1='READY> '; HISTFILE=; setopt no_beep no_auto_list; LISTMAX=0
fpath=(%(folder)s/zsh $fpath); autoload -Uz compinit; compinit -u -D -C
for name in hp-export hp-verify; do autoload -Uz _$name; compdef _$name $name; done
compadd() {
    if ((${@[(I)-[OAD]*]})); then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >> %(folder)s/hits; builtin compadd "$@"
}
finish() { print DONE >> %(folder)s/hits }
complete-all() { zle expand-or-complete; finish }
zle -N complete-all; bindkey '^X' complete-all
"""


class Completions(Case):
    def setUp(self):
        super().setUp()
        for name in ("archive.sqlite", "one.zst", "two.zst"):
            (self.folder / name).touch()
        self.environment = {**ENVIRONMENT, "PATH": "%s:%s" % (TOOLS, os.environ["PATH"]), "TERM": "xterm", "HOME": str(self.folder)}
        self.environment.pop("HP_ARCHIVE", None)

    def scripts(self, shell, place):
        (self.folder / shell).mkdir()
        for name in TOOL_NAMES:
            (self.folder / shell / (place % name)).write_bytes(self.script(name, shell))

    def script(self, name, shell):
        result = run(name, "completions", shell)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out

    def check(self, offered):
        for line, wanted, unwanted in LINES:
            with self.subTest(line):
                found = offered(line)
                self.assertLessEqual(wanted, found)
                self.assertEqual(unwanted & found, set())

    def bash(self, line, **variables):
        """What bash offers: the function is called as readline calls it."""
        words = re.split(r" |(?<==)|(?==)", line)
        text = "source bash/%s; COMP_WORDS=(%s); COMP_CWORD=%d; _%s; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
            words[0], " ".join("'%s'" % word for word in words), len(words) - 1, words[0].replace("-", "_"))
        result = subprocess.run(["bash", "--norc", "-euc", "set +e; HP_ARCHIVE=${HP_ARCHIVE-};" + text], cwd=self.folder, env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(result.stderr, "")
        return set(result.stdout.split())

    def test_bash(self):
        self.scripts("bash", "%s")
        self.check(self.bash)
        self.assertEqual(self.bash("hp-export records archive.sqlite --format=js"), {"json", "jsonl"})
        self.assertEqual(self.bash("hp-export records archive.sqlite --format="), {"csv", "json", "jsonl", "bundle"})
        self.assertEqual(self.bash("hp-verify archive archive.sqlite --only sqlite,sch"), {"sqlite,schema"})
        self.assertIn("observations", self.bash("hp-export list ", HP_ARCHIVE="archive.sqlite"))
        for name in TOOL_NAMES:
            for command in commands_of(name):
                self.assertEqual(self.bash("%s %s -" % (name, command)), {*options_of(name, command), "--help"}, command)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        self.scripts("fish", "%s.fish")

        def offered(line):
            text = "set -p fish_complete_path %s/fish; complete -C %s" % (self.folder, "'%s'" % line)
            result = subprocess.run(["fish", "--no-config", "-c", text], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            self.assertEqual(result.stderr, "")
            return {hit.partition("\t")[0] for hit in result.stdout.splitlines()}
        self.check(offered)
        self.assertIn("sqlite,schema", offered("hp-verify archive archive.sqlite --only sqlite,sch"))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.scripts("zsh", "_%s")
        (self.folder / "start.zsh").write_text(ZSH % {"folder": self.folder})
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.environment)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, terminal)
        hits = self.folder / "hits"

        def until(done):
            deadline = time.monotonic() + PATIENCE
            while not done():
                self.assertLess(time.monotonic(), deadline, "zsh does not answer")
                if select.select([terminal], [], [], 0.02)[0]:
                    os.read(terminal, 65536)
        os.write(terminal, ("source %s/start.zsh; print DONE > %s\n" % (self.folder, hits)).encode())
        until(lambda: hits.exists() and b"DONE" in hits.read_bytes())

        def offered(line):
            hits.write_bytes(b"")
            os.write(terminal, b"\x15" + line.encode() + b"\x18")
            until(lambda: b"DONE" in hits.read_bytes())
            return set(hits.read_text().split()) - {"DONE"}
        self.check(offered)
        os.write(terminal, b"\x15exit\n")


class Environments(Case):
    def with_archive(self, path, *arguments, name="hp-export"):
        return run(name, *arguments, env={**ENVIRONMENT, "HP_ARCHIVE": os.fspath(path)})

    def test_calls_that_only_read_take_the_archive_from_the_environment(self):
        path = self.fixture()
        for name, arguments in (("hp-export", ["list", "types", "--json"]), ("hp-export", ["records", "--no-record"]), ("hp-export", ["diff", "--summary"]), ("hp-export", ["repair", "--ranges", "--dry-run"]),
                                ("hp-verify", ["archive", "--only", "schema"]), ("hp-verify", ["reproduce"])):
            with self.subTest(arguments):
                named, taken = run(name, arguments[0], path, *arguments[1:]), self.with_archive(path, *arguments, name=name)
                self.assertEqual((taken.status, taken.out), (named.status, named.out))
                self.assertNotEqual(taken.status, 2, taken)

    def test_calls_that_write_do_not(self):
        path = self.fixture()
        before = trace_of(self.folder)
        for arguments in (["records"], ["bundle", "-o", self.folder / "out"], ["diff", "--summary", "--format", "json"], ["diff", "--findings", "--json"], ["repair", "--ranges"], ["undo"], ["seal"],
                          ["capture", "--feed", "-"]):
            with self.subTest(arguments):
                result = self.with_archive(path, *arguments)
                self.assert_refused(result, "name one archive")
                self.assertIn("hint: HP_ARCHIVE is for calls that only read an archive", result.err)
        self.assertEqual(trace_of(self.folder), before)

    def test_what_is_named_goes_before_it_and_empty_is_not_set(self):
        path = self.fixture()
        self.assert_refused(self.with_archive("", "list", "types"), "name an archive")
        self.assertEqual(self.with_archive("/nowhere", "list", path, "types").status, 0)
        self.assert_refused(self.with_archive("/nowhere", "list", "types"), "/nowhere")

    def test_status_words_are_coloured_on_terminals_only(self):
        good, bad = vectors.path("good-minimal"), self.folder / "missing"
        lines = self.terminal(tool("hp-verify"), "bundle", good, "--quiet")
        self.assertIn(b"container \x1b[32mOK\x1b[0m", lines)
        self.assertIn(b"hp-verify: \x1b[31merror\x1b[0m: ", self.terminal(tool("hp-verify"), "bundle", bad))
        damaged = self.folder / "damaged.zst"
        damaged.write_bytes(good.read_bytes()[:-40])
        self.assertIn(b"\x1b[31mFAILED\x1b[0m", self.terminal(tool("hp-verify"), "bundle", damaged, "--quiet"))
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(b"\x1b", self.terminal(tool("hp-verify"), "bundle", good, bad, damaged, "--quiet", **variables))
        self.assertIn(b"\x1b[32mOK", self.terminal(tool("hp-verify"), "bundle", good, "--quiet", NO_COLOR=""))
        self.assertNotIn(b"\x1b", hp_verify("bundle", good).out)
        archive = self.fixture()
        self.assertIn(b"schema      \x1b[32mOK\x1b[0m", self.terminal(tool("hp-verify"), "archive", archive, "--only", "schema", "--quiet"))


class Versions(Case):
    def test_a_version_names_commit_and_libraries(self):
        libraries = {"sqlite": "sqlite3", "zstd": "libzstd", "openssl": "libcrypto", "expat": "expat", "libzip": "libzip"}
        for name in TOOL_NAMES:
            result = self.assert_good(run(name, "--version", "--json"))
            told = json.loads(result.out)
            schemas.validator("version-result").validate(told)
            used = set(libraries) if name == "hp-export" else {"sqlite", "zstd", "openssl"}
            # What pkg-config says of the headers; the libraries are of the same packages.
            self.assertEqual(told["libraries"], {key: subprocess.run(["pkg-config", "--modversion", libraries[key]], stdout=subprocess.PIPE, encoding="utf-8").stdout.strip() for key in used})
            lines = run(name, "--version").out.decode().splitlines()
            self.assertEqual(lines[0], "%s %s" % (name, told["version"]))
            self.assertEqual({line for line in lines[2:]}, {"%s %s" % item for item in told["libraries"].items()})
            origin = {"checkout": "commit %s", "changed_checkout": "commit %s, with changes", "source_archive": "commit %s, from a source archive", "unknown": "commit unknown: the build was not told"}
            self.assertEqual(lines[1], origin[told["source"]].replace("%s", told.get("commit", "")))
            self.assertEqual("commit" in told, told["source"] != "unknown")
            self.assert_refused(run(name, "--version", "--jsn"), "unknown option --jsn", name=name)
            self.assert_refused(run(name, "--version", "bundle"), "--version accepts --json", name=name)

    def test_the_version_has_one_place(self):
        version = re.search(r'static let version = "([0-9.]+)"', (ROOT / "Sources" / "Build" / "Build.swift").read_text(encoding="utf-8"))[1]
        self.assertEqual(json.loads(hp_export("--version", "--json").out)["version"], version)
        for path, stated in (("python/healthprobe/__init__.py", '__version__ = "%s"\n'), ("debian/changelog", "healthprobe (%s) "), ("docs/compatibility.md", "This is version %s."), ("python/README.md", "healthprobe-%s-py3")):
            self.assertIn(stated % version, (ROOT / path).read_text(encoding="utf-8"), path)

    def test_a_folder_says_its_commit(self):
        """Without git it is that of the source archive, or unknown."""
        scripts = self.folder / "Scripts"
        scripts.mkdir()
        shutil.copy(ROOT / "Scripts" / "commit", scripts)

        def told():
            return subprocess.run([scripts / "commit"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8").stdout
        self.assertEqual(told(), "")
        (self.folder / "COMMIT").write_text(40 * "a" + "\n")
        self.assertEqual(told(), 40 * "a" + " archive\n")
        (self.folder / "COMMIT").write_text("main; rm -rf /\n")
        self.assertEqual(told(), "")

        def git(*arguments):
            return subprocess.run(["git", "-C", self.folder, "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
        git("init", "-q")
        git("add", "Scripts/commit")
        git("commit", "-q", "-m", "one")
        self.assertEqual(told(), git("rev-parse", "HEAD") + "\n")
        with open(scripts / "commit", "a") as file:
            file.write("# changed\n")
        self.assertEqual(told(), git("rev-parse", "HEAD") + " changed\n")
