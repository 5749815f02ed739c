"""What is invalid: findings, and the layers that they belong to."""

from .spec import spec

MAX_LINE = 64 << 20
# Lines that may be no undamaged items, and bytes of the file for one more of them.
OTHERS, BYTES_OF_OTHER = 16384, 64
LISTED_PER_CODE = 10000  # findings beyond this are counted only
LONGEST_POINTER = 500  # a hostile bundle chooses the names in it

LAYERS = ("container", "line", "canonical", "shape", "item", "order", "manifest", "archive")
TABLE = spec("codes.json")
CODES = frozenset(entry["code"] for entry in TABLE["codes"] if entry.get("layer", "archive") != "archive")
# What a text must not begin with in a table without a mark before it (Spec/reports.md, dialect).
GUARDED = tuple("=+-@\t\r\n'\uff1d\uff0b\uff0d\uff20")


class Fault(Exception):
    """One thing that is invalid, found in the middle of reading something."""

    def __init__(self, code, byte):
        super().__init__(code)
        self.code, self.byte = code, byte


class Report:
    """The findings on one file, and which layers could not see everything."""

    def __init__(self):
        self.findings, self.counts = [], {}
        self.withheld = set()

    def add(self, code, **place):
        assert code in CODES, code
        self.counts[code] = self.counts.get(code, 0) + 1
        if self.counts[code] <= LISTED_PER_CODE:
            place = {name: value for name, value in place.items() if value is not None}
            if "pointer" in place:
                place["pointer"] = place["pointer"][:LONGEST_POINTER]
            self.findings.append({"code": code, **place})

    def withhold_after(self, layer):
        """Something was lost at `layer`: no later layer can be ok."""
        self.withheld.update(LAYERS[LAYERS.index(layer) + 1:])

    def status(self, layer):
        if any(code.startswith(layer + ".") for code in self.counts):
            return "failed"
        return "unknown" if layer in self.withheld or layer == "archive" else "ok"
