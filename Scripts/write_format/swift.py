"""Swift texts."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTH = 120


def literal(text):
    """A text as a literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def folded(text, indent, width=WIDTH):
    """A text in lines that are not too long, cut behind commas; those behind the first are indented."""
    lines = [""]
    for part in text.split(", "):
        joined = lines[-1] + (", " if lines[-1] else "") + part
        if lines[-1] and indent + len(joined) > width - 2:
            lines[-1] += ","
            lines.append(part)
        else:
            lines[-1] = joined
    return ("\n" + " " * indent).join(lines)


ACRONYMS = {"id": "ID", "uuid": "UUID", "gmt": "GMT", "json": "JSON"}


def camel(name):
    """`first_observation_id` as `firstObservationID`."""
    first, *rest = name.replace("-", "_").split("_")
    return first + "".join(ACRONYMS.get(word, word[:1].upper() + word[1:]) for word in rest)
