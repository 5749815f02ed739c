"""Spec/changes.md, "Changes": what two observations of one device chain show differently, the slow and obvious way."""

from collections import Counter, defaultdict
from itertools import product
from typing import NamedTuple

import pairs
from export_bundle import (
    Draft, Export, Refused, Scope, observation_draft, row_of, stored_order)

KINDS = ("appeared", "disappeared", "representation_changed")


class Change(NamedTuple):
    """One change of a sample; a side that is not there is None. NULL is a version too: that of a range that names none."""

    kind: str
    sample: object
    before: object
    after: object

    @property
    def leading(self):
        return self.after if self.before is None else self.before

    def versions(self, side):
        version = self.before if side == "before" else self.after
        return [] if version is None else [(self.sample, version)]


class Comparison(Export):
    """Two observations: what is visible at each, the changes, and their items. Borrows the members of items from `Export`."""

    def __init__(self, archive, older, newer, selection, across_chains=False):
        """`older` and `newer` are the scopes F and T; T need not be the later one."""
        self.archive, self.selection = archive, selection
        self.sides = {"before": older, "after": newer}
        self.scope = newer
        self.low, self.high = sorted((older.id, newer.id))
        self.across_chains = across_chains
        if (older.chain != newer.chain) != across_chains:
            raise Refused("the observations are of two device chains, or of one")
        self.visible = {side: self.pairs(scope) for side, scope in self.sides.items()}
        self.changes = [change for change in self.all_changes() if self.selects_change(change)]
        self.changes.sort(key=self.change_order)
        self.runs = {}  # the coverage that `run_after` and `run_before` speak of
        self.labels = {}  # label and reasons of the window of a change

    def pairs(self, scope):
        """(sample, version) of everything that is visible at an observation."""
        return {(row["sample_id"], row["version_id"]) for row in self.archive.ranges if scope.sees(row)}

    def selected(self, side):
        return {pair for pair in self.visible[side] if self.selects(*pair)}

    def all_changes(self):
        before, after = defaultdict(set), defaultdict(set)
        for found, side in ((before, "before"), (after, "after")):
            for sample, version in self.visible[side]:
                found[sample].add(version)
        for sample in set(before) | set(after):
            yield from changes_of(sample, before[sample], after[sample])

    def selects_change(self, change):
        return any(self.selects(change.sample, version) for version in (change.before, change.after)
                   if version is not None)

    def change_order(self, change):
        rest = [() if side is None else stored_order(side) for side in (change.before, change.after)]
        return self.bundle_order(change.sample, change.leading) + (rest,)

    def bundle_order(self, sample, version):
        draft = Draft()
        self.put_sample(draft, sample)
        self.put_version(draft, version)
        return self.sort_key(sample, version, draft)

    # Items

    def items(self, kinds=KINDS, labels=None):
        """Each with its place, the pairs that it is in and the label of its window, whatever was asked for."""
        items = [self.item(change) for change in self.changes]
        for at, mark in self.pairs_of(items).marks.items():
            items[at]["pair"] = mark
        for item, change in zip(items, self.changes):
            item["label"], reasons = self.labels[change]
            if reasons:
                item["reasons"] = reasons
        return [(at, item) for at, item in enumerate(items)
                if (item["change"] in kinds or item.get("pair", {}).get("kind") in kinds) and (labels is None or item["label"] in labels)]

    def pairs_of(self, items):
        counts = {side: Counter(sample for sample, _ in visible) for side, visible in self.visible.items()}
        return pairs.Pairs(items, [counts["after" if change.kind == "appeared" else "before"][change.sample] for change in self.changes],
                           self.across_chains)

    def pair_items(self):
        return self.pairs_of([self.item(change) for change in self.changes]).items

    def item(self, change):
        draft = Draft()
        draft.members.update(item_kind="change", change=change.kind)
        self.put_sample(draft, change.sample)
        for side in ("before", "after"):
            for _, version in change.versions(side):
                part = Draft()
                self.put_version(part, version)
                draft.attach(side, part)
        if change.kind == "representation_changed":
            draft.members["changed_fields"] = changed_fields(draft.members["before"], draft.members["after"])
        for name, runs in self.runs.items():
            entries = [entry for entry in runs if entry.get("sample_type") == draft.members.get("sample_type")]
            if "sample_type" in draft.members and len(entries) == 1 and "status" in entries[0]:
                is_unknown = entries[0]["status"] == "completed" and entries[0].get("state") == "unknown"
                draft.members[name] = "unknown" if is_unknown else entries[0]["status"]
        self.put_events(draft, [row for row in self.archive.events
                                if row["sample_id"] == change.sample and self.is_evidence(row["observation_id"])])
        return draft.finished()

    def is_evidence(self, stored):
        """Whether an observation id is after the older and up to the newer of the two, and not of another chain."""
        return (stored.storage_class in ("integer", "real") and self.low < stored.value <= self.high
                and stored.value not in self.scope.foreign)

    def recorded(self, change):
        """Sample and version ids of a row of `export_items`."""
        sides = [side for side in (change.before, change.after) if side is not None]
        known = len(sides) == 1 and row_of(self.archive.versions, sides[0]) is not None
        return change.sample.value, sides[0].value if known else None


def changed_fields(before, after):
    """The names of what differs between two versions as they are written."""
    ignored = {"created_observation_id", "payload_hash"}
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} - ignored
    return sorted({"metadata" if name == "metadata_hash" else name for name in names})


def changes_of(sample, before, after):
    """The changes of a sample with these two sets of visible versions."""
    if not before:
        return [Change("appeared", sample, None, version) for version in after]
    if not after:
        return [Change("disappeared", sample, version, None) for version in before]
    return [Change("representation_changed", sample, b, a) for b, a in product(before, after)
            if b != a and not (b in after and a in before)]


def put_second_observation(draft, archive, older, newer):
    """Makes a header one of two observations: `older` is F, `newer` is T."""
    draft.members["scope"]["from_observation_id"] = older.id
    rows = [archive.observations[i] for i in sorted({older.id, newer.id})]
    draft.attach_array("observations", [observation_draft(row) for row in rows])


def scopes(archive, older, newer):
    """The scopes F and T. T is the newest finished observation unless given, F the finished one before T on its chain."""
    after = Scope(archive, archive.latest() if newer is None else newer, "changes")
    if older is None:
        earlier = [i for i, row in archive.observations.items() if i < after.id and i not in after.foreign
                   and row["status"].value not in (b"running", b"started")]
        if not earlier:
            raise Refused(f"there is no finished observation before observation {after.id} on its chain")
        older = max(earlier)
    return Scope(archive, older, "changes"), after
