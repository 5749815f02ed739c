"""Shape, in two steps: each member by itself, by the specifications of members.py and reports.py; then, where nothing
was found, members beside each other.
"""

import re

from .canonical import Canonical
from .findings import Fault
from .members import (
    CHAIN, COVERAGE, HEADER, ITEM_LINE, ITEMS, LEFT_OUT, MANIFEST_LINE, OBSERVATION, SALVAGE, SALVAGE_END_LINE, SAMPLE, STORED, VERSION,
    without)
from .ordering import sortable
from .reports import EXPORTS, REPORT_ITEMS, contradictions_of_report, specification_of_report
from .timestamps import is_timestamp

MAX_INTEGER = (1 << 53) - 1
MAX_METADATA_DEPTH = 64


def prepared(specification):
    """The same specification with each member as a pair: what it is, and its mark. `+` gets the name None."""
    if isinstance(specification, dict):
        return {None if name == "+" else name.rstrip("!*"): (prepared(kind), name[-1]) for name, kind in specification.items()}
    return [prepared(specification[0]), *specification[1:]] if isinstance(specification, list) else specification


ITEMS = prepared({**ITEMS, **REPORT_ITEMS})
LINES = prepared({"item": ITEM_LINE, "manifest": MANIFEST_LINE, "salvage": {"salvage!": SALVAGE},
                  "salvage end": SALVAGE_END_LINE})


def is_integer(value):
    return isinstance(value, int) and abs(value) <= MAX_INTEGER


def is_metadata(value):
    """An object at most 64 deep; a text only where it could not have been such an object."""
    if isinstance(value, str):
        try:
            return "\0" not in value and not isinstance(Canonical(value.encode(), MAX_METADATA_DEPTH).read(), dict)
        except Fault:
            return True
    level = [value]
    for _ in range(MAX_METADATA_DEPTH):
        level = [child for entry in level if isinstance(entry, (dict, list))
                 for child in (entry.values() if isinstance(entry, dict) else entry)]
    return not any(isinstance(entry, (dict, list)) for entry in level)


def escaped(name):
    """A name in a JSON Pointer, RFC 6901."""
    return name.replace("~", "~0").replace("/", "~1")


NUMBERS, TEXT = (int, float), (str,)
SCALARS = {  # name: JSON types as Python reads them, what else holds
    "any": ((object,), lambda value: True),
    "boolean": ((bool,), lambda value: True),
    "count": (NUMBERS, lambda value: is_integer(value) and value >= 0),
    "integer": (NUMBERS, is_integer),
    "item": ((dict,), lambda value: True),
    "metadata": ((dict, str), is_metadata),
    "number": (NUMBERS, lambda value: True),
    "two": (NUMBERS, lambda value: value == 2),
    "three": (NUMBERS, lambda value: value == 3),
    "several": (NUMBERS, lambda value: is_integer(value) and value >= 2),
    "some": (NUMBERS, lambda value: is_integer(value) and value >= 1),
    "text": (TEXT, lambda value: "\0" not in value),
    "timestamp": (TEXT, is_timestamp),
}


def shape(value, specification, pointer, defects):
    """Yields a code and a JSON Pointer for each thing that is wrong with the shape of a value."""
    if isinstance(specification, dict):
        if not isinstance(value, dict):
            yield "shape.type", pointer
            return
        needs, _ = specification.get(None, (lambda value: (), None))
        marks = {**{name: mark for name, (_, mark) in specification.items() if name}, **dict.fromkeys(needs(value), "*")}
        for name, mark in marks.items():
            if name not in value and (mark == "!" or mark == "*" and pointer + "/" + name not in defects):
                yield "shape.member_missing", pointer + "/" + name
        for name, member in value.items():
            kind = specification[name][0] if name in specification else None
            if kind is None:
                yield "shape.member_unknown", pointer + "/" + escaped(name)
            elif isinstance(kind, (dict, list)):
                yield from shape(member, kind, pointer + "/" + escaped(name), defects)
            else:
                fault = fault_of_scalar(member, kind)
                if fault:
                    yield fault, pointer + "/" + escaped(name)
    elif isinstance(specification, list):
        if not isinstance(value, list):
            yield "shape.type", pointer
            return
        if specification[1:] and not specification[1] <= len(value) <= (specification[2:] or [len(value)])[0]:
            yield "shape.value", pointer
        for index, entry in enumerate(value):
            yield from shape(entry, specification[0], "%s/%d" % (pointer, index), defects)
    else:
        fault = fault_of_scalar(value, specification)
        if fault:
            yield fault, pointer


def fault_of_scalar(value, specification):
    """The code of what is wrong with a value that has no members, or None."""
    types, holds = SCALARS[specification] if isinstance(specification, str) else (TEXT, (
        specification.fullmatch if isinstance(specification, re.Pattern) else specification.__contains__))
    if not isinstance(value, types) or (types is NUMBERS and isinstance(value, bool)):
        return "shape.type"
    return None if holds(value) else "shape.value"


