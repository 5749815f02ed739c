"""The commands that are driven through faults: one row each. What a row says is enough to sweep a command."""

import collections
import contextlib
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
sys.path[:0] = [str(ROOT / "Tests" / "cli")]

FROZEN = ROOT / "Fixtures" / "frozen"

import backup_builder  # noqa: E402
import health_exports  # noqa: E402
import phone  # noqa: E402
from capture_support import HEART_RATE, SECRET, SLEEP, STEPS, deleted, feed, observation, sample, type_run, uuid  # noqa: E402

ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}

# name       what the table of results calls it
# base       the folder that it begins with: a function below
# words      the command line; {inputs} is a folder that is not watched
# again      the second run, where it is not the same command
# is_atomic  whether there is only before and after; else a part of an observation may be there, which the second run resumes
# is_masked  whether its hashes are of a secret that each run makes anew
# is_refused whether it is refused, and changes nothing
# bound      of each family at most so many cases, where a run is long
# is_once    whether it is done once: `again` follows where it was done, else the same command does
Command = collections.namedtuple("Command", "name base words again is_atomic is_masked is_once is_refused bound", defaults=(None, True, False, False, False, None))

COMMANDS = [
    Command("capture an export, new archive", "secret", "hp-export capture archive.sqlite --apple-health {inputs}/first.xml"),
    Command("capture an export, new archive and secret", "nothing", "hp-export capture archive.sqlite --apple-health {inputs}/first.xml", is_masked=True),
    Command("capture an export", "export", "hp-export capture archive.sqlite --apple-health {inputs}/second.xml"),
    Command("capture an export that a guard refuses", "export", "hp-export capture archive.sqlite --apple-health {inputs}/empty.xml", is_refused=True),
    Command("capture an export that a guard refuses, pages written", "export", "hp-export capture archive.sqlite --apple-health {inputs}/large.xml", is_refused=True, bound=40),
    Command("capture an export, a guard overruled", "export", "hp-export capture archive.sqlite --apple-health {inputs}/empty.xml --accept-disappearances"),
    Command("capture a feed, new archive", "secret", "hp-export capture archive.sqlite --feed {inputs}/first.jsonl", is_atomic=False),
    Command("capture a feed", "archive", "hp-export capture archive.sqlite --feed {inputs}/second.jsonl", is_atomic=False),
    Command("capture a backup, new archive", "secret", "hp-export capture archive.sqlite --iphone-backup {inputs}/backup --backup-password-file {inputs}/password"),
    Command("capture a backup", "archive", "hp-export capture archive.sqlite --iphone-backup {inputs}/backup --backup-password-file {inputs}/password"),
    Command("convert a backup", "nothing", "hp-export convert --iphone-backup {inputs}/backup --backup-password-file {inputs}/password -o feed.jsonl",
            "hp-export convert --iphone-backup {inputs}/backup --backup-password-file {inputs}/password -o feed.jsonl --force"),
    Command("capture, prototype moved aside", "prototype", "hp-export capture archive.sqlite --feed {inputs}/first.jsonl --reset-prototype", is_atomic=False),
    Command("capture a feed, archive of another engine", "frozen_four", "hp-export capture archive.sqlite --feed {inputs}/four-7.jsonl --new-chain", is_atomic=False),
    Command("bundle to a new file", "archive", "hp-export bundle archive.sqlite -o out.zst", "hp-export bundle archive.sqlite -o out.zst --force"),
    Command("bundle to a new file, rollback journal", "rollback", "hp-export bundle archive.sqlite -o out.zst", "hp-export bundle archive.sqlite -o out.zst --force"),
    Command("bundle that replaces a file", "bundle", "hp-export bundle archive.sqlite -o out.zst --history --force"),
    Command("bundle that is not recorded", "archive", "hp-export bundle archive.sqlite -o out.zst --no-record", "hp-export bundle archive.sqlite -o out.zst --no-record --force"),
    Command("records, a table with its sidecar", "archive", "hp-export records archive.sqlite -o out.csv", "hp-export records archive.sqlite -o out.csv --force"),
    Command("days, a table with its sidecar", "archive", "hp-export days archive.sqlite -o out.csv", "hp-export days archive.sqlite -o out.csv --force"),
    Command("changes that replace a file", "changes", "hp-export diff archive.sqlite --format jsonl -o out.jsonl --force"),
    Command("undo", "two", "hp-export undo archive.sqlite", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("undo without a backup", "two", "hp-export undo archive.sqlite --no-backup", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("undo with its exports", "recorded", "hp-export undo archive.sqlite --with-exports", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("undo with its exports, without a backup", "recorded", "hp-export undo archive.sqlite --with-exports --no-backup", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("undo, rollback journal", "rollback_two", "hp-export undo archive.sqlite", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("undo that an export refuses", "recorded", "hp-export undo archive.sqlite", is_refused=True),
    Command("seal, archive of another engine", "frozen_four", "hp-export seal archive.sqlite"),
    Command("check", "archive", "hp-export check archive.sqlite", "hp-export repair archive.sqlite --ranges", is_once=True),
    Command("cache", "archive", "hp-export cache archive.sqlite rebuild"),
    Command("repair", "damaged", "hp-export repair archive.sqlite --ranges --aggregates"),
    Command("repair of ranges", "ranges", "hp-export repair archive.sqlite --ranges --aggregates"),
    Command("salvage", "broken", "hp-verify salvage broken.zst -o saved.zst", "hp-verify salvage broken.zst -o saved.zst --force"),
    Command("history to a new file", "two", "hp-export history archive.sqlite -o entries.jsonl", "hp-export history archive.sqlite -o entries.jsonl --force"),
    Command("history that replaces a file", "entries", "hp-export history archive.sqlite -o entries.jsonl --force"),
    Command("statement of a history", "two", "hp-verify statement --archive archive.sqlite -o head", "hp-verify statement --archive archive.sqlite -o head --force"),
    Command("statement of a bundle", "bundle", "hp-verify statement out.zst -o text", "hp-verify statement out.zst -o text --force"),
    Command("sign", "bundle", "hp-export sign out.zst --key {inputs}/key", "hp-export sign out.zst --key {inputs}/key --force"),
    Command("bundle to standard output", "archive", "hp-export bundle archive.sqlite -o -"),
]


def inputs(folder):
    """Writes what captures read. All values are synthetic."""
    exports = health_exports.Exports(random.Random(3), 4)
    for name in ("first.xml", "second.xml"):
        (folder / name).write_text(exports.export())
    text = exports.export()
    end = text.index(">", text.index("<ExportDate")) + 1
    (folder / "empty.xml").write_text(text[:end] + "</HealthData>\n")
    (folder / "large.xml").write_text(text[:end] + "".join(map(step, range(20_000))) + "</HealthData>\n")
    (folder / "four-7.jsonl").write_bytes(feed(observation(9, type_run([sample(4, 9)]))))
    (folder / "first.jsonl").write_bytes(first_feed())
    (folder / "second.jsonl").write_bytes(second_feed())
    backup_builder.of_databases(phone.synthetic(40).write(folder / "databases")).write(folder / "backup")
    (folder / "password").write_text(backup_builder.PASSWORD + "\n")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "key"], check=True, stdin=subprocess.DEVNULL)


def step(number):
    """One of the records of which there are more than a capture keeps in memory."""
    start = "2023-04-%02d %02d:%02d:00 +0200" % (1 + number // 1440, number // 60 % 24, number % 60)
    return '<Record type="%s" sourceName="Test" unit="count" startDate="%s" endDate="%s" value="%d"/>\n' % (STEPS, start, start, number % 90)


def first_feed():
    return feed(observation(1, type_run([sample(number, number) for number in range(20)], [sample(None, 50), sample(None, 50)])))


def second_feed():
    """New, changed, unchanged, gone and deleted samples, and relationships, in several pages."""
    beats = [sample(number, number, 61 if number % 7 == 0 else 60) for number in range(5, 35)] + [sample(None, 50, source={"version": "2"})]
    steps = [sample(100 + number, number, sample_type=STEPS, unit="count") for number in range(8)]
    links = [{"kind": "relationship", "source": {"sample_type": HEART_RATE, "uuid": uuid(10)}, "target": {"sample_type": SLEEP, "uuid": uuid(900)}, "relationship_kind": "member"}]
    return feed(observation(2, type_run(beats[:16], beats[16:], end={"anchor_after": "AAED"}),
                            type_run([*steps, deleted(101, STEPS), deleted(999, STEPS)], links, sample_type=STEPS, mode="anchored", first_page=3)))


# Folders to begin with

def nothing(folder, inputs):
    pass


def secret(folder, inputs):
    path = folder / "archive.sqlite.secret"
    path.write_text(SECRET)
    path.chmod(0o600)


def archive(folder, inputs):
    secret(folder, inputs)
    run(folder, "hp-export capture archive.sqlite --feed {inputs}/first.jsonl", inputs)


def export(folder, inputs):
    secret(folder, inputs)
    run(folder, "hp-export capture archive.sqlite --apple-health {inputs}/first.xml", inputs)


def rollback(folder, inputs):
    archive(folder, inputs)
    with contextlib.closing(sqlite3.connect(folder / "archive.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def bundle(folder, inputs):
    archive(folder, inputs)
    run(folder, "hp-export bundle archive.sqlite -o out.zst", inputs)


def changes(folder, inputs):
    archive(folder, inputs)
    run(folder, "hp-export capture archive.sqlite --feed {inputs}/second.jsonl", inputs)
    (folder / "out.jsonl").write_text("what was there before\n")


def two(folder, inputs):
    archive(folder, inputs)
    run(folder, "hp-export capture archive.sqlite --feed {inputs}/second.jsonl", inputs)


def entries(folder, inputs):
    two(folder, inputs)
    (folder / "entries.jsonl").write_text("what was there before\n")


def rollback_two(folder, inputs):
    """So small pages that an undo makes the file shorter."""
    two(folder, inputs)
    with contextlib.closing(sqlite3.connect(folder / "archive.sqlite", isolation_level=None)) as connection:
        for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 1024", "VACUUM"):
            connection.execute(statement)


def recorded(folder, inputs):
    """Exports name both observations. They are not called `out`: what an undo leaves of them is no longer the archive's."""
    two(folder, inputs)
    for line in ("bundle archive.sqlite -o first.zst --at 1", "bundle archive.sqlite -o second.zst", "diff archive.sqlite -o changes.csv"):
        run(folder, "hp-export " + line, inputs)


def frozen_four(folder, inputs):
    """An archive that another engine made, with the tests' secret."""
    secret(folder, None)
    shutil.copyfile(FROZEN / "four-status.sqlite", folder / "archive.sqlite")


def ranges(folder, inputs):
    """A range that is missing and one that no event gives."""
    two(folder, inputs)
    with contextlib.closing(sqlite3.connect(folder / "archive.sqlite")) as connection:
        connection.executescript("DELETE FROM sample_visibility_ranges WHERE rowid = 1;"
                                 "UPDATE sample_visibility_ranges SET last_observation_id = 2, last_seen_at = 7 WHERE rowid = 9; PRAGMA journal_mode = DELETE")


def damaged(folder, inputs):
    """Aggregates that are wrong and that are missing."""
    archive(folder, inputs)
    with contextlib.closing(sqlite3.connect(folder / "archive.sqlite")) as connection:
        connection.executescript("UPDATE daily_type_aggregates SET visible_record_count = 77; DELETE FROM observation_type_summaries; PRAGMA journal_mode = DELETE")


def broken(folder, inputs):
    """A bundle with a byte that is another, and no archive."""
    archive(folder, inputs)
    run(folder, "hp-export bundle archive.sqlite -o broken.zst", inputs)
    data = bytearray((folder / "broken.zst").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "broken.zst").write_bytes(data)
    for path in folder.iterdir():
        if path.name != "broken.zst":
            path.unlink()


def prototype(folder, inputs):
    secret(folder, inputs)
    with contextlib.closing(sqlite3.connect(folder / "archive.sqlite")) as connection:
        connection.executescript("CREATE TABLE snapshots(id INTEGER PRIMARY KEY, taken_at REAL); INSERT INTO snapshots VALUES (1, 2.5)")


def words(line, inputs):
    """A command line as a list: the tool by its path."""
    name, *rest = line.format(inputs=inputs).split()
    return [str(TOOLS / name), *rest]


def run(folder, line, inputs):
    subprocess.run(words(line, inputs), cwd=folder, env=ENVIRONMENT, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def renew(folder, base):
    """Makes a folder what it is at the beginning."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    for name in os.listdir(base):
        shutil.copy2(os.path.join(base, name), os.path.join(folder, name))
