#!/usr/bin/env python3
"""Writes the archives of this folder anew. Run it by hand, on demand only; README.md says what each file is.

    generate.py [FOLDER]

The same SQLite gives the same bytes. All names and values are synthetic. Python 3.9 or later, standard library
only; its SQLite needs FTS5.
"""
import hashlib
import hmac
import json
import math
import pathlib
import shutil
import sqlite3
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE.parents[1] / "Spec" / "archive-schema.sql"
SECRET = b"synthetic archive secret"
EPOCH = 946684800.0  # 2000-01-01
DAY = 86400.0
HEADER_VERSION = struct.pack(">I", 3040001)  # SQLITE_VERSION_NUMBER, so that any SQLite writes the same header


def content_hash(domain, text):
    return hashlib.sha256(f"hp:v2:{domain}:{text}".encode()).hexdigest()


def private_hash(domain, text):
    return hmac.new(SECRET, f"hp:v2:{domain}:{text}".encode(), hashlib.sha256).hexdigest()


def observed_at(observation):
    return EPOCH + 30 * DAY * observation


class RawText(bytes):
    """Bytes to be stored as TEXT, whatever they are."""


class Patched(float):
    """A REAL that SQLite would not store: a stand-in is stored, and its bytes are replaced in the file."""

    def __new__(cls, stand_in, bits):
        patched = super().__new__(cls, stand_in)
        patched.bits = bits
        return patched


class Archive:
    """One archive under construction; row ids count up from 1 per table unless `id` is given."""

    def __init__(self, name, page_size=1024, encoding="UTF-8", schema=None, foreign_keys=True):
        self.path = FOLDER / f"{name}.sqlite"
        self.path.unlink(missing_ok=True)
        self.patches = []
        self.connection = sqlite3.connect(str(self.path), isolation_level=None)
        self.connection.execute(f"PRAGMA page_size = {page_size}")
        self.connection.execute(f"PRAGMA encoding = '{encoding}'")
        self.connection.execute("PRAGMA journal_mode = MEMORY")
        self.connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        self.connection.execute("BEGIN")
        for statement in (schema or SCHEMA.read_text(encoding="utf-8")).split(";\n"):
            self.connection.execute(statement)

    def insert(self, table, **columns):
        """Inserts a row and returns its row id."""
        for value in columns.values():
            if isinstance(value, Patched):
                self.patches.append(value)
        marks = ", ".join("CAST(? AS TEXT)" if isinstance(value, RawText) else "?" for value in columns.values())
        values = [bytes(v) if isinstance(v, RawText) else float(v) if isinstance(v, float) else v
                  for v in columns.values()]
        return self.connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values).lastrowid

    def close(self):
        self.connection.execute("COMMIT")
        self.connection.close()
        self.set_header_version()
        for patched in self.patches:
            replace_once(self.path, struct.pack(">d", patched), patched.bits)

    def set_header_version(self):
        data = bytearray(self.path.read_bytes())
        data[96:100] = HEADER_VERSION
        self.path.write_bytes(data)

    # Rows

    def begin(self, version="2", migration=2):
        self.insert("schema_migrations", version=migration, applied_at=EPOCH, description="archive v2")
        if version is not None:
            self.insert("archive_metadata", key="schema_version", value=version)
        self.insert("archive_metadata", key="created_by", value="synthetic")

    def chain(self, name="chain", **columns):
        return self.insert("device_chains", **{
            "device_chain_hash": private_hash("device_chain", name), "created_at": EPOCH, **columns})

    def observation(self, number, chain=1, **columns):
        return self.insert("observations", **{
            "id": number, "device_chain_id": chain, "observed_at": observed_at(number),
            "started_at": observed_at(number) - 30.25, "ended_at": observed_at(number), "status": "completed",
            "trigger_reason": "manual", "app_version": "2.0.0", "schema_version": 2, **columns})

    def type(self, identifier, category=None, display_name=None):
        return self.insert("sample_types", type_identifier=identifier, category=category, display_name=display_name)

    def run(self, observation, sample_type, status="completed", **columns):
        return self.insert("observation_type_runs", observation_id=observation, sample_type_id=sample_type,
                           status=status, **columns)

    def metadata(self, text, **columns):
        name = text if isinstance(text, str) else repr(text)
        return self.insert("metadata_blobs", **{
            "metadata_hash": content_hash("metadata", name), "metadata_json": text, **columns})

    def sample(self, sample_type, name, first=1, **columns):
        return self.insert("samples", **{
            "sample_type_id": sample_type, "sample_uuid_hash": private_hash("sample_uuid", name),
            "strict_fingerprint": content_hash("strict", name), "first_seen_observation_id": first,
            "first_seen_at": observed_at(first), **columns})

    def version(self, sample, name, start, created=1, **columns):
        return self.insert("sample_versions", **{
            "sample_id": sample, "payload_hash": content_hash("payload", name), "start_date": start,
            "end_date": start, "created_observation_id": created, **columns})

    def visible(self, sample, version, first=1, last=None, **columns):
        return self.insert("sample_visibility_ranges", **{
            "sample_id": sample, "version_id": version, "first_observation_id": first, "last_observation_id": last,
            "first_seen_at": observed_at(first), "last_seen_at": observed_at(last) if last else None, **columns})

    def event(self, observation, sample, version, kind, **columns):
        return self.insert("sample_observation_events", **{
            "observation_id": observation, "sample_id": sample, "version_id": version, "event_kind": kind,
            "observed_at": observed_at(observation), "evidence_kind": "anchored_query", **columns})

    def appear(self, sample, version, first=1, last=None, kind="appeared"):
        """A range with the events that belong to it."""
        self.visible(sample, version, first, last)
        self.event(first, sample, version, kind)

    def disappear(self, sample, version, observation):
        self.event(observation, sample, version, "disappeared", evidence_kind="deleted_object")

    def relate(self, source, target, kind, observation=1, **columns):
        return self.insert("sample_relationships", observation_id=observation, source_sample_id=source,
                           target_sample_id=target, relationship_kind=kind, **columns)

    def simple(self, sample_type, name, start=EPOCH, sample=None, **columns):
        """A sample with one version that is visible from observation 1 on. Returns (sample, version)."""
        sample_id = self.sample(sample_type, name, **(sample or {}))
        version_id = self.version(sample_id, name, start, **columns)
        self.appear(sample_id, version_id)
        return sample_id, version_id


