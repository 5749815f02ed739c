"""Other programs read bundles and reports: zstd and Python's json, jq, DuckDB, pandas, Polars, pyarrow, with Spec/readers.

What a reader gives is compared with Python's own `json` and `csv`: as many rows, the types of the columns, every value.
"""

import csv
import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import zstandard

from support import FIXTURES, ROOT, Case, database, hp_export, lines_of, vectors

sys.path.insert(0, str(ROOT / "Spec"))

from readers import for_arrow, for_duckdb, for_pandas, for_polars, for_spark, items as reader_items  # noqa: E402
from verifier.canonical import canonical  # noqa: E402

# Needs the packages of readers-requirements.txt: Tests/run.py.
SUITE = "readers"

READERS = ROOT / "Spec" / "readers"
COLUMNS = json.loads((ROOT / "Spec" / "columns.json").read_text(encoding="utf-8"))
ITEMS = json.loads((ROOT / "Spec" / "schemas" / "item.json").read_text(encoding="utf-8"))
STAND_HOURS = 23400  # nine of ten are visible at the end: 21,060 records, more than any reader looks at for a type (DuckDB: 20,480)
KINDS = {"records": ("records",), "changes": ("diff", "--from", "1"), "summary": ("diff", "--from", "1", "--summary"),
         "findings": ("diff", "--from", "1", "--findings"), "manifest": ("manifest",)}
