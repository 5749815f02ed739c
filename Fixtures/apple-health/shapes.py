#!/usr/bin/env python3
"""Thirteen shapes in which exports of Apple Health come, small and synthetic, as {name: {file: bytes}}.

    ios-8            dates without separators, `source`, minima and maxima as attributes, no ExportDate
    ios-12           routes with their places in the XML
    ios-13           a route in a file
    ios-15           clinical records of two versions, a CDA document, an activity summary twice
    ios-16           a document type that is not well-formed, statistics with a date twice
    ios-18           a record in a workout, masked audiogram, activities with events and statistics of their own
    ios-27           zones of a workout and of an activity, an element that nobody knows
    german           names, decimal commas and classifications of a German phone
    chinese          names of a Chinese phone, in a zip without marks of UTF-8
    packed-again     what a Mac adds to a zip
    electrocardiograms   recordings of three regions, and one that is none
    routes           several activities, a file that is missing, one that no route names, one that is no GPX
    other-apps       metadata of other apps, with accounts and links

`shapes.py FOLDER` writes each as a folder; tests pack them. Every value is made up; the same script gives the same bytes.
"""
import pathlib
import sys
from xml.sax.saxutils import quoteattr

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
TOP = "apple_health_export/"


def tag(name, *children, **attributes):
    head = "<" + name + "".join(f" {key}={quoteattr(str(value))}" for key, value in attributes.items())
    return f"{head}>{''.join(children)}</{name}>\n" if children else head + "/>\n"


def entry(key, value):
    return tag("MetadataEntry", key=key, value=value)


def moment(hour, minute=0, second=0, day=3, offset="+0100"):
    return f"2021-02-{day:02} {hour:02}:{minute:02}:{second:02} {offset}"


