"""Makes vectors of rules that say what a reader does with each input: Spec/container.md, lines.md and shape.md.

Each is there because two readers of the pages once saw the file differently, or because both accepted what they should
not. Bytes and hashes come from the generators of bundles and reports.
"""

import json

import generate_reports
from generate import (
    STEPS, SLEEP, WATER, blocks_of, bundle, coverage, defect, frame, header, lines, made_up, observation, of_lines, of_texts,
    record, records, relationship, salvage, skippable, table, texts_of, totals_of, version_item)
from generate_reports import (
    all_findings, change, changes, chosen, comparison, findings_header, manifests, report, report_lines, summary, text_of, VERSION, without)


class Folder:
    """Names vectors, most of them bundles of some lines."""

    def __init__(self, shelves):
        self.shelves = shelves

    def add(self, name, what, codes, data, document="bundle"):
        self.shelves.add(name, ".jsonl.zst", document, what, codes, data)

    def of_header(self, name, what, codes, items=(), **members):
        self.add(name, what, codes, of_lines(lines(header(**members), list(items))))

    def of_item(self, name, what, codes, item, **members):
        self.add(name, what, codes, of_lines(lines(header(**members), [item])))

    def of_report(self, name, what, codes, export, items):
        self.shelves.add(name, ".jsonl", "report", what, codes, text_of(report_lines(export, items)))


def with_table(parts):
    """Frames, or bytes between them, and a table of the frames alone: parts are (bytes, text size or None)."""
    return b"".join(data for data, _ in parts) + table([(len(data), size) for data, size in parts if size is not None])


def frames_of(made):
    texts = texts_of(made)
    return [(frame(text), len(text)) for text in texts]


# Container

def modes_at(block):
    """Where a compressed block without its header has its symbol compression modes, RFC 8878, 3.1.1.3; literals are compressed."""
    assert block[0] & 0b1111 == 0b1010, "compressed literals with two sizes of 14 bits"
    literals = int.from_bytes(block[:4], "little") >> 18
    sequences = block[4 + literals]
    assert 0 < sequences < 128
    return 4 + literals + 1


def with_reserved_mode(text, bit):
    blocks, _ = blocks_of(text)
    assert blocks[0] & 7 == 5, "one compressed block, the last"
    at = 3 + modes_at(blocks[3:])
    assert blocks[at] & 3 == 0
    return frame(text, blocks=blocks[:at] + bytes([blocks[at] | bit]) + blocks[at + 1:])


def write_container(folder):
    add = folder.add
    made = lines()
    texts, parts = texts_of(made), frames_of(made)
    body = b"".join(data for data, _ in parts)
    for name, what, bit in (("", "a reserved bit", 1), ("-2", "the upper of two reserved bits", 2)):
        wrong = with_reserved_mode(texts[1], bit)
        add("container-modes-reserved-bit" + name, what + " among the symbol compression modes of a block", "container.frame_corrupt",
            with_table([parts[0], (wrong, len(texts[1])), parts[2]]))
    for count in (1, 3):
        add("container-cut-magic-%d" % count, "%d bytes of a frame's magic at the end" % count, "container.truncated",
            body + parts[0][0][:count])
    add("container-skippable-cut", "a skippable frame that is cut off in its header", "container.truncated", body + skippable(b"note")[:6])
    add("container-skippable-at-start", "a skippable frame where the seek table says that a frame starts",
        "container.seek_table_mismatch container.skippable",
        parts[0][0] + skippable(b"note") + parts[1][0] + parts[2][0] + table(
            [(len(parts[0][0]), parts[0][1]), (12, 4), *[(len(data), size) for data, size in parts[1:]]]))
    add("container-garbage-before-table", "bytes between the manifest and the seek table", "container.trailing",
        body + b"garbage" + table([(len(data), size) for data, size in parts]))
    add("container-seek-table-too-long", "a seek table that states more bytes than there are, and no manifest", "container.seek_table line.manifest_missing",
        b"".join(data for data, _ in parts[:2]) + table([(len(data), size) for data, size in parts[:2]], size=200))
    add("container-seek-table-then-bytes", "bytes behind a seek table that is malformed", "container.seek_table",
        body + table([(len(data), size) for data, size in parts], descriptor=4) + b"garbage")
    sizes = [(len(data), size) for data, size in parts]
    add("container-seek-table-last-text-size", "a wrong decompressed size of the last frame", "container.seek_table_mismatch",
        body + table([*sizes[:2], (sizes[2][0], sizes[2][1] + 1)]))
    split = [texts[0], texts[1][:40], b"", texts[1][40:], texts[2]]
    add("container-frame-empty-in-line", "an empty frame inside a line", "container.frame_empty container.frame_line_end", of_texts(split))
    broken = bytearray(parts[1][0])
    broken[-1] ^= 1
    lost = (bytes(broken), parts[1][1])
    half = texts[0][:-1]
    add("container-frame-line-end-lost", "a frame that ends before its line end, and a lost frame behind it", "container.checksum container.frame_line_end",
        with_table([(frame(half), len(half)), lost, parts[2]]))
    last = texts[2].replace(b'"item_count":3', b'"item_count":"3"', 1)
    add("container-lost-then-shape", "a lost frame, and a fault of shape behind it", "container.checksum shape.type",
        with_table([parts[0], lost, (frame(last), len(last))]))
    add("container-trailing-lost", "bytes of no frame where the seek table has none, and no manifest", "container.trailing",
        parts[0][0] + b"garbage" + parts[1][0])


