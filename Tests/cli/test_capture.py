"""hp-export capture against the plain capture in Tests/reference: the same evidence, row by row, whatever happens on the way."""

import contextlib
import random
import unittest

import histories
from support import *

sys.path.insert(0, str(ROOT / "Tests" / "reference"))

import aggregates  # noqa: E402
import archive_text  # noqa: E402
import capture as reference  # noqa: E402
from export_bundle import Refused  # noqa: E402

SECRET = "healthprobe-secret 1\nsecret " + bytes(range(32)).hex() + "\nchain " + bytes(range(32, 64)).hex() + "\n"


@contextlib.contextmanager
def rows_of(path):
    with contextlib.closing(reference.open_archive(str(path))) as connection:
        yield connection


def dump(path):
    with rows_of(path) as connection:
        return archive_text.dump(connection)


def findings(path):
    with rows_of(path) as connection:
        return archive_text.findings(connection, aggregates.Aggregates)


class CaptureCase(Case):
    """A test with an archive that the tool writes and one that the reference writes, under one secret."""

    def setUp(self):
        super().setUp()
        self.place(self.folder)

    def place(self, folder):
        self.folder = folder
        self.archive, self.plain, self.secret = folder / "archive.sqlite", folder / "plain.sqlite", folder / "secret"
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)

    def renew(self):
        for path in (self.archive, self.plain):
            for suffix in ("", "-wal", "-shm"):
                pathlib.Path(str(path) + suffix).unlink(missing_ok=True)

    def hp_capture(self, *arguments, **options):
        return hp_export("capture", self.archive, "--secret", self.secret, *arguments, **options)

    def written(self, content, name="feed.jsonl"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def both(self, option, content, is_looked_at=True):
        """Captures the same with both; the tool's run. Both refuse it, or both have the same evidence."""
        path = self.written(content, {"--feed": "feed.jsonl"}.get(option, "export.xml"))
        result = self.hp_capture(option, path, "--quiet")
        try:
            if option == "--feed":
                expected = 0
                reports = reference.capture_feed(str(self.plain), str(self.secret), str(path))
            else:
                reports = [reference.capture(str(self.plain), str(self.secret), str(path))]
            expected = 0 if all(report["status"] == "completed" for report in reports) else 1
        except Refused as refusal:
            expected = 2
            result.err += "reference: %s\n" % refusal
        self.assertEqual(result.status, expected, result)
        if is_looked_at:
            self.assert_same()
        return result

    def assert_same(self):
        ours, theirs = dump(self.archive), dump(self.plain)
        if ours != theirs:
            ours, theirs = set(ours), set(theirs)
            self.fail("\n".join(["only the tool:     " + line for line in sorted(ours - theirs)[:8]] + ["only the reference: " + line for line in sorted(theirs - ours)[:8]]) or "a line is there twice")


class Histories(CaptureCase):
    """Random histories, each from a number of its own: a failure names it."""

    COUNT = int(os.environ.get("HP_HISTORIES", "150"))

    def setUp(self):
        super().setUp()
        if os.path.isdir("/dev/shm"):  # nothing here is about losing power
            folder = tempfile.TemporaryDirectory(prefix="hp-cli.", dir="/dev/shm")
            self.addCleanup(folder.cleanup)
            self.place(pathlib.Path(folder.name))

    def test_random_histories(self):
        first = int(os.environ.get("HP_HISTORY", "0"))
        for number in range(first, first + self.COUNT):
            chance = random.Random(number)
            self.renew()
            with self.subTest(history=number):
                for index, feed in enumerate(histories.History(chance, chance.randint(2, 6)).feeds()):
                    with self.at("feed %d" % index):
                        self.both("--feed", feed, is_looked_at=number % 4 == 0 or self.COUNT == 1)
                self.assert_same()
                self.assertEqual(findings(self.archive), [])
                self.assertEqual(query(self.archive, "PRAGMA integrity_check"), [("ok",)])
                self.assertEqual(query(self.archive, "PRAGMA foreign_key_check"), [])

    @contextlib.contextmanager
    def at(self, place):
        try:
            yield
        except AssertionError as error:
            raise AssertionError("%s: %s" % (place, error)) from None


if __name__ == "__main__":
    unittest.main()
