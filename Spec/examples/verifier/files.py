"""Files: which container a file is, and what all layers say of it. `verify` is all that a caller needs."""

import os

from .envelopes import is_envelope_file, read_envelope, read_lines
from .findings import LAYERS, Report
from .frames import FRAME_MAGIC, Container
from .lines import EndOfExamination, Lines
from .pages import BEGINNING, read_page
from .tables import read_table


# The parts of a file that are compared with nothing, and what its verdict says of them (Spec/verifier.md).
NOT_VERIFIED = {"cells": "; cells not verified", "page": "; what is read was not compared with its items", "labels": "; labels: not checked"}


def verify(file, name="", sidecar=None):
    """Verifies one open file and returns the object that --json prints for it.

    `name` is its name without folders, and `sidecar` the bytes of the file beside a table, if there is one. Raises
    UnreleasedFormat for a file that a build before the first release made.
    """
    return verify_export(file, name, sidecar)[0]


def verify_export(file, name="", sidecar=None):
    """The same, and the export that was found: kind, id and manifest hash; None where lines are lost."""
    report = Report()
    lines = Lines(report, file.seek(0, os.SEEK_END))
    try:
        read(file, name, sidecar, lines)
    except EndOfExamination:
        report.withheld.update(LAYERS)
    lines.settle_order()
    layers = {layer: report.status(layer) for layer in LAYERS}
    if lines.is_view:  # its items are not in the file
        layers = {layer: "unknown" if layer in ("item", "order") and status == "ok" else status for layer, status in layers.items()}
    elsewhere = ("archive", "item", "order") if lines.is_view else ("archive",)
    good = all(status == "ok" or layer in elsewhere and status == "unknown" for layer, status in layers.items())
    total = sum(report.counts.values())
    has_labels = lines.header is not None and lines.header["scope"]["mode"] == "changes"
    not_verified = ["cells"] if lines.is_view else ["page"] * lines.is_page + ["labels"] * has_labels
    what = " salvage" if lines.is_salvage else " people view" if lines.is_view else " page" if lines.is_page else ""
    verdict = "valid%s: self-consistent%s" % (what, "".join(NOT_VERIFIED[part] for part in not_verified)) if good else \
        "invalid%s: %d finding%s" % (what, total, "s" * (total != 1))
    result = {"result": "ok" if good else "findings", "layers": layers, "verdict": verdict, "not_verified": not_verified,
              "item_count": lines.totals.item_count, "findings": report.findings}
    if total > len(report.findings):
        result["counts"] = report.counts
    if lines.header is None or lines.computed_hash is None:
        return result, None
    return result, {"kind": lines.header["export_kind"], "id": lines.header["export_id"], "manifest": lines.computed_hash,
                    "history": lines.header.get("history"), "observation": lines.header["scope"].get("observation_id")}


def read(file, name, sidecar, lines):
    """Reads a file in the container that it begins like."""
    file.seek(0)
    first = file.read(len(BEGINNING))
    start = first[:4]
    looks_like_bundle = start[:4] == FRAME_MAGIC or start and len(start) < 4 and FRAME_MAGIC.startswith(start)
    if not looks_like_bundle and (name.endswith(".csv") or sidecar is not None):
        end_lost = read_table(file, sidecar, name, lines)
    elif first == BEGINNING:
        lines.is_page = True
        end_lost = read_page(file, lines) and not is_complete(lines)
    elif start.startswith(b"{"):
        end_lost = (read_envelope if is_envelope_file(file) else read_lines)(file, lines) and not is_complete(lines)
    else:
        container = Container(file, lines.report)
        for frame, text in container.texts():
            lines.take(frame, text)
        end_lost = container.end_lost and not is_complete(lines)
    lines.finish(end_lost)


def is_complete(lines):
    """Whether an undamaged manifest came and nothing was lost before: an end that is lost behind it is no loss."""
    return lines.manifest and not lines.report.withheld
