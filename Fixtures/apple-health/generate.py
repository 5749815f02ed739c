#!/usr/bin/env python3
"""Writes two synthetic Apple Health exports, a month apart, and a zip.

    month-0.xml   every kind of element that Spec/apple-health.md names; a document type that is not well-formed, a control character, a second
                  attribute of the same name, exact duplicates, several sources, and devices whose pointer is another one in each export
    month-1.xml   the same phone a month later: four heart rates and a correlation with its two records are gone, 60 heart rates and 5 summaries are new, one heart
                  rate has other metadata
    export.zip    month-0.xml under its name in Spanish, with files of the other kinds beside it

Every value is made up; the same script writes the same bytes."""
import datetime
import pathlib
import random
import zipfile
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
BASE = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
DAY = 86400
QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"


def date(seconds, hours=2.0):
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    return (BASE + datetime.timedelta(seconds=seconds)).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %z")


def element(name, attributes, children=(), indent=1):
    head = " " * indent + "<" + name + "".join(f" {key}={quoteattr(value)}" for key, value in attributes)
    if not children:
        return head + "/>\n"
    return head + ">\n" + "".join(children) + " " * indent + f"</{name}>\n"


def entry(key, value, indent=2):
    return element("MetadataEntry", [("key", key), ("value", value)], indent=indent)


DOCUMENT_TYPE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord|Audiogram|VisionPrescription)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
%s]>
"""
# As some releases write it: an element within an attribute list, and a list that never ends.
BROKEN = """<!ATTLIST SensitivityPoint
  frequencyValue CDATA #REQUIRED
  <!ELEMENT RightEye EMPTY>
  leftEarValue CDATA #IMPLIED
"""


RECORDING = """Name,TEST
Date of Birth,"Jan 1, 2000"
Recorded Date,2000-01-01 02:00:00 +0200
Classification,Sinus Rhythm
Symptoms,
Software Version,1.0
Device,"Watch0,0"
Sample Rate,512 hertz


Lead,Lead I
Unit,µV

