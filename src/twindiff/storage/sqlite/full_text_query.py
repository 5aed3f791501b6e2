"""Exact FTS5 queries, whose result alone tells which rows match, so that even late pages read no texts.

FTS5 steps through 30 rows of a word per microsecond, but for a prefix it first lists the rows of all words that begin
with it. So a prefix that few words begin with is replaced by those words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from twindiff.kit.full_text import IndexTerm, SearchTerm
from twindiff.kit.rows import AllOf, AnyOf, Column, Expression, Not, Where, table_of
from twindiff.storage.sql.full_text_query import Spelling, asked_of, text_of

from .connection import Stored
from .dialect import SqliteCompiler
from .facets import is_labelled, labels_of, values_by_index
from .full_text_index import SPELLING, WordIndex
from .range_predicates import is_span

MAX_ENDINGS = 16
"""Words that a prefix is expanded to."""
FEW_VALUES = 16
"""Values of an `in` condition that are queried without checking which of them exist."""
FEW_ROWS = 1_000
"""Rows of an index range up to which its rows are tested instead of a full-text query."""
MANY_ROWS = 20_000
"""Rows of an index range beyond which it does not restrict the full-text query."""
MAX_VALUES = 1_000
"""Distinct values of a column up to which they are listed."""

Run = Callable[[str, Sequence[Any]], list[Stored]]
"""Runs a statement and returns all rows."""
Values = Callable[[Column[Any]], set[object] | None]
"""Returns the distinct values of a column; None if they cannot be listed quickly."""


class FullTextMatcher:
    """Finds the rows that match words by the full-text index alone; with `keeps` it caches what it looks up."""

    def __init__(self, run: Run, *, keeps: bool) -> None:
        self._run = run
        self._keeps = keeps
        self._endings: dict[tuple[Column[Any], str], list[str]] = {}
        self._known_values: dict[Column[Any], set[object] | None] = {}
        self._sizes: dict[tuple[str, Stored], int] = {}

    def numbers(self, text: SqliteCompiler, words: Expression, where: Sequence[Expression]) -> str | None:
        """Return a query for the rowids of the rows that match `words` and for which the conditions `where` hold.

        None if the index alone cannot answer `words`.
        """
        column = text_of(words)
        question = FullTextQuery(column, self.spelling(column), self._values)
        told = [question.exactly(part) for part in (words, *where)]
        if told[0] is None or told[0].is_not:
            return None
        asked = _all_of([part for part in told if part])
        further = [part for part, known in zip(where, told[1:], strict=True) if not known]
        span = [part for part in further if is_span(part)]
        size = self._size(column, span) if span else MANY_ROWS
        if size < FEW_ROWS:
            return text.in_span(column, span, (words, *where))
        if size == MANY_ROWS:
            return text.matches(column, asked.text, (words, *where), further, ())
        besides = [part for part in further if not is_span(part)]
        return text.matches(column, asked.text, (words, *where), besides, span)

    def _size(self, column: Column[Any], span: Sequence[Expression]) -> int:
        """Count the rows of an index range, at most MANY_ROWS."""
        text = SqliteCompiler()
        query = text.count_in(column, span, MANY_ROWS)
        place = query, tuple(text.parameters)
        if place not in self._sizes or not self._keeps:
            ((self._sizes[place],),) = cast(list[tuple[int]], self._run(query, text.parameters))
        return self._sizes[place]

    def spelling(self, column: Column[Any]) -> Spelling:
        """Return the query syntax of a column, in which prefixes of few words are expanded to them."""
        return SPELLING._replace(part=partial(self._spell, column))

    def _spell(self, column: Column[Any], part: IndexTerm) -> str:
        words = self._beginning(column, part.text) if part.is_start else []
        if not words or len(words) > MAX_ENDINGS:
            return SPELLING.part(part)
        return _join_known((SPELLING.part(IndexTerm(word)) for word in words), SPELLING.either)

    def _beginning(self, column: Column[Any], start: str) -> list[str]:
        """Return the first words of a column's index that begin with `start`, at most one more than MAX_ENDINGS."""
        known = self._endings.get((column, start))
        if known is None or not self._keeps:
            query = WordIndex(table_of(column.table), column.name).endings
            rows = self._run(query, (start, f"{start}\U0010ffff", MAX_ENDINGS + 1))
            known = self._endings[column, start] = [word for (word,) in rows]
        return known

    def _values(self, column: Column[Any]) -> set[object] | None:
        """Return the values that rows may have in a column, with NULL; None without an index or if there are many."""
        if column not in self._known_values or not self._keeps:
            query = values_by_index(column)
            values = {value for (value,) in self._run(query, (MAX_VALUES,))} if query else set[object]()
            values |= {None} if column.nullable else set[object]()
            self._known_values[column] = values if query and len(values) < MAX_VALUES else None
        return self._known_values[column]


