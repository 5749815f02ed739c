"""Changed bundles: in their bytes, their frames, their lines, or the values of their lines.

What a change is made of comes from a random generator alone, so a seed and a number name it.
"""

import copy
import json
import pathlib
import re
import struct
import sys

import zstandard

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "vectors"))

import generate  # noqa: E402

LARGE = re.compile("bomb|million|limit|8-mib|20000|empty-many|good-empty-blocks|line-limit")
LARGEST_TEXT = 1 << 17


def is_large(name):
    return bool(LARGE.search(name))


class Case:
    """A file with its name and what lies beside it, and whether the change can have altered what it says."""

    kind = "unchanged"

    def __init__(self, name, data, is_good=None, sidecar=None, file="bundle.jsonl.zst"):
        self.name, self.data, self.is_good, self.sidecar, self.file = name, data, is_good, sidecar, file

    def contradiction(self, result):
        """What is wrong with a result that both verifiers gave."""
        if self.is_good and result["result"] != "ok":
            return "the same lines in other frames do not hold: %s" % result["counts"]
        if result["result"] == "ok" and not holds_by_itself(self.data):
            return "says ok, but its lines do not follow from their own values"
        return None


def holds_by_itself(data):
    """Whether each line is what the generator of the vectors makes of the values in it."""
    lines = text_of(data).split(b"\n")
    values = [json.loads(line) for line in lines[:-1]]
    if "salvage" in values[0]:
        items = [value["item"] for value in values[1:-1]]
        return lines[-1] == b"" and generate.salvage_lines(values[0]["salvage"], items) == lines[:-1]
    export = {name: value for name, value in values[0]["export"].items() if name != "export_id"}
    return lines[-1] == b"" and generate.lines(export, [value["item"] for value in values[1:-1]]) == lines[:-1]


def text_of(data, limit=1 << 27):
    """The text of a bundle, frame by frame; raises where one cannot be decoded."""
    return zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(data, read_across_frames=True).read(limit)


def frames_of(data):
    """The texts of the frames of a sound bundle."""
    texts, position = [], 0
    while data[position:position + 4] == generate.FRAME_MAGIC:
        decoder = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj()
        texts.append(decoder.decompress(data[position:]))
        position = len(data) - len(decoder.unused_data)
    return texts


class Maker:
    """Makes changed bundles of vectors."""

    def __init__(self, vectors):
        self.all_bytes, self.all_texts = [], []
        for vector in vectors:
            path = vector.path
            if is_large(path.name):
                continue
            data = path.read_bytes()
            self.all_bytes.append(data)
            # Only where each frame can be decoded, and there is one.
            if not any(code.startswith("container.") for code in vector.codes) and vector.name != "line-nothing":
                texts = frames_of(data)
                if sum(map(len, texts)) <= LARGEST_TEXT:
                    self.all_texts.append((path.name.startswith(("good-", "forgery-")), texts))
        good = [texts for is_good, texts in self.all_texts if is_good]
        self.all_values = [values for values in map(values_of, good) if values]

    def case(self, chance, name):
        kind = chance.choice(("bytes", "bytes", "frames", "lines", "text", "values", "values", "values"))
        data, is_good = getattr(self, kind)(chance)
        return Case("%s, %s" % (name, kind), data, is_good)

    # Bytes

    def bytes(self, chance):
        data = bytearray(chance.choice(self.all_bytes))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            change_bytes(chance, data, self.all_bytes, INTERESTING)
        return bytes(data), None

    # Frames

    def frames(self, chance):
        is_good, texts = chance.choice(self.all_texts)
        texts = list(texts)
        if chance.random() < 0.5:
            return self.same_text(chance, texts), is_good or None
        for _ in range(chance.choice((1, 1, 2))):
            change_list(chance, texts, b"")
        made = [made_frame(chance, text) for text in texts]
        for _ in range(chance.choice((0, 1, 1, 2))):
            at = chance.randrange(len(made) + 1)
            made.insert(at, chance.choice((generate.skippable(b"note"), generate.skippable(b"", 0x184D2A5E), generate.frame(b""),
                                           generate.skippable(bytes(8), 0x184D2A5F, chance.choice((0, 7, 9, 1000, 2 ** 32 - 1))),
                                           b"garbage", generate.table([]), generate.FRAME_MAGIC)))
            texts.insert(at, b"")
        entries = [(len(data), len(text)) for data, text in zip(made, texts)]
        return b"".join(made) + lying_table(chance, entries), None

    def same_text(self, chance, texts):
        """The same lines, compressed and cut at line ends in another way."""
        lines = b"".join(texts).splitlines(keepends=True)
        pieces, at = [], 0
        while at < len(lines):
            count = chance.choice((1, 1, 2, 5, 100))
            pieces.append(b"".join(lines[at:at + count]))
            at += count
        made = [same_frame(chance, piece) for piece in pieces]
        return generate.bundle(made, map(len, pieces))

    # Lines

    def lines(self, chance):
        lines = b"".join(chance.choice(self.all_texts)[1]).split(b"\n")
        others = b"".join(chance.choice(self.all_texts)[1]).split(b"\n")
        for _ in range(chance.choice((1, 1, 2, 4))):
            if chance.random() < 0.2:
                lines.insert(chance.randrange(len(lines) + 1), chance.choice(others))
            else:
                change_list(chance, lines, chance.choice((b"", b"{}", b"null", b"\r", b'{"item":{}}', b'{"manifest_hash":""}')))
        return reframed(chance, b"\n".join(lines)), None

    def text(self, chance):
        text = bytearray(b"".join(chance.choice(self.all_texts)[1]))
        for _ in range(chance.choice((1, 1, 2, 3))):
            if text and chance.random() < 0.5:
                respell(chance, text)
            else:
                change_bytes(chance, text, self.all_bytes, TOKENS)
        return reframed(chance, bytes(text)), None

    # Values

    def values(self, chance):
        values = copy.deepcopy(chance.choice(self.all_values))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            change_value(chance, values)
        if chance.random() < 0.3:
            change_list(chance, values, {"item": {}})
        return reframed(chance, b"".join(line + b"\n" for line in rehashed(chance, values))), None


