"""A model of what may be said after each observation of a feed: which types are verified or unknown, and how much changed. Written from Spec/capture.md and
Spec/changes.md; it shares no code with the tools, and knows nothing of their tables.

A `Store` draws observations; `take` tells the model what was sent, and `standing` and `counts` say what each output has to state of two observations.
"""

import collections
import copy
import json

TYPES = ["HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierBodyMass"]
Run = collections.namedtuple("Run", "status mode anchor_after state words stated")


class Model:
    """What each observation left, in order; ids count from 1."""

    def __init__(self):
        self.records, self.rejected, self.links = {name: {} for name in TYPES}, {name: {} for name in TYPES}, set()
        self.runs, self.snapshots = [], [None]

    def take(self, sent, links, is_complete):
        """`sent`: of each type that was asked for (mode, status, anchors, stated count, lines); a line is (uuid, value), (uuid, None) of a deletion, or a rejected one."""
        runs = {}
        for name, (mode, status, before, after, stated, lines) in sent.items():
            known, seen, conflicts, rejections = self.records[name], {}, 0, collections.Counter()
            for kind, key, value in lines:
                if kind == "rejected":
                    rejections[key, value] += 1
                elif kind == "deleted":
                    known.pop(key, None)
                elif key in seen:
                    conflicts += seen[key] != value
                else:
                    seen[key] = known[key] = value
            is_scan = mode == "full_scan" and status == "completed"
            if is_scan:
                self.records[name] = {key: known[key] for key in seen if key in known}
            has_others = self.reject(name, rejections, is_scan)
            words, state = self.words(name, mode, status, before, stated, conflicts, has_others)
            runs[name] = Run(status, mode, after, state, words, stated)
        ended = {link for link in self.links if all(runs.get(name, Run(*[None] * 6))[:2] == ("completed", "full_scan") and key in self.records[name] for name, key in link)}
        self.links = (self.links - ended if is_complete else self.links) | set(links)
        self.runs.append(runs)
        self.snapshots.append((copy.deepcopy(self.records), copy.deepcopy(self.rejected), self.there()))

    def there(self):
        return {link for link in self.links if all(key in self.records[name] for name, key in link)}

    def reject(self, name, rejections, is_scan):
        """Remembers what was rejected; whether that is something else than before."""
        known = self.rejected[name]
        now = dict(rejections) if is_scan else {**known, **{key: count for key, count in rejections.items() if count > known.get(key, 0)}}
        self.rejected[name] = now
        return now != known

    def before(self, name):
        return next((runs[name] for runs in reversed(self.runs) if name in runs and runs[name].status == "completed"), None)

    def words(self, name, mode, status, anchor, stated, conflicts, has_others):
        if status != "completed":
            return [], "unknown"
        words, before = [], self.before(name)
        if mode == "anchored":
            ours, theirs = anchor, before.anchor_after if before else None
            if before and ours is None and theirs is None:
                words.append("no_anchor")
            elif ours != theirs:
                words.append("anchor_broken")
        words += ["conflicts"] * (conflicts > 0) + ["count_differs"] * (stated not in (None, len(self.records[name]))) + ["rejected_records"] * has_others
        if words:
            return sorted(words), "unknown"
        if mode == "full_scan" or stated is not None:
            return [], "verified"
        return [], "continued" if before and before.state in ("verified", "continued") else "unknown"

    # What outputs say

    def visible(self, at):
        return sum(map(len, self.snapshots[at][0].values()))

    def counts(self, start, end):
        """Appeared, no longer visible, changed; the same of links."""
        (before, _, links_before), (after, _, links_after) = self.snapshots[start], self.snapshots[end]
        found = [0, 0, 0, len(links_after - links_before), len(links_before - links_after)]
        for name in TYPES:
            found[0] += len(after[name].keys() - before[name].keys())
            found[1] += len(before[name].keys() - after[name].keys())
            found[2] += sum(before[name][key] != after[name][key] for key in before[name].keys() & after[name].keys())
        return tuple(found)

    def standing(self, name, start, end):
        """The standing of a type and its reasons; None where nobody asked for it."""
        reasons, newest = [], None
        for word, at in (("from", start), ("to", end)):
            ran = [number for number, runs in enumerate(self.runs[:at], 1) if name in runs]
            newest = self.runs[ran[-1] - 1][name] if ran else None
            if newest is None:
                reasons.append(word + "_never_queried")
            elif newest.status != "completed":
                reasons.append(word + "_run_not_completed")
            elif ran[-1] != at or newest.state == "unknown" and not self.is_excused(newest):
                reasons.append(word + "_state_unknown")
        if {"from_never_queried", "to_never_queried"} <= set(reasons):
            return None
        (before, rejected_before, links_before), (after, rejected_after, links_after) = self.snapshots[start], self.snapshots[end]
        if rejected_before[name] != rejected_after[name]:
            reasons.append("rejected_records_differ")
        is_changed = before[name] != after[name] or any(link[0][0] == name for link in links_before ^ links_after)
        state = "verified" if self.is_excused(newest) else newest.state if newest else None
        return "changed" if is_changed else "unknown" if reasons else state, sorted(reasons)

    @staticmethod
    def is_excused(run):
        """Unknown for the sake of rejected records alone."""
        return bool(run) and run.words == ["rejected_records"] and (run.mode == "full_scan" or run.stated is not None)


