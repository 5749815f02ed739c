"""Integers at the ends: every integer column of an archive with the numbers at which arithmetic and JSON end.

One cell at a time holds such a number, alone or with all rows that refer to it. No command traps, hangs or takes
gigabytes; each ends with 0, 1 or 2, and 2 has one line. Both schemas of the specification say which columns there are.

HP_CELLS says how many commands look at each cell: 4 unless it is set, `all` for every command.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import sqlite3
import tempfile

from cell_sweep import Base, limit_memory, Workshop
from support import SCHEMA, Case, database, hp_export, hp_verify, takes_long

WORKERS = 2
SHARE = os.environ.get("HP_CELLS", "4")
# The ends of int64, of what a double holds exactly, and numbers of which two sum up to more than an int64.
ENDS = [-(2**63), 1 - 2**63, -(2**62), -(2**53), 1 - 2**53, 2**53 - 1, 2**53, 2**62, 2**63 - 2, 2**63 - 1]
SPECIFIED = [SCHEMA, SCHEMA.with_name("archive-extensions.sql")]
REFERENCE = re.compile(r"^    (\w+) \w+.* REFERENCES (\w+)\((\w+)\)")


def specified():
    """The tables of the specification, with the type and what each column refers to."""
    found = {}
    for path in SPECIFIED:
        for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", path.read_text(encoding="utf-8"), re.DOTALL):
            found[table] = {}
            for line in body.split("\n"):
                named = re.match(r"^    (\w+) (INTEGER|REAL|TEXT|BLOB)", line)
                if named:
                    target = REFERENCE.match(line)
                    found[table][named[1]] = (named[2], target and (target[2], target[3]))
    return found


TABLES = specified()
FOLLOWED = "followed"
# Cells that trapped, and the commands that did.
TRAPPED = [
    ("observations", "id", "first", [2**53, 2**62, 2**63 - 1, -(2**53), -(2**63)], ["report"]),
    ("observations", "id", "middle", [2**53, 2**63 - 1, -(2**63)], ["report"]),
    ("observations", "id", "last", [-(2**63)], ["report"]),
    ("observations", "id", FOLLOWED, [2**53, 2**62, 2**63 - 1, -(2**63)], ["report", "undo"]),
    ("observations", "time_zone_seconds_from_gmt", "middle", [2**53, 2**62, 2**63 - 1, -(2**63)], ["report"]),
]


def integer_cells():
    """Each integer column, whether all that refers to it follows, and which rows."""
    for table, columns in TABLES.items():
        for column, (kind, _) in columns.items():
            if kind != "INTEGER":
                continue
            # The newest observation is one that was cut off: the one in the middle is what commands look at.
            for place in ("first", "middle", "last"):
                yield table, column, place
            if any(target == (table, column) for other in TABLES.values() for _, target in other.values()):
                yield table, column, FOLLOWED


def fill(path):
    """Gives every table of the specification a row."""
    with database(path) as connection:
        for table, columns in TABLES.items():
            if connection.execute("SELECT count(*) FROM " + table).fetchone()[0]:
                continue
            values = []
            for kind, target in columns.values():
                if target:
                    values.append(connection.execute("SELECT max(%s) FROM %s" % (target[1], target[0])).fetchone()[0])
                else:
                    values.append({"INTEGER": 3, "REAL": 7.5e8, "TEXT": "a" * 64, "BLOB": b"a"}[kind])
            marks = ", ".join("?" * len(values))
            connection.execute("INSERT INTO %s(%s) VALUES (%s)" % (table, ", ".join(columns), marks), values)


def put(base, path, table, column, place, value):
    """Writes the archive with one number in one row; whether there is such an archive."""
    path.write_bytes(base.bytes)
    try:
        with database(path) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
            rows = base.rows(table, "middle" if place == FOLLOWED else place)
            old = connection.execute('SELECT "%s" FROM "%s" WHERE %s' % (column, table, rows)).fetchone()[0]
            connection.execute('UPDATE "%s" SET "%s" = ? WHERE %s' % (table, column, rows), (value,))
            if place == FOLLOWED:
                for other, columns in TABLES.items():
                    for name, (_, target) in columns.items():
                        if target == (table, column):
                            connection.execute('UPDATE "%s" SET "%s" = ?1 WHERE "%s" = ?2' % (other, name, name),
                                               (value, old))
    except sqlite3.Error:
        return False
    return True


class IntegerEnds(Case):
    shops = []

    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory(prefix="hp-cli-ends.")
        cls.addClassCleanup(keep.cleanup)
        cls.addClassCleanup(limit_memory())
        cls.shops = [Workshop(pathlib.Path(keep.name, str(worker)), forms=["strict"]) for worker in range(WORKERS)]
        for shop in cls.shops:
            (base,) = shop.bases
            shop.archive.write_bytes(base.bytes)
            fill(shop.archive)
            shop.bases = [Base(base.name, shop.archive, base.bundle)]

    def test_every_integer_column_is_there_and_has_a_row(self):
        (base,) = self.shops[0].bases
        cells = list(integer_cells())
        # As many as `INTEGER` columns stand in both texts.
        columns = sum(len(re.findall(r"^    \w+ INTEGER", path.read_text(encoding="utf-8"), re.MULTILINE))
                      for path in SPECIFIED)
        self.assertEqual(len({cell[:2] for cell in cells}), columns)
        for table, column, _ in cells:
            self.assertIn((table, column), base.columns)
            self.assertGreater(base.counts[table], 0, table)

    def test_what_trapped_once_does_so_no_more(self):
        shop, found = self.shops[0], []
        (base,) = shop.bases
        for table, column, place, values, verbs in TRAPPED:
            for value in values:
                self.assertTrue(put(base, shop.archive, table, column, place, value))
                for name, command, is_writing in [*shop.commands(base), *shop.more_commands()]:
                    if command[0] in verbs:
                        faults = shop.faults(name, command, is_writing)
                        found += ["%s.%s %s %d, %s: %s" % (table, column, place, value, command[0], fault)
                                  for fault in faults]
        self.assertEqual(found, [])

    def test_hp_verify_names_the_id_of_an_observation_that_no_document_can_name(self):
        shop = self.shops[0]
        (base,) = shop.bases
        for value, is_named in ((2**53 - 1, False), (2**53, True), (-(2**53), True), (1 - 2**53, False)):
            self.assertTrue(put(base, shop.archive, "observations", "id", FOLLOWED, value))
            findings = json.loads(hp_verify("archive", shop.archive, "--json", "--quiet").out)["findings"]
            named = [finding for finding in findings if finding["code"] == "values.integer_range"]
            self.assertEqual([(finding["table"], finding["column"]) for finding in named],
                             [("observations", "id")] * is_named)
            out = shop.folder / "out"
            result = hp_export("bundle", shop.archive, "--at", str(value), "-o", out, "--force", "--no-record")
            if is_named:
                self.assert_refused(result, "beyond 2^53-1")
            else:
                self.assert_good(result)

    def sweep(self, share):
        """Runs a share of the commands over each cell; what was wrong, and how many runs there were."""
        def work(shop, worker):
            (base,) = shop.bases
            commands = [*shop.commands(base), *shop.more_commands()]
            found, runs = [], 0
            for number, (cell, value) in enumerate(itertools.product(integer_cells(), ENDS)):
                if number % WORKERS != worker or not put(base, shop.archive, *cell, value):
                    continue
                # A step that has no factor with the number of commands: each column meets all of them.
                first = number // WORKERS * 7
                for place in range(first, first + (len(commands) if share == "all" else int(share))):
                    name, command, is_writing = commands[place % len(commands)]
                    words = " ".join([name, *map(os.path.basename, map(str, command))])
                    faults = shop.faults(name, command, is_writing)
                    found += ["%s.%s %s %d, %s: %s" % (*cell, value, words, fault) for fault in faults]
                    runs += 1
            return found, runs
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
            results = list(workers.map(work, self.shops, range(WORKERS)))
        return [line for found, _ in results for line in found], sum(runs for _, runs in results)

    @takes_long
    def test_no_integer_traps_a_command(self):
        found, runs = self.sweep(SHARE)
        self.assertEqual(found, [], "%d faults in %d runs" % (len(found), runs))
        self.assertGreater(runs, 1000)
