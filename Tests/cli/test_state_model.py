"""Random histories: feeds that are cut, cancelled, sent again and resumed, types that are refused, records that cannot be stored or contradict each other, copies, zones that
change, exports without the files beside their XML; labels, repairs, seals and undo between them. After each step the archive has what a model of its own says, nothing that
had ended is changed, and outputs agree; at the end all of them are looked at, and each recorded export is made again.

HP_HISTORIES=N follows so many, HP_SEED=N those of another seed. A failure names the seed of its history: `follow` takes it.
"""

import collections
import concurrent.futures
import contextlib
import copy
import datetime
import json
import os
import random
import sqlite3
import tempfile
import traceback
import unittest
import zoneinfo

from capture_support import CaptureCase
from state_sources import Client, Phone
from support import execute, hp_export, hp_verify, query, takes_long
from test_zones import can_hide_zones, within, zone_file

KINDS = ("appeared", "disappeared", "representation_changed")
EXPORTS = [
    ("bundle", "--at", "zst"), ("bundle", "--history", "--at", "zst"), ("bundle", "--profile", "share", "--at", "zst"), ("records", "--at", "csv"),
    ("records", "--format", "jsonl", "--since", "2024-02", "--at", "jsonl"), ("manifest", "--at", "json"), ("diff", "--to", "csv"),
    ("diff", "--summary", "--format", "json", "--to", "json"), ("diff", "--findings", "--format", "json", "--to", "json"),
    ("diff", "--pairs", "--format", "jsonl", "--to", "jsonl"), ("report", "--to", "html"),
]
# What the histories have to reach: the situations in which outputs once said what nobody knew, and the words of runs.
ROWS = [
    "1 a feed with refused types is sent again", "1 a feed that was cut is sent whole", "1 a type is named later", "1 an observation still runs", "1 an export is not recorded",
    "1 an export is recorded before other steps", "2 no zone files", "2 other zone files", "2 the offset of an unknown zone moves",
    "3 a copy comes before the originals", "3 copies come and go", "3 alike records come in another order",
    "4 an export lacks the files beside its XML", "4 a whole export comes after one without files", "4 new records could not be stored",
    "4 a record that could not be stored is gone", "4 a record cannot be stored any more", "4 a record comes that could not be stored", "4 a feed ends before its links",
    "4 a link is gone", "5 a deleted object was never seen", "5 a capture is resumed", "5 a type is not asked for", "5 aggregates are repaired", "5 a row of the cache is changed",
    "5 a comparison goes backward", "5 records are there twice", "5 a record was last seen before the observation that missed it",
    "verified", "continued", "unknown", "anchor_broken", "no_anchor", "conflicts", "count_differs", "rejected_records", "files_missing", "withheld", "failed", "unauthorized", "timed_out",
    "again", "label", "repair", "seal", "undo",
]
# Rows of an observation that has ended never change. `error_kind` and the like are of its runs; ranges are looked at by their dates.
PERMANENT = ["observations", "observation_type_runs", "type_run_facts", "observation_facts", "history_links", "sample_observation_events", "sample_versions",
             "observation_type_summaries", "daily_type_aggregates", "export_manifests", "export_items", "sample_type_origins"]


