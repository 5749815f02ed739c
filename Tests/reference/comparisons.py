"""Spec/changes.md, "Comparison": counts and measures before and after, windows, labels. Sums are exact: fractions."""

import math
from collections import defaultdict
from fractions import Fraction

import workouts
import identity
from days import RINGS, days_of_rules
from export_bundle import Draft, canonical, fault, order, row_of, timestamp
from measures import converted, measure_of

THRESHOLDS = {"window_bound_days": 1, "window_gap_seconds": 3600}
TOLERANCE = 1e-5
SOURCE = ("bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version")
MEANT = ("HKBloodGlucoseMealTime", "HKBodyTemperatureSensorLocation", "HKHeartRateSensorLocation", "HKIndoorWorkout",
         "HKInsulinDeliveryReason", "HKMenstrualCycleStart", "HKMetadataKeyHeartRateMotionContext", "HKVO2MaxTestType",
         "HKWasUserEntered")
WORKOUT = "HKWorkoutTypeIdentifier"
REPLACED = ("HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierWalkingHeartRateAverage")
LABELS = ("aggregateChanged", "appeared", "consolidationLikely", "disappeared", "replacedNotProvable", "representationChanged", "uncertain")
DAY = 86400


class Record:
    """What comparisons and findings look at of a sample and one of its versions: the members that are written, dates as doubles."""

    def __init__(self, comparison, sample, version):
        draft = Draft()
        comparison.put_sample(draft, sample)
        comparison.put_version(draft, version)
        row = row_of(comparison.archive.versions, version) or {}
        seen = row_of(comparison.archive.samples, sample) or {}
        self.sample, self.version, self.members = sample, version, draft.members
        self.type = draft.members.get("sample_type")
        self.start, self.end, self.value = (self.number(row, name) for name in ("start_date", "end_date", "numeric_value"))
        self.first_seen_at = self.number(seen, "first_seen_at")
        self.has_rules, self.created = comparison.archive.identity_rules == 2, draft.members.get("created_observation_id")
        source = draft.members.get("source", {})
        self.source = {name: source[name] for name in SOURCE if name in source}
        self.has_value = any(row and row[name].storage_class in classes for name, classes in (
            ("numeric_value", ("integer", "real")), ("category_value", ("integer",)), ("workout_activity_type", ("integer",))))
        self.measure = measure_of(self.type)
        self.has_amount = self.measure["measure"] in ("cumulative", "discrete")
        self.amount = converted(self.value, self["unit"], self.type) if self.has_amount and self.value is not None else None
        self.part = self[{"category": "category_value", "workout": "workout_activity_type"}.get(self.measure["measure"])]
        self.length = 0.0 if self.start is None or self.end is None else max(0.0, self.end - self.start)
        if self.measure["measure"] == "workout" and "duration_seconds" in self.members:
            self.length = float(self["duration_seconds"])
        self.totals = workouts.totals(self["metadata"]) if self.measure["measure"] == "workout" else {}

    @property
    def span(self):
        """Start and end; None where one is absent."""
        return None if self.start is None or self.end is None else (self.start, max(self.start, self.end))

    def stated(self):
        """What its metadata state of how the value is meant."""
        metadata = self["metadata"] if isinstance(self["metadata"], dict) else {}
        return {(key, canonical(metadata[key])) for key in MEANT
                if key in metadata and isinstance(metadata[key], (str, bool, int, float))}

    def number(self, row, name):
        return float(row[name].value) if name in self.members else None

    def __getitem__(self, name):
        return self.visible_fingerprint() if name == "visible_fingerprint" else self.members.get(name)

    def visible_fingerprint(self):
        """The semantic fingerprint of the version itself: that of its sample is of the first version."""
        first = self.members.get("first_seen_observation_id")
        if not self.has_rules or self.created == first:
            return self.members.get("semantic_fingerprint")
        if self.type is None or self.start is None or self.end is None:
            return None
        columns = {**{name: self[name] for name in ("value_kind", "numeric_value", "unit", "category_value", "workout_activity_type")}, "start_date": self.start, "end_date": self.end}
        preimage, _ = identity.family(self.type, columns)
        return preimage and identity.sha256(preimage)


