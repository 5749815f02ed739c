"""Makes vectors of rules that somebody who had the pages alone could have read in two ways.

Each is right by one reading only, and the page now says by which. Bytes and hashes come from the other generators.
"""

import hashlib

import generate_reports
import generate_rules
from generate import (
    STEPS, canonical, chosen, defect, frame, header, history, identity_header, in_order, lines, made_up, observation,
    of_lines, of_texts, quantity, record, records, salvage, skippable, strict_fingerprint, table, texts_of)
from generate_reports import (
    VERSION, change, changes, comparison, covered, hour, report, report_lines, side, sleep_window, summary, without)
from generate_rules import frames_of, with_table


def broken(data):
    """A frame with another content checksum."""
    return data[:-1] + bytes([data[-1] ^ 1])


# Container

def write_lost(folder):
    """What is read behind a lost frame where no seek table says where frames start."""
    add = folder.add
    made = lines(item_hashes={2: made_up("other")})
    texts = [made[0] + b"\n", b"".join(line + b"\n" for line in made[1:3]), made[3] + b"\n", made[4] + b"\n"]
    first, second, third, last = map(frame, texts)
    add("container-lost-no-table", "a lost frame, and a wrong item hash in the one behind it; no seek table",
        "container.checksum container.seek_table_missing item.hash", first + broken(second) + third + last)
    parts = frames_of(lines())
    first, second, last = [data for data, _ in parts]
    sizes = [(len(data), size) for data, size in parts]
    add("container-lost-table-malformed", "a lost frame, and a seek table that is malformed", "container.checksum container.seek_table",
        first + broken(second) + last + table(sizes, descriptor=4))
    add("container-lost-table-unfit", "a lost frame, and a seek table whose sizes do not add up to its place",
        "container.checksum container.seek_table_mismatch", first + broken(second) + last + table([(sizes[0][0] + 1, sizes[0][1]), *sizes[1:]]))
    add("container-lost-then-skippable", "a lost frame, and a skippable frame behind it; no seek table",
        "container.checksum container.seek_table_missing container.skippable", first + broken(second) + skippable(b"note") + last)
    add("container-lost-then-garbage", "a lost frame, and bytes behind it that are no frame; no seek table", "container.checksum",
        first + broken(second) + b"garbage" + last)
    add("container-lost-at-end", "the manifest's frame lost, and nothing behind it", "container.checksum container.seek_table_missing",
        first + second + broken(last))
    add("container-lost-end-unknown", "a block of the reserved type, whose end is not known; no seek table", "container.frame_corrupt",
        first + frame(texts_of(lines())[1], blocks=b"\x07\0\0") + last)
    add("container-cut-frame-behind", "a complete bundle without seek table, and a frame behind it that is cut off", "container.truncated",
        first + second + last + second[:-5])
    large = bytes(1025)
    blocks = b"".join((size << 3).to_bytes(3, "little") + large[:size] for size in (len(large), 1000))
    add("container-cut-behind-large-block", "a block larger than the window of 1 KiB, and one behind it that is cut off", "container.truncated",
        first + frame(large, blocks=blocks, window=0)[:-10])


def without_sequences(text, number):
    """A frame of one compressed block of raw literals; `number` is its number of sequences, and what follows it."""
    content = (3 << 2 | len(text) << 4).to_bytes(3, "little") + text + number
    return frame(text, blocks=(1 | 2 << 1 | len(content) << 3).to_bytes(3, "little") + content, window=0x58)


