"""Parsing of search queries: words, "phrases", -exclusions, OR, and modifiers such as in: from: before: has:.

https://slack.com/help/articles/202528808-Search-in-Slack
"""

from __future__ import annotations

import re
from typing import NamedTuple

MODIFIERS = frozenset({"in", "from", "to", "with", "before", "after", "on", "during", "has", "hasmy", "is"})

_TOKEN = re.compile(r'(?P<minus>-?)(?:(?P<modifier>[A-Za-z]+):(?=\S))?(?:"(?P<phrase>[^"]*)"?|(?P<word>\S+))')


class Term(NamedTuple):
    """A condition of a query; `modifier` is empty for a word or phrase."""

    modifier: str
    value: str
    excluded: bool = False
    is_exact: bool = False
    """Whether the value is in quotes."""


Alternatives = list[Term]
"""Terms of which at least one must match."""


def parse(query: str) -> list[Alternatives]:
    """Parse a query to groups of alternatives, all of which must match.

    Terms joined by OR are alternatives, and so are several in: or several from:.
    """
    groups: list[Alternatives] = []
    joined = excluded = False
    for match in _TOKEN.finditer(query):
        if match[0] in ("OR", "NOT", "AND"):
            joined, excluded = joined or match[0] == "OR", excluded or match[0] == "NOT"
            continue
        term = _term(match, excluded)
        if joined and groups:
            groups[-1].append(term)
        elif term:
            groups.append([term])
        joined = excluded = False
    return _merge_alternatives(groups)


def _term(match: re.Match[str], excluded: bool) -> Term:
    modifier = (match["modifier"] or "").lower()
    value = match["word"] if match["phrase"] is None else match["phrase"]
    excluded = excluded or bool(match["minus"])
    if modifier and modifier not in MODIFIERS:
        return Term("", f"{match['modifier']}:{value}", excluded)
    return Term(modifier, value, excluded, is_exact=match["phrase"] is not None)


def _merge_alternatives(groups: list[Alternatives]) -> list[Alternatives]:
    """Merge several in: of a query into one group of alternatives, and several from: likewise."""
    kept: list[Alternatives] = []
    places: dict[str, Alternatives] = {}
    for group in groups:
        modifier = group[0].modifier
        if modifier not in ("in", "from") or len(group) > 1 or group[0].excluded:
            kept.append(group)
        elif modifier in places:
            places[modifier].extend(group)
        else:
            kept.append(group)
            places[modifier] = group
    return kept
