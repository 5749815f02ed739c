"""Two commands on one archive, each stopped at points of its transactions and publications (Tests/faults/pauses.c) and told to go on in a random order: what becomes of the archive, of the files and of the commands."""

import collections
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from system_support import shim, SystemCase
import phone
from capture_support import STEPS, feed, observation, sample, type_run
from support import ENVIRONMENT, FIXTURES, INTENTS, PATIENCE, hp_export, hp_verify, query, Run, tool

# One command: its name, its words, the file that it exports, and whether it may write to the archive.
Command = collections.namedtuple("Command", "name words output writes", defaults=(None, True))

WAIT = ["--wait", "30"]
NOW = ["--wait", "0"]
# How long a process runs before it counts as one that waits for the other, in seconds.
TURN = 0.08
# Points that begin or end a transaction, or publish: opening is none of them.
TELLING = "LFWSRNU"

CAPTURE = Command("capture", ["hp-export", "capture", "archive.sqlite", "--secret", "secret", "--feed", "next.jsonl", "--quiet", *WAIT])
BACKUP = Command("capture of a backup", ["hp-export", "capture", "archive.sqlite", "--secret", "secret", "--iphone-backup", "databases", "--observed-at", "2026-09-01T00:00:00Z", "--quiet", *WAIT])
UNDO = Command("undo", ["hp-export", "undo", "archive.sqlite", "--quiet", *WAIT])
UNDO_EXPORTS = Command("undo --with-exports", ["hp-export", "undo", "archive.sqlite", "--with-exports", "--quiet", *WAIT])
REPAIR = Command("repair", ["hp-export", "repair", "archive.sqlite", "--ranges", "--aggregates", "--exports", "--quiet", *WAIT])
CHECK = Command("check", ["hp-export", "check", "archive.sqlite", "--quiet", *WAIT])
SEAL = Command("seal", ["hp-export", "seal", "archive.sqlite", "--quiet", *WAIT])


def export(name, output, *words):
    return Command(" ".join([name, *words, output]), ["hp-export", name, "archive.sqlite", "-o", output, "--quiet", *words, *WAIT], output)


# What they write to standard output goes to a file of that name.
STREAM = "stream.jsonl"


def stream(name, *words):
    return Command(" ".join([name, *words, "-"]), ["hp-export", name, "archive.sqlite", "-o", "-", "--quiet", *words, *WAIT], STREAM)


EXPORTS = [
    export("bundle", "out.zst"), stream("records", "--format", "jsonl"), export("records", "out.csv"), export("days", "out.days.csv"), export("diff", "out.diff.csv"),
    stream("diff", "--summary", "--format", "jsonl"), export("report", "out.html"), export("manifest", "out.json"), stream("manifest", "--format", "jsonl"),
    export("bundle", "free.zst", "--no-record"), stream("records", "--format", "jsonl", "--no-record"), export("bundle", "second.zst", "--at", "2"),
]
WRITERS = [CAPTURE, BACKUP, UNDO, UNDO_EXPORTS, REPAIR, CHECK, SEAL]
READERS = [
    Command("convert", ["hp-export", "convert", "--iphone-backup", "databases", "--observed-at", "2026-09-01T00:00:00Z", "-o", "feed.jsonl", "--force", "--quiet"], writes=False),
    Command("cache", ["hp-export", "cache", "archive.sqlite", "rebuild", "--quiet", *WAIT], writes=False),
    Command("label", ["hp-export", "label", "archive.sqlite", "HASH", "My watch", "--quiet", *WAIT], writes=False),
    Command("list", ["hp-export", "list", "archive.sqlite", "observations"], writes=False),
    Command("history", ["hp-export", "history", "archive.sqlite", "-o", "entries.jsonl", "--force", "--quiet", *WAIT], writes=False),
    Command("statement", ["hp-verify", "statement", "--archive", "archive.sqlite", "-o", "head", "--force", "--quiet"], writes=False),
    Command("verify archive", ["hp-verify", "archive", "archive.sqlite"], writes=False),
    Command("verify reproduce", ["hp-verify", "reproduce", "archive.sqlite"], writes=False),
    Command("verify bundle", ["hp-verify", "bundle", "ready.zst", "--archive", "archive.sqlite"], writes=False),
]
COMMANDS = WRITERS + EXPORTS + READERS
# What they have to say is of a history.
OF_A_HISTORY = ("history", "statement")


