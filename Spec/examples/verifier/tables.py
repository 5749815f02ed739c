"""Tables: CSV and its sidecar, Spec/reports.md. A row becomes the line that the item has in a bundle.

    NAME.csv                 sample_type,start_date,…,item_hash CR LF
                             row CR LF …
    NAME.csv-metadata.json   {"@context":…,"dialect":…,"tableSchema":…,"url":…,"urn:healthprobe:report":{…}} LF
"""

import hashlib
import re

from .canonical import Canonical, canonical
from .findings import GUARDED, MAX_LINE, Fault
from .members import HEX64
from .reports import EXPORTS
from .shapes import MAX_INTEGER, MAX_METADATA_DEPTH, escaped
from .spec import spec
from .timestamps import read_timestamp, write_timestamp
from .views import View, is_view

COLUMNS = spec("columns.json")
DATATYPES = {"text": "string", "hash": "string", "timestamp": "dateTime", "number": "double"}
END_OF_CELL = {mark: re.compile(b"[" + mark + b"\n]|\\Z") for mark in (b",", b";")}
REPORT = "urn:healthprobe:report"
MAX_SIDECAR = 130 << 20
FIXED = {
    "@context": "http://www.w3.org/ns/csvw",
    "dialect": {"commentPrefix": None, "delimiter": ",", "doubleQuote": True, "encoding": "utf-8", "header": True,
                "headerRowCount": 1, "lineTerminators": ["\r\n"], "quoteChar": '"', "skipBlankRows": False,
                "skipInitialSpace": False, "trim": False},
}


class Sidecar:
    """What stands beside a table. `export` and `manifest` are the lines it holds, None where they are lost."""

    def __init__(self, text, name, findings):
        self.findings, self.report, self.export, self.manifest, self.view = findings, {}, None, None, None
        if text is None:
            findings.add("container.sidecar_missing")
            return
        if len(text) > MAX_SIDECAR:
            return self.add()
        is_line = text.endswith(b"\n")
        try:
            value = Canonical(text[:-1] if is_line else text).read()
        except Fault as fault:
            return self.add(byte=fault.byte)
        if not isinstance(value, dict) or not is_line:
            return self.add(byte=0 if is_line else len(text))
        self.report = value[REPORT] if isinstance(value.get(REPORT), dict) else {}
        if self.report.get("dialect") in ("healthprobe-people-1", "healthprobe-people-excel-1"):
            self.view = View(self.report["dialect"], item_kind(self.report.get("export")))
            self.view.state(value.get("tableSchema"))
        self.compare(value, name)
        export, members = self.report.get("export"), {name: self.report.get(name) for name in ("manifest_hash", "totals")}
        if isinstance(export, dict):
            self.export = canonical({"export": export})
        if isinstance(members["manifest_hash"], str) and isinstance(members["totals"], dict):
            self.manifest = canonical(members)

    def add(self, **place):
        self.findings.add("container.sidecar", **place)

    def compare(self, value, name):
        """One finding for each member that is not what it has to be."""
        columns = COLUMNS.get(item_kind(self.report.get("export")))
        schema = {"columns": [{"datatype": datatype(*column), "name": column[0], "titles": column[0]} for column in columns or ()]}
        expected = {**FIXED, "url": name, "tableSchema": schema if columns else value.get("tableSchema"), REPORT: None}
        forms = FORMS
        if self.view:
            expected["dialect"] = {**FIXED["dialect"], "delimiter": self.view.mark.decode()}
            expected["tableSchema"] = value.get("tableSchema") if self.view.columns else None
            forms = {**FORMS, "dialect": lambda value: True, "renderer": lambda value: is_count(value) and value > 0, "view": is_view}
        for member in sorted(expected.keys() | value.keys()):
            is_right = member in value and (isinstance(value[member], dict) if member == REPORT else same(value[member], expected.get(member)))
            if member not in expected or not is_right:
                self.add(pointer="/" + escaped(member))
        is_report = isinstance(value.get(REPORT), dict)
        for member in sorted(forms.keys() | self.report.keys()) if is_report else ():
            if member not in forms or member not in self.report or not forms[member](self.report[member]):
                self.add(pointer="/%s/%s" % (REPORT, escaped(member)))

    def fits(self, member, found):
        """Whether a fact of the table is as stated; True where nothing that can be compared is stated."""
        stated = self.report.get(member)
        return member not in self.report or not FORMS[member](stated) or stated == found


def same(left, right):
    """Whether two values have one canonical form. Python holds 0 and false, 1 and true to be equal."""
    return canonical(left) == canonical(right)


def is_count(value):
    return type(value) is int and 0 <= value <= MAX_INTEGER


FORMS = {
    "byte_count": is_count, "row_count": is_count,
    "dialect": lambda value: value == "healthprobe-csv-1",
    "export": lambda value: isinstance(value, dict),
    "manifest_hash": lambda value: isinstance(value, str),
    "sha256": lambda value: isinstance(value, str) and HEX64.fullmatch(value),
    "totals": lambda value: isinstance(value, dict),
}


def item_kind(export):
    """The kind of the items of a table with this header, or None where it has no table."""
    kind, scope = (export.get(name) if isinstance(export, dict) else None for name in ("export_kind", "scope"))
    if kind == "recovery_bundle":
        return None if isinstance(scope, dict) and scope.get("mode") == "history" else "record"
    return next(iter(EXPORTS[kind].items)) if isinstance(kind, str) and kind in EXPORTS else None


def datatype(name, kind):
    return "string" if kind == "integer" and name.endswith("_id") else DATATYPES.get(kind, kind)


