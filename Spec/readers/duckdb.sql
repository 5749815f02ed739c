-- HealthProbe bundles and tables in DuckDB 1.1 or later. Made by Scripts/write-readers: not to be edited.
--
--   .read duckdb.sql
--   SELECT sample_type, count(numeric_value) FROM read_hp('bundle.jsonl.zst') GROUP BY ALL;
--   COPY (FROM read_hp('bundle.jsonl.zst')) TO 'bundle.parquet' (COMPRESSION zstd);
--
-- read_hp reads bundles (.jsonl.zst), salvages and reports as lines (.jsonl): an item is a row, with the columns of all
-- kinds that agree on them. read_hp_json does it with envelopes (.json), read_hp_csv with tables. Nothing is verified.
-- A timestamp is a text, since no type has nine digits of a second in the years 1 to 9999: start_date::TIMESTAMPTZ.

CREATE OR REPLACE MACRO read_hp(path) AS TABLE
SELECT item.*, item_hash FROM read_json(
    path, format = 'newline_delimited', maximum_object_size = 67108864, columns = {item_hash: 'VARCHAR', item: 'STRUCT(
        "after" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR, "end_date" VARCHAR,
        "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE, "metadata" JSON,
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE,
        "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE,
        "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT, "records_per_hour" DOUBLE,
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT,
        "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "after_count" BIGINT, "against" VARCHAR[], "appeared_count" BIGINT,
        "baseline_day_count" BIGINT, "baseline_mean" DOUBLE, "baseline_standard_deviation" DOUBLE,
        "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR, "end_date" VARCHAR,
        "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE, "metadata" JSON,
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE,
        "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE,
        "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT, "records_per_hour" DOUBLE,
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT,
        "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "before_count" BIGINT, "category_value" BIGINT, "change" VARCHAR,
        "changed_fields" VARCHAR[], "created_observation_id" BIGINT, "crosses_bound" BOOLEAN,
        "current_day_count" BIGINT, "current_end" VARCHAR, "current_mean" DOUBLE,
        "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE, "end_date" VARCHAR,
        "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT,
        "observed_at" VARCHAR)[], "evidence" STRUCT("common_seconds" DOUBLE, "coverage_overlap" DOUBLE,
        "covered_seconds_after" DOUBLE, "covered_seconds_before" DOUBLE, "instant_overlap" DOUBLE,
        "instants_before" BIGINT, "instants_within" BIGINT, "measure_delta" DOUBLE, "measure_kept" BOOLEAN,
        "metadata_compatible" BOOLEAN, "peaks_kept" BOOLEAN, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "visible_end" VARCHAR, "visible_start" VARCHAR), "finding" VARCHAR,
        "first_seen_at" VARCHAR, "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_count" BIGINT,
        "item_kind" VARCHAR, "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT,
        "appeared" BIGINT, "consolidationLikely" BIGINT, "disappeared" BIGINT, "representationChanged" BIGINT,
        "uncertain" BIGINT), "look_alikes" VARCHAR[], "measure" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "method" VARCHAR, "numeric_value" DOUBLE, "pair" STRUCT("keys" VARCHAR[], "kind" VARCHAR),
        "payload_count" BIGINT, "payload_hash" VARCHAR, "ratio" DOUBLE, "reasons" VARCHAR[], "record_count" BIGINT,
        "relationship_after" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_before" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR,
        "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR), "relationships" STRUCT("end" VARCHAR,
        "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR,
        "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR)[], "representation_changed_count" BIGINT, "run_after" VARCHAR,
        "run_before" VARCHAR, "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR, "semantic_fingerprint" VARCHAR,
        "signatures" STRUCT("condensed_again" BOOLEAN, "equal_rate" BOOLEAN, "equal_value" BOOLEAN,
        "inside_workout" BOOLEAN, "older_than_90_days" BOOLEAN, "within_five_minutes" BOOLEAN),
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "sources" STRUCT("after_count" BIGINT, "before_count" BIGINT,
        "bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR)[], "standing" VARCHAR, "standing_reasons" VARCHAR[],
        "start_date" VARCHAR, "strict_fingerprint" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR,
        "visibility" STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT,
        "last_seen_at" VARCHAR)[], "window_end" VARCHAR, "window_start" VARCHAR, "workout_activity_type" BIGINT)'})
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
        "item_kind" VARCHAR, "key" VARCHAR, "law" VARCHAR, "level" VARCHAR, "pair" VARCHAR, "residual" DOUBLE,
        "sample_type" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR), "start_date" VARCHAR, "tied" BOOLEAN, "unit" VARCHAR)'})
WHERE item_hash IS NOT NULL;