# What a shared bundle does not say of a type run and of an observation.
OF_RUNS, OF_OBSERVATIONS = ("error_message_hash",), ("notes", "selected_type_set_hash")


def header_of(export):
    """The specification of a header of this kind. Where it names no kind that there is, what depends on it is not judged."""
    kind = export.get("export_kind") if isinstance(export, dict) else None
    known = EXPORTS.get(kind) if isinstance(kind, str) else None
    modes = known.modes if known else {mode for export in EXPORTS.values() for mode in export.modes}
    scope = {"mode!": frozenset(modes), "observation_id!": "integer"}
    formats = [known] if known else EXPORTS.values()
    header = {**HEADER, "export_kind!": frozenset(EXPORTS), "format!": frozenset(kind.format for kind in formats), "scope!": scope}
    if known is None:
        header = {**without(header, "device_chain"), "coverage!": [{**COVERAGE, **dict.fromkeys(OF_RUNS, "any")}],
                  "observations!": [{**OBSERVATION, **dict.fromkeys(OF_OBSERVATIONS, "any")}, 1]}
        header["filter!"] = {**HEADER["filter!"], "overlapping": "any", "with_related": "any"}
        header.update(dict.fromkeys(("device_chain", "from_coverage", "from_device_chain", "history", "left_out"), "any"))
        scope.update(dict.fromkeys(("from_observation_id", "changes", "labels", "method", "period", "preferred", "thresholds", "zone"), "any"))
    elif "changes" in modes:
        header["from_coverage!"] = HEADER["coverage!"]
        scope.update({"from_observation_id!": "integer", **known.scope})
    elif known.scope:
        scope.update(known.scope)
    if known is not None:
        header["filter!"] = without(header["filter!"], *{"overlapping", "with_related"}.difference(known.filter))
    if kind == "pair_report":
        header["from_device_chain"] = CHAIN
    if kind == "shared_bundle":
        header = {**without(header, "device_chain", "history"), "coverage!": [without(COVERAGE, *OF_RUNS)], "left_out!": [frozenset(LEFT_OUT), 1],
                  "observations!": [without(OBSERVATION, *OF_OBSERVATIONS), 1]}
    return header


ROWS = (  # a defect at this member excuses others: what the same row would have given
    (re.compile("((?:/before|/after)?)/payload_hash"), VERSION), (re.compile("()/strict_fingerprint"), SAMPLE),
    (re.compile("(/relationships/[0-9]+|/relationship_(?:after|before))/end_identity_hash"), ("end_sample_type*",)))


def defect_places(holder, pointer):
    """What the defects beside the members of `holder` excuse from being required: their own members, and of a row
    that is not there all others that are required.
    """
    entries = holder.get("defects") if isinstance(holder, dict) else None
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    named = {entry["pointer"] for entry in entries if isinstance(entry.get("pointer"), str)}
    for form, members in ROWS:
        for match in filter(None, map(form.fullmatch, tuple(named))):
            named.update(match[1] + "/" + name.rstrip("*") for name in members if name.endswith("*"))
    if named and "/start_date" in named and holder.get("item_kind") == "shared_record":
        named.update("/" + name.rstrip("*") for name in VERSION if name.endswith("*"))
    return {pointer + name for name in named}


def shape_of_line(kind, value):
    """All shape faults of a line; what concerns several members is checked when the members are right."""
    if kind == "salvage":
        return shape_of_salvage(value)
    pointer = {"header": "/export", "item": "/item"}.get(kind, "/totals")
    holder = value.get(pointer[1:])
    specification = {"export": (prepared(header_of(holder)), "!")} if kind == "header" else LINES[kind][0]
    faults = list(shape(value, specification, "", defect_places(holder, pointer)))
    if kind == "item" and isinstance(holder, dict):
        item_kind = holder.get("item_kind")
        if not isinstance(item_kind, str):
            faults.append(("shape.type" if "item_kind" in holder else "shape.member_missing", "/item/item_kind"))
        elif item_kind not in ITEMS:
            faults.append(("shape.value", "/item/item_kind"))
        else:
            specification = prepared(specification_of_report(holder)) or ITEMS[item_kind][0]
            faults += shape(holder, specification, "/item", defect_places(holder, "/item"))
    if not faults and pointer != "/totals":
        faults += (("shape.value", pointer + inner) for inner in contradictions(kind, holder))
    return faults


