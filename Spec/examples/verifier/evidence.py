"""What the numbers of a comparison or a finding say about each other: Spec/changes.md, from the item and the header alone."""

import itertools
import math
from collections import Counter

from .ordering import date
from .pairs import faults_of_pair
from .reports import CHANGED_FIELDS, LABELS, row_of_comparison
from .spec import spec

CHANGE_COUNTS = ("appeared_count", "disappeared_count", "representation_changed_count")
PAIRED = ("condensed_count", "re_identified_count")
RECORD_COUNTS = ("after/record_count", "before/record_count")
MEASURES = spec("measures.json")["types"]
REPLACED = ("HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierWalkingHeartRateAverage")
DAY = 86400


def measure_of(item):
    return MEASURES.get(item.get("sample_type"), {"measure": "event", "method": "count"})


def faults_of_evidence(item, header):
    """Yields the code and the pointer of what is invalid: at most one, since each covers what the next is made of."""
    if item["item_kind"] == "change":
        wrong = [("item.evidence", name) for name in sorted(wrong_in_change(item, header))] + [("item.label", name) for name in wrong_label(item, header)]
        yield from ((code, "/item/" + name) for code, name in wrong[:1])
    if item["item_kind"] == "pair":
        yield from itertools.islice(faults_of_pair(item, header is None or "from_device_chain" in header), 1)
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
    yield from wrong_relationships(item, header)
    for name, part in (("run_after", "coverage"), ("run_before", "from_coverage")) if header and part_of_changes(header) else ():
        found = [run_text(entry) for entry in header[part] if entry.get("sample_type") == item.get("sample_type")]
        if name in item and "sample_type" in item and len(found) == 1 and found[0] not in (None, item[name]):
            yield name


def wrong_relationships(item, header):
    """Sides of a changed relationship that are none of their observation, or not the same relationship changed."""
    after, before = item.get("relationship_after"), item.get("relationship_before")
    if after and before:
        is_other = any(after.get(name) != before.get(name) for name in ("end_identity_hash", "end_sample_type", "relationship_kind"))
        is_unchanged = "defects" not in item and all(after.get(name) == before.get(name) for name in ("metadata", "metadata_hash"))
        if is_other or is_unchanged:
            yield "relationship_after"
    scope = header["scope"] if header else {}
    for name, side, latest in (("relationship_after", after, scope.get("observation_id")), ("relationship_before", before, scope.get("from_observation_id"))):
        if side and (not side["end_in_scope"] or latest is not None and side.get("observation_id", latest) > latest):
            yield name


def wrong_label(item, header):
    """Names of the members about the label of a change that contradict the item or coverage: at most one."""
    label, reasons = item.get("label"), item.get("reasons", [])
    leading = item.get("before", item.get("after", {}))
    dates = [] if "start_date" in leading and "end_date" in leading else ["dates_missing"]
    known = run_reasons(item, header) if header and part_of_changes(header) else None
    if label is None:
        return ["reasons"] if reasons else []
    if label in ("appeared", "disappeared") and label != item["change"] or label != "uncertain" and (dates or known):
        return ["label"]
    if (label == "uncertain") != bool(reasons):
        return ["reasons"]
    if label != "uncertain" or known is None:
        return []
    of_evidence = [["sources_differ"], ["units_differ"], ["values_incomplete"], ["values_missing"]]
    return [] if reasons == sorted(known + dates) or not known + dates and reasons in of_evidence else ["reasons"]


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

STATED = ("distance", "energy")


