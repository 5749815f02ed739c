"""HealthProbe files as tables of pyarrow 14 or later.

    from healthprobe.readers.for_arrow import read_hp
    pyarrow.parquet.write_table(read_hp("bundle.jsonl.zst"), "bundle.parquet")
"""

import itertools

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from . import items

JSON = pa.string()  # a JSON text

# begin: made by Scripts/write-format
SCHEMAS = {
    "": {
        "active_energy": pa.float64(),
        "active_energy_goal": pa.float64(),
        "after": pa.struct([("category_value", pa.int64()), ("created_observation_id", pa.int64()), ("device",
        pa.struct([("device_hash", pa.string()), ("firmware_version", pa.string()), ("hardware_version",
        pa.string()), ("local_identifier_hash", pa.string()), ("manufacturer_hash", pa.string()), ("model",
        pa.string()), ("software_version", pa.string()), ("udi_hash", pa.string())])), ("duration_seconds",
        pa.float64()), ("earliest_start_date", pa.string()), ("end_date", pa.string()), ("interval_seconds",
        pa.float64()), ("latest_end_date", pa.string()), ("mean_interval_seconds", pa.float64()), ("metadata", JSON),
        ("metadata_hash", pa.string()), ("numeric_value", pa.float64()), ("other_unit_count", pa.int64()), ("parts",
        pa.list_(pa.struct([("distance", pa.float64()), ("distance_count", pa.int64()), ("energy", pa.float64()),
        ("energy_count", pa.int64()), ("record_count", pa.int64()), ("seconds", pa.float64()), ("value",
        pa.int64())]))), ("payload_hash", pa.string()), ("record_count", pa.int64()), ("records_per_hour",
        pa.float64()), ("source", pa.struct([("bundle_identifier", pa.string()), ("operating_system_version",
        pa.string()), ("product_type", pa.string()), ("source_name_hash", pa.string()), ("version", pa.string())])),
        ("start_date", pa.string()), ("unit", pa.string()), ("value_count", pa.int64()), ("value_kind", pa.string()),
        ("value_max", pa.float64()), ("value_mean", pa.float64()), ("value_min", pa.float64()), ("value_sum",
        pa.float64()), ("workout_activity_type", pa.int64())]),
        "after_count": pa.int64(),
        "answer": pa.struct([("after_date", pa.string()), ("before_date", pa.string()), ("changed",
        pa.struct([("after_count", pa.int64()), ("day_count", pa.int64()), ("first_date", pa.string()), ("largest",
        pa.list_(pa.struct([("after_count", pa.int64()), ("chart", pa.struct([("bar_days", pa.int64()), ("days",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())]))), ("months",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())])))])), ("day_count", pa.int64()),
        ("first_date", pa.string()), ("has_others", pa.bool_()), ("in_place_count", pa.int64()), ("label",
        pa.string()), ("last_date", pa.string()), ("outcome", pa.string()), ("pair", pa.string()), ("record_count",
        pa.int64()), ("sample_type", pa.string()), ("value_sum", pa.float64())]))), ("last_date", pa.string()),
        ("record_count", pa.int64()), ("stretch_count", pa.int64()), ("types", pa.list_(pa.struct([("record_count",
        pa.int64()), ("sample_type", pa.string())])))])), ("earlier", pa.list_(pa.struct([("first_date",
        pa.string()), ("last_date", pa.string()), ("record_count", pa.int64()), ("sample_type", pa.string()),
        ("since_date", pa.string()), ("was_replaced", pa.bool_())]))), ("earlier_partial", pa.bool_()), ("gone",
        pa.struct([("after_count", pa.int64()), ("day_count", pa.int64()), ("first_date", pa.string()), ("largest",
        pa.list_(pa.struct([("after_count", pa.int64()), ("chart", pa.struct([("bar_days", pa.int64()), ("days",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())]))), ("months",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())])))])), ("day_count", pa.int64()),
        ("first_date", pa.string()), ("has_others", pa.bool_()), ("in_place_count", pa.int64()), ("label",
        pa.string()), ("last_date", pa.string()), ("outcome", pa.string()), ("pair", pa.string()), ("record_count",
        pa.int64()), ("sample_type", pa.string()), ("value_sum", pa.float64())]))), ("last_date", pa.string()),
        ("record_count", pa.int64()), ("stretch_count", pa.int64()), ("types", pa.list_(pa.struct([("record_count",
        pa.int64()), ("sample_type", pa.string())])))])), ("late", pa.struct([("first_date", pa.string()),
        ("last_date", pa.string()), ("record_count", pa.int64()), ("types", pa.list_(pa.struct([("record_count",
        pa.int64()), ("sample_type", pa.string())])))])), ("new", pa.struct([("first_date", pa.string()),
        ("last_date", pa.string()), ("record_count", pa.int64()), ("types", pa.list_(pa.struct([("record_count",
        pa.int64()), ("sample_type", pa.string())])))])), ("new_version_count", pa.int64()), ("replaced",
        pa.struct([("after_count", pa.int64()), ("day_count", pa.int64()), ("first_date", pa.string()), ("largest",
        pa.list_(pa.struct([("after_count", pa.int64()), ("chart", pa.struct([("bar_days", pa.int64()), ("days",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())]))), ("months",
        pa.list_(pa.struct([("after_count", pa.int64()), ("after_high", pa.float64()), ("after_low", pa.float64()),
        ("after_value", pa.float64()), ("before_count", pa.int64()), ("before_high", pa.float64()), ("before_low",
        pa.float64()), ("before_value", pa.float64()), ("date", pa.string())])))])), ("day_count", pa.int64()),
        ("first_date", pa.string()), ("has_others", pa.bool_()), ("in_place_count", pa.int64()), ("label",
        pa.string()), ("last_date", pa.string()), ("outcome", pa.string()), ("pair", pa.string()), ("record_count",
        pa.int64()), ("sample_type", pa.string()), ("value_sum", pa.float64())]))), ("last_date", pa.string()),
        ("record_count", pa.int64()), ("stretch_count", pa.int64()), ("types", pa.list_(pa.struct([("record_count",
        pa.int64()), ("sample_type", pa.string())])))])), ("sources", pa.list_(pa.struct([("after_count",
        pa.int64()), ("before_count", pa.int64()), ("bundle_identifier", pa.string()), ("date", pa.string()),
        ("finding", pa.string()), ("product_type", pa.string()), ("source_name_hash", pa.string())])))]),
        "appeared_count": pa.int64(),
        "asleep_day_count": pa.int64(),
        "asleep_seconds": pa.float64(),
        "awake_seconds": pa.float64(),
        "baseline_day_count": pa.int64(),
        "baseline_mean": pa.float64(),
        "baseline_standard_deviation": pa.float64(),
        "baseline_start": pa.string(),
        "before": pa.struct([("category_value", pa.int64()), ("created_observation_id", pa.int64()), ("device",
        pa.struct([("device_hash", pa.string()), ("firmware_version", pa.string()), ("hardware_version",
        pa.string()), ("local_identifier_hash", pa.string()), ("manufacturer_hash", pa.string()), ("model",
        pa.string()), ("software_version", pa.string()), ("udi_hash", pa.string())])), ("duration_seconds",
        pa.float64()), ("earliest_start_date", pa.string()), ("end_date", pa.string()), ("interval_seconds",
        pa.float64()), ("latest_end_date", pa.string()), ("mean_interval_seconds", pa.float64()), ("metadata", JSON),
        ("metadata_hash", pa.string()), ("numeric_value", pa.float64()), ("other_unit_count", pa.int64()), ("parts",
        pa.list_(pa.struct([("distance", pa.float64()), ("distance_count", pa.int64()), ("energy", pa.float64()),
        ("energy_count", pa.int64()), ("record_count", pa.int64()), ("seconds", pa.float64()), ("value",
        pa.int64())]))), ("payload_hash", pa.string()), ("record_count", pa.int64()), ("records_per_hour",
        pa.float64()), ("source", pa.struct([("bundle_identifier", pa.string()), ("operating_system_version",
        pa.string()), ("product_type", pa.string()), ("source_name_hash", pa.string()), ("version", pa.string())])),
        ("start_date", pa.string()), ("unit", pa.string()), ("value_count", pa.int64()), ("value_kind", pa.string()),
        ("value_max", pa.float64()), ("value_mean", pa.float64()), ("value_min", pa.float64()), ("value_sum",
        pa.float64()), ("workout_activity_type", pa.int64())]),
        "before_count": pa.int64(),
        "calendar": pa.struct([("bucket_days", pa.int64()), ("buckets", pa.list_(pa.struct([("appeared_count",
        pa.int64()), ("condensed_count", pa.int64()), ("disappeared_count", pa.int64()), ("re_identified_count",
        pa.int64()), ("representation_changed_count", pa.int64()), ("start", pa.string())])))]),
        "category_value": pa.int64(),
        "change": pa.string(),
        "changed_fields": pa.list_(pa.string()),
        "completeness": pa.string(),
        "context": pa.list_(pa.struct([("event_kind", pa.string()), ("logged_at", pa.string()), ("observation_id",
        pa.int64())])),
        "core_seconds": pa.float64(),
        "created_observation_id": pa.int64(),
        "crosses_bound": pa.bool_(),
        "current_day_count": pa.int64(),
        "current_end": pa.string(),
        "current_mean": pa.float64(),
        "current_standard_deviation": pa.float64(),
        "current_start": pa.string(),
        "date": pa.string(),
        "day_count": pa.int64(),
        "day_seconds": pa.int64(),
        "day_start": pa.string(),
        "deep_seconds": pa.float64(),
        "defect_count": pa.int64(),
        "defects": pa.list_(pa.struct([("pointer", pa.string()), ("reason", pa.string()), ("storage_class",
        pa.string()), ("value", pa.string())])),
        "delay_seconds": pa.float64(),
        "device": pa.struct([("device_hash", pa.string()), ("firmware_version", pa.string()), ("hardware_version",
        pa.string()), ("local_identifier_hash", pa.string()), ("manufacturer_hash", pa.string()), ("model",
        pa.string()), ("software_version", pa.string()), ("udi_hash", pa.string())]),
        "disappeared_count": pa.int64(),
        "disappeared_share": pa.float64(),
        "distance": pa.float64(),
        "dropped_sum": pa.float64(),
        "duration_seconds": pa.float64(),
        "elapsed_seconds": pa.float64(),
        "end_date": pa.string(),
        "energy": pa.float64(),
        "events": pa.list_(pa.struct([("event_kind", pa.string()), ("evidence_kind", pa.string()), ("observation_id",
        pa.int64()), ("observed_at", pa.string())])),
        "evidence": pa.struct([("common_seconds", pa.float64()), ("coverage_overlap", pa.float64()),
        ("covered_seconds_after", pa.float64()), ("covered_seconds_before", pa.float64()), ("instant_overlap",
        pa.float64()), ("instants_before", pa.int64()), ("instants_within", pa.int64()), ("measure_delta",
        pa.float64()), ("measure_kept", pa.bool_()), ("metadata_compatible", pa.bool_()), ("peaks_kept", pa.bool_()),
        ("record_count_delta", pa.int64()), ("sources_compatible", pa.bool_()), ("visible_end", pa.string()),
        ("visible_start", pa.string())]),
        "examples": pa.list_(pa.struct([("change", pa.string()), ("end_after", pa.string()), ("end_date",
        pa.string()), ("start_after", pa.string()), ("start_date", pa.string()), ("value_after", pa.float64()),
        ("value_before", pa.float64())])),
        "exercise_minutes": pa.float64(),
        "exercise_minutes_goal": pa.float64(),
        "finding": pa.string(),
        "first_date": pa.string(),
        "first_seen_at": pa.string(),
        "first_seen_observation_id": pa.int64(),
        "fuzzy_key": pa.string(),
        "in_bed_seconds": pa.float64(),
        "item_count": pa.int64(),
        "item_kind": pa.string(),
        "items_hash": pa.string(),
        "label": pa.string(),
        "labels": pa.struct([("aggregateChanged", pa.int64()), ("appeared", pa.int64()), ("consolidationLikely",
        pa.int64()), ("disappeared", pa.int64()), ("replacedNotProvable", pa.int64()), ("representationChanged",
        pa.int64()), ("uncertain", pa.int64())]),
        "last_date": pa.string(),
        "left_over": pa.struct([("after_count", pa.int64()), ("before_count", pa.int64())]),
        "long_session_count": pa.int64(),
        "look_alikes": pa.list_(pa.string()),
        "measure": pa.string(),
        "metadata": JSON,
        "metadata_hash": pa.string(),
        "method": pa.string(),
        "move_minutes": pa.float64(),
        "move_minutes_goal": pa.float64(),
        "nights": pa.list_(pa.struct([("asleep_day_count", pa.int64()), ("asleep_seconds", pa.float64()), ("date",
        pa.string()), ("nap_count", pa.int64()), ("night_count", pa.int64())])),
        "not_summed_count": pa.int64(),
        "numeric_value": pa.float64(),
        "observations": pa.list_(pa.struct([("observation_id", pa.int64()), ("observed_at", pa.string()),
        ("record_count", pa.int64()), ("status", pa.string())])),
        "other_zone_count": pa.int64(),
        "overlap_seconds": pa.float64(),
        "pair": pa.struct([("keys", pa.list_(pa.string())), ("kind", pa.string())]),
        "pair_counts": pa.struct([("ambiguous", pa.int64()), ("condensed_into", pa.int64()), ("expanded_into",
        pa.int64()), ("re_identified", pa.int64()), ("regrouped", pa.int64())]),
        "payload_count": pa.int64(),
        "payload_hash": pa.string(),
        "ratio": pa.float64(),
        "reasons": pa.list_(pa.string()),
        "record_count": pa.int64(),
        "rejected_count": pa.int64(),
        "relationship_after": pa.struct([("end", pa.string()), ("end_identity_hash", pa.string()), ("end_in_scope",
        pa.bool_()), ("end_sample_type", pa.string()), ("metadata", JSON), ("metadata_hash", pa.string()),
        ("observation_id", pa.int64()), ("relationship_kind", pa.string())]),
        "relationship_appeared_count": pa.int64(),
        "relationship_before": pa.struct([("end", pa.string()), ("end_identity_hash", pa.string()), ("end_in_scope",
        pa.bool_()), ("end_sample_type", pa.string()), ("metadata", JSON), ("metadata_hash", pa.string()),
        ("observation_id", pa.int64()), ("relationship_kind", pa.string())]),
        "relationship_changed_count": pa.int64(),
        "relationship_disappeared_count": pa.int64(),
        "relationships": pa.list_(pa.struct([("end", pa.string()), ("end_identity_hash", pa.string()),
        ("end_in_scope", pa.bool_()), ("end_sample_type", pa.string()), ("ended_observation_id", pa.int64()),
        ("metadata", JSON), ("metadata_hash", pa.string()), ("observation_id", pa.int64()), ("relationship_kind",
        pa.string())])),
        "rem_seconds": pa.float64(),
        "replaced": pa.list_(pa.struct([("after_count", pa.int64()), ("before_count", pa.int64()), ("outcome",
        pa.string()), ("pair", pa.string())])),
        "representation_changed_count": pa.int64(),
        "run_after": pa.string(),
        "run_before": pa.string(),
        "sample_type": pa.string(),
        "sample_uuid_hash": pa.string(),
        "seconds": pa.float64(),
        "semantic_fingerprint": pa.string(),
        "session_count": pa.int64(),
        "session_seconds": pa.float64(),
        "shared_seconds": pa.float64(),
        "signatures": pa.struct([("condensed_again", pa.bool_()), ("equal_rate", pa.bool_()), ("equal_value",
        pa.bool_()), ("inside_workout", pa.bool_()), ("older_than_90_days", pa.bool_()), ("within_five_minutes",
        pa.bool_())]),
        "source": pa.struct([("bundle_identifier", pa.string()), ("operating_system_version", pa.string()),
        ("product_type", pa.string()), ("source_name_hash", pa.string()), ("version", pa.string())]),
        "source_count": pa.int64(),
        "sources": pa.list_(pa.struct([("after_count", pa.int64()), ("asleep_seconds", pa.float64()), ("before_count",
        pa.int64()), ("bundle_identifier", pa.string()), ("class", pa.string()), ("covered_seconds", pa.float64()),
        ("dropped_sum", pa.float64()), ("in_bed_seconds", pa.float64()), ("operating_system_version", pa.string()),
        ("product_type", pa.string()), ("rank", pa.int64()), ("record_count", pa.int64()), ("session_count",
        pa.int64()), ("session_seconds", pa.float64()), ("source_name_hash", pa.string()), ("value_sum",
        pa.float64()), ("version", pa.string())])),
        "stage_day_count": pa.int64(),
        "stand_hours": pa.float64(),
        "stand_hours_goal": pa.float64(),
        "standing": pa.string(),
        "standing_reasons": pa.list_(pa.string()),
        "start_date": pa.string(),
        "statuses": pa.list_(pa.string()),
        "strict_fingerprint": pa.string(),
        "strip": pa.list_(pa.struct([("after_count", pa.int64()), ("after_value", pa.float64()), ("before_count",
        pa.int64()), ("before_value", pa.float64()), ("start", pa.string())])),
        "unit": pa.string(),
        "unspecified_seconds": pa.float64(),
        "value_kind": pa.string(),
        "value_max": pa.float64(),
        "value_mean": pa.float64(),
        "value_min": pa.float64(),
        "value_sum": pa.float64(),
        "visibility": pa.list_(pa.struct([("first_observation_id", pa.int64()), ("first_seen_at", pa.string()),
        ("last_observation_id", pa.int64()), ("last_seen_at", pa.string())])),
        "window_end": pa.string(),
        "window_start": pa.string(),
        "withheld_count": pa.int64(),
        "workout_activity_type": pa.int64(),
        "years": pa.list_(pa.struct([("day_count", pa.int64()), ("days", pa.string()), ("record_count", pa.int64()),
        ("year", pa.string())])),
        "item_hash": pa.string(),
    },
    "pair": {
        "after": pa.list_(pa.struct([("category_value", pa.int64()), ("duration_seconds", pa.float64()), ("end_date",
        pa.string()), ("identity_hash", pa.string()), ("numeric_value", pa.float64()), ("payload_hash", pa.string()),
        ("start_date", pa.string()), ("unit", pa.string()), ("value_kind", pa.string()), ("workout_activity_type",
        pa.int64())])),
        "ambiguous_with": pa.list_(pa.string()),
        "before": pa.list_(pa.struct([("category_value", pa.int64()), ("duration_seconds", pa.float64()), ("end_date",
        pa.string()), ("identity_hash", pa.string()), ("numeric_value", pa.float64()), ("payload_hash", pa.string()),
        ("start_date", pa.string()), ("unit", pa.string()), ("value_kind", pa.string()), ("workout_activity_type",
        pa.int64())])),
        "end_date": pa.string(),
        "item_kind": pa.string(),
        "key": pa.string(),
        "law": pa.string(),
        "level": pa.string(),
        "measure_after": pa.float64(),
        "measure_before": pa.float64(),
        "outcome": pa.string(),
        "pair": pa.string(),
        "residual": pa.float64(),
        "sample_type": pa.string(),
        "source": pa.struct([("bundle_identifier", pa.string()), ("product_type", pa.string()), ("source_name_hash",
        pa.string())]),
        "start_date": pa.string(),
        "tied": pa.bool_(),
        "unit": pa.string(),
        "item_hash": pa.string(),
    },
}
# end

