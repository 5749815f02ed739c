"""Frames and seek tables: by the rules of bundles, and with a rule broken."""

import struct

import generate

from .pieces import INTERESTING, change_bytes, change_list

RAW, REPEATED = 0, 1
BLOCK = 1 << 17


def block(kind, size, content, last=False):
    """A block of a frame."""
    return struct.pack("<I", last | kind << 1 | size << 3)[:3] + content


def run_length_blocks(text):
    """Blocks of one repeated byte where there is one, else raw ones."""
    blocks, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at] and end - at < BLOCK:
            end += 1
        blocks.append((REPEATED, end - at, text[at:at + 1]) if end - at > 1 else (RAW, 1, text[at:at + 1]))
        at = end
    blocks = blocks or [(RAW, 0, b"")]
    return b"".join(block(kind, size, content, at == len(blocks) - 1) for at, (kind, size, content) in enumerate(blocks))


def same_frame(chance, text):
    """A frame of a text that keeps to the rules of bundles."""
    kind = chance.randrange(6)
    if kind == 0:
        return generate.frame(text, blocks=generate.raw_blocks(text, chance.choice((1, 7, 1000, 100000))))
    if kind == 1:
        return generate.frame(text, window=chance.choice((0, 0x08, 0x57, 0x68)) if len(text) < 1000 else 0x68)
    if kind == 2:
        return generate.frame(text, blocks=run_length_blocks(text))
    if kind == 3:
        return generate.frame(text, blocks=bytes(3 * chance.choice((1, 5, 300))) + generate.raw_blocks(text))
    if kind == 4:
        return generate.frame(text, dictionary=0)
    return generate.frame(text, level=chance.choice((-5, 1, 3, 9, 19)))


def made_frame(chance, text):
    """A frame that may break a rule."""
    kind = chance.randrange(12)
    if kind == 0:
        return generate.frame(text, checksum=False)
    if kind == 1:
        return generate.frame(text, size=None)
    if kind == 2:
        return generate.frame(text, size=max(0, len(text) + chance.choice((-1000, -1, 1, 100, 1 << 20))))
    if kind == 3:
        return generate.frame(text, bits=chance.choice((1, 2, 8, 16, 24)))
    if kind == 4:
        return generate.frame(text, dictionary=chance.getrandbits(32))
    if kind == 5:
        return generate.frame(text, window=chance.randrange(256))
    if kind == 6:
        return generate.frame(text, size=chance.getrandbits(64), window=chance.choice((None, 0, 0x58)))
    if kind == 7:
        return generate.frame(text, checksum=struct.pack("<I", chance.getrandbits(32)))
    if kind == 8:
        made = bytearray(generate.frame(text))
        change_bytes(chance, made, [bytes(made)], INTERESTING)
        return bytes(made)
    return same_frame(chance, text)


def lying_table(chance, entries):
    """The seek table of the entries; as a rule it tells the truth."""
    kind = chance.randrange(10)
    if kind == 0:
        return b""
    if kind == 1 and entries:
        at, by = chance.randrange(len(entries)), chance.choice((-9, -1, 1, 4096))
        entries[at] = (max(0, entries[at][0] + by), entries[at][1])
    elif kind == 2:
        entries.extend([(0, 0)] * chance.choice((1, 2, 300)))
    elif kind == 3 and len(entries) > 1:
        at = chance.randrange(len(entries) - 1)
        entries[at:at + 2] = [(entries[at][0] + entries[at + 1][0], entries[at][1])]
    elif kind == 4:
        change_list(chance, entries, (0, 0))
    elif kind == 5:
        return generate.table(entries, **chance.choice((
            {"count": len(entries) + 1}, {"count": 2 ** 32 - 1}, {"descriptor": 128}, {"end": b"\xb1\xea\x92\x8e"}, {"magic": 0x184D2A50}, {"extra": b"\0"},
            {"size": 8 * len(entries) + 8}, {"size": 8 * len(entries) + 10}, {"size": 2 ** 32 - 1})))
    data = generate.table([entry for entry in entries])
    return data + chance.choice((b"",) * 8 + (b"\n", data))