def counts_of_comparison(item, _):
    row = row_of_comparison(item)
    for side in ("before", "after"):
        whole = item[side]
        if whole.get("value_count", 0) + whole.get("other_unit_count", 0) > whole["record_count"]:
            yield "/%s/value_count" % side
        parts = whole.get("parts", ())
        is_over = any(part.get(name + "_count", 0) > part["record_count"] for part in parts for name in STATED)
        if parts and (sum(part["record_count"] for part in parts) != whole["value_count"] or is_over):
            yield "/%s/parts" % side
        if "sources" in item and sum(entry[side + "_count"] for entry in item["sources"]) != whole["record_count"]:
            yield "/%s/record_count" % side
    if "calendar" in item:
        calendar = item["calendar"]
        buckets = calendar["buckets"]
        is_over = any(sum(bucket[name] for bucket in buckets) > item[name] for name in CHANGE_COUNTS)
        if is_over or any(sum(bucket.get(name, 0) for name in PAIRED) > bucket["disappeared_count"] for bucket in buckets):
            yield "/calendar/buckets"
        if calendar["bucket_days"] not in (1, 7):
            yield "/calendar/bucket_days"
    if row == "window":
        appeared, disappeared, changed = (item[name] for name in CHANGE_COUNTS)
        if appeared + disappeared + changed < 1:
            yield "/appeared_count"
        for side, count in (("before", disappeared), ("after", appeared)):
            if not count + min(changed, 1) <= item[side]["record_count"] <= count + changed:
                yield "/%s/record_count" % side
        if item["evidence"].get("instants_within", 0) > item["evidence"].get("instants_before", 0):
            yield "/evidence/instants_within"


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
    if row_of_comparison(item) == "all":
        return
    measure = measure_of(item)
    for name in ("measure", "method"):
        if item[name] != measure[name]:
            yield "/" + name
    for side in ("before", "after"):
        yield from ("/%s/%s" % (side, name) for name in faults_of_side(item[side], measure))
    if row_of_comparison(item) == "window":
        for name, expected in evidence(item).items():
            if differs(item["evidence"], name, expected):
                yield "/evidence/" + name
        covered = [item["evidence"].get("covered_seconds_" + side, float("inf")) for side in ("before", "after")]
        if item["evidence"].get("common_seconds", 0) > min(covered):
            yield "/evidence/common_seconds"


def faults_of_side(side, measure):
    """The members of a side that others, or the measure of the type, contradict."""
    kind, has_values = measure["measure"], side["value_count"] > 0
    start, end = date(side, "earliest_start_date"), date(side, "latest_end_date")
    span = None if start is None or end is None else end - start
    if differs(side, "records_per_hour", side["record_count"] * 3600 / span if span is not None and span > 0 else None):
        yield "records_per_hour"
    amounts = has_values and kind in ("cumulative", "discrete")
    if side.get("unit") != (measure["unit"] if amounts else None):
        yield "unit"
    if not is_mean_of_lengths(side):
        yield "mean_interval_seconds"
    least, mean, greatest = (side.get(name) for name in ("value_min", "value_mean", "value_max"))
    if is_above(least, greatest):
        yield "value_max"
    if is_above(least, mean, 1e-9) or is_above(mean, greatest, 1e-9):
        yield "value_mean"
    for name, wanted, kinds in (("value_max", True, ("cumulative", "discrete")), ("value_min", True, ("discrete",)),
                                ("value_mean", False, ("discrete",)), ("value_sum", False, ("cumulative",)),
                                ("parts", True, ("category", "workout"))):
        belongs = has_values and kind in kinds
        if name in side and not belongs or wanted and belongs and name not in side or name == "parts" and are_misplaced(side, kind):
            yield name
    if "other_unit_count" in side and kind not in ("cumulative", "discrete"):
        yield "other_unit_count"
    if has_values and kind == "event":
        yield "value_count"


def is_mean_of_lengths(side):
    """Whether the mean length is the sum ÷ a number of records that the side has."""
    if ("interval_seconds" in side) != ("mean_interval_seconds" in side):
        return False
    lengths, mean = float(side.get("interval_seconds", 0)), float(side.get("mean_interval_seconds", 0))
    counts = [side["record_count"]]
    if mean and math.isfinite(lengths / mean):
        counts.append(round(lengths / mean))
    return "interval_seconds" not in side or any(1 <= count <= side["record_count"] and lengths / count == mean for count in counts)


def is_above(one, other, share=0.0):
    """Whether one number is above another, by more than a share of the greater magnitude of the two."""
    return None not in (one, other) and one - other > share * max(abs(one), abs(other))


def are_misplaced(side, kind):
    """Whether parts state something of workouts that are none, or a sum without saying of how many."""
    return any(name + "_count" in part and kind != "workout" or name in part and name + "_count" not in part
               for part in side.get("parts", ()) for name in STATED)


