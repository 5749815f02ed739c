"""The members of every line, as the pages of the specification name them.

A specification is the name of a scalar type, a set of allowed texts, a pattern that a text matches, [entry],
[entry, least count] or [entry, least count, greatest count] for an array, or a dict for an object, where `!` marks the members that are required and `*` those
that are required unless a defect stands for them. The member `+` is a function: which members an object requires
because of what else stands in it, also unless a defect stands for them.
"""

import re

from .findings import CODES
from .spec import spec

HEX64 = re.compile("[0-9a-f]{64}")
UUID8 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
POINTER = re.compile("(/([^~]|~[01])*)+", re.DOTALL)
HEX = "([0-9a-f]{2})*"
STORED = {"integer": "0|-?[1-9][0-9]{0,18}", "real": "[0-9a-f]{16}", "text": HEX, "blob": HEX}
REASONS = frozenset(("storage_class", "null", "integer_range", "not_finite", "negative_zero", "utf8", "nul",
                     "date_range", "date_precision", "missing_row", "no_version"))

DEFECT = {"pointer!": POINTER, "reason!": REASONS, "storage_class!": frozenset(STORED) | {"null"}, "value": "text"}


def pair(*names):
    """Members that stand together: where one of them is there, all are required."""
    return lambda value: names if any(name in value for name in names) else ()


def required_of_run(entry):
    """A coverage entry speaks of a type run, unless it says that there is none."""
    never = entry.get("status") == "never_queried"
    return () if never else ("observation_id", "inserted_event_count", "deleted_event_count")


def resolved(file, schema):
    """A schema without its references, and the file that it stands in."""
    while "$ref" in schema:
        other, _, path = schema["$ref"].partition("#")
        file = other.partition(".")[0] or file
        schema = at(file, path)
    return file, schema


def at(file, path=""):
    """The schema at a JSON Pointer of a file."""
    schema = SCHEMAS[file] = SCHEMAS.get(file) or spec("schemas/%s.json" % file)
    for step in path.split("/")[1:]:
        schema = schema[step]
    return schema


def specified(file, schema, name=None):
    """What a schema says, as a specification. What tells a form is any text here: the form decides what it must be."""
    reference = schema.get("$ref", "").rpartition("/")[2]
    file, schema = resolved(file, schema)
    if reference in ("defect", "timestamp"):
        return DEFECT if reference == "defect" else "timestamp"
    if name == "item_kind":
        return "text"
    if "enum" in schema or "const" in schema:
        return frozenset(schema.get("enum") or [schema["const"]])
    kind = schema["type"]
    if isinstance(kind, list):
        return "metadata"
    if kind == "object":
        return members_of(file, schema)
    if kind == "array":
        return [specified(file, schema["items"]), schema.get("minItems", 0)]
    if kind == "integer":
        return {0: "count", 1: "some", 2: "several"}.get(schema["minimum"], "integer")
    return re.compile(schema["pattern"]) if "pattern" in schema else {"string": "text"}.get(kind, kind)


def members_of(file, schema):
    """The members of an object."""
    marks = {**dict.fromkeys(schema.get("x-excusable", ()), "*"), **dict.fromkeys(schema.get("required", ()), "!")}
    found = {name + marks.get(name, ""): specified(file, inner, name) for name, inner in schema["properties"].items()}
    groups = [*schema.get("x-together", ()), *([one, *others] for one, others in schema.get("dependentRequired", {}).items())]
    if groups:
        found["+"] = together([pair(*names) for names in {tuple(sorted(names)) for names in groups}])
    return found


def together(rules):
    """What several rules require."""
    return lambda value: {name for rule in rules for name in rule(value)}


def alternatives(schema, member):
    """The alternatives of a schema by the constants that tell them."""
    told = [(one["properties"][member], one) for one in schema["oneOf"]]
    return {value: one for names, one in told for value in names.get("enum", [names.get("const")])}


def without(specification, *names):
    return {name: kind for name, kind in specification.items() if name.rstrip("!*") not in names}


SCHEMAS = {}
ITEMS = {kind: members_of("item", at("item", "/$defs/" + kind)) for kind in ("record", "sample", "version", "shared_record")}
VERSION = members_of("item", at("item", "/$defs/payload"))
SAMPLE = without(ITEMS["sample"], "events", "relationships", "visibility")
SOURCE = VERSION["source"]
PAYLOAD_ITEMS = ("record", "shared_record", "version")  # with the members of a version of their own
LEFT_OUT = ("device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
            "payload_hashes", "private_metadata", "relationships", "type_set")  # of a shared bundle: Spec/shared-bundles.md


ITEM_LINE = {"item!": "item", "item_hash!": HEX64}

COVERAGE = {**members_of("header", at("header", "/$defs/coverage_entry")), "+": required_of_run}
OBSERVATION = members_of("header", at("header", "/$defs/observation"))
CHAIN = members_of("header", at("header", "/$defs/device_chain"))
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
                "provenance_loss!": dict.fromkeys(PROVENANCE, "some"),
                "dropped_sum": "number", "record_count": "count", "unit": "text", "value_sum": "number",
                "+": pair("dropped_sum", "unit", "value_sum")}],
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
