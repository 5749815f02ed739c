"""What a diff says, worked out from the pages of Spec alone: changes.md, pairs.md, measures.md, items.md. Slow on purpose.

Every table is read as a whole, every version is compared with every other, every sum is a fraction. So it is for small histories of one device chain, without a filter.
It shares no code with the tools, with Spec/examples or with the other references of this folder, but for the preimages of identity.py.
"""

import datetime
import decimal
import functools
import hashlib
import json
import math
import pathlib
import sqlite3
import struct
from collections import Counter
from fractions import Fraction

import identity

SPEC = pathlib.Path(__file__).resolve().parent.parent.parent / "Spec"
MEASURES = json.loads((SPEC / "measures.json").read_text(encoding="utf-8"))
LIMIT = 2**53 - 1
FIRST, LAST = -62135596800, 253402300800
GAP, TOLERANCE = 3600, 1e-5
LATE, BASELINE, CURRENT, RATIO, MINIMUM = 604800, 180, 30, 2, 7
MEANINGS = {
    "HKBloodGlucoseMealTime", "HKBodyTemperatureSensorLocation", "HKHeartRateSensorLocation", "HKIndoorWorkout", "HKInsulinDeliveryReason", "HKMenstrualCycleStart",
    "HKMetadataKeyHeartRateMotionContext", "HKVO2MaxTestType", "HKWasUserEntered"}
WORKOUTS = "HKWorkoutTypeIdentifier"
DAILY = {"HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierWalkingHeartRateAverage"}


# Numbers

def rounded(number):
    """The double nearest to a fraction; None where that is not finite."""
    try:
        return float(number)
    except OverflowError:
        return None


def total(values):
    """The exact sum, rounded once; None where a value is missing or the sum is not finite."""
    values = list(values)
    return None if any(value is None for value in values) else rounded(sum((Fraction(value) for value in values), Fraction(0)))


def finite(value):
    return value if value is not None and math.isfinite(value) else None


def plus(a, b):
    return None if a is None or b is None else finite(a + b)


def minus(a, b):
    return None if a is None or b is None else finite(a - b)


def times(a, b):
    return None if a is None or b is None else finite(a * b)


def over(a, b):
    return None if a is None or b is None or b == 0 else finite(a / b)


def agree(a, b, share):
    return abs(a - b) <= share * max(abs(a), abs(b))


def written(**members):
    """An object without the members that are absent; −0 is 0."""
    return {name: value + 0.0 if isinstance(value, float) else value for name, value in members.items() if value is not None}


# Dates

def timestamp(seconds):
    """The canonical text of a date, or None where it has none."""
    if not math.isfinite(seconds) or not FIRST <= seconds < LAST:
        return None
    exact = Fraction(seconds)
    for digits in range(3, 10):
        unit = 10**digits
        count = round(exact * unit)
        if float(Fraction(count, unit)) == seconds:
            if not FIRST * unit <= count < LAST * unit:
                return None
            moment = datetime.datetime(1, 1, 1) + datetime.timedelta(seconds=count // unit - FIRST)
            return "%04d%s.%0*dZ" % (moment.year, moment.strftime("-%m-%dT%H:%M:%S"), digits, count % unit)
    return None


def zone_of(text, seconds):
    """Pairs of a moment and the offset from then on: by the stored rules, else one offset."""
    numbers = json.loads(text) if text is not None else [seconds if seconds is not None and abs(seconds) <= 93600 else 0]
    return tuple(zip([-math.inf, *numbers[1::2]], numbers[0::2]))


@functools.lru_cache(maxsize=None)
def first_moment(zone, day):
    """The first moment of a local day, as seconds. None where the day does not exist."""
    ends = [*(start for start, _ in zone[1:]), math.inf]
    found = [max(start, day * 86400 - offset) for (start, offset), end in zip(zone, ends) if max(start, day * 86400 - offset) < min(end, (day + 1) * 86400 - offset)]
    return min(found, default=None)


def bounds(zone, start, end):
    """The bounds around a stretch of time: the first moment of every local day."""
    days = range(math.floor(start / 86400) - 3, math.floor(end / 86400) + 4)
    return [moment for moment in (first_moment(zone, day) for day in days) if moment is not None]


# Measures

def measure_of(name):
    return MEASURES["types"].get(name, {"measure": "event", "method": "count"})


def molar_mass(unit):
    """The ratio of millimoles of a substance in a litre to mg/dL; None for another unit."""
    mass = unit[5:-3] if unit and unit.startswith("mmol<") and unit.endswith(">/L") else ""
    whole, point, fraction = mass.partition(".")
    digits = whole + fraction
    if not (digits.isascii() and digits.isdigit()) or not whole or (point and not fraction) or len(digits) > 17 or not int(digits):
        return None
    return {"times": int(digits), "over": 10 ** (len(fraction) + 1)}


def converted(name, value, unit):
    """A value in the canonical unit of its type; None where it cannot be brought into it."""
    kind = measure_of(name)
    if "unit" not in kind or value is None:
        return None
    units = MEASURES["dimensions"][kind["dimension"]]["units"]
    mine = units.get(unit) or (molar_mass(unit) if kind["dimension"] == "mass concentration" else None)
    if mine is None:
        return None
    canonical = units[kind["unit"]]
    ratio = Fraction(mine["times"] * canonical["over"], mine["over"] * canonical["times"])
    result = float(value)
    if mine.get("minus"):
        result -= mine["minus"]
    if ratio.numerator != 1:
        result *= ratio.numerator
    if ratio.denominator != 1:
        result /= ratio.denominator
    return finite(result + 0.0)


ROOTS = [math.sqrt(10)]
while len(ROOTS) < 40:
    ROOTS.append(math.sqrt(ROOTS[-1]))


def power(value):
    if abs(value) > 1000:
        return None
    whole = math.floor(value / 10)
    rest, result = value / 10 - whole, 1.0
    for _ in range(abs(whole)):
        result = result * 10 if whole > 0 else result / 10
    for k in range(1, 41):
        if rest >= 2.0**-k:
            rest, result = rest - 2.0**-k, result * ROOTS[k - 1]
    return result


def level(value):
    count = 0.0
    while value >= 10:
        value, count = value / 10, count + 1
    while value < 1:
        value, count = value * 10, count - 1
    for k in range(1, 41):
        if value >= ROOTS[k - 1]:
            value, count = value / ROOTS[k - 1], count + 2.0**-k
    return count * 10


# Versions

class Version:
    """One version of a sample, as items.md writes it. Row ids stay, for ties."""

    def __init__(self, tables, sample, number):
        self.sample, self.id = sample, number
        self.members, self.defects = {}, []
        row = tables["sample_versions"].get(number) if isinstance(number, int) else None
        if row is None:
            self.defect("payload_hash", "no_version" if number is None else "missing_row", number)
            row = {}
        self.states_value = isinstance(row.get("numeric_value"), (int, float)) or any(isinstance(row.get(name), int) for name in ("category_value", "workout_activity_type"))
        for name in ("start_date", "end_date"):
            self.take(name, row, self.date)
        for name in ("numeric_value", "duration_seconds"):
            self.take(name, row, self.number)
        for name in ("category_value", "workout_activity_type", "created_observation_id"):
            self.take(name, row, self.integer)
        for name in ("payload_hash", "unit", "value_kind"):
            self.take(name, row, self.text)
        self.link(row, "source_revision_id", "source_revisions", "source", ("product_type", "version", "operating_system_version"), tables)
        revision = tables["source_revisions"].get(row.get("source_revision_id"))
        if revision is not None:
            self.link(revision, "source_id", "sources", "source/bundle_identifier", ("bundle_identifier", "source_name_hash"), tables, "source")
        self.link(row, "hk_device_id", "hk_devices", "device", (
            "device_hash", "firmware_version", "hardware_version", "local_identifier_hash", "manufacturer_hash", "model", "software_version", "udi_hash"), tables)
        if row.get("metadata_id") is not None:
            blob = tables["metadata_blobs"].get(row["metadata_id"])
            if blob is None:
                self.defect("metadata", "missing_row", row["metadata_id"])
            else:
                self.members["metadata"], self.members["metadata_hash"] = self.metadata(blob["metadata_json"]), blob["metadata_hash"]
        self.defects.sort(key=lambda entry: entry["pointer"].encode())

    def link(self, row, column, table, pointer, names, tables, member=None):
        number = row.get(column)
        if number is None:
            return
        found = tables[table].get(number)
        if found is None:
            return self.defect(pointer, "missing_row", number)
        place = self.members.setdefault(member or pointer, {})
        for name in names:
            value = found[name]
            if value is None:
                continue
            fault = self.text(value)
            if fault:
                self.defect((member or pointer) + "/" + name, fault, value)
            else:
                place[name] = value

    def take(self, name, row, look):
        value = row.get(name)
        if value is None:
            return
        fault = look(value)
        if fault:
            self.defect(name, fault, value)
        else:
            self.members[name] = timestamp(value) if look == self.date else value
            if look == self.date:
                setattr(self, name, float(value))

    def defect(self, pointer, reason, value):
        entry = {"pointer": "/" + pointer, "reason": reason}
        if value is None:
            entry["storage_class"] = "null"
        elif isinstance(value, int):
            entry.update(storage_class="integer", value=str(value))
        elif isinstance(value, float):
            entry.update(storage_class="real", value=struct.pack(">d", value).hex())
        elif isinstance(value, str):
            entry.update(storage_class="text", value=value.encode().hex())
        else:
            entry.update(storage_class="blob", value=bytes(value).hex())
        self.defects.append(entry)

    @staticmethod
    def number(value):
        if isinstance(value, int):
            return "integer_range" if abs(value) > LIMIT else None
        if not isinstance(value, float):
            return "storage_class"
        return "not_finite" if not math.isfinite(value) else "negative_zero" if value == 0 and math.copysign(1, value) < 0 else None

    @classmethod
    def date(cls, value):
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            return cls.number(value)
        return cls.number(value) or (None if timestamp(value) else "date_range" if not FIRST <= value < LAST else "date_precision")

    @staticmethod
    def integer(value):
        return "storage_class" if not isinstance(value, int) else "integer_range" if abs(value) > LIMIT else None

    @staticmethod
    def text(value):
        return "storage_class" if not isinstance(value, str) else "nul" if "\0" in value else None

    @staticmethod
    def metadata(text):
        try:
            value = json.loads(text)
        except ValueError:
            return text
        # The histories have keys of ASCII and plain numbers, whose canonical text Python has, too.
        is_canonical = isinstance(value, dict) and json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) == text
        return value if is_canonical else text

    def __getattr__(self, name):
        if name in ("start_date", "end_date"):
            return None
        raise AttributeError(name)

    # What other sections ask

    def get(self, name):
        return self.members.get(name)

    def source(self):
        return self.members.get("source", {})

    @property
    def has_span(self):
        return self.start_date is not None and self.end_date is not None

    @property
    def span(self):
        return (self.start_date, max(self.start_date, self.end_date))

    @property
    def length(self):
        if not self.has_span:
            return 0.0
        return max(0.0, self.end_date - self.start_date)


