"""Word forms that search finds: `process` finds processes and processing, quoted words match exactly.

The stemmer is Porter's of 1980, which is frozen: https://snowballstem.org/algorithms/porter/stemmer.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from twindiff.kit import SearchTerm, without_accents

from .search_query import Alternatives, Term

_stem: Callable[[str], str] = cast(Any, snowballstemmer).stemmer("porter").stemWord
_SHORTEST_STEMMED, _LONGEST_STEMMED = 3, 40
"""The minimum and maximum letters of words that are stemmed."""
_ENDINGS = ("", "s", "es", "e", "ed", "d", "ing", "ings", "y", "ies", "ied")
"""Endings of plurals and verbs. Stems alone would match too much: `university` and `universe` have the same one."""


def word_of(term: Term) -> SearchTerm | None:
    """Return the search term for a term of a query; None for `*` alone, which matches everything."""
    plain = term.value.rstrip("*")
    if not plain.strip():
        return None
    if term.is_exact or plain != term.value:
        return SearchTerm((plain,), is_start=plain != term.value)
    return SearchTerm(forms_of(plain))


def words_of(groups: list[Alternatives]) -> list[SearchTerm]:
    """Return the words and phrases that matches contain, for their score and for highlighting."""
    terms = [term for group in groups for term in group if not (term.modifier or term.excluded)]
    return [word for term in terms if (word := word_of(term))]


@lru_cache(maxsize=4096)
def forms_of(word: str) -> tuple[str, ...]:
    """Return a word and its other forms: those with an ending of `_ENDINGS` and the same stem."""
    bare = without_accents(word)
    if not (bare.isascii() and bare.isalpha() and _SHORTEST_STEMMED <= len(bare) <= _LONGEST_STEMMED):
        return (word,)
    stem = _stem(bare)
    roots = {bare.removesuffix(ending) for ending in _ENDINGS}
    roots |= {root + root[-1:] for root in roots} | {root[:-1] for root in roots if root[-1:] == root[-2:-1]}
    made = {root + ending for root in roots for ending in _ENDINGS}
    return (bare, *sorted(form for form in made if form != bare and _stem(form) == stem))
