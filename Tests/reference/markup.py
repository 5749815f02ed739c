"""Reads the text of an export into elements, those that are not well-formed included: Spec/apple-health.md, "What is not
well-formed".

Written from Spec/ alone. Everything is held in memory; tags that are too large are not modelled.
"""
import bisect
import hashlib
import re
from xml.parsers import expat

BELOW_ROOT = {"ExportDate", "Me", "Record", "Correlation", "Workout", "WorkoutRoute", "ActivitySummary", "ClinicalRecord", "Audiogram", "VisionPrescription"}
SAMPLES = BELOW_ROOT - {"ExportDate", "Me"}
HELD = {("Correlation", "Record"), ("Workout", "Record"), ("Workout", "WorkoutRoute")}  # also stand in another
NAMED = BELOW_ROOT | {
    "HealthData", "MetadataEntry", "HeartRateVariabilityMetadataList", "InstantaneousBeatsPerMinute", "WorkoutEvent", "WorkoutStatistics",
    "WorkoutActivity", "WorkoutZoneGroup", "WorkoutZone", "FileReference", "Location", "SensitivityPoint", "RightEye", "LeftEye", "Prescription"}
LOOKAHEAD, FREE_LOOKAHEAD, LOOKAHEAD_FACTOR = 4 << 20, 16 << 20, 4
DEPTH, NAME_BYTES, TEXT_BYTES, END_TAG_BYTES = 64, 256, 1024, 1024
BROKEN = "hp.broken"

SPACE = b" \t\r\n"
ATTRIBUTE = rb"[ \t\r\n]+([^\x00- \"&'/<=>]+)[ \t\r\n]*=[ \t\r\n]*(\"[^\"<]*\"|'[^'<]*')"
START_TAG = re.compile(rb"<([^\x00- \"&'/<=>]+)((?:" + ATTRIBUTE.replace(b"(", b"(?:") + rb")*)[ \t\r\n]*(/?)>")
ATTRIBUTE = re.compile(ATTRIBUTE)
REFERENCE = re.compile(rb"&(?:(amp|lt|gt|quot|apos)|#([0-9]+)|#x([0-9A-Fa-f]+));")
ENTITIES = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": "\"", b"apos": "'"}
SECTIONS = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
WORD = re.compile(rb"[ \t\r\n]*([^<>/=\"'& \t\r\n]*)")
KNOWN_MARKUP = re.compile(rb"</?([A-Za-z]{1,40})[>/ \t\r\n]")
TYPE_ATTRIBUTE = re.compile(rb"[ \t\r\n]type[ \t\r\n]*=[ \t\r\n]*$")
TYPE = re.compile(rb"[A-Za-z0-9._-]{1,256}")


class Element:
    """An element; `content` is what is known of its broken start tag, or of the first broken thing in it."""

    def __init__(self, name, attributes, line, column=None):
        self.name, self.attributes, self.line, self.column, self.children = name, attributes, line, column, []
        self.content, self.is_tag_broken, self.is_deep, self.is_stray = None, False, False, False
        self.stated_name, self.has_end, self.trusted = name, False, 0

    def all(self, name):
        return [child for child in self.children if child.name == name]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def section_end(text, at):
    """Behind a comment, a section or an instruction that begins here, −1 where it is not ended; None where none begins."""
    for begin, end in SECTIONS:
        if text.startswith(begin, at):
            stop = text.find(end, at + len(begin))
            return stop if stop < 0 else stop + len(end)
    return None


def is_known_markup(text, at):
    match = KNOWN_MARKUP.match(text, at)
    return match is not None and match[1].decode() in NAMED


def word(text, at):
    """The first word from a place on."""
    return WORD.match(text, at, at + NAME_BYTES)[1].decode(errors="replace")


def is_name(name):
    try:
        expat.ParserCreate("utf-8").Parse(b"<" + name + b"/>", True)
    except expat.ExpatError:
        return False
    return len(name) <= NAME_BYTES


