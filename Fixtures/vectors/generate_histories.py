"""Vectors of entries in a file: Spec/vectors/histories.json. Entries are made up, and their links follow from Spec/history.md."""

import hashlib
import json

import generate

ARCHIVE, OTHER = generate.made_up("the archive"), generate.made_up("another archive")


def link_of(text):
    return hashlib.sha256(b"hp:v2:history_link:" + text).hexdigest()


def entry(sequence, observation, kind="observation", previous=None, archive=ARCHIVE, last=None, note=""):
    """An entry, and its link."""
    last = 10 * observation if last is None else last
    value = {"archive": archive, "entry_version": 2, "kind": kind, "last_ids": {"context_log": sequence, "samples": last}, "made_at": "2026-01-%02dT00:00:00.000Z" % sequence,
             "observation": {"hash": generate.made_up("observation %d%s" % (observation, note)), "id": observation, "lists_types": False, "states_facts": True},
             "rows": {"samples": {"count": 10, "hash": generate.made_up("rows %d" % observation)}}, "sequence": sequence, "tool_version": "hp-export 1.0"}
    if kind == "withdrawn":
        value.update(last_ids={"context_log": sequence}, rows={}, observation={"hash": generate.made_up("gone %d" % observation), "id": observation})
    if previous is not None:
        value["previous"] = previous
    text = generate.canonical(value).encode()
    return text, link_of(text)


def chain(*steps, previous=None, first=1, **members):
    """Entries one after the other: N for an observation, -N for its withdrawal, or a pair with members."""
    made = []
    for sequence, step in enumerate(steps, first):
        number, more = step if isinstance(step, tuple) else (step, {})
        made.append(entry(sequence, abs(number), **{"kind": "withdrawn" if number < 0 else "observation", "previous": previous, **members, **more}))
        previous = made[-1][1]
    return made


def head(length, link, archive=ARCHIVE):
    return "healthprobe-history 1\narchive %s\nlength %d\nlink %s\n" % (archive, length, link)


def export(length, link, observation, archive=ARCHIVE):
    """A bundle without items, as lines, that carries an entry."""
    made = generate.header(history={"archive": archive, "link": link, "sequence": length})
    made["scope"] = {**made["scope"], "observation_id": observation}
    made["observations"] = [{**each, "id": observation} for each in made["observations"]]
    return b"".join(line + b"\n" for line in generate.lines(made, [])).decode()


def joined(entries):
    return b"".join(text + b"\n" for text, _ in entries).decode()


