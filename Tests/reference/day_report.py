"""The items of Spec/days.md, worked out from plain records: days and months of each type, nights and naps.

Written from Spec/ alone, with exact arithmetic. Python 3.9 or later, standard library only.
"""
import bisect
import dataclasses
import json
import math
import pathlib
from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction

from measures import converted, measure_of

SLEEP, DAY, HOUR = "HKCategoryTypeIdentifierSleepAnalysis", 86_400_000_000, 3_600_000_000
LONGEST, LARGEST = 4000 * DAY, 10 ** 15
UNIX = date(1970, 1, 1).toordinal()
CLASSES = ("user_entered", "watch", "phone", "unknown")
STAGES = {2: "awake", 4: "deep", 5: "rem", 3: "core", 1: "unspecified"}  # the first of those that overlap counts
STAGED, ASLEEP = ("core", "deep", "rem"), ("core", "deep", "rem", "unspecified")
ENERGY, DISTANCE = "HKQuantityTypeIdentifierActiveEnergyBurned", "HKQuantityTypeIdentifierDistanceWalkingRunning"
SUMS = {"sum": "value_sum", "dropped": "dropped_sum"}
RINGS = [name + goal for name in ("active_energy", "exercise_minutes", "move_minutes", "stand_hours") for goal in ("", "_goal")]


@dataclasses.dataclass(frozen=True)
class Record:
    """A visible record: times in microseconds since 1970, amounts as (value, unit)."""
    type: str
    start: int = None
    end: int = None
    value: float = None
    unit: str = None
    category: int = None
    activity: int = None
    duration: float = None
    energy: tuple = None
    distance: tuple = None
    ring: tuple = ()
    name: str = None
    bundle: str = None
    model: str = None
    product: str = None
    user_entered: bool = False
    zone: str = None

    @property
    def source(self):
        """Hash of the name and bundle identifier, each there or not; absent comes before an empty text."""
        return tuple((0, "") if text is None else (1, text) for text in (self.name, self.bundle))

    @property
    def until(self):
        return self.start if self.end is None else max(self.start, self.end)

    @property
    def is_long(self):
        return self.until - self.start > LONGEST

    @property
    def device_class(self):
        for text in (self.model, self.product):
            if text and text.startswith("Watch"):
                return "watch"
            if text and text.startswith(("iPhone", "iPod")):
                return "phone"
        return "unknown"


@dataclasses.dataclass(frozen=True)
class Options:
    method: str = "cover"
    period: str = "day"
    prefer: tuple = ()  # bundle identifiers and hashes of names
    since: str = None
    until: str = None
    zone_name: str = None


