"""The history of an archive (Spec/history.md): its entries are those that the reference computes, what is rewritten is found, and a head tells what came of an archive."""

import contextlib
import hashlib
import hmac
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import unittest

import histories
from capture_support import STEPS, CaptureCase, feed, observation, sample, type_run
from support import (
    FIXTURES, contents, database, execute, hp_export, hp_verify, make_archive, query, takes_long, trace_of,
)

import schemas  # noqa: E402
from forger import rechain, write as write_entries  # noqa: E402
from verifier.canonical import canonical  # noqa: E402
from verifier.history import COLUMNS, LEFT_OUT, RANGES, TABLES, History, head_of, identity_of, plain_hash  # noqa: E402

MONTHS = [FIXTURES / "apple-health" / name for name in ("month-0.xml", "month-1.xml")]


def parsed(path):
    return [json.loads(text) for text, in query(path, "SELECT entry_json FROM history_links ORDER BY sequence")]


class HistoryCase(CaptureCase):
    def months(self, *months):
        for month in months or MONTHS:
            self.assert_good(self.hp_capture("--apple-health", month, "--quiet"))
        return self.archive

    def capture(self, *observations, name="feed.jsonl"):
        result = self.hp_capture("--feed", self.written(feed(*observations), name), "--quiet")
        self.assertIn(result.status, (0, 1), result)

    def check(self, path=None, *options):
        """What the check says, and the codes of its findings; both agree with the reference."""
        result = hp_verify("archive", path or self.archive, "--only", "history", "--json", *options)
        self.assertIn(result.status, (0, 1), result)
        value = json.loads(result.out)
        return next(check for check in value["checks"] if check["name"] == "history"), {finding["code"].partition(".")[2] for finding in value["findings"]}

    def faults(self, path=None):
        with contextlib.closing(sqlite3.connect(path or self.archive)) as connection:
            return History(connection).findings

    def assert_whole(self, path=None):
        self.assertEqual(self.faults(path), [])
        check, codes = self.check(path)
        self.assertEqual((check["status"], codes), ("ok", set()), check)
        return check

    def head(self, path=None, name="head.txt"):
        value = json.loads(self.assert_good(hp_export("list", path or self.archive, "observations", "--json")).out)["head"]
        text = "archive %(archive)s\nlength %(length)d\nlink %(link)s\n" % value
        file = self.folder / name
        file.write_text(text)
        return file

    def copy(self, name):
        path = self.folder / name
        with database(self.archive) as connection:
            connection.execute("VACUUM INTO ?", (str(path),))
        return path


class Entries(HistoryCase):
    def test_each_observation_has_the_entry_that_the_reference_computes(self):
        self.months()
        entries = parsed(self.archive)
        self.assertEqual([(entry["sequence"], entry["kind"], entry["observation"]["id"]) for entry in entries], [(1, "observation", 1), (2, "observation", 2)])
        check = self.assert_whole()
        self.assertEqual(check["notes"], ["without --head, a removed end or a complete rewrite cannot be detected"])

    def test_the_head_is_shown(self):
        result = self.assert_good(self.hp_capture("--apple-health", MONTHS[0], "--json"))
        head = json.loads(result.out)["head"]
        self.assertEqual((head["length"], head["link"]), (1, query(self.archive, "SELECT link FROM history_links")[0][0]))
        self.assertIn("link %s\n" % head["link"], result.err)
        listed = self.assert_good(hp_export("list", self.archive, "observations")).out.decode()
        self.assertTrue(listed.endswith("\narchive %(archive)s\nlength 1\nlink %(link)s\n" % head), listed)

    @takes_long
    def test_random_histories_with_interruptions_and_withdrawals(self):
        for number in range(40, 46):
            chance = random.Random(number)
            self.renew()
            with self.subTest(history=number):
                for feed_bytes in histories.History(chance, chance.randint(2, 5)).feeds():
                    # A feed that is cut leaves an observation that is gone on with.
                    if chance.random() < 0.5:
                        lines = feed_bytes.splitlines(keepends=True)
                        self.hp_capture("--feed", self.written(b"".join(lines[:chance.randint(min(2, len(lines)), len(lines))])), "--quiet")
                    result = self.hp_capture("--feed", self.written(feed_bytes), "--quiet")
                    self.assertIn(result.status, (2,) if feed_bytes.endswith(histories.History.BROKEN) else (0, 1), result)
                    self.assert_whole_if_sealed()
                    if chance.random() < 0.4:
                        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
                        self.assert_whole_if_sealed()

    def assert_whole_if_sealed(self):
        """The history of an archive begins with the first observation that ends."""
        if query(self.archive, "SELECT count(*) FROM history_links")[0][0]:
            self.assert_whole()

    def test_two_sources_in_turns(self):
        self.months(MONTHS[0])
        self.capture(observation(3, type_run([sample(1)])))
        self.months(MONTHS[1])
        self.assert_whole()
        for left in (2, 1, 0):
            self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
            self.assert_whole()
        self.assertEqual([entry["kind"] for entry in parsed(self.archive)], ["observation"] * 3 + ["withdrawn"] * 3)
        self.months(MONTHS[0])
        self.assertIn("observation 3 withdrawn at", " ".join(self.assert_whole()["notes"]))

    def test_an_observation_that_another_one_ended_keeps_its_entry(self):
        """The second observation ends the first, which was cut off. Without it the first is still over."""
        first, second = (observation(day, type_run([sample(day)])) for day in (1, 2))
        # Behind its page is a line that stops the capture.
        self.hp_capture("--feed", self.written(feed([*first[:-2], b"{}"])), "--quiet")
        self.capture(second)
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        told = lambda: [(entry["kind"], entry["observation"]["id"]) for entry in parsed(self.archive)]
        self.assertEqual(told(), [("observation", 1), ("observation", 2), ("withdrawn", 2)])
        self.assert_whole()

    def test_the_salt_comes_from_the_secret_and_reveals_nothing(self):
        self.months(MONTHS[0])
        key = bytes.fromhex(re.search("secret ([0-9a-f]{64})", self.secret.read_text())[1])
        salt = hmac.new(key, b"hp:v2:history_salt:", hashlib.sha256).hexdigest()
        self.assertEqual(query(self.archive, "SELECT value FROM archive_metadata WHERE key = 'history_salt'"), [(salt,)])
        # The commitment to one row whose content is known is not the hash that somebody without the salt computes.
        entry, = parsed(self.archive)
        self.assertEqual(entry["archive"], identity_of(salt, entry["made_at"]))
        (created,), = query(self.archive, "SELECT count(*) FROM sources")
        self.assertEqual(entry["rows"]["sources"]["count"], created)
        self.assertNotIn(salt, json.dumps(entry))


