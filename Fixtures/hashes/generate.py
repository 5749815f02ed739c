#!/usr/bin/env python3
"""Writes cases.txt anew: preimages built by hand from Spec/hashes.md, hashed by Python's hashlib.

Columns are separated by tabs: kind, result, then the parts of the preimage. Nothing in a part needs escaping.
"""
import hashlib
import pathlib
import uuid

HERE = pathlib.Path(__file__).resolve().parent


def sha(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def export_id(text):
    digest = bytearray(hashlib.sha256(("hp:v2:export_id:" + text).encode("utf-8")).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))


ITEMS = ["{}", '{"item_kind":"record","sample_type":"com.example.größe.测试"}', '{"numeric_value":1e+21,"unit":"µg"}', ""]
EXPORTS = ["{}"] + ['{"format":"healthprobe-bundle","format_version":%d}' % n for n in range(40)]
TOTALS = '{"defect_count":0,"item_count":%d,"types":[]}'


def main():
    lines = ["# kind, result, parts of the preimage; written by generate.py"]
    for item in ITEMS:
        lines.append("item\t%s\t%s" % (sha("hp:v2:export_item:" + item), item))
    for export in EXPORTS:
        lines.append("export_id\t%s\t%s" % (export_id(export), export))
    for count in (0, 1, 2, 5, 100):
        hashes = [sha("item %d" % number) for number in range(count)]
        export, totals = '{"scope":%d}' % count, TOTALS % count
        text = '{"export":%s,"items":[%s],"totals":%s}' % (export, ",".join('"%s"' % one for one in hashes), totals)
        lines.append("manifest\t%s\t%s\t%s\t%s" % (sha("hp:v2:export_manifest:" + text), export, totals, " ".join(hashes)))
    (HERE / "cases.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
