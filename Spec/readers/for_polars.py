"""HealthProbe files as frames of Polars 1.0 or later; it needs pyarrow, too.

Polars cannot read them itself: `metadata` is an object in one item and text in another.

    from healthprobe.readers.for_polars import read_hp
    read_hp("bundle.jsonl.zst").filter(polars.col("unit") == "count/min")
"""

import polars as pl

from . import for_arrow, items

# begin: made by Scripts/write-readers
SCHEMAS = {
    "": {
        "after": pl.Struct({"category_value": pl.Int64, "created_observation_id": pl.Int64,
        "device": pl.Struct({"device_hash": pl.String, "firmware_version": pl.String, "hardware_version": pl.String,
        "local_identifier_hash": pl.String, "manufacturer_hash": pl.String, "model": pl.String,
        "software_version": pl.String, "udi_hash": pl.String}), "duration_seconds": pl.Float64,
        "earliest_start_date": pl.String, "end_date": pl.String, "interval_seconds": pl.Float64,
        "latest_end_date": pl.String, "mean_interval_seconds": pl.Float64, "metadata": pl.String,
        "metadata_hash": pl.String, "numeric_value": pl.Float64, "other_unit_count": pl.Int64,
        "parts": pl.List(pl.Struct({"distance": pl.Float64, "distance_count": pl.Int64, "energy": pl.Float64,
        "energy_count": pl.Int64, "record_count": pl.Int64, "seconds": pl.Float64, "value": pl.Int64})),
        "payload_hash": pl.String, "record_count": pl.Int64, "records_per_hour": pl.Float64,
        "source": pl.Struct({"bundle_identifier": pl.String, "operating_system_version": pl.String,
        "product_type": pl.String, "source_name_hash": pl.String, "version": pl.String}), "start_date": pl.String,
        "unit": pl.String, "value_count": pl.Int64, "value_kind": pl.String, "value_max": pl.Float64,
        "value_mean": pl.Float64, "value_min": pl.Float64, "value_sum": pl.Float64,
        "workout_activity_type": pl.Int64}),
        "after_count": pl.Int64,
        "against": pl.List(pl.String),
        "appeared_count": pl.Int64,
        "baseline_day_count": pl.Int64,
        "baseline_mean": pl.Float64,
        "baseline_standard_deviation": pl.Float64,
        "baseline_start": pl.String,
        "before": pl.Struct({"category_value": pl.Int64, "created_observation_id": pl.Int64,
        "device": pl.Struct({"device_hash": pl.String, "firmware_version": pl.String, "hardware_version": pl.String,
        "local_identifier_hash": pl.String, "manufacturer_hash": pl.String, "model": pl.String,
        "software_version": pl.String, "udi_hash": pl.String}), "duration_seconds": pl.Float64,
        "earliest_start_date": pl.String, "end_date": pl.String, "interval_seconds": pl.Float64,
        "latest_end_date": pl.String, "mean_interval_seconds": pl.Float64, "metadata": pl.String,
        "metadata_hash": pl.String, "numeric_value": pl.Float64, "other_unit_count": pl.Int64,
        "parts": pl.List(pl.Struct({"distance": pl.Float64, "distance_count": pl.Int64, "energy": pl.Float64,
        "energy_count": pl.Int64, "record_count": pl.Int64, "seconds": pl.Float64, "value": pl.Int64})),
        "payload_hash": pl.String, "record_count": pl.Int64, "records_per_hour": pl.Float64,
        "source": pl.Struct({"bundle_identifier": pl.String, "operating_system_version": pl.String,
        "product_type": pl.String, "source_name_hash": pl.String, "version": pl.String}), "start_date": pl.String,
        "unit": pl.String, "value_count": pl.Int64, "value_kind": pl.String, "value_max": pl.Float64,
        "value_mean": pl.Float64, "value_min": pl.Float64, "value_sum": pl.Float64,
        "workout_activity_type": pl.Int64}),
        "before_count": pl.Int64,
        "category_value": pl.Int64,
        "change": pl.String,
        "changed_fields": pl.List(pl.String),
        "created_observation_id": pl.Int64,
        "crosses_bound": pl.Boolean,
        "current_day_count": pl.Int64,
        "current_end": pl.String,
        "current_mean": pl.Float64,
        "current_standard_deviation": pl.Float64,
        "current_start": pl.String,
        "defect_count": pl.Int64,
        "defects": pl.List(pl.Struct({"pointer": pl.String, "reason": pl.String, "storage_class": pl.String,
        "value": pl.String})),
        "delay_seconds": pl.Float64,
        "device": pl.Struct({"device_hash": pl.String, "firmware_version": pl.String, "hardware_version": pl.String,
        "local_identifier_hash": pl.String, "manufacturer_hash": pl.String, "model": pl.String,
        "software_version": pl.String, "udi_hash": pl.String}),
        "disappeared_count": pl.Int64,
        "disappeared_share": pl.Float64,
        "duration_seconds": pl.Float64,
        "elapsed_seconds": pl.Float64,
        "end_date": pl.String,
        "events": pl.List(pl.Struct({"event_kind": pl.String, "evidence_kind": pl.String, "observation_id": pl.Int64,
        "observed_at": pl.String})),
        "evidence": pl.Struct({"common_seconds": pl.Float64, "coverage_overlap": pl.Float64,
        "covered_seconds_after": pl.Float64, "covered_seconds_before": pl.Float64, "instant_overlap": pl.Float64,
        "instants_before": pl.Int64, "instants_within": pl.Int64, "measure_delta": pl.Float64,
        "measure_kept": pl.Boolean, "metadata_compatible": pl.Boolean, "peaks_kept": pl.Boolean,
        "record_count_delta": pl.Int64, "sources_compatible": pl.Boolean, "visible_end": pl.String,
        "visible_start": pl.String}),
        "finding": pl.String,
        "first_seen_at": pl.String,
        "first_seen_observation_id": pl.Int64,
        "fuzzy_key": pl.String,
        "item_count": pl.Int64,
        "item_kind": pl.String,
        "items_hash": pl.String,
        "label": pl.String,
        "labels": pl.Struct({"aggregateChanged": pl.Int64, "appeared": pl.Int64, "consolidationLikely": pl.Int64,
        "disappeared": pl.Int64, "representationChanged": pl.Int64, "uncertain": pl.Int64}),
        "look_alikes": pl.List(pl.String),
        "measure": pl.String,
        "metadata": pl.String,
        "metadata_hash": pl.String,
        "method": pl.String,
        "numeric_value": pl.Float64,
        "pair": pl.Struct({"keys": pl.List(pl.String), "kind": pl.String}),
        "payload_count": pl.Int64,
        "payload_hash": pl.String,
        "ratio": pl.Float64,
        "reasons": pl.List(pl.String),
        "record_count": pl.Int64,
        "relationship_after": pl.Struct({"end": pl.String, "end_identity_hash": pl.String, "end_in_scope": pl.Boolean,
        "end_sample_type": pl.String, "metadata": pl.String, "metadata_hash": pl.String, "observation_id": pl.Int64,
        "relationship_kind": pl.String}),
        "relationship_before": pl.Struct({"end": pl.String, "end_identity_hash": pl.String,
        "end_in_scope": pl.Boolean, "end_sample_type": pl.String, "metadata": pl.String, "metadata_hash": pl.String,
        "observation_id": pl.Int64, "relationship_kind": pl.String}),
        "relationships": pl.List(pl.Struct({"end": pl.String, "end_identity_hash": pl.String,
        "end_in_scope": pl.Boolean, "end_sample_type": pl.String, "ended_observation_id": pl.Int64,
        "metadata": pl.String, "metadata_hash": pl.String, "observation_id": pl.Int64,
        "relationship_kind": pl.String})),
        "representation_changed_count": pl.Int64,
        "run_after": pl.String,
        "run_before": pl.String,
        "sample_type": pl.String,
        "sample_uuid_hash": pl.String,
        "semantic_fingerprint": pl.String,
        "signatures": pl.Struct({"condensed_again": pl.Boolean, "equal_rate": pl.Boolean, "equal_value": pl.Boolean,
        "inside_workout": pl.Boolean, "older_than_90_days": pl.Boolean, "within_five_minutes": pl.Boolean}),
        "source": pl.Struct({"bundle_identifier": pl.String, "operating_system_version": pl.String,
        "product_type": pl.String, "source_name_hash": pl.String, "version": pl.String}),
        "sources": pl.List(pl.Struct({"after_count": pl.Int64, "before_count": pl.Int64,
        "bundle_identifier": pl.String, "operating_system_version": pl.String, "product_type": pl.String,
        "source_name_hash": pl.String, "version": pl.String})),
        "standing": pl.String,
        "standing_reasons": pl.List(pl.String),
        "start_date": pl.String,
        "strict_fingerprint": pl.String,
        "unit": pl.String,
        "value_kind": pl.String,
        "visibility": pl.List(pl.Struct({"first_observation_id": pl.Int64, "first_seen_at": pl.String,
        "last_observation_id": pl.Int64, "last_seen_at": pl.String})),
        "window_end": pl.String,
        "window_start": pl.String,
        "workout_activity_type": pl.Int64,
        "item_hash": pl.String,
    },
    "pair": {
        "after": pl.List(pl.Struct({"category_value": pl.Int64, "duration_seconds": pl.Float64, "end_date": pl.String,
        "identity_hash": pl.String, "numeric_value": pl.Float64, "payload_hash": pl.String, "start_date": pl.String,
        "unit": pl.String, "value_kind": pl.String, "workout_activity_type": pl.Int64})),
        "ambiguous_with": pl.List(pl.String),
        "before": pl.List(pl.Struct({"category_value": pl.Int64, "duration_seconds": pl.Float64,
        "end_date": pl.String, "identity_hash": pl.String, "numeric_value": pl.Float64, "payload_hash": pl.String,
        "start_date": pl.String, "unit": pl.String, "value_kind": pl.String, "workout_activity_type": pl.Int64})),
        "end_date": pl.String,
        "item_kind": pl.String,
        "key": pl.String,
        "law": pl.String,
        "level": pl.String,
        "pair": pl.String,
        "residual": pl.Float64,
        "sample_type": pl.String,
        "source": pl.Struct({"bundle_identifier": pl.String, "product_type": pl.String,
        "source_name_hash": pl.String}),
        "start_date": pl.String,
        "tied": pl.Boolean,
        "unit": pl.String,
        "item_hash": pl.String,
    },
}
# end


def read_hp(path):
    """A row per item of a bundle, a file of lines, a salvage or an envelope; of a table, see read_hp_csv."""
    return read_hp_csv(path) if items.is_table(path) else pl.from_arrow(for_arrow.read_hp(path))


def read_hp_csv(path):
    """The rows of a table. What is JSON in a cell stays a text."""
    frame = pl.read_csv(path, infer_schema=False, missing_utf8_is_empty_string=False, rechunk=True)
    return frame.with_columns(column(name) for name in frame.columns)


def column(name):
    """The cells of a column as its type."""
    if name in items.BOOLEANS:
        return pl.col(name) == "true"
    kind = pl.Int64 if name in items.INTEGERS else pl.Float64 if name in items.NUMBERS else None
    return pl.col(name).cast(kind) if kind else pl.col(name).str.strip_prefix("'")
