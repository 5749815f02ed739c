"""Archives that earlier releases and other engines made (Fixtures/frozen): opened, exported, reproduced, verified, captured into."""

import unittest

from capture_support import *
from support import *

FROZEN = FIXTURES / "frozen"
BUNDLES = {"health": ["health-history.jsonl.zst", "health-at-2.jsonl.zst", "health-diff.json"],
           "feed": ["feed-history.jsonl.zst", "feed-at-2.jsonl.zst", "feed-diff.json"], "four-status": ["four-status.jsonl.zst"]}
NEXT = {
    "feed": feed(observation(9, type_run([sample(1, 0, 70), sample(4, 9)], end={"anchor_after": "AAAD"}))),
    "four-status": feed(observation(9, type_run([sample(4, 9)]))),
}


class Frozen(CaptureCase):
    def thawed(self, name):
        shutil.copyfile(FROZEN / (name + ".sqlite"), self.archive)
        self.archive.chmod(0o600)
        return self.archive

    def assert_reproduced(self, name):
        """Every recorded export is the one of then, byte by byte, and verifies against the archive."""
        self.assert_good(hp_verify("reproduce", self.archive))
        for bundle in BUNDLES[name]:
            self.assert_good(hp_verify("bundle", FROZEN / bundle, "--archive", self.archive))

    def test_they_are_read_as_ever(self):
        for name in BUNDLES:
            with self.subTest(name):
                before = self.thawed(name).read_bytes()
                self.assert_good(hp_verify("archive", self.archive))
                self.assert_reproduced(name)
                if name != "four-status":
                    self.assert_good(hp_export("bundle", self.archive, "--history", "-o", self.folder / "h.zst", "--force", "--no-record"))
                    self.assertEqual(b"\n".join(lines_of(self.folder / "h.zst")), b"\n".join(lines_of(FROZEN / (name + "-history.jsonl.zst"))))
                for kind in ("observations", "types", "changes", "exports", "context", "rejected", "withheld"):
                    self.assert_good(hp_export("list", self.archive, kind))
                self.assertEqual(self.archive.read_bytes(), before)

    def test_they_are_captured_into(self):
        for name, content in NEXT.items():
            with self.subTest(name):
                self.thawed(name)
                last, = self.rows("SELECT max(id) FROM observations")[0]
                path, accepted = self.written(content), []
                if name == "four-status":  # Nobody has its secret.
                    accepted = ["--new-chain"]
                    self.assert_refused(self.hp_capture("--feed", path, "--quiet"), "is the secret of another chain")
                self.assertIn(self.hp_capture("--feed", path, "--quiet", *accepted).status, (0, 1))
                self.assertEqual(self.rows("SELECT max(id) FROM observations"), [(last + 1,)])
                migrations = self.rows("SELECT version, description FROM schema_migrations WHERE version < 0 ORDER BY version DESC")
                self.assertEqual(migrations[-1][1], "extension capture_facts 1")
                self.assertEqual(self.rows("SELECT count(*) FROM context_log WHERE event_kind = 'extension_added' AND detail_json LIKE '%capture_facts%'"), [(1,)])
                # What was observed then has no facts, and none are made up.
                self.assertEqual(self.rows("SELECT DISTINCT observation_id FROM observation_facts"), [(last + 1,)])
                self.assert_reproduced(name)
                self.assert_good(hp_verify("archive", self.archive))
                self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "new.zst", "--force"))
                self.assert_good(hp_verify("bundle", self.folder / "new.zst", "--archive", self.archive))

    def test_the_same_export_again_is_the_same(self):
        self.thawed("health")
        before = dump(self.archive)
        result = self.hp_capture("--apple-health", FROZEN / "health-2.xml")
        self.assertIn("captured before, and nothing differs", result.err)
        self.assertEqual(dump(self.archive), before)

    def test_a_kill_at_any_write_leaves_the_archive_as_before_or_after(self):
        """The migration is in the first transaction of its observation: where that is not there, nothing is."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        path = self.written(NEXT["feed"])
        for when in range(1, 12):
            with self.subTest(when):
                for suffix in ("", "-wal", "-shm"):
                    pathlib.Path(str(self.archive) + suffix).unlink(missing_ok=True)
                self.thawed("feed")
                subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=%d" % when,
                                tool("hp-export"), "capture", self.archive, "--feed", path, "--secret", self.secret, "--quiet"], capture_output=True, env=ENVIRONMENT)
                stated = self.rows("SELECT count(*) FROM archive_metadata WHERE key = 'extension:capture_facts'")[0][0]
                tables = self.rows("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('type_run_facts', 'withdrawn_observations')")[0][0]
                migrations = self.rows("SELECT count(*) FROM schema_migrations WHERE version < 0")[0][0]
                self.assertEqual((tables, migrations), (2 * stated, stated))
                self.assertIn(self.hp_capture("--feed", path, "--quiet").status, (0, 1))
                self.assert_good(hp_verify("archive", self.archive))


if __name__ == "__main__":
    unittest.main()
