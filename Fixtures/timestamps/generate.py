#!/usr/bin/env python3
"""Writes the timestamp tables of this folder anew, by the rule of Spec/timestamps.md and exact fractions.

    cases.txt        bits of a stored double, then its text, or `none`
    respellings.txt  a text, then the bits of the double that it is the canonical text of, or `none`

Nothing clever: for each number of digits all texts near the double are tried. Run by hand, on demand only;
the same bytes come out on every run.
"""
import datetime
import math
import pathlib
import random
import struct
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
FIRST, END = -62135596800, 253402300800
EPOCH = datetime.datetime(1970, 1, 1)
random = random.Random(20000101)


def bits(value):
    return struct.pack(">d", value).hex()


def text_of(units, digits):
    """The text of units / 10^digits seconds; None outside the years 1 to 9999."""
    whole, fraction = divmod(units, 10 ** digits)
    if not FIRST <= whole < END:
        return None
    moment = EPOCH + datetime.timedelta(days=whole // 86400, seconds=whole % 86400)
    return "%04d-%02d-%02dT%02d:%02d:%02d.%0*dZ" % (
        moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, digits, fraction)


def gives_back(units, digits, value):
    return bits(float(Fraction(units, 10 ** digits))) == bits(value)


def canonical(value):
    """The canonical text of a double, None where it has none."""
    if not math.isfinite(value) or not FIRST <= value < END:
        return None
    exact = Fraction(value)
    for digits in range(3, 10):
        near = math.floor(exact * 10 ** digits)
        found = [units for units in range(near - 3, near + 5)
                 if text_of(units, digits) and gives_back(units, digits, value)]
        if found:
            best = min(found, key=lambda units: (abs(Fraction(units, 10 ** digits) - exact), units % 2))
            return text_of(best, digits)
    return None


def seconds(*date):
    return float((datetime.datetime(*date) - EPOCH) // datetime.timedelta(seconds=1))


def neighbours(value):
    return [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]


def values():
    yield from (946684800.0, 1700000000.123, 1700000000.1234567, -0.5, -62135596800.0, 0.1234567890123)
    for _ in range(400):  # near now, as they come
        yield random.uniform(9e8, 2e9)
    for _ in range(400):  # near now, whole microseconds
        yield round(random.uniform(9e8, 2e9), 6)
    for digits in range(3, 10):
        for _ in range(40):
            yield round(random.uniform(1.6e9, 1.8e9), digits)
        for _ in range(20):
            yield -round(random.uniform(0, 3e9), digits)
            yield round(random.uniform(0, 9e6), digits)
            yield round(random.uniform(0, 2), digits)
    for _ in range(150):
        yield random.uniform(FIRST, END)
        yield -random.uniform(0, 1e10)
        yield random.uniform(-2e5, 2e5)
    for _ in range(60):  # few bits, so that nine digits can do
        yield random.randrange(-(1 << 20), 1 << 20) / 2 ** random.randrange(1, 12)
    for exponent in list(range(-60, 40)) + [-1074, -1022, 63, 64, 1023]:
        yield from neighbours(2.0 ** exponent)
        yield from neighbours(-(2.0 ** exponent))
    for edge in (FIRST, END, 0, 8388608, 131072, -8388608, -131072):
        value = float(edge)
        for step in range(4):
            yield value
            value = math.nextafter(value, math.inf)
        value = float(edge)
        for step in range(4):
            yield value
            value = math.nextafter(value, -math.inf)
        yield from (edge + 0.5, edge - 0.5, edge + 0.001, edge - 0.001, edge + 1e-6, edge - 1e-6)
    for year in (1, 4, 100, 400, 1582, 1600, 1700, 1900, 1904, 1970, 1999, 2000, 2004, 2023, 2024, 2100, 2400, 9996, 9999):
        for date in ((year, 1, 1), (year, 2, 28), (year, 3, 1), (year, 12, 31, 23, 59, 59)):
            yield from neighbours(seconds(*date))
            yield seconds(*date) + 0.875
        if year % 4 == 0 and (year % 100 or year % 400 == 0):
            yield from neighbours(seconds(year, 2, 29, 12, 34, 56))
    for month in range(1, 13):
        yield seconds(2023, month, 28, 23, 59, 59) + 0.999
    # As near to one text as to the next: odd multiples of 2^-n that have one digit more than are needed.
    for base in (1.7e9, -1.7e9, 5e8, 3e7, 1e10, -1e10, 1e11, 2e11, -5e10):
        for power in range(4, 12):
            for _ in range(6):
                yield base + random.randrange(1, 2 ** power, 2) / 2 ** power
    # Just before a whole second.
    for base in (1700000001.0, 1000000000.0, -1.0, 0.0, 5.0, 1e11, -1e10, 16777216.0):
        for gap in (1e-3, 1e-4, 1e-5, 1e-6, 3e-7, 2.4e-7, 1e-7, 1e-8, 1e-9, 4e-10):
            yield base - gap
        yield math.nextafter(base, -math.inf)
    yield from (math.inf, -math.inf, math.nan, 1e300, -1e300, 5e-324, -5e-324, 1e19, -1e19)


def respellings(text):
    """Other spellings of about the same moment; many are canonical for a double of their own."""
    digits = len(text) - 21
    moment = datetime.datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    units = (moment - EPOCH) // datetime.timedelta(seconds=1) * 10 ** digits + int(text[20:-1])
    yield units, digits
    yield from ((units + 1, digits), (units - 1, digits))
    if digits > 3:
        yield units // 10, digits - 1
    for more in range(digits + 1, 10):
        scale = 10 ** (more - digits)
        yield units * scale, more
        yield units * scale + 1, more
        yield units * scale - 1, more


def main():
    stored = {bits(value): value for value in values() if bits(value) != bits(-0.0)}
    texts = {key: canonical(value) for key, value in stored.items()}
    with open(HERE / "cases.txt", "w", encoding="ascii") as file:
        file.write("# bits of the stored double, its text; written by generate.py\n")
        for key, text in texts.items():
            file.write("%s %s\n" % (key, text or "none"))
    spelled = {}
    for text in [text for text in texts.values() if text][::7]:
        for units, digits in respellings(text):
            other = text_of(units, digits)
            if other and other not in spelled:
                value = float(Fraction(units, 10 ** digits))
                spelled[other] = bits(value) if canonical(value) == other else "none"
    with open(HERE / "respellings.txt", "w", encoding="ascii") as file:
        file.write("# a text, the bits of the double whose canonical text it is; written by generate.py\n")
        for text, key in spelled.items():
            file.write("%s %s\n" % (text, key))


if __name__ == "__main__":
    main()
