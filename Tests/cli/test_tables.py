"""Tables of hp-export, read by other programs: Python's csv, pandas, DuckDB, LibreOffice. Every value comes back, and nothing is run."""

import csv
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import unittest
from xml.etree import ElementTree

import duckdb
import pandas

from report_support import KINDS, hp_report, reference, ReportCase
from archive_builder import STEPS, Builder
from support import PATIENCE, schemas

# Needs the packages of readers-requirements.txt: Tests/run.py.
SUITE = "readers"

TEXTS = [
    "", "'", "''", "'quoted'", "=1+1", "=HYPERLINK(\"http://example.invalid\";\"x\")", "+1", "-1", "-", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", " =1", "a,b", "a\"b", "\"", "a;b",
    "a\r\nb", "a\nb", "a\rb", " padded ", "\u00a0", "\u00e9", "e\u0301", "\U0001f600", "NULL", "NaN", "nan", "null", "None", "N/A", "true", "1", "007", "1e5", "2024-01-31", "\x01", "\x7f", "\u2028"]
NUMBERS = [5e-324, 1e21, 1e-7, 123456789012345680000.0, 0.1, -1.5, 2.0**53 - 1, 1.7976931348623157e308, 0.0, 100.0]
INTEGERS = [2**53 - 1, -(2**53 - 1), 0, 1]


def restored(cell, is_text):
    """The member of a cell: the dialect undone by the rule alone; None where the cell is empty."""
    if cell == "":
        return None
    return cell[1:] if is_text and cell[0] == "'" else cell


def flattened(item, item_hash):
    """The members of an item by their paths, arrays and metadata as JSON texts."""
    found = {"item_hash": item_hash}
    def put(path, value):
        name = path.rsplit(".", 1)[-1]
        if isinstance(value, dict) and name != "metadata" and name != "labels":
            found.update({path: "{}"} if not value and name in ("source", "device") else {})
            for member, inner in value.items():
                put(path + "." + member, inner)
        else:
            found[path] = value
    for member, value in item.items():
        if member != "item_kind":
            put(member, value)
    return found