class Zone:
    """Local days by transitions: an offset, then moments and the offsets from then on, in seconds."""

    def __init__(self, transitions):
        self.moments, self.offsets = transitions[1::2], transitions[0::2]

    def offset(self, moment):
        return self.offsets[bisect.bisect_right(self.moments, moment // 1_000_000)] * 1_000_000

    def first(self, day):
        """The first moment whose local date is that of a day number or a later one."""
        candidates = [day * DAY - offset * 1_000_000 for offset in self.offsets] + [moment * 1_000_000 for moment in self.moments]
        return min(moment for moment in candidates if (moment + self.offset(moment)) // DAY >= day)

    def day(self, moment):
        """The number of the day that holds a moment."""
        day = (moment + self.offset(moment)) // DAY
        while self.first(day + 1) <= moment:  # a date that does not exist begins when the next one does
            day += 1
        return day

    def has_days_of(self, record):
        """Whether the days of start and end are of the years 1 to 9999."""
        moments = [] if record.start is None else [record.start, record.until]
        days = [(moment + self.offset(moment)) // DAY + UNIX for moment in moments]
        return bool(moments) and all(1 < day < date.max.toordinal() for day in days)

    def pieces(self, start, end):
        """The days of an interval, with what each has of it."""
        while start < end:
            day = self.day(start)
            border = min(end, self.first(day + 1))
            yield day, start, border
            start = border


def decimals(unit):
    return 9 if unit == "g" else 6


def whole(value, digits):
    """A double as a whole number of the last decimal, half up; None if it is no amount."""
    if value is None or not math.isfinite(value):
        return None
    found = math.floor(Fraction(value) * 10 ** digits + Fraction(1, 2))
    return found if abs(found) <= LARGEST else None


def add(amounts, others):
    for name, amount in others.items():
        if amount is not None:
            amounts[name] += amount


def number(amount, digits=6):
    found = float(Fraction(amount, 10 ** digits))
    return int(found) if found.is_integer() and abs(found) < 2 ** 53 else found


def union(intervals):
    """Intervals without overlap, in order."""
    found = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        elif start < end:
            found.append([start, end])
    return found


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def doubled(intervals):
    """The time that at least two of some intervals have."""
    edges = sorted([(start, 1) for start, end in intervals if start < end] + [(end, -1) for start, end in intervals if start < end])
    count, before, found = 0, None, 0
    for moment, step in edges:
        found += moment - before if count > 1 else 0
        count, before = count + step, moment
    return found


def without(start, end, covered):
    """What an interval has outside intervals that do not overlap."""
    for low, high in covered:
        if high <= start or low >= end:
            continue
        if start < low:
            yield start, low
        start = max(start, high)
    if start < end:
        yield start, end


def source_member(key):
    return {name: text for name, (is_there, text) in (("bundle_identifier", key[1]), ("source_name_hash", key[0])) if is_there}


class Report:
    """All items of an export."""

    def __init__(self, records, transitions, observed, options=Options(), incomplete=()):
        self.zone, self.observed, self.options, self.incomplete = Zone(transitions), observed, options, set(incomplete)
        self.cells = {}
        by_type = defaultdict(list)
        for record in records:
            by_type[record.type].append(record)
        for sample_type, found in by_type.items():
            self.take(sample_type, found)

    def take(self, sample_type, records):
        self.type, self.measure = sample_type, measure_of(sample_type)
        kind = {"HKActivitySummaryTypeIdentifier": "activity_summary"}.get(sample_type, self.measure["measure"])
        dated = [record for record in records if self.has_day(record, kind)]
        for record in records:
            if not self.has_day(record, kind):
                self.count(self.cell(None, kind), record, has_day=False)["not_summed"] += 1
        getattr(self, kind)(dated)
        if sample_type == SLEEP:
            self.nights(dated)

    def has_day(self, record, kind):
        """Whether a record has a day; rings have that of their date, if it exists."""
        if not self.zone.has_days_of(record):
            return False
        return kind != "activity_summary" or self.zone.first(record.start // DAY) < self.zone.first(record.start // DAY + 1)

    # What is added up

    def cell(self, day, kind, value=None, source=None):
        """The figures of an item: those of a day, or of its month."""
        label = None if day is None else date.fromordinal(day + UNIX).isoformat()[:10 if self.options.period == "day" else 7]
        cell = self.cells.setdefault((self.type, label, kind, value, source), {
            "records": 0, "not_summed": 0, "other_zone": 0, "days": set(), "sources": {}, "amounts": defaultdict(int), "values": [], "measure": self.measure})
        if day is not None:
            cell["days"].add(day)
        return cell

    def source(self, cell, key):
        return cell["sources"].setdefault(key, {"records": 0, "amounts": defaultdict(int), "class": None, "rank": None})

    def count(self, cell, record, has_day=True):
        cell["records"] += 1
        self.source(cell, record.source)["records"] += 1
        if has_day and record.zone not in (None, self.options.zone_name):
            cell["other_zone"] += 1
        return cell

    def amount(self, value, unit):
        """A value as a whole number of the last decimal of the canonical unit; None if it cannot be summed."""
        if value is None or not math.isfinite(value):
            return None
        return whole(converted(value, unit, self.type), decimals(self.measure["unit"]))

    def rank(self, sources, records_of, covered, started):
        """Sources in the order of Spec/days.md, "Sources", with their classes."""
        classes = {}
        for key in sources:
            found = [record.device_class for record in records_of[key]]
            classes[key] = "user_entered" if all(record.user_entered for record in records_of[key]) else min(found, key=CLASSES.index)

        def order(key):
            preferred = [place for place, text in enumerate(self.options.prefer) if (1, text) in key]
            return (min(preferred, default=len(self.options.prefer)), CLASSES.index(classes[key]), -covered.get(key, 0), -started.get(key, 0), key)
        return sorted(sources, key=order), classes

    # Measures

    def cumulative(self, records):
        shares = defaultdict(list)  # of each day: record, its amount up to a moment, start and end of its piece
        starting = defaultdict(list)
        for record in records:
            amount = self.amount(record.value, record.unit)
            day = self.zone.day(record.start)
            is_summed = amount is not None and not record.is_long
            starting[day].append((record, is_summed))
            if is_summed and record.start == record.until:
                shares[day].append((record, amount, record.start, record.start))
            elif is_summed:
                for each, start, end in self.zone.pieces(record.start, record.until):
                    shares[each].append((record, amount, start, end))
        for day in sorted({*shares, *starting}):
            self.cumulative_day(day, shares[day], starting[day])

    @staticmethod
    def share(record, amount, start, end):
        """What a record has between two moments: the difference of its amounts up to each, both rounded half up."""
        if start == end:
            return amount
        span = record.until - record.start
        return sum(sign * math.floor(Fraction(amount * (moment - record.start), span) + Fraction(1, 2)) for sign, moment in ((1, end), (-1, start)))

    def cumulative_day(self, day, shares, starting):
        records_of, intervals, started = defaultdict(list), defaultdict(list), defaultdict(int)
        for record, _ in starting:
            started[record.source] += 1
            records_of[record.source].append(record)
        for record, _, start, end in shares:
            records_of[record.source].append(record)
            intervals[record.source].append((start, end))
        ranked, classes = self.rank(list(records_of), records_of, {key: length(found) for key, found in intervals.items()}, started)
        sums = defaultdict(int)
        for record, amount, start, end in shares:
            sums[record.source] += self.share(record, amount, start, end)
        kept = self.kept(shares, ranked, sums)
        is_apart = self.options.method == "sources"
        for group in [[key] for key in ranked] if is_apart else [ranked]:
            cell = self.cell(day, "cumulative", None, group[0] if is_apart else None)
            for record, is_summed in starting:
                if record.source in group:
                    self.count(cell, record)["not_summed"] += not is_summed
            for key in group:
                entry = self.source(cell, key)
                entry["class"], entry["rank"] = classes[key], ranked.index(key) + 1
                if key in sums:
                    for amounts in (cell["amounts"], entry["amounts"]):
                        amounts["sum"] += kept[key]
                        amounts["dropped"] += sums[key] - kept[key]
                entry["amounts"]["covered"] += length(intervals[key])
                cell["amounts"]["overlap"] += doubled(intervals[key])
            spans = [tuple(span) for key in ranked for span in union(intervals[key])]
            if is_apart:
                others = union(span for key in ranked if key not in group for span in intervals[key])
                mine = union(intervals[group[0]])
                cell["amounts"]["shared"] += length(mine) - sum(high - low for start, end in mine for low, high in without(start, end, others))
            else:
                cell["amounts"]["shared"] += doubled(spans)

    def kept(self, shares, ranked, sums):
        """What is kept of each source."""
        if self.options.method == "sources":
            return dict(sums)
        if self.options.method == "greatest":
            best = min(sums, key=lambda key: (-sums[key], ranked.index(key)), default=None)
            return {key: total if key == best else 0 for key, total in sums.items()}
        found, covered, instants = defaultdict(int), [], set()
        for key in ranked:
            mine = [share for share in shares if share[0].source == key]
            for record, amount, start, end in mine:
                if start == end:
                    is_covered = start in instants or any(low <= start < high for low, high in covered)
                    found[key] += 0 if is_covered else amount
                else:
                    found[key] += sum(self.share(record, amount, low, high) for low, high in without(start, end, covered))
            covered = union([*map(tuple, covered), *((start, end) for _, _, start, end in mine)])
            instants |= {start for _, _, start, end in mine if start == end}
        return found

    def discrete(self, records):
        for record in records:
            cell = self.count(self.cell(self.zone.day(record.start), "discrete"), record)
            is_number = record.value is not None and math.isfinite(record.value)
            value = converted(record.value, record.unit, self.type) if is_number else None
            if value is None:
                cell["not_summed"] += 1
            else:
                cell["values"].append(value)

    def category(self, records):
        spans = defaultdict(list)
        for record in records:
            cell = self.count(self.cell(self.zone.day(record.start), "category", record.category), record)
            if record.is_long:
                cell["not_summed"] += 1
                continue
            for day, start, end in self.zone.pieces(record.start, record.until):
                spans[day, record.category].append((start, end))
                self.source(self.cell(day, "category", record.category), record.source)
        for (day, value), found in spans.items():
            self.cell(day, "category", value)["amounts"]["seconds"] += length(found)

    def workout(self, records):
        for record in records:
            cell = self.count(self.cell(self.zone.day(record.start), "workout", record.activity), record)
            span = None if record.is_long else record.until - record.start
            amounts = {"seconds": span if record.duration is None else whole(record.duration, 6)}
            for name, like in (("energy", ENERGY), ("distance", DISTANCE)):
                stated = getattr(record, name)
                amounts[name] = None if stated is None else whole(converted(*stated, like), 6)
            add(cell["amounts"], amounts)

    def event(self, records):
        for record in records:
            self.count(self.cell(self.zone.day(record.start), "event"), record)

    def activity_summary(self, records):
        by_day = defaultdict(list)
        for record in records:
            by_day[record.start // DAY].append(record)
        for day, found in by_day.items():
            cell = self.cell(day, "activity_summary")
            for record in found:
                self.count(cell, record)
            if len(found) > 1:
                cell["not_summed"] += len(found)
                continue
            for name, (value, unit) in found[0].ring:
                value = converted(value, unit, ENERGY) if name.startswith("active_energy") else value
                add(cell["amounts"], {name: whole(value, 6)})

    # Nights

    def nights(self, records):
        by_source, dates = defaultdict(list), defaultdict(lambda: defaultdict(list))
        for record in records:
            if record.category in (0, *STAGES) and record.start < record.until and not record.is_long:
                by_source[record.source].append(record)
        for key, found in by_source.items():
            for session in self.sessions(found):
                dates[self.date_of(session)][key].append(session)
        for (day, kind), sources in dates.items():
            self.night(day, kind, sources)

    @staticmethod
    def sessions(records):
        """Records of a source, cut where 60 minutes or more have none."""
        found, end = [], None
        for record in sorted(records, key=lambda record: record.start):
            if end is None or record.start - end >= HOUR:
                found.append([])
                end = record.until
            found[-1].append(record)
            end = max(end, record.until)
        return found

    def date_of(self, session):
        start, end = session[0].start, max(record.until for record in session)
        clock = (start + self.zone.offset(start)) % DAY
        if end - start < 3 * HOUR and 10 * HOUR <= clock < 20 * HOUR:
            return self.zone.day(start), "nap"
        return self.zone.day(end + 6 * HOUR), "night"

    @staticmethod
    def figures(sessions):
        """What the sessions of one source have of a date."""
        found = defaultdict(int)
        for session in sessions:
            span = max(record.until for record in session) - session[0].start
            found["sessions"] += 1
            found["session"] += span
            found["long"] += span > DAY
        records = [record for session in sessions for record in session]
        if any(record.category == 0 for record in records):
            found["in_bed"] = length((record.start, record.until) for record in records if record.category == 0)
        spans, taken = [(record.start, record.until) for record in records if record.category], []
        stages = {}
        for value, name in STAGES.items():
            mine = [(record.start, record.until) for record in records if record.category == value]
            if mine:
                stages[name] = length([*taken, *mine]) - length(taken)
                taken += mine
        if "awake" in stages:
            found["awake"] = stages["awake"]
        if any(name in stages for name in ASLEEP):
            found["asleep"] = sum(stages.get(name, 0) for name in ASLEEP)
            found["asleep_days"] = 1
        if any(name in stages for name in STAGED):
            found.update({name: stages.get(name, 0) for name in ASLEEP}, stage_days=1)
        found["overlap"] = doubled(spans)
        return found, sum(name in stages for name in STAGED)

    def night(self, day, kind, sources):
        records_of = {key: [record for session in sessions for record in session] for key, sessions in sources.items()}
        figures = {key: self.figures(sessions) for key, sessions in sources.items()}
        covered = {key: length((record.start, record.until) for record in found) for key, found in records_of.items()}
        ranked, classes = self.rank(list(sources), records_of, covered, {key: len(found) for key, found in records_of.items()})
        ranked.sort(key=lambda key: (-figures[key][1], -figures[key][0].get("asleep", -1)))
        best, cell = ranked[0], self.cell(day, kind)
        for key in sources:
            entry = self.source(cell, key)
            entry["class"], entry["rank"] = classes[key], ranked.index(key) + 1
            entry["records"] += len(records_of[key])
            for name, amount in figures[key][0].items():
                entry["amounts"][name] += amount
        cell["records"] += len(records_of[best])
        cell["other_zone"] += sum(record.zone is not None and record.zone != self.options.zone_name for record in records_of[best])
        for name, amount in figures[best][0].items():
            cell["amounts"][name] += amount
        cell["best"] = best
        cell["span"] = records_of[best][0].start, max(record.until for record in records_of[best])

    # Items

    def items(self):
        found = []
        for (sample_type, label, kind, value, source), cell in self.cells.items():
            if self.is_asked(label):
                order = (sample_type, label or "", kind, value is not None, value or 0, source or ("", ""))
                found.append((order, self.item(sample_type, label, kind, value, source, cell)))
        return [item for _, item in sorted(found, key=lambda pair: pair[0])]

    def is_asked(self, label):
        since, until = self.options.since, self.options.until
        if label is None:
            return since is None and until is None
        return (since is None or label >= since[:len(label)]) and (until is None or label < until[:len(label)])

    def item(self, sample_type, label, kind, value, source, cell):
        item = {"item_kind": "day", "sample_type": sample_type, "measure": kind, "record_count": cell["records"], "source_count": len(cell["sources"])}
        if label is not None:
            item.update(self.period(label, sample_type, cell))
        if cell["other_zone"]:
            item["other_zone_count"] = cell["other_zone"]
        keys = sorted(cell["sources"])
        is_one_night = kind in ("nap", "night") and self.options.period == "day"
        if len(keys) == 1 or is_one_night:
            item["source"] = source_member(cell["best"] if is_one_night else keys[0])
        if value is not None:
            item["category_value" if kind == "category" else "workout_activity_type"] = value
        item.update(getattr(self, kind + "_members")(cell))
        if kind in ("cumulative", "nap", "night") and len(keys) > 1:
            item["sources"] = [self.entry(key, cell["sources"][key], kind, cell) for key in keys]
        return item

    def period(self, label, sample_type, cell):
        if self.options.period == "day":
            first = date.fromisoformat(label)
            after = first + timedelta(days=1)
        else:
            first = date.fromisoformat(label + "-01")
            after = (first + timedelta(days=31)).replace(day=1)
        start, end = (self.zone.first(each.toordinal() - UNIX) for each in (first, after))
        state = "unknown" if sample_type in self.incomplete else "partial" if self.observed < end else "complete"
        found = {"date": label, "day_seconds": (end - start) // 1_000_000, "day_start": start, "completeness": state}
        if self.options.period == "month":
            found["day_count"] = len(cell["days"])
        return found

    def entry(self, key, entry, kind, cell):
        found = {**source_member(key), "record_count": entry["records"]}
        if self.options.period == "day" and entry["rank"] is not None:
            found.update({"class": entry["class"], "rank": entry["rank"]})
        if kind == "cumulative":
            digits = decimals(cell["measure"]["unit"])
            found["covered_seconds"] = number(entry["amounts"]["covered"])
            found.update({SUMS[name]: number(entry["amounts"][name], digits) for name in SUMS if name in entry["amounts"]})
        else:
            found["session_count"] = entry["amounts"]["sessions"]
            found.update({name + "_seconds": number(entry["amounts"][name]) for name in ("session", "asleep", "in_bed") if name in entry["amounts"]})
        return found

    def cumulative_members(self, cell):
        found, digits = {"not_summed_count": cell["not_summed"]}, decimals(cell["measure"]["unit"])
        found.update({name + "_seconds": number(cell["amounts"][name]) for name in ("overlap", "shared")})
        if "sum" in cell["amounts"]:
            found.update({SUMS[name]: number(cell["amounts"][name], digits) for name in SUMS}, unit=cell["measure"]["unit"])
        return found

    def discrete_members(self, cell):
        found, values = {"not_summed_count": cell["not_summed"]}, cell["values"]
        if values and abs(sum(map(Fraction, values))) < 2 ** 1024 - 2 ** 970:
            mean = float(sum(map(Fraction, values))) / len(values)
            found.update(value_mean=mean, value_min=min(values), value_max=max(values), unit=cell["measure"]["unit"])
        return found

    def category_members(self, cell):
        return {"seconds": number(cell["amounts"]["seconds"]), "not_summed_count": cell["not_summed"]}

    def workout_members(self, cell):
        return {name: number(cell["amounts"][name]) for name in ("seconds", "energy", "distance") if name in cell["amounts"]}

    def event_members(self, _):
        return {}

    def activity_summary_members(self, cell):
        return {"not_summed_count": cell["not_summed"], **{name: number(cell["amounts"][name]) for name in RINGS if name in cell["amounts"]}}

    def night_members(self, cell):
        amounts = cell["amounts"]
        found = {"session_count": amounts["sessions"], "session_seconds": number(amounts["session"]), "overlap_seconds": number(amounts["overlap"])}
        found.update({name + "_seconds": number(amounts[name]) for name in ("asleep", "awake", "in_bed", *ASLEEP) if name in amounts})
        if amounts["long"]:
            found["long_session_count"] = amounts["long"]
        if self.options.period == "day":
            found.update(start_date=cell["span"][0], end_date=cell["span"][1])
        else:
            found.update(asleep_day_count=amounts["asleep_days"], stage_day_count=amounts["stage_days"])
        return found

    nap_members = night_members


def totals(items):
    """The figures of the totals by type, from items alone."""
    found = {}
    for item in items:
        entry = found.setdefault(item["sample_type"], {"item_count": 0, "record_count": 0})
        entry["item_count"] += 1
        if item["measure"] not in ("nap", "night"):
            entry["record_count"] += item["record_count"]
        if "value_sum" in item:
            entry["unit"] = item["unit"]
            for name in SUMS.values():
                digits = decimals(item["unit"])
                entry[name] = entry.get(name, 0) + max(-10 ** 27, min(10 ** 27, round(Fraction(item[name]) * 10 ** digits)))
    for entry in found.values():
        entry.update({name: number(entry[name], decimals(entry["unit"])) for name in SUMS.values() if name in entry})
    return found


def cases():
    """The days and nights that were worked out by hand."""
    return json.loads((pathlib.Path(__file__).resolve().parent / "day_cases.json").read_text("utf-8"))
