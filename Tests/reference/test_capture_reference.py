#!/usr/bin/env python3
"""Tests of the reference capture: small exports, and the rows that the specification gives for them, worked out by hand.

    python3 Tests/reference/test_capture_reference.py
"""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import sqlite3
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import apple_health
import archive_text
import capture
import generate_examples
import identity
from days import Days, rules_of_system
from export_bundle import Refused

HEART_RATE, STEPS = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount"
SECRET = identity.Secret(bytes(range(32)), bytes(range(32, 64)).hex())
T0 = 946684800  # 2000-01-01 00:00:00 UTC


def attributes(**values):
    return "".join(f' {name}="{value}"' for name, value in values.items())


def clock(second, offset="+0000"):
    """A date of January 2000, `second` seconds into the month in its own offset."""
    return "2000-01-%02d %02d:%02d:%02d %s" % (second // 86400 + 1, second // 3600 % 24, second // 60 % 60, second % 60, offset)


def beat(second=0, value="60", source="Test Watch", children="", **others):
    """A heart rate record that starts and ends at a second of January 2000."""
    values = {"type": HEART_RATE, "sourceName": source, "unit": "count/min", "startDate": clock(second), "endDate": clock(second),
              "value": value, **others}
    text = attributes(**{name: value for name, value in values.items() if value is not None})
    return f" <Record{text}>{children}</Record>\n" if children else f" <Record{text}/>\n"


def entry(key, value):
    return f'<MetadataEntry key="{key}" value="{value}"/>'


def export(*parts, date="2000-02-01 00:00:00 +0000", prolog='<?xml version="1.0" encoding="UTF-8"?>\n'):
    return f'{prolog}<HealthData locale="en_US">\n <ExportDate value="{date}"/>\n' + "".join(parts) + "</HealthData>\n"


FIRST, SECOND, THIRD = ("2000-%02d-01 00:00:00 +0000" % month for month in (2, 3, 4))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.archive = str(self.folder / "archive.sqlite")
        self.secret = str(self.folder / "secret")
        identity.write_secret(self.secret, SECRET)

    def capture(self, text, time_zone=None, name="export.xml"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        # Guards have tests of their own; here most of what is visible may go, and chains may begin.
        result = capture.capture(self.archive, self.secret, str(path), time_zone, accepted=("accept-disappearances", "accept-person", "new-chain"))
        self.assertEqual(self.findings(), [])
        return result

    def findings(self):
        with contextlib.closing(capture.open_archive(self.archive)) as connection:
            return archive_text.findings(connection, capture.Aggregates)

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            return connection.execute(query).fetchall()

    def dump(self):
        with contextlib.closing(capture.open_archive(self.archive)) as connection:
            return archive_text.dump(connection)

    def events(self, observation):
        """(start of the version in seconds of January 2000, its number, event kind), of one observation."""
        return sorted(self.rows(f"""
            SELECT cast(start_date - {T0} AS INTEGER), numeric_value, event_kind FROM sample_observation_events AS event
            JOIN sample_versions ON sample_versions.id = version_id WHERE observation_id = {observation}"""))

    def runs(self, observation):
        return self.rows(f"""
            SELECT type_identifier, status, inserted_event_count, deleted_event_count, verified_visible_count, error_kind
            FROM observation_type_runs JOIN sample_types ON sample_types.id = sample_type_id
            WHERE observation_id = {observation} ORDER BY type_identifier""")

    def metadata(self):
        return [json.loads(row[0]) for row in self.rows(
            "SELECT metadata_json FROM sample_versions JOIN metadata_blobs ON metadata_blobs.id = metadata_id ORDER BY sample_versions.id")]

    def status(self, observation=1):
        return self.rows(f"SELECT status FROM observations WHERE id = {observation}")[0][0]


class Observations(Case):
    def test_first_capture(self):
        result = self.capture(export(beat(0), beat(86400, "61.5")))
        self.assertEqual((result["outcome"], result["status"]), ("captured", "completed"))
        self.assertEqual(self.rows("SELECT id, observed_at, status, trigger_reason, schema_version FROM observations"),
                         [(1, 949363200.0, "completed", "apple_health_export", 2)])
        self.assertEqual(self.events(1), [(0, 60.0, "appeared"), (86400, 61.5, "appeared")])
        self.assertEqual(self.rows("SELECT DISTINCT evidence_kind, observed_at FROM sample_observation_events"), [("full_scan", 949363200.0)])
        self.assertEqual(self.runs(1), [(HEART_RATE, "completed", 2, 0, 2, None)])
        self.assertEqual(self.rows("SELECT * FROM archive_metadata ORDER BY key"), [("extension:capture_facts", "2"), ("identity_rules", "2"), ("schema_version", "2")])
        self.assertEqual(self.rows("""SELECT visible_record_count, appeared_count, disappeared_count, representation_changed_count,
                                      earliest_start_date, latest_end_date, value_sum, value_max FROM observation_type_summaries"""),
                         [(2, 2, 0, 0, T0, T0 + 86400, None, 61.5)])
        self.assertEqual(self.rows("""SELECT bucket_start, bucket_end, visible_record_count, value_sum, value_max, source_revision_id
                                      FROM daily_type_aggregates ORDER BY 1, 6"""),
                         [(T0, T0 + 86400, 1, None, 60.0, None), (T0, T0 + 86400, 1, None, 60.0, 1),
                          (T0 + 86400, T0 + 172800, 1, None, 61.5, None), (T0 + 86400, T0 + 172800, 1, None, 61.5, 1)])

    def test_hashes_of_a_record(self):
        self.capture(export(beat(0)))
        dates = '"end_date":"2000-01-01T00:00:00.000Z","numeric_value":60,"sample_type":"%s",%s"start_date":"2000-01-01T00:00:00.000Z"'
        rest = ',"unit":"count/min","value_kind":"quantity"}'
        source = '"source":{"source_name_hash":"1008c378695e55adef577f1e3ff20e0a46851bd80653181f66cbf29510918f2d"},'
        sha256 = lambda text: hashlib.sha256(text.encode()).hexdigest()
        self.assertEqual(self.rows("SELECT strict_fingerprint, semantic_fingerprint, fuzzy_key, payload_hash FROM samples, sample_versions"), [(
            sha256("hp:v2:strict_fingerprint:{" + dates % (HEART_RATE, "") + rest),
            sha256('hp:v2:semantic_fingerprint:{"end":946684800,"family":"quantity","sample_type":"' + HEART_RATE
                   + '","start":946684800,"unit":"count/min","value":60}'),
            "q:15778080", sha256("hp:v2:payload:{" + dates % (HEART_RATE, source) + rest))])
        self.assertEqual(self.rows("SELECT app_version, os_version, notes, selected_type_set_hash FROM observations"), [("hp-export 0.1.0", None, None, None)])
        self.assertEqual(self.rows("SELECT display_name, category FROM sample_types"), [(None, None)])

    def test_unchanged_second_capture(self):
        self.capture(export(beat(0), date=FIRST))
        before = self.rows("SELECT * FROM sample_visibility_ranges")
        self.capture(export(beat(0), date=SECOND))
        self.assertEqual(self.events(2), [])
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 0, 0, 1, None)])
        self.assertEqual(self.rows("SELECT * FROM sample_visibility_ranges"), before)
        self.assertEqual(self.rows("SELECT observation_id, visible_record_count, appeared_count FROM observation_type_summaries"),
                         [(1, 1, 1), (2, 1, 0)])
        self.assertEqual(self.rows("SELECT DISTINCT observation_id FROM daily_type_aggregates"), [(1,)])

    def test_other_offsets_and_another_device_pointer_change_nothing(self):
        device = "&lt;&lt;HKDevice: 0x%s&gt;, name:Test Watch, software:1.0&gt;"
        self.capture(export(beat(3600, device=device % "1a2b"), date=FIRST))
        self.capture(export(beat(device=device % "ffff0", startDate=clock(10800, "+0200"), endDate=clock(10800, "+0200")), date=SECOND))
        self.assertEqual(self.events(2), [])

    def test_vanished_and_returned(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        self.capture(export(beat(60), date=SECOND))
        self.assertEqual(self.events(2), [(0, 60.0, "disappeared")])
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 0, 1, 1, None)])
        self.capture(export(beat(0), beat(60), date=THIRD))
        self.assertEqual(self.events(3), [(0, 60.0, "appeared")])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_versions"), [(2,)])
        self.assertEqual(self.rows(f"""SELECT first_observation_id, last_observation_id, first_seen_at, last_seen_at
                                       FROM sample_visibility_ranges WHERE sample_id = 1 ORDER BY 1"""),
                         [(1, 2, 949363200.0, 949363200.0), (3, None, 954547200.0, None)])

    def test_all_records_of_a_type_vanish(self):
        self.capture(export(beat(0), beat(0, type=STEPS, unit="count", value="5"), date=FIRST))
        self.capture(export(beat(0), date=SECOND))
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 0, 0, 1, None), (STEPS, "completed", 0, 1, 0, None)])
        self.assertEqual(self.rows("""SELECT visible_record_count, disappeared_count, value_sum, value_max, earliest_start_date
                                      FROM observation_type_summaries WHERE observation_id = 2 ORDER BY 1"""),
                         [(0, 1, None, None, None), (1, 0, None, 60.0, T0)])
        self.assertEqual(self.rows("""SELECT bucket_start, visible_record_count, value_sum, source_revision_id
                                      FROM daily_type_aggregates WHERE observation_id = 2 ORDER BY 4"""), [(T0, 0, None, None), (T0, 0, None, 1)])

    def test_a_renamed_source_changes_the_representation(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        self.capture(export(beat(0, source="Renamed Watch"), beat(60), date=SECOND))
        self.assertEqual(self.events(2), [(0, 60.0, "representation_changed")])
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(2,)])
        self.assertEqual(self.rows("""SELECT first_observation_id, last_observation_id FROM sample_visibility_ranges
                                      WHERE sample_id = 1 ORDER BY 1"""), [(1, 2), (2, None)])
        self.assertEqual(self.rows("""SELECT visible_record_count, source_revision_id FROM daily_type_aggregates
                                      WHERE observation_id = 2 ORDER BY 2"""), [(2, None), (1, 1), (1, 2)])
        self.capture(export(beat(0), beat(60), date=THIRD))
        self.assertEqual(self.rows("SELECT count(*) FROM sample_versions"), [(3,)])
        self.assertEqual(self.rows("""SELECT visible_record_count, source_revision_id FROM daily_type_aggregates
                                      WHERE observation_id = 3 ORDER BY 2"""), [(2, None), (2, 1), (0, 2)])

    def test_another_value_is_another_sample(self):
        self.capture(export(beat(0), date=FIRST))
        self.capture(export(beat(0, "61"), date=SECOND))
        self.assertEqual(self.events(2), [(0, 60.0, "disappeared"), (0, 61.0, "appeared")])

    def test_cal_and_kcal_are_one_unit(self):
        energy = {"type": "HKQuantityTypeIdentifierActiveEnergyBurned", "value": "2.5"}
        self.capture(export(beat(0, unit="Cal", **energy), date=FIRST))
        self.capture(export(beat(0, unit="kcal", **energy), date=SECOND))
        self.assertEqual(self.events(2), [(0, 2.5, "representation_changed")])

    def test_captured_before(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        self.capture(export(beat(60), date=SECOND))
        before = self.dump()
        self.assertEqual(self.capture(export(beat(60), date=SECOND))["outcome"], "captured before")
        with self.assertRaises(Refused):
            self.capture(export(beat(60), beat(120), date=SECOND))
        with self.assertRaises(Refused):
            self.capture(export(beat(60), date=FIRST))
        with self.assertRaises(Refused):
            self.capture(export(beat(60), date="2000-02-15 00:00:00 +0000"))
        # An older one is compared with what was visible then.
        result = self.capture(export(beat(0), beat(60), date=FIRST))
        self.assertEqual((result["outcome"], result["observation_id"]), ("captured before", 1))
        self.assertEqual(self.dump(), before)

    def test_another_secret_begins_a_new_chain(self):
        self.capture(export(beat(0), date=SECOND))
        self.secret = str(self.folder / "other")
        self.capture(export(beat(0), date=FIRST))
        self.assertEqual(self.rows("SELECT device_chain_id, observed_at FROM observations"), [(1, 951868800.0), (2, 949363200.0)])
        self.assertEqual(self.events(2), [(0, 60.0, "appeared")])
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(1,)])

    def test_a_running_observation_is_continued_or_ended(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            # As it is when the first page alone was committed.
            for table in ("type_run_facts", "observation_type_runs", "observation_type_summaries", "daily_type_aggregates"):
                connection.execute(f"DELETE FROM {table}")
            for table in ("sample_observation_events", "sample_visibility_ranges"):
                connection.execute(f"DELETE FROM {table} WHERE sample_id = 2")
            connection.execute("DELETE FROM sample_versions WHERE sample_id = 2")
            connection.execute("DELETE FROM samples WHERE id = 2")
            connection.execute("UPDATE observations SET status = 'running', ended_at = NULL, selected_type_set_hash = NULL")
            connection.commit()
        left = pathlib.Path(self.archive).read_bytes()
        self.assertEqual(self.capture(export(beat(0), beat(60), date=FIRST))["status"], "completed")
        self.assertEqual(self.events(1), [(0, 60.0, "appeared"), (60, 60.0, "appeared")])
        self.assertEqual(self.runs(1), [(HEART_RATE, "completed", 2, 0, 2, None)])
        pathlib.Path(self.archive).write_bytes(left)
        self.capture(export(beat(60), date=SECOND))
        self.assertEqual([self.status(1), self.status(2)], ["partial_interrupted", "completed"])
        self.assertEqual(self.runs(1), [])
        self.assertEqual(self.events(2), [(0, 60.0, "disappeared"), (60, 60.0, "appeared")])
        self.assertEqual(self.rows("SELECT observation_id, visible_record_count FROM observation_type_summaries"), [(1, 1), (2, 1)])


    def test_a_longer_export_goes_beyond_the_one_that_was_cut_off(self):
        whole = export(beat(0), beat(60), date=FIRST)
        self.capture(whole[:-30])
        self.assertEqual((self.status(), self.events(1)), ("partial_truncated", [(0, 60.0, "appeared")]))
        before = self.dump()
        for shorter in (whole[:-30], export(date=FIRST)[:-14]):
            self.assertEqual(self.capture(shorter)["start"], "compared")
            self.assertEqual(self.dump(), before)
        with self.assertRaises(Refused):
            self.capture(export(beat(60), date=FIRST))
        self.assertEqual(self.dump(), before)
        result = self.capture(whole)
        self.assertEqual((result["start"], result["observation_id"]), ("new", 2))
        self.assertEqual([self.status(1), self.status(2)], ["partial_truncated", "completed"])
        self.assertEqual((self.events(1), self.events(2)), ([(0, 60.0, "appeared")], [(60, 60.0, "appeared")]))
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 1, 0, 2, None)])
        before = self.dump()
        for again in (whole, whole[:-30]):
            result = self.capture(again)
            self.assertEqual((result["start"], result["observation_id"]), ("compared", 2))
        self.assertEqual(self.dump(), before)

    def test_a_longer_export_comes_too_late_behind_another(self):
        self.capture(export(beat(0), beat(60), date=FIRST)[:-30])
        self.capture(export(beat(0), beat(60), date=SECOND))
        before = self.dump()
        with self.assertRaises(Refused):
            self.capture(export(beat(0), beat(60), date=FIRST))
        self.assertEqual(self.dump(), before)

    def test_a_time_zone_that_is_not_the_export_s(self):
        with self.assertRaises(Refused):
            self.capture(export(beat(0), date=FIRST), time_zone="Europe/Bucharest")
        with self.assertRaises(Refused):
            self.capture(export(beat(0), date=FIRST), time_zone="Mars/Phobos")


