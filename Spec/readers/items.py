"""The items of a file as values of Python: what the readers share. Needs `zstandard` for bundles."""

import json

# begin: made by Scripts/write-format
# Which columns the items of a kind have: those of all kinds that agree on their types, which have no name.
GROUPS = {
    "record": "",
    "sample": "",
    "version": "",
    "shared_record": "",
    "change": "",
    "comparison": "",
    "finding": "",
    "day": "",
    "type_manifest": "",
    "pair": "pair",
}
# Members, by their places, whose values have no type of their own: they become JSON texts.
UNTYPED = frozenset([
    "after/metadata", "before/metadata", "metadata", "relationship_after/metadata", "relationship_before/metadata",
    "relationships/metadata"
])
# Members that are numbers: some of them look like integers, and may be larger than any.
DOUBLES = frozenset([
    "active_energy", "active_energy_goal", "after/duration_seconds", "after/interval_seconds",
    "after/mean_interval_seconds", "after/numeric_value", "after/parts/distance", "after/parts/energy",
    "after/parts/seconds", "after/records_per_hour", "after/value_max", "after/value_mean", "after/value_min",
    "after/value_sum", "answer/changed/largest/chart/days/after_high", "answer/changed/largest/chart/days/after_low",
    "answer/changed/largest/chart/days/after_value", "answer/changed/largest/chart/days/before_high",
    "answer/changed/largest/chart/days/before_low", "answer/changed/largest/chart/days/before_value",
    "answer/changed/largest/chart/months/after_high", "answer/changed/largest/chart/months/after_low",
    "answer/changed/largest/chart/months/after_value", "answer/changed/largest/chart/months/before_high",
    "answer/changed/largest/chart/months/before_low", "answer/changed/largest/chart/months/before_value",
    "answer/changed/largest/overlap", "answer/changed/largest/value_sum",
    "answer/gone/largest/chart/days/after_high", "answer/gone/largest/chart/days/after_low",
    "answer/gone/largest/chart/days/after_value", "answer/gone/largest/chart/days/before_high",
    "answer/gone/largest/chart/days/before_low", "answer/gone/largest/chart/days/before_value",
    "answer/gone/largest/chart/months/after_high", "answer/gone/largest/chart/months/after_low",
    "answer/gone/largest/chart/months/after_value", "answer/gone/largest/chart/months/before_high",
    "answer/gone/largest/chart/months/before_low", "answer/gone/largest/chart/months/before_value",
    "answer/gone/largest/overlap", "answer/gone/largest/value_sum", "answer/replaced/largest/chart/days/after_high",
    "answer/replaced/largest/chart/days/after_low", "answer/replaced/largest/chart/days/after_value",
    "answer/replaced/largest/chart/days/before_high", "answer/replaced/largest/chart/days/before_low",
    "answer/replaced/largest/chart/days/before_value", "answer/replaced/largest/chart/months/after_high",
    "answer/replaced/largest/chart/months/after_low", "answer/replaced/largest/chart/months/after_value",
    "answer/replaced/largest/chart/months/before_high", "answer/replaced/largest/chart/months/before_low",
    "answer/replaced/largest/chart/months/before_value", "answer/replaced/largest/overlap",
    "answer/replaced/largest/value_sum", "asleep_seconds", "awake_seconds", "baseline_mean",
    "baseline_standard_deviation", "before/duration_seconds", "before/interval_seconds",
    "before/mean_interval_seconds", "before/numeric_value", "before/parts/distance", "before/parts/energy",
    "before/parts/seconds", "before/records_per_hour", "before/value_max", "before/value_mean", "before/value_min",
    "before/value_sum", "core_seconds", "current_mean", "current_standard_deviation", "deep_seconds",
    "delay_seconds", "disappeared_share", "distance", "dropped_sum", "duration_seconds", "elapsed_seconds", "energy",
    "evidence/common_seconds", "evidence/coverage_overlap", "evidence/covered_seconds_after",
    "evidence/covered_seconds_before", "evidence/instant_overlap", "evidence/measure_delta", "examples/value_after",
    "examples/value_before", "exercise_minutes", "exercise_minutes_goal", "in_bed_seconds", "measure_after",
    "measure_before", "move_minutes", "move_minutes_goal", "nights/asleep_seconds", "numeric_value",
    "overlap_seconds", "ratio", "rem_seconds", "residual", "seconds", "session_seconds", "shared_seconds",
    "sources/asleep_seconds", "sources/covered_seconds", "sources/dropped_sum", "sources/in_bed_seconds",
    "sources/session_seconds", "sources/value_sum", "stand_hours", "stand_hours_goal", "strip/after_value",
    "strip/before_value", "unspecified_seconds", "value_max", "value_mean", "value_min", "value_sum"
])
# end

MAGIC = b"\x28\xb5\x2f\xfd"


def is_table(path):
    return str(path).endswith(".csv")


def read_items(file):
    """Each item of an open bundle, file of lines, salvage or envelope: the item and its hash, one at a time."""
    for line in lines(opened(file)):
        value = json.loads(line)
        if "item_hash" in value:
            yield value["item"], value["item_hash"]
        for each in value.get("items", ()):
            yield each["item"], each["item_hash"]


def opened(file):
    """An open file without its container."""
    start = file.read(4)
    file.seek(0)
    if start != MAGIC:
        return file
    import zstandard
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def head(file, is_envelope):
    """The header of an open file without its container, and its first item. Of an envelope only its beginning is read."""
    if is_envelope:
        return head_of_envelope(file)
    header = {}
    for line in lines(file):
        value = json.loads(line)
        if "item_hash" in value:
            return header, value["item"]
        header = value.get("export", header)
    return header, None


def head_of_envelope(file):
    text = b""
    for chunk in iter(lambda: file.read(max(len(text), 1 << 20)), b""):
        text += chunk
        try:
            return begin_of(text.decode(errors="ignore"))
        except (IndexError, ValueError):
            continue  # not whole yet
    value = json.loads(text)
    return value.get("export", {}), next((each["item"] for each in value.get("items", ())), None)


def begin_of(text):
    """The header and the first item of a text that begins as an envelope does."""
    decoder, opening, items = json.JSONDecoder(), '{"export":', ',"items":['
    if not text.startswith(opening):
        raise ValueError
    header, end = decoder.raw_decode(text, len(opening))
    first = end + len(items)
    if text[end:first] != items:
        raise ValueError
    return header, None if text[first] == "]" else decoder.raw_decode(text, first)[0]["item"]


def lines(file, size=1 << 20):
    """The lines of an open file."""
    parts = []
    for chunk in iter(lambda: file.read(size), b""):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join([*parts, end])
            parts = []
        parts.append(rest)
    if any(parts):
        yield b"".join(parts)


def group_of(item):
    """The name of the columns of an item, "" where all kinds agree."""
    return GROUPS[item["item_kind"]]


def json_text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def typed(item, path=""):
    """An item whose values without a type of their own are JSON texts, and whose numbers are doubles."""
    found = {}
    for name, value in item.items():
        place = path + name
        if place in UNTYPED:
            value = json_text(value)
        elif place in DOUBLES:
            value = float(value)
        elif isinstance(value, dict):
            value = typed(value, place + "/")
        elif isinstance(value, list):
            value = [typed(each, place + "/") if isinstance(each, dict) else each for each in value]
        found[name] = value
    return found