def write_blocks(folder):
    parts, texts = frames_of(lines()), texts_of(lines())
    for name, what, codes, number in (
            ("good-sequences-none", "a block without sequences, in one byte", "", b"\0"),
            ("container-sequences-two-bytes", "a block without sequences, in two bytes", "container.frame_corrupt", b"\x80\0"),
            ("container-sequences-modes", "a block without sequences, in two bytes, and modes behind them", "container.frame_corrupt", b"\x80\0\0")):
        folder.add(name, what, codes, with_table([parts[0], (without_sequences(texts[1], number), len(texts[1])), parts[2]]))
    noise = "".join(hashlib.sha256(b"noise %d" % at).hexdigest() for at in range(64))
    made = lines(items=[record(metadata={"a": noise + "z" * (1 << 20) + noise})])
    folder.add("good-single-segment-far", "a single segment with a match from more than 1 MiB before", "", of_lines(made))


# Lines

def write_lines(folder):
    add, made, texts = folder.add, lines(), texts_of(lines())
    add("line-unterminated-empty-frame", "the last line has no LF, and an empty frame is behind it",
        "container.frame_empty container.frame_line_end line.unterminated", of_texts([*texts[:2], texts[2][:-1], b""]))
    add("line-manifest-missing-header", "nothing but a header with a fault of shape", "line.manifest_missing shape.member_missing",
        of_lines(lines(header(scope=None), [])[:1]))
    add("line-manifest-missing-item", "no manifest, and a last item with a fault of shape", "line.manifest_missing shape.type",
        of_lines(lines(items=[*records()[:2], record(day=3, name="3", numeric_value="x")])[:-1]))
    add("line-header-repeated-last", "the header again where the manifest should be", "line.header_repeated", of_lines([*made[:-1], made[0]]))
    add("line-kind-then-manifest", "the last line of a salvage in a bundle, and the manifest behind it", "line.kind",
        of_lines([*made[:-1], salvage()[-1], made[-1]]))
    first, second, third = records()
    of_export = lines(items=[third, first])
    of_salvage = salvage([third, first])

    def without_header(lines_):
        head, *rest = frames_of(lines_)
        return with_table([(broken(head[0]), head[1]), *rest])

    add("order-header-lost", "the header's frame lost, and items out of order", "container.checksum order.items", without_header(of_export))
    add("salvage-header-lost", "the header's frame of a salvage lost, whose items are out of order", "container.checksum",
        without_header(of_salvage), "salvage")
    add("order-header-third", "a header behind two items that are out of order", "line.header_missing order.items",
        of_lines([*of_export[1:3], of_export[0], of_export[3]]))
    add("salvage-header-third", "the header of a salvage behind two items that are out of order", "line.header_missing",
        of_lines([*of_salvage[1:3], of_salvage[0], of_salvage[3]]), "salvage")
    later = lines(header(format_version=4), items=[third, first])
    add("shape-format-third", "a header of another version behind two items that are out of order",
        "line.header_missing order.items shape.format_version", of_lines([*later[1:3], later[0], later[3]]))


# Shape

def write_shapes(folder):
    folder.of_header("shape-header-kind-unknown", "an export of an unknown kind, and what only some kinds have in other types", "shape.value",
                     export_kind="other", from_coverage=5, scope={
                         "changes": 7, "from_observation_id": "1", "mode": "point_in_time", "observation_id": 1, "thresholds": []})
    no_version = [defect("/payload_hash", "no_version", "null")]
    folder.of_header("shape-header-defect-no-version", "the reason no_version in a header", "shape.value", defects=no_version)
    export, (first, *rest) = history()
    folder.add("shape-sample-defect-no-version", "the reason no_version in a sample, which has no version", "shape.value",
               of_lines(lines(export, [{**first, "defects": no_version}, *rest])))
    folder.of_header("shape-header-observation-twice", "the observation of a point in time twice", "shape.value", observations=[observation(1), observation(1)])
    folder.of_report("shape-header-observations-twice", "one of two observations twice", "shape.value",
                     changes("diff_report", observations=[observation(1), observation(2), observation(2)]), [])

    def window(name, what, codes, change_):
        items = comparison()
        items[4] = change_(items[4])
        folder.of_report("comparison-reasons-" + name, what, codes, summary(), items)

    twice = {"label": "uncertain", "reasons": ["values_missing"] * 2}
    window("twice", "a reason twice", "shape.value", lambda item: {**item, **twice})
    window("twice-beside", "a reason twice, beside a count that is text", "shape.type",
           lambda item: {**item, **twice, "before": {**item["before"], "record_count": "4"}})
    window("label-unknown", "a reason beside an unknown label", "shape.value", lambda item: {**item, "label": "lost", "reasons": ["values_missing"]})
    window("label-absent", "no label, and a reason that is none", "shape.member_missing shape.value",
           lambda item: {**without(item, "label"), "reasons": ["lost"]})


