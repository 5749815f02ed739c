"""python -m healthprobe to-parquet: writes the items of a file as Parquet. Needs DuckDB."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import Sequence

NAME = "healthprobe to-parquet"


def write(path: str, output: str, columns: list[str] | None = None, types: list[str] | None = None,
          time_zone: str | None = None) -> int:
    """Writes a file that is not there yet, as a whole or not at all, and returns the number of its rows."""
    from .readers import for_duckdb

    _, view, _ = for_duckdb.look_into(path)
    kind = next((name for name, views in for_duckdb.KINDS.items() if view in views), None)
    query = for_duckdb.query(path, columns, types, kind, time_zone)
    if os.path.lexists(output):
        raise FileExistsError("%s: exists already" % output)
    handle, unfinished = tempfile.mkstemp(suffix=".parquet", dir=os.path.dirname(output) or ".")
    os.close(handle)
    try:
        form = "(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
        result = for_duckdb.connect().execute("COPY (%s) TO %s %s" % (query, for_duckdb.literal(unfinished), form))
        count = result.fetchall()[0][0]
        os.link(unfinished, output)
        return int(count)
    finally:
        os.unlink(unfinished)


def main(arguments: Sequence[str]) -> int:
    """Writes what the command line names."""
    parser = argparse.ArgumentParser(prog=NAME, description="Writes the items of a bundle, report or table as Parquet. "
                                     "Nothing is verified: hp-verify bundle FILE first.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("-o", "--output", metavar="FILE", help="the Parquet file, which must not exist; default: the "
                        "name of the file with .parquet")
    parser.add_argument("--columns", metavar="NAME,NAME", type=_names, help="only these columns")
    parser.add_argument("--types", metavar="TYPE,TYPE", type=_names, help="only records of these sample types")
    parser.add_argument("--time-zone", metavar="ZONE", help="the zone of start_local and day; default: the observation's")
    options = parser.parse_args(arguments)
    output = options.output or _without_suffixes(options.file) + ".parquet"
    try:
        count = write(options.file, output, options.columns, options.types, options.time_zone)
    except ImportError as error:
        return _failed("needs the package duckdb: %s" % error)
    except Exception as error:  # of DuckDB too, which has classes of its own for each
        return _failed(str(error).strip().splitlines()[0])
    print("%s: %d rows" % (output, count))
    return 0


def _failed(message: str) -> int:
    print("%s: error: %s" % (NAME, message), file=sys.stderr)
    return 2


def _names(text: str) -> list[str]:
    return text.split(",")


def _without_suffixes(path: str) -> str:
    for suffix in (".zst", ".jsonl", ".json", ".csv"):
        path = path[:-len(suffix)] if path.endswith(suffix) else path
    return path
