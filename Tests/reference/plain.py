"""What sources give to a capture, as plain values; and days of the calendar.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import math
import unicodedata
from fractions import Fraction
from typing import NamedTuple, Optional

from export_bundle import DAYS_TO_1970, canonical, days_before_year, month_lengths


class Facts(NamedTuple):
    """What a source says of an observation. `kind` is the kind of source of Spec/identity.md."""
    kind: str
    observed_at: float
    trigger_reason: str
    app_version: Optional[str] = None
    os_version: Optional[str] = None
    time_zone_identifier: Optional[str] = None
    time_zone_seconds_from_gmt: Optional[int] = None
    selected_types: Optional[list] = None


class Rejection(NamedTuple):
    """A record that cannot be stored: `start` where it can be read, `content` what was read."""
    sample_type: Optional[str]
    reason: str
    line: int
    start: Optional[float]
    content: dict


class Record:
    """One record with normal values. `columns` are those of sample_versions, dates as doubles; `source` and `device` are what a
    source says, by the names of the feed; `metadata` has private values as HMACs already."""

    def __init__(self, line, sample_type, columns, source, device, metadata, uuid=None):
        self.line, self.sample_type, self.columns, self.uuid = line, sample_type, columns, uuid
        self.source, self.device, self.metadata = source, device, metadata
        self.members, self.routes = [], []
        self.is_unread = False  # a file that it names could not be looked at

    @property
    def metadata_json(self):
        return canonical(self.metadata) if self.metadata else None


def days_since_1970(year, month, day):
    """None where the calendar of the years from 1 on has no such day."""
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= month_lengths(year)[month - 1]):
        return None
    return days_before_year(year) - DAYS_TO_1970 + sum(month_lengths(year)[:month - 1]) + day - 1


def seconds_of(microseconds):
    """The nearest double of microseconds ÷ 10^6: a quotient of integers is rounded once."""
    return microseconds / 1_000_000



# Numbers, Spec/identity.md and Spec/apple-health.md


def is_kept(text, value):
    """Whether a double differs from a decimal by at most half a unit of the decimal's last digit that is not 0."""
    if not math.isfinite(value):
        return False
    digits, _, exponent = text.lower().partition("e")
    whole, _, fraction = digits.lstrip("+-").partition(".")
    significant = (whole + fraction).lstrip("0").rstrip("0")
    if not significant:
        return True
    if value == 0 or len(significant) > 800 or abs(int(exponent or 0)) > 10_000:
        return False
    zeros = len((whole + fraction).lstrip("0")) - len(significant)
    unit = Fraction(10) ** (int(exponent or 0) - len(fraction) + zeros)
    return 2 * abs(abs(Fraction(value)) - int(significant) * unit) <= unit


DIRECTIONS = "\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069"
SEPARATORS = ",\u066B\uFF0E\uFF0C"
MINUS_SIGNS = "\u2010\u2012\u2212\uFE63\uFF0D"


def in_ascii(text):
    """A text with the digits, decimal separators and minus signs of ASCII, without marks of direction."""
    result = []
    for character in text:
        if character in DIRECTIONS:
            continue
        if character in SEPARATORS:
            character = "."
        elif character in MINUS_SIGNS:
            character = "-"
        elif character >= "\x80" and unicodedata.decimal(character, None) is not None:
            character = str(unicodedata.decimal(character))
        result.append(character)
    return "".join(result)
