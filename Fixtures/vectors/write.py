#!/usr/bin/env python3
"""Writes Spec/vectors: what the generators of this folder make, and vectors.json.

usage: write.py [FOLDER]
"""

import sys

sys.dont_write_bytecode = True

import generate  # noqa: E402
import generate_archives  # noqa: E402
import generate_days  # noqa: E402
import generate_differences  # noqa: E402
import generate_edges  # noqa: E402
import generate_evidence  # noqa: E402
import generate_histories  # noqa: E402
import generate_links  # noqa: E402
import generate_pages  # noqa: E402
import generate_people  # noqa: E402
import generate_readings  # noqa: E402
import generate_refused  # noqa: E402
import generate_reports  # noqa: E402
import generate_rules  # noqa: E402
import generate_settled  # noqa: E402
import generate_shared  # noqa: E402
import generate_signatures  # noqa: E402
import shelves  # noqa: E402


def main(arguments):
    made = shelves.Shelves(*arguments)
    generate.write(made)
    generate_reports.write(made)
    generate_rules.write(made)
    generate_people.write(made)
    generate_days.write(made)
    generate_differences.write(made)
    generate_archives.write(made)
    generate_evidence.write(made)
    generate_readings.write(made)
    generate_refused.write(made)
    generate_pages.write(made)
    generate_shared.write(made)
    generate_links.write(made)
    generate_edges.write(made)
    generate_settled.write(made)
    unstated = made.finish()
    generate_signatures.write(made)
    generate_histories.write(made)
    print("%d vectors, %d archives" % (len(made.entries), len(made.archives)))
    for name in unstated:
        print("%s: its layers and places have to be stated in vectors.json" % name)


if __name__ == "__main__":
    main(sys.argv[1:])
