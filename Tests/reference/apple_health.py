"""Reads an Apple Health export into plain records: Spec/apple-health.md, before anything is stored.

Written from Spec/ alone. Python 3.9 or later, standard library only. Everything is held in memory.
"""
import functools
import json
import math
import os
import pathlib
import re
import sys
import zipfile
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import identity
import markup
import plain
import side_files
from export_bundle import Refused, is_in_years
from plain import Record, Rejection, days_since_1970

NAMES = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Spec" / "apple-health-names.json").read_text("utf-8"))
CATEGORY_VALUES, ACTIVITY_TYPES = NAMES["category_values"], NAMES["workout_activity_types"]
ATTRIBUTES = {element: set(names) for element, names in NAMES["attributes"].items()}


# Bytes to a text that a parser takes

CONTROL = {chr(code): chr(0xFDD0 + code) for code in range(0x20) if chr(code) not in "\t\n\r"}
NONCHARACTERS = re.compile("[\uFDD0-\uFDEF\uFFFE\uFFFF]")
RESTORED = {ord(carried): control for control, carried in CONTROL.items()}


def decode(data, counts):
    """UTF-8, each byte that is in no well-formed sequence as U+FFFD; UTF-16, each half without another as U+FFFD."""
    for order, fronts in (("be", (b"\xfe\xff", b"\0<")), ("le", (b"\xff\xfe", b"<\0"))):
        if data.startswith(fronts):
            text = data[:len(data) // 2 * 2].decode("utf-16-" + order, "surrogatepass") + "\uFFFD" * (len(data) % 2)
            text, found = re.subn("[\uD800-\uDFFF]", "\uFFFD", text)
            counts["invalid_utf16"] += found + len(data) % 2
            return text
    parts, rest = [], data
    while True:
        try:
            parts.append(rest.decode("utf-8"))
            return "".join(parts)
        except UnicodeDecodeError as error:
            wrong = error.end - error.start
            counts["invalid_utf8"] += wrong
            parts.append(rest[:error.start].decode("utf-8") + "\uFFFD" * wrong)
            rest = rest[error.end:]


def repaired(data, counts):
    """The text of an export as the parser shall see it."""
    text = decode(data, counts).lstrip("\uFEFF")
    text, found = NONCHARACTERS.subn("\uFFFD", text)
    counts["noncharacter"] += found
    counts["control_character"] += sum(text.count(control) for control in CONTROL)
    text = text.translate({ord(control): carried for control, carried in CONTROL.items()})
    return without_doctype(text)


def without_doctype(text):
    """Without the document type declaration; its line ends stay, so that lines keep their numbers."""
    root = re.search(r"<HealthData[\s/>]", text)
    begin = text.find("<!DOCTYPE", 0, root.start() if root else len(text))
    if begin < 0:
        return text
    end = root.start() if root else len(text)
    return text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]


def add_numbered(known, name, value):
    """Adds a value under a name, else NAME.2, NAME.3, …; returns that name, or None where the value is there already."""
    final, number = name, 1
    while final in known:
        if known[final] == value:
            return None
        number += 1
        final = f"{name}.{number}"
    known[final] = value
    return final


# Text to elements


def content_of(element):
    """What is known again of an element that cannot be stored."""
    return element.content if element.is_tag_broken else {"attributes": element.attributes, "element": element.name}


def parse(text, counts):
    """The complete children of the root, the root and the elements in it that are open at the end, and how the text ended:
    `completed`, `partial_truncated`, `partial_malformed`."""
    read = markup.Markup(text.encode("utf-8"), counts, add_numbered, RESTORED)
    read.read()
    if read.root is None or read.root.name != "HealthData":
        raise Refused("not an Apple Health export: the root is not HealthData")
    return read.elements, [read.root, *read.open[1:]], read.status, read.place


# Files

KINDS_OF_FILES = [("attachments", "/", "attachment_file"), ("workout-routes", ".gpx", "workout_route_file"),
                  ("electrocardiograms", ".csv", "electrocardiogram_file"), ("clinical-records", ".json", "clinical_record_file")]