class Rewriting(HistoryCase):
    def columns(self):
        """Each column that an entry covers."""
        ranges = ("sample_visibility_ranges", "observation_type_summaries", "daily_type_aggregates", "export_manifests", "export_items")
        for table, columns in COLUMNS.items():
            if table not in (*ranges, "archive_metadata", "schema_migrations", "withdrawn_observations", "history_links"):
                for column in columns:
                    yield table, column

    def test_each_rewritten_column_is_found(self):
        # Both kinds of sources, rejected records, documents, relationships and a withdrawn closure.
        self.months()
        for feed_bytes in histories.History(random.Random(7), 4).feeds():
            self.hp_capture("--feed", self.written(feed_bytes), "--quiet")
        self.assert_whole()
        looked, empty = set(), set()
        for table, column in sorted(set(self.columns())):
            if not query(self.archive, "SELECT count(*) FROM %s" % table)[0][0]:
                empty.add(table)
                continue
            with self.subTest(table=table, column=column):
                path = self.copy("changed.sqlite")
                with database(path) as connection:
                    connection.execute("PRAGMA foreign_keys = OFF")
                    newest = connection.execute("SELECT min(rowid) FROM %s" % table).fetchone()[0]
                    changed = "CASE typeof({0}) WHEN 'integer' THEN {0} + 70000 WHEN 'real' THEN {0} + 1 WHEN 'null' THEN 1 ELSE {0} || 'x' END".format(column)
                    connection.execute("UPDATE %s SET %s = %s WHERE rowid = ?" % (table, column, changed), (newest,))
                _, codes = self.check(path)
                self.assertTrue(codes & {"rows", "observation", "observation_missing"}, codes)
                self.assertEqual({code.partition(".")[2] for code, _ in self.faults(path)}, codes)
                path.unlink()
                looked.add(table)
        self.assertGreaterEqual(len(looked), 16, empty)

    def test_rows_that_are_gone_or_new(self):
        self.months()
        for statement in ("DELETE FROM sample_observation_events WHERE id = 3", "DELETE FROM context_log", "UPDATE samples SET sample_uuid_hash = NULL, fuzzy_key = NULL",
                          "INSERT INTO sources VALUES (-5, NULL, 'com.example.x')", "INSERT INTO samples SELECT 90000, sample_type_id, NULL, 'x', NULL, NULL, 1, 0 FROM samples LIMIT 1"):
            with self.subTest(statement):
                path = self.copy("changed.sqlite")
                execute(path, "PRAGMA foreign_keys = OFF", statement)
                self.assertEqual(self.check(path)[1], {"rows"})
                path.unlink()

    FAULTS = {
        "entry": "UPDATE history_links SET observation_id = 7 WHERE sequence = 2",
        "link": "UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("a" * 64),
        "observation": "UPDATE observations SET notes = 'x' WHERE id = 1",
        "rows": "UPDATE sources SET bundle_identifier = 'x' WHERE id = 1",
        "identity": "UPDATE archive_metadata SET value = '%s' WHERE key = 'history_salt'" % ("a" * 64),
        "no_entry": "INSERT INTO observations SELECT 0, device_chain_id, observed_at, started_at, ended_at, status, trigger_reason, NULL, NULL, NULL, NULL, 2, NULL, NULL FROM observations WHERE id = 1",
    }

    def test_faults_of_entries(self):
        self.months()
        for code, statement in self.FAULTS.items():
            with self.subTest(code):
                path = self.copy("changed.sqlite")
                execute(path, statement)
                self.assertIn(code, self.check(path)[1])
                path.unlink()
        path = self.copy("gap.sqlite")
        execute(path, "DELETE FROM history_links WHERE sequence = 1")
        self.assertEqual(self.check(path)[1], {"previous", "identity", "no_entry"})
        path = self.copy("base.sqlite")
        self.assert_good(hp_export("undo", path, "--no-backup", "--quiet"))
        execute(path, "UPDATE history_links SET entry_json = '{}' WHERE sequence = 1")
        # Nobody knows what the entry covered, and that the first observation has one.
        self.assertEqual(self.check(path)[1], {"entry", "link", "previous", "identity", "no_entry"})
        path = self.copy("gone.sqlite")
        execute(path, "PRAGMA foreign_keys = OFF", "DELETE FROM observations WHERE id = 2")
        self.assertEqual(self.check(path)[1], {"observation_missing"})

    def test_an_entry_that_has_rows_of_a_table_up_to_no_id(self):
        self.months()
        path = self.copy("changed.sqlite")
        with database(path) as connection:
            entries = parsed(path)
            self.assertIn("samples", entries[-1]["rows"])
            del entries[-1]["last_ids"]["samples"]
            write_entries(connection, entries)
        result = hp_verify("archive", path, "--only", "history", "--json")
        self.assertEqual([(finding["code"], finding["row"]) for finding in json.loads(result.out)["findings"]], [("history.entry", 2)])
        self.assertEqual(self.faults(path), [("history.entry", 2)])

    def test_an_entry_that_is_taken_out_is_missed_although_the_links_agree(self):
        """Whoever removes an entry and links the others anew leaves an observation without an entry, or one that is not sealed."""
        self.months()
        self.capture(observation(3, type_run([sample(1)])))
        for gone, codes in ((1, {"no_entry", "rows", "observation"}), (2, {"no_entry", "rows", "observation"})):
            with self.subTest(gone=gone):
                path = self.copy("gap%d.sqlite" % gone)
                with database(path) as connection:
                    write_entries(connection, [entry for entry in parsed(path) if entry["sequence"] != gone])
                found = self.check(path)[1]
                self.assertIn("no_entry", found)
                self.assertEqual({code.partition(".")[2] for code, _ in self.faults(path)}, found)

    def test_a_forger_is_found_by_a_head_alone(self):
        """Who rewrites values, hashes, aggregates and entries consistently."""
        self.months(MONTHS[0])
        head, kept = self.head(), self.folder / "kept.jsonl.zst"
        # Of another type than what is forged: its evidence stays as it was.
        self.assert_good(hp_export("bundle", self.archive, "--type", "SleepAnalysis", "-o", kept, "--quiet"))
        self.months(MONTHS[1])
        forged = self.copy("forged.sqlite")
        with database(forged) as connection:
            connection.row_factory = sqlite3.Row
            version = connection.execute("SELECT id FROM sample_versions WHERE numeric_value > 0 AND created_observation_id = 1 ORDER BY id").fetchone()[0]
            connection.execute("UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE id = ?", (version,))
        # The content hashes that the check itself asks for.
        for _ in range(2):
            for finding in json.loads(hp_verify("archive", forged, "--only", "identities", "--json").out)["findings"]:
                execute(forged, "UPDATE %(table)s SET %(column)s = '%(expected)s' WHERE rowid = %(row)d" % finding)
        self.assert_good(hp_export("repair", forged, "--aggregates", "--quiet", "--backup", self.folder / "backup"))
        with database(forged) as connection:
            # A repair is logged, and a recorded export has the entry that it was made with; the forger removes both.
            connection.execute("DELETE FROM context_log WHERE event_kind = 'repaired'")
            connection.execute("DELETE FROM export_items")
            connection.execute("DELETE FROM export_manifests")
            rechain(connection)
        result = hp_verify("archive", forged, "--json")
        self.assertEqual(json.loads(result.out)["findings"], [])
        self.assertEqual(self.faults(forged), [])
        self.assertEqual(self.check(forged, "--head", head)[1], {"forked"})
        self.assertEqual(self.check(None, "--head", head)[1], set())
        self.assertEqual(self.findings_of(kept, forged), ["archive.history"])
        self.assertEqual(self.findings_of(kept, self.archive), [])

    def findings_of(self, file, archive, *options):
        """The codes that a bundle beside an archive has."""
        result = hp_verify("bundle", file, "--archive", archive, "--json", "--quiet", *options)
        found = [finding["code"] for finding in json.loads(result.out)["files"][0]["findings"]]
        self.assertEqual(result.status, 1 if found else 0)
        return found

    def header_of(self, file):
        return json.loads(subprocess.run(["zstd", "-dcq", file], check=True, stdout=subprocess.PIPE).stdout.splitlines()[0])["export"]

    def test_an_export_carries_the_entry_of_its_observation(self):
        self.months(MONTHS[0])
        first, again = self.folder / "a.jsonl.zst", self.folder / "b.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", first, "--quiet"))
        (sequence, entry, link), = query(self.archive, "SELECT sequence, entry_json, link FROM history_links WHERE observation_id = 1")
        self.assertEqual(self.header_of(first)["history"], {"archive": json.loads(entry)["archive"], "link": link, "sequence": sequence})
        self.months(MONTHS[1])
        # Later captures change nothing in it.
        self.assert_good(hp_export("bundle", self.archive, "--at", "1", "-o", again, "--quiet"))
        self.assertEqual(first.read_bytes(), again.read_bytes())
        self.assertEqual(json.loads(self.assert_good(hp_verify("reproduce", self.archive, "--json")).out)["exports"][0]["outcome"], "same")
        diff = self.assert_good(hp_export("diff", self.archive, "--format", "jsonl", "-o", "-", "--quiet", "--no-record")).out
        self.assertEqual(json.loads(diff.splitlines()[0])["export"]["history"]["sequence"], 2)
        # An archive that was taken back to before it, and another one, do not have it.
        late, other = self.folder / "late.jsonl.zst", self.folder / "other.sqlite"
        self.assert_good(hp_export("bundle", self.archive, "-o", late, "--no-record", "--quiet"))
        for name, statement in (("rewound", "DELETE FROM history_links WHERE sequence > 1"), ("forked", "UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("0" * 64)),
                                ("damaged", "UPDATE history_links SET entry_json = '{' WHERE sequence = 2"), ("gone", "DROP TABLE history_links")):
            with self.subTest(name):
                path = self.copy(name + ".sqlite")
                execute(path, *(["DELETE FROM archive_metadata WHERE key = 'extension:history'"] if name == "gone" else []), statement)
                self.assertEqual(self.findings_of(late, path), ["archive.history"])
                self.assertEqual(self.findings_of(first, path), ["archive.history"] if name == "gone" else [])

    def test_an_export_does_not_carry_the_entries_of_an_observation_that_was_withdrawn(self):
        """Another engine gives its id again: what was said of the first observation of this id is not said of the second."""
        self.months()
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        columns = "device_chain_id, observed_at + 86400, started_at, ended_at, status, trigger_reason, NULL, NULL, NULL, NULL, schema_version, NULL, NULL"
        execute(self.archive, "INSERT INTO observations SELECT 2, %s FROM observations WHERE id = 1" % columns)
        out = self.folder / "out.jsonl.zst"
        for observation_id, sequence in (("1", 1), ("2", None)):
            self.assert_good(hp_export("bundle", self.archive, "--at", observation_id, "-o", out, "--no-record", "--force", "--quiet"))
            self.assertEqual(self.header_of(out).get("history", {}).get("sequence"), sequence)

    def test_an_archive_that_is_sealed_after_an_export_still_gives_it(self):
        make_archive.write(str(self.archive), samples=40, observations=2, seed=3, journal="delete")
        before, after = self.folder / "a.jsonl.zst", self.folder / "b.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", before, "--quiet"))
        self.assertNotIn("history", self.header_of(before))
        self.assert_good(hp_export("seal", self.archive))
        self.assert_good(hp_export("bundle", self.archive, "-o", after, "--quiet"))
        # What was learned after the observation changes nothing in its exports.
        self.assertEqual(before.read_bytes(), after.read_bytes())
        result = json.loads(self.assert_good(hp_verify("reproduce", self.archive, "--json")).out)
        self.assertEqual([export["outcome"] for export in result["exports"]], ["same"])
        self.assertEqual(self.findings_of(before, self.archive), [])


