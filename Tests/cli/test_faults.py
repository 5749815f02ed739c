"""Some of the faults of `make torture`, the same ones every time: each command and each kind of fault. And that the sweep would see what it looks for."""

import unittest

from support import *

sys.path.insert(0, str(ROOT / "Tests" / "faults"))

import commands  # noqa: E402
import shim  # noqa: E402
import sweep  # noqa: E402
import torture  # noqa: E402


class Faults(unittest.TestCase):
    LIMIT = int(os.environ.get("HP_FAULTS", "2"))

    def test_every_command_through_some_of_each_fault(self):
        by_command, _, findings = torture.run(limit=self.LIMIT, say=lambda line: print("found: " + line, flush=True))
        self.assertEqual(len(by_command), len(commands.COMMANDS))
        self.assertEqual(findings, [])
        for name, count in by_command.items():
            self.assertGreaterEqual(count["faults"], 5 * self.LIMIT, name)


class Sharpness(Case):
    """What a sweep finds where something is missing that the tools do."""

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


if __name__ == "__main__":
    unittest.main()
