"""What FTS5 is asked so that its answer alone says which rows have words, as a page far on wants it.

FTS5 goes through 30 rows of a word in a microsecond and takes as long for the words that begin with a letter, all of
which it lists first. So where few words begin so, these are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from twindiff.kit.rows import AllOf, AnyOf, Column, Expression, Not, Where, table_of
from twindiff.kit.words import Part, Word
from twindiff.storage.sql.word_query import text_of

from .connection import Stored
from .dialect import Sql
from .word_index import SPELLING, WordIndex

MOST_ENDINGS = 16
"""Words that begin alike up to which they are asked for one by one."""

Run = Callable[[str, Sequence[Any]], list[Stored]]
"""Runs a statement and gives all that it finds."""
Endings = Callable[[str], list[str]]
"""The first words that begin in some way, one more than are asked for one by one."""


class Matching:
    """Finds the rows that have words by what the index alone tells; words are looked up once where it `keeps` them."""

    def __init__(self, run: Run, *, keeps: bool) -> None:
        self._run = run
        self._keeps = keeps
        self._endings: dict[tuple[Column[Any], str], list[str]] = {}

    def numbers(self, text: Sql, words: Expression) -> str | None:
        """The query for the numbers of the rows that have words; None where the index alone cannot tell."""
        column = text_of(words)
        asked = exactly_asked(words, lambda start: self._beginning(column, start))
        return text.matches(words, column, asked) if asked else None

    def _beginning(self, column: Column[Any], start: str) -> list[str]:
        """The first words of a text's index that begin in some way."""
        known = self._endings.get((column, start))
        if known is None or not self._keeps:
            query = WordIndex(table_of(column.table), column.name).endings
            rows = self._run(query, (start, f"{start}\U0010ffff", MOST_ENDINGS + 1))
            known = self._endings[column, start] = [word for (word,) in rows]
        return known


def exactly_asked(words: Expression, endings: Endings) -> str | None:
    """What FTS5 finds the rows by that have words, and no others; None where it cannot tell."""
    if isinstance(words, AnyOf):
        return _joined((exactly_asked(part, endings) for part in words.parts), SPELLING.either)
    if isinstance(words, AllOf):
        wanted = [part for part in words.parts if not isinstance(part, Not)]
        having = _joined((exactly_asked(part, endings) for part in wanted), SPELLING.both)
        unwanted = [part.part for part in words.parts if isinstance(part, Not)]
        if not unwanted or having is None:
            return having
        lacking = _joined((exactly_asked(part, endings) for part in unwanted), SPELLING.either)
        return lacking and f"({having} NOT {lacking})"
    return _asked_of(cast(Word, words.value), endings) if isinstance(words, Where) else None


def _asked_of(word: Word, endings: Endings) -> str | None:
    if not word.is_plain:
        return None
    parts = [part for form in word.parts for (part,) in [form]]
    return _joined((_spelled(part, endings) for part in parts), SPELLING.either)


def _spelled(part: Part, endings: Endings) -> str:
    if not part.is_start:
        return SPELLING.part(part)
    words = endings(part.text)
    if not words or len(words) > MOST_ENDINGS:
        return SPELLING.part(part)
    return f"({SPELLING.either.join(SPELLING.part(Part(word)) for word in words)})"


def _joined(parts: Iterable[str | None], operator: str) -> str | None:
    known = [*parts]
    if not known or None in known:
        return None
    return f"({operator.join(cast(list[str], known))})"
