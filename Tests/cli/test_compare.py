"""hp-verify compare, against a comparison of the lines in Python."""

import collections
import json
import os
import random
import shutil
import sys

import zstandard

from support import FIXTURES, Case, database, hp_export, hp_verify, query, schemas

sys.path.insert(0, str(FIXTURES / "vectors"))
import generate  # noqa: E402


def items_of(path):
    """The items of a bundle, with their lines: sample type, identity, hash."""
    with open(path, "rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read().splitlines()
    for number, line in enumerate(lines, 1):
        value = json.loads(line)
        if "item" in value:
            item = value["item"]
            identity = item.get("sample_uuid_hash") or item.get("strict_fingerprint")
            yield number, (item.get("sample_type"), identity), value["item_hash"]


def differences_of(first, second):
    """The counts, and the lines that differ, as the specification says it."""
    sides = [collections.defaultdict(collections.Counter) for _ in range(2)]
    places = [collections.defaultdict(list) for _ in range(2)]
    for side, path in enumerate((first, second)):
        for number, key, item_hash in items_of(path):
            sides[side][key][item_hash] += 1
            places[side][key, item_hash].append(number)
    counts = collections.Counter()
    for key in {*sides[0], *sides[1]}:
        one, two = sides[0][key], sides[1][key]
        same = sum((one & two).values())
        gone, new = sum(one.values()) - same, sum(two.values()) - same
        counts.update(same=same, changed=min(gone, new), removed=gone - min(gone, new), added=new - min(gone, new))
    return counts


class Compare(Case):
    def compared(self, first, second, *arguments):
        result = hp_verify("compare", first, second, "--json", "--quiet", *arguments)
        said = json.loads(result.out)
        self.assertEqual([error.message for error in schemas.validator("compare-result").iter_errors(said)], [])
        self.assertEqual(result.status, int(said["result"] != "ok"), result)
        return said

    def bundle(self, archive, name, *arguments):
        path = self.folder / (name + ".zst")
        self.assert_good(hp_export("bundle", archive, "-o", path, "--no-record", "--quiet", *arguments))
        return path

    def agree(self, first, second):
        said, counts = self.compared(first, second), differences_of(first, second)
        for kind in ("added", "changed", "removed", "same"):
            self.assertEqual(said[kind + "_count"], counts[kind], kind)
        lines = {0: {number: key[0] for number, key, _ in items_of(first)},
                 1: {number: key[0] for number, key, _ in items_of(second)}}
        for difference in said["differences"]:
            for side, member in enumerate(("line", "other_line")):
                self.assertEqual(member in difference, difference["kind"] != ("added", "removed")[side])
                if member in difference:
                    self.assertEqual(lines[side][difference[member]], difference.get("sample_type"))
        return said

    def test_an_export_is_the_same_as_itself(self):
        bundle = self.bundle(self.fixture(), "one")
        said = self.agree(bundle, bundle)
        self.assertEqual((said["result"], said["differences"], said["same_header"], said["same_manifest_hash"]),
                         ("ok", [], True, True))
        self.assertGreater(said["same_count"], 50)

    def test_observations_of_one_archive(self):
        archive = self.fixture()
        ids = [str(row[0]) for row in query(archive, "SELECT id FROM observations WHERE status = 'completed'")]
        bundles = [self.bundle(archive, "at" + number, "--at", number) for number in ids]
        bundles.append(self.bundle(archive, "history", "--history"))
        seen = collections.Counter()
        for first, second in zip(bundles, bundles[1:]):
            for one, two in ((first, second), (second, first)):
                said = self.agree(one, two)
                seen.update({kind: said[kind + "_count"] for kind in ("added", "changed", "removed")})
        self.assertTrue(all(seen[kind] for kind in ("added", "changed", "removed")), seen)

    def test_changed_archives(self):
        generator = random.Random(int(os.environ.get("HP_SEED", "5")))
        first = self.generated(3000)
        one = self.bundle(first, "one")
        second = self.folder / "second.sqlite"
        shutil.copyfile(first, second)
        with database(second) as connection:
            rows = [row[0] for row in connection.execute("SELECT id FROM sample_versions")]
            for row in generator.sample(rows, 40):
                connection.execute("UPDATE sample_versions SET numeric_value = 0.125 WHERE id = ?", (row,))
            for row in generator.sample(rows, 30):
                connection.execute("DELETE FROM sample_visibility_ranges WHERE version_id = ?", (row,))
        said = self.agree(one, self.bundle(second, "two"))
        self.assertTrue(said["changed_count"] and said["removed_count"])
        few = self.compared(one, self.folder / "two.zst", "--max-findings", "3")
        self.assertEqual((few["differences"], few["changed_count"]), (said["differences"][:3], said["changed_count"]))

    def test_reports_in_any_container(self):
        archive = self.fixture()
        paths = []
        for form in ("csv", "jsonl", "json", "bundle"):
            paths.append(self.folder / ("records." + form))
            self.assert_good(hp_export("records", archive, "--format", form, "-o", paths[-1], "--no-record", "--quiet"))
        for path in paths[1:]:
            said = self.compared(paths[0], path)
            self.assertEqual((said["result"], said["same_header"]), ("ok", True))

    def test_headers_are_compared_and_decide_nothing(self):
        """Two files have the same items under different headers, a third has the header of the second and an item less."""
        other = generate.header(generator={"name": "synthetic", "version": "2"})
        made = {"one": generate.lines(), "two": generate.lines(other), "three": generate.lines(other, generate.records()[:-1])}
        paths = {}
        for name, lines in made.items():
            paths[name] = self.folder / (name + ".zst")
            paths[name].write_bytes(generate.of_lines(lines))
        for first, second, result, header in (
                ("one", "two", "ok", False), ("two", "one", "ok", False), ("two", "three", "findings", True), ("three", "one", "findings", False)):
            with self.subTest(first=first, second=second):
                said = self.agree(paths[first], paths[second])
                self.assertEqual((said["result"], said["same_header"], said["same_manifest_hash"]), (result, header, False))
                self.assertEqual(b"the headers differ" in hp_verify("compare", paths[first], paths[second]).out, not header)

    def test_standard_input_is_one_file(self):
        self.assert_refused(hp_verify("compare", "-", "-", input=b""), "standard input (-) can be named once", name="hp-verify")

    def test_what_is_damaged_is_said(self):
        bundle, cut = self.bundle(self.fixture(), "one"), self.folder / "cut.zst"
        cut.write_bytes(bundle.read_bytes()[:-200])
        said = self.compared(bundle, cut)
        self.assertEqual((said["result"], [file["result"] for file in said["files"]]),
                         ("findings", ["ok", "findings"]))
        self.assertIn(b"only what could be read", hp_verify("compare", bundle, cut).out)
        self.assert_refused(hp_verify("compare", bundle, self.folder / "none"), "no such file", name="hp-verify")
        self.assert_refused(hp_verify("compare", bundle), "name two", name="hp-verify")
