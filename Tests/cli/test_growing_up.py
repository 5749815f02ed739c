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


HEALTH_3 = (FROZEN / "health-2.xml").read_bytes().replace(b"2024-06-01 10:00", b"2024-07-01 10:00", 1).replace(b'value="63"', b'value="163"', 1)


class Frozen(CaptureCase):
    def thawed(self, name):
        shutil.copyfile(FROZEN / (name + ".sqlite"), self.archive)
        self.archive.chmod(0o600)
        return self.archive

    def assert_reproduced(self, name):
        """Every recorded bundle is the one of then, byte by byte, and verifies against the archive."""
        self.assert_recomputed()
        for bundle in BUNDLES[name]:
            if bundle.endswith(".json"):
                self.assert_of_another_version(FROZEN / bundle)
            else:
                self.assert_good(hp_verify("bundle", FROZEN / bundle, "--archive", self.archive))

    def assert_recomputed(self):
        """What was recorded is the same, but for reports of another version, which are not recomputed."""
        result = hp_verify("reproduce", self.archive, "--json")
        for export in json.loads(result.out)["exports"]:
            self.assertEqual(export["outcome"], "same" if export["export_kind"] == "recovery_bundle" else "not_ours", export)

    def assert_of_another_version(self, report):
        """Reports were version 1 then: that is said, and nothing else."""
        result = hp_verify("bundle", report, "--json")
        self.assertEqual(result.status, 1, result)
        self.assertEqual(json.loads(result.out)["files"][0]["findings"], [{"code": "shape.format_version", "expected": "version 2", "found": "version 1", "line": 1, "pointer": "/export/format_version"}])
        self.assertEqual([finding["code"] for finding in verdict_of(report)["findings"]], ["shape.format_version"])

    def capture_next(self, name):
        """Captures what follows, as the reference does into a copy."""
        shutil.copyfile(FROZEN / (name + ".sqlite"), self.plain)
        if name == "health":
            return self.both("--apple-health", HEALTH_3)
        return self.both("--feed", NEXT[name], accepted=["new-chain"] if name == "four-status" else [])

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
                self.assertEqual(migrations[-1][1], "extension capture_facts 2")
                self.assertEqual(self.rows("SELECT count(*) FROM context_log WHERE event_kind = 'extension_added' AND detail_json LIKE '%capture_facts%'"), [(1,)])
                # What was observed then has no facts, and none are made up.
                self.assertEqual(self.rows("SELECT DISTINCT observation_id FROM observation_facts"), [(last + 1,)])
                self.assert_reproduced(name)
                self.assert_good(hp_verify("archive", self.archive))
                self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "new.zst", "--force"))
                self.assert_good(hp_verify("bundle", self.folder / "new.zst", "--archive", self.archive))

    def test_what_follows_is_captured_as_the_reference_does(self):
        for name in BUNDLES:
            with self.subTest(name):
                self.thawed(name)
                before = dump(self.archive)
                self.capture_next(name)
                self.assertNotEqual(dump(self.archive), before)
                self.assert_reproduced(name)
                self.assert_good(hp_verify("archive", self.archive))

    def test_what_follows_can_be_taken_back(self):
        """Then the evidence is that of before, and so are the exports."""
        for name in BUNDLES:
            with self.subTest(name):
                self.thawed(name)
                before = dump(self.archive)
                self.capture_next(name)
                self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
                self.assertEqual(dump(self.archive), before)
                self.assert_reproduced(name)
                self.assert_good(hp_verify("archive", self.archive))

    def test_what_was_captured_then_can_be_taken_back(self):
        for name in BUNDLES:
            with self.subTest(name):
                self.thawed(name)
                before = set(findings(self.archive))
                (last, observed_at), = self.rows("SELECT id, observed_at FROM observations ORDER BY id DESC LIMIT 1")
                named = self.rows("SELECT count(*) FROM export_manifests WHERE from_observation_id = ? OR to_observation_id = ?", last, last)[0][0]
                accepted = ["--with-exports"] if named else []
                if named:
                    self.assert_refused(hp_export("undo", self.archive), "%d recorded exports name" % named if named > 1 else "1 recorded export names")
                self.assert_good(hp_export("undo", self.archive, "--quiet", *accepted))
                self.assertEqual(self.rows("SELECT observation_id, observed_at FROM withdrawn_observations"), [(last, observed_at)])
                for table in ("observation_type_runs", "sample_observation_events", "observation_type_summaries", "daily_type_aggregates"):
                    self.assertEqual(self.rows("SELECT count(*) FROM %s WHERE observation_id = ?" % table, last), [(0,)], table)
                self.assertLessEqual(set(findings(self.archive)), before)
                self.assert_good(hp_verify("archive", self.archive))
                left, = self.rows("SELECT count(*) FROM export_manifests")[0]
                self.assertEqual(left, len(BUNDLES[name]) - named)
                if left:
                    self.assert_recomputed()

    def test_their_bundles_are_verified_by_the_specification_alone(self):
        for bundle in sum(BUNDLES.values(), []):
            if bundle.endswith(".zst"):
                with self.subTest(bundle):
                    self.assert_good(hp_verify("bundle", FROZEN / bundle))
                    verified = subprocess.run([sys.executable, str(ROOT / "Spec" / "examples" / "verify_bundle.py"), str(FROZEN / bundle)], capture_output=True)
                    self.assertEqual(verified.returncode, 0, verified.stdout)

    def test_a_bundle_of_another_format_is_refused_by_its_version(self):
        lines = lines_of(FROZEN / "health-at-2.jsonl.zst")
        self.assertIn(b'"format_version":1', lines[0])
        path = self.written(b"".join(line + b"\n" for line in [lines[0].replace(b'"format_version":1', b'"format_version":2'), *lines[1:]]), "later.jsonl")
        result = hp_verify("bundle", path)
        self.assertNotEqual(result.status, 0, result)
        self.assertIn("format", result.out.decode() + result.err)

    def test_the_same_export_again_is_the_same(self):
        self.thawed("health")
        before = dump(self.archive)
        result = self.hp_capture("--apple-health", FROZEN / "health-2.xml")
        self.assertIn("captured before, and nothing differs", result.err)
        self.assertEqual(dump(self.archive), before)

    def log(self):
        """What the context log is about; of captures it says how often they were gone on with."""
        has_log, = self.rows("SELECT count(*) FROM sqlite_master WHERE name = 'context_log'")[0]
        return self.rows("SELECT event_kind, detail_json FROM context_log WHERE event_kind NOT LIKE 'capture%' ORDER BY 1, 2") if has_log else []

    def test_a_newer_bundle_is_refused_by_its_version(self):
        """Both verifiers name the change of format, and judge nothing else of it."""
        lines = lines_of(FROZEN / "feed-at-2.jsonl.zst")
        for header, found in ((lines[0].replace(b'"format_version":1', b'"format_version":2'), "found version 2"), (lines[0].replace(b'healthprobe-bundle', b'healthprobe-future'), "/export/format")):
            self.assertNotEqual(header, lines[0])
            newer = self.written(b"".join(line + b"\n" for line in [header, *lines[1:]]), "newer.jsonl")
            result = hp_verify("bundle", newer)
            self.assertEqual(result.status, 1, result)
            self.assertIn("shape.format_version", result.out.decode())
            self.assertIn(found, result.out.decode())
            counts = json.loads(hp_verify("bundle", newer, "--json").out)["files"][0]["counts"]
            self.assertEqual(counts, {"shape.format_version": 1})
            self.assertEqual([finding["code"] for finding in verdict_of(newer)["findings"]], ["shape.format_version"])

    def test_a_newer_archive_is_refused_by_its_version(self):
        self.thawed("feed")
        execute(self.archive, "INSERT INTO schema_migrations VALUES (3, 0, 'of the future')", "UPDATE archive_metadata SET value = '3' WHERE key = 'schema_version'")
        before = self.archive.read_bytes()
        for name, *arguments in (("hp-export", "bundle", self.archive, "-o", self.folder / "x"), ("hp-export", "list", self.archive, "types"), ("hp-verify", "archive", self.archive),
                                 ("hp-export", "capture", self.archive, "--feed", self.written(NEXT["feed"]), "--secret", self.secret, "--reset-prototype")):
            self.assert_refused(run(name, *arguments), "schema version 3", name=name)
        self.assertEqual(self.archive.read_bytes(), before)

    @takes_long
    def test_a_kill_at_any_write_leaves_the_archive_as_before_or_after(self):
        """A migration is one transaction with its entry in the log, and so is a beginning: where one is not there, nothing is."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        for name, accepted, count in (("feed", [], 24), ("four-status", ["--new-chain"], 64)):
            path = self.written(NEXT[name], name + ".jsonl")
            self.thawed(name)
            self.assertEqual(self.hp_capture("--feed", path, "--quiet", *accepted).status, 0)
            expected = self.log()
            for when in range(1, count):
                with self.subTest(name=name, when=when):
                    self.renew()
                    self.thawed(name)
                    subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when=%d" % when,
                                    tool("hp-export"), "capture", self.archive, "--feed", path, "--secret", self.secret, "--quiet", *accepted], capture_output=True, env=ENVIRONMENT)
                    stated = self.rows("SELECT count(*) FROM archive_metadata WHERE key = 'extension:capture_facts'")[0][0]
                    tables = self.rows("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('type_run_facts', 'withdrawn_observations')")[0][0]
                    migrations = self.rows("SELECT count(*) FROM schema_migrations WHERE version < 0 AND description LIKE '%capture_facts%'")[0][0]
                    self.assertEqual((tables, migrations), (2 * stated, stated))
                    self.assertEqual(self.hp_capture("--feed", path, "--quiet", *accepted).status, 0)
                    self.assertEqual(self.log(), expected)
                    self.assert_good(hp_verify("archive", self.archive))


if __name__ == "__main__":
    unittest.main()
