"""What FTS5 is asked so that its answer alone says which rows have words, as a page far on wants it.

FTS5 goes through 30 rows of a word in a microsecond and takes as long for the words that begin with a letter, all of
which it lists first. So where few words begin so, these are asked for.
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
"""Words that begin alike up to which they are asked for one by one."""
FEW_VALUES = 16
"""Values of which any is asked for without a look at which of them there are."""
FEW_ROWS = 1_000
"""Rows up to which it is looked into those that an index of a column gives."""
MANY_ROWS = 20_000
"""Rows from which on it is not listed which an index of a column gives."""
MAX_VALUES = 1_000
"""Values that rows have in a column up to which they are listed."""

Run = Callable[[str, Sequence[Any]], list[Stored]]
"""Runs a statement and gives all that it finds."""
Values = Callable[[Column[Any]], set[object] | None]
"""The values that rows have in a column; None where they cannot be listed soon."""


class Matching:
    """Finds the rows that have words by what the index alone tells; what it has looked up it `keeps`."""

    def __init__(self, run: Run, *, keeps: bool) -> None:
        self._run = run
        self._keeps = keeps
        self._endings: dict[tuple[Column[Any], str], list[str]] = {}
        self._known_values: dict[Column[Any], set[object] | None] = {}
        self._sizes: dict[tuple[str, Stored], int] = {}

    def numbers(self, text: SqliteCompiler, words: Expression, where: Sequence[Expression]) -> str | None:
        """The query for the numbers of the rows that have words, and for which conditions hold.

        None where the index alone cannot tell who has the words.
        """
        column = text_of(words)
        question = Question(column, self.spelling(column), self._values)
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
        """How many rows an index tells of, up to many."""
        text = SqliteCompiler()
        query = text.count_in(column, span, MANY_ROWS)
        place = query, tuple(text.parameters)
        if place not in self._sizes or not self._keeps:
            ((self._sizes[place],),) = cast(list[tuple[int]], self._run(query, text.parameters))
        return self._sizes[place]

    def spelling(self, column: Column[Any]) -> Spelling:
        """How FTS5 is asked of a text: for the words that begin in a way where these are few."""
        return SPELLING._replace(part=partial(self._spell, column))

    def _spell(self, column: Column[Any], part: IndexTerm) -> str:
        words = self._beginning(column, part.text) if part.is_start else []
        if not words or len(words) > MAX_ENDINGS:
            return SPELLING.part(part)
        return _join_known((SPELLING.part(IndexTerm(word)) for word in words), SPELLING.either)

    def _beginning(self, column: Column[Any], start: str) -> list[str]:
        """The first words of a text's index that begin in some way."""
        known = self._endings.get((column, start))
        if known is None or not self._keeps:
            query = WordIndex(table_of(column.table), column.name).endings
            rows = self._run(query, (start, f"{start}\U0010ffff", MAX_ENDINGS + 1))
            known = self._endings[column, start] = [word for (word,) in rows]
        return known

    def _values(self, column: Column[Any]) -> set[object] | None:
        """The values that rows may have in a column, NULL too; None where no index gives them, or there are many."""
        if column not in self._known_values or not self._keeps:
            query = values_by_index(column)
            values = {value for (value,) in self._run(query, (MAX_VALUES,))} if query else set[object]()
            values |= {None} if column.nullable else set[object]()
            self._known_values[column] = values if query and len(values) < MAX_VALUES else None
        return self._known_values[column]


class IndexPredicate(NamedTuple):
    """What FTS5 finds rows by, or with `is_not` all other rows."""

    text: str
    is_not: bool = False


class Question(NamedTuple):
    """What FTS5 is asked of a text and of the labels beside it."""

    text: Column[Any]
    spelling: Spelling
    values: Values

    def exactly(self, part: Expression) -> IndexPredicate | None:
        """What finds the rows for which a condition holds, and no others; None where FTS5 cannot tell."""
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
        """What finds the rows for which a condition of a label does not hold, by the few others that rows have."""
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
        """Of many values those are asked for that rows have, or those others that they have if these are fewer."""
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
