"""What a schema may look like to be read, and to be written into (Spec/archive-verification.md, "Schemas").

Each case changes the schema of a small archive. It is refused by every command, only read, or written into with the
same result as if nothing had been changed.
"""

import json
import pathlib
import re
import tempfile
import unittest

from capture_support import CaptureCase, dump, feed, observation, sample, type_run
from support import ROOT, SCHEMA, database, execute, hp_export, hp_verify, query, takes_long
from test_verify_archive import rebuild, rebuilt

FIRST = feed(observation(1, type_run([sample(1), sample(2, 5, 61), sample(3, 9, 62)])))
SECOND = feed(observation(2, type_run([sample(1), sample(2, 5, 71), sample(4, 12, 63)])))
NEXT = feed(observation(3, type_run([sample(1), sample(4, 12, 63), sample(5, 20, 64)])))
INCOMING = ("number, id, version, type, uuid, fingerprint, semantic, fuzzy, payload, start, \"end\", kind, value, "
            "unit, category, activity, duration, source, device, metadata, evidence")
EXTENSION_TEXT = (ROOT / "Spec" / "archive-extensions.sql").read_text(encoding="utf-8")
EXTENSIONS = re.findall(r"^CREATE TABLE (\w+)", EXTENSION_TEXT, re.M)
REQUIRED = re.findall(r"^CREATE TABLE (\w+)", SCHEMA.read_text(encoding="utf-8"), re.M)


def edited(name, old, new):
    """Changes the text of an object and nothing else."""
    def change(connection):
        sql, = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        assert old in sql, sql
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql.replace(old, new, 1), name))
        connection.execute("PRAGMA writable_schema = RESET")
    return change


def renamed(old, new, sql):
    """Gives an object another name and text, and nothing else."""
    def change(connection):
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET name = ?, tbl_name = ?, sql = ? WHERE name = ?", (new, new, sql, old))
        connection.execute("PRAGMA writable_schema = RESET")
    return change


def written_schema(*statements):
    return ["PRAGMA writable_schema = ON", *statements, "PRAGMA writable_schema = RESET"]


def remade(table, old, new):
    return lambda connection: rebuild(connection, table, lambda sql: sql.replace(old, new, 1))


VIRTUAL = [
    "ALTER TABLE metadata_blobs RENAME TO moved",
    "CREATE VIRTUAL TABLE metadata_blobs USING fts5(id, metadata_hash, metadata_json)"]