def exact_sum(doubles):
    """The exact sum, rounded once; None where it is not finite or there is nothing to add."""
    doubles = list(doubles)
    try:
        return float(sum(map(Fraction, doubles))) if doubles and all(map(math.isfinite, doubles)) else None
    except OverflowError:
        return None


def finite(members):
    """Without the members that are absent or not finite; -0 is 0."""
    kept = {}
    for name, value in members.items():
        if isinstance(value, float):
            value = value + 0.0 if math.isfinite(value) else None
        if value is not None:
            kept[name] = value
    return kept


# Sides

ROOTS = [math.sqrt(10)]
while len(ROOTS) < 40:
    ROOTS.append(math.sqrt(ROOTS[-1]))


def power(level):
    """10^(level / 10) from operations that are rounded correctly; None beyond 1000 decibels."""
    if abs(level) > 1000:
        return None
    exponent = math.floor(level / 10)
    rest, found = level / 10 - exponent, 1.0
    for _ in range(abs(exponent)):
        found = found * 10 if exponent > 0 else found / 10
    for k, root in enumerate(ROOTS, 1):
        if rest >= 2.0 ** -k:
            rest -= 2.0 ** -k
            found *= root
    return found


def level(found):
    exponent = 0.0
    while found >= 10:
        found, exponent = found / 10, exponent + 1
    while found < 1:
        found, exponent = found * 10, exponent - 1
    for k, root in enumerate(ROOTS, 1):
        if found >= root:
            found /= root
            exponent += 2.0 ** -k
    return exponent * 10


def mean(records, method):
    values = [record.amount for record in records]
    if method == "mean":
        total = exact_sum(values)
        return None if total is None else total / len(values)
    weights = [max(1.0, record.length) for record in records]
    if method == "equivalent_level":
        values = [power(value) for value in values]
        if None in values:
            return None
    total = exact_sum(value * weight for value, weight in zip(values, weights))
    weight = exact_sum(weights)
    if total is None or weight is None or not math.isfinite(total / weight):
        return None
    return level(total / weight) if method == "equivalent_level" else total / weight


def parts(records):
    found = defaultdict(list)
    for record in records:
        if record.part is not None:
            found[record.part].append(record)
    return [finite({"value": value, "record_count": len(found[value]), "seconds": exact_sum(r.length for r in found[value]), **totals(found[value])})
            for value in sorted(found)]


def unstated(records):
    """What the records without a value come to, in a list, if there are any."""
    left = [record for record in records if record.part is None]
    return [finite({"record_count": len(left), "seconds": exact_sum(r.length for r in left), **totals(left)})] if left else []


def totals(records):
    members = {}
    for name in ("distance", "energy"):
        amounts = [record.totals[name] for record in records if record.totals.get(name) is not None]
        members[name], members[name + "_count"] = exact_sum(amounts), len(amounts) or None
    return members


def side(records, measure):
    """`before` or `after` of a type or a window."""
    starts = [r.start for r in records if r.start is not None]
    ends = [r.end for r in records if r.end is not None]
    start, end = min(starts, default=None), max(ends, default=None)
    both = [r.end - r.start for r in records if r.start is not None and r.end is not None]
    total = exact_sum(both)
    span = None if start is None or end is None else end - start
    return finite({
        "earliest_start_date": None if start is None else timestamp(start),
        "latest_end_date": None if end is None else timestamp(end),
        "interval_seconds": total,
        "mean_interval_seconds": None if total is None else total / len(both),
        "record_count": len(records),
        "records_per_hour": len(records) * 3600.0 / span if span is not None and span > 0 else None,
        **measured(records, measure)})


