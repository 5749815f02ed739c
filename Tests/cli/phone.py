"""A synthetic phone: its health databases in three generations, and beside them what they mean, worked out from the same numbers and never by
reading the databases. The same phone gives an app's feed and an Apple Health export.

    python3 -B Tests/cli/phone.py FOLDER --samples 1000000 --truth FILE    healthdb_secure.sqlite and healthdb.sqlite, and the truth as JSON lines
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import random
import sqlite3
import struct
import uuid
from dataclasses import dataclass, field
from fractions import Fraction

BASE = 726000000  # 2024-01-03T18:40:00Z in seconds of 2001
UNIX = 978307200
Q, C = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
# number: identifier, unit as stored, factor and unit as an app and an export write it
QUANTITIES = {
    5: (Q + "HeartRate", "count/s", 60, "count/min"), 7: (Q + "StepCount", "count", 1, "count"), 10: (Q + "ActiveEnergyBurned", "kcal", 1, "kcal"),
    8: (Q + "DistanceWalkingRunning", "m", 0.001, "km"), 3: (Q + "BodyMass", "kg", 1, "kg"), 15: (Q + "BloodGlucose", "mg/dL", 1, "mg/dL"),
    16: (Q + "BloodPressureSystolic", "mmHg", 1, "mmHg"), 17: (Q + "BloodPressureDiastolic", "mmHg", 1, "mmHg"), 14: (Q + "OxygenSaturation", "%", 1, "%"),
}
NAMES = {63: C + "SleepAnalysis", 70: C + "AppleStandHour", 79: "HKWorkoutTypeIdentifier", 80: "HKCorrelationTypeIdentifierBloodPressure", 102: "HKWorkoutRouteTypeIdentifier"}
SLEEP, ACTIVITIES = {3: "HKCategoryValueSleepAnalysisAsleepCore", 4: "HKCategoryValueSleepAnalysisAsleepDeep"}, {37: "HKWorkoutActivityTypeRunning"}
SOURCES = [("Test Watch", "com.apple.health.0A1B", "Watch6,18", "10.2", (10, 2, 0)), ("Test Scale", "com.example.scale", "iPhone15,2", "3", (18, 5, 0))]


def name_of(number):
    """The identifier of a type."""
    return QUANTITIES[number][0] if number in QUANTITIES else NAMES.get(number, "hp:healthdb.type.%d" % number)


def moment(seconds):
    """The timestamp of a date in the databases, which here has microseconds at most."""
    return (datetime.datetime(2001, 1, 1) + datetime.timedelta(microseconds=round(seconds * 1e6))).isoformat(timespec="microseconds") + "Z"


@dataclass
class Record:
    number: int
    kind: int
    start: float
    end: float
    value: float = None
    category: int = None
    source: int = 0
    original: tuple = None  # quantity and unit
    duration: float = None  # of a workout
    members: tuple = ()     # of a correlation, or records of a workout
    points: tuple = ()      # timestamp, value, duration; of a route timestamp, latitude, longitude, altitude
    payload: bytes = None   # what a table of binary samples has
    metadata: dict = field(default_factory=dict)

    @property
    def uuid(self):
        return str(uuid.UUID(int=0x51 << 120 | self.number))


class Phone:
    """Records by number, and the numbers of those that were deleted."""

    def __init__(self, seed=1):
        self.random, self.records, self.deleted, self.next = random.Random(seed), {}, {}, 1

    def add(self, kind, start, end, value=None, **others):
        record = Record(self.next, kind, BASE + start, BASE + end, value, **others)
        self.records[record.number] = record
        self.next += 1
        return record

    def delete(self, *numbers):
        for number in numbers:
            record = self.records.pop(number)
            self.deleted[number] = record.kind, record.start

    def live(self, samples, first=0, odd_units=False):
        """So many plain samples from a moment on, of several types and both sources."""
        choose = self.random
        for index in range(samples):
            start = first + index * 7 + choose.randrange(1000000) / 1e6
            turn = index % 20
            if turn < 11:
                beats = choose.randrange(50, 180)
                self.add(5, start, start, beats / 60, original=(beats, "count/min"), metadata={"HKMetadataKeyHeartRateMotionContext": 1.0} if turn < 3 else {})
            elif turn < 15:
                self.add(10, start, start + 60, choose.randrange(1, 9000) / 1000)
            elif turn < 17:
                self.add(7, start, start + 300, float(choose.randrange(1, 500)))
            elif turn < 18:
                self.add(8, start, start + 300, float(choose.randrange(1, 400)))
            elif turn < 19:
                self.add(63, start, start + 1800, category=choose.choice((3, 4)))
            else:
                sugar = choose.randrange(70, 180)
                unit = "g/dL" if odd_units and index % 3 == 0 else "mg/dL"
                self.add(15, start, start, float(sugar), source=1, original=(sugar / 1000 if unit == "g/dL" else sugar, unit))

    def workout(self, start, minutes=30, is_routed=False):
        """A workout with the beats that belong to it, as samples, and a route."""
        beats = [self.add(5, start + index * 5, start + index * 5, (90 + index % 40) / 60) for index in range(minutes)]
        way = tuple((BASE + start + index, 44.4 + index / 1e5, 26.1 - index / 1e5, 80 + index / 3) for index in range(3 * minutes))
        route = [self.add(102, start, start + minutes * 60, points=way)] if is_routed else []
        return self.add(79, start, start + minutes * 60 + 0.5, duration=minutes * 60 - 9.75, members=tuple(item.number for item in beats + route))

    def pressure(self, start):
        upper, lower = self.add(16, start, start, 121.0, source=1, original=(121, "mmHg")), self.add(17, start, start, 79.0, source=1, original=(79, "mmHg"))
        return self.add(80, start, start, source=1, members=(upper.number, lower.number))

    def condense(self, numbers, value):
        """Former samples become one with them as its points; they are deleted, as the phone does it."""
        former = sorted((self.records[number] for number in numbers), key=lambda record: record.start)
        series = self.add(5, former[0].start - BASE, former[-1].end - BASE, value, points=tuple((item.start, item.value, 0.0) for item in former))
        self.delete(*numbers)
        return series

    # What they mean

    def truth(self, has_points=True):
        """Each live record, as the capture of a backup has it."""
        for record in self.records.values():
            item = {"uuid": record.uuid, "sample_type": name_of(record.kind), "start_date": moment(record.start), "end_date": moment(record.end)}
            if record.value is not None:
                item["numeric_value"] = record.value
                if record.kind in QUANTITIES:
                    item["unit"] = QUANTITIES[record.kind][1]
            if record.category is not None:
                item["category_value"] = record.category
            metadata = {**record.metadata, **self.evidence(record, has_points)}
            if metadata:
                item["metadata"] = metadata
            if record.kind == 79:
                item["workout_activity_type"], item["duration_seconds"] = 37, record.duration
            yield item

    @staticmethod
    def evidence(record, has_points=True):
        """What the metadata say of points and of a file (Spec/iphone-backup.md, "Series")."""
        found = {}
        if record.points and has_points:
            micros = lambda seconds: round(Fraction(seconds) * 1000000) + UNIX * 1000000
            lines = ["%d%s\n" % (micros(moment), "".join(":" + struct.pack(">d", value).hex() for value in values[:3 if record.kind == 102 else 1])) for moment, *values in record.points]
            found = {"hp:series_count": len(lines), "hp:series_sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
        if record.payload is not None:
            found.update({"hp:payload_bytes": len(record.payload), "hp:payload_sha256": hashlib.sha256(record.payload).hexdigest()})
        return found

    def links(self):
        """Source and target of each link between live records, with its kind."""
        for record in self.records.values():
            for number in record.members:
                if number in self.records:
                    other = self.records[number]
                    yield record.uuid, other.uuid, "correlation_member" if record.kind == 80 else "workout_route" if other.kind == 102 else "workout_record"

    def runs(self):
        return {name_of(record.kind) for record in self.records.values()} | {name_of(kind) for kind, _ in self.deleted.values()}

    # Databases

    def write(self, folder, generation=26, without=()):
        """Both databases in a generation of the schema (13, 17, 26), without some tables."""
        folder.mkdir(exist_ok=True)
        for name in ("healthdb.sqlite", "healthdb_secure.sqlite"):
            (folder / name).unlink(missing_ok=True)
        sources = sqlite3.connect(folder / "healthdb.sqlite")
        sources.executescript("""