def span(hour, minutes=0, **others):
    return {"startDate": moment(hour, **others), "endDate": moment(hour + minutes // 60, minutes % 60, **others)}


SOURCE = {"sourceName": "Test Watch", "sourceVersion": "10.1"}


def record(kind, value, unit, hour, *children, **others):
    return tag("Record", *children, type=QUANTITY + kind, **SOURCE, unit=unit, **span(hour), value=value, **others)


def workout(hour, *children, **others):
    return tag("Workout", *children, workoutActivityType="HKWorkoutActivityTypeRunning", duration="30.5", durationUnit="min", **SOURCE, **span(hour, 30), **others)


def export(*elements, head="", date=moment(9, day=4), locale="en_US", me=True):
    characteristics = tag("Me", HKCharacteristicTypeIdentifierDateOfBirth="1970-01-02", HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet")
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + head + f'<HealthData locale="{locale}">\n' + (tag("ExportDate", value=date) if date else "")
            + (characteristics if me else "") + "".join(elements) + "</HealthData>\n").encode()


def gpx(places, extra=""):
    points = "".join(f'<trkpt lon="{longitude:.6f}" lat="{latitude:.6f}"><ele>5.250000</ele><time>2021-02-03T18:{minute:02}:00Z</time>'
                     "<extensions><speed>2.400000</speed><course>-1.000000</course><hAcc>3.500000</hAcc><vAcc>-1.000000</vAcc></extensions></trkpt>\n"
                     for minute, (latitude, longitude) in enumerate(places))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">\n'
            f"<metadata><time>2021-02-04T08:00:00Z</time></metadata>\n{extra}<trk><name>Route 2021-02-03 7:05pm</name><trkseg>{points}</trkseg></trk></gpx>\n").encode()


ECG_KEYS = {
    "en": ("Name", "Date of Birth", "Recorded Date", "Classification", "Symptoms", "Software Version", "Device", "Sample Rate", "Lead", "Unit"),
    "de": ("Name", "Geburtstag", "Aufzeichnungsdatum", "Klassifizierung", "Symptome", "Softwareversion", "Gerät", "Messrate", "Ableitung", "Einheit"),
}


def electrocardiogram(classification="Sinus Rhythm", rate="512 hertz", numbers=("-12.345", "7", "0.5"), keys="en", hour=10, name="Ada Example"):
    keys = ECG_KEYS[keys]
    values = (name, '"Jan 2, 1970"', moment(hour, 15, 20), classification, "", "1.90", '"Watch7,5"', rate)
    rows = [f"{key},{value}" if value or key != "Name" else key for key, value in zip(keys, values)]
    return "\n".join([*rows, "", "", f"{keys[8]},{keys[8]} I", f"{keys[9]},µV", "", *numbers, ""]).encode()


def route(*children, hour=18, **others):
    return tag("WorkoutRoute", *children, **SOURCE, **span(hour, 30), **others)


def file_reference(name):
    return tag("FileReference", path="/workout-routes/" + name)


def ios_8():
    dates = {"startDate": "20150301120000+0100", "endDate": "20150301121000+0100"}
    return {TOP + "export.xml": export(
        tag("Record", type=QUANTITY + "HeartRate", source="Test Watch", unit="count/min", **dates, min="60", max="80", average="70", recordCount="3"),
        tag("Record", type=QUANTITY + "StepCount", source="Test Phone", unit="count", **dates, value="12"), date=None, me=False)}


def ios_12():
    places = [tag("Location", date=moment(18, minute), latitude=f"10.000{minute}", longitude="20.0002", altitude="5.25", horizontalAccuracy="3.5", verticalAccuracy="2.5", course="-1", speed="2.4")
              for minute in range(3)]
    return {TOP + "export.xml": export(workout(18, entry("HKIndoorWorkout", "0"), route(entry("HKMetadataKeySyncVersion", "2"), *places), totalDistance="5", totalDistanceUnit="km"))}


def ios_13():
    name = "route_2021-02-03_7.05pm.gpx"
    return {TOP + "export.xml": export(workout(18, route(entry("HKMetadataKeySyncVersion", "2"), file_reference(name)))), TOP + "workout-routes/" + name: gpx([(10.0001, 20.0002), (10.0002, 20.0003)])}


def ios_15():
    def clinical(kind, version, number):
        path = f"clinical-records/{kind}-0A0B0C0D-0000-4000-8000-00000000000{number}.json"
        return path, tag("ClinicalRecord", type=kind, identifier=f"abc-{number}", sourceName="Example Clinic", sourceURL=f"https://fhir.example.org/{kind}/abc-{number}",
                         fhirVersion=version, receivedDate=moment(5), resourceFilePath="/" + path)
    records = [clinical("DiagnosticReport", "1.0.2", 1), clinical("Observation", "4.0.1", 2)]
    goals = [tag("ActivitySummary", dateComponents="2021-02-03", activeEnergyBurned="300", activeEnergyBurnedGoal=goal, activeEnergyBurnedUnit="Cal", appleMoveTime="30", appleStandHours="10") for goal in ("400", "500")]
    return {TOP + "export.xml": export(*(element for _, element in records), *goals), TOP + "export_cda.xml": b'<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"/>\n',
            **{TOP + path: b'{"resourceType":"Observation"}' + str(number).encode() for number, (path, _) in enumerate(records)}}


def ios_16():
    head = "<!DOCTYPE HealthData [\n<!-- HealthKit Export Version: 12 -->\n<!ATTLIST VisionPrescription\n  type CDATA #REQUIRED\n<!ELEMENT RightEye EMPTY>\n>]>\n"
    statistics = tag("WorkoutStatistics", type=QUANTITY + "ActiveEnergyBurned", startDate=moment(18), sum="200", unit="Cal").replace(" sum=", f' startDate="{moment(19)}" sum=', 1)
    return {TOP + "export.xml": export(workout(18, statistics, entry("HKAverageMETs", "4.5 kcal/hr·kg")), record("HeartRate", 61, "count/min", 8, entry("HKMetadataKeyHeartRateMotionContext", "1")), head=head)}


def ios_18():
    score = record("EstimatedWorkoutEffortScore", 5, "appleEffortScore", 18)
    event = tag("WorkoutEvent", entry("TestKey", "x"), type="HKWorkoutEventTypeSegment", date=moment(18, 5), duration="5", durationUnit="min")
    statistics = tag("WorkoutStatistics", type=QUANTITY + "HeartRate", **span(18, 10), average="140", minimum="90", maximum="180", unit="count/min")
    activity = tag("WorkoutActivity", event, statistics, entry("WOIntervalStepKeyPath", "0.1"), uuid="00000000-0000-4000-8000-000000000001", **span(18, 10), duration="10", durationUnit="min")
    points = tag("SensitivityPoint", frequencyValue="500", frequencyUnit="Hz", leftEarValue="10", leftEarUnit="dBHL", leftEarMasked="false")
    beats = tag("HeartRateVariabilityMetadataList", tag("InstantaneousBeatsPerMinute", bpm="62", time="9:00:02,30"), tag("InstantaneousBeatsPerMinute", bpm="63", time="8:00:03.25 AM"))
    return {TOP + "export.xml": export(workout(18, event, statistics, activity, activity, score), record("PhysicalEffort", 3, "kcal/hr·kg", 8), score,
                                       tag("Audiogram", points, type="HKDataTypeIdentifierAudiogram", **SOURCE, **span(7)), record("HeartRateVariabilitySDNN", "40.7", "ms", 8, beats))}


def ios_27():
    def zones(kind):
        return tag("WorkoutZoneGroup", tag("WorkoutZone", maximum="120", duration="10", durationUnit="min"), tag("WorkoutZone", minimum="120", duration="20.5", durationUnit="min"), type=QUANTITY + kind, source="system", unit="count/min")
    activity = tag("WorkoutActivity", zones("HeartRate"), uuid="00000000-0000-4000-8000-000000000002", **span(18, 10), duration="10", durationUnit="min")
    return {TOP + "export.xml": export(workout(18, zones("HeartRate"), zones("CyclingPower"), activity, tag("WorkoutOfTomorrow", tag("Part"))),
                                       tag("StateOfMind", valence="0.5"), record("StepCount", 4, "count", 8, certainty="0.9"))}


def german():
    numbers = ("-12,345", "7", "0,5")
    return {TOP + "Exportieren.xml": export(record("StepCount", "0.5", "count", 8).replace("Test Watch", "Annes Apple\u00a0Watch"), locale="de_DE"), TOP + "export_cda.xml": b"<ClinicalDocument/>\n",
            TOP + "electrocardiograms/ecg_2021-02-03.csv": electrocardiogram("Sinusrhythmus", "511,562\u00a0Hertz", numbers, "de", name=""),
            TOP + "electrocardiograms/ecg_2021-02-03_1.csv": electrocardiogram("Uneindeutig", "511,562\u00a0Hertz", numbers, "de", hour=11)}


def chinese():
    return {TOP + "\u5bfc\u51fa.xml": export(record("StepCount", 4, "count", 8).replace("Test Watch", "\u6d4b\u8bd5\u7684 Apple Watch"), locale="zh_CN"), TOP + "export_cda.xml": b"<ClinicalDocument/>\n"}


def packed_again():
    double = b"\0\x05\x16\7" + bytes(100)
    shape = ios_13()
    doubles = {f"__MACOSX/{name.rsplit('/', 1)[0]}/._{name.rsplit('/', 1)[1]}": double for name in shape}
    return {**shape, **doubles, "__MACOSX/._export.xml": double, TOP + ".DS_Store": b"\0\0\0\1Bud1"}


def electrocardiograms():
    folder = TOP + "electrocardiograms/"
    return {TOP + "export.xml": export(record("StepCount", 4, "count", 8)), folder + "ecg_2021-02-03.csv": electrocardiogram(), folder + "ecg_2021-02-03_1.csv": electrocardiogram("Heart Rate Over 120", "511.422 hertz", hour=11),
            folder + "ecg_2021-02-03_2.csv": electrocardiogram("Sinus Rhythm", "512,5 hertz", ("-1,5", "2"), hour=12), folder + "ecg_2021-02-03_3.csv": b"Lead,Voltage\nI,0.001\n"}


def routes():
    files = {TOP + "workout-routes/route_%d.gpx" % number: gpx([(10 + number, 20.5), (10.5, 21 + number)]) for number in range(3)}
    files[TOP + "workout-routes/route_2.gpx"] = gpx([(1, 2)], extra="<wpt/>")
    return {TOP + "export.xml": export(workout(18, *(route(file_reference(name), hour=18 + number) for number, name in enumerate(("route_0.gpx", "route_1.gpx", "missing.gpx", "broken.gpx")))),
                                       route(tag("FileReference", path="/../outside.gpx"), hour=7)),
            TOP + "workout-routes/broken.gpx": b"<gpx><trk>", "outside.gpx": gpx([(3, 4)]), **files}


def other_apps():
    entries = [entry("Health Mate App Version", "2.16.0"), entry("Withings User Identifier", "12345"), entry("Withings Link", "withings-bd2://timeline/measure?userid=12345"),
               entry("HKExternalUUID", "TEST-UUID"), entry("HKWasUserEntered", "0"), entry("Activity URL", "https://example.com/ada"), entry("diary", "secret of Ada")]
    return {TOP + "export.xml": export(record("BodyMass", "70.5", "kg", 8, *entries, userName="ada"))}


SHAPES = {"ios-8": ios_8, "ios-12": ios_12, "ios-13": ios_13, "ios-15": ios_15, "ios-16": ios_16, "ios-18": ios_18, "ios-27": ios_27, "german": german, "chinese": chinese,
          "packed-again": packed_again, "electrocardiograms": electrocardiograms, "routes": routes, "other-apps": other_apps}
# The moment of the one that states none.
OBSERVED_AT = {"ios-8": "2015-03-02T08:00:00+01:00"}


def main(folder):
    for shape, make in SHAPES.items():
        for name, content in make().items():
            path = pathlib.Path(folder, shape, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1])