def write_windows(folder):
    """Blocks beside the window of 1,024 bytes of their frame."""
    texts = texts_of(lines(items=[record(metadata={"a": "z" * 2000})]))
    begin, run = texts[1].split(b"z" * 2000)[0], b"z" * 2000
    for name, what, codes, blocks in (
            ("good-block-rle-window", "an RLE block as large as its frame's window", "", [(1, 1024, b"z"), (1, 976, b"z")]),
            ("container-block-rle-over-window", "an RLE block larger than its frame's window", "container.frame_corrupt", [(1, 1025, b"z"), (1, 975, b"z")]),
            ("container-block-raw-over-window", "a raw block larger than its frame's window", "container.frame_corrupt", [(0, 1025, run[:1025]), (0, 975, run[:975])]),
            ("container-block-size-over-window", "a compressed block larger than its frame's window, whose text is not", "container.frame_corrupt",
             [literals(run[:1021]), literals(run[:979])])):
        rest = texts[1][len(begin) + len(run):]
        whole = b"".join(block_of(*entry) for entry in [*raw_parts(begin), *blocks, *raw_parts(rest)[:-1]]) + block_of(*raw_parts(rest)[-1], last=1)
        folder.add(name, what, codes, bundle([frame(texts[0]), frame(texts[1], blocks=whole, window=0), frame(texts[2])], [len(text) for text in texts]))


def block_of(kind, size, content, last=0):
    return (last | kind << 1 | size << 3).to_bytes(3, "little") + content


def raw_parts(text):
    """Raw blocks of at most 1,000 bytes."""
    return [(0, len(part), part) for part in (text[at:at + 1000] for at in range(0, len(text), 1000))]


def literals(text):
    """A compressed block of raw literals without sequences: four bytes more than its text."""
    content = (3 << 2 | len(text) << 4).to_bytes(3, "little") + text + b"\0"
    return 2, len(content), content


# Lines

