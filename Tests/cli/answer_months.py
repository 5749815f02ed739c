"""Random months of an Apple Health export with a known truth: what is lost, replaced, changed, new and not known. All values are synthetic."""

import collections
import datetime
import json
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURES = json.loads((ROOT / "Spec" / "measures.json").read_text(encoding="utf-8"))["types"]
QUANTITY = "HKQuantityTypeIdentifier"
# Type, unit, digits of a value, lowest and highest value.
TYPES = [("StepCount", "count", 0, 5, 900), ("ActiveEnergyBurned", "kcal", 3, 1, 90), ("FlightsClimbed", "count", 0, 1, 9), ("DietaryWater", "mL", 0, 100, 900),
         ("HeartRate", "count/min", 0, 50, 150), ("OxygenSaturation", "%", 2, 0.9, 1), ("BodyMass", "kg", 1, 60, 90), ("VO2Max", "mL/min·kg", 2, 30, 50), ("BodyTemperature", "degC", 1, 36, 38)]
SOURCES = ["Test Watch", "Test Phone", "健康の電話機テスト用のとても長い名前", "Téstscale", "Test App"]
ZONE = datetime.timezone(datetime.timedelta(hours=2))
KINDS = ["lost", "part", "sum", "mean", "apple", "changed", "corrected", "phone", "unknown", "moved"]

Record = collections.namedtuple("Record", "type unit value start end source version entry")


def shown_name(identifier):
    """The name of a type inside a sentence."""
    name = MEASURES[identifier]["name"]
    first, *rest = name.split(" ")
    return " ".join([first.lower() if len(first) > 1 and first[1:].islower() else first, *rest])


def is_cumulative(record):
    return MEASURES[record.type]["measure"] == "cumulative"


class Change:
    """What became of some records of one type."""

    def __init__(self, kind, before, after=()):
        self.kind, self.before, self.after = kind, list(before), list(after)