CREATE OR REPLACE MACRO read_hp_json(path) AS TABLE
SELECT item.*, item_hash FROM (
SELECT line.item AS item, line.item_hash AS item_hash FROM (SELECT unnest(items) AS line FROM read_json(
    path, format = 'unstructured', maximum_object_size = 1073741824,
    columns = {items: 'STRUCT(item_hash VARCHAR, item STRUCT(
        "after" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR, "end_date" VARCHAR,
        "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE, "metadata" JSON,
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE,
        "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE,
        "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT, "records_per_hour" DOUBLE,
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT,
        "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "after_count" BIGINT, "against" VARCHAR[], "appeared_count" BIGINT,
        "baseline_day_count" BIGINT, "baseline_mean" DOUBLE, "baseline_standard_deviation" DOUBLE,
        "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT, "created_observation_id" BIGINT,
        "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR,
        "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR,
        "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR, "end_date" VARCHAR,
        "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE, "metadata" JSON,
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE,
        "distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE,
        "value" BIGINT)[], "payload_hash" VARCHAR, "record_count" BIGINT, "records_per_hour" DOUBLE,
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT,
        "value_kind" VARCHAR, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "before_count" BIGINT, "category_value" BIGINT, "change" VARCHAR,
        "changed_fields" VARCHAR[], "created_observation_id" BIGINT, "crosses_bound" BOOLEAN,
        "current_day_count" BIGINT, "current_end" VARCHAR, "current_mean" DOUBLE,
        "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE, "end_date" VARCHAR,
        "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT,
        "observed_at" VARCHAR)[], "evidence" STRUCT("common_seconds" DOUBLE, "coverage_overlap" DOUBLE,
        "covered_seconds_after" DOUBLE, "covered_seconds_before" DOUBLE, "instant_overlap" DOUBLE,
        "instants_before" BIGINT, "instants_within" BIGINT, "measure_delta" DOUBLE, "measure_kept" BOOLEAN,
        "metadata_compatible" BOOLEAN, "peaks_kept" BOOLEAN, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "visible_end" VARCHAR, "visible_start" VARCHAR), "finding" VARCHAR,
        "first_seen_at" VARCHAR, "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_count" BIGINT,
        "item_kind" VARCHAR, "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT,
        "appeared" BIGINT, "consolidationLikely" BIGINT, "disappeared" BIGINT, "representationChanged" BIGINT,
        "uncertain" BIGINT), "look_alikes" VARCHAR[], "measure" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "method" VARCHAR, "numeric_value" DOUBLE, "pair" STRUCT("keys" VARCHAR[], "kind" VARCHAR),
        "payload_count" BIGINT, "payload_hash" VARCHAR, "ratio" DOUBLE, "reasons" VARCHAR[], "record_count" BIGINT,
        "relationship_after" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR), "relationship_before" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR,
        "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR), "relationships" STRUCT("end" VARCHAR,
        "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR,
        "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT,
        "relationship_kind" VARCHAR)[], "representation_changed_count" BIGINT, "run_after" VARCHAR,
        "run_before" VARCHAR, "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR, "semantic_fingerprint" VARCHAR,
        "signatures" STRUCT("condensed_again" BOOLEAN, "equal_rate" BOOLEAN, "equal_value" BOOLEAN,
        "inside_workout" BOOLEAN, "older_than_90_days" BOOLEAN, "within_five_minutes" BOOLEAN),
        "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR), "sources" STRUCT("after_count" BIGINT, "before_count" BIGINT,
        "bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR, "version" VARCHAR)[], "standing" VARCHAR, "standing_reasons" VARCHAR[],
        "start_date" VARCHAR, "strict_fingerprint" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR,
        "visibility" STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT,
        "last_seen_at" VARCHAR)[], "window_end" VARCHAR, "window_start" VARCHAR, "workout_activity_type" BIGINT))[]'
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
        "item_kind" VARCHAR, "key" VARCHAR, "law" VARCHAR, "level" VARCHAR, "pair" VARCHAR, "residual" DOUBLE,
        "sample_type" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR,
        "source_name_hash" VARCHAR), "start_date" VARCHAR, "tied" BOOLEAN, "unit" VARCHAR))[]'
})));

