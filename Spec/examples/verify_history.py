#!/usr/bin/env python3
"""Checks the history of an archive, and compares it with a head that was kept; or a later history with an earlier one.

usage: verify_history.py ARCHIVE [HEAD]
       verify_history.py --statement ARCHIVE
       verify_history.py --entries FILE OLD NEW [--allowed-signers A [--identity NAME]]

With --statement it prints what a signature of the history covers (Spec/signatures.md). With --entries it needs no
archive: OLD and NEW are exports, heads or statements, and the entries show whether the history of NEW extends that of
OLD. It prints one JSON object. --allowed-signers asks who signed each head and statement: FILE.sig.

Exit status: 0 nothing contradicts the history (and its entries extend the head), 1 at least one finding,
2 the archive, the head or another file could not be read.

Written from Spec/history.md alone; it needs Python 3.9, and `zstandard` for exports. An archive that a program writes
at the moment is to be copied first.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import sys

from verifier import signatures
from verifier.entries import Carried, TooMany, compare, kept, lines_of, statement_of
from verifier.history import History


def main(arguments):
    if arguments[:1] == ["--entries"]:
        return main_of_entries(arguments)
    is_statement = arguments[:1] == ["--statement"]
    arguments = arguments[is_statement:]
    if len(arguments) not in (1, 2 - is_statement):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        head = kept(pathlib.Path(arguments[1]).read_bytes()) if len(arguments) == 2 else None
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
    answer, gone = history.answer(vars(head)) if head else ("no head was given", [])
    # Exports read through indexes, references and ranges, which hp-verify archive checks beside the history.
    words = {"extends": "the entries extend the head, and the rows fit them; nothing else of the archive was checked"}
    print(words.get(answer, answer) + (": " + ", ".join(map(str, gone)) if gone else ""))
    return 1 if history.findings or head and answer != "extends" else 0


def main_of_entries(arguments):
    parser = argparse.ArgumentParser(prog="verify_history")
    parser.add_argument("--entries", required=True)
    parser.add_argument("--allowed-signers")
    parser.add_argument("--identity")
    parser.add_argument("files", nargs=2)
    options = parser.parse_args(arguments)
    try:
        files = [read(path, options) for path in options.files]
        lines = lines_of(pathlib.Path(options.entries).read_bytes())
        result = {"files": [shown for shown, _ in files], "result": "findings"}
        if all(carried and shown["result"] == "ok" for shown, carried in files):
            result["entries"] = compare(*(carried for _, carried in files), lines)
            result["result"] = "findings" if "code" in result["entries"] else "ok"
    except TooMany:
        print("verify_history: error: %s: too many entries" % options.entries, file=sys.stderr)
        return 2
    except (OSError, ValueError, signatures.Unreadable) as error:
        print("verify_history: error: %s" % error, file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0 if result["result"] == "ok" else 1


def read(path, options):
    """What is said of a file, and what it carries, or None."""
    data = pathlib.Path(path).read_bytes()
    head = kept(data)
    if head is None and data.startswith(b"healthprobe-history"):
        raise ValueError("%s: not a statement of a history" % path)
    if head is None:
        from verifier.command import verify_export_path
        result, export = verify_export_path(path)
        entry = export and export["history"]
        carried = Carried(entry["archive"], entry["sequence"], entry["link"], export["observation"]) if entry else None
        return {"file": path, "result": result["result"]}, carried
    shown = {"file": path, "result": "ok"}
    if options.allowed_signers:
        code = signer_of(path + ".sig", statement_of(head), options)
        shown.update({"result": "findings", "signature_code": code} if code else {})
    return shown, head


def signer_of(path, text, options):
    if not os.path.lexists(path):
        return "signature.unsigned"
    identity = None if options.identity is None else os.fsencode(options.identity)
    signers = pathlib.Path(options.allowed_signers).read_bytes()
    return signatures.check(pathlib.Path(path).read_bytes(), text, signers, identity, namespace=signatures.OF_HISTORIES)[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
