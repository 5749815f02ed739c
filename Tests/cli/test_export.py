"""What an export does to its file, to the archive, and beside other exports."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

from support import (
    ENVIRONMENT, PATIENCE, Case, contents, database, execute, has_open, held, hp_export, lines_of, query, start,
    text_hash, trace_of, verdict_of,
)

JOURNALS = ("wal", "delete")


class Repeated(Case):
    def test_the_same_export_gives_the_same_bytes_and_one_record(self):
        for journal in JOURNALS:
            for options in ((), ("--history",), ("--at", "1"), ("--type", "HKWorkoutTypeIdentifier")):
                with self.subTest(journal=journal, options=options):
                    path = self.generated(2000, journal=journal)
                    results = []
                    for name in ("first", "second"):
                        result = self.assert_good(hp_export("bundle", path, "-o", self.folder / name, "--json", "--force", *options))
                        results.append(json.loads(result.out))
                    self.assertEqual((self.folder / "first").read_bytes(), (self.folder / "second").read_bytes())
                    self.assertEqual([result["already_recorded"] for result in results], [False, True])
                    self.assertEqual([result["recorded"] for result in results], [True, True])
                    self.assertEqual(results[0]["export_id"], results[1]["export_id"])
                    self.assert_settled(path, exports=1)
                    self.assertEqual(query(path, "SELECT count(*) FROM export_items"), [(results[0]["item_count"],)])
                    self.assertEqual(query(path, "PRAGMA journal_mode"), [(journal,)])

    def test_what_is_recorded_is_what_the_bundle_says(self):
        path, out = self.generated(2000), self.folder / "out.zst"
        result = json.loads(self.assert_good(hp_export("bundle", path, "-o", out, "--json", "--since", "2001-02-01")).out)
        lines = [json.loads(line) for line in lines_of(out)]
        header, items, manifest = lines[0]["export"], lines[1:-1], lines[-1]
        (row,) = query(path, "SELECT export_id, export_kind, from_observation_id, to_observation_id, filter_json, manifest_hash, record_count FROM export_manifests")
        stated = json.dumps({"filter": header["filter"], "generator": header["generator"], "scope": header["scope"]}, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        self.assertEqual(row, (header["export_id"], "recovery_bundle", None, 12, stated, manifest["manifest_hash"], len(items)))
        self.assertEqual((result["export_id"], result["manifest_hash"], result["item_count"], result["observation_id"]), (row[0], row[5], row[6], 12))
        recorded = query(path, """
            SELECT s.sample_uuid_hash, v.payload_hash, i.item_hash FROM export_items i JOIN samples s ON s.id = i.sample_id JOIN sample_versions v ON v.id = i.version_id""")
        self.assertEqual(sorted(recorded), sorted((line["item"]["sample_uuid_hash"], line["item"]["payload_hash"], line["item_hash"]) for line in items))

    def test_standard_output_has_the_same_bytes_and_is_recorded_too(self):
        path = self.generated(2000)
        result = self.assert_good(hp_export("bundle", path, "-o", "-", "--json", "--quiet"))
        self.assertTrue(json.loads(result.err)["recorded"])
        self.assert_settled(path, exports=1)
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst"))
        self.assertEqual((self.folder / "out.zst").read_bytes(), result.out)
        self.assert_settled(path, exports=1)

    def test_the_level_changes_the_bytes_and_not_the_text(self):
        path = self.fixture()
        outs = [self.assert_good(hp_export("bundle", path, "-o", "-", "--no-record", "--level", level)).out for level in ("1", "9", "19")]
        self.assertEqual(len({text_hash(out) for out in outs}), 1)
        self.assertGreater(len(outs[0]), len(outs[2]))

    def test_the_surroundings_do_not_matter(self):
        path = self.generated(2000)
        plain = self.assert_good(hp_export("bundle", path, "-o", "-", "--no-record")).out
        for variables in ({"TZ": "Pacific/Kiritimati"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, {"LC_ALL": "C"}, None):
            with self.subTest(variables):
                environment = {} if variables is None else {**ENVIRONMENT, **variables}
                self.assertEqual(self.assert_good(hp_export("bundle", path, "-o", "-", "--no-record", env=environment)).out, plain)
        for mask in (0, 0o777):
            name = "out.%o" % mask
            self.assert_good(hp_export("bundle", path, "-o", self.folder / name, "--no-record", preexec_fn=lambda: os.umask(mask)))
            self.assertEqual((self.folder / name).stat().st_mode & 0o077, 0)

    def test_little_room_is_enough_or_an_error(self):
        path = self.generated(2000)
        for limit, values in ((resource.RLIMIT_NOFILE, (6, 8, 10, 12, 16)), (resource.RLIMIT_AS, (1 << 28,))):
            for value in values:
                with self.subTest(limit=limit, value=value):
                    result = hp_export("bundle", path, "-o", self.folder / "out.zst", "--force", preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
                    if result.status == 0:
                        self.assertEqual(verdict_of(self.folder / "out.zst")["result"], "ok")
                    else:
                        self.assert_refused(result)
        self.assert_settled(path)


class Untouched(Case):
    def test_without_recording_an_archive_keeps_its_bytes_and_time(self):
        for journal in JOURNALS:
            with self.subTest(journal):
                path = self.generated(2000, to=journal + "/archive.sqlite", journal=journal) if (self.folder / journal).mkdir() is None else None
                before = trace_of(path.parent)
                for options in ((), ("--history",)):
                    self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst", "--no-record", "--force", *options))
                    self.assert_good(hp_export("bundle", path, "-o", "-", "--no-record", *options))
                for what in ("observations", "types", "exports"):
                    self.assert_good(hp_export("list", path, what))
                self.assertEqual(trace_of(path.parent), before)

    def test_without_recording_rows_in_a_log_are_read_and_kept(self):
        live = self.generated(2000)
        with held(live, "UPDATE sample_types SET display_name = 'in the log' WHERE id = 1"):
            (self.folder / "folder").mkdir()
            path = self.folder / "folder" / "archive.sqlite"
            for suffix in ("", "-wal"):
                shutil.copyfile(str(live) + suffix, str(path) + suffix)
        before = contents(path)
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst", "--no-record"))
        self.assertIn(b'"display_name":"in the log"', lines_of(self.folder / "out.zst")[0])
        self.assertEqual(contents(path), before)

    def test_recording_changes_only_the_records(self):
        for name in ("small", "defects", "two-chains", "utf16", "unsettled", "extra-columns", "page-size-512"):
            with self.subTest(name):
                path = self.fixture(name + ".sqlite", to=name + ".sqlite")
                before = contents(path)
                self.assert_good(hp_export("bundle", path, "-o", self.folder / (name + ".zst"), "--history"))
                after = contents(path)
                changed = [new.split(" ")[0] for old, new in zip(before.splitlines(), after.splitlines()) if old != new]
                self.assertEqual(changed, ["b'export_items'", "b'export_manifests'"])
                self.assert_settled(path, exports=1)
                self.assertEqual(verdict_of(self.folder / (name + ".zst"))["result"], "ok")


class Evidence(Case):
    def test_changed_evidence_is_an_error_that_says_so(self):
        path, out = self.generated(2000), self.folder / "out.zst"
        self.assert_good(hp_export("bundle", path, "-o", out, "--no-record"))
        first = out.read_bytes()
        out.unlink()
        self.assert_good(hp_export("bundle", path, "-o", "-"))
        execute(path, "UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE id = 7")
        before = contents(path)
        for output in (out, "-"):
            result = hp_export("bundle", path, "-o", output)
            self.assertEqual(result.status, 2, result)
            self.assert_one_line(result, "export ", "the evidence changed")
        self.assertEqual(self.names(), [b"archive.sqlite"])
        self.assertEqual(contents(path), before)
        self.assert_good(hp_export("bundle", path, "-o", out, "--no-record"))
        self.assertNotEqual(out.read_bytes(), first)
        # Put back, it is the recorded export again.
        execute(path, "UPDATE sample_versions SET numeric_value = (SELECT numeric_value - 1 FROM sample_versions WHERE id = 7) WHERE id = 7")

    def test_what_is_learned_later_does_not_change_an_old_export(self):
        path, out = self.fixture(), self.folder / "out.zst"
        result = self.assert_good(hp_export("bundle", path, "-o", out, "--at", "2"))
        first = out.read_bytes()
        execute(path,
                "INSERT INTO observations SELECT 1000, device_chain_id, observed_at + 1e6, started_at, ended_at, status, trigger_reason, app_version, os_version, time_zone_identifier, "
                "time_zone_seconds_from_gmt, schema_version, selected_type_set_hash, notes FROM observations WHERE id = 4",
                "UPDATE sample_visibility_ranges SET last_observation_id = 1000, last_seen_at = 2e9 WHERE last_observation_id IS NULL")
        self.assert_good(hp_export("bundle", path, "-o", out, "--at", "2", "--force"))
        self.assertEqual(out.read_bytes(), first, result)
        self.assert_settled(path, exports=1)


class AtOnce(Case):
    COUNT = 4

    def run_all(self, path, outputs, *options):
        processes = [start("hp-export", "bundle", path, "-o", output, *options) for output in outputs]
        results = []
        for process in processes:
            _, errors = process.communicate(timeout=PATIENCE)
            results.append((process.returncode, errors.decode()))
        return results

    def test_exports_to_different_files(self):
        for journal in JOURNALS:
            with self.subTest(journal):
                path = self.generated(5000, journal=journal)
                outputs = [self.folder / ("%s.%d" % (journal, number)) for number in range(self.COUNT)]
                for status, errors in self.run_all(path, outputs):
                    self.assertEqual(status, 0, errors)
                self.assertEqual(len({output.read_bytes() for output in outputs}), 1)
                self.assertEqual(verdict_of(outputs[0])["result"], "ok")
                self.assert_settled(path, exports=1)

    def test_different_exports_to_different_files(self):
        path = self.generated(5000)
        outputs = [self.folder / str(number) for number in range(self.COUNT)]
        processes = [start("hp-export", "bundle", path, "-o", output, "--at", str(number + 8)) for number, output in enumerate(outputs)]
        for process in processes:
            _, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, errors)
        self.assert_settled(path, exports=self.COUNT)
        for output in outputs:
            self.assertEqual(verdict_of(output)["result"], "ok")

    def test_exports_to_the_same_file(self):
        for options in ((), ("--force",)):
            with self.subTest(options):
                path, out = self.generated(5000), self.folder / "out.zst"
                out.unlink(missing_ok=True)
                results = self.run_all(path, [out] * self.COUNT, *options)
                for status, errors in results:
                    self.assertIn(status, (0,) if options else (0, 2), errors)
                    if status == 2:
                        # Whoever had to wait for the archive says so before.
                        self.assertRegex(errors, r"^(hp-export: note: .*locked.*\n)*hp-export: error: \S+out\.zst: .*exists\n")
                self.assertIn(0, [status for status, _ in results])
                self.assertEqual(verdict_of(out)["result"], "ok")
                self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst"])
                self.assert_settled(path, exports=1)

    def test_an_export_beside_a_reader_and_a_finished_writer(self):
        path = self.generated(5000)
        with held(path, "BEGIN", "SELECT count(*) FROM samples"):
            execute(path, "UPDATE sample_types SET display_name = 'new' WHERE id = 1")
            self.assert_good(hp_export("bundle", path, "-o", self.folder / "out.zst", "--wait", "5"))
        self.assertIn(b'"display_name":"new"', lines_of(self.folder / "out.zst")[0])
        self.assert_settled(path, exports=1)

    def test_a_slow_reader_of_standard_output_holds_no_lock(self):
        path = self.generated(20000)
        process = start("hp-export", "bundle", path, "-o", "-", stdout=subprocess.PIPE)
        first = os.read(process.stdout.fileno(), 1)  # the export runs, and the pipe is about to be full
        with database(path) as writer:
            writer.execute("PRAGMA busy_timeout = 0")
            writer.execute("UPDATE archive_metadata SET value = value")
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        (self.folder / "out.zst").write_bytes(first + out)
        self.assertEqual(verdict_of(self.folder / "out.zst")["result"], "ok")
        self.assert_settled(path, exports=1)


class Signals(Case):
    STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

    def until(self, holds, process):
        """Waits for a state of a running process."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail("ended with %s before it was stopped: %s" % (process.returncode, process.stderr.read()))
            time.sleep(0.001)

    def assert_nothing_left(self, path, before):
        self.assertEqual([name for name in self.names() if not name.startswith(b"archive.sqlite")], [])
        self.assert_settled(path, exports=0)
        self.assertEqual(contents(path), before)

    def test_a_signal_undoes_an_export_to_a_file(self):
        for journal in JOURNALS:
            path = self.generated(20_000, journal=journal)
            before = contents(path)
            for number, status in self.STATUS.items():
                for options in ((), ("--no-record",)):
                    with self.subTest(journal=journal, signal=number.name, options=options):
                        process = start("hp-export", "bundle", path, "-o", self.folder / "out.zst", *options)
                        self.until(lambda: any(b"out.zst" in name for name in self.names()), process)
                        process.send_signal(number)
                        _, errors = process.communicate(timeout=PATIENCE)
                        self.assertEqual((process.returncode, errors), (status, b""))
                        self.assert_nothing_left(path, before)

    def test_a_signal_undoes_an_export_to_a_pipe(self):
        path = self.generated(30_000)
        before = contents(path)
        for number, status in self.STATUS.items():
            with self.subTest(number.name):
                process = start("hp-export", "bundle", path, "-o", "-", stdout=subprocess.PIPE)
                process.stdout.read(1)
                process.send_signal(number)
                _, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, errors), (status, b""))
                self.assert_nothing_left(path, before)

    def test_a_signal_ends_the_wait_for_a_lock(self):
        path = self.fixture()
        before = contents(path)
        with held(path, "BEGIN EXCLUSIVE"):
            process = start("hp-export", "bundle", path, "-o", self.folder / "out.zst", "--wait", "60")
            self.until(lambda: has_open(process, path), process)
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(0.3)
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.fail("still waits for the lock after SIGINT")
        self.assertEqual((process.returncode, errors), (130, b""))
        self.assert_nothing_left(path, before)


if __name__ == "__main__":
    unittest.main()