def values_of(texts):
    """The values of the lines; None where a number or a text does not come back as it was."""
    try:
        return [json.loads(line) for line in b"".join(texts).splitlines()]
    except ValueError:
        return None


def reframed(chance, text):
    """A text in the usual frames; now and then cut anywhere."""
    if chance.random() < 0.15 and len(text) > 2:
        cuts = sorted(chance.randrange(1, len(text)) for _ in range(chance.choice((1, 2, 5))))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)]) if start < end]
    else:
        lines = text.splitlines(keepends=True) if b"\r" not in text else [part + b"\n" for part in text.split(b"\n")]
        pieces = [piece for piece in (b"".join(lines[:1]), b"".join(lines[1:-1]), b"".join(lines[1:][-1:])) if piece]
        if b"".join(pieces) != text:
            pieces = [text]
    return generate.of_texts(pieces)


# Bytes

INTERESTING = [b"\0", b"\xff", b"\n", generate.FRAME_MAGIC, generate.TABLE_END, b"\x5e\x2a\x4d\x18", b"\x50\x2a\x4d\x18", b"\1\0\0", b"\0\0\0",
               b"\3\0\0", b"\7\0\0", struct.pack("<I", 2 ** 32 - 1), struct.pack("<Q", 2 ** 63), bytes(9), bytes(100)]
TOKENS = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\n", b"\r\n", b"\t", b"\0", b"\x1f", b"\x7f", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
          b"\xef\xbb\xbf", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xf0\x9f\x98", b"\\ud83d", b"\\ude00", b"\\u0000", b"\\u0061", b"\\/", b"\\b", b"\\u000a", b"-0", b"1.0", b"1e5",
          b"1e400", b"1e-400", b"9007199254740993", b"0.1e1", b"01", b"null", b"true", b"nul", b"NaN", b'"a":1,', b'"":0,', b",{}", b"[" * 600, b'{"a":' * 520, b"0" * 30, b"5e-324",
          b"2.2250738585072011e-308", b"1" + b"0" * 21, b"1e21", b"0.000001", b"1e-7", b"123456789012345680000", b"e", b"E", b"+", b"-", b"."]


