#!/usr/bin/env python3
"""Drives the commands of `commands.py` through every fault of `sweep.py` and prints a table: cases, faults, and what must be zero.

    torture.py [--limit N] [--memory N] [--jobs N] [--only TEXT] [--families A,B]

    --limit N      at most so many cases of each command and family, always the same ones; without it all of them
    --memory N     of the failing allocations, at most so many of each command (default 400): there are ten thousands
    --jobs N       at a time (default: as many as there are processors)
    --only TEXT    commands whose name has this in it
    --families A,B some of kill, torn, short, ENOSPC, EIO, EINTR, signals, memory, power loss, any time

Status 1 where anything was found. Needs Linux, a C compiler, and the tools of .build/release or of the folder that HP_TOOLS names.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True

import commands
import shim
from sweep import FAMILIES, PROBLEMS, Finding, Sweep

PARTS = 4  # of the cases of a family, so that jobs are of a size


def chosen(cases, limit, name):
    """So many of the cases, the same ones every time, in their order."""
    if limit is None or len(cases) <= limit:
        return cases
    return [cases[index] for index in sorted(random.Random(name).sample(range(len(cases)), limit))]


def least(*bounds):
    """The smallest of those that there are."""
    return min((bound for bound in bounds if bound is not None), default=None)


def work(job):
    """One family of one command, or a part of it: how many cases and faults, and what was found."""
    library, index, families, limit, memory_limit, part, parts = job
    command = commands.COMMANDS[index]
    count, findings = collections.Counter(), []
    sweep = Sweep(command, library)
    try:
        for family in families:
            bound = least(limit, command.bound, memory_limit if family == "memory" else None)
            for case in chosen(list(sweep.cases([family])), bound, command.name + family)[part::parts]:
                try:
                    faults = sweep.run(case)
                    count["cases"] += family != "power loss" or faults
                    count["faults"] += faults
                except Finding as finding:
                    count["cases"] += 1
                    count[finding.problem] += 1
                    findings.append("%s: %s: %s" % (command.name, describe(case, sweep), finding))
    finally:
        sweep.close()
    return index, families, count, findings


def describe(case, sweep):
    """A case for people."""
    at = case.fault.at or case.fault.memory
    place = ""
    if 0 < case.fault.at <= len(sweep.operations):
        operation = sweep.operations[case.fault.at - 1]
        place = " (%s %s)" % (operation.kind, os.fsdecode(os.path.basename(operation.name)))
    more = " of model %s, seed %d" % (case.model, case.seed) if case.model else " once" if not case.fault.is_sticky else " and from there on"
    return "%s %s at %d%s%s" % (case.family, case.fault.kind, at, place, more)


def tasks_of(library, index, families, limit, memory_limit):
    """The jobs of one command. Where there is little work, making the folders is most of it; a power loss needs what was done before it."""
    if limit is not None and limit < 20:
        return [(library, index, tuple(families), limit, memory_limit, 0, 1)]
    parts = {family: 1 if family == "power loss" or limit is not None else PARTS for family in families}
    return [(library, index, (family,), limit, memory_limit, part, parts[family]) for family in families for part in range(parts[family])]


def run(limit=None, memory_limit=400, jobs=None, only="", families=FAMILIES, say=lambda text: None):
    """Runs the sweep; the count of each command and of each family, and the findings."""
    by_command, by_family, findings = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="hp-faults.") as folder:
        library = shim.build(folder)
        tasks = []
        for index, command in enumerate(commands.COMMANDS):
            if only in command.name:
                tasks += tasks_of(library, index, families, limit, memory_limit)
        with concurrent.futures.ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
            for done in concurrent.futures.as_completed([pool.submit(work, task) for task in tasks]):
                index, some, count, found = done.result()
                by_command[commands.COMMANDS[index].name].update(count)
                by_family[", ".join(some)].update(count)
                findings += found
                for line in found:
                    say(line)
    return by_command, by_family, findings


def table(title, counts):
    """A table in Markdown."""
    lines = ["| %s | cases | faults | crashes | hangs | silent acceptances | other findings |" % title, "|---|---|---|---|---|---|---|"]
    total = sum(counts.values(), collections.Counter())
    for name, count in [*counts.items(), ("**all**", total)]:
        lines.append("| %s | %s |" % (name, " | ".join("%d" % count[key] for key in ("cases", "faults", *PROBLEMS))))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--memory", type=int, default=400)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--families", default=",".join(FAMILIES))
    arguments = parser.parse_args()
    by_command, by_family, findings = run(arguments.limit, arguments.memory, arguments.jobs, arguments.only, arguments.families.split(","), lambda line: print("found: " + line, flush=True))
    order = [command.name for command in commands.COMMANDS]
    print(table("command", {name: by_command[name] for name in order if name in by_command}))
    print()
    print(table("fault", {name: by_family[name] for name in sorted(by_family, key=lambda name: FAMILIES.index(name.split(", ")[0]))}))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
