-- HealthProbe bundles and tables in DuckDB 1.1 or later. Made by Scripts/write-format: not to be edited.
--
--   .read duckdb.sql
--   SELECT sample_type, count(numeric_value) FROM read_hp('bundle.jsonl.zst') GROUP BY ALL;
--   COPY (FROM read_hp('bundle.jsonl.zst')) TO 'bundle.parquet' (COMPRESSION zstd);
--
-- read_hp reads bundles (.jsonl.zst), salvages and reports as lines (.jsonl): an item is a row, with the columns of all
-- kinds that agree on them. read_hp_json does it with envelopes (.json), read_hp_csv with tables. Nothing is verified.
-- A timestamp is a text, since no type has nine digits of a second in the years 1 to 9999: start_date::TIMESTAMPTZ.
--
-- read_hp_records, read_hp_changes and read_hp_days read one kind of lines, with the columns that this kind has:
--   SELECT day, sum(numeric_value) FROM read_hp_records('bundle.jsonl.zst', zone := 'Europe/Bucharest') GROUP BY day;
-- start_local is start_date in the zone (UTC), to the microsecond, and day its date.

CREATE OR REPLACE MACRO read_hp(path) AS TABLE
SELECT item.*, item_hash FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "active_energy" DOUBLE, "active_energy_goal" DOUBLE, "after" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT,
        "parts" STRUCT("distance" DOUBLE, "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT,
        "record_count" BIGINT, "seconds" DOUBLE, "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "after_count" BIGINT,
        "answer" STRUCT("after_date" VARCHAR, "before_date" VARCHAR, "changed" STRUCT("after_count" BIGINT,
        "day_count" BIGINT, "first_date" VARCHAR, "largest" STRUCT("after_count" BIGINT,
        "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT, "after_high" DOUBLE,
        "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE,
        "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT, "after_high" DOUBLE,
        "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE,
        "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR, "has_others" BOOLEAN,
        "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR, "overlap" DOUBLE,
        "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR, "value_sum" DOUBLE)[],
        "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT, "types" STRUCT("record_count" BIGINT,
        "sample_type" VARCHAR)[]), "earlier" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, "record_count" BIGINT,
        "sample_type" VARCHAR, "since_date" VARCHAR, "was_replaced" BOOLEAN)[], "earlier_partial" BOOLEAN,
        "gone" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR,
        "largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR,
        "has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR,
        "overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR,
        "value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "late" STRUCT("first_date" VARCHAR,
        "last_date" VARCHAR, "record_count" BIGINT, "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]),
        "new" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, "record_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "new_version_count" BIGINT,
        "replaced" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR,
        "largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR,
        "has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR,
        "overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR,
        "value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "sources" STRUCT("after_count" BIGINT,
        "before_count" BIGINT, "bundle_identifier" VARCHAR, "date" VARCHAR, "finding" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR)[]), "appeared_count" BIGINT, "asleep_day_count" BIGINT,
        "asleep_seconds" DOUBLE, "awake_seconds" DOUBLE, "baseline_day_count" BIGINT, "baseline_mean" DOUBLE,
        "baseline_standard_deviation" DOUBLE, "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT,
        "parts" STRUCT("distance" DOUBLE, "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT,
        "record_count" BIGINT, "seconds" DOUBLE, "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "before_count" BIGINT,
        "calendar" STRUCT("bucket_days" BIGINT, "buckets" STRUCT("appeared_count" BIGINT, "condensed_count" BIGINT,
        "disappeared_count" BIGINT, "re_identified_count" BIGINT, "representation_changed_count" BIGINT,
        "start" VARCHAR)[]), "category_value" BIGINT, "change" VARCHAR, "changed_fields" VARCHAR[],
        "completeness" VARCHAR, "context" STRUCT("event_kind" VARCHAR, "logged_at" VARCHAR,
        "observation_id" BIGINT)[], "core_seconds" DOUBLE, "created_observation_id" BIGINT, "crosses_bound" BOOLEAN,
        "current_day_count" BIGINT, "current_end" VARCHAR, "current_mean" DOUBLE,
        "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "date" VARCHAR, "day_count" BIGINT,
        "day_seconds" BIGINT, "day_start" VARCHAR, "deep_seconds" DOUBLE, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "distance" DOUBLE, "dropped_sum" DOUBLE, "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE,
        "end_date" VARCHAR, "energy" DOUBLE, "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR,
        "observation_id" BIGINT, "observed_at" VARCHAR)[], "evidence" STRUCT("common_seconds" DOUBLE,
        "coverage_overlap" DOUBLE, "covered_seconds_after" DOUBLE, "covered_seconds_before" DOUBLE,
        "instant_overlap" DOUBLE, "instants_before" BIGINT, "instants_within" BIGINT, "measure_delta" DOUBLE,
        "measure_kept" BOOLEAN, "metadata_compatible" BOOLEAN, "peaks_kept" BOOLEAN, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "visible_end" VARCHAR, "visible_start" VARCHAR),
        "examples" STRUCT("change" VARCHAR, "end_after" VARCHAR, "end_date" VARCHAR, "start_after" VARCHAR,
        "start_date" VARCHAR, "value_after" DOUBLE, "value_before" DOUBLE)[], "exercise_minutes" DOUBLE,
        "exercise_minutes_goal" DOUBLE, "finding" VARCHAR, "first_date" VARCHAR, "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "in_bed_seconds" DOUBLE, "item_count" BIGINT,
        "item_kind" VARCHAR, "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT,
        "appeared" BIGINT, "consolidationLikely" BIGINT, "disappeared" BIGINT, "replacedNotProvable" BIGINT,
        "representationChanged" BIGINT, "uncertain" BIGINT), "last_date" VARCHAR,
        "left_over" STRUCT("after_count" BIGINT, "before_count" BIGINT), "long_session_count" BIGINT,
        "look_alikes" VARCHAR[], "measure" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "method" VARCHAR,
        "move_minutes" DOUBLE, "move_minutes_goal" DOUBLE, "nights" STRUCT("asleep_day_count" BIGINT,
        "asleep_seconds" DOUBLE, "date" VARCHAR, "nap_count" BIGINT, "night_count" BIGINT)[],
        "not_summed_count" BIGINT, "numeric_value" DOUBLE, "observations" STRUCT("observation_id" BIGINT,
        "observed_at" VARCHAR, "record_count" BIGINT, "status" VARCHAR)[], "other_zone_count" BIGINT,
        "overlap_seconds" DOUBLE, "pair" STRUCT("keys" VARCHAR[], "kind" VARCHAR),
        "pair_counts" STRUCT("ambiguous" BIGINT, "condensed_into" BIGINT, "expanded_into" BIGINT,
        "re_identified" BIGINT, "regrouped" BIGINT), "payload_count" BIGINT, "payload_hash" VARCHAR, "ratio" DOUBLE,
        "reasons" VARCHAR[], "record_count" BIGINT, "rejected_count" BIGINT,
        "relationship_after" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_appeared_count" BIGINT,
        "relationship_before" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_changed_count" BIGINT, "relationship_disappeared_count" BIGINT,
        "relationships" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR)[], "rem_seconds" DOUBLE,
        "replaced" STRUCT("after_count" BIGINT, "before_count" BIGINT, "outcome" VARCHAR, "pair" VARCHAR)[],
        "representation_changed_count" BIGINT, "run_after" VARCHAR, "run_before" VARCHAR, "sample_type" VARCHAR,
        "sample_uuid_hash" VARCHAR, "seconds" DOUBLE, "semantic_fingerprint" VARCHAR, "session_count" BIGINT,
        "session_seconds" DOUBLE, "shared_seconds" DOUBLE, "signatures" STRUCT("condensed_again" BOOLEAN,
        "equal_rate" BOOLEAN, "equal_value" BOOLEAN, "inside_workout" BOOLEAN, "older_than_90_days" BOOLEAN,
        "within_five_minutes" BOOLEAN), "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "source_count" BIGINT, "sources" STRUCT("after_count" BIGINT, "asleep_seconds" DOUBLE, "before_count" BIGINT,
        "bundle_identifier" VARCHAR, "class" VARCHAR, "covered_seconds" DOUBLE, "dropped_sum" DOUBLE,
        "in_bed_seconds" DOUBLE, "operating_system_version" VARCHAR, "product_type" VARCHAR, "rank" BIGINT,
        "record_count" BIGINT, "session_count" BIGINT, "session_seconds" DOUBLE, "source_name_hash" VARCHAR,
        "value_sum" DOUBLE, "version" VARCHAR)[], "stage_day_count" BIGINT, "stand_hours" DOUBLE,
        "stand_hours_goal" DOUBLE, "standing" VARCHAR, "standing_reasons" VARCHAR[], "start_date" VARCHAR,
        "statuses" VARCHAR[], "strict_fingerprint" VARCHAR, "strip" STRUCT("after_count" BIGINT,
        "after_value" DOUBLE, "before_count" BIGINT, "before_value" DOUBLE, "start" VARCHAR)[], "unit" VARCHAR,
        "unspecified_seconds" DOUBLE, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE,
        "value_min" DOUBLE, "value_sum" DOUBLE, "visibility" STRUCT("first_observation_id" BIGINT,
        "first_seen_at" VARCHAR, "last_observation_id" BIGINT, "last_seen_at" VARCHAR)[], "window_end" VARCHAR,
        "window_start" VARCHAR, "withheld_count" BIGINT, "workout_activity_type" BIGINT,
        "years" STRUCT("day_count" BIGINT, "days" VARCHAR, "record_count" BIGINT, "year" VARCHAR)[])'})
