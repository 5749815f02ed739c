"""The members of every line, as the pages of the specification name them.

A specification is the name of a scalar type, a set of allowed texts, a pattern that a text matches, [entry],
[entry, least count] or [entry, least count, greatest count] for an array, or a dict for an object, where `!` marks the members that are required and `*` those
that are required unless a defect stands for them. The member `+` is a function: which members an object requires
because of what else stands in it, also unless a defect stands for them.
"""

import re

from .findings import CODES

HEX64 = re.compile("[0-9a-f]{64}")
UUID8 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
POINTER = re.compile("(/([^~]|~[01])*)+", re.DOTALL)
HEX = "([0-9a-f]{2})*"
STORED = {"integer": "0|-?[1-9][0-9]{0,18}", "real": "[0-9a-f]{16}", "text": HEX, "blob": HEX}
REASONS = frozenset(("storage_class", "null", "integer_range", "not_finite", "negative_zero", "utf8", "nul",
                     "date_range", "date_precision", "missing_row", "no_version"))

DEFECT = {"pointer!": POINTER, "reason!": REASONS, "storage_class!": frozenset(STORED) | {"null"}, "value": "text"}
DEVICE = dict.fromkeys(("device_hash", "firmware_version", "hardware_version", "local_identifier_hash",
                        "manufacturer_hash", "model", "software_version", "udi_hash"), "text")
SOURCE = dict.fromkeys(("bundle_identifier", "source_name_hash", "operating_system_version",
                        "product_type", "version"), "text")
RANGE = {"first_observation_id*": "integer", "first_seen_at*": "timestamp"}
CLOSED_RANGE = {**RANGE, "last_observation_id": "integer", "last_seen_at": "timestamp"}
EVENT = {"event_kind*": "text", "evidence_kind": "text", "observation_id*": "integer", "observed_at*": "timestamp"}

def pair(*names):
    """Members that stand together: where one of them is there, all are required."""
    return lambda value: names if any(name in value for name in names) else ()


def required_of_run(entry):
    """A coverage entry speaks of a type run, unless it says that there is none."""
    never = entry.get("status") == "never_queried"
    return () if never else ("observation_id", "inserted_event_count", "deleted_event_count")


METADATA = pair("metadata", "metadata_hash")
RELATIONSHIP = {"+": METADATA, "end!": frozenset(("source", "target")), "end_identity_hash*": "text", "end_in_scope!": "boolean",
                "end_sample_type*": "text", "ended_observation_id": "integer", "metadata": "metadata", "metadata_hash": "text",
                "observation_id": "integer", "relationship_kind*": "text"}
SAMPLE = {"item_kind!": "text", "defects": [DEFECT, 1], "first_seen_at*": "timestamp",
          "first_seen_observation_id*": "integer", "fuzzy_key": "text", "sample_type*": "text",
          "sample_uuid_hash": "text", "semantic_fingerprint": "text", "strict_fingerprint*": "text"}
VERSION = {"+": METADATA, "category_value": "integer", "created_observation_id*": "integer", "device": DEVICE,
           "duration_seconds": "number", "end_date*": "timestamp", "metadata": "metadata", "metadata_hash": "text",
           "numeric_value": "number", "payload_hash*": "text", "source": SOURCE, "start_date*": "timestamp",
           "unit": "text", "value_kind": "text", "workout_activity_type": "integer"}
PAYLOAD_ITEMS = ("record", "shared_record", "version")  # with the members of a version of their own
LEFT_OUT = ("device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
            "payload_hashes", "private_metadata", "relationships", "type_set")  # of a shared bundle: Spec/shared-bundles.md


def without(specification, *names):
    return {name: kind for name, kind in specification.items() if name.rstrip("!*") not in names}


ITEMS = {
    "record": {**SAMPLE, **VERSION, "relationships": [RELATIONSHIP, 1], "visibility!": [RANGE, 1]},
    "sample": {**SAMPLE, "events": [EVENT, 1], "relationships": [RELATIONSHIP, 1], "visibility": [CLOSED_RANGE, 1]},
    "version": {**SAMPLE, **VERSION, "events": [EVENT, 1], "visibility": [CLOSED_RANGE, 1]},
    "shared_record": {**without({**SAMPLE, **VERSION}, "+", "device", "fuzzy_key", "metadata_hash", "payload_hash", "semantic_fingerprint"),
                      "visibility!": [RANGE, 1]},
}
ITEM_LINE = {"item!": "item", "item_hash!": HEX64}

