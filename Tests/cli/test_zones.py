"""What a local day was is stored with its observation (Spec/capture.md, "Local days"): no verdict and no byte depends on the zones of a machine."""

import datetime
import hashlib
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import tempfile
import unittest
import zoneinfo

from capture_support import STEPS, CaptureCase, feed, observation, sample, type_run
from support import ENVIRONMENT, PATIENCE, Run, execute, hp_export, hp_verify, tool

ZONES = "/usr/share/zoneinfo"
BUCHAREST = {"time_zone_identifier": "Europe/Bucharest"}


def zone_file(offset):
    """A zone file (RFC 9636) of one offset."""
    header = b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4)
    name = "<%+03d>%+d" % (offset // 3600, -offset // 3600)
    part = header + struct.pack(">iBB", offset, 0, 0) + b"XXX\0"
    return part + part + ("\n%s\n" % name).encode()


def can_hide_zones():
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", ZONES]
    return shutil.which("unshare") and os.path.isdir(ZONES) and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def within(zones, name, *words):
    """Runs a tool where the zones of the system are those of a folder, or none."""
    mount = "mount --bind %s %s" % (zones, ZONES) if zones else "mount -t tmpfs none " + ZONES
    return Run(subprocess.run(["unshare", "-rm", "sh", "-c", mount + " && exec \"$@\"", "sh", tool(name), *map(os.fspath, words)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE))


def steps(*moments, value=10):
    """Records of steps that start at moments; each is its number as well."""
    return [sample(number, 0, value, sample_type=STEPS, unit="count", start_date=moment, end_date=moment) for number, moment in enumerate(moments, 1)]


# Around midnight, in winter and in summer, and where the clocks change in Bucharest.
MOMENTS = ["2024-01-15T21:59:00Z", "2024-01-15T22:01:00Z", "2024-03-30T23:00:00Z", "2024-03-31T20:59:00Z", "2024-03-31T21:00:00Z", "2024-05-01T20:59:00Z",
           "2024-05-01T21:01:00Z", "2024-05-01T22:01:00Z"]


def counted(moments, zone):
    """How many moments each local day has."""
    found = {}
    for moment in moments:
        date = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).astimezone(zone).date()
        start = datetime.datetime.combine(date, datetime.time(), zone).timestamp()
        found[start] = found.get(start, 0) + 1
    return found


class Zones(CaptureCase):
    def send(self, *observations, quiet=True):
        return self.hp_capture("--feed", self.written(feed(*observations)), *(["--quiet"] if quiet else []))

    def buckets(self, at):
        """What a reader sees: of each bucket the newest row since the days last changed."""
        rows = self.rows("""SELECT f.zone_rules_hash, d.bucket_start, d.visible_record_count FROM daily_type_aggregates d JOIN observation_facts f USING (observation_id)
                            WHERE source_revision_id IS NULL AND d.observation_id <= ? ORDER BY d.observation_id""", at)
        current, = self.rows("SELECT zone_rules_hash FROM observation_facts WHERE observation_id = ?", at)[0]
        return {start: count for start, count in {start: count for hashed, start, count in rows if hashed == current}.items() if count}

    def assert_valid(self):
        self.assert_good(hp_verify("archive", self.archive))
        self.assertIn("nothing to repair", self.assert_good(hp_export("repair", self.archive, "--aggregates", "--dry-run")).err.replace("no rows", "nothing to repair"))


class Stored(Zones):
    def test_rules_are_stored_once_and_named(self):
        self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST), observation(2, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST),
                  observation(3, type_run(steps(*MOMENTS), sample_type=STEPS), time_zone_seconds_from_gmt=-3600), observation(4, type_run([], sample_type=STEPS)))
        texts = [json.loads(text) for text, in self.rows("SELECT transitions_json FROM observation_facts JOIN zone_rules USING (zone_rules_hash) ORDER BY observation_id")]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[2:], [[-3600], [0]])
        self.assertEqual(self.rows("SELECT count(*) FROM zone_rules"), [(3,)])
        zone = zoneinfo.ZoneInfo("Europe/Bucharest")
        moments, offsets = texts[0][1::2], texts[0][0::2]
        for moment in range(-2 * 10**9, 4 * 10**9, 10**7 - 7):
            offset = offsets[sum(change <= moment for change in moments)]
            self.assertEqual(offset, datetime.datetime.fromtimestamp(moment, zone).utcoffset().total_seconds())
        self.assertEqual(self.buckets(2), counted(MOMENTS, zone))
        self.assert_valid()
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assertEqual(self.rows("SELECT count(*) FROM zone_rules"), [(1,)])
        self.assert_valid()

    def test_a_zone_that_is_unknown_is_its_offset_and_reported_once(self):
        names = ["GMT+0100", "zone.tab", "europe/berlin", "Europe", "Mars/Phobos", "Europe/Berlin ", "../zoneinfo/UTC", "/UTC", "UTC/", "\u0395uropa", "posixrules.x", "UTC" * 30]
        for name in names:
            with self.subTest(name):
                self.renew()
                zone = {"time_zone_identifier": name}
                result = self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **zone, time_zone_seconds_from_gmt=3600),
                                   observation(2, type_run(steps(*MOMENTS[:4]), sample_type=STEPS), **zone, time_zone_seconds_from_gmt=3600), quiet=False)
                self.assert_good(result)
                self.assertEqual(result.err.count("is unknown on this machine: days go by UTC+01:00"), 1, result.err)
                self.assert_valid()
                # The offset moves: the days are others, so all buckets are written.
                self.send(observation(3, type_run(steps(*MOMENTS), sample_type=STEPS), **zone, time_zone_seconds_from_gmt=7200))
                for at, moments, hours in ((1, MOMENTS, 1), (2, MOMENTS[:4], 1), (3, MOMENTS, 2)):
                    self.assertEqual(self.buckets(at), counted(moments, datetime.timezone(datetime.timedelta(hours=hours))), at)
                self.assert_valid()
                self.assertEqual(self.rows("SELECT DISTINCT time_zone_identifier FROM observations"), [(name,)])

    def test_an_offset_that_contradicts_the_zone_counts(self):
        result = self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST, time_zone_seconds_from_gmt=7200), quiet=False)
        self.assertIn("time zone Europe/Bucharest has another offset here than the source states: days go by UTC+02:00", result.err)
        self.assertEqual(self.buckets(1), counted(MOMENTS, datetime.timezone(datetime.timedelta(hours=2))))
        self.assert_valid()

    def test_rules_that_were_changed_are_found(self):
        for statement, codes in (
                ("UPDATE zone_rules SET transitions_json = '[0]'", {"evidence.zone_rules", "history.observation"}),
                ("UPDATE zone_rules SET transitions_json = '[10800,5,5]'", {"evidence.zone_rules", "history.observation"}),
                ("DELETE FROM zone_rules", {"evidence.zone_rules", "history.observation"}),
                ("UPDATE observation_facts SET zone_rules_hash = NULL", {"history.observation"}),
                ("INSERT INTO zone_rules VALUES ('%s', '[7200]')" % hashlib.sha256(b"hp:v2:zone_rules:[7200]").hexdigest(), {"evidence.zone_rules"}),
                ("UPDATE observations SET time_zone_seconds_from_gmt = 3600", {"evidence.zone_rules", "history.observation"})):
            with self.subTest(statement):
                self.renew()
                self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST, time_zone_seconds_from_gmt=10800))
                execute(self.archive, statement)
                found = json.loads(hp_verify("archive", self.archive, "--json").out)
                self.assertLessEqual(codes, {finding["code"] for finding in found["findings"]})

    def test_a_day_of_rings_is_the_same_record_in_every_zone(self):
        """Of 26 hours between the farthest zones, none has a moment with the same date everywhere; the record is the same all the same."""
        for number, offset in enumerate(("-0500", "-1100", "+1400", "+0000", "-1200", "+1300")):
            text = """<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US"><ExportDate value="2024-05-%02d 12:00:00 %s"/>
<ActivitySummary dateComponents="2024-04-30" activeEnergyBurned="400" activeEnergyBurnedUnit="kcal"/></HealthData>
""" % (2 * number + 1, offset)
            self.assert_good(self.hp_capture("--apple-health", self.written(text.encode(), "export.xml"), "--quiet"))
        self.assertEqual(self.rows("SELECT event_kind, count(*) FROM sample_observation_events GROUP BY 1"), [("appeared", 1)])

    def rings(self, dates, at, *options):
        summaries = "".join('<ActivitySummary dateComponents="%s" activeEnergyBurned="400" activeEnergyBurnedUnit="kcal"/>' % day for day in sorted(dates))
        text = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US"><ExportDate value="%s"/>\n%s</HealthData>\n' % (at.strftime("%Y-%m-%d %H:%M:%S %z"), summaries)
        return self.hp_capture("--apple-health", self.written(text.encode(), "export.xml"), "--quiet", *options)

    def dates_of_buckets(self, zone):
        """The written date that the stored bounds of each bucket say, in a zone of Python's."""
        found = {}
        for start, end, count in self.rows("SELECT bucket_start, bucket_end, visible_record_count FROM daily_type_aggregates WHERE source_revision_id IS NULL"):
            first, after = (datetime.datetime.fromtimestamp(moment, zone) for moment in (start, end))
            self.assertEqual((first.time(), after.time(), after.date() - first.date()), (datetime.time(), datetime.time(), datetime.timedelta(days=1)))
            found[first.date().isoformat()] = count
        return found

    def assert_dates_everywhere(self, zone, dates, lost):
        """Capture, check, repair, days, windows and the answer say the written dates."""
        written = {day.isoformat(): 1 for day in dates}
        self.assertEqual(self.dates_of_buckets(zone), written)
        self.assert_valid()
        execute(self.archive, "DELETE FROM daily_type_aggregates")
        self.assert_good(hp_export("repair", self.archive, "--aggregates"))
        self.assertEqual(self.dates_of_buckets(zone), written)
        self.assert_good(hp_verify("archive", self.archive))
        lines = [json.loads(line) for line in self.assert_good(hp_export("days", self.archive, "--format", "jsonl", "-o", "-", "--no-record")).out.splitlines()]
        self.assertEqual({line["item"]["date"]: line["item"]["record_count"] for line in lines[1:-1]}, written)
        at = datetime.datetime.combine(max(dates), datetime.time(12), zone) + datetime.timedelta(days=30)
        self.assert_good(self.rings(set(dates) - {lost}, at))
        self.assert_good(hp_verify("archive", self.archive))
        text = self.assert_good(hp_export("diff", self.archive, "--summary")).out.decode()
        self.assertIn("%d %s %d" % (lost.day, lost.strftime("%B"), lost.year), text.splitlines()[0] + text.splitlines()[1])

    def test_rings_keep_the_written_date_in_every_zone(self):
        draw = random.Random(os.environ.get("HP_ZONES_SEED", 44))
        for minutes in [-720, -660, 0, 780, 840, *(draw.randrange(-720, 841) for _ in range(6))]:
            zone = datetime.timezone(datetime.timedelta(minutes=minutes))
            first = datetime.date(draw.randrange(2009, 2026), draw.randrange(1, 13), draw.randrange(1, 29))
            dates = sorted({first + datetime.timedelta(days=draw.randrange(40)) for _ in range(12)})
            at = datetime.datetime.combine(max(dates), datetime.time(12), zone) + datetime.timedelta(days=2)
            with self.subTest(minutes=minutes, first=first):
                folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder.parent if self.folder.name.startswith("rings") else self.folder, prefix="rings"))
                self.place(folder)
                self.assert_good(self.rings(dates, at))
                self.assert_dates_everywhere(zone, dates, draw.choice(dates))

    def test_a_date_that_a_zone_left_out_has_no_bucket(self):
        """Samoa had no 30 December 2011."""
        dates = [datetime.date(2011, 12, day) for day in (29, 30, 31)]
        at = datetime.datetime(2012, 1, 5, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=14)))
        self.assert_good(self.rings(dates, at, "--time-zone", "Pacific/Apia"))
        starts = [(1325152800.0, 1325239200.0), (1325239200.0, 1325325600.0)]
        self.assertEqual(self.rows("SELECT bucket_start, bucket_end FROM daily_type_aggregates ORDER BY 1"), starts)
        self.assert_valid()


