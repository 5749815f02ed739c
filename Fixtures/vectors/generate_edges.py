"""Makes vectors of what lies exactly at an edge of a rule, and of what lies just beside it.

Converted values are worked out by hand beside each vector.
"""

import generate_rules
from generate import defect, identity_header, in_order, lines, of_lines, quantity, record, related
from generate_reports import without

# Unit, base unit, and what 3 of the unit come to there: 3 × factor of Spec/identity.md, as the nearest binary32.
UNITS = (
    ("Cal", "kcal", 3), ("kcal", "kcal", 3), ("cal", "kcal", 0.003000000026077032), ("kJ", "kcal", 0.7170172333717346), ("J", "kcal", 0.0007170172175392509),
    ("m", "m", 3), ("km", "m", 3000), ("cm", "m", 0.029999999329447746), ("mm", "m", 0.003000000026077032), ("mi", "m", 4828.0322265625),
    ("ft", "m", 0.9143999814987183), ("yd", "m", 2.7432000637054443), ("in", "m", 0.07620000094175339),
    ("kg", "kg", 3), ("g", "kg", 0.003000000026077032), ("lb", "kg", 1.3607771396636963), ("st", "kg", 19.050880432128906), ("oz", "kg", 0.08504857122898102),
    ("s", "s", 3), ("ms", "s", 0.003000000026077032), ("min", "s", 180), ("hr", "s", 10800), ("d", "s", 259200),
    ("degC", "degC", 3), ("degF", "degC", -16.11111068725586),
    ("mL", "mL", 3), ("L", "mL", 3000), ("dL", "mL", 300), ("cL", "mL", 30), ("fl_oz_us", "mL", 88.72058868408203), ("fl_oz_imp", "mL", 85.23918914794922))


def write_bundles(shelves):
    folder = generate_rules.Folder(shelves)
    items = in_order([quantity("HeartRate", day, 3, unit, base_unit=base, base_value=value) for day, (unit, base, value) in enumerate(UNITS[:29], 1)]
                     + [quantity("BodyMass", day, 3, unit, base_unit=base, base_value=value) for day, (unit, base, value) in enumerate(UNITS[29:], 1)])
    folder.add("good-identity-units", "a value in each unit that has a base", "", of_lines(lines(identity_header(items), items)))
    first, second, third = related()
    folder.add("manifest-relationships-other-end", "a relationship that only its target names", "manifest.relationships", of_lines(lines(
        items=[without(first, "relationships"), second, third])))
    folder.of_item("shape-defect-start-of-record", "a record without its start, which excuses no other member of its version", "shape.member_missing", record(
        start_date=None, end_date=None, defects=[defect("/start_date", "null", "null")]))


def write(shelves):
    write_bundles(shelves)
