#!/usr/bin/env python3
"""Verifies HealthProbe recovery bundles without an archive.

usage: verify_bundle.py [--json] FILE...

Exit status: 0 every bundle is consistent in itself, 1 at least one finding,
2 a file could not be read or the usage is wrong.

Written from the pages of Spec/ alone; it needs Python 3.9 and `zstandard`.
It holds one frame of a bundle in memory and reads from top to bottom:

    Container   bytes of the file  -> texts of the frames      layer container
    Bundle      texts              -> lines, header to manifest       line
    Canonical   one line           -> its value                       canonical
    shape       a value            -> what is wrong with its members  shape
    Bundle      values             -> hashes, order, totals, scope    item, order, manifest
"""

import argparse
import bisect
import datetime
import hashlib
import itertools
import json
import os
import re
import struct
import sys

import zstandard

MAX_WINDOW = 1 << 23
MAX_BLOCK = 1 << 17  # RFC 8878, 3.1.1.2: no block of any frame is larger
MAX_FRAME = 66 << 20
MAX_LINE = 64 << 20
MAX_DEPTH = 512
MAX_METADATA_DEPTH = 64
MAX_INTEGER = (1 << 53) - 1
LISTED_PER_CODE = 100  # findings beyond this are counted only
LONGEST_POINTER = 500  # a hostile bundle chooses the names in it

LAYERS = ("container", "line", "canonical", "shape", "item", "order", "manifest", "archive")


class Fault(Exception):
    """One thing that does not hold, found in the middle of reading something."""

    def __init__(self, code, byte):
        super().__init__(code)
        self.code, self.byte = code, byte


class Report:
    """The findings on one file, and which layers could not see everything."""

    def __init__(self):
        self.findings, self.counts = [], {}
        self.withheld = set()

    def add(self, code, **place):
        self.counts[code] = self.counts.get(code, 0) + 1
        if self.counts[code] <= LISTED_PER_CODE:
            place = {name: value for name, value in place.items() if value is not None}
            if "pointer" in place:
                place["pointer"] = place["pointer"][:LONGEST_POINTER]
            self.findings.append({"code": code, **place})

    def withhold_after(self, layer):
        """Something was lost at `layer`: no later layer can be ok."""
        self.withheld.update(LAYERS[LAYERS.index(layer) + 1:])

    def status(self, layer):
        if any(code.startswith(layer + ".") for code in self.counts):
            return "failed"
        return "unknown" if layer in self.withheld or layer == "archive" else "ok"


# Container: RFC 8878 frames and the seek table.
#
#   frame       28 B5 2F FD | descriptor | [window] | [dictionary id] | [content size] | blocks | [checksum]
#   block       3 bytes: last (1 bit), type (2 bits), size (21 bits) | content
#   seek table  5E 2A 4D 18 | length | per frame: compressed, decompressed | count | 0 | B1 EA 92 8F

FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
TABLE_MAGIC = b"\x5e\x2a\x4d\x18"
TABLE_END = b"\xb1\xea\x92\x8f"


def is_skippable(magic):
    return len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == TABLE_MAGIC[1:]


class FrameHeader:
    """What a frame says about itself (RFC 8878, 3.1.1.1)."""

    def __init__(self, data):
        descriptor = data[4] if len(data) > 4 else 0
        if descriptor & 0b11000:  # the reserved bit, and the unused one that no writer may set
            raise Fault("container.frame_header", 4)
        single_segment, self.checksum = bool(descriptor & 0x20), bool(descriptor & 4)
        sizes = (not single_segment, (0, 1, 2, 4)[descriptor & 3],
                 (int(single_segment), 2, 4, 8)[descriptor >> 6])
        self.length = 5 + sum(sizes)
        if len(data) < self.length:
            raise Fault("container.truncated", len(data))
        after_dictionary = 5 + sizes[0] + sizes[1]
        self.dictionary = int.from_bytes(data[5 + sizes[0]:after_dictionary], "little")
        size = int.from_bytes(data[after_dictionary:self.length], "little")
        self.content_size = None if sizes[2] == 0 else size + 256 * (sizes[2] == 2)
        if single_segment:
            self.window, window_byte = self.content_size, 0x68
        else:
            window_byte = data[5]
            base = 1 << (10 + (window_byte >> 3))
            self.window = base + (base >> 3) * (window_byte & 7)
        # For the decoder the header is rewritten without the content size, so that a lie
        # about the size is told apart from blocks that are broken.
        self.for_decoder = FRAME_MAGIC + bytes((4 * self.checksum, window_byte))


