"""Reads a capture feed into steps: Spec/capture-feed.md, before anything is stored.

Written from Spec/ alone. Python 3.9 or later, standard library only.
"""
import base64
import binascii
import hashlib
import json
import math
import re
import sys
from fractions import Fraction
from typing import NamedTuple, Optional

import identity
from export_bundle import Refused, depth, is_in_years, refuse_constant, unique_members
from plain import Facts, is_kept, Record, Rejection, days_since_1970, seconds_of

MAX_INTEGER = 2**53 - 1
LINE_LIMIT, PAGE_LINES, PAGE_BYTES, RUNS = 16 << 20, 100_000, 64 << 20, 4096
CONTENT = {"sample", "deleted", "relationship"}


class Fault(Exception):
    """A line that is no line of a feed; the text says which member is not what."""


class BadDate(Exception):
    """A timestamp that has its form and names no moment of the years 1 to 9999."""


class BadNumber(Exception):
    """A number that cannot be stored."""


class Number(float):
    """A number with the text that it was read from."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


# Steps


class Run(NamedTuple):
    sample_type: str
    mode: str
    category: Optional[str] = None
    display_name: Optional[str] = None
    anchor_before: Optional[bytes] = None
    anchor_problem: Optional[str] = None


class RunEnd(NamedTuple):
    sample_type: str
    status: str
    anchor_after: Optional[bytes] = None
    verified_visible_count: Optional[int] = None
    error_kind: Optional[str] = None
    error_message: Optional[str] = None


class Page(NamedTuple):
    records: list
    rejected: list
    deleted: list  # (type, UUID)
    relationships: list  # (source, target, kind, metadata), the first two like `deleted`


class End(NamedTuple):
    status: str


# Values


def text(limit=65_536, least=0):
    def read(value):
        if not isinstance(value, str):
            raise Fault("not a text")
        if not least <= len(value) <= limit:
            raise Fault("a text of a wrong length")
        return value
    return read


name = text(256, 1)


def form(pattern, what):
    def read(value):
        if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
            raise Fault("not " + what)
        return value
    return read


uuid = form("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "a UUID")
error_code = form("[A-Za-z0-9_.:-]{1,128}", "an error kind")
value_kind = form("[a-z0-9_]{1,64}", "a value kind")


def one_of(*words):
    def read(value):
        if value not in words or not isinstance(value, str):
            raise Fault("not one of " + ", ".join(words))
        return value
    return read


def number(value):
    if not isinstance(value, float):
        raise Fault("not a number")
    if math.isinf(value) or not is_kept(value.text, value):
        raise BadNumber
    return value + 0.0  # −0.0 + 0.0 is 0.0


def integer(value):
    value = number(value)
    if value != math.floor(value):
        raise Fault("not an integer")
    if abs(value) > MAX_INTEGER:
        raise BadNumber
    return int(value)


def integer_in(low, high):
    def read(value):
        value = integer(value)
        if not low <= value <= high:
            raise Fault("out of range")
        return value
    return read


def anchor(value):
    if not isinstance(value, str):
        raise Fault("not Base64")
    try:
        decoded = base64.b64decode(value.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise Fault("not Base64") from None
    if base64.b64encode(decoded).decode() != value or len(decoded) > 1 << 20:
        raise Fault("not Base64")
    return decoded


TIMESTAMP = re.compile(r"([+-]?)(\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)


def timestamp(value):
    """The stored REAL of a timestamp: the nearest double of its whole microseconds ÷ 10^6."""
    match = TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise Fault("not a timestamp")
    year = int(match[2]) * (-1 if match[1] == "-" else 1)
    days = days_since_1970(year, int(match[3]), int(match[4])) if year <= 9999 else None
    hour, minute, second = int(match[5]), int(match[6]), int(match[7])
    offset_hour, offset_minute = int(match[10] or 0), int(match[11] or 0)
    if days is None or hour > 23 or minute > 59 or second > 59 or offset_hour > 23 or offset_minute > 59:
        raise BadDate
    offset = (offset_hour * 3600 + offset_minute * 60) * (-1 if match[9] == "-" else 1)
    fraction = Fraction(int(match[8]), 10 ** len(match[8])) if match[8] else Fraction(0)
    exact = days * 86400 + hour * 3600 + minute * 60 + second - offset + fraction
    seconds = seconds_of(round(exact * 1_000_000))  # half to even
    if not is_in_years(seconds):
        raise BadDate
    return seconds


def names(value):
    if not isinstance(value, list) or len(value) > RUNS:
        raise Fault("not an array of types")
    return [name(entry) for entry in value]


def texts(*fields):
    def read(value):
        return members(value, {field: (text(), False) for field in fields})
    return read


def metadata(value):
    if not isinstance(value, dict):
        raise Fault("not an object")
    if depth(value) > 64:
        raise Fault("nested too deep")
    return normal(value)


def normal(value):
    """A JSON value with normal numbers."""
    if isinstance(value, dict):
        return {key: normal(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [normal(inner) for inner in value]
    if isinstance(value, float) and math.isfinite(value) and not is_kept(value.text, value):
        return value.text
    return number(value) if isinstance(value, float) else value


def reference(value):
    found = members(value, {"sample_type": (name, True), "uuid": (uuid, True)})
    return found["sample_type"], found["uuid"]


KINDS = {
    "feed": {"format": (one_of("healthprobe-feed"), True), "format_version": (integer_in(1, 1), True)},
    "observation": {
        "observed_at": (timestamp, True), "trigger_reason": (name, True), "app_version": (text(), False), "os_version": (text(), False),
        "time_zone_identifier": (name, False), "time_zone_seconds_from_gmt": (integer_in(-86_399, 86_399), False), "selected_types": (names, False)},
    "run": {
        "sample_type": (name, True), "mode": (one_of("anchored", "full_scan"), True), "category": (name, False), "display_name": (text(), False),
        "anchor_before": (anchor, False), "anchor_problem": (one_of("missing", "corrupt", "rejected"), False)},
    "sample": {
        "sample_type": (name, True), "uuid": (uuid, False), "start_date": (timestamp, True), "end_date": (timestamp, True),
        "value_kind": (value_kind, True), "numeric_value": (number, False), "unit": (text(), False), "category_value": (integer, False),
        "workout_activity_type": (integer, False), "duration_seconds": (number, False),
        "source": (texts("name", "bundle_identifier", "product_type", "version", "operating_system_version"), False),
        "device": (texts("name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version", "local_identifier", "udi"), False),
        "metadata": (metadata, False)},
    "deleted": {"sample_type": (name, True), "uuid": (uuid, True)},
    "relationship": {"source": (reference, True), "target": (reference, True), "relationship_kind": (name, True), "metadata": (metadata, False)},
    "page": {"number": (integer_in(1, MAX_INTEGER), True)},
    "run_end": {
        "sample_type": (name, True), "status": (one_of("completed", "failed", "unauthorized", "timed_out"), True), "anchor_after": (anchor, False),
        "verified_visible_count": (integer_in(0, MAX_INTEGER), False), "error_kind": (error_code, False), "error_message": (text(), False)},
    "observation_end": {"status": (one_of("completed", "failed", "cancelled"), True)},
}


def members(value, table, bad=None):
    """The members of an object by a table; what has its form and cannot be stored goes to `bad` where there is one."""
    if not isinstance(value, dict):
        raise Fault("not an object")
    for member in value:
        if member not in table:
            raise Fault("unknown member")
    found = {}
    for member, (read, is_required) in table.items():
        if member not in value:
            if is_required:
                raise Fault(f"/{member}: missing")
            continue
        try:
            found[member] = read(value[member])
        except Fault as fault:
            raise Fault(f"/{member}: {fault}") from None
        except (BadDate, BadNumber) as problem:
            if bad is None:
                raise Fault(f"/{member}: cannot be stored") from None
            bad.add(type(problem))
    return found


# Lines


class Reader:
    """The steps of a feed, one after the other; `Refused` where a line is no such line."""

    def __init__(self, path, secret, rules=identity.Rules()):
        self.rules = rules
        self.file = sys.stdin.buffer if path == "-" else open(path, "rb")
        self.path, self.secret, self.line = path, secret, 0
        self.is_truncated = False

    def steps(self):
        with self.file:
            try:
                yield from self.feed()
            except Fault as fault:
                raise Refused(f"{self.path}: line {self.line}: {fault}") from None

    def next_line(self):
        """(kind, object, bytes), or None at the end; `is_truncated` says that there were bytes after the last LF."""
        data = self.file.readline()
        if not data.endswith(b"\n"):
            self.is_truncated = bool(data)
            return None
        self.line += 1
        if len(data) - 1 > LINE_LIMIT:
            raise Fault("too long")
        try:
            value = json.loads(data.decode("utf-8"), object_pairs_hook=unique_members, parse_int=Number, parse_float=Number, parse_constant=refuse_constant)
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # lone surrogates
        except (ValueError, RecursionError):
            raise Fault("not JSON") from None
        if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or value["kind"] not in KINDS:
            raise Fault("/kind: none that is known")
        return value.pop("kind"), value, data

    def feed(self):
        line = self.next_line()
        if line is None or line[0] != "feed":
            raise Fault("a feed begins with its feed line")
        members(line[1], KINDS["feed"])
        while True:
            line = self.next_line()
            if line is None:
                if self.is_truncated:
                    raise Fault("bytes after the last line")
                return
            if line[0] != "observation":
                raise Fault("not in an observation")
            facts = members(line[1], KINDS["observation"])
            yield Facts(**{"kind": "iphone_backup" if facts["trigger_reason"] == "iphone_backup" else "health_store", **facts})
            yield from self.observation()

    def observation(self):
        runs, content, size, pages = {}, [], 0, []
        while True:
            line = self.next_line()
            if line is None:
                yield End("truncated")
                self.is_truncated = False
                return
            kind, value, data = line
            if kind in ("feed", "observation"):
                raise Fault("in an observation")
            if kind in CONTENT:
                content.append((kind, value, data, self.line))
                size += len(data)
                if len(content) > PAGE_LINES or size > PAGE_BYTES:
                    raise Fault("the page is too large")
                self.check_content(kind, value, runs)
                continue
            if kind == "page":
                digest = hashlib.sha256(b"".join(entry[2] for entry in content)).digest()
                page_number = members(value, KINDS["page"])["number"]
                if page_number > len(pages) + 1:
                    raise Fault("pages count from 1")
                if page_number == len(pages) + 1:
                    pages.append(digest)
                    yield self.page(content)
                elif pages[page_number - 1] != digest:
                    raise Fault("the page is sent again with other lines")
                content, size = [], 0
                continue
            if content:
                raise Fault("within a page")
            if kind == "run":
                run = Run(**members(value, KINDS["run"]))
                if run.sample_type in runs or len(runs) == RUNS:
                    raise Fault("a second run of a type, or too many")
                if run.anchor_problem and run.mode != "full_scan":
                    raise Fault("/anchor_problem: only with a full scan")
                runs[run.sample_type] = True
                yield run
            elif kind == "run_end":
                end = RunEnd(**members(value, KINDS["run_end"]))
                if not runs.get(end.sample_type):
                    raise Fault("the run is not open")
                if end.anchor_after is not None and end.status != "completed":
                    raise Fault("/anchor_after: only with completed")
                runs[end.sample_type] = False
                yield end
            else:
                end = End(members(value, KINDS["observation_end"])["status"])
                if end.status == "completed" and any(runs.values()):
                    raise Fault("runs are open")
                yield end
                return

    def check_content(self, kind, value, runs):
        found = members(value, KINDS[kind], set() if kind == "sample" else None)
        if kind != "relationship" and not runs.get(found["sample_type"]):
            raise Fault("no run of this type is open")

    # Pages

    def page(self, content):
        page = Page([], [], [], [])
        for kind, value, _, line in content:
            bad = set()
            found = members(value, KINDS[kind], bad)
            if bad:
                content = {name: value[name] for name in ("end_date", "sample_type", "start_date", "value_kind")}
                if "uuid" in found:
                    content["uuid"] = found["uuid"].lower()
                page.rejected.append(Rejection(found["sample_type"], "bad_date" if BadDate in bad else "bad_number", line, found.get("start_date"), content))
            elif kind == "sample":
                page.records.append(self.record(found, line))
            elif kind == "deleted":
                page.deleted.append((found["sample_type"], found["uuid"]))
            else:
                page.relationships.append((found["source"], found["target"], found["relationship_kind"], self.normal_metadata(found.get("metadata"))))
        return page

    def normal_metadata(self, value):
        if not value:
            return None
        return {key: identity.private_value(self.secret, key, inner) if self.rules.is_private(key) else inner for key, inner in value.items()}

    def record(self, found, line):
        source = dict(found.get("source") or {})
        if source.get("operating_system_version") == "0.0.0":
            del source["operating_system_version"]
        columns = {key: found[key] for key in (
            "start_date", "end_date", "value_kind", "numeric_value", "unit", "category_value", "workout_activity_type", "duration_seconds") if key in found}
        return Record(line=line, sample_type=found["sample_type"], uuid=found.get("uuid"), columns=columns, source=source or None,
                      device=found.get("device") or None, metadata=self.normal_metadata(found.get("metadata")))
