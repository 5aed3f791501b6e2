"""Labels: texts that an index of words has as a whole, each as a word that no text has and nobody can look for.

It is a letter for private use, which says whose text it is, and the text's bytes in hexadecimal digits. A text that has
capitals has another label without regard to case.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from twindiff.kit.full_text import IndexTerm
from twindiff.kit.rows import Column, Table, Where, table_of
from twindiff.storage.sql.names import quote

MAX_LABEL_BYTES = 1_000
"""Bytes of a text that is a label; all longer ones have the same."""
MAX_LABELS = 100
"""Values up to which any of them is asked for: FTS5 looks at each for every row."""
_FIRST = 0xE000
_NULL, _LONG, _NONE = "n", "l", "x"


def labels_in(row: str, table: Table) -> str:
    """The labels of a row, by SQL."""
    return "".join(f" || {_label_in(f'{row}{quote(name)}', _letters(table, name))}" for name in table.labels)


def _label_in(text: str, letters: tuple[int, int]) -> str:
    exact, folded = (f"' ' || char({letter})" for letter in letters)
    is_long = f"octet_length({text}) > {MAX_LABEL_BYTES}"
    label = f"CASE WHEN {text} IS NULL THEN '{_NULL}' WHEN {is_long} THEN '{_LONG}' ELSE hex({text}) END"
    fold = f"CASE WHEN octet_length({text}) > length({text}) THEN casefold({text}) ELSE lower({text}) END"
    has_another = f"{fold} <> {text} AND octet_length({fold}) <= {MAX_LABEL_BYTES}"
    return f"{exact} || {label} || CASE WHEN {has_another} THEN {folded} || hex({fold}) ELSE '' END"


def _letters(table: Table, name: str) -> tuple[int, int]:
    """The letters of a column's labels, as they are and without regard to case."""
    first = _FIRST + 2 * table.labels.index(name)
    return first, first + 1


def is_labelled(column: Column[Any]) -> bool:
    """Whether the values of a column are labels."""
    return column.worked is None and column.name in table_of(column.table).labels


def values_by_index(column: Column[Any]) -> str | None:
    """What finds the values of a column one after the other, as many as are wanted; None without an index by it."""
    table = table_of(column.table)
    if all(index[0] != column.name for index in table.indexes):
        return None
    value, rows = quote(column.name), quote(table.name)
    following = f"SELECT (SELECT min({value}) FROM {rows} WHERE {value} > v.value) FROM v WHERE v.value IS NOT NULL"
    values = f"SELECT min({value}) FROM {rows} UNION ALL {following} LIMIT ?1"
    return f"WITH RECURSIVE v(value) AS ({values}) SELECT value FROM v WHERE value IS NOT NULL"


def labels_of(part: Where) -> list[IndexTerm] | None:
    """The labels of a column of which rows have one for which a condition holds; None where they cannot tell."""
    column = part.column
    exact, folded = map(chr, _letters(table_of(column.table), column.name))
    if part.op == "equals_fold":
        text = cast(str, part.value).casefold()
        return _all_or_none([_label(exact, text), _label(folded, text)])
    if part.op == "in":
        values = cast(Collection[Any], part.value)
        labels = [_label(exact, value) for value in values] or [IndexTerm(exact + _NONE)]
        return _all_or_none(labels) if len(values) <= MAX_LABELS else None
    return _all_or_none([_label(exact, part.value)]) if part.op == "=" else None


def _label(letter: str, value: Any) -> IndexTerm | None:
    if value is None:
        return IndexTerm(letter + _NULL)
    if not isinstance(value, str) or len(value.encode()) > MAX_LABEL_BYTES:
        return None
    return IndexTerm(letter + value.encode().hex())


def _all_or_none(labels: list[IndexTerm | None]) -> list[IndexTerm] | None:
    return None if None in labels else cast(list[IndexTerm], labels)