def replace_once(path, old, new):
    data = path.read_bytes()
    assert data.count(old) == 1 and len(old) == len(new)
    path.write_bytes(data.replace(old, new))


# small.sqlite

NFC, NFD = "com.example.caf\u00e9", "com.example.cafe\u0301"


def small_provenance(archive):
    """Sources, revisions, devices and metadata, with NULLs in many places."""
    for name, bundle in (("one", "com.example.one"), ("two", "com.example.zwei.\u00fc"), (None, "com.example.three"),
                         ("four", None)):
        archive.insert("sources", bundle_identifier=bundle,
                       source_name_hash=private_hash("source_name", name) if name else None)
    for source, product, version, system in (
            (1, "TestWatch1,1", "1.0", "9.1.0"), (1, "TestWatch1,1", "1.1", "9.1.0"), (2, "TestPhone2,1", None, "15.8"),
            (3, None, None, None), (4, "TestPhone2,2", "7", None), (2, None, "2", "16.0")):
        archive.insert("source_revisions", source_id=source, product_type=product, version=version,
                       operating_system_version=system)
    archive.insert("hk_devices", device_hash=private_hash("device", "one"),
                   manufacturer_hash=private_hash("manufacturer", "TEST"), model="TestWatch",
                   hardware_version="TestWatch1,1", firmware_version="1.2", software_version="9.1",
                   local_identifier_hash=private_hash("local", "one"), udi_hash=private_hash("udi", "one"))
    archive.insert("hk_devices", model="Tester\u00e4t")
    archive.insert("hk_devices", device_hash=private_hash("device", "three"), software_version="")
    archive.insert("hk_devices", model=None)
    for text in ('{"HKTimeZone":"Europe/Bucharest","com.example.note":"synthetic \u00e9\u4e2d\U0001f600"}',
                 '{ "b": 1.0, "a": 1 }',
                 '{"a":{"b":[1,2.5,{"c":null}],"e":1e-7},"z":[],"\u20ac":true,"\U0001f600":1e+21,"\ufb33":"\\u0001\\n/"}',
                 "{}", "not JSON at all"):
        archive.metadata(text)


def small_types(archive):
    names = ("HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount",
             "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier",
             "HKCorrelationTypeIdentifierBloodPressure", "HKQuantityTypeIdentifierBloodPressureSystolic",
             "HKQuantityTypeIdentifierBloodPressureDiastolic", "com.example.gr\u00f6\u00dfe.\u6d4b\u8bd5", NFC, NFD,
             "com.example.never.asked")
    kinds = ("quantity", "quantity", "category", "workout", "correlation", "quantity", "quantity", "quantity",
             "quantity", "quantity", None)
    return {name: archive.type(name, kind, "Steps (synthetic)" if "Step" in name else None)
            for name, kind in zip(names, kinds)}


def small_runs(archive):
    last = {2: ("partial", {"error_kind": "page_limit", "inserted_event_count": 3, "verified_visible_count": 12}),
            3: ("unauthorized", {"error_kind": "not_determined"}),
            8: ("failed", {"error_kind": "query", "error_message_hash": content_hash("error", "synthetic")}),
            9: ("timed_out", {"started_at": observed_at(4) - 20.5}), 10: ("completed", {"deleted_event_count": 1})}
    for observation in range(1, 5):
        for sample_type in range(1, 11):
            if observation < 4:
                if sample_type != 8:  # asked for the first time by the last observation, and failed
                    archive.run(observation, sample_type, verified_visible_count=observation)
            elif sample_type != 7:  # not asked again
                status, columns = last.get(sample_type, ("completed", {"started_at": observed_at(4) - 30,
                                                                        "ended_at": observed_at(4) - 0.0625}))
                archive.run(4, sample_type, status, anchor_after=b"\x00synthetic", **columns)


def small_heart_rates(archive):
    """24 heart rates: changed, gone, returned, and plain ones. Returns the sample ids."""
    ids = []
    for i in range(24):
        first = i % 4 + 1
        start = EPOCH + 30 * DAY * (first - 1) + 60 * i + (0.1234567 if i % 5 == 0 else 0.25 * (i % 4))
        sample = archive.sample(1, f"heart rate {i}", first, semantic_fingerprint=content_hash("semantic", str(i)) if i % 3 else None,
                                fuzzy_key=f"heart rate about {i // 4}" if i % 2 else None,
                                **({"sample_uuid_hash": None} if i in (4, 9) else {}))
        columns = dict(value_kind="quantity", numeric_value=[61, 100.5, 72.123456789, 1e21, 1e-7][i % 5], unit="count/min",
                       source_revision_id=[1, 2, 3, None, 4, 5, 6][i % 7], hk_device_id=[1, None, 2, 3, 4][i % 5],
                       metadata_id=[None, 1, 2, 3, 4, 5][i % 6], end_date=start + i % 3)
        version = archive.version(sample, f"heart rate {i}", start, first, **columns)
        small_story(archive, i, sample, version, first, start, columns)
        ids.append(sample)
    return ids


