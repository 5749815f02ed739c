"""Verifies and reads thousands of bundles on a cluster of Spark 4: one task for each bundle.

    from healthprobe import spark

    found = spark.verify(session, "hdfs:///study/*/*.jsonl.zst")
    found.where("code IS NOT NULL OR result <> 'ok'").show()
    items = spark.read(session, ["s3a://study/site-1/", "s3a://study/site-2/"])
    items.groupBy("sample_type").avg("numeric_value").show()

Executors need this package and `pyarrow`; `ship(session)` sends the package to them. A bundle is whole in the memory of
one executor while it is read, and has at most 2 GiB (Spark's `binaryFile`).
"""

from __future__ import annotations

import io
import os
import pathlib
import tempfile
import zipfile
from typing import TYPE_CHECKING, Any, Iterator, Sequence, Union

from .readers import for_spark
from .readers import items as _items
from .verifier import files as _files

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

Paths = Union[str, Sequence[str]]
Rows = Iterator["dict[str, Any]"]

FOUND = {"path": "STRING", "result": "STRING", "verdict": "STRING", "item_count": "BIGINT",
         "code": "STRING", "count": "BIGINT", "line": "BIGINT", "frame": "BIGINT", "byte": "BIGINT",
         "pointer": "STRING", "expected": "STRING", "found": "STRING"}
ROWS = 8192  # of one batch


def verify(session: SparkSession, paths: Paths) -> DataFrame:
    """A row per bundle, without a code, and a row per finding: its code, how often the bundle has that, and its place.

    `result` is `ok` or `findings`, or `failed` where the verifier could not say: then the verdict has why. Files may be
    bundles, lines, salvages and envelopes. A table, which has a sidecar beside it, is not verified here.
    """
    return _of_each(session, paths, _Verification())


def read(session: SparkSession, paths: Paths, kind: str = "") -> DataFrame:
    """A row per item, with the path of its bundle and the columns of the specification. Nothing is verified.

    `kind` names a kind of items that has columns of its own; all others share theirs.
    """
    return _of_each(session, paths, _Reading(kind))


def ship(session: SparkSession) -> None:
    """Sends this package to the executors, for where it is not installed there. They need `zstandard` and `pyarrow`."""
    folder = os.path.dirname(os.path.abspath(__file__))
    archive = os.path.join(tempfile.mkdtemp(prefix="healthprobe."), "healthprobe.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for directory, _, names in os.walk(folder, followlinks=True):
            for name in sorted(names):
                if not name.endswith(".pyc"):
                    path = os.path.join(directory, name)
                    file.write(path, os.path.join("healthprobe", os.path.relpath(path, folder)))
    session.sparkContext.addPyFile(archive)


def _of_each(session: SparkSession, paths: Paths, work: _Work) -> DataFrame:
    """The rows that come of each file, one task for each."""
    # A session of its own: these settings would change how others read.
    own = session.newSession()
    own.conf.set("spark.sql.files.maxPartitionBytes", "1")
    own.conf.set("spark.sql.files.openCostInBytes", "1")
    own.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    files = own.read.format("binaryFile").load([paths] if isinstance(paths, str) else list(paths))
    return files.select("path", "content").mapInArrow(work, work.columns())


class _Work:
    """What runs on an executor: batches of files in, batches of rows out."""

    def columns(self) -> str:
        """The columns in the words of Spark."""
        raise NotImplementedError

    def schema(self) -> pyarrow.Schema:
        """The same columns for Arrow."""
        raise NotImplementedError

    def rows(self, path: str, content: bytes) -> Rows:
        """The rows of one file."""
        raise NotImplementedError

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        schema = self.schema()
        for batch in batches:
            for path, content in zip(batch.column("path"), batch.column("content")):
                found = []
                for row in self.rows(path.as_py(), content.as_py()):
                    found.append(row)
                    if len(found) == ROWS:
                        yield pyarrow.RecordBatch.from_pylist(found, schema)
                        found = []
                yield pyarrow.RecordBatch.from_pylist(found, schema)


class _Verification(_Work):
    def columns(self) -> str:
        return ", ".join("%s %s" % column for column in FOUND.items())

    def schema(self) -> pyarrow.Schema:
        import pyarrow

        types = {"STRING": pyarrow.string(), "BIGINT": pyarrow.int64()}
        return pyarrow.schema([(name, types[kind]) for name, kind in FOUND.items()])

    def rows(self, path: str, content: bytes) -> Rows:
        try:
            result = _files.verify(io.BytesIO(content), pathlib.PurePosixPath(path).name)
        except Exception as error:  # one file must not stop the others
            yield {"path": path, "result": "failed", "verdict": "not verified: %s" % type(error).__name__}
            return
        row = {"path": path, **{name: result[name] for name in ("result", "verdict", "item_count")}}
        yield row
        counts = dict(result.get("counts", ()))
        for finding in result["findings"] if not counts else ():
            counts[finding["code"]] = counts.get(finding["code"], 0) + 1
        for finding in result["findings"]:
            place = {name: finding.get(name) for name in ("line", "frame", "byte", "pointer")}
            values = {name: None if finding.get(name) is None else str(finding[name]) for name in ("expected", "found")}
            yield {**row, "code": finding["code"], "count": counts[finding["code"]], **place, **values}


class _Reading(_Work):
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def columns(self) -> str:
        return "path STRING, " + " ".join(for_spark.SCHEMAS[self.kind].split())

    def schema(self) -> pyarrow.Schema:
        import pyarrow

        from .readers import for_arrow

        return pyarrow.schema([("path", pyarrow.string()), *for_arrow.schema(self.kind)])

    def rows(self, path: str, content: bytes) -> Rows:
        for item, item_hash in _items.read_items(io.BytesIO(content)):
            if _items.group_of(item) == self.kind:
                yield {**_items.typed(item), "item_hash": item_hash, "path": path}