class Container:
    """Reads frame after frame; a fault in one does not hide the others."""

    def __init__(self, file, report):
        self.file, self.report = file, report
        self.size = file.seek(0, os.SEEK_END)
        self.starts = self.starts_of_table()
        self.sizes = []  # per frame: compressed and text size, None where not known
        self.end_lost = False

    def read(self, position, count):
        self.file.seek(position)
        return self.file.read(count)

    def texts(self):
        """Yields the number and the text of each frame; the text is None where it is lost."""
        position = 0
        if self.size == 0:
            self.stop("container.empty", 0)
        while position is not None and position < self.size:
            magic = self.read(position, 4)
            if magic == FRAME_MAGIC:
                text, end = self.frame(position)
                yield len(self.sizes), text
                position = end if text is not None else self.after_lost(position, end)
            elif is_skippable(magic):
                position = self.skippable(position)
            elif position and self.next_start(position - 1) == position:
                self.sizes.append((None, None))
                self.report.add("container.frame_header", frame=len(self.sizes), byte=position)
                yield len(self.sizes), None
                position = self.after_lost(position, None)
            else:
                position = self.no_frame(position, magic)
                if position is not None:
                    yield len(self.sizes), None
        if position is not None and self.size:
            self.report.add("container.seek_table_missing", byte=self.size)

    def stop(self, code, position):
        """Reports, if there is something to report, and gives up the rest of the file."""
        if code:
            self.report.add(code, byte=position)
        self.end_lost = True

    def no_frame(self, position, magic):
        if len(magic) < 4 and any(whole.startswith(magic) for whole in (FRAME_MAGIC, TABLE_MAGIC)):
            return self.stop("container.truncated", self.size)
        if position == 0:
            return self.stop("container.not_zstd", 0)
        self.report.add("container.trailing", byte=position)
        return self.next_start(position) or self.stop(None, position)

    def after_lost(self, position, end):
        """Where reading goes on after a frame that is lost: the seek table knows best, and without
        one the frame's end counts only where something starts there."""
        if self.starts:
            return self.next_start(position)
        magic = FRAME_MAGIC if end is None or end == self.size else self.read(end, 4)
        return end if end is not None and (magic == FRAME_MAGIC or is_skippable(magic)) else self.stop(None, position)

    def frame(self, position):
        """Decodes one frame; returns its text, or None, and its end, or None."""
        number = len(self.sizes) + 1
        place = {"frame": number, "byte": position}
        self.sizes.append((None, None))
        try:
            header = FrameHeader(self.read(position, 18))
            if header.dictionary:
                fault = "container.dictionary"
            elif header.window > MAX_WINDOW:
                fault = "container.window"
            else:
                fault = None
                if not header.checksum:
                    self.report.add("container.checksum_missing", **place)
                if header.content_size is None:
                    self.report.add("container.content_size_missing", **place)
            text, end, fault = self.blocks(position + header.length, header, fault)
        except Fault as stopped:
            self.report.add(stopped.code, **place)
            return None, None
        if fault:
            self.report.add(fault, **place)
            self.sizes[-1] = (end - position, None)
            return None, end
        self.sizes[-1] = (end - position, len(text))
        if header.content_size not in (None, len(text)):
            self.report.add("container.content_size", expected=header.content_size, found=len(text), **place)
        if not text:
            self.report.add("container.frame_empty", **place)
        return bytes(text), end

    def blocks(self, position, header, fault):
        """Decodes block by block, at most 128 KiB of text at a time, so that no frame can
        expand beyond the limit; after a fault it only looks for the end of the frame."""
        decoder = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj()
        text, last = bytearray(), False
        if not fault:
            decoder.decompress(header.for_decoder)
        while not last:
            word = int.from_bytes(self.read(position, 3), "little")
            last, kind, size = word & 1, word >> 1 & 3, word >> 3
            end = position + 3 + (1 if kind == 1 else size)
            if position + 3 <= self.size and (kind == 3 or size > MAX_BLOCK):
                raise Fault(fault or "container.frame_corrupt", position)
            if end + 4 * last * header.checksum > self.size:
                cut = "container.frame_corrupt" if self.starts else "container.truncated"
                raise Fault(fault or cut, position)
            if not fault:
                try:
                    text += decoder.decompress(self.read(position, end - position))
                except zstandard.ZstdError:
                    fault = "container.frame_corrupt"
                if len(text) > MAX_FRAME:
                    fault, text = "container.frame_limit", bytearray()
            position = end
        if header.checksum:
            if not fault:
                try:
                    decoder.decompress(self.read(position, 4))
                except zstandard.ZstdError:
                    fault = "container.checksum"
            position += 4
        return text, position, fault

    def skippable(self, position):
        """Checks the seek table and stops after it, or reports another skippable frame."""
        head = self.read(position, 8)
        if len(head) < 8:
            return self.stop("container.truncated", self.size)
        end = position + 8 + struct.unpack("<I", head[4:])[0]
        is_table = head[:4] == TABLE_MAGIC
        ends_file = self.size >= 17 and self.read(self.size - 4, 4) == TABLE_END
        if is_table and end > self.size:
            return self.stop("container.seek_table" if ends_file else "container.truncated", position)
        count = self.count_of_table(position, end)
        if count is not None:
            self.compare_table(position + 8, count)
            if end < self.size:
                self.stop("container.trailing", end)
            return None
        after = self.read(end, 4)
        if (end == self.size and (is_table or ends_file)) or \
                (is_table and after != FRAME_MAGIC and not is_skippable(after)):
            self.report.add("container.seek_table", byte=position)
            return None
        self.report.add("container.skippable", byte=position)
        return end if end <= self.size else self.stop(None, position)

    def count_of_table(self, position, end):
        """The number of frames in a well-formed seek table that lies there, else None."""
        if position < 0 or end > self.size or end - position < 17 or self.read(position, 4) != TABLE_MAGIC:
            return None
        length = struct.unpack("<I", self.read(position + 4, 4))[0]
        count, descriptor, magic = struct.unpack("<IB4s", self.read(end - 9, 9))
        sound = length == end - position - 8 == 8 * count + 9 and descriptor == 0 and magic == TABLE_END
        return count if sound else None

    def compare_table(self, position, count):
        table = None
        if count == len(self.sizes):
            table = list(struct.iter_unpack("<II", self.read(position, 8 * count)))
        if table is None or any(
            known not in (None, stated) for pair, entry in zip(self.sizes, table) for known, stated in zip(pair, entry)
        ):
            self.report.add("container.seek_table_mismatch", byte=position, expected=len(self.sizes), found=count)

    def starts_of_table(self):
        """Where frames start, by a seek table that fits the file; only used to go on after a loss."""
        count = struct.unpack("<I", self.read(self.size - 9, 4))[0] if self.size >= 17 else 0
        position = self.size - 17 - 8 * count
        if self.count_of_table(position, self.size) is None:
            return None
        starts = [0]
        for compressed, _ in struct.iter_unpack("<II", self.read(position + 8, 8 * count)):
            starts.append(starts[-1] + compressed)
        return starts if starts[-1] == position else None

    def next_start(self, position):
        index = bisect.bisect_right(self.starts or [], position)
        return self.starts[index] if self.starts and index < len(self.starts) else None


# Canonical JSON.

STRING_PART = re.compile(rb'[^"\\\x00-\x1f]*')
ESCAPE = re.compile(rb'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
PLAIN_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,14}")
LITERALS = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
SHORT_ESCAPES = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t'))
ESCAPES = {chr(code): b"\\u%04x" % code for code in range(32)}
ESCAPES.update({char: b"\\" + bytes([code]) for code, char in SHORT_ESCAPES.items() if char != "/"})