ROWS = 8192  # of one batch
MAX_LINE = 64 << 20


def schema(group=""):
    """The columns of the kinds of items that share them; a group of its own is named after its kind."""
    return pa.schema(SCHEMAS[group].items())


def batches(file):
    """The items of an open file as record batches, with a bounded number of rows in memory."""
    found = ({**items.typed(item), "item_hash": item_hash} for item, item_hash in items.read_items(file))
    first = next(found, None)
    columns = schema("" if first is None else items.group_of(first))
    found = itertools.chain(() if first is None else (first,), found)
    rows = list(itertools.islice(found, ROWS))
    yield pa.RecordBatch.from_pylist(rows, columns)
    for rows in iter(lambda: list(itertools.islice(found, ROWS)), []):
        yield pa.RecordBatch.from_pylist(rows, columns)


def read_hp(path):
    """A row per item of a bundle, a file of lines, a salvage or an envelope; of a table, see read_hp_csv."""
    if items.is_table(path):
        return read_hp_csv(path)
    with open(path, "rb") as file:
        return pa.Table.from_batches(batches(file))


def read_hp_csv(path):
    """The rows of a table. What is JSON in a cell stays a text."""
    with open(path, "rb") as file:
        names = file.readline().decode().rstrip("\r\n").split(",")
    types = {name: type_of(name) for name in names}
    table = pyarrow.csv.read_csv(
        path, read_options=pyarrow.csv.ReadOptions(block_size=MAX_LINE),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True,
            true_values=["true"], false_values=["false"]))
    for index, name in enumerate(names):
        if types[name] == pa.string():
            table = table.set_column(index, name, pa.compute.replace_substring_regex(table[name], "\\A'", ""))
    return table


def type_of(name):
    """The type of a column of a table."""
    found = ((items.INTEGERS, pa.int64()), (items.NUMBERS, pa.float64()), (items.BOOLEANS, pa.bool_()))
    return next((kind for names, kind in found if name in names), pa.string())
