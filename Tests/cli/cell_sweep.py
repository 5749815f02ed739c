"""Bad cells: archives with rows in every table, one cell of which holds what no capture writes, and every command.

An archive comes in three forms: *strict*, with the schema of the specification; *keyed*, its tables made again without
types and constraints other than keys, so that any value fits into any cell; and *loose*, without keys and indexes too,
so that every key may repeat. Exports and captures refuse a loose one.
"""

import os
import re
import resource
import shutil
import sqlite3
import struct
import subprocess

from capture_support import HEART_RATE, SECRET, SLEEP, STEPS, deleted, feed, observation, sample, type_run, uuid
from support import ENVIRONMENT, FIXTURES, contents, database, execute, hp_export, Run, tool

# Stands in every bad text: none of it may come back on standard error.
MARK = "QzBad"
# A number in whose place other bits are written into the file: SQLite itself stores neither -0.0 nor NaN.
SENTINEL = 7.712345678912345e-77
PATCHES = {"-0.0": b"\x80" + bytes(7), "NaN": b"\x7f\xf8" + bytes(6)}

NUMBERS = [0, -1, 1, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0.5, 1e15, 253402300800.0, 2.0**53,
           9.3e18, -1e300, 1e300, 1.7976931348623157e308, float("inf"), float("-inf"), 5e-324]
# The last one is larger than what an allocator keeps in its heap.
TEXTS = ["", "7", "7x" + MARK, MARK, MARK + "\0tail", MARK + "\n\x1b[2J", MARK * 40_000]
VALUES = {
    "NULL": None, **{repr(number): number for number in NUMBERS}, **{"text %.12r" % text: text for text in TEXTS},
    "-0.0": SENTINEL, "NaN": SENTINEL, "blob": b"\xff\0" + MARK.encode(), "empty blob": b"",
    "not UTF-8": MARK.encode() + b"\xff\xc0\x80\xed\xa0\x80",
}
# What a program wrote that asked for findings with thresholds that no command line takes.
THRESHOLDS = ('{"filter":{},"generator":{"name":"hp-export","version":"0.1.0"},"scope":{"mode":"changes",'
              '"thresholds":{"minimum_days":1e+300}}}')
DOCUMENTS = {"text %.12r %d" % (text, len(text)): text for text in [
    "{}", "[]", "null", "{", "[" * 100_000, '{"a":' * 30_000 + "1" + "}" * 30_000, '{"%s":1,"%s":2}' % (MARK, MARK),
    '{"a":1e999}', '{"a":9007199254740993}', ' {"a":1}', '{"a":-0.0}', THRESHOLDS]}
# A cell takes the value of the second row; a row is there twice, or not at all.
EVIDENCE = ["context_log", "samples", "sample_versions", "sample_observation_events", "sample_relationships", "sources",
            "source_revisions", "hk_devices", "metadata_blobs", "export_manifests", "export_items"]
REPEATED, TWICE, GONE = "value of another row", "row twice", "row gone"
PLACES = ["first", "middle", "last", "all"]

WORKOUT = "HKWorkoutTypeIdentifier"
WATCH = {"name": "Test Watch", "bundle_identifier": "com.example.watch", "product_type": "Watch0,0", "version": "1.0",
         "operating_system_version": "10.0.0"}
PHONE = {"name": "Test Phone", "bundle_identifier": "com.example.phone", "version": "2"}
DEVICE = {"name": "Test Watch", "manufacturer": "Test Inc.", "model": "Watch", "hardware_version": "0,0",
          "firmware_version": "1", "software_version": "2", "local_identifier": "l", "udi": "u"}
HEART = [sample(number, number, 60 + number, source=WATCH, device=DEVICE, metadata={"k": number % 2})
         for number in range(1, 6)]
STEP_COUNTS = [
    sample(number, number, 100, sample_type=STEPS, unit="count", source=source, end_date="2024-05-01T09:00:00Z")
    for number, source in ((8, WATCH), (9, PHONE))]
NIGHTS = [sample(10, 3, None, sample_type=SLEEP, value_kind="category", category_value=1, unit=None)]
RUNS = [sample(11, 3, None, sample_type=WORKOUT, value_kind="workout", workout_activity_type=37, duration_seconds=60.5,
               unit=None)]
# An offset without a name: it counts.
ZONE = {"time_zone_seconds_from_gmt": 10_800, "app_version": "1", "os_version": "2"}


def unchanged(first_page):
    """The runs of types in which nothing changes."""
    return [type_run(NIGHTS, sample_type=SLEEP, first_page=first_page),
            type_run(RUNS, sample_type=WORKOUT, first_page=first_page + 1)]


