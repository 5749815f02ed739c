"""Steps that can notice a mutant: how each is run, what it takes when nothing is wrong, and which of its tests noticed.

A step is named as in the mutants' files: `swift TARGET`, `swift TARGET/FILE`, `swift TARGET/FILE: A TEST`, `cli test_NAME`,
`cli test_NAME.Class.method`, or the name that a step of Tests/run.py has.
"""

import dataclasses
import hashlib
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
# How long a step may take of which nothing is known.
UNKNOWN = 180.0
# Names that are shorter than those of Tests/run.py.
ALIASES = {"differential": "two verifiers"}
PYTHON_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)", re.MULTILINE)
SWIFT_FAILURE = re.compile(r'^\S*✘\S* Test (?!run with|case passing).*?(?:"([^"]+)"|(\w+)\(.*?\)) (?:recorded an issue|failed after|with \d+ test case)', re.MULTILINE)
SWIFT_COUNT = re.compile(r"Test run with (\d+) test")
BYTES_OF_MEMORY, BYTES_OF_A_FILE = 8 << 30, 4 << 30


def commands_of_the_suite():
    """The steps of Tests/run.py that run the tools and are no module of the command line's tests."""
    spec = importlib.util.spec_from_file_location("suite", ROOT / "Tests" / "run.py")
    suite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(suite)
    steps = {name: command for steps in suite.SUITES.values() for name, command in steps if "Tests/cli/run.py" not in command}
    return {name: command for name, command in steps.items() if "HP_TOOLS" in (ROOT / command[2]).read_text(encoding="utf-8")}


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
        return "" if all(is_test(words.split(".")) for words in rest.split(" ")) else "no such tests"
    if kind == "swift" and rest:
        target, _, file = rest.partition(":")[0].partition("/")
        return "" if (ROOT / "Tests" / target).is_dir() and (not file or file in files_of(target)) else "no such target or file of one"
    return "" if ALIASES.get(name, name) in SUITE else "no step of Tests/run.py that runs the tools"


def is_test(words):
    """Whether there are tests of a module, of its class, or one by its name, which a class may have from another file."""
    folder = ROOT / "Tests" / "cli"
    module = folder / (words[0] + ".py")
    texts = [module.read_text(encoding="utf-8")] if module.is_file() else []
    if texts and len(words) > 1:
        texts = [text for text in texts if re.search(r"^class %s\b" % re.escape(words[1]), text, re.MULTILINE)]
    if texts and len(words) > 2:
        texts = [path for path in folder.glob("*.py") if "def %s(" % words[2] in path.read_text(encoding="utf-8")]
    return bool(texts)


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


# Groups of processes that are running now.
RUNNING = set()


