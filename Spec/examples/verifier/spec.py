"""The tables of Spec that are used as they are: columns.json, codes.json and measures.json."""

import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def spec(name):
    """A table: beside the package where it is installed, and in Spec, two folders up, where this is a checkout."""
    path = next(folder / name for folder in (HERE.parent, HERE.parents[1]) if (folder / name).is_file())
    return json.loads(path.read_text(encoding="utf-8"))
