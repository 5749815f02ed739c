"""Pages that are used twice: no command goes through them again and again, and each says which page it is.

Every run has limits of processor time, memory and file size that a scan without bounds exceeds.
"""

import itertools
import json
import pathlib
import random
import resource
import tempfile
import threading

from capture_support import CaptureCase, feed, observation, sample, type_run
from shared_pages import FREE, LEAVES, OTHERS, OVERFLOWS, TREES, Pages, shared_leaf, tower
from support import database, execute, held, hp_export, hp_verify, query, run, takes_long

SECONDS, MEMORY, FILE = 20, 2 << 30, 64 << 20
TABLES = ["observations", "samples", "sample_versions", "sample_visibility_ranges"]
LISTS = ["observations", "types", "sources", "devices", "changes", "exports", "rejected", "withheld", "context"]
TEXT = "x" * 3000


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))


class SharedPages(CaptureCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hp-cli.")
        cls.addClassCleanup(folder.cleanup)
        case = cls()
        case.place(pathlib.Path(folder.name))
        days = []
        for day in range(1, 13):
            records = [sample(number, number, 60 + number % 90, metadata={"text": TEXT + str(number % 9)})
                       for number in range(day, 200 + day)]
            days.append(observation(day, type_run(records)))
        case.assert_good(case.hp_capture("--feed", case.written(feed(*days)), "--quiet"))
        execute(case.archive, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM",
                "CREATE TABLE gone(x)",
                "INSERT INTO gone WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
                "SELECT randomblob(400) FROM n", "DROP TABLE gone")
        cls.base = case.archive.read_bytes()

    def limited(self, name, *arguments):
        return run(name, *arguments, preexec_fn=limited)

    def changed(self, make, root, in_log=False):
        """The archive with shared pages."""
        self.renew()
        self.archive.write_bytes(self.base)
        pages = Pages(self.archive)
        make(pages, pages.roots[root])
        pages.write(in_log)

    def exports(self):
        out = ["-o", self.folder / "out", "--force"]
        for command in (["bundle", *out], ["bundle", "--history", *out], ["records", *out], ["diff", *out],
                        ["diff", "--summary", "--format", "json", *out]):
            yield self.limited("hp-export", command[0], self.archive, *command[1:], "--no-record")
        yield self.limited("hp-export", "bundle", self.archive, *out)

    def assert_told(self, result):
        self.assert_refused(result, "archive.sqlite: ")
        # What SQLite sees first is malformed.
        self.assertRegex(result.err, "page|malformed")

    def assert_bounded(self, lists=(0, 2), exports=(2,)):
        for kind in LISTS:
            result = self.limited("hp-export", "list", self.archive, kind)
            self.assertIn(result.status, lists, (kind, result))
            self.assertLess(len(result.out), 1 << 20)
        for result in self.exports():
            self.assertIn(result.status, exports, result)
            if result.status == 2:
                self.assert_told(result)
        result = self.limited("hp-verify", "archive", self.archive, "--json", "--quiet")
        self.assertEqual(result.status, 1, result)
        found = [finding for finding in json.loads(result.out)["findings"] if finding["code"] == "sqlite.integrity"]
        self.assertTrue(any("page" in finding["found"].lower() for finding in found), found)

    def each(self, makers, tables, look):
        """Looks at each in the main file, and in a log."""
        for (name, make), table, in_log in itertools.product(makers.items(), tables, (False, True)):
            with self.subTest(name, table=table, in_log=in_log):
                self.changed(make, table, in_log)
                look(in_log)

    def test_the_archive_is_good_without_them(self):
        self.archive.write_bytes(self.base)
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        for result in self.exports():
            self.assert_good(result)
        # Its pages in a log, unchanged but for one byte that nobody reads.
        self.changed(lambda pages, root: pages.put(1, 72, 1), "samples", in_log=True)
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        for result in self.exports():
            self.assert_good(result)

    def test_pages_of_a_table_that_are_shared_end_every_command_that_reads_it(self):
        self.each(TREES, TABLES, lambda _: self.assert_bounded())

    def test_leaves_with_cells_that_share_bytes(self):
        # Not every export reads the leaf.
        self.each(LEAVES, TABLES, lambda _: self.assert_bounded(exports=(0, 2)))

    def test_pages_of_two_tables(self):
        self.each(OTHERS, ["samples"], lambda _: self.assert_bounded())

    def test_overflow_pages(self):
        def look(_):
            # A diff reads the metadata of what changed.
            self.assert_bounded(exports=(0, 2))
            self.assert_told(next(self.exports()))
        self.each(OVERFLOWS, ["metadata_blobs"], look)

    def test_free_pages(self):
        def look(_):
            # Readers take no free page; the last export is recorded, and takes some.
            self.assert_bounded(exports=(0, 2))
            self.assert_told(list(self.exports())[-1])
        self.each(FREE, ["samples"], look)

    def test_writers_write_nothing(self):
        line = self.written(feed(observation(20, type_run([sample(900, 900)], mode="anchored"))), "more.jsonl")

        def look(in_log):
            evidence = self.archive.read_bytes()
            for command in (["undo", self.archive, "--no-backup"], ["repair", self.archive, "--ranges"],
                            ["capture", self.archive, "--secret", self.secret, "--feed", line]):
                result = self.limited("hp-export", *command, "--quiet")
                self.assertEqual(result.status, 2, (command, result))
            # The log is folded in when the archive is closed; nothing else is written.
            self.assertEqual(in_log or self.archive.read_bytes()[100:] == evidence[100:], True)
        self.each({"tower": tower, "shared leaf": shared_leaf}, TABLES, look)


class WholePages(CaptureCase):
    """What SQLite finds whole is refused by nobody: pages of all sizes, moved and freed at random."""

    EXTRA = "CREATE TABLE IF NOT EXISTS extra(id INTEGER PRIMARY KEY, key TEXT UNIQUE, content BLOB)"

    def change(self, connection, rng, count):
        """Adds, changes and removes rows of any size, so that pages of all kinds are taken and freed."""
        connection.execute("BEGIN")
        for _ in range(count):
            number, size = rng.randrange(-99, 300), rng.choice((0, 10, 300, 2000, 30_000))
            if rng.random() < 0.5:
                connection.execute("INSERT OR REPLACE INTO extra VALUES (?, ?, ?)",
                                   (number, "k" * rng.choice((3, 200, 2000)) + str(number), rng.randbytes(size)))
            else:
                connection.execute("DELETE FROM extra WHERE id BETWEEN ? AND ? + 5", (number, number))
        connection.execute("COMMIT")

    def made(self, rng, page_size, auto_vacuum, journal):
        for name in self.folder.glob("whole.sqlite*"):
            name.unlink()
        path = self.fixture(to="whole.sqlite")
        execute(path, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = %d" % page_size,
                "PRAGMA auto_vacuum = %d" % auto_vacuum, "VACUUM", "PRAGMA journal_mode = " + journal, self.EXTRA)
        with database(path) as connection:
            connection.execute("PRAGMA cache_size = 10")
            for _ in range(6):
                self.change(connection, rng, 60)
                connection.execute("PRAGMA incremental_vacuum(%d)" % rng.randrange(1, 20)).fetchall()
        return path

    def look(self, rng, *form):
        path = self.made(rng, *form)
        out = ["-o", self.folder / "out", "--force"]
        self.assertEqual(query(path, "PRAGMA integrity_check"), [("ok",)])
        self.assert_whole(path)
        self.assert_good(hp_export("bundle", path, *out))
        # With a log that nobody folded in.
        with held(path, "PRAGMA wal_autocheckpoint = 0", "DELETE FROM extra WHERE id % 3 = 0",
                  "INSERT INTO extra SELECT -id - 1000, 'n' || id, content FROM extra") as holder:
            self.assert_good(hp_export("list", path, "observations"))
            self.assert_good(hp_export("bundle", path, *out))
            holder.kill()
        self.assert_whole(path)

    def assert_whole(self, path):
        said = json.loads(hp_verify("archive", path, "--only", "sqlite", "--json", "--quiet").out)
        self.assertEqual([said["findings"], said["checks"][0]["status"]], [[], "ok"])

    def test_pages_that_were_moved(self):
        for form in ((512, 2, "wal"), (1024, 0, "delete")):
            with self.subTest(form):
                self.look(random.Random(4), *form)

    @takes_long
    def test_pages_of_all_sizes(self):
        rng = random.Random(1)
        for form in itertools.product((512, 1024, 4096, 65536), (0, 1, 2), ("delete", "wal")):
            with self.subTest(form):
                self.look(rng, *form)

    @takes_long
    def test_an_archive_that_others_write_to(self):
        for page_size, auto_vacuum, journal in ((512, 0, "wal"), (512, 2, "wal"), (1024, 1, "delete")):
            with self.subTest(page_size=page_size, auto_vacuum=auto_vacuum, journal=journal):
                path = self.made(random.Random(2), page_size, auto_vacuum, journal)
                over = threading.Event()

                def write():
                    rng = random.Random(3)
                    with database(path) as connection:
                        while not over.is_set():
                            self.change(connection, rng, 30)
                            connection.execute("PRAGMA wal_checkpoint").fetchall()
                writer = threading.Thread(target=write)
                writer.start()
                try:
                    for number in range(12):
                        out = ["-o", self.folder / "out", "--force", "--quiet"]
                        for command in (["list", path, "types"], ["bundle", path, *out, "--no-record"],
                                        ["bundle", path, "--at", str(1 + number % 4), *out]):
                            result = hp_export(*command)
                            for words in ("twice", "share bytes", "overflow pages", "do not rise", "malformed"):
                                self.assertNotIn(words, result.err)
                finally:
                    over.set()
                    writer.join()
                self.assertEqual(query(path, "PRAGMA integrity_check"), [("ok",)])
