"""Tests that may notice a mutant of a module, the likeliest first: the module's own, and those of commands that go through it.

A module that is not listed gets all of them. `run.py` measures which of the tests reach a place.
"""

_ARCHIVE = ["swift ArchiveTests", "cli test_export", "cli test_history", "cli test_history_table", "cli test_windows", "cli test_labels", "cli test_pairs", "cli test_states",
            "cli test_reports", "cli test_scopes", "cli test_links", "cli test_late", "cli test_guards", "cli test_dates", "cli test_archive_vectors", "cli test_compare"]
_CAPTURE = ["swift CaptureTests", "swift RecordingTests", "cli test_capture", "cli test_late", "cli test_links", "cli test_growing_up", "cli test_undo", "cli test_repair",
            "cli test_sent_again", "cli test_capture_input", "cli test_dry_run", "cli test_reference"]
_APPLE = ["swift AppleHealthTests", "cli test_capture.AppleHealth", "cli test_damaged_exports", "cli test_hostile_exports", "cli test_capture_input", "cli test_reference"]
_VERIFICATION = ["swift VerificationTests", "cli test_verify", "cli test_beside", "cli test_verify_many", "cli test_hostile_bundles"]
_EXPORTS = ["swift ExportsTests", "cli test_export", "cli test_people", "cli test_tables", "cli test_reproduce", "cli test_shared", "cli test_reports", "cli test_evidence"]
_TOOL = ["swift ToolTests", "cli test_help", "cli test_bad_input", "cli test_check", "cli test_guards", "cli test_system"]

STEPS = {
    "AppleHealth": _APPLE,
    "Archive": _ARCHIVE,
    "Build": ["swift ToolTests", "cli test_help"],
    "Bytes": ["swift BytesTests", "swift CanonicalJSONTests", "swift ManifestTests"],
    "CSV": ["swift CSVTests", "cli test_tables"],
    "CanonicalJSON": ["swift CanonicalJSONTests", "canonical JSON", "cli test_verify"],
    "Capture": _CAPTURE,
    "Codes": ["swift VerificationTests", "cli test_verify", "cli test_archive_vectors", "cli test_verify_archive"],
    "Derivation": ["swift DerivationTests", "swift RecordingTests", "swift InspectionTests", "cli test_verify_archive", "cli test_repair", "cli test_capture", "cli test_reference"],
    "Exports": _EXPORTS,
    "Files": ["swift FilesTests", "cli test_crash", "cli test_system", "cli test_faults", "cli test_export"],
    "Format": ["swift ExportsTests", "swift VerificationTests", "cli test_verify", "cli test_tables", "cli test_verify_archive"],
    "Inspection": ["cli test_archive_vectors", "swift InspectionTests", "cli test_verify_archive", "cli test_hostile_cells", "cli test_hostile_schema"],
    "Manifest": ["swift ManifestTests", "swift ExportsTests", "swift VerificationTests", "cli test_verify", "cli test_salvage"],
    "Matching": ["cli test_evidence", "cli test_reproduce", "cli test_verify", "cli test_export"],
    "Measures": ["swift MeasuresTests", "cli test_measures", "cli test_shared"],
    "Pipeline": ["swift PipelineTests", "cli test_verify_many", "cli test_export"],
    "Platform": ["swift FilesTests", "swift ToolTests", "cli test_system"],
    "Preimages": ["swift PreimagesTests", "swift CaptureTests", "cli test_reference"],
    "Recording": ["swift RecordingTests", *_CAPTURE],
    "ReportCache": ["cli test_cache", "cli test_reports"],
    "ReportPage": ["cli test_page", "cli test_reports"],
    "SQLite": ["swift SQLiteTests", "swift ArchiveTests", "cli test_bad_input", "cli test_hostile"],
    "Salvage": ["cli test_salvage_account", "cli test_account", "cli test_salvage", "cli test_salvage_text"],
    "Timestamps": ["swift TimestampsTests", "cli test_dates", "swift CaptureTests"],
    "Tool": _TOOL,
    "Verification": _VERIFICATION,
    "hp-export": [*_TOOL, "cli test_export", "cli test_capture", "cli test_history", "cli test_windows", "cli test_source_labels", "cli test_context", "cli test_sources"],
    "hp-verify": [*_TOOL, "cli test_verify", "cli test_verify_many", "cli test_verify_archive", "cli test_salvage", "cli test_states"],
}
