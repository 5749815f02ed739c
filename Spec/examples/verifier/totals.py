"""What the items of an export add up to: totals, pairs of relationships, and what a salvage says is missing."""

import hashlib
import json
from fractions import Fraction

from .members import PROVENANCE
from .ordering import identity


class Totals:
    """Counts items as they come."""

    def __init__(self):
        self.item_count, self.types = 0, {}
        self.ends = {"source": set(), "target": set()}

    def add(self, item):
        self.item_count += 1
        entry = self.types.setdefault(item.get("sample_type"), {
            "defect_count": 0, "item_count": 0, "provenance_loss": {},
            **({"sample_type": item["sample_type"]} if "sample_type" in item else {})})
        entry["item_count"] += 1
        counts_provenance = item["item_kind"] in ("record", "sample", "version")
        entry["defect_count"] += len(item.get("defects", ()))
        for code, raised in PROVENANCE.items():
            if counts_provenance and raised(item):
                entry["provenance_loss"][code] = entry["provenance_loss"].get(code, 0) + 1
        if item["item_kind"] == "day":
            add_day(entry, item)
        for relationship in item.get("relationships", ()):
            if relationship["end_in_scope"]:
                self.ends[relationship["end"]].add(relationship_key(item, relationship))

    def expected(self, header_defects):
        """The object that a manifest states."""
        types = [of_days(entry) if "unit" in entry else entry for entry in self.types.values()]
        return {"defect_count": header_defects + sum(entry["defect_count"] for entry in types),
                "item_count": self.item_count, "types": types}

    def unpaired(self):
        """How many relationships have one of their ends only."""
        return len(self.ends["source"] ^ self.ends["target"])


def decimals(unit):
    """The last decimal of an amount: Spec/days.md, Amounts."""
    return 10 ** (9 if unit == "g" else 6)


def whole(number, unit):
    """A number as a whole number of the last decimal, within 10^27."""
    return max(-10 ** 27, min(10 ** 27, round(Fraction(number) * decimals(unit))))


def add_day(entry, item):
    """Adds an item of a day report: its sums as whole numbers of the last decimal."""
    entry["record_count"] = entry.get("record_count", 0) + (0 if item["measure"] in ("nap", "night") else item["record_count"])
    if "value_sum" in item:
        entry["unit"] = item["unit"]
        for name in ("dropped_sum", "value_sum"):
            entry[name] = entry.get(name, 0) + whole(item[name], item["unit"])


def of_days(entry):
    """An entry whose sums are numbers."""
    return {**entry, **{name: float(Fraction(entry[name], decimals(entry["unit"]))) for name in ("dropped_sum", "value_sum")}}


def relationship_key(item, relationship):
    """The same digest from both items of a relationship."""
    here = [item.get("sample_type"), identity(item)]
    there = [relationship.get("end_sample_type"), relationship.get("end_identity_hash")]
    source_and_target = here + there if relationship["end"] == "target" else there + here
    parts = [relationship.get("relationship_kind"), *source_and_target, relationship.get("observation_id"),
             relationship.get("ended_observation_id")]
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def is_missing_right(salvage, recovered):
    """Whether `missing` is what the manifest counts and is not among the items; those that are there twice count once."""
    if "missing" not in salvage:
        return True
    repeated = sum(entry.get("line_count", 0) for entry in salvage["account"] if entry["code"] == "order.repeated")
    all_listed = salvage["account_count"] == len(salvage["account"])
    listed = [(entry.get("sample_type"), entry["item_count"]) for entry in salvage["missing"]["types"]]
    for entry in salvage["manifest"]["totals"]["types"]:
        name, count = entry.get("sample_type"), entry["item_count"]
        lost = count - recovered.get(name, {"item_count": 0})["item_count"]
        if listed and listed[0][0] == name and lost <= listed[0][1] <= (min(lost + repeated, count) if all_listed else count):
            listed.pop(0)
        elif lost > 0:
            return False
    return not listed
