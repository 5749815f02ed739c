"""A page to read, which carries the lines of an export (Spec/report-page.md).

    <!DOCTYPE html> LF ... LF <template id="healthprobe-evidence"> LF lines </template> LF </body> LF </html> LF
"""

import base64
import hashlib
import re

BEGINNING = b"<!DOCTYPE html>\n"
OPENING = b'\n<template id="healthprobe-evidence">\n'
CLOSING = b"</template>\n</body>\n</html>\n"
STATED = re.compile(rb'"page_sha256":"(.{64})', re.DOTALL)
ESCAPES = {b"&amp;": b"&", b"&lt;": b"<", b"&gt;": b">"}
MARK = re.compile(rb"[&<>]")
# The head: behind the first part stands the hash of the style, behind the second the title, behind the third the style.
TO_HASH = b'''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-'''
TO_TITLE = b''''; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>'''
TO_STYLE, TO_BODY = b"</title>\n<style>", b"</style>\n</head>\n<body>\n"
HASH_SIZE = 44
META = re.compile(rb"<meta", re.IGNORECASE)


def read_page(file, lines):
    """Returns whether the rest of the page is lost."""
    file.seek(0)
    data = file.read()
    text, deviation = bytearray(), None
    end = data.find(OPENING)
    try:
        if end < 0:
            raise Deviation(len(data))
        for piece in pieces(data, end + len(OPENING)):
            text += piece
    except Deviation as found:
        deviation = found.byte
    # The line end before the element belongs to what is read.
    read = data[:end + 1]
    byte = None if end < 0 else deviation_of_policy(read)
    if byte is not None:
        lines.report.add("container.page_policy", byte=byte)
    # A line that the deviation cuts is lost with the rest.
    lines.take_text(bytes(text if deviation is None else text[:text.rfind(b"\n") + 1]))
    if deviation is not None:
        lines.report.add("container.page", byte=deviation)
    elif stated_hash(bytes(text)) != hashlib.sha256(read).hexdigest().encode():
        lines.report.add("container.page_hash")
    return deviation is not None


class Deviation(Exception):
    """The file is no page from this byte on."""

    def __init__(self, byte):
        super().__init__()
        self.byte = byte


def deviation_of_policy(read):
    """Where what is read first has something else than the prescribed head, or a `<meta` behind it; None where it has neither."""
    try:
        place = expect(read, 0, TO_HASH)
        title = expect(read, place + HASH_SIZE, TO_TITLE)
        style = expect(read, end_of_text(read, title), TO_STYLE)
        end = end_of_text(read, style)
        body = expect(read, end, TO_BODY)
    except Deviation as found:
        return min(found.byte, len(read))
    if base64.b64encode(hashlib.sha256(read[style:end]).digest()) != read[place:place + HASH_SIZE]:
        return place
    mark = META.search(read, body)
    return mark and mark.start()


def end_of_text(data, start):
    end = data.find(b"<", start)
    return len(data) if end < 0 else end


def stated_hash(text):
    """The hash that the last line states, where it is a manifest that does."""
    last = text.removesuffix(b"\n").split(b"\n")[-1]
    stated = STATED.search(last) if last.startswith(b'{"manifest_hash":') else None
    return stated and stated.group(1)


def first_difference(data, start, expected):
    """Where data differs first from what is expected at start; None where it does not."""
    for offset, byte in enumerate(expected):
        if data[start + offset:start + offset + 1] != bytes((byte,)):
            return start + offset
    return None


def expect(data, start, expected):
    byte = first_difference(data, start, expected)
    if byte is not None:
        raise Deviation(byte)
    return start + len(expected)


def pieces(data, start):
    """The text of the element, as far as it is one, and then Deviation where the file does not end as it should."""
    while True:
        mark = MARK.search(data, start)
        if not mark:
            yield data[start:]
            raise Deviation(len(data))
        yield data[start:mark.start()]
        start = mark.start()
        if mark.group() == b">":
            raise Deviation(start)
        if mark.group() == b"<":
            if expect(data, start, CLOSING) < len(data):
                raise Deviation(start + len(CLOSING))
            return
        escape = {b"a": b"&amp;", b"l": b"&lt;", b"g": b"&gt;"}.get(data[start + 1:start + 2])
        if escape is None:
            raise Deviation(start + 1)
        start = expect(data, start, escape)
        yield ESCAPES[escape]
