"""Translation of conditions to full-text queries, in the query syntax of each database.

Example for SQLite: `has_word` of "red" and of "blu*" becomes `("red" AND "blu"*)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from twindiff.kit.full_text import IndexTerm, SearchTerm
from twindiff.kit.rows import AllOf, AnyOf, Column, Expression, Not, Table, Where, table_of


class Spelling(NamedTuple):
    """The syntax of full-text queries: the AND and OR operators, and the rendering of one term."""

    both: str
    either: str
    part: Callable[[IndexTerm], str]


def asked_of(word: SearchTerm, spelling: Spelling) -> str | None:
    """Return the query for a word in any of its forms; None if a form has no letters or digits."""
    forms = [_join_parts([spelling.part(part) for part in parts], spelling.both) for parts in word.parts]
    known = [form for form in forms if form]
    return _join_parts(known, spelling.either) if len(known) == len(forms) else None


def asked_for(part: Expression, text: Column[Any], spelling: Spelling) -> str | None:
    """Return a query that all texts match for which a condition holds, perhaps with others; None if there is none."""
    if isinstance(part, Where):
        is_of_text = part.column is text and part.op == "has_word"
        return asked_of(cast(SearchTerm, part.value), spelling) if is_of_text else None
    if not isinstance(part, AllOf | AnyOf):
        return None
    asked = [asked_for(each, text, spelling) for each in part.parts]
    known = [each for each in asked if each]
    if isinstance(part, AllOf):
        return _join_parts(known, spelling.both)
    return _join_parts(known, spelling.either) if len(known) == len(asked) else None


def either_asked(part: Expression, table: Table, spelling: Callable[[Column[Any]], Spelling]) -> dict[str, str]:
    """Return queries by column name that together find exactly the rows for which a condition holds.

    Empty if the condition is not a choice of plain words of columns with a full-text index.
    """
    asked: dict[str, list[str]] = {}
    for each in part.parts if isinstance(part, AnyOf) else (part,):
        if (
            not isinstance(each, Where)
            or each.op != "has_word"
            or each.column is not _find_indexed(table, each.column.name)
        ):
            return {}
        word = cast(SearchTerm, each.value)
        query = asked_of(word, spelling(each.column)) if word.is_plain else None
        if query is None:
            return {}
        asked.setdefault(each.column.name, []).append(query)
    return {name: f"({spelling(table.columns[name]).either.join(queries)})" for name, queries in asked.items()}


def _find_indexed(table: Table, name: str) -> Column[Any] | None:
    return table.columns[name] if name in table.words else None


def words_needed(parts: Sequence[Expression], text: Column[Any]) -> Iterator[SearchTerm]:
    """Yield the words that conditions require unconditionally; alternatives within `any_of` are left out."""
    for part in parts:
        if isinstance(part, AllOf) or (isinstance(part, AnyOf) and len(part.parts) == 1):
            yield from words_needed(part.parts, text)
        elif isinstance(part, Where) and part.column is text and part.op == "has_word":
            yield cast(SearchTerm, part.value)


def text_of(words: Expression) -> Column[str]:
    """Return the column that a word condition searches.

    Raises TypeError unless it consists of `has_word` of one column with a full-text index.
    """
    parts = set(_parts(words))
    column = next(iter(parts)).column if len({part.column.name for part in parts}) == 1 else None
    if column is None or any(part.op != "has_word" for part in parts):
        raise TypeError("What matches are found by is has_word of one text, joined by all_of, any_of and not_")
    if column.name not in table_of(column.table).words:
        raise TypeError(f"{column.table.__name__}.{column.name} has no index of its words: words=('{column.name}',)")
    return column


def _parts(words: Expression) -> Iterator[Where]:
    if isinstance(words, AllOf | AnyOf):
        for part in words.parts:
            yield from _parts(part)
    elif isinstance(words, Not):
        yield from _parts(words.part)
    elif isinstance(words, Where):
        yield words


def _join_parts(parts: Sequence[str], operator: str) -> str | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else f"({operator.join(parts)})"
