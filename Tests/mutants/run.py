#!/usr/bin/env python3
"""Puts small bugs into the sources, one at a time, and reports which of them the tests notice.

The bugs are made by operators (operators.py) at places that a seed draws from all of Sources. All are compiled behind one switch in a copy of the package. The tests that
reach a bug are run with it, the likeliest first, until one fails. README.md explains it. Status 1 if fewer than 90 % were noticed, 2 if something could not be built or run.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import random
import signal
import sys
import threading
import time

import operators
import steps
import weave

CHOSEN, RESULTS = weave.FOLDER / "chosen.json", weave.FOLDER / "results.json"
WANTED = 0.9
# Tests of one step are run together up to so many seconds; a mutant gets tests of so many seconds in all.
BATCH, BUDGET = 8.0, 90.0


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300, metavar="N", help="the number of mutants (300)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which places are drawn (1)")
    parser.add_argument("--only", default="", metavar="MODULES", help="mutants of these modules alone, with commas between")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="the number of mutants that are tried side by side (2)")
    parser.add_argument("--list", action="store_true", help="print the mutants, and build and run nothing")
    parser.add_argument("--build", action="store_true", help="build the mutants, and run nothing")
    parser.add_argument("--no-build", action="store_true", help="run those that were built last")
    return parser.parse_args()


def places():
    """All mutants that operators make, by module."""
    found = collections.defaultdict(list)
    for path in sorted(weave.SOURCES.rglob("*.swift")):
        file = str(path.relative_to(weave.SOURCES))
        found[file.split("/")[0]] += operators.mutants_of(file, path.read_text(encoding="utf-8"))
    return {module: mutants for module, mutants in found.items() if mutants}


def shares(places, count):
    """How many mutants each module gets: as many as its part of all places, and at least one."""
    total = sum(map(len, places.values()))
    return {module: min(len(mutants), max(1, round(count * len(mutants) / total))) for module, mutants in places.items()}


def drawn(mutants, count, chance):
    """Mutants of a module in the order in which they are taken: every operator as often as another, and none on a line of another."""
    left, taken, lines = collections.defaultdict(list), [], set()
    for mutant in mutants:
        left[mutant.operator].append(mutant)
    for operator in left:
        chance.shuffle(left[operator])
    while left and len(taken) < count:
        for operator in chance.sample(sorted(left), len(left)):
            mutant = left[operator].pop()
            if not left[operator]:
                del left[operator]
            wanted = {(mutant.file, line) for line in range(mutant.line, mutant.last_line + 1)}
            if not lines & wanted:
                lines |= wanted
                taken.append(mutant)
    return taken[:count]


def is_wanted(module, arguments):
    return not arguments.only or module.lower() in arguments.only.lower().split(",")


def candidates(arguments):
    """Twice as many mutants as are wanted of each module, for not all compile; and how many are wanted."""
    found = places()
    found = {name: found[name] for name in found if is_wanted(name, arguments)}
    wanted = shares(found, arguments.count)
    chance, numbered = random.Random(arguments.seed), {}
    for module in sorted(found):
        for mutant in drawn(found[module], 2 * wanted[module] + 4, chance):
            numbered[len(numbered) + 1] = mutant
    return numbered, wanted


def reduced(mutants, wanted):
    """The first mutants of each module, as many as are wanted."""
    left, kept = dict(wanted), {}
    for number, mutant in sorted(mutants.items()):
        if left[mutant.module]:
            left[mutant.module] -= 1
            kept[number] = mutant
    return kept


def built(arguments):
    """The mutants that are in the copy, by number."""
    if arguments.no_build:
        return {int(number): operators.Mutant(**{**fields, "woven": tuple(fields["woven"])}) for number, fields in json.loads(CHOSEN.read_text(encoding="utf-8")).items()}
    numbered, wanted = candidates(arguments)
    say("checking %d mutants for %d" % (len(numbered), sum(wanted.values())))
    mutants = weave.build(reduced(weave.checked(numbered, say), wanted), say)
    CHOSEN.write_text(json.dumps({number: dataclasses.asdict(mutant) for number, mutant in mutants.items()}), encoding="utf-8")
    return mutants


def say(text):
    print(text, flush=True)


def side_by_side(arguments, work, items):
    with concurrent.futures.ThreadPoolExecutor(max_workers=arguments.jobs) as workers:
        yield from workers.map(work, items)


def measured(arguments, mutants):
    """All tests of the modules' steps, each with what it takes and reaches; and the steps that fail by themselves, which are left out."""
    found, broken = [], []
    names = steps.steps_for(sorted({mutant.module for mutant in mutants.values()}))
    for name, (tests, output) in zip(names, side_by_side(arguments, steps.measure, names)):
        found += tests
        say("%s: %d tests, %.0f s" % (name, len(tests), sum(test.seconds for test in tests)))
        if output:
            broken.append(name)
            say("%s fails without a mutant:\n%s" % (name, output[-3000:]))
    return found, broken