def differs(a, b):
    return json.dumps(a, sort_keys=True) != json.dumps(b, sort_keys=True)


def plain(value):
    """Whole numbers as integers, for a comparison that knows numbers from truth values."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


class Change:
    """One difference between two observations."""

    def __init__(self, kind, sample, before, after):
        self.kind, self.sample, self.before, self.after = kind, sample, before, after
        self.pair = None
        self.window = None

    @property
    def leading(self):
        return self.before or self.after

    @property
    def versions(self):
        return [version for version in (self.before, self.after) if version]

    @property
    def span(self):
        edges = [edge for version in self.versions if version.has_span for edge in version.span]
        return min(edges), max(edges)


class Piece:
    def __init__(self, changes):
        self.changes = changes

    @property
    def start(self):
        return min(change.span[0] for change in self.changes)

    @property
    def end(self):
        return max(change.span[1] for change in self.changes)

    @property
    def kind(self):
        if not any(change.after for change in self.changes):
            return "before"
        return "both" if any(change.before for change in self.changes) else "after"


class Diff:
    """Everything that is said of two observations of an archive."""

    def __init__(self, path, before, after):
        self.path, self.F, self.T = path, before, after
        self.read()
        self.older, self.newer = min(before, after), max(before, after)
        self.coverage, self.from_coverage = self.coverage_at(after), self.coverage_at(before)
        self.observed = {row["id"]: row["observed_at"] for row in self.rows["observations"]}
        at, facts = self.tables["observations"][after], self.rows.get("observation_facts", [])
        hashed = next((row["zone_rules_hash"] for row in facts if row["observation_id"] == after), None)
        text = next((row["transitions_json"] for row in self.rows.get("zone_rules", []) if row["zone_rules_hash"] == hashed), None)
        self.zone = zone_of(text, at["time_zone_seconds_from_gmt"])
        self.visible_before, self.visible_after = self.visible(before), self.visible(after)
        self.changes = self.find_changes()
        self.pairs = self.find_pairs()
        asked = {name for coverage in (self.coverage, self.from_coverage) for name, entry in coverage.items() if entry["status"] != "never_queried"}
        self.types = sorted({self.type_of(version.sample) for version in self.visible_before + self.visible_after} | asked, key=str.encode)
        self.windows = {name: self.find_windows(name) for name in self.types}

    def read(self):
        connection = sqlite3.connect("file:%s?mode=ro" % self.path, uri=True)
        connection.row_factory = sqlite3.Row
        names = [name for name, in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.rows = {name: [dict(row) for row in connection.execute('SELECT rowid AS "row id", * FROM "%s"' % name)] for name in names if name not in (
            "archive_metadata", "schema_migrations", "selected_type_sets")}
        connection.close()
        self.tables = {name: {row["id"]: row for row in rows} for name, rows in self.rows.items() if rows and "id" in rows[0]}
        for name in ("sample_versions", "source_revisions", "sources", "hk_devices", "metadata_blobs", "samples"):
            self.tables.setdefault(name, {})

    def type_of(self, sample):
        return self.tables["sample_types"][self.tables["samples"][sample]["sample_type_id"]]["type_identifier"]

    def coverage_at(self, observation):
        found = {}
        facts = {row["type_run_id"]: row for row in self.rows.get("type_run_facts", [])}
        for kind in self.rows["sample_types"]:
            runs = [run for run in self.rows["observation_type_runs"] if run["sample_type_id"] == kind["id"] and run["observation_id"] <= observation]
            entry = {"status": "never_queried"}
            if runs:
                run = max(runs, key=lambda run: (run["observation_id"], run["id"]))
                entry = {"status": run["status"], "observation": run["observation_id"]}
                if run["id"] in facts:
                    fact = facts[run["id"]]
                    is_excused = (fact["discontinuity"] or "").replace(" clock_backwards", "") == "rejected_records" and not fact["withheld_count"] \
                        and (fact["mode"] == "full_scan" or fact["stated_count"] is not None)
                    entry["state"] = "unknown" if run["observation_id"] != observation else "verified" if is_excused else fact["state"]
            found[kind["type_identifier"]] = entry
        return found

    def visible(self, observation):
        pairs = []
        for row in self.rows["sample_visibility_ranges"]:
            last = row["last_observation_id"]
            if row["first_observation_id"] <= observation and (last is None or last > observation):
                if (row["sample_id"], row["version_id"]) not in pairs:
                    pairs.append((row["sample_id"], row["version_id"]))
        return [Version(self.tables, *pair) for pair in pairs]

    # Changes

    def find_changes(self):
        found = []
        for sample in self.tables["samples"]:
            B = [version for version in self.visible_before if version.sample == sample]
            A = [version for version in self.visible_after if version.sample == sample]
            before, after = {version.id for version in B}, {version.id for version in A}
            if before == after:
                continue
            if not B:
                found += [Change("appeared", sample, None, version) for version in A]
            elif not A:
                found += [Change("disappeared", sample, version, None) for version in B]
            else:
                found += [Change("representation_changed", sample, b, a) for b in B for a in A if not (b.id in after and a.id in before)
                          and (differs(b.members, a.members) or differs(b.defects, a.defects))]
        return sorted(found, key=self.order)

    def order(self, change):
        sample, lead = self.tables["samples"][change.sample], change.leading
        dates = [(date is not None, date or 0) for date in (lead.start_date, lead.end_date)]
        identifier = lambda version: (0, 0) if version is None or version.id is None else (1, version.id)
        return (self.type_of(change.sample).encode(), *dates, self.identity(change.sample).encode(), (lead.get("payload_hash") or "").encode(), sample["strict_fingerprint"].encode(),
                change.sample, identifier(change.before), identifier(change.after))

    def identity(self, sample):
        row = self.tables["samples"][sample]
        return row["sample_uuid_hash"] or row["strict_fingerprint"]

    def run(self, coverage, name):
        entry = coverage[name]
        return "unknown" if entry["status"] == "completed" and entry.get("state") == "unknown" else entry["status"]

    def change_items(self):
        return [self.change_item(change) for change in self.changes]

    def change_item(self, change):
        sample, name = self.tables["samples"][change.sample], self.type_of(change.sample)
        item = written(
            item_kind="change", change=change.kind, sample_type=name, sample_uuid_hash=sample["sample_uuid_hash"], strict_fingerprint=sample["strict_fingerprint"],
            semantic_fingerprint=sample["semantic_fingerprint"], fuzzy_key=sample["fuzzy_key"], first_seen_at=timestamp(sample["first_seen_at"]),
            first_seen_observation_id=sample["first_seen_observation_id"], run_after=self.run(self.coverage, name), run_before=self.run(self.from_coverage, name),
            before=change.before and change.before.members, after=change.after and change.after.members, **self.judged(change))
        defects = [{**entry, "pointer": "/%s%s" % (side, entry["pointer"])} for side, version in (("before", change.before), ("after", change.after)) if version for entry in version.defects]
        if defects:
            item["defects"] = sorted(defects, key=lambda entry: entry["pointer"].encode())
        events = [event for event in self.rows["sample_observation_events"] if event["sample_id"] == change.sample and self.older < event["observation_id"] <= self.newer]
        events.sort(key=lambda event: (event["observation_id"], event["event_kind"].encode(), event["id"]))
        if events:
            item["events"] = [written(event_kind=event["event_kind"], evidence_kind=event["evidence_kind"], observation_id=event["observation_id"],
                                      observed_at=timestamp(event["observed_at"])) for event in events]
        if change.kind == "representation_changed":
            names = set(change.before.members) | set(change.after.members)
            fields = {"metadata" if name == "metadata_hash" else name for name in names if name not in ("created_observation_id", "payload_hash")
                      and differs(change.before.members.get(name), change.after.members.get(name))}
            item["changed_fields"] = sorted(fields, key=str.encode)
        if change.pair:
            item["pair"] = {"kind": change.pair[0]["pair"], "keys": sorted((pair["key"] for pair in change.pair), key=str.encode)}
        return item

    def judged(self, change):
        for window in self.windows[self.type_of(change.sample)]:
            if change in window.changes:
                return {"label": window.label, "reasons": window.reasons or None}
        raise AssertionError("a change in no window")

    # Windows

    def find_windows(self, name):
        changes = [change for change in self.changes if self.type_of(change.sample) == name]
        undated = [change for change in changes if not change.leading.has_span]
        dated = sorted((change for change in changes if change.leading.has_span), key=lambda change: change.span)
        pieces = []
        for change in dated:
            piece, (start, end) = pieces[-1] if pieces else None, change.span
            second = math.floor(piece.end) if piece else None
            if piece and (start < piece.end or math.floor(start) == second and second in (math.floor(end), math.floor(piece.start))):
                piece.changes.append(change)
            else:
                pieces.append(Piece([change]))
        groups = []
        for piece in pieces:
            piece.verdict = Judgement(self, name, piece.changes).verdict()
            group = groups[-1] if groups else None
            if group and piece.verdict == group[0].verdict and piece.start - max(inner.end for inner in group) <= GAP and not any(
                    group[0].start < bound <= piece.start for bound in bounds(self.zone_of_type(name), group[0].start, piece.start)):
                group.append(piece)
            else:
                groups.append([piece])
        return ([Window(self, name, undated, [])] if undated else []) + [Window(self, name, [change for piece in group for change in piece.changes], group) for group in groups]

    def zone_of_type(self, name):
        """What the days of a type's records go by: an activity summary states a date, which is that of UTC."""
        return zone_of("[0]", None) if name == "HKActivitySummaryTypeIdentifier" else self.zone

    def day(self, moment, name=None):
        """The local day in which a moment is, as its first moment."""
        return max(start for start in bounds(self.zone_of_type(name), moment, moment) if start <= moment)

    # Comparison

    def comparison_items(self):
        counted = lambda changes: {**{kind + "_count": sum(change.kind == kind for change in changes) for kind in ("appeared", "disappeared", "representation_changed")}, **replaced(changes)}
        labelled = lambda windows: {label: sum(window.label == label for window in windows) for label in {window.label for window in windows}}
        items = [{"item_kind": "comparison", "before": {"record_count": len(self.visible_before)}, "after": {"record_count": len(self.visible_after)}, **counted(self.changes),
                  "labels": labelled([window for windows in self.windows.values() for window in windows]),
                  "rejected_count": sum(sum(self.rejected(name, self.T, False).values()) for name in [None, *self.coverage]), "withheld_count": self.withheld_count()}]
        for name in self.types:
            mine = [change for change in self.changes if self.type_of(change.sample) == name]
            before, after = self.of_type(self.visible_before, name), self.of_type(self.visible_after, name)
            reasons = self.incomplete(name)
            state = self.coverage[name].get("state")
            items.append(written(
                item_kind="comparison", sample_type=name, measure=measure_of(name)["measure"], method=measure_of(name)["method"], before=side(name, before), after=side(name, after),
                labels=labelled(self.windows[name]), sources=sources(before, after), standing_reasons=reasons or None,
                standing="changed" if mine else "unknown" if reasons else state or "unchanged", **counted(mine)))
            items += [written(item_kind="comparison", sample_type=name, measure=measure_of(name)["measure"], method=measure_of(name)["method"], **window.item(), **counted(window.changes))
                      for window in self.windows[name]]
        return items

    def of_type(self, versions, name):
        return [version for version in versions if self.type_of(version.sample) == name]

    def incomplete(self, name):
        reasons = []
        for word, coverage in (("from", self.from_coverage), ("to", self.coverage)):
            entry = coverage[name]
            if entry["status"] == "never_queried":
                reasons.append(word + "_never_queried")
            elif entry["status"] != "completed":
                reasons.append(word + "_run_not_completed")
            elif entry.get("state") == "unknown":
                reasons.append(word + "_state_unknown")
        if self.rejected(name, self.F) != self.rejected(name, self.T):
            reasons.append("rejected_records_differ")
        return sorted(reasons)

    def withheld_count(self):
        chains = {row["id"]: row["device_chain_id"] for row in self.rows["observations"]}
        return sum(chains[row["first_observation_id"]] == chains[self.T] and row["first_observation_id"] <= self.T
                   and (row["last_observation_id"] is None or row["last_observation_id"] > self.T) for row in self.rows.get("withheld_closures", []))

    def rejected(self, name, observation, with_untyped=True):
        """Rejected records that were there at an observation, by the hash of what was read."""
        chain = {row["id"]: row["device_chain_id"] for row in self.rows["observations"]}[observation]
        found = Counter()
        for row in self.rows.get("rejected_records", []):
            kind = self.tables["sample_types"].get(row["sample_type_id"], {}).get("type_identifier")
            last = row["last_observation_id"]
            if row["device_chain_id"] == chain and kind in ((None, name) if with_untyped else (name,)) and row["first_observation_id"] <= observation and (last is None or last > observation):
                found[kind, row["content_hash"]] += row["record_count"]
        return found

    # Pairs

    def find_pairs(self):
        records = [Record(self, change) for change in self.changes if change.kind != "representation_changed" and self.may_pair(change)]
        records.sort(key=lambda record: record.order)
        self.items_of_pairs = []
        for step in ("payload", "strict", "semantic"):
            free = [record for record in records if not record.pairs]
            for key in {record.key(step) for record in free} - {None}:
                before = [record for record in free if record.key(step) == key and record.is_before]
                after = [record for record in free if record.key(step) == key and not record.is_before]
                for a, b in zip(before, after):
                    self.re_identify(a, b, step, len(before) > 1 or len(after) > 1)
        free = [record for record in records if not record.pairs]
        fitting = [found for group in {record.group for record in free} - {None} for found in containers(self, [record for record in free if record.group == group])]
        for container in fitting:
            others = [other for other in fitting if other is not container and set(map(id, other.members)) & set(map(id, container.members))]
            container.write(self, others)
        for group in {record.group for record in free} - {None}:
            self.regroup([record for record in free if record.group == group])
        for record in records:
            record.change.pair = record.pairs or None
        return sorted(self.items_of_pairs, key=lambda item: (item["sample_type"].encode(), item["start_date"][:-1], item["end_date"][:-1], item["key"].encode()))

    def regroup(self, records):
        """Pairs of several and several: of each stretch of time that the records of a group cover, what is in no container."""
        records = sorted((record for record in records if record.length > 0), key=lambda record: record.turn)
        for stretch in overlapping(records):
            if any(sum(record.is_before == side for record in stretch) > 1024 for side in (True, False)):
                continue
            for rest in overlapping([record for record in stretch if not record.pairs]):
                before, after = ([record for record in sorted(rest, key=lambda record: record.order) if record.is_before == side] for side in (True, False))
                times = lambda side: {(record.start, record.end) for record in side}
                if not before or not after or covered_by(before) != covered_by(after) or len(rest) > 2 and times(before) & times(after):
                    continue
                law = Law(self, after, before, ("sum", "value", "time_weighted_mean", "duration"))
                if law.name:
                    law.write(self, "regrouped", min((record.identity for record in rest), key=str.encode), before, after, after[0], law.figures)

    def may_pair(self, change):
        versions = self.visible_before if change.before else self.visible_after
        read = ("/category_value", "/duration_seconds", "/end_date", "/numeric_value", "/payload_hash", "/start_date", "/unit", "/value_kind", "/workout_activity_type",
                "/source", "/source/bundle_identifier", "/source/product_type", "/source/source_name_hash")
        version = change.leading
        return (sum(other.sample == change.sample for other in versions) == 1 and not any(entry["pointer"] in read for entry in version.defects)
                and version.has_span and version.get("payload_hash") is not None and version.end_date >= version.start_date)

    def re_identify(self, before, after, step, is_tied):
        residual = minus(after.value, before.value) if step == "semantic" else None
        item = written(
            item_kind="pair", pair="re_identified", outcome=same_record(before, after), level=step, tied=is_tied, sample_type=before.type, before=[before.item()], after=[after.item()],
            key=min(before.identity, after.identity, key=str.encode), residual=residual, unit=None if residual is None else measure_of(before.type)["unit"], **extent([before, after]))
        self.items_of_pairs.append(item)
        before.pairs.append(item)
        after.pairs.append(item)

    # Findings

    def finding_items(self):
        items = []
        for name in self.types:
            before, after = self.of_type(self.visible_before, name), self.of_type(self.visible_after, name)
            gone = sum(change.kind == "disappeared" for change in self.changes if self.type_of(change.sample) == name)
            if gone:
                items.append((name, {"finding": "disappearance", "before_count": len(before), "after_count": len(after), "disappeared_count": gone,
                                     "disappeared_share": over(gone, len(before)), "elapsed_seconds": self.observed[self.T] - self.observed[self.F]}))
            items += [(name, item) for item in self.duplicates(after) + self.divergence(name, after) + self.late(name)]
        items = [{"item_kind": "finding", "sample_type": name, **item} for name, item in items] + self.source_items()
        return sorted(items, key=lambda item: (
            item.get("sample_type", "").encode(), item["finding"].encode(), "start_date" in item, item.get("start_date", "")[:-1],
            (item.get("sample_uuid_hash") or item.get("strict_fingerprint") or "").encode(), item.get("payload_hash", "").encode(), item.get("semantic_fingerprint", "").encode(),
            *(item.get("source", {}).get(name, "").encode() for name in ("bundle_identifier", "product_type", "source_name_hash"))))

    def source_items(self):
        """What became of each name and bundle identifier; nothing is said looking back."""
        if self.F >= self.T:
            return []
        app = lambda version: tuple(version.source().get(name) for name in ("bundle_identifier", "source_name_hash"))
        product = lambda version: version.source().get("product_type")
        is_whole = lambda version: self.incomplete(self.type_of(version.sample)) == []
        starts = lambda versions: [version.start_date for version in versions if version.start_date is not None]
        items = []

        def add(kind, name, before, after, told=None):
            first, last = min(starts(after), default=None), max(starts(after) or starts(before), default=None)
            items.append(written(
                item_kind="finding", finding=kind, before_count=len(before) or None, after_count=len(after), source=written(bundle_identifier=name[0], source_name_hash=name[1], product_type=told),
                start_date=None if first is None else timestamp(first), end_date=None if last is None else timestamp(last)))

        for name in {app(version) for version in self.visible_before + self.visible_after} - {(None, None)}:
            before, after = ([version for version in versions if app(version) == name] for versions in (self.visible_before, self.visible_after))
            if not before and any(map(is_whole, after)):
                add("source_appeared", name, before, after)
            for told in {product(version) for version in after} - {product(version) for version in before} - {None} if before else ():
                mine = [version for version in after if product(version) == told]
                if any(map(is_whole, mine)):
                    add("source_changed", name, [], mine, told)
            made = self.observed[self.F]
            recent = [version for version in before if version.start_date is not None and version.start_date >= made - 30 * 86400]
            if recent and all(map(is_whole, recent)) and all(start < made for start in starts(after)):
                add("source_quiet", name, before, after)
        return items

    def duplicates(self, versions):
        items = []
        for payload in {version.get("payload_hash") for version in versions} - {None}:
            alike = [version for version in versions if version.get("payload_hash") == payload]
            if len({version.sample for version in alike}) > 1:
                first = min(alike, key=lambda version: version.id)
                items.append(written(finding="exact_duplicate", payload_hash=payload, record_count=len(alike), start_date=first.get("start_date"), end_date=first.get("end_date")))
        valued = [version for version in versions if version.states_value]
        weak = self.weak_fingerprint
        for fingerprint in {weak(version) for version in valued} - {None}:
            alike = [version for version in valued if weak(version) == fingerprint and version.get("payload_hash") is not None]
            if len({version.get("payload_hash") for version in alike}) > 1:
                items.append({"finding": "semantic_duplicate", "semantic_fingerprint": fingerprint, "record_count": len(alike),
                              "payload_count": len({version.get("payload_hash") for version in alike})})
        return items

    def weak_fingerprint(self, version):
        sample, row = self.tables["samples"][version.sample], self.tables["sample_versions"].get(version.id)
        if row["created_observation_id"] == sample["first_seen_observation_id"]:
            return sample["semantic_fingerprint"]
        if not all(isinstance(row[name], (int, float)) and math.isfinite(row[name]) for name in ("start_date", "end_date")) or not all(
                row[name] is None or isinstance(row[name], str) for name in ("value_kind", "unit")):
            return None
        preimage, _ = identity.family(self.type_of(version.sample), row)
        return preimage and identity.sha256(preimage)

    def was_rejected(self, version, name):
        chain = {row["id"]: row["device_chain_id"] for row in self.rows["observations"]}[self.older]
        kinds = {row["id"]: row["type_identifier"] for row in self.rows["sample_types"]}
        return any(
            row["device_chain_id"] == chain and kinds.get(row["sample_type_id"], name) == name and row["start_date"] in (None, version.start_date)
            and row["first_observation_id"] <= self.older and row["last_observation_id"] is not None and self.older < row["last_observation_id"] <= self.newer
            for row in self.rows.get("rejected_records", []))

    def late(self, name):
        coverage = self.from_coverage if self.F <= self.T else self.coverage
        entry, items = coverage[name], []
        if entry["status"] != "completed" or entry.get("state") == "unknown":
            return []
        looked = self.observed[entry["observation"]]
        for change in self.changes:
            version, sample = change.after, self.tables["samples"][change.sample]
            if change.kind != "appeared" or self.type_of(change.sample) != name or not version.has_span or version.get("payload_hash") is None:
                continue
            if change.pair or self.was_rejected(version, name):
                continue
            delay = sample["first_seen_at"] - version.start_date
            if (self.older < sample["first_seen_observation_id"] <= self.newer and delay > LATE
                    and looked - version.start_date > LATE and looked - version.end_date > LATE):
                items.append(written(
                    finding="late_arrival", delay_seconds=delay, start_date=version.get("start_date"), end_date=version.get("end_date"), payload_hash=version.get("payload_hash"),
                    first_seen_at=timestamp(sample["first_seen_at"]), first_seen_observation_id=sample["first_seen_observation_id"], sample_uuid_hash=sample["sample_uuid_hash"],
                    strict_fingerprint=sample["strict_fingerprint"]))
        return items

    def divergence(self, name, versions):
        kind = measure_of(name)
        if kind["measure"] not in ("cumulative", "discrete"):
            return []
        at = self.observed[self.T]
        today = max(day for day in range(math.floor(at / 86400) - 3, math.floor(at / 86400) + 3) if (first_moment(self.zone, day) or math.inf) <= at)
        days = {"current": range(today - CURRENT, today), "baseline": range(today - CURRENT - BASELINE, today - CURRENT)}
        starts = {day: self.start_of(day) for day in range(today - CURRENT - BASELINE, today + 1)}
        item = {"finding": "divergence", "current_start": timestamp(starts[today - CURRENT]), "current_end": timestamp(starts[today]),
                "baseline_start": timestamp(starts[today - CURRENT - BASELINE]), "measure": kind["measure"], "method": kind["method"], "unit": kind["unit"]}
        for word, span in days.items():
            values = []
            for day in span:
                stated = [version for version in versions if version.get("numeric_value") is not None and version.start_date is not None
                          and starts[day] <= version.start_date < starts[day + 1]]
                if stated:
                    found = side(name, stated)
                    values.append(None if "other_unit_count" in found else found.get("value_sum" if kind["measure"] == "cumulative" else "value_mean"))
            if len(values) < MINIMUM or None in values:
                return []
            mean = over(total(values), float(len(values)))
            squares = [] if mean is None else [times(minus(value, mean), minus(value, mean)) for value in values]
            variance = over(total(squares), float(len(values))) if mean is not None else None
            if variance is None:
                return []
            item.update({word + "_day_count": len(values), word + "_mean": mean, word + "_standard_deviation": math.sqrt(variance)})
        ratio = over(item["current_standard_deviation"], item["baseline_standard_deviation"])
        return [written(**item, ratio=ratio)] if ratio is not None and ratio > RATIO else []

    def start_of(self, day):
        """The first moment of a local day; of one that was left out, that of the next."""
        first = first_moment(self.zone, day)
        return float(first) if first is not None else self.start_of(day + 1)


