#!/usr/bin/env python3
"""Captures an Apple Health export into an archive, and looks at archives: an independent second implementation.

    capture.py ARCHIVE --secret FILE --apple-health EXPORT [--time-zone NAME]    capture (EXPORT: xml, zip or -)
    capture.py ARCHIVE --dump                                                    print its evidence without row ids
    capture.py ARCHIVE --check                                                   recompute ranges, hashes and aggregates

Written from Spec/ alone (capture.md, identity.md, apple-health.md, items.md), to be compared row by row with the capture
engine. It takes the slow and obvious way: all of an export in memory, one transaction for all of a capture (so it leaves no
`running` observation behind; it goes on with one that another engine left). It keeps no context log.
Python 3.9 or later, standard library only.

Exit status: 0 done, 1 `--check` found something, 2 could not be done.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import secrets
import sqlite3
import sys
import time
from collections import defaultdict
from fractions import Fraction

import apple_health
import archive_text
import identity
from days import Days
from export_bundle import SCHEMA, Refused

KIND_OF_SOURCE = "apple_health_export"


# Archives


def open_archive(path):
    is_new = not os.path.exists(path) or os.path.getsize(path) == 0
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    if is_new:
        connection.executescript(SCHEMA.read_text("utf-8"))
        connection.execute("INSERT INTO schema_migrations VALUES (2, ?, 'archive v2')", (time.time(),))
        connection.executemany("INSERT INTO archive_metadata VALUES (?, ?)", [("schema_version", "2"), ("identity_rules", "1")])
    return connection


def insert(connection, table, **columns):
    names = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    return connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(columns.values())).lastrowid


def row_with(connection, table, **columns):
    """The id of the row with these values (NULL equals NULL), inserted where there is none."""
    condition = " AND ".join(f"{name} IS ?" for name in columns)
    row = connection.execute(f"SELECT id FROM {table} WHERE {condition} ORDER BY id", list(columns.values())).fetchone()
    return row["id"] if row else insert(connection, table, **columns)


def scalar(connection, query, *values):
    row = connection.execute(query, values).fetchone()
    return row[0] if row else None


# Aggregates


def exact_sum(values):
    """The exact sum rounded once; None where there is no value, or where it is beyond the doubles."""
    if not values:
        return None
    try:
        return math.fsum(values)
    except OverflowError:  # also raised where only a partial sum is too large
        try:
            return float(sum(map(Fraction, values)))
        except OverflowError:
            return None


def zone_key(observation):
    """What names the zone of an observation: see days.Days."""
    if observation["time_zone_identifier"] is not None:
        return observation["time_zone_identifier"]
    return observation["time_zone_seconds_from_gmt"] or 0


class Aggregates:
    """The rows that an observation writes, worked out from ranges, versions and events alone."""

    def __init__(self, connection, observation_id):
        self.connection, self.id = connection, observation_id
        self.observation = connection.execute("SELECT * FROM observations WHERE id = ?", (observation_id,)).fetchone()
        self.chain = self.observation["device_chain_id"]
        self.types = {row["id"]: row["type_identifier"] for row in connection.execute("SELECT * FROM sample_types")}
        self.ranges = defaultdict(list)  # of versions that are visible now, appeared now or went now, by type
        for row in connection.execute("""
                SELECT samples.sample_type_id, start_date, end_date, numeric_value, source_revision_id,
                       first_observation_id AS first, last_observation_id AS last
                FROM sample_visibility_ranges AS range
                JOIN observations ON observations.id = first_observation_id AND device_chain_id = ?
                JOIN sample_versions AS version ON version.id = version_id
                JOIN samples ON samples.id = range.sample_id
                WHERE first_observation_id <= ? AND (last_observation_id IS NULL OR last_observation_id >= ?)""",
                                      (self.chain, self.id, self.id)):
            self.ranges[row["sample_type_id"]].append(row)

    def is_visible(self, row):
        return row["last"] is None or row["last"] > self.id

    def visible(self, type_id):
        return [row for row in self.ranges[type_id] if self.is_visible(row)]

    def selected_types(self):
        return {row[0] for row in self.connection.execute("""
            SELECT sample_type_id FROM observation_type_runs WHERE observation_id = :id UNION
            SELECT sample_type_id FROM sample_observation_events JOIN samples ON samples.id = sample_id
            WHERE observation_id = :id""", {"id": self.id})}

    def summaries(self):
        return [self.summary(type_id) for type_id in sorted(self.selected_types())]

    def summary(self, type_id):
        visible = self.visible(type_id)
        values = [row["numeric_value"] for row in visible if row["numeric_value"] is not None]
        row = {
            "observation_id": self.id, "sample_type_id": type_id, "visible_record_count": len(visible),
            "appeared_count": self.count_events(type_id, "appeared"),
            "disappeared_count": self.count_events(type_id, "disappeared"),
            "representation_changed_count": self.count_events(type_id, "representation_changed"),
            "earliest_start_date": min((row["start_date"] for row in visible), default=None),
            "latest_end_date": max((row["end_date"] for row in visible), default=None),
            "value_sum": exact_sum(values), "value_max": max(values, default=None),
        }
        row["aggregate_hash"] = identity.sha256(identity.summary_preimage(self.types[type_id], row))
        return row

    def count_events(self, type_id, kind):
        return scalar(self.connection, """
            SELECT count(*) FROM sample_observation_events AS event JOIN samples ON samples.id = sample_id
            WHERE observation_id = ? AND sample_type_id = ? AND event_kind = ? AND version_id IS NOT NULL""",
                      self.id, type_id, kind)

    def zone_is_another(self):
        before = self.connection.execute(
            "SELECT * FROM observations WHERE device_chain_id = ? AND id < ? ORDER BY id DESC", (self.chain, self.id)).fetchone()
        return before is None or zone_key(before) != zone_key(self.observation)

    def buckets(self):
        writes_all = self.zone_is_another()
        types = self.selected_types()
        if writes_all:
            types |= {type_id for type_id in list(self.ranges) if self.visible(type_id)}
        days = Days(zone_key(self.observation))
        return [row for type_id in sorted(types) for row in self.buckets_of(type_id, days, writes_all)]

    def buckets_of(self, type_id, days, writes_all):
        records, gone, changed = defaultdict(list), defaultdict(set), set()
        for row in self.ranges[type_id]:
            bucket = days.bucket(row["start_date"])
            if self.is_visible(row):
                records[bucket].append(row)
            elif row["first"] < self.id:
                gone[bucket].add(row["source_revision_id"])
            if writes_all or row["first"] == self.id or not self.is_visible(row):
                changed.add(bucket)
        for bucket in sorted(changed):
            revisions = {row["source_revision_id"] for row in records[bucket]} | gone[bucket]
            yield self.bucket(type_id, bucket, None, records[bucket])
            for revision in sorted(revisions - {None}):
                yield self.bucket(type_id, bucket, revision,
                                  [row for row in records[bucket] if row["source_revision_id"] == revision])

    def bucket(self, type_id, bucket, revision, records):
        values = [row["numeric_value"] for row in records if row["numeric_value"] is not None]
        row = {
            "observation_id": self.id, "sample_type_id": type_id, "bucket_start": bucket[0], "bucket_end": bucket[1],
            "visible_record_count": len(records), "value_sum": exact_sum(values), "value_max": max(values, default=None),
            "source_revision_id": revision,
        }
        source = None if revision is None else archive_text.source_object(self.connection, revision)
        row["aggregate_hash"] = identity.sha256(identity.bucket_preimage(self.types[type_id], row, source))
        return row

    def write(self):
        for table, rows in (("observation_type_summaries", self.summaries()), ("daily_type_aggregates", self.buckets())):
            for row in rows:
                insert(self.connection, table, **row)


# Capture


class Capture:
    """One export into one archive, in one transaction."""

    def __init__(self, connection, secret, export, time_zone):
        self.connection, self.secret, self.export = connection, secret, export
        self.observed_at, self.time_zone = float(export.export_date.seconds), time_zone
        self.new_rows = 0  # of samples, versions, events and relationships
        self.result = None

    def run(self):
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            self.find_chain()
            captured = self.find_observation()
            if captured is None:
                self.begin()
            elif captured["status"] not in ("running", "started"):
                return self.compare(captured)
            else:
                self.id = captured["id"]
            self.capture()
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return self.result

    # The observation

    def find_chain(self):
        hashed = self.secret.hmac(identity.chain_preimage(self.secret.chain, KIND_OF_SOURCE))
        chain = scalar(self.connection, "SELECT id FROM device_chains WHERE device_chain_hash = ?", hashed)
        self.chain = chain or insert(self.connection, "device_chains", device_chain_hash=hashed, created_at=time.time())

    def find_observation(self):
        """The observation of the chain with the same `observed_at`; refuses what is older than the newest."""
        newest = scalar(self.connection, "SELECT max(observed_at) FROM observations WHERE device_chain_id = ?", self.chain)
        same = self.connection.execute("SELECT * FROM observations WHERE device_chain_id = ? AND observed_at = ?",
                                       (self.chain, self.observed_at)).fetchone()
        if same is None and newest is not None and newest > self.observed_at:
            raise Refused("the export is older than an observation of its chain")
        return same

    def begin(self):
        for row in self.connection.execute("SELECT id FROM observations WHERE device_chain_id = ? AND status IN ('running', 'started')",
                                           (self.chain,)).fetchall():
            self.finish(row["id"], "partial_interrupted")
        self.id = insert(
            self.connection, "observations", device_chain_id=self.chain, observed_at=self.observed_at, started_at=time.time(),
            status="running", trigger_reason="apple_health_export", time_zone_identifier=self.time_zone,
            time_zone_seconds_from_gmt=self.export.export_date.offset, schema_version=2)

    def finish(self, observation_id, status):
        Aggregates(self.connection, observation_id).write()
        self.connection.execute("UPDATE observations SET status = ?, ended_at = ? WHERE id = ?", (status, time.time(), observation_id))

    def capture(self):
        self.take_records()
        self.end_type_runs()
        self.finish(self.id, self.status())
        self.result = self.summary("captured")

    def status(self):
        if self.export.status != "completed":
            return self.export.status
        return "partial_types" if self.failed else "completed"

    def summary(self, outcome):
        counts = {name: count for name, count in sorted(self.export.counts.items()) if count}
        return {"outcome": outcome, "observation_id": self.id, "status": self.status(), "place": self.export.place,
                "counts": counts, "rejected": [{"reason": reason, "line": line, "sample_type": sample_type}
                                               for sample_type, reason, line in self.export.rejected]}

    def compare(self, captured):
        """What a capture would do to the evidence of an observation that has ended, without doing it."""
        self.id = captured["id"]
        runs = self.runs()
        self.take_records()
        unseen = self.end_type_runs(closes=False)
        is_same = not self.new_rows and not unseen and self.runs() == runs and self.status() == captured["status"]
        if not is_same:
            raise Refused(f"the export differs from observation {self.id}, which has the same date")
        return self.summary("captured before")

    def runs(self):
        return {row["sample_type_id"]: (row["status"], row["error_kind"]) for row in self.connection.execute(
            "SELECT * FROM observation_type_runs WHERE observation_id = ?", (self.id,))}

    # Records

    def take_records(self):
        self.load()
        samples = {}
        for record in self.export.records:
            samples[record] = self.take(record)
        # A record in a correlation may stand at the top level after it, so links come last.
        for correlation, members in self.export.correlations:
            for member in members:
                self.link_member(samples.get(correlation), member)
        for record, sample in samples.items():
            for route in record.routes:
                self.relate(sample, samples[route], "workout_route")

    def load(self):
        """What the chain sees at the observation (before what this capture does), by sample."""
        connection = self.connection
        self.seen, self.seen_alike, self.link_of = set(), defaultdict(list), {}
        self.payload_of, self.versions = {}, {}
        self.types = {row["type_identifier"]: row["id"] for row in connection.execute("SELECT * FROM sample_types")}
        self.samples = {(row["sample_type_id"], row["strict_fingerprint"]): row["id"] for row in connection.execute("SELECT * FROM samples")}
        for row in connection.execute("SELECT * FROM sample_versions"):
            self.versions[row["sample_id"], row["payload_hash"]] = row["id"]
            self.payload_of[row["id"]] = row["payload_hash"]
        self.visible = {row["sample_id"]: row["version_id"] for row in connection.execute("""
            SELECT sample_id, version_id FROM sample_visibility_ranges
            JOIN observations ON observations.id = first_observation_id AND device_chain_id = ?
            WHERE first_observation_id <= ? AND (last_observation_id IS NULL OR last_observation_id > ?)""",
                                                                                     (self.chain, self.id, self.id))}

    def type_id(self, identifier):
        if identifier not in self.types:
            self.types[identifier] = insert(self.connection, "sample_types", type_identifier=identifier)
        return self.types[identifier]

    def objects(self, record):
        """The source, device and metadata hash of a record as they stand in its payload."""
        source = device = metadata_hash = None
        if record.source:
            name, version = record.source
            hashed = None if name is None else self.secret.hmac(identity.source_name_preimage(name))
            source = {key: value for key, value in (("source_name_hash", hashed), ("version", version)) if value is not None}
        if record.device is not None:
            device = identity.device_object(self.secret, record.device)
        if record.metadata:
            metadata_hash = identity.sha256(identity.metadata_preimage(record.metadata_json))
        return source, device, metadata_hash

    def references(self, record):
        """The ids of what a version refers to; rows are made where there are none."""
        source, device, metadata_hash = self.objects(record)
        connection, ids = self.connection, {}
        if source is not None:
            source_id = row_with(connection, "sources", source_name_hash=source.get("source_name_hash"), bundle_identifier=None)
            ids["source_revision_id"] = row_with(connection, "source_revisions", source_id=source_id, product_type=None,
                                                 version=source.get("version"), operating_system_version=None)
        if device is not None:
            ids["hk_device_id"] = row_with(connection, "hk_devices", **device)
        if metadata_hash is not None:
            ids["metadata_id"] = row_with(connection, "metadata_blobs", metadata_hash=metadata_hash, metadata_json=record.metadata_json)
        return ids

    def prepared(self, record):
        """Type id, fingerprint of ordinal 0 and payload hash of a record."""
        payload = identity.sha256(identity.payload_preimage(record.sample_type, record.columns, *self.objects(record)))
        first = identity.sha256(identity.strict_preimage(record.sample_type, record.columns, None))
        return self.type_id(record.sample_type), first, payload

    def take(self, record):
        """The sample of a record, with the evidence that it was seen. Spec/capture.md, the two tables of samples."""
        type_id, first, payload = self.prepared(record)
        sample = self.sample_for(record, type_id, first, payload)
        self.seen.add(sample)
        self.seen_alike[type_id, first].append(sample)
        before = self.visible.get(sample)
        if before is not None and self.payload_of[before] == payload:
            return sample
        version = self.version_of(sample, payload, record)
        if before is not None:
            self.close_range(sample, before)
        self.open_range(sample, version)
        self.event(sample, version, "appeared" if before is None else "representation_changed")
        return sample

    def alike(self, type_id, first):
        """The samples that are alike, in order of ordinal, and then None."""
        ordinal = 0
        while True:
            sample = self.samples.get((type_id, identity.alike_fingerprint(first, ordinal)))
            yield ordinal, sample
            if sample is None:
                return
            ordinal += 1

    def sample_for(self, record, type_id, first, payload):
        unseen = []
        for ordinal, sample in self.alike(type_id, first):
            if sample is None or len(unseen) == 256:
                break
            if sample not in self.seen:
                unseen.append(sample)
                version = self.visible.get(sample)
                if version is not None and self.payload_of[version] == payload:
                    return sample
        return unseen[0] if unseen else self.new_sample(record, type_id, first, ordinal)

    def new_sample(self, record, type_id, first, ordinal):
        semantic, fuzzy = identity.family(record.sample_type, record.columns)
        strict = identity.alike_fingerprint(first, ordinal)
        self.new_rows += 1
        sample = self.samples[type_id, strict] = insert(
            self.connection, "samples", sample_type_id=type_id, strict_fingerprint=strict,
            semantic_fingerprint=semantic and identity.sha256(semantic), fuzzy_key=fuzzy,
            first_seen_observation_id=self.id, first_seen_at=self.observed_at)
        return sample

    def version_of(self, sample, payload, record):
        if (sample, payload) not in self.versions:
            self.new_rows += 1
            version = insert(self.connection, "sample_versions", sample_id=sample, payload_hash=payload, **record.columns,
                             **self.references(record), created_observation_id=self.id)
            self.versions[sample, payload] = version
            self.payload_of[version] = payload
        return self.versions[sample, payload]

    def open_range(self, sample, version):
        insert(self.connection, "sample_visibility_ranges", sample_id=sample, version_id=version,
               first_observation_id=self.id, first_seen_at=self.observed_at)
        self.visible[sample] = version

    def close_range(self, sample, version):
        self.connection.execute("""
            UPDATE sample_visibility_ranges SET last_observation_id = ?, last_seen_at = ?
            WHERE sample_id = ? AND version_id = ? AND last_observation_id IS NULL
              AND first_observation_id IN (SELECT id FROM observations WHERE device_chain_id = ?)""",
                                (self.id, self.observed_at, sample, version, self.chain))
        del self.visible[sample]

    def event(self, sample, version, kind):
        self.new_rows += 1
        insert(self.connection, "sample_observation_events", observation_id=self.id, sample_id=sample, version_id=version,
               event_kind=kind, observed_at=self.observed_at, evidence_kind="full_scan")

    # Links

    def link_member(self, correlation, member):
        sample = self.member_sample(correlation, member)
        if sample is None:
            self.export.counts["correlation_member_only"] += 1
            sample = self.take(member)
        if correlation is not None:
            self.link_of.setdefault(sample, correlation)
            self.relate(correlation, sample, "correlation_member")

    def member_sample(self, correlation, member):
        """The sample of the same record at the top level, or None where that has none alike."""
        type_id, first, payload = self.prepared(member)
        alike = [sample for _, sample in self.alike(type_id, first) if sample in self.seen]
        free = [sample for sample in alike if self.link_of.get(sample, correlation) == correlation]
        same = [sample for sample in free if self.payload_of[self.visible[sample]] == payload]
        return next(iter(same + free + alike), None)

    def relate(self, source, target, kind):
        if scalar(self.connection, """
                SELECT 1 FROM sample_relationships
                WHERE source_sample_id = ? AND target_sample_id = ? AND relationship_kind = ?""", source, target, kind):
            return
        self.new_rows += 1
        insert(self.connection, "sample_relationships", observation_id=self.id, source_sample_id=source,
               target_sample_id=target, relationship_kind=kind)

    # Type runs

    def end_type_runs(self, closes=True):
        """Writes the runs of a completed import and closes what it did not see; returns how many samples that are."""
        rejected = [sample_type for sample_type, _, _ in self.export.rejected]
        self.failed = bool(rejected)
        if self.export.status != "completed":
            return 0
        stated = {record.sample_type for record in self.export.records}
        stated |= {member.sample_type for _, members in self.export.correlations for member in members}
        types = {self.type_id(name) for name in stated} | {self.type_id(name) for name in rejected if name}
        types |= self.types_of_chain()
        failed = types if None in rejected else {self.type_id(name) for name in rejected}
        unseen = self.unseen(types - failed)
        if closes:
            for sample, version in unseen:
                self.close_range(sample, version)
                self.event(sample, version, "disappeared")
        for type_id in types:
            self.write_run(type_id, type_id in failed)
        names = [name for name, type_id in self.types.items() if type_id in types]
        self.connection.execute("UPDATE observations SET selected_type_set_hash = ? WHERE id = ?",
                                (identity.sha256(identity.type_set_preimage(names)), self.id))
        return len(unseen)

    def types_of_chain(self):
        """The types that this or an earlier import of the chain had."""
        return {row[0] for row in self.connection.execute("""
            SELECT sample_type_id FROM observation_type_runs
            JOIN observations ON observations.id = observation_id WHERE device_chain_id = :chain AND observation_id <= :id UNION
            SELECT sample_type_id FROM sample_observation_events JOIN samples ON samples.id = sample_id
            JOIN observations ON observations.id = observation_id WHERE device_chain_id = :chain AND observation_id <= :id""",
                                                           {"chain": self.chain, "id": self.id})}

    def unseen(self, types):
        type_of = {row["id"]: row["sample_type_id"] for row in self.connection.execute("SELECT id, sample_type_id FROM samples")}
        return [(sample, version) for sample, version in sorted(self.visible.items())
                if sample not in self.seen and type_of[sample] in types]

    def write_run(self, type_id, is_failed):
        counts = {row["event_kind"]: row["count"] for row in self.connection.execute("""
            SELECT event_kind, count(*) AS count FROM sample_observation_events JOIN samples ON samples.id = sample_id
            WHERE observation_id = ? AND sample_type_id = ? GROUP BY event_kind""", (self.id, type_id))}
        visible = scalar(self.connection, """
            SELECT count(*) FROM sample_visibility_ranges AS range JOIN samples ON samples.id = range.sample_id
            JOIN observations ON observations.id = first_observation_id AND device_chain_id = ?
            WHERE sample_type_id = ? AND last_observation_id IS NULL""", self.chain, type_id)
        self.connection.execute("DELETE FROM observation_type_runs WHERE observation_id = ? AND sample_type_id = ?", (self.id, type_id))
        insert(self.connection, "observation_type_runs", observation_id=self.id, sample_type_id=type_id,
               status="failed" if is_failed else "completed", started_at=time.time(), ended_at=time.time(),
               inserted_event_count=counts.get("appeared", 0) + counts.get("representation_changed", 0),
               deleted_event_count=counts.get("disappeared", 0), verified_visible_count=visible,
               error_kind="rejected_records" if is_failed else None)


def capture(archive, secret_path, export, time_zone=None):
    """Captures an export; returns what it did. A missing secret is made."""
    Days(time_zone)
    if not os.path.exists(secret_path):
        identity.write_secret(secret_path, identity.Secret(secrets.token_bytes(32), secrets.token_hex(32)))
    secret = identity.read_secret(secret_path)
    read = apple_health.Export(export, secret)
    with contextlib.closing(open_archive(archive)) as connection:
        return Capture(connection, secret, read, time_zone).run()


def main():
    options = argparse.ArgumentParser(description="Captures an Apple Health export into an archive, and looks at archives.")
    options.add_argument("archive")
    options.add_argument("--secret")
    options.add_argument("--apple-health", metavar="EXPORT")
    options.add_argument("--time-zone", metavar="NAME")
    options.add_argument("--dump", action="store_true", help="print the evidence without row ids and clocks")
    options.add_argument("--check", action="store_true", help="recompute ranges, hashes and aggregates")
    arguments = options.parse_args()
    try:
        if arguments.apple_health:
            result = capture(arguments.archive, arguments.secret or arguments.archive + ".secret", arguments.apple_health,
                             arguments.time_zone)
            print(json.dumps(result, ensure_ascii=True, indent=1))
        if arguments.dump or arguments.check:
            if not pathlib.Path(arguments.archive).is_file():
                raise Refused(f"{arguments.archive}: no such file")
            with contextlib.closing(open_archive(arguments.archive)) as connection:
                if arguments.dump:
                    sys.stdout.buffer.write("".join(line + "\n" for line in archive_text.dump(connection)).encode())
                findings = archive_text.findings(connection, Aggregates) if arguments.check else []
                for finding in findings:
                    print(finding)
                return 1 if findings else 0
    except (Refused, sqlite3.Error, OSError) as error:
        print(f"capture.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
