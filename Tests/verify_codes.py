#!/usr/bin/env python3
"""Spec/codes.json agrees with what is made from it, with the vectors, and with both verifiers.

The last line is `N passed, N failed`.
"""

import ast
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]

import schemas  # noqa: E402
import vectors  # noqa: E402

TABLE = json.loads((ROOT / "Spec" / "codes.json").read_text(encoding="utf-8"))
CODES = {entry["code"]: entry for entry in TABLE["codes"]}
# Codes that a file by itself can raise. What needs an archive has its cases in Tests/cli.
OF_FILES = {code: entry for code, entry in CODES.items() if entry.get("layer", "archive") != "archive"}
# The first stands behind thousands of damaged lines, which have codes of their own; what SQLite cannot read, it also
# calls malformed.
NOT_ALONE = {"line.damaged_limit", "sqlite.unreadable"}
# Something has to happen while the archive is read.
# The second needs an archive that was written anew since its export; Tests/cli/test_history.py makes some.
OF_NO_FILE = {"archive.changed", "archive.history"}
PLACES = ("line", "frame", "byte", "pointer")

passed = failed = 0


def check(holds, text):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("FAIL " + text)


def check_made():
    """What is made from the tables of Spec is what the script makes."""
    result = subprocess.run([ROOT / "Scripts" / "write-format", "--check"], stdout=subprocess.PIPE, text=True)
    check(result.returncode == 0, "Scripts/write-format --check: " + result.stdout)
    listed = schemas.TEXTS["salvage-header"]["$defs"]["entry"]["properties"]["code"]["enum"]
    check(listed == list(OF_FILES), "salvage-header.json has other codes")


def check_table():
    """Codes are there once and in the order of their layers; what they name exists."""
    check(len(CODES) == len(TABLE["codes"]), "a code is there twice")
    groups = list(dict.fromkeys(code.partition(".")[0] for code in CODES))
    check(groups[:len(vectors.LAYERS)] == list(vectors.LAYERS), "layers are not in their order")
    seen = []
    for code, entry in CODES.items():
        group = code.partition(".")[0]
        seen += [group] if not seen or seen[-1] != group else []
        check(entry.get("layer", entry.get("check", entry.get("about"))) == group, "%s belongs elsewhere" % code)
        for other in entry.get("suppressed_by", []):
            check(other in CODES, "%s is suppressed by %s, which is no code" % (code, other))
        check_vector(code, entry.get("vector"))
        known = vectors.NAMED.get(entry.get("vector"))
        check(known is None or known.codes == {code} or code in known.codes and code in NOT_ALONE, "%s: its vector raises other codes too" % code)
    check(len(seen) == len(set(seen)), "codes of one layer or check stand apart")


def check_vector(code, name):
    """Each code names a vector: a file, or an archive that raises it, alone or beside a code of another check."""
    if code in OF_FILES:
        return check(name in vectors.NAMED, "%s: its vector is %s" % (code, name))
    if CODES[code].get("about") == "timestamp":
        # Its certificates are made when a test runs: Tests/cli/test_time_stamps.py.
        return check(name is None, "%s: its vector is %s" % (code, name))
    if "about" in CODES[code]:
        named = {vector["name"]: vector.get("code") for vector in {"signature": vectors.SIGNATURES["vectors"], "entries": vectors.HISTORIES}[CODES[code]["about"]]}
        return check(named.get(name) == code and code in literals_of_python(), "%s: its vector is %s" % (code, name))
    if code in OF_NO_FILE:
        return check(name is None, "%s: no file can raise it" % code)
    known = vectors.ARCHIVES_NAMED.get(name)
    check(known is not None and code in known.all_codes, "%s: its vector is %s" % (code, name))
    group = code.partition(".")[0]
    check(known is None or code in NOT_ALONE or {other for other in known.all_codes if other.partition(".")[0] == group} == {code},
          "%s: its vector raises other codes of its check" % code)
    return None


def check_codes_of_vectors():
    """Vectors raise known codes, and each code is raised alone by one."""
    raised = set().union(*(vector.codes for vector in vectors.ALL))
    alone = {code for vector in vectors.ALL if len(vector.codes) == 1 for code in vector.codes}
    for code in OF_FILES:
        check(code in alone or code in NOT_ALONE, "no vector raises %s alone" % code)
    for code in sorted(raised - set(OF_FILES)):
        check(False, "a vector expects %s, which is no code of files" % code)