# Sides and sources

def value_of(name, version):
    return converted(name, version.get("numeric_value"), version.get("unit"))


def side(name, versions):
    """What is said of the records of one side."""
    kind = measure_of(name)
    both = [version for version in versions if version.has_span]
    starts, ends = [version.start_date for version in versions if version.start_date is not None], [version.end_date for version in versions if version.end_date is not None]
    seconds = total(version.end_date - version.start_date for version in both)
    reach = max(ends) - min(starts) if starts and ends else 0
    found = {"record_count": len(versions), "interval_seconds": seconds if both else None, "mean_interval_seconds": over(seconds, float(len(both))),
             "earliest_start_date": timestamp(min(starts)) if starts else None, "latest_end_date": timestamp(max(ends)) if ends else None,
             "records_per_hour": over(len(versions) * 3600.0, reach) if reach > 0 else None, "value_count": 0}
    if kind["measure"] in ("cumulative", "discrete"):
        stated = [version for version in versions if version.get("numeric_value") is not None]
        valued = [version for version in stated if value_of(name, version) is not None]
        values = [value_of(name, version) for version in valued]
        found.update(value_count=len(valued), other_unit_count=len(stated) - len(valued) or None)
        if valued:
            found.update(unit=kind["unit"], value_max=max(values))
            if kind["measure"] == "cumulative":
                found["value_sum"] = total(values)
            else:
                found.update(value_min=min(values), value_mean=mean(kind["method"], [(value, version.length) for value, version in zip(values, valued)]))
    elif kind["measure"] in ("category", "workout"):
        column = "category_value" if kind["measure"] == "category" else "workout_activity_type"
        valued = [version for version in versions if version.get(column) is not None]
        found["value_count"] = len(valued)
        found["parts"] = [{"value": value, "record_count": sum(version.get(column) == value for version in valued),
                           "seconds": total(seconds_of(kind["measure"], version) for version in valued if version.get(column) == value)}
                          for value in sorted({version.get(column) for version in valued})] or None
    return written(**found)