def files_of(path, counts):
    """The files of a zip or a folder as {name: function that reads it}, or None where the path is that of a text."""
    if path != "-" and pathlib.Path(path).is_dir():
        return files_of_folder(pathlib.Path(path), counts)
    if path == "-" or not zipfile.is_zipfile(path):
        return None
    archive = zipfile.ZipFile(path)
    names = {member: member.orig_filename.split("\0")[0] for member in archive.infolist() if not member.is_dir()}
    if not any("/" in name for name in names.values()):
        names = {member: name.replace("\\", "/") for member, name in names.items() if not name.endswith("\\")}
    return {name: functools.partial(archive.read, member) for member, name in names.items()}


def files_of_folder(top, counts):
    found = {}
    for folder, folders, names in os.walk(top):
        for name in folders + names:
            file = pathlib.Path(folder, name)
            if file.is_symlink() or not (file.is_file() or file.is_dir()):
                counts["other_file"] += 1
            elif file.is_file():
                found[file.relative_to(top).as_posix()] = file.read_bytes
    return found


def read_export(path, counts):
    """The bytes of the XML of an export, and the files beside it by their names below its folder."""
    files = files_of(path, counts)
    if files is None:
        return (sys.stdin.buffer.read() if path == "-" else pathlib.Path(path).read_bytes()), None
    exports = {}
    for name, read in files.items():
        if name.lower().endswith(".xml") and name.count("/") <= 2 and not name.lower().endswith("_cda.xml") and not is_apple_double(name) and not is_of_system(name):
            data = read()
            if is_export(data):
                exports[name] = data
    if len(exports) != 1:
        raise Refused(f"{path}: no Apple Health export in it" if not exports else f"{path}: two Apple Health exports in it")
    (export, data), = exports.items()
    folder = export[:export.rfind("/") + 1]
    beside = {name[len(folder):] if name.startswith(folder) else name: read for name, read in files.items() if name != export}
    return data, beside


def is_export(data):
    text = decode(data, Counter()).lstrip("\uFEFF")
    return text.startswith(("<?xml", "<HealthData")) and re.search(r"<HealthData[\s/>]", text) is not None


def is_apple_double(name):
    return name.split("/")[-1].startswith("._") or "__MACOSX" in name.split("/")[:-1]


def is_of_system(name):
    last = name.split("/")[-1].lower()
    return last.startswith(".") or last.endswith(("desktop.ini", "thumbs.db"))


def kind_of_file(name):
    if is_apple_double(name):
        return "apple_double_file"
    if is_of_system(name):
        return "system_file"
    for folder, suffix, kind in KINDS_OF_FILES:
        if folder in name.split("/")[:-1] or name.lower().endswith(suffix):
            return kind
    return "other_file"


# Values


class Rejected(Exception):
    """A record that cannot be stored; the text is the reason."""


DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)", re.ASCII)
COMPACT_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-])(\d\d)(\d\d))", re.ASCII)
DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE][+-]?\d+)?", re.ASCII)
DURATION_UNITS = {"s": 1.0, "min": 60.0, "hr": 3600.0}
BEAT_TIME = re.compile(r"[^0-9]*([0-9]{1,2})[^0-9]+([0-9]{1,2})[^0-9]+([0-9]{1,2})(?:\.([0-9]{1,9}))?[^0-9]*", re.DOTALL)


class Date(NamedTuple):
    """A date of an export: the moment in whole Unix seconds, and the offset it was written with."""
    seconds: int
    offset: int


def read_date(text, is_compact_read=True):
    """A Date, or None where the text is none."""
    match = DATE.fullmatch(text) or (COMPACT_DATE.fullmatch(text) if is_compact_read else None)
    if not match:
        return None
    days = days_since_1970(*map(int, match.groups()[:3]))
    hour, minute, second = (int(part) for part in match.groups()[3:6])
    offset_hour, offset_minute = int(match[8] or 0), int(match[9] or 0)
    if days is None or hour > 23 or minute > 59 or second > 59 or offset_hour > 23 or offset_minute > 59:
        return None
    offset = (offset_hour * 3600 + offset_minute * 60) * (-1 if match[7] == "-" else 1)
    seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    return Date(seconds, offset) if is_in_years(seconds) else None


