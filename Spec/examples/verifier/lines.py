"""Lines of an export, header to manifest, whatever container they travelled in: Spec/lines.md."""

import hashlib

from .canonical import canonical, read
from .findings import BYTES_OF_OTHER, MAX_LINE, OTHERS, Fault
from .hashes import export_id, sha256
from .identities import Alike, content_faults, has_unshared_metadata
from .members import HEX64, has_payload
from .ordering import first_difference, order_key, repeats_type, rises, runs_rise
from .reports import EXPORTS
from .scope import Scope
from .shapes import shape_of_line
from .totals import Totals, is_missing_right


# What a line is read as, by the first of these members that it has, and the kind of line that it stands for.
FORMS = (("header", ("export",)), ("item", ("item", "item_hash")), ("manifest", ("manifest_hash",)),
         ("salvage", ("salvage",)), ("salvage end", ("salvage_hash",)), ("manifest", ("totals",)))
KINDS = {"salvage": "header", "salvage end": "manifest"}

# `format_version` (Spec/README.md, Versions): what is read, and what builds before the first release wrote.
VERSION, UNRELEASED = 3, (1, 2)
# The state table of Spec/lines.md. The states are what came before: nothing, something but no header, a header, a manifest.
# Of each kind of line: what is found, whether the line is examined, and the state behind it.
NOTHING, NO_HEADER, HEADER, MANIFEST = "nothing", "no header", "header", "manifest"
STATES = {
    NOTHING: {"header": (None, True, HEADER), "item": ("line.header_missing", True, NO_HEADER),
              "manifest": ("line.header_missing", True, MANIFEST), None: ("line.kind", False, NO_HEADER)},
    NO_HEADER: {"header": (None, True, HEADER), "item": (None, True, NO_HEADER),
                "manifest": (None, True, MANIFEST), None: ("line.kind", False, NO_HEADER)},
    HEADER: {"header": ("line.header_repeated", False, HEADER), "item": (None, True, HEADER),
             "manifest": (None, True, MANIFEST), None: ("line.kind", False, HEADER)},
    MANIFEST: dict.fromkeys(("header", "item", "manifest", None), ("line.after_manifest", False, MANIFEST)),
}
ONCE = "line.after_manifest"  # reported once, however many lines follow


class EndOfExamination(Exception):
    """Nothing that follows is looked at: an unknown format, or too many lines that are no undamaged items."""


class UnreleasedFormat(ValueError):
    """The file is one that builds before the first release wrote. Nothing reads it."""

    def __init__(self, version):
        super().__init__("made by an unreleased build, format %d: capture the exports again" % version)


