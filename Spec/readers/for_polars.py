"""HealthProbe files as frames of Polars 1.0 or later. It needs DuckDB and pyarrow.

Polars cannot read them itself: `metadata` is an object in one item and a text in another.

    from healthprobe.readers.for_polars import read_hp_records
    read_hp_records("bundle.jsonl.zst", columns=["day", "numeric_value"], types=["HKQuantityTypeIdentifierStepCount"])
"""

import polars as pl
import pyarrow as pa
import pyarrow.compute

from . import for_arrow


def read_hp(path, columns=None, types=None):
    """A row per item of a bundle, a file of lines, a salvage, an envelope or a table."""
    return frame(for_arrow.batches(path, columns, types))


def read_hp_records(path, columns=None, types=None, time_zone=None):
    """A row per record, with its local time and day."""
    return frame(for_arrow.batches(path, columns, types, "records", time_zone))


def read_hp_changes(path, columns=None, types=None, time_zone=None):
    """A row per change, with the local time and day of the record."""
    return frame(for_arrow.batches(path, columns, types, "changes", time_zone))


def read_hp_days(path, columns=None, types=None):
    """A row per day, night or month of a type, with its date."""
    return frame(for_arrow.batches(path, columns, types, "days"))


def frame(reader):
    """The batches as a frame, column by column, so that no column keeps the memory of a whole batch."""
    parts = [pl.from_arrow(reader.schema.empty_table())]
    for batch in reader:
        rows = pa.array(range(len(batch)), pa.int32())
        columns = zip(batch.schema.names, batch.columns)
        parts.append(pl.DataFrame([series(column, rows).alias(name) for name, column in columns]))
    return pl.concat(parts, rechunk=False)


def series(column, rows):
    """A copy of a column, in which texts that come again and again share their bytes."""
    if pa.types.is_struct(column.type):
        members = zip((field.name for field in column.type), column.flatten())
        whole = pl.DataFrame([series(member, rows).alias(name) for name, member in members]).to_struct("")
        # An absent object is not one whose members are absent.
        there = pa.compute.if_else(column.is_valid(), rows, pa.scalar(None, pa.int32()))
        return whole.gather(pl.from_arrow(there).cast(pl.UInt32)) if column.null_count else whole
    if column.type == pa.string():
        found = column.dictionary_encode()
        if 2 * len(found.dictionary) < len(column):
            return pl.from_arrow(found.dictionary).gather(pl.from_arrow(found.indices))
    return pl.from_arrow(column.take(rows))
