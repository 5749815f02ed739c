"""Mutants as they are written down: one file for each module, and whether each still applies to Sources.

README.md beside this file explains the form. Nothing here builds or runs anything.
"""

import dataclasses
import pathlib
import re
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ROOT / "Sources"
NAME = re.compile(r"\[([a-z0-9]+(?:-[a-z0-9]+)*)\]")
CHANGE = re.compile(r"\[-(.*?)-\]\{\+(.*?)\+\}", re.DOTALL)
FIELDS = {"what", "file", "steps"}
# What a complete statement begins with, where the brackets do not stand on lines of their own.
STATEMENT = re.compile(r"(return|throw|break|continue|if|for|while|switch|do|defer)\b|[\w.]+(\[[^\]]*\])? [-+*/|&^]?= |_ = ")
# An expression goes on here: what stands between these is no statement, whatever its lines are.
OPEN_BEFORE = re.compile(r"([(\[,?]|(^|\s)(&&|\|\||\?\?|[-+*/%<>:]|[<>=!]=|[-+*]=|\.\.<|\.\.\.|return|if|while|where|try))$")
LABEL = re.compile(r"(^|\n)\s*(case\b.*|default):$")
OPEN_AFTER = re.compile(r"([)\],:]|\.\w|\?|[-+*/%<>]\s|[<>=!]=\s|&&|\|\||else\b|where\b)")
# Lists that are no module's mutants.
OTHER_FILES = {"equivalent.txt"}


class Fault(Exception):
    """An entry that is not as it should be."""


@dataclasses.dataclass
class Mutant:
    """One wrong behaviour: where it is, and what is expected to notice it."""

    name: str
    list_name: str
    line: int
    what: str = ""
    file: str = ""
    steps: tuple = ()
    code: str = ""
    # Filled in when it is placed: where the old text begins in the file, both texts, and whether they are statements.
    start: int = 0
    old: str = ""
    new: str = ""
    is_statement: bool = False

    @property
    def number(self):
        """What the switch knows it by. It depends on the name alone, so that other mutants may come and go."""
        return zlib.crc32(self.name.encode()) & 0x7FFFFFFF or 1

    @property
    def module(self):
        return self.file.split("/")[0]

    @property
    def digest(self):
        return zlib.crc32(repr((self.file, self.code)).encode())


def parse(text, list_name):
    """The mutants of a file's text, in its order; raises Fault at the first line that has no place in one."""
    found, current = [], None
    for number, line in enumerate(text.split("\n"), 1):
        place = "%s:%d: " % (list_name, number)
        if line.startswith("#"):
            continue
        if not line.strip():
            current = None
            continue
        head = NAME.fullmatch(line.rstrip())
        if head:
            current = Mutant(head[1], list_name, number)
            found.append(current)
        elif current is None:
            raise Fault(place + "a line outside of an entry")
        elif line.startswith("| ") or line.rstrip() == "|":
            current.code += line[2:] + "\n"
        else:
            key, equals, value = line.partition(" = ")
            if key not in FIELDS or not equals or getattr(current, key) or current.code:
                raise Fault(place + "not a field of an entry, or one that it has already")
            setattr(current, key, tuple(step.strip() for step in value.split(",")) if key == "steps" else value.strip())
    return found


def texts_of(mutant, source):
    """Where an entry's old text begins in a file, the old text and the new one."""
    changes = list(CHANGE.finditer(mutant.code))
    if len(changes) != 1:
        raise Fault("%d changes in brackets, not one" % len(changes))
    change, code = changes[0], mutant.code[:-1]
    whole = code[:change.start()] + change[1] + code[change.end():]
    text = whole.lstrip()
    found = source.count(text)
    if found != 1:
        raise Fault("its text is in the file %d times, not once" % found)
    left_out = len(whole) - len(text)
    start = source.index(text) + max(change.start() - left_out, 0)
    return start, change[1][max(left_out - change.start(), 0):], change[2]


def check_form(mutant):
    """What can be said of the two texts without a compiler."""
    for text in (mutant.old, mutant.new):
        if not mutant.is_statement and re.match(r"(try|await)\b", text):
            raise Fault("an expression begins with `try` or `await`: leave it outside of the brackets")
        if re.match(r"(let|var|func|case|guard|struct|enum|extension|import)\b", text):
            raise Fault("a declaration or a guard: bracket an expression in it")
    if not mutant.is_statement and not mutant.new:
        raise Fault("an expression is replaced by nothing")
    for text in (mutant.old, mutant.new):
        plain = re.sub(r'"(\\.|[^"\\])*"', '""', text)
        if any(plain.count(left) != plain.count(right) for left, right in ("()", "[]", "{}")):
            raise Fault("brackets are open in one of its texts")


def is_statement(source, start, old, new):
    """Whether the old text is a statement: it has lines of its own, and no expression goes on before or after it."""
    if not new.strip() or STATEMENT.match(old):
        return True
    line_before = source.rfind("\n", 0, start) + 1
    end = start + len(old)
    line_after = source.find("\n", end)
    if source[line_before:start].strip() or source[end:line_after].strip():
        return False
    before, after = source[:line_before].rstrip(), source[line_after:].lstrip()
    is_open = OPEN_BEFORE.search(before[-40:]) and not LABEL.search(before)
    return not is_open and not OPEN_AFTER.match(after)


def place(mutant, source):
    """Finds an entry in its file's text."""
    for field in sorted(FIELDS):
        if not getattr(mutant, field):
            raise Fault("no `%s`" % field)
    start, old, new = texts_of(mutant, source)
    # Blanks at the edges belong to the file.
    start += len(old) - len(old.lstrip())
    mutant.start, mutant.old, mutant.new = start, old.strip(), new.strip()
    if not mutant.old or mutant.old == mutant.new:
        raise Fault("nothing is changed")
    mutant.is_statement = is_statement(source, mutant.start, mutant.old, mutant.new)
    check_form(mutant)


def read_all(folder=HERE, sources=SOURCES):
    """All mutants of a folder, each in its place, and what is wrong, a line each."""
    mutants, faults, names, texts = [], [], {}, {}
    for path in sorted(folder.glob("*.txt")):
        if path.name in OTHER_FILES:
            continue
        try:
            entries = parse(path.read_text(encoding="utf-8"), path.name)
        except Fault as fault:
            faults.append(str(fault))
            continue
        for mutant in entries:
            try:
                if mutant.name in names or mutant.number in names.values():
                    raise Fault("another entry has this name, or its number")
                names[mutant.name] = mutant.number
                if mutant.file not in texts:
                    file = sources / mutant.file
                    if not mutant.file or not file.is_file():
                        raise Fault("no file %s in Sources" % mutant.file)
                    texts[mutant.file] = file.read_text(encoding="utf-8")
                place(mutant, texts[mutant.file])
                mutants.append(mutant)
            except Fault as fault:
                faults.append("%s:%d: %s: %s" % (mutant.list_name, mutant.line, mutant.name, fault))
    return mutants, faults


def equivalents(folder=HERE):
    """Names of mutants that no test can notice, each with the reason."""
    path = folder / "equivalent.txt"
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        name, equals, reason = line.partition(" = ")
        if line.strip() and not line.startswith("#"):
            if not equals or not reason.strip():
                raise Fault("equivalent.txt: %s has no reason" % name)
            found[name.strip()] = reason.strip()
    return found