class Months:
    """Three exports: the first, one in which something differs, and a last one in which nothing more does."""

    def __init__(self, seed, kinds=None):
        self.chance = random.Random(seed)
        chance = self.chance
        self.dates = [datetime.datetime(2024, 1, 1, 20, tzinfo=ZONE) + datetime.timedelta(days=chance.randrange(700))]
        for _ in range(2):
            self.dates.append(self.dates[-1] + datetime.timedelta(days=chance.randrange(25, 35)))
        self.days = chance.randrange(40, 120)
        self.first_day = self.dates[0].date() - datetime.timedelta(days=self.days)
        self.types = chance.sample(TYPES, chance.randrange(4, 8))
        if kinds is None:
            kinds = [] if seed % 10 == 0 else chance.sample(KINDS, chance.randrange(1, 4))
        self.kinds = kinds
        needed = {"sum": TYPES[0], "apple": TYPES[4], "mean": TYPES[4]}
        for kind in kinds:
            if kind in needed and needed[kind] not in self.types:
                self.types.append(needed[kind])
        self.sources = {kind[0]: chance.sample(SOURCES, chance.choice([1, 1, 2])) for kind in self.types}
        whole = {kind[0]: self.made(kind) for kind in self.types}
        # Records of each month; none of a type begins at the moment of another one.
        self.first = [record for records in whole.values() for record in records if record.end < self.dates[0]]
        self.new = [record for records in whole.values() for record in records if self.dates[0] <= record.start and record.end < self.dates[1]]
        self.latest = [record for records in whole.values() for record in records if self.dates[1] <= record.start and record.end < self.dates[2]]
        self.changes, self.unknown, self.new_source, self.touched = [], None, None, set()
        self.free = [kind[0] for kind in self.types]
        chance.shuffle(self.free)
        for kind in kinds:
            getattr(self, "add_" + kind)()
        gone = {record for change in self.changes for record in change.before}
        self.second = [record for record in self.first if record not in gone] + [record for change in self.changes for record in change.after] + self.new
        self.third = self.second + self.latest

    def made(self, kind):
        """The records of a type over all days: on some days none."""
        name, unit, digits, low, high = kind
        chance, records, taken = self.chance, [], set()
        often = chance.choice([1, 2, 4, 8])
        for day in range((self.dates[2].date() - self.first_day).days):
            date = datetime.datetime.combine(self.first_day + datetime.timedelta(days=day), datetime.time(), ZONE)
            for _ in range(chance.randrange(often + 1)):
                # Hours apart: records of one hour would touch.
                slot = chance.randrange(1, 23)
                if (day, slot) in taken:
                    continue
                taken.add((day, slot))
                start = date + datetime.timedelta(hours=slot, minutes=chance.randrange(10))
                length = chance.randrange(1, 30) if MEASURES[QUANTITY + name]["measure"] == "cumulative" else 0
                value = round(chance.uniform(low, high), digits)
                records.append(Record(QUANTITY + name, unit, value if digits else int(value), start, start + datetime.timedelta(minutes=length), chance.choice(self.sources[name]), "1", None))
        return records

    # What differs

    def pick(self, name=None):
        """A type that nothing happened to, with enough records; None if there is none."""
        for free in [name] if name else list(self.free):
            if free in self.free and sum(record.type == QUANTITY + free for record in self.first) >= 12:
                self.free.remove(free)
                return free
        return None

    def stretch(self, name):
        """Records of a type on some days in a row."""
        mine = sorted((record for record in self.first if record.type == QUANTITY + name), key=lambda record: record.start)
        days = sorted({record.start.date() for record in mine})
        first = self.chance.randrange(max(1, len(days) - 8))
        last = days[min(len(days) - 1, first + self.chance.randrange(9))]
        return [record for record in mine if days[first] <= record.start.date() <= last]

    def add_lost(self):
        name = self.pick()
        if name:
            self.changes.append(Change("gone", self.stretch(name)))

    def add_part(self):
        name = self.pick()
        if name:
            records = self.stretch(name)
            self.changes.append(Change("gone", self.chance.sample(records, max(1, len(records) // 2))))

    def condensed(self, name, length, value, kind):
        """Groups of parts that stand in the first export, each replaced by one record in the second."""
        chance = self.chance
        spare = {record.start.date() for record in self.first if record.type == QUANTITY + name}
        before, after = [], []
        day = chance.randrange(self.days // 2)
        for number in range(chance.randrange(1, 12)):
            date = self.first_day + datetime.timedelta(days=day + number)
            if date in spare or date >= self.dates[0].date():
                continue
            start = datetime.datetime.combine(date, datetime.time(9), ZONE)
            count = chance.randrange(3, 6)
            _, unit, _, low, high = next(kind for kind in TYPES if kind[0] == name)
            parts = []
            for part in range(count):
                begin = start + datetime.timedelta(minutes=2 * part)
                parts.append(Record(QUANTITY + name, unit, int(chance.uniform(low, high)) + number % 3, begin, begin + length, self.sources[name][0], "1", None))
            values = [part.value for part in parts]
            if kind == "apple" and len(set(values)) == 1:
                continue
            before += parts
            after.append(parts[0]._replace(end=parts[-1].end, value=value(values)))
        if before:
            self.first += before
            self.changes.append(Change(kind, before, after))

    def add_sum(self):
        if self.pick("StepCount"):
            self.condensed("StepCount", datetime.timedelta(minutes=2), sum, "sum")

    def add_mean(self):
        if self.pick("HeartRate"):
            self.condensed("HeartRate", datetime.timedelta(0), lambda values: sum(values) / len(values), "mean")

    def add_apple(self):
        """Apple's condensed heart rates: parts of length 0, and a value that is not their mean."""
        if self.pick("HeartRate"):
            self.condensed("HeartRate", datetime.timedelta(0), lambda values: min(values) + (max(values) - min(values)) * 0.9 + 0.01, "apple")

    def add_changed(self):
        name = self.pick()
        if name:
            records = self.chance.sample([record for record in self.first if record.type == QUANTITY + name], 3)
            self.changes.append(Change("changed", records, [record._replace(entry="later") for record in records]))

    def add_corrected(self):
        """Other values at the same time: records that are gone, with others in their place."""
        name = self.pick()
        if name:
            records = self.chance.sample([record for record in self.first if record.type == QUANTITY + name], 3)
            self.changes.append(Change("corrected", records, [record._replace(value=round(record.value * 1.25 + 1, 3)) for record in records]))

    def add_moved(self):
        """The same time and the same six digits, from another source: another identity, so neither a change nor gone."""
        name = self.pick()
        if name:
            records = self.chance.sample([record for record in self.first if record.type == QUANTITY + name], 3)
            others = [source for source in SOURCES if source not in self.sources[name]]
            source = self.chance.choice(others)
            self.changes.append(Change("moved", records, [record._replace(source=source, value=record.value * (1 + 1e-8)) for record in records]))

    def add_phone(self):
        """From some day on the records of one source come from a new one."""
        old = self.chance.choice([record.source for record in self.new])
        day = self.dates[0] + datetime.timedelta(days=self.chance.randrange(10))
        self.new_source = old + " 17"
        self.new = [record._replace(source=self.new_source) if record.source == old and record.start >= day else record for record in self.new]
        self.latest = [record._replace(source=self.new_source) if record.source == old else record for record in self.latest]
        if not any(record.source == self.new_source for record in self.new):
            self.new_source = None

    def add_unknown(self):
        name = self.pick()
        if name:
            self.unknown = QUANTITY + name

    # The exports

    def export(self, place):
        """One of the three exports, as XML."""
        records = [self.first, self.second, self.third][place]
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<HealthData locale="en_GB">', ' <ExportDate value="%s"/>' % moment(self.dates[place])]
        is_broken = place > 0 and self.unknown is not None
        for record in sorted(records, key=lambda record: (record.type, record.start)):
            lines.append(element(record, record.value))
        if is_broken:
            date = self.dates[0]
            lines.append(element(Record(self.unknown, "count", "soon", date, date, SOURCES[0], "1", None), "soon"))
        return "\n".join([*lines, "</HealthData>", ""]).encode()


def moment(date):
    return date.strftime("%Y-%m-%d %H:%M:%S %z")


def element(record, value):
    text = ' <Record type="%s" sourceName="%s" sourceVersion="%s" unit="%s" creationDate="%s" startDate="%s" endDate="%s" value="%s"' % (
        record.type, record.source, record.version, record.unit, moment(record.end), moment(record.start), moment(record.end), repr(value) if isinstance(value, float) else value)
    return text + ('>\n  <MetadataEntry key="note" value="%s"/>\n </Record>' % record.entry if record.entry else "/>")
