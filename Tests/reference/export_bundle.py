#!/usr/bin/env python3
"""Prints the text of a recovery bundle: every line of Spec/bundle.md, uncompressed.

    export_bundle.py ARCHIVE [--at ID] [--history] [--type T]... [--since D] [--until D]
                     [--source BUNDLE_ID]... [--generator-version V]

Written from Spec/ alone, to be compared byte for byte with the exporter. It takes the slow and obvious way
everywhere: all rows in memory, one sort, exact arithmetic. Canonical JSON, timestamps and hashes are those of the
verifier in Spec/examples. Python 3.9 or later, standard library only.

Exit status: 0 done, 2 could not be done.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
import urllib.parse
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Spec" / "examples"))

from days import days_of_observation  # noqa: E402
from verifier.canonical import canonical as canonical_bytes  # noqa: E402
from verifier.hashes import export_id as id_of_header, sha256  # noqa: E402
from verifier.timestamps import write_timestamp as timestamp  # noqa: E402

EXTENSIONS = ROOT / "Spec" / "archive-extensions.sql"
SCHEMA = ROOT / "Spec" / "archive-schema.sql"
MAX_INTEGER = 2**53 - 1


class Refused(Exception):
    """What was asked for cannot be done; the text says why."""


# Stored values


class Stored(NamedTuple):
    """A value as SQLite holds it. `value` is None, int, float, or the bytes of a text (in UTF-8) or blob."""

    storage_class: str
    value: object


NULL = Stored("null", None)


def integer(value):
    return Stored("integer", value)


def read_table(connection, table, columns):
    """All rows of a table, each a dict of Stored values; `rowid` is the plain row id."""
    wanted = ", ".join(f'"{name}", typeof("{name}")' for name in columns)
    rows = []
    for row in connection.execute(f'SELECT rowid, {wanted} FROM "{table}" ORDER BY rowid'):
        values = {name: Stored(row[2 + 2 * i].decode(), row[1 + 2 * i]) for i, name in enumerate(columns)}
        rows.append({"rowid": row[0], **values})
    return rows


# Spec/timestamps.md


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_lengths(year):
    return [31, 29 if is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def days_before_year(year):
    """Days from 0001-01-01 to the first day of the year."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


DAYS_TO_1970 = days_before_year(1970)


def is_in_years(double):
    return -62135596800 <= double < 253402300800


def read_date(text, days):
    """The double that a date argument names: a timestamp with Z or an offset; or a day, month or year, which begins
    as one of the local days of an observation."""
    local = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", text, re.ASCII)
    if local:
        return local_start(text, [int(part or 1) for part in local.groups()], days)
    match = re.fullmatch(
        r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", text, re.ASCII)
    if not match:
        raise Refused(f"not a date: {ascii(text)}")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    sign, offset_hour, offset_minute = match[8] or "+", int(match[9] or 0), int(match[10] or 0)
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= month_lengths(year)[month - 1] and hour < 24
            and minute < 60 and second < 60 and offset_hour < 24 and offset_minute < 60):
        raise Refused(f"not a date: {ascii(text)}")
    days = days_before_year(year) - DAYS_TO_1970 + sum(month_lengths(year)[:month - 1]) + day - 1
    offset = (offset_hour * 60 + offset_minute) * (1 if sign == "+" else -1)
    seconds = days * 86400 + (hour * 60 + minute - offset) * 60 + second
    fraction = match[7] or "0"
    double = float(seconds + Fraction(int(fraction), 10 ** len(fraction)))
    if not is_in_years(double) or timestamp(double) is None:
        raise Refused(f"a date that has no timestamp: {ascii(text)}")
    return double


def local_start(text, numbers, days):
    """The first moment of a local date (Spec/capture.md, "Local days")."""
    try:
        day = date(*numbers)
    except ValueError:
        raise Refused(f"not a date: {ascii(text)}")
    double = float(days.first_of((day - date(1970, 1, 1)).days))
    if not is_in_years(double):
        raise Refused(f"a date that has no timestamp: {ascii(text)}")
    return double


# Spec/canonical-json.md


def canonical(value):
    """The canonical text of a JSON value made of None, bool, int, float, str, list and dict."""
    return canonical_bytes(value).decode()


