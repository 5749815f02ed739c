"""Small files that are made to cost much: each shape in a function that gives its bytes.

A shape grows with its text, not with its file: repeated bytes take four bytes of file for 128 KiB of text
(RFC 8878, 3.1.1.2.2), and a text that repeats itself not much more.
"""

import generate
import zstandard

from .frames import BLOCK, RAW, REPEATED, block

MIB = 1 << 20


def repeated(byte, count):
    """Blocks of one byte that is repeated; none of them is the last."""
    return b"".join(block(REPEATED, min(BLOCK, count - at), byte) for at in range(0, count, BLOCK))


def bare_frame(blocks, last=b""):
    """A frame without content size and checksum, whose text is that of these blocks and of one more."""
    return generate.FRAME_MAGIC + b"\x00\x68" + blocks + block(RAW, len(last), last, True)


def long_frame(first, byte, count, last):
    """A frame whose text is `first`, one byte `count` times, `last`."""
    return bare_frame(block(RAW, len(first), first) + repeated(byte, count), last)


def packed(unit, size, first=b"", last=b""):
    """A frame whose text repeats a unit."""
    compressor = zstandard.ZstdCompressor(level=1, write_checksum=True)
    return compressor.compress(first + unit * (size // len(unit)) + last)


def good():
    """Frames of the header, the items and the manifest of a bundle that holds, and its lines."""
    made = generate.lines()
    texts = generate.texts_of(made)
    return [generate.frame(text) for text in texts], made


def between(*frames):
    """A bundle with these frames behind its items. Without a seek table."""
    first, _ = good()
    return b"".join([*first[:-1], *frames, first[-1]])


# A line that many frames go on with

def line_in_pieces(piece=b"x", count=1000, size=60 * MIB):
    """A line begins in one frame, and each of many frames has one more byte of it."""
    return between(long_frame(b"", b"a", size, b""), *[generate.frame(piece)] * count, generate.frame(b"\n"))


def line_between_empty_frames(count=1000, size=60 * MIB):
    return line_in_pieces(b"", count, size)


def line_between_skippable_frames(count=1000, size=60 * MIB):
    part = generate.frame(b"x") + generate.skippable(b"")
    return between(long_frame(b"", b"a", size, b""), *[part] * count, generate.frame(b"\n"))


def line_of_broken_frames(count=1000, size=60 * MIB):
    """The same, and each of the frames has a wrong checksum."""
    part = generate.frame(b"x", checksum=bytes(4))
    return between(long_frame(b"", b"a", size, b""), *[part] * count, generate.frame(b"\n"))


# Frames that share their blocks

def behind_false_starts(tail, count, distance=9, checksum=False):
    """Many frames whose first block leads into one tail, and a seek table that fits and names each of them."""
    first = good()[0][0]
    head = generate.FRAME_MAGIC + (b"\x04" if checksum else b"\x00") + b"\x68"
    step = max(distance, 9)
    starts = []
    for index in range(count):
        ahead = (count - index) * step - 9
        assert ahead <= BLOCK
        starts.append((head + block(RAW, ahead, b"")).ljust(step, b"\0"))
    whole = first + b"".join(starts) + tail
    sizes = [len(first), *[step] * (count - 1), step + len(tail)]
    return whole + generate.table([(size, 0) for size in sizes])


def false_starts_before_empty_blocks(count=14000, blocks=450_000):
    """Each of the frames is followed through all empty blocks of the tail, which does not end."""
    return behind_false_starts(block(RAW, 0, b"") * blocks, count)


def false_starts_before_a_wrong_checksum(count=1500, size=60 * MIB):
    """Each of the frames is decoded to its end, where the checksum is wrong."""
    return behind_false_starts(repeated(b"a", size) + block(RAW, 0, b"", True) + bytes(4), count, checksum=True)


def false_starts_before_a_bad_block(count=1500, size=60 * MIB):
    """Each of the frames is decoded up to a compressed block that cannot be."""
    return behind_false_starts(repeated(b"a", size) + block(2, 3, b"\xff\xff\xff") + block(RAW, 0, b"", True), count)


def false_starts_without_a_table(count=1500, size=60 * MIB):
    whole = false_starts_before_a_wrong_checksum(count, size)
    return whole[:-(8 * (count + 1) + 17)]


def magic_numbers(count=100_000):
    """Nothing but beginnings of frames."""
    return good()[0][0] + generate.FRAME_MAGIC * count


# Texts that repeat themselves

def inside(line, name, size, last=b""):
    """A bundle with a line of so many equal parts: what stands between the marks is repeated."""
    before, unit, after = line.split(b"\x00")
    return between(packed(unit, size, before, after + b"\n" + last))


def empty_entries(name, size=60 * MIB):
    """An item that has a list of empty entries."""
    line = good()[1][1]
    key = b'{"item":{"%s":[\x00{},\x00{}]}}' % name.encode()
    return inside(key, name, size)


def empty_header_entries(path, size=60 * MIB):
    line = b'{"export":{"%s":[\x00{},\x00{}]}}' % path.encode()
    return packed(line.split(b"\x00")[1], size, line.split(b"\x00")[0], line.split(b"\x00")[2] + b"\n")


def empty_filter(size=60 * MIB):
    return packed(b'"a",', size, b'{"export":{"filter":{"sample_types":[', b'"a"]}}}\n')


def empty_totals(size=60 * MIB):
    first, _ = good()
    return first[0] + packed(b"{},", size, b'{"manifest_hash":"","totals":{"types":[', b"{}]}}\n")


def lines_of(unit, size=24 * MIB):
    """A frame of so many equal lines."""
    return between(packed(unit + b"\n", size))


def many_long_frames(count=40, size=60 * MIB):
    """Frames with the longest text that may be, a line each."""
    return between(*[long_frame(b'"', b"a", size, b'"\n')] * count)


def long_key(size=60 * MIB):
    return between(long_frame(b'{"item":{"', b"a", size, b'":1}}\n'))


def long_member(size=60 * MIB):
    return between(long_frame(b'{"item":{"sample_type":"', b"a", size, b'"}}\n'))


def deep(size=60 * MIB):
    return between(long_frame(b'{"item":', b"[", size, b"\n"))


# Identities

def wrong_fingerprints(count):
    """Items whose strict fingerprint is of no ordinal, and which are right in everything else."""
    items = []
    for number in range(count):
        seconds = "00:%02d:%02d.%03d" % (number // 60_000, number // 1000 % 60, number % 1000)
        dates = {"start_date": "2024-02-01T%sZ" % seconds, "end_date": "2024-02-02T%sZ" % seconds}
        item = generate.record(name=str(number), **dates)
        items.append(generate.identified(item, strict=generate.made_up("wrong %d" % number)))
    items = generate.in_order(items)
    return generate.of_lines(generate.lines(generate.identity_header(items), items))


def alike(count):
    """Items that are alike, each with its own ordinal, as a capture gives them."""
    items = []
    first = None
    for ordinal in range(count):
        item = generate.record(name="alike %d" % ordinal)
        first = first or generate.strict_fingerprint(item)
        later = generate.sha("hp:v2:strict_fingerprint:", {"alike": first, "ordinal": ordinal})
        items.append(generate.identified(item, strict=later if ordinal else first))
    items = generate.in_order(items)
    return generate.of_lines(generate.lines(generate.identity_header(items), items))


def great_totals(types=1100):
    """A manifest that counts more than any number holds; the frame of an item is lost."""
    made = generate.lines()
    largest = (1 << 53) - 1
    counts = {"defect_count": largest, "item_count": largest}
    names = ["T%06d" % number for number in range(types)]
    totals = {**counts, "types": [{**counts, "provenance_loss": {}, "sample_type": name} for name in names]}
    end = b'{"manifest_hash":"%s","totals":%s}' % (b"0" * 64, generate.canonical(totals).encode())
    return b"".join(generate.frame(line + b"\n") for line in (made[0], b"lost", end))


SHAPES = {
    "line in pieces": line_in_pieces,
    "line between empty frames": line_between_empty_frames,
    "line between skippable frames": line_between_skippable_frames,
    "line of broken frames": line_of_broken_frames,
    "false starts before empty blocks": false_starts_before_empty_blocks,
    "false starts before a wrong checksum": false_starts_before_a_wrong_checksum,
    "false starts before a bad block": false_starts_before_a_bad_block,
    "false starts without a table": false_starts_without_a_table,
    "magic numbers": magic_numbers,
    "relationships": lambda: empty_entries("relationships"),
    "defects": lambda: empty_entries("defects"),
    "events": lambda: empty_entries("events"),
    "visibility": lambda: empty_entries("visibility"),
    "coverage": lambda: empty_header_entries("coverage"),
    "observations": lambda: empty_header_entries("observations"),
    "header defects": lambda: empty_header_entries("defects"),
    "filter": empty_filter,
    "totals": empty_totals,
    "items of another shape": lambda: lines_of(b'{"item":0}'),
    "items of another shape and values in turn": lambda: lines_of(b'{"item":0}\n0'),
    "headers": lambda: lines_of(b'{"export":0}'),
    "manifests": lambda: lines_of(b'{"manifest_hash":0}'),
    "values": lambda: lines_of(b"0"),
    "values and blank lines in turn": lambda: lines_of(b"0\n"),
    "unfinished values": lambda: lines_of(b"{"),
    "blank lines": lambda: lines_of(b""),
    "items that repeat": lambda: lines_of(good()[1][1]),
    "items with a wrong hash": lambda: lines_of(good()[1][1][:-66] + b"0" * 64 + b'"}'),
    "long frames": many_long_frames,
    "long key": long_key,
    "long member": long_member,
    "deep": deep,
    "wrong fingerprints": lambda: wrong_fingerprints(4000),
    "alike": lambda: alike(4200),
    "great totals": great_totals,
}

# These hold, or their container does: they have tests of their own.
NOT_DAMAGED = ("alike", "wrong fingerprints", "great totals")