WHERE item_hash IS NOT NULL;

CREATE OR REPLACE MACRO read_hp_pair(path) AS TABLE
SELECT item.*, item_hash FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "after" STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR,
        "identity_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR,
        "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT)[], "ambiguous_with" VARCHAR[],
        "before" STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR,
        "identity_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR,
        "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT)[], "end_date" VARCHAR,
        "item_kind" VARCHAR, "key" VARCHAR, "law" VARCHAR, "level" VARCHAR, "measure_after" DOUBLE,
        "measure_before" DOUBLE, "outcome" VARCHAR, "pair" VARCHAR, "residual" DOUBLE, "sample_type" VARCHAR,
        "source" STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR),
        "start_date" VARCHAR, "tied" BOOLEAN, "unit" VARCHAR)'})
WHERE item_hash IS NOT NULL;

CREATE OR REPLACE MACRO read_hp_json(path) AS TABLE
SELECT item.*, item_hash FROM (
SELECT line.item AS item, line.item_hash AS item_hash FROM (SELECT unnest(items) AS line FROM read_json(
    path, format = 'unstructured', maximum_object_size = 1073741824,
    columns = {items: 'STRUCT(item_hash VARCHAR, item STRUCT(
        "active_energy" DOUBLE, "active_energy_goal" DOUBLE, "after" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT,
        "parts" STRUCT("distance" DOUBLE, "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT,
        "record_count" BIGINT, "seconds" DOUBLE, "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "after_count" BIGINT,
        "answer" STRUCT("after_date" VARCHAR, "before_date" VARCHAR, "changed" STRUCT("after_count" BIGINT,
        "day_count" BIGINT, "first_date" VARCHAR, "largest" STRUCT("after_count" BIGINT,
        "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT, "after_high" DOUBLE,
        "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE,
        "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT, "after_high" DOUBLE,
        "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE,
        "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR, "has_others" BOOLEAN,
        "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR, "overlap" DOUBLE,
        "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR, "value_sum" DOUBLE)[],
        "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT, "types" STRUCT("record_count" BIGINT,
        "sample_type" VARCHAR)[]), "earlier" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, "record_count" BIGINT,
        "sample_type" VARCHAR, "since_date" VARCHAR, "was_replaced" BOOLEAN)[], "earlier_partial" BOOLEAN,
        "gone" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR,
        "largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR,
        "has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR,
        "overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR,
        "value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "late" STRUCT("first_date" VARCHAR,
        "last_date" VARCHAR, "record_count" BIGINT, "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]),
        "new" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, "record_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "new_version_count" BIGINT,
        "replaced" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR,
        "largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT,
        "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE,
        "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR,
        "has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR,
        "overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR,
        "value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT,
        "types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "sources" STRUCT("after_count" BIGINT,
        "before_count" BIGINT, "bundle_identifier" VARCHAR, "date" VARCHAR, "finding" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR)[]), "appeared_count" BIGINT, "asleep_day_count" BIGINT,
        "asleep_seconds" DOUBLE, "awake_seconds" DOUBLE, "baseline_day_count" BIGINT, "baseline_mean" DOUBLE,
        "baseline_standard_deviation" DOUBLE, "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT,
        "parts" STRUCT("distance" DOUBLE, "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT,
        "record_count" BIGINT, "seconds" DOUBLE, "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "before_count" BIGINT,
        "calendar" STRUCT("bucket_days" BIGINT, "buckets" STRUCT("appeared_count" BIGINT, "condensed_count" BIGINT,
        "disappeared_count" BIGINT, "re_identified_count" BIGINT, "representation_changed_count" BIGINT,
        "start" VARCHAR)[]), "category_value" BIGINT, "change" VARCHAR, "changed_fields" VARCHAR[],
        "completeness" VARCHAR, "context" STRUCT("event_kind" VARCHAR, "logged_at" VARCHAR,
        "observation_id" BIGINT)[], "core_seconds" DOUBLE, "created_observation_id" BIGINT, "crosses_bound" BOOLEAN,
        "current_day_count" BIGINT, "current_end" VARCHAR, "current_mean" DOUBLE,
        "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "date" VARCHAR, "day_count" BIGINT,
        "day_seconds" BIGINT, "day_start" VARCHAR, "deep_seconds" DOUBLE, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "distance" DOUBLE, "dropped_sum" DOUBLE, "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE,
        "end_date" VARCHAR, "energy" DOUBLE, "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR,
        "observation_id" BIGINT, "observed_at" VARCHAR)[], "evidence" STRUCT("common_seconds" DOUBLE,
        "coverage_overlap" DOUBLE, "covered_seconds_after" DOUBLE, "covered_seconds_before" DOUBLE,
        "instant_overlap" DOUBLE, "instants_before" BIGINT, "instants_within" BIGINT, "measure_delta" DOUBLE,
        "measure_kept" BOOLEAN, "metadata_compatible" BOOLEAN, "peaks_kept" BOOLEAN, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "visible_end" VARCHAR, "visible_start" VARCHAR),
        "examples" STRUCT("change" VARCHAR, "end_after" VARCHAR, "end_date" VARCHAR, "start_after" VARCHAR,
        "start_date" VARCHAR, "value_after" DOUBLE, "value_before" DOUBLE)[], "exercise_minutes" DOUBLE,
        "exercise_minutes_goal" DOUBLE, "finding" VARCHAR, "first_date" VARCHAR, "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "in_bed_seconds" DOUBLE, "item_count" BIGINT,
        "item_kind" VARCHAR, "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT,
        "appeared" BIGINT, "consolidationLikely" BIGINT, "disappeared" BIGINT, "replacedNotProvable" BIGINT,
        "representationChanged" BIGINT, "uncertain" BIGINT), "last_date" VARCHAR,
        "left_over" STRUCT("after_count" BIGINT, "before_count" BIGINT), "long_session_count" BIGINT,
        "look_alikes" VARCHAR[], "measure" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "method" VARCHAR,
        "move_minutes" DOUBLE, "move_minutes_goal" DOUBLE, "nights" STRUCT("asleep_day_count" BIGINT,
        "asleep_seconds" DOUBLE, "date" VARCHAR, "nap_count" BIGINT, "night_count" BIGINT)[],
        "not_summed_count" BIGINT, "numeric_value" DOUBLE, "observations" STRUCT("observation_id" BIGINT,
        "observed_at" VARCHAR, "record_count" BIGINT, "status" VARCHAR)[], "other_zone_count" BIGINT,
        "overlap_seconds" DOUBLE, "pair" STRUCT("keys" VARCHAR[], "kind" VARCHAR),
        "pair_counts" STRUCT("ambiguous" BIGINT, "condensed_into" BIGINT, "expanded_into" BIGINT,
        "re_identified" BIGINT, "regrouped" BIGINT), "payload_count" BIGINT, "payload_hash" VARCHAR, "ratio" DOUBLE,
        "reasons" VARCHAR[], "record_count" BIGINT, "rejected_count" BIGINT,
        "relationship_after" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_appeared_count" BIGINT,
        "relationship_before" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_changed_count" BIGINT, "relationship_disappeared_count" BIGINT,
        "relationships" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR)[], "rem_seconds" DOUBLE,
        "replaced" STRUCT("after_count" BIGINT, "before_count" BIGINT, "outcome" VARCHAR, "pair" VARCHAR)[],
        "representation_changed_count" BIGINT, "run_after" VARCHAR, "run_before" VARCHAR, "sample_type" VARCHAR,
        "sample_uuid_hash" VARCHAR, "seconds" DOUBLE, "semantic_fingerprint" VARCHAR, "session_count" BIGINT,
        "session_seconds" DOUBLE, "shared_seconds" DOUBLE, "signatures" STRUCT("condensed_again" BOOLEAN,
        "equal_rate" BOOLEAN, "equal_value" BOOLEAN, "inside_workout" BOOLEAN, "older_than_90_days" BOOLEAN,
        "within_five_minutes" BOOLEAN), "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "source_count" BIGINT, "sources" STRUCT("after_count" BIGINT, "asleep_seconds" DOUBLE, "before_count" BIGINT,
        "bundle_identifier" VARCHAR, "class" VARCHAR, "covered_seconds" DOUBLE, "dropped_sum" DOUBLE,
        "in_bed_seconds" DOUBLE, "operating_system_version" VARCHAR, "product_type" VARCHAR, "rank" BIGINT,
        "record_count" BIGINT, "session_count" BIGINT, "session_seconds" DOUBLE, "source_name_hash" VARCHAR,
        "value_sum" DOUBLE, "version" VARCHAR)[], "stage_day_count" BIGINT, "stand_hours" DOUBLE,
        "stand_hours_goal" DOUBLE, "standing" VARCHAR, "standing_reasons" VARCHAR[], "start_date" VARCHAR,
        "statuses" VARCHAR[], "strict_fingerprint" VARCHAR, "strip" STRUCT("after_count" BIGINT,
        "after_value" DOUBLE, "before_count" BIGINT, "before_value" DOUBLE, "start" VARCHAR)[], "unit" VARCHAR,
        "unspecified_seconds" DOUBLE, "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE,
        "value_min" DOUBLE, "value_sum" DOUBLE, "visibility" STRUCT("first_observation_id" BIGINT,
        "first_seen_at" VARCHAR, "last_observation_id" BIGINT, "last_seen_at" VARCHAR)[], "window_end" VARCHAR,
        "window_start" VARCHAR, "withheld_count" BIGINT, "workout_activity_type" BIGINT,
        "years" STRUCT("day_count" BIGINT, "days" VARCHAR, "record_count" BIGINT, "year" VARCHAR)[]))[]'
})));

