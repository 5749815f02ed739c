"""Runs a tool with `shim.c` before it: with one fault, or with a record of what it does to a folder."""

import collections
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # a machine with too much to do is no hang

# What happens at the operation `at`; where it is sticky, at all from there on. `memory` counts SQLite's allocations instead.
Fault = collections.namedtuple("Fault", "kind at is_sticky memory", defaults=(0, False, 0))

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR}
SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP}
KILL = {"SIGKILL": signal.SIGKILL}

# One durable operation, as shim.c records it. Names are bytes.
Operation = collections.namedtuple("Operation", "kind inode offset size name other data")


def compiler():
    return shutil.which("cc") or shutil.which("clang")


def build(folder, name="shim"):
    """Compiles a library of this folder into another one; its path."""
    library = pathlib.Path(folder, name + ".so")
    subprocess.run([compiler(), "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, HERE / (name + ".c"), "-ldl"], check=True)
    return library


def text_of(kind):
    """A kind of fault as the shim is told."""
    if kind in ERRORS:
        return "error=%d" % ERRORS[kind]
    return "signal=%d" % SIGNALS[kind] if kind in SIGNALS else kind  # else it is as the shim has it


class End:
    """How a run ended."""

    def __init__(self, status, out, err, is_hanging=False, faults=0):
        self.status, self.out, self.is_hanging, self.faults = status, out, is_hanging, faults
        self.err = err.decode("utf-8", "backslashreplace")


class Shimmed:
    """Runs commands in a folder, which is the one that is watched."""

    def __init__(self, library, folder, environment):
        self.library, self.folder, self.environment = library, os.path.realpath(folder), environment

    def variables(self, fault=None, **others):
        found = {**self.environment, "LD_PRELOAD": str(self.library), "HP_FAULT_FOLDER": self.folder, **{name: str(value) for name, value in others.items()}}
        if fault is not None:
            if fault.at:
                found.update(HP_FAULT_AT=str(fault.at), HP_FAULT_KIND=text_of(fault.kind))
            if fault.memory:
                found["HP_FAULT_MEMORY"] = str(fault.memory)
            if fault.is_sticky:
                found["HP_FAULT_STICKY"] = "1"
        return found

    def run(self, words, fault=None, count=None, **others):
        """Runs a command to its end; with a file to count in, how many faults it met is known."""
        if count is not None:
            pathlib.Path(count).unlink(missing_ok=True)
            others["HP_FAULT_COUNT"] = count
        process = self.start(words, fault, **others)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return End(None, out, err, is_hanging=True)
        # Who was killed counts no more: one fault did it.
        counts = pathlib.Path(count).read_text().split() if count is not None else []
        faults = int(counts[2]) if counts else int(process.returncode < 0)
        return End(process.returncode, out, err, faults=faults)

    def start(self, words, fault=None, **others):
        # In a session of its own: no signal of the terminal is a fault.
        return subprocess.Popen(words, cwd=self.folder, env=self.variables(fault, **others), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def record(self, words, log):
        """Runs a command without a fault; its end and what it did."""
        pathlib.Path(log).unlink(missing_ok=True)
        end = self.run(words, HP_FAULT_LOG=log)
        return end, operations(log)

    def count_allocations(self, words, file):
        """How often SQLite asks for memory."""
        self.run(words, count=file, HP_FAULT_MEMORY=0)
        return int(pathlib.Path(file).read_text().split()[1])


def stopped(process):
    """Waits until a process that a fault stops is stopped; whether it is, or has ended instead."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with open("/proc/%d/stat" % process.pid, "rb") as file:
            state = file.read().rpartition(b") ")[2][:1]
        if state in b"TZ":
            return state == b"T"
        time.sleep(0.001)
    return False


def operations(log):
    """The operations of a log."""
    data = pathlib.Path(log).read_bytes() if os.path.exists(log) else b""
    at, found = 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        kind, *numbers = data[at:end].split()
        inode, offset, size, *lengths = map(int, numbers)
        at, parts = end + 1, []
        for length in lengths:
            parts.append(data[at:at + length])
            at += length
        found.append(Operation(kind.decode(), inode, offset, size, *parts))
        at += 1
    return found