class Maker:
    def __init__(self):
        self.vectors = []

    def add(self, name, what, old, new, entries, code=None, **place):
        expected = {"code": "entries." + code} if code else {}
        text = entries if isinstance(entries, str) else joined(entries)
        self.vectors.append({"name": name, "what": what, "old": old, "new": new, "entries": text, **expected, **place})

    def good(self):
        made = chain(1, 2, 3, 4)
        one, two, four = head(1, made[0][1]), head(2, made[1][1]), head(4, made[3][1])
        self.add("extends", "the entries between", two, four, made[2:], extends_by=2)
        self.add("extends-all", "all entries", two, four, made, extends_by=2)
        self.add("extends-later", "entries after the later head", one, two, made[1:], extends_by=1)
        self.add("same", "the same head, and no entries", two, two, [], extends_by=0)
        self.add("kept-head", "a head without the line of a statement", two.partition("\n")[2], four, made[2:], extends_by=2)
        undone = chain(1, 2, 3, -3, 4)
        self.add("undone-between", "an observation that came and was withdrawn between", head(2, undone[1][1]), head(5, undone[4][1]), undone[2:], extends_by=3)
        sealed = chain((1, {"kind": "sealed"}), (2, {"kind": "sealed"}), 5)
        self.add("sealed", "entries that were made later", head(1, sealed[0][1]), head(3, sealed[2][1]), sealed[1:], extends_by=2)
        self.add("exports", "two exports", export(2, made[1][1], 2), export(4, made[3][1], 4), made[2:], extends_by=2)
        self.add("exports-all", "two exports, and all entries", export(2, made[1][1], 2), export(4, made[3][1], 4), made, extends_by=2)

    def bad(self):
        made = chain(1, 2, 3, 4)
        one, two, three, four = (head(number, link) for number, (_, link) in enumerate(made, 1))
        away = chain(1, 2, 3, 4, archive=OTHER)
        self.add("another-archive", "two archives", two, head(4, away[3][1], OTHER), away, "another_archive")
        self.add("another-archive-entries", "entries of another archive", two, four, away, "another_archive", line=1)
        changed = joined(made[2:]).replace('"count":10', '"count":9.5', 1)
        self.add("entry-changed", "a count that is not an integer", two, four, changed, "unreadable", line=1)
        for name, what, text in (("blank", "an empty line", "\n"), ("space", "a space before an entry", " " + joined(made[2:])), ("no-end", "a last line without its end", joined(made[2:])[:-1]),
                                 ("carriage", "CR LF", joined(made[2:]).replace("\n", "\r\n")), ("not-json", "a line that is not JSON", "{\n"),
                                 ("long", "a line of more than 65,536 bytes", joined(chain((3, {"note": ""}), previous=made[1][1], first=3)).replace("hp-export 1.0", "x" * 65536))):
            line = 2 if name == "no-end" else 1
            self.add("entry-" + name, what, two, four, text, "unreadable", line=line)
        self.add("gap-middle", "an entry is missing between two", one, four, [made[1], made[3]], "gap", line=2)
        self.add("gap-twice", "an entry stands twice", two, four, [made[2], made[2], made[3]], "gap", line=2)
        self.add("gap-first", "the first entry after the earlier head is missing", two, four, made[3:], "gap", sequence=3)
        self.add("gap-last", "the last entry is missing", two, four, made[2:3], "gap", sequence=4)
        self.add("gap-all", "there are no entries", two, four, [], "gap", sequence=3)
        self.add("gap-before", "all entries are of before", three, four, made[:2], "gap", sequence=4)
        other = chain(1, (2, {"note": "rewritten"}), 3, 4)
        self.add("previous-other", "entries of two histories", one, four, [other[1], *made[2:]], "previous", line=2)
        self.add("previous-first", "a first entry that names one before it", one, four, [entry(1, 1, previous=made[0][1]), *made[1:]], "previous", line=1)
        self.add("previous-absent", "an entry in the middle that names none", one, four, [entry(2, 2), *made[2:]], "previous", line=1)
        self.add("previous-removed", "an entry in the middle of the lines that names none", one, four, [made[1], entry(3, 3), made[3]], "previous", line=2)
        self.add("forked-old", "a history that was rewritten before the earlier head", two, head(4, other[3][1]), other[2:], "forked", sequence=2)
        self.add("forked-old-all", "the same, with all entries", two, head(4, other[3][1]), other, "forked", sequence=2)
        self.add("forked-new", "the later head is of another history", two, head(4, other[3][1]), made[2:], "forked", sequence=4)
        more = chain(1, (2, {"note": "rewritten"}), -2, 3)
        self.add("forked-export", "a history that was rewritten before the earlier export, and withdrew less", export(3, made[2][1], 3), head(4, more[3][1]), more[3:], "forked", sequence=3)
        self.add("forked-same", "two heads of one length", two, head(2, other[1][1]), [], "forked", sequence=2)
        self.add("forked-rewound", "an earlier entry of another history", three, head(2, other[1][1]), made, "forked", sequence=2)
        self.add("observation-other", "an export that carries the entry of another observation", two, export(4, made[3][1], 5), made[2:], "observation", sequence=4)
        self.add("observation-old", "the earlier export does", export(2, made[1][1], 1), four, made, "observation", sequence=2)
        late = chain(1, 2, (3, {"kind": "sealed"}))
        self.add("observation-sealed", "an export that carries an entry of kind sealed", head(2, late[1][1]), export(3, late[2][1], 3), late[2:], "observation", sequence=3)
        self.add("rewound", "the later head is of an older history", four, two, made[2:], "rewound")
        self.add("rewound-empty", "the same, without entries", four, two, [], "rewound")

    def states(self):
        def add(name, what, steps, line, members=None, old=None):
            made = chain(*steps)
            self.add(name, what, old or head(1, made[0][1]), head(len(made), made[-1][1]), made[1:], "state", line=line)
            self.add(name + "-all", what + ", with all entries", head(1, made[0][1]), head(len(made), made[-1][1]), made, "state", line=line + 1)

        add("state-named-again", "an observation that is named again", (3, 4, 4), 2)
        add("state-named-before", "an observation below those named before", (3, 5, 4), 2)
        add("state-not-newest", "a withdrawal of one that is not the newest", (3, 4, 5, -4), 3)
        add("state-returns", "an observation that was withdrawn is named again", (3, 4, -4, 4), 3)
        add("state-ids", "smaller ids than the entry before states", (3, (4, {"last": 90}), (5, {"last": 80})), 2)
        made = chain(3, -3, -4)
        self.add("state-not-below", "a withdrawal of one above those that were withdrawn", head(1, made[0][1]), head(3, made[2][1]), made[1:], "state", line=2)
        made = chain(3, 4, -4, -5)
        self.add("state-not-there", "a withdrawal of one above those that entries named", head(1, made[0][1]), head(4, made[3][1]), made[1:], "state", line=3)
        made = chain(3, 3)
        self.add("state-after-export", "the observation of the earlier export is named again", export(1, made[0][1], 3), head(2, made[1][1]), made[1:], "state", line=1)
        made = chain(2, 3, -2)
        self.add("state-not-newest-export", "a withdrawal of one below that of the earlier export", export(2, made[1][1], 3), head(3, made[2][1]), made[2:], "state", line=1)

    def withdrawals(self):
        made = chain(1, 2, -2, 3)
        two, four = head(2, made[1][1]), head(4, made[3][1])
        self.add("withdrawn", "an observation that was withdrawn between", two, four, made[2:], "withdrawn", observations=[2])
        self.add("withdrawn-all", "the same, with all entries", two, four, made, "withdrawn", observations=[2])
        self.add("withdrawn-export", "the observation of the earlier export", export(2, made[1][1], 2), export(4, made[3][1], 3), made[2:], "withdrawn", observations=[2])
        deep = chain(1, 2, 3, -3, -2, 4)
        self.add("withdrawn-two", "two of them", head(3, deep[2][1]), head(6, deep[5][1]), deep[3:], "withdrawn", observations=[2, 3])
        self.add("withdrawn-before", "entries from before the earlier head on", head(3, deep[2][1]), head(6, deep[5][1]), deep[1:], "withdrawn", observations=[2, 3])
        self.add("withdrawn-after", "a withdrawal after the later head", head(2, deep[1][1]), head(3, deep[2][1]), deep[2:], extends_by=1)
        self.add("withdrawn-rewound", "the later export is of what was left", export(2, made[1][1], 2), export(1, made[0][1], 1), made[:3], "withdrawn", observations=[2])
        self.add("withdrawn-same", "the same entry, and its withdrawal after it", two, two, made[2:3], "withdrawn", observations=[2])
        self.add("withdrawn-elsewhere", "withdrawals before an earlier head, of which the entries end before it", head(6, deep[5][1]), head(1, deep[0][1]), deep[1:5], "rewound")


def write(made):
    maker = Maker()
    for part in (maker.good, maker.bad, maker.states, maker.withdrawals):
        part()
    (made.path / "histories.json").write_text(json.dumps({"vectors": maker.vectors}, indent=1) + "\n", encoding="utf-8")