# Name, changes, what the error says.
UNREADABLE = [
    ("a table of the name of the incoming rows", ["CREATE TABLE hp_incoming(%s)" % INCOMING], "hp_incoming"),
    ("in another case", ["CREATE TABLE HP_Incoming(%s)" % INCOMING], "HP_Incoming"),
    ("a view", ["CREATE VIEW Hp_Incoming AS SELECT 1 AS number"], "Hp_Incoming"),
    ("a virtual table", ["CREATE VIRTUAL TABLE hp_incoming USING fts5(number)"], "hp_incoming"),
    ("an index", ["CREATE INDEX hp_text ON samples(fuzzy_key)"], "hp_text"),
    ("a trigger", [
        "CREATE TABLE more(x)", "CREATE TRIGGER hp_row BEFORE INSERT ON more BEGIN SELECT 1; END"], "hp_row"),
    (
        "a trigger on a table in another case",
        ["CREATE TRIGGER quiet BEFORE INSERT ON SAMPLES BEGIN SELECT RAISE(IGNORE); END"], "trigger"),
    (
        "a column that hides the row id", ["ALTER TABLE sample_visibility_ranges ADD COLUMN rowid INTEGER DEFAULT 1"],
        "sample_visibility_ranges.rowid"),
    ("in another case, too", ["ALTER TABLE export_items ADD COLUMN \"RowID\" DEFAULT 1"], "export_items.rowid"),
    (
        "a table without row ids", lambda c: rebuild(c, "archive_metadata", lambda sql: sql + " WITHOUT ROWID"),
        "WITHOUT ROWID"),
    (
        "a generated column that is stored", edited("sample_versions", "unit TEXT", "unit TEXT AS ('count') STORED"),
        "column sample_versions.unit is generated"),
    (
        "a virtual table behind a comment",
        [
            *VIRTUAL,
            *written_schema(
                "UPDATE sqlite_master SET sql = replace(sql, 'CREATE VIRTUAL', 'CREATE/**/VIRTUAL') WHERE name = "
                "'metadata_blobs'")],
        "virtual"),
    (
        "a virtual table that claims a page",
        [
            *VIRTUAL,
            *written_schema(
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'moved') WHERE "
                "name = 'metadata_blobs'")],
        "virtual"),
    (
        "two tables of one name",
        [
            lambda c: c.execute("CREATE TABLE second(id)"),
            renamed("second", "samples", "CREATE TABLE IF NOT EXISTS samples(id)")],
        "twice"),
    (
        "a name of SQLite",
        [
            lambda c: c.execute("CREATE TABLE second(id)"),
            renamed("second", "sqlite_second", "CREATE TABLE sqlite_second(id)")],
        "sqlite_second"),
    (
        "a name that is a blob",
        written_schema("UPDATE sqlite_master SET name = CAST(name AS BLOB) WHERE name = 'samples'"), "archive.sqlite: "),
    (
        "a text that is a blob",
        written_schema("UPDATE sqlite_master SET sql = CAST(sql AS BLOB) WHERE name = 'samples'"),
        "the schema has an entry of no known form"),
    (
        "a trigger on a table of an extension",
        ["CREATE TRIGGER quiet BEFORE INSERT ON Type_Run_Facts BEGIN SELECT RAISE(IGNORE); END"],
        "table type_run_facts has a trigger"),
    (
        "a name with U+0000",
        [
            "CREATE TABLE second(id)",
            *written_schema("UPDATE sqlite_master SET name = 'second' || char(0) WHERE name = 'second'")],
        "archive.sqlite: "),
    (
        "a required table in another case",
        ["ALTER TABLE samples RENAME TO moved", "ALTER TABLE moved RENAME TO Samples"], "samples is missing"),
    (
        "a required column in another case", ["ALTER TABLE samples RENAME COLUMN fuzzy_key TO FUZZY_KEY"],
        "samples.fuzzy_key is missing"),
]