def read_table(file, sidecar_bytes, name, lines):
    """A table, read whole. Returns whether its end is lost."""
    file.seek(0)
    text = file.read()
    sidecar = Sidecar(sidecar_bytes, name, lines.report)
    is_whole = sidecar.fits("byte_count", len(text)) and sidecar.fits("sha256", hashlib.sha256(text).hexdigest())
    lines.is_view = sidecar.view is not None
    if sidecar.export is None:
        lines.lose_line("container", None)
    else:
        lines.take_line(sidecar.export)
    count = read_view(text, sidecar.view, lines) if sidecar.view else read_rows(text, item_kind(sidecar.report.get("export")), lines)
    if not is_whole:
        lines.report.add("container.file_hash")
    if count is not None and is_whole and not sidecar.fits("row_count", count):
        sidecar.add(pointer="/%s/row_count" % REPORT)
    if sidecar.manifest is not None:
        lines.take_line(sidecar.manifest)
    return sidecar.manifest is None


def read_rows(text, kind, lines):
    """Every row as an item's line. Returns how many there are, None where the columns are not those of the items."""
    rows = rows_of(text)
    first = next(rows, (b"",))[0]
    names = {",".join(name for name, _ in columns).encode() + b"\r\n": kind for kind, columns in COLUMNS.items()}
    kind = kind or names.get(first)
    if kind is None or names.get(first) != kind:
        lines.report.add("container.columns", line=1)
        lines.lose_lines()
        return None
    count = 0
    for count, (row, end, cells) in enumerate(rows, 1):
        code, pointer, line = line_of(end, cells, kind)
        if code is None and len(line) > MAX_LINE or len(row.rstrip(b"\r\n")) > MAX_LINE:
            code, pointer = "line.limit", None
        if code:
            lines.lose_line("line", code, pointer=pointer)
        else:
            lines.take_line(line)
    return count


def read_view(text, view, lines):
    """Every row of a view as an item hash. Returns how many rows there are, None where the columns are none of a view."""
    first = text[:text.find(b"\n") + 1]
    if not view.begins(first):
        lines.report.add("container.columns", line=1)
        lines.lose_lines()
        return None
    count = 0
    for count, (row, end, cells) in enumerate(rows_of(text[len(first):], view.mark), 1):
        if len(row.rstrip(b"\r\n")) > MAX_LINE:
            lines.lose_line("line", "line.limit")
        elif end != b"\n" or cells is None or len(cells) != len(view.columns):
            lines.lose_line("line", "line.cells" if end == b"\n" else "line.unterminated")
        elif view.wrong_cell(cells):
            lines.lose_line("line", "line.cell", pointer="/" + view.wrong_cell(cells))
        else:
            lines.take_hash(cells[-1].decode(), int(cells[-2]))
    return count


def line_of(end, cells, kind):
    """A code and pointer, or the line of the item that a row stands for."""
    if end != b"\n":
        return "line.unterminated", None, None
    if cells is None or len(cells) != len(COLUMNS[kind]):
        return "line.cells", None, None
    found = Row(kind, cells)
    return ("line.cell", found.fault, None) if found.fault else (None, None, found.line())


def rows_of(text, delimiter=b","):
    """Each row's bytes, how it ends, and its cells; None in their place where the row is malformed."""
    at = 0
    while at < len(text):
        start, cells, is_sound, mark = at, [], True, delimiter
        while mark == delimiter:
            quoted, at = quoted_cell(text, at)
            end = END_OF_CELL[delimiter].search(text, at)
            rest, mark = text[at:end.start()], end.group()
            at = end.end()
            if mark == b"\n":
                is_sound = is_sound and rest.endswith(b"\r")
                rest = rest[:-1]
            cells.append(rest if quoted is None else quoted)
            is_sound = is_sound and needs_quotes(cells[-1], delimiter) == (quoted is not None) and not (quoted is not None and rest)
        yield text[start:at], mark, cells if is_sound else None


def quoted_cell(text, at):
    """The text of a cell in quotes and where they end; None where the cell does not begin with a quote."""
    if text[at:at + 1] != b'"':
        return None, at
    end = at + 1
    while True:
        end = text.find(b'"', end)
        if end < 0:
            return text[at + 1:], len(text)
        if text[end + 1:end + 2] != b'"':
            return text[at + 1:end].replace(b'""', b'"'), end + 1
        end += 2


def needs_quotes(cell, delimiter):
    return any(mark in cell for mark in b'"\r\n' + delimiter) or cell[:1] in (b" ", b"\t") or cell[-1:] in (b" ", b"\t")


class Row:
    """A row as the item that it stands for. `fault` points to the first cell that is no value of its column."""

    def __init__(self, kind, cells):
        self.item, self.fault, self.hash = {"item_kind": kind}, None, None
        for (name, column), cell in zip(COLUMNS[kind], cells):
            if name == "change":
                self.begin(cell)
            try:
                self.put(name, column, cell.decode("utf-8", "surrogateescape"))
            except (ValueError, Fault):
                self.fault = self.fault or ("/" if name == "item_hash" else "/item/") + name.replace(".", "/")

    def begin(self, change):
        """`before` and `after` are there as the change says, and where a cell of theirs is not empty."""
        for side, other in (("before", b"disappeared"), ("after", b"appeared")):
            if change in (other, b"representation_changed"):
                self.item[side] = {}

    def put(self, name, kind, cell):
        *path, member = name.split(".")
        if member in ("source", "device") and kind == "json":
            if cell and cell != "{}" or cell and self.holder(path).get(member):
                raise ValueError
            if cell:
                self.holder(path)[member] = {}
        elif name == "item_hash":
            self.hash = unguarded(cell) if cell else None
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
        value = Canonical(cell.encode("utf-8", "surrogateescape"), MAX_METADATA_DEPTH if is_object_first else 512).read()
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
