"""Random histories of a health store as capture feeds: what a store could say, and what only a bad day brings.

Everything is drawn from small sets, so that records are alike, return, contradict each other and meet on the days on which clocks change.
All values are synthetic.
"""

import copy
import datetime
import json

HEART_RATE, STEPS, MASS = ("HKQuantityTypeIdentifier" + name for name in ("HeartRate", "StepCount", "BodyMass"))
SLEEP, WORKOUT, PRESSURE, UNHEARD = "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier", "HKCorrelationTypeIdentifierBloodPressure", "com.example.unheard"
TYPES = [HEART_RATE, STEPS, MASS, SLEEP, WORKOUT, PRESSURE, UNHEARD]

ZONES = [
    {}, {"time_zone_seconds_from_gmt": 50_400}, {"time_zone_seconds_from_gmt": -50_400}, {"time_zone_identifier": "Europe/Bucharest", "time_zone_seconds_from_gmt": 7200},
    {"time_zone_identifier": "America/Sao_Paulo"}, {"time_zone_identifier": "Pacific/Apia"}, {"time_zone_identifier": "Asia/Kathmandu"},
    {"time_zone_identifier": "Mars/Phobos", "time_zone_seconds_from_gmt": 3600}, {"time_zone_identifier": "UTC"}, {"time_zone_seconds_from_gmt": 0},
]
# Days on which the clocks of those zones change, a day before 1970, and one after which no rule of today is written down.
DAYS = ["2000-03-26", "2000-10-29", "2017-10-15", "2018-02-17", "2018-02-18", "2011-12-29", "2011-12-31", "1969-12-31", "2024-05-01", "2040-03-25"]
TIMES = ["00:00:00Z", "00:00:00.5Z", "02:59:59.999999Z", "03:00:00Z", "10:00:00Z", "21:59:59.9999995Z", "22:00:00.000000500Z", "23:30:00+01:00", "12:00:00-12:00"]
SOURCES = [
    None, {"name": "Test Watch", "bundle_identifier": "com.example.watch", "product_type": "Watch0,0", "version": "1.0", "operating_system_version": "10.0.0"},
    {"name": "Test Watch", "bundle_identifier": "com.example.watch", "version": "1.1", "operating_system_version": "0.0.0"},
    {"name": "Renamed Watch", "bundle_identifier": "com.example.watch"}, {"name": ""}, {"version": "2"}, {"bundle_identifier": ""}, {"operating_system_version": "0.0.0"}, {},
]
DEVICES = [None, None, {"name": "Test Watch", "manufacturer": "Test Inc.", "model": "Watch", "hardware_version": "0,0", "local_identifier": "l", "udi": "u"}, {"name": ""}, {"software_version": "1"}, {}]
METADATA = [
    None, None, {}, {"HKWasUserEntered": 1}, {"HKExternalUUID": "A-1", "k": [1, 2.5, None, {"x": "\u00e9\u0000"}]}, {"HKDeviceSerialNumber": 7, "z": -0.0},
    {"HKMetadataKeySyncIdentifier": None}, {"HKUDIDeviceIdentifier": {"b": 1, "a": [True]}},
]
# What workouts state of themselves as a whole, and what looks like it.
WORKOUTS = [
    {"hp:statistics": [{"type": "HKQuantityTypeIdentifierActiveEnergyBurned", "sum": "100.5", "unit": "kcal"}, {"type": "HKQuantityTypeIdentifierDistanceCycling", "sum": "2", "unit": "km"}]},
    {"hp:statistics": [{"type": "HKQuantityTypeIdentifierDistanceSwimming", "sum": "0.5", "unit": "mi"}, {"type": "HKQuantityTypeIdentifierDistanceWalkingRunning", "sum": "1e3", "unit": "m"},
                       {"type": "HKQuantityTypeIdentifierDistanceWalkingRunning", "sum": "7", "unit": "kg"}, [{"type": "HKQuantityTypeIdentifierActiveEnergyBurned"}], 7]},
    {"hp:statistics": [{"type": "HKQuantityTypeIdentifierActiveEnergyBurned", "sum": 5, "unit": "kcal"}], "hp:attribute:totalEnergyBurned": "418.4", "hp:attribute:totalEnergyBurnedUnit": "kJ"},
    {"hp:statistics": {"sum": "3"}, "hp:attribute:totalDistance": "05", "hp:attribute:totalDistanceUnit": "km", "hp:attribute:totalEnergyBurned": "1e400", "hp:attribute:totalEnergyBurnedUnit": "Cal"},
    {"hp:attribute:totalDistance": "5", "hp:attribute:totalDistanceUnit": "km", "hp:attribute:totalEnergyBurned": " 5", "hp:attribute:totalEnergyBurnedUnit": "Cal"},
    {"hp:statistics": [{"type": "HKQuantityTypeIdentifierDistanceOfTomorrow", "sum": "1", "unit": "m"}, {"sum": "1", "unit": "m"}, {"type": "HKQuantityTypeIdentifierBasalEnergyBurned", "sum": "1", "unit": "kcal"}]},
]
VALUES = [60, 61.5, 0.1, -0.0, 1e22, 5e-324]


