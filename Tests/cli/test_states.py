"""hp-export capture: what a type run states of its type, what rejected records withhold, and what continues nothing; each step as the reference takes it."""

import datetime
import json
import unittest

from capture_support import HEART_RATE, STEPS, CaptureCase, deleted, feed, observation, sample, type_run
from support import execute, hp_export, hp_verify, lines_of

STATES = """
    SELECT u.observation_id, u.status, u.verified_visible_count, f.mode, f.state, f.last_verified_observation_id, f.discontinuity
    FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id ORDER BY u.id"""


def health(day, *records):
    """An Apple Health export of a day of May 2024."""
    return ("<?xml version=\"1.0\"?>\n<HealthData locale=\"en_US\">\n <ExportDate value=\"2024-05-%02d 10:00:00 +0000\"/>\n%s</HealthData>\n" % (
        day, "".join(" %s\n" % record for record in records))).encode()


def record(minute, value=60, sample_type=HEART_RATE, start=None, end=None):
    moment = "2024-04-01 %02d:%02d:00 +0000" % divmod(minute, 60)
    return '<Record type="%s" sourceName="Watch" unit="count/min" startDate="%s" endDate="%s" value="%s"/>' % (
        sample_type, moment if start is None else start, moment if end is None else end, value)


class States(CaptureCase):
    def states(self):
        return self.rows(STATES)

    def statuses(self):
        return [row[0] for row in self.rows("SELECT status FROM observations ORDER BY id")]

    def anchored(self, day, before, after, *lines, end=None, **begin):
        return self.both("--feed", feed(observation(day, type_run([*lines], mode="anchored", anchor_before=before, end={"anchor_after": after, **(end or {})}, **begin))))

    def scan(self, day, after, *lines, end=None):
        return self.both("--feed", feed(observation(day, type_run([*lines], end={"anchor_after": after, **(end or {})}))))

    def test_a_full_scan_verifies_and_anchored_runs_continue(self):
        self.scan(1, "AAAA", sample(1), sample(2, 1))
        self.anchored(2, "AAAA", "AAAB", sample(3, 2))
        self.anchored(3, "AAAB", "AAAC", deleted(1))
        self.assertEqual(self.states(), [
            (1, "completed", 2, "full_scan", "verified", 1, None), (2, "completed", None, "anchored", "continued", 1, None),
            (3, "completed", None, "anchored", "continued", 1, None)])
        self.assertEqual(self.statuses(), ["completed"] * 3)

    def test_runs_that_verified_nothing_have_no_count(self):
        self.scan(1, "AAAA", sample(1))
        for day, status in ((2, "unauthorized"), (3, "failed"), (4, "timed_out")):
            self.both("--feed", feed(observation(day, type_run(mode="anchored", anchor_before="AAAA", end={"status": status}))))
        self.anchored(5, "AAAA", "AAAB")
        self.assertEqual([(row[2], row[4], row[5]) for row in self.states()], [(1, "verified", 1)] + [(None, "unknown", 1)] * 3 + [(None, "continued", 1)])

    def test_a_broken_anchor_verifies_nothing_until_a_full_scan(self):
        self.scan(1, "AAAA", sample(1))
        self.assertEqual(self.anchored(2, "AAZZ", "AAAB").status, 1)
        self.anchored(3, "AAAB", "AAAC", end={"verified_visible_count": 1})
        self.anchored(4, "AAAC", "AAAD")
        self.scan(5, "AAAE", sample(1))
        self.anchored(6, "AAAE", "AAAF")
        self.assertEqual([row[4:] for row in self.states()], [
            ("verified", 1, None), ("unknown", 1, "anchor_broken"), ("verified", 3, None), ("continued", 3, None), ("verified", 5, None), ("continued", 5, None)])
        self.assertEqual(self.statuses(), ["completed", "needs_review"] + ["completed"] * 4)

    def test_an_anchor_that_the_archive_never_saw_is_broken(self):
        self.anchored(1, "AAAA", "AAAB", sample(1))
        self.anchored(2, "AAAB", "AAAC")
        self.assertEqual([row[4:] for row in self.states()], [("unknown", None, "anchor_broken"), ("unknown", None, None)])

    def test_a_stated_count_agrees_or_is_looked_at(self):
        self.scan(1, "AAAA", *[sample(n, n) for n in range(6)], end={"verified_visible_count": 99})
        self.anchored(2, "AAAA", "AAAB", end={"verified_visible_count": 6})
        self.anchored(3, "AAAB", "AAAC", end={"verified_visible_count": 5})
        self.assertEqual([(row[2], *row[4:]) for row in self.states()], [(None, "unknown", None, "count_differs"), (6, "verified", 2, None), (None, "unknown", 2, "count_differs")])
        self.assertEqual(self.statuses(), ["needs_review", "completed", "needs_review"])
        self.assertEqual(self.rows("SELECT stated_count FROM type_run_facts ORDER BY 1"), [(5,), (6,), (99,)])

    def test_a_check_adds_no_rejected_counts_beyond_the_integers(self):
        self.scan(1, "AAAA", sample(1), end={"verified_visible_count": 1})
        execute(self.archive, *(
            "INSERT INTO rejected_records(device_chain_id, sample_type_id, content_hash, record_count, reason, place, first_observation_id) "
            "SELECT o.device_chain_id, u.sample_type_id, '%064x', 9223372036854775807, 'date', 'line 1', o.id "
            "FROM observations o JOIN observation_type_runs u ON u.observation_id = o.id LIMIT 1" % number for number in range(3)))
        result = hp_verify("archive", self.archive, "--only", "aggregates", "--json")
        self.assertIn(result.status, (0, 1), result)
        self.assertEqual(result.err, "")

    def test_a_clock_that_runs_backwards(self):
        self.scan(3, "AAAA", sample(1))
        self.assertEqual(self.anchored(2, "AAAA", "AAAB", sample(2, 1)).status, 1)
        self.assertEqual(self.rows("SELECT observation_id, clock_code, clock_skew_seconds FROM observation_facts"), [(1, None, None), (2, "clock_backwards", -86400)])
        self.assertEqual(self.statuses(), ["completed", "needs_review"])
        self.assertEqual(self.states()[1][4:], ("continued", 1, "clock_backwards"))
        self.assert_good(hp_verify("archive", self.archive))
        execute(self.archive, "UPDATE observation_facts SET clock_code = NULL, clock_skew_seconds = NULL")
        self.assertIn(b"ranges.observation_order", hp_verify("archive", self.archive, "--json").out)

    def test_a_date_in_the_future_is_captured_on_request(self):
        ahead = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines = observation(1, type_run([sample(1)]))
        path = self.written(feed([{**lines[0], "observed_at": ahead}, *lines[1:]]))
        result = self.hp_capture("--feed", path, "--quiet")
        self.assert_refused(result, "more than a day in the future")
        self.assertIn("--accept-clock", result.err)
        self.assertEqual(self.rows("SELECT count(*) FROM observations"), [(0,)])
        self.assertEqual(self.hp_capture("--feed", path, "--accept-clock").status, 1)
        (code, skew), = self.rows("SELECT clock_code, clock_skew_seconds FROM observation_facts")
        self.assertEqual(code, "clock_ahead")
        self.assertTrue(2.9 * 86400 < skew < 3.1 * 86400)
        # It blocks nothing: the next one is of today.
        self.assertEqual(self.hp_capture("--feed", self.written(feed(observation(2, type_run([sample(1)]))))).status, 1)

    def test_a_date_in_the_future_may_be_a_day_ahead(self):
        """Nearly a day is taken as it is: the clock of the device may be ahead. A day and some minutes are not."""
        now = datetime.datetime.now(datetime.timezone.utc)
        for ahead, is_taken in ((86_400 - 60, True), (86_400 + 300, False)):
            with self.subTest(ahead):
                self.renew()
                lines = observation(1, type_run([sample(1)]))
                moment = (now + datetime.timedelta(seconds=ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")
                result = self.hp_capture("--feed", self.written(feed([{**lines[0], "observed_at": moment}, *lines[1:]])), "--quiet")
                if is_taken:
                    self.assert_good(result)
                    self.assertEqual(self.rows("SELECT clock_code, clock_skew_seconds FROM observation_facts"), [(None, None)])
                else:
                    self.assert_refused(result, "more than a day in the future")

    def test_a_summary_says_how_types_without_changes_stand(self):
        """Verified, continued or unknown with the reason; only the last leaves open whether nothing changed."""
        def standings(*options):
            text = self.assert_good(hp_export("diff", self.archive, "--summary", "--details", "--no-record", *options)).out.decode()
            lines = text.split("no change in")[1].splitlines()[1:] if "no change in" in text else []
            return dict(line.split(None, 1) for line in lines if line)

        self.scan(1, "AAAA", sample(1))
        self.scan(2, "AAAB", sample(1))
        self.assertEqual(standings(), {HEART_RATE: "verified unchanged"})
        self.anchored(3, "AAAB", "AAAC")
        self.assertEqual(standings(), {HEART_RATE: "continued unchanged"})
        self.both("--feed", feed(observation(4, type_run([sample(9, sample_type=STEPS)], sample_type=STEPS))))
        self.assertEqual(standings(), {HEART_RATE: "unknown: not asked at observation 4"})
        self.anchored(5, "AAZZ", "AAAD")
        self.assertEqual(standings(), {HEART_RATE: "unknown: not asked at observation 4; observation 5: its anchor is not that of the run before", STEPS: "unknown: not asked at observation 5"})
        self.both("--feed", feed(observation(6, type_run(mode="anchored", anchor_before="AAAD", end={"status": "unauthorized"}))))
        self.assertEqual(standings("--type", HEART_RATE), {HEART_RATE: "unknown: observation 5: its anchor is not that of the run before; run of observation 6 unauthorized"})
        self.assertEqual(standings("--type", STEPS, "--from", "1", "--to", "3"), {STEPS: "unknown: never queried up to observation 1; never queried up to observation 3"})
        # A type that changed stands in the table above.
        self.assertEqual(standings("--type", STEPS, "--from", "3", "--to", "4"), {})

    def test_a_summary_says_it_as_members_too(self):
        def standings(*options):
            out = self.assert_good(hp_export("diff", self.archive, "--summary", "--format", "jsonl", "--no-record", "--quiet", *options)).out
            items = [json.loads(line)["item"] for line in out.splitlines()[1:-1]]
            return {item["sample_type"]: (item["standing"], item.get("standing_reasons", [])) for item in items if "standing" in item}

        self.scan(1, "AAAA", sample(1))
        self.scan(2, "AAAB", sample(1))
        self.assertEqual(standings(), {HEART_RATE: ("verified", [])})
        self.anchored(3, "AAAB", "AAAC")
        self.assertEqual(standings(), {HEART_RATE: ("continued", [])})
        self.both("--feed", feed(observation(4, type_run([sample(9, sample_type=STEPS)], sample_type=STEPS))))
        self.assertEqual(standings(), {HEART_RATE: ("unknown", ["to_state_unknown"]), STEPS: ("changed", ["from_never_queried"])})
        self.anchored(5, "AAZZ", "AAAD")
        both = ("unknown", ["from_state_unknown", "to_state_unknown"])
        self.assertEqual(standings(), {HEART_RATE: both, STEPS: ("unknown", ["to_state_unknown"])})
        self.both("--feed", feed(observation(6, type_run(mode="anchored", anchor_before="AAAD", end={"status": "unauthorized"}))))
        self.assertEqual(standings("--type", HEART_RATE), {HEART_RATE: ("unknown", ["from_state_unknown", "to_run_not_completed"])})
        out = self.folder / "summary.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--summary", "--format", "jsonl", "--no-record", "-o", out))
        self.assert_good(hp_verify("bundle", out))

    def test_coverage_of_an_export_says_it(self):
        self.scan(1, "AAAA", sample(1), end={"verified_visible_count": 1})
        self.anchored(2, "AAAA", "AAAB")
        self.both("--feed", feed(observation(3, type_run([sample(9, sample_type=STEPS)], sample_type=STEPS, end={"verified_visible_count": 7}))))

        def coverage(at):
            self.assert_good(hp_export("bundle", self.archive, "--at", str(at), "-o", self.folder / "b.zst", "--force", "--no-record"))
            self.assert_good(hp_verify("bundle", self.folder / "b.zst"))
            header = json.loads(lines_of(self.folder / "b.zst")[0])["export"]
            return {entry["sample_type"]: {name: entry.get(name) for name in (
                "mode", "state", "last_verified_observation_id", "stated_count", "discontinuity")} for entry in header["coverage"]}

        heart = {"mode": "anchored", "state": "continued", "last_verified_observation_id": 1, "stated_count": None, "discontinuity": None}
        self.assertEqual(coverage(1)[HEART_RATE], {**heart, "mode": "full_scan", "state": "verified", "stated_count": 1})
        self.assertEqual(coverage(2)[HEART_RATE], heart)
        self.assertEqual(coverage(3)[HEART_RATE], {**heart, "state": "unknown"})
        run = type_run([sample(2, 1)], mode="anchored", anchor_before="AAAB", end={"anchor_after": "AAAC", "verified_visible_count": 5})
        self.both("--feed", feed(observation(2, run, observed_at="2024-06-02T12:00:00Z")))
        self.assertEqual(coverage(4)[HEART_RATE], {**heart, "state": "unknown", "stated_count": 5, "discontinuity": "count_differs clock_backwards"})
        self.assertEqual(coverage(3)[STEPS], {"mode": "full_scan", "state": "unknown", "last_verified_observation_id": None, "stated_count": 7, "discontinuity": "count_differs"})
        # The type was not asked for at the third observation.
        report = hp_export("diff", self.archive, "--from", "2", "--to", "3", "--format", "json", "--summary", "-o", self.folder / "d.json", "--no-record")
        self.assert_good(report)
        self.assert_good(hp_verify("bundle", self.folder / "d.json"))


