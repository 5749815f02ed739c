"""What the numbers of a comparison or a finding say about each other: Spec/changes.md, from the item and the header alone."""

from collections import Counter

from .ordering import date
from .reports import CHANGED_FIELDS, LABELS, row_of_comparison

CHANGE_COUNTS = ("appeared_count", "disappeared_count", "representation_changed_count")
RECORD_COUNTS = ("after/record_count", "before/record_count")
SUMS = ("value_max", "value_sum")


def faults_of_evidence(item, header):
    """Yields the code and the pointer of what is invalid: at most one, since each covers what the next is made of."""
    if item["item_kind"] == "change":
        yield from (("item.evidence", "/item/" + name) for name in sorted(wrong_in_change(item, header))[:1])
    if item["item_kind"] not in ("comparison", "finding"):
        return
    of_comparison = item["item_kind"] == "comparison"
    for code, faults in (("item.counts", counts_of_comparison if of_comparison else counts_of_finding),
                         ("item.evidence", evidence_of_comparison if of_comparison else evidence_of_finding),
                         ("item.label", label_of_window if of_comparison else finding_by_thresholds)):
        found = sorted(faults(item, header), key=str.encode)
        if found:
            yield code, "/item" + found[0]
            return


# Changes


def wrong_in_change(item, header):
    """Names of members of a change that do not follow from its versions and from coverage."""
    if "changed_fields" in item and item["changed_fields"] != changed_fields(item["before"], item["after"]):
        yield "changed_fields"
    for name, part in (("run_after", "coverage"), ("run_before", "from_coverage")) if header and part_of_changes(header) else ():
        found = [run_text(entry) for entry in header[part] if entry.get("sample_type") == item.get("sample_type")]
        if name in item and "sample_type" in item and len(found) == 1 and found[0] not in (None, item[name]):
            yield name


def part_of_changes(header):
    return "from_coverage" in header


def changed_fields(before, after):
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if "metadata_hash" in names:
        names.add("metadata")
    return sorted(names & CHANGED_FIELDS)


def run_text(entry):
    is_unknown = entry.get("status") == "completed" and entry.get("state") == "unknown"
    return "unknown" if is_unknown else entry.get("status")


# Counts


def counts_of_comparison(item, _):
    row = row_of_comparison(item)
    for side in ("before", "after"):
        whole = item[side]
        if whole.get("value_count", 0) > whole["record_count"]:
            yield "/%s/value_count" % side
        if "sources" in item and sum(entry[side + "_count"] for entry in item["sources"]) != whole["record_count"]:
            yield "/%s/record_count" % side
    if row == "window":
        appeared, disappeared, changed = (item[name] for name in CHANGE_COUNTS)
        if appeared + disappeared + changed < 1:
            yield "/appeared_count"
        for side, count in (("before", disappeared), ("after", appeared)):
            if not count + min(changed, 1) <= item[side]["record_count"] <= count + changed:
                yield "/%s/record_count" % side


def counts_of_finding(item, _):
    for kind, name, limit in (("disappearance", "disappeared_count", "before_count"),
                              ("semantic_duplicate", "payload_count", "record_count")):
        if item["finding"] == kind and item[name] > item[limit]:
            yield "/" + name


# Evidence


def differs(holder, name, expected):
    """Whether a member is another number than expected; a number that is not finite has no member."""
    if expected is not None and expected in (float("inf"), float("-inf")):
        expected = None
    return holder.get(name) != expected


def quotient(dividend, divisor):
    return dividend / divisor if divisor else None


def evidence_of_comparison(item, _):
    for side in ("before", "after") if row_of_comparison(item) != "all" else ():
        whole = item[side]
        start, end = window_of(whole)
        span = None if start is None or end is None else end - start
        hourly = whole["record_count"] * 3600 / span if span is not None and span > 0 else None
        if differs(whole, "records_per_hour", hourly):
            yield "/%s/records_per_hour" % side
        for name in SUMS if whole["value_count"] == 0 else ():
            if name in whole:
                yield "/%s/%s" % (side, name)
    if row_of_comparison(item) == "window":
        for name, expected in evidence(item).items():
            if differs(item["evidence"], name, expected):
                yield "/evidence/" + name