class StateCase(CaptureCase):
    """A history and what is looked at on its way."""

    def follow(self, seed, steps=4):
        """Follows the history of a seed; what it reached."""
        chance = self.chance = random.Random("states %s" % seed)
        self.renew()
        for path in self.folder.iterdir():
            if path != self.secret:
                path.unlink()
        self.source, self.ids, self.sent, self.made, self.free, self.past, self.before = chance.choice([Client, Client, Phone])(chance), [None], [], {}, None, [], None
        self.reached = self.source.reached
        self.observe()
        for _ in range(steps):
            if chance.random() < 0.35:
                self.export()
            chance.choice([self.observe] * 5 + [self.again, self.label, self.repair, self.seal, self.undo])()
            self.assert_permanent()
        self.look_at_the_end()
        return self.reached

    @property
    def model(self):
        return self.source.model

    @property
    def newest(self):
        return len(self.ids) - 1

    # Steps

    def send(self, content, ending=".jsonl", accepted=(0, 1)):
        option, more = ("--feed", ()) if ending == ".jsonl" else ("--apple-health", ("--accept-disappearances",))
        result = self.hp_capture(option, self.written(content, "source" + ending), *more, "--json")
        self.assertIn(result.status, accepted, result)
        return json.loads(result.out)["observations"] if result.status < 2 else result

    def keep(self):
        """Keeps what an undo comes back to."""
        source = self.source
        self.past.append((copy.deepcopy(source.model), list(source.zones), *([copy.deepcopy((source.live, source.bad, source.pairs))] if isinstance(source, Client) else [])))

    def observe(self):
        if isinstance(self.source, Phone):
            date, content = self.source.observation()
            self.taken(date, content, *self.source.text(date, content))
            return
        date, lines = self.source.observation()
        fate = self.chance.random()
        part = self.source.prefix(lines) if fate < 0.35 else None
        if part and fate < 0.2 and len(part) < len(lines):
            self.taken(date, part, self.source.text(part))
            self.reached["1 a feed that was cut is sent whole"] += 1
        elif part and len(part) > 1:
            result = self.send(self.source.text(part) + b"{}\n", accepted=(2,))
            self.assertEqual(self.rows("SELECT status FROM observations ORDER BY id DESC LIMIT 1"), [("running",)], result)
            number, = self.rows("SELECT max(id) FROM observations")[0]
            refused = hp_export("bundle", self.archive, "--at", str(number), "-o", self.folder / "refused", "--quiet")
            self.assert_refused(refused, "observation %d has not ended" % number)
            self.reached["1 an observation still runs"] += 1
            self.reached["5 a capture is resumed"] += 1
        self.taken(date, lines, self.source.text(lines))

    def taken(self, date, content, *text):
        self.keep()
        self.source.take(date, content)
        found, = self.send(*text)
        if found["start"] == "compared":
            # It is as much as the part that was sent before, and ended early too.
            self.assertEqual(self.model.snapshots[-1], self.model.snapshots[-2])
            self.go_back()
            return
        self.ids.append(found["observation_id"])
        self.sent.append((text, found["status"], self.newest))
        self.look(found)

    def go_back(self):
        """The model and the store are as before the newest observation."""
        source = self.source
        source.model, source.zones, *store = self.past.pop()
        if store:
            (source.live, source.bad, source.pairs), = store

    def again(self):
        """What was captured before is compared, and nothing comes of it."""
        text, status, at = self.chance.choice(self.sent)
        before = self.permanent(), self.rows("SELECT * FROM sample_visibility_ranges"), self.rows("SELECT * FROM rejected_records")
        found, = self.send(*text)
        self.assertEqual(found["start"], "compared")
        self.assertEqual((self.permanent(), self.rows("SELECT * FROM sample_visibility_ranges"), self.rows("SELECT * FROM rejected_records")), before)
        self.reached["again"] += 1
        self.reached["1 a feed with refused types is sent again"] += status == "partial_types"

    def label(self):
        hashes = [row[0] for row in self.rows("SELECT source_name_hash FROM sources WHERE source_name_hash IS NOT NULL")]
        if hashes:
            self.assert_good(hp_export("label", self.archive, self.chance.choice(hashes), "Name %d" % self.chance.randrange(9), "--quiet"))
            self.reached["label"] += 1

    def repair(self):
        """Nothing is to be repaired; a summary that was changed comes back as it was."""
        part = self.chance.choice(["--ranges", "--aggregates"])
        if part == "--aggregates" and self.rows("SELECT 1 FROM observation_type_summaries"):
            execute(self.archive, "UPDATE observation_type_summaries SET visible_record_count = visible_record_count + 7 WHERE rowid = (SELECT min(rowid) FROM observation_type_summaries)")
            self.reached["5 aggregates are repaired"] += 1
        elif part == "--ranges" and self.rows("SELECT 1 FROM sample_visibility_ranges"):
            execute(self.archive, "UPDATE sample_visibility_ranges SET first_seen_at = 1 WHERE rowid = (SELECT min(rowid) FROM sample_visibility_ranges)")
        self.assert_good(hp_export("repair", self.archive, part, "--backup", self.folder / "backup", "--quiet"))
        (self.folder / "backup").unlink(missing_ok=True)
        self.reached["repair"] += 1

    def seal(self):
        self.assert_good(hp_export("seal", self.archive, "--quiet"))
        self.reached["seal"] += 1

    def undo(self):
        if self.newest < 2 or any(self.newest in places for _, places in self.made.values()) or self.free and self.newest in self.free[2]:
            return
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.go_back()
        self.ids.pop()
        self.sent = [found for found in self.sent if found[2] <= self.newest]
        self.before = None
        self.reached["undo"] += 1

    def export(self):
        """An export that is recorded, or one that is not."""
        kind = self.chance.choice(EXPORTS)
        at = self.chance.randrange(1, self.newest + 1)
        places = {at} if kind[0] in ("bundle", "records", "manifest") else {at, at - 1}
        if kind[0] in ("diff", "report") and at == 1 or self.rows("SELECT 1 FROM observations WHERE status = 'running'"):
            return
        options = ["--from", str(self.ids[at - 1])] if len(places) > 1 else []
        is_recorded = self.free is not None or self.chance.random() < 0.7
        path = self.folder / ("%d.%s" % (len(self.made), kind[-1]) if is_recorded else "free." + kind[-1])
        self.assert_good(hp_export(kind[0], self.archive, *kind[1:-1], str(self.ids[at]), *options, *([] if is_recorded else ["--no-record"]), "-o", path, "--quiet"))
        if is_recorded:
            self.made[path] = kind, places
            self.before = None
            self.reached["1 an export is recorded before other steps"] += 1
        else:
            self.free = path, kind, places
            self.reached["1 an export is not recorded"] += 1

    # What is looked at after each step

    def permanent(self):
        return {table: self.rows("SELECT * FROM " + table) for table in PERMANENT}

    def assert_permanent(self):
        """No row of what had ended is another one, or gone."""
        now = self.permanent()
        for table, rows in (self.before or {}).items():
            lost = set(rows) - set(now[table])
            self.assertEqual(lost, set(), table)
        self.before = now

    def look(self, line):
        model, at = self.model, self.newest
        counts = model.counts(at - 1, at)
        self.assertEqual(tuple(line[kind] for kind in KINDS), counts[:3])
        self.assertEqual(line["withheld"], sum(run.withheld for run in model.runs[-1].values()))
        states = {row[0]: row[1:] for row in self.rows("""SELECT type_identifier, state, discontinuity, withheld_count FROM type_run_facts
            JOIN observation_type_runs AS runs ON runs.id = type_run_id JOIN sample_types ON sample_types.id = sample_type_id WHERE observation_id = ?""", self.ids[at])}
        self.assertEqual(states, {name: (run.state, " ".join(run.words) or None, run.withheld) for name, run in model.runs[-1].items()})
        self.look_at_days(at)
        self.look_at_ends()
        if at > 1:
            start, end = (at - 1, at) if self.chance.random() < 0.5 else self.chance.sample(range(1, at + 1), 2)
            self.summary(start, end)

    def look_at_days(self, at):
        """The buckets that a reader of the archive finds: of each the newest row since the days last changed."""
        found = {}
        hashes = self.rows("SELECT observation_id, zone_rules_hash FROM observation_facts WHERE observation_id <= ? ORDER BY observation_id DESC", self.ids[at])
        other = next((number for number, hashed in hashes if hashed != hashes[0][1]), 0)
        for name, start, count in self.rows("""SELECT type_identifier, bucket_start, visible_record_count FROM daily_type_aggregates JOIN sample_types ON sample_types.id = sample_type_id
                WHERE source_revision_id IS NULL AND observation_id > ? AND observation_id <= ? ORDER BY observation_id""", other, self.ids[at]):
            found[name, start] = count
        zone = self.source.zones[at]
        expected = self.model.days(at, zoneinfo.ZoneInfo(zone) if isinstance(zone, str) else zone)
        self.assertEqual({key: count for key, count in found.items() if count}, {key: count for key, count in expected.items() if count})

    def look_at_ends(self):
        """When records were seen last, of types whose records have a UUID or are never alike."""
        found = collections.defaultdict(collections.Counter)
        for name, first, last, seen in self.rows("""SELECT type_identifier, f.observed_at, l.observed_at, last_seen_at FROM sample_visibility_ranges r JOIN samples s ON s.id = sample_id
                JOIN sample_types t ON t.id = sample_type_id JOIN observations f ON f.id = first_observation_id JOIN observations l ON l.id = last_observation_id"""):
            found[name][first, last, seen] += 1
            self.reached["5 a record was last seen before the observation that missed it"] += seen < last
        for name in set(self.model.types) - self.model.alike:
            self.assertEqual(found[name], collections.Counter({tuple(date.timestamp() for date in dates): count for dates, count in self.model.closed[name].items()}), name)

    def summary(self, start, end):
        model = self.model
        lines = self.assert_good(hp_export("diff", self.archive, "--summary", "--from", str(self.ids[start]), "--to", str(self.ids[end]), "--format", "jsonl", "-o", "-", "--no-record",
                                           "--quiet")).out.splitlines()
        items = [json.loads(text)["item"] for text in lines[1:-1]]
        stated = {item["sample_type"]: (item["standing"], item.get("standing_reasons", [])) for item in items if "standing" in item}
        expected = {name: model.standing(name, start, end) for name in model.types}
        self.assertEqual(stated, {name: standing for name, standing in expected.items() if standing})
        whole, counts = items[0], model.counts(start, end)
        told = tuple(whole[kind + "_count"] for kind in KINDS) + tuple(whole.get("relationship_%s_count" % kind, 0) for kind in KINDS[:2])
        self.assertEqual((told, whole["before"]["record_count"], whole["after"]["record_count"]), (counts, model.visible(start), model.visible(end)))
        self.assertEqual(whole["rejected_count"], sum(sum(of_type.values()) for of_type in model.snapshots[end][1].values()))
        self.assertEqual(whole["withheld_count"], sum(model.snapshots[end][3].values()))

    # What is looked at in the end

    def look_at_the_end(self):
        verdict = self.assert_good(hp_verify("archive", self.archive))
        if self.made:
            path = self.chance.choice(sorted(self.made))
            self.assertNotIn(b"not recorded", self.assert_good(hp_verify("bundle", path, "--archive", self.archive)).out)
        if self.free:
            # The same export may have been recorded too.
            said = self.assert_good(hp_verify("bundle", self.free[0], "--archive", self.archive)).out
            self.assertIn(b"matches the archive" if self.made and b"not recorded" not in said else b"reproduced, not recorded", said)
        fate = self.chance.random()
        if fate < 0.2:
            self.look_at_findings()
        elif fate < 0.3 and self.newest > 1:
            self.look_backward()
        elif fate < 0.34 and can_hide_zones():
            self.look_elsewhere(verdict)
        self.look_at_lists()

    def look_at_lists(self):
        """The cache and the lists have the numbers of the model, also where somebody changed the cache."""
        at, model = self.newest, self.model
        # Before the first summary nothing says how many are visible: not even 0. Each observation after it says as much as the newest summary of each type.
        (first,), = query(self.archive, "SELECT min(observation_id) FROM observation_type_summaries")

        def visible(number):
            if first is not None and self.ids[number] >= first:
                return model.visible(number)
            self.assertEqual(model.visible(number), 0)
            return None
        hp_export("cache", self.archive, "rebuild", "--quiet")
        with contextlib.closing(sqlite3.connect(str(self.archive) + ".cache")) as cache:
            self.assertEqual(cache.execute("SELECT visibleRecordCount FROM CachedObservationRow WHERE observationID = ?", (self.ids[at],)).fetchall(), [(visible(at),)])
            is_changed = self.chance.random() < 0.2
            if is_changed:
                cache.execute("UPDATE CachedObservationRow SET visibleRecordCount = 99, appearedCount = 98")
                cache.commit()
                self.reached["5 a row of the cache is changed"] += 1
        rows = {row["id"]: row for row in json.loads(hp_export("list", self.archive, "observations", "--json").out)["observations"]}
        for number in range(1, at + 1):
            row = rows[self.ids[number]]
            self.assertEqual((*(row[kind + "_count"] for kind in KINDS), row.get("visible_record_count"), row["unknown_type_count"]),
                             (*model.counts(number - 1, number)[:3], visible(number), sum(run.state == "unknown" for run in model.runs[number - 1].values())), number)
        if at > 1:
            found = json.loads(hp_export("diff", self.archive, "--summary", "--counts", "--from", str(self.ids[at - 1]), "--to", str(self.ids[at]), "--json").out)
            self.assertEqual(found["counts_from"], "archive" if is_changed else "cache")
            self.assertEqual(tuple(sum(entry[kind + "_count"] for entry in found["types"]) for kind in (*KINDS, "relationship_appeared", "relationship_disappeared")), model.counts(at - 1, at))

    def look_at_findings(self):
        """Records that are there twice; and no record is late that was there and could not be stored."""
        at, model = self.newest, self.model
        if at < 2:
            return
        lines = self.assert_good(hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", "-", "--no-record", "--quiet", "--from", str(self.ids[at - 1]), "--to",
                                           str(self.ids[at]))).out.splitlines()
        items = [json.loads(line)["item"] for line in lines[1:-1]]
        found = collections.Counter((item["finding"], item["sample_type"], item["record_count"]) for item in items if item["finding"].endswith("duplicate"))
        self.assertEqual(found, model.duplicates(at, self.source.stored, self.source.content))
        self.reached["5 records are there twice"] += len(found)
        rejected, now = model.snapshots[at - 1][1], model.snapshots[at][1]
        were_there = {(name, model.moment(what[0])) for name, found in rejected.items() for what in found if what not in now[name]}
        late = {(item["sample_type"], datetime.datetime.fromisoformat(item["start_date"].replace("Z", "+00:00"))) for item in items if item["finding"] == "late_arrival"}
        self.assertEqual(late & were_there, set())

    def look_backward(self):
        start, end = self.newest, self.chance.randrange(1, self.newest)
        self.summary(start, end)
        page = self.folder / "page.html"
        self.assert_good(hp_export("report", self.archive, "--from", str(self.ids[start]), "--to", str(self.ids[end]), "-o", page, "--no-record", "--quiet"))
        self.assert_good(hp_verify("bundle", page, "--archive", self.archive))
        self.reached["5 a comparison goes backward"] += 1

    def look_elsewhere(self, verdict):
        """The same bytes where there are no zone files, and where they have other rules."""
        words = ("archive", self.archive)
        self.assertEqual(within(None, "hp-verify", *words).out, verdict.out)
        self.reached["2 no zone files"] += 1
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            os.mkdir(os.path.join(folder, "Europe"))
            with open(os.path.join(folder, "Europe", "Bucharest"), "wb") as file:
                file.write(zone_file(-3600))
            self.assertEqual(within(folder, "hp-verify", *words).out, verdict.out)
        self.reached["2 other zone files"] += 1


