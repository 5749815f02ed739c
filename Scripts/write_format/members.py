"""Spec/members.md, which is made from Spec/schemas: which members each object of an export has."""

import json

from .swift import ROOT

SCHEMAS = ROOT / "Spec" / "schemas"
PAGE = ROOT / "Spec" / "members.md"
HEAD = """# Members

This page is made from the [schemas](schemas), which are normative: it says of each object which members it has. An
object has no others. What members mean is in [items.md](items.md), [bundle.md](bundle.md), [reports.md](reports.md),
[changes.md](changes.md), [pairs.md](pairs.md) and [salvage.md](salvage.md); what a value must be beyond its type, in
[shape.md](shape.md).

*Required* is *yes*, *no*, or what else has to be there. *Excused by* names the members to which a defect must point,
one of them, to excuse the absence; they are members of the same object. `x-excusable` and `x-together` say so in the
schemas, for a program that reads them: a validator that does not know these two words accepts any absence in a line
with defects.
"""
# Title, schema, path of the object in it.
OBJECTS = (
    ("Header", None, None),
    ("The line", "header", ""),
    ("`export`", "header", "properties/export"),
    ("`device_chain` and `from_device_chain`", "header", "$defs/device_chain"),
    ("`filter`", "header", "properties/export/properties/filter"),
    ("`generator`", "header", "properties/export/properties/generator"),
    ("`history`", "header", "properties/export/properties/history"),
    ("`scope`", "header", "properties/export/properties/scope"),
    ("`thresholds` of a `diff_summary` and a `page_report`", "header", "$defs/thresholds_of_summary"),
    ("`thresholds` of a `finding_report`", "header", "$defs/thresholds_of_findings"),
    ("An entry of `coverage` and `from_coverage`", "header", "$defs/coverage_entry"),
    ("An entry of `observations`", "header", "$defs/observation"),
    ("An entry of `defects`, here and in items", "header", "$defs/defect"),
    ("Item", None, None),
    ("The line", "item", ""),
    ("`record`", "item", "$defs/record"),
    ("`sample`", "item", "$defs/sample"),
    ("`version`", "item", "$defs/version"),
    ("`shared_record`", "item", "$defs/shared_record"),
    ("`change`", "item", "$defs/change"),
    ("`before` and `after` of a `change`", "item", "$defs/payload"),
    ("`device`", "item", "$defs/record/properties/device"),
    ("`source`", "item", "$defs/record/properties/source"),
    ("An entry of `visibility` of a `record` and a `shared_record`", "item", "$defs/visible_range"),
    ("An entry of `visibility` of others", "item", "$defs/range"),
    ("An entry of `events`", "item", "$defs/event"),
    ("An entry of `relationships`", "item", "$defs/relationship"),
    ("`relationship_after` and `relationship_before`", "item", "$defs/changed_relationship"),
    ("`comparison` of all types", "item", "$defs/comparison_of_all_types"),
    ("`answer` of all types", "item", "$defs/answer"),
    ("`changed`, `gone` and `replaced` of an `answer`", "item", "$defs/answer_stretches"),
    ("An entry of `largest`", "item", "$defs/answer_stretches/properties/largest/items"),
    ("`chart` of an entry of `largest`", "item", "$defs/answer_stretches/properties/largest/items/properties/chart"),
    ("An entry of `days` and `months` of a `chart`", "item", "$defs/answer_bars/items"),
    ("An entry of `types` of stretches", "item", "$defs/answer_stretches/properties/types/items"),
    ("`late` and `new` of an `answer`", "item", "$defs/answer_counts"),
    ("An entry of `types` of counts", "item", "$defs/answer_counts/properties/types/items"),
    ("An entry of `earlier`", "item", "$defs/answer/properties/earlier/items"),
    ("An entry of `sources` of an `answer`", "item", "$defs/answer/properties/sources/items"),
    ("`comparison` of a whole type", "item", "$defs/comparison_of_type"),
    ("`comparison` of a window", "item", "$defs/comparison_of_window"),
    ("`before` and `after` of a type and a window", "item", "$defs/side"),
    ("`evidence`", "item", "$defs/comparison_of_window/properties/evidence"),
    ("An entry of `observations`", "item", "$defs/comparison_of_all_types/properties/observations/items"),
    ("An entry of `nights`", "item", "$defs/comparison_of_all_types/properties/nights/items"),
    ("An entry of `context`", "item", "$defs/comparison_of_all_types/properties/context/items"),
    ("An entry of `examples`", "item", "$defs/comparison_of_type/properties/examples/items"),
    ("`pair_counts` of a whole type", "item", "$defs/comparison_of_type/properties/pair_counts"),
    ("An entry of `strip`", "item", "$defs/comparison_of_type/properties/strip/items"),
    ("An entry of `years`", "item", "$defs/comparison_of_type/properties/years/items"),
    ("`calendar` of a whole type", "item", "$defs/calendar"),
    ("An entry of `buckets`", "item", "$defs/calendar/properties/buckets/items"),
    ("An entry of `sources`", "item", "$defs/source_counts/items"),
    ("`finding`: `disappearance`", "item", "$defs/finding/oneOf/0"),
    ("`finding`: `divergence`", "item", "$defs/finding/oneOf/1"),
    ("`finding`: `exact_duplicate`", "item", "$defs/finding/oneOf/2"),
    ("`finding`: `late_arrival`", "item", "$defs/finding/oneOf/3"),
    ("`finding`: `semantic_duplicate`", "item", "$defs/finding/oneOf/4"),
    ("`finding`: `source_appeared`, `source_changed`, `source_quiet`", "item", "$defs/finding/oneOf/5"),
    ("An entry of `replaced`", "item", "$defs/replaced/items"),
    ("`left_over`", "item", "$defs/replaced_sides"),
    ("`pair` of a `change`", "item", "$defs/change/properties/pair"),
    ("`pair`: `ambiguous`", "item", "$defs/pair/oneOf/0"),
    ("`pair`: `condensed_into`", "item", "$defs/pair/oneOf/1"),
    ("`pair`: `expanded_into`", "item", "$defs/pair/oneOf/2"),
    ("`pair`: `re_identified`", "item", "$defs/pair/oneOf/3"),
    ("`pair`: `regrouped`", "item", "$defs/pair/oneOf/4"),
    ("A record of `before` and `after` of a `pair`", "item", "$defs/paired_record"),
    ("`source` of a `pair`", "item", "$defs/pair_source"),
    ("`day`: `activity_summary`", "item", "$defs/day/oneOf/0"),
    ("`day`: `category`", "item", "$defs/day/oneOf/1"),
    ("`day`: `cumulative`", "item", "$defs/day/oneOf/2"),
    ("`day`: `discrete`", "item", "$defs/day/oneOf/3"),
    ("`day`: `event`", "item", "$defs/day/oneOf/4"),
    ("`day`: `night` and `nap`", "item", "$defs/day/oneOf/6"),
    ("`day`: `workout`", "item", "$defs/day/oneOf/7"),
    ("An entry of `sources` of a `cumulative` day", "item", "$defs/day/oneOf/2/properties/sources/items"),
    ("An entry of `sources` of a night", "item", "$defs/day/oneOf/6/properties/sources/items"),
    ("`type_manifest`", "item", "$defs/type_manifest"),
    ("Manifest", None, None),
    ("The line", "manifest", ""),
    ("`totals`", "manifest", "properties/totals"),
    ("An entry of `types`", "manifest", "properties/totals/properties/types/items"),
    ("Salvage", None, None),
    ("`salvage` of the first line", "salvage-header", "properties/salvage"),
    ("An entry of `account`", "salvage-header", "$defs/entry"),
    ("`missing`", "salvage-header", "$defs/missing"),
    ("`source`", "salvage-header", "$defs/source"),
    ("The last line", "salvage-end", ""),
    ("Sidecar", None, None),
    ("The file", "sidecar", ""),
    ("`urn:healthprobe:report`", "sidecar", "properties/urn:healthprobe:report"),
)
# What the alternatives of an object require, in words.
FORMS = {
    ("export", "device_chain"): "yes; not in a `shared_bundle`",
    ("export", "history"): "no; not in a `shared_bundle`",
    ("export", "left_out"): "in a `shared_bundle`, and only there",
    ("coverage_entry", "error_message_hash"): "no; not in a `shared_bundle`",
    ("observation", "notes"): "no; not in a `shared_bundle`",
    ("observation", "selected_type_set_hash"): "no; not in a `shared_bundle`",
    ("export", "from_coverage"): "in kinds with the mode `changes`, and only there",
    ("export", "from_device_chain"): "in a `pair_report` of two device chains, and only there",
    ("scope", "from_observation_id"): "in the mode `changes`, and only there",
    ("scope", "changes"): "in a `change_set`, and only there",
    ("scope", "method"): "in a `day_report`, and only there",
    ("scope", "period"): "in a `day_report`, and only there",
    ("scope", "preferred"): "no; only in a `day_report`",
    ("scope", "zone"): "in a `day_report`, and only there",
    ("scope", "thresholds"): "in a `diff_summary`, a `page_report` and a `finding_report`, and only there",
    ("defect", "value"): "unless `storage_class` is `null`, and not there",
    ("change", "after"): "in `appeared` and `representation_changed`, and only there",
    ("change", "before"): "in `disappeared` and `representation_changed`, and only there",
    ("change", "relationship_after"): "in `relationship_appeared` and `relationship_changed`, and only there",
    ("change", "relationship_before"): "in `relationship_disappeared` and `relationship_changed`, and only there",
    ("comparison_of_window", "reasons"): "where `label` is `uncertain`, and only there",
}


