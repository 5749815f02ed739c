"""A forger who has the archive and Spec/history.md: whatever is rewritten behind a genuine head, nobody is told that the history extends it.

Random histories with undo and seal; every kind of consistent edit of what the head covers, alone and in pairs; then the entries as the edit needs them, from any one on, or as they were.
"""

import collections
import contextlib
import json
import os
import random
import sqlite3
import unittest

import histories
from capture_support import CaptureCase
from support import FIXTURES, database, hp_export, hp_verify, make_archive, query, takes_long

from forger import entries_of, live_of, rechain, write  # noqa: E402
from verifier.entries import Carried, compare, statement_of  # noqa: E402
from verifier.history import COLUMNS, OWNERS, RANGES, TABLES, History, head_of, plain_hash  # noqa: E402

MONTHS = [FIXTURES / "apple-health" / name for name in ("month-0.xml", "month-1.xml")]
BY_OBSERVATION = {"observations": "id", "observation_type_runs": "observation_id", "observation_facts": "observation_id", "sample_type_origins": "observation_id",
                  "unknown_elements": "observation_id", "relationship_ends": "observation_id", **OWNERS, **{table: "first_observation_id" for table in RANGES}}
CHANGED = "CASE typeof({0}) WHEN 'integer' THEN {0} + 70000 WHEN 'real' THEN {0} + 1 + abs({0}) WHEN 'null' THEN 1 ELSE {0} || 'x' END"


class Scene:
    """An archive, and what a genuine head of it covers."""

    def __init__(self, connection, head, live):
        self.connection, self.head, self.live = connection, head, live
        entries = entries_of(connection)
        self.covered = entries[:head["length"]]
        self.top = [entry for entry in self.covered if entry["observation"]["id"] == live[-1] and entry["kind"] != "withdrawn"][0]
        # Rows that an edit added: a head covers none of them, and a second edit could take one out of what it covers again.
        self.added = set()

    def tables(self):
        return {name for name, in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def rows(self, table):
        """Row ids of the rows of a table that the head covers."""
        live = ", ".join(map(str, self.live))
        if table == "context_log":
            condition = "id <= %d" % self.covered[-1]["last_ids"].get(table, -1)
        elif table == "type_run_facts":
            condition = "type_run_id IN (SELECT id FROM observation_type_runs WHERE observation_id IN (%s))" % live
        elif table == "selected_type_sets":
            condition = "selected_type_set_hash IN (SELECT selected_type_set_hash FROM observations WHERE id IN (%s))" % live
        elif table == "zone_rules":
            condition = "zone_rules_hash IN (SELECT zone_rules_hash FROM observation_facts WHERE observation_id IN (%s))" % live
        elif table in BY_OBSERVATION:
            condition = "%s IN (%s)" % (BY_OBSERVATION[table], live)
        else:
            condition = "id <= %d" % self.top["last_ids"].get(table, -1)
        return [row for row, in self.connection.execute("SELECT rowid FROM %s WHERE %s" % (table, condition)) if (table, row) not in self.added]

    def is_named_later(self, row, column):
        """Whether an observation that the head does not cover gave a type the name or the category that it has now."""
        origins = self.connection.execute("SELECT observation_id FROM sample_type_origins WHERE sample_type_id = ? AND %s IS NOT NULL" % column, (row,))
        return any(number not in self.live for number, in origins)


def changes_column(table, column):
    def edit(scene, chance):
        rows = scene.rows(table)
        if table == "sample_types" and column in ("display_name", "category"):
            rows = [row for row in rows if not scene.is_named_later(row, column)]
        if not rows:
            return False
        scene.connection.execute("UPDATE %s SET %s = %s WHERE rowid = ?" % (table, column, CHANGED.format(column)), (chance.choice(rows),))
        return True
    return edit


def deletes_row(table):
    def edit(scene, chance):
        rows = scene.rows(table)
        if rows:
            scene.connection.execute("DELETE FROM %s WHERE rowid = ?" % table, (chance.choice(rows),))
        return bool(rows)
    return edit


def adds_row(table):
    def edit(scene, chance):
        rows, columns = scene.rows(table), COLUMNS[table]
        if not rows:
            return False
        values = list(scene.connection.execute("SELECT %s FROM %s WHERE rowid = ?" % (", ".join(columns), table), (chance.choice(rows),)).fetchone())
        if table in BY_OBSERVATION and table != "observations":
            values[columns.index(BY_OBSERVATION[table])] = chance.choice(scene.live)
        # Beyond all ids, or below them where ids say what the head covers.
        values[0] = 1_000_000 if table in OWNERS or table in RANGES or table == "observation_type_runs" else -7
        for place, column in enumerate(columns):
            if column in ("strict_fingerprint", "content_hash", "type_identifier", "device_chain_hash", "metadata_hash", "payload_hash", "relationship_kind", "event_kind", "version"):
                values[place] = "%s added" % values[place]
            elif column == "sample_type_id" and table == "observation_type_runs":
                values[place] = 99_999
        scene.added.add((table, scene.connection.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(columns))), values).lastrowid))
        return True
    return edit


