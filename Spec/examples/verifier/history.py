"""The history of an archive: Spec/history.md, with Python's sqlite3 alone.

    rows of history_links ──► form, link, link before ──► may it follow? ──► live observations ──► commitments
"""

import hashlib
import hmac
import json
import re
import sqlite3
import struct

from .canonical import canonical
from .spec import sql
from .timestamps import is_timestamp

HEX64 = re.compile("[0-9a-f]{64}")
SAFE = 2 ** 53 - 1
# The column that names the observation of a row, the first being `id`.
OWNERS = {"sample_observation_events": "observation_id", "sample_relationships": "observation_id",
          "sample_versions": "created_observation_id", "samples": "first_seen_observation_id"}
LEFT_OUT = {"sample_types": ("display_name", "category")}
TABLES = ("context_log", "device_chains", "hk_devices", "metadata_blobs", "sample_observation_events", "sample_relationships", "sample_types", "sample_versions",
          "samples", "source_revisions", "sources")
RANGES = ("rejected_records", "withheld_closures", "source_documents")


def columns_of():
    """The columns of each table, in the order of Spec/archive-schema.sql and archive-extensions.sql."""
    with sqlite3.connect(":memory:") as empty:
        empty.executescript(sql("archive-schema.sql") + sql("archive-extensions.sql"))
        tables = [name for name, in empty.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: [row[1] for row in empty.execute("PRAGMA table_info(%s)" % table)] for table in tables}


COLUMNS = columns_of()


def encoded(value):
    """A column as it is hashed."""
    if value is None:
        return b"N"
    if isinstance(value, int):
        return b"I" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"R" + struct.pack(">d", value)
    data = value.data if isinstance(value, Text) else value
    return (b"T" if isinstance(value, Text) else b"B") + struct.pack(">I", len(data)) + data


class Text:
    """A TEXT as its bytes, which need not be UTF-8."""

    def __init__(self, data):
        self.data = data

    def __eq__(self, other):
        return isinstance(other, Text) and self.data == other.data

    def __hash__(self):
        return hash(self.data)

    def __str__(self):
        return self.data.decode("utf-8", "replace")


def part(name, rows):
    return name.encode() + b"\n" + b"".join(b"+" + b"".join(map(encoded, row)) for row in rows) + b"."


def plain_hash(domain, text):
    return hashlib.sha256(b"hp:v2:%s:" % domain.encode() + text).hexdigest()


