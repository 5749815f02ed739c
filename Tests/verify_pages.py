#!/usr/bin/env python3
"""Checks the pages of Spec as pages: every link leads somewhere, README.md names every page, and no line has more than 120
characters.

The last line is `N passed, N failed`. Exit status 1 when anything fails.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPEC = ROOT / "Spec"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
REFERENCE = re.compile(r"\[([^\]\[]+)\](?![(:\]])")
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def links(page):
    """Files that a page leads to."""
    found = (match[1] or match[2] for match in LINK.finditer(page.read_text(encoding="utf-8")))
    return [page.parent / link for link in found if not link.startswith("http")]


def main():
    pages = [*sorted(SPEC.rglob("*.md")), *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))]
    for page in pages:
        for target in links(page):
            check("%s: a link to %s" % (page.name, target.name), target.exists())
    listed = {target.resolve() for target in links(SPEC / "README.md")}
    for page in sorted(SPEC.glob("*.md")):
        check("README.md names %s" % page.name, page.name == "README.md" or page.resolve() in listed)
    verifier = SPEC / "verifier.md"
    text = verifier.read_text(encoding="utf-8")
    defined = set(re.findall(r"^\[([^\]]+)\]:", text, re.MULTILINE))
    for name in REFERENCE.findall(text):
        check("verifier.md defines [%s]" % name, name in defined)
    for page in sorted(SPEC.glob("*.md")):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            check("%s line %d: %d characters" % (page.name, number, len(line)), len(line) <= 120)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