def moves_row(table):
    """A row of one observation becomes that of another."""
    def edit(scene, chance):
        rows = scene.rows(table)
        if not rows or len(scene.live) < 2:
            return False
        row, column = chance.choice(rows), BY_OBSERVATION[table]
        owner, = scene.connection.execute("SELECT %s FROM %s WHERE rowid = ?" % (column, table), (row,)).fetchone()
        scene.connection.execute("UPDATE OR REPLACE %s SET %s = ? WHERE rowid = ?" % (table, column), (chance.choice([other for other in scene.live if other != owner]), row))
        return True
    return edit


def ends_range(table):
    def edit(scene, chance):
        rows = [row for row in scene.rows(table)]
        if not rows:
            return False
        row = chance.choice(rows)
        last, = scene.connection.execute("SELECT last_observation_id FROM %s WHERE rowid = ?" % table, (row,)).fetchone()
        if last is not None and last not in scene.live:
            return False
        scene.connection.execute("UPDATE %s SET last_observation_id = ? WHERE rowid = ?" % table, (chance.choice(scene.live) if last is None else None, row))
        return True
    return edit


def older_observation(scene, chance):
    """An observation comes before all others, or into a gap."""
    row = scene.connection.execute("SELECT * FROM observations WHERE id = ?", (chance.choice(scene.live),)).fetchone()
    if not row:  # an edit before this one took it away
        return False
    values = list(row)
    values[0] = next(number for number in range(scene.live[-1] - 1, -10, -1) if not scene.connection.execute("SELECT 1 FROM observations WHERE id = ?", (number,)).fetchone())
    scene.connection.execute("INSERT INTO observations VALUES (%s)" % ", ".join("?" * len(values)), values)
    return True


def rules(scene, chance):
    return scene.connection.execute("UPDATE archive_metadata SET value = value || '0' WHERE key = 'identity_rules'").rowcount > 0


def another_salt(scene, chance):
    scene.connection.execute("UPDATE archive_metadata SET value = ? WHERE key = 'history_salt'", ("%064x" % chance.getrandbits(256),))
    return True


def appended(kind, about):
    """An entry behind the others."""
    def edit(scene, chance):
        entries = entries_of(scene.connection)
        number = about(scene, chance, entries) if entries else None
        if number is None:
            return False
        last = entries[-1]
        entry = {name: last[name] for name in ("archive", "entry_version", "made_at", "tool_version")}
        last_ids = {table: max(other["last_ids"].get(table, -1) for other in entries) for table in {name for other in entries for name in other["last_ids"]}}
        entry.update(kind=kind, observation={"hash": "a" * 64, "id": number}, rows={}, last_ids=last_ids)
        if kind == "withdrawn":
            entry["last_ids"] = {table: value for table, value in last_ids.items() if table == "context_log"}
        else:
            entry["observation"].update(lists_types=False, states_facts=False)
        write(scene.connection, entries + [entry], len(entries) + 1)
        return True
    return edit