def pairs():
    """Every pair of commands of which one writes, each once; a command next to itself, too."""
    for place, one in enumerate(COMMANDS):
        for other in COMMANDS[place:]:
            if one.writes or other.writes:
                yield one, other


class Interleaving(SystemCase):
    """`observe` runs a pair once and says what is wrong with what came of it."""

    _pauses = None

    def setUp(self):
        super().setUp()
        self.counts = collections.Counter()
        self.points = {}
        if Interleaving._pauses is None:
            folder = tempfile.mkdtemp(prefix="hp-cli-pauses.")
            unittest.addModuleCleanup(Interleaving._forget_pauses, folder)
            Interleaving._pauses = shim.build(folder, "pauses")
        self.bases = self.folder.parent / "bases"
        self.bases.mkdir()
        self.make_base("ours", self.make_ours)
        self.make_base("foreign", self.make_foreign)

    @staticmethod
    def _forget_pauses(folder):
        Interleaving._pauses = None
        shutil.rmtree(folder)

    def make_base(self, name, make):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.place(self.folder)
        make()
        (self.folder / "next.jsonl").write_bytes(feed(observation(9, type_run(*[[sample(number, number) for number in range(page, page + 20)] for page in (5, 25)]),
                                                                  type_run([sample(500, 3, sample_type=STEPS, unit="count")], sample_type=STEPS, first_page=3))))
        phone.synthetic(40).write(self.folder / "databases")
        self.assert_good(hp_export("bundle", self.archive, "--at", "2", "-o", self.folder / "ready.zst", "--quiet"))
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / "key"], check=True, stdin=subprocess.DEVNULL)
        shutil.move(self.folder, self.bases / name)
        self.folder.mkdir()

    def make_ours(self, *options):
        """Three observations; nothing is recorded of the last one, so that it can be undone."""
        source = {"name": "A watch", "bundle_identifier": "com.example.watch"}
        for day in (1, 2, 3):
            path = self.written(feed(observation(day, type_run(*[[sample(number, number, source=source) for number in range(page, page + 20)] for page in range(day, day + 40, 20)]))))
            self.assert_good(self.hp_capture("--feed", path, "--quiet", *options))

    def make_foreign(self):
        """Behind an observation of another engine, which has no entry in the history yet."""
        shutil.copyfile(FIXTURES / "archives" / "wal.sqlite", self.archive)
        self.make_ours("--new-chain")

    # One run

    def recorded(self, base, command):
        """The points of a command that runs alone."""
        key = (base, command.name)
        if key not in self.points:
            self.fresh(base)
            log = self.folder.parent / "points"
            log.unlink(missing_ok=True)
            process = self.started(command, HP_PAUSES_LOG=str(log))
            _, errors = process.communicate(timeout=PATIENCE)
            # An archive of another engine has no history yet.
            self.assertIn(process.returncode, (0, 1, 2) if base == "foreign" and command.name in OF_A_HISTORY else (0,), errors)
            letters = log.read_text()
            self.points[key] = [number for number, letter in enumerate(letters, 1) if letter in TELLING] or list(range(1, len(letters) + 1))
        return self.points[key]

    def fresh(self, base):
        self.base = base
        shutil.rmtree(self.folder)
        shutil.copytree(self.bases / base, self.folder)
        for name in ("secret", "key"):
            (self.folder / name).chmod(0o600)

    def started(self, command, is_waiting=True, **variables):
        words = [tool(command.words[0]), *command.words[1:]]
        if not is_waiting and words[-2:] == WAIT:
            words[-2:] = NOW
        if "HASH" in words:
            words[words.index("HASH")] = query(self.bases / self.base / self.archive.name, "SELECT coalesce(max(source_name_hash), '0') FROM sources")[0][0]
        out = open(self.folder / STREAM, "wb") if command.output == STREAM else subprocess.PIPE
        try:
            return subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env={**ENVIRONMENT, "LD_PRELOAD": str(self._pauses), **variables}, start_new_session=True)
        finally:
            if command.output == STREAM:
                out.close()

    def run_pair(self, base, commands, chance):
        """Runs two commands to their end; each is stopped at some points, and one of them runs at a time unless it waits for the other."""
        self.fresh(base)
        processes = []
        try:
            for command in commands:
                points = self.points[base, command.name]
                stops = sorted(chance.sample(points, min(len(points), chance.choice((1, 2, 3)))))
                processes.append(self.started(command, chance.random() < 0.7, HP_PAUSES_AT=",".join(map(str, stops))))
                turn(processes[-1])
            deadline = time.monotonic() + PATIENCE
            while any(process.poll() is None for process in processes):
                self.assertLess(time.monotonic(), deadline, "the commands wait for each other")
                left = [process for process in processes if process.poll() is None]
                if not left:
                    break
                paused = [process for process in left if state_of(process) == "T"]
                process = chance.choice(paused or left)
                if paused:
                    process.send_signal(signal.SIGCONT)
                turn(process)
        finally:
            for process in processes:
                if process.poll() is None:
                    process.kill()
        ends = []
        for process in processes:
            out, err = process.communicate(timeout=PATIENCE)
            ends.append(Run(subprocess.CompletedProcess([], process.returncode, out, err)))
        return ends

    def prepare(self, base, commands):
        for command in commands:
            self.recorded(base, command)

    def observe(self, base, commands, seed):
        """Runs a pair once; what is wrong, in words, or nothing."""
        chance = random.Random(seed)
        ends = self.run_pair(base, commands, chance)
        wrong = []
        for command, end in zip(commands, ends):
            self.counts["runs of commands"] += 1
            if end.status == 2:
                self.counts["refused"] += 1
                errors = [line for line in end.err.splitlines() if line.startswith(command.words[0] + ": error: ")]
                if len(errors) != 1:
                    wrong.append("%s: refused without one error: %r" % (command.name, end))
            elif end.status == 1 and command.words[0] == "hp-verify":
                self.counts["changed meanwhile"] += 1
                is_undone = UNDO_EXPORTS in commands or UNDO in commands
                is_unsealed = base == "foreign" and command.name in OF_A_HISTORY
                if b"archive.changed" not in end.out and not (command.name != "verify archive" and is_undone) and not is_unsealed:
                    wrong.append("%s: %r %s" % (command.name, end, end.out.decode("utf-8", "replace")[-600:]))
            elif end.status != 0:
                wrong.append("%s: %r %s" % (command.name, end, end.out.decode("utf-8", "replace")[-600:]))
        return wrong + self.wrong_archive() + self.wrong_files(commands, ends)

    def wrong_archive(self):
        """What is wrong with the archive and what lies beside it, once nobody is at work."""
        self.counts["runs"] += 1
        result = hp_verify("archive", self.archive)
        wrong = []
        if result.status != 0:
            self.counts["invalid archives"] += 1
            wrong.append("the archive: " + result.out.decode("utf-8", "replace")[-800:] + result.err)
        if query(self.archive, INTENTS):
            # An export that cannot have the lock once more leaves its intent to the next command.
            self.counts["intents left to the next command"] += 1
            self.assert_good(hp_export("manifest", self.archive, "-o", "-"))
            if query(self.archive, INTENTS):
                wrong.append("an intent is left")
        left = [name for name in self.names() if name.endswith((b".partial", b".capture", b"-wal", b"-journal"))]
        return wrong + (["left: %r" % left] if left else [])

    def wrong_files(self, commands, ends):
        """Which files of commands that say they are done do not verify, with the archive or with what an undo kept of it."""
        wrong = []
        for command, end in zip(commands, ends):
            if command.output is None or command.output == STREAM and [each.output for each in commands].count(STREAM) > 1:
                continue
            path = self.folder / command.output
            if end.status != 0:
                if end.status == 2 and command.output != STREAM and path.exists() and [each.output for each in commands].count(command.output) == 1:
                    wrong.append("%s: refused, and its file is there" % command.name)
                continue
            archives = [self.archive] + sorted(self.folder.glob("*.undo-backup"))
            results = [hp_verify("bundle", path, "--archive", archive) for archive in archives]
            self.counts["files"] += 1
            if all(result.status != 0 for result in results):
                self.counts["false files"] += 1
                wrong.append("%s: %s" % (command.name, results[0].out.decode("utf-8", "replace")[-600:] + results[0].err))
        return wrong


def state_of(process):
    """The letter of a process's state (proc(5))."""
    try:
        with open("/proc/%d/stat" % process.pid, "rb") as file:
            return file.read().rpartition(b") ")[2][:1].decode()
    except FileNotFoundError:
        return "Z"


def turn(process):
    """Lets a process run until it stops, ends or has waited for a while."""
    deadline = time.monotonic() + TURN
    # A signal takes a moment.
    time.sleep(0.001)
    while time.monotonic() < deadline:
        if state_of(process) in "TZ":
            return
        time.sleep(0.001)
