"""HealthProbe files as relations of DuckDB 1.1 or later. The other readers of Python read with it.

    from healthprobe.readers.for_duckdb import read_hp_records
    read_hp_records("bundle.jsonl.zst", types=["HKQuantityTypeIdentifierStepCount"]).sum("numeric_value", groups="day")
"""

import difflib
import functools
import json
import pathlib

import duckdb

from . import columns as format_columns
from . import items

MACROS = pathlib.Path(__file__).parent / "duckdb.sql"
# The kinds of items that a reader of one kind takes, and whose local time it adds: the first of these dates.
KINDS = {"records": ("record", "version", "shared_record"), "changes": ("change",), "days": ("day",)}
DATES = {"records": ("start_date",), "changes": ("after.start_date", "before.start_date")}
LINES = "format = 'newline_delimited', maximum_object_size = 67108864, columns = {%s}"
ENVELOPE = "format = 'unstructured', maximum_object_size = 1073741824, columns = {%s}"
TYPES = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "json": "JSON"}


@functools.lru_cache(maxsize=None)
def connect(database=":memory:"):
    """A connection that has the macros: one for a database, which lives as long as the process."""
    connection = duckdb.connect(database)
    connection.execute(MACROS.read_text(encoding="utf-8"))
    connection.execute("SET enable_progress_bar = false")
    return connection


def read_hp(path, columns=None, types=None, connection=None):
    """A row per item of a bundle, a file of lines, a salvage, an envelope or a table.

    The columns are those of the kinds of items in the file, or the `columns` that are named; the rows those of all
    types, or of the `types` that are named by their identifiers.
    """
    return (connection or connect()).sql(query(path, columns, types))


def read_hp_records(path, columns=None, types=None, time_zone=None, connection=None):
    """A row per record, with its local time and day: in the zone of the observation, or in the one that is named."""
    return (connection or connect()).sql(query(path, columns, types, "records", time_zone))


def read_hp_changes(path, columns=None, types=None, time_zone=None, connection=None):
    """A row per change, with the local time and day of the record, as it is after the change where it still is."""
    return (connection or connect()).sql(query(path, columns, types, "changes", time_zone))


def read_hp_days(path, columns=None, types=None, connection=None):
    """A row per day, night or month of a type, with its date."""
    return (connection or connect()).sql(query(path, columns, types, "days"))


def query(path, columns=None, types=None, kind=None, time_zone=None, is_flat=False, has_json=True):
    """The query that reads a file.

    `is_flat` gives the columns of a table, whose objects are apart: `source.version`. Without `has_json` JSON is text.
    """
    header, view, names = look_into(path)
    if kind and view not in KINDS[kind]:
        reader = next((name for name, kinds in KINDS.items() if view in kinds), None)
        raise ValueError("%s: not a file of %s%s" % (path, kind, "; read_hp_%s reads it" % reader if reader else ""))
    cells = Table(path, names) if names else Flat(path, view) if is_flat else Items(path, view)
    known = {name: (cells.text(name) if not has_json else cells.value(name)) for name in cells.names}
    if kind in DATES:
        date = "coalesce(%s)" % ", ".join(map(cells.value, DATES[kind]))
        local = zoned("CAST(%s AS TIMESTAMPTZ)" % date, path, header, time_zone)
        known.update({"start_local": local, "day": "CAST(%s AS DATE)" % local})
    elif kind == "days":
        known["day"] = "TRY_CAST(%s AS DATE)" % cells.value("date")
    wanted = list(known) if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name in wanted if types is None else [*wanted, "sample_type"]:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise ValueError("%s: no column %s%s" % (path, name, "; the nearest is %s" % near[0] if near else ""))
    is_local = {"start_local", "day"} & set(wanted)
    used = {*wanted, *(() if types is None else ["sample_type"]), *(DATES.get(kind, ["date"]) if is_local else ())}
    rows = ", ".join("%s AS %s" % (known[name], quoted(name)) for name in wanted)
    found = "SELECT %s FROM %s" % (rows, cells.source(used))
    if types is not None:
        types = [types] if isinstance(types, str) else types
        found += " WHERE %s IN (%s)" % (cells.value("sample_type"), ", ".join(map(literal, types)) or "NULL")
    return found


