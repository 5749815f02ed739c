"""Hashes of Spec/identity.md and Spec/capture.md, each as a function from plain values to its preimage and its hash.

Written from Spec/ alone. Lists of keys, types and units are those of the verifier in Spec/examples. Python 3.9 or later,
standard library only.
"""
import functools
import hashlib
import hmac
import os
import re
from typing import NamedTuple

import export_bundle
from export_bundle import Refused, canonical
from verifier.identities import CUMULATIVE, PRIVATE_KEYS, base_value, is_private_of_others

timestamp = functools.lru_cache(maxsize=200_000)(export_bundle.timestamp)


class Rules(NamedTuple):
    """What an archive keeps to: patterns of private keys of metadata."""
    patterns: tuple = ()

    def is_private(self, key):
        if key in PRIVATE_KEYS:
            return True
        if not re.match("_?HK", key) and is_private_of_others(key):
            return True
        return any(is_match(pattern, key) for pattern in self.patterns)


def is_match(pattern, key):
    """Whether a pattern stands for a key, byte by byte."""
    return expression_of(pattern).fullmatch(key.encode().translate(LOWER)) is not None


@functools.cache
def expression_of(pattern):
    parts = {"*": b".*", "?": b"."}
    expression = b"".join(parts.get(character) or re.escape(character.encode()) for character in pattern)
    return re.compile(expression.translate(LOWER), re.DOTALL)


# Letters of ASCII are the same in both cases.
LOWER = bytes(byte | 0x20 if 0x41 <= byte <= 0x5A else byte for byte in range(256))


def object_text(members):
    """The canonical text of an object; a member that is None is absent."""
    return canonical({name: value for name, value in members.items() if value is not None})


def sha256(preimage):
    return hashlib.sha256(preimage.encode()).hexdigest()


# Private identifiers


class Secret(NamedTuple):
    key: bytes
    chain: str

    def hmac(self, preimage):
        return hmac.new(self.key, preimage.encode(), hashlib.sha256).hexdigest()


def read_secret(path):
    if os.stat(path).st_mode & 0o077:
        raise Refused(f"{path}: others than its owner can read or write it")
    with open(path, encoding="ascii") as file:
        match = re.fullmatch(r"healthprobe-secret 1\nsecret ([0-9a-f]{64})\nchain ([0-9a-f]{64})\n?", file.read())
    if not match:
        raise Refused(f"{path}: not a secret")
    return Secret(bytes.fromhex(match[1]), match[2])


def write_secret(path, secret):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"healthprobe-secret 1\nsecret {secret.key.hex()}\nchain {secret.chain}\n")


def sample_uuid_preimage(uuid):
    return "hp:v2:sample_uuid:" + uuid.lower()


def source_name_preimage(name):
    return "hp:v2:source_name:" + name


DEVICE_FIELDS = ("firmware_version", "hardware_version", "local_identifier", "manufacturer", "model", "name", "other",
                 "software_version", "udi")


def device_preimage(fields):
    """`fields`: what a device description says, by the names of DEVICE_FIELDS."""
    assert set(fields) <= set(DEVICE_FIELDS)
    return "hp:v2:device:" + object_text(fields)


def device_object(secret, fields):
    """The members of `device` in Spec/items.md, which are the columns of hk_devices."""
    members = {name: fields[name] for name in ("firmware_version", "hardware_version", "model", "software_version")
               if name in fields}
    members["device_hash"] = secret.hmac(device_preimage(fields))
    for name in ("manufacturer", "local_identifier", "udi"):
        if name in fields:
            members[name + "_hash"] = secret.hmac(f"hp:v2:{name}:" + fields[name])
    return members


def chain_preimage(seed, kind):
    return f"hp:v2:device_chain:{seed}:{kind}"


def person_preimage(birth_date):
    return "hp:v2:person:" + birth_date


def error_message_preimage(message):
    return "hp:v2:error_message:" + message


def private_metadata_preimage(key, value):
    return "hp:v2:private_metadata:" + canonical({"key": key, "value": value})


def private_value(secret, key, value):
    return "hmac:" + secret.hmac(private_metadata_preimage(key, value))


# Content


def metadata_preimage(metadata_json):
    return "hp:v2:metadata:" + metadata_json


