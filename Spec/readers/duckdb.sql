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
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "after_count" BIGINT, "appeared_count" BIGINT, "baseline_day_count" BIGINT,
        "baseline_standard_deviation" DOUBLE, "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR,
        "record_count" BIGINT, "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "before_count" BIGINT, "category_value" BIGINT,
        "change" VARCHAR, "changed_fields" VARCHAR[], "created_observation_id" BIGINT, "current_day_count" BIGINT,
        "current_end" VARCHAR, "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE, "end_date" VARCHAR,
        "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT,
        "observed_at" VARCHAR)[], "evidence" STRUCT("coverage_overlap" DOUBLE, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "value_sum_delta" DOUBLE), "finding" VARCHAR, "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_count" BIGINT, "item_kind" VARCHAR,
        "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT, "appeared" BIGINT,
        "consolidationLikely" BIGINT, "disappeared" BIGINT, "representationChanged" BIGINT, "uncertain" BIGINT),
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_count" BIGINT,
        "payload_hash" VARCHAR, "ratio" DOUBLE, "reasons" VARCHAR[], "record_count" BIGINT,
        "relationships" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR)[], "representation_changed_count" BIGINT,
        "run_after" VARCHAR, "run_before" VARCHAR, "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR,
        "semantic_fingerprint" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "sources" STRUCT("after_count" BIGINT, "before_count" BIGINT, "bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "version" VARCHAR)[], "start_date" VARCHAR,
        "strict_fingerprint" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR,
        "visibility" STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT,
        "last_seen_at" VARCHAR)[], "window_end" VARCHAR, "window_start" VARCHAR, "workout_activity_type" BIGINT)'})
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
        "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR, "record_count" BIGINT,
        "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR,
        "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR,
        "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE, "value_sum" DOUBLE,
        "workout_activity_type" BIGINT), "after_count" BIGINT, "appeared_count" BIGINT, "baseline_day_count" BIGINT,
        "baseline_standard_deviation" DOUBLE, "baseline_start" VARCHAR, "before" STRUCT("category_value" BIGINT,
        "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "duration_seconds" DOUBLE, "earliest_start_date" VARCHAR,
        "end_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, "mean_interval_seconds" DOUBLE,
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_hash" VARCHAR,
        "record_count" BIGINT, "records_per_hour" DOUBLE, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "start_date" VARCHAR, "unit" VARCHAR, "value_count" BIGINT, "value_kind" VARCHAR, "value_max" DOUBLE,
        "value_sum" DOUBLE, "workout_activity_type" BIGINT), "before_count" BIGINT, "category_value" BIGINT,
        "change" VARCHAR, "changed_fields" VARCHAR[], "created_observation_id" BIGINT, "current_day_count" BIGINT,
        "current_end" VARCHAR, "current_standard_deviation" DOUBLE, "current_start" VARCHAR, "defect_count" BIGINT,
        "defects" STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[],
        "delay_seconds" DOUBLE, "device" STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR,
        "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR,
        "software_version" VARCHAR, "udi_hash" VARCHAR), "disappeared_count" BIGINT, "disappeared_share" DOUBLE,
        "duration_seconds" DOUBLE, "elapsed_seconds" DOUBLE, "end_date" VARCHAR,
        "events" STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT,
        "observed_at" VARCHAR)[], "evidence" STRUCT("coverage_overlap" DOUBLE, "record_count_delta" BIGINT,
        "sources_compatible" BOOLEAN, "value_sum_delta" DOUBLE), "finding" VARCHAR, "first_seen_at" VARCHAR,
        "first_seen_observation_id" BIGINT, "fuzzy_key" VARCHAR, "item_count" BIGINT, "item_kind" VARCHAR,
        "items_hash" VARCHAR, "label" VARCHAR, "labels" STRUCT("aggregateChanged" BIGINT, "appeared" BIGINT,
        "consolidationLikely" BIGINT, "disappeared" BIGINT, "representationChanged" BIGINT, "uncertain" BIGINT),
        "metadata" JSON, "metadata_hash" VARCHAR, "numeric_value" DOUBLE, "payload_count" BIGINT,
        "payload_hash" VARCHAR, "ratio" DOUBLE, "reasons" VARCHAR[], "record_count" BIGINT,
        "relationships" STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN,
        "end_sample_type" VARCHAR, "ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR,
        "observation_id" BIGINT, "relationship_kind" VARCHAR)[], "representation_changed_count" BIGINT,
        "run_after" VARCHAR, "run_before" VARCHAR, "sample_type" VARCHAR, "sample_uuid_hash" VARCHAR,
        "semantic_fingerprint" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, "version" VARCHAR),
        "sources" STRUCT("after_count" BIGINT, "before_count" BIGINT, "bundle_identifier" VARCHAR,
        "operating_system_version" VARCHAR, "product_type" VARCHAR, "version" VARCHAR)[], "start_date" VARCHAR,
        "strict_fingerprint" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR,
        "visibility" STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT,
        "last_seen_at" VARCHAR)[], "window_end" VARCHAR, "window_start" VARCHAR, "workout_activity_type" BIGINT))[]'
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
        'before.value_count', 'after.record_count', 'after.value_count', 'evidence.record_count_delta',
        'record_count', 'payload_count', 'before_count', 'after_count', 'baseline_day_count', 'current_day_count',
        'item_count', 'defect_count', 'numeric_value', 'duration_seconds', 'before.numeric_value',
        'before.duration_seconds', 'after.numeric_value', 'after.duration_seconds', 'before.value_sum',
        'before.value_max', 'before.interval_seconds', 'before.mean_interval_seconds', 'before.records_per_hour',
        'after.value_sum', 'after.value_max', 'after.interval_seconds', 'after.mean_interval_seconds',
        'after.records_per_hour', 'evidence.value_sum_delta', 'evidence.coverage_overlap', 'delay_seconds',
        'disappeared_share', 'elapsed_seconds', 'baseline_standard_deviation', 'current_standard_deviation', 'ratio',
        'evidence.sources_compatible', 'source', 'device', 'visibility', 'relationships', 'defects',
        'changed_fields', 'before.source', 'before.device', 'after.source', 'after.device', 'events', 'labels',
        'reasons', 'sources',
        '~integer', '~number', '~boolean', '~json')), '^''', ''),
    CAST(COLUMNS(name -> name IN (
        'category_value', 'workout_activity_type', 'created_observation_id', 'first_seen_observation_id',
        'before.category_value', 'before.workout_activity_type', 'after.category_value',
        'after.workout_activity_type', 'before.created_observation_id', 'after.created_observation_id',
        'appeared_count', 'disappeared_count', 'representation_changed_count', 'before.record_count',
        'before.value_count', 'after.record_count', 'after.value_count', 'evidence.record_count_delta',
        'record_count', 'payload_count', 'before_count', 'after_count', 'baseline_day_count', 'current_day_count',
        'item_count', 'defect_count',
        '~integer')) AS BIGINT),
    CAST(COLUMNS(name -> name IN (
        'numeric_value', 'duration_seconds', 'before.numeric_value', 'before.duration_seconds', 'after.numeric_value',
        'after.duration_seconds', 'before.value_sum', 'before.value_max', 'before.interval_seconds',
        'before.mean_interval_seconds', 'before.records_per_hour', 'after.value_sum', 'after.value_max',
        'after.interval_seconds', 'after.mean_interval_seconds', 'after.records_per_hour',
        'evidence.value_sum_delta', 'evidence.coverage_overlap', 'delay_seconds', 'disappeared_share',
        'elapsed_seconds', 'baseline_standard_deviation', 'current_standard_deviation', 'ratio',
        '~number')) AS DOUBLE),
    CAST(COLUMNS(name -> name IN (
        'evidence.sources_compatible',
        '~boolean')) AS BOOLEAN),
    CAST(COLUMNS(name -> name IN (
        'source', 'device', 'visibility', 'relationships', 'defects', 'changed_fields', 'before.source',
        'before.device', 'after.source', 'after.device', 'events', 'labels', 'reasons', 'sources',
        '~json')) AS JSON)
FROM cells);
