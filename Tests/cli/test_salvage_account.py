"""The whole account of hp-verify salvage: every entry with all its members, and everything that is said beside it.

Each file is put together frame by frame or line by line, so that what Spec/salvage.md says of it can be counted by hand.
"""

import json
import struct
import sys
import unittest

import zstandard

from support import FIXTURES, hp_verify, lines_of, vectors
from test_salvage import Salvage, generate, grouped, table_of

sys.path.insert(0, str(FIXTURES / "vectors"))
import generate_reports  # noqa: E402

LIMIT = 1000


def at(frame, code, after, **rest):
    """An entry about one frame."""
    return {"after_items": after, "code": code, "frame": frame, "frame_end": frame, **rest}


def changed(line):
    """The line with another value and the hash of before."""
    other = line.replace(b'"numeric_value":1', b'"numeric_value":2')
    assert len(other) == len(line) and other != line
    return other


def text_of(lines):
    return b"".join(line + b"\n" for line in lines)


def starts_of(frames):
    return [sum(map(len, frames[:index])) for index in range(len(frames) + 1)]


def padded(day, size):
    """An item whose line has so many bytes."""
    def line(count):
        return generate.lines(items=[generate.record(day=day, name=str(day), metadata={"key": "x" * count})])[1]
    made = line(size - len(line(0)))
    assert len(made) == size
    return generate.record(day=day, name=str(day), metadata={"key": "x" * (size - len(line(0)))})


class Account(Salvage):
    @classmethod
    def setUpClass(cls):
        cls.lines = generate.lines(items=[generate.record(day=day, name=str(day)) for day in range(1, 9)])
        cls.header, *cls.items, cls.manifest = cls.lines
        cls.second_header = generate.lines(generate.header(generator={"name": "synthetic", "version": "2"}))[0]

    def assert_account(self, data, items, account, *arguments, missing=0, repeated=0, header=True, manifest=True, table=True, status=1, count=None):
        """Salvages, and compares everything that is said."""
        found, value = self.salvage(data, *arguments, status=status)
        self.assertEqual(found, items)
        self.assertEqual(value["account"], account)
        said = {name: value.get(name) for name in ("account_count", "has_header", "has_manifest", "has_seek_table", "item_count", "missing", "repeated_count", "result")}
        types = [{"item_count": missing, "sample_type": generate.STEPS}] if missing else []
        self.assertEqual(said, {
            "account_count": len(account) if count is None else count, "has_header": header, "has_manifest": manifest, "has_seek_table": table, "item_count": len(items),
            "missing": {"item_count": missing, "types": types} if manifest else None, "repeated_count": repeated, "result": "damaged" if status else "whole"})
        return json.loads(lines_of(self.folder / "saved.jsonl.zst")[0])["salvage"]

    def frames(self, *groups, of=generate.frame):
        """A file with a frame for each group of lines, and where its frames start."""
        texts = [text_of(group) for group in groups]
        frames = [of(text) for text in texts]
        return b"".join(frames) + table_of(frames, texts), starts_of(frames)


