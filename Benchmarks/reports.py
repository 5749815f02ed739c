#!/usr/bin/env python3
"""Measures reports on large synthetic archives, next to the `sqlite3` program doing the same in SQL. It measures and never fails.

    reports.py [--samples N] [--rounds N] [--large]

Every number comes from one run: after a warm-up, the programs take turns, and ratios are taken pair by pair. Nothing is recorded: neither
does the `sqlite3` program. Archives are those of run.py.
"""

import argparse
import json
import sqlite3

import run
from run import MIB, ROOT, TOOLS, WORK, Measured, ratio

COLUMNS = json.loads((ROOT / "Spec" / "columns.json").read_text(encoding="utf-8"))

# The queries of the archive's design: two sets of visible versions, joined by sample; each counted, nothing listed.
SEED = """
CREATE TEMP TABLE prev_visible AS SELECT r.sample_id, r.version_id FROM sample_visibility_ranges r
WHERE r.first_observation_id <= {before} AND (r.last_observation_id IS NULL OR r.last_observation_id > {before});
CREATE TEMP TABLE curr_visible AS SELECT r.sample_id, r.version_id FROM sample_visibility_ranges r
WHERE r.first_observation_id <= {after} AND (r.last_observation_id IS NULL OR r.last_observation_id > {after});
CREATE INDEX temp_prev_sample ON prev_visible(sample_id);
CREATE INDEX temp_curr_sample ON curr_visible(sample_id);
SELECT count(*) FROM (SELECT p.sample_id FROM prev_visible p LEFT JOIN curr_visible c ON c.sample_id = p.sample_id WHERE c.sample_id IS NULL);
SELECT count(*) FROM (SELECT c.sample_id FROM curr_visible c LEFT JOIN prev_visible p ON p.sample_id = c.sample_id WHERE p.sample_id IS NULL);
SELECT count(*) FROM (SELECT c.sample_id, p.version_id, c.version_id FROM curr_visible c JOIN prev_visible p ON p.sample_id = c.sample_id WHERE p.version_id != c.version_id);
"""

VISIBLE = "SELECT sample_id, version_id FROM sample_visibility_ranges WHERE first_observation_id <= {0} AND (last_observation_id IS NULL OR last_observation_id > {0})"
CHANGES = """
WITH f AS MATERIALIZED ({f}), t AS MATERIALIZED ({t}), change(change, sample, before, after) AS (
    SELECT 'disappeared', f.sample_id, f.version_id, NULL FROM f LEFT JOIN t ON t.sample_id = f.sample_id WHERE t.sample_id IS NULL
    UNION ALL SELECT 'appeared', t.sample_id, NULL, t.version_id FROM t LEFT JOIN f ON f.sample_id = t.sample_id WHERE f.sample_id IS NULL
    UNION ALL SELECT 'representation_changed', t.sample_id, f.version_id, t.version_id FROM t JOIN f ON f.sample_id = t.sample_id WHERE f.version_id <> t.version_id)
SELECT {columns}
FROM change c JOIN samples s ON s.id = c.sample JOIN sample_types y ON y.id = s.sample_type_id {before} {after}
ORDER BY y.type_identifier, coalesce(before.start_date, after.start_date), coalesce(before.end_date, after.end_date),
         coalesce(s.sample_uuid_hash, s.strict_fingerprint), coalesce(before.payload_hash, after.payload_hash);
"""
EVENTS = """(SELECT json_group_array(json_object('event_kind', event_kind, 'evidence_kind', evidence_kind, 'observation_id', observation_id, 'observed_at', observed_at)) FROM (
    SELECT * FROM sample_observation_events WHERE sample_id = c.sample AND observation_id > {0} AND observation_id <= {1} ORDER BY observation_id, event_kind))"""

RECORDS = """
SELECT {columns}
FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id JOIN sample_types y ON y.id = s.sample_type_id {version}
WHERE r.first_observation_id <= {at} AND (r.last_observation_id IS NULL OR r.last_observation_id > {at})
ORDER BY y.type_identifier, record.start_date, record.end_date, coalesce(s.sample_uuid_hash, s.strict_fingerprint), record.payload_hash;
"""
VISIBILITY = "json_array(json_object('first_observation_id', r.first_observation_id, 'first_seen_at', r.first_seen_at))"
RELATIONSHIPS = """(SELECT json_group_array(json_object('end', end, 'end_identity_hash', identity, 'end_in_scope', in_scope, 'end_sample_type', type, 'observation_id', observation, 'relationship_kind', kind)) FROM (
    SELECT l.end, coalesce(o.sample_uuid_hash, o.strict_fingerprint) AS identity, l.observation, l.kind, z.type_identifier AS type,
           EXISTS (SELECT 1 FROM sample_visibility_ranges v WHERE v.sample_id = o.id AND v.first_observation_id <= {at} AND (v.last_observation_id IS NULL OR v.last_observation_id > {at})) AS in_scope
    FROM (SELECT 'target' AS end, target_sample_id AS other, observation_id AS observation, relationship_kind AS kind FROM sample_relationships WHERE source_sample_id = s.id AND observation_id <= {at}
          UNION ALL SELECT 'source', source_sample_id, observation_id, relationship_kind FROM sample_relationships WHERE target_sample_id = s.id AND observation_id <= {at}) l
    JOIN samples o ON o.id = l.other JOIN sample_types z ON z.id = o.sample_type_id ORDER BY l.kind, l.end, type, identity))"""


