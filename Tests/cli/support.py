"""What the command-line tests share: archives to work on, running the tools, and what a refusal looks like."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Fixtures"
SCHEMA = ROOT / "Spec" / "archive-schema.sql"
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
INTENTS = "SELECT key FROM archive_metadata WHERE key LIKE 'publish_intent:%'"

sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]

import make_archive  # noqa: E402
import schemas  # noqa: E402
import vectors  # noqa: E402

# What a test expects of every run unless it says otherwise: nothing waits for long, and nothing depends on the caller's locale.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
PATIENCE = 120


class Run:
    """One finished run of a tool."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout or b""
        self.err = (process.stderr or b"").decode("utf-8", "backslashreplace")

    def __repr__(self):
        return "status %s, standard output of %d bytes, standard error:\n%s" % (self.status, len(self.out), self.err)


def tool(name):
    return str(TOOLS / name)


def run(name, *arguments, **options):
    """Runs a tool with paths, text or bytes as arguments."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("env", ENVIRONMENT)
    if "input" in options:
        del options["stdin"]
    options.setdefault("stdout", subprocess.PIPE)
    process = subprocess.run([tool(name), *map(os.fspath, arguments)], stderr=subprocess.PIPE, timeout=PATIENCE, **options)
    return Run(process)


def hp_export(*arguments, **options):
    return run("hp-export", *arguments, **options)


def hp_verify(*arguments, **options):
    return run("hp-verify", *arguments, **options)


def has_open(process, path):
    """Whether a process has a file open (proc(5))."""
    folder = pathlib.Path("/proc") / str(process.pid) / "fd"
    try:
        return any(os.path.realpath(entry) == os.path.realpath(path) for entry in folder.iterdir())
    except FileNotFoundError:
        return False


def start(name, *arguments, **options):
    """Starts a tool and returns at once."""
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([tool(name), *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, env=ENVIRONMENT, **options)


def size_of_a_hole(wanted):
    """The size of a file that is nearly all a hole: less than is wanted where the size of files is limited, as in a run of mutants."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return wanted if limit == resource.RLIM_INFINITY else min(wanted, limit - 4096)


NOBODY = 65534


