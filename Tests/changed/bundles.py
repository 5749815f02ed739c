"""Changed bundles: in their bytes, their frames, their lines, or the values of their lines."""

import copy
import json
import re

import generate
import zstandard

from .frames import lying_table, made_frame, same_frame
from .pieces import INTERESTING, TOKENS, change_bytes, change_list, change_value, respell

LARGE = re.compile("bomb|million|limit|8-mib|20000|empty-many|good-empty-blocks|line-limit")
LARGEST_TEXT = 1 << 17


def is_large(name):
    return bool(LARGE.search(name))


class Case:
    """A file with its name and what lies beside it, and whether the change can have altered what it says."""

    kind = "unchanged"

    def __init__(self, name, data, is_good=None, sidecar=None, file="bundle.jsonl.zst"):
        self.name, self.data, self.is_good, self.sidecar, self.file = name, data, is_good, sidecar, file

    def contradiction(self, result):
        """What is wrong with a result that both verifiers gave."""
        if self.is_good and result["result"] != "ok":
            return "the same lines in other frames do not hold: %s" % result["counts"]
        if result["result"] == "ok" and not holds_by_itself(self.data):
            return "says ok, but its lines do not follow from their own values"
        return None


def holds_by_itself(data):
    """Whether each line is what the generator of the vectors makes of the values in it."""
    lines = text_of(data).split(b"\n")
    values = [json.loads(line) for line in lines[:-1]]
    if "salvage" in values[0]:
        items = [value["item"] for value in values[1:-1]]
        return lines[-1] == b"" and generate.salvage_lines(values[0]["salvage"], items) == lines[:-1]
    export = {name: value for name, value in values[0]["export"].items() if name != "export_id"}
    return lines[-1] == b"" and generate.lines(export, [value["item"] for value in values[1:-1]]) == lines[:-1]


def text_of(data, limit=1 << 27):
    """The text of a bundle, frame by frame; raises where one cannot be decoded."""
    return zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(data, read_across_frames=True).read(limit)


def frames_of(data):
    """The texts of the frames of a sound bundle."""
    texts, position = [], 0
    while data[position:position + 4] == generate.FRAME_MAGIC:
        decoder = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj()
        texts.append(decoder.decompress(data[position:]))
        position = len(data) - len(decoder.unused_data)
    return texts