def evidence(item):
    before, after = item["before"], item["after"]
    bundles = [{entry.get("bundle_identifier") for entry in item["sources"] if entry[side + "_count"]}
               for side in ("before", "after")]
    return {"coverage_overlap": overlap(before, after),
            "record_count_delta": after["record_count"] - before["record_count"],
            "sources_compatible": bundles[1] <= bundles[0],
            "value_sum_delta": after["value_sum"] - before["value_sum"] if are_comparable(before, after) else None}


def window_of(side):
    return date(side, "earliest_start_date"), date(side, "latest_end_date")


def overlap(before, after):
    (b_start, b_end), (a_start, a_end) = window_of(before), window_of(after)
    if None in (b_start, b_end, a_start, a_end):
        return None
    whole = max(b_end, a_end) - min(b_start, a_start)
    return 1 if whole == 0 else max(0, min(b_end, a_end) - max(b_start, a_start)) / whole


def are_comparable(before, after):
    return "value_sum" in before and "value_sum" in after and before.get("unit") == after.get("unit")


def evidence_of_finding(item, header):
    expected = {}
    if item["finding"] == "disappearance":
        expected["disappeared_share"] = quotient(item["disappeared_count"], item["before_count"])
        observed = {entry.get("id"): date(entry, "observed_at") for entry in header["observations"]} if header else {}
        times = [observed.get(header["scope"].get(name)) for name in ("from_observation_id", "observation_id")] \
            if header else [None]
        if None not in times:
            expected["elapsed_seconds"] = times[1] - times[0]
    elif item["finding"] == "divergence":
        expected["ratio"] = quotient(item["current_standard_deviation"], item["baseline_standard_deviation"])
    elif item["finding"] == "late_arrival":
        expected["delay_seconds"] = date(item, "first_seen_at") - date(item, "start_date")
    return ["/" + name for name, value in expected.items() if differs(item, name, value)]


# Labels


def thresholds_of(header, kind):
    return header["scope"].get("thresholds") if header and header["export_kind"] == kind else None


def finding_by_thresholds(item, header):
    thresholds = thresholds_of(header, "finding_report")
    if thresholds and item["finding"] == "divergence":
        days = min(item["baseline_day_count"], item["current_day_count"])
        if not item["ratio"] > thresholds["divergence_ratio"] or days < thresholds["minimum_days"]:
            yield "/finding"
    elif thresholds and item["finding"] == "late_arrival":
        older = "from_coverage" if is_forward(header) else "coverage"
        if not item["delay_seconds"] > thresholds["late_arrival_seconds"] or statuses(item, header[older]) not in ([], ["completed"]):
            yield "/finding"


def is_forward(header):
    return header["scope"]["from_observation_id"] <= header["scope"]["observation_id"]


def statuses(item, coverage):
    """The status of the type's run, in a list; an empty one where there is not exactly one entry."""
    found = [entry.get("status") for entry in coverage if entry.get("sample_type") == item.get("sample_type")]
    return found if len(found) == 1 else []


def label_of_window(item, header):
    thresholds = thresholds_of(header, "diff_summary")
    if not thresholds or row_of_comparison(item) != "window":
        return
    reasons = run_reasons(item, header)
    if reasons is None:
        return
    if "window_start" not in item:
        reasons.append("dates_missing")
    label, reasons = ("uncertain", sorted(reasons)) if reasons else label_of_values(item, thresholds)
    if item["label"] != label:
        yield "/label"
    elif item.get("reasons", []) != reasons:
        yield "/reasons"


def run_reasons(item, header):
    """What is incomplete about the type's runs; None where the header does not have exactly one entry for each."""
    reasons = []
    for name, part in (("from", "from_coverage"), ("to", "coverage")):
        found = statuses(item, header[part])
        if not found:
            return None
        if found == ["never_queried"]:
            reasons.append(name + "_never_queried")
        elif found != ["completed"]:
            reasons.append(name + "_run_not_completed")
        elif any(entry.get("sample_type") == item.get("sample_type") and entry.get("state") == "unknown" for entry in header[part]):
            reasons.append(name + "_state_unknown")
    return reasons


