"""What is sent again (Spec/capture.md, "Sent again"): what is equal or shorter is skipped, what is longer becomes a new observation, what contradicts is refused with its place."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import time
import unittest

import health_exports
import histories
from capture_support import (
    HEART_RATE, SECRET, STEPS, CaptureCase, deleted, dump, feed, findings, observation, reference, Refused, sample,
    start_with_input, type_run, uuid,
)
from support import PATIENCE, contents, execute, hp_export, hp_verify, takes_long

NOTES = [
    observation(1, type_run([sample(1), sample(2, 1)], [sample(None, 5)], end={"anchor_after": "AAEC"})),
    observation(2, type_run([sample(1, 0, 70), sample(3, 2), deleted(2)], mode="anchored", anchor_before="AAEC", end={"anchor_after": "AAED"})),
    observation(3, type_run([sample(1, 0, 70), sample(None, 6)])),
]


class SentAgain(CaptureCase):
    def send(self, *observations, status=0, tail=b""):
        result = self.hp_capture("--feed", self.written(feed(*observations) + tail), "--json")
        self.assertEqual(result.status, status, result)
        return [(one["observation_id"], one["start"]) for one in json.loads(result.out)["observations"]] if status < 2 else result

    def test_a_feed_is_sent_again(self):
        self.assertEqual(self.send(*NOTES), [(1, "new"), (2, "new"), (3, "new")])
        before = contents(self.archive)
        self.assertEqual(self.send(*NOTES), [(1, "compared"), (2, "compared"), (3, "compared")])
        self.assertEqual(self.send(NOTES[1]), [(2, "compared")])
        self.assertEqual(self.send(NOTES[2], NOTES[0]), [(3, "compared"), (1, "compared")])
        self.assertEqual(contents(self.archive), before)

    @takes_long
    def test_a_feed_is_resumed_wherever_a_fault_stopped_it(self):
        """A line that is none behind each line, then sent as a whole: the same as sent once."""
        self.send(*NOTES)
        expected = dump(self.archive)
        lines = feed(*NOTES).splitlines(keepends=True)
        for cut in range(1, len(lines)):
            with self.subTest(cut=cut):
                self.renew()
                self.hp_capture("--feed", self.written(b"".join(lines[:cut]) + b"{}\n"), "--quiet")
                starts = [start for _, start in self.send(*NOTES)]
                self.assertEqual(sorted(starts, key=["compared", "resumed", "new"].index), starts)
                self.assertEqual(dump(self.archive), expected)

    def shown(self):
        """What is visible, and what is linked."""
        return (self.rows("""SELECT sample_uuid_hash, strict_fingerprint, payload_hash FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id
                             JOIN sample_versions v ON v.id = r.version_id WHERE last_observation_id IS NULL ORDER BY 2"""),
                self.rows("""SELECT a.sample_uuid_hash, b.sample_uuid_hash, relationship_kind FROM sample_relationships r JOIN samples a ON a.id = source_sample_id
                             JOIN samples b ON b.id = target_sample_id ORDER BY 1, 2, 3"""))

    @takes_long
    def test_a_longer_feed_goes_beyond_wherever_the_first_was_cut(self):
        """Cut behind each line and within one, longer, as a whole, and that again: what has ended stays as it is, and the end shows the same."""
        whole = feed(*NOTES[:2], LINKED)
        self.both("--feed", whole)
        expected = self.shown()
        lines = whole.splitlines(keepends=True)
        chance = random.Random(3)
        for cut in range(1, len(lines)):
            for rest in (b"", lines[cut][:7]):
                with self.subTest(cut=cut, rest=rest):
                    self.renew()
                    self.both("--feed", b"".join(lines[:cut]) + rest, is_looked_at=cut > 1)
                    for content in (b"".join(lines[:chance.randint(cut, len(lines))]), whole):
                        ended = "SELECT * FROM %s WHERE %s IN (SELECT id FROM observations WHERE status <> 'running' AND id <= %d) ORDER BY 1"
                        newest, = self.rows("SELECT coalesce(max(id), 0) FROM observations")[0]
                        rows = [self.rows(ended % (*place, newest)) for place in OF_OBSERVATION]
                        self.both("--feed", content)
                        self.assertEqual([self.rows(ended % (*place, newest)) for place in OF_OBSERVATION], rows)
                    self.assertEqual(self.shown(), expected)
                    # One of its records is rejected.
                    self.assertEqual(self.rows("SELECT status FROM observations ORDER BY id DESC LIMIT 1"), [("needs_review",)])
                    self.assertEqual(findings(self.archive), [])
                    self.assert_good(hp_verify("archive", self.archive, "--quiet"))
                    before = contents(self.archive)
                    # Outside of an observation, a line without an end is a fault.
                    has_fault = rest and (cut == 1 or b"observation_end" in lines[cut - 1])
                    for shorter, worst in (whole, 1), (b"".join(lines[:cut]) + rest, 2 if has_fault else 1):
                        self.assertIn(self.hp_capture("--feed", self.written(shorter), "--quiet").status, (0, worst))
                        self.assertEqual(contents(self.archive), before)

    def test_what_differs_is_refused_with_its_place(self):
        self.send(*NOTES)
        before = dump(self.archive)
        first = lambda *pages, **others: observation(1, type_run(*pages, end={"anchor_after": "AAEC"}, **others))
        for what, other, place in (
                ("another value", first([sample(1), sample(2, 1)], [sample(None, 7)]), "in page 2: "),
                ("one more", first([sample(1), sample(2, 1), sample(9, 9)], [sample(None, 5)]), "in page 1: "),
                ("a deletion", first([sample(1), sample(2, 1)], [sample(None, 5), deleted(1)]), "in page 2: "),
                ("not there", first([sample(1)], [sample(None, 5)]), "at the end of the run of %s: 1 disappeared" % HEART_RATE),
                ("not there, and nothing is closed", first([sample(1)], [sample(None, 5)], mode="anchored"), " in %s: 1 records are missing" % HEART_RATE),
                ("what came later", first([sample(1, 0, 70), sample(2, 1)], [sample(None, 5)]), "in page 1: 1 representation_changed")):
            with self.subTest(what):
                result = self.send(other, NOTES[1], NOTES[2], status=2)
                self.assert_one_line(result, "observation 1 of this time was captured before, and this source differs from it")
                self.assertIn(place, result.err.splitlines()[-1])
                self.assertEqual(dump(self.archive), before)

    def test_what_is_left_out_is_refused_with_its_type(self):
        link = {"kind": "relationship", "source": {"sample_type": HEART_RATE, "uuid": uuid(1)}, "target": {"sample_type": HEART_RATE, "uuid": uuid(2)}, "relationship_kind": "member"}
        whole = [sample(1, 0, 70), deleted(2), deleted(7), link]
        self.send(NOTES[0], observation(2, type_run(whole, mode="anchored", anchor_before="AAEC", end={"anchor_after": "AAED"})), NOTES[2])
        before = dump(self.archive)
        for left_out, what in ((0, "records"), (1, "deletions"), (2, "deletions"), (3, "relationships")):
            with self.subTest(left_out):
                page = whole[:left_out] + whole[left_out + 1:]
                other = observation(2, type_run(page, mode="anchored", anchor_before="AAEC", end={"anchor_after": "AAED"}))
                result = self.send(other, status=2)
                self.assert_one_line(result, "observation 2 of this time was captured before, and this source differs from it in %s: 1 %s are missing" % (HEART_RATE, what))
                self.assertEqual(dump(self.archive), before)

    def test_what_a_full_scan_missed_and_is_sent_after_all(self):
        """A run closed it, a fault stopped the feed behind the run, and another feed has it: the whole of the first one goes on."""
        lines = lambda day, *content: feed(observation(day, type_run([*content])))
        for what in (sample(2, 1), sample(2, 1, 70), sample(None, 1), sample(None, 1, source={"version": "2"})):
            with self.subTest(what=what):
                self.renew()
                closed = {**what, "numeric_value": 60}
                closed.pop("source", None)
                self.both("--feed", lines(1, sample(1), closed))
                cut = b"".join(lines(2, sample(1)).splitlines(keepends=True)[:-1])
                self.both("--feed", cut + b"{}\n")
                before = dump(self.archive)
                self.assertEqual(self.both("--feed", lines(2, sample(1), what)).status, 2)
                self.assertEqual(dump(self.archive), before)
                self.both("--feed", lines(2, sample(1)))
                self.assertEqual(self.rows("SELECT status FROM observations WHERE id = 2"), [("completed",)])
                self.assertEqual(self.rows("SELECT event_kind, evidence_kind FROM sample_observation_events WHERE observation_id = 2"), [("disappeared", "full_scan")])
                self.both("--feed", lines(3, sample(1), what))
                self.assertEqual(self.rows("SELECT event_kind FROM sample_observation_events WHERE observation_id = 3"), [("appeared",)])
                self.assertEqual(findings(self.archive), [])

    def test_what_goes_before_a_difference_stays(self):
        self.send(NOTES[0], NOTES[1])
        other = observation(2, type_run([sample(1, 0, 71)], mode="anchored"))
        self.send(NOTES[0], other, NOTES[2], status=2)
        self.assertEqual(self.rows("SELECT count(*) FROM observations"), [(2,)])
        self.assertEqual(self.send(*NOTES), [(1, "compared"), (2, "compared"), (3, "new")])

    def test_both_say_the_same(self):
        """Random feeds, each sent again as a whole and in parts, once with a line that is another."""
        chance = random.Random(17)
        for seed in range(int(os.environ.get("HP_HISTORIES", "4"))):
            with self.subTest(seed=seed):
                self.renew()
                history = histories.History(random.Random(1000 + seed), 5)
                told = [history.observation() for _ in range(4)]
                head = histories.History.HEAD
                # The last one is cut, once and again, with lines that are others in between.
                last, before = told[-1], head + b"".join(line for lines in told[:-1] for line in lines)
                cuts = sorted(chance.randrange(1, len(last) + 1) for _ in range(2))
                sent = [before + b"".join(last[:cuts[0]])]
                sent += [head + b"".join(line for line in last[:cuts[1]] if chance.random() < 0.95), head + b"".join(last[:cuts[1]])]
                sent += [head + b"".join(last[:cuts[0]])]
                sent += [head + b"".join(line for lines in told for line in lines)]
                sent += [head + b"".join(line for lines in chance.sample(told, 2) for line in lines) for _ in range(3)]
                kinds = [b'"sample"'] if seed % 2 else [b'"deleted"', b'"relationship"']
                sent.append(head + b"".join(line for lines in told for line in lines if chance.random() < 0.97 or not any(kind in line for kind in kinds)))
                for content in sent:
                    path = self.written(content)
                    result = self.hp_capture("--feed", path, "--quiet")
                    try:
                        reference.capture_feed(str(self.plain), str(self.secret), str(path))
                        self.assertLess(result.status, 2, result)
                    except Refused as refusal:
                        self.assertEqual(result.status, 2, "%s\n%s" % (refusal, result))
                    self.assert_same()


# Rows by their observation that nothing changes when it has ended.
OF_OBSERVATION = [(table, "observation_id") for table in ("sample_observation_events", "sample_relationships", "relationship_ends", "observation_type_runs", "observation_type_summaries",
                                                           "daily_type_aggregates", "observation_facts", "unknown_elements", "sample_type_origins")]
OF_OBSERVATION += [("observations", "id"), ("samples", "first_seen_observation_id"), ("sample_versions", "created_observation_id")]

ENDS = [{"sample_type": HEART_RATE, "uuid": uuid(number)} for number in (1, 3)]
LINK = {"kind": "relationship", "source": ENDS[0], "target": ENDS[1], "relationship_kind": "member"}
LINKED = observation(3, type_run([sample(11, 0, 5, STEPS, unit="count"), sample(12, 1, 6, STEPS, unit="count")], sample_type=STEPS, end={"anchor_after": "AAEC"}),
                     type_run([sample(1, 0, 71), sample(4, 9), deleted(3), sample(None, 6), sample(5, start_date="2024-02-30T00:00:00Z"), LINK], [sample(6, 10), sample(None, 6, 62), deleted(1), deleted(99)],
                              mode="anchored", anchor_before="AAED", first_page=2, end={"anchor_after": "AAEE"}))


class Longer(CaptureCase):
    """The third observation was cut off behind the second of its three pages, and the chain has no later one."""

    def setUp(self):
        super().setUp()
        self.both("--feed", feed(*NOTES[:2], self.changed(lambda line: line, LINKED[:LINKED.index({"kind": "page", "number": 2}) + 1])))
        self.assertEqual(self.rows("SELECT status FROM observations"), [("completed",), ("completed",), ("partial_truncated",)])

    @staticmethod
    def changed(change, lines=LINKED):
        """Lines, each as `change` gives it; none where that is none."""
        return [line for line in map(change, lines) if line is not None]

    def test_only_what_is_new_is_written(self):
        before = {table: self.rows("SELECT * FROM %s WHERE %s <= 3 ORDER BY 1" % (table, column)) for table, column in OF_OBSERVATION}
        result = self.hp_capture("--feed", self.written(feed(LINKED)), "--json")
        self.assertEqual([(one["start"], one["observation_id"]) for one in json.loads(result.out)["observations"]], [("new", 4)])
        self.assertIn("observation 4 needs_review: ", result.err)
        self.assertIn("more than observation 3 of the same date", result.err)
        self.assertEqual({table: self.rows("SELECT * FROM %s WHERE %s <= 3 ORDER BY 1" % (table, column)) for table, column in OF_OBSERVATION}, before)
        # Worked out by hand: 6 and a record beside one that is alike appear, 1 is deleted, and one that nobody knew.
        self.assertEqual(self.rows("SELECT event_kind, evidence_kind, version_id IS NULL FROM sample_observation_events WHERE observation_id = 4 ORDER BY id"),
                         [("appeared", "anchored_query", 0), ("appeared", "anchored_query", 0), ("disappeared", "deleted_object", 0), ("disappeared", "deleted_object", 1)])
        self.assertEqual(self.rows("SELECT count(DISTINCT observed_at) FROM observations WHERE id >= 3"), [(1,)])
        # Each run continues the one of the date before, not what was sent of its own date.
        self.assertEqual(self.rows("SELECT u.status, f.state, f.discontinuity FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id WHERE observation_id = 4 ORDER BY u.id"),
                         [("completed", "verified", None), ("completed", "continued", None)])
        self.assertEqual(self.rows("SELECT event_kind FROM context_log WHERE observation_id = 4 ORDER BY id"), [("capture_started",), ("capture_finished",)])
        reference.capture_feed(str(self.plain), str(self.secret), str(self.written(feed(LINKED))))
        self.assert_same()
        self.assertEqual(findings(self.archive), [])
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assertEqual({table: self.rows("SELECT * FROM %s WHERE %s <= 3 ORDER BY 1" % (table, column)) for table, column in OF_OBSERVATION}, before)

    def test_equal_and_shorter_ones_are_skipped(self):
        before = contents(self.archive)
        for cut in range(2, LINKED.index({"kind": "page", "number": 2}) + 2):
            for end in ([], [{"kind": "observation_end", "status": "failed"}], [{"kind": "observation_end", "status": "cancelled"}]):
                lines = LINKED[:cut]
                is_in_page = lines[-1]["kind"] not in ("run", "run_end", "page", "observation")
                if is_in_page and end:
                    continue
                with self.subTest(cut=cut, end=end):
                    result = self.hp_capture("--feed", self.written(feed(lines + end)), "--json")
                    self.assertEqual([(one["start"], one["observation_id"], one["status"]) for one in json.loads(result.out)["observations"]], [("compared", 3, "partial_truncated")])
                    self.assertIn("observation 3 was captured before, and nothing differs", result.err)
                    self.assertEqual(contents(self.archive), before)

    CONTRADICTIONS = {
        "a record is missing": (lambda line: None if line.get("uuid") == uuid(4) and line["kind"] == "sample" else line, " in %s: 1 records are missing" % HEART_RATE),
        "a record without a UUID is missing": (lambda line: None if line["kind"] == "sample" and "uuid" not in line and line["numeric_value"] == 60 else line, " in %s: 1 records are missing" % HEART_RATE),
        "a deletion is missing": (lambda line: None if line == deleted(3) else line, " in %s: 1 deletions are missing" % HEART_RATE),
        "a relationship is missing": (lambda line: None if line == LINK else line, " in %s: 1 relationships are missing" % HEART_RATE),
        "a rejected record is missing": (lambda line: None if line.get("uuid") == uuid(5) else line, " in %s: 1 rejected records are missing" % HEART_RATE),
        "another value": (lambda line: {**line, "numeric_value": 72} if line.get("uuid") == uuid(4) else line, " in %s: 1 records are others" % HEART_RATE),
        "another value of a record that had changed": (lambda line: {**line, "numeric_value": 72} if line.get("uuid") == uuid(1) and line["kind"] == "sample" else line, " in %s: 1 records are others" % HEART_RATE),
        "a record of a sample that was deleted": (lambda line: sample(3, 2, 61) if line == deleted(99) else line, " in %s: 1 records are others" % HEART_RATE),
        "a relationship is another": (lambda line: {**line, "metadata": {"k": 1}} if line == LINK else line, " in %s: 1 relationships are others" % HEART_RATE),
        "a full scan finds more": (lambda line: {**line, "uuid": uuid(13)} if line.get("uuid") == uuid(12) else line, " in %s: 2 events after its run was complete" % STEPS),
        "a full scan ends at another anchor": (lambda line: {**line, "anchor_after": "AAEE"} if line["kind"] == "run_end" else line, " in %s: its run is missing, or ended otherwise" % STEPS),
    }

    def test_what_contradicts_is_refused_with_its_place(self):
        before = dump(self.archive)
        for what, (change, place) in self.CONTRADICTIONS.items():
            for end in (None, "failed"):
                with self.subTest(what, end=end):
                    lines = self.changed(change)
                    self.assertNotEqual(lines, LINKED)
                    if end:
                        lines = [*lines[:-1], {"kind": "observation_end", "status": end}]
                    result = self.hp_capture("--feed", self.written(feed(lines)), "--quiet")
                    self.assert_refused(result, "archive.sqlite: observation 3 of this time was captured before, and this source differs from it" + place)
                    self.assertEqual(dump(self.archive), before)
                    with self.assertRaises(Refused):
                        reference.capture_feed(str(self.plain), str(self.secret), str(self.written(feed(lines))))
                    self.assert_same()

    def test_it_is_too_late_behind_a_later_observation(self):
        self.both("--feed", feed(observation(4)))
        before = dump(self.archive)
        self.both("--feed", feed(LINKED))
        result = self.hp_capture("--feed", self.written(feed(LINKED)))
        self.assert_refused(result, "observation 3 of this time was captured before, and this source differs from it in page 3: ")
        self.assertIn("; observation 4 is later, and nothing goes between", result.err)
        self.assertEqual(dump(self.archive), before)
        for shorter in (LINKED[:-12], LINKED[:LINKED.index({"kind": "page", "number": 2}) + 1]):
            self.both("--feed", feed(shorter))
            self.assertEqual(dump(self.archive), before)

    def test_nothing_is_kept_of_one_that_a_fault_or_a_signal_stops(self):
        before = contents(self.archive)
        self.both("--feed", feed([*LINKED[:-1], b"{}"]))
        self.assertEqual(contents(self.archive), before)
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-")
        self.addCleanup(process.kill)
        process.stdin.write(feed(LINKED[:-1]))
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)  # an end of its input might come before the signal
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(dump(self.archive), dump(self.plain))
        self.assertEqual(self.rows("SELECT count(*) FROM context_log WHERE observation_id > 3"), [(0,)])


class Running(CaptureCase):
    """At most one observation runs, the newest of the archive, whatever chains there are."""

    def begin(self, day, *content):
        """An observation that a fault stops behind its first page."""
        self.both("--feed", feed([*observation(day, type_run([*content]))[:-2], b"{}"]))

    def statuses(self):
        return [status for status, in self.rows("SELECT status FROM observations ORDER BY id")]

    def export(self, month):
        exports = health_exports.Exports(random.Random(5), 3)
        return [exports.export() for _ in range(month)][-1].encode()

    def test_an_observation_of_another_chain_ends_it(self):
        self.begin(1, sample(1))
        self.assertEqual(self.statuses(), ["running"])
        self.both("--apple-health", self.export(1))
        self.assertEqual(self.statuses()[0], "partial_interrupted")
        self.assertEqual(self.rows("SELECT observation_id, detail_json FROM context_log WHERE event_kind = 'capture_finished' ORDER BY id")[0], (1, '{"status":"partial_interrupted"}'))
        # It has its aggregates, and its entry before that of the other.
        self.assertEqual(self.rows("SELECT visible_record_count FROM observation_type_summaries WHERE observation_id = 1"), [(1,)])
        self.assertEqual(self.rows("SELECT observation_id FROM history_links ORDER BY sequence"), [(1,), (2,)])
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        # What is sent again is not written into it, and what another observation was the first to see is not named by an older one.
        self.both("--feed", feed(observation(1, type_run([sample(1), sample(2, 1)]))))
        self.assertEqual(self.rows("SELECT observation_id FROM sample_observation_events WHERE observation_id <> 2 ORDER BY id"), [(1,), (3,)])
        for table, column in (("samples", "first_seen_observation_id"), ("sample_versions", "created_observation_id"), ("sample_observation_events", "observation_id")):
            self.assertEqual(self.rows("SELECT id FROM %s ORDER BY %s, id" % (table, column)), self.rows("SELECT id FROM %s ORDER BY id" % table), table)

    def test_all_that_are_running_are_ended_in_the_order_of_their_ids(self):
        """Archives of other engines have several."""
        self.both("--feed", feed(*NOTES))
        for path in (self.archive, self.plain):
            execute(path, "UPDATE observations SET status = 'running', ended_at = NULL WHERE id = 1", "UPDATE observations SET status = 'started', ended_at = NULL WHERE id = 3")
        # Such an archive has no history.
        execute(self.archive, "DROP TABLE history_links", "DELETE FROM archive_metadata WHERE key = 'extension:history'")
        self.both("--apple-health", self.export(1))
        self.assertEqual(self.statuses()[:3], ["partial_interrupted", "completed", "partial_interrupted"])
        self.assertEqual([row for row, in self.rows("SELECT observation_id FROM context_log WHERE detail_json = '{\"status\":\"partial_interrupted\"}' ORDER BY id")], [1, 3])

    def test_the_newest_is_resumed(self):
        self.both("--apple-health", self.export(1))
        self.begin(1, sample(1))
        self.both("--feed", feed(observation(1, type_run([sample(1), sample(2, 1)]))))
        self.assertEqual(self.rows("SELECT observation_id FROM sample_observation_events WHERE observation_id > 1 ORDER BY id"), [(2,), (2,)])
        self.assertEqual(self.rows("SELECT event_kind FROM context_log WHERE observation_id = 2 AND event_kind LIKE 'capture%' ORDER BY id"),
                         [("capture_started",), ("capture_failed",), ("capture_resumed",), ("capture_finished",)])

    def test_one_that_ended_is_not_resumed(self):
        """Whatever ended it, and also where all of it is sent again."""
        lines = observation(1, type_run([sample(1)], [sample(2, 1)]))
        for status in ("truncated", "failed", "cancelled", "interrupted"):
            with self.subTest(status):
                self.renew()
                if status == "interrupted":
                    self.begin(1, sample(1))
                    self.both("--apple-health", self.export(1))
                else:
                    self.both("--feed", feed(lines[:4] + ([] if status == "truncated" else [{"kind": "observation_end", "status": status}])))
                old = self.rows("SELECT * FROM observations WHERE id = 1"), self.rows("SELECT * FROM observation_type_runs WHERE observation_id = 1")
                self.both("--feed", feed(lines))
                self.assertEqual((self.rows("SELECT * FROM observations WHERE id = 1"), self.rows("SELECT * FROM observation_type_runs WHERE observation_id = 1")), old)
                self.assertEqual(self.statuses()[-1], "completed")
                self.assertEqual(self.rows("SELECT count(*) FROM context_log WHERE event_kind = 'capture_resumed'"), [(0,)])

    def test_a_link_ends_only_with_a_source_that_was_read_to_its_end(self):
        both = lambda day, *links: observation(day, type_run([sample(1), sample(3, 2)], list(links)))
        self.both("--feed", feed(both(1, LINK)))
        self.both("--feed", feed(both(2)[:-3]))
        self.both("--feed", feed(both(3, LINK)[:-4] + both(3)[-2:-1]))
        self.assertEqual(self.rows("SELECT * FROM relationship_ends"), [])
        self.both("--feed", feed(both(4)))
        self.assertEqual(self.rows("SELECT observation_id FROM relationship_ends"), [(4,)])

    @takes_long
    def test_both_say_the_same_of_two_chains(self):
        """Feeds of two clients and exports, each cut off, stopped by a fault or sent again, by turns."""
        for seed in range(int(os.environ.get("HP_HISTORIES", "8"))):
            chance = random.Random(seed)
            self.renew()
            with self.subTest(seed=seed):
                secrets = [SECRET, SECRET.replace("secret 0001", "secret ff01").replace("chain 20", "chain ff")]
                feeds = [histories.History(random.Random(2000 + 2 * seed + number), 4).feeds() for number in range(2)]
                exports = health_exports.Exports(random.Random(seed), 2)
                while feeds:
                    number = chance.randrange(len(feeds))
                    self.secret.write_text(secrets[number])
                    content = next(feeds[number], None)
                    if content is None:
                        del feeds[number], secrets[number]
                    elif chance.random() < 0.2:
                        text = exports.export().encode()
                        for part in (text[:chance.choice(health_exports.ends_of_elements(text))], text):
                            self.both("--apple-health", part, accepted=("new-chain", "accept-disappearances"))
                    else:
                        self.both("--feed", content, accepted=("new-chain",))
                    running = self.rows("SELECT id FROM observations WHERE status = 'running'")
                    self.assertIn(running, ([], self.rows("SELECT max(id) FROM observations")))
                self.assertEqual(findings(self.archive), [])
                self.assertEqual(hp_verify("archive", self.archive, "--quiet").status, 0)


class Killed(CaptureCase):
    """A kill left an observation running. Its source sent again goes on; another one changes nothing."""

    def kill(self, content):
        """Kills a capture that has read all of this and waits for more."""
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-", "--quiet")
        self.addCleanup(process.kill)
        process.stdin.write(content)
        process.stdin.flush()
        until, isThere = time.monotonic() + PATIENCE, False
        # A page is one transaction, and its last one has this value.
        while not isThere:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
            with contextlib.suppress(sqlite3.Error):
                isThere = self.archive.exists() and self.rows("SELECT max(numeric_value) FROM sample_versions") == [(self.LAST,)]
        process.kill()
        process.communicate(timeout=PATIENCE)

    LAST = 77_777

    def test_a_source_sent_again_after_a_kill(self):
        first = [sample(number, number) for number in range(1, 5)]
        whole = observation(1, type_run(first, [sample(6, 6, self.LAST)], [sample(7, 7)]))
        self.both("--feed", feed(whole))
        expected = dump(self.archive)
        self.renew()
        self.kill(feed(whole[:-4]))
        self.assertEqual(self.rows("SELECT status FROM observations"), [("running",)])
        before = contents(self.archive)
        other = {
            "another value": [sample(1, 1, 61), *first[1:]], "a record less": first[1:], "another time": [*first[:-1], sample(4, 44)],
            "other records": [sample(number, number) for number in range(11, 15)], "nothing": []}
        for what, page in other.items():
            for end in ("completed", "failed"):
                with self.subTest(what, end=end):
                    lines = observation(1, type_run(page, [sample(6, 6, self.LAST)], [sample(7, 7)]), status=end)
                    result = self.hp_capture("--feed", self.written(feed(lines)), "--quiet")
                    self.assert_one_line(result, "archive.sqlite: observation 1 of this time was captured before, and this source differs from it in %s: " % HEART_RATE)
                    self.assertEqual(result.status, 2)
                    self.assertEqual(contents(self.archive), before)
        # The beginning of it says nothing new.
        result = self.hp_capture("--feed", self.written(feed(whole[:8])), "--json")
        self.assertEqual([(one["start"], one["status"]) for one in json.loads(result.out)["observations"]], [("compared", "running")])
        self.assertIn("observation 1 was captured before, and nothing differs: 4 records; it has more, and stays running", result.err)
        self.assertEqual(contents(self.archive), before)
        self.assert_good(self.hp_capture("--feed", self.written(feed(whole)), "--quiet"))
        self.assertEqual(dump(self.archive), expected)
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))

    @staticmethod
    def source(chance):
        """The lines of a random observation: two types, with and without UUIDs, each record once, and what is deleted."""
        numbers = iter(range(100, 1000))
        runs, page = [], 1
        for sample_type in (HEART_RATE, STEPS):
            pages, known = [], [1, 2]
            for _ in range(chance.randint(1, 4)):
                lines = [sample(None if chance.random() < 0.4 else number, number, number, sample_type) for number in (next(numbers) for _ in range(chance.randint(1, 4)))]
                if chance.random() < 0.4:
                    lines.append(deleted(known.pop() if known and chance.random() < 0.5 else next(numbers), sample_type))
                if chance.random() < 0.2:
                    lines.append(sample(next(numbers), start_date="2024-02-30T00:00:00Z", sample_type=sample_type))
                pages.append(lines)
            runs.append(type_run(*pages, sample_type=sample_type, mode=chance.choice(["full_scan", "anchored"]), first_page=page, end={"anchor_after": "AAEC"}))
            page += len(pages)
        return observation(2, *runs)

    @staticmethod
    def changed(chance, lines, cut):
        """The lines with one of those that are stored dropped or changed, or one more in a run that has ended; nothing where there is none."""
        ended = [index for index, line in enumerate(lines[:cut]) if line["kind"] == "run_end"]
        stored = [index for index, line in enumerate(lines[:cut]) if line["kind"] in ("sample", "deleted") and line.get("start_date") != "2024-02-30T00:00:00Z"]
        stored = [index for index in stored if any(line["kind"] == "page" for line in lines[index:cut])]
        if not stored:
            return None
        lines, kind = list(lines), chance.choice(["drop", "change", *(["add", "end"] if ended else [])])
        index = chance.choice(stored)
        if kind == "drop":
            del lines[index]
        elif kind == "add":
            place = chance.choice([at for at, line in enumerate(lines[:ended[-1]]) if line["kind"] == "page"])
            sample_type = next(line["sample_type"] for line in reversed(lines[:place]) if line["kind"] == "run")
            lines.insert(place, sample(chance.choice([None, 5000]), 700, 1, sample_type))
        elif kind == "end":
            at = chance.choice(ended)
            lines[at] = {**lines[at], "anchor_after": "AAED"}
        elif lines[index]["kind"] == "deleted":
            lines[index] = {**lines[index], "uuid": uuid(6000)}
        else:
            lines[index] = {**lines[index], "numeric_value": 1}
        return lines

    @takes_long
    def test_random_cuts(self):
        """Cut anywhere, sent again with a change, as a part and whole: both refuse the same, and end as if nothing had been cut."""
        count = {"refused": 0, "shorter": 0}
        for seed in range(int(os.environ.get("HP_HISTORIES", "25"))):
            chance = random.Random(seed)
            earlier = feed(observation(1, type_run([sample(1), sample(2, 1)]), type_run([sample(3, 2, sample_type=STEPS)], sample_type=STEPS, first_page=2)))
            lines = self.source(chance)
            with self.subTest(seed=seed):
                self.renew()
                self.both("--feed", earlier)
                self.both("--feed", feed(lines))
                expected = dump(self.archive)
                self.renew()
                self.both("--feed", earlier)
                cut = 0
                while cut < len(lines) - 1:
                    cut = chance.randint(cut + 1, len(lines) - 1)
                    # A line that is none leaves what a kill leaves.
                    self.both("--feed", feed([*lines[:cut], b"{}"]))
                    before = dump(self.archive)
                    for _ in range(3):
                        other = self.changed(chance, lines, cut)
                        if other is not None:
                            self.assertEqual(self.both("--feed", feed(other)).status, 2, other)
                            count["refused"] += 1
                        self.assertEqual(dump(self.archive), before)
                    last = max((index for index, line in enumerate(lines[:cut]) if line["kind"] in ("page", "run", "run_end")), default=0)
                    if last:
                        self.assertEqual(self.both("--feed", feed(lines[:chance.randint(1, last)])).status, 1)
                        count["shorter"] += 1
                        self.assertEqual(dump(self.archive), before)
                self.both("--feed", feed(lines))
                self.assertEqual(dump(self.archive), expected)
                self.assertEqual(findings(self.archive), [])
                self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        self.assertNotIn(0, count.values())


class Exports(CaptureCase):
    def test_a_longer_export(self):
        """An export that was cut off, cut again, whole: each cut behind the one before."""
        exports = health_exports.Exports(random.Random(7), 4)
        for number in range(3):
            with self.subTest(number):
                whole = exports.export().encode()
                cuts = sorted(random.Random(number).choices(health_exports.ends_of_elements(whole), k=3))
                for content in [*(whole[:cut] for cut in cuts), whole]:
                    self.both("--apple-health", content, accepted=("accept-disappearances",))
                newest = self.rows("SELECT max(id) FROM observations")
                before = contents(self.archive)
                for content in [whole, *(whole[:cut] for cut in cuts)]:
                    self.both("--apple-health", content)
                    self.assertEqual(self.rows("SELECT max(id) FROM observations"), newest)
                    self.assertEqual(contents(self.archive), before)
                self.assertEqual(findings(self.archive), [])
                self.assert_good(hp_verify("archive", self.archive, "--quiet"))

    def test_a_longer_export_without_a_record_that_was_there(self):
        exports = health_exports.Exports(random.Random(7), 4)
        whole = exports.export().encode()
        first = whole.index(b"<Record")
        self.both("--apple-health", whole[:whole.index(b"<Record", first + 1)])
        before = dump(self.archive)
        end = whole.index(b"<Record", first + 1)
        self.both("--apple-health", whole[:first] + whole[end:], accepted=("accept-disappearances",))
        self.assertEqual(dump(self.archive), before)

    def test_an_older_export(self):
        """What was captured is compared; what was not is refused, and the hint says how an archive is made in order."""
        exports = health_exports.Exports(random.Random(5), 3)
        texts = [exports.export().encode() for _ in range(4)]
        for text in (texts[0], texts[1], texts[3]):
            self.assertLess(self.hp_capture("--apple-health", self.written(text, "export.xml"), "--quiet").status, 2)
        before = contents(self.archive)
        for text in texts[:2]:
            result = self.hp_capture("--apple-health", self.written(text, "export.xml"), "--json")
            self.assertLess(result.status, 2, result)
            self.assertEqual(json.loads(result.out)["observations"][0]["start"], "compared")
        result = self.hp_capture("--apple-health", self.written(texts[2], "export.xml"), "--quiet")
        self.assert_refused(result, "archive.sqlite: observation 3 of this device chain was made later than this one")
        self.assertIn("hp-export capture NEW --secret SECRET --apple-health EXPORT", result.err)
        self.assertIn("oldest first", result.err)
        self.assertEqual(contents(self.archive), before)

    def test_another_export_of_an_older_date(self):
        exports = health_exports.Exports(random.Random(5), 3)
        texts = [exports.export() for _ in range(3)]
        for text in texts:
            self.assertLess(self.hp_capture("--apple-health", self.written(text.encode(), "export.xml"), "--quiet").status, 2)
        before = contents(self.archive)
        other = texts[0].replace("</HealthData>", '<Record type="%s" sourceName="x" unit="count" startDate="2024-01-01 00:00:00 +0000" endDate="2024-01-01 00:00:00 +0000" value="77777"/></HealthData>' % STEPS)
        result = self.hp_capture("--apple-health", self.written(other.encode(), "export.xml"), "--quiet")
        self.assertEqual(result.status, 2, result)
        self.assertIn("observation 1 of this time was captured before, and this source differs from it in %s: 1 appeared" % STEPS, result.err)
        self.assertEqual(contents(self.archive), before)


if __name__ == "__main__":
    unittest.main()
