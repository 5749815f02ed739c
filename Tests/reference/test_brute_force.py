#!/usr/bin/env python3
"""hp-export diff against the brute-force reference: every item of all four reports of random histories, in both directions.

usage: Tests/reference/test_brute_force.py [--count N] [--first N] [--jobs N] [--show N] [--counts]

A history is named by its number. Faults are planted in the reference, too: each must show in some history. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import contextlib
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", HERE.parent.parent / ".build" / "release"))

import brute_force  # noqa: E402
import random_stores  # noqa: E402

MODES = {"diff_report": [], "diff_summary": ["--summary"], "finding_report": ["--findings"], "pair_report": ["--pairs"]}


def tool(*arguments):
    process = subprocess.run([str(TOOLS / "hp-export"), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if process.returncode not in (0, 1):
        raise RuntimeError("hp-export %s: %s" % (" ".join(map(str, arguments)), process.stderr.decode()))
    return process.stdout


def archive_of(number, folder):
    """The archive of a history, captured from its feed; of every fourth one with damaged values."""
    chance = random.Random("history %d" % number)
    store = random_stores.Store(chance)
    feed, archive = pathlib.Path(folder) / "feed.jsonl", pathlib.Path(folder) / "archive.sqlite"
    feed.write_bytes(store.feed())
    tool("capture", archive, "--feed", feed, "--quiet")
    if number % 4 == 3:
        store.damage(archive)
    pair = chance.sample(range(1, store.count + 1), 2)
    return archive, pair


def items(archive, kind, before, after):
    text = tool("diff", archive, "--from", before, "--to", after, *MODES[kind], "--format", "jsonl", "-o", "-", "--no-record", "--quiet")
    return [json.loads(line)["item"] for line in text.splitlines()[1:-1]]


def form(item):
    return json.dumps(brute_force.plain(item), sort_keys=True)


def first_difference(kind, ours, theirs):
    """What differs first between the items of the tool and those of the reference, or None."""
    for one, two in zip(ours, theirs):
        if form(one) != form(two):
            names = [name for name in sorted({*one, *two}) if form(one.get(name)) != form(two.get(name))]
            return "%s, %s of %s at %s\n  tool:      %s\n  reference: %s" % (
                kind, ", ".join(names), one.get("sample_type"), one.get("start_date", one.get("window_start")), *(form({name: item.get(name) for name in names}) for item in (one, two)))
    if len(ours) != len(theirs):
        return "%s: %d items instead of %d, the first: %s" % (kind, len(ours), len(theirs), form((ours + theirs)[min(len(ours), len(theirs))] if len(ours) > len(theirs) else theirs[len(ours)]))
    return None


def is_other(archive, before, after, said):
    """Whether the reference says anything else than the tool did."""
    diff = brute_force.Diff(archive, before, after)
    return any(first_difference(kind, said[kind], of(diff)) for kind, of in brute_force.REPORTS.items())


def look(number):
    """The first difference of one history, how many items were compared by kind, and which planted faults show in it."""
    counts, found = {}, set()
    with tempfile.TemporaryDirectory() as folder:
        archive, (one, two) = archive_of(number, folder)
        for before, after in ((one, two), (two, one)):
            diff, said = brute_force.Diff(archive, before, after), {}
            for kind, of in brute_force.REPORTS.items():
                said[kind], theirs = items(archive, kind, before, after), of(diff)
                for item in theirs:
                    word = next((item[name] for name in ("finding", "pair", "label") if isinstance(item.get(name), str)), kind)
                    counts[kind, word] = counts.get((kind, word), 0) + 1
                difference = first_difference(kind, said[kind], theirs)
                if difference:
                    return "history %d, %d to %d: %s" % (number, before, after, difference), counts, found
            for name in sorted(HIDDEN):
                with planted(FAULTS[name]):
                    if is_other(archive, before, after, said):
                        found.add(name)
            HIDDEN.difference_update(found)
    return None, counts, found


def guarded(number):
    try:
        return look(number)
    except Exception:  # a history that cannot be looked at is a failure, too
        return "history %d: %s" % (number, traceback.format_exc()), {}, set()


# Planted faults: what the reference says with one of them must differ from what the tool says, in some history.

FAULTS = {
    "windows end at gaps of two hours": {"GAP": 7200},
    "measures within two percent are the same": {"TOLERANCE": 0.02},
    "every record is of one app": {"same_apps": lambda entries: True},
    "no record is left over": {"replaced": lambda changes: {}},
    "an arrival is late after twenty days": {"LATE": 1728000},
    "the baseline has half as many days": {"BASELINE": 90},
    "a spread of five times is one": {"RATIO": 5},
    "days are those of UTC": {"zone_of": lambda text, seconds: ((-math.inf, 0),)},
    "values are not converted": {"converted": lambda name, value, unit: value if "unit" in brute_force.measure_of(name) else None},
    "weights of a mean are one": {"mean": lambda method, weighed: brute_force.over(brute_force.total(value for value, _ in weighed), float(len(weighed)))},
    "a workout lasts from start to end": {"seconds_of": lambda measure, version: version.length},
    "no digits are looked at": {"six_digits": lambda value: 0.0},
    "no metadata say how a value is meant": {"MEANINGS": set()},
    "no records are the points of a series": {"series_of": lambda records: None},
}

# Those that this process has not yet seen.
HIDDEN = set(FAULTS)


@contextlib.contextmanager
def planted(names):
    kept = {name: getattr(brute_force, name) for name in names}
    for name, value in names.items():
        setattr(brute_force, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(brute_force, name, value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=int(os.environ.get("HP_HISTORIES", "60")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="so many differences are printed")
    parser.add_argument("--counts", action="store_true", help="say how many items of what kind were compared")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.count)
    if arguments.jobs > 1:
        with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as workers:
            results = list(workers.map(guarded, numbers, chunksize=8))
    else:
        results = list(map(guarded, numbers))
    failures = [failure for failure, _, _ in results if failure]
    hidden = sorted(set(FAULTS).difference(*(found for _, _, found in results)))
    for failure in failures[:arguments.show]:
        print(failure)
    if arguments.counts:
        sums = {}
        for _, counts, _ in results:
            for key, count in counts.items():
                sums[key] = sums.get(key, 0) + count
        for key, count in sorted(sums.items()):
            print("%7d  %s %s" % (count, *key))
    for name in hidden:
        print("a planted fault shows in no history: " + name)
    failed = len(failures) + len(hidden)
    print("%d passed, %d failed" % (len(results) + len(FAULTS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
