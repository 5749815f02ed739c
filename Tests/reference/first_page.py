"""Years and nights of a page of one observation, from the items of the day report of the same observation: Spec/report-page.md, One observation.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import datetime

MONTHS, YEARS = 240, 400


def nights(items):
    """The newest months with a night or a nap."""
    months = {}
    for item in items:
        if item["measure"] in ("night", "nap") and "date" in item:
            month = months.setdefault(item["date"][:7], {"asleep_day_count": 0, "nap_count": 0, "night_count": 0, "microseconds": 0})
            month[item["measure"] + "_count"] += 1
            if item["measure"] == "night" and "asleep_seconds" in item:
                month["asleep_day_count"] += 1
                month["microseconds"] += round(item["asleep_seconds"] * 1_000_000)
    found = []
    for date, month in sorted(months.items())[-MONTHS:]:
        asleep = month.pop("microseconds")
        found.append({"date": date, **month, **({"asleep_seconds": asleep / 1_000_000} if month["asleep_day_count"] else {})})
    return found


def digit(count):
    return min(9, len(str(count))) if count else 0


def years_of(items):
    """The years of one type."""
    counts = {}
    for item in items:
        if item["measure"] not in ("night", "nap") and "date" in item and item["record_count"]:
            days = counts.setdefault(item["date"][:4], {})
            days[item["date"]] = days.get(item["date"], 0) + item["record_count"]
    found = []
    for year, days in sorted(counts.items()):
        first = datetime.date(int(year), 1, 1)
        length = (datetime.date(int(year), 12, 31) - first).days + 1
        digits = [digit(days.get((first + datetime.timedelta(days=day)).isoformat(), 0)) for day in range(length)]
        found.append({"day_count": len(days), "days": "".join(map(str, digits)), "record_count": sum(days.values()), "year": year})
    return found


def years(items, types):
    """The years of each of the types, which have the order of the page's items; none of a type whose years do not fit."""
    left, found = YEARS, []
    for name in types:
        mine = years_of([item for item in items if item.get("sample_type") == name])
        fits = len(mine) <= left
        left -= len(mine) if fits else 0
        found.append(mine if fits else [])
    return found