def write_lines(folder):
    made = lines()
    folder.add("line-blank-two-frames", "blank lines that go on in the next frame", "line.blank",
               of_texts([made[0] + b"\n\n\n", b"\n\n" + made[1] + b"\n", b"".join(line + b"\n" for line in made[2:])]))
    folder.shelves.add("line-blank-apart", ".jsonl", "report", "two runs of blank lines, with a line between them", "line.blank",
                       text_of(report_lines(report("record_table"), records())).replace(b"\n", b"\n\n\n", 2))
    wrong = lines(items=[record(numeric_value="x"), *records()[1:]])
    folder.add("line-header-missing-shape", "no header, and a first item with a fault of shape", "line.header_missing shape.type", of_lines(wrong[1:]))
    export = header(filter={"since": "2024-02-03T00:00:00.000Z"})
    filtered = lines(export, records()[:2] + [record(day=2, name="4")])
    folder.add("line-header-second-scope", "a header on the second line, and items on both sides of it that it excludes", "line.header_missing manifest.scope",
               of_lines([filtered[1], filtered[0], *filtered[2:]]))
    folder.add("line-kind-first", "a line without a kind before the header", "line.kind", of_lines([b'{"a":1}', *made]))
    folder.add("line-manifest-damaged-then-item", "an item behind a manifest with a fault of shape", "line.after_manifest shape.type",
               of_lines([*made[:-1], made[-1].replace(b'"item_count":3', b'"item_count":"3"', 1), made[1]]))
    folder.add("line-nothing-but-manifest", "a manifest alone", "line.header_missing", of_lines(made[-1:]))
    last = of_texts([made[0] + b"\n", made[1] + b"\n\n"])
    folder.add("line-blank-instead-of-manifest", "a blank line where the manifest should be", "line.blank", last)
    parts = frames_of(made)
    body = b"".join(data for data, _ in parts)
    begun = frame(b'{"item":"')
    folder.add("container-trailing-in-line", "a line that is begun behind the manifest, and bytes behind it: the end is not lost", "container.trailing line.unterminated",
               body + begun + b"garbage")
    folder.add("container-frame-line-end-behind", "a line that is begun behind the manifest, and a frame that is cut off", "container.frame_line_end container.truncated",
               body + begun + parts[1][0][:-5])
    again = records()[0]
    folder.add("item-repeated-other-hash", "an item twice, the second with another hash", "item.hash order.repeated",
               of_lines(lines(items=[again, again], item_hashes={1: made_up("another item")})))
    for code, count in (("header-in-salvage", "line.header_repeated"), ("manifest-in-salvage", "line.kind")):
        inner = salvage()
        of_export = lines()[0 if code.startswith("header") else -1]
        folder.add("line-" + code, "a line of an export in a salvage", count, of_lines(
            [inner[0], of_export, *inner[1:]] if code.startswith("header") else [*inner[:-1], of_export]), "salvage")


# Format

def write_format(folder):
    first = made_format(format_version=4)
    folder.add("shape-format-nul", "a format that holds U+0000", "shape.format_version", of_lines(made_format(format="healthprobe\0", coverage=7)))
    folder.add("shape-format-version-fraction", "version 1.5", "shape.format_version", of_lines(made_format(format_version=1.5)))
    folder.add("shape-format-both", "another format and another version", "shape.format_version", of_lines(made_format(format="x", format_version=2)))
    folder.add("shape-format-salvage", "the format of salvages in an export", "shape.format_version", of_lines(made_format(format="healthprobe-salvage")))
    texts = texts_of(first)
    folder.add("container-format-version", "another version in a frame without a checksum; damage behind it is not looked at",
               "container.checksum_missing shape.format_version",
               bundle([frame(texts[0], checksum=False), frame(texts[1])[:-1] + b"x", frame(texts[2])], [len(text) for text in texts]))


def made_format(**members):
    return lines(header(**members))


# Shape of headers

def run(sample_type=STEPS, **members):
    return {name: value for name, value in {**coverage(sample_type), **members}.items() if value is not None}