UNWRITABLE = [
    (
        "UNIQUE that ignores",
        edited(
            "samples", "UNIQUE(sample_type_id, strict_fingerprint)",
            "UNIQUE(sample_type_id, strict_fingerprint) ON CONFLICT IGNORE"),
        "table samples has an ON CONFLICT"),
    (
        "UNIQUE that replaces, behind a comment",
        edited(
            "sample_versions", "UNIQUE(sample_id, payload_hash)",
            "UNIQUE(sample_id, payload_hash) on/**/\nConflict replace"),
        "table sample_versions has an ON CONFLICT"),
    (
        "NOT NULL that ignores",
        edited(
            "sample_observation_events", "observed_at REAL NOT NULL", "observed_at REAL NOT NULL ON CONFLICT IGNORE"),
        "table sample_observation_events has an ON CONFLICT"),
    (
        "a key that rolls back", edited("archive_metadata", "PRIMARY KEY", "PRIMARY KEY ON CONFLICT ROLLBACK"),
        "table archive_metadata has an ON CONFLICT"),
    (
        "CHECK", edited("samples", "fuzzy_key TEXT", "fuzzy_key TEXT cHeCk/**/(length(fuzzy_key) < 1000)"),
        "table samples has a CHECK"),
    (
        "CHECK behind a byte order mark",
        edited("samples", "fuzzy_key TEXT", "fuzzy_key TEXT \ufeffCHECK(length(fuzzy_key) < 1000)"),
        "table samples has a CHECK"),
    ("AUTOINCREMENT", remade("sources", "PRIMARY KEY", "PRIMARY KEY AUTOINCREMENT"), "table sources has AUTOINCREMENT"),
    (
        "a reference with an action",
        edited("export_items", "REFERENCES samples(id)", "REFERENCES samples(id) ON DELETE CASCADE"),
        "table export_items has a reference to samples with an action"),
    (
        "an action that sets NULL",
        edited("sample_versions", "REFERENCES metadata_blobs(id)", "REFERENCES metadata_blobs(id) ON UPDATE SET NULL"),
        "table sample_versions has a reference to metadata_blobs with an action"),
    (
        "evidence that refers to what is made anew",
        edited(
            "sample_visibility_ranges", "first_seen_at REAL NOT NULL",
            "first_seen_at REAL NOT NULL REFERENCES observation_type_summaries(visible_record_count)"),
        "reference of first_seen_at"),
    (
        "another table that does",
        [
            "CREATE TABLE more(a, b, FOREIGN KEY(a, b) REFERENCES Observation_Type_Summaries(observation_id, "
            "sample_type_id) ON DELETE CASCADE)"],
        "table more refers to observation_type_summaries"),
    (
        "another reference", edited("samples", "fuzzy_key TEXT", "fuzzy_key TEXT REFERENCES sources(id)"),
        "reference of fuzzy_key to sources"),
    ("a generated column", ["ALTER TABLE samples ADD COLUMN twice AS (id * 2)"], "column twice, which is generated"),
    (
        "a partial index",
        ["CREATE INDEX open ON sample_visibility_ranges(sample_id) WHERE last_observation_id IS NULL"],
        "index open, which is partial"),
    ("an index of an expression", ["CREATE INDEX halves ON samples(id / 2)"], "index halves, which has an expression"),
    ("a unique index", ["CREATE UNIQUE INDEX once ON sample_versions(payload_hash)"], "index once, which is unique"),
    (
        "a UNIQUE of its own",
        remade(
            "sample_versions", "UNIQUE(sample_id, payload_hash)",
            "UNIQUE(sample_id, payload_hash), UNIQUE(payload_hash)"),
        "which is unique"),
    (
        "a collation", edited("samples", "sample_uuid_hash TEXT", "sample_uuid_hash TEXT COLLATE NOCASE"),
        "column sample_uuid_hash, which has a collation"),
    (
        "a context log without a column", ["ALTER TABLE context_log DROP COLUMN detail_json"],
        "table context_log has no column detail_json"),
    (
        "a unique index with a collation",
        ["CREATE UNIQUE INDEX by_hash ON samples(sample_type_id, sample_uuid_hash COLLATE NOCASE)"],
        "table samples has the index by_hash, which has a collation"),
    (
        "a key with a collation",
        remade("device_chains", "TEXT NOT NULL UNIQUE", "TEXT COLLATE NOCASE NOT NULL UNIQUE"), "table device_chains "),
    (
        "another affinity", edited("sample_versions", "numeric_value REAL", "numeric_value TEXT"),
        "column numeric_value, which is of another type"),
    (
        "ids that are no row ids", remade("observations", "id INTEGER PRIMARY KEY", "id INT PRIMARY KEY"),
        "table observations has another primary key"),
    (
        "another primary key",
        remade("export_items", "(export_manifest_id, sample_id, version_id)", "(export_manifest_id, sample_id)"),
        "table export_items has another primary key"),
    (
        "NOT NULL where NULL is meant", edited("observations", "notes TEXT", "notes TEXT NOT NULL"),
        "column notes, which may not be NULL"),
    (
        "another default", edited("observations", "notes TEXT", "notes TEXT DEFAULT 'more'"),
        "column notes, which has another default"),
    (
        "a default that was lost",
        edited(
            "observation_type_runs", "inserted_event_count INTEGER NOT NULL DEFAULT 0", "inserted_event_count INTEGER"),
        "column inserted_event_count, which has another default"),
    (
        "a column that must be given",
        [
            "ALTER TABLE samples ADD COLUMN more TEXT NOT NULL DEFAULT 'x'",
            edited("samples", "NOT NULL DEFAULT 'x'", "NOT NULL")],
        "column more, which may not be NULL"),
    (
        "a default that is computed",
        ["ALTER TABLE samples ADD COLUMN more DEFAULT 1", edited("samples", "DEFAULT 1", "DEFAULT (randomblob(100))")],
        "column more, which has a default"),
    (
        "a default that is long", ["ALTER TABLE samples ADD COLUMN more DEFAULT '%s'" % ("x" * 300)],
        "column more, which has a default"),
    (
        "a default of 256 bytes", ["ALTER TABLE samples ADD COLUMN more DEFAULT '%s'" % ("\u00e4" * 127)],
        "column more, which has a default"),
    (
        "two tables on one page",
        [
            "CREATE TABLE more(x)",
            *written_schema(
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'samples') "
                "WHERE name = 'more'")],
        "begin on the same page"),
    (
        "a context log of another shape",
        ["DROP TABLE context_log", "CREATE TABLE context_log(id INTEGER PRIMARY KEY, line TEXT)"], "table context_log "),
    (
        "a context log with more columns", ["ALTER TABLE context_log ADD COLUMN more"],
        "table context_log has the column more"),
    (
        "a context log in another case",
        ["ALTER TABLE context_log RENAME TO moved", "ALTER TABLE moved RENAME TO Context_Log"], "table context_log "),
    (
        "a view of its name", ["DROP TABLE context_log", "CREATE VIEW context_log AS SELECT 1 AS id"],
        "table context_log "),
    (
        "a trigger of the context log",
        ["CREATE TRIGGER quiet BEFORE INSERT ON Context_Log BEGIN SELECT RAISE(IGNORE); END"],
        "table context_log has a trigger"),
]