COVERAGE = {"+": required_of_run, "category": "text", "deleted_event_count": "integer", "discontinuity": "text", "display_name": "text",
            "ended_at": "timestamp", "error_kind": "text", "error_message_hash": "text",
            "inserted_event_count": "integer", "last_verified_observation_id": "integer", "mode": "text",
            "observation_id": "integer", "sample_type*": "text", "started_at": "timestamp", "state": "text",
            "stated_count": "integer", "status*": "text", "verified_visible_count": "integer",
            "withheld_count": "integer"}
OBSERVATION = {"app_version": "text", "ended_at": "timestamp", "id*": "integer", "notes": "text",
               "observed_at*": "timestamp", "os_version": "text", "schema_version*": "integer",
               "selected_type_set_hash": "text", "started_at": "timestamp", "status*": "text",
               "time_zone_identifier": "text", "time_zone_seconds_from_gmt": "integer", "trigger_reason*": "text"}
CHAIN = {"created_at*": "timestamp", "device_chain_hash*": "text", "recovered_from_keychain*": "integer"}
HEADER = {
    "archive_schema_version!": "integer", "coverage!": [COVERAGE], "defects": [DEFECT, 1],
    "device_chain*": CHAIN,
    "export_id!": UUID8, "identity_rules": "two",
    "filter!": {"overlapping": "boolean", "sample_types": ["text"], "since": "timestamp", "source_names": [HEX64],
                 "sources": ["text"], "until": "timestamp", "with_related": "boolean"},
    "history": {"archive!": HEX64, "link!": HEX64, "sequence!": "some"},
    "format!": "text", "format_version!": "integer", "generator!": {"name!": "text", "version!": "text"},
    "observations!": [OBSERVATION, 1],
}

PROVENANCE = {
    "device_absent": lambda item: has_payload(item) and "device" not in item,
    "device_identifiers_hashed": lambda item: bool(
        {"device_hash", "local_identifier_hash", "manufacturer_hash", "udi_hash"} & item.get("device", {}).keys()),
    "metadata_as_text": lambda item: isinstance(item.get("metadata"), str),
    "operating_system_version_absent": lambda item: "operating_system_version" not in item.get("source", SOURCE),
    "payload_absent": lambda item: has_payload(item) and "payload_hash" not in item,
    "relationship_end_not_in_scope": lambda item: any(
        not relationship["end_in_scope"] for relationship in item.get("relationships", ())),
    "sample_uuid_absent": lambda item: "sample_uuid_hash" not in item,
    "source_absent": lambda item: has_payload(item) and "source" not in item,
    "source_name_hashed": lambda item: "source_name_hash" in item.get("source", {}),
    "source_version_absent": lambda item: "version" not in item.get("source", SOURCE),
}
MANIFEST_LINE = {"manifest_hash!": HEX64, "totals!": {
    "defect_count!": "count", "item_count!": "count", "page_sha256": HEX64, "renderer": "some",
    "types!": [{"defect_count!": "count", "item_count!": "some", "sample_type": "text",
                "provenance_loss!": dict.fromkeys(PROVENANCE, "some")}],
}}


def required_of_entry(entry):
    return (*pair("byte", "byte_end")(entry), *pair("frame", "frame_end")(entry),
            *(("frame",) if "frame_line" in entry else ()))


SALVAGED = {"sha256!": HEX64, "size!": "count"}
SALVAGE = {
    "+": pair("manifest", "missing"),
    "account!": [{"+": required_of_entry, "after_items!": "count", "byte": "count", "byte_end": "count", "code!": frozenset(CODES),
                  "frame": "some", "frame_end": "some", "frame_line": "some", "line_count": "some", "source": "some"}, 0, 1000],
    "account_count!": "count", "export": "item", "format!": "text", "format_version!": "integer",
    "generator!": {"name!": "text", "version!": "text"}, "manifest": MANIFEST_LINE,
    "missing": {"item_count!": "count", "types!": [{"item_count!": "some", "sample_type": "text"}]},
    "other_sources": [SALVAGED, 1], "source!": SALVAGED,
}
SALVAGE_END_LINE = {"salvage_hash!": HEX64, "totals!": MANIFEST_LINE["totals!"]}


def has_payload(item):
    return item["item_kind"] in PAYLOAD_ITEMS
