"""Changes of bytes, of the spelling of JSON texts, of lists, and of values."""

import copy
import re
import struct

import generate

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