def followed(seeds):
    """Follows histories in a process of its own: what they reached, and how each that failed did."""
    case, reached, failures = StateCase(), collections.Counter(), []
    case.setUp()
    try:
        for seed in seeds:
            try:
                reached.update(case.follow(seed))
            except Exception:
                failures.append((seed, traceback.format_exc()))
    finally:
        case.doCleanups()
    return reached, failures


class StateModel(StateCase):
    def test_a_few_histories(self):
        reached = sum((self.follow("few %d" % number) for number in range(8)), start=collections.Counter())
        self.assertGreater(len(+reached), 25)

    @takes_long
    def test_many_histories(self):
        seed, count = os.environ.get("HP_SEED") or random.randrange(10**9), int(os.environ.get("HP_HISTORIES", "2000"))
        print("%s: HP_SEED=%s" % (self.id(), seed), flush=True)
        seeds = ["%s %d" % (seed, number) for number in range(count)]
        reached, failures = collections.Counter(), []
        with concurrent.futures.ProcessPoolExecutor(max_workers=2) as workers:
            for of_some, failed in workers.map(followed, [seeds[number:number + 20] for number in range(0, count, 20)]):
                reached.update(of_some)
                failures += failed
        for failed, text in failures[:5]:
            print("history %r\n%s" % (failed, text), flush=True)
        self.assertEqual([failed for failed, _ in failures], [])
        rows = [row for row in ROWS if not row.endswith("zone files") or can_hide_zones()]
        self.assertEqual([row for row in rows if not reached[row]], [], "not reached, HP_SEED=%s" % seed)


if __name__ == "__main__":
    unittest.main()