def run_as_nobody(name, folder, *arguments):
    """Runs a copy of a tool, in a folder that everybody may enter, without the rights of root."""
    copy = os.path.join(folder, name)
    if not os.path.exists(copy):
        shutil.copy(tool(name), copy)
    process = subprocess.run([copy, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE,
                             user=NOBODY, group=NOBODY, extra_groups=[])
    return Run(process)


def verdict_of(path):
    """What the verifier of the specification says of a bundle: none of the tools' code is in it."""
    import verify_bundle
    with open(path, "rb") as file:
        return verify_bundle.verify(file)


def publication_token(path):
    """A token that a temporary file of an export of an archive has (Spec/bundle.md, "Publishing")."""
    machine = pathlib.Path("/etc/machine-id")
    status = os.stat(path)
    text = b"healthprobe publication\n%d %d\n" % (status.st_dev, status.st_ino)
    text += machine.read_bytes()[:64] if machine.exists() else b""
    number, digits = int.from_bytes(hashlib.sha256(text).digest()[:8], "big"), ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits.rjust(13, "0") + 13 * "a"


def lines_of(path):
    """The lines of a bundle, through the `zstd` program."""
    text = subprocess.run(["zstd", "-dcq", os.fspath(path)], check=True, stdout=subprocess.PIPE).stdout
    return text.split(b"\n")[:-1]


def text_hash(data):
    """SHA-256 of the text in a bundle's bytes."""
    text = subprocess.run(["zstd", "-dcq"], input=data, check=True, stdout=subprocess.PIPE).stdout
    return hashlib.sha256(text).hexdigest()


@contextlib.contextmanager
def database(path):
    """A connection that is closed at the end. Without a transaction of its own."""
    connection = sqlite3.connect(os.fspath(path), isolation_level=None, timeout=10)
    try:
        yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def held(path, *statements):
    """Another process that has run statements on an archive and keeps its connection open, with its locks.

    Not a connection of this process: closing any descriptor of a file drops all locks that a process has on it (fcntl(2)).
    """
    script = """if True:
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
        for statement in sys.argv[2:]:
            connection.execute(statement)
        print("ready", flush=True)
        sys.stdin.read()
        """
    holder = subprocess.Popen([sys.executable, "-c", script, os.fspath(path), *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if holder.stdout.readline() != b"ready\n":
            raise RuntimeError("the archive cannot be held")
        yield holder
    finally:
        holder.stdin.close()
        holder.stdout.close()
        holder.wait(PATIENCE)


def execute(path, *statements):
    with database(path) as connection:
        for statement in statements:
            connection.execute(statement)


def query(path, sql, *parameters):
    with database(path) as connection:
        return connection.execute(sql, parameters).fetchall()


def contents(path):
    """All rows of all tables, as text; through a copy, so that looking changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "copy.sqlite")
        shutil.copy(path, copy)
        for suffix in ("-wal", "-journal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(os.fsencode(path) + suffix.encode(), os.fsencode(copy) + suffix.encode())
        with database(copy) as connection:
            connection.text_factory = bytes
            rows = io.StringIO()
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").fetchall():
                rows.write("%r %r\n" % (name, sorted(map(repr, connection.execute('SELECT * FROM "%s"' % name.decode().replace('"', '""'))))))
    return rows.getvalue()


def trace_of(folder):
    """Every file of a folder: name, inode, size, time of the last change, and bytes."""
    found = {}
    for name in sorted(os.listdir(os.fsencode(folder))):
        path = os.path.join(os.fsencode(folder), name)
        status = os.lstat(path)
        found[name] = (status.st_ino, status.st_size, status.st_mtime_ns, pathlib.Path(os.fsdecode(path)).read_bytes() if os.path.isfile(path) else None)
    return found


STRACE = shutil.which("strace")


def can_trace():
    return STRACE is not None and subprocess.run([STRACE, "-f", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode == 0


def takes_long(test):
    """Marks a test that goes through very many cases: `make test-long` runs it, and `make test` does not."""
    test.takes_long = True
    return test


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = 2000
    _large = {}

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="hp-cli.")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        # Other users must be able to reach it: some tests run a tool without the rights of root.
        self.folder.chmod(0o755)

    def fixture(self, name="small.sqlite", to="archive.sqlite"):
        """A copy of a fixture archive."""
        path = self.folder / to
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(FIXTURES / "archives" / name, path)
        return path

    def generated(self, samples, to="archive.sqlite", journal="wal"):
        """A copy of a generated archive; each size is made once."""
        key = (samples, journal)
        if key not in Case._large:
            keep = tempfile.mkdtemp(prefix="hp-cli-archives.")
            unittest.addModuleCleanup(Case._forget, key, keep)
            source = os.path.join(keep, "archive.sqlite")
            make_archive.write(source, samples=samples, journal=journal)
            Case._large[key] = source
        path = self.folder / to
        shutil.copyfile(Case._large[key], path)
        return path

    @staticmethod
    def _forget(key, keep):
        del Case._large[key]
        shutil.rmtree(keep)

    def names(self, folder=None):
        return sorted(os.listdir(os.fsencode(folder or self.folder)))

    def terminal(self, *command, **variables):
        """What a command writes on a terminal, both its streams."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([*map(os.fspath, command)], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, env={**ENVIRONMENT, "TERM": "xterm", **variables})
        os.close(follower)
        written = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
        os.close(leader)
        process.wait(PATIENCE)
        return written

    def assert_good(self, result):
        self.assertEqual(result.status, 0, result)
        self.assertNotIn("error:", result.err)
        return result

    def assert_one_line(self, result, *words, name="hp-export"):
        """Standard error has one error with its place, and at most a hint."""
        lines = result.err.splitlines()
        self.assertTrue(lines, "nothing on standard error")
        self.assertTrue(lines[0].startswith(name + ": error: "), result)
        self.assertLessEqual(len(lines), 2, result)
        for line in lines[1:]:
            self.assertTrue(line.startswith(name + ": hint: "), result)
        self.assertFalse(lines[0].endswith("."), result)
        for word in words:
            self.assertIn(word, lines[0])

    def assert_refused(self, result, *words, status=2, name="hp-export"):
        """Nothing was done, and one line says why and where."""
        self.assertEqual(result.status, status, result)
        self.assert_one_line(result, *words, name=name)
        self.assertEqual(result.out, b"")

    def assert_settled(self, archive, exports=None):
        """No intent is left in an archive, and it holds so many exports."""
        self.assertEqual(query(archive, INTENTS), [])
        if exports is not None:
            self.assertEqual(query(archive, "SELECT count(*) FROM export_manifests"), [(exports,)])
            self.assertEqual(
                query(archive, "SELECT m.id FROM export_manifests m WHERE m.record_count <> (SELECT count(*) FROM export_items i WHERE i.export_manifest_id = m.id)"), [])
