#!/usr/bin/env python3
"""Runs the commands of README.md and docs/: every line of a block that begins with `$`, in a shell for each page, in a folder of its own.

What a command prints is compared with the lines below it, where there are any: `…` stands for anything, and as a line for
any lines. A command without lines below may print what it wants. A command that fails fails the page.
The tools are those of .build/release, or of the folder that HP_TOOLS names. The last line is `N passed, N failed`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
MARK = "end of command"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def commands_of(text):
    """The commands of a page, each with the lines that are below it in its block."""
    found, block, margin = [], False, ""
    ends = ""  # what a here-document ends with
    for line in text.splitlines():
        indent = line[:len(line) - len(line.lstrip())]
        if line.strip() and len(indent) < 4:
            block = False
        elif ends:
            found[-1][0] += "\n" + line[len(margin):]
            ends = "" if line.strip() == ends else ends
        elif line.lstrip().startswith("$ "):
            block, margin = True, indent
            found.append([line[len(margin) + 2:], []])
            here = re.search(r"<<'(\w+)'", line)
            ends = here[1] if here else ""
        elif block and line.strip():
            found[-1][1].append(line[len(margin):])
    return found


def pattern(lines):
    """What the lines of a page stand for."""
    parts = (".*" if line.strip() == "…" else ".*".join(re.escape(part.rstrip() if end else part) for part, end in ends(line)) for line in lines)
    return re.compile("\n".join(parts), re.DOTALL)


def ends(line):
    parts = line.split("…")
    return [(part, index == len(parts) - 1) for index, part in enumerate(parts)]


def run_page(page, folder):
    commands = commands_of(page.read_text(encoding="utf-8"))
    for name in ("month-0.xml", "month-1.xml"):
        shutil.copyfile(ROOT / "Fixtures" / "apple-health" / name, folder / name)
    script = "".join("{ %s\n} 2>&1 </dev/null || echo \"failed with $?\"\necho '%s'\n" % (command, MARK) for command, _ in commands)
    path = ":".join([str(TOOLS), str(pathlib.Path(sys.executable).parent), "/usr/local/bin:/usr/bin:/bin"])
    environment = {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8", "TZ": "UTC", "HEALTHPROBE": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1",
                   **({"TMPDIR": os.environ["TMPDIR"]} if "TMPDIR" in os.environ else {})}
    result = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    said = result.stdout.split(MARK + "\n")
    check("%s: the shell ends well: %s" % (page.name, result.stdout[-300:]), result.returncode == 0 and len(said) == len(commands) + 1)
    for (command, lines), text in zip(commands, said):
        check("%s: %s\n%s" % (page.name, command, text), "failed with " not in text)
        if lines:
            check("%s: %s\n--- expected\n%s\n--- printed\n%s" % (page.name, command, "\n".join(lines), text), pattern(lines).fullmatch(text.rstrip("\n")))
    return len(commands)


def check_changelog(text):
    """Checks the form of Keep a Changelog: each version once, the newest first, each kind once in it, and short entries."""
    heads = [line for line in text.splitlines() if line.startswith("#")]
    check("the changelog begins with what is not released: %s" % heads[:2], heads[:2] == ["# Changelog", "## [Unreleased]"])
    for head in heads[1:]:
        check("a head of the changelog: %s" % head, re.fullmatch(
            r"## \[(Unreleased|[0-9]+\.[0-9]+\.[0-9]+\] - [0-9]{4}-[0-9]{2}-[0-9]{2})\]?|### (Added|Changed|Deprecated|Removed|Fixed|Security)", head))
    versions = [[int(part) for part in version.split(".")] for version in re.findall(r"^## \[([0-9.]+)\]", text, re.M)]
    check("versions, the newest first: %s" % versions, versions and all(new > old for new, old in zip(versions, versions[1:])))
    for section in text.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.+)$", section, re.M)
        check("each kind once below %s: %s" % (section.split("\n")[0], kinds), len(kinds) == len(set(kinds)))
        for entry in re.findall(r"^- .*(?:\n  .*)*", section, re.M):
            check("an entry of at most two lines of 120 characters: %s" % entry, entry.count("\n") < 2 and all(len(line) <= 120 for line in entry.split("\n")))


def main():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    count = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        check("README.md names %s" % page.name, page.name == "README.md" or "(%s)" % page.name in index)
        for target in LINK.findall(text):
            check("%s: a link to %s" % (page.name, target), target.startswith("http") or (page.parent / target).exists())
        for number, line in enumerate(text.splitlines(), 1):
            check("%s line %d: %d characters" % (page.name, number, len(line)), len(line) <= 120 or line.lstrip().startswith(("$", "|", "!")))
        with tempfile.TemporaryDirectory(prefix="hp-docs.") as folder:
            count += run_page(page, pathlib.Path(folder))
    check("%d commands" % count, count > 30)
    check_changelog((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