WRITABLE = [
    ("tables, views and triggers of its own", [
        "CREATE TABLE more(id INTEGER PRIMARY KEY AUTOINCREMENT, a CHECK(a > 0), b UNIQUE ON CONFLICT REPLACE, "
        "sample REFERENCES samples(id) ON DELETE CASCADE)",
        "INSERT INTO more(a, b, sample) VALUES (1, 2, 1)",
        "CREATE TRIGGER quiet BEFORE INSERT ON more BEGIN SELECT RAISE(IGNORE); END",
        "CREATE VIEW everything AS SELECT * FROM samples", "CREATE VIRTUAL TABLE words USING fts5(word)",
        "CREATE TABLE [odd name\"; --](\"check\", `on conflict`)"]),
    ("columns of its own", [
        "ALTER TABLE samples ADD COLUMN \"check\" TEXT DEFAULT 'on conflict replace'",
        "ALTER TABLE samples ADD COLUMN [on conflict ignore] INTEGER DEFAULT -5",
        "ALTER TABLE samples ADD COLUMN conflict TEXT COLLATE NOCASE",
        "ALTER TABLE sample_versions ADD COLUMN blob BLOB NOT NULL DEFAULT x'00ff'",
        "ALTER TABLE observations ADD COLUMN \"select\" REAL DEFAULT + 1.5e3",
        "ALTER TABLE sample_versions ADD COLUMN other INTEGER DEFAULT NULL REFERENCES sources(id)",
        "ALTER TABLE sources ADD COLUMN is_own DEFAULT TRUE"]),
    (
        "comments in a definition",
        edited(
            "samples", "fuzzy_key TEXT", "fuzzy_key TEXT /* CHECK(0) ON CONFLICT REPLACE */ -- AUTOINCREMENT CHECK(0)\n"
        )),
    ("indexes of its own", [
        "CREATE INDEX by_key ON samples(fuzzy_key COLLATE NOCASE DESC, id)",
        "CREATE UNIQUE INDEX more_index ON sources(id)",
        "CREATE UNIQUE INDEX wide ON samples(strict_fingerprint, sample_type_id, fuzzy_key)", "ANALYZE"]),
    ("less than the schema asks for", [
        edited("export_items", "item_hash TEXT NOT NULL", "item_hash TEXT"),
        edited("export_items", " REFERENCES samples(id)", ""), "DROP INDEX idx_sample_versions_sample"]),
    ("types of other words", edited("sample_versions", "payload_hash TEXT", "payload_hash VARCHAR(64)")),
    ("quoted names", ["ALTER TABLE sources RENAME TO moved", "ALTER TABLE moved RENAME TO sources"]),
    (
        "the conflict clause that is the rule",
        edited(
            "samples", "UNIQUE(sample_type_id, strict_fingerprint)",
            "UNIQUE(sample_type_id, strict_fingerprint) ON CONFLICT ABORT")),
    ("a default of 255 bytes", ["ALTER TABLE samples ADD COLUMN more DEFAULT '%s'" % ("\u00e4" * 126 + "x")]),
    ("strict tables", lambda c: rebuild(c, "metadata_blobs", lambda sql: sql + " STRICT")),
    ("no extension", [
        "DELETE FROM archive_metadata WHERE key LIKE 'extension:%'",
        *["DROP TABLE %s" % table for table in EXTENSIONS]]),
    ("no context log", ["DROP TABLE context_log", "DELETE FROM archive_metadata WHERE key = 'extension:context_log'"]),
]

