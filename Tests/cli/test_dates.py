"""Dates on the command line (Spec/command-line.md, "Dates"): whole local days of an observation, worked out by hand."""

import json
import re
import unittest

from capture_support import CaptureCase, feed, sample, type_run
from support import execute, hp_export, lines_of

BERLIN, KATHMANDU, SAO_PAULO = "Europe/Berlin", "Asia/Kathmandu", "America/Sao_Paulo"


class DatesCase(CaptureCase):
    def observe(self, *observations, records=()):
        """An archive of observations: (observed_at, zone or offset); the records are seen by each."""
        lines = []
        for moment, zone in observations:
            place = {"time_zone_identifier": zone} if isinstance(zone, str) else {} if zone is None else {"time_zone_seconds_from_gmt": zone}
            content = [sample(number, start_date=start, end_date=start) for number, start in enumerate(records)]
            lines.append([{"kind": "observation", "observed_at": moment, "trigger_reason": "manual", **place}, *type_run(content), {"kind": "observation_end", "status": "completed"}])
        self.assert_good(self.hp_capture("--feed", self.written(feed(*lines)), "--quiet"))

    def chosen(self, choice):
        """The observation that --at chooses, None where there is none; its note names the same one."""
        result = hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--force", "--no-record", "--at", choice)
        if result.status == 2:
            self.assert_refused(result, "the archive has no finished observation")
            return None
        number = json.loads(lines_of(self.folder / "out.zst")[0])["export"]["scope"]["observation_id"]
        self.assertIn("observation %d (" % number, result.err)
        return number

    def label(self, choice):
        return re.search(r"observation \d+ \([^)]*\)", hp_export("bundle", self.archive, "-o", self.folder / "out.zst", "--force", "--no-record", "--at", choice).err).group()


class Observations(DatesCase):
    def test_a_date_is_a_local_day_of_each_observation(self):
        # Its local times: 23:30 on the 29th, summer time since that morning; 00:30 on the 31st; 07:00 on April 1st.
        self.observe(("2026-03-29T21:30:00Z", BERLIN), ("2026-03-30T22:30:00Z", BERLIN), ("2026-04-01T05:00:00Z", BERLIN))
        for choice, expected in (("2026-03-28", None), ("2026-03-29", 1), ("2026-03-30", 1), ("2026-03-31", 2), ("2026-03", 2), ("2026-04-01", 3), ("2026-04", 3), ("2026-02", None), ("2025", None),
                                 ("2026", 3), ("2027", 3), ("2026-03-29T21:29:59Z", None), ("2026-03-29T21:30:00Z", 1), ("2026-03-31T00:29:59+02:00", 1), ("1", 1)):
            with self.subTest(choice):
                self.assertEqual(self.chosen(choice), expected)
        self.assertEqual([self.label(choice) for choice in ("1", "2", "3")], ["observation 1 (2026-03-29)", "observation 2 (2026-03-31)", "observation 3 (2026-04-01)"])

    def test_offsets_without_a_zone(self):
        # 23:30 on December 31st at −5 h; 00:30 on January 2nd at +14 h, of a moment that is January 1st in UTC.
        self.observe(("2025-01-01T04:30:00Z", -18_000), ("2025-01-01T10:30:00Z", 50_400))
        for choice, expected in (("2024-12-30", None), ("2024-12-31", 1), ("2024-12", 1), ("2024", 1), ("2025-01-01", 1), ("2025-01-02", 2), ("2025", 2)):
            with self.subTest(choice):
                self.assertEqual(self.chosen(choice), expected)

    def test_each_observation_has_its_own_zone(self):
        # Over the date line: January 2nd on Kiritimati is before January 1st in Honolulu.
        self.observe(("2025-01-01T11:00:00Z", "Pacific/Kiritimati"), ("2025-01-01T12:00:00Z", "Pacific/Honolulu"), ("2025-01-03T00:00:00Z", None))
        for choice, expected in (("2024-12-31", None), ("2025-01-01", 2), ("2025-01-02", 2), ("2025-01-03", 3)):
            with self.subTest(choice):
                self.assertEqual(self.chosen(choice), expected)
        self.assertEqual([self.label(choice) for choice in ("1", "2", "3")], ["observation 1 (2025-01-02)", "observation 2 (2025-01-01)", "observation 3 (2025-01-03)"])

    def test_four_digits_are_an_id_where_there_is_one(self):
        self.observe(("2024-05-01T10:00:00Z", None), ("2025-05-01T10:00:00Z", None))
        self.assertEqual(self.chosen("2024"), 1)
        execute(self.archive, "INSERT INTO observations SELECT 2024, device_chain_id, observed_at + 3600, started_at, ended_at, status, trigger_reason, NULL, NULL, NULL, NULL, 2, NULL, NULL FROM observations WHERE id = 2")
        self.assertEqual([self.chosen("2024"), self.chosen("2024-12"), self.chosen("0001"), self.chosen("1999")], [2024, 1, 1, None])

    def test_what_is_no_date_is_refused(self):
        self.observe(("2024-05-01T10:00:00Z", None))
        for choice in ("2024-13", "2024-00", "2024-02-30", "2024-1", "2024-05-", "24-05", "2024/05", "2024-05-01T10:00", "0000-01-01"):
            for option in ("--at", "--since", "--until"):
                with self.subTest(choice=choice, option=option):
                    self.assert_refused(hp_export("records", self.archive, option, choice), option)


