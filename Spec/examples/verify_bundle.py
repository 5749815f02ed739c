#!/usr/bin/env python3
"""Verifies HealthProbe recovery bundles and reports without an archive.

usage: verify_bundle.py [--json] [--statement] [--allowed-signers A [--signature S] [--identity NAME]] FILE...

Exit status: 0 every file is valid (self-consistent), 1 at least one finding,
2 a file could not be read or the usage is wrong.

Written from the pages of Spec/ alone; it needs Python 3.9 and `zstandard`.
It reads from top to bottom; the parts are in the folder `verifier`:

    command     the command line
    files       which container a file is
    frames      bytes of a bundle   -> texts of the frames      layer container
    envelopes   bytes of NAME.json  -> lines                          container
    tables      rows and sidecar    -> lines                          container, line
    views       rows for people     -> item hashes                    line
    lines       texts               -> lines, header to manifest      line
    canonical   one line            -> its value                      canonical
    shapes      a value             -> what is wrong with its members shape
    lines       values              -> hashes, order                  item, order
    scope       items and header    -> what the header excludes       manifest
    totals      items               -> what they add up to            manifest
    signatures  what was computed   -> who signed it
"""

import sys

from verifier.command import main
from verifier.files import verify  # noqa: F401
from verifier.lines import UnreleasedFormat  # noqa: F401

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