CREATE OR REPLACE MACRO read_hp_json_pair(path) AS TABLE
SELECT item.*, item_hash FROM (
SELECT line.item AS item, line.item_hash AS item_hash FROM (SELECT unnest(items) AS line FROM read_json(
    path, format = 'unstructured', maximum_object_size = 1073741824,
    columns = {items: 'STRUCT(item_hash VARCHAR, item STRUCT(
        "after" STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR,
        "identity_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR,
        "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT)[], "ambiguous_with" VARCHAR[],
        "before" STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR,
        "identity_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR,
        "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT)[], "end_date" VARCHAR,
        "item_kind" VARCHAR, "key" VARCHAR, "law" VARCHAR, "level" VARCHAR, "measure_after" DOUBLE,
        "measure_before" DOUBLE, "outcome" VARCHAR, "pair" VARCHAR, "residual" DOUBLE, "sample_type" VARCHAR,
        "source" STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR),
        "start_date" VARCHAR, "tied" BOOLEAN, "unit" VARCHAR))[]'
})));

CREATE OR REPLACE MACRO read_hp_records(path, zone := 'UTC') AS TABLE
SELECT item.*, item_hash,
    timezone(zone, CAST(item.start_date AS TIMESTAMPTZ)) AS start_local, CAST(start_local AS DATE) AS day FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "category_value" BIGINT, "created_observation_id" BIGINT, "defects" STRUCT("pointer" VARCHAR,
        "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[], "device" STRUCT("device_hash" VARCHAR,
        "firmware_version" VARCHAR, "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR,
        "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR, "udi_hash" VARCHAR),
        "duration_seconds" DOUBLE, "end_date" VARCHAR, "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR,
        "observation_id" BIGINT, "observed_at" VARCHAR)[], "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_kind" VARCHAR, "metadata" JSON,
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR,
        "relationships" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR)[], "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR,
        "semantic_fingerprint" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "start_date" VARCHAR, "strict_fingerprint" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR,
        "visibility" STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT,
        "last_seen_at" VARCHAR)[], "workout_activity_type" BIGINT)'})
