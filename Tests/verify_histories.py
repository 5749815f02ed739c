#!/usr/bin/env python3
"""Runs both verifiers over Spec/vectors/histories.json: each vector gives exactly its code and its place.

The last line is `N passed, N failed`.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Tests")]
sys.dont_write_bytecode = True

import schemas  # noqa: E402
import vectors  # noqa: E402

MEMBERS = ("code", "line", "sequence", "observations", "extends_by")
STATES = {"another_archive": "another_archive", "forked": "forked", "withdrawn": "withdrawn", "rewound": "rewound"}
passed = failed = 0


def check(holds, text):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("FAIL " + text)


def said_of(vector, command, folder):
    """What a verifier says of a vector: its status and its object."""
    names = []
    for name in ("old", "new", "entries"):
        path = folder / (name + ".jsonl")
        path.write_bytes(vector[name].encode())
        names.append(path)
    old, new, entries = names
    result = subprocess.run([*command, "--entries", entries, old, new], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    return result, json.loads(result.stdout) if result.stdout else {}


def main():
    tools = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release"))
    commands = {"Python": [sys.executable, "-B", ROOT / "Spec" / "examples" / "verify_history.py"], "hp-verify": [tools / "hp-verify", "history", "--json"]}
    validator = schemas.validator("history-result")
    names = [vector["name"] for vector in vectors.HISTORIES]
    check(len(set(names)) == len(names), "two vectors have one name")
    with tempfile.TemporaryDirectory(prefix="hp-histories.") as folder:
        for vector in vectors.HISTORIES:
            expected = {member: vector[member] for member in MEMBERS if member in vector}
            for name, command in commands.items():
                result, value = said_of(vector, command, pathlib.Path(folder))
                name = "%s: %s" % (name, vector["name"])
                check(result.returncode == ("code" in vector), "%s: status %d %s" % (name, result.returncode, result.stderr))
                entries = value.get("entries", {})
                check({member: entries[member] for member in MEMBERS if member in entries} == expected, "%s: %s" % (name, entries))
                check(value.get("result") == ("findings" if "code" in vector else "ok"), "%s: %s" % (name, value))
                if command is commands["hp-verify"]:
                    validator.validate(value)
                    state = STATES.get(vector.get("code", "").partition(".")[2], "unproven") if "code" in vector else "extends"
                    check([file["state"] for file in value["files"]] == ["first", state], "%s: %s" % (name, value["files"]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
