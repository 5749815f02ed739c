"""Steps that can notice a mutant: how each is run, what it takes when nothing is wrong, and which of its tests noticed.

A step is named as in the mutants' files: `swift TARGET`, `swift TARGET/FILE`, `swift TARGET/FILE: A TEST`, `cli test_NAME`,
`cli test_NAME.Class.method`, or the name that a step of Tests/run.py has.
"""

import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import entries
import weave

ROOT = entries.ROOT
BASELINE = ROOT / ".build" / "mutants" / "baseline.json"
# A step counts as fast, and as one piece of a slow one, up to so many seconds.
FAST, PIECE = 10.0, 6.0
# Names that are shorter than those of Tests/run.py.
ALIASES = {"differential": "two verifiers"}
PYTHON_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)", re.MULTILINE)
SWIFT_FAILURE = re.compile(r'^\S*✘\S* Test (?!run with|case passing).*?(?:"([^"]+)"|(\w+)\(.*?\)) (?:recorded an issue|failed after|with \d+ test case)', re.MULTILINE)
SWIFT_COUNT = re.compile(r"Test run with (\d+) test")
BYTES_OF_MEMORY, BYTES_OF_A_FILE = 8 << 30, 4 << 30


def commands_of_the_suite():
    """The steps of Tests/run.py that are no module of the command line's tests."""
    spec = importlib.util.spec_from_file_location("suite", ROOT / "Tests" / "run.py")
    suite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(suite)
    return {name: command for name, command in suite.STEPS if "Tests/cli/run.py" not in command}


SUITE = commands_of_the_suite()


@dataclasses.dataclass
class Outcome:
    """What a run of a step came to."""

    passed: bool
    seconds: float
    timed_out: bool
    output: str
    # The test that failed or did not end, where that can be told.
    test: str = ""
    # Of tests of the command line: what each took.
    times: dict = dataclasses.field(default_factory=dict)


def fault_of(name):
    """Why a name is that of no step, or nothing."""
    kind, _, rest = name.partition(" ")
    if kind == "cli" and rest:
        words = rest.split(".")
        path = ROOT / "Tests" / "cli" / (words[0] + ".py")
        text = path.read_text(encoding="utf-8") if path.is_file() else None
        if text is None or any(not re.search(r"^\s*(class|def) %s\b" % re.escape(word), text, re.MULTILINE) for word in words[1:2]):
            return "no such tests"
        return "" if len(words) < 3 or "def %s(" % words[2] in "".join(one.read_text(encoding="utf-8") for one in path.parent.glob("*.py")) else "no such test"
    if kind == "swift" and rest:
        target, _, file = rest.partition(":")[0].partition("/")
        return "" if (ROOT / "Tests" / target).is_dir() and (not file or file in files_of(target)) else "no such target or file of one"
    return "" if ALIASES.get(name, name) in SUITE else "no such step"


def files_of(target):
    """The files of a Swift test target that have tests, by their names without the end."""
    return sorted(path.stem for path in (ROOT / "Tests" / target).glob("*.swift") if re.search(r"@Test\b", path.read_text(encoding="utf-8")))


def command_of(name, times):
    kind, _, rest = name.partition(" ")
    if kind == "cli":
        return [sys.executable, "-B", "Tests/cli/run.py", "--first", "--times=%s" % times, *rest.split(" ")]
    if kind == "swift":
        place, _, test = rest.partition(": ")
        target, _, file = place.partition("/")
        # A test's identity is its target, its suites, its name, and the place in its file.
        pattern = r"^%s\.%s" % (target, ".*" + re.sub(r"[^A-Za-z0-9 ]", ".", test) if test else "")
        if file:
            pattern += r".*/%s\.swift:" % re.sub(r"[^A-Za-z0-9]", ".", file)
        bundle, = weave.BUNDLE.glob("*.xctest")
        return [str(bundle), "--testing-library", "swift-testing", "--filter", pattern]
    return SUITE[ALIASES.get(name, name)]


def limit_resources():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_MEMORY, BYTES_OF_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES_OF_A_FILE, BYTES_OF_A_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def parse_times(path):
    """What each test took, and the one that had begun and not ended."""
    times, open_test = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        what, _, test = line.partition(" ")
        if what == "begin":
            open_test = test
        else:
            times[test], open_test = float(what), ""
    return times, open_test