def change_bytes(chance, data, others, pieces):
    at = chance.randrange(len(data) + 1)
    size = chance.choice((1, 1, 1, 2, 4, 8, 30, 200))
    kind = chance.randrange(8)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 1 and at < len(data):
        data[at] = chance.randrange(256)
    elif kind == 2:
        data[at:at] = bytes(chance.randrange(256) for _ in range(size))
    elif kind == 3:
        del data[at:at + size]
    elif kind == 4:
        data[at:at] = chance.choice(pieces)
    elif kind == 5:
        piece = chance.choice(pieces)
        data[at:at + len(piece)] = piece
    elif kind == 6:
        start = chance.randrange(len(data) + 1)
        data[at:at] = data[start:start + size]
    elif chance.random() < 0.5:
        del data[at:]
    else:
        other = chance.choice(others)
        data[at:] = other[chance.randrange(len(other) + 1):]


NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")
STRING_CHARACTER = re.compile(rb'[A-Za-z_/\n"\\]')


def respell(chance, text):
    """Spells a number or a character in another way that JSON may or may not have."""
    start = chance.randrange(len(text))
    if chance.random() < 0.5:
        match = NUMBER.search(text, start)
        if match:
            old = match.group()
            text[match.start():match.end()] = chance.choice((
                old + b"0", old + b".0", b"0" + old, b"+" + old, b"-" + old, old + b"e0", old + b"e+0", old + b"E1", old + b".", old[:-1], old + b"." + b"3" * 400,
                old * 20, old + b"e308", old + b"e-330", b"0." + old, old + b"5", b"%d" % chance.getrandbits(chance.choice((53, 54, 64, 70))), repr(
                    struct.unpack("<d", struct.pack("<Q", chance.getrandbits(64)))[0]).encode()))
    else:
        match = STRING_CHARACTER.search(text, start)
        if match:
            code = match.group()[0]
            text[match.start():match.end()] = chance.choice((b"\\u%04x" % code, b"\\u%04X" % code, b"\\" + match.group(), b"\\x%02x" % code, b"\\ud800\\u%04x" % code))


# Frames

def change_list(chance, entries, new):
    """Drops, repeats, swaps or adds an entry."""
    if not entries:
        return entries.append(new)
    at, other = chance.randrange(len(entries)), chance.randrange(len(entries))
    kind = chance.randrange(6)
    if kind == 0:
        del entries[at]
    elif kind == 1:
        entries.insert(other, entries[at])
    elif kind == 2:
        entries[at], entries[other] = entries[other], entries[at]
    elif kind == 3:
        entries.insert(at, new)
    elif kind == 4:
        entries.reverse()
    else:
        del entries[min(at, other):max(at, other)]


def run_length_blocks(text):
    """Blocks of one repeated byte where there is one, else raw ones."""
    blocks, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at] and end - at < 1 << 17:
            end += 1
        blocks.append((2, end - at, text[at:at + 1]) if end - at > 1 else (0, 1, text[at:at + 1]))
        at = end
    blocks = blocks or [(0, 0, b"")]
    return b"".join(struct.pack("<I", (at == len(blocks) - 1) | kind | size << 3)[:3] + content for at, (kind, size, content) in enumerate(blocks))


def same_frame(chance, text):
    """A frame of a text that keeps to the rules of bundles."""
    kind = chance.randrange(6)
    if kind == 0:
        return generate.frame(text, blocks=generate.raw_blocks(text, chance.choice((1, 7, 1000, 100000))))
    if kind == 1:
        return generate.frame(text, window=chance.choice((0, 0x08, 0x57, 0x68)) if len(text) < 1000 else 0x68)
    if kind == 2:
        return generate.frame(text, blocks=run_length_blocks(text))
    if kind == 3:
        return generate.frame(text, blocks=bytes(3 * chance.choice((1, 5, 300))) + generate.raw_blocks(text))
    if kind == 4:
        return generate.frame(text, dictionary=0)
    return generate.frame(text, level=chance.choice((-5, 1, 3, 9, 19)))


