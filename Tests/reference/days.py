"""Local days of Spec/capture.md, "Aggregates": from the first moment of a local date to that of the next one.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import functools
import zoneinfo
from datetime import date, datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@functools.lru_cache(maxsize=64)
def days_of(name, seconds):
    """The days of an observation's zone."""
    return Days(name, seconds)


class Days:
    """The days of a zone: that of an IANA name where the system knows it, else of a fixed offset in seconds, else UTC."""

    def __init__(self, name=None, seconds=None):
        zone = None if name is None else self.zone(name)
        self.is_known = zone is not None
        self.local = zone or timezone(timedelta(seconds=seconds or 0))
        self.first_moment = functools.lru_cache(maxsize=None)(self.first_moment_computed)

    @staticmethod
    def zone(name):
        """None where the system has no such zone."""
        try:
            return zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            return None

    def offset(self, moment):
        """Seconds east of UTC at a Unix second."""
        return int((EPOCH + timedelta(seconds=moment)).astimezone(self.local).utcoffset().total_seconds())

    def date(self, moment):
        return (EPOCH + timedelta(seconds=moment + self.offset(moment))).date()

    def changes(self, low, high):
        """The Unix seconds in (low, high] at which the offset becomes another one."""
        found = []
        for begin in range(low, high, 900):
            end = begin + 900
            before = self.offset(begin)
            if self.offset(end) != before:
                found.append(self.first_other(begin, end, before))
        return found

    def first_other(self, low, high, before):
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.offset(middle) == before else (low, middle)
        return high

    def first_moment_computed(self, day):
        """The first Unix second whose local date is `day`, or a later one where the zone has no such date."""
        midnight = (day - date(1970, 1, 1)).days * 86400
        low, high = midnight - 30 * 3600, midnight + 30 * 3600
        changes = self.changes(low, high)
        offsets = {self.offset(moment) for moment in [low, *changes]}
        candidates = sorted({midnight - offset for offset in offsets} | set(changes))
        return next(moment for moment in candidates if low <= moment and self.date(moment) >= day)

    def bucket(self, moment):
        """Start and end of the day that holds a moment."""
        second = int(moment // 1)
        if isinstance(self.local, timezone):
            offset = int(self.local.utcoffset(None).total_seconds())
            start = (second + offset) // 86400 * 86400 - offset
            return float(start), float(start + 86400)
        day = self.date(second)
        while self.first_moment(day) > second:
            day -= timedelta(days=1)
        while self.first_moment(day + timedelta(days=1)) <= second:
            day += timedelta(days=1)
        after = day + timedelta(days=1)
        return float(self.first_moment(day)), float(self.first_moment(after))

    def number(self, moment):
        """The local day that holds a moment, as days since 1970-01-01."""
        start, end = self.bucket(moment)
        second = int(start)
        if isinstance(self.local, timezone):
            return (second + int(self.local.utcoffset(None).total_seconds())) // 86400
        day = self.date(second)
        while self.first_moment(day + timedelta(days=1)) <= second:
            day += timedelta(days=1)
        return (day - date(1970, 1, 1)).days

    def first_of(self, number):
        """The first moment of a day, given as days since 1970-01-01."""
        if isinstance(self.local, timezone):
            return number * 86400 - int(self.local.utcoffset(None).total_seconds())
        return self.first_moment(date(1970, 1, 1) + timedelta(days=number))
