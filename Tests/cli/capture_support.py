"""What the tests of captures share: an archive that the tool writes and one that the plain capture in Tests/reference writes, from the same input and under one secret."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

from support import ENVIRONMENT, ROOT, Case, hp_export, query, tool

sys.path.insert(0, str(ROOT / "Tests" / "reference"))

import aggregates  # noqa: E402
import archive_text  # noqa: E402
import capture as reference  # noqa: E402
from export_bundle import Refused  # noqa: E402

SECRET = "healthprobe-secret 1\nsecret " + bytes(range(32)).hex() + "\nchain " + bytes(range(32, 64)).hex() + "\n"


@contextlib.contextmanager
def rows_of(path):
    with contextlib.closing(reference.open_archive(str(path))) as connection:
        yield connection


def dump(path):
    with rows_of(path) as connection:
        return archive_text.dump(connection)


def findings(path):
    with rows_of(path) as connection:
        return archive_text.findings(connection, aggregates.Aggregates)


class CaptureCase(Case):
    """A test with an archive that the tool writes and one that the reference writes, under one secret."""

    def setUp(self):
        super().setUp()
        self.place(self.folder)

    def place(self, folder):
        self.folder = folder
        self.archive, self.plain, self.secret = folder / "archive.sqlite", folder / "plain.sqlite", folder / "secret"
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)

    def renew(self):
        for path in (self.archive, self.plain):
            for suffix in ("", "-wal", "-shm"):
                pathlib.Path(str(path) + suffix).unlink(missing_ok=True)

    def hp_capture(self, *arguments, **options):
        """Runs a capture that says everything that it notices."""
        return hp_export("capture", self.archive, "--secret", self.secret, "--verbose", *arguments, **options)

    def written(self, content, name="feed.jsonl"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def both(self, option, content, is_looked_at=True, accepted=()):
        """Captures the same with both; the tool's run. Both refuse it, or both have the same evidence. `accepted`: the guards that are overruled."""
        path = self.written(content, {"--feed": "feed.jsonl"}.get(option, "export.xml"))
        result = self.hp_capture(option, path, "--quiet", *("--" + guard for guard in accepted))
        try:
            if option == "--feed":
                expected = 0
                reports = reference.capture_feed(str(self.plain), str(self.secret), str(path), accepted)
            else:
                reports = [reference.capture(str(self.plain), str(self.secret), str(path), accepted=accepted)]
            expected = 0 if all(report["status"] == "completed" for report in reports) else 1
        except Refused as refusal:
            expected = 2
            result.err += "reference: %s\n" % refusal
        self.assertEqual(result.status, expected, result)
        if is_looked_at:
            self.assert_same()
        return result

    def assert_same(self):
        ours, theirs = dump(self.archive), dump(self.plain)
        if ours != theirs:
            ours, theirs = set(ours), set(theirs)
            self.fail("\n".join(["only the tool:     " + line for line in sorted(ours - theirs)[:8]] + ["only the reference: " + line for line in sorted(theirs - ours)[:8]]) or "a line is there twice")

    def rows(self, sql, *parameters):
        return query(self.archive, sql, *parameters)


def start_with_input(*arguments):
    return subprocess.Popen([tool("hp-export"), *map(os.fspath, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)


# Feeds

HEART_RATE, STEPS, SLEEP = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount", "HKCategoryTypeIdentifierSleepAnalysis"
HEAD = {"kind": "feed", "format": "healthprobe-feed", "format_version": 1}


def uuid(number):
    return "00000000-0000-4000-8000-%012d" % number


def sample(number=None, minute=0, value=60, sample_type=HEART_RATE, **others):
    """A sample line; `number` is that of its UUID."""
    moment = "2024-05-01T%02d:%02d:00Z" % divmod(minute, 60)
    line = {"kind": "sample", "sample_type": sample_type, "start_date": moment, "end_date": moment, "value_kind": "quantity", "numeric_value": value, "unit": "count/min"}
    if number is not None:
        line["uuid"] = uuid(number)
    line.update(others)
    return {name: member for name, member in line.items() if member is not None}


def deleted(number, sample_type=HEART_RATE):
    return {"kind": "deleted", "sample_type": sample_type, "uuid": uuid(number)}


def type_run(*pages, sample_type=HEART_RATE, mode="full_scan", end=None, first_page=1, **begin):
    """The lines of a type run; each page is a list of lines."""
    lines = [{"kind": "run", "sample_type": sample_type, "mode": mode, **begin}]
    for number, page in enumerate(pages, first_page):
        lines += [*page, {"kind": "page", "number": number}]
    return lines + [{"kind": "run_end", "sample_type": sample_type, "status": "completed", **(end or {})}]


def observation(day, *runs, status="completed", **others):
    """The lines of an observation on a day of June 2024."""
    begin = {"kind": "observation", "observed_at": "2024-06-%02dT10:00:00Z" % day, "trigger_reason": "manual", **others}
    return [begin, *(line for lines in runs for line in lines), {"kind": "observation_end", "status": status}]


def feed(*observations):
    """A feed as bytes; a line may be given as bytes."""
    lines = [HEAD, *(line for lines in observations for line in lines)]
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