def has_lost_lines(vector):
    """Whether some lines have no number because something before them was lost."""
    lost = ("frame", "rest")
    return any(CODES[code]["damages"] in lost for code in vector.codes if code in CODES)


def check_places():
    """Each place that occurs is stated, and each that is stated occurs: always, or sometimes and sometimes not."""
    found = {code: [] for code in CODES}
    for vector in vectors.ALL:
        for finding in vector.findings:
            has = {place for place in PLACES if place in finding}
            stated = {place["place"] for place in CODES[finding["code"]]["places"]}
            if "line" in stated:
                # A line brings its frame, and a lost one leaves it without a number.
                check(("frame" in has) == (vector.container == "bundle" and ("line" in has or has_lost_lines(vector))),
                      "%s: %s with frame %s" % (vector.name, finding["code"], finding.get("frame")))
                has -= {"frame"}
                has |= {"line"} if has_lost_lines(vector) else set()
            found[finding["code"]].append((vector.name, has))
    for code, entry in OF_FILES.items():
        stated = {place["place"]: "where" not in place for place in entry["places"]}
        for name, has in found[code]:
            check(has <= set(stated), "%s has %s in %s" % (code, sorted(has - set(stated)), name))
            check({place for place, always in stated.items() if always} <= has, "%s lacks a place in %s" % (code, name))
        for place, always in stated.items():
            having = {place in has for _, has in found[code]}
            check(having == ({True} if always else {True, False}), "%s has %s in vectors: %s" % (code, place, having))


def layers_behind(code):
    """The layers that a code makes unknown, of those that do not need an archive."""
    layer = code.partition(".")[0]
    layers = vectors.LAYERS[:-1]
    behind = {"nothing": [], "manifest": ["manifest"], "all": [other for other in layers if other != layer]}
    return set(behind.get(CODES[code]["damages"], layers[layers.index(layer) + 1:]))


def is_view(vector):
    return vector.name.startswith("people-")


def check_damages():
    """What a code alone makes unknown is what its `damages` says."""
    seen = {}
    for vector in vectors.ALL:
        unknown = {layer for layer, status in vector.layers.items() if status == "unknown"} - {"archive"}
        if len(vector.codes) == 1:
            (code,) = vector.codes
            seen.setdefault(code, set()).add(frozenset(unknown))
            # The items of a view for people are elsewhere, whatever else is found.
            elsewhere = {"item", "order"} if is_view(vector) else set()
            allowed = [layers_behind(code) | elsewhere] + ([elsewhere] if "damages_where" in CODES[code] else [])
            check(unknown in allowed, "%s: %s makes unknown %s" % (vector.name, code, sorted(unknown)))
    for code, found in seen.items():
        if "damages_where" in CODES[code]:
            check(frozenset(layers_behind(code)) in found and frozenset() in found, "no vector shows when %s damages" % code)


def check_suppressed():
    """No two findings of one place stand beside each other where one suppresses the other."""
    for vector in vectors.ALL:
        by_place = {}
        for finding in vector.findings:
            place = ("line", finding["line"]) if "line" in finding else ("frame", finding.get("frame"))
            by_place.setdefault(place, set()).add(finding["code"])
        for place, codes in by_place.items():
            for code in codes:
                both = codes & set(CODES[code].get("suppressed_by", []))
                check(not both, "%s: %s stands beside %s" % (vector.name, code, sorted(both)))


def literals_of_python():
    """What the Python verifier spells as a code or as the second part of one."""
    found = set()
    for path in sorted((ROOT / "Spec" / "examples").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def check_python():
    """Every code is spelled in the Python verifier, and it spells no other."""
    spelled = literals_of_python()
    names = {code.partition(".")[2] for code in OF_FILES}
    for code in OF_FILES:
        check(code in spelled or code.partition(".")[2] in spelled, "the Python verifier never raises %s" % code)
    layers = "|".join(vectors.LAYERS[:-1])
    for text in sorted(spelled):
        if re.fullmatch("(%s)\\.[a-z_0-9]+" % layers, text):
            check(text in OF_FILES, "the Python verifier has %s, which is no code" % text)
    return names


def main():
    check_made()
    check_table()
    check_codes_of_vectors()
    check_places()
    check_damages()
    check_suppressed()
    check_python()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
