#!/usr/bin/env python3
"""Puts small, named bugs into the sources, one at a time, and says which of them the tests notice.

Every mutant of Tests/mutants/*.txt is compiled behind a switch in a copy of the package, in one build. A mutant's steps run one after the other until one fails. The end
is a table. Status 1 where fewer than 95 % were noticed, 2 where an entry does not apply, does not compile, or a step fails by itself. README.md explains all of it.
"""

import argparse
import collections
import concurrent.futures
import json
import random
import signal
import sys
import threading
import time
import unittest

import entries
import modules
import steps
import weave

RESULTS = entries.ROOT / ".build" / "mutants" / "results.json"
KILLED = entries.HERE / "killed.json"
WANTED = 0.95
# Other steps of a module are run for as long as they would take without a mutant, in seconds.
OTHERS = 60.0


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only whether every entry applies, and the tests of the runner")
    parser.add_argument("--only", default="", metavar="MODULES", help="mutants of these modules alone, with commas between")
    parser.add_argument("--names", default="", metavar="NAMES", help="these mutants alone, with commas between")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them, by chance")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which chance")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="so many side by side (2)")
    parser.add_argument("--resume", action="store_true", help="keep the results of the last run, and go on with the rest")
    return parser.parse_args()


def read_list():
    """The mutants and those that are excused; ends the program where an entry is not as it should be."""
    mutants, faults = entries.read_all()
    try:
        excused = entries.equivalents()
    except entries.Fault as fault:
        excused, faults = {}, [*faults, str(fault)]
    faults += ["equivalent.txt: no mutant is named %s" % name for name in sorted(set(excused) - {mutant.name for mutant in mutants})]
    faults += ["%s: %s: %s: %s" % (mutant.list_name, mutant.name, step, fault)
               for mutant in mutants for step in mutant.steps for fault in [steps.fault_of(step)] if fault]
    faults += ["%s: %s: no steps for this module in modules.py" % (mutant.list_name, mutant.name) for mutant in mutants if mutant.module not in modules.STEPS]
    return mutants, excused, faults


def check():
    """Whether every entry applies. The last line is as that of other tests."""
    mutants, _, faults = read_list()
    for fault in faults:
        print(fault)
    suite = unittest.defaultTestLoader.discover(str(entries.HERE))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
    wrong = len(result.failures) + len(result.errors)
    print("%d passed, %d failed" % (len(mutants) + result.testsRun - wrong, len(faults) + wrong))
    return 2 if faults else 1 if wrong else 0


class Session:
    """One run: what was found so far, and what noticed each mutant last time."""

    def __init__(self, arguments):
        self.baseline = steps.Baseline()
        self.killed = json.loads(KILLED.read_text(encoding="utf-8")) if KILLED.is_file() else {}
        stored = json.loads(RESULTS.read_text(encoding="utf-8")) if arguments.resume and RESULTS.is_file() else {}
        self.results, self.lock, self.count, self.jobs = stored, threading.Lock(), 0, arguments.jobs

    def save(self):
        for path, content in ((RESULTS, self.results), (KILLED, self.killed)):
            new = path.with_suffix(".new")
            new.write_text(json.dumps(content, indent=0, sort_keys=True) + "\n", encoding="utf-8")
            new.replace(path)

    def note(self, mutant, result, of):
        with self.lock:
            self.results[mutant.name] = {"digest": mutant.digest, "module": mutant.module, "what": mutant.what, "file": mutant.file, **result}
            if result["outcome"] == "killed":
                self.killed[mutant.name] = result["step"]
            self.save()
            self.count += result["outcome"] != "open"
            print("%4d/%d %s" % (self.count, of, line_of(mutant.name, self.results[mutant.name])), flush=True)

    def attempt(self, mutant, names, tried):
        """Runs steps until one notices a mutant. Returns the result, or nothing."""
        for name in names:
            for piece in self.baseline.pieces(name):
                if piece not in tried:
                    tried.append(piece)
                    result = self.baseline.notices(piece, mutant.number)
                    if result:
                        return result
        return None

    def first_steps(self, mutant):
        """What noticed it last time, then what its entry names."""
        last = self.killed.get(mutant.name)
        return ([last] if last and not steps.fault_of(last) else []) + list(mutant.steps)

    def others(self, mutant):
        """The other steps of a module, the fast ones first, as many as take a minute together when nothing is wrong."""
        found, left = [], OTHERS
        for name in sorted(modules.STEPS[mutant.module], key=lambda name: self.baseline.guess(name) or steps.PIECE):
            left -= 0 if name in mutant.steps else self.baseline.guess(name) or steps.PIECE
            if left > 0:
                found.append(name)
        return found

    def run(self, mutants):
        """All mutants by their own steps, then those that are left by the other steps of their module."""
        of = len(mutants)
        open_ones = {name: result["steps"] for name, result in self.results.items() if result["outcome"] == "open"}

        def first(mutant):
            tried = []
            result = self.attempt(mutant, self.first_steps(mutant), tried)
            self.note(mutant, result or {"outcome": "open", "steps": tried}, of)

        def second(mutant):
            tried = open_ones.get(mutant.name) or self.results[mutant.name]["steps"]
            result = self.attempt(mutant, self.others(mutant), tried)
            self.note(mutant, result or {"outcome": "survived", "steps": tried}, of)

        for phase, work in ((first, [mutant for mutant in mutants if mutant.name not in open_ones]), (second, mutants)):
            work = [mutant for mutant in work if phase is first or self.results[mutant.name]["outcome"] == "open"]
            with concurrent.futures.ThreadPoolExecutor(max_workers=self.jobs) as workers:
                for done in concurrent.futures.as_completed([workers.submit(phase, mutant) for mutant in work]):
                    done.result()