def base_feed():
    """Three observations that leave rows of each kind: changed, returned and deleted samples, devices, metadata, links.
    """
    link = {"kind": "relationship", "relationship_kind": "associated", "metadata": {"a": 1},
            "source": {"sample_type": HEART_RATE, "uuid": uuid(1)}, "target": {"sample_type": STEPS, "uuid": uuid(8)}}
    failed = [{"kind": "run", "sample_type": STEPS, "mode": "full_scan"},
              {"kind": "run_end", "sample_type": STEPS, "status": "failed", "error_kind": "query",
               "error_message": "no"}]
    changes = [sample(2, 2, 70, source=PHONE), sample(7, 900, 61, source=WATCH), deleted(1), deleted(30)]
    return feed(
        observation(1, type_run(HEART), type_run(STEP_COUNTS, sample_type=STEPS, first_page=2), *unchanged(3),
                    [link, {"kind": "page", "number": 5}], time_zone_identifier="Europe/Bucharest", **ZONE),
        observation(2, type_run(changes, mode="anchored"), failed, **ZONE),
        observation(3, type_run([HEART[0], *HEART[2:]]), type_run(STEP_COUNTS[:1], sample_type=STEPS, first_page=2),
                    *unchanged(3), **ZONE))


# An observation that was cut off, as the program that made it left it: the next one ends it.
CUT_OFF = """
    INSERT INTO observations SELECT 4, device_chain_id, observed_at + 86400, started_at, NULL, 'running',
        trigger_reason, app_version, os_version, time_zone_identifier, time_zone_seconds_from_gmt, schema_version,
        selected_type_set_hash, notes
    FROM observations WHERE id = 3
    """
CUT_OFF_RUNS = """
    INSERT INTO observation_type_runs(observation_id, sample_type_id, status)
    SELECT 4, sample_type_id, 'started' FROM observation_type_runs WHERE observation_id = 3
    """


def next_feed():
    """What comes after it: records of which some are new and some are gone, and types in which nothing changed."""
    steps = type_run([sample(8, 1, 1, sample_type=STEPS, unit="count")], sample_type=STEPS, first_page=2)
    return feed(observation(5, type_run([sample(7, 900, 61), sample(21, 6)]), steps, *unchanged(3), **ZONE))


HEALTH = """<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US"><ExportDate value="2024-06-05 13:00:00 +0300"/>
<Record type="%s" sourceName="Test Watch" unit="count/min" value="61"
 startDate="2024-05-01 10:00:00 +0000" endDate="2024-05-01 10:00:00 +0000"/>
</HealthData>
""" % HEART_RATE


class Base:
    """An archive to put bad cells into, and a bundle that was exported from it."""

    def __init__(self, name, path, bundle):
        self.name, self.bytes, self.bundle = name, path.read_bytes(), bundle
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        with database(path) as connection:
            tables = [row[0] for row in connection.execute(listed)]
            query = connection.execute
            self.columns = [(table, row[1]) for table in tables for row in query('PRAGMA table_info("%s")' % table)]
            self.counts = {table: query('SELECT count(*) FROM "%s"' % table).fetchone()[0] for table in tables}

    def cells(self):
        """Every column with every kind of bad value: table, column, kind, place."""
        for number, (table, column) in enumerate(self.columns):
            kinds = [*VALUES, *(DOCUMENTS if column.endswith("_json") else []), REPEATED]
            if number == 0 or self.columns[number - 1][0] != table:
                kinds += [TWICE, GONE]
            for place, kind in enumerate(kinds):
                yield table, column, kind, PLACES[(number + place) % len(PLACES)]

    def rows(self, table, place):
        """SQL that says which rows of a table a place means."""
        if place == "all":
            return "1"
        offset = {"first": 0, "middle": self.counts[table] // 2, "last": self.counts[table] - 1}[place]
        return 'rowid = (SELECT rowid FROM "%s" ORDER BY rowid LIMIT 1 OFFSET %d)' % (table, offset)


def spoil(base, path, table, column, kind, place):
    """Writes the archive with one bad cell. Whether there is such an archive: a constraint may be against it."""
    path.write_bytes(base.bytes)
    where = base.rows(table, place)
    other = '(SELECT "%s" FROM "%s" ORDER BY rowid LIMIT 1 OFFSET 1)' % (column, table)
    update = 'UPDATE "%s" SET "%s" = %%s WHERE %s' % (table, column, where)
    try:
        with database(path) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
            if kind == TWICE:
                connection.execute('INSERT INTO "%s" SELECT * FROM "%s" WHERE %s' % (table, table, where))
            elif kind == GONE:
                connection.execute('DELETE FROM "%s" WHERE %s' % (table, where))
            elif kind == REPEATED:
                connection.execute(update % other)
            else:
                value = VALUES[kind] if kind in VALUES else DOCUMENTS[kind]
                connection.execute(update % ("CAST(? AS TEXT)" if kind == "not UTF-8" else "?"), (value,))
    except sqlite3.Error:
        return False
    if kind in PATCHES:
        path.write_bytes(path.read_bytes().replace(struct.pack(">d", SENTINEL), PATCHES[kind]))
    return True


def loosen(path, keeps_keys=False):
    """Makes every table of an archive again without types and constraints; with its keys and indexes where asked."""
    with database(path) as connection:
        def ask(statement):
            return connection.execute(statement).fetchall()
        connection.execute("PRAGMA journal_mode = DELETE")
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        indexes = ask("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        for (table,) in ask(listed):
            info = ask('PRAGMA table_info("%s")' % table)
            parts = ['"%s"' % row[1] for row in info]
            key = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]]
            if keeps_keys:
                parts += ["PRIMARY KEY (%s)" % ", ".join(key)] if key else []
                parts += ["UNIQUE (%s)" % ", ".join(row[2] for row in ask('PRAGMA index_info("%s")' % index[1]))
                          for index in ask('PRAGMA index_list("%s")' % table) if index[3] == "u"]
            connection.execute("CREATE TABLE loose (%s)" % ", ".join(parts))
            connection.execute('INSERT INTO loose SELECT * FROM "%s"' % table)
            connection.execute('DROP TABLE "%s"' % table)
            connection.execute('ALTER TABLE loose RENAME TO "%s"' % table)
        for (statement,) in indexes if keeps_keys else []:
            connection.execute(statement)
        connection.execute("VACUUM")