def made_frame(chance, text):
    """A frame that may break a rule."""
    kind = chance.randrange(12)
    if kind == 0:
        return generate.frame(text, checksum=False)
    if kind == 1:
        return generate.frame(text, size=None)
    if kind == 2:
        return generate.frame(text, size=max(0, len(text) + chance.choice((-1000, -1, 1, 100, 1 << 20))))
    if kind == 3:
        return generate.frame(text, bits=chance.choice((1, 2, 8, 16, 24)))
    if kind == 4:
        return generate.frame(text, dictionary=chance.getrandbits(32))
    if kind == 5:
        return generate.frame(text, window=chance.randrange(256))
    if kind == 6:
        return generate.frame(text, size=chance.getrandbits(64), window=chance.choice((None, 0, 0x58)))
    if kind == 7:
        return generate.frame(text, checksum=struct.pack("<I", chance.getrandbits(32)))
    if kind == 8:
        made = bytearray(generate.frame(text))
        change_bytes(chance, made, [bytes(made)], INTERESTING)
        return bytes(made)
    return same_frame(chance, text)


def lying_table(chance, entries):
    """The seek table of the entries; as a rule it tells the truth."""
    kind = chance.randrange(10)
    if kind == 0:
        return b""
    if kind == 1 and entries:
        at, by = chance.randrange(len(entries)), chance.choice((-9, -1, 1, 4096))
        entries[at] = (max(0, entries[at][0] + by), entries[at][1])
    elif kind == 2:
        entries.extend([(0, 0)] * chance.choice((1, 2, 300)))
    elif kind == 3 and len(entries) > 1:
        at = chance.randrange(len(entries) - 1)
        entries[at:at + 2] = [(entries[at][0] + entries[at + 1][0], entries[at][1])]
    elif kind == 4:
        change_list(chance, entries, (0, 0))
    elif kind == 5:
        return generate.table(entries, **chance.choice((
            {"count": len(entries) + 1}, {"count": 2 ** 32 - 1}, {"descriptor": 128}, {"end": b"\xb1\xea\x92\x8e"}, {"magic": 0x184D2A50}, {"extra": b"\0"},
            {"size": 8 * len(entries) + 8}, {"size": 8 * len(entries) + 10}, {"size": 2 ** 32 - 1})))
    data = generate.table([entry for entry in entries])
    return data + chance.choice((b"",) * 8 + (b"\n", data))


# Values

def hexes(chance, size):
    return "%0*x" % (size, chance.getrandbits(4 * size))


STORED_ODDLY = [{"pointer": pointer, "reason": reason, "storage_class": storage, **({"value": value} if value else {})} for pointer, reason, storage, value in (
    ("/payload_hash", "no_version", "null", None), ("/payload_hash", "storage_class", "blob", "00"), ("/strict_fingerprint", "missing_row", "integer", "5"),
    ("/start_date", "date_range", "real", "7ff0000000000000"), ("/numeric_value", "not_finite", "real", "7ff0000000000000"), ("/unit", "utf8", "text", "ff"),
    ("/metadata", "nul", "text", "00"), ("/source/bundle_identifier", "missing_row", "integer", "-7"), ("/source/version", "utf8", "text", "ff"), ("/visibility/0/first_seen_at", "null", "null", None),
    ("/events/0/observation_id", "integer_range", "integer", "9007199254740992"), ("/relationships/0/end_sample_type", "missing_row", "integer", "1"),
    ("/observations/0/id", "null", "null", None), ("/coverage/0/sample_type", "utf8", "text", "ff"), ("/device_chain/created_at", "date_range", "real", "0000000000000000"))]
ODD = [None, True, False, 1, -1, 0, 2, 1.5, 2 ** 53 - 1, 2 ** 53, -2 ** 53, 1e300, 5e-324, "", "x", "\0", "\n", "\u00e4", "a\u0308", "\U0001f600", "\ufb33", "1", "0" * 64, "F" * 64, "0" * 63,
       "2024-01-01T00:00:00.000Z", "2024-02-30T00:00:00.000Z", "2024-02-01T10:00:00.0001Z", "2024-02-01T10:00:00.1234Z", "1969-12-31T23:59:59.9999999Z", "0001-01-01T00:00:00.000Z",
       "9999-12-31T23:59:59.999Z", "10000-01-01T00:00:00.000Z", "2024-02-01T10:00:00.000z", [], {}, [1], [[]], [None], {"a": 1}, [{}], {"defects": 1}, {"": {}}, "/payload_hash", "no_version",
       "completed", "record", "sample", "version", "history", "point_in_time", "source", "target", "appeared", "Cal", "degF", "quantity", "category", "workout", "{}", '{"a":1}', '{"a": 1}', '{"b":1,"a":2}',
       "[" * 70, '{"a":' * 64 + "1" + "}" * 64, '{"a":' * 65 + "1" + "}" * 65, generate.nested(64), generate.nested(65), generate.STEPS, generate.SLEEP, generate.WORKOUT,
       *([entry] for entry in STORED_ODDLY), STORED_ODDLY[2:4], [{"pointer": 1}], [{"pointer": "/payload_hash", "reason": []}], [{"pointer": "", "reason": "null", "storage_class": "null"}],
       [{"pointer": "/a~2", "reason": "null", "storage_class": "null"}], {"sample_types": [generate.STEPS]}, {"since": "2024-02-01T10:00:00.001Z"}, {"until": "2024-02-03T10:00:00.000Z"},
       {"sources": ["org.example.synthetic"]}, {"sources": []}, {"bundle_identifier": "org.example.synthetic"}, {"model": "\x1f"}]