def number_text(value):
    """ECMAScript Number::toString of a finite double, from the shortest digits that repr() finds."""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return b"0"
    if 0 < point <= 21:
        text = digits.ljust(point, "0")[:point] + ("." + digits[point:] if len(digits) > point else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e%+d" % (point - 1)
    return (("-" if value < 0 else "") + text).encode()


def nearest_double(token):
    """The nearest double; a token of millions of digits costs no more than reading it."""
    if len(token) < 1000:
        return float(token)
    mantissa, _, exponent = token.lower().partition(b"e")
    whole, _, fraction = mantissa.lstrip(b"-").partition(b".")
    digits = (whole + fraction).lstrip(b"0")
    magnitude = len(digits) - len(fraction)
    negative, exponent = exponent.startswith(b"-"), exponent.lstrip(b"+-").lstrip(b"0")
    exponent = int(exponent[:20] or 0) * (-1 if negative else 1)
    # 767 digits and a sign of what follows decide the rounding of any double.
    kept = digits[:800] + (b"1" if digits[800:].strip(b"0") else b"0")
    return float(b"0.%se%d" % (kept, magnitude + exponent)) if digits else 0.0


def utf16(text):
    return text.encode("utf-16-be")


class Canonical:
    """Reads one text and raises at the first byte that is not canonical JSON.

    No recursion: the open containers are a stack of [container, its latest key].
    """

    def __init__(self, text, depth=MAX_DEPTH):
        self.text, self.at, self.depth = text, 0, depth

    def read(self):
        if self.text.startswith(b"\xef\xbb\xbf"):
            raise Fault("canonical.byte_order_mark", 0)
        stack = []
        while True:
            value = self.start_of_value(len(stack))
            if isinstance(value, (dict, list)) and not self.take(b"}" if isinstance(value, dict) else b"]"):
                stack.append([value, None])
                self.key(stack[-1])
                continue
            while stack:
                container, key = stack[-1]
                if key is None:
                    container.append(value)
                else:
                    container[key] = value
                if self.take(b","):
                    self.key(stack[-1])
                    break
                if not self.take(b"]" if key is None else b"}"):
                    self.unexpected()
                value = stack.pop()[0]
            else:
                if self.at < len(self.text):
                    self.unexpected()
                return value

    def take(self, byte):
        if self.text[self.at:self.at + 1] == byte:
            self.at += 1
            return True
        return False

    def unexpected(self):
        byte = self.text[self.at:self.at + 1]
        if byte and byte in b" \t\r\n":
            raise Fault("canonical.white_space", self.at)
        try:
            self.text[self.at:self.at + 4].decode()
        except UnicodeDecodeError as error:
            if error.start == 0:
                raise Fault("canonical.utf8", self.at) from None
        raise Fault("canonical.syntax", self.at)

    def start_of_value(self, depth):
        """Reads a scalar, or the opening bracket of a container."""
        byte = self.text[self.at:self.at + 1]
        if byte in (b"{", b"["):
            if depth >= self.depth:
                raise Fault("canonical.depth", self.at)
            self.at += 1
            return {} if byte == b"{" else []
        if byte == b'"':
            text, deviation = self.string()
            if deviation is not None:
                raise Fault("canonical.escape", deviation)
            return text
        if byte in LITERALS and self.text.startswith(LITERALS[byte][0], self.at):
            self.at += len(LITERALS[byte][0])
            return LITERALS[byte][1]
        if byte in LITERALS:
            raise Fault("canonical.syntax", self.at)
        return self.number()

    def number(self):
        match = NUMBER.match(self.text, self.at)
        if not match:
            self.unexpected()
        token = match.group()
        if not PLAIN_INTEGER.fullmatch(token):
            value = nearest_double(token)
            if value in (float("inf"), float("-inf")):
                raise Fault("canonical.number_range", self.at)
            if number_text(value) != token:
                raise Fault("canonical.number", self.at)
        self.at = match.end()
        return float(token) if b"." in token or b"e" in token else int(token)

    def key(self, entry):
        """Reads the next key of an object; does nothing for an array."""
        container, previous = entry
        if isinstance(container, list):
            return
        start = self.at
        if self.text[start:start + 1] != b'"':
            self.unexpected()
        key, deviation = self.string()
        # A key's own fault lies at its quote, so it comes before an escape inside the key.
        if key == previous:
            raise Fault("canonical.duplicate_key", start)
        if previous is not None and utf16(key) < utf16(previous):
            raise Fault("canonical.key_order", start)
        if deviation is not None:
            raise Fault("canonical.escape", deviation)
        if not self.take(b":"):
            self.unexpected()
        entry[1] = key

    def string(self):
        """Returns a string and where its first escape stands that is not canonical, or None."""
        parts, deviation = [], None
        self.at += 1
        try:
            while True:
                part = STRING_PART.match(self.text, self.at)
                try:
                    parts.append(part.group().decode())
                except UnicodeDecodeError as error:
                    raise Fault("canonical.utf8", self.at + error.start) from None
                self.at = part.end()
                if self.take(b'"'):
                    return "".join(parts), deviation
                start = self.at
                parts.append(self.escape())
                if deviation is None and ESCAPES.get(parts[-1]) != self.text[start:self.at]:
                    deviation = start
        except Fault:
            if deviation is not None:
                raise Fault("canonical.escape", deviation) from None
            raise

    def escape(self):
        match = ESCAPE.match(self.text, self.at)
        if not match:
            raise Fault("canonical.syntax", self.at)
        start, self.at = self.at, match.end()
        if match.group(1):
            return SHORT_ESCAPES[match.group(1)[0]]
        unit = int(match.group(2), 16)
        if not 0xD800 <= unit < 0xE000:
            return chr(unit)
        low = ESCAPE.match(self.text, self.at)
        low_unit = int(low.group(2), 16) if low and low.group(2) else 0
        if unit >= 0xDC00 or not 0xDC00 <= low_unit < 0xE000:
            raise Fault("canonical.surrogate", start)
        self.at = low.end()
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low_unit - 0xDC00))


# Timestamps.

TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3,9})Z")
EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST, AFTER_LAST = -62135596800, 253402300800


def read_timestamp(text):
    """The double that a text names, or None where it is no timestamp."""
    match = TIMESTAMP.fullmatch(text)
    if not match:
        return None
    date, hour, minute, second, fraction = match.groups()
    try:
        days = datetime.date(*map(int, date.split("-"))).toordinal() - EPOCH
    except ValueError:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    seconds = days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second)
    scale = 10 ** len(fraction)
    return (seconds * scale + int(fraction)) / scale  # int / int rounds to nearest, ties to even


def write_timestamp(value):
    """The canonical text of a double, or None where it has none."""
    numerator, denominator = value.as_integer_ratio()
    for digits in range(3, 10):
        scale = 10 ** digits
        below = numerator * scale // denominator
        fitting = [units for units in (below, below + 1)
                   if units / scale == value and FIRST * scale <= units < AFTER_LAST * scale]
        if fitting:
            units = min(fitting, key=lambda units: (abs(units * denominator - numerator * scale), units % 2))
            seconds, fraction = divmod(units, scale)
            days, seconds = divmod(seconds, 86400)
            date = datetime.date.fromordinal(EPOCH + days)
            clock = "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
            return "%sT%s.%0*dZ" % (date.isoformat(), clock, digits, fraction)
    return None


# Shape. A specification is the name of a scalar type, a set of allowed texts, a pattern that a text
# matches, [entry] or [entry, least count] for an array, or a dict for an object, where `!` marks
# the members that are required and `*` those that are required unless a defect stands for them.

def prepared(specification):
    """The same specification with each member as a pair: what it is, and its mark."""
    if isinstance(specification, dict):
        return {name.rstrip("!*"): (prepared(kind), name[-1]) for name, kind in specification.items()}
    return [prepared(specification[0]), *specification[1:]] if isinstance(specification, list) else specification


HEX64 = re.compile("[0-9a-f]{64}")
UUID8 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
POINTER = re.compile("(/([^~]|~[01])*)+", re.DOTALL)
HEX = "([0-9a-f]{2})*"
STORED = {"integer": "0|-?[1-9][0-9]{0,18}", "real": "[0-9a-f]{16}", "text": HEX, "blob": HEX}
REASONS = frozenset(("storage_class", "null", "integer_range", "not_finite", "negative_zero", "utf8", "nul",
                     "date_range", "date_precision", "missing_row", "no_version"))