# Item, manifest

def write_upper(folder):
    upper = []
    for index in range(16):
        item = quantity("HeartRate", 1, 60 + index, "count/min", sample_uuid_hash=made_up("upper case %d" % index))
        upper.append({**item, "strict_fingerprint": strict_fingerprint(item, 1).upper()})
    items = [*in_order(upper), quantity("HeartRate", 2, 61.5, "count/min", ordinal=1)]
    folder.add("item-strict-upper-case", "sixteen fingerprints in upper case, for which no ordinal is tried", "item.strict_fingerprint",
               of_lines(lines(identity_header(items), items)))
    export, items = history()
    chosen_ = {"since": "2024-02-01T10:00:00.000Z", "sources": ["org.example.synthetic"], "until": "2024-02-03T00:00:00.000Z"}
    folder.add("good-history-filtered", "samples of a filtered history, which have neither source nor date", "",
               of_lines(lines({**export, "filter": chosen_}, items)))


# Reports

def write_reports(folder):
    reports = generate_reports.Folder(folder.shelves)
    rows = [record(day=day, name=str(day)) for day in (1, 2, 3)]

    def sidecar(name, what, change_):
        reports.table("sidecar-" + name, what, "container.sidecar", report("record_table"), rows, sidecar=change_)

    sidecar("text-behind", "a sidecar with a second value behind its line end", lambda whole: canonical(whole).encode() + b"\n{}")

    def without_export(whole):
        del whole["urn:healthprobe:report"]["export"]
        whole["tableSchema"] = {}

    sidecar("export-missing-schema", "no export, and another schema, which is held against nothing", without_export)
    gone = change("disappeared", 2, "2", before={}, defects=[defect("/before/payload_hash", "no_version", "null")])
    reports.table("good-change-no-version-table", "a change of a range that names no version as a table", "", changes("diff_report"),
                  [gone], "change")
    folder.shelves.add("lines-cut-header", ".jsonl", "report", "an envelope cut in its header, which is read as lines", "line.unterminated",
                       generate_reports.envelope(report_lines(report("record_table"), rows))[:300])
    after = without({**chosen(record(STEPS), VERSION), "created_observation_id": 2}, "start_date")
    folder.of_report("good-change-filter-undated", "a version without its start, and a filter by dates", "", changes(
        "diff_report", filter={"since": "2024-02-02T00:00:00.000Z"}), [
            change("appeared", after=after, defects=[defect("/after/start_date", "null", "null")])])
    write_comparisons(folder)


def write_comparisons(folder):
    apart = side(1, **hour(1, "23:30", "23:45"), interval=900, mean=900, density=4)
    inverted = side(1, **hour(1, "23:00", "22:30"), interval=-1800, mean=-1800)
    for name, what, after, seconds in (("apart", "spans of the two sides that do not meet", apart, 900), ("inverted", "a span that ends before it begins", inverted, 0)):
        items = comparison()
        items[1] = {**items[1], "after": after}
        items[2] = sleep_window(after=after, evidence={**sleep_window()["evidence"], **covered(3600, seconds, 0)})
        folder.of_report("good-overlap-" + name, what, "", summary(), items)


def write(shelves):
    folder = generate_rules.Folder(shelves)
    for write_part in (write_lost, write_blocks, write_lines, write_shapes, write_upper, write_reports):
        write_part(folder)
