"""hp-verify salvage of texts and of several copies: what a decompressor or an editor left, and copies that are damaged in different places.

What must be recovered is known without the tools: the lines and rows that a text was made of, and which of them a cut or a hole left whole.
"""

import csv
import io
import json
import random
import unittest

from support import hp_export, hp_verify, lines_of, verdict_of
from test_salvage import MAGIC, Salvage, generate, grouped, made, schema, table_of

NOTE = {"HKWasUserEntered": True, "item": "a<b & c \"q\", \n {\"item\":{", "note": "&amp; \u2028 ü"}


def frame_file(texts):
    frames = [generate.frame(text) for text in texts]
    return frames, b"".join(frames) + table_of(frames, texts)


class TextCase(Salvage):
    """Salvages files of any name, and reads what came out."""

    def recovered(self, name, data, *others, status=None, beside=None):
        paths = []
        for index, content in enumerate((data, *others)):
            path = self.folder / (name if index == 0 else "copy-%d-%s" % (index, name))
            path.write_bytes(content)
            paths.append(path)
        if beside is not None:
            (self.folder / (name + "-metadata.json")).write_bytes(beside)
        output = self.folder / "saved.jsonl.zst"
        result = hp_verify("salvage", *paths, "-o", output, "--force", "--json")
        self.assertIn(result.status, (0, 1) if status is None else (status,), result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schema("salvage-result").iter_errors(value)], [])
        self.assertEqual(hp_verify("bundle", output).status, 0)
        first, *items, last = lines_of(output)
        header = json.loads(first)
        if Salvage.runs % 10 == 0:
            verdict = verdict_of(output)
            labels = "; labels: not checked" if header["salvage"].get("export", {}).get("scope", {}).get("mode") == "changes" else ""
            self.assertEqual((verdict["verdict"], verdict["findings"]), ("valid salvage: self-consistent" + labels, []))
        Salvage.runs += 1
        self.assertEqual([error.message for error in schema("salvage-header").iter_errors(header)], [])
        self.assertEqual(header["salvage"]["account"], value["account"])
        self.assertEqual(value["item_count"], len(items))
        return items, value


