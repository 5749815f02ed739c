"""Random histories of a health store for the diff: small feeds in which stretches of records are condensed, split, lost, sent again under other UUIDs and found late.

Everything comes from a seeded generator. All values are synthetic.
"""

import datetime
import hashlib
import json
import sqlite3
import struct

QUANTITY = "HKQuantityTypeIdentifier"
# Types of every measure, and the units that records of them may have; None is no unit, the last ones are of another dimension.
TYPES = {
    QUANTITY + "StepCount": ["count"], QUANTITY + "DistanceWalkingRunning": ["m", "km", "mi"], QUANTITY + "ActiveEnergyBurned": ["kcal", "Cal", "kJ", "m"],
    QUANTITY + "HeartRate": ["count/min", "count/s"], QUANTITY + "BodyMass": ["kg", "lb", None], QUANTITY + "BodyTemperature": ["degC", "degF"],
    QUANTITY + "EnvironmentalAudioExposure": ["dBASPL"], QUANTITY + "RestingHeartRate": ["count/min"],
    "HKCategoryTypeIdentifierSleepAnalysis": [None], "HKCategoryTypeIdentifierMindfulSession": [None], "HKWorkoutTypeIdentifier": [None],
    "HKCorrelationTypeIdentifierBloodPressure": [None], "HKActivitySummaryTypeIdentifier": [None], "com.example.unheard": [None, "count"]}
SOURCES = [
    {"name": "Watch", "bundle_identifier": "com.example.watch", "product_type": "Watch1,1", "version": "1"}, {"name": "Watch", "bundle_identifier": "com.example.watch", "version": "2"},
    {"name": "Phone", "bundle_identifier": "com.example.phone", "product_type": "Phone1,1"}, {"name": "Watch"}, {"name": "App"}, {"product_type": "Watch2,2"}, None]
METADATA = [None, None, None, {"HKWasUserEntered": 1}, {"HKWasUserEntered": True}, {"HKMetadataKeyHeartRateMotionContext": 2, "k": "v"}, {"HKIndoorWorkout": 0, "k": [1]}]
ZONES = [{}, {"time_zone_identifier": "Europe/Bucharest", "time_zone_seconds_from_gmt": 7200}, {"time_zone_identifier": "America/Sao_Paulo"}, {"time_zone_identifier": "Pacific/Apia"},
         {"time_zone_seconds_from_gmt": 20_700}, {"time_zone_seconds_from_gmt": -36_000}, {"time_zone_identifier": "Mars/Phobos", "time_zone_seconds_from_gmt": 3600}]
EPOCH = datetime.datetime(1970, 1, 1)
DAY, HOUR = 86400, 3600
BEGINNINGS = [1_325_203_200, 1_509_235_200, 1_714_521_600, 1_729_987_200]  # days before clocks change, or before one is left out
FATES = ["kept", "lost", "new", "late", "condensed", "condensed", "split", "again", "other unit", "changed", "moved", "other app", "returns", "rewritten", "twice"]


def moment(seconds):
    whole = round(seconds * 10**6)
    return (EPOCH + datetime.timedelta(microseconds=whole)).strftime("%Y-%m-%dT%H:%M:%S") + ".%06dZ" % (whole % 10**6)


def series(rows, is_theirs):
    """The hash of a series with a point for each row; the last of another one has another value."""
    points = sorted((round(row["start"] * 10**6), row["value"] + 0.0) for row in rows)
    if not is_theirs:
        points[-1] = (points[-1][0], points[-1][1] + 1)
    return hashlib.sha256("".join("%d:%s\n" % (start, struct.pack(">d", value).hex()) for start, value in points).encode()).hexdigest()