-1.5
2
"""


class Export:
    def __init__(self, month):
        self.month = month
        self.random = random.Random(2000)
        self.parts = []

    def device(self, number):
        pointer = 0x280000000 + self.month * 0x1000 + number * 0x40
        return [
            f"<<HKDevice: 0x{pointer:x}>, name:TESTDEVICE Watch, manufacturer:Test Inc., model:Watch, hardware:Watch0,{number}, software:1.{number}>",
            f"<<HKDevice: 0x{pointer:x}>, name:TESTBAND, model, black, manufacturer:Test Inc., model:Band, firmware:7, localIdentifier:TEST-LOCAL, UDI:TEST-UDI>",
            f"TESTSCALE at 0x{pointer:x}",
        ][number]

    def source(self, number):
        name = ["TESTDEVICE Watch", "TESTPHONE of Santé 健康", "Test & “App”"][number]
        found = [("sourceName", name), ("sourceVersion", f"1.{number}")]
        return found + ([("device", self.device(number))] if number != 1 else [])

    def record(self, kind, start, length, source, value=None, unit=None, children=(), hours=2.0, indent=1, delay=3, more=()):
        attributes = [("type", kind)] + self.source(source) + ([("unit", unit)] if unit else [])
        attributes += [("creationDate", date(start + length + delay, hours)), ("startDate", date(start, hours)), ("endDate", date(start + length, hours))]
        attributes += ([("value", value)] if value is not None else []) + list(more)
        return element("Record", attributes, children, indent)

    def add(self, text):
        self.parts.append(text)

    def quantities(self):
        for index in range(160):
            value = str(50 + self.random.randrange(90))
            context = [entry("HKMetadataKeyHeartRateMotionContext", str(index % 3))] if index % 3 == 0 else []
            if self.month == 1 and index in (5, 6, 7, 8):
                continue
            if self.month == 1 and index == 12:
                context = [entry("HKMetadataKeyHeartRateMotionContext", "2")]
            text = self.record(QUANTITY + "HeartRate", index * 4000, 0, 0, value, "count/min", context, hours=5.75 if index % 40 == 39 else 2.0)
            self.add(text * (2 if index == 20 else 1))
        for index in range(80):
            self.add(self.record(QUANTITY + "StepCount", index * 7000, 600, index % 2, str(self.random.randrange(1, 900)), "count", hours=-3.5 if index == 7 else 2.0))
        for index in range(40):
            self.add(self.record(QUANTITY + "ActiveEnergyBurned", index * 9000, 300, 0, repr(self.random.random() * 10), "Cal"))
        self.add(self.record(QUANTITY + "BodyMass", 3 * DAY, 0, 2, "70.123456789012345678", "kg", [entry("HKWasUserEntered", "1"), entry("HKExternalUUID", "TEST-UUID-1")]))
        self.add(self.record(QUANTITY + "BodyTemperature", 4 * DAY, 0, 2, "98.6", "degF"))
        self.add(self.record(QUANTITY + "DietaryWater", 4 * DAY, 0, 2, "250", "mL", more=[("quality", "test")]))
        beats = [element("InstantaneousBeatsPerMinute", [("bpm", bpm), ("time", time)], indent=3) for bpm, time in (("61", "2:00:01,25 AM"), ("63", "2:00:02,21 AM"), ("64", "?"))]
        self.add(self.record(QUANTITY + "HeartRateVariabilitySDNN", 0, 60, 0, "40.7", "ms", ["  <HeartRateVariabilityMetadataList>\n", *beats, "  </HeartRateVariabilityMetadataList>\n"]))

    def categories(self):
        for index in range(30):
            stage = ["InBed", "AsleepCore", "AsleepDeep", "Awake", "AsleepOfAnotherKind"][index % 5]
            self.add(self.record(CATEGORY + "SleepAnalysis", index * 3 * 3600, 5400, 0, "HKCategoryValueSleepAnalysis" + stage))
        self.add(self.record(CATEGORY + "MindfulSession", 5 * DAY, 600, 1))
        self.add(self.record(CATEGORY + "HandwashingEvent", 5 * DAY, 20, 0, "0"))
        self.add(self.record("HKDataTypeSleepDurationGoal", 6 * DAY, 0, 1, "8"))
        # What no parser takes: a control character, and a second attribute of the same name.
        self.add(self.record(CATEGORY + "Headache", 6 * DAY, 60, 2, "HKCategoryValueSeverityMild", children=[entry("TestNote", "a\x01b\x1f")]))
        self.add(self.record(CATEGORY + "Coughing", 6 * DAY, 60, 2, "1").replace(" sourceVersion=", ' sourceVersion="9" sourceVersion=', 1))

    def correlations(self):
        for index in range(6):
            if self.month == 1 and index == 2:
                continue
            start = index * DAY + 7 * 3600
            parts = [(QUANTITY + "BloodPressureSystolic", str(110 + index)), (QUANTITY + "BloodPressureDiastolic", str(70 + index))]
            for kind, value in parts:
                self.add(self.record(kind, start, 0, 2, value, "mmHg"))
            attributes = [("type", "HKCorrelationTypeIdentifierBloodPressure")] + self.source(2) + [("creationDate", date(start)), ("startDate", date(start)), ("endDate", date(start))]
            self.add(element("Correlation", attributes, [entry("TestCuff", "left")] + [self.record(kind, start, 0, 2, value, "mmHg", indent=2) for kind, value in parts]))

    def workouts(self):
        for index in range(4):
            start = index * 2 * DAY + 16 * 3600
            span = [("startDate", date(start)), ("endDate", date(start + 1800))]
            event = element("WorkoutEvent", [("type", "HKWorkoutEventTypePause"), ("date", date(start + 600))], [entry("TestKey", "x", 3)], 2)
            lap = element("WorkoutEvent", [("type", "HKWorkoutEventTypeLap"), ("date", date(start + 900)), ("duration", "9.8"), ("durationUnit", "min")], indent=2)
            statistics = element("WorkoutStatistics", [("type", QUANTITY + "HeartRate"), *span, ("average", "140.5"), ("minimum", "90"), ("maximum", "181"), ("unit", "count/min")], indent=2)
            activity = element("WorkoutActivity", [("uuid", f"00000000-0000-4000-8000-00000000000{index}"), *span, ("duration", "30"), ("durationUnit", "min")], [statistics, entry("TestLap", "1", 3)], 2)
            route = element("WorkoutRoute", [*self.source(0), ("creationDate", date(start + 1900)), *span], [entry("HKMetadataKeySyncVersion", "2", 3), element("FileReference", [("path", f"/workout-routes/route_{index}.gpx")], indent=3)], 2)
            kind = ["HKWorkoutActivityTypeRunning", "HKWorkoutActivityTypeYoga", "HKWorkoutActivityTypeTestOnly", "52"][index]
            children = [entry("HKIndoorWorkout", str(index % 2)), event, lap, statistics] + ([activity] if index < 2 else []) + ([route] if index == 0 else [])
            attributes = [("workoutActivityType", kind), ("duration", ["30.5", "0.5", "1800", "2"][index]), ("durationUnit", ["min", "hr", "s", "d"][index]), ("totalDistance", "5"), ("totalDistanceUnit", "km")]
            self.add(element("Workout", attributes + self.source(0) + [("creationDate", date(start + 1900)), *span], children))

    def others(self):
        for index in range(10 + 5 * self.month):
            day = (BASE + datetime.timedelta(days=index)).date().isoformat()
            self.add(element("ActivitySummary", [("dateComponents", day), ("activeEnergyBurned", f"{200 + index}.5"), ("activeEnergyBurnedUnit", "Cal"), ("appleStandHours", str(index))]))
        self.add(element("ClinicalRecord", [("type", "HKClinicalTypeIdentifierAllergyRecord"), ("identifier", "TEST-CLINICAL"), ("sourceName", "TESTCLINIC"), ("sourceURL", "https://example.com/test"), ("fhirVersion", "4.0.1"), ("receivedDate", date(7 * DAY)), ("resourceFilePath", "/clinical-records/TEST.json")]))
        points = [element("SensitivityPoint", [("frequencyValue", frequency), ("frequencyUnit", "Hz"), ("leftEarValue", "10"), ("leftEarUnit", "dBHL")], indent=2) for frequency in ("250", "500")]
        self.add(element("Audiogram", [("type", "HKDataTypeIdentifierAudiogram"), *self.source(1), ("startDate", date(7 * DAY)), ("endDate", date(7 * DAY + 60))], points))
        eyes = [element("RightEye", [("sphere", "-1.5"), ("sphereUnit", "D")], indent=2), element("LeftEye", [("sphere", "-1.25"), ("sphereUnit", "D")], indent=2), element("Attachment", [("identifier", "TEST-FILE")], indent=2)]
        self.add(element("VisionPrescription", [("type", "HKVisionPrescriptionTypeGlasses"), ("dateIssued", date(8 * DAY)), ("expirationDate", date(400 * DAY)), ("brand", "TEST")], eyes))
        self.add(element("TestOfTheFuture", [("value", "1")], [element("Part", [], indent=2)]))

    def later(self):
        for index in range(60 if self.month else 0):
            self.add(self.record(QUANTITY + "HeartRate", 30 * DAY + index * 4000, 0, 0, str(60 + index % 50), "count/min"))

    def text(self):
        me = [("HKCharacteristicTypeIdentifierDateOfBirth", "2000-01-01"), ("HKCharacteristicTypeIdentifierBiologicalSex", "HKBiologicalSexNotSet")]
        for part in (self.quantities, self.categories, self.correlations, self.workouts, self.others, self.later):
            part()
        head = DOCUMENT_TYPE % ("" if self.month else BROKEN) + '<HealthData locale="en_XX">\n'
        return head + element("ExportDate", [("value", date(31 * DAY + self.month * 30 * DAY))]) + element("Me", me) + "".join(self.parts) + "</HealthData>\n"


def write_zip(text):
    with zipfile.ZipFile(HERE / "export.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (
            ("apple_health_export/exportación.xml", text), ("apple_health_export/exportación_cda.xml", "<ClinicalDocument/>\n"), ("apple_health_export/workout-routes/route_0.gpx", '<gpx><trk><trkseg><trkpt lon="2.5" lat="1.5"/></trkseg></trk></gpx>\n'),
            ("apple_health_export/electrocardiograms/ecg_2000-01-01.csv", RECORDING), ("apple_health_export/clinical-records/TEST.json", "{}\n"),
        ):
            info = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, content.encode())


def main():
    texts = [Export(month).text() for month in (0, 1)]
    for month, text in enumerate(texts):
        (HERE / f"month-{month}.xml").write_text(text, encoding="utf-8", newline="\n")
    write_zip(texts[0])


main()
