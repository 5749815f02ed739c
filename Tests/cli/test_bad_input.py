"""Input and places that a tool must refuse: one clear line, exit status 2, no file left, the archive unchanged."""

import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import socket
import stat
import subprocess
import unittest

from support import (
    ENVIRONMENT, FIXTURES, NOBODY, PATIENCE, Case, contents, execute, held, hp_export, hp_verify, lines_of, query,
    Run, run_as_nobody, start, tool, trace_of, verdict_of,
)

IS_ROOT = os.geteuid() == 0


class Refusals(Case):
    """Runs every command on something that is no archive."""

    def bundle(self, archive, *options, **more):
        return hp_export("bundle", archive, "-o", self.folder / "out.zst", *options, **more)

    def assert_all_refuse(self, archive, *words):
        before = trace_of(self.folder)
        self.assert_refused(self.bundle(archive), *words)
        self.assert_refused(self.bundle(archive, "--no-record"), *words)
        self.assert_refused(hp_export("bundle", archive, "-o", "-"), *words)
        self.assert_refused(hp_export("list", archive, "observations"), *words)
        self.assertEqual(trace_of(self.folder), before)


class ArchiveFiles(Refusals):
    def test_fixtures_that_are_no_archive_are_refused(self):
        for name, word in {
            "not-a-database": "not a SQLite database", "empty": "empty", "truncated": "truncated", "schema-version-1": "older", "schema-version-3": "newer",
            "schema-version-missing": "schema_version", "schema-version-contradictory": "schema_migrations", "table-missing": "sample_relationships", "column-missing": "fuzzy_key",
            "table-is-a-view": "view", "virtual-table": "virtual", "trigger": "trigger", "generated-column": "generated",
        }.items():
            with self.subTest(name):
                path = self.fixture(name + ".sqlite", to=name + ".sqlite")
                self.assert_all_refuse(path, path.name, word)

    def test_a_missing_archive_is_not_created(self):
        self.assert_all_refuse(self.folder / "none.sqlite", "none.sqlite: no such file")
        self.assert_all_refuse(self.folder / "none" / "none.sqlite", "none.sqlite: ")

    def test_an_encrypted_archive_is_refused(self):
        path = self.folder / "encrypted.sqlite"
        path.write_bytes(random.Random(1).randbytes(65536))
        self.assert_all_refuse(path, "encrypted.sqlite: not a SQLite database, or an encrypted one")

    def test_every_truncation_is_refused(self):
        data = self.fixture("page-size-512.sqlite").read_bytes()
        path = self.folder / "cut.sqlite"
        for size in (1, 15, 16, 99, 100, 511, 512, 5000, len(data) - 512, len(data) - 1):
            with self.subTest(size):
                path.write_bytes(data[:size])
                self.assert_all_refuse(path, "cut.sqlite: ")

    def test_trailing_bytes_are_refused(self):
        path = self.fixture()
        path.write_bytes(path.read_bytes() + bytes(1024))
        self.assert_all_refuse(path, "archive.sqlite: ", "trailing")

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_what_lies_beside_and_may_not_be_read(self):
        path = self.fixture()
        path.chmod(0o644)
        for suffix in ("-wal", "-journal"):
            beside = pathlib.Path(str(path) + suffix)
            beside.write_bytes(b"not for everybody" * 300)
            beside.chmod(0)
            for name, command in (("hp-export", ("records", path, "--no-record")), ("hp-verify", ("archive", path))):
                with self.subTest(suffix=suffix, name=name):
                    result = run_as_nobody(name, self.folder, *command)
                    self.assert_refused(result, "archive.sqlite%s: cannot open: permission denied" % suffix, name=name)
            beside.unlink()

    def test_an_archive_with_the_last_id_of_an_export(self):
        path = self.fixture()
        self.assert_good(self.bundle(path, "--type", "HKWorkoutTypeIdentifier"))
        for table, column in (("export_items", "export_manifest_id"), ("export_manifests", "id")):
            execute(path, "UPDATE %s SET %s = %d" % (table, column, 2 ** 63 - 1))
        before = contents(path)
        result = hp_export("records", path, "-o", self.folder / "out.csv")
        self.assert_refused(result, "archive.sqlite: export_manifests has no id left")
        self.assertEqual(contents(path), before)
        self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst"])

    def test_a_damaged_page_is_refused_or_reported(self):
        good = self.fixture().read_bytes()
        chance = random.Random(7)
        for attempt in range(40):
            with self.subTest(attempt):
                data = bytearray(good)
                page = chance.randrange(1, len(data) // 1024)
                data[page * 1024:(page + 1) * 1024] = chance.choice([bytes(1024), chance.randbytes(1024)])
                path = self.folder / "archive.sqlite"
                path.write_bytes(data)
                result = self.bundle(path, "--no-record", "--force")
                self.assertIn(result.status, (0, 2), result)
                if result.status == 2:
                    self.assert_one_line(result, "archive.sqlite")

    def test_what_is_no_regular_file_is_refused(self):
        fifo, plug, listener = self.folder / "fifo", self.folder / "socket", socket.socket(socket.AF_UNIX)
        os.mkfifo(fifo)
        listener.bind(str(plug))
        self.addCleanup(listener.close)
        for path, word in ((fifo, "FIFO"), (plug, "socket"), (self.folder, "folder"), ("/dev/null", "device"), ("/dev/zero", "device")):
            with self.subTest(word):
                self.assert_all_refuse(path, word)

    def test_a_loop_of_links_is_refused(self):
        path = self.folder / "loop.sqlite"
        path.symlink_to("loop.sqlite")
        self.assert_all_refuse(path, "loop.sqlite: ")

    def test_every_missing_table_and_column_is_named(self):
        good = self.fixture()
        tables = [name for name, in query(good, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        for table in tables:
            columns = [row[1] for row in query(good, "PRAGMA table_info(%s)" % table)]
            for column, change in [(None, "ALTER TABLE %s RENAME TO moved" % table)] + [(name, 'ALTER TABLE %s RENAME COLUMN "%s" TO moved' % (table, name)) for name in columns]:
                with self.subTest(table=table, column=column):
                    path = self.fixture(to="changed.sqlite")
                    execute(path, change)
                    self.assert_refused(self.bundle(path), "changed.sqlite: ", "%s.%s" % (table, column) if column else table, "missing")

    def test_an_unrelated_database_is_refused(self):
        path = self.folder / "other.sqlite"
        execute(path, "CREATE TABLE notes(text)")
        self.assert_all_refuse(path, "other.sqlite: ", "not a HealthProbe archive")


class Locks(Refusals):
    def test_a_locked_archive_is_waited_for_and_then_reported(self):
        path = self.fixture()
        with held(path, "BEGIN EXCLUSIVE"):
            self.assert_refused(self.bundle(path, "--wait", "1"), "archive.sqlite: locked by another process")
            self.assert_refused(hp_export("list", path, "exports", "--wait", "0"), "archive.sqlite: locked by another process")
        self.assertEqual(self.names(), [b"archive.sqlite"])
        self.assert_settled(path, exports=0)

    def test_a_writer_of_a_write_ahead_log_blocks_only_recording(self):
        path = self.generated(100)
        with held(path, "BEGIN IMMEDIATE"):
            self.assert_refused(self.bundle(path, "--wait", "0"), "archive.sqlite: locked by another process")
            self.assert_good(self.bundle(path, "--wait", "0", "--no-record"))
        self.assert_settled(path, exports=0)

    def test_a_lock_that_goes_away_in_time_is_no_error(self):
        path = self.fixture()
        with held(path, "BEGIN EXCLUSIVE"):
            process = start("hp-export", "bundle", path, "-o", self.folder / "out.zst", "--wait", "60")
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(0.5)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_settled(path, exports=1)


class Scopes(Refusals):
    def test_an_unknown_observation_is_refused_with_a_hint(self):
        path = self.fixture()
        for choice in ("99", "0", "-1", "9223372036854775807", "1900-01-01"):
            with self.subTest(choice):
                result = self.bundle(path, "--at=" + choice)
                self.assert_refused(result, "archive.sqlite: the archive has no ", "observation")
                self.assertIn("hp-export: hint: ", result.err)
        self.assertEqual(self.names(), [b"archive.sqlite"])

    def test_no_finished_observation_is_refused(self):
        path = self.fixture()
        execute(path, "UPDATE observations SET status = 'running'")
        self.assert_refused(self.bundle(path), "finished observation")
        execute(path, "UPDATE observations SET status = 'completed' WHERE id = 1")
        self.assert_refused(self.bundle(path, "--at", "previous"), "finished observation before the latest")

    def test_an_empty_scope_is_a_valid_bundle_with_a_note(self):
        path = self.fixture()
        result = self.assert_good(self.bundle(path, "--source", "com.example.none"))
        self.assertIn("hp-export: note: the scope selects no items\n", result.err)
        self.assertEqual(len(lines_of(self.folder / "out.zst")), 2)
        self.assertEqual(verdict_of(self.folder / "out.zst")["result"], "ok")
        self.assert_settled(path, exports=1)

    def test_an_archive_without_samples_is_a_valid_bundle(self):
        path = self.fixture()
        execute(path, *("DELETE FROM " + name for name in ("sample_relationships", "sample_visibility_ranges", "sample_observation_events", "sample_versions", "samples")))
        self.assert_good(self.bundle(path))
        self.assertEqual(verdict_of(self.folder / "out.zst")["result"], "ok")

    def test_a_type_that_the_archive_lacks_is_never_queried_and_noted(self):
        lacking = "HKQuantityTypeIdentifierDietaryWater"
        for name in (lacking, "DietaryWater", "dietary water"):
            result = self.assert_good(self.bundle(self.fixture(), "--type", name, "--force"))
            self.assertIn("hp-export: note: sample type %s is not in the archive: never queried\n" % lacking, result.err)
            self.assertEqual(json.loads(lines_of(self.folder / "out.zst")[0])["export"]["coverage"], [{"sample_type": lacking, "status": "never_queried"}])

    def test_long_names_of_types_are_compared_as_a_whole(self):
        archive = self.fixture()
        execute(archive, "UPDATE sample_types SET type_identifier = '%sA' WHERE id = 1" % ("X" * 210))
        result = hp_export("records", archive, "--type", "X" * 210 + "B")
        self.assert_refused(result, "there is no such sample type")
        self.assertIn("hp-export: hint: did you mean XXX", result.err)

    def test_a_type_that_nothing_knows_is_refused_with_the_nearest(self):
        path = self.fixture()
        result = self.bundle(path, "--type", "qwertz")
        self.assert_refused(result, "--type qwertz: there is no such sample type")
        self.assertEqual(result.err.splitlines()[1], "hp-export: hint: hp-export list ARCHIVE types lists the types of an archive")
        self.assertEqual(self.bundle(path, "--type", "Steps").err.splitlines()[1], "hp-export: hint: types that begin like it: StepCount")
        for name, nearest in (
                ("HeartRte", "HeartRate"), ("StepsCount", "StepCount"), ("HKQuantityTypeIdentifierHeartrate2", "HKQuantityTypeIdentifierHeartRate"),
                ("sleep analysys", "Sleep analysis"), ("com.example.beatz", "com.example.beats"), ("hart rate", "Heart rate"), ("\x1bHeartRat", "HeartRate"), ("menstrual", "MenstrualFlow")):
            if name.startswith("com"):
                execute(path, "INSERT INTO sample_types VALUES (999, 'com.example.beats', NULL, NULL)")
            with self.subTest(name):
                result = self.bundle(path, "--type", name)
                self.assert_refused(result, "there is no such sample type")
                self.assertIn("\nhp-export: hint: did you mean %s? usage: hp-export bundle ARCHIVE -o FILE [OPTIONS]\n" % nearest, result.err)
                self.assertNotIn("\x1b", result.err)
        self.assertEqual(self.names(), [b"archive.sqlite"])
        execute(path, "INSERT INTO sample_types VALUES (998, 'HKCategoryTypeIdentifierHeartRate', NULL, NULL)")
        self.assert_refused(self.bundle(path, "--type", "heartrate"), "names several sample types: HKCategoryTypeIdentifierHeartRate, HKQuantityTypeIdentifierHeartRate")

    def test_wrong_options_are_refused(self):
        path = self.fixture()
        out = self.folder / "out.zst"
        for arguments, word in (
            ([], "command"), (["export"], "unknown command"), (["bundle"], "name one archive"), (["bundle", path], "-o FILE is missing"), (["bundle", path, "-o"], "-o needs a value"),
            (["bundle", path, path, "-o", out], "name one archive"), (["bundle", path, "-o", out, "-o", out], "more than once"), (["bundle", path, "-o", out, "--frob"], "--frob"),
            (["bundle", path, "-o", out, "--at", "soon"], "--at"), (["bundle", path, "-o", out, "--at", ""], "--at"), (["bundle", path, "-o", out, "--at", "1", "--at", "2"], "more than once"),
            (["bundle", path, "-o", out, "--since", "yesterday"], "--since"), (["bundle", path, "-o", out, "--until", "2024-13-01"], "--until"),
            (["bundle", path, "-o", out, "--until", "2024-02-30"], "--until"), (["bundle", path, "-o", out, "--since", "2024-01-01T10:00:00"], "--since"),
            (["bundle", path, "-o", out, "--overlapping"], "--overlapping needs"),
            (["bundle", path, "-o", out, "--level", "0"], "--level"), (["bundle", path, "-o", out, "--level", "20"], "--level"), (["bundle", path, "-o", out, "--level", "x"], "--level"),
            (["bundle", path, "-o", out, "--wait", "-1"], "--wait"), (["bundle", path, "-o", out, "--wait", "99999999999999999999"], "--wait"), (["bundle", path, "-o", out, "--force=yes"], "--force"),
            (["bundle", path, "-o", out, "--type", b"\xff"], "--type"), (["bundle", path, "-o", out, "--max-line", "10"], "--max-line"),
            (["list"], "name an archive"), (["list", path], "name an archive"), (["list", path, "everything"], "everything"), (["list", path, "types", "--force"], "--force"),
            (["capture"], "name an archive and what is captured"), (["capture", path, path, "--feed", out], "one feed, or any number of exports"),
            (["capture", path], "name a source"),
            (["capture", path, "--apple-health", out, "--feed", out], "one feed, or any number of exports"),
            (["capture", path, "--feed", out, "--private-metadata", ""], "--private-metadata: an empty pattern"),
            (["seal"], "name one archive"), (["seal", path, path], "name one archive"),
            (["diff", path, "--summary", "-o", out], "-o needs --format"),
            (["cache", path], "name an archive, and one of"),
            (["label", path, b"\xff", "a name"], "a hash is hexadecimal digits"),
        ):
            with self.subTest(arguments=[os.fspath(word) for word in arguments]):
                self.assert_refused(hp_export(*arguments), word)
        self.assertEqual(self.names(), [b"archive.sqlite"])
        self.assert_settled(path, exports=0)

    def test_help_and_version_are_results(self):
        for arguments in (["--help"], ["-h"], ["help"], ["bundle", "--help"], ["list", "--help"], ["--version"]):
            with self.subTest(arguments):
                result = self.assert_good(hp_export(*arguments))
                self.assertTrue(result.out.endswith(b"\n") and not result.err, result)
        for name in ("bundle", "list"):
            text = hp_export(name, "--help").out.decode()
            for word in ("usage: hp-export " + name, "example: ", "exit status: "):
                self.assertIn(word, text)

    def test_a_line_over_the_limit_is_refused_with_its_row(self):
        path = self.fixture()
        execute(path, "UPDATE samples SET fuzzy_key = '%s' WHERE id = (SELECT sample_id FROM sample_visibility_ranges WHERE last_observation_id IS NULL)" % ("x" * 20000))
        before = contents(path)
        self.assert_refused(self.bundle(path, "--max-line", "8192"), "samples row ", "8192")
        self.assertEqual(self.names(), [b"archive.sqlite"])
        self.assertEqual(contents(path), before)


class Outputs(Refusals):
    def test_an_existing_output_is_kept_without_force(self):
        path, out = self.fixture(), self.folder / "out.zst"
        out.write_bytes(b"mine")
        result = self.bundle(path)
        self.assert_refused(result, "out.zst: the file exists")
        self.assertIn("--force", result.err)
        self.assertEqual(out.read_bytes(), b"mine")
        self.assert_settled(path, exports=0)
        self.assert_good(self.bundle(path, "--force"))
        self.assertEqual(verdict_of(out)["result"], "ok")
        self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst"])

    def test_a_failed_run_with_force_keeps_the_old_file(self):
        path, out = self.fixture(), self.folder / "out.zst"
        out.write_bytes(b"mine")
        self.assert_refused(self.bundle(path, "--force", "--max-line", "1024"), "samples row ")
        self.assertEqual(out.read_bytes(), b"mine")

    def test_links_as_output_are_not_followed_without_a_word(self):
        path, out = self.fixture(), self.folder / "out.zst"
        out.symlink_to("nowhere")
        self.assert_refused(self.bundle(path), "out.zst: the file exists")
        self.assertEqual(self.names(), [b"archive.sqlite", b"out.zst"])

    def test_a_folder_as_output_is_refused(self):
        path = self.fixture()
        (self.folder / "out.zst").mkdir()
        for name in ("out.zst", "out.zst/", ".", "out.zst/.."):
            for options in ((), ("--force",)):
                with self.subTest(name, options=options):
                    self.assert_refused(hp_export("bundle", path, "-o", "%s/%s" % (self.folder, name), *options), "folder")
        self.assert_settled(path, exports=0)

    def test_a_folder_as_output_is_said_to_be_one(self):
        """Whoever names a folder is told that, and not which kind of file it should have been."""
        path, place = self.fixture(), self.folder / "place"
        place.mkdir()
        for command in (("bundle", path, "-o", place), ("records", path, "-o", place), ("manifest", path, "-o", place, "--force")):
            with self.subTest(command[0]):
                result = hp_export(*command)
                self.assertEqual((result.status, result.err), (2, "hp-export: error: %s: is a folder\n" % place))

    def test_what_is_no_file_is_never_replaced(self):
        path, out, link = self.fixture(), self.folder / "out.zst", self.folder / "link.zst"
        self.assert_good(hp_export("bundle", path, "-o", self.folder / "good.zst"))
        os.mkfifo(out)
        link.symlink_to("out.zst")
        if os.geteuid() == 0:
            os.mknod(self.folder / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        special = [(out, "a FIFO"), (link, "a FIFO")] + [(self.folder / "null", "a device")] * (os.geteuid() == 0)
        for place, kind in special:
            before = os.lstat(place)
            for options in ((), ("--force",)):
                for name, *command in (
                        ("hp-export", "bundle", path, "-o", place), ("hp-export", "records", path, "-o", place),
                        ("hp-export", "report", path, "-o", place),
                        ("hp-verify", "salvage", self.folder / "good.zst", "-o", place),
                        ("hp-verify", "bundle", self.folder / "good.zst", "--junit", place)):
                    with self.subTest(kind, place=place.name, command=command[0], options=options):
                        result = (hp_export if name == "hp-export" else hp_verify)(*command, *options)
                        self.assert_refused(result, place.name + ": " + kind + ", not a regular file", name=name)
                        after = os.lstat(place)
                        self.assertEqual((after.st_ino, after.st_mode), (before.st_ino, before.st_mode))

    def test_a_missing_folder_is_refused(self):
        path = self.fixture()
        self.assert_refused(hp_export("bundle", path, "-o", self.folder / "none" / "out.zst"), "out.zst: ", "folder")
        self.assert_refused(hp_export("bundle", path, "-o", path / "out.zst"), "archive.sqlite")
        self.assert_refused(hp_export("bundle", path, "-o", ""), "")
        self.assertEqual(self.names(), [b"archive.sqlite"])
        self.assert_settled(path, exports=0)

    def test_the_archive_and_its_companions_are_no_output(self):
        path = self.generated(100)
        (self.folder / "folder").symlink_to(".")
        (self.folder / "soft").symlink_to("archive.sqlite")
        os.link(path, self.folder / "hard")
        with held(path, "UPDATE archive_metadata SET value = value"):  # keeps the companions there
            before = trace_of(self.folder)
            for name in ("archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm", "archive.sqlite-journal", "soft", "hard", "folder/archive.sqlite", "folder/archive.sqlite-wal"):
                for options in ((), ("--force",), ("--force", "--no-record")):
                    with self.subTest(name, options=options):
                        self.assert_refused(hp_export("bundle", path, "-o", self.folder / name, *options), name.split("/")[-1] + ": the output is the archive")
            after = trace_of(self.folder)
            del before[b"archive.sqlite-shm"], after[b"archive.sqlite-shm"]  # locks are noted there
            self.assertEqual(after, before)

    def test_the_archive_through_a_link_is_no_output(self):
        path = self.fixture()
        (self.folder / "link.sqlite").symlink_to("archive.sqlite")
        for name in ("archive.sqlite", "archive.sqlite-wal", "archive.sqlite-journal", "link.sqlite", "link.sqlite-wal"):
            with self.subTest(name):
                self.assert_refused(hp_export("bundle", self.folder / "link.sqlite", "-o", self.folder / name, "--force"), "the output is the archive")
        self.assertEqual(self.names(), [b"archive.sqlite", b"link.sqlite"])
        self.assert_settled(path, exports=0)

    @unittest.skipUnless(IS_ROOT, "only root can become somebody else")
    def test_an_unwritable_folder_is_refused(self):
        closed, open_ = self.folder / "closed", self.folder / "open"
        for folder in (closed, open_):
            folder.mkdir()
        path = open_ / "archive.sqlite"
        self.fixture(to="open/archive.sqlite")
        os.chown(open_, NOBODY, NOBODY)
        os.chown(path, NOBODY, NOBODY)

        def bundle(archive, output, *options):
            return run_as_nobody("hp-export", self.folder, "bundle", archive, "-o", output, *options)

        self.assert_refused(bundle(path, closed / "out.zst"), "closed", "permission denied")
        self.assert_settled(path, exports=0)
        shutil.copyfile(path, closed / "archive.sqlite")
        (closed / "archive.sqlite").chmod(0o644)
        before = trace_of(closed)
        self.assert_refused(bundle(closed / "archive.sqlite", open_ / "out.zst"), "archive.sqlite: ")
        self.assertFalse((open_ / "out.zst").exists())
        self.assert_good(bundle(closed / "archive.sqlite", open_ / "out.zst", "--no-record"))
        self.assertEqual(trace_of(closed), before)
        self.assertEqual(verdict_of(open_ / "out.zst")["result"], "ok")
        # A log beside an archive that nobody may write: a private copy is read.
        with held(path, "PRAGMA journal_mode = WAL", "UPDATE sample_types SET display_name = 'in the log' WHERE id = 1"):
            for suffix in ("", "-wal"):
                shutil.copyfile(str(path) + suffix, closed / ("archive.sqlite" + suffix))
        (closed / "archive.sqlite-wal").chmod(0o644)
        before = trace_of(closed)
        self.assert_good(bundle(closed / "archive.sqlite", open_ / "log.zst", "--no-record"))
        self.assertIn(b'"display_name":"in the log"', lines_of(open_ / "log.zst")[0])
        self.assertEqual(trace_of(closed), before)

    def test_a_full_device_is_reported(self):
        path = self.fixture()
        with open("/dev/full", "wb") as full:
            self.assert_refused(hp_export("bundle", path, "-o", "-", stdout=full), "standard output: ", "no space left")
            self.assert_refused(hp_export("list", path, "types", stdout=full), "standard output: ", "no space left")
            self.assert_refused(hp_export("--help", stdout=full), "standard output: ", "no space left")
            self.assert_refused(hp_export("bundle", path, "-o", self.folder / "out.zst", "--no-record", "--json", stdout=full), "standard output: ", "no space left")
        self.assert_settled(path, exports=0)

    def test_a_closed_output_is_reported(self):
        path = self.fixture()
        for arguments in (["bundle", str(path), "-o", "-"], ["list", str(path), "types"]):
            with self.subTest(arguments[0]):
                process = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", tool("hp-export"), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE)
                self.assert_refused(Run(process), "standard output: ")
        self.assert_settled(path, exports=0)

    def test_a_reader_that_has_enough_is_no_error(self):
        path = self.generated(2000)
        script = '"$@" | head -c 10 >/dev/null; exit "${PIPESTATUS[0]}"'
        for arguments in (["bundle", str(path), "-o", "-"], ["bundle", str(path), "-o", "-", "--no-record"]):
            process = subprocess.run(["bash", "-c", script, "bash", tool("hp-export"), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
        self.assert_settled(path, exports=0)
        # A pipe without a reader at all.
        read, write = os.pipe()
        os.close(read)
        for arguments in (["bundle", path, "-o", "-"], ["list", path, "types"], ["--help"]):
            result = hp_export(*arguments, stdout=write)
            self.assertEqual((result.status, result.err), (0, ""))
        os.close(write)
        self.assert_settled(path, exports=0)

    def test_a_terminal_is_no_place_for_a_bundle(self):
        primary, secondary = os.openpty()
        try:
            self.assert_refused(hp_export("bundle", self.fixture(), "-o", "-", stdout=secondary), "terminal")
        finally:
            os.close(primary)
            os.close(secondary)

    def test_a_file_size_limit_is_reported(self):
        path = self.generated(2000, journal="delete")
        before = contents(path)
        for limit in (0, 1, 4096, 100_000):
            with self.subTest(limit):
                set_limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: E731
                self.assert_refused(self.bundle(path, "--no-record", preexec_fn=set_limit), str(self.folder))
                self.assert_refused(self.bundle(path, preexec_fn=set_limit), str(self.folder))
                self.assertFalse([name for name in self.names() if b"out.zst" in name])
        self.assertEqual(contents(path), before)

    def test_a_full_disk_is_reported(self):
        """On a file system of its own that is too small: first for the output, then for the archive's growth."""
        mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"', "sh"]
        small = self.folder / "small"
        small.mkdir()
        if shutil.which("unshare") is None or subprocess.run([*mount, "64k", str(small), "true"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no file system can be mounted here")
        path = self.generated(2000)
        before = contents(path)
        for options in ((), ("--no-record",)):
            with self.subTest(options):
                # The listing shows what the run left on the small file system, before that goes away.
                script = '"$@"; status=$?; ls -A "$SMALL" >&2; exit $status'
                process = subprocess.run([*mount, "64k", str(small), "bash", "-c", script, "bash", tool("hp-export"), "bundle", str(path), "-o", str(small / "out.zst"), *options],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, "SMALL": str(small)}, timeout=PATIENCE)
                self.assert_refused(Run(process), "no space left")
        self.assertEqual(contents(path), before)
        self.assert_settled(path, exports=0)
        # The archive's own disk is full: the record cannot be written, so there is no bundle either.
        size = os.path.getsize(path)
        script = 'cp "$1" "$2/a.sqlite" && shift && cd "$1" && shift && "$@"; status=$?; sqlite3 a.sqlite "SELECT count(*) FROM export_manifests" >&3; exit $status'
        read, write = os.pipe()
        process = subprocess.run([*mount, str(size + 65536), str(small), "bash", "-c", script.replace(">&3", ">&%d" % write), "bash", str(path), str(small),
                                  tool("hp-export"), "bundle", "a.sqlite", "-o", str(self.folder / "out.zst")],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as answer:
            self.assertEqual(answer.read(), "0\n")
        self.assert_refused(Run(process), "a.sqlite: ")
        self.assertEqual(sorted(self.names()), [b"archive.sqlite", b"small"])


class Names(Case):
    ODD = [b"two words", b"what?", b"a#b", b"%41", b"%", b"line\nend", b"-dash", b"\xff\xfe", "größe".encode(), b"a&mode=memory", b"file:x", b"tab\t", b"\x1b[31m", b"n" * 200]

    def test_odd_names_are_names_like_others(self):
        for number, name in enumerate(self.ODD):
            with self.subTest(name):
                folder = os.fsencode(self.folder / str(number))
                os.mkdir(folder)
                shutil.copyfile(FIXTURES / "archives" / "small.sqlite", os.path.join(folder, name))
                result = self.assert_good(hp_export("bundle", "-o", name + b".out", "--", name, cwd=folder))
                self.assertEqual(result.err.count("\n"), 1, result)
                self.assertNotIn("\x1b", result.err)
                self.assertEqual(self.names(os.fsdecode(folder)), sorted([name, name + b".out"]))
                self.assertEqual(verdict_of(os.path.join(folder, name + b".out"))["result"], "ok")
                self.assert_good(hp_export("list", "--", name, "exports", cwd=folder))

    def test_odd_names_cannot_forge_a_line(self):
        for name in self.ODD:
            with self.subTest(name):
                result = hp_export("list", "--", name, "types", cwd=self.folder)
                self.assert_refused(result, "no such file")
        self.assertEqual(self.names(), [])

    def test_a_name_that_is_too_long_is_refused(self):
        path = self.fixture()
        self.assert_refused(hp_export("bundle", path, "-o", self.folder / ("n" * 300)), "file name too long")
        self.assert_refused(hp_export("bundle", path, "-o", self.folder / ("n" * 5000)), "file name too long")
        self.assert_settled(path, exports=0)

    def test_the_longest_name_is_fine(self):
        path, name = self.fixture(), "n" * 255
        self.assert_good(hp_export("bundle", path, "-o", self.folder / name))
        self.assertEqual(verdict_of(self.folder / name)["result"], "ok")

    def test_a_table_whose_sidecar_would_have_too_long_a_name(self):
        table = self.folder / ("n" * 251 + ".csv")
        self.assert_good(hp_export("records", self.fixture(), "-o", self.folder / "short.csv", "--no-record"))
        (self.folder / "short.csv").rename(table)
        result = hp_verify("bundle", table, "--json")
        self.assertEqual(result.status, 1, result)
        codes = [finding["code"] for finding in json.loads(result.out)["files"][0]["findings"]]
        self.assertEqual(codes, ["container.sidecar_missing"])


if __name__ == "__main__":
    unittest.main()
