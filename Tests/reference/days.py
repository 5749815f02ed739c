"""Local days of Spec/capture.md, "Local days": from the first moment of a local date to that of the next one.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import bisect
import functools
import json
import re
import zoneinfo
from datetime import date, datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DAY = 86400
FIRST, LAST = (int((datetime(year, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds()) for year in (1700, 2201))
FAR = -(10 ** 15)
RINGS = "HKActivitySummaryTypeIdentifier"


# Rules of the system, for captures

@functools.lru_cache(maxsize=64)
def rules_of_system(name):
    """The text of the rules of a zone; None where the system has no such zone."""
    if not re.fullmatch("[A-Za-z0-9_+-][A-Za-z0-9_+/-]{0,63}", name) or name.endswith("/"):
        return None
    try:
        zone = zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
    offset = lambda moment: int((EPOCH + timedelta(seconds=moment)).astimezone(zone).utcoffset().total_seconds())
    numbers, before = [offset(FIRST)], offset(FIRST)
    for low in range(FIRST, LAST, DAY):
        high = low + DAY
        while offset(high) != before:
            end = high
            while end - low > 1:
                middle = (low + end) // 2
                low, end = (middle, end) if offset(middle) == before else (low, middle)
            before = offset(end)
            numbers += [end, before]
            low = end
    return json.dumps(numbers, separators=(",", ":"))


def rules_of_capture(name, seconds, observed_at):
    """The text of the rules that a capture stores."""
    text = None if name is None else rules_of_system(name)
    if text is not None and (seconds is None or Days(text).offset(int(observed_at // 1)) == seconds):
        return text
    return "[%d]" % (seconds if seconds is not None and abs(seconds) <= 93_600 else 0)


# Days of observations

@functools.lru_cache(maxsize=64)
def days_of_rules(text):
    return Days(text)


def days_of_observation(text, name, seconds, buckets):
    """The days of an observation: by its rules, else by its offset, and where it names a zone by `buckets`: start and end of stored ones."""
    if text is not None:
        return days_of_rules(text)
    fixed = "[%d]" % (seconds if seconds is not None and abs(seconds) <= 93_600 else 0)
    return Days(fixed, buckets) if name is not None else days_of_rules(fixed)


class Days:
    """Days by the text of rules, and beside it by known buckets."""

    def __init__(self, text, buckets=()):
        numbers = json.loads(text)
        self.starts, self.offsets = [FAR, *numbers[1::2]], numbers[0::2]
        self.known = []
        for start, end in sorted(set(buckets)):
            if start == int(start) and end == int(end) and 0 < end - start <= 2 * DAY and (not self.known or start >= self.known[-1][1]):
                self.known.append((int(start), int(end)))
        self.first_moment = functools.lru_cache(maxsize=None)(self.first_moment_computed)

    def offset(self, moment):
        """Seconds east of UTC at a Unix second."""
        return self.offsets[bisect.bisect_right(self.starts, moment) - 1]

    def first_moment_computed(self, number):
        """The first Unix second whose local date is that of a day number, or a later one."""
        midnight = number * DAY
        for place, (start, offset) in enumerate(zip(self.starts, self.offsets)):
            end = self.starts[place + 1] if place + 1 < len(self.starts) else float("inf")
            moment = max(start, midnight - offset)
            if moment < end:
                return moment
        raise AssertionError("the last offset holds for ever")

    def bucket_and_number(self, moment):
        second = int(moment // 1)
        for start, end in self.known:
            if start <= second < end:
                return (start, end), self.number_of_known(start, end)
        number = (second + self.offset(second)) // DAY
        while self.first_moment(number) > second:
            number -= 1
        while self.first_moment(number + 1) <= second:
            number += 1
        start = max([self.first_moment(number), *(end for _, end in self.known if end <= second)])
        return (start, min([self.first_moment(number + 1), *(begin for begin, _ in self.known if begin > second)])), number

    def number_of_known(self, start, end):
        middle = start + (end - start) // 2
        return (middle + self.offset(middle)) // DAY

    def bucket(self, moment):
        """Start and end of the day that holds a moment."""
        start, end = self.bucket_and_number(moment)[0]
        return float(start), float(end)

    def bucket_of(self, sample_type, start):
        """The bucket of a record: that of its moment, of rings that of their date; None where the date does not exist."""
        if sample_type != RINGS:
            return self.bucket(start)
        number = int(start // DAY)
        bucket, found = self.bucket_and_number(self.first_of(number))
        return tuple(map(float, bucket)) if found == number else None

    def number(self, moment):
        """The local day that holds a moment, as days since 1970-01-01."""
        return self.bucket_and_number(moment)[1]

    def first_of(self, number):
        """The first moment of a day, given as days since 1970-01-01."""
        for start, end in self.known:
            if self.number_of_known(start, end) == number:
                return start
        first = self.first_moment(number)
        return next((end for start, end in self.known if start <= first < end), first)