def write_headers(folder):
    of_header = folder.of_header
    missing = defect("/device_chain", "missing_row", "integer", "7")
    of_header("good-device-chain-missing", "a device chain that the archive does not have", "", records(), device_chain=None, defects=[missing])
    of_header("shape-header-device-chain-missing", "no device chain, and no defect that says why", "shape.member_missing", device_chain=None)
    of_header("shape-header-device-chain-and-defect", "a device chain beside a defect that stands for it", "shape.value", defects=[missing])
    bare = {"sample_type": STEPS, "status": "completed"}
    of_header("shape-header-coverage-run", "a completed type run without counts and observation", "shape.member_missing", coverage=[bare])
    of_header("shape-header-coverage-no-status", "a type run whose status is a defect, without its counts", "shape.member_missing", coverage=[{"sample_type": STEPS}],
              defects=[defect("/coverage/0/status", "utf8", "text", "ff")])
    of_header("good-coverage-run-defect", "counts of a type run that are defects", "", coverage=[
        run(inserted_event_count=None, deleted_event_count=None)], defects=[
            defect("/coverage/0/deleted_event_count", "storage_class", "text", "30"), defect("/coverage/0/inserted_event_count", "storage_class", "text", "33")])
    of_header("good-coverage-never-queried-stored", "a run whose stored status is never_queried", "", coverage=[run(status="never_queried")])
    of_header("shape-header-coverage-later", "coverage by an observation after the scope's", "shape.value", coverage=[run(observation_id=2)])
    folder.of_report("shape-header-from-coverage-later", "coverage of the older observation by the newer one", "shape.value",
                     changes("diff_report", from_coverage=[run(observation_id=2)]), [])
    of_header("shape-header-mode-changes", "the mode of a comparison in a bundle", "shape.value", scope={"mode": "changes", "observation_id": 1})
    of_header("shape-header-format-other-kind", "the format of reports in a bundle", "shape.value", format="healthprobe-report")
    of_header("shape-two-steps", "a member of another type, which hides that coverage is not the filter's", "shape.type",
              archive_schema_version="2", filter={"sample_types": [WATER]})
    of_header("shape-step-two-all", "members beside each other, three faults", "shape.value", filter={"sample_types": [WATER]},
              coverage=[run(observation_id=2)], observations=[observation(2)])
    of_header("order-history-ids", "observations of a history end with the scope's by id", "order.coverage",
              scope={"mode": "history", "observation_id": 2}, observations=[observation(2), observation(1)])


# Shape of items

def write_items(folder):
    of_item = folder.of_item
    metadata = {"metadata": {"a": 1}, "metadata_hash": made_up("metadata")}
    of_item("shape-metadata-without-hash", "metadata without their hash", "shape.member_missing", record(metadata={"a": 1}, metadata_hash=None))
    of_item("shape-metadata-hash-without", "a metadata hash without metadata", "shape.member_missing", record(metadata_hash=made_up("metadata")))
    of_item("shape-relationship-metadata-without-hash", "a relationship's metadata without their hash", "shape.member_missing",
            record(relationships=[relationship("target", "gone", False, metadata={"a": 1})]))
    of_item("good-metadata-defect", "metadata that are a defect, with their hash", "", record(
        metadata_hash=made_up("metadata"), defects=[defect("/metadata", "utf8", "text", "ff")]))
    of_item("good-metadata-missing-row", "metadata whose row is missing", "", record(defects=[defect("/metadata", "missing_row", "integer", "5")]))
    of_item("shape-defect-member-there", "a defect beside the value that it stands for", "shape.value", record(
        defects=[defect("/numeric_value", "not_finite", "real", "7ff0000000000000")]))
    of_item("shape-defect-object-there", "a defect beside the object that it stands for", "shape.value", record(
        defects=[defect("/source", "missing_row", "integer", "5")]))
    of_item("shape-defect-entry-there", "a defect that points into an array, to what is there", "shape.value", record(
        defects=[defect("/visibility/0/first_seen_at", "null", "null")]))
    of_item("good-source-row-missing", "a source revision without its source", "", record(
        source={"version": "1.0", "operating_system_version": "1.2.3"}, defects=[defect("/source/bundle_identifier", "missing_row", "integer", "5")]))
    of_item("good-version-null", "a version whose hash is NULL: its row excuses all members of a version", "", record(
        payload_hash=None, start_date=None, end_date=None, created_observation_id=None, defects=[defect("/payload_hash", "null", "null")]))
    of_item("shape-defect-of-entry", "a defect of an entry of an array, which excuses none of its members", "shape.member_missing", record(
        visibility=[{"first_observation_id": 1}], defects=[defect("/visibility/0", "null", "null")]))
    of_item("shape-defect-of-neighbour", "a defect of another member of the same entry", "shape.member_missing", record(
        visibility=[{}], defects=[defect("/visibility/0/first_seen_at", "null", "null")]))
    of_item("good-relationship-row-missing", "a relationship to a sample that is not there", "", record(
        relationships=[{name: value for name, value in relationship("target", "gone", False).items() if name not in ("end_identity_hash", "end_sample_type")}],
        defects=[defect("/relationships/0/end_identity_hash", "missing_row", "integer", "9")]))
    of_item("good-metadata-nul", "U+0000 in a key and in a text of metadata", "", record(metadata={"a\0": ["\0"]}))
    of_item("shape-defect-excuses-with-fault", "a defect without a known reason, which excuses all the same", "shape.value", record(
        start_date=None, defects=[defect("/start_date", "other", "null")]))
    of_item("shape-defect-value-absent", "a defect without its value", "shape.value", record(
        numeric_value=None, defects=[defect("/numeric_value", "not_finite", "real")]))
    of_item("shape-pointer-cut", "an unknown member with a name of 600 characters", "shape.member_unknown", record(**{"\u00e9" * 600: 1}))
    inverted = [{"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z", "last_observation_id": 1, "last_seen_at": "2024-03-01T08:00:00.000Z"}]
    folder.add("good-range-inverted", "a range that ends before it begins, and a version that ends before it starts: evidence", "", of_lines(lines(
        header(scope={"mode": "history", "observation_id": 2}, observations=[observation(1), observation(2)]),
        [version_item(2, "a", visibility=inverted, end_date="2024-02-01T10:00:00.000Z", metadata=metadata["metadata"])])))
    three = [record(SLEEP, 1, "1"), record(STEPS, 1, "2"), record(SLEEP, 1, "3")]
    export = header(coverage=[coverage(SLEEP), coverage()])
    folder.add("order-type-again", "a type that comes again: it counts where it came first", "order.items", of_lines(lines(export, three)))
    counted = totals_of(export, [three[1], three[0], three[2]])
    folder.add("manifest-totals-order", "totals in another order than the items", "manifest.totals", of_lines(lines(
        export, [three[0], three[2], three[1]], totals=counted)))


