"""Large values in an archive: what many rows share is in no frame for all of them, and what is beyond a limit is refused with its place."""

import resource
import struct
import unittest

from capture_support import *
from support import *

MEMORY = 1 << 30
LARGE = 100_000


class LargeValues(CaptureCase):
    def setUp(self):
        super().setUp()
        records = [sample(number, number) for number in range(100)]
        ends = [{"sample_type": HEART_RATE, "uuid": uuid(number)} for number in range(100)]
        links = [{"kind": "relationship", "source": one, "target": other, "relationship_kind": "k", "metadata": {"k": "v"}} for one, other in zip(ends, ends[1:])]
        self.assert_good(self.hp_capture("--feed", self.written(feed(observation(1, type_run([*records, *links])))), "--quiet"))

    def limited(self, name, *arguments):
        return run(name, *arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))

    def frame_sizes(self):
        """Bytes of text in each frame of a bundle, from its seek table."""
        out = self.folder / "out.zst"
        self.assert_good(self.limited("hp-export", "bundle", self.archive, "-o", out, "--no-record", "--quiet", "--force"))
        data = out.read_bytes()
        count, flags = struct.unpack("<IB", data[-9:-4])
        size = 12 if flags & 0x80 else 8
        return [struct.unpack_from("<I", data, len(data) - 9 - size * (count - index) + 4)[0] for index in range(count)]

    def test_what_items_share_counts_for_each(self):
        """A hundred items with a text of 100 kB, of which a few are in a frame, as far as a frame's size is an estimate."""
        for what, statement in (
                ("metadata of relationships", "UPDATE metadata_blobs SET metadata_json = '{\"k\":\"' || printf('%%.%dc', 'x') || '\"}'" % LARGE),
                ("the identifier of a type", "UPDATE sample_types SET type_identifier = printf('%%.%dc', 'x')" % LARGE)):
            with self.subTest(what):
                self.renew()
                self.setUp()
                execute(self.archive, statement)
                self.assertLess(max(self.frame_sizes()), 8 << 20)

    def test_a_value_beyond_the_limit(self):
        execute(self.archive, "UPDATE metadata_blobs SET metadata_json = '{\"k\":\"' || printf('%.68000000c', 'x') || '\"}'")
        for command in ("bundle", "records"):
            result = self.limited("hp-export", command, self.archive, "-o", self.folder / "out", "--no-record")
            self.assert_refused(result, "archive.sqlite: string or blob too big")
        result = self.limited("hp-verify", "archive", self.archive, "--json", "--quiet")
        self.assertEqual(result.status, 1, result)
        self.assertIn("sqlite.unreadable", json.loads(result.out)["counts"])

    def test_the_identifier_of_a_type(self):
        execute(self.archive, "UPDATE sample_types SET type_identifier = printf('%.50000000c', 'x')")
        commands = [["list", "types"], ["list", "observations"], ["bundle", "-o", self.folder / "out"], ["records"], ["diff", "--summary"]]
        for result in [*(self.limited("hp-export", command[0], self.archive, *command[1:]) for command in commands), self.limited("hp-verify", "archive", self.archive)]:
            self.assertEqual(result.status, 2, result)
            self.assertIn("archive.sqlite: sample_types: row 1: an identifier of more than 4194304 bytes", result.err)


if __name__ == "__main__":
    unittest.main()
