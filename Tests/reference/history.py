"""The history of an archive, from Spec/history.md alone: the entries that its rows give, and what does not fit.

usage: history.py ARCHIVE

Python 3.9 or later, standard library only.
"""
import hashlib
import json
import pathlib
import sqlite3
import struct
import sys

from export_bundle import canonical

GROWN = {
    "context_log": "id logged_at event_kind observation_id tool_version detail_json",
    "device_chains": "id device_chain_hash created_at recovered_from_keychain",
    "hk_devices": "id device_hash manufacturer_hash model hardware_version firmware_version software_version local_identifier_hash udi_hash",
    "metadata_blobs": "id metadata_hash metadata_json",
    "observations": "id device_chain_id observed_at started_at trigger_reason",
    "sample_observation_events": "id observation_id sample_id version_id event_kind observed_at evidence_kind",
    "sample_relationships": "id observation_id source_sample_id target_sample_id relationship_kind metadata_id",
    "sample_types": "id type_identifier",
    "sample_versions": "id sample_id payload_hash start_date end_date value_kind numeric_value unit category_value workout_activity_type "
                       "duration_seconds source_revision_id hk_device_id metadata_id created_observation_id",
    "samples": "id sample_type_id sample_uuid_hash strict_fingerprint semantic_fingerprint fuzzy_key first_seen_observation_id first_seen_at",
    "source_revisions": "id source_id product_type version operating_system_version",
    "sources": "id source_name_hash bundle_identifier",
}

# Name, table, columns, condition on :n, order.
PARTS = [
    ("observations", "observations", "id device_chain_id observed_at started_at ended_at status trigger_reason app_version os_version "
     "time_zone_identifier time_zone_seconds_from_gmt schema_version selected_type_set_hash notes", "id = :n", "id"),
    ("observation_type_runs", "observation_type_runs", "id observation_id sample_type_id status started_at ended_at anchor_before anchor_after "
     "inserted_event_count deleted_event_count verified_visible_count error_kind error_message_hash", "observation_id = :n", "id"),
    ("type_run_facts", "type_run_facts", "type_run_id mode state last_verified_observation_id stated_count withheld_count discontinuity",
     "type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id = :n)", "type_run_id"),
    ("observation_facts", "observation_facts", "observation_id clock_code clock_skew_seconds person_hash", "observation_id = :n", "1"),
    ("sample_type_origins", "sample_type_origins", "sample_type_id observation_id is_new display_name category", "observation_id = :n", "sample_type_id"),
    ("unknown_elements", "unknown_elements", "observation_id kind name occurrence_count", "observation_id = :n", "CAST(kind AS BLOB), CAST(name AS BLOB)"),
    ("relationship_ends", "relationship_ends", "id observation_id source_sample_id target_sample_id relationship_kind", "observation_id = :n", "id"),
]
for table, columns in (("rejected_records", "id device_chain_id sample_type_id content_hash record_count reason place start_date first_observation_id"),
                       ("withheld_closures", "id sample_id first_observation_id"),
                       ("source_documents", "id device_chain_id kind name name_hash size content_hash first_observation_id")):
    PARTS += [(table, table, columns, "first_observation_id = :n", "id"), (table + "_ended", table, "id", "last_observation_id = :n", "id")]


def encoded(value):
    if value is None:
        return b"N"
    if isinstance(value, int):
        return b"I" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"R" + struct.pack(">d", value)
    text = value.encode("utf-8") if isinstance(value, str) else value
    return (b"T" if isinstance(value, str) else b"B") + struct.pack(">I", len(text)) + text


def part(name, rows):
    return name.encode("ascii") + b"\n" + b"".join(b"+" + b"".join(map(encoded, row)) for row in rows) + b"."


def digest(domain, content):
    return hashlib.sha256(b"hp:v2:" + domain.encode("ascii") + b":" + content).hexdigest()


class History:
    """What an archive's rows give."""

    def __init__(self, connection):
        self.connection = connection
        self.tables = {name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def query(self, table, columns, condition, order, **values):
        if table not in self.tables:
            return []
        return self.connection.execute("SELECT %s FROM %s WHERE %s ORDER BY %s" % (columns.replace(" ", ", "), table, condition, order), values).fetchall()

    def rows(self, table, after, through):
        """The count and the hash of the rows beyond an id, up to another."""
        found = self.query(table, GROWN[table], "(:a IS NULL OR id > :a) AND id <= :t", "id", a=after, t=through)
        return {"count": len(found), "hash": digest("history_rows", part(table, found))}

    def observation(self, number):
        return digest("history_observation", b"".join(part(name, self.query(table, columns, condition, order, n=number))
                                                      for name, table, columns, condition, order in PARTS))

    def entries(self):
        return self.connection.execute("SELECT sequence, observation_id, entry_json, link FROM history_links ORDER BY sequence").fetchall()

    def faults(self):
        """What does not fit, as texts."""
        found = []
        entries = self.entries()
        parsed = {sequence: json.loads(text) for sequence, _, text, _ in entries}
        replaced = {number for sequence, entry in parsed.items() for number in range(entry.get("replaces", sequence), sequence)}
        newest = {observation: sequence for sequence, observation, _, _ in entries}
        link_before = None
        for place, (sequence, observation, text, link) in enumerate(entries):
            entry = parsed[sequence]
            if canonical(entry) != text or entry["sequence"] != sequence or entry["observation"]["id"] != observation:
                found.append("entry %d" % sequence)
            if link != digest("history_link", text.encode("utf-8")):
                found.append("link %d" % sequence)
            if sequence != place + 1 or entry.get("previous") != link_before or entry["archive"] != parsed[1]["archive"]:
                found.append("previous %d" % sequence)
            link_before = link
            if sequence not in replaced:
                base = parsed.get(entry.get("replaces", sequence) - 1, {"last_ids": {}})["last_ids"]
                rows = {table: self.rows(table, base.get(table), through) for table, through in entry["last_ids"].items()}
                if {table: value for table, value in rows.items() if value["count"]} != entry["rows"]:
                    found.append("rows %d" % sequence)
            if newest[observation] == sequence and "hash" in entry["observation"]:
                status = self.connection.execute("SELECT status FROM observations WHERE id = ?", (observation,)).fetchone()
                if status is None:
                    found.append("observation missing %d" % sequence)
                elif status[0] not in ("running", "started") and self.observation(observation) != entry["observation"]["hash"]:
                    found.append("observation %d" % sequence)
        return found


def main(arguments):
    connection = sqlite3.connect(pathlib.Path(arguments[0]).resolve().as_uri() + "?mode=ro", uri=True)
    faults = History(connection).faults()
    print("\n".join(faults) or "no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
