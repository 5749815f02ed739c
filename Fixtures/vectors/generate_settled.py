"""Makes vectors of rules that no other vector decided: a reader that guesses the other way fails one of them.

A comment says which rule a vector decides. Bytes and hashes come from the other generators.
"""

import generate_reports
import generate_rules
from generate import (
    SLEEP, STEPS, coverage, defect, frame, header, history, identity_header, in_order, lines, observation, of_lines, quantity, record, salvage, texts_of)
from generate_reports import changes, report, versions, without
from generate_rules import frames_of
from generate_shared import shared, shared_header

LINKED = {"sample_types": [STEPS], "with_related": True}


def write_related(folder):
    """`with_related`: of a range, of a history, false, and beside a record that has no type."""
    both = [coverage(SLEEP), coverage()]
    later = [{**entry, "observation_id": 2} for entry in both]
    # A range may not follow links, and its `from_coverage` may not have more types than the filter; `coverage` may.
    folder.of_report("header-related-changes", "a range that follows links, with a type of a link on both sides", "shape.value",
                     changes("diff_report", filter=LINKED, coverage=later, from_coverage=both), [])
    # `false` is allowed in each mode, and frees no coverage.
    folder.of_report("good-related-false-changes", "a range that follows no links, and says so", "",
                     changes("diff_report", filter={**LINKED, "with_related": False}), [])
    export, items = history()
    folder.add("good-related-false-history", "a history that follows no links, and says so", "",
               of_lines(lines({**export, "filter": {"with_related": False}}, items)))
    folder.of_header("shape-header-related-false", "a type that the filter does not name, where no links are followed", "shape.value",
                     coverage=both, filter={**LINKED, "with_related": False})
    # An absent type is none of those of the filter.
    nameless = without(record(defects=[defect("/sample_type", "null", "null")]), "sample_type")
    folder.of_item("manifest-scope-related-no-type", "a record without a type, which no link leads to, where links are followed", "manifest.scope",
                   nameless, filter=LINKED)


def write_unknown(folder):
    """Members beside a kind that is not known."""
    # Beside an unknown kind no other member is judged.
    folder.of_item("shape-item-kind-unknown-members", "an item of an unknown kind, and members that no other kind has", "shape.value", record(
        item_kind="other", other=1, numeric_value="x", unit="\0"))
    for name, kind in (("finding", "finding_report"), ("pair", "pair_report")):
        made = generate_reports.all_findings() if name == "finding" else generate_reports.all_pairs()
        export = generate_reports.findings_header() if name == "finding" else changes("pair_report", (made[0]["sample_type"],))
        # A member that no known form has is unknown.
        folder.of_report(name + "-unknown-member", "a %s of an unknown kind, and a member that none has" % name, "shape.member_unknown shape.value", export,
                         [{**made[0], name: "other", "other": 1}])
    # A member that only some kinds have is not judged, nor its type.
    folder.of_header("shape-header-kind-unknown-filter", "an export of an unknown kind, whose filter says of links what no filter can say", "shape.value",
                     export_kind="other", filter={"overlapping": 5, "with_related": "x"})
    folder.of_header("shape-header-kind-unknown-run", "an export of an unknown kind, and a run with a hash that is a number", "shape.value",
                     export_kind="other", coverage=[{**coverage(), "error_message_hash": 5}], observations=[{**observation(), "notes": 5}])


def write_scopes(folder):
    """Ranges and dates that a header excludes."""
    # Ranges of shared records are held against the observation, as those of records.
    later = [{"first_observation_id": 2, "first_seen_at": "2024-03-02T08:00:00.000Z"}]
    folder.of_report("shared-scope-later-range", "a range of a shared record that began after the observation", "manifest.scope",
                     shared_header(), [shared(1, visibility=later)])
    # A finding has an end, which `overlapping` holds against the dates as that of a version.
    for finding in generate_reports.all_findings():
        if finding["finding"] in ("exact_duplicate", "late_arrival"):
            folder.of_report("good-finding-overlapping-" + finding["finding"].replace("_", "-"), "a finding that began before the dates of the filter and ends after", "",
                             generate_reports.findings_header(filter={"overlapping": True, "since": finding["start_date"].replace(":00:", ":15:")}), [finding])