@unittest.skipUnless(can_hide_zones(), "unshare(1) may not hide the zones of the system")
class Machines(Zones):
    def setUp(self):
        super().setUp()
        self.others = self.folder / "zones"
        for name, hours in (("Europe/Bucharest", 5), ("America/Sao_Paulo", -9), ("UTC", 3)):
            path = self.others / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zone_file(hours * 3600))

    def assert_same(self, *words, name="hp-export"):
        """The same status, output and messages here, without zones, and under other rules."""
        here = within(ZONES, name, *words)
        for zones in (None, self.others):
            there = within(zones, name, *words)
            self.assertEqual((there.status, there.out, there.err), (here.status, here.out, here.err), words)
        return here

    def looks(self, archive):
        for words in (["archive", archive], ["archive", archive, "--json"], ["reproduce", archive], *([["bundle", path, "--archive", archive] for path in sorted(self.folder.glob("out.*"))])):
            self.assert_same(*words, name="hp-verify")
        for words in (["list", archive, "observations"], ["list", archive, "changes"], ["repair", archive, "--aggregates", "--dry-run"]):
            self.assert_same(*words)
        for words in (["records", "--view", "people"], ["records", "--format", "jsonl", "--since", "2024-05-02"], ["records", "--format", "jsonl", "--at", "2024-06-01"], ["diff", "--summary", "--format", "json"],
                      ["diff", "--findings", "--format", "json"], ["diff", "--format", "csv", "--until", "2024-04"], ["report"]):
            self.assert_same(words[0], archive, *words[1:], "--no-record", "-o", "-")

    def test_an_archive_says_the_same_on_every_machine(self):
        self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST), observation(2, type_run(steps(*MOMENTS[1:], value=20), sample_type=STEPS), **BUCHAREST),
                  observation(3, type_run(steps(*MOMENTS, value=30), sample_type=STEPS), time_zone_identifier="America/Sao_Paulo"))
        for number, words in enumerate((["bundle"], ["records", "--since", "2024-05-02"], ["diff", "--summary", "--format", "json"], ["report"], ["records", "--view", "people"])):
            self.assert_good(hp_export(words[0], self.archive, *words[1:], "-o", self.folder / ("out.%d" % number), "--quiet"))
        self.assert_good(hp_verify("archive", self.archive))
        self.looks(self.archive)

    def test_archives_of_other_engines_say_the_same(self):
        for fixture in ("small.sqlite", "two-chains.sqlite", "identity.sqlite"):
            with self.subTest(fixture):
                self.looks(self.fixture(fixture, fixture))

    def test_a_capture_on_another_machine_keeps_the_past(self):
        """Where a machine has other rules, or none, the next observation has days of its own, and those before keep theirs."""
        self.send(observation(1, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST, time_zone_seconds_from_gmt=10800))
        before = self.rows("SELECT * FROM daily_type_aggregates")
        hours = {}
        for day, (zones, expected) in enumerate(((self.others, 5), (None, 3), (ZONES, None)), 2):
            zone = {} if zones is self.others else {"time_zone_seconds_from_gmt": 10800}
            path = self.written(feed(observation(day, type_run(steps(*MOMENTS), sample_type=STEPS), **BUCHAREST, **zone)))
            result = within(zones, "hp-export", "capture", self.archive, "--secret", self.secret, "--feed", path)
            self.assert_good(result)
            self.assertEqual("is unknown on this machine" in result.err, zones is None, result.err)
            hours[day] = expected
        self.assertEqual(self.rows("SELECT * FROM daily_type_aggregates WHERE observation_id = 1"), before)
        bucharest = zoneinfo.ZoneInfo("Europe/Bucharest")
        for at, expected in {1: None, **hours}.items():
            self.assertEqual(self.buckets(at), counted(MOMENTS, bucharest if expected is None else datetime.timezone(datetime.timedelta(hours=expected))), at)
        self.assert_valid()
        self.looks(self.archive)


if __name__ == "__main__":
    unittest.main()
