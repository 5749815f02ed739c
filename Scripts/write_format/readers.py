"""The tables of Spec/readers, which are made from Spec/columns.json and Spec/schemas/item.json: which column has which type.

duckdb.sql and healthprobe.jq are made as a whole; of the others, what stands between `begin: made by
Scripts/write-format` and `end` is.
"""

import json
import re

from .swift import ROOT

SPEC, READERS = ROOT / "Spec", ROOT / "Spec" / "readers"
SCHEMA = json.loads((SPEC / "schemas" / "item.json").read_text(encoding="utf-8"))
COLUMNS = json.loads((SPEC / "columns.json").read_text(encoding="utf-8"))
WIDTH = 118
MADE = re.compile(r"((?:#|--) begin: made by Scripts/write-format\n).*?((?:#|--) end\n)", re.DOTALL)
SCALARS = {
    "arrow": {"text": "pa.string()", "integer": "pa.int64()", "number": "pa.float64()", "boolean": "pa.bool_()", "json": "JSON"},
    "polars": {"text": "pl.String", "integer": "pl.Int64", "number": "pl.Float64", "boolean": "pl.Boolean", "json": "pl.String"},
    "spark": {"text": "STRING", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "json": "STRING"},
    "duckdb": {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "json": "JSON"},
}
# A table has timestamps as the texts that they are, and so has a frame: nine digits of a second fit into no type of a program.
CELLS = {"hash": "text", "timestamp": "text"}


class Disagreement(Exception):
    """Two kinds of items have members of one name and two types."""