-- The columns of the table, texts first. A quote that keeps a spreadsheet from running a text is taken away; an empty
-- cell is NULL. Where a column holds JSON, it is of that type, but for metadata, which may be a text.
CREATE OR REPLACE MACRO read_hp_csv(path) AS TABLE
WITH cells AS (
    SELECT *, NULL AS "~integer", NULL AS "~number", NULL AS "~boolean", NULL AS "~json" FROM read_csv(
        path, auto_detect = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
        new_line = '\r\n', max_line_size = 67108864, parallel = false)
)
SELECT * EXCLUDE ("~integer", "~number", "~boolean", "~json") FROM (SELECT
    regexp_replace(COLUMNS(name -> name NOT IN (
        'category_value', 'workout_activity_type', 'created_observation_id', 'first_seen_observation_id',
        'before.category_value', 'before.workout_activity_type', 'after.category_value',
        'after.workout_activity_type', 'before.created_observation_id', 'after.created_observation_id',
        'appeared_count', 'disappeared_count', 'representation_changed_count', 'before.record_count',
        'before.value_count', 'before.other_unit_count', 'after.record_count', 'after.value_count',
        'after.other_unit_count', 'evidence.record_count_delta', 'evidence.instants_before',
        'evidence.instants_within', 'record_count', 'payload_count', 'before_count', 'after_count',
        'baseline_day_count', 'current_day_count', 'item_count', 'defect_count', 'numeric_value', 'duration_seconds',
        'before.numeric_value', 'before.duration_seconds', 'after.numeric_value', 'after.duration_seconds',
        'before.value_sum', 'before.value_mean', 'before.value_min', 'before.value_max', 'before.interval_seconds',
        'before.mean_interval_seconds', 'before.records_per_hour', 'after.value_sum', 'after.value_mean',
        'after.value_min', 'after.value_max', 'after.interval_seconds', 'after.mean_interval_seconds',
        'after.records_per_hour', 'evidence.measure_delta', 'evidence.coverage_overlap', 'evidence.common_seconds',
        'evidence.covered_seconds_before', 'evidence.covered_seconds_after', 'evidence.instant_overlap', 'residual',
        'delay_seconds', 'disappeared_share', 'elapsed_seconds', 'baseline_mean', 'current_mean',
        'baseline_standard_deviation', 'current_standard_deviation', 'ratio', 'crosses_bound',
        'evidence.measure_kept', 'evidence.peaks_kept', 'evidence.sources_compatible',
        'evidence.metadata_compatible', 'signatures.condensed_again', 'signatures.equal_rate',
        'signatures.equal_value', 'signatures.inside_workout', 'signatures.older_than_90_days',
        'signatures.within_five_minutes', 'tied', 'source', 'device', 'visibility', 'relationships', 'defects',
        'events', 'changed_fields', 'before.source', 'before.device', 'after.source', 'after.device', 'reasons',
        'pair.keys', 'relationship_before', 'relationship_after', 'labels', 'against', 'look_alikes',
        'standing_reasons', 'before.parts', 'after.parts', 'sources', 'before', 'after', 'ambiguous_with',
        '~integer', '~number', '~boolean', '~json')), '^''', ''),
    CAST(COLUMNS(name -> name IN (
        'category_value', 'workout_activity_type', 'created_observation_id', 'first_seen_observation_id',
        'before.category_value', 'before.workout_activity_type', 'after.category_value',
        'after.workout_activity_type', 'before.created_observation_id', 'after.created_observation_id',
        'appeared_count', 'disappeared_count', 'representation_changed_count', 'before.record_count',
        'before.value_count', 'before.other_unit_count', 'after.record_count', 'after.value_count',
        'after.other_unit_count', 'evidence.record_count_delta', 'evidence.instants_before',
        'evidence.instants_within', 'record_count', 'payload_count', 'before_count', 'after_count',
        'baseline_day_count', 'current_day_count', 'item_count', 'defect_count',
        '~integer')) AS BIGINT),
    CAST(COLUMNS(name -> name IN (
        'numeric_value', 'duration_seconds', 'before.numeric_value', 'before.duration_seconds', 'after.numeric_value',
        'after.duration_seconds', 'before.value_sum', 'before.value_mean', 'before.value_min', 'before.value_max',
        'before.interval_seconds', 'before.mean_interval_seconds', 'before.records_per_hour', 'after.value_sum',
        'after.value_mean', 'after.value_min', 'after.value_max', 'after.interval_seconds',
        'after.mean_interval_seconds', 'after.records_per_hour', 'evidence.measure_delta',
        'evidence.coverage_overlap', 'evidence.common_seconds', 'evidence.covered_seconds_before',
        'evidence.covered_seconds_after', 'evidence.instant_overlap', 'residual', 'delay_seconds',
        'disappeared_share', 'elapsed_seconds', 'baseline_mean', 'current_mean', 'baseline_standard_deviation',
        'current_standard_deviation', 'ratio',
        '~number')) AS DOUBLE),
    CAST(COLUMNS(name -> name IN (
        'crosses_bound', 'evidence.measure_kept', 'evidence.peaks_kept', 'evidence.sources_compatible',
        'evidence.metadata_compatible', 'signatures.condensed_again', 'signatures.equal_rate',
        'signatures.equal_value', 'signatures.inside_workout', 'signatures.older_than_90_days',
        'signatures.within_five_minutes', 'tied',
        '~boolean')) AS BOOLEAN),
    CAST(COLUMNS(name -> name IN (
        'source', 'device', 'visibility', 'relationships', 'defects', 'events', 'changed_fields', 'before.source',
        'before.device', 'after.source', 'after.device', 'reasons', 'pair.keys', 'relationship_before',
        'relationship_after', 'labels', 'against', 'look_alikes', 'standing_reasons', 'before.parts', 'after.parts',
        'sources', 'before', 'after', 'ambiguous_with',
        '~json')) AS JSON)
FROM cells);
