"""Entries in a file: Spec/history.md, "Entries in a file".

    line ──► form ──► archive ──► sequence ──► link before ──► may it follow? ──► both heads, withdrawals
"""

import json

from .history import TABLES, Entry, Text, head_of

LINE_LIMIT, COUNT_LIMIT = 65536, 100_000
FIRST_LINE = "healthprobe-history 1"


class TooMany(Exception):
    """A file has more entries than are checked."""


class Carried:
    """A head, and the observation of the export that carries it."""

    def __init__(self, archive, length, link, observation=None):
        self.archive, self.length, self.link, self.observation = archive, length, link, observation


def kept(data):
    """The head of a statement or of a head that was kept, or None for any other file."""
    try:
        text = data.decode("ascii")
    except ValueError:
        return None
    if len(text) > 4096:
        return None
    lines = [line for line in text.split("\n") if line.split()]
    if lines and lines[0].split() == FIRST_LINE.split():
        lines = lines[1:]
    head = head_of("\n".join(lines))
    return Carried(head["archive"], head["length"], head["link"]) if head else None


def statement_of(carried):
    return "%s\narchive %s\nlength %d\nlink %s\n" % (FIRST_LINE, carried.archive, carried.length, carried.link)


def lines_of(data):
    """The lines of a file; None for a last one without its end."""
    lines = data.split(b"\n")
    return lines[:-1] + [None] * bool(lines[-1])


def entry_of(line):
    """The entry of a line, or None."""
    if line is None or len(line) > LINE_LIMIT:
        return None
    try:
        value = json.loads(line)
        entry = Entry(value["sequence"], value["observation"]["id"], Text(line), "")
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return entry if entry.value else None


class Live:
    """Which observations are live, from the lines so far."""

    def __init__(self):
        self.entries, self.before = [], []  # live ones; what was withdrawn of those before the first line
        self.greatest = self.context = None
        self.knows_all, self.newest_before, self.bound = True, None, None

    def begin_late(self, newest):
        """Begins behind the first entry; `newest` is the newest live observation there, if it is known."""
        self.knows_all, self.newest_before, self.greatest = False, newest, newest

    def follow(self, entry):
        """Whether an entry may follow; then it is taken."""
        context = entry.last("context_log")
        if self.context is not None and context < self.context:
            return False
        number = entry.observation
        if entry.kind == "withdrawn":
            if not self.may_withdraw(number):
                return False
            if self.entries:
                self.entries.pop()
            else:
                self.before.append(number)
                self.newest_before, self.bound = None, number
                self.greatest = number if self.greatest is None else max(self.greatest, number)
        else:
            if self.greatest is not None and number <= self.greatest:
                return False
            if self.entries and any(entry.last(table) < self.entries[-1].last(table) for table in TABLES[1:]):
                return False
            self.entries.append(entry)
            self.bound = number if self.bound is None else self.bound
            self.greatest = number
        self.context = context
        return True

    def may_withdraw(self, number):
        if self.entries:
            return self.entries[-1].observation == number
        if self.knows_all:
            return False
        if self.newest_before is not None:
            return number == self.newest_before
        return self.bound is None or number < self.bound

    def state(self):
        return [entry.observation for entry in self.entries], len(self.before)


def compare(old, new, lines):
    """What the lines of a file show of two heads: an object with a code and its place, or with `extends_by`."""
    result = {"count": 0}
    if old.archive != new.archive:
        return {**result, "code": "entries.another_archive"}
    entries, states, live = [], [], Live()
    for number, line in enumerate(lines, 1):
        code, entry = fault_of(line, old, entries, live)
        if code:
            return {"count": len(entries), "code": code, "line": number}
        entries.append(entry)
        states.append(live.state())
        if len(entries) > COUNT_LIMIT:
            raise TooMany
    result["count"] = len(entries)
    return {**result, **answer(old, new, entries, states, live)}


def fault_of(line, old, entries, live):
    entry = entry_of(line)
    if entry is None:
        return "entries.unreadable", None
    if entry.value["archive"] != old.archive:
        return "entries.another_archive", None
    previous = entry.value.get("previous")
    if entries:
        if entry.sequence != entries[-1].sequence + 1:
            return "entries.gap", None
        if previous != entries[-1].digest:
            return "entries.previous", None
    else:
        if (entry.sequence == 1) != (previous is None):
            return "entries.previous", None
        if entry.sequence > 1:
            live.begin_late(old.observation if entry.sequence == old.length + 1 and previous == old.link else None)
    return (None, entry) if live.follow(entry) else ("entries.state", None)


def answer(old, new, entries, states, live):
    m, n = old.length, new.length
    there = {entry.sequence: place for place, entry in enumerate(entries)}
    missing = next((number for number in (m + 1, entries[-1].sequence + 1 if entries else 0) if m < number <= n and number not in there), None)
    if missing is not None:
        return {"code": "entries.gap", "sequence": missing}
    if m == n and old.link != new.link:
        return {"code": "entries.forked", "sequence": m}
    for number in sorted({m, n}):
        for head in (old, new):
            if head.length != number:
                continue
            if number + 1 in there and there[number + 1] == 0 and entries[0].value["previous"] != head.link:
                return {"code": "entries.forked", "sequence": number}
            if number in there and entries[there[number]].digest != head.link:
                return {"code": "entries.forked", "sequence": number}
            if number in there and head.observation is not None and (entries[there[number]].kind, entries[there[number]].observation) != ("observation", head.observation):
                return {"code": "entries.observation", "sequence": number}
    gone = withdrawn(m, n, entries, states, live, there)
    if gone:
        return {"code": "entries.withdrawn", "observations": gone}
    return {"extends_by": n - m} if n >= m else {"code": "entries.rewound"}


def withdrawn(m, n, entries, states, live, there):
    """Observations that were live at entry m and are not at entry n, or at the last where n is not greater."""
    if m + 1 not in there:
        return []
    stack, below = states[there[m]] if m in there else ([], 0)
    later, below_later = states[there[n]] if n > m else states[-1]
    return sorted([number for number in stack if number not in later] + live.before[below:below_later])
