"""What the numbers of a comparison or a finding say about each other: Spec/changes.md, from the item and the header alone."""

from collections import Counter

from .ordering import date
from .reports import row_of_comparison

CHANGE_COUNTS = ("appeared_count", "disappeared_count", "representation_changed_count")
SUMS = ("value_max", "value_sum")


def faults_of_evidence(item, header):
    """Yields the code and the pointer of what is invalid: at most one, since each covers what the next is made of."""
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


# Counts


def counts_of_comparison(item, _):
    row = row_of_comparison(item)
    for side in ("before", "after"):
        whole = item[side]
        if whole.get("value_count", 0) > whole["record_count"]:
            yield "/%s/value_count" % side
        if "sources" in item and sum(entry[side + "_count"] for entry in item["sources"]) != whole["record_count"]:
            yield "/sources"
    if row == "window":
        appeared, disappeared, changed = (item[name] for name in CHANGE_COUNTS)
        if appeared + disappeared + changed < 1:
            yield "/appeared_count"
        for side, count in (("before", disappeared), ("after", appeared)):
            if not count + min(changed, 1) <= item[side]["record_count"] <= count + changed:
                yield "/%s/record_count" % side


def counts_of_finding(item, _):
    if item["finding"] == "disappearance" and not 1 <= item["disappeared_count"] <= item["before_count"]:
        yield "/disappeared_count"
    for kind, name in (("exact_duplicate", "record_count"), ("semantic_duplicate", "payload_count")):
        if item["finding"] == kind and item[name] < 2:
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
        if not item["ratio"] > thresholds["divergence_ratio"]:
            yield "/ratio"
        for name in ("baseline_day_count", "current_day_count"):
            if item[name] < thresholds["minimum_days"]:
                yield "/" + name
    elif thresholds and item["finding"] == "late_arrival" and not item["delay_seconds"] > thresholds["late_arrival_seconds"]:
        yield "/delay_seconds"


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
        entries = [entry for entry in header[part] if entry.get("sample_type") == item.get("sample_type")]
        if len(entries) != 1:
            return None
        status = entries[0].get("status")
        if status == "never_queried":
            reasons.append(name + "_never_queried")
        elif status != "completed":
            reasons.append(name + "_run_not_completed")
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
    """Adds up the rows of a comparison: windows to their type, types to all types."""

    def __init__(self):
        self.whole, self.types, self.holds, self.is_any = None, Counter(), True, False
        self.type, self.windows = None, Counter()

    def add(self, item):
        row = row_of_comparison(item)
        self.holds = self.holds and (row == "all") == (not self.is_any)
        self.is_any = True
        if row == "all":
            self.whole = sums_of(item, ("before", "after"))
        elif row == "type":
            self.close()
            self.type = item
            self.types.update(sums_of(item, ("before", "after")))
        elif self.type is None or self.type.get("sample_type") != item.get("sample_type"):
            self.holds = False
        else:
            self.windows.update(sums_of(item, ()))

    def close(self):
        """Compares the type that ends here with its windows."""
        if self.type is not None and +Counter(sums_of(self.type, ())) != +self.windows:
            self.holds = False
        self.type, self.windows = None, Counter()

    def add_up(self, is_summary):
        """Whether everything adds up; a summary has a row of all types."""
        self.close()
        return self.holds and (not self.is_any and not is_summary or self.whole is not None and +Counter(self.whole) == +self.types)


def sums_of(item, sides):
    """What is added up, by name."""
    sums = {name: item[name] for name in CHANGE_COUNTS}
    labels = item.get("labels", {item.get("label"): 1})
    return {**sums, **labels, **{side: item[side]["record_count"] for side in sides}}