def replaces(scene, chance):
    """The way of the first builds: an entry that says that it hashes earlier ones anew."""
    entries = entries_of(scene.connection)
    if not entries:
        return False
    entries[-1]["replaces"] = 1
    if len(entries) == scene.head["length"]:
        entries.append({**entries[-1], "observation": {**entries[-1]["observation"], "id": entries[-1]["observation"]["id"] + 1}})
        entries[-2].pop("replaces")
    write(scene.connection, entries, len(entries))
    return True


def undone(scene, chance):
    """The newest live observation goes with its rows, and a right withdrawal says so."""
    live = live_of(entries_of(scene.connection))
    if not live or live[-1]["observation"]["id"] not in scene.live:
        return False
    number = live[-1]["observation"]["id"]
    for table, column in BY_OBSERVATION.items():
        if table in scene.tables() and table != "observations":
            scene.connection.execute("DELETE FROM %s WHERE %s = ?" % (table, column), (number,))
    scene.connection.execute("DELETE FROM observations WHERE id = ?", (number,))
    return appended("withdrawn", lambda *_: number)(scene, chance)


def without_entry(which):
    def edit(scene, chance):
        entries = entries_of(scene.connection)
        place = which(scene, chance, entries)
        if not 0 <= place < min(scene.head["length"], len(entries)):
            return False
        del entries[place]
        scene.connection.execute("DELETE FROM history_links")
        write(scene.connection, entries)
        return True
    return edit


def swapped(scene, chance):
    entries = entries_of(scene.connection)
    length = min(scene.head["length"], len(entries))
    if length < 2:
        return False
    place = chance.randrange(length - 1)
    entries[place:place + 2] = reversed(entries[place:place + 2])
    write(scene.connection, entries)
    return True


def taken_back(scene, chance):
    """The end goes, with its entries: an older copy."""
    number = scene.live[-1]
    scene.connection.execute("DELETE FROM history_links WHERE sequence >= ?", (scene.top["sequence"],))
    for table, column in BY_OBSERVATION.items():
        if table in scene.tables():
            scene.connection.execute("DELETE FROM %s WHERE %s >= ?" % (table, column), (number,))
    return True


def other_link(scene, chance):
    scene.connection.execute("UPDATE history_links SET link = ? WHERE sequence = ?", ("%064x" % chance.getrandbits(256), chance.randint(1, scene.head["length"])))
    return True


COVERED = [table for table in COLUMNS if table not in ("archive_metadata", "schema_migrations", "sample_visibility_ranges", "observation_type_summaries", "daily_type_aggregates",
                                                       "export_manifests", "export_items", "withdrawn_observations", "history_links")]
EDITS = {
    **{"change %s.%s" % (table, column): changes_column(table, column) for table in COVERED for column in COLUMNS[table] if (table, column) not in [(name, "last_observation_id") for name in RANGES]},
    **{"delete a row of " + table: deletes_row(table) for table in COVERED},
    **{"add a row to " + table: adds_row(table) for table in COVERED if table not in ("observation_facts", "type_run_facts", "sample_type_origins", "unknown_elements", "selected_type_sets", "zone_rules", "observations")},
    **{"move a row of " + table: moves_row(table) for table in BY_OBSERVATION if table not in ("observations", "observation_facts")},
    **{"end or open a range of " + table: ends_range(table) for table in RANGES},
    "add an older observation": older_observation,
    "change the rules": rules,
    "change the salt": another_salt,
    "undo with a right withdrawal": undone,
    "withdraw an older one": appended("withdrawn", lambda scene, chance, entries: scene.live[0] if len(scene.live) > 1 else None),
    "withdraw an unknown one": appended("withdrawn", lambda *_: 4711),
    "name an observation again": appended("observation", lambda scene, chance, entries: chance.choice(scene.live)),
    "seal an observation again": appended("sealed", lambda scene, chance, entries: chance.choice(scene.live)),
    "say that an entry replaces others": replaces,
    "remove an entry": without_entry(lambda scene, chance, entries: chance.randrange(scene.head["length"])),
    "remove the first entry": without_entry(lambda *_: 0),
    "swap two entries": swapped,
    "take the end back": taken_back,
    "change a link": other_link,
}
# Tables that few histories have rows of: each of their edits is tried with every history.
RARE = ("rejected_records", "withheld_closures", "source_documents", "relationship_ends", "unknown_elements", "sample_type_origins", "selected_type_sets")
# Edits of entries that a new chain would take away again, or that leave nothing to chain.
KEPT = {"change a link", "take the end back", "remove an entry", "remove the first entry", "swap two entries"}


