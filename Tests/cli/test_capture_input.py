"""What a feed may bring, by name: each case is captured by the tool and by the plain capture, which must have the same evidence, and then looked at."""

import json
import os
import unittest

from capture_support import (
    HEART_RATE, SECRET, SLEEP, STEPS, aggregates, CaptureCase, deleted, dump, feed, findings, observation, reference,
    rows_of, sample, type_run, uuid,
)
from support import database, execute, held, hp_export, hp_verify, query, takes_long

MEMORY = 400 << 20


class InputCase(CaptureCase):
    def capture(self, *observations):
        """Captures observations; the tool's run."""
        result = self.both("--feed", feed(*observations))
        self.assertEqual(findings(self.archive), [])
        return result

    def refuse(self, *observations, words=()):
        """Neither of the two captures it."""
        result = self.both("--feed", feed(*observations))
        self.assertEqual(result.status, 2, result)
        for word in words:
            self.assertIn(word, result.err)

    def events(self, observation=None):
        """(UUID number or None, event) by id."""
        known = {reference.identity.Secret(bytes(range(32)), "").hmac(reference.identity.sample_uuid_preimage(uuid(number))): number for number in range(100)}
        return [(known.get(hashed), kind) for hashed, kind in self.rows(
            "SELECT sample_uuid_hash, event_kind FROM sample_observation_events e JOIN samples s ON s.id = sample_id WHERE ?1 IS NULL OR observation_id = ?1 ORDER BY e.id", observation)]

    def statuses(self):
        return [status for (status,) in self.rows("SELECT status FROM observations ORDER BY id")]

    def values(self):
        return [value for (value,) in self.rows("SELECT numeric_value FROM sample_versions ORDER BY id")]


class Seed(InputCase):
    """Section 16 of the first document, as far as it is about writing."""

    def test_idempotent_repeated_capture_page_writes(self):
        page, other = [sample(1), sample(None, 5)], [sample(2, 9)]
        self.capture(observation(1, type_run(page, other)))
        before = dump(self.archive)
        self.capture(observation(1, type_run(page, other)))
        self.assertEqual(dump(self.archive), before)
        marks = [{"kind": "page", "number": number} for number in (1, 2)]
        self.renew()
        begin, end = type_run()
        self.capture(observation(1, [begin, *page, marks[0], *page, marks[0], *other, marks[1], *page, marks[0], *other, marks[1], end]))
        self.assertEqual(dump(self.archive), before)

    def test_first_observation_for_a_type(self):
        self.capture(observation(1, type_run([sample(1)])), observation(2, type_run(mode="anchored"), type_run([sample(2, sample_type=STEPS)], sample_type=STEPS)))
        self.assertEqual(self.events(), [(1, "appeared"), (2, "appeared")])
        self.assertEqual(self.rows("SELECT observation_id, visible_record_count, appeared_count FROM observation_type_summaries ORDER BY 1, sample_type_id"), [(1, 1, 1), (2, 1, 0), (2, 1, 1)])

    def test_appeared_disappeared_and_representation_changed_events(self):
        self.capture(observation(1, type_run([sample(1), sample(2), sample(3)])), observation(2, type_run([sample(2, value=61), sample(3), sample(4)])))
        self.assertEqual(sorted(self.events(2)), [(1, "disappeared"), (2, "representation_changed"), (4, "appeared")])
        self.assertEqual(self.rows("SELECT appeared_count, disappeared_count, representation_changed_count, visible_record_count FROM observation_type_summaries WHERE observation_id = 2"), [(1, 1, 1, 3)])

    def test_visibility_ranges_open_and_close(self):
        self.capture(observation(1, type_run([sample(1)])), observation(2, type_run([sample(1, value=61)])), observation(3, type_run([])), observation(4, type_run([sample(1)])))
        self.assertEqual(self.rows("SELECT first_observation_id, last_observation_id, numeric_value FROM sample_visibility_ranges JOIN sample_versions v ON v.id = version_id ORDER BY 1"),
                         [(1, 2, 60.0), (2, 3, 61.0), (4, None, 60.0)])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_versions"), [(2,)])

    def test_aggregates_rebuilt_from_ranges_are_the_stored_ones(self):
        zones = ({"time_zone_identifier": "Europe/Bucharest"}, {"time_zone_identifier": "Europe/Bucharest"}, {"time_zone_seconds_from_gmt": 3600})
        for day, zone in enumerate(zones, 1):
            self.capture(observation(day, type_run([sample(number, number * 60, number / 10) for number in range(day, 20)]), **zone))
        with rows_of(self.archive) as connection:
            for number in (1, 2, 3):
                rebuilt = aggregates.Aggregates(connection, number)
                for table, rows in (("observation_type_summaries", rebuilt.summaries()), ("daily_type_aggregates", rebuilt.buckets())):
                    stored = [tuple(row) for row in connection.execute("SELECT %s FROM %s WHERE observation_id = ?" % (", ".join(rows[0]) if rows else "1", table), (number,))]
                    self.assertEqual(sorted(stored, key=repr), sorted((tuple(row.values()) for row in rows), key=repr))

    def test_a_prototype_is_set_aside_and_a_new_archive_begins(self):
        execute(self.archive, "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, taken_at REAL)", "INSERT INTO snapshots VALUES (1, 2.5)")
        prototype = self.archive.read_bytes()
        path = self.written(feed(observation(1, type_run([sample(1)]))))
        self.assert_refused(self.hp_capture("--feed", path))
        self.assertEqual(self.archive.read_bytes(), prototype)
        self.assert_good(self.hp_capture("--feed", path, "--reset-prototype"))
        backups = [name for name in self.names() if name.endswith(b".prototype-backup")]
        self.assertEqual(len(backups), 1)
        self.assertEqual((self.folder / os.fsdecode(backups[0])).read_bytes(), prototype)
        self.assertEqual(self.events(), [(1, "appeared")])
        # An archive is none.
        self.assert_good(self.hp_capture("--feed", path, "--reset-prototype"))
        self.assertEqual(len(self.names()), len({*self.names(), *backups}))

    def test_a_prototype_that_cannot_be_set_aside_stops_the_capture(self):
        execute(self.archive, "CREATE TABLE snapshots(id INTEGER PRIMARY KEY)")
        prototype = self.archive.read_bytes()
        with held(self.archive, "BEGIN EXCLUSIVE", "INSERT INTO snapshots VALUES (1)"):
            self.assert_refused(self.hp_capture("--feed", self.written(feed(observation(1, type_run([sample(1)])))), "--reset-prototype", "--wait", "0"))
        self.assertEqual(query(self.archive, "SELECT count(*) FROM snapshots"), [(0,)])
        self.assertFalse([name for name in self.names() if b"prototype-backup" in name])
        self.assertEqual(len(prototype), len(self.archive.read_bytes()))


