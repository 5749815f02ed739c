"""Makes vectors of pages (Spec/report-page.md): what is read, and the lines that are carried behind it.

What is read is a few words here: a verifier hashes it, and asks nothing else of it.
"""

import hashlib
import html

from generate import totals_of
from generate_reports import SUMMARY, calendar, changes, comparison, timeline, report_lines, summary, text_of, SLEEP, STEPS

READ = b"""<!DOCTYPE html>
<html lang="en">
<head><title>What changed</title></head>
<body>
<p>65 records appeared &amp; 7 are no longer visible.</p>
"""
OPENING = b'<template id="healthprobe-evidence">\n'
END = b"</template>\n</body>\n</html>\n"


def page_lines(read=READ, export=None, stated=None, items=None, **members):
    """The lines of a page report about `read`; `stated` is its stated hash, if it is another."""
    items = items or comparison()
    export = export or changes("page_report", (SLEEP, STEPS), {"thresholds": SUMMARY}, **members)
    totals = totals_of(export, items)
    totals["types"] = [{**entry, "provenance_loss": {}} for entry in totals["types"]]
    stated = hashlib.sha256(read).hexdigest() if stated is None else stated
    return report_lines(export, items, totals={**totals, "page_sha256": stated} if stated else totals)


def carried(text):
    return OPENING + html.escape(text.decode(), quote=False).encode() + END


def page(read=READ, **members):
    return read + carried(text_of(page_lines(read, **members)))