# Salvages

def write_salvages(folder):
    def add(name, what, codes, made):
        folder.add(name, what, codes, of_lines(made), "salvage")

    gap = {"after_items": 2, "byte": 700, "byte_end": 900, "code": "container.frame_corrupt", "frame": 3, "frame_end": 4, "frame_line": 1}
    for name, what, code, entry in (
            ("code-unknown", "a code that no page has", "value", {**gap, "code": "container.broken"}),
            ("code-archive", "a code of the archive", "value", {**gap, "code": "archive.changed"}),
            ("byte-alone", "a first byte without an end", "member_missing", without(gap, "byte_end")),
            ("byte-reversed", "bytes that end before they begin", "value", {**gap, "byte_end": 699}),
            ("frame-alone", "a frame without a last one", "member_missing", without(gap, "frame_end")),
            ("frame-reversed", "frames that end before they begin", "value", {**gap, "frame_end": 2}),
            ("frame-line-alone", "a line of no frame", "member_missing", without(gap, "frame", "frame_end"))):
        add("shape-salvage-" + name, "an account with " + what, "shape." + code, salvage(account=[entry]))
    add("shape-salvage-account-long", "an account of 1,001 entries", "shape.value", salvage(account=[{"after_items": 0, "code": "item.hash"}] * 1001))
    add("good-salvage-account-1000", "an account of 1,001 entries, of which 1,000 are listed", "", salvage(
        account=[{"after_items": 0, "code": "item.hash"}] * 1000, account_count=1001))
    add("shape-salvage-account-count", "an account that counts more entries than it has", "shape.value", salvage(account=[gap], account_count=2))
    add("shape-salvage-missing-alone", "what is missing of no manifest", "shape.member_missing", salvage(without=["manifest"]))
    add("shape-salvage-manifest-alone", "a manifest, and not what is missing", "shape.member_missing", salvage(without=["missing"]))
    of_steps = {"item_count": 1, "sample_type": STEPS}
    add("shape-salvage-missing-sum", "missing items that are not the sum of their types", "shape.value", salvage(missing={"item_count": 2, "types": [of_steps]}))
    add("manifest-salvage-missing", "fewer missing items than there are", "manifest.totals", salvage(missing={"item_count": 0, "types": []}))
    add("manifest-salvage-missing-more", "more missing items than there are", "manifest.totals", salvage(
        missing={"item_count": 2, "types": [{**of_steps, "item_count": 2}]}))
    add("manifest-salvage-missing-type", "a missing type that the manifest does not have", "manifest.totals", salvage(
        missing={"item_count": 2, "types": [of_steps, {"item_count": 1, "sample_type": WATER}]}))
    entries = [{"after_items": 0, "code": "item.hash"}] * 1000
    add("good-salvage-missing-account-cut", "more missing items than there are, where not all of the account is listed", "", salvage(
        account=entries, account_count=1001, missing={"item_count": 3, "types": [{"item_count": 3, "sample_type": STEPS}]}))
    export = json.loads(lines()[0])["export"]
    add("shape-salvage-export-format", "the format of a salvage in the header inside", "shape.value", salvage(export={**export, "format": "healthprobe-salvage"}))
    unsorted = header(filter={"sample_types": [STEPS, STEPS]})
    add("good-salvage-filter-repeated", "a header inside that names a type twice", "", salvage(
        export=json.loads(lines(unsorted)[0])["export"], account=[gap]))
    repeated = {"after_items": 1, "code": "order.repeated", "line_count": 1}
    add("good-salvage-repeated", "an item that is there twice and counts once", "", salvage([records()[0]] * 2, account=[repeated]))


