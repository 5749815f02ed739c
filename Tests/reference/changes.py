"""Spec/changes.md, "Changes": what two observations of one device chain show differently, the slow and obvious way."""

from collections import Counter, defaultdict
from itertools import product
from typing import NamedTuple

import pairs
from export_bundle import (
    NULL, Draft, Export, Refused, Scope, observation_draft, order, row_of, stored_order)

KINDS = ("appeared", "disappeared", "representation_changed")
LINK_KINDS = ("relationship_appeared", "relationship_changed", "relationship_disappeared")


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


class LinkChange(NamedTuple):
    """One change of a relationship of a sample, which is its source; rows, or None."""

    kind: str
    sample: object
    before: object
    after: object


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
        self.before_of = {}  # {sample after: the sample before that is the same record}
        matched = {} if self.across_chains else self.matched(before, after)
        for sample in set(before) | set(after):
            if sample not in matched:
                yield from changes_of(sample, before[sample], after[sample])
        for changes in {id(changes): changes for changes in matched.values()}.values():
            yield from changes

    def matched(self, before, after):
        """{sample: the changes of its group} of samples whose records have no UUID. Spec/changes.md, "Records that are alike"."""
        has_none = self.archive.observations[self.high]["trigger_reason"].value == b"apple_health_export"
        groups = defaultdict(lambda: ([], []))
        for sample in set(before) | set(after):
            row, versions = self.archive.samples.get(sample.value), before[sample] | after[sample]
            if before[sample] == after[sample] or row is None or len(before[sample]) > 1 or len(after[sample]) > 1 or not (has_none or row["sample_uuid_hash"] == NULL):
                continue
            keys = {self.alike_key(row, version) for version in versions}
            if len(keys) == 1 and None not in keys:
                for side, found in zip(groups[keys.pop()], (before, after)):
                    side += [(sample, version) for version in found[sample]]
        matched = {}
        for one, other in groups.values():
            changes, same = match_alike(one, other, lambda version: row_of(self.archive.versions, version)["payload_hash"].value,
                                        lambda sample: (self.archive.samples[sample.value]["strict_fingerprint"].value, sample.value))
            self.before_of.update({sample: same.get(sample, ("new", sample)) for sample, _ in other})
            for sample, _ in one + other:
                matched[sample] = changes
        return matched

    def alike_key(self, sample, version):
        """What the strict fingerprint covers, of a version as it is stored."""
        row = row_of(self.archive.versions, version)
        if row is None or sample["sample_type_id"] == NULL or row["start_date"] == NULL or row["end_date"] == NULL:
            return None
        revision = row_of(self.archive.revisions, row["source_revision_id"])
        source = revision and row_of(self.archive.sources, revision["source_id"])
        unit = row["unit"]._replace(value=b"kcal") if row["unit"].value == b"Cal" else row["unit"]
        return (sample["sample_type_id"], source["bundle_identifier"] if source else NULL, unit,
                *(row[name] for name in ("start_date", "end_date", "value_kind", "numeric_value", "category_value", "workout_activity_type", "duration_seconds")))

    def selects_change(self, change):
        return any(self.selects(change.sample, version) for version in (change.before, change.after)
                   if version is not None)

    def change_order(self, change):
        rest = [() if side is None else stored_order(side) for side in (change.before, change.after)]
        return self.bundle_order(change.sample, change.leading) + (rest,)

    def links(self, side):
        """The relationships that are there at a side: the newest row of each link that is current, and whose samples are visible."""
        self.scope = self.sides[side]
        samples = {sample for sample, _ in self.visible[side]}
        rows = defaultdict(list)
        for sample, entries in self.related().items():
            for end, other, row in entries:
                if end == "target" and {sample, other} <= samples:
                    rows[sample, other, row["relationship_kind"]].append(row)
        self.scope = self.sides["after"]
        age = lambda row: (row["observation_id"] != NULL, row["observation_id"].value or 0, row["rowid"])
        return {link: max(found, key=age) for link, found in rows.items()}

    def link_changes(self):
        before, after = self.links("before"), self.links("after")
        # Of a record that another sample has after, the link is that of the sample before.
        before_of = lambda sample: self.before_of.get(sample, sample)
        after = {(before_of(link[0]), before_of(link[1]), link[2]): row for link, row in after.items()}
        for link in before.keys() | after.keys():
            b, a = before.get(link), after.get(link)
            kind = "appeared" if b is None else "disappeared" if a is None else "changed" if b["metadata_id"] != a["metadata_id"] else None
            source = (b or a)["source_sample_id"]
            versions = {version for visible in self.visible.values() for sample, version in visible if sample == source}
            if kind and any(self.selects(source, version) for version in versions):
                yield LinkChange("relationship_" + kind, source, b, a)

    def link_item(self, change):
        draft = Draft()
        draft.members.update(item_kind="change", change=change.kind)
        self.put_sample(draft, change.sample)
        for name, row in (("relationship_before", change.before), ("relationship_after", change.after)):
            if row:
                part = Draft()
                part.members.update(end="target", end_in_scope=True)
                part.put("relationship_kind", row["relationship_kind"], "text", required=True)
                part.put("observation_id", row["observation_id"], "integer")
                self.put_end(part, row["target_sample_id"])
                self.put_metadata(part, row)
                draft.attach(name, part)
        self.put_runs(draft)
        return draft.finished()

    def link_order(self, change, item):
        keys, ids = self.place(change.sample, NULL)
        entry = item.get("relationship_before", item.get("relationship_after"))
        row = change.before or change.after
        return (keys, 1, [order(entry.get(name)) for name in ("relationship_kind", "end_sample_type", "end_identity_hash")], row["rowid"], ids)

    def place(self, sample, version):
        """The keys of an item, and the row ids that tell apart what ties."""
        draft = Draft()
        self.put_sample(draft, sample)
        self.put_version(draft, version)
        key = self.sort_key(sample, version, draft)
        return key[:6], key[6:]

    def bundle_order(self, sample, version):
        draft = Draft()
        self.put_sample(draft, sample)
        self.put_version(draft, version)
        return self.sort_key(sample, version, draft)

    # Items

    def items(self, kinds=KINDS, labels=None):
        """Each with its row of `export_items`, the pairs that it is in and the label of its window, whatever was asked for."""
        items = [self.item(change) for change in self.changes]
        for at, mark in self.pairs_of(items).marks.items():
            items[at]["pair"] = mark
        for item, change in zip(items, self.changes):
            item["label"], reasons = self.labels[change]
            if reasons:
                item["reasons"] = reasons
        found = [((*self.place(change.sample, change.leading)[:1], 0, at), self.recorded(change), item)
                 for at, (change, item) in enumerate(zip(self.changes, items))
                 if (item["change"] in kinds or item.get("pair", {}).get("kind") in kinds) and (labels is None or item["label"] in labels)]
        if labels is None and not self.across_chains:
            for change in self.link_changes():
                if change.kind in kinds:
                    item = self.link_item(change)
                    found.append((self.link_order(change, item), (change.sample.value, None), item))
        return [(place, item) for _, place, item in sorted(found, key=lambda entry: entry[0])]

    def pairs_of(self, items):
        counts = {side: Counter(sample for sample, _ in visible) for side, visible in self.visible.items()}
        return pairs.Pairs(items, [counts["after" if change.kind == "appeared" else "before"][change.sample] for change in self.changes],
                           self.days(), self.across_chains)

    def days(self):
        """The local days of T."""
        return self.archive.days(self.sides["after"].id)

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
        self.put_runs(draft)
        self.put_events(draft, [row for row in self.archive.events
                                if row["sample_id"] == change.sample and self.is_evidence(row["observation_id"])])
        return draft.finished()

    def put_runs(self, draft):
        for name, runs in self.runs.items():
            entries = [entry for entry in runs if entry.get("sample_type") == draft.members.get("sample_type")]
            if "sample_type" in draft.members and len(entries) == 1 and "status" in entries[0]:
                is_unknown = entries[0]["status"] == "completed" and entries[0].get("state") == "unknown"
                draft.members[name] = "unknown" if is_unknown else entries[0]["status"]

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


def match_alike(before, after, payload_of, identity_of):
    """The changes between two lists of (sample, version) that are alike: as few as there can be. And {sample after: sample before} of what is the same record."""
    before, after, changes, same = *(sorted(side, key=lambda entry: identity_of(entry[0])) for side in (before, after)), [], {}

    def changed(one, other):
        same[other[0]] = one[0]
        changes.append(Change("representation_changed", one[0], one[1], other[1]))

    for key in (lambda entry: payload_of(entry[1]), lambda entry: entry[0]):
        for one in list(before):
            other = next((entry for entry in after if key(entry) == key(one)), None)
            if other:
                before.remove(one)
                after.remove(other)
                if payload_of(one[1]) == payload_of(other[1]):
                    same[other[0]] = one[0]
                else:
                    changed(one, other)
    order = lambda entry: (payload_of(entry[1]), identity_of(entry[0]))
    before.sort(key=order)
    after.sort(key=order)
    for one, other in zip(before, after):
        changed(one, other)
    changes += [Change("disappeared", sample, version, None) for sample, version in before[len(after):]]
    return changes + [Change("appeared", sample, None, version) for sample, version in after[len(before):]], same


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
