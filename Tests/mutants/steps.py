"""Tests that may notice a mutant: which there are, what each takes and reaches when no mutant is on, and how some are run with one.

A step is `swift TARGET`, `cli test_NAME` with a class or a test, or the name that a step of Tests/run.py has. It is measured once; after that, each test of a `cli` step is
a test by itself, and another step is one test.
"""

import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import modules
import weave

ROOT = weave.ROOT


def commands_of_the_suite():
    """The commands of Tests/run.py by the names of their steps. It is loaded by its path, for run.py here has the same name."""
    spec = importlib.util.spec_from_file_location("suite", ROOT / "Tests" / "run.py")
    suite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(suite)
    return {name: command for steps in suite.SUITES.values() for name, command in steps}


COMMANDS = commands_of_the_suite()
# A step that ends badly with a mutant has noticed it: its memory and files have limits, so that the machine survives that.
BYTES_OF_MEMORY, BYTES_OF_A_FILE = 8 << 30, 4 << 30
MEASURING = 1200.0
FAILED_TEST = re.compile(r"^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)", re.MULTILINE)
FAILED_SWIFT_TEST = re.compile(r'^\S*✘\S* Test (?!run with|case passing)"?([^"\n(]+)"?.*? (?:recorded an issue|failed after)', re.MULTILINE)
RUNNING = set()


@dataclasses.dataclass
class Test:
    """One test, or a whole step of another kind."""

    step: str
    name: str
    seconds: float
    reached: frozenset


def is_there(step):
    """Whether the tests of a step exist: the map names some for modules that come and go."""
    kind, _, rest = step.partition(" ")
    if kind == "cli":
        return (ROOT / "Tests" / "cli" / (rest.partition(".")[0] + ".py")).is_file()
    return (ROOT / "Tests" / rest).is_dir() if kind == "swift" else step in COMMANDS


def steps_for(names):
    """The steps of some modules. A module that the map does not have gets all of them."""
    every = sorted({step for steps in modules.STEPS.values() for step in steps})
    found = []
    for name in names:
        found += [step for step in modules.STEPS.get(name, every) if step not in found and is_there(step)]
    return found


def command_of(step, names, notes):
    kind, _, rest = step.partition(" ")
    if kind == "cli":
        return [sys.executable, "-B", "Tests/mutants/watch.py", str(notes), "--short", "--first", *(names or [rest])]
    if kind == "swift":
        bundle, = weave.TOOLS.glob("*.xctest")
        return [str(bundle), "--testing-library", "swift-testing", "--filter", r"^%s\." % rest]
    return COMMANDS[step]


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_MEMORY, BYTES_OF_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES_OF_A_FILE, BYTES_OF_A_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end(group):
    """Ends a process that this program started, and what it left."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    RUNNING.discard(group)


def end_all(*_):
    for group in list(RUNNING):
        end(group)
    os._exit(130)


@dataclasses.dataclass
class Outcome:
    passed: bool
    timed_out: bool
    seconds: float
    output: str
    # The lines that watch.py wrote, and the mutants that the step reached by its last look.
    notes: list
    reached: frozenset


def execute(step, names, number, limit):
    """Runs a step, or the tests of it that are named, with a mutant on or with none (0), in a temporary folder of its own."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hp-mutants."))
    # Some tests run a tool without the rights of root.
    folder.chmod(0o1777)
    environment = {**os.environ, "HP_MUTANT": str(number), "HP_TOOLS": str(weave.TOOLS), "TMPDIR": str(folder)}
    marks, notes = folder / "reached", folder / "notes"
    if not number:
        marks.write_bytes(bytes(weave.NUMBERS))
        marks.chmod(0o666)
        environment["HP_MUTANT_REACHED"] = str(marks)
    begin, timed_out = time.monotonic(), False
    with open(folder / "output", "w", encoding="utf-8") as output:
        process = subprocess.Popen(command_of(step, names, notes), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=limit_resources)
        RUNNING.add(process.pid)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            end(process.pid)
            process.wait()
    seconds = time.monotonic() - begin
    found = Outcome(process.returncode == 0 and not timed_out, timed_out, seconds, (folder / "output").read_text(encoding="utf-8", errors="replace"),
                    [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()] if notes.is_file() else [],
                    frozenset(index for index, mark in enumerate(marks.read_bytes()) if mark) if not number else frozenset())
    shutil.rmtree(folder, ignore_errors=True)
    return found


def measure(step):
    """The tests of a step, with what each takes and reaches; and the output of a step that does not pass without a mutant, twice."""
    outcome = execute(step, [], 0, MEASURING)
    if not outcome.passed:
        outcome = execute(step, [], 0, MEASURING)
    if not outcome.passed:
        return [], outcome.output
    if step.startswith("cli "):
        return [Test(step, note["test"], note["seconds"], frozenset(note["reached"])) for note in outcome.notes if "test" in note], ""
    return [Test(step, step, outcome.seconds, outcome.reached)], ""


def failing_test(outcome):
    """The first test that a run reports as failed, or the one that did not end."""
    found = FAILED_TEST.search(outcome.output)
    if found:
        return found[2] if found[2].endswith("." + found[1]) or not found[1].startswith("test") else "%s.%s" % (found[2], found[1])
    found = FAILED_SWIFT_TEST.search(outcome.output)
    if found:
        return found[1].strip()
    begun = [note["begins"] for note in outcome.notes if "begins" in note]
    return begun[-1] if begun else ""
