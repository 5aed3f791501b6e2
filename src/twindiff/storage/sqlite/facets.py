"""Facets (`Table.labels`): column values added to full-text indexes, so that FTS5 can filter by them too.

Each value is indexed as one artificial word: a private-use character that identifies the column, followed by the bytes
of the value in hexadecimal digits. For example, "bug" in the first column is U+E000 and `627567`. A value with capitals
has a second word, with the next character, for its case-folded form.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from twindiff.kit.full_text import IndexTerm
from twindiff.kit.rows import Column, Table, Where, table_of
from twindiff.storage.sql.names import quote

MAX_LABEL_BYTES = 1_000
"""Bytes up to which a value has its own word; all longer values share one."""
MAX_LABELS = 100
"""Values that one query may list, since FTS5 checks each of them for every row."""
_FIRST = 0xE000
_NULL, _LONG, _NONE = "n", "l", "x"


def labels_in(row: str, table: Table) -> str:
    """Return an SQL suffix that appends the facet words of a row to its text; `row` is `new.`, `old.` or empty."""
    return "".join(f" || {_label_in(f'{row}{quote(name)}', _letters(table, name))}" for name in table.labels)


def _label_in(text: str, letters: tuple[int, int]) -> str:
    # ' ' || char(57344) || CASE WHEN new."kind" IS NULL THEN 'n' WHEN octet_length(new."kind") > 1000 THEN 'l'
    #   ELSE hex(new."kind") END || CASE WHEN lower(new."kind") <> new."kind"
    #   THEN ' ' || char(57345) || hex(lower(new."kind")) ELSE '' END
    # (abbreviated: instead of `lower` there is a CASE that uses `casefold` for a value beyond ASCII)
    exact, folded = (f"' ' || char({letter})" for letter in letters)
    is_long = f"octet_length({text}) > {MAX_LABEL_BYTES}"
    label = f"CASE WHEN {text} IS NULL THEN '{_NULL}' WHEN {is_long} THEN '{_LONG}' ELSE hex({text}) END"
    fold = f"CASE WHEN octet_length({text}) > length({text}) THEN casefold({text}) ELSE lower({text}) END"
    has_another = f"{fold} <> {text} AND octet_length({fold}) <= {MAX_LABEL_BYTES}"
    return f"{exact} || {label} || CASE WHEN {has_another} THEN {folded} || hex({fold}) ELSE '' END"


def _letters(table: Table, name: str) -> tuple[int, int]:
    """Return the code points that identify the exact and the case-folded values of a column."""
    first = _FIRST + 2 * table.labels.index(name)
    return first, first + 1


def is_labelled(column: Column[Any]) -> bool:
    """Whether a column is a facet."""
    return column.worked is None and column.name in table_of(column.table).labels


def values_by_index(column: Column[Any]) -> str | None:
    """Return a query for the distinct values of a column, at most `?1`; None without an index that starts with it.

    It jumps from each value to the next in the index, a "loose index scan".
    """
    # WITH RECURSIVE v(value) AS (SELECT min("kind") FROM "issues" UNION ALL
    #   SELECT (SELECT min("kind") FROM "issues" WHERE "kind" > v.value) FROM v WHERE v.value IS NOT NULL LIMIT ?1)
    #   SELECT value FROM v WHERE value IS NOT NULL
    table = table_of(column.table)
    if all(index[0] != column.name for index in table.indexes):
        return None
    value, rows = quote(column.name), quote(table.name)
    following = f"SELECT (SELECT min({value}) FROM {rows} WHERE {value} > v.value) FROM v WHERE v.value IS NOT NULL"
    values = f"SELECT min({value}) FROM {rows} UNION ALL {following} LIMIT ?1"
    return f"WITH RECURSIVE v(value) AS ({values}) SELECT value FROM v WHERE value IS NOT NULL"


def labels_of(part: Where) -> list[IndexTerm] | None:
    """Return the facet words of which a row has one exactly if a condition holds; None if facets cannot answer it."""
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