def small_story(archive, i, sample, version, first, start, columns):
    if i in (0, 8):  # changed by observation 3, and one of them again by 4
        archive.appear(sample, version, first, 3)
        second = archive.version(sample, f"heart rate {i} again", start, 3, **{**columns, "numeric_value": 62.5})
        archive.appear(sample, second, 3, 4 if i else None, "representation_changed")
        if i:
            third = archive.version(sample, f"heart rate {i} once more", start - 60, 4, **{**columns, "unit": "Hz"})
            archive.appear(sample, third, 4, None, "representation_changed")
    elif i in (1, 4):  # gone
        archive.appear(sample, version, first, first + 2)
        archive.disappear(sample, version, first + 2)
    elif i == 12:  # gone and back
        archive.appear(sample, version, 1, 2)
        archive.disappear(sample, version, 2)
        archive.appear(sample, version, 4, None, "reappeared")
    else:
        archive.appear(sample, version, first)


def small_others(archive, heart_rates):
    for i in range(14):
        archive.simple(2, f"steps {i}", EPOCH + 300 * i, value_kind="quantity", numeric_value=10 * i, unit="count",
                       end_date=EPOCH + 300 * i + 299.5, source_revision_id=i % 6 + 1)
    for i in range(6):
        archive.simple(3, f"sleep {i}", EPOCH + DAY * i, value_kind="category", category_value=i, hk_device_id=1,
                       end_date=EPOCH + DAY * i + 3600, source_revision_id=1)
    for i in range(3):
        workout, _ = archive.simple(
            4, f"workout {i}", EPOCH + DAY * i, value_kind="workout", workout_activity_type=37 + i,
            duration_seconds=1800.5 * i, end_date=EPOCH + DAY * i + 1800, source_revision_id=2, metadata_id=1)
        for j in (0, 4, 13, 15):
            archive.relate(workout, heart_rates[4 * i + j % 8], "workout_sample", max(1, j % 4), metadata_id=3 if j else None)
    for i in range(2):
        start = EPOCH + 7200 * i
        parts = [archive.simple(t, f"pressure {t} {i}", start, value_kind="quantity", numeric_value=100 + t, unit="mmHg",
                                source_revision_id=3)[0] for t in (6, 7)]
        whole, _ = archive.simple(5, f"pressure {i}", start, value_kind="correlation", source_revision_id=3)
        for part in parts:
            archive.relate(whole, part, "correlation_member", 1 if i else None)


def small_oddities(archive, types):
    odd = types["com.example.gr\u00f6\u00dfe.\u6d4b\u8bd5"]
    for name, start in (("1969", -0.5), ("1900", -2208988800.0), ("1601", -11644473600.123), ("0001", -62135596800.0),
                        ("9999", 253402300799.5), ("1970", 0.0), ("fine", 1700000000.1234567)):
        archive.simple(odd, f"moment {name}", start, value_kind="quantity", numeric_value=-1.5, unit="\u00b5g/\u33a5")
    for twin in (types[NFC], types[NFD]):
        archive.simple(twin, f"twin {twin}", EPOCH, value_kind="quantity", numeric_value=0, unit="count")
    # alike in everything but the strict fingerprint: one UUID, one payload hash
    for name in ("alike b", "alike a"):
        sample = archive.sample(odd, name, sample_uuid_hash=private_hash("sample_uuid", "alike"))
        archive.appear(sample, archive.version(sample, "alike", EPOCH, value_kind="quantity", numeric_value=1))
    # different, with one start and end
    for name, number in (("pair a", 1), ("pair b", 2)):
        archive.simple(odd, name, EPOCH + 86.5, value_kind="quantity", numeric_value=number, unit="count")
    # deleted before it was ever seen
    unseen = archive.sample(1, "never seen", 3, strict_fingerprint=private_hash("sample_uuid", "never seen"))
    archive.disappear(unseen, None, 3)


def write_small():
    archive = Archive("small")
    archive.begin()
    archive.chain()
    zones = (None, ("UTC", 0), ("Asia/Kathmandu", 20700), ("Europe/Bucharest", 7200))
    for number, zone in enumerate(zones, 1):
        archive.observation(
            number, status="partial" if number == 2 else "completed", os_version="15.8" if number > 1 else None,
            time_zone_identifier=zone and zone[0], time_zone_seconds_from_gmt=zone and zone[1],
            selected_type_set_hash=content_hash("types", "all"), notes="synthetic\t\u201cnote\u201d" if number == 3 else None)
    types = small_types(archive)
    small_provenance(archive)
    small_runs(archive)
    heart_rates = small_heart_rates(archive)
    small_others(archive, heart_rates)
    small_oddities(archive, types)
    archive.close()


# defects.sqlite

NEGATIVE_ZERO, NOT_A_NUMBER = struct.pack(">Q", 1 << 63), struct.pack(">Q", 0x7FF8 << 48)
NOT_UTF8 = (RawText(b"\xc3("), RawText(b"\xed\xa0\x80"), RawText(b"\xc0\x80"), RawText(b"\x00\xff"))
INFINITY = math.inf


def defects_header(archive):
    archive.chain(created_at=INFINITY, device_chain_hash=RawText(b"chain \xff"), recovered_from_keychain=1.5)
    archive.observation(1, app_version=b"\x01blob", notes="a\0b", time_zone_seconds_from_gmt=2**53, started_at=1e300)
    archive.observation(2, ended_at=Patched(1.5e-290, NEGATIVE_ZERO), time_zone_identifier=RawText(b"\xf5"))
    archive.observation(3, started_at=0.1234567890123, schema_version="two", trigger_reason=b"")
    good = archive.type("com.example.defects", "quantity", b"\x00\x01")
    archive.type(RawText(b"com.example.\xff"), RawText(b"\xff"))
    archive.type(b"com.example.blob")
    archive.type("com.example.nul\0")
    archive.run(2, good, b"completed", error_kind=RawText(b"\x80"), inserted_event_count="many", deleted_event_count=-1,
                verified_visible_count=2**60, started_at="yesterday", ended_at=-INFINITY)
    return good