def end_all(*_):
    """Ends what is running, and the program: for a signal."""
    for group in list(RUNNING):
        end(group)
    os._exit(130)


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    RUNNING.discard(group)


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
    # As any temporary folder: some tests run a tool without the rights of root.
    folder.chmod(0o1777)
    environment = {**os.environ, "HP_MUTANT": str(number), "HP_TOOLS": str(weave.TOOLS), "TMPDIR": str(folder)}
    begin = time.monotonic()
    with open(folder / "output", "w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(command_of(name, folder / "times"), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=limit_resources)
        RUNNING.add(process.pid)
        timed_out = False
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # What it started and left behind goes with it.
            end(process.pid)
            process.wait()
    seconds = time.monotonic() - begin
    said = (folder / "output").read_text(encoding="utf-8", errors="replace")
    times, open_test = parse_times(folder / "times")
    passed = not timed_out and process.returncode == 0
    if name.startswith("swift") and passed:
        passed = SWIFT_COUNT.search(said) is not None and not has_no_test(said)
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(passed, seconds, timed_out, said, "" if passed else failing_test(name, said, open_test), times)


def has_no_test(output):
    """Whether a Swift step ran nothing: a test that failed is not always known by the name that is printed."""
    count = SWIFT_COUNT.search(output)
    return count is not None and int(count[1]) == 0


def key_of(name):
    """What the time of a step depends on: the sources, and the files that it runs."""
    kind, _, rest = name.partition(" ")
    digest = hashlib.sha256(KEY_OF_SOURCES.encode())
    tests = ROOT / "Tests"
    if kind == "cli":
        modules = {word.split(".")[0] for word in rest.split(" ")}
        paths = [path for path in (tests / "cli").glob("*.py") if not path.name.startswith("test_") or path.stem in modules]
    else:
        paths = list((tests / rest.split("/")[0]).glob("*.swift")) if kind == "swift" else [*tests.glob("*.py"), *(tests / "reference").glob("*.py")]
    return digest_of(paths, digest)


def digest_of(paths, digest):
    for path in sorted(paths):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


KEY_OF_SOURCES = digest_of(entries.SOURCES.rglob("*.swift"), hashlib.sha256())


class Baseline:
    """What steps take, and that they pass, when no mutant is on. Kept for as long as the sources and the tests are the same."""

    def __init__(self):
        stored = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}
        self.known = {name: entry for name, entry in stored.items() if entry.get("key") == key_of(name)}
        self.broken, self.locks, self.lock = {}, {}, threading.Lock()

    def save(self):
        BASELINE.parent.mkdir(parents=True, exist_ok=True)
        BASELINE.with_suffix(".new").write_text(json.dumps(self.known, indent=1, sort_keys=True), encoding="utf-8")
        BASELINE.with_suffix(".new").replace(BASELINE)

    def learn(self, name, outcome, is_checked):
        """Keeps what a step took that passed; `is_checked` without a mutant."""
        with self.lock:
            entry = self.known.setdefault(name, {"key": key_of(name)})
            entry.update({"seconds": outcome.seconds, "checked": is_checked or entry.get("checked", False)})
            if outcome.times:
                entry.update({"times": outcome.times, "start": max(outcome.seconds - sum(outcome.times.values()), 0.2)})
            self.save()

    def guess(self, name):
        """The seconds that a step takes as far as is known: by itself, or as some tests of a module that was run."""
        if name in self.known:
            return self.known[name]["seconds"]
        kind, _, rest = name.partition(" ")
        module = self.known.get("cli " + rest.split(".")[0]) if kind == "cli" else None
        if not module:
            return None
        found = [[seconds for test, seconds in module["times"].items() if test == one or test.startswith(one + ".")] for one in rest.split(" ")]
        return module["start"] + sum(map(sum, found)) if all(found) else None

    def of(self, name):
        """The seconds that a step takes without a mutant, measured once; None where it does not pass."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name in self.broken:
                return None
            if not self.known.get(name, {}).get("checked"):
                outcome = execute(name, 0, 1200)
                if not outcome.passed:
                    self.broken[name] = outcome.output[-3000:]
                    return None
                self.learn(name, outcome, True)
            return self.known[name]["seconds"]

    def pieces(self, name):
        """A step in parts of a few seconds each, the fast ones first, so that most mutants are noticed soon."""
        kind, _, rest = name.partition(" ")
        if kind == "swift" and "/" not in rest:
            return sorted(("swift %s/%s" % (rest, file) for file in files_of(rest)), key=lambda part: self.guess(part) or PIECE)
        module = self.known.get(name)
        # What takes longer to start than to run is not cut up.
        if kind != "cli" or "." in rest or not module or module["seconds"] <= PIECE or module["start"] > PIECE:
            return [name]
        found, size = [], 0.0
        for test, seconds in sorted(module["times"].items(), key=lambda item: item[1]):
            if not found or size + seconds > PIECE:
                found.append([])
                size = module["start"]
            found[-1].append(test)
            size += seconds
        # Tests of a class stay together: they may share what the class prepares.
        return ["cli " + " ".join(sorted(part)) for part in found]

    def notices(self, name, number):
        """Runs a step with a mutant. What noticed it, as a result; None where nothing did, or the step fails by itself."""
        normal = self.guess(name)
        outcome = execute(name, number, 3 * normal + 10 if normal else UNKNOWN)
        if outcome.passed:
            self.learn(name, outcome, False)
            return None
        if outcome.timed_out and not normal:
            # Whether that is long for it is not known yet.
            normal = self.of(name)
            if normal is None or UNKNOWN > 3 * normal + 10:
                outcome = outcome if normal else None
            else:
                outcome = execute(name, number, 3 * normal + 10)
            if not outcome or outcome.passed:
                return None
        # A test of it is a step by itself, if it passes without the mutant.
        narrow = outcome.test if outcome.test and self.of(outcome.test) else name
        if self.of(narrow) is None:
            return None
        return {"outcome": "killed", "step": narrow, "seconds": round(outcome.seconds, 1), "normal": round(self.of(narrow), 1), "timed_out": outcome.timed_out}
