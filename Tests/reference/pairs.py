"""Spec/pairs.md: pairs between two observations, from `change` items, the slow and obvious way."""

import datetime
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import measures

LEVELS = ("payload", "strict", "semantic")
FUZZY = {"workout": 600}  # seconds of a step; an hour for amounts, a minute for the others
COPIED = ("category_value", "duration_seconds", "end_date", "numeric_value", "payload_hash", "start_date", "unit", "value_kind", "workout_activity_type")
NAMED = ("bundle_identifier", "product_type", "source_name_hash")
TOLERANCE = 1e-5


def seconds(text):
    """The double of a timestamp."""
    whole, _, fraction = text[:-1].partition(".")
    days = datetime.datetime.strptime(whole.rjust(19, "0"), "%Y-%m-%dT%H:%M:%S") - datetime.datetime(1970, 1, 1)
    return float(days.days * 86400 + days.seconds + Fraction(int(fraction or 0), 10 ** len(fraction)))


def six_digits(value):
    rounded = Context(prec=6, rounding=ROUND_HALF_EVEN, Emax=999999, Emin=-999999).plus(Decimal(repr(value)))
    return str(rounded.normalize()) if rounded else "0"


class Record:
    """A record that is in one change; `at` is the place of that among the changes."""

    def __init__(self, change, at):
        self.at, self.is_before = at, change["change"] == "disappeared"
        version = change["before" if self.is_before else "after"]
        self.version, self.type = version, change["sample_type"]
        self.start, self.end = seconds(version["start_date"]), seconds(version["end_date"])
        self.length = self.end - self.start
        self.identity = change.get("sample_uuid_hash", change["strict_fingerprint"])
        source = version.get("source", {})
        self.source = {name: source[name] for name in NAMED if name in source}
        self.item = {**{name: version[name] for name in COPIED if name in version}, "identity_hash": self.identity}
        self.order = (self.start, self.end, self.identity.encode(), version["payload_hash"].encode())
        self.sweep = (self.start, -self.end, *self.order[2:])
        self.measure = measures.measure_of(self.type)
        self.canonical = None
        if "numeric_value" in version and "unit" in version:
            self.canonical = measures.converted(float(version["numeric_value"]), version["unit"], self.type)

    def key(self, level):
        """The key at a level; None where there is none."""
        version = self.version
        if level == "payload":
            return self.type, version["payload_hash"]
        if level == "strict":
            unit = "kcal" if version.get("unit") == "Cal" else version.get("unit")
            return (self.type, self.source.get("bundle_identifier"), version.get("category_value"), version.get("duration_seconds"),
                    version["end_date"], version.get("numeric_value"), version["start_date"], unit, version.get("value_kind"), version.get("workout_activity_type"))
        whole = (self.type, int(self.start // 1), int(self.end // 1))
        kind = version.get("value_kind")
        if level == "fuzzy":
            is_amount = kind == "quantity" and "numeric_value" in version and self.measure["measure"] == "cumulative"
            whole = (self.type, int(self.start // 1) // (3600 if is_amount else FUZZY.get(kind, 60)))
        if kind == "quantity" and "numeric_value" in version:
            units = measures.TABLE["dimensions"].get(self.measure.get("dimension"), {"units": {}})["units"]
            if version.get("unit") not in units:
                return (*whole, "quantity", version.get("unit"), six_digits(float(version["numeric_value"])))
            return None if self.canonical is None else (*whole, "quantity", self.measure["unit"], six_digits(self.canonical))
        if kind in ("category", "workout"):
            return (*whole, kind, version.get({"category": "category_value", "workout": "workout_activity_type"}[kind]))
        return (*whole, "correlation")

    def round_down(self):
        """Across chains, condensed records are compared in whole seconds."""
        self.start, self.end = float(self.start // 1), float(self.end // 1)
        self.length = self.end - self.start
        self.sweep = (self.start, -self.end, *self.order[2:])

    def group(self, names):
        """Among which records containers and parts are looked for; None where they are not."""
        group = (self.type, *(self.source.get(name) for name in names))
        if self.measure["measure"] == "category":
            return (*group, self.version["category_value"]) if "category_value" in self.version else None
        return group if self.measure["measure"] in ("cumulative", "discrete") and self.canonical is not None else None


def may_be_paired(change, versions):
    """Whether a change is looked at. `versions` counts those of its sample on its side."""
    if change["change"] == "representation_changed" or versions != 1:
        return False
    side = "before" if change["change"] == "disappeared" else "after"
    read = ["/sample_type", "/sample_uuid_hash", "/strict_fingerprint"] + ["/%s/%s" % (side, name) for name in COPIED]
    read += ["/%s/source" % side] + ["/%s/source/%s" % (side, name) for name in NAMED]
    if any(defect["pointer"] in read for defect in change.get("defects", ())):
        return False
    version = change[side]
    return "sample_type" in change and {"start_date", "end_date", "payload_hash"} <= version.keys() \
        and seconds(version["start_date"]) <= seconds(version["end_date"])


class Pairs:
    """The pairs of some changes: their `items` in order, and `marks`, the member `pair` of a change by its place."""

    def __init__(self, changes, versions, is_across_chains=False):
        """`versions` has how many versions the sample of each change has on its side, whatever the filter selects."""
        left = [Record(change, at) for at, (change, count) in enumerate(zip(changes, versions)) if may_be_paired(change, count)]
        self.found, self.marks, names = [], {}, NAMED
        if is_across_chains:
            had = [{name for record in left if record.is_before == side for name in record.source} for side in (True, False)]
            names = [name for name in NAMED if name == "source_name_hash" or name in had[0] & had[1]]
        for level in LEVELS + (("fuzzy",) if is_across_chains else ()):
            left = self.re_identify(left, level)
        groups = defaultdict(list)
        for record in left:
            if record.group(names) is not None:
                groups[record.group(names)].append(record)
            if is_across_chains:
                record.round_down()
        for group in groups.values():
            self.condense(sorted(group, key=lambda record: record.sweep))
        self.items = sorted(self.found, key=lambda item: (
            item["sample_type"].encode(), seconds(item["start_date"]), seconds(item["end_date"]), item["key"].encode()))

    # Re-identified

    def re_identify(self, records, level):
        """Pairs records with one key; those that are left over."""
        found, left = defaultdict(lambda: ([], [])), []
        for record in sorted(records, key=lambda record: record.order):
            key = record.key(level)
            if key is None:
                left.append(record)
            else:
                found[key][0 if record.is_before else 1].append(record)
        for before, after in found.values():
            for one, other in zip(before, after):
                self.pair(one, other, level, len(before) > 1 or len(after) > 1)
            left += before[len(after):] + after[len(before):]
        return left

    def pair(self, before, after, level, is_tied):
        key = min(before.identity, after.identity, key=str.encode)
        item = {"level": level, "tied": is_tied}
        if level in ("semantic", "fuzzy") and None not in (before.canonical, after.canonical):
            item.update(residual=number(after.canonical - before.canonical), unit=before.measure["unit"])
        self.add("re_identified", key, [before], [after], item)
        for record in (before, after):
            self.marks[record.at] = {"keys": [key], "kind": "re_identified"}

    def add(self, kind, key, before, after, rest):
        records = before + after
        self.found.append({
            "after": [record.item for record in after], "before": [record.item for record in before],
            "end_date": max((record.item["end_date"] for record in records), key=seconds), "item_kind": "pair", "key": key, "pair": kind,
            "sample_type": records[0].type, "start_date": min((record.item["start_date"] for record in records), key=seconds), **rest})

    # Condensed

    def condense(self, records):
        open_, closed = [], []
        for record in records:
            closed += [one for one in open_ if one[0].end < record.start]
            open_ = [one for one in open_ if one[0].end >= record.start]
            holds = [one for one in open_ if one[0].is_before != record.is_before and record.length < one[0].length
                     and one[0].start <= record.start and record.end <= one[0].end]
            if record.length == 0 and any(whole.start == record.start for whole, _ in holds):
                holds = [one for one in holds if one[0].end != record.start]
            for _, parts in holds:
                parts.append(record)
            open_ = [one for one in open_ if len(one[1]) <= 1024]
            if record.length > 0 and sum(one[0].is_before == record.is_before for one in open_) < 16:
                open_.append((record, []))
        fits = [(whole, parts, law) for whole, parts in closed + open_ if len(parts) >= 2 for law in [law_of(whole, parts)] if law]
        within = defaultdict(set)
        for whole, parts, _ in fits:
            for record in [whole, *parts]:
                within[record.at].add(whole.identity)
        for whole, parts, law in fits:
            self.add_container(whole, sorted(parts, key=lambda record: record.order), law, within)

    def add_container(self, whole, parts, law, within):
        others = set().union(*(within[record.at] for record in [whole, *parts])) - {whole.identity}
        kind = "ambiguous" if others else "expanded_into" if whole.is_before else "condensed_into"
        rest = {"law": law[0], "residual": number(law[1]), "unit": law[2]}
        if others:
            rest["ambiguous_with"] = sorted(others, key=str.encode)
        if whole.source:
            rest["source"] = whole.source
        self.add(kind, whole.identity, *(([whole], parts) if whole.is_before else (parts, [whole])), rest)
        for record in [whole, *parts]:
            self.marks[record.at] = {"keys": sorted(within[record.at], key=str.encode), "kind": kind}


class Beyond(Exception):
    """A number beyond the doubles: the law that needs it does not hold."""


def exact_sum(terms):
    try:
        return float(sum(map(Fraction, list(terms))))
    except OverflowError:
        raise Beyond from None


def number(value):
    value = value + 0.0
    return int(value) if value == int(value) and abs(value) < 2 ** 53 else value


def law_of(whole, parts):
    try:
        return first_law(whole, parts)
    except Beyond:
        return None


def first_law(whole, parts):
    """The name of the first law that holds, the residual and its unit; None where none holds."""
    def holding(name, of_whole, of_parts, unit):
        residual = of_whole - of_parts
        return (name, residual, unit) if abs(residual) <= TOLERANCE * max(abs(of_whole), abs(of_parts)) else None

    if whole.measure["measure"] == "category":
        return holding("duration", whole.length, union_length(parts), "s")
    values, unit = [part.canonical for part in parts], whole.measure["unit"]
    if whole.measure["measure"] == "cumulative":
        return holding("sum", whole.canonical, exact_sum(values), unit)
    mean = exact_sum(values) / len(values)
    if all(six_digits(value) == six_digits(whole.canonical) for value in values):
        return "value", whole.canonical - mean, unit
    if whole.version["unit"] == "dBASPL":
        return None
    found = holding("mean", whole.canonical, mean, unit)
    if found is None and all(part.length > 0 for part in parts):
        weighted = exact_sum(part.length * value for part, value in zip(parts, values))
        found = holding("time_weighted_mean", whole.canonical, weighted / exact_sum(part.length for part in parts), unit)
    return found


def union_length(parts):
    stretches = []
    for part in sorted(parts, key=lambda part: part.start):
        if stretches and part.start <= stretches[-1][1]:
            stretches[-1][1] = max(stretches[-1][1], part.end)
        else:
            stretches.append([part.start, part.end])
    return exact_sum(end - start for start, end in stretches)