def depth(value):
    """How many objects and arrays are nested: 1 for `{}`."""
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def unique_members(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def refuse_constant(name):
    raise ValueError(name)


def metadata_value(text):
    """An object where the text is canonical JSON of an object at most 64 deep, else the text."""
    try:
        value = json.loads(text, object_pairs_hook=unique_members, parse_int=float, parse_constant=refuse_constant)
        if isinstance(value, dict) and depth(value) <= 64 and canonical(value) == text:
            return value
    except (ValueError, RecursionError):
        pass
    return text


# Spec/items.md, "Defects"

EXPECTED = {
    "text": {"text"}, "metadata": {"text"}, "integer": {"integer"},
    "number": {"real", "integer"}, "timestamp": {"real", "integer"},
}


def fault(stored, kind, required):
    """The first reason of the table of reasons that fits, or None."""
    storage_class, value = stored
    if storage_class == "null":
        return "null" if required else None
    if storage_class not in EXPECTED[kind]:
        return "storage_class"
    if storage_class == "text":
        return text_fault(value)
    if storage_class == "integer" and abs(value) > MAX_INTEGER:
        return "integer_range"
    if storage_class == "real":
        if math.isinf(value):
            return "not_finite"
        if value == 0 and math.copysign(1, value) < 0:
            return "negative_zero"
    if kind == "timestamp":
        if not is_in_years(value):
            return "date_range"
        if timestamp(float(value)) is None:
            return "date_precision"
    return None


def text_fault(value):
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return "utf8"
    return "nul" if b"\0" in value else None


def json_value(stored, kind):
    """The JSON value of a stored value without a fault."""
    value = stored.value
    if kind == "text":
        return value.decode()
    if kind == "metadata":
        return metadata_value(value.decode())
    if kind == "timestamp":
        return timestamp(float(value))
    return value


def defect(pointer, reason, stored):
    entry = {"pointer": pointer, "reason": reason, "storage_class": stored.storage_class}
    if stored.storage_class == "integer":
        entry["value"] = str(stored.value)
    elif stored.storage_class == "real":
        entry["value"] = struct.pack(">d", stored.value).hex()
    elif stored.storage_class != "null":
        entry["value"] = stored.value.hex()
    return entry


class Draft:
    """An object under construction, with the defects of everything in it (pointers from this object)."""

    def __init__(self):
        self.members = {}
        self.defects = []

    def put(self, name, stored, kind, required=False):
        """Puts a member, or a defect in its place, or nothing for a NULL."""
        reason = fault(stored, kind, required)
        if reason:
            self.defects.append(defect("/" + name, reason, stored))
        elif stored.storage_class != "null":
            self.members[name] = json_value(stored, kind)

    def put_columns(self, row, columns):
        """Columns as `name:kind`, with `!` behind the kind where the column is NOT NULL."""
        for column in columns.split():
            name, kind = column.split(":")
            self.put(name, row[name], kind.rstrip("!"), kind.endswith("!"))

    def refer(self, name, stored, rows, required=False):
        """The row that an id names; where there is none, a defect at `name` unless the id is NULL."""
        if stored.storage_class == "integer" and stored.value in rows:
            return rows[stored.value]
        reason = fault(stored, "integer", required)
        if reason or stored.storage_class != "null":
            self.defects.append(defect("/" + name, reason or "missing_row", stored))
        return None

    def attach(self, name, draft):
        self.members[name] = draft.members
        self.adopt("/" + name, draft)

    def attach_array(self, name, drafts):
        self.members[name] = [draft.members for draft in drafts]
        for index, draft in enumerate(drafts):
            self.adopt(f"/{name}/{index}", draft)

    def adopt(self, pointer, draft):
        self.defects += [{**entry, "pointer": pointer + entry["pointer"]} for entry in draft.defects]

    def finished(self):
        if self.defects:
            self.members["defects"] = sorted(self.defects, key=lambda entry: entry["pointer"].encode())
        return self.members


def order(value):
    """A sort key: absent before any value, texts by their UTF-8 bytes."""
    if value is None:
        return (0,)
    return (1, value.encode() if isinstance(value, str) else value)


def stored_order(stored):
    """A sort key as SQLite orders values: NULL, numbers, texts, blobs."""
    rank = {"null": 0, "integer": 1, "real": 1, "text": 2, "blob": 3}[stored.storage_class]
    return (rank,) if rank == 0 else (rank, stored.value)


# The archive

ITEM = json.loads((SCHEMA.parent / "schemas" / "item.json").read_text(encoding="utf-8"))["$defs"]


def stored_members(table):
    """The columns of a table that items have as members, by the kind of the item, as `Draft.put_columns` takes them."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    rows = connection.execute("SELECT name, CASE WHEN \"notnull\" THEN '!' ELSE '' END FROM pragma_table_info(?) ORDER BY name", (table,)).fetchall()
    found = {}
    for item_kind in ("record", "sample", "version", "change", "payload"):
        members = ITEM[item_kind]["properties"]
        kinds = {name: inner["$ref"].rpartition("/")[2] if "$ref" in inner else inner.get("type") for name, inner in members.items()}
        found[item_kind] = " ".join("%s:%s%s" % (name, {"string": "text"}.get(kinds[name], kinds[name]), mark) for name, mark in rows if name in members)
    return found


SAMPLE, VERSION = stored_members("samples"), stored_members("sample_versions")
DEVICE = ("device_hash:text firmware_version:text hardware_version:text local_identifier_hash:text "
          "manufacturer_hash:text model:text software_version:text udi_hash:text")
REVISION = "operating_system_version:text product_type:text version:text"
SOURCE = "bundle_identifier:text source_name_hash:text"
METADATA = "metadata_hash:text! metadata_json:metadata!"
EVENT = "event_kind:text! evidence_kind:text observation_id:integer! observed_at:timestamp!"
RANGE_START = "first_observation_id:integer! first_seen_at:timestamp!"
RANGE_END = "last_observation_id:integer last_seen_at:timestamp"
OBSERVATION = ("id:integer! observed_at:timestamp! started_at:timestamp ended_at:timestamp status:text! "
               "trigger_reason:text! app_version:text os_version:text time_zone_identifier:text "
               "time_zone_seconds_from_gmt:integer schema_version:integer! selected_type_set_hash:text notes:text")
CHAIN = "created_at:timestamp! device_chain_hash:text! recovered_from_keychain:integer!"
TYPE = "category:text display_name:text"
RUN = ("observation_id:integer! status:text! started_at:timestamp ended_at:timestamp inserted_event_count:integer! "
       "deleted_event_count:integer! verified_visible_count:integer error_kind:text error_message_hash:text")
RUN_FACTS = ("mode:text state:text last_verified_observation_id:integer stated_count:integer withheld_count:integer "
             "conflict_count:integer unread_count:integer discontinuity:text")

TABLES = {
    "chains": ("device_chains", CHAIN),
    "observations": ("observations", OBSERVATION + " device_chain_id:"),
    "types": ("sample_types", TYPE + " type_identifier:"),
    "runs": ("observation_type_runs", RUN + " sample_type_id:"),
    "sources": ("sources", SOURCE),
    "revisions": ("source_revisions", REVISION + " source_id:"),
    "devices": ("hk_devices", DEVICE),
    "metadata": ("metadata_blobs", METADATA),
    "samples": ("samples", SAMPLE["record"] + " sample_type_id:"),
    "versions": ("sample_versions", VERSION["record"] + " sample_id: source_revision_id: hk_device_id: metadata_id:"),
    "events": ("sample_observation_events", EVENT + " sample_id: version_id:"),
    "ranges": ("sample_visibility_ranges", RANGE_START + " " + RANGE_END + " sample_id: version_id:"),
    "relationships": ("sample_relationships", "observation_id: source_sample_id: target_sample_id: "
                      "relationship_kind: metadata_id:"),
}


@contextlib.contextmanager
def opened(path):
    """A read-only connection; an archive with a -wal or -journal is read from a private copy."""
    path = os.fsencode(path)
    if not os.path.isfile(path):
        raise Refused("the archive is not a regular file")
    with tempfile.TemporaryDirectory() as folder:
        companions = [s for s in (b"-wal", b"-journal") if os.path.exists(path + s) and os.path.getsize(path + s)]
        parameters = "mode=ro&immutable=1"
        if companions:
            copy = os.path.join(os.fsencode(folder), b"archive.sqlite")
            for suffix in [b"", *companions]:
                shutil.copyfile(path + suffix, copy + suffix)
            path, parameters = copy, "mode=rw"
        uri = "file:" + urllib.parse.quote(os.path.abspath(path)) + "?" + parameters
        connection = sqlite3.connect(uri, uri=True)
        try:
            connection.text_factory = bytes
            yield connection
        finally:
            connection.close()


def required_columns():
    """Table name to the set of column names, as the schema of the specification has them."""
    model = sqlite3.connect(":memory:")
    model.executescript(SCHEMA.read_text(encoding="utf-8"))
    names = [name for (name,) in model.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: {row[1] for row in model.execute(f'PRAGMA table_info("{name}")')} for name in names}
    model.close()
    return columns


def check_schema(connection):
    entries = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    for table, columns in required_columns().items():
        name = table.encode()
        plain = [e for e in entries if e[:2] == (b"table", name) and not e[3].upper().startswith(b"CREATE VIRTUAL")]
        if not plain:
            raise Refused(f"{table} is not a table of the archive")
        if any(e[0] == b"trigger" and e[2] == name for e in entries):
            raise Refused(f"{table} has a trigger")
        found = {row[1].decode(): row[6] for row in connection.execute(f'PRAGMA table_xinfo("{table}")')}
        if columns - found.keys():
            raise Refused(f"{table} lacks a column")
        if any(found.values()):
            raise Refused(f"{table} has a generated column")
    version = connection.execute("SELECT value FROM archive_metadata WHERE key = 'schema_version'").fetchone()
    migration = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
    if version != (b"2",) or migration != (2,):
        raise Refused("the archive does not have schema version 2")


def history_entries(connection):
    """By observation, what its exports carry: its entry, where it is live and was made when the observation ended."""
    if not connection.execute("SELECT 1 FROM archive_metadata WHERE key = 'extension:history' AND value = '2'").fetchone():
        return {}
    found = {}
    for sequence, observation, entry, link in connection.execute("SELECT sequence, observation_id, entry_json, link FROM history_links ORDER BY sequence"):
        entry = json.loads(entry)
        found[observation] = None if entry["kind"] != "observation" else {
            "archive": entry["archive"], "link": link.decode() if isinstance(link, bytes) else link, "sequence": sequence}
    return found


class Archive:
    """All rows of the tables that an export reads."""

    def __init__(self, path):
        with opened(path) as connection:
            check_schema(connection)
            stated = connection.execute("SELECT value, typeof(value) FROM archive_metadata WHERE key = 'identity_rules'").fetchone()
            self.identity_rules = 2 if stated == (b"2", b"text") else None
            has_facts = connection.execute("SELECT 1 FROM archive_metadata WHERE key = 'extension:capture_facts' AND value = '2'").fetchone()
            facts = read_table(connection, "type_run_facts", [c.split(":")[0] for c in RUN_FACTS.split()]) if has_facts else []
            self.run_facts = {row["rowid"]: row for row in facts}
            self.with_facts, self.link_ends = set(), []
            if has_facts:
                self.with_facts = {row["observation_id"] for row in read_table(connection, "observation_facts", ["observation_id"])}
                self.link_ends = read_table(connection, "relationship_ends", [
                    "observation_id", "source_sample_id", "target_sample_id", "relationship_kind"])
            self.zones, self.origins = {}, []
            if has_facts:
                self.zones = dict(connection.execute("SELECT observation_id, transitions_json FROM observation_facts JOIN zone_rules USING (zone_rules_hash)"))
                self.origins = read_table(connection, "sample_type_origins", ["sample_type_id", "observation_id", "is_new", "display_name", "category"])
            self.stored_buckets = connection.execute("SELECT DISTINCT bucket_start, bucket_end, observation_id FROM daily_type_aggregates").fetchall()
            self.rejected = connection.execute("""SELECT device_chain_id, sample_type_id, content_hash, record_count, first_observation_id,
                last_observation_id FROM rejected_records""").fetchall() if has_facts else []
            self.rejected_starts = connection.execute("""SELECT device_chain_id, sample_type_id, start_date, first_observation_id, last_observation_id
                FROM rejected_records""").fetchall() if has_facts else []
            self.withheld = connection.execute("""SELECT device_chain_id, first_observation_id, last_observation_id FROM withheld_closures
                JOIN observations ON observations.id = first_observation_id""").fetchall() if has_facts else None
            self.history_entries = history_entries(connection)
            for name, (table, columns) in TABLES.items():
                setattr(self, name, read_table(connection, table, [c.split(":")[0] for c in columns.split()]))
        for name in ("chains", "observations", "types", "sources", "revisions", "devices", "metadata", "samples",
                     "versions"):
            setattr(self, name, {row["rowid"]: row for row in getattr(self, name)})

    def days(self, id):
        """The local days of an observation."""
        name, seconds = (self.observations[id][column] for column in ("time_zone_identifier", "time_zone_seconds_from_gmt"))
        is_named = name.storage_class == "text"
        same = {other for other, row in self.observations.items() if is_named and other <= id and row["time_zone_identifier"] == name}
        return days_of_observation(self.zones.get(id), name.value if is_named else None, seconds.value if seconds.storage_class == "integer" else None,
                                   [(start, end) for start, end, other in self.stored_buckets if other in same])

    def rejected_at(self, observation):
        """How many records of a type were rejected and there at an observation, by (type, hash of what was read)."""
        chain, found = self.observations[observation]["device_chain_id"].value, Counter()
        for of_chain, type_id, content, count, first, last in self.rejected:
            if of_chain == chain and first <= observation and (last is None or last > observation):
                found[type_id, content] += count
        return found

    def withheld_at(self, observation):
        """How many samples stayed visible at an observation since a rejected record could be one of them; None where the archive does not know."""
        chain = self.observations[observation]["device_chain_id"].value
        if self.withheld is None:
            return None
        return sum(of_chain == chain and first <= observation and (last is None or last > observation) for of_chain, first, last in self.withheld)

    def latest(self):
        """The newest observation that is not running or started: the one with the greatest id."""
        done = [i for i, row in self.observations.items() if not is_among(row["status"], (b"running", b"started"))]
        if not done:
            raise Refused("the archive has no finished observation")
        return max(done)


# Scope and filter


def row_of(rows, stored):
    """The row that an id names, or None."""
    return rows.get(stored.value) if stored.storage_class == "integer" else None


def is_among(stored, names):
    return stored.storage_class == "text" and stored.value in names


class Scope:
    """One observation, what its chain learned up to it, and the mode."""

    def __init__(self, archive, observation, mode):
        if observation not in archive.observations:
            raise Refused(f"observation {observation} is not in the archive")
        self.mode = mode
        self.id = observation
        self.observation = archive.observations[observation]
        self.chain = self.observation["device_chain_id"]
        self.foreign = {i for i, row in archive.observations.items() if row["device_chain_id"] != self.chain}

    def is_past(self, stored):
        """Whether an observation id is at or before the scope's."""
        return stored.storage_class in ("integer", "real") and stored.value <= self.id

    def holds(self, stored):
        """Whether an observation id is at or before the scope's and is not of another chain."""
        return self.is_past(stored) and stored.value not in self.foreign

    def sees(self, row):
        """Whether a range is visible."""
        return self.holds(row["first_observation_id"]) and not self.is_past(row["last_observation_id"])

    def observations(self, archive):
        if self.mode == "point_in_time":
            return [self.observation]
        return [row for i, row in sorted(archive.observations.items()) if i <= self.id and i not in self.foreign]


class Filter:
    """Which samples and versions are selected; None is no filter."""

    def __init__(self, types, since, until, sources, overlapping=False, source_names=(), with_related=False):
        self.with_related = with_related
        self.overlapping = overlapping
        self.types = {os.fsencode(name) for name in types} or None
        self.sources = {os.fsencode(name) for name in sources} or None
        self.names = {os.fsencode(name) for name in source_names} or None
        for name in (self.types or set()) | (self.sources or set()):
            if text_fault(name):
                raise Refused("a filter is not UTF-8 text")
        self.texts = since, until
        self.since = self.until = None

    def place(self, archive, observation):
        """Dates are local days of an observation: of the one that is exported."""
        self.since, self.until = (None if text is None else read_date(text, archive.days(observation)) for text in self.texts)

    def members(self):
        members = {"overlapping": True} if self.overlapping else {}
        for name, values in (("sample_types", self.types), ("source_names", self.names), ("sources", self.sources)):
            if values is not None:
                members[name] = [value.decode() for value in sorted(values)]
        for name, double in (("since", self.since), ("until", self.until)):
            if double is not None:
                members[name] = timestamp(double)
        if self.with_related:
            members["with_related"] = True
        return members

    def has_payload_part(self):
        return (self.since, self.until, self.sources, self.names) != (None, None, None, None)

    def selects_sample(self, archive, sample):
        if self.types is None:
            return True
        row = row_of(archive.types, sample["sample_type_id"]) if sample else None
        return bool(row) and is_among(row["type_identifier"], self.types)

    def selects_version(self, archive, version):
        """Dates are compared by the stored number, also where it has no timestamp."""
        if not self.has_payload_part():
            return True
        if version is None:
            return False
        start, end = (stored.value if stored.storage_class in ("real", "integer") else None
                      for stored in (version["start_date"], version["end_date"]))
        if self.since is not None and not (start is not None and start >= self.since) \
                and not (self.overlapping and end is not None and end > self.since):
            return False
        if self.until is not None and not (start is not None and start < self.until):
            return False
        return self.selects_source(archive, version)

    def selects_source(self, archive, version):
        revision = row_of(archive.revisions, version["source_revision_id"])
        source = row_of(archive.sources, revision["source_id"]) if revision else None
        return all(wanted is None or bool(source) and is_among(source[column], wanted)
                   for column, wanted in (("bundle_identifier", self.sources), ("source_name_hash", self.names)))


# Items


class Export:
    """The items of one export, in order. Samples and versions are named by their stored ids."""

    def __init__(self, archive, scope, selection):
        self.archive, self.scope, self.selection = archive, scope, selection
        self.ranges, self.events = defaultdict(list), defaultdict(list)
        for row in archive.ranges:
            wanted = scope.sees(row) if scope.mode == "point_in_time" else scope.holds(row["first_observation_id"])
            if wanted:
                self.ranges[row["sample_id"], row["version_id"]].append(row)
        for row in archive.events:
            if scope.mode == "history" and scope.holds(row["observation_id"]):
                self.events[row["sample_id"], row["version_id"]].append(row)
        self.relationships = self.related()
        self.places = self.select()
        if selection.with_related:
            self.follow_links()
        self.in_scope = {sample for kind, sample, _ in self.places if kind != "version"}
        finished = [(self.sort_key(*place, draft), place, draft.finished()) for place, draft in self.drafts()]
        finished.sort(key=lambda entry: entry[0])
        self.items = [item for *_, item in finished]
        self.places_in_order = [place for _, place, _ in finished]

    def selects(self, sample, version=NULL):
        return self.selection.selects_sample(self.archive, row_of(self.archive.samples, sample)) \
            and self.selection.selects_version(self.archive, row_of(self.archive.versions, version))

    def select(self):
        """(item kind, sample, version) of every item."""
        if self.scope.mode == "point_in_time":
            return [("record", *pair) for pair in self.ranges if self.selects(*pair)]
        holds = self.scope.holds
        pairs = set(self.ranges) | set(self.events)
        pairs |= {(row["sample_id"], integer(i)) for i, row in self.archive.versions.items()
                  if holds(row["created_observation_id"])}
        known = {integer(i) for i, row in self.archive.samples.items() if holds(row["first_seen_observation_id"])}
        known |= {sample for sample, _ in pairs}
        versions = {pair for pair in pairs if pair[1] != NULL}
        selected = {pair for pair in versions if self.selects(*pair)}
        samples = {sample for sample, _ in selected}
        bare = known - {sample for sample, _ in versions}
        samples |= {sample for sample in bare if self.selects(sample)}
        return [("sample", sample, NULL) for sample in samples] + [("version", *pair) for pair in selected]

    def follow_links(self):
        """Adds every visible version of the samples that the selected ones are linked to."""
        visible = {sample for sample, _ in self.ranges}
        found, waiting = set(), [sample for _, sample, _ in self.places]
        linked = set()
        while waiting:
            sample = waiting.pop()
            if sample in found:
                continue
            found.add(sample)
            for _, other, _ in self.relationships.get(sample, ()):
                if other in visible:
                    linked |= {sample, other}
                    waiting.append(other)
        chosen = set(self.places)
        self.places += [("record", *pair) for pair in self.ranges if pair[0] in linked and ("record", *pair) not in chosen]

    def related(self):
        """Per sample: (end, other sample, relationship row)."""
        related = defaultdict(list)
        link = lambda row: (row["source_sample_id"], row["target_sample_id"], row["relationship_kind"])
        later = defaultdict(list)  # what replaces or ends a link
        if self.scope.mode != "history":
            for row in [row for row in self.archive.relationships if row["observation_id"] in self.archive.with_facts] + self.archive.link_ends:
                if self.scope.holds(row["observation_id"]):
                    later[link(row)].append(row["observation_id"].value)
        for row in self.archive.relationships:
            if row["observation_id"] != NULL and any(other > row["observation_id"].value for other in later[link(row)]):
                continue
            if row["observation_id"] == NULL or self.scope.holds(row["observation_id"]):
                source, target = row["source_sample_id"], row["target_sample_id"]
                # Only an integer names a sample.
                if target.storage_class == "integer":
                    related[target].append(("source", source, row))
                if source.storage_class == "integer":
                    related[source].append(("target", target, row))
        return related

    def ended(self, row):
        """In a history, the end of a link: the first after its row, unless another row replaced that before."""
        if self.scope.mode != "history" or row["observation_id"] == NULL:
            return None
        link = lambda row: (row["source_sample_id"], row["target_sample_id"], row["relationship_kind"])
        later = lambda rows: [other["observation_id"] for other in rows if link(other) == link(row) and self.scope.holds(other["observation_id"])
                              and other["observation_id"].value > row["observation_id"].value]
        end = min(later(self.archive.link_ends), key=lambda value: value.value, default=None)
        rows = [other for other in self.archive.relationships if other["observation_id"] in self.archive.with_facts]
        return None if end is None or any(value.value < end.value for value in later(rows)) else end

    def drafts(self):
        for kind, sample, version in self.places:
            draft = Draft()
            draft.members["item_kind"] = kind
            self.put_sample(draft, sample)
            if kind != "sample":
                self.put_version(draft, version)
            if kind != "version":
                self.put_relationships(draft, sample)
            self.put_visibility(draft, self.ranges.get((sample, version), []))
            self.put_events(draft, self.events.get((sample, version), []))
            yield (sample, version), draft

    def sort_key(self, sample, version, draft):
        members = draft.members
        payload = row_of(self.archive.versions, version)
        start, end = (payload[name].value if payload and name in members else None for name in ("start_date", "end_date"))
        identity = members.get("sample_uuid_hash", members.get("strict_fingerprint"))
        return (order(members.get("sample_type")), order(start), order(end), order(identity),
                order(members.get("payload_hash")), order(members.get("strict_fingerprint")),
                stored_order(sample), stored_order(version))

    def put_sample(self, draft, stored):
        row = draft.refer("strict_fingerprint", stored, self.archive.samples, required=True)
        if row:
            draft.put_columns(row, SAMPLE[draft.members.get("item_kind", "sample")])
            self.put_type(draft, "sample_type", row)

    def put_type(self, draft, name, sample):
        row = draft.refer(name, sample["sample_type_id"], self.archive.types, required=True)
        if row:
            draft.put(name, row["type_identifier"], "text", required=True)

    def put_version(self, draft, stored):
        if stored == NULL:
            draft.defects.append(defect("/payload_hash", "no_version", stored))
            return
        row = draft.refer("payload_hash", stored, self.archive.versions)
        if row:
            draft.put_columns(row, VERSION[draft.members.get("item_kind", "payload")])
            self.put_device(draft, row)
            self.put_source(draft, row)
            self.put_metadata(draft, row)

    def put_device(self, draft, version):
        row = draft.refer("device", version["hk_device_id"], self.archive.devices)
        if row:
            device = Draft()
            device.put_columns(row, DEVICE)
            draft.attach("device", device)

    def put_source(self, draft, version):
        revision = draft.refer("source", version["source_revision_id"], self.archive.revisions)
        if revision:
            source = Draft()
            source.put_columns(revision, REVISION)
            row = source.refer("bundle_identifier", revision["source_id"], self.archive.sources, required=True)
            if row:
                source.put_columns(row, SOURCE)
            draft.attach("source", source)

    def put_metadata(self, draft, owner):
        row = draft.refer("metadata", owner["metadata_id"], self.archive.metadata)
        if row:
            draft.put("metadata", row["metadata_json"], "metadata", required=True)
            draft.put("metadata_hash", row["metadata_hash"], "text", required=True)

    def put_relationships(self, draft, sample):
        found = []
        for end, other, row in self.relationships.get(sample, []):
            entry = Draft()
            entry.members.update(end=end, end_in_scope=other in self.in_scope)
            entry.put("relationship_kind", row["relationship_kind"], "text", required=True)
            entry.put("observation_id", row["observation_id"], "integer")
            ended = self.ended(row)
            if ended is not None:
                entry.put("ended_observation_id", ended, "integer")
            self.put_end(entry, other)
            self.put_metadata(entry, row)
            key = [order(entry.members.get(name)) for name in
                   ("relationship_kind", "end", "end_sample_type", "end_identity_hash")]
            found.append(((key, row["rowid"]), entry))
        if found:
            draft.attach_array("relationships", [entry for _, entry in sorted(found, key=lambda pair: pair[0])])

    def put_end(self, entry, other):
        row = entry.refer("end_identity_hash", other, self.archive.samples, required=True)
        if row:
            hashed = row["sample_uuid_hash"]
            if hashed == NULL or fault(hashed, "text", False):
                hashed = row["strict_fingerprint"]
            entry.put("end_identity_hash", hashed, "text", required=True)
            self.put_type(entry, "end_sample_type", row)

    def put_visibility(self, draft, rows):
        found = []
        for row in rows:
            entry = Draft()
            entry.put_columns(row, RANGE_START)
            if self.scope.is_past(row["last_observation_id"]):
                entry.put_columns(row, RANGE_END)
            found.append(((order(entry.members.get("first_observation_id")), row["rowid"]), entry))
        if found:
            draft.attach_array("visibility", [entry for _, entry in sorted(found, key=lambda pair: pair[0])])

    def put_events(self, draft, rows):
        found = []
        for row in rows:
            entry = Draft()
            entry.put_columns(row, EVENT)
            key = [order(entry.members.get(name)) for name in ("observation_id", "event_kind")]
            found.append(((key, row["rowid"]), entry))
        if found:
            draft.attach_array("events", [entry for _, entry in sorted(found, key=lambda pair: pair[0])])


# Header and manifest


def header_object(archive, scope, selection, generator_version):
    draft = header_draft(archive, scope, selection, generator_version)
    draft.attach_array("observations", [observation_draft(row) for row in scope.observations(archive)])
    return finished_header(draft)


def put_chain(draft, name, archive, scope):
    chain = draft.refer(name, scope.chain, archive.chains, required=True)
    if chain:
        part = Draft()
        part.put_columns(chain, CHAIN)
        draft.attach(name, part)


def header_draft(archive, scope, selection, generator_version, kind="recovery_bundle", newer=None):
    """All of a header but its observations and its id."""
    draft = Draft()
    draft.members.update(
        archive_schema_version=2, export_kind=kind, filter=selection.members(),
        format="healthprobe-bundle" if kind == "recovery_bundle" else "healthprobe-report", format_version=3,
        generator={"name": "hp-export", "version": generator_version})
    if archive.identity_rules:
        draft.members["identity_rules"] = archive.identity_rules
    if archive.history_entries.get(scope.id):
        draft.members["history"] = archive.history_entries[scope.id]
    put_chain(draft, "device_chain", archive, scope)
    draft.attach_array("coverage", coverage(archive, scope, selection, newer))
    place = Draft()
    place.members["mode"] = scope.mode
    place.put("observation_id", integer(scope.id), "integer")
    draft.attach("scope", place)
    return draft


def finished_header(draft):
    export = draft.finished()
    export["export_id"] = export_id(export)
    return export


def observation_draft(row):
    draft = Draft()
    draft.put_columns(row, OBSERVATION)
    return draft


def coverage(archive, scope, selection, at=None):
    """`at`: the newer of two observations that are compared; what later ones brought of types is left out."""
    later = [origin for origin in archive.origins if origin["observation_id"].value > (scope.id if at is None else at)]
    new = {origin["sample_type_id"].value for origin in later if origin["is_new"].value == 1}
    unnamed = {(origin["sample_type_id"].value, column) for origin in later for column in ("display_name", "category") if origin[column].storage_class != "null"}
    types = {rowid: {column: Stored("null", None) if (rowid, column) in unnamed else stored for column, stored in row.items()}
             for rowid, row in archive.types.items() if rowid not in new}
    found = [(rowid, entry) for rowid, row in sorted(types.items()) for entry in coverage_entries(archive, scope, row)
             if selection.types is None or selection.with_related or is_among(row["type_identifier"], selection.types)]
    named = {entry.members["sample_type"].encode() for _, entry in found if "sample_type" in entry.members}
    for name in (selection.types or set()) - named:
        unknown = Draft()
        unknown.members.update(sample_type=name.decode(), status="never_queried")
        found.append((0, unknown))
    found.sort(key=lambda pair: (order(pair[1].members.get("sample_type")), pair[0]))
    return [entry for _, entry in found]


def coverage_entries(archive, scope, row):
    """The entries of a type: of a history one for each run, in their order, otherwise one for the newest."""
    runs = [run for run in archive.runs
            if run["sample_type_id"] == integer(row["rowid"]) and scope.holds(run["observation_id"])]
    runs.sort(key=lambda run: (run["observation_id"].value, run["rowid"]))
    return [coverage_entry(archive, scope, row, run) for run in (runs if scope.mode == "history" else runs[-1:]) or [None]]


def coverage_entry(archive, scope, row, newest):
    entry = Draft()
    entry.put("sample_type", row["type_identifier"], "text", required=True)
    entry.put_columns(row, TYPE)
    if newest:
        entry.put_columns(newest, RUN)
        if newest["rowid"] in archive.run_facts:
            entry.put_columns(archive.run_facts[newest["rowid"]], RUN_FACTS)
            for name in ("withheld_count", "conflict_count", "unread_count"):
                if entry.members[name] == 0:
                    del entry.members[name]
            if newest["observation_id"].value != scope.id and scope.mode != "history":
                entry.members["state"] = "unknown"
    else:
        entry.members["status"] = "never_queried"
    at = scope.id if scope.mode != "history" else newest["observation_id"].value if newest else None
    rejected = 0 if at is None else sum(count for (type_id, _), count in archive.rejected_at(at).items() if type_id == row["rowid"])
    if rejected:
        entry.members["rejected_count"] = rejected
    return entry


def export_id(export):
    return id_of_header(canonical_bytes(export))


def provenance_loss(item):
    device, source = item.get("device"), item.get("source")
    if item["item_kind"] not in ("record", "sample", "version"):
        return []
    carries_payload = item["item_kind"] != "sample"
    hashed = ("device_hash", "local_identifier_hash", "manufacturer_hash", "udi_hash")
    raised = {
        "device_absent": carries_payload and device is None,
        "device_identifiers_hashed": device is not None and any(name in device for name in hashed),
        "metadata_as_text": isinstance(item.get("metadata"), str),
        "operating_system_version_absent": source is not None and "operating_system_version" not in source,
        "payload_absent": carries_payload and "payload_hash" not in item,
        "relationship_end_not_in_scope": any(not r["end_in_scope"] for r in item.get("relationships", [])),
        "sample_uuid_absent": "sample_uuid_hash" not in item,
        "source_absent": carries_payload and source is None,
        "source_name_hashed": source is not None and "source_name_hash" in source,
        "source_version_absent": source is not None and "version" not in source,
    }
    return [code for code, is_raised in raised.items() if is_raised]


def totals_object(export, items):
    types = {}
    for item in items:
        entry = types.setdefault(item.get("sample_type"), {"defect_count": 0, "item_count": 0, "provenance_loss": {}})
        entry["defect_count"] += len(item.get("defects", []))
        entry["item_count"] += 1
        for code in provenance_loss(item):
            entry["provenance_loss"][code] = entry["provenance_loss"].get(code, 0) + 1
        if "sample_type" in item:
            entry["sample_type"] = item["sample_type"]
    defect_count = len(export.get("defects", [])) + sum(entry["defect_count"] for entry in types.values())
    return {"defect_count": defect_count, "item_count": len(items), "types": list(types.values())}


def item_hash(text):
    return sha256(b"hp:v2:export_item:", text.encode())


def manifest_hash(export, hashes, totals):
    return sha256(b"hp:v2:export_manifest:", canonical_bytes({"export": export, "items": hashes, "totals": totals}))


def text_of_lines(export, items):
    """The lines of an export, as bytes."""
    texts = [canonical(item) for item in items]
    hashes = [item_hash(text) for text in texts]
    totals = totals_object(export, items)
    lines = [canonical({"export": export})]
    lines += ['{"item":' + text + ',"item_hash":"' + hashed + '"}' for text, hashed in zip(texts, hashes)]
    lines.append(canonical({"manifest_hash": manifest_hash(export, hashes, totals), "totals": totals}))
    return "".join(line + "\n" for line in lines).encode()


def bundle_text(path, at=None, history=False, types=(), since=None, until=None, sources=(), overlapping=False,
                source_names=(), with_related=False, generator_version="0.1.0"):
    """The text of a bundle, as bytes."""
    archive = Archive(path)
    scope = Scope(archive, archive.latest() if at is None else at, "history" if history else "point_in_time")
    selection = Filter(types, since, until, sources, overlapping, source_names, with_related)
    selection.place(archive, scope.id)
    export = header_object(archive, scope, selection, generator_version)
    return text_of_lines(export, Export(archive, scope, selection).items)


def parser():
    options = argparse.ArgumentParser(description="Prints the text of a recovery bundle.")
    options.add_argument("archive")
    options.add_argument("--at", type=int, help="observation id (default: the newest that is not running or started)")
    options.add_argument("--history", action="store_true")
    options.add_argument("--type", dest="types", action="append", default=[])
    options.add_argument("--since")
    options.add_argument("--until")
    options.add_argument("--overlapping", action="store_true")
    options.add_argument("--source", dest="sources", action="append", default=[])
    options.add_argument("--source-name", dest="source_names", action="append", default=[], help="hash of a name")
    options.add_argument("--with-related", action="store_true")
    options.add_argument("--generator-version", default="0.1.0")
    return options


def main():
    arguments = vars(parser().parse_args())
    try:
        text = bundle_text(arguments.pop("archive"), **arguments)
    except (Refused, sqlite3.Error, OSError) as error:
        print(f"export_bundle.py: error: {error}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
