"""The Swift tables of lines, which are made from Spec/schemas: what stands in a header, an item and a manifest.

A line can have several forms: a header that of its export's kind, an item that of its kind and, of some kinds, of a
member. The forms that are read by one table become one object, whose members say which forms have and need them.
"""

import json

from .swift import ROOT, camel, folded, literal

SCHEMAS = ROOT / "Spec" / "schemas"
SHAPES = ROOT / "Sources" / "Format" / "Generated" / "Shapes.swift"
LARGEST = 2 ** 53 - 1
# Lines of one property.
LONGEST = 50
HEAD = """// Made from Spec/schemas by Scripts/write-format.
// swift-format-ignore-file

"""
# Whoever reads a line looks at these by itself, before or beside its shape.
PLAIN = {"item_kind": "text", "format": "text", "format_version": "integer"}
PATTERNS = {"^[0-9a-f]{64}$": "hash", "^(/([^~/]|~[01])*)+$": "pointer"}
REFERENCES = {"integer": "integer", "timestamp": "timestamp", "export_id": "uuid"}
# The tables that items are read by: the names of the forms, and where their schemas are.
EVIDENCE = {name: name for name in ("record", "sample", "version", "shared_record")}
COMPARISON = {"all_types": "comparison_of_all_types", "whole_type": "comparison_of_type", "window": "comparison_of_window"}


def text(name):
    return json.loads((SCHEMAS / (name + ".json")).read_text(encoding="utf-8"))


TEXTS = {name: text(name) for name in ("header", "item", "manifest", "salvage-header", "salvage-end")}


# What a schema may say. A keyword that the tables do not have would be a promise that no verifier keeps.
KEYWORDS = {
    "$defs", "$ref", "$schema", "additionalProperties", "const", "dependentRequired", "description", "else", "enum", "if", "items", "maxItems",
    "maximum", "minItems", "minimum", "not", "oneOf", "pattern", "properties", "required", "then", "title", "type", "uniqueItems", "x-excusable",
    "x-together",
}


def check_keywords(schema, place):
    """Stops at a keyword that is not known."""
    if isinstance(schema, list):
        for inner in schema:
            check_keywords(inner, place)
    if not isinstance(schema, dict):
        return
    for keyword, inner in schema.items():
        if keyword not in KEYWORDS:
            raise SystemExit("%s: write-format does not know the keyword %s" % (place, keyword))
        for each in inner.values() if keyword in ("properties", "$defs") else [inner] if keyword in ("items", "if", "then", "else", "not", "oneOf") else []:
            check_keywords(each, place)


def resolved(file, schema):
    """A schema without its references, and the name of the file that it stands in; it keeps the name of the last one."""
    name = None
    while "$ref" in schema:
        other, _, path = schema["$ref"].partition("#")
        file = other.rpartition(".")[0] or file
        schema = TEXTS[file]
        for step in path.split("/")[1:]:
            schema = schema[step]
        name = path.rpartition("/")[2] or file
    return file, schema, name


def overlaid(file, base, over):
    """A schema with what an alternative says beside it."""
    _, base, _ = resolved(file, base)
    properties = dict(base.get("properties", {}))
    for name, schema in over.get("properties", {}).items():
        if schema is False:
            properties.pop(name, None)
        elif "$ref" in schema:
            properties[name] = schema
        elif "items" in schema:
            inner_file, inner, _ = resolved(file, properties[name])
            properties[name] = {**inner, "items": overlaid(inner_file, inner["items"], schema["items"])}
        elif "properties" in schema:
            properties[name] = overlaid(file, properties[name], schema)
    found = {**base, "properties": properties, "required": [*base.get("required", []), *over.get("required", [])]}
    excusable = {name: others for name, others in base.get("x-excusable", {}).items() if name in properties}
    return {**{key: value for key, value in found.items() if key != "oneOf"}, "x-excusable": excusable}


class Member:
    """A member: what it is, and the forms that have it, need it, and need it unless a defect stands for it."""

    def __init__(self, value, forms, required, excusable):
        self.value, self.forms, self.required, self.excusable = value, forms, required, excusable


