"""A page to share: no name of a source, no value and no evidence in any of its bytes; counts and dates are those of the page with evidence."""

import html
import json
import re
import unittest

import test_page
from answer_months import KINDS, Months
from archive_builder import DAY, STEPS, Builder
from support import Case, execute, hp_export, hp_verify, query

BEATS, SLEEP = "HKQuantityTypeIdentifierHeartRate", "HKCategoryTypeIdentifierSleepAnalysis"
NAMES = {"bundle_identifier", "source_name_hash", "product_type", "sources", "source_names", "operating_system_version", "version", "time_zone_identifier", "os_version", "archive_id"}


def values_of(value, name="", is_count=False):
    """The numbers of lines that are neither counts, ids nor settings; and the texts that name a source, a device or a place."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in ("scope", "thresholds", "generator", "defects"):
                yield from values_of(each, key, is_count or key in ("labels", "pair_counts"))
    elif isinstance(value, list):
        for each in value:
            yield from values_of(each, name, is_count)
    elif isinstance(value, str):
        if name in NAMES and len(value) > 3:
            yield value
    elif not isinstance(value, bool) and value is not None and not is_count:
        if not name.endswith("_count") and name not in ("bar_days", "bucket_days", "observation_id", "id", "time_zone_seconds_from_gmt", "record_count_delta", "instants_before", "instants_within"):
            yield float(value)


def written(value):
    """A value as a page may write it, without its decimals: `12345`, and `12` and `345` with a thin space between them."""
    if isinstance(value, str):
        return [value, value[:12]]
    whole = str(int(abs(value)))
    return [whole, re.sub(r"(?<=\d)(?=(\d{3})+$)", "\u202f", whole), re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", whole)]


def near(text, page):
    """The places of a page that have a text, with what is around each."""
    return [page[max(0, found.start() - 80):found.end() + 20] for found in re.finditer(re.escape(text), page)][:3]


class Shared(Case):
    def setUp(self):
        super().setUp()
        self.archive = self.folder / "a.sqlite"

    def pages(self, *options):
        """The page with evidence, its lines, and the page to share of the same observations."""
        paths = [self.folder / name for name in ("full.html", "shared.html")]
        for path, more in zip(paths, ((), ("--share",))):
            self.assert_good(hp_export("report", self.archive, "-o", path, "--quiet", "--force", "--no-record", *options, *more))
        full, shared = (path.read_bytes() for path in paths)
        return full, [json.loads(line) for line in test_page.parts(full)[1].splitlines()], shared

    def assert_nothing_leaks(self, full, lines, shared, secrets=()):
        """What a page shows of names and values: nothing of it in the page to share, and something in the other one."""
        self.assertNotIn(b"healthprobe-evidence", shared)
        texts = [html.unescape(page.decode()) for page in (re.sub(rb"sha256-[^']*|<style>.*</style>", b"", page, flags=re.DOTALL) for page in (test_page.parts(full)[0], shared))]
        # Counts and dates have few digits in a row; hashes have many, and are known.
        hashes = [lines[0]["export"]["export_id"], lines[-1]["manifest_hash"]]
        texts = [re.sub("|".join(hashes), "", text) for text in texts]
        found = 0
        for value in set(values_of([lines[0]["export"], [line["item"] for line in lines[1:-1]]])):
            if isinstance(value, float) and abs(value) < 10_000:
                continue
            for text in written(value):
                found += text in texts[0]
                self.assertEqual(near(text, texts[1]), [])
        for text in secrets:
            self.assertEqual(near(text, texts[1]), [])
        return found

    def secret_archive(self):
        archive = Builder(self.archive, 2, types=[STEPS, BEATS, SLEEP])
        for day in range(20):
            lost = 2 if 5 <= day < 12 else None
            archive.record(day * DAY, day * DAY + 600, 31_337_000.0 + day, bundle="com.zyxw.alpha", last=lost)
            archive.record(day * DAY, day * DAY, 71_717_000.5 + day, sample_type=BEATS, unit="count/min", bundle="com.zyxw.beta", last=lost)
            archive.record(day * DAY, day * DAY + 41_414, sample_type=SLEEP, kind="category", category=3, bundle="com.zyxw.gamma", last=lost)
        archive.record(14 * DAY + 3600, 14 * DAY + 7200, 62_626_262.0, bundle="com.zyxw.delta", first=2)
        for place in range(14):
            archive.record(14 * DAY + place * 60, 14 * DAY + place * 60, 83_838_383.0, sample_type=BEATS, unit="count/min", bundle="com.zyxw.new%d" % place, first=2)
        changed = archive.record(15 * DAY + 5, 15 * DAY + 9, 54_545_454.0, bundle="com.zyxw.alpha", last=2)
        archive.version(changed, 15 * DAY + 5, 15 * DAY + 9, 54_545_455.0, bundle="com.zyxw.alpha", first=2)
        archive.close()
        execute(self.archive, "UPDATE observations SET time_zone_identifier = 'Zyxw/Zone', time_zone_seconds_from_gmt = 7200, os_version = 'zyxw-system', notes = 'zyxw note'")
        execute(self.archive, "UPDATE source_revisions SET product_type = 'Zyxw9,9', operating_system_version = 'zyxw 7'")

    def test_no_byte_has_a_name_or_a_value(self):
        self.secret_archive()
        full, lines, shared = self.pages()
        self.assertGreater(self.assert_nothing_leaks(full, lines, shared, ["zyxw", "Zyxw", "31337", "71717", "41414", "62626", "83838", "54545"]), 30)
        for text in (b"zyxw", b"Zyxw"):
            self.assertIn(text, full)
        sources = lines[1]["item"]["answer"]["sources"]
        self.assertGreater(len(sources), 3)
        # In order of appearance, and a number for each.
        listed = re.findall(r"<bdi>source (\d+)</bdi>", shared.decode())
        self.assertEqual(listed, [str(number) for number in range(1, len(listed) + 1)])
        self.assertGreaterEqual(len(listed), 3)

    def test_a_selection_by_source_names_no_source(self):
        self.secret_archive()
        full, lines, shared = self.pages("--source", "com.zyxw.alpha", "--source", "com.zyxw.delta", "--type", "StepCount")
        self.assert_nothing_leaks(full, lines, shared, ["zyxw", "Zyxw", "31337", "62626", "54545"])
        self.assertIn(b"withheld", shared)
        self.assertIn(b"StepCount", shared)

    def test_months_of_every_kind(self):
        found = 0
        for seed, kind in enumerate(KINDS):
            with self.subTest(kind=kind):
                for suffix in ("", "-wal", "-shm", ".labels", ".cache", ".secret"):
                    (self.folder / ("a.sqlite" + suffix)).unlink(missing_ok=True)
                months = Months(seed, [kind])
                for number in range(2):
                    path = self.folder / "export.xml"
                    path.write_bytes(months.export(number))
                    self.assertIn(hp_export("capture", self.archive, "--apple-health", path, "--keep-labels", "--quiet", "--accept-disappearances").status, (0, 1))
                full, lines, shared = self.pages()
                names = [name for names in months.sources.values() for name in names]
                found += self.assert_nothing_leaks(full, lines, shared, names)
        self.assertGreater(found, 0)

    def test_counts_and_dates_are_those_of_the_page_with_evidence(self):
        self.secret_archive()
        full, lines, shared = self.pages()
        for pattern in (r"<h1>.*?</h1>", r"<ul class=\"counts\">.*?</ul>", r"<h3>.*?</h3>\n<p>.*?</p>"):
            for page in (full, shared):
                self.assertTrue(re.findall(pattern, page.decode(), re.DOTALL))
            self.assertEqual(*(re.findall(pattern, page.decode(), re.DOTALL) for page in (full, shared)))

    def test_it_names_the_export_that_the_archive_records(self):
        self.secret_archive()
        path, full = self.folder / "shared.html", self.folder / "full.html"
        result = json.loads(self.assert_good(hp_export("report", self.archive, "-o", path, "--share", "--json")).out)
        self.assertEqual(query(self.archive, "SELECT export_id, manifest_hash FROM export_manifests"), [(result["export_id"], result["manifest_hash"])])
        for text in (result["export_id"], result["manifest_hash"]):
            self.assertIn("<code>%s</code>" % text, path.read_text())
        again = json.loads(self.assert_good(hp_export("report", self.archive, "-o", full, "--json")).out)
        self.assertEqual((again["manifest_hash"], again["already_recorded"]), (result["manifest_hash"], True))
        self.assert_good(hp_verify("bundle", full, "--archive", self.archive))
        self.assert_good(hp_verify("reproduce", self.archive, "--export", result["export_id"]))

    def test_no_verifier_takes_it_for_evidence(self):
        self.secret_archive()
        path = self.folder / "shared.html"
        self.assert_good(hp_export("report", self.archive, "-o", path, "--share", "--quiet", "--no-record"))
        ours = hp_verify("bundle", path, "--json")
        self.assertEqual((ours.status, {finding["code"] for finding in json.loads(ours.out)["files"][0]["findings"]} >= {"container.page"}), (1, True), ours)


if __name__ == "__main__":
    unittest.main()