class Workshop:
    """A folder with the archives and everything that the commands read."""

    def __init__(self, folder, forms=("strict", "loose", "keyed", "other engine")):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.archive, self.out = folder / "cell.sqlite", folder / "out"
        self.secret, self.feed, self.health = folder / "secret", folder / "next.jsonl", folder / "export.xml"
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)
        self.feed.write_bytes(next_feed())
        self.health.write_text(HEALTH)
        self.bases = [self.other_engine() if form == "other engine" else self.captured(form) for form in forms]

    def exported(self, path, name):
        """A bundle of an archive, recorded in it, among exports of the other kinds."""
        bundle = self.folder / (name + ".jsonl.zst")
        for verb, *options in (["bundle"], ["bundle", "--history"], ["records"], ["diff", "--format", "jsonl"],
                               ["diff", "--summary", "--format", "json"], ["diff", "--findings", "--format", "csv"],
                               ["manifest"]):
            out = self.out if options or verb != "bundle" else bundle
            result = hp_export(verb, path, *options, "-o", out, "--force", "--quiet")
            if result.status:
                raise RuntimeError("%s: %r" % (verb, result))
        return bundle

    def captured(self, form):
        path, first = self.folder / "base.sqlite", self.folder / "first.jsonl"
        path.unlink(missing_ok=True)
        first.write_bytes(base_feed())
        result = hp_export("capture", path, "--secret", self.secret, "--feed", first, "--quiet")
        if result.status == 2:
            raise RuntimeError(repr(result))
        bundle = self.exported(path, form)
        execute(path, "PRAGMA journal_mode = DELETE", CUT_OFF, CUT_OFF_RUNS)
        if form != "strict":
            loosen(path, keeps_keys=form == "keyed")
        return Base(form, path, bundle)

    def other_engine(self):
        path = self.folder / "base.sqlite"
        shutil.copyfile(FIXTURES / "archives" / "small.sqlite", path)
        bundle = self.exported(path, "other")
        loosen(path, keeps_keys=True)
        return Base("other engine", path, bundle)

    def commands(self, base):
        """Every command: the tool, its arguments, and whether it may write to the archive."""
        a, out, backup = self.archive, ["-o", self.out, "--force"], ["--backup", self.folder / "backup"]
        verify = [["archive", a], ["archive", a, "--json"], ["bundle", base.bundle, "--archive", a], ["reproduce", a],
                  ["salvage", base.bundle, "--archive", a, *out]]
        bundles = [["bundle", a, *out], ["bundle", a, "--history", *out],
                   ["bundle", a, "--at", "1", "--source", "com.example.watch", *out]]
        tables = [["records", a], ["records", a, "--format", "json", "--at", "previous", "--type", HEART_RATE],
                  ["records", a, "--since", "2024-01-01", "--until", "2025-01-01"], ["days", a],
                  ["manifest", a], ["manifest", a, "--at", "2024-06-02"],
                  ["diff", a], ["diff", a, "--from", "latest", "--to", "1"],
                  ["diff", a, "--summary"], ["diff", a, "--summary", "--format", "json"],
                  ["diff", a, "--findings"], ["diff", a, "--findings", "--format", "csv"]]
        kinds = ("observations", "types", "changes", "exports", "rejected", "withheld", "context")
        lists = [["list", a, kind, *form] for kind in kinds for form in ([], ["--json"])]
        plans = [["repair", a, "--ranges", "--dry-run"], ["repair", a, "--aggregates", "--dry-run"]]
        capture = ["capture", a, "--secret", self.secret]
        captures = [[*capture, "--feed", self.feed], [*capture, "--apple-health", self.health]]
        repairs = [["repair", a, "--ranges", *backup], ["repair", a, "--aggregates", *backup],
                   ["repair", a, "--ranges", "--aggregates", "--json", *backup]]
        undone = [["undo", a, *backup], ["undo", a, "--no-backup", "--with-exports"]]
        findings = ["diff", a, "--findings", "--format", "json", "--quiet"]
        recorded = [*bundles[:2], ["diff", a, "--quiet"], findings, ["manifest", a, "--quiet"]]
        looks = [[*command, "--no-record"] for command in bundles + tables] + lists + plans
        return ([("hp-verify", command, False) for command in verify]
                + [("hp-export", command, False) for command in looks]
                + [("hp-export", command, True) for command in captures + repairs + undone + recorded])

    def more_commands(self):
        """Those that read what others read in another way, in the same form."""
        a, out = self.archive, ["-o", self.out, "--force"]
        looks = [["records", a, "--view", "people"], ["records", a, "--history", "--with-related"],
                 ["days", a, "--by", "month", "--method", "sources"],
                 ["diff", a, "--view", "people"], ["diff", a, "--pairs"], ["diff", a, "--summary", "--counts"],
                 ["diff", a, "--across-chains"], ["report", a, *out], ["bundle", a, "--with-related", *out]]
        lists = [["list", a, kind] for kind in ("sources", "devices")]
        beside = [["cache", a, "rebuild"], ["cache", a, "status"], ["label", a, "--list"]]
        writes = [["check", a], ["seal", a], ["report", a, "--all", "-o", self.folder / "out.pages"]]
        return ([("hp-export", [*command, "--no-record"], False) for command in looks]
                + [("hp-export", command, False) for command in lists + beside]
                + [("hp-export", command, True) for command in writes])

    def clear(self):
        """Takes away what a command left beside the archive."""
        for path in self.folder.iterdir():
            if path.name.startswith(("cell.sqlite-", "cell.sqlite.", "backup", "out")):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def faults(self, name, command, is_writing):
        """Runs a command over the spoilt archive; what is wrong with how it ended. The archive is then as it was."""
        before = self.archive.read_bytes()
        try:
            process = subprocess.run([tool(name), *map(os.fspath, command)], stdin=subprocess.DEVNULL,
                                     capture_output=True, env=ENVIRONMENT, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return ["no end after %d s" % SECONDS]
        found = faults_of(Run(process))
        after = self.archive.read_bytes()
        if after != before and not is_writing:
            found.append("the archive was written to")
        elif process.returncode == 2 and (after != before or (self.folder / "cell.sqlite-wal").exists()):
            now, kept = contents(self.archive), held(self.archive)
            self.clear()
            self.archive.write_bytes(before)
            # What a feed brought before it failed stays, and is gone on with, and so do pages that were recorded;
            # nothing that was there is less.
            is_stepwise = "--feed" in command or "--all" in command
            if contents(self.archive) != now and not (is_stepwise and held(self.archive) <= kept):
                found.append("status 2, and other content")
        self.clear()
        if after != before:
            self.archive.write_bytes(before)
        return found


def held(path):
    """The evidence of an archive, row by row: what no command may take away."""
    with database(path) as connection:
        connection.text_factory = bytes
        return {(table, repr(row)) for table in EVIDENCE for row in connection.execute("SELECT * FROM " + table)}


def faults_of(result):
    """What is wrong with a status and what was said."""
    found = []
    if result.status not in (0, 1, 2):
        trap = [line for line in result.err.splitlines() if "Fatal" in line]
        found.append("status %d %s" % (result.status, " ".join(trap)[:300]))
    if MARK in result.err:
        found.append("the bad text on standard error: %r" % result.err[:200])
    lines = result.err.splitlines()
    # A note or a hint says more; anything else is a second error.
    others = [line for line in lines if not re.match("hp-(export|verify): (note|hint): ", line)]
    if result.status == 2 and (len(others) != 1 or ": error: " not in others[0]):
        found.append("not one error line: %r" % result.err[:300])
    return found


# Much more than any command takes of so small an archive, and much less than work without bounds.
SECONDS = 20
MEMORY = 4 << 30


def limit_memory():
    """No command takes gigabytes: the tools inherit a limit of address space. Returns what lifts it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
