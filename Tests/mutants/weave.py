"""A copy of the package in which every chosen mutant is compiled behind a switch, so that one build serves all of them."""

import collections
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
FOLDER = ROOT / ".build" / "mutants"
COPY = FOLDER / "copy"
TOOLS = COPY / ".build" / "release"
# The project's own debug build: a module's mutants are type-checked against the other modules of it.
CHECKED = ROOT / ".build" / "tests"
# How many numbers the switch has; `reached` is a file of as many bytes.
NUMBERS = 8192
HEADER = """#pragma once
#include <stdbool.h>
extern int hp_mutant_number;
extern unsigned char *hp_mutant_reached;
/// Whether the environment asks for this mutant: HP_MUTANT, read once, before main. While none is on, each place that is reached is marked in the file of HP_MUTANT_REACHED.
static inline bool hp_mutant(int number) {
    if (hp_mutant_number) return hp_mutant_number == number;
    if (!hp_mutant_reached[number]) hp_mutant_reached[number] = 1;
    return false;
}
"""
SOURCE = """#include "CMutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char nowhere[%d];
int hp_mutant_number = 0;
unsigned char *hp_mutant_reached = nowhere;
__attribute__((constructor)) static void read_switch(void) {
    const char *value = getenv("HP_MUTANT"), *path = getenv("HP_MUTANT_REACHED");
    if (value) hp_mutant_number = atoi(value);
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) hp_mutant_reached = mapped;
    close(file);
}
""" % NUMBERS
MODULE_MAP = 'module CMutant { header "CMutant.h" export * }\n'
DIAGNOSTIC = re.compile(r"^(/\S.*?\.swift):(\d+):\d+: error: (.*)$", re.MULTILINE)


class Fault(Exception):
    """The copy cannot be built for a reason that is no mutant's."""


def write(path, text):
    """Writes a file if its text differs, so that a build compiles only what is new."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def woven(text, mutants):
    """A file's text with its mutants (number, mutant), of which none shares a line with another; the lines keep their numbers."""
    pieces, at = ["public import CMutant; "], 0
    for number, mutant in sorted(mutants, key=lambda one: one[1].start):
        pieces += [text[at:mutant.start], mutant.text(number)]
        at = mutant.end
    return "".join([*pieces, text[at:]])


def manifest(text):
    """Package.swift with the switch below every target, and with warnings that are not errors."""
    text = text.replace("    .treatAllWarnings(as: .error),\n", "")
    for kind in (".target(name: name, dependencies: dependencies,", ".executableTarget(name: name, dependencies: dependencies,"):
        if text.count(kind) != 1:
            raise Fault("Package.swift has another form than the one that mutants are woven into")
        text = text.replace(kind, kind[:-1] + ' + ["CMutant"],')
    return text.replace("    targets: [\n", '    targets: [\n        .target(name: "CMutant"),\n', 1)


def by_file(mutants):
    found = collections.defaultdict(list)
    for number, mutant in mutants.items():
        found[mutant.file].append((number, mutant))
    return found


def lay_out(mutants):
    """Brings the copy up to date with the project, and weaves the mutants (by their numbers) in."""
    files, wanted = by_file(mutants), set()
    for folder in ("Sources", "Tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            # Only the Swift tests are built in the copy.
            if not path.is_file() or (folder == "Tests" and path.suffix != ".swift"):
                continue
            place, text = COPY / path.relative_to(ROOT), path.read_text(encoding="utf-8")
            wanted.add(place)
            here = files.get(str(path.relative_to(SOURCES))) if folder == "Sources" else None
            write(place, woven(text, here) if here else text)
    for name, text in (("CMutant.c", SOURCE), ("include/CMutant.h", HEADER), ("include/module.modulemap", MODULE_MAP)):
        wanted.add(COPY / "Sources" / "CMutant" / name)
        write(COPY / "Sources" / "CMutant" / name, text)
    for path in [*(COPY / "Sources").rglob("*"), *(COPY / "Tests").rglob("*")]:
        if path.is_file() and path not in wanted:
            path.unlink()
    write(COPY / "Package.swift", manifest((ROOT / "Package.swift").read_text(encoding="utf-8")))
    for name in ("Fixtures", "Spec", "Examples", "Fuzz", "Scripts", "docs"):
        link = COPY / name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(ROOT / name, COPY))