def seconds_of(measure, version):
    if measure == "workout" and version.get("duration_seconds") is not None:
        return version.get("duration_seconds")
    return version.length


def mean(method, weighed):
    if method == "mean":
        return over(total(value for value, _ in weighed), float(len(weighed)))
    is_level = method == "equivalent_level"
    values = [power(value) if is_level else value for value, _ in weighed]
    weights = [max(1.0, length) for _, length in weighed]
    result = over(total(times(value, weight) for value, weight in zip(values, weights)), total(weights))
    return level(result) if is_level and result is not None else result


FIVE = ("bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version")


def sources(before, after):
    five = lambda version: tuple(version.source().get(name) for name in FIVE)
    ordered = sorted({five(version) for version in before + after}, key=lambda key: [(text is not None, (text or "").encode()) for text in key])
    return [written(before_count=sum(five(version) == key for version in before), after_count=sum(five(version) == key for version in after), **dict(zip(FIVE, key))) for key in ordered]


# Windows

class Window:
    def __init__(self, diff, name, changes, pieces):
        self.diff, self.name, self.changes, self.pieces = diff, name, changes, pieces
        self.measure, self.method = measure_of(name)["measure"], measure_of(name)["method"]
        self.B = self.once(change.before for change in changes)
        self.A = self.once(change.after for change in changes)
        self.before, self.after = side(name, self.B), side(name, self.A)
        self.disappeared = [change for change in changes if change.kind == "disappeared"]
        self.appeared = [change for change in changes if change.kind == "appeared"]
        self.both_ways = bool(self.disappeared and self.appeared)
        self.start, self.end = (min(piece.start for piece in pieces), max(piece.end for piece in pieces)) if pieces else (None, None)
        self.sources = sources(self.B, self.A)
        self.evidence = self.weigh()
        self.label, self.reasons = pieces[0].verdict if pieces else ("uncertain", sorted([*diff.incomplete(name), "dates_missing"]))

    @staticmethod
    def once(versions):
        found = {}
        for version in versions:
            if version:
                found.setdefault((version.sample, version.id), version)
        return list(found.values())

    def item(self):
        at = self.diff.observed
        found = {"before": self.before, "after": self.after, "sources": self.sources, "evidence": self.evidence, "label": self.label, "reasons": self.reasons or None}
        if self.pieces:
            found.update(window_start=timestamp(self.start), window_end=timestamp(self.end), look_alikes=self.look_alikes(at) or None, signatures=self.signatures(at),
                         crosses_bound=any(self.start < bound < self.end for bound in bounds(self.diff.zone_of_type(self.name), self.start, self.end)))
        return found

    # Evidence

    def weigh(self):
        found = {"record_count_delta": len(self.A) - len(self.B), "metadata_compatible": self.same_metadata(), "sources_compatible": self.same_sources()}
        if self.pieces:
            found.update(self.covered())
        seen = self.diff.of_type(self.diff.visible_after, self.name)
        starts, ends = [version.start_date for version in seen if version.start_date is not None], [version.end_date for version in seen if version.end_date is not None]
        found.update(visible_start=timestamp(min(starts)) if starts else None, visible_end=timestamp(max(ends)) if ends else None)
        found["measure_delta"], found["measure_kept"] = self.kept()
        if self.measure == "discrete" and self.before["value_count"] and self.after["value_count"]:
            found["peaks_kept"] = all(agree(self.before[name], self.after[name], 1e-6) for name in ("value_min", "value_max"))
        return written(**found)

    def covered(self):
        B, A = ([version.span for version in versions if version.has_span] for versions in (self.B, self.A))
        edges = sorted({edge for span in B + A for edge in span})
        inside = lambda spans, start, end: any(span[0] <= start and end <= span[1] for span in spans)
        lengths = {"covered_seconds_before": Fraction(0), "covered_seconds_after": Fraction(0), "common_seconds": Fraction(0)}
        for start, end in zip(edges, edges[1:]):
            length, in_before, in_after = Fraction(end) - Fraction(start), inside(B, start, end), inside(A, start, end)
            lengths["covered_seconds_before"] += length * in_before
            lengths["covered_seconds_after"] += length * in_after
            lengths["common_seconds"] += length * (in_before and in_after)
        found = {name: rounded(length) for name, length in lengths.items()}
        instants = within = 0
        for piece in self.pieces:
            for version in self.once(change.before for change in piece.changes):
                if version.has_span and version.span[0] == version.span[1]:
                    instants += 1
                    within += any(after.span[0] <= version.start_date <= after.span[1] for after in self.once(change.after for change in piece.changes) if after.has_span)
        found.update(instants_before=instants, instants_within=within, instant_overlap=over(within, instants),
                     coverage_overlap=over(found["common_seconds"], found["covered_seconds_before"]))
        return found

    def same_metadata(self):
        return same_meanings(self.B, self.A)

    def same_sources(self):
        return same_apps(self.sources)

    def kept(self):
        return measured_again(self.name, self.B, self.A)

    # Signs, and what looks alike

    def signatures(self, at):
        if self.measure not in ("cumulative", "discrete") or not self.both_ways:
            return None
        found = {"within_five_minutes": all(change.after.span[1] - change.after.span[0] <= 300 for change in self.appeared if change.after.has_span),
                 "older_than_90_days": self.end <= at[self.diff.T] - 7776000}
        completed = [run["observation_id"] for run in self.diff.rows["observation_type_runs"] if run["status"] == "completed"
                     and self.diff.tables["sample_types"][run["sample_type_id"]]["type_identifier"] == self.name]
        if completed:
            first = min(completed)
            found["condensed_again"] = all(change.before.end_date is not None and change.before.end_date < at[first]
                                           and self.diff.tables["samples"][change.sample]["first_seen_observation_id"] > first for change in self.disappeared)
        else:
            found["condensed_again"] = False
        P = [self.once(change.before for change in piece.changes) for piece in self.pieces if piece.kind == "both"]
        if P:
            if all(value_of(self.name, version) is not None for versions in P for version in versions):
                if self.measure == "cumulative":
                    found["equal_rate"] = all(one([value_of(self.name, version) / version.length for version in versions if version.length > 0]) for versions in P)
                else:
                    found["equal_value"] = all(one([value_of(self.name, version) for version in versions]) for versions in P)
            workouts = [version.span for version in self.diff.of_type(self.diff.visible_after, WORKOUTS) if version.has_span and version.span[1] - version.span[0] >= 300]
            found["inside_workout"] = all(any(span[0] <= piece.start and piece.end <= span[1] for span in workouts) for piece in self.pieces if piece.kind == "both")
        return found

    def look_alikes(self, at):
        found, diff = [], self.diff
        if self.name in DAILY and self.both_ways and self.start >= at[diff.F] - 172800:
            found.append("daily_replacement")
        if diff.T > diff.F and len(self.disappeared) == len(self.changes):
            seen = diff.of_type(diff.visible_after, self.name)
            starts, ends = [version.start_date for version in seen if version.start_date is not None], [version.end_date for version in seen if version.end_date is not None]
            if starts and self.end <= min(starts):
                found.append("narrowed_permission")
                if min(starts) >= at[diff.T] - 691200:
                    found.append("watch_week")
            if not ends or self.start >= max(ends):
                found.append("truncated_export")
        return sorted(found)