class Input(InputCase):
    """The list "Capture input" of what must hold."""

    # Pages

    def test_a_page_resent_after_a_partial_commit(self):
        pages = [[sample(number)] for number in range(1, 5)]
        lines = observation(1, type_run(*pages))
        self.refuse([*lines[:6], b"{}"], words=["line 8"])
        self.assertEqual((self.statuses(), self.events()), (["running"], [(1, "appeared"), (2, "appeared")]))
        self.capture(lines)
        self.assertEqual((self.statuses(), self.events()), (["completed"], [(number, "appeared") for number in range(1, 5)]))

    def test_a_page_resent_with_other_lines(self):
        begin, *_, end = type_run()
        mark = {"kind": "page", "number": 1}
        self.refuse(observation(1, [begin, sample(1), mark, sample(2), mark, end]))
        self.assertEqual(self.events(), [(1, "appeared")])

    def test_a_page_that_is_left_out(self):
        self.refuse(observation(1, type_run([sample(1)], first_page=2)))

    def test_an_empty_page_and_no_types(self):
        self.capture(observation(1, type_run([])), observation(2), observation(3, selected_types=[]))
        self.assertEqual(self.statuses(), ["completed"] * 3)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(0,)])

    # Samples

    def test_a_sample_twice(self):
        for name, pages in (("one page", [[sample(1), sample(1)]]), ("two pages", [[sample(1)], [sample(1)]])):
            with self.subTest(name):
                self.renew()
                self.capture(observation(1, type_run(*pages)))
                self.assertEqual((self.events(), self.statuses()), ([(1, "appeared")], ["completed"]))

    def test_a_sample_twice_with_another_payload(self):
        for name, pages in (("one page", [[sample(1), sample(1, value=61)]]), ("two pages", [[sample(1)], [sample(1, value=61)]])):
            with self.subTest(name):
                self.renew()
                self.assertEqual(self.capture(observation(1, type_run(*pages))).status, 1)
                self.assertEqual((self.events(), self.statuses(), self.values()), ([(1, "appeared")], ["needs_review"], [60.0]))

    def test_a_sample_twice_with_another_payload_and_a_deletion_between(self):
        lines = observation(1, type_run([sample(1)], [deleted(1)], [sample(1, value=61)], mode="anchored"))
        self.assertEqual(self.capture(lines).status, 1)
        self.assertEqual((self.events(), self.statuses(), self.values()), ([(1, "appeared"), (1, "disappeared")], ["needs_review"], [60.0]))

    def cut_and_resumed(self, first, second):
        """An observation whose first page is cut off from the rest, then sent again with another one; the run of the whole."""
        self.renew()
        self.refuse([*observation(1, type_run(first))[:-2], b"{}"])
        self.assertEqual(self.statuses(), ["running"])
        return self.capture(observation(1, type_run(second)))

    def test_a_type_is_asked_for_in_another_way_after_an_interruption(self):
        """What was seen before keeps the evidence of its own way, although the run that is kept says another."""
        self.refuse([*observation(1, type_run([sample(1)], mode="anchored"))[:-2], b"{}"])
        self.assertEqual(self.capture(observation(1, type_run([sample(1), sample(2)]))).status, 0)
        self.assertEqual(self.rows("SELECT evidence_kind FROM sample_observation_events ORDER BY id"), [("anchored_query",), ("full_scan",)])
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))

    def test_a_sample_with_another_payload_after_an_interruption(self):
        for name, first, events in (("seen", [sample(1)], [(1, "appeared")]), ("seen and deleted", [sample(1), deleted(1)], [(1, "appeared"), (1, "disappeared")])):
            with self.subTest(name):
                self.assertEqual(self.cut_and_resumed(first, [sample(1, value=61)]).status, 2)
                self.assertEqual((self.events(), self.statuses(), self.values()), (events, ["running"], [60.0]))
        # One that was visible before and has changed: another change contradicts it.
        self.renew()
        self.capture(observation(1, type_run([sample(1)])))
        self.refuse([*observation(2, type_run([sample(1, value=61)]))[:-2], b"{}"])
        for value in (60, 62):
            self.assertEqual(self.capture(observation(2, type_run([sample(1, value=value)]))).status, 2)
        self.assertEqual((self.events(), self.values()), ([(1, "appeared"), (1, "representation_changed")], [60.0, 61.0]))
        # What left no event is not known to have been seen.
        self.renew()
        self.capture(observation(1, type_run([sample(1)])))
        self.refuse([*observation(2, type_run([sample(1)]))[:-2], b"{}"])
        self.assertEqual(self.capture(observation(2, type_run([sample(1, value=61)]))).status, 0)
        self.assertEqual((self.events(2), self.values()), ([(1, "representation_changed")], [60.0, 61.0]))

    def test_records_without_a_uuid_after_an_interruption(self):
        """One of another payload is another sample, as it is in one page; what the cut-off part has seen must be there."""
        one, two = sample(None, source={"version": "1"}), sample(None, source={"version": "2"})
        visible = "SELECT version, event_kind FROM sample_observation_events e JOIN sample_versions v ON v.id = version_id JOIN source_revisions r ON r.id = source_revision_id ORDER BY e.id"
        for second in ([two, one], [one, two], [two, one, two]):
            with self.subTest(second=len(second)):
                self.assertEqual(self.cut_and_resumed([one], second).status, 0)
                self.assertEqual(self.rows(visible), [("1", "appeared")] + [("2", "appeared")] * second.count(two))
        self.assertEqual(self.cut_and_resumed([one], [two]).status, 2)
        self.assertEqual(self.rows(visible), [("1", "appeared")])
        # More of them than are looked at.
        many = [sample(None, source={"version": str(number)}) for number in range(300)]
        self.assertEqual(self.cut_and_resumed(many, [two, *many]).status, 0)
        self.assertEqual(self.rows("SELECT count(*), sum(last_observation_id IS NULL) FROM sample_visibility_ranges"), [(301, 301)])

    def test_a_sample_in_two_types(self):
        self.capture(observation(1, type_run([sample(1)]), type_run([sample(1, sample_type=STEPS)], sample_type=STEPS, first_page=2)))
        self.assertEqual(self.events(), [(1, "appeared")] * 2)

    def test_added_and_deleted_in_one_page(self):
        for name, page in (("added first", [sample(1), deleted(1)]), ("deleted first", [deleted(1), sample(1)])):
            with self.subTest(name):
                self.renew()
                self.capture(observation(1, type_run(page, mode="anchored")))
                self.assertEqual(self.events(), [(1, "appeared"), (1, "disappeared")])
                self.assertEqual(self.rows("SELECT first_observation_id, last_observation_id FROM sample_visibility_ranges"), [(1, 1)])
                self.assertEqual(self.rows("SELECT visible_record_count, appeared_count, disappeared_count FROM observation_type_summaries"), [(0, 0, 0)])

    def test_deleted_and_then_added_in_another_page(self):
        self.capture(observation(1, type_run([deleted(1)], [sample(1)], mode="anchored")))
        self.assertEqual(self.events(), [(1, "disappeared"), (1, "appeared")])
        self.assertEqual(self.rows("SELECT first_observation_id, last_observation_id FROM sample_visibility_ranges"), [(1, 1)])
        self.assertEqual(self.rows("SELECT semantic_fingerprint, fuzzy_key FROM samples"), [(None, None)])
        self.assertEqual(self.values(), [60.0])

    def test_what_was_visible_before_deleted_and_then_sent_in_another_page(self):
        for mode in ("anchored", "full_scan"):
            with self.subTest(mode):
                self.renew()
                self.capture(observation(1, type_run([sample(1)])), observation(2, type_run([deleted(1)], [sample(1)], mode=mode)))
                self.assertEqual(self.events(), [(1, "appeared"), (1, "disappeared")])
                self.assertEqual(self.rows("SELECT first_observation_id, last_observation_id FROM sample_visibility_ranges"), [(1, 2)])
                self.assertEqual(self.rows("SELECT visible_record_count, appeared_count, disappeared_count FROM observation_type_summaries ORDER BY observation_id"), [(1, 1, 0), (0, 0, 1)])

    def test_deletion_of_the_unknown_and_deletion_twice(self):
        self.capture(observation(1, type_run([deleted(1), deleted(1)], [deleted(1)], mode="anchored")), observation(2, type_run([deleted(1)], mode="anchored")))
        self.assertEqual(self.events(), [(1, "disappeared")] * 2)
        self.assertEqual(self.rows("SELECT count(*) FROM sample_visibility_ranges"), [(0,)])
        self.assertEqual(self.rows("SELECT DISTINCT version_id, evidence_kind FROM sample_observation_events"), [(None, "deleted_object")])
        self.assertEqual(self.rows("SELECT disappeared_count FROM observation_type_summaries"), [(0,), (0,)])

    def test_return_after_disappearance(self):
        self.capture(observation(1, type_run([sample(1)])), observation(2, type_run([deleted(1)], mode="anchored")), observation(3, type_run([sample(1)], mode="anchored")))
        self.assertEqual(self.events(), [(1, "appeared"), (1, "disappeared"), (1, "appeared")])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_versions"), [(1,)])

    def test_no_uuid(self):
        self.capture(observation(1, type_run([sample(), sample(), sample(minute=1)])), observation(2, type_run([sample(), sample(minute=1)])))
        self.assertEqual(self.events(2), [(None, "disappeared")])
        self.assertEqual(self.rows("SELECT count(*) FROM samples WHERE sample_uuid_hash IS NOT NULL"), [(0,)])

    def test_records_without_a_uuid_behind_pages_of_new_ones(self):
        """Behind four such pages records are not looked up any more; what they are does not depend on it."""
        changed = [sample(minute=number, source={"version": "2"}) for number in range(40)]
        known = [sample(minute=number) for number in range(40)]
        new = [[sample(minute=number)] for number in range(100, 106)]
        for name, page, events in (
                ("unchanged, changed, new, twice", [known[30], changed[31], sample(minute=200), known[32], known[32], sample(minute=201), sample(minute=201)], (4, 1)),
                ("alike, with another payload first", [changed[33], known[33]], (1, 0)),
                ("among them one that comes next in the archive", [changed[0], known[0], known[34]], (1, 0)),
                ("the pages behind", [known[30]], (0, 0))):
            with self.subTest(name):
                self.renew()
                again = [[record] for record in known[20:26]]
                self.capture(observation(1, type_run(known)), observation(2, type_run(*new, page, *again, mode="anchored")))
                kinds = [kind for _, kind in self.events(2)]
                self.assertEqual((kinds.count("appeared"), kinds.count("representation_changed")), (len(new) + events[0], events[1]))
                self.assertEqual(self.rows("SELECT max(id) - count(*) FROM samples"), [(0,)])

    # Values

    def test_numbers_that_are_none(self):
        """They are counted and never stored as NULL; a literal that JSON does not have is no line."""
        line = json.dumps(sample(1)).encode()
        for text in (b"1e999", b"-1e999", b"1" + b"0" * 400):
            with self.subTest(text[:10]):
                self.renew()
                begin, mark, end = type_run([])
                result = self.capture(observation(1, [begin, line.replace(b"60", text), sample(2), mark, end]))
                self.assertEqual(result.status, 1)
                self.assertEqual((self.statuses(), self.values()), (["needs_review"], [60.0]))
                self.assertEqual(self.rows("SELECT status, error_kind FROM observation_type_runs"), [("completed", "rejected_records")])
        for text in (b"NaN", b"Infinity", b"null", b'"60"', b"0x10", b".5", b"+1", b"01"):
            with self.subTest(text):
                self.renew()
                begin, mark, end = type_run([])
                self.refuse(observation(1, [begin, line.replace(b"60", text), mark, end]), words=["line 4"])

    def test_negative_zero(self):
        self.capture(observation(1, type_run([sample(1, value=-0.0)])), observation(2, type_run([sample(1, value=0)])))
        self.assertEqual(self.events(), [(1, "appeared")])
        self.assertEqual(self.rows("SELECT CAST(numeric_value AS TEXT) FROM sample_versions"), [("0.0",)])

    def test_dates_below_a_microsecond(self):
        dates = ["2024-05-01T00:00:" + second + "Z" for second in ("00.0000005", "00.0000015", "00.000002500", "00.000002501", "59.9999999")]
        self.capture(observation(1, type_run([sample(number, start_date=date, end_date=date) for number, date in enumerate(dates)])))
        self.assertEqual([round(start * 1e6) - 1714521600_000000 for (start,) in self.rows("SELECT start_date FROM sample_versions ORDER BY start_date")], [0, 2, 2, 3, 60_000_000])

    def test_dates_that_are_none(self):
        dates = ["2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:60Z", "0000-12-31T00:00:00Z", "-001-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2024-01-01T00:00:00+24:00",
                 "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:30:00-01:00"]
        self.capture(observation(1, type_run([sample(number, start_date=date) for number, date in enumerate(dates)])))
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(0,)])
        for date in ("2024-01-01", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-01-01t00:00:00z", "2024-1-1T00:00:00Z", ""):
            with self.subTest(date):
                self.renew()
                self.refuse(observation(1, type_run([sample(1, start_date=date)])))

    def test_the_first_and_the_last_moment(self):
        dates = ["0001-01-01T00:00:00Z", "9999-12-30T23:59:59.99Z", "0000-12-31T23:00:00-01:00", "10000-01-01T00:00:00+01:00"]
        self.both("--feed", feed(observation(1, type_run([sample(number, start_date=date, end_date=date) for number, date in enumerate(dates)]))))

    def test_days_at_the_ends_of_time(self):
        """Buckets whose bounds have no timestamp are not there; all else is."""
        dates = ["0001-01-01T00:00:00Z", "0001-01-01T23:00:00Z", "0001-01-02T12:00:00Z", "9999-12-30T12:00:00Z", "9999-12-30T23:00:00Z", "9999-12-31T12:00:00Z", "9999-12-31T23:59:59Z"]
        for offset, buckets in ((0, ["0001-01-01 00:00", "0001-01-02 00:00", "9999-12-30 00:00"]), (7200, ["0001-01-01 22:00", "9999-12-29 22:00", "9999-12-30 22:00"]),
                                (-7200, ["0001-01-01 02:00", "0001-01-02 02:00", "9999-12-30 02:00"])):
            with self.subTest(offset=offset):
                self.renew()
                records = [sample(number, start_date=date, end_date=date) for number, date in enumerate(dates)]
                for number, seen in ((1, records), (2, records[1:-1])):
                    line = {"kind": "observation", "observed_at": "2024-05-0%dT00:00:00Z" % number, "trigger_reason": "manual", "time_zone_seconds_from_gmt": offset}
                    self.assert_good(self.hp_capture("--feed", self.written(feed([line, *type_run(seen), {"kind": "observation_end", "status": "completed"}])), "--quiet"))
                    self.assertEqual(findings(self.archive), [])
                    result = hp_verify("archive", self.archive, "--json")
                    self.assertEqual([finding["code"] for finding in json.loads(result.out)["findings"]], [])
                self.assertEqual(self.rows("SELECT DISTINCT strftime('%Y-%m-%d %H:%M', bucket_start, 'unixepoch') FROM daily_type_aggregates ORDER BY 1"), [(bucket,) for bucket in buckets])
                self.assert_good(hp_export("repair", self.archive, "--ranges", "--aggregates", "--dry-run"))

    def test_end_before_start(self):
        self.capture(observation(1, type_run([sample(1, 5, end_date="2024-05-01T00:00:00Z")])))
        self.assertEqual(self.rows("SELECT end_date < start_date FROM sample_versions"), [(1,)])

    def test_an_os_version_that_says_nothing(self):
        self.capture(observation(1, type_run([sample(1, source={"name": "A", "operating_system_version": "0.0.0"}), sample(2, source={"operating_system_version": "0.0.0"})])))
        self.assertEqual(self.rows("SELECT operating_system_version FROM source_revisions"), [(None,)])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_versions WHERE source_revision_id IS NULL"), [(1,)])

    def test_an_empty_text_and_none(self):
        self.capture(observation(1, type_run([sample(1, unit=""), sample(2, unit=None), sample(3, source={"name": ""}), sample(4, source={"version": ""}), sample(5, source={}), sample(6, device={"name": ""})])))
        self.assertEqual(self.rows("SELECT unit, source_revision_id IS NULL, hk_device_id IS NULL FROM sample_versions ORDER BY id"),
                         [("", 1, 1), (None, 1, 1), ("count/min", 0, 1), ("count/min", 0, 1), ("count/min", 1, 1), ("count/min", 1, 0)])
        self.assertEqual(self.rows("SELECT count(*) FROM source_revisions"), [(2,)])

    def test_nul_in_a_text(self):
        self.capture(observation(1, type_run([sample(1, unit="a\x00b", source={"version": "\x00"}, metadata={"k\x00": "\x00v"}), sample(2, unit="a")])))
        self.assertEqual(self.rows("SELECT CAST(unit AS BLOB) FROM sample_versions ORDER BY id"), [(b"a\x00b",), (b"a",)])

    def test_bytes_that_are_no_text(self):
        line = json.dumps(sample(1, unit="@")).encode()
        for text in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\\ud800", b"\\udc00\\ud800", b"\x01"):
            with self.subTest(text):
                self.renew()
                begin, mark, end = type_run([])
                self.refuse(observation(1, [begin, line.replace(b"@", text), mark, end]), words=["line 4"])

    def test_metadata(self):
        begin, mark, end = type_run([])
        line = json.dumps(sample(1, metadata={"k": 1})).encode()
        given = lambda text: observation(1, [begin, line.replace(b'{"k": 1}', text), sample(2), mark, end])
        for name, text in (("a key twice", b'{"k":1,"k":1}'), ("a key twice, escaped", b'{"k":1,"\\u006b":1}'), ("a key twice, deep", b'{"x":[{"k":1,"k":2}]}'), ("too deep", b'{"a":' * 64 + b"{}" + b"}" * 64),
                           ("an array", b"[]"), ("null", b"null")):
            with self.subTest(name):
                self.renew()
                self.refuse(given(text), words=["line 4"])
        for name, text in (("infinite", b'{"x":1e999}'), ("infinite, deep", b'{"x":[{"y":-1e400}]}')):
            with self.subTest(name):
                self.renew()
                self.assertEqual(self.capture(given(text)).status, 1)
                self.assertEqual((self.events(), self.statuses()), ([(2, "appeared")], ["needs_review"]))
        for name, text in (("64 deep", b'{"a":' * 63 + b"{}" + b"}" * 63), ("10 MB", b'{"a":"' + b"x" * 10_000_000 + b'"}'), ("100,000 keys", json.dumps({"k%d" % number: number for number in range(100_000)}).encode()),
                           ("numbers", b'{"a":[1.0,1e2,-0.0,0.1e1,123456789012345678901234567890,5e-324,1e-400]}'), ("keys that are alike", '{"\u00e9":1,"e\u0301":2}'.encode())):
            with self.subTest(name):
                self.renew()
                self.assertEqual(self.capture(given(text)).status, 0)

    def test_unknown_types_units_categories_and_kinds(self):
        self.capture(observation(1, type_run([sample(1, sample_type="com.example.unheard", unit="furlong", value_kind="something_new"), sample(2, sample_type="com.example.unheard", value=None, unit=None, value_kind="category", category_value=2**53 - 1)],
                                             sample_type="com.example.unheard", category="unheard", display_name="Unheard")))
        self.assertEqual(self.rows("SELECT type_identifier, display_name, category FROM sample_types"), [("com.example.unheard", "Unheard", "unheard")])
        self.assertEqual(self.rows("SELECT value_kind, unit, category_value FROM sample_versions ORDER BY id"), [("something_new", "furlong", None), ("category", None, 2**53 - 1)])

    # Type runs

    def test_types_that_were_not_read(self):
        for status in ("failed", "unauthorized", "timed_out"):
            with self.subTest(status):
                self.renew()
                result = self.capture(observation(1, type_run([sample(1), sample(2)])), observation(2, type_run([sample(3)], end={"status": status, "error_kind": "HKError.5", "error_message": "no"})))
                self.assertEqual((result.status, self.statuses()), (1, ["completed", "partial_types"]))
                self.assertEqual(self.events(2), [(3, "appeared")])
                self.assertEqual(self.rows("SELECT status, error_kind, length(error_message_hash), verified_visible_count FROM observation_type_runs WHERE observation_id = 2"), [(status, "HKError.5", 64, None)])

    def test_a_failed_type_with_a_rejected_record_is_not_only_a_rejection(self):
        self.capture(observation(1, type_run([sample(1, start_date="2024-02-30T00:00:00Z")], end={"status": "failed"})))
        self.assertEqual(self.statuses(), ["partial_types"])

    def test_anchors_that_were_lost_are_corrupt_or_rejected(self):
        for problem in ("missing", "corrupt", "rejected"):
            with self.subTest(problem):
                self.renew()
                self.capture(observation(1, type_run([sample(1), sample(2)], end={"anchor_after": "AAED"})), observation(2, type_run([sample(1)], anchor_problem=problem, end={"anchor_after": "AAEE"})))
                self.assertEqual(self.rows("SELECT status, error_kind, anchor_before, anchor_after FROM observation_type_runs ORDER BY id"), [("completed", None, None, b"\x00\x01\x03"), ("completed", "anchor_" + problem, None, b"\x00\x01\x04")])
                self.assertEqual(self.events(2), [(2, "disappeared")])
        self.refuse(observation(3, type_run(mode="anchored", anchor_problem="missing")))

    def test_cancel(self):
        for status in ("cancelled", "failed"):
            with self.subTest(status):
                self.renew()
                lines = observation(1, type_run([sample(1)], [sample(2)]))
                self.capture([*lines[:4], {"kind": "observation_end", "status": status}])
                self.assertEqual(self.rows("SELECT o.status, r.status, error_kind FROM observations o, observation_type_runs r"), [(status, "failed", "source_" + status)])
                self.capture(lines)
                self.assertEqual((self.statuses(), self.events(1), self.events(2)), ([status, "completed"], [(1, "appeared")], [(2, "appeared")]))

    # Time

    def test_unknown_and_changed_time_zones(self):
        zones = ["Mars/Phobos", "", "../../etc/passwd", "/etc/localtime", "Europe", "UTC", "Pacific/Apia"]
        for day, zone in enumerate(zones, 1):
            with self.subTest(zone):
                if zone:
                    self.capture(observation(day, type_run([sample(1, 1430)]), time_zone_identifier=zone, time_zone_seconds_from_gmt=3600))
                else:
                    self.refuse(observation(day, type_run([sample(1)]), time_zone_identifier=zone))

    def test_offsets_of_fourteen_hours(self):
        for day, seconds in enumerate((50_400, -50_400, 0, 86_399, -86_399), 1):
            self.capture(observation(day, type_run([sample(1, 1)]), time_zone_seconds_from_gmt=seconds))
        self.assertEqual(self.rows("SELECT bucket_start - 1714521600, bucket_end - bucket_start FROM daily_type_aggregates ORDER BY observation_id"),
                         [(-50_400, 86_400), (50_400 - 86_400, 86_400), (0, 86_400), (1, 86_400), (-1, 86_400)])

    def test_days_on_which_clocks_change(self):
        moments = ["2024-03-30T23:00:00Z", "2024-03-31T20:59:59Z", "2024-03-31T21:00:00Z", "2024-10-26T21:00:00Z", "2024-10-27T21:59:59.999999Z", "2024-10-27T22:00:00Z"]
        self.capture(observation(1, type_run([sample(number, start_date=moment) for number, moment in enumerate(moments)]), time_zone_identifier="Europe/Bucharest"))
        self.assertEqual(self.rows("SELECT (bucket_end - bucket_start) / 3600, visible_record_count FROM daily_type_aggregates ORDER BY bucket_start"), [(23, 2), (24, 1), (25, 2), (24, 1)])

    def test_a_record_that_keeps_its_uuid_moves_to_another_day(self):
        """The day that it left has a row, too: with what is left of it, or with none."""
        moved = lambda number, day: sample(number, start_date="2024-05-%02dT10:00:00Z" % day, end_date="2024-05-%02dT10:00:00Z" % day)
        self.capture(observation(1, type_run([moved(1, 1), moved(2, 3), moved(3, 3)])), observation(2, type_run([moved(1, 2), moved(2, 4), moved(3, 3)])))
        self.assertEqual(self.rows("SELECT observation_id, (bucket_start - 1714521600) / 86400 + 1, visible_record_count FROM daily_type_aggregates WHERE source_revision_id IS NULL ORDER BY 1, 2"),
                         [(1, 1, 1), (1, 3, 2), (2, 1, 0), (2, 2, 1), (2, 3, 1), (2, 4, 1)])
        self.assertEqual(self.rows("SELECT event_kind, count(*) FROM sample_observation_events WHERE observation_id = 2 GROUP BY 1"), [("representation_changed", 2)])

    def test_a_clock_before_the_last_observation(self):
        self.capture(observation(2, type_run([sample(1)])))
        self.assertEqual(self.capture(observation(1, type_run([sample(1)]))).status, 1)
        self.assertEqual(self.statuses(), ["completed", "needs_review"])
        self.assertEqual(self.rows("SELECT observation_id, clock_code, clock_skew_seconds FROM observation_facts WHERE clock_code IS NOT NULL"),
                         [(2, "clock_backwards", -86400)])
        before = dump(self.archive)
        # Both were captured before, and are compared with what the chain showed then.
        self.assertEqual(self.capture(observation(2, type_run([sample(1)]))).status, 0)
        self.assertEqual(self.capture(observation(1, type_run([sample(1)]))).status, 1)
        for day in (1, 2):
            self.refuse(observation(day, type_run([sample(1), sample(2)])), words=["was captured before, and this source differs from it"])
        self.assertEqual(dump(self.archive), before)

    def test_the_same_time_with_other_evidence(self):
        self.capture(observation(1, type_run([sample(1)])))
        before = dump(self.archive)
        self.refuse(observation(1, type_run([sample(1), sample(2)])))
        self.refuse(observation(1, type_run([sample(2)])))
        self.refuse(observation(1, type_run([])))
        self.assertEqual(dump(self.archive), before)

    # The rest

    def test_ends_that_leave_out_what_they_must_state(self):
        cut = [*type_run([sample(1)])[:-2], {"kind": "page"}]
        self.refuse(observation(1, cut), words=("feed.jsonl: line 5: /number: missing",))
        cut = [*type_run([sample(1)])[:-1], {"kind": "run_end", "sample_type": HEART_RATE}]
        self.refuse(observation(1, cut), words=("feed.jsonl: line 6: /status: missing",))

    def test_a_source_whose_reading_fails(self):
        # The memory of the process at 0, where there is none.
        for option in ("--feed", "--apple-health"):
            result = self.hp_capture(option, "/proc/self/mem", "--quiet")
            self.assert_refused(result, "/proc/self/mem: cannot read: input/output error")

    def test_that_an_archive_is_new_is_said_where_it_stays(self):
        half = self.written(feed() + b"{}\n", "half.jsonl")
        for option, path, stays in ("--apple-health", "/proc/self/mem", False), ("--feed", "/proc/self/mem", False), ("--feed", half, True):
            with self.subTest(option=option, path=path):
                result = self.hp_capture(option, path)
                self.assertEqual(result.status, 2, result)
                self.assertEqual((self.archive.exists(), "archive.sqlite: a new archive\n" in result.err), (stays, stays))

    def test_an_archive_that_is_a_loop_of_links(self):
        self.archive.symlink_to(self.archive.name)
        path = self.written(feed(observation(1, type_run([sample(1)]))))
        for options in ((), ("--dry-run",)):
            result = self.hp_capture("--feed", path, "--quiet", *options)
            self.assert_refused(result, "archive.sqlite: cannot examine: too many levels of symbolic links")

    def test_an_index_that_leads_to_no_row_is_seen_before_anything_is_written(self):
        lines = type_run([sample(number) for number in range(1, 5)])
        self.capture(observation(1, lines))
        execute(self.archive, "PRAGMA journal_mode = DELETE")
        name = "idx_samples_uuid_hash"
        with database(self.archive) as connection:
            row = connection.execute("SELECT * FROM sqlite_master WHERE name = ?", (name,)).fetchone()
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))
            connection.execute("PRAGMA writable_schema = RESET")
            connection.execute(
                "DELETE FROM samples WHERE sample_uuid_hash = (SELECT max(sample_uuid_hash) FROM samples)")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("PRAGMA writable_schema = RESET")
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("wrong # of entries in index " + name,)])
        before = self.archive.read_bytes()
        result = self.hp_capture("--feed", self.written(feed(observation(2, lines))), "--quiet")
        self.assert_refused(result, "archive.sqlite: an index of samples leads to a row that is not there")
        self.assertEqual(self.archive.read_bytes(), before)

    def test_patterns_of_private_metadata_that_are_none(self):
        path = self.written(feed(observation(1, type_run([sample(1)]))))
        self.assert_good(self.hp_capture("--feed", path, "--quiet"))
        # Spec/identity.md: a canonical array of texts that are not empty, sorted by bytes, each once.
        for text in ("", "x", "[", '["a"', "{}", '["b","a"]', '["a","a"]', '["a", "b"]', "[1]", '[""]'):
            with self.subTest(text):
                execute(
                    self.archive, "INSERT OR REPLACE INTO archive_metadata VALUES ('private_metadata', '%s')" % text)
                result = self.hp_capture("--feed", path, "--quiet")
                self.assert_refused(result, "archive.sqlite: archive_metadata: private_metadata is no list of patterns")

    def test_a_missing_or_changed_secret(self):
        """A new chain begins; what is there keeps the HMACs that it has."""
        self.capture(observation(2, type_run([sample(1), sample(None, 5)])))
        before = self.rows("SELECT id, sample_uuid_hash FROM samples ORDER BY id")
        for day in (1, 3):
            self.secret.unlink()
            if day == 1:
                self.secret.write_text(SECRET.replace("00", "11"))
                self.secret.chmod(0o600)
            path = self.written(feed(observation(day, type_run([sample(1), sample(None, 5)]))))
            self.assert_refused(self.hp_capture("--feed", path), "--new-chain")
            self.assert_good(self.hp_capture("--feed", path, "--new-chain"))
            self.assertEqual(findings(self.archive), [])
            self.assertEqual(self.rows("SELECT id, sample_uuid_hash FROM samples ORDER BY id LIMIT 2"), before)
        self.assertEqual(self.rows("SELECT count(DISTINCT device_chain_hash), sum(recovered_from_keychain) FROM device_chains"), [(3, 1)])
        # The one with a UUID is another sample each time; the one without is the same, visible on three chains.
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [(4,)])
        self.assertEqual(self.rows("SELECT count(*) FROM sample_visibility_ranges WHERE last_observation_id IS NULL"), [(6,)])

    def test_relationships_to_what_was_not_seen(self):
        link = lambda source, target: {"kind": "relationship", "source": {"sample_type": HEART_RATE, "uuid": uuid(source)}, "target": {"sample_type": SLEEP, "uuid": uuid(target)}, "relationship_kind": "member"}
        self.capture(observation(1, type_run([sample(1), link(1, 2), link(1, 1), link(3, 2), link(1, 2)])), observation(2, type_run([link(1, 2), sample(1), sample(3)]), type_run([sample(2, sample_type=SLEEP)], sample_type=SLEEP, first_page=2)))
        self.assertEqual(self.rows("SELECT observation_id, count(*) FROM sample_relationships"), [(1, 3)])
        self.assertEqual(self.rows("SELECT count(*) FROM samples WHERE fuzzy_key IS NULL"), [(3,)])
        self.assertEqual(sorted(self.events(2)), [(2, "appeared"), (3, "appeared")])

    @takes_long
    def test_many_samples_in_little_memory(self):
        """Stands for the ten millions, which are captured by hand."""
        path = self.folder / "feed.jsonl"
        with open(path, "wb") as file:
            lines = observation(1, type_run())
            file.write(feed(lines[:2]))
            for page in range(20):
                for number in range(5000):
                    file.write(json.dumps(sample(page * 5000 + number, number % 1440)).encode() + b"\n")
                file.write(b'{"kind":"page","number":%d}\n' % (page + 1))
            file.write(feed(lines[2:]).split(b"\n", 1)[1])
        import resource
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.assert_good(self.hp_capture("--feed", path, preexec_fn=limit))
        self.assertEqual(self.rows("SELECT visible_record_count FROM observation_type_summaries"), [(100_000,)])


if __name__ == "__main__":
    unittest.main()
