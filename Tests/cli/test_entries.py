"""Entries of a history in a file (Spec/history.md): what they show of two exports or heads without the archive, told by both verifiers and by a model of tokens."""

import collections
import datetime
import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
import unittest

from capture_support import feed, observation, sample, type_run
from support import FIXTURES, database, execute, hp_export, hp_verify, make_archive, query, takes_long
from test_history import MONTHS, HistoryCase

import schemas  # noqa: E402
from forger import rechain  # noqa: E402
from verifier.canonical import canonical  # noqa: E402
from verifier.entries import Carried, compare, kept, lines_of  # noqa: E402
from verifier.files import verify_export  # noqa: E402
from verifier.history import plain_hash  # noqa: E402


class EntriesCase(HistoryCase):
    def entries(self, *options, archive=None, name="entries.jsonl"):
        path = self.folder / name
        self.assert_good(hp_export("history", archive or self.archive, "-o", path, "--force", "--quiet", *options))
        return path

    def export(self, name, *options, archive=None):
        path = self.folder / (name + ".jsonl.zst")
        self.assert_good(hp_export("bundle", archive or self.archive, "-o", path, "--no-record", "--quiet", *options))
        return path

    def compared(self, *arguments, status=0):
        result = hp_verify("history", *arguments, "--json")
        self.assertEqual(result.status, status, result)
        value = json.loads(result.out)
        self.assertEqual([error.message for error in schemas.validator("history-result").iter_errors(value)], [])
        self.assertEqual(value["result"], "ok" if status == 0 else "findings")
        return value


class Writing(EntriesCase):
    def test_it_writes_the_entries_as_they_are_stored(self):
        self.months()
        stored = [text.encode() + b"\n" for text, in query(self.archive, "SELECT entry_json FROM history_links ORDER BY sequence")]
        self.assertEqual(len(stored), 2)
        for since in (0, 1, 2):
            with self.subTest(since=since):
                result = self.assert_good(hp_export("history", self.archive, "--since", str(since)))
                self.assertEqual(result.out, b"".join(stored[since:]))
                self.assertIn(self.head().read_text().splitlines()[2], result.err)
                self.assertEqual(self.entries("--since", str(since)).read_bytes(), result.out)
        self.assertEqual(self.assert_good(hp_export("history", self.archive, "-o", "-", "--quiet")).out, b"".join(stored))

    def test_what_cannot_be_written(self):
        self.months()
        out = self.folder / "out.jsonl"
        self.assert_refused(hp_export("history", self.archive, "--since", "3", "-o", out), "the history has only 2 entries")
        out.write_text("kept")
        self.assert_refused(hp_export("history", self.archive, "-o", out), "out.jsonl")
        self.assertEqual(out.read_text(), "kept")
        out.unlink()
        foreign = self.folder / "foreign.sqlite"
        make_archive.write(str(foreign), samples=4, observations=1, seed=3, journal="delete")
        self.assert_refused(hp_export("history", foreign, "-o", out), "no history")
        execute(self.archive, "UPDATE history_links SET link = '%s' WHERE sequence = 2" % ("0" * 64))
        self.assert_refused(hp_export("history", self.archive, "-o", out), "entry 2 of the history")
        self.assertFalse(out.exists())