class Tables:
    """The objects that were made, by their names in Swift, in their order."""

    def __init__(self):
        self.objects = {}
        self.members = {}

    def value(self, path, schemas):
        """What a value is, in one or several forms: (forms, file, schema) each."""
        name = path[-1]
        if name in PLAIN:
            return "." + PLAIN[name]
        of = [(forms, *resolved(file, schema)) for forms, file, schema in schemas]
        other, _, steps = schemas[0][2].get("$ref", "#").partition("#")
        if other:
            # What another file has keeps its names: the header of an export in that of a salvage.
            path = (other.partition(".")[0], *(step for step in steps.split("/")[1:] if step != "properties"))
        _, file, schema, reference = of[0]
        if reference in REFERENCES:
            return "." + REFERENCES[reference]
        if "const" in schema or "enum" in schema:
            return self.constant([each for _, _, each, _ in of])
        kind = schema["type"]
        if isinstance(kind, list):
            return ".metadata"
        if kind == "object":
            return ".object(%s)" % self.object(path, [(forms, file, each) for forms, file, each, _ in of])
        if kind == "array":
            entry = self.value(path, [(forms, file, each["items"]) for forms, file, each, _ in of])
            most = ", most: %d" % schema["maxItems"] if "maxItems" in schema else ""
            return ".array(%s, least: %d%s)" % (entry, schema.get("minItems", 0), most)
        if kind == "string":
            return "." + PATTERNS[schema["pattern"]] if "pattern" in schema else ".text"
        if kind == "integer":
            # A member is read before its form is known, so that all forms have one limit.
            assert len({each["minimum"] for _, _, each, _ in of}) == 1, "%s has several limits" % name
            return ".count(least: %d)" % schema["minimum"]
        return "." + kind

    def constant(self, schemas):
        """One of the texts that any form has."""
        first = schemas[0].get("const")
        if isinstance(first, list):
            return ".array(.choice([%s]), least: 1)" % ", ".join(map(literal, first))
        if isinstance(first, int):
            return ".exactly(%d)" % first
        texts = [text for schema in schemas for text in schema.get("enum", [schema.get("const")])]
        return ".choice([%s])" % ", ".join(map(literal, dict.fromkeys(texts)))

    def object(self, path, schemas):
        """The name of an object in Swift; it is made where it comes first."""
        name = camel("_".join(path))
        if name in self.objects:
            return name
        self.objects[name] = None
        every = [form for forms, _, _ in schemas for form in forms]
        members, found = {}, {}
        for forms, file, schema in schemas:
            for member, inner in schema.get("properties", {}).items():
                found.setdefault(member, []).append((forms, file, inner, schema))
        for member in sorted(found):
            uses = found[member]
            required = [form for forms, _, _, schema in uses for form in forms if member in schema.get("required", ()) and member != "item_kind"]
            excusable = [form for forms, _, _, schema in uses for form in forms if member in schema.get("x-excusable", {})]
            value = self.value((*path, member), [(forms, file, inner) for forms, file, inner, _ in uses])
            members[member] = Member(value, [form for forms, *_ in uses for form in forms], required, excusable)
        self.members["_".join(path)] = list(members)
        self.objects[name] = self.swift(name, path, every, members, [schema for _, _, schema in schemas])
        return name

    def swift(self, name, path, every, members, schemas):
        """An object as Swift."""
        def of(forms):
            return ".all" if set(forms) == set(every) else "[%s]" % ", ".join("." + camel(form) for form in forms)

        lines = ["    /// `%s`." % ".".join(path), "    public static var %s: ObjectFormat {" % name, "        ObjectFormat("]
        entries = []
        for member, facts in members.items():
            line = "MemberFormat(%s, %s" % (literal(member), facts.value)
            line += ", in: %s" % of(facts.forms) if set(facts.forms) != set(every) else ""
            line += ", required: %s" % of(facts.required) if facts.required else ""
            line += ", excusable: %s" % of(facts.excusable) if facts.excusable else ""
            entries.append("                %s)," % folded(line, 20))
        needs = self.needs(members, schemas)
        is_apart = "\n".join(entries).count("\n") + len(needs) > LONGEST
        whole = ", needs: %sNeeds" % name if is_apart and needs else ", needs: [\n                %s,\n            ]" % ",\n                ".join(needs) if needs else ""
        lines += ["            %s, [" % literal(".".join(path)), *entries, "            ]%s)" % whole, "    }"]
        if is_apart and needs:
            lines += ["", "    private static var %sNeeds: [NeedFormat] {" % name, "        [", *("            %s," % need for need in needs), "        ]", "    }"]
        return "\n".join(lines)

    def needs(self, members, schemas):
        """Members that need others."""
        found = {}
        for schema in schemas:
            for group in schema.get("x-together", ()):
                found.update({(one, other, True): None for one in group for other in group if one != other})
            for one, others in schema.get("dependentRequired", {}).items():
                found.update({(one, other, False): None for other in others})
        lists = ["NeedFormat(%s, of: %s%s)" % (literal(other), literal(one), ", isExcusable: true" if excusable else "") for one, other, excusable in found]
        for schema in schemas:
            if "else" in schema and "x-excusable" in schema["else"]:
                (member, inner), = schema["if"]["properties"].items()
                lists += ["NeedFormat(%s, of: %s, unless: %s, isExcusable: true)" % (literal(other), literal(member), literal(inner["const"]))
                          for other in sorted(schema["else"]["x-excusable"])]
        return list(dict.fromkeys(lists))


