#!/usr/bin/env python3
"""Checks the history of an archive, and compares it with a head that was kept.

usage: verify_history.py ARCHIVE [HEAD]
       verify_history.py --statement ARCHIVE

With --statement it prints what a signature of the history covers (Spec/signatures.md).

Exit status: 0 nothing contradicts the history (and its entries extend the head), 1 at least one finding,
2 the archive or the head could not be read.

Written from Spec/history.md alone; it needs Python 3.9. An archive that a program writes at the moment is to be
copied first.
"""

import pathlib
import sqlite3
import sys

from verifier.history import History, head_of


def main(arguments):
    is_statement = arguments[:1] == ["--statement"]
    arguments = arguments[is_statement:]
    if len(arguments) not in (1, 2 - is_statement):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        head = head_of(pathlib.Path(arguments[1]).read_text("ascii")) if len(arguments) == 2 else None
        if len(arguments) == 2 and head is None:
            raise ValueError("%s: not a head" % arguments[1])
        connection = sqlite3.connect(pathlib.Path(arguments[0]).resolve().as_uri() + "?mode=ro", uri=True)
        history = History(connection)
    except (OSError, ValueError, sqlite3.Error) as error:
        print("verify_history: error: %s" % error, file=sys.stderr)
        return 2
    for code, place in history.findings:
        print("%s: %s" % (code, place), file=sys.stderr if is_statement else sys.stdout)
    if is_statement:
        if history.findings or not history.entries:
            print("verify_history: error: %s: no statement" % arguments[0], file=sys.stderr)
            return 1
        print(history.statement(), end="")
        return 0
    answer, gone = history.answer(head) if head else ("no head was given", [])
    # Exports read through indexes, references and ranges, which hp-verify archive checks beside the history.
    words = {"extends": "the entries extend the head, and the rows fit them; nothing else of the archive was checked"}
    print(words.get(answer, answer) + (": " + ", ".join(map(str, gone)) if gone else ""))
    return 1 if history.findings or head and answer != "extends" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
