"""What is made from Spec/codes.json: Spec/verification-codes.md and the Swift table of codes."""

import json
import re
import textwrap

from .swift import ROOT, literal

CODES = ROOT / "Spec" / "codes.json"
PAGE = ROOT / "Spec" / "verification-codes.md"
TABLE = ROOT / "Sources" / "Codes" / "Generated" / "Codes.swift"
WIDTH = 120
LAYERS = ("container", "line", "canonical", "shape", "item", "order", "manifest", "archive")


def group_of(entry):
    """The layer or check of a code."""
    return entry["code"].partition(".")[0]


def groups(table):
    """The entries by layer or check, in the order of the table."""
    found = {}
    for entry in table["codes"]:
        found.setdefault(group_of(entry), []).append(entry)
    return found


# Groups that are neither a layer nor a check, with what their sections begin with.
OTHERS = {"signature": """## Signature

`hp-verify bundle` with `--allowed-signers` ([signatures.md](signatures.md)). One of these is found at most. It makes no
layer unknown.
""", "timestamp": """## Timestamp

`hp-verify` with `--tsa-ca` ([signatures.md](signatures.md#time)). One of these is found at most, and none beside one of
*signature*. OpenSSL's own test service shows each: `Tests/cli/test_time_stamps.py`.
""", "entries": """## Entries

`hp-verify history` with `--entries` ([history.md](history.md#entries-in-a-file)). One of these is found at most.
"""}

# The page

HEAD = """# Verification codes

This page is made from [codes.json](codes.json), which has the same for programs. `hp-verify explain CODE` prints it.
A finding has a code, its places, what was expected and what was found. Codes are stable: tools may match on them. No
finding text holds a health value.
"""
PLACES = """
A finding with `line` also has `frame` where the container is a bundle, except in the layer *archive*. Behind something
lost whose number of lines is not known, lines have no number up to the end of the file; then `line` is absent. An
entry below says which places a code has, and where one of them is there only sometimes.
"""
CHECKS = """
## Checks of an archive

`hp-verify archive` ([archive-verification.md](archive-verification.md)). The part before the dot is the check. Nothing
that a check finds makes another one unknown. `archive.changed` is reported here too.
"""


def wrapped(text, first="", rest="  "):
    return "\n".join(textwrap.wrap(text, WIDTH - 2, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False))


def places_text(entry):
    parts = ["`%s` (%s)%s" % (place["place"], place["meaning"], ", where " + place["where"] if "where" in place else "") for place in entry["places"]]
    return "; ".join(parts) or "none"


def entry_text(entry, is_layer):
    lines = ["**`%s`** %s. *%s*" % (entry["code"], entry["invalid"], entry["severity"])]
    lines = [wrapped(lines[0], "", "")]
    facts = [("Places", places_text(entry))]
    if is_layer:
        facts.append(("Damages", entry["damages"] + (", where " + entry["damages_where"] if "damages_where" in entry else "")))
    suppressed = ["`%s`" % code for code in entry.get("suppressed_by", [])]
    if suppressed:
        facts.append(("Not beside", ", ".join(suppressed)))
    if "suppressed_where" in entry:
        facts.append(("Not where", entry["suppressed_where"]))
    facts.append(("For people", entry["sentence"].rstrip(".")))
    if "vector" in entry:
        facts.append(("Vector", "`%s`" % entry["vector"]))
    return "\n".join([*lines, "", *(wrapped("%s: %s." % fact, "- ") for fact in facts), ""])


def words_table(head, words):
    return "\n".join(["| %s | meaning |" % head, "|---|---|", *("| `%s` | %s |" % pair for pair in words.items()), ""])


def page(table):
    parts = [HEAD, words_table("place", table["places"]) + PLACES, words_table("severity", table["severities"]), words_table("damages", table["damages"])]
    is_layer = True
    for group, entries in groups(table).items():
        if group in OTHERS:
            parts += [OTHERS[group], *(entry_text(entry, False) for entry in entries)]
            continue
        if is_layer and group not in LAYERS:
            parts.append(CHECKS.lstrip("\n"))
            is_layer = False
        parts.append("%s %s\n" % ("##" if is_layer else "###", group.capitalize()))
        parts += [entry_text(entry, is_layer) for entry in entries]
    return "\n".join(parts).rstrip("\n") + "\n"


# Swift

MADE = "// Made from Spec/codes.json by Scripts/write-format.\n"


def name_of(code):
    """`container.seek_table` as `containerSeekTable`."""
    words = re.split("[._]", code)
    name = words[0] + "".join(word.upper() if word in ("id", "utf8") else word.capitalize() for word in words[1:])
    return name


