"""Drives one command through every fault, and judges what is left by its content: old or new, never between, and a second run comes to the same end."""

import collections
import contextlib
import copy
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time

import commands
import power
import shim
from states import ARCHIVE, State, difference, is_begun, is_prefix, memory

FAMILIES = ("kill", "torn", "short", "ENOSPC", "EIO", "EINTR", "signals", "memory", "power loss", "any time")
# What may be wrong. A crash is an end that nobody asked for; silent is a fault that the tool did not notice, or an end that says good and is not.
PROBLEMS = ("crashes", "hangs", "silent", "other")
LINE = re.compile(r"hp-[a-z]+: (note|warning|error|hint): \S.*[^.\n]")
SEEDS = 3

Case = collections.namedtuple("Case", "family fault model seed", defaults=(None, None, 0))


class Finding(Exception):
    """Something that must not be."""

    def __init__(self, problem, text):
        super().__init__(text)
        self.problem = problem


class Sweep:
    """A command in a folder of its own, with the states before and after it."""

    def __init__(self, command, library):
        self.command, self.place = command, pathlib.Path(tempfile.mkdtemp(prefix="hp-faults.", dir=memory()))
        self.inputs, self.base, self.folder = (self.place / name for name in ("inputs", "base", "folder"))
        for folder in (self.inputs, self.base, self.folder):
            folder.mkdir()
        commands.inputs(self.inputs)
        getattr(commands, command.base)(self.base, self.inputs)
        self.words, self.again = (commands.words(line, self.inputs) for line in (command.words, command.again or command.words))
        self.shim = shim.Shimmed(library, self.folder, commands.ENVIRONMENT)
        self.undisturbed()

    def close(self):
        shutil.rmtree(self.place, ignore_errors=True)

    def state(self):
        return State(self.folder, self.command.is_masked)

    def undisturbed(self):
        """What the command does when nothing goes wrong."""
        commands.renew(self.folder, self.base)
        self.old = self.state()
        self.start = power.Disk(self.folder)
        self.keep_file()
        end, self.operations = self.shim.record(self.words, self.place / "log")
        begin = time.monotonic()
        self.shim_free(self.again)
        self.duration = time.monotonic() - begin
        commands.renew(self.folder, self.base)
        end = self.shim.run(self.words)
        self.new, self.good_status = self.state(), end.status
        if end.status not in ((2,) if self.command.is_refused else (0, 1)) or self.new.problems or self.new.leftovers():
            raise RuntimeError("%s: %s %s %s %s" % (self.command.name, end.status, end.err, self.new.problems, self.new.leftovers()))
        self.check_bundle()
        # The files that are recorded with their export.
        self.outputs = [name for name, content in self.new.files.items() if name.startswith(b"out") and content != self.old.files.get(name) and self.new.lines != self.old.lines]

    def keep_file(self):
        """A second name of the archive that is recorded: what a power loss leaves of it must be the same file, as the tools know theirs by it."""
        self.kept = self.place / "kept"
        if (self.folder / "archive.sqlite").exists():
            os.link(self.folder / "archive.sqlite", self.kept)

    def check_bundle(self):
        """The verifier accepts what an undisturbed run made; later ones are compared with it byte by byte."""
        if (self.folder / "out.zst").exists() and "--no-record" not in self.command.words:
            subprocess.run(commands.words("hp-verify bundle out.zst --archive archive.sqlite", ""), cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    # Cases

    def cases(self, families=FAMILIES):
        for family in families:
            yield from {"signals": self.signals, "memory": self.allocations, "power loss": self.power_losses, "any time": self.any_time}.get(family, lambda family=family: self.faults(family))()

    def faults(self, family):
        for at, operation in enumerate(self.operations, 1):
            if family in ("torn", "short") and (operation.kind != "W" or operation.size < 2):
                continue
            for is_sticky in (False, True) if family not in ("kill", "torn") else (False,):
                yield Case(family, shim.Fault(family, at, is_sticky))

    def signals(self):
        """Each signal at each operation; sticky is a second one while the first is being obeyed."""
        for at in range(1, len(self.operations) + 1):
            for name in shim.SIGNALS:
                yield Case("signals", shim.Fault(name, at))
            yield Case("signals", shim.Fault("SIGTERM", at, True))

    def allocations(self):
        commands.renew(self.folder, self.base)
        for at in range(1, self.shim.count_allocations(self.words, self.place / "count") + 1):
            for is_sticky in (False, True):
                yield Case("memory", shim.Fault("memory", 0, is_sticky, at))

    def power_losses(self):
        for at in range(len(self.operations) + 1):
            for model in power.MODELS:
                for seed in range(SEEDS if model == "some" else 1):
                    yield Case("power loss", shim.Fault("power", at), model, seed)

    def any_time(self):
        """Signals after a moment, whatever goes on then."""
        for seed in range(20):
            for name in (*shim.SIGNALS, *shim.KILL):
                yield Case("any time", shim.Fault(name), seed=seed)

    # One case

    def run(self, case):
        """Runs a case; how many faults it met. Throws a `Finding`."""
        if case.model is not None:
            return self.lose_power(case)
        commands.renew(self.folder, self.base)
        end = self.interrupted(case) if case.family == "any time" else self.shim.run(self.words, case.fault, self.place / "count")
        self.judge_end(case, end)
        state = self.state()
        # A feed that is told to stop keeps the pages that it has: it can be resumed. Nothing is kept of an export.
        is_stopped = case.family in ("signals", "any time") and end.status > 0 and " capture " in self.command.words and not self.command.is_atomic
        self.judge_state(state, self.command.is_atomic and not is_stopped)
        if end.status == self.good_status:
            self.require(state.content == self.new.content, "silent", "status %d, and %s" % (end.status, difference(self.new, state)))
        elif case.family in ("signals", "any time") and end.status > 0 and not case.fault.is_sticky and not is_stopped:
            self.require((state.content, state.names) == (self.old.content, self.old.names), "other", "stopped by a signal, and not as before: %s %s" % (difference(self.old, state), state.leftovers()))
        self.converge(is_stopped)
        return end.faults

    def interrupted(self, case):
        """A run that gets a signal while it works."""
        process = self.shim.start(self.words)
        time.sleep(self.duration * 1.2 * random.Random("%s %d" % (case.fault.kind, case.seed)).random())
        number = {**shim.SIGNALS, **shim.KILL}[case.fault.kind]
        # Before it listens, a signal just ends it.
        with open("/proc/%d/status" % process.pid) as file:
            caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt:")), 0)
        process.send_signal(number if caught >> number - 1 & 1 else shim.KILL["SIGKILL"])
        try:
            out, err = process.communicate(timeout=shim.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return shim.End(None, *process.communicate(), is_hanging=True)
        return shim.End(process.returncode, out, err, faults=1)

    def lose_power(self, case):
        """The folder as a power loss after an operation leaves it; none where that is the same as after the one before."""
        if case.fault.at == 0 or case.fault.at < self.applied:
            self.disk, self.applied, self.known = copy.deepcopy(self.start), 0, set()
        while self.applied < case.fault.at:
            self.disk.apply(self.operations[self.applied])
            self.applied += 1
        files = self.disk.left(case.model, random.Random("%s %d" % (self.command.name, case.fault.at * SEEDS + case.seed)))
        key = hash(tuple(sorted(files.items())))
        if key in self.known:
            return 0
        self.known.add(key)
        for path in self.folder.iterdir():
            path.unlink()
        if self.kept.exists() and ARCHIVE in files:
            os.link(self.kept, self.folder / "archive.sqlite")
        power.restore(self.folder, files)
        self.judge_state(self.state(), self.command.is_atomic)
        self.converge()
        return 1

    applied, known = 10**9, frozenset()

    def judge_end(self, case, end):
        self.require(not end.is_hanging, "hangs", "no end after %d seconds" % shim.PATIENCE)
        allowed = {self.good_status, 2}
        if case.family in ("kill", "torn"):
            allowed = {self.good_status, -9}
        elif case.family == "any time":
            allowed = {self.good_status, -9, 128 + shim.SIGNALS.get(case.fault.kind, -137)}
        elif case.family == "signals":
            allowed = {self.good_status, 128 + shim.SIGNALS[case.fault.kind]}
        self.require(end.status in allowed, "crashes", "status %s: %s" % (end.status, end.err[-600:]))
        if end.status == 2:
            lines = end.err.splitlines()
            self.require(all(map(LINE.fullmatch, lines)) and sum(": error: " in line for line in lines) == 1, "other", "not one line that says what is wrong: %r" % end.err)

    def judge_state(self, state, is_atomic):
        """Old or new, or for a capture a part that can be resumed."""
        # What is wrong before a repair is wrong until it is done.
        self.require(not state.problems or (state.lines, state.problems) == (self.old.lines, self.old.problems), "other", "; ".join(map(str, state.problems[:3])))
        if is_atomic:
            is_good = state.lines in (self.old.lines, self.new.lines)
        else:
            is_good = is_begun(state, self.old) if self.command.is_refused else is_prefix(state, self.old, self.new)
        self.require(is_good, "other", "neither before nor after: %s" % difference(self.new, state))
        for name, content in state.files.items():
            self.require(content in (self.old.files.get(name), self.new.files.get(name)), "other", "%r is neither the file before nor after" % name)
        for name, content in self.old.files.items():
            self.require(name in state.files or name not in self.new.files, "other", "%r is gone" % name)
        for name in self.outputs:
            if state.files.get(name) == self.new.files[name]:
                self.require(state.lines == self.new.lines, "other", "a file that is not recorded")
            elif state.lines == self.new.lines:
                self.require(state.intents.get(name) in state.names, "other", "recorded, and there is no %r and nothing that will be it" % name)

    def converge(self, is_stopped=False):
        before = self.state()
        is_left = self.command.is_once and before.lines == self.old.lines
        end = self.shim_free(self.words if is_left else self.again)
        self.require(not end.is_hanging, "hangs", "the second run does not end")
        self.require(end.status == self.good_status, "other", "the second run ends with %s: %s" % (end.status, end.err[-600:]))
        if self.command.is_once and not is_left:
            self.settle()
        state = self.state()
        # What is refused leaves what was there, also the part that a stopped run of it kept.
        expected = before if is_stopped and self.command.is_refused else self.new
        self.require(state.content == expected.content and not state.intents and not state.problems, "silent", "the second run comes to another end: %s %s" % (state.problems[:2], difference(expected, state)))
        self.require(not state.leftovers(), "other", "left over: %s" % state.leftovers())

    def settle(self):
        """Writes: a command that only reads leaves a journal to the next one that does."""
        with contextlib.closing(sqlite3.connect(self.folder / "archive.sqlite", isolation_level=None)) as connection:
            connection.executescript("BEGIN IMMEDIATE; CREATE TABLE settled(x); DROP TABLE settled; COMMIT")

    def shim_free(self, words):
        try:
            process = subprocess.run(words, cwd=self.folder, env=commands.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=shim.PATIENCE, start_new_session=True)
        except subprocess.TimeoutExpired:
            return shim.End(None, b"", b"", is_hanging=True)
        return shim.End(process.returncode, process.stdout, process.stderr)

    def require(self, holds, problem, text):
        if not holds:
            raise Finding(problem, text)
