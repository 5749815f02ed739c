#!/usr/bin/env python3
"""Writes cases.txt anew: one case per line, ARCHIVE, a tab, the arguments, a tab, the SHA-256 of the text.

Arguments are separated by single blanks; none of them holds a blank. Run it by hand, on demand only.
"""
import hashlib
import pathlib

import export_bundle

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVES = HERE.parents[1] / "Fixtures" / "archives"

NFC, NFD = "com.example.caf\u00e9", "com.example.cafe\u0301"
CASES = f"""
small
small --at 1
small --at 2
small --at 3
small --history
small --history --at 1
small --history --at 3
small --type HKWorkoutTypeIdentifier --type HKQuantityTypeIdentifierHeartRate
small --type {NFC}
small --history --type {NFD}
small --type com.example.never.asked --type com.example.never.asked
small --history --type HKQuantityTypeIdentifierHeartRate
small --since 2000-01-01 --until 2000-01-02
small --since 2000-01-01T00:01:26.500Z --until 2000-01-01T02:05:00.25+02:00
small --until 1970-01-01
small --history --since 1969-12-31T23:59:59.5Z --until 2000-01-01T00:05:00.0000001Z
small --source com.example.zwei.\u00fc --source com.example.three
small --history --source com.example.one
small --history --type HKWorkoutTypeIdentifier --since 2000-01-02 --source com.example.one
small --generator-version 9.9.9-test
defects
defects --at 1
defects --at 2
defects --history
defects --history --at 2
defects --type com.example.defects --until 2000-01-01T01:00:00Z
defects --history --since 1900-01-01
defects --source com.example.\ufffd
two-chains
two-chains --at 2
two-chains --at 4
two-chains --at 6
two-chains --history --at 4
two-chains --history
two-chains --history --at 7
two-chains --history --type com.example.steps --at 6
utf16
utf16 --history
utf16 --type t\uff5e --type t\U0001f600 --type t\u0100 --type ta
utf16 --source com.example.\uff5e --source com.example.\U0001f600 --source com.example.\u0100
wal
wal --history
wal --at 1
extra-columns
extra-columns --history
page-size-512
unsettled
unsettled --history
unsettled --at 3
unsettled --history --at 4
unsettled --history --since 2000-01-01
identity
identity --at 1
identity --history
identity --history --at 1
identity --type HKQuantityTypeIdentifierStepCount
identity-other
"""


def main():
    lines = []
    for case in CASES.strip().splitlines():
        name, _, arguments = case.partition(" ")
        options = vars(export_bundle.parser().parse_args(["-", *arguments.split()]))
        del options["archive"]
        text = export_bundle.bundle_text(ARCHIVES / f"{name}.sqlite", **options)
        lines.append(f"{name}.sqlite\t{arguments}\t{hashlib.sha256(text).hexdigest()}\n")
    (HERE / "cases.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
