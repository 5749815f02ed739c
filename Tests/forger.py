"""What a forger does to an archive who has Spec/history.md: entries as the rows are now, with the right commitments and links."""

import contextlib
import json

from verifier.canonical import canonical
from verifier.history import SAFE, TABLES, Commitments, Text, identity_of, plain_hash, salt_of


@contextlib.contextmanager
def bytes_of(connection):
    """Texts as their bytes, while entries are computed."""
    before, connection.text_factory = connection.text_factory, Text
    try:
        yield connection
    finally:
        connection.text_factory = before


def entries_of(connection):
    return [json.loads(text) for text, in connection.execute("SELECT entry_json FROM history_links ORDER BY sequence")]


def live_of(entries):
    """The stack of the entries, however they came there."""
    live = []
    for entry in entries:
        if entry["kind"] != "withdrawn":
            live.append(entry)
        elif entry["observation"]["id"] in [other["observation"]["id"] for other in live]:
            live = [other for other in live if other["observation"]["id"] != entry["observation"]["id"]]
    return live


def last(entry, table):
    return entry["last_ids"].get(table, -SAFE - 1)


def rechain(connection, first=1):
    """Makes the entries from one on anew: every commitment as the rows are now, every link, and the identity if the first one changes."""
    entries = entries_of(connection)
    with bytes_of(connection):
        commit(connection, entries, first)
    write(connection, entries, first)


def commit(connection, entries, first):
    commitments, live = Commitments(connection, salt_of(connection)), live_of(entries)
    for table in TABLES:
        claimants = entries if table == "context_log" else live
        found = commitments.rows(table, [(entry["observation"]["id"], last(entry, table)) for entry in claimants])
        for entry, rows in zip(claimants, found):
            if entry["sequence"] >= first:
                entry["rows"].pop(table, None)
                if rows not in (None, "beyond"):
                    entry["rows"][table] = rows
    below = -SAFE - 1
    for entry in entries:
        about = entry["observation"]
        if entry["sequence"] >= first and entry["kind"] == "withdrawn":
            about["hash"] = commitments.withdrawal(about["id"])
    for entry in live:
        about = entry["observation"]
        if entry["sequence"] >= first:
            about["hash"] = commitments.observation(about["id"], about, below, last(entry, "sample_types"))
        below = last(entry, "sample_types")
    if first == 1 and entries:
        for entry in entries:
            entry["archive"] = identity_of(salt_of(connection), entries[0]["made_at"])


def write(connection, entries, first=1):
    """Writes entries from one on, with their sequences and links."""
    connection.execute("DELETE FROM history_links WHERE sequence >= ?", (first,))
    link = connection.execute("SELECT link FROM history_links WHERE sequence = ?", (first - 1,)).fetchone()
    link = link and link[0]
    for sequence, entry in enumerate(entries[first - 1:], first):
        entry.pop("previous", None)
        entry["sequence"] = sequence
        if link:
            entry["previous"] = link
        text = canonical(entry)
        link = plain_hash("history_link", text)
        connection.execute("INSERT INTO history_links VALUES (?, ?, ?, ?)", (sequence, entry["observation"]["id"], text.decode(), link))
