"""hp-verify salvage as a process: bundles that are damaged in known ways, and exactly the lines that must survive.

Bundles are made, and what survives is computed, without the tools: a saved item line is one of the lines that the bundle began with, and which of them a damaged file still
holds follows from RFC 8878. Frames of raw blocks show their text in the file, so that damage to them is followed byte by byte.
"""

import hashlib
import json
import os
import random
import resource
import struct
import sys
import unittest

import zstandard

from support import (
    FIXTURES, ROOT, Case, execute, hp_export, hp_verify, lines_of, schemas, takes_long, trace_of, verdict_of,
)

sys.path.insert(0, str(FIXTURES / "vectors"))
import generate  # noqa: E402

MAGIC = b"\x28\xb5\x2f\xfd"
TYPES = [generate.STEPS, generate.WATER]


def schema(name):
    return schemas.validator(name)


def made(count, **members):
    """The lines of a bundle of two sample types."""
    items = [generate.record(sample_type, 1 + index * 28 // count, "%s%05d" % (sample_type, index), **members) for sample_type in sorted(TYPES) for index in range(count // 2)]
    items.sort(key=lambda item: (item["sample_type"], item["start_date"], item["end_date"], item["sample_uuid_hash"]))
    export = generate.header(coverage=[generate.coverage(name) for name in sorted(TYPES)])
    return generate.lines(export, items)


def grouped(lines, size):
    """The texts of frames: header, items by groups, manifest."""
    groups = [lines[:1], *(lines[at:at + size] for at in range(1, len(lines) - 1, size)), lines[-1:]]
    groups[-2] = [line for line in groups[-2] if line is not lines[-1]]
    return [b"".join(line + b"\n" for line in group) for group in groups]


def raw_frame(text):
    """A frame of raw blocks of 700 bytes with a checksum: its text stands in the file."""
    return generate.frame(text, blocks=generate.raw_blocks(text, 700))


def table_of(frames, texts):
    return generate.table([(len(frame), len(text)) for frame, text in zip(frames, texts)])


def text_of(data, start):
    """What the raw blocks of a frame of ours hold as far as they lead, and the frame's end; None where no such frame starts."""
    if len(data) < start + 9 or data[start + 4] != 0xA4 or struct.unpack_from("<I", data, start + 5)[0] > 1 << 23:
        return None, None
    text, at = bytearray(), start + 9
    while at + 3 <= len(data):
        word = int.from_bytes(data[at:at + 3], "little")
        last, kind, size = word & 1, word >> 1 & 3, word >> 3
        end = at + 3 + (1 if kind == 1 else size)
        if kind > 1 or size > 1 << 17 or end > len(data):
            break
        text += data[at + 3:end] * (size if kind == 1 else 1)
        at = end
        if last:
            return bytes(text), at + 4 if at + 4 <= len(data) else None
    return bytes(text), None


def surviving(data, items):
    """The item lines that a damaged file of raw frames still holds."""
    known, found, at = set(items), [], 0
    while (at := data.find(MAGIC, at)) >= 0:
        text, end = text_of(data, at)
        found += [line for line in (text or b"").split(b"\n") if line in known]
        follows = end is not None and (end == len(data) or data[end:end + 4] == MAGIC or data[end + 1:end + 4] == b"\x2a\x4d\x18" and data[end] >> 4 == 5)
        at = end if follows else at + 1
    return found


class Salvage(Case):
    runs = 0

    def salvage(self, data, *arguments, status=1):
        """What comes out of a damaged file: the lines, and the result of --json. It verifies, every tenth with the verifier of the specification, and everything fits its schema."""
        source, output = self.folder / "damaged.jsonl.zst", self.folder / "saved.jsonl.zst"
        source.write_bytes(data)
        result = hp_verify("salvage", source, "-o", output, "--force", "--json", *arguments)
        self.assertEqual(result.status, status, result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schema("salvage-result").iter_errors(value)], [])
        self.assertEqual(value["result"], "damaged" if status else "whole")
        self.assertEqual(value["source"], {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
        self.assertEqual(source.read_bytes(), data)
        if Salvage.runs % 10 == 0:
            verdict = verdict_of(output)
            self.assertEqual((verdict["verdict"], verdict["findings"]), ("valid salvage: self-consistent", []))
        Salvage.runs += 1
        verified = hp_verify("bundle", output)
        self.assertIn(b": valid salvage: self-consistent\n", verified.out)
        self.assertEqual(verified.status, 0)
        first, *items, last = lines_of(output)
        self.assertEqual(len(items), value["item_count"])
        self.assertEqual(len(items) - len(set(items)), value["repeated_count"])
        header, end = json.loads(first), json.loads(last)
        for name, line in (("salvage-header", header), ("salvage-end", end)):
            self.assertEqual([error.message for error in schema(name).iter_errors(line)], [])
        self.assertEqual(header["salvage"]["account"], value["account"])
        self.assertEqual(end["salvage_hash"], value["salvage_hash"])
        self.assertEqual(end["totals"]["item_count"], len(items))
        return items, value

    def codes(self, value):
        return [entry["code"] for entry in value["account"]]


class RawFrames(Salvage):
    """Damage that is followed byte by byte."""

    @classmethod
    def setUpClass(cls):
        cls.lines = made(240)
        cls.texts = grouped(cls.lines, 5)
        cls.frames = [raw_frame(text) for text in cls.texts]
        cls.body = b"".join(cls.frames)
        cls.whole = cls.body + table_of(cls.frames, cls.texts)

    def check(self, data, status=1):
        items, value = self.salvage(data, status=status)
        expected = surviving(data, self.lines[1:-1])
        self.assertEqual(set(items), set(expected))
        lost = [line for line in self.lines[1:-1] if line not in set(items)]
        if value["has_manifest"]:
            counts = {}
            for line in lost:
                name = json.loads(line)["item"]["sample_type"]
                counts[name] = counts.get(name, 0) + 1
            missing = value["missing"]
            self.assertEqual({entry["sample_type"]: entry["item_count"] for entry in missing["types"]}, counts)
            self.assertEqual(missing["item_count"], len(lost))
        return items, value

    def test_an_undamaged_bundle_is_whole_and_its_frames_are_copied(self):
        items, value = self.check(self.whole, status=0)
        self.assertEqual(items, self.lines[1:-1])
        self.assertEqual(value["account"], [])
        saved = (self.folder / "saved.jsonl.zst").read_bytes()
        self.assertIn(b"".join(self.frames[1:-1]), saved)
        header = json.loads(lines_of(self.folder / "saved.jsonl.zst")[0])["salvage"]
        self.assertEqual(header["export"], json.loads(self.lines[0])["export"])
        self.assertEqual(header["manifest"], json.loads(self.lines[-1]))

    def test_the_same_file_gives_the_same_bytes_and_a_salvage_can_be_salvaged(self):
        damaged = self.whole[:3000] + self.whole[9000:]
        items, first = self.check(damaged)
        bytes_of_first = (self.folder / "saved.jsonl.zst").read_bytes()
        self.check(damaged)
        self.assertEqual((self.folder / "saved.jsonl.zst").read_bytes(), bytes_of_first)
        again, value = self.salvage(bytes_of_first)
        self.assertEqual(again, items)
        self.assertEqual((value["missing"], value["export_id"], value["account"]), (first["missing"], first["export_id"], []))

    def test_header_manifest_and_seek_table_may_be_lost(self):
        table = self.whole[len(self.body):]
        for lost in range(1, 8):
            frames = self.frames[bool(lost & 1):len(self.frames) - bool(lost & 2)]
            data = b"".join(frames) + (b"" if lost & 4 else table)
            items, value = self.check(data)
            self.assertEqual(items, self.lines[1:-1])
            self.assertEqual((value["has_header"], value["has_manifest"]), (not lost & 1, not lost & 2))
            self.assertFalse(value["has_seek_table"])
            self.assertEqual("missing" in value, not lost & 2)
            self.assertEqual(self.codes(value), ["container.seek_table_missing" if lost & 4 else "container.seek_table_mismatch"])

    def test_a_hole_is_accounted_for_byte_by_byte(self):
        starts = [0]
        for frame in self.frames:
            starts.append(starts[-1] + len(frame))
        for fill in (b"\0", b"\xff", b"x"):
            hole = starts[11] - 5000
            data = self.whole[:hole] + fill * 5000 + self.whole[starts[11]:]
            items, value = self.check(data)
            self.assertEqual(items[-1], self.lines[-2])
            unread = [(entry["byte"], entry["byte_end"]) for entry in value["account"] if entry["code"].startswith("container.") and "byte" in entry]
            self.assertTrue(any(begin <= hole + 2500 < end for begin, end in unread), value["account"])
            self.assertTrue(all(end <= starts[11] for _, end in unread), value["account"])
            self.assertTrue(value["has_seek_table"])
            self.assertEqual(value["account"][-1]["frame_end"], 11)

    @takes_long
    def test_seeded_damage_leaves_exactly_the_lines_that_hold(self):
        chance = random.Random(20240301)
        for number in range(80):
            data = bytearray(self.whole)
            for _ in range(chance.choice((1, 1, 2, 5, 20))):
                at = chance.randrange(len(data))
                size = chance.choice((1, 3, 40, 900, 6000))
                kind = chance.randrange(6)
                if kind == 0:
                    data[at] ^= 1 << chance.randrange(8)
                elif kind == 1:
                    data[at:at + size] = bytes(len(data[at:at + size]))
                elif kind == 2:
                    data[at:at + size] = chance.randbytes(len(data[at:at + size]))
                elif kind == 3:
                    del data[at:at + size]
                elif kind == 4:
                    data[at:at] = chance.randbytes(size)
                else:
                    other = chance.randrange(len(data))
                    data[at:at] = data[other:other + size]
            if number % 7 == 0:
                del data[chance.randrange(len(data)):]
            with self.subTest(number):
                self.check(bytes(data))

    def test_frames_that_are_swapped_or_repeated_are_all_saved(self):
        order = list(range(len(self.frames)))
        order[4], order[9] = order[9], order[4]
        items, value = self.check(b"".join(self.frames[index] for index in order) + self.whole[len(self.body):])
        self.assertEqual((value["missing"]["item_count"], value["repeated_count"]), (0, 0))
        self.assertEqual(set(self.codes(value)), {"order.items"})
        order = [*range(20), 3, 4, 5, 5, *range(20, len(self.frames))]
        frames = [self.frames[index] for index in order]
        items, value = self.check(b"".join(frames) + table_of(frames, [self.texts[index] for index in order]))
        self.assertEqual((value["missing"]["item_count"], value["repeated_count"]), (0, 20))
        repeated = [(entry["after_items"], entry["line_count"]) for entry in value["account"] if entry["code"] == "order.repeated"]
        self.assertEqual(repeated, [(95, 20)])

    def test_items_that_are_changed_are_not_saved(self):
        at = self.whole.index(b'"numeric_value":') + 16
        items, value = self.check(self.whole[:at] + b"7" + self.whole[at + 1:])
        self.assertEqual(items, self.lines[2:-1])
        self.assertEqual(self.codes(value), ["item.hash", "container.checksum"])
        self.assertEqual({name: value["account"][0][name] for name in ("frame", "frame_line", "line_count")}, {"frame": 2, "frame_line": 1, "line_count": 1})

    def test_a_wrong_checksum_loses_nothing_but_the_manifest(self):
        for frame in (3, len(self.frames) - 1):
            end = sum(map(len, self.frames[:frame + 1]))
            items, value = self.check(self.whole[:end - 2] + bytes([self.whole[end - 2] ^ 1]) + self.whole[end - 1:])
            self.assertEqual(items, self.lines[1:-1])
            self.assertEqual(value["has_manifest"], frame == 3)
            self.assertEqual(self.codes(value), ["container.checksum"])


class Compressed(Salvage):
    """Frames as the tools write them."""

    @classmethod
    def setUpClass(cls):
        cls.lines = made(1200)
        cls.texts = grouped(cls.lines, 400)
        cls.frames = [generate.frame(text, level=1) for text in cls.texts]

    def join(self, frames, texts=None):
        return b"".join(frames) + table_of(frames, texts or self.texts)

    def test_the_first_blocks_of_a_frame_are_saved(self):
        """Blocks are cut out by their headers and decoded one by one, by another library."""
        frame = self.frames[2]
        decoder, at, text, ends = zstandard.ZstdDecompressor().decompressobj(), 9, b"", []
        text += decoder.decompress(frame[:9])
        while True:
            word = int.from_bytes(frame[at:at + 3], "little")
            end = at + 3 + (word >> 3)
            text += decoder.decompress(frame[at:end])
            ends.append((end, len(text)))
            at = end
            if word & 1:
                break
        self.assertGreater(len(ends), 2)
        for end, size in ends[:-1]:
            for damaged in (frame[:end] + b"\x06" + frame[end + 1:], frame[:end]):
                items, value = self.salvage(self.join([*self.frames[:2], damaged, *self.frames[3:]]))
                whole = text[:size].split(b"\n")[:-1]
                self.assertEqual(items, [*self.lines[1:401], *whole, *self.lines[801:-1]])
                self.assertEqual(value["missing"]["item_count"], 400 - len(whole))

    def test_lines_that_go_on_in_the_next_frame_are_saved(self):
        text = b"".join(self.texts)
        cuts = [0, 5000, 5001, 90_000, 500_000, len(text)]
        texts = [text[first:second] for first, second in zip(cuts, cuts[1:])]
        frames = [generate.frame(part, level=1) for part in texts]
        items, value = self.salvage(self.join(frames, texts))
        self.assertEqual(items, self.lines[1:-1])
        self.assertEqual(set(self.codes(value)), {"container.frame_line_end"})
        items, value = self.salvage(self.join([*frames[:2], *frames[3:]], [*texts[:2], *texts[3:]]))
        inside = text[cuts[3]:].split(b"\n", 1)[1].split(b"\n")[:-2]
        self.assertEqual(items, [*text[:cuts[2]].split(b"\n")[1:-1], *inside])

    def test_garbage_false_starts_and_lies_lose_nothing(self):
        chance = random.Random(7)
        false = MAGIC + b"\xa4" + struct.pack("<I", 1000) + struct.pack("<I", 900 << 3)[:3]
        bomb = generate.frame(b"\0" * (90 << 20), level=1)
        for garbage in (chance.randbytes(5000), MAGIC * 3000, false * 500, generate.skippable(b"x" * 700), bomb, generate.table([(9, 9)]), bytes(70_000)):
            frames = [*self.frames[:2], garbage, *self.frames[2:]]
            for table in (table_of(frames, [*self.texts[:2], b"x" * 5000, *self.texts[2:]]), table_of([b"x" * 40] * 9, [b"x"] * 9)):
                items, value = self.salvage(b"".join(frames) + table)
                self.assertEqual(items, self.lines[1:-1])
                self.assertEqual(value["missing"]["item_count"], 0)
                self.assertTrue(value["account"])

    def test_a_line_beyond_the_limit_is_not_saved(self):
        long = generate.lines(items=[generate.record(day=1), generate.record(day=2, name="b", metadata={"key": "x" * 5000}), generate.record(day=3, name="c")])
        items, value = self.salvage(generate.of_lines(long), "--max-line", "4000")
        self.assertEqual(items, [long[1], long[3]])
        self.assertEqual(self.codes(value), ["line.limit"])

    def test_bytes_that_are_no_bundle_give_an_empty_salvage(self):
        for data in (b"", b"x", MAGIC, bytes(100_000), random.Random(3).randbytes(100_000), (ROOT / "README.md").read_bytes()):
            items, value = self.salvage(data)
            self.assertEqual(items, [])
            self.assertTrue(value["account"])

    def test_a_header_counts_only_where_its_id_holds(self):
        header = self.texts[0].replace(b'"archive_schema_version":2', b'"archive_schema_version":3')
        items, value = self.salvage(self.join([generate.frame(header), *self.frames[1:]], [header, *self.texts[1:]]))
        self.assertEqual(items, self.lines[1:-1])
        self.assertEqual((value["has_header"], self.codes(value)), (False, ["manifest.export_id"]))


class Archives(Salvage):
    """Held against the recorded export."""

    def setUp(self):
        super().setUp()
        self.archive = self.generated(12_000)
        self.bundle = self.folder / "bundle.jsonl.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", self.bundle))
        data = self.bundle.read_bytes()
        count = struct.unpack("<I", data[-9:-5])[0]
        sizes = [size for size, _ in struct.iter_unpack("<II", data[-9 - 8 * count:-9])]
        self.frames = [data[sum(sizes[:index]):sum(sizes[:index + 1])] for index in range(count)]
        self.table = data[sum(sizes):]

    def identities(self, frame):
        items = [json.loads(line)["item"] for line in zstandard.ZstdDecompressor().decompress(frame).splitlines()]
        return sorted((item["sample_type"], item.get("sample_uuid_hash", item["strict_fingerprint"]), item["payload_hash"]) for item in items)

    def test_identities_of_lost_items_are_named(self):
        before = trace_of(self.folder)[self.archive.name.encode()]
        for first in (0, 1):
            data = b"".join([*self.frames[first:4], *self.frames[5:]])
            items, value = self.salvage(data, "--archive", self.archive, "--max-findings", "100000")
            lost = self.identities(self.frames[4])
            match = value["archive"]
            self.assertEqual(sorted((entry["sample_type"], entry["identity_hash"], entry["payload_hash"]) for entry in match["absent"]), lost)
            self.assertEqual((match["absent_count"], match["unknown"], match["unknown_count"]), (len(lost), [], 0))
            self.assertEqual(value["missing"]["item_count"], len(lost))
        items, value = self.salvage(data, "--archive", self.archive, "--max-findings", "3")
        self.assertEqual((len(value["archive"]["absent"]), value["archive"]["absent_count"]), (3, len(lost)))
        self.assertEqual(trace_of(self.folder)[self.archive.name.encode()], before)
        checked = json.loads(hp_verify("bundle", self.folder / "saved.jsonl.zst", "--archive", self.archive, "--json").out)["files"][0]
        self.assertEqual(checked["layers"]["archive"], "unknown")

    def test_items_that_the_archive_does_not_know_are_named(self):
        taken = self.identities(self.frames[3])[5]
        execute(self.archive, "DELETE FROM export_items WHERE sample_id = (SELECT id FROM samples WHERE coalesce(sample_uuid_hash, strict_fingerprint) = '%s')" % taken[1])
        items, value = self.salvage(b"".join([*self.frames, self.frames[3]]) + self.table, "--archive", self.archive)
        self.assertEqual((value["archive"]["absent_count"], value["archive"]["unknown_count"]), (0, 1))
        self.assertEqual(value["archive"]["unknown"], [{"sample_type": taken[0], "identity_hash": taken[1], "payload_hash": taken[2]}])

    def test_an_item_that_the_archive_recorded_with_another_hash_is_both(self):
        """Its own item was not recovered, and the one that was is not recorded."""
        taken = dict(zip(("sample_type", "identity_hash", "payload_hash"), self.identities(self.frames[3])[5]))
        execute(self.archive, "UPDATE export_items SET item_hash = '%s' WHERE sample_id = (SELECT id FROM samples"
                " WHERE coalesce(sample_uuid_hash, strict_fingerprint) = '%s')" % ("0" * 64, taken["identity_hash"]))
        items, value = self.salvage(self.bundle.read_bytes(), "--archive", self.archive)
        match = value["archive"]
        self.assertEqual((match["absent"], match["absent_count"], match["unknown"], match["unknown_count"]),
                         ([taken], 1, [taken], 1))

    def test_an_item_that_was_recovered_twice_is_one_for_the_archive(self):
        """Of a frame that stands there twice one item was recorded with another hash: that is one finding."""
        sample_type, identity, _ = self.identities(self.frames[3])[5]
        data = b"".join([*self.frames[:-1], self.frames[3], self.frames[-1]]) + self.table
        self.salvage(data, "--archive", self.archive)
        execute(self.archive, "UPDATE export_items SET item_hash = '%s' WHERE sample_id = (SELECT id FROM samples"
                " WHERE coalesce(sample_uuid_hash, strict_fingerprint) = '%s')" % ("0" * 64, identity))
        saved = self.folder / "saved.jsonl.zst"
        lines = [number for number, line in enumerate(lines_of(saved), 1)
                 if {identity, sample_type} <= set(map(str, json.loads(line).get("item", {}).values()))]
        self.assertEqual(len(lines), 2)
        checked = json.loads(hp_verify("bundle", saved, "--archive", self.archive, "--json").out)["files"][0]
        self.assertEqual([(finding["code"], finding["line"]) for finding in checked["findings"]],
                         [("archive.item_hash", lines[0])])

    def test_a_whole_bundle_of_the_archive_is_good(self):
        items, value = self.salvage(self.bundle.read_bytes(), "--archive", self.archive, status=0)
        checked = hp_verify("bundle", self.folder / "saved.jsonl.zst", "--archive", self.archive)
        self.assertEqual(checked.status, 0)
        self.assertIn(b"valid salvage: its items match the archive", checked.out)

    def test_an_export_that_was_not_recorded_is_unknown(self):
        items, value = self.salvage(b"".join(self.frames[1:-1]), "--archive", self.archive)
        self.assertNotIn("export_id", value["archive"])
        self.assertIn(b"archive has no record", hp_verify("salvage", self.folder / "damaged.jsonl.zst", "-o", self.folder / "again", "--archive", self.archive).out)


class Files(Salvage):
    """What the tool refuses, and what it leaves behind."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / "damaged.jsonl.zst"
        self.source.write_bytes(generate.of_lines(generate.lines())[:-40])

    def test_outputs_that_cannot_be_are_refused(self):
        os.link(self.source, self.folder / "link")
        (self.folder / "there").write_bytes(b"mine")
        archive = self.fixture()
        before = trace_of(self.folder)
        for output, word in ((self.source, "input"), (self.folder / "link", "input"), (self.folder / "there", "exists"), (self.folder / "none" / "x", "does not exist"), (self.folder, "folder"), ("-", "standard output")):
            force = [] if word == "exists" else ["--force"]
            self.assert_refused(hp_verify("salvage", self.source, "-o", output, *force), word, name="hp-verify")
        for output in (archive, os.fspath(archive) + "-wal"):
            self.assert_refused(hp_verify("salvage", self.source, "-o", output, "--force", "--archive", archive), "archive", name="hp-verify")
        self.assert_refused(hp_verify("salvage", self.folder / "missing", "-o", self.folder / "x"), "missing", name="hp-verify")
        self.assert_refused(hp_verify("salvage", "/dev/null", "-o", self.folder / "x"), "not a regular file", name="hp-verify")
        self.assert_refused(hp_verify("salvage", self.source), "-o", name="hp-verify")
        self.assertEqual(trace_of(self.folder), before)

    def test_a_salvage_that_cannot_be_written_leaves_nothing(self):
        before = self.names()
        result = hp_verify("salvage", self.source, "-o", self.folder / "saved", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assert_refused(result, "write", name="hp-verify")
        self.assertEqual(self.names(), before)

    def test_what_a_recorded_export_waits_for_stays(self):
        # As PendingFile names it: 13 digits of the archive's number, 13 of chance.
        waiting, left = self.folder / (".saved.%s%s.partial" % ("1" * 13, "a" * 13)), self.folder / (".saved.%s%s.partial" % ("0" * 13, "b" * 13))
        waiting.write_bytes(b"settled")
        left.write_bytes(b"of a salvage that was killed")
        self.assertEqual(hp_verify("salvage", self.source, "-o", self.folder / "saved").status, 1)
        self.assertEqual(waiting.read_bytes(), b"settled")
        self.assertFalse(left.exists())

    def test_the_account_for_people(self):
        result = hp_verify("salvage", self.source, "-o", self.folder / "saved")
        self.assertEqual(result.status, 1)
        lines = result.out.decode().splitlines()
        self.assertTrue(lines[0].endswith("damaged: 3 of 3 items recovered to %s" % (self.folder / "saved")), lines)
        self.assertEqual(lines[1], "  header intact  manifest intact  seek table lost")
        self.assertEqual(hp_verify("bundle", self.folder / "saved").status, 0)


if __name__ == "__main__":
    unittest.main()