def write_containers(folder, reports):
    """Sidecars, columns, and the manifest of another kind of file."""
    export, items = versions()
    # A `version_table` says what its items are: its schema is compared, and its first row is that of versions.
    reports.table("sidecar-schema-versions", "a table of versions whose schema has no columns", "container.sidecar", export, items, "version",
                  sidecar=lambda whole: whole["tableSchema"].update(columns=[]))
    reports.table("columns-versions-record", "a table of versions with the columns of records", "container.columns container.sidecar", export, items, "record")
    # Without a manifest hash the manifest is lost, as without totals; half of one is not examined.
    reports.table("sidecar-manifest-hash-none", "no manifest hash", "container.sidecar", report("record_table"), [record()],
                  sidecar=lambda whole: whole["urn:healthprobe:report"].pop("manifest_hash") and None)
    made = lines()
    # The manifest of the other kind of file stands where the manifest was: none is missing.
    folder.add("line-kind-salvage-end", "a bundle that ends with the last line of a salvage", "line.kind", of_lines([*made[:-1], salvage()[-1]]))
    folder.add("line-kind-manifest", "a salvage that ends with the manifest of an export", "line.kind", of_lines([*salvage()[:-1], made[-1]]), "salvage")


def write_open(folder):
    """A line that is open where a frame ends, and the end of the file lost behind it."""
    made = frames_of(lines())
    text = texts_of(lines())[1]
    folder.add("container-cut-behind-open-line", "a frame that ends within a line, and the next one cut off in its magic", "container.frame_line_end container.truncated",
               made[0][0] + frame(text[:-5]) + made[2][0][:3])


def write_salvages(folder):
    """A version that is stated inside of a salvage is an ordinary member, and no reason to refuse the file."""
    export = header(format_version=2, export_id="0" * 8 + "-0000-8000-8000-" + "0" * 12)
    # The header inside is a header of an unreleased format: the file is refused.
    folder.add("shape-salvage-export-unreleased", "a salvage with the header of an unreleased version inside", "shape.value",
               of_lines(salvage(export=export)), "salvage")


def write_identities(folder):
    """Hashes beside a device with a defect, and a value that becomes 0."""
    # A defect in the device takes its payload hash from an item, and not the fingerprint, which has no device.
    item = quantity("HeartRate", 1, 61.5, "count/min")
    damaged = {**item, "device": without(item["device"], "model"), "defects": [defect("/device/model", "utf8", "text", "ff")]}
    folder.add("good-identity-device-defect", "another device than that of the payload hash, with a defect in it", "", of_lines(lines(identity_header([damaged]), [damaged])))
    folder.add("item-strict-device-defect", "the fingerprint of another value, beside a device with a defect", "item.strict_fingerprint",
               of_lines(lines(identity_header([damaged]), [{**damaged, "numeric_value": 62.5}])))
    # -1e-50 becomes the binary32 -0, which is written 0.
    items = in_order([quantity("HeartRate", 1, -1e-50, "count/min", base_value=0)])
    folder.add("good-identity-negative-zero", "a negative value that is 0 as a binary32", "", of_lines(lines(identity_header(items), items)))


def write_tables(reports):
    """Two faults in one row of a table: the first that fits."""
    items = [record()]

    def row(name, what, codes, *changes_):
        def edit(rows):
            for old, new in changes_:
                assert rows[1].count(old) == 1, old
                rows[1] = rows[1].replace(old, new)
            return rows

        reports.table(name, what, codes, report("record_table"), items, edit=edit)

    row("cell-two", "two cells of a row that are not spelled as their columns say", "line.cell", (b"2024-02-01T10:30:00.000Z", b"2024-02-01"), (b",101,", b",1.0e2,"))
    row("cell-and-cells", "a cell that is not spelled as its column says, and one too many", "line.cells", (b",101,", b",1.0e2,"), (b"\r\n", b",\r\n"))


def write(shelves):
    folder, reports = generate_rules.Folder(shelves), generate_reports.Folder(shelves)
    write_related(folder)
    write_unknown(folder)
    write_scopes(folder)
    write_containers(folder, reports)
    write_salvages(folder)
    write_open(folder)
    write_identities(folder)
    write_tables(reports)
