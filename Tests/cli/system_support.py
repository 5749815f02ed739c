"""What the tests of the system share: an archive of a month, a second one to capture, and processes that are stopped at a place of their work."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from capture_support import HEART_RATE, CaptureCase, dump, feed, observation, sample, type_run
from support import ENVIRONMENT, PATIENCE, ROOT, hp_export, Run, tool

sys.path.insert(0, str(ROOT / "Tests" / "faults"))

import shim  # noqa: E402

IS_ROOT = os.geteuid() == 0

# Something that is in the log until the archive is closed.
LOGGED = "INSERT INTO archive_metadata VALUES ('test', 'in the log')"


def months(count, size=30):
    """Feeds of so many months, one after the other."""
    return [feed(observation(day, type_run(*[[sample(number, number) for number in range(page, page + size)] for page in range(0, 10 * size, size)], sample_type=HEART_RATE))) for day in range(1, count + 1)]


class SystemCase(CaptureCase):
    _library = None

    def setUp(self):
        super().setUp()
        (self.folder / "work").mkdir()
        self.place(self.folder / "work")
        self.feeds = self.folder.parent
        for number, content in enumerate(months(2), 1):
            (self.feeds / ("%d.jsonl" % number)).write_bytes(content)

    def capture(self, number=1, *options, **more):
        return self.hp_capture("--feed", self.feeds / ("%d.jsonl" % number), *options, **more)

    def captured(self):
        """The archive after the first month."""
        self.assert_good(self.capture())
        return self.archive

    def expected(self, *numbers):
        """What undisturbed captures give."""
        folder = self.folder.parent / "expected"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for number in numbers:
            self.assert_good(hp_export("capture", folder / "a.sqlite", "--secret", self.secret, "--feed", self.feeds / ("%d.jsonl" % number)))
        return dump(folder / "a.sqlite")

    def assert_one_line_at_end(self, result, *words):
        self.assertEqual(result.status, 2, result)
        errors = [line for line in result.err.splitlines() if "error: " in line]
        self.assertEqual(len(errors), 1, result)
        for word in words:
            self.assertIn(word, errors[0])

    # Processes that a fault stops

    def library(self):
        if SystemCase._library is None:
            folder = tempfile.mkdtemp(prefix="hp-cli-shim.")
            unittest.addModuleCleanup(SystemCase._forget_library, folder)
            SystemCase._library = shim.build(folder)
        return SystemCase._library

    @staticmethod
    def _forget_library(folder):
        SystemCase._library = None
        shutil.rmtree(folder)

    def shimmed(self, environment=ENVIRONMENT):
        return shim.Shimmed(self.library(), self.folder, environment)

    @contextlib.contextmanager
    def paused(self, words, is_place, base=()):
        """A command that is stopped before the first durable operation for which `is_place` holds; it goes on at the end."""
        shimmed = self.shimmed()
        keep = self.folder.parent / "keep"
        shutil.rmtree(keep, ignore_errors=True)
        shutil.copytree(self.folder, keep)
        _, operations = shimmed.record(words, self.folder.parent / "log")
        at = next(number for number, operation in enumerate(operations, 1) if is_place(operation))
        shutil.rmtree(self.folder)
        shutil.copytree(keep, self.folder)
        process = shimmed.start(words, shim.Fault("stop", at))
        try:
            self.assertTrue(shim.stopped(process), "it does not come to the place")
            yield process
        finally:
            process.send_signal(signal.SIGCONT)

    def end(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        return Run(subprocess.CompletedProcess([], process.returncode, out, err))

    def bundle_words(self, *options):
        return [tool("hp-export"), "bundle", "archive.sqlite", "-o", "out.zst", *options]

    def capture_words(self, number):
        return [tool("hp-export"), "capture", "archive.sqlite", "--secret", "secret", "--feed", str(self.feeds / ("%d.jsonl" % number)), "--wait", "0"]


def writes(suffix):
    return lambda operation: operation.kind == "W" and operation.name.endswith(suffix)


def makes(suffix):
    return lambda operation: operation.kind == "C" and operation.name.endswith(suffix)
