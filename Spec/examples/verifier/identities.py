"""Content hashes of an item: Spec/identity.md, "What a verifier recomputes"."""

import functools
import re
import struct

from .canonical import canonical
from .hashes import sha256
from .members import HEX64
from .ordering import date


CONTENTS = ("category_value", "duration_seconds", "end_date", "numeric_value", "sample_type", "start_date", "unit",
            "value_kind", "workout_activity_type")
PAYLOAD = (*CONTENTS, "device", "metadata_hash", "source")
DATED = ("sample_type", "start_date", "end_date")
FIRST_SEEN = ("created_observation_id", "first_seen_observation_id")
MOST_ALIKE = 1 << 16  # ordinals that are tried for one item
MOST_ALIKE_OF_ALL = 1 << 20  # and for all items of a file

PRIVATE_KEYS = {"HKDeviceName", "HKDeviceSerialNumber", "HKDigitalSignature", "HKExternalUUID", "HKMetadataKeySyncIdentifier",
                "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier"}
PRIVATE_PARTS = set("account address email login nickname phonenumber serial telephone token userid useridentifier username usernumber uuid website".split())
PRIVATE_WHOLE = PRIVATE_PARTS | set(
    "addr bssid emailid fax guid handle homepage href imei ip ipv4 ipv6 link mail mailbox mobilenumber phone postalcode postcode screenname ssid street "
    "udid uri url zipcode".split())
PRIVATE_EDGE = re.compile("link|url|.*...(link|url)s?\\Z", re.DOTALL)
PRIVATE_VALUE = re.compile("hmac:[0-9a-f]{64}")

CUMULATIVE = re.compile("HKQuantityTypeIdentifier(Distance.*|Dietary.*|%s)" % "|".join((
    "ActiveEnergyBurned", "AppleExerciseTime", "AppleMoveTime", "AppleStandTime", "BasalEnergyBurned", "FlightsClimbed",
    "InhalerUsage", "InsulinDelivery", "NikeFuel", "NumberOfAlcoholicBeverages", "NumberOfTimesFallen", "PushCount",
    "StepCount", "SwimmingStrokeCount", "TimeInDaylight")), re.DOTALL)