class Comparing(EntriesCase):
    def setUp(self):
        super().setUp()
        self.months(MONTHS[0])
        self.first, self.head_of_first = self.export("first"), self.head()
        self.months(MONTHS[1])
        self.second = self.export("second")

    def test_the_words(self):
        entries = self.entries("--since", "1")
        text = self.assert_good(hp_verify("history", self.first, self.second, "--entries", entries)).out.decode()
        self.assertRegex(text, r"observation 2, entry 2, link [0-9a-f]{16}: its history extends the first\n")
        self.assertIn("entries.jsonl: 1 entry: the later history extends the earlier one by 1\n", text)
        self.assertNotIn("not known", text)
        result = hp_verify("history", self.first, self.second, "--entries", self.entries("--since", "2"))
        self.assertEqual(result.status, 1)
        self.assertIn(b"entries.jsonl: entries.gap: entry 2\n", result.out)
        self.assertIn(b"    entries.gap: Without it", result.out)
        self.assertIn("--entries", self.assert_good(hp_verify("history", self.first, self.second)).out.decode())

    def test_heads_and_statements_stand_beside_exports(self):
        entries = self.entries()
        statement = self.folder / "statement"
        self.assert_good(hp_verify("statement", "--archive", self.archive, "-o", statement))
        for old, new in ((self.head_of_first, self.second), (self.head_of_first, statement), (self.first, statement)):
            value = self.compared(old, new, "--entries", entries)
            self.assertEqual((value["entries"]["extends_by"], [file["state"] for file in value["files"]]), (1, ["first", "extends"]))
        self.assertEqual([file["state"] for file in self.compared(statement, self.head_of_first)["files"]], ["first", "agrees"])
        self.assertEqual([file["state"] for file in self.compared(statement, "--archive", self.archive)["files"]], ["agrees"])
        self.assert_good(hp_verify("archive", self.archive, "--head", statement, "--only", "history"))
        with open(statement, "rb") as file:
            self.assert_good(hp_verify("history", self.first, "-", "--entries", entries, stdin=file))

    def test_an_invalid_export_shows_nothing(self):
        data = bytearray(self.second.read_bytes())
        data[len(data) // 2] ^= 1
        self.second.write_bytes(data)
        value = self.compared(self.first, self.second, "--entries", self.entries(), status=1)
        self.assertNotIn("entries", value)
        self.assertEqual([file["state"] for file in value["files"]], ["no_entry", "no_entry"])

    def test_mistakes_of_the_call(self):
        entries, broken = self.entries(), self.folder / "broken"
        broken.write_text("healthprobe-history 1\narchive x\n")
        for arguments, words in (([self.first, "--entries", entries], "at least two exports"), ([self.first, self.second, self.first, "--entries", entries], "OLD and NEW"),
                                 ([self.first, self.second, "--entries", entries, "--archive", self.archive], "OLD and NEW"), ([self.first, "-", "--entries", "-"], "standard input"),
                                 ([self.first, self.second, "--entries", self.folder / "none"], "none"), ([broken, self.second], "not a statement"),
                                 ([self.first, self.second, "--entries", entries, "--identity", "ada"], "--allowed-signers")):
            with self.subTest(words):
                self.assert_refused(hp_verify("history", *arguments), words, name="hp-verify")

    @takes_long
    def test_more_lines_than_a_history_may_have(self):
        entry, many = json.loads(self.entries().read_text().splitlines()[0]), self.folder / "many"
        entry.update(last_ids={}, rows={})
        with open(many, "wb") as file:
            for sequence in range(1, 100_002):
                entry.update(sequence=sequence, observation={**entry["observation"], "id": sequence})
                text = canonical(entry)
                file.write(text + b"\n")
                entry["previous"] = plain_hash("history_link", text)
        self.assert_refused(hp_verify("history", self.first, self.second, "--entries", many), "more than 100000 entries", name="hp-verify")


@unittest.skipUnless(shutil.which("ssh-keygen"), "ssh-keygen is not installed")
class Signed(EntriesCase):
    """A head that somebody signed and kept."""

    def setUp(self):
        super().setUp()
        self.months(MONTHS[0])
        self.statement, self.key, self.signers = self.folder / "head.statement", self.folder / "key", self.folder / "signers"
        self.assert_good(hp_verify("statement", "--archive", self.archive, "-o", self.statement))
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.key], check=True, stdin=subprocess.DEVNULL)
        self.allow('namespaces="healthprobe-history"')
        self.sign("healthprobe-history")

    def allow(self, options):
        public = self.key.with_name("key.pub").read_text().split()[:2]
        self.signers.write_text(" ".join(["ada@example.org", options, *public]) + "\n")

    def sign(self, namespace):
        self.folder.joinpath("head.statement.sig").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", self.key, self.statement], check=True, stdin=subprocess.DEVNULL)

    def said(self, entries, new, *options):
        """What both verifiers say of the signature."""
        result = hp_verify("history", self.statement, new, "--entries", entries, "--allowed-signers", self.signers, "--json", *options)
        value = json.loads(result.out)
        python = subprocess.run(["python3", "-B", FIXTURES.parent / "Spec" / "examples" / "verify_history.py", "--entries", entries, self.statement, new,
                                 "--allowed-signers", self.signers, *options], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(__import__("sys").path)})
        other = json.loads(python.stdout)
        self.assertEqual((python.returncode, other["result"]), (result.status, value["result"]))
        codes = [[file.get("signature_code") for file in each["files"]] for each in (value, other)]
        self.assertEqual(codes[0], codes[1])
        self.assertEqual(value.get("entries", {}).get("code"), other.get("entries", {}).get("code"))
        return result.status, codes[0][0], value

    def test_a_signed_head_and_a_later_export(self):
        self.months(MONTHS[1])
        entries, later = self.entries("--since", "1"), self.export("later")
        status, code, value = self.said(entries, later, "--identity", "ada@example.org")
        self.assertEqual((status, code, value["entries"]["extends_by"]), (0, None, 1))
        self.assertEqual((value["files"][0]["signature"]["status"], value["files"][0]["signature"]["principals"]), ("ok", "ada@example.org"))
        self.assertEqual(value["files"][0]["verdict"], "a head, signed by the key that your allowed signers file calls ada@example.org")
        self.assertEqual(self.said(entries, later, "--identity", "bob@example.org")[:2], (1, "signature.identity"))
        self.allow('namespaces="healthprobe-export"')
        self.assertEqual(self.said(entries, later)[:2], (1, "signature.namespace"))
        self.allow("")
        self.assertEqual(self.said(entries, later)[:2], (0, None))
        self.sign("healthprobe-export")
        self.assertEqual(self.said(entries, later)[:2], (1, "signature.namespace"))
        self.sign("healthprobe-history")
        text = self.statement.read_text()
        self.statement.write_text(text.replace("length 1", "length 2"))
        self.assertEqual(self.said(entries, later)[:2], (1, "signature.bad"))
        self.statement.write_text(text)
        self.folder.joinpath("head.statement.sig").unlink()
        self.assertEqual(self.said(entries, later)[:2], (1, "signature.unsigned"))

    def test_a_forger_is_found_by_a_signed_older_head_alone(self):
        """Who rewrites values, hashes, aggregates, entries and the records of exports, so that every check of the archive agrees."""
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "given.zst", "--quiet"))
        self.months(MONTHS[1])
        honest = self.entries("--since", "1"), self.export("honest")
        forged = self.copy("forged.sqlite")
        with database(forged) as connection:
            connection.row_factory = sqlite3.Row
            version, = connection.execute("SELECT id FROM sample_versions WHERE numeric_value > 0 AND created_observation_id = 1 ORDER BY id").fetchone()
            connection.execute("UPDATE sample_versions SET numeric_value = numeric_value + 1 WHERE id = ?", (version,))
        for _ in range(2):
            for finding in json.loads(hp_verify("archive", forged, "--only", "identities", "--json").out)["findings"]:
                execute(forged, "UPDATE %(table)s SET %(column)s = '%(expected)s' WHERE rowid = %(row)d" % finding)
        self.assert_good(hp_export("repair", forged, "--aggregates", "--quiet", "--backup", self.folder / "backup"))
        with database(forged) as connection:
            for statement in ("DELETE FROM context_log WHERE event_kind = 'repaired'", "DELETE FROM export_items", "DELETE FROM export_manifests"):
                connection.execute(statement)
            rechain(connection)
        self.assertEqual(json.loads(hp_verify("archive", forged, "--json").out)["findings"], [])
        later = self.export("later", archive=forged)
        self.assert_good(hp_verify("bundle", later, "--archive", forged))
        for entries in (self.entries(archive=forged, name="all.jsonl"), self.entries("--since", "1", archive=forged, name="since.jsonl")):
            status, code, value = self.said(entries, later)
            self.assertEqual((status, code, value["entries"]), (1, None, {**value["entries"], "code": "entries.forked", "sequence": 1}))
        # The genuine entries do not lead to the forged export, and nobody signs the forged head.
        self.assertEqual(self.said(honest[0], later)[2]["entries"]["code"], "entries.forked")
        self.assertEqual(self.said(*honest)[:2], (0, None))
        self.assertIn("history.forked", hp_verify("archive", forged, "--head", self.statement).out.decode())


