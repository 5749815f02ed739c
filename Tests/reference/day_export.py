"""Items of Spec/days.md from the lines of a record table: what an archive gives, without the archive.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import json
import re
from datetime import datetime, timezone
from fractions import Fraction

from workouts import stated
from day_report import DISTANCE, ENERGY, RINGS, Record
from measures import measure_of

MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)Z")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
ATTRIBUTES = {
    "active_energy": "activeEnergyBurned", "exercise_minutes": "appleExerciseTime", "move_minutes": "appleMoveTime", "stand_hours": "appleStandHours"}


def microseconds(text):
    """A timestamp as the stored double in whole microseconds, half to even."""
    if text is None:
        return None
    whole, fraction = MOMENT.fullmatch(text).groups()
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    elapsed = datetime.fromisoformat(whole + "+00:00") - epoch
    double = float(elapsed.days * 86400 + elapsed.seconds + Fraction("0" + fraction))
    return round(Fraction(double) * 1_000_000)


def workout_amounts(metadata):
    """Energy and distance that a workout states, in canonical units: Spec/changes.md."""
    listed = metadata.get("hp:statistics")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    found = {}
    for name, like, attribute, fits in (
            ("energy", ENERGY, "totalEnergyBurned", lambda kind: kind == ENERGY),
            ("distance", DISTANCE, "totalDistance", lambda kind: kind.startswith("HKQuantityTypeIdentifierDistance") and measure_of(kind)["measure"] == "cumulative")):
        amounts = [stated(entry.get("sum"), entry.get("unit"), like) for entry in entries if isinstance(entry.get("type"), str) and fits(entry["type"])]
        amounts = [amount for amount in amounts if amount is not None]
        amount = amounts[0] if amounts else stated(metadata.get("hp:attribute:" + attribute), metadata.get("hp:attribute:%sUnit" % attribute), like)
        for other in amounts[1:]:
            amount += other
        found[name] = None if amount is None else (amount, {"energy": "kcal", "distance": "m"}[name])
    return found


def rings(metadata):
    """What an activity summary states, by the names of Spec/days.md."""
    for name in RINGS:
        attribute = ATTRIBUTES[name.replace("_goal", "")] + ("Goal" if name.endswith("_goal") else "")
        text = metadata.get("hp:attribute:" + attribute)
        if isinstance(text, str) and NUMBER.fullmatch(text):
            unit = metadata.get("hp:attribute:activeEnergyBurnedUnit")
            yield name, (float(text), unit if name.startswith("active_energy") else None)


def is_user_entered(metadata):
    return metadata.get("HKWasUserEntered") in (True, 1, "1", "true")


def record_of(item):
    """The record of an item."""
    metadata = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    source, zone = item.get("source", {}), metadata.get("HKTimeZone")
    of_workout = workout_amounts(metadata) if measure_of(item.get("sample_type"))["measure"] == "workout" else {}
    return Record(
        type=item.get("sample_type"), start=microseconds(item.get("start_date")), end=microseconds(item.get("end_date")), value=item.get("numeric_value"),
        unit=item.get("unit"), category=item.get("category_value"), activity=item.get("workout_activity_type"), duration=item.get("duration_seconds"),
        ring=tuple(rings(metadata)), name=source.get("source_name_hash"), bundle=source.get("bundle_identifier"), model=item.get("device", {}).get("model"),
        product=source.get("product_type"), user_entered=is_user_entered(metadata), zone=zone if isinstance(zone, str) else None, **of_workout)


def incomplete_types(header):
    """Types of which Spec/days.md says `unknown`."""
    for entry in header["coverage"]:
        is_read = entry["state"] in ("verified", "continued") if "state" in entry else entry["status"] == "completed"
        if not is_read:
            yield entry.get("sample_type")


def records_of(lines):
    """The records of a record table, the moment of its observation, and the types that were not read to their end."""
    values = [json.loads(line) for line in lines]
    header = values[0]["export"]
    return [record_of(value["item"]) for value in values if "item" in value], microseconds(header["observations"][0]["observed_at"]), set(incomplete_types(header))
