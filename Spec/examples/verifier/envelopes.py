"""Containers of plain text: the lines of an export as they are, or one JSON text around them.

    {"export":E,"items":[{"item":…,"item_hash":"…"},…],"manifest_hash":"…","totals":{…}} LF
"""

import re

CHUNK = 1 << 20
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)
DEEPER = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
FIRST = b'{"export":'


def is_envelope_file(file):
    """Whether a file that begins with `{` is an envelope rather than lines. As much of it is read as says so."""
    size = CHUNK
    while True:
        file.seek(0)
        text = file.read(size)
        if len(text) < size or not text.startswith(FIRST) or end_of_value(text, len(FIRST)) < len(text):
            return is_envelope(text)
        size *= 2


def is_envelope(text):
    """Whether a text that begins with `{` is an envelope rather than lines."""
    if text[1:2] in (b" ", b"\t", b"\r", b"\n"):
        return True
    return text.startswith(FIRST) and text[end_of_value(text, len(FIRST)):][:1] == b","


def end_of_value(text, start):
    """Where the value ends that begins here, by its quotes and brackets alone: before a comma or bracket, or with the text."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        mark = token.group()
        if depth == 0 and mark in (b",", b"}", b"]"):
            return token.start()
        depth += DEEPER.get(mark, 0)
        if depth == 0 and mark in (b"}", b"]"):
            return token.end()
    return len(text)


def read_lines(file, lines):
    """A file of lines. Returns whether the rest of it is lost: never."""
    file.seek(0)
    chunk = file.read(CHUNK)
    while chunk:
        lines.take_text(chunk)
        chunk = file.read(CHUNK)
    return False


class Broken(Exception):
    """The text is no envelope from this byte on."""

    def __init__(self, byte):
        super().__init__()
        self.byte = byte


class Envelope:
    """One JSON text, whole in memory; its parts are examined as lines."""

    def __init__(self, text, lines):
        self.text, self.lines, self.at = text, lines, 0

    def read(self):
        """Returns whether the rest of the text is lost."""
        is_complete = False
        try:
            self.expect(FIRST)
            self.lines.take_line(FIRST + self.value() + b"}")
            self.expect(b',"items":[')
            if not self.text.startswith(b"]", self.at):
                self.item()
                while self.text.startswith(b",", self.at):
                    self.at += 1
                    self.item()
            self.expect(b'],"manifest_hash":')
            manifest_hash = self.value()
            self.expect(b',"totals":')
            self.lines.take_line(b'{"manifest_hash":' + manifest_hash + b',"totals":' + self.value() + b"}")
            is_complete = True
            self.expect(b"}\n")
            if self.at < len(self.text):
                raise Broken(self.at)
        except Broken as broken:
            self.lines.report.add("container.envelope", byte=broken.byte)
        return not is_complete

    def item(self):
        if not self.text.startswith(b"{", self.at):
            raise Broken(self.at)
        self.lines.take_line(self.value())

    def expect(self, bytes_):
        for offset, byte in enumerate(bytes_):
            if self.text[self.at + offset:self.at + offset + 1] != bytes((byte,)):
                raise Broken(self.at + offset)
        self.at += len(bytes_)

    def value(self):
        """The value that stands here. The text must go on behind it."""
        start, self.at = self.at, end_of_value(self.text, self.at)
        if self.at == len(self.text):
            raise Broken(self.at)
        return self.text[start:self.at]


def read_envelope(file, lines):
    file.seek(0)
    return Envelope(file.read(), lines).read()
