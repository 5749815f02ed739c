"""HealthProbe files as frames of pandas 2.0 or later, with the columns of a table: `source.version` is one of them.

    from healthprobe.readers.for_pandas import read_hp
    read_hp("bundle.jsonl.zst")["numeric_value"].describe()
"""

import pandas

from . import items

# The columns of each kind of items: of those that have a table, the columns of the table.
# begin: made by Scripts/write-format
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
DTYPES = {"text": "string", "json": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


def read_hp(path):
    """A row per item of a bundle, a file of lines, a salvage or an envelope; of a table, see read_hp_csv."""
    if items.is_table(path):
        return read_hp_csv(path)
    cells, types, count = {}, {}, 0
    with open(path, "rb") as file:
        for count, (item, item_hash) in enumerate(items.read_items(file), 1):
            kind = item["item_kind"]
            for name, of in COLUMNS[kind].items():
                if name not in types:
                    types[name], cells[name] = of, [None] * (count - 1)
            for name, column in cells.items():
                column.append(item_hash if name == "item_hash" else cell(item, name, types[name]))
    return pandas.DataFrame({name: pandas.array(column, dtype=DTYPES[types[name]]) for name, column in cells.items()},
                            index=pandas.RangeIndex(count))


def cell(item, name, kind):
    """The value of a column, None where there is none. An object is told by its own column only where it is empty."""
    value = item
    for part in name.split("."):
        if part not in value:
            return None
        value = value[part]
    if kind != "json":
        return float(value) if kind == "number" else value
    is_listed_by_members = isinstance(value, dict) and name.rpartition(".")[2] in ("source", "device")
    return None if is_listed_by_members and value else items.json_text(value)


def read_hp_csv(path):
    """The rows of a table. What is JSON in a cell stays a text."""
    with open(path, "rb") as file:
        names = file.readline().decode().rstrip("\r\n").split(",")
    dtypes = {name: DTYPES[type_of(name)] for name in names}
    # Only of its plain doubles does pandas read every digit.
    first = {name: "float64" if of == "Float64" else of for name, of in dtypes.items()}
    frame = pandas.read_csv(path, dtype=first, keep_default_na=False, na_values=[""], float_precision="round_trip",
                            true_values=["true"], false_values=["false"])
    for name in names:
        if dtypes[name] == "string":
            frame[name] = frame[name].str.removeprefix("'")
    return frame.astype(dtypes)


def type_of(name):
    """The type of a column of a table."""
    found = ((items.INTEGERS, "integer"), (items.NUMBERS, "number"), (items.BOOLEANS, "boolean"))
    return next((kind for names, kind in found if name in names), "text")
