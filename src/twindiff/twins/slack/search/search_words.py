"""Which forms of a word a search finds: `process` finds processes and processing, quotes find exactly what they hold.

The stemmer is Porter's of 1980, which does not change any more: https://snowballstem.org/algorithms/porter/stemmer.html
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
"""Letters of a word that has other forms."""
_ENDINGS = ("", "s", "es", "e", "ed", "d", "ing", "ings", "y", "ies", "ied")
"""Those of plurals and of verbs; Porter's stems alone would bring the university together with the universe."""


def word_of(term: Term) -> SearchTerm | None:
    """What a term of a query looks for; None for `*` alone, which anything fits."""
    plain = term.value.rstrip("*")
    if not plain.strip():
        return None
    if term.is_exact or plain != term.value:
        return SearchTerm((plain,), is_start=plain != term.value)
    return SearchTerm(forms_of(plain))


def words_of(groups: list[Alternatives]) -> list[SearchTerm]:
    """The words and phrases that a match has, for its score and for highlighting."""
    terms = [term for group in groups for term in group if not (term.modifier or term.excluded)]
    return [word for term in terms if (word := word_of(term))]


@lru_cache(maxsize=4096)
def forms_of(word: str) -> tuple[str, ...]:
    """A word as it is, and its other forms: those made with an ending that have the same stem."""
    bare = without_accents(word)
    if not (bare.isascii() and bare.isalpha() and _SHORTEST_STEMMED <= len(bare) <= _LONGEST_STEMMED):
        return (word,)
    stem = _stem(bare)
    roots = {bare.removesuffix(ending) for ending in _ENDINGS}
    roots |= {root + root[-1:] for root in roots} | {root[:-1] for root in roots if root[-1:] == root[-2:-1]}
    made = {root + ending for root in roots for ending in _ENDINGS}
    return (bare, *sorted(form for form in made if form != bare and _stem(form) == stem))