ROW_ABSENT = ("no_version", "missing_row", "storage_class", "integer_range")  # a whole row is not there

DEFECT = {"pointer!": POINTER, "reason!": REASONS, "storage_class!": frozenset(STORED) | {"null"}, "value": "text"}
DEVICE = dict.fromkeys(("device_hash", "firmware_version", "hardware_version", "local_identifier_hash",
                        "manufacturer_hash", "model", "software_version", "udi_hash"), "text")
SOURCE = dict.fromkeys(("bundle_identifier", "source_name_hash", "operating_system_version",
                        "product_type", "version"), "text")
RANGE = {"first_observation_id*": "integer", "first_seen_at*": "timestamp"}
CLOSED_RANGE = {**RANGE, "last_observation_id": "integer", "last_seen_at": "timestamp"}
EVENT = {"event_kind*": "text", "evidence_kind": "text", "observation_id*": "integer", "observed_at*": "timestamp"}
RELATIONSHIP = {"end!": frozenset(("source", "target")), "end_identity_hash*": "text", "end_in_scope!": "boolean",
                "end_sample_type*": "text", "metadata": "metadata", "metadata_hash": "text",
                "observation_id": "integer", "relationship_kind*": "text"}
SAMPLE = {"item_kind!": "text", "defects": [DEFECT, 1], "first_seen_at*": "timestamp",
          "first_seen_observation_id*": "integer", "fuzzy_key": "text", "sample_type*": "text",
          "sample_uuid_hash": "text", "semantic_fingerprint": "text", "strict_fingerprint*": "text"}
VERSION = {"category_value": "integer", "created_observation_id*": "integer", "device": DEVICE,
           "duration_seconds": "number", "end_date*": "timestamp", "metadata": "metadata", "metadata_hash": "text",
           "numeric_value": "number", "payload_hash*": "text", "source": SOURCE, "start_date*": "timestamp",
           "unit": "text", "value_kind": "text", "workout_activity_type": "integer"}
ITEMS = prepared({
    "record": {**SAMPLE, **VERSION, "relationships": [RELATIONSHIP, 1], "visibility!": [RANGE, 1]},
    "sample": {**SAMPLE, "events": [EVENT, 1], "relationships": [RELATIONSHIP, 1], "visibility": [CLOSED_RANGE, 1]},
    "version": {**SAMPLE, **VERSION, "events": [EVENT, 1], "visibility": [CLOSED_RANGE, 1]},
})
ITEM_LINE = {"item!": "item", "item_hash!": HEX64}

COVERAGE = {"category": "text", "deleted_event_count": "integer", "display_name": "text", "ended_at": "timestamp",
            "error_kind": "text", "error_message_hash": "text", "inserted_event_count": "integer",
            "observation_id": "integer", "sample_type*": "text", "started_at": "timestamp", "status*": "text",
            "verified_visible_count": "integer"}
OBSERVATION = {"app_version": "text", "ended_at": "timestamp", "id*": "integer", "notes": "text",
               "observed_at*": "timestamp", "os_version": "text", "schema_version*": "integer",
               "selected_type_set_hash": "text", "started_at": "timestamp", "status*": "text",
               "time_zone_identifier": "text", "time_zone_seconds_from_gmt": "integer", "trigger_reason*": "text"}
HEADER_LINE = {"export!": {
    "archive_schema_version!": "integer", "coverage!": [COVERAGE], "defects": [DEFECT, 1],
    "device_chain!": {"created_at*": "timestamp", "device_chain_hash*": "text", "recovered_from_keychain*": "integer"},
    "export_id!": UUID8, "identity_rules": "one", "export_kind!": frozenset(("recovery_bundle",)),
    "filter!": {"sample_types": ["text"], "since": "timestamp", "sources": ["text"], "until": "timestamp"},
    "format!": "text", "format_version!": "integer", "generator!": {"name!": "text", "version!": "text"},
    "observations!": [OBSERVATION, 1],
    "scope!": {"mode!": frozenset(("point_in_time", "history")), "observation_id!": "integer"},
}}

PROVENANCE = {
    "device_absent": lambda item: has_payload(item) and "device" not in item,
    "device_identifiers_hashed": lambda item: bool(
        {"device_hash", "local_identifier_hash", "manufacturer_hash", "udi_hash"} & item.get("device", {}).keys()),
    "metadata_as_text": lambda item: isinstance(item.get("metadata"), str),
    "operating_system_version_absent": lambda item: "operating_system_version" not in item.get("source", SOURCE),
    "payload_absent": lambda item: has_payload(item) and "payload_hash" not in item,
    "relationship_end_not_in_scope": lambda item: any(
        not relationship["end_in_scope"] for relationship in item.get("relationships", ())),
    "sample_uuid_absent": lambda item: "sample_uuid_hash" not in item,
    "source_absent": lambda item: has_payload(item) and "source" not in item,
    "source_name_hashed": lambda item: "source_name_hash" in item.get("source", {}),
    "source_version_absent": lambda item: "version" not in item.get("source", SOURCE),
}
MANIFEST_LINE = {"manifest_hash!": HEX64, "totals!": {
    "defect_count!": "count", "item_count!": "count",
    "types!": [{"defect_count!": "count", "item_count!": "some", "sample_type": "text",
                "provenance_loss!": dict.fromkeys(PROVENANCE, "some")}],
}}
SALVAGE_LINE = {"salvage!": {
    "account!": [{"after_items!": "count", "byte": "count", "byte_end": "count", "code!": "text", "frame": "some",
                  "frame_end": "some", "frame_line": "some", "line_count": "some"}],
    "account_count!": "count", "export": "item", "format!": "text", "format_version!": "integer",
    "generator!": {"name!": "text", "version!": "text"}, "manifest": MANIFEST_LINE,
    "missing": {"item_count!": "count", "types!": [{"item_count!": "some", "sample_type": "text"}]},
    "source!": {"sha256!": HEX64, "size!": "count"},
}}
# The export in a salvage's header is of a known format.
SALVAGED_EXPORT = {**HEADER_LINE["export!"], "format!": frozenset(("healthprobe-bundle",)), "format_version!": "one"}
SALVAGE_END_LINE = {"salvage_hash!": HEX64, "totals!": MANIFEST_LINE["totals!"]}
LINES = prepared({"header": HEADER_LINE, "item": ITEM_LINE, "manifest": MANIFEST_LINE, "salvage": SALVAGE_LINE,
                  "salvaged export": {"export!": SALVAGED_EXPORT}, "salvage end": SALVAGE_END_LINE})
FORMS = (("header", ("export",)), ("item", ("item", "item_hash")), ("manifest", ("manifest_hash",)),
         ("salvage", ("salvage",)), ("salvage end", ("salvage_hash",)), ("manifest", ("totals",)))
KINDS = {"salvage": "header", "salvage end": "manifest"}


def has_payload(item):
    return item["item_kind"] != "sample"