WHERE item_hash IS NOT NULL;

CREATE OR REPLACE MACRO read_hp_changes(path, zone := 'UTC') AS TABLE
SELECT item.*, item_hash,
    timezone(zone, CAST(coalesce(item.after.start_date, item.before.start_date) AS TIMESTAMPTZ)) AS start_local, CAST(start_local AS DATE) AS day FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "after" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "end_date" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "numeric_value" DOUBLE, "payload_hash" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "start_date" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT),
        "before" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "end_date" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "numeric_value" DOUBLE, "payload_hash" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "start_date" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR, "workout_activity_type" BIGINT),
        "change" VARCHAR, "changed_fields" VARCHAR[], "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR,
        "storage_class" VARCHAR, "value" VARCHAR)[], "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR,
        "observation_id" BIGINT, "observed_at" VARCHAR)[], "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_kind" VARCHAR, "label" VARCHAR,
        "pair" STRUCT("keys" VARCHAR[], "kind" VARCHAR), "reasons" VARCHAR[],
        "relationship_after" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_before" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR,
        "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR), "run_after" VARCHAR, "run_before" VARCHAR,
        "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR, "semantic_fingerprint" VARCHAR,
        "strict_fingerprint" VARCHAR)'})
WHERE item_hash IS NOT NULL;