def joins(version, name):
    """The rows that a version refers to, under the version's name."""
    return """LEFT JOIN sample_versions {0} ON {0}.id = {1} LEFT JOIN source_revisions {0}_revision ON {0}_revision.id = {0}.source_revision_id
LEFT JOIN sources {0}_source ON {0}_source.id = {0}_revision.source_id LEFT JOIN hk_devices {0}_device ON {0}_device.id = {0}.hk_device_id
LEFT JOIN metadata_blobs {0}_metadata ON {0}_metadata.id = {0}.metadata_id""".format(name, version)


# What a change says beyond its rows: no statement of moderate length gives it, so that the tool does more here.
JUDGED = ("changed_fields", "label", "reasons", "pair.kind", "pair.keys", "run_before", "run_after",
          "relationship_before", "relationship_after")


def expression(column, others):
    """The SQL of a column of a table; moments as the numbers that are stored."""
    name, _ = column
    if name in others:
        return others[name]
    if name in JUDGED:
        return "''"
    *path, member = name.split(".")
    side = path[0] if path and path[0] in ("before", "after") else "record"
    part = path[-1] if path and path[-1] in ("source", "device") else None
    if part == "source":
        return "%s_%s.%s" % (side, "source" if member in ("bundle_identifier", "source_name_hash") else "revision", member)
    if part == "device":
        return "%s_device.%s" % (side, member)
    if member in ("source", "device", "defects"):
        return "''"  # what these archives have none of
    if member in ("metadata", "metadata_hash"):
        return "%s_metadata.%s" % (side, {"metadata": "metadata_json"}.get(member, member))
    if member == "sample_type":
        return "y.type_identifier"
    if member in ("sample_uuid_hash", "strict_fingerprint", "semantic_fingerprint", "fuzzy_key", "first_seen_at", "first_seen_observation_id"):
        return "s." + member
    return "%s.%s" % (side, member)


def columns(kind, **others):
    """All columns of a table but the item hash, by name."""
    return ",\n       ".join('%s AS "%s"' % (expression(column, others), column[0]) for column in COLUMNS[kind] if column[0] != "item_hash")


def changes_statement(before, after):
    low, high = sorted((before, after))
    return CHANGES.format(f=VISIBLE.format(before), t=VISIBLE.format(after), before=joins("c.before", "before"), after=joins("c.after", "after"),
                          columns=columns("change", change="c.change", events=EVENTS.format(low, high)))


def records_statement(at):
    return RECORDS.format(at=at, version=joins("r.version_id", "record"), columns=columns("record", visibility=VISIBILITY, relationships=RELATIONSHIPS.format(at=at)))


def measure(samples, rounds, is_compared):
    """The pairs on one archive; without comparison only the tool. Returns what the tool took."""
    original = run.archive(samples)
    with sqlite3.connect("file:%s?immutable=1" % original, uri=True) as database:
        first, last = database.execute("SELECT min(id), max(id) FROM observations").fetchone()
        (previous,) = database.execute("SELECT max(id) FROM observations WHERE id < ?", (last,)).fetchone()
    table, listing = WORK / "report.csv", WORK / "listing.csv"

    def tool(name, command, *options):
        return Measured(name), [TOOLS / "hp-export", command, original, *options, "--format", "csv", "-o", table, "--force", "--no-record", "--quiet"]

    def shell(name, text, options="-csv -header"):
        script = WORK / (name.replace(" ", "-") + ".sql")
        script.write_text(text)
        return Measured(name), ["sh", "-c", 'sqlite3 -bail %s "file:$1?immutable=1" < "$2" > "$3"' % options, "sh", original, script, listing]

    outermost = SEED.format(before=first, after=last)
    pairs = [
        (tool("diff of the last two", "diff", "--from", previous, "--to", last), shell("seed queries", SEED.format(before=previous, after=last), ""), 0.8),
        (tool("diff of the outermost", "diff", "--from", first, "--to", last), shell("changes in SQL", changes_statement(first, last)), 0.6),
        (tool("summary of the outermost", "diff", "--from", first, "--to", last, "--summary"), shell("seed queries for a summary", outermost, ""), 2.5),
        (tool("findings of the outermost", "diff", "--from", first, "--to", last, "--findings"), shell("seed queries for findings", outermost, ""), 2.5),
        (tool("records", "records", "--at", last), shell("records in SQL", records_statement(last)), 0.6)]
    sizes = {}
    for number in range(rounds + 1):
        for pair in pairs:
            for what, command in pair[:2] if is_compared else pair[:1]:
                elapsed = what.run(command)
                sizes[what.name] = (table if what is pair[0][0] else listing).stat().st_size
                if number > 0:
                    what.times.append(elapsed)
    print("%d samples, %d rounds, archive %.0f MiB" % (samples, rounds, original.stat().st_size / MIB))
    for pair in pairs:
        for what, _ in pair[:2] if is_compared else pair[:1]:
            line = what.line if what is pair[0][0] else what.line[:what.line.index("   peak")]
            print("%s   %7.1f MiB written" % (line, sizes[what.name] / MIB))
    for ours, theirs, target in pairs if is_compared else ():
        ratio(ours[0], theirs[0], target)
    for (what, _), *_ in pairs:
        print("  %-60s %5.1f   target 64    %s" % ("%s, peak memory in MiB" % what.name, what.peak / MIB, "met" if what.peak <= 64 * MIB else "not met"))
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000, help="samples of the archive that counts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also an archive of 5,000,000 samples")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for size in sorted({100_000, options.samples} | ({5_000_000} if options.large else set())):
        measure(size, options.rounds if size <= options.samples else 1, is_compared=size == options.samples)


if __name__ == "__main__":
    main()
