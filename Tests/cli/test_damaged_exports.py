"""Exports of archives that are damaged at random: each is refused, or is valid by both verifiers as what it is.

An export of damaged evidence may have defects, which it states; it is never made of what it could not read. Where a
table and its index say different things of one row, which SQLite calls malformed, an export may have both: then the two
verifiers only have to agree. `HP_DAMAGES` says how many archives; each is named by its number, which makes it again.
"""

import collections
import csv
import io
import json
import os
import random
import shutil
import sqlite3
import unittest

from support import FIXTURES, Case, database, hp_export, hp_verify, takes_long

import verify_bundle  # noqa: E402

COUNT = int(os.environ.get("HP_DAMAGES", "12"))
FIRST = int(os.environ.get("HP_FIRST_DAMAGE", "1"))
# What an archive with identity rules says of its contents: a value that was changed there is found in its exports.
OF_CONTENTS = {"item.metadata_hash", "item.payload_hash", "item.strict_fingerprint", "item.semantic_fingerprint", "item.alike_limit",
               "item.private_metadata"}
TABLES = ("device_chains", "observations", "observation_type_runs", "sample_types", "samples", "sample_versions", "sample_visibility_ranges",
          "sample_observation_events", "sample_relationships", "sources", "source_revisions", "hk_devices", "metadata_blobs",
          "observation_type_summaries", "daily_type_aggregates")
NUMBERS = (0, 1, -1, 2, 7, 2 ** 53, 2 ** 63 - 1, -(2 ** 63), 0.5, -0.5, 1e15, 253402300800.0, -63e9, 1e300, float("inf"), 5e-324)
TEXTS = ("", "x", "completed", "appeared", "disappeared", "count", "{}", "[]", '{"a":1e999}', '{"a":{"b":[1,2]}}', "\u00e4\u2028", "a\0b", "=1+1", "x" * 3000)
EXPORTS = {
    "bundle": ("bundle", "jsonl.zst"), "history": ("bundle", "jsonl.zst", "--history"), "lines": ("records", "jsonl"), "envelope": ("records", "json"),
    "table": ("records", "csv"), "changes": ("diff", "jsonl", "--from", "1"), "changes-table": ("diff", "csv", "--from", "1"),
    "summary": ("diff", "json", "--from", "1", "--summary"), "findings": ("diff", "jsonl", "--from", "1", "--findings"), "manifest": ("manifest", "jsonl"),
    "days": ("days", "jsonl"), "months": ("days", "csv", "--by", "month", "--method", "sources"),
}


def value_for(chance, connection, table, column):
    kind = chance.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice(NUMBERS)
    if kind == 2:
        return chance.choice(TEXTS)
    if kind == 3:
        return chance.randbytes(chance.randint(0, 40))
    other = chance.choice(connection.execute("SELECT %s FROM %s ORDER BY rowid" % (column, table)).fetchall())[0]
    if isinstance(other, (int, float)) and kind == 4:
        return other + chance.choice((-1, 1, 0.5, 3600, 86400))
    if isinstance(other, str) and other and kind == 4:
        at = chance.randrange(len(other))
        return other[:at] + chance.choice("0fxG \u00e9") + other[at + 1:]
    return other


def damage(path, chance):
    """One to five cells, rows or bytes."""
    if chance.random() < 0.15:
        data = bytearray(path.read_bytes())
        for _ in range(chance.randint(1, 5)):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        path.write_bytes(data)
        return
    with database(path) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for _ in range(chance.randint(1, 5)):
            table = chance.choice(TABLES)
            columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(%s)" % table)]
            rows = [row for row, in connection.execute("SELECT rowid FROM %s ORDER BY rowid" % table)]
            if not rows:
                continue
            row, column = chance.choice(rows), chance.choice(columns)
            try:
                if chance.random() < 0.1:
                    connection.execute("DELETE FROM %s WHERE rowid = ?" % table, (row,))
                else:
                    connection.execute("UPDATE %s SET %s = ? WHERE rowid = ?" % (table, column), (value_for(chance, connection, table, column), row))
            except sqlite3.IntegrityError:
                continue  # the schema of the archive does not let it in