def broken_extent(text, first):
    """The end of a broken start tag, whether it ends the element, and the value of its `type`; None where the text ends."""
    quote, last, found = b"", b"<", None
    for at in range(first, len(text)):
        byte = text[at:at + 1]
        if byte == b"<" and (not quote or last == b">"):
            if is_known_markup(text, at):
                return at, last == b"/", found
        elif quote:
            if byte == quote:
                quote = b""
                value = text[begin:at]
                if found is None and TYPE_ATTRIBUTE.search(text, max(first, begin - 1000), begin - 1) and TYPE.fullmatch(value):
                    found = value.decode()
        elif byte == b">":
            return at + 1, last == b"/", found
        elif last == b"=" and byte in b"\"'":
            quote, begin = byte, at + 1
        if byte not in SPACE:
            last = byte
    return None


class Markup:
    """A text that is read; `elements` are the complete children of the root, `open` what is open, the root first."""

    def __init__(self, text, counts, add_numbered, restored):
        self.text, self.counts, self.add_numbered, self.restored = text, counts, add_numbered, restored
        self.line_starts = [match.end() for match in re.finditer(b"\r\n|\r|\n", text)]
        self.elements, self.open, self.root = [], [], None
        self.at = self.excess = self.spent = 0
        self.is_in_text = False
        self.status, self.place = "partial_truncated", None

    def line(self, at):
        return bisect.bisect_right(self.line_starts, at) + 1

    def column(self, at):
        before = self.text[:at] if at < 4096 else self.text[at - 4096:at]
        rest = before.rstrip(b" \t")
        return len(before) - len(rest) if not rest or rest[-1:] in b"\r\n" else None

    def read(self):
        """Reads all of the text."""
        while True:
            mark = self.text.find(b"<", self.at)
            mark = len(self.text) if mark < 0 else mark
            if self.text[self.at:mark].strip(SPACE):
                if not self.open:
                    return self.refuse(self.at)
                if self.read_text(mark):
                    continue
            self.at = mark
            if mark == len(self.text):
                return self.end()
            self.is_in_text = False
            end = section_end(self.text, mark)
            if end is not None:
                if end < 0:
                    return self.end()
                self.at = end
            elif not self.open and self.root is not None:
                return self.refuse(mark)
            elif not self.read_tag(mark):
                return self.end()

    def refuse(self, at):
        self.status, self.place = "partial_malformed", f"line {self.line(at)}, byte {at}"

    def end(self):
        if self.root is not None and not self.open:
            self.status = "completed"
        else:
            self.place = f"line {self.line(len(self.text))}, byte {len(self.text)}"

    def read_text(self, end):
        """Reads text that is not white space; True where a tag was found in it."""
        at = self.at
        while self.text[at:at + 1] in SPACE:
            at += 1
        if self.open[-1].stated_name not in NAMED or self.is_in_text:
            return False
        if word(self.text, at) in NAMED:
            if not self.break_tag(at, at):
                self.at = len(self.text)
            return True
        self.is_in_text = True
        self.mark(at, self.text[at:min(end, at + TEXT_BYTES)])
        return False

    def read_tag(self, at):
        """Reads a tag; False where the text ends in it."""
        if self.open and self.text.startswith(b"</", at):
            return self.read_end_tag(at)
        match = START_TAG.match(self.text, at)
        attributes = self.attributes(match) if match else None
        if attributes is None:
            return self.break_tag(at, at + 1)
        name = match[1].decode()
        if self.close_unclosed(at, name):
            return True
        self.at = match.end()
        if len(self.open) >= DEPTH:
            self.leave_out_deep(at, match[0], match[3] == b"/")
            return True
        known, element = {}, Element(name, {}, self.line(at), self.column(at))
        for key, value in attributes:
            final = self.add_numbered(known, key, value)
            if final != key:
                self.counts["duplicate_attribute"] += 1
            if final is not None:
                element.attributes[final] = self.value(value)
        self.begin(element, match[3] == b"/")
        return True

    def attributes(self, match):
        """The names and raw values of a start tag, or None where it is not well-formed."""
        found = [(name, quoted[1:-1]) for name, quoted in ATTRIBUTE.findall(match[2])]
        if not is_name(match[1]) or not all(is_name(name) for name in {name for name, _ in found}):
            return None
        for _, value in found:
            if value.count(b"&") != len(list(REFERENCE.finditer(value))):
                return None
            for reference in REFERENCE.finditer(value):
                code = self.code(reference)
                if code is not None and (0xD800 <= code <= 0xDFFF or code > 0x10FFFF):
                    return None
        return [(name.decode(), value) for name, value in found]

    def code(self, reference):
        return None if reference[1] else int(reference[2]) if reference[2] else int(reference[3], 16)

    def value(self, raw):
        parts, at = [], 0
        for reference in REFERENCE.finditer(raw):
            parts.append(self.plain(raw[at:reference.start()]))
            at, code = reference.end(), self.code(reference)
            if code is None:
                parts.append(ENTITIES[reference[1]])
            elif code < 0x20 and chr(code) not in "\t\n\r":
                self.counts["control_character"] += 1
                parts.append(chr(code))
            elif 0xFDD0 <= code <= 0xFDEF or code in (0xFFFE, 0xFFFF):
                self.counts["noncharacter"] += 1
                parts.append("\uFFFD")
            else:
                parts.append(chr(code))
        return "".join(parts) + self.plain(raw[at:])

    def plain(self, raw):
        return re.sub("\r\n|[\r\n\t]", " ", raw.decode()).translate(self.restored)

    # What begins and ends

    def begin(self, element, is_empty):
        if self.root is None:
            self.root = element
        self.open.append(element)
        if is_empty:
            self.close()

    def close(self):
        element = self.open.pop()
        if len(self.open) == 1:
            self.elements.append(element)
        elif self.open:
            self.open[-1].children.append(element)
        return element

    def close_all(self, first):
        while len(self.open) > first:
            last = self.close()
            if len(self.open) > max(first, 1):
                self.mark(self.at, last.stated_name.encode())
        self.excess = 0

    def mark(self, at, data, sample_type=None):
        """Notes that what is open is not well-formed: the record that it is in, else an element without a type."""
        attributes = {**({"type": sample_type} if sample_type else {}), BROKEN: digest(data)}
        for depth in range(len(self.open) - 1, 0, -1):
            element = self.open[depth]
            if self.is_sample(depth):
                element.content = element.content or {"attributes": attributes, "element": BROKEN}
                return
        if len(self.open) > 1:
            if self.open[1].is_stray:
                return
            self.open[1].is_stray = True
            attributes.pop("type", None)
        self.stray(at, attributes)

    def stray(self, at, attributes):
        element = Element(BROKEN, attributes, self.line(at))
        element.content, element.is_tag_broken = {"attributes": attributes, "element": BROKEN}, True
        self.elements.append(element)

    def is_sample(self, depth):
        element = self.open[depth]
        if depth == 1:
            return element.name in SAMPLES or element.name == BROKEN
        return depth == 2 and (self.open[1].name, element.name) in HELD

    def break_tag(self, start, first):
        """Reads a broken start tag; False where the text ends in it."""
        extent = broken_extent(self.text, first)
        if extent is None:
            return False
        end, is_empty, sample_type = extent
        name = word(self.text, first)
        if not self.open:
            if name != "HealthData":
                self.root = Element(name, {}, self.line(start))
                return False
            self.at = end
            self.begin(Element(name, {}, self.line(start)), False)
            return True
        if self.close_unclosed(start, name):
            return True
        self.at, self.is_in_text = end, True
        data = self.text[start:end]
        if len(self.open) >= DEPTH:
            self.leave_out_deep(start, data, is_empty)
            return True
        is_below_root = len(self.open) == 1
        is_kept = name in BELOW_ROOT if is_below_root else (self.open[-1].stated_name, name) in HELD
        attributes = {**({"type": sample_type} if sample_type else {}), BROKEN: digest(data)}
        element = Element(name if is_kept else BROKEN, attributes, self.line(start), self.column(start))
        element.stated_name = name
        if is_kept or is_below_root:
            element.content, element.is_tag_broken = {"attributes": attributes, "element": element.name}, True
        else:
            self.mark(start, data, sample_type)
        self.begin(element, is_empty)
        return True

    def leave_out_deep(self, at, data, is_empty):
        if not self.open[1].is_deep:
            self.mark(at, data)
        self.open[1].is_deep = True
        self.excess += not is_empty

    def read_end_tag(self, start):
        limit = min(len(self.text), start + END_TAG_BYTES)
        match = re.compile(b"[<>]").search(self.text, start + 1, limit)
        if match is None and limit < start + END_TAG_BYTES:
            return False
        is_closed = match is not None and match[0] == b">"
        mark = match.start() if match else limit
        end = mark + is_closed
        name = word(self.text, start + 2)
        is_well = is_closed and name != "" and self.text[start + 2:mark].rstrip(SPACE) == name.encode()
        data, self.at = self.text[start:end], end
        if self.excess:
            self.excess -= 1
            return True
        places = [place for place, element in enumerate(self.open) if element.stated_name == name]
        if not places:
            self.read_unknown_end(start, data)
            return True
        place = places[-1]
        is_one_too_many = place == 0 and self.is_followed_by_element(end)
        if place < len(self.open) - 1 or is_one_too_many or (not is_well and len(self.open) > 1):
            self.is_in_text = True
            self.mark(start, data)
            self.close_all(place + 1)
        if not is_one_too_many:
            self.close()
        return True

    def is_followed_by_element(self, end):
        rest = self.text[end:end + TEXT_BYTES]
        at = end + len(rest) - len(rest.lstrip(SPACE))
        return is_known_markup(self.text, at) and KNOWN_MARKUP.match(self.text, at)[1] != b"HealthData"

    def read_unknown_end(self, start, data):
        is_over = len(self.open) > 1 and self.closing(len(self.open) - 1, self.at) != "found"
        if len(self.open) > 1 and not is_over:
            self.open[-1].has_end = True
        self.is_in_text = True
        self.mark(start, data)
        if is_over:
            self.close_all(len(self.open) - 1)

    # What is not ended

    def close_unclosed(self, at, name):
        """Ends the element below the root where another begins and it has no end tag; True where it did."""
        if len(self.open) < 2 or name not in BELOW_ROOT or self.open[1].has_end:
            return False
        unit, is_held = self.open[1], (self.open[-1].stated_name, name) in HELD
        if is_held and unit.trusted > at:
            return False
        if is_held or unit.stated_name not in NAMED:
            inner, outer = self.column(at), unit.column
            if inner is not None and outer is not None and inner > outer:
                return False
        found = self.closing(1, at)
        if found == "found":
            unit.has_end = True
            return False
        if found == "too far" and is_held:
            unit.trusted = at + LOOKAHEAD
            return False
        self.at = at
        self.mark(at, unit.stated_name.encode())
        self.close_all(1)
        return True

    def closing(self, index, start):
        """Whether the end tag of an open element follows: "found", "not found", "too far"."""
        if self.open[index].has_end:
            return "found"
        if self.spent > FREE_LOOKAHEAD + LOOKAHEAD_FACTOR * start:
            return "too far"
        found, at = self.look_for_end(index, start)
        self.spent += at - start
        return found

    def look_for_end(self, index, start):
        name, unit = self.open[index].stated_name, self.open[1].stated_name
        outer, text, at, depth = [element.stated_name for element in self.open[:index]], self.text, start, 1
        while True:
            at = text.find(b"<", at)
            at = len(text) if at < 0 else at
            if at - start > LOOKAHEAD:
                return "too far", at
            end = section_end(text, at) if at + 2 < len(text) else -1
            if end is not None:
                if end < 0:
                    return "not found", at
                at = end
                continue
            is_end = text[at + 1:at + 2] == b"/"
            found = word(text, at + 1 + is_end)
            if found == name and is_end:
                depth -= 1
                if depth == 0:
                    return "found", at
            elif found == name:
                extent = broken_extent(text, at + 1)
                if extent is None:
                    return "not found", at
                depth += not extent[1]
            elif is_end:
                if found in outer:
                    return "not found", at
            elif unit in NAMED and found in BELOW_ROOT and (unit, found) not in HELD:
                return "not found", at
            if depth > DEPTH:
                return "not found", at
            at += 1