class Forger(CaptureCase):
    def random_archive(self, chance):
        """An archive with a history; a head of it that is genuine, and the observations that are live at it."""
        self.renew()
        foreign = chance.random() < 0.25
        if foreign:
            make_archive.write(str(self.archive), samples=chance.choice([20, 60]), observations=chance.randint(2, 4), seed=chance.randrange(1000), journal="delete")
            self.assert_good(hp_export("seal", self.archive, "--quiet"))
        steps = chance.randint(1, 4)
        sources = [("--apple-health", month) for month in MONTHS] if chance.random() < 0.15 else [
            ("--feed", self.written(content, "feed%d.jsonl" % place)) for place, content in enumerate(histories.History(chance, steps).feeds())]
        kept = None
        for source in sources:
            # A feed may be contradictory, or cut; an archive of another engine has another chain.
            self.hp_capture(*source, "--quiet", "--accept-disappearances", "--accept-clock", "--new-chain")
            if kept is None or chance.random() < 0.5:
                kept = self.kept() or kept
            if chance.random() < 0.3:
                hp_export("undo", self.archive, "--no-backup", "--quiet")
        if kept is None or chance.random() < 0.3:
            kept = self.kept() or kept
        if kept is None:
            return None
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            history = History(connection)
            self.assertEqual(history.findings, [])
            return kept if history.answer(kept[0])[0] == "extends" else None

    def kept(self):
        """The head of the moment, and what is live at it; None where nothing is."""
        if not self.archive.exists():
            return None
        head = json.loads(hp_export("list", self.archive, "observations", "--json").out).get("head")
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            live = [entry["observation"]["id"] for entry in live_of(entries_of(connection))] if head else []
        return (head, live) if live else None

    def told(self, head, is_asked):
        """What the tool says of the forgery, and the reference: whether it extends, and the codes."""
        with contextlib.closing(sqlite3.connect(self.folder / "forged.sqlite")) as connection:
            history = History(connection)
        answer, _ = history.answer(head)
        # Without the archive: entries that lead from the head to the newest one are genuine up to the head. Then only rows are others, or links, or the salt, which a file of entries does not have.
        if self.extends(head, history, is_asked) and not {"history.link", "history.identity"} & {code for code, _ in history.findings}:
            self.assertEqual(answer, "changed")
        if is_asked:
            (self.folder / "head").write_text("archive %(archive)s\nlength %(length)d\nlink %(link)s\n" % head)
            result = hp_verify("archive", self.folder / "forged.sqlite", "--only", "history", "--head", self.folder / "head", "--json")
            if result.status == 2:  # a schema that is not read at all
                return answer
            self.assertIn(result.status, (0, 1), result)
            value = json.loads(result.out)
            self.assertEqual(result.status, 1, value)
            self.assertNotIn("extends", json.dumps(value["checks"]))
            codes = {finding["code"] for finding in value["findings"] if finding["code"].startswith("history.")} - {"history.unanswered"}
            expected = {code for code, _ in history.findings} | ({"history." + answer.replace(" ", "_")} if answer not in ("changed", "extends") else set())
            self.assertEqual(codes, expected)
        return answer

    def extends(self, head, history, is_asked):
        """Whether the forged entries lead from a head that somebody kept to the newest of the forged ones."""
        texts = [text for text, in query(self.folder / "forged.sqlite", "SELECT CAST(entry_json AS BLOB) FROM history_links ORDER BY sequence")]
        if not texts or history.archive is None:
            return False
        newest = Carried(history.archive, max(1, history.entries[-1].sequence), history.entries[-1].digest)
        said = compare(Carried(**head), newest, texts)
        if is_asked:
            for name, data in (("old", statement_of(Carried(**head)).encode()), ("new", statement_of(newest).encode()), ("entries", b"".join(text + b"\n" for text in texts))):
                (self.folder / name).write_bytes(data)
            result = hp_verify("history", self.folder / "old", self.folder / "new", "--entries", self.folder / "entries", "--json")
            ours = json.loads(result.out)["entries"]
            ours.pop("file")
            # A text with a line feed is more than one line.
            if not any(b"\n" in text for text in texts):
                self.assertEqual(ours, said)
        return "extends_by" in said

    def forge(self, scene_of, names, chance):
        """The edits, then the entries as they need them; None where one of them cannot be made."""
        head, live = scene_of
        forged = self.folder / "forged.sqlite"
        forged.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(self.archive)) as connection:
            connection.execute("VACUUM INTO ?", (str(forged),))
        with database(forged) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            scene = Scene(connection, head, live)
            for name in names:
                try:
                    if not EDITS[name](scene, chance):
                        return None
                except sqlite3.IntegrityError:
                    return None
            if not KEPT & set(names):
                length = connection.execute("SELECT max(sequence) FROM history_links").fetchone()[0]
                first = chance.choice([1, head["length"] + 1, chance.randint(1, length), None])
                if first and first <= length:
                    rechain(connection, first)
        return True

    def run_histories(self, count, seed, asked):
        counts, answers = collections.Counter(), collections.Counter()
        self.populated = set()
        for number in range(count):
            chance = random.Random("%s %d" % (seed, number))
            scene = self.random_archive(chance)
            if scene is None:
                continue
            counts["histories"] += 1
            names = [name for name in sorted(EDITS) if any(table in name for table in RARE)] + chance.sample(sorted(EDITS), 45)
            edits = [(name,) for name in names] + [tuple(chance.sample(sorted(EDITS), 2)) for _ in range(8)]
            for place, edit in enumerate(edits):
                if self.forge(scene, edit, chance) is None:
                    continue
                self.populated.update(table for table in COVERED if table in " ".join(edit).replace(".", " ").split())
                with self.subTest(seed=seed, history=number, edit=edit):
                    answer = self.told(scene[0], place % asked == 0)
                    self.assertNotEqual(answer, "extends")
                    answers[answer] += 1
                    counts["pairs" if len(edit) > 1 else edit[0]] += 1
        return counts, answers

    def test_no_forgery_of_some_histories_extends_a_genuine_head(self):
        counts, answers = self.run_histories(4, os.environ.get("HP_SEED", "1"), 3)
        self.assertGreater(counts["histories"], 2)
        self.assertLessEqual({"changed", "forked", "withdrawn since", "rewound"}, set(answers))

    @takes_long
    def test_no_forgery_extends_a_genuine_head(self):
        count = int(os.environ.get("HP_HISTORIES", "60"))
        counts, answers = self.run_histories(count, os.environ.get("HP_SEED", "2"), 4)
        print("forger: %s; %s" % (dict(answers), dict(sorted(counts.items()))), flush=True)
        # Edits of a table that no history had rows of cannot be made.
        tables = lambda name: [table for table in COVERED if table in name.replace(".", " ").split()]
        self.assertEqual([name for name in EDITS if not counts[name] and set(tables(name)) <= self.populated], [])
        self.assertGreater(len(self.populated), 16, self.populated)


if __name__ == "__main__":
    unittest.main()