def swift_text(text, indent, around=2):
    """A text as one literal, or as one of several lines. So many characters stand `around` it on its line.

    Several lines are indented as swift-format does it: with the literal where that begins a line, else by one step.
    """
    if indent + around + len(literal(text)) <= WIDTH:
        return literal(text)
    width = WIDTH - indent - 6
    lines = textwrap.wrap(text.replace("\\", "\\\\"), width, break_long_words=False, break_on_hyphens=False)
    inner = " " * (indent + (4 if around > 2 else 0))
    return '"""\n' + " \\\n".join(inner + line for line in lines) + "\n" + inner + '"""'


def swift_codes(table):
    lines = ["/// What a finding can be: a code of `Spec/codes.json`.", "public enum Code: String, CaseIterable, Sendable {"]
    for group, entries in groups(table).items():
        lines += ["    // %s" % group.capitalize(), *("    case %s = %s" % (name_of(entry["code"]), literal(entry["code"])) for entry in entries)]
    return "\n".join(lines) + "\n}\n"


def swift_place(place):
    """The lines of a place: one where it fits."""
    name, meaning = "." + place["place"], swift_text(place["meaning"], 20)
    where = ["where: " + swift_text(place["where"], 20, 10)] if "where" in place else []
    line = "                Place(%s)," % ", ".join([name, meaning, *where])
    if len(line) <= WIDTH and "\n" not in line:
        return [line]
    first = [name, meaning] if "\n" in meaning else ["%s, %s" % (name, meaning)]
    return ["                Place(", ",\n".join(" " * 20 + text for text in [*first, *where]) + "),"]


def swift_places(places):
    """An array of one element stands on one line where it can, and has no comma behind it."""
    lines = [line for place in places for line in swift_place(place)]
    if len(places) == 1:
        lines[-1] = lines[-1].rstrip(",")
        line = "            places: [%s]," % lines[0].strip()
        if len(lines) == 1 and len(line) <= WIDTH:
            return [line]
    return ["            places: [", *lines, "            ],"]


def swift_entry(entry):
    lines = ["            .%s, .%s," % (name_of(entry["code"]), entry["severity"]), "            %s," % swift_text(entry["invalid"], 12)]
    if entry["places"]:
        lines += swift_places(entry["places"])
    if entry["damages"] != "nothing":
        lines.append("            damages: .%s," % entry["damages"])
    if "damages_where" in entry:
        lines.append("            damagesWhere: %s," % swift_text(entry["damages_where"], 12, 16))
    lines.append("            sentence: %s)," % swift_text(entry["sentence"], 12, 14))
    return "        CodeEntry(\n" + "\n".join(lines)


def swift_table(group, entries):
    text = "    private static let %s: [CodeEntry] = [\n" % group
    made = "\n".join(map(swift_entry, entries))
    return text + (made if len(entries) > 1 else made.rstrip(",")) + "\n    ]"


def swift_names(name, what, words):
    return ["/// %s" % what, "public enum %s: String, CaseIterable, Sendable {" % name, "    case " + ", ".join(words)]


def swift_words(name, what, words):
    lines = [*swift_names(name, what, words), "", "    /// What it means.", "    public var meaning: String {", "        switch self {"]
    for word, meaning in words.items():
        lines.append("        case .%s:\n            %s" % (word, swift_text(meaning, 12)))
    return "\n".join([*lines, "        }", "    }", "}"])


def swift_meanings(table):
    return "\n\n".join([
        swift_words("Severity", "What a finding means for what is in the file.", table["severities"]),
        # A code says what its own places mean.
        "\n".join([*swift_names("PlaceName", "A place that a finding can have.", table["places"]), "}"]),
        swift_words("Damages", "What a finding takes from the layers behind its own.", table["damages"])]) + "\n"


def swift_entries(table):
    """All entries, a list for each group: one list of all would take the compiler long."""
    every = groups(table)
    names = textwrap.wrap(", ".join(every), WIDTH - 1, initial_indent=" " * 8, subsequent_indent=" " * 8)
    lists = [swift_table(group, entries) for group, entries in every.items()]
    return "extension CodeEntry {\n    /// Every code, in the order of the table.\n    public static let all: [CodeEntry] = [\n" \
        + "\n".join(names) + ",\n    ].flatMap { $0 }\n\n" + "\n\n".join(lists) + "\n}\n"


def made():
    """Every file that is made, by its path."""
    table = json.loads(CODES.read_text(encoding="utf-8"))
    return {PAGE: page(table), TABLE: "\n".join([MADE, swift_codes(table), swift_meanings(table), swift_entries(table)])}