Token = collections.namedtuple("Token", "kind observation unique")


class Model:
    """A history as tokens: two histories have one head if and only if their tokens are the same."""

    def __init__(self, root, tokens=()):
        self.root, self.tokens = root, tuple(tokens)

    @staticmethod
    def live(tokens):
        stack = []
        for token in tokens:
            stack.append(token.observation) if token.kind == "came" else stack.remove(token.observation)
        return stack

    def newest(self):
        """How long the history was when its newest live observation came."""
        seen = self.live(self.tokens)[-1]
        return next(place for place, token in enumerate(self.tokens, 1) if token.observation == seen and token.kind == "came")


def expected(old, m, new, n, end, since):
    """What has to be said: `old` is known up to m, `new` up to n, and the entries are those of `new` after `since`, up to `end`."""
    if old.root != new.root:
        return {"code": "entries.another_archive"}
    early, all_of = old.tokens[:m], new.tokens[:end]
    if m < n and (since > m or end < n):
        return {"code": "entries.gap", "sequence": m + 1 if since > m or end <= m else end + 1}
    if m == n and early != new.tokens[:n]:
        return {"code": "entries.forked", "sequence": m}
    # With the entries after m the file has its link as well.
    if since <= m <= end and since < end and early != all_of[:m]:
        return {"code": "entries.forked", "sequence": m}
    later = new.tokens[:n] if m < n else all_of if since <= m < end else early
    gone = sorted(set(Model.live(early)) - set(Model.live(later)))
    if gone:
        return {"code": "entries.withdrawn", "observations": gone}
    return {"code": "entries.rewound"} if n < m else {"extends_by": n - m}