CREATE OR REPLACE MACRO read_hp_days(path) AS TABLE
SELECT item.*, item_hash, TRY_CAST(item.date AS DATE) AS day FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "active_energy" DOUBLE, "active_energy_goal" DOUBLE, "asleep_day_count" BIGINT, "asleep_seconds" DOUBLE,
        "awake_seconds" DOUBLE, "category_value" BIGINT, "completeness" VARCHAR, "core_seconds" DOUBLE,
        "date" VARCHAR, "day_count" BIGINT, "day_seconds" BIGINT, "day_start" VARCHAR, "deep_seconds" DOUBLE,
        "distance" DOUBLE, "dropped_sum" DOUBLE, "end_date" VARCHAR, "energy" DOUBLE, "exercise_minutes" DOUBLE,
        "exercise_minutes_goal" DOUBLE, "in_bed_seconds" DOUBLE, "item_kind" VARCHAR, "long_session_count" BIGINT,
        "measure" VARCHAR, "move_minutes" DOUBLE, "move_minutes_goal" DOUBLE, "not_summed_count" BIGINT,
        "other_zone_count" BIGINT, "overlap_seconds" DOUBLE, "record_count" BIGINT, "rem_seconds" DOUBLE,
        "sample_type" VARCHAR, "seconds" DOUBLE, "session_count" BIGINT, "session_seconds" DOUBLE,
        "shared_seconds" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "source_name_hash" VARCHAR),
        "source_count" BIGINT, "sources" STRUCT("asleep_seconds" DOUBLE, "bundle_identifier" VARCHAR,
        "class" VARCHAR, "covered_seconds" DOUBLE, "dropped_sum" DOUBLE, "in_bed_seconds" DOUBLE, "rank" BIGINT,
        "record_count" BIGINT, "session_count" BIGINT, "session_seconds" DOUBLE, "source_name_hash" VARCHAR,
        "value_sum" DOUBLE)[], "stage_day_count" BIGINT, "stand_hours" DOUBLE, "stand_hours_goal" DOUBLE,
        "start_date" VARCHAR, "unit" VARCHAR, "unspecified_seconds" DOUBLE, "value_max" DOUBLE, "value_mean" DOUBLE,
        "value_min" DOUBLE, "value_sum" DOUBLE, "workout_activity_type" BIGINT)'})
