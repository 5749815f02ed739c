#!/usr/bin/env python3
"""Captures Apple Health exports and capture feeds into an archive, and looks at archives: an independent second implementation.

    capture.py ARCHIVE --secret FILE --apple-health EXPORT [--time-zone NAME] [--observed-at MOMENT]    capture (EXPORT: xml, zip, folder or -)
    capture.py ARCHIVE --secret FILE --feed FEED                                 capture (FEED: a file or -)
    capture.py ARCHIVE --dump                                                    print its evidence without row ids
    capture.py ARCHIVE --check                                                   recompute ranges, hashes and aggregates

Written from Spec/ alone (capture.md, identity.md, apple-health.md, capture-feed.md, items.md), to be compared row by row with
the capture engine. It takes the slow and obvious way: all of an archive in memory, one transaction for each observation; one that
a fault in a feed cuts off stays `running`, with the pages before the fault. It keeps no context log.
Python 3.9 or later, standard library only.

| file | what it holds |
|---|---|
| `apple_health.py`, `feed.py` | the two sources, read into `plain.py` |
| `recording.py` | what becomes of it in an archive |
| `aggregates.py`, `days.py` | summaries and daily buckets |
| `identity.py` | every hash |
| `archive_text.py` | an archive as text, and what does not follow from what |

Exit status: 0 done, 1 `--check` found something, 2 could not be done.
"""
import argparse
import contextlib
import json
import os
import pathlib
import secrets
import sqlite3
import sys
import time

import apple_health
import archive_text
import feed
import identity
from aggregates import Aggregates, exact_sum
from days import Days, rules_of_system
from export_bundle import EXTENSIONS, SCHEMA, Refused
from plain import Facts
from recording import Recording


def open_archive(path):
    is_new = not os.path.exists(path) or os.path.getsize(path) == 0
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = OFF")  # made to be compared, not to be kept
    if is_new:
        connection.executescript("BEGIN;" + SCHEMA.read_text("utf-8") + "COMMIT;")
        connection.execute("INSERT INTO schema_migrations VALUES (2, ?, 'archive v2')", (time.time(),))
        connection.executemany("INSERT INTO archive_metadata VALUES (?, ?)", [("schema_version", "2"), ("identity_rules", "2")])
        connection.executescript("BEGIN;" + CAPTURE_FACTS + "COMMIT;")
    return connection


# The tables of the extension capture_facts; it keeps no context log and no history.
CAPTURE_FACTS = EXTENSIONS.read_text("utf-8").split("-- extension:capture_facts")[1].split("-- extension:history")[0] + """
    INSERT OR REPLACE INTO archive_metadata VALUES ('extension:capture_facts', '2');
"""


def add_facts(connection):
    """An archive that was made without the extension gets it with its next observation, in the caller's transaction."""
    if not connection.execute("SELECT 1 FROM archive_metadata WHERE key = 'extension:capture_facts'").fetchone():
        for statement in CAPTURE_FACTS.split(";"):
            connection.execute(statement)
        below = connection.execute("SELECT count(*) FROM schema_migrations WHERE version < 0").fetchone()[0]
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, 'extension capture_facts 2')", (-1 - below, time.time()))


def open_secret(path):
    """The secret, made where there is none, and whether it was there."""
    is_known = os.path.exists(path)
    if not is_known:
        identity.write_secret(path, identity.Secret(secrets.token_bytes(32), secrets.token_hex(32)))
    return identity.read_secret(path), is_known