def label_of_values(item, thresholds):
    appeared, disappeared, changed = (item[name] for name in CHANGE_COUNTS)
    before, after = item["before"], item["after"]
    if disappeared == changed == 0:
        return "appeared", []
    if appeared == changed == 0:
        return "disappeared", []
    have_values = [side["value_count"] > 0 for side in (before, after)]
    comparable = are_comparable(before, after)
    within = comparable and abs(after["value_sum"] - before["value_sum"]) <= \
        thresholds["sum_tolerance"] * max(abs(before["value_sum"]), abs(after["value_sum"]))
    incomplete = have_values[0] != have_values[1] or any(0 < s["value_count"] < s["record_count"] for s in (before, after))
    if appeared == disappeared == 0:
        if not any(have_values) or within or all(have_values) and not comparable:
            return "representationChanged", []
        return ("uncertain", ["values_incomplete"]) if incomplete else ("aggregateChanged", [])
    if not any(have_values):
        return "uncertain", ["values_missing"]
    if incomplete or not comparable:
        return "uncertain", ["values_incomplete" if incomplete else "units_differ"]
    if not within:
        return "aggregateChanged", []
    return ("consolidationLikely" if is_consolidation(item, thresholds) else "representationChanged"), []


def is_consolidation(item, thresholds):
    before, after, evidence = item["before"], item["after"], item["evidence"]

    def both(name, holds):
        return name in before and name in after and holds(before[name], after[name])

    return (item["disappeared_count"] >= thresholds["minimum_disappeared"]
            and after["record_count"] <= thresholds["count_ratio"] * before["record_count"]
            and evidence.get("coverage_overlap", -1) >= thresholds["coverage_overlap"]
            and both("records_per_hour", lambda b, a: a < b)
            and both("mean_interval_seconds", lambda b, a: a > b)
            and evidence["sources_compatible"])


class Rows:
    """Adds up the rows of a comparison: windows to their type, types to all types. Keeps the first fault by line."""

    def __init__(self):
        self.whole, self.type, self.fault = None, None, None
        self.types, self.windows = Counter(), Counter()

    def note(self, line, pointer):
        if self.fault is None or line < self.fault[0]:
            self.fault = line, pointer

    def add(self, item, line):
        row = row_of_comparison(item)
        if self.whole is None:
            self.whole = item, line
            if row != "all":
                self.note(line, "/item")
        elif row == "all":
            self.note(line, "/item")
        elif row == "type":
            self.close()
            if self.is_of_type(item):
                self.note(line, "/item/sample_type")
            self.type = item, line
            self.types.update(sums_of(item))
        else:
            if not self.is_of_type(item):
                self.note(line, "/item/sample_type")
            self.windows.update(sums_of(item))

    def is_of_type(self, item):
        return self.type is not None and self.type[0].get("sample_type") == item.get("sample_type")

    def close(self):
        """Compares the type that ends here with its windows."""
        if self.type is not None:
            self.compare(*self.type, self.windows, CHANGE_COUNTS)
        self.windows = Counter()

    def compare(self, item, line, sums, names):
        stated = Counter(sums_of(item))
        labels = {"labels"} if any(stated[name] != sums[name] for name in LABELS) else set()
        wrong = labels | {name for name in names if stated[name] != sums[name]}
        if wrong:
            self.note(line, "/item/" + min(wrong))

    def first_fault(self, is_summary):
        """Line and pointer of what does not add up, or None; a summary has a row of all types."""
        self.close()
        if self.whole is not None:
            self.compare(*self.whole, self.types, (*CHANGE_COUNTS, *RECORD_COUNTS))
        return self.fault or ((1, None) if is_summary and self.whole is None else None)


def sums_of(item):
    """What is added up, by name."""
    labels = item.get("labels", {item.get("label"): 1})
    return {**{name: item[name] for name in CHANGE_COUNTS}, **labels,
            **{name: item[name.split("/")[0]]["record_count"] for name in RECORD_COUNTS}}
