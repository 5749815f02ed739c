"""The files beside the XML of an export: Spec/apple-health.md, "Files".

Written from Spec/ alone. Python 3.9 or later, standard library only. Everything is held in memory.
"""
import hashlib
import math
import re
import zipfile
import zlib
from collections import Counter
from xml.etree import ElementTree

import identity
from export_bundle import canonical
from plain import in_ascii, Record, Rejection, days_since_1970

ELECTROCARDIOGRAM = "HKDataTypeIdentifierElectrocardiogram"
LOCATIONS = {"altitude": "altitude", "course": "course", "date": "time", "horizontalAccuracy": "horizontal_accuracy", "latitude": "latitude",
             "longitude": "longitude", "speed": "speed", "verticalAccuracy": "vertical_accuracy"}
GPX = {"ele": "altitude", "time": "time", "speed": "speed", "course": "course", "hAcc": "horizontal_accuracy", "vAcc": "vertical_accuracy"}
GPX_OTHERS = {"gpx", "metadata", "time", "trk", "name", "trkseg", "extensions", "trkpt"}
CLASSIFICATIONS = {"Sinusrhythmus": "Sinus Rhythm", "Uneindeutig": "Inconclusive"}
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}", re.ASCII)


class SideFiles:
    """`files`: functions that read, by names below the folder of the export."""

    LEFT_OUT = {"apple_double_file", "system_file"}

    def __init__(self, files, secret, kind_of_file):
        self.files, self.secret, self.kind_of_file = files, secret, kind_of_file
        kinds = {kind_of_file(name) for name in files} - self.LEFT_OUT
        self.are_any, self.have_folders = bool(kinds), bool(kinds - {"other_file"})
        self.routes, self.records, self.rejected, self.documents = set(), [], [], []

    def at(self, path):
        name = path[1:] if path.startswith("/") else path
        return name if name in self.files else None

    def content(self, name):
        """The bytes of a file, or None where they cannot be read."""
        try:
            return self.files[name]()
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError):
            return None

    def read(self, counts):
        for name in sorted(self.files, key=str.encode):
            kind = self.kind_of_file(name)
            if kind in self.LEFT_OUT:
                counts[kind] += 1
            elif kind == "electrocardiogram_file":
                record = electrocardiogram(self.content(name))
                if record:
                    counts["characteristic"] += 2
                    self.records.append(record)
                else:
                    self.rejected.append(Rejection(ELECTROCARDIOGRAM, "bad_file", "file " + name, None, {"file": name}))
                    self.add_document("electrocardiogram", name, counts)
            elif kind != "workout_route_file" or name not in self.routes:
                self.add_document("clinical_document" if kind == "other_file" and name.endswith("_cda.xml") else kind.removesuffix("_file"), name, counts)

    def add_document(self, kind, name, counts):
        content = self.content(name)
        if content is None:
            counts["unreadable_file"] += 1
            return
        hashed = identity.private_value(self.secret, "hp:document_name", name)[len("hmac:"):]
        self.documents.append((kind, name if name == "export_cda.xml" else None, hashed, len(content), hashlib.sha256(content).hexdigest()))


# Routes


def place_of(point):
    """Latitude and longitude of a place, or None where it does not say where it is."""
    texts = point.get("latitude", ""), point.get("longitude", "")
    return tuple(float(text) + 0.0 for text in texts) if all(NUMBER.fullmatch(text) and abs(float(text)) < float("inf") for text in texts) else None


def route_points(content, counts):
    """The places of a GPX file, or None where it is none."""
    if content is None or b"<!DOCTYPE" in content:
        return None
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        return None
    name = lambda element: element.tag.split("}")[-1]
    if name(root) != "gpx":
        return None
    points, inside = [], set()
    for element in root.iter():
        if name(element) != "trkpt":
            continue
        point = {"latitude": element.get("lat"), "longitude": element.get("lon")}
        for part in element.iter():
            inside.add(part)
            if name(part) in GPX:
                text = part.text or ""
                if len(text.encode()) > 64 or len(part):
                    return None
                point[GPX[name(part)]] = timestamp(text) if name(part) == "time" else text
        points.append({key: value for key, value in point.items() if value is not None})
    unknown = Counter(name(element) for element in root.iter() if name(element) not in GPX_OTHERS and not (element in inside and name(element) in GPX))
    for element, count in unknown.items():
        counts["element:gpx." + element] += count
    return points if all(map(place_of, points)) else None


def timestamp(text):
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", text, re.ASCII)
    year, month, day, hour, minute, second = map(int, match.groups()) if match else (0, 0, 0, 0, 0, 0)
    is_moment = days_since_1970(year, month, day) is not None and hour < 24 and minute < 60 and second < 60
    return f"{text[:-1]}.000Z" if is_moment else text


def route_content(secret, points):
    places = [place_of(point) for point in points]
    bounds = {f"{bound}_{name}": choose(place[index] for place in places)
              for bound, choose in (("max", max), ("min", min)) for index, name in enumerate(("latitude", "longitude"))}
    text = "hp:v2:route_points:" + "".join(canonical(point) + "\n" for point in points)
    return {"bounds": identity.private_value(secret, "hp:bounds", bounds), "content_hash": identity.sha256(text), "point_count": len(points)}


# Electrocardiograms


def electrocardiogram(content):
    """The record of an electrocardiogram, or None where the file is none."""
    if content is None or len(content) > 16 << 20 or b"\0" in content:
        return None
    try:
        lines = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    lines = [line.removesuffix("\r") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    if "" not in lines:
        return None
    head, body = lines.index(""), len(lines) - 1 - lines[::-1].index("")
    samples = [in_ascii(line) for line in lines[body + 1:]]
    rows = [row_value(line) for line in lines[:head]]
    at = next((index for index in range(1, len(rows)) if rows[index] and DATE.fullmatch(in_ascii(rows[index]))), None)
    if not samples or not all(NUMBER.fullmatch(sample) for sample in samples) or at is None or at + 5 >= len(rows):
        return None
    rate = re.fullmatch(r"([^0-9]*)([0-9]+(?:\.[0-9]+)?)([^0-9]*)", in_ascii(rows[at + 5] or ""), re.DOTALL)
    if not rate or "-" in rate[1] + rate[3] or not any(map(str.isalpha, rate[1] + rate[3])) or math.isinf(float(rate[2])):
        return None
    facts = [row_value(line) for line in lines[head:body] if line]
    metadata = {
        "hp:classification": CLASSIFICATIONS.get(rows[at + 1], rows[at + 1]), "hp:symptoms": rows[at + 2], "hp:software_version": rows[at + 3],
        "hp:content_hash": identity.sha256("hp:v2:electrocardiogram:" + "".join(sample + "\n" for sample in samples)),
        "hp:sample_count": len(samples), "hp:sample_rate_hertz": float(rate[2]),
        "hp:voltage_unit": facts[1] if len(facts) > 1 else None,
    }
    import apple_health  # which imports this module
    moment = float(apple_health.read_date(in_ascii(rows[at]), is_compact_read=False).seconds)
    device = {"hardware_version": rows[at + 4]} if rows[at + 4] is not None else None
    columns = {"value_kind": "electrocardiogram", "start_date": moment, "end_date": moment}
    return Record(0, ELECTROCARDIOGRAM, columns, None, device, {key: value for key, value in metadata.items() if value is not None})


def row_value(line):
    """What stands behind the first comma, without quotes; None where nothing does."""
    _, _, value = line.partition(",")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1].replace('""', '"')
    return value or None