class Texts(TextCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = made(40, metadata=NOTE)
        cls.items = cls.lines[1:-1]
        cls.text = b"".join(line + b"\n" for line in cls.lines)
        cls.envelope = cls.lines[0][:-1] + b',"items":[' + b",".join(cls.items) + b"]," + cls.lines[-1][1:] + b"\n"

    def whole_within(self, data, start, end):
        """The items whose bytes stand whole in a part of a text."""
        return [item for item in self.items if start <= data.index(item) and data.index(item) + len(item) <= end]

    def test_an_undamaged_text_is_whole(self):
        for name, data in (("a.jsonl", self.text), ("a.json", self.envelope), ("a", self.text), ("b", self.text[:-1])):
            items, value = self.recovered(name, data, status=0)
            self.assertEqual((items, value["result"], value["account"], value["missing"]["item_count"]), (self.items, "whole", [], 0))
            self.assertNotIn("has_seek_table", value)

    def test_a_text_cut_anywhere_gives_what_is_whole_in_it(self):
        chance = random.Random(18)
        for data in (self.text, self.envelope):
            for _ in range(30):
                start, end = sorted(chance.randrange(len(data)) for _ in range(2))
                items, value = self.recovered("cut", data[start:end])
                self.assertEqual(items, self.whole_within(data, start, end), (start, end))
                self.assertEqual(value["has_header"], start == 0 and data.index(self.items[0]) <= end)
                for entry in value["account"]:
                    self.assertLess(entry["byte"], entry["byte_end"])

    def test_a_hole_takes_along_what_it_hits(self):
        chance = random.Random(19)
        first = self.text.index(self.items[0])
        for data in (self.text, self.envelope):
            for filling in (b"\0", b'"', b"{", b"x", b"\n", b'{"item":'):
                for _ in range(5):
                    at = chance.randrange(first, data.index(self.items[-1]))
                    size = chance.randrange(1, 3000)
                    hole = (filling * size)[:size]
                    damaged = data[:at] + hole + data[at + size:]
                    expected = [item for item in self.items if damaged.count(item)]
                    items, value = self.recovered("hole", damaged)
                    self.assertEqual(items, expected, (at, size, filling))
                    if value["has_manifest"]:
                        self.assertEqual(value["missing"]["item_count"], len(self.items) - len(expected))

    def test_other_line_ends_and_a_mark_are_no_damage(self):
        for data in (self.text.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + self.text, self.text.replace(b"\n", b" \n\n\t")):
            items, value = self.recovered("a.jsonl", data, status=0)
            self.assertEqual((items, value["account"]), (self.items, []))

    def test_what_is_written_in_another_way_is_recovered(self):
        loaded = [json.loads(line) for line in self.lines]
        indented = "\n".join(json.dumps(line, indent=2) for line in loaded).encode()
        one = {"export": loaded[0]["export"], "items": loaded[1:-1], **loaded[-1]}
        turned = json.dumps({**one, "items": [dict(reversed(item.items())) for item in one["items"]]}, indent=1).encode()
        for data in (indented, json.dumps(one, ensure_ascii=False).encode(), json.dumps(one, indent=4).encode()):
            items, value = self.recovered("a.json", data, status=1)
            self.assertEqual((items, value["missing"]["item_count"]), (self.items, 0))
            self.assertTrue(all("byte" not in entry for entry in value["account"]), value["account"])
            self.assertEqual(len({entry["code"] for entry in value["account"]}), len(value["account"]))
        # An item is found by its first member.
        self.assertEqual(self.recovered("a.json", turned)[0], [])

    def test_another_value_is_not_recovered(self):
        damaged = self.text.replace(b'"numeric_value":1', b'"numeric_value":2', 1)
        items, value = self.recovered("a.jsonl", damaged, status=1)
        self.assertEqual(items, [item for item in self.items if item in damaged])
        self.assertEqual([entry["code"] for entry in value["account"]], ["item.hash"])
        start = damaged.index(b'"numeric_value":2')
        self.assertTrue(value["account"][0]["byte"] < start < value["account"][0]["byte_end"])

    def test_a_page_cut_anywhere_gives_its_items(self):
        archive = self.generated(3_000)
        page = self.folder / "page.html"
        self.assert_good(hp_export("report", archive, "--no-record", "-o", page))
        data = page.read_bytes()
        start = data.index(b'<template id="healthprobe-evidence">\n') + len(b'<template id="healthprobe-evidence">\n')
        inside = data[start:data.index(b"</template>")].split(b"\n")[:-1]
        plain = [line.replace(b"&lt;", b"<").replace(b"&gt;", b">").replace(b"&amp;", b"&") for line in inside]
        items, value = self.recovered("a.html", data)
        self.assertEqual((items, value["missing"]["item_count"], [e for e in value["account"] if "byte" in e]), (plain[1:-1], 0, []))
        end = start + sum(len(line) + 1 for line in inside[:10]) + 20
        self.assertEqual(self.recovered("a.html", data[:end])[0], plain[1:10])

    def test_a_file_that_was_made_to_be_slow_is_not(self):
        for data in (b'{"item":' * 500_000, b'{"item":"' * 500_000, b'{"item":{"a":' * 300_000, b'"export":{' * 400_000, b'\n"' * 2_000_000):
            items, _ = self.recovered("a.jsonl", data + b"\n" + self.text, status=1)
            self.assertLessEqual(len(items), len(self.items))


class Tables(TextCase):
    def table(self, *arguments):
        archive = self.generated(3_000)
        path = self.folder / "made.csv"
        self.assert_good(hp_export(arguments[0], archive, *arguments[1:], "--no-record", "--force", "--format", "csv", "-o", path))
        lines = self.folder / "made.bundle.zst"
        self.assert_good(hp_export(arguments[0], archive, *arguments[1:], "--no-record", "--force", "--format", "bundle", "-o", lines))
        data = path.read_bytes()
        # Where rows end: Python's own reader counts them.
        rows, at = [], 0
        text = data.decode()
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        parts = text.split("\r\n")
        for part in parts[:-1]:
            rows.append((at, at + len(part.encode()) + 2))
            at = rows[-1][1]
        self.assertEqual(len(list(reader)), len(rows))
        return data, (self.folder / "made.csv-metadata.json").read_bytes(), rows, lines_of(lines)[1:-1]

    def test_a_table_cut_anywhere_gives_the_rows_that_are_whole(self):
        chance = random.Random(20)
        for question in (["records"], ["diff"], ["diff", "--summary"]):
            data, beside, rows, items = self.table(*question)
            self.assertEqual(len(rows), len(items) + 1)
            self.assertEqual(self.recovered("a.csv", data, beside=beside.replace(b"made.csv", b"a.csv"), status=0)[0], items)
            (self.folder / "a.csv-metadata.json").unlink()
            for name in ("a.csv", "a"):
                start, end = sorted((chance.randrange(len(data) // 2), chance.randrange(len(data) // 2, len(data))))
                found, value = self.recovered(name, data[start:end], status=1)
                expected = [item for (first, last), item in zip(rows[1:], items) if start <= first and last <= end]
                if name == "a.csv":
                    self.assertEqual(found, expected)
                    self.assertEqual(value["account"][0]["code"], "container.columns")
                found, value = self.recovered(name, data[:end], status=1)
                self.assertEqual(found, [item for (_, last), item in zip(rows[1:], items) if last <= end])

    def test_a_table_that_an_editor_saved_again(self):
        data, beside, _, items = self.table("records")
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
        for delimiter, ending, quoting in ((";", "\n", csv.QUOTE_ALL), (",", "\n", csv.QUOTE_MINIMAL), ("\t", "\r\n", csv.QUOTE_NONNUMERIC)):
            out = io.StringIO(newline="")
            csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=quoting).writerows(rows)
            found, value = self.recovered("a.csv", b"\xef\xbb\xbf" + out.getvalue().encode())
            self.assertEqual((found, value["account"]), (items, []))

    def test_a_quote_too_many_takes_one_row_along(self):
        data, beside, rows, items = self.table("records")
        first, last = rows[100]
        damaged = data[:first] + b'"' + data[first:]
        found, value = self.recovered("a.csv", damaged, beside=beside.replace(b"made.csv", b"a.csv"), status=1)
        self.assertEqual(found, items[:99] + items[100:])
        self.assertEqual([(entry["byte"], entry["byte_end"]) for entry in value["account"]], [(first, last - 1)])

    def test_a_view_for_people_is_refused(self):
        archive, path = self.generated(500), self.folder / "view.csv"
        self.assert_good(hp_export("records", archive, "--no-record", "--view", "people", "-o", path))
        result = hp_verify("salvage", path, "-o", self.folder / "saved.jsonl.zst")
        self.assertEqual(result.status, 2)
        self.assertIn("holds no items", result.err)


class Copies(TextCase):
    """Several damaged copies of one bundle."""

    @classmethod
    def setUpClass(cls):
        cls.lines = made(240)
        cls.items = cls.lines[1:-1]
        cls.texts = grouped(cls.lines, 5)
        cls.frames, cls.whole = frame_file(cls.texts)

    def without(self, lost):
        """The file with some frames overwritten, and the items that are left."""
        data = b"".join(bytes(len(frame)) if index in lost else frame for index, frame in enumerate(self.frames))
        kept = [line for index, text in enumerate(self.texts) if index not in lost for line in text.split(b"\n") if line in set(self.items)]
        return data, kept

    def test_copies_give_together_what_they_hold(self):
        chance = random.Random(21)
        for round in range(12):
            copies = [self.without(set(chance.sample(range(len(self.frames)), chance.randrange(1, 30)))) for _ in range(chance.randrange(2, 5))]
            together = {line for _, kept in copies for line in kept}
            items, value = self.recovered("a.zst", *(data for data, _ in copies))
            self.assertEqual(items, [line for line in self.items if line in together])
            is_whole = len(items) == len(self.items) and value["has_header"] and value["has_manifest"]
            self.assertEqual(value["result"], "whole" if is_whole else "damaged")
            self.assertEqual([file["item_count"] for file in value["other_files"]], [len(kept) for _, kept in copies[1:]])
            self.assertEqual({entry["source"] for entry in value["account"]}, set(range(1, len(copies) + 1)))

    def test_halves_without_anything_in_common_are_whole_together(self):
        half = len(self.frames) // 2
        first, second = (self.without(set(part))[0] for part in (range(half, len(self.frames)), range(half)))
        for parts in ((first, second), (second, first)):
            items, value = self.recovered("a.zst", *parts, status=0)
            self.assertEqual((items, value["result"], value["missing"]["item_count"], value["repeated_count"]), (self.items, "whole", 0, 0))

    def test_a_text_and_a_bundle_are_copies_too(self):
        text = b"".join(line + b"\n" for line in self.lines)
        items, value = self.recovered("a", text[len(text) // 2:], self.without(set(range(30, len(self.frames))))[0], status=0)
        self.assertEqual((items, value["result"]), (self.items, "whole"))

    def test_a_copy_whose_frames_changed_places(self):
        turned = b"".join([self.frames[0], *self.frames[20:], *self.frames[1:20]])
        items, value = self.recovered("a.zst", turned, self.without({30})[0])
        self.assertEqual(set(items), set(self.items))
        self.assertEqual(value["repeated_count"], len(items) - len(self.items))
        self.assertIn("order.repeated", [entry["code"] for entry in value["account"]])

    def test_copies_of_different_exports_are_refused(self):
        other = generate.of_lines(generate.lines(generate.header(coverage=[generate.coverage(generate.STEPS)]), [generate.record(day=3)]))
        for name, data in (("a.zst", self.whole), ("b.zst", other)):
            (self.folder / name).write_bytes(data)
        output = self.folder / "saved.jsonl.zst"
        result = hp_verify("salvage", self.folder / "a.zst", self.folder / "b.zst", "-o", output)
        self.assertEqual((result.status, output.exists()), (2, False))
        self.assertIn("another export than", result.err)
        self.assertEqual(sorted(path.name for path in self.folder.glob(".*")), [])

    def test_copies_are_held_against_an_archive(self):
        archive, bundle = self.generated(12_000), self.folder / "bundle.jsonl.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle))
        data = bundle.read_bytes()
        half = len(data) // 2
        paths = [self.folder / "first", self.folder / "second"]
        paths[0].write_bytes(data[:half + 100_000])
        paths[1].write_bytes(data[half - 100_000:])
        output = self.folder / "saved.jsonl.zst"
        result = hp_verify("salvage", *paths, "-o", output, "--archive", archive, "--json")
        value = json.loads(result.out)
        self.assertEqual((result.status, value["archive"]["absent_count"], value["archive"]["unknown_count"]), (0, 0, 0), result)
        self.assertEqual(lines_of(output)[1:-1], lines_of(bundle)[1:-1])


if __name__ == "__main__":
    unittest.main()
