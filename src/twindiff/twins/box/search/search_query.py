"""Parses search queries: words, quoted phrases, AND, OR and NOT in capitals, parentheses.

Words without an operator between them are joined by OR, which binds more tightly than AND, as in Box: `a AND b c` is `a
AND (b OR c)`. NOT excludes its operand from the results of its whole group.

https://developer.box.com/guides/search/query-operators
https://support.box.com/hc/en-us/articles/39932047737235-Searching-for-Files-and-Folders
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from twindiff.kit import SearchTerm, index_words

_TOKEN = re.compile(r'"([^"]*)"?|([()])|([^\s()"]+)')
MAX_TERMS = 50


class Term(msgspec.Struct, frozen=True, dict=True):
    """A word, or adjacent words: those of a phrase, or of a word that punctuation splits."""

    text: str
    is_phrase: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the term, without punctuation, case and accents."""
        return tuple(index_words(self.text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return self._found_by(is_start=False)

    @cached_property
    def _start_pattern(self) -> re.Pattern[str]:
        return self._found_by(is_start=True)

    def _found_by(self, *, is_start: bool) -> re.Pattern[str]:
        """Return a pattern that finds the term in a text without case and accents."""
        if len(self.words) == 1:
            return re.compile(SearchTerm(self.words, is_start).pattern)
        before = r"(?<![^\W_])" if SearchTerm(self.words[:1]).is_plain else ""
        after = r"(?![^\W_])" if SearchTerm(self.words[-1:]).is_plain and not is_start else ""
        return re.compile(before + r"[\W_]*".join(map(re.escape, self.words)) + after)

    def is_in(self, text: str) -> bool:
        """Return whether a text without case and accents contains the term."""
        return self._pattern.search(text) is not None

    def begins_in(self, text: str) -> bool:
        """Return whether such a text contains the term, where the last word may be only the beginning of a word."""
        return self._start_pattern.search(text) is not None


class Either(NamedTuple):
    """A disjunction: at least one part must match."""

    parts: tuple[Query, ...]


class Both(NamedTuple):
    """A conjunction: all parts must match, and none of the excluded ones."""

    parts: tuple[Query, ...]
    excluded: tuple[Query, ...]


Query = Term | Either | Both
_Token = tuple[str, str, str]


def read_query(query: str) -> Query:
    """Parse a query into a tree. Unclosed quotes and parentheses end with the query."""
    return _both(iter(_TOKEN.findall(query)[:MAX_TERMS]))


def terms_of(query: Query) -> Iterator[Term]:
    """Yield all terms of a query, including excluded ones."""
    if isinstance(query, Term):
        yield query
        return
    for part in (*query.parts, *(query.excluded if isinstance(query, Both) else ())):
        yield from terms_of(part)


def wanted_terms(query: Query) -> Iterator[Term]:
    """Yield the terms of a query that are not excluded."""
    if isinstance(query, Term):
        yield query
        return
    for part in query.parts:
        yield from wanted_terms(part)


def excluded_terms(query: Query) -> Iterator[Term]:
    """Yield the terms that a query excludes."""
    if not isinstance(query, Term):
        for part in query.parts:
            yield from excluded_terms(part)
        for part in query.excluded if isinstance(query, Both) else ():
            yield from terms_of(part)


def is_any_of(query: Query) -> bool:
    """Return whether a query is a plain disjunction of terms."""
    return isinstance(query, Term) or (isinstance(query, Either) and all(map(is_any_of, query.parts)))


def matches_terms(query: Query, terms: set[Term]) -> bool:
    """Return whether a text that contains exactly these terms matches a query."""
    if isinstance(query, Term):
        return query in terms
    if isinstance(query, Either):
        return any(matches_terms(part, terms) for part in query.parts)
    if not query.parts or any(matches_terms(part, terms) for part in query.excluded):
        return False
    return all(matches_terms(part, terms) for part in query.parts)


def _both(tokens: Iterator[_Token]) -> Query:
    """Parse tokens up to a closing parenthesis or the end."""
    groups: list[list[Query]] = [[]]
    excluded: list[Query] = []
    negates = False
    for quoted, paren, word in tokens:
        if paren == ")":
            break
        if word in ("AND", "OR", "NOT"):
            negates = negates or word == "NOT"
            groups += [[]] if word == "AND" else []
            continue
        part: Query = _both(tokens) if paren else Term(quoted, True) if quoted else Term(word)
        if isinstance(part, Term) and not part.words:
            continue
        (excluded if negates else groups[-1]).append(part)
        negates = False
    return Both(tuple(Either(tuple(group)) for group in groups if group), tuple(excluded))
