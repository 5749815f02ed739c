"""Archives whose pages `verify_browser.py` opens. Every value is made up; the same archive is written every time."""

import pathlib
import random
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cli"))

from archive_builder import DAY, START, STEPS, Builder  # noqa: E402

HOUR = 3600.0
HEART_RATE, MASS = ("HKQuantityTypeIdentifier" + name for name in ("HeartRate", "BodyMass"))
SLEEP, WORKOUT, REFUSED, MOOD = ("HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier",
                                 "HKQuantityTypeIdentifierBloodGlucose", "com.example.mood")
HOSTILE = ("</template></script><script>document.title='run'</script><img src=x onerror=document.title='run'>",
           "\u202eright to left \u05d0\u05d1", "\U0001f9ea\U0001f469\u200d\U0001f52c", "a&amp;b\"'`", "x" * 10_000)


def empty(path):
    """Two observations that found nothing."""
    Builder(path, 2).close()


def one_observation(path):
    archive = Builder(path, 1)
    archive.record(0, 60, 1.0)
    archive.close()


def one_record(path):
    """One record, which appeared."""
    archive = Builder(path, 2)
    archive.record(0, 60, 12.5, first=2)
    archive.close()


def many_types(path):
    """Two hundred types, every second of which lost a record."""
    names = ["com.example.type%03d" % number for number in range(200)]
    archive = Builder(path, 2, types=names)
    for number, name in enumerate(names):
        for again in range(3):
            archive.record(number * DAY + again * HOUR, number * DAY + again * HOUR + 60, 1.0, sample_type=name,
                           last=2 if number % 2 and again == 0 else None)
    archive.close()


def ten_years(path):
    """Twenty types with a record on each day of ten years, all of which changed at one of them or at none."""
    names = [STEPS, HEART_RATE, MASS, SLEEP] + ["com.example.type%02d" % number for number in range(16)]
    archive = Builder(path, 2, types=names)
    for place, name in enumerate(names):
        kind = {"category": 3, "kind": "category"} if name == SLEEP else {"unit": {HEART_RATE: "count/min", MASS: "kg"}.get(name, "count")}
        for day in range(3650):
            gone = (day * 7 + place) % 3 == 0
            archive.record(day * DAY, day * DAY + 600, None if name == SLEEP else 50.0 + (day * 13 + place) % 40,
                           sample_type=name, last=2 if gone else None, **kind)
    archive.close()


def year(path):
    """A year, captured each month. At the last observation: a month that is new, weeks of heart rates that were condensed,
    steps that came again under another identity, nights that are no longer visible, and weights that were corrected.

    One type was refused half of the time, and one was asked for in part."""
    chance = random.Random(19)
    months = 13
    runs = {(number, REFUSED): "unauthorized" if number > 6 else None for number in range(1, months + 1)}
    runs.update({(number, MOOD): "partial" for number in (4, 13)})
    archive = Builder(path, months, types=[STEPS, HEART_RATE, MASS, SLEEP, WORKOUT, REFUSED, MOOD], runs=runs)

    def month(day):
        return min(months, day // 30 + 1)

    for day in range(390):
        begin, first = day * DAY, month(day)
        for part in range(4):
            at, value = begin + (8 + 3 * part) * HOUR, float(chance.randrange(200, 3000))
            again = 180 <= day < 200
            archive.record(at, at + HOUR, value, first=first, last=13 if again else None, payload="%064x" % (9000000 + day * 10 + part) if again else None)
            if again:
                archive.record(at, at + HOUR, value, first=13, payload="%064x" % (9000000 + day * 10 + part))
        for part in range(3):
            at, value = begin + (7 + 5 * part) * HOUR, float(chance.randrange(50, 140))
            condensed = 60 <= day < 95
            for minute in range(4):
                archive.record(at + 60 * minute, at + 60 * (minute + 1), value, sample_type=HEART_RATE, unit="count/min", first=first, last=13 if condensed else None)
            if condensed:
                archive.record(at, at + 240, value, sample_type=HEART_RATE, unit="count/min", first=13)
        archive.record(begin + 23 * HOUR, begin + (29 + chance.random() * 2) * HOUR, sample_type=SLEEP, kind="category", category=chance.choice((3, 4, 5)), first=first,
                       last=13 if 230 <= day < 250 else None)
        if day % 7 == 0:
            weight, corrected = 60 + chance.randrange(100) / 10, day in (140, 147, 154)
            sample = archive.record(begin + 7 * HOUR, begin + 7 * HOUR, weight, sample_type=MASS, unit="kg", first=first, last=13 if corrected else None)
            if corrected:
                archive.version(sample, begin + 7 * HOUR + 60, begin + 7 * HOUR + 60, weight + 1, unit="kg", first=13)
        if day % 4 == 0:
            archive.record(begin + 17 * HOUR, begin + 18 * HOUR, sample_type=WORKOUT, kind="workout", activity=chance.choice((37, 52, 13)), duration=HOUR, first=first,
                           last=13 if day in (300, 304) else None)
        if day % 10 == 0:
            archive.record(begin + 20 * HOUR, begin + 20 * HOUR, float(day % 5), sample_type=MOOD, first=first)
    for number in range(1, months + 1):
        moment, summer = START + number * 30 * DAY + 6 * HOUR, 86 <= number * 30 < 300
        archive.connection.execute("UPDATE observations SET observed_at = ?, time_zone_identifier = 'Europe/Bucharest', time_zone_seconds_from_gmt = ?, os_version = ? WHERE id = ?",
                                   (moment, 10800 if summer else 7200, "26.%d" % (number // 4), number))
    archive.close()


def hostile(source, path):
    """A copy of an archive whose stored texts are hostile: names of types, of time zones and of systems, units and statuses."""
    with sqlite3.connect(source) as original, sqlite3.connect(path) as copy:
        original.backup(copy)
        for row, text in zip([row[0] for row in copy.execute("SELECT id FROM sample_types ORDER BY id")], HOSTILE):
            copy.execute("UPDATE sample_types SET type_identifier = ? WHERE id = ?", (text, row))
        copy.execute("UPDATE observations SET time_zone_identifier = ?, os_version = ?, trigger_reason = ?", HOSTILE[:3])
        copy.execute("UPDATE observation_type_runs SET status = ? WHERE id % 5 = 0", HOSTILE[4:])
        copy.execute("UPDATE sample_versions SET unit = ? WHERE id % 7 = 0", HOSTILE[:1])
