"""Timestamps: Spec/timestamps.md."""

import datetime
import functools
import re


TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3,9})Z")
EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST, AFTER_LAST = -62135596800, 253402300800


KEPT = 1 << 14  # the items of an export repeat many timestamps


@functools.lru_cache(maxsize=KEPT)
def is_timestamp(text):
    """Whether a text is the canonical one of the double that it names."""
    return read_timestamp(text) is not None and write_timestamp(read_timestamp(text)) == text


@functools.lru_cache(maxsize=KEPT)
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