def defects_payload(archive, good):
    """One faulty (or only just good) column of a version each."""
    columns = [("numeric_value", v) for v in (
        INFINITY, -INFINITY, Patched(2.5e-290, NEGATIVE_ZERO), Patched(3.5e-290, NOT_A_NUMBER), "not a number", b"\x00\xff",
        5e-324, 1e21, 999999999999999900000.0, 1e-6, 1e-7, 2.0**53, 1.7976931348623157e308, 0.1 + 0.2, -123456.75)]
    columns += [("category_value", v) for v in (
        2**53 - 1, 2**53, 1 - 2**53, -(2**53), 2**53 + 1, 2**63 - 1, -(2**63), 1.5, 1e19, INFINITY, "abc", "", b"1")]
    columns += [("unit", v) for v in (*NOT_UTF8, "a\0b", b"count", "", "\x7f\u2028\"\\/\x1f", "\U0001f600\ufb33\uffff")]
    columns += [("start_date", v) for v in (
        1e300, -1e300, INFINITY, -INFINITY, 253402300800.0, 253402300799.99997, -62135596800.0, -62135596800.00001,
        0.1234567890123, 5e-324, 0.0, 0.001, 1e-9, -1e-9, 1.0000000005, -0.0000000015, "2000-01-01", b"")]
    columns += [("end_date", v) for v in ("", 1e19, EPOCH - 1)]
    columns += [("duration_seconds", v) for v in (INFINITY, "long", -1.0)]
    columns += [("workout_activity_type", b"\x01"), ("value_kind", RawText(b"\xff\x00")), ("value_kind", b""),
                ("payload_hash", b"\xaa"), ("payload_hash", RawText(b"payload \xff")), ("payload_hash", "0"),
                ("created_observation_id", 2**60), ("created_observation_id", "abc"), ("created_observation_id", 1.5)]
    for i, (column, value) in enumerate(columns):
        archive.simple(good, f"{i} {column}", **{"start_date": EPOCH + i, "end_date": EPOCH + 1000, column: value})
    archive.simple(good, "many", numeric_value=INFINITY, unit=b"", category_value="x", value_kind="\0", end_date=1e300)


def defects_samples(archive, good):
    columns = [("sample_uuid_hash", b"\x01"), ("sample_uuid_hash", RawText(b"\xff")), ("sample_uuid_hash", ""),
               ("strict_fingerprint", b"\x02"), ("strict_fingerprint", RawText(b"strict \xff")), ("semantic_fingerprint", "\0"),
               ("fuzzy_key", RawText(b"\xe2\x82")), ("fuzzy_key", b""), ("first_seen_observation_id", 1.5),
               ("first_seen_observation_id", "abc"), ("first_seen_observation_id", 2**53),
               ("first_seen_at", Patched(4.5e-290, NEGATIVE_ZERO)), ("first_seen_at", Patched(5.5e-290, NOT_A_NUMBER)),
               ("first_seen_at", "then"), ("first_seen_at", 1e300), ("id", 0), ("id", -1)]
    for i, (column, value) in enumerate(columns):
        archive.simple(good, f"sample {i}", EPOCH + 5000 + i, sample={column: value})
    archive.simple(good, "nothing to identify it", EPOCH + 6000,
                   sample={"sample_uuid_hash": RawText(b"\xfe"), "strict_fingerprint": b"\x03"})
    for name in ("shared b", "shared a"):
        archive.simple(good, name, EPOCH + 7000, sample={"sample_uuid_hash": private_hash("sample_uuid", "shared")})
    for sample_type in (2, 3, 4):
        archive.simple(sample_type, f"type {sample_type}")


def nested(levels):
    return '{"a":' * levels + "1" + "}" * levels


def defects_provenance(archive, good):
    for source in (("", RawText(b"com.example.\xff")), (b"\x05", "com.example\0"), (None, None), (None, b"com.example.one")):
        archive.insert("sources", source_name_hash=source[0], bundle_identifier=source[1])
    for source, version, system in ((1, RawText(b"\xff"), ""), (2, b"1", "a\0"), (3, None, None)):
        archive.insert("source_revisions", source_id=source, version=version, operating_system_version=system)
    archive.insert("source_revisions", source_id=4, product_type=RawText(b"\xff\xff"), version="1")
    archive.insert("hk_devices", model=RawText(b"\xff"), device_hash=b"", udi_hash="u\0", software_version="9")
    archive.insert("hk_devices", model=None)
    texts = ('{"b":1,"a":2}', '{"a":1,"a":1}', '{"a":1e999}', nested(64), nested(65), nested(300), "[1]", "", "null",
             '{"a":"\\u0000"}', '{"a":-0}', '\ufeff{"a":1}', '{"a":"\uffff"}', '{"a":1}\n', '{"a":9007199254740993}',
             '{"a":"\\ud800"}', '{"a":1e-400}', '{"\U0001f600":1,"\ufb33":2}', '{"\ufb33":2,"\U0001f600":1}', '{"a":"\\/"}',
             '{"a":[NaN]}', '{"a":1.0}', '{"":{},"a":[[]]}', RawText(b'{"a":"\xff"}'), '{"a":"\0"}', b'{"a":1}')
    rows = [archive.metadata(text) for text in texts]
    rows += [archive.metadata("{}", metadata_hash=b"\x07"), archive.metadata("{}", metadata_hash=RawText(b"\xff"))]
    columns = [("source_revision_id", i) for i in (1, 2, 3, 4, 99, "abc", 1.5, b"")]
    columns += [("hk_device_id", i) for i in (1, 2, 99, "abc")] + [("metadata_id", i) for i in (*rows, 99, -5, b"\x01")]
    for i, (column, value) in enumerate(columns):
        archive.simple(good, f"provenance {i}", EPOCH + 8000 + i, **{column: value})