CREATE TABLE sources(ROWID INTEGER PRIMARY KEY, name TEXT, bundle_id TEXT);
CREATE TABLE source_devices(ROWID INTEGER PRIMARY KEY, name TEXT, manufacturer TEXT, model TEXT, hardware TEXT, firmware TEXT, software TEXT, localIdentifier TEXT, FDAUDI TEXT);
INSERT INTO source_devices VALUES(1, 'Apple Watch', 'Apple Inc.', 'Watch', 'Watch6,18', '__NONE__', '10.2', '__NONE__', '__NONE__');""")
        sources.executemany("INSERT INTO sources VALUES(?, ?, ?)", [(index + 1, name, bundle) for index, (name, bundle, *_) in enumerate(SOURCES)])
        sources.commit()
        sources.close()
        data = sqlite3.connect(folder / "healthdb_secure.sqlite")
        data.executescript(SCHEMA + (SCHEMA_13 if generation < 16 else SCHEMA_17) + (LINKS_26 if generation >= 18 else LINKS_13))
        data.executemany("INSERT INTO data_provenances VALUES(?, ?, ?, ?, ?, 'Europe/Bucharest', ?, ?, ?)",
                         [(index + 1, product, index + 1, 1 if index == 0 else 0, version, *system) for index, (_, _, product, version, system) in enumerate(SOURCES)])
        self._fill(data, generation)
        for table in without:
            data.execute("DROP TABLE " + table)
        data.commit()
        data.close()
        return folder

    def _fill(self, data, generation):
        units, keys = {}, {}
        code = lambda table, text: table.setdefault(text, len(table) + 1)
        blob = lambda number: (0x51 << 120 | number).to_bytes(16, "big")
        live = list(self.records.values())
        data.executemany("INSERT INTO objects VALUES(?, ?, ?, 1, ?)", ((item.number, blob(item.number), item.source + 1, item.end + 60) for item in live))
        data.executemany("INSERT INTO objects VALUES(?, ?, 1, 2, ?)", ((number, blob(number), BASE + 9e6) for number in self.deleted))
        data.executemany("INSERT INTO samples VALUES(?, ?, ?, ?)", ((item.number, item.start, item.end, item.kind) for item in live))
        data.executemany("INSERT INTO samples VALUES(?, ?, ?, ?)", ((number, start, start, kind) for number, (kind, start) in self.deleted.items()))
        data.executemany("INSERT INTO quantity_samples VALUES(?, ?, ?, ?)",
                         ((item.number, item.value, *((item.original[0], code(units, item.original[1])) if item.original else (None, None))) for item in live if item.value is not None))
        data.executemany("INSERT INTO unit_strings VALUES(?, ?)", [(number, text) for text, number in units.items()])
        data.executemany("INSERT INTO category_samples VALUES(?, ?)", ((item.number, item.category) for item in live if item.category is not None))
        data.executemany("INSERT INTO metadata_values(key_id, object_id, value_type, numerical_value) VALUES(?, ?, 1, ?)",
                         ((code(keys, key), item.number, value) for item in live for key, value in item.metadata.items()))
        data.executemany("INSERT INTO metadata_keys VALUES(?, ?)", [(number, text) for text, number in keys.items()])
        for item in live:
            if item.kind == 80:
                data.executemany("INSERT INTO correlations(correlation, object) VALUES(?, ?)", [(item.number, number) for number in item.members if number in self.records])
            elif item.kind == 79:
                data.executemany("INSERT INTO associations VALUES(?, ?%s)" % (", 0" if generation >= 18 else ""), [(item.number, number) for number in item.members if number in self.records])
                if generation < 16:
                    data.execute("INSERT INTO workouts VALUES(?, 37, ?)", (item.number, item.duration))
                else:
                    data.execute("INSERT INTO workouts VALUES(?, 0)", (item.number,))
                    data.execute("INSERT INTO workout_activities VALUES(?, 1, 37, ?)", (item.number, item.duration))
            if item.payload is not None:
                data.execute("INSERT INTO binary_samples VALUES(?, ?)", (item.number, item.payload))
            if generation < 16:
                continue  # Points are in a file of their own.
            if item.points and item.kind == 102:
                data.execute("INSERT INTO data_series VALUES(?, ?)", (item.number, item.number + 7000000))
                data.executemany("INSERT INTO location_series_data VALUES(?, ?, ?, ?, ?)", [(item.number + 7000000, *point) for point in item.points])
            elif item.points:
                data.execute("INSERT INTO quantity_sample_series VALUES(?, ?, ?, 2)", (item.number, len(item.points), item.number + 5000000))
                data.executemany("INSERT INTO quantity_series_data VALUES(?, ?, ?, ?)", [(item.number + 5000000, *point) for point in item.points])

    # The same phone elsewhere

    def feed(self, at, earlier_deleted=()):
        """The feed of an app on the phone: HealthKit's units, all types as full scans."""
        text = lambda **members: json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        runs = sorted(self.runs())
        lines = [text(kind="feed", format="healthprobe-feed", format_version=1), text(kind="observation", observed_at=at, trigger_reason="manual")]
        lines += [text(kind="run", sample_type=name, mode="full_scan") for name in runs]
        for record, item in zip(self.records.values(), self.truth()):
            item.pop("metadata", None)
            if record.kind in QUANTITIES:
                _, _, factor, unit = QUANTITIES[record.kind]
                item = {**item, "numeric_value": record.value * factor, "unit": unit}
            name, bundle, product, version, _ = SOURCES[record.source]
            lines.append(text(kind="sample", value_kind=kind_of(record), source={"name": name, "bundle_identifier": bundle, "product_type": product, "version": version}, **item))
        for number in self.deleted:
            lines.append(text(kind="deleted", sample_type=name_of(self.deleted[number][0]), uuid=str(uuid.UUID(int=0x51 << 120 | number))))
        by_uuid = {record.uuid: name_of(record.kind) for record in self.records.values()}
        for source, target, kind in self.links():
            lines.append(text(kind="relationship", source={"sample_type": by_uuid[source], "uuid": source}, target={"sample_type": by_uuid[target], "uuid": target}, relationship_kind=kind))
        lines.append(text(kind="page", number=1))
        lines += [text(kind="run_end", sample_type=name, status="completed") for name in runs]
        return ("\n".join(lines + [text(kind="observation_end", status="completed")]) + "\n").encode()

    def export(self, date):
        """An Apple Health export: whole seconds rounded down, six digits, no UUID."""
        local = lambda seconds: datetime.datetime.fromtimestamp(int(seconds) + UNIX, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S +0000")
        def element(record):
            name, _, _, version, _ = SOURCES[record.source]
            dates = 'sourceName="%s" sourceVersion="%s" startDate="%s" endDate="%s"' % (name, version, local(record.start), local(record.end))
            if record.kind == 79:
                return '<Workout workoutActivityType="%s" duration="%.6f" durationUnit="min" %s/>' % (ACTIVITIES[37], record.duration / 60, dates)
            if record.kind == 80:
                return '<Correlation type="%s" %s>%s</Correlation>' % (NAMES[80], dates, "".join(element(self.records[number]) for number in record.members))
            if record.category is not None:
                return '<Record type="%s" value="%s" %s/>' % (name_of(record.kind), SLEEP[record.category], dates)
            _, _, factor, unit = QUANTITIES[record.kind]
            return '<Record type="%s" unit="%s" value="%.6g" %s/>' % (name_of(record.kind), unit, record.value * factor, dates)
        records = "\n".join(element(record) for record in self.records.values() if record.kind in QUANTITIES or record.kind in (63, 79, 80))
        return ('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en">\n<ExportDate value="%s"/>\n%s\n</HealthData>\n' % (date, records)).encode()


def kind_of(record):
    return "workout" if record.kind == 79 else "correlation" if record.kind == 80 else "category" if record.category is not None else "quantity" if record.value is not None else "other"


SCHEMA = """
CREATE TABLE objects(data_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB UNIQUE, provenance INTEGER, type INTEGER, creation_date REAL);
CREATE TABLE samples(data_id INTEGER PRIMARY KEY, start_date REAL, end_date REAL, data_type INTEGER);
CREATE TABLE quantity_samples(data_id INTEGER PRIMARY KEY, quantity REAL, original_quantity REAL, original_unit INTEGER);
CREATE TABLE category_samples(data_id INTEGER PRIMARY KEY, value INTEGER);
CREATE TABLE unit_strings(ROWID INTEGER PRIMARY KEY, unit_string TEXT UNIQUE);
CREATE TABLE metadata_keys(ROWID INTEGER PRIMARY KEY, key TEXT UNIQUE);
CREATE TABLE metadata_values(ROWID INTEGER PRIMARY KEY, key_id INTEGER, object_id INTEGER, value_type INTEGER, string_value TEXT, numerical_value REAL, date_value REAL, data_value BLOB);
CREATE TABLE binary_samples(data_id INTEGER PRIMARY KEY, payload BLOB);
CREATE TABLE correlations(ROWID INTEGER PRIMARY KEY, correlation INTEGER, object INTEGER, provenance INTEGER);
CREATE TABLE data_provenances(ROWID INTEGER PRIMARY KEY, origin_product_type TEXT, source_id INTEGER, device_id INTEGER, source_version TEXT, tz_name TEXT,
    origin_major_version INTEGER, origin_minor_version INTEGER, origin_patch_version INTEGER);
"""
SCHEMA_13 = "CREATE TABLE workouts(data_id INTEGER PRIMARY KEY, activity_type INTEGER, duration REAL);"
SCHEMA_17 = """
CREATE TABLE workouts(data_id INTEGER PRIMARY KEY, total_distance REAL);
CREATE TABLE workout_activities(owner_id INTEGER, is_primary_activity INTEGER, activity_type INTEGER, duration REAL);
CREATE TABLE quantity_sample_series(data_id INTEGER PRIMARY KEY, count INTEGER, hfd_key INTEGER UNIQUE, series_location INTEGER);
CREATE TABLE quantity_series_data(series_identifier INTEGER, timestamp REAL, value REAL, duration REAL, PRIMARY KEY(series_identifier, timestamp)) WITHOUT ROWID;
CREATE TABLE data_series(data_id INTEGER PRIMARY KEY, hfd_key INTEGER UNIQUE);
CREATE TABLE location_series_data(series_identifier INTEGER, timestamp REAL, latitude REAL, longitude REAL, altitude REAL, PRIMARY KEY(series_identifier, timestamp)) WITHOUT ROWID;
"""
LINKS_13 = "CREATE TABLE associations(parent_id INTEGER, child_id INTEGER);"
LINKS_26 = "CREATE TABLE associations(destination_object_id INTEGER, source_object_id INTEGER, deleted INTEGER);"


def synthetic(samples, seed=1, workouts=3, deletions=5, routes=True, odd_units=False):
    """A phone with some of everything."""
    phone = Phone(seed)
    phone.live(samples, odd_units=odd_units)
    for number in range(workouts):
        phone.workout(4000 + number * 90000, is_routed=routes)
    phone.pressure(300)
    if routes:
        phone.add(298, 910, 910, 7.5)
        phone.add(119, 920, 980, payload=bytes(range(256)))
    phone.delete(*phone.random.sample(range(1, samples + 1), min(deletions, samples)))
    return phone


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    for option, default in (("samples", 1000), ("seed", 1), ("workouts", 3), ("deletions", 5), ("generation", 26)):
        parser.add_argument("--" + option, type=int, default=default)
    parser.add_argument("--odd-units", action="store_true")
    parser.add_argument("--without", action="append", default=[], metavar="TABLE")
    parser.add_argument("--truth", type=pathlib.Path)
    given = parser.parse_args()
    phone = synthetic(given.samples, given.seed, given.workouts, given.deletions, odd_units=given.odd_units)
    phone.write(given.folder, given.generation, given.without)
    if given.truth:
        with open(given.truth, "w") as file:
            file.writelines(json.dumps(item) + "\n" for item in phone.truth())


if __name__ == "__main__":
    main()