class Alike(Case):
    def test_exact_duplicates(self):
        self.capture(export(beat(0), beat(0), beat(0), date=FIRST))
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(3,)])
        prints = [row[0] for row in self.rows("SELECT strict_fingerprint FROM samples ORDER BY id")]
        for ordinal in (1, 2):
            preimage = 'hp:v2:strict_fingerprint:{"alike":"%s","ordinal":%d}' % (prints[0], ordinal)
            self.assertEqual(prints[ordinal], hashlib.sha256(preimage.encode()).hexdigest())
        self.assertEqual(self.rows("SELECT count(DISTINCT payload_hash) FROM sample_versions"), [(1,)])
        self.capture(export(beat(0), beat(0), date=SECOND))
        self.assertEqual(self.rows("SELECT sample_id, event_kind FROM sample_observation_events WHERE observation_id = 2"), [(3, "disappeared")])
        self.capture(export(beat(0), beat(0), beat(0), beat(0), date=THIRD))
        self.assertEqual(self.rows("SELECT sample_id, event_kind FROM sample_observation_events WHERE observation_id = 3"),
                         [(3, "appeared"), (4, "appeared")])

    def test_alike_records_keep_their_sample_in_any_order(self):
        one, two = beat(0, source="Test Watch"), beat(0, source="Test Phone")
        self.capture(export(one, two, date=FIRST))
        self.capture(export(two, one, date=SECOND))
        self.assertEqual(self.events(2), [])
        self.capture(export(two, date=THIRD))
        self.assertEqual(self.rows("SELECT sample_id, event_kind FROM sample_observation_events WHERE observation_id = 3"), [(1, "disappeared")])

    def test_one_of_two_alike_changes(self):
        one, two = beat(0, source="Test Watch"), beat(0, source="Test Phone")
        self.capture(export(one, two, date=FIRST))
        self.capture(export(one, beat(0, source="Renamed Phone"), date=SECOND))
        self.assertEqual(self.rows("SELECT sample_id, event_kind FROM sample_observation_events WHERE observation_id = 2"),
                         [(2, "representation_changed")])


    def test_one_that_is_visible_comes_before_one_that_is_not(self):
        self.capture(export(beat(0, source="A"), beat(0, source="B"), date=FIRST))
        self.capture(export(beat(0, source="B"), date=SECOND))
        self.capture(export(beat(0, source="C"), date=THIRD))
        self.assertEqual(self.rows("SELECT sample_id, event_kind FROM sample_observation_events WHERE observation_id = 3"), [(2, "representation_changed")])

    def test_what_is_visible_is_what_the_file_has(self):
        # Few moments, values and sources, so that most records have others that are alike.
        chance = random.Random(1)
        for month in range(1, 9):
            choices = [(chance.randrange(3) * 60, chance.choice(("60", "61")), chance.choice(("A", "B", "C"))) for _ in range(chance.randrange(40))]
            self.capture(export(*(beat(*choice) for choice in choices), date=f"2001-{month:02d}-01 00:00:00 +0000"))
            names = {SECRET.hmac("hp:v2:source_name:" + name): name for name in "ABC"}
            visible = self.rows(f"""SELECT cast(start_date - {T0} AS INTEGER), cast(cast(numeric_value AS INTEGER) AS TEXT), source_name_hash
                                    FROM sample_visibility_ranges JOIN sample_versions ON sample_versions.id = version_id
                                    JOIN source_revisions ON source_revisions.id = source_revision_id
                                    JOIN sources ON sources.id = source_id WHERE last_observation_id IS NULL""")
            self.assertEqual(sorted((*row[:2], names[row[2]]) for row in visible), sorted(choices))