def stated_date(text):
    """The Date of a timestamp with its offset, or None where there is none."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:Z|([+-]\d\d):(\d\d))", text, re.ASCII)
    date = match and read_date(f"{match[1]} {match[2]} {match[3] or '+00'}{match[4] or '00'}", 2)
    if not date:
        raise Refused(f"not a moment with its offset: {ascii(text)}")
    return date


def read_number(text):
    """The nearest double, and whether the text has more than 17 significant digits or is another number."""
    match = NUMBER.fullmatch(text)
    if not match:
        raise Rejected("bad_number")
    value = float(text)
    digits = ((match[1] or "") + (match[2] or "") + (match[3] or "")).strip("0")
    if not math.isfinite(value) or (digits and value == 0):
        raise Rejected("bad_number")
    return value + 0.0, len(digits) > 17 or not plain.is_kept(text, value)  # −0.0 + 0.0 is 0.0


DEVICE = re.compile(r"<<HKDevice: 0x[0-9a-fA-F]+>(.*)>", re.DOTALL)
DEVICE_NAMES = {"name": "name", "manufacturer": "manufacturer", "model": "model", "hardware": "hardware_version",
                "firmware": "firmware_version", "software": "software_version", "localIdentifier": "local_identifier",
                "UDI": "udi", "creation date": None}
DEVICE_FIELD = re.compile(", (" + "|".join(map(re.escape, DEVICE_NAMES)) + "):")


def read_device(text):
    """The fields of a device description, by the names of identity.DEVICE_FIELDS."""
    match = DEVICE.fullmatch(text)
    if not match:
        return {"other": re.sub("0x[0-9a-fA-F]+", "", text)}
    rest, fields, other, had = match[1], {}, [], set()
    starts = []
    for start in DEVICE_FIELD.finditer(rest):
        if start[1] not in had:  # a name that was there already does not end a field
            had.add(start[1])
            starts.append(start)
    lead = rest[:starts[0].start()] if starts else rest
    if lead:
        other.append(lead[2:] if lead.startswith(", ") else lead)
    for start, after in zip(starts, starts[1:] + [None]):
        value = rest[start.end():after.start() if after else len(rest)]
        if DEVICE_NAMES[start[1]] is not None:  # else it is the creation date
            fields[DEVICE_NAMES[start[1]]] = value
    if other:
        fields["other"] = ", ".join(other)
    return fields


def whole_number(text):
    if not re.fullmatch("0|-?[1-9][0-9]*", text):
        return None
    if len(text) > 17 or abs(int(text)) >= 2**53:
        raise Rejected("bad_number")
    return int(text)


# Records


PRIVATE_ATTRIBUTES = {"uuid", "identifier", "sourceURL", "resourceFilePath"}
DATES = {"date", "startDate", "endDate", "creationDate", "dateIssued", "expirationDate", "receivedDate"}
RESERVED = {"element", "events", "metadata", "seconds", "statistics", "zones"}


class Reader:
    """Turns elements into records. `records` are those that count; members of correlations stand in their correlation."""

    def __init__(self, secret, counts, rules, export_date=None, side_files=None):
        self.secret, self.counts, self.is_private = secret, counts, rules.is_private
        self.side_files = side_files
        self.references, self.clear_keys = Counter(), Counter()
        self.records, self.correlations, self.workout_records = [], [], []
        self.rejected = []  # (type or None, reason, line)
        self.types_cut_off = []
        self.stated_date = export_date
        self.export_date = self.birth_date = None

    def read_date(self, text):
        return read_date(text)

    def needed_date(self, element, name):
        if name not in element.attributes:
            raise Rejected("missing_attribute")
        date = self.read_date(element.attributes[name])
        if date is None:
            raise Rejected("bad_date")
        return date

    def needed_dates(self, element, *names):
        if not set(names) <= set(element.attributes):
            raise Rejected("missing_attribute")
        return [self.needed_date(element, name) for name in names]

    # Elements of the root

    def read(self, element):
        if element.name == "ExportDate":
            if self.export_date is not None:
                self.counts["element:ExportDate"] += 1
                return
            self.counts["attribute:ExportDate"] += len(set(element.attributes) - {"value"})
            self.export_date = self.read_date(element.attributes.get("value", ""))
            if self.export_date and self.stated_date and self.export_date != self.stated_date:
                raise Refused("its ExportDate is another moment than stated")
            self.export_date = self.export_date or self.stated_date
        elif element.name == "Me":
            self.birth_date = self.birth_date or element.attributes.get("HKCharacteristicTypeIdentifierDateOfBirth")
            self.counts["characteristic"] += len(element.attributes)
        elif element.name == "Correlation":
            self.read_correlation(element)
        elif element.name == "Workout":
            self.read_workout(element)
        elif element.name == markup.BROKEN:
            self.has_begun()
            self.reject_broken(element, element.attributes.get("type"))
            self.count_unknown_children(element, set())
        elif element.name in self.SIMPLE:
            self.keep(self.record(element))
        else:
            self.counts["element:" + element.name] += 1

    def has_begun(self):
        """That a record comes: an export without a date has the one that was stated."""
        self.export_date = self.export_date or self.stated_date

    def keep(self, record):
        if record:
            self.records.append(record)

    def read_correlation(self, element):
        correlation = self.record(element)
        is_type_known = correlation is not None or self.rejected[-1].sample_type is not None
        members = [self.record(child) for child in element.all("Record")]
        members = [member for member in members if member]
        self.keep(correlation)
        if correlation is None:
            self.reject_members(members if is_type_known else [], element)
        else:
            self.correlations.append((correlation, members))

    def read_workout(self, element):
        workout = self.record(element)
        routes = [route for route in map(self.record, element.all("WorkoutRoute")) if route]
        members = [self.record(child) for child in element.all("Record")]
        members = [member for member in members if member]
        self.keep(workout)
        self.records += routes
        if workout:
            workout.routes = routes
            self.workout_records.append((workout, members))
        else:
            self.reject_members(members, element)

    def record(self, element):
        """The record of an element, or None where it is rejected."""
        name, fixed_type = self.TYPES[element.name]
        stated = element.attributes.get("type") if "type" in self.NAMED[element.name] else None
        sample_type = fixed_type if stated is None else stated
        self.has_begun()
        if element.is_tag_broken:
            is_fixed = element.name in ("Workout", "WorkoutRoute", "ActivitySummary")
            self.count_unknown_children(element, {"MetadataEntry"} | UnknownNames.INSIDE.get(element.name, set()))
            return self.reject_broken(element, fixed_type if is_fixed else element.attributes.get("type"))
        try:
            if not sample_type or not re.fullmatch(r"[A-Za-z0-9._-]{1,256}", sample_type):
                sample_type = None
                raise Rejected("bad_type" if stated else "missing_attribute")
            record = getattr(self, "read_" + name)(element, sample_type)
            record.element = element
            if element.content is None:
                return record
            self.rejected.append(Rejection(sample_type, "not_well_formed", element.line, self.readable_start(element), element.content))
        except Rejected as rejection:
            self.rejected.append(Rejection(sample_type, str(rejection), element.line, self.readable_start(element), content_of(element)))
        return None

    def reject_broken(self, element, sample_type):
        """Rejects an element whose start tag is not well-formed."""
        self.rejected.append(Rejection(sample_type, "not_well_formed", element.line, None, element.content))

    def reject_members(self, members, element):
        self.rejected += [Rejection(member.sample_type, "rejected_parent", element.line, member.columns["start_date"], content_of(member.element))
                          for member in members]

    def readable_start(self, element):
        text = element.attributes.get(self.START.get(element.name, "startDate"), "")
        if element.name == "ActivitySummary":
            text += " %02d:00:00 +0000" % self.hour_of_day()
        date = self.read_date(text)
        return date and float(date.seconds)

    START = {"ActivitySummary": "dateComponents", "ClinicalRecord": "receivedDate", "VisionPrescription": "dateIssued"}

    def read_cut_off(self, elements):
        """What is kept of elements that the text breaks off in: their types, and the complete routes of a workout."""
        for element, outer in zip(elements, [None, *elements]):
            pairs = {("Correlation", "Record"), ("Workout", "WorkoutRoute"), ("Workout", "Record")}
            if element.name in self.TYPES and (outer is None or (outer.name, element.name) in pairs):
                stated = element.attributes.get("type") if "type" in self.NAMED[element.name] else None
                self.types_cut_off.append(self.TYPES[element.name][1] if stated is None else stated)
        if elements:
            inner = [child for child in elements[0].children if (elements[0].name, child.name) == ("Workout", "WorkoutRoute")]
            self.records += [route for route in map(self.record, inner) if route]
            if elements[0].name in ("Correlation", "Workout"):
                self.types_cut_off += [child.attributes.get("type") for child in elements[0].all("Record")]

    # What an element's attributes and children become

    NAMED = {
        "Record": {"type", "value", "unit"}, "Correlation": {"type"}, "Workout": {"workoutActivityType", "duration", "durationUnit"},
        "WorkoutRoute": set(), "ActivitySummary": {"dateComponents"}, "ClinicalRecord": {"type", "receivedDate"},
        "Audiogram": {"type"}, "VisionPrescription": {"type", "dateIssued", "expirationDate"},
    }
    TYPES = {
        "Record": ("plain", None), "Correlation": ("correlation_record", None), "Workout": ("activity", "HKWorkoutTypeIdentifier"),
        "WorkoutRoute": ("route", "HKWorkoutRouteTypeIdentifier"), "ActivitySummary": ("summary", "HKActivitySummaryTypeIdentifier"),
        "ClinicalRecord": ("clinical", None), "Audiogram": ("audiogram", "HKDataTypeIdentifierAudiogram"),
        "VisionPrescription": ("prescription", "HKVisionPrescriptionTypeIdentifier"),
    }
    SIMPLE = {"Record", "WorkoutRoute", "ActivitySummary", "ClinicalRecord", "Audiogram", "VisionPrescription"}

    def finished(self, element, sample_type, kind, start, end, columns=(), unused=(), metadata=(), dates=("startDate", "endDate")):
        """A record with what all elements have in common. `unused`: named attributes that no column took."""
        columns = {"value_kind": kind, "start_date": float(start), "end_date": float(end), **dict(columns)}
        attributes = element.attributes
        name = "sourceName" if "sourceName" in attributes else "source"
        source = {key: attributes[attribute] for key, attribute in (("name", name), ("version", "sourceVersion")) if attribute in attributes}
        device = read_device(attributes["device"]) if "device" in attributes else None
        taken = (self.NAMED[element.name] | set(dates) | {name, "sourceVersion", "device"}) - set(unused)
        members = dict(metadata)
        has_creation = element.name not in ("ActivitySummary", "ClinicalRecord")
        creation = self.read_date(attributes.get("creationDate", "")) if has_creation else None
        if creation:
            taken.add("creationDate")
            members["hp:creation_delay_seconds"] = creation.seconds - end
        for name, value in attributes.items():
            if name not in taken:
                members["hp:attribute:" + name] = self.kept(name, value)
        self.add_entries(members, element, is_record=True)
        return Record(element.line, sample_type, columns, source or None, device, members)

    def kept(self, name, value):
        """The value of an attribute that no column takes."""
        is_private = name in PRIVATE_ATTRIBUTES or self.is_private(name)
        return identity.private_value(self.secret, name, value) if is_private else value

    def add_entries(self, members, element, is_record=False):
        for entry in element.all("MetadataEntry"):
            if "key" not in entry.attributes or "value" not in entry.attributes:
                self.counts["element:MetadataEntry"] += 1
                continue
            name, value = entry.attributes["key"], entry.attributes["value"]
            if is_record:
                for other, text in entry.attributes.items():
                    if other not in ("key", "value"):
                        add_numbered(members, "hp:attribute:" + other, self.kept(other, text))
            key = "hp:key:" + name if name.startswith("hp:") else name
            if self.is_private(name):
                value = identity.private_value(self.secret, name, value)
            elif not re.match("_?HK", name):
                self.clear_keys[name] += 1
            add_numbered(members, key, value)

    def count_unknown_children(self, element, known):
        for child in element.children:
            if child.name == markup.BROKEN:
                self.count_unknown_children(child, set())
            elif child.name not in known:
                self.counts["element:" + child.name] += 1

    def objects(self, elements):
        """The objects of child elements: attributes as texts, dates as timestamps, uuids as private values."""
        return [self.object(element) for element in elements]

    def object(self, element):
        members = {}
        for name, value in element.attributes.items():
            date = self.read_date(value) if name in DATES else None
            kept = self.kept(name, value)
            members[self.key(name)] = identity.timestamp(float(date.seconds)) if date and kept == value else kept
        entries = {}
        known = {"WorkoutEvent": {"MetadataEntry"}, "WorkoutActivity": {"WorkoutEvent", "WorkoutStatistics", "WorkoutZoneGroup", "MetadataEntry"},
                 "WorkoutZoneGroup": {"WorkoutZone"}}.get(element.name, set())
        if "MetadataEntry" in known:
            self.add_entries(entries, element)
        for name, child in (("events", "WorkoutEvent"), ("statistics", "WorkoutStatistics"), ("zones", "WorkoutZoneGroup"), ("zones", "WorkoutZone")):
            if child in known and element.all(child):
                members[name] = self.objects(element.all(child))
        if entries:
            members["metadata"] = entries
        self.count_unknown_children(element, known)
        return members

    def key(self, name):
        """The key of an attribute of an object; those of our own are taken."""
        return "attribute:" + name if name in RESERVED else name

    def arrays(self, **arrays):
        return {"hp:" + name: value for name, value in arrays.items() if value}

    # One function for each row of the table of elements

    def read_plain(self, element, sample_type):
        attributes = element.attributes
        start, end = self.needed_dates(element, "startDate", "endDate")
        metadata = self.arrays(beats=self.beats(element, start))
        columns, unused = {}, set()
        value = attributes.get("value")
        is_category = sample_type.startswith("HKCategoryType")
        if sample_type.startswith("HKQuantityType") or (not is_category and "unit" in attributes):
            kind = "quantity"
            if value is not None:
                columns["numeric_value"], is_long = read_number(value)
                if is_long:
                    metadata["hp:value_text"] = value
            if "unit" in attributes:
                columns["unit"] = attributes["unit"]
        else:
            kind, unused = "category", {"unit"}
            if value is not None:
                number = CATEGORY_VALUES[value] if value in CATEGORY_VALUES else whole_number(value)
                if number is None:
                    metadata["hp:value_text"] = value
                    self.counts["unknown_value"] += 1
                else:
                    columns["category_value"] = number
        self.count_unknown_children(element, {"MetadataEntry", "HeartRateVariabilityMetadataList"})
        return self.finished(element, sample_type, kind, start.seconds, end.seconds, columns, unused, metadata)

    def beats(self, element, start):
        found = []
        for group in element.all("HeartRateVariabilityMetadataList"):
            self.count_unknown_children(group, {"InstantaneousBeatsPerMinute"})
            for beat in group.all("InstantaneousBeatsPerMinute"):
                members = {self.key(name): self.kept(name, value) for name, value in beat.attributes.items()}
                seconds = beat_seconds(members.get("time", ""), start, 900)
                if seconds is not None:
                    del members["time"]
                    members["seconds"] = seconds
                found.append(members)
        return found

    def read_correlation_record(self, element, sample_type):
        start, end = self.needed_dates(element, "startDate", "endDate")
        self.count_unknown_children(element, {"MetadataEntry", "Record"})
        return self.finished(element, sample_type, "correlation", start.seconds, end.seconds)

    def read_activity(self, element, sample_type):
        attributes = element.attributes
        start, end = self.needed_dates(element, "startDate", "endDate")
        columns, metadata, unused = {}, {}, set()
        name = attributes.get("workoutActivityType")
        if name is not None:
            number = ACTIVITY_TYPES[name] if name in ACTIVITY_TYPES else whole_number(name)
            if number is None:
                metadata["hp:activity_type_name"] = name
                self.counts["unknown_value"] += 1
            else:
                columns["workout_activity_type"] = number
        if "duration" in attributes and attributes.get("durationUnit") in DURATION_UNITS:
            columns["duration_seconds"] = self.duration(attributes, metadata)
        else:
            unused = {"duration", "durationUnit"}
        metadata.update(self.arrays(events=self.objects(element.all("WorkoutEvent")),
                                    statistics=self.objects(element.all("WorkoutStatistics")),
                                    activities=self.objects(element.all("WorkoutActivity")),
                                    zones=self.objects(element.all("WorkoutZoneGroup"))))
        self.count_unknown_children(element, {"MetadataEntry", "WorkoutEvent", "WorkoutStatistics", "WorkoutActivity", "WorkoutRoute", "WorkoutZoneGroup", "Record"})
        return self.finished(element, sample_type, "workout", start.seconds, end.seconds, columns, unused, metadata)

    def duration(self, attributes, metadata):
        value, is_long = read_number(attributes["duration"])
        factor = DURATION_UNITS[attributes["durationUnit"]]
        if is_long:
            metadata["hp:duration_text"] = attributes["duration"]
        if not math.isfinite(value * factor):
            raise Rejected("bad_number")
        return value * factor

    def read_route(self, element, sample_type):
        start, end = self.needed_dates(element, "startDate", "endDate")
        files = [reference.attributes["path"] for reference in element.all("FileReference") if "path" in reference.attributes]
        self.count_unknown_children(element, {"MetadataEntry", "FileReference", "Location"})
        metadata = self.arrays(files=files)
        content = self.route(files, element.all("Location"))
        if content:
            metadata["hp:route"] = content
        record = self.finished(element, sample_type, "workout_route", start.seconds, end.seconds, metadata=metadata)
        record.is_unread = bool(files and not (self.side_files and self.side_files.are_any)) or bool({"missing_files", "unreadable_files"} & set(content or ()))
        return record

    def route(self, paths, locations):
        """What is stored of the places of a route, or None."""
        points, problems = [], Counter()
        for path in paths if self.side_files and self.side_files.are_any else ():
            file = self.side_files.at(path)
            self.references[file] += 1
            is_read = file is not None and self.references[file] <= 16
            found = side_files.route_points(self.side_files.content(file), self.counts) if is_read else None
            if found is None:
                problems["missing_files" if file is None else "unreadable_files"] += 1
            else:
                self.side_files.routes.add(file)
                points += found
        for location in locations:
            point = {side_files.LOCATIONS[name]: value for name, value in location.attributes.items() if name in side_files.LOCATIONS}
            self.counts["attribute:Location"] += len(set(location.attributes) - set(side_files.LOCATIONS))
            date = self.read_date(point.get("time", ""))
            if date:
                point["time"] = identity.timestamp(float(date.seconds))
            if side_files.place_of(point):
                points.append(point)
            else:
                self.counts["element:Location"] += 1
        if problems:
            return dict(problems)
        if not points or (paths and not (self.side_files and self.side_files.are_any)):
            return None
        return side_files.route_content(self.secret, points)

    def read_summary(self, element, sample_type):
        if "dateComponents" not in element.attributes:
            raise Rejected("missing_attribute")
        match = DAY.fullmatch(element.attributes["dateComponents"])
        days = days_since_1970(*map(int, match.groups())) if match else None
        if days is None or not is_in_years(days * 86400 + 86400):
            raise Rejected("bad_date")
        self.count_unknown_children(element, {"MetadataEntry"})
        moments = (days * 86400 + 36000,) * 2
        return self.finished(element, sample_type, "activity_summary", *moments, dates=())

    def read_clinical(self, element, sample_type):
        date = self.needed_date(element, "receivedDate")
        self.count_unknown_children(element, {"MetadataEntry"})
        return self.finished(element, sample_type, "clinical_record", date.seconds, date.seconds, dates=())

    def read_audiogram(self, element, sample_type):
        start, end = self.needed_dates(element, "startDate", "endDate")
        points = self.objects(element.all("SensitivityPoint"))
        self.count_unknown_children(element, {"MetadataEntry", "SensitivityPoint"})
        return self.finished(element, sample_type, "audiogram", start.seconds, end.seconds,
                             metadata=self.arrays(sensitivity_points=points))

    def read_prescription(self, element, sample_type):
        start = self.needed_date(element, "dateIssued")
        end = self.needed_date(element, "expirationDate") if "expirationDate" in element.attributes else start
        names = {"RightEye", "LeftEye", "Prescription"}
        eyes = []
        for child in element.children:
            if child.name in names:
                eyes.append({"element": child.name, **self.object(child)})
        self.count_unknown_children(element, {"MetadataEntry", *names})
        return self.finished(element, sample_type, "vision_prescription", start.seconds, end.seconds,
                             metadata=self.arrays(eyes=eyes), dates=())


def beat_seconds(text, start, period):
    """Seconds after the start, modulo a period, or None where the time cannot be read."""
    match = BEAT_TIME.fullmatch(plain.in_ascii(text)) if len(text.encode()) <= 96 else None
    if not match:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    if minute > 59 or second > 59 or hour > 24:
        return None
    fraction = Fraction(int(match[4]), 10 ** len(match[4])) if match[4] else Fraction(0)
    local_start = (start.seconds + start.offset) % 86400
    seconds = (hour * 3600 + minute * 60 + second - local_start + fraction) % period
    return int(seconds) if seconds.denominator == 1 else float(seconds)


class UnknownNames:
    """Elements and attributes that no table names, by (kind, name)."""

    ROOT = {"ExportDate", *Reader.TYPES}
    INSIDE = {
        "Correlation": {"Record"},
        "Workout": {"WorkoutEvent", "WorkoutStatistics", "WorkoutActivity", "WorkoutRoute", "WorkoutZoneGroup", "Record"},
        "Record": {"HeartRateVariabilityMetadataList"}, "HeartRateVariabilityMetadataList": {"InstantaneousBeatsPerMinute"},
        "WorkoutActivity": {"WorkoutEvent", "WorkoutStatistics", "WorkoutZoneGroup"}, "WorkoutZoneGroup": {"WorkoutZone"}, "WorkoutRoute": {"FileReference"},
        "Audiogram": {"SensitivityPoint"}, "VisionPrescription": {"RightEye", "LeftEye", "Prescription"},
    }
    NEEDED = {"MetadataEntry": {"key", "value"}, "FileReference": {"path"}}
    HAVE_ENTRIES = {*Reader.TYPES, "WorkoutEvent", "WorkoutActivity"}

    def __init__(self):
        self.attributes = Counter()

    def of(self, root, elements, counts):
        self.note(root)
        has_date = False
        for element in elements:
            if element.name in self.ROOT and not (element.name == "ExportDate" and has_date):
                self.walk(element)
                has_date = has_date or element.name == "ExportDate"
        found = {("element", name[len("element:"):]): count for name, count in counts.items() if name.startswith("element:")}
        return {**found, **{("attribute", name): count for name, count in self.attributes.items()}}

    def walk(self, element):
        if self.NEEDED.get(element.name, set()) <= set(element.attributes):
            self.note(element)
        known = self.INSIDE.get(element.name, set())
        for child in element.children:
            if child.name in known or (child.name == "MetadataEntry" and element.name in self.HAVE_ENTRIES):
                self.walk(child)

    def note(self, element):
        for name in set(element.attributes) - ATTRIBUTES.get(element.name, set(element.attributes)) - {markup.BROKEN}:
            key = element.name + "/@" + (name if re.fullmatch("[A-Za-z0-9._-]{1,64}", name) else "other")
            self.attributes[key if key in self.attributes or len(self.attributes) < 100 else "other/@other"] += 1


class Export:
    """All of an export: its records, what was rejected and left out, and how its text ended."""

    def __init__(self, path, secret, rules=identity.Rules(), observed_at=None):
        self.counts = Counter()
        data, files = read_export(path, self.counts)
        beside = side_files.SideFiles(files, secret, kind_of_file) if files is not None else None
        elements, (root, *cut_off), self.status, self.place = parse(repaired(data, self.counts), self.counts)
        reader = Reader(secret, self.counts, rules, observed_at, beside)
        for element in elements:
            reader.read(element)
        reader.read_cut_off(cut_off)
        self.unknown_names = UnknownNames().of(root, elements + cut_off[:1], self.counts)
        if self.status == "completed":
            reader.has_begun()
        if reader.export_date is None:
            raise Refused("the export states no readable ExportDate")
        self.records, self.correlations, self.workout_records = reader.records, reader.correlations, reader.workout_records
        self.birth_date = reader.birth_date
        self.rejected, self.export_date, self.types_cut_off = reader.rejected, reader.export_date, reader.types_cut_off
        self.clear_keys = reader.clear_keys
        self.documents, self.unasked = None, [side_files.ELECTROCARDIOGRAM]
        if beside is not None:
            beside.read(self.counts)
            self.records += beside.records
            self.rejected += beside.rejected
            self.documents = beside.documents if beside.are_any else None
            if beside.have_folders:
                self.unasked = []
