"""Small archives whose every record is stated, written row by row."""

import os
import pathlib
import sqlite3

SCHEMA = pathlib.Path(__file__).resolve().parent.parent.parent / "Spec" / "archive-schema.sql"
START = 978307200.0  # 2001-01-01
DAY = 86400.0
STEPS = "HKQuantityTypeIdentifierStepCount"


class Builder:
    """Writes an archive row by row. Observation n is n days after the start; every type run is completed unless said otherwise."""

    def __init__(self, path, observations, types=(STEPS,), runs=None, chains=None):
        """`runs` maps (observation, type) to a status, or to None where nobody asked; `chains` an observation to its chain, 1 unless said otherwise."""
        self.connection = sqlite3.connect(os.fspath(path), isolation_level=None)
        self.connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" + SCHEMA.read_text(encoding="utf-8"))
        self.connection.execute("BEGIN")
        self.types = {name: number for number, name in enumerate(types, 1)}
        self.sources, self.samples, self.versions = {}, 0, 0
        self.insert("schema_migrations", 2, START, "archive v2")
        self.insert("archive_metadata", "schema_version", "2")
        for chain in sorted({1, *(chains or {}).values()}):
            self.insert("device_chains", chain, "cdef"[chain - 1] * 64, START, 0)
        for name, number in self.types.items():
            self.insert("sample_types", number, name, None, None)
        for observation in range(1, observations + 1):
            self.insert("observations", observation, (chains or {}).get(observation, 1), START + DAY * observation, None, None, "completed", "manual", None, None, None, None, 2, None, None)
            for name, number in self.types.items():
                status = (runs or {}).get((observation, name), "completed")
                if status:
                    self.insert("observation_type_runs", None, observation, number, status, None, None, None, None, 0, 0, None, None, None)

    def insert(self, table, *values):
        self.connection.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)

    def source(self, bundle):
        if bundle is not None and bundle not in self.sources:
            number = self.sources[bundle] = len(self.sources) + 1
            self.insert("sources", number, None, bundle)
            self.insert("source_revisions", number, number, None, "1.0", None)
        return self.sources.get(bundle)

    def version(self, sample, start, end, value=None, unit="count", bundle="com.example.one", first=1, last=None, payload=None, kind="quantity", category=None, activity=None, duration=None):
        """A version of a sample that is visible from observation `first` until `last`, where it is no longer."""
        self.versions += 1
        self.insert("sample_versions", self.versions, sample, payload or "%064x" % self.versions, START + start, START + end, kind, value, unit if value is not None else None,
                    category, activity, duration, self.source(bundle), None, None, first)
        self.insert("sample_visibility_ranges", sample, self.versions, first, last, START + DAY * first, None if last is None else START + DAY * last)
        return sample

    def record(self, start, end, value=None, sample_type=STEPS, first=1, last=None, semantic=None, **payload):
        """A sample with one version; its number, for another version."""
        self.samples += 1
        self.insert("samples", self.samples, self.types[sample_type], "%064x" % (1000 + self.samples), "%064x" % (2000 + self.samples), semantic, None, first, START + DAY * first)
        return self.version(self.samples, start, end, value, first=first, last=last, **payload)

    def records(self, count, length, value, begin=0, **others):
        """Records of one length, one after the other."""
        for index in range(count):
            self.record(begin + index * length, begin + (index + 1) * length, value, **others)

    def close(self):
        self.connection.execute("COMMIT")
        self.connection.close()
