#!/usr/bin/env python3
"""Writes a synthetic Apple Health export of many records, for measurements.

    make_export.py OUT.xml [--records N] [--seed S]

Every value is synthetic; the same arguments write the same bytes."""

import argparse
import datetime
import random

KINDS = [
    ("HKQuantityTypeIdentifierHeartRate", "count/min", 0.45),
    ("HKQuantityTypeIdentifierActiveEnergyBurned", "Cal", 0.25),
    ("HKQuantityTypeIdentifierStepCount", "count", 0.15),
    ("HKQuantityTypeIdentifierDistanceWalkingRunning", "km", 0.13),
    ("HKCategoryTypeIdentifierSleepAnalysis", None, 0.02),
]
SOURCES = [
    'sourceName="TESTDEVICE Watch" sourceVersion="1.0" device="&lt;&lt;HKDevice: 0x1&gt;, name:TESTDEVICE Watch, manufacturer:Test Inc., model:Watch, hardware:Watch0,0, software:1.0&gt;"',
    'sourceName="TESTDEVICE Phone" sourceVersion="2.0"',
]
BEGINNING = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
SPAN = 3 * 365 * 86_400


def text(seconds):
    return (BEGINNING + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S +0000")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    with open(options.out, "w", encoding="utf-8", buffering=1 << 20) as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n <ExportDate value="%s"/>\n' % text(SPAN + 86_400))
        for kind, unit, share in KINDS:
            count = int(options.records * share)
            for number in range(count):
                start = int((number + choose.random()) * SPAN / count)
                end = start + choose.randrange(600)
                if unit is None:
                    value = choose.choice(["HKCategoryValueSleepAnalysisInBed", "HKCategoryValueSleepAnalysisAsleepCore", "HKCategoryValueSleepAnalysisAwake"])
                else:
                    value = repr(choose.random() * 10) if choose.random() < 0.4 else str(choose.randrange(1, 200))
                out.write(' <Record type="%s" %s %screationDate="%s" startDate="%s" endDate="%s" value="%s"' % (
                    kind, choose.choice(SOURCES), 'unit="%s" ' % unit if unit else "", text(end + 3), text(start), text(end), value))
                if choose.random() < 0.3:
                    out.write('>\n  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="%d"/>\n </Record>\n' % choose.randrange(3))
                else:
                    out.write("/>\n")
        out.write("</HealthData>\n")


if __name__ == "__main__":
    main()