def is_integer(value):
    return isinstance(value, int) and abs(value) <= MAX_INTEGER


def is_metadata(value):
    """An object at most 64 deep; a text only where it could not have been such an object."""
    if isinstance(value, str):
        try:
            return "\0" not in value and not isinstance(Canonical(value.encode(), MAX_METADATA_DEPTH).read(), dict)
        except Fault:
            return True
    level = [value]
    for _ in range(MAX_METADATA_DEPTH):
        level = [child for entry in level if isinstance(entry, (dict, list))
                 for child in (entry.values() if isinstance(entry, dict) else entry)]
    return not any(isinstance(entry, (dict, list)) for entry in level)


NUMBERS, TEXT = (int, float), (str,)
SCALARS = {  # name: JSON types as Python reads them, what else holds
    "boolean": ((bool,), lambda value: True),
    "count": (NUMBERS, lambda value: is_integer(value) and value >= 0),
    "integer": (NUMBERS, is_integer),
    "item": ((dict,), lambda value: True),
    "metadata": ((dict, str), is_metadata),
    "number": (NUMBERS, lambda value: True),
    "one": (NUMBERS, lambda value: value == 1),
    "some": (NUMBERS, lambda value: is_integer(value) and value >= 1),
    "text": (TEXT, lambda value: "\0" not in value),
    "timestamp": (TEXT, lambda value: read_timestamp(value) is not None
                  and write_timestamp(read_timestamp(value)) == value),
}


def shape(value, specification, pointer, defects):
    """Yields a code and a JSON Pointer for each thing that is wrong with the shape of a value."""
    if isinstance(specification, dict):
        if not isinstance(value, dict):
            yield "shape.type", pointer
            return
        for name, (_, mark) in specification.items():
            if name not in value and (
                    mark == "!" or mark == "*" and place_of_defect(pointer + "/" + name) not in defects):
                yield "shape.member_missing", pointer + "/" + name
        for name, member in value.items():
            inner = pointer + "/" + name.replace("~", "~0").replace("/", "~1")
            if name in specification:
                yield from shape(member, specification[name][0], inner, defects)
            else:
                yield "shape.member_unknown", inner
    elif isinstance(specification, list):
        if not isinstance(value, list):
            yield "shape.type", pointer
        elif len(value) < sum(specification[1:]):
            yield "shape.value", pointer
        else:
            for index, entry in enumerate(value):
                yield from shape(entry, specification[0], "%s/%d" % (pointer, index), defects)
    else:
        types, holds = SCALARS[specification] if isinstance(specification, str) else (TEXT, (
            specification.fullmatch if isinstance(specification, re.Pattern) else specification.__contains__))
        if not isinstance(value, types) or (types is NUMBERS and isinstance(value, bool)):
            yield "shape.type", pointer
        elif not holds(value):
            yield "shape.value", pointer


def place_of_defect(pointer):
    """A defect excuses its own member, and inside an array any member of the same entry."""
    return "/".join(pointer.split("/")[:4])


def defect_places(holder, pointer):
    """What the defects beside the members of `holder` excuse from being required."""
    entries = holder.get("defects") if isinstance(holder, dict) else None
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    named = {entry["pointer"] for entry in entries if isinstance(entry.get("pointer"), str)}
    for row, members in (("/payload_hash", VERSION), ("/strict_fingerprint", SAMPLE)):
        if any(entry.get("pointer") == row and entry.get("reason") in ROW_ABSENT for entry in entries):
            named.update("/" + name.rstrip("*") for name in members if not name.endswith("!"))
    return {place_of_defect(pointer + name) for name in named}


def shape_of_line(kind, value):
    """All shape faults of a line; what concerns several members is looked at when the members are right."""
    if kind == "salvage":
        return shape_of_salvage(value)
    pointer = {"item": "/item", "manifest": "/totals", "salvage end": "/totals"}.get(kind, "/export")
    holder = value.get(pointer[1:])
    faults = list(shape(value, LINES[kind][0], "", defect_places(holder, pointer)))
    if kind == "item" and isinstance(holder, dict):
        item_kind = holder.get("item_kind")
        if not isinstance(item_kind, str):
            faults.append(("shape.type" if "item_kind" in holder else "shape.member_missing", "/item/item_kind"))
        elif item_kind not in ITEMS:
            faults.append(("shape.value", "/item/item_kind"))
        else:
            faults += shape(holder, ITEMS[item_kind][0], "/item", defect_places(holder, "/item"))
    if not faults and pointer != "/totals":
        faults += (("shape.value", pointer + inner) for inner in contradictions(kind, holder))
    return faults


def shape_of_salvage(value):
    """The header of a salvage, and in it, by the rules of its own line, the header of an export."""
    faults = list(shape(value, LINES["salvage"][0], "", set()))
    export = value["salvage"].get("export") if isinstance(value["salvage"], dict) else None
    if isinstance(export, dict):
        inner = shape({"export": export}, LINES["salvaged export"][0], "", defect_places(export, "/export"))
        faults += ((code, "/salvage" + pointer) for code, pointer in inner)
        if not faults:
            faults += (("shape.value", "/salvage/export" + pointer) for pointer in contradictions("header", export))
    return faults


def contradictions(kind, holder):
    """Yields pointers to members that are right by themselves, but not beside each other."""
    for index, entry in enumerate(holder.get("defects", ())):
        form, value = STORED.get(entry["storage_class"]), entry.get("value")
        if (value is None) != (form is None) or (form and not re.fullmatch(form, value)):
            yield "/defects/%d/value" % index
        if entry["reason"] == "no_version" and entry["pointer"] != "/payload_hash":
            yield "/defects/%d/pointer" % index
    sorted_by = {"defects": ("pointer",), "visibility": ("first_observation_id",),
                 "events": ("observation_id", "event_kind"),
                 "relationships": ("relationship_kind", "end", "end_sample_type", "end_identity_hash")}
    for name, members in sorted_by.items():
        keys = [[sortable(entry.get(member)) for member in members] for entry in holder.get(name, ())]
        if keys != sorted(keys) and (name == "relationships" or all(present for key in keys for present, _ in key)):
            yield "/" + name
    if kind != "item":
        ids = [observation["id"] for observation in holder["observations"] if "id" in observation]
        scope = holder["scope"]
        if len(ids) == len(holder["observations"]) and (
                max(ids) != scope["observation_id"] or (scope["mode"] == "point_in_time" and len(ids) > 1)):
            yield "/observations"
        if set(holder["filter"].get("sample_types", types_covered(holder))) != types_covered(holder):
            yield "/coverage"


def types_covered(export):
    return {entry.get("sample_type") for entry in export["coverage"]}


# Order and hashes.

def sortable(value):
    """A sort key: absent before any value, texts by their UTF-8 bytes."""
    return (value is not None, value.encode() if isinstance(value, str) else value or 0)


def identity(item):
    return item.get("sample_uuid_hash", item.get("strict_fingerprint"))


