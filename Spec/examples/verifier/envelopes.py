"""Containers of plain text: the lines of an export as they are, or one JSON text around them.

    {"export":E,"items":[{"item":…,"item_hash":"…"},…],"manifest_hash":"…","totals":{…}} LF
"""

import re

CHUNK = 1 << 20
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def read_lines(file, lines):
    """A file of lines. Returns whether the rest of it is lost."""
    file.seek(0)
    chunk = file.read(CHUNK)
    if not chunk:
        lines.report.add("container.empty", byte=0)
        return True
    while chunk:
        lines.take_text(chunk)
        chunk = file.read(CHUNK)
    return False


def read_envelope(file, lines):
    """One JSON text, read whole; its parts are examined as lines. Returns whether the rest of it is lost."""
    file.seek(0)
    text = file.read()
    if not text:
        lines.report.add("container.empty", byte=0)
        return True
    at = 0
    try:
        at = take(text, 0, b'{"export":')
        end = end_of_value(text, at)
        lines.take_line(b'{"export":' + text[at:end] + b"}")
        at = take(text, end, b',"items":[')
        while text[at:at + 1] != b"]":
            end = end_of_value(text, at)
            lines.take_line(text[at:end])
            at = end
            if text[end:end + 1] != b"]":
                at = take(text, end, b",")
                if text[at:at + 1] == b"]":
                    raise Broken(at)
        at = take(text, at, b"],")
        end = len(text) - 1 if text.endswith(b"\n") else len(text)
        if not text.startswith(b'"manifest_hash":', at):
            raise Broken(at)
        lines.take_line(b"{" + text[at:end])
        if end == len(text):
            lines.lose("line", "line.unterminated")
    except Broken as broken:
        lines.report.add("container.envelope", byte=broken.byte)
        return True
    return False


class Broken(Exception):
    """The text is no envelope from this byte on."""

    def __init__(self, byte):
        super().__init__()
        self.byte = byte


def take(text, at, expected):
    """Where the text goes on after what has to stand there."""
    if not text.startswith(expected, at):
        raise Broken(at)
    return at + len(expected)


def end_of_value(text, start):
    """Where the object ends that begins here, by its brackets outside strings."""
    if text[start:start + 1] != b"{":
        raise Broken(start)
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    raise Broken(len(text))
