#!/usr/bin/env python3
"""Checks Scripts/version and the checks of Scripts/release in a clone: one place for the version, and each thing that stops
a release. Nothing is built. The last line is `N passed, N failed`.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def main():
    with tempfile.TemporaryDirectory(prefix="hp-release.") as folder:
        work = pathlib.Path(folder, "work")
        environment = {**os.environ, **{"GIT_%s_%s" % (who, what): "test@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

        def run(*command):
            result = subprocess.run(command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            return result.returncode, result.stdout

        def refuses(why, text):
            check("%s: %s" % (why, run("Scripts/release", "--check")), run("Scripts/release", "--check")[0] == 2 and text in run("Scripts/release", "--check")[1])

        subprocess.run(["git", "clone", "--quiet", "--no-local", ROOT, work], check=True)
        old = run("Scripts/version")[1].strip()
        check("the version is printed", re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", old))
        for word in ("1.2", "v1.2.3", old):
            check("no version: %s" % word, run("Scripts/version", word)[0] == 2)
        check("nothing was written", run("git", "status", "--porcelain")[1] == "")
        refuses("an open changelog", "CHANGELOG.md")
        check("a version is written", run("Scripts/version", "98.7.6") == (0, ""))
        check("the version counts", run("Scripts/version")[1] == "98.7.6\n")
        check("in four more files: %s" % run("git", "status", "--porcelain")[1], sorted(line[3:] for line in run("git", "status", "--porcelain")[1].splitlines()) == [
            "Sources/Build/Build.swift", "debian/changelog", "docs/compatibility.md", "python/README.md", "python/healthprobe/__init__.py"])
        check("the Debian changelog is read", run("dpkg-parsechangelog", "-S", "Version")[1] in ("98.7.6\n", ""))
        refuses("changes", "the checkout has changes")
        run("git", "commit", "--quiet", "-a", "-m", "version")
        refuses("no section", "the newest section with a date is not that of 98.7.6")
        changelog = work / "CHANGELOG.md"
        text = changelog.read_text(encoding="utf-8")
        changelog.write_text(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- One more.\n\n## [98.7.6] - 2026-12-01\n", 1), encoding="utf-8")
        run("git", "commit", "--quiet", "-a", "-m", "changelog")
        refuses("a change that has no version", "1 changes are below Unreleased")
        changelog.write_text(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [98.7.6] - 2026-12-01\n", 1), encoding="utf-8")
        run("git", "commit", "--quiet", "-a", "-m", "changelog")
        check("it can be built: %s" % run("Scripts/release", "--check")[1], run("Scripts/release", "--check")[0] == 0)
        package = work / "python" / "healthprobe" / "__init__.py"
        package.write_text(package.read_text().replace("98.7.6", "98.7.5"))
        run("git", "commit", "--quiet", "-a", "-m", "another")
        refuses("another version", "python/healthprobe/__init__.py has version 98.7.5")
        run("git", "reset", "--quiet", "--hard", "HEAD~1")
        (work / "more").write_text("")
        refuses("a file that git does not know", "files that git does not know")
        (work / "more").unlink()
        run("git", "tag", "v98.7.6")
        refuses("a tag that exists", "the tag v98.7.6 exists")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
