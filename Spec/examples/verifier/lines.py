"""Lines of an export, header to manifest, whatever container they travelled in."""

import hashlib
import json

from .canonical import Canonical, canonical
from .evidence import Rows, faults_of_evidence
from .findings import BYTES_OF_OTHER, MAX_LINE, OTHERS, Fault
from .hashes import export_id, sha256
from .identities import Alike, content_faults
from .members import HEX64, PROVENANCE, has_payload
from .ordering import date, first_difference, identity, order_key, rises
from .reports import EXPORTS
from .shapes import shape_of_line, types_covered
from .timestamps import read_timestamp


# What a line is read as, by the first of these members that it has, and the kind of line that it stands for.
FORMS = (("header", ("export",)), ("item", ("item", "item_hash")), ("manifest", ("manifest_hash",)),
         ("salvage", ("salvage",)), ("salvage end", ("salvage_hash",)), ("manifest", ("totals",)))
KINDS = {"salvage": "header", "salvage end": "manifest"}


class EndOfExamination(Exception):
    """Nothing that follows is looked at: an unknown format, or too many lines that are no undamaged items."""


class Lines:
    """Takes the texts of the frames and checks everything above them."""

    def __init__(self, report, size):
        self.report = report
        self.others_left = OTHERS + size // BYTES_OF_OTHER  # lines that may still be no undamaged items
        self.line, self.frame = 0, 0
        self.lines_known = True  # False once a frame is lost: lines have no number from there on
        self.open, self.overlong = bytearray(), False  # a line that a frame left unfinished
        self.started, self.seen = False, set()  # whether there was a line, or a loss; the kinds of lines so far
        self.latest = None  # the kind of the latest line; None where it is damaged or lost
        self.header = self.header_bytes = self.manifest = None
        self.is_salvage = None  # whether the file is a salvage, by its header or last line that is whole
        self.previous = None  # of the item before: order key, bytes, and the kinds of items that are sorted with it
        self.item_count, self.types = 0, {}
        self.manifest_hash = hashlib.sha256(b'hp:v2:export_manifest:{"export":')
        self.ends = {"source": set(), "target": set()}
        self.rows, self.alike = Rows(), Alike()

    # Lines

    def take(self, frame, text):
        """Takes the text of a frame, or None for one that is lost."""
        self.leave_open()
        self.frame = frame
        if text is None:
            self.lose("container", None)
            self.lines_known, self.open, self.overlong = False, bytearray(), False
        else:
            self.take_text(text)

    def take_text(self, text):
        start = 0
        while start < len(text):
            if not self.open and not self.overlong and text[start] == 10:
                start = self.blank(text, start)
                continue
            end = text.find(b"\n", start)
            self.grow(text, start, len(text) if end < 0 else end)
            if end < 0:
                return
            self.finish_line()
            start = end + 1

    def blank(self, text, start):
        end = start
        while text.startswith(b"\n" * 4096, end):
            end += 4096
        while text.startswith(b"\n", end):
            end += 1
        self.line += 1
        self.spend()
        self.lose("line", "line.blank", found=end - start)
        self.line += end - start - 1
        return end

    def spend(self):
        """Counts a line that is no undamaged item."""
        if not self.others_left:
            self.lose("line", "line.damaged_limit")
            raise EndOfExamination
        self.others_left -= 1

    def grow(self, text, start, end):
        if len(self.open) + end - start > MAX_LINE or self.overlong:
            self.open, self.overlong = bytearray(), True
        else:
            self.open += memoryview(text)[start:end]

    def finish_line(self):
        line, overlong = bytes(self.open), self.overlong
        self.open, self.overlong = bytearray(), False
        self.line += 1
        if overlong:
            self.spend()
            self.lose("line", "line.limit")
        else:
            self.examine(line)

    def take_line(self, line):
        """Takes one line without its line end, of a container that cuts the lines itself."""
        self.line += 1
        if len(line) > MAX_LINE:
            self.spend()
            self.lose("line", "line.limit")
        else:
            self.examine(line)

    def lose_line(self, layer, code, pointer=None):
        """Counts a line that its container could not put together."""
        self.line += 1
        if code:
            self.spend()
        self.lose(layer, code, pointer=pointer)

    def leave_open(self):
        """A frame ended inside a line, and it was not the last one."""
        if self.open or self.overlong:
            self.report.add("container.frame_line_end", frame=self.frame)

    def place(self):
        return {"line": self.line or None if self.lines_known else None, "frame": self.frame or None}

    def lose(self, layer, code, **more):
        """The line, or the frame, is damaged at `layer`: later layers do not see it."""
        if code:
            self.report.add(code, **self.place(), **more)
        self.started, self.latest = True, None
        self.report.withhold_after(layer)

    def examine(self, line):
        try:
            value = Canonical(line).read()
        except Fault as fault:
            self.spend()
            return self.lose("canonical", fault.code, byte=fault.byte)
        form = next((form for form, names in FORMS
                     if isinstance(value, dict) and any(name in value for name in names)), None)
        kind = KINDS.get(form, form)
        faults = shape_of_line(form, value) if form == "item" else []
        if form != "item" or faults:
            self.spend()
        if not self.started and kind not in (None, "header"):
            self.report.add("line.header_missing", **self.place())
        if "manifest" in self.seen:  # reported once, however many lines follow
            return self.lose("line", None if "line.after_manifest" in self.report.counts else "line.after_manifest")
        if kind is None or (kind == "header" and kind in self.seen):
            return self.lose("line", "line.header_repeated" if kind else "line.kind")
        if kind == "header":
            self.check_format(form, value)
        faults = shape_of_line(form, value) if form != "item" else faults
        if kind == "manifest" and not faults and self.is_salvage not in (None, form == "salvage end"):
            return self.lose("line", "line.kind")  # the last line of the other kind of file
        self.started, self.latest = True, kind
        self.seen.add(kind)
        for code, pointer in faults:
            self.report.add(code, pointer=pointer, **self.place())
        if faults:
            self.report.withhold_after("shape")
        else:
            {"header": self.take_header, "item": self.take_item, "manifest": self.take_manifest,
             "salvage": self.take_salvage, "salvage end": self.take_salvage_end}[form](line, value)

    def check_format(self, form, value):
        holder = "salvage" if form == "salvage" else "export"
        export = value[holder]
        if not isinstance(export, dict):
            return
        name, version = export.get("format"), export.get("format_version")
        known = {"healthprobe-salvage"} if form == "salvage" else {kind.format for kind in EXPORTS.values()}
        known_name = not isinstance(name, str) or name in known
        known_version = not isinstance(version, (int, float)) or isinstance(version, bool) or version == 1
        if not (known_name and known_version):
            pointer = "/%s/%s" % (holder, "format_version" if known_name else "format")
            self.report.add("shape.format_version", pointer=pointer, **self.place())
            raise EndOfExamination

    # Items

    def take_header(self, line, value):
        self.is_salvage = False
        self.header, self.header_bytes = value["export"], line[len('{"export":'):-1]
        export, chosen = self.header, self.header["filter"]
        self.manifest_hash.update(self.header_bytes + b',"items":[')
        for pointer, values in (
            ("/export/coverage", [entry.get("sample_type") for entry in export["coverage"]]),
            ("/export/filter/sample_types", chosen.get("sample_types", ())),
            ("/export/filter/sources", chosen.get("sources", ())),
            ("/export/from_coverage", [entry.get("sample_type") for entry in export.get("from_coverage", ())]),
            ("/export/observations", [entry.get("id") for entry in export["observations"]]),
            ("/export/scope/changes", export["scope"].get("changes", ())),
        ):
            if not rises(values):
                self.report.add("order.coverage", pointer=pointer, **self.place())
        self.check_export_id(export, self.header_bytes)
        self.covered = types_covered(export)

    def check_export_id(self, export, data):
        expected = export_id(data)
        if expected != export["export_id"]:
            self.report.add("manifest.export_id", expected=expected, found=export["export_id"], **self.place())

    def take_salvage(self, line, value):
        self.is_salvage, self.header = True, value["salvage"].get("export")
        self.salvage_bytes = line[len('{"salvage":'):-1]
        self.manifest_hash = hashlib.sha256(b'hp:v2:salvage:{"items":[')
        if self.header:
            self.check_export_id(self.header, canonical(self.header))

    def take_item(self, line, value):
        item, declared = value["item"], value["item_hash"]
        item_bytes = line[len('{"item":'):-len(',"item_hash":""}') - 64]
        computed = sha256(b"hp:v2:export_item:", item_bytes)
        if computed != declared:
            self.report.add("item.hash", expected=computed, found=declared, **self.place())
        elif self.header and "identity_rules" in self.header and has_payload(item):
            for code, name, expected in content_faults(item, self.alike):
                found = item[name] if HEX64.fullmatch(item[name]) else None
                self.report.add(code, pointer="/item/" + name, expected=expected, found=found, **self.place())
        else:
            for code, pointer in faults_of_evidence(item, self.header):
                self.report.add(code, pointer=pointer, **self.place())
        if item["item_kind"] == "comparison":
            self.rows.add(item)
        key = order_key(item)
        if self.previous and not self.is_salvage:  # a salvage keeps the order of the damaged file
            if item_bytes == self.previous[1]:
                self.report.add("order.repeated", **self.place())
            elif item["item_kind"] in self.previous[2] and key < self.previous[0]:
                self.report.add("order.items", **self.place())
        self.previous = key, item_bytes, sorted_together(item["item_kind"])
        if self.header and not self.is_salvage and self.excluded(item):
            self.report.add("manifest.scope", **self.place())
        self.count(item, declared)

    def excluded(self, item):
        """Whether the header rules the item out, or something in it that was learned later."""
        export, scope = self.header, self.header["scope"]
        kinds = EXPORTS[export["export_kind"]].items
        if export["export_kind"] == "recovery_bundle":
            kinds = {"record"} if scope["mode"] == "point_in_time" else {"sample", "version"}
        if item["item_kind"] not in kinds or ("sample_type" in item and item["sample_type"] not in self.covered):
            return True
        if item["item_kind"] == "change":
            return self.excluded_change(item)
        is_dated_finding = item.get("finding") in ("exact_duplicate", "late_arrival")
        if has_payload(item) and not self.selects(item) or is_dated_finding and not self.selects_start(item):
            return True
        learned = [entry.get(name) for part, name in (
            ("visibility", "first_observation_id"), ("visibility", "last_observation_id"),
            ("events", "observation_id"), ("relationships", "observation_id")) for entry in item.get(part, ())]
        return any(observation > scope["observation_id"] for observation in learned if observation is not None)

    def selects(self, version):
        """Whether the filter selects a version; an absent start is not judged."""
        chosen = self.header["filter"]
        if "sources" in chosen and version.get("source", {}).get("bundle_identifier") not in chosen["sources"]:
            return False
        return self.selects_start(version)

    def selects_start(self, holder):
        chosen, start = self.header["filter"], date(holder, "start_date")
        return start is None or not (
            ("since" in chosen and start < read_timestamp(chosen["since"]))
            or ("until" in chosen and start >= read_timestamp(chosen["until"])))

    def excluded_change(self, item):
        scope = self.header["scope"]
        if item["change"] not in scope.get("changes", (item["change"],)):
            return True
        if not any(self.selects(item[side]) for side in ("before", "after") if side in item):
            return True
        older, newer = sorted((scope["from_observation_id"], scope["observation_id"]))
        learned = [event["observation_id"] for event in item.get("events", ()) if "observation_id" in event]
        return not all(older < observation <= newer for observation in learned)

    def count(self, item, declared):
        self.manifest_hash.update(b'%s"%s"' % (b"," if self.item_count else b"", declared.encode()))
        self.item_count += 1
        entry = self.types.setdefault(item.get("sample_type"), {
            "defect_count": 0, "item_count": 0, "provenance_loss": {},
            **({"sample_type": item["sample_type"]} if "sample_type" in item else {})})
        entry["item_count"] += 1
        counts_provenance = item["item_kind"] in ("record", "sample", "version")
        entry["defect_count"] += len(item.get("defects", ()))
        for code, raised in PROVENANCE.items():
            if counts_provenance and raised(item):
                entry["provenance_loss"][code] = entry["provenance_loss"].get(code, 0) + 1
        for relationship in item.get("relationships", ()):
            if relationship["end_in_scope"]:
                self.ends[relationship["end"]].add(relationship_key(item, relationship))

    # Manifest

    def take_salvage_end(self, line, value):
        self.manifest, self.is_salvage = value, True
        self.totals_bytes = line[len('{"salvage_hash":"","totals":') + 64:-1]

    def take_manifest(self, line, value):
        self.manifest, self.is_salvage = value, False
        self.totals_bytes = line[len('{"manifest_hash":"","totals":') + 64:-1]

    def finish(self, end_lost):
        if end_lost:
            self.leave_open()
            self.lose("container", None)
        elif self.open or self.overlong:
            self.line += 1
            self.spend()
            self.lose("line", "line.limit" if self.overlong else "line.unterminated")
        if not self.started:
            self.report.add("line.header_missing")
        if "manifest" not in self.seen and (self.latest or not self.started):
            self.report.add("line.manifest_missing", **self.place())
        if {"line.header_missing", "line.manifest_missing"} & self.report.counts.keys():
            self.report.withheld.add("manifest")
        if "manifest" not in self.report.withheld:
            self.check_manifest()

    def check_manifest(self):
        types = list(self.types.values())
        defects = (0 if self.is_salvage else len(self.header.get("defects", ()))) + sum(entry["defect_count"] for entry in types)
        expected = {"defect_count": defects, "item_count": self.item_count, "types": types}
        difference = first_difference(expected, self.manifest["totals"], "/totals")
        if difference is not None:
            self.report.add("manifest.totals", pointer=difference, **self.place())
        self.manifest_hash.update(b"]" + (b',"salvage":' + self.salvage_bytes if self.is_salvage else b""))
        self.manifest_hash.update(b',"totals":' + self.totals_bytes + b"}")
        computed = self.manifest_hash.hexdigest()
        declared = self.manifest["salvage_hash" if self.is_salvage else "manifest_hash"]
        if computed != declared:
            self.report.add("manifest.hash", expected=computed, found=declared, **self.place())
        if self.is_salvage:
            return  # the rest of a comparison, or the other end of a relationship, may be what is missing
        if not self.rows.add_up(self.header["export_kind"] == "diff_summary"):
            self.report.add("manifest.comparison")
        if self.ends["source"] != self.ends["target"]:
            self.report.add("manifest.relationships", found=len(self.ends["source"] ^ self.ends["target"]))


def sorted_together(item_kind):
    """The kinds of items whose order keys can be compared."""
    together = ("record", "sample", "version", "change")
    return together if item_kind in together else (item_kind,)


def relationship_key(item, relationship):
    """The same digest from both items of a relationship."""
    here = [item.get("sample_type"), identity(item)]
    there = [relationship.get("end_sample_type"), relationship.get("end_identity_hash")]
    source_and_target = here + there if relationship["end"] == "target" else there + here
    parts = [relationship.get("relationship_kind"), *source_and_target, relationship.get("observation_id")]
    return hashlib.sha256(json.dumps(parts).encode()).digest()
