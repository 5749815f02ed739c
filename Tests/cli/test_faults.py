"""Some of the faults of `make torture`, the same ones every time: each command and each kind of fault."""

import unittest

from support import *

sys.path.insert(0, str(ROOT / "Tests" / "faults"))

import torture  # noqa: E402


class Faults(unittest.TestCase):
    LIMIT = int(os.environ.get("HP_FAULTS", "3"))

    def test_every_command_through_some_of_each_fault(self):
        by_command, _, findings = torture.run(limit=self.LIMIT, say=lambda line: print("found: " + line, flush=True))
        self.assertEqual(len(by_command), len(torture.commands.COMMANDS))
        self.assertEqual(findings, [])
        for name, count in by_command.items():
            self.assertGreater(count["faults"], 10 * self.LIMIT // 3, name)


if __name__ == "__main__":
    unittest.main()
