"""Vectors of views for people (Spec/people-view.md): the rows are written by hand, for the items of `records`."""

import json

from generate import canonical, made_up, record, records
from generate_reports import changes, change, report, report_lines, sidecar_of

NAMES = ["type", "value", "unit", "start", "end", "time_zone", "duration_seconds", "source", "device", "item", "item_hash"]
DATE = {"base": "dateTime", "format": "yyyy-MM-dd HH:mm:ss"}


def rows_of(made, mark=",", point="."):
    """The rows of the records of three days, each of half an hour."""
    rows = [mark.join(NAMES)]
    for day, line in enumerate(made[1:-1], 1):
        date = "2024-02-%02d 1%%d:%%d0:00" % day
        cells = ["Steps", "10%d%s5" % (day, point) if day == 2 else "10%d" % day, "count", date % (1, 0), date % (1, 3), "UTC+01:00", "1800",
                 "'=1+1" if day == 3 else "org.example.synthetic", '"Synthetic1%s1"' % mark, str(day), json.loads(line)["item_hash"]]
        rows.append(mark.join(cells))
    return [row.encode() + b"\r\n" for row in rows]


def datatype(name, point):
    number = "double" if point == "." else {"base": "double", "format": {"decimalChar": point}}
    known = {**dict.fromkeys(("start", "end", "start_before"), DATE), **dict.fromkeys(("value", "duration_seconds", "value_before", "item"), number)}
    return known.get(name, "string")


class Folder:
    def __init__(self, shelves):
        self.shelves = shelves

    def add(self, name, what, codes, edit=None, sidecar=None, is_excel=False, made=None, rows=None, names=NAMES, follows=True):
        """A view. `edit` changes the list of rows, and `sidecar` the sidecar's object."""
        made = made or report_lines(report("record_table"), records())
        mark, point = (";", ",") if is_excel else (",", ".")
        rows = rows or rows_of(made, mark, point)
        rows[0] = (b"\xef\xbb\xbf" if is_excel else b"") + rows[0]
        before = b"".join(rows)
        data = b"".join(edit(rows)) if edit else before
        value = sidecar_of(made, "record", name + ".csv", data if follows else before)
        value["dialect"]["delimiter"] = mark
        value["tableSchema"] = {"columns": [{"datatype": datatype(name, point), "name": name, "titles": name} for name in names]}
        value["urn:healthprobe:report"].update(dialect="healthprobe-people-excel-1" if is_excel else "healthprobe-people-1",
                                               renderer=1, view={"name": "people", "unvouched": ["source"]})
        if sidecar:
            sidecar(value)
        self.shelves.add(name, ".csv", "report", what, codes, data, canonical(value).encode() + b"\n")


def replaced(number, old, new):
    def edit(rows):
        assert rows[number].count(old), old
        return [*rows[:number], rows[number].replace(old, new, 1), *rows[number + 1:]]
    return edit


def inner(**members):
    return lambda whole: whole["urn:healthprobe:report"].update(members)


def write(shelves):
    add = Folder(shelves).add
    add("good-people", "a view of records for people", "")
    add("good-people-excel", "the same for spreadsheets", "", is_excel=True)
    add("good-people-unlabelled", "a view without labels", "", sidecar=inner(view={"name": "people", "unvouched": []}))
    for names in (["device"], ["device", "source"]):
        add("good-people-labelled-" + "-and-".join(names), "a view with labels of its own in " + " and ".join(names), "",
            sidecar=inner(view={"name": "people", "unvouched": names}))
    none = report_lines(report("record_table"), [])
    add("good-people-empty", "a view without rows", "", made=none)
    changed = report_lines(changes("diff_report"), [change("representation_changed", label="uncertain", reasons=["units_differ"])])
    columns = ["change", "changed_fields", "label", "type", "value_before", "start_before", "item", "item_hash"]
    row = "changed,numeric_value start_date,uncertain: units differ,Steps,101,2024-02-01 11:00:00,1,%s\r\n" % json.loads(changed[1])["item_hash"]
    add("good-people-changes", "a view of changes", "", made=changed, rows=[(",".join(columns) + "\r\n").encode(), row.encode()], names=columns)
    add("good-people-formulas", "formulas behind delimiters, each with its mark", "", edit=replaced(2, b"org.example.synthetic", b"' =1;'=2|'\xef\xbc\x9d3"))
    add("good-people-order", "rows in another order, with the numbers of their items", "", edit=lambda rows: [rows[0], rows[2], rows[3], rows[1]])
    add("forgery-people-cell", "a value edited, with the sidecar", "", edit=replaced(2, b"102.5", b"999"))
    write_rows(add)
    write_cells(add)
    write_sidecars(add)


