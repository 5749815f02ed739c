"""What Spec/shared-bundles.md makes of the text of a recovery bundle: the text of the shared bundle of the same scope."""

import json
import re

from export_bundle import ITEM, canonical, export_id, item_hash, manifest_hash

LEFT_OUT = ["device", "device_chain", "error_messages", "history", "metadata_of_apps", "notes", "other_fingerprints",
            "payload_hashes", "private_metadata", "relationships", "type_set"]
PRIVATE = {"HKDeviceName", "HKDeviceSerialNumber", "HKDigitalSignature", "HKExternalUUID", "HKMetadataKeySyncIdentifier",
           "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier"}
OF_HEADERS = re.compile("/device_chain.*|/coverage/[0-9]+/error_message_hash|/observations/[0-9]+/(notes|selected_type_set_hash)", re.DOTALL)
OF_ITEMS = re.compile("/(metadata|%s)(/.*)?" % "|".join(ITEM["record"]["properties"].keys() - ITEM["shared_record"]["properties"].keys()), re.DOTALL)


def number(text):
    """A number without a point: an integer, or a double that needs none."""
    return int(text) if abs(int(text)) < 2 ** 53 else float(text)


def with_defects(members, defects):
    """The members with the defects that are left, in their order."""
    members = {name: value for name, value in members.items() if name != "defects"}
    if defects:
        members["defects"] = sorted(defects, key=lambda entry: entry["pointer"].encode())
    return members


def shared_header(export):
    export = {name: value for name, value in export.items() if name not in ("device_chain", "export_id", "history")}
    export.update(export_kind="shared_bundle", format="healthprobe-report", format_version=3, left_out=LEFT_OUT)
    export["coverage"] = [{name: value for name, value in entry.items() if name != "error_message_hash"} for entry in export["coverage"]]
    export["observations"] = [
        {name: value for name, value in entry.items() if name not in ("notes", "selected_type_set_hash")} for entry in export["observations"]]
    export = with_defects(export, [entry for entry in export.get("defects", ()) if not OF_HEADERS.fullmatch(entry["pointer"])])
    return {**export, "export_id": export_id(export)}


def shared_record(record):
    defects = record.get("defects", [])
    has_version = "start_date" in record or any(entry["pointer"] == "/start_date" for entry in defects)
    kept = [entry for entry in defects if not OF_ITEMS.fullmatch(entry["pointer"])]
    kept += [{**entry, "pointer": "/start_date"} for entry in defects if entry["pointer"] == "/payload_hash" and not has_version]
    item = {name: value for name, value in record.items() if not OF_ITEMS.fullmatch("/" + name)}
    metadata = record.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: value for key, value in metadata.items() if key.startswith(("HK", "_HK")) and key not in PRIVATE}
        if metadata:
            item["metadata"] = metadata
    return with_defects({**item, "item_kind": "shared_record"}, kept)


def shared_text(text):
    """The lines of a shared bundle, from those of a recovery bundle at a point in time."""
    first, *lines, _ = [json.loads(line, parse_int=number) for line in text.splitlines()]
    export = shared_header(first["export"])
    items = [shared_record(line["item"]) for line in lines]
    types = {}
    for item in items:
        entry = types.setdefault(item.get("sample_type"), {"defect_count": 0, "item_count": 0, "provenance_loss": {}})
        if "sample_type" in item:
            entry["sample_type"] = item["sample_type"]
        entry["item_count"] += 1
        entry["defect_count"] += len(item.get("defects", ()))
    totals = {"defect_count": len(export.get("defects", ())) + sum(entry["defect_count"] for entry in types.values()),
              "item_count": len(items), "types": list(types.values())}
    hashes = [item_hash(canonical(item)) for item in items]
    made = [{"export": export}, *({"item": item, "item_hash": hashed} for item, hashed in zip(items, hashes)),
            {"manifest_hash": manifest_hash(export, hashes, totals), "totals": totals}]
    return "".join(canonical(line) + "\n" for line in made).encode()
