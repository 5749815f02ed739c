"""Changed reports: in the bytes, rows, cells, lines or values of any container, and in the sidecars of tables.

What a change is made of comes from a random generator alone.
"""

import copy
import hashlib
import html
import json
import re

import generate
import generate_days
import generate_pages
import generate_reports

from .bundles import Case, is_large, text_of
from .pieces import TOKENS, change_bytes, change_list, change_value, respell

SUFFIXES = {"lines": ".jsonl", "envelope": ".json", "table": ".csv", "bundle": ".jsonl.zst", "page": ".html"}
OPENING = b'\n<template id="healthprobe-evidence">\n'
KIND_OF_ITEMS = {"record": "record", "sample": "record", "version": "record"}
CELLS = ["", "'", "''", "'=1", "=1", "'x", '"', '"a"', '""', '"a,b"', '"a\r\nb"', '"\r\n"', "a\rb", " a", "\ufeff", "\0", "1", "1.5", "1.0", "-0", "01",
         "1e5", "1e400", "9007199254740993", "true", "True", "null", "{}", "[]", '"{""a"":1}"', '"{""a"": 1}"', '"{""b"":1,""a"":2}"', "2024-02-01T10:00:00.000Z",
         "2024-02-30T10:00:00.000Z", "2024-02-01T10:00:00.0001Z", "0" * 64, "F" * 64, "x" * 300]
CELL = re.compile(rb'(?<=[,\n])(?:"(?:[^"]|"")*"|[^,"\r\n]*)(?=[,\r])')


class ReportCase(Case):
    """A changed report."""

    def __init__(self, name, data, sidecar, file):
        super().__init__(name, data, None, sidecar, file)

    def contradiction(self, result):
        if result["result"] == "ok" and not holds_by_itself(self.data, self.sidecar):
            return "says ok, but its lines do not follow from their own values"
        return None


def holds_by_itself(data, sidecar):
    """Whether a report is what the generator of the vectors makes of the values in it; of a table, whether its sidecar is."""
    if sidecar is not None and not data.startswith(generate.FRAME_MAGIC):
        stated = json.loads(sidecar)["urn:healthprobe:report"]
        return stated["sha256"] == hashlib.sha256(data).hexdigest() and generate.canonical(json.loads(sidecar)).encode() + b"\n" == sidecar
    if data.startswith(b"<!DOCTYPE html>"):
        read, carried = data[:data.index(OPENING) + 1], data[data.index(OPENING) + len(OPENING):data.rindex(b"</template>")]
        text = html.unescape(carried.decode()).encode()
        stated = json.loads(text.splitlines()[-1])["totals"].get("page_sha256")
        return hashlib.sha256(read).hexdigest() == stated and read + generate_pages.carried(text) == data and holds_by_itself(text, None)
    text = text_of(data) if data.startswith(generate.FRAME_MAGIC) else data
    try:
        whole = json.loads(text)
        return generate_reports.envelope(remade(whole["export"], whole["items"], whole["totals"])) == text
    except ValueError:
        values = [json.loads(line) for line in text.splitlines()]
        return generate_reports.text_of(remade(values[0]["export"], values[1:-1], values[-1]["totals"])) == text


def remade(export, items, totals):
    """The lines of a report with these contents. What a page says of itself is taken from its totals."""
    export, items = {name: value for name, value in export.items() if name != "export_id"}, [value["item"] for value in items]
    try:
        made = generate_days.day_lines(export, items) if export.get("export_kind") == "day_report" else generate_reports.report_lines(export, items)
    except (AttributeError, KeyError, TypeError, ValueError):  # changed members that no total can be made of
        made = generate_reports.report_lines(export, items)
    of_page = {name: totals[name] for name in ("page_sha256", "renderer") if name in totals}
    if of_page:
        made = generate_reports.report_lines(export, items, totals={**json.loads(made[-1])["totals"], **of_page})
    return made


class Report:
    """A report's file, its name, and the sidecar beside it, if there is one."""

    def __init__(self, name, container, data, sidecar=None):
        self.name, self.container, self.data, self.sidecar = name, container, data, sidecar


