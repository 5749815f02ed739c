"""Makes vectors of shared bundles: Spec/shared-bundles.md."""

import generate_reports
from generate import SLEEP, STEPS, coverage, defect, header, identified, made_up, observation, record, relationship
from generate_reports import report, report_lines, text_of

LEFT_OUT = ["device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
            "payload_hashes", "private_metadata", "relationships", "type_set"]
NOT_SHARED = ("device", "fuzzy_key", "metadata_hash", "payload_hash", "relationships", "semantic_fingerprint")


def shared(day=1, name=None, **members):
    """A record as it is shared; members that are None are absent."""
    item = identified(record(day=day, name=name or str(day)), "cumulative", value=100 + day, unit="count")
    item = {key: value for key, value in item.items() if key not in NOT_SHARED}
    item.update({"item_kind": "shared_record", **members})
    return {key: value for key, value in item.items() if value is not None}


def shared_header(**members):
    export = report("shared_bundle", **{"identity_rules": 2, "left_out": LEFT_OUT, **members})
    if "device_chain" not in members:
        del export["device_chain"]
    return export


def write_good(add):
    metadata = {"HKWasUserEntered": 1, "_HKPrivateHeartRateContext": 2}
    add("good-shared", "a shared bundle: a record with metadata, and one without", "", shared_header(), [shared(1, metadata=metadata), shared(2)])
    twin = shared(1, sample_uuid_hash=None)
    add("good-shared-twins", "two shared records that say the same: what told them apart was left out", "", shared_header(), [twin, twin])
    add("good-shared-without-rules", "a shared bundle of an archive that states no identity rules", "", shared_header(identity_rules=None),
        [shared(1, strict_fingerprint=made_up("strict"))])
    nothing = shared(1, created_observation_id=None, end_date=None, numeric_value=None, source=None, start_date=None, unit=None, value_kind=None,
                     strict_fingerprint=made_up("strict"), defects=[defect("/start_date", "no_version", "null")])
    add("good-shared-no-version", "a shared record whose range names no version", "", shared_header(), [nothing])
    add("good-shared-order", "two shared records of one sample, of which the later begins with another fingerprint", "", shared_header(identity_rules=None),
        [shared(1, strict_fingerprint="f" * 64), shared(1, strict_fingerprint="e" * 64)])


