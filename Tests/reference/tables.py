"""Spec/reports.md, "Table": CSV in the dialect healthprobe-csv-1, and its sidecar."""

import hashlib
import json
import pathlib

from export_bundle import canonical

COLUMNS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Spec" / "columns.json").read_text(encoding="utf-8"))
GUARDED = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "\uff1d", "\uff0b", "\uff0d", "\uff20")
DATATYPES = {"text": "string", "hash": "string", "timestamp": "dateTime", "number": "double"}
CSVW_DIALECT = {
    "commentPrefix": None, "delimiter": ",", "doubleQuote": True, "encoding": "utf-8", "header": True, "headerRowCount": 1,
    "lineTerminators": ["\r\n"], "quoteChar": '"', "skipBlankRows": False, "skipInitialSpace": False, "trim": False}


def guarded(text):
    return "'" + text if text == "" or text.startswith(GUARDED) else text


def quoted(cell):
    needs = any(c in cell for c in '",\r\n') or cell[:1] in (" ", "\t") and cell or cell[-1:] in (" ", "\t") and cell
    return '"' + cell.replace('"', '""') + '"' if needs else cell


def member(item, path):
    """The member at a path; None where it, or an object on the way, is absent."""
    value = item
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def cell(item, name, kind):
    value = member(item, name)
    if kind == "json" and name.split(".")[-1] in ("source", "device"):
        return "{}" if value == {} else ""  # its members have columns of their own
    if value is None:
        return ""
    if kind in ("text", "hash"):
        return guarded(value)
    if kind == "timestamp":
        return value
    if kind == "json" and isinstance(value, str):
        return guarded(value)
    return canonical(value)


def table(item_kind, items, hashes):
    """The bytes of a table."""
    columns = COLUMNS[item_kind]
    rows = [[name for name, _ in columns]]
    for item, item_hash in zip(items, hashes):
        whole = {**item, "item_hash": item_hash}
        rows.append([cell(whole, name, kind) for name, kind in columns])
    return "".join(",".join(map(quoted, row)) + "\r\n" for row in rows).encode()


def datatype(name, kind):
    return "string" if kind == "integer" and name.endswith("_id") else DATATYPES.get(kind, kind)


def sidecar(file_name, item_kind, data, export, totals, manifest_hash):
    """The bytes of the sidecar of a table with this file name and these bytes."""
    columns = [{"datatype": datatype(name, kind), "name": name, "titles": name} for name, kind in COLUMNS[item_kind]]
    report = {
        "byte_count": len(data), "dialect": "healthprobe-csv-1", "export": export, "manifest_hash": manifest_hash,
        "row_count": totals["item_count"], "sha256": hashlib.sha256(data).hexdigest(), "totals": totals}
    value = {"@context": "http://www.w3.org/ns/csvw", "dialect": CSVW_DIALECT, "tableSchema": {"columns": columns},
             "url": file_name, "urn:healthprobe:report": report}
    return (canonical(value) + "\n").encode()