def measured(records, measure):
    """What the values of a side come to."""
    kind = measure["measure"]
    if kind in ("category", "workout"):
        found = parts(records)
        return {"value_count": sum(part["record_count"] for part in found), "parts": found or None}
    values = [record for record in records if record.amount is not None]
    found = {"value_count": len(values)}
    if kind in ("cumulative", "discrete"):
        found["other_unit_count"] = sum(r.value is not None and r.amount is None for r in records) or None
        found["value_max"] = max((record.amount for record in values), default=None)
        found["unit"] = measure["unit"] if values else None
    if kind == "cumulative":
        found["value_sum"] = exact_sum(record.amount for record in values)
    if kind == "discrete" and values:
        found["value_min"] = min(record.amount for record in values)
        found["value_mean"] = mean(values, measure["method"])
    return found


def sources(before, after):
    found = {}
    for name, records in (("before_count", before), ("after_count", after)):
        for record in records:
            key = [order(record.source.get(part)) for part in SOURCE]
            entry = found.setdefault(tuple(key), {**record.source, "after_count": 0, "before_count": 0})
            entry[name] += 1
    return [found[key] for key in sorted(found)]


# Windows

class Piece:
    """Changes whose spans overlap."""

    def __init__(self, dated):
        """`dated` is a list of (start, end, change, versions before, versions after)."""
        self.dated = dated
        self.start, self.end = dated[0][0], max(end for _, end, *_ in dated)
        self.before = unique(record for entry in dated for record in entry[3])
        self.after = unique(record for entry in dated for record in entry[4])
        self.kind = ("both" if self.before and self.after else "before" if self.before else "after")


def unique(records):
    return list({(record.sample, record.version): record for record in records}.values())


