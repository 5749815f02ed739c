"""Makes vectors of what lies exactly at an edge of a rule, and of what lies just beside it.

Moments, shares and converted values are worked out by hand beside each vector.
"""

import generate_reports
import generate_rules
from generate import STEPS, coverage, defect, identity_header, in_order, lines, of_lines, quantity, record, related
from generate_reports import (
    PAIR_TYPES, SUMMARY, all_findings, all_pairs, alone, changes, consolidated, covered, findings_header, gone_window, heart_window, hour, moment, of_source, resting_window, side, summary,
    without)

# Unit, base unit, and what 3 of the unit come to there: 3 × factor of Spec/identity.md, as the nearest binary32.
UNITS = (
    ("Cal", "kcal", 3), ("kcal", "kcal", 3), ("cal", "kcal", 0.003000000026077032), ("kJ", "kcal", 0.7170172333717346), ("J", "kcal", 0.0007170172175392509),
    ("m", "m", 3), ("km", "m", 3000), ("cm", "m", 0.029999999329447746), ("mm", "m", 0.003000000026077032), ("mi", "m", 4828.0322265625),
    ("ft", "m", 0.9143999814987183), ("yd", "m", 2.7432000637054443), ("in", "m", 0.07620000094175339),
    ("kg", "kg", 3), ("g", "kg", 0.003000000026077032), ("lb", "kg", 1.3607771396636963), ("st", "kg", 19.050880432128906), ("oz", "kg", 0.08504857122898102),
    ("s", "s", 3), ("ms", "s", 0.003000000026077032), ("min", "s", 180), ("hr", "s", 10800), ("d", "s", 259200),
    ("degC", "degC", 3), ("degF", "degC", -16.11111068725586),
    ("mL", "mL", 3), ("L", "mL", 3000), ("dL", "mL", 300), ("cL", "mL", 30), ("fl_oz_us", "mL", 88.72058868408203), ("fl_oz_imp", "mL", 85.23918914794922))


def write_bundles(shelves):
    folder = generate_rules.Folder(shelves)
    items = in_order([quantity("HeartRate", day, 3, unit, base_unit=base, base_value=value) for day, (unit, base, value) in enumerate(UNITS[:29], 1)]
                     + [quantity("BodyMass", day, 3, unit, base_unit=base, base_value=value) for day, (unit, base, value) in enumerate(UNITS[29:], 1)])
    folder.add("good-identity-units", "a value in each unit that has a base", "", of_lines(lines(identity_header(items), items)))
    first, second, third = related()
    folder.add("manifest-relationships-other-end", "a relationship that only its target names", "manifest.relationships", of_lines(lines(
        items=[without(first, "relationships"), second, third])))
    folder.of_item("shape-defect-start-of-record", "a record without its start, which excuses no other member of its version", "shape.member_missing", record(
        start_date=None, end_date=None, defects=[defect("/start_date", "null", "null")]))


def write_pairs(folder):
    *_, steps = all_pairs()
    parts = [steps["before"][0], {**steps["before"][1], "end_date": moment(10)}]
    folder.lines("pair-part-as-long", "a part that lasts as long as its container", "item.label", changes("pair_report", PAIR_TYPES), [
        {**steps, "before": parts, "after": [{**steps["after"][0], "end_date": moment(10)}], "end_date": moment(10)}])


