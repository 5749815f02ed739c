"""Changed bundles, reports and texts, for tests that hold two readers against each other, and files that cost much.

`pieces` changes bytes, texts, lists and values; `frames` makes frames, sound or not. `bundles`, `reports` and `texts` change vectors and other known files by them; what a
change is made of comes from a random generator alone, so that a seed and a number name it. `costly` has shapes of small files that are expensive to read.
"""

import pathlib
import sys

# The generator of the vectors makes what is changed here.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "vectors"))
