"""Views for people: Spec/people-view.md. A row stands for an item of which only the hash is known."""

import re

from .canonical import Canonical
from .findings import GUARDED, Fault
from .members import HEX64
from .shapes import MAX_INTEGER
from .timestamps import read_timestamp

OF_CHANGES = ("change", "changed_fields", "label", "value_before", "unit_before", "value_name_before", "start_before", "end_before")
COLUMNS = ("change", "changed_fields", "label", "type", "value", "unit", "value_name", "start", "end", "time_zone", "duration_seconds",
           "activity", "energy_kcal", "distance_m", "value_before", "unit_before", "value_name_before", "start_before", "end_before", "source",
           "device", "item", "item_hash")
OF_DAYS = ("date", "type", "value", "unit", "value_name", "activity", "minimum", "maximum", "dropped", "energy_kcal", "distance_m", "in_bed_h",
           "awake_h", "core_h", "deep_h", "rem_h", "start", "end", "time_zone", "records", "source", "note", "item", "item_hash")
NUMBERS = ("value", "duration_seconds", "value_before", "minimum", "maximum", "dropped", "energy_kcal", "distance_m", "in_bed_h", "awake_h", "core_h",
           "deep_h", "rem_h", "records", "item")
DATES = ("start", "end", "start_before", "end_before")
PLACE = re.compile("[1-9][0-9]{0,15}", re.ASCII)
SEPARATOR = re.compile("[,;|\t\r\n]")
FORMULAS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
DATE = {"base": "dateTime", "format": "yyyy-MM-dd HH:mm:ss"}


def is_view(value):
    return value in ({"name": "people", "unvouched": names} for names in ([], ["device"], ["device", "source"], ["source"]))


class View:
    """The dialect of a view, the kind of its items, and the columns that it has once they are known."""

    def __init__(self, dialect, kind):
        self.is_excel = dialect == "healthprobe-people-excel-1"
        self.mark = b";" if self.is_excel else b","
        self.columns = None
        self.known = {"change": COLUMNS, None: COLUMNS, "day": OF_DAYS, "record": [name for name in COLUMNS if name not in OF_CHANGES]}.get(kind, ())

    def selection(self, names):
        """The names, where they are some of the columns in order, and end with the item's number and hash."""
        known = iter(self.known)
        return list(names) if names and names[-2:] == ["item", "item_hash"] and all(name in known for name in names) else None

    def state(self, schema):
        """Takes the columns of a sidecar's `tableSchema`, where they are those of a view."""
        entries = schema.get("columns") if isinstance(schema, dict) else None
        names = [entry.get("name") if isinstance(entry, dict) else None for entry in entries] if isinstance(entries, list) else []
        names = self.selection(names)
        if names and schema == {"columns": [{"datatype": self.datatype(name), "name": name, "titles": name} for name in names]}:
            self.columns = names

    def datatype(self, name):
        if name in DATES:
            return DATE
        if name in NUMBERS:
            return {"base": "double", "format": {"decimalChar": ","}} if self.is_excel else "double"
        return "string"

    def begins(self, first):
        """Whether the first row names the columns that are stated, or some where none are."""
        mark = b"\xef\xbb\xbf" if self.is_excel else b""
        if not first.startswith(mark) or not first.endswith(b"\r\n") or len(first) > 1024:
            return False
        names = first[len(mark):-2].decode("utf-8", "replace").split(self.mark.decode())
        self.columns = self.columns or self.selection(names)
        return names == self.columns

    def wrong_cell(self, cells):
        """The name of the first column whose cell is not spelled as it says, or None."""
        return next((name for name, cell in zip(self.columns, cells) if not self.is_right(name, cell.decode("utf-8", "replace"))), None)

    def is_right(self, name, cell):
        if name == "item_hash":
            return HEX64.fullmatch(cell) is not None
        if name == "item":
            return PLACE.fullmatch(cell) is not None and int(cell) <= MAX_INTEGER
        if not cell:
            return True
        if name in DATES:
            return is_date(cell)
        if name in NUMBERS:
            return is_number(cell, self.is_excel)
        text = cell[1:] if cell.startswith("'") else cell
        parts = SEPARATOR.split(text)
        return (text.startswith(GUARDED) or is_formula(text)) == cell.startswith("'") and not any(map(is_formula, parts[1:]))


def is_formula(part):
    """Whether a program that drops quotes and blanks sees a formula."""
    return part.lstrip('" ').startswith(FORMULAS)


def is_date(cell):
    return len(cell) == 19 and cell[10] == " " and read_timestamp(cell.replace(" ", "T") + ".000Z") is not None


def is_number(cell, is_excel):
    if is_excel and "." in cell:
        return False
    try:
        value = Canonical((cell.replace(",", ".") if is_excel else cell).encode()).read()
    except (ValueError, Fault):
        return False
    return isinstance(value, (int, float)) and not isinstance(value, bool)