def date(item, name):
    return read_timestamp(item[name]) if name in item else None


def order_key(item):
    return [sortable(value) for value in (
        item.get("sample_type"), date(item, "start_date"), date(item, "end_date"), identity(item),
        item.get("payload_hash"), item.get("strict_fingerprint"))]


def rises(values):
    """Whether values are sorted without repetition; absent ones are passed over."""
    keys = [sortable(value) for value in values if value is not None]
    return all(left < right for left, right in zip(keys, keys[1:]))


def sha256(prefix, data):
    return hashlib.sha256(prefix + data).hexdigest()


def export_id(header):
    """The id that the header's bytes give: shape leaves exactly one member of this name in a header."""
    without = re.sub(rb'"export_id":"[0-9a-f-]{36}",', b"", header, count=1)
    digest = bytearray(hashlib.sha256(b"hp:v2:export_id:" + without).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80
    text = digest.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def canonical(value):
    """The bytes of a value that was read: as it stood in the line."""
    if value is None or isinstance(value, bool):
        return {None: b"null", True: b"true", False: b"false"}[value]
    if isinstance(value, str):
        return b'"%s"' % b"".join(ESCAPES.get(char) or char.encode() for char in value)
    if isinstance(value, (int, float)):
        return str(value).encode() if isinstance(value, int) else number_text(value)
    if isinstance(value, list):
        return b"[%s]" % b",".join(map(canonical, value))
    names = sorted(value, key=utf16)
    return b"{%s}" % b",".join(b"%s:%s" % (canonical(name), canonical(value[name])) for name in names)


# Content hashes of an item: Spec/identity.md, "What a verifier recomputes".

CONTENTS = ("category_value", "duration_seconds", "end_date", "numeric_value", "sample_type", "start_date", "unit",
            "value_kind", "workout_activity_type")
PAYLOAD = (*CONTENTS, "device", "metadata_hash", "source")
DATED = ("sample_type", "start_date", "end_date")
FIRST_SEEN = ("created_observation_id", "first_seen_observation_id")
MOST_ALIKE = 4096  # ordinals that are looked at

CUMULATIVE = re.compile("HKQuantityTypeIdentifier(Distance.*|Dietary.*|%s)" % "|".join((
    "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned", "FlightsClimbed",
    "InhalerUsage", "InsulinDelivery", "NikeFuel", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount",
    "StepCount", "SwimmingStrokeCount", "TimeInDaylight")), re.DOTALL)
UNITS = {unit: (base, factor) for base, units in {
    "kcal": {"Cal": 1, "kcal": 1, "cal": 0.001, "kJ": 0.2390057361376673, "J": 0.0002390057361376673},
    "m": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "in": 0.0254},
    "kg": {"kg": 1, "g": 0.001, "lb": 0.45359237, "st": 6.35029318, "oz": 0.028349523125},
    "s": {"s": 1, "ms": 0.001, "min": 60, "hr": 3600, "d": 86400},
    "degC": {"degC": 1},
    "mL": {"mL": 1, "L": 1000, "dL": 100, "cL": 10, "fl_oz_us": 29.5735295625, "fl_oz_imp": 28.4130625},
}.items() for unit, factor in units.items()}


def content_hash(domain, members):
    """The hash of an object; a member that is None is absent."""
    present = {name: value for name, value in members.items() if value is not None}
    return sha256(b"hp:v2:%s:" % domain.encode(), canonical(present))


def metadata_hash(item):
    metadata = item["metadata"]
    return sha256(b"hp:v2:metadata:", metadata.encode() if isinstance(metadata, str) else canonical(metadata))


def payload_hash(item):
    return content_hash("payload", {name: item.get(name) for name in PAYLOAD})


def strict_fingerprint(item):
    """The one of ordinal 0."""
    members = {name: item.get(name) for name in CONTENTS}
    if members["unit"] == "Cal":
        members["unit"] = "kcal"
    return content_hash("strict_fingerprint", {
        **members, "bundle_identifier": item.get("source", {}).get("bundle_identifier")})


def is_strict_fingerprint(stated, item):
    first = strict_fingerprint(item)
    if stated == first:
        return True
    uuid = item.get("sample_uuid_hash")
    if uuid is not None and stated == content_hash("unseen_sample", {
            "sample_type": item["sample_type"], "sample_uuid_hash": uuid}):
        return True
    return any(stated == content_hash("strict_fingerprint", {"alike": first, "ordinal": ordinal})
               for ordinal in range(1, MOST_ALIKE + 1))


def base_value(value, unit):
    """A value in its base unit as the nearest binary32, or None where that is infinite; and the unit."""
    base, factor = UNITS.get(unit, (unit, 1))
    value = float(value)
    value, base = ((value - 32) * 5 / 9, "degC") if unit == "degF" else (value * factor, base)
    try:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return None, base
    return (None if value in (float("inf"), float("-inf")) else value + 0.0), base  # -0.0 + 0.0 is 0.0


