"""What is sent again (Spec/capture.md, "Sent again"): it is compared and skipped, and what differs is refused with its place."""

import random
import unittest

import health_exports
import histories
from capture_support import *

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
    def test_a_longer_feed_goes_on_wherever_it_was_cut(self):
        """Cut behind each line and within one, then sent as a whole: the same as sent once."""
        self.send(*NOTES)
        expected = dump(self.archive)
        lines = feed(*NOTES).splitlines(keepends=True)
        for cut in range(1, len(lines)):
            for rest in (b"", lines[cut][:7]):
                with self.subTest(cut=cut, rest=rest):
                    self.renew()
                    self.hp_capture("--feed", self.written(b"".join(lines[:cut]) + rest), "--quiet")
                    starts = [start for _, start in self.send(*NOTES)]
                    self.assertEqual(sorted(starts, key=["compared", "resumed", "new"].index), starts)
                    self.assertEqual(dump(self.archive), expected)

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
        """A run closed it, the feed was cut behind the run, and the whole feed has it: it contradicts itself."""
        lines = lambda day, *content: feed(observation(day, type_run([*content])))
        for what in (sample(2, 1), sample(2, 1, 70), sample(None, 1), sample(None, 1, source={"version": "2"})):
            with self.subTest(what=what):
                self.renew()
                closed = {**what, "numeric_value": 60}
                closed.pop("source", None)
                self.both("--feed", lines(1, sample(1), closed))
                cut = lines(2, sample(1)).splitlines(keepends=True)[:-1]
                self.both("--feed", b"".join(cut))
                self.both("--feed", lines(2, sample(1), what))
                self.assertEqual(self.rows("SELECT status FROM observations WHERE id = 2"), [("needs_review",)])
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
        for seed in range(int(os.environ.get("HP_HISTORIES", "8"))):
            with self.subTest(seed=seed):
                self.renew()
                history = histories.History(random.Random(1000 + seed), 5)
                told = [history.observation() for _ in range(4)]
                head = histories.History.HEAD
                sent = [head + b"".join(line for lines in told for line in lines)]
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


class Exports(CaptureCase):
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
