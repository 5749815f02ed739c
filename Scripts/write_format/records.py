"""The Swift columns of packed rows, which are made from Spec/schemas and the SQL of archives.

A member of an item whose name is that of a column of `samples` or `sample_versions` comes from this column.
"""

import sqlite3

from . import archive, shapes
from .swift import ROOT, camel, folded, literal

COLUMNS = ROOT / "Sources" / "Archive" / "Generated" / "MemberColumns.swift"
TABLES = {"sample": "samples", "version": "sample_versions"}
# Those that most records have as the record before has them, and those that stand in the front of a row.
COMMON = ("first_seen_observation_id", "first_seen_at", "value_kind", "unit", "workout_activity_type", "created_observation_id")
FRONT = ("sample_uuid_hash", "payload_hash", "strict_fingerprint")
# Objects whose members are columns: the name of the list, of whom, and where the schema is.
OBJECTS = (
    ("DeviceColumn", "a device", "evidence_item_device"),
    ("ObservationColumn", "an observation", "header_export_observations"),
    ("DeviceChainColumn", "a device chain", "header_export_device_chain"),
    ("VisibilityColumn", "a visibility range", "evidence_item_visibility"),
    ("EventColumn", "an event", "evidence_item_events"),
    ("CoverageColumn", "a coverage entry: a sample type and its newest type run", "header_export_coverage"),
)
HEAD = """// Made from Spec/schemas and Spec/archive-schema.sql by Scripts/write-format.
// swift-format-ignore-file

"""
RECORD = """/// Columns of a record: sample, version and range. A record's statement selects them in this order (`RecordSource`),
/// and they are packed (`RowPacker`) and read (`RowBatch`) in it.
public enum RecordColumn: Int, CaseIterable, Sendable {
    // What the cursor follows.
    case sampleTypeID, sourceRevisionID, hkDeviceID, metadataID
    /// The id that the range names, whether or not there is such a version.
    case versionID
    /// Whether a relationship may name the sample.
    case isRelated
    // The range, as in `VisibilityColumn`: a detail by itself. Of a change `pairKind`, `pairKeys`, `label`, `reasons`;
    // of a changed relationship `linkBefore`, `linkAfter`.
    case rangeFirstObservationID, rangeFirstSeenAt, rangeLastObservationID, rangeLastSeenAt
    /// Whether the version's row exists.
    case hasVersion
    /// Whether the sample's row exists.
    case hasSample
    // Most rows have these as the row before has them.
    case %s
    // These stand in the front of the row.
    case %s
    /// The id that the range names, whether or not there is such a sample.
    case sampleID
    // The others.
    case %s
}

extension RecordColumn {
    /// The column of the sample or of the version that it is, which an item has as a member of the same name; nil for
    /// any other.
    public var stored: StoredColumn? {
        switch self {
%s
        default: nil
        }
    }
}
"""


def stored():
    """The columns of samples and versions that items have as members: (table, name)."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(dict(archive.groups())["schema"])
    members = {member for _, _, schema in dict(shapes.lines())["evidence"] for member in schema["properties"]}
    return [(of, row[1]) for of, table in TABLES.items() for row in connection.execute("PRAGMA table_info(%s)" % table) if row[1] in members]


def record(columns):
    """The columns of a record as Swift."""
    others = [name for _, name in columns if name not in COMMON + FRONT]
    names = [folded(", ".join(map(camel, names)), 8) for names in (COMMON, FRONT, others)]
    cases = ["        case .%s: StoredColumn(.%s, %s)" % (camel(name), of, literal(name)) for of, name in columns]
    return RECORD % (*names, "\n".join(cases))


def object_columns(name, what, members):
    """The columns of an object as Swift."""
    last = ["    /// Whether there is a type run.", "    case hasRun"] if name == "CoverageColumn" else []
    return "\n".join(["/// Columns of %s, in the order of the members." % what, "public enum %s: Int, CaseIterable, Sendable {" % name,
                      "    case " + folded(", ".join(map(camel, members)), 8), *last, "}", ""])


def made():
    """The columns, by their path."""
    members = shapes.members()
    parts = [record(stored()), *(object_columns(name, what, members[path]) for name, what, path in OBJECTS)]
    return {COLUMNS: HEAD + "\n".join(parts)}