def one(values):
    return not values or agree(min(values), max(values), 1e-6)


# Labels

def measured_again(name, B, A):
    """How far the measure of some versions differs from that of others, and whether it is the same; None twice if they cannot be compared."""
    measure, b, a = measure_of(name)["measure"], side(name, B), side(name, A)
    if not B or not A:
        return None, None
    if measure == "event":
        return len(A) - len(B), len(A) == len(B)
    if measure in ("cumulative", "discrete"):
        word = "value_sum" if measure == "cumulative" else "value_mean"
        if word not in b or word not in a or b["value_count"] != len(B) or a["value_count"] != len(A):
            return None, None
        return minus(a[word], b[word]), agree(a[word], b[word], TOLERANCE)
    column = "category_value" if measure == "category" else "workout_activity_type"
    delta, holds = 0.0, True
    for value in sorted({version.get(column) for version in B + A}, key=lambda value: (value is not None, value)):
        mine = [[version for version in versions if version.get(column) == value] for versions in (B, A)]
        one, two = (total(seconds_of(measure, version) for version in versions) for versions in mine)
        delta += abs(two - one)
        holds = holds and agree(two, one, TOLERANCE) and (one != 0 or two != 0 or len(mine[0]) == len(mine[1]))
    return delta, holds


def replaced(changes):
    """The members `replaced` and `left_over` of some changes."""
    counts = {}
    for change in changes:
        if change.kind != "representation_changed":
            pair = (change.pair[0]["pair"], change.pair[0].get("outcome", "")) if change.pair else None
            counts.setdefault(pair, {"after_count": 0, "before_count": 0})["before_count" if change.before else "after_count"] += 1
    entries = [written(pair=kind, outcome=outcome or None, **counts[kind, outcome]) for kind, outcome in sorted(pair for pair in counts if pair)]
    return written(left_over=counts.get(None), replaced=entries or None)


