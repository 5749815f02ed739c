"""Tables: CSV and its sidecar, Spec/reports.md. A row becomes the line that the item has in a bundle.

    NAME.csv                 sample_type,start_date,…,item_hash CR LF
                             row CR LF …
    NAME.csv-metadata.json   {"@context":…,"dialect":…,"tableSchema":…,"url":…,"urn:healthprobe:report":{…}} LF
"""

import hashlib
import json
import pathlib
import re

from .canonical import Canonical, canonical
from .findings import Fault
from .members import HEX64
from .ordering import first_difference
from .reports import EXPORTS
from .shapes import MAX_INTEGER, MAX_METADATA_DEPTH
from .timestamps import read_timestamp, write_timestamp

COLUMNS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "columns.json").read_text(encoding="utf-8"))
DATATYPES = {"text": "string", "hash": "string", "timestamp": "dateTime", "number": "double"}
GUARDED = tuple("=+-@\t\r\n'\uff1d\uff0b\uff0d\uff20")
CELL = re.compile(rb'"((?:[^"]|"")*)"|([^",\r\n]*)')
REPORT = "urn:healthprobe:report"
FIXED = {
    "@context": "http://www.w3.org/ns/csvw",
    "dialect": {"commentPrefix": None, "delimiter": ",", "doubleQuote": True, "encoding": "utf-8", "header": True,
                "headerRowCount": 1, "lineTerminators": ["\r\n"], "quoteChar": '"', "skipBlankRows": False,
                "skipInitialSpace": False, "trim": False},
}


class Sidecar:
    """What stands beside a table. `report` is None where it cannot be used."""

    def __init__(self, text, name, findings):
        self.findings, self.report, self.is_sound = findings, None, True
        try:
            value = Canonical(text[:-1] if text.endswith(b"\n") else text).read()
        except Fault as fault:
            return self.add(byte=fault.byte)
        if not text.endswith(b"\n"):
            self.add(byte=len(text))
        if not isinstance(value, dict) or not isinstance(value.get(REPORT), dict):
            return self.add(pointer="/" + REPORT)
        report = value[REPORT]
        for member in ("export", "manifest_hash", "totals"):
            if member not in report:
                return self.add(pointer="/%s/%s" % (REPORT, member))
        self.report, self.columns = report, COLUMNS.get(item_kind(report["export"]))
        expected = {**FIXED, "url": name, "tableSchema": {"columns": [
            {"datatype": datatype(*column), "name": column[0], "titles": column[0]} for column in self.columns or ()]}}
        expected[REPORT] = {**report, **{member: self.checked(member) for member in (
            "byte_count", "dialect", "row_count", "sha256")}}
        known = {"byte_count", "dialect", "export", "manifest_hash", "row_count", "sha256", "totals"}
        expected[REPORT] = {member: expected[REPORT][member] for member in known}
        difference = first_difference(expected, value)
        if difference is not None:
            self.add(pointer=difference)

    def add(self, **place):
        self.is_sound = False
        self.findings.add("container.sidecar", **place)

    def checked(self, member):
        """The member where it has a value that it can have, else something that it is not."""
        value = self.report.get(member)
        if member == "dialect":
            return "healthprobe-csv-1"
        if member == "sha256":
            return value if isinstance(value, str) and HEX64.fullmatch(value) else ""
        return value if type(value) is int and 0 <= value <= MAX_INTEGER else -1


def item_kind(export):
    """The kind of the items of a table with this header, or None where it has no table."""
    kind = export.get("export_kind") if isinstance(export, dict) else None
    kinds = EXPORTS[kind].items if isinstance(kind, str) and kind in EXPORTS else ()
    return next(iter(kinds)) if len(kinds) == 1 else None


def datatype(name, kind):
    return "string" if kind == "integer" and name.endswith("_id") else DATATYPES.get(kind, kind)


def read_table(file, sidecar_bytes, name, lines):
    """A table, read whole. Returns whether the rest of it is lost."""
    file.seek(0)
    text = file.read()
    if sidecar_bytes is None:
        lines.report.add("container.sidecar_missing")
        return True
    sidecar = Sidecar(sidecar_bytes, name, lines.report)
    report = sidecar.report
    if report is None:
        return True
    lines.take_line(b'{"export":' + canonical(report["export"]) + b"}")
    if sidecar.columns is None:
        return True
    is_whole = report.get("byte_count") == len(text) and report.get("sha256") == hashlib.sha256(text).hexdigest()
    if sidecar.is_sound and not is_whole:
        lines.report.add("container.file_hash")
    lost = not read_rows(text, sidecar, lines, is_whole)
    if not lost:
        lines.take_line(canonical({"manifest_hash": report["manifest_hash"], "totals": report["totals"]}))
    return lost