def evidence(item):
    """The members of `evidence` that follow from others; nothing of those that do not."""
    before, after, stated = item["before"], item["after"], item["evidence"]
    peaks = None
    if all(name in side for name in ("value_min", "value_max") for side in (before, after)):
        peaks = all(is_within(1e-6, before[name], after[name]) for name in ("value_min", "value_max"))
    return {"coverage_overlap": share(stated, "common_seconds", "covered_seconds_before"),
            "instant_overlap": share(stated, "instants_within", "instants_before"),
            "measure_delta": compared(item, 0)[0], "peaks_kept": peaks,
            "record_count_delta": after["record_count"] - before["record_count"],
            "sources_compatible": are_sources_compatible(item["sources"])}


def share(holder, name, whole):
    return holder[name] / holder[whole] if name in holder and holder.get(whole, 0) > 0 else None


def are_sources_compatible(sources):
    def fits(entry, known):
        apps = [other.get("bundle_identifier", ("name", other.get("source_name_hash"))) for other in (entry, known)]
        products = {other["product_type"] for other in (entry, known) if "product_type" in other}
        return apps[0] == apps[1] and len(products) < 2

    known = [entry for entry in sources if entry["before_count"]]
    return all(any(fits(entry, other) for other in known) for entry in sources if entry["after_count"])


def is_within(tolerance, before, after):
    return abs(after - before) <= tolerance * max(abs(before), abs(after))


def compared(item, tolerance):
    """What `measure_delta` and `measure_kept` are; None and None where the measure cannot be compared."""
    kind, before, after = measure_of(item)["measure"], item["before"], item["after"]
    if any(not side["record_count"] or kind != "event" and side["value_count"] != side["record_count"] for side in (before, after)):
        return None, None
    if kind == "event":
        delta = after["record_count"] - before["record_count"]
        return delta, delta == 0
    if kind in ("cumulative", "discrete"):
        name = {"cumulative": "value_sum", "discrete": "value_mean"}[kind]
        if name not in before or name not in after:
            return None, None
        return after[name] - before[name], is_within(tolerance, before[name], after[name])
    delta, kept, none = 0.0, True, {"record_count": 0, "seconds": 0}
    sides = [{part["value"]: part for part in side.get("parts", ())} for side in (before, after)]
    for value in sorted(set(sides[0]) | set(sides[1])):
        one, other = (side.get(value, none) for side in sides)
        if "seconds" not in one or "seconds" not in other:
            return None, None
        delta += abs(other["seconds"] - one["seconds"])
        kept = kept and is_within(tolerance, one["seconds"], other["seconds"])
        for name in STATED:
            if all(name in part and part.get(name + "_count") == part["record_count"] for part in (one, other)):
                kept = kept and is_within(tolerance, one[name], other[name])
        kept = kept and (one["seconds"] != 0 or other["seconds"] != 0 or one["record_count"] == other["record_count"])
    return delta, kept


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
        if "measure" in item:
            measure = measure_of(item)
            expected.update((name, measure.get(name)) for name in ("measure", "method", "unit"))
        expected["ratio"] = quotient(item["current_standard_deviation"], item["baseline_standard_deviation"])
    elif item["finding"] == "late_arrival":
        expected["delay_seconds"] = date(item, "first_seen_at") - date(item, "start_date")
    return ["/" + name for name, value in expected.items() if differs(item, name, value)]


# Labels


def thresholds_of(header, *kinds):
    return header["scope"].get("thresholds") if header and header["export_kind"] in kinds else None


def finding_by_thresholds(item, header):
    thresholds = thresholds_of(header, "finding_report")
    if thresholds and item["finding"] == "divergence":
        days = min(item["baseline_day_count"], item["current_day_count"])
        if not item["ratio"] > thresholds["divergence_ratio"] or days < thresholds["minimum_days"]:
            yield "/finding"
    elif thresholds and item["finding"] == "late_arrival":
        older = "from_coverage" if is_forward(header) else "coverage"
        if not item["delay_seconds"] > thresholds["late_arrival_seconds"] or older_run(item, header[older]) not in (None, "completed") \
                or not was_missed(item, header, older, thresholds["late_arrival_seconds"]):
            yield "/finding"