WHERE item_hash IS NOT NULL;

-- The columns of the table, texts first. A quote that keeps a spreadsheet from running a text is taken away; an empty
-- cell is NULL. Where a column holds JSON, it is of that type, but for metadata, which may be a text.
CREATE OR REPLACE MACRO read_hp_csv(path) AS TABLE
WITH cells AS (
    SELECT *, NULL AS "~text", NULL AS "~integer", NULL AS "~number", NULL AS "~boolean", NULL AS "~json" FROM read_csv(
        path, auto_detect = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
        new_line = '\r\n', max_line_size = 67108864, parallel = false)
)
SELECT * EXCLUDE ("~text", "~integer", "~number", "~boolean", "~json") FROM (SELECT
    regexp_replace(COLUMNS('^(?:'
        'sample_type|start_date|end_date|value_kind|unit|source\.bundle_identifier|source\.product_type|'
        'source\.version|source\.operating_system_version|source\.source_name_hash|device\.model|'
        'device\.hardware_version|device\.firmware_version|device\.software_version|device\.device_hash|'
        'device\.local_identifier_hash|device\.manufacturer_hash|device\.udi_hash|metadata|metadata_hash|'
        'payload_hash|sample_uuid_hash|strict_fingerprint|semantic_fingerprint|fuzzy_key|first_seen_at|item_hash|'
        'change|before\.start_date|before\.end_date|before\.value_kind|before\.unit|after\.start_date|'
        'after\.end_date|after\.value_kind|after\.unit|before\.source\.bundle_identifier|'
        'before\.source\.product_type|before\.source\.version|before\.source\.operating_system_version|'
        'before\.source\.source_name_hash|before\.device\.model|before\.device\.hardware_version|'
        'before\.device\.firmware_version|before\.device\.software_version|before\.device\.device_hash|'
        'before\.device\.local_identifier_hash|before\.device\.manufacturer_hash|before\.device\.udi_hash|'
        'before\.metadata|before\.metadata_hash|before\.payload_hash|after\.source\.bundle_identifier|'
        'after\.source\.product_type|after\.source\.version|after\.source\.operating_system_version|'
        'after\.source\.source_name_hash|after\.device\.model|after\.device\.hardware_version|'
        'after\.device\.firmware_version|after\.device\.software_version|after\.device\.device_hash|'
        'after\.device\.local_identifier_hash|after\.device\.manufacturer_hash|after\.device\.udi_hash|'
        'after\.metadata|after\.metadata_hash|after\.payload_hash|label|pair\.kind|run_before|run_after|measure|'
        'method|window_start|window_end|standing|before\.earliest_start_date|before\.latest_end_date|'
        'after\.earliest_start_date|after\.latest_end_date|evidence\.visible_start|evidence\.visible_end|pair|'
        'level|law|outcome|key|finding|baseline_start|current_start|current_end|date|completeness|day_start|'
        'items_hash|~text'
        ')$'), '^''', ''),
    CAST(COLUMNS('^(?:'
        'category_value|workout_activity_type|created_observation_id|first_seen_observation_id|'
        'before\.category_value|before\.workout_activity_type|after\.category_value|after\.workout_activity_type|'
        'before\.created_observation_id|after\.created_observation_id|left_over\.before_count|'
        'left_over\.after_count|appeared_count|disappeared_count|representation_changed_count|'
        'relationship_appeared_count|relationship_changed_count|relationship_disappeared_count|rejected_count|'
        'withheld_count|before\.record_count|before\.value_count|before\.other_unit_count|after\.record_count|'
        'after\.value_count|after\.other_unit_count|evidence\.record_count_delta|evidence\.instants_before|'
        'evidence\.instants_within|record_count|payload_count|before_count|after_count|baseline_day_count|'
        'current_day_count|session_count|long_session_count|not_summed_count|other_zone_count|source_count|'
        'day_seconds|day_count|asleep_day_count|stage_day_count|item_count|defect_count|~integer'
        ')$') AS BIGINT),
    CAST(COLUMNS('^(?:'
        'numeric_value|duration_seconds|before\.numeric_value|before\.duration_seconds|after\.numeric_value|'
        'after\.duration_seconds|before\.value_sum|before\.value_mean|before\.value_min|before\.value_max|'
        'before\.interval_seconds|before\.mean_interval_seconds|before\.records_per_hour|after\.value_sum|'
        'after\.value_mean|after\.value_min|after\.value_max|after\.interval_seconds|'
        'after\.mean_interval_seconds|after\.records_per_hour|evidence\.measure_delta|evidence\.coverage_overlap|'
        'evidence\.common_seconds|evidence\.covered_seconds_before|evidence\.covered_seconds_after|'
        'evidence\.instant_overlap|measure_before|measure_after|residual|delay_seconds|disappeared_share|'
        'elapsed_seconds|baseline_mean|current_mean|baseline_standard_deviation|current_standard_deviation|ratio|'
        'value_sum|dropped_sum|value_mean|value_min|value_max|seconds|energy|distance|active_energy|'
        'active_energy_goal|exercise_minutes|exercise_minutes_goal|move_minutes|move_minutes_goal|stand_hours|'
        'stand_hours_goal|asleep_seconds|deep_seconds|rem_seconds|core_seconds|unspecified_seconds|awake_seconds|'
        'in_bed_seconds|session_seconds|overlap_seconds|shared_seconds|~number'
        ')$') AS DOUBLE),
    CAST(COLUMNS('^(?:'
        'crosses_bound|evidence\.measure_kept|evidence\.peaks_kept|evidence\.sources_compatible|'
        'evidence\.metadata_compatible|signatures\.condensed_again|signatures\.equal_rate|'
        'signatures\.equal_value|signatures\.inside_workout|signatures\.older_than_90_days|'
        'signatures\.within_five_minutes|tied|~boolean'
        ')$') AS BOOLEAN),
    CAST(COLUMNS('^(?:'
        'source|device|visibility|relationships|defects|events|changed_fields|before\.source|before\.device|'
        'after\.source|after\.device|reasons|pair\.keys|relationship_before|relationship_after|labels|replaced|'
        'look_alikes|standing_reasons|before\.parts|after\.parts|sources|before|after|ambiguous_with|~json'
        ')$') AS JSON)
FROM cells);
