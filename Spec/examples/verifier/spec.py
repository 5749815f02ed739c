"""The tables of Spec that are used as they are: columns.json, codes.json and measures.json."""

import json
import os.path

FOLDER = os.path.dirname(os.path.dirname(__file__))


def spec(name):
    """A table: beside this package where it is installed, also in an archive, and in Spec where this is a checkout."""
    try:
        text = __loader__.get_data(os.path.join(FOLDER, name))
    except OSError:
        text = __loader__.get_data(os.path.join(os.path.dirname(FOLDER), name))
    return json.loads(text)