class Items:
    """The items of a file that is not a table: each member is a column."""

    def __init__(self, path, view):
        self.path, self.types = path, self.types_of(view)
        self.names = [*self.types, "item_hash"]

    def types_of(self, view):
        """The type of each member."""
        return format_columns.MEMBERS[view]

    def value(self, name):
        """The expression for a column."""
        return "item_hash" if name == "item_hash" else "item." + ".".join(map(quoted, name.split(".")))

    def text(self, name):
        """The expression for a column without a JSON type in it."""
        of = self.types.get(name, "")
        value = self.value(name)
        return "CAST(%s AS %s)" % (value, of.replace("JSON", "VARCHAR")) if "JSON" in of else value

    def source(self, used):
        """Where the items come from: only the members that are used are read."""
        members = {name.partition(".")[0] for name in used} | {"item_kind"}
        item = literal_type({name: of for name, of in self.types.items() if name in members})
        path = literal(self.path)
        if str(self.path).endswith(".json"):
            columns = ENVELOPE % ("items: " + literal("STRUCT(item_hash VARCHAR, item %s)[]" % item))
            return ("(SELECT line.item AS item, line.item_hash AS item_hash FROM (SELECT unnest(items) AS line "
                    "FROM read_json(%s, %s)))" % (path, columns))
        columns = LINES % ("item_hash: 'VARCHAR', item: " + literal(item))
        return "(SELECT item, item_hash FROM read_json(%s, %s) WHERE item_hash IS NOT NULL)" % (path, columns)


class Flat(Items):
    """The items of a file as the rows of a table: each member of an object is a column, and an array is a JSON text."""

    def __init__(self, path, view):
        super().__init__(path, view)
        self.names, self.types = list(self.columns), {name: literal_type(of) for name, of in self.tree.items()}

    def types_of(self, view):
        """The type of each member that has columns, by their names."""
        self.columns, self.tree = format_columns.COLUMNS[view], {"item_kind": "VARCHAR"}
        for name, of in self.columns.items():
            *parents, last = name.split(".")
            place = self.tree
            for parent in parents:
                place = place.setdefault(parent, {})
            if name != "item_hash" and not any(other.startswith(name + ".") for other in self.columns):
                place[last] = TYPES[of]
        return self.tree

    def value(self, name):
        """The expression for a column. An object is told by its own column only where it is empty."""
        members = [other for other in self.columns if other.startswith(name + ".")]
        value = super().value(name)
        if not members:
            return value
        empty = " AND ".join("%s IS NULL" % super(Flat, self).value(other) for other in members)
        return "CASE WHEN %s IS NOT NULL AND %s THEN '{}' END" % (value, empty)

    def text(self, name):
        """The expression for a column without a JSON type in it."""
        of = self.columns.get(name)
        return "CAST(%s AS VARCHAR)" % self.value(name) if of == "json" else self.value(name)


class Table:
    """The rows of a table."""

    def __init__(self, path, names):
        self.path, self.names = path, names

    def value(self, name):
        """The expression for a column."""
        return quoted(name)

    def text(self, name):
        """The expression for a column without a JSON type in it."""
        found = {of for columns in format_columns.COLUMNS.values() for other, of in columns.items() if other == name}
        return "CAST(%s AS VARCHAR)" % quoted(name) if "json" in found else quoted(name)

    def source(self, used):
        """Where the rows come from."""
        return "read_hp_csv(%s)" % literal(self.path)


def look_into(path):
    """What a file begins with: its header, which kinds of items it has, and of a table the names of its columns."""
    with open(path, "rb") as file:
        if items.is_table(path):
            names = file.readline().decode().rstrip("\r\n").split(",")
            views = (view for view, of in format_columns.COLUMNS.items() if set(names) == set(of))
            return sidecar(path), next(views, ""), names
        header, item = items.head(items.opened(file), str(path).endswith(".json"))
    return header, format_columns.VIEWS["record" if item is None else item["item_kind"]], None


def sidecar(path):
    """The header of a table, from the file next to it; an empty one where there is none."""
    try:
        with open(str(path) + "-metadata.json", "rb") as file:
            return json.load(file).get("urn:healthprobe:report", {}).get("export", {})
    except FileNotFoundError:
        return {}


def zoned(moment, path, header, time_zone):
    """The expression for the local time of a moment."""
    if time_zone:
        return "timezone(%s, %s)" % (literal(time_zone), moment)
    observation = observation_of(header)
    if observation.get("time_zone_identifier"):
        return "timezone(%s, %s)" % (literal(observation["time_zone_identifier"]), moment)
    if "time_zone_seconds_from_gmt" in observation:
        return "timezone('UTC', %s) + to_seconds(%d)" % (moment, observation["time_zone_seconds_from_gmt"])
    raise ValueError("%s: no time zone in the header; name one with time_zone" % path)


def observation_of(header):
    """The observation that an export is of: the later one of two."""
    number, observations = header.get("scope", {}).get("observation_id"), header.get("observations", [])
    return next((each for each in observations if each.get("id") == number), observations[-1] if observations else {})


def literal_type(of):
    """A type, from the types of its members."""
    if isinstance(of, str):
        return of
    return "STRUCT(%s)" % ", ".join("%s %s" % (quoted(name), literal_type(inner)) for name, inner in of.items())


def literal(text):
    """A text as SQL has it."""
    return "'%s'" % str(text).replace("'", "''")


def quoted(name):
    """A name as SQL has it."""
    return '"%s"' % name
