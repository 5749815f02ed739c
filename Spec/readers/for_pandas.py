"""HealthProbe files as frames of pandas 2.0 or later, with the columns of a table: `source.version` is one of them.

It needs DuckDB and pyarrow.

    from healthprobe.readers.for_pandas import read_hp_records
    read_hp_records("bundle.jsonl.zst", columns=["day", "numeric_value"]).groupby("day").sum()
"""

import pandas
import pyarrow as pa

from . import for_arrow

# pandas 3 keeps texts in this form, and would copy any other.
HAS_LARGE_TEXTS = int(pandas.__version__.partition(".")[0]) >= 3
TYPES = {pa.string(): pandas.StringDtype("pyarrow"), pa.large_string(): pandas.StringDtype("pyarrow"),
         pa.int64(): pandas.Int64Dtype(), pa.float64(): pandas.Float64Dtype(), pa.bool_(): pandas.BooleanDtype()}


def read_hp(path, columns=None, types=None):
    """A row per item of a bundle, a file of lines, a salvage, an envelope or a table."""
    return read(path, columns, types)


def read_hp_records(path, columns=None, types=None, time_zone=None):
    """A row per record, with its local time and day."""
    return read(path, columns, types, "records", time_zone)


def read_hp_changes(path, columns=None, types=None, time_zone=None):
    """A row per change, with the local time and day of the record."""
    return read(path, columns, types, "changes", time_zone)


def read_hp_days(path, columns=None, types=None):
    """A row per day, night or month of a type, with its date."""
    return read(path, columns, types, "days")


def read(*choice):
    """The rows of a file as a frame, whose texts stay where Arrow has them."""
    table = for_arrow.batches(*choice, is_flat=True, has_large_texts=HAS_LARGE_TEXTS).read_all()
    return table.to_pandas(types_mapper=TYPES.get, date_as_object=False, split_blocks=True, self_destruct=True)
