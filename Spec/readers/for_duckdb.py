"""HealthProbe files as relations of DuckDB 1.1 or later, with the macros of duckdb.sql.

    from healthprobe.readers.for_duckdb import read_hp
    read_hp("bundle.jsonl.zst").filter("unit = 'count/min'").aggregate("count(*), avg(numeric_value)")
"""

import functools
import pathlib

import duckdb

from . import items

MACROS = pathlib.Path(__file__).parent / "duckdb.sql"


@functools.lru_cache(maxsize=None)
def connect(database=":memory:"):
    """A connection that has the macros: one for a database, which lives as long as the process."""
    connection = duckdb.connect(database)
    connection.execute(MACROS.read_text(encoding="utf-8"))
    return connection


def read_hp(path, connection=None):
    """A row per item of a bundle, a file of lines, a salvage, an envelope or a table."""
    connection = connection or connect()
    macro = "read_hp_csv" if items.is_table(path) else "read_hp_json" if str(path).endswith(".json") else "read_hp"
    group = "" if items.is_table(path) else group_of(path)
    return connection.sql("FROM %s%s('%s')" % (macro, group, str(path).replace("'", "''")))


def group_of(path):
    """What the macro of a file is called after, by its first item."""
    with open(path, "rb") as file:
        first = next(items.read_items(file), None)
    group = "" if first is None else items.group_of(first[0])
    return "_" + group if group else ""