def write_rows(add):
    add("people-cell-edited", "a value edited", "container.file_hash", edit=replaced(2, b"102.5", b"999"), follows=False)
    add("people-hash-edited", "another item hash", "manifest.hash", edit=lambda rows: [*rows[:3], rows[3][:-66] + made_up("other").encode() + b"\r\n"])
    add("people-row-dropped", "a row left out", "manifest.hash manifest.totals", edit=lambda rows: rows[:3], sidecar=inner(row_count=2))
    add("people-row-repeated", "a row twice", "manifest.hash manifest.totals", edit=lambda rows: rows + rows[3:], sidecar=inner(row_count=4))
    add("people-numbers-swapped", "two rows with the numbers of each other's items", "manifest.hash",
        edit=lambda rows: [rows[0], rows[1].replace(b",1,", b",2,"), rows[2].replace(b",2,", b",1,"), rows[3]])
    for name, what, new in (("repeated", "a number that another row has", b",1,"), ("beyond", "a number beyond the number of items", b",4,")):
        add("people-number-" + name, what, "manifest.hash", edit=lambda rows, new=new: [*rows[:3], rows[3].replace(b",3,", new)])
    add("people-numbers-later", "numbers from 2 on", "manifest.hash",
        edit=lambda rows: [rows[0], *(row.replace(b",%d," % place, b",%d," % (place + 1)) for place, row in enumerate(rows[1:], 1))])
    add("people-cells", "a cell too few", "line.cells", edit=replaced(1, b",count,", b","))
    add("people-quotes", "quotes that no cell needs", "line.cells", edit=replaced(1, b",count,", b',"count",'))
    add("people-excel-quotes", "quotes around a comma between semicolons", "line.cells", edit=replaced(2, b"102,5", b'"102,5"'), is_excel=True)
    add("people-unterminated", "the last row without its line end", "line.unterminated", edit=lambda rows: [*rows[:3], rows[3][:-2]])
    add("people-columns", "columns in another order", "container.columns", edit=replaced(0, b"value,unit", b"unit,value"))
    add("people-columns-mark", "a byte order mark where none belongs", "container.columns", edit=lambda rows: [b"\xef\xbb\xbf" + rows[0], *rows[1:]])
    add("people-columns-no-mark", "no byte order mark where one belongs", "container.columns", edit=lambda rows: [rows[0][3:], *rows[1:]], is_excel=True)