class DamagedExports(Case):
    @takes_long
    def test_what_is_exported_verifies(self):
        sources = sorted((FIXTURES / "archives").glob("*.sqlite")) + sorted((FIXTURES / "frozen").glob("*.sqlite"))
        sources = [path for path in sources if path.stem in ("small", "defects", "feed", "health", "page-size-512")]
        self.assertGreater(len(sources), 2)
        made = refused = 0
        for number in range(FIRST, FIRST + COUNT):
            chance = random.Random(number)
            archive = self.folder / "damaged.sqlite"
            shutil.copyfile(chance.choice(sources), archive)
            damage(archive, chance)
            is_malformed = self.is_malformed(archive)
            files = []
            for name, (command, suffix, *options) in EXPORTS.items():
                out = self.folder / ("%s.%s" % (name, suffix))
                form = () if command == "bundle" else ("--format", suffix)
                result = hp_export(command, archive, "-o", out, "--quiet", "--no-record", *form, *options)
                with self.subTest(number=number, export=name):
                    if result.status == 0:
                        files.append(out)
                        continue
                    refused += 1
                    self.assert_refused(result)
                    self.assertFalse(out.exists())
            with self.subTest(number=number):
                self.verify(files, is_malformed)
            made += len(files)
            for path in self.folder.iterdir():
                path.unlink()
        print("damaged exports: %d archives, %d exports made, %d refused" % (COUNT, made, refused))
        self.assertGreater(made, refused)

    @staticmethod
    def is_malformed(path):
        try:
            with database(path) as connection:
                return connection.execute("PRAGMA integrity_check").fetchone() != ("ok",)
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # a message of SQLite may hold stored bytes
            return True

    def verify(self, files, is_malformed):
        """Both say the same, and nothing but that the archive's own hashes of its contents do not fit them."""
        if not files:
            return
        result = hp_verify("bundle", "--json", "--quiet", *files)
        verdicts = json.loads(result.out)["files"]
        self.assertEqual(len(verdicts), len(files))
        for path, verdict in zip(files, verdicts):
            counts = verdict.get("counts", {})
            others = set() if is_malformed else set(counts) - OF_CONTENTS
            self.assertEqual((path.name, others, verdict["result"] == "ok"), (path.name, set(), not counts))
            sidecar = path.with_name(path.name + "-metadata.json")
            with open(path, "rb") as file:
                other = verify_bundle.verify(file, path.name, sidecar.read_bytes() if sidecar.exists() else None)
            other_counts = other.get("counts") or collections.Counter(finding["code"] for finding in other["findings"])
            self.assertEqual((path.name, dict(other_counts)), (path.name, counts))


class SavedAgain(Case):
    """A table that another program saved with the same values: nothing is said of rows that nobody could read."""

    def saved(self, change):
        """What the tool says of a table of the same name, saved by another program."""
        archive, table = self.fixture(), self.folder / "table.csv"
        self.assert_good(hp_export("records", archive, "-o", table, "--force", "--quiet"))
        text = table.read_bytes()
        table.write_bytes(change(text))
        result = hp_verify("bundle", table)
        self.assertEqual(result.status, 1, result)
        file, = json.loads(hp_verify("bundle", table, "--archive", archive, "--json").out)["files"]
        return text.count(b"\r\n"), result.out.decode(), file

    def assert_nothing_was_read(self, file):
        self.assertEqual([file["layers"][layer] for layer in ("canonical", "shape", "item", "order", "manifest")], ["unknown"] * 5)
        self.assertEqual((file["item_count"], file["evidence"]), (0, "unknown"))

    @staticmethod
    def quoted(text):
        rows = io.StringIO()
        csv.writer(rows, quoting=csv.QUOTE_ALL).writerows(csv.reader(io.StringIO(text.decode(), newline="")))
        return rows.getvalue().encode()

    def test_line_feeds_or_quotes_everywhere(self):
        for name, change in (("line feeds", lambda text: text.replace(b"\r\n", b"\n")), ("quotes", self.quoted)):
            with self.subTest(name):
                _, said, file = self.saved(change)
                self.assertEqual(file["counts"], {"container.columns": 1, "container.file_hash": 1})
                self.assertIn("so that the rows could not be examined", said)
                self.assertIn("which could not be read: those were not examined", said)
                self.assertNotIn("rows were examined", said)
                self.assert_nothing_was_read(file)

    def test_rows_with_line_feeds_behind_a_first_row_as_it_was(self):
        """Each row is named as one that could not be read; none is told to have changed."""
        count, said, file = self.saved(lambda text: text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n", 1))
        self.assertEqual(file["counts"], {"container.file_hash": 1, "line.cells": count - 1})
        self.assertIn("which could not be read: those were not examined", said)
        self.assert_nothing_was_read(file)


if __name__ == "__main__":
    unittest.main()
