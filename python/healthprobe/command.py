"""The command healthprobe-verify."""

from __future__ import annotations

import sys

from .verifier import command


def main() -> int:
    """Verifies the files that the command line names."""
    return command.main(sys.argv[1:], "healthprobe-verify")
