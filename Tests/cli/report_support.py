"""What the tests of reports share: the plain reports of Tests/reference, and small archives whose every record is stated."""

import json
import os
import pathlib
import sys
import tempfile

from support import ROOT, Case, hp_export

sys.path.insert(0, str(ROOT / "Tests" / "reference"))

import reports as reference  # noqa: E402
from export_bundle import Archive, Refused  # noqa: E402

KINDS = {
    "record_table": ("records",), "version_table": ("records", "--history"), "observation_manifest": ("manifest",), "diff_report": ("diff",), "diff_summary": ("diff", "--summary"),
    "finding_report": ("diff", "--findings"), "pair_report": ("diff", "--pairs")}
CHANGES = {"appeared": "appeared", "disappeared": "disappeared", "representation_changed": "changed", "re_identified": "re-identified",
           **{"relationship_" + kind: "relationship-" + kind for kind in ("appeared", "changed", "disappeared")}}
OF_ONE_MOMENT = ("record_table", "version_table", "observation_manifest")
CONTAINERS = {"csv": "table", "json": "envelope", "jsonl": "lines"}


def hp_report(archive, kind, *options, at=None, from_=None, kinds=None, labels=None, **others):
    """Runs the command that writes a report of this kind."""
    command, *mode = ("diff",) if kind == "change_set" else KINDS[kind]
    mode += ["--changes", ",".join(CHANGES[name] for name in kinds)] if kinds else []
    mode += ["--label", ",".join(labels)] if labels else []
    places = [] if at is None else ["--at" if kind in OF_ONE_MOMENT else "--to", str(at)]
    places += [] if from_ is None else ["--from", str(from_)]
    return hp_export(command, archive, *mode, *places, *options, **others)


class ReportCase(Case):
    """A test that compares the tool's reports with the plain ones."""

    def setUp(self):
        super().setUp()
        if os.path.isdir("/dev/shm"):  # nothing here is about losing power
            folder = tempfile.TemporaryDirectory(prefix="hp-cli.", dir="/dev/shm")
            self.addCleanup(folder.cleanup)
            self.folder = pathlib.Path(folder.name)
        self.archive = self.folder / "archive.sqlite"

    def assert_same(self, kind, *options, archive=None, containers=tuple(CONTAINERS), at=None, from_=None, kinds=None, labels=None, **others):
        """The tool and the reference write the same bytes, or both refuse. The reference's report."""
        archive = Archive(str(self.archive)) if archive is None else archive
        try:
            expected = reference.Report(archive, kind, at=at, from_=from_, kinds=kinds, labels=labels, **others)
        except Refused:
            self.assert_refused(hp_report(self.archive, kind, *options, "--format", "json", "--no-record", at=at, from_=from_, kinds=kinds, labels=labels))
            return None
        for name in containers:
            result = self.assert_good(hp_report(self.archive, kind, *options, "--format", name, "-o", "-", "--no-record", "--quiet", at=at, from_=from_, kinds=kinds, labels=labels))
            ours, theirs = result.out, getattr(expected, CONTAINERS[name])()
            if ours != theirs:
                at_byte = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
                self.fail("%s %s from %s to %s %s differs from byte %d on\ntool:      %r\nreference: %r" % (
                    kind, name, from_, at, " ".join(options), at_byte, ours[max(0, at_byte - 200):at_byte + 200], theirs[max(0, at_byte - 200):at_byte + 200]))
        return expected

    def items(self, kind, *options, **places):
        """The items of the tool's report."""
        result = self.assert_good(hp_report(self.archive, kind, *options, "--format", "jsonl", "-o", "-", "--no-record", "--quiet", **places))
        return [json.loads(line)["item"] for line in result.out.splitlines()[1:-1]]
