#!/usr/bin/env python3
"""Runs the command-line tests: all, or the modules and tests that are named (test_bad_input, test_bad_input.Archives).

The tools are those of .build/release, or of the folder that HP_TOOLS names. The last line is `N passed, N failed`.
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))


class Result(unittest.TextTestResult):
    """Prints only what is not as it should be, and what was skipped and why."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.failed_tests = set()

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.failed_tests.add(test.id())

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.failed_tests.add(test.id())

    def addError(self, test, error):
        super().addError(test, error)
        self.failed_tests.add(test.id())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print("skipped %s: %s" % (test.id(), reason), flush=True)


def main():
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(str(HERE))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(suite)
    failed = len(result.failed_tests)
    print("%d passed, %d failed" % (result.testsRun - failed - len(result.skipped), failed), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