def pieces_of(dated):
    """Pieces of changes that are sorted by their spans."""
    found = []
    for entry in dated:
        start, end = entry[:2]
        if found:
            first, latest = found[-1][0][0], max(other for _, other, *_ in found[-1])
            if start < latest or (start // 1 == latest // 1 and latest // 1 in (end // 1, first // 1)):
                found[-1].append(entry)
                continue
        found.append([entry])
    return [Piece(entries) for entries in found]


def windows_of_pieces(pieces, gap, bound):
    """Pieces with one verdict in lists, one for each window."""
    windows, latest = [], None
    for piece in pieces:
        if windows and piece.verdict == windows[-1][0].verdict and piece.start - latest <= gap and bound(piece.start) == bound(windows[-1][0].start):
            windows[-1].append(piece)
            latest = max(latest, piece.end)
        else:
            windows.append([piece])
            latest = piece.end
    return windows


def union(spans):
    """Length of what spans cover, exact."""
    total, latest = Fraction(0), None
    for start, end in sorted(spans):
        if latest is None or start > latest:
            total += Fraction(end) - Fraction(start)
            latest = end
        elif end > latest:
            total += Fraction(end) - Fraction(latest)
            latest = end
    return total


def coverage(pieces):
    """The members of `evidence` about time."""
    before = [record.span for piece in pieces for record in piece.before if record.span]
    after = [record.span for piece in pieces for record in piece.after if record.span]
    instants = [(piece, record.start) for piece in pieces for record in piece.before
                if record.span and record.span[0] == record.span[1]]
    within = sum(any(start <= moment <= end for start, end in (r.span for r in piece.after if r.span))
                 for piece, moment in instants)
    covered, common = union(before), union(before) + union(after) - union(before + after)
    return {"common_seconds": float(common), "covered_seconds_before": float(covered),
            "covered_seconds_after": float(union(after)),
            "coverage_overlap": float(common) / float(covered) if covered else None,
            "instants_before": len(instants), "instants_within": within,
            "instant_overlap": within / len(instants) if instants else None}


# Evidence


def is_within(tolerance, before, after):
    return abs(after - before) <= tolerance * max(abs(before), abs(after))


def are_one(values):
    """Whether greatest and least differ by at most a millionth of the greater magnitude."""
    values = list(values)
    return not values or is_within(1e-6, min(values), max(values))


def compared(kind, before, after, records_before, records_after):
    """`measure_delta` and `measure_kept`, each None where the measure cannot be compared."""
    if not records_before or not records_after:
        return None, None
    if kind == "event":
        delta = after["record_count"] - before["record_count"]
        return float(delta), delta == 0
    if kind in ("cumulative", "discrete"):
        name = "value_sum" if kind == "cumulative" else "value_mean"
        if any(half["value_count"] != half["record_count"] or name not in half for half in (before, after)):
            return None, None
        return after[name] - before[name], same(before[name], after[name])
    delta, kept = 0.0, True
    halves = [{part.get("value"): part for part in parts(records) + unstated(records)} for records in (records_before, records_after)]
    for value in sorted(halves[0].keys() | halves[1].keys(), key=lambda value: (value is not None, value)):
        one, other = (half.get(value, {"seconds": 0.0, "record_count": 0}) for half in halves)
        stated = [[part.get(name, None if part.get(name + "_count") else 0.0) for part in (one, other)] for name in ("seconds", "distance", "energy")]
        if any(None in pair for pair in stated) or "seconds" not in one or "seconds" not in other:
            return None, None
        delta += abs(other["seconds"] - one["seconds"])
        kept = kept and all(same(*pair) for pair in stated)
        if one["seconds"] == other["seconds"] == 0 and one["record_count"] != other["record_count"]:
            kept = False
    return delta, kept


def are_sources_compatible(before, after):
    def fits(source, known):
        apps = [(s.get("bundle_identifier"), None if "bundle_identifier" in s else s.get("source_name_hash"))
                for s in (source, known)]
        products = {s["product_type"] for s in (source, known) if "product_type" in s}
        return apps[0] == apps[1] and len(products) < 2

    return all(any(fits(record.source, known.source) for known in before) for record in after)


def evidence(before, after, halves, kind, pieces, visible):
    """`pieces` is None without dates; `visible` is the side of the type at T."""
    delta, kept = compared(kind, *halves, before, after)
    have_peaks = all("value_min" in half for half in halves)
    return finite({
        **(coverage(pieces) if pieces is not None else {}),
        "measure_delta": delta, "measure_kept": kept,
        "metadata_compatible": are_metadata_compatible(before, after),
        "peaks_kept": all(are_one(half[name] for half in halves) for name in ("value_min", "value_max")) if have_peaks else None,
        "record_count_delta": len(after) - len(before),
        "sources_compatible": are_sources_compatible(before, after),
        "visible_end": visible.get("latest_end_date"), "visible_start": visible.get("earliest_start_date")})


def run_reasons(name, coverage, sample_type):
    """What is incomplete about a type's run: of the first entry of the type, if there is any."""
    entry = next((entry for entry in coverage if entry.get("sample_type") == sample_type), {"status": "never_queried"})
    if entry.get("status") == "never_queried":
        return [name + "_never_queried"]
    if entry.get("status") != "completed":
        return [name + "_run_not_completed"]
    return [name + "_state_unknown"] if is_state_unknown(entry) else []


def incomplete(comparison, coverage, name):
    """Why what is seen of a type need not be all."""
    archive = comparison.archive
    is_of = lambda type_id: type_id is None or type_name(archive.types.get(type_id)) == name
    sides = [{key: count for key, count in archive.rejected_at(side.id).items() if is_of(key[0])} for side in comparison.sides.values()]
    others = ["rejected_records_differ"] if sides[0] != sides[1] else []
    return others + [reason for part, entries in coverage for reason in run_reasons(part, entries, name)]


def is_state_unknown(entry):
    """Rejected records alone leave nothing unknown where the other side has the same: these are compared."""
    words = entry.get("discontinuity", "").split()
    is_sound = words in (["rejected_records"], ["rejected_records", "clock_backwards"]) and "withheld_count" not in entry
    is_alone = is_sound and (entry.get("mode") == "full_scan" or "stated_count" in entry)
    return entry.get("state") == "unknown" and not (is_alone and entry["observation_id"] == entry["side"])


def type_name(row):
    """The identifier of a type as items have it."""
    draft = Draft()
    if row is not None:
        draft.put("sample_type", row["type_identifier"], "text", required=True)
    return draft.members.get("sample_type")


def with_side(coverage, observation):
    """The entries of a coverage, each with the observation that it is of."""
    return [{**entry, "side": observation} for entry in coverage]


# Labels


def same(one, other):
    return math.isfinite(one - other) and abs(one - other) <= TOLERANCE * max(abs(one), abs(other))


def are_metadata_compatible(before, after):
    return {s for r in after for s in r.stated()} <= {s for r in before for s in r.stated()}


def verdict_on_leftovers(before, after, measure):
    """The verdict on records in each other's place; None where it says nothing."""
    halves = side(before, measure), side(after, measure)
    delta, kept = compared(measure["measure"], *halves, before, after)
    if kept is None:
        if any("other_unit_count" in half for half in halves):
            return "uncertain", ["units_differ"]
        return "uncertain", ["values_incomplete" if halves[0]["value_count"] or halves[1]["value_count"] else "values_missing"]
    if kept and not are_sources_compatible(before, after):
        return "uncertain", ["sources_differ"]
    return None if kept and measure["measure"] == "event" else ("aggregateChanged", [])


class Facts:
    """The records of a `Comparison`, visible or changed, by sample type."""

    def __init__(self, comparison):
        self.comparison, self.records = comparison, {}
        self.visible = {name: self.by_type(comparison.selected(name)) for name in ("before", "after")}
        self.changes = defaultdict(list)
        for change in comparison.changes:
            self.changes[self.record(change.sample, change.leading).type].append(change)

    def record(self, sample, version):
        key = sample, version
        if key not in self.records:
            self.records[key] = Record(self.comparison, sample, version)
        return self.records[key]

    def by_type(self, pairs):
        found = defaultdict(list)
        for pair in pairs:
            found[self.record(*pair).type].append(self.record(*pair))
        return found


class Summary:
    """The `comparison` items of a `Comparison`."""

    def __init__(self, comparison, export, thresholds):
        self.comparison, self.thresholds, self.facts = comparison, thresholds, Facts(comparison)
        self.visible, self.changes, self.record = self.facts.visible, self.facts.changes, self.facts.record
        self.coverage = (("from", with_side(export["from_coverage"], comparison.sides["before"].id)), ("to", with_side(export["coverage"], comparison.sides["after"].id)))
        self.moments = [self.observed_at(comparison.sides[name].observation) for name in ("before", "after")]
        self.workouts = self.spans_of_workouts()
        self.days = comparison.days()
        outcomes = comparison.pairs_of([comparison.item(change) for change in comparison.changes]).outcomes
        self.pairs = {change: outcomes.get(at) for at, change in enumerate(comparison.changes)}
        self.labels_of_changes = {}
        self.links = defaultdict(list)
        for change in () if comparison.across_chains else comparison.link_changes():
            self.links[type_name(row_of(comparison.archive.types, row_of(comparison.archive.samples, change.sample)["sample_type_id"]))].append(change)
        asked = {entry["sample_type"] for _, entries in self.coverage for entry in entries if entry.get("status") != "never_queried" and "sample_type" in entry}
        types = sorted({*self.changes, *self.visible["before"], *self.visible["after"], *asked, *self.links}, key=order)
        wholes = {name: self.type_item(name) for name in types}
        windows = {name: self.windows_of(name, wholes[name]["after"]) for name in types}
        self.items = [self.whole(comparison.changes, windows)]
        for name in types:
            self.items += [{**wholes[name], "labels": labels(windows[name])}, *windows[name]]

    @staticmethod
    def observed_at(observation):
        stored = observation["observed_at"]
        return None if fault(stored, "timestamp", True) else float(stored.value)

    def spans_of_workouts(self):
        """Of all workouts that are visible at T and last five minutes, whatever the filter selects."""
        records = [self.record(*pair) for pair in self.comparison.visible["after"]]
        return [r.span for r in records if r.type == WORKOUT and r.span and r.span[1] - r.span[0] >= 300]

    def days_of(self, name):
        """The days of a type's records: rings have a date, that of UTC."""
        return days_of_rules("[0]") if name == RINGS else self.days

    def bound(self, name, moment):
        """How many bounds lie at or before a moment, counted from 1970-01-01."""
        return self.days_of(name).number(moment) // int(self.thresholds["window_bound_days"])

    def item(self, changes, **members):
        counts = {kind + "_count": sum(change.kind == kind for change in changes)
                  for kind in ("appeared", "disappeared", "representation_changed")}
        return {"item_kind": "comparison", **counts, **members}

    @staticmethod
    def link_counts(changes):
        counts = {kind: sum(change.kind == kind for change in changes) for kind in ("relationship_appeared", "relationship_changed", "relationship_disappeared")}
        return {kind + "_count": count for kind, count in counts.items() if count}

    def whole(self, changes, windows):
        found = {name: {"record_count": sum(map(len, self.visible[name].values()))} for name in ("before", "after")}
        archive, observation = self.comparison.archive, self.comparison.sides["after"].id
        if archive.withheld is not None:
            found.update(rejected_count=sum(archive.rejected_at(observation).values()), withheld_count=archive.withheld_at(observation))
        return self.item(changes, labels=labels(sum(windows.values(), [])), **self.link_counts(sum(self.links.values(), [])), **found, **self.replaced(changes))

    def type_item(self, name):
        before, after = (self.visible[part].get(name, []) for part in ("before", "after"))
        reasons = sorted(self.incomplete(name))
        state = next((entry.get("state") if is_state_unknown(entry) or entry.get("state") != "unknown" else "verified"
                      for part, entries in self.coverage if part == "to" for entry in entries if entry.get("sample_type") == name), None)
        standing = "changed" if self.changes[name] or self.links[name] else "unknown" if reasons else state if state in ("verified", "continued") else "unchanged"
        return self.item(self.changes[name], before=side(before, measure_of(name)), after=side(after, measure_of(name)),
                         sources=sources(before, after), standing=standing, **({"standing_reasons": reasons} if reasons else {}),
                         **self.link_counts(self.links[name]), **measure_members(name), **named(name), **self.replaced(self.changes[name]))

    def replaced(self, changes):
        """How many records are in pairs of each kind and outcome, and how many in none."""
        found = defaultdict(lambda: {"after_count": 0, "before_count": 0})
        for change in changes:
            if change.kind != "representation_changed":
                found[self.pairs[change]]["after_count" if change.kind == "appeared" else "before_count"] += 1
        left = found.pop(None, None)
        entries = [{**found[pair], "pair": pair[0], **({"outcome": pair[1]} if pair[1] else {})} for pair in sorted(found, key=lambda pair: (pair[0], pair[1] or ""))]
        return {**({"left_over": left} if left else {}), **({"replaced": entries} if entries else {})}

    def verdict(self, name, piece):
        """Label and reasons of a piece: the first line of the table that fits."""
        reasons = sorted(self.incomplete(name))
        if reasons:
            return "uncertain", reasons
        changes = [entry[2] for entry in piece.dated]
        kinds = [change.kind for change in changes]
        if set(kinds) == {"appeared"}:
            return "appeared", []
        left = [[self.record(*pair) for change in changes if change.kind == kind and self.pairs[change] is None for pair in change.versions(part)]
                for kind, part in (("disappeared", "before"), ("appeared", "after"))]
        if left[0] and not left[1]:
            return "disappeared", []
        pairs = [self.pairs[change] for change in changes if change.kind != "representation_changed" and self.pairs[change]]
        if any(kind == "ambiguous" for kind, _ in pairs):
            return "uncertain", ["pairs_ambiguous"]
        found = verdict_on_leftovers(*left, measure_of(name)) if left[0] else None
        if found:
            return found
        outcomes = {outcome for _, outcome in pairs}
        outcomes |= {self.outcome(change) for change in changes if change.kind == "representation_changed"}
        for outcome, verdict in (
                ("units_differ", ("uncertain", ["units_differ"])), ("values_incomplete", ("uncertain", ["values_incomplete"])), ("changed", ("aggregateChanged", [])),
                ("days_changed", ("aggregateChanged", [])), ("source_changed", ("uncertain", ["sources_differ"])), ("not_provable", ("replacedNotProvable", []))):
            if outcome in outcomes:
                return verdict
        paired = [[change.kind for change in changes if self.pairs[change]].count(kind) for kind in ("disappeared", "appeared")]
        is_condensed = paired[0] > paired[1] and are_metadata_compatible(piece.before, piece.after)
        return ("consolidationLikely" if is_condensed else "representationChanged"), []

    def outcome(self, change):
        """What became of the measure of a sample whose version is another."""
        before, after = (self.record(change.sample, version) for version in (change.before, change.after))
        if None not in (before.start, after.start) and self.days_of(before.type).number(before.start) != self.days_of(after.type).number(after.start):
            return "changed"
        if before.has_amount:
            states = [(record.amount is not None, record.value is not None) for record in (before, after)]
            if (False, True) in states:
                return "units_differ"
            if states[0] != states[1]:
                return "values_incomplete"
            return "kept" if before.amount is None or same(before.amount, after.amount) else "changed"
        if before.measure["measure"] == "event":
            return "kept"
        totals = [[record.totals.get(name) or 0.0 for record in (before, after)] for name in ("distance", "energy")]
        is_kept = before.part == after.part and same(before.length, after.length) and all(same(*pair) for pair in totals)
        return "kept" if is_kept else "changed"

    def incomplete(self, name):
        return incomplete(self.comparison, self.coverage, name)

    def windows_of(self, name, visible):
        undated, dated = [], []
        for change in self.changes[name]:
            if self.record(change.sample, change.leading).span is None:
                undated.append(change)
                continue
            halves = [[self.record(*pair) for pair in change.versions(part)] for part in ("before", "after")]
            spans = [record.span for half in halves for record in half if record.span]
            dated.append((min(s for s, _ in spans), max(e for _, e in spans), change, *halves))
        found = [self.window(name, undated, None, visible)] if undated else []
        pieces = pieces_of(sorted(dated, key=lambda entry: entry[:2]))
        for piece in pieces:
            piece.verdict = self.verdict(name, piece)
        for group in windows_of_pieces(pieces, self.thresholds["window_gap_seconds"], lambda moment: self.bound(name, moment)):
            found.append(self.window(name, [entry[2] for piece in group for entry in piece.dated], group, visible))
        return found

    def window(self, name, changes, pieces, visible):
        before, after = (unique(self.record(*pair) for change in changes for pair in change.versions(part))
                         for part in ("before", "after"))
        measure = measure_of(name)
        halves = side(before, measure), side(after, measure)
        item = self.item(changes, before=halves[0], after=halves[1], sources=sources(before, after),
                         evidence=evidence(before, after, halves, measure["measure"], pieces, visible),
                         **measure_members(name), **named(name), **self.replaced(changes))
        counts = {kind: item[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed")}
        is_replaced = counts["appeared"] and counts["disappeared"]
        if pieces is None:
            reasons = self.incomplete(name)
            item["label"], item["reasons"] = "uncertain", sorted([*reasons, "dates_missing"])
        else:
            item["label"], item["reasons"] = pieces[0].verdict
            start, end = min(piece.start for piece in pieces), max(piece.end for piece in pieces)
            item.update(window_start=timestamp(start), window_end=timestamp(end), crosses_bound=self.crosses(name, start, end))
            item["look_alikes"] = self.look_alikes(name, counts, start, end, visible)
            if is_replaced and measure["measure"] in ("cumulative", "discrete"):
                item["signatures"] = self.signatures(name, measure["measure"], changes, pieces, end)
        self.labels_of_changes.update((change, (item["label"], item["reasons"])) for change in changes)
        return {key: value for key, value in item.items() if value != [] or key == "sources"}

    def crosses(self, name, start, end):
        step = int(self.thresholds["window_bound_days"])
        following = (self.bound(name, start) + 1) * step
        return self.days_of(name).first_of(following) < end

    def look_alikes(self, name, counts, start, end, visible):
        found = []
        observed, now = self.moments
        if name in REPLACED and counts["appeared"] and counts["disappeared"] and observed is not None \
                and start >= observed - 2 * DAY:
            found.append("daily_replacement")
        sides = self.comparison.sides
        if sides["before"].id < sides["after"].id and not counts["appeared"] and not counts["representation_changed"]:
            records = self.visible["after"].get(name, [])
            first = min((r.start for r in records if r.start is not None), default=None)
            last = max((r.end for r in records if r.end is not None), default=None)
            if first is not None and end <= first:
                found.append("narrowed_permission")
                if now is not None and first >= now - 8 * DAY:
                    found.append("watch_week")
            if start >= last if last is not None else first is None:
                found.append("truncated_export")
        return sorted(found)

    def signatures(self, name, kind, changes, pieces, end):
        both = [piece for piece in pieces if piece.kind == "both"]
        versions = [record for piece in both for record in piece.before]
        complete = both and all(record.amount is not None for record in versions)
        found = {"within_five_minutes": all(span[1] - span[0] <= 300 for change in changes if change.kind == "appeared"
                                            for span in [self.record(change.sample, change.after).span])}
        if complete and kind == "cumulative":
            found["equal_rate"] = all(are_one(r.amount / r.length for r in piece.before if r.length > 0) for piece in both)
        if complete and kind == "discrete":
            found["equal_value"] = all(are_one(r.amount for r in piece.before) for piece in both)
        if both:
            found["inside_workout"] = all(any(s <= piece.start and piece.end <= e for s, e in self.workouts) for piece in both)
        if self.moments[1] is not None:
            found["older_than_90_days"] = end <= self.moments[1] - 90 * DAY
        first = self.first_run(name)
        if first is not None:
            gone = [change for change in changes if change.kind == "disappeared"]
            found["condensed_again"] = all(self.is_later(change, *first) for change in gone)
        return found

    def is_later(self, change, first, moment):
        stored = row_of(self.comparison.archive.samples, change.sample)["first_seen_observation_id"]
        return (stored.storage_class == "integer" and stored.value > first
                and self.record(change.sample, change.before).end < moment)

    def first_run(self, name):
        """The first observation with a completed run of the type, and its moment; None where one is not known."""
        archive, scope = self.comparison.archive, self.comparison.sides
        newest = max(scope["before"].id, scope["after"].id)
        types = [i for i, row in archive.types.items() if name is not None and row["type_identifier"].value == name.encode()]
        found = min((run["observation_id"].value for run in archive.runs
                     if run["sample_type_id"].value in types and run["status"].value == b"completed"
                     and run["observation_id"].value <= newest
                     and run["observation_id"].value not in self.comparison.scope.foreign), default=None)
        if found not in archive.observations:
            return None
        moment = self.observed_at(archive.observations[found])
        return None if moment is None else (found, moment)


def measure_members(sample_type):
    measure = measure_of(sample_type)
    return {"measure": measure["measure"], "method": measure.get("method", "count")}


def named(sample_type):
    return {} if sample_type is None else {"sample_type": sample_type}


def labels(windows):
    found = defaultdict(int)
    for window in windows:
        found[window["label"]] += 1
    return dict(found)
