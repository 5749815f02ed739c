#!/usr/bin/env python3
"""Runs the command-line tests: all, or the modules and tests that are named (test_bad_input, test_bad_input.Archives).

With --long only those that are marked with `takes_long`, with --short only the others. The tools are those of .build/release, or of the folder that HP_TOOLS names. The last line is `N passed, N failed`.
With --first it stops at the first test that fails. With --times=FILE it writes when each test begins, and what it took.
"""

import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))


class Result(unittest.TextTestResult):
    """Prints only what is not as it should be, and what was skipped and why."""

    # The file that times are written to.
    times = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.failed_tests = set()
        self.began = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.note("begin", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.note("%.3f" % (time.monotonic() - self.began), test)

    def note(self, what, test):
        if self.times:
            print("%s %s" % (what, test.id()), file=self.times, flush=True)

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


def tests_of(suite):
    """The tests of a suite, and of those in it."""
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_of(part)
        else:
            yield part


def is_long(test):
    return hasattr(getattr(test, test._testMethodName), "takes_long")


def is_failed(test):
    """Whether it stands for a module that cannot be imported, or a name that nothing has."""
    return isinstance(test, unittest.loader._FailedTest)


def main():
    loader = unittest.defaultTestLoader
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    for word in sys.argv[1:]:
        if word.startswith("--times="):
            Result.times = open(word[len("--times="):], "w", encoding="utf-8")
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    if "--long" in sys.argv or "--short" in sys.argv:
        # A flat suite: fixtures of modules and classes are set up for the tests that are left.
        suite = unittest.TestSuite(test for test in tests_of(suite) if is_failed(test) or is_long(test) == ("--long" in sys.argv))
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result, failfast="--first" in sys.argv)
    result = runner.run(suite)
    failed = len(result.failed_tests)
    print("%d passed, %d failed" % (result.testsRun - failed - len(result.skipped), failed), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