# The type that a column of a table has in each program.
TYPES = {
    "duckdb": {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "json": "JSON"},
    "arrow": {"text": "string", "integer": "int64", "number": "double", "boolean": "bool", "json": "string"},
    "polars": {"text": "String", "integer": "Int64", "number": "Float64", "boolean": "Boolean", "json": "String"},
    "pandas": {"text": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean", "json": "string"},
}


def archive_of_stand_hours(path):
    """The small fixture, with records before its own that have no numeric value: 21,000 stand hours, some of them gone."""
    shutil.copyfile(FIXTURES / "archives" / "small.sqlite", path)
    with database(path) as connection:
        connection.execute("BEGIN")
        kind, sample, version = (connection.execute("SELECT max(id) FROM " + table).fetchone()[0]
                                 for table in ("sample_types", "samples", "sample_versions"))
        connection.execute("INSERT INTO sample_types VALUES (?, 'HKCategoryTypeIdentifierAppleStandHour', NULL, 'category')", (kind + 1,))
        for index in range(1, STAND_HOURS + 1):
            start, end = 8e8 + 3600 * index, 957052800.0 if index % 10 == 0 else None
            connection.execute("INSERT INTO samples VALUES (?, ?, ?, ?, NULL, NULL, 1, 949276800.0)", (sample + index, kind + 1, "%064x" % index, "%064x" % (10 ** 6 + index)))
            connection.execute("INSERT INTO sample_versions VALUES (?, ?, ?, ?, ?, 'category', NULL, NULL, ?, NULL, NULL, NULL, NULL, NULL, 1)",
                               (version + index, sample + index, "%064x" % (2 * 10 ** 6 + index), start, start + 3600, index % 2))
            connection.execute("INSERT INTO sample_visibility_ranges VALUES (?, ?, 1, ?, 949276800.0, ?)", (sample + index, version + index, 4 if end else None, end))
        connection.execute("COMMIT")


def filled(value, name=None):
    """A value without what a frame has for an absent member; metadata as the value that its JSON text stands for."""
    if name == "metadata" and value is not None:
        return value_of(value)
    if isinstance(value, dict):
        return {name: filled(each, name) for name, each in value.items() if each is not None}
    return [filled(each) for each in value] if isinstance(value, list) else value


def cells(item, kind):
    """An item as the row of a table, by the rules of Spec/reports.md: each column's value, None for an empty cell."""
    row = {}
    for name, of in COLUMNS[kind]:
        value = item
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if name.rpartition(".")[2] in ("source", "device"):
            value = {} if value == {} else None
        row[name] = value
    return row


def plain(row):
    """A row whose texts of JSON are values; metadata as the text that is in a cell."""
    row = {name: None if value is pandas.NA else value for name, value in row.items()}
    kinds = {name: of for columns in COLUMNS.values() for name, of in columns}
    for name, value in row.items():
        if isinstance(value, str) and kinds.get(name) == "json":
            row[name] = as_metadata(value) if name.endswith("metadata") else value_of(value)
    return row


def value_of(text):
    """A JSON text as its value: numbers are doubles, and an integer is one where that says the same."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits))


def as_metadata(text):
    """What a cell of metadata holds: an object where it is canonical JSON, as Spec/reports.md says, else text."""
    try:
        value = value_of(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) and canonical(value) == text.encode() else text


def kinds_of(files):
    """The kinds of items that are in some files, each as its lines."""
    return {line["item"]["item_kind"] for lines in files for line in lines if "item" in line}


def group_of(lines):
    """The name of the columns that the items of a file have, "" where they have those of most kinds."""
    return reader_items.GROUPS[next(iter(kinds_of([lines])))]


def members_of(kind):
    """The members of a kind of items, each with the type that the schema states, `None` if it refers to another."""
    found = {}
    for schema in ITEMS["$defs"].values():
        for form in [schema, *schema.get("oneOf", ())]:
            properties = form.get("properties", {})
            if isinstance(properties.get("item_kind"), dict) and properties["item_kind"].get("const") == kind:
                for member, of in properties.items():
                    of = of.get("type") if isinstance(of, dict) else None
                    found[member] = "text" if of == "string" else of if isinstance(of, str) else found.get(member)
    return found


def macro(name, lines):
    """The macro of DuckDB that reads a file."""
    return "_".join(filter(None, (name, group_of(lines))))


class Readers(Case):
    """Files of every kind of items, each in every container, that begin with 21,000 records without a numeric value."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="hp-readers.")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.files = pathlib.Path(folder)
        large, small = cls.files / "archive.sqlite", cls.files / "defects.sqlite"
        archive_of_stand_hours(large)
        shutil.copyfile(FIXTURES / "archives" / "defects.sqlite", small)
        cls.bundles, cls.tables, cls.envelopes = {}, {}, {}
        for name, archive, options in (("visible", large, ()), ("history", large, ("--history", "--since", "1996-10-15")), ("defects", small, ("--history",))):
            out = cls.files / (name + ".jsonl.zst")
            cls.good(hp_export("bundle", archive, "-o", out, "--quiet", *options))
            cls.bundles[out] = [value_of(line) for line in lines_of(out)]
        for name, (command, *options) in KINDS.items():
            paths = [cls.files / ("%s.%s" % (name, suffix)) for suffix in ("jsonl", "json", "csv")]
            for path in paths:
                cls.good(hp_export(command, large, *options, "--format", path.suffix[1:], "-o", path, "--quiet"))
            lines = [value_of(line) for line in paths[0].read_bytes().splitlines()]
            cls.bundles[paths[0]], cls.envelopes[paths[1]], cls.tables[paths[2]] = lines, lines, lines
        salvage = cls.files / "salvage.jsonl"
        shutil.copyfile(ROOT / "Spec" / "examples" / "salvage.jsonl", salvage)
        cls.bundles[salvage] = [value_of(line) for line in salvage.read_bytes().splitlines()]
        # Kinds of items that none of these has come from the vectors.
        for vector in vectors.ALL:
            if vector.container == "lines" and vector.result == "ok":
                lines = [value_of(line) for line in vector.path.read_bytes().splitlines()]
                if kinds_of([lines]) - kinds_of(cls.bundles.values()):
                    cls.bundles[vector.path] = lines

    @staticmethod
    def good(result):
        if result.status:
            raise RuntimeError(result.err)

    def assert_items(self, lines, rows):
        """The rows are the items of the lines, in their order."""
        expected = [{**line["item"], "item_hash": line["item_hash"]} for line in lines if "item_hash" in line]
        self.assertGreater(len(expected), 0)
        self.assertEqual(len(rows), len(expected))
        for row, item in zip(rows, expected):
            if filled(row) != item:
                self.assertEqual(filled(row), item)

    def assert_rows(self, path, lines, rows, types, program):
        """The rows and the types are those of the table's columns."""
        expected = [{**line["item"], "item_hash": line["item_hash"]} for line in lines if "item_hash" in line]
        kind = expected[0]["item_kind"]
        self.assertEqual(len(rows), len(expected))
        for row, item in zip(rows, expected):
            if plain(row) != cells(item, kind):
                self.assertEqual(plain(row), cells(item, kind))
        for name, of in COLUMNS[kind]:
            of = {"hash": "text", "timestamp": "text"}.get(of, "text" if name.endswith("metadata") else of)
            self.assertEqual(types[name], TYPES[program][of], "%s of %s" % (name, path.name))
        self.assertEqual(set(types), {name for name, _ in COLUMNS[kind]})

    def assert_columns(self, lines, types, program):
        """The columns are the members of the kinds of items that a file can have, and their types those of the schema."""
        kind = next(iter(kinds_of([lines])))
        members = {}
        for each in ("sample", "version") if kind in ("sample", "version") else (kind,):
            members.update(members_of(each))
        self.assertEqual(list(types), [*sorted(members), "item_hash"])
        for name, of in members.items():
            if of in TYPES[program]:
                self.assertEqual(types[name], TYPES[program][of], name)

    def test_every_kind_of_item_is_there_after_the_stand_hours(self):
        self.assertEqual(kinds_of(self.bundles.values()), set(reader_items.GROUPS))
        for name in ("visible", "history"):
            lines = self.bundles[self.files / (name + ".jsonl.zst")]
            first = next(index for index, line in enumerate(lines) if "numeric_value" in line.get("item", ()))
            self.assertGreater(first, 20480)
        members = set().union(*(line["item"] for lines in self.bundles.values() for line in lines if "item" in line))
        self.assertLessEqual({"defects", "relationships", "events", "source", "device", "metadata", "labels", "evidence"}, members)

    def test_zstd_and_json(self):
        for path, lines in self.bundles.items():
            if path.suffix == ".zst":
                self.assertEqual((list(lines[0]), list(lines[-1])), (["export"], ["manifest_hash", "totals"]))
                with open(path, "rb") as file:
                    text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True), encoding="utf-8")
                    self.assertEqual([value_of(line) for line in text], lines)

    def duckdb(self):
        connection = duckdb.connect()
        self.addCleanup(connection.close)
        connection.execute((READERS / "duckdb.sql").read_text(encoding="utf-8"))
        return connection

    def rows(self, relation):
        return [dict(zip(relation.columns, row)) for row in relation.fetchall()]

    def test_duckdb(self):
        connection, types = self.duckdb(), {}
        for name, files in (("read_hp", self.bundles), ("read_hp_json", self.envelopes)):
            for path, lines in files.items():
                relation = connection.sql("FROM %s('%s')" % (macro(name, lines), path))
                self.assert_items(lines, self.rows(relation))
                types.setdefault(group_of(lines), set()).add(tuple(map(str, relation.types)))
        self.assertEqual({group: len(found) for group, found in types.items()}, dict.fromkeys(for_arrow.SCHEMAS, 1))
        relation = connection.sql("FROM read_hp('%s')" % self.files.joinpath("visible.jsonl.zst"))
        found = dict(zip(relation.columns, map(str, relation.types)))
        for name, of in COLUMNS["record"]:
            if "." not in name and of != "json":
                self.assertEqual(found[name], TYPES["duckdb"][{"hash": "text", "timestamp": "text"}.get(of, of)])

    def test_duckdb_tables(self):
        connection = self.duckdb()
        for path, lines in self.tables.items():
            relation = connection.sql("FROM read_hp_csv('%s')" % path)
            self.assert_rows(path, lines, self.rows(relation), dict(zip(relation.columns, map(str, relation.types))), "duckdb")

    def assert_parquet(self, path, lines):
        """Every row of a Parquet file is an item with its item hash, which the last rows give when it is computed from them."""
        rows = pyarrow.parquet.read_table(path).to_pylist()
        self.assert_items(lines, rows)
        for row in rows[-2000:]:
            item = filled(row)
            stated = item.pop("item_hash")
            self.assertEqual(hashlib.sha256(b"hp:v2:export_item:" + canonical(item)).hexdigest(), stated)

    def test_parquet(self):
        connection, out = self.duckdb(), self.folder / "x.parquet"
        for path, lines in self.bundles.items():
            connection.execute("COPY (FROM %s('%s')) TO '%s' (COMPRESSION zstd)" % (macro("read_hp", lines), path, out))
            self.assert_parquet(out, lines)

    def test_parquet_of_other_programs(self):
        out = self.folder / "x.parquet"
        for path, lines in self.bundles.items():
            if len(lines) < 10000:
                pyarrow.parquet.write_table(for_arrow.read_hp(path), out)
                self.assert_parquet(out, lines)
                for_polars.read_hp(path).write_parquet(out)
                self.assert_parquet(out, lines)
                frame = for_pandas.read_hp(path)
                frame.to_parquet(out)
                self.assertTrue(pandas.read_parquet(out).astype(frame.dtypes).equals(frame))

    def test_duckdb_from_python(self):
        for path, lines in {**self.bundles, **self.envelopes}.items():
            if len(lines) < 10000:
                self.assert_items(lines, self.rows(for_duckdb.read_hp(path)))
        for path, lines in self.tables.items():
            self.assertEqual(len(for_duckdb.read_hp(path)), len(lines) - 2)

    def test_arrow(self):
        for path, lines in {**self.bundles, **self.envelopes}.items():
            table = for_arrow.read_hp(path)
            self.assert_items(lines, table.to_pylist())
            self.assert_columns(lines, {field.name: str(field.type) for field in table.schema}, "arrow")

    def test_arrow_tables(self):
        for path, lines in self.tables.items():
            table = for_arrow.read_hp(path)
            self.assert_rows(path, lines, table.to_pylist(), {field.name: str(field.type) for field in table.schema}, "arrow")

    def test_polars(self):
        for path, lines in {**self.bundles, **self.envelopes}.items():
            frame = for_polars.read_hp(path)
            self.assert_columns(lines, {name: str(of) for name, of in frame.schema.items()}, "polars")
            self.assert_items(lines, frame.to_dicts())

    def test_polars_tables(self):
        for path, lines in self.tables.items():
            frame = for_polars.read_hp(path)
            self.assert_rows(path, lines, frame.to_dicts(), {name: str(of) for name, of in frame.schema.items()}, "polars")

    def test_pandas(self):
        for path, lines in {**self.bundles, **self.envelopes}.items():
            kinds = {line["item"]["item_kind"] for line in lines if "item" in line}
            if kinds <= COLUMNS.keys():
                frame = for_pandas.read_hp(path)
                rows = [{name: self.cell(name, value) for name, value in row.items()} for row in frame.to_dict("records")]
                self.assert_rows(path, lines, rows, {name: str(of) for name, of in frame.dtypes.items()}, "pandas")

    def cell(self, name, value):
        if value is None or value is pandas.NA:
            return None
        return value_of(value) if name.endswith("metadata") else value

    def test_pandas_has_the_columns_of_a_history(self):
        path = self.files / "history.jsonl.zst"
        items = [{**line["item"], "item_hash": line["item_hash"]} for line in self.bundles[path][1:-1]]
        frame = for_pandas.read_hp(path)
        self.assertEqual(len(frame), len(items))
        for name in ("sample_type", "numeric_value", "category_value", "item_hash"):
            self.assertEqual([None if value is pandas.NA else value for value in frame[name]], [item.get(name) for item in items])
        self.assertEqual([value for value in frame["source.version"] if value is not pandas.NA],
                         [item["source"]["version"] for item in items if "version" in item.get("source", ())])

    def test_pandas_tables(self):
        for path, lines in self.tables.items():
            frame = for_pandas.read_hp(path)
            self.assert_rows(path, lines, frame.to_dict("records"), {name: str(of) for name, of in frame.dtypes.items()}, "pandas")

    def jq(self, program, text, *options):
        return subprocess.run(["jq", "-c", "-L", READERS, *options, 'include "healthprobe"; ' + program], input=text, check=True, stdout=subprocess.PIPE).stdout

    def test_jq(self):
        for path, lines in {**self.bundles, **self.envelopes}.items():
            text = b"\n".join(lines_of(path)) if path.suffix == ".zst" else path.read_bytes()
            found = [value_of(line) for line in self.jq("hp_items", text).splitlines()]
            expected = [{**line["item"], "item_hash": line["item_hash"]} for line in lines if "item_hash" in line]
            self.assertEqual(found, expected)

    def test_jq_writes_rows_and_tables(self):
        for lines in self.envelopes.values():
            lines = [lines[0], *lines[1:-1][-1000:], lines[-1]]
            text = b"\n".join(json.dumps(line).encode() for line in lines)
            kind = lines[1]["item"]["item_kind"]
            expected = [cells({**line["item"], "item_hash": line["item_hash"]}, kind) for line in lines[1:-1]]
            self.assertEqual([value_of(line) for line in self.jq("hp_items | hp_row", text).splitlines()], expected)
            table = self.jq('hp_table("%s"; inputs)' % kind, text, "-r", "-n").decode()
            first, *rows = csv.reader(io.StringIO(table, newline=""))
            self.assertEqual(first, [name for name, _ in COLUMNS[kind]])
            self.assertEqual([row[-1] for row in rows], [line["item_hash"] for line in lines[1:-1]])

    def test_a_salvage_without_items_has_all_columns(self):
        path = self.folder / "empty.jsonl"
        lines = [line for line in (ROOT / "Spec" / "examples" / "minimal.jsonl").read_bytes().splitlines(True) if b'"item_hash"' not in line]
        path.write_bytes(b"".join(lines))
        self.assertEqual(for_arrow.read_hp(path).num_rows, 0)
        self.assertEqual(for_polars.read_hp(path).height, 0)
        self.assertEqual(len(for_pandas.read_hp(path)), 0)
        self.assertEqual(self.duckdb().sql("SELECT count(*) FROM read_hp('%s')" % path).fetchall(), [(0,)])

    def test_texts_that_a_table_guards_and_quotes(self):
        """Cells of every guard, with quotes, line ends, and texts that other readers take for nothing or for a number."""
        texts = ["", "=1+1", "+1", "-1", "@a", "'", "''", "\ta", "\ra", "a\r\nb", '"', "NA", "null", "None", "9.10", "1e5", "true", " a ", "\uff1d1", "é中😀"]
        archive = self.folder / "texts.sqlite"
        shutil.copyfile(FIXTURES / "archives" / "small.sqlite", archive)
        with database(archive) as connection:
            numbers = [row[0] for row in connection.execute(
                "SELECT DISTINCT sample_id FROM sample_visibility_ranges WHERE last_observation_id IS NULL ORDER BY 1")]
            for number, text in zip(numbers, texts):
                connection.execute("UPDATE samples SET fuzzy_key = ? WHERE id = ?", (text, number))
        path = self.folder / "texts.csv"
        self.assert_good(hp_export("records", archive, "-o", path, "--quiet"))
        lines = [value_of(line) for line in self.assert_good(hp_export("records", archive, "--format", "jsonl", "-o", "-", "--quiet")).out.splitlines()]
        self.assertGreaterEqual({line["item"].get("fuzzy_key") for line in lines[1:-1]}, set(texts))
        relation = self.duckdb().sql("FROM read_hp_csv('%s')" % path)
        self.assert_rows(path, lines, self.rows(relation), dict(zip(relation.columns, map(str, relation.types))), "duckdb")
        table, frame, other = for_arrow.read_hp(path), for_polars.read_hp(path), for_pandas.read_hp(path)
        self.assert_rows(path, lines, table.to_pylist(), {field.name: str(field.type) for field in table.schema}, "arrow")
        self.assert_rows(path, lines, frame.to_dicts(), {name: str(of) for name, of in frame.schema.items()}, "polars")
        self.assert_rows(path, lines, other.to_dict("records"), {name: str(of) for name, of in other.dtypes.items()}, "pandas")

    def test_the_tables_are_made_from_the_schemas(self):
        self.assertEqual(subprocess.run([ROOT / "Scripts" / "write-format", "--check"], stdout=subprocess.PIPE).stdout, b"")
        self.assertEqual(set(for_spark.SCHEMAS), set(for_arrow.SCHEMAS))


if __name__ == "__main__":
    unittest.main()