def alternatives(file, schema, member):
    """Each alternative of a schema by the constant that tells it: (forms, file, schema)."""
    for one in schema["oneOf"]:
        told = one["properties"][member]
        forms = told.get("enum", [told.get("const")])
        yield forms, file, overlaid(file, schema, one) if "properties" in schema else one


def lines():
    """The tables of lines: name, forms and schemas of what stands in them."""
    header, item = TEXTS["header"], TEXTS["item"]
    definitions = item["$defs"]
    yield "evidence", [([form], "item", definitions[name]) for form, name in EVIDENCE.items()]
    yield "change", list(alternatives("item", definitions["change"], "change"))
    yield "comparison", [([form], "item", definitions[name]) for form, name in COMPARISON.items()]
    yield "finding", list(alternatives("item", definitions["finding"], "finding"))
    yield "pair", list(alternatives("item", definitions["pair"], "pair"))
    yield "day", list(alternatives("item", definitions["day"], "measure"))
    yield "type_manifest", [(["type_manifest"], "item", definitions["type_manifest"])]
    yield "header", list(alternatives("header", header["properties"]["export"], "export_kind"))


def forms():
    """All forms, each once."""
    return list(dict.fromkeys(form for _, schemas in lines() for names, _, _ in schemas for form in names))


def tables():
    """All objects."""
    for name, schema in TEXTS.items():
        check_keywords(schema, name + ".json")
    tables = Tables()
    for name, schemas in lines():
        holder = "export" if name == "header" else "item"
        schema = TEXTS["header" if name == "header" else "item"]
        outer = {**schema, "properties": {key: inner for key, inner in schema["properties"].items() if key != holder}}
        inner = tables.object((name, holder), schemas)
        tables.object((name,), [(["line"], "item", outer)])
        text = "                MemberFormat(%s, .object(%s), required: .all),\n" % (literal(holder), inner)
        tables.objects[camel(name)] = tables.objects[camel(name)].replace("[\n", "[\n" + text, 1)
    for name in ("manifest", "salvage-header", "salvage-end"):
        tables.object((name.replace("-header", "").replace("-", "_"),), [(["line"], name, TEXTS[name])])
    return tables


def members():
    """The names of the members of each object, by its path with `_` between the names."""
    return tables().members


def made():
    """The tables, by their path."""
    objects = tables().objects
    bits = ["    public static let %s = Forms(rawValue: 1 << %d)" % (camel(form), number) for number, form in enumerate(forms())]
    members = sorted({member for _, _, schema in dict(lines())["evidence"] for member in schema["properties"]})
    parts = ["extension Forms {", *bits, "}", "", "extension ObjectFormat {", "\n\n".join(objects.values()), "}", "",
             "/// The members that items of samples can have, in the order in which they stand in them.",
             "public enum ItemMember: Int, CaseIterable, Sendable {",
             "    case " + folded(", ".join(map(camel, members)), 8), "",
             "    /// The member's name.", "    public var name: String { Self.names[rawValue] }", "",
             "    private static let names = [", "        " + folded(", ".join(map(literal, members)), 8) + ",", "    ]", "}", ""]
    return {SHAPES: HEAD + "\n".join(parts)}