def failing_test(name, output, open_test):
    """A narrower step: the first test that a run says has failed, or the one that did not end."""
    kind, _, rest = name.partition(" ")
    if kind == "cli":
        found = PYTHON_FAILURE.search(output)
        if found:
            # Older Pythons name the class alone.
            return "cli " + (found[2] if not found[1].startswith("test") or found[2].endswith("." + found[1]) else "%s.%s" % (found[2], found[1]))
        return "cli " + open_test if open_test else ""
    found = SWIFT_FAILURE.search(output) if kind == "swift" else None
    return "%s: %s" % (name.partition(": ")[0], found[1] or found[2]) if found else ""


def execute(name, number, limit):
    """Runs a step with a mutant, or with none (0), in a temporary folder of its own; kills it after `limit` seconds."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hp-mutants."))
    folder.chmod(0o755)
    environment = {**os.environ, "HP_MUTANT": str(number), "HP_TOOLS": str(weave.TOOLS), "TMPDIR": str(folder), "NO_COLOR": "1"}
    begin = time.monotonic()
    with open(folder / "output", "w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(command_of(name, folder / "times"), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=limit_resources)
        timed_out = False
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # What it started and left behind goes with it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
    seconds = time.monotonic() - begin
    said = (folder / "output").read_text(encoding="utf-8", errors="replace")
    times, open_test = parse_times(folder / "times")
    passed = not timed_out and process.returncode == 0
    if name.startswith("swift") and passed:
        count = SWIFT_COUNT.search(said)
        passed = bool(count and int(count[1]))
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(passed, seconds, timed_out, said, "" if passed else failing_test(name, said, open_test), times)


class Baseline:
    """What steps take, and that they pass, when no mutant is on. Kept for as long as the sources and tests are the same."""

    def __init__(self, key):
        stored = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}
        same = stored.get("key") == key
        self.key, self.seconds, self.tests = key, stored["seconds"] if same else {}, stored["tests"] if same else {}
        self.broken, self.locks, self.lock = {}, {}, threading.Lock()

    def save(self):
        BASELINE.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"key": self.key, "seconds": self.seconds, "tests": self.tests}, indent=1, sort_keys=True)
        BASELINE.with_suffix(".new").write_text(text, encoding="utf-8")
        BASELINE.with_suffix(".new").replace(BASELINE)

    def derived(self, name):
        """The seconds of some tests of a module that has been run: theirs, and what its start takes."""
        kind, _, rest = name.partition(" ")
        known = self.tests.get(rest.split(".")[0]) if kind == "cli" else None
        wanted = rest.split(" ")
        if not known or any(not any(test == one or test.startswith(one + ".") for test in known["times"]) for one in wanted):
            return None
        return known["start"] + sum(seconds for test, seconds in known["times"].items() if any(test == one or test.startswith(one + ".") for one in wanted))

    def of(self, name):
        """The seconds that a step takes when it passes; None where it does not."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name in self.broken:
                return None
            known = self.seconds.get(name) or self.derived(name)
            if known:
                return known
            outcome = execute(name, 0, 1200)
            with self.lock:
                if not outcome.passed:
                    self.broken[name] = outcome.output[-3000:]
                    return None
                self.seconds[name] = outcome.seconds
                if name.startswith("cli ") and "." not in name and " " not in name[4:]:
                    start = max(outcome.seconds - sum(outcome.times.values()), 0.2)
                    self.tests[name[4:]] = {"start": start, "times": outcome.times}
                self.save()
            return outcome.seconds

    def pieces(self, name):
        """A step in parts of a few seconds each, the fast ones first, so that most mutants are noticed soon."""
        kind, _, rest = name.partition(" ")
        if kind == "swift" and "/" not in rest:
            parts = ["swift %s/%s" % (rest, file) for file in files_of(rest)]
            return sorted(parts, key=lambda part: self.of(part) or 0)
        if kind != "cli" or "." in rest or (self.of(name) or 0) <= PIECE or rest not in self.tests:
            return [name]
        known, found, size = self.tests[rest], [], 0.0
        # What takes longer to start than to run is not cut up.
        if known["start"] > PIECE:
            return [name]
        for test, seconds in sorted(known["times"].items(), key=lambda item: item[1]):
            if not found or size + seconds > PIECE:
                found.append([])
                size = known["start"]
            found[-1].append(test)
            size += seconds
        # Tests of a class stay together: they may share what the class prepares.
        return ["cli " + " ".join(sorted(part)) for part in found]
