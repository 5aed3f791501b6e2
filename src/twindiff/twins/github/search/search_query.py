"""Search queries: words, phrases, and qualifiers such as `repo:o/r`, `-label:bug`, `created:>2026-01-01`.

https://docs.github.com/en/search-github/searching-on-github/searching-issues-and-pull-requests
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from twindiff.kit import SearchTerm, any_of, index_words
from twindiff.kit.rows import Expression

from ..wire_style import Unprocessable

MAX_QUERY_LENGTH = 1024
_TOKEN = re.compile(r'(-?)(?:([A-Za-z-]+):)?(?:"([^"]*)"|(\S+))')


class Qualifier(NamedTuple):
    """A qualifier with its value; negated if a hyphen or NOT stands before it."""

    name: str
    value: str
    negated: bool


class SearchQuery(NamedTuple):
    """A parsed query: the words to find, those that must not be there, and the qualifiers."""

    words: list[str]
    excluded: list[str]
    qualifiers: list[Qualifier]

    def values(self, name: str) -> list[str]:
        """Return the values of a qualifier that are not negated."""
        return [each.value for each in self.qualifiers if each.name == name and not each.negated]


def parse_query(text: str, names: frozenset[str]) -> SearchQuery:
    """Parse a query; raise GitHub's 422 for an empty or a long one. Unknown qualifiers are words."""
    if not text.strip():
        raise Unprocessable("Validation Failed", errors=[{"resource": "Search", "field": "q", "code": "missing"}])
    if len(text) > MAX_QUERY_LENGTH:
        error = {
            "message": "The search is longer than 256 characters.",
            "resource": "Search",
            "field": "q",
            "code": "invalid",
        }
        raise Unprocessable("Validation Failed", errors=[error])
    query = SearchQuery([], [], [])
    negate_next = False
    for hyphen, name, phrase, word in _TOKEN.findall(text):
        negated, value = bool(hyphen) or negate_next, phrase or word
        negate_next = False
        if not name and value in ("AND", "OR"):
            continue
        if not name and value == "NOT":
            negate_next = True
        elif name.lower() in names:
            query.qualifiers.append(Qualifier(name.lower(), value, negated))
        elif negated:
            query.excluded.append(value)
        else:
            query.words.append(f"{name}:{value}" if name else value)
    return query


def words_in(columns: list[Any], words: list[str]) -> list[Expression]:
    """Return the conditions that each word is in one of some columns with a word index."""
    searched = [SearchTerm((word,)) for word in words if index_words(word)]
    return [any_of(*(column.has_word(term) for column in columns)) for term in searched]