def schema_at(name, path):
    schema = json.loads((SCHEMAS / (name + ".json")).read_text(encoding="utf-8"))
    for step in path.split("/") if path else ():
        schema = schema[int(step) if isinstance(schema, list) else step]
    return schema


def words(values):
    return ", ".join("`%s`" % value for value in values)


def type_of(schema):
    """A type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        known = {"integer": "integer", "timestamp": "timestamp", "content_hash": "64 hex digits", "export_id": "UUID", "defects": "array, at least 1",
                 "answer": "object", "answer_bars": "array, at least 1", "answer_counts": "object", "answer_stretches": "object", "calendar": "object", "replaced_sides": "object", "replaced": "array, at least 1", "device_chain": "object", "payload": "object", "pair_source": "object", "day_source": "object", "changed_relationship": "object", "side": "object", "missing": "object", "source": "object", "source_counts": "array, at least 1",
                 "export": "object, as in a header", "manifest.json": "object, a manifest's line", "totals": "object, as in a manifest"}
        return known[name]
    if "const" in schema:
        if isinstance(schema["const"], list):
            return "array of %d texts, see the schema" % len(schema["const"])
        return "`%s`" % schema["const"] if isinstance(schema["const"], (str, int)) else "object, see the schema"
    if "enum" in schema and not all(isinstance(value, (str, int)) for value in schema["enum"]):
        return "one of %d objects, see the schema" % len(schema["enum"])
    if "enum" in schema:
        return "one of " + words(schema["enum"]) if len(schema["enum"]) < 5 else "text, one of %d: see the schema" % len(schema["enum"])
    if "oneOf" in schema:
        return "object"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    text = " or ".join("text" if kind == "string" else kind for kind in kinds)
    if "minimum" in schema and schema["minimum"] >= 0:
        text += " from %d" % schema["minimum"]
    if "minItems" in schema:
        text += ", at least %d" % schema["minItems"]
    if "maxItems" in schema:
        text += ", at most %d" % schema["maxItems"]
    return text


def required_of(schema, member, object_name):
    """Whether a member is required, in words."""
    if (object_name, member) in FORMS:
        return FORMS[object_name, member]
    if member in schema.get("required", []) or member in schema.get("x-excusable", {}):
        return "yes"
    if member in schema.get("else", {}).get("x-excusable", {}):
        return "unless `status` is `never_queried`"
    together = [other for members in schema.get("x-together", []) if member in members for other in members if other != member]
    together += [other for other, members in schema.get("dependentRequired", {}).items() if member in members]
    return "with " + words(sorted(set(together))) if together else "no"


def excused_by(schema, member):
    every = {**schema.get("x-excusable", {}), **schema.get("else", {}).get("x-excusable", {})}
    if member in every:
        return words([member, *every[member]])
    return words([member]) if any(member in members for members in schema.get("x-together", [])) else ""


def table(name, path):
    schema = schema_at(name, path)
    object_name = path.rpartition("/")[2]
    rows = [(member, type_of(inner), required_of(schema, member, object_name), excused_by(schema, member)) for member, inner in schema["properties"].items()]
    has_excuse = any(row[3] for row in rows)
    head = ["member", "type", "required"] + (["excused by"] if has_excuse else [])
    lines = ["| %s |" % " | ".join(head), "|" + "---|" * len(head)]
    for member, kind, required, excuse in rows:
        cells = ["`%s`" % member, kind, required] + ([excuse] if has_excuse else [])
        lines.append("| %s |" % " | ".join(cells))
    return "\n".join(lines).replace("|  |", "| |")


def page():
    parts = [HEAD]
    for title, name, path in OBJECTS:
        parts.append("## %s\n" % title if name is None else "### %s\n\n%s\n" % (title, table(name, path)))
    return "\n".join(parts)


def made():
    """The page, by its path."""
    return {PAGE: page()}
