"""Spec/changes.md, "Sides": what the metadata of a workout state of it as a whole."""

import math
import re

from measures import converted, measure_of

QUANTITY = "HKQuantityTypeIdentifier"
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def totals(metadata):
    """Distance and energy that the metadata of a workout state, in metres and kilocalories."""
    metadata = metadata if isinstance(metadata, dict) else {}
    listed = metadata.get("hp:statistics")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    found = {}
    for name, attribute, fits in (
            ("distance", "totalDistance", lambda kind: kind.startswith(QUANTITY + "Distance") and measure_of(kind)["measure"] == "cumulative"),
            ("energy", "totalEnergyBurned", lambda kind: kind == QUANTITY + "ActiveEnergyBurned")):
        canonical_type = QUANTITY + {"distance": "DistanceWalkingRunning", "energy": "ActiveEnergyBurned"}[name]
        amounts = [stated(entry.get("sum"), entry.get("unit"), canonical_type)
                   for entry in entries if isinstance(entry.get("type"), str) and fits(entry["type"])]
        amounts = [amount for amount in amounts if amount is not None]
        if amounts:
            found[name] = amounts[0]
            for amount in amounts[1:]:
                found[name] += amount
        else:
            found[name] = stated(metadata.get("hp:attribute:" + attribute), metadata.get("hp:attribute:%sUnit" % attribute), canonical_type)
    return found


def stated(text, unit, sample_type):
    """The number that a text holds, in the canonical unit of a type; None where it is none."""
    if not isinstance(text, str) or not isinstance(unit, str) or not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    return converted(float(text), unit, sample_type)