def defects_ranges(archive, good):
    def sample(name):
        sample_id = archive.sample(good, f"range {name}")
        return sample_id, archive.version(sample_id, f"range {name}", EPOCH + 9000)

    s, v = sample("overlapping")
    archive.visible(s, v, 1, 3)
    archive.visible(s, v, 2)
    s, v = sample("doubly open")
    archive.visible(s, v, 2)
    archive.visible(s, v, 1)
    s, v = sample("inverted")
    archive.visible(s, v, 3, 1)
    s, v = sample("empty")
    archive.visible(s, v, 2, 2)
    s, v = sample("faulty")
    archive.visible(s, v, 1, 2, first_seen_at="first", last_seen_at=INFINITY)
    archive.visible(s, v, 3, None, first_seen_at=1e300)
    s, v = sample("between")
    archive.visible(s, v, 1, 1.5, last_seen_at=EPOCH, first_observation_id=0.5)
    archive.visible(s, v, 2, 3)
    s = archive.sample(good, "no version, twice")
    archive.visible(s, None, 2)
    archive.visible(s, None, 2)
    archive.visible(s, None, 1, 3)
    s, v = sample("version and none")
    archive.visible(s, v)
    archive.visible(s, None)
    s = archive.sample(good, "dangling version")
    archive.visible(s, 5000)
    archive.visible(s, 5001, 1, 2)
    archive.visible(s, "abc")
    archive.event(1, s, 5000, "appeared")


def defects_events(archive, good):
    sample, version = archive.simple(good, "events", EPOCH + 10000)
    archive.event(2, sample, version, b"\x01", evidence_kind=RawText(b"\xff"))
    archive.event(2, sample, version, "a\0", observed_at=Patched(6.5e-290, NEGATIVE_ZERO))
    archive.event(2, sample, version, RawText(b"\xfe"), observed_at="now", evidence_kind=None)
    archive.event(1, sample, None, "observed", observation_id=1.5, observed_at=0.1234567890123)
    archive.event(1, sample, None, "ignored", observation_id="abc")
    archive.event(2, sample, None, "\ufb33")
    archive.event(2, sample, None, "\U0001f600")
    archive.event(2, sample, None, "", observed_at=-INFINITY)


def defects_relationships(archive, good):
    hub, _ = archive.simple(good, "hub", EPOCH + 11000)
    archive.relate(hub, hub, "self")
    for i in range(12):
        archive.relate(hub, 3 + i, "many", 1 + i % 3, metadata_id=900 + i)
    archive.relate(hub, 0, RawText(b"\xff"))
    archive.relate(hub, -1, b"kind", metadata_id="abc")
    archive.relate(2, hub, "nul\0", metadata_id=27)
    archive.relate(1, hub, "metadata", metadata_id=24)
    archive.relate(1, hub, "metadata, not canonical", metadata_id=1)
    archive.relate(1, hub, "later", 3, metadata_id=4)
    for other in [archive.simple(t, f"related {t}", EPOCH + 12000)[0] for t in (2, 3)]:
        archive.relate(other, hub, "type")
    nameless, _ = archive.simple(good, "nameless", EPOCH + 12001,
                                 sample={"sample_uuid_hash": b"\x09", "strict_fingerprint": RawText(b"\xf8")})
    archive.relate(hub, nameless, "nameless")
    archive.relate(hub, archive.sample(good, "not visible"), "unseen")
    # the last sample: behind this row id SQLite would choose ids at random
    largest, _ = archive.simple(good, "largest row id", EPOCH + 11001, sample={"id": 2**63 - 1})
    archive.relate(hub, largest, "cycle")
    archive.relate(largest, hub, "cycle", None)
    archive.relate(largest, hub, "cycle", None)


def write_defects():
    archive = Archive("defects", foreign_keys=False)
    archive.begin()
    good = defects_header(archive)
    defects_payload(archive, good)
    defects_samples(archive, good)
    defects_provenance(archive, good)
    defects_ranges(archive, good)
    defects_events(archive, good)
    defects_relationships(archive, good)
    archive.close()


# unsettled.sqlite


def write_unsettled():
    """References that the specification does not settle word for word."""
    archive = Archive("unsettled", foreign_keys=False)
    archive.begin()
    archive.chain()
    archive.chain("other chain")
    for number in (1, 3, 5):
        archive.observation(number)
    archive.observation(4, 2)
    good = archive.type("com.example.unsettled")
    archive.insert("source_revisions", source_id=77, version="1")
    archive.simple(good, "revision without its source", source_revision_id=1)
    archive.simple(99, "type that does not exist")
    archive.simple(good, "id beyond 2^53", metadata_id=2**60)
    archive.visible(500, archive.version(500, "sample that does not exist", EPOCH))
    archive.visible(501, None)
    archive.event(3, 502, None, "disappeared")
    first, _ = archive.simple(good, "two visible versions")
    archive.visible(first, archive.version(first, "the second", EPOCH + 1, 3), 3)
    second, borrowed = archive.simple(good, "owner of a borrowed version", EPOCH + 2)
    borrower = archive.sample(good, "borrower")
    archive.visible(borrower, borrowed)
    archive.relate(first, second, "two versions")
    archive.relate(second, 600, "to nothing")
    archive.relate(second, first, "of the other chain", 4)
    archive.relate(first, second, "of no observation", 2)
    late = archive.sample(good, "observation that does not exist", 2)
    archive.visible(late, archive.version(late, "late", EPOCH + 3, 2), 2)
    for name, columns in (("end without observation", {"last_seen_at": observed_at(3)}),
                          ("end that is text", {"last_observation_id": "abc", "last_seen_at": observed_at(3)}),
                          ("end in the other chain", {"last_observation_id": 4, "last_seen_at": observed_at(4)})):
        sample = archive.sample(good, name)
        archive.visible(sample, archive.version(sample, name, EPOCH + 4), **columns)
    shared = archive.sample(good, "first seen by the other chain", 4)
    archive.appear(shared, archive.version(shared, "shared", EPOCH + 5, 4), 5)
    archive.close()


