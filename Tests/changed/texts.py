"""Changed JSON texts."""

import pathlib
import random

import generate
import vectors

from .bundles import text_of
from .pieces import TOKENS, change_bytes, respell

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 1 << 14


def originals():
    """The texts of Fixtures/canonical-json, the lines of a vector, and the corpus of the fuzzer."""
    paths = [path for folder in ("Fixtures/canonical-json", "Fuzz/corpus/json") for path in sorted((ROOT / folder).rglob("*")) if path.is_file() and path.suffix in ("", ".in", ".json")]
    texts = [path.read_bytes() for path in paths if path.stat().st_size <= LARGEST]
    return texts + text_of(vectors.path("good-point-in-time").read_bytes()).splitlines()


def texts(seed, count):
    known = originals()
    yield from known
    for number in range(count):
        chance = random.Random("%d %d" % (seed, number))
        text = bytearray(chance.choice(known))
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            if text and chance.random() < 0.4:
                respell(chance, text)
            else:
                change_bytes(chance, text, known, TOKENS)
        yield bytes(text[:LARGEST])