class Rejected(CaptureCase):
    def health(self, day, *records, accepted=()):
        return self.both("--apple-health", health(day, *records), accepted=accepted)

    def visible(self):
        return self.rows("SELECT count(*) FROM sample_visibility_ranges WHERE last_observation_id IS NULL")[0][0]

    def run_of(self, observation):
        return self.rows("""SELECT u.status, u.error_kind, u.verified_visible_count, f.state, f.withheld_count FROM observation_type_runs u
                            JOIN type_run_facts f ON f.type_run_id = u.id WHERE u.observation_id = ?""", observation)

    def ranges(self, table="rejected_records"):
        return self.rows("SELECT first_observation_id, last_observation_id FROM %s ORDER BY id" % table)

    def test_a_record_that_is_rejected_in_every_export_withholds_nothing(self):
        bad = record(0, "much")
        self.health(1, bad, *[record(n) for n in range(1, 51)])
        self.assertEqual(self.run_of(1), [("completed", "rejected_records", None, "unknown", 0)])
        self.health(2, bad, *[record(n) for n in range(1, 11)], accepted=["accept-disappearances"])
        self.assertEqual(self.visible(), 10)
        self.assertEqual(self.run_of(2), [("completed", "rejected_records", 10, "verified", 0)])
        self.assertEqual(self.ranges(), [(1, None)])
        self.health(3, *[record(n) for n in range(1, 11)])
        self.assertEqual(self.ranges(), [(1, 3)])
        self.assert_good(hp_verify("archive", self.archive))

    def test_a_new_one_withholds_what_it_could_be(self):
        self.health(1, *[record(n) for n in range(10)], record(3, 70))
        self.health(2, record(3, "much"), *[record(n) for n in range(2)], accepted=["accept-disappearances"])
        # Of nine that are missing two begin when it begins.
        self.assertEqual(self.visible(), 4)
        self.assertEqual(self.run_of(2), [("completed", "rejected_records", None, "unknown", 2)])
        self.assertEqual(self.ranges("withheld_closures"), [(2, None), (2, None)])
        # It is still new beside what was seen before it.
        self.health(3, record(3, "much"), *[record(n) for n in range(2)])
        self.assertEqual((self.visible(), self.ranges("withheld_closures")), (4, [(2, None), (2, None)]))
        self.health(4, record(3, 70), *[record(n) for n in range(2)])
        self.assertEqual((self.visible(), self.ranges("withheld_closures")), (3, [(2, 4), (2, 4)]))
        self.assertEqual(self.run_of(4), [("completed", None, None, "unknown", 0)])

    def test_a_full_scan_that_withheld_a_closure_verifies_nothing(self):
        """A check works it out again: the archive holds, and one that says otherwise does not."""
        def found():
            value = json.loads(hp_verify("archive", self.archive, "--only", "aggregates", "--json").out)
            return sorted((finding["code"], finding["table"], finding["row"], finding["column"], finding["expected"]) for finding in value["findings"])

        self.health(1, *[record(n) for n in range(4)])
        self.health(2, record(3, "much"), *[record(n) for n in range(3)])
        self.assertEqual(self.run_of(2), [("completed", "rejected_records", None, "unknown", 1)])
        self.assertEqual(found(), [])
        self.assert_good(hp_verify("archive", self.archive))
        execute(self.archive, "UPDATE type_run_facts SET state = 'verified', last_verified_observation_id = 2 WHERE type_run_id = 2", "UPDATE observation_type_runs SET verified_visible_count = 4 WHERE id = 2")
        self.assertEqual(found(), [("aggregates.type_state", "observation_type_runs", 2, "verified_visible_count", "none"),
                                   ("aggregates.type_state", "type_run_facts", 2, "last_verified_observation_id", "1"), ("aggregates.type_state", "type_run_facts", 2, "state", "unknown")])

    def test_one_without_a_date_withholds_its_type_and_no_other(self):
        self.health(1, *[record(n) for n in range(5)], *[record(n, sample_type=STEPS) for n in range(5)])
        result = self.health(2, record(0, start="then"), record(0), record(0, sample_type=STEPS))
        self.assertEqual(self.visible(), 6)
        self.health(3, record(0, start="then"), record(0), record(0, sample_type=STEPS))
        self.assertEqual(self.visible(), 6)
        lists = {name: json.loads(hp_export("list", self.archive, name, "--json").out)[name] for name in ("rejected", "withheld")}
        self.assertEqual([(entry["reason"], entry["record_count"], entry["first_observation_id"]) for entry in lists["rejected"]], [("bad_date", 1, 2)])
        self.assertEqual([entry["sample_type"] for entry in lists["withheld"]], [HEART_RATE] * 4)
        del result
        said = self.hp_capture("--apple-health", self.written(health(4, record(0, start="then"), record(0)), "e.xml"), "--json")
        self.assertIn("4 records were not seen and stay visible", said.err)
        self.assertEqual(json.loads(said.out)["observations"][0]["withheld"], 4)

    def test_one_more_of_the_same_is_another(self):
        bad = record(3, "much")
        self.health(1, bad, record(3), record(4))
        self.health(2, bad, bad, record(4))
        self.assertEqual((self.visible(), self.ranges()), (2, [(1, 2), (2, None)]))
        self.health(3, bad, record(4))
        self.assertEqual((self.visible(), self.ranges()), (2, [(1, 2), (2, 3), (3, None)]))

    def test_one_without_a_type_could_be_any(self):
        self.health(1, record(1), record(2), record(2, sample_type=STEPS))
        self.health(2, record(2, sample_type="a b"), record(1))
        self.assertEqual(self.visible(), 3)
        self.assertEqual(self.rows("SELECT sample_type_id, reason FROM rejected_records"), [(None, "bad_type")])
        self.health(3, record(1), accepted=["accept-disappearances"])
        self.assertEqual((self.visible(), self.ranges()), (1, [(2, 3)]))

    def test_a_feed_withholds_too_and_anchored_runs_close_nothing(self):
        bad = sample(7, 3, value=1).copy()
        bad = json.dumps(bad).replace('"numeric_value": 1', '"numeric_value": 1e999').encode()
        page = lambda *lines: feed(observation(self.day, type_run([*lines])))
        self.day = 1
        self.both("--feed", page(sample(1, 3), sample(2, 4)))
        self.day = 2
        self.both("--feed", page(bad))
        self.assertEqual(self.visible(), 1)
        self.day = 3
        self.both("--feed", feed(observation(3, type_run([deleted(1)], mode="anchored"))))
        self.assertEqual((self.visible(), self.ranges("withheld_closures")), (0, [(2, 3)]))


if __name__ == "__main__":
    unittest.main()
