"""What a verification gives, as types. Spec/schemas/verify-result.json has every member."""

from __future__ import annotations

from typing import Dict, List, TypedDict

Layers = Dict[str, str]


class _Found(TypedDict):
    code: str


class Finding(_Found, total=False):
    """One thing that is invalid: its code, and where it is."""

    line: int
    frame: int
    byte: int
    pointer: str
    expected: object
    found: object


class _Verified(TypedDict):
    result: str
    layers: Layers
    verdict: str
    not_verified: List[str]
    item_count: int
    findings: List[Finding]


class Result(_Verified, total=False):
    """What was found in one file: `result` is `ok` or `findings`. `counts` is there where not all findings are listed."""

    counts: Dict[str, int]
