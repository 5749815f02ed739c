"""The context log (Spec/capture.md, "Extensions and migrations"): it says what stored facts show, and nothing else."""

import contextlib
import datetime
import hashlib
import json
import sqlite3
import unittest

from capture_support import HEART_RATE, SLEEP, STEPS, CaptureCase, feed, observation, sample, type_run
from support import execute, hp_export, hp_verify
from test_guards import beats, export

KINDS = ("registry_changed", "permission_changed", "version_changed")
A, B, C = HEART_RATE, STEPS, SLEEP


class Context(CaptureCase):
    def observe(self, day, *runs, status=0, **facts):
        """An observation, with both; what the log says of it that surrounds the evidence."""
        result = self.both("--feed", feed(observation(day, *runs, **facts)))
        self.assertEqual(result.status, status, result)
        return self.changes()

    def changes(self):
        rows = self.rows("SELECT event_kind, detail_json FROM context_log WHERE observation_id = (SELECT max(id) FROM observations) AND event_kind IN %r ORDER BY id" % (KINDS,))
        return [(kind, json.loads(detail)) for kind, detail in rows]

    def run_of(self, sample_type, status="completed"):
        return type_run(sample_type=sample_type, mode="anchored", end={"status": status})

    def test_a_type_that_is_not_asked_is_still_selected(self):
        self.assertEqual(self.observe(1, self.run_of(A), self.run_of(B), selected_types=[A, B]), [])
        self.assertEqual(self.observe(2, self.run_of(A), selected_types=[B, A, A]), [])
        self.assertEqual(self.observe(3, self.run_of(A), self.run_of(B), selected_types=[A, B]), [])

    def test_the_selected_set_changes(self):
        self.observe(1, self.run_of(A), selected_types=[A, B])
        self.assertEqual(self.observe(2, self.run_of(A), selected_types=[A, C]), [("registry_changed", {"added": [C], "removed": [B]})])
        # One that states no set changes nothing; the next is compared with the last that was stated.
        self.assertEqual(self.observe(3, self.run_of(A), self.run_of(B)), [])
        self.assertEqual(self.observe(4, selected_types=[A, C]), [])
        self.assertEqual(self.observe(5, selected_types=[]), [("registry_changed", {"removed": [C, A]})])

    def test_the_sets_are_kept_once(self):
        for day, types in enumerate(([A, B], [B, A], [A], [A, B]), 1):
            self.observe(day, selected_types=types)
        kept = {text: digest for digest, text in self.rows("SELECT * FROM selected_type_sets")}
        self.assertEqual(kept, {text: hashlib.sha256(b"hp:v2:type_set:" + text.encode()).hexdigest() for text in ('["%s","%s"]' % (A, B), '["%s"]' % A)})
        self.assert_good(hp_verify("archive", self.archive))
        # What only one that is taken back stated is gone with it.
        self.observe(5, selected_types=[C])
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assertEqual(len(self.rows("SELECT * FROM selected_type_sets")), 2)

    def test_a_set_of_an_older_archive_is_not_listed(self):
        self.observe(1, selected_types=[A, B])
        execute(self.archive, "DELETE FROM selected_type_sets")
        execute(self.plain, "DELETE FROM selected_type_sets")
        self.assertEqual(self.observe(2, selected_types=[A, B]), [])
        execute(self.archive, "DELETE FROM selected_type_sets")
        execute(self.plain, "DELETE FROM selected_type_sets")
        self.assertEqual(self.observe(3, selected_types=[A]), [("registry_changed", {"unlisted": True})])

    def test_a_stored_set_that_is_no_list_is_not_listed(self):
        """Another tool wrote over it: nobody knows which types were selected before."""
        for text in ("", "[", '["%s"' % A, '["%s" ]' % A, "{}", "null", '["%s",1]' % A, '["%s",null,"%s"]' % (A, B), '["%s",["%s"]]' % (A, B), '["%s"]1' % A):
            with self.subTest(text):
                self.renew()
                self.observe(1, selected_types=[A])
                execute(self.archive, "UPDATE selected_type_sets SET types_json = '%s'" % text)
                path = self.written(feed(observation(2, self.run_of(A), selected_types=[A, B])))
                self.assert_good(self.hp_capture("--feed", path, "--quiet"))
                found = self.rows("SELECT detail_json FROM context_log WHERE event_kind = 'registry_changed'")
                self.assertEqual(found, [('{"unlisted":true}',)])

    def test_permissions(self):
        self.assertEqual(self.observe(1, self.run_of(A), self.run_of(B, "unauthorized"), status=1), [])
        # Not asked, failed and timed out say nothing of it.
        self.assertEqual(self.observe(2, self.run_of(A, "failed"), status=1), [])
        self.assertEqual(self.observe(3, self.run_of(A, "unauthorized"), self.run_of(B), status=1),
                         [("permission_changed", {"no_longer_authorized": [A], "no_longer_refused": [B]})])
        self.assertEqual(self.observe(4, self.run_of(B)), [])
        self.assertEqual(self.observe(5, self.run_of(A), self.run_of(B)), [("permission_changed", {"no_longer_refused": [A]})])

    def test_versions(self):
        self.assertEqual(self.observe(1, app_version="1", os_version="17"), [])
        self.assertEqual(self.observe(2, os_version="17"), [])
        self.assertEqual(self.observe(3, app_version="2", os_version="17"), [("version_changed", {"app_version": ["1", "2"]})])

    def test_each_chain_for_itself(self):
        self.observe(1, self.run_of(A), selected_types=[A])
        self.assertLess(self.hp_capture("--apple-health", self.written(export(1, *beats(1)), "export.xml")).status, 2)
        self.assertEqual(self.changes(), [])
        self.assertLess(self.hp_capture("--apple-health", self.written(export(2, *beats(1)), "export.xml")).status, 2)
        self.assertEqual(self.changes(), [])

    def test_an_accepted_clock_is_logged(self):
        ahead = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines = observation(1)
        for _ in range(2):
            self.hp_capture("--feed", self.written(feed([{**lines[0], "observed_at": ahead}, *lines[1:]])), "--accept-clock")
        (detail,), = self.rows("SELECT detail_json FROM context_log WHERE event_kind = 'guard_overridden'")
        detail = json.loads(detail)
        self.assertEqual(detail.pop("option"), "accept-clock")
        self.assertTrue(2 * 86400 < detail.pop("seconds") <= 3 * 86400)
        self.assertEqual(detail, {})