class Maker:
    """Makes changed bundles of vectors."""

    def __init__(self, vectors):
        self.all_bytes, self.all_texts = [], []
        for vector in vectors:
            path = vector.path
            if is_large(path.name):
                continue
            data = path.read_bytes()
            self.all_bytes.append(data)
            # Only where each frame can be decoded, and there is one.
            if not any(code.startswith("container.") for code in vector.codes) and vector.name != "line-nothing":
                texts = frames_of(data)
                if sum(map(len, texts)) <= LARGEST_TEXT:
                    self.all_texts.append((path.name.startswith(("good-", "forgery-")), texts))
        good = [texts for is_good, texts in self.all_texts if is_good]
        self.all_values = [values for values in map(values_of, good) if values]

    def case(self, chance, name):
        kind = chance.choice(("bytes", "bytes", "frames", "lines", "text", "values", "values", "values"))
        data, is_good = getattr(self, kind)(chance)
        return Case("%s, %s" % (name, kind), data, is_good)

    # Bytes

    def bytes(self, chance):
        data = bytearray(chance.choice(self.all_bytes))
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            change_bytes(chance, data, self.all_bytes, INTERESTING)
        return bytes(data), None

    # Frames

    def frames(self, chance):
        is_good, texts = chance.choice(self.all_texts)
        texts = list(texts)
        if chance.random() < 0.5:
            return self.same_text(chance, texts), is_good or None
        for _ in range(chance.choice((1, 1, 2))):
            change_list(chance, texts, b"")
        made = [made_frame(chance, text) for text in texts]
        for _ in range(chance.choice((0, 1, 1, 2))):
            at = chance.randrange(len(made) + 1)
            made.insert(at, chance.choice((generate.skippable(b"note"), generate.skippable(b"", 0x184D2A5E), generate.frame(b""),
                                           generate.skippable(bytes(8), 0x184D2A5F, chance.choice((0, 7, 9, 1000, 2 ** 32 - 1))),
                                           b"garbage", generate.table([]), generate.FRAME_MAGIC)))
            texts.insert(at, b"")
        entries = [(len(data), len(text)) for data, text in zip(made, texts)]
        return b"".join(made) + lying_table(chance, entries), None

    def same_text(self, chance, texts):
        """The same lines, compressed and cut at line ends in another way."""
        lines = b"".join(texts).splitlines(keepends=True)
        pieces, at = [], 0
        while at < len(lines):
            count = chance.choice((1, 1, 2, 5, 100))
            pieces.append(b"".join(lines[at:at + count]))
            at += count
        made = [same_frame(chance, piece) for piece in pieces]
        return generate.bundle(made, map(len, pieces))

    # Lines

    def lines(self, chance):
        lines = b"".join(chance.choice(self.all_texts)[1]).split(b"\n")
        others = b"".join(chance.choice(self.all_texts)[1]).split(b"\n")
        for _ in range(chance.choice((1, 1, 2, 4))):
            if chance.random() < 0.2:
                lines.insert(chance.randrange(len(lines) + 1), chance.choice(others))
            else:
                change_list(chance, lines, chance.choice((b"", b"{}", b"null", b"\r", b'{"item":{}}', b'{"manifest_hash":""}')))
        return reframed(chance, b"\n".join(lines)), None

    def text(self, chance):
        text = bytearray(b"".join(chance.choice(self.all_texts)[1]))
        for _ in range(chance.choice((1, 1, 2, 3))):
            if text and chance.random() < 0.5:
                respell(chance, text)
            else:
                change_bytes(chance, text, self.all_bytes, TOKENS)
        return reframed(chance, bytes(text)), None

    # Values

    def values(self, chance):
        values = copy.deepcopy(chance.choice(self.all_values))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            change_value(chance, values)
        if chance.random() < 0.3:
            change_list(chance, values, {"item": {}})
        return reframed(chance, b"".join(line + b"\n" for line in rehashed(chance, values))), None


def values_of(texts):
    """The values of the lines; None where a number or a text does not come back as it was."""
    try:
        return [json.loads(line) for line in b"".join(texts).splitlines()]
    except ValueError:
        return None


def reframed(chance, text):
    """A text in the usual frames; now and then cut anywhere."""
    if chance.random() < 0.15 and len(text) > 2:
        cuts = sorted(chance.randrange(1, len(text)) for _ in range(chance.choice((1, 2, 5))))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)]) if start < end]
    else:
        lines = text.splitlines(keepends=True) if b"\r" not in text else [part + b"\n" for part in text.split(b"\n")]
        pieces = [piece for piece in (b"".join(lines[:1]), b"".join(lines[1:-1]), b"".join(lines[1:][-1:])) if piece]
        if b"".join(pieces) != text:
            pieces = [text]
    return generate.of_texts(pieces)


def rehashed(chance, values):
    """The lines of the values; mostly with hashes that follow from what is there."""
    if chance.random() < 0.75:
        try:
            return consistent(chance, values)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            pass
    return [generate.canonical(value).encode() for value in values]


def consistent(chance, values):
    if "salvage" in values[0]:
        items = [value["item"] for value in values[1:-1]]
        return generate.salvage_lines(values[0]["salvage"], items)
    export = {name: value for name, value in values[0]["export"].items() if name != "export_id"}
    items = [dict(value["item"]) for value in values[1:-1]]
    if chance.random() < 0.7:
        for item in items:
            if "payload_hash" in item and "identity_rules" in export and chance.random() < 0.8:
                item["payload_hash"] = generate.payload_hash(item)
            if isinstance(item.get("metadata"), (str, dict)) and "metadata_hash" in item and chance.random() < 0.5:
                item["metadata_hash"] = generate.metadata_hash(item["metadata"])
            if "identity_rules" in export and chance.random() < 0.3:
                item["strict_fingerprint"] = generate.strict_fingerprint(item, chance.choice((0, 0, 1, 4096)))
    totals = values[-1]["totals"] if chance.random() < 0.1 else None
    return generate.lines(export, items, totals)