def correlation(*members, second=0):
    dates = attributes(startDate=clock(second), endDate=clock(second))
    return f' <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Test Cuff"{dates}>\n' + "".join(members) + " </Correlation>\n"


def pressure(name, value, **others):
    return beat(0, value, "Test Cuff", type="HKQuantityTypeIdentifierBloodPressure" + name, unit="mmHg", **others)


class Links(Case):
    RELATED = """
        SELECT source.type_identifier, target.type_identifier, relationship_kind, observation_id FROM sample_relationships
        JOIN samples AS a ON a.id = source_sample_id JOIN sample_types AS source ON source.id = a.sample_type_id
        JOIN samples AS b ON b.id = target_sample_id JOIN sample_types AS target ON target.id = b.sample_type_id ORDER BY 2"""

    def test_members_stand_at_the_top_level_too(self):
        pair = pressure("Systolic", "120") + pressure("Diastolic", "80")
        for text in (export(pair, correlation(pair), date=FIRST), export(correlation(pair), pair, date=SECOND)):
            self.assertEqual(self.capture(text)["counts"], {})
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(3,)])
        self.assertEqual(self.rows(self.RELATED), [
            ("HKCorrelationTypeIdentifierBloodPressure", "HKQuantityTypeIdentifierBloodPressureDiastolic", "correlation_member", 1),
            ("HKCorrelationTypeIdentifierBloodPressure", "HKQuantityTypeIdentifierBloodPressureSystolic", "correlation_member", 1)])
        self.assertEqual(self.rows("SELECT value_kind, fuzzy_key FROM sample_versions JOIN samples ON samples.id = sample_id WHERE value_kind = 'correlation'"),
                         [("correlation", "r:15778080")])

    def test_a_member_that_stands_nowhere_else(self):
        text = export(correlation(pressure("Systolic", "120")), date=FIRST)
        self.assertEqual(self.capture(text)["counts"], {"correlation_member_only": 1})
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(2,)])
        self.assertEqual(len(self.rows(self.RELATED)), 1)
        self.assertEqual(self.capture(text.replace(FIRST, SECOND))["counts"], {"correlation_member_only": 1})
        self.assertEqual(self.events(2), [])

    def test_alike_members_of_two_correlations(self):
        systolic = pressure("Systolic", "120")
        self.capture(export(systolic, systolic, correlation(systolic), correlation(systolic, second=60), date=FIRST))
        self.assertEqual(self.rows("SELECT source_sample_id, target_sample_id FROM sample_relationships ORDER BY 1"), [(2, 1), (3, 4)])

    def test_more_members_than_records(self):
        systolic = pressure("Systolic", "120")
        self.capture(export(systolic, systolic, correlation(systolic, systolic), correlation(systolic, second=60), date=FIRST))
        self.assertEqual(self.rows("SELECT source_sample_id, target_sample_id FROM sample_relationships ORDER BY 1, 2"), [(2, 1), (2, 4), (3, 1)])

    def test_a_member_with_another_payload(self):
        self.capture(export(pressure("Systolic", "120"), correlation(pressure("Systolic", "120", sourceVersion="2"))))
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(2,)])
        self.assertEqual(self.rows("SELECT count(*) FROM sources"), [(1,)])
        self.assertEqual(len(self.rows(self.RELATED)), 1)

    def test_workout(self):
        dates = attributes(startDate=clock(0), endDate=clock(1800))
        workout = f'''<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="29.5" durationUnit="min" totalDistance="5"
            sourceName="Test Watch" creationDate="{clock(1810)}"{dates}>
          {entry("HKIndoorWorkout", "0")}
          <WorkoutEvent type="HKWorkoutEventTypePause" date="{clock(3600, "+0100")}"/>
          <WorkoutStatistics type="{HEART_RATE}" average="140" unit="count/min"/>
          <WorkoutActivity uuid="AA-1"{dates}><WorkoutEvent type="inner"/><WorkoutStatistics sum="1"/>{entry("k", "v")}</WorkoutActivity>
          <WorkoutRoute sourceName="Test Watch"{dates}><FileReference path="/workout-routes/route_1.gpx"/></WorkoutRoute>
          <Unheard/>
        </Workout>'''
        self.assertEqual(self.capture(export(workout))["counts"], {"element:Unheard": 1})
        self.assertEqual(self.rows("SELECT value_kind, workout_activity_type, duration_seconds FROM sample_versions ORDER BY id"),
                         [("workout", 37, 1770.0), ("workout_route", None, None)])
        uuid = SECRET.hmac('hp:v2:private_metadata:{"key":"uuid","value":"AA-1"}')
        self.assertEqual(self.metadata(), [{
            "HKIndoorWorkout": "0", "hp:creation_delay_seconds": 10, "hp:attribute:totalDistance": "5",
            "hp:events": [{"type": "HKWorkoutEventTypePause", "date": "2000-01-01T00:00:00.000Z"}],
            "hp:statistics": [{"type": HEART_RATE, "average": "140", "unit": "count/min"}],
            "hp:activities": [{"uuid": "hmac:" + uuid, "startDate": "2000-01-01T00:00:00.000Z", "endDate": "2000-01-01T00:30:00.000Z",
                               "events": [{"type": "inner"}], "statistics": [{"sum": "1"}], "metadata": {"k": "v"}}],
        }, {"hp:files": ["/workout-routes/route_1.gpx"]}])
        self.assertEqual(self.rows(self.RELATED), [("HKWorkoutTypeIdentifier", "HKWorkoutRouteTypeIdentifier", "workout_route", 1)])
        self.assertEqual(self.rows("SELECT fuzzy_key FROM samples"), [("w:1577808:37",), ("r:15778080",)])

    def test_a_duration_without_a_known_unit(self):
        for unit in ("", ' durationUnit="h"'):
            with self.subTest(unit=unit):
                dates = attributes(startDate=clock(0), endDate=clock(60))
                self.assertEqual(self.capture(export(f'<Workout duration="1"{unit}{dates}/>', date=SECOND if unit else FIRST))["status"], "completed")
                self.assertEqual(self.rows("SELECT duration_seconds FROM sample_versions ORDER BY id DESC LIMIT 1"), [(None,)])
                self.assertEqual(self.metadata()[-1], {"hp:attribute:duration": "1", **({"hp:attribute:durationUnit": "h"} if unit else {})})

    def test_a_workout_of_an_unknown_kind(self):
        dates = attributes(startDate=clock(0), endDate=clock(60))
        result = self.capture(export(f'<Workout workoutActivityType="HKWorkoutActivityTypeUnheard" duration="1" durationUnit="hr"{dates}/>'))
        self.assertEqual(result["counts"], {"unknown_value": 1})
        self.assertEqual(self.rows("SELECT workout_activity_type, duration_seconds, source_revision_id FROM sample_versions"), [(None, 3600.0, None)])
        self.assertEqual(self.metadata(), [{"hp:activity_type_name": "HKWorkoutActivityTypeUnheard"}])