# What a dump says of the facts of the first two observations; an archive without the extension never had them.
FACTS_OF_BEFORE = r'^(type_run_facts .*"type_run":\[|observation_facts .*"observation":)[12]\b'


TEXT = SCHEMA.read_text(encoding="utf-8")


def loosened():
    """Each key and each index of the schema: what takes it away, and how the error names it."""
    for name, table, columns in re.findall(r"^CREATE INDEX (\w+)\s+ON (\w+)\(([\w, ]+)\);", TEXT, re.M):
        # The key of versions begins with the same column, and serves as well.
        if name != "idx_sample_versions_sample":
            yield name, ["DROP INDEX " + name], "table %s lacks the index (%s)" % (table, columns)
    for table, body in re.findall(r"^CREATE TABLE (\w+) \(\n(.*?)^\);", TEXT, re.M | re.S):
        for piece, columns in re.findall(r"(,\n    (?:UNIQUE|PRIMARY KEY) ?\(([\w, ]+)\))", body):
            yield table + piece, rebuilt(table, piece), "table %s lacks the key (%s)" % (table, columns)
        for column, piece in re.findall(r"^    (\w+) \w+(?: NOT NULL)?( PRIMARY KEY| UNIQUE)", body, re.M):
            yield table + piece, rebuilt(table, piece), "table %s lacks the key (%s)" % (table, column)


def temporary_names():
    """Every name that the tools give to a table of their own in the database `temp`."""
    names = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        text = path.read_text(encoding="utf-8")
        names.update(
            re.findall(r"\btemp\.(\w+)", text) + re.findall(r"CREATE TEMP TABLE (?:IF NOT EXISTS )?(\w+)", text))
        names.update(re.findall(r"(?:SampleSet|FingerprintNumbers)\.make\(\"(\w+)\"", text))
    assert {"seen", "gone", "staged_items", "change_sides", "pragma_index_list"} <= names, names
    return sorted(name for name in names if name not in REQUIRED and not name.startswith("hp_"))