class Records(HistoryCase):
    def test_a_recorded_diff_with_several_links_of_one_sample_is_no_fault(self):
        """Each change of a relationship is an item of the sample that it leads from, without a version."""
        self.months()
        self.assert_good(hp_export("diff", self.archive, "-o", self.folder / "diff.csv", "--quiet"))
        twice = query(self.archive, "SELECT count(*) FROM export_items WHERE version_id IS NULL GROUP BY export_manifest_id, sample_id HAVING count(*) > 1")
        self.assertNotEqual(twice, [])
        self.assert_good(hp_verify("archive", self.archive))
        execute(self.archive, "INSERT INTO export_items SELECT * FROM export_items WHERE version_id IS NULL LIMIT 1")
        self.assertIn("identities.duplicate_row", hp_verify("archive", self.archive, "--only", "identities").out.decode())


class Exports(HistoryCase):
    """hp-verify history: exports of different times, beside each other and beside an archive."""

    def export(self, name, *options, archive=None):
        path = self.folder / (name + ".jsonl.zst")
        self.assert_good(hp_export("bundle", archive or self.archive, "-o", path, "--no-record", "--quiet", *options))
        return path

    def states(self, *arguments, status=0):
        result = hp_verify("history", *arguments, "--json")
        self.assertEqual(result.status, status, result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schemas.validator("history-result").iter_errors(value)], [])
        self.assertEqual(value["result"], "ok" if status == 0 else "findings")
        return [(pathlib.Path(file["file"]).name.partition(".")[0], file["state"]) for file in value["files"]]

    def setUp(self):
        super().setUp()
        self.months(MONTHS[0])
        self.first = self.export("first")
        self.months(MONTHS[1])
        self.second = self.export("second")

    def test_exports_of_one_archive_agree(self):
        again = self.export("again", "--at", "1", "--type", "StepCount")
        self.assertEqual(self.states(self.second, again, self.first), [("again", "first"), ("first", "agrees"), ("second", "agrees")])
        self.assertEqual(self.states(self.second, self.first, "--archive", self.archive), [("second", "agrees"), ("first", "agrees")])
        text = self.assert_good(hp_verify("history", self.second, self.first)).out.decode()
        self.assertRegex(text, r"observation 1, entry 1, link [0-9a-f]{16}: the first entry\n")
        self.assertIn("whether later entries go back to earlier ones is not known", text)

    def test_what_was_rewritten_shows(self):
        forged = self.copy("forged.sqlite")
        execute(forged, "UPDATE sample_versions SET numeric_value = numeric_value + 1")
        changed = self.export("changed", "--at", "1", archive=forged)
        self.assertEqual(self.states(self.first, changed, status=1), [("first", "first"), ("changed", "changed")])
        with database(forged) as connection:
            rechain(connection)
        forked = self.export("forked", "--at", "1", archive=forged)
        self.assertEqual(self.states(self.first, forked, self.second, status=1), [("first", "first"), ("forked", "forked"), ("second", "agrees")])
        self.assertEqual(self.states(self.first, self.second, "--archive", forged, status=1), [("first", "forked"), ("second", "forked")])
        rewound = self.copy("rewound.sqlite")
        execute(rewound, "DELETE FROM history_links WHERE sequence > 1")
        self.assertEqual(self.states(self.first, self.second, "--archive", rewound, status=1), [("first", "agrees"), ("second", "rewound")])
        holed = self.copy("holed.sqlite")
        execute(holed, "DELETE FROM history_links WHERE sequence = 1")
        self.assertEqual(self.states(self.first, self.second, "--archive", holed, status=1), [("first", "forked"), ("second", "forked")])
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assertEqual(self.states(self.first, self.second, "--archive", self.archive, status=1), [("first", "agrees"), ("second", "withdrawn")])

    def test_other_archives_and_exports_without_an_entry(self):
        foreign, other = self.folder / "foreign.sqlite", self.folder / "other.sqlite"
        make_archive.write(str(foreign), samples=40, observations=2, seed=3, journal="delete")
        plain_export = self.export("plain", archive=foreign)
        self.assertEqual(self.states(self.first, plain_export, status=1), [("plain", "no_entry"), ("first", "first")])
        self.assertEqual(self.states(self.first, "--archive", foreign, status=1), [("first", "not_sealed")])
        self.assert_good(hp_export("seal", foreign))
        self.assertEqual(self.states(self.first, "--archive", foreign, status=1), [("first", "another_archive")])
        # An entry that was made after its observation is not carried.
        sealed = self.export("sealed", archive=foreign)
        self.assertEqual(sealed.read_bytes(), plain_export.read_bytes())
        self.assert_good(hp_export("capture", other, "--secret", self.secret, "--apple-health", MONTHS[0], "--quiet"))
        second = self.export("other", archive=other)
        self.assertEqual(self.states(self.first, second, status=1), [("first", "first"), ("other", "another_archive")])

    def test_damaged_files_and_wrong_calls(self):
        damaged = self.folder / "damaged.jsonl.zst"
        data = bytearray(self.second.read_bytes())
        data[len(data) // 2] ^= 1
        damaged.write_bytes(data)
        self.assertEqual(hp_verify("history", self.first, damaged).status, 1)
        empty = self.folder / "empty.jsonl"
        empty.write_bytes(b"")
        self.assertEqual(self.states(self.first, self.second, empty, status=1), [("empty", "header_lost"), ("first", "first"), ("second", "agrees")])
        self.assert_refused(hp_verify("history", self.first), "at least two exports", name="hp-verify")
        self.assert_refused(hp_verify("history", self.first, self.folder / "none"), "none", name="hp-verify")
        self.assert_refused(hp_verify("history", "-", self.first, "-"), "standard input (-) can be named once",
                            name="hp-verify")
        # For people: no observation, entry or link is told of a file without a header.
        said = hp_verify("history", self.first, empty).out.decode().splitlines()
        self.assertEqual(said[1], "  its header is lost")
        self.assertRegex(said[3], "^  observation 1, entry 1, link [0-9a-f]{16}: the first entry$")


class StoredTexts(HistoryCase):
    """Nothing that is stored reaches a terminal as it is."""

    CONTROL = "\x1b[2J\ngood.sqlite: valid\n"

    def test_the_date_of_an_entry(self):
        self.months(MONTHS[0])
        with database(self.archive) as connection:
            write_entries(connection, [{**entry, "kind": "sealed", "made_at": self.CONTROL} for entry in parsed(self.archive)])
        self.assertEqual(self.check()[1], {"entry"})
        said = hp_verify("archive", self.archive, "--only", "history")
        self.assertNotIn(b"\x1b", said.out)
        self.assertNotIn(b"\ngood.sqlite", said.out)

    def test_the_head(self):
        self.months(MONTHS[0])
        execute(self.archive, "UPDATE history_links SET link = char(27) || '[2J'")
        listed = self.assert_good(hp_export("list", self.archive, "observations"))
        self.assertNotIn(b"\x1b", listed.out)
        self.assertNotIn(b"link", listed.out)


class Heads(HistoryCase):
    UNCOVERED = {
        "no_entry": ["INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id, relationship_kind) SELECT NULL, min(id), max(id), 'added' FROM samples"],
        "no_entry type": ["INSERT INTO sample_types(type_identifier) VALUES ('com.example.added')"],
        "observation": ["DELETE FROM archive_metadata WHERE key = 'extension:capture_facts'"],
        "observation facts": ["UPDATE archive_metadata SET value = '3' WHERE key = 'extension:capture_facts'"],
        "unanswered": ["CREATE INDEX partial ON samples(id) WHERE id > 0"],
        "unanswered expression": ["CREATE INDEX computed ON samples(id + 1)"],
        "unanswered collation": ["PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, 'bundle_identifier TEXT', 'bundle_identifier TEXT COLLATE NOCASE') WHERE name = 'sources'"],
        "entry": ["CREATE TABLE links AS SELECT * FROM history_links", "DROP TABLE history_links",
                  "CREATE TABLE history_links (sequence, observation_id INTEGER NOT NULL, entry_json TEXT NOT NULL, link TEXT NOT NULL UNIQUE)",
                  "INSERT INTO history_links SELECT sequence + 0.5, observation_id, entry_json, link FROM links", "UPDATE sample_versions SET numeric_value = 7"],
    }

    def test_what_entries_do_not_cover_and_exports_read(self):
        """Rows that belong to no entry, what decides which tables are read, and indexes whose pages cannot be checked: no head extends."""
        self.months()
        head = self.head()
        for name, statements in self.UNCOVERED.items():
            with self.subTest(name):
                path = self.copy("changed.sqlite")
                execute(path, "PRAGMA foreign_keys = OFF", *statements)
                check, codes = self.check(path, "--head", head)
                self.assertIn(name.split()[0], codes)
                self.assertNotIn("extends", json.dumps(check))
                path.unlink()

    def test_a_head_asks_for_every_check_that_its_answer_needs(self):
        self.months()
        head = self.head()
        needed = {"sqlite", "schema", "references", "ranges", "history"}
        for options in (["--only", "values"], ["--skip", "sqlite,history"], ["--only", "history"]):
            value = json.loads(self.assert_good(hp_verify("archive", self.archive, "--head", head, "--json", *options)).out)
            self.assertLessEqual(needed, {check["name"] for check in value["checks"]})
            self.assertIn("extends the head by 0 entries", json.dumps(value))
        path = self.copy("ranges.sqlite")
        execute(path, "DELETE FROM sample_visibility_ranges WHERE first_observation_id = 1")
        result = hp_verify("archive", path, "--only", "history", "--head", head)
        self.assertEqual(result.status, 1)
        self.assertNotIn(b"extends the head", result.out)
        self.assert_refused(hp_verify("archive", self.archive, "--head", head, "--sample", "5"), "leave --sample out", name="hp-verify")

    def test_answers(self):
        self.months(MONTHS[0])
        old, first = self.copy("old.sqlite"), self.head(name="first.txt")
        self.capture(observation(3, type_run([sample(1)])))
        second = self.head(name="second.txt")
        check, codes = self.check(None, "--head", first)
        self.assertEqual((codes, check["notes"]), (set(), ["extends the head by 1 entry"]))
        self.assertEqual(self.check(None, "--head", second)[0]["notes"], ["extends the head by 0 entries"])
        self.assertEqual(self.check(old, "--head", second)[1], {"rewound"})
        # The old copy goes on in another way.
        shutil.copyfile(old, self.folder / "fork.sqlite")
        fork = self.folder / "fork.sqlite"
        self.assert_good(hp_export("capture", fork, "--secret", self.secret, "--apple-health", MONTHS[1], "--quiet"))
        self.assertEqual(self.check(fork, "--head", second)[1], {"forked"})
        # The newest observation is withdrawn: heads of before it extend, later ones name it.
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assertEqual(self.check(None, "--head", first)[0]["notes"][-1], "extends the head by 2 entries")
        self.assertEqual(self.check(None, "--head", second)[1], {"withdrawn_since"})
        found, = json.loads(hp_verify("archive", self.archive, "--only", "history", "--head", second, "--json").out)["findings"]
        self.assertEqual(found["found"], "withdrawn since: 2")
        other = self.folder / "other.sqlite"
        self.assert_good(hp_export("capture", other, "--secret", self.secret, "--apple-health", MONTHS[0], "--quiet"))
        self.assertEqual(self.check(other, "--head", first)[1], {"another_archive"})
        execute(other, "DELETE FROM history_links")
        self.assertEqual(self.check(other, "--head", first)[1], {"rewound"})

    def test_a_head_may_be_typed(self):
        self.months(MONTHS[0])
        head = self.head()
        head.write_text("\n  " + head.read_text().replace("\n", "  \r\n\n"))
        self.assertEqual(self.check(None, "--head", head)[1], set())

    def test_what_is_no_head(self):
        self.months(MONTHS[0])
        text = self.head().read_text()
        for content in ("", text[:-2], text + "more 1\n", text.replace("length 1", "length 01"), text.replace("length 1", "length 0"), text.upper(), "x" * 5000):
            with self.subTest(content[:20]):
                (self.folder / "bad").write_text(content)
                self.assert_refused(hp_verify("archive", self.archive, "--head", self.folder / "bad"), name="hp-verify")


class Seals(HistoryCase):
    def seal(self, path=None, *options):
        return json.loads(self.assert_good(hp_export("seal", path or self.archive, "--json", "--quiet", *options)).out)

    def test_an_archive_of_another_engine(self):
        path = self.generated(300)
        self.assertEqual(self.check(path)[0]["reason"], "the archive is not sealed: hp-export seal begins a history")
        count = query(path, "SELECT count(*) FROM observations WHERE status NOT IN ('running', 'started')")[0][0]
        self.assertEqual(self.seal(path)["sealed"], count)
        self.assertIn("sealed since", self.assert_whole(path)["notes"][0])
        self.assertEqual(self.seal(path)["sealed"], 0)
        # Another engine goes on: what it wrote is not sealed, and captures do not hide that.
        execute(path, "INSERT INTO observations SELECT id + 100, device_chain_id, observed_at + 1e6, started_at, ended_at, status, trigger_reason, app_version, os_version, time_zone_identifier, "
                      "time_zone_seconds_from_gmt, schema_version, selected_type_set_hash, notes FROM observations WHERE status = 'completed' ORDER BY id DESC LIMIT 1")
        self.assertIn("1 observation is not sealed", self.assert_whole(path)["notes"])
        length = self.seal(path)["head"]["length"]
        self.assertEqual(length, count + 1)
        self.assert_whole(path)

    def test_ids_go_as_far_as_canonical_json_carries_them(self):
        path, beyond = self.generated(300), 9007199254740992
        execute(path, "INSERT INTO sample_types VALUES (%d, 'com.example.last', NULL, NULL)" % beyond)
        before = trace_of(self.folder)
        self.assert_refused(hp_export("seal", path, "--quiet"), "table sample_types has an id beyond 2^53-1")
        self.assertEqual(query(path, "SELECT name FROM sqlite_master WHERE name = 'history_links'"), [])
        self.assertEqual(sorted(trace_of(self.folder)), sorted(before))
        execute(path, "UPDATE sample_types SET id = id - 1 WHERE id = %d" % beyond)
        self.assertGreater(self.seal(path)["sealed"], 0)
        self.assertEqual(parsed(path)[-1]["last_ids"]["sample_types"], 9007199254740991)
        self.assert_whole(path)

    def test_what_was_running_when_it_was_sealed_can_be_withdrawn(self):
        """The newest observation gets no entry while it runs; the rows of sources and types that it brought stay with the entry that covers them."""
        self.capture(observation(1, type_run([sample(1)])))
        lines = feed(observation(1, type_run([sample(1)])), observation(2, type_run([sample(1), sample(2)]))).splitlines(keepends=True)
        self.hp_capture("--feed", self.written(b"".join(lines[:-1])), "--quiet")
        execute(self.archive, "DELETE FROM history_links", "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = 2")
        self.assertEqual(self.seal()["sealed"], 1)
        self.assert_whole()
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assert_whole()
        self.assertEqual([(entry["kind"], entry["observation"]["id"]) for entry in parsed(self.archive)], [("sealed", 1)])

    def test_an_older_observation_that_still_runs_is_sealed(self):
        """No later capture of its engine can go back to it."""
        path = self.generated(300)
        first, = query(path, "SELECT min(id) FROM observations")[0]
        execute(path, "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = %d" % first)
        self.seal(path)
        self.assert_whole(path)
        # A capture does not end what has an entry.
        self.assert_good(hp_export("capture", path, "--secret", self.secret, "--apple-health", MONTHS[0], "--quiet"))
        self.assert_whole(path)
        self.assertEqual(query(path, "SELECT status FROM observations WHERE id = %d" % first), [("running",)])
        execute(path, "UPDATE observations SET status = 'completed' WHERE id = %d" % first)
        self.assertEqual(self.check(path)[1], {"observation"})

    def test_an_observation_behind_the_history_is_not_sealed(self):
        path = self.generated(300)
        first = query(path, "SELECT min(id) FROM observations")[0][0]
        self.seal(path)
        execute(path, "INSERT INTO observations SELECT %d, device_chain_id, observed_at - 1, started_at, ended_at, status, trigger_reason, NULL, NULL, NULL, NULL, 2, NULL, NULL "
                      "FROM observations WHERE id = %d" % (first - 1, first))
        self.assertEqual(self.check(path)[1], {"no_entry"})
        before = contents(path)
        self.assert_refused(hp_export("seal", path, "--quiet"), "observation %d is older than the newest of the history" % (first - 1))
        self.assertEqual(contents(path), before)

    def test_a_list_of_types_that_comes_after_the_seal(self):
        """Another engine may store the hash of the selected types and not the list; the next capture brings it."""
        first, second = (observation(day, type_run([sample(1)]), selected_types=[STEPS]) for day in (1, 2))
        self.capture(first)
        execute(self.archive, "DELETE FROM history_links", "DELETE FROM selected_type_sets")
        self.seal()
        self.assertEqual([entry["observation"]["lists_types"] for entry in parsed(self.archive)], [False])
        self.capture(first, second)
        self.assertEqual(query(self.archive, "SELECT count(*) FROM selected_type_sets"), [(1,)])
        self.assertEqual([entry["observation"]["lists_types"] for entry in parsed(self.archive)], [False, True])
        self.assert_whole()
        execute(self.archive, "DELETE FROM selected_type_sets")
        self.assertEqual(self.check()[1], {"observation"})

    def test_a_seal_without_a_secret_draws_a_salt(self):
        salts = set()
        for name in ("a", "b"):
            path = self.generated(100)
            self.seal(path)
            salts.add(query(path, "SELECT value FROM archive_metadata WHERE key = 'history_salt'")[0][0])
            path.unlink()
        self.assertEqual(len(salts), 2)
        self.assertTrue(all(re.fullmatch("[0-9a-f]{64}", salt) for salt in salts))

    def test_an_archive_of_an_unreleased_build_is_refused(self):
        self.months(MONTHS[0])
        for extension in ("context_log", "capture_facts", "history"):
            path = self.copy("old.sqlite")
            execute(path, "UPDATE archive_metadata SET value = '1' WHERE key = 'extension:%s'" % extension)
            before = path.read_bytes()
            for tool, *words in ((hp_verify, "archive", path), (hp_export, "list", path, "types"), (hp_export, "undo", path), (hp_export, "seal", path),
                                 (hp_export, "bundle", path, "-o", self.folder / "out"),
                                 (hp_export, "capture", path, "--secret", self.secret, "--apple-health", MONTHS[1])):
                with self.subTest(extension=extension, command=words[0]):
                    result = tool(*words)
                    self.assertEqual(result.status, 2, result)
                    self.assertIn("made by an unreleased build (extension %s 1)" % extension, result.err)
                    self.assertIn("capture the exports again", result.err)
            self.assertEqual(path.read_bytes(), before)
            self.assertFalse((self.folder / "out").exists())
            path.unlink()

    def test_a_newest_entry_that_cannot_be_read_stops_a_capture_before_it_begins(self):
        self.capture(observation(1, type_run([sample(1)])))
        for damage in ("entry_json = '{'", "link = 'x'", "entry_json = '{\"archive\":1}'"):
            with self.subTest(damage):
                path = self.copy("damaged.sqlite")
                execute(path, "UPDATE history_links SET " + damage)
                before = contents(path)
                more = self.written(feed(observation(1, type_run([sample(1)])), observation(2, type_run([sample(2)]))))
                result = hp_export("capture", path, "--secret", self.secret, "--feed", more, "--quiet")
                self.assert_refused(result, "table history_links: the newest entry cannot be read")
                self.assertEqual(contents(path), before)
                path.unlink()

    def test_the_head_of_an_older_entry_is_not_shown_after_a_capture(self):
        self.capture(observation(1, type_run([sample(1)])))
        other_engine = ["DELETE FROM %s WHERE observation_id = 2" % table for table in ("history_links", "observation_facts")]
        self.capture(observation(1, type_run([sample(1)])), observation(2, type_run([sample(1)])))
        execute(self.archive, *other_engine)
        more = feed(*(observation(day, type_run([sample(1)])) for day in (1, 2, 3)))
        result = self.assert_good(self.hp_capture("--feed", self.written(more), "--json"))
        self.assertNotIn("head", json.loads(result.out))
        self.assertIn("not in the history: hp-export seal adds it", result.err)
        self.assertEqual(self.head().read_text().splitlines()[1], "length 1")

    def test_captures_go_on_with_what_is_sealed(self):
        path = self.generated(300)
        result = hp_export("capture", path, "--secret", self.secret, "--apple-health", MONTHS[0], "--quiet")
        self.assert_good(result)
        self.assertEqual(self.check(path)[0]["status"], "not_checked")
        self.seal(path)
        self.assert_good(hp_export("capture", path, "--secret", self.secret, "--apple-health", MONTHS[1], "--quiet"))
        self.assertEqual(parsed(path)[-1]["kind"], "observation")
        self.assert_whole(path)

    def test_frozen_archives_are_sealed(self):
        path = self.folder / "four-status.sqlite"
        shutil.copyfile(FIXTURES / "frozen" / path.name, path)
        self.assertEqual(self.check(path)[0]["status"], "not_checked")
        self.seal(path)
        self.assert_whole(path)
        self.assertEqual(json.loads(hp_verify("archive", path, "--json").out)["findings"], [])


if __name__ == "__main__":
    unittest.main()
