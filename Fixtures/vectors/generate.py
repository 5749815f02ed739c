"""Makes the vectors of bundles and salvages: small ones, each with exactly one fault or none.

All contents are synthetic. Nothing here is shared with a verifier: canonical JSON, hashes and
frames are written by code of its own, from Spec/. After an edit all outer hashes are computed
anew, unless the hash itself is the fault. `write.py` writes them to Spec/vectors.
"""

import calendar
import copy
import hashlib
import json
import re
import struct
import time

import zstandard

FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
TABLE_END = b"\xb1\xea\x92\x8f"
STEPS = "HKQuantityTypeIdentifierStepCount"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
WORKOUT = "HKWorkoutTypeIdentifier"
WATER = "HKQuantityTypeIdentifierDietaryWater"


# Canonical JSON

ESCAPED = re.compile('["\\\\\x00-\x1f]')
SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def string(text):
    return '"' + ESCAPED.sub(lambda found: SHORT.get(found[0]) or "\\u%04x" % ord(found[0]), text) + '"'


def number(value):
    """ECMAScript text: `%.17g` at the fewest digits that give the double back."""
    if isinstance(value, int) and abs(value) <= 2 ** 53:
        return str(value)
    value = float(value)
    digits, exponent = next(
        text for text in ("%.*e" % (count, value) for count in range(17)) if float(text) == value).split("e")
    sign, digits, exponent = "-" if value < 0 else "", digits.lstrip("-").replace(".", ""), int(exponent)
    digits = digits.rstrip("0") or "0"
    if 0 <= exponent < 21:
        whole, fraction = digits[:exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1:]
        return sign + whole + ("." + fraction if fraction else "")
    if -6 <= exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "e%+d" % exponent