class Judgement:
    """The verdict on the changes of a piece."""

    def __init__(self, diff, name, changes):
        self.diff, self.name, self.changes, self.measure = diff, name, changes, measure_of(name)["measure"]
        self.left = [[change.leading for change in changes if change.kind == kind and not change.pair] for kind in ("disappeared", "appeared")]
        self.paired = [change for change in changes if change.pair]
        self.changed = [change for change in changes if change.kind == "representation_changed"]

    def verdict(self):
        incomplete = self.diff.incomplete(self.name)
        if incomplete:
            return "uncertain", incomplete
        if all(change.kind == "appeared" for change in self.changes):
            return "appeared", []
        before, after = self.left
        if before and not after:
            return "disappeared", []
        pairs = [change.pair[0] for change in self.paired]
        if any(pair["pair"] == "ambiguous" for pair in pairs):
            return "uncertain", ["pairs_ambiguous"]
        if before:
            _, is_kept = measured_again(self.name, before, after)
            sides = side(self.name, before), side(self.name, after)
            if is_kept is None:
                units = any("other_unit_count" in found for found in sides)
                return "uncertain", ["units_differ" if units else "values_incomplete" if any(found["value_count"] for found in sides) else "values_missing"]
            if is_kept and not same_apps(sources(before, after)):
                return "uncertain", ["sources_differ"]
            if not is_kept or self.measure != "event":
                return "aggregateChanged", []
        words = {pair["outcome"] for pair in pairs} | {self.version_outcome(change.before, change.after) for change in self.changed}
        for word in ("units_differ", "values_incomplete"):
            if word in words:
                return "uncertain", [word]
        if words & {"changed", "days_changed"}:
            return "aggregateChanged", []
        if "source_changed" in words:
            return "uncertain", ["sources_differ"]
        if "not_provable" in words:
            return "replacedNotProvable", []
        gone, come = (sum(change.kind == kind for change in self.paired) for kind in ("disappeared", "appeared"))
        versions = [Window.once(getattr(change, side) for change in self.changes) for side in ("before", "after")]
        return ("consolidationLikely" if gone > come and same_meanings(*versions) else "representationChanged"), []

    def version_outcome(self, b, a):
        if b.start_date is not None and a.start_date is not None and self.diff.day(b.start_date, self.name) != self.diff.day(a.start_date, self.name):
            return "changed"
        if self.measure in ("cumulative", "discrete"):
            stated = [version.get("numeric_value") is not None for version in (b, a)]
            values = [value_of(self.name, version) for version in (b, a)]
            if any(is_stated and value is None for is_stated, value in zip(stated, values)):
                return "units_differ"
            if stated[0] != stated[1]:
                return "values_incomplete"
            return "kept" if not stated[0] or agree(*values, TOLERANCE) else "changed"
        if self.measure == "event":
            return "kept"
        column = "category_value" if self.measure == "category" else "workout_activity_type"
        return "kept" if b.get(column) == a.get(column) and agree(seconds_of(self.measure, b), seconds_of(self.measure, a), TOLERANCE) else "changed"


