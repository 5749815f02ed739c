#!/usr/bin/env python3
"""Recomputes the worked examples of the specification: hash preimages, the minimal bundle text, table and envelope, the timestamps, identities."""

import hashlib
import hmac
import json
import pathlib
import re
import struct
import sys

SPEC = pathlib.Path(__file__).resolve().parent.parent / "Spec"
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def hashes():
    page = (SPEC / "hashes.md").read_text(encoding="utf-8")
    examples = re.findall(r"\((\d+) bytes\):\n\n((?:    [0-9a-f]+\n)+)\nSHA-256: `([0-9a-f]{64})`", page)
    check("hashes.md has four worked examples", len(examples) == 4)
    lines = (SPEC / "examples/minimal.jsonl").read_bytes().split(b"\n")
    export, item, manifest = (json.loads(line) for line in lines[:3])
    found = []
    for size, text, digest in examples:
        preimage = bytes.fromhex("".join(text.split()))
        check("the preimage of %s has %s bytes" % (digest, size), len(preimage) == int(size))
        check("the digest of %s" % digest, hashlib.sha256(preimage).hexdigest() == digest)
        found.append((preimage, digest))
    check("the item hash of the example", item["item_hash"] == found[1][1])
    check("the item's bytes stand in its preimage", b'{"item":' + found[1][0][len(b"hp:v2:export_item:"):] + b',"item_hash"' in lines[1])
    check("the manifest hash of the example", manifest["manifest_hash"] == found[2][1])
    check("the header stands in the manifest's preimage", lines[0][:-1] in found[2][0])
    saved = [json.loads(line) for line in (SPEC / "examples/salvage.jsonl").read_bytes().splitlines()]
    check("the salvage hash of the example", saved[2]["salvage_hash"] == found[3][1] and saved[1] == item)
    document = {"items": [item["item_hash"]], "salvage": saved[0]["salvage"], "totals": saved[2]["totals"]}
    check("the salvage stands in its preimage", json.loads(found[3][0][len(b"hp:v2:salvage:"):]) == document)
    identifier = bytearray(bytes.fromhex(found[0][1])[:16])
    identifier[6], identifier[8] = identifier[6] & 15 | 128, identifier[8] & 63 | 128
    check("the export id of the example", export["export"]["export_id"].replace("-", "") == identifier.hex())


def timestamps():
    page = (SPEC / "timestamps.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (−?[0-9.]+) \| `([0-9a-f]{16})` \|", page, re.M)
    check("timestamps.md has examples", len(rows) >= 6)
    for value, bits in rows:
        check("the bits of " + value, struct.pack(">d", float(value.replace("−", "-"))).hex() == bits)


def identities():
    page = (SPEC / "identity.md").read_text(encoding="utf-8")
    document = json.loads((SPEC / "examples/identity.json").read_text(encoding="utf-8"))
    secret, hashed = bytes.fromhex(document["secret"]), {}
    for example in document["examples"]:
        if "hash" not in example:
            continue
        preimage = example["preimage"].encode()
        keyed = hmac.new(secret, preimage, hashlib.sha256)
        digest = (keyed if example["hash_class"] == "hmac-sha256" else hashlib.sha256(preimage)).hexdigest()
        check("%s of %s" % (example["of"], example["input"]), digest == example["hash"])
        hashed[example["preimage"]] = example["hash"]
    check("identity.json has examples", len(hashed) >= 35)
    shown = re.findall(r"^    (hp:v2:.*(?:\n    .*)*)\n    ([0-9a-f]{64})$", page, re.M)
    shown = [(preimage.replace("\n    ", ""), digest) for preimage, digest in shown]
    check("identity.md shows three of them", len(shown) == 3 and all(hashed.get(preimage) == digest for preimage, digest in shown))


def reports():
    """The table, its sidecar and the envelope of one record, against each other and the page; hashes from the bytes of the files."""
    page = (SPEC / "reports.md").read_text(encoding="utf-8")
    example = page[page.index("## Example"):page.index("## Verification")]
    table, sidecar, envelope = ((SPEC / "examples" / name).read_bytes() for name in ("minimal.csv", "minimal.csv-metadata.json", "minimal.json"))
    report = json.loads(sidecar)["urn:healthprobe:report"]
    bundle_item = (SPEC / "examples/minimal.jsonl").read_bytes().split(b"\n")[1]
    check("the envelope holds the item line of the bundle", b'"items":[' + bundle_item + b"]" in envelope)
    item_hash = json.loads(bundle_item)["item_hash"]
    check("the table's row ends with the item hash", table.endswith(b"," + item_hash.encode() + b"\r\n"))
    check("size and SHA-256 of the table", (report["byte_count"], report["sha256"]) == (len(table), hashlib.sha256(table).hexdigest()))
    check("one row", report["row_count"] == table.count(b"\r\n") - 1 == 1)
    header = envelope[len(b'{"export":'):envelope.index(b',"items":[')]
    totals = envelope[envelope.index(b',"totals":') + len(b',"totals":'):-2]
    check("the sidecar holds header and totals of the envelope", header in sidecar and b'"totals":' + totals in sidecar)
    manifest = hashlib.sha256(b"hp:v2:export_manifest:" + b'{"export":' + header + b',"items":["' + item_hash.encode() + b'"],"totals":' + totals + b"}").hexdigest()
    check("the manifest hash of both", manifest == json.loads(envelope)["manifest_hash"] == report["manifest_hash"])
    without = re.sub(rb'"export_id":"[^"]*",', b"", header)
    identifier = bytearray(hashlib.sha256(b"hp:v2:export_id:" + without).digest()[:16])
    identifier[6], identifier[8] = identifier[6] & 15 | 128, identifier[8] & 63 | 128
    check("the export id of both", report["export"]["export_id"].replace("-", "") == identifier.hex())
    for what in (item_hash, report["export"]["export_id"], manifest, report["sha256"], "%d bytes" % len(table)):
        check("the page names " + what, what in example)


hashes()
timestamps()
identities()
reports()
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