def write_cells(add):
    for name, what, old, new in (
            ("date", "a day that does not exist", b"2024-02-02 11:00:00", b"2024-02-30 11:00:00"), ("date-t", "a date with a T", b"2024-02-02 11:00:00", b"2024-02-02T11:00:00"),
            ("date-short", "a date without seconds", b"2024-02-02 11:00:00", b"2024-02-02 11:00"), ("number", "a number with a plus", b"102.5", b"+102.5"),
            ("number-comma", "a decimal comma in the plain dialect", b"102.5", b'"102,5"'), ("number-zero", "a number that is not canonical", b"102.5", b"102.50"),
            ("formula", "a formula without its mark", b"org.example.synthetic", b"=1+1"),
            ("formula-semicolon", "a formula behind a semicolon", b"org.example.synthetic", b"org;=1+1"),
            ("formula-bar", "a formula behind a bar, a quote and a blank", b"org.example.synthetic", b'"org|"" =1+1"'),
            ("formula-blank", "a formula behind a blank, without its mark", b"org.example.synthetic", b'" =1+1"'), ("mark", "a mark that no text needs", b"org.example.synthetic", b"'org.example"),
            ("item", "a number of an item that begins with 0", b",2,", b",02,"), ("item-0", "an item 0", b",2,", b",0,"), ("no-item", "no number of an item", b",2,", b",,"),
            ("item-large", "a number of an item beyond 2^53", b",2,", b",9007199254740992,"), ("item-fraction", "a number of an item with a fraction", b",2,", b",2.5,"),
            ("mark-alone", "a mark before nothing", b"org.example.synthetic", b"'")):
        add("people-cell-" + name, what, "line.cell", edit=replaced(2, old, new))
    add("people-cell-hash", "an item hash in capitals", "line.cell", edit=lambda rows: [*rows[:2], rows[2][:-66] + b"A" * 64 + b"\r\n", rows[3]])
    add("people-cell-no-hash", "no item hash", "line.cell", edit=lambda rows: [*rows[:2], rows[2][:-66] + b"\r\n", rows[3]])
    add("people-cell-excel-point", "a decimal point in the dialect for spreadsheets", "line.cell", edit=replaced(2, b"102,5", b"102.5"), is_excel=True)


def write_sidecars(add):
    def columns(edit):
        return lambda whole: edit(whole["tableSchema"]["columns"])
    add("people-view-missing", "a sidecar that does not say what a view it is", "container.sidecar",
        sidecar=lambda whole: whole["urn:healthprobe:report"].pop("view"))
    add("people-view-name", "another view", "container.sidecar", sidecar=inner(view={"name": "machines", "unvouched": []}))
    add("people-view-unvouched", "another column that nothing vouches for", "container.sidecar", sidecar=inner(view={"name": "people", "unvouched": ["value"]}))
    add("people-view-unsorted", "columns that nothing vouches for in another order", "container.sidecar",
        sidecar=inner(view={"name": "people", "unvouched": ["source", "device"]}))
    add("people-view-of-table", "a table of items that says that it is a view", "container.columns container.sidecar",
        sidecar=inner(dialect="healthprobe-csv-1"))
    add("people-schema-type", "another datatype of a date", "container.sidecar", sidecar=columns(lambda entries: entries[3].update(datatype="string")))
    add("people-schema-order", "columns that are stated in another order", "container.sidecar", sidecar=columns(lambda entries: entries.reverse()))
    add("people-schema-change", "a column of changes in a view of records", "container.sidecar",
        sidecar=columns(lambda entries: entries.insert(0, {"datatype": "string", "name": "change", "titles": "change"})))
    add("good-people-renderer-other", "a renderer that nobody knows yet", "", sidecar=inner(renderer=7))
    for name, what, value in (("0", "a renderer 0", 0), ("fraction", "a renderer 1.5", 1.5), ("text", "a renderer that is a text", "1"), ("true", "a renderer that is true", True),
                              ("null", "a renderer that is null", None)):
        add("people-renderer-" + name, what, "container.sidecar", sidecar=inner(renderer=value))
    add("people-renderer-none", "a view that states no renderer", "container.sidecar", sidecar=lambda whole: whole["urn:healthprobe:report"].pop("renderer"))
    add("people-dialect", "commas that are stated for semicolons", "container.sidecar", is_excel=True,
        sidecar=lambda whole: whole["dialect"].update(delimiter=","))
    add("people-manifest-hash", "another manifest hash", "manifest.hash", sidecar=inner(manifest_hash=made_up("other")))
    add("people-row-count", "another number of rows", "container.sidecar", sidecar=inner(row_count=4))
