#!/usr/bin/env python3
"""Writes a synthetic archive with the schema of Spec/archive-schema.sql. The same arguments give the same rows.

    make_archive.py FILE [--samples N] [--observations N] [--seed N] [--journal wal|delete]

Seven sample types, samples spread evenly over the observations' months; of a hundred samples two change once and three
disappear. Workouts are related to heart rate samples. All values are made up. Standard library only.
"""

import argparse
import hashlib
import hmac
import pathlib
import random
import sqlite3

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "Spec" / "archive-schema.sql"
START = 978307200.0  # 2001-01-01
MONTH = 30 * 86400.0

# identifier, value kind, unit, share of the samples, longest duration in seconds, range of values
TYPES = [
    ("HKQuantityTypeIdentifierHeartRate", "quantity", "count/min", 0.42, 60, (45, 180)),
    ("HKQuantityTypeIdentifierActiveEnergyBurned", "quantity", "kcal", 0.24, 120, (0, 12)),
    ("HKQuantityTypeIdentifierStepCount", "quantity", "count", 0.14, 300, (1, 900)),
    ("HKQuantityTypeIdentifierDistanceWalkingRunning", "quantity", "km", 0.12, 300, (0, 1)),
    ("HKQuantityTypeIdentifierBasalEnergyBurned", "quantity", "kcal", 0.06, 900, (10, 30)),
    ("HKCategoryTypeIdentifierSleepAnalysis", "category", None, 0.015, 5400, (0, 5)),
    ("HKWorkoutTypeIdentifier", "workout", None, 0.005, 86400, (1, 80)),
]
HEART_RATE, WORKOUT = 1, 7
SOURCES, REVISIONS, BLOBS = 6, 5, 200


def content(domain, text):
    return hashlib.sha256(("hp:v2:%s:%s" % (domain, text)).encode()).hexdigest()


def private(domain, text):
    return hmac.new(b"a made-up secret", ("hp:v2:%s:%s" % (domain, text)).encode(), hashlib.sha256).hexdigest()


def write(path, samples=1000, observations=12, seed=1, journal="wal"):
    """Writes a new archive; `path` must not exist."""
    with open(path, "xb"):
        pass
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;")
    database.executescript(SCHEMA.read_text(encoding="utf-8"))
    database.execute("BEGIN")
    _write_context(database, observations)
    _write_samples(database, samples, observations, random.Random(seed))
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = %s" % journal)
    database.close()


def _insert(database, table, rows):
    rows = list(rows)
    if rows:
        database.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(rows[0]))), rows)


def _write_context(database, observations):
    numbers = range(1, observations + 1)
    _insert(database, "schema_migrations", [(2, START, "archive v2")])
    _insert(database, "archive_metadata", [("schema_version", "2")])
    _insert(database, "device_chains", [(1, private("device_chain", "1"), START, 0)])
    _insert(database, "observations", [
        (n, 1, START + MONTH * n, START + MONTH * n - 20.5, START + MONTH * n, "completed", "manual", "2.0", "15.8", "Europe/Vienna", 3600, 2, content("types", "all"), None) for n in numbers])
    _insert(database, "sample_types", [(n, entry[0], None, entry[1]) for n, entry in enumerate(TYPES, 1)])
    _insert(database, "sources", [(n, private("source_name", str(n)), "com.example.source%d" % n) for n in range(1, SOURCES + 1)])
    _insert(database, "source_revisions", [
        ((n - 1) * REVISIONS + r, n, "Example%d,%d" % (n, r), "%d.%d" % (r, n), "9.%d" % r) for n in range(1, SOURCES + 1) for r in range(1, REVISIONS + 1)])
    _insert(database, "hk_devices", [
        (n, private("device", str(n)), private("manufacturer", "1"), "Example", "Example%d,1" % n, None, "9.%d" % n, None, None) for n in range(1, SOURCES + 1)])
    texts = ['{"HKTimeZone":"Europe/Vienna","com.example.context":%d,"com.example.note":"Größe %d"}' % (n % 3, n) for n in range(1, BLOBS + 1)]
    _insert(database, "metadata_blobs", [(n, content("metadata", text), text) for n, text in enumerate(texts, 1)])
    _insert(database, "observation_type_runs", [
        ((n - 1) * len(TYPES) + t, n, t, "completed", None, None, None, None, 0, 0, None, None, None) for n in numbers for t in range(1, len(TYPES) + 1)])


def _write_samples(database, count, observations, random_):
    rows = {"samples": [], "sample_versions": [], "sample_observation_events": [], "sample_visibility_ranges": []}
    ids = {"sample": 0, "version": 0, "event": 0}

    def flush():
        for table, pending in rows.items():
            _insert(database, table, pending)
            pending.clear()

    for number, entry in enumerate(TYPES, 1):
        wanted = max(1, int(count * entry[3]))
        for index in range(wanted):
            start = START + MONTH * observations / wanted * (index + random_.random() / 2)
            _add_sample(rows, ids, number, entry, index, start, observations, random_)
            if len(rows["samples"]) == 20_000:
                flush()
    flush()
    heart_rates = max(1, int(count * TYPES[HEART_RATE - 1][3]))
    database.execute("""
        INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id, relationship_kind)
        SELECT first_seen_observation_id, id, 1 + id * 6151 % ?, 'workout_sample' FROM samples WHERE sample_type_id = ?""", (heart_rates, WORKOUT))


def _add_sample(rows, ids, number, entry, index, start, observations, random_):
    identifier, kind, unit, _, longest, (low, high) = entry
    first = min(observations, int((start - START) // MONTH) + 1)
    begins = [first]
    if random_.random() < 0.02 and first < observations:
        begins.append(random_.randint(first + 1, observations))
    gone = random_.randint(begins[-1] + 1, observations) if random_.random() < 0.03 and begins[-1] < observations else None
    ids["sample"] += 1
    sample = ids["sample"]
    rows["samples"].append((sample, number, private("sample_uuid", "%d-%d" % (number, index)), content("strict", "%d-%d" % (number, index)), None, None, first, START + MONTH * first))

    def event(observation, version, what, evidence):
        ids["event"] += 1
        rows["sample_observation_events"].append((ids["event"], observation, sample, version, what, START + MONTH * observation, evidence))

    for position, begin in enumerate(begins):
        ids["version"] += 1
        version = ids["version"]
        duration = longest * random_.random()
        quantity = category = activity = None
        if kind == "quantity":
            quantity = float(random_.randint(low, high)) if unit == "count" else round(random_.uniform(low, high), random_.choice((1, 4, 12)))
        elif kind == "category":
            category = random_.randint(low, high)
        else:
            activity = random_.randint(low, high)
        revision = random_.randint(1, SOURCES * REVISIONS)
        blob = random_.randint(1, BLOBS) if random_.random() < 0.5 else None
        rows["sample_versions"].append((
            version, sample, content("payload", str(version)), start, start + duration, kind, quantity, unit, category, activity, duration if kind == "workout" else None,
            revision, (revision - 1) // REVISIONS + 1, blob, begin))
        end = begins[position + 1] if position + 1 < len(begins) else gone
        event(begin, version, "representation_changed" if position else "appeared", "anchored_query")
        rows["sample_visibility_ranges"].append((sample, version, begin, end, START + MONTH * begin, START + MONTH * end if end else None))
    if gone:
        event(gone, ids["version"], "disappeared", "deleted_object")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--observations", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", choices=["wal", "delete"], default="wal")
    options = parser.parse_args()
    write(options.file, options.samples, options.observations, options.seed, options.journal)


if __name__ == "__main__":
    main()