# The other good ones


def write_two_chains():
    archive = Archive("two-chains")
    archive.begin()
    archive.chain("first")
    archive.chain("second", created_at=EPOCH + DAY, recovered_from_keychain=1)
    for number, chain, status in ((1, 1, "completed"), (2, 2, "completed"), (3, 1, "partial"), (4, 2, "completed"),
                                  (5, 1, "completed"), (6, 2, "running"), (7, 1, "started")):
        archive.observation(number, chain, status=status)
    heart, steps = archive.type("com.example.heart", "quantity"), archive.type("com.example.steps", "quantity")
    for observation, sample_type, status in ((1, heart, "completed"), (2, heart, "failed"), (3, heart, "timed_out"),
                                             (4, heart, "completed"), (4, steps, "completed"), (6, heart, "partial")):
        archive.run(observation, sample_type, status)
    for i in range(12):
        observation = i % 6 + 1
        sample = archive.sample((heart, steps)[i % 2], f"sample {i}", observation)
        version = archive.version(sample, f"version {i}", EPOCH + i, observation, numeric_value=i, unit="count")
        archive.appear(sample, version, observation, observation + 2 if i in (0, 3) else None)
    # one sample that both chains saw, in two versions
    sample = archive.sample(heart, "seen by both", 1)
    for observation in (1, 2):
        version = archive.version(sample, f"seen by {observation}", EPOCH + 60, observation, numeric_value=observation)
        archive.appear(sample, version, observation)
    archive.relate(1, 3, "own chain", 3)
    archive.close()


def write_utf16():
    archive = Archive("utf16", encoding="UTF-16le")
    archive.begin()
    archive.chain()
    archive.observation(1, notes="\u0100\U0001f600\uff5e", trigger_reason="\u00fcber")
    archive.observation(2, app_version="\uff5e")
    # UTF-8 order, UTF-16 code unit order and the order of UTF-16LE bytes all differ on these
    words = ("a", "\u0100", "\u0161", "\uff5e", "\U0001f600", "\ud7ff", "\ue000", "ab", "")
    types = [archive.type("t" + word, "quantity", word) for word in words]
    for i, word in enumerate(words):
        archive.run(1, types[i], error_kind=word)
        archive.insert("sources", bundle_identifier="com.example." + word, source_name_hash=word)
        archive.insert("source_revisions", source_id=i + 1, product_type=word, version=word)
        archive.insert("hk_devices", model=word, device_hash="d" + word)
        archive.metadata(json.dumps({"k" + word: word}, ensure_ascii=False, separators=(",", ":")))
    archive.metadata('{"\U0001f600":1,"\uff5e":2}')
    archive.metadata('{"\uff5e":2,"\U0001f600":1}')
    ids = []
    for i, word in enumerate(words):
        for j, other in enumerate(words[:5]):
            sample = archive.sample(types[j % 3], f"{i} {j}", sample_uuid_hash=word if j != 4 else None,
                                    strict_fingerprint=f"{other}{word}s", fuzzy_key=other)
            version = archive.version(sample, "", EPOCH, payload_hash=other + "p", unit=word, value_kind=other,
                                      source_revision_id=i + 1, hk_device_id=i + 1, metadata_id=i + j % 3 + 1)
            archive.appear(sample, version, kind=other)
            archive.event(2, sample, version, word + "!")
            archive.event(2, sample, version, other + "?")
            ids.append(sample)
    for other in ids[1:12]:
        archive.relate(ids[0], other, words[other % 6], metadata_id=other % 11 + 1)
    archive.relate(ids[0], ids[0], "\U0001f600")
    archive.close()


def write_wal():
    """The second observation is committed only in the -wal."""
    archive = Archive("wal")
    archive.begin()
    archive.chain()
    archive.observation(1)
    good = archive.type("com.example.wal", "quantity")
    archive.run(1, good)
    for i in range(4):
        archive.simple(good, f"before {i}", EPOCH + i, numeric_value=i)
    archive.close()
    target, companion = archive.path, archive.path.with_name("wal.sqlite-wal")
    with tempfile.TemporaryDirectory() as folder:
        archive.path = pathlib.Path(folder) / "wal.sqlite"
        shutil.copyfile(target, archive.path)
        archive.connection = sqlite3.connect(str(archive.path), isolation_level=None)
        archive.connection.execute("PRAGMA journal_mode = WAL")
        archive.connection.execute("PRAGMA wal_autocheckpoint = 0")
        archive.connection.execute("BEGIN")
        archive.observation(2)
        archive.run(2, good, "partial")
        for i in range(4):
            archive.simple(good, f"after {i}", EPOCH + i + 0.5, numeric_value=-i)
        archive.connection.execute("COMMIT")
        shutil.copyfile(archive.path, target)
        companion.write_bytes(with_fixed_salts(archive.path.with_name("wal.sqlite-wal").read_bytes()))
        archive.connection.close()
    archive.path = target
    archive.set_header_version()


def with_fixed_salts(wal):
    """The same write-ahead log with salts that are not random, and its checksums computed anew."""
    order = "<" if int.from_bytes(wal[:4], "big") == 0x377F0682 else ">"
    page_size = int.from_bytes(wal[8:12], "big")
    salts = b"synthetic"[:8]
    header = wal[:16] + salts
    sums = wal_checksum(order, (0, 0), header)
    result = header + struct.pack(">II", *sums)
    for at in range(32, len(wal), 24 + page_size):
        page = bytearray(wal[at + 24:at + 24 + page_size])
        if wal[at:at + 4] == b"\0\0\0\1":
            page[96:100] = HEADER_VERSION
        sums = wal_checksum(order, sums, wal[at:at + 8] + page)
        result += wal[at:at + 8] + salts + struct.pack(">II", *sums) + page
    return result


