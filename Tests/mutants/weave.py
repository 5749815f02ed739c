"""A copy of the package in which every mutant is compiled behind a switch, so that one build serves all of them."""

import os
import pathlib
import re
import subprocess

import entries

COPY = entries.ROOT / ".build" / "mutants" / "copy"
TOOLS = COPY / ".build" / "release"
BUNDLE = TOOLS
SWITCH = "hp_mutant"
HEADER = """#pragma once
#include <stdbool.h>
extern int hp_mutant_number;
/// Whether the environment asks for this mutant: HP_MUTANT, read once, before main.
static inline bool hp_mutant(int number) { return hp_mutant_number == number; }
"""
SOURCE = """#include <stdlib.h>
int hp_mutant_number = 0;
__attribute__((constructor)) static void read_switch(void) {
    const char *value = getenv("HP_MUTANT");
    if (value) hp_mutant_number = atoi(value);
}
"""
DIAGNOSTIC = re.compile(r"^(/\S.*?\.swift):(\d+):\d+: error: (.*)$", re.MULTILINE)


def write(path, text):
    """Writes a file where its text is another one, so that a build does only what is new."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def overlapping(mutants):
    """Splits the mutants of one file: those of which each is beside or within the other, and the rest."""
    taken, rest = [], []
    for mutant in sorted(mutants, key=lambda one: (one.start, -len(one.old), one.name)):
        begin, end = mutant.start, mutant.start + len(mutant.old)
        crosses = any(other.start < begin < other.start + len(other.old) < end for other in taken)
        (rest if crosses else taken).append(mutant)
    return taken, rest


def groups(mutants):
    """The mutants in as few builds as they need; one, unless two changes overlap by halves."""
    found = []
    while mutants:
        group, rest = [], []
        for file in sorted({mutant.file for mutant in mutants}):
            taken, left = overlapping([mutant for mutant in mutants if mutant.file == file])
            group, rest = group + taken, rest + left
        found.append(group)
        mutants = rest
    return found


def switched(mutant, old):
    """Both behaviours of one place. The comment at the end says where it ends, for diagnostics."""
    ask = "%s(%d)" % (SWITCH, mutant.number)
    # A comment ends with its line; elsewhere no line may end, for instance within a string.
    new, old = (text + "\n" if "//" in text else text for text in (mutant.new, old))
    if mutant.is_statement:
        return "if %s { %s } else { %s }/*%d*/" % (ask, new, old, mutant.number)
    return "(%s ? (%s) : (%s)/*%d*/)" % (ask, new, old, mutant.number)


def woven(source, mutants, begin=0, end=None):
    """A part of a text with its mutants, which are in the order of `overlapping`."""
    text, at, end = "", begin, len(source) if end is None else end
    while mutants:
        outer, mutants = mutants[0], mutants[1:]
        stop = outer.start + len(outer.old)
        inner = [mutant for mutant in mutants if mutant.start < stop]
        mutants = mutants[len(inner):]
        text += source[at:outer.start] + switched(outer, woven(source, inner, outer.start, stop))
        at = stop
    return text + source[at:end]


def manifest(text):
    """Package.swift with the switch below every target, and with warnings that are none."""
    text = text.replace("    .treatAllWarnings(as: .error),\n", "")
    for kind in (".target(name: name, dependencies: dependencies,", ".executableTarget(name: name, dependencies: dependencies,"):
        if text.count(kind) != 1:
            raise entries.Fault("Package.swift has another form than the one that mutants are woven into")
        text = text.replace(kind, kind[:-1] + ' + ["CMutant"],')
    return text.replace("    targets: [\n", '    targets: [\n        .target(name: "CMutant"),\n', 1)


def lay_out(mutants):
    """Brings the copy up to date: what is not mutated is as it is in the project."""
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    wanted = set()
    for folder in ("Sources", "Tests"):
        for path in sorted((entries.ROOT / folder).rglob("*")):
            # The tests of the copy are its Swift tests only.
            if not path.is_file() or (folder == "Tests" and path.suffix != ".swift"):
                continue
            place, text = COPY / path.relative_to(entries.ROOT), path.read_text(encoding="utf-8")
            wanted.add(place)
            here = by_file.get(str(path.relative_to(entries.SOURCES))) if folder == "Sources" else None
            if here:
                text = "public import CMutant; " + woven(text, overlapping(here)[0])
            write(place, text)
    for path, text in (("CMutant.c", SOURCE), ("include/CMutant.h", HEADER)):
        wanted.add(COPY / "Sources" / "CMutant" / path)
        write(COPY / "Sources" / "CMutant" / path, text)
    for path in [*(COPY / "Sources").rglob("*"), *(COPY / "Tests").rglob("*")]:
        if path.is_file() and path not in wanted:
            path.unlink()
    write(COPY / "Package.swift", manifest((entries.ROOT / "Package.swift").read_text(encoding="utf-8")))
    for name in ("Fixtures", "Spec", "Examples", "Fuzz", "Scripts", "docs"):
        link = COPY / name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(entries.ROOT / name, COPY))


def blamed(output, mutants):
    """The mutants whose lines a compiler complains of, each with the complaint, and complaints that are nobody's."""
    found, others = {}, []
    for path, line, text in DIAGNOSTIC.findall(output):
        file, line = str(pathlib.Path(path).relative_to(COPY / "Sources")) if path.startswith(str(COPY / "Sources")) else path, int(line)
        places = []
        source = pathlib.Path(path).read_text(encoding="utf-8") if pathlib.Path(path).is_file() else ""
        for mutant in (one for one in mutants if one.file == file):
            begin, end = source.find("%s(%d)" % (SWITCH, mutant.number)), source.find("/*%d*/" % mutant.number)
            places.append((source.count("\n", 0, begin) + 1, source.count("\n", 0, end) + 1, mutant))
        around = [(last - first, mutant) for first, last, mutant in places if first <= line <= last]
        before = [(line - last, mutant) for first, last, mutant in places if last < line]
        nearest = around or before or [(0, mutant) for _, _, mutant in places]
        for distance, mutant in nearest:
            if distance == min(one for one, _ in nearest):
                found.setdefault(mutant.name, text)
        if not nearest:
            others.append("%s:%d: %s" % (file, line, text))
    return found, others


def compile_once(command):
    environment = {key: value for key, value in os.environ.items() if key not in ("HP_COMMIT", "HP_FUZZ")}
    process = subprocess.run(command, cwd=COPY, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    return process.returncode, process.stdout


def build(mutants, say):
    """Builds the tools and the Swift tests. Returns what could be built, and why the rest could not, by name."""
    # Release for the tests, too: they take far less than without optimization, and one build makes both.
    command = ["swift", "build", "-c", "release", "--build-tests", "-Xswiftc", "-enable-testing"]
    refused, mutants = {}, list(mutants)
    while True:
        lay_out(mutants)
        status, output = compile_once(command)
        if not status:
            return mutants, refused
        found, others = blamed(output, mutants)
        if not found:
            raise entries.Fault("the copy does not build:\n" + ("\n".join(others[:20]) or output[-4000:]))
        say("does not compile, left out: " + ", ".join("%s (%s)" % item for item in sorted(found.items())))
        refused.update(found)
        mutants = [mutant for mutant in mutants if mutant.name not in found]

