"""hp-export check: what it finds is what hp-verify archive finds, what it logs, and what a degraded archive refuses until a later check."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time
import unittest

import jsonschema
from capture_support import rows_of
from support import FIXTURES, PATIENCE, ROOT, database, execute, hp_export, hp_verify, query, start
from test_verify_archive import ArchiveCase, CHECKS, emptied_index, page_of_zeros, rebuild

RESULT = jsonschema.Draft202012Validator(json.loads((ROOT / "Spec" / "schemas" / "check-result.json").read_text(encoding="utf-8")))
DANGLING = "INSERT INTO export_items VALUES (99, 1, 1, '%s')" % ("0" * 64)


class Checks(ArchiveCase):
    def checked(self, path, *options):
        """The object of --json and standard error; it has the counts that hp-verify archive has just before."""
        before = json.loads(hp_verify("archive", path, "--json").out)
        result = hp_export("check", path, "--json", *options)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in RESULT.iter_errors(value)], [])
        self.assertEqual(result.status, 0 if value["result"] == "ok" else 1, result)
        self.assertEqual(value["checks"], {check["name"]: check["status"] for check in before["checks"]})
        self.assertEqual((value.get("counts"), value["result"]), (before.get("counts"), before["result"]))
        return value, result.err

    def logged(self, path):
        """Details of the logged checks, the newest last."""
        with rows_of(path) as connection:
            found = connection.execute("SELECT observation_id, tool_version, detail_json FROM context_log WHERE event_kind = 'integrity_checked' ORDER BY id").fetchall()
        self.assertTrue(all(row[0] is None and row[1].startswith("hp-export ") for row in found))
        return [json.loads(row[2]) for row in found]

    def capture(self, path, *options):
        return hp_export("capture", path, "--apple-health", FIXTURES / "apple-health" / "month-1.xml", "--secret", self.secret, "--quiet", *options)

    def assert_degraded(self, path, named):
        """Captures and recorded exports are refused, and nothing is written."""
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before, out = path.read_bytes(), self.folder / "refused.zst"
        for run in (self.capture(path), self.capture(path, "--dry-run"), hp_export("bundle", path, "-o", out), hp_export("records", path, "-o", out)):
            self.assert_refused(run, "degraded: the last check failed: %s" % named)
        self.assertFalse(out.exists())
        self.assertEqual(path.read_bytes(), before)

    def test_a_good_check_is_logged(self):
        path = self.base()
        value, _ = self.checked(path)
        self.assertEqual(value["checks"], dict.fromkeys(CHECKS, "ok"))
        logged, = self.logged(path)
        self.assertEqual(logged, {name: value[name] for name in ("checks", "head", "result")})
        sequence, link = query(path, "SELECT sequence, link FROM history_links ORDER BY sequence DESC LIMIT 1")[0]
        self.assertEqual((logged["head"]["length"], logged["head"]["link"]), (sequence, link))
        moment, text = query(path, "SELECT logged_at, detail_json FROM context_log ORDER BY id DESC LIMIT 1")[0]
        self.assertLess(abs(moment - time.time()), 600)
        self.assertEqual(text, json.dumps(logged, sort_keys=True, separators=(",", ":")))
        # The entry is no fault of the log, and a capture covers it.
        self.assert_good(hp_verify("archive", path))
        self.assert_good(self.capture(path))
        self.assert_good(hp_verify("archive", path))

    def test_it_is_said_for_people(self):
        result = self.assert_good(hp_export("check", self.base(), "--quiet"))
        lines = result.out.decode().splitlines()
        self.assertTrue(lines[0].endswith("base.sqlite: valid"), lines)
        self.assertEqual([line.split()[:2] for line in lines if line.split()[0] in CHECKS], [[name, "ok"] for name in CHECKS])

    def test_a_failure_of_references_degrades_until_a_good_check(self):
        path = self.base()
        with database(path) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(DANGLING)
        # Nobody asked yet.
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "before.zst"))
        value, _ = self.checked(path)
        self.assertEqual((value["degraded"], value["counts"], value["logged"]), (["references"], {"references.missing_row": 1}, True))
        self.assertEqual(self.logged(path)[-1]["degraded"], ["references"])
        self.assert_degraded(path, "references")
        for option in ("bundle", "records"):
            self.assert_good(hp_export(option, path, "-o", self.folder / option, "--no-record"))
        self.assert_good(hp_export("list", path, "observations"))
        # What is still wrong stays so.
        self.assertEqual(self.checked(path)[0]["degraded"], ["references"])
        execute(path, "DELETE FROM export_items WHERE export_manifest_id = 99")
        self.assert_degraded(path, "references")
        self.assertNotIn("degraded", self.checked(path)[0])
        self.assert_good(self.capture(path))
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "after.zst"))
        self.assertEqual(["degraded" in detail for detail in self.logged(path)], [True, True, False])

    def test_another_failure_does_not_degrade(self):
        path = self.base()
        execute(path, "UPDATE observation_type_summaries SET visible_record_count = visible_record_count + 1 WHERE rowid = 1")
        value, _ = self.checked(path)
        self.assertEqual((value["result"], value["checks"]["aggregates"], "degraded" in value), ("findings", "failed", False))
        self.assertEqual(self.logged(path)[-1]["counts"], value["counts"])
        self.assert_good(self.capture(path))

    def test_a_failure_of_integrity_that_is_no_malformed_page(self):
        path = self.base()
        with database(path) as connection:
            emptied_index(connection)
        value, _ = self.checked(path)
        self.assertEqual((value["degraded"], value["logged"]), (["sqlite"], True))
        self.assert_degraded(path, "sqlite")
        execute(path, "REINDEX")
        self.assertNotIn("degraded", self.checked(path)[0])
        self.assert_good(self.capture(path))

    def test_expressions_of_another_engine_do_not_degrade(self):
        """A check that was not made to its end and found nothing; with a finding beside them the archive is degraded."""
        extras = {
            "a partial index": "CREATE INDEX extra_b ON extra(b) WHERE a > 0",
            "an index over an expression": "CREATE INDEX extra_b ON extra(lower(b))",
            "a generated column": "CREATE TABLE more(a INTEGER, b AS (a + 1))",
        }
        for what, statement in extras.items():
            with self.subTest(what):
                path = self.base()
                execute(path, "CREATE TABLE extra(a INTEGER, b TEXT)", statement)
                value, _ = self.checked(path)
                self.assertEqual((value["checks"]["sqlite"], value["result"], value["logged"], "degraded" in value), ("not_checked", "ok", True, False))
                self.assertNotIn("degraded", self.logged(path)[-1])
                self.assert_good(self.capture(path))
                self.assert_good(hp_export("bundle", path, "-o", self.folder / ("%s.zst" % what.split()[-1])))
                with database(path) as connection:
                    connection.execute("PRAGMA foreign_keys = OFF")
                    connection.execute(DANGLING)
                self.assertEqual(self.checked(path)[0]["degraded"], ["references"])

    def test_nothing_is_written_to_a_malformed_file(self):
        path = self.base()
        with database(path) as connection:
            page_of_zeros(connection)
        before = path.read_bytes()
        value, said = self.checked(path)
        # What is not logged degrades nothing.
        self.assertNotEqual(value["checks"]["sqlite"], "ok")
        self.assertEqual((value["logged"], "degraded" in value), (False, False))
        self.assertNotIn("degraded", hp_export("check", path, "--quiet").out.decode())
        self.assertIn("the check is not logged: SQLite finds it malformed", said)
        self.assertEqual(path.read_bytes(), before)

    def test_a_schema_that_is_not_written_into(self):
        path = self.base()
        execute(path, "DROP INDEX idx_samples_uuid_hash")
        before = path.read_bytes()
        value, said = self.checked(path)
        self.assertEqual((value["checks"]["schema"], "degraded" in value, value["logged"]), ("failed", False, False))
        self.assertIn("the check is not logged", said)
        self.assertEqual(path.read_bytes(), before)
        self.assert_refused(self.capture(path), "samples")

    def test_a_schema_that_lost_a_reference(self):
        path = self.base()
        with database(path) as connection:
            rebuild(connection, "export_items", lambda sql: sql.replace(" REFERENCES samples(id)", "", 1))
        self.assertEqual(self.checked(path)[0]["degraded"], ["schema"])
        self.assert_degraded(path, "schema")

    def test_an_archive_of_another_engine_gets_a_log(self):
        path = self.fixture("small.sqlite")
        value, _ = self.checked(path)
        self.assertEqual((value["logged"], "head" in value), (True, False))
        self.assertEqual(self.logged(path)[-1]["result"], value["result"])
        self.assertEqual(query(path, "SELECT event_kind FROM context_log ORDER BY id"), [("extension_added",), ("integrity_checked",)])

    def test_usage(self):
        self.assert_refused(hp_export("check"), "name one archive")
        self.assert_refused(hp_export("check", self.folder / "absent.sqlite"), "absent.sqlite")


# Writes to an archive as fast as it can until its input ends: all pages change their places, and the log is folded in. In the log there is always something, or nothing between two rounds.
WRITER = """if True:
    import select, sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE filler AS WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, randomblob(1000) FROM n")
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        connection.execute("VACUUM")
        connection.execute("INSERT OR REPLACE INTO archive_metadata VALUES ('test', hex(randomblob(abs(random() % 50000))))")
        connection.execute("PRAGMA wal_checkpoint(%s)" % sys.argv[2])
    """


class Busy(ArchiveCase):
    """Others write to the archive all the time: what is found is true of one state of it, or nothing is said."""

    @contextlib.contextmanager
    def writing(self, path, checkpoint):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, os.fspath(path), checkpoint], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual(writer.stdout.readline(), b"ready\n")
            yield
        finally:
            writer.stdin.close()
            self.assertEqual(writer.wait(PATIENCE), 0)
            writer.stdout.close()

    def test_a_check_of_an_archive_that_does_not_come_to_rest(self):
        for checkpoint in ("PASSIVE", "TRUNCATE"):
            path = self.base()
            with self.writing(path, checkpoint):
                for number in range(4):
                    with self.subTest(checkpoint, number=number):
                        result = hp_export("check", path, "--quiet", "--wait", "1")
                        self.assertNotIn(b"degraded", result.out)
                        if result.status != 0:
                            self.assert_refused(result, "base.sqlite: ")
            # Once it is at rest it is good, and has not been marked.
            self.assert_good(hp_export("check", path))
            self.assertEqual([detail for detail in details(path) if "degraded" in detail], [])

    def test_a_check_waits_until_an_export_is_recorded(self):
        """It is made again, and what it logs is what is there then."""
        path = self.base()
        with self.writing(path, "TRUNCATE"):
            process = start("hp-export", "check", path, "--json", "--wait", "60", stdout=subprocess.PIPE)
            time.sleep(0.5)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, json.loads(out)["result"], json.loads(out)["logged"]), (0, "ok", True), err)


def details(path):
    return [row[0] for row in query(path, "SELECT detail_json FROM context_log WHERE event_kind = 'integrity_checked'")]


if __name__ == "__main__":
    unittest.main()
