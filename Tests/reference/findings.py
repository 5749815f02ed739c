"""Spec/changes.md, "Findings": evidence that somebody may want to look at, the slow and obvious way."""

import math
from collections import defaultdict

from comparisons import Facts, exact_sum, finite, incomplete, measured, named, run_reasons, type_name, with_side
from export_bundle import fault, is_in_years, order, row_of, stored_order, timestamp

THRESHOLDS = {"baseline_days": 180, "current_days": 30, "divergence_ratio": 2, "late_arrival_seconds": 604800, "minimum_days": 7}
NAMED, QUIET_SECONDS = ("bundle_identifier", "source_name_hash"), 2592000


class Findings:
    """The `finding` items of a `Comparison`."""

    def __init__(self, comparison, export, thresholds):
        self.comparison, self.export, self.thresholds = comparison, export, thresholds
        self.facts = Facts(comparison)
        self.visible = self.facts.visible
        self.items = [*self.disappearances(), *self.divergences(), *self.exact_duplicates(), *self.late_arrivals(),
                      *self.semantic_duplicates(), *self.sources()]
        self.items.sort(key=finding_order)

    def observed_at(self, name):
        """When F ("before") or T ("after") observed, where that has a timestamp."""
        stored = self.comparison.sides[name].observation["observed_at"]
        return None if fault(stored, "timestamp", True) else float(stored.value)

    # One per type

    def disappearances(self):
        for name, changes in self.facts.changes.items():
            count = sum(change.kind == "disappeared" for change in changes)
            if count:
                before, after = (len(self.visible[part].get(name, [])) for part in ("before", "after"))
                times = self.observed_at("before"), self.observed_at("after")
                yield finding("disappearance", name, after_count=after, before_count=before, disappeared_count=count,
                              disappeared_share=count / before,
                              elapsed_seconds=None if None in times else times[1] - times[0])

    def divergences(self):
        observed = self.observed_at("after")
        if observed is None:
            return
        self.days = self.comparison.archive.days(self.comparison.sides["after"].id)
        today = self.days.number(observed)
        current = range(today - int(self.thresholds["current_days"]), today)
        baseline = range(current.start - int(self.thresholds["baseline_days"]), current.start)
        for name, records in self.visible["after"].items():
            found = self.divergence(records, baseline, current)
            if found:
                yield finding("divergence", name, **found, baseline_start=self.day_text(baseline.start),
                              current_start=self.day_text(current.start), current_end=self.day_text(today))

    def day_text(self, day):
        first = float(self.days.first_of(day))
        return timestamp(first) if is_in_years(first) else None

    def divergence(self, records, baseline, current):
        measure = records[0].measure
        total = {"cumulative": "value_sum", "discrete": "value_mean"}.get(measure["measure"])
        days = defaultdict(list)
        first, last = self.days.first_of(baseline.start), self.days.first_of(current.stop)
        for record in records:
            if record.value is not None and record.start is not None and first <= record.start < last:
                days[self.days.number(record.start)].append(record)
        spans = [[measured(days[day], measure) for day in span if day in days] for span in (baseline, current)]
        if total is None or min(map(len, spans)) < self.thresholds["minimum_days"]:
            return None
        if any(day["other_unit_count"] or day.get(total) is None for span in spans for day in span):
            return None
        values = [[day[total] for day in span] for span in spans]
        spreads = list(map(standard_deviation, values))
        if None in spreads or spreads[0] == 0:
            return None
        ratio = spreads[1] / spreads[0]
        if not math.isfinite(ratio) or not ratio > self.thresholds["divergence_ratio"]:
            return None
        return {"baseline_day_count": len(spans[0]), "current_day_count": len(spans[1]),
                "baseline_mean": exact_sum(values[0]) / len(values[0]), "current_mean": exact_sum(values[1]) / len(values[1]),
                "measure": measure["measure"], "method": measure["method"], "unit": measure["unit"],
                "baseline_standard_deviation": spreads[0], "current_standard_deviation": spreads[1], "ratio": ratio}

    # One per group of records

    def groups(self, *members):
        """(type, key, records) of the records visible at T that have all of these members."""
        for name, records in self.visible["after"].items():
            found = defaultdict(list)
            for record in records:
                if all(record[member] is not None for member in members):
                    found[record[members[0]]].append(record)
            yield from ((name, key, group) for key, group in found.items())

    def exact_duplicates(self):
        for name, key, group in self.groups("payload_hash"):
            if len({record.sample for record in group}) > 1:
                first = min(group, key=lambda record: stored_order(record.version))
                yield finding("exact_duplicate", name, payload_hash=key, record_count=len(group),
                              start_date=first["start_date"], end_date=first["end_date"])

    def semantic_duplicates(self):
        for name, key, group in self.groups("visible_fingerprint", "payload_hash"):
            group = [record for record in group if record.has_value]
            payloads = {record["payload_hash"] for record in group}
            if len(payloads) > 1:
                yield finding("semantic_duplicate", name, semantic_fingerprint=key, record_count=len(group),
                              payload_count=len(payloads))

    # One per source

    def sources(self):
        """The sources that appeared, state another product or went quiet."""
        comparison = self.comparison
        if comparison.sides["before"].id >= comparison.sides["after"].id:
            return
        observed = self.observed_at("before")
        coverage = (("from", with_side(self.export["from_coverage"], comparison.sides["before"].id)), ("to", with_side(self.export["coverage"], comparison.sides["after"].id)))
        groups = defaultdict(lambda: {"before": [], "after": []})
        for part, records_of_type in self.visible.items():
            for records in records_of_type.values():
                for record in records:
                    if any(name in record.source for name in NAMED):
                        groups[tuple(record.source.get(name) for name in NAMED)][part].append(record)
        is_complete = lambda record: not incomplete(comparison, coverage, record.type)
        for group in groups.values():
            before, after = group["before"], group["after"]
            if not before:
                if any(is_complete(record) for record in after):
                    yield source_finding("source_appeared", before, after)
                continue
            for product in {record.source["product_type"] for record in after if "product_type" in record.source}:
                mine = [record for record in after if record.source.get("product_type") == product]
                if not any(record.source.get("product_type") == product for record in before) and any(is_complete(record) for record in mine):
                    yield source_finding("source_changed", [], mine, product)
            if observed is None:
                continue
            # Types whose latest record of the source is recent.
            recent = [record for record in before if record.start is not None and record.start >= observed - QUIET_SECONDS]
            is_quiet = not any(record.start is not None and record.start >= observed for record in after)
            if recent and is_quiet and all(is_complete(record) for record in recent):
                yield source_finding("source_quiet", before, after)

    # One per record

    def late_arrivals(self):
        is_newer = self.comparison.sides["after"].id >= self.comparison.sides["before"].id
        older = with_side(self.export["from_coverage" if is_newer else "coverage"], self.comparison.sides["before" if is_newer else "after"].id)
        for name, changes in self.facts.changes.items():
            verified = self.verified_at(older, name)
            if run_reasons("", older, name) or verified is None:
                continue
            for change in changes:
                if change.kind == "appeared" and self.is_new(change.sample) and not self.was_there(change, name):
                    record = self.facts.record(change.sample, change.after)
                    dates = [record.start, record.end]
                    if None not in dates and verified - max(dates) > self.thresholds["late_arrival_seconds"]:
                        yield from self.late_arrival(name, record)

    def verified_at(self, coverage, name):
        """When the observation was made whose run of the type a coverage names, where that is known."""
        entry = next((entry for entry in coverage if entry.get("sample_type") == name), {})
        row = self.comparison.archive.observations.get(entry.get("observation_id"))
        return None if row is None or fault(row["observed_at"], "timestamp", True) else float(row["observed_at"].value)

    def is_new(self, sample):
        row = row_of(self.comparison.archive.samples, sample)
        stored = row["first_seen_observation_id"] if row else None
        return stored is not None and stored.storage_class == "integer" and self.comparison.is_evidence(stored)

    def was_there(self, change, name):
        """Whether a record that appeared is in a pair, or could be one that was rejected before and no longer is."""
        comparison = self.comparison
        marks = comparison.pairs_of([comparison.item(each) for each in comparison.changes]).marks
        if comparison.changes.index(change) in marks:
            return True
        start, chain = row_of(comparison.archive.versions, change.after)["start_date"].value, comparison.archive.observations[comparison.low]["device_chain_id"].value
        return any(
            of_chain == chain and (type_id is None or type_name(comparison.archive.types.get(type_id)) == name) and begin in (None, start)
            and first <= comparison.low and last is not None and comparison.low < last <= comparison.high
            for of_chain, type_id, begin, first, last in comparison.archive.rejected_starts)

    def late_arrival(self, name, record):
        if record.start is None or record.first_seen_at is None:
            return
        delay = record.first_seen_at - record.start
        if delay > self.thresholds["late_arrival_seconds"]:
            copied = ("end_date", "first_seen_at", "first_seen_observation_id", "payload_hash", "sample_uuid_hash",
                      "start_date", "strict_fingerprint")
            yield finding("late_arrival", name, delay_seconds=delay, **{member: record[member] for member in copied})