class Entries(Account):
    def test_lines_of_one_code_share_an_entry_within_their_frame(self):
        one, two, three, four, five, six, seven, eight = self.items
        data, _ = self.frames([self.header], [self.second_header, self.second_header, one, changed(two), changed(three), four, changed(five)],
                              [changed(six), seven, b"{}", b"{}", changed(eight)], [self.manifest])
        self.assert_account(data, [one, four, seven], [
            at(2, "line.header_repeated", 0, frame_line=1, line_count=2), at(2, "item.hash", 1, frame_line=4, line_count=2), at(2, "item.hash", 2, frame_line=7, line_count=1),
            at(3, "item.hash", 2, frame_line=1, line_count=1), at(3, "line.kind", 3, frame_line=3, line_count=2), at(3, "item.hash", 3, frame_line=5, line_count=1)], missing=5)

    def test_lines_of_two_frames_are_two_entries(self):
        """The second would go on where the first ends, were it in the same frame: nothing is told of the manifest between."""
        data, _ = self.frames([self.header], self.items, [self.second_header], [self.manifest, self.second_header])
        self.assert_account(data, self.items, [at(3, "line.header_repeated", 8, frame_line=1, line_count=1), at(4, "line.header_repeated", 8, frame_line=2, line_count=1)])

    def test_as_many_entries_as_are_listed_and_one_more(self):
        for count in (LIMIT, LIMIT + 1):
            records = [generate.record(day=1, name="%04d" % number, start_date="2024-02-01T%02d:%02d:%02d.000Z" % (number // 3600, number // 60 % 60, number % 60))
                       for number in range(2 * count)]
            wrong = {index: generate.made_up("wrong") for index in range(0, 2 * count, 2)}
            made = generate.lines(items=records, item_hashes=wrong)
            texts = grouped(made, 200)
            frames = [generate.frame(text, level=1) for text in texts]
            # Of each two lines the first is wrong; frames of items have two hundred lines, from the second frame on.
            account = [at(2 + number // 100, "item.hash", number, frame_line=1 + number % 100 * 2, line_count=1) for number in range(LIMIT)]
            self.assert_account(b"".join(frames) + table_of(frames, texts), made[2:-1:2], account, missing=count, count=count)
            shown = hp_verify("salvage", self.folder / "damaged.jsonl.zst", "-o", self.folder / "shown", "--force")
            self.assertEqual([line for line in shown.out.decode().splitlines() if line.endswith(" more")], ["  1 more"] * (count - LIMIT))


class Places(Account):
    def test_items_that_changed_places_inside_a_frame(self):
        one, two, three, four, five, six, seven, eight = self.items
        data, _ = self.frames([self.header], [one, two], [three, five, four, six], [seven, eight], [self.manifest])
        self.assert_account(data, [one, two, three, five, four, six, seven, eight], [at(3, "order.items", 4, frame_line=3)])

    def test_items_that_changed_places_behind_a_damaged_line(self):
        one, two, three, four, five, six, seven, eight = self.items
        data, _ = self.frames([self.header], [one, two], [changed(three), four, six, five, seven, eight], [self.manifest])
        self.assert_account(data, [one, two, four, six, five, seven, eight],
                            [at(3, "item.hash", 2, frame_line=1, line_count=1), at(3, "order.items", 4, frame_line=4)], missing=1)

    def test_a_frame_that_sorts_before_the_one_before_it(self):
        data, _ = self.frames([self.header], self.items[4:], self.items[:4], [self.manifest])
        self.assert_account(data, self.items[4:] + self.items[:4], [at(3, "order.items", 4, frame_line=1)])

    def test_a_header_behind_items(self):
        data, _ = self.frames(self.items[:2], [self.header], self.items[2:], [self.manifest])
        self.assert_account(data, self.items, [at(2, "line.header_missing", 2, frame_line=1)])
        data, _ = self.frames([*self.items[:2], self.header, *self.items[2:]], [self.manifest])
        self.assert_account(data, self.items, [at(1, "line.header_missing", 2, frame_line=3)])

    def test_the_first_of_two_headers_counts(self):
        data, _ = self.frames([self.header], self.items[:2], [self.second_header], self.items[2:], [self.manifest])
        salvage = self.assert_account(data, self.items, [at(3, "line.header_repeated", 2, frame_line=1, line_count=1)])
        self.assertEqual(salvage["export"], json.loads(self.header)["export"])
        data, _ = self.frames([self.second_header], self.items, [self.header], [self.manifest])
        salvage = self.assert_account(data, self.items, [at(3, "line.header_repeated", 8, frame_line=1, line_count=1)])
        self.assertEqual(salvage["export"], json.loads(self.second_header)["export"])

    def test_the_first_of_two_manifests_counts(self):
        other = generate.lines(items=[generate.record(day=1, name="1")])[-1]
        data, _ = self.frames([self.header], self.items, [self.manifest], [other])
        salvage = self.assert_account(data, self.items, [at(4, "line.after_manifest", 8, frame_line=1, line_count=1)])
        self.assertEqual(salvage["manifest"], json.loads(self.manifest))

    def test_items_behind_the_manifest_are_told_once(self):
        one, two, three, four, five, six, seven, eight = self.items
        data, _ = self.frames([self.header], [one, two], [self.manifest], [three, changed(four), five], [six, seven, eight])
        self.assert_account(data, [one, two, three, five, six, seven, eight],
                            [at(4, "line.after_manifest", 2, frame_line=1), at(4, "item.hash", 3, frame_line=2, line_count=1)], missing=1)


class Manifests(Account):
    """Files of which every line, frame and table is whole."""

    def test_a_hash_of_other_items(self):
        *rest, last = generate.lines(items=[generate.record(day=day, name=str(day)) for day in range(1, 9)], manifest_hash=generate.made_up("other"))
        data, _ = self.frames(rest[:1], rest[1:], [last])
        self.assert_account(data, self.items, [{"after_items": 8, "code": "manifest.hash"}])

    def test_totals_of_other_items(self):
        records = [generate.record(day=day, name=str(day)) for day in range(1, 9)]
        totals = generate.totals_of(generate.header(), records)
        *rest, last = generate.lines(items=records, totals={**totals, "defect_count": 1})
        data, _ = self.frames(rest[:1], rest[1:], [last])
        self.assert_account(data, self.items, [{"after_items": 8, "code": "manifest.totals"}])

    def test_defects_of_the_header_are_in_its_totals(self):
        export = generate.header(defects=[generate.defect("/device_chain/created_at", "null", "null")])
        export["device_chain"] = {name: value for name, value in export["device_chain"].items() if name != "created_at"}
        made = generate.lines(export)
        self.assertIn(b'"totals":{"defect_count":1,', made[-1])
        self.assert_account(generate.of_lines(made), made[1:-1], [], status=0)


class Frames(Account):
    def test_a_frame_that_the_seek_table_does_not_name(self):
        """The second frame of items is overwritten by zeros, and by the first one in the midst of them."""
        one, two, three, four, five, six, seven, eight = self.items
        data, starts = self.frames([self.header], [one], [two, three, four, five, six, seven], [eight], [self.manifest], of=lambda text: generate.frame(text, blocks=generate.raw_blocks(text)))
        again = data[starts[1]:starts[2]]
        begin, end = starts[2] + 50, starts[2] + 50 + len(again)
        damaged = data[:starts[2]] + bytes(50) + again + bytes(starts[3] - end) + data[starts[3]:]
        self.assertEqual(len(damaged), len(data))
        self.assert_account(damaged, [one, one, eight], [
            at(3, "container.frame_header", 1, byte=starts[2], byte_end=begin), {"after_items": 2, "byte": end, "byte_end": starts[3], "code": "container.trailing"},
            {"after_items": 3, "byte": starts[5], "byte_end": len(data), "code": "container.seek_table_mismatch"},
            {"after_items": 1, "code": "order.repeated", "line_count": 1}], missing=6, repeated=1, table=False)
        # Without it the table fits what is left.
        damaged = data[:starts[2]] + bytes(starts[3] - starts[2]) + data[starts[3]:]
        self.assert_account(damaged, [one, eight], [at(3, "container.frame_header", 1, byte=starts[2], byte_end=starts[3])], missing=6)

    def test_frames_that_lost_nothing_are_written_anew(self):
        text = text_of(self.items[2:6])
        empty = generate.frame(b"")
        for codes, frame in ((["checksum_missing"], generate.frame(text, checksum=False)), (["content_size_missing"], generate.frame(text, size=None)),
                             (["checksum_missing", "content_size_missing"], generate.frame(text, checksum=False, size=None)),
                             (["content_size"], generate.frame(text, size=len(text) + 1)), (["content_size"], generate.frame(text, size=len(text) - 1)), (["frame_empty"], empty)):
            with self.subTest(codes, size=len(frame)):
                texts = [text_of([self.header]), text_of(self.items[:2]), b"" if frame == empty else text, text_of(self.items[6:]), text_of([self.manifest])]
                frames = [generate.frame(part) for part in texts]
                frames[2] = frame
                starts = starts_of(frames)
                items = self.items[:2] + ([] if frame == empty else self.items[2:6]) + self.items[6:]
                self.assert_account(b"".join(frames) + table_of(frames, texts), items,
                                    [at(3, "container." + code, 2, byte=starts[2], byte_end=starts[3]) for code in codes], missing=8 - len(items))
                saved = (self.folder / "saved.jsonl.zst").read_bytes()
                self.assertIn(frames[1], saved)
                self.assertIn(frames[3], saved)
                self.assertNotIn(frame, saved)

    def test_a_line_that_fills_a_frame(self):
        """A frame of at most 4,096 bytes holds a line of 4,095 and its end. Longer lines go on in the next frame."""
        made = generate.lines(items=[padded(1, 4095), padded(2, 4096), padded(3, 4095)])
        header, first, second, third, manifest = made
        texts = [header + b"\n", first[:2000], first[2000:] + b"\n", second[:2000], second[2000:] + b"\n", third[:2000], third[2000:] + b"\n", manifest + b"\n"]
        frames = [generate.frame(text) for text in texts]
        self.assert_account(b"".join(frames) + table_of(frames, texts), [first, third], [
            at(2, "container.frame_line_end", 0), at(4, "container.frame_line_end", 1), at(5, "line.limit", 1, frame_line=1, line_count=1),
            at(6, "container.frame_line_end", 1)], "--max-frame", "4096", missing=1)

    def test_a_line_goes_on_in_the_frame_that_follows_at_once(self):
        """The text of a frame without an end is two frames, each with a part of a line. What stands between them is no reason to put the parts together."""
        one, two, three, *rest = self.items
        inside = [generate.frame(one + b"\n" + two[:100]), generate.frame(two[100:] + b"\n" + three + b"\n")]
        for between, items, entry in ((b"", self.items, {"code": "container.frame_line_end"}),
                                      (b"between", [one, three, *rest], {"code": "line.unterminated", "line_count": 1})):
            with self.subTest(between):
                text = between.join(inside)
                # A block that is not the last one, and one of a kind that there is not.
                outer = generate.frame(text, blocks=struct.pack("<I", len(text) << 3)[:3] + text + b"\x06\0\0")
                texts = [text_of([self.header]), text, text_of(rest), text_of([self.manifest])]
                frames = [outer if part is text else generate.frame(part) for part in texts]
                found, value = self.salvage(b"".join(frames) + table_of(frames, texts))
                self.assertEqual(found, items)
                self.assertEqual(value["missing"]["item_count"], 8 - len(items))
                told = [each for each in value["account"] if each["code"] in ("container.frame_line_end", "line.unterminated")]
                self.assertEqual(told, [{"after_items": 1, "frame": 2, "frame_end": 2, **entry}])

    def test_only_the_line_end_is_missing_at_the_end_of_a_frame(self):
        """The seek table follows: of an item nothing is lost, and of what is none it says that it is a line."""
        *rest, last = self.items
        for ended, items, entry in ((last, self.items, {}), (last[:-1], rest, {"line_count": 1})):
            with self.subTest(entry):
                texts = [text_of([self.header]), text_of(rest) + ended]
                frames = [generate.frame(text) for text in texts]
                self.assert_account(b"".join(frames) + table_of(frames, texts), items,
                                    [at(2, "line.unterminated", len(items), **entry)], manifest=False)

    def test_a_header_inside_a_salvage_counts_only_where_its_id_holds(self):
        """Neither it nor the manifest beside it is taken from a line that is not right."""
        self.assert_account(self.frames([self.header], self.items, [self.manifest])[0], self.items, [], status=0)
        first, *items, last = lines_of(self.folder / "saved.jsonl.zst")
        inside = json.loads(self.header)["export"]["generator"]
        name = generate.canonical({"generator": inside}).encode()[1:-1]
        wrong = first.replace(name, name.replace(b'"version":"', b'"version":"9'), 1)
        self.assertNotEqual(wrong, first)
        data, _ = self.frames([wrong], items, [last])
        self.assert_account(data, self.items, [at(1, "manifest.export_id", 0, frame_line=1, line_count=1)],
                            header=False, manifest=False)

    def test_a_block_that_releases_of_the_library_read_differently_is_not_read(self):
        """Nothing behind the header of the frame is kept of it (Spec/container.md)."""
        for name in ("container-modes-reserved-bit", "container-modes-reserved-bit-2", "container-sequences-modes"):
            with self.subTest(name):
                path, = [vector.path for vector in vectors.ALL if vector.path.name.partition(".")[0] == name]
                data = path.read_bytes()
                count, = struct.unpack("<I", data[-9:-5])
                (first, _), (size, _), *_ = struct.iter_unpack("<II", data[-9 - 8 * count:-9])
                begin = first + zstandard.frame_header_size(data[first:])
                entry = at(2, "container.frame_corrupt", 0, byte=begin, byte_end=first + size, frame_line=1)
                self.assert_account(data, [], [entry], missing=3)

    def test_a_frame_that_ends_within_the_header_of_a_block(self):
        """Of the three bytes of the next block's header none, one or two are there: the blocks before it are read."""
        whole = [generate.frame(text_of(group)) for group in ([self.header], self.items[:4])]
        text = text_of(self.items[4:])
        last = generate.frame(text, blocks=generate.raw_blocks(text, len(text) // 2 + 1))
        size = int.from_bytes(last[9:12], "little") >> 3
        starts = starts_of(whole)
        kept = text[:size].count(b"\n")
        for count in (0, 1, 2):
            with self.subTest(count):
                end = 9 + 3 + size
                data = b"".join(whole) + last[:end + count]
                entry = at(3, "container.truncated", 4 + kept, byte=starts[2] + end, byte_end=len(data),
                           frame_line=kept + 1)
                missing = {"after_items": 4 + kept, "byte": len(data), "byte_end": len(data),
                           "code": "container.seek_table_missing"}
                self.assert_account(data, self.items[:4 + kept], [entry, missing], manifest=False, table=False)

    def test_the_limit_of_damaged_lines_is_reached_in_the_second_of_two_frames(self):
        """Header and manifest count, too (Spec/limits.md): 16384 lines and one for each 64 bytes of the file."""
        def file(second):
            texts = [text_of([self.header]), text_of(self.items[:2]), b"0\n" * 10_000, b"0\n" * second, text_of(self.items[2:]), text_of([self.manifest])]
            frames = [generate.frame(text) for text in texts]
            return b"".join(frames) + table_of(frames, texts), starts_of(frames)
        size = len(file(6400)[0])
        limit = 16_384 + size // 64
        for over in (0, 1, 2, 50):
            with self.subTest(over):
                # With the header and so many lines before, the limit is reached, or passed by so many.
                second = limit - 1 - 10_000 - 1 + over
                data, starts = file(second)
                self.assertEqual(len(data) // 64, size // 64)
                account = [at(3, "line.kind", 2, frame_line=1, line_count=10_000), at(4, "line.kind", 2, frame_line=1, line_count=min(second, limit - 10_001))]
                if over == 0:
                    self.assert_account(data, self.items, account)
                elif over == 1:
                    last = at(6, "line.damaged_limit", 8, byte=starts[5], byte_end=len(data), frame_line=1)
                    self.assert_account(data, self.items, [*account, last], manifest=False, table=False)
                else:
                    last = at(4, "line.damaged_limit", 2, byte=starts[3], byte_end=len(data), frame_line=limit - 10_000)
                    self.assert_account(data, self.items[:2], [*account, last], manifest=False, table=False)


class Texts(Account):
    """Lines, envelopes and tables: no frames, and places are bytes."""

    def assert_text(self, data, items, account, *arguments, **members):
        self.assert_account(data, items, account, *arguments, table=None, **members)

    def test_lines_apart_are_two_entries(self):
        one, two, *rest = self.items
        again = {"code": "line.header_repeated"}
        self.assert_text(text_of([self.header, one, self.second_header, two, self.second_header, self.second_header, *rest, self.manifest]), self.items,
                         [{**again, "after_items": 1, "line_count": 1}, {**again, "after_items": 2, "line_count": 2}])

    def test_a_gap_is_told_by_what_was_wrong_first_in_it(self):
        one, two, three, four, *rest = self.items
        unknown = generate.lines(items=[generate.record(day=3, name="3", unknown=1)])[1]
        for wrong, code in (([changed(two), unknown], "item.hash"), ([unknown, changed(two)], "shape.member_unknown")):
            data = text_of([self.header, one, *wrong, four, *rest, self.manifest])
            entry = {"after_items": 1, "byte": data.index(wrong[0]), "byte_end": data.index(wrong[1]) + len(wrong[1]), "code": code}
            self.assert_text(data, [one, four, *rest], [entry], missing=2)

    def test_two_gaps_have_their_own_codes(self):
        one, two, three, four, *rest = self.items
        unknown = generate.lines(items=[generate.record(day=3, name="3", unknown=1)])[1]
        wrong = changed(two)
        data = text_of([self.header, one, wrong, four, unknown, *rest, self.manifest])
        self.assert_text(data, [one, four, *rest], [
            {"after_items": 1, "byte": data.index(wrong), "byte_end": data.index(wrong) + len(wrong), "code": "item.hash"},
            {"after_items": 2, "byte": data.index(unknown), "byte_end": data.index(unknown) + len(unknown), "code": "shape.member_unknown"}], missing=2)

    def test_white_space_and_commas_around_what_is_lost_are_no_part_of_it(self):
        one, two, *rest = self.items
        wrong = changed(two)
        lines = text_of([self.header, one]) + b"\r\n \t\n" + wrong + b" \n\n\t" + text_of([*rest, self.manifest])
        envelope = self.header[:-1] + b',"items":[' + b" ,\n ".join([one, wrong, *rest]) + b"]," + self.manifest[1:] + b"\n"
        for data in (lines, envelope):
            self.assert_text(data, [one, *rest], [{"after_items": 1, "byte": data.index(wrong), "byte_end": data.index(wrong) + len(wrong), "code": "item.hash"}], missing=1)
        tail = b"what an editor left"
        data = text_of(self.lines[:-1]) + b" ,\n" + tail + b",\r\n\n"
        self.assert_text(data, self.items, [{"after_items": 8, "byte": data.index(tail), "byte_end": data.index(tail) + len(tail), "code": "line.kind"}], manifest=False)

    def test_a_value_has_no_control_character_in_its_quotes(self):
        """It does not end there, whatever follows; a space is none."""
        records = [generate.record(day=day, name=str(day), metadata={"key": "x y"} if day == 2 else {"key": "z"}) for day in (1, 2, 3)]
        made = generate.lines(items=records)
        _, one, two, three, _ = made
        for byte in (b"\n", b"\t", b"\0", b"\x1f"):
            with self.subTest(byte):
                wrong = two.replace(b"x y", b"x" + byte + b"y")
                data = text_of(made).replace(two, wrong)
                start = data.index(wrong)
                entry = {"after_items": 1, "byte": start, "byte_end": start + len(wrong), "code": "line.unterminated"}
                self.assert_text(data, [one, three], [entry], missing=1)
        self.assert_text(text_of(made), [one, two, three], [], status=0)

    def test_a_name_without_a_value_is_damage(self):
        """What stands behind it is no value that quotes or brackets show. Nothing behind that is lost."""
        one, *rest = self.items
        for wrong in (b'"export":5', b'"export": null', b'"manifest_hash":"0","totals":5'):
            with self.subTest(wrong):
                data = text_of([self.header, one, wrong, *rest, self.manifest])
                start = data.index(wrong)
                items, value = self.salvage(data)
                entry, = value["account"]
                self.assertEqual((items, value["missing"]["item_count"]), (self.items, 0))
                self.assertEqual((entry["code"], entry["after_items"], entry["byte"], entry["byte_end"]),
                                 ("line.kind", 1, start, start + len(wrong)))

    def test_a_name_without_a_bracket_before_it_is_damage(self):
        """Nothing opens the object that it would be the first member of: the file begins behind the bracket."""
        one, *rest = self.items
        for space in (b"", b"\n\t "):
            with self.subTest(space):
                data = space + text_of([one[1:], *rest, self.manifest])
                end = len(space) + len(one) - 1
                entry = {"after_items": 0, "byte": len(space), "byte_end": end, "code": "line.kind"}
                self.assert_text(data, rest, [entry], header=False, missing=1)

    def test_the_longest_item_of_a_text_and_one_byte_less(self):
        size = 20_000
        made = generate.lines(items=[generate.record(day=1, name="1"), padded(2, size), generate.record(day=3, name="3")])
        data, (_, one, two, three, _) = text_of(made), made
        self.assert_text(data, [one, two, three], [], "--max-line", str(size), status=0)
        start = data.index(two)
        # It is looked at as far as a line may go, and does not end there.
        self.assert_text(data, [one, three], [{"after_items": 1, "byte": start, "byte_end": start + size, "code": "line.unterminated"}], "--max-line", str(size - 1), missing=1)

    def test_the_longest_row_of_a_table_and_one_byte_less(self):
        size = 20_000
        made = generate_reports.report_lines(generate_reports.report("record_table"), [generate.record(day=1, name="1"), padded(2, size), generate.record(day=3, name="3")])
        rows = generate_reports.rows_of(made, "record")
        data, (_, one, two, three, _) = b"".join(rows), made
        sidecar = generate_reports.sidecar_of(made, "record", "table.csv", data)
        path, output = self.folder / "table.csv", self.folder / "saved.jsonl.zst"
        path.write_bytes(data)
        (self.folder / "table.csv-metadata.json").write_bytes(generate.canonical(sidecar).encode() + b"\n")
        start = len(rows[0]) + len(rows[1])
        lost = {"after_items": 1, "byte": start, "byte_end": start + len(rows[2]) - 2, "code": "line.limit"}
        for limit, items, account, status in ((size, [one, two, three], [], 0), (size - 1, [one, three], [lost], 1)):
            with self.subTest(limit):
                result = hp_verify("salvage", path, "-o", output, "--force", "--json", "--max-line", str(limit))
                value = json.loads(result.out)
                self.assertEqual((result.status, value["account"], value["account_count"], value["missing"]["item_count"]), (status, account, len(account), 3 - len(items)))
                self.assertEqual(lines_of(output)[1:-1], items)


    def test_a_quote_that_opens_a_cell_without_end_takes_one_row_along(self):
        """What is read for it ends at the longest line, and the search goes on behind the next line end."""
        items = [generate.record(day=day, name=str(day)) for day in (1, 2, 3)]
        made = generate_reports.report_lines(generate_reports.report("record_table"), items)
        first, *rows = generate_reports.rows_of(made, "record")
        wrong = b'"' + b"x" * 1_100_000
        path, output = self.folder / "table.csv", self.folder / "saved.jsonl.zst"
        path.write_bytes(first + rows[0] + wrong + b"\r\n" + rows[1] + rows[2])
        start = len(first) + len(rows[0])
        result = hp_verify("salvage", path, "-o", output, "--json", "--max-line", "20000")
        value = json.loads(result.out)
        entry = {"after_items": 1, "byte": start, "byte_end": start + len(wrong), "code": "line.cells"}
        self.assertEqual((result.status, value["account"], value["account_count"]), (1, [entry], 1))
        self.assertEqual(lines_of(output)[1:-1], made[1:-1])


class Copies(Account):
    def assert_copies(self, copies, items, account, counts):
        paths = [self.folder / ("copy-%d" % index) for index in range(len(copies))]
        for path, data in zip(paths, copies):
            path.write_bytes(data)
        output = self.folder / "saved.jsonl.zst"
        result = hp_verify("salvage", *paths, "-o", output, "--force", "--json")
        value = json.loads(result.out)
        self.assertEqual((result.status, value["account"]), (0, account))
        self.assertEqual((value["account_count"], value["missing"]["item_count"]), (len(account), 0))
        self.assertEqual([entry["account_count"] for entry in value["other_files"]], counts[1:])
        self.assertEqual(lines_of(output)[1:-1], items)
        self.assertEqual(json.loads(lines_of(output)[0])["salvage"]["account"], account)
        self.assertEqual(hp_verify("bundle", output).status, 0)

    def test_lines_of_two_copies_are_two_entries(self):
        data = text_of([self.header, self.second_header, *self.items, self.manifest])
        entry = {"after_items": 0, "code": "line.header_repeated", "line_count": 1}
        self.assert_copies([data, data], self.items, [{**entry, "source": 1}, {**entry, "source": 2}], [1, 1])

    def test_copies_are_told_to_people(self):
        """Each with what it gave; of one without a header nobody knows whose copy it is."""
        again = [self.second_header, self.second_header]
        whole, _ = self.frames([self.header], self.items, [self.manifest])
        text = text_of([self.header, *again, *self.items])
        headless = text_of(self.items[4:])
        paths = [self.folder / name for name in ("whole", "text", "headless")]
        for path, data in zip(paths, (whole, text, headless)):
            path.write_bytes(data)
        output = self.folder / "saved.jsonl.zst"
        result = self.assert_good(hp_verify("salvage", *paths, "-o", output))
        self.assertEqual(result.out.decode().splitlines(), [
            "%s, %s, %s: whole: 8 of 8 items recovered to %s" % (*paths, output),
            "  header intact  manifest intact", "  file 1, %s: 8 items" % paths[0], "  file 2, %s: 8 items" % paths[1],
            "  file 3, %s: 4 items, no header: whether it is a copy is not known" % paths[2],
            "  line.header_repeated: file 2, 2 lines, after 0 recovered"])

    def test_a_damaged_line_of_each_copy(self):
        first, _ = self.frames([self.header], [*self.items[:3], changed(self.items[3]), *self.items[4:]], [self.manifest])
        second, _ = self.frames([self.header], self.items[:4], [*self.items[4:7], changed(self.items[7])], [self.manifest])
        self.assert_copies([first, second], self.items,
                           [at(2, "item.hash", 3, frame_line=4, line_count=1, source=1), at(3, "item.hash", 7, frame_line=4, line_count=1, source=2)], [1, 1])


if __name__ == "__main__":
    unittest.main()