class Elements(Case):
    def test_beats(self):
        beats = "".join(f'<InstantaneousBeatsPerMinute bpm="{bpm}" time="{time}"/>' for bpm, time in (
            ("61", "2:00:01,25 AM"), ("62", "12:00:00.00\u00a0am"), ("63", "14:00:02.5"), ("64", "soon"), ("65", "3:00:00.00\u202fPm")))
        self.capture(export(beat(children=f"<HeartRateVariabilityMetadataList>{beats}</HeartRateVariabilityMetadataList>",
                                 startDate=clock(7200, "+0200"), endDate=clock(7260, "+0200"))))
        self.assertEqual(self.metadata(), [{"hp:beats": [
            {"bpm": "61", "seconds": 1.25}, {"bpm": "62", "seconds": 0}, {"bpm": "63", "seconds": 2.5}, {"bpm": "64", "time": "soon"}, {"bpm": "65", "seconds": 0}]}])

    def test_metadata(self):
        entries = entry("k", "1") + entry("k", "2") + entry("k", "1") + entry("k", "3") + entry("hp:x", "") + entry("HKExternalUUID", "AB")
        self.capture(export(beat(10, children=entries, creationDate=clock(5), odd="text")))
        self.assertEqual(self.metadata(), [{
            "k": "1", "k.2": "2", "k.3": "3", "hp:key:hp:x": "", "hp:attribute:odd": "text", "hp:creation_delay_seconds": -5,
            "HKExternalUUID": "hmac:" + SECRET.hmac('hp:v2:private_metadata:{"key":"HKExternalUUID","value":"AB"}')}])

    def test_categories(self):
        sleep = "HKCategoryTypeIdentifierSleepAnalysis"
        values = ("HKCategoryValueSleepAnalysisAsleepREM", "7", "HKCategoryValueUnheard", None)
        result = self.capture(export(*(beat(60 * n, value, type=sleep, unit=None) for n, value in enumerate(values))))
        self.assertEqual(result["counts"], {"unknown_value": 1})
        self.assertEqual(self.rows("SELECT value_kind, category_value, fuzzy_key FROM sample_versions JOIN samples ON samples.id = sample_id"), [
            ("category", 5, "k:15778080:5"), ("category", 7, "k:15778081:7"), ("category", None, "k:15778082"), ("category", None, "k:15778083")])
        self.assertEqual(self.metadata(), [{"hp:value_text": "HKCategoryValueUnheard"}])

    def test_a_category_with_a_unit_and_a_uuid(self):
        self.capture(export(beat(0, "1", type="HKCategoryTypeIdentifierSleepAnalysis", unit="min", uuid="AB")))
        self.assertEqual(self.rows("SELECT value_kind, category_value, numeric_value, unit FROM sample_versions"), [("category", 1, None, None)])
        self.assertEqual(self.metadata(), [{
            "hp:attribute:unit": "min", "hp:attribute:uuid": "hmac:" + SECRET.hmac('hp:v2:private_metadata:{"key":"uuid","value":"AB"}')}])

    def test_numbers(self):
        texts = ("-0.0", "1e2", "0.1234567890123456789", "1234567890.1234567", None)
        self.capture(export(*(beat(60 * n, text) for n, text in enumerate(texts))))
        self.assertEqual(self.rows("SELECT numeric_value FROM sample_versions ORDER BY id"),
                         [(0.0,), (100.0,), (0.12345678901234568,), (1234567890.1234567,), (None,)])
        self.assertEqual(self.metadata(), [{"hp:value_text": "0.1234567890123456789"}])
        self.assertEqual(self.rows("SELECT fuzzy_key FROM samples WHERE id = 5"), [("r:15778084",)])

    def test_other_elements(self):
        private = SECRET.hmac('hp:v2:private_metadata:{"key":"identifier","value":"i-1"}')
        result = self.capture(export(
            '<Me HKCharacteristicTypeIdentifierDateOfBirth="2000-01-01" HKCharacteristicTypeIdentifierBloodType="x"/>',
            '<ActivitySummary dateComponents="2000-01-31" appleStandHours="12"/>',
            f'<ClinicalRecord type="Test" identifier="i-1" fhirVersion="4" receivedDate="{clock(9)}"/>',
            f'<Audiogram startDate="{clock(0)}" endDate="{clock(1)}"><SensitivityPoint frequencyValue="500"/></Audiogram>',
            f'<VisionPrescription type="glasses" dateIssued="{clock(2)}"><RightEye sphere="1"/><LeftEye sphere="2"/></VisionPrescription>',
            '<Unheard><Inner/></Unheard>'))
        self.assertEqual(result["counts"], {"characteristic": 2, "element:Unheard": 1})
        self.assertEqual(self.rows(f"""SELECT type_identifier, value_kind, cast(start_date - {T0} AS INTEGER), cast(end_date - {T0} AS INTEGER)
                                       FROM sample_versions JOIN samples ON samples.id = sample_id
                                       JOIN sample_types ON sample_types.id = sample_type_id ORDER BY sample_versions.id"""), [
            ("HKActivitySummaryTypeIdentifier", "activity_summary", 30 * 86400 + 36000, 30 * 86400 + 36000), ("Test", "clinical_record", 9, 9),
            ("HKDataTypeIdentifierAudiogram", "audiogram", 0, 1), ("glasses", "vision_prescription", 2, 2)])
        self.assertEqual(self.metadata(), [
            {"hp:attribute:appleStandHours": "12"}, {"hp:attribute:identifier": "hmac:" + private, "hp:attribute:fhirVersion": "4"},
            {"hp:sensitivity_points": [{"frequencyValue": "500"}]},
            {"hp:eyes": [{"element": "RightEye", "sphere": "1"}, {"element": "LeftEye", "sphere": "2"}]}])

    def test_devices(self):
        read = apple_health.read_device
        self.assertEqual(read("<<HKDevice: 0x1F>, name:A, b, manufacturer:T, model:M, hardware:H0,1, firmware:F, software:1, localIdentifier:L, "
                              "UDI:U, creation date:2000-01-01 00:00:00 +0000>"),
                         {"name": "A, b", "manufacturer": "T", "model": "M", "hardware_version": "H0,1", "firmware_version": "F",
                          "software_version": "1", "local_identifier": "L", "udi": "U"})
        self.assertEqual(read("<<HKDevice: 0x1>, who knows, name:>"), {"name": "", "other": "who knows"})
        self.assertEqual(read("some 0xAbC thing"), {"other": "some  thing"})
        self.assertEqual(read("<<HKDevice: 0x00, name:A>>"), {"other": "<<HKDevice: , name:A>>"})