class Records(DatesCase):
    def starts(self, *options):
        result = self.assert_good(hp_export("records", self.archive, "--format", "jsonl", "--no-record", "--quiet", *options))
        lines = [json.loads(line) for line in result.out.splitlines()]
        return [line["item"]["payload"]["start_date"] if "payload" in line["item"] else line["item"]["start_date"] for line in lines[1:-1]], lines[0]["export"].get("filter", {})

    def test_a_day_of_23_hours(self):
        records = ["2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"]
        self.observe(("2026-04-01T05:00:00Z", BERLIN), records=records)
        found, stated = self.starts("--since", "2026-03-29", "--until", "2026-03-30")
        self.assertEqual(found, ["2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.000Z"])
        self.assertEqual((stated["since"], stated["until"]), ("2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"))

    def test_months_and_years(self):
        records = ["2024-02-29T18:14:59Z", "2024-02-29T18:15:00Z", "2024-03-31T18:14:59Z", "2024-03-31T18:15:00Z", "2024-12-31T18:14:59Z", "2024-12-31T18:15:00Z"]
        self.observe(("2025-02-01T05:00:00Z", KATHMANDU), records=records)
        text = [moment.replace("Z", ".000Z") for moment in records]
        self.assertEqual(self.starts("--since", "2024-03", "--until", "2024-04")[0], text[1:3])
        self.assertEqual(self.starts("--since", "2024", "--until", "2025")[0], text[:5])
        self.assertEqual(self.starts("--since", "2025")[0], text[5:])
        self.assertEqual(self.starts("--until", "2024-03")[0], text[:1])

    def test_a_day_without_a_midnight_and_a_negative_offset(self):
        records = ["2018-11-04T02:59:59Z", "2018-11-04T03:00:00Z"]
        self.observe(("2018-12-01T05:00:00Z", SAO_PAULO), ("2018-12-02T05:00:00Z", -18_000), records=records)
        self.assertEqual(self.starts("--at", "1", "--since", "2018-11-04")[0], ["2018-11-04T03:00:00.000Z"])
        # The same records, as the next observation's zone has it: the 4th begins at 05:00 UTC.
        self.assertEqual(self.starts("--at", "2", "--since", "2018-11-04")[0], [])
        self.assertEqual(self.starts("--at", "2", "--since", "2018-11-04")[1]["since"], "2018-11-04T05:00:00.000Z")

    def test_a_first_day_that_begins_before_the_first_year(self):
        # At five hours ahead, January 1st of the year 1 begins on December 31st of the year 0.
        self.observe(("2025-01-01T05:00:00Z", 18_000), ("2025-01-02T05:00:00Z", None), records=["0001-01-01T00:00:00Z"])
        for day in ("0001", "0001-01", "0001-01-01"):
            with self.subTest(day):
                refused = hp_export("records", self.archive, "--at", "1", "--since", day)
                self.assert_refused(refused, "--since: that day begins outside the years 1 to 9999")
                self.assertEqual(self.starts("--at", "2", "--since", day)[0], ["0001-01-01T00:00:00.000Z"])
        self.assertEqual(self.starts("--at", "1", "--until", "0001-01-02")[0], ["0001-01-01T00:00:00.000Z"])

    def test_a_diff_has_the_days_of_what_is_compared(self):
        self.observe(("2018-12-01T05:00:00Z", SAO_PAULO), ("2018-12-02T05:00:00Z", -18_000))
        for options, since in (((), "05"), (("--from", "2", "--to", "1"), "03")):
            result = self.assert_good(hp_export("diff", self.archive, "--format", "jsonl", "--no-record", "--quiet", "--since", "2018-11-04", *options))
            self.assertEqual(json.loads(result.out.splitlines()[0])["export"]["filter"]["since"], "2018-11-04T%s:00:00.000Z" % since)


class Comparisons(DatesCase):
    def setUp(self):
        super().setUp()
        self.observe(("2026-03-31T21:30:00Z", BERLIN), ("2026-03-31T22:30:00Z", BERLIN), ("2026-05-01T05:00:00Z", BERLIN))

    def diff(self, *options):
        return hp_export("diff", self.archive, "-o", self.folder / "out.csv", "--force", "--no-record", *options)

    def test_notes_name_both_with_their_local_dates(self):
        result = self.assert_good(self.diff("--from", "2026-03", "--to", "2026-04"))
        self.assertIn("observation 2 (2026-04-01) compared with observation 1 (2026-03-31)", result.err)
        text = self.assert_good(hp_export("diff", self.archive, "--summary", "--details", "--from", "2026-03")).out.decode()
        self.assertTrue(text.startswith("observation 3 (2026-05-01) compared with observation 1 (2026-03-31)\n"), text)

    def test_an_observation_without_a_date_is_named_by_its_id(self):
        execute(self.archive, "UPDATE observations SET observed_at = 'soon' WHERE id = 2")
        result = self.assert_good(self.diff("--from", "1", "--to", "2"))
        self.assertIn(", observation 2 compared with observation 1 (2026-03-31), ", result.err)

    def test_an_observation_is_compared_with_itself_only_by_its_id(self):
        for options in (("--from", "2026-04", "--to", "2026-04-30"), ("--from", "latest"), ("--from", "2026-06"), ("--from", "3"), ("--from", "2026", "--to", "3"), ("--from", "previous", "--to", "2")):
            with self.subTest(options):
                result = self.diff(*options)
                self.assert_refused(result, "--from and --to both choose observation ")
                self.assertRegex(result.err, r"observation \d \(2026-0[45]-01\)")
                self.assertIn("hint", result.err)
        self.assertFalse((self.folder / "out.csv").exists())
        self.assert_good(self.diff("--from", "2", "--to", "2"))


if __name__ == "__main__":
    unittest.main()