def shape_of_salvage(value):
    """The header of a salvage, and in it, by the rules of its own line, the header of an export."""
    faults = list(shape(value, LINES["salvage"][0], "", set()))
    export = value["salvage"].get("export") if isinstance(value["salvage"], dict) else None
    if isinstance(export, dict):
        header = {**header_of(export), "format_version!": "three"}
        inner = shape(export, prepared(header), "/export", defect_places(export, "/export"))
        faults += ((code, "/salvage" + pointer) for code, pointer in inner)
    if not faults:
        faults += (("shape.value", "/salvage" + pointer) for pointer in contradictions_of_salvage(value["salvage"]))
    return faults


def contradictions_of_salvage(salvage):
    account = salvage["account"]
    if len(account) != min(salvage["account_count"], 1000):
        yield "/account_count"
    for index, entry in enumerate(account):
        for first, last in (("byte", "byte_end"), ("frame", "frame_end")):
            if first in entry and entry[last] < entry[first]:
                yield "/account/%d/%s" % (index, last)
        if entry.get("source", 1) > 1 + len(salvage.get("other_sources", ())):
            yield "/account/%d/source" % index
    missing = salvage.get("missing")
    if missing and missing["item_count"] != min(sum(entry["item_count"] for entry in missing["types"]), MAX_INTEGER):
        yield "/missing/item_count"
    if "export" in salvage:
        yield from ("/export" + pointer for pointer in contradictions("header", salvage["export"]))


def is_there(holder, pointer):
    """Whether a JSON Pointer (RFC 6901) names something in an object."""
    value = holder
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and re.fullmatch("0|[1-9][0-9]{0,8}", token) and int(token) < len(value):
            value = value[int(token)]
        else:
            return False
    return True


# Where the reason `no_version` may point; a header has no item_kind, and a sample no version.
VERSION_POINTERS = {"record": ("/payload_hash",), "shared_record": ("/start_date",), "version": ("/payload_hash",), "change": ("/before/payload_hash", "/after/payload_hash")}


def contradictions(kind, holder):
    """Yields pointers to members that are right by themselves, but not beside each other."""
    for index, entry in enumerate(holder.get("defects", ())):
        form, value = STORED.get(entry["storage_class"]), entry.get("value")
        if (value is None) != (form is None) or (form and not re.fullmatch(form, value)):
            yield "/defects/%d/value" % index
        no_such = entry["reason"] == "no_version" and entry["pointer"] not in VERSION_POINTERS.get(holder.get("item_kind"), ())
        if no_such or is_there(holder, entry["pointer"]):
            yield "/defects/%d/pointer" % index
    sorted_by = {"defects": ("pointer",), "visibility": ("first_observation_id",),
                 "events": ("observation_id", "event_kind"),
                 "relationships": ("relationship_kind", "end", "end_sample_type", "end_identity_hash")}
    for name, members in sorted_by.items():
        keys = [[sortable(entry.get(member)) for member in members] for entry in holder.get(name, ())]
        if keys != sorted(keys) and (name == "relationships" or all(present for key in keys for present, _ in key)):
            yield "/" + name
    if kind == "header":
        yield from contradictions_of_header(holder)
    else:
        yield from contradictions_of_report(holder)


def contradictions_of_header(export):
    """Pointers to members of a header that are right by themselves, but not beside each other."""
    ids = [observation["id"] for observation in export["observations"] if "id" in observation]
    scope = export["scope"]
    if len(ids) == len(export["observations"]):
        if scope["mode"] == "history":
            fits = max(ids) == scope["observation_id"]
        else:
            named = {scope[name] for name in ("from_observation_id", "observation_id") if name in scope}
            fits = len(ids) == len(named) and set(ids) == named
        if not fits:
            yield "/observations"
    wanted, is_related = set(export["filter"].get("sample_types", types_covered(export))), export["filter"].get("with_related")
    for name in ("coverage", "from_coverage"):
        covered = {entry.get("sample_type") for entry in export.get(name, ())}
        if name in export and (not wanted <= covered if is_related and name == "coverage" else covered != wanted):
            yield "/" + name
    if len(set(scope.get("preferred", ()))) != len(scope.get("preferred", ())):
        yield "/scope/preferred"
    if export.get("left_out", [*LEFT_OUT]) != [*LEFT_OUT]:
        yield "/left_out"
    if is_related and scope["mode"] != "point_in_time":
        yield "/filter/with_related"
    if "from_device_chain" in export:
        chains = [export.get(name, {}).get("device_chain_hash") for name in ("device_chain", "from_device_chain")]
        if scope["from_observation_id"] == scope["observation_id"] or chains[0] is not None and chains[0] == chains[1]:
            yield "/from_device_chain"
    for name, limit in (("coverage", "observation_id"), ("from_coverage", "from_observation_id")):
        for index, entry in enumerate(export.get(name, ())):
            if "observation_id" in entry and entry["observation_id"] > scope[limit]:
                yield "/%s/%d/observation_id" % (name, index)


def types_covered(export):
    return {entry.get("sample_type") for entry in export["coverage"]}
