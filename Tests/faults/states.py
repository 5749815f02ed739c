"""What a folder says: its archive's evidence without row ids and clocks, its other files by what they hold. Two runs that did the same give equal states."""

import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "reference"), str(ROOT / "Spec" / "examples")]

import archive_text  # noqa: E402

ARCHIVE = b"archive.sqlite"
CACHE = ARCHIVE + b".cache"
COMPANIONS = (b"-wal", b"-shm", b"-journal")
TEMPORARY = re.compile(rb"\..*\.partial(-wal|-shm|-journal)?|\..*\.capture")
BACKUP = re.compile(rb"\.[0-9]{8}T[0-9]{6}Z\.")
HASH = re.compile(r"\b[0-9a-f]{64}\b|\"recovered_from_keychain\": [01]")

# What one observation has until it has ended; a part of it is there before that.
OPEN = ("observations ", "observation_type_runs ", "observation_type_summaries ", "daily_type_aggregates ")
ENDED = '"status": "completed"'
# What is known of a type is stated when its observation ends.
UNSTATED = re.compile(r'type_run_facts .*"state": "unknown"')


class State:
    """A folder as it is; looking changes nothing in it."""

    def __init__(self, folder, is_masked=False):
        self.is_masked = is_masked
        folder = os.fsencode(folder)
        self.names = sorted(os.listdir(folder))
        self.files, self.lines, self.intents, self.problems = {}, (), {}, []
        for name in self.names:
            if name == ARCHIVE:
                self.look(folder)
            elif not TEMPORARY.fullmatch(name) and not name.startswith(ARCHIVE + b"-"):
                content = pathlib.Path(os.fsdecode(os.path.join(folder, name))).read_bytes()
                if name == CACHE:
                    content = cached(os.fsdecode(os.path.join(folder, name)))
                self.files[BACKUP.sub(b".TIME.", name)] = "a secret" if is_masked and name.endswith(b".secret") else hashlib.sha256(content).hexdigest()

    def look(self, folder):
        """Reads a copy of the archive, with what belongs to it."""
        with tempfile.TemporaryDirectory(dir=memory()) as place:
            for suffix in (b"", b"-wal", b"-journal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(os.path.join(folder, ARCHIVE + suffix), os.path.join(os.fsencode(place), ARCHIVE + suffix))
            with contextlib.closing(sqlite3.connect(os.path.join(place, os.fsdecode(ARCHIVE)), isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                try:
                    self.read(connection)
                except sqlite3.DatabaseError as error:
                    self.problems.append("the archive cannot be read: %s" % error)

    def read(self, connection):
        if [tuple(row) for row in connection.execute("PRAGMA integrity_check")] != [("ok",)]:
            self.problems.append("integrity_check")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'samples'").fetchone():
            self.lines = ("prototype " + repr([tuple(row) for row in connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name")]),)
            return
        if connection.execute("PRAGMA foreign_key_check").fetchone():
            self.problems.append("foreign_key_check")
        lines = archive_text.dump(connection, json.dumps) + exports(connection) + others(connection)
        self.lines = tuple(HASH.sub("*", line) for line in lines) if self.is_masked else tuple(lines)
        if self.is_masked:
            self.lines = tuple(sorted(self.lines))
        values = [row["value"].split(" ") for row in connection.execute("SELECT value FROM archive_metadata WHERE key LIKE 'publish_intent:%'")]
        # The temporary file of each file that is still to get its name.
        self.intents = {os.path.basename(bytes.fromhex(destination)): os.path.basename(bytes.fromhex(temporary)) for temporary, destination, _ in values}
        self.problems += archive_text.range_findings(connection)

    @property
    def content(self):
        """What is compared."""
        return self.lines, self.files

    def leftovers(self):
        return [name for name in self.names if TEMPORARY.fullmatch(name) or (name.startswith(ARCHIVE + b"-") and name.endswith(COMPANIONS))]


def cached(path):
    """The rows of a cache without its build and its clock; of a file that is none, why."""
    with contextlib.closing(sqlite3.connect("file:%s?immutable=1" % path, uri=True)) as connection:
        try:
            rows = [connection.execute("SELECT name, value FROM CacheState WHERE name <> 'build_id' ORDER BY name").fetchall()]
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Cached%' ORDER BY name").fetchall():
                names = [row[1] for row in connection.execute("PRAGMA table_info(%s)" % table) if row[1] not in ("cacheBuildID", "computedAt")]
                rows.append((table, connection.execute("SELECT %s FROM %s ORDER BY rowid" % (", ".join(names), table)).fetchall()))
            return repr(rows).encode()
        except sqlite3.DatabaseError as error:
            return repr(error).encode()


def exports(connection):
    """The recorded exports, without their clock."""
    keys = archive_text.Keys(connection)
    found = ["export_manifests " + repr(tuple(row)) for row in connection.execute(
        "SELECT export_id, export_kind, from_observation_id, to_observation_id, filter_json, manifest_hash, record_count FROM export_manifests ORDER BY id")]
    items = connection.execute("SELECT m.export_id, i.sample_id, i.version_id, i.item_hash FROM export_items i LEFT JOIN export_manifests m ON m.id = i.export_manifest_id")
    return found + sorted("export_items %r" % ((row[0], keys.sample.get(row[1]), keys.version.get(row[2]), row[3]),) for row in items)


# Tables that the reference does not tell of: their references, and their columns.
OTHERS = {
    "schema_migrations": ("", "version description"),
    "archive_metadata": ("", "key value"),
    "source_documents": ("device_chain first_observation last_observation", "kind name name_hash size content_hash"),
    "unknown_elements": ("observation", "kind name occurrence_count"),
    "sample_type_origins": ("sample_type observation", "is_new display_name category"),
    "selected_type_sets": ("", "selected_type_set_hash types_json"),
    "withdrawn_observations": ("", "observation_id observed_at"),
    "context_log": ("", "event_kind"),
}
# A capture that is resumed says so; a publication that is not at its end is looked at by itself.
NOT_COMPARED = {"archive_metadata": "key NOT LIKE 'publish_intent:%'", "context_log": "event_kind NOT LIKE 'capture%'"}


def others(connection):
    """What else there is: the schema, migrations, the tables of a capture's facts, what the log is about."""
    keys = archive_text.Keys(connection, json.dumps)
    schema = connection.execute("SELECT type, name FROM sqlite_master ORDER BY 1, 2").fetchall()
    found = ["schema %s %s" % tuple(row) for row in schema]
    tables = {name for kind, name in map(tuple, schema) if kind == "table"}
    for table, (references, columns) in OTHERS.items():
        rows = connection.execute("SELECT * FROM %s WHERE %s" % (table, NOT_COMPARED.get(table, "1"))).fetchall() if table in tables else ()
        found += sorted(keys.line(table, row, references, columns) for row in rows)
    return found


def memory():
    """A folder in memory where there is one: what is safe is simulated, nothing here needs a medium."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


def difference(one, other):
    """Where two states differ, short."""
    ours, theirs = collections.Counter(one.lines), collections.Counter(other.lines)
    lines = ["%s %s" % (sign, line[:200]) for sign, left in (("-", ours - theirs), ("+", theirs - ours)) for line in sorted(left)[:4]]
    names = sorted(name for name in {*one.files, *other.files} if one.files.get(name) != other.files.get(name))
    return "; ".join(["files %s" % names if names else "", *lines])


def is_begun(state, old):
    """Whether an archive is the old one, or that with an observation that has begun and can be resumed."""
    more = collections.Counter(state.lines) - collections.Counter(old.lines)
    return not collections.Counter(old.lines) - collections.Counter(state.lines) and not any(line.startswith("observations ") and ENDED in line for line in more)


def is_prefix(state, old, new):
    """Whether an archive is the old one, the new one, or the old one with a part of an observation that can be resumed."""
    if state.lines in (old.lines, new.lines):
        return True
    if ARCHIVE in old.names and ARCHIVE not in state.names and not any(name.endswith(b"prototype-backup") for name in state.names):
        return False
    known = {*old.lines, *new.lines}
    before = {line for line in old.lines if line.startswith("observations ")}
    opened = [line for line in state.lines if line.startswith("observations ") and line not in before]
    if any(ENDED in line for line in opened):
        return False
    return all(line in known or line.startswith(OPEN) or UNSTATED.match(line) for line in state.lines)