def type_set_preimage(types):
    return "hp:v2:type_set:" + canonical(sorted(set(types), key=str.encode))


PAYLOAD_COLUMNS = ("category_value", "duration_seconds", "numeric_value", "unit", "value_kind", "workout_activity_type")


def payload_preimage(sample_type, columns, source, device, metadata_hash):
    """`columns`: of a row of sample_versions, dates as doubles; `source` and `device`: objects of items.md or None."""
    members = {name: columns.get(name) for name in PAYLOAD_COLUMNS}
    members.update(device=device, end_date=timestamp(columns["end_date"]), metadata_hash=metadata_hash,
                   sample_type=sample_type, source=source, start_date=timestamp(columns["start_date"]))
    return "hp:v2:payload:" + object_text(members)


def strict_preimage(sample_type, columns, bundle_identifier):
    members = {name: columns.get(name) for name in PAYLOAD_COLUMNS}
    if members["unit"] == "Cal":
        members["unit"] = "kcal"
    members.update(bundle_identifier=bundle_identifier, end_date=timestamp(columns["end_date"]),
                   sample_type=sample_type, start_date=timestamp(columns["start_date"]))
    return "hp:v2:strict_fingerprint:" + object_text(members)


def alike_preimage(first, ordinal):
    return "hp:v2:strict_fingerprint:" + object_text({"alike": first, "ordinal": ordinal})


def alike_fingerprint(first, ordinal):
    """The strict fingerprint of the sample `ordinal` among those whose fingerprint of ordinal 0 is `first`."""
    return sha256(alike_preimage(first, ordinal)) if ordinal else first


def unseen_preimage(sample_type, uuid_hash):
    return "hp:v2:unseen_sample:" + object_text({"sample_type": sample_type, "sample_uuid_hash": uuid_hash})


# Families

def family(sample_type, columns):
    """The family of a sample: its preimage for the semantic fingerprint (or None) and its fuzzy key."""
    kind, start = columns.get("value_kind"), columns["start_date"]
    members = {"sample_type": sample_type, "start": int(start // 1), "end": int(columns["end_date"] // 1)}
    width, letter, added = 60, "r", ""
    if kind == "quantity" and columns.get("numeric_value") is not None:
        is_cumulative = CUMULATIVE.fullmatch(sample_type) is not None
        width, letter = (3600, "c") if is_cumulative else (60, "q")
        members["family"] = "cumulative" if is_cumulative else "quantity"
        members["value"], members["unit"] = base_value(columns["numeric_value"], columns.get("unit"))
        if members["value"] is None:
            members = None
    elif kind == "category":
        letter, added = "k", added_number(columns.get("category_value"))
        members.update(family="category", category=columns.get("category_value"))
    elif kind == "workout":
        width, letter, added = 600, "w", added_number(columns.get("workout_activity_type"))
        members.update(family="workout", activity=columns.get("workout_activity_type"))
    else:
        members["family"] = "correlation"
    preimage = None if members is None else "hp:v2:semantic_fingerprint:" + object_text(members)
    return preimage, f"{letter}:{int(start // width)}{added}"


def added_number(value):
    return "" if value is None else f":{value}"


# Aggregates, Spec/capture.md


def summary_preimage(sample_type, row):
    """`row`: the columns of observation_type_summaries, dates as doubles."""
    names = ("appeared_count", "disappeared_count", "representation_changed_count", "value_max", "value_sum",
             "visible_record_count")
    members = {name: row[name] for name in names}
    for name in ("earliest_start_date", "latest_end_date"):
        members[name] = None if row[name] is None else timestamp(row[name])
    return "hp:v2:type_summary:" + object_text({**members, "sample_type": sample_type})


def bucket_preimage(sample_type, row, source):
    """`row`: the columns of daily_type_aggregates; `source`: the object of items.md, None for the row of all records."""
    members = {name: row[name] for name in ("value_max", "value_sum", "visible_record_count")}
    members.update(bucket_end=timestamp(row["bucket_end"]), bucket_start=timestamp(row["bucket_start"]),
                   sample_type=sample_type, source=source)
    return "hp:v2:daily_aggregate:" + object_text(members)
