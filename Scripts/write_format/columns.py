"""The Swift lists of the columns of tables, which are made from Spec/columns.json."""

import json

from .swift import ROOT, camel, literal

COLUMNS = ROOT / "Spec" / "columns.json"
LISTS = ROOT / "Sources" / "Format" / "Generated" / "TableColumns.swift"
HEAD = """// Made from Spec/columns.json by Scripts/write-format.
// swift-format-ignore-file

"""


def type_of(name, kind, names):
    """What a cell holds: `json` is metadata, an object without a member, or any value."""
    if kind != "json":
        return kind
    if name.rpartition(".")[2] == "metadata":
        return "metadata"
    return "emptyObject" if any(other.startswith(name + ".") for other in names) else "json"


def made():
    """The lists, by their path."""
    lists = []
    for kind, columns in json.loads(COLUMNS.read_text(encoding="utf-8")).items():
        names = [name for name, _ in columns]
        lists.append("\n".join([
            "    /// Columns of `%s` items." % kind, "    public static let %s: [TableColumn] = [" % camel(kind),
            *("        TableColumn(%s, .%s)," % (literal(name), type_of(name, of, names)) for name, of in columns), "    ]"]))
    return {LISTS: HEAD + "extension TableColumn {\n" + "\n\n".join(lists) + "\n}\n"}
