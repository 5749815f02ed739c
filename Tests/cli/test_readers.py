"""Other programs read a bundle: zstd and Python's json, DuckDB, pandas, Polars, pyarrow."""

import io
import unittest

import duckdb
import pandas
import polars
import pyarrow
import zstandard

from support import *


class Readers(Case):
    def bundles(self):
        """Of each bundle: the file, how many lines the tool says it has, and the lines."""
        found = []
        for name, archive, options in (("small", self.fixture(to="small.sqlite"), ()), ("history", self.fixture(to="history.sqlite"), ("--history",)), ("generated", self.generated(5000, to="large.sqlite"), ())):
            out = self.folder / (name + ".jsonl.zst")
            result = json.loads(self.assert_good(hp_export("bundle", archive, "-o", out, "--json", *options)).out)
            found.append((out, result["item_count"] + 2, [json.loads(line) for line in lines_of(out)]))
        return found

    def test_zstd_and_json(self):
        for path, count, lines in self.bundles():
            self.assertEqual(len(lines), count)
            self.assertEqual(list(lines[0]), ["export"])
            self.assertTrue(all(list(line) == ["item", "item_hash"] for line in lines[1:-1]))
            self.assertEqual(list(lines[-1]), ["manifest_hash", "totals"])

    def test_duckdb(self):
        for path, count, lines in self.bundles():
            source = "read_json('%s', format = 'newline_delimited', compression = 'zstd', columns = {item: 'JSON', item_hash: 'VARCHAR', manifest_hash: 'VARCHAR'}, maximum_object_size = 67108864)" % path
            self.assertEqual(duckdb.sql("SELECT count(*), count(item_hash), max(manifest_hash) FROM " + source).fetchall(), [(count, count - 2, lines[-1]["manifest_hash"])])
            self.assertEqual(duckdb.sql("SELECT item_hash FROM %s WHERE item_hash IS NOT NULL ORDER BY 1" % source).fetchall(), sorted((line["item_hash"],) for line in lines[1:-1]))

    def test_pandas(self):
        for path, count, lines in self.bundles():
            frame = pandas.read_json(path, lines=True, compression="zstd")
            self.assertEqual(len(frame), count)
            self.assertEqual(list(frame["item_hash"].dropna()), [line["item_hash"] for line in lines[1:-1]])

    def test_polars(self):
        for path, count, lines in self.bundles():
            # Polars gives a column one type, and metadata is an object in one item and text in another: name the columns that are wanted.
            frame = polars.read_ndjson(path, schema={"item_hash": polars.String, "manifest_hash": polars.String})
            self.assertEqual(frame["manifest_hash"].drop_nulls().to_list(), [lines[-1]["manifest_hash"]])
            self.assertEqual(frame.height, count)
            self.assertEqual(frame["item_hash"].drop_nulls().to_list(), [line["item_hash"] for line in lines[1:-1]])

    def test_polars_finds_the_columns_itself(self):
        path, count, lines = self.bundles()[-1]
        frame = polars.read_ndjson(path, infer_schema_length=None)
        self.assertEqual(frame.height, count)
        self.assertEqual(frame["item"].struct.field("sample_type").drop_nulls().to_list(), [line["item"]["sample_type"] for line in lines[1:-1]])

    def test_pyarrow(self):
        for path, count, lines in self.bundles():
            text = pyarrow.input_stream(str(path), compression="zstd").read()
            self.assertEqual(text.count(b"\n"), count)

    def test_python_zstandard(self):
        for path, count, lines in self.bundles():
            with open(path, "rb") as file:
                text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True), encoding="utf-8")
                self.assertEqual([json.loads(line) for line in text], lines)


if __name__ == "__main__":
    unittest.main()
