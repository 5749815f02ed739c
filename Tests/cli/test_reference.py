"""hp-export against the plain exporter in Tests/reference: the same text for every case."""

import hashlib
import json
import shutil
import subprocess
import sys
import unittest

from support import FIXTURES, ROOT, Case, database, hp_export, query

REFERENCE = ROOT / "Tests" / "reference"


def cases():
    for line in (REFERENCE / "cases.txt").read_text(encoding="utf-8").splitlines():
        name, arguments, expected = line.split("\t")
        yield name, arguments.split(), expected


def reference_lines(archive, arguments):
    run = subprocess.run([sys.executable, "-B", str(REFERENCE / "export_bundle.py"), str(archive), *arguments], stdout=subprocess.PIPE, check=True)
    return run.stdout


class Reference(Case):
    def test_every_case_has_the_text_of_the_reference(self):
        for name, arguments, expected in cases():
            with self.subTest(archive=name, arguments=" ".join(arguments)):
                archive = self.fixture(name)
                for suffix in ("-wal", "-shm"):  # of the case before: a reader leaves a log as it is
                    (self.folder / ("archive.sqlite" + suffix)).unlink(missing_ok=True)
                wal = FIXTURES / "archives" / (name + "-wal")
                if wal.exists():
                    shutil.copyfile(wal, self.folder / "archive.sqlite-wal")
                if "--generator-version" in arguments:  # the tool has no such option
                    self.assertEqual(hashlib.sha256(reference_lines(archive, arguments)).hexdigest(), expected)
                    continue
                result = self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", *arguments))
                text = subprocess.run(["zstd", "-dcq"], input=result.out, check=True, stdout=subprocess.PIPE).stdout
                if hashlib.sha256(text).hexdigest() != expected:
                    self.fail(self.first_difference(text, reference_lines(archive, arguments)))

    def test_an_id_that_is_no_integer_names_nothing(self):
        for arguments in ([], ["--history"]):
            archive = self.fixture("small.sqlite")
            related, = query(archive, "SELECT source_sample_id FROM sample_relationships ORDER BY id LIMIT 1")[0]
            with database(archive) as connection:
                connection.execute("PRAGMA foreign_keys = OFF")
                for oddly in (related + 0.5, "%dx" % related, b"%d" % related):
                    connection.execute("INSERT INTO sample_visibility_ranges SELECT ?, version_id, first_observation_id, NULL, first_seen_at, NULL "
                                       "FROM sample_visibility_ranges WHERE sample_id = ? ORDER BY first_observation_id LIMIT 1", (oddly, related))
                    connection.execute("INSERT INTO sample_observation_events SELECT NULL, observation_id, ?, version_id, event_kind, observed_at, evidence_kind "
                                       "FROM sample_observation_events WHERE sample_id = ? ORDER BY id LIMIT 1", (oddly, related))
            text = subprocess.run(["zstd", "-dcq"], input=self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", *arguments)).out, check=True, stdout=subprocess.PIPE).stdout
            # Such ids have no row, so that these items tie: only the manifest knows in which order they stand.
            self.assertEqual(sorted(text.splitlines()[:-1]), sorted(reference_lines(archive, arguments).splitlines()[:-1]))
            odd = [item for line in text.splitlines() for item in [json.loads(line).get("item", {})]
                   if any(defect["pointer"] == "/strict_fingerprint" and defect["reason"] == "storage_class" for defect in item.get("defects", []))]
            self.assertEqual(len(odd), 3 if not arguments else 6)
            self.assertEqual([item for item in odd if "relationships" in item or "sample_type" in item], [])

    def test_an_id_beyond_what_canonical_json_carries_is_out_of_range(self):
        """Such a reference says so, and not that its row is missing; one within the range leads to no row."""
        limit = 2**53
        for beyond in (limit, -limit, 2**63 - 1, limit - 1, 1 - limit):
            archive = self.fixture("small.sqlite")
            with database(archive) as connection:
                connection.execute("PRAGMA foreign_keys = OFF")
                ranges = "SELECT sample_id, version_id FROM sample_visibility_ranges WHERE last_observation_id IS NULL"
                sample, version = connection.execute(ranges).fetchone()
                connection.execute("UPDATE samples SET sample_type_id = ? WHERE id = ?", (beyond, sample))
                connection.execute("UPDATE sample_versions SET source_revision_id = ?1, hk_device_id = ?1, metadata_id = ?1 WHERE id = ?2", (beyond, version))
            result = self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record"))
            text = subprocess.run(["zstd", "-dcq"], input=result.out, check=True, stdout=subprocess.PIPE).stdout
            self.assertEqual(text, reference_lines(archive, []))
            reason = "integer_range" if abs(beyond) >= limit else "missing_row"
            items = [json.loads(line).get("item", {}) for line in text.splitlines()]
            found, = [item["defects"] for item in items if "sample_type" not in item and "defects" in item]
            self.assertEqual(found, [{"pointer": pointer, "reason": reason, "storage_class": "integer", "value": str(beyond)}
                                     for pointer in ("/device", "/metadata", "/sample_type", "/source")])

    def first_difference(self, ours, theirs):
        ours, theirs = ours.split(b"\n"), theirs.split(b"\n")
        for number, (our, their) in enumerate(zip(ours, theirs), 1):
            if our != their:
                at = next((i for i, (a, b) in enumerate(zip(our, their)) if a != b), min(len(our), len(their)))
                return "line %d differs from byte %d on\nexport:    %r\nreference: %r" % (number, at, our[max(0, at - 40):at + 120], their[max(0, at - 40):at + 120])
        return "%d lines instead of %d" % (len(ours), len(theirs))


if __name__ == "__main__":
    unittest.main()