def wal_checksum(order, sums, data):
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2]):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def fill(archive, **begin):
    """Very few rows: one observation, one sample."""
    archive.begin(**begin)
    archive.chain()
    archive.observation(1)
    good = archive.type("com.example.tiny", "quantity")
    archive.run(1, good)
    archive.simple(good, "tiny", numeric_value=1, unit="count")


def write_oddities():
    archive = Archive("extra-columns")
    for statement in ("CREATE TABLE extra_notes (id INTEGER PRIMARY KEY, note TEXT)",
                      "CREATE TABLE \"odd name\"\"; --\" (a, b BLOB)",
                      "ALTER TABLE samples ADD COLUMN extra_text TEXT DEFAULT 'extra'",
                      "ALTER TABLE sample_versions ADD COLUMN extra_number REAL",
                      "ALTER TABLE observations ADD COLUMN \"select\" TEXT",
                      "INSERT INTO extra_notes VALUES (1, 'synthetic')"):
        archive.connection.execute(statement)
    fill(archive)
    archive.close()
    archive = Archive("page-size-512", page_size=512)
    fill(archive)
    archive.close()


# identity.sqlite, identity-other.sqlite

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
CONTENTS = ("category_value", "duration_seconds", "numeric_value", "unit", "value_kind", "workout_activity_type")


def object_hash(domain, **members):
    """The hash of an object whose members have simple texts: what json writes is canonical for them."""
    present = {name: value for name, value in members.items() if value is not None}
    return content_hash(domain, json.dumps(present, ensure_ascii=False, separators=(",", ":"), sort_keys=True))


def moment(seconds):
    """The timestamp of whole milliseconds on the first day of 2000."""
    minutes, rest = divmod(round((seconds - EPOCH) * 1000), 60000)
    return "2000-01-01T%02d:%02d:%02d.%03dZ" % (*divmod(minutes, 60), *divmod(rest, 1000))