@contextlib.contextmanager
def transaction(connection):
    """What a fault cuts off is kept: its pages are committed one by one."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def result_of(recording, status, **more):
    """What a capture says of one observation; one that was compared is rolled back."""
    if recording.start == "compared":
        recording.connection.execute("ROLLBACK")
    counts = {name: count for name, count in sorted(recording.counts.items()) if count}
    return {"outcome": "captured before" if recording.start == "compared" else "captured", "start": recording.start,
            "observation_id": recording.id, "status": status, "counts": counts, "conflicts": recording.conflicts,
            "rejected": [{"reason": reason, "line": line, "sample_type": sample_type} for sample_type, reason, line, _, _ in recording.rejected], **more}


# Feeds


def capture_feed(archive, secret_path, path, accepted=()):
    """Captures a feed; returns what became of each observation. `accepted`: the guards that are overruled, new-chain."""
    secret, is_known = open_secret(secret_path)
    results = []
    steps = feed.Reader(path, secret, rules_at(archive)).steps()
    with contextlib.closing(open_archive(archive)) as connection:
        for facts in steps:
            with transaction(connection):
                try:
                    add_facts(connection)
                    of_kind = "= 'iphone_backup'" if facts.kind == "iphone_backup" else "NOT IN ('apple_health_export', 'iphone_backup')"
                    had_feeds = connection.execute(f"SELECT 1 FROM observations WHERE trigger_reason {of_kind}").fetchone()
                    chains = connection.execute("SELECT count(*) FROM device_chains").fetchone()[0]
                    recording = Recording(connection, secret, facts, is_known)
                    if had_feeds and "new-chain" not in accepted and connection.execute("SELECT count(*) FROM device_chains").fetchone()[0] > chains:
                        raise Refused("a new chain beside one of the same kind of source")
                except Refused:
                    connection.execute("ROLLBACK")
                    raise
                results.append(follow(recording, steps))
    return results


def follow(recording, steps):
    """One observation of a feed, up to its end."""
    try:
        for step in steps:
            if isinstance(step, feed.End):
                return result_of(recording, recording.finish(step.status))
            if isinstance(step, feed.Page):
                take_page(recording, step)
            elif isinstance(step, feed.Run):
                recording.begin_run(**step._asdict())
            else:
                recording.end_run(**step._asdict())
            recording.catch_up()
    except Refused:
        if recording.start == "compared" or recording.goes_beyond or recording.is_behind:
            recording.connection.execute("ROLLBACK")
        raise


def take_page(recording, page):
    """Records come before deleted objects, and links when the observation ends."""
    for rejection in page.rejected:
        recording.reject(rejection)
    for record in page.records:
        recording.take(record)
    for sample_type, uuid in page.deleted:
        recording.delete(sample_type, uuid)
    for source, target, _, _ in page.relationships:
        recording.type_id(source[0])
        recording.type_id(target[0])
    recording.links += page.relationships


# Exports


def capture(archive, secret_path, path, time_zone=None, observed_at=None, accepted=()):
    """Captures an export; returns what it did. `observed_at`: the Date of an export that states none; `accepted`: the
    guards that are overruled, new-chain, accept-disappearances and accept-person."""
    if time_zone is not None and rules_of_system(time_zone) is None:
        raise Refused(f"not a time zone: {ascii(time_zone)}")
    secret, is_known = open_secret(secret_path)
    export = apple_health.Export(path, secret, rules_at(archive), observed_at)
    if time_zone is not None and Days(rules_of_system(time_zone)).offset(export.export_date.seconds) != export.export_date.offset:
        raise Refused("the export was not made in this time zone")
    facts = Facts(kind="apple_health_export", observed_at=float(export.export_date.seconds), trigger_reason="apple_health_export",
                  app_version="hp-export 0.1.0", time_zone_identifier=time_zone, time_zone_seconds_from_gmt=export.export_date.offset)
    with contextlib.closing(open_archive(archive)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            add_facts(connection)
            had_exports = connection.execute("SELECT 1 FROM observations WHERE trigger_reason = 'apple_health_export'").fetchone()
            chains = connection.execute("SELECT count(*) FROM device_chains").fetchone()[0]
            recording = Recording(connection, secret, facts, is_known)
            if had_exports and "new-chain" not in accepted and connection.execute("SELECT count(*) FROM device_chains").fetchone()[0] > chains:
                raise Refused("a new chain beside one of the same kind of source")
            recording.counts.update(export.counts)
            if export.birth_date and recording.start != "compared":
                note_person(recording, secret.hmac(identity.person_preimage(export.birth_date)), "accept-person" in accepted)
            take_export(recording, export)
            recording.catch_up()
            if recording.start != "compared":
                recording.note_unknown(export.unknown_names)
                if export.documents is not None:
                    recording.note_documents(export.documents, closes=export.status == "completed" and not export.unasked and not export.counts["unreadable_file"])
            status = recording.finish({"partial_truncated": "truncated", "partial_malformed": "malformed"}.get(export.status, "completed"))
            if export.status == "completed" and recording.start != "compared" and "accept-disappearances" not in accepted:
                guard_disappearances(recording, bool(export.records or export.correlations or export.rejected))
            result = result_of(recording, status, place=export.place, documents=export.documents)
            if connection.in_transaction:
                connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return result


def rules_at(path):
    """The rules of an archive, which need not exist yet."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return identity.Rules()
    with contextlib.closing(open_archive(path)) as connection:
        return rules_of(connection)


def note_person(recording, hashed, is_accepted):
    """Spec/capture.md, "Guards": the newest of the chain that has a birth date has the same."""
    before = recording.connection.execute("""
        SELECT person_hash FROM observation_facts JOIN observations ON observations.id = observation_id
        WHERE device_chain_id = ? AND observation_id < ? AND person_hash IS NOT NULL ORDER BY observation_id DESC""",
                                          (recording.chain, recording.id)).fetchone()
    if before and before[0] != hashed and not is_accepted:
        raise Refused("the export is of a person with another birth date")
    recording.connection.execute("UPDATE observation_facts SET person_hash = ? WHERE observation_id = ?", (hashed, recording.id))


