"""What was recorded as an export stays valid and is made again byte for byte, whatever comes later (Spec/decisions/0036)."""

import json
import pathlib
import random
import unittest

import histories
from capture_support import HEART_RATE, SLEEP, STEPS, CaptureCase, feed, observation, sample, type_run
from support import hp_export, hp_verify

# Each kind of export with the option that names its observation, and what its name ends in.
KINDS = [
    ("bundle", "--at", "zst"), ("bundle", "--history", "--at", "zst"), ("bundle", "--profile", "share", "--at", "zst"), ("records", "--at", "csv"),
    ("records", "--format", "jsonl", "--since", "2024-05", "--at", "jsonl"), ("records", "--view", "people", "--at", "csv"), ("records", "--type", SLEEP, "--at", "csv"),
    ("manifest", "--at", "json"), ("diff", "--to", "csv"), ("diff", "--view", "people", "--to", "csv"), ("diff", "--summary", "--format", "json", "--to", "json"),
    ("diff", "--findings", "--format", "json", "--to", "json"), ("diff", "--pairs", "--format", "jsonl", "--to", "jsonl"), ("report", "--to", "html"),
]


class Permanence(CaptureCase):
    def setUp(self):
        super().setUp()
        self.made = {}  # the arguments of each export that was recorded, by its file

    def send(self, *observations):
        return self.hp_capture("--feed", self.written(feed(*observations)), "--quiet")

    def export(self, kind, at, *options, name=None):
        path = self.folder / (name or "%d.%s" % (len(self.made), kind[-1]))
        return path, hp_export(kind[0], self.archive, *kind[1:-1], str(at), *options, "-o", path, "--quiet")

    def record(self, kinds, at):
        for kind in kinds:
            path, result = self.export(kind, at)
            self.assert_good(result)
            self.made[path] = kind, at

    def assert_permanent(self, is_compared=True):
        """All recorded exports are made again, each file agrees, and made once more it has the same bytes."""
        for command in (("archive",), ("reproduce",) if self.made else ("archive",)):
            result = hp_verify(command[0], self.archive)
            self.assertEqual(result.status, 0, result)
        for path, (kind, at) in self.made.items() if is_compared else ():
            result = self.assert_good(hp_verify("bundle", path, "--archive", self.archive))
            self.assertNotIn(b"not recorded", result.out)
            again, result = self.export(kind, at, "--force", name="again." + kind[-1])
            self.assert_good(result)
            self.assertEqual(again.read_bytes(), path.read_bytes(), (kind, at))

    def test_a_type_and_its_names_are_shown_from_their_observation_on(self):
        self.send(observation(1, type_run([sample(1), sample(2, 1)])), observation(2, type_run([sample(1), sample(3, 1)])))
        self.record(KINDS, 2)
        self.send(observation(3, type_run([sample(1), sample(3, 1)], display_name="Heart", category="vitals"), type_run(sample_type=STEPS), type_run(sample_type=SLEEP, category="rest")))
        self.assert_permanent()
        self.record(KINDS, 3)
        self.send(observation(4, type_run(sample_type=STEPS, display_name="Steps"), type_run(sample_type=SLEEP, display_name="Sleep")))
        self.assert_permanent()
        names = lambda at: [(entry["sample_type"], entry.get("display_name"), entry.get("category")) for entry in json.loads(
            self.assert_good(hp_export("records", self.archive, "--at", str(at), "--format", "json", "--no-record", "-o", "-", "--quiet")).out)["export"]["coverage"]]
        self.assertEqual(names(2), [(HEART_RATE, None, None)])
        self.assertEqual(names(3), [(SLEEP, None, "rest"), (HEART_RATE, "Heart", "vitals"), (STEPS, None, None)])
        self.assertEqual(names(4), [(SLEEP, "Sleep", "rest"), (HEART_RATE, "Heart", "vitals"), (STEPS, "Steps", None)])
        # An undo takes nothing of exports that do not name the observation.
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        self.assert_permanent()
        refused = hp_export("undo", self.archive, "--no-backup")
        self.assertEqual((refused.status, "recorded exports name observation 3" in refused.err), (2, True), refused)
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--with-exports", "--quiet"))
        self.made = {path: found for path, found in self.made.items() if found[1] == 2}
        self.assert_permanent()

    def test_an_observation_that_ended_in_parts_is_not_continued(self):
        first = observation(1, type_run([sample(1), sample(2, 1)]), type_run(sample_type=STEPS, end={"status": "unauthorized"}))
        more = type_run([sample(9, 9, sample_type=STEPS, unit="count")], sample_type=STEPS, first_page=2)
        self.send(first)
        self.record(KINDS[:8], 1)
        before = self.rows("SELECT * FROM observations"), self.rows("SELECT * FROM observation_type_runs"), self.rows("SELECT * FROM history_links")
        self.send(first)
        self.assertEqual((self.rows("SELECT * FROM observations"), self.rows("SELECT * FROM observation_type_runs"), self.rows("SELECT * FROM history_links")), before)
        self.assert_permanent()
        self.send([*first[:5], *more, first[-1]])
        self.assertEqual(self.rows("SELECT * FROM observations")[:1], before[0])
        self.assert_permanent()

    def test_what_has_not_ended_is_not_recorded(self):
        self.send(observation(1, type_run([sample(1)])))
        running = feed(observation(2, type_run([sample(1), sample(2, 1)]))[:-1]) + b"{}\n"
        self.assertEqual(self.hp_capture("--feed", self.written(running), "--quiet").status, 2)
        self.assertEqual(self.rows("SELECT status FROM observations"), [("completed",), ("running",)])
        for kind in KINDS:
            with self.subTest(kind):
                path, result = self.export(kind, 2, name="refused")
                self.assert_refused(result, "observation 2 has not ended")
                self.assertIn("--no-record", result.err)
                self.assertFalse(path.exists())
                self.assert_good(self.export(kind, 2, "--no-record", "--force", name="free." + kind[-1])[1])
        self.assert_refused(hp_export("diff", self.archive, "--from", "2", "--to", "1", "--format", "csv", "-o", self.folder / "refused"), "observation 2 has not ended")
        self.assertEqual(self.rows("SELECT count(*) FROM export_manifests"), [(0,)])
        self.record(KINDS[:5], 1)
        self.send(observation(2, type_run([sample(1), sample(2, 1)])))
        self.record(KINDS, 2)
        self.assert_permanent()

    def test_an_export_that_was_not_recorded_is_reproduced(self):
        self.send(observation(1, type_run([sample(1), sample(2, 1)])), observation(2, type_run([sample(1, 0, 70)])))
        for kind in KINDS:
            with self.subTest(kind):
                path, result = self.export(kind, 2, "--no-record", "--force", name="free." + kind[-1])
                self.assert_good(result)
                result = self.assert_good(hp_verify("bundle", path, "--archive", self.archive))
                self.assertIn(b"reproduced, not recorded", result.out)
                path.unlink()

    def test_archives_of_other_engines_grow_up(self):
        """Sealed, and then with observations and tables of these tools. Two observations of the second still run: the newest is ended."""
        for fixture, at in (("small.sqlite", 4), ("two-chains.sqlite", 5)):
            with self.subTest(fixture):
                for path in self.made:
                    path.unlink()
                    pathlib.Path(str(path) + "-metadata.json").unlink(missing_ok=True)
                self.made = {}
                self.renew()
                self.fixture(fixture)
                self.record([kind for kind in KINDS if "people" not in kind], at)
                self.assert_good(hp_export("seal", self.archive, "--quiet"))
                lines = observation(1, type_run([sample(1)], display_name="Heart", category="vitals"), type_run(sample_type=SLEEP))
                self.assert_good(self.hp_capture("--feed", self.written(feed(lines)), "--new-chain", "--quiet"))
                # One that has an entry is over, whatever its status.
                self.assertEqual(self.rows("SELECT id FROM observations WHERE status IN ('running', 'started')"), [(6,)][:at - 4])
                result = self.assert_good(hp_verify("reproduce", self.archive))
                self.assertIn(b"%d of %d" % (len(self.made), len(self.made)), result.out)
                for path in self.made:
                    self.assert_good(hp_verify("bundle", path, "--archive", self.archive))

    # Random histories; those of test_state_model.py are many, and have a model

    def labelled(self, chance):
        hashes = [row[0] for row in self.rows("SELECT source_name_hash FROM sources WHERE source_name_hash IS NOT NULL")]
        if hashes:
            hp_export("label", self.archive, chance.choice(hashes), "Name %d" % chance.randrange(9), "--quiet")

    def undone(self):
        named = {found[1] for found in self.made.values()} | {1}
        newest, = self.rows("SELECT max(id) FROM observations")[0]
        if newest not in named and newest - 1 not in named:
            hp_export("undo", self.archive, "--no-backup", "--quiet")

    def step(self, chance, feeds):
        """What may come after an export; exports of views with labels are not asked for again."""
        fate = chance.random()
        if fate < 0.5:
            self.hp_capture("--feed", self.written(next(feeds, chance.choice(self.sent) if self.sent else b"")), "--quiet")
            self.sent.append((self.folder / "feed.jsonl").read_bytes())
        elif fate < 0.65 and self.sent:
            self.hp_capture("--feed", self.written(chance.choice(self.sent)), "--quiet")
        elif fate < 0.72:
            self.labelled(chance)
        elif fate < 0.8:
            hp_export("repair", self.archive, chance.choice(["--ranges", "--aggregates"]), "--no-backup", "--quiet")
        elif fate < 0.85:
            hp_export("seal", self.archive, "--quiet")
        elif fate < 0.95:
            self.undone()

    def history(self, seed, observations, steps):
        chance = random.Random(seed)
        self.made, self.sent = {}, []
        for path in self.folder.iterdir():
            if path != self.secret:
                path.unlink()
        feeds = histories.History(chance, observations).feeds()
        self.hp_capture("--feed", self.written(next(feeds)), "--quiet")
        for number in range(steps):
            if not self.archive.exists():
                return
            finished = self.rows("SELECT id FROM observations WHERE status NOT IN ('running', 'started')")
            if finished:
                kinds = [kind for kind in KINDS if "people" not in kind]
                at = chance.choice(finished)[0]
                for kind in chance.sample(kinds, 2):
                    path, result = self.export(kind, at)
                    if result.status == 0:
                        self.made[path] = kind, at
                    else:  # The first observation is compared with none, and an older one may still run.
                        self.assertIn("no finished observation before", result.err)
            self.step(chance, feeds)
            self.assert_permanent(is_compared=number == steps - 1)

    def test_random_histories(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                self.history(seed, 8, 8)


if __name__ == "__main__":
    unittest.main()