def same_meanings(before, after):
    def statements(version):
        metadata = version.get("metadata")
        if not isinstance(metadata, dict):
            return set()
        return {(key, json.dumps(plain(value))) for key, value in metadata.items() if key in MEANINGS and isinstance(value, (str, int, float, bool))}
    said = set().union(*map(statements, before)) if before else set()
    return all(statements(version) <= said for version in after)


def same_apps(entries):
    app = lambda entry: (entry.get("bundle_identifier"), None if "bundle_identifier" in entry else entry.get("source_name_hash"))
    there = [entry for entry in entries if entry["before_count"]]
    return all(any(app(entry) == app(other) and ("product_type" not in entry or "product_type" not in other or entry["product_type"] == other["product_type"]) for other in there)
               for entry in entries if entry["after_count"])


# Pairs

class Record:
    def __init__(self, diff, change):
        self.change, self.version, self.is_before = change, change.leading, change.before is not None
        self.type, self.identity = diff.type_of(change.sample), diff.identity(change.sample)
        version, self.pairs = self.version, []
        self.start, self.end, self.payload = version.start_date, version.end_date, version.get("payload_hash")
        self.order = (self.start, self.end, self.identity.encode(), self.payload.encode())
        self.turn = (self.start, -self.end, self.identity.encode(), self.payload.encode())
        self.value = value_of(self.type, version)
        self.length = self.end - self.start
        self.apps = tuple(version.source().get(name) for name in ("bundle_identifier", "product_type", "source_name_hash"))

    def item(self):
        return written(identity_hash=self.identity, **{name: self.version.get(name) for name in (
            "category_value", "duration_seconds", "end_date", "numeric_value", "payload_hash", "start_date", "unit", "value_kind", "workout_activity_type")})

    def key(self, step):
        get = self.version.get
        if step == "payload":
            return (self.type, math.floor(self.start), math.floor(self.end), self.payload)
        if step == "strict":
            return (self.type, self.apps[0], get("category_value"), get("duration_seconds"), self.start, self.end, get("numeric_value"), "kcal" if get("unit") == "Cal" else get("unit"),
                    get("value_kind"), get("workout_activity_type"))
        dates = (self.type, math.floor(self.start), math.floor(self.end))
        if get("value_kind") == "quantity" and get("numeric_value") is not None:
            if self.value is None and get("unit") in MEASURES["dimensions"].get(measure_of(self.type).get("dimension"), {"units": {}})["units"]:
                return None
            value, unit = (get("numeric_value"), get("unit")) if self.value is None else (self.value, measure_of(self.type)["unit"])
            return (*dates, "quantity", unit, six_digits(value))
        if get("value_kind") == "category":
            return (*dates, "category", get("category_value"))
        return (*dates, "workout", get("workout_activity_type")) if get("value_kind") == "workout" else (*dates, "correlation")

    @property
    def group(self):
        measure = measure_of(self.type)["measure"]
        if measure in ("cumulative", "discrete") and self.value is not None:
            return (self.type, *self.apps)
        column = {"category": "category_value", "workout": "workout_activity_type"}.get(measure)
        return (self.type, *self.apps, self.version.get(column)) if column else None

    @property
    def seconds(self):
        return seconds_of(measure_of(self.type)["measure"], self.version)