class DamagedTexts(Case):
    def test_truncated(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        whole = pathlib.Path(self.archive).read_bytes()
        for cut in ("</HealthData>\n", 'lue="60"/>\n</HealthData>\n'):
            with self.subTest(cut=cut):
                pathlib.Path(self.archive).write_bytes(whole)
                text = export(beat(0), beat(90), beat(120), date=SECOND)
                self.assertTrue(text.endswith(cut))
                self.assertEqual(self.capture(text[:-len(cut)])["status"], "partial_truncated")
                appeared = [90, 120] if cut.startswith("</") else [90]
                self.assertEqual(self.events(2), [(second, 60.0, "appeared") for second in appeared])
                self.assertEqual(self.runs(2), [(HEART_RATE, "failed", len(appeared), 0, None, "source_truncated")])
                self.assertEqual(self.rows("SELECT visible_record_count FROM observation_type_summaries WHERE observation_id = 2"),
                                 [(2 + len(appeared),)])

    def test_malformed(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        whole = pathlib.Path(self.archive).read_bytes()
        for broken in (" <Record <\n", beat(0, value=None).replace("/>", ' value=60 type2="/>'), beat(60).replace("/>", ">"), beat(60, source="&own;")):
            with self.subTest(broken=broken):
                pathlib.Path(self.archive).write_bytes(whole)
                result = self.capture(export(beat(90), broken, beat(120), date=SECOND))
                self.assertEqual(result["status"], "needs_review")
                self.assertEqual([(found["reason"], found["line"]) for found in result["rejected"]], [("not_well_formed", 5)])
                self.assertEqual([event for event in self.events(2) if event[2] == "appeared"], [(90, 60.0, "appeared"), (120, 60.0, "appeared")])

    def test_what_follows_the_root_is_malformed(self):
        self.capture(export(beat(0), beat(60), date=FIRST))
        result = self.capture(export(beat(90), date=SECOND) + "<!-- --> text")
        self.assertEqual(result["status"], "partial_malformed")
        self.assertTrue(result["place"].startswith("line 6,"), result["place"])
        self.assertEqual(self.runs(2), [(HEART_RATE, "failed", 1, 0, None, "source_malformed")])

    def test_a_comment_that_is_not_ended_is_the_end(self):
        for begin in ("<!--", "<![CDATA[", "<?x"):
            with self.subTest(begin=begin):
                self.capture(export(beat(0), begin, beat(60)))
                self.assertEqual((self.status(), self.events(1)), ("partial_truncated", [(0, 60.0, "appeared")]))
                os.remove(self.archive)

    def test_malformed_document_type(self):
        prolog = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (a|b)>\n<!ATTLIST Record\n  type CDATA\n<oops>\n]>\n'
        self.assertEqual(self.capture(export(beat(0), prolog=prolog))["status"], "completed")

    def test_control_characters_and_noncharacters(self):
        result = self.capture(export(beat(0, children=entry("a\x01b", "\x1f\ufdd0&#xFDEF;\tx"))))
        self.assertEqual(result["counts"], {"control_character": 2, "noncharacter": 2})
        self.assertEqual(self.metadata(), [{"a\x01b": "\x1f\ufffd\ufffd x"}])

    def test_bytes_that_are_no_utf8(self):
        text = export(beat(0, children=entry("k", "@"))).encode()
        result = self.capture(text.replace(b"@", b"a\xff\xe2\x82b\xed\xa0\x80"))
        self.assertEqual(result["counts"], {"invalid_utf8": 6})
        self.assertEqual(self.metadata(), [{"k": "a\ufffd\ufffd\ufffdb\ufffd\ufffd\ufffd"}])

    def test_duplicate_attributes(self):
        result = self.capture(export(beat(0).replace("<Record", '<Record odd="1" odd="2" odd=\'1\' odd="3"')))
        self.assertEqual(result["counts"], {"duplicate_attribute": 3})
        self.assertEqual(self.metadata(), [{"hp:attribute:odd": "1", "hp:attribute:odd.2": "2", "hp:attribute:odd.3": "3"}])

    def test_rejected_records(self):
        self.capture(export(beat(0), beat(60), beat(0, type=STEPS, unit="count", value="5"), date=FIRST))
        result = self.capture(export(beat(0, startDate="2000-02-30 00:00:00 +0000"), beat(0, "sixty"), beat(0, "1e999"), beat(90),
                                     beat(0, startDate=None), beat(0, type="Unheard", endDate="now", unit=None), date=SECOND))
        self.assertEqual(result["status"], "needs_review")
        self.assertEqual([(found["reason"], found["line"]) for found in result["rejected"]],
                         [("bad_date", 4), ("bad_number", 5), ("bad_number", 6), ("missing_attribute", 8), ("bad_date", 9)])
        self.assertEqual(self.events(2), [(0, 5.0, "disappeared"), (90, 60.0, "appeared")])
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 1, 0, None, "rejected_records"), (STEPS, "completed", 0, 1, 0, None),
                                        ("Unheard", "completed", 0, 0, None, "rejected_records")])

    def test_a_rejected_record_without_a_type_weighs_on_all_runs(self):
        self.capture(export(beat(0), date=FIRST))
        self.capture(export(beat(0, type=None), date=SECOND))
        self.assertEqual(self.runs(2), [(HEART_RATE, "completed", 0, 0, None, "rejected_records")])

    def test_refused(self):
        for text in ("", "no xml", "<Other/>", "<HealthData/>", export(date="yesterday")):
            with self.subTest(text=text[:20]), self.assertRaises(Refused):
                self.capture(text)
        self.assertFalse(os.path.exists(self.archive))

    def test_zip(self):
        path = self.folder / "export.zip"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("apple_health_export/exportar.xml", export(beat(0)))
            file.writestr("apple_health_export/export_cda.xml", "<ClinicalDocument>" + " " * 10000 + "</ClinicalDocument>")
            file.writestr("apple_health_export/larger.xml", "<Other>" + " " * 10000 + "</Other>")
            file.writestr("apple_health_export/workout-routes/route_1.gpx", "")
            file.writestr("apple_health_export/electrocardiograms/ecg_1.csv", "")
            file.writestr("apple_health_export/clinical-records/a.json", "")
        result = capture.capture(self.archive, self.secret, str(path))
        self.assertEqual(result["counts"], {})
        self.assertEqual([kind for kind, *_ in result["documents"]], ["clinical_record", "electrocardiogram", "clinical_document", "other", "workout_route"])
        self.assertEqual(self.events(1), [(0, 60.0, "appeared")])