class Events(CaptureCase):
    """What happens to an archive beside evidence; what guards, undo, repair, seal, checks and migrations log is in their tests, too."""

    def events(self, *kinds):
        rows = self.rows("SELECT event_kind, observation_id, detail_json FROM context_log ORDER BY id")
        return [(kind, observation, json.loads(detail)) for kind, observation, detail in rows if not kinds or kind in kinds]

    def captured(self, day, *lines, secret=None):
        result = hp_export("capture", self.archive, "--feed", self.written(feed(observation(day, type_run([*lines])))), "--secret", secret or self.secret, "--quiet")
        self.assertEqual(result.status, 0, result)

    def test_a_new_archive(self):
        self.captured(1, sample(1))
        self.assertEqual([(kind, observation) for kind, observation, _ in self.events()],
                         [("archive_created", None), ("device_chain_started", 1), ("capture_started", 1), ("capture_finished", 1)])
        self.assertEqual(self.events("archive_created", "device_chain_started"), [("archive_created", None, {"schema_version": 2}), ("device_chain_started", 1, {"recovered": True})])
        versions = self.rows("SELECT DISTINCT tool_version FROM context_log")
        self.assertEqual(len(versions), 1)
        self.assertRegex(versions[0][0], r"^hp-export \d")
        self.assertEqual(self.events("capture_finished")[0][2]["status"], "completed")

    def test_a_prototype_that_is_moved_aside(self):
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            connection.execute("CREATE TABLE records(id)")
        result = hp_export("capture", self.archive, "--feed", self.written(feed(observation(1, type_run([sample(1)])))), "--secret", self.secret, "--quiet", "--reset-prototype")
        self.assert_good(result)
        self.assertEqual(self.events("archive_created", "archive_reset"),
                         [("archive_created", None, {"schema_version": 2}), ("archive_reset", None, {"reason": "prototype_or_unknown_schema"})])

    def test_a_seal(self):
        self.captured(1, sample(1))
        execute(self.archive, "DROP TABLE history_links", "DELETE FROM archive_metadata WHERE key = 'extension:history'")
        self.assert_good(hp_export("seal", self.archive, "--quiet"))
        self.assertEqual(self.events("extension_added", "history_sealed"),
                         [("extension_added", None, {"name": "history", "version": 2}), ("history_sealed", None, {"observations": 1})])
        self.assertEqual(self.rows("SELECT description FROM schema_migrations WHERE version < 0"), [("extension history 2",)])

    def test_undo_and_repair(self):
        self.captured(1, sample(1), sample(2, 1))
        self.captured(2, sample(1))
        execute(self.archive, "DELETE FROM observation_type_summaries WHERE observation_id = 2")
        self.assert_good(hp_export("repair", self.archive, "--aggregates", "--quiet"))
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        (first, of_repair, repaired), (second, of_undo, undone) = self.events("repaired", "observation_withdrawn")
        self.assertEqual((first, of_repair, second, of_undo), ("repaired", None, "observation_withdrawn", 2))
        self.assertIn("observation_type_summaries", json.dumps(repaired))
        self.assertGreater(len(undone), 0)
        self.assert_good(hp_verify("archive", self.archive))

    def test_a_capture_that_fails(self):
        lines = feed(observation(1, type_run([sample(1)]))).splitlines(keepends=True)
        path = self.written(b"".join(lines[:-2]) + b"{no JSON}\n")
        self.assertNotEqual(self.hp_capture("--feed", path, "--quiet").status, 0)
        kinds = [kind for kind, _, _ in self.events()]
        self.assertEqual(kinds[:3], ["archive_created", "device_chain_started", "capture_started"])
        self.assertIn(kinds[3:], (["capture_failed"], ["capture_finished"]))


if __name__ == "__main__":
    unittest.main()
