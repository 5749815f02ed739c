"""Random Apple Health exports, a month apart: records are added, dropped and changed, of every kind of element. All values are synthetic."""

import datetime
import re

HEART_RATE, STEPS, MASS = ("HKQuantityTypeIdentifier" + name for name in ("HeartRate", "StepCount", "BodyMass"))
SYSTOLIC, DIASTOLIC = ("HKQuantityTypeIdentifierBloodPressure" + name for name in ("Systolic", "Diastolic"))
SLEEP, STAND = "HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryTypeIdentifierAppleStandHour"
DEVICES = [None, "&lt;&lt;HKDevice: 0x%x&gt;, name:Test Watch, manufacturer:Test Inc., model:Watch, hardware:Watch0,0, software:10.%d&gt;", "another device 0xAB%x%d",
           "&lt;&lt;HKDevice: 0x%x&gt;, name:a, b: c, creation date:2020-01-01 00:00:00 +000%d, odd&gt;"]
SOURCES = [("Test Watch", "10.0"), ("Test Watch", "10.1"), ("Test Phone", None), (None, "1"), (None, None), ("Test \u00fc &amp; \u5065", "")]
ENTRIES = [[], [], [("HKWasUserEntered", "1")], [("HKExternalUUID", "A-1"), ("k", "1"), ("k", "2"), ("k", "1")], [("hp:x", "y"), ("", "")], [("HKMetadataKeySyncIdentifier", "s")]]


def escaped(text):
    return text if "&" in text else text.replace("<", "&lt;").replace('"', "&quot;")


def attributes(**values):
    return "".join(' %s="%s"' % (name, escaped(str(value))) for name, value in values.items() if value is not None)


def clock(second, offset=0):
    """A moment of the year 2024 as an export writes it."""
    zone = datetime.timezone(datetime.timedelta(seconds=offset))
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=second)
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %z")


