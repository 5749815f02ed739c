"""Makes vectors of changes of relationships: Spec/changes.md, Relationships."""

import generate_reports
from generate import defect, made_up, observation, relationship
from generate_reports import change, changes, without

APPEARED, CHANGED, DISAPPEARED = ("relationship_" + kind for kind in ("appeared", "changed", "disappeared"))
NOTED = {"metadata": {"n": 1}, "metadata_hash": made_up("metadata")}


def side(name="2", number=1, **members):
    return {**relationship("target", name), "observation_id": number, **members}


def link(kind, name="1", before=None, after=None, **members):
    """A change of a relationship whose source is the record of that name."""
    sides = {"relationship_before": before or side(), "relationship_after": after or side(number=2, **(NOTED if kind == CHANGED else {}))}
    absent = {APPEARED: "relationship_before", DISAPPEARED: "relationship_after"}.get(kind)
    item = {**without(change("appeared", 1, name), "events", "after"), **without(sides, absent), "change": kind, **members}
    return {key: value for key, value in item.items() if value is not None}


def write(shelves):
    folder = generate_reports.Folder(shelves)

    def one(name, what, codes, *items, export=None):
        folder.lines(name, what, codes, export or changes("diff_report"), list(items))

    runs = {"run_after": "completed", "run_before": "completed"}
    three = sorted((link(APPEARED, "1", **runs), link(CHANGED, "2", **runs), link(DISAPPEARED, "3", **runs)), key=lambda item: item["sample_uuid_hash"])
    one("good-links", "a relationship that appeared, one that changed and one that disappeared, before a record that appeared", "", *three, change("appeared", 2))
    folder.table("good-links-table", "the same as a table", "", changes("diff_report"), [*three, change("appeared", 2)], "change")
    one("good-links-set", "a change set of relationships", "", three[0], export=changes("change_set", scope={"changes": [three[0]["change"]]}))
    nobody = without(side(number=2), "end_identity_hash", "end_sample_type")
    one("good-link-end-missing", "a relationship whose other sample has no row", "",
        link(APPEARED, after=nobody, defects=[defect("/relationship_after/end_identity_hash", "missing_row", "integer", "9")]))
    one("good-link-metadata-missing", "two rows of metadata that do not exist", "", link(CHANGED, after=side(number=2), defects=[
        defect("/relationship_after/metadata", "missing_row", "integer", "8"), defect("/relationship_before/metadata", "missing_row", "integer", "9")]))
    for name, what, codes, item in (
            ("before", "what was before of a relationship that appeared", "shape.member_unknown", link(APPEARED, relationship_before=side())),
            ("after-missing", "nothing after of a relationship that appeared", "shape.member_missing", link(APPEARED, relationship_after=None)),
            ("before-missing", "nothing before of a relationship that changed", "shape.member_missing", link(CHANGED, relationship_before=None)),
            ("version", "a version of a relationship that disappeared", "shape.member_unknown", link(DISAPPEARED, before=None, **{"after": None}) | {"before": change("disappeared")["before"]}),
            ("label", "a label of a relationship that appeared", "shape.member_unknown", link(APPEARED, label="appeared")),
            ("reasons", "reasons of a relationship that appeared", "shape.member_unknown", link(APPEARED, reasons=["dates_missing"])),
            ("pair", "a relationship that appeared in a pair", "shape.member_unknown", link(APPEARED, pair={"keys": ["k"], "kind": "re_identified"})),
            ("events", "events of a relationship that appeared", "shape.member_unknown", link(APPEARED, events=change("appeared")["events"])),
            ("source", "a relationship that is seen from its target", "shape.value", link(APPEARED, after=side(number=2, end="source"))),
            ("ended", "a relationship of an observation, with its end", "shape.member_unknown", link(APPEARED, after=side(number=2, ended_observation_id=2))),
            ("in-record", "a relationship that changed, in a record that appeared", "shape.member_unknown", change("appeared", relationship_after=side(number=2))),
            ("metadata-hash", "metadata of a relationship without their hash", "shape.member_missing", link(APPEARED, after=side(number=2, metadata={"n": 1})))):
        one("link-" + name, what, codes, item)
    one("link-order", "a relationship behind a record of its type", "order.items", change("appeared", 2), link(APPEARED))
    one("link-not-asked", "a relationship in a change set of records", "manifest.scope", link(APPEARED), export=changes("change_set", scope={"changes": ["appeared"]}))
    one("link-labelled", "a relationship in a change set by label", "manifest.scope", link(APPEARED),
        export=changes("change_set", scope={"changes": [APPEARED], "labels": ["appeared"]}))
    one("link-itself", "a relationship that changed from an observation to itself", "manifest.scope", link(APPEARED),
        export=changes("diff_report", scope={"from_observation_id": 2}, observations=[observation(2)]))
    one("link-type", "a relationship of a type that is not covered", "manifest.scope", link(APPEARED), export=changes("diff_report", types=("com.example.other",)))