def write(shelves):
    def add(name, what, codes, data, ending=".html"):
        shelves.add("page-" + name, ending, "report", what, codes, data)

    good = page()
    # A filter whose text has each character that is escaped.
    escaped = page(filter={"sources": ["</template><b>&amp;\"page_sha256\":\""]})
    add("good", "a page with the lines of its report", "", good)
    add("escaped", "lines with each of the characters that are escaped, as if they ended the element", "", escaped)
    add("empty", "nothing is read before the element but what makes it a page", "", page(b"<!DOCTYPE html>\n"))
    add("lines", "the lines of a page by themselves", "", text_of(page_lines()), ".jsonl")
    add("digit", "a digit changed in what is read", "container.page_hash", good.replace(b"65 records", b"66 records"))
    add("stated", "another hash stated", "container.page_hash", page(stated="0" * 64))
    add("summary", "the lines of a summary, which state no hash of a page", "container.page_hash",
        READ + carried(text_of(report_lines(summary(), comparison()))))
    add("version", "another version of the format, which ends the examination before the page's hash", "shape.format_version", page(stated="0" * 64, export=summary(format_version=9)))
    add("stated-none", "a page report that states no hash", "manifest.totals", text_of(page_lines(stated="")), ".jsonl")
    add("stated-elsewhere", "a summary that states the hash of a page", "manifest.totals",
        text_of(page_lines(export=summary())), ".jsonl")
    add("element-in-text", "the element also in what is read: the first one counts", "container.page",
        good.replace(b"<p>65", b"\n" + OPENING + b"<p>65"))
    add("element-other", "the element with another attribute", "container.page", good.replace(b'-evidence">', b'-evidence" hidden>'))
    add("without-element", "a page without the element", "container.page", READ + END)
    add("escape-unknown", "an escape that is none in the second line", "container.page",
        good.replace(b'{"item":', b"&quot;", 1))
    add("bracket", "a bracket that is not escaped", "container.page", escaped.replace(b"&gt;", b">", 1))
    add("cut", "a page that is cut in its lines", "container.page", good[:good.rindex(b'"manifest_hash"')])
    add("cut-behind-lines", "a page that is cut behind its lines", "container.page", good[:-len(b"</html>\n")])
    add("text-behind", "text behind the end", "container.page", good + b"<p>66 records</p>\n")
    add("unterminated", "a last line without its line end", "line.unterminated", good.replace(b"\n</template>", b"</template>"))
    item = b'"appeared_count":'
    at = good.index(item, good.index(b'{"item":')) + len(item)
    changed = b"8" if good[at:at + 1] != b"8" else b"9"
    def of_items(name, what, codes, edit, length=1, buckets=((1, 3, 4, 0),)):
        items = [dict(item) for item in comparison()]
        items[3]["calendar"] = calendar(length, *buckets)
        edit(items)
        add(name, what, codes, text_of(page_lines(items=items)), ".jsonl")

    def keep(items):
        pass

    def fewer_labels(items):
        items[0]["labels"] = {"appeared": 1, "representationChanged": 1}
        items[3]["labels"] = {"appeared": 1}

    of_items("calendar", "days on which records of a type changed", "", keep, buckets=((1, 1, 4, 0), (2, 2, 0, 0)))
    def of_pairs(**counts):
        return lambda items: (items[3]["calendar"]["buckets"][0].update(counts), items[3].update(pair_counts={"condensed_into": 1, "re_identified": 2}))

    of_items("calendar-pairs", "records of a day that are there under another identity, or in a condensed one", "", of_pairs(re_identified_count=2, condensed_count=2))
    of_items("calendar-pairs-many", "more records in pairs than are no longer visible", "item.counts", of_pairs(re_identified_count=2, condensed_count=3))
    of_items("calendar-pairs-none", "no record in a pair of a kind", "shape.value", of_pairs(re_identified_count=0))
    of_items("pair-kind", "a kind of pair that there is not", "shape.member_unknown", lambda items: items[3].update(pair_counts={"moved": 1}))
    of_items("rejected", "records that were rejected, and records that stay visible for them", "", lambda items: items[0].update(rejected_count=3, withheld_count=0))
    of_items("rejected-type", "rejected records of a type", "shape.member_unknown", lambda items: items[3].update(rejected_count=3))
    of_items("calendar-weeks", "weeks, and a change without a day", "", keep, 7, ((5, 1, 4, 0), (12, 1, 0, 0)))
    def of_observations(items):
        items[0]["observations"] = timeline(5, 4)
        items[3]["statuses"] = ["completed", "never_queried"]

    of_items("observations", "the observations of the chain, and what each asked for", "", of_observations)
    of_items("observations-bare", "an observation without date and status", "",
             lambda items: items[0].update(observations=[{"observation_id": 2, "record_count": 0}]))
    def of_details(items):
        items[0]["context"] = [{"event_kind": "capture_finished", "logged_at": "2024-03-02T08:01:00.000Z", "observation_id": 2}]
        items[3]["examples"] = [{"change": "disappeared", "start_date": "2024-02-01T10:00:00.000Z", "end_date": "2024-02-01T10:10:00.000Z", "value_before": 12.5},
                                {"change": "representation_changed", "value_before": 1, "value_after": 2, "start_after": "2024-02-01T10:00:00.000Z", "end_after": "2024-02-01T10:00:00.000Z"}]
        items[3]["finding_counts"] = {"disappearance": 1, "exact_duplicate": 3}
        items[3]["strip"] = [{"start": "2024-02-01T00:00:00.000Z", "before_count": 4, "before_value": 100, "after_count": 3, "after_value": 107},
                             {"start": "2024-03-01T00:00:00.000Z", "before_count": 0, "after_count": 1}]

    def of_bad_example(items):
        items[3]["examples"] = [{"change": "appeared"}]

    of_items("details", "examples of records, findings of a type, and entries of the context log", "", of_details)
    of_items("examples-appeared", "an example of a record that appeared", "shape.value", of_bad_example)
    of_items("examples-all", "examples of all types", "shape.member_unknown", lambda items: items[0].update(examples=[{"change": "disappeared"}]))
    of_items("strip-start", "a month without its begin", "shape.member_missing",
             lambda items: items[3].update(strip=[{"before_count": 1, "after_count": 2}]))
    of_items("finding-none", "no finding of a kind", "shape.value", lambda items: items[3].update(finding_counts={"divergence": 0}))
    of_items("finding-kind", "a kind of finding that there is not", "shape.member_unknown", lambda items: items[3].update(finding_counts={"other": 1}))
    of_items("context-type", "entries of the context log in a type", "shape.member_unknown", lambda items: items[3].update(context=[{"event_kind": "x", "observation_id": 1}]))
    of_items("observations-none", "a list of observations without one", "shape.value", lambda items: items[0].update(observations=[]))
    of_items("observations-type", "observations of a type", "shape.member_unknown", lambda items: items[3].update(observations=timeline(5)))
    of_items("statuses-all", "what became of the queries of all types", "shape.member_unknown", lambda items: items[0].update(statuses=["completed"]))
    of_items("windows-some", "two of the windows are not there", "", lambda items: items.__delitem__(slice(4, 6)))
    of_items("windows-more", "more windows than their type says", "manifest.comparison", fewer_labels)
    of_items("calendar-order", "days that are not sorted", "shape.value", keep, buckets=((2, 1, 4, 0), (1, 2, 0, 0)))
    of_items("calendar-twice", "a day twice", "shape.value", keep, buckets=((1, 1, 4, 0), (1, 2, 0, 0)))
    of_items("calendar-nothing", "a day without a change", "shape.value", keep, buckets=((1, 3, 4, 0), (2, 0, 0, 0)))
    of_items("calendar-none", "a calendar without a day", "shape.value", keep, buckets=())
    of_items("calendar-many", "a calendar with more changes than its type", "item.counts", keep, buckets=((1, 3, 4, 1),))
    of_items("calendar-length", "a bucket of two days", "item.counts", keep, 2)
    of_items("calendar-window", "a calendar of a window", "shape.member_unknown", lambda items: items[4].update(calendar=items[3]["calendar"]))
    add("windows-some-summary", "a summary in which two of the windows are not there", "manifest.comparison",
        text_of(report_lines(summary(), comparison()[:4])), ".jsonl")
    add("item", "a digit changed in an item, a count that is part of a sum", "item.hash manifest.comparison",
        good[:at] + changed + good[at + 1:])