def semantic_fingerprint(item):
    """The fingerprint of the item's family, or None where it has none."""
    kind, members = item.get("value_kind"), {"family": "correlation", "sample_type": item["sample_type"]}
    for name in ("start", "end"):
        members[name] = int(date(item, name + "_date") // 1)
    if kind == "quantity" and "numeric_value" in item:
        members["family"] = "cumulative" if CUMULATIVE.fullmatch(item["sample_type"]) else "quantity"
        members["value"], members["unit"] = base_value(item["numeric_value"], item.get("unit"))
        if members["value"] is None:
            return None
    elif kind == "category":
        members.update(family="category", category=item.get("category_value"))
    elif kind == "workout":
        members.update(family="workout", activity=item.get("workout_activity_type"))
    return content_hash("semantic_fingerprint", members)


def is_first_version(item):
    """Whether the item speaks of the version that its sample began with."""
    created, first = (item[name] for name in FIRST_SEEN)
    return created == first and (item["item_kind"] == "record" or any(
        event.get("event_kind") == "appeared" and event.get("observation_id") == first
        for event in item.get("events", ())))


def content_faults(item):
    """Yields the member and the expected value of each content hash in an item that does not hold."""
    tainted = {entry["pointer"].split("/")[1] for entry in item.get("defects", ())}
    if "metadata" in tainted:
        tainted.add("metadata_hash")

    def can_check(required, others=()):
        return all(name in item for name in required) and tainted.isdisjoint((*required, *others))

    if can_check(("metadata", "metadata_hash")) and item["metadata_hash"] != metadata_hash(item):
        yield "metadata_hash", metadata_hash(item)
    if can_check(("payload_hash", *DATED), PAYLOAD) and item["payload_hash"] != payload_hash(item):
        yield "payload_hash", payload_hash(item)
        return
    if not can_check(("strict_fingerprint", *DATED, *FIRST_SEEN), (*CONTENTS, "source", "sample_uuid_hash")) \
            or not is_first_version(item):
        return
    if not is_strict_fingerprint(item["strict_fingerprint"], item):
        yield "strict_fingerprint", strict_fingerprint(item)
    elif can_check(("semantic_fingerprint",)) and item["semantic_fingerprint"] != semantic_fingerprint(item):
        yield "semantic_fingerprint", semantic_fingerprint(item)


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


class UnknownFormat(Exception):
    """The header names a format that this page does not describe."""


class Bundle:
    """Takes the texts of the frames and checks everything above them."""

    def __init__(self, report):
        self.report = report
        self.line, self.frame = 0, 0
        self.lines_known = True  # False once a frame is lost: lines have no number from there on
        self.open, self.overlong = bytearray(), False  # a line that a frame left unfinished
        self.started, self.seen = False, set()  # whether there was a line, or a loss; the kinds of lines so far
        self.latest = None  # the kind of the latest line; None where it is damaged or lost
        self.header = self.header_bytes = self.manifest = None
        self.is_salvage = None  # whether the file is a salvage, by its header or last line that is whole
        self.previous = None  # order key and bytes of the item before
        self.item_count, self.types = 0, {}
        self.manifest_hash = hashlib.sha256(b'hp:v2:export_manifest:{"export":')
        self.ends = {"source": set(), "target": set()}

    # Lines

    def take(self, frame, text):
        self.leave_open()
        self.frame = frame
        if text is None:
            self.lose("container", None)
            self.lines_known, self.open, self.overlong = False, bytearray(), False
            return
        start = 0
        while start < len(text):
            if not self.open and not self.overlong and text[start] == 10:
                start = self.blank(text, start)
                continue
            end = text.find(b"\n", start)
            self.grow(text, start, len(text) if end < 0 else end)
            if end < 0:
                return
            self.finish_line()
            start = end + 1

    def blank(self, text, start):
        end = start
        while text.startswith(b"\n" * 4096, end):
            end += 4096
        while text.startswith(b"\n", end):
            end += 1
        self.line += 1
        self.lose("line", "line.blank", found=end - start)
        self.line += end - start - 1
        return end

    def grow(self, text, start, end):
        if len(self.open) + end - start > MAX_LINE or self.overlong:
            self.open, self.overlong = bytearray(), True
        else:
            self.open += memoryview(text)[start:end]

    def finish_line(self):
        line, overlong = bytes(self.open), self.overlong
        self.open, self.overlong = bytearray(), False
        self.line += 1
        if overlong:
            self.lose("line", "line.limit")
        else:
            self.examine(line)

    def leave_open(self):
        """A frame ended inside a line, and it was not the last one."""
        if self.open or self.overlong:
            self.report.add("container.frame_line_end", frame=self.frame)

    def place(self):
        return {"line": self.line or None if self.lines_known else None, "frame": self.frame or None}

    def lose(self, layer, code, **more):
        """The line, or the frame, is damaged at `layer`: later layers do not see it."""
        if code:
            self.report.add(code, **self.place(), **more)
        self.started, self.latest = True, None
        self.report.withhold_after(layer)

    def examine(self, line):
        try:
            value = Canonical(line).read()
        except Fault as fault:
            return self.lose("canonical", fault.code, byte=fault.byte)
        form = next((form for form, names in FORMS
                     if isinstance(value, dict) and any(name in value for name in names)), None)
        kind = KINDS.get(form, form)
        if not self.started and kind not in (None, "header"):
            self.report.add("line.header_missing", **self.place())
        if "manifest" in self.seen:  # reported once, however many lines follow
            return self.lose("line", None if "line.after_manifest" in self.report.counts else "line.after_manifest")
        if kind is None or (kind == "header" and kind in self.seen):
            return self.lose("line", "line.header_repeated" if kind else "line.kind")
        if kind == "header":
            self.check_format(form, value)
        faults = shape_of_line(form, value)
        if kind == "manifest" and not faults and self.is_salvage not in (None, form == "salvage end"):
            return self.lose("line", "line.kind")  # the last line of the other kind of file
        self.started, self.latest = True, kind
        self.seen.add(kind)
        for code, pointer in faults:
            self.report.add(code, pointer=pointer, **self.place())
        if faults:
            self.report.withhold_after("shape")
        else:
            {"header": self.take_header, "item": self.take_item, "manifest": self.take_manifest,
             "salvage": self.take_salvage, "salvage end": self.take_salvage_end}[form](line, value)

    def check_format(self, form, value):
        holder = "salvage" if form == "salvage" else "export"
        export = value[holder]
        if not isinstance(export, dict):
            return
        name, version = export.get("format"), export.get("format_version")
        known_name = not isinstance(name, str) or name == "healthprobe-" + {"export": "bundle"}.get(holder, holder)
        known_version = not isinstance(version, (int, float)) or isinstance(version, bool) or version == 1
        if not (known_name and known_version):
            pointer = "/%s/%s" % (holder, "format_version" if known_name else "format")
            self.report.add("shape.format_version", pointer=pointer, **self.place())
            raise UnknownFormat

    # Items

    def take_header(self, line, value):
        self.is_salvage = False
        self.header, self.header_bytes = value["export"], line[len('{"export":'):-1]
        export, chosen = self.header, self.header["filter"]
        self.manifest_hash.update(self.header_bytes + b',"items":[')
        for pointer, values in (
            ("/export/coverage", [entry.get("sample_type") for entry in export["coverage"]]),
            ("/export/filter/sample_types", chosen.get("sample_types", ())),
            ("/export/filter/sources", chosen.get("sources", ())),
            ("/export/observations", [entry.get("id") for entry in export["observations"]]),
        ):
            if not rises(values):
                self.report.add("order.coverage", pointer=pointer, **self.place())
        self.check_export_id(export, self.header_bytes)
        self.covered = types_covered(export)

    def check_export_id(self, export, data):
        expected = export_id(data)
        if expected != export["export_id"]:
            self.report.add("manifest.export_id", expected=expected, found=export["export_id"], **self.place())

    def take_salvage(self, line, value):
        self.is_salvage, self.header = True, value["salvage"].get("export")
        self.salvage_bytes = line[len('{"salvage":'):-1]
        self.manifest_hash = hashlib.sha256(b'hp:v2:salvage:{"items":[')
        if self.header:
            self.check_export_id(self.header, canonical(self.header))

    def take_item(self, line, value):
        item, declared = value["item"], value["item_hash"]
        item_bytes = line[len('{"item":'):-len(',"item_hash":""}') - 64]
        computed = sha256(b"hp:v2:export_item:", item_bytes)
        if computed != declared:
            self.report.add("item.hash", expected=computed, found=declared, **self.place())
        elif self.header and "identity_rules" in self.header and has_payload(item):
            for name, expected in content_faults(item):
                found = item[name] if HEX64.fullmatch(item[name]) else None
                self.report.add("item." + name, pointer="/item/" + name, expected=expected, found=found, **self.place())
        key = order_key(item)
        if self.previous and not self.is_salvage:  # a salvage keeps the order of the damaged file
            if item_bytes == self.previous[1]:
                self.report.add("order.repeated", **self.place())
            elif key < self.previous[0]:
                self.report.add("order.items", **self.place())
        self.previous = key, item_bytes
        if self.header and not self.is_salvage and self.excluded(item):
            self.report.add("manifest.scope", **self.place())
        self.count(item, declared)

    def excluded(self, item):
        """Whether the header rules the item out, or something in it that was learned later."""
        scope, chosen = self.header["scope"], self.header["filter"]
        if (item["item_kind"] == "record") != (scope["mode"] == "point_in_time"):
            return True
        if "sample_type" in item and item["sample_type"] not in self.covered:
            return True
        if has_payload(item):
            if "sources" in chosen and item.get("source", {}).get("bundle_identifier") not in chosen["sources"]:
                return True
            start = date(item, "start_date")
            if start is not None and (
                    ("since" in chosen and start < read_timestamp(chosen["since"]))
                    or ("until" in chosen and start >= read_timestamp(chosen["until"]))):
                return True
        learned = [entry.get(name) for part, name in (
            ("visibility", "first_observation_id"), ("visibility", "last_observation_id"),
            ("events", "observation_id"), ("relationships", "observation_id")) for entry in item.get(part, ())]
        return any(observation > scope["observation_id"] for observation in learned if observation is not None)

    def count(self, item, declared):
        self.manifest_hash.update(b'%s"%s"' % (b"," if self.item_count else b"", declared.encode()))
        self.item_count += 1
        entry = self.types.setdefault(item.get("sample_type"), {
            "defect_count": 0, "item_count": 0, "provenance_loss": {},
            **({"sample_type": item["sample_type"]} if "sample_type" in item else {})})
        entry["item_count"] += 1
        entry["defect_count"] += len(item.get("defects", ()))
        for code, raised in PROVENANCE.items():
            if raised(item):
                entry["provenance_loss"][code] = entry["provenance_loss"].get(code, 0) + 1
        for relationship in item.get("relationships", ()):
            if relationship["end_in_scope"]:
                self.ends[relationship["end"]].add(relationship_key(item, relationship))

    # Manifest

    def take_salvage_end(self, line, value):
        self.manifest, self.is_salvage = value, True
        self.totals_bytes = line[len('{"salvage_hash":"","totals":') + 64:-1]

    def take_manifest(self, line, value):
        self.manifest, self.is_salvage = value, False
        self.totals_bytes = line[len('{"manifest_hash":"","totals":') + 64:-1]

    def finish(self, end_lost):
        if end_lost:
            self.leave_open()
            self.lose("container", None)
        elif self.open or self.overlong:
            self.line += 1
            self.lose("line", "line.limit" if self.overlong else "line.unterminated")
        if not self.started:
            self.report.add("line.header_missing")
        if "manifest" not in self.seen and (self.latest or not self.started):
            self.report.add("line.manifest_missing", **self.place())
        if {"line.header_missing", "line.manifest_missing"} & self.report.counts.keys():
            self.report.withheld.add("manifest")
        if "manifest" not in self.report.withheld:
            self.check_manifest()

    def check_manifest(self):
        types = list(self.types.values())
        defects = (0 if self.is_salvage else len(self.header.get("defects", ()))) + sum(entry["defect_count"] for entry in types)
        expected = {"defect_count": defects, "item_count": self.item_count, "types": types}
        difference = first_difference(expected, self.manifest["totals"], "/totals")
        if difference is not None:
            self.report.add("manifest.totals", pointer=difference, **self.place())
        self.manifest_hash.update(b']' + (b',"salvage":' + self.salvage_bytes if self.is_salvage else b""))
        self.manifest_hash.update(b',"totals":' + self.totals_bytes + b"}")
        computed = self.manifest_hash.hexdigest()
        declared = self.manifest["salvage_hash" if self.is_salvage else "manifest_hash"]
        if computed != declared:
            self.report.add("manifest.hash", expected=computed, found=declared, **self.place())
        if not self.is_salvage and self.ends["source"] != self.ends["target"]:
            self.report.add("manifest.relationships", found=len(self.ends["source"] ^ self.ends["target"]))


def relationship_key(item, relationship):
    """The same digest from both items of a relationship."""
    here = [item.get("sample_type"), identity(item)]
    there = [relationship.get("end_sample_type"), relationship.get("end_identity_hash")]
    source_and_target = here + there if relationship["end"] == "target" else there + here
    parts = [relationship.get("relationship_kind"), *source_and_target, relationship.get("observation_id")]
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def verify(file):
    """Verifies one open file and returns the object that --json prints for it."""
    report = Report()
    container, bundle = Container(file, report), Bundle(report)
    try:
        for frame, text in container.texts():
            bundle.take(frame, text)
        bundle.finish(container.end_lost and not (bundle.manifest and not report.withheld))
    except UnknownFormat:
        report.withheld.update(LAYERS)
    layers = {layer: report.status(layer) for layer in LAYERS}
    good = all(status == "ok" for layer, status in layers.items() if layer != "archive")
    total = sum(report.counts.values())
    verdict = "consistent in itself" if good else "does not hold: %d finding%s" % (total, "s" * (total != 1))
    if bundle.is_salvage:
        verdict = "salvaged: " + verdict
    result = {"result": "ok" if good else "findings", "layers": layers, "verdict": verdict,
              "item_count": bundle.item_count, "findings": report.findings}
    if total > len(report.findings):
        result["counts"] = report.counts
    return result


def as_text(result):
    yield "%s: %s" % (ascii(result["file"])[1:-1], result["verdict"])
    yield "  " + "  ".join("%s %s" % pair for pair in result["layers"].items())
    for finding in result["findings"]:
        places = ["%s %s" % (name, ascii(str(value))[1:-1][:200]) for name, value in finding.items() if name != "code"]
        yield "  %s: %s" % (finding["code"], ", ".join(places))


def main(arguments):
    parser = argparse.ArgumentParser(description="Verify recovery bundles without an archive.",
                                     epilog="exit status: 0 good, 1 findings, 2 could not be done")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args(arguments)
    results, status = [], 0
    for name in options.files:
        try:
            if not os.path.isfile(name) and os.path.exists(name):
                raise OSError("not a regular file")
            with open(name, "rb") as file:
                results.append({"file": name, **verify(file)})
        except OSError as error:
            print("verify_bundle: error: %s: %s" % (ascii(name)[1:-1], error.strerror or error), file=sys.stderr)
            status = 2
    if any(result["result"] != "ok" for result in results):
        status = status or 1
    try:
        if options.json:
            print(json.dumps({"files": results}))
        else:
            for result in results:
                print("\n".join(as_text(result)))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print("verify_bundle: error: standard output: %s" % error.strerror, file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
