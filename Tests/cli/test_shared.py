"""hp-export bundle --profile share: what may be given to others, held against the plain exporter and the archive's cells."""

import json
import shutil
import subprocess
import sys
import unittest

from support import FIXTURES, ROOT, Case, database, hp_export, hp_verify, query
from test_reference import cases, reference_lines

sys.path.insert(0, str(ROOT / "Tests" / "reference"))
import shared  # noqa: E402

SHARE = ("--profile", "share")
PLANTED = {
    "device": "UPDATE hk_devices SET model = 'planted-model', hardware_version = 'planted-hardware', firmware_version = 'planted-firmware', "
              "software_version = 'planted-software', device_hash = 'planted-device', udi_hash = 'planted-udi', "
              "local_identifier_hash = 'planted-local', manufacturer_hash = 'planted-manufacturer'",
    "chain": "UPDATE device_chains SET device_chain_hash = 'planted-chain'",
    "notes": "UPDATE observations SET notes = 'planted-notes', selected_type_set_hash = 'planted-types'",
    "message": "UPDATE observation_type_runs SET error_message_hash = 'planted-message'",
    "prints": "UPDATE samples SET semantic_fingerprint = 'planted-semantic', fuzzy_key = 'planted-fuzzy'",
    "payload": "UPDATE sample_versions SET payload_hash = 'planted-payload' || id",
}
METADATA = '{"HKExternalUUID":"planted-external","HKWasUserEntered":1,"_HKPrivateHeartRateContext":2,"org.example.diary":"planted-diary"}'


def unpacked(data):
    return subprocess.run(["zstd", "-dcq"], input=data, check=True, stdout=subprocess.PIPE).stdout


class Shared(Case):
    def planted(self):
        """An archive in which everything that is left out can be told by a word."""
        archive = self.fixture("small.sqlite")
        with database(archive) as connection:
            for statement in PLANTED.values():
                connection.execute(statement)
            connection.execute("UPDATE metadata_blobs SET metadata_json = ?, metadata_hash = 'planted-metadata' || id", (METADATA,))
        return archive

    def text(self, archive, *options):
        return unpacked(self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", "--quiet", *SHARE, *options)).out)

    def test_every_case_has_the_text_that_the_page_makes_of_the_reference(self):
        seen = 0
        for name, arguments, _ in cases():
            if {"--history", "--with-related", "--generator-version"} & set(arguments):
                continue
            with self.subTest(archive=name, arguments=" ".join(arguments)):
                archive = self.fixture(name)
                for suffix in ("-wal", "-shm"):
                    (self.folder / ("archive.sqlite" + suffix)).unlink(missing_ok=True)
                wal = FIXTURES / "archives" / (name + "-wal")
                if wal.exists():
                    shutil.copyfile(wal, self.folder / "archive.sqlite-wal")
                expected = shared.shared_text(reference_lines(archive, arguments))
                self.assertEqual(self.text(archive, *arguments), expected)
                path = self.folder / "s.jsonl"
                path.write_bytes(expected)
                self.assert_good(hp_verify("bundle", path, "--quiet"))
                path.unlink()
                seen += len(expected.splitlines()) - 2
        self.assertGreater(seen, 400)

    def test_nothing_that_is_left_out_is_there(self):
        archive = self.planted()
        whole = unpacked(self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", "--quiet")).out).decode()
        told = self.text(archive).decode()
        words = ["model", "hardware", "firmware", "software", "device", "udi", "local", "manufacturer", "chain", "notes", "types", "message",
                 "semantic", "fuzzy", "payload", "metadata", "external", "diary"]
        self.assertEqual([word for word in words if "planted-" + word not in whole], [], "what is not in the whole bundle shows nothing")
        self.assertNotIn("planted", told)
        self.assertIn('"HKWasUserEntered":1,"_HKPrivateHeartRateContext":2', told)
        self.assertEqual(json.loads(told.splitlines()[0])["export"]["left_out"], shared.LEFT_OUT)

    def test_metadata_that_are_no_object_are_left_out(self):
        """A text of 64 digits is packed otherwise than others on its way to an item."""
        archive = self.planted()
        for text in ("planted", "[1]", "{}x", "ab" * 32, "AB" * 32):
            with self.subTest(text):
                with database(archive) as connection:
                    connection.execute("UPDATE metadata_blobs SET metadata_json = ?", (text,))
                whole = self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", "--quiet")).out
                self.assertIn(b'"metadata":' + json.dumps(text).encode(), unpacked(whole))
                told = self.text(archive)
                self.assertNotIn(b'"metadata"', told.split(b"\n", 1)[1])
                path = self.folder / "s.jsonl"
                path.write_bytes(told)
                self.assert_good(hp_verify("bundle", path, "--quiet"))

    def test_it_is_recorded_compared_and_reproduced(self):
        archive = self.fixture("small.sqlite")
        bundle = self.folder / "s.jsonl.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle, *SHARE))
        (kind, count), = query(archive, "SELECT export_kind, record_count FROM export_manifests")
        self.assertEqual((kind, count), ("shared_bundle", query(archive, "SELECT count(*) FROM export_items")[0][0]))
        self.assertEqual(query(archive, "SELECT count(version_id), count(DISTINCT sample_id) > 1 FROM export_items"), [(0, 1)])
        self.assertIn("archive record agrees", self.assert_good(hp_verify("bundle", bundle, "--archive", archive)).out.decode())
        result = json.loads(self.assert_good(hp_verify("reproduce", archive, "--json")).out)
        self.assertEqual([export["outcome"] for export in result["exports"]], ["same"])
        self.assertIn("exports     OK  1 row", hp_verify("archive", archive).out.decode())
        with database(archive) as connection:
            connection.execute("UPDATE sample_versions SET numeric_value = numeric_value + 1")
        result = hp_verify("reproduce", archive, "--json")
        self.assertEqual((result.status, json.loads(result.out)["exports"][0]["outcome"]), (1, "changed"))

    def test_an_item_that_the_archive_did_not_record_is_found(self):
        archive = self.fixture("small.sqlite")
        bundle = self.folder / "s.jsonl.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle, *SHARE))
        with database(archive) as connection:
            connection.execute("UPDATE export_items SET item_hash = ? WHERE rowid = (SELECT min(rowid) FROM export_items)", ("0" * 64,))
        result = hp_verify("bundle", bundle, "--archive", archive, "--json")
        self.assertEqual(result.status, 1)
        self.assertEqual({finding["code"] for finding in json.loads(result.out)["files"][0]["findings"]}, {"archive.item_hash"})

    def test_what_contradicts_is_refused(self):
        archive = self.fixture("small.sqlite")
        for option in ("--history", "--with-related"):
            self.assert_refused(hp_export("bundle", archive, "-o", "-", *SHARE, option), option, "--profile share contradict each other")
        self.assert_refused(hp_export("bundle", archive, "-o", "-", "--profile", "all"), "share")


if __name__ == "__main__":
    unittest.main()