def line_of(name, result):
    if result["outcome"] == "killed":
        how = "time-out of " if result["timed_out"] else ""
        return "%-48s %s%s, %.1f s" % (name, how, result["step"] if len(result["step"]) < 150 else result["step"][:150] + "…", result["seconds"])
    return "%-48s %s" % (name, {"survived": "SURVIVED", "open": "not noticed by its own steps", "refused": "DOES NOT COMPILE: " + result.get("why", "")}[result["outcome"]])


def table(results, excused, seconds):
    """Prints what became of each mutant and the totals; returns the share that was noticed."""
    print("\n%-48s noticed by, and how long until then" % "mutant")
    for name, result in sorted(results.items(), key=lambda item: (item[1]["module"], item[0])):
        print(line_of(name, result) + (" (equivalent: %s)" % excused[name] if name in excused else ""))
    counted = {name: result for name, result in results.items() if result["outcome"] != "refused" and not (result["outcome"] == "survived" and name in excused)}
    by_module = collections.defaultdict(list)
    for result in counted.values():
        by_module[result["module"]].append(result)

    def line(title, found):
        killed = [result for result in found if result["outcome"] == "killed"]
        fast = [result for result in killed if result["normal"] < steps.FAST]
        print("%-16s %5d of %5d noticed, %5.1f %%; by a step under ten seconds %5.1f %%; time-outs %d" % (
            title, len(killed), len(found), 100 * len(killed) / max(len(found), 1), 100 * len(fast) / max(len(found), 1), sum(result["timed_out"] for result in killed)))
        return len(killed) / max(len(found), 1)

    print()
    for module, found in sorted(by_module.items()):
        line(module, found)
    share = line("all", list(counted.values()))
    survivors = sorted(name for name, result in counted.items() if result["outcome"] == "survived")
    print("survived: %s" % (", ".join(survivors) or "none"))
    print("excused as equivalent: %d; %.0f minutes" % (len(set(excused) & set(results) - set(counted)), seconds / 60))
    return share


def selected(mutants, arguments):
    chosen = [mutant for mutant in mutants if not arguments.only or mutant.module.lower() in arguments.only.lower().split(",")]
    chosen = [mutant for mutant in chosen if not arguments.names or mutant.name in arguments.names.split(",")]
    if arguments.sample is not None and arguments.sample < len(chosen):
        chosen = random.Random(arguments.seed).sample(chosen, arguments.sample)
    return chosen


def main():
    arguments = parsed_arguments()
    if arguments.check:
        return check()
    begin = time.monotonic()
    signal.signal(signal.SIGINT, steps.end_all)
    signal.signal(signal.SIGTERM, steps.end_all)
    mutants, excused, faults = read_list()
    print("\n".join(faults), end="\n" if faults else "")
    chosen = {mutant.name for mutant in selected(mutants, arguments)}
    if faults or not chosen:
        return 2
    session, shown = Session(arguments), set(chosen)
    session.results = {mutant.name: session.results[mutant.name] for mutant in mutants
                       if mutant.name in chosen and session.results.get(mutant.name, {}).get("digest") == mutant.digest}
    for group in weave.groups(mutants):
        print("building %d mutants" % len(group), flush=True)
        built, refused = weave.build(group, lambda text: print(text, flush=True))
        for mutant in group:
            if mutant.name in refused and mutant.name in chosen:
                session.note(mutant, {"outcome": "refused", "why": refused[mutant.name]}, len(shown))
        work = [mutant for mutant in built if mutant.name in chosen and session.results.get(mutant.name, {"outcome": "open"})["outcome"] == "open"]
        # Mixed, so that what was found until a run is broken off says something of every module.
        random.Random(arguments.seed).shuffle(work)
        session.run(work)
    share = table(session.results, excused, time.monotonic() - begin)
    broken = {name: output for name, output in session.baseline.broken.items() if not steps.has_no_test(output)}
    for name, output in sorted(broken.items()):
        print("%s fails without a mutant:\n%s" % (name, output))
    if broken or any(result["outcome"] == "refused" for result in session.results.values()):
        return 2
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except entries.Fault as fault:
        print("mutants: error: %s" % fault, file=sys.stderr)
        sys.exit(2)
