"""What a pair and its records say of each other: Spec/pairs.md, Checks, from the item alone."""

import decimal
import fractions
import math

from .ordering import date
from .spec import spec

MEASURES = spec("measures.json")
MOST_PARTS, TOLERANCE = 1024, 1e-5
STRICT = ("category_value", "duration_seconds", "end_date", "numeric_value", "start_date", "value_kind", "workout_activity_type")
LAWS = {"cumulative": ("sum",), "discrete": ("value", "mean", "time_weighted_mean"), "category": ("duration",)}


def faults_of_pair(item, is_across_chains):
    """Yields the code and the pointer of what is invalid, in the order in which one hides the next."""
    if not has_right_counts(item):
        yield "item.counts", "/item/before"
        return
    for name, expected in sorted(evidence(item).items()):
        if item.get(name) != expected:
            yield "item.evidence", "/item/" + name
    name = "level" if item["pair"] == "re_identified" else "law"
    if not (has_one_key(item, is_across_chains) if name == "level" else has_law(item)):
        yield "item.label", "/item/" + name


def has_right_counts(item):
    before, after = len(item["before"]), len(item["after"])
    into_one, into_several = after == 1 and 2 <= before <= MOST_PARTS, before == 1 and 2 <= after <= MOST_PARTS
    return {"re_identified": before == after == 1, "condensed_into": into_one, "expanded_into": into_several,
            "ambiguous": into_one or into_several}[item["pair"]]


def container_and_parts(item):
    return (item["after"][0], item["before"]) if len(item["after"]) == 1 else (item["before"][0], item["after"])


def evidence(item):
    """The members that follow from the records; None where one is absent."""
    records = item["before"] + item["after"]
    found = {"end_date": max(records, key=lambda record: date(record, "end_date"))["end_date"],
             "start_date": min(records, key=lambda record: date(record, "start_date"))["start_date"]}
    if item["pair"] == "re_identified":
        key = min((record["identity_hash"] for record in records), key=str.encode)
        values = [canonical(item, record) for record in records]
        residual = values[1] - values[0] if item["level"] in ("fuzzy", "semantic") and None not in values else None
        unit = measure(item).get("unit")
    else:
        key = container_and_parts(item)[0]["identity_hash"]
        sides = sides_of(item, item["law"])
        residual = sides[0] - sides[1] if sides else None
        unit = "s" if item["law"] == "duration" else measure(item).get("unit")
    if residual is not None and not math.isfinite(residual):
        residual = None
    return {**found, "key": key, "residual": residual, "unit": None if residual is None else unit}


# Values


def measure(item):
    return MEASURES["types"].get(item["sample_type"], {"measure": "event"})


def units(item):
    return MEASURES["dimensions"].get(measure(item).get("dimension"), {"units": {}})["units"]


def canonical(item, record):
    """The value in the canonical unit of the type; None where there is none."""
    if "numeric_value" not in record or record.get("unit") not in units(item):
        return None
    theirs, ours = units(item)[record["unit"]], units(item)[measure(item)["unit"]]
    ratio = fractions.Fraction(theirs["times"] * ours["over"], theirs["over"] * ours["times"])
    value = float(record["numeric_value"])
    for changes, change in ((theirs.get("minus", 0), lambda v: v - theirs["minus"]), (ratio.numerator != 1, lambda v: v * ratio.numerator),
                            (ratio.denominator != 1, lambda v: v / ratio.denominator)):
        value = change(value) if changes else value
    return value + 0.0 if math.isfinite(value) else None


def length(record):
    return date(record, "end_date") - date(record, "start_date")


def exact_sum(terms):
    terms = list(terms)
    try:
        return float(sum(map(fractions.Fraction, terms)))
    except (OverflowError, ValueError):
        return None


def six_digits(value):
    rounded = decimal.Context(prec=6, rounding=decimal.ROUND_HALF_EVEN).plus(decimal.Decimal(repr(value)))
    return rounded + 0


# Laws


def has_law(item):
    """Whether the parts are parts of the container, and the law is the first that holds."""
    whole, parts = container_and_parts(item)
    start, end = date(whole, "start_date"), date(whole, "end_date")
    if not all(start <= date(part, "start_date") and date(part, "end_date") <= end and length(part) < length(whole) for part in parts):
        return False
    laws = LAWS.get(measure(item)["measure"], ())
    if whole.get("unit") == "dBASPL":
        laws = ("value",) if "value" in laws else laws
    return next((law for law in laws if holds(item, law)), None) == item["law"]


def holds(item, law):
    whole, parts = container_and_parts(item)
    if law == "value":
        values = [canonical(item, record) for record in [whole, *parts]]
        return None not in values and len({six_digits(value) for value in values}) == 1
    sides = sides_of(item, law)
    return sides is not None and abs(sides[0] - sides[1]) <= TOLERANCE * max(map(abs, sides))


def sides_of(item, law):
    """What a law compares: of the container and of the parts; None where there is nothing to compare."""
    whole, parts = container_and_parts(item)
    if law == "duration":
        return together(length(whole), union_length(parts))
    values, total = [canonical(item, part) for part in parts], canonical(item, whole)
    if total is None or None in values:
        return None
    if law == "time_weighted_mean":
        lengths = [length(part) for part in parts]
        if min(lengths) <= 0:
            return None
        weighted, seconds = exact_sum(a * b for a, b in zip(lengths, values)), exact_sum(lengths)
        return None if weighted is None or seconds is None else together(total, weighted / seconds)
    amount = exact_sum(values)
    return together(total, amount if law == "sum" or amount is None else amount / len(values))


def together(whole, parts):
    return None if parts is None else (whole, parts)


def union_length(parts):
    stretches = []
    for start, end in sorted((date(part, "start_date"), date(part, "end_date")) for part in parts):
        if stretches and start <= stretches[-1][1]:
            stretches[-1][1] = max(stretches[-1][1], end)
        else:
            stretches.append([start, end])
    return exact_sum(end - start for start, end in stretches)


# Levels


def has_one_key(item, is_across_chains):
    """Whether the records have one key at the level, and none at a more specific one that the item shows in full."""
    if item["level"] == "fuzzy" and not is_across_chains:
        return False
    finer = {"payload": (), "fuzzy": ("payload", "semantic")}.get(item["level"], ("payload",))
    return is_one(item, item["level"]) and not any(is_one(item, level) for level in finer)


def is_one(item, level):
    return key_of(item, item["before"][0], level) == key_of(item, item["after"][0], level)


def key_of(item, record, level):
    if level == "payload":
        return record["payload_hash"]
    if level == "strict":
        return [record.get(name) for name in STRICT] + ["kcal" if record.get("unit") == "Cal" else record.get("unit")]
    kind = record.get("value_kind")
    is_value = kind == "quantity" and "numeric_value" in record
    moments = [math.floor(date(record, name)) for name in ("start_date", "end_date")]
    if level == "fuzzy":
        is_amount = is_value and measure(item)["measure"] == "cumulative"
        moments = [moments[0] // (3600 if is_amount else 600 if kind == "workout" else 60)]
    if is_value:
        value = canonical(item, record)
        if value is None:
            return [*moments, kind, record.get("unit"), six_digits(float(record["numeric_value"]))]
        return [*moments, kind, measure(item)["unit"], six_digits(value)]
    if kind in ("category", "workout"):
        return [*moments, kind, record.get({"category": "category_value", "workout": "workout_activity_type"}[kind])]
    return [*moments, "correlation"]
