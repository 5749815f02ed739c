"""A model of what may be said after each observation: which types are verified or unknown, what changed, when a record was last seen, what a local day has. Written
from Spec/capture.md and Spec/changes.md; it shares no code with the tools, and knows nothing of their tables.

The model takes what a source sent; `counts`, `standing`, `days` and `ends` say what each output has to state. state_sources.py draws what is sent.
"""

import collections
import copy
import datetime

Run = collections.namedtuple("Run", "status mode anchor_after state words stated withheld")
# What a source sends of a type. A line is (kind, group, value): of a record, of a deletion, or of a record that cannot be stored. Records of one group are the same,
# or, in types without UUIDs, alike.
Sent = collections.namedtuple("Sent", "mode status before after stated lines unread", defaults=(0,))


def matched(before, after):
    """How many appeared, are no longer visible and changed, at least, between two multisets of alike records."""
    left, right = collections.Counter(before), collections.Counter(after)
    gone, new = sum((left - right).values()), sum((right - left).values())
    return new - min(gone, new), gone - min(gone, new), min(gone, new)


class Model:
    """What each observation left, in order; they count from 1.

    `moment` gives the start of a group or of a record that could not be stored, `alike` the types whose records have no UUID.
    """

    def __init__(self, types, moment, alike=()):
        self.types, self.moment, self.alike = types, moment, alike
        self.records, self.rejected, self.links = {name: {} for name in types}, {name: {} for name in types}, set()
        self.since, self.withheld, self.first = ({name: {} for name in types} for _ in range(3))
        self.looks, self.closed = {name: [] for name in types}, {name: collections.Counter() for name in types}
        self.runs, self.dates, self.snapshots = [], [None], [None]

    def take(self, date, sent, links=(), is_complete=True):
        """Takes an observation: what was sent of each type, and its links."""
        runs, number = {}, len(self.snapshots)
        self.dates.append(date)
        for name, part in sent.items():
            runs[name] = self.run(name, part, number)
            if part.status == "completed" and (part.mode == "full_scan" or runs[name].state != "unknown"):
                self.looks[name].append(number)
        of = lambda name: runs.get(name, Run(*[None] * 7))
        ended = {link for link in self.links if all(
            of(name)[:2] == ("completed", "full_scan") and group in self.records[name] and group not in self.withheld[name] for name, group in link)}
        self.links = (self.links - ended if is_complete else self.links) | set(links)
        self.runs.append(runs)
        self.snapshots.append(copy.deepcopy((self.records, self.rejected, self.there(), {name: len(groups) for name, groups in self.withheld.items()})))

    def run(self, name, part, number):
        known, seen, conflicts, rejections = self.records[name], {}, 0, collections.Counter()
        for kind, group, value in part.lines:
            if kind == "rejected":
                rejections[group, value] += 1
            elif kind == "deleted":
                if group in known:
                    self.close(name, group, number)
                    del known[group]
            elif name in self.alike:
                seen[group] = tuple(sorted(seen.get(group, ()) + (value,)))
            elif group in seen:
                conflicts += seen[group] != (value,)
            else:
                seen[group] = (value,)
                self.see(name, group, (value,), number)
        is_scan = part.mode == "full_scan" and part.status == "completed"
        if name in self.alike:
            for group, values in seen.items():
                self.see(name, group, values if is_scan else self.joined(name, group, values), number)
        has_others = self.reject(name, rejections, is_scan, number)
        if is_scan:
            for group in [group for group in known if group not in seen]:
                if self.is_withheld(name, group, rejections, number):
                    self.withheld[name].setdefault(group, number)
                else:
                    self.close(name, group, number)
                    del known[group]
        withheld = len(self.withheld[name]) if is_scan else 0
        words, state = self.words(name, part, conflicts, has_others, withheld)
        return Run(part.status, part.mode, part.after, state, words, part.stated, withheld)

    def joined(self, name, group, values):
        """What a group has after a run that did not look at all of it: what came stands for as much of what was there, and the rest stays.

        A record that came is one with an equal payload, else one of the others. None where it would depend on which of these.
        """
        there, new = collections.Counter(self.records[name].get(group, ())), collections.Counter(values)
        left, others = there - new, sum((new - there).values())
        if 0 < others < sum(left.values()) and len(left) > 1:
            return None
        return tuple(sorted(values + tuple(left.elements())[others:]))

    def see(self, name, group, values, number):
        known = self.records[name]
        if group in known and known[group] != values:
            self.close(name, group, number)
        if known.get(group) != values:
            self.first[name][group] = number
        self.withheld[name].pop(group, None)
        known[group] = values

    def close(self, name, group, number):
        """Ends what was visible: it was last seen by the newest look since it was there, before it was withheld."""
        first, bound = self.first[name][group], self.withheld[name].pop(group, number)
        looks = [look for look in self.looks[name] if first < look < bound]
        self.closed[name][tuple(self.dates[at] for at in (first, number, looks[-1] if looks else first))] += 1

    def reject(self, name, rejections, is_scan, number):
        """Remembers what was rejected; whether that is something else than before."""
        known, since = self.rejected[name], self.since[name]
        now = dict(rejections) if is_scan else {**known, **{what: count for what, count in rejections.items() if count > known.get(what, 0)}}
        for what, count in now.items():
            if count > known.get(what, 0):
                since[what] = number
        self.rejected[name] = now
        return now != known

    def is_withheld(self, name, group, rejections, number):
        """Whether a missing record could be one that could not be stored, and that was not there when it was seen last."""
        scans = [at for at, runs in enumerate(self.runs, 1) if name in runs and runs[name][:2] == ("completed", "full_scan") and at < self.withheld[name].get(group, number)]
        seen = max(scans[-1] if scans else 0, self.first[name][group])
        return any(self.moment(what[0]) == self.moment(group) and self.since[name][what] > seen for what in rejections)

    def there(self):
        return {link for link in self.links if all(group in self.records[name] for name, group in link)}

    def before(self, name, date=None):
        """The newest completed run of a type of another date: observations of one date are read as one."""
        found = [runs[name] for at, runs in enumerate(self.runs, 1) if name in runs and runs[name].status == "completed" and self.dates[at] != date]
        return found[-1] if found else None

    def words(self, name, part, conflicts, has_others, withheld):
        if part.status != "completed":
            return [], "unknown"
        words, before = [], self.before(name, self.dates[-1])
        if part.mode == "anchored":
            ours, theirs = part.before, before.anchor_after if before else None
            if before and ours is None and theirs is None:
                words.append("no_anchor")
            elif ours != theirs:
                words.append("anchor_broken")
        count = sum(map(len, self.records[name].values()))
        words += ["conflicts"] * (conflicts > 0) + ["count_differs"] * (part.stated not in (None, count)) + ["files_missing"] * (part.unread > 0) + ["rejected_records"] * has_others
        if words or withheld:
            return sorted(words), "unknown"
        if part.mode == "full_scan" or part.stated is not None:
            return [], "verified"
        return [], "continued" if before and before.state in ("verified", "continued") else "unknown"

    # What outputs say

    def visible(self, at):
        return sum(len(values) for groups in self.snapshots[at][0].values() for values in groups.values())

    def counts(self, start, end):
        """Appeared, no longer visible, changed; the same of links. Nothing was there before the first."""
        (before, _, links_before, _), (after, _, links_after, _) = self.snapshots[start] or (dict.fromkeys(self.types, {}), None, set(), None), self.snapshots[end]
        found = [0, 0, 0, len(links_after - links_before), len(links_before - links_after)]
        for name in self.types:
            for group in before[name].keys() | after[name].keys():
                for place, count in enumerate(matched(before[name].get(group, ()), after[name].get(group, ()))):
                    found[place] += count
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
        (before, rejected_before, links_before, _), (after, rejected_after, links_after, _) = self.snapshots[start], self.snapshots[end]
        if rejected_before[name] != rejected_after[name]:
            reasons.append("rejected_records_differ")
        is_changed = before[name] != after[name] or any(link[0][0] == name for link in links_before ^ links_after)
        state = "verified" if self.is_excused(newest) else newest.state if newest else None
        return "changed" if is_changed else "unknown" if reasons else state, sorted(reasons)

    @staticmethod
    def is_excused(run):
        """Unknown for the sake of rejected records alone."""
        return bool(run) and run.words == ["rejected_records"] and not run.withheld and (run.mode == "full_scan" or run.stated is not None)

    def days(self, at, zone):
        """How many records each type has on each local day: (type, start of the day in Unix seconds)."""
        found = collections.Counter()
        for name, groups in self.snapshots[at][0].items():
            for group, values in groups.items():
                date = self.moment(group).astimezone(zone).date()
                start = datetime.datetime.combine(date, datetime.time(), zone)
                found[name, start.timestamp()] += len(values)
        return found

    def duplicates(self, at, payload, content):
        """The findings of records that are there twice: (finding, type, how many). `payload` is what a record stores, `content` what it is about."""
        found = collections.Counter()
        for name, groups in self.snapshots[at][0].items():
            stored = collections.Counter(payload(name, group, value) for group, values in groups.items() for value in values)
            found.update(("exact_duplicate", name, count) for count in stored.values() if count > 1)
            alike = collections.defaultdict(collections.Counter)
            for group, values in groups.items():
                for value in values:
                    if content(name, group, value) is not None:
                        alike[content(name, group, value)][payload(name, group, value)] += 1
            found.update(("semantic_duplicate", name, sum(kinds.values())) for kinds in alike.values() if len(kinds) > 1)
        return found
