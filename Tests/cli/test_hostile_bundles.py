"""Small files that are made to cost much: commands that look at them end soon, in bounded memory, with a verdict.

The shapes are in Tests/changed/costly.py. What a run may take is far above what it takes, and far below what it took where
it followed, copied or kept something again and again: the time tells work that grows with the square of a file from
work that does not, and the address space a list that is bounded from one that is not.
"""

import collections
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support import ENVIRONMENT, ROOT, Case, hp_verify, lines_of, Run, takes_long, tool, verdict_of

from changed import costly as hostile
import generate

SECONDS = 25
ADDRESSES = 3 << 29
RESIDENT_MIB = 768
GREATEST = (1 << 53) - 1
TABLE_ROW = b"sample_type,item_count,defect_count,items_hash,item_hash\r\n"


class Hostile(Case):
    def measured(self, *arguments, **options):
        """A run that is stopped when it takes too long, and that cannot have more memory."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([tool("hp-verify"), *map(os.fspath, arguments)], stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=errors, env=ENVIRONMENT, preexec_fn=limit, **options)
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            errors.seek(0)
            process.stdout, process.stderr = output.read(), errors.read()
        result = Run(process)
        self.assertIn(result.status, (0, 1), result)
        self.assertLess(usage.ru_maxrss / 1024, RESIDENT_MIB, result)
        return result

    def look(self, data):
        """What `bundle` and `salvage` say of a file."""
        source = self.folder / "hostile.jsonl.zst"
        source.write_bytes(data)
        verdict = json.loads(self.measured("bundle", source, "--json", "--quiet").out)["files"][0]
        saved = self.measured("salvage", source, "-o", self.folder / "saved", "--force", "--json", "--quiet")
        return verdict, json.loads(saved.out)


class Shapes(Hostile):
    """Nothing of any shape takes long or much."""


def of_shape(make):
    @takes_long
    def test(self):
        verdict, saved = self.look(make())
        self.assertEqual(verdict["result"], "findings")
        self.assertEqual(saved["result"], "damaged")
    return test


for name, make in hostile.SHAPES.items():
    if name not in hostile.NOT_DAMAGED:
        setattr(Shapes, "test_%s_cost_little" % name.replace(" ", "_"), of_shape(make))


class Frames(Hostile):
    """The codes are those of the rules, however many frames there are."""

    def count(self, verdict, code):
        return verdict["counts"].get(code, 0)

    def test_a_line_in_many_frames_is_one_line(self):
        verdict, saved = self.look(hostile.line_in_pieces())
        # The long frame and each of a thousand but the last do not end the line; the thousand and first does.
        self.assertEqual(self.count(verdict, "container.frame_line_end"), 1001)
        self.assertEqual(self.count(verdict, "canonical.syntax"), 1)
        self.assertEqual(saved["item_count"], 3)

    def test_a_line_in_many_frames_that_is_an_item_is_saved(self):
        line = hostile.good()[1][1]
        pieces = [generate.frame(line[at:at + 1]) for at in range(len(line))]
        data = b"".join([hostile.good()[0][0], *pieces, generate.frame(b"\n")])
        verdict, saved = self.look(data)
        self.assertEqual(self.count(verdict, "container.frame_line_end"), len(line))
        self.assertEqual(saved["item_count"], 1)
        self.assertEqual(lines_of(self.folder / "saved")[1], line)

    def test_frames_among_the_blocks_of_a_lost_frame_end_where_the_table_says(self):
        count = 1500
        verdict, _ = self.look(hostile.false_starts_before_a_wrong_checksum(count))
        # The first is followed to its end, those behind it up to the next; the last has all of its blocks to itself.
        self.assertEqual(self.count(verdict, "container.checksum"), 2)
        self.assertEqual(self.count(verdict, "container.frame_corrupt"), count - 2)


class Lists(Hostile):
    def test_many_lines_of_a_frame_are_counted_one_by_one(self):
        verdict, _ = self.look(hostile.lines_of(b'{"item":0}\n0', 13 * 8000))
        self.assertEqual(verdict["counts"]["line.kind"], 8000)
        self.assertEqual(verdict["counts"]["shape.type"], 8000)
        self.assertEqual(verdict["counts"]["shape.member_missing"], 8000)

    def test_many_headers_of_a_frame_are_counted_one_by_one(self):
        verdict, _ = self.look(hostile.lines_of(b'{"export":0}', 13 * 16_000))
        self.assertEqual(verdict["counts"]["line.header_repeated"], 16_000)

    def test_lines_after_many_manifests_are_named_once(self):
        verdict, _ = self.look(hostile.lines_of(b'{"manifest_hash":0}\n0\n{', 24 * 5000))
        self.assertEqual(verdict["counts"]["line.after_manifest"], 1)
        self.assertEqual(verdict["counts"]["canonical.syntax"], 5000)
        self.assertNotIn("line.kind", verdict["counts"])

    def test_the_account_of_a_salvage_counts_what_it_does_not_list(self):
        _, saved = self.look(hostile.lines_of(b'{"item":0}\n0', 13 * 8000))
        self.assertEqual(len(saved["account"]), 1000)
        # Two entries a pair of lines, and the seek table that is not there.
        self.assertEqual(saved["account_count"], 16_001)


class DamagedLines(Hostile):
    """Spec/limits.md: lines that are no undamaged items, and one more for every 64 bytes."""

    def look_at(self, units):
        """A bundle with a frame of each of these lines, 8000 times, behind its items; and how many lines it may have
        besides undamaged items."""
        data = hostile.between(*[hostile.packed(unit + b"\n", 8000 * (len(unit) + 1)) for unit in units])
        return (*self.look(data), 16384 + len(data) // 64)

    def test_the_line_beyond_the_limit_is_named_and_the_last_that_is_looked_at(self):
        verdict, saved, limit = self.look_at([b"x", b"0", b"y", b"{}"])
        # The header is no item, and two frames have 8000 each.
        self.assertEqual(verdict["counts"], {"canonical.syntax": 8000 + limit - 16001, "line.kind": 8000,
                                             "line.damaged_limit": 1})
        items = verdict["item_count"]
        source = self.folder / "hostile.jsonl.zst"
        listed = json.loads(self.measured("bundle", source, "--json", "--quiet", "--max-findings", "50000").out)
        last = listed["files"][0]["findings"][-1]
        self.assertEqual(last, {"code": "line.damaged_limit", "frame": 5, "line": 1 + items + limit})
        self.assertEqual(set(verdict["layers"].values()), {"failed", "unknown"})
        self.assertEqual(verdict["layers"]["container"], "unknown")
        # Both verifiers say the same.
        said = verdict_of(source)
        self.assertEqual(collections.Counter(finding["code"] for finding in said["findings"]), verdict["counts"])
        self.assertEqual(said["layers"], verdict["layers"])
        # Salvage: the same lines, and one entry for everything behind them.
        size = source.stat().st_size
        self.assertEqual(saved["item_count"], items)
        self.assertEqual([entry["code"] for entry in saved["account"]],
                         ["canonical.syntax", "line.kind", "canonical.syntax", "line.damaged_limit"])
        self.assertEqual([entry["line_count"] for entry in saved["account"][:3]], [8000, 8000, limit - 16001])
        rest = saved["account"][3]
        self.assertEqual((rest["frame"], rest["frame_line"], rest["byte_end"]), (5, limit - 16000, size))
        self.assertFalse(saved["has_manifest"])
        self.assertNotIn("missing", saved)
        self.assert_good(hp_verify("bundle", self.folder / "saved"))

    def test_items_between_damaged_lines_are_recovered_up_to_the_limit(self):
        item = hostile.good()[1][1]
        _, saved, limit = self.look_at([item + b"\nx"] * 3)
        # Those of the good frame, and one before each damaged line but the header, and before the one beyond.
        self.assertEqual(saved["item_count"], len(hostile.good()[1]) - 2 + limit)

    def test_a_larger_file_has_room_for_more(self):
        made = hostile.good()[1]
        path = self.folder / "lines.jsonl"
        path.write_bytes(made[0] + b"\n" + (b"x" * 70 + b"\n") * 100_000)
        counts = json.loads(self.measured("bundle", path, "--json", "--quiet").out)["files"][0]["counts"]
        self.assertEqual(counts["canonical.syntax"], 100_000)
        self.assertNotIn("line.damaged_limit", counts)

    def test_rows_of_a_table_count_as_lines(self):
        path = self.folder / "rows.csv"
        path.write_bytes(TABLE_ROW + b"x\r\n" * 40_000)
        counts = json.loads(self.measured("bundle", path, "--json", "--quiet").out)["files"][0]["counts"]
        self.assertEqual(counts, {"container.sidecar_missing": 1, "line.damaged_limit": 1,
                                  "line.cells": 16384 + path.stat().st_size // 64})
        import verify_bundle
        with open(path, "rb") as file:
            self.assertEqual(verify_bundle.verify(file, path.name)["counts"], counts)


class Numbers(Hostile):
    def test_a_manifest_that_counts_more_than_there_can_be_is_salvaged(self):
        source, output = self.folder / "great.jsonl.zst", self.folder / "saved"
        source.write_bytes(hostile.great_totals())
        result = self.measured("salvage", source, "-o", output, "--json", "--quiet")
        missing = json.loads(result.out)["missing"]
        self.assertEqual(missing["item_count"], GREATEST)
        self.assertEqual([entry["item_count"] for entry in missing["types"]], [GREATEST] * 1100)
        self.assert_good(hp_verify("bundle", output))
        self.assertEqual(verdict_of(output)["verdict"], "valid salvage: self-consistent")


class Fingerprints(Hostile):
    """Spec/identity.md, "What a verifier recomputes"; both verifiers say the same."""

    def codes(self, data):
        source = self.folder / "identified.jsonl.zst"
        source.write_bytes(data)
        counts = self.counts(json.loads(self.measured("bundle", source, "--json", "--quiet").out)["files"][0])
        self.assertEqual(counts, self.counts(verdict_of(source)))
        return counts

    def counts(self, said):
        """Findings by code; how many each verifier lists is its own, and it has counts where it does not list all."""
        return said.get("counts") or collections.Counter(finding["code"] for finding in said["findings"])

    def test_thousands_of_alike_samples_hold(self):
        self.assertEqual(self.codes(hostile.alike(4200)), {})

    def test_wrong_fingerprints_use_up_what_a_file_may_ask_for(self):
        # 1048576 ordinals are 65536 for each of sixteen items.
        counts = self.codes(hostile.wrong_fingerprints(4000))
        self.assertEqual(counts, {"item.strict_fingerprint": 16, "item.alike_limit": 3984})


class Texts(Hostile):
    """hp-verify canonicalize and check-canonical."""

    def look_at(self, text, statuses=(0, 0)):
        path = self.folder / "text.json"
        path.write_bytes(text)
        for command, status in zip(("canonicalize", "check-canonical"), statuses):
            process = hp_verify(command, path)
            self.assertEqual(process.status, status, process)

    def test_texts_that_are_made_to_cost_much(self):
        keys = ",".join('"%06d":0' % number for number in range(500_000))
        self.look_at(b"{%s}" % keys.encode())
        self.look_at(b"{%s}" % ",".join('"\\u0041%06d":0' % number for number in range(500_000)).encode(), (0, 1))
        self.look_at(b"[" * 5_000_000, (2, 1))
        self.look_at(b'{"a":' * 512 + b"0" + b"}" * 512)
        self.look_at(b"1" * 5_000_000, (2, 1))
        self.look_at(b"0." + b"1" * 5_000_000, (0, 1))
        self.look_at(b"1" + b"0" * 300 + b"." + b"0" * 5_000_000 + b"1", (0, 1))
        self.look_at(b"1e" + b"9" * 5_000_000, (2, 1))
        self.look_at(b"[%s0]" % (b"0," * 2_000_000))
        self.look_at(b'{"a":0,%s"a":0}' % b"".join(b'"b%06d":{},' % number for number in range(300_000)), (2, 1))


class Reference(Case):
    """The verifier of the specification does not copy a line again and again either."""

    def test_it_verifies_a_line_in_many_frames(self):
        script = "import sys; sys.path[:0] = [%r]; import verify_bundle; verify_bundle.verify(open(sys.argv[1], 'rb'))"
        shapes = ("line in pieces", "false starts before a wrong checksum", "false starts before empty blocks")
        for data in (hostile.SHAPES[name]() for name in shapes):
            path = self.folder / "hostile.jsonl.zst"
            path.write_bytes(data)
            subprocess.run([sys.executable, "-B", "-c", script % str(ROOT / "Spec" / "examples"), path], check=True,
                           stdout=subprocess.DEVNULL, timeout=60)


if __name__ == "__main__":
    unittest.main()
