"""Makes files as builds before the first release wrote them (Spec/README.md, Versions): a verifier refuses each as a whole.

What else is wrong with one, before its header or behind it, is not said.
"""

from generate import bundle, canonical, frame, header, lines, of_lines, records, salvage, texts_of
from generate_pages import READ, carried, page_lines
from generate_reports import changes, envelope, report, report_lines, rows_of, sidecar_of, text_of


def write(shelves):
    def add(name, suffix, document, what, version, data, sidecar=None):
        shelves.add_refused("refused-" + name, suffix, document, what, version, data, sidecar)

    for version in (1, 2):
        made = lines(header(format_version=version))
        of = "of version %d" % version
        add("bundle-%d" % version, ".jsonl.zst", "bundle", "a bundle " + of, version, of_lines(made))
        add("salvage-%d" % version, ".jsonl.zst", "salvage", "a salvage " + of, version, of_lines(salvage(format_version=version)))
        add("lines-%d" % version, ".jsonl", "report", "a report as lines, " + of, version,
            text_of(report_lines(changes("diff_summary", format_version=version), [])))
    made = lines(header(format_version=1))
    add("envelope", ".json", "report", "an envelope of version 2", 2, envelope(report_lines(report("record_table", format_version=2), records())))
    add("page", ".html", "report", "a page of version 2", 2, READ + carried(text_of(page_lines(format_version=2))))
    table = report_lines(report("record_table", format_version=2), records())
    rows = b"".join(rows_of(table, "record"))
    add("table", ".csv", "report", "a table of version 2", 2, rows, canonical(sidecar_of(table, "record", "refused-table.csv", rows)).encode() + b"\n")
    texts = texts_of(made)
    add("damaged", ".jsonl.zst", "bundle", "a bundle of version 1 with damage before its header's end and behind it", 1,
        bundle([frame(texts[0], checksum=False), frame(texts[1])[:-1] + b"x", frame(texts[2])], [len(text) for text in texts]))
    add("second", ".jsonl.zst", "bundle", "an item, then a header of version 2", 2, of_lines(made[1:2] + lines(header(format_version=2))))
    add("without-format", ".jsonl.zst", "bundle", "version 1 of a format that is not named", 1, of_lines(lines(header(format=None, format_version=1))))