def is_safe(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= SAFE


class Entry:
    """A row of history_links. `value` is None where it is not an entry."""

    def __init__(self, sequence, observation, text, link):
        # A table that lost its key may hold anything there: no entry has the sequence 0.
        self.sequence, self.link = sequence if isinstance(sequence, int) else 0, str(link)
        self.digest = plain_hash("history_link", text.data if isinstance(text, Text) else b"")
        self.value = self.parsed(text, observation) if isinstance(text, Text) else None

    def parsed(self, text, observation):
        try:
            value = json.loads(text.data)
            if canonical(value) != text.data:
                return None
        except (ValueError, RecursionError):
            return None
        return value if self.has_form(value, observation) else None

    def has_form(self, value, observation):
        if not isinstance(value, dict):
            return False
        withdrawn = value.get("kind") == "withdrawn"
        about, lasts, rows = value.get("observation"), value.get("last_ids"), value.get("rows")
        members = {"archive", "entry_version", "kind", "last_ids", "made_at", "observation", "rows", "sequence", "tool_version"}
        tables = TABLES[:1] if withdrawn else TABLES
        return (set(value) - {"previous"} == members and value["entry_version"] == 2 and value["kind"] in ("observation", "sealed", "withdrawn")
                and is_hex(value["archive"]) and is_hex(value.get("previous", "0" * 64)) and value["sequence"] == self.sequence > 0 and is_safe(value["sequence"])
                and isinstance(value["made_at"], str) and is_timestamp(value["made_at"]) and isinstance(value["tool_version"], str)
                and isinstance(about, dict) and set(about) == {"hash", "id"} | (set() if withdrawn else {"lists_types", "states_facts"})
                and is_hex(about["hash"]) and is_safe(about["id"]) and about["id"] == observation and isinstance(about.get("lists_types", False), bool)
                and isinstance(about.get("states_facts", False), bool)
                and isinstance(lasts, dict) and set(lasts) <= set(tables) and all(map(is_safe, lasts.values()))
                and isinstance(rows, dict) and set(rows) <= set(lasts) and all(map(is_commitment, rows.values())))

    @property
    def kind(self):
        return self.value["kind"]

    @property
    def observation(self):
        return self.value["observation"]["id"]

    def last(self, table):
        return self.value["last_ids"].get(table, -SAFE - 1)


def identity_of(salt, made_at):
    return plain_hash("history_archive", canonical({"made_at": made_at, "salt": salt}))


def is_hex(value):
    return isinstance(value, str) and bool(HEX64.fullmatch(value))


def is_commitment(value):
    return isinstance(value, dict) and set(value) == {"count", "hash"} and is_safe(value["count"]) and value["count"] > 0 and is_hex(value["hash"])


class Commitments:
    """What entries commit to: keyed hashes of rows of an archive. `connection` gives texts as Text."""

    def __init__(self, connection, salt):
        self.connection, self.key = connection, bytes.fromhex(salt)
        self.tables = {str(name) for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def query(self, text, *values):
        return self.connection.execute(text, values).fetchall()

    def keyed(self, domain, parts):
        return hmac.new(self.key, b"hp:v2:%s:" % domain.encode() + parts, hashlib.sha256).hexdigest()

    def rows(self, table, claims):
        """For each claim, an observation and the greatest id of the table: count and hash of its rows, None without rows, "beyond" where one is beyond the id. `unclaimed` has how many rows go by their ids and belong to none."""
        columns = [name for name in COLUMNS[table] if name not in LEFT_OUT.get(table, ())]
        claimed, beyond = [[] for _ in claims], set()
        self.unclaimed = 0
        places = {observation: place for place, (observation, _) in enumerate(claims)}
        for row in self.query("SELECT %s FROM %s ORDER BY id" % (", ".join(columns), table)) if table in self.tables else []:
            owner = row[columns.index(OWNERS[table])] if table in OWNERS else None
            if owner is not None:
                place = places.get(owner) if isinstance(owner, int) else None
                if place is not None and isinstance(row[0], int) and row[0] > claims[place][1]:
                    beyond.add(place)
            else:
                place = next((place for place, (_, last) in enumerate(claims) if isinstance(row[0], int) and row[0] <= last), None)
                self.unclaimed += place is None
            if place is not None:
                claimed[place].append(row)
        return ["beyond" if place in beyond else {"count": len(rows), "hash": self.keyed("history_rows", part(table, rows))} if rows else None
                for place, rows in enumerate(claimed)]

    def part_of(self, table, condition, order, *values, name=None, columns=None):
        if table not in self.tables:
            return part(name or table, [])
        return part(name or table, self.query("SELECT %s FROM %s WHERE %s ORDER BY %s" % (columns or ", ".join(COLUMNS[table]), table, condition, order), *values))

    def observation(self, n, stated, below, last):
        """The hash of observation n, with what its entry states of it; the types with ids beyond `below`, up to `last`, belong to its entry."""
        has_origins = "sample_type_origins" in self.tables
        parts = [
            self.part_of("archive_metadata", "key IN ('identity_rules', 'private_metadata') OR ? AND key = 'extension:capture_facts'", "key",
                         stated["states_facts"], columns="key, value"),
            self.part_of("observations", "id = ?", "id", n),
            self.part_of("observation_type_runs", "observation_id = ?", "id", n),
            self.part_of("type_run_facts", "type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = ?)", "type_run_id", n),
            self.part_of("observation_facts", "observation_id = ?", "1", n),
            self.part_of("zone_rules", "zone_rules_hash = (SELECT zone_rules_hash FROM observation_facts WHERE observation_id = ?)", "1", n),
            self.part_of("selected_type_sets", "selected_type_set_hash = (SELECT selected_type_set_hash FROM observations WHERE id = ?)", "1", n)
            if stated["lists_types"] else part("selected_type_sets", []),
            self.origins(n) if has_origins else part("sample_type_origins", []),
            self.names(below, last, has_origins),
            self.part_of("unknown_elements", "observation_id = ?", "CAST(kind AS BLOB), CAST(name AS BLOB)", n),
            self.part_of("relationship_ends", "observation_id = ?", "id", n),
        ]
        for table in RANGES:
            columns = ", ".join(name for name in COLUMNS[table] if name != "last_observation_id")
            parts.append(self.part_of(table, "first_observation_id = ?", "id", n, columns=columns))
            parts.append(self.part_of(table, "last_observation_id = ?", "id", n, name=table + "_ended", columns="id"))
        return self.keyed("history_observation", b"".join(parts))

    def withdrawal(self, n):
        return self.keyed("history_observation", self.part_of("withdrawn_observations", "observation_id = ?", "1", n))

    def origins(self, n):
        rows = []
        for origin in self.query("SELECT %s FROM sample_type_origins WHERE observation_id = ? ORDER BY sample_type_id" % ", ".join(COLUMNS["sample_type_origins"]), n):
            stated = dict(zip(COLUMNS["sample_type_origins"], origin))
            named = self.query("SELECT display_name, category FROM sample_types WHERE id = ?", stated["sample_type_id"]) or [(None, None)]
            rows.append(origin + tuple(value if stated[name] is not None else None for name, value in zip(("display_name", "category"), named[0])))
        return part("sample_type_origins", rows)

    def names(self, below, last, has_origins):
        rows = []
        for number, *names in self.query("SELECT id, display_name, category FROM sample_types WHERE id > ? AND id <= ? ORDER BY id", below, last):
            origins = self.query("SELECT display_name, category FROM sample_type_origins WHERE sample_type_id = ?", number) if has_origins else []
            rows.append((number,) + tuple(None if any(origin[place] is not None for origin in origins) else name for place, name in enumerate(names)))
        return part("sample_type_names", rows)


def salt_of(connection):
    """The salt of an archive, or None where there is none."""
    salt = connection.execute("SELECT value FROM archive_metadata WHERE key = 'history_salt'").fetchone()
    return str(salt[0]) if salt and isinstance(salt[0], Text) and is_hex(str(salt[0])) else None


class History:
    """A history that was read: its findings, and what a head is compared with."""

    def __init__(self, connection):
        connection.text_factory = Text
        self.connection = connection
        self.live, self.accepted, self.findings, self.stacks = [], [], [], {}
        self.greatest = None
        self.entries = [Entry(*row) for row in self.query("SELECT sequence, observation_id, entry_json, link FROM history_links ORDER BY sequence")]
        self.salt = salt_of(connection)
        self.archive = next((entry.value["archive"] for entry in self.entries if entry.value), None)
        self.read_chain()
        if not {code for code, _ in self.findings} & {"history.entry", "history.identity"}:
            self.compare(Commitments(connection, self.salt))
        self.compare_completeness()

    def query(self, text, *values):
        return self.connection.execute(text, values).fetchall()

    # States

    def read_chain(self):
        link, before = None, 0
        first = True
        for entry in self.entries:
            if entry.link != entry.digest:
                self.findings.append(("history.link", entry.sequence))
            if entry.value is None:
                self.findings.append(("history.entry", entry.sequence))
            else:
                if entry.value.get("previous") != link or entry.sequence != before + 1 or entry.value["archive"] != self.archive:
                    self.findings.append(("history.previous", entry.sequence))
                if first and not self.is_identity(entry):
                    self.findings.append(("history.identity", entry.sequence))
                first = False
                if self.may_follow(entry):
                    self.accept(entry)
                else:
                    self.findings.append(("history.state", entry.sequence))
            link, before = entry.digest, entry.sequence
            self.stacks[entry.sequence] = [other.observation for other in self.live]

    def is_identity(self, entry):
        return self.salt is not None and identity_of(self.salt, entry.value["made_at"]) == entry.value["archive"]

    def may_follow(self, entry):
        if self.accepted and entry.last("context_log") < self.accepted[-1].last("context_log"):
            return False
        if entry.kind == "withdrawn":
            return bool(self.live) and self.live[-1].observation == entry.observation
        if self.greatest is not None and entry.observation <= self.greatest:
            return False
        return not self.live or all(entry.last(table) >= self.live[-1].last(table) for table in TABLES[1:])

    def accept(self, entry):
        self.accepted.append(entry)
        if entry.kind == "withdrawn":
            self.live.pop()
        else:
            self.live.append(entry)
            self.greatest = entry.observation

    # Commitments

    def compare(self, commitments):
        for table in TABLES:
            entries = self.accepted if table == "context_log" else self.live
            found = commitments.rows(table, [(entry.observation, entry.last(table)) for entry in entries])
            # A row without an observation counts at every one; others may be of a newer observation.
            if commitments.unclaimed and table != "context_log" and (table in OWNERS or not self.has_newer()):
                self.findings.append(("history.no_entry", table))
            self.findings += [("history.rows", entry.sequence) for entry, rows in zip(entries, found) if rows != entry.value["rows"].get(table)]
        below = -SAFE - 1
        for entry in self.live:
            last = entry.last("sample_types")
            stated = entry.value["observation"]
            if not self.query("SELECT 1 FROM observations WHERE id = ?", entry.observation):
                self.findings.append(("history.observation_missing", entry.sequence))
            elif commitments.observation(entry.observation, stated, below, last) != stated["hash"]:
                self.findings.append(("history.observation", entry.sequence))
            below = last
        for entry in self.accepted:
            if entry.kind == "withdrawn" and commitments.withdrawal(entry.observation) != entry.value["observation"]["hash"]:
                self.findings.append(("history.observation", entry.sequence))

    def has_newer(self):
        return self.greatest is None or bool(self.query("SELECT 1 FROM observations WHERE id > ?", self.greatest))

    def compare_completeness(self):
        live = {entry.observation for entry in self.live}
        if self.greatest is not None:
            for number, in self.query("SELECT id FROM observations WHERE id <= ? ORDER BY id", self.greatest):
                if number not in live:
                    self.findings.append(("history.no_entry", number))

    # Head

    def statement(self):
        """What a signature of the history covers (Spec/signatures.md), where there are entries and no findings."""
        newest = self.entries[-1]
        return "healthprobe-history 1\narchive %s\nlength %d\nlink %s\n" % (self.archive, newest.sequence, newest.digest)

    def answer(self, head):
        """What a head says of the archive: a word, and the observations that were withdrawn since."""
        if not self.entries:
            return "rewound", []
        if self.archive is not None and self.archive != head["archive"]:
            return "another archive", []
        if self.entries[-1].sequence < head["length"]:
            return "rewound", []
        links = {entry.sequence: entry.digest for entry in self.entries}
        broken = {code for code, _ in self.findings} & {"history.entry", "history.link", "history.previous", "history.identity", "history.state"}
        if broken or links.get(head["length"]) != head["link"]:
            return "forked", []
        live = {entry.observation for entry in self.live}
        gone = [number for number in self.stacks[head["length"]] if number not in live]
        if gone:
            return "withdrawn since", gone
        return "extends" if not self.findings else "changed", []


def head_of(text):
    """The head that three lines state; None for anything else."""
    lines = [line.split() for line in text.split("\n") if line.split()]
    if len(text) > 4096 or [line[0] for line in lines] != ["archive", "length", "link"] or any(len(line) != 2 for line in lines):
        return None
    (_, archive), (_, length), (_, link) = lines
    if not is_hex(archive) or not is_hex(link) or not re.fullmatch("[1-9][0-9]*", length):
        return None
    return {"archive": archive, "length": int(length), "link": link}