def type_of(schema):
    """The type of a value: a word, an object's members, or a list of one type."""
    if "$ref" in schema:
        return type_of(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "oneOf" in schema and "type" not in schema:
        return union(map(type_of, schema["oneOf"]))
    if "const" in schema or "enum" in schema:
        return "text"
    kind = schema["type"]
    if kind == "object":
        return {name: type_of(inner) for name, inner in schema["properties"].items()} if "properties" in schema else "json"
    if kind == "array":
        return [type_of(schema["items"])]
    return "json" if isinstance(kind, list) else {"string": "text"}.get(kind, kind)


def union(types):
    """The type that has every member of all."""
    types = list(types)
    found = types[0]
    for other in types[1:]:
        if isinstance(found, dict) and isinstance(other, dict):
            found = {name: union(each[name] for each in (found, other) if name in each) for name in [*found, *(name for name in other if name not in found)]}
        elif isinstance(found, list) and isinstance(other, list):
            found = [union([found[0], other[0]])]
        elif {found if isinstance(found, str) else "", other if isinstance(other, str) else ""} == {"integer", "number"}:
            found = "number"
        elif found != other:
            raise Disagreement
    return found


def kinds():
    """The type of each kind of items, by its name."""
    found = {}
    for each in SCHEMA["properties"]["item"]["oneOf"]:
        name = each["$ref"].rpartition("/")[2]
        schema = SCHEMA["$defs"][name]
        inner = schema if "properties" in schema else schema["oneOf"][0]
        kind = inner["properties"]["item_kind"]["const"]
        found[kind] = union([found[kind], type_of(schema)] if kind in found else [type_of(schema)])
    return found


def groups():
    """Kinds that agree share their columns: the first group has no name, and one that disagrees is named after its kind."""
    found = []
    for kind, members in kinds().items():
        for group in found:
            try:
                group[1] = union([group[1], members])
                group[2].append(kind)
                break
            except Disagreement:
                continue
        else:
            found.append([kind if found else "", members, [kind]])
    return found


def nested(members, name):
    """A type as a language of `SCALARS` writes it."""
    if isinstance(members, str):
        return SCALARS[name][members]
    if isinstance(members, list):
        inner = nested(members[0], name)
        return {"arrow": "pa.list_(%s)", "polars": "pl.List(%s)", "spark": "ARRAY<%s>", "duckdb": "%s[]"}[name] % inner
    parts = [(member, nested(inner, name)) for member, inner in sorted(members.items())]
    form = {"arrow": '("%s", %s)', "polars": '"%s": %s', "spark": "%s: %s", "duckdb": '"%s" %s'}[name]
    whole = {"arrow": "pa.struct([%s])", "polars": "pl.Struct({%s})", "spark": "STRUCT<%s>", "duckdb": "STRUCT(%s)"}[name]
    return whole % ", ".join(form % part for part in parts)


def flat(members, path=""):
    """The columns of an object in one level, as a table has them: (name, type)."""
    for name, inner in sorted(members.items()):
        if isinstance(inner, dict):
            yield from flat(inner, path + name + ".")
            if name in ("source", "device", "labels"):
                yield path + name, "json"
        elif path or name != "item_kind":
            yield path + name, "json" if isinstance(inner, list) else inner


def cells():
    """The type of every column of a table, by its name."""
    found = {}
    for columns in COLUMNS.values():
        for name, kind in columns:
            kind = CELLS.get(kind, kind)
            found[name] = kind if found.get(name, kind) == kind else "json"
    return found


def folded(text, margin):
    """A text of parts that commas divide, in lines that are not too long."""
    lines, line = [], ""
    for part in re.findall(r"[^,]*,?", text):
        if line and len(margin) + len(line) + len(part) > WIDTH:
            lines.append(margin + line.strip())
            line = ""
        line += part
    return "\n".join([*lines, margin + line.strip()])


def named(names, margin="    "):
    return folded(", ".join('"%s"' % name for name in names), margin)


def schemas(name):
    """The columns of each group, as an expression."""
    for group, members, of in groups():
        yield '    "%s": {' % group
        for member, inner in [*sorted(members.items()), ("item_hash", "text")]:
            yield folded('"%s": %s,' % (member, nested(inner, name)), "        ")
        yield "    },"


def head():
    for group, members, of in groups():
        yield from ('    "%s": "%s",' % (kind, group) for kind in of)


def python(name):
    """The tables of a Python reader."""
    lines = []
    if name == "items":
        lines += ["# Which columns the items of a kind have: those of all kinds that agree on their types, which have no name.",
                  "GROUPS = {", *head(), "}", "# Members, by their places, whose values have no type of their own: they become JSON texts."]
        lines += ["UNTYPED = frozenset([", named(places("json")), "])",
                  "# Members that are numbers: some of them look like integers, and may be larger than any.",
                  "DOUBLES = frozenset([", named(places("number")), "])", ]
    elif name == "columns":
        views = {}
        for kind, members in kinds().items():
            views.setdefault("version" if kind == "sample" else kind, []).append((kind, members))
        lines += ["# What can be in one file together: the kinds of items.", "VIEWS = {", *('    "%s": "%s",' % (kind, view) for view, found in views.items() for kind, _ in found), "}"]
        lines += ["# The members of these items, each with its type."]
        lines += ["MEMBERS = {"]
        for view, found in views.items():
            lines += ['    "%s": {' % view]
            for member, inner in sorted(union(members for _, members in found).items()):
                lines += [string('        "%s": ' % member, nested(inner, "duckdb"))]
            lines += ["    },"]
        lines += ["}", "# The columns of a table of these items."]
        lines += ["COLUMNS = {"]
        for kind, members in kinds().items():
            columns = [(column, CELLS.get(of, of)) for column, of in COLUMNS[kind]] if kind in COLUMNS else [*flat(members), ("item_hash", "text")]
            lines += ['    "%s": {' % kind, folded(", ".join('"%s": "%s"' % column for column in columns), "        "), "    },"]
        lines += ["}"]
    elif name == "spark":
        lines += ["SCHEMAS = {"]
        for group, members, of in groups():
            columns = ", ".join("%s %s" % (member, nested(inner, name)) for member, inner in [*sorted(members.items()), ("item_hash", "text")])
            lines += ['    "%s": """' % group, folded(columns, ""), '""",']
        lines += ["}"]
    else:
        lines += ["SCHEMAS = {", *schemas(name), "}"]
    return "\n".join(lines) + "\n"


def string(head, text):
    """An entry whose value is a text, in lines that Python puts together."""
    if len(head) + len(text) <= WIDTH - 3:
        return "%s'%s'," % (head, text)
    lines = folded(text, "            ").splitlines()
    return head.rstrip() + "\n" + "\n".join("            '%s%s'" % (line.strip(), "" if line is lines[-1] else " ") for line in lines) + ","


def places(kind):
    """Where members of this type stand, in any group."""
    return sorted({place for group, members, of in groups() for place in places_in(members, kind)})


def places_in(members, kind, path=""):
    for name, inner in members.items():
        inner = inner[0] if isinstance(inner, list) else inner
        if inner == kind:
            yield path + name
        elif isinstance(inner, dict):
            yield from places_in(inner, kind, path + name + "/")


HEAD = """-- HealthProbe bundles and tables in DuckDB 1.1 or later. Made by Scripts/write-format: not to be edited.
--
--   .read duckdb.sql
--   SELECT sample_type, count(numeric_value) FROM read_hp('bundle.jsonl.zst') GROUP BY ALL;
--   COPY (FROM read_hp('bundle.jsonl.zst')) TO 'bundle.parquet' (COMPRESSION zstd);
--
-- read_hp reads bundles (.jsonl.zst), salvages and reports as lines (.jsonl): an item is a row, with the columns of all
-- kinds that agree on them. read_hp_json does it with envelopes (.json), read_hp_csv with tables. Nothing is verified.
-- A timestamp is a text, since no type has nine digits of a second in the years 1 to 9999: start_date::TIMESTAMPTZ.
--
-- read_hp_records, read_hp_changes and read_hp_days read one kind of lines, with the columns that this kind has:
--   SELECT day, sum(numeric_value) FROM read_hp_records('bundle.jsonl.zst', zone := 'Europe/Bucharest') GROUP BY day;
-- start_local is start_date in the zone (UTC), to the microsecond, and day its date.
"""
LINES = """
CREATE OR REPLACE MACRO read_hp%s(path) AS TABLE
SELECT item.*, item_hash FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
%s)'})
WHERE item_hash IS NOT NULL;
"""
ENVELOPE = """
CREATE OR REPLACE MACRO read_hp_json%s(path) AS TABLE
SELECT item.*, item_hash FROM (
SELECT line.item AS item, line.item_hash AS item_hash FROM (SELECT unnest(items) AS line FROM read_json(
    path, format = 'unstructured', maximum_object_size = 1073741824,
    columns = {items: 'STRUCT(item_hash VARCHAR, item STRUCT(
%s))[]'
})));
"""
KIND = """
CREATE OR REPLACE MACRO read_hp_%s(path%s) AS TABLE
SELECT item.*, item_hash%s FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
%s)'})
WHERE item_hash IS NOT NULL;
"""
TABLE = """
-- The columns of the table, texts first. A quote that keeps a spreadsheet from running a text is taken away; an empty
-- cell is NULL. Where a column holds JSON, it is of that type, but for metadata, which may be a text.
CREATE OR REPLACE MACRO read_hp_csv(path) AS TABLE
WITH cells AS (
    SELECT *, NULL AS "~text", NULL AS "~integer", NULL AS "~number", NULL AS "~boolean", NULL AS "~json" FROM read_csv(
        path, auto_detect = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
        new_line = '\\r\\n', max_line_size = 67108864, parallel = false)
)
SELECT * EXCLUDE ("~text", "~integer", "~number", "~boolean", "~json") FROM (SELECT
%s
FROM cells);
"""
# Patterns of names, not functions of them: no form of a lambda is known to both DuckDB 1.1 and DuckDB 2.
CELL = {"text": "    regexp_replace(COLUMNS(%s), '^\'\'', '')", **{kind: "    CAST(COLUMNS(%%s) AS %s)" % SCALARS["duckdb"][kind] for kind in ("integer", "number", "boolean", "json")}}
# The readers for kinds of items: the kinds, and the date that a local time is of.
LOCAL = """,
    timezone(zone, CAST(%s AS TIMESTAMPTZ)) AS start_local, CAST(start_local AS DATE) AS day"""
DATED = ", TRY_CAST(item.date AS DATE) AS day"
VIEWS = {"records": (("record", "sample", "version", "shared_record"), "item.start_date"),
         "changes": (("change",), "coalesce(item.after.start_date, item.before.start_date)"), "days": (("day",), None)}


def duckdb():
    found = cells()
    text = HEAD
    for form in (LINES, ENVELOPE):
        for group, members, of in groups():
            text += form % ("_" + group if group else "", folded(members_of(members), "        "))
    for name, (of, date) in VIEWS.items():
        local = LOCAL % date if date else DATED
        text += KIND % (name, ", zone := 'UTC'" if date else "", local, folded(members_of(union(kinds()[kind] for kind in of)), "        "))
    return text + TABLE % ",\n".join(CELL[kind] % pattern([column for column in found if cell_type(column, found[column]) == kind] + ["~" + kind]) for kind in CELL)


def cell_type(column, kind):
    """The type of the cells of a column: metadata is a text."""
    return "text" if column.rpartition(".")[2] == "metadata" else kind


def members_of(members):
    return ", ".join('"%s" %s' % (member, nested(inner, "duckdb")) for member, inner in sorted(members.items()))


def pattern(names):
    """The pattern of some names, in lines that SQL puts together."""
    parts, lines, line = ["%s|" % re.escape(name).replace("\\~", "~") for name in names], [], ""
    parts[-1] = parts[-1][:-1]
    for part in parts:
        if line and len(line) + len(part) > WIDTH - 14:
            lines.append(line)
            line = ""
        line += part
    lines.append(line)
    return "'^(?:'\n" + "\n".join("        '%s'" % line for line in lines) + "\n        ')$'"


JQ = """# HealthProbe bundles in jq 1.6 or later. Made by Scripts/write-format: not to be edited.
#
#   zstd -dcq bundle.jsonl.zst | jq -L Spec/readers 'include "healthprobe"; hp_items | select(.unit == "count/min")'
#   zstd -dcq bundle.jsonl.zst | jq -rnL Spec/readers 'include "healthprobe"; hp_table("record"; inputs)' >records.csv

# The items of a line, a salvage's line or an envelope, each with its hash as the member item_hash.
def hp_items: if has("items") then .items[] else . end | select(has("item_hash")) | .item + {item_hash};

# The columns of a table by the kind of its items.
def hp_columns: {
%s
};

# The value of a column, null where there is none.
def hp_cell($name): getpath($name / ".")
  | if type == "object" and ($name | test("(^|[.])(source|device)$")) and length > 0 then null else . end;

# An item as an object with the columns of its table.
def hp_row: . as $item | hp_columns[.item_kind]
  | map({key: ., value: (. as $name | $item | hp_cell($name))}) | from_entries;

# A table of plain CSV: arrays and objects as JSON, and no guard against what a spreadsheet runs.
def hp_table($kind; lines): hp_columns[$kind] as $columns | ($columns | @csv),
  (lines | hp_items | select(.item_kind == $kind) | hp_row as $row
    | [$columns[] | $row[.] | if type == "array" or type == "object" then tojson else . end] | @csv);
"""


def jq():
    tables = ("  %s: [\n%s\n  ]" % (kind, named((name for name, of in columns), "    ")) for kind, columns in COLUMNS.items())
    return JQ % ",\n".join(tables)


def made():
    """Every file that is made, by its path."""
    texts = {READERS / "duckdb.sql": duckdb(), READERS / "healthprobe.jq": jq()}
    for path in sorted(READERS.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.stem.rpartition("_")[2]
        texts[path] = MADE.sub(lambda match: match[1] + python(name) + match[2], text)
    return texts
