"""What a search asks for: words, phrases in quotes, AND, OR and NOT in capitals.

Several words without an operator between them mean either of them, as Box has it.
https://developer.box.com/guides/search/query-operators
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r'"([^"]*)"?|([()])|([^\s()"]+)')
_WORD = re.compile(r"\w+")
MOST_TERMS = 50


class Term(NamedTuple):
    """A word, or the words of a phrase, which must stand side by side."""

    text: str
    is_phrase: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Its words without what stands between them."""
        return tuple(_WORD.findall(self.text.casefold()))

    def is_in(self, text: str) -> bool:
        """Whether a text, in lower case, has it."""
        if not self.is_phrase:
            return self.text.casefold() in text
        joined = r"[\W_]+".join(map(re.escape, self.words))
        return bool(self.words) and re.search(rf"(?<!\w){joined}(?!\w)", text) is not None


class Clause(NamedTuple):
    """Terms that must all be there, and terms that must not."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...] = ()


def clauses_of(query: str) -> list[Clause]:
    """A query as clauses of which one must hold; parentheses only group what is written in them."""
    clauses: list[list[tuple[Term, bool]]] = []
    joins = negates = False
    for quoted, paren, word in _TOKEN.findall(query)[:MOST_TERMS]:
        if paren:
            continue
        if word in ("AND", "OR", "NOT") and not quoted:
            joins, negates = (word != "OR" and (joins or word in ("AND", "NOT"))), negates or word == "NOT"
            continue
        term = Term(quoted, True) if quoted else Term(word)
        if not term.words:
            continue
        if joins and clauses:
            clauses[-1].append((term, negates))
        else:
            clauses.append([(term, negates)])
        joins = negates = False
    return [
        Clause(tuple(term for term, no in clause if not no), tuple(term for term, no in clause if no))
        for clause in clauses
    ]