class Tables(ReportCase):
    def setUp(self):
        super().setUp()
        builder = Builder(self.archive, 2, types=(STEPS, "=cmd", "e\u0301", "\u00e9"))
        for number, text in enumerate(TEXTS):
            builder.record(number, number + 1, NUMBERS[number % len(NUMBERS)], first=1 + number % 2, unit=text, semantic=text, bundle=text or "x",
                           sample_type=list(builder.types)[number % 4], category=INTEGERS[number % len(INTEGERS)], last=2 if number % 3 == 1 and number % 2 == 0 else None)
        builder.connection.execute("UPDATE sample_versions SET metadata_id = id")
        for number, text in enumerate(TEXTS):
            builder.insert("metadata_blobs", number + 1, "%064x" % number, json.dumps({"k": text}, ensure_ascii=False, separators=(",", ":")) if number % 2 else text)
        builder.close()
        self.tables = {}
        for kind in KINDS:
            path = self.folder / (kind + ".csv")
            self.assert_good(hp_report(self.archive, kind, "--format", "csv", "-o", path))
            report = reference.Report(str(self.archive), kind)
            self.assertEqual(path.read_bytes(), report.table())
            self.tables[kind] = (path, [flattened(item, hashed) for item, hashed in zip(report.items, report.hashes)], self.columns(path))

    def columns(self, path):
        """Name to datatype, from the sidecar alone."""
        sidecar = json.loads(pathlib.Path(str(path) + "-metadata.json").read_text(encoding="utf-8"))
        schemas.validator("sidecar").validate(sidecar)
        self.assertEqual(sidecar["url"], path.name)
        report = sidecar["urn:healthprobe:report"]
        self.assertEqual((report["byte_count"], report["sha256"]), (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()))
        return {column["name"]: column["datatype"] for column in sidecar["tableSchema"]["columns"]}

    def assert_read(self, kind, names, rows):
        """Rows of cells as texts, None or empty where there is nothing, are the items: texts, numbers and JSON by value."""
        _, items, columns = self.tables[kind]
        self.assertEqual(list(names), list(columns))
        self.assertEqual(len(rows), len(items))
        for row, item in zip(rows, items):
            found = {}
            for name, cell in zip(names, row):
                is_id = name.endswith("_id")
                value = restored(cell or "", columns[name] in ("string", "json") and not is_id)
                if value is not None and columns[name] == "double":
                    value = float(value)
                elif value is not None and (columns[name] in ("integer", "boolean") or is_id):
                    value = json.loads(value)
                elif value is not None and columns[name] == "json" and not (name.endswith("metadata") and isinstance(item.get(name), str)) and value != "{}":
                    value = json.loads(value)
                if value is not None:
                    found[name] = {} if (name, value) == ("labels", "{}") else value
            self.assertEqual(found, item)

    def test_python_csv(self):
        for kind, (path, _, _) in self.tables.items():
            with open(path, encoding="utf-8", newline="") as file:
                names, *rows = csv.reader(file)
            self.assert_read(kind, names, rows)

    def test_pandas(self):
        for kind, (path, _, _) in self.tables.items():
            frame = pandas.read_csv(path, dtype=str, keep_default_na=False, engine="python", encoding="utf-8")
            self.assert_read(kind, frame.columns, frame.values.tolist())

    def test_pandas_reads_numbers_by_itself(self):
        path, items, _ = self.tables["record_table"]
        frame = pandas.read_csv(path, float_precision="round_trip", lineterminator=None, usecols=["numeric_value", "first_seen_observation_id"])
        self.assertEqual(frame["numeric_value"].tolist(), [float(item["numeric_value"]) for item in items])
        self.assertEqual(frame["first_seen_observation_id"].tolist(), [item["first_seen_observation_id"] for item in items])

    def test_duckdb(self):
        for kind, (path, _, _) in self.tables.items():
            source = "read_csv('%s', header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', new_line = '\\r\\n', auto_detect = false, columns = {%s})" % (
                path, ", ".join("'%s': 'VARCHAR'" % name for name in self.tables[kind][2]))
            relation = duckdb.sql("SELECT * FROM " + source)
            self.assert_read(kind, relation.columns, relation.fetchall())

    def test_duckdb_types(self):
        path, items, _ = self.tables["record_table"]
        rows = duckdb.sql("SELECT item_hash, TRY_CAST(numeric_value AS DOUBLE), CAST(start_date AS TIMESTAMPTZ) AT TIME ZONE 'UTC' FROM read_csv('%s', all_varchar = true, header = true, quote = '\"', escape = '\"', delim = ',')" % path).fetchall()
        self.assertEqual([row[1] for row in rows], [float(item["numeric_value"]) for item in items])
        self.assertEqual([row[2].isoformat() for row in rows], [item["start_date"][:19] for item in items])

    def test_nothing_begins_like_a_formula(self):
        """No cell that a spreadsheet would run: what begins with a sign is a number, and all else has its mark."""
        for kind, (path, _, columns) in self.tables.items():
            with open(path, encoding="utf-8", newline="") as file:
                names, *rows = csv.reader(file)
            for row in rows:
                for name, cell in zip(names, row):
                    if cell.startswith(tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")):
                        self.assertIn(columns[name], ("integer", "double"), (kind, name))
                        json.loads(cell)

    def sheet(self, path, filter_options):
        """The cells of a table as LibreOffice opens it: rows of (value type, value, text). No cell may have a formula."""
        office = shutil.which("soffice")
        if office is None:
            self.skipTest("no soffice")
        subprocess.run([office, "--headless", "-env:UserInstallation=file://%s/profile" % self.folder, "--infilter=CSV:" + filter_options, "--convert-to", "fods", "--outdir", str(self.folder), str(path)],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        office, table = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}", "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
        rows = []
        for row in ElementTree.parse(self.folder / (path.stem + ".fods")).iter(table + "table-row"):
            cells = []
            for cell in row.iter(table + "table-cell"):
                self.assertIsNone(cell.get(table + "formula"))
                value = (cell.get(office + "value-type"), cell.get(office + "value"), "\n".join(map(office_text, cell)))
                cells += [value] * int(cell.get(table + "number-columns-repeated", 1))
            rows += [cells] * int(row.get(table + "number-rows-repeated", 1))
        return rows

    def assert_numbers(self, cell, number):
        """A cell of a number: LibreOffice's files have 15 digits of it, and it has no subnormal numbers."""
        kind, value, _ = cell
        if number is None:
            return self.assertEqual(cell, (None, None, ""))
        self.assertEqual(kind, "float")
        self.assertAlmostEqual(float(value), number, delta=max(abs(number) * 1e-14, 2.3e-308))

    def test_libreoffice_with_the_types_of_the_columns(self):
        path, items, columns = self.tables["record_table"]
        # Comma, quote, UTF-8, from row 1; texts as texts (2), the rest in American spelling (10); no quoted field as text, no detection.
        formats = "/".join("%d/%d" % (number, 2 if kind in ("string", "json", "dateTime") else 10) for number, kind in enumerate(columns.values(), 1))
        names, *rows = self.sheet(path, "44,34,76,1,%s,1033,false,false" % formats)
        with open(path, encoding="utf-8", newline="") as file:
            stored = list(csv.reader(file))
        self.assertEqual([text for _, _, text in names], stored[0])
        self.assertEqual(len(rows), len(items))
        for row, cells, in zip(rows, stored[1:]):
            for name, cell, expected in zip(columns, row, cells):
                with self.subTest(name, expected=expected):
                    if columns[name] in ("integer", "double"):
                        self.assert_numbers(cell, float(expected) if expected else None)
                    else:
                        self.assertEqual(cell, ("string", None, carried(expected)) if expected else (None, None, ""))

    def test_libreoffice_as_it_opens_a_file(self):
        """Told that it is UTF-8 and not what the columns are: numbers are numbers, hashes and names are texts, dates are dates or texts, and nothing is run."""
        path, items, columns = self.tables["record_table"]
        names, *rows = self.sheet(path, "44,34,76,1")
        self.assertEqual([text for _, _, text in names], list(columns))
        with open(path, encoding="utf-8", newline="") as file:
            stored = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(stored))
        for row, item, expected in zip(rows, items, stored):
            cells = dict(zip(columns, row))
            # An exponent makes a text of a number for whoever is not told that it is one.
            if "e" in expected["numeric_value"] and cells["numeric_value"][0] == "string":
                self.assertEqual(cells["numeric_value"][2], expected["numeric_value"])
            else:
                self.assert_numbers(cells["numeric_value"], item.get("numeric_value"))
            for name in ("item_hash", "payload_hash", "sample_type"):
                # A text of digits alone is a number to whoever is not told otherwise: the sidecar has the type.
                if not re.fullmatch("[0-9]+(e[0-9]+)?", expected[name]):
                    self.assertEqual(cells[name][2], carried(expected[name]))
            self.assertIn(cells["start_date"][0], ("date", "string"))


def carried(text):
    """What is left of a text in an XML file: one kind of line end, and no character that XML has not."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", re.sub("\r\n?", "\n", text))


def office_text(paragraph):
    """The text of a paragraph: runs of blanks and tabs are elements."""
    text = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
    parts = [paragraph.text or ""]
    for child in paragraph:
        parts.append({text + "s": " " * int(child.get(text + "c", 1)), text + "tab": "\t", text + "line-break": "\n"}.get(child.tag) or "".join(child.itertext()))
        parts.append(child.tail or "")
    return "".join(parts)


if __name__ == "__main__":
    unittest.main()
