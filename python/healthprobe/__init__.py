"""Verifies HealthProbe bundles and reports, and reads their items.

    import healthprobe

    result = healthprobe.verify("bundle.jsonl.zst")
    if result["result"] == "ok":
        frame = healthprobe.read_records("bundle.jsonl.zst", "pandas")

The verifier is that of Spec/examples: written from the specification alone, it shares no code with the tools.
"""

from __future__ import annotations

import importlib
import os
from typing import IO, Any, Iterable, Iterator, Union

from .readers import items as _items
from .results import Finding, Layers, Result
from .verifier import command as _command
from .verifier import files as _files
from .verifier.lines import UnreleasedFormat

__version__ = "0.1.0"
__all__ = ["Finding", "Layers", "Result", "UnreleasedFormat", "items", "read", "read_changes", "read_days",
           "read_records", "schema", "verify"]

Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Iterable[str], None]
READERS = ("arrow", "duckdb", "pandas", "polars")


def verify(source: Path | IO[bytes], name: str = "", sidecar: bytes | None = None) -> Result:
    """Verifies a file by its path, or an open one.

    A table that is given by its path is verified with the sidecar beside it. Of an open file that is a table, `name`
    ends in `.csv`, and `sidecar` has the bytes of the sidecar. What cannot be read from any place is copied into a
    temporary file first. Findings are no exceptions: only what cannot be read raises OSError, and a file of a build before
    the first release UnreleasedFormat.
    """
    if isinstance(source, (str, os.PathLike)):
        return _command.verify_path(os.path.join(".", "-") if os.fspath(source) == "-" else os.fspath(source))
    return _files.verify(_command.seekable(source), name, sidecar)


def items(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Each item of a bundle, a file of lines, a salvage or an envelope, with its hash, one at a time, not verified."""
    with open(path, "rb") as file:
        yield from _items.read_items(file)


def read(path: Path, to: str = "arrow", columns: Names = None, types: Names = None) -> Any:
    """A row per item, as a table of `arrow`, a frame of `pandas` or `polars`, or a relation of `duckdb`.

    The columns are those that the specification has for the kinds of items in the file, or the `columns` that are
    named. The rows are those of all sample types, or of the `types` that are named. Nothing is verified.
    """
    return _reader(to).read_hp(os.fspath(path), columns, types)


def read_records(path: Path, to: str = "arrow", columns: Names = None, types: Names = None,
                 time_zone: str | None = None) -> Any:
    """A row per record of a bundle or a table of records, as `read` gives it, with the columns `start_local` and `day`.

    They are in the time zone of the observation, or in the one that is named.
    """
    return _reader(to).read_hp_records(os.fspath(path), columns, types, time_zone)


def read_changes(path: Path, to: str = "arrow", columns: Names = None, types: Names = None,
                 time_zone: str | None = None) -> Any:
    """A row per change of a report, as `read` gives it, with the columns `start_local` and `day` of the record."""
    return _reader(to).read_hp_changes(os.fspath(path), columns, types, time_zone)


def read_days(path: Path, to: str = "arrow", columns: Names = None, types: Names = None) -> Any:
    """A row per item of a report of days, as `read` gives it, with the column `day`."""
    return _reader(to).read_hp_days(os.fspath(path), columns, types)


def _reader(name: str) -> Any:
    if name not in READERS:
        raise ValueError("there is no reader %r: %s" % (name, ", ".join(READERS)))
    return importlib.import_module(".readers.for_" + name, __name__)


def schema(name: str) -> Any:
    """A JSON Schema of the specification, such as `item` or `verify-result`."""
    import json
    from importlib import resources

    return json.loads(resources.files(__name__).joinpath("schemas", name + ".json").read_text(encoding="utf-8"))
