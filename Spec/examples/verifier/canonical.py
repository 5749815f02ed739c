"""Canonical JSON: reading, and the first byte that is not canonical; writing."""

import json
import os
import re

from .findings import Fault


MAX_DEPTH = 512
STRING_PART = re.compile(rb'[^"\\\x00-\x1f]*')
ESCAPE = re.compile(rb'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
LOW_BEGUN = re.compile(rb'(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?\Z')  # a text that ends before a pair is complete
ESCAPE_BEGUN = re.compile(rb'(?:\\(?:u[0-9a-fA-F]{0,3})?)?')
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
NUMBER_BEGUN = re.compile(rb"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+[eE][+-]?)?|[eE][+-]?))?(?<=[-+.eE])")  # a digit has to follow
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
        self.wrong(self.at)

    def wrong(self, at):
        """Something else has to stand at this place, or something at all."""
        try:
            self.text[at:at + 4].decode()
        except UnicodeDecodeError as error:
            if error.start == 0:
                raise Fault("canonical.utf8", at) from None
        raise Fault("canonical.syntax", at)

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
        if byte in LITERALS:
            name, value = LITERALS[byte]
            found = self.text[self.at:self.at + len(name)]
            if found != name:
                self.wrong(self.at + len(os.path.commonprefix([found, name])))
            self.at += len(name)
            return value
        return self.number()

    def number(self):
        match = NUMBER.match(self.text, self.at)
        begun = NUMBER_BEGUN.match(self.text, self.at)
        if begun and (not match or begun.end() > match.end()):
            self.wrong(begun.end())
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
            self.wrong(ESCAPE_BEGUN.match(self.text, self.at).end())
        start, self.at = self.at, match.end()
        if match.group(1):
            return SHORT_ESCAPES[match.group(1)[0]]
        unit = int(match.group(2), 16)
        if not 0xD800 <= unit < 0xE000:
            return chr(unit)
        low = ESCAPE.match(self.text, self.at)
        low_unit = int(low.group(2), 16) if low and low.group(2) else 0
        if unit < 0xDC00 and LOW_BEGUN.match(self.text, self.at):
            raise Fault("canonical.syntax", len(self.text))
        if unit >= 0xDC00 or not 0xDC00 <= low_unit < 0xE000:
            raise Fault("canonical.surrogate", start)
        self.at = low.end()
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low_unit - 0xDC00))


class Slowly(Exception):
    """A text that only `Canonical` can judge."""


def small_integer(token):
    if len(token) > 15:
        raise Slowly
    return int(token)


def plain_number(token):
    if len(token) > 25:
        raise Slowly
    value = float(token)
    if value in (float("inf"), float("-inf")) or number_text(value) != token.encode():
        raise Slowly
    return value


def no_constant(name):
    raise Slowly


DECODER = json.JSONDecoder(parse_int=small_integer, parse_float=plain_number, parse_constant=no_constant)
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def read(text):
    """What `Canonical` reads, several times as fast where Python's own `json` can show that a text is canonical.

    It does where it writes the same bytes again: without white space, in the order of keys, which is that of UTF-16 below
    U+D800, each escape in its one form. Numbers are compared one by one, since it writes some in other forms.
    """
    try:
        characters = text.decode()
        if text.count(b"{") + text.count(b"[") <= MAX_DEPTH and (text.isascii() or max(characters) < "\ud800"):
            value = DECODER.decode(characters)
            if ENCODER.encode(value) == characters:
                return value
    except (Slowly, ValueError, RecursionError):
        pass
    return Canonical(text).read()


def canonical(value):
    """The bytes of a value that was read: as it stood in the line. A byte of a table that is not UTF-8 stays as it is."""
    if value is None or isinstance(value, bool):
        return {None: b"null", True: b"true", False: b"false"}[value]
    if isinstance(value, str):
        return b'"%s"' % b"".join(ESCAPES.get(char) or char.encode("utf-8", "surrogateescape") for char in value)
    if isinstance(value, (int, float)):
        return str(value).encode() if isinstance(value, int) else number_text(value)
    if isinstance(value, list):
        return b"[%s]" % b",".join(map(canonical, value))
    names = sorted(value, key=utf16)
    return b"{%s}" % b",".join(b"%s:%s" % (canonical(name), canonical(value[name])) for name in names)
