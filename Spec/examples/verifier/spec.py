"""The files of Spec that are used as they are: columns.json, codes.json, the schemas, and the SQL of archives."""

import json
import os.path

FOLDER = os.path.dirname(os.path.dirname(__file__))


def data(name):
    """A file: beside this package where it is installed, also in an archive, and in Spec where this is a checkout."""
    try:
        return __loader__.get_data(os.path.join(FOLDER, name))
    except OSError:
        return __loader__.get_data(os.path.join(os.path.dirname(FOLDER), name))


def spec(name):
    """A table."""
    return json.loads(data(name))


def sql(name):
    """The statements that make tables."""
    return data(name).decode()