def finding(kind, sample_type, **members):
    return finite({"finding": kind, "item_kind": "finding", **named(sample_type), **members})


def source_finding(kind, before, after, product=None):
    starts = {name: [record.start for record in records if record.start is not None] for name, records in (("before", before), ("after", after))}
    first, last = (min(starts["after"], default=None), max(starts["after"] or starts["before"], default=None))
    source = {name: (before + after)[0].source[name] for name in NAMED if name in (before + after)[0].source}
    return finding(kind, None, after_count=len(after), before_count=len(before) or None, source={**source, **({"product_type": product} if product else {})},
                   start_date=None if first is None else timestamp(first), end_date=None if last is None else timestamp(last))


def finding_order(item):
    identity = item.get("sample_uuid_hash", item.get("strict_fingerprint"))
    source = item.get("source", {})
    return [order(item.get("sample_type")), order(item["finding"]), order(item.get("start_date")), order(identity),
            order(item.get("payload_hash")), order(item.get("semantic_fingerprint")),
            *(order(source.get(name)) for name in ("bundle_identifier", "product_type", "source_name_hash"))]


def standard_deviation(values):
    """Of the values' spread around their mean; None where it is not finite."""
    total = exact_sum(values) if None not in values else None
    if total is None:
        return None
    mean = total / len(values)
    squares = exact_sum((value - mean) * (value - mean) for value in values)
    return None if squares is None else math.sqrt(squares / len(values))