class Schemas(CaptureCase):
    """Archives of two observations."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hp-cli.")
        cls.addClassCleanup(folder.cleanup)
        cls.kept = pathlib.Path(folder.name)
        case = cls()
        case.place(cls.kept)
        for number, content in enumerate((FIRST, SECOND)):
            case.assert_good(case.hp_capture("--feed", case.written(content), "--quiet"))
        execute(case.archive, "PRAGMA journal_mode = DELETE")
        cls.base = case.archive.read_bytes()
        case.assert_good(case.hp_capture("--feed", case.written(NEXT), "--quiet"))
        cls.after = dump(case.copied())
        assert sum(re.search(FACTS_OF_BEFORE, line) is not None for line in cls.after) == 4

    def changed(self, changes):
        self.renew()
        self.archive.write_bytes(self.base)
        with database(self.archive) as connection:
            for change in [changes] if callable(changes) else changes:
                change(connection) if callable(change) else connection.execute(change)

    def commands(self):
        """What writes into an archive."""
        yield self.hp_capture("--feed", self.written(NEXT), "--quiet")
        yield hp_export("bundle", self.archive, "-o", self.folder / "out.zst")
        yield hp_export("bundle", self.archive, "-o", "-")
        yield hp_export("repair", self.archive, "--ranges", "--aggregates")
        yield hp_export("repair", self.archive, "--ranges", "--aggregates", "--dry-run")

    def test_what_is_not_read_is_refused_by_every_command(self):
        self.written(NEXT)
        for name, changes, word in UNREADABLE:
            with self.subTest(name):
                self.changed(changes)
                names, before = self.names(), self.archive.read_bytes()
                for result in self.commands():
                    self.assert_refused(result, "archive.sqlite: ", word)
                for command in ("records", "diff", "manifest"):
                    self.assert_refused(hp_export(command, self.archive), word)
                self.assert_refused(hp_export("list", self.archive, "observations"), word)
                self.assert_refused(
                    hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--no-record"), word)
                for command in ("archive", "reproduce"):
                    self.assert_refused(hp_verify(command, self.archive), word, name="hp-verify")
                self.assertEqual(self.archive.read_bytes(), before)
                self.assertEqual(self.names(), names)

    @takes_long
    def test_what_lacks_a_key_or_an_index_is_not_exported_and_hp_verify_archive_names_it(self):
        self.written(NEXT)
        found = list(loosened())
        self.assertGreater(len(found), 40)
        for name, changes, words in found:
            with self.subTest(name):
                self.changed(changes)
                names, before = self.names(), self.archive.read_bytes()
                for command in (("list", self.archive, "changes"), ("records", self.archive, "--no-record")):
                    self.assert_refused(hp_export(*command), words)
                self.assert_refused(hp_export("repair", self.archive, "--ranges", "--dry-run"), "archive.sqlite: ")
                self.assert_refused(self.hp_capture("--feed", self.written(NEXT), "--quiet"), "archive.sqlite: ")
                self.assert_refused(hp_verify("reproduce", self.archive), words, name="hp-verify")
                result = hp_verify("archive", self.archive, "--json")
                self.assertEqual(result.status, 1, result)
                codes = {finding["code"] for finding in json.loads(result.out)["findings"]}
                self.assertTrue(codes & {"schema.index", "schema.unique", "schema.column"}, codes)
                self.assertEqual({code for code in codes if not code.startswith("schema.")}, set())
                self.assertEqual(self.archive.read_bytes(), before)
                self.assertEqual(self.names(), names)

    def test_checks_that_would_multiply_rows_are_not_made(self):
        path = self.generated(1500)
        with database(path) as connection:
            rebuild(connection, "samples", lambda sql: sql.replace("id INTEGER PRIMARY KEY", "id INTEGER"))
        result = hp_verify("archive", path, "--json")
        self.assertEqual(result.status, 1, result)
        checks = {check["name"]: check for check in json.loads(result.out)["checks"]}
        for name, check in checks.items():
            is_withheld = name in ("references", "evidence", "identities", "aggregates")
            self.assertEqual("samples lacks the key (id)" in check.get("reason", ""), is_withheld, name)
            # It has no recorded export and no history.
            if name not in ("exports", "history"):
                self.assertEqual(check["status"] == "not_checked", is_withheld, name)

    @takes_long
    def test_what_is_only_read_is_refused_before_the_first_write(self):
        self.written(NEXT)
        for name, changes, words in UNWRITABLE:
            with self.subTest(name):
                self.changed(changes)
                names, before = self.names(), self.archive.read_bytes()
                for result in self.commands():
                    self.assert_refused(result, "archive.sqlite: ", words)
                self.assertEqual(self.archive.read_bytes(), before)
                self.assertEqual(self.names(), names)
                self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "read.zst", "--no-record"))
                self.assertIn(hp_verify("archive", self.archive).status, (0, 1))
                self.assertEqual(self.archive.read_bytes(), before)
                (self.folder / "read.zst").unlink()

    def copied(self):
        """An archive of the schema alone with the same rows."""
        path = self.folder / "copied.sqlite"
        path.unlink(missing_ok=True)
        with database(path) as connection:
            connection.executescript(SCHEMA.read_text(encoding="utf-8"))
            connection.executescript(EXTENSION_TEXT)
            connection.execute("ATTACH ? AS other", (str(self.archive),))
            there = {row[0] for row in connection.execute("SELECT name FROM other.sqlite_master")}
            for table in [name for name in REQUIRED + EXTENSIONS if name in there]:
                columns = ", ".join('"%s"' % row[1] for row in connection.execute("PRAGMA main.table_info(%s)" % table))
                connection.execute("INSERT INTO main.%s(%s) SELECT %s FROM other.%s" % (table, columns, columns, table))
            connection.execute("DETACH other")
        return path

    def assert_as_ever(self, forgotten="$^", missed=frozenset()):
        """A capture, an export and a repair do what they do in the archive that was not changed.

        But for the lines of its dump that `forgotten` matches: these are gone. `missed` are the codes that say so.
        """
        self.assert_good(self.hp_capture("--feed", self.written(NEXT), "--quiet"))
        copy = self.copied()
        self.assertEqual(dump(copy), [line for line in self.after if not re.search(forgotten, line)])
        ours, theirs = self.folder / "ours.zst", self.folder / "theirs.zst"
        for out in (ours, theirs):
            out.unlink(missing_ok=True)
        self.assert_good(hp_export("bundle", copy, "--history", "-o", theirs, "--no-record"))
        self.assert_good(hp_export("bundle", self.archive, "--history", "-o", ours))
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.assert_settled(self.archive, exports=1)
        self.assert_good(hp_export("repair", self.archive, "--ranges", "--aggregates"))
        result = hp_verify("archive", self.archive, "--json")
        codes = {finding["code"] for finding in json.loads(result.out)["findings"]}
        self.assertEqual({code for code in codes if not code.startswith("schema.")}, missed, result)

    @takes_long
    def test_what_is_written_into_gets_the_same_evidence(self):
        for name, changes in WRITABLE:
            with self.subTest(name):
                self.changed(changes)
                self.assert_as_ever(FACTS_OF_BEFORE if name == "no extension" else "$^", {"history.rows"} if name == "no context log" else set())

    def test_tables_with_the_names_of_temporary_ones_change_nothing(self):
        columns = ("sample_id, version_id, range_id, id, row, source, fingerprint, number, source_type, source_uuid, "
                   "target_type, target_uuid, kind, metadata_id, device_hash, source_name_hash, bundle_identifier, "
                   "item_hash, is_before, is_after, name, seqno, cid, key, type, value")
        for template in ('CREATE TABLE "%%s"(%s)' % columns, 'CREATE VIEW "%s" AS SELECT 1 AS sample_id'):
            with self.subTest(template[:12]):
                self.changed([template % name for name in temporary_names()])
                self.assert_as_ever()

    def test_columns_with_the_names_of_other_tables_columns_change_nothing(self):
        with database(self.kept / "archive.sqlite") as connection:
            columns = {
                table: [row[1] for row in connection.execute("PRAGMA table_info(%s)" % table)] for table in REQUIRED}
        every = sorted({column for names in columns.values() for column in names})
        self.changed(
            [
                'ALTER TABLE %s ADD COLUMN "%s"' % (
                    table, column) for table in REQUIRED for column in every if column not in columns[table]])
        self.assert_as_ever()

    def test_an_archive_of_another_engine_is_written_into(self):
        path = self.generated(500)
        execute(
            path, "CREATE TABLE more(id INTEGER PRIMARY KEY, x)",
            "ALTER TABLE samples ADD COLUMN more TEXT DEFAULT 'x'", "CREATE INDEX more_index ON samples(more, id)",
            "ANALYZE")
        exports = query(path, "SELECT count(*) FROM export_manifests")[0][0]
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst"))
        self.assert_settled(path, exports=exports + 1)
        self.assert_refused(self.hp_capture("--feed", self.written(FIRST), "--quiet"), "--new-chain")
        self.assert_good(self.hp_capture("--feed", self.written(FIRST), "--quiet", "--new-chain"))
        self.assertEqual(
            query(
                path,
                "SELECT count(*) FROM sample_observation_events WHERE observation_id = (SELECT max(id) FROM "
                "observations)"),
            [(3,)])


if __name__ == "__main__":
    unittest.main()