def canonical(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return string(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
    return "{" + ",".join(string(name) + ":" + canonical(member) for name, member in pairs) + "}"


def sha(prefix, value):
    text = value if isinstance(value, str) else canonical(value)
    return hashlib.sha256((prefix + text).encode()).hexdigest()


# Evidence

def made_up(text):
    """A hash of nothing but a fixed text."""
    return hashlib.sha256(("synthetic " + text).encode()).hexdigest()


def record(sample_type=STEPS, day=1, name="a", **members):
    item = {
        "item_kind": "record", "sample_type": sample_type, "sample_uuid_hash": made_up("uuid " + name),
        "strict_fingerprint": made_up("strict " + name), "first_seen_at": "2024-03-01T08:00:00.000Z",
        "first_seen_observation_id": 1, "created_observation_id": 1, "payload_hash": made_up("payload " + name),
        "start_date": "2024-02-%02dT10:00:00.000Z" % day, "end_date": "2024-02-%02dT10:30:00.000Z" % day,
        "source": {"bundle_identifier": "org.example.synthetic", "version": "1.0", "operating_system_version": "1.2.3"},
        "device": {"model": "Synthetic1,1"}, "value_kind": "quantity", "numeric_value": 100 + day, "unit": "count",
        "visibility": [{"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z"}],
    }
    item.update({"metadata_hash": made_up("metadata")} if "metadata" in members else {})
    item.update(members)
    return {key: value for key, value in item.items() if value is not None}


def records():
    return [record(day=day, name=str(day)) for day in (1, 2, 3)]


def relationship(end, name, in_scope=True, sample_type=STEPS, **members):
    return {"end": end, "end_identity_hash": made_up("uuid " + name), "end_in_scope": in_scope, "observation_id": 1,
            "end_sample_type": sample_type, "relationship_kind": "synthetic_kind", **members}


def named_records(name):
    source = {**record()["source"], "source_name_hash": made_up(name)}
    return [record(day=day, name=str(day), source=source) for day in (1, 2, 3)]


def related():
    first, second, third = records()
    first["relationships"] = [relationship("target", "2")]
    second["relationships"] = [relationship("source", "1")]
    return [first, second, third]


def related_types():
    asleep, step = record(SLEEP, 1, "s"), record(name="1")
    asleep["relationships"] = [relationship("target", "1")]
    step["relationships"] = [relationship("source", "s", sample_type=SLEEP)]
    return [asleep, step]


def observation(number=1, **members):
    entry = {"id": number, "observed_at": "2024-03-%02dT08:00:00.000Z" % number, "status": "completed",
             "trigger_reason": "manual", "schema_version": 2, "app_version": "0.0.1",
             "time_zone_identifier": "Etc/UTC", "time_zone_seconds_from_gmt": 0}
    entry.update(members)
    return {key: value for key, value in entry.items() if value is not None}


def coverage(sample_type=STEPS, status="completed"):
    entry = {"sample_type": sample_type, "status": status}
    if status != "never_queried":
        entry.update(observation_id=1, inserted_event_count=3, deleted_event_count=0,
                     started_at="2024-03-01T08:00:00.000Z", ended_at="2024-03-01T08:00:01.500Z")
    return entry


def header(**members):
    export = {
        "archive_schema_version": 2, "coverage": [coverage()], "export_kind": "recovery_bundle", "filter": {},
        "device_chain": {"created_at": "2024-01-01T00:00:00.000Z", "device_chain_hash": made_up("chain"),
                         "recovered_from_keychain": 0},
        "format": "healthprobe-bundle", "format_version": 3, "observations": [observation()],
        "generator": {"name": "synthetic", "version": "1"}, "scope": {"mode": "point_in_time", "observation_id": 1},
    }
    export.update(members)
    return {key: value for key, value in export.items() if value is not None}


def version_item(day=1, name="a", **members):
    return record(day=day, name=name, item_kind="version", **{"events": [
        {"event_kind": "appeared", "evidence_kind": "query", "observation_id": 1,
         "observed_at": "2024-03-01T08:00:00.000Z"}], **members})


def sample_item(name="a", **members):
    keep = ("sample_type", "sample_uuid_hash", "strict_fingerprint", "first_seen_at", "first_seen_observation_id")
    item = {key: value for key, value in record(name=name).items() if key in keep}
    return {**item, "item_kind": "sample", **members}


def history():
    ended = [{"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": 2,
              "last_seen_at": "2024-03-02T08:00:00.000Z"}]
    names = sorted("12", key=lambda name: made_up("uuid " + name))
    return (header(scope={"mode": "history", "observation_id": 2}, observations=[observation(1), observation(2)]),
            [sample_item(name) for name in names] + [version_item(1, "1", visibility=ended), version_item(2, "2")])


def defect(pointer, reason, storage_class, value=None):
    entry = {"pointer": pointer, "reason": reason, "storage_class": storage_class, "value": value}
    return {key: member for key, member in entry.items() if member is not None}


# Content hashes, Spec/identity.md. What a family makes of a value and a unit is worked out by hand beside each item.

CONTENTS = ("category_value", "duration_seconds", "end_date", "numeric_value", "sample_type", "start_date", "unit",
            "value_kind", "workout_activity_type")


def chosen(item, names):
    return {name: item[name] for name in names if name in item}


def metadata_hash(metadata):
    return sha("hp:v2:metadata:", metadata)


def payload_hash(item):
    return sha("hp:v2:payload:", chosen(item, (*CONTENTS, "device", "metadata_hash", "source")))


def strict_fingerprint(item, ordinal=0):
    members = {**chosen(item, CONTENTS), **chosen(item.get("source", {}), ["bundle_identifier"])}
    if members.get("unit") == "Cal":
        members["unit"] = "kcal"
    first = sha("hp:v2:strict_fingerprint:", members)
    return sha("hp:v2:strict_fingerprint:", {"alike": first, "ordinal": ordinal}) if ordinal else first


def unseen_fingerprint(item):
    return sha("hp:v2:unseen_sample:", chosen(item, ("sample_type", "sample_uuid_hash")))


def whole_second(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


def semantic_fingerprint(item, family, **members):
    return sha("hp:v2:semantic_fingerprint:", {
        "family": family, "sample_type": item["sample_type"], "start": whole_second(item["start_date"]),
        "end": whole_second(item["end_date"]), **members})


def identified(item, family=None, ordinal=0, strict=None, semantic=None, **members):
    """An item whose hashes follow the rules; without a family it has no semantic fingerprint."""
    item = dict(item)
    if "metadata" in item:
        item["metadata_hash"] = metadata_hash(item["metadata"])
    item["payload_hash"] = payload_hash(item)
    item["strict_fingerprint"] = strict or strict_fingerprint(item, ordinal)
    if family or semantic:
        item["semantic_fingerprint"] = semantic or semantic_fingerprint(item, family, **members)
    return item


def in_order(items):
    return sorted(items, key=lambda item: (
        item["sample_type"].encode(), item.get("start_date", ""), item.get("end_date", ""),
        item.get("sample_uuid_hash", item["strict_fingerprint"]), item.get("payload_hash", "")))


def quantity(sample_type, day, value, unit, family="quantity", base_unit=None, base_value=None, **members):
    hashing = {name: members.pop(name) for name in ("ordinal", "strict", "semantic") if name in members}
    item = record("HKQuantityTypeIdentifier" + sample_type, day, "%s %d" % (sample_type, day), numeric_value=value, unit=unit,
                  **members)
    rules = {} if family is None else {"value": value if base_value is None else base_value}
    if rules and unit is not None:
        rules["unit"] = base_unit or unit
    return identified(item, family, **hashing, **rules)


def other_kind(sample_type, day, kind, family=None, rules=None, **members):
    item = record(sample_type, day, "%s %d" % (sample_type, day), value_kind=kind, numeric_value=None, unit=None, **members)
    return identified(item, family or kind, **rules or {})


def identified_items():
    before_1970 = {"start_date": "1969-12-31T23:59:58.250Z", "end_date": "1969-12-31T23:59:59.500Z"}
    alike = {"sample_uuid_hash": None, "start_date": "2024-02-05T10:00:00.000Z"}
    unseen = record(STEPS, 9, "unseen")
    items = [
        quantity("HeartRate", 1, 61.5, "count/min", metadata={"HKSynthetic": [None, 1e-7, "\u2028\"\n"], "\U0001f600": {}, "\ufb33": 0.1}),
        quantity("HeartRate", 2, 62, None, source=None, device=None),
        quantity("HeartRate", 3, 0.1, "\u00b5g/\"\n", base_value=0.10000000149011612, source={"bundle_identifier": "org.\u00e9\"\\\x01"}),
        quantity("HeartRate", 4, -1e-60, "count/min", base_value=0, metadata='{"b":1,"a":2}'),
        quantity("HeartRate", 5, 60, "count/min", metadata="line\n\"quoted\" \u00e4", device={"model": "\u00e4\t"}),
        quantity("BodyTemperature", 1, 98.6, "degF", base_unit="degC", base_value=37),
        quantity("BodyMass", 1, 150.1, "lb", base_unit="kg", base_value=68.08421325683594),
        quantity("Height", 1, 1e39, "m", None),
        quantity("Height", 2, 5.5, "ft", base_unit="m", base_value=1.6763999462127686, **before_1970),
        quantity("ActiveEnergyBurned", 1, 2.5, "Cal", "cumulative", "kcal"),
        quantity("DietaryEnergyConsumed", 1, 418.4, "kJ", "cumulative", "kcal", 100),
        quantity("DistanceWalkingRunning", 1, 1.5, "km", "cumulative", "m", 1500),
        quantity("DietaryWater", 1, 1e20, "fl_oz_us", "cumulative", "mL", 2.957352871607526e+21),
        *(quantity("StepCount", 5, 12, "count", "cumulative", ordinal=ordinal, **alike) for ordinal in (0, 1, 2, 4096)),
        identified({**unseen, "numeric_value": 7}, strict=unseen_fingerprint(unseen)),
        other_kind(SLEEP, 1, "category", rules={"category": 3}, category_value=3),
        other_kind(SLEEP, 2, "category"),
        other_kind(WORKOUT, 1, "workout", rules={"activity": 37}, workout_activity_type=37, duration_seconds=1790.5),
        other_kind(WORKOUT, 2, "workout"),
        other_kind("HKCorrelationTypeIdentifierBloodPressure", 1, "correlation"),
        other_kind("HKQuantityTypeIdentifierHeartRate", 6, "quantity", "correlation"),
        other_kind("HKActivitySummaryTypeIdentifier", 1, None, "correlation"),
        # nothing to hold the fingerprints, or the payload, against
        quantity("HeartRate", 7, 63, "count/min", created_observation_id=2, strict=made_up("first version"), semantic=made_up("first version")),
        record("HKQuantityTypeIdentifierHeartRate", 8, "d", numeric_value=None, metadata={"a": 1}, metadata_hash=metadata_hash({"a": 1}),
               defects=[defect("/numeric_value", "not_finite", "real", "7ff0000000000000")]),
        identified(record("HKQuantityTypeIdentifierHeartRate", 9, "e", first_seen_at=None, defects=[defect("/first_seen_at", "null", "null")])),
        record("HKQuantityTypeIdentifierHeartRate", 10, "f", source={"version": "1"},
               defects=[defect("/source/bundle_identifier", "utf8", "text", "ff")]),
        {**identified(record("HKQuantityTypeIdentifierHeartRate", 11, "g", defects=[defect("/metadata", "missing_row", "integer", "5")])),
         "payload_hash": made_up("with metadata")},
    ]
    return in_order(items)


def identity_header(items, **members):
    types = sorted({item["sample_type"] for item in items}, key=str.encode)
    return header(**{"identity_rules": 2, "coverage": [coverage(name) for name in types], **members})


def identified_history():
    """A sample with a second version, and one whose first observation was cut off and saw it in two versions."""
    changed, ended = quantity("HeartRate", 1, 61, "count/min"), {"last_observation_id": 2, "last_seen_at": "2024-03-02T08:00:00.000Z"}
    seen = record()["visibility"][0]

    def version(item, kind, observation=1, visibility=None, **members):
        event = {"event_kind": kind, "evidence_kind": "anchored_query", "observation_id": observation,
                 "observed_at": "2024-03-%02dT08:00:00.000Z" % observation}
        return identified({**item, "item_kind": "version", "events": [event], "visibility": visibility or [seen], **members},
                          strict=item["strict_fingerprint"], semantic=item["semantic_fingerprint"])

    items = [version(changed, "appeared", visibility=[{**seen, **ended}]),
             version(changed, "representation_changed", 2, numeric_value=62, created_observation_id=2,
                     visibility=[{"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z"}])]
    resumed = quantity("HeartRate", 2, 61, "count/min")
    items += [version(resumed, "appeared"), version(resumed, "representation_changed", numeric_value=63)]
    keep = ("sample_type", "sample_uuid_hash", "strict_fingerprint", "semantic_fingerprint", "first_seen_at", "first_seen_observation_id")
    items += [{**chosen(item, keep), "item_kind": "sample"} for item in (changed, resumed)]
    return (identity_header(items, scope={"mode": "history", "observation_id": 2}, observations=[observation(1), observation(2)]),
            in_order(items))


def write_private(add, item):
    hidden = "hmac:" + made_up("private")
    clear = {"HKWasUserEntered": 1, "diary": "of Ada", "hp:attribute:url": "x", "HKLink": "x", "HKexternalUUID": "x", "a": {"HKExternalUUID": "x"}, "Companion ID 2": "x"}
    good = item(**clear, **{"HKExternalUUID": hidden, "My Account": hidden, "user id": hidden, "COMPANION ID": hidden, "x\u0001Url": hidden})
    add("good-identity-private", "private values as hashes, and keys that are not private", "", [good])
    for name, what, metadata in (
            ("", "an account of another app in clear", {"My Account": "ada"}),
            ("-of-apple", "a private value of Apple's in clear", {"HKExternalUUID": "x"}),
            ("-null", "no value of a private key", {"HKUDIDeviceIdentifier": None}),
            ("-upper-case", "a hash in upper case", {"HKExternalUUID": hidden.upper().replace("HMAC", "hmac")}),
            ("-short", "a hash of 63 digits", {"HKExternalUUID": hidden[:-1]}),
            ("-long", "a hash of 65 digits", {"HKExternalUUID": hidden + "0"}),
            ("-without", "a hash without its prefix", {"HKExternalUUID": hidden[5:]}),
            ("-object", "an object for a private value", {"HKExternalUUID": {"a": hidden}}),
            ("-escaped", "a private key with an escape", {"user\u0001id": "x"}),
            ("-companion", "the identifier of a companion in clear", {"Companion device id": "x"})):
        add("item-private-metadata" + name, what, "item.private_metadata", [item(**metadata)])


def write_identity(folder):
    def add(name, what, codes, items, **members):
        folder.vector(name, what, codes, of_lines(lines(identity_header(items, **members), items)))

    items = identified_items()
    add("good-identity", "identity rules: every family, ordinals, an unseen sample, metadata as object and text, and what cannot be recomputed", "", items)
    folder.good("good-identity-history", "identity rules: versions after the first have the first one's fingerprints", of_lines(lines(*identified_history())))
    rate = quantity("HeartRate", 1, 61.5, "count/min", metadata={"a": 1})
    text = quantity("HeartRate", 1, 61.5, "count/min", metadata="text")
    unruled = quantity("HeartRate", 1, 61.5, "count/min", strict=made_up("other"))

    def fault(name, what, codes, item, **members):
        add("item-" + name, what, " ".join("item." + code for code in codes.split()), [item], **members)

    fault("metadata-hash", "metadata edited", "metadata_hash", {**rate, "metadata": {"a": 2}})
    fault("metadata-hash-text", "metadata that are text edited", "metadata_hash", {**text, "metadata": "texT"})
    fault("metadata-hash-other", "another metadata hash", "metadata_hash payload_hash", {**rate, "metadata_hash": made_up("other")})
    fault("metadata-hash-text-as-json", "metadata that are text, hashed as a JSON string", "metadata_hash",
          identified_with({**text, "metadata_hash": sha("hp:v2:metadata:", canonical("text"))}))
    write_private(add, lambda **metadata: quantity("HeartRate", 1, 61.5, "count/min", metadata=metadata))
    fault("payload-hash", "another payload hash", "payload_hash", {**rate, "payload_hash": made_up("other")})
    fault("payload-hash-upper-case", "a payload hash in upper case", "payload_hash", {**rate, "payload_hash": rate["payload_hash"].upper()})
    fault("payload-value", "a value edited", "payload_hash", {**rate, "numeric_value": 61})
    fault("payload-date", "an end edited", "payload_hash", {**rate, "end_date": "2024-02-01T10:30:00.001Z"})
    fault("payload-device", "a device edited", "payload_hash", {**rate, "device": {"model": "Synthetic1,2"}})
    fault("payload-source-removed", "a source removed", "payload_hash", {key: value for key, value in rate.items() if key != "source"})
    fault("payload-defect-elsewhere", "a value edited, beside a defect of something else", "payload_hash", {
        **{key: value for key, value in rate.items() if key != "first_seen_at"}, "numeric_value": 61,
        "defects": [defect("/first_seen_at", "null", "null")]})
    fault("strict-fingerprint", "another strict fingerprint", "strict_fingerprint", {**rate, "strict_fingerprint": made_up("other")})
    fault("strict-value", "a value edited, with the payload hash", "strict_fingerprint", identified_with({**rate, "numeric_value": 61}))
    fault("strict-bundle", "another app, with the payload hash", "strict_fingerprint", identified_with({**rate, "source": {"bundle_identifier": "org.example.other"}}))
    fault("strict-calories", "Cal that was not hashed as kcal", "strict_fingerprint", quantity(
        "ActiveEnergyBurned", 1, 2.5, "Cal", "cumulative", "kcal", strict=sha("hp:v2:strict_fingerprint:", {
            **chosen(quantity("ActiveEnergyBurned", 1, 2.5, "Cal"), CONTENTS), "bundle_identifier": "org.example.synthetic"})))
    fault("strict-ordinal-65537", "an ordinal beyond 65536", "strict_fingerprint", quantity("HeartRate", 1, 61.5, "count/min", ordinal=65537))
    last = [quantity("HeartRate", 1, 60 + index, "count/min", ordinal=65536, sample_uuid_hash=made_up("alike %d" % index)) for index in range(16)]
    add("good-identity-ordinals", "sixteen ordinals 65536, which take all that are tried", "", in_order(last))
    add("item-alike-limit", "an ordinal 1 after them", "item.alike_limit", [*in_order(last), quantity("HeartRate", 2, 61.5, "count/min", ordinal=1)])
    fault("strict-unseen", "an unseen sample with another UUID", "strict_fingerprint", quantity(
        "HeartRate", 1, 61.5, "count/min", strict=unseen_fingerprint(record("HKQuantityTypeIdentifierHeartRate", name="other"))))
    fault("semantic-fingerprint", "another semantic fingerprint", "semantic_fingerprint", {**rate, "semantic_fingerprint": made_up("other")})
    fault("semantic-family", "the fingerprint of another family", "semantic_fingerprint", quantity("StepCount", 1, 12, "count"))
    fault("semantic-unit", "a value that is not in the base unit", "semantic_fingerprint", quantity("BodyMass", 1, 150.1, "lb"))
    fault("semantic-value", "a value that is not rounded to binary32", "semantic_fingerprint", quantity("HeartRate", 1, 0.1, "count"))
    fault("semantic-infinite", "a fingerprint where the value is beyond binary32", "semantic_fingerprint", quantity("Height", 1, 1e39, "m"))
    export, versions = identified_history()
    wrong = [{**item, "strict_fingerprint": made_up("other"), "sample_uuid_hash": item["sample_uuid_hash"]} if item.get("events", [{}])[0].get(
        "event_kind") == "appeared" and item["start_date"].startswith("2024-02-01") else item for item in versions]
    folder.vector("item-strict-version", "another strict fingerprint of a first version in a history", "item.strict_fingerprint", of_lines(lines(export, wrong)))
    made = lines(identity_header([rate]), [rate])
    made[1] = made[1].replace(b'"numeric_value":61.5', b'"numeric_value":61')
    folder.vector("item-value-edited-identity", "a value edited under identity rules, all hashes as before", "item.hash", of_lines(made))
    entry = {"archive": made_up("archive"), "link": made_up("link"), "sequence": 3}
    add("good-history-entry", "a header with the entry of the archive's history", "", [rate], history=entry)
    for name, what, code, value in (
            ("sequence", "an entry of the history with the sequence 0", "value", {**entry, "sequence": 0}),
            ("link", "an entry of the history whose link is no hash", "value", {**entry, "link": "x"}),
            ("archive", "an entry of the history without the archive", "member_missing", {name: entry[name] for name in ("link", "sequence")}),
            ("kind", "an entry of the history with its kind", "member_unknown", {**entry, "kind": "sealed"})):
        add("shape-header-history-" + name, what, "shape." + code, [rate], history=value)
    add("good-identity-absent", "a wrong fingerprint where the header states no rules", "", [unruled], identity_rules=None)
    for name, what, code, value in (("1", "rules of unreleased builds", "value", 1), ("3", "rules of another version", "value", 3), ("fraction", "rules 1.5", "value", 1.5), ("text", "rules as text", "type", "2")):
        add("shape-header-identity-rules-" + name, "identity " + what, "shape." + code, [rate], identity_rules=value)


def identified_with(item):
    """The same item with a payload hash that follows from its other members."""
    return {**item, "payload_hash": payload_hash(item)}


def provenance(item):
    payload = item.get("item_kind") != "sample"
    source, device = item.get("source"), item.get("device")
    source = source if isinstance(source, dict) else None
    device = device if isinstance(device, dict) else None
    hashed = ("device_hash", "local_identifier_hash", "manufacturer_hash", "udi_hash")
    ends = [entry.get("end_in_scope") for entry in item.get("relationships", []) if isinstance(entry, dict)]
    raised = {
        "device_absent": payload and device is None,
        "device_identifiers_hashed": device is not None and any(name in device for name in hashed),
        "metadata_as_text": isinstance(item.get("metadata"), str),
        "operating_system_version_absent": source is not None and "operating_system_version" not in source,
        "payload_absent": payload and "payload_hash" not in item,
        "relationship_end_not_in_scope": False in ends,
        "sample_uuid_absent": "sample_uuid_hash" not in item,
        "source_absent": payload and source is None,
        "source_name_hashed": source is not None and "source_name_hash" in source,
        "source_version_absent": source is not None and "version" not in source,
    }
    return [code for code, holds in raised.items() if holds]


def totals_of(export, items):
    types = []
    for item in items:
        name = item.get("sample_type")
        entry = next((entry for entry in types if entry.get("sample_type") == name), None)
        if entry is None:
            entry = {"defect_count": 0, "item_count": 0, "provenance_loss": {}, "sample_type": name}
            if name is None:
                del entry["sample_type"]
            types.append(entry)
        entry["item_count"] += 1
        entry["defect_count"] += len(item.get("defects", []))
        for code in provenance(item):
            entry["provenance_loss"][code] = entry["provenance_loss"].get(code, 0) + 1
    count = len(export.get("defects", [])) + sum(entry["defect_count"] for entry in types)
    return {"defect_count": count, "item_count": len(items), "types": types}


def lines(export=None, items=None, totals=None, export_id=None, item_hashes=None, manifest_hash=None):
    """The lines of a bundle without their LF; every hash follows from the rest unless it is given."""
    export = copy.deepcopy(header() if export is None else export)
    items = records() if items is None else items
    raw = bytearray(hashlib.sha256(("hp:v2:export_id:" + canonical(export)).encode()).digest()[:16])
    raw[6], raw[8] = 0x80 | raw[6] & 15, 0x80 | raw[8] & 63
    export["export_id"] = export_id or re.sub("(.{8})(.{4})(.{4})(.{4})", r"\1-\2-\3-\4-", raw.hex())
    hashes = [sha("hp:v2:export_item:", item) for item in items]
    hashes = [(item_hashes or {}).get(index, value) for index, value in enumerate(hashes)]
    totals = totals_of(export, items) if totals is None else totals
    preimage = '{"export":%s,"items":%s,"totals":%s}' % tuple(map(canonical, (export, hashes, totals)))
    manifest_hash = manifest_hash or sha("hp:v2:export_manifest:", preimage)
    return [text.encode() for text in (
        '{"export":%s}' % canonical(export),
        *('{"item":%s,"item_hash":"%s"}' % (canonical(item), value) for item, value in zip(items, hashes)),
        '{"manifest_hash":"%s","totals":%s}' % (manifest_hash, canonical(totals)))]


def salvage(items=None, export=True, account=(), salvage_hash=None, totals=None, without=(), **members):
    """The lines of a salvage; its manifest is that of one more item."""
    items = records()[:2] if items is None else items
    made = lines(items=records())
    inner = {
        "account": list(account), "account_count": len(account), "format": "healthprobe-salvage", "format_version": 3,
        "generator": {"name": "synthetic", "version": "0.0.1"},
        "source": {"sha256": made_up("damaged file"), "size": 1234}, "export": json.loads(made[0])["export"] if export is True else export,
        "manifest": json.loads(made[-1]), "missing": missing_of(items),
    }
    if not export:
        del inner["export"], inner["manifest"], inner["missing"]
    inner.update(members)
    for name in without:
        del inner[name]
    return salvage_lines(inner, items, salvage_hash, totals)


def missing_of(items):
    """What is not among the items, of three of one type; an item that is there twice counts once."""
    count = 3 - len({canonical(item) for item in items if item.get("sample_type") == STEPS})
    return {"item_count": count, "types": [{"item_count": count, "sample_type": STEPS}] if count else []}


def salvage_lines(inner, items, salvage_hash=None, totals=None):
    """The lines of a salvage with this header; every hash follows from the rest unless it is given."""
    hashes = [sha("hp:v2:export_item:", item) for item in items]
    totals = totals_of({}, items) if totals is None else totals
    preimage = '{"items":%s,"salvage":%s,"totals":%s}' % tuple(map(canonical, (hashes, inner, totals)))
    salvage_hash = salvage_hash or sha("hp:v2:salvage:", preimage)
    return [text.encode() for text in (
        '{"salvage":%s}' % canonical(inner),
        *('{"item":%s,"item_hash":"%s"}' % (canonical(item), value) for item, value in zip(items, hashes)),
        '{"salvage_hash":"%s","totals":%s}' % (salvage_hash, canonical(totals)))]


# Container

def blocks_of(text, level=3):
    """The blocks and the content checksum that the library makes of a text, without a header."""
    data = zstandard.ZstdCompressor(level=level, write_checksum=True, write_content_size=True).compress(text)
    descriptor = data[4]
    single = descriptor >> 5 & 1
    length = 5 + (not single) + (single, 2, 4, 8)[descriptor >> 6]
    return data[length:-4], data[-4:]


def raw_blocks(text, size=100):
    parts = [text[at:at + size] for at in range(0, len(text), size)] or [b""]
    return b"".join(struct.pack("<I", (at == len(parts) - 1) | len(part) << 3)[:3] + part
                    for at, part in enumerate(parts))


def frame(text, level=3, blocks=None, checksum=True, size=-1, window=None, dictionary=None, bits=0):
    """A frame of our own: a single segment of four size bytes unless a window is given."""
    made, check = blocks_of(text, level)
    size = len(text) if size == -1 else size
    single = window is None and size is not None
    wide = size is not None and size >= 1 << 32
    descriptor = (0 if size is None else 3 if wide else 2) << 6 | single << 5 | bool(checksum) << 2 | bits
    head = FRAME_MAGIC
    if dictionary is not None:
        descriptor |= 3
    head += bytes([descriptor])
    if not single:
        head += bytes([0x58 if window is None else window])
    if dictionary is not None:
        head += struct.pack("<I", dictionary)
    if size is not None:
        head += struct.pack("<Q" if wide else "<I", size)
    return head + (made if blocks is None else blocks) + (b"" if not checksum else check if checksum is True else checksum)


def skippable(content, magic=0x184D2A50, size=None):
    return struct.pack("<II", magic, len(content) if size is None else size) + content


def table(entries, count=None, descriptor=0, end=TABLE_END, magic=0x184D2A5E, size=None, extra=b""):
    body = b"".join(struct.pack("<II", *entry) for entry in entries) + extra
    body += struct.pack("<IB", len(entries) if count is None else count, descriptor) + end
    return skippable(body, magic, size)


def texts_of(made):
    """The frames' texts: header, items, manifest."""
    parts = [made[:1], made[1:-1], made[1:][-1:]]
    return [b"".join(line + b"\n" for line in part) for part in parts if part]


def bundle(frames, sizes, **options):
    return b"".join(frames) + table([(len(data), size) for data, size in zip(frames, sizes)], **options)


def of_texts(texts, **options):
    return bundle([frame(text, **options) for text in texts], [len(text) for text in texts])


def of_lines(made):
    return of_texts(texts_of(made))


class Folder:
    """Names the vectors of bundles and salvages."""

    def __init__(self, shelves):
        self.shelves = shelves

    def vector(self, name, what, codes, data, document="bundle"):
        self.shelves.add(name, ".jsonl.zst", document, what, codes, data)

    def good(self, name, what, data):
        self.vector(name, what, "", data)


def write_good(folder):
    good = folder.good
    good("good-minimal", "one item", of_lines(lines(items=[record()])))
    texts = texts_of(lines(items=[record()]))
    good("good-minimal-raw", "one item in raw blocks, so that every byte of the file matters", bundle(
        [frame(text, blocks=raw_blocks(text, 1000)) for text in texts], list(map(len, texts))))
    good("good-empty", "no items", of_lines(lines(items=[])))
    good("good-records", "three records of one type", of_lines(lines()))
    good("good-point-in-time", "several types, relationships, defects, metadata, every provenance code", of_lines(rich()))
    good("good-history", "samples and versions of a history", of_lines(lines(*history())))
    good("good-filtered", "every filter at once", of_lines(lines(header(filter={
        "sample_types": [STEPS], "since": "2024-02-01T10:00:00.000Z", "sources": ["org.example.synthetic"],
        "until": "2024-02-03T10:00:00.001Z"}))))
    good("good-overlapping", "a record that began before the filter and lasts into it", of_lines(lines(header(filter={
        "overlapping": True, "since": "2024-02-01T10:29:59.999Z"}))))
    good("good-source-names", "records of sources that are named by hashes", of_lines(lines(header(filter={
        "source_names": sorted([made_up("name"), made_up("other name")]), "sources": ["org.example.synthetic"]}),
        named_records("name"))))
    good("good-with-related", "a record and another that it is linked to, which the filter does not select", of_lines(lines(header(
        filter={"until": "2024-02-02T00:00:00.000Z", "with_related": True}), related()[:2])))
    good("good-with-related-type", "a record of another type that the selected one is linked to", of_lines(lines(header(
        coverage=[coverage(SLEEP), coverage()], filter={"sample_types": [STEPS], "with_related": True}), related_types())))
    known = {"mode": "anchored", "state": "unknown", "last_verified_observation_id": 1, "stated_count": 4, "withheld_count": 2, "discontinuity": "anchor_before"}
    good("good-coverage-state", "what a capture noted of a run", of_lines(lines(header(coverage=[{**coverage(), **known}]))))
    good("good-never-queried", "a filter names a type that nobody asked for", of_lines(lines(header(
        coverage=[coverage(WATER, "never_queried")], filter={"sample_types": [WATER]}), [])))
    texts = texts_of(lines())
    good("good-level-19", "compressed at another level", of_texts(texts, level=19))
    good("good-raw-blocks", "raw blocks of 100 bytes", bundle(
        [frame(text, blocks=raw_blocks(text)) for text in texts], map(len, texts)))
    good("good-window", "frames with a window of 8 MiB", of_texts(texts, window=0x68))
    good("good-one-frame-per-line", "each line has a frame", of_texts([line + b"\n" for line in lines()]))
    good("good-dictionary-zero", "a dictionary id of 0 names no dictionary", of_texts(texts, dictionary=0))
    empty = b"\0\0\0" * 15000
    good("good-empty-blocks", "15,000 empty blocks before the header's own", bundle(
        [frame(texts[0], blocks=empty + blocks_of(texts[0])[0]), *map(frame, texts[1:])], map(len, texts)))
    good("good-metadata-keys", "NFC and NFD spellings are two keys; UTF-16 order is not UTF-8 order", of_lines(lines(items=[
        record(metadata={"\u00e4": "nfc", "a\u0308": "nfd", "\U0001f600": 1, "\ufb33": 2, "": None, "z": [True, {}]},
               metadata_hash=made_up("metadata"))])))
    good("good-metadata-deep", "metadata 64 deep is an object", of_lines(lines(items=[record(metadata=nested(64))])))
    good("good-metadata-text-deep", "metadata 65 deep is text", of_lines(lines(items=[
        record(metadata=canonical(nested(65)))])))
    good("good-metadata-key-8-mib", "a key of 8 MiB", of_texts(texts_of(lines(items=[
        record(metadata={"k" * (8 << 20): 1})])), window=0x68))
    good("good-numbers", "extreme numbers", of_lines(lines(items=[
        record(day=day, name=str(day), numeric_value=value) for day, value in enumerate((
            5e-324, 1e21, 2 ** 53 - 1, -(2 ** 53) + 1, 1e-6, 1e-7, 1.7976931348623157e308, 1e20, 0.1, -1.5), 1)])))
    good("good-timestamps", "three to nine digits, before 1970, the first and the last second", of_lines(lines(items=[
        record(day=1, name=str(at), start_date=text, end_date="9999-12-31T23:59:59.000Z") for at, text in enumerate((
            "0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.500Z", "1969-12-31T23:59:59.999999999Z",
            "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.123456789Z", "1970-01-02T00:00:00.12345678Z",
            "2000-02-29T00:00:00.1234Z", "2023-11-14T22:13:20.123Z", "2023-11-14T22:13:20.12345Z",
            "2023-11-14T22:13:20.1234567Z", "2024-01-01T00:00:00.123456Z"))])))
    good("good-defects", "stored values that canonical JSON cannot carry", of_lines(lines(
        header(observations=[observation(notes=None)], defects=[defect("/observations/0/notes", "utf8", "text", "ff00")]),
        [{key: value for key, value in record(name="1", defects=[defect("/payload_hash", "no_version", "null")]).items() if key not in (
             "payload_hash", "start_date", "end_date", "created_observation_id", "source", "device",
             "value_kind", "numeric_value", "unit")},
         record(day=1, name="0", start_date=None, numeric_value=None, defects=[
            defect("/numeric_value", "not_finite", "real", "7ff0000000000000"),
            defect("/start_date", "date_range", "real", "7e37e43c8800759c")]),
         record(day=2, name="2", category_value=None, defects=[
             defect("/category_value", "integer_range", "integer", "-9223372036854775808")])])))
    good("good-hash-as-found", "evidence hashes are carried as found, also in upper case and empty", of_lines(lines(items=[
        record(day=1, payload_hash="ABCDEF", sample_uuid_hash="", metadata={"a": 1}, metadata_hash="x")])))
    good("good-order-tie", "two items tie on every sort key", of_lines(lines(items=[
        record(numeric_value=2), record(numeric_value=1)])))
    good("good-relationship-to-itself", "a sample that is related to itself carries both ends", of_lines(lines(items=[
        record(name="1", relationships=[relationship("source", "1"), relationship("target", "1")])])))
    ended = [sample_item("1", relationships=[relationship("target", "2", ended_observation_id=2), relationship("target", "9", False)]),
             sample_item("2", relationships=[relationship("source", "1", ended_observation_id=2)])]
    good("good-relationship-ended", "a relationship that ended, in a history", of_lines(lines(
        history()[0], sorted(ended, key=lambda item: item["sample_uuid_hash"]))))
    two = [record(day=1, name="1", relationships=[relationship("target", "2")]),
           record(day=2, name="1", payload_hash=made_up("other payload"), relationships=[relationship("target", "2")]),
           record(day=3, name="2", relationships=[relationship("source", "1")])]
    good("good-relationship-two-records", "a sample with two visible versions repeats its relationship", of_lines(lines(items=two)))
    good("good-end-before-start", "an end before its start is carried as found", of_lines(lines(items=[
        record(day=3, end_date="2024-02-01T00:00:00.000Z")])))
    forged = [record(day=day, name=str(day), numeric_value=day * 7) for day in (1, 2, 3)]
    note = "all hashes follow the forgery, so it is self-consistent; only an archive can tell: "
    good("forgery-value", note + "other values", of_lines(lines(items=forged)))
    good("forgery-item-dropped", note + "the last item dropped", of_lines(lines(items=records()[:2])))
    good("forgery-item-added", note + "an item added", of_lines(lines(items=records() + [record(day=4, name="4")])))
    good("forgery-date", note + "another observation date", of_lines(lines(header(
        observations=[observation(observed_at="2024-03-05T08:00:00.000Z")]))))
    good("forgery-nfd", note + "a unit changed from NFC to NFD", of_lines(lines(items=[record(unit="a\u030a")])))
    good("forgery-coverage", note + "a type run that failed said to be completed, in the header alone", of_lines(lines(header(
        coverage=[coverage(SLEEP), coverage()]))))


def nested(depth):
    value = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


def rich():
    asleep = record(SLEEP, 1, "s1", value_kind="category", numeric_value=None, unit=None, category_value=3,
                    device={"device_hash": made_up("device"), "model": "Synthetic1,1"},
                    metadata='{"b":1,"a":2}', metadata_hash=made_up("metadata 1"))
    bare = record(SLEEP, 2, "s2", value_kind="category", numeric_value=None, unit=None, category_value=-1,
                  source=None, device=None, sample_uuid_hash=None, metadata={"HKSynthetic": None, "list": [1, "\u2028"]},
                  defects=[defect("/device", "missing_row", "integer", "77")])
    lost = {key: value for key, value in record(SLEEP, 3, "s3").items() if key in (
        "item_kind", "sample_type", "sample_uuid_hash", "strict_fingerprint", "first_seen_at",
        "first_seen_observation_id", "visibility")}
    lost["defects"] = [defect("/payload_hash", "no_version", "null")]
    walk = record(STEPS, 4, "q1", source={"source_name_hash": made_up("name")},
                  relationships=[relationship("target", "w1", sample_type=WORKOUT)])
    workout = record(WORKOUT, 5, "w1", value_kind="workout", workout_activity_type=37, duration_seconds=1800.25,
                     numeric_value=None, unit=None, visibility=[
                         {"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z"},
                         {"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z"}],
                     relationships=[relationship("source", "q1"),
                                    relationship("target", "gone", False, WATER, metadata={"n": 1}, metadata_hash=made_up("metadata 2"), observation_id=2)])
    export = header(scope={"mode": "point_in_time", "observation_id": 2}, observations=[observation(2, notes="\u00e4\"\\\n\x01")],
                    coverage=[coverage(SLEEP), coverage(WATER, "never_queried"), coverage(STEPS, "partial"), coverage(WORKOUT)])
    export["coverage"].sort(key=lambda entry: entry["sample_type"].encode())
    items = [lost, asleep, bare, walk, workout]
    return lines(export, items)


def write_container(folder):
    made = lines()
    texts = texts_of(made)
    sizes = [len(text) for text in texts]
    frames = [frame(text) for text in texts]
    whole = bundle(frames, sizes)
    start_of_table = sum(map(len, frames))

    def add(name, what, codes, data):
        folder.vector("container-" + name, what, " ".join("container." + code if "." not in code else code
                                                          for code in codes.split()), data)

    def second(name, what, codes, replaced, size=None):
        parts = [frames[0], replaced, frames[2]]
        add(name, what, codes, bundle(parts, [sizes[0], sizes[1] if size is None else size, sizes[2]]))

    add("empty", "no bytes", "empty", b"")
    add("gzip", "a gzip header", "not_zstd", b"\x1f\x8b\x08\0" + bytes(20))
    add("plain-text", "a text that is no report", "not_zstd", b"synthetic " + b"".join(texts))
    add("magicless", "the first frame has lost its magic", "not_zstd", whole[4:])
    add("legacy", "a frame of zstd 0.7", "not_zstd", b"\x27" + whole[1:])
    add("garbage-before", "a byte before the first frame", "not_zstd", b"\0" + whole)
    add("magic-only", "nothing but the magic of a frame", "truncated", FRAME_MAGIC)
    add("three-bytes", "nothing but three bytes of a magic", "truncated", FRAME_MAGIC[:3])
    second("reserved-bit", "a reserved bit in a frame header", "frame_header", frame(texts[1], bits=8))
    second("unused-bit", "the unused bit in a frame header", "frame_header", frame(texts[1], bits=16))
    second("magic-broken", "the second frame's magic is damaged", "frame_header", b"\x29" + frames[1][1:])
    second("dictionary", "a dictionary id", "dictionary", frame(texts[1], dictionary=7))
    second("window-24", "a window of 16 MiB", "window", frame(texts[1], window=14 << 3))
    second("window-just-over", "a window of 9 MiB", "window", frame(texts[1], window=13 << 3 | 1))
    second("window-41", "a window of 2^41 bytes", "window", frame(texts[1], window=31 << 3))
    second("window-single-segment", "a single segment that states 2^63 bytes", "window", frame(texts[1], size=1 << 63))
    second("block-over-window", "a compressed block that holds more text than the frame's window of 1 KiB", "frame_corrupt", frame(texts[1], window=0))
    second("reserved-block", "a block of the reserved type", "frame_corrupt", frame(texts[1], blocks=b"\x07\0\0"))
    second("block-too-large", "a raw block of 2 MiB less one", "frame_corrupt", frame(texts[1], blocks=b"\xf9\xff\xff"))
    broken = bytearray(frames[1])
    broken[12:40] = bytes(28)
    add("overlap", "three frames that the seek table names and whose blocks lead to one end", "checksum frame_corrupt seek_table_mismatch", overlapping(texts))
    second("blocks-broken", "28 zero bytes in the compressed block", "frame_corrupt", bytes(broken))
    broken = bytearray(frames[0])
    broken[12:40] = bytes(28)
    add("header-frame-broken", "28 zero bytes in the header's frame", "frame_corrupt",
        bundle([bytes(broken), *frames[1:]], sizes))
    broken = bytearray(frames[2])
    broken[12:40] = bytes(28)
    add("manifest-frame-broken", "28 zero bytes in the manifest's frame", "frame_corrupt",
        bundle([*frames[:2], bytes(broken)], sizes))
    second("checksum-flipped", "a bit of a content checksum", "checksum", frames[1][:-1] + bytes([frames[1][-1] ^ 1]))
    content = bytearray(frame(texts[1], blocks=raw_blocks(texts[1])))
    content[content.index(b"count") + 1] ^= 1
    second("content-flipped", "a bit of the text in a raw block; its checksum is the old one", "checksum", bytes(content))
    second("checksum-missing", "no content checksum", "checksum_missing", frame(texts[1], checksum=False))
    second("content-size-missing", "no content size", "content_size_missing", frame(texts[1], size=None))
    second("content-size-less", "a content size that is too small by one", "content_size", frame(texts[1], size=sizes[1] - 1))
    second("content-size-more", "a content size that is too large by one", "content_size", frame(texts[1], size=sizes[1] + 1))
    second("content-size-10", "a single segment that states ten bytes", "content_size", frame(texts[1], size=10))
    second("content-size-huge", "a content size of 2^63 beside a small window", "content_size",
           frame(texts[1], size=1 << 63, window=0x58))
    for cut in (1, 3, 4, 5, 16):
        add("table-cut-%d" % cut, "the last %d bytes missing" % cut, "truncated", whole[:-cut])
    add("cut-in-manifest-frame", "cut off in the manifest's frame", "truncated", whole[:start_of_table - 10])
    add("cut-in-header-frame", "cut off in the header's frame", "truncated", whole[:40])
    add("cut-in-frame-header", "cut off in a frame header", "truncated", whole[:len(frames[0]) + 6])
    add("cut-half", "the second half missing", "truncated", whole[:len(whole) // 2])
    add("cut-between-frames", "only header and items are left", "seek_table_missing line.manifest_missing", b"".join(frames[:2]))
    add("header-frame-only", "only the header's frame is left", "seek_table_missing line.manifest_missing", frames[0])
    add("seek-table-missing", "no seek table", "seek_table_missing", b"".join(frames))
    entries = [(len(data), size) for data, size in zip(frames, sizes)]
    body = b"".join(frames)
    add("seek-table-descriptor", "a descriptor byte of 4", "seek_table", body + table(entries, descriptor=4))
    add("seek-table-checksums", "a table that says it has checksums", "seek_table", body + table(entries, descriptor=0x80))
    add("seek-table-magic", "another magic in the footer", "seek_table", body + table(entries, end=b"\xb1\xea\x92\x8e"))
    add("seek-table-frame-magic", "a table in another kind of skippable frame", "seek_table", body + table(entries, magic=0x184D2A50))
    add("seek-table-count-more", "a footer that counts one frame more", "seek_table", body + table(entries, count=4))
    add("seek-table-count-huge", "a footer that counts 2^32-1 frames", "seek_table", body + table(entries, count=2 ** 32 - 1))
    add("seek-table-size-less", "a table whose frame states eight bytes less", "seek_table", body + table(entries, size=25))
    add("seek-table-size-more", "a table whose frame states eight bytes more", "seek_table", body + table(entries, size=41))
    add("seek-table-extra", "a byte between entries and footer", "seek_table", body + table(entries, extra=b"\0"))
    wrong = [entries[0], (entries[1][0], entries[1][1] + 1), entries[2]]
    add("seek-table-text-size", "a wrong decompressed size", "seek_table_mismatch", body + table(wrong))
    wrong = [(entries[0][0] + 1, entries[0][1]), (entries[1][0] - 1, entries[1][1]), entries[2]]
    add("seek-table-frame-size", "two wrong compressed sizes that add up", "seek_table_mismatch", body + table(wrong))
    add("seek-table-frame-missing", "a table without the last frame", "seek_table_mismatch", body + table(entries[:2]))
    add("seek-table-frame-added", "a table with a frame too many", "seek_table_mismatch", body + table(entries + [(0, 0)]))
    add("seek-table-without-room", "a block that reaches beyond the file, and a table of more frames than the file has room for", "truncated",
        frames[0] + FRAME_MAGIC + frames[1][4:9] + b"\xfd\xff\x0f" + table([(len(frames[0]) + 12, sizes[0])] + [(0, 0)] * 200))
    add("seek-table-swapped", "a table with two entries swapped", "seek_table_mismatch", body + table([entries[1], entries[0], entries[2]]))
    for name, what, extra in (("newline", "a line end", b"\n"), ("nul", "a NUL", b"\0"), ("magic", "a bare magic", FRAME_MAGIC),
                              ("garbage", "garbage", b"synthetic garbage"), ("frame", "another frame", frames[1]),
                              ("bundle", "the bundle again", whole), ("seek-table", "the seek table again", whole[start_of_table:]),
                              ("skippable", "another skippable frame", skippable(b"note"))):
        add("trailing-" + name, what + " after the seek table", "trailing", whole + extra)
    add("garbage-between", "garbage between two frames", "trailing", frames[0] + b"garbage!" + whole[len(frames[0]):])
    add("skippable-before", "a skippable frame before the first", "skippable", skippable(b"note") + whole)
    add("skippable-between", "a skippable frame between two frames", "skippable",
        frames[0] + skippable(b"note", 0x184D2A5F) + whole[len(frames[0]):])
    add("skippable-like-table", "a skippable frame with the magic of a seek table between two frames", "skippable",
        frames[0] + skippable(b"note", 0x184D2A5E) + whole[len(frames[0]):])
    add("skippable-4-gib", "a skippable frame that states 4 GiB", "skippable",
        frames[0] + skippable(b"", size=2 ** 32 - 1) + whole[len(frames[0]):])
    add("skippable-instead", "another skippable frame where the seek table should be", "skippable seek_table_missing",
        body + skippable(b"note"))
    add("seek-table-first", "a seek table of no frames before everything", "trailing", table([]) + whole)
    void = frame(b"")
    add("frame-empty", "a frame without text", "frame_empty", bundle([frames[0], void, *frames[1:]], [sizes[0], 0, *sizes[1:]]))
    add("frame-empty-many", "2,500 frames without text", "frame_empty",
        bundle([frames[0], *[void] * 2500, *frames[1:]], [sizes[0], *[0] * 2500, *sizes[1:]]))
    middle = sizes[1] // 2
    split = [texts[0], texts[1][:middle], texts[1][middle:], texts[2]]
    add("frame-line-end", "a frame that ends within a line", "frame_line_end", of_texts(split))
    split = [texts[0], texts[1][:-1], b"\n", texts[2]]
    add("frame-line-end-only", "a line end that has its own frame", "frame_line_end", of_texts(split))
    for name, what, unit in (("zeros", "1 GiB of zeros", bytes(1 << 20)), ("string", "a string of 1 GiB", b"a" * (1 << 20)),
                             ("brackets", "1 GiB of brackets", b"[" * (1 << 20))):
        first = b'{"item":{"fuzzy_key":"' if name == "string" else b""
        second("bomb-" + name, what + " in one frame", "frame_limit", bomb(unit, 1024, first), 1 << 30)
    second("bomb-newlines", "256 MiB of line ends in one frame", "frame_limit", bomb(b"\n" * (1 << 20), 256), 1 << 28)
    second("bomb-stated-small", "1 GiB of zeros in a frame that states 100 bytes", "frame_limit",
           bomb(bytes(1 << 20), 1024, size=100), 100)


def overlapping(texts):
    """Frames that a seek table names and whose blocks all lead to one end, where the checksum of none of them is right."""
    made = [frame(text) for text in texts]
    head = FRAME_MAGIC + bytes([0x84, 0]) + struct.pack("<I", 1)
    size = len(head) + 3
    starts = [head + struct.pack("<I", size * ahead << 3)[:3] for ahead in (2, 1, 0)]
    starts[-1] += struct.pack("<I", 1 | 1 << 3)[:3] + b"x" + bytes(4)
    return bundle([made[0], *starts, *made[1:]], [len(texts[0]), 1, 1, 1, *map(len, texts[1:])])


def bomb(unit, count, first=b"", last=b"", size=None):
    """A frame of `first`, `count` times `unit` and `last`, compressed piece by piece."""
    total = len(first) + len(unit) * count + len(last) if size is None else size
    parameters = zstandard.ZstdCompressionParameters.from_level(9, window_log=20, write_checksum=True, write_content_size=False)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    parts = [compressor.compress(first)] + [compressor.compress(unit) for _ in range(count)]
    data = b"".join(parts) + compressor.compress(last) + compressor.flush()
    assert data[4] == 4, "window descriptor, no size, checksum"
    return FRAME_MAGIC + bytes([0x84]) + data[5:6] + struct.pack("<I", total) + data[6:]


def of_damaged_lines(more, last=b""):
    """A bundle with as many damaged items as its bytes leave room for beside header and manifest, and so many more.

    They stand behind the manifest, where they have one finding in all.
    """
    size = 0
    while True:
        damaged = b'{"item":0}\n' * (16384 + size // 64 - 2 + more) + last
        data = of_texts([*texts_of(lines()), damaged])
        if len(data) // 64 == size // 64:
            return data
        size = len(data)


def write_line(folder):
    made = lines()

    def add(name, what, codes, changed):
        folder.vector("line-" + name, what, codes, of_lines(changed))

    texts = texts_of(made)
    limit = bomb(b"a" * (1 << 20), 65, b'{"item":{"fuzzy_key":"', b'"}}\n')
    size = 65 * (1 << 20) + 26
    folder.vector("line-limit", "a line of 65 MiB in a frame of less than 66 MiB", "line.limit",
                  bundle([frame(texts[0]), limit, frame(texts[2])], [len(texts[0]), size, len(texts[2])]))
    add("blank", "a blank line between items", "line.blank", made[:2] + [b""] + made[2:])
    add("blank-first", "a blank line before the header", "line.blank", [b""] + made)
    add("blank-last", "a blank line after the manifest", "line.blank", made + [b""])
    folder.vector("line-blank-million", "a million blank lines", "line.blank",
                  of_texts([texts[0], texts[1] + b"\n" * 1000000, texts[2]]))
    folder.vector("line-damaged-limit-reached", "as many lines besides undamaged items as a file may have",
                  "line.after_manifest", of_damaged_lines(0))
    folder.vector("line-damaged-limit", "as many, then two blank ones, and a seek table that is cut off",
                  "line.after_manifest line.damaged_limit", of_damaged_lines(0, b"\n\n")[:-1])
    folder.vector("line-unterminated", "the last line has no LF", "line.unterminated", of_texts([*texts[:2], texts[2][:-1]]))
    folder.vector("line-zstd-in-zstd", "a bundle in one raw block of another frame", "line.unterminated", nested_zstd(texts))
    add("header-missing", "no header", "line.header_missing", made[1:])
    add("header-second", "the header stands on the second line", "line.header_missing", [made[1], made[0], *made[2:]])
    add("header-repeated", "the header stands again between items", "line.header_repeated", made[:2] + made[:1] + made[2:])
    add("header-repeated-other", "a header that excludes the items stands again between them", "line.header_repeated",
        made[:2] + lines(header(filter={"until": "2024-01-01T00:00:00.000Z"}))[:1] + made[2:])
    add("header-repeated-damaged", "a header without its scope, then one that excludes the items", "line.header_repeated shape.member_missing",
        lines(header(scope=None))[:1] + lines(header(filter={"until": "2024-01-01T00:00:00.000Z"}))[:1] + made[1:])
    add("manifest-missing", "no manifest", "line.manifest_missing", made[:-1])
    add("header-only", "nothing but a header", "line.manifest_missing", made[:1])
    add("manifest-only", "nothing but a manifest", "line.header_missing", made[-1:])
    folder.vector("line-nothing", "a seek table and no frame", "line.header_missing line.manifest_missing", table([]))
    add("after-manifest-item", "an item after the manifest", "line.after_manifest", made + made[1:2])
    add("after-manifest-again", "the whole text twice", "line.after_manifest", made + made)
    add("after-manifest-swapped", "the last item and the manifest swapped", "line.after_manifest", made[:-2] + [made[-1], made[-2]])
    add("after-manifest-text", "a line that is no JSON after the manifest", "canonical.syntax", made + [b"synthetic"])
    add("kind-unknown", "an object of another kind", "line.kind", made[:2] + [b'{"other":1}'] + made[2:])
    add("kind-empty", "an empty object", "line.kind", made[:2] + [b"{}"] + made[2:])
    add("kind-array", "an array", "line.kind", made[:2] + [b"[]"] + made[2:])
    add("kind-order", "null between two items out of order", "line.kind order.items", [made[0], made[2], b"null", made[1], made[-1]])
    add("kind-null", "null", "line.kind", made[:2] + [b"null"] + made[2:])


def nested_zstd(texts):
    """A frame whose text is a bundle of raw blocks and holds no LF but inside the last line."""
    inner = frame(texts[0].replace(b"\n", b""), blocks=raw_blocks(texts[0].replace(b"\n", b"")))
    text = inner.replace(b"\n", b"")
    return of_texts([text])


def write_canonical(folder):
    made = lines(items=[record(day=1, name="1", unit="a/b", fuzzy_key="k\n\u00e4", numeric_value=1.5,
                               metadata={"a": 1, "c": "d", "e": [1, 2]}), *records()[1:]])

    def add(name, what, code, old, new, line=1):
        assert made[line].count(old) == 1, (name, made[line].count(old))
        changed = list(made)
        changed[line] = changed[line].replace(old, new)
        folder.vector("canonical-" + name, what, "canonical." + code, of_lines(changed))

    def whole(name, what, code, new, line=1):
        changed = list(made)
        changed[line] = new
        folder.vector("canonical-" + name, what, "canonical." + code, of_lines(changed))

    number, unit, key = b'"numeric_value":1.5', b'"unit":"a/b"', b'"fuzzy_key":"k\\n\xc3\xa4"'
    for name, what, code, text in (
        ("plus", "a number with a plus sign", "syntax", b"+1.5"), ("leading-zero", "a leading zero", "syntax", b"01.5"),
        ("trailing-zero", "1.50", "number", b"1.50"), ("exponent", "15e-1", "number", b"15e-1"), ("integral", "1.0", "number", b"1.0"),
        ("upper-exponent", "1E+22", "number", b"1E+22"), ("minus-zero", "-0", "number", b"-0"), ("one-e-zero", "1e0", "number", b"1e0"),
        ("exponent-no-sign", "1e22", "number", b"1e22"), ("large-plain", "1e21 in plain notation", "number", b"1000000000000000000000"),
        ("small-plain", "1e-7 in plain notation", "number", b"0.0000001"), ("underflow", "1e-400", "number", b"1e-400"),
        ("last-digit", "one digit more than the double needs", "number", b"0.10000000000000001"),
        ("not-a-double", "2^53+1", "number", b"9007199254740993"), ("overflow", "1e+999", "number_range", b"1e+999"),
        ("overflow-negative", "-1e+309", "number_range", b"-1e+309"), ("5000-digits", "a number of 5,000 digits", "number_range", b"9" * 5000),
        ("long-fraction", "a fraction of 5,000 digits", "number", b"0." + b"3" * 5000),
        ("nan", "NaN", "syntax", b"NaN"), ("infinity", "Infinity", "syntax", b"Infinity"), ("point", "a number that ends with its point", "syntax", b"1."),
        ("hex", "a hexadecimal number", "syntax", b"0x10"), ("literal-case", "True", "syntax", b"True"),
    ):
        add("number-" + name, what, code, number, b'"numeric_value":' + text)
    for name, what, code, text in (
        ("slash", "an escaped slash", "escape", b'"unit":"a\\/b"'), ("letter", "a letter escaped", "escape", b'"unit":"\\u0061/b"'),
        ("upper-hex", "\\u001F", "escape", b'"unit":"\\u001F"'), ("short", "\\u000a instead of \\n", "escape", b'"unit":"\\u000a"'),
        ("pair", "a surrogate pair as escapes", "escape", b'"unit":"\\ud83d\\ude00"'), ("delete", "an escaped U+007F", "escape", b'"unit":"\\u007f"'),
        ("surrogate-high", "a lone high surrogate", "surrogate", b'"unit":"\\ud800"'), ("surrogate-low", "a lone low surrogate", "surrogate", b'"unit":"\\udc00"'),
        ("surrogate-two-high", "two high surrogates", "surrogate", b'"unit":"\\ud800\\ud800"'),
        ("unknown", "an escape that JSON does not have", "syntax", b'"unit":"\\x61"'), ("cut", "an escape of three digits", "syntax", b'"unit":"\\u006"'),
    ):
        add("escape-" + name, what, code, unit, text)
    for name, what, code, text in (
        ("ff", "a byte FF", "utf8", b'"unit":"\xff"'), ("overlong", "an overlong NUL", "utf8", b'"unit":"\xc0\x80"'),
        ("surrogate", "an encoded surrogate", "utf8", b'"unit":"\xed\xa0\x80"'), ("cut", "a sequence that is cut off", "utf8", b'"unit":"\xe2\x82"'),
        ("too-high", "a character above U+10FFFF", "utf8", b'"unit":"\xf4\x90\x80\x80"'), ("latin-1", "a Latin-1 letter", "utf8", b'"unit":"\xe4b"'),
        ("control", "a raw tab in a string", "syntax", b'"unit":"a\tb"'), ("nul", "a raw NUL in a string", "syntax", b'"unit":"a\0b"'),
    ):
        add("bytes-" + name, what, code, unit, text)
    for name, what, old, new in (
        ("after-colon", "a blank after a colon", unit, b'"unit": "a/b"'), ("before-colon", "a blank before a colon", unit, b'"unit" :"a/b"'),
        ("before-key", "a tab before a key", unit, b"\t" + unit), ("in-array", "a blank in an array", b'"e":[1,2]', b'"e":[1, 2]')):
        add("white-space-" + name, what, "white_space", old, new)
    whole("white-space-first", "a blank before an item", "white_space", b" " + made[1])
    whole("white-space-last", "a blank after an item", "white_space", made[1] + b" ")
    whole("white-space-header", "a blank in the header", "white_space", made[0].replace(b'"filter":{}', b'"filter":{ }'), 0)
    whole("white-space-manifest", "a blank in the manifest", "white_space", made[-1].replace(b'"totals":', b'"totals": '), -1)
    add("number-exponent-cut", "a number that breaks off behind its e, in no canonical form before", "syntax", number, b'"numeric_value":1.0ex')
    add("number-then-letter", "a number in another form, and a letter behind it", "number", number, b'"numeric_value":1.0x')
    add("escape-surrogate-no-hex", "a high surrogate, and an escape that is none", "surrogate", unit, b'"unit":"\\ud800\\uZ"')
    add("bytes-in-number", "a byte FF after the point of a number", "utf8", number, b'"numeric_value":1.\xff')
    add("bytes-in-literal", "a byte FF in a literal", "utf8", number, b'"numeric_value":nul\xff')
    add("bytes-in-escape", "a byte FF in an escape", "utf8", unit, b'"unit":"\\u00\xff0"')
    folder.vector("canonical-carriage-return", "CR LF line ends", "canonical.white_space", of_lines([line + b"\r" for line in made]))
    add("duplicate-key", "a key twice", "duplicate_key", unit, unit + b"," + unit)
    add("duplicate-key-apart", "a key again after others", "key_order", b'"e":[1,2]', b'"e":[1,2],"a":1')
    add("duplicate-key-escaped", "a key twice, once with an escape", "duplicate_key", unit, unit + b',"\\u0075nit":"a/b"')
    add("key-order", "two members swapped", "key_order", b'"a":1,"c":"d"', b'"c":"d","a":1')
    add("key-order-utf8", "keys in the order of their UTF-8 bytes", "key_order", b'"a":1,',
        '"a":1,"\ufb33":1,"\U0001f600":1,'.encode().replace(b'"a":1,', b"") )
    whole("key-order-line", "item_hash before item", "key_order", swapped_line(made[1]))
    add("trailing-comma", "a comma before a bracket", "syntax", b'"e":[1,2]', b'"e":[1,2,]')
    add("comma-missing", "no comma between members", "syntax", b'"a":1,"c"', b'"a":1"c"')
    add("single-quotes", "single quotes", "syntax", unit, b"\"unit\":'a/b'")
    add("key-not-text", "a key that is a number", "syntax", b'"a":1', b"1:1")
    whole("unfinished", "a line that ends in the middle", "syntax", made[1][:-20])
    whole("unfinished-pair", "a line that ends between the halves of a surrogate pair", "syntax", made[1][:made[1].index(b'"unit":"') + 8] + b"\\ud83d\\ud")
    whole("surrogate-cut", "a line that ends behind a high surrogate, in an escape that is no low one", "surrogate",
          made[1][:made[1].index(b'"unit":"') + 8] + b"\\ud83d\\u00")
    whole("bytes-unfinished", "a line that ends inside a UTF-8 sequence", "utf8", made[1][:made[1].index(b'"unit":"') + 8] + b"\xe2\x82")
    whole("two-values", "two objects on a line", "syntax", made[1] + b"{}")
    whole("text", "a line that is no JSON", "syntax", b"synthetic")
    whole("byte-order-mark", "a byte order mark before the header", "byte_order_mark", b"\xef\xbb\xbf" + made[0], 0)
    wide = "".join(line.decode() + "\n" for line in made).encode("utf-16-be")
    folder.vector("canonical-utf-16", "UTF-16 with a byte order mark", "canonical.syntax canonical.utf8",
                  of_texts([b"\xfe\xff" + wide]))
    deep = b'{"item":{"metadata":' + b'{"a":' * 511 + b"1" + b"}" * 511 + b"}}"
    whole("depth-513", "513 levels", "depth", deep)
    whole("depth-20000", "20,000 levels", "depth", b'{"item":' + b"[" * 20000 + b"]" * 20000 + b"}")
    texts = texts_of(made)
    for name, what, code, unit_bytes, count in (
        ("bomb-brackets", "64 MiB of brackets in a line", "depth", b"[" * (1 << 20), 64),
        ("bomb-digits", "a number of 64 M digits", "number_range", b"9" * (1 << 20), 63)):
        data = bomb(unit_bytes, count, b"", b"\n")
        folder.vector("canonical-" + name, what, "canonical." + code, bundle(
            [frame(texts[0]), data, frame(texts[2])], [len(texts[0]), (count << 20) + 1, len(texts[2])]))


def swapped_line(line):
    at = line.rindex(b',"item_hash"')
    return b"{" + line[at + 1:-1] + b"," + line[1:at] + b"}"


def write_shape(folder):
    def add(name, what, code, export=None, items=None, **given):
        folder.vector("shape-" + name, what, "shape." + code, of_lines(lines(export, items, **given)))

    def item(name, what, code, **members):
        add(name, what, code, items=[record(name="1", **members), *records()[1:]])

    def line(name, what, code, old, new, at=1):
        made = lines()
        assert made[at].count(old) == 1, name
        made[at] = made[at].replace(old, new)
        folder.vector("shape-" + name, what, "shape." + code, of_lines(made))

    def totals(name, what, code, **members):
        counted = totals_of(header(), records())
        add(name, what, code, totals={key: value for key, value in {**counted, **members}.items() if value is not None})

    add("format-version-4", "format version 4", "format_version", header(format_version=4))
    add("format-version-minus", "format version -1", "format_version", header(format_version=-1))
    add("format-version-0", "format version 0", "format_version", header(format_version=0))
    add("format-other", "another format", "format_version", header(format="another-bundle"))
    folder.vector("shape-format-version-second", "an item, then a header of format version 4", "line.header_missing shape.format_version",
                  of_lines(lines()[1:2] + lines(header(format_version=4))))
    add("format-version-text", "a format version that is text", "type", header(format_version="3"))
    add("format-version-missing", "no format version", "member_missing", header(format_version=None))
    for name in ("coverage", "device_chain", "scope", "filter", "generator", "observations", "export_kind", "archive_schema_version"):
        add("header-without-" + name.replace("_", "-"), "no " + name, "member_missing", header(**{name: None}))
    add("header-member-unknown", "an unknown member of the header", "member_unknown", header(extra=1))
    add("header-null", "a null in the header", "type", {**header(), "archive_schema_version": None})
    add("header-coverage-type", "coverage that is an object", "type", header(coverage={}))
    add("header-export-kind", "another export kind", "value", header(export_kind="something"))
    add("header-scope-mode", "another scope mode", "value", header(scope={"mode": "all", "observation_id": 1}))
    add("header-observations-none", "no observations", "value", header(observations=[]))
    add("header-observation-other", "an observation that is not the scope's", "value", header(observations=[observation(2)]))
    add("header-observations-two", "two observations at a point in time", "value",
        header(observations=[observation(1), observation(2)], scope={"mode": "point_in_time", "observation_id": 2}))
    add("header-coverage-other", "a filter by types that coverage does not follow", "value", header(filter={"sample_types": [WATER, STEPS]}))
    add("header-since", "a filter by a date without a time", "value", header(filter={"since": "2024-01-01"}))
    add("header-related-history", "a history that follows links", "value", {**history()[0], "filter": {"with_related": True}}, items=history()[1])
    add("header-related-coverage", "a type of the filter that coverage does not have", "value", header(filter={"sample_types": [STEPS, WATER], "with_related": True}))
    add("header-source-name", "a filter by a name instead of its hash", "value", header(filter={"source_names": ["My watch"]}))
    add("header-overlapping", "a filter that overlaps with a text", "type", header(filter={"overlapping": "true"}))
    for name, what, text in (("path", "a path", "../../etc/synthetic"), ("newline", "a line end", "\n"),
                             ("upper-case", "upper case", "ABCDEF01-2345-8789-8123-456789ABCDEF"),
                             ("version-4", "version 4", "abcdef01-2345-4789-8123-456789abcdef"),
                             ("variant", "another variant", "abcdef01-2345-8789-c123-456789abcdef")):
        add("export-id-" + name, "an export id with " + what, "value", export_id=text)
    item("item-member-unknown", "an unknown member of an item", "member_unknown", extra="x")
    item("item-member-of-other-kind", "events in a record", "member_unknown", events=[
        {"event_kind": "appeared", "observation_id": 1, "observed_at": "2024-03-01T08:00:00.000Z"}])
    item("item-member-of-other-kind-type", "events that are text, in a record", "member_unknown", events="x")
    item("record-range-end-type", "the end of a range in a record, as text", "member_unknown", visibility=[
        {"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": "x"}])
    item("source-member-unknown", "an unknown member of a source", "member_unknown", source={"name": "x"})
    item("record-range-end", "the end of a range in a record", "member_unknown", visibility=[
        {"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": 2}])
    for name in ("start_date", "payload_hash", "sample_type", "strict_fingerprint", "visibility", "item_kind"):
        item("item-without-" + name.replace("_", "-"), "no " + name, "member_missing", **{name: None})
    item("range-without-start", "a range without its first observation", "member_missing",
         visibility=[{"first_seen_at": "2024-03-01T08:00:00.000Z"}])
    item("item-kind", "another item kind", "value", item_kind="thing")
    item("value-as-text", "a value as text", "type", numeric_value="1.5")
    item("integer-as-boolean", "true for an integer", "type", category_value=True)
    item("integer-fraction", "a fraction for an integer", "value", category_value=1.5)
    item("integer-range", "2^53", "value", category_value=2 ** 53)
    item("device-as-text", "a device as text", "type", device="x")
    item("text-nul", "a text that holds U+0000", "value", unit="a\0b")
    made = records()
    made[0]["unit"] = None
    add("item-null", "a null in an item", "type", items=made)
    for name, what, text in (("offset", "an offset instead of Z", "2024-02-01T10:00:00.000+00:00"), ("second-60", "second 60", "2024-02-01T10:00:60.000Z"),
                             ("hour-24", "hour 24", "2024-02-01T24:00:00.000Z"), ("no-fraction", "no fraction", "2024-02-01T10:00:00Z"),
                             ("four-digits", "a digit more than needed", "2024-02-01T10:00:00.0000Z"), ("february-30", "30 February", "2024-02-30T10:00:00.000Z"),
                             ("not-nearest", "digits that are not the nearest", "2023-11-14T22:13:20.12345671Z"), ("year-0", "the year 0", "0000-02-01T10:00:00.000Z"),
                             ("ten-digits", "ten fraction digits", "1970-01-01T00:00:00.1234567891Z"), ("lower-case", "a lower-case z", "2024-02-01T10:00:00.000z"),
                             ("digits", "digits that are not ASCII", "\u0662024-02-01T10:00:00.000Z"), ("newline", "a line end behind it", "2024-02-01T10:00:00.000Z\n")):
        item("timestamp-" + name, "a timestamp with " + what, "value", start_date=text)
    item("visibility-type", "visibility that is a number", "type", visibility=5)
    item("visibility-empty", "an empty array of ranges", "value", visibility=[])
    item("defects-empty", "an empty array of defects", "value", defects=[])
    item("defect-reason", "another defect reason", "value", unit=None, defects=[defect("/unit", "odd", "text", "00")])
    item("defect-value", "a defect of a REAL with 15 digits", "value", numeric_value=None,
         defects=[defect("/numeric_value", "not_finite", "real", "7ff000000000000")])
    item("defect-null-with-value", "a defect of NULL with a value", "value", unit=None, defects=[defect("/unit", "null", "null", "00")])
    item("defects-order", "defects out of order", "value", unit=None, numeric_value=None, defects=[
        defect("/unit", "utf8", "text", "ff"), defect("/numeric_value", "not_finite", "real", "7ff0000000000000")])
    later = {"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z"}
    item("visibility-order", "ranges out of order", "value", visibility=[later, record()["visibility"][0]])
    item("relationships-order", "relationships out of order", "value", relationships=[
        relationship("target", "9", False), relationship("source", "9", False)])
    item("relationship-ended-text", "the observation that ended a relationship as text", "type", relationships=[
        relationship("target", "9", False, ended_observation_id="2")])
    item("relationship-end", "another end", "value", relationships=[relationship("middle", "9", False)])
    item("metadata-deep", "metadata 65 deep as an object", "value", metadata=nested(65))
    item("metadata-text-canonical", "metadata as text that is a canonical object", "value", metadata='{"a":1}')
    item("metadata-number", "metadata that is a number", "type", metadata=1)
    good = sha("hp:v2:export_item:", records()[0])
    for name, what, text in (("upper-case", "in upper case", good.upper().replace("0", "A")), ("63-digits", "of 63 digits", good[1:]),
                             ("8-digits", "of 8 digits", good[:8]), ("empty", "without digits", ""), ("prefix", "with a prefix", "sha256:" + good),
                             ("blank", "with a blank", good + " ")):
        add("hash-" + name, "an item hash " + what, "value", item_hashes={0: text})
    line("item-hash-missing", "no item hash", "member_missing", b',"item_hash":"' + good.encode() + b'"', b"")
    line("item-hash-null", "an item hash that is null", "type", b'"' + good.encode() + b'"', b"null")
    line("line-member-unknown", "an unknown member beside the item", "member_unknown", b'{"item":', b'{"a":1,"item":')
    line("line-two-kinds", "an item with totals", "member_unknown", good.encode() + b'"}', good.encode() + b'","totals":{}}')
    line("item-array", "an item that is an array", "type", canonical(records()[0]).encode(), b"[]")
    add("header-scope-defect", "no scope, and a defect that points to it: only stored values have defects", "member_missing",
        header(scope=None, defects=[defect("/scope", "null", "null")]))
    item("relationship-end-defect", "no end, and a defect that points to it: only stored values have defects", "member_missing",
         relationships=[{key: value for key, value in relationship("target", "9", False).items() if key != "end"}],
         defects=[defect("/relationships/0/end", "null", "null")])
    add("manifest-hash-short", "a manifest hash of 63 digits", "value", manifest_hash=made_up("x")[1:])
    totals("totals-without-item-count", "no item count", "member_missing", item_count=None)
    totals("totals-member-unknown", "an unknown member of the totals", "member_unknown", extra=0)
    totals("totals-text", "a count that is text", "type", item_count="3")
    totals("totals-negative", "a count of -1", "value", item_count=-1)
    totals("totals-2-63", "a count of 2^63", "value", item_count=float(2 ** 63))
    counted = totals_of(header(), records())["types"][0]
    totals("totals-loss-zero", "a provenance code that no item raises", "value", types=[{**counted, "provenance_loss": {"device_absent": 0}}])
    made = lines()
    made[-1] = made[-1].replace(b'"item_count":3,"types"', b'"item_count":null,"types"')
    folder.vector("shape-totals-null", "a count that is null", "shape.type", of_lines(made))


def write_upper(folder):
    def add(name, what, codes, export=None, items=None, **given):
        folder.vector(name, what, codes, of_lines(lines(export, items, **given)))

    add("item-hash", "another item hash; the manifest follows it", "item.hash", item_hashes={1: made_up("other")})
    made = lines()
    made[2] = made[2].replace(b'"numeric_value":102', b'"numeric_value":103')
    folder.vector("item-value-edited", "a value edited, all hashes as before", "item.hash", of_lines(made))
    made = lines(items=[record(numeric_value=0.1)])
    made[1] = made[1].replace(b'"numeric_value":0.1', b'"numeric_value":0.10000000000000002')
    folder.vector("item-last-digit", "the last digit of a double", "item.hash", of_lines(made))
    made = lines(items=[record(unit="\u00e5")])
    made[1] = made[1].replace("\u00e5".encode(), "a\u030a".encode())
    folder.vector("item-nfd", "a text changed from NFC to NFD", "item.hash", of_lines(made))
    made = lines()
    made[1] = made[1].replace(b'"numeric_value":101,', b"")
    folder.vector("item-member-removed", "a member that is not required removed", "item.hash", of_lines(made))
    one, two, three = records()
    add("order-swapped", "two items swapped", "order.items", items=[two, one, three])
    add("order-reversed", "all items reversed", "order.items", items=[three, two, one])
    add("order-absent-last", "an item without its start date after one that has it", "order.items", items=[one, record(
        day=1, name="0", start_date=None, defects=[defect("/start_date", "null", "null")])])
    add("order-repeated", "an item twice", "order.repeated", items=[one, one, two])
    add("order-types", "types by other than their bytes", "order.items", header(coverage=[coverage(SLEEP), coverage()]),
        [one, record(SLEEP, 1, "s")])
    add("order-coverage", "coverage out of order", "order.coverage", header(coverage=[coverage(), coverage(SLEEP)]))
    add("order-coverage-repeated", "a type twice in coverage", "order.coverage", header(coverage=[coverage(), coverage()]))
    past, items = history()
    add("order-coverage-runs", "runs of a type out of order, in a history", "order.coverage", header(
        scope=past["scope"], observations=past["observations"], coverage=[{**coverage(), "observation_id": 2}, coverage()]), items)
    add("order-filter-types", "filtered types out of order", "order.coverage", header(
        coverage=[coverage(SLEEP), coverage()], filter={"sample_types": [STEPS, SLEEP]}))
    add("order-filter-source-names", "filtered names out of order", "order.coverage",
        header(filter={"source_names": sorted([made_up("name"), made_up("other name")], reverse=True)}), named_records("name"))
    add("order-filter-sources", "a filtered source twice", "order.coverage", header(filter={"sources": ["org.example.synthetic"] * 2}))
    export, items = history()
    add("order-observations", "observations out of order", "order.coverage", {**export, "observations": export["observations"][::-1]}, items)
    add("manifest-export-id", "the id of another export", "manifest.export_id", export_id="abcdef01-2345-8789-8123-456789abcdef")
    add("manifest-hash", "another manifest hash", "manifest.hash", manifest_hash=made_up("other"))
    made, other = lines(), lines(items=[one, two, record(day=3, name="3", numeric_value=1)])
    folder.vector("manifest-hash-item-replaced", "an item replaced together with its hash", "manifest.hash", of_lines(made[:3] + other[3:4] + made[4:]))
    made, other = lines(), lines(header(generator={"name": "synthetic", "version": "2"}))
    folder.vector("manifest-hash-header-replaced", "the header replaced together with its id", "manifest.hash", of_lines(other[:1] + made[1:]))
    folder.vector("manifest-item-dropped", "an item dropped, the manifest as before", "manifest.hash manifest.totals", of_lines(made[:2] + made[3:]))
    folder.vector("manifest-item-added", "an item twice, the manifest as before", "manifest.hash manifest.totals order.repeated", of_lines(made[:2] + made[1:]))
    folder.vector("manifest-items-swapped", "two items swapped, the manifest as before", "manifest.hash order.items",
                  of_lines([made[0], made[2], made[1], *made[3:]]))
    folder.vector("manifest-items-all-dropped", "all items dropped, the manifest as before", "manifest.hash manifest.totals", of_lines([made[0], made[-1]]))
    counted = totals_of(header(), records())
    for name, what, totals in (
        ("item-count-more", "one item more", {**counted, "item_count": 4}), ("item-count-less", "one item less", {**counted, "item_count": 2}),
        ("defect-count", "a defect more", {**counted, "defect_count": 1}), ("types-missing", "no types", {**counted, "types": []}),
        ("loss", "a provenance loss that no item raises", {**counted, "types": [{**counted["types"][0], "provenance_loss": {"device_absent": 1}}]}),
        ("type-name", "another type", {**counted, "types": [{**counted["types"][0], "sample_type": WATER}]})):
        add("manifest-totals-" + name, "totals with " + what, "manifest.totals", totals=totals)
    add("manifest-scope-kind", "a version at a point in time", "manifest.scope", items=[version_item()])
    add("manifest-scope-record-in-history", "a record in a history", "manifest.scope", export, [record()])
    add("manifest-scope-type", "a type that coverage does not have", "manifest.scope", items=[*records(), record(WORKOUT, 1, "w")])
    add("manifest-scope-since", "a start before the filter", "manifest.scope", header(filter={"since": "2024-02-01T10:00:00.001Z"}))
    add("manifest-scope-until", "a start at the end of the filter", "manifest.scope", header(filter={"until": "2024-02-03T10:00:00.000Z"}))
    add("manifest-scope-overlapping", "a record that ends where the filter begins", "manifest.scope",
        header(filter={"overlapping": True, "since": "2024-02-01T10:30:00.000Z"}))
    add("manifest-scope-overlapping-until", "a record that starts where the filter ends", "manifest.scope",
        header(filter={"overlapping": True, "until": "2024-02-03T10:00:00.000Z"}))
    add("manifest-scope-overlapping-false", "a record that began before a filter by starts", "manifest.scope",
        header(filter={"overlapping": False, "since": "2024-02-01T10:29:59.999Z"}))
    add("manifest-scope-source", "another source than the filter's", "manifest.scope", header(filter={"sources": ["org.example.other"]}))
    add("manifest-scope-related", "a record that is not selected, and not linked to another", "manifest.scope", header(
        filter={"until": "2024-02-03T00:00:00.000Z", "with_related": True}), related())
    asleep, step = related_types()
    add("manifest-scope-related-type", "a record of another type, and not linked to another", "manifest.scope", header(
        coverage=[coverage(SLEEP), coverage()], filter={"sample_types": [STEPS], "with_related": True}), [asleep, record(SLEEP, 2, "t"), step])
    add("manifest-scope-related-false", "a linked record where no links are followed", "manifest.scope", header(
        filter={"until": "2024-02-02T00:00:00.000Z", "with_related": False}), related()[:2])
    by_name = header(filter={"source_names": [made_up("other name")]})
    add("manifest-scope-source-name", "a name of a source that is not the filter's", "manifest.scope", by_name, named_records("name")[:1])
    add("manifest-scope-source-name-absent", "no name of a source where names are filtered", "manifest.scope", by_name, [record()])
    add("manifest-scope-source-absent", "no source where sources are filtered", "manifest.scope",
        header(filter={"sources": ["org.example.synthetic"]}), [record(source=None)])
    add("manifest-scope-later-range", "a range that began after the observation", "manifest.scope", items=[record(visibility=[
        {"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z"}])])
    add("manifest-scope-later-end", "the end of a range after the observation", "manifest.scope", export, [version_item(visibility=[
        {"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": 3}])])
    add("manifest-scope-later-event", "an event after the observation", "manifest.scope", export, [version_item(events=[
        {"event_kind": "appeared", "observation_id": 3, "observed_at": "2024-03-03T08:00:00.000Z"}])])
    add("manifest-scope-later-relationship", "a relationship learned after the observation", "manifest.scope", items=[
        record(relationships=[relationship("target", "9", False, observation_id=2)])])
    add("manifest-scope-later-relationship-end", "a relationship that ended after the observation", "manifest.scope", export, [
        version_item(), sample_item("b", relationships=[relationship("target", "9", False, ended_observation_id=3)])][::-1])
    add("manifest-scope-relationship-ended-before", "a relationship that ended where it was learned", "manifest.scope", export, [
        version_item(), sample_item("b", relationships=[relationship("target", "9", False, ended_observation_id=1)])][::-1])
    add("manifest-scope-ended-relationship", "a relationship that ended, at a point in time", "manifest.scope",
        header(scope={"mode": "point_in_time", "observation_id": 2}, observations=[observation(2)]), [
            record(relationships=[relationship("target", "9", False, ended_observation_id=2)])])
    first, second, third = related()
    second["relationships"] = [relationship("source", "1", ended_observation_id=2)]
    first["relationships"] = [relationship("target", "2")]
    ended = [sample_item(name, relationships=one["relationships"]) for name, one in (("1", first), ("2", second))]
    ended.sort(key=lambda item: item["sample_uuid_hash"])
    add("manifest-relationships-ended", "one end says that the relationship ended, the other does not", "manifest.relationships", export, ended)
    first, second, third = related()
    add("manifest-relationships-one-end", "a relationship whose other end does not name it", "manifest.relationships",
        items=[first, {key: value for key, value in second.items() if key != "relationships"}, third])
    second["relationships"] = [relationship("source", "1", relationship_kind="other_kind")]
    add("manifest-relationships-kind", "ends that give another kind", "manifest.relationships", items=[first, second, third])
    second["relationships"] = [relationship("target", "1")]
    add("manifest-relationships-direction", "both ends say target", "manifest.relationships", items=[first, second, third])


def write_salvage(folder):
    def add(name, what, codes, made):
        folder.vector("salvage-" + name, what, codes, of_lines(made), "salvage")

    gap = {"after_items": 2, "byte": 700, "byte_end": 900, "code": "container.frame_corrupt", "frame": 3, "frame_end": 4, "frame_line": 1}
    lost = {"after_items": 1, "code": "item.hash", "frame": 2, "frame_end": 2, "frame_line": 2, "line_count": 1}
    add("good", "a salvage with header and manifest of its export", "", salvage(account=[lost, gap]))
    add("good-bare", "a salvage without header and manifest of its export", "", salvage(export=False, account=[gap]))
    add("good-empty", "a salvage of nothing", "", salvage([], export=False))
    first, second, third = records()
    add("good-order", "items in the order of the damaged file, one of them twice", "", salvage([third, first, first, second]))
    add("good-relationship", "a relationship whose other end was lost", "", salvage(related()[:1]))
    add("good-scope", "an item that the header excludes", "", salvage([record(WATER)]))
    add("hash", "a salvage hash that does not match", "manifest.hash", salvage(salvage_hash=made_up("salvage hash")))
    add("account-changed", "an account that was changed after the hash was made", "manifest.hash",
        [salvage(account=[gap])[0], *salvage(account=[lost])[1:]])
    add("totals", "totals that are not those of the items", "manifest.totals", salvage(totals=totals_of({}, records())))
    add("item-hash", "an item hash that does not match", "item.hash manifest.hash",
        [line.replace(b'"numeric_value":101', b'"numeric_value":102') if index == 1 else line for index, line in enumerate(salvage(salvage_hash=made_up("x")))])
    add("export-id", "a header of an export whose id does not match", "manifest.export_id",
        salvage(export={**json.loads(lines()[0])["export"], "archive_schema_version": 3}))
    add("format", "another format", "shape.format_version", salvage(format="healthprobe-other"))
    add("format-version", "a later format version", "shape.format_version", salvage(format_version=4))
    add("export-format", "a header of an export in another format", "shape.value",
        salvage(export={**json.loads(lines()[0])["export"], "format_version": 2}))
    add("source-missing", "no member source", "shape.member_missing", salvage(without=["source"]))
    add("member-unknown", "a member that no page names", "shape.member_unknown", salvage(created_at="2024-03-01T08:00:00.000Z"))
    second = {"sha256": made_up("second copy"), "size": 1200}
    both = [{**lost, "source": 1}, {"after_items": 0, "byte": 10, "byte_end": 20, "code": "line.kind", "source": 2}]
    add("good-copies", "a salvage of two copies, one of them a text", "", salvage(account=both, other_sources=[second]))
    add("copies-none", "a list of other files without one", "shape.value", salvage(account=[lost], other_sources=[]))
    add("copies-third", "an account of a file that is not named", "shape.value",
        salvage(account=[both[0], {**both[1], "source": 3}], other_sources=[second]))
    add("copies-zero", "an account of a file with the number 0", "shape.value",
        salvage(account=[both[0], {**both[1], "source": 0}], other_sources=[second]))
    add("copies-member", "another file with a name", "shape.member_unknown",
        salvage(account=both, other_sources=[{**second, "name": "synthetic"}]))
    add("account-value", "an account whose first frame is 0", "shape.value", salvage(account=[{**gap, "frame": 0}]))
    add("end-of-bundle", "the last line of a bundle", "line.kind", [*salvage()[:-1], lines()[-1]])
    folder.vector("salvage-end-in-bundle", "a bundle with the last line of a salvage", "line.kind", of_lines([*lines()[:-1], salvage()[-1]]))
    add("end-missing", "no last line", "line.manifest_missing", salvage()[:-1])
    add("header-missing", "no header", "line.header_missing", salvage()[1:])
    add("header-repeated", "the header of a bundle after that of a salvage", "line.header_repeated", [salvage()[0], lines()[0], *salvage()[1:]])


def write(shelves):
    folder = Folder(shelves)
    for write_layer in (
            write_good, write_container, write_line, write_canonical, write_shape, write_upper, write_identity, write_salvage):
        write_layer(folder)
