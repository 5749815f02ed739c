#!/usr/bin/env python3
"""Installs what was built below a folder, runs it there, and removes it: `make install` and `make uninstall`, then the Debian
packages, which lintian finds no error in, in a root of their own. Nothing may be left.

The tools are those of .build/release, or of the folder that HP_TOOLS names. Without Debian's tools, only the first half is
done, and said so. The last line is `N passed, N failed`.
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release")).resolve()
DEBIAN = ("dpkg", "dpkg-buildpackage", "dh", "lintian")
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def run(*command, **options):
    return subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", **options)


def good(what, *command, **options):
    result = run(*command, **options)
    check("%s: %s" % (what, result.stdout[-800:]), result.returncode == 0)
    return result.stdout


def files(folder):
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


def check_installed(name, root, prefix):
    """The tools run, and the verifier of the specification does."""
    for tool in ("hp-export", "hp-verify"):
        check("%s: %s runs" % (name, tool), good(name, root / prefix / "bin" / tool, "--version").startswith(tool + " "))
        check_hardened(name, root / prefix / "bin" / tool)
    spec = root / prefix / "share" / "healthprobe" / "Spec"
    bundle = spec / "examples" / "minimal.jsonl"
    check("%s: hp-verify reads an example" % name, "minimal.jsonl: valid" in good(name, root / prefix / "bin" / "hp-verify", "bundle", bundle))
    check("%s: so does Python" % name, "valid" in good(name, sys.executable, "-B", spec / "examples" / "verify_bundle.py", bundle))
    here, there = ({path.relative_to(folder) for path in files(folder) if "__pycache__" not in path.parts} for folder in (ROOT / "Spec", spec))
    check("%s: the specification is whole: %s" % (name, sorted(here ^ there)[:3]), here == there)
    for tool in ("hp-export", "hp-verify"):
        check_documented(name, tool, root, prefix)
    check("%s: no links" % name, not [path for path in files(root / prefix) if path.is_symlink()])
    check("%s: nobody else may write" % name, not [path for path in (root / prefix).rglob("*") if path.stat().st_mode & 0o022])


def check_hardened(name, program):
    """The program is at any address, its tables of addresses are read-only, its stack is not executable; it is stripped."""
    read = good(name, "readelf", "--wide", "--file-header", "--program-headers", "--dynamic", "--section-headers", program)
    check("%s: %s is at any address" % (name, program.name), re.search(r"Type: +DYN", read) and re.search(r"\(FLAGS_1\).*\bPIE\b", read))
    check("%s: %s has full RELRO" % (name, program.name), "GNU_RELRO" in read and re.search(r"\(FLAGS\).*BIND_NOW", read))
    check("%s: the stack of %s is not executable" % (name, program.name), re.search(r"GNU_STACK .* RW +0x", read))
    check("%s: %s looks for no library next to it" % (name, program.name), "(RUNPATH)" not in read and "(RPATH)" not in read)
    check("%s: %s is stripped" % (name, program.name), ".symtab" not in read)


def check_documented(name, tool, root, prefix):
    """The manual pages and the completions are there: those that the tool prints."""
    share, binary = root / prefix / "share", root / prefix / "bin" / tool
    pages = {"": "%s.1" % tool, **{command: "%s-%s.1" % (tool, command) for command in good(name, binary, "manual", "--list").split()}}
    here = {path.name[:-3] if path.suffix == ".gz" else path.name: path for path in (share / "man" / "man1").glob(tool + "*")}
    check("%s: a page for %s and each of its commands: %s" % (name, tool, sorted(here)), len(pages) > 8 and here.keys() == set(pages.values()))
    for command, page in pages.items():
        if page in here:
            data = here[page].read_bytes()
            data = gzip.decompress(data) if here[page].suffix == ".gz" else data
            check("%s: %s" % (name, page), data.decode() == good(name, binary, "manual", *[command] if command else []))
    zsh = "vendor-completions" if prefix == "usr" else "site-functions"
    for shell, place in (("bash", "bash-completion/completions/" + tool), ("zsh", "zsh/%s/_%s" % (zsh, tool)), ("fish", "fish/vendor_completions.d/%s.fish" % tool)):
        check("%s: completions of %s" % (name, shell), (share / place).read_text() == good(name, binary, "completions", shell))


def check_make(scratch):
    root = scratch / "make"
    (root / "opt" / "other" / "bin").mkdir(parents=True)
    (root / "opt" / "other" / "bin" / "kept").write_text("not ours")
    for prefix in ("usr/local", "opt/other"):
        arguments = ("PREFIX=/" + prefix, "DESTDIR=%s" % root)
        good("make install", "make", "-s", "install", *arguments, cwd=ROOT)
        check_installed("make install below /" + prefix, root, prefix)
        good("make uninstall", "make", "-s", "uninstall", *arguments, cwd=ROOT)
    check("only what was there is left: %s" % files(root), files(root) == [root / "opt" / "other" / "bin" / "kept"])
    check("no folders of ours are left", not (root / "usr" / "local").exists() and not (root / "opt" / "other" / "share").exists())
    result = run("make", "-s", "install", "PREFIX=somewhere", "DESTDIR=%s" % root, cwd=ROOT)
    check("a prefix has to be absolute: %s" % result.stdout, result.returncode != 0 and "no absolute path" in result.stdout)


def check_packages(scratch):
    missing = [tool for tool in DEBIAN if shutil.which(tool) is None]
    if missing:
        return print("skipped: Debian packages: no %s" % ", ".join(missing))
    good("the packages are built", ROOT / "Scripts" / "build-deb", cwd=ROOT)
    packages = sorted((ROOT / ".build" / "deb").glob("*.deb"))
    named = {path.name.partition("_")[0]: path for path in packages}
    check("two packages: %s" % packages, named.keys() == {"healthprobe", "healthprobe-spec"})
    good("lintian finds nothing to warn of", "lintian", "--fail-on", "error,warning", "--allow-root", *packages)
    root = scratch / "root"
    for folder in ("info", "updates", "triggers"):
        (root / "var" / "lib" / "dpkg" / folder).mkdir(parents=True)
    (root / "var" / "lib" / "dpkg" / "status").touch()
    # The root has no other packages: what these depend on is looked for in this system.
    good("they are installed", "dpkg", "--root=%s" % root, "--force-depends", "--force-not-root", "--log=%s" % (scratch / "log"), "-i", *packages)
    check_installed("the packages", root, "usr")
    needed = good("dependencies", "dpkg-deb", "-f", named["healthprobe"], "Depends")
    for library in ("libsqlite3-0", "libzstd1", "libssl3", "libexpat1", "libzip4"):
        check("it depends on %s: %s" % (library, needed), library in needed)
    good("they are removed", "dpkg", "--root=%s" % root, "--force-not-root", "--log=%s" % (scratch / "log"), "--purge", "healthprobe", "healthprobe-spec")
    left = [path for path in files(root) if (root / "var" / "lib" / "dpkg") not in path.parents]
    check("nothing is left: %s" % left, not left)
    check_clean_root(scratch, packages, needed)
    copyright_ = (ROOT / "debian" / "copyright").read_text(encoding="utf-8")
    check("the terms are stated", "No licence is granted yet" in copyright_ and "Apache License 2.0" in copyright_)


# What the demo shows, by the tools that were installed, in a folder with two exports; it ends with status 0.
DEMO = """set -e
hp-export capture archive.sqlite --apple-health month-0.xml || test $? = 1
hp-export capture archive.sqlite --apple-health month-1.xml || test $? = 1
HP_ARCHIVE=archive.sqlite hp-export list observations
hp-export diff archive.sqlite --summary
hp-export diff archive.sqlite --changes disappeared,changed -o changes.csv
hp-export bundle archive.sqlite -o latest.jsonl.zst
hp-verify bundle latest.jsonl.zst changes.csv --archive archive.sqlite
hp-verify reproduce archive.sqlite
hp-verify archive archive.sqlite
"""
COMPLETION = """. /usr/share/bash-completion/bash_completion
_completion_loader hp-export
COMP_WORDS=(hp-export records archive.sqlite --format js) COMP_CWORD=4
complete -p hp-export && _hp_export && echo "${COMPREPLY[@]}"
"""


def clean_root(needed):
    """A Debian root with man, the completions of bash and what the packages depend on, made once; nil where that cannot be done."""
    keep = ROOT / ".build" / "root"
    names = sorted({"bash-completion", "man-db", *re.findall(r"(?:^|, )([a-z0-9.+-]+)", needed)})
    stamp = keep.with_suffix(".made")
    if stamp.exists() and stamp.read_text() == " ".join(names):
        return keep
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        return None
    shutil.rmtree(keep, ignore_errors=True)
    release = re.search(r"(?m)^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())
    made = release and run("debootstrap", "--variant=minbase", "--include=" + ",".join(names), release[1], keep)
    if not made or made.returncode:
        print("skipped: a clean root: %s" % (made.stdout[-300:] if made else "no Debian"))
        return None
    stamp.write_text(" ".join(names))
    return keep


def check_clean_root(scratch, packages, needed):
    """In a root of its own: installed by dpkg, which finds every dependency; the pages, the completions, the demo; removed."""
    kept = clean_root(needed)
    if kept is None:
        return print("skipped: the packages in a clean root: no root can be made here")
    root = scratch / "clean"
    good("the root is copied", "cp", "-a", kept, root)
    before = {path.relative_to(root) for path in files(root)}

    def inside(what, *command):
        # With a /proc, which goes with the namespace: a Swift program finds its arguments there.
        return good("in a clean root, " + what, "unshare", "-m", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *command)
    for path in packages:
        shutil.copy(path, root / "tmp")
    inside("they are installed", "dpkg", "-i", *["/tmp/" + path.name for path in packages])
    for tool in ("hp-export", "hp-verify"):
        check("man %s" % tool, "%s - " % tool in inside("a page is shown", "man", tool) and "SYNOPSIS" in inside("a page is shown", "man", tool + "-help"))
    check("bash completes", inside("bash completes", "bash", "-c", COMPLETION).splitlines()[-1:] == ["jsonl json"])
    work = root / "tmp" / "work"
    work.mkdir()
    for month in ("month-0.xml", "month-1.xml"):
        shutil.copy(ROOT / "Fixtures" / "apple-health" / month, work)
    said = inside("the demo runs", "sh", "-c", "cd /tmp/work; " + DEMO)
    check("the demo verifies: %s" % said[-400:], "latest.jsonl.zst: valid" in said and "archive.sqlite: valid" in said)
    inside("they are removed", "dpkg", "--purge", "healthprobe", "healthprobe-spec")
    # What dpkg and man write for themselves is theirs.
    left = {path.relative_to(root) for path in files(root)} ^ before
    left = [path for path in left if path.parts[0] != "tmp" and path.parts[:3] not in (("var", "lib", "dpkg"), ("var", "cache", "man")) and path.parts[:2] != ("var", "log")]
    check("in a clean root, nothing is left: %s" % left[:3], not left)
    shutil.rmtree(root)


def check_dist(scratch):
    """The archives of `make dist` are the same twice, and what is in them works."""
    commit = run(ROOT / "Scripts" / "commit").stdout.strip()
    told = run(TOOLS / "hp-export", "--version").stdout
    if not re.fullmatch("[0-9a-f]{40}", commit) or "\ncommit %s\n" % commit not in told:
        return print("skipped: make dist: not a checkout without changes, or the tools are of another commit")
    sums = [good("make dist", ROOT / "Scripts" / "build-dist", cwd=ROOT) for _ in range(2)]
    check("two times, the same bytes: %s" % sums, sums[0] == sums[1] and len(sums[0].splitlines()) == 2)
    built = ROOT / ".build" / "dist"
    good("the sums are those of the files", "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=built)
    for archive in built.glob("*.tar.gz"):
        good("it is unpacked", "tar", "-x", "-z", "-f", archive, "-C", scratch)
    version = told.split()[1]
    source, tools = scratch / ("healthprobe-" + version), *scratch.glob("healthprobe-%s-*" % version)
    check("the source archive says its commit", run(source / "Scripts" / "commit").stdout == commit + " archive\n")
    kept = set(run("git", "ls-files", cwd=ROOT).stdout.splitlines()) | {"COMMIT"}
    here = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_symlink() or not path.is_dir()}
    check("it has every file of the commit: %s" % sorted(kept ^ here)[:3], kept == here)
    check_installed("the archive of the tools", scratch, tools.name)
    check("the tools are stripped", "not stripped" not in run("file", tools / "bin" / "hp-export").stdout)


def main():
    with tempfile.TemporaryDirectory(prefix="hp-install.") as folder:
        check_make(pathlib.Path(folder))
        check_packages(pathlib.Path(folder))
    with tempfile.TemporaryDirectory(prefix="hp-dist.") as folder:
        check_dist(pathlib.Path(folder))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
