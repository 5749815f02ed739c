"""Makes vectors of pages (Spec/report-page.md): what is read, and the lines that are carried behind it.

What is read is a few words here behind the head that is prescribed: a verifier hashes it, and asks nothing else of it.
"""

import base64
import hashlib
import html

from generate import totals_of
from generate_reports import SUMMARY, calendar, changes, comparison, timeline, report_lines, summary, text_of, SLEEP, STEPS

STYLE = b"\nmain > p { max-width: 45rem; }\n"
WORDS = b"<p>65 records appeared &amp; 7 are no longer visible.</p>\n"


def policy_of(style):
    """The line of the policy that allows one style and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style).digest())
    return (b"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
            b"form-action 'none'\">\n") % digest


def read_of(words=WORDS, style=STYLE, policy=None, title=b"What changed"):
    """What is read: the head by Spec/report-page.md, and some words."""
    return (b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' + (policy_of(style) if policy is None else policy)
            + b'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>' + title + b"</title>\n<style>" + style
            + b"</style>\n</head>\n<body>\n" + words)


READ = read_of()
OPENING = b'<template id="healthprobe-evidence">\n'
END = b"</template>\n</body>\n</html>\n"


def page_lines(read=READ, export=None, stated=None, items=None, renderer=1, **members):
    """The lines of a page report about `read`; `stated` is its stated hash, if it is another. `renderer` may be None."""
    items = items or comparison()
    export = export or changes("page_report", (SLEEP, STEPS), {"thresholds": SUMMARY}, **members)
    totals = totals_of(export, items)
    totals["types"] = [{**entry, "provenance_loss": {}} for entry in totals["types"]]
    stated = hashlib.sha256(read).hexdigest() if stated is None else stated
    stated = {"page_sha256": stated, "renderer": renderer}
    return report_lines(export, items, totals={**totals, **{name: value for name, value in stated.items() if value not in ("", None)}})


def carried(text):
    return OPENING + html.escape(text.decode(), quote=False).encode() + END


def page(read=READ, **members):
    return read + carried(text_of(page_lines(read, **members)))


def write_policies(add):
    """What is read with another head than the one that is prescribed; all hashes over it are right."""
    def of(name, what, read):
        add("policy-" + name, what, "container.page_policy", page(read))

    policy, other = policy_of(STYLE), policy_of(b"p { color: red; }")
    of("none", "a page without a policy, with a script and figures of 0", read_of(WORDS.replace(b"65", b"0") + b"<script>alert(1)</script>\n", policy=b""))
    of("changed", "a policy in which a byte differs", read_of(policy=policy.replace(b"default-src", b"default-sRc")))
    of("allows", "a policy that allows scripts, too", read_of(policy=policy.replace(b"'none'; style", b"'none'; script-src 'unsafe-inline'; style")))
    of("single-quotes", "the policy between other quotes", read_of(policy=policy.replace(b'="Content-Security-Policy"', b"='Content-Security-Policy'")))
    of("late", "a policy behind a script", read_of(policy=b"<script>alert(1)</script>\n" + policy))
    of("commented", "a policy in a comment", read_of(policy=b"<!--\n" + policy + b"-->\n"))
    of("second", "a second policy in the head", read_of(policy=policy + policy))
    of("body", "a second policy behind the head", read_of(WORDS + policy))
    of("refresh", "another page that is gone to, in capitals", read_of(WORDS + b'<META HTTP-EQUIV="refresh" content="0; url=https://example.com/">\n'))
    of("style", "a style that the policy does not allow", read_of(policy=other))
    of("style-edited", "a style that was edited", read_of().replace(b"45rem", b"46rem"))
    of("style-second", "another style in the head", read_of().replace(b"</style>\n", b"</style>\n<style>p { color: red; }</style>\n"))
    of("style-none", "a head without a style", read_of().replace(b"<style>" + STYLE + b"</style>\n", b""))
    of("style-bracket", "a style that holds a bracket", read_of(style=b"p::before { content: '<'; }"))
    of("title", "an element in the title's place", read_of(title=b"What<br>changed"))
    of("head", "an element more in the head", read_of().replace(b"<title>", b'<base href="https://example.com/">\n<title>'))
    of("language", "another language", read_of().replace(b'lang="en"', b'lang="de"'))
    of("begin", "nothing that is read but what makes it a page", b"<!DOCTYPE html>\n")
    of("cut", "a head that ends in the hash of the policy", read_of()[:read_of().index(b"sha256-") + 20] + b"\n")
    words = b"<p>&lt;meta&gt; and meta, &lt;script&gt;</p>\n"
    add("policy-words", "what is read speaks of what may not stand there", "", page(read_of(words)))
    add("policy-and-hash", "another policy in a page that was exported", "container.page_hash container.page_policy", page().replace(b"base-uri", b"base-url"))


def write(shelves):
    def add(name, what, codes, data, ending=".html"):
        shelves.add("page-" + name, ending, "report", what, codes, data)

    good = page()
    # A filter whose text has each character that is escaped.
    escaped = page(filter={"sources": ["</template><b>&amp;\"page_sha256\":\""]})
    add("good", "a page with the lines of its report", "", good)
    add("escaped", "lines with each of the characters that are escaped, as if they ended the element", "", escaped)
    add("empty", "nothing is read before the element but the head", "", page(read_of(b"")))
    write_policies(add)
    add("lines", "the lines of a page by themselves", "", text_of(page_lines()), ".jsonl")
    add("digit", "a digit changed in what is read", "container.page_hash", good.replace(b"65 records", b"66 records"))
    add("stated", "another hash stated", "container.page_hash", page(stated="0" * 64))
    add("summary", "the lines of a summary, which state no hash of a page", "container.page_hash",
        READ + carried(text_of(report_lines(summary(), comparison()))))
    add("version", "another version of the format, which ends the examination before the page's hash", "shape.format_version", page(stated="0" * 64, export=summary(format_version=9)))
    add("version-cut", "another version of the format, which ends the examination before the page's end", "shape.format_version",
        page(export=summary(format_version=9))[:-100])
    add("stated-none", "a page report that states no hash", "manifest.totals", text_of(page_lines(stated="")), ".jsonl")
    add("renderer-other", "a renderer that nobody knows yet", "", page(renderer=2))
    add("renderer-none", "a page report that states no renderer", "manifest.totals", text_of(page_lines(renderer=None)), ".jsonl")
    add("renderer-elsewhere", "a summary that states a renderer", "manifest.totals", text_of(page_lines(stated="", export=summary())), ".jsonl")
    for name, what, codes, value in (("0", "a renderer 0", "shape.value", 0), ("fraction", "a renderer 1.5", "shape.value", 1.5),
                                     ("text", "a renderer that is a text", "shape.type", "1")):
        add("renderer-" + name, what, codes, text_of(page_lines(renderer=value)), ".jsonl")
    add("stated-elsewhere", "a summary that states the hash of a page", "manifest.totals",
        text_of(page_lines(export=summary(), renderer=None)), ".jsonl")
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

    of_items("calendar", "days on which records of a type changed", "", keep, buckets=((1, 1, 4, 0), (2, 2, 0, 0)))
    def of_pairs(**counts):
        return lambda items: (items[3]["calendar"]["buckets"][0].update(counts), items[3].update(pair_counts={"condensed_into": 1, "re_identified": 2}))

    of_items("calendar-pairs", "records of a day that are there under another identity, or in a condensed one", "", of_pairs(re_identified_count=2, condensed_count=2))
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
        items[3]["strip"] = [{"start": "2024-02-01T00:00:00.000Z", "before_count": 4, "before_value": 100, "after_count": 3, "after_value": 107},
                             {"start": "2024-03-01T00:00:00.000Z", "before_count": 0, "after_count": 1}]

    def of_answer(chart=None, overlap={"overlap": 0.25, "overlap_of": "phone_and_watch"}, **more):
        counted = [{"record_count": 4, "sample_type": STEPS}]
        stretch = {"after_count": 0, "day_count": 2, "first_date": "2024-02-01", "has_others": False, "in_place_count": 1, "label": "disappeared", "last_date": "2024-02-03", "record_count": 4,
                   "sample_type": STEPS, "value_sum": 100, **overlap}
        gone = {"after_count": 0, "day_count": 2, "first_date": "2024-02-01", "largest": [stretch], "last_date": "2024-02-03", "record_count": 4, "stretch_count": 1, "types": counted}
        bar = {"after_count": 0, "before_count": 2, "before_high": 4, "before_low": 2, "before_value": 3, "date": "2024-02-01"}
        stretch["chart"] = {"bar_days": 1, "days": [bar, {**bar, "date": "2024-02-02"}], "months": [{"after_count": 3, "after_value": 100, "before_count": 0, "date": "2024-02-01"}]}
        if chart is not None:
            stretch["chart"].update(chart)
        undated = {"after_count": 1, "day_count": 0, "label": "uncertain", "outcome": "kept", "pair": "condensed_into", "record_count": 2}
        answer = {"after_date": "2024-03-02", "before_date": "2024-02-02", "gone": gone, "late": {"record_count": 1, "types": counted},
                  "replaced": {"after_count": 1, "day_count": 0, "largest": [undated], "record_count": 2, "stretch_count": 1, "types": [{"record_count": 2}]},
                  "new": {"first_date": "2024-02-01", "last_date": "2024-02-29", "record_count": 4, "types": counted}, "new_version_count": 2,
                  "sources": [{"after_count": 3, "before_count": 0, "bundle_identifier": "com.example.one", "date": "2024-02-20", "finding": "source_appeared"}],
                  "earlier": [{"first_date": "2023-08-03", "last_date": "2023-08-09", "record_count": 18, "sample_type": STEPS, "since_date": "2024-01-02", "was_replaced": False}], "earlier_partial": True}
        return lambda items: items[0].update(answer={name: value for name, value in {**answer, **more}.items() if value is not None})

    of_items("answer", "what the comparison comes to", "", of_answer())
    of_items("answer-bare", "an answer without anything", "", lambda items: items[0].update(answer={}))
    of_items("answer-type", "an answer of a type", "shape.member_unknown", lambda items: items[3].update(answer={}))
    of_items("answer-finding", "a source with a finding that there is not", "shape.value", of_answer(sources=[{"after_count": 3, "before_count": 0, "finding": "source_moved"}]))
    of_items("answer-stretches", "a part without stretches", "shape.member_missing", of_answer(gone={"after_count": 0, "day_count": 0, "record_count": 1, "stretch_count": 1, "types": [{"record_count": 1}]}))
    of_items("answer-chart", "a chart without a day", "shape.value", of_answer(chart={"days": []}))
    of_items("answer-overlap", "an overlap of nobody", "shape.member_missing", of_answer(overlap={"overlap": 0.25}))
    of_items("answer-overlap-sources", "an overlap of sources that there are not", "shape.value", of_answer(overlap={"overlap": 0.25, "overlap_of": "rings"}))
    of_items("answer-date", "a first date without a last one", "shape.member_missing", of_answer(new={"first_date": "2024-02-01", "record_count": 4, "types": [{"record_count": 4}]}))

    def of_one(year=None, month=None, **more):
        years = [{"day_count": 2, "days": "0" * 59 + "13" + "0" * 305, "record_count": 120, "year": "2024"}]
        nights = [{"asleep_day_count": 1, "asleep_seconds": 25200.5, "date": "2024-02", "nap_count": 0, "night_count": 2}]
        years[0].update(year or {})
        nights[0].update(month or {})
        return lambda items: (items[0].update({"first_date": "2024-02-29", "last_date": "2024-03-01", "nights": nights, **more}), items[3].update(years=years))

    of_items("days", "years and nights of one observation", "", of_one())
    of_items("days-count", "a year without a day", "shape.value", of_one({"day_count": 0}))
    of_items("days-number", "a year that is a number", "shape.type", of_one({"year": 2024}))
    of_items("days-other", "another member of a year", "shape.member_unknown", of_one({"month": "01"}))
    of_items("days-all", "years of all types", "shape.member_unknown", of_one(years=[]))
    of_items("days-nights", "a list of nights without one", "shape.value", of_one(nights=[]))
    of_items("days-night", "a month with fewer than no nights", "shape.value", of_one(month={"night_count": -1}))
    of_items("days-date", "a first date without a last one", "shape.member_missing", lambda items: items[0].update(first_date="2024-02-29"))

    def of_bad_example(items):
        items[3]["examples"] = [{"change": "appeared"}]

    of_items("details", "examples of records, and entries of the context log", "", of_details)
    of_items("examples-appeared", "an example of a record that appeared", "shape.value", of_bad_example)
    of_items("examples-all", "examples of all types", "shape.member_unknown", lambda items: items[0].update(examples=[{"change": "disappeared"}]))
    of_items("strip-start", "a month without its begin", "shape.member_missing",
             lambda items: items[3].update(strip=[{"before_count": 1, "after_count": 2}]))
    of_items("context-type", "entries of the context log in a type", "shape.member_unknown", lambda items: items[3].update(context=[{"event_kind": "x", "observation_id": 1}]))
    of_items("observations-none", "a list of observations without one", "shape.value", lambda items: items[0].update(observations=[]))
    of_items("observations-type", "observations of a type", "shape.member_unknown", lambda items: items[3].update(observations=timeline(5)))
    of_items("statuses-all", "what became of the queries of all types", "shape.member_unknown", lambda items: items[0].update(statuses=["completed"]))
    of_items("windows-some", "two of the windows are not there", "", lambda items: items.__delitem__(slice(4, 6)))
    of_items("calendar-order", "days that are not sorted", "shape.value", keep, buckets=((2, 1, 4, 0), (1, 2, 0, 0)))
    of_items("calendar-twice", "a day twice", "shape.value", keep, buckets=((1, 1, 4, 0), (1, 2, 0, 0)))
    of_items("calendar-nothing", "a day without a change", "shape.value", keep, buckets=((1, 3, 4, 0), (2, 0, 0, 0)))
    of_items("calendar-none", "a calendar without a day", "shape.value", keep, buckets=())
    of_items("calendar-window", "a calendar of a window", "shape.member_unknown", lambda items: items[4].update(calendar=items[3]["calendar"]))
    add("item", "a digit changed in an item", "item.hash",
        good[:at] + changed + good[at + 1:])