class Identified:
    """Samples whose hashes follow Spec/identity.md; what families make of values stands beside each sample."""

    def __init__(self, archive):
        self.archive, self.types = archive, {}
        archive.insert("sources", bundle_identifier="com.example.one", source_name_hash=private_hash("source_name", "one"))
        archive.insert("source_revisions", source_id=1, product_type="TestWatch1,1", version="1.0", operating_system_version="9.1.0")
        archive.insert("hk_devices", device_hash=private_hash("device", "one"), model="Test\u00e4r")
        self.source = {"bundle_identifier": "com.example.one", "operating_system_version": "9.1.0", "product_type": "TestWatch1,1",
                       "source_name_hash": private_hash("source_name", "one"), "version": "1.0"}
        self.device = {"device_hash": private_hash("device", "one"), "model": "Test\u00e4r"}
        self.metadata = content_hash("metadata", '{"HKNote":"synthetic"}'), content_hash("metadata", '{ "b": 1.0 }')
        archive.metadata('{"HKNote":"synthetic"}')
        archive.metadata('{ "b": 1.0 }')

    # Of each family: the letter, the seconds of a window, and the member that its fuzzy key ends with.
    FUZZY = {"quantity": ("q", 60, None), "cumulative": ("c", 3600, None), "category": ("k", 60, "category"), "workout": ("w", 600, "activity"),
             "correlation": ("r", 60, None)}

    def type(self, name):
        if name not in self.types:
            self.types[name] = self.archive.type(name)
            self.archive.run(1, self.types[name])
        return self.types[name]

    def strict(self, name, start, end, unit=None, source=True, **columns):
        return object_hash("strict_fingerprint", sample_type=name, start_date=moment(start), end_date=moment(end),
                           unit="kcal" if unit == "Cal" else unit, bundle_identifier="com.example.one" if source else None, **columns)

    def payload(self, name, start, end, metadata=0, source=True, device=False, **columns):
        return object_hash("payload", sample_type=name, start_date=moment(start), end_date=moment(end), source=self.source if source else None,
                           device=self.device if device else None, metadata_hash=self.metadata[metadata - 1] if metadata else None, **columns)

    def add(self, name, start, length=0.0, family=None, ordinal=0, uuid=None, fingerprint=None, created=1, first=1, sample=None, metadata=0,
            source=True, device=False, **columns):
        """A version of a new sample, or of `sample`; `family`: the members of its family, none where it has no semantic fingerprint."""
        start = EPOCH + start
        end = start + length
        strict = fingerprint or self.strict(name, start, end, source=source, **columns)
        if ordinal:
            strict = object_hash("strict_fingerprint", alike=strict, ordinal=ordinal)
        semantic = family and object_hash("semantic_fingerprint", sample_type=name, start=int(start // 1), end=int(end // 1), **family)
        letter, window, more = self.FUZZY[family["family"]] if family else (None, 1, None)
        fuzzy = family and ":".join([letter, str(int(start // window)), *([str(family[more])] if more else [])])
        uuid = uuid and private_hash("sample_uuid", uuid)
        sample = sample or self.archive.sample(self.type(name), "", first, sample_uuid_hash=uuid, strict_fingerprint=strict, semantic_fingerprint=semantic,
                                               fuzzy_key=fuzzy)
        version = self.archive.version(
            sample, "", start, created, payload_hash=self.payload(name, start, end, metadata, source, device, **columns), end_date=end,
            source_revision_id=1 if source else None, hk_device_id=1 if device else None, metadata_id=metadata or None, **columns)
        return sample, version


def write_identity():
    archive = Archive("identity")
    archive.begin()
    archive.insert("archive_metadata", key="identity_rules", value="2")
    archive.chain()
    for number in (1, 2):
        archive.observation(number)
    rules = Identified(archive)
    rate, steps = QUANTITY + "HeartRate", QUANTITY + "StepCount"
    beats = {"value_kind": "quantity", "unit": "count/min"}

    def visible(pair, first=1, last=None, kind="appeared"):
        archive.appear(*pair, first, last, kind)
        return pair[0]

    def quantity(value, unit, family="quantity"):
        return {"family": family, "value": value, "unit": unit}

    changed = rules.add(rate, 0, 0.25, quantity(61.5, "count/min"), uuid="changed", numeric_value=61.5, metadata=1, device=True, **beats)
    visible(changed, 1, 2)
    visible(rules.add(rate, 0, 0.25, sample=changed[0], created=2, numeric_value=62.5, **beats), 2, None, "representation_changed")
    gone = rules.add(rate, 60, 0, quantity(70, "count/min"), uuid="gone", numeric_value=70, metadata=2, source=False, **beats)
    visible(gone, 1, 2)
    archive.disappear(*gone, 2)
    # a deleted object came first, the record in a later observation
    uuid = private_hash("sample_uuid", "deleted")
    unseen = object_hash("unseen_sample", sample_type=rate, sample_uuid_hash=uuid)
    late = rules.add(rate, 120, 0, uuid="deleted", fingerprint=unseen, created=2, numeric_value=71, **beats)
    archive.disappear(late[0], None, 1)
    visible(late, 2)
    # and both in one observation
    again = object_hash("unseen_sample", sample_type=rate, sample_uuid_hash=private_hash("sample_uuid", "at once"))
    at_once = rules.add(rate, 180, 0, uuid="at once", fingerprint=again, numeric_value=72, **beats)
    archive.disappear(at_once[0], None, 1)
    visible(at_once, 1)
    for ordinal in range(3):
        visible(rules.add(steps, 300, 299.5, quantity(12, "count", "cumulative"), ordinal, value_kind="quantity", numeric_value=12, unit="count"))
    visible(rules.add(QUANTITY + "ActiveEnergyBurned", 0, 60, quantity(2.5, "kcal", "cumulative"), uuid="energy", value_kind="quantity", numeric_value=2.5, unit="Cal"))
    visible(rules.add(QUANTITY + "BodyTemperature", 0, 0, quantity(37, "degC"), uuid="warm", value_kind="quantity", numeric_value=98.6, unit="degF"))
    visible(rules.add(CATEGORY + "SleepAnalysis", 0, 3600, {"family": "category", "category": 3}, uuid="sleep", value_kind="category", category_value=3))
    visible(rules.add("HKWorkoutTypeIdentifier", 0, 1800, {"family": "workout", "activity": 37}, uuid="workout", value_kind="workout",
                      workout_activity_type=37, duration_seconds=1790.5))
    visible(rules.add("HKCorrelationTypeIdentifierBloodPressure", 0, 0, {"family": "correlation"}, uuid="pressure", value_kind="correlation"))
    archive.close()


def write_identity_other():
    archive = Archive("identity-other")
    fill(archive)
    archive.insert("archive_metadata", key="identity_rules", value="1.0")
    archive.close()


# Bad ones


def write_files():
    (FOLDER / "not-a-database.sqlite").write_text("This is a text file, not a database.\n" * 40, encoding="ascii")
    (FOLDER / "empty.sqlite").write_bytes(b"")
    archive = Archive("truncated")
    fill(archive)
    archive.close()
    data = archive.path.read_bytes()
    archive.path.write_bytes(data[:len(data) * 6 // 10 // 1024 * 1024 + 300])


def write_schema_versions():
    for name, version, migration in (("schema-version-1", "1", 1), ("schema-version-3", "3", 3),
                                     ("schema-version-missing", None, 2), ("schema-version-contradictory", "2", 3)):
        archive = Archive(name)
        fill(archive, version=version, migration=migration)
        archive.close()


def write_schema_faults():
    schema = SCHEMA.read_text(encoding="utf-8")
    relationships = schema[schema.index("CREATE TABLE sample_relationships"):schema.index("CREATE TABLE observation_type_summaries")]
    metadata = schema[schema.index("CREATE TABLE metadata_blobs"):schema.index("CREATE TABLE samples (")]
    changes = {
        "table-missing": (relationships, ""),
        "column-missing": ("    fuzzy_key TEXT,\n", ""),
        "table-is-a-view": (metadata, "CREATE TABLE metadata_rows (id INTEGER PRIMARY KEY, metadata_hash TEXT, metadata_json TEXT);\n\n"
                            "CREATE VIEW metadata_blobs AS SELECT id, metadata_hash, metadata_json FROM metadata_rows;\n\n"),
        "virtual-table": (metadata, "CREATE VIRTUAL TABLE metadata_blobs USING fts5(id, metadata_hash, metadata_json);\n\n"),
        "generated-column": ("    unit TEXT,\n", "    unit TEXT GENERATED ALWAYS AS ('count') VIRTUAL,\n"),
    }
    for name, (old, new) in changes.items():
        assert schema.count(old) == 1
        archive = Archive(name, schema=schema.replace(old, new), foreign_keys=False)
        archive.begin()
        archive.chain()
        archive.observation(1)
        archive.type("com.example.tiny", "quantity")
        archive.close()
    archive = Archive("trigger")
    fill(archive)
    archive.connection.execute("CREATE TRIGGER quiet BEFORE INSERT ON export_items BEGIN SELECT RAISE(IGNORE); END")
    archive.close()


def main():
    global FOLDER
    FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for write in (write_small, write_defects, write_unsettled, write_two_chains, write_utf16, write_wal, write_oddities, write_identity,
                  write_identity_other,
                  write_files, write_schema_versions, write_schema_faults):
        write()


if __name__ == "__main__":
    main()
