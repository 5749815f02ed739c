"""The Swift tables of archives, which are made from Spec/archive-schema.sql and Spec/archive-extensions.sql."""

import re
import sqlite3

from .swift import ROOT, camel, folded, literal

SPEC = ROOT / "Spec"
TABLES = ROOT / "Sources" / "Format" / "Generated" / "ArchiveTables.swift"
SCHEMA, EXTENSIONS = "archive-schema.sql", "archive-extensions.sql"
TYPES = {"INTEGER": "integer", "REAL": "real", "TEXT": "text", "BLOB": "blob"}
MARK = re.compile(r"--: (\w+) ([\w ]+?)(?:: (.*))?")
WORDS = {"word": "word", "rules_word": "rulesWord"}
HEAD = """// Made from Spec/archive-schema.sql and Spec/archive-extensions.sql by Scripts/write-format.
// swift-format-ignore-file

"""


def groups():
    """The name of each group of tables and its part of the text: the schema, then the extensions."""
    yield "schema", (SPEC / SCHEMA).read_text(encoding="utf-8")
    parts = re.split(r"^-- extension:(\w+)\n", (SPEC / EXTENSIONS).read_text(encoding="utf-8"), flags=re.MULTILINE)
    yield from zip(parts[1::2], parts[2::2])


def marks_of(text):
    """What stands before each table: (kind, columns, words)."""
    marks, open_marks = {}, []
    for line in text.splitlines():
        if line.startswith("--:"):
            kind, columns, words = MARK.fullmatch(line).groups()
            open_marks.append((kind, columns.split(), words.split() if words else []))
        elif line.startswith("CREATE TABLE "):
            marks[line.split()[2]], open_marks = open_marks, []
    return marks


def statements(text):
    """The text without comments and blank lines at its ends."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip("\n")


def column(connection, table, row, marks):
    """A column as Swift."""
    _, name, of, is_required, _, key = row
    keys = connection.execute("SELECT count(*) FROM pragma_table_info(?) WHERE pk > 0", (table,)).fetchone()[0]
    references = {row[3]: row[2] for row in connection.execute("PRAGMA foreign_key_list(%s)" % table)}
    values, words = TYPES[of], []
    for kind, columns, listed in marks:
        if name not in columns or kind.endswith("order"):
            continue
        if kind == "reference":
            references[name] = listed[0]
        else:
            values, words = WORDS.get(kind, kind), listed
    text = "Column(%s, .%s" % (literal(name), values)
    text += ", isRequired: true" if is_required or key and keys == 1 else ""
    text += ", reference: %s" % literal(references[name]) if name in references else ""
    text += ", words: [%s]" % ", ".join(map(literal, words)) if words else ""
    return text + ")"


def table(connection, name, marks):
    """A table as Swift."""
    columns = [column(connection, name, row, marks) for row in connection.execute("PRAGMA table_info(%s)" % name)]
    orders = [", order: Order(%s, %s%s)" % (*map(literal, columns), ", isFromSource: true" if kind == "source_order" else "")
              for kind, columns, _ in marks if kind.endswith("order")]
    lines = ["    private static let %s = ArchiveTable(" % camel(name), "        %s," % literal(name), "        ["]
    return "\n".join([*lines, *("            %s," % folded(each, 16) for each in columns), "        ]%s)" % "".join(orders)])


def made():
    """The tables, by their path."""
    connection = sqlite3.connect(":memory:")
    lists, tables, texts = [], [], []
    for group, text in groups():
        connection.executescript(text)
        marks = marks_of(text)
        lists += ["    /// The tables of `%s`, in the order of the text." % group,
                  "    public static let %s: [ArchiveTable] = [" % camel("of_" + group),
                  *("        %s," % camel(name) for name in marks), "    ]", ""]
        tables += [table(connection, name, marks[name]) for name in marks]
        texts += ["    /// The statements that make the tables and indexes of `%s`, each with a semicolon behind it." % group,
                  '    public static let %s = """' % camel(group),
                  *("        " + line if line else "" for line in statements(text).splitlines()), '        """', ""]
    parts = ["extension ArchiveTable {", *lists, "\n\n".join(tables), "}", "", "/// The SQL of archives, without comments.",
             "public enum ArchiveStatements {", *texts[:-1], "}", ""]
    return {TABLES: HEAD + "\n".join(parts)}
