"""Spec/measures.md: the measure of a type, and values in its canonical unit.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import json
import math
import pathlib
import re

TABLE = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Spec/measures.json").read_text("utf-8"))


def measure_of(sample_type):
    return TABLE["types"].get(sample_type, {"measure": "event"})


def converted(value, unit, sample_type):
    """The value in the canonical unit of the type; None where it cannot be converted."""
    measure = measure_of(sample_type)
    units = TABLE["dimensions"].get(measure.get("dimension"), {"units": {}})["units"]
    theirs = units.get(unit) or (of_molar_mass(unit) if measure.get("dimension") == "mass concentration" else None)
    if theirs is None:
        return None
    ours = units[measure["unit"]]
    times, over = theirs["times"] * ours["over"], theirs["over"] * ours["times"]
    common = math.gcd(times, over)
    times, over = times // common, over // common
    if theirs.get("minus"):
        value = value - theirs["minus"]
    if times != 1:
        value = value * times
    if over != 1:
        value = value / over
    return value + 0.0 if math.isfinite(value) else None


def of_molar_mass(unit):
    """What converts `mmol<M>/L` to mg/dL, or None."""
    match = re.fullmatch(r"mmol<([0-9]+)(?:\.([0-9]+))?>/L", unit or "", re.ASCII)
    whole, fraction = match.groups("") if match else ("", "")
    if len(whole + fraction) > 17 or not (whole + fraction).strip("0"):
        return None
    return {"times": int(whole + fraction), "over": 10 ** (len(fraction) + 1)}
