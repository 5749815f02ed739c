"""What the tests of reports share: the plain reports of Tests/reference, and small archives whose every record is stated."""

from support import *

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


START = 978307200.0  # 2001-01-01
DAY = 86400.0
STEPS = "HKQuantityTypeIdentifierStepCount"


class Builder:
    """Writes an archive row by row. Observation n is n days after the start; every type run is completed unless said otherwise."""

    def __init__(self, path, observations, types=(STEPS,), runs=None, chains=None):
        """`runs` maps (observation, type) to a status, or to None where nobody asked; `chains` an observation to its chain, 1 unless said otherwise."""
        self.connection = sqlite3.connect(os.fspath(path), isolation_level=None)
        self.connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" + SCHEMA.read_text(encoding="utf-8"))
        self.connection.execute("BEGIN")
        self.types = {name: number for number, name in enumerate(types, 1)}
        self.sources, self.samples, self.versions = {}, 0, 0
        self.insert("schema_migrations", 2, START, "archive v2")
        self.insert("archive_metadata", "schema_version", "2")
        for chain in sorted({1, *(chains or {}).values()}):
            self.insert("device_chains", chain, "cdef"[chain - 1] * 64, START, 0)
        for name, number in self.types.items():
            self.insert("sample_types", number, name, None, None)
        for observation in range(1, observations + 1):
            self.insert("observations", observation, (chains or {}).get(observation, 1), START + DAY * observation, None, None, "completed", "manual", None, None, None, None, 2, None, None)
            for name, number in self.types.items():
                status = (runs or {}).get((observation, name), "completed")
                if status:
                    self.insert("observation_type_runs", None, observation, number, status, None, None, None, None, 0, 0, None, None, None)

    def insert(self, table, *values):
        self.connection.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)

    def source(self, bundle):
        if bundle is not None and bundle not in self.sources:
            number = self.sources[bundle] = len(self.sources) + 1
            self.insert("sources", number, None, bundle)
            self.insert("source_revisions", number, number, None, "1.0", None)
        return self.sources.get(bundle)

    def version(self, sample, start, end, value=None, unit="count", bundle="com.example.one", first=1, last=None, payload=None, kind="quantity", category=None):
        """A version of a sample that is visible from observation `first` until `last`, where it is no longer."""
        self.versions += 1
        self.insert("sample_versions", self.versions, sample, payload or "%064x" % self.versions, START + start, START + end, kind, value, unit if value is not None else None,
                    category, None, None, self.source(bundle), None, None, first)
        self.insert("sample_visibility_ranges", sample, self.versions, first, last, START + DAY * first, None if last is None else START + DAY * last)
        return sample

    def record(self, start, end, value=None, sample_type=STEPS, first=1, last=None, semantic=None, **payload):
        """A sample with one version; its number, for another version."""
        self.samples += 1
        self.insert("samples", self.samples, self.types[sample_type], "%064x" % (1000 + self.samples), "%064x" % (2000 + self.samples), semantic, None, first, START + DAY * first)
        return self.version(self.samples, start, end, value, first=first, last=last, **payload)

    def records(self, count, length, value, begin=0, **others):
        """Records of one length, one after the other."""
        for index in range(count):
            self.record(begin + index * length, begin + (index + 1) * length, value, **others)

    def close(self):
        self.connection.execute("COMMIT")
        self.connection.close()


__all__ = [name for name in dir() if not name.startswith("_")]
