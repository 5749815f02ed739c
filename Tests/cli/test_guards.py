"""The guards of a capture (Spec/capture.md, "Guards"): a wrong export or a lost secret changes nothing, unless an option goes on."""

import hashlib
import json
import random
import unittest

from capture_support import (
    HEART_RATE, SECRET, STEPS, CaptureCase, feed, observation, reference, Refused, sample, type_run,
)
from support import contents, execute, hp_export, lines_of, takes_long

DATES = ["2024-05-%02d 10:00:00 +0200" % day for day in range(1, 29)]


def record(number, sample_type=HEART_RATE, unit="count/min"):
    start = "2024-04-%02d %02d:%02d:00 +0200" % (1 + number // 1440, number // 60 % 24, number % 60)
    return '<Record type="%s" sourceName="Test" unit="%s" startDate="%s" endDate="%s" value="%d"/>\n' % (sample_type, unit, start, start, 60 + number % 7)


def export(day, *records, born="1980-01-02", end="</HealthData>"):
    me = "" if born is None else '<Me HKCharacteristicTypeIdentifierDateOfBirth="%s" HKCharacteristicTypeIdentifierBiologicalSex=""/>\n' % born
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en">\n<ExportDate value="%s"/>\n%s%s%s' % (DATES[day - 1], me, "".join(records), end)).encode()


def beats(*numbers):
    return [record(number) for number in numbers]


def steps(*numbers):
    return [record(number, STEPS, "count") for number in numbers]


class GuardCase(CaptureCase):
    def setUp(self):
        super().setUp()
        # The archive with its secret stands in a folder of its own, so that everything beside it is seen.
        self.home = self.folder / "home"
        self.home.mkdir()
        self.archive, self.own = self.home / "archive.sqlite", self.home / "archive.sqlite.secret"

    def capture(self, content, *options, status=0):
        option = "--feed" if content.startswith(b'{"') else "--apple-health"
        result = hp_export("capture", self.archive, option, self.written(content, "input"), *options)
        self.assertEqual(result.status, status, result)
        return result

    def refused(self, content, *words, options=()):
        """Nothing changes: neither the archive, nor its log, nor what lies beside it."""
        before = (contents(self.archive), self.names(self.home)) if self.archive.exists() else (None, self.names(self.home))
        result = hp_export("capture", self.archive, "--feed" if content.startswith(b'{"') else "--apple-health", self.written(content, "input"), "--quiet", *options)
        self.assert_refused(result, *words)
        self.assertEqual((contents(self.archive), self.names(self.home)) if self.archive.exists() else (None, self.names(self.home)), before)
        return result

    def overrides(self):
        return [json.loads(detail) for detail, in self.rows("SELECT detail_json FROM context_log WHERE event_kind = 'guard_overridden' ORDER BY id")]


class Disappearances(GuardCase):
    def test_more_than_half_of_what_is_visible(self):
        self.capture(export(1, *beats(*range(10)), *steps(*range(10))))
        words = "archive.sqlite: the export would close 11 of 20 visible records: %s 10 of 10, %s 1 of 10; --accept-disappearances" % (STEPS, HEART_RATE)
        self.refused(export(2, *beats(*range(9))), words)
        # Half is not more than half.
        self.capture(export(2, *beats(*range(10))))
        self.assertEqual(self.overrides(), [])

    def test_the_option_goes_on_and_is_logged(self):
        self.capture(export(1, *beats(*range(10))))
        self.refused(export(2, *beats(3)), "would close 9 of 10")
        self.capture(export(2, *beats(3)), "--accept-disappearances")
        self.assertEqual(self.rows("SELECT event_kind, count(*) FROM sample_observation_events WHERE observation_id = 2 GROUP BY 1"), [("disappeared", 9)])
        self.assertEqual(self.overrides(), [{"closed": 9, "option": "accept-disappearances", "visible": 10}])

    def test_the_option_is_not_logged_where_nothing_was_overruled(self):
        self.capture(export(1, *beats(*range(10))), "--accept-disappearances", "--accept-person", "--new-chain")
        self.capture(export(2, *beats(*range(9))), "--accept-disappearances", "--accept-person", "--new-chain")
        self.assertEqual(self.overrides(), [])

    def test_all_records_of_a_type_with_over_a_hundred(self):
        self.capture(export(1, *beats(*range(400)), *steps(*range(101))))
        self.refused(export(2, *beats(*range(400))), "would close 101 of 501 visible records: %s 101 of 101; --accept-disappearances" % STEPS)
        self.capture(export(2, *beats(*range(400)), *steps(7)))

    def test_all_of_a_hundred_are_few(self):
        self.capture(export(1, *beats(*range(400)), *steps(*range(100))))
        self.capture(export(2, *beats(*range(400))))

    def test_three_types_are_named(self):
        types = ["HKQuantityTypeIdentifier" + name for name in ("BodyMass", "Height", "StepCount", "HeartRate")]
        self.capture(export(1, *[record(number, name, "count") for size, name in enumerate(types, 1) for number in range(size)]))
        self.refused(export(2, record(2000)), "would close 10 of 10 visible records: %s 4 of 4, %s 3 of 3, %s 2 of 2; --accept" % (types[3], types[2], types[1]))

    def test_an_export_without_records(self):
        self.refused(export(1), "archive.sqlite: the export has no records and would close 0 of 0 visible records; --accept-disappearances")
        self.assertEqual(self.names(self.home), [])
        self.capture(export(1, *beats(*range(3))))
        self.refused(export(2), "the export has no records and would close 3 of 3 visible records: %s 3 of 3" % HEART_RATE)
        self.capture(export(2), "--accept-disappearances")

    def test_an_export_that_ends_early_closes_nothing(self):
        self.capture(export(1, *beats(*range(10))))
        self.capture(export(2, *beats(1), end=""), status=1)
        self.assertEqual(self.rows("SELECT count(*) FROM sample_visibility_ranges WHERE last_observation_id IS NULL"), [(10,)])

    def test_pages_before_the_refusal_are_taken_back(self):
        """More records than a page has, all new."""
        self.capture(export(1, *beats(*range(300))))
        self.refused(export(2, *steps(*range(9000))), "would close 300 of 300")
        self.capture(export(3, *beats(*range(300))))

    def test_the_right_export_follows_a_refused_one(self):
        self.capture(export(1, *beats(*range(10))))
        self.refused(export(3, *beats(50)), "would close 10 of 10")
        self.capture(export(2, *beats(*range(11))))
        self.assertEqual(self.rows("SELECT id, status FROM observations"), [(1, "completed"), (2, "completed")])


class Reference(CaptureCase):
    @takes_long
    def test_both_refuse_the_same(self):
        """The plain capture counts from ranges and events, the tool from summaries."""
        chance, refused = random.Random(11), 0
        for _ in range(6):
            self.renew()
            for day in range(1, 7):
                kept = chance.choice([0, 1, 50, 101, 110])
                content = export(day, *beats(*chance.sample(range(150), chance.choice([3, 40, 70, 101]))), *steps(*range(kept)), end=chance.choice(["</HealthData>"] * 5 + [""]))
                result = self.hp_capture("--apple-health", self.written(content, "export.xml"), "--quiet")
                try:
                    reference.capture(str(self.plain), str(self.secret), str(self.folder / "export.xml"))
                except Refused as refusal:
                    self.assert_refused(result, str(refusal))
                    refused += 1
                else:
                    self.assertLess(result.status, 2, result)
                self.assert_same()
        self.assertGreater(refused, 5)
        self.assertLess(refused, 30)


class Secrets(GuardCase):
    def test_a_secret_that_is_missing(self):
        self.capture(export(1, *beats(*range(3))))
        self.own.unlink()
        self.refused(export(2, *beats(*range(3))), "archive.sqlite: has 1 observation of Apple Health exports, and there is no secret ", "archive.sqlite.secret; --new-chain goes on")
        self.assertEqual(self.names(self.home), [b"archive.sqlite"])
        self.capture(export(2, *beats(*range(3))), "--new-chain")
        self.assertEqual(self.rows("SELECT count(*) FROM device_chains"), [(2,)])
        self.assertEqual(self.overrides(), [{"observations": 1, "option": "new-chain"}])
        # The new secret is the archive's from now on.
        self.capture(export(3, *beats(*range(3))))

    def test_a_secret_of_another_archive(self):
        self.capture(export(1, *beats(*range(3))))
        result = self.refused(export(2, *beats(*range(3))), "has 1 observation of Apple Health exports", "secret is the secret of another chain; --new-chain", options=("--secret", self.secret))
        self.assertIn("--secret FILE", result.err)

    def test_a_feed(self):
        self.capture(feed(observation(1, type_run([sample(1)])), observation(2, type_run([sample(1)]))))
        self.own.unlink()
        self.refused(feed(observation(3, type_run([sample(1)]))), "has 2 observations of a health store, and there is no secret ")
        self.assertEqual(self.names(self.home), [b"archive.sqlite"])

    def test_another_kind_of_source_begins_its_chain(self):
        self.capture(feed(observation(1, type_run([sample(1)]))))
        self.capture(export(1, *beats(*range(3))))
        self.own.unlink()
        self.refused(export(2, *beats(*range(3))), "has 1 observation of Apple Health exports")

    def test_an_export_that_fails_leaves_no_secret(self):
        for content in (b"<HealthData/>", b"", b"no export", export(1, *beats(1))[:40], export(1, *["<E%d/>" % number for number in range(5000)])):
            with self.subTest(content[:20]):
                result = hp_export("capture", self.archive, "--apple-health", self.written(content, "input"))
                self.assertEqual(result.status, 2, result)
                self.assertEqual(self.names(self.home), [])

    def test_a_feed_whose_first_line_is_none_leaves_no_secret(self):
        result = hp_export("capture", self.archive, "--feed", self.written(b"{}\n", "input"))
        self.assertEqual(result.status, 2, result)
        self.assertNotIn(b"archive.sqlite.secret", self.names(self.home))


class Damaged(GuardCase):
    """Rows that a capture goes on with, and that another tool wrote."""

    def base(self):
        for path in self.home.iterdir():
            path.unlink()
        self.capture(feed(observation(1, type_run([sample(1), sample(2, 1), sample(3, 2)]))), "--quiet")

    def test_a_newest_observation_without_a_date(self):
        """Nobody knows whether the next one is newer."""
        for value in ("'soon'", "9e999", "x'00'"):
            with self.subTest(value):
                self.base()
                execute(self.archive, "UPDATE observations SET observed_at = " + value)
                words = "archive.sqlite: the newest observation of this device chain has no id or no date"
                result = self.refused(feed(observation(2, type_run([sample(1)]))), words)
                self.assertIn("hint: hp-verify archive names the values", result.err)

    def test_the_last_id_is_taken(self):
        more = feed(observation(2, type_run([sample(1), sample(2, 1), sample(4, 3)])))
        for table, column in (("samples", "sample_id"), ("sample_versions", "version_id")):
            with self.subTest(table):
                self.base()
                execute(self.archive, "PRAGMA foreign_keys = OFF",
                        "UPDATE %s SET id = 9223372036854775807 WHERE id = 3" % table,
                        "UPDATE sample_visibility_ranges SET %s = 9223372036854775807 WHERE %s = 3" % (column, column))
                result = hp_export("capture", self.archive, "--feed", self.written(more, "input"), "--quiet")
                self.assert_refused(result, "archive.sqlite: samples or sample_versions has no id left")
                self.assertEqual(self.rows("SELECT count(*) FROM " + table), [(3,)])

    def test_a_sample_that_is_visible_twice_is_gone_once(self):
        """A full scan without it ends both ranges, and the observation has one event of it."""
        self.base()
        execute(self.archive, "INSERT INTO sample_visibility_ranges SELECT sample_id, NULL, first_observation_id, NULL,"
                " first_seen_at, NULL FROM sample_visibility_ranges WHERE sample_id = 3")
        self.capture(feed(observation(2, type_run([sample(1), sample(2, 1)]))), "--quiet")
        self.assertEqual(self.rows("SELECT version_id, last_observation_id FROM sample_visibility_ranges"
                                   " WHERE sample_id = 3 ORDER BY version_id"), [(None, 2), (3, 2)])
        self.assertEqual(self.rows("SELECT version_id, event_kind FROM sample_observation_events"
                                   " WHERE sample_id = 3 AND observation_id = 2"), [(3, "disappeared")])


class Persons(GuardCase):
    def test_another_person(self):
        self.capture(export(1, *beats(*range(10))))
        self.refused(export(2, *beats(*range(10)), born="1990-01-02"), "archive.sqlite: the export is of a person with another birth date than those before; --accept-person goes on")
        self.capture(export(2, *beats(*range(10)), born="1990-01-02"), "--accept-person")
        self.assertEqual(self.overrides(), [{"option": "accept-person"}])
        self.capture(export(3, *beats(*range(10)), born="1990-01-02"))

    def test_a_birth_date_is_compared_where_both_have_one(self):
        self.capture(export(1, *beats(*range(10)), born=None))
        self.capture(export(2, *beats(*range(10))))
        self.capture(export(3, *beats(*range(10)), born=""))
        self.refused(export(4, *beats(*range(10)), born="1980-01-03"), "--accept-person")

    def test_the_hash_is_keyed_and_stays_in_the_archive(self):
        """HMAC-SHA256 of the secret over the domain and the date as it is written."""
        import hmac
        self.own.write_text(SECRET)
        self.own.chmod(0o600)
        self.capture(export(1, *beats(*range(10))))
        expected = hmac.new(bytes(range(32)), b"hp:v2:person:1980-01-02", hashlib.sha256).hexdigest()
        self.assertEqual(self.rows("SELECT person_hash FROM observation_facts WHERE person_hash IS NOT NULL"), [(expected,)])
        for options in ((), ("--history",)):
            text = b"\n".join(lines_of_export(self, *options))
            self.assertNotIn(expected.encode(), text)
        self.assertNotIn(b"1980-01-02", self.archive.read_bytes())

    def test_undo_forgets_the_person(self):
        self.capture(export(1, *beats(*range(10)), born=None))
        self.capture(export(2, *beats(*range(10)), born="1990-01-02"))
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.capture(export(2, *beats(*range(10))))


def lines_of_export(case, *options):
    out = case.folder / "out.zst"
    case.assert_good(hp_export("bundle", case.archive, "-o", out, "--force", *options))
    return lines_of(out)


if __name__ == "__main__":
    unittest.main()