UNITS = {unit: (base, factor) for base, units in {
    "kcal": {"Cal": 1, "kcal": 1, "cal": 0.001, "kJ": 0.2390057361376673, "J": 0.0002390057361376673},
    "m": {"m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "in": 0.0254},
    "kg": {"kg": 1, "g": 0.001, "lb": 0.45359237, "st": 6.35029318, "oz": 0.028349523125},
    "s": {"s": 1, "ms": 0.001, "min": 60, "hr": 3600, "d": 86400},
    "degC": {"degC": 1},
    "mL": {"mL": 1, "L": 1000, "dL": 100, "cL": 10, "fl_oz_us": 29.5735295625, "fl_oz_imp": 28.4130625},
}.items() for unit, factor in units.items()}


def content_hash(domain, members):
    """The hash of an object; a member that is None is absent."""
    present = {name: value for name, value in members.items() if value is not None}
    return sha256(b"hp:v2:%s:" % domain.encode(), canonical(present))


def metadata_hash(item):
    metadata = item["metadata"]
    return sha256(b"hp:v2:metadata:", metadata.encode() if isinstance(metadata, str) else canonical(metadata))


def payload_hash(item):
    return content_hash("payload", {name: item.get(name) for name in PAYLOAD})


def strict_fingerprint(item):
    """The one of ordinal 0."""
    members = {name: item.get(name) for name in CONTENTS}
    if members["unit"] == "Cal":
        members["unit"] = "kcal"
    return content_hash("strict_fingerprint", {
        **members, "bundle_identifier": item.get("source", {}).get("bundle_identifier")})


class Alike:
    """Fingerprints of samples that are alike, of a whole file: the ordinals of the last item that asked stay known."""

    def __init__(self):
        self.first, self.known, self.budget = None, set(), MOST_ALIKE_OF_ALL

    def holds(self, stated, first):
        """Whether a fingerprint is that of an ordinal from 1 on; None where the file has asked for too many."""
        if not HEX64.fullmatch(stated):
            return False
        if first != self.first:
            self.first, self.known = first, set()
        if stated in self.known:
            return True
        while len(self.known) < MOST_ALIKE:
            if not self.budget:
                return None
            self.budget -= 1
            text = b'{"alike":"%s","ordinal":%d}' % (first.encode(), len(self.known) + 1)
            self.known.add(sha256(b"hp:v2:strict_fingerprint:", text))
            if stated in self.known:
                return True
        return False

    def holds_of(self, item):
        stated, first, uuid = item["strict_fingerprint"], strict_fingerprint(item), item.get("sample_uuid_hash")
        return stated == first or (uuid is not None and stated == content_hash("unseen_sample", {
            "sample_type": item["sample_type"], "sample_uuid_hash": uuid})) or self.holds(stated, first)


def base_value(value, unit):
    """A value in its base unit as the nearest binary32, or None where that is infinite; and the unit."""
    base, factor = UNITS.get(unit, (unit, 1))
    value = float(value)
    value, base = ((value - 32) * 5 / 9, "degC") if unit == "degF" else (value * factor, base)
    try:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return None, base
    return (None if value in (float("inf"), float("-inf")) else value + 0.0), base  # -0.0 + 0.0 is 0.0


def semantic_fingerprint(item):
    """The fingerprint of the item's family, or None where it has none."""
    kind, members = item.get("value_kind"), {"family": "correlation", "sample_type": item["sample_type"]}
    for name in ("start", "end"):
        members[name] = int(date(item, name + "_date") // 1)
    if kind == "quantity" and "numeric_value" in item:
        members["family"] = "cumulative" if CUMULATIVE.fullmatch(item["sample_type"]) else "quantity"
        members["value"], members["unit"] = base_value(item["numeric_value"], item.get("unit"))
        if members["value"] is None:
            return None
    elif kind == "category":
        members.update(family="category", category=item.get("category_value"))
    elif kind == "workout":
        members.update(family="workout", activity=item.get("workout_activity_type"))
    return content_hash("semantic_fingerprint", members)


def is_first_version(item):
    """Whether the item speaks of the version that its sample began with."""
    created, first = (item[name] for name in FIRST_SEEN)
    return created == first and (item["item_kind"] != "version" or any(
        event.get("event_kind") == "appeared" and event.get("observation_id") == first
        for event in item.get("events", ())))


def is_private(key):
    """Whether a key of metadata is private by its name alone, whatever patterns the archive was made with."""
    if re.match("_?HK", key):
        return key in PRIVATE_KEYS
    return not key.startswith("hp:") and is_private_of_others(key)


@functools.lru_cache(maxsize=4096)
def is_private_of_others(key):
    """Whether a key of another app is private by one of its words, or by several next to each other."""
    words = words_of(key)
    if any(PRIVATE_EDGE.match(word) or any(part in word for part in PRIVATE_PARTS) for word in words):
        return True
    if words and words[0].startswith("companion") and "".join(words).endswith("id"):
        return True
    runs = ("".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, min(start + 4, len(words)) + 1))
    return any(run in PRIVATE_WHOLE or (run.endswith("s") and run[:-1] in PRIVATE_WHOLE) for run in runs)


def words_of(key):
    """The words of a key in small letters of ASCII: a capital begins one behind what is no capital, and before a small letter."""
    cut = re.sub("(?<=[a-z0-9\\u0080-\\U0010FFFF])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", key)
    return re.findall("[a-z0-9\\u0080-\\U0010FFFF]+", re.sub("[A-Z]", lambda match: match[0].lower(), cut))


def has_unshared_metadata(item):
    """Whether metadata of a shared record are no object with members, or have a key that it may not have."""
    metadata = item.get("metadata", {"HK": None})
    return not isinstance(metadata, dict) or not metadata or any(
        key in PRIVATE_KEYS or not re.match("_?HK", key) for key in metadata)


def content_faults(item, alike):
    """Yields code, member and expected value of each content hash in an item that is wrong."""
    tainted = {entry["pointer"].split("/")[1] for entry in item.get("defects", ())}
    if "metadata" in tainted:
        tainted.add("metadata_hash")

    def can_check(required, others=()):
        return all(name in item for name in required) and tainted.isdisjoint((*required, *others))

    metadata = item.get("metadata")
    if isinstance(metadata, dict) and item["item_kind"] != "shared_record" and can_check((), ("metadata",)) and any(
            not (isinstance(value, str) and PRIVATE_VALUE.fullmatch(value)) for key, value in metadata.items() if is_private(key)):
        yield "item.private_metadata", "metadata", None
    if can_check(("metadata", "metadata_hash")) and item["metadata_hash"] != metadata_hash(item):
        yield "item.metadata_hash", "metadata_hash", metadata_hash(item)
    if can_check(("payload_hash", *DATED), PAYLOAD) and item["payload_hash"] != payload_hash(item):
        yield "item.payload_hash", "payload_hash", payload_hash(item)
        return
    if not can_check(("strict_fingerprint", *DATED, *FIRST_SEEN), (*CONTENTS, "source", "sample_uuid_hash")) \
            or not is_first_version(item):
        return
    holds = alike.holds_of(item)
    if holds is None:
        yield "item.alike_limit", "strict_fingerprint", None
    elif not holds:
        yield "item.strict_fingerprint", "strict_fingerprint", strict_fingerprint(item)
    elif can_check(("semantic_fingerprint",)) and item["semantic_fingerprint"] != semantic_fingerprint(item):
        yield "item.semantic_fingerprint", "semantic_fingerprint", semantic_fingerprint(item)