class Writer:
    """Lines of a feed, in spellings that say the same."""

    def __init__(self, chance):
        self.chance = chance

    def line(self, **members):
        items = [(name, value) for name, value in members.items() if value is not None]
        if self.chance.random() < 0.3:
            self.chance.shuffle(items)
        text = json.dumps(dict(items), ensure_ascii=self.chance.random() < 0.5, separators=self.chance.choice([(",", ":"), (", ", " : ")]))
        return text.encode() + self.chance.choice([b"\n"] * 9 + [b" \r\n"])


class History:
    """One store and the feeds that its client sends. `feeds` gives them as bytes, one after the other."""

    def __init__(self, chance, observations, is_anonymous=False):
        self.is_anonymous = is_anonymous
        self.chance, self.writer, self.observations = chance, Writer(chance), observations
        self.types = chance.sample(TYPES, chance.randint(1, 4))
        self.uuids = [self.uuid() for _ in range(40)]
        self.live, self.graves, self.gone = [], [], []
        self.bad, self.links, self.anchors = [], [], {}
        self.zone = chance.choice(ZONES)
        self.time = 1_500_000_000_000 + chance.randrange(10**9)  # milliseconds
        self.days, self.times = chance.sample(DAYS, chance.randint(1, 3)), chance.sample(TIMES, chance.choice([1, 3, len(TIMES)]))
        self.sources, self.values = chance.sample(SOURCES, chance.choice([1, 2, len(SOURCES)])), chance.sample(VALUES, chance.choice([1, len(VALUES)]))
        self.bare, self.busy = chance.random() < 0.4, chance.choice([6, 12, 40])

    def uuid(self):
        text = "%032x" % self.chance.getrandbits(128)
        text = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return text.upper() if self.chance.random() < 0.2 else text

    # The store

    def moment(self):
        return self.chance.choice(self.days) + "T" + self.chance.choice(self.times)

    def record(self, sample_type):
        chance = self.chance
        start = self.moment()
        found = {"kind": "sample", "sample_type": sample_type, "start_date": start, "end_date": start if chance.random() < 0.7 else self.moment()}
        if chance.random() < 0.6:
            found["uuid"] = self.uuids.pop() if self.uuids else self.uuid()
        if self.is_anonymous:
            found.pop("uuid", None)
        if sample_type == SLEEP:
            found.update(value_kind="category", category_value=chance.choice([0, 1, 1e0, None]))
        elif sample_type == WORKOUT:
            found.update(value_kind="workout", workout_activity_type=chance.choice([37, 52, None]), duration_seconds=chance.choice([None, 0.5, 1800]))
        elif sample_type == PRESSURE:
            found.update(value_kind="correlation")
        else:
            found.update(value_kind="quantity", numeric_value=chance.choice(self.values + [None]), unit={HEART_RATE: "count/min", MASS: chance.choice(["kg", "lb"]), STEPS: "count"}.get(sample_type, chance.choice([None, "", "Cal", "kcal", "degF"])))
        self.describe(found)
        if sample_type == WORKOUT and chance.random() < 0.7:
            found["metadata"] = copy.deepcopy(chance.choice(WORKOUTS))
        return found

    def describe(self, record):
        record.update(source=self.chance.choice(self.sources), device=self.chance.choice(DEVICES[:3] if self.bare else DEVICES), metadata=copy.deepcopy(self.chance.choice(METADATA[:4] if self.bare else METADATA)))

    def live_on(self):
        """What happens in the store between two observations; gives what is new or changed, and what is gone."""
        chance, news, gone = self.chance, [], []
        for _ in range(chance.randrange(self.busy)):
            news.append(self.record(chance.choice(self.types)))
        for record in list(self.live):
            fate = chance.random()
            if fate < 0.15:
                self.live.remove(record)
                self.graves.append(record)
                gone.append(record)
            elif fate < 0.3:
                self.live.remove(record)
                changed = dict(record)
                if "uuid" in changed and chance.random() < 0.3 and "numeric_value" in changed:
                    changed["numeric_value"] = chance.choice(VALUES)
                if "uuid" in changed and chance.random() < 0.2:
                    changed["start_date"] = changed["end_date"] = self.moment()
                self.describe(changed)
                news.append(changed)
        for record in list(self.graves):
            if record not in gone and chance.random() < 0.25:
                self.graves.remove(record)
                news.append(record)
        for record in chance.sample(self.live, min(len(self.live), chance.randrange(3))):
            if "uuid" not in record:
                news.append(dict(record))  # an exact duplicate
            elif chance.random() < 0.3:
                other = chance.choice(TYPES)
                news.append({**self.record(other), "uuid": record["uuid"]})  # a UUID in two types
        self.live += news
        return news, gone

    # One observation

    def content(self, mode, sample_type, news, gone):
        """Lines of a run: samples and deleted objects, in an order that nobody promised."""
        chance = self.chance
        of_type = lambda records: [record for record in records if record["sample_type"] == sample_type]
        sent = of_type(self.live) if mode == "full_scan" else of_type(news) + [record for record in of_type(self.live) if chance.random() < 0.2]
        lines = [dict(record) for record in sent]
        if mode == "anchored" or chance.random() < 0.3:
            lines += [{"kind": "deleted", "sample_type": sample_type, "uuid": record["uuid"]} for record in of_type(gone) if "uuid" in record]
        if chance.random() < 0.4:
            self.gone.append((sample_type, self.uuids.pop() if self.uuids else self.uuid()))
        for other, uuid in self.gone:
            if other == sample_type and chance.random() < 0.5:
                lines.append({"kind": "deleted", "sample_type": sample_type, "uuid": uuid})
                if chance.random() < 0.3:
                    lines.append({**self.record(sample_type), "uuid": uuid})  # was deleted before it was known
        for line in list(lines):
            if line["kind"] == "sample" and "uuid" in line:
                fate = chance.random()
                if fate < 0.04:
                    lines.append({"kind": "deleted", "sample_type": sample_type, "uuid": line["uuid"].lower()})
                elif fate < 0.08:
                    lines.append(dict(line))
                elif fate < 0.1:
                    contradicting = dict(line)
                    self.describe(contradicting)
                    lines.append(contradicting)
        if chance.random() < 0.12:
            bad = self.record(sample_type)
            bad.update(chance.choice([{"start_date": "2024-02-30T00:00:00Z"}, {"end_date": "10000-01-01T00:00:00Z"}, {"start_date": "2024-01-01T24:00:00+00:00"}, {"category_value": 2**53}]))
            self.bad.append(bad)
        # What cannot be stored stays in the store, mostly.
        lines += [dict(bad) for bad in of_type(self.bad) if chance.random() < 0.7]
        chance.shuffle(lines)
        if chance.random() < 0.5:
            lines.sort(key=lambda line: line["kind"], reverse=chance.random() < 0.7)  # one kind after the other
        return lines[:60]

    def relationship(self):
        """A new relationship, or one of before: with its metadata, or with other."""
        chance = self.chance
        if self.links and chance.random() < 0.7:
            link = chance.choice(self.links)
            return {**link, "metadata": chance.choice([link["metadata"], link["metadata"], {"x": 2}])}
        known = [{"sample_type": record["sample_type"], "uuid": record["uuid"]} for record in self.live + self.graves if "uuid" in record]
        ends = [chance.choice(known) if known and chance.random() < 0.9 else {"sample_type": chance.choice(TYPES), "uuid": self.uuids.pop() if self.uuids else self.uuid()} for _ in range(2)]
        self.links.append({"kind": "relationship", "source": ends[0], "target": ends[1], "relationship_kind": chance.choice(["member", "route"]), "metadata": chance.choice([None, {}, {"x": 1}])})
        return dict(self.links[-1])

    def observation(self):
        """The lines of an observation."""
        chance, line = self.chance, self.writer.line
        if chance.random() < 0.25:
            self.zone = chance.choice(ZONES)
        news, gone = self.live_on()
        self.time += chance.choice([1, 86_400_000, 2_592_000_000] * 4 + [-7_200_001])
        observed_at = "%s.%03dZ" % (utc(self.time // 1000), self.time % 1000)
        types = [sample_type for sample_type in self.types if chance.random() < 0.85]
        lines = [line(
            kind="observation", observed_at=observed_at, trigger_reason=chance.choice(["manual", "background"]), **self.zone,
            app_version=chance.choice([None, "1.0", ""]), os_version=chance.choice([None, "18.0"]), selected_types=chance.choice([None, [], self.types, self.types[::-1] * 2]))]
        runs = []
        for sample_type in types:
            mode = chance.choice(["anchored", "anchored", "full_scan"])
            problem = chance.choice(["missing", "corrupt", "rejected", None]) if mode == "full_scan" else None
            before = self.anchors.get(sample_type) if chance.random() < 0.7 else chance.choice([None, "", "AAEC"])
            begin = line(kind="run", sample_type=sample_type, mode=mode, anchor_before=before, anchor_problem=problem,
                         display_name=chance.choice([None, "A name"]), category=chance.choice([None, "vitals"]))
            status = chance.choice(["completed"] * 8 + ["failed", "unauthorized", "timed_out"])
            content = [] if status != "completed" and chance.random() < 0.5 else self.content(mode, sample_type, news, gone)
            if status != "completed":
                content = content[:chance.randrange(len(content) + 1)]
            after = chance.choice(["AAED", "AAEE", None]) if status == "completed" else None
            if status == "completed":
                self.anchors[sample_type] = after
            end = line(kind="run_end", sample_type=sample_type, status=status, anchor_after=after,
                       verified_visible_count=chance.choice([None, None, 0, 12]), error_kind=chance.choice([None, "code_1"]) if status != "completed" else None,
                       error_message=chance.choice([None, "it failed"]) if status != "completed" else None)
            runs.append((begin, content, end))
        outcome = chance.choice(["completed"] * 10 + ["failed", "cancelled"])
        lines += self.interleaved(runs, outcome == "completed")
        return lines + [line(kind="observation_end", status=outcome)]

    def interleaved(self, runs, is_complete):
        """The lines of runs with pages of up to a few lines, some of them of several runs, some sent twice."""
        chance, line = self.chance, self.writer.line
        lines, pages = [], []
        while runs:
            count = chance.randint(1, 3)
            group, runs = runs[:count], runs[count:]
            lines += [begin for begin, _, _ in group]
            content = [entry for _, entries, _ in group for entry in entries]
            if len(group) > 1 and chance.random() < 0.5:
                chance.shuffle(content)
            content += [self.relationship() for _ in range(chance.choice([0, 0, 1, 3, 6]))]
            first = len(pages)
            while content or chance.random() < 0.1:
                size = chance.choice([1, 3, 10, 60])
                page, content = [line(**entry) for entry in content[:size]], content[size:]
                pages.append(page)
                lines += page + [line(kind="page", number=len(pages))]
                if chance.random() < 0.15:
                    number = chance.randrange(first, len(pages))
                    lines += pages[number] + [line(kind="page", number=number + 1)]
            lines += [end for _, _, end in group if is_complete or chance.random() < 0.7]
        return lines

    # Feeds

    # Lines that are none: a feed with one is refused.
    BROKEN = (b"{}\n", b'{"kind":"page","number":99}\n', b"\xff\n")
    HEAD = b'{"kind":"feed","format":"healthprobe-feed","format_version":1}\n'

    def feeds(self):
        """The feeds, as bytes. Most hold several observations; some end too early, are sent again or have a line that is none."""
        chance, feed, left = self.chance, [], self.observations
        while left:
            observation = self.observation()
            left -= 1
            fate = chance.random()
            if fate < 0.15:  # cut off, and then sent again or not
                cut = chance.randrange(1, len(observation))
                rest = observation[cut][:chance.randrange(len(observation[cut]))]
                yield self.HEAD + b"".join(feed + observation[:cut]) + rest
                feed = observation if chance.random() < 0.6 else []
            elif fate < 0.25:  # a line that is none: the observation stays as it is
                cut = chance.randrange(1, len(observation))
                yield self.HEAD + b"".join(feed + observation[:cut]) + chance.choice(self.BROKEN)
                feed = observation if chance.random() < 0.6 else []
            elif fate < 0.4:  # sent again
                yield self.HEAD + b"".join(feed + observation)
                yield self.HEAD + b"".join(observation)
                feed = []
            elif fate < 0.55:  # cut off, longer, as a whole, and shorter again; sometimes with a line less
                cuts = sorted(chance.randrange(1, len(observation) + 1) for _ in range(3))
                yield self.HEAD + b"".join(feed + observation[:cuts[0]])
                yield self.HEAD + b"".join(observation[:cuts[1]])
                less = [line for line in observation if chance.random() < 0.95]
                for again in chance.sample([observation, less, observation[:cuts[2]]], 3):
                    yield self.HEAD + b"".join(again)
                feed = []
            else:
                feed += observation
        yield self.HEAD + b"".join(feed)


def utc(second):
    """A timestamp without its Z."""
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=second)).isoformat()
