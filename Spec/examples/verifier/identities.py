"""Content hashes of an item: Spec/identity.md, "What a verifier recomputes"."""

import re
import struct

from .canonical import canonical
from .hashes import sha256
from .ordering import date


CONTENTS = ("category_value", "duration_seconds", "end_date", "numeric_value", "sample_type", "start_date", "unit",
            "value_kind", "workout_activity_type")
PAYLOAD = (*CONTENTS, "device", "metadata_hash", "source")
DATED = ("sample_type", "start_date", "end_date")
FIRST_SEEN = ("created_observation_id", "first_seen_observation_id")
MOST_ALIKE = 4096  # ordinals that are looked at

CUMULATIVE = re.compile("HKQuantityTypeIdentifier(Distance.*|Dietary.*|%s)" % "|".join((
    "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned", "FlightsClimbed",
    "InhalerUsage", "InsulinDelivery", "NikeFuel", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount",
    "StepCount", "SwimmingStrokeCount", "TimeInDaylight")), re.DOTALL)
UNITS = {unit: (base, factor) for base, units in {
    "kcal": {"Cal": 1, "kcal": 1, "cal": 0.001, "kJ": 0.2390057361376673, "J": 0.0002390057361376673},
    "m": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "in": 0.0254},
    "kg": {"kg": 1, "g": 0.001, "lb": 0.45359237, "st": 6.35029318, "oz": 0.028349523125},
    "s": {"s": 1, "ms": 0.001, "min": 60, "hr": 3600, "d": 86400},
    "degC": {"degC": 1},
    "mL": {"mL": 1, "L": 1000, "dL": 100, "cL": 10, "fl_oz_us": 29.5735295625, "fl_oz_imp": 28.4130625},
}.items() for unit, factor in units.items()}


def content_hash(domain, members):
    """The hash of an object; a member that is None is absent."""
    present = {name: value for name, value in members.items() if value is not None}
    return sha256(b"hp:v2:%s:" % domain.encode(), canonical(present))


def metadata_hash(item):
    metadata = item["metadata"]
    return sha256(b"hp:v2:metadata:", metadata.encode() if isinstance(metadata, str) else canonical(metadata))


def payload_hash(item):
    return content_hash("payload", {name: item.get(name) for name in PAYLOAD})


def strict_fingerprint(item):
    """The one of ordinal 0."""
    members = {name: item.get(name) for name in CONTENTS}
    if members["unit"] == "Cal":
        members["unit"] = "kcal"
    return content_hash("strict_fingerprint", {
        **members, "bundle_identifier": item.get("source", {}).get("bundle_identifier")})


def is_strict_fingerprint(stated, item):
    first = strict_fingerprint(item)
    if stated == first:
        return True
    uuid = item.get("sample_uuid_hash")
    if uuid is not None and stated == content_hash("unseen_sample", {
            "sample_type": item["sample_type"], "sample_uuid_hash": uuid}):
        return True
    return any(stated == content_hash("strict_fingerprint", {"alike": first, "ordinal": ordinal})
               for ordinal in range(1, MOST_ALIKE + 1))


def base_value(value, unit):
    """A value in its base unit as the nearest binary32, or None where that is infinite; and the unit."""
    base, factor = UNITS.get(unit, (unit, 1))
    value = float(value)
    value, base = ((value - 32) * 5 / 9, "degC") if unit == "degF" else (value * factor, base)
    try:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return None, base
    return (None if value in (float("inf"), float("-inf")) else value + 0.0), base  # -0.0 + 0.0 is 0.0


def semantic_fingerprint(item):
    """The fingerprint of the item's family, or None where it has none."""
    kind, members = item.get("value_kind"), {"family": "correlation", "sample_type": item["sample_type"]}
    for name in ("start", "end"):
        members[name] = int(date(item, name + "_date") // 1)
    if kind == "quantity" and "numeric_value" in item:
        members["family"] = "cumulative" if CUMULATIVE.fullmatch(item["sample_type"]) else "quantity"
        members["value"], members["unit"] = base_value(item["numeric_value"], item.get("unit"))
        if members["value"] is None:
            return None
    elif kind == "category":
        members.update(family="category", category=item.get("category_value"))
    elif kind == "workout":
        members.update(family="workout", activity=item.get("workout_activity_type"))
    return content_hash("semantic_fingerprint", members)


def is_first_version(item):
    """Whether the item speaks of the version that its sample began with."""
    created, first = (item[name] for name in FIRST_SEEN)
    return created == first and (item["item_kind"] == "record" or any(
        event.get("event_kind") == "appeared" and event.get("observation_id") == first
        for event in item.get("events", ())))


def content_faults(item):
    """Yields the member and the expected value of each content hash in an item that does not hold."""
    tainted = {entry["pointer"].split("/")[1] for entry in item.get("defects", ())}
    if "metadata" in tainted:
        tainted.add("metadata_hash")

    def can_check(required, others=()):
        return all(name in item for name in required) and tainted.isdisjoint((*required, *others))

    if can_check(("metadata", "metadata_hash")) and item["metadata_hash"] != metadata_hash(item):
        yield "metadata_hash", metadata_hash(item)
    if can_check(("payload_hash", *DATED), PAYLOAD) and item["payload_hash"] != payload_hash(item):
        yield "payload_hash", payload_hash(item)
        return
    if not can_check(("strict_fingerprint", *DATED, *FIRST_SEEN), (*CONTENTS, "source", "sample_uuid_hash")) \
            or not is_first_version(item):
        return
    if not is_strict_fingerprint(item["strict_fingerprint"], item):
        yield "strict_fingerprint", strict_fingerprint(item)
    elif can_check(("semantic_fingerprint",)) and item["semantic_fingerprint"] != semantic_fingerprint(item):
        yield "semantic_fingerprint", semantic_fingerprint(item)