class Maker:
    """Makes changed reports of vectors."""

    def __init__(self, vectors):
        self.reports = [Report(vector.path.name, vector.container, vector.path.read_bytes(),
                               vector.sidecar.read_bytes() if vector.sidecar.exists() else None)
                        for vector in vectors if not is_large(vector.path.name)]
        self.of_container = {kind: [report for report in self.reports if report.container == kind] for kind in SUFFIXES}
        self.beside = [report for report in self.of_container["table"] if report.sidecar is not None]
        self.all_bytes = [report.data for report in self.reports] + [report.sidecar for report in self.beside]
        good = [vector for vector in vectors if not vector.codes and vector.container == "lines"]
        self.all_values = [[json.loads(line) for line in vector.path.read_bytes().splitlines()] for vector in good]

    def report(self, chance, name):
        """A changed report in any container."""
        kind = chance.choice(("file", "file", "text", "rows", "cells", "lines", "values", "values", "values"))
        return ReportCase("%s, report, %s" % (name, kind), *getattr(self, kind)(chance))

    def beside_table(self, chance, name):
        """A table whose sidecar is changed."""
        kind = chance.choice(("sidecar_bytes", "sidecar_text", "sidecar_values", "sidecar_values", "sidecar_values",
                              "sidecar_of_other"))
        return ReportCase("%s, sidecar, %s" % (name, kind), *getattr(self, kind)(chance))

    # Reports

    def file(self, chance):
        report = chance.choice(self.reports)
        data = bytearray(report.data)
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            change_bytes(chance, data, self.all_bytes, TOKENS)
        return followed(chance, report, bytes(data))

    def text(self, chance):
        report = chance.choice([report for report in self.reports if report.container != "bundle"])
        return followed(chance, report, changed_text(chance, report.data, self.all_bytes))

    def rows(self, chance):
        report = chance.choice(self.beside)
        rows = report.data.splitlines(keepends=True)
        for _ in range(chance.choice((1, 1, 2))):
            change_list(chance, rows, chance.choice((b"", b"\r\n", b"\n", b'"\r\n', b",\r\n", *rows[:2])))
        return followed(chance, report, b"".join(rows))

    def cells(self, chance):
        report = chance.choice(self.beside)
        data = report.data
        for _ in range(chance.choice((1, 1, 2, 3))):
            found = list(CELL.finditer(data, 0 if chance.random() < 0.1 else data.find(b"\n")))
            if found:
                cell = chance.choice(found)
                other = chance.choice(found).group() if chance.random() < 0.2 else chance.choice(CELLS).encode()
                data = data[:cell.start()] + other + data[cell.end():]
        return followed(chance, report, data)

    def lines(self, chance):
        made = chance.choice(self.of_container["lines"]).data.split(b"\n")[:-1]
        others = chance.choice(self.of_container["lines"]).data.split(b"\n")
        for _ in range(chance.choice((1, 1, 2, 4))):
            change_list(chance, made, chance.choice((b"", b"{}", b"null", b'{"item":{}}', *others)))
        if chance.random() < 0.4 and len(made) > 1:
            return generate_reports.envelope(made), None, "report.json"
        return b"\n".join(made) + b"\n" * (chance.random() < 0.9), None, "report.jsonl"

    def values(self, chance):
        values = copy.deepcopy(chance.choice(self.all_values))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            change_value(chance, values)
        if chance.random() < 0.2:
            change_list(chance, values, {"item": {}})
        return contained(chance, rehashed(chance, values))

    # Sidecars

    def sidecar_bytes(self, chance):
        report = chance.choice(self.beside)
        sidecar = bytearray(report.sidecar)
        for _ in range(chance.choice((1, 1, 2, 3))):
            change_bytes(chance, sidecar, self.all_bytes, TOKENS)
        return report.data, bytes(sidecar), report.name

    def sidecar_text(self, chance):
        report = chance.choice(self.beside)
        return report.data, changed_text(chance, report.sidecar, self.all_bytes), report.name

    def sidecar_values(self, chance):
        report = chance.choice(self.beside)
        try:
            values = [json.loads(report.sidecar)]
        except ValueError:
            return self.sidecar_bytes(chance)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            change_value(chance, values)
        return report.data, generate.canonical(values[0]).encode() + b"\n", report.name

    def sidecar_of_other(self, chance):
        report, other = chance.choice(self.of_container["table"]), chance.choice(self.beside)
        sidecar = chance.choice((None, b"", b"{}\n", other.sidecar, other.data))
        return report.data, sidecar, chance.choice((report.name, other.name, "report", "report.json"))


def changed_text(chance, data, others):
    text = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        if text and chance.random() < 0.5:
            respell(chance, text)
        else:
            change_bytes(chance, text, others, TOKENS)
    return bytes(text)


def followed(chance, report, data):
    """A changed file and its sidecar, which mostly states the size and the hash that the file has now."""
    sidecar = report.sidecar
    if sidecar is not None and chance.random() < 0.75:
        try:
            value = json.loads(sidecar)
            value["urn:healthprobe:report"].update(byte_count=len(data), sha256=hashlib.sha256(data).hexdigest())
            sidecar = generate.canonical(value).encode() + b"\n"
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
    return data, sidecar, report.name


def rehashed(chance, values):
    """The lines of the values; mostly with hashes that follow from what is there."""
    if chance.random() < 0.8:
        try:
            if chance.random() >= 0.1:
                return remade(values[0]["export"], values[1:-1], values[-1]["totals"])
            export = {name: value for name, value in values[0]["export"].items() if name != "export_id"}
            return generate_reports.report_lines(export, [value["item"] for value in values[1:-1]], totals=values[-1]["totals"])
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            pass
    return [generate.canonical(value).encode() for value in values]


def contained(chance, made):
    """Lines in a container. What cannot be a table or an envelope stays lines."""
    container = chance.choice(("lines", "envelope", "table", "table", "bundle", "page"))
    try:
        if container == "page":
            return generate_pages.READ + generate_pages.carried(generate_reports.text_of(made)), None, "report.html"
        if container == "bundle":
            return generate.of_lines(made), None, "report.jsonl.zst"
        if container == "envelope":
            return generate_reports.envelope(made), None, "report.json"
        if container == "table":
            return table(made)
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        pass
    return generate_reports.text_of(made), None, "report.jsonl"


def table(made):
    """Lines as a table and its sidecar."""
    kinds = [json.loads(line)["item"]["item_kind"] for line in made[1:-1]]
    kind = KIND_OF_ITEMS.get(kinds[0], kinds[0]) if kinds else "record"
    data = b"".join(generate_reports.rows_of(made, kind))
    sidecar = generate_reports.sidecar_of(made, kind, "report.csv", data)
    return data, generate.canonical(sidecar).encode() + b"\n", "report.csv"