class Exports:
    """A phone and what it exports each month."""

    def __init__(self, chance, size):
        self.chance, self.size, self.offset, self.month = chance, size, 0, 0
        self.elements, self.alone = [], 0

    def common(self, start, seconds):
        chance = self.chance
        name, version = chance.choice(SOURCES)
        device = chance.choice(DEVICES)
        return {"sourceName": name, "sourceVersion": version, "device": device, "start": start, "end": start + seconds, "delay": chance.choice([None, 0, 3, -3, 86_400]), "entries": chance.choice(ENTRIES)}

    def text(self, name, facts, children=""):
        """An element as this month's export has it."""
        facts = dict(facts)
        common = facts.pop("common", None)
        if common:
            device = common["device"]
            delay = common["delay"]
            facts = {"type": facts.pop("type", None), "sourceName": common["sourceName"], "sourceVersion": common["sourceVersion"], "device": device and device % (self.chance.randrange(2**30), 1),
                     "creationDate": None if delay is None else clock(common["end"] + delay, self.offset), "startDate": clock(common["start"], self.offset), "endDate": clock(common["end"], self.offset), **facts}
            children = "".join("<MetadataEntry%s/>" % attributes(key=key, value=value) for key, value in common["entries"]) + children
        return "<%s%s>%s</%s>\n" % (name, attributes(**facts), children, name) if children else "<%s%s/>\n" % (name, attributes(**facts))

    # Elements: functions of the month, so that what they write has this month's offset.

    def record(self, sample_type, value, unit=None, children=None, **others):
        start = self.chance.choice([60, 3600, 86_400]) * self.chance.randrange(60)
        facts = {"type": sample_type, "unit": unit, "value": value, "common": self.common(start, self.chance.choice([0, 0, 60, 86_400])), **others}
        return lambda: self.text("Record", facts, children(start) if children else "")

    def beats(self, start):
        time = lambda second: clock(start + second, self.offset)[11:19]
        beats = [attributes(bpm=61, time=time(1) + ".25"), attributes(bpm=62, time="3:04:05,6 PM"), attributes(bpm=63, time="3:04:05.60\u202fam"), attributes(bpm=64, time="soon", odd="1"), attributes(bpm=65, time="12:00:00,00\u00a0Am", seconds="2")]
        return "<HeartRateVariabilityMetadataList>%s</HeartRateVariabilityMetadataList>" % "".join("<InstantaneousBeatsPerMinute%s/>" % beat for beat in beats)

    def correlation(self):
        chance = self.chance
        common = self.common(chance.randrange(60) * 60, 0)
        stands_alone = chance.random() < 0.2
        twins = chance.random() < 0.3
        # A value of its own: which of alike samples a member is that stands nowhere else, depends on its place.
        self.alone += stands_alone
        members = [self.record(sample_type, 200 + self.alone if stands_alone else chance.choice(values), "mmHg") for sample_type, values in ((SYSTOLIC, [120, 121]), (DIASTOLIC, [80, 81]))]

        def write():
            inner = [member() for member in members] + ([members[0]()] if twins else [])
            text = self.text("Correlation", {"type": "HKCorrelationTypeIdentifierBloodPressure", "common": common}, "\n" + "".join(inner))
            return ("" if stands_alone else "".join(inner)) + text
        return write

    def workout(self):
        chance = self.chance
        start = 3600 * chance.randrange(60)
        common = self.common(start, 1800)
        facts = {"workoutActivityType": chance.choice(["HKWorkoutActivityTypeRunning", "HKWorkoutActivityTypeUnheard", "37", None]), "duration": chance.choice(["30.5", "1", None, "0.12345678901234567890"]), "durationUnit": chance.choice(["min", "hr", "s", "h", None]),
                 "totalDistance": 5, "totalDistanceUnit": "km", "common": common}

        def write():
            dates = {"startDate": clock(start, self.offset), "endDate": clock(start + 1800, self.offset)}
            events = "<WorkoutEvent%s/><WorkoutEvent%s><MetadataEntry key=\"a\" value=\"b\"/></WorkoutEvent>" % (attributes(type="HKWorkoutEventTypePause", date=dates["startDate"], duration=1, durationUnit="min"), attributes(type="x", date="soon"))
            statistics = "<WorkoutStatistics%s/>" % attributes(type=HEART_RATE, average=140, unit="count/min", **dates)
            activity = "<WorkoutActivity%s>%s%s<MetadataEntry key=\"c\" value=\"d\"/></WorkoutActivity>" % (attributes(uuid="A-1", duration=30, **dates), events, statistics)
            route = self.text("WorkoutRoute", {"common": {**common, "device": None}}, '<FileReference path="/workout-routes/route_%d.gpx"/>' % start)
            return self.text("Workout", facts, events + statistics + activity + route + "<Unheard><Inner/></Unheard>")
        return write

    def other(self):
        chance = self.chance
        start = 86_400 * chance.randrange(60)
        date = lambda: clock(start, self.offset)
        return chance.choice([
            lambda: self.text("ActivitySummary", {"dateComponents": clock(start)[:10], "activeEnergyBurned": 400, "activeEnergyBurnedUnit": "Cal", "creationDate": "2024-01-01 00:00:00 +0000"}),
            lambda: self.text("ClinicalRecord", {"type": "HKClinicalTypeIdentifierAllergyRecord", "identifier": "i-%d" % start, "sourceName": "Test Clinic", "sourceURL": "https://example.com/1", "fhirVersion": "4.0.1", "receivedDate": date(), "resourceFilePath": "/clinical-records/a.json"}),
            lambda: self.text("Audiogram", {"type": chance.choice(["HKDataTypeIdentifierAudiogram"]), "startDate": date(), "endDate": date(), "sourceName": "Test Phone"}, '<SensitivityPoint frequencyValue="500" frequencyUnit="Hz" leftEarValue="10"/>'),
            lambda: self.text("VisionPrescription", {"type": "HKVisionPrescriptionTypeIdentifier", "dateIssued": date(), "expirationDate": date() if start % 2 else None}, '<RightEye sphere="1.0" element="x"/><LeftEye sphere="2.0"/><Prescription type="glasses"/>'),
            lambda: self.text("WorkoutRoute", {"startDate": date(), "endDate": date()}),
        ])

    def element(self):
        chance, fate = self.chance, self.chance.random()
        if fate < 0.1:
            return self.correlation()
        if fate < 0.17:
            return self.workout()
        if fate < 0.27:
            return self.other()
        return chance.choice([
            lambda: self.record(HEART_RATE, chance.choice([60, 61, "6e1", "-0.0", None, "61.12345678901234567"]), "count/min", self.beats if chance.random() < 0.2 else None),
            lambda: self.record(STEPS, chance.randrange(3), "count"),
            lambda: self.record(MASS, chance.choice(["70.5", "150"]), chance.choice(["kg", "lb"]), odd=chance.choice([None, "1"])),
            lambda: self.record(SLEEP, chance.choice(["HKCategoryValueSleepAnalysisAsleepREM", "HKCategoryValueSleepAnalysisInBed", "HKCategoryValueUnheard", "3", "007", None]), chance.choice([None, None, "min"])),
            lambda: self.record(STAND, "HKCategoryValueAppleStandHourStood", uuid=chance.choice([None, "U-1"])),
            lambda: self.record("com.example.unheard", "5", chance.choice([None, "x"])),
        ])()

    def export(self, bad=0):
        """The next month's export; `bad`: how many records that cannot be stored."""
        chance = self.chance
        self.offset = chance.choice([0, 7200, -18_000, 20_700])
        self.elements = [element for element in self.elements if chance.random() < 0.9]
        while len(self.elements) < self.size * (self.month + 1):
            self.elements.append(self.element())
        if self.elements and chance.random() < 0.5:
            chance.shuffle(self.elements)
        # What a correlation has in it stands before it at the top level.
        texts = [element() for element in self.elements]
        for _ in range(bad):
            texts.insert(chance.randrange(len(texts) + 1), chance.choice([
                '<Record type="%s" unit="count" value="x" startDate="2024-01-01 00:00:00 +0000" endDate="2024-01-01 00:00:00 +0000"/>\n' % STEPS,
                '<Record type="%s" unit="count" value="1" startDate="2024-02-30 00:00:00 +0000" endDate="2024-01-01 00:00:00 +0000"/>\n' % STEPS]))
        self.month += 1
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (a|b)>\n<oops>\n]>\n<HealthData locale="en_US">\n <ExportDate value="%s"/>\n <Me HKCharacteristicTypeIdentifierBloodType="x"/>\n'
        return head % clock(86_400 * 31 * (self.month + 1), self.offset) + "".join(texts) + "</HealthData>\n"


def ends_of_elements(text):
    """The places of an export, as bytes, behind the elements below the root and the date, but for the last one. What is kept of an element that is cut through is open."""
    depth, ends, is_behind_date = 0, [], False
    for tag in re.finditer(rb"""<(/?)([A-Za-z_][\w.:-]*)(?:[^<>"']|"[^"]*"|'[^']*')*?(/?)>""", text):
        if tag.start() < text.index(b"<HealthData"):
            continue  # of the document type
        depth += 0 if tag[3] else -1 if tag[1] else 1
        is_behind_date = is_behind_date or tag[2] == b"ExportDate"
        if depth == 1 and is_behind_date and tag[2] not in (b"ExportDate", b"HealthData"):
            ends.append(tag.end())
    return ends[:-1]
