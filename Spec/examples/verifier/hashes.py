"""Hashes of Spec/hashes.md."""

import hashlib
import re


def sha256(prefix, data):
    return hashlib.sha256(prefix + data).hexdigest()


def export_id(header):
    """The id that the header's bytes give: shape leaves exactly one member of this name in a header."""
    without = re.sub(rb'"export_id":"[0-9a-f-]{36}",', b"", header, count=1)
    digest = bytearray(hashlib.sha256(b"hp:v2:export_id:" + without).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80
    text = digest.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
