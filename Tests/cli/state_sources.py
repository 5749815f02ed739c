"""Random sources for state_model.py: a health store whose client sends feeds, some of them badly, and a phone that is exported, sometimes without the files beside the
XML. Everything is drawn from small sets, so that records come back, contradict each other and are alike. All values are synthetic.

A source has a `Model` that takes what it sends. `reached` counts what happened, by the words of `ROWS` too.
"""

import collections
import datetime
import io
import json
import zipfile

from state_model import Model, Sent

UTC = datetime.timezone.utc
HEART, STEPS, MASS, WALK = ("HKQuantityTypeIdentifier" + name for name in ("HeartRate", "StepCount", "BodyMass", "DistanceWalkingRunning"))
WORKOUT, ROUTE, ECG = "HKWorkoutTypeIdentifier", "HKWorkoutRouteTypeIdentifier", "HKDataTypeIdentifierElectrocardiogram"
TWIN = 1_000_000  # more than the number of a record: another one that says the same, with metadata of its own


def moment(number):
    """The start of the record of a number, in the first months of 2024."""
    number %= TWIN
    return datetime.datetime(2024, 1 + number // 40320 % 4, 1 + number // 1440 % 28, number // 60 % 24, number % 60, tzinfo=UTC)


class Source:
    """What both have in common: days, and how records that are alike come and go."""

    def __init__(self, chance, model):
        self.chance, self.model, self.day, self.serial = chance, model, 0, 0
        self.reached, self.alike, self.earlier = collections.Counter(), {number: [] for number in (1, 2, 1500)}, {}

    def next_date(self):
        self.day += 1
        return datetime.datetime(2024, 6 + self.day // 28, 1 + self.day % 28, 10, tzinfo=UTC)

    def live_alike(self):
        """The records without a UUID that the store has now, in any order: (group, app) each."""
        chance = self.chance
        for number, apps in self.alike.items():
            before = list(apps)
            fate = chance.random()
            if fate < 0.35:
                apps.insert(0, chance.choice("ABC"))
            elif fate < 0.5 and apps:
                apps.remove(chance.choice(apps))
            elif fate < 0.6 and apps:
                apps[chance.randrange(len(apps))] = chance.choice("ABC")
            else:
                apps.reverse()
            if sorted(apps) == sorted(before) and apps != before:
                self.reached["3 alike records come in another order"] += 1
            if before and apps[1:] == before:
                self.reached["3 a copy comes before the originals"] += 1
            key = number, tuple(sorted(apps))
            if apps and key in self.earlier and sorted(apps) != sorted(before):
                self.reached["3 copies come and go"] += 1
            self.earlier[key] = self.day
        return [(number, app) for number, apps in self.alike.items() for app in apps]


class Client(Source):
    """A health store whose client sends observations as a capture feed."""

    TYPES = [HEART, STEPS, MASS, WALK]
    ZONES = [{}, {}, {"time_zone_identifier": "Europe/Bucharest"}, {"time_zone_identifier": "Mars/Phobos", "time_zone_seconds_from_gmt": 3600},
             {"time_zone_identifier": "Mars/Phobos", "time_zone_seconds_from_gmt": 7200}, {"time_zone_seconds_from_gmt": -3600}]

    def __init__(self, chance):
        super().__init__(chance, Model(self.TYPES, self.moment, {WALK}))
        self.live, self.bad, self.pairs = {name: {} for name in self.TYPES[:3]}, {name: [] for name in self.TYPES[:3]}, []
        self.zone, self.zones = self.ZONES[0], [None]

    @staticmethod
    def moment(group):
        return moment(group if isinstance(group, int) else int(group[-12:]))

    def uuid(self, number=None):
        if number is None:
            self.serial += 1
            number = self.serial * 37
        return "00000000-0000-4000-8000-%012d" % number

    # The store

    def live_on(self, name):
        chance, live = self.chance, self.live[name]
        for _ in range(chance.randrange(3)):
            live[self.uuid()] = chance.choice([60, 61])
        if live and chance.random() < 0.2:
            key = chance.choice(list(live))
            if int(key[-12:]) < TWIN:
                live[self.uuid(int(key[-12:]) + TWIN)] = live[key]
        for key in [key for key in live if chance.random() < 0.2]:
            if chance.random() < 0.5:
                del live[key]
            else:
                live[key] += 10
        if live and chance.random() < 0.15:
            # It is still there, and cannot be stored any more.
            key = chance.choice(list(live))
            del live[key]
            self.bad[name].append((int(key[-12:]), chance.choice(["much", "more"])))
            self.reached["4 a record cannot be stored any more"] += 1
        if chance.random() < 0.15:
            self.serial += 1
            self.bad[name].append((self.serial * 37, chance.choice(["much", "more"])))
        if self.bad[name] and chance.random() < 0.25:
            number, _ = self.bad[name].pop(chance.randrange(len(self.bad[name])))
            if chance.random() < 0.5:
                live[self.uuid(number)] = 60
                self.reached["4 a record comes that could not be stored"] += 1

    def run(self, name):
        """What the client sends of a type."""
        chance, known = self.chance, self.model.records[name]
        status = chance.choice(["completed"] * 7 + ["failed", "unauthorized", "timed_out"])
        if name == WALK:
            lines = [("alike", group, app) for group, app in self.live_alike()] if status == "completed" else []
            return Sent("full_scan", status, None, None, None, lines)
        mode = chance.choice(["full_scan", "full_scan", "anchored"])
        lines = [("sample", key, value) for key, value in self.live[name].items()]
        if mode == "anchored":
            lines = [line for line in lines if known.get(line[1]) != (line[2],)] + [("deleted", key, None) for key in known if key not in self.live[name]]
            if chance.random() < 0.2:
                lines.append(("deleted", self.uuid(), None))
                self.reached["5 a deleted object was never seen"] += 1
        if status != "completed":
            lines = [line for line in lines if chance.random() < 0.3]
        bad = [("rejected", *bad) for bad in self.bad[name]] if mode == "full_scan" and status == "completed" or chance.random() < 0.3 else []
        samples = [line for line in lines if line[0] == "sample"]
        if samples and chance.random() < 0.15:
            lines.append(("sample", samples[0][1], samples[0][2] + chance.choice([0, 1])))
        if status == "completed" and mode == "anchored":
            # Of what was not sent there is nothing to say; a store and its archive part where a run failed.
            gone = {line[1] for line in lines if line[0] == "deleted"}
            self.live[name] = {**{key: value for key, (value,) in known.items() if key not in gone}, **{line[1]: line[2] for line in reversed(samples)}}
        newest = self.model.before(name)
        before = chance.choice([newest and newest.anchor_after] * 3 + [None, "AAZZ"]) if mode == "anchored" else None
        after = chance.choice(["AAAA", "AAAB", None]) if status == "completed" else None
        stated = chance.choice([None] * 5 + [len(self.live[name]), len(self.live[name]) + 1]) if status == "completed" else None
        return Sent(mode, status, before, after, stated, lines + bad)

    def observation(self):
        """The next observation: its date and its lines, each with what it is (see `take`)."""
        chance, sent, lines = self.chance, {}, []
        date = self.next_date()
        for name in self.TYPES:
            if name != WALK:
                self.live_on(name)
            if chance.random() < 0.8:
                sent[name] = self.run(name)
        end = chance.choice(["completed"] * 5 + ["cancelled", "failed", "cut"])
        known = [(name, key) for name, part in sent.items() if name != WALK and part[:2] == ("full_scan", "completed") for key in self.live[name]]
        if len(known) > 1 and chance.random() < 0.5:
            self.pairs.append(tuple(chance.sample(known, 2)))
        self.pairs = [pair for pair in self.pairs if all(key in self.live[name] for name, key in pair) and chance.random() < 0.8]
        wanted = [pair for pair in dict.fromkeys(self.pairs) if all(end in known for end in pair)]
        links = [] if end in ("cancelled", "failed", "cut") and chance.random() < 0.7 else wanted
        if links != wanted and self.model.links:
            self.reached["4 a feed ends before its links"] += 1
        if chance.random() < 0.3:
            self.zone = chance.choice(self.ZONES)
        lines.append(("observation", {"kind": "observation", "observed_at": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "trigger_reason": "manual", **self.zone}))
        for page, (name, part) in enumerate(sent.items(), 1):
            names = {"display_name": "Name", "category": "category"} if chance.random() < 0.2 else {}
            if names and self.day > 1:
                self.reached["1 a type is named later"] += 1
            lines.append((("run", name, part), {"kind": "run", "sample_type": name, "mode": part.mode, **({"anchor_before": part.before} if part.before else {}), **names}))
            lines += [(("line", name, line), self.line(name, *line)) for line in part.lines]
            lines.append(("page", {"kind": "page", "number": page}))
            lines.append((("end", name, part), {
                "kind": "run_end", "sample_type": name, "status": part.status, **({"anchor_after": part.after} if part.after else {}),
                **({} if part.stated is None else {"verified_visible_count": part.stated})}))
        for link in links:
            lines.append((("link", link), {"kind": "relationship", "source": self.end(link[0]), "target": self.end(link[1]), "relationship_kind": "member"}))
        if links:
            lines.append(("page", {"kind": "page", "number": len(sent) + 1}))
        if end != "cut":
            lines.append((("whole", end), {"kind": "observation_end", "status": end}))
        return date, lines

    def prefix(self, lines):
        """The beginning of an observation, which ends behind a page or a run, and where the model can tell what a run that was cut leaves."""
        groups = collections.defaultdict(tuple)
        for what, _ in lines:
            if what[0] == "line" and what[1] == WALK:
                groups[what[2][1]] += (what[2][2],)
        is_clear = all(self.model.joined(WALK, group, values) is not None for group, values in groups.items())
        places = [place for place, (what, _) in enumerate(lines, 1) if what[0] == "end" or what == "page" and (is_clear or not any(after[1:2] == (WALK,) for after, _ in lines[place:place + 1]))]
        return lines[:self.chance.choice(places)] if places else lines[:1]

    def take(self, date, lines):
        """The model takes an observation, as far as its lines go."""
        sent, links, is_complete = {}, [], False
        for what, _ in lines:
            if what[0] == "run":
                sent[what[1]] = Sent(what[2].mode, "failed", what[2].before, None, None, [])
            elif what[0] == "line":
                sent[what[1]].lines.append(what[2])
            elif what[0] == "end":
                sent[what[1]] = what[2]
            elif what[0] == "link":
                links.append(what[1])
            elif what[0] == "whole":
                is_complete = what[1] == "completed"
        before = self.model.snapshots[-1]
        self.model.take(date, sent, links, is_complete)
        self.zones.append(self.offset(lines[0][1]))
        self.note(before)

    @staticmethod
    def offset(head):
        seconds = head.get("time_zone_seconds_from_gmt", 0)
        return "Europe/Bucharest" if head.get("time_zone_identifier") == "Europe/Bucharest" else datetime.timezone(datetime.timedelta(seconds=seconds))

    def note(self, before):
        """Counts what the newest observation is."""
        runs, rejected, reached = self.model.runs[-1], self.model.rejected, self.reached
        reached.update(word for run in runs.values() for word in [run.state, run.status, *run.words])
        reached["withheld"] += any(run.withheld for run in runs.values())
        if before:
            new = any(rejected[name].keys() - before[1][name].keys() for name in runs)
            reached["4 new records could not be stored"] += new
            reached["4 a record that could not be stored is gone"] += any(before[1][name].keys() - rejected[name].keys() for name in runs)
            reached["4 a link is gone"] += bool(before[2] - self.model.there())
            reached["5 a type is not asked for"] += any(groups and name not in runs for name, groups in before[0].items())
            reached["2 the offset of an unknown zone moves"] += self.zone.get("time_zone_identifier") == "Mars/Phobos" and self.zones[-1] != self.zones[-2]

    @staticmethod
    def end(place):
        return {"sample_type": place[0], "uuid": place[1]}

    @staticmethod
    def text(lines):
        head = {"kind": "feed", "format": "healthprobe-feed", "format_version": 1}
        return b"".join(json.dumps(line).encode() + b"\n" for line in [head, *(line for _, line in lines)])

    def line(self, name, kind, group, value):
        if kind == "deleted":
            return {"kind": "deleted", "sample_type": name, "uuid": group}
        start = self.moment(group).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = {"kind": "sample", "sample_type": name, "start_date": start, "end_date": start, "value_kind": "quantity", "numeric_value": 60, "unit": "count"}
        if kind == "rejected":
            return {**found, "end_date": "%s-02-30T00:00:00Z" % (2024 if value == "much" else 2023)}
        if kind == "alike":
            return {**found, "source": {"name": "App " + value}}
        return {**found, "uuid": group, "numeric_value": value, **({"metadata": {"twin": 1}} if int(group[-12:]) >= TWIN else {})}

    def stored(self, name, group, value):
        """What a record stores, and what it is about."""
        return (group, value) if name == WALK else (moment(int(group[-12:])), int(group[-12:]) >= TWIN, value)

    def content(self, name, group, value):
        return (group,) if name == WALK else (moment(int(group[-12:])), value)


class Phone(Source):
    """A phone and its Apple Health exports: whole, as a zip of the XML alone, or as the XML."""

    TYPES = [HEART, STEPS, WORKOUT, ROUTE, ECG]
    GPX = '<gpx><trk><trkseg><trkpt lat="%d.5" lon="2.5"><time>2024-04-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>'
    LEAD = ("Name,x\nDate of Birth,y\nRecorded Date,2024-04-01 10:00:00 +0000\nClassification,Sinus Rhythm\nSymptoms,\nSoftware Version,1\nDevice,\"Watch0,0\"\nSample Rate,512 hertz\n"
            "\n\nLead,Lead I\nUnit,\u00b5V\n\n%s.5\n2\n")
    WALKED = 40320 * 3 + 600  # the moment of TIMES
    TIMES = 'startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:30:00 +0000"'

    def __init__(self, chance):
        super().__init__(chance, Model(self.TYPES, moment, {HEART, STEPS}))
        self.zones, self.heart, self.bad, self.route, self.ecg, self.form = [None], {5: 60, 7: 60}, [], 1, 1, "zip"

    def live_on(self):
        chance, heart = self.chance, self.heart
        for _ in range(chance.randrange(3)):
            self.serial += 1
            heart[self.serial * 61 + 10] = 60
        for number in [number for number in heart if number > 7 and chance.random() < 0.2]:
            del heart[number]
            if chance.random() < 0.5:
                self.bad.append((number, chance.choice(["much", "more"])))
                self.reached["4 a record cannot be stored any more"] += 1
        if self.bad and chance.random() < 0.3:
            number, _ = self.bad.pop(chance.randrange(len(self.bad)))
            if chance.random() < 0.5:
                heart[number] = 60
                self.reached["4 a record comes that could not be stored"] += 1
        self.route += chance.random() < 0.2
        self.ecg += chance.random() < 0.15

    def observation(self):
        date, form = self.next_date(), self.chance.choice(["zip", "zip", "only", "bare"])
        self.live_on()
        if form != "zip" and self.form == "zip" and self.model.runs:
            self.reached["4 an export lacks the files beside its XML"] += 1
        elif form == "zip" and self.form != "zip":
            self.reached["4 a whole export comes after one without files"] += 1
        self.form = form
        return date, (form, self.live_alike(), dict(self.heart), list(self.bad), self.route, self.ecg)

    def take(self, date, content):
        form, alike, heart, bad, route, ecg = content
        before, is_whole = self.model.snapshots[-1], form == "zip"
        known = self.model.records[ROUTE]
        scan = lambda lines, unread=0: Sent("full_scan", "completed", None, None, None, lines, unread)
        sent = {HEART: scan([("sample", number, value) for number, value in heart.items()] + [("rejected", *what) for what in bad]),
                STEPS: scan([("alike", number, app) for number, app in [*alike, (1439, "always")]]), WORKOUT: scan([("sample", self.WALKED, 1)])}
        # Of a route without its file, what is visible stays; before there is any, the route has no places.
        sent[ROUTE] = scan([("sample", self.WALKED, route if is_whole else known.get(self.WALKED, (0,))[0])], 0 if is_whole else 1)
        if is_whole:
            sent[ECG] = scan([("sample", self.WALKED, ecg)])
        self.model.take(date, sent, [((WORKOUT, self.WALKED), (ROUTE, self.WALKED))])
        self.zones.append(UTC)
        Client.note(self, before)

    zone = {}

    def text(self, date, content):
        """The export and the ending of its name."""
        form, alike, heart, bad, route, ecg = content
        record = lambda name, number, value, app="Watch", end=None: '<Record type="%s" sourceName="%s" unit="count/min" startDate="%s" endDate="%s" value="%s"/>' % (
            name, app, moment(number).strftime("%Y-%m-%d %H:%M:%S +0000"), end or moment(number).strftime("%Y-%m-%d %H:%M:%S +0000"), value)
        records = [record(HEART, number, value) for number, value in heart.items()]
        records += [record(HEART, number, 60, end="%d-02-30 00:00:00 +0000" % (2024 if word == "much" else 2023)) for number, word in bad]
        records += [record(STEPS, number, 60, app) for number, app in [*alike, (1439, "always")]]
        walk = ('<Workout workoutActivityType="HKWorkoutActivityTypeWalking" duration="30" durationUnit="min" sourceName="Watch" %s><WorkoutRoute sourceName="Watch" %s>'
                '<FileReference path="/workout-routes/route_1.gpx"/></WorkoutRoute></Workout>' % (self.TIMES, self.TIMES))
        text = '<?xml version="1.0"?>\n<HealthData locale="en_US">\n<ExportDate value="%s"/>\n%s\n%s\n</HealthData>\n' % (
            date.strftime("%Y-%m-%d %H:%M:%S +0000"), "\n".join(records), walk)
        if form == "bare":
            return text.encode(), ".xml"
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr("apple_health_export/export.xml", text)
            if form == "zip":
                archive.writestr("apple_health_export/workout-routes/route_1.gpx", self.GPX % route)
                archive.writestr("apple_health_export/electrocardiograms/ecg_1.csv", self.LEAD % ecg)
        return data.getvalue(), ".zip"

    def stored(self, name, group, value):
        return group, value

    def content(self, name, group, value):
        return (group,) if name in (HEART, STEPS) else None