def read_rows(text, sidecar, lines, is_whole):
    """Every row as an item's line. Returns whether the columns are those of the items."""
    rows = rows_of(text)
    names = [name for name, _ in sidecar.columns]
    first = next(rows, None)
    if first is None or [cell.decode("utf-8", "replace") for cell in first] != names:
        lines.report.add("container.columns")
        return False
    count = 0
    for count, cells in enumerate(rows, 1):
        if cells is None or len(cells) != len(names):
            lines.lose_line("line", "line.cells")
            continue
        row = Row(item_kind(sidecar.report["export"]), sidecar.columns, cells)
        if row.faults:
            lines.lose_line("line", "line.cell", pointers=row.faults)
        else:
            lines.take_line(row.line())
    if is_whole and sidecar.is_sound and count != sidecar.report["row_count"]:
        sidecar.add(pointer="/%s/row_count" % REPORT)
    return True


def rows_of(text):
    """The cells of each row, as bytes; None for a row that is malformed, up to its line end."""
    at = 0
    while at < len(text):
        cells, is_sound = [], True
        while True:
            cell = CELL.match(text, at)
            at = cell.end()
            cells.append(cell.group(2) if cell.group(1) is None else cell.group(1).replace(b'""', b'"'))
            if text[at:at + 1] != b",":
                break
            at += 1
        if text[at:at + 2] != b"\r\n":
            is_sound = False
            end = text.find(b"\n", at)
            at = len(text) if end < 0 else end - 1
        at += 2
        yield cells if is_sound else None


class Row:
    """A row as the item that it stands for. `faults` are pointers to cells that are no value of their column."""

    def __init__(self, kind, columns, cells):
        self.item, self.faults, self.hash = {"item_kind": kind}, [], None
        for (name, column), cell in zip(columns, cells):
            if name == "change":
                self.begin(cell)
            try:
                self.put(name, column, cell.decode())
            except (ValueError, Fault):
                self.faults.append("/" + name)

    def begin(self, change):
        """`before` and `after` are there as the change says, whatever their cells hold."""
        for side, absent in (("before", b"appeared"), ("after", b"disappeared")):
            if change != absent:
                self.item[side] = {}

    def put(self, name, kind, cell):
        *path, member = name.split(".")
        if member in ("source", "device") and kind == "json":
            if cell and cell != "{}" or cell and self.holder(path).get(member):
                raise ValueError
            if cell:
                self.holder(path)[member] = {}
        elif name == "item_hash":
            self.hash = cell or None
        elif cell:
            self.holder(path)[member] = value_of(kind, member, cell)

    def holder(self, path):
        holder = self.item
        for name in path:
            holder = holder.setdefault(name, {})
        return holder

    def line(self):
        return canonical({"item": self.item, **({} if self.hash is None else {"item_hash": self.hash})})


def value_of(kind, name, cell):
    """The value that a cell holds; raises ValueError or Fault where it is no value of its column's type."""
    if kind in ("text", "hash"):
        return unguarded(cell)
    if kind == "timestamp":
        double = read_timestamp(cell)
        if double is None or write_timestamp(double) != cell:
            raise ValueError
        return cell
    is_object_first = name == "metadata"
    try:
        value = Canonical(cell.encode(), MAX_METADATA_DEPTH if is_object_first else 512).read()
    except Fault:
        if is_object_first:
            return unguarded(cell)
        raise
    if is_object_first:
        return value if isinstance(value, dict) else unguarded(cell)
    expected = {"integer": (int, float), "number": (int, float), "boolean": bool, "json": (list, dict)}[kind]
    if not isinstance(value, expected) or kind in ("integer", "number") and isinstance(value, bool):
        raise ValueError
    return value


def unguarded(cell):
    """The text of a cell in the dialect healthprobe-csv-1."""
    if not cell.startswith(GUARDED):
        return cell
    if cell[0] != "'" or (cell[1:] and not cell[1:].startswith(GUARDED)):
        raise ValueError
    return cell[1:]
