"""hp-export against the plain exporter in Tests/reference: the same text for every case."""

import hashlib
import subprocess
import sys
import unittest

from support import *

REFERENCE = ROOT / "Tests" / "reference"


def cases():
    for line in (REFERENCE / "cases.txt").read_text(encoding="utf-8").splitlines():
        name, arguments, expected = line.split("\t")
        yield name, arguments.split(), expected


def reference_lines(archive, arguments):
    run = subprocess.run([sys.executable, "-B", str(REFERENCE / "export_bundle.py"), str(archive), *arguments], stdout=subprocess.PIPE, check=True)
    return run.stdout


class Reference(Case):
    def test_every_case_has_the_text_of_the_reference(self):
        for name, arguments, expected in cases():
            with self.subTest(archive=name, arguments=" ".join(arguments)):
                archive = self.fixture(name)
                for suffix in ("-wal", "-shm"):  # of the case before: a reader leaves a log as it is
                    (self.folder / ("archive.sqlite" + suffix)).unlink(missing_ok=True)
                wal = FIXTURES / "archives" / (name + "-wal")
                if wal.exists():
                    shutil.copyfile(wal, self.folder / "archive.sqlite-wal")
                if "--generator-version" in arguments:  # the tool has no such option
                    self.assertEqual(hashlib.sha256(reference_lines(archive, arguments)).hexdigest(), expected)
                    continue
                result = self.assert_good(hp_export("bundle", archive, "-o", "-", "--no-record", *arguments))
                text = subprocess.run(["zstd", "-dcq"], input=result.out, check=True, stdout=subprocess.PIPE).stdout
                if hashlib.sha256(text).hexdigest() != expected:
                    self.fail(self.first_difference(text, reference_lines(archive, arguments)))

    def first_difference(self, ours, theirs):
        ours, theirs = ours.split(b"\n"), theirs.split(b"\n")
        for number, (our, their) in enumerate(zip(ours, theirs), 1):
            if our != their:
                at = next((i for i, (a, b) in enumerate(zip(our, their)) if a != b), min(len(our), len(their)))
                return "line %d differs from byte %d on\nexport:    %r\nreference: %r" % (number, at, our[max(0, at - 40):at + 120], their[max(0, at - 40):at + 120])
        return "%d lines instead of %d" % (len(ours), len(theirs))


if __name__ == "__main__":
    unittest.main()