def write_shapes(add):
    for name, what, members in (
            ("device", "a shared record with a device", {"device": {"model": "Synthetic1,1"}}),
            ("payload", "a shared record with the hash of its payload", {"payload_hash": made_up("payload")}),
            ("fingerprint", "a shared record with a semantic fingerprint", {"semantic_fingerprint": made_up("semantic")}),
            ("fuzzy", "a shared record with a fuzzy key", {"fuzzy_key": made_up("fuzzy")}),
            ("metadata-hash", "a shared record with the hash of its metadata", {"metadata": {"HKWasUserEntered": 1}, "metadata_hash": made_up("metadata")}),
            ("relationships", "a shared record with a link", {"relationships": [relationship("target", "2")]}),
            ("events", "a shared record with events", {"events": [{"event_kind": "appeared", "observation_id": 1, "observed_at": "2024-03-01T08:00:00.000Z"}]})):
        add("shape-shared-" + name, what, "shape.member_unknown", shared_header(), [shared(1, **members)])
    add("shape-shared-ended", "a shared record with a range that ended", "shape.member_unknown", shared_header(), [
        shared(1, visibility=[{"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": 1}])])
    add("shape-shared-visibility", "a shared record without visibility", "shape.member_missing", shared_header(), [shared(1, visibility=None)])
    add("shape-shared-version", "a range that names no version, said where a record says it", "shape.member_unknown shape.value", shared_header(), [
        shared(1), shared(2, defects=[defect("/payload_hash", "no_version", "null")]), shared(3, payload_hash=made_up("x"))])
    of_run, of_observation = coverage(), observation()
    for name, what, codes, members in (
            ("chain", "a shared bundle with a device chain", "shape.member_unknown", {"device_chain": header()["device_chain"]}),
            ("message", "a shared bundle with the hash of an error message", "shape.member_unknown", {"coverage": [{**of_run, "error_message_hash": made_up("message")}]}),
            ("notes", "a shared bundle with the notes of an observation", "shape.member_unknown", {"observations": [{**of_observation, "notes": "x"}]}),
            ("types", "a shared bundle with the hash of the selected types", "shape.member_unknown",
             {"observations": [{**of_observation, "selected_type_set_hash": made_up("types")}]}),
            ("history", "a shared bundle with an entry of the history", "shape.member_unknown",
             {"history": {"archive": made_up("archive"), "link": made_up("link"), "sequence": 1}}),
            ("nothing", "a shared bundle that does not say what it leaves out", "shape.member_missing", {"left_out": None}),
            ("less", "a shared bundle that names less than it leaves out", "shape.value", {"left_out": LEFT_OUT[1:]}),
            ("more", "a shared bundle that leaves out what is not known", "shape.value", {"left_out": [*LEFT_OUT, "values"]}),
            ("unsorted", "a shared bundle that names what it leaves out in another order", "shape.value", {"left_out": LEFT_OUT[::-1]}),
            ("mode", "a shared bundle of a history", "shape.value", {"scope": {"mode": "history", "observation_id": 1}})):
        add("header-shared-" + name, what, codes, shared_header(**members), [])
    add("header-left-out", "a recovery bundle that says what it leaves out", "shape.member_unknown", header(left_out=LEFT_OUT), [])


def write_contents(add):
    private = "hmac:" + made_up("private")
    for name, what, metadata in (
            ("of-app", "metadata of another app in a shared record", {"HKWasUserEntered": 1, "org.example.key": 1}),
            ("private", "the hash of a private value in a shared record", {"HKExternalUUID": private}),
            ("escaped", "a key of another app that begins with an escape", {"\u0001HK": 1}),
            ("empty", "metadata without members in a shared record", {}),
            ("text", "metadata as text in a shared record", "HK")):
        add("shared-metadata-" + name, what, "item.shared", shared_header(), [shared(1, metadata=metadata)])
    add("shared-strict", "the strict fingerprint of another value in a shared record", "item.strict_fingerprint", shared_header(), [
        shared(1, strict_fingerprint=shared(2)["strict_fingerprint"])])
    add("shared-order", "shared records out of their order", "order.items", shared_header(), [shared(2), shared(1)])
    add("shared-scope-record", "a whole record in a shared bundle", "manifest.scope", shared_header(identity_rules=None), [record()])
    add("shared-scope-since", "a shared record before the dates of the filter", "manifest.scope",
        shared_header(filter={"since": "2024-02-02T00:00:00.000Z"}), [shared(1)])
    add("shared-scope-bundle", "a shared record in a recovery bundle", "manifest.scope", header(), [shared(1)])
    add("shared-type", "a shared record of a type that is not covered", "manifest.scope", shared_header(coverage=[coverage(SLEEP)]), [shared(1)])
    items = [shared(1)]
    add("shared-totals", "a loss of provenance that a shared bundle does not count", "manifest.totals", shared_header(), items, totals={
        "defect_count": 0, "item_count": 1, "types": [
            {"defect_count": 0, "item_count": 1, "provenance_loss": {"device_absent": 1}, "sample_type": STEPS}]})


def write(shelves):
    def add(name, what, codes, export, items, **given):
        shelves.add(name, ".jsonl", "report", what, codes, text_of(report_lines(export, items, **given)))

    for write_part in (write_good, write_shapes, write_contents):
        write_part(add)
    generate_reports.Folder(shelves).table(
        "columns-shared", "a table whose header is that of a shared bundle, which has none", "container.columns", shared_header(identity_rules=None), [record()])
