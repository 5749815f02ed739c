# HealthProbe bundles in jq 1.6 or later. Made by Scripts/write-format: not to be edited.
#
#   zstd -dcq bundle.jsonl.zst | jq -L Spec/readers 'include "healthprobe"; hp_items | select(.unit == "count/min")'
#   zstd -dcq bundle.jsonl.zst | jq -rnL Spec/readers 'include "healthprobe"; hp_table("record"; inputs)' >records.csv

# The items of a line, a salvage's line or an envelope, each with its hash as the member item_hash.
def hp_items: if has("items") then .items[] else . end | select(has("item_hash")) | .item + {item_hash};

# The columns of a table by the kind of its items.
def hp_columns: {
  record: [
    "sample_type", "start_date", "end_date", "value_kind", "numeric_value", "unit", "category_value",
    "workout_activity_type", "duration_seconds", "source.bundle_identifier", "source.product_type", "source.version",
    "source.operating_system_version", "source.source_name_hash", "source", "device.model",
    "device.hardware_version", "device.firmware_version", "device.software_version", "device.device_hash",
    "device.local_identifier_hash", "device.manufacturer_hash", "device.udi_hash", "device", "metadata",
    "metadata_hash", "created_observation_id", "payload_hash", "sample_uuid_hash", "strict_fingerprint",
    "semantic_fingerprint", "fuzzy_key", "first_seen_at", "first_seen_observation_id", "visibility", "relationships",
    "defects", "item_hash"
  ],
  version: [
    "sample_type", "start_date", "end_date", "value_kind", "numeric_value", "unit", "category_value",
    "workout_activity_type", "duration_seconds", "source.bundle_identifier", "source.product_type", "source.version",
    "source.operating_system_version", "source.source_name_hash", "source", "device.model",
    "device.hardware_version", "device.firmware_version", "device.software_version", "device.device_hash",
    "device.local_identifier_hash", "device.manufacturer_hash", "device.udi_hash", "device", "metadata",
    "metadata_hash", "created_observation_id", "payload_hash", "sample_uuid_hash", "strict_fingerprint",
    "semantic_fingerprint", "fuzzy_key", "first_seen_at", "first_seen_observation_id", "visibility", "events",
    "defects", "item_hash"
  ],
  change: [
    "change", "changed_fields", "sample_type", "before.start_date", "before.end_date", "before.value_kind",
    "before.numeric_value", "before.unit", "before.category_value", "before.workout_activity_type",
    "before.duration_seconds", "after.start_date", "after.end_date", "after.value_kind", "after.numeric_value",
    "after.unit", "after.category_value", "after.workout_activity_type", "after.duration_seconds",
    "before.source.bundle_identifier", "before.source.product_type", "before.source.version",
    "before.source.operating_system_version", "before.source.source_name_hash", "before.source",
    "before.device.model", "before.device.hardware_version", "before.device.firmware_version",
    "before.device.software_version", "before.device.device_hash", "before.device.local_identifier_hash",
    "before.device.manufacturer_hash", "before.device.udi_hash", "before.device", "before.metadata",
    "before.metadata_hash", "before.created_observation_id", "before.payload_hash", "after.source.bundle_identifier",
    "after.source.product_type", "after.source.version", "after.source.operating_system_version",
    "after.source.source_name_hash", "after.source", "after.device.model", "after.device.hardware_version",
    "after.device.firmware_version", "after.device.software_version", "after.device.device_hash",
    "after.device.local_identifier_hash", "after.device.manufacturer_hash", "after.device.udi_hash", "after.device",
    "after.metadata", "after.metadata_hash", "after.created_observation_id", "after.payload_hash",
    "sample_uuid_hash", "strict_fingerprint", "semantic_fingerprint", "fuzzy_key", "first_seen_at",
    "first_seen_observation_id", "label", "reasons", "pair.kind", "pair.keys", "run_before", "run_after",
    "relationship_before", "relationship_after", "events", "defects", "item_hash"
  ],
  comparison: [
    "sample_type", "measure", "method", "window_start", "window_end", "crosses_bound", "label", "labels", "reasons",
    "replaced", "left_over.before_count", "left_over.after_count", "look_alikes", "standing", "standing_reasons",
    "appeared_count", "disappeared_count", "representation_changed_count", "relationship_appeared_count",
    "relationship_changed_count", "relationship_disappeared_count", "rejected_count", "withheld_count",
    "before.record_count", "before.value_count", "before.other_unit_count", "before.value_sum", "before.value_mean",
    "before.value_min", "before.value_max", "before.unit", "before.parts", "before.earliest_start_date",
    "before.latest_end_date", "before.interval_seconds", "before.mean_interval_seconds", "before.records_per_hour",
    "after.record_count", "after.value_count", "after.other_unit_count", "after.value_sum", "after.value_mean",
    "after.value_min", "after.value_max", "after.unit", "after.parts", "after.earliest_start_date",
    "after.latest_end_date", "after.interval_seconds", "after.mean_interval_seconds", "after.records_per_hour",
    "evidence.record_count_delta", "evidence.measure_delta", "evidence.measure_kept", "evidence.peaks_kept",
    "evidence.coverage_overlap", "evidence.common_seconds", "evidence.covered_seconds_before",
    "evidence.covered_seconds_after", "evidence.instant_overlap", "evidence.instants_before",
    "evidence.instants_within", "evidence.sources_compatible", "evidence.metadata_compatible",
    "evidence.visible_start", "evidence.visible_end", "signatures.condensed_again", "signatures.equal_rate",
    "signatures.equal_value", "signatures.inside_workout", "signatures.older_than_90_days",
    "signatures.within_five_minutes", "sources", "item_hash"
  ],
  pair: [
    "sample_type", "pair", "level", "law", "outcome", "start_date", "end_date", "measure_before", "measure_after",
    "residual", "unit", "tied", "before", "after", "ambiguous_with", "source.bundle_identifier",
    "source.product_type", "source.source_name_hash", "key", "item_hash"
  ],
  finding: [
    "sample_type", "finding", "start_date", "end_date", "first_seen_at", "first_seen_observation_id", "delay_seconds",
    "record_count", "payload_count", "before_count", "after_count", "disappeared_count", "disappeared_share",
    "elapsed_seconds", "baseline_start", "current_start", "current_end", "baseline_day_count", "current_day_count",
    "baseline_mean", "current_mean", "baseline_standard_deviation", "current_standard_deviation", "unit", "measure",
    "method", "ratio", "sample_uuid_hash", "strict_fingerprint", "semantic_fingerprint", "payload_hash",
    "source.bundle_identifier", "source.product_type", "source.source_name_hash", "item_hash"
  ],
  day: [
    "sample_type", "measure", "date", "completeness", "category_value", "workout_activity_type", "value_sum",
    "dropped_sum", "value_mean", "value_min", "value_max", "unit", "seconds", "energy", "distance", "active_energy",
    "active_energy_goal", "exercise_minutes", "exercise_minutes_goal", "move_minutes", "move_minutes_goal",
    "stand_hours", "stand_hours_goal", "asleep_seconds", "deep_seconds", "rem_seconds", "core_seconds",
    "unspecified_seconds", "awake_seconds", "in_bed_seconds", "session_count", "session_seconds",
    "long_session_count", "start_date", "end_date", "record_count", "not_summed_count", "other_zone_count",
    "overlap_seconds", "shared_seconds", "source_count", "source.bundle_identifier", "source.source_name_hash",
    "source", "sources", "day_start", "day_seconds", "day_count", "asleep_day_count", "stage_day_count", "item_hash"
  ],
  type_manifest: [
    "sample_type", "item_count", "defect_count", "items_hash", "item_hash"
  ]
};

# The value of a column, null where there is none.
def hp_cell($name): getpath($name / ".")
  | if type == "object" and ($name | test("(^|[.])(source|device)$")) and length > 0 then null else . end;

# An item as an object with the columns of its table.
def hp_row: . as $item | hp_columns[.item_kind]
  | map({key: ., value: (. as $name | $item | hp_cell($name))}) | from_entries;

# A table of plain CSV: arrays and objects as JSON, and no guard against what a spreadsheet runs.
def hp_table($kind; lines): hp_columns[$kind] as $columns | ($columns | @csv),
  (lines | hp_items | select(.item_kind == $kind) | hp_row as $row
    | [$columns[] | $row[.] | if type == "array" or type == "object" then tojson else . end] | @csv);
