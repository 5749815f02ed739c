"""The archives of Spec/vectors: hp-verify finds in each what archives.json states, at its places, and changes nothing."""

import json
import unittest

from support import Case, hp_verify, trace_of, vectors

BUNDLE_PLACES = ("code", "line")
ARCHIVE_PLACES = ("code", "table", "row", "column")


def stated(findings, places):
    """Findings as texts, sorted. SQLite words its own in as many lines as it likes: they count once."""
    found = [json.dumps({place: finding[place] for place in places if place in finding}) for finding in findings]
    return sorted(set(text for text in found if "sqlite." in text)) + sorted(text for text in found if "sqlite." not in text)


class ArchiveVectors(Case):
    def result(self, *words):
        result = hp_verify(*words, "--json", "--quiet")
        self.assertIn(result.status, (0, 1), result)
        return json.loads(result.out)

    def test_an_archive_has_exactly_the_findings_that_are_stated(self):
        for vector in vectors.ARCHIVES:
            with self.subTest(vector.name):
                path, options = vector.unpacked(self.folder)
                before = trace_of(self.folder)
                value = self.result("archive", path, *options)
                self.assertEqual(stated(value["findings"], ARCHIVE_PLACES), stated(vector.findings, ARCHIVE_PLACES))
                self.assertEqual(value["result"], vector.result)
                failed = {check["name"] for check in value["checks"] if check["finding_count"] > 0}
                if "sqlite.unreadable" not in vector.codes:  # a finding of each check that reads what SQLite cannot
                    self.assertEqual(failed, {code.partition(".")[0] for code in vector.codes})
                self.assertEqual(trace_of(self.folder), before)

    def test_a_bundle_beside_an_archive_has_exactly_the_findings_that_are_stated(self):
        for vector in (vector for vector in vectors.ARCHIVES if vector.compared):
            with self.subTest(vector.name):
                value, = self.result("bundle", vectors.ROOT / vector.compared["bundle"], "--archive", vector.unpacked(self.folder)[0])["files"]
                self.assertEqual(stated(value["findings"], BUNDLE_PLACES), stated(vector.compared["findings"], BUNDLE_PLACES))
                self.assertEqual(value["layers"]["archive"], "failed" if vector.compared["findings"] else "ok")


if __name__ == "__main__":
    unittest.main()
