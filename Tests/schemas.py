"""The JSON Schemas of Spec/schemas, and what their own keywords demand.

`x-excusable` and `x-together` are described in Spec/shape.md: members that are required unless a defect stands for them.
"""

import json
import pathlib

import jsonschema_rs

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Spec" / "schemas"
TEXTS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
REGISTRY = jsonschema_rs.Registry([(name + ".json", text) for name, text in TEXTS.items()])
# Validators of conditions, by the identity of the schema, which stays in TEXTS.
CONDITIONS = {}


def validator(name, fragment=""):
    """The validator of a schema, or of a part of one."""
    schema = {"$ref": "%s.json%s" % (name, fragment)}
    return jsonschema_rs.Draft202012Validator(schema, registry=REGISTRY)


def resolve(name, schema):
    """A schema without its reference: the name of its file, and what it says."""
    while "$ref" in schema:
        file, _, fragment = schema["$ref"].partition("#")
        name = file.rpartition(".")[0] or name
        schema = TEXTS[name]
        for step in fragment.split("/")[1:]:
            schema = schema[step]
    return name, schema


def is_valid(schema, value):
    """Whether a part of a schema without references, as in `if`, accepts a value."""
    if id(schema) not in CONDITIONS:
        CONDITIONS[id(schema)] = jsonschema_rs.Draft202012Validator(schema)
    return CONDITIONS[id(schema)].is_valid(value)


def missing(name, schema, value, excused, pointer=""):
    """Pointers to the members that `x-excusable` and `x-together` require and that are absent from a value.

    `excused` are the pointers of the defects, from the beginning of the same value.
    """
    name, schema = resolve(name, schema)
    if "oneOf" in schema and "properties" not in schema:
        fitting = [one for one in schema["oneOf"] if names_form(name, one, value)]
        for one in fitting[:1]:
            yield from missing(name, one, value, excused, pointer)
        return
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield from missing(name, schema.get("items", {}), entry, excused, "%s/%d" % (pointer, index))
    if not isinstance(value, dict):
        return
    forbidden = {member for one in schema.get("oneOf", []) if names_form(name, one, value)
                 for member, inner in one.get("properties", {}).items() if inner is False}
    yield from missing_here(schema, value, excused, pointer, forbidden)
    if "if" in schema and not is_valid(schema["if"], value) and "else" in schema:
        yield from missing_here(schema["else"], value, excused, pointer)
    for member, inner in value.items():
        if isinstance(schema.get("properties", {}).get(member), dict):
            yield from missing(name, schema["properties"][member], inner, excused, "%s/%s" % (pointer, member))


def missing_here(schema, value, excused, pointer, forbidden=()):
    for member, others in schema.get("x-excusable", {}).items():
        if member not in value and member not in forbidden and not excused & {"%s/%s" % (pointer, other) for other in (member, *others)}:
            yield "%s/%s" % (pointer, member)
    for members in schema.get("x-together", []):
        if any(member in value for member in members):
            yield from ("%s/%s" % (pointer, member) for member in members
                        if member not in value and "%s/%s" % (pointer, member) not in excused)


def names_form(name, schema, value):
    """Whether the constants of a form are those of a value. An item is told by its label only where it has to have one."""
    name, schema = resolve(name, schema)
    if "oneOf" in schema and "properties" not in schema:
        return any(names_form(name, one, value) for one in schema["oneOf"])
    properties = schema.get("properties", {})
    free = {"label"} if "item_kind" in properties and "label" not in schema["required"] else set()
    constants = {member: inner.get("enum") or [inner["const"]] for member, inner in properties.items()
                 if member in DISCRIMINATORS and member not in free and isinstance(inner, dict) and ("enum" in inner or "const" in inner)}
    return isinstance(value, dict) and bool(constants) and all(value.get(member) in known for member, known in constants.items())


DISCRIMINATORS = ("change", "export_kind", "finding", "item_kind", "label", "pair", "storage_class")
HOLDERS = {"item": ["item"], "header": ["export"], "salvage-header": ["salvage", "export"]}


def holders(name, value):
    """What of a line holds defects: a pointer and the object."""
    pointer, steps = "", HOLDERS.get(name, [])
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
        pointer += "/" + step
    if isinstance(value, dict) and steps:
        yield pointer, value


def absent(name, value):
    """Pointers to members of a line that are absent without a defect that excuses it."""
    found = []
    for pointer, holder in holders(name, value):
        schema = {"item": {"$ref": "item.json#/properties/item"}}.get(name, {"$ref": "header.json#/properties/export"})
        defects = holder.get("defects")
        excused = {entry["pointer"] for entry in defects if isinstance(entry, dict) and isinstance(entry.get("pointer"), str)} \
            if isinstance(defects, list) else set()
        found += [pointer + inner for inner in missing(name, schema, holder, excused)]
    return found