class LocalDays(Case):
    BUCKETS = """SELECT bucket_start, bucket_end, visible_record_count FROM daily_type_aggregates
                 WHERE source_revision_id IS NULL AND observation_id = %d ORDER BY 1"""

    def test_days_of_23_and_25_hours(self):
        # Bucharest: 2000-03-26 03:00 became 04:00, 2000-10-29 04:00 became 03:00.
        record = lambda date: beat(0, startDate=date, endDate=date)
        self.capture(export(record("2000-03-26 00:00:00 +0200"), record("2000-03-26 23:59:59 +0300"), record("2000-03-27 00:00:00 +0300"),
                            record("2000-10-29 00:00:00 +0300"), record("2000-10-29 23:59:59 +0200"), date="2001-01-01 00:00:00 +0200"),
                     time_zone="Europe/Bucharest")
        spring, autumn = 954021600, 972766800  # 2000-03-25T22:00Z, 2000-10-28T21:00Z
        self.assertEqual(self.rows(self.BUCKETS % 1), [
            (spring, spring + 23 * 3600, 2), (spring + 23 * 3600, spring + 47 * 3600, 1), (autumn, autumn + 25 * 3600, 2)])

    def test_a_midnight_that_is_skipped_or_repeated(self):
        # Sao Paulo: 2017-10-15 00:00 became 01:00 (03:00Z); 2018-02-18 00:00 became 2018-02-17 23:00 (02:00Z).
        days = Days(rules_of_system("America/Sao_Paulo"))
        self.assertEqual(days.bucket(1508036400.0), (1508036400.0, 1508036400.0 + 23 * 3600))  # 2017-10-15T03:00Z
        self.assertEqual(days.bucket(1508036399.5), (1508036400.0 - 24 * 3600, 1508036400.0))
        self.assertEqual(days.bucket(1518919200.0), (1518832800.0, 1518832800.0 + 25 * 3600))  # second 23:00 of 2018-02-17
        # St. John's: 2006-10-29 00:01 became 2006-10-28 23:01; the date 2006-10-29 was there for a minute before.
        days = Days(rules_of_system("America/St_Johns"))
        first = 1162089000.0  # 2006-10-29T02:30Z, 00:00 in summer time
        self.assertEqual(days.bucket(first)[0], first)
        self.assertEqual(days.bucket(first + 60), (first, first + 25 * 3600))
        self.assertEqual(days.bucket(first - 1)[1], first)

    def test_a_date_that_is_skipped(self):
        # Samoa had no 2011-12-30: midnight at the end of the 29th was the 31st.
        days = Days(rules_of_system("Pacific/Apia"))
        change = 1325239200.0  # 2011-12-30T10:00Z
        self.assertEqual(days.bucket(change - 1), (change - 86400, change))
        self.assertEqual(days.bucket(change), (change, change + 86400))

    def test_the_offset_of_the_export_is_the_zone_where_none_is_stated(self):
        self.capture(export(beat(79200), beat(79199), date="2000-02-01 00:00:00 +0200"))
        self.assertEqual(self.rows("SELECT time_zone_identifier, time_zone_seconds_from_gmt FROM observations"), [(None, 7200)])
        self.assertEqual(self.rows(self.BUCKETS % 1), [(T0 - 7200, T0 + 79200, 1), (T0 + 79200, T0 + 165600, 1)])

    def test_another_zone_writes_all_buckets(self):
        self.capture(export(beat(0), beat(86400), date=FIRST), time_zone="UTC")
        self.capture(export(beat(0), date=SECOND.replace("+0000", "+0545")), time_zone="Asia/Kathmandu")
        start = T0 - 20700  # 5 h 45 min
        self.assertEqual(self.rows(self.BUCKETS % 2), [(start, start + 86400, 1)])
        self.capture(export(beat(0), date=THIRD.replace("+0000", "+0545")), time_zone="Asia/Kathmandu")
        self.assertEqual(self.rows(self.BUCKETS % 3), [])

    def test_exact_sums(self):
        self.assertEqual(capture.exact_sum([1e16, 1.0, 1.0, -1e16]), 2.0)
        self.assertEqual(capture.exact_sum([1e308, 1e308, -1e308]), 1e308)
        self.assertIsNone(capture.exact_sum([1e308, 1e308]))
        self.assertIsNone(capture.exact_sum([]))
        self.capture(export(*(beat(n, "0.1", type=STEPS, unit="count") for n in range(10))))
        self.assertEqual(self.rows("SELECT value_sum FROM observation_type_summaries"), [(1.0,)])

    def test_values_of_aggregates_are_in_the_canonical_unit(self):
        def record(second, name, value, unit):
            return beat(second, value, type="HKQuantityTypeIdentifier" + name, unit=unit)
        self.capture(export(
            record(0, "DistanceCycling", "1.5", "km"), record(1, "DistanceCycling", "250", "m"), record(2, "DistanceCycling", "1", "mi"),
            record(0, "ActiveEnergyBurned", "500", "kJ"), record(1, "ActiveEnergyBurned", "2", "Cal"),
            record(0, "BodyTemperature", "98.6", "degF"), record(1, "BodyTemperature", "36.5", "degC"),
            record(0, "StepCount", "5", "count"), record(1, "StepCount", "5", "kg"), record(0, "New", "5", "count")))
        self.assertEqual(dict((name[24:], rest) for name, *rest in self.rows(
            "SELECT type_identifier, value_sum, value_max FROM observation_type_summaries s JOIN sample_types t ON t.id = sample_type_id")), {
            "DistanceCycling": [3359.344, 1609.344], "ActiveEnergyBurned": [121.50286806883365, 119.50286806883365],
            "BodyTemperature": [None, 37.0], "StepCount": [None, None], "New": [None, None]})