class RandomArchives(EntriesCase):
    """Archives that grow, are copied and captured into twice, rewritten, cut and undone; any two of them, an export or a head of each, and the entries of the later one."""

    def grow(self, node):
        self.count += 1
        moment = datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=self.count)
        path = self.written(feed(observation(1, type_run([sample(self.count), sample(self.count + 1)]), observed_at=moment.isoformat() + "Z")))
        self.assert_good(hp_export("capture", node["archive"], "--secret", self.secret, "--feed", path, "--quiet"))
        number, = query(node["archive"], "SELECT max(id) FROM observations")[0]
        return [*node["model"].tokens, Token("came", number, self.count)]

    def undo(self, node):
        self.count += 1
        self.assert_good(hp_export("undo", node["archive"], "--no-backup", "--quiet"))
        return [*node["model"].tokens, Token("went", Model.live(node["model"].tokens)[-1], self.count)]

    def rewrite(self, node):
        """Entries from one on commit to other rows."""
        self.count += 1
        tokens = list(node["model"].tokens)
        places = [place for place, token in enumerate(tokens, 1) if token.kind == "came" and token.observation in Model.live(tokens)]
        place = self.chance.choice(places)
        with database(node["archive"]) as connection:
            connection.execute("UPDATE observations SET trigger_reason = 'rewritten %d' WHERE id = ?" % self.count, (tokens[place - 1].observation,))
            rechain(connection, place)
        return tokens[:place - 1] + [token._replace(unique=(token.unique, self.count)) for token in tokens[place - 1:]]

    def node(self, archive, tokens, root):
        """An archive, with its export and its entries."""
        model, name = Model(root, tokens), archive.stem
        export = self.export(name, archive=archive)
        result = self.assert_good(hp_export("history", archive))
        self.assertEqual(result.out.count(b"\n"), len(model.tokens))
        head = self.folder / (name + ".head")
        head.write_text("".join(line.rpartition(": ")[2] + "\n" for line in result.err.splitlines()[-3:]))
        return {"archive": archive, "model": model, "ancestors": [], "lines": result.out.splitlines(True), "files": [(export, model.newest()), (head, len(model.tokens))]}

    def step(self, nodes):
        parent = self.chance.choice(nodes[-6:] if self.chance.random() < 0.7 else nodes)
        archive = self.folder / ("n%d.sqlite" % len(nodes))
        shutil.copyfile(parent["archive"], archive)
        shutil.copyfile(self.folder / "secret", self.folder / (archive.name + ".secret"))
        child = {"archive": archive, "model": parent["model"]}
        ways = [self.grow, self.grow, self.rewrite] + [self.undo] * 2 * (len(Model.live(parent["model"].tokens)) > 1)
        way = self.chance.choice(ways)
        self.seen[way.__name__] += 1
        made = self.node(archive, way(child), parent["model"].root)
        made["ancestors"] = [*parent["ancestors"], parent]
        return made

    def told(self, old, new, entries):
        """What both verifiers say; they agree."""
        result = hp_verify("history", old, new, "--entries", entries, "--json")
        self.assertIn(b'"entries":', result.out, result)
        ours = json.loads(result.out)["entries"]
        theirs = compare(carried(old), carried(new), lines_of(entries.read_bytes()))
        ours.pop("file")
        self.assertEqual(ours, theirs)
        ours.pop("count")
        self.assertEqual(result.status, 1 if "code" in ours else 0)
        return ours

    def look(self, nodes):
        chance = self.chance
        old, new = chance.choice(nodes), chance.choice(nodes)
        if chance.random() < 0.6:
            old = chance.choice([*new["ancestors"], new])
        if chance.random() < 0.15:
            old, new = new, old
        (old_file, m), (new_file, n) = chance.choice(old["files"]), chance.choice(new["files"])
        length = len(new["lines"])
        since = min(length, chance.choice([0, m, m, m, chance.randint(0, length)]))
        end = length if chance.random() < 0.8 else chance.randint(since, length)
        path = self.folder / "some.jsonl"
        path.write_bytes(b"".join(new["lines"][since:end]))
        said = self.told(old_file, new_file, path)
        self.assertEqual(said, expected(old["model"], m, new["model"], n, end, since), (old_file, new_file, since, end))
        self.seen[said.get("code", "extends")] += 1

    def follow(self, seed, count):
        self.chance, self.count, self.seen = random.Random("entries %s" % seed), 0, collections.Counter()
        nodes = []
        for root in range(2):
            archive = self.folder / ("root%d.sqlite" % root)
            shutil.copyfile(self.folder / "secret", self.folder / (archive.name + ".secret"))
            tokens = self.grow({"archive": archive, "model": Model(root)})
            nodes.append(self.node(archive, tokens, root))
        while len(nodes) < count:
            nodes.append(self.step(nodes))
            for _ in range(2):
                self.look(nodes)
        for _ in range(count):
            self.look(nodes)
        print("entries: seed %s, %d archives: %s" % (seed, len(nodes), dict(sorted(self.seen.items()))), flush=True)
        for code in ("extends", "entries.forked", "entries.gap", "entries.rewound", "entries.withdrawn", "entries.another_archive"):
            self.assertGreater(self.seen[code], 0, code)

    def test_some_archives(self):
        self.follow(os.environ.get("HP_SEED", "1"), 30)

    @takes_long
    def test_many_archives(self):
        self.follow(os.environ.get("HP_SEED", "2"), int(os.environ.get("HP_HISTORIES", "2000")))


def carried(path):
    data = path.read_bytes()
    head = kept(data)
    if head is None:
        _, export = verify_export(io.BytesIO(data))
        entry = export["history"]
        head = Carried(entry["archive"], entry["sequence"], entry["link"], export["observation"])
    return head