def write_windows(shelves):
    """The observations are of 2024-03-01 and 2024-03-02, both at 08:00."""
    folder = generate_reports.Folder(shelves)

    def one(name, what, codes, window, export=None, **after):
        folder.lines(name, what, codes, export or summary((window["sample_type"],)), alone(window, **after))

    # 2,700 of 3,600 seconds are in common.
    whole = consolidated()
    after = side(2, **hour(1, "10:00", "10:45"), interval=2700, mean=1350, density=2 * 3600 / 2700, count=2, total=100, greatest=60, unit="count")
    whole.update(after=after, evidence={**whole["evidence"], **covered(3600, 2700, 2700)})
    one("good-label-overlap-equal", "a consolidation with exactly the overlap that it needs", "", whole,
        summary((STEPS,), {**SUMMARY, "coverage_overlap": 0.75}))
    one("good-label-overlap-below", "not a consolidation: the overlap is less than it needs", "", {
        **whole, "against": ["coverage"], "label": "representationChanged"}, summary((STEPS,), {**SUMMARY, "coverage_overlap": 0.7500000000000001}))

    # 172,800 seconds before the older observation.
    for name, what, start in (("equal", "an estimate of exactly two days before", "08:00:00.000"), ("before", "an estimate of a second more", "07:59:59.000")):
        window, start = resting_window(), "2024-02-28T%sZ" % start
        first, second = ({"earliest_start_date": moment, "latest_end_date": moment} for moment in (start, "2024-02-28T08:30:00.000Z"))
        window.update(window_start=start, window_end="2024-02-28T08:30:00.000Z", before={**window["before"], **first}, after={**window["after"], **second},
                      evidence={**window["evidence"], "visible_start": "2024-02-28T08:30:00.000Z", "visible_end": "2024-02-28T08:30:00.000Z"})
        one("good-window-resting-" + name, what, "", window if name == "equal" else without(window, "look_alikes"))

    # 691,200 seconds before the newer observation.
    for name, what, start in (("equal", "what is left begins exactly eight days before", "08:00:00.000"), ("before", "what is left begins a second earlier", "07:59:59.000")):
        window, start = gone_window(), "2024-02-23T%sZ" % start
        window["evidence"].update(visible_start=start)
        if name == "before":
            window["look_alikes"] = ["narrowed_permission"]
        left = side(2, start, "2024-02-26T10:00:00.000Z", 7200, 3600, 2 * 3600 / (3 * 86400 + 7200), 2, 8, 4, "count")
        if name == "before":
            left["records_per_hour"] = 2 * 3600 / (3 * 86400 + 7201)
        one("good-window-gone-" + name, what, "", window, after=left, sources=[of_source(2, 2)])

    # 7,776,000 seconds before the newer observation.
    old = long_ago("2023-12-03T07:00:00.000Z", "2023-12-03T08:00:00.000Z", True)
    one("good-window-old", "a window that ended exactly ninety days before", "", old)
    one("good-window-not-old", "a window that ended a second later", "", long_ago("2023-12-03T07:00:00.000Z", "2023-12-03T08:00:01.000Z", False))
    one("comparison-old-missing", "a window that is old and not said to be", "item.label", {**old, "signatures": {**old["signatures"], "older_than_90_days": False}})

    backwards = changes("diff_summary", (STEPS,), {"from_observation_id": 2, "observation_id": 1, "thresholds": SUMMARY}, coverage=[coverage()],
                        from_coverage=[{**coverage(), "observation_id": 2}])
    seen = {"after": side(1, "2024-02-25T10:00:00.000Z", "2024-02-26T10:00:00.000Z", 86400, 86400, 3600 / 86400, 1, 4, 4, "count"), "sources": [of_source(2, 1)]}
    one("good-window-gone-backwards", "what the newer observation has and the older one has not", "", without(gone_window(), "look_alikes"), backwards, **seen)
    one("comparison-look-alikes-backwards", "something that it looks like, with the newer observation first", "item.label", gone_window(), backwards, **seen)


def write_findings(folder):
    """The thresholds are a ratio of 2 and 604,800 seconds; the type was looked for on 2024-03-01 at 08:00."""
    def one(name, what, codes, item):
        folder.lines(name, what, codes, findings_header(), [item])

    _, spread, _, late, _ = all_findings()
    one("good-finding-days", "a divergence of exactly as many days as it needs", "", {**spread, "baseline_day_count": 7, "current_day_count": 7})
    one("finding-days", "a divergence of a day less", "item.label", {**spread, "baseline_day_count": 7, "current_day_count": 6})
    one("finding-at-ratio", "a spread of exactly the ratio", "item.label", {**spread, "current_standard_deviation": 20, "ratio": 2})
    one("finding-late-end-at-threshold", "an arrival that ended exactly a week before its type was looked for", "item.label", {
        **late, "start_date": "2024-02-23T07:00:00.000Z", "end_date": "2024-02-23T08:00:00.000Z", "delay_seconds": 694800})
    one("good-finding-late-end", "an arrival that ended a second earlier", "", {
        **late, "start_date": "2024-02-23T07:00:00.000Z", "end_date": "2024-02-23T07:59:59.000Z", "delay_seconds": 694800})
    early = {**late, "first_seen_at": "2024-02-28T08:30:00.000Z"}
    one("finding-late-at-threshold", "an arrival that was seen exactly a week after its start", "item.label", {
        **early, "start_date": "2024-02-21T08:30:00.000Z", "end_date": "2024-02-21T08:30:00.000Z", "delay_seconds": 604800})
    one("good-finding-late-start", "an arrival that was seen a second later", "", {
        **early, "start_date": "2024-02-21T08:29:59.000Z", "end_date": "2024-02-21T08:30:00.000Z", "delay_seconds": 604801})


def long_ago(start, end, is_old):
    """Readings of an hour that became one, long before the observations."""
    window = heart_window()
    dates = {"earliest_start_date": start, "latest_end_date": end}
    seconds = 3600 if end.endswith("00.000Z") else 3601
    window.update(window_start=start, window_end=end, before={**window["before"], **dates, "records_per_hour": 4 * 3600 / seconds},
                  after={**window["after"], **dates, "interval_seconds": seconds, "mean_interval_seconds": seconds, "records_per_hour": 3600 / seconds},
                  evidence={**window["evidence"], "covered_seconds_after": seconds, "visible_start": start, "visible_end": end},
                  signatures={**window["signatures"], "older_than_90_days": is_old})
    return window


def write(shelves):
    write_bundles(shelves)
    write_pairs(generate_reports.Folder(shelves))
    write_windows(shelves)
    write_findings(generate_reports.Folder(shelves))
