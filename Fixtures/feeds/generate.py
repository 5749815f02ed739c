#!/usr/bin/env python3
"""Writes the feeds next to this script. Standard library only.

good/NAME.jsonl, NAME.steps     a feed, and the steps that a reader must give
bad/NAME.jsonl                  a feed with one fault
bad/expected.txt                for each: its name, which check sees the fault (`json`: a strict JSON parser, `schema`:
                                Spec/schemas/capture-feed.json, `reader`: only a reader of the whole feed), and the error after
                                the name of the file

What is expected is stated below or worked out here from Spec/capture-feed.md, never by the code under test.
The archive secret of the steps is the bytes 00 to 1f.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).resolve().parent
SECRET = bytes(range(32))

HEART = "HKQuantityTypeIdentifierHeartRate"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
UUIDS = ["00000000-0000-4000-8000-%012x" % number for number in range(64)]
FEED = {"kind": "feed", "format": "healthprobe-feed", "format_version": 1}
OBSERVATION = {"kind": "observation", "observed_at": "2024-05-01T10:00:00Z", "trigger_reason": "manual"}
RUN = {"kind": "run", "sample_type": HEART, "mode": "anchored", "anchor_before": "AAEC"}
SAMPLE = {"kind": "sample", "sample_type": HEART, "uuid": UUIDS[1], "start_date": "2024-05-01T09:00:00Z", "end_date": "2024-05-01T09:00:01Z",
          "value_kind": "quantity", "numeric_value": 61, "unit": "count/min"}
DELETED = {"kind": "deleted", "sample_type": HEART, "uuid": UUIDS[2]}
RELATIONSHIP = {"kind": "relationship", "source": {"sample_type": HEART, "uuid": UUIDS[1]}, "target": {"sample_type": SLEEP, "uuid": UUIDS[3]},
                "relationship_kind": "associated"}
PAGE = {"kind": "page", "number": 1}
RUN_END = {"kind": "run_end", "sample_type": HEART, "status": "completed", "anchor_after": "AAED"}
END = {"kind": "observation_end", "status": "completed"}


def line(value):
    """A line: bytes as they are, an object as plain JSON."""
    return value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def but(value, **changes):
    """An object with other members; None leaves one out, and null is `NULL`."""
    result = {name: member for name, member in {**value, **changes}.items() if member is not None}
    return {name: None if member is NULL else member for name, member in result.items()}


NULL = object()


def in_run(*content):
    return [FEED, OBSERVATION, RUN, *content, PAGE, RUN_END, END]


# Good feeds: lines and steps.

def page(number, content, samples=0, deleted=0, links=0, rejections=()):
    digest = hashlib.sha256(b"".join(map(line, content))).hexdigest()
    return "page %d samples=%d deleted=%d links=%d rejections=%s digest=%s" % (number, samples, deleted, links, ",".join(rejections) or "-", digest)


def message_hash(text):
    return hmac.new(SECRET, b"hp:v2:error_message:" + text.encode(), "sha256").hexdigest()


OBSERVED = "observation 1714557600.0 manual"
STARTED = "run %s anchored_query before=000102 problem=-" % HEART
ENDED = "run_end %s completed after=000103 visible=- error=- message=-" % HEART
DONE = "observation_end complete"


def good():
    one = [SAMPLE]
    yield "minimal", in_run(*one), [OBSERVED, STARTED, page(1, one, 1), ENDED, DONE]
    yield "feed-only", [FEED], []
    yield "no-runs", [FEED, OBSERVATION, END], [OBSERVED, DONE]

    spelled = [
        b'{"unit":"count\\/min","numeric_value":6.1e1,"value_kind":"qu\\u0061ntity","end_date":"2024-05-01T09:00:01\\u005a","start_date":"2024-05-01T11:00:00+02:00",'
        b'"uuid":"\\u0030' + UUIDS[1][1:].encode() + b'","sample_type":"HKQuantityTypeIdentifier\\u0048eartRate","kin\\u0064":"sam\\u0070le"}\n',
        b' \t{ "metadata" : { } , "source" : { } , "device":{} , "kind":"sample","sample_type":"' + HEART.encode() + b'","start_date":"2024-05-01T09:00:00Z",'
        b'"end_date":"2024-05-01T09:00:00Z","value_kind":"quantity" } \r\n',
    ]
    yield "spellings", in_run(*spelled), [OBSERVED, STARTED, page(1, spelled, 2), ENDED, DONE]

    sleep_run = {"sample_type": SLEEP, "mode": "full_scan", "kind": "run", "category": "category", "display_name": "Sleep", "anchor_problem": "missing"}
    night = but(SAMPLE, sample_type=SLEEP, uuid=UUIDS[3], value_kind="category", numeric_value=None, unit=None, category_value=3)
    first = [SAMPLE, DELETED, night, RELATIONSHIP]
    again = but(OBSERVATION, observed_at="2024-05-01T12:00:00.0000005+02:00", trigger_reason="background", app_version="", os_version="17.4.1",
                time_zone_identifier="Europe/Bucharest", time_zone_seconds_from_gmt=10800, selected_types=[HEART, SLEEP, HEART])
    yield "runs-side-by-side", [
        FEED, OBSERVATION, RUN, sleep_run, *first, PAGE, RUN_END, RELATIONSHIP, but(PAGE, number=2), but(RUN_END, sample_type=SLEEP, anchor_after="", verified_visible_count=1), but(PAGE, number=3), END, again, END], [
        OBSERVED, STARTED, "run %s full_scan before=- problem=anchor_missing" % SLEEP, page(1, first, 2, 1, 1), ENDED, page(2, [RELATIONSHIP], 0, 0, 1),
        "run_end %s completed after= visible=1 error=- message=-" % SLEEP, page(3, []), DONE, "observation 1714557600.0 background", DONE]

    yield "page-again", [FEED, OBSERVATION, RUN, SAMPLE, PAGE, SAMPLE, PAGE, DELETED, but(PAGE, number=2), SAMPLE, PAGE, DELETED, but(PAGE, number=2), RUN_END, END], [
        OBSERVED, STARTED, page(1, [SAMPLE], 1), page(1, [SAMPLE], 1), page(2, [DELETED], 0, 1), page(1, [SAMPLE], 1), page(2, [DELETED], 0, 1), ENDED, DONE]

    dates = ["2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01T23:59:60Z", "2024-05-01T10:60:00Z", "0000-12-31T23:59:59Z",
             "10000-01-01T00:00:00Z", "+2024-05-01T00:00:00Z", "-0001-05-01T00:00:00Z", "+123456789-05-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
             "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.9999995Z", "2024-05-01T00:00:00+24:00", "2024-05-01T00:00:00+00:60"]
    refused = [but(SAMPLE, start_date=date) for date in dates] + [but(SAMPLE, end_date=date, numeric_value=None) for date in dates]
    yield "bad-dates", in_run(*refused), [OBSERVED, STARTED, page(1, refused, 0, 0, 0, ["bad_date@line %d" % (4 + n) for n in range(len(refused))]), ENDED, DONE]
    kept = [but(SAMPLE, start_date=date) for date in ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00-23:59", "9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59+23:59",
                                                       "2024-02-29T00:00:00.000000001Z", "2024-05-01T00:00:00.123456789-00:00", "1969-12-31T23:59:59.9Z", "2030-01-01T00:00:00Z"]]
    yield "dates", in_run(*kept), [OBSERVED, STARTED, page(1, kept, len(kept)), ENDED, DONE]

    def raw(name, number, kind=SAMPLE):
        return line(but(kind, **{name: "@"})).replace(b'"@"', number)

    refused = [raw("numeric_value", b"1e999"), raw("numeric_value", b"-1e309"), raw("duration_seconds", b"1E+400"), raw("category_value", b"9007199254740992"),
               raw("category_value", b"-9007199254740992"), raw("workout_activity_type", b"9223372036854775808"), raw("workout_activity_type", b"1e300"), raw("category_value", b"-1e999"),
               raw("numeric_value", b"1" + b"0" * 400), raw("metadata", b'{"a":[{"b":1e999}]}'), raw("metadata", b'{"a":[{"b":1e999}]}'), raw("metadata", b'{"HKExternalUUID":1e999}'),
               raw("numeric_value", b"1e-999"), raw("numeric_value", b"9007199254740993"), raw("duration_seconds", b"12345678901234567890123456789"),
               raw("category_value", b"9007199254740991.4"), raw("metadata", b'{"a":1e999}', but(SAMPLE, source={"name": "x"}, device={"name": "y"}))]
    sourced = but(SAMPLE, source={"name": "x"}, device={"name": "y"})
    both = line(but(SAMPLE, start_date="10000-01-01T00:00:00Z", numeric_value="@")).replace(b'"@"', b"1e999")
    content = [*refused, sourced, both]
    reasons = ["bad_number@line %d" % (4 + n) for n in range(len(refused))] + ["bad_date@line %d" % (5 + len(refused))]
    yield "bad-numbers", in_run(*content), [OBSERVED, STARTED, page(1, content, 1, 0, 0, reasons), ENDED, DONE]
    kept = [raw("numeric_value", text) for text in [b"-0.0", b"0e-999", b"1.7976931348623157e308", b"0.1", b"-1E-3", b"9007199254740994", b"0.10000000000000001", b"0.1000000000000000055511151231257827"]]
    kept += [raw("category_value", text) for text in [b"1.0", b"1e2", b"-0", b"9007199254740991", b"-9007199254740991", b"0.5e1"]]
    yield "numbers", in_run(*kept), [OBSERVED, STARTED, page(1, kept, len(kept)), ENDED, DONE]

    texts = [but(SAMPLE, unit=text, source={"name": text, "bundle_identifier": text, "operating_system_version": "0.0.0"}, device={"name": text, "udi": text}, metadata={text: text, "k": None})
             for text in ["", "a\u0000b", "é", "e\u0301", "健康", "👩‍⚕️", "\u202e", "\ufeff", "\uffff", "\U0010ffff", "\u2028\u2029\u007f\r\n\t\"\\/", "ı", "x" * 65536, "👩" * 65536]]
    texts.append(line(SAMPLE).replace(b"count/min", b"\\uD83D\\uDE00 \\u0000"))
    yield "texts", in_run(*texts), [OBSERVED, STARTED, page(1, texts, len(texts)), ENDED, DONE]

    deep = b"[" * 63 + b"]" * 63
    metadata = [but(SAMPLE, metadata={"b": 1.50, "a": [True, False, None, {"x": {}}], "aa": "\u00e9"}), raw("metadata", b'{"a":' + deep + b"}"),
                raw("metadata", b'{"a":1e20,"b":1E400000000000000000000000000,"c":2}').replace(b"1E400000000000000000000000000", b"1E-40000000000000000000"),
                but(SAMPLE, metadata={"HKExternalUUID": "id", "HKMetadataKeySyncIdentifier": {"b": 1, "a": [1e21]}, "z": {"HKExternalUUID": "kept"}}),
                raw("metadata", b'{"\\u0048KExternalUUID":"id"}'), raw("metadata", b'{"x":{"a":1},"y":{"a":1}}'), but(SAMPLE, metadata={}),
                but(SAMPLE, metadata={"k%d" % n: n for n in range(2000)})]
    yield "metadata", in_run(*metadata), [OBSERVED, STARTED, page(1, metadata, len(metadata)), ENDED, DONE]
    linked = [but(RELATIONSHIP, metadata={"a": 1}), but(RELATIONSHIP, target=RELATIONSHIP["source"]), line(RELATIONSHIP).replace(b'"source"', b'"\\u0073ource"')]
    yield "relationships", [FEED, OBSERVATION, *linked, PAGE, END], [OBSERVED, page(1, linked, 0, 0, 3), DONE]

    samples = [but(SAMPLE, uuid=None), but(SAMPLE, uuid=UUIDS[10].upper()), but(SAMPLE, end_date="2024-05-01T08:00:00Z"), but(SAMPLE, value_kind="a_new_kind_2"),
               but(SAMPLE, value_kind="x" * 64), but(SAMPLE, value_kind="workout", workout_activity_type=37, duration_seconds=1800.5, numeric_value=None, unit=None)]
    yield "samples", in_run(*samples), [OBSERVED, STARTED, page(1, samples, len(samples)), ENDED, DONE]

    ends, steps = [FEED], []
    for index, (status, end) in enumerate([("failed", "failed"), ("unauthorized", "failed"), ("timed_out", "cancelled"), ("completed", "completed")]):
        error = {"error_kind": "HKErrorDomain:5", "error_message": "no \u0000 acc\u00e8s"} if status != "completed" else {}
        ends += [OBSERVATION, but(RUN, anchor_before=None), but(RUN_END, status=status, anchor_after=None, **error), but(END, status=end)]
        steps += [OBSERVED, "run %s anchored_query before=- problem=-" % HEART,
                  "run_end %s %s after=- visible=- error=%s message=%s" % (HEART, status, "HKErrorDomain:5" if error else "-", message_hash("no \u0000 acc\u00e8s") if error else "-"),
                  "observation_end " + end.replace("completed", "complete")]
    ends += [OBSERVATION, but(RUN, mode="full_scan", anchor_problem="rejected"), SAMPLE, PAGE, but(END, status="cancelled")]
    steps += [OBSERVED, "run %s full_scan before=000102 problem=anchor_rejected" % HEART, page(1, [SAMPLE], 1), "observation_end cancelled"]
    yield "ends", ends, steps

    anchors, steps = [FEED], []
    for anchor in [b"", b"\x00", b"\xff\xfe", b"\xfb\xef\xbe", bytes(range(256))]:
        text = base64.b64encode(anchor).decode()
        anchors += [OBSERVATION, but(RUN, anchor_before=text), but(RUN_END, anchor_after=text), END]
        steps += [OBSERVED, "run %s anchored_query before=%s problem=-" % (HEART, anchor.hex()), "run_end %s completed after=%s visible=- error=- message=-" % (HEART, anchor.hex()), DONE]
    yield "anchors", anchors, steps

    names = ["x" * 256, "👩" * 256, "a\u0000", "健康.type"]
    runs, steps = [FEED, OBSERVATION], [OBSERVED]
    for number, name in enumerate(names, 1):
        runs += [but(RUN, sample_type=name), but(SAMPLE, sample_type=name), but(PAGE, number=number), but(RUN_END, sample_type=name)]
        steps += [STARTED.replace(HEART, name.replace("\0", "\\0")), page(number, [but(SAMPLE, sample_type=name)], 1), ENDED.replace(HEART, name.replace("\0", "\\0"))]
    yield "names", runs + [END], steps + [DONE]

    yield "cut-in-line", [*in_run(SAMPLE)[:4], PAGE, DELETED, line(SAMPLE)[:-7]], [OBSERVED, STARTED, page(1, one, 1)]
    yield "cut-after-line", [*in_run(SAMPLE)[:4], PAGE, DELETED], [OBSERVED, STARTED, page(1, one, 1)]
    yield "cut-before-last-lf", [*in_run(SAMPLE)[:-1], line(END)[:-1]], [OBSERVED, STARTED, page(1, one, 1), ENDED]


# Bad feeds: which check sees the fault, lines, and the error.

def in_line_4(name, seen_by, content, error):
    return name, seen_by, [FEED, OBSERVATION, RUN, content, PAGE, RUN_END, END], "line 4: " + error


def spelled(value, old, new):
    text = line(value)
    assert old in text, (old, text)
    return text.replace(old, new, 1)


def json_faults():
    def fault(name, content, error):
        return in_line_4("json-" + name, "json", content, error)

    sample = line(SAMPLE)
    yield fault("text", b"hello\n", "syntax at byte 0: the text is not JSON")
    yield fault("empty-line", b"\n", "syntax at byte 0: the text is not JSON")
    yield fault("byte-order-mark", b"\xef\xbb\xbf" + sample, "byte_order_mark at byte 0: the text begins with a byte order mark")
    yield fault("two-values", sample[:-1] + b"{}\n", "syntax at byte %d: the text is not JSON" % (len(sample) - 1))
    yield fault("cut", sample[:-2] + b"\n", "syntax at byte %d: the text is not JSON" % (len(sample) - 2))
    yield fault("trailing-comma", sample[:-2] + b",}\n", "syntax at byte %d: the text is not JSON" % (len(sample) - 1))
    yield fault("single-quotes", b"{'kind':'sample'}\n", "syntax at byte 1: the text is not JSON")
    yield fault("nan", spelled(SAMPLE, b":61", b":NaN"), "/numeric_value: syntax at byte %d: the text is not JSON" % (sample.index(b":61") + 1))
    yield fault("infinity", spelled(SAMPLE, b":61", b":-Infinity"), "/numeric_value: syntax at byte %d: the text is not JSON" % (sample.index(b":61") + 2))
    yield fault("leading-zero", spelled(SAMPLE, b":61", b":061"), "syntax at byte %d: the text is not JSON" % (sample.index(b":61") + 2))
    yield fault("raw-control", spelled(SAMPLE, b"count/min", b"count\tmin"), "/unit: syntax at byte %d: the text is not JSON" % (sample.index(b"count/min") + 5))
    yield fault("utf8", spelled(SAMPLE, b"count/min", b"count\xffmin"), "/unit: utf8 at byte %d: the bytes are not UTF-8" % (sample.index(b"count/min") + 5))
    yield fault("utf8-surrogate", spelled(SAMPLE, b"count/min", b"\xed\xa0\x80"), "/unit: utf8 at byte %d: the bytes are not UTF-8" % sample.index(b"count/min"))
    yield fault("surrogate", spelled(SAMPLE, b"count/min", b"a\\ud800"), "/unit: surrogate at byte %d: the escape is half of a surrogate pair" % (sample.index(b"count/min") + 1))
    known = "duplicate_key at byte %d: the object has this key already"
    yield fault("duplicate", sample[:-2] + b',"unit":"count"}\n', known % (len(sample) - 1))
    yield fault("duplicate-same", sample[:-2] + b',"unit":"count/min"}\n', known % (len(sample) - 1))
    yield fault("duplicate-escaped", sample[:-2] + b',"\\u0075nit":"count"}\n', known % (len(sample) - 1))
    yield fault("duplicate-unknown", sample[:-2] + b',"x":1,"x":1}\n', known % (len(sample) + 5))
    text = b',"source":{"name":"a","n\\u0061me":"b"}}\n'
    yield fault("duplicate-in-source", sample[:-2] + text, "/source: " + known % (len(sample) - 2 + text.index(b'"n\\u')))
    text = b',"metadata":{"a":{"b":1,"\\u0062":1}}}\n'
    yield fault("duplicate-in-metadata", sample[:-2] + text, "/metadata: " + known % (len(sample) - 2 + text.index(b'"\\u')))
    # The same metadata was right in the line before; what follows it must be looked at all the same.
    first = line(but(SAMPLE, metadata={"a": "}"}))
    yield ("json-after-known", "json", [FEED, OBSERVATION, RUN, first, first[:-2] + b"]\n", PAGE, RUN_END, END], "line 5: syntax at byte %d: the text is not JSON" % (len(first) - 2))
    yield fault("utf-16", '{"kind":"page"}'.encode("utf-16-be") + b"\n", "syntax at byte 0: the text is not JSON")


TIMESTAMPS = ["", "2024-05-01", "2024-05-01T09:00:00", "2024-05-01 09:00:00Z", "2024-05-01t09:00:00Z", "2024-05-01T09:00:00z", "2024-05-01T09:00Z", "2024-05-01T09:00:00.Z",
              "2024-05-01T09:00:00.1234567890Z", "2024-05-01T09:00:00,5Z", "2024-05-01T09:00:00+02", "2024-05-01T09:00:00+0200", "2024-05-01T09:00:00+02:00Z", "2024-5-01T09:00:00Z",
              "24-05-01T09:00:00Z", "1234567890-05-01T09:00:00Z", " 2024-05-01T09:00:00Z", "2024-05-01T09:00:00Z ", "2024-05-01T09:00:00Z\n", "2024-05-01T0a:00:00Z", "20240501T090000Z",
              "٢٠٢٤-05-01T09:00:00Z", "--2024-05-01T09:00:00Z", "1714557600", "2024-05-01T09:00:00Z\u0000", "-2024-05-01"]


def schema_faults():
    def fault(name, content, error):
        return in_line_4("schema-" + name, "schema", content, error)

    sample = line(SAMPLE)
    yield fault("array", b"[]\n", "not an object")
    yield fault("number", b"1\n", "not an object")
    yield fault("null", b"null\n", "not an object")
    yield fault("kind-missing", but(SAMPLE, kind=None), "/kind: missing")
    yield fault("empty-object", {}, "/kind: missing")
    yield fault("kind-number", but(SAMPLE, kind=1), "/kind: not a text")
    yield fault("kind-null", but(SAMPLE, kind=NULL), "/kind: not a text")
    yield fault("kind-unknown", but(SAMPLE, kind="Sample"), "/kind: not a kind of line that is known")
    yield fault("kind-longer", but(SAMPLE, kind="samples"), "/kind: not a kind of line that is known")
    yield fault("unknown-member", but(SAMPLE, comment="secret"), "member at byte %d is unknown" % (len(sample) - 1))
    yield fault("unknown-member-case", but(SAMPLE, Unit="x"), "member at byte %d is unknown" % (len(sample) - 1))
    yield fault("unknown-member-empty", but(SAMPLE, **{"": 1}), "member at byte %d is unknown" % (len(sample) - 1))
    yield fault("member-of-other-kind", but(SAMPLE, number=1), "/number: not a member of lines of this kind")
    yield fault("deleted-with-unit", but(DELETED, unit="x"), "/unit: not a member of lines of this kind")
    for name in ["sample_type", "start_date", "end_date", "value_kind"]:
        yield fault("sample-without-" + name, but(SAMPLE, **{name: None}), "/%s: missing" % name)
    for name in ["sample_type", "uuid"]:
        yield fault("deleted-without-" + name, but(DELETED, **{name: None}), "/%s: missing" % name)
    for name in ["source", "target", "relationship_kind"]:
        yield fault("relationship-without-" + name, but(RELATIONSHIP, **{name: None}), "/%s: missing" % name)
    for name in ["uuid", "start_date", "end_date", "value_kind", "unit", "sample_type"]:
        yield fault("%s-null" % name, but(SAMPLE, **{name: NULL}), "/%s: not a text" % name)
        yield fault("%s-number" % name, but(SAMPLE, **{name: 1}), "/%s: not a text" % name)
    for name in ["numeric_value", "duration_seconds", "category_value", "workout_activity_type"]:
        yield fault("%s-null" % name, but(SAMPLE, **{name: NULL}), "/%s: not a number" % name)
        yield fault("%s-text" % name, but(SAMPLE, **{name: "1"}), "/%s: not a number" % name)
    yield fault("numeric_value-true", but(SAMPLE, numeric_value=True), "/numeric_value: not a number")
    yield fault("category_value-fraction", but(SAMPLE, category_value=1.5), "/category_value: not a whole number")
    yield fault("workout_activity_type-small", but(SAMPLE, workout_activity_type=1e-9), "/workout_activity_type: not a whole number")
    for index, text in enumerate(TIMESTAMPS):
        name = ["start_date", "end_date"][index % 2]
        yield fault("timestamp-%02d" % index, but(SAMPLE, **{name: text}), "/%s: not a timestamp" % name)
    for index, text in enumerate(["", UUIDS[1][:-1], UUIDS[1] + "0", UUIDS[1].replace("-", ""), "{%s}" % UUIDS[1], UUIDS[1].replace("-", "_"), "g" + UUIDS[1][1:], UUIDS[1] + "\n"]):
        yield fault("uuid-%d" % index, but([SAMPLE, DELETED][index % 2], uuid=text), "/uuid: not a UUID")
    for index, text in enumerate(["", "Quantity", "a b", "x" * 65, "é", "quantity\n", "a-b"]):
        yield fault("value-kind-%d" % index, but(SAMPLE, value_kind=text), "/value_kind: not 1 to 64 small letters, digits and _")
    yield fault("unit-long", but(SAMPLE, unit="x" * 65537), "/unit: longer than 65536 characters")
    for name in ["source", "device", "metadata"]:
        for kind, value in [("null", NULL), ("text", "x"), ("array", [{}])]:
            yield fault("%s-%s" % (name, kind), but(SAMPLE, **{name: value}), "/%s: not an object" % name)
    for name, member in [("source", "name"), ("source", "version"), ("device", "udi"), ("device", "name")]:
        yield fault("%s-%s-number" % (name, member), but(SAMPLE, **{name: {member: 1}}), "/%s/%s: not a text" % (name, member))
        yield fault("%s-%s-null" % (name, member), but(SAMPLE, **{name: {member: None}}), "/%s/%s: not a text" % (name, member))
    yield fault("device-model-long", but(SAMPLE, device={"model": "é" * 65537}), "/device/model: longer than 65536 characters")
    yield fault("source-unknown-member", but(SAMPLE, source={"name": "x", "model": "y"}), "/source: member at byte 12 of the object is unknown")
    yield fault("device-unknown-member", but(SAMPLE, device={"bundle_identifier": "y"}), "/device: member at byte 1 of the object is unknown")
    yield fault("rejected-record-with-bad-source", but(SAMPLE, start_date="10000-01-01T00:00:00Z", source={"name": 1}), "/source/name: not a text")
    yield fault("rejected-record-with-bad-metadata", but(SAMPLE, start_date="10000-01-01T00:00:00Z", metadata=[]), "/metadata: not an object")
    # A source that was read before is no end of a relationship.
    source = {"name": "x"}
    yield ("schema-known-source-as-end", "schema", [FEED, OBSERVATION, RUN, but(SAMPLE, source=source), but(RELATIONSHIP, source=source), PAGE, RUN_END, END],
           "line 5: /source: member at byte 1 of the object is unknown")
    for end in ["source", "target"]:
        right = RELATIONSHIP[end]
        yield fault("relationship-%s-text" % end, but(RELATIONSHIP, **{end: "x"}), "/%s: not an object" % end)
        yield fault("relationship-%s-empty" % end, but(RELATIONSHIP, **{end: {}}), "/%s/sample_type: missing" % end)
        yield fault("relationship-%s-without-uuid" % end, but(RELATIONSHIP, **{end: but(right, uuid=None)}), "/%s/uuid: missing" % end)
        yield fault("relationship-%s-uuid" % end, but(RELATIONSHIP, **{end: but(right, uuid="x")}), "/%s/uuid: not a UUID" % end)
        yield fault("relationship-%s-type-empty" % end, but(RELATIONSHIP, **{end: but(right, sample_type="")}), "/%s/sample_type: empty" % end)
        yield fault("relationship-%s-type-long" % end, but(RELATIONSHIP, **{end: but(right, sample_type="x" * 257)}), "/%s/sample_type: longer than 256 characters" % end)
        yield fault("relationship-%s-more" % end, but(RELATIONSHIP, **{end: but(right, name="x")}), "/%s: member at byte %d of the object is unknown" % (end, len(line(right)) - 1))
    yield fault("relationship-kind-empty", but(RELATIONSHIP, relationship_kind=""), "/relationship_kind: empty")
    yield fault("relationship-metadata", but(RELATIONSHIP, metadata=1), "/metadata: not an object")

    def feed(name, content, error):
        return "schema-" + name, "schema", [content, OBSERVATION, END], "line 1: " + error

    yield feed("format", but(FEED, format="healthprobe"), "/format: not healthprobe-feed")
    yield feed("format-number", but(FEED, format=1), "/format: not a text")
    yield feed("format-missing", but(FEED, format=None), "/format: missing")
    yield feed("version-2", but(FEED, format_version=2), "/format_version: not a version that is known")
    yield feed("version-text", but(FEED, format_version="1"), "/format_version: not a number")
    yield feed("version-missing", but(FEED, format_version=None), "/format_version: missing")

    def observation(name, error, **changes):
        return "schema-observation-" + name, "schema", [FEED, but(OBSERVATION, **changes), END], "line 2: " + error

    yield observation("without-time", "/observed_at: missing", observed_at=None)
    yield observation("time", "/observed_at: not a timestamp", observed_at="2024-05-01")
    yield observation("month-13", "/observed_at: no moment of the years 1 to 9999", observed_at="2024-13-01T00:00:00Z")
    yield observation("year-10000", "/observed_at: no moment of the years 1 to 9999", observed_at="10000-01-01T00:00:00Z")
    yield observation("year-0", "/observed_at: no moment of the years 1 to 9999", observed_at="0000-01-01T00:00:00Z")
    yield observation("without-reason", "/trigger_reason: missing", trigger_reason=None)
    yield observation("reason-empty", "/trigger_reason: empty", trigger_reason="")
    yield observation("reason-long", "/trigger_reason: longer than 256 characters", trigger_reason="é" * 257)
    yield observation("app-version", "/app_version: not a text", app_version=3)
    yield observation("os-version-null", "/os_version: not a text", os_version=NULL)
    yield observation("zone-empty", "/time_zone_identifier: empty", time_zone_identifier="")
    for index, offset in enumerate([86400, -86400, 1e300]):
        yield observation("offset-%d" % index, "/time_zone_seconds_from_gmt: out of range", time_zone_seconds_from_gmt=offset)
    yield observation("offset-fraction", "/time_zone_seconds_from_gmt: not a whole number", time_zone_seconds_from_gmt=0.5)
    yield observation("offset-text", "/time_zone_seconds_from_gmt: not a number", time_zone_seconds_from_gmt="0")
    yield observation("types-text", "/selected_types: not an array", selected_types=HEART)
    yield observation("types-number", "/selected_types/1: not a text", selected_types=[HEART, 1])
    yield observation("types-null", "/selected_types/0: not a text", selected_types=[None])
    yield observation("types-nested", "/selected_types/0: not a text", selected_types=[[HEART]])
    yield observation("types-empty", "/selected_types/1: empty", selected_types=[HEART, ""])
    yield observation("types-long", "/selected_types/0: longer than 256 characters", selected_types=["x" * 257])
    yield observation("types-many", "/selected_types: more than 4096 types", selected_types=["x"] * 4097)
    yield observation("status", "/status: not a member of lines of this kind", status="completed")

    def run(name, error, **changes):
        return "schema-run-" + name, "schema", [FEED, OBSERVATION, but(RUN, **changes), RUN_END, END], "line 3: " + error

    yield run("without-type", "/sample_type: missing", sample_type=None)
    yield run("type-empty", "/sample_type: empty", sample_type="")
    yield run("type-long", "/sample_type: longer than 256 characters", sample_type="x" * 257)
    yield run("without-mode", "/mode: missing", mode=None)
    yield run("mode", "/mode: not a word that is known", mode="anchored_query")
    yield run("category-empty", "/category: empty", category="")
    yield run("display-name", "/display_name: not a text", display_name=["x"])
    yield run("problem", "/anchor_problem: not a word that is known", anchor_problem="lost")
    yield run("problem-anchored", "/mode: not a full scan, and the anchor has a problem", anchor_problem="corrupt")
    for index, text in enumerate(["A", "AA", "AA=", "AAA", "AAEC=", "AA==AAEC", "AB==", "AAB=", "AA E", "AAEC\n", "-_-_", "====", "A===", "AAE\u00e9"]):
        yield run("anchor-%02d" % index, "/anchor_before: not base64", anchor_before=text)
    yield run("anchor-number", "/anchor_before: not a text", anchor_before=1)

    def run_end(name, error, **changes):
        return "schema-run-end-" + name, "schema", [FEED, OBSERVATION, RUN, but(RUN_END, **changes), END], "line 4: " + error

    yield run_end("without-status", "/status: missing", status=None)
    yield run_end("status", "/status: not a word that is known", status="cancelled")
    yield run_end("without-type", "/sample_type: missing", sample_type=None)
    yield run_end("anchor-of-failed", "/anchor_after: an anchor of a run that did not complete", status="failed")
    yield run_end("anchor", "/anchor_after: not base64", anchor_after="AA")
    yield run_end("visible-negative", "/verified_visible_count: out of range", verified_visible_count=-1)
    yield run_end("visible-large", "/verified_visible_count: out of range", verified_visible_count=1 << 53)
    yield run_end("visible-fraction", "/verified_visible_count: not a whole number", verified_visible_count=1.5)
    for index, text in enumerate(["", "a b", "é", "x" * 129, "a\n"]):
        yield run_end("error-kind-%d" % index, "/error_kind: not a code of an error", status="failed", anchor_after=None, error_kind=text)
    yield run_end("error-message", "/error_message: not a text", error_message=1)
    yield run_end("error-message-long", "/error_message: longer than 65536 characters", error_message="x" * 65537)

    def page(name, error, **changes):
        return "schema-page-" + name, "schema", [FEED, OBSERVATION, but(PAGE, **changes), END], "line 3: " + error

    yield page("without-number", "/number: missing", number=None)
    yield page("0", "/number: out of range", number=0)
    yield page("fraction", "/number: not a whole number", number=1.5)
    yield page("large", "/number: out of range", number=1 << 53)
    yield page("text", "/number: not a number", number="1")
    yield "schema-observation-end-status", "schema", [FEED, OBSERVATION, but(END, status="complete")], "line 3: /status: not a word that is known"
    yield "schema-observation-end-without-status", "schema", [FEED, OBSERVATION, but(END, status=None)], "line 3: /status: missing"


def reader_faults():
    def fault(name, lines, error):
        return "reader-" + name, "reader", lines, error

    yield fault("empty", [], "line 1: /kind: the first line is not a feed line")
    yield fault("cut-in-first-line", [line(FEED)[:-1]], "line 1: /kind: the first line is not a feed line")
    yield fault("no-feed-line", [OBSERVATION, END], "line 1: /kind: the first line is not a feed line")
    yield fault("starts-with-sample", [SAMPLE], "line 1: /kind: the first line is not a feed line")
    yield fault("two-feed-lines", [FEED, FEED], "line 2: /kind: a feed line that is not the first line")
    yield fault("feed-in-observation", [FEED, OBSERVATION, FEED], "line 3: /kind: a feed line that is not the first line")
    yield fault("observation-in-observation", [FEED, OBSERVATION, OBSERVATION], "line 3: /kind: an observation in an observation")
    for value in [RUN, SAMPLE, DELETED, RELATIONSHIP, PAGE, RUN_END, END]:
        kind = value["kind"]
        yield fault(kind + "-outside", [FEED, value], "line 2: /kind: not allowed outside of an observation")
        yield fault(kind + "-after-end", [FEED, OBSERVATION, END, value], "line 4: /kind: not allowed outside of an observation")
    yield fault("tail-outside", [FEED, OBSERVATION, END, line(OBSERVATION)[:-1]], "line 4: the line has no end")
    yield fault("tail-after-feed", [FEED, b" "], "line 2: the line has no end")
    yield fault("observed-on-february-30", [FEED, but(OBSERVATION, observed_at="2024-02-30T00:00:00Z"), END], "line 2: /observed_at: no moment of the years 1 to 9999")
    yield fault("observed-before-year-1", [FEED, but(OBSERVATION, observed_at="0001-01-01T00:00:00+01:00"), END], "line 2: /observed_at: no moment of the years 1 to 9999")
    for value in [SAMPLE, DELETED]:
        kind = value["kind"]
        yield fault(kind + "-without-run", [FEED, OBSERVATION, value], "line 3: /sample_type: has no open run")
        yield fault(kind + "-of-other-type", [FEED, OBSERVATION, RUN, but(value, sample_type=SLEEP)], "line 4: /sample_type: has no open run")
        yield fault(kind + "-after-run", [FEED, OBSERVATION, RUN, RUN_END, value], "line 5: /sample_type: has no open run")
        yield fault(kind + "-of-nfd-type", [FEED, OBSERVATION, but(RUN, sample_type="\u00e9"), but(value, sample_type="e\u0301")], "line 4: /sample_type: has no open run")
    yield fault("sample-of-run-before", [FEED, OBSERVATION, RUN, SAMPLE, PAGE, RUN_END, END, OBSERVATION, SAMPLE], "line 9: /sample_type: has no open run")
    yield fault("sample-after-relationship", [FEED, OBSERVATION, RELATIONSHIP, SAMPLE], "line 4: /sample_type: has no open run")
    yield fault("run-twice", [FEED, OBSERVATION, RUN, RUN], "line 4: /sample_type: has a run in this observation already")
    yield fault("run-again", [FEED, OBSERVATION, RUN, RUN_END, RUN], "line 5: /sample_type: has a run in this observation already")
    yield fault("run-end-without-run", [FEED, OBSERVATION, RUN_END], "line 3: /sample_type: has no open run")
    yield fault("run-end-twice", [FEED, OBSERVATION, RUN, RUN_END, RUN_END], "line 5: /sample_type: has no open run")
    yield fault("run-in-page", [FEED, OBSERVATION, RELATIONSHIP, RUN], "line 4: /kind: not allowed within a page")
    yield fault("run-end-in-page", [FEED, OBSERVATION, RUN, SAMPLE, RUN_END], "line 5: /kind: not allowed within a page")
    yield fault("observation-end-in-page", [FEED, OBSERVATION, RUN, SAMPLE, but(END, status="failed")], "line 5: /kind: not allowed within a page")
    yield fault("page-2-first", [FEED, OBSERVATION, but(PAGE, number=2)], "line 3: /number: not the number of the next page or of one before")
    yield fault("page-left-out", [FEED, OBSERVATION, PAGE, but(PAGE, number=3)], "line 4: /number: not the number of the next page or of one before")
    yield fault("page-numbers-begin-anew", [FEED, OBSERVATION, PAGE, END, OBSERVATION, but(PAGE, number=2)], "line 6: /number: not the number of the next page or of one before")
    yield fault("completed-with-open-run", [FEED, OBSERVATION, RUN, END], "line 4: /status: completed, and a run is open")
    text = line(but(SAMPLE, metadata={"a": "@"})).replace(b'"@"', b"[" * 64 + b"]" * 64)
    yield fault("metadata-depth-65", [FEED, OBSERVATION, RUN, text], "line 4: /metadata: depth at byte %d: the nesting is deeper than the limit" % (text.index(b"[" * 64) + 63))
    text = line(but(RELATIONSHIP, metadata={"a": "@"})).replace(b'"@"', b"1e999")
    yield fault("relationship-metadata-overflow", [FEED, OBSERVATION, text], "line 3: /metadata: a number is out of range")


def write(path, lines):
    path.write_bytes(b"".join(map(line, lines)))


def main():
    for folder in ["good", "bad"]:
        shutil.rmtree(HERE / folder, ignore_errors=True)
        (HERE / folder).mkdir()
    for name, lines, steps in good():
        write(HERE / "good" / (name + ".jsonl"), lines)
        (HERE / "good" / (name + ".steps")).write_text("".join(step + "\n" for step in steps), encoding="utf-8")
    expected = ["# NAME, which check sees the fault, the error after the name of the file; written by ../generate.py"]
    for name, seen_by, lines, error in [*json_faults(), *schema_faults(), *reader_faults()]:
        path = HERE / "bad" / (name + ".jsonl")
        assert not path.exists(), name
        write(path, lines)
        expected.append("%s %s %s" % (name, seen_by, error))
    (HERE / "bad" / "expected.txt").write_text("\n".join(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