class Store:
    """A store with three or four observations. `feed` has the lines, `damage` changes values of the archive that was made of them."""

    def __init__(self, chance):
        self.chance = chance
        self.types = chance.sample(list(TYPES), chance.randint(1, 4))
        self.count = chance.choice([2, 3, 3, 4])
        self.begin = chance.choice(BEGINNINGS)
        self.times = [self.begin + DAY * 3]
        while len(self.times) < self.count:
            self.times.append(self.times[-1] + chance.choice([HOUR, DAY, 9 * DAY, 40 * DAY, 120 * DAY]))
        # Of each sample: when it is visible, observation by observation, and what it says there.
        self.samples = []
        for name in self.types:
            for _ in range(chance.randint(1, 4)):
                self.stretch(name)
            if chance.random() < 0.15:
                self.daily(name)
        if chance.random() < 0.4 and "HKWorkoutTypeIdentifier" in self.types:
            self.put({"sample_type": "HKWorkoutTypeIdentifier", "start": self.begin, "end": self.begin + chance.choice([200, 7200, 2 * DAY]), "value": 1}, range(self.count))

    def put(self, record, visible, changes=None):
        self.samples.append(({"uuid": self.uuid(), **record}, set(visible), changes))

    def uuid(self):
        text = "%032x" % self.chance.getrandbits(128)
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    def stretch(self, name):
        """Records in a row, and what becomes of them at some observation."""
        chance, last = self.chance, self.count
        at = chance.randrange(1, last)
        begin = self.begin + chance.choice([0, 0, 20 * HOUR, 23.5 * HOUR, 30 * HOUR, 50 * HOUR, 60 * HOUR]) + chance.choice([0, 0, 30, 1800, 0.25])
        parts, whole = chance.choice([1, 2, 3, 4, 10]), chance.choice([100, 600, 3000, 5400, 7200, 30_000, 100_000])
        length = chance.choice([0, whole / parts, whole / parts, whole / parts * 0.5, whole / parts * 1.2])
        unit, source = chance.choice(TYPES[name]), chance.choice(SOURCES)
        value, step = chance.choice([60, 70, 80.5, 0, 1, 36.6]), chance.choice([0, 0, 0, 1, 0.1])
        rows = [{"sample_type": name, "start": begin + i * whole / parts, "end": begin + i * whole / parts + length, "value": value + i * step, "unit": unit, "source": source,
                 "metadata": chance.choice(METADATA) if chance.random() < 0.3 else None} for i in range(parts)]
        if chance.random() < 0.2:
            rows = [row for row in rows if chance.random() < 0.7]
        before, after = range(at), range(at, last)
        fate = chance.choice(FATES)
        adds = TYPES[name][0] in ("count", "m", "kcal")
        joined = {**rows[0], "end": begin + whole, "value": sum(row["value"] for row in rows) / (1 if adds else len(rows)) * chance.choice([1, 1, 1, 1, 1.000001, 1.005, 1.3])} if rows else None
        if fate in ("condensed", "split") and joined:
            if chance.random() < 0.2:
                joined["source"] = chance.choice(SOURCES)
            if chance.random() < 0.2:
                joined["metadata"] = chance.choice(METADATA)
            if chance.random() < 0.4:
                joined["metadata"] = {"hp:series_count": len(rows), "hp:series_sha256": series(rows, chance.random() < 0.8)}
            wholes = [joined] if chance.random() < 0.8 else [joined, {**joined, "start": begin - chance.choice([0, 60])}]
            for row in rows:
                self.put(row, before if fate == "condensed" else after)
            for row in wholes:
                self.put(row, after if fate == "condensed" else before)
            return
        for row in rows:
            self.fate(fate, row, before, after, adds)

    def fate(self, fate, row, before, after, adds):
        chance = self.chance
        everywhere = [*before, *after]
        other = dict(row)
        if fate == "other unit":
            other["unit"] = chance.choice(TYPES[row["sample_type"]])
            other["value"] = row["value"] * {("m", "km"): 0.001, ("km", "m"): 1000, ("count/min", "count/s"): 1 / 60, ("kJ", "kcal"): 0.2390057361376673}.get((row["unit"], other["unit"]), 1)
        elif fate == "moved":
            other.update(start=row["start"] + 60, end=row["end"] + 60)
        elif fate == "other app":
            other["source"] = chance.choice(SOURCES)
        elif fate == "again" and chance.random() < 0.3:
            other["metadata"] = chance.choice(METADATA)
        if fate in ("lost", "other app", "moved", "again", "other unit"):
            self.put(row, before)
            if fate != "lost":
                self.put(other, after)
        elif fate in ("new", "late"):
            shift = chance.choice([0, 20 * DAY]) if fate == "late" else 0
            self.put({**row, "start": row["start"] - shift, "end": row["end"] - shift}, after)
        elif fate in ("changed", "rewritten"):
            changes = {"metadata": chance.choice(METADATA), "source": chance.choice([row["source"], chance.choice(SOURCES)])}
            if fate == "rewritten":
                changes["value"] = row["value"] + chance.choice([0, 0.001, 5])
                changes["end"] = row["end"] + chance.choice([0, 60])
            self.put(row, everywhere, (after[0], changes))
        elif fate == "returns":
            self.put(row, [n for n in everywhere if n != chance.choice(everywhere)])
        else:
            self.put(row, everywhere)
            if fate == "twice":
                self.put({**row, "metadata": chance.choice(METADATA)}, everywhere)

    def daily(self, name):
        """A value a day for months, whose spread may grow."""
        spread = self.chance.choice([1, 10])
        for day in range(90):
            end = self.times[-1] - day * DAY - 40_000
            wide = 1 if day > 32 else spread
            self.put({"sample_type": name, "start": end, "end": end, "value": 70 + wide * (day % 3), "unit": TYPES[name][0], "source": SOURCES[0]}, range(self.count))

    # The feed

    def line(self, **members):
        return json.dumps({name: value for name, value in members.items() if value is not None}, ensure_ascii=False) + "\n"

    def feed(self):
        lines = [self.line(kind="feed", format="healthprobe-feed", format_version=1)]
        zone, known, sure = self.chance.choice(ZONES), {}, self.chance.random() < 0.6
        for number in range(self.count):
            lines += self.observation(number, zone, known, sure)
            zone = self.chance.choice([zone, zone, self.chance.choice(ZONES)])
        return "".join(lines).encode()

    def observation(self, number, zone, known, sure):
        """Full scans; where it goes badly, of a part, with another status, or of nothing."""
        chance, page = self.chance, 0
        lines = [self.line(kind="observation", observed_at=moment(self.times[number]), trigger_reason="manual", **zone)]
        for name in self.types:
            mood = "good" if sure else chance.choice(["good"] * 12 + ["unasked", "failed", "unauthorized", "part", "differs", "broken"])
            if mood == "unasked":
                continue
            present = [self.sample(*sample, number) for sample in self.samples if sample[0]["sample_type"] == name and number in sample[1]]
            mode = "anchored" if mood == "broken" else "full_scan"
            if mood == "broken":
                lines.append(self.line(kind="run", sample_type=name, mode=mode, anchor_before="AAEC"))
                present = []
            else:
                lines.append(self.line(kind="run", sample_type=name, mode=mode))
            if mood == "part":
                present = present[::2]
            if mood != "unauthorized":
                page += 1
                lines += present + [self.line(kind="page", number=page)]
            status = {"failed": "failed", "part": "timed_out", "unauthorized": "unauthorized"}.get(mood, "completed")
            lines.append(self.line(kind="run_end", sample_type=name, status=status, verified_visible_count=len(present) + 50 if mood == "differs" else None))
        return lines + [self.line(kind="observation_end", status="completed")]

    def sample(self, record, visible, changes, number):
        row = {**record, **(changes[1] if changes and number >= changes[0] else {})}
        name, value = row["sample_type"], row["value"]
        if name.startswith("HKCategory"):
            kind = {"value_kind": "category", "category_value": round(value) % 4}
        elif name == "HKWorkoutTypeIdentifier":
            # A third states no duration, and a third was paused for a quarter of its time.
            active = {0: None, 1: row["end"] - row["start"], 2: (row["end"] - row["start"]) * 0.75}[round(value) % 3]
            kind = {"value_kind": "workout", "workout_activity_type": 37 + round(value) % 2, "duration_seconds": active}
        elif name.startswith("HKCorrelation"):
            kind = {"value_kind": "correlation"}
        else:
            kind = {"value_kind": "quantity", "numeric_value": value, "unit": row["unit"]}
        return self.line(kind="sample", sample_type=name, uuid=row["uuid"], start_date=moment(row["start"]), end_date=moment(row["end"]), source=row.get("source"), metadata=row.get("metadata"), **kind)

    # What no capture writes

    def damage(self, path):
        """Values that no canonical form has, versions that are visible side by side, ends before starts."""
        chance = self.chance
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = OFF")
        ids = [number for number, in connection.execute("SELECT id FROM sample_versions ORDER BY id")]
        for _ in range(chance.choice([1, 2, 5]) if ids else 0):
            column, value = chance.choice([
                ("numeric_value", float("inf")), ("numeric_value", -0.0), ("numeric_value", "x"), ("numeric_value", None), ("numeric_value", 1e308), ("category_value", 2**60),
                ("start_date", 1e300), ("end_date", float("-inf")), ("end_date", 0.1234567890123), ("start_date", b"x"), ("end_date", 1_325_203_200.0), ("unit", "a\0b"), ("unit", b"m"),
                ("source_revision_id", 999), ("workout_activity_type", 1.5), ("duration_seconds", float("inf")), ("value_kind", None), ("numeric_value", 5e-324), ("unit", None)])
            connection.execute("UPDATE sample_versions SET %s = ? WHERE id = ?" % column, (value, chance.choice(ids)))
        if ids and chance.random() < 0.4:
            for number in chance.sample(ids, min(3, len(ids))):
                connection.execute("UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL WHERE version_id = ?", (number,))
        if ids and chance.random() < 0.2:
            connection.execute("DELETE FROM sample_versions WHERE id = ?", (chance.choice(ids),))
        if chance.random() < 0.2:
            connection.execute("UPDATE metadata_blobs SET metadata_json = replace(metadata_json, ':', ': ') WHERE id % 2 = 0")
        connection.close()
