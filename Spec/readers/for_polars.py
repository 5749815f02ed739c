"""HealthProbe files as frames of Polars 1.0 or later. It needs DuckDB and pyarrow.

Polars cannot read them itself: `metadata` is an object in one item and a text in another.

    from healthprobe.readers.for_polars import read_hp_records
    read_hp_records("bundle.jsonl.zst", columns=["day", "numeric_value"], types=["HKQuantityTypeIdentifierStepCount"])
"""

import polars as pl
import pyarrow as pa

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
    """The batches as a frame. Each is let go as soon as it is a part of it."""
    parts = [pl.from_arrow(reader.schema.empty_table())]
    parts.extend(pl.from_arrow(pa.Table.from_batches([batch])) for batch in reader)
    return pl.concat(parts, rechunk=False)
