"""The rows of Spec/capture.md, "Aggregates", worked out from ranges, versions and events alone.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import math
from collections import defaultdict
from fractions import Fraction

import archive_text
import identity
from days import days_of_observation
from export_bundle import is_in_years
from measures import converted, measure_of


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


def stored_rules(connection, observation_id):
    """Hash and text of the rules of an observation; None twice where it names none."""
    if not connection.execute("SELECT 1 FROM archive_metadata WHERE key = 'extension:capture_facts' AND value = '2'").fetchone():
        return None, None
    row = connection.execute("SELECT zone_rules_hash, transitions_json FROM observation_facts JOIN zone_rules USING (zone_rules_hash) WHERE observation_id = ?",
                             (observation_id,)).fetchone()
    return tuple(row) if row else (None, None)


def zone_key(connection, observation):
    """What an observation's days are compared by."""
    hashed, _ = stored_rules(connection, observation["id"])
    if hashed is not None:
        return hashed
    if observation["time_zone_identifier"] is not None:
        return observation["time_zone_identifier"]
    return observation["time_zone_seconds_from_gmt"] or 0


class Aggregates:
    """The rows that an observation writes, worked out from ranges, versions and events alone."""

    def __init__(self, connection, observation_id):
        self.connection, self.id = connection, observation_id
        self.observation = connection.execute("SELECT * FROM observations WHERE id = ?", (observation_id,)).fetchone()
        self.chain = self.observation["device_chain_id"]
        rules = connection.execute("SELECT value FROM archive_metadata WHERE key = 'identity_rules'").fetchone()
        self.converts = rules is not None and rules[0] == "2"
        self.types = {row["id"]: row["type_identifier"] for row in connection.execute("SELECT * FROM sample_types")}
        self.ranges = defaultdict(list)  # of versions that are visible now, appeared now or went now, by type
        for row in connection.execute("""
                SELECT samples.sample_type_id, start_date, end_date, numeric_value, unit, source_revision_id,
                       first_observation_id AS first, last_observation_id AS last
                FROM sample_visibility_ranges AS range
                JOIN observations ON observations.id = first_observation_id AND device_chain_id = ?
                JOIN sample_versions AS version ON version.id = version_id
                JOIN samples ON samples.id = range.sample_id
                WHERE first_observation_id <= ? AND (last_observation_id IS NULL OR last_observation_id >= ?)""",
                                      (self.chain, self.id, self.id)):
            self.ranges[row["sample_type_id"]].append(row)

    def value_members(self, type_id, records):
        """`value_sum` and `value_max` of some records."""
        found = [row for row in records if row["numeric_value"] is not None]
        values = [row["numeric_value"] for row in found]
        is_summed = True
        if self.converts:
            values = [converted(row["numeric_value"], row["unit"], self.types[type_id]) for row in found]
            is_summed = measure_of(self.types[type_id])["measure"] == "cumulative"
            if None in values:
                values = []
        return {"value_sum": exact_sum(values) if is_summed else None, "value_max": max(values, default=None)}

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
        row = {
            "observation_id": self.id, "sample_type_id": type_id, "visible_record_count": len(visible),
            "appeared_count": self.count_events(type_id, "appeared"),
            "disappeared_count": self.count_events(type_id, "disappeared"),
            "representation_changed_count": self.count_events(type_id, "representation_changed"),
            "earliest_start_date": min((row["start_date"] for row in visible), default=None),
            "latest_end_date": max((row["end_date"] for row in visible), default=None),
            **self.value_members(type_id, visible),
        }
        row["aggregate_hash"] = identity.sha256(identity.summary_preimage(self.types[type_id], row))
        return row

    def count_events(self, type_id, kind):
        """How many samples of a type changed like that: of one that came and went in one observation, nothing did."""
        kinds = {}
        for row in self.connection.execute("""
                SELECT sample_id, event_kind, version_id FROM sample_observation_events JOIN samples ON samples.id = sample_id
                WHERE observation_id = ? AND sample_type_id = ?""", (self.id, type_id)):
            kinds.setdefault(row["sample_id"], {})[row["event_kind"]] = row["version_id"]
        def is_counted(events):
            if kind == "disappeared":
                return events.get("disappeared") is not None and "appeared" not in events
            return kind in events and "disappeared" not in events
        return sum(map(is_counted, kinds.values()))

    def zone_is_another(self):
        before = self.connection.execute(
            "SELECT * FROM observations WHERE device_chain_id = ? AND id < ? ORDER BY id DESC", (self.chain, self.id)).fetchone()
        has_summary = self.connection.execute("""
            SELECT 1 FROM observation_type_summaries JOIN observations ON observations.id = observation_id
            WHERE device_chain_id = ? AND observation_id < ?""", (self.chain, self.id)).fetchone()
        return before is None or not has_summary or zone_key(self.connection, before) != zone_key(self.connection, self.observation)

    def buckets(self):
        writes_all = self.zone_is_another()
        types = self.selected_types()
        if writes_all:
            types |= {type_id for type_id in list(self.ranges) if self.visible(type_id)}
        name, seconds = self.observation["time_zone_identifier"], self.observation["time_zone_seconds_from_gmt"]
        known = self.connection.execute("""
            SELECT bucket_start, bucket_end FROM daily_type_aggregates JOIN observations ON observations.id = observation_id
            WHERE time_zone_identifier = ? AND observation_id < ?""", (name, self.id))
        days = days_of_observation(stored_rules(self.connection, self.id)[1], name, seconds, map(tuple, known))
        return [row for type_id in sorted(types) for row in self.buckets_of(type_id, days, writes_all)]

    def buckets_of(self, type_id, days, writes_all):
        records, gone, changed = defaultdict(list), defaultdict(set), set()
        for row in self.ranges[type_id]:
            bucket = days.bucket_of(self.types[type_id], row["start_date"])
            if bucket is None or not all(map(is_in_years, bucket)):
                continue
            if self.is_visible(row):
                records[bucket].append(row)
            elif row["first"] < self.id:
                gone[bucket].add(row["source_revision_id"])
            if writes_all or row["first"] == self.id or not self.is_visible(row):
                changed.add(bucket)
        if writes_all:  # what was there stands in the rows of another zone
            gone.clear()
        for bucket in sorted(changed):
            if not records[bucket] and not gone[bucket]:
                continue  # only what was never visible
            revisions = {row["source_revision_id"] for row in records[bucket]} | gone[bucket]
            yield self.bucket(type_id, bucket, None, records[bucket])
            for revision in sorted(revisions - {None}):
                yield self.bucket(type_id, bucket, revision,
                                  [row for row in records[bucket] if row["source_revision_id"] == revision])

    def bucket(self, type_id, bucket, revision, records):
        row = {
            "observation_id": self.id, "sample_type_id": type_id, "bucket_start": bucket[0], "bucket_end": bucket[1],
            "visible_record_count": len(records), **self.value_members(type_id, records), "source_revision_id": revision,
        }
        source = None if revision is None else archive_text.carried(archive_text.source_object(self.connection, revision))
        row["aggregate_hash"] = identity.sha256(identity.bucket_preimage(self.types[type_id], row, source))
        return row

    def write(self):
        for table, rows in (("observation_type_summaries", self.summaries()), ("daily_type_aggregates", self.buckets())):
            for row in rows:
                self.connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