class Lines:
    """Takes the texts of the frames and checks everything above them."""

    def __init__(self, report, size):
        self.report = report
        self.others_left = OTHERS + size // BYTES_OF_OTHER  # lines that may still be no undamaged items
        self.line, self.frame = 0, 0
        self.lines_known = True  # False once a frame is lost: lines have no number from there on
        self.open, self.overlong = bytearray(), False  # a line that a frame left unfinished
        self.is_blank = False  # whether the line before, in the same frame, is blank
        self.state = NOTHING
        self.is_latest_known = False  # whether it is known what the latest line is; False where it is damaged or lost
        self.header = self.header_bytes = self.manifest = self.computed_hash = None
        self.is_view = False  # whether only the hashes of the items are known
        self.view_hashes = []  # numbers of items, and their hashes
        self.is_page = False  # whether it is a page to read
        self.is_salvage = None  # whether the file is a salvage, by its header or last line that is whole
        self.previous = None  # the item before, its bytes and its order key
        self.held = []  # what was found of order while it is not known whether the file is a salvage, which has no order
        self.totals = Totals()
        self.manifest_hash = hashlib.sha256(b'hp:v2:export_manifest:{"export":')
        self.alike = Alike()

    # Lines

    def take(self, frame, text):
        """Takes the text of a frame, or None for one that is lost."""
        self.leave_open()
        self.frame, self.is_blank = frame, False
        if text is None:
            self.lose_lines()
            self.open, self.overlong = bytearray(), False
        else:
            self.take_text(text)

    def take_text(self, text):
        start = 0
        while start < len(text):
            if not self.open and not self.overlong and text[start] == 10:
                start = self.blank(text, start)
                continue
            self.is_blank = False
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
        if not self.is_blank:
            self.spend()
            self.lose("line", "line.blank", found=end - start)
        self.is_blank = True
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

    def lose_lines(self):
        """Bytes are lost, and nobody knows how many lines."""
        self.lose("container", None)
        self.lines_known = False

    def lose(self, layer, code, **more):
        """The line, or the frame, is damaged at `layer`: later layers do not see it."""
        if code and not (code == ONCE and code in self.report.counts):
            self.report.add(code, **self.place(), **more)
        self.state = NO_HEADER if self.state == NOTHING else self.state
        self.is_latest_known = False
        self.report.withhold_after(layer)

    def examine(self, line):
        try:
            value = read(line)
        except Fault as fault:
            self.spend()
            return self.lose("canonical", fault.code, byte=fault.byte)
        form = next((form for form, names in FORMS
                     if isinstance(value, dict) and any(name in value for name in names)), None)
        kind = KINDS.get(form, form)
        faults = shape_of_line(form, value) if form == "item" else []
        if form != "item" or faults:
            self.spend()
        found, is_examined, state = STATES[self.state][kind]
        if not is_examined:
            return self.lose("line", found)
        if found:
            self.report.add(found, **self.place())
        if kind == "header":
            self.check_format(form, value)
        faults = shape_of_line(form, value) if form != "item" else faults
        if kind == "manifest" and not faults and self.is_salvage not in (None, form == "salvage end"):
            return self.lose("line", "line.kind")  # the last line of the other kind of file
        self.state, self.is_latest_known = state, True
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
        known_version = not isinstance(version, (int, float)) or isinstance(version, bool) or version == VERSION
        if known_name and not known_version and version in UNRELEASED:
            raise UnreleasedFormat(version)
        if not (known_name and known_version):
            pointer = "/%s/%s" % (holder, "format_version" if known_name else "format")
            self.report.add("shape.format_version", pointer=pointer, **self.place())
            raise EndOfExamination

    def take_hash(self, hashed, place):
        """Takes the row of a view: an item of which only the hash and the number are known."""
        self.line += 1
        self.state = NO_HEADER if self.state == NOTHING else self.state
        self.is_latest_known = True
        self.view_hashes.append((place, hashed))
        self.totals.item_count += 1

    # Items

    def take_header(self, line, value):
        self.is_salvage = False
        self.header, self.header_bytes = value["export"], line[len('{"export":'):-1]
        export, chosen = self.header, self.header["filter"]
        self.manifest_hash.update(self.header_bytes + b',"items":[')
        for pointer, values in (
            ("/export/filter/sample_types", chosen.get("sample_types", ())),
            ("/export/filter/source_names", chosen.get("source_names", ())),
            ("/export/filter/sources", chosen.get("sources", ())),
            ("/export/from_coverage", [entry.get("sample_type") for entry in export.get("from_coverage", ())]),
            ("/export/observations", [entry.get("id") for entry in export["observations"]]),
            ("/export/scope/changes", export["scope"].get("changes", ())),
            ("/export/scope/labels", export["scope"].get("labels", ())),
        ):
            if not rises(values):
                self.report.add("order.coverage", pointer=pointer, **self.place())
        if not runs_rise(export["coverage"], export["scope"]["mode"] == "history"):
            self.report.add("order.coverage", pointer="/export/coverage", **self.place())
        self.check_export_id(export, self.header_bytes)
        self.scope = Scope(export)

    def check_export_id(self, export, data):
        expected = export_id(data)
        if expected != export["export_id"]:
            self.report.add("manifest.export_id", expected=expected, found=export["export_id"], **self.place())

    def take_salvage(self, line, value):
        self.is_salvage, self.salvage, self.header = True, value["salvage"], value["salvage"].get("export")
        self.header_place = self.place()
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
        elif has_payload(item):
            if item["item_kind"] == "shared_record" and has_unshared_metadata(item):
                self.report.add("item.shared", pointer="/item/metadata", **self.place())
            has_rules = self.header and "identity_rules" in self.header
            for code, name, expected in content_faults(item, self.alike) if has_rules else ():
                found = item[name] if isinstance(item[name], str) and HEX64.fullmatch(item[name]) else None
                self.report.add(code, pointer="/item/" + name, expected=expected, found=found, **self.place())
        key = order_key(item)
        if self.previous and not self.is_salvage:  # a salvage keeps the order of the damaged file
            before, before_bytes, before_key = self.previous
            if item_bytes == before_bytes and item["item_kind"] != "shared_record" or repeats_type(item, before):
                self.held.append(("order.repeated", self.place()))
            elif before["item_kind"] in sorted_together(item["item_kind"]) and key < before_key:
                self.held.append(("order.items", self.place()))
            if self.is_salvage is not None:
                self.settle_order()
        self.previous = item, item_bytes, key
        if self.header and not self.is_salvage and self.scope.excludes(item):
            self.report.add("manifest.scope", **self.place())
        self.count(item, declared)

    def count(self, item, declared):
        self.manifest_hash.update(b'%s"%s"' % (b"," if self.totals.item_count else b"", declared.encode()))
        self.totals.add(item)

    def settle_order(self):
        """Reports what was found of order, where the file is no salvage: by its header or, without one, at its end."""
        for code, place in self.held if not self.is_salvage else ():
            self.report.add(code, **place)
        self.held = []

    # Manifest

    def take_salvage_end(self, line, value):
        self.manifest, self.is_salvage, self.manifest_place = value, True, self.place()
        self.totals_bytes = line[len('{"salvage_hash":"","totals":') + 64:-1]

    def take_manifest(self, line, value):
        self.manifest, self.is_salvage, self.manifest_place = value, False, self.place()
        self.totals_bytes = line[len('{"manifest_hash":"","totals":') + 64:-1]

    def finish(self, end_lost):
        if end_lost:
            self.leave_open()
            self.lose("container", None)
        elif self.open or self.overlong:
            self.line += 1
            self.spend()
            self.lose("line", "line.limit" if self.overlong else "line.unterminated")
        if self.state == NOTHING:
            self.report.add("line.header_missing")
        if self.state == NOTHING or self.state != MANIFEST and self.is_latest_known:
            self.report.add("line.manifest_missing", **self.place())
        if {"line.header_missing", "line.manifest_missing"} & self.report.counts.keys():
            self.report.withheld.add("manifest")
        if "manifest" not in self.report.withheld:
            self.check_manifest()

    def check_manifest(self):
        if self.is_view:
            self.check_count()
            return self.check_view_hash()
        expected = self.totals.expected(0 if self.is_salvage else len(self.header.get("defects", ())))
        stated = dict(self.manifest["totals"])
        of_page = {name: stated.pop(name, None) for name in ("page_sha256", "renderer")}
        difference = first_difference(expected, stated, "/totals")
        is_page = not self.is_salvage and self.header["export_kind"] == "page_report"
        wrong = [name for name in of_page if (of_page[name] is not None) != is_page]
        if difference is None and wrong:
            difference = "/totals/" + wrong[0]
        if difference is not None:
            self.report.add("manifest.totals", pointer=difference, **self.manifest_place)
        self.check_hash()
        self.check_rest()

    def check_count(self):
        if self.totals.item_count != self.manifest["totals"]["item_count"]:
            self.report.add("manifest.totals", pointer="/totals/item_count", **self.manifest_place)

    def check_view_hash(self):
        self.view_hashes.sort()
        if [place for place, _ in self.view_hashes] != list(range(1, len(self.view_hashes) + 1)):
            return self.report.add("manifest.hash", **self.manifest_place)
        self.manifest_hash.update(b",".join(b'"%s"' % hashed.encode() for _, hashed in self.view_hashes))
        return self.check_hash()

    def check_hash(self):
        self.manifest_hash.update(b"]" + (b',"salvage":' + self.salvage_bytes if self.is_salvage else b""))
        self.manifest_hash.update(b',"totals":' + self.totals_bytes + b"}")
        computed = self.computed_hash = self.manifest_hash.hexdigest()
        declared = self.manifest["salvage_hash" if self.is_salvage else "manifest_hash"]
        if computed != declared:
            self.report.add("manifest.hash", expected=computed, found=declared, **self.manifest_place)

    def check_rest(self):
        if self.is_salvage:  # the other end of a relationship may be what is missing
            if not is_missing_right(self.salvage, self.totals.types):
                self.report.add("manifest.totals", pointer="/salvage/missing", **self.header_place)
            return
        if self.totals.unpaired():
            self.report.add("manifest.relationships", found=self.totals.unpaired())


def sorted_together(item_kind):
    """The kinds of items whose order keys can be compared."""
    together = ("record", "sample", "version", "change")
    return together if item_kind in together else (item_kind,)