def was_missed(item, header, older, threshold):
    """Whether both dates lie so long before the type was looked for, where the header says when, and it was first seen between the two."""
    ids = [header["scope"][name] for name in ("from_observation_id", "observation_id")]
    if min(ids) < max(ids) and not min(ids) < item.get("first_seen_observation_id", max(ids)) <= max(ids):
        return False
    runs = [entry.get("observation_id") for entry in header[older] if "sample_type" in item and entry.get("sample_type") == item["sample_type"]]
    verified = moments_of(header)[0 if older == "from_coverage" else 1] if runs == [min(ids)] else None
    return verified is None or all(verified - date(item, name) > threshold for name in ("start_date", "end_date") if name in item)


def is_forward(header):
    return header["scope"]["from_observation_id"] <= header["scope"]["observation_id"]


def older_run(item, coverage):
    """How the type's run stood; None where there is not exactly one entry."""
    found = [run_text(entry) for entry in coverage if entry.get("sample_type") == item.get("sample_type")]
    return found[0] if len(found) == 1 else None


def statuses(item, coverage):
    """The status of the type's run, in a list; an empty one where there is not exactly one entry."""
    found = [entry.get("status") for entry in coverage if entry.get("sample_type") == item.get("sample_type")]
    return found if len(found) == 1 else []


def label_of_window(item, header):
    thresholds = thresholds_of(header, "diff_summary", "page_report")
    row = row_of_comparison(item)
    if not thresholds or row == "all":
        return
    reasons = run_reasons(item, header)
    if reasons is None:
        return
    if row == "type":
        yield from standing_of_type(item, header, sorted(reasons))
        return
    if "window_start" not in item:
        reasons.append("dates_missing")
    kept = compared(item, thresholds["measure_tolerance"])[1]
    label, reasons = ("uncertain", sorted(reasons)) if reasons else label_of_values(item, kept, thresholds)
    if item["evidence"].get("measure_kept") != kept:
        yield "/evidence/measure_kept"
    is_replaced = item["appeared_count"] > 0 and item["disappeared_count"] > 0
    if item.get("against", []) != (against(item, kept, thresholds) if is_replaced else []):
        yield "/against"
    moments = moments_of(header)
    if item.get("look_alikes", []) != look_alikes(item, header, *moments):
        yield "/look_alikes"
    if item["label"] != label:
        yield "/label"
    elif item.get("reasons", []) != reasons:
        yield "/reasons"
    old = None
    if "signatures" in item and moments[1] is not None and "window_end" in item:
        old = date(item, "window_end") <= moments[1] - 90 * DAY
    if item.get("signatures", {}).get("older_than_90_days") != old:
        yield "/signatures/older_than_90_days"


