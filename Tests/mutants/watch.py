#!/usr/bin/env python3
"""Runs command-line tests as Tests/cli/run.py does, and writes for each test what it took and which mutants it reached.

The first word is the file that is written: a line of JSON for each test when it ends, and one when it begins. The file of HP_MUTANT_REACHED is read and cleared between
tests. What a class prepares counts for all of its tests.
"""

import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import run  # noqa: E402

NOTES = open(sys.argv.pop(1), "w", encoding="utf-8")
REACHED = os.environ.get("HP_MUTANT_REACHED")


def taken():
    """The numbers of the mutants that were reached since the last call."""
    if not REACHED:
        return []
    with open(REACHED, "r+b") as file:
        marks = file.read()
        file.seek(0)
        file.write(bytes(len(marks)))
    return [number for number, mark in enumerate(marks) if mark]


class Watched(run.Result):
    prepared, prepared_for = set(), None

    def startTest(self, test):
        super().startTest(test)
        found = set(taken())
        self.prepared = found if self.prepared_for is not type(test) else self.prepared | found
        self.prepared_for, self.began = type(test), time.monotonic()
        print(json.dumps({"begins": test.id()}), file=NOTES, flush=True)

    def stopTest(self, test):
        super().stopTest(test)
        seconds = time.monotonic() - self.began
        print(json.dumps({"test": test.id(), "seconds": round(seconds, 3), "reached": sorted(self.prepared.union(taken()))}), file=NOTES, flush=True)


run.Result = Watched
sys.exit(run.main())
