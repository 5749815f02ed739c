"""Spec/pairs.md: pairs between two observations, from `change` items, the slow and obvious way."""

import datetime
import hashlib
import math
import struct
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import measures
import workouts

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

    def __init__(self, change, at, days):
        self.at, self.is_before = at, change["change"] == "disappeared"
        version = change["before" if self.is_before else "after"]
        self.version, self.type = version, change["sample_type"]
        self.start, self.end = seconds(version["start_date"]), seconds(version["end_date"])
        self.length, self.day = self.end - self.start, days.number(self.start)
        self.identity = change.get("sample_uuid_hash", change["strict_fingerprint"])
        source = version.get("source", {})
        self.source = {name: source[name] for name in NAMED if name in source}
        self.item = {**{name: version[name] for name in COPIED if name in version}, "identity_hash": self.identity}
        self.order = (self.start, self.end, self.identity.encode(), version["payload_hash"].encode())
        self.sweep = (self.start, -self.end, *self.order[2:])
        self.measure = measures.measure_of(self.type)
        self.seconds, self.totals = self.length, {}
        if self.measure["measure"] == "workout":
            self.seconds, self.totals = float(version.get("duration_seconds", self.length)), workouts.totals(version.get("metadata"))
        metadata = version.get("metadata")
        self.series = metadata.get("hp:series_sha256") if isinstance(metadata, dict) else None
        self.canonical = None
        if "numeric_value" in version and "unit" in version:
            self.canonical = measures.converted(float(version["numeric_value"]), version["unit"], self.type)

    def key(self, level):
        """The key at a level; None where there is none."""
        version = self.version
        whole = (self.type, int(self.start // 1), int(self.end // 1))
        if level == "payload":
            return (*whole, version["payload_hash"])
        if level == "strict":
            unit = "kcal" if version.get("unit") == "Cal" else version.get("unit")
            return (self.type, self.source.get("bundle_identifier"), version.get("category_value"), version.get("duration_seconds"),
                    version["end_date"], version.get("numeric_value"), version["start_date"], unit, version.get("value_kind"), version.get("workout_activity_type"))
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
        if self.measure["measure"] in ("category", "workout"):
            return (*group, self.version.get({"category": "category_value", "workout": "workout_activity_type"}[self.measure["measure"]]))
        return group if self.measure["measure"] in ("cumulative", "discrete") and self.canonical is not None else None

    def may_be_of_app(self, other):
        """Whether neither product nor bundle identifier, nor else the name, say that another record is of another app."""
        def differ(name):
            return name in self.source and name in other.source and self.source[name] != other.source[name]
        have_bundles = "bundle_identifier" in self.source and "bundle_identifier" in other.source
        return not differ("product_type") and not differ("bundle_identifier" if have_bundles else "source_name_hash")


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

    def __init__(self, changes, versions, days, is_across_chains=False):
        """`versions` has how many versions the sample of each change has on its side, whatever the filter selects."""
        left = [Record(change, at, days) for at, (change, count) in enumerate(zip(changes, versions)) if may_be_paired(change, count)]
        self.found, self.marks, self.outcomes, names = [], {}, {}, NAMED
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
        is_changed = before.measure["measure"] == "workout" and not (same(before.seconds, after.seconds) and are_totals_kept([before], [after]))
        outcome = "changed" if is_changed else "kept" if before.may_be_of_app(after) else "source_changed"
        item = {"level": level, "outcome": outcome, "tied": is_tied}
        if level in ("semantic", "fuzzy") and None not in (before.canonical, after.canonical):
            item.update(residual=number(after.canonical - before.canonical), unit=before.measure["unit"])
        self.add("re_identified", key, [before], [after], item)
        for record in (before, after):
            self.mark(record, [key], "re_identified", outcome)

    def mark(self, record, keys, kind, outcome):
        self.marks[record.at] = {"keys": keys, "kind": kind}
        self.outcomes[record.at] = (kind, outcome)

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
        fits = [(whole, parts, law) for whole, parts in closed + open_ if len(parts) >= 2 for law in [law_of([whole], parts, True)] if law]
        within = defaultdict(set)
        for whole, parts, _ in fits:
            for record in [whole, *parts]:
                within[record.at].add(whole.identity)
        for whole, parts, law in fits:
            self.add_container(whole, sorted(parts, key=lambda record: record.order), law, within)
        for stretch in stretches_of([record for record in records if record.length > 0]):
            if max(sum(record.is_before == side for record in stretch) for side in (True, False)) <= 1024:
                for rest in stretches_of([record for record in stretch if not within[record.at]]):
                    self.regroup(rest)

    def add_container(self, whole, parts, law, within):
        others = set().union(*(within[record.at] for record in [whole, *parts])) - {whole.identity}
        kind = "ambiguous" if others else "expanded_into" if whole.is_before else "condensed_into"
        name, figures, unit, outcome = law
        before, after = figures if whole.is_before else figures[::-1]
        rest = {"law": name, "measure_after": number(after), "measure_before": number(before), "residual": number(figures[0] - figures[1]), "unit": unit}
        rest.update({"ambiguous_with": sorted(others, key=str.encode)} if others else {"outcome": outcome})
        if whole.source:
            rest["source"] = whole.source
        self.add(kind, whole.identity, *(([whole], parts) if whole.is_before else (parts, [whole])), rest)
        for record in [whole, *parts]:
            self.mark(record, sorted(within[record.at], key=str.encode), kind, None if others else outcome)

    def regroup(self, records):
        before, after = (sorted((record for record in records if record.is_before == side), key=lambda record: record.order) for side in (True, False))
        if not before or not after or union(before) != union(after):
            return
        if len(records) > 2 and {(record.start, record.end) for record in before} & {(record.start, record.end) for record in after}:
            return
        law = law_of(after, before, False)
        if law:
            name, (last, first), unit, outcome = law
            key = min((record.identity for record in records), key=str.encode)
            rest = {"law": name, "measure_after": number(last), "measure_before": number(first), "outcome": outcome, "residual": number(last - first), "unit": unit}
            if after[0].source:
                rest["source"] = after[0].source
            self.add("regrouped", key, before, after, rest)
            for record in records:
                self.mark(record, [key], "regrouped", outcome)


def stretches_of(records):
    """Records in their order, in lists of those that overlap: each starts before the latest end so far."""
    found, latest = [], None
    for record in records:
        if found and record.start < latest:
            found[-1].append(record)
            latest = max(latest, record.end)
        else:
            found.append([record])
            latest = record.end
    return found


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


def same(one, other):
    return math.isfinite(one - other) and abs(one - other) <= TOLERANCE * max(abs(one), abs(other))


def are_totals_kept(one, other):
    """Whether workouts of both sides state the same energy and the same distance; what none states is 0."""
    try:
        return all(same(*(exact_sum(record.totals[name] for record in records if record.totals.get(name) is not None) for records in (one, other)))
                   for name in ("distance", "energy"))
    except Beyond:
        return False


def law_of(one, other, is_container):
    """Name, figures, unit and outcome of the first law that holds between a container and its parts, or records after and before; None where none does."""
    measure = one[0].measure
    names = {"cumulative": ["sum"], "category": ["duration"], "workout": ["duration"]}.get(measure["measure"])
    if names is None:
        names = ["value"] + (["mean"] if is_container else []) + ["time_weighted_mean"] if measure["unit"] != "dBASPL" else ["value"]
        names = ["series", *names, "range"] if is_container else names
    for name in names:
        figures = holds(name, one, other)
        if figures:
            if name == "range":
                outcome = "not_provable"
            elif not are_totals_kept(one, other):
                outcome = "changed"
            else:
                outcome = "kept" if are_days_kept(name, one, other) else "days_changed"
            return name, figures, "s" if name == "duration" else measure["unit"], outcome
    return None


def are_days_kept(name, one, other):
    days = {record.day for record in one + other}
    halves = [[[record for record in records if record.day == day] for records in (one, other)] for day in days]
    return len(days) == 1 or all(first and second and holds(name, first, second) for first, second in halves)


def holds(name, one, other):
    """The figures of both, where a law holds."""
    try:
        figures = figure(name, one), figure(name, other)
        magnitudes = [figure("magnitude", records) for records in (one, other)] if name == "sum" else [0, 0]
    except Beyond:
        return None
    if None in figures or not math.isfinite(figures[0] - figures[1]):
        return None
    values = [record.canonical for record in other]
    if name == "series":
        points = "".join("%d:%s\n" % (round(Fraction(record.start) * 1000000), struct.pack(">d", record.version["numeric_value"] + 0.0).hex())
                         for record in sorted(other, key=lambda record: record.order))
        is_held = all(record.version.get("unit") == one[0].version.get("unit") for record in other) and one[0].series == hashlib.sha256(points.encode()).hexdigest()
    elif name == "value":
        is_held = len({six_digits(record.canonical) for record in one + other}) == 1
    elif name == "range":
        is_held = (figures[0] >= min(values) or same(figures[0], min(values))) and (figures[0] <= max(values) or same(figures[0], max(values)))
    else:
        is_held = same(*figures)
    if name == "sum":
        is_held = is_held and same(*magnitudes)
    return figures if is_held else None


def figure(name, records):
    if name == "duration":
        if records[0].measure["measure"] == "workout":
            return exact_sum(record.seconds for record in records)
        return exact_sum(end - start for start, end in union(records))
    values = [record.canonical for record in records]
    if name == "magnitude":
        return exact_sum(map(abs, values))
    if len(values) == 1:
        return values[0]
    if name == "time_weighted_mean":
        if any(record.length == 0 for record in records):
            return None
        weighted = [record.length * value for record, value in zip(records, values)]
        return exact_sum(weighted) / exact_sum(record.length for record in records) if all(map(math.isfinite, weighted)) else None
    return exact_sum(values) / (1 if name == "sum" else len(values))


def union(records):
    """The stretches of time that records cover."""
    stretches = []
    for record in sorted(records, key=lambda record: record.start):
        if stretches and record.start <= stretches[-1][1]:
            stretches[-1][1] = max(stretches[-1][1], record.end)
        else:
            stretches.append([record.start, record.end])
    return stretches