def standing_of_type(item, header, reasons):
    """What is known of a whole type, from its changes and from coverage; the more telling of two faults."""
    state, = [entry.get("state") for entry in header["coverage"] if entry.get("sample_type") == item["sample_type"]]
    has_changes = any(item[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed"))
    standing = "changed" if has_changes else "unknown" if reasons else state if state in ("verified", "continued") else "unchanged"
    if item["standing"] != standing:
        yield "/standing"
    elif item.get("standing_reasons", []) != reasons:
        yield "/standing_reasons"


def moments_of(header):
    """When the two observations were made; None where that is not said."""
    observed = {entry.get("id"): date(entry, "observed_at") for entry in header["observations"]}
    return [observed.get(header["scope"].get(name)) for name in ("from_observation_id", "observation_id")]


def look_alikes(item, header, observed, now):
    if "window_start" not in item:
        return []
    start, end, found = date(item, "window_start"), date(item, "window_end"), []
    if item.get("sample_type") in REPLACED and item["appeared_count"] and item["disappeared_count"] \
            and observed is not None and start >= observed - 2 * DAY:
        found.append("daily_replacement")
    scope = header["scope"]
    if scope["from_observation_id"] < scope["observation_id"] and not item["appeared_count"] \
            and not item["representation_changed_count"]:
        first, last = date(item["evidence"], "visible_start"), date(item["evidence"], "visible_end")
        if first is not None and end <= first:
            found.append("narrowed_permission")
        if (first is None) if last is None else start >= last:
            found.append("truncated_export")
        if "narrowed_permission" in found and now is not None and first >= now - 8 * DAY:
            found.append("watch_week")
    return found


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


def label_of_values(item, kept, thresholds):
    appeared, disappeared, changed = (item[name] for name in CHANGE_COUNTS)
    before, after = item["before"], item["after"]
    if disappeared == changed == 0:
        return "appeared", []
    if appeared == changed == 0:
        return "disappeared", []
    others = any("other_unit_count" in side for side in (before, after))
    have_none = not others and before["value_count"] == after["value_count"] == 0
    if appeared == disappeared == 0 and (have_none or kept):
        return "representationChanged", []
    if kept is None:
        return "uncertain", ["units_differ" if others else "values_missing" if have_none else "values_incomplete"]
    if not kept:
        return "aggregateChanged", []
    if appeared and disappeared and not item["evidence"]["sources_compatible"]:
        return "uncertain", ["sources_differ"]
    consolidated = disappeared and not against(item, kept, thresholds)
    return ("consolidationLikely" if consolidated else "representationChanged"), []


def against(item, kept, thresholds):
    """The pieces of evidence that do not hold."""
    before, after, evidence = item["before"], item["after"], item["evidence"]

    def both(name, holds):
        return name in before and name in after and holds(before[name], after[name])

    shares = [evidence[name] for name in ("coverage_overlap", "instant_overlap") if name in evidence]
    holds = {"count": item["disappeared_count"] >= thresholds["minimum_disappeared"]
             and after["record_count"] <= thresholds["count_ratio"] * before["record_count"],
             "coverage": bool(shares) and min(shares) >= thresholds["coverage_overlap"],
             "density": both("records_per_hour", lambda b, a: a < b) and both("mean_interval_seconds", lambda b, a: a > b),
             "measure": kept is True, "metadata": evidence["metadata_compatible"], "sources": evidence["sources_compatible"]}
    return [name for name in sorted(holds) if not holds[name]]


class Rows:
    """Adds up the rows of a comparison: windows to their type, types to all types. Keeps the first fault by line."""

    def __init__(self):
        self.whole, self.type, self.fault = None, None, None
        self.types, self.windows = Counter(), Counter()
        self.type_faults = {}  # of the first type, by whether windows may be left out

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
        """Compares the type that ends here with its windows, of which a page has some."""
        if self.type is not None:
            item, line = self.type
            for has_some, differs in ((False, int.__ne__), (True, int.__lt__)):
                pointer = self.difference(item, self.windows, CHANGE_COUNTS, differs)
                if pointer:
                    self.type_faults.setdefault(has_some, (line, pointer))
        self.windows = Counter()

    @staticmethod
    def difference(item, sums, names, differs=int.__ne__):
        """The first member, by pointer, that differs from a sum."""
        stated = Counter(sums_of(item))
        labels = {"labels"} if any(differs(stated[name], sums[name]) for name in LABELS) else set()
        wrong = labels | {name for name in names if differs(stated[name], sums[name])}
        return "/item/" + min(wrong) if wrong else None

    def first_fault(self, is_summary, has_some_windows):
        """Line and pointer of what does not add up, or None; a summary has a row of all types."""
        self.close()
        if has_some_windows in self.type_faults:
            self.note(*self.type_faults[has_some_windows])
        if self.whole is not None:
            item, line = self.whole
            pointer = self.difference(item, self.types, (*CHANGE_COUNTS, *RECORD_COUNTS))
            if pointer:
                self.note(line, pointer)
        return self.fault or ((1, None) if is_summary and self.whole is None else None)


def sums_of(item):
    """What is added up, by name."""
    labels = item.get("labels", {item.get("label"): 1})
    return {**{name: item[name] for name in CHANGE_COUNTS}, **labels,
            **{name: item[name.split("/")[0]]["record_count"] for name in RECORD_COUNTS}}