def batches(number, mutant, tests):
    """The tests that reach a mutant, in the order of its module's steps and the fast ones first, in runs of some seconds."""
    order = {step: place for place, step in enumerate(steps.steps_for([mutant.module]))}
    reaching = sorted((test for test in tests if number in test.reached and test.step in order), key=lambda test: (order[test.step], test.seconds))
    others = sorted((test for test in tests if number in test.reached and test.step not in order), key=lambda test: test.seconds)
    found, left, seen = [], BUDGET, set()
    for test in reaching + others:
        if left <= 0 or test.name in seen:
            continue
        seen.add(test.name)
        left -= test.seconds
        if not found or found[-1][0].step != test.step or sum(one.seconds for one in found[-1]) + test.seconds > BATCH:
            found.append([])
        found[-1].append(test)
    return found


def tried(number, mutant, tests):
    """Runs tests with a mutant until one fails. The result, for the table."""
    result = {"number": number, "module": mutant.module, "operator": mutant.operator, "place": "%s:%d" % (mutant.file, mutant.line), "change": mutant.shown(), "noticed": "", "seconds": 0.0}
    runs = batches(number, mutant, tests)
    result["tests"] = sum(map(len, runs))
    for group in runs:
        names = [test.name for test in group] if group[0].step.startswith("cli ") else []
        outcome = steps.execute(group[0].step, names, number, 3 * sum(test.seconds for test in group) + 15)
        result["seconds"] = round(result["seconds"] + outcome.seconds, 1)
        if not outcome.passed:
            result["noticed"] = ("time-out: " if outcome.timed_out else "") + (steps.failing_test(outcome) or group[0].step)
            break
    return result


def print_line(result):
    how = result["noticed"] or ("SURVIVED %d tests" % result["tests"] if result["tests"] else "SURVIVED: no test reaches it")
    say("%-9s Sources/%s: %s\n          %s, %.0f s" % (result["operator"], result["place"], result["change"][:300], how, result["seconds"]))


def print_table(results):
    """Counts for each module and operator, and the survivors; returns the share that was noticed."""
    def line(title, found):
        noticed = sum(bool(result["noticed"]) for result in found)
        say("%-16s %4d of %4d noticed, %5.1f %%" % (title, noticed, len(found), 100 * noticed / max(len(found), 1)))
        return noticed / max(len(found), 1)

    for kind in ("module", "operator"):
        say("")
        for name in sorted({result[kind] for result in results}):
            line(name, [result for result in results if result[kind] == name])
    say("\nsurvivors:")
    for result in sorted(results, key=lambda one: one["place"]):
        if not result["noticed"]:
            print_line(result)
    say("")
    return line("all", results)


def main():
    arguments = parsed_arguments()
    signal.signal(signal.SIGINT, steps.end_all)
    signal.signal(signal.SIGTERM, steps.end_all)
    if arguments.list:
        numbered, wanted = candidates(arguments)
        for number, mutant in reduced(numbered, wanted).items():
            say("%4d %-9s Sources/%s:%d: %s" % (number, mutant.operator, mutant.file, mutant.line, mutant.shown()[:300]))
        return 0
    begin, mutants = time.monotonic(), {number: mutant for number, mutant in built(arguments).items() if is_wanted(mutant.module, arguments)}
    say("built %d mutants: %.0f min" % (len(mutants), (time.monotonic() - begin) / 60))
    if arguments.build:
        return 0
    tests, broken = measured(arguments, mutants)
    results, lock = [], threading.Lock()

    def work(number):
        result = tried(number, mutants[number], tests)
        with lock:
            results.append(result)
            RESULTS.write_text(json.dumps(results, indent=1), encoding="utf-8")
            say("%d/%d" % (len(results), len(mutants)))
            print_line(result)

    # Mixed, so that a run that is broken off has tried some of every module.
    numbers = sorted(mutants)
    random.Random(arguments.seed).shuffle(numbers)
    for _ in side_by_side(arguments, work, numbers):
        pass
    share = print_table(results)
    say("%.0f min%s" % ((time.monotonic() - begin) / 60, "; left out, since they fail by themselves: " + ", ".join(broken) if broken else ""))
    return 2 if broken else 0 if share >= WANTED else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except weave.Fault as fault:
        print("mutants: error: %s" % fault, file=sys.stderr)
        sys.exit(2)