class Checks(Case):
    """What the checks of an archive find: each changed value is named."""

    CHANGES = [
        ("sample_versions SET numeric_value = 99 WHERE id = 1", "payload_hash"),
        ("samples SET strict_fingerprint = '0' WHERE id = 1", "strict_fingerprint"),
        ("samples SET semantic_fingerprint = NULL WHERE id = 1", "semantic_fingerprint"),
        ("samples SET fuzzy_key = 'q:1' WHERE id = 1", "fuzzy_key"),
        ("metadata_blobs SET metadata_json = '{}'", "metadata_hash"),
        ("observation_type_summaries SET value_max = 99", "aggregate_hash"),
        ("daily_type_aggregates SET visible_record_count = 9 WHERE source_revision_id IS NULL", "aggregate_hash"),
        ("sample_visibility_ranges SET last_observation_id = 2 WHERE sample_id = 1", "does not follow from events"),
        ("sample_observation_events SET event_kind = 'disappeared' WHERE sample_id = 1", "does not follow from events"),
        ("sample_observation_events SET version_id = 2 WHERE sample_id = 1", "follows from events, not stored"),
    ]

    def test_changes_are_found(self):
        self.capture(export(beat(0, children=entry("k", "v")), beat(60), date=FIRST))
        self.capture(export(beat(60), beat(0, children=entry("k", "v")), date=SECOND))
        whole = pathlib.Path(self.archive).read_bytes()
        self.assertEqual(self.findings(), [])
        for change, word in self.CHANGES:
            with self.subTest(change=change):
                pathlib.Path(self.archive).write_bytes(whole)
                with contextlib.closing(sqlite3.connect(self.archive)) as connection:
                    connection.execute("UPDATE " + change)
                    connection.commit()
                self.assertTrue(any(word in finding for finding in self.findings()))

    def test_a_dump_does_not_depend_on_ids(self):
        one, two, other = beat(0), beat(60, source="Test Phone"), beat(0, type=STEPS, unit="count", value="5")
        self.capture(export(one, two, other))
        first = self.dump()
        os.remove(self.archive)
        self.capture(export(other, two, one))
        self.assertEqual(self.dump(), first)
        self.assertFalse(any('_id":' in line for line in first))

    def test_examples_are_those_of_this_code(self):
        stored = json.loads(generate_examples.OUTPUT.read_text(encoding="utf-8"))
        self.assertEqual(stored, json.loads(json.dumps(generate_examples.document())))

    def test_a_secret_that_others_can_read_is_refused(self):
        os.chmod(self.secret, 0o640)
        with self.assertRaises(Refused):
            self.capture(export(beat(0)))


def main():
    program = unittest.main(exit=False, verbosity=0)
    failed = len(program.result.failures) + len(program.result.errors)
    print("%d passed, %d failed" % (program.result.testsRun - min(failed, program.result.testsRun), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
