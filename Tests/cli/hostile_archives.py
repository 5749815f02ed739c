#!/usr/bin/env python3
"""Archives that somebody made to hurt whoever looks at them: by what lies beside them, by what they say is to be done,
by what the system says of them. Each is made in a folder of its own, with a victim: a file that nothing may touch.

    python3 Tests/cli/hostile_archives.py FOLDER      makes all of them, one folder each
"""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = "archive.sqlite"
VICTIM = "victim.txt"
VICTIM_TEXT = b"nothing may touch this\n"
MAGIC = bytes.fromhex("d9d505f920a163d7")  # SQLite manual, "Database File Format", 3: the rollback journal


def main_file(folder, journal="delete"):
    """A good archive, and the victim beside it."""
    path = pathlib.Path(folder, ARCHIVE)
    shutil.copyfile(ROOT / "Fixtures" / "archives" / "small.sqlite", path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = " + journal)
    pathlib.Path(folder, VICTIM).write_bytes(VICTIM_TEXT)
    return path


def beside(path, suffix):
    return path.with_name(path.name + suffix)


def journal_header(path, sector=512, records=0):
    """The header of a hot journal that changes nothing: the size of the database is what it is."""
    page = int.from_bytes(path.read_bytes()[16:18], "big")
    head = MAGIC + struct.pack(">IIIII", records, 0, path.stat().st_size // page, sector, page)
    return head + bytes(sector - len(head))


def super_journal(name, has_good_sum=True):
    """The end of a journal that names a super-journal: page number of none, name, length, sum of its bytes, magic."""
    name = os.fsencode(name)
    numbers = struct.pack(">II", len(name), sum(name) + (not has_good_sum))
    return struct.pack(">I", 0x40000000 // 4096 + 1) + name + numbers + MAGIC


def journal_with_super(**header):
    return journal(lambda path, victim: journal_header(path, **header) + super_journal(victim))


def journal(content):
    def make(folder):
        path = main_file(folder)
        beside(path, "-journal").write_bytes(content(path, os.path.join(folder, VICTIM)))
    return make


def link(suffix, target):
    def make(folder):
        path = main_file(folder, "wal" if suffix != "-journal" else "delete")
        beside(path, suffix).symlink_to(target if target else pathlib.Path(folder, VICTIM))
    return make


def special(suffix, make_it):
    def make(folder):
        make_it(beside(main_file(folder, "wal" if suffix != "-journal" else "delete"), suffix))
    return make


def with_log(folder):
    """A log that nobody folded in."""
    path = main_file(folder, "wal")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("INSERT INTO archive_metadata VALUES ('test', 'in the log')")
    log = beside(path, "-wal").read_bytes()
    content = path.read_bytes()
    connection.close()
    path.write_bytes(content)
    beside(path, "-wal").write_bytes(log)
    return path


def with_log_and_index(folder):
    path = with_log(folder)
    beside(path, "-shm").symlink_to(pathlib.Path(folder, VICTIM))


def with_intents(folder):
    """Intents to replace the victim, and the archive itself, by files that came with it."""
    path = main_file(folder)
    for number, target in enumerate((VICTIM, ARCHIVE, "./" + ARCHIVE, "x/../" + VICTIM)):
        name = os.path.basename(target)
        planted = os.path.join(folder, os.path.dirname(target), ".%s.%s%d.partial" % (name, "a" * 25, number))
        pathlib.Path(folder, "x").mkdir(exist_ok=True)
        pathlib.Path(planted).write_bytes(b"planted\n")
        add_intent(path, planted, os.path.join(folder, target), "replace", str(number))


def add_intent(path, temporary, destination, mode, key="k"):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO archive_metadata VALUES ('publish_intent:e:' || ?, ?)",
                           (key, "%s %s %s" % (os.fsencode(temporary).hex(), os.fsencode(destination).hex(), mode)))


def at_time(seconds):
    def make(folder):
        os.utime(main_file(folder), (seconds, seconds))
    return make


def through_link(folder):
    """The name leads elsewhere, and the journal lies there."""
    there = pathlib.Path(folder, "there")
    there.mkdir()
    path = main_file(there)
    beside(path, "-journal").write_bytes(journal_header(path) + super_journal(there / VICTIM))
    (pathlib.Path(folder) / ARCHIVE).symlink_to(path)


SUPER_JOURNALS = {
    "super-journal, sectors of 512": journal_with_super(),
    "super-journal, sectors of 4096": journal_with_super(sector=4096),
    "super-journal, sectors of 65536": journal_with_super(sector=65536),
    "super-journal and no header": journal(lambda path, victim: b"\1" + super_journal(victim)),
    "super-journal behind a header of zeros but the first byte": journal(
        lambda path, victim: b"\1" + bytes(511) + super_journal(victim)),
    "super-journal behind two headers": journal(lambda path, victim: 2 * journal_header(path) + super_journal(victim)),
    "super-journal behind a counted record that is not there": journal_with_super(records=1),
    "super-journal where a link leads": through_link,
}

REFUSED = {
    **SUPER_JOURNALS,
    "super-journal in a journal that is done": journal(lambda path, victim: bytes(512) + super_journal(victim)),
    "super-journal with a wrong sum": journal(lambda path, victim: journal_header(path) + super_journal(victim, False)),
    "log that is a link to a file": link("-wal", None),
    "log that is a link to a device": link("-wal", "/dev/zero"),
    "log that is a link to nothing": link("-wal", "nothing"),
    "log that is a FIFO": special("-wal", os.mkfifo),
    "log that is a folder": special("-wal", os.mkdir),
    "journal that is a link to a file": link("-journal", None),
    "journal that is a link to a device": link("-journal", "/dev/zero"),
    "journal that is a FIFO": special("-journal", os.mkfifo),
    "journal that is a folder": special("-journal", os.mkdir),
}

ACCEPTED = {
    "hot journal": journal(lambda path, victim: journal_header(path)),
    "journal that is done": journal(lambda path, victim: bytes(512)),
    "empty journal": journal(lambda path, victim: b""),
    "log": with_log,
    "log, and an index that is a link": with_log_and_index,
    "index that is a link to a file": link("-shm", None),
    "index that is a FIFO": special("-shm", os.mkfifo),
    "empty log": special("-wal", lambda path: path.write_bytes(b"")),
    "log of garbage": special("-wal", lambda path: path.write_bytes(b"garbage" * 1000)),
    "intents": with_intents,
    "time beyond 2262": at_time(10_000_000_000),
    "time before 1677": at_time(-10_000_000_000),
    "nothing beside it": main_file,
    "nothing beside it, with the header of a log": lambda folder: main_file(folder, "wal") and None,
}

ALL = {**REFUSED, **ACCEPTED}


if __name__ == "__main__":
    for name, make in ALL.items():
        place = pathlib.Path(sys.argv[1], name)
        place.mkdir(parents=True)
        make(str(place.resolve()))
