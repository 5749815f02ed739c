"""Random histories with cuts, refusals, contradictions and records that cannot be stored: after each step all outputs say what a model of its own says."""

import collections
import contextlib
import json
import os
import random
import sqlite3
import unittest

from capture_support import CaptureCase
from state_model import TYPES, Store
from support import hp_export, hp_verify, takes_long

KINDS = ("appeared", "disappeared", "representation_changed")


class StateModel(CaptureCase):
    def follow(self, seed, steps):
        store, chance = Store(random.Random("states %s" % seed)), random.Random("pairs %s" % seed)
        self.renew()
        for step in range(1, steps + 1):
            result = self.hp_capture("--feed", self.written(store.observation()), "--json")
            self.assertIn(result.status, (0, 1), result)
            self.look(store.model, json.loads(result.out)["observations"][0], step, chance)
        self.assert_good(hp_verify("archive", self.archive))
        return store.reached

    def look(self, model, line, step, chance):
        counts = model.counts(step - 1, step) if step > 1 else (model.visible(1), 0, 0, len(model.snapshots[1][2]), 0)
        self.assertEqual(tuple(line[kind] for kind in KINDS), counts[:3])
        rows = {row["id"]: row for row in json.loads(hp_export("list", self.archive, "observations", "--json").out)["observations"]}
        self.assertEqual(tuple(rows[step][kind + "_count"] for kind in KINDS), counts[:3])
        self.assertEqual([rows[number]["visible_record_count"] for number in range(1, step + 1)], [model.visible(number) for number in range(1, step + 1)])
        self.assertEqual(rows[step]["unknown_type_count"], sum(run.state == "unknown" for run in model.runs[-1].values()))
        states = {row[0]: row[1:] for row in self.rows("""SELECT type_identifier, state, discontinuity FROM type_run_facts JOIN observation_type_runs AS runs ON runs.id = type_run_id
            JOIN sample_types ON sample_types.id = sample_type_id WHERE observation_id = ?""", step)}
        self.assertEqual(states, {name: (run.state, " ".join(run.words) or None) for name, run in model.runs[-1].items()})
        if step == 1:
            return
        self.summary(model, step - 1, step)
        start, end = chance.sample(range(1, step + 1), 2)
        self.summary(model, start, end)

    def summary(self, model, start, end):
        lines = hp_export("diff", self.archive, "--summary", "--from", str(start), "--to", str(end), "--format", "jsonl", "-o", "-", "--no-record", "--quiet").out.splitlines()
        items = [json.loads(text)["item"] for text in lines[1:-1]]
        stated = {item["sample_type"]: (item["standing"], item.get("standing_reasons", [])) for item in items if "standing" in item}
        expected = {name: model.standing(name, start, end) for name in TYPES}
        self.assertEqual(stated, {name: standing for name, standing in expected.items() if standing})
        whole, counts = items[0], model.counts(start, end)
        told = tuple(whole[kind + "_count"] for kind in KINDS) + tuple(whole.get("relationship_%s_count" % kind, 0) for kind in KINDS[:2])
        self.assertEqual((told, whole["before"]["record_count"], whole["after"]["record_count"]), (counts, model.visible(start), model.visible(end)))
        self.assertEqual(whole["rejected_count"], sum(sum(of_type.values()) for of_type in model.snapshots[end][1].values()))
        hp_export("cache", self.archive, "rebuild", "--quiet")
        found = json.loads(hp_export("diff", self.archive, "--summary", "--counts", "--from", str(start), "--to", str(end), "--json").out)
        self.assertEqual(found["counts_from"], "cache" if end == start + 1 else "archive")
        self.assertEqual(tuple(sum(entry[kind + "_count"] for entry in found["types"]) for kind in (*KINDS, "relationship_appeared", "relationship_disappeared")), counts)
        with contextlib.closing(sqlite3.connect(str(self.archive) + ".cache")) as cache:
            cached = cache.execute("SELECT visibleRecordCount FROM CachedObservationRow WHERE observationID = ?", (end,)).fetchall()
        self.assertEqual(cached, [(model.visible(end),)])

    def test_a_few_histories(self):
        reached = sum((self.follow(seed, 6) for seed in range(4)), start=collections.Counter())
        self.assertGreater(len(reached), 8)

    @takes_long
    def test_many_histories(self):
        seed, count = os.environ.get("HP_SEED") or random.randrange(10**9), int(os.environ.get("HP_HISTORIES", "60"))
        print("%s: HP_SEED=%s" % (self.id(), seed), flush=True)
        reached = {}
        for number in range(count):
            with self.subTest("%s %d" % (seed, number)):
                for word, times in self.follow("%s %d" % (seed, number), 8).items():
                    reached[word] = reached.get(word, 0) + times
        words = {"verified", "continued", "unknown", "anchor_broken", "no_anchor", "conflicts", "count_differs", "rejected_records", "failed", "unauthorized", "timed_out"}
        self.assertLessEqual(words, set(reached))


if __name__ == "__main__":
    unittest.main()
