"""Finds the tags in a Box Doc Gen template, and the JSON paths that they refer to.

https://support.box.com/hc/en-us/articles/36149723736723-Template-Tags-Reference
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Shown = dict[str, Any]
_TAG = re.compile(r"\{\{([^{}]*)\}\}")
_LOOP = re.compile(r"(for|tablerow)\s+(\w+)\s+in\s+([\w.]+)", re.IGNORECASE)
_CONDITION = re.compile(r"(?:if|elseif)\s+(.*)", re.IGNORECASE)
_PATH = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|“[^”]*”")
_ENDS = ("endfor", "endtablerow")
_APART = ("else", "endif", *_ENDS)
_OPERATORS = ("and", "or", "not", "in", "true", "false")


def tags_in(text: str) -> Iterator[Shown]:
    """Yield the tags of a text in order, without closing tags. Inside a loop, paths are those of the loop's list."""
    loops: list[tuple[str, str]] = []
    for tag in _TAG.finditer(text):
        said = tag[1].partition("::")[0].strip()
        if said.lower() in _ENDS:
            del loops[-1:]
        if said.lower() in _APART:
            continue
        kind = _kind(said)
        loop, condition = _LOOP.fullmatch(said), _CONDITION.fullmatch(said)
        named = loop[3] if loop else condition[1] if condition else said
        paths = [_within(path, loops) for path in _PATH.findall(_QUOTED.sub("", named)) if path not in _OPERATORS]
        yield {"tag_content": tag[0], "tag_type": kind, "json_paths": [*dict.fromkeys(_steps(paths))]}
        if loop:
            loops.append((loop[2], paths[0]))


def _kind(said: str) -> str:
    loop = _LOOP.fullmatch(said)
    if loop:
        return "for-loop" if loop[1].lower() == "for" else "table-loop"
    if _CONDITION.fullmatch(said):
        return "conditional"
    return "arithmetic" if re.search(r"[-+*/]", said) else "text"


def _within(path: str, loops: list[tuple[str, str]]) -> str:
    """Return a path with the name of a loop variable replaced by the path of the loop's list."""
    first, dot, rest = path.partition(".")
    place = next((place for name, place in reversed(loops) if name == first), None)
    return path if place is None else f"{place}{dot}{rest}"


def _steps(paths: list[str]) -> Iterator[str]:
    """Yield every path with its prefixes: `a.b` yields `a` and `a.b`."""
    for path in paths:
        parts = path.split(".")
        yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