def guard_disappearances(recording, has_records):
    """Spec/capture.md, "Guards": what was visible on the chain before, and what is no longer."""
    visible, closed = {}, {}
    for row in recording.connection.execute("""
            SELECT sample_type_id, first_observation_id AS first, last_observation_id AS last, sample_id FROM sample_visibility_ranges AS range
            JOIN samples ON samples.id = sample_id JOIN observations ON observations.id = first_observation_id
            WHERE device_chain_id = ?""", (recording.chain,)):
        if row["first"] < recording.id and (row["last"] is None or row["last"] >= recording.id):
            visible.setdefault(row["sample_type_id"], set()).add(row["sample_id"])
    for row in recording.connection.execute("""
            SELECT sample_type_id, sample_id FROM sample_observation_events JOIN samples ON samples.id = sample_id
            WHERE observation_id = ? AND event_kind = 'disappeared'""", (recording.id,)):
        closed.setdefault(row["sample_type_id"], set()).add(row["sample_id"])
    count = lambda sets: sum(map(len, sets.values()))
    is_whole = any(len(samples) > 100 and closed.get(sample_type) == samples for sample_type, samples in visible.items())
    if not has_records or 2 * count(closed) > count(visible) or is_whole:
        raise Refused(f"would close {count(closed)} of {count(visible)} visible records")


def rules_of(connection):
    """What an archive states of private keys of metadata."""
    patterns = connection.execute("SELECT value FROM archive_metadata WHERE key = 'private_metadata'").fetchone()
    return identity.Rules(tuple(json.loads(patterns[0])) if patterns else ())


def take_export(recording, export):
    stated = [record.sample_type for record in export.records]
    stated += [member.sample_type for _, members in export.correlations + export.workout_records for member in members]
    stated += [rejection.sample_type for rejection in export.rejected if rejection.sample_type] + [name for name in export.types_cut_off if name]
    if export.status == "completed":
        stated += [name for name in types_of_chain(recording) if name not in export.unasked]
    for sample_type in dict.fromkeys(stated):
        recording.begin_run(sample_type, "full_scan")
    for rejection in export.rejected:
        recording.reject(rejection)
    if any(rejection.sample_type is None for rejection in export.rejected):
        recording.rejected_types |= set(recording.runs)
    for record in export.records:
        recording.take(record)
    recording.settle()
    # A record in a correlation may stand at the top level after it, so links come last.
    records = set(map(id, export.records))
    outer = lambda record: record if id(record) in records else None
    recording.link_members([(outer(correlation), member, "correlation_member") for correlation, members in export.correlations for member in members]
                           + [(outer(workout), member, "workout_record") for workout, members in export.workout_records for member in members])
    for record in export.records:
        for route in record.routes:
            recording.relate(recording.taken[id(record)], recording.taken[id(route)], "workout_route")
    if export.status == "completed":
        for sample_type in recording.runs:
            recording.end_run(sample_type, "completed", is_remembered=False)
        recording.remember(list(recording.runs), is_all=True)


def types_of_chain(recording):
    """The types that this or an earlier import of the chain had."""
    return [row[0] for row in recording.connection.execute("""
        SELECT DISTINCT type_identifier FROM observation_type_runs JOIN observations ON observations.id = observation_id
        JOIN sample_types ON sample_types.id = sample_type_id WHERE device_chain_id = ?""", (recording.chain,))]


def main():
    options = argparse.ArgumentParser(description="Captures Apple Health exports and capture feeds into an archive, and looks at archives.")
    options.add_argument("archive")
    options.add_argument("--secret")
    options.add_argument("--apple-health", metavar="EXPORT")
    options.add_argument("--feed", metavar="FEED")
    options.add_argument("--time-zone", metavar="NAME")
    options.add_argument("--observed-at", metavar="MOMENT", help="yyyy-mm-ddThh:mm:ss±hh:mm, of an export that states none")
    options.add_argument("--dump", action="store_true", help="print the evidence without row ids and clocks")
    options.add_argument("--check", action="store_true", help="recompute ranges, hashes and aggregates")
    arguments = options.parse_args()
    secret = arguments.secret or arguments.archive + ".secret"
    try:
        if arguments.apple_health:
            moment = apple_health.stated_date(arguments.observed_at)
            print(json.dumps(capture(arguments.archive, secret, arguments.apple_health, arguments.time_zone, moment), ensure_ascii=True, indent=1))
        if arguments.feed:
            print(json.dumps(capture_feed(arguments.archive, secret, arguments.feed), ensure_ascii=True, indent=1))
        if arguments.dump or arguments.check:
            if not pathlib.Path(arguments.archive).is_file():
                raise Refused(f"{arguments.archive}: no such file")
            with contextlib.closing(open_archive(arguments.archive)) as connection:
                if arguments.dump:
                    sys.stdout.buffer.write("".join(line + "\n" for line in archive_text.dump(connection)).encode())
                findings = archive_text.findings(connection, Aggregates) if arguments.check else []
                for finding in findings:
                    print(finding)
                return 1 if findings else 0
    except (Refused, sqlite3.Error, OSError) as error:
        print(f"capture.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