# Reports

def write_reports(folder):
    export = findings_header()
    _, _, _, late, semantic = all_findings()
    folder.of_report("shape-finding-semantic-one", "one payload that is a duplicate", "shape.value", export, [{**semantic, "payload_count": 1}])
    whole = chosen(record(), VERSION)
    folder.of_report("shape-change-equal", "a change of representation without a difference", "shape.value", changes("diff_report"),
                     [change("representation_changed", before=whole, after=whole)])
    itself = {"scope": {"from_observation_id": 2}, "observations": [observation(2)], "from_coverage": [run(observation_id=2)]}
    folder.of_report("manifest-scope-itself", "a change between an observation and itself", "manifest.scope", changes("diff_report", **itself),
                     [without(change("appeared"), "events")])
    folder.of_report("manifest-scope-itself-late", "a late arrival between an observation and itself", "manifest.scope",
                     changes("finding_report", **{**itself, "scope": {"from_observation_id": 2, "thresholds": export["scope"]["thresholds"]}}), [late])
    thresholds = summary()["scope"]["thresholds"]
    folder.of_report("manifest-scope-itself-summary", "counted changes between an observation and itself", "manifest.scope", changes(
        "diff_summary", (SLEEP, STEPS), **{**itself, "scope": {"from_observation_id": 2, "thresholds": thresholds},
                                           "from_coverage": [{**coverage(name), "observation_id": 2} for name in (SLEEP, STEPS)]}), comparison())
    first = manifests()[1]
    folder.of_report("order-manifest-type-repeated", "two manifests of one type", "order.repeated", report("observation_manifest", coverage=[coverage(SLEEP), coverage()]),
                     [first, {**first, "items_hash": made_up("another list")}])


def write_sidecar(folder):
    def add(name, what, codes, value):
        reports = generate_reports.Folder(folder.shelves)
        reports.table(name, what, codes, report("record_table"), [record()], sidecar=lambda whole: {**whole, "urn:healthprobe:report": value})

    add("sidecar-report-empty", "a sidecar whose own member is empty", "container.sidecar", {})


def write(shelves):
    folder = Folder(shelves)
    for write_part in (write_container, write_windows, write_lines, write_format, write_headers, write_items, write_salvages, write_reports,
                       write_sidecar):
        write_part(folder)