class IndexPredicate(NamedTuple):
    """An FTS5 query for the matching rows or, with `is_not`, for all other rows."""

    text: str
    is_not: bool = False


class FullTextQuery(NamedTuple):
    """A translator of conditions on a text and its facets to FTS5 queries."""

    text: Column[Any]
    spelling: Spelling
    values: Values

    def exactly(self, part: Expression) -> IndexPredicate | None:
        """Return the query that finds exactly the rows for which a condition holds; None if FTS5 cannot answer it."""
        if isinstance(part, Where):
            return (
                self._of_word(cast(SearchTerm, part.value))
                if _is_word_in(part, self.text)
                else self._label_predicate(part)
            )
        if isinstance(part, Not):
            return self._of_others(part.part) or self._without(part.part)
        if not isinstance(part, AllOf | AnyOf):
            return None
        known = [asked for asked in map(self.exactly, part.parts) if asked]
        if not known or len(known) < len(part.parts):
            return None
        return _all_of(known) if isinstance(part, AllOf) else _any_of(known)

    def _without(self, part: Expression) -> IndexPredicate | None:
        asked = self.exactly(part)
        return asked and IndexPredicate(asked.text, not asked.is_not)

    def _of_others(self, part: Expression) -> IndexPredicate | None:
        """Rewrite a negated facet condition as a match on the remaining values, if they are few."""
        if not isinstance(part, Where) or part.op not in ("=", "in") or not is_labelled(part.column):
            return None
        present, given = self.values(part.column), part.value
        wanted = {given} if part.op == "=" else {*cast(Collection[object], given)}
        others = None if present is None else present - wanted
        if others is None or len(others) > FEW_VALUES:
            return None
        return self._label_predicate(part._replace(op="in", value=others))

    def _of_word(self, word: SearchTerm) -> IndexPredicate | None:
        asked = asked_of(word, self.spelling) if word.is_plain else None
        return IndexPredicate(asked) if asked else None

    def _label_predicate(self, part: Where) -> IndexPredicate | None:
        """Query a facet. Of many values, only existing ones are queried, or the remaining ones if those are fewer."""
        if not is_labelled(part.column):
            return None
        is_not = False
        if part.op == "in" and len(values := {*cast(Collection[object], part.value)}) > FEW_VALUES:
            present = self.values(part.column)
            if present is not None:
                others = present - values
                is_not = len(others) < len(values & present)
                part = part._replace(value=others if is_not else values & present)
        labels = labels_of(part)
        return IndexPredicate(_join_known(map(SPELLING.part, labels), SPELLING.either), is_not) if labels else None


def _is_word_in(part: Where, text: Column[Any]) -> bool:
    return part.op == "has_word" and part.column is text


def _all_of(parts: Sequence[IndexPredicate]) -> IndexPredicate:
    having = [part.text for part in parts if not part.is_not]
    lacking = [part.text for part in parts if part.is_not]
    if not having:
        return IndexPredicate(_join_known(lacking, SPELLING.either), is_not=True)
    both = _join_known(having, SPELLING.both)
    return IndexPredicate(f"({both} NOT {_join_known(lacking, SPELLING.either)})" if lacking else both)


def _any_of(parts: Sequence[IndexPredicate]) -> IndexPredicate:
    neither = _all_of([IndexPredicate(part.text, not part.is_not) for part in parts])
    return IndexPredicate(neither.text, not neither.is_not)


def _join_known(parts: Iterable[str], operator: str) -> str:
    known = [*parts]
    return known[0] if len(known) == 1 else f"({operator.join(known)})"
