#!/usr/bin/env python3
"""Writes Spec/examples/identity.json anew: worked examples of every hash of Spec/identity.md and of the aggregates of
Spec/capture.md. All values are synthetic. Run it by hand, on demand only."""
import json
import pathlib

import identity
from export_bundle import canonical
from verifier.identities import UNITS

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Spec" / "examples" / "identity.json"
SECRET = identity.Secret(bytes(range(32)), bytes(range(32, 64)).hex())

UUID = "0F0E0D0C-0B0A-4908-8706-050403020100"
HEART_RATE, STEPS = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount"
SLEEP, WORKOUT = "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier"
START = 946684800.0  # 2000-01-01T00:00:00.000Z
DEVICE = {"name": "Test Watch", "manufacturer": "Test Inc.", "model": "Watch", "hardware_version": "Watch0,0",
          "software_version": "1.0", "local_identifier": "local-1", "udi": "udi-1", "other": "creation date:2000-01-01 00:00:00 +0000"}
SOURCE = {"source_name_hash": SECRET.hmac(identity.source_name_preimage("Test Watch")), "version": "1.0"}
METADATA = canonical({"HKIndoorWorkout": "0", "hp:creation_delay_seconds": 3})
QUANTITY = {"value_kind": "quantity", "numeric_value": 61.5, "unit": "count/min", "start_date": START, "end_date": START + 0.25}


def columns(kind, start=START, seconds=60, **others):
    return {"value_kind": kind, "start_date": start, "end_date": start + seconds, **others}


def shown(values):
    """Columns with their dates as timestamps."""
    return {name: identity.timestamp(value) if name.endswith(("_date", "bucket_start", "bucket_end")) and value is not None else value
            for name, value in values.items() if value is not None}


def private(what, given, preimage):
    return {"of": what, "hash_class": "hmac-sha256", "input": given, "preimage": preimage, "hash": SECRET.hmac(preimage)}


def content(what, given, preimage):
    return {"of": what, "hash_class": "sha256", "input": given, "preimage": preimage, "hash": identity.sha256(preimage)}


def private_examples():
    yield private("samples.sample_uuid_hash", {"uuid": UUID}, identity.sample_uuid_preimage(UUID))
    for name in ("Test Watch", "Test Umlaut \u00dc \u5065\u5eb7", ""):
        yield private("sources.source_name_hash", {"name": name}, identity.source_name_preimage(name))
    for device in (DEVICE, {"name": "Test Phone"}):
        yield private("hk_devices.device_hash", device, identity.device_preimage(device))
    for name in ("manufacturer", "local_identifier", "udi"):
        yield private(f"hk_devices.{name}_hash", {name: DEVICE[name]}, f"hp:v2:{name}:" + DEVICE[name])
    for kind in ("health_store", "apple_health_export", "iphone_backup"):
        given = {"chain": SECRET.chain, "kind_of_source": kind}
        yield private("device_chains.device_chain_hash", given, identity.chain_preimage(SECRET.chain, kind))
    yield private("observation_type_runs.error_message_hash", {"message": "the query was cancelled"},
                  identity.error_message_preimage("the query was cancelled"))
    given = {"key": "HKDeviceSerialNumber", "value": "serial \"1\""}
    example = private("the value of a private metadata key", given, identity.private_metadata_preimage(**given))
    yield {**example, "stored": "hmac:" + example["hash"]}


