"""Some of the faults of `make torture`, the same ones every time: each command and each kind of fault. And that the sweep would see what it looks for."""

import json
import os
import sys
import unittest

from report_support import ReportCase
from archive_builder import START, Builder
from support import ENVIRONMENT, ROOT, Case, hp_export, run, takes_long

sys.path.insert(0, str(ROOT / "Tests" / "faults"))

import commands  # noqa: E402
import shim  # noqa: E402
import sweep  # noqa: E402
import torture  # noqa: E402


class Faults(unittest.TestCase):
    LIMIT = int(os.environ.get("HP_FAULTS", "2"))

    @takes_long
    def test_every_command_through_some_of_each_fault(self):
        by_command, _, findings = torture.run(limit=self.LIMIT, say=lambda line: print("found: " + line, flush=True))
        self.assertEqual(len(by_command), len(commands.COMMANDS))
        self.assertEqual(findings, [])
        for name, count in by_command.items():
            self.assertGreaterEqual(count["faults"], 5 * self.LIMIT, name)


class Sweeps(Case):
    """Chosen cases of one command's sweep."""

    def swept(self, name):
        (command,) = [command for command in commands.COMMANDS if command.name == name]
        made = sweep.Sweep(command, shim.build(self.folder))
        self.addCleanup(made.close)
        return made

    def found(self, made, cases):
        for case in cases:
            try:
                made.run(case)
            except sweep.Finding as finding:
                return str(finding)
        return None


class Shrinking(Sweeps):
    """A file that an undo makes smaller, stopped or refused at each operation where it is cut, and at those around it."""

    def test_an_archive_with_a_rollback_journal(self):
        made = self.swept("undo, rollback journal")
        cuts = [at for at, operation in enumerate(made.operations, 1) if operation.kind == "T" and operation.name.endswith(b"archive.sqlite")]
        self.assertNotEqual(cuts, [])
        near = {at + step for at in cuts for step in (-2, -1, 0, 1)}
        cases = [case for case in made.cases(["kill", "EIO", "ENOSPC"]) if case.fault.at in near]
        self.assertGreaterEqual(len(cases), 15)
        self.assertIsNone(self.found(made, cases))


class Sharpness(Sweeps):
    """What a sweep finds where something is missing that the tools do."""

    def test_a_missing_synchronization_is_found(self):
        made = self.swept("bundle to a new file")
        operations = made.operations
        losses = list(made.cases(["power loss"]))
        self.assertGreater(len(losses), 100)
        for kind, suffix in (("S", b".partial"), ("S", b"-wal"), ("D", b"folder")):
            with self.subTest(kind=kind, suffix=suffix):
                made.operations = [operation for operation in operations if not (operation.kind == kind and operation.name.endswith(suffix))]
                cases = [case for case in losses if case.fault.at <= len(made.operations) and case.model == "nothing"]
                self.assertIsNotNone(self.found(made, cases), "as good without as with it")

    def test_another_end_is_found(self):
        made = self.swept("bundle to a new file")
        made.new.lines += ("something else",)
        self.assertIn("another end", self.found(made, [sweep.Case("kill", shim.Fault("kill", 1))]))
        made = self.swept("bundle to a new file")
        self.assertIn("status -11", self.found(made, [sweep.Case("signals", shim.Fault("SIGTERM", 5))._replace(fault=shim.Fault("signal=11", 5), family="EIO")]))


class Scarce(ReportCase):
    """A read that gives half of what was asked for, and a thread that is not to be had, change nothing."""

    def setUp(self):
        super().setUp()
        self.library = shim.build(self.folder, "scarce")
        builder = Builder(self.archive, 2)
        builder.connection.executemany("INSERT INTO samples VALUES (?1, 1, NULL, printf('%064x', ?1), NULL, NULL, 1, ?2)", [(number, START) for number in range(1, 20_001)])
        builder.connection.executemany(
            "INSERT INTO sample_versions VALUES (?1, ?1, printf('%064x', ?1), ?2, ?2 + 60, 'quantity', 1, 'count', NULL, NULL, NULL, NULL, NULL, NULL, 1)",
            [(number, START + 600 * number) for number in range(1, 20_001)])
        builder.connection.executemany("INSERT INTO sample_visibility_ranges VALUES (?1, ?1, 1, NULL, ?2, NULL)", [(number, START) for number in range(1, 20_001)])
        builder.samples = builder.versions = 20_000
        # Ten records with another identity at the second observation: the kind of pair that a second thread looks for.
        for number in range(10):
            for members in ({"last": 2}, {"first": 2}):
                builder.record(number * 600, number * 600 + 30, 2.0, payload="%064x" % (10 ** 9 + number), **members)
        builder.close()

    def scarce(self, what, words):
        """What a tool writes to standard output, and how often it was given less."""
        count = self.folder / "count"
        count.unlink(missing_ok=True)
        name, *rest = words
        result = run(name, *rest, env={**ENVIRONMENT, "LD_PRELOAD": str(self.library), "HP_SCARCE": what, "HP_SCARCE_COUNT": str(count)})
        return (result.status, result.out), int(count.read_text())

    def test_a_read_that_gives_less_is_not_the_end(self):
        bundle, damaged = self.folder / "out.zst", self.folder / "damaged.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", bundle))
        damaged.write_bytes(bundle.read_bytes()[:-5000])
        report = ("--format", "jsonl", "-o", "-", "--no-record", "--quiet")
        for words in (("hp-verify", "bundle", bundle, "--json"), ("hp-verify", "bundle", bundle, "--archive", self.archive, "--json"),
                      ("hp-verify", "bundle", damaged, "--json"), ("hp-verify", "archive", self.archive, "--json"),
                      ("hp-export", "bundle", self.archive, "-o", "-", "--no-record", "--quiet"), ("hp-export", "diff", self.archive, *report),
                      ("hp-export", "diff", self.archive, "--summary", *report), ("hp-export", "diff", self.archive, "--findings", *report)):
            with self.subTest(words[:2]):
                expected, none = self.scarce("nothing", words)
                found, count = self.scarce("reads", words)
                self.assertEqual((found, none), (expected, 0))
                self.assertGreater(count, 10)

    def test_what_another_thread_would_do_is_done_without_one(self):
        words = ("hp-export", "diff", self.archive, "--format", "jsonl", "-o", "-", "--no-record", "--quiet")
        expected, none = self.scarce("nothing", words)
        found, count = self.scarce("threads", words)
        self.assertEqual((found, none), (expected, 0))
        self.assertGreater(count, 0)
        items = [json.loads(line)["item"] for line in found[1].splitlines()[1:-1]]
        self.assertEqual([(item["change"], item["pair"]["kind"]) for item in items], 10 * [("disappeared", "re_identified"), ("appeared", "re_identified")])
        expected, _ = self.scarce("nothing", ("hp-verify", "archive", self.archive, "--json"))
        found, count = self.scarce("threads", ("hp-verify", "archive", self.archive, "--json"))
        self.assertEqual(found, expected)
        self.assertGreater(count, 0)


if __name__ == "__main__":
    unittest.main()