def blamed(output, mutants):
    """The mutants that a compiler's errors point at, by number, and errors that are nobody's. An error outside of every mutant is blamed on the nearest one of its file."""
    found, others, files = {}, [], by_file(mutants)
    for path, line, text in DIAGNOSTIC.findall(output):
        file, line = path.partition(str(COPY / "Sources") + "/")[2], int(line)
        distances = {number: max(mutant.line - line, line - mutant.last_line, 0) for number, mutant in files.get(file, [])}
        if not distances:
            others.append("%s:%d: %s" % (path, line, text))
        for number, distance in distances.items():
            if distance == min(distances.values()):
                found.setdefault(number, text)
    return found, others


def run(command, folder):
    environment = {key: value for key, value in os.environ.items() if key not in ("HP_COMMIT", "HP_FUZZ")}
    process = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    return process.returncode, process.stdout


def compiler_commands():
    """How the project's debug build compiles each module of Sources, made into a check that writes nothing."""
    status, output = run(["swift", "build", "--build-tests", "--scratch-path", str(CHECKED), "-Xswiftc", "-gnone"], ROOT)
    if status:
        raise Fault("the project does not build:\n" + output[-4000:])
    commands = {}
    for line in (CHECKED / "debug.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith("    args: [") and '"-module-name"' in line:
            words = json.loads(line[len("    args: "):])
            name = words[words.index("-module-name") + 1].replace("_", "-")
            if (SOURCES / name).is_dir():
                commands[name] = check_of(name, words)
    return commands


def check_of(name, words):
    """A command of the debug build that reads the copy's sources and stops where diagnostics end."""
    kept, skipped = [], iter(words)
    for word in skipped:
        if word in ("-emit-module-path", "-output-file-map", "-index-store-path", "-emit-objc-header-path", "-o"):
            next(skipped)
        elif word not in ("-emit-dependencies", "-emit-module", "-incremental", "-enable-batch-mode", "-c", "-parseable-output", "-serialize-diagnostics", "-emit-objc-header", "-warnings-as-errors") and word[0] != "@":
            kept.append(word)
    sources = sorted(map(str, (COPY / "Sources" / name).rglob("*.swift")))
    return [*kept, "-whole-module-optimization", "-emit-sil", "-o", "/dev/null", "-suppress-warnings", "-Xcc", "-fmodule-map-file=%s" % (COPY / "Sources" / "CMutant" / "include" / "module.modulemap"), *sources]


def checked(mutants, say):
    """The mutants that compile: each module is compiled by itself, as often as errors are found in it."""
    mutants = dict(mutants)
    lay_out(mutants)
    commands = compiler_commands()
    for module in sorted({mutant.module for mutant in mutants.values()}):
        while True:
            here = {number: mutant for number, mutant in mutants.items() if mutant.module == module}
            status, output = run(commands[module], COPY)
            if not status:
                break
            found, others = blamed(output, here)
            if not found:
                raise Fault("%s does not compile with its mutants:\n%s" % (module, "\n".join(others[:20]) or output[-4000:]))
            for number in found:
                del mutants[number]
            lay_out(mutants)
        say("%s: %d compile" % (module, len(here)))
    return mutants


def build(mutants, say):
    """Builds the tools and the Swift tests. Returns the mutants that are in them."""
    # Release for the tests, too: they take far less than without optimization, and one build makes both.
    command = ["swift", "build", "-c", "release", "--build-tests", "-Xswiftc", "-enable-testing"]
    mutants = dict(mutants)
    while True:
        lay_out(mutants)
        status, output = run(command, COPY)
        if not status:
            return mutants
        found, others = blamed(output, mutants)
        if not found:
            raise Fault("the copy does not build:\n" + ("\n".join(others[:20]) or output[-4000:]))
        say("left out, since they do not build: " + ", ".join("%s:%d" % (mutants[number].file, mutants[number].line) for number in found))
        for number in found:
            del mutants[number]