class Store:
    """A health store whose client sends observations, some of them badly."""

    def __init__(self, chance):
        self.chance, self.model, self.day, self.serial, self.anchors = chance, Model(), 0, 0, {}
        self.live, self.bad, self.pairs = {name: {} for name in TYPES}, {name: [] for name in TYPES}, []
        self.reached = collections.Counter()

    def uuid(self):
        self.serial += 1
        return "00000000-0000-4000-8000-%012d" % self.serial

    def live_on(self, name):
        chance, live = self.chance, self.live[name]
        for _ in range(chance.randrange(4)):
            live[self.uuid()] = chance.choice([60, 61])
        for key in [key for key in live if chance.random() < 0.2]:
            if chance.random() < 0.5:
                del live[key]
            else:
                live[key] += 10
        if chance.random() < 0.25:
            self.serial += 1
            self.bad[name].append((self.serial, chance.choice(["much", "more"])))
        if self.bad[name] and chance.random() < 0.2:
            self.bad[name].pop(chance.randrange(len(self.bad[name])))

    def run(self, name, is_cut):
        """What the client sends of a type."""
        chance, known = self.chance, self.model.records[name]
        mode, status = chance.choice(["full_scan", "full_scan", "anchored"]), chance.choice(["completed"] * 6 + ["failed", "unauthorized", "timed_out"])
        lines = [("sample", key, value) for key, value in self.live[name].items()]
        if mode == "anchored":
            lines = [line for line in lines if known.get(line[1]) != line[2]] + [("deleted", key, None) for key in known if key not in self.live[name]]
            lines += [("deleted", self.uuid(), None)] * (chance.random() < 0.2)
        if status != "completed":
            lines = [line for line in lines if chance.random() < 0.3]
        bad = [("rejected", *bad) for bad in self.bad[name]] if mode == "full_scan" and status == "completed" or chance.random() < 0.3 else []
        samples = [line for line in lines if line[0] == "sample"]
        if samples and chance.random() < 0.15:
            lines.append(("sample", samples[0][1], samples[0][2] + chance.choice([0, 1])))
        if status == "completed" and mode == "anchored":
            # Of what was not sent there is nothing to say; a store and its archive part where a run failed.
            self.live[name] = {**{key: value for key, value in known.items() if ("deleted", key, None) not in lines}, **{line[1]: line[2] for line in reversed(samples)}}
        before = chance.choice([self.anchors.get(name), self.anchors.get(name), self.anchors.get(name), None, "AAZZ"]) if mode == "anchored" else None
        after = chance.choice(["AAAA", "AAAB", None]) if status == "completed" else None
        if status == "completed":
            self.anchors[name] = after
        stated = chance.choice([None] * 5 + [len(self.live[name]), len(self.live[name]) + 1]) if status == "completed" else None
        return mode, status, before, after, stated, lines + bad

    def observation(self):
        """The lines of the next observation, which the model takes."""
        chance = self.chance
        self.day += 1
        sent = {}
        for name in TYPES:
            self.live_on(name)
            if chance.random() < 0.8:
                sent[name] = self.run(name, False)
        end = chance.choice(["completed"] * 5 + ["cancelled", "failed", "cut"])
        known = [(name, key) for name in sent if sent[name][1] == "completed" and sent[name][0] == "full_scan" for key in self.live[name]]
        if len(known) > 1 and chance.random() < 0.5:
            self.pairs.append(tuple(chance.sample(known, 2)))
        self.pairs = [pair for pair in self.pairs if all(key in self.live[name] for name, key in pair) and chance.random() < 0.8]
        links = [] if end in ("cancelled", "failed", "cut") and chance.random() < 0.7 else [pair for pair in dict.fromkeys(self.pairs) if all(end in known for end in pair)]
        lines, page = [{"kind": "observation", "observed_at": "2024-%02d-%02dT10:00:00Z" % (6 + self.day // 28, 1 + self.day % 28), "trigger_reason": "manual"}], 0
        for name, (mode, status, before, after, stated, content) in sent.items():
            lines.append({"kind": "run", "sample_type": name, "mode": mode, **({"anchor_before": before} if before else {})})
            for kind, key, value in content:
                lines.append(self.line(name, kind, key, value))
            page += 1
            lines.append({"kind": "page", "number": page})
            lines.append({"kind": "run_end", "sample_type": name, "status": status, **({"anchor_after": after} if after else {}), **({} if stated is None else {"verified_visible_count": stated})})
        if links:
            lines += [{"kind": "relationship", "source": self.end(source), "target": self.end(target), "relationship_kind": "member"} for source, target in links]
            lines.append({"kind": "page", "number": page + 1})
        if end != "cut":
            lines.append({"kind": "observation_end", "status": end})
        self.model.take(sent, links, end == "completed")
        self.reached.update(word for run in self.model.runs[-1].values() for word in [run.state, run.status, *run.words])
        return b"".join(json.dumps(line).encode() + b"\n" for line in [{"kind": "feed", "format": "healthprobe-feed", "format_version": 1}, *lines])

    @staticmethod
    def end(place):
        return {"sample_type": place[0], "uuid": place[1]}

    @staticmethod
    def line(name, kind, key, value):
        if kind == "deleted":
            return {"kind": "deleted", "sample_type": name, "uuid": key}
        number = int(key[-12:]) if kind == "sample" else key
        moment = "2024-%02d-%02dT%02d:%02d:00Z" % (1 + number // 40320 % 4, 1 + number // 1440 % 28, number // 60 % 24, number % 60)
        found = {"kind": "sample", "sample_type": name, "start_date": moment, "end_date": moment, "value_kind": "quantity", "numeric_value": 60, "unit": "count"}
        return {**found, "uuid": key, "numeric_value": value} if kind == "sample" else {**found, "end_date": "%s-02-30T00:00:00Z" % (2024 if value == "much" else 2023)}
