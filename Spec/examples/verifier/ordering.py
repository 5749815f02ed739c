"""Order of items, and small facts about them."""

import itertools

from .timestamps import read_timestamp


def sortable(value):
    """A sort key: absent before any value, texts by their UTF-8 bytes."""
    return (value is not None, value.encode() if isinstance(value, str) else value or 0)


def identity(item):
    return item.get("sample_uuid_hash", item.get("strict_fingerprint"))


def date(item, name):
    return read_timestamp(item[name]) if name in item else None


def is_all_types(item):
    return "sample_type" not in item and "sources" not in item and "label" not in item


def order_key(item):
    """The key by which items of a kind are sorted."""
    kind = item["item_kind"]
    if kind == "comparison":
        return [sortable(value) for value in (
            None if is_all_types(item) else 1, item.get("sample_type"), None if "labels" in item else 1,
            date(item, "window_start"), date(item, "window_end"))]
    if kind == "type_manifest":
        values = []
    elif kind == "day":
        source = item.get("source", {})
        values = [item.get("date"), item["measure"], item.get("category_value"), item.get("workout_activity_type"),
                  source.get("source_name_hash"), source.get("bundle_identifier")]
    elif kind == "pair":
        values = [date(item, "start_date"), date(item, "end_date"), item["key"]]
    elif kind == "finding":
        values = [item["finding"], date(item, "start_date"), identity(item), item.get("payload_hash"),
                  item.get("semantic_fingerprint")]
    else:
        version = item.get("before", item.get("after", {})) if kind == "change" else item
        values = [date(version, "start_date"), date(version, "end_date"), identity(item), version.get("payload_hash"),
                  None if kind == "shared_record" else item.get("strict_fingerprint")]
    return [sortable(value) for value in (item.get("sample_type"), *values)]


def repeats_type(item, previous):
    """Whether an item of which there is one for a type, or for all types, has the type of the one before it."""
    is_once = item["item_kind"] in ("day", "type_manifest") or item["item_kind"] == "comparison" and "labels" in item
    return is_once and item["item_kind"] == previous["item_kind"] and order_key(item) == order_key(previous)


def rises(values):
    """Whether values are sorted without repetition; absent ones are passed over."""
    keys = [sortable(value) for value in values if value is not None]
    return all(left < right for left, right in zip(keys, keys[1:]))


def runs_rise(entries, is_history):
    """Whether coverage is sorted by type, of a history then by observation, without repetition."""
    keys = [(entry["sample_type"].encode(), entry.get("observation_id", -2**53) if is_history else 0)
            for entry in entries if "sample_type" in entry]
    return all(left < right for left, right in zip(keys, keys[1:]))


def first_difference(expected, found, pointer=""):
    """The JSON Pointer of the first member that differs, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        pairs = ((name, expected.get(name), found.get(name)) for name in sorted(expected.keys() | found.keys()))
    elif isinstance(expected, list) and isinstance(found, list):
        pairs = ((index, *pair) for index, pair in enumerate(itertools.zip_longest(expected, found)))
    else:
        return None if expected == found else pointer
    for name, left, right in pairs:
        difference = first_difference(left, right, "%s/%s" % (pointer, name))
        if difference is not None:
            return difference
    return None