def six_digits(value):
    number = decimal.Context(prec=6, rounding=decimal.ROUND_HALF_EVEN).create_decimal(decimal.Decimal(repr(float(value))))
    return number.normalize() + 0


def extent(records):
    return {"start_date": timestamp(min(record.start for record in records)), "end_date": timestamp(max(record.end for record in records))}


def containers(diff, group):
    """The containers of a group of records that fit, each with its parts."""
    group = sorted(group, key=lambda record: record.turn)
    opened, parts = [], {}
    for record in group:
        now = [container for container in opened if container.end >= record.start]
        for container in now:
            if container.is_before == record.is_before or record.length >= container.length or not (container.start <= record.start and record.end <= container.end):
                continue
            if record.length == 0 and record.start == container.end and any(
                    other.is_before == container.is_before and other is not container and other.start == record.start for other in now):
                continue
            parts[id(container)].append(record)
        if record.length > 0 and sum(other.is_before == record.is_before for other in now) < 16:
            opened.append(record)
            parts[id(record)] = []
    return [container for container in [Container(diff, container, parts[id(container)]) for container in opened if 2 <= len(parts[id(container)]) <= 1024] if container.law.name]


def overlapping(records):
    """Records in lists: each starts before the latest end of those before it in its list."""
    found = []
    for record in records:
        if found and any(record.start < other.end for other in found[-1]):
            found[-1].append(record)
        else:
            found.append([record])
    return found


def covered_by(records):
    """The moments at which the cover of some intervals begins and ends."""
    edges = sorted({edge for record in records for edge in (record.start, record.end)})
    inside = lambda start, end: any(record.start <= start and end <= record.end for record in records)
    return [(start, end) for start, end in joined([pair for pair in zip(edges, edges[1:]) if inside(*pair)])]


def joined(pieces):
    found = []
    for start, end in pieces:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def same_record(before, after):
    """What became of the measure of a record under another identity."""
    if measure_of(before.type)["measure"] == "workout" and not agree(before.seconds, after.seconds, TOLERANCE):
        return "changed"
    bundles, products, names = ([record.apps[place] for record in (before, after)] for place in (0, 1, 2))
    for said in (products, bundles if None not in bundles else names):
        if None not in said and said[0] != said[1]:
            return "source_changed"
    return "kept"


def series_of(records):
    """The hash of a series whose points are some records, in their order: each with its start and its value as stored."""
    line = lambda record: "%d:%s\n" % (round(Fraction(record.start) * 10**6), struct.pack(">d", record.version.get("numeric_value") + 0.0).hex())
    return hashlib.sha256("".join(map(line, records)).encode()).hexdigest()


class Law:
    """The first law that holds between two lists of records, what it compares, and what became of the measure."""

    def __init__(self, diff, one, other, tried):
        self.type, self.name, self.figures, self.outcome = one[0].type, None, None, None
        measure = measure_of(self.type)
        mine = {"cumulative": ["sum"], "discrete": ["series", "value", "mean", "time_weighted_mean", "range"], "category": ["duration"], "workout": ["duration"]}[measure["measure"]]
        if measure.get("unit") == "dBASPL":
            mine = ["series", "value", "range"]
        for name in mine:
            if name in tried and self.holds(name, one, other):
                self.name, self.figures = name, [self.figure(name, one), self.figure(name, other)]
                break
        if self.name:
            days = {diff.day(record.start) for record in one + other}
            halves = [[[record for record in records if diff.day(record.start) == day] for records in (one, other)] for day in days]
            is_kept = len(days) == 1 or all(mine and theirs and self.holds(self.name, mine, theirs) for mine, theirs in halves)
            self.outcome = "not_provable" if self.name == "range" else "kept" if is_kept else "days_changed"

    def figure(self, name, records):
        measure, count = measure_of(self.type)["measure"], float(len(records))
        if measure == "workout":
            return total(record.seconds for record in records)
        if measure == "category":
            return total(end - start for start, end in covered_by(records)) or 0.0
        values = [record.value for record in records]
        if name == "sum" or len(values) == 1:
            return total(values)
        if name == "time_weighted_mean":
            if any(record.length == 0 for record in records):
                return None
            return over(total(times(record.value, record.length) for record in records), total(record.length for record in records))
        return over(total(values), count)

    def holds(self, name, one, other):
        a, b = self.figure(name, one), self.figure(name, other)
        if minus(a, b) is None:
            return False
        if name == "series":
            metadata, unit = one[0].version.get("metadata"), one[0].version.get("unit")
            stated = metadata.get("hp:series_sha256") if isinstance(metadata, dict) else None
            return isinstance(stated, str) and all(record.version.get("unit") == unit for record in other) and stated == series_of(other)
        if name == "value":
            return len({six_digits(record.value) for record in one + other}) == 1
        if name == "range":
            values = [record.value for record in other]
            return min(values) <= a <= max(values) or agree(a, min(values), TOLERANCE) or agree(a, max(values), TOLERANCE)
        if name == "sum" and not agree(*(total(abs(record.value) for record in records) for records in (one, other)), TOLERANCE):
            return False
        return agree(a, b, TOLERANCE)

    def write(self, diff, kind, key, before, after, told, figures, others=()):
        """The item of a pair; `figures` are those after and before."""
        item = written(
            item_kind="pair", pair=kind, sample_type=self.type, before=[record.item() for record in before], after=[record.item() for record in after], key=key, law=self.name,
            measure_after=figures[0], measure_before=figures[1], residual=self.figures[0] - self.figures[1], outcome=None if others else self.outcome,
            ambiguous_with=sorted((other.whole.identity for other in others), key=str.encode) or None,
            unit="s" if self.name == "duration" else measure_of(self.type)["unit"],
            source=written(bundle_identifier=told.apps[0], product_type=told.apps[1], source_name_hash=told.apps[2]) or None, **extent(before + after))
        diff.items_of_pairs.append(item)
        for member in before + after:
            member.pairs.append(item)


class Container:
    def __init__(self, diff, whole, parts):
        self.whole, self.parts = whole, sorted(parts, key=lambda record: record.order)
        self.members = [whole, *parts]
        self.law = Law(diff, [whole], self.parts, ("sum", "series", "value", "mean", "time_weighted_mean", "range", "duration"))

    def write(self, diff, others):
        before, after = ([self.whole], self.parts) if self.whole.is_before else (self.parts, [self.whole])
        kind = "ambiguous" if others else "expanded_into" if self.whole.is_before else "condensed_into"
        figures = self.law.figures[::-1] if self.whole.is_before else self.law.figures
        self.law.write(diff, kind, self.whole.identity, before, after, self.whole, figures, others)


REPORTS = {"diff_report": Diff.change_items, "diff_summary": Diff.comparison_items, "finding_report": Diff.finding_items, "pair_report": lambda diff: diff.pairs}
