"""The columns of each kind of items, with their types in the words of DuckDB."""

# begin: made by Scripts/write-format
# What can be in one file together: the kinds of items.
VIEWS = {
    "record": "record",
    "sample": "version",
    "version": "version",
    "shared_record": "shared_record",
    "change": "change",
    "comparison": "comparison",
    "finding": "finding",
    "pair": "pair",
    "day": "day",
    "type_manifest": "type_manifest",
}
# The members of these items, each with its type.
MEMBERS = {
    "record": {
        "category_value": 'BIGINT',
        "created_observation_id": 'BIGINT',
        "defects": 'STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[]',
        "device":
            'STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR, '
            '"local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, '
            '"software_version" VARCHAR, "udi_hash" VARCHAR)',
        "duration_seconds": 'DOUBLE',
        "end_date": 'VARCHAR',
        "first_seen_at": 'VARCHAR',
        "first_seen_observation_id": 'BIGINT',
        "fuzzy_key": 'VARCHAR',
        "item_kind": 'VARCHAR',
        "metadata": 'JSON',
        "metadata_hash": 'VARCHAR',
        "numeric_value": 'DOUBLE',
        "payload_hash": 'VARCHAR',
        "relationships":
            'STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, '
            '"ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT, '
            '"relationship_kind" VARCHAR)[]',
        "sample_type": 'VARCHAR',
        "sample_uuid_hash": 'VARCHAR',
        "semantic_fingerprint": 'VARCHAR',
        "source":
            'STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR, '
            '"source_name_hash" VARCHAR, "version" VARCHAR)',
        "start_date": 'VARCHAR',
        "strict_fingerprint": 'VARCHAR',
        "unit": 'VARCHAR',
        "value_kind": 'VARCHAR',
        "visibility": 'STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR)[]',
        "workout_activity_type": 'BIGINT',
    },
    "version": {
        "category_value": 'BIGINT',
        "created_observation_id": 'BIGINT',
        "defects": 'STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[]',
        "device":
            'STRUCT("device_hash" VARCHAR, "firmware_version" VARCHAR, "hardware_version" VARCHAR, '
            '"local_identifier_hash" VARCHAR, "manufacturer_hash" VARCHAR, "model" VARCHAR, '
            '"software_version" VARCHAR, "udi_hash" VARCHAR)',
        "duration_seconds": 'DOUBLE',
        "end_date": 'VARCHAR',
        "events":
            'STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT, "observed_at" VARCHAR)[]',
        "first_seen_at": 'VARCHAR',
        "first_seen_observation_id": 'BIGINT',
        "fuzzy_key": 'VARCHAR',
        "item_kind": 'VARCHAR',
        "metadata": 'JSON',
        "metadata_hash": 'VARCHAR',
        "numeric_value": 'DOUBLE',
        "payload_hash": 'VARCHAR',
        "relationships":
            'STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, '
            '"ended_observation_id" BIGINT, "metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT, '
            '"relationship_kind" VARCHAR)[]',
        "sample_type": 'VARCHAR',
        "sample_uuid_hash": 'VARCHAR',
        "semantic_fingerprint": 'VARCHAR',
        "source":
            'STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR, '
            '"source_name_hash" VARCHAR, "version" VARCHAR)',
        "start_date": 'VARCHAR',
        "strict_fingerprint": 'VARCHAR',
        "unit": 'VARCHAR',
        "value_kind": 'VARCHAR',
        "visibility":
            'STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR, "last_observation_id" BIGINT, '
            '"last_seen_at" VARCHAR)[]',
        "workout_activity_type": 'BIGINT',
    },
    "shared_record": {
        "category_value": 'BIGINT',
        "created_observation_id": 'BIGINT',
        "defects": 'STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[]',
        "duration_seconds": 'DOUBLE',
        "end_date": 'VARCHAR',
        "first_seen_at": 'VARCHAR',
        "first_seen_observation_id": 'BIGINT',
        "item_kind": 'VARCHAR',
        "metadata": 'JSON',
        "numeric_value": 'DOUBLE',
        "sample_type": 'VARCHAR',
        "sample_uuid_hash": 'VARCHAR',
        "source":
            'STRUCT("bundle_identifier" VARCHAR, "operating_system_version" VARCHAR, "product_type" VARCHAR, '
            '"source_name_hash" VARCHAR, "version" VARCHAR)',
        "start_date": 'VARCHAR',
        "strict_fingerprint": 'VARCHAR',
        "unit": 'VARCHAR',
        "value_kind": 'VARCHAR',
        "visibility": 'STRUCT("first_observation_id" BIGINT, "first_seen_at" VARCHAR)[]',
        "workout_activity_type": 'BIGINT',
    },
    "change": {
        "after":
            'STRUCT("category_value" BIGINT, "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, '
            '"firmware_version" VARCHAR, "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, '
            '"manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR, "udi_hash" VARCHAR), '
            '"duration_seconds" DOUBLE, "end_date" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, '
            '"numeric_value" DOUBLE, "payload_hash" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR, '
            '"operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, '
            '"version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR, '
            '"workout_activity_type" BIGINT)',
        "before":
            'STRUCT("category_value" BIGINT, "created_observation_id" BIGINT, "device" STRUCT("device_hash" VARCHAR, '
            '"firmware_version" VARCHAR, "hardware_version" VARCHAR, "local_identifier_hash" VARCHAR, '
            '"manufacturer_hash" VARCHAR, "model" VARCHAR, "software_version" VARCHAR, "udi_hash" VARCHAR), '
            '"duration_seconds" DOUBLE, "end_date" VARCHAR, "metadata" JSON, "metadata_hash" VARCHAR, '
            '"numeric_value" DOUBLE, "payload_hash" VARCHAR, "source" STRUCT("bundle_identifier" VARCHAR, '
            '"operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, '
            '"version" VARCHAR), "start_date" VARCHAR, "unit" VARCHAR, "value_kind" VARCHAR, '
            '"workout_activity_type" BIGINT)',
        "change": 'VARCHAR',
        "changed_fields": 'VARCHAR[]',
        "defects": 'STRUCT("pointer" VARCHAR, "reason" VARCHAR, "storage_class" VARCHAR, "value" VARCHAR)[]',
        "events":
            'STRUCT("event_kind" VARCHAR, "evidence_kind" VARCHAR, "observation_id" BIGINT, "observed_at" VARCHAR)[]',
        "first_seen_at": 'VARCHAR',
        "first_seen_observation_id": 'BIGINT',
        "fuzzy_key": 'VARCHAR',
        "item_kind": 'VARCHAR',
        "label": 'VARCHAR',
        "pair": 'STRUCT("keys" VARCHAR[], "kind" VARCHAR)',
        "reasons": 'VARCHAR[]',
        "relationship_after":
            'STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, '
            '"metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT, "relationship_kind" VARCHAR)',
        "relationship_before":
            'STRUCT("end" VARCHAR, "end_identity_hash" VARCHAR, "end_in_scope" BOOLEAN, "end_sample_type" VARCHAR, '
            '"metadata" JSON, "metadata_hash" VARCHAR, "observation_id" BIGINT, "relationship_kind" VARCHAR)',
        "run_after": 'VARCHAR',
        "run_before": 'VARCHAR',
        "sample_type": 'VARCHAR',
        "sample_uuid_hash": 'VARCHAR',
        "semantic_fingerprint": 'VARCHAR',
        "strict_fingerprint": 'VARCHAR',
    },
    "comparison": {
        "after":
            'STRUCT("earliest_start_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, '
            '"mean_interval_seconds" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE, '
            '"distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE, '
            '"value" BIGINT)[], "record_count" BIGINT, "records_per_hour" DOUBLE, "unit" VARCHAR, '
            '"value_count" BIGINT, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE)',
        "answer":
            'STRUCT("after_date" VARCHAR, "before_date" VARCHAR, "changed" STRUCT("after_count" BIGINT, '
            '"day_count" BIGINT, "first_date" VARCHAR, "largest" STRUCT("after_count" BIGINT, '
            '"chart" STRUCT("bar_days" BIGINT, "days" STRUCT("after_count" BIGINT, "after_high" DOUBLE, '
            '"after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, '
            '"before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[], "months" STRUCT("after_count" BIGINT, '
            '"after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, "before_count" BIGINT, '
            '"before_high" DOUBLE, "before_low" DOUBLE, "before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, '
            '"first_date" VARCHAR, "has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, '
            '"last_date" VARCHAR, "outcome" VARCHAR, "overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, '
            '"record_count" BIGINT, "sample_type" VARCHAR, "value_sum" DOUBLE)[], "last_date" VARCHAR, '
            '"record_count" BIGINT, "stretch_count" BIGINT, "types" STRUCT("record_count" BIGINT, '
            '"sample_type" VARCHAR)[]), "earlier" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, '
            '"record_count" BIGINT, "sample_type" VARCHAR, "since_date" VARCHAR, "was_replaced" BOOLEAN)[], '
            '"earlier_partial" BOOLEAN, "gone" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR, '
            '"largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, '
            '"days" STRUCT("after_count" BIGINT, "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, '
            '"before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE, "before_value" DOUBLE, '
            '"date" VARCHAR)[], "months" STRUCT("after_count" BIGINT, "after_high" DOUBLE, "after_low" DOUBLE, '
            '"after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE, '
            '"before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR, '
            '"has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR, '
            '"overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR, '
            '"value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT, '
            '"types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "late" STRUCT("first_date" VARCHAR, '
            '"last_date" VARCHAR, "record_count" BIGINT, "types" STRUCT("record_count" BIGINT, '
            '"sample_type" VARCHAR)[]), "new" STRUCT("first_date" VARCHAR, "last_date" VARCHAR, "record_count" BIGINT, '
            '"types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "new_version_count" BIGINT, '
            '"replaced" STRUCT("after_count" BIGINT, "day_count" BIGINT, "first_date" VARCHAR, '
            '"largest" STRUCT("after_count" BIGINT, "chart" STRUCT("bar_days" BIGINT, '
            '"days" STRUCT("after_count" BIGINT, "after_high" DOUBLE, "after_low" DOUBLE, "after_value" DOUBLE, '
            '"before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE, "before_value" DOUBLE, '
            '"date" VARCHAR)[], "months" STRUCT("after_count" BIGINT, "after_high" DOUBLE, "after_low" DOUBLE, '
            '"after_value" DOUBLE, "before_count" BIGINT, "before_high" DOUBLE, "before_low" DOUBLE, '
            '"before_value" DOUBLE, "date" VARCHAR)[]), "day_count" BIGINT, "first_date" VARCHAR, '
            '"has_others" BOOLEAN, "in_place_count" BIGINT, "label" VARCHAR, "last_date" VARCHAR, "outcome" VARCHAR, '
            '"overlap" DOUBLE, "overlap_of" VARCHAR, "pair" VARCHAR, "record_count" BIGINT, "sample_type" VARCHAR, '
            '"value_sum" DOUBLE)[], "last_date" VARCHAR, "record_count" BIGINT, "stretch_count" BIGINT, '
            '"types" STRUCT("record_count" BIGINT, "sample_type" VARCHAR)[]), "sources" STRUCT("after_count" BIGINT, '
            '"before_count" BIGINT, "bundle_identifier" VARCHAR, "date" VARCHAR, "finding" VARCHAR, '
            '"product_type" VARCHAR, "source_name_hash" VARCHAR)[])',
        "appeared_count": 'BIGINT',
        "before":
            'STRUCT("earliest_start_date" VARCHAR, "interval_seconds" DOUBLE, "latest_end_date" VARCHAR, '
            '"mean_interval_seconds" DOUBLE, "other_unit_count" BIGINT, "parts" STRUCT("distance" DOUBLE, '
            '"distance_count" BIGINT, "energy" DOUBLE, "energy_count" BIGINT, "record_count" BIGINT, "seconds" DOUBLE, '
            '"value" BIGINT)[], "record_count" BIGINT, "records_per_hour" DOUBLE, "unit" VARCHAR, '
            '"value_count" BIGINT, "value_max" DOUBLE, "value_mean" DOUBLE, "value_min" DOUBLE, "value_sum" DOUBLE)',
        "calendar":
            'STRUCT("bucket_days" BIGINT, "buckets" STRUCT("appeared_count" BIGINT, "condensed_count" BIGINT, '
            '"disappeared_count" BIGINT, "re_identified_count" BIGINT, "representation_changed_count" BIGINT, '
            '"start" VARCHAR)[])',
        "context": 'STRUCT("event_kind" VARCHAR, "logged_at" VARCHAR, "observation_id" BIGINT)[]',
        "crosses_bound": 'BOOLEAN',
        "disappeared_count": 'BIGINT',
        "evidence":
            'STRUCT("common_seconds" DOUBLE, "coverage_overlap" DOUBLE, "covered_seconds_after" DOUBLE, '
            '"covered_seconds_before" DOUBLE, "instant_overlap" DOUBLE, "instants_before" BIGINT, '
            '"instants_within" BIGINT, "measure_delta" DOUBLE, "measure_kept" BOOLEAN, "metadata_compatible" BOOLEAN, '
            '"peaks_kept" BOOLEAN, "record_count_delta" BIGINT, "sources_compatible" BOOLEAN, "visible_end" VARCHAR, '
            '"visible_start" VARCHAR)',
        "examples":
            'STRUCT("change" VARCHAR, "end_after" VARCHAR, "end_date" VARCHAR, "start_after" VARCHAR, '
            '"start_date" VARCHAR, "value_after" DOUBLE, "value_before" DOUBLE)[]',
        "first_date": 'VARCHAR',
        "item_kind": 'VARCHAR',
        "label": 'VARCHAR',
        "labels":
            'STRUCT("aggregateChanged" BIGINT, "appeared" BIGINT, "consolidationLikely" BIGINT, "disappeared" BIGINT, '
            '"replacedNotProvable" BIGINT, "representationChanged" BIGINT, "uncertain" BIGINT)',
        "last_date": 'VARCHAR',
        "left_over": 'STRUCT("after_count" BIGINT, "before_count" BIGINT)',
        "look_alikes": 'VARCHAR[]',
        "measure": 'VARCHAR',
        "method": 'VARCHAR',
        "nights":
            'STRUCT("asleep_day_count" BIGINT, "asleep_seconds" DOUBLE, "date" VARCHAR, "nap_count" BIGINT, '
            '"night_count" BIGINT)[]',
        "observations":
            'STRUCT("observation_id" BIGINT, "observed_at" VARCHAR, "record_count" BIGINT, "status" VARCHAR)[]',
        "pair_counts":
            'STRUCT("ambiguous" BIGINT, "condensed_into" BIGINT, "expanded_into" BIGINT, "re_identified" BIGINT, '
            '"regrouped" BIGINT)',
        "reasons": 'VARCHAR[]',
        "rejected_count": 'BIGINT',
        "relationship_appeared_count": 'BIGINT',
        "relationship_changed_count": 'BIGINT',
        "relationship_disappeared_count": 'BIGINT',
        "replaced": 'STRUCT("after_count" BIGINT, "before_count" BIGINT, "outcome" VARCHAR, "pair" VARCHAR)[]',
        "representation_changed_count": 'BIGINT',
        "sample_type": 'VARCHAR',
        "signatures":
            'STRUCT("condensed_again" BOOLEAN, "equal_rate" BOOLEAN, "equal_value" BOOLEAN, "inside_workout" BOOLEAN, '
            '"older_than_90_days" BOOLEAN, "within_five_minutes" BOOLEAN)',
        "sources":
            'STRUCT("after_count" BIGINT, "before_count" BIGINT, "bundle_identifier" VARCHAR, '
            '"operating_system_version" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR, '
            '"version" VARCHAR)[]',
        "standing": 'VARCHAR',
        "standing_reasons": 'VARCHAR[]',
        "statuses": 'VARCHAR[]',
        "strip":
            'STRUCT("after_count" BIGINT, "after_value" DOUBLE, "before_count" BIGINT, "before_value" DOUBLE, '
            '"start" VARCHAR)[]',
        "window_end": 'VARCHAR',
        "window_start": 'VARCHAR',
        "withheld_count": 'BIGINT',
        "years": 'STRUCT("day_count" BIGINT, "days" VARCHAR, "record_count" BIGINT, "year" VARCHAR)[]',
    },
    "finding": {
        "after_count": 'BIGINT',
        "baseline_day_count": 'BIGINT',
        "baseline_mean": 'DOUBLE',
        "baseline_standard_deviation": 'DOUBLE',
        "baseline_start": 'VARCHAR',
        "before_count": 'BIGINT',
        "current_day_count": 'BIGINT',
        "current_end": 'VARCHAR',
        "current_mean": 'DOUBLE',
        "current_standard_deviation": 'DOUBLE',
        "current_start": 'VARCHAR',
        "delay_seconds": 'DOUBLE',
        "disappeared_count": 'BIGINT',
        "disappeared_share": 'DOUBLE',
        "elapsed_seconds": 'DOUBLE',
        "end_date": 'VARCHAR',
        "finding": 'VARCHAR',
        "first_seen_at": 'VARCHAR',
        "first_seen_observation_id": 'BIGINT',
        "item_kind": 'VARCHAR',
        "measure": 'VARCHAR',
        "method": 'VARCHAR',
        "payload_count": 'BIGINT',
        "payload_hash": 'VARCHAR',
        "ratio": 'DOUBLE',
        "record_count": 'BIGINT',
        "sample_type": 'VARCHAR',
        "sample_uuid_hash": 'VARCHAR',
        "semantic_fingerprint": 'VARCHAR',
        "source": 'STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR)',
        "start_date": 'VARCHAR',
        "strict_fingerprint": 'VARCHAR',
        "unit": 'VARCHAR',
    },
    "pair": {
        "after":
            'STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR, "identity_hash" VARCHAR, '
            '"numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR, "unit" VARCHAR, '
            '"value_kind" VARCHAR, "workout_activity_type" BIGINT)[]',
        "ambiguous_with": 'VARCHAR[]',
        "before":
            'STRUCT("category_value" BIGINT, "duration_seconds" DOUBLE, "end_date" VARCHAR, "identity_hash" VARCHAR, '
            '"numeric_value" DOUBLE, "payload_hash" VARCHAR, "start_date" VARCHAR, "unit" VARCHAR, '
            '"value_kind" VARCHAR, "workout_activity_type" BIGINT)[]',
        "end_date": 'VARCHAR',
        "item_kind": 'VARCHAR',
        "key": 'VARCHAR',
        "law": 'VARCHAR',
        "level": 'VARCHAR',
        "measure_after": 'DOUBLE',
        "measure_before": 'DOUBLE',
        "outcome": 'VARCHAR',
        "pair": 'VARCHAR',
        "residual": 'DOUBLE',
        "sample_type": 'VARCHAR',
        "source": 'STRUCT("bundle_identifier" VARCHAR, "product_type" VARCHAR, "source_name_hash" VARCHAR)',
        "start_date": 'VARCHAR',
        "tied": 'BOOLEAN',
        "unit": 'VARCHAR',
    },
    "day": {
        "active_energy": 'DOUBLE',
        "active_energy_goal": 'DOUBLE',
        "asleep_day_count": 'BIGINT',
        "asleep_seconds": 'DOUBLE',
        "awake_seconds": 'DOUBLE',
        "category_value": 'BIGINT',
        "completeness": 'VARCHAR',
        "core_seconds": 'DOUBLE',
        "date": 'VARCHAR',
        "day_count": 'BIGINT',
        "day_seconds": 'BIGINT',
        "day_start": 'VARCHAR',
        "deep_seconds": 'DOUBLE',
        "distance": 'DOUBLE',
        "dropped_sum": 'DOUBLE',
        "end_date": 'VARCHAR',
        "energy": 'DOUBLE',
        "exercise_minutes": 'DOUBLE',
        "exercise_minutes_goal": 'DOUBLE',
        "in_bed_seconds": 'DOUBLE',
        "item_kind": 'VARCHAR',
        "long_session_count": 'BIGINT',
        "measure": 'VARCHAR',
        "move_minutes": 'DOUBLE',
        "move_minutes_goal": 'DOUBLE',
        "not_summed_count": 'BIGINT',
        "other_zone_count": 'BIGINT',
        "overlap_seconds": 'DOUBLE',
        "record_count": 'BIGINT',
        "rem_seconds": 'DOUBLE',
        "sample_type": 'VARCHAR',
        "seconds": 'DOUBLE',
        "session_count": 'BIGINT',
        "session_seconds": 'DOUBLE',
        "shared_seconds": 'DOUBLE',
        "source": 'STRUCT("bundle_identifier" VARCHAR, "source_name_hash" VARCHAR)',
        "source_count": 'BIGINT',
        "sources":
            'STRUCT("asleep_seconds" DOUBLE, "bundle_identifier" VARCHAR, "class" VARCHAR, "covered_seconds" DOUBLE, '
            '"dropped_sum" DOUBLE, "in_bed_seconds" DOUBLE, "rank" BIGINT, "record_count" BIGINT, '
            '"session_count" BIGINT, "session_seconds" DOUBLE, "source_name_hash" VARCHAR, "value_sum" DOUBLE)[]',
        "stage_day_count": 'BIGINT',
        "stand_hours": 'DOUBLE',
        "stand_hours_goal": 'DOUBLE',
        "start_date": 'VARCHAR',
        "unit": 'VARCHAR',
        "unspecified_seconds": 'DOUBLE',
        "value_max": 'DOUBLE',
        "value_mean": 'DOUBLE',
        "value_min": 'DOUBLE',
        "value_sum": 'DOUBLE',
        "workout_activity_type": 'BIGINT',
    },
    "type_manifest": {
        "defect_count": 'BIGINT',
        "item_count": 'BIGINT',
        "item_kind": 'VARCHAR',
        "items_hash": 'VARCHAR',
        "sample_type": 'VARCHAR',
    },
}
# The columns of a table of these items.
COLUMNS = {
    "record": {
        "sample_type": "text", "start_date": "text", "end_date": "text", "value_kind": "text",
        "numeric_value": "number", "unit": "text", "category_value": "integer", "workout_activity_type": "integer",
        "duration_seconds": "number", "source.bundle_identifier": "text", "source.product_type": "text",
        "source.version": "text", "source.operating_system_version": "text", "source.source_name_hash": "text",
        "source": "json", "device.model": "text", "device.hardware_version": "text",
        "device.firmware_version": "text", "device.software_version": "text", "device.device_hash": "text",
        "device.local_identifier_hash": "text", "device.manufacturer_hash": "text", "device.udi_hash": "text",
        "device": "json", "metadata": "json", "metadata_hash": "text", "created_observation_id": "integer",
        "payload_hash": "text", "sample_uuid_hash": "text", "strict_fingerprint": "text",
        "semantic_fingerprint": "text", "fuzzy_key": "text", "first_seen_at": "text",
        "first_seen_observation_id": "integer", "visibility": "json", "relationships": "json", "defects": "json",
        "item_hash": "text"
    },
    "sample": {
        "defects": "json", "events": "json", "first_seen_at": "text", "first_seen_observation_id": "integer",
        "fuzzy_key": "text", "relationships": "json", "sample_type": "text", "sample_uuid_hash": "text",
        "semantic_fingerprint": "text", "strict_fingerprint": "text", "visibility": "json", "item_hash": "text"
    },
    "version": {
        "sample_type": "text", "start_date": "text", "end_date": "text", "value_kind": "text",
        "numeric_value": "number", "unit": "text", "category_value": "integer", "workout_activity_type": "integer",
        "duration_seconds": "number", "source.bundle_identifier": "text", "source.product_type": "text",
        "source.version": "text", "source.operating_system_version": "text", "source.source_name_hash": "text",
        "source": "json", "device.model": "text", "device.hardware_version": "text",
        "device.firmware_version": "text", "device.software_version": "text", "device.device_hash": "text",
        "device.local_identifier_hash": "text", "device.manufacturer_hash": "text", "device.udi_hash": "text",
        "device": "json", "metadata": "json", "metadata_hash": "text", "created_observation_id": "integer",
        "payload_hash": "text", "sample_uuid_hash": "text", "strict_fingerprint": "text",
        "semantic_fingerprint": "text", "fuzzy_key": "text", "first_seen_at": "text",
        "first_seen_observation_id": "integer", "visibility": "json", "events": "json", "defects": "json",
        "item_hash": "text"
    },
    "shared_record": {
        "category_value": "integer", "created_observation_id": "integer", "defects": "json",
        "duration_seconds": "number", "end_date": "text", "first_seen_at": "text",
        "first_seen_observation_id": "integer", "metadata": "json", "numeric_value": "number", "sample_type": "text",
        "sample_uuid_hash": "text", "source.bundle_identifier": "text", "source.operating_system_version": "text",
        "source.product_type": "text", "source.source_name_hash": "text", "source.version": "text", "source": "json",
        "start_date": "text", "strict_fingerprint": "text", "unit": "text", "value_kind": "text",
        "visibility": "json", "workout_activity_type": "integer", "item_hash": "text"
    },
    "change": {
        "change": "text", "changed_fields": "json", "sample_type": "text", "before.start_date": "text",
        "before.end_date": "text", "before.value_kind": "text", "before.numeric_value": "number",
        "before.unit": "text", "before.category_value": "integer", "before.workout_activity_type": "integer",
        "before.duration_seconds": "number", "after.start_date": "text", "after.end_date": "text",
        "after.value_kind": "text", "after.numeric_value": "number", "after.unit": "text",
        "after.category_value": "integer", "after.workout_activity_type": "integer",
        "after.duration_seconds": "number", "before.source.bundle_identifier": "text",
        "before.source.product_type": "text", "before.source.version": "text",
        "before.source.operating_system_version": "text", "before.source.source_name_hash": "text",
        "before.source": "json", "before.device.model": "text", "before.device.hardware_version": "text",
        "before.device.firmware_version": "text", "before.device.software_version": "text",
        "before.device.device_hash": "text", "before.device.local_identifier_hash": "text",
        "before.device.manufacturer_hash": "text", "before.device.udi_hash": "text", "before.device": "json",
        "before.metadata": "json", "before.metadata_hash": "text", "before.created_observation_id": "integer",
        "before.payload_hash": "text", "after.source.bundle_identifier": "text", "after.source.product_type": "text",
        "after.source.version": "text", "after.source.operating_system_version": "text",
        "after.source.source_name_hash": "text", "after.source": "json", "after.device.model": "text",
        "after.device.hardware_version": "text", "after.device.firmware_version": "text",
        "after.device.software_version": "text", "after.device.device_hash": "text",
        "after.device.local_identifier_hash": "text", "after.device.manufacturer_hash": "text",
        "after.device.udi_hash": "text", "after.device": "json", "after.metadata": "json",
        "after.metadata_hash": "text", "after.created_observation_id": "integer", "after.payload_hash": "text",
        "sample_uuid_hash": "text", "strict_fingerprint": "text", "semantic_fingerprint": "text",
        "fuzzy_key": "text", "first_seen_at": "text", "first_seen_observation_id": "integer", "label": "text",
        "reasons": "json", "pair.kind": "text", "pair.keys": "json", "run_before": "text", "run_after": "text",
        "relationship_before": "json", "relationship_after": "json", "events": "json", "defects": "json",
        "item_hash": "text"
    },
    "comparison": {
        "sample_type": "text", "measure": "text", "method": "text", "window_start": "text", "window_end": "text",
        "crosses_bound": "boolean", "label": "text", "labels": "json", "reasons": "json", "replaced": "json",
        "left_over.before_count": "integer", "left_over.after_count": "integer", "look_alikes": "json",
        "standing": "text", "standing_reasons": "json", "appeared_count": "integer", "disappeared_count": "integer",
        "representation_changed_count": "integer", "relationship_appeared_count": "integer",
        "relationship_changed_count": "integer", "relationship_disappeared_count": "integer",
        "rejected_count": "integer", "withheld_count": "integer", "before.record_count": "integer",
        "before.value_count": "integer", "before.other_unit_count": "integer", "before.value_sum": "number",
        "before.value_mean": "number", "before.value_min": "number", "before.value_max": "number",
        "before.unit": "text", "before.parts": "json", "before.earliest_start_date": "text",
        "before.latest_end_date": "text", "before.interval_seconds": "number",
        "before.mean_interval_seconds": "number", "before.records_per_hour": "number",
        "after.record_count": "integer", "after.value_count": "integer", "after.other_unit_count": "integer",
        "after.value_sum": "number", "after.value_mean": "number", "after.value_min": "number",
        "after.value_max": "number", "after.unit": "text", "after.parts": "json",
        "after.earliest_start_date": "text", "after.latest_end_date": "text", "after.interval_seconds": "number",
        "after.mean_interval_seconds": "number", "after.records_per_hour": "number",
        "evidence.record_count_delta": "integer", "evidence.measure_delta": "number",
        "evidence.measure_kept": "boolean", "evidence.peaks_kept": "boolean", "evidence.coverage_overlap": "number",
        "evidence.common_seconds": "number", "evidence.covered_seconds_before": "number",
        "evidence.covered_seconds_after": "number", "evidence.instant_overlap": "number",
        "evidence.instants_before": "integer", "evidence.instants_within": "integer",
        "evidence.sources_compatible": "boolean", "evidence.metadata_compatible": "boolean",
        "evidence.visible_start": "text", "evidence.visible_end": "text", "signatures.condensed_again": "boolean",
        "signatures.equal_rate": "boolean", "signatures.equal_value": "boolean",
        "signatures.inside_workout": "boolean", "signatures.older_than_90_days": "boolean",
        "signatures.within_five_minutes": "boolean", "sources": "json", "item_hash": "text"
    },
    "finding": {
        "sample_type": "text", "finding": "text", "start_date": "text", "end_date": "text", "first_seen_at": "text",
        "first_seen_observation_id": "integer", "delay_seconds": "number", "record_count": "integer",
        "payload_count": "integer", "before_count": "integer", "after_count": "integer",
        "disappeared_count": "integer", "disappeared_share": "number", "elapsed_seconds": "number",
        "baseline_start": "text", "current_start": "text", "current_end": "text", "baseline_day_count": "integer",
        "current_day_count": "integer", "baseline_mean": "number", "current_mean": "number",
        "baseline_standard_deviation": "number", "current_standard_deviation": "number", "unit": "text",
        "measure": "text", "method": "text", "ratio": "number", "sample_uuid_hash": "text",
        "strict_fingerprint": "text", "semantic_fingerprint": "text", "payload_hash": "text",
        "source.bundle_identifier": "text", "source.product_type": "text", "source.source_name_hash": "text",
        "item_hash": "text"
    },
    "pair": {
        "sample_type": "text", "pair": "text", "level": "text", "law": "text", "outcome": "text",
        "start_date": "text", "end_date": "text", "measure_before": "number", "measure_after": "number",
        "residual": "number", "unit": "text", "tied": "boolean", "before": "json", "after": "json",
        "ambiguous_with": "json", "source.bundle_identifier": "text", "source.product_type": "text",
        "source.source_name_hash": "text", "key": "text", "item_hash": "text"
    },
    "day": {
        "sample_type": "text", "measure": "text", "date": "text", "completeness": "text", "category_value": "integer",
        "workout_activity_type": "integer", "value_sum": "number", "dropped_sum": "number", "value_mean": "number",
        "value_min": "number", "value_max": "number", "unit": "text", "seconds": "number", "energy": "number",
        "distance": "number", "active_energy": "number", "active_energy_goal": "number",
        "exercise_minutes": "number", "exercise_minutes_goal": "number", "move_minutes": "number",
        "move_minutes_goal": "number", "stand_hours": "number", "stand_hours_goal": "number",
        "asleep_seconds": "number", "deep_seconds": "number", "rem_seconds": "number", "core_seconds": "number",
        "unspecified_seconds": "number", "awake_seconds": "number", "in_bed_seconds": "number",
        "session_count": "integer", "session_seconds": "number", "long_session_count": "integer",
        "start_date": "text", "end_date": "text", "record_count": "integer", "not_summed_count": "integer",
        "other_zone_count": "integer", "overlap_seconds": "number", "shared_seconds": "number",
        "source_count": "integer", "source.bundle_identifier": "text", "source.source_name_hash": "text",
        "source": "json", "sources": "json", "day_start": "text", "day_seconds": "integer", "day_count": "integer",
        "asleep_day_count": "integer", "stage_day_count": "integer", "item_hash": "text"
    },
    "type_manifest": {
        "sample_type": "text", "item_count": "integer", "defect_count": "integer", "items_hash": "text",
        "item_hash": "text"
    },
}
# end
