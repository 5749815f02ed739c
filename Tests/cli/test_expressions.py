"""Expressions that the author of a file wrote: no command computes them, and each says what it did not check.

Each expression takes hours, or more memory than a run may have, for its one row.
"""

import json
import pathlib
import resource
import tempfile

from capture_support import CaptureCase, feed, observation, sample, type_run
from support import database, execute, run

SECONDS, MEMORY = 20, 3 << 29
# What takes for ever, and what takes gigabytes; by functions and by operators.
SLOW = "instr(hex(zeroblob(60000000)), hex(zeroblob(20000)) || '1' || text)"
HOSTILE = {
    "instr": SLOW,
    "operators": "(%s) > 0 AND text NOT LIKE 'b%%' AND text GLOB '*'" % SLOW,
    "zeroblob": "length(hex(zeroblob(400000000)) || text)",
    "printf": "length(printf('%.400000000c%.400000000c%.400000000c', 'a', 'b', text))",
    "replace": "length(replace(hex(zeroblob(100000)), '0', text))",
}
PLAIN = "CREATE TABLE extra(id INTEGER PRIMARY KEY, text TEXT, more TEXT)"
INDEX = "CREATE INDEX by_text ON extra(text)"
# What the schema says in the place of the two statements.
PLACES = {
    "index": (None, "CREATE INDEX by_text ON extra(%s)"),
    "partial index": (None, "CREATE INDEX by_text ON extra(text) WHERE %s"),
    "generated column": ("CREATE TABLE extra(id INTEGER PRIMARY KEY, text TEXT, more TEXT AS (%s) NOT NULL)", None),
    "CHECK": ("CREATE TABLE extra(id INTEGER PRIMARY KEY, text TEXT, more TEXT, CHECK(%s))", None),
}


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def rewrite(path, *changes):
    """Changes texts of the schema, which the file's author may do without a word of SQLite's."""
    with database(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for sql, parameters in changes:
            connection.execute(sql, parameters)
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute("PRAGMA schema_version = %d" % (version + 1))


class ExpressionCase(CaptureCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hp-cli.")
        cls.addClassCleanup(folder.cleanup)
        case = cls()
        case.place(pathlib.Path(folder.name))
        days = [observation(day, type_run([sample(number, number) for number in range(day, 9 + day)]))
                for day in (1, 2, 3)]
        case.assert_good(case.hp_capture("--feed", case.written(feed(*days)), "--quiet"))
        execute(case.archive, "PRAGMA journal_mode = DELETE", PLAIN, INDEX)
        with database(case.archive) as connection:
            connection.execute("INSERT INTO extra(text) VALUES (?)", ("a" * 30_000,))
        cls.base = case.archive.read_bytes()

    def limited(self, name, *arguments):
        return run(name, *arguments, preexec_fn=limited)


class Expressions(ExpressionCase):
    def changed(self, place, expression):
        self.renew()
        self.archive.write_bytes(self.base)
        table, index = PLACES[place]
        rewrite(self.archive, *[
            ("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text % expression, name))
            for text, name in ((table, "extra"), (index, "by_text")) if text])

    def check_of(self, result):
        self.assertIn(result.status, (0, 1), result)
        said = json.loads(result.out)
        return next(check for check in said["checks"] if check["name"] == "sqlite"), said["findings"]

    def test_no_expression_is_computed(self):
        for place in PLACES:
            for name, expression in HOSTILE.items():
                with self.subTest(place, expression=name):
                    self.changed(place, expression)
                    check, findings = self.check_of(self.limited("hp-verify", "archive", self.archive, "--json"))
                    self.assertEqual(findings, [])
                    if place == "CHECK":
                        self.assertEqual(check["status"], "ok", check)
                    else:
                        self.assertEqual(check["status"], "not_checked", check)
                        self.assertIn("table extra has an expression", check["reason"])

    def test_writers_compute_none_either(self):
        backup = self.folder / "backup.sqlite"
        line = self.written(feed(observation(20, type_run([sample(900, 900)], mode="anchored"))), "more.jsonl")
        for place in PLACES:
            for command in (["undo", self.archive, "--no-backup"], ["undo", self.archive, "--backup", backup],
                            ["repair", self.archive, "--ranges", "--backup", backup],
                            ["capture", self.archive, "--secret", self.secret, "--feed", line],
                            ["bundle", self.archive, "-o", self.folder / "out", "--force"], ["check", self.archive]):
                with self.subTest(place, command=command[0]):
                    self.changed(place, SLOW)
                    before = self.archive.read_bytes()
                    result = self.limited("hp-export", *command, "--quiet")
                    if command[0] == "undo" and place != "CHECK":
                        self.assert_refused(result, "table extra has an expression")
                        self.assertEqual(self.archive.read_bytes(), before)
                        self.assertFalse(backup.exists())
                    else:
                        self.assertIn(result.status, (0, 2) if command[0] == "repair" else (0,), result)
                    backup.unlink(missing_ok=True)

    def test_what_has_no_expression_is_checked_all_the_same(self):
        self.changed("index", SLOW)
        with database(self.archive) as connection:
            columns = "type, name, tbl_name, rootpage, sql"
            row = connection.execute("SELECT %s FROM sqlite_master WHERE name = 'idx_samples_uuid_hash'" % columns)
            row = row.fetchone()
        rewrite(self.archive, ("DELETE FROM sqlite_master WHERE name = 'idx_samples_uuid_hash'", ()))
        execute(self.archive, "UPDATE samples SET sample_uuid_hash = 'a' WHERE id = 1")
        rewrite(self.archive, ("INSERT INTO sqlite_master(%s) VALUES (?, ?, ?, ?, ?)" % columns, row))
        check, findings = self.check_of(self.limited("hp-verify", "archive", self.archive, "--json"))
        self.assertEqual(check["status"], "not_checked")
        self.assertTrue(any(finding["code"] == "sqlite.integrity" and "idx_samples_uuid_hash" in finding["found"]
                            for finding in findings), findings)

    def test_a_table_that_is_called_like_a_number_is_not_taken_for_all(self):
        self.changed("index", SLOW)
        execute(self.archive, 'CREATE TABLE "1000"(x)', 'CREATE TABLE "0x10"(x)')
        check, findings = self.check_of(self.limited("hp-verify", "archive", self.archive, "--json"))
        self.assertEqual((check["status"], findings), ("not_checked", []))


class ContextLogs(ExpressionCase):
    """A context log that is none."""

    FORMS = {
        "virtual table": ["CREATE VIRTUAL TABLE context_log USING fts5(id, logged_at, event_kind, observation_id, "
                          "tool_version, detail_json)"],
        "other module": ["CREATE VIRTUAL TABLE context_log USING rtree(id, a, b)"],
        "generated column": [
            "CREATE TABLE context_log(id INTEGER PRIMARY KEY, logged_at REAL, event_kind TEXT, observation_id INTEGER, "
            "tool_version TEXT, detail_json TEXT AS (hex(zeroblob(400000000))))",
            "INSERT INTO context_log(logged_at, event_kind, observation_id) VALUES (1, 'integrity_checked', 1)"],
        "view": ["CREATE VIEW context_log AS SELECT 1 AS id"],
    }

    def test_what_is_no_plain_table_is_not_read(self):
        for name, statements in self.FORMS.items():
            with self.subTest(name):
                self.renew()
                self.archive.write_bytes(self.base)
                execute(self.archive, "DROP TABLE context_log", "DROP TABLE extra",
                        "DELETE FROM archive_metadata WHERE key LIKE 'extension:%'", *statements)
                listed = self.limited("hp-export", "list", self.archive, "context", "--json")
                self.assert_good(listed)
                self.assertEqual(json.loads(listed.out)["context"], [])
                out = self.folder / "out.html"
                self.assert_good(self.limited(
                    "hp-export", "report", self.archive, "-o", out, "--force", "--no-record", "--quiet"))
                self.assertEqual(self.limited("hp-export", "cache", self.archive, "rebuild", "--quiet").status, 0)
                self.assertIn(self.limited("hp-verify", "archive", self.archive, "--quiet").status, (0, 1))
                line = self.written(feed(observation(20, type_run([sample(900, 900)]))), "more.jsonl")
                self.assert_refused(self.hp_capture("--feed", line, "--quiet"), "context_log")