def content_examples():
    yield content("metadata_blobs.metadata_hash", {"metadata_json": METADATA}, identity.metadata_preimage(METADATA))
    given = {"sample_type": HEART_RATE, **QUANTITY, "source": SOURCE, "device": identity.device_object(SECRET, DEVICE),
             "metadata_hash": identity.sha256(identity.metadata_preimage(METADATA))}
    yield content("sample_versions.payload_hash", shown(given), identity.payload_preimage(
        HEART_RATE, QUANTITY, given["source"], given["device"], given["metadata_hash"]))
    bare = columns("activity_summary", seconds=86400)
    yield content("sample_versions.payload_hash", shown({"sample_type": "HKActivitySummaryTypeIdentifier", **bare}),
                  identity.payload_preimage("HKActivitySummaryTypeIdentifier", bare, None, None, None))
    strict = identity.strict_preimage(HEART_RATE, QUANTITY, "com.example.watch")
    yield content("samples.strict_fingerprint, ordinal 0",
                  shown({"sample_type": HEART_RATE, **QUANTITY, "bundle_identifier": "com.example.watch"}), strict)
    energy = columns("quantity", numeric_value=2.5, unit="Cal")
    yield content("samples.strict_fingerprint, ordinal 0", shown({"sample_type": "HKQuantityTypeIdentifierActiveEnergyBurned", **energy}),
                  identity.strict_preimage("HKQuantityTypeIdentifierActiveEnergyBurned", energy, None))
    first = identity.sha256(strict)
    for ordinal in (1, 2):
        yield content(f"samples.strict_fingerprint, ordinal {ordinal}", {"alike": first, "ordinal": ordinal},
                      identity.alike_preimage(first, ordinal))
    given = {"sample_type": HEART_RATE, "sample_uuid_hash": SECRET.hmac(identity.sample_uuid_preimage(UUID))}
    yield content("samples.strict_fingerprint, known only by its deletion", given,
                  identity.unseen_preimage(HEART_RATE, given["sample_uuid_hash"]))
    given = [STEPS, HEART_RATE, "com.example.\u5065\u5eb7", HEART_RATE]
    yield content("observations.selected_type_set_hash", {"types": given}, identity.type_set_preimage(given))


FAMILIES = [
    ("quantity", HEART_RATE, QUANTITY),
    ("quantity", "HKQuantityTypeIdentifierBodyMass", columns("quantity", numeric_value=150.1, unit="lb")),
    ("quantity", "HKQuantityTypeIdentifierBodyTemperature", columns("quantity", numeric_value=98.6, unit="degF")),
    ("quantity", "HKQuantityTypeIdentifierHeight", columns("quantity", start=-0.5, seconds=0, numeric_value=1e39, unit="m")),
    ("cumulative quantity", STEPS, columns("quantity", start=START + 3599.5, numeric_value=12.0, unit="count")),
    ("cumulative quantity", "HKQuantityTypeIdentifierDietaryEnergyConsumed", columns("quantity", numeric_value=418.4, unit="kJ")),
    ("category", SLEEP, columns("category", category_value=3)),
    ("category", SLEEP, columns("category")),
    ("workout", WORKOUT, columns("workout", seconds=1800, workout_activity_type=37, duration_seconds=1790.5)),
    ("correlation", "HKCorrelationTypeIdentifierBloodPressure", columns("correlation", seconds=0)),
    ("correlation", HEART_RATE, columns("quantity", unit="count/min")),
    *(("quantity", HEART_RATE, columns("quantity", numeric_value=3.0, unit=unit)) for one in UNITS for unit in ((one, "degF") if one == "degC" else (one,))),
]


def family_examples():
    for name, sample_type, values in FAMILIES:
        preimage, fuzzy = identity.family(sample_type, values)
        given = shown({"sample_type": sample_type, **values})
        if preimage is None:
            yield {"of": f"samples.semantic_fingerprint, {name}", "input": given, "fuzzy_key": fuzzy}
        else:
            yield {**content(f"samples.semantic_fingerprint, {name}", given, preimage), "fuzzy_key": fuzzy}


def aggregate_examples():
    summary = {"visible_record_count": 3, "appeared_count": 2, "disappeared_count": 1, "representation_changed_count": 0,
               "earliest_start_date": START, "latest_end_date": START + 90.5, "value_sum": 180.25, "value_max": 61.5}
    empty = {**dict.fromkeys(summary, 0), "earliest_start_date": None, "latest_end_date": None, "value_sum": None, "value_max": None,
             "disappeared_count": 3}
    for row in (summary, empty):
        yield content("observation_type_summaries.aggregate_hash", shown({"sample_type": HEART_RATE, **row}),
                      identity.summary_preimage(HEART_RATE, row))
    bucket = {"bucket_start": START - 7200, "bucket_end": START + 79200, "visible_record_count": 3, "value_sum": 180.25, "value_max": 61.5}
    gone = {**bucket, "visible_record_count": 0, "value_sum": None, "value_max": None}
    for row, source in ((bucket, None), (bucket, SOURCE), (gone, SOURCE)):
        yield content("daily_type_aggregates.aggregate_hash", {**shown({"sample_type": HEART_RATE, **row}), **({"source": source} if source else {})},
                      identity.bucket_preimage(HEART_RATE, row, source))


def document():
    examples = [*private_examples(), *content_examples(), *family_examples(), *aggregate_examples()]
    return {"secret": SECRET.key.hex(), "chain": SECRET.chain, "examples": examples}


def main():
    OUTPUT.write_text(json.dumps(document(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