NAMES = ["zz", "", "item", "totals", "export", "item_hash", "defects", "metadata", "metadata_hash", "visibility", "events", "relationships", "unit", "device", "source", "value", "sample_uuid_hash",
         "semantic_fingerprint", "fuzzy_key", "identity_rules", "filter", "notes", "a/b", "a~b", "\u00e4", "last_observation_id", "category_value", "duration_seconds", "workout_activity_type", "numeric_value"]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], path + (name,))
    elif isinstance(value, list):
        for at, entry in enumerate(value):
            yield from places(entry, path + (at,))


def change_value(chance, values):
    """Replaces, removes, adds, repeats or moves a value anywhere in the lines."""
    known = [path for path in places(values) if len(path) > 1]
    if not known:
        return
    path = chance.choice(known)
    holder = values
    for step in path[:-1]:
        holder = holder[step]
    name = path[-1]
    kind = chance.randrange(12)
    if kind < 4:
        holder[name] = copy.deepcopy(chance.choice(ODD))
    elif kind < 6:
        del holder[name]
    elif kind < 8 and isinstance(holder, dict):
        holder[chance.choice(NAMES)] = copy.deepcopy(chance.choice(ODD))
    elif kind < 9 and isinstance(holder, list):
        change_list(chance, holder, copy.deepcopy(chance.choice(ODD)))
    elif isinstance(holder[name], str):
        text = holder[name]
        at = chance.randrange(len(text) + 1)
        holder[name] = chance.choice((text[:at] + chance.choice("09af-\u00e4/Z") + text[at + 1:], text[:at], text + "0", text.upper(), text[:at] + text[at:] * 2))
    elif isinstance(holder[name], (int, float)) and not isinstance(holder[name], bool):
        number = holder[name]
        # Halved first, so that nothing becomes infinite.
        holder[name] = chance.choice((number + 1, number - 1, -(number / 2) - 0.5, number / 2 * 1.9, number / 3, chance.uniform(-1e6, 1e6)))
    else:
        other = values
        for step in chance.choice(known):
            other = other[step]
        holder[name] = copy.deepcopy(other)


def rehashed(chance, values):
    """The lines of the values; mostly with hashes that follow from what is there."""
    if chance.random() < 0.75:
        try:
            return consistent(chance, values)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            pass
    return [generate.canonical(value).encode() for value in values]


def consistent(chance, values):
    if "salvage" in values[0]:
        items = [value["item"] for value in values[1:-1]]
        return generate.salvage_lines(values[0]["salvage"], items)
    export = {name: value for name, value in values[0]["export"].items() if name != "export_id"}
    items = [dict(value["item"]) for value in values[1:-1]]
    if chance.random() < 0.7:
        for item in items:
            if "payload_hash" in item and "identity_rules" in export and chance.random() < 0.8:
                item["payload_hash"] = generate.payload_hash(item)
            if isinstance(item.get("metadata"), (str, dict)) and "metadata_hash" in item and chance.random() < 0.5:
                item["metadata_hash"] = generate.metadata_hash(item["metadata"])
            if "identity_rules" in export and chance.random() < 0.3:
                item["strict_fingerprint"] = generate.strict_fingerprint(item, chance.choice((0, 0, 1, 4096)))
    totals = values[-1]["totals"] if chance.random() < 0.1 else None
    return generate.lines(export, items, totals)
