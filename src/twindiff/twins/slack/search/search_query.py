"""The language of Slack's search box: words, "phrases", -exclusions, OR, and modifiers such as in: from: before: has:.

https://slack.com/help/articles/202528808-Search-in-Slack
"""

from __future__ import annotations

import re
from typing import NamedTuple

MODIFIERS = frozenset({"in", "from", "to", "with", "before", "after", "on", "during", "has", "hasmy", "is"})

_TOKEN = re.compile(r'(?P<minus>-?)(?:(?P<modifier>[A-Za-z]+):(?=\S))?(?:"(?P<phrase>[^"]*)"?|(?P<word>\S+))')


class Term(NamedTuple):
    """One condition; `modifier` is empty for a word or a phrase of the text."""

    modifier: str
    value: str
    excluded: bool = False
    is_exact: bool = False
    """Whether it stands in quotes."""


Alternatives = list[Term]
"""Terms of which one must hold."""


def parse(query: str) -> list[Alternatives]:
    """The conditions of a query, all of which must hold.

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
    """Several in: of one query are alternatives, and so are several from:."""
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
